/* SPDX-License-Identifier: Apache-2.0 */
#include "buddy.h"

static const struct buddy_pool *pool_of(const struct zpool *z) {
    return (const struct buddy_pool *)(const void *)z;
}

int buddy_init(struct buddy_pool *b, const struct zpool_ops *ops, const struct zpool_params *par,
               uint32_t max_pages, struct rf_err *err) {
    size_t nodes = (size_t)max_pages + NR_HEADS;

    *b = (struct buddy_pool){
        .base.ops = ops,
        .name = par->name,
        .store_bytes = par->store_bytes,
        .max_pages = max_pages,
        .unused = RF_NONE,
        .pages = par->pages,
        .pages_ctx = par->pages_ctx,
    };
    int rc = rf_varr_init(&b->buddy, nodes, sizeof(struct pl_node), err);
    if (rc == 0)
        rc = rf_varr_init(&b->lru, nodes, sizeof(struct pl_node), err);
    if (rc == 0 && b->store_bytes)
        rc = rf_varr_init(&b->data, max_pages, RF_PAGE_SIZE, err);
    if (rc != 0)
        return rc;
    for (uint32_t i = 0; i < NR_HEADS; i++)
        pl_init(buddy_lists(b), i);
    pl_init(buddy_lru(b), 0);
    return 0;
}

void buddy_free(struct buddy_pool *b) {
    rf_varr_free(&b->buddy);
    rf_varr_free(&b->lru);
    rf_varr_free(&b->data);
}

uint32_t buddy_new_page(struct buddy_pool *b) {
    uint32_t id = b->unused;

    if (id != RF_NONE)
        b->unused = buddy_lru(b)[NR_HEADS + id].next;
    else if (b->fresh < b->max_pages)
        id = b->fresh++;
    else
        return RF_NONE;
    pl_init(buddy_lists(b), NR_HEADS + id);
    pl_init(buddy_lru(b), NR_HEADS + id);
    b->total_pages++;
    if (b->pages)
        b->pages(b->pages_ctx, 1);
    return id;
}

void buddy_release(struct buddy_pool *b, uint32_t id) {
    buddy_unlist(b, id);
    buddy_lru(b)[NR_HEADS + id].next = b->unused;
    b->unused = id;
    b->total_pages--;
    if (b->pages)
        b->pages(b->pages_ctx, -1);
}

uint32_t buddy_find(const struct buddy_pool *b, uint32_t chunks) {
    for (uint32_t i = chunks; i < NR_HEADS; i++)
        if (!pl_empty(buddy_lists(b), i))
            return buddy_lists(b)[i].next - NR_HEADS;
    return RF_NONE;
}

void buddy_list(struct buddy_pool *b, uint32_t list, uint32_t id) {
    pl_del(buddy_lists(b), NR_HEADS + id);
    pl_add(buddy_lists(b), list, NR_HEADS + id);
}

void buddy_unbuddy(struct buddy_pool *b, uint32_t id) {
    pl_del(buddy_lists(b), NR_HEADS + id);
}

void buddy_touch(struct buddy_pool *b, uint32_t id) {
    pl_del(buddy_lru(b), NR_HEADS + id);
    pl_add(buddy_lru(b), 0, NR_HEADS + id);
}

void buddy_unlist(struct buddy_pool *b, uint32_t id) {
    pl_del(buddy_lists(b), NR_HEADS + id);
    pl_del(buddy_lru(b), NR_HEADS + id);
}

uint64_t buddy_total_pages(const struct zpool *z) {
    return pool_of(z)->total_pages;
}

uint64_t buddy_live(const struct zpool *z) {
    return pool_of(z)->live;
}

uint64_t buddy_compact(struct zpool *z, const struct zpool_owner_ops *ops, void *ctx) {
    (void)z, (void)ops, (void)ctx;
    return 0;
}

uint64_t buddy_compactable(const struct zpool *z) {
    (void)z;
    return 0;
}
