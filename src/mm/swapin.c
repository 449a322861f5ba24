/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Swap-in past the swap cache (the SWP_SYNCHRONOUS_IO branch of do_swap_page() in mm/memory.c,
 * 6.12), and of whole large folios there.
 */
#include "mm_internal.h"
#include "reclaim.h"
#include "swapcache.h"
#include "thp.h"

bool swapin_skips_cache(const struct mm *mm, uint32_t slot) {
    if (swap_count(mm->swap, slot) != 1)
        return false;
    if (mm->swap_sync && mm->swap->p.policy.sync_skips_cache &&
        !(mm->p.zswap_load_batch && mm->zswap_ever_enabled))
        return true;
    return mm->p.fault.zswap_skips_cache && mm->zswap && zswap_has(mm->zswap, slot);
}

/* Whether the nr pages from base on can be read as one: consecutive entries, aligned alike, each
 * with one user, none of them cached, all of them in the same place. */
static bool range_swapped_alike(const struct mm *mm, uint32_t base, uint32_t nr) {
    const uint64_t mask = PTE_SWAP | PTE_EXCLUSIVE | PTE_PRESENT;
    uint64_t p = mm->pte[base], same = p & mask;
    uint32_t slot = pte_index(p);

    if (!(p & PTE_SWAP) || swap_slot_offset(mm->swap, slot) % nr)
        return false;
    uint8_t zero = mm->swap->meta[slot].flags & SLOT_ZERO;
    for (uint32_t i = 0; i < nr; i++) {
        const struct swap_slot_meta *m = &mm->swap->meta[slot + i];
        p = mm->pte[base + i];
        if ((p & mask) != same || pte_index(p) != slot + i || (m->flags & SLOT_FOLIO) ||
            (m->flags & SLOT_ZERO) != zero || swap_count(mm->swap, slot + i) != 1)
            return false;
        if (mm->p.fault.large_swapin == LARGE_SWAPIN_ZSWAP && !zswap_has(mm->zswap, slot + i))
            return false;
    }
    return true;
}

/* A new large folio for the pages around id, charged; RF_NONE if a single page it must be. */
static uint32_t alloc_large_for(struct mm *mm, struct sim_cpu *cpu, uint32_t id, uint32_t memcg,
                                struct fault_ctx *ctx) {
    const struct fault_policy *fp = &mm->p.fault;
    uint32_t lo, hi;

    if (fp->large_swapin == LARGE_SWAPIN_NEVER || !mm->p.knobs.thp_orders ||
        (fp->large_swapin == LARGE_SWAPIN_SYNC && mm->zswap_ever_enabled) ||
        (fp->large_swapin == LARGE_SWAPIN_ZSWAP && !mm->zswap))
        return RF_NONE;
    const struct vma *v = vma_of(mm, id, &lo, &hi);
    if (!vma_allows_mthp(v))
        return RF_NONE;
    uint32_t top = PMD_ORDER - 1;
    if (fp->large_swapin_max_order)
        top = RF_MIN(top, fp->large_swapin_max_order);
    for (uint32_t order = top; order >= MIN_MTHP_ORDER; order--) {
        uint32_t nr = 1u << order, base = id & ~(nr - 1);
        if (!(mm->p.knobs.thp_orders >> order & 1u) || base < lo || base + nr > hi ||
            !range_swapped_alike(mm, base, nr))
            continue;
        if (fp->large_swapin_margin &&
            memcg_margin(mm, memcg) < RF_MAX(mm->p.reclaim.charge_batch, nr))
            continue;
        bool charge_failed;
        uint32_t folio = large_alloc(mm, cpu, v, memcg, order, ctx, &charge_failed);
        if (folio == RF_NONE)
            continue;
        if (range_swapped_alike(mm, base, nr)) /* still so after what reclaim may have done */
            return folio;
        folio_free(mm, folio);
    }
    return RF_NONE;
}

/* Reads all pages of a new large folio for the entries from base on. */
static uint8_t read_large(struct mm *mm, struct sim_cpu *cpu, uint32_t folio, uint32_t base) {
    uint32_t nr = folio_nr(&mm->folio[folio]), order = folio_order(&mm->folio[folio]);
    uint8_t kind = FK_ZERO;

    for (uint32_t i = 0; i < nr; i++) {
        uint64_t p = mm->pte[base + i];
        kind = folio_read(mm, cpu, folio, pte_index(p), pte_content(p), false);
    }
    if (kind == FK_ZSWAP)
        mm->mthp[order][MTHP_ZSWPIN]++;
    else if (kind != FK_ZERO)
        mm->mthp[order][MTHP_SWPIN]++;
    return kind;
}

enum charge_result swapin_direct(struct mm *mm, struct sim_cpu *cpu, uint32_t id, uint32_t slot,
                                 struct fault_ctx *ctx, uint32_t *out) {
    uint32_t memcg = slot_memcg(mm, slot), nr;

    *out = RF_NONE;
    uint32_t folio = alloc_large_for(mm, cpu, id, memcg, ctx);
    if (folio == RF_NONE) {
        if (!frames_available(mm, cpu, 1))
            return CHARGE_OOM;
        enum charge_result r = memcg_charge(mm, cpu, memcg, 1, ctx);
        if (r != CHARGE_OK)
            return r;
        *out = swapcache_lookup(mm, slot);
        if (*out != RF_NONE) { /* reclaim put it into the cache meanwhile */
            memcg_uncharge(mm, memcg, 1);
            return CHARGE_OK;
        }
        if (!swapin_skips_cache(mm, slot)) { /* reclaim wrote zswap's copy to the device */
            memcg_uncharge(mm, memcg, 1);
            return CHARGE_OK;
        }
        folio = folio_alloc(mm, memcg);
        if (folio == RF_NONE) {
            memcg_uncharge(mm, memcg, 1);
            return CHARGE_OOM;
        }
    }
    struct folio *f = &mm->folio[folio];
    nr = folio_nr(f);
    uint32_t base = id & ~(nr - 1), first = pte_index(mm->pte[base]);
    sim_charge(cpu, mm->p.cost.swapin_page_ns); /* allocated and charged in one go */
    for (uint32_t i = 0; i < nr; i++)
        memcg_v1_swapin(mm, first + i);
    f->owner = nr == 1 ? pte_content(mm->pte[id]) : base;
    if (!mm->p.reclaim.anon_inactive_first)
        f->flags |= FOLIO_ACTIVE;
    if (mm->swap->meta[slot].flags & SLOT_SHADOW)
        workingset_refault(mm, f, mm->swap->word[slot]);
    folio_add_lru(mm, cpu, folio);
    ctx->kind = nr == 1 ? folio_read(mm, cpu, folio, slot, pte_content(mm->pte[id]), false)
                        : read_large(mm, cpu, folio, base);
    *out = folio;
    return CHARGE_OK;
}
