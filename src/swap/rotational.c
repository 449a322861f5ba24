/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slot allocator for rotational devices up to 6.13: one cursor for all CPUs, which looks for 512
 * free slots in a row, else first fit (scan_swap_map_slots() without cluster_info, mm/swapfile.c
 * 6.1). Slot ids are offsets.
 */
#include "swap_internal.h"

/* Start of the first run of 512 free slots, not necessarily aligned; 0 if there is none. */
static uint64_t find_run(const struct swap_area *a) {
    const struct swap_alloc *al = a->alloc;
    uint64_t off = al->lowest, last = off + SWAP_CLUSTER_SLOTS - 1;

    for (; last <= al->highest; off++) {
        if (a->meta[off].map)
            last = off + SWAP_CLUSTER_SLOTS;
        else if (off == last)
            return off - (SWAP_CLUSTER_SLOTS - 1);
    }
    return 0;
}

static bool usable(struct swap_area *a, uint64_t off) {
    uint8_t map = a->meta[off].map;

    if (!map)
        return true;
    return map == SWAP_HAS_CACHE && swap_full(a) && slot_try_reclaim(a, off);
}

static bool first_fit(struct swap_area *a, uint64_t base, uint64_t *off) {
    struct swap_alloc *al = a->alloc;
    uint64_t o;

    if (!al->highest)
        return false;
    if (base > al->highest || base < 1)
        base = al->lowest;
    for (o = base; o <= al->highest; o++) {
        if (usable(a, o)) {
            *off = o;
            return true;
        }
    }
    for (o = al->lowest; o < base; o++) {
        if (usable(a, o)) {
            *off = o;
            return true;
        }
    }
    return false;
}

static uint32_t rotational_alloc(struct swap_area *a, uint32_t cpu, uint32_t n, uint32_t *out) {
    struct swap_alloc *al = a->alloc;
    uint32_t got = 0, ration = SCAN_RATION;
    uint64_t off = al->rot_next, base = off;

    (void)cpu;
    if (al->rot_left) {
        al->rot_left--;
    } else {
        al->rot_left = SWAP_CLUSTER_SLOTS - 1;
        if (a->total_slots - al->inuse >= SWAP_CLUSTER_SLOTS) {
            uint64_t run = find_run(a);

            off = run ? run : al->lowest;
            base = al->lowest;
        }
    }
    if (!first_fit(a, off, &off))
        return 0;
    for (;;) {
        uint64_t o, limit;

        out[got++] = slots_take(a, off, 1);
        if (got == n || off >= al->highest)
            break;
        o = off;
        if (al->rot_left && !a->meta[++o].map) {
            al->rot_left--;
            off = o;
            continue;
        }
        limit = o < base ? base : al->highest;
        for (; o <= limit && ration; o++, ration--)
            if (!a->meta[o].map)
                break;
        if (o > limit || !ration)
            break;
        off = o;
    }
    al->rot_next = off + 1;
    return got;
}

static uint32_t rotational_alloc_large(struct swap_area *a, uint32_t cpu, uint32_t order) {
    (void)a;
    (void)cpu;
    (void)order;
    return SWAP_NO_SLOT;
}

static void rotational_freed(struct swap_area *a, uint64_t offset) {
    (void)a;
    (void)offset;
}

static int rotational_check(const struct swap_area *a, struct rf_err *err) {
    if (a->meta[0].map != MAP_BAD)
        return rf_fail(err, RF_ECHECK, "swap: the header slot has map byte 0x%x, expected 0x%x",
                       a->meta[0].map, MAP_BAD);
    return RF_OK;
}

const struct swap_alloc_ops swap_rotational_ops = {
    .name = "rotational",
    .alloc = rotational_alloc,
    .alloc_large = rotational_alloc_large,
    .freed = rotational_freed,
    .check = rotational_check,
};
