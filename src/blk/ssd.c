/* SPDX-License-Identifier: Apache-2.0 */
#include "blk_int.h"

/*
 * A SATA drive. Engineering values: QD1 latencies and the rates of a 6 Gbit/s link as in data
 * sheets of 2016-2020. SATA queues 32 commands, of which the flash serves about 8 at once; 64 is
 * the number of requests that mq-deadline gets for such a device, 168 is AHCI_MAX_SG
 * (drivers/ata/ahci.h, 6.1).
 */
const struct blk_ops blk_ssd = {
    .name = "ssd",
    .cost = {.channels = 8,
             .nr_requests = 64,
             .max_segments = 168,
             .read_ns = 110000,
             .write_ns = 45000,
             .seq_read_ns = 110000,
             .seq_write_ns = 45000,
             .read_bps = 530000000,
             .write_bps = 450000000,
             .submit_ns = 1000,
             .complete_ns = 1000},
};
