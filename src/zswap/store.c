/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores. The order of the tests, and which refusal the kernel counts, follow mm/zswap.c of 6.1 and
 * 6.12; what it does not count has an x_ counter.
 */
#include "zswap_internal.h"

/* The compressor's verdict on a page, as the kernel would see its return code. */
enum comp_error { COMP_OK, COMP_ENOSPC, COMP_EINVAL };

#define MAX_BATCH ACCEL_MAX_BATCH
/* Pages taken together where the CPU compresses them one by one: ZSWAP_MAX_BATCH_SIZE of "zswap
 * compression batching with optimized iaa_crypto driver". */
#define SOFTWARE_BATCH 8u

/* A page past all limit tests. */
struct store_page {
    uint32_t folio, index; /* of the folio in the call, of the page in the folio */
    uint32_t len;
    uint8_t flags; /* ENTRY_ */
    bool refused;
    uint8_t job;
};

struct store_batch {
    struct zswap_folio *folio;
    struct store_page page[MAX_BATCH];
    struct accel_job job[MAX_BATCH];
    uint32_t nr, nr_jobs;
};

/* zswap tells the compressor that it has one page of room. The lzo wrappers used to write past it
 * and find out afterwards (crypto/lzo.c, crypto/scompress.c), the others fail by themselves. */
static enum comp_error verdict(const struct zswap *z, const struct accel_job *job) {
    enum codec_id codec = z->knobs.compressor;

    if (job->status == ACCEL_EAGAIN || job->status == ACCEL_EINVAL ||
        job->status == ACCEL_EOVERFLOW)
        return COMP_EINVAL;
    if (job->len <= RF_PAGE_SIZE)
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

/* What comes before the compressor: same-filled pages, and the refusal of others. */
static void before_compressor(struct zswap *z, struct sim_cpu *cpu, uint32_t content,
                              struct store_page *p) {
    if (z->policy.same_filled && z->knobs.same_filled_pages_enabled) {
        sim_charge(cpu, z->cost.same_filled_ns);
        if (content_same_filled(z->content, content, NULL)) {
            p->flags = ENTRY_SAME;
            return;
        }
    }
    if (z->policy.same_filled && !z->knobs.non_same_filled_pages_enabled) {
        z->c.x_reject_unsame++;
        p->refused = true;
    }
}

/* What the compressor's result makes of the page; false if it is refused (counted). */
static bool after_compressor(struct zswap *z, uint32_t memcg, const struct accel_job *job,
                             struct store_page *p) {
    enum comp_error e = verdict(z, job);

