/* SPDX-License-Identifier: Apache-2.0 */
/* LRU lists of entries: one of the pool (6.5-6.7), one a memcg (6.8+). */
#include "zswap_internal.h"

static uint32_t list_id(const struct zswap *z, uint32_t memcg) {
    return z->policy.shrink_mode == ZSWAP_SHRINK_MEMCG ? memcg % ZSWAP_MAX_MEMCGS : 0;
}

struct zswap_lru *zswap_lru_of(struct zswap *z, uint32_t memcg) {
    return &z->lru[list_id(z, memcg)];
}

void zswap_lru_add(struct zswap *z, uint32_t slot) {
    struct zswap_entry *e = &z->entry[slot];
    struct zswap_lru *l = zswap_lru_of(z, e->memcg);

    e->flags |= ENTRY_ON_LRU;
    e->next = ENTRY_NONE;
    e->prev = l->youngest & ENTRY_NONE;
    if (l->youngest != ENTRY_NONE)
        z->entry[l->youngest].next = slot & ENTRY_NONE;
    else
        l->oldest = slot;
    l->youngest = slot;
    l->nr++;
}

void zswap_lru_del(struct zswap *z, uint32_t slot) {
    struct zswap_entry *e = &z->entry[slot];
    struct zswap_lru *l = zswap_lru_of(z, e->memcg);

    if (e->prev != ENTRY_NONE)
        z->entry[e->prev].next = e->next;
    else
        l->oldest = e->next;
    if (e->next != ENTRY_NONE)
        z->entry[e->next].prev = e->prev;
    else
        l->youngest = e->prev;
    e->flags &= ENTRY_MASK & ~ENTRY_ON_LRU;
    l->nr--;
}

void zswap_lru_rotate(struct zswap *z, uint32_t slot) {
    zswap_lru_del(z, slot);
    zswap_lru_add(z, slot);
}

/*
 * nr_zswap_protected of the patch "zswap: shrink zswap pool based on memory pressure" (30 Nov 2023,
 * in 6.8): counts insertions and halves once when above a quarter of the list.
 */
void zswap_protect(struct zswap *z, struct zswap_lru *l, bool decay) {
    if (z->policy.protect != ZSWAP_PROTECT_COUNTER)
        return;
    l->protection++;
    if (decay && l->protection > l->nr / 4)
        l->protection /= 2;
}

uint64_t zswap_lru_len(const struct zswap *z, uint32_t memcg) {
    return z->lru[list_id(z, memcg)].nr;
}

uint64_t zswap_protection(const struct zswap *z, uint32_t memcg) {
    return z->lru[list_id(z, memcg)].protection;
}

void zswap_note_disk_swapin(struct zswap *z, uint32_t memcg) {
    if (z->policy.protect != ZSWAP_PROTECT_NONE)
        zswap_lru_of(z, memcg)->protection++;
}
