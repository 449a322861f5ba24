/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants of zswap. */
#include "zswap_internal.h"

#define ULL(x) ((unsigned long long)(x))

struct tally {
    uint64_t live, same, raw, bytes, on_lru;
};

static int check_entries(const struct zswap *z, struct tally *t, struct rf_err *err) {
    const struct zswap_counters *c = &z->c;
    uint32_t s;

    for (s = 0; s < z->seen; s++) {
        const struct zswap_entry *e = &z->entry[s];
        bool want_lru = z->policy.entry_lru && !(e->flags & ENTRY_SAME);

        if (!(e->flags & ENTRY_LIVE)) {
            if (e->flags)
                return rf_fail(err, RF_ECHECK, "zswap: dead entry %u has flags 0x%x", s, e->flags);
            continue;
        }
        t->live++;
        t->same += (e->flags & ENTRY_SAME) != 0;
        t->raw += (e->flags & ENTRY_RAW) != 0;
        t->bytes += e->length;
        t->on_lru += (e->flags & ENTRY_ON_LRU) != 0;
        if (((e->flags & ENTRY_ON_LRU) != 0) != want_lru ||
            ((e->flags & ENTRY_SAME) != 0) != (e->length == 0))
            return rf_fail(err, RF_ECHECK, "zswap: entry %u: flags 0x%x, length %u", s, e->flags,
                           e->length);
    }
    if (t->live != c->stored_pages || t->same != c->same_filled_pages ||
        t->raw != c->stored_incompressible_pages || t->bytes != z->stored_bytes)
        return rf_fail(err, RF_ECHECK,
                       "zswap: stored_pages %llu, same_filled_pages %llu, incompressible %llu, "
                       "%llu bytes; found %llu, %llu, %llu, %llu",
                       ULL(c->stored_pages), ULL(c->same_filled_pages),
                       ULL(c->stored_incompressible_pages), ULL(z->stored_bytes), ULL(t->live),
                       ULL(t->same), ULL(t->raw), ULL(t->bytes));
    return RF_OK;
}

static int check_lrus(const struct zswap *z, uint64_t on_lru, struct rf_err *err) {
    uint64_t total = 0;
    uint32_t m;

    for (m = 0; m < ZSWAP_MAX_MEMCGS; m++) {
        const struct zswap_lru *l = &z->lru[m];
        uint32_t s, prev = ENTRY_NONE;
        uint64_t nr = 0;

        for (s = l->oldest; s != ENTRY_NONE; s = z->entry[s].next) {
            const struct zswap_entry *e = &z->entry[s];

            if (!(e->flags & ENTRY_ON_LRU) || e->prev != prev || ++nr > l->nr ||
                (z->policy.shrink_mode == ZSWAP_SHRINK_MEMCG && e->memcg != m))
                return rf_fail(err, RF_ECHECK,
                               "zswap: LRU %u: entry %u (memcg %u, flags 0x%x) is out of place", m,
                               s, e->memcg, e->flags);
            prev = s;
        }
        if (nr != l->nr || prev != l->youngest)
            return rf_fail(err, RF_ECHECK, "zswap: LRU %u has %llu entries, found %llu", m,
                           ULL(l->nr), ULL(nr));
        total += nr;
    }
    if (total != on_lru)
        return rf_fail(err, RF_ECHECK, "zswap: %llu entries on LRUs, %llu are marked so",
                       ULL(total), ULL(on_lru));
    return RF_OK;
}

static int check_pools(const struct zswap *z, uint64_t objects, struct rf_err *err) {
    uint64_t pages = 0, live = 0;
    uint32_t b;

    for (b = 0; b < z->nr_backends; b++) {
        int rc = z->backend[b]->ops->check(z->backend[b], err);

        if (rc)
            return rc;
        pages += z->backend[b]->ops->total_pages(z->backend[b]);
        live += z->backend[b]->ops->live_objects(z->backend[b]);
    }
    if (pages != z->live_pages || live != objects)
        return rf_fail(err, RF_ECHECK,
                       "zswap: %llu pool pages and %llu objects expected, pools have %llu and %llu",
                       ULL(z->live_pages), ULL(objects), ULL(pages), ULL(live));
    return RF_OK;
}

static int check_identities(const struct zswap *z, struct rf_err *err) {
    const struct zswap_counters *c = &z->c;
    uint64_t refused = c->x_reject_hysteresis + c->x_reject_memcg + c->x_reject_stillfull +
                       c->x_reject_disabled + c->x_reject_full + c->x_reject_reclaim +
                       c->x_reject_unsame + c->x_reject_compress + c->x_reject_poor +
                       c->x_reject_alloc + c->x_reject_large + c->x_reject_folio +
                       c->reject_kmemcache_fail;
    uint64_t gone = c->x_erased_on_load + c->x_invalidated + c->written_back_pages + c->x_replaced +
                    c->x_erased_on_refuse + c->x_undone;
    /* a folio that was undone counted its stored pages as stores and as refusals of the folio */
    if (c->x_attempts != c->x_stores - c->x_undone + refused)
        return rf_fail(err, RF_ECHECK, "zswap: %llu attempts are not %llu stores + %llu refusals",
                       ULL(c->x_attempts), ULL(c->x_stores - c->x_undone), ULL(refused));
    if (c->x_stores != c->stored_pages + gone)
        return rf_fail(err, RF_ECHECK, "zswap: %llu stores are not %llu entries + %llu gone",
                       ULL(c->x_stores), ULL(c->stored_pages), ULL(gone));
    return RF_OK;
}

int zswap_check(const struct zswap *z, struct rf_err *err) {
    struct tally t = {0};
    int rc = check_entries(z, &t, err);

    if (!rc)
        rc = check_lrus(z, t.on_lru, err);
    if (!rc)
        rc = check_pools(z, t.live - t.same, err);
    if (!rc)
        rc = check_identities(z, err);
    return rc;
}
