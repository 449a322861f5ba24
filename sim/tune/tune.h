/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune: the best point of a grid without running all of it. All points run in miniature
 * (mrc/miniature.h), the better ones in a larger miniature, the best ones whole: successive
 * halving, Jamieson and Talwalkar: "Non-stochastic Best Arm Identification and Hyperparameter
 * Optimization" (AISTATS 2016). All share one sample, so what its choice does to one it does to
 * all. Which points run whole is told in search.h.
 */
#ifndef SIM_TUNE_TUNE_H
#define SIM_TUNE_TUNE_H

#include "sweep/grid.h"
#include "tune/metric.h"

#define TUNE_MAX_METRICS 8u
#define TUNE_MAX_BOUNDS 16u
#define TUNE_MAX_VALUES (TUNE_MAX_METRICS + TUNE_MAX_BOUNDS)

struct tune_params {
    const char *trace;
    const struct settings *settings;
    const struct grid *grid;
    struct metric metrics[TUNE_MAX_METRICS]; /* [0] is minimised; the front is over all of them */
    size_t nr_metrics;
    const struct bound *bounds; /* at most TUNE_MAX_BOUNDS; all must hold */
    size_t nr_bounds;
    size_t exact;     /* whole runs at most; 0 = a fifth of the grid, at least 8 */
    unsigned threads; /* change no result */
    uint64_t seed;    /* of the samples */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *ctx;
};

/* Values are those of the metrics, then what the bounds are of. */
struct tune_point {
    double guess[TUNE_MAX_VALUES]; /* from the largest miniature that it ran in */
    double value[TUNE_MAX_VALUES]; /* of the whole run, with `exact` */
    double violation;              /* of all bounds in sum: exact, or else guessed; 0 holds */
    bool exact, oom, failed;       /* oom: where it ran last */
    bool guessed_oom;              /* oom in a miniature */
    bool front;                    /* exact, all bounds hold, and no other is better in all */
};

struct tune_rung {
    double rate;
    size_t points;
};

struct tune_result {
    struct tune_point *points; /* of the grid */
    size_t n, nr_exact, nr_failed;
    struct tune_rung rungs[2];
    size_t nr_rungs;
    size_t best; /* SIZE_MAX: no point keeps the bounds, or all ran out of memory */
    struct rf_err first_failure;
};

/* RF_OK also if no point keeps the bounds. */
int tune_run(const struct tune_params *p, struct tune_result *out,
             struct rf_err *err) RF_MUST_CHECK;
void tune_result_free(struct tune_result *r);

#endif
