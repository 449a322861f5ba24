/* SPDX-License-Identifier: Apache-2.0 */
/* Stores, loads and invalidation era by era: who is refused, who counts it, who keeps the entry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "fake_zpool.h"
#include "zswap_env.h"

static void start(struct env *e, enum era era, const struct zpool_ops *pool) {
    env_init(e, era_policy(era), pool, 100000, 20, 90);
    assert_int_equal(env_start(e), 0);
}
static bool store(struct env *e, uint32_t slot, uint32_t page) {
    return zswap_store(e->z, &e->cpu, slot, 0, page);
}
static void stop(struct env *e) {
    if (zswap_check(e->z, &e->err))
        fail_msg("%s", e->err.msg);
    env_stop(e);
}
static struct fake_zpool *fake(struct env *e) {
    return (struct fake_zpool *)(uintptr_t)zswap_pool(e->z);
}

/* What a page that the compressor cannot fit counts as (6.1: nothing). */
static void incompressible(void **state) {
    static const struct {
        enum era era;
        enum codec_id codec;
        uint64_t fail, poor;
    } row[] = {
        {Z0, CODEC_LZ4, 0, 0},      {Z1, CODEC_LZ4, 0, 0},          {Z1, CODEC_LZO, 0, 0},
        {Z3B, CODEC_LZ4, 1, 0},     {Z3B, CODEC_ZSTD, 1, 0},        {Z3B, CODEC_LZO, 0, 1},
        {Z3B, CODEC_LZO_RLE, 0, 1}, {Z3B, CODEC_DEFLATE_IAA, 1, 0},
    };
    (void)state;

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct env e;

        env_init(&e, era_policy(row[i].era), &fake_plain, 100000, 20, 90);
        e.p.knobs.compressor = row[i].codec;
        assert_int_equal(env_start(&e), 0);
        assert_false(store(&e, 1, PAGE_4200));
        assert_int_equal(zswap_counters(e.z)->reject_compress_fail, row[i].fail);
        assert_int_equal(zswap_counters(e.z)->reject_compress_poor, row[i].poor);
        assert_int_equal(zswap_counters(e.z)->x_reject_compress, 1);
        assert_true(store(&e, 2, PAGE_4096)); /* exactly a page is no failure before 6.18 */
        stop(&e);
    }
}

/* The backend's refusals; an evictable one gets 8 bytes of header with each object. */
static void backend_refusals(void **state) {
    struct env e;
    (void)state;

    start(&e, Z1, &fake_evictable);
    fake(&e)->max_len = 3968; /* as zbud */
    assert_true(store(&e, 1, PAGE_3960));
    assert_false(store(&e, 2, PAGE_3961));
    assert_int_equal(zswap_counters(e.z)->reject_compress_poor, 1);
    assert_int_equal(fake(&e)->len[0], 3968);
    assert_int_equal(zswap_stored_bytes(e.z), 3960);
    fake(&e)->fail = ZPOOL_ENOMEM;
    assert_false(store(&e, 3, PAGE_1000));
    fake(&e)->fail = ZPOOL_EINVAL; /* zsmalloc of 6.1 for too large a request */
    assert_false(store(&e, 3, PAGE_1000));
    assert_int_equal(zswap_counters(e.z)->reject_alloc_fail, 2);
    assert_int_equal(zswap_counters(e.z)->reject_compress_poor, 1);
    stop(&e);

    start(&e, Z1, &fake_plain);
    assert_true(store(&e, 1, PAGE_1000));
    assert_int_equal(fake(&e)->len[0], 1000);
    stop(&e);
    start(&e, Z2, &fake_evictable); /* 6.5: no header any more */
    assert_true(store(&e, 1, PAGE_1000));
    assert_int_equal(fake(&e)->len[0], 1000);
    stop(&e);
}

