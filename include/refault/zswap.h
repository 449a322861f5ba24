/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zswap: the compressed cache in front of a swap device. Entries live in arrays indexed by swap
 * slot id; each memcg has an LRU of them. What differs between kernels is struct zswap_policy.
 */
#ifndef REFAULT_ZSWAP_H
#define REFAULT_ZSWAP_H

#include "refault/accel.h"
#include "refault/content.h"
#include "refault/engine.h"
#include "refault/zpool.h"

#define ZSWAP_MAX_MEMCGS 16

enum zswap_shrink_mode {
    ZSWAP_SHRINK_SYNC, /* to 5.5: the storing task shrinks one backend page, then re-tests */
    ZSWAP_SHRINK_ONE,  /* 5.6-6.4: worker evicts one backend page; queued when full */
    ZSWAP_SHRINK_V1,   /* until-accept as first posted: until EINVAL or can accept */
    ZSWAP_SHRINK_V2,   /* as posted second: a success ends the run */
    ZSWAP_SHRINK_UNTIL_ACCEPT, /* 6.5-6.7, as landed */
    ZSWAP_SHRINK_MEMCG,        /* 6.8+: round robin over memcgs, down to the accept threshold */
};
enum zswap_exclusive { ZSWAP_EXCL_NEVER, ZSWAP_EXCL_KNOB, ZSWAP_EXCL_ALWAYS };
enum zswap_protect { ZSWAP_PROTECT_NONE, ZSWAP_PROTECT_COUNTER, ZSWAP_PROTECT_SECOND_CHANCE };

struct zswap_policy {
    uint8_t shrink_mode;      /* enum zswap_shrink_mode */
    uint8_t exclusive;        /* enum zswap_exclusive */
    uint8_t protect;          /* enum zswap_protect */
    bool limits_nonstrict;    /* limit arithmetic of 6.10+ */
    bool hysteresis;          /* 5.6+ */
    bool queue_on_refusal;    /* worker also queued when refusing above the threshold (6.5+) */
    bool same_filled;         /* zswap handles same-filled pages (4.16-6.11) */
    bool entry_lru;           /* LRU of entries in zswap (6.5+), else the backend's own */
    bool backend_evicts;      /* zbud and z3fold offer shrink (to 6.4) */
    uint8_t header_bytes;     /* 8 in front of each object of an evictable backend (to 6.4) */
    bool memcg_zswap;         /* charge and zswap.max per memcg (5.19+) */
    bool memcg_writeback;     /* memory.zswap.writeback (6.8+) */
    bool memcg_shrink_on_max; /* over zswap.max: one shrink_memcg before refusing (6.8+) */
    bool count_duplicate;     /* an old entry goes first, in duplicate_entry (6.6-6.9) */
    bool replace_late;        /* an old entry stays until the new one is in the index (6.10+);
                                 else it is dropped before all tests, by frontswap or zswap */
    bool erase_on_refuse;     /* a refused store drops a stale entry */
    bool invalidate_late;     /* entries die when the slot return cache is flushed (to 6.8) */
    bool count_compress_fail; /* reject_compress_fail exists (6.7+) */
    bool enospc_is_poor;      /* compressor's ENOSPC counts reject_compress_poor (6.8+) */
    bool lzo_checks_room;     /* lzo fails by itself where the page does not fit ("crypto: lzo - Fix
                                 compression buffer overrun", 2025, and stable 6.12), else ENOSPC */
    bool count_vm;            /* zswpin, zswpout exist (5.19+) */
    bool count_wb;            /* zswpwb exists (6.8+) */
    bool shrinker;            /* dynamic shrinker exists (6.8+) */
    bool large_store;         /* large folios stored page by page, all or nothing (6.13+) */
    bool thp_store;           /* a large folio as one unit: one full test, one hold of the tree
                                 lock ("mm, zswap: Support THP", Nov 2019; never merged) */
    bool store_batch;         /* pages are compressed in batches ("zswap compression batching with
                                 optimized iaa_crypto driver", 2024-26; not merged) */
    bool load_batch;          /* pages read ahead are decompressed in batches ("zswap IAA decompress
                                 batching", Oct 2024; never merged) */
    bool raw_store;           /* incompressible pages kept raw (6.18+) */
    bool zstd_1_4;            /* the kernel has libzstd 1.4 (to 6.1) */
    bool tree_per_64m;        /* an index and a lock per 64 MiB of swap (6.9+), else one */
    uint16_t nr_backends;     /* 32 in 6.6-6.11, else 1 */
    uint16_t walk_budget;     /* entries walked per shrink_memcg: 1; 32 in recent trees */
    uint16_t retries;         /* 16 */
};

