/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multi-generational LRU, anonymous memory only: generations and their lists, placement,
 * promotion, tiers, refaults (include/linux/mm_inline.h, mm/vmscan.c, mm/workingset.c, mm/swap.c of
 * 6.1.69+ and 6.12; Documentation/mm/multigen_lru.rst).
 */
#include "lru_gen.h"

void lru_gen_init(struct lruvec *lv) {
    lv->lru_gen = (struct lru_gen){.max_seq = MIN_NR_GENS + 1, .min_seq = 0};
    for (int i = 0; i < LRU_GEN_MAX; i++)
        lru_list_init(&lv->lru_gen.gen[i]);
}

/* For the statistics the two youngest generations are the active list. */
static bool gen_is_active(const struct lru_gen *g, uint32_t gen) {
    return gen == gen_of(g->max_seq) || gen == gen_of(g->max_seq - 1);
}

static void account(struct mm *mm, const struct folio *f, uint32_t gen, bool add) {
    struct memcg *mc = &mm->memcg[folio_memcg(f)];
    struct lru_gen *g = &mc->lruvec.lru_gen;
    uint64_t nr = folio_nr(f);
    uint64_t *v = gen_is_active(g, gen) ? &mc->now.active_anon : &mc->now.inactive_anon;

    g->nr_pages[gen] = add ? g->nr_pages[gen] + nr : g->nr_pages[gen] - nr;
    *v = add ? *v + nr : *v - nr;
}

void lru_gen_insert(struct mm *mm, uint32_t id, bool tail) {
    struct folio *f = &mm->folio[id];
    struct lru_gen *g = gen_lruvec(mm, f);
    uint64_t seq;

    if (f->flags & FOLIO_ACTIVE) /* faulted in, or found in use */
        seq = g->max_seq;
    else if (!(f->flags & FOLIO_SWAPCACHE) ||
             ((f->flags & FOLIO_RECLAIM) && (f->flags & (FOLIO_DIRTY | FOLIO_WRITEBACK))))
        seq = g->max_seq - 1; /* cold, but cannot be evicted at once */
    else if (tail || g->min_seq + MIN_NR_GENS >= g->max_seq)
        seq = g->min_seq;
    else
        seq = g->min_seq + 1;
    uint32_t gen = gen_of(seq);
    f->flags &= (uint16_t)~FOLIO_ACTIVE;
    mm->gen[id] =
        (uint8_t)((mm->gen[id] & (GEN_REFS | GEN_ACTIVATING)) | (gen + 1) | gen << GEN_LIST_SHIFT);
    account(mm, f, gen, true);
    if (tail)
        lru_push_tail(mm, &g->gen[gen], id);
    else
        lru_push_head(mm, &g->gen[gen], id);
}

void lru_gen_remove(struct mm *mm, uint32_t id) {
    struct folio *f = &mm->folio[id];
    struct lru_gen *g = gen_lruvec(mm, f);

    account(mm, f, (uint32_t)folio_gen(mm, id), false);
    lru_unlink(mm, &g->gen[(mm->gen[id] & GEN_LIST) >> GEN_LIST_SHIFT], id);
    mm->gen[id] &= GEN_REFS | GEN_ACTIVATING;
}

void gen_retag(struct mm *mm, uint32_t id, uint32_t gen) {
    account(mm, &mm->folio[id], (uint32_t)folio_gen(mm, id), false);
    mm->gen[id] = (uint8_t)((mm->gen[id] & ~GEN_TAG) | (gen + 1));
    account(mm, &mm->folio[id], gen, true);
}

void gen_move(struct mm *mm, uint32_t id, uint32_t list, bool tail) {
    struct lru_gen *g = gen_lruvec(mm, &mm->folio[id]);

    lru_unlink(mm, &g->gen[(mm->gen[id] & GEN_LIST) >> GEN_LIST_SHIFT], id);
    mm->gen[id] = (uint8_t)((mm->gen[id] & ~GEN_LIST) | list << GEN_LIST_SHIFT);
    if (tail)
        lru_push_tail(mm, &g->gen[list], id);
    else
        lru_push_head(mm, &g->gen[list], id);
}

void gen_promote(struct mm *mm, uint32_t id, uint32_t gen) {
    int old = folio_gen(mm, id);

    if (old < 0) {
        mm->folio[id].flags |= FOLIO_REFERENCED;
        return;
    }
    clear_refs(mm, id);
    if ((uint32_t)old != gen)
        gen_retag(mm, id, gen);
}

void gen_activate(struct mm *mm, struct sim_cpu *cpu, uint32_t id) {
    struct folio *f = &mm->folio[id];
    struct mm_cpu *c = mm_cpu(mm, cpu);

    if (!(f->flags & FOLIO_LRU) || (f->flags & FOLIO_IN_ROTATE))
        return;
    f->flags |= FOLIO_IN_ROTATE;
    mm->gen[id] |= GEN_ACTIVATING;
    c->activate.folio[c->activate.n++] = id;
    if (c->activate.n == mm->p.reclaim.add_batch || folio_order(f) > 0)
        lru_gen_drain(mm, c);
}

