/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Swap-in with neighbours: by virtual address within the VMA, or by swap offset (mm/swap_state.c
 * 6.1, 6.12). The windows themselves are computed in swap/.
 *
 * With batches of loads ("[RFC PATCH v1] mm: zswap IAA decompress batching", K. P. Sridhar, 18 Oct
 * 2024) the window is first filled with locked folios, told apart by where their data is: those of
 * the device are read one after the other, those of zswap are decompressed together.
 */
#include "mm_internal.h"
#include "swapcache.h"

#define RA_BATCH 31u /* folios a batch holds: PAGEVEC_SIZE of that series */

/* Folios of a window that wait for their data. */
struct ra_list {
    uint32_t n, slot[RA_BATCH], folio[RA_BATCH], content[RA_BATCH];
};

struct ra {
    uint32_t target; /* slot of the page that faulted */
    bool batch;
    struct fault_ctx *ctx;
    uint8_t *kind; /* of the target */
    struct ra_list zswap, other;
};

static void mark_readahead(struct mm *mm, uint32_t folio) {
    struct folio *f = &mm->folio[folio];
    f->flags |= FOLIO_RECLAIM; /* the readahead flag is the same bit */
    vm_count(mm, folio_memcg(f), VM_swap_ra, 1);
}

static void note_read(struct mm *mm, struct ra *ra, uint32_t slot, uint32_t folio, uint8_t kind) {
    if (slot == ra->target)
        *ra->kind = kind;
    else
        mark_readahead(mm, folio);
}

static void load_from_zswap(struct mm *mm, struct sim_cpu *cpu, struct ra *ra) {
    struct ra_list *l = &ra->zswap;
    bool dirty[RA_BATCH];
    rf_time t0 = cpu->now;

    zswap_load_batch(mm->zswap, cpu, l->slot, l->content, l->n, dirty);
    mm->stall_ns[STALL_ZSWAP_LOAD] += cpu->now - t0;
    for (uint32_t i = 0; i < l->n; i++) {
        struct folio *f = &mm->folio[l->folio[i]];

        f->flags &= (uint16_t)~FOLIO_LOCKED;
        if (dirty[i])
            f->flags |= FOLIO_DIRTY;
        note_read(mm, ra, l->slot[i], l->folio[i], FK_ZSWAP);
    }
    l->n = 0;
}

/* process_ra_batch_of_same_type(): first what zswap does not have. */
static void process(struct mm *mm, struct sim_cpu *cpu, struct ra *ra) {
    struct ra_list *l = &ra->other;

    for (uint32_t i = 0; i < l->n; i++) {
        mm->folio[l->folio[i]].flags &= (uint16_t)~FOLIO_LOCKED;
        uint8_t k = folio_read(mm, cpu, l->folio[i], l->slot[i], l->content[i], true);
        note_read(mm, ra, l->slot[i], l->folio[i], k);
    }
    l->n = 0;
    if (ra->zswap.n)
        load_from_zswap(mm, cpu, ra);
}

/* One slot of the window. CHARGE_OOM only if it is the target. */
static enum charge_result ra_page(struct mm *mm, struct sim_cpu *cpu, struct ra *ra, uint32_t slot,
                                  uint32_t content) {
    uint32_t folio;
    bool fresh;
    uint8_t k = FK_DEVICE;
    enum charge_result r;

    if (!ra->batch) {
        r = swapin_async(mm, cpu, slot, content, ra->ctx, &folio, &fresh, &k);
        if (fresh)
            note_read(mm, ra, slot, folio, k);
    } else {
        r = swapin_begin(mm, cpu, slot, content, ra->ctx, &folio, &fresh);
        if (fresh) {
            bool compressed =
                !(mm->swap->meta[slot].flags & SLOT_ZERO) && zswap_has(mm->zswap, slot);
            struct ra_list *l = compressed ? &ra->zswap : &ra->other;

            if (mm->swap->owner && mm->swap->owner[slot] != content)
                l = &ra->other; /* reports the loss */
            l->slot[l->n] = slot;
            l->folio[l->n] = folio;
            l->content[l->n++] = content;
            if (l->n == RA_BATCH)
                process(mm, cpu, ra);
        }
    }
    return r == CHARGE_OOM && slot == ra->target ? r : CHARGE_OK;
}

