/* SPDX-License-Identifier: Apache-2.0 */
/* zsmalloc: allocation and release of objects (zs_malloc() and zs_free(), mm/zsmalloc.c). */
#include "zs_internal.h"

#include <stdlib.h>

static struct zs_pool *pool_of(struct zpool *z) {
    return (struct zs_pool *)(void *)z;
}

static const struct zs_pool *cpool_of(const struct zpool *z) {
    return (const struct zs_pool *)(const void *)z;
}

/* ---- fullness lists ---- */

static uint8_t fullness_group(bool twelve, uint32_t inuse, uint32_t objs) {
    if (inuse == 0)
        return 0;
    if (twelve)
        return inuse == objs ? 11 : (uint8_t)(100 * inuse / objs / 10 + 1);
    if (inuse == objs)
        return 3;
    return inuse <= 3 * objs / 4 ? 1 : 2;
}

void zs_insert(struct zs_pool *p, struct zs_class *c, uint32_t zid, struct zspage *z) {
    uint8_t g = c->group_of[z->inuse];
    uint32_t head = c->head[g];
    z->group = g;
    z->prev = RF_NONE;
    z->next = head;
    if (head == RF_NONE) {
        c->head[g] = zid;
        c->mask = (uint16_t)(c->mask | 1u << g);
    } else {
        struct zspage *h = zs_page(p, head);
        /* Up to 6.3 a zspage with fewer objects than the front one goes second. */
        if (!p->table.policy.fullness_12 && z->inuse < h->inuse) {
            z->prev = head;
            z->next = h->next;
            h->next = zid;
            if (z->next != RF_NONE)
                zs_page(p, z->next)->prev = zid;
        } else {
            h->prev = zid;
            c->head[g] = zid;
        }
    }
    c->count[g]++;
}

void zs_remove(struct zs_pool *p, struct zs_class *c, struct zspage *z) {
    uint8_t g = z->group;
    if (z->next != RF_NONE)
        zs_page(p, z->next)->prev = z->prev;
    if (z->prev != RF_NONE) {
        zs_page(p, z->prev)->next = z->next;
    } else {
        c->head[g] = z->next;
        if (z->next == RF_NONE)
            c->mask = (uint16_t)(c->mask & ~(1u << g));
    }
    c->count[g]--;
    z->group = ZS_NO_GROUP;
}

static inline void fix_group(struct zs_pool *p, struct zs_class *c, uint32_t zid,
                             struct zspage *z) {
    if (z->group == c->group_of[z->inuse])
        return;
    if (z->group != ZS_NO_GROUP)
        zs_remove(p, c, z);
    zs_insert(p, c, zid, z);
}

/* ---- segments and zspages ---- */

static void seg_link(struct zs_pool *p, struct zs_class *c, uint32_t seg) {
    struct zs_segment *s = zs_seg(p, seg);
    s->next = c->segments;
    s->prev = RF_NONE;
    if (s->next != RF_NONE)
        zs_seg(p, s->next)->prev = seg;
    c->segments = seg;
    s->listed = true;
}

static void seg_unlink(struct zs_pool *p, struct zs_class *c, uint32_t seg) {
    struct zs_segment *s = zs_seg(p, seg);
    if (s->next != RF_NONE)
        zs_seg(p, s->next)->prev = s->prev;
    if (s->prev != RF_NONE)
        zs_seg(p, s->prev)->next = s->next;
    else
        c->segments = s->next;
    s->listed = false;
}

/* A segment for class c: a new one or, when ids or memory have run out, another class's that is
 * empty and large enough. RF_NONE if there is none. */
