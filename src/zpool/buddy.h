/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What zbud and z3fold have in common: pages that hold a few objects each, in lists by the room
 * they have left ("buddied" or "unbuddied" in the kernel) and in an LRU list for eviction. Pages
 * are named by small ids; their layout is the allocator's own. A node of the lists is NR_HEADS +
 * id.
 */
#ifndef REFAULT_BUDDY_H
#define REFAULT_BUDDY_H

#include "page_list.h"
#include "refault/zpool.h"

#define CHUNK 64u       /* bytes; sizes are rounded up to chunks: NCHUNKS_ORDER 6 (mm/zbud.c 6.1) */
#define CHUNKS 64u      /* of a page */
#define NR_HEADS CHUNKS /* lists by free chunks */
#define RETRIES 8u      /* pages tried by one eviction (zbud_zpool_shrink(), mm/zbud.c 6.1) */

struct buddy_pool {
    struct zpool base; /* first, so that a zpool can be turned back into the allocator's struct */
    const char *name;
    bool store_bytes;
    uint32_t max_pages, fresh, unused; /* ids: never used from `fresh`, given back from `unused` */
    uint64_t total_pages, live;        /* pages held; objects */
    zpool_pages_fn pages;
    void *pages_ctx;
    struct rf_varr buddy, lru, data;
};

static inline struct pl_node *buddy_lists(const struct buddy_pool *b) {
    return b->buddy.base;
}
static inline struct pl_node *buddy_lru(const struct buddy_pool *b) {
    return b->lru.base;
}

/* RF_ENOMEM; buddy_free() is right after a failure, too. */
int buddy_init(struct buddy_pool *b, const struct zpool_ops *ops, const struct zpool_params *par,
               uint32_t max_pages, struct rf_err *err) RF_MUST_CHECK;
void buddy_free(struct buddy_pool *b);

/* A page on no list; RF_NONE at the limit. */
uint32_t buddy_new_page(struct buddy_pool *b);
void buddy_release(struct buddy_pool *b, uint32_t id);
/* First page of the first list with room for so many chunks; RF_NONE if there is none. */
uint32_t buddy_find(const struct buddy_pool *b, uint32_t chunks);
/* Moves a page to the head of a list by room; takes it off. */
void buddy_list(struct buddy_pool *b, uint32_t list, uint32_t id);
void buddy_unbuddy(struct buddy_pool *b, uint32_t id);
/* Moves a page to the head of the LRU list. */
void buddy_touch(struct buddy_pool *b, uint32_t id);
/* Takes a page off both lists. */
void buddy_unlist(struct buddy_pool *b, uint32_t id);

/* Room of a page's bytes; only with store_bytes. */
static inline uint8_t *buddy_data(const struct buddy_pool *b, uint32_t id) {
    return (uint8_t *)b->data.base + (size_t)id * RF_PAGE_SIZE;
}

/* ---- of struct zpool_ops ---- */
uint64_t buddy_total_pages(const struct zpool *z);
uint64_t buddy_live(const struct zpool *z);
uint64_t buddy_compact(struct zpool *z, const struct zpool_owner_ops *ops, void *ctx);
uint64_t buddy_compactable(const struct zpool *z);

#endif
