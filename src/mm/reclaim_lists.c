/* SPDX-License-Identifier: Apache-2.0 */
/* Reclaim of one list: which isolated folios are freed, kept, activated or written (mm/vmscan.c
 * shrink_folio_list(), shrink_inactive_list(), shrink_active_list(); 6.1, 6.12). */
#include "contention.h"
#include "lru_ahead.h"
#include "mm_internal.h"
#include "reclaim.h"
#include "rmap.h"
#include "swapcache.h"
#include "thp.h"

enum fate {
    FATE_KEEP,
    FATE_ACTIVATE,
    FATE_FREED,
    FATE_SPLIT,
    FATE_PENDING, /* waits in the batch to be written */
};

/* Besides those of the reclaim pass. */
static uint32_t refs_of(const struct mm *mm, uint32_t id) {
    return folio_refs(&mm->folio[id]) + (id == mm->held);
}

static bool try_free(struct mm *mm, struct sim_cpu *cpu, uint32_t id, struct shrink_stat *st) {
    struct folio *f = &mm->folio[id];
    bool cached = f->flags & FOLIO_SWAPCACHE;

    if (refs_of(mm, id) != (cached ? folio_nr(f) : 0) || (f->flags & FOLIO_DIRTY))
        return false;
    if (cached) {
        uint32_t shadow = workingset_eviction(mm, f);
        /* v1 hands the charge over to swap at once. */
        if (RF_UNLIKELY(mm->p.knobs.cgroup_v1))
            memcg_uncharge(mm, folio_memcg(f), folio_nr(f));
        swapcache_delete(mm, cpu, id, true, shadow);
    }
    if (!cached || RF_LIKELY(!mm->p.knobs.cgroup_v1))
        st->to_uncharge += folio_nr(f);
    folio_release(mm, id);
    sim_charge(cpu, mm->p.cost.free_ns);
    return true;
}

/* What the result of writing makes of a folio. */
static enum fate written(struct mm *mm, struct sim_cpu *cpu, uint32_t id, enum write_result result,
                         struct shrink_stat *st) {
    struct folio *f = &mm->folio[id];

    switch (result) {
    case WRITE_ACTIVATE:
        f->flags = (uint16_t)((f->flags & ~FOLIO_RECLAIM) | FOLIO_DIRTY);
        return FATE_ACTIVATE;
    case WRITE_KEEP:
        f->flags = (uint16_t)((f->flags & ~FOLIO_RECLAIM) | FOLIO_DIRTY);
        st->pageouts += folio_nr(f);
        return FATE_KEEP;
    case WRITE_ASYNC:
        vm_count(mm, folio_memcg(f), VM_nr_vmscan_write, folio_nr(f));
        st->pageouts += folio_nr(f);
        return FATE_KEEP;
    case WRITE_CLEAN:
    default:
        f->flags &= (uint16_t) ~(FOLIO_RECLAIM | FOLIO_DIRTY);
        vm_count(mm, folio_memcg(f), VM_nr_vmscan_write, folio_nr(f));
        st->pageouts += folio_nr(f);
        return try_free(mm, cpu, id, st) ? FATE_FREED : FATE_KEEP;
    }
}

static enum fate pageout(struct mm *mm, struct sim_cpu *cpu, uint32_t id, struct shrink_stat *st) {
    struct folio *f = &mm->folio[id];
    uint32_t cached = (f->flags & FOLIO_SWAPCACHE) ? folio_nr(f) : 0;

    if (refs_of(mm, id) != cached)
        return FATE_KEEP;
    f->flags = (uint16_t)((f->flags & ~FOLIO_DIRTY) | FOLIO_RECLAIM);
    if (RF_UNLIKELY(st->batch != NULL)) {
        st->batch->folio[st->batch->n++] = id;
        return FATE_PENDING;
    }
    return written(mm, cpu, id, folio_writepage(mm, cpu, id), st);
}

/* Gives the folio a place in swap; one that is large is split where the kernel would, or where
 * there is no run of slots for it. *pieces gets its pages then. */
static enum fate add_large_to_swap(struct mm *mm, struct sim_cpu *cpu, uint32_t id,
                                   uint32_t *pieces) {
    uint32_t order = folio_order(&mm->folio[id]), memcg = folio_memcg(&mm->folio[id]);
    /* Before 6.10 all that no huge entry maps is split, later what is mapped in part. */
    bool whole = mm->swap->p.policy.mthp_swapout ? !large_partially_mapped(mm, id)
                                                 : large_pmd_mapped(mm, id);

    whole = whole && !mm->p.reclaim.split_thp;

    if (whole && folio_add_to_swap(mm, cpu, id))
        return FATE_KEEP;
    if (!large_split(mm, cpu, id, pieces))
        return FATE_ACTIVATE;
    if (whole) {
        if (order == PMD_ORDER)
            vm_count(mm, memcg, VM_thp_swpout_fallback, 1);
        mm->mthp[order][MTHP_SWPOUT_FALLBACK]++;
    }
    return FATE_SPLIT;
}

