/* SPDX-License-Identifier: Apache-2.0 */
#include "blk_int.h"

/*
 * A virtual machine's disk whose image the host caches, on an emulated AHCI port: 32 command slots
 * (Serial ATA AHCI 1.3.1, 3.1.1 CAP.NCS), 168 segments (AHCI_MAX_SG, drivers/ata/ahci.h, 6.1).
 * Rates are those of a copy through the host's page cache, latencies the way out of the guest,
 * through a file system, and back: engineering values, which agree with the 7,000 single-page
 * writes a second that "mm, zswap: add shrink_enabled" (25 Oct 2019) implies for such a machine.
 */
const struct blk_ops blk_vdisk = {
    .name = "vdisk",
    .cost = {.channels = 2,
             .nr_requests = 32,
             .max_segments = 168,
             .read_ns = 110000,
             .write_ns = 150000,
             .seq_read_ns = 110000,
             .seq_write_ns = 150000,
             .read_bps = 1000000000,
             .write_bps = 1000000000,
             .submit_ns = 1000,
             .complete_ns = 1000},
};
