/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mm: address spaces and page tables, folios, faults, copy-on-write, LRU lists, reclaim, refault
 * distances and memory cgroups. This header holds what other floors may know of it: policies,
 * costs, knobs and counters; the state itself is in src/mm/.
 */
#ifndef REFAULT_MM_H
#define REFAULT_MM_H

#include "refault/base.h"
#include "refault/engine.h"

/* ---- counters, under the names of /proc/vmstat ---- */
/* clang-format off */
#define VM_COUNTERS(X) \
    X(pgfault) X(pgmajfault) X(pgreuse) X(pswpin) X(pswpout) X(zswpin) X(zswpout) X(zswpwb) \
    X(swpin_zero) X(swpout_zero) X(swap_ra) X(swap_ra_hit) X(pgscan_anon) X(pgsteal_anon) \
    X(pgscan_kswapd) X(pgscan_direct) X(pgsteal_kswapd) X(pgsteal_direct) X(pgactivate) \
    X(pgdeactivate) X(pgrefill) X(pgrotated) X(pageoutrun) X(allocstall) \
    X(workingset_refault_anon) X(workingset_activate_anon) X(workingset_restore_anon) \
    X(workingset_nodereclaim) X(nr_vmscan_write) X(thp_fault_alloc) X(thp_fault_fallback) \
    X(thp_fault_fallback_charge) X(thp_swpout) X(thp_swpout_fallback) X(thp_split_page) \
    X(thp_split_pmd) X(thp_deferred_split_page) X(kswapd_low_wmark_hit_quickly) X(kswapd_high_wmark_hit_quickly) \
    X(slabs_scanned)
/* clang-format on */

enum vm_counter {
#define X(name) VM_##name,
    VM_COUNTERS(X)
#undef X
        NR_VM_COUNTERS
};
const char *vm_counter_name(enum vm_counter c);

#define SWAP_BATCH_MAX 32u /* of vm.compress-batchsize */

/* ---- policies: what differs between kernels ---- */
enum wp_rule { WP_W0, WP_W1, WP_W1_SEED, WP_W1_WILLY, WP_W2, WP_W3 };

/* Swap-in of a whole large folio past the swap cache. */
enum large_swapin {
    LARGE_SWAPIN_NEVER,
    LARGE_SWAPIN_SYNC,  /* from synchronous devices while zswap was never enabled (6.12) */
    LARGE_SWAPIN_ZSWAP, /* from zswap ("mm: zswap: add support for zswapin of large folios", Usama
                           Arif, Oct 2024; not merged) */
};

struct fault_policy {
    uint8_t wp_rule;           /* enum wp_rule: when do_wp_page may reuse a page */
    bool map_writable_on_read; /* exclusive page mapped writable by a read fault (6.12) */
    bool count_retries;        /* pgfault counts a fault again when it is retried (to 6.4) */
    bool single_read_waits;    /* a swap-in of one page waits inside the read, not for the page's
                                  lock: no retry ("swap: add block io poll in swapin path", 4.14,
                                  to "swap: remove remnants of polling from read_swap_cache_async",
                                  6.6) */
    bool free_swap_on_write;   /* write swap fault drops the cached copy if refcount is 2 (5.18+) */
    bool drain_on_write;       /* drain the add batch when the page is not on an LRU (5.18+) */
    bool free_idle_after_cow;  /* idle old page and slot freed after a copy (5.14+) */
    bool mthp;                 /* anonymous folios of orders below 9 (6.8+) */
    uint8_t large_swapin;      /* enum large_swapin */
    uint8_t large_swapin_max_order; /* largest order of these, 0 = no bound */
    bool large_swapin_margin; /* they need max(64, nr) pages below the limit (discussion of that
                                 series, 23 Oct 2024) */
    bool zswap_skips_cache;   /* what zswap has is read past the swap cache (that series, too) */
    bool map_large_swapcache; /* a swap fault maps all of a cached large folio (6.10+), else one
                                 page */
};

struct reclaim_policy {
    uint16_t add_batch;       /* LRU-add batch: 15 to 6.8, 31 later */
    bool anon_inactive_first; /* new anon pages start inactive; two references activate (5.9+) */
    bool second_chance;       /* an accessed page at the inactive tail is kept, not reclaimed */
    bool memcg_stock;         /* charges take a batch and keep the rest in a per-CPU stock */
    uint16_t charge_batch;    /* pages of it, MEMCG_CHARGE_BATCH: 64 (6.1+), before 32 */
    bool anon_workingset;     /* refault distance for anon (5.9+) */
    bool cost_io_weighted;    /* cost = 32 * pageouts + rotated (6.2+), else pageouts */
    /* Of the memcg statistics that reclaim reads (mm/memcontrol.c memcg_rstat_updated()): */
    uint64_t stat_flush_ns;        /* flushed every so often; 0 = always exact (to 5.15) */
    uint16_t stat_flush_threshold; /* and on demand beyond so many updates a CPU, which also is
                                      the batch in which a CPU announces updates (64) */
    bool stat_flush_reclaim;       /* reclaim demands it, too; bytes of zswap are as many updates,
                                      and whole batches count, one more than CPUs (to 6.6) */
    uint16_t uncharge_batch; /* freed folios uncharged at once: 31 (6.9+); before, a whole list */
    bool split_underused;   /* PMD-sized folios join the deferred split queue when they are new, and
                               leave it at the first scan unless mapped in part (6.12+) */
    bool lru_gen_available; /* MGLRU exists (6.1+) */
    /* Of MGLRU (mm/vmscan.c, mm/workingset.c, mm/swap.c): */
    bool lru_gen_ages_apart;      /* a reclaim pass that aged evicts nothing any more (6.2+) */
    bool lru_gen_counts_refaults; /* all refaults count, the recent ones as activations; before,
                                     the recent ones, and as activations those protected (6.5+) */
    bool lru_gen_activates_each;  /* young neighbours are always activated one by one (6.3+) */
    bool lru_gen_target_first;    /* the entry that made eviction look around is no neighbour of
                                     itself, so its folio is kept, not activated (6.12+) */
    bool split_thp;      /* every anonymous large folio is split before it gets a place in swap; the
                            baseline of "mm, zswap: Support THP", Nov 2019, no kernel */
    bool batch_isolates; /* a folio in a per-CPU batch cannot be isolated (6.12+) */
};

