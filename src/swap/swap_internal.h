/* SPDX-License-Identifier: Apache-2.0 */
/* Private to src/swap: the allocators' shared state and the steps that they are built from. */
#ifndef REFAULT_SWAP_INTERNAL_H
#define REFAULT_SWAP_INTERNAL_H

#include "refault/swap.h"

/* Values are those of include/linux/swap.h, swap_slots.h and mm/swapfile.c, 6.1. */
#define CLUSTER_SHIFT 9u
#define CLUSTER_MASK (SWAP_CLUSTER_SLOTS - 1)
#define NR_ORDERS 10u      /* 0 .. 9 (one cluster) */
#define SPACE_PAGES 16384u /* SWAP_ADDRESS_SPACE_PAGES: swap cache split and scan jump distance */
#define CLUSTER_COLS (SPACE_PAGES >> CLUSTER_SHIFT)
#define SLOT_CACHE_MAX 64u /* SWAP_SLOTS_CACHE_SIZE */
#define SCAN_RATION 256u   /* LATENCY_LIMIT: slots looked at to fill up a batch */
#define MAP_CONTINUED 0x80 /* COUNT_CONTINUED: further references are in the side array */
#define MAP_MAX 62u        /* SWAP_MAP_MAX: largest count in the byte itself */
#define MAP_BAD 63u        /* SWAP_MAP_BAD: header, or beyond the end of the area */

/* Lists that a cluster can be on. */
enum cluster_list {
    CL_UNUSED, /* never used: part of the initial free list, which is kept as a formula */
    CL_FREE,
    CL_OFF, /* owned by a CPU, or partly used (percpu allocator) */
    CL_NONFULL,
    CL_FRAG,
    CL_FULL,
};

/* By device cluster; all zero = never touched. Links are cluster + 1, 0 ends a list. */
struct swap_cluster {
    uint32_t dense; /* storage index + 1, 0 = none yet */
    uint32_t prev, next;
    uint16_t count; /* slots whose byte is not 0, bad ones included */
    uint8_t list;   /* enum cluster_list */
    uint8_t order;  /* cluster lists: the order that it serves */
};

struct cluster_head {
    uint32_t head, tail, nr;
};

struct swap_cpu {
    uint32_t slots[SLOT_CACHE_MAX]; /* to hand out: [cur, cur + nr) */
    uint32_t ret[SLOT_CACHE_MAX];
    uint16_t cur, nr, nr_ret;
    bool taken[NR_ORDERS];       /* next[] belongs to a cluster of this CPU */
    uint32_t cluster[NR_ORDERS]; /* current cluster */
    uint64_t next[NR_ORDERS];    /* next offset to try; cluster lists: 0 = none */
    uint64_t scan_pos;           /* start of a linear scan */
};

struct swap_alloc_ops {
    const char *name;
    void (*init)(struct swap_area *a); /* may be NULL */
    /* Up to n order-0 slots for cpu into out[]; returns how many. */
    uint32_t (*alloc)(struct swap_area *a, uint32_t cpu, uint32_t n, uint32_t *out);
    /* First slot id of an aligned run, or SWAP_NO_SLOT. */
    uint32_t (*alloc_large)(struct swap_area *a, uint32_t cpu, uint32_t order);
    /* The slot at offset has become free (its cluster's count is already lower). */
    void (*freed)(struct swap_area *a, uint64_t offset);
    int (*check)(const struct swap_area *a, struct rf_err *err);
};

struct swap_alloc {
    const struct swap_alloc_ops *ops;
    struct rf_varr v_word, v_meta, v_owner, v_extra, v_cluster, v_rev;
    struct swap_cluster *cluster;
    uint32_t *rev;   /* device cluster by storage index */
    uint32_t *extra; /* references beyond MAP_MAX by slot id, touched only when needed */
    bool identity;   /* slot id = offset, no clusters */
    uint32_t nr_clusters, nr_dense;
    uint64_t seen;            /* identity: largest id handed out + 1 */
    uint64_t inuse;           /* slots whose byte is not 0, bad ones excluded */
    uint64_t lowest, highest; /* bounds of possibly free offsets; highest 0 = none */
    /* the initial free list: columns of clusters 64 MiB apart */
    uint32_t init_left, init_col, init_k, init_i;
    struct cluster_head free, full, nonfull[NR_ORDERS], frag[NR_ORDERS];
    /* rotational */
    uint64_t rot_next;
    uint32_t rot_left;
    bool cache_active; /* slot caches in use */
    bool direct;       /* frees bypass the return caches (reclaim by the allocator) */
    uint64_t parked, parked_ret;
    struct rf_rng rng;
    struct swap_cpu *cpu;
};

extern const struct swap_alloc_ops swap_ssd_percpu_ops, swap_ssd_lists_ops, swap_rotational_ops;

/* ---- clusters.c ---- */
static inline uint32_t offset_cluster(uint64_t offset) {
    return (uint32_t)(offset >> CLUSTER_SHIFT);
}
/* Slot id of an offset inside the area; SWAP_NO_SLOT if its cluster has no storage yet. */
static inline uint32_t offset_id(const struct swap_alloc *al, uint64_t offset) {
    uint32_t d;

    if (al->identity)
        return (uint32_t)offset;
    d = al->cluster[offset_cluster(offset)].dense;
    return d ? ((d - 1) << CLUSTER_SHIFT) | (uint32_t)(offset & CLUSTER_MASK) : SWAP_NO_SLOT;
}
/* The map byte of an offset inside the area; without storage all but the header is free. */
static inline uint8_t offset_map(const struct swap_area *a, uint64_t offset) {
    uint32_t id = offset_id(a->alloc, offset);

    if (id == SWAP_NO_SLOT)
        return offset ? 0 : MAP_BAD;
    return a->meta[id].map;
}
/* Bad slots of a cluster: the header and what lies beyond the end. */
uint32_t cluster_bad_slots(const struct swap_area *a, uint32_t c);
void clusters_init(struct swap_area *a);
void cluster_list_add_tail(struct swap_alloc *al, struct cluster_head *h, uint32_t c, uint8_t id);
void cluster_list_del(struct swap_alloc *al, struct cluster_head *h, uint32_t c);
/* Takes the head of the free list; false if it is empty. */
bool clusters_take_free(struct swap_area *a, uint32_t *c);
/* Marks 2^order slots from offset as used by the cache; returns the first id. */
uint32_t slots_take(struct swap_area *a, uint64_t offset, uint32_t nr);
/* vm_swap_full(): tries to drop the cached-only folio at offset; true if the slot is free now. */
bool slot_try_reclaim(struct swap_area *a, uint64_t offset);
int cluster_list_check(const struct swap_area *a, const struct cluster_head *h, uint8_t id,
                       uint64_t *seen, struct rf_err *err);

#endif
