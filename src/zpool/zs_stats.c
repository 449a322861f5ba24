/* SPDX-License-Identifier: Apache-2.0 */
/* zsmalloc: what /sys/kernel/debug/zsmalloc/POOL/classes shows, and the pool's invariants. */
#include "zs_internal.h"

#include <stdarg.h>
#include <stdio.h>

static const struct zs_pool *pool_of(const struct zpool *z) {
    return (const struct zs_pool *)(const void *)z;
}

uint32_t zs_pool_stats(const struct zpool *z, struct zs_class_stats out[256]) {
    const struct zs_pool *p = pool_of(z);
    for (uint32_t i = 0; i < p->table.nr; i++) {
        const struct zs_class *c = &p->cls[i];
        struct zs_class_stats *s = &out[i];
        s->info = p->table.cls[i];
        memcpy(s->group, c->count, sizeof(s->group));
        s->obj_allocated = c->zspages * c->objs;
        s->obj_used = c->used;
        s->pages_used = c->zspages * c->pages;
        s->freeable = zs_class_freeable(c);
    }
    return p->table.nr;
}

uint64_t zs_pages_compacted(const struct zpool *z) {
    return pool_of(z)->compacted;
}

const struct zs_class_table *zs_pool_table(const struct zpool *z) {
    return &pool_of(z)->table;
}

struct text {
    char *buf;
    size_t size, used;
};

static void RF_PRINTF(2, 3) put(struct text *t, const char *fmt, ...) {
    size_t room = t->used < t->size ? t->size - t->used : 0;
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(room ? t->buf + t->used : NULL, room, fmt, ap);
    va_end(ap);
    if (n > 0)
        t->used += (size_t)n;
}

static void put_u64(struct text *t, int width, uint64_t v) {
    put(t, " %*llu", width, (unsigned long long)v);
}

/* Zspages by group: almost_full and almost_empty, or 10% to 100%. */
static void put_groups(struct text *t, bool twelve, const uint64_t group[ZS_NR_GROUPS]) {
    if (twelve) {
        for (uint32_t g = 1; g < ZS_NR_GROUPS; g++)
            put_u64(t, 9, group[g]);
    } else {
        put_u64(t, 11, group[2]);
        put_u64(t, 12, group[1]);
    }
}

size_t zs_format_classes(const struct zpool *z, char *buf, size_t size) {
    static const char *const percent[] = {"10%", "20%", "30%", "40%", "50%", "60%",
                                          "70%", "80%", "90%", "99%", "100%"};
    const struct zs_pool *p = pool_of(z);
    bool twelve = p->table.policy.fullness_12;
    struct text t = {buf, size, 0};
    struct zs_class_stats st[256];
    uint64_t group[ZS_NR_GROUPS], gsum[ZS_NR_GROUPS] = {0}, sum[4] = {0};

    put(&t, " %5s %5s", "class", "size");
    if (twelve) {
        for (size_t i = 0; i < sizeof(percent) / sizeof(percent[0]); i++)
            put(&t, " %9s", percent[i]);
    } else {
        put(&t, " %11s %12s", "almost_full", "almost_empty");
    }
    put(&t, " %13s %10s %10s %16s %8s\n", "obj_allocated", "obj_used", "pages_used",
        "pages_per_zspage", "freeable");
    uint32_t nr = zs_pool_stats(z, st);
    for (uint32_t i = 0; i < nr; i++) {
        const struct zs_class_stats *s = &st[i];
        put(&t, " %5u %5u", s->info.index, s->info.size);
        for (uint32_t g = 0; g < ZS_NR_GROUPS; g++) {
            group[g] = s->group[g];
            gsum[g] += s->group[g];
        }
        put_groups(&t, twelve, group);
        put_u64(&t, 13, s->obj_allocated);
        put_u64(&t, 10, s->obj_used);
        put_u64(&t, 10, s->pages_used);
        put(&t, " %16u", (unsigned)s->info.pages_per_zspage);
        put_u64(&t, 8, s->freeable);
        put(&t, "\n");
        sum[0] += s->obj_allocated;
        sum[1] += s->obj_used;
        sum[2] += s->pages_used;
        sum[3] += s->freeable;
    }
    put(&t, "\n %5s %5s", "Total", "");
    put_groups(&t, twelve, gsum);
    put_u64(&t, 13, sum[0]);
    put_u64(&t, 10, sum[1]);
    put_u64(&t, 10, sum[2]);
    put(&t, " %16s", "");
    put_u64(&t, 8, sum[3]);
    put(&t, "\n");
    return t.used;
}

