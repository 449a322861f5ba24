/* SPDX-License-Identifier: Apache-2.0 */
/* Batches and large swap-in on whole machines; figures by hand from the sizes of the pages. */
#include "../machine_rig.h"

#define PAGES 512u
#define LIMIT 300u

/* All pages of one process written in ascending order: the first are in zswap afterwards. */
static void fill(struct rig *r) {
    rig_start(r);
    rig_process(r, 0, RF_NONE, 0);
    for (uint32_t i = 0; i < PAGES; i++)
        rig_write(r, 0, i, 10 + i % 50);
}

static void config(struct rig *r, const char *compressor) {
    rig_config(r, "6.13");
    rig_device(r, "null");
    rig_zswap(r, compressor);
    r->c.memory_max = rig_pages(LIMIT);
    r->c.max_pool_percent = 50;
    r->c.page_cluster = 0;
}

static void iaa(struct rig *r) {
    config(r, "deflate-iaa");
    strcpy(r->c.accel.model, "iaa");
    r->c.accel.engines = 8;
    r->c.accel.completion = ACCEL_ASYNC;
    r->c.accel.verify_compress = false;
    r->c.era.zswap.store_batch = true;
}

/* One fault brings the 16 pages of a folio of 64 KiB, each out of zswap. */
static void test_large_swapin(void **state) {
    struct rig r;

    (void)state;
    config(&r, "zstd");
    r.c.thp_orders = 1u << 4;
    r.c.thp_defrag = THP_DEFRAG_ALWAYS;
    r.c.era.fault.zswap_skips_cache = true;
    r.c.era.fault.large_swapin = LARGE_SWAPIN_ZSWAP;
    fill(&r);
    assert_int_equal(machine_page_state(r.m, 0), 2);
    assert_true(rig_value(&r, "hugepages-64kB.zswpout") > 0);
    uint64_t faults = rig_value(&r, "vmstat.pgmajfault"), in = rig_value(&r, "vmstat.zswpin");
    rig_read(&r, 0, 5);
    assert_int_equal(rig_value(&r, "vmstat.pgmajfault"), faults + 1);
    assert_int_equal(rig_value(&r, "vmstat.zswpin"), in + 16);
    assert_int_equal(rig_value(&r, "hugepages-64kB.zswpin"), 1);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(machine_page_state(r.m, i), 1);
    rig_check(&r);
    rig_teardown(&r);
}

/* A cap below the folio's size: its pages come in two halves. */
static void test_large_swapin_capped(void **state) {
    struct rig r;

    (void)state;
    config(&r, "zstd");
    r.c.thp_orders = 1u << 3 | 1u << 4;
    r.c.thp_defrag = THP_DEFRAG_ALWAYS;
    r.c.era.fault.zswap_skips_cache = true;
    r.c.era.fault.large_swapin = LARGE_SWAPIN_ZSWAP;
    r.c.era.fault.large_swapin_max_order = 3;
    fill(&r);
    rig_read(&r, 0, 5);
    assert_int_equal(rig_value(&r, "hugepages-64kB.zswpin"), 0);
    assert_int_equal(rig_value(&r, "hugepages-32kB.zswpin"), 1);
    assert_int_equal(machine_page_state(r.m, 7), 1);
    assert_int_equal(machine_page_state(r.m, 8), 2);
    rig_teardown(&r);
}

/* Pages of a folio of 64 KiB go in two batches of eight. */
static void test_store_batch(void **state) {
    struct rig r;

    (void)state;
    iaa(&r);
    r.c.thp_orders = 1u << 4;
    r.c.thp_defrag = THP_DEFRAG_ALWAYS;
    fill(&r);
    assert_int_equal(rig_value(&r, "x.accel.batch_fill.08"),
                     2 * rig_value(&r, "hugepages-64kB.zswpout"));
    assert_int_equal(rig_value(&r, "iaa_crypto.total_comp_calls"), rig_value(&r, "vmstat.zswpout"));
    rig_teardown(&r);
}

/* Small folios are batched only if reclaim collects them. */
static void test_reclaim_batch(void **state) {
    uint64_t stored[2], ns[2];

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct rig r;

        iaa(&r);
        r.c.compress_batchsize = i ? 32 : 1;
        fill(&r);
        assert_int_equal(rig_value(&r, "x.accel.batch_fill.08") > 0, i);
        stored[i] = rig_value(&r, "vmstat.zswpout");
        ns[i] = rig_value(&r, "sys_ns");
        rig_teardown(&r);
    }
    assert_int_equal(stored[0], stored[1]);
    assert_true(ns[1] < ns[0]);
}

/* Eight pages of a batch: the first store costs 1000 ns outside its job, the others 10 each; or
 * 5000 and 100, where the CPU compresses. */
static void test_store_costs(void **state) {
    uint64_t ns[4];

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct rig r;
        bool charged = i & 1, device = i & 2;

        iaa(&r);
        if (!device)
            strcpy(r.c.accel.model, "none");
        r.c.thp_orders = 1u << 4;
        r.c.thp_defrag = THP_DEFRAG_ALWAYS;
        r.c.cost.accel.store_ns = charged ? 1000 : 0;
        r.c.cost.accel.store_next_ns = charged ? 10 : 0;
        r.c.cost.zswap.store_ns = charged ? 5000 : 0;
        r.c.cost.zswap.store_next_ns = charged ? 100 : 0;
        fill(&r);
        assert_int_equal(rig_value(&r, "x.zswap.attempts"),
                         16 * rig_value(&r, "hugepages-64kB.zswpout"));
        ns[i] = rig_value(&r, "sys_ns");
        if (charged)
            assert_int_equal(ns[i] - ns[i - 1], rig_value(&r, "x.zswap.attempts") / 8 *
                                                    (device ? 1000 + 7 * 10 : 5000 + 7 * 100));
        rig_teardown(&r);
    }
}

/* A window of eight is decompressed at once, and all but the target are read ahead. */
static void test_load_batch(void **state) {
    struct rig r;

    (void)state;
    iaa(&r);
    r.c.page_cluster = 3;
    r.c.era.zswap.load_batch = true;
    fill(&r);
    uint64_t fills = rig_value(&r, "x.accel.batch_fill.08");
    uint64_t in = rig_value(&r, "vmstat.zswpin");
    rig_read(&r, 0, 100);
    assert_int_equal(rig_value(&r, "vmstat.zswpin"), in + 8);
    assert_int_equal(rig_value(&r, "vmstat.swap_ra"), 7);
    assert_int_equal(rig_value(&r, "x.accel.batch_fill.08"), fills + 1);
    rig_check(&r);
    rig_teardown(&r);
}

/* A synchronous device: readahead only if it is asked for. */
static void test_singlemapped(void **state) {
    (void)state;
    for (uint32_t on = 0; on < 2; on++) {
        struct rig r;

        iaa(&r);
        rig_device(&r, "pmem");
        r.c.page_cluster = 3;
        r.c.era.zswap.load_batch = true;
        r.c.singlemapped_ra_enabled = on;
        fill(&r);
        rig_read(&r, 0, 100);
        assert_int_equal(rig_value(&r, "vmstat.swap_ra"), on ? 7 : 0);
        rig_check(&r);
        rig_teardown(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_swapin), cmocka_unit_test(test_large_swapin_capped),
        cmocka_unit_test(test_store_batch),  cmocka_unit_test(test_reclaim_batch),
        cmocka_unit_test(test_load_batch),   cmocka_unit_test(test_singlemapped),
        cmocka_unit_test(test_store_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
