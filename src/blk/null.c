/* SPDX-License-Identifier: Apache-2.0 */
#include "blk_int.h"

/* No latency of its own (as null_blk with completion_nsec=0), but asynchronous like a disk: what a
 * run costs on it is what everything except the device costs. */
const struct blk_ops blk_null = {
    .name = "null",
};
