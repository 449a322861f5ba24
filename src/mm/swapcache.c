/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The swap cache and swap I/O: which folio stands for a slot, and where its data goes or comes from
 * (zero map, zswap, zram, block device). Facts: mm/swap_state.c, mm/swapfile.c, mm/page_io.c of
 * 6.1 and 6.12.
 */
#include "contention.h"
#include "mm_internal.h"
#include "reclaim.h"
#include "rmap.h"
#include "swapcache.h"

uint32_t swapcache_lookup(const struct mm *mm, uint32_t slot) {
    return (mm->swap->meta[slot].flags & SLOT_FOLIO) ? mm->swap->word[slot] : RF_NONE;
}

static void set_folio(struct mm *mm, uint32_t slot, uint32_t folio) {
    struct swap_slot_meta *m = &mm->swap->meta[slot];
    m->flags = (uint8_t)((m->flags & ~SLOT_SHADOW) | SLOT_FOLIO);
    mm->swap->word[slot] = folio;
}

bool folio_add_to_swap(struct mm *mm, struct sim_cpu *cpu, uint32_t folio) {
    struct folio *f = &mm->folio[folio];
    uint32_t memcg = folio_memcg(f), nr = folio_nr(f);
    bool refilled = false;
    uint32_t slot = folio_order(f) ? swap_slots_alloc_large(mm->swap, cpu->id, folio_order(f))
                                   : swap_slot_alloc(mm->swap, cpu->id, &refilled);

    if (refilled || nr > 1)
        mm_lock(mm, cpu, &mm->swap_lock, mm->p.cost.swap_lock_ns);
    if (slot == SWAP_NO_SLOT) {
        mm->x_swap_full_fail++;
        return false;
    }
    for (uint32_t i = 0; i < nr; i++)
        set_slot_memcg(mm, slot + i, mm->p.knobs.cgroup_v1 ? ROOT_MEMCG : memcg);
    if (!memcg_charge_swap(mm, memcg, nr)) {
        /* The freed slot gives back the charge of its memcg: the root is not limited. */
        for (uint32_t i = 0; i < nr; i++) {
            set_slot_memcg(mm, slot + i, ROOT_MEMCG);
            mm->memcg[ROOT_MEMCG].swap_usage++;
            swapcache_free(mm->swap, cpu->id, slot + i);
        }
        return false;
    }
    for (uint32_t i = 0; i < nr; i++)
        set_folio(mm, slot + i, folio);
    folio_set_slot(mm, f, slot);
    f->flags |= FOLIO_SWAPCACHE | FOLIO_DIRTY;
    memcg_stat_updated(mm, nr); /* swapcached */
    sim_charge(cpu, (nr == 1 ? mm->p.cost.swapout_ns : mm->p.cost.swapout_large_ns) * nr);
    return true;
}

void swapcache_delete(struct mm *mm, struct sim_cpu *cpu, uint32_t folio, bool shadow,
                      uint32_t shadow_word) {
    struct folio *f = &mm->folio[folio];
    uint32_t slot = folio_slot(mm, f), nr = folio_nr(f);

    f->flags &= (uint16_t)~FOLIO_SWAPCACHE;
    memcg_stat_updated(mm, nr);
    for (uint32_t i = 0; i < nr; i++) {
        struct swap_slot_meta *m = &mm->swap->meta[slot + i];
        m->flags &= (uint8_t)~SLOT_FOLIO;
        if (shadow) {
            m->flags |= SLOT_SHADOW;
            mm->swap->word[slot + i] = shadow_word;
        }
        if (RF_UNLIKELY(mm->p.knobs.cgroup_v1) && swap_count(mm->swap, slot + i))
            memcg_v1_swapout(mm, slot + i, folio_memcg(f));
        swapcache_free(mm->swap, cpu->id, slot + i);
    }
}

static bool slots_unused(const struct mm *mm, const struct folio *f) {
    for (uint32_t i = 0; i < folio_nr(f); i++)
        if (swap_count(mm->swap, folio_slot(mm, f) + i))
            return false;
    return true;
}

