/* SPDX-License-Identifier: Apache-2.0 */
/* The swap cache and swap I/O. */
#ifndef MM_SWAPCACHE_H
#define MM_SWAPCACHE_H

#include "mm_internal.h"

uint32_t swapcache_lookup(const struct mm *mm, uint32_t slot); /* folio or RF_NONE */
bool folio_add_to_swap(struct mm *mm, struct sim_cpu *cpu, uint32_t folio);
/* Takes the folio out of the swap cache; shadow != 0 is left in its place. */
void swapcache_delete(struct mm *mm, struct sim_cpu *cpu, uint32_t folio, bool shadow,
                      uint32_t shadow_word);
/* Drops the cached copy if its slot has no users and no write is in flight. */
bool folio_free_swap(struct mm *mm, struct sim_cpu *cpu, uint32_t folio);
/* Cached, unmapped and unused: drop it and its slot (exit, copy-on-write). */
void folio_free_if_idle(struct mm *mm, struct sim_cpu *cpu, uint32_t folio);
enum write_result { WRITE_CLEAN, WRITE_ASYNC, WRITE_ACTIVATE, WRITE_KEEP };
enum write_result folio_writepage(struct mm *mm, struct sim_cpu *cpu, uint32_t folio);
/* The same for nr <= SWAP_BATCH_MAX folios, which go to zswap together. */
void folio_writepages(struct mm *mm, struct sim_cpu *cpu, const uint32_t *folio, uint32_t nr,
                      enum write_result *result);
/*
 * Reads slot into a new swap-cache folio: charge, cache, refault, LRU, read. *out gets the folio,
 * *allocated whether it is new. content: what the page holds.
 */
enum charge_result swapin_async(struct mm *mm, struct sim_cpu *cpu, uint32_t slot, uint32_t content,
                                struct fault_ctx *ctx, uint32_t *out, bool *allocated,
                                uint8_t *kind);
/* The same without the read: a new folio is locked, and the caller reads it and unlocks it. */
enum charge_result swapin_begin(struct mm *mm, struct sim_cpu *cpu, uint32_t slot, uint32_t content,
                                struct fault_ctx *ctx, uint32_t *out, bool *allocated);
uint8_t folio_read(struct mm *mm, struct sim_cpu *cpu, uint32_t folio, uint32_t slot,
                   uint32_t content, bool in_cache);
void mm_end_io(void *ctx, uint32_t folio, enum blk_op op, rf_time when);
extern const struct swap_ops mm_swap_ops;
extern const struct zswap_host_ops mm_zswap_ops;

#endif
