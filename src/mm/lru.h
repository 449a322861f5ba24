/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lists that reclaim takes folios from: active and inactive, or generations; what an evicted
 * page leaves behind, and when it comes back.
 */
#ifndef MM_LRU_H
#define MM_LRU_H

#include <stdbool.h>
#include <stdint.h>

struct mm;
struct mm_cpu;
struct sim_cpu;
struct folio;
struct scan_control;

enum lru { LRU_INACTIVE_ANON, LRU_ACTIVE_ANON, NR_LRU };

#define LRU_MARK_SHIFT 6
#define LRU_WALKS 4
struct lru_list {
    uint32_t head, tail; /* folio ids, RF_NONE if empty; new items at the head */
    uint64_t nr;         /* pages */
    /* Looking ahead, see lru_ahead.h */
    uint64_t pushed;    /* pages that came to the head since the start */
    uint64_t next_mark; /* where the next walk begins */
    uint32_t *mark;     /* ring of folio ids, one every 2^LRU_MARK_SHIFT of those pages, or NULL */
    uint32_t walks;     /* under way */
    struct lru_walk {
        uint32_t folio, left;
    } walk[LRU_WALKS];
};

/* MGLRU state of a lruvec (anon only). MAX_NR_GENS and MAX_NR_TIERS (include/linux/mmzone.h 6.1).
 */
#define LRU_GEN_MAX 4
#define LRU_GEN_TIERS 4
struct lru_gen {
    uint64_t max_seq, min_seq;
    struct lru_list gen[LRU_GEN_MAX];
    uint64_t nr_pages[LRU_GEN_MAX]; /* by generation, which need not be that of the list */
    /* Per tier: counts since min_seq last moved, and halving averages of them. */
    uint64_t refaulted[LRU_GEN_TIERS], evicted[LRU_GEN_TIERS], protect[LRU_GEN_TIERS];
    uint64_t avg_refaulted[LRU_GEN_TIERS], avg_total[LRU_GEN_TIERS];
    uint8_t filters; /* bit seq & 1: a filter of page tables to walk exists for that sequence */
    bool mm_walk;    /* the running reclaim has a record for batched updates */
};

struct lruvec {
    struct lru_list list[NR_LRU];
    uint64_t nonresident_age;
    uint64_t anon_cost, file_cost;
    uint64_t refaults_snapshot; /* workingset_activate when the last reclaim ended */
    struct lru_gen lru_gen;
};

/* ---- folio.c ---- */
void lru_list_init(struct lru_list *l);
void lru_push_head(struct mm *mm, struct lru_list *l, uint32_t id);
void lru_push_tail(struct mm *mm, struct lru_list *l, uint32_t id);
void lru_unlink(struct mm *mm, struct lru_list *l, uint32_t id);
void folio_lru_insert(struct mm *mm, uint32_t id, bool tail); /* list by FOLIO_ACTIVE */
void folio_lru_remove(struct mm *mm, uint32_t id);            /* the caller counts the update */
/* Next to `older`, on the side of the head; RF_NONE = at the tail. With generations at the head. */
void folio_lru_insert_newer(struct mm *mm, uint32_t id, uint32_t older);

/* ---- workingset.c ---- */
uint32_t workingset_eviction(struct mm *mm, const struct folio *f);
void workingset_refault(struct mm *mm, struct folio *f, uint32_t shadow);
void workingset_age(struct mm *mm, uint32_t memcg, uint64_t nr);
void lru_note_cost(struct mm *mm, uint32_t memcg, uint64_t io, uint64_t rotated);

/* ---- lru_gen.c, lru_gen_evict.c, lru_gen_age.c ---- */
void lru_gen_init(struct lruvec *lv);
void lru_gen_drain(struct mm *mm, struct mm_cpu *c); /* the activation batch */
uint32_t lru_gen_eviction(struct mm *mm, const struct folio *f);
void lru_gen_refault(struct mm *mm, struct folio *f, uint32_t shadow);
/* As folio_referenced(), and looks at the neighbours of what it finds. */
uint32_t lru_gen_referenced(struct mm *mm, struct sim_cpu *cpu, uint32_t folio);
void lru_gen_insert(struct mm *mm, uint32_t id, bool tail);
void lru_gen_remove(struct mm *mm, uint32_t id);
void lru_gen_shrink(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, struct scan_control *sc);

#endif