static enum charge_result by_vma(struct mm *mm, struct sim_cpu *cpu, uint32_t id, struct ra *ra,
                                 bool *windowed) {
    uint32_t lo, hi, first = id & ~511u;
    struct vma *v = vma_of(mm, id, &lo, &hi);
    uint64_t base = mm->block[id >> 9].vpn, start, end;

    uint32_t win = swap_vma_ra_miss(&v->ra, base + (id & 511u), base + (lo - first),
                                    base + (hi - first), mm->p.knobs.page_cluster, &start, &end);
    *windowed = win > 1;
    if (win <= 1)
        return CHARGE_OK;
    for (uint64_t vpn = start; vpn < end; vpn++) {
        uint64_t p = mm->pte[first + (uint32_t)(vpn - base)];
        if (!(p & PTE_SWAP))
            continue;
        enum charge_result r = ra_page(mm, cpu, ra, pte_index(p), pte_content(p));
        if (r != CHARGE_OK)
            return r;
    }
    return CHARGE_OK;
}

static enum charge_result by_offset(struct mm *mm, struct sim_cpu *cpu, struct ra *ra,
                                    bool *windowed) {
    uint64_t start, end;
    uint32_t win =
        swap_cluster_ra_miss(&mm->cluster_ra, swap_slot_offset(mm->swap, ra->target),
                             mm->p.knobs.page_cluster, mm->swap->p.nr_slots, &start, &end);
    *windowed = win > 1;
    if (win <= 1)
        return CHARGE_OK;
    for (uint64_t off = start; off < end; off++) {
        uint32_t slot = swap_offset_slot(mm->swap, off);
        if (slot == SWAP_NO_SLOT || swap_count(mm->swap, slot) == 0)
            continue;
        enum charge_result r = ra_page(mm, cpu, ra, slot, mm->swap->owner[slot]);
        if (r != CHARGE_OK)
            return r;
    }
    return CHARGE_OK;
}

enum charge_result swapin_readahead(struct mm *mm, struct sim_cpu *cpu, uint32_t id, uint32_t slot,
                                    bool single_mapped, struct fault_ctx *ctx, uint32_t *out,
                                    uint8_t *kind) {
    struct ra ra; /* its lists are large and mostly unused: not cleared */
    bool windowed = false, fresh;
    enum charge_result r = CHARGE_OK;

    ra.target = slot;
    ra.ctx = ctx;
    ra.kind = kind;
    ra.zswap.n = ra.other.n = 0;
    ra.batch = mm->p.zswap_load_batch && mm->zswap;
    bool alone = ra.batch && single_mapped &&
                 !(mm->p.knobs.singlemapped_ra_enabled && zswap_batches_loads(mm->zswap));
    if (mm->blk)
        blk_plug(mm->blk, cpu);
    if (!alone)
        r = mm->vma_ra ? by_vma(mm, cpu, id, &ra, &windowed) : by_offset(mm, cpu, &ra, &windowed);
    process(mm, cpu, &ra);
    if (mm->blk)
        blk_unplug(mm->blk, cpu);
    if (r != CHARGE_OK)
        return r;
    if (windowed)
        lru_add_drain(mm, cpu);
    uint8_t k = *kind;
    r = swapin_async(mm, cpu, slot, pte_content(mm->pte[id]), ctx, out, &fresh, &k);
    if (r == CHARGE_OK && *out == RF_NONE)
        return CHARGE_OOM;
    if (fresh) {
        *kind = k;
        ctx->in_read = !windowed && mm->p.fault.single_read_waits;
    }
    return r;
}
