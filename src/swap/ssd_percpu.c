/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slot allocator of 4.x - 6.10 on non-rotational devices: each CPU takes slots from a cluster of
 * its own; when no cluster is free, a linear first-fit scan (scan_swap_map_slots() and
 * scan_swap_map_try_ssd_cluster(), mm/swapfile.c 6.1).
 */
#include "swap_internal.h"

/*
 * Another allocation's frees may have put this CPU's cluster on the free list. It can go on with
 * it only if it is the list's head; otherwise it takes the head
 * (scan_swap_map_ssd_cluster_conflict()).
 */
static void drop_conflict(struct swap_alloc *al, struct swap_cpu *sc, uint32_t order) {
    uint32_t c = sc->cluster[order];

    if (al->cluster[c].list != CL_FREE)
        return;
    if (!al->init_left && al->free.head == c + 1)
        cluster_list_del(al, &al->free, c);
    else
        sc->taken[order] = false;
}

static bool run_is_free(const struct swap_area *a, uint64_t off, uint32_t nr) {
    uint32_t i;

    for (i = 0; i < nr; i++)
        if (offset_map(a, off + i))
            return false;
    return true;
}

/* Next aligned run of the CPU's cluster of that order, taking a new cluster when it is used up. */
static bool try_cluster(struct swap_area *a, struct swap_cpu *sc, uint32_t order, uint64_t *off) {
    struct swap_alloc *al = a->alloc;
    uint32_t nr = 1u << order;

    for (;;) {
        uint64_t o, max;

        if (sc->taken[order])
            drop_conflict(al, sc, order);
        if (!sc->taken[order]) {
            if (!clusters_take_free(a, &sc->cluster[order]))
                return false;
            sc->taken[order] = true;
            sc->next[order] = (uint64_t)sc->cluster[order] << CLUSTER_SHIFT;
        }
        max = ((uint64_t)sc->cluster[order] + 1) << CLUSTER_SHIFT;
        if (max > a->p.nr_slots)
            max = a->p.nr_slots;
        for (o = sc->next[order]; o + nr <= max; o += nr) {
            if (run_is_free(a, o, nr)) {
                sc->next[order] = o + nr;
                *off = o;
                return true;
            }
        }
        sc->taken[order] = false;
    }
}

static bool usable(struct swap_area *a, uint64_t off) {
    uint8_t map = offset_map(a, off);

    if (!map)
        return true;
    return map == SWAP_HAS_CACHE && swap_full(a) && slot_try_reclaim(a, off);
}

static bool scan_range(struct swap_area *a, uint64_t from, uint64_t to, uint64_t *off) {
    const struct swap_alloc *al = a->alloc;
    uint64_t o = from;

    while (o < to) {
        /* without reclaim a full cluster holds nothing: same result as looking at each slot */
        if (al->cluster[offset_cluster(o)].count == SWAP_CLUSTER_SLOTS && !swap_full(a)) {
            o = (o | CLUSTER_MASK) + 1;
            continue;
        }
        if (usable(a, o)) {
            *off = o;
            return true;
        }
        o++;
    }
    return false;
}

static bool linear_scan(struct swap_area *a, uint64_t base, uint64_t *off) {
    struct swap_alloc *al = a->alloc;

    if (!al->highest)
        return false;
    if (base > al->highest || base < 1)
        base = al->lowest;
    return scan_range(a, base, al->highest + 1, off) || scan_range(a, al->lowest, base, off);
}

/* Where the CPU's next linear scan starts: crossing 64 MiB jumps to a random aligned place. */
static void set_scan_pos(struct swap_area *a, struct swap_cpu *sc, uint64_t next) {
    struct swap_alloc *al = a->alloc;

    if (sc->scan_pos / SPACE_PAGES != next / SPACE_PAGES) {
        if (al->highest <= al->lowest)
            return;
        next = al->lowest + rf_rng_below(&al->rng, al->highest - al->lowest + 1);
        next -= next % SPACE_PAGES;
        next = RF_MAX(next, al->lowest);
    }
    sc->scan_pos = next;
}

/* A slot of a cluster that nobody took off the free list (the scan found it). */
static uint32_t take_one(struct swap_area *a, uint64_t off) {
    struct swap_alloc *al = a->alloc;
    uint32_t c = offset_cluster(off);

    if (al->cluster[c].list == CL_FREE)
        cluster_list_del(al, &al->free, c);
    return slots_take(a, off, 1);
}

static uint32_t percpu_alloc(struct swap_area *a, uint32_t cpu, uint32_t n, uint32_t *out) {
    struct swap_alloc *al = a->alloc;
    struct swap_cpu *sc = &al->cpu[cpu];
    uint32_t got = 0, ration = SCAN_RATION;
    uint64_t off, base;

    if (!try_cluster(a, sc, 0, &off) && !linear_scan(a, sc->scan_pos, &off))
        return 0;
    base = off;
    for (;;) {
        uint64_t o, limit;

        out[got++] = take_one(a, off);
        if (got == n || off >= al->highest)
            break;
        if (try_cluster(a, sc, 0, &o)) {
            base = off = o;
            continue;
        }
        limit = off < base ? base : al->highest;
        for (o = off; o <= limit && ration; o++, ration--)
            if (!offset_map(a, o))
                break;
        if (o > limit || !ration)
            break;
        off = o;
    }
    set_scan_pos(a, sc, off + 1);
    return got;
}

static uint32_t percpu_alloc_large(struct swap_area *a, uint32_t cpu, uint32_t order) {
    struct swap_alloc *al = a->alloc;
    uint64_t off;
    uint32_t c;

    if (order == CLUSTER_SHIFT) {
        if (!clusters_take_free(a, &c))
            return SWAP_NO_SLOT;
        return slots_take(a, (uint64_t)c << CLUSTER_SHIFT, SWAP_CLUSTER_SLOTS);
    }
    if (!a->p.policy.mthp_swapout || !try_cluster(a, &al->cpu[cpu], order, &off))
        return SWAP_NO_SLOT;
    return slots_take(a, off, 1u << order);
}

static void percpu_freed(struct swap_area *a, uint64_t offset) {
    struct swap_alloc *al = a->alloc;
    uint32_t c = offset_cluster(offset);

    if (al->cluster[c].count == 0)
        cluster_list_add_tail(al, &al->free, c, CL_FREE);
}

static int percpu_check(const struct swap_area *a, struct rf_err *err) {
    const struct swap_alloc *al = a->alloc;
    uint64_t on = 0;
    uint32_t c;
    int rc = cluster_list_check(a, &al->free, CL_FREE, &on, err);

    if (rc)
        return rc;
    for (c = al->free.head; c; c = al->cluster[c - 1].next)
        if (al->cluster[c - 1].count)
            return rf_fail(err, RF_ECHECK, "swap: free cluster %u has %u slots in use", c - 1,
                           al->cluster[c - 1].count);
    return RF_OK;
}

const struct swap_alloc_ops swap_ssd_percpu_ops = {
    .name = "percpu",
    .alloc = percpu_alloc,
    .alloc_large = percpu_alloc_large,
    .freed = percpu_freed,
    .check = percpu_check,
};
