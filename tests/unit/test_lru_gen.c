/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multi-generational LRU. The rules are tested on a hand-made state of two page tables; expected
 * values are computed by hand from Documentation/mm/multigen_lru.rst and mm/vmscan.c of 6.1 and
 * 6.12. Those of whole runs were seen with tracepoints on real kernels (6.1, 6.12.117, 1 CPU).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "implicit_sim.h"
#include "src/machine/machine_internal.h"
#include "src/mm/lru_gen.h"

#define BLOCKS 2u
#define PAGES (BLOCKS * 512u)

/* One process in memcg 1 with two full page tables; page id i is mapped by folio i. */
struct env {
    struct mm mm;
    struct mm_cpu cpus[1];
    struct sim_cpu cpu;
    struct block block[BLOCKS];
    uint8_t pmd_young[BLOCKS];
    struct vma_piece piece[BLOCKS];
    struct vma vma;
    struct process proc;
    uint32_t blocks[BLOCKS];
    uint64_t pte[PAGES];
    struct folio folio[PAGES];
    uint32_t listed_slot[PAGES];
    uint8_t gen[PAGES];
    struct lru_gen *g;
};

static struct env *new_env(void) {
    struct env *e = calloc(1, sizeof(*e));
    assert_non_null(e);
    struct mm *mm = &e->mm;
    mm->p.knobs.cpus = 1;
    mm->p.reclaim = (struct reclaim_policy){.add_batch = 15, .anon_inactive_first = true};
    mm->p.cost.tick_ns = 1000000;
    mm->pte = e->pte;
    mm->folio = e->folio;
    mm->listed_slot = e->listed_slot;
    mm->gen = e->gen;
    mm->folio_end = PAGES;
    mm->block = e->block;
    mm->nr_blocks = BLOCKS;
    mm->piece = e->piece;
    mm->vma = &e->vma;
    mm->proc = &e->proc;
    mm->nr_procs = 1;
    mm->cpu = e->cpus;
    mm->cur = &e->cpu;
    mm->pmd_young = e->pmd_young;
    memcg_init(mm);
    e->g = &mm->memcg[1].lruvec.lru_gen;
    e->proc = (struct process){.alive = true, .memcg = 1, .blocks = e->blocks, .nblocks = BLOCKS};
    for (uint32_t b = 0; b < BLOCKS; b++) {
        e->blocks[b] = b;
        e->piece[b] = (struct vma_piece){.lo = 0, .hi = 512, .next = RF_NONE};
        e->block[b] = (struct block){.vpn = b * 512u,
                                     .pieces = b,
                                     .parent = RF_NONE,
                                     .child = RF_NONE,
                                     .sibling = RF_NONE,
                                     .table = true,
                                     .listed = true};
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        e->folio[i] = (struct folio){.prev = RF_NONE,
                                     .next = RF_NONE,
                                     .owner = i,
                                     .flags = FOLIO_USED,
                                     .mapcount = 1,
                                     .memcg_order = 1};
        e->pte[i] = pte_make(PTE_MAPPED, i, PTE_PRESENT);
    }
    return e;
}

static void insert(struct env *e, uint32_t id, uint16_t flags, bool tail) {
    e->folio[id].flags |= flags;
    folio_lru_insert(&e->mm, id, tail);
}

static uint32_t list_of(const struct env *e, uint32_t id) {
    return (uint32_t)(e->gen[id] & GEN_LIST) >> GEN_LIST_SHIFT;
}

static void test_start(void **state) {
    (void)state;
    struct env *e = new_env();
    assert_int_equal(e->g->max_seq, 3);
    assert_int_equal(e->g->min_seq, 0);
    free(e);
}

static void test_placement(void **state) {
    (void)state;
    struct env *e = new_env();
    /* Four generations, 0 to 3. */
    insert(e, 0, FOLIO_ACTIVE, false);
    assert_int_equal(folio_gen(&e->mm, 0), 3);
    assert_false(e->folio[0].flags & FOLIO_ACTIVE);
    insert(e, 1, 0, false); /* not in the swap cache */
    assert_int_equal(folio_gen(&e->mm, 1), 2);
    insert(e, 2, FOLIO_SWAPCACHE | FOLIO_RECLAIM | FOLIO_WRITEBACK, false);
    assert_int_equal(folio_gen(&e->mm, 2), 2);
    insert(e, 3, FOLIO_SWAPCACHE, false);
    assert_int_equal(folio_gen(&e->mm, 3), 1);
    insert(e, 4, FOLIO_SWAPCACHE, true); /* rotated */
    assert_int_equal(folio_gen(&e->mm, 4), 0);
    assert_int_equal(e->g->gen[0].tail, 4);
    e->g->min_seq = 1; /* three generations */
    insert(e, 5, FOLIO_SWAPCACHE, false);
    assert_int_equal(folio_gen(&e->mm, 5), 1);
    /* The two youngest count as active. */
    assert_int_equal(e->mm.memcg[1].now.active_anon, 3);
    assert_int_equal(e->mm.memcg[1].now.inactive_anon, 3);
    folio_lru_remove(&e->mm, 0);
    assert_int_equal(e->mm.memcg[1].now.active_anon, 2);
    assert_int_equal(folio_gen(&e->mm, 0), -1);
    free(e);
}

