/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zbud: at most two objects a page, one at either end (mm/zbud.c 6.1). An object is named by its
 * page times two, plus one for the last buddy.
 */
#include "buddy.h"
#include "zs_internal.h"

#include <stdlib.h>

#define NCHUNKS (CHUNKS - 1) /* the first holds the header */
#define MAX_LEN (RF_PAGE_SIZE - 2 * CHUNK)
#define FULL 0u /* the list of pages with two objects */

enum { FIRST, LAST };

struct zbud_page {
    uint32_t owner[2];
    uint8_t chunks[2]; /* 0 = no object */
    bool used, under_reclaim;
};

struct zbud {
    struct buddy_pool b;
    struct rf_varr page;
};

static struct zbud *zb(struct zpool *z) {
    return (struct zbud *)(void *)z;
}

static const struct zbud *czb(const struct zpool *z) {
    return (const struct zbud *)(const void *)z;
}

static struct zbud_page *page_of(const struct zbud *z, uint32_t id) {
    return (struct zbud_page *)z->page.base + id;
}

static uint32_t free_chunks(const struct zbud_page *p) {
    return NCHUNKS - p->chunks[FIRST] - p->chunks[LAST];
}

static uint32_t list_of(const struct zbud_page *p) {
    return p->chunks[FIRST] && p->chunks[LAST] ? FULL : free_chunks(p);
}

static void release(struct zbud *b, uint32_t id) {
    page_of(b, id)->used = false;
    buddy_release(&b->b, id);
}

static enum zpool_error zbud_malloc(struct zpool *z, uint32_t len, uint32_t owner,
                                    uint32_t *handle) {
    struct zbud *b = zb(z);
    uint32_t chunks = (len + CHUNK - 1) / CHUNK;
    if (len == 0)
        return ZPOOL_EINVAL;
    if (len > MAX_LEN)
        return ZPOOL_ENOSPC;
    uint32_t id = buddy_find(&b->b, chunks);
    if (id == RF_NONE) {
        id = buddy_new_page(&b->b);
        if (id == RF_NONE)
            return ZPOOL_ENOMEM;
        *page_of(b, id) = (struct zbud_page){.used = true};
    }
    struct zbud_page *p = page_of(b, id);
    uint32_t which = p->chunks[FIRST] == 0 ? FIRST : LAST;
    p->chunks[which] = (uint8_t)chunks;
    p->owner[which] = owner;
    buddy_list(&b->b, list_of(p), id);
    buddy_touch(&b->b, id);
    b->b.live++;
    *handle = id * 2 + which;
    return ZPOOL_OK;
}

static void zbud_free(struct zpool *z, uint32_t handle) {
    struct zbud *b = zb(z);
    uint32_t id = handle / 2;
    struct zbud_page *p = page_of(b, id);
    p->chunks[handle & 1] = 0;
    b->b.live--;
    if (p->under_reclaim)
        return; /* the eviction that is running looks at the page itself */
    if (p->chunks[FIRST] || p->chunks[LAST])
        buddy_list(&b->b, list_of(p), id);
    else
        release(b, id);
}

static enum zpool_error zbud_shrink(struct zpool *z, zpool_evict_fn evict, void *ctx) {
    struct zbud *b = zb(z);
    const struct pl_node *lru = buddy_lru(&b->b);
    if (pl_empty(lru, 0))
        return ZPOOL_EINVAL;
    for (uint32_t i = 0; i < RETRIES && !pl_empty(lru, 0); i++) {
        uint32_t id = lru[0].prev - NR_HEADS;
        struct zbud_page *p = page_of(b, id);
        int rc = 0;
        buddy_unlist(&b->b, id);
        p->under_reclaim = true;
        if (p->chunks[FIRST])
            rc = evict(ctx, p->owner[FIRST]);
        if (rc == 0 && p->chunks[LAST])
            evict(ctx, p->owner[LAST]);
        p->under_reclaim = false;
        if (p->chunks[FIRST] == 0 && p->chunks[LAST] == 0) {
            release(b, id);
            return ZPOOL_OK;
        }
        buddy_list(&b->b, list_of(p), id);
        buddy_touch(&b->b, id);
    }
    return ZPOOL_EAGAIN;
}

