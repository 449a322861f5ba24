/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole machines on a few pages: faults, swapping, fork, unmapping, exit. Every expected value
 * follows by hand from the steps of the test and the kernel's rules; --verify and --check are on.
 */
#include "tests/machine_rig.h"

enum { FIRST = 10 }; /* a content that compresses, not same-filled */

/* Number of pages of block 0 in that state. */
static uint32_t in_state(const struct rig *r, uint32_t block, uint8_t state) {
    uint32_t n = 0;

    for (uint32_t i = block << 9; i < (block + 1) << 9; i++)
        n += machine_page_state(r->m, i) == state;
    return n;
}

/* Writes pages [0, n) of the block in order, page i with content FIRST + i % 80. */
static void fill(struct rig *r, uint32_t pid, uint32_t block, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        rig_write(r, pid, block << 9 | i, FIRST + i % 80);
    RIG_OK(r, machine_settle(r->m, &r->err));
}

static void first_touch(void **state) {
    struct rig r;

    (void)state;
    rig_config(&r, "6.12");
    rig_start(&r);
    rig_process(&r, 0, RF_NONE, 0);
    assert_int_equal(machine_page_state(r.m, 5), 0);
    rig_read(&r, 0, 5); /* maps the zero page; the block gets its page table */
    uint64_t frames = rig_value(&r, "x.free_frames");
    assert_int_equal(machine_page_state(r.m, 5), 1);
    assert_int_equal(rig_value(&r, "x.zero_page_mappings"), 1);
    assert_int_equal(rig_value(&r, "vmstat.pgfault"), 1);
    rig_read(&r, 0, 5); /* a hit */
    assert_int_equal(rig_value(&r, "vmstat.pgfault"), 1);
    rig_write(&r, 0, 5, FIRST); /* write-protected: a page of its own */
    assert_int_equal(rig_value(&r, "vmstat.pgfault"), 2);
    assert_int_equal(rig_value(&r, "x.free_frames"), frames - 1);
    assert_int_equal(rig_value(&r, "x.cow_copies"), 0); /* zeroed, not copied */
    rig_write(&r, 0, 6, FIRST);                         /* one fault where nothing was read */
    assert_int_equal(rig_value(&r, "vmstat.pgfault"), 3);
    assert_int_equal(rig_value(&r, "x.free_frames"), frames - 2);
    assert_int_equal(rig_value(&r, "vmstat.pgmajfault"), 0);
    assert_int_equal(rig_value(&r, "x.accesses"), 4);
    rig_check(&r);
    rig_teardown(&r);
}

/* The same two faults and three hits, without a guest and in one: 2 us more for each fault. */
static void guests_leave_at_faults(void **state) {
    rf_time took[2];

    (void)state;
    for (int guests = 0; guests < 2; guests++) {
        struct rig r;

        rig_config(&r, "6.12");
        r.c.guests = guests;
        rig_start(&r);
        rig_process(&r, 0, RF_NONE, 0);
        for (uint32_t i = 0; i < 5; i++)
            rig_write(&r, 0, i % 2, FIRST);
        assert_int_equal(rig_value(&r, "vmstat.pgfault"), 2);
        took[guests] = machine_now(r.m);
        rig_teardown(&r);
    }
    assert_int_equal(took[1] - took[0], 2 * 1470);
}

/*
 * 400 pages through a cgroup of 128: pages that are written once and never again leave in the order
 * in which they came, and each that left is written exactly once.
 */
