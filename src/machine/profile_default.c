/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in cost profile: the figures of profiles/default.ini, where their sources stand; a
 * unit test compares the two. */
#include "refault/config.h"

static const struct profile builtin = {
    .mm =
        {
            .access_ns = 1,
            .minor_fault_ns = 500,
            .swap_fault_ns = 1000,
            .swapin_page_ns = 500,
            .zero_page_ns = 250,
            .copy_page_ns = 600,
            .wp_reuse_ns = 100,
            .scan_ns = 200,
            .unmap_ns = 200,
            .swapout_ns = 300,
            .free_ns = 100,
            .deactivate_ns = 100,
            .shrink_call_ns = 500,
            .split_thp_ns = 300000,
            .swapout_large_ns = 150,
            .zero_thp_ns = 80000,
            .fork_pte_ns = 50,
            .zap_pte_ns = 50,
            .tick_ns = 4000000,
            .age_pte_ns = 7,
            .lru_lock_ns = 50,
            .swap_lock_ns = 150,
            .lock_handoff_ns = 300,
        },
    .zswap =
        {
            .same_filled_ns = 200,
            .store_ns = 1270,
            .store_next_ns = 157,
            .load_ns = 500,
            .invalidate_ns = 300,
            .tree_lock_ns = 150,
            .writeback_ns = 1000,
            .compact_page_ns = 1000,
            .compress_ns =
                {
                    [CODEC_LZO] = 3500,
                    [CODEC_LZO_RLE] = 3300,
                    [CODEC_LZ4] = 2500,
                    [CODEC_LZ4HC] = 40000,
                    [CODEC_ZSTD] = 15000,
                    [CODEC_ZSTD_ZRAM] = 15000,
                    [CODEC_DEFLATE] = 108978,
                    [CODEC_842] = 70000,
                    [CODEC_DEFLATE_IAA] = 3177,
                    [CODEC_DEFLATE_IAA_DYN] = 5250,
                    [CODEC_NULL] = 100,
                },
            .compress_byte_ps = {0},
            .decompress_ns =
                {
                    [CODEC_LZO] = 1300,
                    [CODEC_LZO_RLE] = 1200,
                    [CODEC_LZ4] = 600,
                    [CODEC_LZ4HC] = 600,
                    [CODEC_ZSTD] = 4000,
                    [CODEC_ZSTD_ZRAM] = 4000,
                    [CODEC_DEFLATE] = 14485,
                    [CODEC_842] = 10000,
                    [CODEC_DEFLATE_IAA] = 2235,
                    [CODEC_DEFLATE_IAA_DYN] = 2235,
                    [CODEC_NULL] = 100,
                },
            .decompress_byte_ps =
                {
                    [CODEC_LZO] = 250,
                    [CODEC_LZO_RLE] = 250,
                    [CODEC_LZ4] = 150,
                    [CODEC_LZ4HC] = 150,
                    [CODEC_ZSTD] = 600,
                    [CODEC_ZSTD_ZRAM] = 600,
                },
        },
    .zram =
        {
            .same_filled_ns = 200,
            .write_ns = 500,
            .read_ns = 300,
            .free_ns = 150,
            .copy_page_ns = 100,
            .backing_read_ns = 80000,
            .backing_write_ns = 20000,
            .compress_ns =
                {
                    [CODEC_LZO] = 3500,
                    [CODEC_LZO_RLE] = 3300,
                    [CODEC_LZ4] = 2500,
                    [CODEC_LZ4HC] = 40000,
                    [CODEC_ZSTD] = 15000,
                    [CODEC_ZSTD_ZRAM] = 15000,
                    [CODEC_DEFLATE] = 108978,
                    [CODEC_842] = 70000,
                    [CODEC_DEFLATE_IAA] = 3177,
                    [CODEC_DEFLATE_IAA_DYN] = 5250,
                    [CODEC_NULL] = 100,
                },
            .compress_byte_ps = {0},
            .decompress_ns =
                {
                    [CODEC_LZO] = 1300,
                    [CODEC_LZO_RLE] = 1200,
                    [CODEC_LZ4] = 600,
                    [CODEC_LZ4HC] = 600,
                    [CODEC_ZSTD] = 4000,
                    [CODEC_ZSTD_ZRAM] = 4000,
                    [CODEC_DEFLATE] = 14485,
                    [CODEC_842] = 10000,
                    [CODEC_DEFLATE_IAA] = 2235,
                    [CODEC_DEFLATE_IAA_DYN] = 2235,
                    [CODEC_NULL] = 100,
                },
            .decompress_byte_ps =
                {
                    [CODEC_LZO] = 250,
                    [CODEC_LZO_RLE] = 250,
                    [CODEC_LZ4] = 150,
                    [CODEC_LZ4HC] = 150,
                    [CODEC_ZSTD] = 600,
                    [CODEC_ZSTD_ZRAM] = 600,
                },
        },
    .accel =
        {
            .compress_ns = 2080,
            .decompress_ns = 1140,
            .submit_ns = 150,
            .wait_ns = 940,
            .irq_ns = 3640,
            .retry_ns = 50,
            .parallel_compress = 2,
            .dynamic_percent = 200,
        },
    .blk =
        {
            [PROFILE_NULL] =
                {
                    .channels = 64,
                    .nr_requests = 1024,
                    .read_ns = 0,
                    .write_ns = 0,
                    .seq_read_ns = 0,
                    .seq_write_ns = 0,
                    .read_bps = 0,
                    .write_bps = 0,
                    .submit_ns = 0,
                    .complete_ns = 0,
                },
            [PROFILE_NVME] =
                {
                    .channels = 32,
                    .nr_requests = 1023,
                    .read_ns = 80000,
                    .write_ns = 20000,
                    .seq_read_ns = 80000,
                    .seq_write_ns = 20000,
                    .read_bps = 3000000000u,
                    .write_bps = 2000000000,
                    .submit_ns = 1000,
                    .complete_ns = 1000,
                },
            [PROFILE_SSD] =
                {
                    .channels = 8,
                    .nr_requests = 64,
                    .read_ns = 110000,
                    .write_ns = 45000,
                    .seq_read_ns = 110000,
                    .seq_write_ns = 45000,
                    .read_bps = 530000000,
                    .write_bps = 450000000,
                    .submit_ns = 1000,
                    .complete_ns = 1000,
                },
            [PROFILE_VDISK] =
                {
                    .channels = 2,
                    .nr_requests = 32,
                    .read_ns = 110000,
                    .write_ns = 150000,
                    .seq_read_ns = 110000,
                    .seq_write_ns = 150000,
                    .read_bps = 1000000000,
                    .write_bps = 1000000000,
                    .submit_ns = 1000,
                    .complete_ns = 1000,
                },
            [PROFILE_HDD] =
                {
                    .channels = 1,
                    .nr_requests = 128,
                    .read_ns = 12000000,
                    .write_ns = 12000000,
                    .seq_read_ns = 30000,
                    .seq_write_ns = 30000,
                    .read_bps = 160000000,
                    .write_bps = 150000000,
                    .submit_ns = 1000,
                    .complete_ns = 1000,
                },
            [PROFILE_PMEM] =
                {
                    .channels = 1,
                    .nr_requests = 128,
                    .read_ns = 305,
                    .write_ns = 94,
                    .seq_read_ns = 169,
                    .seq_write_ns = 94,
                    .read_bps = 6600000000u,
                    .write_bps = 2300000000u,
                    .submit_ns = 300,
                    .complete_ns = 0,
                },
        },
};

const struct profile *profile_default(void) {
    return &builtin;
}