struct mm_cost {
    uint64_t access_ns;      /* a recorded access that hits */
    uint64_t minor_fault_ns; /* entry, walk, exit */
    uint64_t guest_exit_ns;  /* on top in a virtual machine, where a fault leaves the guest */
    uint64_t swap_fault_ns;  /* on top for a swap fault, without I/O and codec */
    uint64_t swapin_page_ns; /* a page for the swap cache: allocation, charge, index */
    uint64_t zero_page_ns, copy_page_ns;
    uint64_t wp_reuse_ns;
    uint64_t scan_ns;    /* reclaim: per page looked at */
    uint64_t unmap_ns;   /* per PTE */
    uint64_t swapout_ns; /* slot, swap cache, bookkeeping per page */
    uint64_t free_ns;
    uint64_t deactivate_ns;  /* per page moved from active to inactive */
    uint64_t shrink_call_ns; /* per call into shrink_list */
    uint64_t shrink_node_ns; /* per pass over a cgroup at one priority, outside its lists */
    uint64_t split_thp_ns;   /* per 2 MiB */
    uint64_t
        swapout_large_ns; /* as swapout_ns, per page of a large folio, its unmapping included */
    uint64_t zero_thp_ns;
    uint64_t fork_pte_ns, zap_pte_ns;
    uint64_t zap_folio_ns; /* a folio that loses its mapping there: rmap, lists, freeing */
    uint64_t tick_ns;      /* 1/HZ */
    uint64_t age_pte_ns;   /* MGLRU walk, per PTE */
    /* On top, with contention: */
    uint64_t lru_lock_ns;     /* hold of the LRU lock, per folio that is moved */
    uint64_t swap_lock_ns;    /* hold of the swap device's lock, per allocation */
    uint64_t cache_line_ns;   /* a cache line that another CPU has changed */
    uint64_t lock_handoff_ns; /* a contended lock on its way to the next holder */
};

/* Whether an allocation of a large folio may reclaim (Documentation/admin-guide/mm/transhuge.rst):
 * directly, by kswapd, directly where madvised and else by kswapd, only where madvised, not. */
enum thp_defrag_mode {
    THP_DEFRAG_ALWAYS,
    THP_DEFRAG_DEFER,
    THP_DEFRAG_DEFER_MADVISE,
    THP_DEFRAG_MADVISE,
    THP_DEFRAG_NEVER
};

/* A fork takes a stack of 4 pages, a PGD of 2 (x86-64 with page-table isolation built in), some ten
 * upper and lower page tables of text, data, libraries and stack, and objects of 20 KiB in all
 * (6.1: task_struct 8448, sighand 2112, signal 1152, mm 1152, files 704 bytes, and per VMA 152 +
 * 104 + 64).
 */
#define FORK_PAGES_DEFAULT 21u

struct mm_knobs {
    uint64_t ram_pages; /* totalram */
    uint32_t cpus, swappiness, page_cluster, watermark_scale_factor;
    uint64_t min_free_kbytes;   /* 0 = the kernel's formula */
    uint32_t fork_pages;        /* charged for a forked process beside its traced pages */
    uint32_t fork_parent_pages; /* and for one with children */
    bool vma_ra_enabled, lru_gen_enabled, thp_always, thp_madvise;
    uint8_t thp_defrag;  /* enum thp_defrag_mode */
    uint32_t thp_orders; /* bit o: folios of order o below PMD order are allowed */
    uint64_t memory_max, memory_high, memory_swap_max, memory_zswap_max; /* pages, UINT64_MAX=max */
    uint32_t compress_batchsize;  /* folios that reclaim stores in zswap together, 1 to 32 */
    bool contention;              /* CPUs wait for each other's locks */
    bool guests;                  /* processes are virtual machines: faults leave a guest */
    bool singlemapped_ra_enabled; /* with batches of loads: readahead from synchronous devices */
    bool cgroup_v1;               /* memory_max is memory.limit_in_bytes of a v1 hierarchy */
    uint64_t memsw_max;           /* v1: memory.memsw.limit_in_bytes in pages, UINT64_MAX = max */
    bool memory_zswap_writeback;
};

#endif
