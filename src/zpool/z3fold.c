/* SPDX-License-Identifier: Apache-2.0 */
/*
 * z3fold: up to three objects a page (mm/z3fold.c 6.1 and 6.12). Objects may move, so a handle is
 * an index into a table of positions. The kernel compacts a page in a worker after a free; here it
 * is done inside the free, which keeps runs reproducible.
 */
#include "page_list.h"
#include "zs_internal.h"

#include <stdlib.h>

#define CHUNK 64u
#define CHUNKS 64u /* of a page */
#define HDR 2u     /* of them for the header */
#define NCHUNKS (CHUNKS - HDR)
#define MAX_BUDDY (RF_PAGE_SIZE - HDR * CHUNK - CHUNK) /* longer objects have a page alone */
#define NR_HEADS 64u
#define RETRIES 8u
#define BIG_GAP 3u /* chunks that make sliding the middle object worth it */

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
    struct zpool base;
    const char *name;
    bool store_bytes;
    uint32_t max, fresh_page, unused_page, fresh_handle, unused_handle;
    uint64_t total_pages, live;
    zpool_pages_fn pages;
    void *pages_ctx;
    struct rf_varr page, object, buddy, lru, data;
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

static struct pl_node *buddies(const struct z3fold *b) {
    return b->buddy.base;
}

static struct pl_node *lru(const struct z3fold *b) {
    return b->lru.base;
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
    pl_del(buddies(b), NR_HEADS + id);
    if (!p->headless && objects_in(p) < NR_SLOTS)
        pl_add(buddies(b), free_chunks(p), NR_HEADS + id);
}

static void release(struct z3fold *b, uint32_t id) {
    struct z3_page *p = page_of(b, id);
    pl_del(buddies(b), NR_HEADS + id);
    pl_del(lru(b), NR_HEADS + id);
    p->used = false;
    p->handle[0] = b->unused_page;
    b->unused_page = id;
    b->total_pages--;
    if (b->pages)
        b->pages(b->pages_ctx, -1);
}

static uint32_t new_page(struct z3fold *b) {
    uint32_t id = b->unused_page;
    if (id != RF_NONE)
        b->unused_page = page_of(b, id)->handle[0];
    else if (b->fresh_page < b->max)
        id = b->fresh_page++;
    else
        return RF_NONE;
    struct z3_page *p = page_of(b, id);
    memset(p, 0, sizeof(*p));
    p->used = true;
    pl_init(buddies(b), NR_HEADS + id);
    pl_init(lru(b), NR_HEADS + id);
    b->total_pages++;
    if (b->pages)
        b->pages(b->pages_ctx, 1);
    return id;
}

/* First page of the first non-empty list with room for chunks; RF_NONE if there is none. */
static uint32_t find_page(const struct z3fold *b, uint32_t chunks) {
    for (uint32_t i = chunks; i < NR_HEADS; i++)
        if (!pl_empty(buddies(b), i))
            return buddies(b)[i].next - NR_HEADS;
    return RF_NONE;
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
    return (uint8_t *)b->data.base + (size_t)id * RF_PAGE_SIZE + slot_offset(page_of(b, id), slot);
}

static enum zpool_error z3_malloc(struct zpool *z, uint32_t len, uint32_t owner, uint32_t *handle) {
    struct z3fold *b = z3(z);
    uint32_t chunks = (len + CHUNK - 1) / CHUNK, id = RF_NONE, slot = FIRST;
    if (len == 0)
        return ZPOOL_EINVAL;
    if (len > RF_PAGE_SIZE)
        return ZPOOL_ENOSPC;
    if (len <= MAX_BUDDY && (id = find_page(b, chunks)) != RF_NONE)
        slot = choose_slot(page_of(b, id), chunks);
    if (b->unused_handle == RF_NONE && b->fresh_handle == b->max)
        return ZPOOL_ENOMEM;
    if (id == RF_NONE && (id = new_page(b)) == RF_NONE)
        return ZPOOL_ENOMEM;
    uint32_t h = b->unused_handle;
    if (h != RF_NONE)
        b->unused_handle = object_of(b, h)->pos;
    else
        h = b->fresh_handle++;
    page_of(b, id)->headless = len > MAX_BUDDY;
    object_of(b, h)->owner = owner;
    place(b, id, slot, chunks, h);
    relist(b, id);
    pl_del(lru(b), NR_HEADS + id);
    pl_add(lru(b), 0, NR_HEADS + id);
    b->live++;
    *handle = h;
    return ZPOOL_OK;
}

