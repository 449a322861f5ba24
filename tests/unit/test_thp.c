/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Large folios: when a fault gets one, what reclaim does with it on each kernel, fork and partial
 * unmapping. Figures come from real kernels (6.1.187 and 6.12.117 in a virtual machine, 1 CPU)
 * where a test says so, else from the rules by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "implicit_sim.h"

static void config(struct sim *s, const char *kernel, const char *device, uint32_t blocks,
                   uint64_t max_pages) {
    sim_config(s, kernel, blocks);
    s->c.thp_enabled = THP_MADVISE;
    if (max_pages)
        s->c.memory_max =
            (struct rf_amount){.value = max_pages * RF_PAGE_SIZE, .kind = AMOUNT_BYTES};
    snprintf(s->c.swap_device, sizeof(s->c.swap_device), "%s", device);
    machine_config_set_profile(&s->c, profile_default());
}

struct find {
    const char *name;
    uint64_t value;
    bool found;
};
static void find_value(void *ctx, enum machine_value_kind kind, const char *name, uint64_t value) {
    struct find *f = ctx;
    (void)kind;
    if (strcmp(f->name, name) == 0) {
        f->value = value;
        f->found = true;
    }
}
static uint64_t value(const struct sim *s, const char *name) {
    struct find f = {.name = name};
    machine_values(s->m, find_value, &f);
    if (!f.found)
        fail_msg("no counter %s", name);
    return f.value;
}

/* One fault maps 2 MiB if the VMA covers them, is allowed to, and nothing is there yet. */
static void who_gets_one(void **state) {
    struct sim s;
    (void)state;

    config(&s, "6.12", "zram0", 5, 0);
    sim_start(&s);
    map(&s, 0, 0, 0, BLOCK, ADVISED);
    map(&s, 0, 1, BLOCK, BLOCK, PLAIN);
    map(&s, 0, 2, 2 * BLOCK, BLOCK, PLAIN | TMAP_NOHUGEPAGE);
    map(&s, 0, 3, 3 * BLOCK + 1, BLOCK - 1, ADVISED);
    for (uint32_t b = 0; b < 4; b++)
        touch(&s, b * BLOCK + 7, true);
    assert_int_equal(value(&s, "vmstat.thp_fault_alloc"), 1);
    assert_int_equal(value(&s, "vmstat.thp_fault_fallback"), 0);
    assert_int_equal(value(&s, "final_present"), BLOCK + 3);
    fill(&s, 0, BLOCK);
    assert_int_equal(value(&s, "vmstat.pgfault"), 4);
    sim_check(&s);
    sim_stop(&s);

    config(&s, "6.12", "zram0", 3, 0);
    s.c.thp_enabled = THP_ALWAYS;
    sim_start(&s);
    map(&s, 0, 0, 0, BLOCK, PLAIN);
    map(&s, 0, 1, BLOCK, BLOCK, PLAIN | TMAP_NOHUGEPAGE);
    touch(&s, 0, true);
    touch(&s, BLOCK, true);
    assert_int_equal(value(&s, "vmstat.thp_fault_alloc"), 1);
    /* Discarded as a whole it comes back as a whole; the page table went with it. */
    uint64_t before = value(&s, "memory.current");
    ok(&s, machine_dontneed(s.m, 0, BLOCK, &s.err));
    assert_true(before - value(&s, "memory.current") >= BLOCK * RF_PAGE_SIZE);
    touch(&s, 9, true);
    assert_int_equal(value(&s, "vmstat.thp_fault_alloc"), 2);
    sim_stop(&s);

    config(&s, "6.12", "zram0", 1, 0);
    s.c.thp_enabled = THP_NEVER;
    sim_start(&s);
    map(&s, 0, 0, 0, BLOCK, ADVISED);
    fill(&s, 0, BLOCK);
    assert_int_equal(value(&s, "vmstat.pgfault"), BLOCK);
    sim_stop(&s);
}

/*
 * 24 blocks under a limit of 12, no reclaim for huge pages (defrag=never), swap on zram: both
 * kernels counted 11 huge faults, 13 that could not be charged, 11 written whole.
 */
static void limit(void **state) {
    static const char *const kernels[] = {"6.1", "6.12"};
    (void)state;

    for (int k = 0; k < 2; k++) {
        struct sim s;
        config(&s, kernels[k], "zram0", 24, 6144);
        s.c.thp_defrag = THP_DEFRAG_NEVER;
        sim_start(&s);
        map(&s, 0, 0, 0, 24 * BLOCK, ADVISED);
        fill(&s, 0, 24 * BLOCK);
        assert_int_equal(value(&s, "vmstat.thp_fault_alloc"), 11);
        assert_int_equal(value(&s, "vmstat.thp_fault_fallback"), 13);
        assert_int_equal(value(&s, "vmstat.thp_fault_fallback_charge"), 13);
        assert_int_equal(value(&s, "vmstat.thp_swpout"), 11);
        assert_int_equal(value(&s, "vmstat.thp_split_pmd"), 11);
        assert_int_equal(value(&s, "vmstat.thp_split_page"), 0);
        assert_int_equal(value(&s, "vmstat.pgfault"), 11 + 13 * BLOCK);
        sim_stop(&s);
    }
}

