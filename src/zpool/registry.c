/* SPDX-License-Identifier: Apache-2.0 */
/* The table of allocators; adding one means its file and a line here. */
#include "zs_internal.h"

static const struct zpool_ops *const registry[] = {&zsmalloc_ops, &zbud_ops, &z3fold_ops, NULL};

const struct zpool_ops *zpool_find(const char *name) {
    for (size_t i = 0; registry[i]; i++)
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
    return NULL;
}
