/* SPDX-License-Identifier: Apache-2.0 */
#include "blk_int.h"

#include <stdlib.h>

uint32_t blk_pool_get(struct pool *p, size_t elem) {
    if (p->nr_free)
        return p->free_ids[--p->nr_free];
    if (p->nr == p->cap) {
        uint32_t cap = p->cap ? p->cap * 2 : 64;
        void *base;
        uint32_t *ids;

        if (cap < p->cap)
            return RF_NONE;
        base = realloc(p->base, cap * elem);
        if (!base)
            return RF_NONE;
        p->base = base;
        /* Room for every id, so that giving one back cannot fail. */
        ids = realloc(p->free_ids, cap * sizeof(*ids));
        if (!ids)
            return RF_NONE;
        p->free_ids = ids;
        p->cap = cap;
    }
    return p->nr++;
}

void blk_pool_put(struct pool *p, uint32_t id) {
    p->free_ids[p->nr_free++] = id;
}

void blk_pool_free(struct pool *p) {
    free(p->base);
    free(p->free_ids);
    memset(p, 0, sizeof(*p));
}

void blk_list_add(const struct blk_dev *d, struct rq_list *l, uint32_t id) {
    rq_at(d, id)->next = RF_NONE;
    if (l->nr++)
        rq_at(d, l->tail)->next = id;
    else
        l->head = id;
    l->tail = id;
}

uint32_t blk_list_pop(const struct blk_dev *d, struct rq_list *l) {
    uint32_t id = l->head;

    l->head = rq_at(d, id)->next;
    l->nr--;
    return id;
}
