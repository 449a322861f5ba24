/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multi-generational LRU: eviction from the oldest generation, and when to age instead
 * (mm/vmscan.c scan_folios(), evict_folios(), lru_gen_shrink_lruvec() of 6.1 and 6.12). The file
 * type has no folios here, so its turn always ends at once with nothing scanned.
 */
#include "contention.h"
#include "lru_gen.h"
#include "reclaim.h"

/* Takes the folio out of the oldest generation, unless it belongs to a younger one. */
static uint32_t next_gen(struct mm *mm, struct lru_gen *g, uint32_t id, bool reclaiming) {
    uint32_t gen = gen_of(g->min_seq + 1);

    clear_refs(mm, id);
    if (reclaiming)
        mm->folio[id].flags |= FOLIO_RECLAIM;
    gen_retag(mm, id, gen);
    return gen;
}

static bool sort_folio(struct mm *mm, uint32_t memcg, uint32_t id, uint32_t tier_limit) {
    struct lru_gen *g = &mm->memcg[memcg].lruvec.lru_gen;
    struct folio *f = &mm->folio[id];
    uint32_t gen = (uint32_t)folio_gen(mm, id);

    if (gen != gen_of(g->min_seq)) { /* promoted since */
        gen_move(mm, id, gen, false);
        return true;
    }
    uint32_t refs = gen_refs(mm, id), tier = gen_tier(refs);
    if (tier > tier_limit || refs == LRU_REFS_MAX + 1) {
        g->protect[tier] += folio_nr(f);
        if (!mm->p.reclaim.lru_gen_counts_refaults)
            vm_count(mm, memcg, VM_workingset_activate_anon, folio_nr(f));
        gen_move(mm, id, next_gen(mm, g, id, false), true);
        return true;
    }
    if (f->flags & (FOLIO_LOCKED | FOLIO_WRITEBACK)) {
        gen_move(mm, id, next_gen(mm, g, id, true), false);
        return true;
    }
    return false;
}

static bool isolate_folio(struct mm *mm, uint32_t id) {
    struct folio *f = &mm->folio[id];

    /* A per-CPU batch has taken it off the LRU, so to speak. */
    if ((f->flags & FOLIO_IN_ROTATE) && mm->p.reclaim.batch_isolates)
        return false;
    if (!(f->flags & FOLIO_REFERENCED))
        clear_refs(mm, id);
    f->flags &= (uint16_t) ~(FOLIO_RECLAIM | FOLIO_REFERENCED);
    folio_lru_remove(mm, id);
    memcg_stat_updated(mm, folio_nr(&mm->folio[id]));
    f->flags |= FOLIO_ISOLATED;
    return true;
}

/* Fills list with up to MIN_LRU_BATCH folios; returns the pages looked at, 0 = no progress. */
static uint64_t scan_folios(struct mm *mm, uint32_t memcg, struct scan_control *sc, uint32_t *list,
                            uint32_t *nr) {
    struct lru_gen *g = &mm->memcg[memcg].lruvec.lru_gen;
    uint64_t sorted = 0, scanned = 0, isolated = 0, nr_skipped = 0;
    uint32_t remaining = MAX_LRU_BATCH, limit = gen_tier_limit(g);
    uint32_t skipped[MIN_LRU_BATCH], ns = 0;

    *nr = 0;
    if (nr_gens(g) == MIN_NR_GENS)
        return 0;
    struct lru_list *l = &g->gen[gen_of(g->min_seq)];
    uint32_t id = l->tail;
    while (id != RF_NONE) {
        uint32_t pages = folio_nr(&mm->folio[id]), prev = mm->folio[id].prev;
        scanned += pages;
        if (sort_folio(mm, memcg, id, limit)) {
            sorted += pages;
        } else if (isolate_folio(mm, id)) {
            list[(*nr)++] = id;
            isolated += pages;
        } else {
            skipped[ns++] = id;
            nr_skipped += pages;
        }
        id = prev;
        if (!--remaining || RF_MAX(isolated, nr_skipped) >= MIN_LRU_BATCH)
            break;
    }
    /* Those skipped go in front, in the order they had. */
    for (uint32_t i = 0; i < ns; i++)
        gen_move(mm, skipped[i], gen_of(g->min_seq), false);
    sim_charge(mm->cur, mm->p.cost.deactivate_ns * sorted);
    count_scan(mm, memcg, sc, isolated);
    sc->nr_scanned += isolated;
    mm->memcg[memcg].c[VM_pgrefill] += sorted;
    if (sc->global)
        mm->c[VM_pgrefill] += sorted;
    return isolated || !remaining ? scanned : 0;
}

/* Back to a list, unless it should be looked at once more because its write ended meanwhile. */
static bool putback(struct mm *mm, uint32_t id, bool last) {
    struct folio *f = &mm->folio[id];

    if ((f->flags & FOLIO_RECLAIM) && (f->flags & (FOLIO_DIRTY | FOLIO_WRITEBACK))) {
        if (f->flags & FOLIO_WORKINGSET)
            f->flags |= FOLIO_REFERENCED;
    } else if (last || f->mapcount ||
               (f->flags &
                (FOLIO_ACTIVE | FOLIO_REFERENCED | FOLIO_LOCKED | FOLIO_DIRTY | FOLIO_WRITEBACK))) {
        /* What cannot be evicted does not go to the oldest generation. */
        clear_refs(mm, id);
        f->flags |= FOLIO_ACTIVE;
    } else {
        return false;
    }
    f->flags &= (uint16_t)~FOLIO_ISOLATED;
    folio_lru_insert(mm, id, false);
    return true;
}

