/* SPDX-License-Identifier: Apache-2.0 */
/* Writing an entry back to the swap device, and the single shrink steps of the kernels to 6.7. */
#include "zswap_internal.h"

int zswap_writeback_entry(struct zswap *z, struct sim_cpu *cpu, uint32_t slot) {
    struct zswap_entry *e = &z->entry[slot];
    uint32_t folio = RF_NONE, handle = e->handle, memcg = e->memcg;
    int rc;

    sim_charge(cpu, z->cost.writeback_ns);
    rc = z->host->wb_begin ? z->host->wb_begin(z->host_ctx, cpu, slot, &folio) : WB_NOMEM;
    if (rc) {
        if (rc == WB_EXISTS)
            z->c.x_writeback_exists++;
        else
            z->c.x_writeback_nomem++;
        return rc == WB_EXISTS ? WB_EXISTS : WB_NOMEM;
    }
    /* getting the folio may have reclaimed, and with it dropped or replaced the entry */
    zswap_tree_hold(z, cpu, slot, 1);
    if (!entry_live(z, slot) || e->handle != handle) {
        if (z->host->wb_abort)
            z->host->wb_abort(z->host_ctx, cpu, slot, folio);
        z->c.x_writeback_gone++;
        return WB_GONE;
    }
    zswap_charge_decompress(z, cpu, slot);
    zswap_verify_read(z, slot, RF_NONE, "writeback");
    z->c.written_back_pages++;
    if (z->policy.count_wb && z->host->count_vm)
        z->host->count_vm(z->host_ctx, memcg, ZSWAP_VM_WB, 1);
    zswap_entry_free(z, cpu, slot);
    if (z->host->wb_submit)
        z->host->wb_submit(z->host_ctx, cpu, slot, folio);
    return 0;
}

struct evict_ctx {
    struct zswap *z;
    struct sim_cpu *cpu;
};

/* The backend asks for an object to be written back; one that is gone counts as evicted. */
static int evict_object(void *arg, uint32_t owner) {
    struct evict_ctx *ec = arg;

    if (!entry_live(ec->z, owner))
        return 0;
    return zswap_writeback_entry(ec->z, ec->cpu, owner) && entry_live(ec->z, owner);
}

static enum zpool_error shrink_backend(struct zswap *z, struct sim_cpu *cpu) {
    struct evict_ctx ec = {z, cpu};
    struct zpool *pool = z->backend[0];
    enum zpool_error e;

    if (!z->policy.backend_evicts || !pool->ops->evictable || !pool->ops->shrink)
        return ZPOOL_EINVAL;
    e = pool->ops->shrink(pool, evict_object, &ec);
    zswap_refresh(z, 0);
    return e;
}

enum zpool_error zswap_shrink_one(struct zswap *z, struct sim_cpu *cpu) {
    struct zswap_lru *l = zswap_lru_of(z, 0);
    uint32_t slot = l->oldest;

    z->c.x_shrink_steps++;
    if (!z->policy.entry_lru)
        return shrink_backend(z, cpu);
    if (slot == ENTRY_NONE)
        return ZPOOL_EINVAL;
    zswap_lru_hold(z, cpu, 0, true);
    zswap_lru_del(z, slot);
    if (zswap_writeback_entry(z, cpu, slot) == 0)
        return ZPOOL_OK;
    /* every failure looks the same to the caller, and the entry becomes the youngest */
    if (entry_live(z, slot) && !(z->entry[slot].flags & ENTRY_ON_LRU))
        zswap_lru_add(z, slot);
    return ZPOOL_EAGAIN;
}