static void same_filled(void **state) {
    struct env e;
    bool dirty;
    (void)state;

    start(&e, Z1, &fake_plain);
    assert_true(store(&e, 1, PAGE_FILL));
    assert_true(store(&e, 2, PAGE_ZERO));
    assert_int_equal(zswap_counters(e.z)->same_filled_pages, 2);
    assert_int_equal(zswap_counters(e.z)->stored_pages, 2);
    assert_int_equal(zswap_total_pages(e.z), 0);
    assert_int_equal(e.bytes, 0);
    assert_int_equal(e.pages, 2);
    assert_true(zswap_load(e.z, &e.cpu, 1, true, PAGE_FILL, &dirty));
    assert_int_equal(e.vm[ZSWAP_VM_IN], 1);
    zswap_invalidate(e.z, &e.cpu, 1);
    assert_int_equal(zswap_counters(e.z)->same_filled_pages, 1);
    stop(&e);

    /* never on an LRU, so never written back */
    start(&e, Z2, &fake_plain);
    assert_true(store(&e, 1, PAGE_FILL));
    assert_int_equal(zswap_lru_len(e.z, 0), 0);
    stop(&e);

    env_init(&e, era_policy(Z1), &fake_plain, 100000, 20, 90);
    e.p.knobs.same_filled_pages_enabled = false;
    assert_int_equal(env_start(&e), 0);
    assert_true(store(&e, 1, PAGE_FILL));
    assert_int_equal(zswap_counters(e.z)->same_filled_pages, 0);
    assert_int_equal(zswap_stored_bytes(e.z), 40);
    stop(&e);

    env_init(&e, era_policy(Z1), &fake_plain, 100000, 20, 90);
    e.p.knobs.non_same_filled_pages_enabled = false;
    assert_int_equal(env_start(&e), 0);
    assert_true(store(&e, 1, PAGE_FILL));
    assert_false(store(&e, 2, PAGE_1000));
    assert_int_equal(zswap_counters(e.z)->x_reject_unsame, 1);
    stop(&e);

    start(&e, Z3B, &fake_plain); /* 6.12: the swap layer's business */
    assert_true(store(&e, 1, PAGE_FILL));
    assert_int_equal(zswap_counters(e.z)->same_filled_pages, 0);
    stop(&e);
}

/* 6.18: what does not compress is kept raw, unless writeback is off for the memcg. */
static void raw_pages(void **state) {
    struct env e;
    bool dirty;
    (void)state;

    start(&e, Z5, &fake_plain);
    assert_true(store(&e, 1, PAGE_4200));
    assert_true(store(&e, 2, PAGE_4096));
    assert_true(store(&e, 3, PAGE_1000));
    assert_int_equal(zswap_counters(e.z)->stored_incompressible_pages, 2);
    assert_int_equal(zswap_stored_bytes(e.z), 2 * 4096 + 1000);
    e.no_writeback = true;
    assert_false(store(&e, 4, PAGE_4096));
    assert_false(store(&e, 5, PAGE_4200));
    assert_int_equal(zswap_counters(e.z)->reject_compress_fail, 2);
    assert_true(zswap_load(e.z, &e.cpu, 1, true, PAGE_4200, &dirty));
    assert_int_equal(zswap_counters(e.z)->stored_incompressible_pages, 1);
    stop(&e);
}

/* An entry already at the slot: dropped first, counted, or replaced. */
static void old_entry_at_the_slot(void **state) {
    static const struct {
        enum era era;
        uint64_t duplicate, erased;
    } row[] = {{Z0, 0, 0}, {Z1, 0, 0}, {Z2, 2, 0}, {Z3A, 2, 0}, {Z3B, 0, 1}, {Z4, 0, 1}};
    (void)state;

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct env e;

        start(&e, row[i].era, &fake_plain);
        assert_true(store(&e, 1, PAGE_1000));
        assert_true(store(&e, 1, PAGE_3960));
        assert_int_equal(zswap_nr_entries(e.z), 1);
        assert_int_equal(zswap_stored_bytes(e.z), 3960);
        assert_int_equal(zswap_counters(e.z)->x_replaced, 1);
        /* a refused store must not leave the old data behind */
        assert_false(store(&e, 1, PAGE_4200));
        assert_false(zswap_has(e.z, 1));
        assert_int_equal(zswap_counters(e.z)->duplicate_entry, row[i].duplicate);
        assert_int_equal(zswap_counters(e.z)->x_erased_on_refuse, row[i].erased);
        assert_int_equal(e.pages, 0);
        stop(&e);
    }
}

static void disabled(void **state) {
    struct env e;
    (void)state;

    env_init(&e, era_policy(Z3B), &fake_plain, 100000, 20, 90);
    e.p.knobs.enabled = false;
    assert_int_equal(env_start(&e), 0);
    assert_false(store(&e, 1, PAGE_1000));
    assert_int_equal(zswap_counters(e.z)->x_reject_disabled, 1);
    assert_int_equal(e.queued, 0);
    stop(&e);
}

