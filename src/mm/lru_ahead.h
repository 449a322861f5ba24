/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bringing the folios that reclaim will look at next, and the entries that map them, into the
 * processor's cache. A list's links lead all over memory, and each is known only when the one
 * before has been read: a walk of the list waits for memory at every step. So each list remembers
 * every 64th folio that came to its head, and from there several walks go at the same time, between
 * other work, well before reclaim comes that far. Folios that left the list from its middle make
 * the marks somewhat wrong, which costs time and changes no result.
 */
#ifndef MM_LRU_AHEAD_H
#define MM_LRU_AHEAD_H

#include "mm_internal.h"

/* How far beyond the tail, to a mark: a cgroup's reclaim looks at about a hundred inactive folios,
 * and at a batch of active ones. What is fetched too early is gone from the cache again. */
#define LRU_AHEAD_INACTIVE 192u
#define LRU_AHEAD_ACTIVE 64u
#define LRU_AHEAD_BUSY 32u /* while reclaim works on the list itself */

/* One step of each walk, which may go up to `limit` folios beyond the tail. */
static inline void lru_look_ahead(const struct mm *mm, struct lru_list *l, uint32_t limit) {
    uint64_t tail = l->pushed > l->nr ? l->pushed - l->nr : 0;
    uint64_t end = RF_MIN(tail + limit, l->pushed);

    if (!l->mark || (!l->walks && l->next_mark << LRU_MARK_SHIFT >= end))
        return;
    for (uint32_t i = 0; i < LRU_WALKS; i++) {
        struct lru_walk *w = &l->walk[i];
        if (!w->left) {
            if (l->next_mark << LRU_MARK_SHIFT < tail)
                l->next_mark = (tail >> LRU_MARK_SHIFT) + 1;
            if (l->next_mark << LRU_MARK_SHIFT >= end)
                continue;
            w->folio = l->mark[l->next_mark++ & mm->mark_mask];
            w->left = 1u << LRU_MARK_SHIFT;
            l->walks++;
            RF_PREFETCH(&mm->folio[w->folio]);
            continue;
        }
        const struct folio *f = &mm->folio[w->folio];
        w->left--;
        if (!(f->flags & FOLIO_LRU)) { /* it has left the list since */
            w->left = 0;
        } else {
            if (f->mapcount)
                RF_PREFETCH(&mm->pte[f->owner]);
            w->folio = f->prev;
            if (w->folio == RF_NONE)
                w->left = 0;
            else
                RF_PREFETCH(&mm->folio[w->folio]);
        }
        l->walks -= !w->left;
    }
}

/* The folio comes to the head of the list. */
static inline void lru_mark(const struct mm *mm, struct lru_list *l, uint32_t id) {
    uint64_t before = l->pushed;

    l->pushed += folio_nr(&mm->folio[id]);
    if (RF_UNLIKELY((before ^ l->pushed) >> LRU_MARK_SHIFT) && l->mark)
        l->mark[l->pushed >> LRU_MARK_SHIFT & mm->mark_mask] = id;
}

#endif
