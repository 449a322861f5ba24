/* SPDX-License-Identifier: Apache-2.0 */
/* Random slot operations against a naive map of references; every allocator, with and without the
 * slot caches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "refault/swap.h"

#define NR 6000u
#define CPUS 3u

struct ref {
    struct swap_area *a;
    uint16_t count[NR]; /* by offset */
    bool cached[NR], folio[NR];
    uint32_t live[NR], nr_live; /* offsets in use, unordered */
    uint32_t pos[NR];
    uint64_t returned, freed;
    struct rf_rng *rng;
};

static void drop_live(struct ref *r, uint32_t off) {
    uint32_t p = r->pos[off];

    r->live[p] = r->live[--r->nr_live];
    r->pos[r->live[p]] = p;
}
static void on_returned(void *ctx, uint32_t slot) {
    struct ref *r = ctx;
    uint32_t off = (uint32_t)swap_slot_offset(r->a, slot);

    r->returned++;
    assert_false(r->cached[off]);
    assert_int_equal(r->count[off], 0);
    drop_live(r, off);
}
static void on_freed(void *ctx, uint32_t slot) {
    struct ref *r = ctx;
    (void)slot;
    r->freed++;
}
static bool on_reclaim(void *ctx, uint32_t slot) {
    struct ref *r = ctx;
    uint32_t off = (uint32_t)swap_slot_offset(r->a, slot);

    assert_true(r->cached[off] && r->folio[off] && !r->count[off]);
    if (rf_rng_below(r->rng, 4) == 0)
        return false;
    r->cached[off] = r->folio[off] = false;
    r->a->meta[slot].flags &= (uint8_t)~SLOT_FOLIO;
    swapcache_free(r->a, 0, slot);
    return true;
}
static const struct swap_ops ops = {on_returned, on_freed, on_reclaim};

static void got(struct ref *r, uint32_t slot, uint32_t nr) {
    for (uint32_t i = 0; i < nr; i++) {
        uint64_t off64 = swap_slot_offset(r->a, slot + i);
        uint32_t off = (uint32_t)off64;

        assert_in_range(off64, 1, NR - 1);
        assert_int_equal(off64, swap_slot_offset(r->a, slot) + i);
        assert_true(!r->cached[off] && !r->count[off]);
        assert_int_equal(r->a->meta[slot + i].map, SWAP_HAS_CACHE);
        r->cached[off] = r->folio[off] = true;
        r->a->meta[slot + i].flags |= SLOT_FOLIO;
        r->pos[off] = r->nr_live;
        r->live[r->nr_live++] = off;
    }
}

static void run(uint8_t mode, bool rot, uint16_t cache, uint64_t seed) {
    static struct ref r;
    struct rf_rng rng;
    struct swap_params p = {.nr_slots = NR, .cpus = CPUS, .rotational = rot, .seed = seed};
    struct rf_err err = {0};
    uint32_t i;

    memset(&r, 0, sizeof(r));
    rf_rng_seed(&rng, seed);
    r.rng = &rng;
    p.policy.alloc_mode = mode;
    p.policy.slot_cache = cache;
    p.policy.mthp_swapout = true;
    assert_int_equal(swap_area_create(&p, &ops, &r, &r.a, &err), 0);
    for (i = 0; i < 60000; i++) {
        uint32_t cpu = (uint32_t)rf_rng_below(&rng, CPUS), off, slot;
        uint64_t op = rf_rng_below(&rng, 100);
        /* swings between filling and emptying */
        bool fill = (i / 8000) % 2 == 0;
        bool refilled;

        if (op < (fill ? 60u : 15u)) {
            slot = swap_slot_alloc(r.a, cpu, &refilled);
            if (slot != SWAP_NO_SLOT)
                got(&r, slot, 1);
            else
                assert_true(r.a->free_slots < 200 || rot);
        } else if (op < (fill ? 62u : 16u)) {
            uint32_t order = (uint32_t)rf_rng_below(&rng, 10);

            slot = swap_slots_alloc_large(r.a, cpu, order);
            if (slot != SWAP_NO_SLOT) {
                got(&r, slot, 1u << order);
                assert_int_equal(swap_slot_offset(r.a, slot) & ((1u << order) - 1), 0);
            }
        } else if (r.nr_live) {
            off = r.live[rf_rng_below(&rng, r.nr_live)];
            slot = swap_offset_slot(r.a, off);
            if (op < 70) {
                swap_duplicate(r.a, slot);
                r.count[off]++;
            } else if (op < 90 && r.count[off]) {
                r.count[off]--;
                swap_free(r.a, cpu, slot);
            } else if (r.cached[off]) {
                r.cached[off] = r.folio[off] = false;
                r.a->meta[slot].flags &= (uint8_t)~SLOT_FOLIO;
                swapcache_free(r.a, cpu, slot);
            } else {
                bool ok = swapcache_prepare(r.a, slot);

                assert_int_equal(ok, r.count[off] > 0);
                r.cached[off] = r.folio[off] = ok;
                if (ok)
                    r.a->meta[slot].flags |= SLOT_FOLIO;
            }
        }
        if (i % 2000 == 0) {
            if (swap_area_check(r.a, &err))
                fail_msg("%s", err.msg);
            assert_int_equal(swap_slots_in_use(r.a), r.nr_live + swap_slots_parked(r.a));
        }
    }
    for (uint32_t c = 0; c < CPUS; c++)
        swap_slots_drain(r.a, c);
    while (r.nr_live) {
        uint32_t off = r.live[r.nr_live - 1], slot = swap_offset_slot(r.a, off);

        while (r.count[off] > (r.cached[off] ? 0 : 1)) {
            r.count[off]--;
            swap_free(r.a, 0, slot);
        }
        if (r.cached[off]) {
            r.cached[off] = false;
            swapcache_free(r.a, 0, slot);
        } else {
            r.count[off] = 0;
            swap_free(r.a, 0, slot);
        }
    }
    for (uint32_t c = 0; c < CPUS; c++)
        swap_slots_drain(r.a, c);
    assert_int_equal(r.a->free_slots, NR - 1);
    assert_int_equal(swap_slots_in_use(r.a), 0);
    assert_int_equal(r.freed, r.returned);
    if (swap_area_check(r.a, &err))
        fail_msg("%s", err.msg);
    swap_area_destroy(r.a);
}

static void percpu(void **state) {
    (void)state;
    run(SWAP_ALLOC_PERCPU_CLUSTER, false, 64, 1);
    run(SWAP_ALLOC_PERCPU_CLUSTER, false, 0, 2);
}
static void lists(void **state) {
    (void)state;
    run(SWAP_ALLOC_CLUSTER_LISTS, false, 64, 3);
    run(SWAP_ALLOC_CLUSTER_LISTS, false, 0, 4);
}
static void rotational(void **state) {
    (void)state;
    run(SWAP_ALLOC_PERCPU_CLUSTER, true, 64, 5);
    run(SWAP_ALLOC_PERCPU_CLUSTER, true, 0, 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percpu),
        cmocka_unit_test(lists),
        cmocka_unit_test(rotational),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