/* From the point where the folio has been found unused. */
static enum fate swap_out(struct mm *mm, struct sim_cpu *cpu, uint32_t id, struct shrink_stat *st,
                          uint32_t *pieces) {
    struct folio *f = &mm->folio[id];

    if (!(f->flags & FOLIO_SWAPCACHE)) {
        if (RF_UNLIKELY(folio_order(f))) {
            enum fate r = add_large_to_swap(mm, cpu, id, pieces);
            if (r != FATE_KEEP)
                return r;
        } else if (!folio_add_to_swap(mm, cpu, id)) {
            return FATE_ACTIVATE;
        }
    }
    if (f->mapcount)
        folio_unmap_to_swap(mm, cpu, id);
    if (f->flags & FOLIO_DIRTY)
        return pageout(mm, cpu, id, st);
    mm->x_swap_freed_clean++;
    return try_free(mm, cpu, id, st) ? FATE_FREED : FATE_KEEP;
}

/*
 * Reclaim of a v1 cgroup has no other brake on writeback: a page that it has marked for reclaim
 * before, and that is still being written, it waits for.
 */
static void wait_on_writeback(struct mm *mm, struct sim_cpu *cpu, uint32_t id) {
    mm->x_v1_writeback_waits++;
    blk_flush_plug(mm->blk, cpu);
    while (mm->folio[id].flags & FOLIO_WRITEBACK) {
        rf_time next = engine_next_event(mm->p.eng);
        if (next == RF_TIME_MAX)
            return;
        engine_poll(mm->p.eng, next);
        if (next > cpu->now) {
            cpu->idle_ns += next - cpu->now;
            cpu->now = next;
        }
    }
}

static enum fate folio_fate(struct mm *mm, struct sim_cpu *cpu, uint32_t id,
                            const struct scan_control *sc, struct shrink_stat *st,
                            uint32_t *pieces) {
    struct folio *f = &mm->folio[id];

    sim_charge(cpu, mm->p.cost.scan_ns);
    if (f->flags & FOLIO_LOCKED)
        return FATE_KEEP;
    if (RF_UNLIKELY(mm->gen != NULL) && f->mapcount && (f->flags & FOLIO_REFERENCED))
        return FATE_KEEP; /* found young since it was isolated */
    if ((f->flags & FOLIO_WRITEBACK) && (f->flags & FOLIO_RECLAIM) && mm->p.knobs.cgroup_v1 &&
        !sc->global)
        wait_on_writeback(mm, cpu, id);
    if (f->flags & FOLIO_WRITEBACK) {
        f->flags |= FOLIO_RECLAIM;
        st->immediate++;
        return FATE_ACTIVATE;
    }
    uint32_t refs = 0;
    if (f->mapcount)
        refs = mm->gen ? lru_gen_referenced(mm, cpu, id) : folio_referenced(mm, id);
    bool had_ref = f->flags & FOLIO_REFERENCED;
    f->flags &= (uint16_t)~FOLIO_REFERENCED;
    if (refs && mm->p.reclaim.second_chance) {
        f->flags |= FOLIO_REFERENCED;
        if (had_ref || refs > 1 || !mm->p.reclaim.anon_inactive_first)
            return FATE_ACTIVATE;
        return FATE_KEEP;
    }
    return swap_out(mm, cpu, id, st, pieces);
}

/* Freed folios are uncharged in batches, so the cgroup stays full a little longer. */
static void flush_uncharge(struct mm *mm, uint32_t memcg, struct shrink_stat *st) {
    if (st->to_uncharge) {
        memcg_uncharge(mm, memcg, st->to_uncharge);
        memcg_stat_updated(mm, st->to_uncharge); /* pgpgout */
    }
    st->to_uncharge = 0;
}

