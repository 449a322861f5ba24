/* SPDX-License-Identifier: Apache-2.0 */
/*
 * z3fold: up to three objects a page (mm/z3fold.c 6.1 and 6.12). Objects may move, so a handle is
 * an index into a table of positions. The kernel compacts a page in a worker after a free; here it
 * is done inside the free, which keeps runs reproducible.
 */
#include "buddy.h"
#include "zs_internal.h"

#include <stdlib.h>

#define HDR 2u /* chunks of a page for the header */
#define NCHUNKS (CHUNKS - HDR)
#define MAX_BUDDY (RF_PAGE_SIZE - HDR * CHUNK - CHUNK) /* longer objects have a page alone */
#define BIG_GAP 3u /* BIG_CHUNK_GAP: chunks that make sliding the middle object worth it */

enum { FIRST, MIDDLE, LAST, NR_SLOTS };

struct z3_page {
    uint32_t handle[NR_SLOTS];
    uint8_t chunks[NR_SLOTS]; /* 0 = empty */
    uint8_t start_middle;     /* in chunks from the page's start */
    uint8_t foreign;          /* bit per slot: the object came from another page */
    bool used, headless, under_reclaim;
};

struct z3_object {
    uint32_t pos; /* page * 4 + slot; next unused handle when free */
    uint32_t owner;
};

struct z3fold {
    struct buddy_pool b;
    uint32_t max, fresh_handle, unused_handle;
    struct rf_varr page, object;
};

static struct z3fold *z3(struct zpool *z) {
    return (struct z3fold *)(void *)z;
}

static const struct z3fold *cz3(const struct zpool *z) {
    return (const struct z3fold *)(const void *)z;
}

static struct z3_page *page_of(const struct z3fold *b, uint32_t id) {
    return (struct z3_page *)b->page.base + id;
}

static struct z3_object *object_of(const struct z3fold *b, uint32_t handle) {
    return (struct z3_object *)b->object.base + handle;
}

static uint32_t objects_in(const struct z3_page *p) {
    return (uint32_t)(p->chunks[FIRST] != 0) + (p->chunks[MIDDLE] != 0) + (p->chunks[LAST] != 0);
}

static uint32_t hole_before(const struct z3_page *p) {
    return p->chunks[FIRST] ? 0 : p->start_middle - HDR;
}

static uint32_t hole_after(const struct z3_page *p) {
    return p->chunks[LAST] ? 0 : CHUNKS - p->start_middle - p->chunks[MIDDLE];
}

/* Chunks that one more object may have. */
static uint32_t free_chunks(const struct z3_page *p) {
    if (p->chunks[MIDDLE] == 0)
        return NCHUNKS - p->chunks[FIRST] - p->chunks[LAST];
    return RF_MAX(hole_before(p), hole_after(p));
}

static void relist(struct z3fold *b, uint32_t id) {
    const struct z3_page *p = page_of(b, id);
    if (!p->headless && objects_in(p) < NR_SLOTS)
        buddy_list(&b->b, free_chunks(p), id);
    else
        buddy_unbuddy(&b->b, id);
}

static void release(struct z3fold *b, uint32_t id) {
    page_of(b, id)->used = false;
    buddy_release(&b->b, id);
}

static uint32_t choose_slot(const struct z3_page *p, uint32_t chunks) {
    if (p->chunks[MIDDLE])
        return !p->chunks[FIRST] && hole_before(p) >= chunks ? FIRST : LAST;
    if (!p->chunks[FIRST])
        return FIRST;
    return !p->chunks[LAST] ? LAST : MIDDLE;
}

static void place(struct z3fold *b, uint32_t id, uint32_t slot, uint32_t chunks, uint32_t handle) {
    struct z3_page *p = page_of(b, id);
    p->chunks[slot] = (uint8_t)chunks;
    p->handle[slot] = handle;
    if (slot == MIDDLE)
        p->start_middle = (uint8_t)(HDR + p->chunks[FIRST]);
    object_of(b, handle)->pos = id * 4 + slot;
}

static uint32_t slot_offset(const struct z3_page *p, uint32_t slot) {
    if (p->headless)
        return 0;
    if (slot == FIRST)
        return HDR * CHUNK;
    if (slot == MIDDLE)
        return p->start_middle * CHUNK;
    return RF_PAGE_SIZE - p->chunks[LAST] * CHUNK;
}

static uint8_t *slot_data(const struct z3fold *b, uint32_t id, uint32_t slot) {
    return buddy_data(&b->b, id) + slot_offset(page_of(b, id), slot);
}

