/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zsmalloc's compaction (zs_compact(), mm/zsmalloc.c 6.1 and 6.12). Who owns an object is not
 * kept: the caller is asked once, and only for objects in zspages that could be a source.
 */
#include "zs_internal.h"

struct compaction {
    struct zs_pool *p;
    uint32_t *owner; /* by object id; meaningful for partly filled zspages */
    const struct zpool_owner_ops *ops;
    void *ctx;
    uint64_t freed;
};

uint64_t zs_class_freeable(const struct zs_class *c) {
    uint64_t allocated = c->zspages * c->objs;
    return (allocated - c->used) / c->objs * c->pages;
}

uint64_t zs_compactable(const struct zpool *z) {
    const struct zs_pool *p = (const struct zs_pool *)(const void *)z;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->table.nr; i++)
        sum += zs_class_freeable(&p->cls[i]);
    return sum;
}

static void note_owner(void *arg, uint32_t owner, uint32_t handle) {
    struct compaction *cc = arg;
    const struct zs_class *c = &cc->p->cls[zs_seg(cc->p, handle >> ZS_SEG_SHIFT)->cls];
    uint32_t slot, zid = zs_obj_zspage(c, handle, &slot);
    if (zs_page(cc->p, zid)->inuse < c->objs)
        cc->owner[handle] = owner;
}

/* Moves objects from src to dst in slot order until src is empty or dst is full. */
static void migrate(struct compaction *cc, struct zs_class *c, uint32_t src, uint32_t dst) {
    struct zs_pool *p = cc->p;
    struct zspage *s = zs_page(p, src), *d = zs_page(p, dst);
    uint8_t *sslots = zs_slots(s), *dslots = zs_slots(d);
    bool is_free[ZS_MAX_OBJS] = {false};
    for (uint32_t i = s->free, n = c->objs - (uint32_t)s->inuse; n > 0; n--, i = sslots[i])
        is_free[i] = true;
    for (uint32_t i = 0; i < c->objs && s->inuse > 0 && d->inuse < c->objs; i++) {
        if (is_free[i])
            continue;
        uint32_t to = d->free;
        d->free = dslots[to];
        d->inuse++;
        sslots[i] = s->free;
        s->free = (uint8_t)i;
        s->inuse--;
        if (p->store_bytes)
            memcpy(*zs_data(p, dst) + to * (size_t)c->size, *zs_data(p, src) + i * (size_t)c->size,
                   c->size);
        uint32_t owner = cc->owner[zs_obj_id(c, src, i)], id = zs_obj_id(c, dst, to);
        cc->owner[id] = owner;
        cc->ops->moved(cc->ctx, owner, id);
    }
}

/* Takes the first zspage of the first non-empty of groups from..to (either direction) off. */
static uint32_t isolate(struct zs_pool *p, struct zs_class *c, int from, int to) {
    for (int g = from, step = from < to ? 1 : -1;; g += step) {
        uint32_t zid = c->head[g];
        if (zid != RF_NONE) {
            zs_remove(p, c, zs_page(p, zid));
            return zid;
        }
        if (g == to)
            return RF_NONE;
    }
}

/* Returns an isolated zspage to its list, or releases it if it is empty. */
static void putback(struct compaction *cc, struct zs_class *c, uint32_t zid) {
    struct zspage *z = zs_page(cc->p, zid);
    if (z->inuse > 0) {
        zs_insert(cc->p, c, zid, z);
        return;
    }
    zs_release(cc->p, c, zid, z);
    cc->freed += c->pages;
}

/* 6.4 and later: one destination is filled from the emptiest zspages. */
static void compact_class_12(struct compaction *cc, struct zs_class *c) {
    struct zs_pool *p = cc->p;
    uint32_t dst = RF_NONE;
    while (zs_class_freeable(c) > 0) {
        if (dst == RF_NONE && (dst = isolate(p, c, 10, 1)) == RF_NONE)
            break;
        uint32_t src = isolate(p, c, 1, 10);
        if (src == RF_NONE)
            break;
        migrate(cc, c, src, dst);
        putback(cc, c, src);
        if (zs_page(p, dst)->inuse == c->objs) {
            putback(cc, c, dst);
            dst = RF_NONE;
        }
    }
    if (dst != RF_NONE)
        putback(cc, c, dst);
}

/* Up to 6.3: one source is drained into destinations, almost-full ones first. */
static void compact_class_4(struct compaction *cc, struct zs_class *c) {
    struct zs_pool *p = cc->p;
    uint32_t src, dst = 0;
    while (dst != RF_NONE && (src = isolate(p, c, 1, 2)) != RF_NONE) {
        if (zs_class_freeable(c) == 0) {
            putback(cc, c, src);
            return;
        }
        while (zs_page(p, src)->inuse > 0 && (dst = isolate(p, c, 2, 1)) != RF_NONE) {
            migrate(cc, c, src, dst);
            putback(cc, c, dst);
        }
        putback(cc, c, src);
    }
}

uint64_t zs_compact(struct zpool *z, const struct zpool_owner_ops *ops, void *ctx) {
    struct zs_pool *p = (struct zs_pool *)(void *)z;
    struct compaction cc = {.p = p, .ops = ops, .ctx = ctx};
    struct rf_varr table = {0};
    uint64_t freeable = zs_compactable(z);
    /* With nothing to gain the old loop still takes a zspage of each class off and puts it back. */
    if (!ops || (freeable == 0 && p->table.policy.fullness_12))
        return 0;
    if (freeable > 0) {
        size_t ids = (size_t)p->nr_segs * ZS_SEG_IDS;
        if (rf_varr_init(&table, ids, sizeof(uint32_t), NULL) != 0)
            return 0;
        cc.owner = table.base;
        ops->for_each(ctx, note_owner, &cc);
    }
    for (uint32_t i = p->table.nr; i-- > 0;) {
        if (p->table.policy.fullness_12)
            compact_class_12(&cc, &p->cls[i]);
        else
            compact_class_4(&cc, &p->cls[i]);
    }
    rf_varr_free(&table);
    p->compacted += cc.freed;
    return cc.freed;
}