void lru_gen_drain(struct mm *mm, struct mm_cpu *c) {
    for (uint32_t i = 0; i < c->activate.n; i++) {
        uint32_t id = c->activate.folio[i];
        struct folio *f = &mm->folio[id];
        f->flags &= (uint16_t)~FOLIO_IN_ROTATE;
        mm->gen[id] &= (uint8_t)~GEN_ACTIVATING;
        if (!(f->flags & FOLIO_LRU))
            continue;
        folio_lru_remove(mm, id);
        memcg_stat_updated(mm, folio_nr(f));
        f->flags |= FOLIO_ACTIVE;
        folio_lru_insert(mm, id, false);
        vm_count(mm, folio_memcg(f), VM_pgactivate, folio_nr(f));
    }
    c->activate.n = 0;
}

/* ---- tiers ---- */

uint32_t gen_refs(const struct mm *mm, uint32_t id) {
    return ((uint32_t)(mm->gen[id] & GEN_REFS) >> GEN_REFS_SHIFT) +
           ((mm->folio[id].flags & FOLIO_WORKINGSET) ? 1u : 0u);
}

uint32_t gen_tier(uint32_t refs) {
    uint32_t t = 0;
    while ((1u << t) < refs + 1)
        t++;
    return t;
}

struct ctrl_pos {
    uint64_t refaulted, total, gain;
};

static struct ctrl_pos read_pos(const struct lru_gen *g, uint32_t tier, uint64_t gain) {
    struct ctrl_pos p = {.refaulted = g->avg_refaulted[tier] + g->refaulted[tier],
                         .total = g->avg_total[tier] + g->evicted[tier] + g->protect[tier],
                         .gain = gain};
    return p;
}

/* Whether pv has few refaults, or at most as many as sp in proportion. */
static bool positive_error(const struct ctrl_pos *sp, const struct ctrl_pos *pv) {
    return pv->refaulted < MIN_LRU_BATCH ||
           pv->refaulted * (sp->total + MIN_LRU_BATCH) * sp->gain <=
               (sp->refaulted + 1) * pv->total * pv->gain;
}

uint32_t gen_tier_limit(const struct lru_gen *g) {
    struct ctrl_pos sp = read_pos(g, 0, 1);
    uint32_t tier;

    for (tier = 1; tier < LRU_GEN_TIERS; tier++) {
        struct ctrl_pos pv = read_pos(g, tier, 2);
        if (!positive_error(&sp, &pv))
            break;
    }
    return tier - 1;
}

/* ---- sequence numbers ---- */

bool gen_inc_min_seq(struct lru_gen *g) {
    uint64_t seq = g->min_seq;

    while (seq + MIN_NR_GENS <= g->max_seq && g->gen[gen_of(seq)].head == RF_NONE)
        seq++;
    if (seq == g->min_seq)
        return false;
    for (uint32_t t = 0; t < LRU_GEN_TIERS; t++) {
        g->avg_refaulted[t] = (g->avg_refaulted[t] + g->refaulted[t]) / 2;
        g->avg_total[t] = (g->avg_total[t] + g->evicted[t] + g->protect[t]) / 2;
        g->refaulted[t] = g->evicted[t] = g->protect[t] = 0;
    }
    g->min_seq = seq;
    return true;
}

void gen_inc_max_seq(struct mm *mm, uint32_t memcg) {
    struct memcg *mc = &mm->memcg[memcg];
    struct lru_gen *g = &mc->lruvec.lru_gen;

    /* The second youngest generation becomes inactive. */
    uint64_t n = g->nr_pages[gen_of(g->max_seq - 1)];
    mc->now.active_anon -= n;
    mc->now.inactive_anon += n;
    g->max_seq++;
}

/* ---- refaults ---- */

/* A shadow: min_seq from bit 3 on, two bits of references, the workingset flag. */
uint32_t lru_gen_eviction(struct mm *mm, const struct folio *f) {
    struct lru_gen *g = gen_lruvec(mm, f);
    uint32_t refs = gen_refs(mm, (uint32_t)(f - mm->folio));

    g->evicted[gen_tier(refs)] += folio_nr(f);
    return (uint32_t)g->min_seq << 3 | (refs ? refs - 1 : 0) << 1 | (refs ? 1u : 0u);
}

void lru_gen_refault(struct mm *mm, struct folio *f, uint32_t shadow) {
    struct memcg *mc = &mm->memcg[folio_memcg(f)];
    struct lru_gen *g = &mc->lruvec.lru_gen;
    const struct reclaim_policy *pol = &mm->p.reclaim;
    bool recent = shadow >> 3 == ((uint32_t)g->min_seq & 0x1fffffffu);
    uint32_t nr = folio_nr(f), refs = ((shadow >> 1) & 3u) + (shadow & 1u);

    if (recent || pol->lru_gen_counts_refaults)
        vm_count(mm, mc->id, VM_workingset_refault_anon, nr);
    if (!recent)
        return;
    g->refaulted[gen_tier(refs)] += nr;
    if (pol->lru_gen_counts_refaults)
        vm_count(mm, mc->id, VM_workingset_activate_anon, nr);
    /* Evicted too early: the next visit of eviction protects it once. */
    if (mm->in_fault || refs >= LRU_REFS_MAX) {
        mm->gen[f - mm->folio] |= GEN_REFS;
        f->flags |= FOLIO_WORKINGSET;
        vm_count(mm, mc->id, VM_workingset_restore_anon, nr);
    }
}
