/* SPDX-License-Identifier: Apache-2.0 */
/* Every field of struct kernel_era, so that each can be overridden by name on any kernel. */
#include "refault/config.h"

static const char *const shrink_modes[] = {"sync",         "one",   "v1", "v2",
                                           "until-accept", "memcg", NULL};
static const char *const exclusive_modes[] = {"never", "knob", "always", NULL};
static const char *const protect_modes[] = {"none", "counter", "second-chance", NULL};
static const char *const alloc_modes[] = {"percpu-cluster", "cluster-lists", NULL};
static const char *const large_swapins[] = {"never", "sync", "zswap", NULL};
static const char *const wp_rules[] = {"w0", "w1", "w1-seed", "w1-willy", "w2", "w3", NULL};

#define ERA(sub, f) (((const struct kernel_era *)0)->sub.f)
#define FIELD(sub, f, text)                                                                        \
    {                                                                                              \
#sub "." #f,                                                                               \
            _Generic(ERA(sub, f), bool                                                             \
                     : ERA_BOOL, uint8_t                                                           \
                     : ERA_U8, uint16_t                                                            \
                     : ERA_U16, uint32_t                                                           \
                     : ERA_U32, uint64_t                                                           \
                     : ERA_U64),                                                                   \
            offsetof(struct kernel_era, sub.f), NULL, text                                         \
    }
