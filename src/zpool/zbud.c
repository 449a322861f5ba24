/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zbud: at most two objects a page, one at either end (mm/zbud.c 6.1). An object is named by its
 * page times two, plus one for the last buddy.
 */
#include "page_list.h"
#include "zs_internal.h"

#include <stdlib.h>

#define CHUNK 64u
#define NCHUNKS 63u /* of 64, the first holds the header */
#define MAX_LEN (RF_PAGE_SIZE - 2 * CHUNK)
#define NR_HEADS 64u /* lists by free chunks; list 0 has the full pages */
#define RETRIES 8u

enum { FIRST, LAST };

struct zbud_page {
    uint32_t owner[2];
    uint8_t chunks[2]; /* 0 = no object */
    bool used, under_reclaim;
};

struct zbud {
    struct zpool base;
    const char *name;
    bool store_bytes;
    uint32_t max_pages, fresh, unused; /* ids: never used from `fresh`, given back from `unused` */
    uint64_t total_pages, live;
    zpool_pages_fn pages;
    void *pages_ctx;
    struct rf_varr page, buddy, lru, data;
};

static struct zbud *zb(struct zpool *z) {
    return (struct zbud *)(void *)z;
}

static const struct zbud *czb(const struct zpool *z) {
    return (const struct zbud *)(const void *)z;
}

static struct zbud_page *page_of(const struct zbud *b, uint32_t id) {
    return (struct zbud_page *)b->page.base + id;
}

static struct pl_node *buddies(const struct zbud *b) {
    return b->buddy.base;
}

static struct pl_node *lru(const struct zbud *b) {
    return b->lru.base;
}

static uint32_t free_chunks(const struct zbud_page *p) {
    return NCHUNKS - p->chunks[FIRST] - p->chunks[LAST];
}

static void relist(struct zbud *b, uint32_t id) {
    struct zbud_page *p = page_of(b, id);
    bool both = p->chunks[FIRST] && p->chunks[LAST];
    pl_del(buddies(b), NR_HEADS + id);
    pl_add(buddies(b), both ? 0 : free_chunks(p), NR_HEADS + id);
}

static void release(struct zbud *b, uint32_t id) {
    pl_del(buddies(b), NR_HEADS + id);
    pl_del(lru(b), NR_HEADS + id);
    page_of(b, id)->used = false;
    page_of(b, id)->owner[FIRST] = b->unused;
    b->unused = id;
    b->total_pages--;
    if (b->pages)
        b->pages(b->pages_ctx, -1);
}

static uint32_t new_page(struct zbud *b) {
    uint32_t id = b->unused;
    if (id != RF_NONE)
        b->unused = page_of(b, id)->owner[FIRST];
    else if (b->fresh < b->max_pages)
        id = b->fresh++;
    else
        return RF_NONE;
    struct zbud_page *p = page_of(b, id);
    memset(p, 0, sizeof(*p));
    p->used = true;
    pl_init(buddies(b), NR_HEADS + id);
    pl_init(lru(b), NR_HEADS + id);
    b->total_pages++;
    if (b->pages)
        b->pages(b->pages_ctx, 1);
    return id;
}

static enum zpool_error zbud_malloc(struct zpool *z, uint32_t len, uint32_t owner,
                                    uint32_t *handle) {
    struct zbud *b = zb(z);
    uint32_t chunks = (len + CHUNK - 1) / CHUNK, id = RF_NONE;
    if (len == 0)
        return ZPOOL_EINVAL;
    if (len > MAX_LEN)
        return ZPOOL_ENOSPC;
    for (uint32_t i = chunks; i < NCHUNKS; i++) {
        if (!pl_empty(buddies(b), i)) {
            id = buddies(b)[i].next - NR_HEADS;
            break;
        }
    }
    if (id == RF_NONE && (id = new_page(b)) == RF_NONE)
        return ZPOOL_ENOMEM;
    struct zbud_page *p = page_of(b, id);
    uint32_t which = p->chunks[FIRST] == 0 ? FIRST : LAST;
    p->chunks[which] = (uint8_t)chunks;
    p->owner[which] = owner;
    relist(b, id);
    pl_del(lru(b), NR_HEADS + id);
    pl_add(lru(b), 0, NR_HEADS + id);
    b->live++;
    *handle = id * 2 + which;
    return ZPOOL_OK;
}

static void zbud_free(struct zpool *z, uint32_t handle) {
    struct zbud *b = zb(z);
    uint32_t id = handle / 2;
    struct zbud_page *p = page_of(b, id);
    p->chunks[handle & 1] = 0;
    b->live--;
    if (p->under_reclaim)
        return; /* the eviction that is running looks at the page itself */
    if (p->chunks[FIRST] || p->chunks[LAST])
        relist(b, id);
    else
        release(b, id);
}

static enum zpool_error zbud_shrink(struct zpool *z, zpool_evict_fn evict, void *ctx) {
    struct zbud *b = zb(z);
    if (pl_empty(lru(b), 0))
        return ZPOOL_EINVAL;
    for (uint32_t i = 0; i < RETRIES && !pl_empty(lru(b), 0); i++) {
        uint32_t id = lru(b)[0].prev - NR_HEADS;
        struct zbud_page *p = page_of(b, id);
        int rc = 0;
        pl_del(lru(b), NR_HEADS + id);
        pl_del(buddies(b), NR_HEADS + id);
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
        relist(b, id);
        pl_add(lru(b), 0, NR_HEADS + id);
    }
    return ZPOOL_EAGAIN;
}

