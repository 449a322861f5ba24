/* SPDX-License-Identifier: Apache-2.0 */
/* Large folios: faults that make them, splitting, the queue of those to split. */
#ifndef MM_THP_H
#define MM_THP_H

#include "mm_internal.h"

/* ---- thp.c: faults ---- */
bool vma_allows_mthp(const struct vma *v);
/* A new folio of this order, charged: RF_NONE if there is no memory for it. */
uint32_t large_alloc(struct mm *mm, struct sim_cpu *cpu, const struct vma *v, uint32_t memcg,
                     uint32_t order, struct fault_ctx *ctx, bool *charge_failed);
#define MIN_MTHP_ORDER 2u /* an anonymous folio needs room for three words of its own state */
/* Order-9 fault in a block without a page table; false if it does not apply or falls back. */
bool thp_fault(struct mm *mm, struct sim_cpu *cpu, uint32_t id, bool write, struct fault_ctx *ctx);
/* Write fault with a folio of an enabled order below 9; false if order 0 it must be. */
bool mthp_fault(struct mm *mm, struct sim_cpu *cpu, uint32_t id, struct fault_ctx *ctx);
/* Write-protect fault in a block mapped by a huge entry. True if the whole folio is reused; else
 * the entry is split, and the fault goes on with the one page. */
bool wp_huge(struct mm *mm, struct sim_cpu *cpu, uint32_t id, struct fault_ctx *ctx);
/* The block is mapped by single entries from now on. */
void block_split_pmd(struct mm *mm, uint32_t block);
/*
 * Swap fault of id on slot of a cached large folio: the number of entries to map, all or one, and
 * the first of them in *first.
 */
uint32_t large_map_range(const struct mm *mm, uint32_t id, uint32_t slot, uint32_t folio,
                         uint32_t *first);

/* ---- thp_split.c ---- */
/*
 * Splits an isolated large folio outside the swap cache. *pieces gets its mapped pages, isolated
 * and chained by `next` in ascending order; those that nobody maps are freed. False if it cannot
 * be split.
 */
bool large_split(struct mm *mm, struct sim_cpu *cpu, uint32_t folio, uint32_t *pieces);

/* ---- thp_queue.c ---- */
void split_queue_add(struct mm *mm, uint32_t folio);
/* The same if some page of the folio lost its last mapping and others did not. */
void split_queue_add_partial(struct mm *mm, uint32_t folio);
void split_queue_remove(struct mm *mm, uint32_t folio);
/* One call of the queue's shrinker. */
void split_queue_shrink(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t priority);

#endif