/* Moves the only object of page id into another page; true if that page is gone. */
static bool move_single(struct z3fold *b, uint32_t id) {
    struct z3_page *p = page_of(b, id);
    uint32_t slot = p->chunks[FIRST] ? FIRST : p->chunks[MIDDLE] ? MIDDLE : LAST;
    uint32_t chunks = p->chunks[slot], to = find_page(b, chunks);
    if (to == RF_NONE)
        return false;
    struct z3_page *q = page_of(b, to);
    uint32_t dst = choose_slot(q, chunks);
    place(b, to, dst, chunks, p->handle[slot]);
    q->foreign = (uint8_t)(q->foreign | 1u << dst);
    if (b->store_bytes)
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
    uint8_t *from = b->store_bytes && chunks ? slot_data(b, id, MIDDLE) : NULL, *to;
    if (chunks == 0 || (p->chunks[FIRST] && p->chunks[LAST]))
        return;
    if (!p->chunks[FIRST] && !p->chunks[LAST]) {
        p->chunks[MIDDLE] = 0;
        place(b, id, FIRST, chunks, p->handle[MIDDLE]);
        p->foreign = (uint8_t)((p->foreign & ~3u) | (p->foreign >> MIDDLE & 1u));
        to = b->store_bytes ? slot_data(b, id, FIRST) : NULL;
    } else {
        uint32_t want =
            p->chunks[FIRST] ? HDR + p->chunks[FIRST] : CHUNKS - (uint32_t)p->chunks[LAST] - chunks;
        if ((want > start ? want - start : start - want) < BIG_GAP)
            return;
        p->start_middle = (uint8_t)want;
        to = b->store_bytes ? slot_data(b, id, MIDDLE) : NULL;
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
    b->live--;
    if (p->under_reclaim)
        return;
    if (objects_in(p) == 0) {
        release(b, id);
        return;
    }
    pl_del(buddies(b), NR_HEADS + id);
    if (objects_in(p) == 1 && p->foreign == 0 && move_single(b, id))
        return;
    compact_in_page(b, id);
    relist(b, id);
}

static enum zpool_error z3_shrink(struct zpool *z, zpool_evict_fn evict, void *ctx) {
    struct z3fold *b = z3(z);
    if (pl_empty(lru(b), 0))
        return ZPOOL_EINVAL;
    for (uint32_t i = 0; i < RETRIES; i++) {
        uint32_t n = lru(b)[0].prev;
        /* Pages with objects that have come from elsewhere are passed over. */
        while (n != 0 && page_of(b, n - NR_HEADS)->foreign)
            n = lru(b)[n].prev;
        if (n == 0)
            break;
        uint32_t id = n - NR_HEADS;
        struct z3_page *p = page_of(b, id);
        int rc = 0;
        pl_del(lru(b), n);
        pl_del(buddies(b), n);
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
        pl_add(lru(b), 0, n);
    }
    return ZPOOL_EAGAIN;
}

static uint64_t z3_compact(struct zpool *z, const struct zpool_owner_ops *ops, void *ctx) {
    (void)z, (void)ops, (void)ctx;
    return 0;
}

static uint64_t z3_compactable(const struct zpool *z) {
    (void)z;
    return 0;
}

static uint8_t *data_of(const struct z3fold *b, uint32_t handle, uint32_t len) {
    uint32_t id = object_of(b, handle)->pos / 4, slot = object_of(b, handle)->pos % 4;
    if (!b->store_bytes || len > page_of(b, id)->chunks[slot] * CHUNK)
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

static uint64_t z3_total_pages(const struct zpool *z) {
    return cz3(z)->total_pages;
}

static uint64_t z3_live(const struct zpool *z) {
    return cz3(z)->live;
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
    uint64_t pages = 0, live = 0;
    for (uint32_t id = 0; id < b->fresh_page; id++) {
        const struct z3_page *p = page_of(b, id);
        if (!p->used)
            continue;
        if (objects_in(p) == 0 || !layout_ok(p))
            return rf_fail(
                err, RF_ECHECK, "z3fold %s: page %u has objects of %u, %u, %u chunks, middle at %u",
                b->name, id, p->chunks[FIRST], p->chunks[MIDDLE], p->chunks[LAST], p->start_middle);
        for (uint32_t s = FIRST; s < NR_SLOTS; s++)
            if (p->chunks[s] && object_of(b, p->handle[s])->pos != id * 4 + s)
                return rf_fail(err, RF_ECHECK,
                               "z3fold %s: handle %u of page %u points to position %u", b->name,
                               p->handle[s], id, object_of(b, p->handle[s])->pos);
        pages++;
        live += objects_in(p);
    }
    for (uint32_t l = 0; l < NR_HEADS; l++)
        for (uint32_t n = buddies(b)[l].next; n != l; n = buddies(b)[n].next)
            if (!page_of(b, n - NR_HEADS)->used || free_chunks(page_of(b, n - NR_HEADS)) != l)
                return rf_fail(err, RF_ECHECK, "z3fold %s: page %u is in the wrong list %u",
                               b->name, n - NR_HEADS, l);
    if (pages != b->total_pages || live != b->live)
        return rf_fail(err, RF_ECHECK, "z3fold %s: %llu pages, %llu objects; counted %llu, %llu",
                       b->name, (unsigned long long)pages, (unsigned long long)live,
                       (unsigned long long)b->total_pages, (unsigned long long)b->live);
    return 0;
}

static void z3_destroy(struct zpool *z) {
    struct z3fold *b = z3(z);
    if (!b)
        return;
    rf_varr_free(&b->page);
    rf_varr_free(&b->object);
    rf_varr_free(&b->buddy);
    rf_varr_free(&b->lru);
    rf_varr_free(&b->data);
    free(b);
}

static int z3_create(const struct zpool_params *par, struct zpool **out, struct rf_err *err) {
    struct z3fold *b = calloc(1, sizeof(*b));
    *out = NULL;
    if (!b)
        return rf_fail(err, RF_ENOMEM, "z3fold %s: no memory for the pool", par->name);
    b->base.ops = &z3fold_ops;
    b->name = par->name;
    b->store_bytes = par->store_bytes;
    b->pages = par->pages;
    b->pages_ctx = par->pages_ctx;
    b->max = RF_MIN(par->max_objects, RF_NONE / 4 - NR_HEADS);
    b->unused_page = b->unused_handle = RF_NONE;
    size_t nodes = (size_t)b->max + NR_HEADS;
    int rc = rf_varr_init(&b->page, b->max, sizeof(struct z3_page), err);
    if (rc == 0)
        rc = rf_varr_init(&b->object, b->max, sizeof(struct z3_object), err);
    if (rc == 0)
        rc = rf_varr_init(&b->buddy, nodes, sizeof(struct pl_node), err);
    if (rc == 0)
        rc = rf_varr_init(&b->lru, nodes, sizeof(struct pl_node), err);
    if (rc == 0 && b->store_bytes)
        rc = rf_varr_init(&b->data, b->max, RF_PAGE_SIZE, err);
    if (rc != 0) {
        z3_destroy(&b->base);
        return rc;
    }
    for (uint32_t i = 0; i < NR_HEADS; i++)
        pl_init(buddies(b), i);
    pl_init(lru(b), 0);
    *out = &b->base;
    return 0;
}

const struct zpool_ops z3fold_ops = {
    .name = "z3fold",
    .evictable = true,
    .create = z3_create,
    .destroy = z3_destroy,
    .malloc = z3_malloc,
    .free = z3_free,
    .total_pages = z3_total_pages,
    .shrink = z3_shrink,
    .compact = z3_compact,
    .compactable = z3_compactable,
    .write = z3_write,
    .read = z3_read,
    .live_objects = z3_live,
    .check = z3_check,
};
