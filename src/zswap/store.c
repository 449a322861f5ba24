/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores. The order of the tests, and which refusal the kernel counts, follow mm/zswap.c of 6.1 and
 * 6.12; what it does not count has an x_ counter.
 */
#include "zswap_internal.h"

/* The compressor's verdict on a page, as the kernel would see its return code. */
enum comp_error { COMP_OK, COMP_ENOSPC, COMP_EINVAL };

/* zswap tells the compressor that it has one page of room. The lzo wrappers used to write past it
 * and find out afterwards (crypto/lzo.c, crypto/scompress.c), the others fail by themselves. */
static enum comp_error compress_page(struct zswap *z, struct sim_cpu *cpu, uint32_t content,
                                     uint32_t *len) {
    enum codec_id codec = z->knobs.compressor;

    *len = content_size(z->content, content, codec);
    zswap_charge_compress(z, cpu, *len);
    if (*len <= RF_PAGE_SIZE)
        return COMP_OK;
    if ((codec == CODEC_LZO || codec == CODEC_LZO_RLE) && !z->policy.lzo_checks_room)
        return COMP_ENOSPC;
    return COMP_EINVAL;
}

static void count_compress_error(struct zswap *z, enum comp_error e) {
    z->c.x_reject_compress++;
    if (e == COMP_ENOSPC && z->policy.enospc_is_poor)
        z->c.reject_compress_poor++;
    else if (z->policy.count_compress_fail)
        z->c.reject_compress_fail++;
}

/* Length and flags of the entry to make; false if the page is refused (counted). */
static bool entry_shape(struct zswap *z, struct sim_cpu *cpu, uint32_t memcg, uint32_t content,
                        uint32_t *len, uint8_t *flags) {
    enum comp_error e;

    *flags = 0;
    if (z->policy.same_filled && z->knobs.same_filled_pages_enabled) {
        sim_charge(cpu, z->cost.same_filled_ns);
        if (content_same_filled(z->content, content, NULL)) {
            *len = 0;
            *flags = ENTRY_SAME;
            return true;
        }
    }
    if (z->policy.same_filled && !z->knobs.non_same_filled_pages_enabled) {
        z->c.x_reject_unsame++;
        return false;
    }
    e = compress_page(z, cpu, content, len);
    if (z->policy.raw_store && (e != COMP_OK || *len >= RF_PAGE_SIZE)) {
        if (!zswap_writeback_allowed(z, memcg)) {
            count_compress_error(z, e == COMP_OK ? COMP_EINVAL : e);
            return false;
        }
        *len = RF_PAGE_SIZE;
        *flags = ENTRY_RAW;
        return true;
    }
    if (e != COMP_OK) {
        count_compress_error(z, e);
        return false;
    }
    return true;
}

/* An object for the entry; false if the backend refuses (counted). */
static bool entry_object(struct zswap *z, uint32_t slot, uint32_t len, uint32_t *handle) {
    uint32_t b = backend_of(z, slot);
    enum zpool_error e = z->backend[b]->ops->malloc(z->backend[b], len + z->header, slot, handle);

    if (e == ZPOOL_OK) {
        zswap_refresh(z, b);
        return true;
    }
    if (e == ZPOOL_ENOSPC) {
        z->c.reject_compress_poor++;
        z->c.x_reject_poor++;
    } else {
        z->c.reject_alloc_fail++;
        z->c.x_reject_alloc++;
    }
    return false;
}

/*
 * One page past all limit tests: compress, allocate, insert. `lock` is false where a whole folio
 * takes the tree lock once.
 */
static bool store_page(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t memcg,
                       uint32_t content, bool lock) {
    struct zswap_entry *e = &z->entry[slot];
    uint32_t len, handle = RF_NONE;
    uint8_t flags;

    sim_charge(cpu, z->cost.store_ns);
    if (!entry_shape(z, cpu, memcg, content, &len, &flags))
        return false;
    if (!(flags & ENTRY_SAME) && !entry_object(z, slot, len, &handle))
        return false;
    if (lock)
        zswap_tree_hold(z, cpu, slot, 1);
    if (entry_live(z, slot)) {
        zswap_entry_free(z, slot);
        z->c.x_replaced++;
    }
    if (slot >= z->seen)
        z->seen = slot + 1;
    e->handle = handle;
    e->length = (uint16_t)len;
    e->memcg = (uint8_t)memcg;
    e->flags = flags | ENTRY_LIVE;
    if (z->policy.memcg_zswap && z->host->charge)
        z->host->charge(z->host_ctx, cpu, memcg, len);
    if (z->policy.entry_lru && !(flags & ENTRY_SAME)) {
        if (z->policy.protect == ZSWAP_PROTECT_SECOND_CHANCE)
            e->flags |= ENTRY_REFERENCED;
        zswap_lru_add(z, slot);
        zswap_protect(z, zswap_lru_of(z, memcg), true);
    }
    zswap_verify_write(z, slot, content);
    if (flags & ENTRY_SAME)
        z->c.same_filled_pages++;
    if (flags & ENTRY_RAW)
        z->c.stored_incompressible_pages++;
    z->c.stored_pages++;
    z->stored_bytes += len;
    z->c.x_stores++;
    zswap_recount(z);
    return true;
}

