/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write-protect faults of random machines against a naive reference: the rules as a table of
 * conditions on what can be counted from outside, the page table entries and swap entries that
 * refer to a page, instead of on the counts that the machine keeps. Every store to a page that is
 * present and write-protected must be reused or copied as the reference says, and no page may
 * become writable that a device which needs it stable is writing.
 */
#include "src/machine/machine_internal.h"
#include "src/mm/swapcache.h"
#include "tests/machine_rig.h"

enum { PAGES = 96, PROCS = 4, STEPS = 12000, SETTLE = 500 };

static const char *const rule_names[] = {"w0", "w1", "w1-seed", "w1-willy", "w2", "w3"};

/* Who refers to the page that id maps, counted entry by entry. */
struct users {
    uint32_t mappings, swap_entries;
    bool cached, writeback, stable, ksm, exclusive;
    bool adding, rotating; /* held by one of the CPU's batches */
};

static struct users look(const struct mm *mm, uint32_t id) {
    uint32_t folio = pte_index(mm->pte[id]);
    struct users u = {0};

    for (uint32_t i = 0; i < mm->p.max_ids; i++) {
        uint64_t p = mm->pte[i];
        if ((p & PTE_PRESENT) && !(p & PTE_ZEROPAGE) && pte_index(p) == folio)
            u.mappings++;
        else if ((p & PTE_SWAP) && swapcache_lookup(mm, pte_index(p)) == folio)
            u.swap_entries++;
    }
    for (uint32_t s = 0; s < swap_slots_seen(mm->swap); s++)
        u.cached |= swapcache_lookup(mm, s) == folio;
    for (uint32_t b = 0; b < mm->cpu[0].add.n; b++)
        u.adding |= mm->cpu[0].add.folio[b] == folio;
    for (uint32_t b = 0; b < mm->cpu[0].rotate.n; b++)
        u.rotating |= mm->cpu[0].rotate.folio[b] == folio;
    u.writeback = mm->folio[folio].flags & FOLIO_WRITEBACK;
    u.stable = mm->swap_stable;
    u.ksm = mm->folio[folio].flags & FOLIO_KSM;
    u.exclusive = mm->pte[id] & PTE_EXCLUSIVE;
    return u;
}

static bool alone(const struct users *u) {
    return u->mappings + u->swap_entries == 1 && !u->ksm;
}

static bool reference(enum wp_rule rule, const struct users *u) {
    bool wb_refuses = u->cached && u->writeback && u->stable;
    bool batched = u->adding || u->rotating;
    /* Before an LRU list there is only the add batch, which is drained; behind it, none is. */
    bool w2 = alone(u) && !(u->cached && u->writeback) && !u->rotating;

    switch (rule) {
    case WP_W0:
        return alone(u) && !wb_refuses;
    case WP_W1:
        return u->mappings == 1 && !u->ksm && !u->cached && !batched;
    case WP_W1_SEED:
        return u->cached ? alone(u) && !wb_refuses : alone(u) && !batched;
    case WP_W1_WILLY:
        return u->mappings == 1 && !u->ksm && !batched;
    case WP_W2:
        return w2;
    case WP_W3:
        return u->exclusive || w2;
    }
    return false;
}

struct seen {
    uint32_t reused, copied, again, cached, writeback, batched, shared, swapped, ksm;
};

static uint32_t below(struct rf_rng *rng, uint32_t n) {
    return (uint32_t)rf_rng_below(rng, n);
}

static void store(struct rig *r, enum wp_rule rule, uint32_t pid, uint32_t id, uint32_t content,
                  struct seen *seen) {
    struct mm *mm = r->m->mm;

    engine_poll(r->m->eng, engine_cpu(r->m->eng, 0)->now);
    uint64_t p = mm->pte[id], reuse = mm->c[VM_pgreuse], copies = mm->x_cow_copies,
             faults = mm->c[VM_pgfault];
    if (!(p & PTE_PRESENT) || (p & (PTE_WRITE | PTE_ZEROPAGE))) {
        rig_write(r, pid, id, content);
        return;
    }
    struct users u = look(mm, id);
    bool want = reference(rule, &u);
    rig_write(r, pid, id, content);
    reuse = mm->c[VM_pgreuse] - reuse;
    copies = mm->x_cow_copies - copies;
    if (mm->c[VM_pgfault] - faults > 1) { /* dropped its copy: the last fault found other users */
        assert_false(want);
        seen->again++;
        return;
    }
    if (reuse != want || copies != !want)
        fail_msg("rule %s: %u mappings, %u swap entries, cached %d, writeback %d, adding %d, "
                 "rotating %d, exclusive %d: reused %d times, copied %d times",
                 rule_names[rule], u.mappings, u.swap_entries, u.cached, u.writeback, u.adding,
                 u.rotating, u.exclusive, (int)reuse, (int)copies);
    seen->reused += want;
    seen->copied += !want;
    seen->cached += u.cached;
    seen->writeback += u.writeback;
    seen->batched += u.adding || u.rotating;
    seen->shared += u.mappings > 1;
    seen->swapped += u.swap_entries > 0;
    seen->ksm += u.ksm;
}

