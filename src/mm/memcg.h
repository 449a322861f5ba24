/* SPDX-License-Identifier: Apache-2.0 */
/* Memory cgroups: limits, charges, the statistics that reclaim reads. */
#ifndef MM_MEMCG_H
#define MM_MEMCG_H

#include "lru.h"
#include "refault/mm.h"

struct mm;
struct mm_cpu;
struct sim_cpu;
struct fault_ctx;

#define MEMCG_UNLIMITED UINT64_MAX
#define MAX_RECLAIM_RETRIES 16u /* mm/internal.h 6.1 */
#define MAX_MEMCGS 16u          /* of the model: four bits of a folio and of a slot name one */
#define ROOT_MEMCG 0u

/* Per-memcg statistics that reclaim reads; `seen` is what a rate-limited flush last made visible
 * (mm/memcontrol.c 6.7+). */
struct memcg_stats {
    uint64_t inactive_anon, active_anon, workingset_activate, zswap_bytes, zswapped;
};

struct memcg {
    uint32_t id, parent;
    uint64_t usage, max, high, peak; /* pages */
    uint64_t swap_usage, swap_max;
    uint64_t zswap_max; /* pages */
    bool zswap_writeback;
    uint64_t folio_pages, kernel_pages; /* what usage consists of, besides zswap and stocks */
    uint64_t obj_bytes;                 /* bytes of objects charged (zswap) */
    uint64_t nr_charged_bytes;          /* left over from drained object stocks */
    uint64_t obj_pages;                 /* pages charged for objects */
    struct memcg_stats now, seen;
    uint32_t *split_queue, nr_split, cap_split; /* see thp_queue.c; oldest first */
    uint64_t split_deferred;                    /* of its shrinker */
    struct lruvec lruvec;
    uint64_t c[NR_VM_COUNTERS];
    uint64_t ev_high, ev_max, ev_oom, ev_oom_kill, ev_swap_max, ev_swap_fail;
    /* cgroup v1: memory and swap together are usage + memsw_swap, see memcg_v1.c */
    uint64_t memsw_max, memsw_swap, memsw_peak;
    uint64_t failcnt, memsw_failcnt;
};

/* ---- memcg.c ---- */
enum charge_result { CHARGE_OK, CHARGE_OOM };
void memcg_init(struct mm *mm);
/* Charges one page of user memory for a fault; may reclaim. */
enum charge_result memcg_charge(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr,
                                struct fault_ctx *ctx);
/*
 * Charges a large folio for a fault: false makes the fault fall back to a smaller order. Reclaims
 * only if `reclaim`, and only once if `noretry`; never kills.
 */
bool memcg_charge_large(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr,
                        bool reclaim, bool noretry, struct fault_ctx *ctx);
/* Charges that cannot fail (page tables, zswap, kernel memory): over the limit if need be. */
void memcg_charge_forced(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr);
void memcg_uncharge(struct mm *mm, uint32_t memcg, uint64_t nr);
void memcg_refill_stock(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr);
void memcg_charge_kernel(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr);
void memcg_uncharge_kernel(struct mm *mm, uint32_t memcg, uint32_t nr);
void memcg_charge_obj(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t bytes);
void memcg_uncharge_obj(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t bytes);
void memcg_drain_stocks(struct mm *mm);
bool memcg_charge_swap(struct mm *mm, uint32_t memcg, uint32_t nr);
void memcg_uncharge_swap(struct mm *mm, uint32_t memcg, uint32_t nr);
bool memcg_swap_full(const struct mm *mm, uint32_t memcg);
/* Pages below the lowest limit on the way to the root, UINT64_MAX without one. */
uint64_t memcg_margin(const struct mm *mm, uint32_t memcg);
int64_t memcg_swap_free(const struct mm *mm, uint32_t memcg); /* pages it may still swap */
/* A reclaim freed nothing: waits for writes in flight, or flushes the statistics once (*flushed).
 * False if neither can help. */
bool reclaim_wait(struct mm *mm, struct sim_cpu *cpu, bool *flushed);
void memcg_flush_stats(struct mm *mm);
/* Statistics as a reader sees them that does not insist on a flush. */
const struct memcg_stats *memcg_stats_seen(const struct mm *mm, uint32_t memcg);
/* For readers that flush when enough updates are pending. */
void memcg_flush_if_pending(struct mm *mm);
/* On return to user space above memory.high: reclaims, and gives the delay to sleep. */
rf_time memcg_handle_over_high(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg,
                               struct fault_ctx *ctx);
/* Some memcg statistic changed by n (mm/memcontrol.c memcg_rstat_updated()). */
void memcg_announce_updates(struct mm *mm, struct mm_cpu *c);

/* ---- memcg_v1.c ---- */
/* The page of a slot leaves memory, or comes back and is charged; nothing in v2. */
void memcg_v1_swapout(struct mm *mm, uint32_t slot, uint32_t memcg);
void memcg_v1_swapin(struct mm *mm, uint32_t slot);

#endif
