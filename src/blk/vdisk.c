/* SPDX-License-Identifier: Apache-2.0 */
#include "blk_int.h"

/* A virtual machine's disk on an emulated AHCI port, whose image the host caches. */
const struct blk_ops blk_vdisk = {
    .name = "vdisk",
};
