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
 *  6.13 zswap stores large folios; zram's writeback takes the largest slots first; a plug is
 * flushed by the size of its first request 6.14 cluster allocator for rotational devices, 6.15: no
 * slot cache 6.18 zswap keeps incompressible pages raw (dca4437a5861)
 */
#include "era_rows.h"

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

enum codec_id era_zram_codec(const struct kernel_era *era, enum codec_id id) {
    if (id != CODEC_ZSTD)
        return id;
    if (era->zram.own_backends)
        return CODEC_ZSTD_ZRAM;
    return era->zram.zstd_1_4 ? CODEC_ZSTD_1_4 : id;
}

enum codec_id era_zswap_codec(const struct kernel_era *era, enum codec_id id) {
    return id == CODEC_ZSTD && era->zswap.zstd_1_4 ? CODEC_ZSTD_1_4 : id;
}
