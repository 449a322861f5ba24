/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Large folios and the page-table entries that map them. Page i of a folio is found at the id i
 * behind its base in every block of the fork family; an entry holds the id of the folio, whose
 * mapcount is the number of blocks with at least one such entry.
 */
#include "mm_internal.h"
#include "rmap.h"
#include "swapcache.h"
#include "thp.h"

static uint32_t base_in(const struct folio *f, uint32_t block) {
    return block << 9 | (f->owner & 511u);
}

bool large_mapped_in(const struct mm *mm, uint32_t folio, uint32_t block, uint32_t except) {
    const struct folio *f = &mm->folio[folio];
    uint32_t base = base_in(f, block), nr = folio_nr(f);

    for (uint32_t i = 0; i < nr; i++)
        if (pte_maps(mm, base + i, folio) && base + i != except)
            return true;
    return false;
}

/* Depth first over the fork family: the block after b, RF_NONE at the end. */
static uint32_t family_next(const struct mm *mm, uint32_t root, uint32_t b) {
    if (mm->block[b].child != RF_NONE)
        return mm->block[b].child;
    while (b != root && mm->block[b].sibling == RF_NONE)
        b = mm->block[b].parent;
    return b == root ? RF_NONE : mm->block[b].sibling;
}

static uint32_t family_root(const struct mm *mm, uint32_t b) {
    while (mm->block[b].parent != RF_NONE)
        b = mm->block[b].parent;
    return b;
}

/* The blocks that map the folio, one by one. With one mapping only the owner's block is looked at.
 */
struct block_iter {
    uint32_t root, at, left;
    bool one;
};

static struct block_iter mappings(const struct mm *mm, uint32_t folio) {
    const struct folio *f = &mm->folio[folio];
    struct block_iter it = {RF_NONE, RF_NONE, f->mapcount, f->mapcount == 1};
    if (it.left)
        it.root = it.at = it.one ? f->owner >> 9 : family_root(mm, f->owner >> 9);
    return it;
}

static uint32_t next_mapping(const struct mm *mm, struct block_iter *it, uint32_t folio) {
    while (it->left && it->at != RF_NONE) {
        uint32_t b = it->at;
        it->at = it->one ? RF_NONE : family_next(mm, it->root, b);
        if (large_mapped_in(mm, folio, b, RF_NONE)) {
            it->left--;
            return b;
        }
    }
    return RF_NONE;
}

bool large_pmd_mapped(const struct mm *mm, uint32_t folio) {
    struct block_iter it = mappings(mm, folio);
    uint32_t b;

    while ((b = next_mapping(mm, &it, folio)) != RF_NONE) {
        if (mm->block[b].pmd)
            return true;
    }
    return false;
}

bool large_partially_mapped(const struct mm *mm, uint32_t folio) {
    const struct folio *f = &mm->folio[folio];
    uint64_t seen[PMD_NR / 64] = {0};
    uint32_t nr = folio_nr(f), n = 0, b;
    struct block_iter it = mappings(mm, folio);

    while ((b = next_mapping(mm, &it, folio)) != RF_NONE) {
        for (uint32_t i = 0; i < nr; i++) {
            uint64_t bit = (uint64_t)1 << (i & 63);
            if (!(seen[i >> 6] & bit) && pte_maps(mm, base_in(f, b) + i, folio)) {
                seen[i >> 6] |= bit;
                n++;
            }
        }
    }
    return n < nr;
}

uint32_t large_referenced(struct mm *mm, uint32_t folio) {
    const struct folio *f = &mm->folio[folio];
    uint32_t nr = folio_nr(f), refs = 0, b;
    struct block_iter it = mappings(mm, folio);

    while ((b = next_mapping(mm, &it, folio)) != RF_NONE) {
        uint32_t base = base_in(f, b);
        bool young = false;
        for (uint32_t i = 0; i < nr; i++) {
            if (pte_maps(mm, base + i, folio) && (mm->pte[base + i] & PTE_ACCESSED)) {
                mm->pte[base + i] &= ~(uint64_t)PTE_ACCESSED;
                young = true;
            }
        }
        refs += young;
    }
    return refs;
}

