/* SPDX-License-Identifier: Apache-2.0 */
/* The dynamic shrinker of 6.8+, called with slab shrinking ("zswap: shrink zswap pool based on
 * memory pressure", Nov 2023; mm/zswap.c and mm/shrinker.c 6.12). */
#include "zswap_internal.h"

#define SHRINK_BATCH 128u /* include/linux/shrinker.h 6.12 */
#define DEFAULT_SEEKS 2u  /* likewise */

static bool shrinker_on(const struct zswap *z, uint32_t memcg) {
    return z->policy.shrinker && z->knobs.shrinker_enabled && zswap_writeback_allowed(z, memcg);
}

/* floor(x * n / d) without overflow for x < 2^32 and n, d below 2^32. */
static uint64_t mult_frac(uint64_t x, uint64_t n, uint64_t d) {
    return x / d * n + x % d * n / d;
}

uint64_t zswap_shrinker_count(struct zswap *z, uint32_t memcg) {
    struct zswap_lru *l = zswap_lru_of(z, memcg);
    uint64_t backing = zswap_total_pages(z), stored = z->c.stored_pages, freeable = l->nr, used;

    if (!shrinker_on(z, memcg))
        return 0;
    if (z->host->memcg_stats) {
        z->host->memcg_stats(z->host_ctx, memcg, &backing, &stored);
        backing >>= RF_PAGE_SHIFT;
    }
    if (!stored)
        return 0;
    used = RF_MIN(l->protection, freeable);
    if (z->policy.protect == ZSWAP_PROTECT_SECOND_CHANCE)
        l->protection -= used; /* counting consumes the disk swap-ins */
    if (z->policy.protect != ZSWAP_PROTECT_NONE)
        freeable -= used;
    return mult_frac(freeable, backing, stored);
}

bool zswap_shrinker_scan(struct zswap *z, struct sim_cpu *cpu, uint32_t memcg, uint64_t nr,
                         uint64_t *written) {
    struct zswap_lru *l = zswap_lru_of(z, memcg);
    bool met_exists = false;

    *written = 0;
    if (!shrinker_on(z, memcg))
        return false;
    /* unsigned, so that a batch larger than the list passes */
    if (z->policy.protect == ZSWAP_PROTECT_COUNTER && l->protection >= l->nr - nr)
        return false;
    *written = zswap_lru_walk(z, cpu, memcg, &nr, true, &met_exists);
    return *written && !met_exists;
}

uint64_t zswap_shrink_amount(uint64_t count, uint32_t priority, uint64_t deferred) {
    uint64_t total = (deferred >> priority) + (count >> priority) * 4 / DEFAULT_SEEKS;

    return RF_MIN(total, 2 * count);
}

uint64_t zswap_shrink_batches(uint64_t count, uint64_t amount) {
    uint64_t scanned = 0;

    while (amount >= SHRINK_BATCH || (amount && amount >= count)) {
        uint64_t nr = RF_MIN(amount, SHRINK_BATCH);

        amount -= nr;
        scanned += nr;
    }
    return scanned;
}

uint64_t zswap_shrink_slab(struct zswap *z, struct sim_cpu *cpu, uint32_t memcg, uint32_t priority,
                           uint64_t *scanned) {
    struct zswap_lru *l = zswap_lru_of(z, memcg);
    uint64_t count = zswap_shrinker_count(z, memcg), delta, total, done = 0, freed = 0;
    bool go_on = true;

    if (scanned)
        *scanned = 0;
    if (!count)
        return 0;
    delta = (count >> priority) * 4 / DEFAULT_SEEKS;
    total = zswap_shrink_amount(count, priority, l->deferred);
    while (go_on && (total >= SHRINK_BATCH || (total && total >= count))) {
        uint64_t nr = RF_MIN(total, SHRINK_BATCH), written;

        go_on = zswap_shrinker_scan(z, cpu, memcg, nr, &written);
        freed += written;
        if (go_on) {
            total -= nr;
            done += nr;
        }
    }
    l->deferred = l->deferred + delta > done ? l->deferred + delta - done : 0;
    l->deferred = RF_MIN(l->deferred, 2 * count);
    if (scanned)
        *scanned = done;
    return freed;
}
