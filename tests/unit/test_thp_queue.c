/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The deferred split queue and the memcg statistics that reclaim reads. The priorities at which the
 * queue is worked on are do_shrink_slab()'s arithmetic by hand; Debian's 6.1.187 was seen to do the
 * same (five huge pages with a page missing: nothing at priorities 12 to 2, all five after 1).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "implicit_sim.h"
#include "src/machine/machine_internal.h"
#include "src/mm/reclaim.h"
#include "src/mm/thp.h"

struct rig {
    struct sim s;
    struct mm *mm;
    struct sim_cpu *cpu;
};

/* One process with `blocks` huge pages. */
static void start(struct rig *r, const char *kernel, uint32_t blocks) {
    sim_config(&r->s, kernel, blocks);
    r->s.c.thp_enabled = THP_MADVISE;
    sim_start(&r->s);
    map(&r->s, 0, 0, 0, blocks * BLOCK, ADVISED);
    fill(&r->s, 0, blocks * BLOCK);
    r->mm = r->s.m->mm;
    r->cpu = engine_cpu(r->s.m->eng, 0);
    assert_int_equal(r->mm->c[VM_thp_fault_alloc], blocks);
}

static void drop(struct rig *r, uint32_t first, uint32_t n) {
    ok(&r->s, machine_dontneed(r->s.m, first, n, &r->s.err));
}

/* delta = (count >> priority) * 2; what is below the count is put off. */
static void test_amounts(void **state) {
    uint64_t deferred = 0;

    (void)state;
    assert_int_equal(shrinker_scan(5, 12, &deferred), 0);
    assert_int_equal(shrinker_scan(5, 3, &deferred), 0);
    assert_int_equal(deferred, 0);
    assert_int_equal(shrinker_scan(5, 2, &deferred), 0); /* 2 of 5 */
    assert_int_equal(deferred, 2);
    assert_int_equal(shrinker_scan(5, 1, &deferred), 5); /* 2 / 2 + 4 */
    assert_int_equal(deferred, 1);
    assert_int_equal(shrinker_scan(0, 0, &deferred), 0);
    assert_int_equal(deferred, 1);
}

static void test_partial_unmap(void **state) {
    struct rig r;
    struct memcg *mc;
    uint64_t pages;

    (void)state;
    start(&r, "6.1", 5);
    mc = &r.mm->memcg[1];
    assert_int_equal(mc->nr_split, 0);
    pages = mc->folio_pages;
    assert_int_equal(pages, 5 * BLOCK);
    for (uint32_t b = 0; b < 5; b++) {
        drop(&r, b * BLOCK + 7, 1);
        drop(&r, b * BLOCK + 9, 2);
    }
    /* Three pages of each are mapped nowhere, but the folios are whole. */
    assert_int_equal(r.mm->c[VM_thp_deferred_split_page], 5);
    assert_int_equal(mc->nr_split, 5);
    assert_int_equal(mc->folio_pages, pages);
    for (uint32_t priority = 12; priority >= 2; priority--)
        split_queue_shrink(r.mm, r.cpu, 1, priority);
    assert_int_equal(r.mm->c[VM_thp_split_page], 0);
    split_queue_shrink(r.mm, r.cpu, 1, 1);
    assert_int_equal(r.mm->c[VM_thp_split_page], 5);
    assert_int_equal(mc->nr_split, 0);
    assert_int_equal(mc->folio_pages, pages - 15);
    /* The pages took the place of their folio, the first nearest to the tail. */
    uint32_t id = mc->lruvec.list[LRU_INACTIVE_ANON].tail;
    for (uint32_t i = 0; i < 7; i++, id = r.mm->folio[id].prev)
        assert_int_equal(r.mm->folio[id].owner, i);
    assert_int_equal(r.mm->folio[id].owner, 8);
    assert_int_equal(mc->lruvec.list[LRU_INACTIVE_ANON].nr, pages - 15);
    sim_stop(&r.s);
}

/* A folio that goes away leaves the queue. */
static void test_freed_leaves(void **state) {
    struct rig r;

    (void)state;
    start(&r, "6.1", 2);
    drop(&r, 3, 1);
    drop(&r, BLOCK + 3, 1);
    assert_int_equal(r.mm->memcg[1].nr_split, 2);
    drop(&r, 0, BLOCK);
    assert_int_equal(r.mm->memcg[1].nr_split, 1);
    assert_int_equal(r.mm->memcg[1].split_queue[0] & 0x7fffffffu, pte_index(r.mm->pte[BLOCK]));
    sim_stop(&r.s);
}

/* 6.12 queues new huge pages, too; they leave at the first scan (max_ptes_none 511: none of them is
 * underused). */
static void test_new_folios(void **state) {
    struct rig r;

    (void)state;
    start(&r, "6.12", 4);
    assert_int_equal(r.mm->memcg[1].nr_split, 4);
    assert_int_equal(r.mm->c[VM_thp_deferred_split_page], 0);
    drop(&r, 2 * BLOCK + 1, 1);
    assert_int_equal(r.mm->c[VM_thp_deferred_split_page], 1);
    assert_int_equal(r.mm->memcg[1].nr_split, 4);
    split_queue_shrink(r.mm, r.cpu, 1, 0);
    assert_int_equal(r.mm->c[VM_thp_split_page], 1);
    assert_int_equal(r.mm->memcg[1].nr_split, 0);
    sim_stop(&r.s);
}

/* 6.1: a CPU announces whole batches of 64 updates once it has more than 64, and a reader flushes
 * once there are more batches than CPUs. 6.12: updates from 64 on, and more than 64 of them. */
static void test_statistics(void **state) {
    static const struct {
        const char *kernel;
        uint32_t first, seen_after;
    } eras[] = {{"6.1", 65, 130}, {"6.12", 64, 128}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct rig r;
        uint64_t n;

        start(&r, eras[i].kernel, 1);
        memcg_flush_stats(r.mm);
        r.mm->cpu[0].stat_updates = 0;
        n = r.mm->stat_flushes;
        for (uint32_t k = 1; k < eras[i].seen_after; k++) {
            memcg_stat_updated(r.mm, 1);
            assert_true((r.mm->stat_pending > 0) == (k >= eras[i].first));
            memcg_flush_if_pending(r.mm);
            assert_int_equal(r.mm->stat_flushes, n);
        }
        memcg_stat_updated(r.mm, 1);
        memcg_flush_if_pending(r.mm);
        assert_int_equal(r.mm->stat_flushes, n + 1);
        assert_int_equal(r.mm->stat_pending, 0);
        sim_stop(&r.s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amounts),      cmocka_unit_test(test_partial_unmap),
        cmocka_unit_test(test_freed_leaves), cmocka_unit_test(test_new_folios),
        cmocka_unit_test(test_statistics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
