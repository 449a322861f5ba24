/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write-protect faults: which page is reused and which is copied, era by era, and what becomes of
 * the old page. Each state is made by a few accesses of a small machine; what each rule must do
 * with it follows from do_wp_page() of the kernels named in src/mm/wp.c, and from the two proposals
 * of January 2022 ("mm: reuse the unshared swapcache page in do_wp_page").
 */
#include "tests/machine_rig.h"
#include "src/machine/machine_internal.h"
#include "src/mm/reclaim.h"
#include "src/mm/swapcache.h"

enum { PAGE = 10, FIRST = 10, NR_RULES = WP_W3 + 1 };

static const char *const rule_names[] = {"w0", "w1", "w1-seed", "w1-willy", "w2", "w3"};

/* Kernel 5.10 with another rule; those from 5.18 on come with what else changed in 5.18. */
static void start(struct rig *r, enum wp_rule rule, const char *device) {
    rig_config(r, "5.10");
    r->c.era.fault.wp_rule = (uint8_t)rule;
    if (rule >= WP_W2)
        r->c.era.fault.drain_on_write = r->c.era.fault.free_swap_on_write =
            r->c.era.fault.free_idle_after_cow = true;
    rig_device(r, device);
    r->c.page_cluster = 0;
}

/* The machine runs, and the page has been written once. */
static void run(struct rig *r) {
    rig_start(r);
    rig_process(r, 0, RF_NONE, 0);
    rig_write(r, 0, PAGE, FIRST);
}

static void settle(struct rig *r) {
    RIG_OK(r, machine_settle(r->m, &r->err));
}

static const struct folio *folio_of(const struct rig *r, uint32_t id) {
    return &r->m->mm->folio[pte_index(r->m->mm->pte[id])];
}

/* Puts what this CPU's batches hold on the lists. */
static void drain(struct rig *r) {
    lru_add_drain(r->m->mm, engine_cpu(r->m->eng, 0));
}

/* Reclaim until the page is out of its page table: two rounds clear its accessed bit, write it. */
static void push_out(struct rig *r, uint32_t id) {
    struct sim_cpu *cpu = engine_cpu(r->m->eng, 0);

    r->m->mm->cur = cpu;
    drain(r);
    for (int i = 0; i < 100 && machine_page_state(r->m, id) != 2; i++)
        try_to_free_pages(r->m->mm, cpu, 1, 1, 0);
    assert_int_equal(machine_page_state(r->m, id), 2);
}

/* Reclaim until the page is gone from the swap cache too. */
static void drop(struct rig *r, uint32_t id) {
    push_out(r, id);
    uint32_t slot = pte_index(r->m->mm->pte[id]);
    for (int i = 0; i < 100 && swapcache_lookup(r->m->mm, slot) != RF_NONE; i++) {
        settle(r);
        try_to_free_pages(r->m->mm, engine_cpu(r->m->eng, 0), 1, 1, 0);
    }
    assert_int_equal(swapcache_lookup(r->m->mm, slot), RF_NONE);
}

struct outcome {
    uint64_t reuses, copies, stable, shared;
};
static struct outcome write_and_see(struct rig *r, uint32_t pid, uint32_t id) {
    struct outcome o = {rig_value(r, "vmstat.pgreuse"), rig_value(r, "x.cow_copies"),
                        rig_value(r, "x.stable_page_violations"),
                        rig_value(r, "x.shared_page_violations")};

    rig_write(r, pid, id, FIRST + 1);
    o.reuses = rig_value(r, "vmstat.pgreuse") - o.reuses;
    o.copies = rig_value(r, "x.cow_copies") - o.copies;
    o.stable = rig_value(r, "x.stable_page_violations") - o.stable;
    o.shared = rig_value(r, "x.shared_page_violations") - o.shared;
    return o;
}

