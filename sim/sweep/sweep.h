/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep: runs the points of a plan that have no result yet, on several threads, and keeps each
 * result in a journal as it comes. What runs machines is lockstep.h; what the points are, where
 * results go and what they look like is here, in points.h, journal.h and results.h.
 */
#ifndef SIM_SWEEP_SWEEP_H
#define SIM_SWEEP_SWEEP_H

#include "sweep/results.h"

struct sweep {
    const struct plan *plan;
    unsigned threads;
    unsigned shard, shards; /* 1-based; shards 0 = all points */
    const char *journal;    /* path, NULL = none */
    bool resume;            /* with a journal that has something in it */
    /* Called after each point, by one thread at a time. */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *ctx;

    struct results results; /* filled by sweep_run() */
    size_t nr_run;          /* points that were run now */
    size_t nr_found;        /* points, of the shard if there are shards, that the journal had */
    uint64_t dropped;       /* damaged lines of the journal */
};

/* RF_OK also if points failed: their records say why. Other codes: nothing could be run, and
 * sweep_free() need not be called. */
int sweep_run(struct sweep *s, struct rf_err *err) RF_MUST_CHECK;
void sweep_free(struct sweep *s);

#endif