bool folio_free_swap(struct mm *mm, struct sim_cpu *cpu, uint32_t folio) {
    struct folio *f = &mm->folio[folio];

    if (!(f->flags & FOLIO_SWAPCACHE) || (f->flags & (FOLIO_WRITEBACK | FOLIO_LOCKED)))
        return false;
    if (!slots_unused(mm, f))
        return false;
    swapcache_delete(mm, cpu, folio, false, 0);
    f->flags |= FOLIO_DIRTY;
    return true;
}

void folio_free_if_idle(struct mm *mm, struct sim_cpu *cpu, uint32_t folio) {
    struct folio *f = &mm->folio[folio];

    if (f->mapcount || (f->flags & FOLIO_ISOLATED))
        return;
    if ((f->flags & FOLIO_SWAPCACHE) && !folio_free_swap(mm, cpu, folio))
        return;
    if (f->flags & (FOLIO_IN_BATCH | FOLIO_IN_ROTATE))
        folio_forget_batches(mm, folio);
    if (f->flags & FOLIO_LRU) {
        folio_lru_remove(mm, folio);
        memcg_stat_updated(mm, folio_nr(f));
    }
    folio_free(mm, folio);
}

/* ---- what a freed slot takes with it ---- */

static void slot_returned(void *ctx, uint32_t slot) {
    struct mm *mm = ctx;
    if (mm->zswap && !mm->p.zswap_invalidate_late)
        zswap_invalidate(mm->zswap, mm->cur, slot);
}

static void slot_freed(void *ctx, uint32_t slot) {
    struct mm *mm = ctx;
    struct swap_slot_meta *m = &mm->swap->meta[slot];

    if (mm->zswap && mm->p.zswap_invalidate_late)
        zswap_invalidate(mm->zswap, mm->cur, slot);
    if (mm->zram)
        zram_slot_free_notify(mm->zram, mm->cur, (uint32_t)swap_slot_offset(mm->swap, slot));
    memcg_v1_swapin(mm, slot);
    memcg_uncharge_swap(mm, slot_memcg(mm, slot), 1);
    m->flags = 0;
}

static bool reclaim_cached(void *ctx, uint32_t slot) {
    struct mm *mm = ctx;
    uint32_t folio = swapcache_lookup(mm, slot);

    if (folio == RF_NONE || (mm->folio[folio].flags & FOLIO_ISOLATED))
        return false;
    if (mm->folio[folio].mapcount)
        return folio_free_swap(mm, mm->cur, folio);
    folio_free_if_idle(mm, mm->cur, folio);
    return !(mm->swap->meta[slot].flags & SLOT_FOLIO);
}

const struct swap_ops mm_swap_ops = {
    .slot_returned = slot_returned,
    .slot_freed = slot_freed,
    .reclaim_cached = reclaim_cached,
};

/* ---- I/O ---- */

void mm_end_io(void *ctx, uint32_t folio, enum blk_op op, rf_time when) {
    struct mm *mm = ctx;
    struct folio *f = &mm->folio[folio];

    if (op == BLK_READ) {
        f->flags &= (uint16_t)~FOLIO_LOCKED;
    } else {
        f->flags &= (uint16_t) ~(FOLIO_WRITEBACK | FOLIO_STABLE_WB);
        memcg_stat_updated(mm, folio_nr(f)); /* file_writeback */
        if (f->flags & FOLIO_RECLAIM) {
            f->flags &= (uint16_t)~FOLIO_RECLAIM;
            folio_rotate_reclaimable(mm, mm->cur, folio);
        }
    }
    mm->wait->folio_ready(mm->wait_ctx, folio, when);
}

static void verify_fail(struct mm *mm, const char *where, uint32_t slot, uint32_t found,
                        uint32_t want) {
    if (mm->verify_err.code == RF_OK)
        rf_fail(&mm->verify_err, RF_ECHECK,
                "data loss: %s gave content %u for slot %u, the page that was swapped out there "
                "had content %u",
                where, found, slot, want);
}

