/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lockstep: many machines over one trace, on several threads. They advance together: each block of
 * the trace is read and decoded once for all of them, whatever their number. Where configurations
 * differ in cost, threads take over the machines that others have no time for.
 */
#ifndef SIM_SWEEP_LOCKSTEP_H
#define SIM_SWEEP_LOCKSTEP_H

#include "replay.h"

struct lockstep_point {
    struct machine_config config;
    struct replay_result result; /* once finished, if err.code is RF_OK */
    struct rf_err err;
};

struct lockstep_opts {
    unsigned threads; /* 0 = 1 */
    /* After a point is finished or has failed; called by one thread at a time, in no particular
     * order. It may take the result over, or free it. May be NULL. */
    void (*done)(void *ctx, size_t index);
    void *ctx;
};

/*
 * Runs n points over a trace. Results are those of single replays, whatever the number of threads.
 * A point that fails has its own err and stops no other. Other codes than RF_OK: nothing could be
 * run. Contents are those of the trace (trace_load_content()); they are shared, so that each page
 * is compressed once. Two groups of up to 16 machines, or 4 a thread, exist at a time, fewer where
 * they would take more than 1 GiB by their numbers of pages, but never fewer than threads.
 */
int lockstep_run(const char *trace, struct content_set *contents, struct lockstep_point *points,
                 size_t n, const struct lockstep_opts *opts, struct rf_err *err) RF_MUST_CHECK;

#endif
