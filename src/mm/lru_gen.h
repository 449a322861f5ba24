/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the multi-generational LRU share. A folio's record is one byte of mm->gen: the
 * generation it belongs to, the list it is on, and its count of references. Both generations
 * differ between a promotion by the page-table walk and the next visit of eviction, which sorts.
 */
#ifndef MM_LRU_GEN_H
#define MM_LRU_GEN_H

#include "mm_internal.h"

/* include/linux/mmzone.h 6.1 */
#define MIN_NR_GENS 2u
#define MIN_LRU_BATCH 64u   /* folios isolated by one call; PTEs around a young one */
#define MAX_LRU_BATCH 4096u /* folios looked at by one call */
#define LRU_REFS_MAX 3u     /* of the field; the workingset flag counts one more */

#define GEN_TAG 0x07u /* generation + 1, 0 = not on a list */
#define GEN_LIST_SHIFT 3
#define GEN_LIST 0x18u
#define GEN_REFS_SHIFT 5
#define GEN_REFS 0x60u
#define GEN_ACTIVATING 0x80u /* in a per-CPU activation batch, not a rotation batch */

static inline uint32_t gen_of(uint64_t seq) {
    return (uint32_t)(seq % LRU_GEN_MAX);
}
static inline uint32_t nr_gens(const struct lru_gen *g) {
    return (uint32_t)(g->max_seq - g->min_seq + 1);
}
static inline struct lru_gen *gen_lruvec(struct mm *mm, const struct folio *f) {
    return &mm->memcg[folio_memcg(f)].lruvec.lru_gen;
}
/* The folio's generation, or -1 if it is on no list. */
static inline int folio_gen(const struct mm *mm, uint32_t id) {
    return (int)(mm->gen[id] & GEN_TAG) - 1;
}
static inline void clear_refs(struct mm *mm, uint32_t id) {
    mm->gen[id] &= (uint8_t)~GEN_REFS;
    mm->folio[id].flags &= (uint16_t) ~(FOLIO_REFERENCED | FOLIO_WORKINGSET);
}

/* ---- lru_gen.c ---- */
/* Gives a folio on a list another generation; the list stays. */
void gen_retag(struct mm *mm, uint32_t id, uint32_t gen);
/* Moves a folio to another list. */
void gen_move(struct mm *mm, uint32_t id, uint32_t list, bool tail);
/* Found young: to the youngest generation, or, while isolated, only marked. */
void gen_promote(struct mm *mm, uint32_t id, uint32_t gen);
/* Into this CPU's activation batch. */
void gen_activate(struct mm *mm, struct sim_cpu *cpu, uint32_t id);
/* References beyond the first, and the tier they make: ceil(log2(refs + 1)). */
uint32_t gen_refs(const struct mm *mm, uint32_t id);
uint32_t gen_tier(uint32_t refs);
/* Starts generation max_seq + 1. */
void gen_inc_max_seq(struct mm *mm, uint32_t memcg);
/* Leaves empty oldest generations behind; true if there was one. */
bool gen_inc_min_seq(struct lru_gen *g);
/* First tier whose refaults say that it must not be evicted with tier 0, minus one. */
uint32_t gen_tier_limit(const struct lru_gen *g);

/* ---- lru_gen_age.c ---- */
/* Walks the page tables of the cgroup's processes and starts a new generation. */
void gen_age(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg);

#endif
