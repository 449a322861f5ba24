/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bringing the folios that reclaim will look at next, and the entries that map them, into the
 * processor's cache. A list's links lead all over memory, and each is known only when the one
 * before has been read. So the way is gone one step at a time, between other work, well before
 * reclaim goes it. Changes nothing but the mark on the list.
 */
#ifndef MM_LRU_AHEAD_H
#define MM_LRU_AHEAD_H

#include "mm_internal.h"

#define LRU_AHEAD_MAX 128u /* a cgroup's reclaim looks at about as many */

static inline void lru_look_ahead(const struct mm *mm, struct lru_list *l) {
    if (l->nr_ahead >= LRU_AHEAD_MAX)
        return;
    uint32_t at = l->nr_ahead ? l->ahead : l->tail;
    if (at == RF_NONE)
        return;
    const struct folio *f = &mm->folio[at];
    if (!(f->flags & FOLIO_LRU)) { /* it has left the list since */
        l->nr_ahead = 0;
        return;
    }
    if (f->mapcount)
        RF_PREFETCH(&mm->pte[f->owner]);
    if (f->prev != RF_NONE)
        RF_PREFETCH(&mm->folio[f->prev]);
    l->ahead = f->prev;
    l->nr_ahead++;
}

/* n folios were taken off the tail. */
static inline void lru_ahead_taken(struct lru_list *l, uint32_t n) {
    l->nr_ahead -= RF_MIN(n, l->nr_ahead);
}

#endif
