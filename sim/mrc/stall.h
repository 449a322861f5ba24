/* SPDX-License-Identifier: Apache-2.0 */
/* stall: how long a workload would wait at each of a list of memory sizes, from miniatures. */
#ifndef SIM_MRC_STALL_H
#define SIM_MRC_STALL_H

#include "replay.h"
#include "sweep/grid.h"

struct stall_point {
    double stall_ns, elapsed_ns; /* estimates for the whole */
    bool oom;
    bool exact; /* the whole was run, too */
    uint64_t exact_stall_ns;
    bool exact_oom;
};

struct stall_curve {
    struct stall_point *points; /* one a value of the grid's axis */
    size_t n;
    double rate, ratio;     /* asked for, and what the sample's footprint came to */
    uint64_t sampled_pages; /* footprint of the sample */
    double median, worst;   /* relative errors where the whole was run as well */
    size_t nr_exact, worst_at;
};

struct stall_params {
    const struct settings *settings;
    const struct grid *sizes; /* one axis: memory.max */
    double rate;              /* 0: so that about 64 Ki pages are sampled; 1: everything */
    uint64_t seed;
    unsigned threads;
    size_t exact; /* sizes at which the whole is run, too: evenly spread */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *ctx;
};

/* The error of a point is |estimate - exact| / max(exact, 1 % of the largest exact stall): where
 * nearly nothing stalls a ratio says nothing. Points that end out of memory have none. */
int stall_curve(const char *trace, const struct stall_params *p, struct stall_curve *out,
                struct rf_err *err) RF_MUST_CHECK;
void stall_curve_free(struct stall_curve *c);

#endif
