/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slot allocator of 6.12 and later: clusters on lists by order and fullness
 * (cluster_alloc_swap_entry(), mm/swapfile.c 6.12).
 */
#include "swap_internal.h"

static struct cluster_head *head_of(struct swap_alloc *al, uint32_t c) {
    struct swap_cluster *cl = &al->cluster[c];

    switch (cl->list) {
    case CL_FREE:
        return &al->free;
    case CL_FULL:
        return &al->full;
    case CL_NONFULL:
        return &al->nonfull[cl->order];
    case CL_FRAG:
        return &al->frag[cl->order];
    default:
        return NULL;
    }
}

static void move_to(struct swap_alloc *al, uint32_t c, struct cluster_head *to, uint8_t id) {
    struct cluster_head *from = head_of(al, c);

    if (from)
        cluster_list_del(al, from, c);
    cluster_list_add_tail(al, to, c, id);
}

/* Clusters with bad slots start on nonfull[0] when the area has just been created. */
static void add_partial_clusters(struct swap_area *a) {
    struct swap_alloc *al = a->alloc;
    uint32_t last = al->nr_clusters - 1;

    if (cluster_bad_slots(a, 0) < SWAP_CLUSTER_SLOTS)
        cluster_list_add_tail(al, &al->nonfull[0], 0, CL_NONFULL);
    if (last && cluster_bad_slots(a, last))
        cluster_list_add_tail(al, &al->nonfull[0], last, CL_NONFULL);
}

/* Whether nr slots from off can be had, dropping cached-only folios if half the area is used. */
static bool range_usable(struct swap_area *a, uint64_t off, uint32_t nr) {
    bool reclaim = false;
    uint32_t i;

    for (i = 0; i < nr; i++) {
        uint8_t map = offset_map(a, off + i);

        if (!map)
            continue;
        if (map != SWAP_HAS_CACHE || !swap_full(a))
            return false;
        reclaim = true;
    }
    if (!reclaim)
        return true;
    for (i = 0; i < nr; i++) {
        bool gone = true;

        if (offset_map(a, off + i)) {
            a->alloc->direct = true;
            gone = slot_try_reclaim(a, off + i);
            a->alloc->direct = false;
        }
        if (!gone)
            return false;
    }
    /* dropping a large folio may have changed its neighbours */
    for (i = 0; i < nr; i++)
        if (offset_map(a, off + i))
            return false;
    return true;
}

/*
 * Looks for a run from off to the end of off's cluster. Returns true and the first slot's id, and
 * in *next where to go on (0 = nowhere).
 */
static bool scan_cluster(struct swap_area *a, uint64_t off, uint32_t order, uint32_t *id,
                         uint64_t *next) {
    struct swap_alloc *al = a->alloc;
    uint32_t c = offset_cluster(off), nr = 1u << order;
    struct swap_cluster *cl = &al->cluster[c];
    uint64_t end = RF_MIN(((uint64_t)c + 1) << CLUSTER_SHIFT, a->p.nr_slots);

    *next = 0;
    if (end < nr || cl->count + nr > SWAP_CLUSTER_SLOTS)
        return false;
    for (; off + nr <= end; off += nr) {
        if (!range_usable(a, off, nr))
            continue;
        if (cl->count == 0) {
            if (nr < SWAP_CLUSTER_SLOTS)
                move_to(al, c, &al->nonfull[order], CL_NONFULL);
            cl->order = (uint8_t)order;
        }
        *id = slots_take(a, off, nr);
        if (cl->count == SWAP_CLUSTER_SLOTS)
            move_to(al, c, &al->full, CL_FULL);
        else if (off + 2 * (uint64_t)nr <= end)
            *next = off + nr;
        return true;
    }
    return false;
}

/* Looks at one full cluster and drops its cached-only folios. */
static void reclaim_full_cluster(struct swap_area *a) {
    struct swap_alloc *al = a->alloc;
    uint64_t off, end;
    uint32_t c;

    if (!al->full.head)
        return;
    c = al->full.head - 1;
    move_to(al, c, &al->full, CL_FULL);
    off = (uint64_t)c << CLUSTER_SHIFT;
    end = RF_MIN(off + SWAP_CLUSTER_SLOTS, a->p.nr_slots);
    al->direct = true;
    for (; off < end; off++)
        if (offset_map(a, off) == SWAP_HAS_CACHE)
            (void)slot_try_reclaim(a, off);
    al->direct = false;
}

