/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reverse mapping. A folio names one PTE that maps it; further mappings exist only through fork and
 * are found at the same index of the block's family (blocks copied from one another).
 */
#include "mm_internal.h"
#include "rmap.h"

void rmap_walk(struct mm *mm, uint32_t folio, rmap_fn fn, void *arg) {
    const struct folio *f = &mm->folio[folio];
    uint32_t left = f->mapcount;

    if (left == 0)
        return;
    if (left == 1) {
        fn(mm, f->owner, arg);
        return;
    }
    uint32_t index = f->owner & 511u;
    uint32_t b = f->owner >> 9;
    while (mm->block[b].parent != RF_NONE)
        b = mm->block[b].parent;
    uint32_t root = b;
    for (;;) { /* depth first over the family */
        if (pte_maps(mm, b << 9 | index, folio)) {
            left--;
            if (!fn(mm, b << 9 | index, arg) || !left)
                return;
        }
        if (mm->block[b].child != RF_NONE) {
            b = mm->block[b].child;
            continue;
        }
        while (b != root && mm->block[b].sibling == RF_NONE)
            b = mm->block[b].parent;
        if (b == root)
            return;
        b = mm->block[b].sibling;
    }
}

static bool clear_young(struct mm *mm, uint32_t pte_id, void *arg) {
    uint32_t *n = arg;
    if (mm->pte[pte_id] & PTE_ACCESSED) {
        mm->pte[pte_id] &= ~(uint64_t)PTE_ACCESSED;
        ++*n;
    }
    return true;
}

uint32_t folio_referenced(struct mm *mm, uint32_t folio) {
    uint32_t n = 0;
    if (RF_UNLIKELY(folio_order(&mm->folio[folio])))
        return large_referenced(mm, folio);
    if (mm->folio[folio].mapcount == 1)
        clear_young(mm, mm->folio[folio].owner, &n);
    else
        rmap_walk(mm, folio, clear_young, &n);
    return n;
}

struct unmap_arg {
    uint32_t slot, content, n;
    bool dirty;
};

static bool unmap_one(struct mm *mm, uint32_t pte_id, void *arg) {
    struct unmap_arg *u = arg;
    uint64_t p = mm->pte[pte_id];

    u->content = pte_content(p);
    u->dirty |= (p & PTE_DIRTY) != 0;
    swap_duplicate(mm->swap, u->slot);
    mm->pte[pte_id] = pte_make(p, u->slot, PTE_SWAP | (uint32_t)(p & PTE_EXCLUSIVE));
    u->n++;
    return true;
}

void folio_unmap_to_swap(struct mm *mm, struct sim_cpu *cpu, uint32_t folio) {
    struct folio *f = &mm->folio[folio];
    struct unmap_arg u = {.slot = folio_slot(mm, f), .content = f->owner};

    if (RF_UNLIKELY(folio_order(f))) {
        large_unmap_to_swap(mm, cpu, folio);
        return;
    }
    if (f->mapcount == 1)
        unmap_one(mm, f->owner, &u);
    else
        rmap_walk(mm, folio, unmap_one, &u);
    sim_charge(cpu, mm->p.cost.unmap_ns * u.n);
    swap_age_note(mm, cpu, u.slot, 1);
    f->mapcount = 0;
    memcg_stat_updated(mm, 1); /* anon */
    f->owner = u.content;
    if (u.dirty)
        f->flags |= FOLIO_DIRTY;
}

struct other_arg {
    uint32_t not_this, found;
};

static bool find_other(struct mm *mm, uint32_t pte_id, void *arg) {
    struct other_arg *o = arg;
    (void)mm;
    if (pte_id == o->not_this)
        return true;
    o->found = pte_id;
    return false;
}

void folio_remove_rmap(struct mm *mm, uint32_t folio, uint32_t pte_id, uint32_t content) {
    struct folio *f = &mm->folio[folio];

    if (RF_UNLIKELY(folio_order(f))) {
        large_remove_rmap(mm, folio, pte_id);
        return;
    }
    if (f->mapcount == 1) {
        f->mapcount = 0;
        memcg_stat_updated(mm, 1); /* anon */
        f->owner = content;
        return;
    }
    if (f->owner == pte_id) {
        struct other_arg o = {pte_id, RF_NONE};
        rmap_walk(mm, folio, find_other, &o);
        f->owner = o.found;
    }
    f->mapcount--;
}
