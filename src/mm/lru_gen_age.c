/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multi-generational LRU: where accessed bits are collected. Ageing walks page tables and skips
 * those not accessed since and those that had few young entries, as remembered in two alternating
 * filters; eviction looks at the
 * neighbours of a young entry it meets (mm/vmscan.c walk_mm(), lru_gen_look_around() and
 * mm/rmap.c folio_referenced_one() of 6.1 and 6.12).
 */
#include "lru_gen.h"
#include "rmap.h"

#define PAGEVEC_SIZE 15u /* fewer neighbours than this are activated one by one (to 6.2) */
#define PTES_PER_LINE 8u /* one young entry a cache line makes a table worth a walk */

static bool worth_a_walk(uint32_t total, uint32_t young) {
    return young * PTES_PER_LINE >= total;
}

/* Tests and clears the accessed bit of an entry that maps a page of this cgroup. */
static bool test_and_clear_young(struct mm *mm, uint32_t pte_id, uint32_t memcg, uint32_t *folio) {
    uint64_t p = mm->pte[pte_id];

    if ((p & (PTE_PRESENT | PTE_ACCESSED | PTE_ZEROPAGE)) != (PTE_PRESENT | PTE_ACCESSED))
        return false;
    struct folio *f = &mm->folio[pte_index(p)];
    if (folio_memcg(f) != memcg)
        return false;
    mm->pte[pte_id] = p & ~(uint64_t)PTE_ACCESSED;
    if ((p & PTE_DIRTY) && (f->flags & FOLIO_SWAPCACHE))
        f->flags |= FOLIO_DIRTY;
    *folio = pte_index(p);
    return true;
}

static void filter_add(struct lru_gen *g, struct block *b, uint64_t seq) {
    if (g->filters & 1u << (seq & 1))
        b->lru_filter |= (uint8_t)(1u << (seq & 1));
}

static void walk_block(struct mm *mm, struct sim_cpu *cpu, uint32_t block, uint32_t memcg) {
    struct lru_gen *g = &mm->memcg[memcg].lruvec.lru_gen;
    struct block *b = &mm->block[block];
    uint32_t total = 0, young = 0, folio;

    for (uint32_t i = b->pieces; i != RF_NONE; i = mm->piece[i].next) {
        const struct vma_piece *p = &mm->piece[i];
        total += (uint32_t)(p->hi - p->lo);
        for (uint32_t id = block << 9 | p->lo, end = (block << 9) + p->hi; id < end; id++) {
            if (!test_and_clear_young(mm, id, memcg, &folio))
                continue;
            young++;
            gen_promote(mm, folio, gen_of(g->max_seq));
        }
    }
    sim_charge(cpu, mm->p.cost.age_pte_ns * total);
    if (worth_a_walk(total, young))
        filter_add(g, b, g->max_seq + 1);
}

/* The filter of sequence number seq starts empty. */
static void filter_reset(struct mm *mm, uint32_t memcg, uint64_t seq) {
    uint8_t bit = (uint8_t)(1u << (seq & 1));

    mm->memcg[memcg].lruvec.lru_gen.filters |= bit;
    for (uint32_t pid = 0; pid < mm->nr_procs; pid++) {
        const struct process *p = &mm->proc[pid];
        for (uint32_t i = 0; p->memcg == memcg && i < p->nblocks; i++)
            mm->block[p->blocks[i]].lru_filter &= (uint8_t)~bit;
    }
}