static enum zpool_error z3_malloc(struct zpool *z, uint32_t len, uint32_t owner, uint32_t *handle) {
    struct z3fold *b = z3(z);
    uint32_t chunks = (len + CHUNK - 1) / CHUNK, id = RF_NONE, slot = FIRST;
    if (len == 0)
        return ZPOOL_EINVAL;
    if (len > RF_PAGE_SIZE)
        return ZPOOL_ENOSPC;
    if (len <= MAX_BUDDY && (id = buddy_find(&b->b, chunks)) != RF_NONE)
        slot = choose_slot(page_of(b, id), chunks);
    if (b->unused_handle == RF_NONE && b->fresh_handle == b->max)
        return ZPOOL_ENOMEM;
    if (id == RF_NONE) {
        id = buddy_new_page(&b->b);
        if (id == RF_NONE)
            return ZPOOL_ENOMEM;
        *page_of(b, id) = (struct z3_page){.used = true};
    }
    uint32_t h = b->unused_handle;
    if (h != RF_NONE)
        b->unused_handle = object_of(b, h)->pos;
    else
        h = b->fresh_handle++;
    page_of(b, id)->headless = len > MAX_BUDDY;
    object_of(b, h)->owner = owner;
    place(b, id, slot, chunks, h);
    relist(b, id);
    buddy_touch(&b->b, id);
    b->b.live++;
    *handle = h;
    return ZPOOL_OK;
}

/* Moves the only object of page id into another page; true if that page is gone. */
static bool move_single(struct z3fold *b, uint32_t id) {
    struct z3_page *p = page_of(b, id);
    uint32_t slot = p->chunks[FIRST] ? FIRST : p->chunks[MIDDLE] ? MIDDLE : LAST;
    uint32_t chunks = p->chunks[slot], to = buddy_find(&b->b, chunks);
    if (to == RF_NONE)
        return false;
    struct z3_page *q = page_of(b, to);
    uint32_t dst = choose_slot(q, chunks);
    place(b, to, dst, chunks, p->handle[slot]);
    q->foreign = (uint8_t)(q->foreign | 1u << dst);
    if (b->b.store_bytes)
        memcpy(slot_data(b, to, dst), slot_data(b, id, slot), chunks * (size_t)CHUNK);
    relist(b, to);
    p->chunks[slot] = 0;
    release(b, id);
    return true;
}

/* Moves the middle object inside its page. */
static void compact_in_page(struct z3fold *b, uint32_t id) {
    struct z3_page *p = page_of(b, id);
    uint32_t chunks = p->chunks[MIDDLE], start = p->start_middle;
    uint8_t *from = b->b.store_bytes && chunks ? slot_data(b, id, MIDDLE) : NULL, *to;
    if (chunks == 0 || (p->chunks[FIRST] && p->chunks[LAST]))
        return;
    if (!p->chunks[FIRST] && !p->chunks[LAST]) {
        p->chunks[MIDDLE] = 0;
        place(b, id, FIRST, chunks, p->handle[MIDDLE]);
        p->foreign = (uint8_t)((p->foreign & ~3u) | (p->foreign >> MIDDLE & 1u));
        to = b->b.store_bytes ? slot_data(b, id, FIRST) : NULL;
    } else {
        uint32_t want =
            p->chunks[FIRST] ? HDR + p->chunks[FIRST] : CHUNKS - (uint32_t)p->chunks[LAST] - chunks;
        if ((want > start ? want - start : start - want) < BIG_GAP)
            return;
        p->start_middle = (uint8_t)want;
        to = b->b.store_bytes ? slot_data(b, id, MIDDLE) : NULL;
    }
    if (from)
        memmove(to, from, chunks * (size_t)CHUNK);
}

static void z3_free(struct zpool *z, uint32_t handle) {
    struct z3fold *b = z3(z);
    uint32_t id = object_of(b, handle)->pos / 4, slot = object_of(b, handle)->pos % 4;
    struct z3_page *p = page_of(b, id);
    object_of(b, handle)->pos = b->unused_handle;
    b->unused_handle = handle;
    p->chunks[slot] = 0;
    p->foreign = (uint8_t)(p->foreign & ~(1u << slot));
    b->b.live--;
    if (p->under_reclaim)
        return;
    if (objects_in(p) == 0) {
        release(b, id);
        return;
    }
    buddy_unbuddy(&b->b, id);
    if (objects_in(p) == 1 && p->foreign == 0 && move_single(b, id))
        return;
    compact_in_page(b, id);
    relist(b, id);
}

static enum zpool_error z3_shrink(struct zpool *z, zpool_evict_fn evict, void *ctx) {
    struct z3fold *b = z3(z);
    const struct pl_node *lru = buddy_lru(&b->b);
    if (pl_empty(lru, 0))
        return ZPOOL_EINVAL;
    for (uint32_t i = 0; i < RETRIES; i++) {
        uint32_t n = lru[0].prev;
        /* Pages with objects that have come from elsewhere are passed over. */
        while (n != 0 && page_of(b, n - NR_HEADS)->foreign)
            n = lru[n].prev;
        if (n == 0)
            break;
        uint32_t id = n - NR_HEADS;
        struct z3_page *p = page_of(b, id);
        int rc = 0;
        buddy_unlist(&b->b, id);
        p->under_reclaim = true;
        for (uint32_t slot = FIRST; slot < NR_SLOTS && rc == 0; slot++)
            if (p->chunks[slot])
                rc = evict(ctx, object_of(b, p->handle[slot])->owner);
        p->under_reclaim = false;
        if (objects_in(p) == 0) {
            release(b, id);
            return ZPOOL_OK;
        }
        relist(b, id);
        buddy_touch(&b->b, id);
    }
    return ZPOOL_EAGAIN;
}

