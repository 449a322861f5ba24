/* SPDX-License-Identifier: Apache-2.0 */
/* Pool limits and hysteresis era by era; the pool has one page an object, figures by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "fake_zpool.h"
#include "zswap_env.h"

static bool store(struct env *e, uint32_t slot) {
    return zswap_store(e->z, &e->cpu, slot, 0, PAGE_1000);
}
static void check(struct env *e) {
    if (zswap_check(e->z, &e->err))
        fail_msg("%s", e->err.msg);
}

/* floor(floor(ram * accept / 100) * max / 100) to 6.9, floor(floor(ram * max / 100) * accept / 100)
 * from 6.10 on; strict and not strict comparison. */
static const struct {
    uint64_t ram;
    uint32_t max_percent, accept, max, old_bound, new_thr;
} limit_row[] = {
    {906, 7, 90, 63, 57, 56},
    {906, 20, 90, 181, 163, 162},
    {984, 13, 33, 127, 42, 41},
    {8388608, 1, 90, 83886, 75497, 75497},
};

static void old_limits(void **state) {
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct env e;
        uint32_t s;

        env_init(&e, era_policy(Z1), &fake_plain, limit_row[i].ram, limit_row[i].max_percent,
                 limit_row[i].accept);
        assert_int_equal(env_start(&e), 0);
        /* not full at max: one more is taken, full above it */
        for (s = 0; s <= limit_row[i].max; s++)
            assert_true(store(&e, s));
        assert_false(store(&e, s));
        assert_int_equal(zswap_counters(e.z)->pool_limit_hit, 1);
        assert_int_equal(e.queued, 1);
        /* refused down to the bound itself, accepted below it */
        while (zswap_total_pages(e.z) > limit_row[i].old_bound)
            zswap_invalidate(e.z, &e.cpu, --s);
        assert_false(store(&e, 500000));
        assert_int_equal(zswap_counters(e.z)->x_reject_hysteresis, 1);
        assert_int_equal(zswap_counters(e.z)->pool_limit_hit, 1);
        assert_int_equal(e.queued, 1); /* nor is the worker queued: the flaw of 5.6-6.4 */
        zswap_invalidate(e.z, &e.cpu, --s);
        assert_true(store(&e, 500000));
        assert_true(store(&e, 500001)); /* the flag is gone */
        check(&e);
        env_stop(&e);
    }
}

static void new_limits(void **state) {
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct env e;
        uint32_t s;

        env_init(&e, era_policy(Z3B), &fake_plain, limit_row[i].ram, limit_row[i].max_percent,
                 limit_row[i].accept);
        assert_int_equal(env_start(&e), 0);
        for (s = 0; s < limit_row[i].max; s++)
            assert_true(store(&e, s));
        assert_false(store(&e, s));
        assert_int_equal(zswap_counters(e.z)->pool_limit_hit, 1);
        while (zswap_total_pages(e.z) > limit_row[i].new_thr + 1)
            zswap_invalidate(e.z, &e.cpu, --s);
        assert_false(store(&e, 500000));
        assert_int_equal(zswap_counters(e.z)->x_reject_hysteresis, 1);
        assert_int_equal(zswap_counters(e.z)->pool_limit_hit, 1);
        assert_int_equal(e.queued, 2); /* each refusal while the flag is set queues the worker */
        zswap_invalidate(e.z, &e.cpu, --s);
        assert_true(store(&e, 500000));
        check(&e);
        env_stop(&e);
    }
}

/* To 5.5 the storing task evicts one page and goes on, if the backend can. */
static void sync_shrink(void **state) {
    struct env e;
    (void)state;

    env_init(&e, era_policy(Z0), &fake_evictable, 100, 10, 90);
    assert_int_equal(env_start(&e), 0);
    for (uint32_t s = 0; s < 11; s++)
        assert_true(store(&e, s));
    for (uint32_t s = 11; s < 20; s++) {
        assert_true(store(&e, s));
        assert_int_equal(e.last_submitted, s - 11); /* the oldest allocation */
    }
    assert_int_equal(zswap_counters(e.z)->pool_limit_hit, 9);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 9);
    assert_int_equal(zswap_counters(e.z)->reject_reclaim_fail, 0);
    e.wb_rc = -2;
    assert_false(store(&e, 30));
    assert_int_equal(zswap_counters(e.z)->reject_reclaim_fail, 1);
    assert_int_equal(e.queued, 0);
    check(&e);
    env_stop(&e);

    /* zsmalloc of that time cannot evict: every store at the limit is counted twice and refused */
    env_init(&e, era_policy(Z0), &fake_plain, 100, 10, 90);
    assert_int_equal(env_start(&e), 0);
    for (uint32_t s = 0; s < 20; s++)
        assert_int_equal(store(&e, s), s < 11);
    assert_int_equal(zswap_counters(e.z)->pool_limit_hit, 9);
    assert_int_equal(zswap_counters(e.z)->reject_reclaim_fail, 9);
    assert_int_equal(zswap_counters(e.z)->x_reject_reclaim, 9);
    check(&e);
    env_stop(&e);
}

