/* SPDX-License-Identifier: Apache-2.0 */
/* repro: the single list of experiments. */
#include "repro/repro.h"

const struct repro_ops *const *repro_registry(void) {
    static const struct repro_ops *const all[] = {
        &repro_seed_000,   &repro_seed_001,     &repro_seed_002,
        &repro_seed_003,   &repro_seed_004,     &repro_iaa_latency,
        &repro_iaa_batch8, &repro_iaa_usemem30, NULL};
    return all;
}

const struct repro_ops *repro_find(const char *name) {
    for (const struct repro_ops *const *o = repro_registry(); *o; o++) {
        if (strcmp((*o)->name, name) == 0)
            return *o;
    }
    return NULL;
}
