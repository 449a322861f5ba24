/* SPDX-License-Identifier: Apache-2.0 */
/* grid: lists of values for knobs, their cross product, and lists that go along with another. */
#ifndef SIM_SWEEP_GRID_H
#define SIM_SWEEP_GRID_H

#include "config/knobs.h"
#include "config/settings.h"

struct axis {
    const struct knob *knob;
    char **values;
    size_t n;
    bool along; /* takes its value with the same number as the axis before it */
};

/* The first axis turns slowest. */
struct grid {
    struct axis *axes;
    size_t n;
};

/*
 * Adds an axis from "KEY=LIST": values separated by commas, each a value of the knob or a range
 * FIRST..LAST[:STEP] of integers that share a suffix (0..5, 10%..90%:10%, 64M..256M:64M). Every
 * value is checked. RF_EUSAGE names the value that is wrong.
 */
int grid_add(struct grid *g, const struct knob_table *knobs, const char *text,
             struct rf_err *err) RF_MUST_CHECK;
/* RF_EUSAGE if a value stands twice in an axis, however it is written; with axes that go along, if
 * all of their values do. */
int grid_check(const struct grid *g, struct rf_err *err) RF_MUST_CHECK;
/* Adds an axis that goes along with the one before it: as many values, taken together. */
int grid_add_along(struct grid *g, const struct knob_table *knobs, const char *text,
                   struct rf_err *err) RF_MUST_CHECK;
void grid_free(struct grid *g);
/* Number of points, 1 for an empty grid; SIZE_MAX if too many to count. */
size_t grid_points(const struct grid *g);
/* Values of point `index` into out[0..g->n). */
void grid_point(const struct grid *g, size_t index, struct setting *out);

#endif