static bool write_device(struct mm *mm, struct sim_cpu *cpu, uint32_t folio,
                         const uint32_t *content) {
    struct folio *f = &mm->folio[folio];
    uint32_t nr = folio_nr(f);
    uint64_t off = swap_slot_offset(mm->swap, folio_slot(mm, f));

    vm_count(mm, folio_memcg(f), VM_pswpout, nr);
    if (RF_UNLIKELY(nr > 1)) {
        if (nr == PMD_NR)
            vm_count(mm, folio_memcg(f), VM_thp_swpout, 1);
        mm->mthp[folio_order(f)][MTHP_SWPOUT]++;
    }
    memcg_stat_updated(mm, nr); /* file_writeback, here and at the end */
    if (mm->zram) {
        bool ok = true;
        memcg_stat_updated(mm, nr);
        for (uint32_t i = 0; i < nr; i++)
            ok &= zram_write(mm->zram, cpu, (uint32_t)off + i, content[i]);
        return ok;
    }
    if (blk_dev_ops(mm->blk)->synchronous)
        return blk_submit(mm->blk, cpu, BLK_WRITE, off, nr, folio) == 0;
    f->flags |= FOLIO_WRITEBACK | (mm->swap_stable ? FOLIO_STABLE_WB : 0);
    if (blk_submit(mm->blk, cpu, BLK_WRITE, off, nr, folio) != 0) {
        f->flags &= (uint16_t) ~(FOLIO_WRITEBACK | FOLIO_STABLE_WB);
        return false;
    }
    return true;
}

/* Marks the folio's slots in the zero map if all its pages are zero, else clears them there. */
static bool write_zeromap(struct mm *mm, struct sim_cpu *cpu, uint32_t folio,
                          const uint32_t *content) {
    const struct folio *f = &mm->folio[folio];
    struct swap_slot_meta *m = &mm->swap->meta[folio_slot(mm, f)];
    uint32_t nr = folio_nr(f), i = 0;

    while (i < nr && content_is_zero(mm->p.content, content[i]))
        i++;
    if (i < nr) {
        for (i = 0; i < nr; i++)
            m[i].flags &= (uint8_t)~SLOT_ZERO;
        return false;
    }
    sim_charge(cpu, mm->p.cost.zero_page_ns * nr);
    for (i = 0; i < nr; i++) {
        m[i].flags |= SLOT_ZERO;
        if (mm->zswap && zswap_has(mm->zswap, folio_slot(mm, f) + i))
            zswap_invalidate(mm->zswap, cpu, folio_slot(mm, f) + i);
    }
    vm_count(mm, folio_memcg(f), VM_swpout_zero, nr);
    return true;
}

/* What comes before zswap; true if the folio needs no more. */
static bool write_begins(struct mm *mm, struct sim_cpu *cpu, uint32_t folio,
                         const uint32_t *content) {
    const struct folio *f = &mm->folio[folio];

    for (uint32_t i = 0; mm->swap->owner && i < folio_nr(f); i++)
        mm->swap->owner[folio_slot(mm, f) + i] = content[i];
    return mm->swap->p.policy.zeromap && write_zeromap(mm, cpu, folio, content);
}

/* What comes after it; stored: zswap took the folio. */
static enum write_result write_ends(struct mm *mm, struct sim_cpu *cpu, uint32_t folio,
                                    const uint32_t *content, bool stored) {
    struct folio *f = &mm->folio[folio];

    if (stored) {
        if (folio_order(f))
            mm->mthp[folio_order(f)][MTHP_ZSWPOUT]++;
        return WRITE_CLEAN;
    }
    if (mm->zswap && mm->p.zswap_memcg_writeback &&
        !mm_zswap_ops.writeback_enabled(mm, folio_memcg(f)))
        return WRITE_ACTIVATE;
    if (!write_device(mm, cpu, folio, content))
        return WRITE_KEEP;
    return (f->flags & FOLIO_WRITEBACK) ? WRITE_ASYNC : WRITE_CLEAN;
}

static enum write_result write_folio(struct mm *mm, struct sim_cpu *cpu, uint32_t folio,
                                     const uint32_t *content) {
    const struct folio *f = &mm->folio[folio];

    if (write_begins(mm, cpu, folio, content))
        return WRITE_CLEAN;
    bool stored = mm->zswap && zswap_store_large(mm->zswap, cpu, folio_slot(mm, f), folio_nr(f),
                                                 folio_memcg(f), content);
    return write_ends(mm, cpu, folio, content, stored);
}

/* Separate from folio_writepage() for the sake of its large array. */
static enum write_result write_large(struct mm *mm, struct sim_cpu *cpu, uint32_t folio) {
    uint32_t content[PMD_NR];

    for (uint32_t i = 0; i < folio_nr(&mm->folio[folio]); i++)
        content[i] = large_content(mm, &mm->folio[folio], i);
    return write_folio(mm, cpu, folio, content);
}

