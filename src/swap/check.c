/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants of a swap area. */
#include "swap_internal.h"

static int check_clusters(const struct swap_area *a, struct rf_err *err) {
    const struct swap_alloc *al = a->alloc;
    uint32_t d, i;

    for (d = 0; d < al->nr_dense; d++) {
        uint32_t c = al->rev[d], used = 0;

        for (i = 0; i < SWAP_CLUSTER_SLOTS; i++)
            used += a->meta[((size_t)d << CLUSTER_SHIFT) + i].map != 0;
        if (al->cluster[c].dense != d + 1 || al->cluster[c].count != used)
            return rf_fail(err, RF_ECHECK,
                           "swap: cluster %u has count %u and storage %u; %u bytes are set in "
                           "storage %u",
                           c, al->cluster[c].count, al->cluster[c].dense - 1, used, d);
    }
    return RF_OK;
}

static int check_caches(const struct swap_area *a, struct rf_err *err) {
    const struct swap_alloc *al = a->alloc;
    uint64_t parked = 0;
    uint32_t c, i;

    for (c = 0; c < a->p.cpus; c++) {
        const struct swap_cpu *sc = &al->cpu[c];

        parked += (uint64_t)sc->nr + sc->nr_ret;
        for (i = 0; i < (uint32_t)sc->nr + sc->nr_ret; i++) {
            uint32_t s = i < sc->nr ? sc->slots[sc->cur + i] : sc->ret[i - sc->nr];

            if (a->meta[s].map != SWAP_HAS_CACHE)
                return rf_fail(err, RF_ECHECK,
                               "swap: slot %u in the cache of CPU %u has map byte 0x%x", s, c,
                               a->meta[s].map);
        }
    }
    if (parked != al->parked)
        return rf_fail(err, RF_ECHECK, "swap: %llu slots counted in caches, found %llu",
                       (unsigned long long)al->parked, (unsigned long long)parked);
    return RF_OK;
}

int swap_area_check(const struct swap_area *a, struct rf_err *err) {
    const struct swap_alloc *al = a->alloc;
    uint64_t used = 0, returned = 0, s;
    int rc;

    for (s = 0; s < al->seen; s++) {
        const struct swap_slot_meta *m = &a->meta[s];

        if (m->map == MAP_BAD)
            continue;
        used += m->map != 0;
        returned += (m->flags & SLOT_IN_RETURN) != 0;
        if (((m->map & MAP_CONTINUED) != 0) != (al->extra[s] != 0))
            return rf_fail(err, RF_ECHECK, "swap: slot %llu: map byte 0x%x with %u more references",
                           (unsigned long long)s, m->map, al->extra[s]);
    }
    if (used != al->inuse || returned != al->parked_ret)
        return rf_fail(err, RF_ECHECK,
                       "swap: %llu slots in use and %llu returned, found %llu and %llu",
                       (unsigned long long)al->inuse, (unsigned long long)al->parked_ret,
                       (unsigned long long)used, (unsigned long long)returned);
    if (a->free_slots + al->inuse != a->total_slots)
        return rf_fail(err, RF_ECHECK, "swap: %llu free + %llu in use is not the total of %llu",
                       (unsigned long long)a->free_slots, (unsigned long long)al->inuse,
                       (unsigned long long)a->total_slots);
    rc = check_caches(a, err);
    if (!rc && !al->identity)
        rc = check_clusters(a, err);
    if (!rc)
        rc = al->ops->check(a, err);
    return rc;
}