/* 5.6-6.4: one run of the worker evicts one backend page. */
static void worker_one(void **state) {
    struct env e;
    (void)state;

    env_init(&e, era_policy(Z1), &fake_evictable, 100, 10, 90);
    assert_int_equal(env_start(&e), 0);
    for (uint32_t s = 0; s < 12; s++)
        (void)store(&e, s);
    assert_int_equal(e.queued, 1);
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 1);
    assert_int_equal(zswap_total_pages(e.z), 10);
    assert_false(store(&e, 12)); /* 9 is not above 10 */
    assert_int_equal(zswap_counters(e.z)->x_reject_hysteresis, 1);
    e.wb_rc = -1;
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(zswap_counters(e.z)->reject_reclaim_fail, 1);
    check(&e);
    env_stop(&e);
}

/* Fills a pool of 6.5+ with 11 objects at a limit of 10 pages and gets one refusal. */
static void fill_z2(struct env *e, uint8_t mode, uint32_t accept) {
    struct zswap_policy p = era_policy(Z2);

    p.shrink_mode = mode;
    env_init(e, p, &fake_plain, 100, 10, accept);
    assert_int_equal(env_start(e), 0);
    for (uint32_t s = 0; s < 11; s++)
        assert_true(store(e, s));
    assert_false(store(e, 11));
}

static void worker_until_accept(void **state) {
    struct env e;
    (void)state;

    /* accept bound floor(50 * 10 / 100) = 5: evicts the 7 oldest of 11, so that 4 < 5 */
    fill_z2(&e, ZSWAP_SHRINK_UNTIL_ACCEPT, 50);
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 7);
    assert_int_equal(e.last_submitted, 6);
    assert_true(store(&e, 11));
    check(&e);
    env_stop(&e);

    /* a refusal above the threshold queues it too */
    fill_z2(&e, ZSWAP_SHRINK_UNTIL_ACCEPT, 50);
    zswap_invalidate(e.z, &e.cpu, 0);
    zswap_invalidate(e.z, &e.cpu, 1);
    assert_int_equal(e.queued, 1);
    assert_false(store(&e, 12));
    assert_int_equal(e.queued, 2);
    assert_int_equal(zswap_counters(e.z)->pool_limit_hit, 1);
    env_stop(&e);

    /* the first step runs even if the pool can accept already */
    fill_z2(&e, ZSWAP_SHRINK_UNTIL_ACCEPT, 90);
    for (uint32_t s = 0; s < 8; s++)
        zswap_invalidate(e.z, &e.cpu, s);
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 1);
    env_stop(&e);

    /* empty LRU: one step, EINVAL; accept 0 % means that it can never accept */
    for (uint8_t mode = ZSWAP_SHRINK_V1; mode <= ZSWAP_SHRINK_UNTIL_ACCEPT; mode++) {
        fill_z2(&e, mode, 0);
        for (uint32_t s = 0; s < 11; s++)
            zswap_invalidate(e.z, &e.cpu, s);
        zswap_shrink_work(e.z, &e.cpu);
        assert_int_equal(zswap_counters(e.z)->x_shrink_steps, 1);
        assert_int_equal(zswap_counters(e.z)->reject_reclaim_fail, 1);
        env_stop(&e);
    }

    /* everything in the swap cache: exactly 16 failures, all counted */
    fill_z2(&e, ZSWAP_SHRINK_UNTIL_ACCEPT, 50);
    e.wb_rc = -2;
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(e.wb_calls, 16);
    assert_int_equal(zswap_counters(e.z)->reject_reclaim_fail, 16);
    assert_int_equal(zswap_nr_entries(e.z), 11);
    check(&e);
    env_stop(&e);

    /* failures add up over the run, with successes between: F S F S ... the 16th F is step 31 */
    struct zswap_policy p = era_policy(Z2);
    env_init(&e, p, &fake_plain, 1000, 10, 0);
    assert_int_equal(env_start(&e), 0);
    for (uint32_t s = 0; s < 60; s++)
        assert_true(store(&e, s));
    e.wb_alternate = true;
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(e.wb_calls, 31);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 15);
    env_stop(&e);
}

