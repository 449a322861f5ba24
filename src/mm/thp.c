/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults with large folios: PMD-sized transparent huge pages (mm/huge_memory.c 6.1, 6.12) and the
 * orders below (alloc_anon_folio() in mm/memory.c, 6.8+). Page ids keep the alignment of virtual
 * addresses, so a block is what one huge entry can map. Memory is never fragmented here: a free
 * folio of any order can be had while enough frames are free.
 */
#include "mm_internal.h"
#include "reclaim.h"
#include "refault/trace_ops.h"
#include "thp.h"

static bool vma_allows_thp(const struct mm *mm, const struct vma *v) {
    const struct mm_knobs *k = &mm->p.knobs;

    if (!v || (v->flags & TMAP_NOHUGEPAGE))
        return false;
    return k->thp_always || (k->thp_madvise && (v->flags & TMAP_HUGEPAGE));
}

uint32_t large_alloc(struct mm *mm, struct sim_cpu *cpu, const struct vma *v, uint32_t memcg,
                     uint32_t order, struct fault_ctx *ctx, bool *charge_failed) {
    uint32_t nr = 1u << order;
    bool advised = v->flags & TMAP_HUGEPAGE, direct = false, wake = false, noretry = false;

    switch ((enum thp_defrag_mode)mm->p.knobs.thp_defrag) {
    case THP_DEFRAG_ALWAYS:
        direct = true;
        noretry = !advised;
        break;
    case THP_DEFRAG_DEFER:
        wake = true;
        break;
    case THP_DEFRAG_DEFER_MADVISE:
        direct = advised;
        wake = !advised;
        break;
    case THP_DEFRAG_MADVISE:
        direct = advised;
        break;
    case THP_DEFRAG_NEVER:
        break;
    }
    *charge_failed = false;
    if (mm->nr_folios + nr > mm->folio_cap || !frames_available_large(mm, cpu, nr, wake, direct))
        return RF_NONE;
    if (!memcg_charge_large(mm, cpu, memcg, nr, direct, noretry, ctx)) {
        *charge_failed = true;
        return RF_NONE;
    }
    uint32_t id = folio_alloc(mm, memcg);
    if (id == RF_NONE) {
        memcg_uncharge(mm, memcg, nr);
        return RF_NONE;
    }
    struct folio *f = &mm->folio[id];
    f->memcg_order |= (uint8_t)(order << 4);
    mm->nr_folios += nr - 1;
    mm->memcg[memcg].folio_pages += nr - 1;
    if (!mm->p.reclaim.anon_inactive_first)
        f->flags |= FOLIO_ACTIVE;
    return id;
}

/* Maps a new folio writable from base on; in no process yet. Pages other than that of the fault
 * are clean until they are stored to. */
static void map_large(struct mm *mm, struct sim_cpu *cpu, uint32_t folio, uint32_t base,
                      uint32_t fault) {
    struct folio *f = &mm->folio[folio];
    uint32_t nr = folio_nr(f);

    f->owner = base;
    f->mapcount = 1;
    memcg_stat_updated(mm, nr); /* anon */
    for (uint32_t id = base; id < base + nr; id++)
        mm->pte[id] =
            pte_make(mm->pte[id], folio, PTE_PRESENT | PTE_ACCESSED | PTE_WRITE | PTE_EXCLUSIVE);
    mm->pte[fault] |= PTE_DIRTY;
    folio_add_lru(mm, cpu, folio);
}

bool thp_fault(struct mm *mm, struct sim_cpu *cpu, uint32_t id, bool write, struct fault_ctx *ctx) {
    uint32_t lo, hi, base = id & ~511u;

    if (!mm->p.knobs.thp_always && !mm->p.knobs.thp_madvise)
        return false;
    const struct vma *v = vma_of(mm, id, &lo, &hi);
    if (lo != base || hi != base + PMD_NR || !vma_allows_thp(mm, v))
        return false;
    uint32_t memcg = mm->proc[v->pid].memcg;
    if (!write) { /* the huge zero page */
        block_touch(mm, cpu, id >> 9);
        for (uint32_t i = base; i < hi; i++)
            mm->pte[i] = pte_make(mm->pte[i], 0, PTE_PRESENT | PTE_ACCESSED | PTE_ZEROPAGE);
        mm->block[id >> 9].pmd = true;
        mm->x_zero_mapped += PMD_NR;
        return true;
    }
    bool charge_failed;
    uint32_t folio = large_alloc(mm, cpu, v, memcg, PMD_ORDER, ctx, &charge_failed);
    if (folio == RF_NONE) {
        mm->c[VM_thp_fault_fallback]++;
        mm->mthp[PMD_ORDER][MTHP_ANON_FAULT_FALLBACK]++;
        if (charge_failed) {
            mm->c[VM_thp_fault_fallback_charge]++;
            mm->mthp[PMD_ORDER][MTHP_ANON_FAULT_FALLBACK_CHARGE]++;
        }
        return false;
    }
    block_touch(mm, cpu, id >> 9);
    sim_charge(cpu, mm->p.cost.zero_thp_ns);
    mm->block[id >> 9].pmd = true;
    map_large(mm, cpu, folio, base, id);
    vm_count(mm, memcg, VM_thp_fault_alloc, 1);
    if (mm->p.reclaim.split_underused)
        split_queue_add(mm, folio);
    mm->mthp[PMD_ORDER][MTHP_ANON_FAULT_ALLOC]++;
    return true;
}