static void in_order(const char *device, const char *zswap) {
    struct rig r;
    /* The pool is charged to the cgroup: 160 pages of 2.1 KB on average fit beside each other. */
    const uint32_t n = zswap ? 160 : 400;
    uint32_t out, i;

    rig_config(&r, "6.12");
    rig_device(&r, device);
    if (zswap) {
        rig_zswap(&r, zswap);
        r.c.max_pool_percent = 50;
    }
    r.c.memory_max = rig_pages(128);
    r.c.page_cluster = 0;
    rig_start(&r);
    rig_process(&r, 0, RF_NONE, 0);
    fill(&r, 0, 0, n);
    out = in_state(&r, 0, 2);
    assert_int_equal(in_state(&r, 0, 1), n - out);
    assert_true(out >= n - 128);
    for (i = 0; i < n; i++)
        assert_int_equal(machine_page_state(r.m, i), i < out ? 2 : 1);
    uint64_t device_out = rig_value(&r, "vmstat.pswpout");
    uint64_t zswap_out = rig_value(&r, "vmstat.zswpout");
    /* An asynchronous device leaves written pages in the swap cache until reclaim comes again. */
    if (machine_blk(r.m) && !blk_dev_ops(machine_blk(r.m))->synchronous)
        assert_true(rig_value(&r, "vmstat.pgsteal_anon") <= out);
    else
        assert_int_equal(rig_value(&r, "vmstat.pgsteal_anon"), out);
    assert_int_equal(rig_value(&r, "memory.swap.current"), out * RF_PAGE_SIZE);
    assert_int_equal(rig_value(&r, "final_swapped"), out);
    assert_int_equal(zswap ? zswap_out : device_out, out);
    assert_int_equal(zswap ? device_out : zswap_out, 0);
    assert_int_equal(rig_value(&r, "vmstat.pgmajfault"), 0);
    assert_int_equal(rig_value(&r, "vmstat.pgfault"), n);
    /* The first page comes back by one major fault that reads one page. */
    assert_int_equal(machine_page_state(r.m, 0), 2);
    rig_read(&r, 0, 0);
    RIG_OK(&r, machine_settle(r.m, &r.err));
    assert_int_equal(machine_page_state(r.m, 0), 1);
    assert_int_equal(rig_value(&r, "vmstat.pgmajfault"), 1);
    assert_int_equal(rig_value(&r, zswap ? "vmstat.zswpin" : "vmstat.pswpin"), 1);
    assert_int_equal(rig_value(&r, "vmstat.workingset_refault_anon"), 1);
    rig_check(&r);
    rig_teardown(&r);
}

static void swap_order_null(void **state) {
    (void)state;
    in_order("null", NULL);
}
static void swap_order_pmem(void **state) {
    (void)state;
    in_order("pmem", NULL);
}
static void swap_order_zram(void **state) {
    (void)state;
    in_order("zram0", NULL);
}
static void swap_order_zswap(void **state) {
    (void)state;
    in_order("pmem", "lz4");
}

/* Zero pages: 6.12 keeps a bit for them, 6.1 writes them like others. */
static void zero_pages(void **state) {
    struct rig r;

    (void)state;
    for (int old = 0; old < 2; old++) {
        rig_config(&r, old ? "6.1" : "6.12");
        rig_device(&r, "pmem");
        r.c.memory_max = rig_pages(128);
        rig_start(&r);
        rig_process(&r, 0, RF_NONE, 0);
        for (uint32_t i = 0; i < 300; i++)
            rig_write(&r, 0, i, CONTENT_ZERO);
        uint32_t out = in_state(&r, 0, 2);
        assert_true(out >= 300 - 128);
        assert_int_equal(rig_value(&r, "vmstat.swpout_zero"), old ? 0 : out);
        assert_int_equal(rig_value(&r, "vmstat.pswpout"), old ? out : 0);
        rig_teardown(&r);
    }
}