/* No runs of slots on a rotational device: every huge page is split, and its pages go one by one.
 */
static void no_cluster(void **state) {
    struct sim s;
    (void)state;

    config(&s, "6.1", "null", 24, 6144);
    s.c.swap_rotational = 1;
    s.c.thp_defrag = THP_DEFRAG_NEVER;
    sim_start(&s);
    map(&s, 0, 0, 0, 24 * BLOCK, ADVISED);
    fill(&s, 0, 24 * BLOCK);
    uint64_t split = value(&s, "vmstat.thp_split_page");
    assert_in_range(split, 1, 11);
    assert_int_equal(value(&s, "vmstat.thp_swpout_fallback"), split);
    assert_int_equal(value(&s, "vmstat.thp_swpout"), 0);
    assert_true(value(&s, "vmstat.pswpout") > 5 * BLOCK);
    sim_check(&s);
    for (uint32_t i = 0; i < 24 * BLOCK; i++)
        touch(&s, i, false);
    sim_stop(&s);
}

/* A hole: the folio stays whole and charged until reclaim meets it, which splits it, and the page
 * that nobody maps is freed. */
static void hole(void **state) {
    static const char *const kernels[] = {"5.4", "6.1", "6.12"};
    (void)state;

    for (int k = 0; k < 3; k++) {
        struct sim s;
        config(&s, kernels[k], "zram0", 8, 4 * BLOCK);
        s.c.thp_defrag = THP_DEFRAG_NEVER;
        sim_start(&s);
        map(&s, 0, 0, 0, 8 * BLOCK, ADVISED);
        touch(&s, 0, true);
        uint64_t before = value(&s, "memory.current");
        ok(&s, machine_dontneed(s.m, 5, 1, &s.err));
        assert_int_equal(value(&s, "vmstat.thp_split_pmd"), 1);
        assert_int_equal(value(&s, "final_present"), BLOCK - 1);
        assert_int_equal(value(&s, "memory.current"), before);
        sim_check(&s);
        touch(&s, 5, true); /* into a page of its own */
        assert_int_equal(value(&s, "final_present"), BLOCK);
        assert_true(value(&s, "memory.current") <= before + 64 * RF_PAGE_SIZE);
        sim_check(&s);
        fill(&s, BLOCK, 7 * BLOCK);
        assert_int_equal(value(&s, "vmstat.thp_split_page"), 1);
        assert_int_equal(value(&s, "vmstat.thp_swpout_fallback"), 0);
        sim_stop(&s);
    }
}

/* 64 KiB folios: 6.10 and later write them whole, 6.8 splits them. */
static void mthp(void **state) {
    static const char *const kernels[] = {"6.8", "6.12"};
    (void)state;

    for (int k = 0; k < 2; k++) {
        struct sim s;
        config(&s, kernels[k], "zram0", 4, 2 * BLOCK);
        s.c.thp_enabled = THP_NEVER;
        s.c.thp_orders = 1u << 4;
        sim_start(&s);
        map(&s, 0, 0, 3, 4 * BLOCK - 3, PLAIN);
        touch(&s, 40, true);
        assert_int_equal(value(&s, "final_present"), 16);
        touch(&s, 4, true); /* the range begins before the VMA */
        assert_int_equal(value(&s, "final_present"), 17);
        ok(&s, machine_dontneed(s.m, 41, 1, &s.err));
        touch(&s, 41, true); /* the range is not empty */
        assert_int_equal(value(&s, "hugepages-64kB.anon_fault_alloc"), 1);
        sim_check(&s);
        fill(&s, 3, 4 * BLOCK - 3);
        uint64_t out = value(&s, "hugepages-64kB.swpout"),
                 split = value(&s, "hugepages-64kB.split");
        if (k == 0) {
            assert_int_equal(out, 0);
            assert_true(split > 50);
        } else {
            assert_true(out > 50);
            assert_int_equal(split, 1); /* the one with the hole */
        }
        assert_int_equal(value(&s, "hugepages-64kB.swpout_fallback"), 0);
        assert_int_equal(value(&s, "vmstat.thp_split_page"), 0);
        sim_check(&s);
        for (uint32_t i = 3; i < 4 * BLOCK; i++)
            touch(&s, i, false);
        sim_stop(&s);
    }
}

