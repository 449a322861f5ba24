/* SPDX-License-Identifier: Apache-2.0 */
/* zswap: creation, pools, the life of an entry, queries. */
#include <stdlib.h>
#include "zswap_internal.h"

#define MAX_RECLAIM_RETRIES 16u /* mm/internal.h: failed writebacks until the worker rests */

static const struct zswap_host_ops no_host;

static int create_backends(struct zswap *z, const struct zswap_params *p, struct rf_err *err) {
    struct zpool_params pp = {
        .zs = p->zs,
        .store_bytes = p->verify,
        .max_objects = p->max_slots,
        .pages = p->pages,
        .pages_ctx = p->pages_ctx,
    };
    uint32_t b;

    pp.name = "zswap1";
    for (b = 0; b < z->nr_backends; b++) {
        int rc = p->knobs.zpool->create(&pp, &z->backend[b], err);

        if (rc)
            return rc;
    }
    return RF_OK;
}

int zswap_create(const struct zswap_params *p, struct zswap **out, struct rf_err *err) {
    struct zswap *z;
    int rc;

    if (!p->knobs.zpool || !p->max_slots || p->max_slots == RF_NONE ||
        p->policy.nr_backends > MAX_BACKENDS || p->knobs.max_pool_percent > 100 ||
        p->knobs.accept_threshold_percent > 100)
        return rf_fail(err, RF_EUSAGE,
                       "zswap: zpool %s, %u slots, %u backends, %u %% of RAM, accept at %u %%: "
                       "expected a zpool, 1 to 2^32-2 slots, at most %u backends, at most 100 %%",
                       p->knobs.zpool ? p->knobs.zpool->name : "none", p->max_slots,
                       p->policy.nr_backends, p->knobs.max_pool_percent,
                       p->knobs.accept_threshold_percent, MAX_BACKENDS);
    z = calloc(1, sizeof(*z));
    if (!z)
        return rf_fail(err, RF_ENOMEM, "zswap: no memory");
    z->policy = p->policy;
    z->cost = p->cost;
    z->knobs = p->knobs;
    z->ram_pages = p->ram_pages;
    z->max_slots = RF_MIN(p->max_slots, ENTRY_NONE); /* no entry can refer to more */
    z->content = p->content;
    z->host = p->host ? p->host : &no_host;
    z->host_ctx = p->host_ctx;
    z->accel = p->accel;
    z->verify = p->verify;
    z->nr_backends = p->policy.nr_backends ? p->policy.nr_backends : 1;
    if (!z->policy.walk_budget)
        z->policy.walk_budget = 1;
    if (!z->policy.retries)
        z->policy.retries = MAX_RECLAIM_RETRIES;
    z->header = p->knobs.zpool->evictable ? p->policy.header_bytes : 0;
    z->work.cursor = RF_NONE;
    for (uint32_t m = 0; m < ZSWAP_MAX_MEMCGS; m++)
        z->lru[m].oldest = z->lru[m].youngest = ENTRY_NONE;
    z->lock_handoff_ns = p->lock_handoff_ns;
    z->cache_line_ns = p->cache_line_ns;
    if (p->contention && !(z->locks = calloc(1, sizeof(*z->locks)))) {
        zswap_destroy(z);
        return rf_fail(err, RF_ENOMEM, "zswap: no memory");
    }
    rc = rf_varr_init(&z->v_entry, p->max_slots, sizeof(*z->entry), err);
    if (!rc && p->verify)
        rc = rf_varr_init(&z->v_content, p->max_slots, sizeof(*z->entry_content), err);
    if (!rc)
        rc = create_backends(z, p, err);
    if (rc) {
        zswap_destroy(z);
        return rc;
    }
    rf_varr_hint_dense(&z->v_entry); /* so are slot ids */
    z->entry = z->v_entry.base;
    z->entry_content = z->v_content.base;
    *out = z;
    return RF_OK;
}