static void worker_as_posted(void **state) {
    struct env e;
    (void)state;

    /* first version: goes on over successes, as the landed one */
    fill_z2(&e, ZSWAP_SHRINK_V1, 50);
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 7);
    env_stop(&e);
    /* ... and has no limit of failures but the end of the list */
    fill_z2(&e, ZSWAP_SHRINK_V1, 50);
    e.wb_rc = -2;
    zswap_shrink_work(e.z, &e.cpu);
    assert_true(e.wb_calls > 16);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 0);
    env_stop(&e);

    /* second version: a success is not EAGAIN and ends the run */
    fill_z2(&e, ZSWAP_SHRINK_V2, 50);
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 1);
    env_stop(&e);
    fill_z2(&e, ZSWAP_SHRINK_V2, 50);
    e.wb_rc = -2;
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(zswap_counters(e.z)->reject_reclaim_fail, 16);
    env_stop(&e);
}

/* 6.8+: 10 objects at the limit of 10 pages, and one refusal. */
static void fill_z3(struct env *e, struct zswap_policy p, uint32_t accept, uint32_t nr) {
    env_init(e, p, &fake_plain, (uint64_t)nr * 10, 10, accept);
    assert_int_equal(env_start(e), 0);
    for (uint32_t s = 0; s < nr; s++)
        assert_true(store(e, s));
    assert_int_equal(store(e, nr), !p.limits_nonstrict);
}

static void worker_memcg(void **state) {
    struct env e;
    struct zswap_policy p = era_policy(Z3B);
    (void)state;

    /* fresh entries use up the budget of one: 16 failures, nothing written, none counted */
    fill_z3(&e, p, 50, 20);
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 0);
    assert_int_equal(zswap_counters(e.z)->reject_reclaim_fail, 0);
    assert_int_equal(e.wb_calls, 0);
    /* second run: 4 fresh ones fail, then the oldest are written down to 10 pages */
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 10);
    assert_int_equal(e.last_submitted, 9);
    assert_int_equal(zswap_total_pages(e.z), 10);
    check(&e);
    env_stop(&e);

    /* a budget of 32 goes round the 20 fresh ones and writes 12 at once */
    p.walk_budget = 32;
    fill_z3(&e, p, 50, 20);
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 12);
    env_stop(&e);

    /* 6.8 has no referenced bit. 21 stored; accept below floor(100 * 10 / 100) = 10 */
    fill_z3(&e, era_policy(Z3A), 50, 20);
    assert_false(store(&e, 21));
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(zswap_total_pages(e.z), 9);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 12);
    check(&e);
    env_stop(&e);

    /* in the swap cache: each failure rotates, 16 end the run */
    fill_z3(&e, era_policy(Z3A), 50, 20);
    e.wb_rc = -2;
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(zswap_counters(e.z)->reject_reclaim_fail, 16);
    assert_int_equal(e.wb_calls, 16);
    check(&e);
    env_stop(&e);

    /* writeback disabled: rounds without an attempt count, 16 end the run */
    fill_z3(&e, era_policy(Z3A), 50, 20);
    e.no_writeback = true;
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(zswap_counters(e.z)->x_shrink_steps, 0);
    env_stop(&e);
}

/* Two memcgs take turns, and the cursor is kept over runs. */
static void round_robin(void **state) {
    struct env e;
    (void)state;

    env_init(&e, era_policy(Z3A), &fake_plain, 200, 10, 90);
    e.nr_memcgs = 2;
    assert_int_equal(env_start(&e), 0);
    for (uint32_t s = 0; s < 20; s++)
        assert_true(zswap_store(e.z, &e.cpu, s, s % 2, PAGE_1000));
    assert_int_equal(zswap_lru_len(e.z, 0), 10);
    assert_int_equal(zswap_lru_len(e.z, 1), 10);
    zswap_shrink_work(e.z, &e.cpu); /* accepts below 18 */
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 3);
    assert_int_equal(zswap_lru_len(e.z, 0), 8);
    assert_int_equal(zswap_lru_len(e.z, 1), 9);
    zswap_shrink_work(e.z, &e.cpu); /* one step in any case: memcg 1 is next */
    assert_int_equal(zswap_lru_len(e.z, 1), 8);
    check(&e);
    env_stop(&e);
}

/* A run in slices is the same run. */
static void worker_in_slices(void **state) {
    struct env e;
    uint32_t slices = 0;
    (void)state;

    fill_z2(&e, ZSWAP_SHRINK_UNTIL_ACCEPT, 50);
    while (!zswap_shrink_work_step(e.z, &e.cpu, e.cpu.now))
        slices++;
    assert_int_equal(slices, 6);
    assert_int_equal(zswap_counters(e.z)->x_work_runs, 1);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 7);
    env_stop(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_limits),          cmocka_unit_test(new_limits),
        cmocka_unit_test(sync_shrink),         cmocka_unit_test(worker_one),
        cmocka_unit_test(worker_until_accept), cmocka_unit_test(worker_as_posted),
        cmocka_unit_test(worker_memcg),        cmocka_unit_test(round_robin),
        cmocka_unit_test(worker_in_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