void large_unmap_to_swap(struct mm *mm, struct sim_cpu *cpu, uint32_t folio) {
    struct folio *f = &mm->folio[folio];
    uint32_t nr = folio_nr(f), b;
    bool dirty = false;
    struct block_iter it = mappings(mm, folio);

    while ((b = next_mapping(mm, &it, folio)) != RF_NONE) {
        uint32_t base = base_in(f, b);
        if (mm->block[b].pmd)
            block_split_pmd(mm, b);
        for (uint32_t i = 0; i < nr; i++) {
            uint64_t p = mm->pte[base + i];
            if (!pte_maps(mm, base + i, folio))
                continue;
            dirty |= (p & PTE_DIRTY) != 0;
            swap_duplicate(mm->swap, folio_slot(mm, f) + i);
            mm->pte[base + i] =
                pte_make(p, folio_slot(mm, f) + i, PTE_SWAP | (uint32_t)(p & PTE_EXCLUSIVE));
        }
        sim_charge(cpu, mm->p.cost.unmap_ns);
    }
    swap_age_note(mm, cpu, folio_slot(mm, f), nr);
    f->mapcount = 0;
    memcg_stat_updated(mm, folio_nr(f)); /* anon */
    if (dirty)
        f->flags |= FOLIO_DIRTY;
}

/* Block no longer maps the folio: one mapping less, and the owner is a block that still does. */
static void drop_mapping(struct mm *mm, uint32_t folio, uint32_t block) {
    struct folio *f = &mm->folio[folio];

    f->mapcount--;
    if (f->mapcount == 0 || f->owner >> 9 != block)
        return;
    uint32_t root = family_root(mm, block);
    for (uint32_t b = root; b != RF_NONE; b = family_next(mm, root, b)) {
        if (b != block && large_mapped_in(mm, folio, b, RF_NONE)) {
            f->owner = base_in(f, b);
            return;
        }
    }
}

void large_remove_rmap(struct mm *mm, uint32_t folio, uint32_t pte_id) {
    if (!large_mapped_in(mm, folio, pte_id >> 9, pte_id))
        drop_mapping(mm, folio, pte_id >> 9);
}

void large_zap(struct mm *mm, struct sim_cpu *cpu, uint32_t folio, uint32_t id, uint32_t end) {
    const struct folio *f = &mm->folio[folio];
    uint32_t block = id >> 9, stop = RF_MIN(end, base_in(f, block) + folio_nr(f));

    for (; id < stop; id++)
        if (pte_maps(mm, id, folio))
            mm->pte[id] = PTE_MAPPED;
    if (large_mapped_in(mm, folio, block, RF_NONE)) {
        split_queue_add_partial(mm, folio);
        return;
    }
    drop_mapping(mm, folio, block);
    sim_charge(cpu, mm->p.cost.zap_folio_ns);
    folio_free_if_idle(mm, cpu, folio);
}

void large_add_rmap(struct mm *mm, uint32_t folio, uint32_t base) {
    struct folio *f = &mm->folio[folio];

    if (f->mapcount == 0)
        f->owner = base;
    else if (large_mapped_in(mm, folio, base >> 9, RF_NONE))
        return;
    f->mapcount++;
}

uint32_t large_content(const struct mm *mm, const struct folio *f, uint32_t i) {
    uint32_t slot = folio_slot(mm, f) + i, block = f->owner >> 9;
    uint64_t p = mm->pte[f->owner + i];

    if ((p & PTE_SWAP) && pte_index(p) == slot)
        return pte_content(p);
    uint32_t root = family_root(mm, block);
    for (uint32_t b = root; b != RF_NONE; b = family_next(mm, root, b)) {
        p = mm->pte[base_in(f, b) + i];
        if ((p & PTE_SWAP) && pte_index(p) == slot)
            return pte_content(p);
    }
    return CONTENT_ZERO; /* nobody will read it */
}

uint32_t large_blocks(const struct mm *mm, uint32_t folio, uint32_t *block) {
    struct block_iter it = mappings(mm, folio);
    uint32_t n = 0, b;

    while ((b = next_mapping(mm, &it, folio)) != RF_NONE)
        block[n++] = b;
    return n;
}
