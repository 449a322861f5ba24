/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refault distances and reclaim costs (mm/workingset.c, mm/swap.c 6.1 and 6.12). A shadow is what
 * an evicted page leaves in its slot: the lruvec's age in the upper bits, the workingset flag in
 * bit 0. The slot's own memcg field names the lruvec.
 */
#include "mm_internal.h"
#include "reclaim.h"

void workingset_age(struct mm *mm, uint32_t memcg, uint64_t nr) {
    for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent)
        mm->memcg[i].lruvec.nonresident_age += nr;
}

uint32_t workingset_eviction(struct mm *mm, const struct folio *f) {
    struct lruvec *lv = &mm->memcg[folio_memcg(f)].lruvec;

    if (mm->gen)
        return lru_gen_eviction(mm, f);
    uint32_t age = (uint32_t)lv->nonresident_age;
    workingset_age(mm, folio_memcg(f), folio_nr(f));
    return age << 1 | ((f->flags & FOLIO_WORKINGSET) ? 1u : 0u);
}

void workingset_refault(struct mm *mm, struct folio *f, uint32_t shadow) {
    uint32_t id = folio_memcg(f), nr = folio_nr(f);
    struct memcg *mc = &mm->memcg[id];

    if (mm->gen) {
        lru_gen_refault(mm, f, shadow);
        return;
    }
    vm_count(mm, id, VM_workingset_refault_anon, nr);
    if (!mm->p.reclaim.anon_workingset)
        return;
    const struct memcg_stats *s = memcg_stats_seen(mm, id);
    uint32_t distance = ((uint32_t)mc->lruvec.nonresident_age - (shadow >> 1)) & 0x7fffffffu;
    uint64_t size = memcg_swap_free(mm, id) > 0 ? s->active_anon : 0;
    if (distance > size)
        return;
    f->flags |= FOLIO_ACTIVE;
    workingset_age(mm, id, nr);
    vm_count(mm, id, VM_workingset_activate_anon, nr);
    mc->now.workingset_activate += nr;
    if (shadow & 1) {
        f->flags |= FOLIO_WORKINGSET;
        lru_note_cost(mm, id, nr, 0);
        vm_count(mm, id, VM_workingset_restore_anon, nr);
    }
}

void lru_note_cost(struct mm *mm, uint32_t memcg, uint64_t io, uint64_t rotated) {
    uint64_t cost = mm->p.reclaim.cost_io_weighted ? io * SWAP_CLUSTER_MAX + rotated : io;

    if (!cost)
        return;
    for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent) {
        struct lruvec *lv = &mm->memcg[i].lruvec;
        const struct memcg_stats *s = memcg_stats_seen(mm, i);
        uint64_t size = s->inactive_anon + s->active_anon;
        if (i == ROOT_MEMCG) /* the root's statistics contain its descendants' */
            for (uint32_t k = 1; k < mm->nr_memcgs; k++) {
                s = memcg_stats_seen(mm, k);
                size += s->inactive_anon + s->active_anon;
            }
        lv->anon_cost += cost;
        if (lv->anon_cost + lv->file_cost > size / 4) {
            lv->anon_cost /= 2;
            lv->file_cost /= 2;
        }
    }
}
