/* SPDX-License-Identifier: Apache-2.0 */
/* Swap slots: expected values are worked out by hand from the allocators' rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "refault/swap.h"

struct log {
    struct swap_area *a;
    uint32_t returned, freed, last_freed, reclaims;
    uint32_t reclaimable; /* slot that reclaim_cached() agrees to drop, or SWAP_NO_SLOT */
};

static void on_returned(void *ctx, uint32_t slot) {
    struct log *l = ctx;
    (void)slot;
    l->returned++;
}
static void on_freed(void *ctx, uint32_t slot) {
    struct log *l = ctx;
    l->freed++;
    l->last_freed = slot;
}
static bool on_reclaim(void *ctx, uint32_t slot) {
    struct log *l = ctx;

    l->reclaims++;
    if (slot != l->reclaimable)
        return false;
    l->a->meta[slot].flags &= (uint8_t)~SLOT_FOLIO;
    swapcache_free(l->a, 0, slot);
    return true;
}
static const struct swap_ops ops = {on_returned, on_freed, on_reclaim};

static struct swap_area *make(uint64_t nr, uint32_t cpus, uint8_t mode, uint16_t cache, bool rot,
                              struct log *l) {
    struct swap_params p = {.nr_slots = nr, .cpus = cpus, .rotational = rot, .seed = 7};
    struct swap_area *a = NULL;
    struct rf_err err;

    p.policy.alloc_mode = mode;
    p.policy.slot_cache = cache;
    p.policy.mthp_swapout = true;
    memset(l, 0, sizeof(*l));
    l->reclaimable = SWAP_NO_SLOT;
    assert_int_equal(swap_area_create(&p, &ops, l, &a, &err), 0);
    l->a = a;
    return a;
}

static void check(const struct swap_area *a) {
    struct rf_err err = {0};

    if (swap_area_check(a, &err))
        fail_msg("%s", err.msg);
}

static uint64_t off_of(struct swap_area *a, uint32_t cpu) {
    bool refilled;
    uint32_t s = swap_slot_alloc(a, cpu, &refilled);

    assert_int_not_equal(s, SWAP_NO_SLOT);
    return swap_slot_offset(a, s);
}

/* 64 slots a refill, ascending from the start of a cluster; the header is never handed out. */
static void refill_is_64_slots(void **state) {
    static const uint8_t modes[] = {SWAP_ALLOC_PERCPU_CLUSTER, SWAP_ALLOC_CLUSTER_LISTS};
    struct log l;
    (void)state;

    for (size_t m = 0; m < 2; m++) {
        struct swap_area *a = make(16384, 2, modes[m], 64, false, &l);
        bool refilled;
        uint64_t first = 0;

        for (uint32_t i = 0; i < 130; i++) {
            uint32_t s = swap_slot_alloc(a, 0, &refilled);

            assert_int_equal(s, i); /* dense: the first cluster used has the first ids */
            assert_int_equal(refilled, i % 64 == 0);
            assert_int_equal(a->meta[s].map, SWAP_HAS_CACHE);
            if (i == 0)
                first = swap_slot_offset(a, s);
            assert_int_equal(first % 512, 0);
            assert_int_equal(swap_slot_offset(a, s), first + i);
            assert_int_equal(swap_offset_slot(a, first + i), s);
        }
        assert_int_equal(a->free_slots, 16383 - 192);
        assert_int_equal(swap_slots_in_use(a), 192);
        assert_int_equal(swap_slots_parked(a), 62);
        /* the other CPU works in a cluster of its own with percpu clusters and with lists */
        assert_int_not_equal(off_of(a, 1) / 512, first / 512);
        assert_int_equal(swap_offset_slot(a, 0), SWAP_NO_SLOT);
        assert_int_equal(swap_offset_slot(a, 16384), SWAP_NO_SLOT);
        check(a);
        swap_area_destroy(a);
    }
}

/* Columns of clusters 64 MiB (32 clusters) apart: each next cluster is 32 further. */
static void fresh_clusters_come_in_columns(void **state) {
    struct log l;
    struct swap_area *a = make(512 * 96, 1, SWAP_ALLOC_PERCPU_CLUSTER, 64, false, &l);
    uint64_t c[4];
    (void)state;

    for (int k = 0; k < 4; k++) {
        c[k] = off_of(a, 0) / 512;
        for (int i = 1; i < 512; i++)
            (void)off_of(a, 0);
    }
    if (c[0] == 32) { /* column 0: cluster 0 has the header and is left out */
        assert_int_equal(c[1], 64);
        assert_int_equal(c[2], 1);
    } else {
        assert_in_range(c[0], 1, 31);
        assert_int_equal(c[1], c[0] + 32);
        assert_int_equal(c[2], c[0] + 64);
    }
    check(a);
    swap_area_destroy(a);
}

