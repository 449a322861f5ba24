/* SPDX-License-Identifier: Apache-2.0 */
/* Reclaim: drivers, watermarks, kswapd, and the scan of one list. */
#ifndef MM_RECLAIM_H
#define MM_RECLAIM_H

#include "mm_internal.h"

#define SWAP_CLUSTER_MAX 32u /* include/linux/swap.h 6.1 */
#define DEF_PRIORITY 12      /* include/linux/mmzone.h 6.1 */

/* ---- reclaim.c, reclaim_lists.c ---- */
#define RECLAIM_KSWAPD 1u
uint64_t try_to_free_pages(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint64_t nr,
                           unsigned flags);
/* One allocation of nr frames: wakes kswapd, reclaims directly below MIN. false = OOM. */
bool frames_available(struct mm *mm, struct sim_cpu *cpu, uint32_t nr);
/* The same for a large folio, which is given up rather than waited for: wake = the allocation may
 * wake kswapd, direct = it may reclaim once. */
bool frames_available_large(struct mm *mm, struct sim_cpu *cpu, uint32_t nr, bool wake,
                            bool direct);
bool kswapd_run(struct mm *mm, struct sim_cpu *cpu); /* true if it has more to do */
void watermarks_init(struct mm *mm);
/* Objects that a shrinker of `count` scans at a priority; *deferred is what it puts off. */
uint64_t shrinker_scan(uint64_t count, uint32_t priority, uint64_t *deferred);

struct scan_control {
    uint32_t target; /* memcg, ROOT_MEMCG for global */
    bool global, kswapd;
    int priority;
    uint64_t nr_to_reclaim, nr_reclaimed, nr_scanned;
    bool may_deactivate, force_deactivate, skipped_deactivate;
    uint64_t anon_cost, file_cost;
};
uint64_t shrink_inactive_list(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr,
                              struct scan_control *sc);
void shrink_active_list(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr);
struct write_batch {
    uint32_t n, folio[SWAP_BATCH_MAX];
};
/* Fate of isolated folios; kept ones stay in list[0..*nr), freed ones are gone. */
struct shrink_stat {
    uint64_t reclaimed, pageouts, activated, immediate;
    /* Kept pages of split folios and what was kept after them, linked by `next`, where the list has
     * no room: they follow those of the list. */
    uint32_t nr_more, more_first, more_last;
    uint32_t to_uncharge;      /* freed, but still charged: uncharged in one go */
    struct write_batch *batch; /* collects what is to be written; NULL = written at once */
    struct lru_list *from;     /* list that the folios were on, to look ahead in; may be NULL */
};
void shrink_folio_list(struct mm *mm, struct sim_cpu *cpu, uint32_t *list, uint32_t *nr,
                       struct scan_control *sc, struct shrink_stat *st);

void count_scan(struct mm *mm, uint32_t memcg, const struct scan_control *sc, uint64_t n);
void count_steal(struct mm *mm, uint32_t memcg, const struct scan_control *sc, uint64_t n);

#endif
