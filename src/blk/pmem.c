/* SPDX-License-Identifier: Apache-2.0 */
#include "blk_int.h"

/*
 * Persistent memory on the memory bus: the caller copies. One Optane DIMM: 305 ns random and 169 ns
 * sequential read latency, 94 ns write latency, 6.6 GB/s read, 2.3 GB/s write (Izraelevitz et al.,
 * "Basic Performance Measurements of the Intel Optane DC Persistent Memory Module",
 * arXiv:1903.05714, 2019). submit_ns is an engineering value.
 */
const struct blk_ops blk_pmem = {
    .name = "pmem",
    .synchronous = true,
    .cost = {.channels = 1,
             .nr_requests = 128,
             .max_segments = 128,
             .read_ns = 305,
             .write_ns = 94,
             .seq_read_ns = 169,
             .seq_write_ns = 94,
             .read_bps = 6600000000u,
             .write_bps = 2300000000u,
             .submit_ns = 300},
};
