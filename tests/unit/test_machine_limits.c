/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of a memory cgroup (Documentation/admin-guide/cgroup-v2.rst) on whole machines. */
#include "tests/machine_rig.h"

/* Writes pages [0, n) of block 0 until done or out of memory; returns how many were done. */
static uint32_t fill(struct rig *r, uint32_t n, uint32_t content) {
    uint32_t i = 0;

    RIG_OK(r, machine_switch(r->m, 0, &r->err));
    for (; i < n; i++) {
        uint32_t ops[] = {i | OP_WRITE | OP_CONTENT, content};
        size_t done;

        RIG_OK(r, machine_run(r->m, ops, 2, &done, &r->err));
        if (machine_outcome(r->m) == MACHINE_OOM) {
            assert_int_equal(done, 0); /* the access was not made */
            break;
        }
        assert_int_equal(done, 2);
    }
    RIG_OK(r, machine_settle(r->m, &r->err));
    rig_check(r);
    return i;
}

static void start(struct rig *r, const char *device, uint64_t max) {
    rig_config(r, "6.12");
    rig_device(r, device);
    r->c.memory_max = rig_pages(max);
}

static void go(struct rig *r) {
    rig_start(r);
    rig_process(r, 0, RF_NONE, 0);
}

/* Without room in swap a cgroup holds what memory.max allows, and then its task is killed. */
static void out_of_memory(void **state) {
    struct rig r;

    (void)state;
    start(&r, "null", 128);
    r.c.memory_swap_max = rig_pages(0);
    go(&r);
    uint32_t n = fill(&r, 400, 50);
    assert_int_equal(machine_outcome(r.m), MACHINE_OOM);
    /* The page table takes one page, the process itself at most a few. */
    assert_in_range(n, 128 - 4, 128 - 1);
    assert_int_equal(rig_value(&r, "memory.events.oom_kill"), 1);
    assert_int_equal(rig_value(&r, "memory.peak"), 128 * RF_PAGE_SIZE);
    assert_int_equal(rig_value(&r, "vmstat.pswpout"), 0);
    /* Without any swap left for it, reclaim does not look at anonymous pages. */
    assert_int_equal(rig_value(&r, "memory.swap.events.max"), 0);
    assert_int_equal(rig_value(&r, "vmstat.pgscan_anon"), 0);
    rig_teardown(&r);
}

static void swap_max(void **state) {
    struct rig r;

    (void)state;
    start(&r, "pmem", 128);
    r.c.memory_swap_max = rig_pages(10);
    go(&r);
    uint32_t n = fill(&r, 400, 50);
    assert_int_equal(machine_outcome(r.m), MACHINE_OOM);
    assert_in_range(n, 128 + 10 - 4, 128 + 10 - 1);
    assert_int_equal(rig_value(&r, "memory.swap.current"), 10 * RF_PAGE_SIZE);
    assert_int_equal(rig_value(&r, "vmstat.pswpout"), 10);
    rig_teardown(&r);
}

static void memory_high(void **state) {
    struct rig r;

    (void)state;
    start(&r, "pmem", 400);
    r.c.memory_high = rig_pages(150);
    go(&r);
    assert_int_equal(fill(&r, 400, 50), 400);
    assert_int_equal(machine_outcome(r.m), MACHINE_DONE);
    assert_true(rig_value(&r, "memory.events.high") > 0);
    assert_int_equal(rig_value(&r, "memory.events.max"), 0);
    /* A charge takes 64 pages at once, and what is above the mark is given back after it. */
    assert_true(rig_value(&r, "memory.peak") <= (150 + 64) * RF_PAGE_SIZE);
    assert_true(rig_value(&r, "final_swapped") >= 400 - 150 - 64);
    rig_teardown(&r);
}

/* Pages that do not compress: with writeback on they go to the device, with it off nowhere. */
static void zswap_writeback_off(void **state) {
    struct rig r;

    (void)state;
    for (int on = 0; on < 2; on++) {
        start(&r, "pmem", 128);
        rig_zswap(&r, "lz4");
        r.c.memory_zswap_writeback = on;
        go(&r);
        uint32_t n = fill(&r, 300, RIG_BAD + 5);
        assert_int_equal(machine_outcome(r.m), on ? MACHINE_DONE : MACHINE_OOM);
        if (on) {
            assert_int_equal(rig_value(&r, "vmstat.pswpout"), rig_value(&r, "final_swapped"));
        } else {
            assert_true(n < 128);
            assert_int_equal(rig_value(&r, "vmstat.pswpout"), 0);
        }
        assert_int_equal(rig_value(&r, "vmstat.zswpout"), 0);
        rig_teardown(&r);
    }
}