static void fork_and_copy(void **state) {
    struct rig r;

    (void)state;
    rig_config(&r, "6.12");
    rig_start(&r);
    rig_process(&r, 0, RF_NONE, 0);
    fill(&r, 0, 0, 4);
    rig_process(&r, 1, 0, 1);
    uint64_t frames = rig_value(&r, "x.free_frames");
    RIG_OK(&r, machine_fork_block(r.m, 1, 1, 0, 0, &r.err));
    /* Four entries copied, one page table more, no page more. */
    assert_int_equal(in_state(&r, 1, 1), 4);
    assert_int_equal(rig_value(&r, "x.free_frames"), frames - 1);
    rig_read(&r, 1, 512); /* mapped, so only the accessed bit is set */
    uint64_t faults = rig_value(&r, "vmstat.pgfault");
    rig_write(&r, 0, 0, FIRST + 50); /* shared: copied */
    assert_int_equal(rig_value(&r, "x.cow_copies"), 1);
    assert_int_equal(rig_value(&r, "vmstat.pgreuse"), 0);
    assert_int_equal(rig_value(&r, "x.free_frames"), frames - 2);
    rig_write(&r, 1, 512, FIRST + 51); /* the last user of the old page: used on */
    assert_int_equal(rig_value(&r, "x.cow_copies"), 1);
    assert_int_equal(rig_value(&r, "vmstat.pgreuse"), 1);
    assert_int_equal(rig_value(&r, "x.free_frames"), frames - 2);
    assert_int_equal(rig_value(&r, "vmstat.pgfault"), faults + 2);
    RIG_OK(&r, machine_exit(r.m, 0, false, &r.err)); /* the others are the child's alone now */
    rig_write(&r, 1, 513, FIRST + 52);
    assert_int_equal(rig_value(&r, "x.cow_copies"), 1);
    assert_int_equal(rig_value(&r, "vmstat.pgreuse"), 2);
    rig_check(&r);
    rig_teardown(&r);
}

static void fork_in_swap(void **state) {
    struct rig r;

    (void)state;
    rig_config(&r, "6.12");
    rig_device(&r, "null");
    r.c.memory_max = rig_pages(128);
    r.c.page_cluster = 0;
    rig_start(&r);
    rig_process(&r, 0, RF_NONE, 0);
    fill(&r, 0, 0, 300);
    assert_int_equal(machine_page_state(r.m, 0), 2);
    rig_process(&r, 1, 0, 1);
    uint64_t slots = rig_value(&r, "memory.swap.current");
    RIG_OK(&r, machine_fork_block(r.m, 1, 1, 0, 0, &r.err));
    assert_int_equal(machine_page_state(r.m, 512), 2);
    assert_true(rig_value(&r, "memory.swap.current") <= slots + 64 * RF_PAGE_SIZE);
    uint64_t in = rig_value(&r, "vmstat.pswpin");
    rig_read(&r, 0, 0);   /* read into the swap cache: the child's entry refers to the slot */
    rig_read(&r, 1, 512); /* and finds it there */
    assert_int_equal(rig_value(&r, "vmstat.pswpin"), in + 1);
    assert_int_equal(rig_value(&r, "vmstat.pgmajfault"), 1);
    rig_check(&r);
    RIG_OK(&r, machine_exit(r.m, 0, false, &r.err));
    rig_check(&r);
    rig_write(&r, 1, 513, FIRST); /* only the child's by now */
    rig_check(&r);
    rig_teardown(&r);
}

static void dontneed(void **state) {
    struct rig r;

    (void)state;
    rig_config(&r, "6.12");
    rig_device(&r, "null");
    r.c.memory_max = rig_pages(128);
    rig_start(&r);
    rig_process(&r, 0, RF_NONE, 0);
    fill(&r, 0, 0, 300);
    uint32_t out = in_state(&r, 0, 2);
    uint64_t frames = rig_value(&r, "x.free_frames");
    assert_int_equal(machine_page_state(r.m, 299), 1);
    RIG_OK(&r, machine_dontneed(r.m, 290, 10, &r.err)); /* resident */
    assert_int_equal(machine_page_state(r.m, 299), 0);
    assert_int_equal(rig_value(&r, "x.free_frames"), frames + 10);
    assert_int_equal(rig_value(&r, "memory.swap.current"), out * RF_PAGE_SIZE);
    RIG_OK(&r, machine_dontneed(r.m, 0, 10, &r.err)); /* in swap */
    assert_int_equal(machine_page_state(r.m, 9), 0);
    assert_int_equal(rig_value(&r, "final_swapped"), out - 10);
    rig_check(&r);
    rig_read(&r, 0, 3); /* zero again, without any I/O */
    assert_int_equal(machine_page_state(r.m, 3), 1);
    assert_int_equal(rig_value(&r, "vmstat.pgmajfault"), 0);
    rig_read(&r, 0, 20); /* with its neighbours by readahead: pages in the swap cache */
    RIG_OK(&r, machine_dontneed(r.m, 16, 16, &r.err));
    rig_check(&r);
    assert_int_equal(machine_page_state(r.m, 20), 0);
    RIG_OK(&r, machine_dontneed(r.m, 0, 512, &r.err));
    assert_int_equal(in_state(&r, 0, 0), 512);
    rig_check(&r);
    rig_teardown(&r);
}