static uint8_t *data_of(const struct z3fold *b, uint32_t handle, uint32_t len) {
    uint32_t id = object_of(b, handle)->pos / 4, slot = object_of(b, handle)->pos % 4;
    if (!b->b.store_bytes || len > page_of(b, id)->chunks[slot] * CHUNK)
        return NULL;
    return slot_data(b, id, slot);
}

static void z3_write(struct zpool *z, uint32_t handle, const uint8_t *data, uint32_t len) {
    uint8_t *d = data_of(z3(z), handle, len);
    if (d)
        memcpy(d, data, len);
}

static void z3_read(const struct zpool *z, uint32_t handle, uint8_t *data, uint32_t len) {
    const uint8_t *d = data_of(cz3(z), handle, len);
    if (d)
        memcpy(data, d, len);
    else
        memset(data, 0, len);
}

static bool layout_ok(const struct z3_page *p) {
    if (p->headless)
        return p->chunks[FIRST] && !p->chunks[MIDDLE] && !p->chunks[LAST];
    if (!p->chunks[MIDDLE])
        return (uint32_t)p->chunks[FIRST] + p->chunks[LAST] <= NCHUNKS;
    return p->start_middle >= HDR + p->chunks[FIRST] &&
           (uint32_t)p->start_middle + p->chunks[MIDDLE] + p->chunks[LAST] <= CHUNKS;
}

static int z3_check(const struct zpool *z, struct rf_err *err) {
    const struct z3fold *b = cz3(z);
    const struct buddy_pool *pool = &b->b;
    const struct pl_node *lists = buddy_lists(pool);
    uint64_t pages = 0, live = 0;
    for (uint32_t id = 0; id < pool->fresh; id++) {
        const struct z3_page *p = page_of(b, id);
        if (!p->used)
            continue;
        if (objects_in(p) == 0 || !layout_ok(p))
            return rf_fail(err, RF_ECHECK,
                           "z3fold %s: page %u has objects of %u, %u, %u chunks, middle at %u",
                           pool->name, id, p->chunks[FIRST], p->chunks[MIDDLE], p->chunks[LAST],
                           p->start_middle);
        for (uint32_t s = FIRST; s < NR_SLOTS; s++)
            if (p->chunks[s] && object_of(b, p->handle[s])->pos != id * 4 + s)
                return rf_fail(err, RF_ECHECK,
                               "z3fold %s: handle %u of page %u points to position %u", pool->name,
                               p->handle[s], id, object_of(b, p->handle[s])->pos);
        pages++;
        live += objects_in(p);
    }
    for (uint32_t l = 0; l < NR_HEADS; l++)
        for (uint32_t n = lists[l].next; n != l; n = lists[n].next)
            if (!page_of(b, n - NR_HEADS)->used || free_chunks(page_of(b, n - NR_HEADS)) != l)
                return rf_fail(err, RF_ECHECK, "z3fold %s: page %u is in the wrong list %u",
                               pool->name, n - NR_HEADS, l);
    if (pages != pool->total_pages || live != pool->live)
        return rf_fail(err, RF_ECHECK, "z3fold %s: %llu pages, %llu objects; counted %llu, %llu",
                       pool->name, (unsigned long long)pages, (unsigned long long)live,
                       (unsigned long long)pool->total_pages, (unsigned long long)pool->live);
    return 0;
}

static void z3_destroy(struct zpool *z) {
    struct z3fold *b = z3(z);
    if (!b)
        return;
    rf_varr_free(&b->page);
    rf_varr_free(&b->object);
    buddy_free(&b->b);
    free(b);
}

static int z3_create(const struct zpool_params *par, struct zpool **out, struct rf_err *err) {
    struct z3fold *b = calloc(1, sizeof(*b));
    *out = NULL;
    if (!b)
        return rf_fail(err, RF_ENOMEM, "z3fold %s: no memory for the pool", par->name);
    b->max = RF_MIN(par->max_objects, RF_NONE / 4 - NR_HEADS);
    b->unused_handle = RF_NONE;
    int rc = buddy_init(&b->b, &z3fold_ops, par, b->max, err);
    if (rc == 0)
        rc = rf_varr_init(&b->page, b->max, sizeof(struct z3_page), err);
    if (rc == 0)
        rc = rf_varr_init(&b->object, b->max, sizeof(struct z3_object), err);
    if (rc != 0) {
        z3_destroy(&b->b.base);
        return rc;
    }
    *out = &b->b.base;
    return 0;
}

const struct zpool_ops z3fold_ops = {
    .name = "z3fold",
    .evictable = true,
    .create = z3_create,
    .destroy = z3_destroy,
    .malloc = z3_malloc,
    .free = z3_free,
    .total_pages = buddy_total_pages,
    .shrink = z3_shrink,
    .compact = buddy_compact,
    .compactable = buddy_compactable,
    .write = z3_write,
    .read = z3_read,
    .live_objects = buddy_live,
    .check = z3_check,
};