/* Freed slots are parked; the 65th flushes the 64 before it. */
static void return_cache_flushes_at_65(void **state) {
    struct log l;
    struct swap_area *a = make(16384, 1, SWAP_ALLOC_PERCPU_CLUSTER, 64, false, &l);
    bool r;
    (void)state;

    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(swap_slot_alloc(a, 0, &r), i);
    for (uint32_t i = 0; i < 64; i++)
        swapcache_free(a, 0, i);
    assert_int_equal(l.returned, 64);
    assert_int_equal(l.freed, 0);
    assert_int_equal(a->free_slots, 16383 - 128);
    assert_int_equal(swap_slots_parked(a), 64);
    assert_true(a->meta[5].flags & SLOT_IN_RETURN);
    assert_false(swapcache_prepare(a, 5));
    check(a);
    swapcache_free(a, 0, 64);
    assert_int_equal(l.returned, 65);
    assert_int_equal(l.freed, 64);
    assert_int_equal(l.last_freed, 63);
    assert_int_equal(a->free_slots, 16383 - 64);
    assert_int_equal(a->meta[5].map, 0);
    assert_int_equal(a->meta[64].map, SWAP_HAS_CACHE);
    swap_slots_drain(a, 0);
    assert_int_equal(l.freed, 65);
    check(a);
    swap_area_destroy(a);
}

/* On above 5 * 64 free slots a CPU, off below 2 * 64, and then every cache is drained. */
static void cache_thresholds(void **state) {
    struct log l;
    bool r;
    struct swap_area *a = make(321, 1, SWAP_ALLOC_CLUSTER_LISTS, 64, false, &l);
    (void)state;

    /* 320 free is not more than 320: no cache */
    (void)swap_slot_alloc(a, 0, &r);
    assert_int_equal(a->free_slots, 319);
    swap_area_destroy(a);

    /* one cluster only, so ids are offsets from 1 on; refills: 321 -> 257 -> 193 -> 129 -> 65 */
    a = make(322, 1, SWAP_ALLOC_CLUSTER_LISTS, 64, false, &l);
    for (int i = 0; i < 192; i++)
        (void)swap_slot_alloc(a, 0, &r);
    assert_int_equal(a->free_slots, 129);
    swapcache_free(a, 0, 1);
    assert_int_equal(l.freed, 0);
    (void)swap_slot_alloc(a, 0, &r); /* 129 is not below 128: refills */
    assert_int_equal(a->free_slots, 65);
    assert_int_equal(swap_slots_parked(a), 63 + 1);
    /* 65 is: 63 unused slots and the returned one go back, one is taken directly */
    (void)swap_slot_alloc(a, 0, &r);
    assert_int_equal(swap_slots_parked(a), 0);
    assert_int_equal(a->free_slots, 65 + 63 + 1 - 1);
    assert_int_equal(l.freed, 1); /* unused slots have no owner to tell */
    swapcache_free(a, 0, 2);      /* off: freed at once */
    assert_int_equal(l.freed, 2);
    check(a);
    swap_area_destroy(a);
}

static void every_slot_can_be_had(void **state) {
    static const struct {
        uint8_t mode;
        bool rot;
    } kind[] = {{SWAP_ALLOC_PERCPU_CLUSTER, false},
                {SWAP_ALLOC_CLUSTER_LISTS, false},
                {SWAP_ALLOC_PERCPU_CLUSTER, true}};
    (void)state;

    for (size_t k = 0; k < 3; k++) {
        struct log l;
        struct swap_area *a = make(2000, 1, kind[k].mode, 64, kind[k].rot, &l);
        uint32_t n = 0;
        uint8_t seen[2000] = {0};
        bool r;

        for (;;) {
            uint32_t s = swap_slot_alloc(a, 0, &r);

            if (s == SWAP_NO_SLOT)
                break;
            assert_in_range(swap_slot_offset(a, s), 1, 1999);
            assert_int_equal(seen[swap_slot_offset(a, s)]++, 0);
            n++;
        }
        assert_int_equal(n, 1999);
        assert_int_equal(a->free_slots, 0);
        assert_true(swap_full(a));
        check(a);
        swap_area_destroy(a);
    }
}

