/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points: what a sweep consists of. A plan has rows (trace x scenario x point of the grid, as far
 * as the conditions hold), in the order in which results are shown; and points: the distinct
 * simulations among the rows, each with a name that depends on nothing but the trace, the effective
 * knobs and the version of refault.
 */
#ifndef SIM_SWEEP_POINTS_H
#define SIM_SWEEP_POINTS_H

#include "sweep/grid.h"
#include "sweep/scenarios.h"
#include "sweep/where.h"

#define POINT_NAME_LEN 32u

struct plan_trace {
    const char *path;
    char name[256]; /* as it is shown */
    struct trace_info info;
};

struct plan_row {
    uint32_t trace, scenario;
    size_t at; /* in the grid */
    size_t point;
};

struct plan_point {
    char name[POINT_NAME_LEN + 1];
    size_t row; /* the first that has it */
};

struct plan {
    /* Set by the caller, and kept as long as the plan. */
    const struct settings *settings;
    const struct grid *grid;           /* may be empty */
    const struct scenarios *scenarios; /* may be empty */
    const struct where *where;         /* all must hold */
    size_t nr_where;
    bool verify, check;

    struct plan_trace *traces;
    size_t nr_traces;
    struct plan_row *rows;
    size_t nr_rows;
    struct plan_point *points;
    size_t nr_points;
};

/* Opens the traces and lays out rows and points. RF_EUSAGE if no row is left, RF_ELIMIT for too
 * many. A row whose knobs contradict each other is kept: it fails when it is run. */
int plan_make(struct plan *p, const char *const *traces, size_t n,
              struct rf_err *err) RF_MUST_CHECK;
void plan_free(struct plan *p);

/* The configuration of a row. Errors are those of settings_resolve(). */
int plan_config(const struct plan *p, size_t row, struct machine_config *out,
                struct rf_err *err) RF_MUST_CHECK;
/* Titles of the columns that tell rows apart (trace if there are several, scenario if there are
 * any, the keys of the grid), and a row's texts in them. Returns how many; out may be NULL. */
size_t plan_columns(const struct plan *p, const char **out);
size_t plan_cells(const struct plan *p, size_t row, const char **out);

#endif