/* Does what a folio's fate asks for; true if it stays. */
static bool settle(struct mm *mm, struct sim_cpu *cpu, uint32_t id, uint32_t pages, enum fate fate,
                   struct shrink_stat *st) {
    struct folio *f = &mm->folio[id];

    switch (fate) {
    case FATE_FREED:
        st->reclaimed += pages;
        if (st->to_uncharge >= mm->p.reclaim.uncharge_batch)
            flush_uncharge(mm, folio_memcg(f), st);
        return false;
    case FATE_ACTIVATE:
        if ((f->flags & FOLIO_SWAPCACHE) && memcg_swap_full(mm, folio_memcg(f)))
            (void)folio_free_swap(mm, cpu, id);
        f->flags |= FOLIO_ACTIVE;
        st->activated += pages;
        vm_count(mm, folio_memcg(f), VM_pgactivate, pages);
        return true;
    case FATE_KEEP:
    case FATE_SPLIT:
    case FATE_PENDING:
        break;
    }
    return true;
}

/* The list has no room: into the chain behind it. */
static void keep_more(struct mm *mm, struct shrink_stat *st, uint32_t id) {
    mm->folio[id].next = RF_NONE;
    if (st->nr_more++)
        mm->folio[st->more_last].next = id;
    else
        st->more_first = id;
    st->more_last = id;
}

/* The pages of a folio that was split: the first goes on where the folio was, the others are looked
 * at from the start. */
static void shrink_pieces(struct mm *mm, struct sim_cpu *cpu, uint32_t piece,
                          const struct scan_control *sc, struct shrink_stat *st) {
    struct write_batch *batch = st->batch;

    st->batch = NULL; /* they are written at once */
    for (bool first = true; piece != RF_NONE; first = false) {
        uint32_t id = piece, none = RF_NONE;
        piece = mm->folio[id].next;
        if (RF_UNLIKELY(mm->need_resched))
            mm->wait->cond_resched(mm->wait_ctx, cpu);
        enum fate fate =
            first ? swap_out(mm, cpu, id, st, &none) : folio_fate(mm, cpu, id, sc, st, &none);
        if (settle(mm, cpu, id, 1, fate, st))
            keep_more(mm, st, id);
    }
    st->batch = batch;
}

/* Into the list, or behind it where pages of a split folio are already. */
static inline void keep(struct mm *mm, struct shrink_stat *st, uint32_t *list, uint32_t *kept,
                        uint32_t id) {
    if (RF_UNLIKELY(st->nr_more))
        keep_more(mm, st, id);
    else
        list[(*kept)++] = id;
}

static void write_pending(struct mm *mm, struct sim_cpu *cpu, struct shrink_stat *st,
                          uint32_t *list, uint32_t *kept) {
    struct write_batch *b = st->batch;
    enum write_result result[SWAP_BATCH_MAX];

    folio_writepages(mm, cpu, b->folio, b->n, result);
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t id = b->folio[i], pages = folio_nr(&mm->folio[id]);

        if (settle(mm, cpu, id, pages, written(mm, cpu, id, result[i], st), st))
            keep(mm, st, list, kept, id);
    }
    b->n = 0;
}

void shrink_folio_list(struct mm *mm, struct sim_cpu *cpu, uint32_t *list, uint32_t *nr,
                       struct scan_control *sc, struct shrink_stat *st) {
    uint32_t kept = 0, memcg = *nr ? folio_memcg(&mm->folio[list[0]]) : 0;
    struct write_batch batch;

    batch.n = 0;
    if (RF_UNLIKELY(mm->batch_content != NULL))
        st->batch = &batch;
    for (uint32_t i = 0; i < *nr; i++) {
        uint32_t id = list[i], pages = folio_nr(&mm->folio[id]), pieces = RF_NONE;

        mm_interrupts(mm, cpu);
        if (RF_UNLIKELY(mm->need_resched))
            mm->wait->cond_resched(mm->wait_ctx, cpu);
        if (i + 4 < *nr) {
            const struct folio *ahead = &mm->folio[list[i + 4]];
            if (ahead->mapcount)
                RF_PREFETCH(&mm->pte[ahead->owner]);
        }
        if (st->from)
            lru_look_ahead(mm, st->from, LRU_AHEAD_BUSY);
        enum fate fate = folio_fate(mm, cpu, id, sc, st, &pieces);
        if (RF_UNLIKELY(fate == FATE_SPLIT))
            shrink_pieces(mm, cpu, pieces, sc, st);
        else if (RF_UNLIKELY(fate == FATE_PENDING) && batch.n < mm->p.knobs.compress_batchsize)
            continue;
        else if (RF_UNLIKELY(fate == FATE_PENDING))
            write_pending(mm, cpu, st, list, &kept);
        else if (settle(mm, cpu, id, pages, fate, st))
            keep(mm, st, list, &kept, id);
    }
    if (RF_UNLIKELY(st->batch != NULL) && batch.n)
        write_pending(mm, cpu, st, list, &kept);
    st->batch = NULL;
    flush_uncharge(mm, memcg, st);
    *nr = kept;
}

