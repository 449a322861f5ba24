/* SPDX-License-Identifier: Apache-2.0 */
/* Compaction of the backend pools: zswap knows which entry owns which object. */
#include "zswap_internal.h"

struct compact_ctx {
    struct zswap *z;
    uint32_t backend;
};

static void for_each_object(void *ctx, zpool_visit_fn visit, void *arg) {
    const struct compact_ctx *cc = ctx;
    const struct zswap *z = cc->z;
    uint32_t slot;

    for (slot = 0; slot < z->seen; slot++) {
        const struct zswap_entry *e = &z->entry[slot];

        if ((e->flags & (ENTRY_LIVE | ENTRY_SAME)) == ENTRY_LIVE &&
            backend_of(z, slot) == cc->backend)
            visit(arg, slot, e->handle);
    }
}

static void object_moved(void *ctx, uint32_t owner, uint32_t handle) {
    const struct compact_ctx *cc = ctx;

    cc->z->entry[owner].handle = handle;
}

uint64_t zswap_compact(struct zswap *z, struct sim_cpu *cpu) {
    static const struct zpool_owner_ops ops = {for_each_object, object_moved};
    uint64_t freed = 0;
    uint32_t b;

    for (b = 0; b < z->nr_backends; b++) {
        struct compact_ctx cc = {z, b};

        freed += z->backend[b]->ops->compact(z->backend[b], &ops, &cc);
        zswap_refresh(z, b);
    }
    sim_charge(cpu, freed * z->cost.compact_page_ns);
    return freed;
}

uint64_t zswap_compactable(const struct zswap *z) {
    uint64_t pages = 0;
    uint32_t b;

    for (b = 0; b < z->nr_backends; b++)
        pages += z->backend[b]->ops->compactable(z->backend[b]);
    return pages;
}