struct zswap_cost {
    uint64_t compress_ns[NR_CODECS];      /* per 4 KiB page, base */
    uint64_t compress_byte_ps[NR_CODECS]; /* picoseconds per compressed byte on top */
    uint64_t decompress_ns[NR_CODECS];
    uint64_t decompress_byte_ps[NR_CODECS];
    uint64_t same_filled_ns; /* scan of a whole page */
    uint64_t store_ns; /* a store without the codec; what an accelerator leaves of it: accel.h */
    uint64_t store_next_ns; /* the same for each further page of a batch */
    uint64_t load_ns, invalidate_ns;
    uint64_t tree_lock_ns;    /* hold of the index lock */
    uint64_t writeback_ns;    /* per entry, without codec and device */
    uint64_t compact_page_ns; /* zsmalloc compaction, per page that it frees */
};

struct zswap_knobs {
    bool enabled;
    enum codec_id compressor;
    const struct zpool_ops *zpool;
    uint32_t max_pool_percent, accept_threshold_percent;
    bool shrinker_enabled, same_filled_pages_enabled, non_same_filled_pages_enabled;
    bool exclusive_loads;
};

enum zswap_vm { ZSWAP_VM_IN, ZSWAP_VM_OUT, ZSWAP_VM_WB };

/* What zswap needs from above; filled in when the machine is wired. */
struct zswap_host_ops {
    /* A new, locked, swap-cache folio for writing slot back; charges and may reclaim.
     * 0, or a negative zpool-like reason: -1 no page, -2 already in the swap cache. */
    int (*wb_begin)(void *host, struct sim_cpu *cpu, uint32_t slot, uint32_t *folio);
    /* The entry is gone meanwhile: drop that folio again. */
    void (*wb_abort)(void *host, struct sim_cpu *cpu, uint32_t slot, uint32_t folio);
    /* Data is in the folio: mark it for reclaim and write it to the device. */
    void (*wb_submit)(void *host, struct sim_cpu *cpu, uint32_t slot, uint32_t folio);
    bool (*writeback_enabled)(void *host, uint32_t memcg);
    /* memory.zswap.max of memcg and its ancestors: may one more page be stored? */
    bool (*may_store)(void *host, uint32_t memcg);
    void (*charge)(void *host, struct sim_cpu *cpu, uint32_t memcg, uint32_t bytes);
    void (*uncharge)(void *host, uint32_t memcg, uint32_t bytes);
    void (*count_vm)(void *host, uint32_t memcg, enum zswap_vm ev, uint32_t nr);
    /* Queue the shrink worker, which will call zswap_shrink_work(). */
    void (*queue_work)(void *host, struct sim_cpu *cpu);
    /* Next online memcg after `memcg` in pre-order, RF_NONE at the end of a round; RF_NONE starts.
     */
    uint32_t (*next_memcg)(void *host, uint32_t memcg);
    /* Compressed bytes and pages of the memcg as its (possibly stale) statistics show them. */
    void (*memcg_stats)(void *host, uint32_t memcg, uint64_t *zswap_bytes, uint64_t *zswapped);
};

