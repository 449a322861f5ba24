/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters of 512 slots: storage on first use, the free list, and taking slots out of them. */
#include "swap_internal.h"

uint32_t cluster_bad_slots(const struct swap_area *a, uint32_t c) {
    uint64_t end = ((uint64_t)c + 1) << CLUSTER_SHIFT;
    uint32_t bad = c == 0 ? 1 : 0;

    if (end > a->p.nr_slots)
        bad += (uint32_t)(end - a->p.nr_slots);
    return bad;
}

/*
 * The free list of a fresh area is in columns: clusters 0, 32, 64 ... then 1, 33, 65 ..., from a
 * random column on, so that CPUs work in different 64 MiB parts (setup_swap_map_and_extents(),
 * mm/swapfile.c 6.1). Clusters with a bad slot are not on it. It is kept as a cursor, because a
 * list would touch the state of every cluster of the area.
 */
void clusters_init(struct swap_area *a) {
    struct swap_alloc *al = a->alloc;
    uint32_t c, last = al->nr_clusters - 1;

    al->init_col = (uint32_t)rf_rng_below(&al->rng, CLUSTER_COLS);
    al->init_left = al->nr_clusters;
    for (c = 0; c <= last; c = c == 0 && last ? last : last + 1) {
        uint32_t bad = cluster_bad_slots(a, c);

        if (bad) {
            al->cluster[c].count = (uint16_t)bad;
            al->cluster[c].list = CL_OFF;
            al->init_left--;
        }
    }
}

void cluster_list_add_tail(struct swap_alloc *al, struct cluster_head *h, uint32_t c, uint8_t id) {
    struct swap_cluster *cl = &al->cluster[c];

    cl->list = id;
    cl->next = 0;
    cl->prev = h->tail;
    if (h->tail)
        al->cluster[h->tail - 1].next = c + 1;
    else
        h->head = c + 1;
    h->tail = c + 1;
    h->nr++;
}

void cluster_list_del(struct swap_alloc *al, struct cluster_head *h, uint32_t c) {
    struct swap_cluster *cl = &al->cluster[c];

    if (cl->prev)
        al->cluster[cl->prev - 1].next = cl->next;
    else
        h->head = cl->next;
    if (cl->next)
        al->cluster[cl->next - 1].prev = cl->prev;
    else
        h->tail = cl->prev;
    cl->prev = cl->next = 0;
    cl->list = CL_OFF;
    h->nr--;
}

bool clusters_take_free(struct swap_area *a, uint32_t *c) {
    struct swap_alloc *al = a->alloc;

    while (al->init_left) {
        uint64_t idx =
            (uint64_t)al->init_i * CLUSTER_COLS + (al->init_col + al->init_k) % CLUSTER_COLS;

        if ((uint64_t)al->init_i * CLUSTER_COLS >= al->nr_clusters) {
            al->init_i = 0;
            al->init_k++;
            continue;
        }
        al->init_i++;
        if (idx >= al->nr_clusters || al->cluster[idx].list != CL_UNUSED)
            continue;
        al->init_left--;
        al->cluster[idx].list = CL_OFF;
        *c = (uint32_t)idx;
        return true;
    }
    if (!al->free.head)
        return false;
    *c = al->free.head - 1;
    cluster_list_del(al, &al->free, *c);
    return true;
}

static void cluster_storage(struct swap_area *a, uint32_t c) {
    struct swap_alloc *al = a->alloc;
    uint32_t d = al->nr_dense++, bad = cluster_bad_slots(a, c), i;
    struct swap_slot_meta *m = &a->meta[(size_t)d << CLUSTER_SHIFT];

    al->cluster[c].dense = d + 1;
    al->rev[d] = c;
    if (!bad)
        return;
    if (c == 0) {
        m[0].map = MAP_BAD;
        bad--;
    }
    for (i = 0; i < bad; i++)
        m[CLUSTER_MASK - i].map = MAP_BAD;
}

uint32_t slots_take(struct swap_area *a, uint64_t offset, uint32_t nr) {
    struct swap_alloc *al = a->alloc;
    uint32_t id, i;

    if (!al->identity) {
        struct swap_cluster *cl = &al->cluster[offset_cluster(offset)];

        if (!cl->dense)
            cluster_storage(a, offset_cluster(offset));
        cl->count = (uint16_t)(cl->count + nr);
    }
    id = offset_id(al, offset);
    if (id + (uint64_t)nr > al->seen)
        al->seen = id + (uint64_t)nr;
    for (i = 0; i < nr; i++) {
        a->meta[id + i].map = SWAP_HAS_CACHE;
        a->meta[id + i].flags = 0;
        a->word[id + i] = 0;
    }
    al->inuse += nr;
    if (offset == al->lowest)
        al->lowest += nr;
    if (offset + nr - 1 == al->highest)
        al->highest -= nr;
    if (al->inuse == a->total_slots) {
        al->lowest = a->p.nr_slots;
        al->highest = 0;
    }
    return id;
}

bool slot_try_reclaim(struct swap_area *a, uint64_t offset) {
    uint32_t id = offset_id(a->alloc, offset);

    if (id == SWAP_NO_SLOT || a->meta[id].map != SWAP_HAS_CACHE ||
        !(a->meta[id].flags & SLOT_FOLIO) || !a->ops || !a->ops->reclaim_cached)
        return false;
    if (!a->ops->reclaim_cached(a->ops_ctx, id))
        return false;
    return a->meta[id].map == 0;
}

int cluster_list_check(const struct swap_area *a, const struct cluster_head *h, uint8_t id,
                       uint64_t *seen, struct rf_err *err) {
    const struct swap_alloc *al = a->alloc;
    uint32_t c, prev = 0, nr = 0;

    for (c = h->head; c; c = al->cluster[c - 1].next) {
        const struct swap_cluster *cl = &al->cluster[c - 1];

        if (cl->list != id || cl->prev != prev || ++nr > h->nr)
            return rf_fail(err, RF_ECHECK,
                           "swap: cluster %u on list %u: marked %u, prev %u (expected %u), "
                           "position %u of %u",
                           c - 1, id, cl->list, cl->prev, prev, nr, h->nr);
        prev = c;
    }
    if (prev != h->tail || nr != h->nr)
        return rf_fail(err, RF_ECHECK, "swap: cluster list %u has %u members, counted %u", id, nr,
                       h->nr);
    *seen += nr;
    return RF_OK;
}
