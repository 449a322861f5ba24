/* SPDX-License-Identifier: Apache-2.0 */
/* Write-protect faults: reuse or copy, by the rule of the era (mm/memory.c do_wp_page()). */
#include "mm_internal.h"
#include "reclaim.h"
#include "rmap.h"
#include "swapcache.h"
#include "thp.h"

void wp_note_writable(struct mm *mm, const struct folio *f) {
    if (f->flags & FOLIO_STABLE_WB)
        mm->x_stable_violations++;
    /* Another process' swap entry still stands for this page. */
    if (f->flags & FOLIO_SWAPCACHE)
        mm->x_shared_violations +=
            folio_order(f) == 0 && swap_count(mm->swap, folio_slot(mm, f)) > 0;
}

/*
 * W0, to 5.8: sole user counting swap references, under the page lock; takes the page out of the
 * cache. Under writeback it stays there: it may change meanwhile unless the device needs it stable
 * ("mm: support anonymous stable page", f05714293a59).
 */
static bool reuse_w0(struct mm *mm, struct sim_cpu *cpu, uint32_t id, struct folio *f) {
    uint32_t users = f->mapcount;

    if (f->flags & FOLIO_KSM)
        return false;
    if (f->flags & FOLIO_SWAPCACHE)
        users += swap_count(mm->swap, folio_slot(mm, f));
    if (users != 1)
        return false;
    if (f->flags & FOLIO_SWAPCACHE) {
        if (f->flags & FOLIO_WRITEBACK)
            return !(f->flags & FOLIO_STABLE_WB);
        (void)folio_free_swap(mm, cpu, id);
    }
    return true;
}

/* W1, 5.9 to 5.17 (09854ba94c6a): no reference but the mapping's, so never a cached page. */
static bool reuse_w1(const struct folio *f, uint32_t more_refs) {
    return !(f->flags & (FOLIO_KSM | FOLIO_LOCKED)) && f->mapcount == 1 &&
           folio_refs(f) == 1 + more_refs;
}

/* W2, 5.18: as W1, when what else may hold the page has let go of it: batch and swap cache. */
static bool reuse_w2(struct mm *mm, struct sim_cpu *cpu, uint32_t id, struct folio *f) {
    uint32_t cached = (f->flags & FOLIO_SWAPCACHE) ? 1 : 0;

    /* three: the mapping, the swap cache, a batch */
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
    switch ((enum wp_rule)mm->p.fault.wp_rule) {
    case WP_W0:
        return reuse_w0(mm, cpu, folio, f);
    case WP_W1:
        return reuse_w1(f, 0);
    case WP_W1_SEED: /* Liang Zhang, Jan 2022: W0's test for what W1 always copies */
        if (cached)
            return !(f->flags & FOLIO_LOCKED) && reuse_w0(mm, cpu, folio, f);
        return reuse_w1(f, 0);
    case WP_W1_WILLY: /* Matthew Wilcox, Jan 2022: the cache's reference is no user's */
        return reuse_w1(f, cached);
    case WP_W2:
        return reuse_w2(mm, cpu, folio, f);
    case WP_W3: /* 5.19: a page that is known to be exclusive needs no test */
        break;
    }
    return (pte & PTE_EXCLUSIVE) || reuse_w2(mm, cpu, folio, f);
}

/*
 * The copy holds a reference to the old page, not its lock. So reclaim cannot free that page when
 * the charge hits a limit, but looks at it like at any other: it clears the accessed bits, or puts
 * the page into the swap cache and unmaps it. In either case wp_page_copy() then finds that the
 * entry is not the one that faulted, and drops the copy.
 */