static int check_class(const struct zs_pool *p, const struct zs_class *c, struct rf_err *err) {
    uint64_t used = 0, zspages = 0;
    for (uint32_t g = 0; g < ZS_NR_GROUPS; g++) {
        uint32_t prev = RF_NONE, n = 0;
        for (uint32_t zid = c->head[g]; zid != RF_NONE; n++) {
            const struct zspage *z = zs_page(p, zid);
            bool seen[ZS_MAX_OBJS] = {false};
            if (zs_seg(p, zid >> ZS_SEG_SHIFT)->cls != c->index || z->group != g ||
                z->prev != prev || c->group_of[z->inuse] != g || z->inuse == 0)
                return rf_fail(err, RF_ECHECK,
                               "zsmalloc %s: class size %u: zspage %#x in list %u is in use %u, "
                               "group %u",
                               p->name, c->size, zid, g, (unsigned)z->inuse, (unsigned)z->group);
            const uint8_t *slots = zs_cslots(z);
            uint32_t s = z->free;
            for (uint32_t k = z->inuse; k < c->objs; k++, s = slots[s]) {
                if (s >= c->objs || seen[s])
                    return rf_fail(err, RF_ECHECK,
                                   "zsmalloc %s: class size %u: zspage %#x has a damaged free "
                                   "list at slot %u",
                                   p->name, c->size, zid, s);
                seen[s] = true;
            }
            used += z->inuse;
            prev = zid;
            zid = z->next;
        }
        if (n != c->count[g] || (n > 0) != (c->mask >> g & 1))
            return rf_fail(err, RF_ECHECK,
                           "zsmalloc %s: class size %u: list %u has %u zspages, "
                           "counted %u",
                           p->name, c->size, g, n, c->count[g]);
        zspages += n;
    }
    if (used != c->used || zspages != c->zspages)
        return rf_fail(err, RF_ECHECK,
                       "zsmalloc %s: class size %u: lists hold %llu objects in %llu zspages, "
                       "counted %llu in %llu",
                       p->name, c->size, (unsigned long long)used, (unsigned long long)zspages,
                       (unsigned long long)c->used, (unsigned long long)c->zspages);
    return 0;
}

int zs_check(const struct zpool *z, struct rf_err *err) {
    const struct zs_pool *p = pool_of(z);
    uint64_t pages = 0, live = 0, zspages = 0, seg_zspages = 0;
    for (uint32_t i = 0; i < p->table.nr; i++) {
        const struct zs_class *c = &p->cls[i];
        int rc = check_class(p, c, err);
        if (rc != 0)
            return rc;
        pages += c->zspages * c->pages;
        live += c->used;
        zspages += c->zspages;
    }
    for (uint32_t s = 0; s < p->nr_segs; s++)
        seg_zspages += zs_seg(p, s)->used;
    if (pages != p->total_pages || live != p->live || zspages != seg_zspages)
        return rf_fail(err, RF_ECHECK,
                       "zsmalloc %s: classes hold %llu pages, %llu objects, %llu zspages; the "
                       "pool counts %llu, %llu, %llu",
                       p->name, (unsigned long long)pages, (unsigned long long)live,
                       (unsigned long long)zspages, (unsigned long long)p->total_pages,
                       (unsigned long long)p->live, (unsigned long long)seg_zspages);
    return 0;
}