static uint64_t evict_folios(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg,
                             struct scan_control *sc, bool *swapping) {
    struct lru_gen *g = &mm->memcg[memcg].lruvec.lru_gen;
    uint32_t list[MIN_LRU_BATCH], nr;

    sim_charge(cpu, mm->p.cost.shrink_call_ns);
    mm_interrupts(mm, cpu);
    uint64_t scanned = scan_folios(mm, memcg, sc, list, &nr);
    lru_lock(mm, cpu, nr);
    scanned += gen_inc_min_seq(g);
    if (nr_gens(g) == MIN_NR_GENS)
        scanned = 0;
    for (bool last = false; nr; last = true) {
        struct shrink_stat st = {0};
        uint32_t again = 0;
        shrink_folio_list(mm, cpu, list, &nr, sc, &st);
        sc->nr_reclaimed += st.reclaimed;
        mm_interrupts(mm, cpu);
        lru_lock(mm, cpu, nr + st.nr_more);
        for (uint32_t i = 0; i < nr; i++)
            if (!putback(mm, list[i], last))
                list[again++] = list[i];
        for (uint32_t id = st.more_first; st.nr_more; st.nr_more--) {
            uint32_t next = mm->folio[id].next;
            (void)putback(mm, id, true);
            id = next;
        }
        count_steal(mm, memcg, sc, st.reclaimed);
        nr = again;
        *swapping = true;
    }
    return scanned;
}

/* Pages in all generations, and whether it is time to age. */
static bool should_age(const struct lru_gen *g, uint64_t *total) {
    uint64_t young = g->nr_pages[gen_of(g->max_seq)], old = 0;

    *total = 0;
    for (uint64_t seq = g->min_seq; seq <= g->max_seq; seq++) {
        *total += g->nr_pages[gen_of(seq)];
        if (seq + MIN_NR_GENS == g->max_seq)
            old = g->nr_pages[gen_of(seq)];
    }
    if (g->min_seq + MIN_NR_GENS != g->max_seq)
        return g->min_seq + MIN_NR_GENS > g->max_seq;
    /* Generations should be of like size: too many hot pages, or too few cold ones. */
    return young * MIN_NR_GENS > *total || old * (MIN_NR_GENS + 2) < *total;
}

/* Pages to look at in this call; ages first if it must. 0 ends the call. */
static uint64_t nr_to_scan(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg,
                           const struct scan_control *sc) {
    struct lru_gen *g = &mm->memcg[memcg].lruvec.lru_gen;
    uint64_t total;
    bool age = should_age(g, &total);
    uint64_t nr = total >> sc->priority;

    if (!age)
        return nr;
    if (sc->priority != DEF_PRIORITY && !(sc->kswapd && !mm->p.reclaim.lru_gen_ages_apart)) {
        gen_age(mm, cpu, memcg);
        g->mm_walk = true;
        return mm->p.reclaim.lru_gen_ages_apart ? 0 : nr;
    }
    if (sc->priority != DEF_PRIORITY)
        return 0;
    return g->min_seq + MIN_NR_GENS <= g->max_seq ? nr : 0;
}

static bool should_stop(const struct mm *mm, const struct scan_control *sc, uint64_t aged,
                        bool swapping) {
    if (mm->p.reclaim.lru_gen_ages_apart) {
        if (!sc->global)
            return false;
        return sc->nr_reclaimed >= sc->nr_to_reclaim ||
               (sc->kswapd && mm_free_frames(mm) > mm->wmark_high + MIN_LRU_BATCH);
    }
    if (!sc->kswapd) {
        if (aged > 1 || (swapping && sc->nr_reclaimed >= sc->nr_to_reclaim))
            return true;
        if (!sc->global)
            return false;
    } else if (sc->nr_reclaimed < sc->nr_to_reclaim) {
        return false;
    }
    return sc->priority <= DEF_PRIORITY - 2 &&
           mm_free_frames(mm) >= (sc->kswapd ? mm->wmark_high : mm->wmark_low);
}

void lru_gen_shrink(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, struct scan_control *sc) {
    struct lru_gen *g = &mm->memcg[memcg].lruvec.lru_gen;
    uint64_t scanned = 0, max_seq, total;
    bool swapping = false;

    /* Without swap only file pages would be left to evict. */
    if (mm->p.knobs.swappiness == 0 || memcg_swap_free(mm, memcg) < MIN_LRU_BATCH)
        return;
    mm_interrupts(mm, cpu);
    lru_add_drain(mm, cpu);
    if (mm->blk)
        blk_plug(mm->blk, cpu);
    /* Updates of generations are batched where a record for them exists. */
    g->mm_walk = sc->kswapd;
    if (sc->kswapd && !mm->p.reclaim.lru_gen_ages_apart && sc->priority != DEF_PRIORITY &&
        should_age(g, &total))
        gen_age(mm, cpu, memcg); /* before eviction starts */
    max_seq = g->max_seq;
    for (;;) {
        uint64_t nr = nr_to_scan(mm, cpu, memcg, sc);
        if (!nr)
            break;
        uint64_t n = evict_folios(mm, cpu, memcg, sc, &swapping);
        if (!n)
            break;
        scanned += n;
        if (scanned >= nr || should_stop(mm, sc, g->max_seq - max_seq, swapping))
            break;
    }
    g->mm_walk = false;
    if (mm->blk)
        blk_unplug(mm->blk, cpu);
}