static enum charge_result charge_copy(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg,
                                      uint32_t old, struct fault_ctx *ctx) {
    struct folio *f = old != RF_NONE ? &mm->folio[old] : NULL;
    bool lock = f && folio_order(f) && !(f->flags & FOLIO_LOCKED); /* it is not to be split */
    enum charge_result r = CHARGE_OOM;

    if (lock)
        f->flags |= FOLIO_LOCKED;
    mm->held = old;
    if (frames_available(mm, cpu, 1))
        r = memcg_charge(mm, cpu, memcg, 1, ctx);
    mm->held = RF_NONE;
    if (lock)
        mm->folio[old].flags &= (uint16_t)~FOLIO_LOCKED;
    return r;
}

enum fault_result do_wp_page(struct mm *mm, struct sim_cpu *cpu, uint32_t id,
                             struct fault_ctx *ctx) {
    uint64_t p = mm->pte[id];
    uint32_t old = (p & PTE_ZEROPAGE) ? RF_NONE : pte_index(p);
    uint32_t memcg = mm->proc[mm->block[id >> 9].pid].memcg;

    if (RF_UNLIKELY(mm->block[id >> 9].pmd) && wp_huge(mm, cpu, id, ctx))
        return FAULT_DONE;
    if (old != RF_NONE && may_reuse(mm, cpu, old, p)) {
        wp_note_writable(mm, &mm->folio[old]);
        mm->pte[id] = p | PTE_WRITE | PTE_DIRTY | PTE_ACCESSED | PTE_EXCLUSIVE;
        vm_count(mm, memcg, VM_pgreuse, 1);
        sim_charge(cpu, mm->p.cost.wp_reuse_ns);
        ctx->kind = ctx->kind == FK_MINOR ? FK_WP : ctx->kind;
        return FAULT_DONE;
    }
    p = mm->pte[id]; /* a huge entry may have been split */
    enum charge_result r = charge_copy(mm, cpu, memcg, old, ctx);
    if (r != CHARGE_OK)
        return FAULT_OOM;
    if (old != RF_NONE)
        sim_charge(cpu, mm->p.cost.copy_page_ns);
    if (RF_UNLIKELY(mm->pte[id] != p)) { /* pte_same() */
        memcg_uncharge(mm, memcg, 1);
        return FAULT_AGAIN;
    }
    uint32_t fresh = folio_alloc(mm, memcg);
    if (fresh == RF_NONE) {
        memcg_uncharge(mm, memcg, 1);
        return FAULT_OOM;
    }
    if (old != RF_NONE) {
        mm->x_cow_copies++;
        folio_remove_rmap(mm, old, id, pte_content(p));
        ctx->kind = FK_COW;
    } else {
        sim_charge(cpu, mm->p.cost.zero_page_ns);
    }
    map_new_folio(mm, cpu, id, fresh);
    if (old != RF_NONE && RF_UNLIKELY(folio_order(&mm->folio[old])))
        split_queue_add_partial(mm, old);
    if (old != RF_NONE && mm->folio[old].mapcount == 0 &&
        (mm->p.fault.free_idle_after_cow || !(mm->folio[old].flags & FOLIO_SWAPCACHE)))
        folio_free_if_idle(mm, cpu, old);
    return FAULT_DONE;
}

int wp_mark_ksm(struct mm *mm, uint32_t first, uint32_t n, struct rf_err *err) {
    if (n == 0 || first >= mm->p.max_ids || n > mm->p.max_ids - first)
        return rf_fail(err, RF_EINPUT, "range of %u pages at id %u, expected ids below %u", n,
                       first, mm->p.max_ids);
    for (uint32_t id = first; id < first + n; id++) {
        uint64_t p = mm->pte[id];
        struct folio *f;
        if (!(p & PTE_PRESENT) || (p & PTE_ZEROPAGE))
            continue;
        f = &mm->folio[pte_index(p)];
        if (folio_order(f) || f->mapcount > 1) /* ksmd splits the one, and copies the other */
            continue;
        f->flags |= FOLIO_KSM;
        mm->pte[id] = p & ~(uint64_t)(PTE_WRITE | PTE_EXCLUSIVE);
    }
    return RF_OK;
}