static void test_promotion_is_lazy(void **state) {
    (void)state;
    struct env *e = new_env();
    insert(e, 0, FOLIO_SWAPCACHE, true);
    e->folio[0].flags |= FOLIO_WORKINGSET;
    gen_promote(&e->mm, 0, 3);
    assert_int_equal(folio_gen(&e->mm, 0), 3);
    assert_int_equal(list_of(e, 0), 0);
    assert_int_equal(e->g->nr_pages[0], 0);
    assert_int_equal(e->g->nr_pages[3], 1);
    assert_int_equal(e->g->gen[0].nr, 1);
    assert_false(e->folio[0].flags & FOLIO_WORKINGSET);
    gen_move(&e->mm, 0, 3, false);
    assert_int_equal(e->g->gen[0].nr, 0);
    assert_int_equal(e->g->gen[3].head, 0);
    /* An isolated folio is only marked. */
    folio_lru_remove(&e->mm, 0);
    gen_promote(&e->mm, 0, 3);
    assert_int_equal(folio_gen(&e->mm, 0), -1);
    assert_true(e->folio[0].flags & FOLIO_REFERENCED);
    free(e);
}

static void test_min_seq(void **state) {
    (void)state;
    struct env *e = new_env();
    insert(e, 0, FOLIO_ACTIVE, false);
    e->g->refaulted[3] = 100;
    e->g->evicted[0] = 50;
    e->g->protect[3] = 10;
    assert_true(gen_inc_min_seq(e->g));
    assert_int_equal(e->g->min_seq, 2); /* two generations always stay */
    assert_int_equal(e->g->avg_refaulted[3], 50);
    assert_int_equal(e->g->avg_total[0], 25);
    assert_int_equal(e->g->avg_total[3], 5);
    assert_int_equal(e->g->refaulted[3], 0);
    assert_false(gen_inc_min_seq(e->g));
    gen_inc_max_seq(&e->mm, 1);
    gen_inc_max_seq(&e->mm, 1);
    assert_true(gen_inc_min_seq(e->g));
    assert_int_equal(e->g->min_seq, 3); /* generation 3 has a folio */
    assert_false(gen_inc_min_seq(e->g));
    assert_int_equal(e->mm.memcg[1].now.active_anon, 0);
    assert_int_equal(e->mm.memcg[1].now.inactive_anon, 1);
    free(e);
}

static void test_tiers(void **state) {
    (void)state;
    static const uint32_t tier[] = {0, 1, 2, 2, 3};
    for (uint32_t refs = 0; refs < 5; refs++)
        assert_int_equal(gen_tier(refs), tier[refs]);
    struct env *e = new_env();
    assert_int_equal(gen_tier_limit(e->g), 3); /* no refaults: no tier is protected */
    /* Tier 2: 64 of 100 refaulted; tier 0: 9 of 936, so 64 * 1000 * 1 > 10 * 100 * 2. */
    e->g->refaulted[0] = 9;
    e->g->evicted[0] = 936;
    e->g->refaulted[2] = 64;
    e->g->evicted[2] = 90;
    e->g->protect[2] = 10;
    assert_int_equal(gen_tier_limit(e->g), 1);
    e->g->refaulted[2] = 63; /* too few to judge */
    assert_int_equal(gen_tier_limit(e->g), 3);
    e->g->refaulted[2] = 64;
    e->g->refaulted[0] = 319; /* 64 * 1000 <= 320 * 100 * 2 */
    assert_int_equal(gen_tier_limit(e->g), 3);
    free(e);
}

static void refault(struct env *e, bool counts_all, uint64_t all, uint64_t active) {
    struct mm *mm = &e->mm;
    mm->p.reclaim.lru_gen_counts_refaults = counts_all;
    mm->in_fault = true;
    e->g->min_seq = 1;
    uint32_t shadow = lru_gen_eviction(mm, &e->folio[0]);
    assert_int_equal(e->g->evicted[0], 1);
    lru_gen_refault(mm, &e->folio[1], shadow);
    assert_true(e->folio[1].flags & FOLIO_WORKINGSET);
    assert_int_equal(gen_refs(mm, 1), 4);
    e->g->min_seq = 2; /* too late */
    lru_gen_refault(mm, &e->folio[2], shadow);
    assert_false(e->folio[2].flags & FOLIO_WORKINGSET);
    assert_int_equal(mm->c[VM_workingset_refault_anon], all);
    assert_int_equal(mm->c[VM_workingset_activate_anon], active);
    assert_int_equal(mm->c[VM_workingset_restore_anon], 1);
}

