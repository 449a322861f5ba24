/* SPDX-License-Identifier: Apache-2.0 */
/* The dynamic shrinker: amounts, protection, scanning; figures by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "fake_zpool.h"
#include "zswap_env.h"

static void start(struct env *e, enum era era) {
    env_init(e, era_policy(era), &fake_plain, 100000, 50, 90);
    assert_int_equal(env_start(e), 0);
}
static void fill(struct env *e, uint32_t nr) {
    for (uint32_t s = 0; s < nr; s++)
        assert_true(zswap_store(e->z, &e->cpu, s, 0, PAGE_1000));
}
static void stop(struct env *e) {
    if (zswap_check(e->z, &e->err))
        fail_msg("%s", e->err.msg);
    env_stop(e);
}

/* seeks 2, batches of 128: (count, priority, deferred) -> scanned, newly deferred. */
static void amounts(void **state) {
    static const struct {
        uint64_t count, deferred, scanned, rest;
        uint32_t priority;
    } row[] = {
        {100000, 0, 0, 48, 12}, {1000000, 0, 384, 104, 12}, {100000, 0, 768, 12, 8},
        {500, 0, 896, 104, 0},  {100, 0, 128, 72, 0},       {10, 0, 0, 0, 12},
    };
    (void)state;

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        uint64_t total = zswap_shrink_amount(row[i].count, row[i].priority, row[i].deferred);

        assert_int_equal(zswap_shrink_batches(row[i].count, total), row[i].scanned);
        assert_int_equal(total - zswap_shrink_batches(row[i].count, total), row[i].rest);
    }
    /* 100 << 12 deferred adds 100, capped at twice the count */
    assert_int_equal(zswap_shrink_amount(60, 12, 100 << 12), 100);
    assert_int_equal(zswap_shrink_amount(40, 12, 100 << 12), 80);
}

/* 100 entries of 1000 bytes: 24 whole pages back them, so of each 100 only 24 count. */
static void count_scales_by_backing(void **state) {
    struct env e;
    (void)state;

    start(&e, Z3B);
    assert_int_equal(zswap_shrinker_count(e.z, 0), 0);
    fill(&e, 100);
    assert_int_equal(zswap_shrinker_count(e.z, 0), 24);
    e.no_writeback = true;
    assert_int_equal(zswap_shrinker_count(e.z, 0), 0);
    e.no_writeback = false;
    assert_int_equal(zswap_shrinker_count(e.z, 1), 0); /* nothing on that memcg's list */
    stop(&e);

    env_init(&e, era_policy(Z3B), &fake_plain, 100000, 50, 90);
    e.p.knobs.shrinker_enabled = false;
    assert_int_equal(env_start(&e), 0);
    fill(&e, 100);
    assert_int_equal(zswap_shrinker_count(e.z, 0), 0);
    stop(&e);
}

/* 6.12: counting consumes the disk swap-ins. */
static void disk_swapins_are_consumed(void **state) {
    struct env e;
    (void)state;

    start(&e, Z3B);
    fill(&e, 100);
    for (int i = 0; i < 150; i++)
        zswap_note_disk_swapin(e.z, 0);
    assert_int_equal(zswap_protection(e.z, 0), 150);
    assert_int_equal(zswap_shrinker_count(e.z, 0), 0); /* 100 of 150 used */
    assert_int_equal(zswap_protection(e.z, 0), 50);
    assert_int_equal(zswap_shrinker_count(e.z, 0), 12); /* floor(50 * 24 / 100) */
    assert_int_equal(zswap_protection(e.z, 0), 0);
    assert_int_equal(zswap_shrinker_count(e.z, 0), 24);
    stop(&e);
}

/* 6.8: +1 an insertion, then halved once when above a quarter of the list. */
static void protected_area(void **state) {
    /* after insertion n (list of n): p+1, halved if > n/4:
     * n=1: 1>0 -> 0; 2: 1>0 -> 0; 3: 0; 4: 1>1 no -> 1; 5: 2>1 -> 1; 6: 1; 7: 1; 8: 2>2 no -> 2 */
    static const uint64_t after[] = {0, 0, 0, 1, 1, 1, 1, 2};
    struct env e;
    uint64_t written;
    (void)state;

    start(&e, Z3A);
    for (uint32_t s = 0; s < 8; s++) {
        assert_true(zswap_store(e.z, &e.cpu, s, 0, PAGE_1000));
        assert_int_equal(zswap_protection(e.z, 0), after[s]);
    }
    zswap_note_disk_swapin(e.z, 0);
    assert_int_equal(zswap_protection(e.z, 0), 3);
    /* 8 entries, 8000 bytes = 1 page; freeable 5: floor(5 * 1 / 8) */
    assert_int_equal(zswap_shrinker_count(e.z, 0), 0);
    assert_int_equal(zswap_protection(e.z, 0), 3); /* not consumed */
    /* 3 >= 8 - 5: into the protected area */
    assert_false(zswap_shrinker_scan(e.z, &e.cpu, 0, 5, &written));
    assert_int_equal(e.wb_calls, 0);
    assert_true(zswap_shrinker_scan(e.z, &e.cpu, 0, 4, &written));
    assert_int_equal(written, 4);
    /* a failed writeback puts the entry back: +1 */
    e.wb_rc = -1;
    for (int i = 0; i < 4; i++)
        zswap_invalidate(e.z, &e.cpu, (uint32_t)i);
    assert_false(zswap_shrinker_scan(e.z, &e.cpu, 0, 0, &written));
    stop(&e);
}

