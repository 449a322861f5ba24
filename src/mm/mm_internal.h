/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mm: the modelled kernel's memory management. State is plain arrays of small integers indexed by
 * 32-bit ids: page-table entries by page id (8 bytes), folios by folio id (16 bytes), swap slots by
 * slot id (swap.h). A page id is block << 9 | index in a 2 MiB-aligned range of one process, so one
 * flat array is every process' page table. Folios are owned by whoever holds them: an LRU list, a
 * per-CPU batch, or the reclaim pass that isolated them.
 */
#ifndef MM_INTERNAL_H
#define MM_INTERNAL_H

#include "refault/blk.h"
#include "refault/calendar.h"
#include "refault/content.h"
#include "refault/mm.h"
#include "refault/swap.h"
#include "refault/zram.h"
#include "refault/zswap.h"
#include "swap_age.h"

/* ---- page-table entries ---- */
#define PTE_PRESENT 0x01u
#define PTE_ACCESSED 0x02u
#define PTE_DIRTY 0x04u
#define PTE_WRITE 0x08u
#define PTE_SWAP 0x10u /* not present: index is a swap slot */
#define PTE_EXCLUSIVE 0x20u
#define PTE_MAPPED 0x40u   /* the id belongs to a mapping */
#define PTE_ZEROPAGE 0x80u /* present, maps the shared zero page: no folio */
#define PTE_INDEX_SHIFT 8
#define PTE_CONTENT_SHIFT 36
#define PTE_INDEX_MASK ((uint64_t)0x0fffffff << PTE_INDEX_SHIFT)
#define PTE_CONTENT_MASK ((uint64_t)0x0fffffff << PTE_CONTENT_SHIFT)

static inline uint32_t pte_index(uint64_t p) {
    return (uint32_t)(p >> PTE_INDEX_SHIFT) & 0x0fffffffu;
}
static inline uint32_t pte_content(uint64_t p) {
    return (uint32_t)(p >> PTE_CONTENT_SHIFT);
}
static inline uint64_t pte_set_content(uint64_t p, uint32_t content) {
    return (p & ~PTE_CONTENT_MASK) | (uint64_t)content << PTE_CONTENT_SHIFT;
}
/* The entry's content and mapping bit, with new flags and index. */
static inline uint64_t pte_make(uint64_t old, uint32_t index, uint32_t flags) {
    return (old & (PTE_CONTENT_MASK | PTE_MAPPED)) | (uint64_t)index << PTE_INDEX_SHIFT | flags;
}

/* ---- folios ---- */
#define FOLIO_LRU 0x0001u /* on an LRU list */
#define FOLIO_ACTIVE 0x0002u
#define FOLIO_REFERENCED 0x0004u
#define FOLIO_WORKINGSET 0x0008u
#define FOLIO_DIRTY 0x0010u
#define FOLIO_WRITEBACK 0x0020u
#define FOLIO_RECLAIM 0x0040u /* shares its bit with readahead, as in the kernel */
#define FOLIO_SWAPCACHE 0x0080u
#define FOLIO_LOCKED 0x0100u    /* a device read into it is in flight */
#define FOLIO_IN_BATCH 0x0200u  /* in a per-CPU LRU-add batch: one more reference */
#define FOLIO_ISOLATED 0x0400u  /* held by a reclaim pass */
#define FOLIO_IN_ROTATE 0x0800u /* in a rotation or activation batch: one more reference */
#define FOLIO_KSM 0x1000u
#define FOLIO_STABLE_WB 0x2000u /* under writeback to a device that needs stable pages */
#define FOLIO_USED 0x4000u      /* allocated */
#define FOLIO_DEFERRED 0x8000u  /* large: in its memcg's deferred split queue */

/* Slab objects charged for a task's mapping besides its page tables, x86-64: VMA 200, maple node
 * 256, anon_vma 88, anon_vma_chain 64 bytes (/proc/slabinfo). */
#define TASK_SLAB_BYTES 608u

#define PMD_ORDER 9u
#define PMD_NR 512u

#define FOLIO_MAX_MAPCOUNT 250u /* more sharers than this copy at fork */

