/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking ahead in the operations of a stream. A simulator's time goes into waiting for memory: the
 * entry, the swap slot, the zram slot or zswap entry and the pool's object are each somewhere else,
 * and each says where the next one is. The operations to come are known, so each of these steps is
 * taken for an operation some way ahead, one piece of distance before the step that needs it. It
 * brings data into the processor's cache and changes nothing.
 */
#ifndef MACHINE_LOOKAHEAD_H
#define MACHINE_LOOKAHEAD_H

#include "../mm/lru_ahead.h"
#include "machine_internal.h"
#include "refault/trace_ops.h"

#define HIT_GROUP 8u /* operations handled between two calls */
#define AHEAD_PTE 160u
#define AHEAD_SLOT 80u
#define AHEAD_OBJECT 48u
#define AHEAD_LINKS 24u

/* The steps for one slot; a stale slot number is harmless. */
void lookahead_slot(const struct mm *mm, uint32_t slot);
void lookahead_object(const struct mm *mm, uint32_t slot, bool links);

/* The next operation is at i; starts anew if the operations have moved since. */
static inline void lookahead_start(struct lookahead *la, size_t i) {
    if (RF_UNLIKELY(la->fetched > i + AHEAD_PTE + HIT_GROUP))
        *la = (struct lookahead){.fetched = i, .looked = i};
}

/* Entries that are in swap among the operations up to AHEAD_SLOT, and the later steps of those
 * found before. */
static inline void lookahead_swap(struct lookahead *la, const struct mm *mm, const uint32_t *ops,
                                  size_t i) {
    uint32_t found = la->last;

    if (la->looked < i)
        la->looked = i;
    /* Without a branch: which entries are in swap cannot be predicted. */
    for (; la->looked < i + AHEAD_SLOT; la->looked++) {
        uint32_t id = ops[la->looked] & OP_ID_MASK;
        uint64_t p = mm->pte[id & mm->id_mask];
        la->at[la->last % LOOKAHEAD_MAX] = la->looked;
        la->slot[la->last % LOOKAHEAD_MAX] = pte_index(p);
        la->last += (uint32_t)((p & PTE_SWAP) != 0) & (uint32_t)(id < mm->p.max_ids);
    }
    for (; found != la->last; found++) {
        lookahead_slot(mm, la->slot[found % LOOKAHEAD_MAX]);
        RF_PREFETCH(&mm->block[(ops[la->at[found % LOOKAHEAD_MAX]] & OP_ID_MASK) >> 9]);
    }
    for (; la->object != la->last && la->at[la->object % LOOKAHEAD_MAX] < i + AHEAD_OBJECT;
         la->object++)
        lookahead_object(mm, la->slot[la->object % LOOKAHEAD_MAX], false);
    for (; la->links != la->object && la->at[la->links % LOOKAHEAD_MAX] < i + AHEAD_LINKS;
         la->links++)
        lookahead_object(mm, la->slot[la->links % LOOKAHEAD_MAX], true);
}

/* Operations i .. i + HIT_GROUP - 1 are next; there are at least AHEAD_PTE + HIT_GROUP more. */
static inline void look_ahead(struct lookahead *la, const struct mm *mm, const uint32_t *ops,
                              size_t i, bool swap) {
    if (RF_UNLIKELY(la->fetched < i))
        la->fetched = i;
    if (RF_LIKELY(la->fetched <= i + AHEAD_PTE)) {
        for (uint32_t k = 0; k < HIT_GROUP; k++)
            RF_PREFETCH(&mm->pte[ops[la->fetched + k] & OP_ID_MASK]);
        la->fetched += HIT_GROUP;
    }
    if (mm->shrunk) {
        lru_look_ahead(mm, &mm->shrunk->list[LRU_INACTIVE_ANON], LRU_AHEAD_INACTIVE);
        lru_look_ahead(mm, &mm->shrunk->list[LRU_ACTIVE_ANON], LRU_AHEAD_ACTIVE);
    }
    if (swap)
        lookahead_swap(la, mm, ops, i);
}

#endif