enum write_result folio_writepage(struct mm *mm, struct sim_cpu *cpu, uint32_t folio) {
    const struct folio *f = &mm->folio[folio];

    if (slots_unused(mm, f)) {
        /* Its last user went away since: no need to write. */
        swapcache_delete(mm, cpu, folio, false, 0);
        return WRITE_CLEAN;
    }
    return folio_order(f) ? write_large(mm, cpu, folio) : write_folio(mm, cpu, folio, &f->owner);
}

void folio_writepages(struct mm *mm, struct sim_cpu *cpu, const uint32_t *folio, uint32_t nr,
                      enum write_result *result) {
    struct zswap_folio batch[SWAP_BATCH_MAX];
    uint32_t of[SWAP_BATCH_MAX], n = 0;
    uint32_t *content = mm->batch_content;

    for (uint32_t i = 0; i < nr; i++) {
        const struct folio *f = &mm->folio[folio[i]];

        result[i] = WRITE_CLEAN;
        if (slots_unused(mm, f)) {
            swapcache_delete(mm, cpu, folio[i], false, 0);
            continue;
        }
        content[0] = f->owner;
        for (uint32_t k = 0; folio_order(f) && k < folio_nr(f); k++)
            content[k] = large_content(mm, f, k);
        if (write_begins(mm, cpu, folio[i], content))
            continue;
        of[n] = i;
        batch[n++] = (struct zswap_folio){.slot = folio_slot(mm, f),
                                          .nr = folio_nr(f),
                                          .memcg = folio_memcg(f),
                                          .content = content};
        content += folio_nr(f);
    }
    zswap_store_folios(mm->zswap, cpu, batch, n);
    for (uint32_t k = 0; k < n; k++)
        result[of[k]] = write_ends(mm, cpu, folio[of[k]], batch[k].content, batch[k].stored);
}

uint8_t folio_read(struct mm *mm, struct sim_cpu *cpu, uint32_t folio, uint32_t slot,
                   uint32_t content, bool in_cache) {
    struct folio *f = &mm->folio[folio];
    uint32_t memcg = folio_memcg(f);
    rf_time t0 = cpu->now;

    if (mm->swap->owner && mm->swap->owner[slot] != content)
        verify_fail(mm, "the swap slot", slot, mm->swap->owner[slot], content);
    if (mm->swap->meta[slot].flags & SLOT_ZERO) {
        sim_charge(cpu, mm->p.cost.zero_page_ns);
        vm_count(mm, memcg, VM_swpin_zero, 1);
        return FK_ZERO;
    }
    if (mm->zswap) {
        bool dirty = false;
        if (zswap_load(mm->zswap, cpu, slot, in_cache, content, &dirty)) {
            if (dirty)
                f->flags |= FOLIO_DIRTY;
            mm->stall_ns[STALL_ZSWAP_LOAD] += cpu->now - t0;
            return FK_ZSWAP;
        }
        zswap_note_disk_swapin(mm->zswap, memcg);
    }
    vm_count(mm, memcg, VM_pswpin, 1);
    uint64_t off = swap_slot_offset(mm->swap, slot);
    if (mm->zram) {
        uint32_t got = CONTENT_ZERO;
        bool ok = zram_read(mm->zram, cpu, (uint32_t)off, &got);
        if (!ok || got != content)
            if (!(content_is_zero(mm->p.content, got) && content_is_zero(mm->p.content, content)))
                verify_fail(mm, "zram", slot, got, content);
        mm->stall_ns[STALL_ZRAM_LOAD] += cpu->now - t0;
        return FK_ZRAM;
    }
    if (!blk_dev_ops(mm->blk)->synchronous)
        f->flags |= FOLIO_LOCKED;
    if (blk_submit(mm->blk, cpu, BLK_READ, off, 1, folio) != 0) {
        f->flags &= (uint16_t)~FOLIO_LOCKED;
        if (mm->verify_err.code == RF_OK)
            rf_fail(&mm->verify_err, RF_ENOMEM, "no memory for a read request");
    }
    if (blk_dev_ops(mm->blk)->synchronous)
        mm->stall_ns[STALL_SWAP_READ] += cpu->now - t0;
    return FK_DEVICE;
}