/* Who keeps the compressed copy after a load. */
static void loads(void **state) {
    static const struct {
        enum era era;
        bool in_swapcache, knob, erased;
    } row[] = {
        {Z0, true, true, false},  {Z1, true, true, false},   {Z2, true, true, true},
        {Z2, true, false, false}, {Z3A, true, false, true},  {Z3A, false, true, false},
        {Z3B, true, false, true}, {Z3B, false, true, false}, {Z5, true, false, true},
    };
    (void)state;

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct env e;
        bool dirty = true;

        env_init(&e, era_policy(row[i].era), &fake_plain, 100000, 20, 90);
        e.p.knobs.exclusive_loads = row[i].knob;
        assert_int_equal(env_start(&e), 0);
        assert_true(store(&e, 7, PAGE_1000));
        assert_false(zswap_load(e.z, &e.cpu, 8, row[i].in_swapcache, PAGE_1000, &dirty));
        assert_false(dirty);
        assert_true(zswap_load(e.z, &e.cpu, 7, row[i].in_swapcache, PAGE_1000, &dirty));
        assert_int_equal(dirty, row[i].erased);
        assert_int_equal(zswap_has(e.z, 7), !row[i].erased);
        assert_int_equal(zswap_counters(e.z)->x_erased_on_load, row[i].erased);
        assert_int_equal(e.vm[ZSWAP_VM_IN], row[i].era != Z0);
        stop(&e);
    }
}

/* 6.5-6.7 without exclusive loads: a load makes the entry the youngest. */
static void load_refreshes(void **state) {
    struct env e;
    bool dirty;
    (void)state;

    env_init(&e, era_policy(Z2), &fake_plain, 100, 3, 0);
    e.p.knobs.exclusive_loads = false;
    assert_int_equal(env_start(&e), 0);
    for (uint32_t s = 0; s < 3; s++)
        assert_true(store(&e, s, PAGE_1000));
    assert_true(zswap_load(e.z, &e.cpu, 0, true, PAGE_1000, &dirty));
    assert_false(zswap_shrink_work_step(e.z, &e.cpu, 0));
    assert_int_equal(e.last_submitted, 1);
    stop(&e);
}

static void charging(void **state) {
    struct env e;
    (void)state;

    start(&e, Z1, &fake_plain);
    assert_true(store(&e, 1, PAGE_1000));
    assert_true(store(&e, 2, PAGE_3960));
    assert_int_equal(e.bytes, 4960); /* by length, not by pool page */
    assert_int_equal(e.pages, 2);
    assert_int_equal(e.vm[ZSWAP_VM_OUT], 2);
    /* before 6.8 exceeding memory.zswap.max just refuses */
    e.over_max = true;
    assert_false(store(&e, 3, PAGE_1000));
    assert_int_equal(zswap_counters(e.z)->x_reject_memcg, 1);
    assert_int_equal(e.wb_calls, 0);
    zswap_invalidate(e.z, &e.cpu, 1);
    assert_int_equal(e.bytes, 3960);
    stop(&e);

    /* 6.8: one entry is written back first, and then the store goes on */
    start(&e, Z3A, &fake_plain);
    assert_true(store(&e, 1, PAGE_1000));
    e.over_max = true;
    assert_true(store(&e, 2, PAGE_3960));
    assert_int_equal(e.submits, 1);
    assert_int_equal(e.vm[ZSWAP_VM_WB], 1);
    assert_int_equal(e.bytes, 3960);
    e.wb_rc = -2;
    assert_false(store(&e, 3, PAGE_1000));
    e.no_writeback = true;
    assert_false(store(&e, 3, PAGE_1000));
    assert_int_equal(zswap_counters(e.z)->x_reject_memcg, 2);
    stop(&e);

    /* 6.12: the entry is fresh, its bit is cleared, and that is no success */
    start(&e, Z3B, &fake_plain);
    assert_true(store(&e, 1, PAGE_1000));
    e.over_max = true;
    assert_false(store(&e, 2, PAGE_1000));
    assert_true(store(&e, 2, PAGE_1000));
    stop(&e);
}