/* Takes up to nr pages off the tail of a list. */
static uint32_t isolate(struct mm *mm, struct lru_list *l, uint32_t nr, uint32_t *list) {
    uint32_t n = 0, pages = 0;

    while (pages < nr && n < SWAP_CLUSTER_MAX && l->tail != RF_NONE) {
        uint32_t id = l->tail;
        pages += folio_nr(&mm->folio[id]);
        folio_lru_remove(mm, id);
        mm->folio[id].flags |= FOLIO_ISOLATED;
        list[n++] = id;
    }
    memcg_stat_updated(mm, pages);
    return n;
}

void count_scan(struct mm *mm, uint32_t memcg, const struct scan_control *sc, uint64_t n) {
    enum vm_counter k = sc->kswapd ? VM_pgscan_kswapd : VM_pgscan_direct;
    vm_count(mm, memcg, VM_pgscan_anon, n);
    mm->memcg[memcg].c[k] += n;
    if (sc->global)
        mm->c[k] += n;
}

void count_steal(struct mm *mm, uint32_t memcg, const struct scan_control *sc, uint64_t n) {
    enum vm_counter k = sc->kswapd ? VM_pgsteal_kswapd : VM_pgsteal_direct;
    vm_count(mm, memcg, VM_pgsteal_anon, n);
    mm->memcg[memcg].c[k] += n;
    if (sc->global)
        mm->c[k] += n;
}

static void putback(struct mm *mm, uint32_t memcg, uint32_t id) {
    struct folio *f = &mm->folio[id];

    f->flags &= (uint16_t)~FOLIO_ISOLATED;
    folio_lru_insert(mm, id, false);
    if (f->flags & FOLIO_ACTIVE)
        workingset_age(mm, memcg, folio_nr(f));
}

uint64_t shrink_inactive_list(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr,
                              struct scan_control *sc) {
    struct lruvec *lv = &mm->memcg[memcg].lruvec;
    uint32_t list[SWAP_CLUSTER_MAX];
    struct shrink_stat st = {0};
    uint64_t scanned = 0;

    sim_charge(cpu, mm->p.cost.shrink_call_ns);
    mm_interrupts(mm, cpu);
    lru_add_drain(mm, cpu);
    uint32_t n = isolate(mm, &lv->list[LRU_INACTIVE_ANON], nr, list);
    if (n == 0)
        return 0;
    lru_lock(mm, cpu, n);
    for (uint32_t i = 0; i < n; i++)
        scanned += folio_nr(&mm->folio[list[i]]);
    count_scan(mm, memcg, sc, scanned);
    sc->nr_scanned += scanned;
    st.from = &lv->list[LRU_INACTIVE_ANON];
    shrink_folio_list(mm, cpu, list, &n, sc, &st);
    lru_lock(mm, cpu, n + st.nr_more);
    for (uint32_t i = 0; i < n; i++)
        putback(mm, memcg, list[i]);
    for (uint32_t id = st.more_first; st.nr_more; st.nr_more--) {
        uint32_t next = mm->folio[id].next;
        putback(mm, memcg, id);
        id = next;
    }
    count_steal(mm, memcg, sc, st.reclaimed);
    lru_note_cost(mm, memcg, st.pageouts, scanned - st.reclaimed);
    return st.reclaimed;
}

void shrink_active_list(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr) {
    struct lruvec *lv = &mm->memcg[memcg].lruvec;
    uint32_t list[SWAP_CLUSTER_MAX];
    uint64_t pages = 0;

    sim_charge(cpu, mm->p.cost.shrink_call_ns);
    lru_add_drain(mm, cpu);
    uint32_t n = isolate(mm, &lv->list[LRU_ACTIVE_ANON], nr, list);
    lru_lock(mm, cpu, 2 * n); /* off one list and onto another */
    for (uint32_t i = 0; i < n; i++) {
        struct folio *f = &mm->folio[list[i]];
        lru_look_ahead(mm, &lv->list[LRU_ACTIVE_ANON], LRU_AHEAD_BUSY);
        if (f->mapcount)
            (void)folio_referenced(mm, list[i]);
        f->flags &= (uint16_t) ~(FOLIO_ACTIVE | FOLIO_ISOLATED);
        f->flags |= FOLIO_WORKINGSET;
        pages += folio_nr(f);
        folio_lru_insert(mm, list[i], false);
    }
    sim_charge(cpu, mm->p.cost.deactivate_ns * pages);
    vm_count(mm, memcg, VM_pgrefill, pages);
    vm_count(mm, memcg, VM_pgdeactivate, pages);
}
