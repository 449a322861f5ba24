/* SPDX-License-Identifier: Apache-2.0 */
/*
 * swap: slots and their allocator, the swap map, the index that holds a folio or a shadow for each
 * slot, and readahead windows. It knows nothing of folios but their 32-bit ids.
 *
 * Slot ids are dense: clusters get storage in the order of their first use, so arrays grow with
 * use and not with the size of the swap area; swap_slot_offset() gives the device offset.
 */
#ifndef REFAULT_SWAP_H
#define REFAULT_SWAP_H

#include "refault/base.h"

#define SWAP_MAP_COUNT 0x3f /* references by PTEs */
#define SWAP_HAS_CACHE 0x40
#define SWAP_CLUSTER_SLOTS 512u
#define SWAP_NO_SLOT RF_NONE

enum swap_alloc_mode {
    SWAP_ALLOC_PERCPU_CLUSTER, /* 4.x - 6.10 on SSD */
    SWAP_ALLOC_CLUSTER_LISTS,  /* 6.11/6.12 - on SSD */
};

struct swap_policy {
    uint8_t alloc_mode;          /* enum swap_alloc_mode, for non-rotational devices */
    bool cluster_for_rotational; /* 6.14+: the cluster allocator serves all devices */
    uint16_t slot_cache;         /* slots handed out and returned per CPU in batches; 0 = none */
    bool readahead_hits;         /* the window grows with hits of pages read ahead */
    bool free_half_full;         /* swapped-in pages give up their slot when swap is half full */
    bool zeromap;                /* all-zero pages are only marked (6.12+) */
    bool mthp_swapout;           /* orders between 0 and PMD get cluster runs (6.10+) */
    bool sync_skips_cache;       /* synchronous device and one user: no swap cache (4.15+) */
};

struct swap_params {
    struct swap_policy policy;
    uint64_t nr_slots; /* size of the area, header slot included */
    uint32_t cpus;
    bool rotational;
    uint64_t seed;   /* random starting column */
    bool keep_owner; /* cluster readahead: remember the PTE that each slot belongs to */
};

/* Told about slots that were in use and become free; not about those that a CPU's cache held and
 * never handed out. During both calls the slot's map byte is SWAP_HAS_CACHE and its flags and word
 * are still there; they are cleared after slot_freed. Any of them may be NULL. */
struct swap_ops {
    /* the slot enters the return cache, or is freed directly: kernels that invalidate early */
    void (*slot_returned)(void *ctx, uint32_t slot);
    /* it goes back to the allocator */
    void (*slot_freed)(void *ctx, uint32_t slot);
    /* vm_swap_full(): drop the cached-only folio of this slot; true if it is gone */
    bool (*reclaim_cached)(void *ctx, uint32_t slot);
};

/* 6 bytes a slot in two parallel arrays (and 4 more for the owner where asked for). */
struct swap_slot_meta {
    uint8_t map;   /* SWAP_MAP_COUNT | SWAP_HAS_CACHE; 0x80: more than 62 references */
    uint8_t flags; /* SLOT_ bits, and 4 bits free for the owner above */
};
#define SLOT_SHADOW 0x01    /* index word is a shadow */
#define SLOT_FOLIO 0x02     /* index word is a folio id */
#define SLOT_ZERO 0x04      /* zero map bit */
#define SLOT_IN_RETURN 0x08 /* parked in a return cache */
#define SLOT_MEMCG_SHIFT 4  /* the memcg charged, 0..15 */

struct swap_area {
    struct swap_params p;
    const struct swap_ops *ops;
    void *ops_ctx;
    uint32_t *word; /* folio id or shadow by slot */
    struct swap_slot_meta *meta;
    uint32_t *owner;          /* PTE id by slot, NULL unless keep_owner */
    uint64_t free_slots;      /* kernel's nr_swap_pages: excludes slots parked in caches */
    uint64_t total_slots;     /* usable: nr_slots - 1 */
    struct swap_alloc *alloc; /* private to slots.c */
};

/* RF_EUSAGE for fewer than two slots, no CPU or too large a slot cache, RF_ELIMIT for one that is
 * too large, RF_ENOMEM. swap_area_destroy() takes NULL, too. */
