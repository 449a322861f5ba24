/* SPDX-License-Identifier: Apache-2.0 */
#include "blk_int.h"

static const struct blk_ops *const registry[] = {
    &blk_null, &blk_nvme, &blk_ssd, &blk_hdd, &blk_pmem, &blk_vdisk, NULL,
};

const struct blk_ops *const *blk_registry(void) {
    return registry;
}

const struct blk_ops *blk_find(const char *name) {
    for (unsigned i = 0; registry[i]; i++)
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
    return NULL;
}