static void test_refault(void **state) {
    (void)state;
    struct env *e = new_env();
    refault(e, false, 1, 0); /* 6.1 */
    free(e);
    e = new_env();
    refault(e, true, 2, 1); /* 6.12 */
    free(e);
}

static uint32_t count_young(const struct env *e, uint32_t block) {
    uint32_t n = 0;
    for (uint32_t i = block << 9; i < (block + 1) << 9; i++)
        n += (e->pte[i] & PTE_ACCESSED) != 0;
    return n;
}

static void make_young(struct env *e, uint32_t first, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        e->pte[first + i] |= PTE_ACCESSED;
    e->pmd_young[first >> 9] = 1;
}

static void test_ageing(void **state) {
    (void)state;
    struct env *e = new_env();
    struct mm *mm = &e->mm;
    for (uint32_t i = 0; i < PAGES; i++)
        insert(e, i, FOLIO_SWAPCACHE, true);
    make_young(e, 0, 64);    /* an eighth: one a cache line */
    make_young(e, 512, 63);  /* fewer */
    gen_age(mm, &e->cpu, 1); /* the first walk takes every table */
    assert_int_equal(e->g->max_seq, 4);
    assert_int_equal(count_young(e, 0) + count_young(e, 1), 0);
    assert_int_equal(folio_gen(mm, 63), 3);
    assert_int_equal(folio_gen(mm, 64), 0);
    assert_int_equal(e->g->nr_pages[3], 127);
    /* Nothing ran in between: not walked again. */
    make_young(e, 0, 1);
    gen_age(mm, &e->cpu, 1);
    assert_int_equal(e->g->max_seq, 5);
    assert_int_equal(count_young(e, 0), 1);
    free(e);
}

static void test_filter(void **state) {
    (void)state;
    struct env *e = new_env();
    struct mm *mm = &e->mm;
    for (uint32_t i = 0; i < PAGES; i++)
        insert(e, i, FOLIO_SWAPCACHE, true);
    make_young(e, 0, 64);
    make_young(e, 512, 63);
    gen_age(mm, &e->cpu, 1);
    mm->c[VM_pgfault]++;
    make_young(e, 0, 10);
    make_young(e, 512, 63);
    gen_age(mm, &e->cpu, 1); /* walks the first table only */
    assert_int_equal(count_young(e, 0), 0);
    assert_int_equal(count_young(e, 1), 63);
    mm->c[VM_pgfault]++;
    make_young(e, 0, 10);
    gen_age(mm, &e->cpu, 1); /* 10 of 512 were too few: walks none */
    assert_int_equal(count_young(e, 0), 10);
    /* Eviction meets a young entry with 7 young neighbours: the table is worth a walk again. */
    mm->c[VM_pgfault]++;
    make_young(e, 512, 63);
    folio_lru_remove(mm, 600);
    make_young(e, 600, 8);
    assert_int_equal(lru_gen_referenced(mm, &e->cpu, 600), 1);
    assert_int_equal(count_young(e, 1), 63 - 7); /* 568 to 631 looked at */
    gen_age(mm, &e->cpu, 1);
    assert_int_equal(count_young(e, 0), 10);
    assert_int_equal(count_young(e, 1), 0);
    /* Both tables are in the filter now; one is walked only if it was accessed since. */
    e->g->filters = 3;
    e->block[0].lru_filter = e->block[1].lru_filter = 3;
    mm->c[VM_pgfault]++;
    make_young(e, 512, 1);
    gen_age(mm, &e->cpu, 1);
    assert_int_equal(count_young(e, 0), 10);
    assert_int_equal(count_young(e, 1), 0);
    free(e);
}

/* n young neighbours of the isolated folio 256, its own entry included. */
static struct env *looked(uint32_t n, bool new_rules) {
    struct env *e = new_env();
    struct mm *mm = &e->mm;
    mm->p.reclaim.lru_gen_activates_each = mm->p.reclaim.lru_gen_target_first = new_rules;
    for (uint32_t i = 0; i < 512; i++)
        insert(e, i, FOLIO_SWAPCACHE, true);
    folio_lru_remove(mm, 256);
    make_young(e, 256, n);
    make_young(e, 223, 1); /* outside of [224, 288) */
    assert_int_equal(lru_gen_referenced(mm, &e->cpu, 256), 1);
    assert_int_equal(count_young(e, 0), 1);
    return e;
}

