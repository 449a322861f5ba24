/* SPDX-License-Identifier: Apache-2.0 */
/* reports: a whole page for the result of a command. */
#ifndef SIM_HTML_REPORTS_H
#define SIM_HTML_REPORTS_H

#include "activity.h"
#include "config/knobs.h"
#include "html/charts.h"

/* One run: summary, time series, map of accesses, latencies, classes, counters, knobs. */
int html_replay(FILE *f, const struct replay_result *r, const struct activity *a,
                const struct knob_table *knobs, const char *trace_name,
                struct rf_err *err) RF_MUST_CHECK;

/* One row of a sweep. */
struct sweep_row {
    const char *const *cells; /* texts in the columns */
    const char *outcome;      /* "done", "oom" or "failed" */
    const struct value_list *values;
};
/* Results that differ by what stands in their columns (knobs, trace, scenario). */
struct sweep_view {
    const char *const *columns;
    size_t nr_columns;
    const struct sweep_row *rows;
    size_t nr_rows;
};
/* A sweep: lines and heat maps of each metric, what is weighed against what, all rows. */
int html_sweep(FILE *f, const struct sweep_view *v, struct rf_err *err) RF_MUST_CHECK;

/* Experiments, an array of repro_json(): published and simulated figures side by side. */
int html_repro(FILE *f, const json_t *results, struct rf_err *err) RF_MUST_CHECK;

/* The result of validate_json(): errors by counter and case. */
int html_validate(FILE *f, const json_t *result, struct rf_err *err) RF_MUST_CHECK;

/* What tune writes as JSON: the best point, the metric against the others, the points run whole. */
int html_tune(FILE *f, const json_t *result, struct rf_err *err) RF_MUST_CHECK;

/* What mrc writes as JSON: misses and stalled time over memory. */
int html_mrc(FILE *f, const json_t *result, struct rf_err *err) RF_MUST_CHECK;

/* What compare writes as JSON: bars side by side, ratios, all values. */
int html_compare(FILE *f, const json_t *result, struct rf_err *err) RF_MUST_CHECK;

/* Figure of replay pages: the map. */
void chart_activity(struct page *p, const struct activity *a);

#endif