/* reuse[rule]: whether the page must be reused; it is copied else. */
static void expect(struct rig *r, enum wp_rule rule, uint32_t pid, uint32_t id,
                   const bool reuse[NR_RULES]) {
    struct outcome o = write_and_see(r, pid, id);

    if (o.reuses != reuse[rule] || o.copies != !reuse[rule])
        fail_msg("rule %s: %d reuses and %d copies", rule_names[rule], (int)o.reuses,
                 (int)o.copies);
    assert_int_equal(o.stable, 0);
    rig_check(r);
}

/* Read from swap, then written: the case of the mail. Only W1 copies. Of the others Wilcox's rule
 * and W3, which needs no test, leave the page in the swap cache. */
static void read_then_write(void **state) {
    static const bool reuse[NR_RULES] = {true, false, true, true, true, true};

    (void)state;
    for (enum wp_rule rule = WP_W0; rule <= WP_W3; rule++) {
        struct rig r;

        start(&r, rule, "nvme");
        run(&r);
        drop(&r, PAGE);
        rig_read(&r, 0, PAGE);
        drain(&r);
        uint32_t slot = folio_slot(r.m->mm, folio_of(&r, PAGE));
        assert_true(folio_of(&r, PAGE)->flags & FOLIO_SWAPCACHE);
        expect(&r, rule, 0, PAGE, reuse);
        assert_true(r.m->mm->pte[PAGE] & PTE_WRITE);
        /* Where W1 copies, the old page lingers, and its slot with it. */
        bool cached = swapcache_lookup(r.m->mm, slot) != RF_NONE;
        assert_int_equal(cached, rule == WP_W1 || rule == WP_W1_WILLY || rule == WP_W3);
        rig_teardown(&r);
    }
}

/* 5.14: the old page and its slot are freed by the copy. */
static void idle_old_page(void **state) {
    struct rig r;

    (void)state;
    for (int from_5_14 = 0; from_5_14 < 2; from_5_14++) {
        start(&r, WP_W1, "nvme");
        r.c.era.fault.free_idle_after_cow = from_5_14;
        run(&r);
        drop(&r, PAGE);
        rig_read(&r, 0, PAGE);
        uint32_t slot = folio_slot(r.m->mm, folio_of(&r, PAGE));
        uint64_t frames = rig_value(&r, "x.free_frames");
        rig_write(&r, 0, PAGE, FIRST + 1);
        assert_int_equal(rig_value(&r, "x.free_frames"), from_5_14 ? frames : frames - 1);
        assert_int_equal(swapcache_lookup(r.m->mm, slot) == RF_NONE, from_5_14);
        rig_check(&r);
        rig_teardown(&r);
    }
}

/* A write swap fault has always had W0's test: no write-protect fault follows. */
static void written_at_once(void **state) {
    (void)state;
    for (enum wp_rule rule = WP_W0; rule <= WP_W3; rule++) {
        struct rig r;

        start(&r, rule, "nvme");
        run(&r);
        drop(&r, PAGE);
        struct outcome o = write_and_see(&r, 0, PAGE);
        assert_int_equal(o.copies, 0);
        assert_true(r.m->mm->pte[PAGE] & PTE_WRITE);
        rig_check(&r);
        rig_teardown(&r);
    }
}

/*
 * A synchronous device and one user: the page never enters the swap cache. But it is in the CPU's
 * LRU-add batch, whose reference W1 and both proposals take for another user; W0 counts mappings,
 * 5.18 drains the batch.
 */
static void not_cached(void **state) {
    static const bool in_batch[NR_RULES] = {true, false, false, false, true, true};
    static const bool on_lru[NR_RULES] = {true, true, true, true, true, true};

    (void)state;
    for (int drained = 0; drained < 2; drained++) {
        for (enum wp_rule rule = WP_W0; rule <= WP_W3; rule++) {
            struct rig r;

            start(&r, rule, "pmem");
            run(&r);
            drop(&r, PAGE);
            rig_read(&r, 0, PAGE);
            assert_false(folio_of(&r, PAGE)->flags & FOLIO_SWAPCACHE);
            assert_true(folio_of(&r, PAGE)->flags & FOLIO_IN_BATCH);
            if (drained)
                drain(&r);
            expect(&r, rule, 0, PAGE, drained ? on_lru : in_batch);
            rig_teardown(&r);
        }
    }
}