/*
 * A new folio in the swap cache for slot, charged, on its way to the LRU. The caller reads into it.
 * Charging may reclaim, and reclaim may put the slot's page into the cache (zswap writeback): then
 * *out is that folio and *raced is set.
 */
static enum charge_result new_cached(struct mm *mm, struct sim_cpu *cpu, uint32_t slot,
                                     uint32_t content, struct fault_ctx *ctx, uint32_t *out,
                                     bool *raced) {
    uint32_t memcg = slot_memcg(mm, slot);
    struct swap_slot_meta *m = &mm->swap->meta[slot];

    *raced = false;
    *out = RF_NONE;
    if (!frames_available(mm, cpu, 1))
        return CHARGE_OOM;
    enum charge_result r = memcg_charge(mm, cpu, memcg, 1, ctx);
    if (r != CHARGE_OK)
        return r;
    *out = swapcache_lookup(mm, slot);
    if (*out != RF_NONE) {
        memcg_uncharge(mm, memcg, 1);
        *raced = true;
        return CHARGE_OK;
    }
    uint32_t id = folio_alloc(mm, memcg);
    if (id == RF_NONE) {
        memcg_uncharge(mm, memcg, 1);
        return CHARGE_OOM;
    }
    struct folio *f = &mm->folio[id];
    sim_charge(cpu, mm->p.cost.swapin_page_ns);
    (void)swapcache_prepare(mm->swap, slot);
    bool had_shadow = m->flags & SLOT_SHADOW;
    uint32_t shadow = mm->swap->word[slot];
    memcg_v1_swapin(mm, slot);
    set_folio(mm, slot, id);
    folio_set_slot(mm, f, slot);
    f->owner = content;
    f->flags |= FOLIO_SWAPCACHE;
    memcg_stat_updated(mm, 1); /* swapcached */
    if (!mm->p.reclaim.anon_inactive_first)
        f->flags |= FOLIO_ACTIVE;
    if (had_shadow)
        workingset_refault(mm, f, shadow);
    folio_add_lru(mm, cpu, id);
    *out = id;
    return CHARGE_OK;
}

enum charge_result swapin_begin(struct mm *mm, struct sim_cpu *cpu, uint32_t slot, uint32_t content,
                                struct fault_ctx *ctx, uint32_t *out, bool *allocated) {
    bool raced;

    *allocated = false;
    *out = swapcache_lookup(mm, slot);
    if (*out != RF_NONE || swap_count(mm->swap, slot) == 0)
        return CHARGE_OK;
    enum charge_result r = new_cached(mm, cpu, slot, content, ctx, out, &raced);
    if (r != CHARGE_OK || raced)
        return r;
    *allocated = true;
    mm->folio[*out].flags |= FOLIO_LOCKED;
    return CHARGE_OK;
}

enum charge_result swapin_async(struct mm *mm, struct sim_cpu *cpu, uint32_t slot, uint32_t content,
                                struct fault_ctx *ctx, uint32_t *out, bool *allocated,
                                uint8_t *kind) {
    enum charge_result r = swapin_begin(mm, cpu, slot, content, ctx, out, allocated);

    if (r != CHARGE_OK || !*allocated)
        return r;
    mm->folio[*out].flags &= (uint16_t)~FOLIO_LOCKED;
    *kind = folio_read(mm, cpu, *out, slot, content, true);
    return CHARGE_OK;
}

/* ---- what zswap asks of us ---- */

static int wb_begin(void *host, struct sim_cpu *cpu, uint32_t slot, uint32_t *folio) {
    struct mm *mm = host;

    mm_interrupts(mm, cpu);
    if (swapcache_lookup(mm, slot) != RF_NONE)
        return -2;
    if (swap_count(mm->swap, slot) == 0)
        return -1;
    bool raced;
    if (new_cached(mm, cpu, slot, mm->swap->owner ? mm->swap->owner[slot] : CONTENT_ZERO, NULL,
                   folio, &raced) != CHARGE_OK)
        return -1;
    if (raced)
        return -2;
    /* Charging may have reclaimed and freed the entry; the caller re-checks. */
    mm->folio[*folio].flags |= FOLIO_LOCKED;
    return 0;
}