/* To 5.5: the storing task itself evicts one backend page. Returns whether to go on. */
static bool limit_sync(struct zswap *z, struct sim_cpu *cpu) {
    if (!zswap_is_full(z))
        return true;
    z->c.pool_limit_hit++;
    if (zswap_shrink_one(z, cpu) != ZPOOL_OK) {
        z->c.reject_reclaim_fail++;
        z->c.x_reject_reclaim++;
        return false;
    }
    if (zswap_is_full(z)) {
        z->c.x_reject_stillfull++;
        return false;
    }
    return true;
}

/* 5.6 - 6.9: full sets the flag and queues the worker; only below the threshold is it cleared. */
static bool limit_strict(struct zswap *z, struct sim_cpu *cpu) {
    if (zswap_is_full(z)) {
        z->c.pool_limit_hit++;
        z->reached_full = true;
        z->c.x_reject_full++;
        zswap_queue_work(z, cpu);
        return false;
    }
    if (z->reached_full) {
        if (!zswap_can_accept(z)) {
            z->c.x_reject_hysteresis++;
            if (z->policy.queue_on_refusal)
                zswap_queue_work(z, cpu);
            return false;
        }
        z->reached_full = false;
    }
    return true;
}

/* 6.10+: the flag follows the pool at every store. */
static bool limit_nonstrict(struct zswap *z) {
    if (zswap_is_full(z)) {
        z->c.pool_limit_hit++;
        z->reached_full = true;
        z->c.x_reject_full++;
        return false;
    }
    if (z->reached_full && zswap_can_accept(z))
        z->reached_full = false;
    if (z->reached_full)
        z->c.x_reject_hysteresis++;
    return !z->reached_full;
}

static bool may_store(struct zswap *z, struct sim_cpu *cpu, uint32_t memcg) {
    if (z->policy.memcg_zswap && z->host->may_store && !z->host->may_store(z->host_ctx, memcg) &&
        (!z->policy.memcg_shrink_on_max || zswap_shrink_memcg(z, cpu, memcg) != SHRUNK)) {
        z->c.x_reject_memcg++;
        return false;
    }
    if (!z->policy.hysteresis || z->policy.shrink_mode == ZSWAP_SHRINK_SYNC)
        return limit_sync(z, cpu);
    return z->policy.limits_nonstrict ? limit_nonstrict(z) : limit_strict(z, cpu);
}

/* Old entries go before anything is tested where frontswap or an early lookup drops them. */
static void drop_old(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t nr) {
    uint32_t i;

    if (z->policy.replace_late)
        return;
    for (i = 0; i < nr; i++) {
        if (!entry_live(z, slot + i))
            continue;
        zswap_tree_hold(z, cpu, slot + i, 1);
        zswap_entry_free(z, slot + i);
        z->c.x_replaced++;
        if (z->policy.count_duplicate)
            z->c.duplicate_entry++;
    }
}

/* After a refusal: wake the worker while the pool is held to be full, erase stale data (6.8+). */
static void refused(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t nr,
                    bool disabled) {
    uint32_t i;

    if (!disabled && z->policy.shrink_mode == ZSWAP_SHRINK_MEMCG && z->reached_full)
        zswap_queue_work(z, cpu);
    if (!z->policy.erase_on_refuse)
        return;
    for (i = 0; i < nr; i++) {
        if (!entry_live(z, slot + i))
            continue;
        zswap_tree_hold(z, cpu, slot + i, 1);
        zswap_entry_free(z, slot + i);
        z->c.x_erased_on_refuse++;
    }
}

bool zswap_store(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t memcg,
                 uint32_t content) {
    return zswap_store_large(z, cpu, slot, 1, memcg, &content);
}

/* Pages are stored until one is refused, which takes those before it along. */
static bool store_folio(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t nr,
                        uint32_t memcg, const uint32_t *content) {
    bool unit = nr > 1 && z->policy.thp_store;
    uint32_t done, i;

    for (done = 0; done < nr; done++)
        if (!store_page(z, cpu, slot + done, memcg, content[done], !unit))
            break;
    if (done == nr) {
        if (unit)
            zswap_tree_hold(z, cpu, slot, nr);
        return true;
    }
    z->c.x_reject_folio += nr - 1;
    for (i = 0; i < done; i++) {
        zswap_entry_free(z, slot + i);
        z->c.x_undone++;
    }
    return false;
}

bool zswap_store_large(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t nr,
                       uint32_t memcg, const uint32_t *content) {
    z->c.x_attempts += nr;
    drop_old(z, cpu, slot, nr);
    if (nr > 1 && !z->policy.large_store && !z->policy.thp_store) {
        z->c.x_reject_large += nr;
        refused(z, cpu, slot, nr, true);
        return false;
    }
    if (!z->knobs.enabled || slot >= z->max_slots || nr > z->max_slots - slot) {
        z->c.x_reject_disabled += nr;
        refused(z, cpu, slot, nr, true);
        return false;
    }
    if (!may_store(z, cpu, memcg)) {
        z->c.x_reject_folio += nr - 1;
        refused(z, cpu, slot, nr, false);
        return false;
    }
    if (!store_folio(z, cpu, slot, nr, memcg, content)) {
        refused(z, cpu, slot, nr, false);
        return false;
    }
    if (z->policy.count_vm && z->host->count_vm)
        z->host->count_vm(z->host_ctx, memcg, ZSWAP_VM_OUT, nr);
    return true;
}