/* The entry goes while its folio is being got: nothing is written. */
static void writeback_races(void **state) {
    struct env e;
    (void)state;

    env_init(&e, era_policy(Z2), &fake_plain, 100, 3, 0);
    assert_int_equal(env_start(&e), 0);
    assert_true(store(&e, 1, PAGE_1000));
    e.drop_in_wb = 1;
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(e.aborts, 1);
    assert_int_equal(e.submits, 0);
    assert_int_equal(zswap_counters(e.z)->written_back_pages, 0);
    assert_int_equal(zswap_counters(e.z)->x_writeback_gone, 1);
    assert_int_equal(zswap_counters(e.z)->x_invalidated, 1);
    stop(&e);

    /* the same below a backend that evicts by itself */
    start(&e, Z1, &fake_evictable);
    assert_true(store(&e, 1, PAGE_1000));
    e.drop_in_wb = 1;
    zswap_shrink_work(e.z, &e.cpu);
    assert_int_equal(e.aborts, 1);
    assert_int_equal(zswap_nr_entries(e.z), 0);
    stop(&e);
}

/* 6.13+: page by page, all or nothing; one page that fails takes the folio to the device. */
static void large_folios(void **state) {
    uint32_t good[16], bad[16];
    struct env e;
    (void)state;

    for (int i = 0; i < 16; i++)
        good[i] = bad[i] = PAGE_1000;
    bad[10] = PAGE_4200;

    start(&e, Z3B, &fake_plain);
    assert_false(zswap_store_large(e.z, &e.cpu, 32, 16, 0, good));
    assert_int_equal(zswap_counters(e.z)->x_reject_large, 16);
    stop(&e);

    start(&e, Z4, &fake_plain);
    assert_true(store(&e, 40, PAGE_1000)); /* stale data below the folio */
    assert_false(zswap_store_large(e.z, &e.cpu, 32, 16, 0, bad));
    assert_int_equal(zswap_nr_entries(e.z), 0);
    assert_int_equal(e.bytes, 0);
    assert_int_equal(e.vm[ZSWAP_VM_OUT], 1);
    assert_int_equal(zswap_counters(e.z)->reject_compress_fail, 1);
    assert_int_equal(zswap_counters(e.z)->x_reject_folio, 15);
    assert_int_equal(zswap_counters(e.z)->x_undone, 10);
    assert_true(zswap_store_large(e.z, &e.cpu, 32, 16, 0, good));
    assert_int_equal(zswap_nr_entries(e.z), 16);
    assert_int_equal(e.vm[ZSWAP_VM_OUT], 17);
    stop(&e);

    /* one limit test a folio: the pool may exceed the limit by all of it */
    env_init(&e, era_policy(Z4), &fake_plain, 100, 10, 90);
    assert_int_equal(env_start(&e), 0);
    assert_true(store(&e, 0, PAGE_1000));
    assert_true(zswap_store_large(e.z, &e.cpu, 16, 16, 0, good));
    assert_int_equal(zswap_total_pages(e.z), 17);
    assert_false(zswap_store_large(e.z, &e.cpu, 32, 16, 0, good));
    assert_int_equal(zswap_counters(e.z)->pool_limit_hit, 1);
    assert_int_equal(zswap_counters(e.z)->x_reject_full, 1);
    stop(&e);
}

/* The unmerged "Support THP": one full test, one shrink attempt, one hold of the tree lock. */
static void thp_as_a_unit(void **state) {
    uint32_t pages[512];
    struct zswap_policy p = era_policy(Z0);
    struct env e;
    (void)state;

    for (int i = 0; i < 512; i++)
        pages[i] = PAGE_1000;
    p.thp_store = true;
    env_init(&e, p, &fake_plain, 5110, 10, 90);
    e.p.cost.tree_lock_ns = 3;
    assert_int_equal(env_start(&e), 0);
    assert_true(zswap_store_large(e.z, &e.cpu, 0, 512, 0, pages));
    assert_int_equal(zswap_lock_use(e.z, ZSWAP_LOCK_TREE).acquisitions, 1);
    assert_int_equal(e.cpu.sys_ns, 512 * 3);
    assert_int_equal(zswap_counters(e.z)->stored_pages, 512);
    assert_false(zswap_store_large(e.z, &e.cpu, 512, 512, 0, pages));
    assert_int_equal(zswap_counters(e.z)->pool_limit_hit, 1);
    assert_int_equal(zswap_counters(e.z)->reject_reclaim_fail, 1);
    stop(&e);
}