static void fork_all(struct rig *r) {
    rig_process(r, 1, 0, 1);
    RIG_OK(r, machine_fork_block(r->m, 1, 1, 0, 0, &r->err));
}

/* A page that a child shares is copied by every rule; its last user takes it over. */
static void shared_with_a_child(void **state) {
    static const bool never[NR_RULES] = {false};
    static const bool always[NR_RULES] = {true, true, true, true, true, true};

    (void)state;
    for (enum wp_rule rule = WP_W0; rule <= WP_W3; rule++) {
        struct rig r;

        start(&r, rule, "nvme");
        run(&r);
        drain(&r);
        fork_all(&r);
        expect(&r, rule, 0, PAGE, never);
        expect(&r, rule, 1, 512 + PAGE, always);
        rig_teardown(&r);
    }
}

/*
 * The same when it was swapped out before the fork, and only one of the two has read it back: the
 * other's swap entry is a user. Wilcox's rule does not look at the swap map, so it gives the child
 * what the parent writes afterwards; --verify finds it out. All others copy.
 */
static void shared_through_swap(void **state) {
    static const bool never[NR_RULES] = {false};

    (void)state;
    for (enum wp_rule rule = WP_W0; rule <= WP_W3; rule++) {
        struct rig r;

        start(&r, rule, "nvme");
        run(&r);
        drop(&r, PAGE);
        fork_all(&r);
        rig_read(&r, 0, PAGE);
        drain(&r);
        if (rule != WP_W1_WILLY) {
            expect(&r, rule, 0, PAGE, never);
            assert_int_equal(rig_value(&r, "x.shared_page_violations"), 0);
            rig_read(&r, 1, 512 + PAGE);
            rig_teardown(&r);
            continue;
        }
        struct outcome o = write_and_see(&r, 0, PAGE);
        assert_int_equal(o.reuses, 1);
        assert_int_equal(o.shared, 1);
        drop(&r, PAGE); /* writes the parent's data to the child's slot, too */
        uint32_t op = 512 + PAGE;
        size_t done;
        RIG_OK(&r, machine_switch(r.m, 1, &r.err));
        assert_int_equal(machine_run(r.m, &op, 1, &done, &r.err), RF_ECHECK);
        assert_non_null(strstr(r.err.msg, "data loss"));
        rig_stop(&r);
    }
}

/*
 * Under writeback: the page was just written out, and is read back and stored to before that write
 * has ended. Where the device needs stable pages W0's test refuses; Wilcox's makes the page
 * writable. From 5.18 on it cannot leave the swap cache, so it is copied on any device.
 */
static void under_writeback(void **state) {
    static const bool stable[NR_RULES] = {false, false, false, true, false, false};
    static const bool unstable[NR_RULES] = {true, false, true, true, false, true};

    (void)state;
    for (int needs = 0; needs < 2; needs++) {
        for (enum wp_rule rule = WP_W0; rule <= WP_W3; rule++) {
            struct rig r;

            start(&r, rule, "hdd");
            r.c.swap_stable_writes = (int8_t)needs;
            run(&r);
            push_out(&r, PAGE);
            rig_read(&r, 0, PAGE);
            drain(&r);
            assert_true(folio_of(&r, PAGE)->flags & FOLIO_WRITEBACK);
            struct outcome o = write_and_see(&r, 0, PAGE);
            const bool *reuse = needs ? stable : unstable;
            if (o.reuses != reuse[rule] || o.copies != !reuse[rule])
                fail_msg("rule %s, stable %d: %d reuses, %d copies", rule_names[rule], needs,
                         (int)o.reuses, (int)o.copies);
            assert_int_equal(o.stable, needs && rule == WP_W1_WILLY);
            settle(&r);
            rig_check(&r);
            rig_teardown(&r);
        }
    }
}