void gen_age(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg) {
    struct lru_gen *g = &mm->memcg[memcg].lruvec.lru_gen;
    uint8_t now = (uint8_t)(1u << (g->max_seq & 1));
    /* Moves with every fault and every tick: between two of these nothing else ran. */
    uint64_t ran = mm->c[VM_pgfault] + cpu->now / RF_MAX(mm->p.cost.tick_ns, 1u) + 1;
    bool all = !(g->filters & now), first = true;

    for (uint32_t pid = 0; pid < mm->nr_procs; pid++) {
        struct process *p = &mm->proc[pid];
        /* An address space is walked if a CPU switched to it since it was last walked. */
        if (!p->alive || p->memcg != memcg || p->lru_walked == ran)
            continue;
        if (first)
            filter_reset(mm, memcg, g->max_seq + 1);
        first = false;
        all |= p->lru_walked == 0; /* new: every table of it, and of those after it */
        p->lru_walked = ran;
        for (uint32_t i = 0; i < p->nblocks; i++) {
            const struct block *b = &mm->block[p->blocks[i]];
            if (!b->table || !mm->pmd_young[p->blocks[i]])
                continue;
            mm->pmd_young[p->blocks[i]] = 0;
            if (all || (b->lru_filter & now))
                walk_block(mm, cpu, p->blocks[i], memcg);
        }
    }
    gen_inc_max_seq(mm, memcg);
}

/* The entries around a young one of an isolated folio: at most 64 of its table and its VMA. */
static void look_around(struct mm *mm, struct sim_cpu *cpu, uint32_t pte_id, uint32_t memcg) {
    struct lru_gen *g = &mm->memcg[memcg].lruvec.lru_gen;
    const struct reclaim_policy *pol = &mm->p.reclaim;
    uint32_t lo, hi, young = 0, folio, nr = 0, found[MIN_LRU_BATCH];
    uint32_t gen = gen_of(g->max_seq);

    (void)vma_of(mm, pte_id, &lo, &hi);
    if (hi - lo > MIN_LRU_BATCH) {
        if (pte_id - lo < MIN_LRU_BATCH / 2)
            hi = lo + MIN_LRU_BATCH;
        else if (hi - pte_id < MIN_LRU_BATCH / 2)
            lo = hi - MIN_LRU_BATCH;
        else {
            lo = pte_id - MIN_LRU_BATCH / 2;
            hi = lo + MIN_LRU_BATCH;
        }
    }
    if (pol->lru_gen_target_first) {
        mm->pte[pte_id] &= ~(uint64_t)PTE_ACCESSED;
        young++;
    }
    for (uint32_t id = lo; id < hi; id++) {
        if (!test_and_clear_young(mm, id, memcg, &folio))
            continue;
        young++;
        int old = folio_gen(mm, folio);
        if (old < 0 || g->mm_walk)
            gen_promote(mm, folio, gen);
        else if ((uint32_t)old != gen && pol->lru_gen_activates_each)
            gen_activate(mm, cpu, folio);
        else if ((uint32_t)old != gen)
            found[nr++] = folio;
    }
    sim_charge(cpu, mm->p.cost.age_pte_ns * (hi - lo));
    if (worth_a_walk(hi - lo, young))
        filter_add(g, &mm->block[pte_id >> 9], g->max_seq);
    for (uint32_t i = 0; i < nr; i++) {
        if (nr < PAGEVEC_SIZE)
            gen_activate(mm, cpu, found[i]);
        else
            gen_promote(mm, found[i], gen);
    }
}

struct young_arg {
    struct sim_cpu *cpu;
    uint32_t memcg, n;
};

static bool test_young(struct mm *mm, uint32_t pte_id, void *arg) {
    struct young_arg *a = arg;

    if (mm->pte[pte_id] & PTE_ACCESSED) {
        look_around(mm, a->cpu, pte_id, a->memcg);
        mm->pte[pte_id] &= ~(uint64_t)PTE_ACCESSED;
        a->n++;
    }
    return true;
}

uint32_t lru_gen_referenced(struct mm *mm, struct sim_cpu *cpu, uint32_t folio) {
    struct folio *f = &mm->folio[folio];
    struct young_arg a = {.cpu = cpu, .memcg = folio_memcg(f)};

    if (RF_UNLIKELY(folio_order(f)))
        return folio_referenced(mm, folio);
    if (f->mapcount == 1)
        (void)test_young(mm, f->owner, &a);
    else
        rmap_walk(mm, folio, test_young, &a);
    return a.n;
}