static uint32_t seg_new(struct zs_pool *p, struct zs_class *c) {
    uint32_t nr = ZS_SEG_IDS / c->objs, seg;
    uint32_t stride = ((uint32_t)sizeof(struct zspage) + c->objs + 3) & ~3u;
    uint32_t units = (nr * stride + ZS_BLOCK_UNIT - 1) / ZS_BLOCK_UNIT;
    struct zs_segment *s;
    if (p->nr_segs < p->max_segs && units <= p->block_max - p->block_top) {
        seg = p->nr_segs++;
        s = zs_seg(p, seg);
        s->block = p->block_top;
        s->block_units = units;
        p->block_top += units;
    } else {
        for (seg = 0; seg < p->nr_segs; seg++) {
            s = zs_seg(p, seg);
            if (s->used == 0 && s->block_units >= units)
                break;
        }
        if (seg == p->nr_segs)
            return RF_NONE;
        seg_unlink(p, &p->cls[s->cls], seg);
    }
    s->nr = (uint16_t)nr;
    s->stride = (uint16_t)stride;
    s->used = s->fresh = 0;
    s->unused = ZS_NO_ZSPAGE;
    s->cls = c->index;
    seg_link(p, c, seg);
    return seg;
}

/* A new, isolated, empty zspage with its slots free in order; RF_NONE without memory. */
static uint32_t zspage_new(struct zs_pool *p, struct zs_class *c) {
    uint32_t seg = c->segments, local;
    if (seg == RF_NONE && (seg = seg_new(p, c)) == RF_NONE)
        return RF_NONE;
    struct zs_segment *s = zs_seg(p, seg);
    bool recycled = s->unused != ZS_NO_ZSPAGE;
    local = recycled ? s->unused : s->fresh;
    uint32_t zid = seg << ZS_SEG_SHIFT | local;
    if (p->store_bytes) {
        uint8_t *d = calloc(c->pages, RF_PAGE_SIZE);
        if (!d)
            return RF_NONE;
        *zs_data(p, zid) = d;
    }
    struct zspage *z = zs_page(p, zid);
    if (recycled)
        s->unused = (uint16_t)z->next;
    else
        s->fresh++;
    if (++s->used == s->nr)
        seg_unlink(p, c, seg);
    z->inuse = 0;
    z->free = 0;
    z->group = ZS_NO_GROUP;
    uint8_t *slots = zs_slots(z);
    for (uint32_t i = 0; i < c->objs; i++)
        slots[i] = (uint8_t)(i + 1);
    c->zspages++;
    p->total_pages += c->pages;
    if (p->pages)
        p->pages(p->pages_ctx, (int32_t)c->pages);
    return zid;
}

void zs_release(struct zs_pool *p, struct zs_class *c, uint32_t zid, struct zspage *z) {
    uint32_t seg = zid >> ZS_SEG_SHIFT;
    struct zs_segment *s = zs_seg(p, seg);
    if (p->store_bytes) {
        free(*zs_data(p, zid));
        *zs_data(p, zid) = NULL;
    }
    z->next = s->unused;
    s->unused = (uint16_t)(zid & ZS_SEG_MASK);
    s->used--;
    if (!s->listed)
        seg_link(p, c, seg);
    c->zspages--;
    p->total_pages -= c->pages;
    if (p->pages)
        p->pages(p->pages_ctx, -(int32_t)c->pages);
}

/* ---- the ops ---- */

static inline uint32_t highest_bit(uint32_t m) {
#if defined(__GNUC__)
    return 31u - (uint32_t)__builtin_clz(m);
#else
    uint32_t g = 0;
    while (m >>= 1)
        g++;
    return g;
#endif
}