static bool range_empty(const struct mm *mm, uint32_t base, uint32_t nr) {
    for (uint32_t id = base; id < base + nr; id++)
        if (mm->pte[id] & (PTE_PRESENT | PTE_SWAP))
            return false;
    return true;
}

bool vma_allows_mthp(const struct vma *v) {
    return v && !(v->flags & TMAP_NOHUGEPAGE);
}

bool mthp_fault(struct mm *mm, struct sim_cpu *cpu, uint32_t id, struct fault_ctx *ctx) {
    uint32_t lo, hi;
    const struct vma *v = vma_of(mm, id, &lo, &hi);

    if (!vma_allows_mthp(v))
        return false;
    uint32_t memcg = mm->proc[v->pid].memcg;
    for (uint32_t order = PMD_ORDER - 1; order >= MIN_MTHP_ORDER; order--) {
        uint32_t nr = 1u << order, base = id & ~(nr - 1);
        if (!(mm->p.knobs.thp_orders >> order & 1u) || base < lo || base + nr > hi ||
            !range_empty(mm, base, nr))
            continue;
        bool charge_failed;
        uint32_t folio = large_alloc(mm, cpu, v, memcg, order, ctx, &charge_failed);
        if (folio == RF_NONE) {
            mm->mthp[order][MTHP_ANON_FAULT_FALLBACK]++;
            if (charge_failed)
                mm->mthp[order][MTHP_ANON_FAULT_FALLBACK_CHARGE]++;
            continue;
        }
        sim_charge(cpu, mm->p.cost.zero_page_ns * nr);
        map_large(mm, cpu, folio, base, id);
        mm->mthp[order][MTHP_ANON_FAULT_ALLOC]++;
        return true;
    }
    return false;
}

void block_split_pmd(struct mm *mm, uint32_t block) {
    uint64_t any = 0;

    /* The huge entry's accessed and dirty bits are all entries'. */
    for (uint32_t id = block << 9; id < (block + 1) << 9; id++)
        any |= mm->pte[id];
    if (!(any & PTE_ZEROPAGE))
        for (uint32_t id = block << 9; id < (block + 1) << 9; id++)
            mm->pte[id] |= any & (PTE_ACCESSED | PTE_DIRTY);
    mm->block[block].pmd = false;
    mm->c[VM_thp_split_pmd]++;
}

/* do_huge_pmd_wp_page(): sole user, by the exclusive bit where the kernel has it. */
bool wp_huge(struct mm *mm, struct sim_cpu *cpu, uint32_t id, struct fault_ctx *ctx) {
    uint64_t p = mm->pte[id];
    uint32_t base = id & ~511u;

    if (!(p & PTE_ZEROPAGE) && ((mm->p.fault.wp_rule == WP_W3 && (p & PTE_EXCLUSIVE)) ||
                                folio_refs(&mm->folio[pte_index(p)]) == 1)) {
        for (uint32_t i = base; i < base + PMD_NR; i++)
            mm->pte[i] |= PTE_WRITE | PTE_DIRTY | PTE_EXCLUSIVE;
        mm->pte[id] |= PTE_ACCESSED;
        sim_charge(cpu, mm->p.cost.wp_reuse_ns);
        ctx->kind = ctx->kind == FK_MINOR ? FK_WP : ctx->kind;
        return true;
    }
    block_split_pmd(mm, id >> 9);
    return false;
}

uint32_t large_map_range(const struct mm *mm, uint32_t id, uint32_t slot, uint32_t folio,
                         uint32_t *first) {
    const struct folio *f = &mm->folio[folio];
    uint32_t i = slot - folio_slot(mm, f), nr = folio_nr(f), base = id - i;
    uint64_t same = mm->pte[id] & (PTE_SWAP | PTE_EXCLUSIVE | PTE_PRESENT);

    *first = id;
    if (!mm->p.fault.map_large_swapcache)
        return 1;
    for (i = 0; i < nr; i++) {
        uint64_t p = mm->pte[base + i];
        if ((p & (PTE_SWAP | PTE_EXCLUSIVE | PTE_PRESENT)) != same ||
            pte_index(p) != folio_slot(mm, f) + i)
            return 1;
    }
    *first = base;
    return nr;
}