struct folio {
    uint32_t prev, next; /* LRU links; next also links free folios; see folio_slot() for prev */
    uint32_t owner;      /* a PTE that maps it; if unmapped, the content id of its data; of a large
                            folio always the id of its first page in some process */
    uint16_t flags;
    uint8_t mapcount;    /* mappings; a large folio counts the processes that map it */
    uint8_t memcg_order; /* memcg id in the low 4 bits, order in the high 4 */
};

enum lru { LRU_INACTIVE_ANON, LRU_ACTIVE_ANON, NR_LRU };

struct lru_list {
    uint32_t head, tail; /* folio ids, RF_NONE if empty; new items at the head */
    uint64_t nr;         /* pages */
};

/* MGLRU state of a lruvec (anon only). */
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

/* Per-memcg statistics that reclaim reads; `seen` is what a rate-limited flush last made visible
 * (mm/memcontrol.c 6.7+). */
struct memcg_stats {
    uint64_t inactive_anon, active_anon, workingset_activate, zswap_bytes, zswapped;
};

#define MEMCG_UNLIMITED UINT64_MAX
#define MEMCG_CHARGE_BATCH 64u
#define MAX_RECLAIM_RETRIES 16u
#define SWAP_CLUSTER_MAX 32u
#define DEF_PRIORITY 12
#define MAX_MEMCGS 16u
#define ROOT_MEMCG 0u

