/* SPDX-License-Identifier: Apache-2.0 */
/* Reverse mapping: the page-table entries that map a folio. */
#ifndef MM_RMAP_H
#define MM_RMAP_H

#include "mm_internal.h"

/* ---- rmap.c ---- */
static inline bool pte_maps(const struct mm *mm, uint32_t pte_id, uint32_t folio) {
    uint64_t p = mm->pte[pte_id];
    return (p & PTE_PRESENT) && !(p & PTE_ZEROPAGE) && pte_index(p) == folio;
}
typedef bool (*rmap_fn)(struct mm *mm, uint32_t pte_id, void *arg); /* false stops */
void rmap_walk(struct mm *mm, uint32_t folio, rmap_fn fn, void *arg);
/* Clears the accessed bits; number of mappings in which one was set. */
uint32_t folio_referenced(struct mm *mm, uint32_t folio);
/* Replaces every mapping by a swap entry of the folio's slot; returns its content. */
void folio_unmap_to_swap(struct mm *mm, struct sim_cpu *cpu, uint32_t folio);
/* A mapping goes away: keeps `owner` valid. new_content is what an unmapped folio keeps. */
void folio_remove_rmap(struct mm *mm, uint32_t folio, uint32_t pte_id, uint32_t content);

/* ---- thp_rmap.c: large folios and the entries that map them ---- */
bool large_mapped_in(const struct mm *mm, uint32_t folio, uint32_t block, uint32_t except);
bool large_pmd_mapped(const struct mm *mm, uint32_t folio);
/* Some page of it is mapped by nobody. */
bool large_partially_mapped(const struct mm *mm, uint32_t folio);
uint32_t large_referenced(struct mm *mm, uint32_t folio);
void large_unmap_to_swap(struct mm *mm, struct sim_cpu *cpu, uint32_t folio);
/* An entry that maps it goes away: the caller clears it before or afterwards. */
void large_remove_rmap(struct mm *mm, uint32_t folio, uint32_t pte_id);
/* Clears all entries in [id, end) that map the folio; frees it if nothing else keeps it. */
void large_zap(struct mm *mm, struct sim_cpu *cpu, uint32_t folio, uint32_t id, uint32_t end);
/* The block of base, where page 0 belongs, is about to map some of it: counts it unless it does. */
void large_add_rmap(struct mm *mm, uint32_t folio, uint32_t base);
/* The blocks that map it, at most FOLIO_MAX_MAPCOUNT; their number. */
uint32_t large_blocks(const struct mm *mm, uint32_t folio, uint32_t *block);
/* Content of page i while it is out of the page tables and in the swap cache. */
uint32_t large_content(const struct mm *mm, const struct folio *f, uint32_t i);

#endif
