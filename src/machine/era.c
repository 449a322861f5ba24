/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row a kernel. A row says which rule holds, never how it works; the rules are described
 * beside the policy structs in the subsystems' headers. Releases are those in which the named
 * change landed:
 *
 *  4.15 swap-in from synchronous devices skips the swap cache ("skip swapcache for swapin of
 *       synchronous device", Nov 2017)
 *  4.16 zswap finds same-filled pages; gone in 6.12, where swap has a zero map
 *  5.6  zswap: allocation hysteresis (45190f01dd40)
 *  5.9  anon pages start inactive, refault distances for anon; do_wp_page simplification
 *       (09854ba94c6a), which copies every swap-cached page
 *  5.14 an idle swap-cache page is freed after copy-on-write (Huang Ying, 2021)
 *  5.18 write swap faults drop the cached copy and drain the LRU-add batch; reuse by refcount
 *  5.19 exclusive anon pages; zswap charged to memcgs, zswpin and zswpout counted
 *  6.2  zram recompression; reclaim cost weighs I/O
 *  6.3  zsmalloc chains up to 8 pages by least waste, 6.4: 12 fullness groups
 *  6.5  zswap's own LRU, shrink until the pool can accept (e0228d590beb)
 *  6.6  32 backend pools a zswap pool, to 6.11
 *  6.7  memcg statistics flushed at a limited rate; reject_compress_fail counted
 *  6.8  zswap LRU a memcg, dynamic shrinker (a65b0e7607cc), memory.zswap.writeback
 *  6.9  LRU-add batches of 31 folios; zswap loads always exclusive, entries die with the slot
 *  6.10 zswap limits compared with <= and >=; large folios of any order swapped out whole
 *  6.11 a read swap fault maps an exclusive page writable ("mm: set pte writable while
 *       pte_soft_dirty() is true in do_swap_page()", Jun 2024)
 *  6.12 zero map, cluster lists, second-chance bit, zram's own compression back ends
 *  6.13 zswap stores large folios; zram's writeback takes the largest slots first
 *  6.14 cluster allocator for rotational devices, 6.15: no slot cache
 *  6.18 zswap keeps incompressible pages raw (dca4437a5861)
 */
#include "refault/config.h"

static const struct kernel_era era_5_4 = {
    .name = "5.4",
    .zs =
        {
            .chain_size = 4,
            .least_waste = false,
            .fullness_12 = false,
            .too_big_is_einval = true,
        },
    .zswap =
        {
            .shrink_mode = ZSWAP_SHRINK_SYNC,
            .exclusive = ZSWAP_EXCL_NEVER,
            .protect = ZSWAP_PROTECT_NONE,
            .limits_nonstrict = false,
            .hysteresis = false,
            .queue_on_refusal = false,
            .same_filled = true,
            .entry_lru = false,
            .backend_evicts = true,
            .header_bytes = 8,
            .memcg_zswap = false,
            .memcg_writeback = false,
            .memcg_shrink_on_max = false,
            .count_duplicate = false,
            .replace_late = false,
            .erase_on_refuse = true,
            .invalidate_late = true,
            .count_compress_fail = false,
            .enospc_is_poor = false,
            .count_vm = false,
            .count_wb = false,
            .shrinker = false,
            .large_store = false,
            .thp_store = false,
            .raw_store = false,
            .tree_per_64m = false,
            .nr_backends = 1,
            .walk_budget = 1,
            .retries = 16,
        },
    .zram =
        {
            .huge_by_class_size = true,
            .max_zpage_size = 3072,
            .own_backends = false,
            .recompression = false,
            .idle_skips_same_wb = false,
            .idle_age_unmarks = false,
            .wb_incompressible = false,
            .wb_largest_first = false,
            .recomp_max_pages = false,
            .recompress_clears_ac_time = false,
        },
    .swap =
        {
            .alloc_mode = SWAP_ALLOC_PERCPU_CLUSTER,
            .cluster_for_rotational = false,
            .slot_cache = 64,
            .zeromap = false,
            .mthp_swapout = false,
            .sync_skips_cache = true,
        },
    .fault =
        {
            .wp_rule = WP_W0,
            .map_writable_on_read = false,
            .count_retries = true,
            .free_swap_on_write = false,
            .drain_on_write = false,
            .free_idle_after_cow = false,
        },
    .reclaim =
        {
            .add_batch = 15,
            .anon_inactive_first = false,
            .anon_workingset = false,
            .cost_io_weighted = false,
            .stat_flush_ns = 0,
            .stat_flush_threshold = 64,
            .pageout_sync_rescan = false,
            .lru_gen_available = false,
        },
};

static const struct kernel_era era_5_10 = {
    .name = "5.10",
    .zs =
        {
            .chain_size = 4,
            .least_waste = false,
            .fullness_12 = false,
            .too_big_is_einval = true,
        },
    .zswap =
        {
            .shrink_mode = ZSWAP_SHRINK_ONE,
            .exclusive = ZSWAP_EXCL_NEVER,
            .protect = ZSWAP_PROTECT_NONE,
            .limits_nonstrict = false,
            .hysteresis = true,
            .queue_on_refusal = false,
            .same_filled = true,
            .entry_lru = false,
            .backend_evicts = true,
            .header_bytes = 8,
            .memcg_zswap = false,
            .memcg_writeback = false,
            .memcg_shrink_on_max = false,
            .count_duplicate = false,
            .replace_late = false,
            .erase_on_refuse = true,
            .invalidate_late = true,
            .count_compress_fail = false,
            .enospc_is_poor = false,
            .count_vm = false,
            .count_wb = false,
            .shrinker = false,
            .large_store = false,
            .thp_store = false,
            .raw_store = false,
            .tree_per_64m = false,
            .nr_backends = 1,
            .walk_budget = 1,
            .retries = 16,
        },
    .zram =
        {
            .huge_by_class_size = true,
            .max_zpage_size = 3072,
            .own_backends = false,
            .recompression = false,
            .idle_skips_same_wb = false,
            .idle_age_unmarks = false,
            .wb_incompressible = false,
            .wb_largest_first = false,
            .recomp_max_pages = false,
            .recompress_clears_ac_time = false,
        },
    .swap =
        {
            .alloc_mode = SWAP_ALLOC_PERCPU_CLUSTER,
            .cluster_for_rotational = false,
            .slot_cache = 64,
            .zeromap = false,
            .mthp_swapout = false,
            .sync_skips_cache = true,
        },
    .fault =
        {
            .wp_rule = WP_W1,
            .map_writable_on_read = false,
            .count_retries = true,
            .free_swap_on_write = false,
            .drain_on_write = false,
            .free_idle_after_cow = false,
        },
    .reclaim =
        {
            .add_batch = 15,
            .anon_inactive_first = true,
            .anon_workingset = true,
            .cost_io_weighted = false,
            .stat_flush_ns = 0,
            .stat_flush_threshold = 64,
            .pageout_sync_rescan = false,
            .lru_gen_available = false,
        },
};

static const struct kernel_era era_6_1 = {
    .name = "6.1",
    .zs =
        {
            .chain_size = 4,
            .least_waste = false,
            .fullness_12 = false,
            .too_big_is_einval = true,
        },
    .zswap =
        {
            .shrink_mode = ZSWAP_SHRINK_ONE,
            .exclusive = ZSWAP_EXCL_NEVER,
            .protect = ZSWAP_PROTECT_NONE,
            .limits_nonstrict = false,
            .hysteresis = true,
            .queue_on_refusal = false,
            .same_filled = true,
            .entry_lru = false,
            .backend_evicts = true,
            .header_bytes = 8,
            .memcg_zswap = true,
            .memcg_writeback = false,
            .memcg_shrink_on_max = false,
            .count_duplicate = false,
            .replace_late = false,
            .erase_on_refuse = true,
            .invalidate_late = true,
            .count_compress_fail = false,
            .enospc_is_poor = false,
            .count_vm = true,
            .count_wb = false,
            .shrinker = false,
            .large_store = false,
            .thp_store = false,
            .raw_store = false,
            .tree_per_64m = false,
            .nr_backends = 1,
            .walk_budget = 1,
            .retries = 16,
        },
    .zram =
        {
            .huge_by_class_size = true,
            .max_zpage_size = 3072,
            .own_backends = false,
            .recompression = false,
            .idle_skips_same_wb = false,
            .idle_age_unmarks = false,
            .wb_incompressible = false,
            .wb_largest_first = false,
            .recomp_max_pages = false,
            .recompress_clears_ac_time = false,
        },
    .swap =
        {
            .alloc_mode = SWAP_ALLOC_PERCPU_CLUSTER,
            .cluster_for_rotational = false,
            .slot_cache = 64,
            .zeromap = false,
            .mthp_swapout = false,
            .sync_skips_cache = true,
        },
    .fault =
        {
            .wp_rule = WP_W3,
            .map_writable_on_read = false,
            .count_retries = true,
            .free_swap_on_write = true,
            .drain_on_write = true,
            .free_idle_after_cow = true,
        },
    .reclaim =
        {
            .add_batch = 15,
            .anon_inactive_first = true,
            .anon_workingset = true,
            .cost_io_weighted = false,
            .stat_flush_ns = 0,
            .stat_flush_threshold = 64,
            .pageout_sync_rescan = false,
            .lru_gen_available = true,
        },
};

static const struct kernel_era era_6_5 = {
    .name = "6.5",
    .zs =
        {
            .chain_size = 8,
            .least_waste = true,
            .fullness_12 = true,
            .too_big_is_einval = false,
        },
    .zswap =
        {
            .shrink_mode = ZSWAP_SHRINK_UNTIL_ACCEPT,
            .exclusive = ZSWAP_EXCL_KNOB,
            .protect = ZSWAP_PROTECT_NONE,
            .limits_nonstrict = false,
            .hysteresis = true,
            .queue_on_refusal = true,
            .same_filled = true,
            .entry_lru = true,
            .backend_evicts = false,
            .header_bytes = 0,
            .memcg_zswap = true,
            .memcg_writeback = false,
            .memcg_shrink_on_max = false,
            .count_duplicate = false,
            .replace_late = false,
            .erase_on_refuse = true,
            .invalidate_late = true,
            .count_compress_fail = false,
            .enospc_is_poor = false,
            .count_vm = true,
            .count_wb = false,
            .shrinker = false,
            .large_store = false,
            .thp_store = false,
            .raw_store = false,
            .tree_per_64m = false,
            .nr_backends = 1,
            .walk_budget = 1,
            .retries = 16,
        },
    .zram =
        {
            .huge_by_class_size = true,
            .max_zpage_size = 3072,
            .own_backends = false,
            .recompression = true,
            .idle_skips_same_wb = false,
            .idle_age_unmarks = false,
            .wb_incompressible = true,
            .wb_largest_first = false,
            .recomp_max_pages = false,
            .recompress_clears_ac_time = false,
        },
    .swap =
        {
            .alloc_mode = SWAP_ALLOC_PERCPU_CLUSTER,
            .cluster_for_rotational = false,
            .slot_cache = 64,
            .zeromap = false,
            .mthp_swapout = false,
            .sync_skips_cache = true,
        },
    .fault =
        {
            .wp_rule = WP_W3,
            .map_writable_on_read = false,
            .count_retries = false,
            .free_swap_on_write = true,
            .drain_on_write = true,
            .free_idle_after_cow = true,
        },
    .reclaim =
        {
            .add_batch = 15,
            .anon_inactive_first = true,
            .anon_workingset = true,
            .cost_io_weighted = true,
            .stat_flush_ns = 0,
            .stat_flush_threshold = 64,
            .pageout_sync_rescan = false,
            .lru_gen_available = true,
        },
};

static const struct kernel_era era_6_8 = {
    .name = "6.8",
    .zs =
        {
            .chain_size = 8,
            .least_waste = true,
            .fullness_12 = true,
            .too_big_is_einval = false,
        },
    .zswap =
        {
            .shrink_mode = ZSWAP_SHRINK_MEMCG,
            .exclusive = ZSWAP_EXCL_KNOB,
            .protect = ZSWAP_PROTECT_COUNTER,
            .limits_nonstrict = false,
            .hysteresis = true,
            .queue_on_refusal = true,
            .same_filled = true,
            .entry_lru = true,
            .backend_evicts = false,
            .header_bytes = 0,
            .memcg_zswap = true,
            .memcg_writeback = true,
            .memcg_shrink_on_max = true,
            .count_duplicate = true,
            .replace_late = false,
            .erase_on_refuse = true,
            .invalidate_late = true,
            .count_compress_fail = true,
            .enospc_is_poor = true,
            .count_vm = true,
            .count_wb = true,
            .shrinker = true,
            .large_store = false,
            .thp_store = false,
            .raw_store = false,
            .tree_per_64m = false,
            .nr_backends = 32,
            .walk_budget = 1,
            .retries = 16,
        },
    .zram =
        {
            .huge_by_class_size = true,
            .max_zpage_size = 3072,
            .own_backends = false,
            .recompression = true,
            .idle_skips_same_wb = false,
            .idle_age_unmarks = false,
            .wb_incompressible = true,
            .wb_largest_first = false,
            .recomp_max_pages = false,
            .recompress_clears_ac_time = false,
        },
    .swap =
        {
            .alloc_mode = SWAP_ALLOC_PERCPU_CLUSTER,
            .cluster_for_rotational = false,
            .slot_cache = 64,
            .zeromap = false,
            .mthp_swapout = false,
            .sync_skips_cache = true,
        },
    .fault =
        {
            .wp_rule = WP_W3,
            .map_writable_on_read = false,
            .count_retries = false,
            .free_swap_on_write = true,
            .drain_on_write = true,
            .free_idle_after_cow = true,
        },
    .reclaim =
        {
            .add_batch = 15,
            .anon_inactive_first = true,
            .anon_workingset = true,
            .cost_io_weighted = true,
            .stat_flush_ns = 2000000000u,
            .stat_flush_threshold = 64,
            .pageout_sync_rescan = false,
            .lru_gen_available = true,
        },
};

static const struct kernel_era era_6_12 = {
    .name = "6.12",
    .zs =
        {
            .chain_size = 8,
            .least_waste = true,
            .fullness_12 = true,
            .too_big_is_einval = false,
        },
    .zswap =
        {
            .shrink_mode = ZSWAP_SHRINK_MEMCG,
            .exclusive = ZSWAP_EXCL_ALWAYS,
            .protect = ZSWAP_PROTECT_SECOND_CHANCE,
            .limits_nonstrict = true,
            .hysteresis = true,
            .queue_on_refusal = true,
            .same_filled = false,
            .entry_lru = true,
            .backend_evicts = false,
            .header_bytes = 0,
            .memcg_zswap = true,
            .memcg_writeback = true,
            .memcg_shrink_on_max = true,
            .count_duplicate = false,
            .replace_late = true,
            .erase_on_refuse = true,
            .invalidate_late = false,
            .count_compress_fail = true,
            .enospc_is_poor = true,
            .count_vm = true,
            .count_wb = true,
            .shrinker = true,
            .large_store = false,
            .thp_store = false,
            .raw_store = false,
            .tree_per_64m = true,
            .nr_backends = 1,
            .walk_budget = 1,
            .retries = 16,
        },
    .zram =
        {
            .huge_by_class_size = true,
            .max_zpage_size = 3072,
            .own_backends = true,
            .recompression = true,
            .idle_skips_same_wb = true,
            .idle_age_unmarks = true,
            .wb_incompressible = true,
            .wb_largest_first = false,
            .recomp_max_pages = true,
            .recompress_clears_ac_time = true,
        },
    .swap =
        {
            .alloc_mode = SWAP_ALLOC_CLUSTER_LISTS,
            .cluster_for_rotational = false,
            .slot_cache = 64,
            .zeromap = true,
            .mthp_swapout = true,
            .sync_skips_cache = true,
        },
    .fault =
        {
            .wp_rule = WP_W3,
            .map_writable_on_read = true,
            .count_retries = false,
            .free_swap_on_write = true,
            .drain_on_write = true,
            .free_idle_after_cow = true,
        },
    .reclaim =
        {
            .add_batch = 31,
            .anon_inactive_first = true,
            .anon_workingset = true,
            .cost_io_weighted = true,
            .stat_flush_ns = 2000000000u,
            .stat_flush_threshold = 64,
            .pageout_sync_rescan = false,
            .lru_gen_available = true,
        },
};

static const struct kernel_era era_6_13 = {
    .name = "6.13",
    .zs =
        {
            .chain_size = 8,
            .least_waste = true,
            .fullness_12 = true,
            .too_big_is_einval = false,
        },
    .zswap =
        {
            .shrink_mode = ZSWAP_SHRINK_MEMCG,
            .exclusive = ZSWAP_EXCL_ALWAYS,
            .protect = ZSWAP_PROTECT_SECOND_CHANCE,
            .limits_nonstrict = true,
            .hysteresis = true,
            .queue_on_refusal = true,
            .same_filled = false,
            .entry_lru = true,
            .backend_evicts = false,
            .header_bytes = 0,
            .memcg_zswap = true,
            .memcg_writeback = true,
            .memcg_shrink_on_max = true,
            .count_duplicate = false,
            .replace_late = true,
            .erase_on_refuse = true,
            .invalidate_late = false,
            .count_compress_fail = true,
            .enospc_is_poor = true,
            .count_vm = true,
            .count_wb = true,
            .shrinker = true,
            .large_store = true,
            .thp_store = false,
            .raw_store = false,
            .tree_per_64m = true,
            .nr_backends = 1,
            .walk_budget = 1,
            .retries = 16,
        },
    .zram =
        {
            .huge_by_class_size = true,
            .max_zpage_size = 3072,
            .own_backends = true,
            .recompression = true,
            .idle_skips_same_wb = true,
            .idle_age_unmarks = true,
            .wb_incompressible = true,
            .wb_largest_first = true,
            .recomp_max_pages = true,
            .recompress_clears_ac_time = true,
        },
    .swap =
        {
            .alloc_mode = SWAP_ALLOC_CLUSTER_LISTS,
            .cluster_for_rotational = false,
            .slot_cache = 64,
            .zeromap = true,
            .mthp_swapout = true,
            .sync_skips_cache = true,
        },
    .fault =
        {
            .wp_rule = WP_W3,
            .map_writable_on_read = true,
            .count_retries = false,
            .free_swap_on_write = true,
            .drain_on_write = true,
            .free_idle_after_cow = true,
        },
    .reclaim =
        {
            .add_batch = 31,
            .anon_inactive_first = true,
            .anon_workingset = true,
            .cost_io_weighted = true,
            .stat_flush_ns = 2000000000u,
            .stat_flush_threshold = 64,
            .pageout_sync_rescan = false,
            .lru_gen_available = true,
        },
};

static const struct kernel_era era_6_18 = {
    .name = "6.18",
    .zs =
        {
            .chain_size = 8,
            .least_waste = true,
            .fullness_12 = true,
            .too_big_is_einval = false,
        },
    .zswap =
        {
            .shrink_mode = ZSWAP_SHRINK_MEMCG,
            .exclusive = ZSWAP_EXCL_ALWAYS,
            .protect = ZSWAP_PROTECT_SECOND_CHANCE,
            .limits_nonstrict = true,
            .hysteresis = true,
            .queue_on_refusal = true,
            .same_filled = false,
            .entry_lru = true,
            .backend_evicts = false,
            .header_bytes = 0,
            .memcg_zswap = true,
            .memcg_writeback = true,
            .memcg_shrink_on_max = true,
            .count_duplicate = false,
            .replace_late = true,
            .erase_on_refuse = true,
            .invalidate_late = false,
            .count_compress_fail = true,
            .enospc_is_poor = true,
            .count_vm = true,
            .count_wb = true,
            .shrinker = true,
            .large_store = true,
            .thp_store = false,
            .raw_store = true,
            .tree_per_64m = true,
            .nr_backends = 1,
            .walk_budget = 1,
            .retries = 16,
        },
    .zram =
        {
            .huge_by_class_size = true,
            .max_zpage_size = 3072,
            .own_backends = true,
            .recompression = true,
            .idle_skips_same_wb = true,
            .idle_age_unmarks = true,
            .wb_incompressible = true,
            .wb_largest_first = true,
            .recomp_max_pages = true,
            .recompress_clears_ac_time = true,
        },
    .swap =
        {
            .alloc_mode = SWAP_ALLOC_CLUSTER_LISTS,
            .cluster_for_rotational = true,
            .slot_cache = 0,
            .zeromap = true,
            .mthp_swapout = true,
            .sync_skips_cache = true,
        },
    .fault =
        {
            .wp_rule = WP_W3,
            .map_writable_on_read = true,
            .count_retries = false,
            .free_swap_on_write = true,
            .drain_on_write = true,
            .free_idle_after_cow = true,
        },
    .reclaim =
        {
            .add_batch = 31,
            .anon_inactive_first = true,
            .anon_workingset = true,
            .cost_io_weighted = true,
            .stat_flush_ns = 2000000000u,
            .stat_flush_threshold = 64,
            .pageout_sync_rescan = false,
            .lru_gen_available = true,
        },
};

static const struct kernel_era *const eras[] = {
    &era_5_4, &era_5_10, &era_6_1, &era_6_5, &era_6_8, &era_6_12, &era_6_13, &era_6_18, NULL,
};

const struct kernel_era *const *era_table(void) {
    return eras;
}

const struct kernel_era *era_find(const char *name) {
    for (size_t i = 0; eras[i]; i++) {
        if (strcmp(eras[i]->name, name) == 0)
            return eras[i];
    }
    return NULL;
}
