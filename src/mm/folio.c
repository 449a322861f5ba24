/* SPDX-License-Identifier: Apache-2.0 */
/* Folios, LRU lists and the per-CPU batches in front of them (mm/swap.c 6.1, 6.12). */
#include "contention.h"
#include "lru_ahead.h"
#include "mm_internal.h"
#include "thp.h"

uint32_t folio_alloc(struct mm *mm, uint32_t memcg) {
    uint32_t id = mm->folio_free;
    if (id != RF_NONE) {
        mm->folio_free = mm->folio[id].next;
    } else {
        if (mm->folio_end >= mm->folio_cap)
            return RF_NONE;
        id = mm->folio_end++;
    }
    mm->folio[id] = (struct folio){.prev = RF_NONE,
                                   .next = RF_NONE,
                                   .owner = CONTENT_ZERO,
                                   .flags = FOLIO_USED,
                                   .memcg_order = (uint8_t)memcg};
    if (mm->gen)
        mm->gen[id] = 0;
    mm->nr_folios++;
    mm->memcg[memcg].folio_pages++;
    memcg_stat_updated(mm, 1); /* pgpgin */
    return id;
}

void folio_free(struct mm *mm, uint32_t id) {
    struct folio *f = &mm->folio[id];
    uint32_t nr = folio_nr(f);

    memcg_uncharge(mm, folio_memcg(f), nr);
    memcg_stat_updated(mm, 1); /* pgpgout */
    folio_release(mm, id);
}

void folio_release(struct mm *mm, uint32_t id) {
    struct folio *f = &mm->folio[id];
    uint32_t nr = folio_nr(f);

    if (RF_UNLIKELY(f->flags & FOLIO_DEFERRED))
        split_queue_remove(mm, id);
    mm->nr_folios -= nr;
    mm->memcg[folio_memcg(f)].folio_pages -= nr;
    f->flags = 0;
    f->next = mm->folio_free;
    mm->folio_free = id;
}

void lru_list_init(struct lru_list *l) {
    *l = (struct lru_list){.head = RF_NONE, .tail = RF_NONE};
}

/* The link's place is the slot's while the folio is on no list. */
static inline void keep_slot(struct mm *mm, uint32_t id) {
    if (RF_UNLIKELY(mm->folio[id].flags & FOLIO_SWAPCACHE))
        mm->listed_slot[id] = mm->folio[id].prev;
}

void lru_push_head(struct mm *mm, struct lru_list *l, uint32_t id) {
    struct folio *f = &mm->folio[id];
    keep_slot(mm, id);
    f->prev = RF_NONE;
    f->next = l->head;
    if (l->head != RF_NONE)
        mm->folio[l->head].prev = id;
    else
        l->tail = id;
    l->head = id;
    l->nr += folio_nr(f);
    lru_mark(mm, l, id);
}

void lru_push_tail(struct mm *mm, struct lru_list *l, uint32_t id) {
    struct folio *f = &mm->folio[id];
    keep_slot(mm, id);
    f->next = RF_NONE;
    f->prev = l->tail;
    if (l->tail != RF_NONE)
        mm->folio[l->tail].next = id;
    else
        l->head = id;
    l->tail = id;
    l->nr += folio_nr(f);
}

void lru_unlink(struct mm *mm, struct lru_list *l, uint32_t id) {
    struct folio *f = &mm->folio[id];
    if (f->prev != RF_NONE)
        mm->folio[f->prev].next = f->next;
    else
        l->head = f->next;
    if (f->next != RF_NONE)
        mm->folio[f->next].prev = f->prev;
    else
        l->tail = f->prev;
    l->nr -= folio_nr(f);
    if (RF_UNLIKELY(f->flags & FOLIO_SWAPCACHE))
        f->prev = mm->listed_slot[id];
}

static void stat_list(struct mm *mm, const struct folio *f, bool active, bool add) {
    struct memcg *mc = &mm->memcg[folio_memcg(f)];
    uint64_t *v = active ? &mc->now.active_anon : &mc->now.inactive_anon;
    if (add)
        *v += folio_nr(f);
    else
        *v -= folio_nr(f);
}

void folio_lru_insert(struct mm *mm, uint32_t id, bool tail) {
    struct folio *f = &mm->folio[id];

    f->flags |= FOLIO_LRU;
    memcg_stat_updated(mm, folio_nr(f)); /* (in)active_anon */
    if (mm->gen) {
        lru_gen_insert(mm, id, tail);
        return;
    }
    bool active = f->flags & FOLIO_ACTIVE;
    struct lru_list *l =
        &mm->memcg[folio_memcg(f)].lruvec.list[active ? LRU_ACTIVE_ANON : LRU_INACTIVE_ANON];
    if (tail)
        lru_push_tail(mm, l, id);
    else
        lru_push_head(mm, l, id);
    stat_list(mm, f, active, true);
}