/* The same by a write swap fault, with no read in between: nobody makes the page writable. */
static void written_under_writeback(void **state) {
    (void)state;
    for (enum wp_rule rule = WP_W0; rule <= WP_W3; rule++) {
        struct rig r;

        start(&r, rule, "hdd");
        r.c.swap_stable_writes = 1;
        run(&r);
        push_out(&r, PAGE);
        struct outcome o = write_and_see(&r, 0, PAGE);
        /* After its read swap fault Wilcox's rule sees one mapping and one cache reference. */
        assert_int_equal(o.stable, rule == WP_W1_WILLY);
        assert_int_equal(o.copies, rule != WP_W1_WILLY);
        settle(&r);
        rig_check(&r);
        rig_teardown(&r);
    }
}

static void ksm_pages(void **state) {
    static const bool never[NR_RULES] = {false};

    (void)state;
    for (enum wp_rule rule = WP_W0; rule <= WP_W3; rule++) {
        struct rig r;

        start(&r, rule, "nvme");
        run(&r);
        rig_write(&r, 0, PAGE + 1, FIRST);
        drain(&r);
        RIG_OK(&r, machine_mark_ksm(r.m, PAGE, 1, &r.err));
        expect(&r, rule, 0, PAGE, never);
        uint64_t faults = rig_value(&r, "vmstat.pgfault");
        rig_write(&r, 0, PAGE, FIRST + 2); /* the copy is an ordinary page */
        rig_write(&r, 0, PAGE + 1, FIRST + 2);
        assert_int_equal(rig_value(&r, "vmstat.pgfault"), faults);
        rig_teardown(&r);
    }
}

/*
 * A child stores to a shared page when the cgroup is full. The reclaim of its copy's charge comes
 * to that page first: clears its accessed bit, or, if nobody used it since the last time, unmaps
 * it. The copy is dropped then, and a second fault makes one. In a trace of stock 6.1 that is
 * page_fault_user, mm_vmscan_memcg_reclaim_begin to _end, page_fault_user on one page.
 */
static void changed_by_reclaim(void **state) {
    static const char *const kernels[] = {"5.10", "6.1", "6.12"};

    (void)state;
    for (int i = 0; i < 2 * 3; i++) {
        bool unused = i & 1;
        struct rig r;

        rig_config(&r, kernels[i / 2]);
        rig_device(&r, "zram0");
        r.c.memory_max = rig_pages(200);
        run(&r);
        rig_process(&r, 1, 0, 1);
        RIG_OK(&r, machine_fork_block(r.m, 1, 1, 0, 0, &r.err));
        rig_read(&r, 1, 512 + PAGE);
        if (unused)
            r.m->mm->pte[PAGE] &= ~(uint64_t)PTE_ACCESSED;
        if (unused)
            r.m->mm->pte[512 + PAGE] &= ~(uint64_t)PTE_ACCESSED;
        for (uint32_t id = PAGE + 1; r.m->mm->memcg[1].usage < 200 || r.m->mm->cpu[0].stock_nr;
             id++)
            rig_write(&r, 0, id, FIRST);
        assert_int_equal(rig_value(&r, "vmstat.pgscan_anon"), 0);
        uint64_t faults = rig_value(&r, "vmstat.pgfault");
        rig_write(&r, 1, 512 + PAGE, FIRST + 1);
        assert_int_equal(rig_value(&r, "vmstat.pgfault") - faults, 2);
        assert_int_equal(rig_value(&r, "x.cow_copies"), 1);
        /* Held by the copy, the page could not be freed, so nothing was read. */
        assert_int_equal(rig_value(&r, "vmstat.pgmajfault"), 0);
        rig_check(&r);
        rig_read(&r, 0, PAGE);
        rig_teardown(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_then_write),     cmocka_unit_test(idle_old_page),
        cmocka_unit_test(written_at_once),     cmocka_unit_test(not_cached),
        cmocka_unit_test(shared_with_a_child), cmocka_unit_test(shared_through_swap),
        cmocka_unit_test(under_writeback),     cmocka_unit_test(written_under_writeback),
        cmocka_unit_test(ksm_pages),           cmocka_unit_test(changed_by_reclaim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
