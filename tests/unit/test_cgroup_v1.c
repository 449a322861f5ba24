/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup v1: memory and swap charged together (memory.memsw.*), and reclaim that waits for
 * writeback. Expected values follow by hand from the steps and from mm/memcontrol.c and
 * mm/vmscan.c of 5.10.
 */
#include "tests/machine_rig.h"

enum { LIMIT = 128, PAGES = 200, FIRST = 10 };

static void start(struct rig *r, const char *device) {
    rig_config(r, "5.10");
    rig_device(r, device);
    r->c.page_cluster = 0;
    r->c.memory_limit = rig_pages(LIMIT);
}

static void fill(struct rig *r, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        rig_write(r, 0, i, FIRST + i % 80);
    RIG_OK(r, machine_settle(r->m, &r->err));
}

/*
 * 200 pages and their page table are charged once each, in memory or in swap, wherever they are;
 * besides, a CPU keeps up to 64 pages charged in advance.
 */
static void charged_once(void **state) {
    static const char *const devices[] = {"nvme", "pmem", "zram0"};

    (void)state;
    for (size_t d = 0; d < 3; d++) {
        struct rig r;

        start(&r, devices[d]);
        rig_start(&r);
        rig_process(&r, 0, RF_NONE, 0);
        fill(&r, PAGES);
        for (int round = 0; round < 2; round++) {
            uint64_t all = rig_value(&r, "memory.memsw.usage_in_bytes") / RF_PAGE_SIZE;
            uint64_t memory = rig_value(&r, "memory.usage_in_bytes") / RF_PAGE_SIZE;
            assert_in_range(all, PAGES + 1, PAGES + 1 + 64 + 1);
            assert_in_range(memory, 64, LIMIT);
            assert_int_equal(rig_value(&r, "memory.stat.swap") / RF_PAGE_SIZE, all - memory);
            rig_check(&r);
            for (uint32_t i = 0; i < PAGES; i++)
                rig_read(&r, 0, i);
            RIG_OK(&r, machine_settle(r.m, &r.err));
        }
        assert_true(rig_value(&r, "memory.failcnt") > 0);
        assert_int_equal(rig_value(&r, "memory.max_usage_in_bytes"), LIMIT * RF_PAGE_SIZE);
        assert_int_equal(rig_value(&r, "memory.memsw.failcnt"), 0);
        rig_teardown(&r);
    }
}

/* What is unmapped gives its charge back from swap as from memory. */
static void unmapped(void **state) {
    struct rig r;

    (void)state;
    start(&r, "nvme");
    rig_start(&r);
    rig_process(&r, 0, RF_NONE, 0);
    fill(&r, PAGES);
    RIG_OK(&r, machine_switch(r.m, 0, &r.err));
    RIG_OK(&r, machine_dontneed(r.m, 0, PAGES, &r.err));
    /* Left are the page table, the stock, and slots in the CPU's return cache. */
    assert_true(rig_value(&r, "memory.memsw.usage_in_bytes") <= (1 + 1 + 64 + 64) * RF_PAGE_SIZE);
    rig_teardown(&r);
}

/* Swapping makes no room below the limit of both, so the process dies there. */
static void memsw_limit(void **state) {
    struct rig r;
    uint32_t done = 0;

    (void)state;
    start(&r, "nvme");
    r.c.memory_memsw_limit = rig_pages(160);
    rig_start(&r);
    rig_process(&r, 0, RF_NONE, 0);
    while (machine_outcome(r.m) == MACHINE_DONE && done < PAGES)
        rig_write(&r, 0, done++, FIRST);
    assert_int_equal(machine_outcome(r.m), MACHINE_OOM);
    assert_in_range(done, 150, 160);
    assert_true(rig_value(&r, "memory.memsw.failcnt") > 0);
    assert_int_equal(rig_value(&r, "memory.oom_control.oom_kill"), 1);
    assert_int_equal(rig_value(&r, "memory.memsw.max_usage_in_bytes"), 160 * RF_PAGE_SIZE);
    rig_stop(&r);
}

/*
 * A disk takes 12 ms a write. Stores faster than that find the cgroup full of pages under
 * writeback; reclaim of v1 waits for each that it has marked already, that of v2 goes on.
 */
static void waits_for_writeback(void **state) {
    uint64_t waits[2];

    (void)state;
    for (int v1 = 0; v1 < 2; v1++) {
        struct rig r;

        start(&r, "hdd");
        if (!v1) {
            r.c.memory_max = r.c.memory_limit;
            r.c.memory_limit = (struct rf_amount){.kind = AMOUNT_MAX};
        }
        rig_start(&r);
        rig_process(&r, 0, RF_NONE, 0);
        for (uint32_t i = 0; i < 400; i++)
            rig_write(&r, 0, i, FIRST);
        waits[v1] = rig_value(&r, "x.writeback_waits");
        RIG_OK(&r, machine_settle(r.m, &r.err));
        rig_check(&r);
        rig_teardown(&r);
    }
    assert_int_equal(waits[0], 0);
    assert_true(waits[1] > 0);
}

static void one_hierarchy(void **state) {
    struct rig r;

    (void)state;
    rig_config(&r, "6.12");
    r.c.memory_limit = rig_pages(LIMIT);
    r.c.memory_max = rig_pages(LIMIT);
    assert_int_equal(machine_create(&r.c, NULL, &r.m, &r.err), RF_EUSAGE);
    assert_non_null(strstr(r.err.msg, "memory.limit_in_bytes"));
    r.c.memory_max = (struct rf_amount){.kind = AMOUNT_MAX};
    r.c.memory_memsw_limit = rig_pages(LIMIT - 1);
    assert_int_equal(machine_create(&r.c, NULL, &r.m, &r.err), RF_EUSAGE);
    assert_non_null(strstr(r.err.msg, "below memory.limit_in_bytes"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charged_once),  cmocka_unit_test(unmapped),
        cmocka_unit_test(memsw_limit),   cmocka_unit_test(waits_for_writeback),
        cmocka_unit_test(one_hierarchy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
