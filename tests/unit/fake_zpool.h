/* SPDX-License-Identifier: Apache-2.0 */
/* A test double of a zpool: one page an object, evicted in the order of allocation. */
#ifndef FAKE_ZPOOL_H
#define FAKE_ZPOOL_H

#include <stdlib.h>
#include "refault/zpool.h"

#define FAKE_OBJECTS 100000u

struct fake_zpool {
    struct zpool base;
    uint32_t *len, *owner; /* len 0 = free */
    uint8_t **data;
    uint32_t top, oldest;
    uint64_t live;
    uint32_t max_len;      /* longer: ZPOOL_ENOSPC */
    enum zpool_error fail; /* what malloc says, if not OK */
    bool store_bytes;
};

static enum zpool_error fake_malloc(struct zpool *z, uint32_t len, uint32_t owner,
                                    uint32_t *handle) {
    struct fake_zpool *f = (struct fake_zpool *)z;

    if (f->fail != ZPOOL_OK)
        return f->fail;
    if (len > f->max_len)
        return ZPOOL_ENOSPC;
    if (f->top == FAKE_OBJECTS)
        return ZPOOL_ENOMEM;
    f->len[f->top] = len;
    f->owner[f->top] = owner;
    if (f->store_bytes)
        f->data[f->top] = calloc(1, len);
    f->live++;
    *handle = f->top++;
    return ZPOOL_OK;
}
static void fake_free(struct zpool *z, uint32_t handle) {
    struct fake_zpool *f = (struct fake_zpool *)z;

    if (!f->len[handle])
        abort();
    f->len[handle] = 0;
    free(f->data[handle]);
    f->data[handle] = NULL;
    f->live--;
}
static uint64_t fake_total(const struct zpool *z) {
    return ((const struct fake_zpool *)z)->live;
}
static enum zpool_error fake_shrink(struct zpool *z, zpool_evict_fn evict, void *ctx) {
    struct fake_zpool *f = (struct fake_zpool *)z;
    uint32_t h = f->oldest;

    while (h < f->top && !f->len[h])
        h++;
    f->oldest = h;
    if (h == f->top)
        return ZPOOL_EINVAL;
    return evict(ctx, f->owner[h]) ? ZPOOL_EAGAIN : ZPOOL_OK;
}
static uint64_t fake_compact(struct zpool *z, const struct zpool_owner_ops *ops, void *ctx) {
    (void)z;
    (void)ops;
    (void)ctx;
    return 0;
}
static uint64_t fake_compactable(const struct zpool *z) {
    (void)z;
    return 0;
}
static void fake_write(struct zpool *z, uint32_t handle, const uint8_t *data, uint32_t len) {
    memcpy(((struct fake_zpool *)z)->data[handle], data, len);
}
static void fake_read(const struct zpool *z, uint32_t handle, uint8_t *data, uint32_t len) {
    memcpy(data, ((const struct fake_zpool *)z)->data[handle], len);
}
static uint64_t fake_live(const struct zpool *z) {
    return ((const struct fake_zpool *)z)->live;
}
static int fake_check(const struct zpool *z, struct rf_err *err) {
    (void)z;
    (void)err;
    return 0;
}
static int fake_create_evictable(const struct zpool_params *p, struct zpool **out,
                                 struct rf_err *err);
static int fake_create_plain(const struct zpool_params *p, struct zpool **out, struct rf_err *err);
static void fake_destroy(struct zpool *z) {
    struct fake_zpool *f = (struct fake_zpool *)z;

    for (uint32_t i = 0; i < f->top; i++)
        free(f->data[i]);
    free(f->len);
    free(f->owner);
    free(f->data);
    free(f);
}

#define FAKE_OPS(n, ev, make)                                                                      \
    {                                                                                              \
        .name = n, .evictable = ev, .create = make, .destroy = fake_destroy,                       \
        .malloc = fake_malloc, .free = fake_free, .total_pages = fake_total,                       \
        .shrink = fake_shrink, .compact = fake_compact, .compactable = fake_compactable,           \
        .write = fake_write, .read = fake_read, .live_objects = fake_live, .check = fake_check     \
    }
static const struct zpool_ops fake_evictable =
    FAKE_OPS("fake-evictable", true, fake_create_evictable);
static const struct zpool_ops fake_plain = FAKE_OPS("fake", false, fake_create_plain);

static struct zpool *fake_new(const struct zpool_params *p, const struct zpool_ops *ops) {
    struct fake_zpool *f = calloc(1, sizeof(*f));

    f->base.ops = ops;
    f->len = calloc(FAKE_OBJECTS, sizeof(*f->len));
    f->owner = calloc(FAKE_OBJECTS, sizeof(*f->owner));
    f->data = calloc(FAKE_OBJECTS, sizeof(*f->data));
    f->max_len = 4096;
    f->store_bytes = p->store_bytes;
    return &f->base;
}
static int fake_create_evictable(const struct zpool_params *p, struct zpool **out,
                                 struct rf_err *err) {
    (void)err;
    *out = fake_new(p, &fake_evictable);
    return 0;
}
static int fake_create_plain(const struct zpool_params *p, struct zpool **out, struct rf_err *err) {
    (void)err;
    *out = fake_new(p, &fake_plain);
    return 0;
}

#endif