/* Figures charged: base + bytes, and the fixed parts. */
static void costs(void **state) {
    struct env e;
    bool dirty;
    (void)state;

    env_init(&e, era_policy(Z3B), &fake_plain, 100000, 20, 90);
    e.p.cost.compress_ns[CODEC_LZ4] = 2000;
    e.p.cost.compress_byte_ps[CODEC_LZ4] = 500;
    e.p.cost.decompress_ns[CODEC_LZ4] = 700;
    e.p.cost.decompress_byte_ps[CODEC_LZ4] = 100;
    e.p.cost.store_ns = 30;
    e.p.cost.load_ns = 20;
    e.p.cost.invalidate_ns = 7;
    e.p.cost.tree_lock_ns = 1;
    assert_int_equal(env_start(&e), 0);
    assert_true(store(&e, 1, PAGE_1000));
    assert_int_equal(e.cpu.sys_ns, 30 + 2000 + 500 + 1);
    assert_true(zswap_load(e.z, &e.cpu, 1, false, PAGE_1000, &dirty));
    assert_int_equal(e.cpu.sys_ns, 2531 + 1 + 20 + 700 + 100);
    zswap_invalidate(e.z, &e.cpu, 1);
    assert_int_equal(e.cpu.sys_ns, 3352 + 7 + 1);
    zswap_invalidate(e.z, &e.cpu, 1); /* nothing there: free */
    assert_int_equal(e.cpu.now, 3360);
    stop(&e);
}

static void verify_finds_damage(void **state) {
    static const enum era eras[] = {Z1, Z3B, Z5};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        const struct zpool_ops *pool = eras[i] == Z1 ? &fake_evictable : &fake_plain;
        struct env e;
        bool dirty;

        env_init(&e, era_policy(eras[i]), pool, 100000, 20, 90);
        e.p.verify = true;
        assert_int_equal(env_start(&e), 0);
        assert_true(store(&e, 1, PAGE_1000));
        assert_true(store(&e, 2, PAGE_3960));
        assert_true(store(&e, 3, PAGE_FILL));
        for (uint32_t s = 1; s <= 3; s++)
            assert_true(zswap_load(e.z, &e.cpu, s, false,
                                   s == 1   ? PAGE_1000
                                   : s == 2 ? PAGE_3960
                                            : PAGE_FILL,
                                   &dirty));
        if (eras[i] == Z5) {
            assert_true(store(&e, 4, PAGE_4200)); /* kept raw */
            assert_true(zswap_load(e.z, &e.cpu, 4, false, PAGE_4200, &dirty));
        }
        assert_int_equal(zswap_verify_status(e.z, &e.err), 0);
        fake(&e)->data[1][2000] ^= 1;
        assert_true(zswap_load(e.z, &e.cpu, 2, false, PAGE_3960, &dirty));
        assert_int_equal(zswap_verify_status(e.z, &e.err), RF_ECHECK);
        assert_non_null(strstr(e.err.msg, "slot 2"));
        stop(&e);

        env_init(&e, era_policy(eras[i]), pool, 100000, 20, 90);
        e.p.verify = true;
        assert_int_equal(env_start(&e), 0);
        assert_true(store(&e, 1, PAGE_1000));
        assert_true(zswap_load(e.z, &e.cpu, 1, false, PAGE_3960, &dirty));
        assert_int_equal(zswap_verify_status(e.z, &e.err), RF_ECHECK);
        assert_non_null(strstr(e.err.msg, "content 1, expected 5"));
        stop(&e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incompressible),
        cmocka_unit_test(backend_refusals),
        cmocka_unit_test(same_filled),
        cmocka_unit_test(raw_pages),
        cmocka_unit_test(old_entry_at_the_slot),
        cmocka_unit_test(disabled),
        cmocka_unit_test(loads),
        cmocka_unit_test(load_refreshes),
        cmocka_unit_test(charging),
        cmocka_unit_test(writeback_races),
        cmocka_unit_test(large_folios),
        cmocka_unit_test(thp_as_a_unit),
        cmocka_unit_test(costs),
        cmocka_unit_test(verify_finds_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