static void failed_writeback_protects(void **state) {
    struct env e;
    uint64_t written;
    (void)state;

    start(&e, Z3A);
    fill(&e, 40); /* protection is far below 40 - 5 */
    uint64_t before = zswap_protection(e.z, 0);
    e.wb_rc = -1;
    assert_false(zswap_shrinker_scan(e.z, &e.cpu, 0, 5, &written));
    assert_int_equal(written, 0);
    assert_int_equal(e.wb_calls, 5);
    assert_int_equal(zswap_protection(e.z, 0), before + 5);
    assert_int_equal(zswap_counters(e.z)->reject_reclaim_fail, 5);
    stop(&e);
}

/* 6.12: first pass clears the bits, second writes; meeting the swap cache stops at once. */
static void second_chance(void **state) {
    struct env e;
    uint64_t written;
    (void)state;

    start(&e, Z3B);
    fill(&e, 10);
    assert_false(zswap_shrinker_scan(e.z, &e.cpu, 0, 10, &written));
    assert_int_equal(written, 0);
    assert_true(zswap_shrinker_scan(e.z, &e.cpu, 0, 3, &written));
    assert_int_equal(written, 3);
    assert_int_equal(e.last_submitted, 2);
    e.wb_rc = -2;
    assert_false(zswap_shrinker_scan(e.z, &e.cpu, 0, 5, &written));
    assert_int_equal(e.wb_calls, 4); /* 3 + the one that met the swap cache */
    /* it was rotated before the attempt: the next is slot 4 */
    e.wb_rc = 0;
    assert_true(zswap_shrinker_scan(e.z, &e.cpu, 0, 1, &written));
    assert_int_equal(e.last_submitted, 4);
    stop(&e);

    /* a budget beyond one pass goes round: 10 bits cleared, 2 written */
    start(&e, Z3B);
    fill(&e, 10);
    assert_true(zswap_shrinker_scan(e.z, &e.cpu, 0, 12, &written));
    assert_int_equal(written, 2);
    stop(&e);

    /* but a list of one entry ends after its rotation */
    start(&e, Z3B);
    fill(&e, 1);
    assert_false(zswap_shrinker_scan(e.z, &e.cpu, 0, 12, &written));
    assert_true(zswap_shrinker_scan(e.z, &e.cpu, 0, 12, &written));
    assert_int_equal(written, 1);
    stop(&e);
}

/* One call of the slab shrinker: 4000 entries of 1000 bytes, 976 offered. */
static void slab_call(void **state) {
    struct env e;
    (void)state;

    start(&e, Z3A);
    fill(&e, 4000);
    uint64_t freeable = 4000 - zswap_protection(e.z, 0);
    uint64_t count = freeable * 976 / 4000; /* 4000 * 1000 >> 12 = 976 pages */
    assert_int_equal(zswap_shrinker_count(e.z, 0), count);
    /* priority 3: (count >> 3) * 2 entries, in whole batches of 128 */
    uint64_t total = (count >> 3) * 2;
    uint64_t scanned;
    assert_int_equal(zswap_shrink_slab(e.z, &e.cpu, 0, 3, &scanned), total / 128 * 128);
    assert_int_equal(scanned, total / 128 * 128);
    /* the rest is deferred: at priority 0 it comes back whole */
    uint64_t stored = zswap_nr_entries(e.z);
    assert_int_equal(stored, 4000 - total / 128 * 128);
    uint64_t count2 = zswap_shrinker_count(e.z, 0);
    uint64_t total2 = RF_MIN(total % 128 + count2 * 2, 2 * count2);
    assert_int_equal(zswap_shrink_slab(e.z, &e.cpu, 0, 0, NULL),
                     zswap_shrink_batches(count2, total2));
    stop(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts),
        cmocka_unit_test(count_scales_by_backing),
        cmocka_unit_test(disk_swapins_are_consumed),
        cmocka_unit_test(protected_area),
        cmocka_unit_test(failed_writeback_protects),
        cmocka_unit_test(second_chance),
        cmocka_unit_test(slab_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
