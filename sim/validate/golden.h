/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golden: one recorded run of a real kernel, as a JSON file: the case's knobs as the guest read
 * them back, and every counter as [min, median, max] over the repetitions.
 */
#ifndef SIM_VALIDATE_GOLDEN_H
#define SIM_VALIDATE_GOLDEN_H

#include <jansson.h>
#include "refault/base.h"

/* A counter's range over the repetitions. */
struct band {
    int64_t min, median, max;
};

struct golden {
    char *path;
    char kernel[16]; /* name of the era: the folder of the file */
    json_t *root;
    const char *name, *trace, *bank; /* within root */
    /* Of the files, uncompressed; NULL if not recorded; the bank's may be the sibling's. */
    const char *trace_sha256, *bank_sha256;
    json_t *config, *counters;  /* config may be the sibling's; counters NULL if always OOM */
    uint64_t ops, region_pages; /* 0: not recorded */
    bool direct;                /* a script on /dev/zram0 (zr_*) instead of a trace */
    bool always_oom;            /* every repetition was ended by the OOM killer */
    bool inherited; /* the knobs are a sibling's with the name's changes (always-OOM files have
                       none) */
};

struct golden_list {
    struct golden *v;
    size_t n;
};

/* All DIR/KERNEL/NAME.json, sorted by kernel and name; `kernel` restricts to one folder (NULL:
 * all). RF_EINPUT if there is none, or names the damaged file. */
int golden_list_load(struct golden_list *l, const char *dir, const char *kernel,
                     struct rf_err *err) RF_MUST_CHECK;
void golden_list_free(struct golden_list *l);

/* Whether the fields that are read have the right types, as far as the file has them: RF_EINPUT
 * names the key, what was found and what was expected. */
int golden_check_types(const struct golden *g, struct rf_err *err) RF_MUST_CHECK;
/* RF_EINPUT if the file lacks a counter that cannot have been 0: with `always`, or if memcg.NAME or
 * a value of NAME at a checkpoint is above 0 (NAME: `checkpoint`). The counters of /proc/vmstat
 * that stayed 0 in every repetition are not recorded. */
int golden_needs(const struct golden *g, const char *counter, const char *checkpoint, bool always,
                 struct rf_err *err) RF_MUST_CHECK;

/* A number as an integer within -2^61 .. 2^61, the nearest if it is beyond; 0 for anything else. */
int64_t golden_integer(const json_t *number);
/* A counter's band; false (and zeros) if the file does not have it, which means 0. */
bool golden_band(const struct golden *g, const char *counter, struct band *out);
/* A string of the case's knobs; "" if absent. */
const char *golden_text(const struct golden *g, const char *key);
/* Bit o set: folios of order o (below 2 MiB) are enabled in the case, always or where madvised. */
uint32_t golden_folio_orders(const struct golden *g);
/* An integer knob, also when it is written as a string; `otherwise` if absent. */
int64_t golden_number(const json_t *object, const char *key, int64_t otherwise);
/* The kind of a case: its name up to the first underscore (disk, zswap, zram, zr). */
size_t golden_kind_length(const char *name);
/* Whether the name holds the underscore-separated word. */
bool golden_has_word(const char *name, const char *word);
/* The number of a word such as "m25" with prefix "m"; -1 if there is none. */
int golden_word_number(const char *name, const char *prefix);

#endif