struct memcg {
    uint32_t id, parent;
    bool online;
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

#define BATCH_MAX 31
struct folio_batch {
    uint32_t n;
    uint32_t folio[BATCH_MAX];
};

struct mm_cpu {
    uint32_t stock_memcg, stock_nr;
    uint32_t obj_memcg, obj_bytes;
    uint32_t stat_updates; /* of memcg statistics, not announced yet */
    uint32_t over_high; /* kernel memory charged above memory.high, for the next return to user */
    struct folio_batch add, rotate, activate;
};

/* ---- address spaces ---- */
struct vma {
    uint32_t pid;
    uint64_t lo, hi; /* virtual pages covered by its pieces so far */
    uint32_t flags;
    struct swap_vma_ra ra;
};
/* The part of one VMA that lies in one block. */
struct vma_piece {
    uint32_t vma;
    uint16_t lo, hi; /* indexes within the block, [lo, hi) */
    uint32_t next;   /* further piece of the same block */
};
struct block {
    uint64_t vpn; /* of index 0 */
    uint32_t pid, pieces;
    uint32_t parent, child, sibling; /* fork family, for reverse mapping */
    bool table;                      /* a page table page is allocated and charged */
    bool listed;                     /* in its process' list of blocks */
    uint8_t lru_filter;              /* MGLRU: filters that contain the block's page table */
    bool pmd;                        /* mapped by one huge entry: a PMD-sized folio or the huge zero
                                        page. Its PTEs are filled in all the same. */
};
struct process {
    bool alive;
    uint32_t memcg, kernel_pages;
    uint64_t lru_walked; /* MGLRU: when it was last walked, see gen_age(); 0 = not yet */
    uint32_t *blocks;
    uint32_t nblocks, cap;
};

enum fault_result { FAULT_DONE, FAULT_RETRY, FAULT_OOM };
enum fault_kind {
    FK_MINOR,
    FK_WP,
    FK_COW,
    FK_CACHE_HIT,
    FK_ZERO,
    FK_ZSWAP,
    FK_ZRAM,
    FK_DEVICE,
    NR_FAULT_KINDS
};
/* "fault.minor", ... */
const char *fault_kind_name(enum fault_kind kind);

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

/* What a fault that is tried again must remember. */
struct fault_ctx {
    uint32_t id;
    bool active, counted, major, wait_folio_set;
    bool in_read; /* waits inside a read: going on is not a retry */
    uint8_t kind;
    uint32_t wait_folio;
    uint32_t content; /* what the store leaves in the page, RF_NONE if that is not known */
    rf_time start;
    uint32_t charge_retries;
    bool charge_drained, charge_flushed;
    uint32_t charge_rounds;
    uint32_t over_high; /* pages charged above memory.high */
    rf_time wait_until;
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
    struct mm_cpu *cpu;
    struct sim_cpu *cur;             /* whose code runs now */
    bool in_fault;                   /* it handles a page fault */
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
static inline uint32_t folio_memcg(const struct folio *f) {
    return f->memcg_order & 15u;
}
static inline uint32_t folio_order(const struct folio *f) {
    return (uint32_t)f->memcg_order >> 4;
}
static inline uint32_t folio_nr(const struct folio *f) {
    return 1u << folio_order(f);
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
/* Some memcg statistic changed by n (mm/memcontrol.c memcg_rstat_updated()). */
void memcg_announce_updates(struct mm *mm, struct mm_cpu *c);
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
/* References besides the caller's own: mappings, swap cache, per-CPU batches. */
static inline uint32_t folio_refs(const struct folio *f) {
    return (uint32_t)f->mapcount + ((f->flags & FOLIO_SWAPCACHE) ? folio_nr(f) : 0) +
           ((f->flags & FOLIO_IN_BATCH) ? 1 : 0) + ((f->flags & FOLIO_IN_ROTATE) ? 1 : 0);
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

/* Waits for a lock where CPUs wait for each other. */
static inline void mm_lock(struct mm *mm, struct sim_cpu *cpu, struct sim_spin *l,
                           uint64_t hold_ns) {
    if (RF_UNLIKELY(mm->p.knobs.contention))
        (void)sim_spin_hold(l, cpu, hold_ns, mm->p.cost.lock_handoff_ns);
}
static inline void lru_lock(struct mm *mm, struct sim_cpu *cpu, uint32_t folios) {
    if (folios)
        mm_lock(mm, cpu, &mm->lru_lock, mm->p.cost.lru_lock_ns * folios);
}

/* ---- folio.c ---- */
uint32_t folio_alloc(struct mm *mm, uint32_t memcg);
void folio_free(struct mm *mm, uint32_t id);    /* uncharges; must be on no list */
void folio_release(struct mm *mm, uint32_t id); /* frees without uncharging: the caller does */
void lru_list_init(struct lru_list *l);
void lru_push_head(struct mm *mm, struct lru_list *l, uint32_t id);
void lru_push_tail(struct mm *mm, struct lru_list *l, uint32_t id);
void lru_unlink(struct mm *mm, struct lru_list *l, uint32_t id);
void folio_lru_insert(struct mm *mm, uint32_t id, bool tail); /* list by FOLIO_ACTIVE */
void folio_lru_remove(struct mm *mm, uint32_t id);            /* the caller counts the update */
/* Next to `older`, on the side of the head; RF_NONE = at the tail. With generations at the head. */
void folio_lru_insert_newer(struct mm *mm, uint32_t id, uint32_t older);
void folio_add_lru(struct mm *mm, struct sim_cpu *cpu, uint32_t id);
void folio_rotate_reclaimable(struct mm *mm, struct sim_cpu *cpu, uint32_t id);
void lru_add_drain(struct mm *mm, struct sim_cpu *cpu);
void folio_forget_batches(struct mm *mm, uint32_t id); /* drops it from any CPU's batches */

/* ---- memcg.c ---- */
enum charge_result { CHARGE_OK, CHARGE_WAIT, CHARGE_OOM };
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

/* ---- memcg_v1.c ---- */
/* The page of a slot leaves memory, or comes back and is charged; nothing in v2. */
void memcg_v1_swapout(struct mm *mm, uint32_t slot, uint32_t memcg);
void memcg_v1_swapin(struct mm *mm, uint32_t slot);
static inline uint32_t slot_memcg(const struct mm *mm, uint32_t slot) {
    return (uint32_t)mm->swap->meta[slot].flags >> SLOT_MEMCG_SHIFT;
}
static inline void set_slot_memcg(struct mm *mm, uint32_t slot, uint32_t memcg) {
    struct swap_slot_meta *m = &mm->swap->meta[slot];
    m->flags = (uint8_t)((m->flags & 0x0f) | memcg << SLOT_MEMCG_SHIFT);
}

/* ---- workingset.c ---- */
uint32_t workingset_eviction(struct mm *mm, const struct folio *f);
void workingset_refault(struct mm *mm, struct folio *f, uint32_t shadow);
void workingset_age(struct mm *mm, uint32_t memcg, uint64_t nr);
void lru_note_cost(struct mm *mm, uint32_t memcg, uint64_t io, uint64_t rotated);

/* ---- rmap.c ---- */
typedef bool (*rmap_fn)(struct mm *mm, uint32_t pte_id, void *arg); /* false stops */
void rmap_walk(struct mm *mm, uint32_t folio, rmap_fn fn, void *arg);
/* Clears the accessed bits; number of mappings in which one was set. */
uint32_t folio_referenced(struct mm *mm, uint32_t folio);
/* Replaces every mapping by a swap entry of the folio's slot; returns its content. */
void folio_unmap_to_swap(struct mm *mm, struct sim_cpu *cpu, uint32_t folio);
/* A mapping goes away: keeps `owner` valid. new_content is what an unmapped folio keeps. */
void folio_remove_rmap(struct mm *mm, uint32_t folio, uint32_t pte_id, uint32_t content);

/* ---- swapcache.c ---- */
#define SWAPCACHE_NONE 0
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

/* ---- fault.c ---- */
enum fault_result handle_fault(struct mm *mm, struct sim_cpu *cpu, uint32_t id, bool write,
                               struct fault_ctx *ctx);
struct vma *vma_of(struct mm *mm, uint32_t id, uint32_t *lo_id, uint32_t *hi_id);

/* ---- wp.c ---- */
/* An entry that maps the folio is about to become writable: counts what must never be. */
void wp_note_writable(struct mm *mm, const struct folio *f);
/* The resident small pages among the ids become KSM pages, as ksmd leaves them: write-protected,
 * copied by every store. That equal pages share memory then is not modelled. */
int wp_mark_ksm(struct mm *mm, uint32_t first, uint32_t n, struct rf_err *err) RF_MUST_CHECK;
enum fault_result do_wp_page(struct mm *mm, struct sim_cpu *cpu, uint32_t id,
                             struct fault_ctx *ctx);

/* ---- readahead.c ---- */
/* Brings slot of page id in with its neighbours; *out the target's folio. single_mapped: the device
 * is synchronous and the slot has one user. */
enum charge_result swapin_readahead(struct mm *mm, struct sim_cpu *cpu, uint32_t id, uint32_t slot,
                                    bool single_mapped, struct fault_ctx *ctx, uint32_t *out,
                                    uint8_t *kind);

/* ---- swapin.c ---- */
/* Whether a fault on slot reads past the swap cache. */
bool swapin_skips_cache(const struct mm *mm, uint32_t slot);
/* Does so, for a whole large folio where that is allowed: *out is it, or a folio that meanwhile is
 * in the swap cache, or RF_NONE if meanwhile the slot must be read through the swap cache. */
enum charge_result swapin_direct(struct mm *mm, struct sim_cpu *cpu, uint32_t id, uint32_t slot,
                                 struct fault_ctx *ctx, uint32_t *out);

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
    uint32_t fetch;            /* where the list goes on: brought into the cache meanwhile */
};
void shrink_folio_list(struct mm *mm, struct sim_cpu *cpu, uint32_t *list, uint32_t *nr,
                       struct scan_control *sc, struct shrink_stat *st);

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

void count_scan(struct mm *mm, uint32_t memcg, const struct scan_control *sc, uint64_t n);
void count_steal(struct mm *mm, uint32_t memcg, const struct scan_control *sc, uint64_t n);

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

/* ---- space.c ---- */
int space_process(struct mm *mm, struct sim_cpu *cpu, uint32_t pid, uint32_t memcg, bool forked,
                  struct rf_err *err) RF_MUST_CHECK;
int space_map(struct mm *mm, uint32_t pid, uint32_t vma, uint32_t first, uint32_t n, uint64_t vpn,
              uint32_t flags, struct rf_err *err) RF_MUST_CHECK;
int space_zap(struct mm *mm, struct sim_cpu *cpu, uint32_t first, uint32_t n, bool unmap,
              struct rf_err *err) RF_MUST_CHECK;
int space_fork_block(struct mm *mm, struct sim_cpu *cpu, uint32_t child_block,
                     uint32_t parent_block, struct rf_err *err) RF_MUST_CHECK;
int space_exit(struct mm *mm, struct sim_cpu *cpu, uint32_t pid, bool exec,
               struct rf_err *err) RF_MUST_CHECK;
/* The table page of a block, allocated at its first fault. */
void block_touch(struct mm *mm, struct sim_cpu *cpu, uint32_t block);

/* ---- mm.c, check.c ---- */
int mm_create(const struct mm_params *p, struct mm **out, struct rf_err *err) RF_MUST_CHECK;
void mm_destroy(struct mm *mm);
int mm_check(struct mm *mm, struct rf_err *err) RF_MUST_CHECK;

#endif
