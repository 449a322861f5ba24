/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mrc: the miss ratios of an LRU memory at all sizes, from one pass over a trace.
 *
 * Pages are those of the trace: what a forked child shares counts as pages of its own from its
 * first access on. Freed pages leave memory at once.
 */
#ifndef SIM_MRC_MRC_H
#define SIM_MRC_MRC_H

#include "trace/sample.h"

struct mrc {
    uint64_t accesses; /* of the whole trace */
    double rate;       /* share of the pages looked at; 1 = all, and the curve is exact */
    double cold;       /* first accesses, misses at every size */
    double hot;     /* what sampling missed of accesses to the hottest pages, hits at every size */
    double *reuses; /* n: scaled accesses that hit in a memory that holds n of the sampled pages */
    uint64_t max_held; /* of reuses; no memory can hold more and hit more often */
};

/* Reads the trace once, from its start. With a rate below 1 pages are sampled by their hash, and
 * distances and counts scaled, the counts to the number of accesses that there really were (SHARDS
 * with its adjustment; Waldspurger and others, FAST 2015). */
int mrc_measure(struct trace_reader *r, double rate, uint64_t seed, struct mrc *out,
                struct rf_err *err) RF_MUST_CHECK;
void mrc_free(struct mrc *m);
/* Accesses that miss in an LRU memory of so many pages, first accesses included. */
double mrc_misses(const struct mrc *m, uint64_t pages);

#endif
