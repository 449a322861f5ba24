/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen: deterministic synthetic workloads. zipf.h draws page numbers, workload.h writes traces.
 *
 * Zipf's law over n pages: the page of rank i (from 1) is drawn with a probability proportional to
 * 1 / i^theta. Ranks are spread over the page numbers by a fixed permutation. One draw is one
 * number of the PRNG and one or two lines of a table: Walker's alias method (A. J. Walker, "An
 * Efficient Method for Generating Discrete Random Variables with General Distributions", ACM TOMS
 * 3(3), 1977), with the table built as M. D. Vose does (IEEE TSE 17(9), 1991).
 */
#ifndef REFAULT_GEN_ZIPF_H
#define REFAULT_GEN_ZIPF_H

#include "refault/base.h"

struct zipf_slot {
    uint32_t threshold; /* of the draw's low 32 bits: below it `page`, else `alias` */
    uint32_t page, alias;
};

struct zipf {
    uint32_t n;
    struct zipf_slot *slots;
};

/* n pages from 1 to 2^28, theta from 0 to 10. The permutation depends on n alone. */
int zipf_init(struct zipf *z, uint32_t n, double theta, struct rf_err *err) RF_MUST_CHECK;
void zipf_free(struct zipf *z);

/* The next page number, 0 <= page < n. */
static inline uint32_t zipf_next(const struct zipf *z, struct rf_rng *rng) {
    uint64_t u = rf_rng_next(rng);
    const struct zipf_slot *s = &z->slots[((u >> 32) * z->n) >> 32];
    return (uint32_t)u < s->threshold ? s->page : s->alias;
}

/* The page that has a rank (0 = hottest), and the reverse is not kept. For tests and reports;
 * repeats the permutation, O(n). */
int zipf_permutation(uint32_t n, uint32_t *page_of_rank, struct rf_err *err) RF_MUST_CHECK;

#endif