static enum zpool_error zs_malloc(struct zpool *zp, uint32_t len, uint32_t owner,
                                  uint32_t *handle) {
    struct zs_pool *p = pool_of(zp);
    if (RF_UNLIKELY(len == 0))
        return ZPOOL_EINVAL;
    if (RF_UNLIKELY(len > RF_PAGE_SIZE))
        return p->table.policy.too_big_is_einval ? ZPOOL_EINVAL : ZPOOL_ENOSPC;
    struct zs_class *c = &p->cls[zs_class_of(&p->table, len)];
    /* Groups in rising order of fullness: the highest non-empty one below "full" is wanted. */
    uint32_t m = c->mask & ((1u << p->full_group) - 1), zid;
    if (m) {
        zid = c->head[highest_bit(m)];
    } else if ((zid = zspage_new(p, c)) == RF_NONE) {
        return ZPOOL_ENOMEM;
    }
    struct zspage *z = zs_page(p, zid);
    uint32_t slot = z->free;
    z->free = zs_slots(z)[slot];
    z->inuse++;
    c->used++;
    p->live++;
    fix_group(p, c, zid, z);
    if (p->store_bytes && c->objs > 1)
        rf_store_le64(*zs_data(p, zid) + slot * (size_t)c->size, owner);
    *handle = zs_obj_id(c, zid, slot);
    return ZPOOL_OK;
}

static void zs_free(struct zpool *zp, uint32_t handle) {
    struct zs_pool *p = pool_of(zp);
    struct zs_class *c = &p->cls[zs_seg(p, handle >> ZS_SEG_SHIFT)->cls];
    uint32_t slot, zid = zs_obj_zspage(c, handle, &slot);
    struct zspage *z = zs_page(p, zid);
    c->used--;
    p->live--;
    zs_slots(z)[slot] = z->free;
    z->free = (uint8_t)slot;
    if (--z->inuse == 0) {
        zs_remove(p, c, z);
        zs_release(p, c, zid, z);
    } else {
        fix_group(p, c, zid, z);
    }
}

static uint32_t zs_lock_of(const struct zpool *zp, uint32_t handle) {
    const struct zs_pool *p = cpool_of(zp);

    return p->table.policy.class_lock ? zs_seg(p, handle >> ZS_SEG_SHIFT)->cls : 0;
}

static void zs_prefetch(const struct zpool *zp, uint32_t handle, bool links) {
    const struct zs_pool *p = cpool_of(zp);
    const struct zs_class *c = &p->cls[zs_seg(p, handle >> ZS_SEG_SHIFT)->cls];
    uint32_t slot, zid = zs_obj_zspage(c, handle, &slot);
    struct zspage *z = zs_page(p, zid);
    if (!links) {
        RF_PREFETCH(z);
        RF_PREFETCH(zs_slots(z) + slot);
        return;
    }
    if (z->next != RF_NONE)
        RF_PREFETCH(zs_page(p, z->next));
    if (z->prev != RF_NONE)
        RF_PREFETCH(zs_page(p, z->prev));
}

static uint8_t *obj_data(const struct zs_pool *p, uint32_t handle, uint32_t len) {
    const struct zs_class *c = &p->cls[zs_seg(p, handle >> ZS_SEG_SHIFT)->cls];
    uint32_t slot, zid = zs_obj_zspage(c, handle, &slot);
    /* A huge object has no handle word in front (mm/zsmalloc.c 6.12, ZsHugePage). */
    uint32_t off = c->objs == 1 && c->pages == 1 ? 0 : ZS_HANDLE_SIZE;
    if (!p->store_bytes || len > c->size - off)
        return NULL;
    return *zs_data(p, zid) + slot * (size_t)c->size + off;
}

static void zs_write(struct zpool *zp, uint32_t handle, const uint8_t *data, uint32_t len) {
    uint8_t *d = obj_data(pool_of(zp), handle, len);
    if (d)
        memcpy(d, data, len);
}

static void zs_read(const struct zpool *zp, uint32_t handle, uint8_t *data, uint32_t len) {
    const uint8_t *d = obj_data(cpool_of(zp), handle, len);
    if (d)
        memcpy(data, d, len);
    else
        memset(data, 0, len);
}

static uint64_t zs_total_pages(const struct zpool *z) {
    return cpool_of(z)->total_pages;
}

static uint64_t zs_live(const struct zpool *z) {
    return cpool_of(z)->live;
}

