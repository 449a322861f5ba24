/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REFAULT_TRACE_SAMPLE_H
#define REFAULT_TRACE_SAMPLE_H

#include "refault/trace.h"

#define SAMPLE_MAX_GROUP 512u

struct trace_sample_params {
    double rate;    /* 0 < rate <= 1: share of the groups that is kept */
    uint32_t group; /* pages that are kept or dropped together: a power of two up to 512 */
    uint64_t seed;
    int zstd_level; /* 0 = default */
};

/*
 * Which pages a sample keeps: aligned groups whose hash is below the rate, as SHARDS samples
 * (Waldspurger, Park, Garthwaite, Ahmad: "Efficient MRC Construction with SHARDS", FAST 2015).
 * The blocks of a forked child are sampled like those that they copy, so that what is shared
 * stays shared.
 */
struct page_sampler {
    uint64_t threshold, seed;
    unsigned shift;
    struct rf_varr root; /* block: 1 + the block that its ids are hashed as; 0 = itself */
};
/* For a trace of so many blocks. RF_EUSAGE names the parameter that is out of range. */
int page_sampler_init(struct page_sampler *s, const struct trace_sample_params *p, uint32_t blocks,
                      struct rf_err *err) RF_MUST_CHECK;
void page_sampler_free(struct page_sampler *s);
/* Follows forks; to be called with every event in order. */
void page_sampler_event(struct page_sampler *s, const struct trace_event *e);

static inline bool page_sampled(const struct page_sampler *s, uint32_t id) {
    uint32_t root = ((const uint32_t *)s->root.base)[id >> 9];
    uint64_t key = root ? (uint64_t)(root - 1) << 9 | (id & 511) : id;
    return rf_mix64((key >> s->shift) + s->seed) <= s->threshold;
}

/* Ranges of 2 MiB with an accessed page: the page tables that a machine would have. They do not
 * shrink with the sample. Taken where most tables of the sample exist at one time. */
struct trace_sample_tables {
    uint32_t whole, sampled;
};

/*
 * Writes the accesses and contents of the sampled pages to a trace of its own, with all processes
 * and mappings. Recorded times between accesses shrink by the rate, so that a replay with memory,
 * pool and swap scaled by the same factor is a miniature of the whole. tables may be NULL.
 */
int trace_sample(const char *in, const char *out, const struct trace_sample_params *p,
                 struct trace_sample_tables *tables, struct rf_err *err) RF_MUST_CHECK;

#endif