/* Live counters under their debugfs names, plus the ones the kernel lacks (x_). */
struct zswap_counters {
    uint64_t pool_limit_hit, reject_reclaim_fail, written_back_pages, reject_compress_fail,
        reject_compress_poor, reject_alloc_fail, reject_kmemcache_fail, duplicate_entry;
    uint64_t stored_pages, same_filled_pages, stored_incompressible_pages; /* gauges */
    uint64_t x_attempts, x_stores, x_loads, x_erased_on_load, x_invalidated, x_reject_hysteresis,
        x_reject_memcg, x_reject_stillfull, x_reject_disabled, x_replaced, x_erased_on_refuse;
    uint64_t x_reject_full;     /* the limit was reached (hysteresis eras) */
    uint64_t x_reject_reclaim;  /* synchronous shrink failed (to 5.5) */
    uint64_t x_reject_unsame;   /* non_same_filled_pages_enabled is off */
    uint64_t x_reject_compress; /* the compressor failed, counted by the kernel or not */
    uint64_t x_reject_poor;     /* the backend found it too large */
    uint64_t x_reject_alloc;    /* the backend had no memory */
    uint64_t x_reject_large;    /* large folios that the era does not store, in pages */
    uint64_t x_reject_folio;    /* pages refused because another of their folio was */
    uint64_t x_undone; /* stored, then dropped because a later page of the folio was refused */
    uint64_t x_writeback_exists, x_writeback_nomem, x_writeback_gone; /* why writebacks failed */
    uint64_t x_shrink_steps, x_work_runs;
    uint64_t x_mutex_holds; /* of the per-CPU mutex around the compressor: one a batch */
    uint64_t x_mutex_hold_ns;
};
/*
 * What always holds (zswap_check() looks):
 *   x_attempts = x_stores - x_undone + the sum of all x_reject_;
 *   x_stores = entries + x_erased_on_load + x_invalidated + written_back_pages + x_replaced
 *              + x_erased_on_refuse + x_undone;
 *   one refusal of a folio counts once under its cause, the rest of its pages in x_reject_folio.
 */

struct zswap;

struct zswap_params {
    struct zswap_policy policy;
    struct zswap_cost cost;
    struct zswap_knobs knobs;
    struct zs_policy zs;
    uint64_t ram_pages; /* totalram: percentages are of this */
    uint32_t max_slots; /* address space to reserve */
    struct content_set *content;
    struct accel *accel; /* not owned; NULL = none */
    bool verify;
    bool contention; /* CPUs wait for each other's locks */
    uint64_t lock_handoff_ns, cache_line_ns;
    const struct zswap_host_ops *host;
    void *host_ctx;
    zpool_pages_fn pages; /* pool pages taken or returned */
    void *pages_ctx;
};

/* RF_EUSAGE for knobs that make no zswap, RF_ENOMEM, or what its pools give. What p points to is
 * borrowed. zswap_destroy() takes NULL, too. */
int zswap_create(const struct zswap_params *p, struct zswap **out,
                 struct rf_err *err) RF_MUST_CHECK;
void zswap_destroy(struct zswap *z);

/* Stores the page `content` for slot; true if zswap took it. Charges CPU time to cpu. */
bool zswap_store(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t memcg,
                 uint32_t content);
/*
 * Stores a large folio: nr slots from `slot` on, content[i] for each; all or nothing. True if
 * zswap took it (the caller counts the per-size zswpout). Eras without large stores refuse it.
 */
bool zswap_store_large(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t nr,
                       uint32_t memcg, const uint32_t *content);
/* One of the folios of a batch; stored is the result. */
struct zswap_folio {
    uint32_t slot, nr, memcg;
    const uint32_t *content;
    bool stored;
    bool passed; /* zswap's own */
};
/* Stores several folios, each as above, with batches of pages that may span them. */
void zswap_store_folios(struct zswap *z, struct sim_cpu *cpu, struct zswap_folio *folio,
                        uint32_t nr);
/*
 * Loads slot: false if zswap does not have it. in_swapcache tells whether the destination is a
 * swap-cache folio; *dirty is set if the entry was erased (an exclusive load), so that the folio
 * no longer has a backing copy. `content` is what the page must be (checked under verify).
 */
bool zswap_load(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, bool in_swapcache,
                uint32_t content, bool *dirty);
/*
 * Loads nr <= ZSWAP_MAX_LOAD_BATCH slots that zswap has into swap-cache folios, decompressing as
 * many at once as the accelerator takes; dirty[i] as above.
 */
#define ZSWAP_MAX_LOAD_BATCH 32u
void zswap_load_batch(struct zswap *z, struct sim_cpu *cpu, const uint32_t *slot,
                      const uint32_t *content, uint32_t nr, bool *dirty);