static uint64_t zbud_compact(struct zpool *z, const struct zpool_owner_ops *ops, void *ctx) {
    (void)z, (void)ops, (void)ctx;
    return 0;
}

static uint64_t zbud_compactable(const struct zpool *z) {
    (void)z;
    return 0;
}

static uint8_t *data_of(const struct zbud *b, uint32_t handle, uint32_t len) {
    const struct zbud_page *p = page_of(b, handle / 2);
    uint32_t chunks = p->chunks[handle & 1];
    uint32_t off = (handle & 1) == FIRST ? CHUNK : RF_PAGE_SIZE - chunks * CHUNK;
    if (!b->store_bytes || len > chunks * CHUNK)
        return NULL;
    return (uint8_t *)b->data.base + (size_t)(handle / 2) * RF_PAGE_SIZE + off;
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

static uint64_t zbud_total_pages(const struct zpool *z) {
    return czb(z)->total_pages;
}

static uint64_t zbud_live(const struct zpool *z) {
    return czb(z)->live;
}

static int zbud_check(const struct zpool *z, struct rf_err *err) {
    const struct zbud *b = czb(z);
    uint64_t pages = 0, live = 0, listed = 0;
    for (uint32_t id = 0; id < b->fresh; id++) {
        const struct zbud_page *p = page_of(b, id);
        uint32_t sum = (uint32_t)p->chunks[FIRST] + p->chunks[LAST];
        if (!p->used)
            continue;
        if (sum == 0 || sum > NCHUNKS)
            return rf_fail(err, RF_ECHECK, "zbud %s: page %u holds %u chunks, expected 1..%u",
                           b->name, id, sum, NCHUNKS);
        pages++;
        live += (uint64_t)(p->chunks[FIRST] != 0) + (p->chunks[LAST] != 0);
    }
    for (uint32_t l = 0; l < NR_HEADS; l++) {
        for (uint32_t n = buddies(b)[l].next; n != l; n = buddies(b)[n].next) {
            const struct zbud_page *p = page_of(b, n - NR_HEADS);
            bool both = p->chunks[FIRST] && p->chunks[LAST];
            if (!p->used || l != (both ? 0 : free_chunks(p)))
                return rf_fail(err, RF_ECHECK, "zbud %s: page %u is in list %u with %u free chunks",
                               b->name, n - NR_HEADS, l, free_chunks(p));
            listed++;
        }
    }
    if (pages != b->total_pages || live != b->live || listed != pages)
        return rf_fail(err, RF_ECHECK,
                       "zbud %s: %llu pages (%llu listed) with %llu objects, counted %llu and %llu",
                       b->name, (unsigned long long)pages, (unsigned long long)listed,
                       (unsigned long long)live, (unsigned long long)b->total_pages,
                       (unsigned long long)b->live);
    return 0;
}

static void zbud_destroy(struct zpool *z) {
    struct zbud *b = zb(z);
    if (!b)
        return;
    rf_varr_free(&b->page);
    rf_varr_free(&b->buddy);
    rf_varr_free(&b->lru);
    rf_varr_free(&b->data);
    free(b);
}

static int zbud_create(const struct zpool_params *par, struct zpool **out, struct rf_err *err) {
    struct zbud *b = calloc(1, sizeof(*b));
    *out = NULL;
    if (!b)
        return rf_fail(err, RF_ENOMEM, "zbud %s: no memory for the pool", par->name);
    b->base.ops = &zbud_ops;
    b->name = par->name;
    b->store_bytes = par->store_bytes;
    b->pages = par->pages;
    b->pages_ctx = par->pages_ctx;
    b->max_pages = RF_MIN(par->max_objects, RF_NONE / 2 - NR_HEADS);
    b->unused = RF_NONE;
    size_t nodes = (size_t)b->max_pages + NR_HEADS;
    int rc = rf_varr_init(&b->page, b->max_pages, sizeof(struct zbud_page), err);
    if (rc == 0)
        rc = rf_varr_init(&b->buddy, nodes, sizeof(struct pl_node), err);
    if (rc == 0)
        rc = rf_varr_init(&b->lru, nodes, sizeof(struct pl_node), err);
    if (rc == 0 && b->store_bytes)
        rc = rf_varr_init(&b->data, b->max_pages, RF_PAGE_SIZE, err);
    if (rc != 0) {
        zbud_destroy(&b->base);
        return rc;
    }
    for (uint32_t i = 0; i < NR_HEADS; i++)
        pl_init(buddies(b), i);
    pl_init(lru(b), 0);
    *out = &b->base;
    return 0;
}

const struct zpool_ops zbud_ops = {
    .name = "zbud",
    .evictable = true,
    .create = zbud_create,
    .destroy = zbud_destroy,
    .malloc = zbud_malloc,
    .free = zbud_free,
    .total_pages = zbud_total_pages,
    .shrink = zbud_shrink,
    .compact = zbud_compact,
    .compactable = zbud_compactable,
    .write = zbud_write,
    .read = zbud_read,
    .live_objects = zbud_live,
    .check = zbud_check,
};
