/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep: runs every point of a grid over every trace on several threads. Results stand in the
 * order of traces and points whatever the number of threads; contents are shared, so that each
 * page is compressed once.
 */
#ifndef SIM_SWEEP_SWEEP_H
#define SIM_SWEEP_SWEEP_H

#include "replay.h"
#include "sweep/grid.h"

struct sweep_point {
    struct replay_result result; /* valid if err.code is 0 */
    struct rf_err err;
};

struct sweep {
    const struct settings *settings;
    const struct grid *grid;
    const char *const *traces; /* paths */
    size_t nr_traces;
    unsigned threads;
    bool verify, check;
    bool keep_classes; /* for the JSON result */
    /* Called after each point, by one thread at a time. */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *ctx;

    struct sweep_point *points; /* nr_traces * grid points, traces outermost */
    size_t nr_points;
};

/* RF_OK also if points failed: their err says why. Other codes: nothing could be run. */
int sweep_run(struct sweep *s, struct rf_err *err) RF_MUST_CHECK;
void sweep_free(struct sweep *s);

#endif