static uint8_t *data_of(const struct zbud *b, uint32_t handle, uint32_t len) {
    const struct zbud_page *p = page_of(b, handle / 2);
    uint32_t chunks = p->chunks[handle & 1];
    uint32_t off = (handle & 1) == FIRST ? CHUNK : RF_PAGE_SIZE - chunks * CHUNK;
    if (!b->b.store_bytes || len > chunks * CHUNK)
        return NULL;
    return buddy_data(&b->b, handle / 2) + off;
}

static void zbud_write(struct zpool *z, uint32_t handle, const uint8_t *data, uint32_t len) {
    uint8_t *d = data_of(zb(z), handle, len);
    if (d)
        memcpy(d, data, len);
}

static void zbud_read(const struct zpool *z, uint32_t handle, uint8_t *data, uint32_t len) {
    const uint8_t *d = data_of(czb(z), handle, len);
    if (d)
        memcpy(data, d, len);
    else
        memset(data, 0, len);
}

static int zbud_check(const struct zpool *z, struct rf_err *err) {
    const struct zbud *b = czb(z);
    const struct buddy_pool *pool = &b->b;
    const struct pl_node *lists = buddy_lists(pool);
    uint64_t pages = 0, live = 0, listed = 0;
    for (uint32_t id = 0; id < pool->fresh; id++) {
        const struct zbud_page *p = page_of(b, id);
        uint32_t sum = (uint32_t)p->chunks[FIRST] + p->chunks[LAST];
        if (!p->used)
            continue;
        if (sum == 0 || sum > NCHUNKS)
            return rf_fail(err, RF_ECHECK, "zbud %s: page %u holds %u chunks, expected 1..%u",
                           pool->name, id, sum, NCHUNKS);
        pages++;
        live += (uint64_t)(p->chunks[FIRST] != 0) + (p->chunks[LAST] != 0);
    }
    for (uint32_t l = 0; l < NR_HEADS; l++) {
        for (uint32_t n = lists[l].next; n != l; n = lists[n].next) {
            const struct zbud_page *p = page_of(b, n - NR_HEADS);
            if (!p->used || l != list_of(p))
                return rf_fail(err, RF_ECHECK, "zbud %s: page %u is in list %u with %u free chunks",
                               pool->name, n - NR_HEADS, l, free_chunks(p));
            listed++;
        }
    }
    if (pages != pool->total_pages || live != pool->live || listed != pages)
        return rf_fail(err, RF_ECHECK,
                       "zbud %s: %llu pages (%llu listed) with %llu objects, counted %llu and %llu",
                       pool->name, (unsigned long long)pages, (unsigned long long)listed,
                       (unsigned long long)live, (unsigned long long)pool->total_pages,
                       (unsigned long long)pool->live);
    return 0;
}

static void zbud_destroy(struct zpool *z) {
    struct zbud *b = zb(z);
    if (!b)
        return;
    rf_varr_free(&b->page);
    buddy_free(&b->b);
    free(b);
}

static int zbud_create(const struct zpool_params *par, struct zpool **out, struct rf_err *err) {
    struct zbud *b = calloc(1, sizeof(*b));
    *out = NULL;
    if (!b)
        return rf_fail(err, RF_ENOMEM, "zbud %s: no memory for the pool", par->name);
    int rc =
        buddy_init(&b->b, &zbud_ops, par, RF_MIN(par->max_objects, RF_NONE / 2 - NR_HEADS), err);
    if (rc == 0)
        rc = rf_varr_init(&b->page, b->b.max_pages, sizeof(struct zbud_page), err);
    if (rc != 0) {
        zbud_destroy(&b->b.base);
        return rc;
    }
    *out = &b->b.base;
    return 0;
}

const struct zpool_ops zbud_ops = {
    .name = "zbud",
    .evictable = true,
    .create = zbud_create,
    .destroy = zbud_destroy,
    .malloc = zbud_malloc,
    .free = zbud_free,
    .total_pages = buddy_total_pages,
    .shrink = zbud_shrink,
    .compact = buddy_compact,
    .compactable = buddy_compactable,
    .write = zbud_write,
    .read = zbud_read,
    .live_objects = buddy_live,
    .check = zbud_check,
};