static void wb_abort(void *host, struct sim_cpu *cpu, uint32_t slot, uint32_t folio) {
    struct mm *mm = host;
    struct folio *f = &mm->folio[folio];

    (void)slot;
    f->flags &= (uint16_t)~FOLIO_LOCKED;
    swapcache_delete(mm, cpu, folio, false, 0);
    folio_free_if_idle(mm, cpu, folio);
}

static void wb_submit(void *host, struct sim_cpu *cpu, uint32_t slot, uint32_t folio) {
    struct mm *mm = host;
    struct folio *f = &mm->folio[folio];

    (void)slot;
    f->flags = (uint16_t)((f->flags & ~FOLIO_LOCKED) | FOLIO_RECLAIM);
    if (!write_device(mm, cpu, folio, &f->owner))
        f->flags |= FOLIO_DIRTY;
    if (!(f->flags & FOLIO_WRITEBACK)) {
        f->flags &= (uint16_t)~FOLIO_RECLAIM;
        folio_rotate_reclaimable(mm, cpu, folio);
    }
}

static bool writeback_enabled(void *host, uint32_t memcg) {
    const struct mm *mm = host;
    for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent)
        if (!mm->memcg[i].zswap_writeback)
            return false;
    return true;
}

static bool may_store(void *host, uint32_t memcg) {
    struct mm *mm = host;
    for (uint32_t i = memcg; i != ROOT_MEMCG && i != RF_NONE; i = mm->memcg[i].parent) {
        const struct memcg *mc = &mm->memcg[i];
        if (mc->zswap_max == MEMCG_UNLIMITED)
            continue;
        if (mc->zswap_max == 0)
            return false;
        memcg_flush_stats(mm); /* forced, for an exact figure (obj_cgroup_may_zswap()) */
        if ((mc->now.zswap_bytes >> RF_PAGE_SHIFT) >= mc->zswap_max)
            return false;
    }
    return true;
}

static void zs_charge(void *host, struct sim_cpu *cpu, uint32_t memcg, uint32_t bytes) {
    struct mm *mm = host;
    mm->memcg[memcg].now.zswap_bytes += bytes;
    mm->memcg[memcg].now.zswapped++;
    memcg_stat_updated(mm, 1 + (mm->p.reclaim.stat_flush_reclaim ? bytes : 1));
    memcg_charge_obj(mm, cpu, memcg, bytes);
}

static void zs_uncharge(void *host, uint32_t memcg, uint32_t bytes) {
    struct mm *mm = host;
    mm->memcg[memcg].now.zswap_bytes -= bytes;
    mm->memcg[memcg].now.zswapped--;
    memcg_stat_updated(mm, 1 + (mm->p.reclaim.stat_flush_reclaim ? bytes : 1));
    memcg_uncharge_obj(mm, mm->cur, memcg, bytes);
}

static void zs_count_vm(void *host, uint32_t memcg, enum zswap_vm ev, uint32_t nr) {
    static const enum vm_counter map[] = {VM_zswpin, VM_zswpout, VM_zswpwb};
    vm_count(host, memcg, map[ev], nr);
}

static void zs_queue_work(void *host, struct sim_cpu *cpu) {
    struct mm *mm = host;
    mm->wait->queue_zswap_work(mm->wait_ctx, cpu);
}

static uint32_t zs_next_memcg(void *host, uint32_t memcg) {
    const struct mm *mm = host;
    uint32_t next = memcg == RF_NONE ? 0 : memcg + 1;
    return next < mm->nr_memcgs ? next : RF_NONE;
}

static void zs_memcg_stats(void *host, uint32_t memcg, uint64_t *bytes, uint64_t *pages) {
    struct mm *mm = host;
    memcg_flush_if_pending(mm);
    const struct memcg_stats *s = memcg_stats_seen(mm, memcg);
    *bytes = s->zswap_bytes;
    *pages = s->zswapped;
}

const struct zswap_host_ops mm_zswap_ops = {
    .wb_begin = wb_begin,
    .wb_abort = wb_abort,
    .wb_submit = wb_submit,
    .writeback_enabled = writeback_enabled,
    .may_store = may_store,
    .charge = zs_charge,
    .uncharge = zs_uncharge,
    .count_vm = zs_count_vm,
    .queue_work = zs_queue_work,
    .next_memcg = zs_next_memcg,
    .memcg_stats = zs_memcg_stats,
};
