/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scenarios: named sets of knobs from an INI file. A section is a scenario, its keys are knobs with
 * their full names. "[name : parent]" begins with what the parent has; a section whose name begins
 * with _ is there only to be a parent.
 */
#ifndef SIM_SWEEP_SCENARIOS_H
#define SIM_SWEEP_SCENARIOS_H

#include "config/settings.h"

struct scenario {
    char *name;
    struct setting *v; /* in the order in which they count; the last one wins */
    size_t n;
};

struct scenarios {
    struct scenario *v; /* without those that are only parents */
    size_t n;
    size_t most; /* settings of the largest */
};

/* Reads a file; all values are checked. RF_EUSAGE, RF_EINPUT with file and line. */
int scenarios_read(struct scenarios *s, const struct knob_table *knobs, const char *path,
                   struct rf_err *err) RF_MUST_CHECK;
void scenarios_free(struct scenarios *s);

#endif