static void rotational_is_sequential_from_1(void **state) {
    struct log l;
    struct swap_area *a = make(4096, 2, SWAP_ALLOC_PERCPU_CLUSTER, 64, true, &l);
    (void)state;

    for (uint32_t i = 1; i <= 64; i++)
        assert_int_equal(off_of(a, 0), i);
    /* one cursor for all CPUs */
    assert_int_equal(off_of(a, 1), 65);
    assert_int_equal(off_of(a, 0), 129);
    assert_int_equal(swap_slots_alloc_large(a, 0, 9), SWAP_NO_SLOT);
    check(a);
    swap_area_destroy(a);
}

/* After 512 slots the cursor looks for the lowest run of 512 free ones, aligned or not. */
static void rotational_looks_for_a_run(void **state) {
    struct log l;
    struct swap_area *a = make(4096, 1, SWAP_ALLOC_PERCPU_CLUSTER, 0, true, &l);
    (void)state;

    for (uint32_t i = 1; i <= 1536; i++)
        assert_int_equal(off_of(a, 0), i);
    /* holes: 100 slots at 11, and 600 slots from 201; only the second holds a run */
    for (uint32_t s = 11; s < 111; s++)
        swapcache_free(a, 0, s);
    for (uint32_t s = 201; s < 801; s++)
        swapcache_free(a, 0, s);
    assert_int_equal(off_of(a, 0), 201);
    assert_int_equal(off_of(a, 0), 202);
    check(a);
    swap_area_destroy(a);
}

static void large_runs_are_aligned(void **state) {
    static const uint8_t modes[] = {SWAP_ALLOC_PERCPU_CLUSTER, SWAP_ALLOC_CLUSTER_LISTS};
    (void)state;

    for (size_t m = 0; m < 2; m++) {
        struct log l;
        /* clusters 1, 2 and 3 are whole; 0 has the header */
        struct swap_area *a = make(2048, 1, modes[m], 64, false, &l);
        uint32_t s4 = swap_slots_alloc_large(a, 0, 4), s9, t4;

        assert_int_equal(s4 % 16, 0);
        assert_int_equal(swap_slot_offset(a, s4) % 16, 0);
        assert_int_equal(swap_slot_offset(a, s4 + 15), swap_slot_offset(a, s4) + 15);
        t4 = swap_slots_alloc_large(a, 0, 4);
        assert_int_equal(swap_slot_offset(a, t4), swap_slot_offset(a, s4) + 16);
        s9 = swap_slots_alloc_large(a, 0, 9);
        assert_int_equal(swap_slot_offset(a, s9) % 512, 0);
        assert_int_not_equal(swap_slots_alloc_large(a, 0, 9), SWAP_NO_SLOT);
        assert_int_equal(swap_slots_alloc_large(a, 0, 9), SWAP_NO_SLOT);
        assert_int_equal(a->free_slots, 2047 - 32 - 1024);
        check(a);
        /* a wholly freed cluster serves the next large request */
        for (uint32_t i = 0; i < 512; i++)
            swapcache_free(a, 0, s9 + i);
        assert_int_equal(swap_slots_alloc_large(a, 0, 9), s9);
        check(a);
        swap_area_destroy(a);
    }
}

/* Lists: order 0 steals from a cluster of order 4 when nothing else is left. */
static void order0_steals(void **state) {
    struct log l;
    struct swap_area *a = make(1024, 1, SWAP_ALLOC_CLUSTER_LISTS, 0, false, &l);
    uint32_t s4 = swap_slots_alloc_large(a, 0, 4);
    (void)state;

    assert_int_equal(swap_slot_offset(a, s4), 512);
    for (uint32_t i = 1; i < 512; i++)
        assert_int_equal(off_of(a, 0), i);
    assert_int_equal(off_of(a, 0), 512 + 16);
    check(a);
    swap_area_destroy(a);
}