/* zswap refuses large folios to 6.12; the device gets them whole. 6.13 stores page by page. */
static void zswap(void **state) {
    static const char *const kernels[] = {"6.1", "6.12", "6.13"};
    (void)state;

    for (int k = 0; k < 3; k++) {
        struct sim s;
        config(&s, kernels[k], "null", 12, 6 * BLOCK);
        s.c.zswap_enabled = true;
        s.c.thp_defrag = THP_DEFRAG_NEVER;
        sim_start(&s);
        map(&s, 0, 0, 0, 12 * BLOCK, ADVISED);
        fill(&s, 0, 12 * BLOCK);
        uint64_t huge = value(&s, "vmstat.thp_fault_alloc");
        assert_int_equal(huge, 5);
        if (k < 2) {
            assert_int_equal(value(&s, "vmstat.thp_swpout"), huge);
            assert_int_equal(value(&s, "hugepages-2048kB.zswpout"), 0);
        } else {
            /* A folio with a page that does not compress goes to the device, whole. */
            assert_int_equal(
                value(&s, "hugepages-2048kB.zswpout") + value(&s, "hugepages-2048kB.swpout"), huge);
        }
        sim_check(&s);
        for (uint32_t i = 0; i < 12 * BLOCK; i++)
            touch(&s, i, i % 3 == 0);
        sim_stop(&s);
    }
}

static void fork_child(struct sim *s, uint32_t child, uint32_t blocks) {
    ok(s, machine_process(s->m, child, 0, &s->err));
    map(s, child, child, child * blocks * BLOCK, blocks * BLOCK, ADVISED);
    for (uint32_t b = 0; b < blocks; b++)
        ok(s, machine_fork_block(s->m, child, child * blocks + b, 0, b, &s->err));
}

/* Shared by fork: a write copies one page; when the child is gone the whole folio is reused. */
static void forked(void **state) {
    static const char *const kernels[] = {"5.4", "5.10", "6.1", "6.12"};
    (void)state;

    for (int k = 0; k < 4; k++) {
        struct sim s;
        config(&s, kernels[k], "zram0", 4, 0);
        sim_start(&s);
        map(&s, 0, 0, 0, 2 * BLOCK, ADVISED);
        touch(&s, 0, true);
        touch(&s, BLOCK, true);
        fork_child(&s, 1, 2);
        sim_check(&s);
        ok(&s, machine_switch(s.m, 1, &s.err));
        touch(&s, 2 * BLOCK + 3, true);
        assert_int_equal(value(&s, "x.cow_copies"), 1);
        assert_int_equal(value(&s, "vmstat.thp_split_pmd"), 1);
        sim_check(&s);
        ok(&s, machine_exit(s.m, 1, false, &s.err));
        sim_check(&s);
        ok(&s, machine_switch(s.m, 0, &s.err));
        fill(&s, 0, 2 * BLOCK);
        assert_int_equal(value(&s, "x.cow_copies"), 1);
        assert_int_equal(value(&s, "vmstat.pgfault"), 2 + 1 + 2);
        sim_stop(&s);
    }
}

/* A read gets the huge zero page: no memory but the page table; a write takes one page. */
static void zero_page(void **state) {
    struct sim s;
    (void)state;

    config(&s, "6.1", "zram0", 1, 0);
    sim_start(&s);
    map(&s, 0, 0, 0, BLOCK, ADVISED);
    touch(&s, 100, false);
    assert_int_equal(value(&s, "final_present"), BLOCK);
    assert_int_equal(value(&s, "memcg.inactive_anon"), 0);
    for (uint32_t i = 0; i < BLOCK; i++)
        touch(&s, i, false);
    assert_int_equal(value(&s, "vmstat.pgfault"), 1);
    sim_check(&s);
    touch(&s, 100, true);
    assert_int_equal(value(&s, "vmstat.thp_fault_alloc"), 0);
    assert_int_equal(value(&s, "vmstat.thp_split_pmd"), 1);
    sim_stop(&s);
}

/* Faults on a huge page that is being written: 6.12 maps it again with one fault, 6.1 page by
 * page. No read from the device. */
static void refault_in_flight(void **state) {
    static const char *const kernels[] = {"6.1", "6.12"};
    (void)state;

    for (int k = 0; k < 2; k++) {
        struct sim s;
        config(&s, kernels[k], "ssd", 24, 16 * BLOCK);
        s.c.thp_defrag = THP_DEFRAG_NEVER;
        s.c.cost.blk.channels = 1;
        s.c.cost.blk.write_bps = 10u << 20;
        sim_start(&s);
        map(&s, 0, 0, 0, 24 * BLOCK, ADVISED);
        uint32_t next = 0;
        while (value(&s, "vmstat.thp_swpout") == 0)
            touch(&s, next++, true);
        /* At 0.2 s a folio the first one has made room, the third is still on its way. */
        uint32_t late = 2 * BLOCK;
        assert_int_equal(machine_page_state(s.m, late), 2);
        uint64_t faults = value(&s, "vmstat.pgfault");
        for (uint32_t i = 0; i < BLOCK; i++)
            touch(&s, late + i, i == 17);
        assert_int_equal(value(&s, "vmstat.pgmajfault"), 0);
        assert_int_equal(value(&s, "vmstat.pgfault") - faults, k ? 1 : BLOCK);
        sim_check(&s);
        ok(&s, machine_dontneed(s.m, late + 1, 200, &s.err));
        sim_check(&s);
        sim_stop(&s);
    }
}

