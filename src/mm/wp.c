/* SPDX-License-Identifier: Apache-2.0 */
/* Write-protect faults: reuse or copy, by the rule of the era (mm/memory.c do_wp_page()). */
#include "mm_internal.h"

static void count_violation(struct mm *mm, const struct folio *f) {
    if (f->flags & FOLIO_STABLE_WB)
        mm->x_stable_violations++;
}

/* W0: sole user counting swap references, under the page lock; takes the page out of the cache. */
static bool reuse_w0(struct mm *mm, struct sim_cpu *cpu, uint32_t id, struct folio *f) {
    uint32_t users = f->mapcount;

    if (f->flags & FOLIO_KSM)
        return false;
    if (f->flags & FOLIO_SWAPCACHE)
        users += swap_count(mm->swap, f->slot);
    if (users != 1)
        return false;
    if (f->flags & FOLIO_SWAPCACHE) {
        if (f->flags & FOLIO_WRITEBACK)
            return !(f->flags & FOLIO_STABLE_WB);
        (void)folio_free_swap(mm, cpu, id);
    }
    return true;
}

static bool reuse_w2(struct mm *mm, struct sim_cpu *cpu, uint32_t id, struct folio *f) {
    uint32_t cached = (f->flags & FOLIO_SWAPCACHE) ? 1 : 0;

    if ((f->flags & FOLIO_KSM) || folio_refs(f) > 3)
        return false;
    if (f->flags & FOLIO_IN_BATCH)
        lru_add_drain(mm, cpu);
    if (folio_refs(f) > 1 + cached || (f->flags & FOLIO_LOCKED))
        return false;
    if (cached)
        (void)folio_free_swap(mm, cpu, id);
    return folio_refs(f) == 1;
}

static bool may_reuse(struct mm *mm, struct sim_cpu *cpu, uint32_t folio, uint64_t pte) {
    struct folio *f = &mm->folio[folio];
    uint32_t cached = (f->flags & FOLIO_SWAPCACHE) ? 1 : 0;

    if (RF_UNLIKELY(folio_order(f))) /* one page of a large folio */
        return mm->p.fault.wp_rule == WP_W3 && (pte & PTE_EXCLUSIVE);
    switch (mm->p.fault.wp_rule) {
    case WP_W0:
        return reuse_w0(mm, cpu, folio, f);
    case WP_W1:
        return !(f->flags & FOLIO_KSM) && folio_refs(f) == 1;
    case WP_W1_SEED:
        if (cached)
            return reuse_w0(mm, cpu, folio, f);
        return !(f->flags & FOLIO_KSM) && folio_refs(f) == 1;
    case WP_W1_WILLY:
        return !(f->flags & FOLIO_KSM) && f->mapcount == 1 && folio_refs(f) == 1 + cached;
    case WP_W2:
        return reuse_w2(mm, cpu, folio, f);
    default:
        return (pte & PTE_EXCLUSIVE) || reuse_w2(mm, cpu, folio, f);
    }
}

enum fault_result do_wp_page(struct mm *mm, struct sim_cpu *cpu, uint32_t id,
                             struct fault_ctx *ctx) {
    uint64_t p = mm->pte[id];
    uint32_t old = (p & PTE_ZEROPAGE) ? RF_NONE : pte_index(p);
    uint32_t memcg = mm->proc[mm->block[id >> 9].pid].memcg;

    if (RF_UNLIKELY(mm->block[id >> 9].pmd) && wp_huge(mm, cpu, id, ctx))
        return FAULT_DONE;
    if (old != RF_NONE && may_reuse(mm, cpu, old, p)) {
        count_violation(mm, &mm->folio[old]);
        mm->pte[id] = p | PTE_WRITE | PTE_DIRTY | PTE_ACCESSED | PTE_EXCLUSIVE;
        vm_count(mm, memcg, VM_pgreuse, 1);
        sim_charge(cpu, mm->p.cost.wp_reuse_ns);
        ctx->kind = ctx->kind == FK_MINOR ? FK_WP : ctx->kind;
        return FAULT_DONE;
    }
    /* The old page is held while charging, so reclaim cannot take it. */
    uint16_t held = 0;
    if (old != RF_NONE) {
        held = mm->folio[old].flags & FOLIO_LOCKED;
        mm->folio[old].flags |= FOLIO_LOCKED;
    }
    enum charge_result r = CHARGE_OOM;
    if (frames_available(mm, cpu, 1))
        r = memcg_charge(mm, cpu, memcg, 1, ctx);
    if (old != RF_NONE && !held)
        mm->folio[old].flags &= (uint16_t)~FOLIO_LOCKED;
    if (r != CHARGE_OK)
        return FAULT_OOM;
    uint32_t fresh = folio_alloc(mm, memcg);
    if (fresh == RF_NONE) {
        memcg_uncharge(mm, memcg, 1);
        return FAULT_OOM;
    }
    p = mm->pte[id];
    if (old != RF_NONE) {
        sim_charge(cpu, mm->p.cost.copy_page_ns);
        mm->x_cow_copies++;
        folio_remove_rmap(mm, old, id, pte_content(p));
        ctx->kind = FK_COW;
    } else {
        sim_charge(cpu, mm->p.cost.zero_page_ns);
    }
    struct folio *f = &mm->folio[fresh];
    f->owner = id;
    f->mapcount = 1;
    if (!mm->p.reclaim.anon_inactive_first)
        f->flags |= FOLIO_ACTIVE;
    mm->pte[id] =
        pte_make(p, fresh, PTE_PRESENT | PTE_ACCESSED | PTE_DIRTY | PTE_WRITE | PTE_EXCLUSIVE);
    folio_add_lru(mm, cpu, fresh);
    if (old != RF_NONE && mm->folio[old].mapcount == 0 &&
        (mm->p.fault.free_idle_after_cow || !(mm->folio[old].flags & FOLIO_SWAPCACHE)))
        folio_free_if_idle(mm, cpu, old);
    return FAULT_DONE;
}
