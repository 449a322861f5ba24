/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The deferred split queue of a memcg and its shrinker (mm/huge_memory.c deferred_split_folio(),
 * deferred_split_scan(); 5.4 to 6.12): large folios of which reclaim of slabs, which follows that
 * of each lruvec, splits as many as the priority asks for, whereupon pages that nobody maps are
 * free.
 */
#include <stdlib.h>
#include "mm_internal.h"
#include "reclaim.h"
#include "rmap.h"
#include "thp.h"

/* In an entry of the queue, beside the folio's id: some page of it lost its last mapping. */
#define PARTIAL 0x80000000u

static void enqueue(struct mm *mm, uint32_t folio, uint32_t partial) {
    struct folio *f = &mm->folio[folio];
    struct memcg *mc = &mm->memcg[folio_memcg(f)];

    if (mc->nr_split == mc->cap_split) {
        uint32_t cap = mc->cap_split ? mc->cap_split * 2 : 64;
        uint32_t *bigger = realloc(mc->split_queue, cap * sizeof(*bigger));
        if (!bigger)
            return; /* it waits until reclaim meets it */
        mc->split_queue = bigger;
        mc->cap_split = cap;
    }
    mc->split_queue[mc->nr_split++] = folio | partial;
    f->flags |= FOLIO_DEFERRED;
}

static uint32_t *queued(struct mm *mm, uint32_t folio) {
    struct memcg *mc = &mm->memcg[folio_memcg(&mm->folio[folio])];

    if (!(mm->folio[folio].flags & FOLIO_DEFERRED))
        return NULL;
    for (uint32_t i = 0; i < mc->nr_split; i++)
        if ((mc->split_queue[i] & ~PARTIAL) == folio)
            return &mc->split_queue[i];
    return NULL;
}

void split_queue_add(struct mm *mm, uint32_t folio) {
    if (!(mm->folio[folio].flags & (FOLIO_DEFERRED | FOLIO_SWAPCACHE)))
        enqueue(mm, folio, 0);
}

void split_queue_add_partial(struct mm *mm, uint32_t folio) {
    const struct folio *f = &mm->folio[folio];
    uint32_t *entry = queued(mm, folio);

    if ((entry && (*entry & PARTIAL)) || f->mapcount == 0 || (f->flags & FOLIO_SWAPCACHE) ||
        !large_partially_mapped(mm, folio))
        return;
    if (entry)
        *entry |= PARTIAL;
    else
        enqueue(mm, folio, PARTIAL);
    if (folio_order(f) == PMD_ORDER)
        mm->c[VM_thp_deferred_split_page]++;
}

void split_queue_remove(struct mm *mm, uint32_t folio) {
    struct folio *f = &mm->folio[folio];
    struct memcg *mc = &mm->memcg[folio_memcg(f)];
    uint32_t *entry = queued(mm, folio);

    f->flags &= (uint16_t)~FOLIO_DEFERRED;
    if (!entry)
        return;
    memmove(entry, entry + 1,
            (size_t)(mc->split_queue + mc->nr_split - entry - 1) * sizeof(*entry));
    mc->nr_split--;
}

/* Splits a folio on a list: its pages take its place, page 0 nearest to the tail. */
static bool split_in_place(struct mm *mm, struct sim_cpu *cpu, uint32_t folio) {
    struct folio *f = &mm->folio[folio];
    uint32_t older = f->next, piece;

    if (!(f->flags & FOLIO_LRU) ||
        (f->flags & (FOLIO_SWAPCACHE | FOLIO_LOCKED | FOLIO_IN_ROTATE | FOLIO_ISOLATED)))
        return false;
    folio_lru_remove(mm, folio);
    if (!large_split(mm, cpu, folio, &piece)) {
        folio_lru_insert_newer(mm, folio, older);
        return false;
    }
    while (piece != RF_NONE) {
        uint32_t id = piece;
        piece = mm->folio[id].next;
        folio_lru_insert_newer(mm, id, older);
        older = id;
    }
    return true;
}

void split_queue_shrink(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t priority) {
    struct memcg *mc = &mm->memcg[memcg];
    uint64_t scan = shrinker_scan(mc->nr_split, priority, &mc->split_deferred);

    mm->c[VM_slabs_scanned] += scan;
    /* From the head; what stays in the queue moves to its tail. */
    for (uint64_t left = RF_MIN(scan, mc->nr_split); left; left--) {
        uint32_t folio = mc->split_queue[0] & ~PARTIAL, partial = mc->split_queue[0] & PARTIAL;

        split_queue_remove(mm, folio);
        if (partial && !split_in_place(mm, cpu, folio))
            enqueue(mm, folio, PARTIAL);
    }
}