/* More than half used: slots that only the cache holds are taken back. */
static void cached_only_slots_are_reclaimed(void **state) {
    static const uint8_t modes[] = {SWAP_ALLOC_PERCPU_CLUSTER, SWAP_ALLOC_CLUSTER_LISTS};
    (void)state;

    for (size_t m = 0; m < 2; m++) {
        struct log l;
        struct swap_area *a = make(1024, 1, modes[m], 0, false, &l);
        uint32_t victim = SWAP_NO_SLOT;
        bool r;

        for (uint32_t i = 0; i < 1023; i++) {
            uint32_t s = swap_slot_alloc(a, 0, &r);

            a->meta[s].flags |= SLOT_FOLIO;
            if (i == 700)
                victim = s;
            else
                swap_duplicate(a, s);
        }
        assert_int_equal(a->free_slots, 0);
        assert_int_equal(swap_slot_alloc(a, 0, &r), SWAP_NO_SLOT);
        assert_int_equal(l.reclaims, 0); /* no free slot at all: the allocator is not asked */
        l.reclaimable = victim;
        /* one slot frees up elsewhere, so that the allocator looks */
        uint32_t other = victim == 3 ? 4 : 3;
        swapcache_free(a, 0, other);
        swap_free(a, 0, other);
        assert_int_equal(a->free_slots, 1);
        assert_int_equal(l.freed, 1);
        uint32_t s = swap_slot_alloc(a, 0, &r);
        if (modes[m] == SWAP_ALLOC_CLUSTER_LISTS) {
            /* cluster 1 filled first, so the victim is in cluster 0, the only full one: it is
             * looked through, its slot is freed past the return cache; then the nonfull
             * clusters, of which other's is the older */
            assert_int_equal(victim, 512 + 1 + 700 - 512);
            assert_int_equal(l.reclaims, 1);
            assert_int_equal(l.freed, 2);
            assert_int_equal(a->meta[victim].map, 0);
            assert_int_equal(s, other);
        } else {
            /* first fit from a random place on: either may be met first */
            assert_true((s == other && l.reclaims == 0) || (s == victim && l.reclaims == 1));
        }
        assert_int_equal(a->meta[s].map, SWAP_HAS_CACHE);
        check(a);
        swap_area_destroy(a);
    }
}

static void counts_beyond_62(void **state) {
    struct log l;
    struct swap_area *a = make(4096, 1, SWAP_ALLOC_CLUSTER_LISTS, 0, false, &l);
    bool r;
    uint32_t s = swap_slot_alloc(a, 0, &r);
    (void)state;

    for (int i = 0; i < 200; i++)
        swap_duplicate(a, s);
    assert_int_equal(swap_count(a, s), 62);
    check(a);
    swapcache_free(a, 0, s);
    assert_true(swapcache_prepare(a, s));
    assert_false(swapcache_prepare(a, s));
    swapcache_free(a, 0, s);
    for (int i = 0; i < 199; i++)
        swap_free(a, 0, s);
    assert_int_equal(swap_count(a, s), 1);
    assert_int_equal(l.freed, 0);
    swap_free(a, 0, s);
    assert_int_equal(l.freed, 1);
    assert_int_equal(l.last_freed, s);
    check(a);
    swap_area_destroy(a);
}

static void more_than_half_is_full(void **state) {
    struct log l;
    struct swap_area *a = make(1001, 1, SWAP_ALLOC_CLUSTER_LISTS, 0, false, &l);
    (void)state;

    for (int i = 0; i < 500; i++)
        (void)off_of(a, 0);
    assert_false(swap_full(a)); /* 500 * 2 < 1000 does not hold */
    (void)off_of(a, 0);
    assert_true(swap_full(a));
    swap_area_destroy(a);
}

static void wrong_parameters(void **state) {
    struct swap_params p = {.nr_slots = 1, .cpus = 1};
    struct swap_area *a;
    struct rf_err err;
    (void)state;

    assert_int_equal(swap_area_create(&p, NULL, NULL, &a, &err), RF_EUSAGE);
    p.nr_slots = UINT64_C(1) << 33;
    assert_int_equal(swap_area_create(&p, NULL, NULL, &a, &err), RF_ELIMIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refill_is_64_slots),
        cmocka_unit_test(fresh_clusters_come_in_columns),
        cmocka_unit_test(return_cache_flushes_at_65),
        cmocka_unit_test(cache_thresholds),
        cmocka_unit_test(every_slot_can_be_had),
        cmocka_unit_test(rotational_is_sequential_from_1),
        cmocka_unit_test(rotational_looks_for_a_run),
        cmocka_unit_test(large_runs_are_aligned),
        cmocka_unit_test(order0_steals),
        cmocka_unit_test(cached_only_slots_are_reclaimed),
        cmocka_unit_test(counts_beyond_62),
        cmocka_unit_test(more_than_half_is_full),
        cmocka_unit_test(wrong_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