/* Whether loads may come in batches: the kernel can, and the accelerator takes them. */
bool zswap_batches_loads(const struct zswap *z);
/* Whether the slot has an entry. */
bool zswap_has(const struct zswap *z, uint32_t slot);
/* The slot is free: drop its entry, if any. */
void zswap_invalidate(struct zswap *z, struct sim_cpu *cpu, uint32_t slot);
/* A page of memcg was read from the device after zswap missed (protection counters). */
void zswap_note_disk_swapin(struct zswap *z, uint32_t memcg);
/* One run of the shrink worker, to its end. */
void zswap_shrink_work(struct zswap *z, struct sim_cpu *cpu);
/* The same in slices: works until cpu->now >= horizon or the run ends; true if it has ended. A
 * worker task calls it from its step function, so that other tasks run in between (the kernel's
 * worker offers to yield after each step). */
bool zswap_shrink_work_step(struct zswap *z, struct sim_cpu *cpu, rf_time horizon);
/* Dynamic shrinker: objects of memcg it offers now (consumes nr_disk_swapins in 6.12). */
uint64_t zswap_shrinker_count(struct zswap *z, uint32_t memcg);
/* Walks up to nr entries of memcg; *written gets the number written back. false = stop. */
bool zswap_shrinker_scan(struct zswap *z, struct sim_cpu *cpu, uint32_t memcg, uint64_t nr,
                         uint64_t *written);

/*
 * One call of the dynamic shrinker by reclaim for memcg: count, then batches of 128 of what
 * zswap_shrink_amount() says, with what could not be done deferred to the next call
 * (do_shrink_slab(), mm/shrinker.c 6.12). Returns the entries written back; *scanned (may be
 * NULL) gets the number scanned in whole batches, which is what slabs_scanned grows by.
 */
uint64_t zswap_shrink_slab(struct zswap *z, struct sim_cpu *cpu, uint32_t memcg, uint32_t priority,
                           uint64_t *scanned);
/* The amount: (deferred >> priority) + (count >> priority) * 4 / 2, at most 2 * count. */
uint64_t zswap_shrink_amount(uint64_t count, uint32_t priority, uint64_t deferred);
/* How much of amount is scanned in batches of 128; the rest is deferred. */
uint64_t zswap_shrink_batches(uint64_t count, uint64_t amount);

/* Compacts every backend pool (zsmalloc); pages given back. */
uint64_t zswap_compact(struct zswap *z, struct sim_cpu *cpu);
/* Pages that compaction could free: the count of zsmalloc's own shrinker. */
uint64_t zswap_compactable(const struct zswap *z);

/* Pages of all pools. */
uint64_t zswap_total_pages(const struct zswap *z);
const struct zswap_counters *zswap_counters(const struct zswap *z);
/* Use of the locks of a kind, summed. Only the trees' is counted without contention. */
enum zswap_lock { ZSWAP_LOCK_TREE, ZSWAP_LOCK_LRU, ZSWAP_LOCK_POOL };
struct sim_lock zswap_lock_use(const struct zswap *z, enum zswap_lock which);
/* With verify: pages read back and found as stored. */
uint64_t zswap_verified(const struct zswap *z);
/* First verification failure since creation, RF_OK if none; message in err. */
int zswap_verify_status(const struct zswap *z, struct rf_err *err) RF_MUST_CHECK;
/* Invariants: entries = stored_pages, LRU lengths, pool objects, bytes charged. */
int zswap_check(const struct zswap *z, struct rf_err *err) RF_MUST_CHECK;
/* Number of entries, for conservation checks, and total stored bytes. */
uint64_t zswap_nr_entries(const struct zswap *z);
uint64_t zswap_stored_bytes(const struct zswap *z);
/* Brings the entry of a slot, and then its object (first the object itself, with links its
 * neighbours in the lists), into the processor's cache. Changes nothing. */
void zswap_prefetch(const struct zswap *z, uint32_t slot);
void zswap_prefetch_object(const struct zswap *z, uint32_t slot, bool links);
/* Entries on the list of the memcg, or of all of them in eras with one list. */
uint64_t zswap_lru_len(const struct zswap *z, uint32_t memcg);
/* nr_zswap_protected or nr_disk_swapins of the memcg, whichever the era has. */
uint64_t zswap_protection(const struct zswap *z, uint32_t memcg);
/* The pool that new stores go to (class tables). */
const struct zpool *zswap_pool(const struct zswap *z);

#endif
