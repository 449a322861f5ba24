/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings: what the user asked for, in the order in which it was said (last wins), and how it
 * becomes a machine_config once the trace is known. Order of effects: the kernel with its
 * defaults, the profile, plain knobs and era.* fields, the costs of the chosen device, cost.*.
 */
#ifndef SIM_CONFIG_SETTINGS_H
#define SIM_CONFIG_SETTINGS_H

#include "config/knobs.h"
#include "refault/trace.h"

#define SETTINGS_DEFAULT_KERNEL "6.12"

struct setting {
    const struct knob *knob;
    char *value;
};

struct settings {
    const struct knob_table *knobs;
    struct profile profile;
    char *profile_name;
    struct setting *v;
    size_t n, cap;
};

int settings_init(struct settings *s, const struct knob_table *knobs,
                  struct rf_err *err) RF_MUST_CHECK;
void settings_free(struct settings *s);
/* Adds a value of a knob; both are checked. */
int settings_add(struct settings *s, const char *key, const char *value,
                 struct rf_err *err) RF_MUST_CHECK;
/* Adds "KEY=VALUE". */
int settings_add_pair(struct settings *s, const char *pair, struct rf_err *err) RF_MUST_CHECK;
int settings_add_file(struct settings *s, const char *path, struct rf_err *err) RF_MUST_CHECK;
/* Whether a knob was set, by whatever way. */
bool settings_has(const struct settings *s, const char *key);
/* "default", or a file. */
int settings_set_profile(struct settings *s, const char *name, struct rf_err *err) RF_MUST_CHECK;

/*
 * The configuration for a trace: s, then extra[0..nr) (a sweep's point) on top. info may be NULL
 * (no trace: percentages are of nothing).
 */
int settings_resolve(const struct settings *s, const struct setting *extra, size_t nr,
                     const struct trace_info *info, struct machine_config *out,
                     struct rf_err *err) RF_MUST_CHECK;
/* Calls fn with each key that the resolved kernel does not have though it was set. */
void settings_misplaced(const struct settings *s, const char *kernel,
                        void (*fn)(void *ctx, const struct knob *k), void *ctx);

#endif
