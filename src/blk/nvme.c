/* SPDX-License-Identifier: Apache-2.0 */
#include "blk_int.h"

/*
 * A consumer TLC drive. Engineering values, of the size that data sheets of 2018-2020 give for QD1
 * latency and sequential rates; 1023 is the queue depth of the nvme PCI driver, 127 its
 * NVME_MAX_SEGS (drivers/nvme/host/pci.c, 6.1). A read costs the flash array's latency wherever it
 * lies, so sequential and random bases are equal.
 */
const struct blk_ops blk_nvme = {
    .name = "nvme",
    .cost = {.channels = 32,
             .nr_requests = 1023,
             .max_segments = 127,
             .read_ns = 80000,
             .write_ns = 20000,
             .seq_read_ns = 80000,
             .seq_write_ns = 20000,
             .read_bps = 3000000000u,
             .write_bps = 2000000000u,
             .submit_ns = 1000,
             .complete_ns = 1000},
};
