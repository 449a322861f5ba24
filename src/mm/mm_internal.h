/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mm: the modelled kernel's memory management. State is plain arrays of small integers indexed by
 * 32-bit ids: page-table entries by page id (8 bytes, pte.h), folios by folio id (16 bytes,
 * folio.h), swap slots by slot id (swap.h). Here is what holds them all, and what every file needs.
 */
#ifndef MM_INTERNAL_H
#define MM_INTERNAL_H

#include "fault.h"
#include "folio.h"
#include "lru.h"
#include "memcg.h"
#include "pte.h"
#include "refault/blk.h"
#include "refault/calendar.h"
#include "refault/content.h"
#include "refault/mm.h"
#include "refault/swap.h"
#include "refault/zram.h"
#include "refault/zswap.h"
#include "space.h"
#include "swap_age.h"

/* Per size, as in /sys/kernel/mm/transparent_hugepage/hugepages-<size>kB/stats. */
enum mthp_stat {
    MTHP_ANON_FAULT_ALLOC,
    MTHP_ANON_FAULT_FALLBACK,
    MTHP_ANON_FAULT_FALLBACK_CHARGE,
    MTHP_ZSWPOUT,
    MTHP_ZSWPIN,
    MTHP_SWPIN,
    MTHP_SWPOUT,
    MTHP_SWPOUT_FALLBACK,
    MTHP_SPLIT,
    NR_MTHP_STATS
};

enum stall_cause {
    STALL_ZSWAP_LOAD,
    STALL_ZRAM_LOAD,
    STALL_SWAP_READ,
    STALL_RECLAIM,
    STALL_HIGH,
    NR_STALLS
};

struct mm_wait_ops {
    /* A folio's I/O ended: wake whoever waits for it. */
    void (*folio_ready)(void *ctx, uint32_t folio, rf_time when);
    void (*wake_kswapd)(void *ctx, struct sim_cpu *cpu);
    void (*queue_zswap_work)(void *ctx, struct sim_cpu *cpu);
    /* A preemption point inside reclaim: lets a kernel thread that was just woken on this CPU run.
     */
    void (*cond_resched)(void *ctx, struct sim_cpu *cpu);
};

struct mm_cpu {
    uint32_t stock_memcg, stock_nr;
    uint32_t obj_memcg, obj_bytes;
    uint32_t stat_updates; /* of memcg statistics, not announced yet */
    uint32_t over_high; /* kernel memory charged above memory.high, for the next return to user */
    struct folio_batch add, rotate, activate;
};

struct mm_params {
    struct mm_knobs knobs;
    struct fault_policy fault;
    struct reclaim_policy reclaim;
    struct mm_cost cost;
    uint32_t max_ids; /* page ids: blocks * 512 */
    struct content_set *content;
    struct engine *eng;
    bool check;
    bool zswap_store_batch, zswap_invalidate_late, zswap_memcg_writeback,
        zswap_load_batch; /* of the era's zswap policy */
};

struct mm {
    struct mm_params p;
    const struct mm_wait_ops *wait;
    void *wait_ctx;

    uint64_t *pte;
    uint32_t id_mask; /* all ones; room in pte[] for every id below it */
    struct folio *folio;
    uint32_t *listed_slot; /* by folio id, see folio_slot() */
    struct rf_varr pte_arr, folio_arr, listed_slot_arr;
    uint8_t *gen; /* MGLRU: one byte a folio, see lru_gen.h; NULL if off */
    struct rf_varr gen_arr;
    uint8_t *pmd_young; /* MGLRU: blocks accessed since they were last considered for a walk */
    uint32_t folio_free, folio_end, folio_cap; /* free list head, first never used id */
    uint64_t nr_folios;                        /* pages in folios */
    struct rf_varr mark_arr;
    uint32_t mark_mask; /* of the index in lru_list.mark */

    struct block *block;
    uint32_t nr_blocks;
    struct vma_piece *piece;
    uint32_t nr_pieces, cap_pieces, free_piece;
    struct vma *vma;
    uint32_t nr_vmas, cap_vmas;
    struct process *proc;
    uint32_t nr_procs, cap_procs;

    struct memcg memcg[MAX_MEMCGS];
    uint32_t nr_memcgs;
    struct lruvec *shrunk; /* whose lists reclaim looked at last; NULL: none yet */
    struct mm_cpu *cpu;
    struct sim_cpu *cur; /* whose code runs now */
    bool in_fault;       /* it handles a page fault */
    uint32_t held;       /* folio with one more reference, that of a copy; RF_NONE: none */
    const struct observer *observer; /* NULL: nobody looks */
    uint32_t observed_pid; /* whose fault is handled, for the observer; RF_NONE: nobody's */
    uint64_t c[NR_VM_COUNTERS];
    uint64_t pool_pages;    /* frames held by zpools */
    uint64_t kernel_frames; /* page tables and tasks */
    uint64_t wmark_min, wmark_low, wmark_high;
    bool kswapd_woken;
    int kswapd_priority;
    uint64_t kswapd_reclaimed;
    uint32_t kswapd_failures;
    bool implicit_content;
    bool in_worker;         /* the zswap worker runs: its waits are no task's stalls */
    bool need_resched;      /* a kernel thread was woken on the CPU that reclaims */
    uint32_t reclaim_depth; /* PF_MEMALLOC: charges are forced */