#define ENUM(sub, f, names, text)                                                                  \
    { #sub "." #f, ERA_ENUM8, offsetof(struct kernel_era, sub.f), names, text }

static const struct era_field fields[] = {
    FIELD(zs, chain_size, "pages of the longest zspage"),
    FIELD(zs, least_waste, "chain length by least waste, else by best percentage"),
    FIELD(zs, fullness_12, "twelve fullness groups, else four"),
    FIELD(zs, too_big_is_einval, "a length over 4096 is EINVAL, else ENOSPC"),
    FIELD(zs, class_lock, "a lock for each size class, else one a pool"),
    ENUM(zswap, shrink_mode, shrink_modes, "what makes room in a full pool"),
    ENUM(zswap, exclusive, exclusive_modes, "whether a load erases the entry"),
    ENUM(zswap, protect, protect_modes, "what protects entries from the dynamic shrinker"),
    FIELD(zswap, limits_nonstrict,
          "full at the limit, accepting at the threshold; else only beyond and below them"),
    FIELD(zswap, hysteresis, "a full pool refuses until below the accept threshold"),
    FIELD(zswap, queue_on_refusal, "the worker is queued when refusing above the threshold"),
    FIELD(zswap, same_filled, "same-filled pages are kept as one word"),
    FIELD(zswap, entry_lru, "zswap keeps the LRU, else the backend"),
    FIELD(zswap, backend_evicts, "zbud and z3fold can shrink"),
    FIELD(zswap, header_bytes, "bytes in front of each object of an evictable backend"),
    FIELD(zswap, memcg_zswap, "charged to the memcg, memory.zswap.max"),
    FIELD(zswap, memcg_writeback, "memory.zswap.writeback exists"),
    FIELD(zswap, memcg_shrink_on_max,
          "one shrink of the memcg before refusing over memory.zswap.max"),
    FIELD(zswap, count_duplicate, "an old entry goes first and counts duplicate_entry"),
    FIELD(zswap, replace_late, "an old entry stays until the new one is in the index"),
    FIELD(zswap, erase_on_refuse, "a refused store drops a stale entry"),
    FIELD(zswap, invalidate_late, "entries die when the slot return cache is flushed"),
    FIELD(zswap, count_compress_fail, "reject_compress_fail is counted"),
    FIELD(zswap, enospc_is_poor, "the compressor's ENOSPC counts reject_compress_poor"),
    FIELD(zswap, lzo_checks_room, "lzo fails by itself where the page does not fit"),
    FIELD(zswap, count_vm, "zswpin and zswpout are counted"),
    FIELD(zswap, count_wb, "zswpwb is counted"),
    FIELD(zswap, shrinker, "the dynamic shrinker exists"),
    FIELD(zswap, large_store, "large folios are stored page by page"),
    FIELD(zswap, thp_store, "a large folio is stored as one unit"),
    FIELD(zswap, store_batch, "pages of a folio are compressed in batches"),
    FIELD(zswap, load_batch, "pages read ahead are decompressed in batches"),
    FIELD(zswap, raw_store, "incompressible pages are kept raw"),
    FIELD(zswap, zstd_1_4, "zstd is that of libzstd 1.4"),
    FIELD(zswap, tree_per_64m, "an index and a lock per 64 MiB of swap, else one"),
    FIELD(zswap, nr_backends, "backend pools a zswap pool"),
    FIELD(zswap, walk_budget, "entries walked by one shrink of a memcg"),
    FIELD(zswap, retries, "failures that end a run of the worker"),
    FIELD(zram, huge_by_class_size,
          "huge = in the class of whole pages, else longer than max_zpage_size"),
    FIELD(zram, max_zpage_size, "longest page that is stored compressed"),
    FIELD(zram, own_backends, "zram's own compression back ends"),
    FIELD(zram, recompression, "recompression exists"),
    FIELD(zram, idle_skips_same_wb, "marking all idle skips same-filled and written-back slots"),
    FIELD(zram, idle_age_unmarks, "marking idle by age unmarks young slots"),
    FIELD(zram, wb_incompressible, "writeback of incompressible slots exists"),
    FIELD(zram, wb_largest_first, "writeback takes the largest slots first"),
    FIELD(zram, recomp_max_pages, "recompression has max_pages"),
    FIELD(zram, recompress_clears_ac_time, "recompression forgets the time of the last access"),
    FIELD(zram, zstd_1_4, "zstd is that of libzstd 1.4"),
    ENUM(swap, alloc_mode, alloc_modes, "slot allocator on non-rotational devices"),
    FIELD(swap, cluster_for_rotational, "the cluster allocator serves rotational devices too"),
    FIELD(swap, slot_cache, "slots handed out and returned in batches, 0 = no slot cache"),
    FIELD(swap, readahead_hits, "the readahead window grows with hits"),
    FIELD(swap, free_half_full, "swapped-in pages give up their slot when swap is half full"),
    FIELD(swap, zeromap, "zero pages are only marked"),
    FIELD(swap, mthp_swapout, "orders below PMD size get a run of slots"),
    FIELD(swap, sync_skips_cache, "swap-in from a synchronous device skips the swap cache"),
    ENUM(fault, wp_rule, wp_rules, "when a write-protect fault may reuse the page"),
    FIELD(fault, map_writable_on_read, "a read swap fault maps an exclusive page writable"),
    FIELD(fault, count_retries, "a retried fault counts in pgfault again"),
    FIELD(fault, single_read_waits, "a swap-in of one page waits inside the read, without a retry"),
    FIELD(fault, free_swap_on_write, "a write swap fault drops the cached copy"),
    FIELD(fault, drain_on_write, "a write fault drains the LRU-add batch"),
    FIELD(fault, free_idle_after_cow, "the old page is freed after a copy if idle"),
    FIELD(fault, mthp, "anonymous folios between a page and 2 MiB"),
    ENUM(fault, large_swapin, large_swapins, "from where whole large folios are swapped in"),
    FIELD(fault, large_swapin_max_order, "largest order of these, 0 = no bound"),
    FIELD(fault, large_swapin_margin, "they need max(64, pages) below the limit of the cgroup"),
    FIELD(fault, zswap_skips_cache, "what zswap has is read past the swap cache"),
    FIELD(fault, map_large_swapcache, "a swap fault maps all of a cached large folio"),
    FIELD(blk, plug_by_first, "a plug is flushed by the size of its first request, else its last"),
    FIELD(reclaim, add_batch, "folios in an LRU-add batch"),
    FIELD(reclaim, anon_inactive_first, "new anon pages start inactive"),
    FIELD(reclaim, second_chance, "an accessed page at the inactive tail is kept"),
    FIELD(reclaim, memcg_stock, "charges keep a per-CPU stock of 64 pages"),
    FIELD(reclaim, anon_workingset, "refault distances for anon"),
    FIELD(reclaim, cost_io_weighted, "reclaim cost weighs pageouts with 32 and adds rotations"),
    FIELD(reclaim, stat_flush_ns, "period of the memcg statistics flush, 0 = always exact"),
    FIELD(reclaim, charge_batch, "pages charged to a cgroup at once, the rest is the CPU's stock"),
    FIELD(reclaim, stat_flush_threshold, "pending updates a CPU for a flush on demand"),
    FIELD(reclaim, stat_flush_reclaim, "reclaim demands a flush of the memcg statistics"),
    FIELD(reclaim, uncharge_batch, "freed folios uncharged at once"),
    FIELD(reclaim, split_underused, "new 2 MiB folios join the deferred split queue"),
    FIELD(reclaim, lru_gen_available, "multi-gen LRU exists"),
    FIELD(reclaim, lru_gen_ages_apart, "a pass that aged generations evicts nothing"),
    FIELD(reclaim, lru_gen_counts_refaults, "multi-gen LRU counts all refaults"),
    FIELD(reclaim, lru_gen_activates_each, "young neighbours are activated one by one"),
    FIELD(reclaim, lru_gen_target_first, "a young folio met by eviction is kept, not activated"),
    FIELD(reclaim, split_thp, "large folios are split before they are swapped out"),
    FIELD(reclaim, batch_isolates, "folios in per-CPU batches cannot be isolated"),
};

const struct era_field *era_fields(size_t *nr) {
    *nr = sizeof(fields) / sizeof(fields[0]);
    return fields;
}
