/* SPDX-License-Identifier: Apache-2.0 */
/*
 * knobs: the one table of everything that can be set. --set, INI files, `refault knobs`, the
 * config object of results and the manual all come from it. Keys are those of sysctl, sysfs and
 * cgroup files; era.* and cost.* follow from the tables of src/machine.
 */
#ifndef SIM_CONFIG_KNOBS_H
#define SIM_CONFIG_KNOBS_H

#include <jansson.h>
#include "refault/config.h"

enum knob_type {
    KNOB_BOOL,
    KNOB_U32,
    KNOB_U64,
    KNOB_TIME,     /* uint64_t nanoseconds */
    KNOB_NAME,     /* char[size], one of values */
    KNOB_ENUM,     /* uint8_t index into values */
    KNOB_TRISTATE, /* int8_t: "device" -1, 0, 1 */
    KNOB_AMOUNT,   /* struct rf_amount */
    KNOB_BIT,      /* bit `min` of a uint32_t, a switch */
    KNOB_KERNEL,   /* the era row itself; the text is its name */
    KNOB_U8,
    KNOB_U16,
};

struct knob {
    const char *key;
    enum knob_type type;
    size_t offset, size; /* into struct machine_config */
    uint64_t min, max;
    const char *const *values; /* NULL-terminated */
    uint16_t since, until;     /* kernels that have it, 6.12 = 612; 0 = no bound */
    bool zero;                 /* 0 is allowed though it is below min */
    const char *help;
};

/* First the usual knobs, then cost.*, then era.*. */
struct knob_table {
    struct knob *v;
    size_t n, nr_usual;
    char *names; /* of the generated keys */
};
int knob_table_init(struct knob_table *t, struct rf_err *err) RF_MUST_CHECK;
void knob_table_free(struct knob_table *t);

/* The knob of that key. NULL with RF_EUSAGE and the nearest key in err. */
const struct knob *knob_find(const struct knob_table *t, const char *key, struct rf_err *err);
/* Sets it from text. RF_EUSAGE says what is allowed. */
int knob_set(const struct knob *k, struct machine_config *c, const char *text,
             struct rf_err *err) RF_MUST_CHECK;
/* Its value as text that knob_set() takes; returns buf. */
const char *knob_format(const struct knob *k, const struct machine_config *c, char *buf,
                        size_t size);
/* Its effective value: integers (amounts in bytes), or a string. New reference. */
json_t *knob_json(const struct knob *k, const struct machine_config *c);
/* All effective values, {key: value}. New reference. */
json_t *knobs_config_json(const struct knob_table *t, const struct machine_config *c);
/* Whether it is an integer or a time, with min and max. */
bool knob_is_number(const struct knob *k);
/* The value of such a knob. */
uint64_t knob_number(const struct knob *k, const struct machine_config *c);
/* "integer 0..200", "size, % or max", "one of lz4, zstd"; returns buf. */
const char *knob_range(const struct knob *k, char *buf, size_t size);
/* "all", "6.8 and later", "to 6.9", "6.5 to 6.8"; returns buf. */
const char *knob_kernels(const struct knob *k, char *buf, size_t size);
/* Whether that kernel ("6.12") has the knob. */
bool knob_in_kernel(const struct knob *k, const char *kernel);

#endif