static void exit_frees_all(void **state) {
    static const char *const devices[] = {"null", "nvme", "zram0"};
    struct rig r;

    (void)state;
    for (size_t d = 0; d < 3; d++) {
        rig_config(&r, "6.12");
        rig_device(&r, devices[d]);
        r.c.memory_max = rig_pages(200);
        rig_start(&r);
        uint64_t frames = rig_value(&r, "x.free_frames");
        rig_process(&r, 0, RF_NONE, 0);
        rig_process(&r, 1, RF_NONE, 1);
        fill(&r, 1, 1, 400);
        assert_true(in_state(&r, 1, 2) >= 200);
        RIG_OK(&r, machine_exit(r.m, 1, false, &r.err));
        assert_int_equal(rig_value(&r, "final_swapped") + rig_value(&r, "final_present"), 0);
        rig_check(&r);
        RIG_OK(&r, machine_teardown(r.m, &r.err));
        assert_int_equal(rig_value(&r, "x.free_frames"), frames);
        rig_stop(&r);
    }
}

/* exec drops the mappings and the process goes on with new ones. */
static void exec_starts_afresh(void **state) {
    struct rig r;

    (void)state;
    rig_config(&r, "6.12");
    rig_start(&r);
    rig_process(&r, 0, RF_NONE, 0);
    fill(&r, 0, 0, 20);
    RIG_OK(&r, machine_exit(r.m, 0, true, &r.err));
    assert_int_equal(in_state(&r, 0, 0), 512);
    RIG_OK(&r, machine_map(r.m, 0, 7, 1024, 512, 1024, TMAP_ANON | TMAP_WRITE, &r.err));
    rig_write(&r, 0, 1024, FIRST);
    assert_int_equal(machine_page_state(r.m, 1024), 1);
    rig_check(&r);
    rig_teardown(&r);
}

static void misuse_is_refused(void **state) {
    struct rig r;
    uint32_t op = 3;
    size_t done;

    (void)state;
    for (uint32_t cpus = 1; cpus <= 2; cpus++) {
        rig_config(&r, "6.12");
        r.c.cpus = cpus;
        rig_start(&r);
        assert_int_equal(machine_switch(r.m, 3, &r.err), RF_EINPUT);
        rig_process(&r, 0, RF_NONE, 0);
        int rc = machine_process(r.m, 0, RF_NONE, &r.err);
        if (!rc)
            rc = machine_settle(r.m, &r.err);
        assert_int_equal(rc, RF_EINPUT);
        rig_stop(&r);

        rig_config(&r, "6.12");
        r.c.cpus = cpus;
        rig_start(&r);
        rig_process(&r, 0, RF_NONE, 0);
        op = 1024 + 3; /* mapped nowhere */
        rc = machine_run(r.m, &op, 1, &done, &r.err);
        if (!rc)
            rc = machine_settle(r.m, &r.err);
        assert_int_equal(rc, RF_EINPUT);
        assert_non_null(strstr(r.err.msg, "1027"));
        rig_stop(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_touch),       cmocka_unit_test(guests_leave_at_faults),
        cmocka_unit_test(swap_order_null),   cmocka_unit_test(swap_order_pmem),
        cmocka_unit_test(swap_order_zram),   cmocka_unit_test(swap_order_zswap),
        cmocka_unit_test(zero_pages),        cmocka_unit_test(fork_and_copy),
        cmocka_unit_test(fork_in_swap),      cmocka_unit_test(dontneed),
        cmocka_unit_test(exit_frees_all),    cmocka_unit_test(exec_starts_afresh),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
