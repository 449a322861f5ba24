/* SPDX-License-Identifier: Apache-2.0 */
#include "blk_int.h"

/* A consumer TLC drive. A read costs the flash array's latency wherever it lies. */
const struct blk_ops blk_nvme = {
    .name = "nvme",
};