static uint64_t start_of(const struct cluster_head *h) {
    return (uint64_t)(h->head - 1) << CLUSTER_SHIFT;
}

static uint32_t lists_alloc_one(struct swap_area *a, uint32_t cpu, uint32_t order) {
    struct swap_alloc *al = a->alloc;
    struct swap_cpu *sc = &al->cpu[cpu];
    uint32_t id = SWAP_NO_SLOT, c, o, frags = 0, frags_existing;
    uint64_t next = 0;

    if (sc->next[order] && scan_cluster(a, sc->next[order], order, &id, &next))
        goto done;
    if (clusters_take_free(a, &c)) {
        if (!scan_cluster(a, (uint64_t)c << CLUSTER_SHIFT, order, &id, &next))
            id = SWAP_NO_SLOT;
        goto done;
    }
    if (swap_full(a))
        reclaim_full_cluster(a);
    if (order < CLUSTER_SHIFT) {
        struct cluster_head *nonfull = &al->nonfull[order], *frag = &al->frag[order];

        while (nonfull->head) {
            uint64_t start = start_of(nonfull);

            move_to(al, offset_cluster(start), frag, CL_FRAG);
            frags++;
            if (scan_cluster(a, start, order, &id, &next))
                goto done;
        }
        /* those moved just now have been looked at and are at the tail */
        for (frags_existing = frag->nr; frags < frags_existing && frag->head; frags++) {
            uint64_t start = start_of(frag);

            move_to(al, offset_cluster(start), frag, CL_FRAG);
            if (scan_cluster(a, start, order, &id, &next))
                goto done;
        }
    }
    /* a single slot may come from a cluster that serves a higher order */
    for (o = 1; order == 0 && o < NR_ORDERS; o++) {
        uint32_t tries = al->frag[o].nr + al->nonfull[o].nr;

        while (tries-- && (al->frag[o].head || al->nonfull[o].head)) {
            struct cluster_head *h = al->frag[o].head ? &al->frag[o] : &al->nonfull[o];

            if (scan_cluster(a, start_of(h), 0, &id, &next))
                goto done;
        }
    }
    next = 0;
done:
    sc->next[order] = next;
    return id;
}

static uint32_t lists_alloc(struct swap_area *a, uint32_t cpu, uint32_t n, uint32_t *out) {
    uint32_t got;

    for (got = 0; got < n; got++) {
        out[got] = lists_alloc_one(a, cpu, 0);
        if (out[got] == SWAP_NO_SLOT)
            break;
    }
    return got;
}

static uint32_t lists_alloc_large(struct swap_area *a, uint32_t cpu, uint32_t order) {
    if (order < CLUSTER_SHIFT && !a->p.policy.mthp_swapout)
        return SWAP_NO_SLOT;
    return lists_alloc_one(a, cpu, order);
}

static void lists_freed(struct swap_area *a, uint64_t offset) {
    struct swap_alloc *al = a->alloc;
    uint32_t c = offset_cluster(offset);
    struct swap_cluster *cl = &al->cluster[c];

    if (cl->count == 0) {
        move_to(al, c, &al->free, CL_FREE);
        cl->order = 0;
    } else if (cl->list != CL_NONFULL) {
        move_to(al, c, &al->nonfull[cl->order], CL_NONFULL);
    }
}

static int lists_check(const struct swap_area *a, struct rf_err *err) {
    const struct swap_alloc *al = a->alloc;
    uint64_t on = al->init_left;
    uint32_t o;
    int rc;

    rc = cluster_list_check(a, &al->free, CL_FREE, &on, err);
    if (!rc)
        rc = cluster_list_check(a, &al->full, CL_FULL, &on, err);
    for (o = 0; !rc && o < NR_ORDERS; o++) {
        rc = cluster_list_check(a, &al->nonfull[o], CL_NONFULL, &on, err);
        if (!rc)
            rc = cluster_list_check(a, &al->frag[o], CL_FRAG, &on, err);
    }
    if (!rc && on != al->nr_clusters)
        rc = rf_fail(err, RF_ECHECK, "swap: %llu clusters on lists, the area has %u",
                     (unsigned long long)on, al->nr_clusters);
    return rc;
}

const struct swap_alloc_ops swap_ssd_lists_ops = {
    .name = "lists",
    .init = add_partial_clusters,
    .alloc = lists_alloc,
    .alloc_large = lists_alloc_large,
    .freed = lists_freed,
    .check = lists_check,
};
