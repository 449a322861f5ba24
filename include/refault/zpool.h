/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpool: allocators of compressed pages (zsmalloc, zbud, z3fold), one ops table and one file each.
 * They deal in lengths; with store_bytes they also keep the data in the modelled pages.
 */
#ifndef REFAULT_ZPOOL_H
#define REFAULT_ZPOOL_H

#include "refault/base.h"

#define ZPOOL_MAX_CHAIN 16
#define ZPOOL_MAX_LOCKS 256u

/* Policy of the zsmalloc era (mm/zsmalloc.c 6.1 and 6.12). */
struct zs_policy {
    uint32_t chain_size;    /* pages of the longest zspage: 4 to 6.2; 8 by default later */
    bool least_waste;       /* chain selection: least waste in bytes (6.3+), else best percent */
    bool fullness_12;       /* 12 fullness groups and the new compaction loop (6.4+), else 4 */
    bool too_big_is_einval; /* error for length > 4096: 6.1 invalid argument, later no space */
    bool class_lock;        /* a lock for each size class (to 6.1 and 6.12+), else one a pool */
};

/* What malloc and shrink answer; the errno values of the kernel's zpool drivers. */
enum zpool_error {
    ZPOOL_OK = 0,
    ZPOOL_EINVAL = 1, /* length 0, or too long where the era says so */
    ZPOOL_ENOSPC = 2, /* too long for this allocator */
    ZPOOL_ENOMEM = 3, /* the host or the modelled machine has no page */
    ZPOOL_EAGAIN = 4, /* shrink: nothing could be evicted this time */
};

struct zpool;

/* Pages taken from (delta > 0) or given back to the modelled machine. May be NULL. */
typedef void (*zpool_pages_fn)(void *ctx, int32_t delta);

struct zpool_params {
    struct zs_policy zs;
    const char *name;     /* for messages: zram0, zswap1, ...; must outlive the pool */
    bool store_bytes;     /* keep data (--verify) */
    uint32_t max_objects; /* address space to reserve, objects that can be live at once */
    zpool_pages_fn pages;
    void *pages_ctx;
};

/* Called for each live object by the owner when a compaction wants to know who owns what. */
typedef void (*zpool_visit_fn)(void *arg, uint32_t owner, uint32_t handle);
struct zpool_owner_ops {
    /* Calls visit(arg, owner, handle) for every live object of this pool. */
    void (*for_each)(void *ctx, zpool_visit_fn visit, void *arg);
    /* The object of `owner` now has another handle. */
    void (*moved)(void *ctx, uint32_t owner, uint32_t handle);
};
/* Writes the object of `owner` back; 0 if it is gone (the callee freed it), else the object stays.
 */
typedef int (*zpool_evict_fn)(void *ctx, uint32_t owner);

/*
 * One allocator. Handles are 32-bit ids below RF_NONE; they are not dense, and those of zsmalloc
 * change when compaction moves an object (zpool_owner_ops.moved). A handle must not be used after
 * it was freed: no op looks for that.
 */
struct zpool_ops {
    const char *name;
    bool evictable; /* has shrink (zbud, z3fold up to 6.4) */
    /* An empty pool into *out, to be given back by destroy; RF_ENOMEM. */
    int (*create)(const struct zpool_params *p, struct zpool **out, struct rf_err *err);
    void (*destroy)(struct zpool *z); /* NULL is allowed */
    /* Allocates len bytes for `owner` (a caller's id, < RF_NONE); handle < RF_NONE on ZPOOL_OK. */
    enum zpool_error (*malloc)(struct zpool *z, uint32_t len, uint32_t owner, uint32_t *handle);
    void (*free)(struct zpool *z, uint32_t handle);
    /* Pages of the modelled machine that the pool holds. */
    uint64_t (*total_pages)(const struct zpool *z);
    /* Evicts one backend page by calling evict for its objects (mm/zbud.c 6.1). ZPOOL_OK,
     * ZPOOL_EAGAIN or ZPOOL_EINVAL (not possible, or empty). */
    enum zpool_error (*shrink)(struct zpool *z, zpool_evict_fn evict, void *ctx);
    /* zsmalloc: pages given back; others return 0 and do nothing. */
    uint64_t (*compact)(struct zpool *z, const struct zpool_owner_ops *ops, void *ctx);
    /* Pages that compaction could free, the shrinker's count. */
    uint64_t (*compactable)(const struct zpool *z);
    /* store_bytes only: write and read back an object's data. */
    void (*write)(struct zpool *z, uint32_t handle, const uint8_t *data, uint32_t len);
    void (*read)(const struct zpool *z, uint32_t handle, uint8_t *data, uint32_t len);
    /* Brings what a free of the object looks at into the processor's cache: its page, or with links
     * the page's neighbours in their list. Changes nothing. May be NULL. */
    void (*prefetch)(const struct zpool *z, uint32_t handle, bool links);
    /* Which of the pool's locks guards the object, below ZPOOL_MAX_LOCKS. NULL: there is one. */
    uint32_t (*lock_of)(const struct zpool *z, uint32_t handle);
    uint64_t (*live_objects)(const struct zpool *z); /* allocated and not freed */
    /* All invariants; 0 or RF_ECHECK. */
    int (*check)(const struct zpool *z, struct rf_err *err);
};