    p->len = job->len;
    if (z->policy.raw_store && (e != COMP_OK || p->len >= RF_PAGE_SIZE)) {
        if (!zswap_writeback_allowed(z, memcg)) {
            count_compress_error(z, e == COMP_OK ? COMP_EINVAL : e);
            return false;
        }
        p->len = RF_PAGE_SIZE;
        p->flags = ENTRY_RAW;
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

/* Allocates and inserts. `lock` is false where a whole folio takes the tree lock once. */
static bool insert_page(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t memcg,
                        uint32_t content, const struct store_page *p, bool lock) {
    struct zswap_entry *e = &z->entry[slot];
    uint32_t handle = RF_NONE;

    if (!(p->flags & ENTRY_SAME) && !entry_object(z, slot, p->len, &handle))
        return false;
    if (handle != RF_NONE) {
        zswap_pool_hold(z, cpu, slot, handle);
        zswap_map_hold(z, cpu, slot);
    }
    if (lock)
        zswap_tree_hold(z, cpu, slot, 1);
    if (entry_live(z, slot)) {
        zswap_entry_free(z, cpu, slot);
        z->c.x_replaced++;
    }
    if (slot >= z->seen)
        z->seen = slot + 1;
    e->handle = handle;
    e->length = p->len & 0x1fff;
    e->memcg = memcg & 0x0f;
    e->flags = (p->flags | ENTRY_LIVE) & ENTRY_MASK;
    if (z->policy.memcg_zswap && z->host->charge)
        z->host->charge(z->host_ctx, cpu, memcg, p->len);
    if (z->policy.entry_lru && !(p->flags & ENTRY_SAME)) {
        if (z->policy.protect == ZSWAP_PROTECT_SECOND_CHANCE)
            e->flags |= ENTRY_REFERENCED;
        zswap_lru_hold(z, cpu, memcg, false);
        zswap_lru_add(z, slot);
        zswap_protect(z, zswap_lru_of(z, memcg), true);
    }
    zswap_verify_write(z, slot, content);
    if (p->flags & ENTRY_SAME)
        z->c.same_filled_pages++;
    if (p->flags & ENTRY_RAW)
        z->c.stored_incompressible_pages++;
    z->c.stored_pages++;
    z->stored_bytes += p->len;
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

/* Frees what the slots have stored; how many entries that was. */
static uint32_t free_entries(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t nr) {
    uint32_t freed = 0;

    for (uint32_t i = 0; i < nr; i++) {
        if (!entry_live(z, slot + i))
            continue;
        zswap_tree_hold(z, cpu, slot + i, 1);
        zswap_entry_free(z, cpu, slot + i);
        freed++;
    }
    return freed;
}

/* Old entries go before anything is tested where frontswap or an early lookup drops them. */
static void drop_old(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t nr) {
    if (z->policy.replace_late)
        return;
    uint32_t freed = free_entries(z, cpu, slot, nr);
    z->c.x_replaced += freed;
    if (z->policy.count_duplicate)
        z->c.duplicate_entry += freed;
}

/* After a refusal: wake the worker while the pool is held to be full, erase stale data (6.8+). */
static void refused(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t nr,
                    bool disabled) {
    if (!disabled && z->policy.shrink_mode == ZSWAP_SHRINK_MEMCG && z->reached_full)
        zswap_queue_work(z, cpu);
    if (z->policy.erase_on_refuse)
        z->c.x_erased_on_refuse += free_entries(z, cpu, slot, nr);
}

bool zswap_store(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t memcg,
                 uint32_t content) {
    return zswap_store_large(z, cpu, slot, 1, memcg, &content);
}

/* A page of the folio was refused: those stored before it go, those after it are not looked at. */
static void undo(struct zswap *z, struct sim_cpu *cpu, struct zswap_folio *f, uint32_t done) {
    f->stored = false;
    z->c.x_reject_folio += f->nr - 1;
    for (uint32_t i = 0; i < done; i++) {
        zswap_entry_free(z, cpu, f->slot + i);
        z->c.x_undone++;
    }
}

/* Compresses and inserts what has been collected. */
static void flush(struct zswap *z, struct sim_cpu *cpu, struct store_batch *b) {
    uint32_t nr = b->nr;

    b->nr = 0;
    if (b->nr_jobs)
        zswap_run_jobs(z, cpu, b->job, b->nr_jobs);
    b->nr_jobs = 0;
    for (uint32_t i = 0; i < nr; i++) {
        struct store_page *p = &b->page[i];
        struct zswap_folio *f = &b->folio[p->folio];
        uint32_t slot = f->slot + p->index;
        bool unit = f->nr > 1 && z->policy.thp_store;

        if (!f->stored)
            continue;
        if (p->refused ||
            (!(p->flags & ENTRY_SAME) && !after_compressor(z, f->memcg, &b->job[p->job], p)) ||
            !insert_page(z, cpu, slot, f->memcg, f->content[p->index], p, !unit)) {
            undo(z, cpu, f, p->index);
            continue;
        }
        if (unit && p->index + 1 == f->nr)
            zswap_tree_hold(z, cpu, f->slot, f->nr);
    }
}

/* CPU time of a store outside the codec: through the interface for software or past it. */
static uint64_t store_ns(const struct zswap *z, bool further) {
    if (accel_offloads(z->accel, ACCEL_COMPRESS))
        return accel_store_ns(z->accel, further);
    return further ? z->cost.store_next_ns : z->cost.store_ns;
}

static void collect(struct zswap *z, struct sim_cpu *cpu, struct store_batch *b, uint32_t folio,
                    uint32_t index) {
    struct store_page *p = &b->page[b->nr++];
    uint32_t content = b->folio[folio].content[index];

    *p = (struct store_page){.folio = folio, .index = index};
    sim_charge(cpu, store_ns(z, b->nr > 1));
    before_compressor(z, cpu, content, p);
    if (p->refused || (p->flags & ENTRY_SAME))
        return;
    p->job = (uint8_t)b->nr_jobs;
    b->job[b->nr_jobs++] =
        zswap_compress_job(z, content_size(z->content, content, z->knobs.compressor));
}

/* The tests that a folio as a whole must pass; refusals are counted. */
static bool folio_passes(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t nr,
                         uint32_t memcg) {
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
    return true;
}

void zswap_store_folios(struct zswap *z, struct sim_cpu *cpu, struct zswap_folio *folio,
                        uint32_t nr) {
    struct store_batch b = {.folio = folio, .nr = 0, .nr_jobs = 0};
    uint32_t size = !z->policy.store_batch                     ? 1
                    : accel_offloads(z->accel, ACCEL_COMPRESS) ? accel_batch(z->accel)
                                                               : SOFTWARE_BATCH;

    for (uint32_t k = 0; k < nr; k++) {
        struct zswap_folio *f = &folio[k];

        f->passed = f->stored = folio_passes(z, cpu, f->slot, f->nr, f->memcg);
        for (uint32_t i = 0; f->stored && i < f->nr; i++) {
            collect(z, cpu, &b, k, i);
            if (b.nr == size)
                flush(z, cpu, &b);
        }
    }
    flush(z, cpu, &b);
    for (uint32_t k = 0; k < nr; k++) {
        struct zswap_folio *f = &folio[k];

        if (f->passed && !f->stored)
            refused(z, cpu, f->slot, f->nr, false);
        else if (f->stored && z->policy.count_vm && z->host->count_vm)
            z->host->count_vm(z->host_ctx, f->memcg, ZSWAP_VM_OUT, f->nr);
    }
}

bool zswap_store_large(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t nr,
                       uint32_t memcg, const uint32_t *content) {
    struct zswap_folio f = {.slot = slot, .nr = nr, .memcg = memcg, .content = content};

    zswap_store_folios(z, cpu, &f, 1);
    return f.stored;
}