/*
 * From 6.7 on reclaim reads statistics that are flushed every 2 s, but the test of memory.zswap.max
 * flushes them by force (obj_cgroup_may_zswap(), mm/memcontrol.c 6.12), once a store. A limit of 0
 * is known without.
 */
static void zswap_max_flushes(void **state) {
    uint64_t flushes[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct rig r;

        start(&r, "pmem", 128);
        rig_zswap(&r, "lz4");
        if (i)
            r.c.memory_zswap_max = rig_pages(i == 1 ? 0 : 100000);
        go(&r);
        assert_int_equal(fill(&r, 180, 50), 180);
        flushes[i] = rig_value(&r, "x.stat_flushes");
        if (i == 2) {
            assert_true(rig_value(&r, "vmstat.zswpout") > 0);
            assert_int_equal(flushes[2] - flushes[0], rig_value(&r, "vmstat.zswpout"));
        }
        rig_teardown(&r);
    }
    assert_int_equal(flushes[0], flushes[1]);
}

/* memory.zswap.max = 0: zswap refuses everything of the cgroup and the device gets it. */
static void zswap_max(void **state) {
    struct rig r;

    (void)state;
    start(&r, "pmem", 128);
    rig_zswap(&r, "lz4");
    r.c.memory_zswap_max = rig_pages(0);
    go(&r);
    assert_int_equal(fill(&r, 300, 50), 300);
    assert_int_equal(rig_value(&r, "vmstat.zswpout"), 0);
    assert_int_equal(rig_value(&r, "zswap.stored_pages"), 0);
    assert_int_equal(rig_value(&r, "vmstat.pswpout"), rig_value(&r, "final_swapped"));
    assert_true(rig_value(&r, "final_swapped") >= 300 - 128);
    rig_teardown(&r);

    /* Five pages of pool and a page of slack, for the limit is looked at before a store. */
    start(&r, "pmem", 128);
    rig_zswap(&r, "lz4");
    r.c.memory_zswap_max = rig_pages(5);
    go(&r);
    assert_int_equal(fill(&r, 300, 50), 300);
    assert_true(rig_value(&r, "vmstat.zswpout") > 0);
    assert_true(rig_value(&r, "vmstat.pswpout") > 0);
    assert_true(rig_value(&r, "memory.zswap.current") <= 6 * RF_PAGE_SIZE);
    rig_teardown(&r);
}

/* Pages filled with one word take no room in a pool: all of a large set goes into a small cgroup.
 */
static void same_filled(void **state) {
    struct rig r;

    (void)state;
    rig_config(&r, "6.1");
    rig_device(&r, "pmem");
    r.c.memory_max = rig_pages(100);
    rig_zswap(&r, "lz4");
    go(&r);
    assert_int_equal(fill(&r, 512, 2), 512);
    assert_int_equal(rig_value(&r, "zswap.same_filled_pages"), rig_value(&r, "final_swapped"));
    assert_int_equal(rig_value(&r, "zswap.pool_total_size"), 0);
    assert_int_equal(rig_value(&r, "vmstat.pswpout"), 0);
    rig_teardown(&r);
}

/* The area itself is full: 200 slots, less those that lie unused in the CPU's cache. */
static void swap_is_full(void **state) {
    struct rig r;

    (void)state;
    start(&r, "pmem", 128);
    r.c.swap_size = rig_pages(200);
    go(&r);
    uint32_t n = fill(&r, 512, 50);
    assert_int_equal(machine_outcome(r.m), MACHINE_OOM);
    assert_true(n > 128 + 100 && n < 128 + 200);
    rig_teardown(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(out_of_memory), cmocka_unit_test(swap_max),
        cmocka_unit_test(memory_high),   cmocka_unit_test(zswap_writeback_off),
        cmocka_unit_test(zswap_max),     cmocka_unit_test(zswap_max_flushes),
        cmocka_unit_test(same_filled),   cmocka_unit_test(swap_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