/* Every allocator's struct begins with this. */
struct zpool {
    const struct zpool_ops *ops;
};

const struct zpool_ops *zpool_find(const char *name); /* zsmalloc, zbud, z3fold; NULL otherwise */

/* ---- zsmalloc's size classes: pure functions of the policy ---- */
struct zs_class_info {
    uint32_t index, size; /* raw class index and bytes of the effective class */
    uint16_t pages_per_zspage, objs_per_zspage;
};
#define ZS_MAX_RAW_CLASSES 257 /* 255 with 4 KiB pages, 257 with 16 and 64 KiB */
struct zs_class_table {
    struct zs_policy policy;
    uint32_t page_size;
    uint32_t step_shift; /* classes are 1 << step_shift bytes apart */
    uint32_t nr_raw;     /* raw classes */
    uint32_t nr;         /* effective classes, ascending */
    struct zs_class_info cls[ZS_MAX_RAW_CLASSES];
    uint16_t lookup[ZS_MAX_RAW_CLASSES]; /* raw class -> position in cls[] */
    uint32_t watermark; /* largest size with more than one page and more than one object */
};
/*
 * Fills t by the rules of mm/zsmalloc.c: raw classes of page_size / 256 steps from 32 bytes,
 * chain length by policy (best integer percent in 6.1, least waste in 6.12), and a raw class merged
 * into the next larger effective one when pages and objects per zspage are equal. page_size 4096
 * for kernels of interest; any power of two 4096..65536 works. chain_size is clamped to 1..16.
 */
void zs_class_table_init(struct zs_class_table *t, const struct zs_policy *policy,
                         uint32_t page_size);
/* Position in cls[] for a request of len bytes, 1..page_size; 8 bytes are added for the handle
 * word, and what exceeds the largest class stays in it (zs_malloc(), mm/zsmalloc.c 6.12). */
uint32_t zs_class_of(const struct zs_class_table *t, uint32_t len);
/* zs_huge_class_size(): watermark - 8 + 1: the shortest length that takes a whole page. */
uint32_t zs_huge_class_size(const struct zs_class_table *t);

/* One line of /sys/kernel/debug/zsmalloc/POOL/classes. */
struct zs_class_stats {
    struct zs_class_info info;
    uint32_t group[12]; /* zspages by fullness group: fullness_12: 0..11; else empty, almost_empty,
                           almost_full, full in 0..3 */
    uint64_t obj_allocated, obj_used, pages_used, freeable;
};
/* nr effective classes into out[256]; returns their number. Only for zsmalloc pools. */
uint32_t zs_pool_stats(const struct zpool *z, struct zs_class_stats out[256]);
/* Pages that compaction has given back since the pool exists. Only for zsmalloc pools. */
uint64_t zs_pages_compacted(const struct zpool *z);
/* The pool's class table, which lives as long as the pool. Only for zsmalloc pools. */
const struct zs_class_table *zs_pool_table(const struct zpool *z);
/* The file's text in the kernel's own shape for that era; returns bytes needed (like snprintf). */
size_t zs_format_classes(const struct zpool *z, char *buf, size_t size);

#endif