static void test_look_around(void **state) {
    (void)state;
    /* 6.1: up to 14 neighbours through the activation batch, more at once. */
    struct env *e = looked(15, false);
    assert_true(e->folio[256].flags & FOLIO_REFERENCED); /* so the folio is activated */
    assert_int_equal(e->cpus[0].activate.n, 14);
    assert_int_equal(folio_gen(&e->mm, 257), 0);
    assert_int_equal(folio_refs(&e->folio[257]), 3); /* mapping, swap cache, batch */
    lru_add_drain(&e->mm, &e->cpu);
    assert_int_equal(folio_gen(&e->mm, 257), 3);
    assert_int_equal(list_of(e, 257), 3);
    assert_int_equal(e->mm.c[VM_pgactivate], 14);
    assert_int_equal(folio_refs(&e->folio[257]), 2);
    free(e);
    e = looked(16, false);
    assert_int_equal(e->cpus[0].activate.n, 0);
    assert_int_equal(folio_gen(&e->mm, 257), 3);
    assert_int_equal(list_of(e, 257), 0);
    assert_int_equal(e->mm.c[VM_pgactivate], 0);
    free(e);
    /* 6.12: one by one, full batches drained. */
    e = looked(20, true);
    assert_false(e->folio[256].flags & FOLIO_REFERENCED); /* so the folio is kept */
    assert_int_equal(e->mm.c[VM_pgactivate], 15);
    assert_int_equal(e->cpus[0].activate.n, 4);
    free(e);
}

/* ---- whole runs ---- */

static void start(struct sim *s, const char *kernel) {
    sim_config(s, kernel, 8);
    s->c.lru_gen_enabled = true;
    s->c.swap_size = s->c.zram_disksize =
        (struct rf_amount){.value = 1u << 26, .kind = AMOUNT_BYTES};
    s->c.memory_max = (struct rf_amount){.value = 2048 * RF_PAGE_SIZE, .kind = AMOUNT_BYTES};
    sim_start(s);
    map(s, 0, 0, 0, 8 * BLOCK, PLAIN);
}

/* The first reclaim of a fill: generations 3 to 5 come into being, 64 pages of generation 3 go. */
static void first_reclaim(const char *kernel) {
    struct sim s;
    start(&s, kernel);
    const struct mm *mm = s.m->mm;
    const struct lru_gen *g = &mm->memcg[1].lruvec.lru_gen;
    uint32_t id = 0;
    while (mm->c[VM_pgscan_anon] == 0 && id < 4096)
        touch(&s, id++, true);
    assert_int_equal(g->max_seq, 5);
    assert_int_equal(g->min_seq, 3);
    assert_int_equal(mm->c[VM_pgscan_anon], 64);
    assert_int_equal(mm->c[VM_pgsteal_anon], 64);
    assert_int_equal(mm->c[VM_pgactivate] + mm->c[VM_pgdeactivate], 0);
    for (uint32_t i = 0; i < 65; i++) /* in the order of their faults */
        assert_int_equal((mm->pte[i] & PTE_SWAP) != 0, i < 64);
    sim_stop(&s);
}

static void test_first_reclaim(void **state) {
    (void)state;
    first_reclaim("6.1");
    first_reclaim("6.12");
}

/* A fifth of memory is touched between the faults on a cold stream that does not fit. */
static void hot_set(const char *kernel, uint64_t low, uint64_t high) {
    struct sim s;
    start(&s, kernel);
    const struct mm *mm = s.m->mm;
    for (uint32_t i = 0; i < 400; i++)
        touch(&s, i, true);
    for (uint32_t round = 0; round < 6; round++) {
        for (uint32_t i = 0; i < 3000; i++) {
            touch(&s, 400 + i, true);
            touch(&s, i * 7 % 400, false);
        }
    }
    assert_in_range(mm->c[VM_pgmajfault], low, high);
    sim_stop(&s);
}

/* 6.1.192 had 16378 major faults, 6.12.117 16927 and 17541 in two boots: within 5 % of these. */
static void test_hot_set(void **state) {
    (void)state;
    hot_set("6.1", 15560, 17196);
    hot_set("6.12", 16081, 18418);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),       cmocka_unit_test(test_placement),
        cmocka_unit_test(test_min_seq),     cmocka_unit_test(test_promotion_is_lazy),
        cmocka_unit_test(test_tiers),       cmocka_unit_test(test_refault),
        cmocka_unit_test(test_ageing),      cmocka_unit_test(test_filter),
        cmocka_unit_test(test_look_around), cmocka_unit_test(test_first_reclaim),
        cmocka_unit_test(test_hot_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