    struct swap_area *swap;
    struct swap_cluster_ra cluster_ra;
    struct blk_dev *blk; /* NULL with zram */
    struct zram *zram;
    struct zswap *zswap;
    bool zswap_ever_enabled;
    bool swap_sync, swap_stable, vma_ra;

    struct sim_spin lru_lock, swap_lock; /* with contention */
    uint32_t *batch_content;             /* of the folios that are stored together */
    struct swap_age age;                 /* only with zswap */

    uint64_t stall_ns[NR_STALLS];
    uint64_t fault_ns;
    struct rf_hist lat[NR_FAULT_KINDS];
    uint64_t x_cow_copies, x_stable_violations, x_shared_violations, x_zero_mapped;
    uint64_t x_reclaim_calls, x_swap_full_fail, x_v1_writeback_waits;
    uint64_t x_swap_freed_clean;
    uint64_t stat_pending; /* announced updates of memcg statistics since their last flush */
    uint64_t stat_flushes;
    uint64_t pool_deferred[2]; /* zsmalloc shrinkers of zswap and zram */
    uint64_t mthp[PMD_ORDER + 1][NR_MTHP_STATS];
    bool oom;
    struct rf_err verify_err;
};

static inline struct mm_cpu *mm_cpu(struct mm *mm, const struct sim_cpu *cpu) {
    return &mm->cpu[cpu->id];
}
/* Interrupts: ends I/O whose time has come. */
static inline void mm_interrupts(struct mm *mm, const struct sim_cpu *cpu) {
    if (engine_next_event(mm->p.eng) <= cpu->now)
        engine_poll(mm->p.eng, cpu->now);
}
/*
 * Swap slot of a folio in the swap cache (the first one of a large folio), else SWAP_NO_SLOT. Few
 * folios are both there and on an LRU list: those have it in an array of its own, which takes
 * memory only where it is used. All others have it in place of the link.
 */
static inline uint32_t folio_slot(const struct mm *mm, const struct folio *f) {
    if (!(f->flags & FOLIO_SWAPCACHE))
        return SWAP_NO_SLOT;
    return (f->flags & FOLIO_LRU) ? mm->listed_slot[f - mm->folio] : f->prev;
}
static inline void folio_set_slot(struct mm *mm, struct folio *f, uint32_t slot) {
    if (f->flags & FOLIO_LRU)
        mm->listed_slot[f - mm->folio] = slot;
    else
        f->prev = slot;
}
static inline void memcg_stat_updated(struct mm *mm, uint64_t n) {
    struct mm_cpu *c = mm_cpu(mm, mm->cur);
    c->stat_updates += (uint32_t)n;
    if (RF_UNLIKELY(c->stat_updates >= mm->p.reclaim.stat_flush_threshold))
        memcg_announce_updates(mm, c);
}
/* The counters that memcgs keep among their statistics (memcg_vm_event_stat[], and those of
 * lruvecs); pgscan_anon and pgsteal_anon stand for the direct and kswapd ones. */
#define VM_BIT(name) ((uint64_t)1 << VM_##name)
#define MEMCG_STATS                                                                                \
    (VM_BIT(pgfault) | VM_BIT(pgmajfault) | VM_BIT(zswpin) | VM_BIT(zswpout) |                     \
     VM_BIT(pgscan_anon) | VM_BIT(pgsteal_anon) | VM_BIT(pgactivate) | VM_BIT(pgdeactivate) |      \
     VM_BIT(pgrefill) | VM_BIT(workingset_refault_anon) | VM_BIT(workingset_activate_anon) |       \
     VM_BIT(workingset_restore_anon) | VM_BIT(thp_fault_alloc))
static inline void vm_count(struct mm *mm, uint32_t memcg, enum vm_counter k, uint64_t n) {
    mm->c[k] += n;
    mm->memcg[memcg].c[k] += n;
    if (MEMCG_STATS >> k & 1)
        memcg_stat_updated(mm, n);
}
/* Reclaim has unmapped the pages of nr slots. */
static inline void swap_age_note(struct mm *mm, const struct sim_cpu *cpu, uint32_t slot,
                                 uint32_t nr) {
    if (mm->age.stamp)
        swap_age_note_slow(mm, cpu->now, slot, nr);
}
static inline uint64_t mm_free_frames(const struct mm *mm) {
    uint64_t used = mm->nr_folios + mm->pool_pages + mm->kernel_frames;
    return used >= mm->p.knobs.ram_pages ? 0 : mm->p.knobs.ram_pages - used;
}

static inline uint32_t slot_memcg(const struct mm *mm, uint32_t slot) {
    return (uint32_t)mm->swap->meta[slot].flags >> SLOT_MEMCG_SHIFT;
}
static inline void set_slot_memcg(struct mm *mm, uint32_t slot, uint32_t memcg) {
    struct swap_slot_meta *m = &mm->swap->meta[slot];
    m->flags = (uint8_t)((m->flags & 0x0f) | memcg << SLOT_MEMCG_SHIFT);
}

/* ---- mm.c, check.c ---- */
int mm_create(const struct mm_params *p, struct mm **out, struct rf_err *err) RF_MUST_CHECK;
void mm_destroy(struct mm *mm);
int mm_check(struct mm *mm, struct rf_err *err) RF_MUST_CHECK;

#endif
