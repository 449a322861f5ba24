/* SPDX-License-Identifier: Apache-2.0 */
/* Swap-in with neighbours: by virtual address within the VMA, or by swap offset (mm/swap_state.c
 * 6.1, 6.12). The windows themselves are computed in swap/. */
#include "mm_internal.h"

static void mark_readahead(struct mm *mm, uint32_t folio) {
    struct folio *f = &mm->folio[folio];
    f->flags |= FOLIO_RECLAIM; /* the readahead flag is the same bit */
    vm_count(mm, folio_memcg(f), VM_swap_ra, 1);
}

static enum charge_result by_vma(struct mm *mm, struct sim_cpu *cpu, uint32_t id,
                                 struct fault_ctx *ctx, uint8_t *kind, bool *windowed) {
    uint32_t lo, hi, first = id & ~511u;
    struct vma *v = vma_of(mm, id, &lo, &hi);
    uint64_t base = mm->block[id >> 9].vpn, start, end;

    uint32_t win = swap_vma_ra_miss(&v->ra, base + (id & 511u), base + (lo - first),
                                    base + (hi - first), mm->p.knobs.page_cluster, &start, &end);
    *windowed = win > 1;
    if (win <= 1)
        return CHARGE_OK;
    for (uint64_t vpn = start; vpn < end; vpn++) {
        uint32_t q = first + (uint32_t)(vpn - base), folio;
        uint64_t p = mm->pte[q];
        bool fresh;
        uint8_t k = FK_DEVICE;
        if (!(p & PTE_SWAP))
            continue;
        enum charge_result r =
            swapin_async(mm, cpu, pte_index(p), pte_content(p), ctx, &folio, &fresh, &k);
        if (r == CHARGE_OOM && q == id)
            return r;
        if (fresh && q != id)
            mark_readahead(mm, folio);
        if (fresh && q == id)
            *kind = k;
    }
    return CHARGE_OK;
}

static enum charge_result by_offset(struct mm *mm, struct sim_cpu *cpu, uint32_t target,
                                    struct fault_ctx *ctx, uint8_t *kind, bool *windowed) {
    uint64_t start, end;
    uint32_t win =
        swap_cluster_ra_miss(&mm->cluster_ra, swap_slot_offset(mm->swap, target),
                             mm->p.knobs.page_cluster, mm->swap->p.nr_slots, &start, &end);
    *windowed = win > 1;
    if (win <= 1)
        return CHARGE_OK;
    for (uint64_t off = start; off < end; off++) {
        uint32_t slot = swap_offset_slot(mm->swap, off), folio;
        bool fresh;
        uint8_t k = FK_DEVICE;
        if (slot == SWAP_NO_SLOT || swap_count(mm->swap, slot) == 0)
            continue;
        enum charge_result r =
            swapin_async(mm, cpu, slot, mm->swap->owner[slot], ctx, &folio, &fresh, &k);
        if (r == CHARGE_OOM && slot == target)
            return r;
        if (fresh && slot != target)
            mark_readahead(mm, folio);
        if (fresh && slot == target)
            *kind = k;
    }
    return CHARGE_OK;
}

enum charge_result swapin_readahead(struct mm *mm, struct sim_cpu *cpu, uint32_t id, uint32_t slot,
                                    struct fault_ctx *ctx, uint32_t *out, uint8_t *kind) {
    bool windowed, fresh;
    enum charge_result r;

    if (mm->blk)
        blk_plug(mm->blk, cpu);
    r = mm->vma_ra ? by_vma(mm, cpu, id, ctx, kind, &windowed)
                   : by_offset(mm, cpu, slot, ctx, kind, &windowed);
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
    if (fresh)
        *kind = k;
    return r;
}