/* Anything goes: invariants and contents hold after every few operations. */
static void random_operations(void **state) {
    static const struct {
        const char *kernel, *device;
        bool zswap, lru_gen;
        uint8_t thp, defrag;
        uint32_t orders;
    } row[] = {
        {"5.4", "null", false, false, THP_ALWAYS, THP_DEFRAG_ALWAYS, 0},
        {"5.10", "zram0", false, false, THP_ALWAYS, THP_DEFRAG_NEVER, 0},
        {"6.1", "null", true, false, THP_ALWAYS, THP_DEFRAG_MADVISE, 0},
        {"6.1", "zram0", false, true, THP_ALWAYS, THP_DEFRAG_ALWAYS, 0},
        {"6.12", "nvme", false, false, THP_ALWAYS, THP_DEFRAG_DEFER, 0x1fc},
        {"6.12", "null", true, true, THP_ALWAYS, THP_DEFRAG_ALWAYS, 0x54},
        {"6.12", "zram0", false, false, THP_NEVER, THP_DEFRAG_MADVISE, 0x10},
        {"6.13", "nvme", true, false, THP_MADVISE, THP_DEFRAG_DEFER_MADVISE, 0x3c},
        {"6.18", "ssd", true, false, THP_ALWAYS, THP_DEFRAG_NEVER, 0x24},
    };
    (void)state;

    for (size_t r = 0; r < sizeof(row) / sizeof(row[0]); r++) {
        enum { BLOCKS = 6, CHILDREN = 6 };
        struct sim s;
        struct rf_rng rng;
        uint32_t child = 0, who = 0;

        rf_rng_seed(&rng, 100 + r);
        config(&s, row[r].kernel, row[r].device, BLOCKS * (CHILDREN + 1), 3 * BLOCK + 200);
        s.c.zswap_enabled = row[r].zswap;
        s.c.lru_gen_enabled = row[r].lru_gen;
        s.c.thp_enabled = row[r].thp;
        s.c.thp_defrag = row[r].defrag;
        s.c.thp_orders = row[r].orders;
        sim_start(&s);
        map(&s, 0, 0, 0, BLOCKS * BLOCK, ADVISED);
        for (uint32_t step = 0; step < 900 && machine_outcome(s.m) == MACHINE_DONE; step++) {
            uint32_t base = who * BLOCKS * BLOCK;
            uint32_t id = (uint32_t)rf_rng_below(&rng, BLOCKS * BLOCK);
            uint64_t what = rf_rng_below(&rng, 200);

            if (what < 2 && who == 0 && child < CHILDREN) {
                fork_child(&s, ++child, BLOCKS);
                who = rf_rng_below(&rng, 2) ? child : 0;
                ok(&s, machine_switch(s.m, who, &s.err));
            } else if (what < 5 && who) {
                ok(&s, machine_exit(s.m, who, false, &s.err));
                who = 0;
                ok(&s, machine_switch(s.m, 0, &s.err));
            } else if (what < 12) {
                uint32_t n = 1u << rf_rng_below(&rng, 11);
                n = RF_MIN(n, BLOCKS * BLOCK - id);
                ok(&s, machine_dontneed(s.m, base + id, n, &s.err));
            } else if (what < 16) {
                id &= ~(BLOCK - 1);
                ok(&s, machine_dontneed(s.m, base + id, BLOCK, &s.err));
            } else {
                uint32_t n = (uint32_t)rf_rng_below(&rng, 64);
                bool write = rf_rng_below(&rng, 3) != 0;
                for (uint32_t i = 0; i < n && id + i < BLOCKS * BLOCK; i++)
                    touch(&s, base + id + i, write);
            }
            if (step % 8 == 0)
                sim_check(&s);
        }
        /* The compressed pool is charged and may fill the cgroup. */
        assert_true(machine_outcome(s.m) == MACHINE_DONE || row[r].zswap);
        sim_stop(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_gets_one),
        cmocka_unit_test(limit),
        cmocka_unit_test(no_cluster),
        cmocka_unit_test(hole),
        cmocka_unit_test(mthp),
        cmocka_unit_test(zswap),
        cmocka_unit_test(forked),
        cmocka_unit_test(zero_page),
        cmocka_unit_test(refault_in_flight),
        cmocka_unit_test(random_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