static enum zpool_error zs_shrink(struct zpool *z, zpool_evict_fn evict, void *ctx) {
    (void)z, (void)evict, (void)ctx;
    return ZPOOL_EINVAL;
}

static void zs_destroy(struct zpool *z) {
    struct zs_pool *p = pool_of(z);
    if (!p)
        return;
    if (p->store_bytes) {
        for (uint32_t seg = 0; seg < p->nr_segs; seg++)
            for (uint32_t q = 0; q < ZS_SEG_IDS / p->cls[zs_seg(p, seg)->cls].objs; q++)
                free(*zs_data(p, seg << ZS_SEG_SHIFT | q));
    }
    rf_varr_free(&p->segs);
    rf_varr_free(&p->blocks);
    rf_varr_free(&p->data);
    free(p);
}

static int zs_create(const struct zpool_params *par, struct zpool **out, struct rf_err *err) {
    struct zs_pool *p = calloc(1, sizeof(*p));
    int rc;
    *out = NULL;
    if (!p)
        return rf_fail(err, RF_ENOMEM, "zsmalloc %s: no memory for the pool", par->name);
    p->base.ops = &zsmalloc_ops;
    p->name = par->name;
    p->store_bytes = par->store_bytes;
    p->pages = par->pages;
    p->pages_ctx = par->pages_ctx;
    zs_class_table_init(&p->table, &par->zs, RF_PAGE_SIZE);
    p->full_group = par->zs.fullness_12 ? 11 : 3;
    for (uint32_t i = 0; i < p->table.nr; i++) {
        struct zs_class *c = &p->cls[i];
        const struct zs_class_info *ci = &p->table.cls[i];
        for (uint32_t g = 0; g < ZS_NR_GROUPS; g++)
            c->head[g] = RF_NONE;
        c->segments = RF_NONE;
        c->index = (uint8_t)i;
        c->size = ci->size;
        c->pages = ci->pages_per_zspage;
        c->objs = ci->objs_per_zspage;
        c->recip = (1u << 24) / c->objs + 1;
        for (uint32_t u = 0; u <= c->objs; u++)
            c->group_of[u] = fullness_group(par->zs.fullness_12, u, c->objs);
    }
    /* Address space only: sparse zspages take up to N slots for one live object, so ids get four
     * times the live objects and descriptors 64 bytes each, plus an open segment a class. */
    uint64_t segs = 2 * ZS_MAX_RAW_CLASSES + (uint64_t)par->max_objects * 4 / ZS_SEG_IDS;
    uint64_t units = (uint64_t)par->max_objects + 2 * ZS_MAX_RAW_CLASSES * 1024;
    p->max_segs = (uint32_t)RF_MIN(segs, (uint64_t)ZS_MAX_SEGS);
    p->block_max = (uint32_t)RF_MIN(units, (uint64_t)UINT32_MAX);
    rc = rf_varr_init(&p->segs, p->max_segs, sizeof(struct zs_segment), err);
    if (rc == 0)
        rc = rf_varr_init(&p->blocks, p->block_max, ZS_BLOCK_UNIT, err);
    if (rc == 0 && p->store_bytes)
        rc = rf_varr_init(&p->data, (size_t)p->max_segs * ZS_SEG_IDS, sizeof(uint8_t *), err);
    if (rc != 0) {
        zs_destroy(&p->base);
        return rc;
    }
    rf_varr_hint_dense(&p->blocks);
    *out = &p->base;
    return 0;
}

const struct zpool_ops zsmalloc_ops = {
    .name = "zsmalloc",
    .evictable = false,
    .create = zs_create,
    .destroy = zs_destroy,
    .malloc = zs_malloc,
    .free = zs_free,
    .total_pages = zs_total_pages,
    .shrink = zs_shrink,
    .compact = zs_compact,
    .compactable = zs_compactable,
    .write = zs_write,
    .read = zs_read,
    .prefetch = zs_prefetch,
    .lock_of = zs_lock_of,
    .live_objects = zs_live,
    .check = zs_check,
};