void zswap_destroy(struct zswap *z) {
    uint32_t b;

    if (!z)
        return;
    for (b = 0; b < z->nr_backends; b++)
        if (z->backend[b])
            z->backend[b]->ops->destroy(z->backend[b]);
    zswap_locks_free(z);
    rf_varr_free(&z->v_entry);
    rf_varr_free(&z->v_content);
    free(z);
}

void zswap_refresh(struct zswap *z, uint32_t b) {
    uint64_t now = z->backend[b]->ops->total_pages(z->backend[b]);

    z->live_pages += now - z->known[b];
    z->known[b] = now;
}

void zswap_recount(struct zswap *z) {
    z->counted_pages = z->live_pages;
}

uint64_t zswap_total_pages(const struct zswap *z) {
    return z->policy.limits_nonstrict ? z->live_pages : z->counted_pages;
}

void zswap_entry_free(struct zswap *z, struct sim_cpu *cpu, uint32_t slot) {
    struct zswap_entry *e = &z->entry[slot];

    if (e->flags & ENTRY_ON_LRU) {
        zswap_lru_hold(z, cpu, e->memcg, true);
        zswap_lru_del(z, slot);
    }
    if (e->flags & ENTRY_SAME) {
        z->c.same_filled_pages--;
    } else {
        uint32_t b = backend_of(z, slot);

        zswap_map_hold(z, cpu, slot);
        zswap_pool_hold(z, cpu, slot, e->handle);
        z->backend[b]->ops->free(z->backend[b], e->handle);
        zswap_refresh(z, b);
    }
    if (e->flags & ENTRY_RAW)
        z->c.stored_incompressible_pages--;
    if (z->policy.memcg_zswap && z->host->uncharge)
        z->host->uncharge(z->host_ctx, e->memcg, e->length);
    z->stored_bytes -= e->length;
    z->c.stored_pages--;
    e->flags = 0;
    zswap_recount(z);
}

bool zswap_has(const struct zswap *z, uint32_t slot) {
    return entry_live(z, slot);
}

void zswap_invalidate(struct zswap *z, struct sim_cpu *cpu, uint32_t slot) {
    if (!entry_live(z, slot))
        return;
    sim_charge(cpu, z->cost.invalidate_ns);
    zswap_tree_hold(z, cpu, slot, 1);
    zswap_entry_free(z, cpu, slot);
    z->c.x_invalidated++;
}

const struct zswap_counters *zswap_counters(const struct zswap *z) {
    return &z->c;
}

uint64_t zswap_verified(const struct zswap *z) {
    return z->verified;
}

int zswap_verify_status(const struct zswap *z, struct rf_err *err) {
    if (z->verify_err.code)
        return rf_fail(err, z->verify_err.code, "%s", z->verify_err.msg);
    return RF_OK;
}

uint64_t zswap_nr_entries(const struct zswap *z) {
    return z->c.stored_pages;
}

uint64_t zswap_stored_bytes(const struct zswap *z) {
    return z->stored_bytes;
}

const struct zpool *zswap_pool(const struct zswap *z) {
    return z->backend[0];
}

void zswap_prefetch(const struct zswap *z, uint32_t slot) {
    if (slot < z->seen)
        RF_PREFETCH(&z->entry[slot]);
}

void zswap_prefetch_object(const struct zswap *z, uint32_t slot, bool links) {
    const struct zpool *p = z->backend[backend_of(z, slot)];

    if (!entry_live(z, slot) || (z->entry[slot].flags & ENTRY_SAME))
        return;
    if (p->ops->prefetch)
        p->ops->prefetch(p, z->entry[slot].handle, links);
    if (!links && (z->entry[slot].flags & ENTRY_ON_LRU)) {
        if (z->entry[slot].prev != ENTRY_NONE)
            RF_PREFETCH(&z->entry[z->entry[slot].prev]);
        if (z->entry[slot].next != ENTRY_NONE)
            RF_PREFETCH(&z->entry[z->entry[slot].next]);
    }
}