/* Process 0 lives; children come and go, each in a block of its own. */
static void random_run(enum wp_rule rule, uint32_t seed, struct seen *seen) {
    static const char *const devices[] = {"hdd", "ssd", "pmem"};
    struct rf_rng rng;
    struct rig r;
    uint32_t children = 0, first = 1;

    rf_rng_seed(&rng, seed);
    rig_config(&r, "5.10");
    r.c.era.fault.wp_rule = (uint8_t)rule;
    r.c.era.fault.drain_on_write = r.c.era.fault.free_swap_on_write = rule >= WP_W2;
    r.c.era.fault.free_idle_after_cow = rule >= WP_W2 || below(&rng, 2);
    rig_device(&r, devices[below(&rng, 3)]);
    r.c.swap_stable_writes = (int8_t)below(&rng, 2);
    r.c.page_cluster = 2 * below(&rng, 2);
    r.c.blocks = PROCS;
    if (below(&rng, 2))
        r.c.memory_max = rig_pages(PAGES);
    else
        r.c.memory_limit = rig_pages(PAGES);
    /* Wilcox's rule loses data of pages that are shared through swap. */
    bool forks = rule != WP_W1_WILLY && below(&rng, 2);
    rig_start(&r);
    rig_process(&r, 0, RF_NONE, 0);
    for (uint32_t i = 0; i < STEPS; i++) {
        uint32_t what = below(&rng, 1000);

        if (forks && what < 2 && first + children < PROCS) {
            uint32_t pid = first + children++;
            rig_process(&r, pid, 0, pid);
            RIG_OK(&r, machine_fork_block(r.m, pid, pid, 0, 0, &r.err));
        } else if (what == 2 && children) {
            RIG_OK(&r, machine_exit(r.m, first++, false, &r.err));
            children--;
        } else if (what == 3) {
            RIG_OK(&r, machine_mark_ksm(r.m, below(&rng, PAGES), 1, &r.err));
        } else {
            uint32_t pid = below(&rng, children + 1), page = below(&rng, PAGES * 3 / 2);
            pid = pid ? first + pid - 1 : 0;
            if (below(&rng, 3))
                rig_read(&r, pid, pid << 9 | page);
            if (below(&rng, 2))
                store(&r, rule, pid, pid << 9 | page, 10 + below(&rng, 80), seen);
        }
        if (i % SETTLE == 0)
            rig_check(&r);
    }
    uint64_t stable = rig_value(&r, "x.stable_page_violations");
    if (rule != WP_W1_WILLY || !r.c.swap_stable_writes)
        assert_int_equal(stable, 0);
    if (rule != WP_W1_WILLY)
        assert_int_equal(rig_value(&r, "x.shared_page_violations"), 0);
    rig_teardown(&r);
}

static void rules(void **state) {
    struct seen all = {0};

    (void)state;
    for (enum wp_rule rule = WP_W0; rule <= WP_W3; rule++) {
        struct seen seen = {0};

        for (uint32_t seed = 1; seed <= 6; seed++)
            random_run(rule, seed * 100 + (uint32_t)rule, &seen);
        assert_true(seen.reused > 50 && seen.copied > 50);
        all.again += seen.again;
        all.cached += seen.cached;
        all.writeback += seen.writeback;
        all.batched += seen.batched;
        all.shared += seen.shared;
        all.swapped += seen.swapped;
        all.ksm += seen.ksm;
    }
    /* The states that tell the rules apart did come up. */
    assert_true(all.cached > 100 && all.writeback > 20 && all.batched > 100);
    assert_true(all.shared > 100 && all.swapped > 100 && all.ksm > 10 && all.again > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
