/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splitting a large folio into pages (mm/huge_memory.c split_huge_page_to_list() 6.1,
 * __folio_split() 6.12). Only reclaim splits, and only outside the swap cache.
 */
#include "mm_internal.h"
#include "rmap.h"
#include "thp.h"

/* What a page takes over from the folio it was part of. */
#define INHERITED                                                                                  \
    (FOLIO_USED | FOLIO_ACTIVE | FOLIO_REFERENCED | FOLIO_WORKINGSET | FOLIO_DIRTY | FOLIO_ISOLATED)

/* Entries of one block go from the large folio to its pages. */
static void move_entries(struct mm *mm, uint32_t folio, uint32_t base, uint32_t nr,
                         const uint32_t *page) {
    for (uint32_t i = 0; i < nr; i++) {
        uint64_t p = mm->pte[base + i];
        if (!(p & PTE_PRESENT) || (p & PTE_ZEROPAGE) || pte_index(p) != folio)
            continue;
        struct folio *f = &mm->folio[page[i]];
        mm->pte[base + i] = (p & ~PTE_INDEX_MASK) | (uint64_t)page[i] << PTE_INDEX_SHIFT;
        if (f->mapcount++ == 0)
            f->owner = base + i;
    }
}

bool large_split(struct mm *mm, struct sim_cpu *cpu, uint32_t folio, uint32_t *pieces) {
    struct folio *f = &mm->folio[folio];
    uint32_t order = folio_order(f), nr = folio_nr(f), memcg = folio_memcg(f);
    uint32_t page[PMD_NR], block[FOLIO_MAX_MAPCOUNT], blocks, base = f->owner & 511u;

    /* As many ids as pages: more pages than ids are the only way to run out of them. */
    if (mm->nr_folios > mm->folio_cap || f->mapcount > FOLIO_MAX_MAPCOUNT)
        return false;
    blocks = large_blocks(mm, folio, block);
    split_queue_remove(mm, folio);
    mm->nr_folios -= nr - 1;
    mm->memcg[memcg].folio_pages -= nr - 1;
    f->memcg_order = (uint8_t)memcg;
    page[0] = folio;
    for (uint32_t i = 1; i < nr; i++) {
        page[i] = folio_alloc(mm, memcg);
        mm->folio[page[i]].flags = f->flags & INHERITED;
        if (mm->gen)
            mm->gen[page[i]] = mm->gen[folio];
    }
    f->mapcount = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        if (mm->block[block[b]].pmd)
            block_split_pmd(mm, block[b]);
        /* Page 0 keeps the folio's id, so it is done with the others. */
        move_entries(mm, folio, block[b] << 9 | base, nr, page);
    }
    *pieces = RF_NONE;
    for (uint32_t i = nr; i-- > 0;) {
        if (mm->folio[page[i]].mapcount == 0) {
            folio_free(mm, page[i]);
            continue;
        }
        mm->folio[page[i]].next = *pieces;
        *pieces = page[i];
    }
    if (order == PMD_ORDER)
        mm->c[VM_thp_split_page]++;
    mm->mthp[order][MTHP_SPLIT]++;
    sim_charge(cpu, mm->p.cost.split_thp_ns * nr / PMD_NR);
    return true;
}
