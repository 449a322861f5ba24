/* SPDX-License-Identifier: Apache-2.0 */
/*
 * miniature: a sample of a trace, and machines scaled to it. Waldspurger, Saemundsson, Ahmad, Park:
 * "Cache Modeling and Optimization using Miniature Simulations" (USENIX ATC 2017) does so for
 * caches; here the whole path shrinks. What a miniature spends times 1 / ratio is what the whole
 * would spend.
 */
#ifndef SIM_MRC_MINIATURE_H
#define SIM_MRC_MINIATURE_H

#include "config/settings.h"
#include "scratch.h"
#include "trace/sample.h"

struct miniature {
    struct scratch sample; /* not open if the rate was 1 */
    double ratio;          /* footprint of the sample / footprint of the whole */
    uint64_t extra_tables; /* pages of page tables that the sample has beyond that ratio */
    struct trace_info whole;
};
/* Writes the sample of `trace` below $TMPDIR (/tmp). `group`: pages kept together, so that
 * readahead finds its neighbours. RF_EUSAGE if nothing is left at this rate. */
int miniature_make(struct miniature *m, const char *trace, double rate, uint32_t group,
                   uint64_t seed, struct rf_err *err) RF_MUST_CHECK;
void miniature_free(struct miniature *m);
/* The path to replay: the sample, or `trace` if all of it is kept. */
const char *miniature_path(const struct miniature *m, const char *trace);
/* Shrinks what c says in bytes, and periods; percentages are of the sample's footprint already.
 * Limits of memory get room for the page tables, which do not shrink. */
void miniature_scale(const struct miniature *m, struct machine_config *c);
/* Pages that have to be sampled together for c: a readahead window, or a huge page. */
uint32_t miniature_group(const struct machine_config *c);

#endif