int swap_area_create(const struct swap_params *p, const struct swap_ops *ops, void *ops_ctx,
                     struct swap_area **out, struct rf_err *err) RF_MUST_CHECK;
void swap_area_destroy(struct swap_area *a);

/* One order-0 slot for a CPU (map = HAS_CACHE), SWAP_NO_SLOT if the area is full. *refilled is set
 * if the device lock was taken (slot cache miss). */
uint32_t swap_slot_alloc(struct swap_area *a, uint32_t cpu, bool *refilled);
/* 2^order contiguous, aligned slots with consecutive ids, or SWAP_NO_SLOT (split the folio). */
uint32_t swap_slots_alloc_large(struct swap_area *a, uint32_t cpu, uint32_t order);
/* One more PTE refers to the slot (unmap at reclaim, fork). */
void swap_duplicate(struct swap_area *a, uint32_t slot);
/* One PTE less. Frees the slot (through the CPU's return cache) when the byte becomes 0. */
void swap_free(struct swap_area *a, uint32_t cpu, uint32_t slot);
/* Sets / drops HAS_CACHE; dropping may free the slot as above. */
bool swapcache_prepare(struct swap_area *a, uint32_t slot);
void swapcache_free(struct swap_area *a, uint32_t cpu, uint32_t slot);
/* Flushes the CPU's caches of returned and unused slots (swapoff, teardown). */
void swap_slots_drain(struct swap_area *a, uint32_t cpu);

/* References by PTEs, as far as the slot's byte holds them. */
static inline uint32_t swap_count(const struct swap_area *a, uint32_t slot) {
    return a->meta[slot].map & SWAP_MAP_COUNT;
}
/* More than half used (vm_swap_full()). */
static inline bool swap_full(const struct swap_area *a) {
    return a->free_slots * 2 < a->total_slots;
}
/* Device offset in pages of a slot id, and back (SWAP_NO_SLOT if that offset was never used or is
 * outside the area). */
uint64_t swap_slot_offset(const struct swap_area *a, uint32_t slot);
uint32_t swap_offset_slot(const struct swap_area *a, uint64_t offset);
/* Largest slot id handed out so far plus one, for iteration. */
uint32_t swap_slots_seen(const struct swap_area *a);
uint64_t swap_slots_in_use(const struct swap_area *a); /* byte not 0 */
/* Of these, parked in per-CPU caches: not handed out yet, or returned and not flushed yet. A parked
 * slot has map byte SWAP_HAS_CACHE, no SLOT_FOLIO, and refuses swapcache_prepare(). */
uint64_t swap_slots_parked(const struct swap_area *a);
/* Invariants; 0 or RF_ECHECK. */
int swap_area_check(const struct swap_area *a, struct rf_err *err) RF_MUST_CHECK;

/* ---- readahead windows (mm/swap_state.c 6.1, 6.12) ---- */
/* Window size: prev and cur are page numbers or offsets. */
uint32_t swap_ra_pages(uint64_t prev, uint64_t cur, uint32_t hits, uint32_t max, uint32_t prev_win);

struct swap_cluster_ra { /* one for the whole system */
    uint64_t prev_offset;
    uint32_t hits, last_win;
};
void swap_cluster_ra_init(struct swap_cluster_ra *ra);
/* Miss at offset: returns the window and [*start, *end) of offsets, slot 0 and the end clipped. */
uint32_t swap_cluster_ra_miss(struct swap_cluster_ra *ra, uint64_t offset, uint32_t page_cluster,
                              uint64_t area_pages, uint64_t *start, uint64_t *end);
struct swap_vma_ra { /* one a VMA; all zero = never used, read as 4 hits */
    uint64_t addr;   /* virtual page number */
    uint8_t win, hits;
    bool set;
};
/* Miss at vpn in a VMA of [lo, hi) pages: window, and [*start, *end) clipped to the VMA and to the
 * 512-page table that vpn lies in. */
uint32_t swap_vma_ra_miss(struct swap_vma_ra *ra, uint64_t vpn, uint64_t lo, uint64_t hi,
                          uint32_t page_cluster, uint64_t *start, uint64_t *end);
/* Swap-cache hit in the fault path at vpn; flagged = the readahead flag was set. */
void swap_vma_ra_hit(struct swap_vma_ra *ra, uint64_t vpn, bool flagged);

#endif
