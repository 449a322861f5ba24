/* SPDX-License-Identifier: Apache-2.0 */
#include "blk_int.h"

/* A SATA drive: queues 32 commands, of which the flash serves fewer at once. */
const struct blk_ops blk_ssd = {
    .name = "ssd",
};
