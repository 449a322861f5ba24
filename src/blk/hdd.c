/* SPDX-License-Identifier: Apache-2.0 */
#include "blk_int.h"

/*
 * A 7200 rpm disk without write cache. Engineering values: 8 ms average seek plus 4.17 ms, half a
 * turn; the next block of the same track costs 0.03 ms; rates of the outer tracks. nr_requests is
 * BLKDEV_DEFAULT_RQ (include/linux/blkdev.h, 6.12), max_segments AHCI_MAX_SG (drivers/ata/ahci.h,
 * 6.1).
 */
const struct blk_ops blk_hdd = {
    .name = "hdd",
    .rotational = true,
    .cost = {.channels = 1,
             .nr_requests = 128,
             .max_segments = 168,
             .read_ns = 12000000,
             .write_ns = 12000000,
             .seq_read_ns = 30000,
             .seq_write_ns = 30000,
             .read_bps = 160000000,
             .write_bps = 150000000,
             .submit_ns = 1000,
             .complete_ns = 1000},
};
