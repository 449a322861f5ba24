/* SPDX-License-Identifier: Apache-2.0 */
/* zsmalloc's size classes: pure functions of the era's policy. */
#include "zs_internal.h"

#define ZS_MIN_ALLOC 32u /* mm/zsmalloc.c 6.1 */

/* Pages of a zspage for objects of `size` bytes. */
static uint32_t chain_length(const struct zs_policy *policy, uint32_t size, uint32_t page_size) {
    uint32_t best = 1, best_score = 0;
    if (policy->least_waste && (size & (size - 1)) == 0)
        return 1;
    for (uint32_t k = 1; k <= policy->chain_size; k++) {
        uint32_t total = k * page_size, waste = total % size;
        /* A larger score wins and ties go to the shorter chain. Waste is below page_size, so
         * its complement orders the same way as "least waste". */
        uint32_t score = policy->least_waste ? page_size - waste
                                             : (uint32_t)((uint64_t)(total - waste) * 100 / total);
        if (score > best_score) {
            best = k;
            best_score = score;
        }
    }
    return best;
}

void zs_class_table_init(struct zs_class_table *t, const struct zs_policy *policy,
                         uint32_t page_size) {
    uint32_t delta = page_size >> 8;
    memset(t, 0, sizeof(*t));
    t->policy = *policy;
    t->policy.chain_size = RF_MAX(1u, RF_MIN(policy->chain_size, (uint32_t)ZPOOL_MAX_CHAIN));
    t->page_size = page_size;
    while (1u << t->step_shift < delta)
        t->step_shift++;
    t->nr_raw = (page_size - ZS_MIN_ALLOC + delta - 1) / delta + 1;

    /* From the largest raw class down; filled from the array's end, then moved to its front. */
    uint32_t pos = t->nr_raw;
    for (uint32_t i = t->nr_raw; i-- > 0;) {
        uint32_t size = RF_MIN(ZS_MIN_ALLOC + i * delta, page_size);
        uint32_t k = chain_length(&t->policy, size, page_size);
        uint32_t n = k * page_size / size;
        if (t->watermark == 0 && k != 1 && n != 1)
            t->watermark = size;
        if (pos == t->nr_raw || t->cls[pos].pages_per_zspage != k ||
            t->cls[pos].objs_per_zspage != n) {
            struct zs_class_info *c = &t->cls[--pos];
            c->index = i;
            c->size = size;
            c->pages_per_zspage = (uint16_t)k;
            c->objs_per_zspage = (uint16_t)n;
        }
        t->lookup[i] = (uint16_t)pos;
    }
    t->nr = t->nr_raw - pos;
    memmove(t->cls, t->cls + pos, t->nr * sizeof(t->cls[0]));
    for (uint32_t i = 0; i < t->nr_raw; i++)
        t->lookup[i] = (uint16_t)(t->lookup[i] - pos);
}

uint32_t zs_class_of(const struct zs_class_table *t, uint32_t len) {
    uint32_t need = len + ZS_HANDLE_SIZE, step = (1u << t->step_shift) - 1;
    uint32_t raw = need <= ZS_MIN_ALLOC ? 0 : (need - ZS_MIN_ALLOC + step) >> t->step_shift;
    return t->lookup[RF_MIN(raw, t->nr_raw - 1)];
}

uint32_t zs_huge_class_size(const struct zs_class_table *t) {
    return t->watermark - ZS_HANDLE_SIZE + 1;
}
