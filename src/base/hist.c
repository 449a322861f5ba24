/* SPDX-License-Identifier: Apache-2.0 */
#include "refault/base.h"

/*
 * Values below 16 have a bucket each. From there on each power of two [2^e, 2^(e+1)) is cut into
 * 16 equal buckets, so that bucket number (e - 3) * 16 + k holds [2^e + k * 2^(e-4), ...); the
 * last, for e = 63 and k = 15, is number 975.
 */
static unsigned log2_floor(uint64_t v) {
#if defined(__GNUC__)
    return 63u - (unsigned)__builtin_clzll(v);
#else
    unsigned e = 0;

    while (v >>= 1)
        e++;
    return e;
#endif
}

static unsigned bucket_of(uint64_t v) {
    unsigned e;

    if (v < 16)
        return (unsigned)v;
    e = log2_floor(v);
    return (e - 3) * 16 + (unsigned)(v >> (e - 4) & 15);
}

static uint64_t bucket_top(unsigned b) {
    unsigned e = b / 16 + 3;

    if (b < 16)
        return b;
    /* The topmost bucket ends at 2^64 - 1: the sum wraps to 0 and the decrement to the maximum. */
    return (((uint64_t)(b % 16 + 16 + 1)) << (e - 4)) - 1;
}

void rf_hist_add(struct rf_hist *h, uint64_t v) {
    h->n++;
    h->sum += v;
    if (v > h->max)
        h->max = v;
    h->bucket[bucket_of(v)]++;
}

void rf_hist_merge(struct rf_hist *into, const struct rf_hist *from) {
    into->n += from->n;
    into->sum += from->sum;
    if (from->max > into->max)
        into->max = from->max;
    for (unsigned i = 0; i < RF_HIST_BUCKETS; i++)
        into->bucket[i] += from->bucket[i];
}

uint64_t rf_hist_quantile(const struct rf_hist *h, double q) {
    uint64_t rank, seen = 0;
    double want = q * (double)h->n;

    if (h->n == 0)
        return 0;
    rank = want >= (double)h->n ? h->n : (uint64_t)want;
    if ((double)rank < want && rank < h->n)
        rank++;
    if (rank == 0)
        rank = 1;
    for (unsigned i = 0; i < RF_HIST_BUCKETS; i++) {
        seen += h->bucket[i];
        if (seen >= rank)
            return RF_MIN(bucket_top(i), h->max);
    }
    return h->max;
}
