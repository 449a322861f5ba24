/* SPDX-License-Identifier: Apache-2.0 */
#include "blk_int.h"

/* A 7200 rpm disk without write cache. */
const struct blk_ops blk_hdd = {
    .name = "hdd",
    .rotational = true,
};
