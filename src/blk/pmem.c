/* SPDX-License-Identifier: Apache-2.0 */
#include "blk_int.h"

/* Persistent memory on the memory bus: the caller copies. */
const struct blk_ops blk_pmem = {
    .name = "pmem",
    .synchronous = true,
};