void folio_lru_insert_newer(struct mm *mm, uint32_t id, uint32_t older) {
    struct folio *f = &mm->folio[id];
    struct lru_list *l =
        &mm->memcg[folio_memcg(f)]
             .lruvec.list[(f->flags & FOLIO_ACTIVE) ? LRU_ACTIVE_ANON : LRU_INACTIVE_ANON];
    uint32_t newer = older == RF_NONE ? l->tail : mm->folio[older].prev;

    f->flags &= (uint16_t)~FOLIO_ISOLATED;
    if (mm->gen || older == RF_NONE || newer == RF_NONE) {
        folio_lru_insert(mm, id, older == RF_NONE && !mm->gen);
        return;
    }
    f->flags |= FOLIO_LRU;
    memcg_stat_updated(mm, folio_nr(f));
    f->prev = newer;
    f->next = older;
    mm->folio[newer].next = mm->folio[older].prev = id;
    l->nr += folio_nr(f);
    stat_list(mm, f, f->flags & FOLIO_ACTIVE, true);
}

void folio_lru_remove(struct mm *mm, uint32_t id) {
    struct folio *f = &mm->folio[id];

    f->flags &= (uint16_t)~FOLIO_LRU;
    if (mm->gen) {
        lru_gen_remove(mm, id);
        return;
    }
    bool active = f->flags & FOLIO_ACTIVE;
    lru_unlink(mm,
               &mm->memcg[folio_memcg(f)].lruvec.list[active ? LRU_ACTIVE_ANON : LRU_INACTIVE_ANON],
               id);
    stat_list(mm, f, active, false);
}

static void drain_add(struct mm *mm, struct sim_cpu *cpu, struct mm_cpu *c) {
    lru_lock(mm, cpu, c->add.n);
    for (uint32_t i = 0; i < c->add.n; i++) {
        uint32_t id = c->add.folio[i];
        mm->folio[id].flags &= (uint16_t)~FOLIO_IN_BATCH;
        folio_lru_insert(mm, id, false);
    }
    c->add.n = 0;
}

static void drain_rotate(struct mm *mm, struct sim_cpu *cpu, struct mm_cpu *c) {
    lru_lock(mm, cpu, c->rotate.n);
    for (uint32_t i = 0; i < c->rotate.n; i++) {
        uint32_t id = c->rotate.folio[i];
        struct folio *f = &mm->folio[id];
        f->flags &= (uint16_t)~FOLIO_IN_ROTATE;
        if (!(f->flags & FOLIO_LRU))
            continue;
        folio_lru_remove(mm, id);
        memcg_stat_updated(mm, folio_nr(f));
        f->flags &= (uint16_t)~FOLIO_ACTIVE;
        folio_lru_insert(mm, id, true);
        vm_count(mm, folio_memcg(f), VM_pgrotated, folio_nr(f));
    }
    c->rotate.n = 0;
}

void folio_add_lru(struct mm *mm, struct sim_cpu *cpu, uint32_t id) {
    struct mm_cpu *c = mm_cpu(mm, cpu);

    mm->folio[id].flags |= FOLIO_IN_BATCH;
    /* With generations what a task faults in is hot; what reclaim reads for itself is not. */
    if (mm->gen && mm->in_fault && !mm->reclaim_depth)
        mm->folio[id].flags |= FOLIO_ACTIVE;
    c->add.folio[c->add.n++] = id;
    if (c->add.n == mm->p.reclaim.add_batch || folio_order(&mm->folio[id]) > 0)
        drain_add(mm, cpu, c);
}

void folio_rotate_reclaimable(struct mm *mm, struct sim_cpu *cpu, uint32_t id) {
    struct folio *f = &mm->folio[id];
    struct mm_cpu *c = mm_cpu(mm, cpu);

    if (!(f->flags & FOLIO_LRU) || (f->flags & (FOLIO_LOCKED | FOLIO_DIRTY | FOLIO_IN_ROTATE)))
        return;
    f->flags |= FOLIO_IN_ROTATE;
    c->rotate.folio[c->rotate.n++] = id;
    if (c->rotate.n == mm->p.reclaim.add_batch)
        drain_rotate(mm, cpu, c);
}

void lru_add_drain(struct mm *mm, struct sim_cpu *cpu) {
    struct mm_cpu *c = mm_cpu(mm, cpu);
    if (c->add.n)
        drain_add(mm, cpu, c);
    if (c->rotate.n)
        drain_rotate(mm, cpu, c);
    if (c->activate.n)
        lru_gen_drain(mm, c);
}

static void forget(struct folio_batch *b, uint32_t id) {
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->folio[i] == id) {
            memmove(&b->folio[i], &b->folio[i + 1], (b->n - i - 1) * sizeof(b->folio[0]));
            b->n--;
            return;
        }
    }
}

void folio_forget_batches(struct mm *mm, uint32_t id) {
    struct folio *f = &mm->folio[id];

    for (uint32_t i = 0; i < mm->p.knobs.cpus; i++) {
        if (f->flags & FOLIO_IN_BATCH)
            forget(&mm->cpu[i].add, id);
        if (f->flags & FOLIO_IN_ROTATE) {
            forget(&mm->cpu[i].rotate, id);
            forget(&mm->cpu[i].activate, id);
        }
    }
    f->flags &= (uint16_t) ~(FOLIO_IN_BATCH | FOLIO_IN_ROTATE);
}
