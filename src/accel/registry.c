/* SPDX-License-Identifier: Apache-2.0 */
/* The single list of accelerator models. */
#include "accel_int.h"

const struct accel_ops *const *accel_registry(void) {
    static const struct accel_ops *const all[] = {&accel_none, &accel_iaa, &accel_queue, NULL};
    return all;
}

const struct accel_ops *accel_find(const char *name) {
    for (const struct accel_ops *const *o = accel_registry(); *o; o++) {
        if (strcmp((*o)->name, name) == 0)
            return *o;
    }
    return NULL;
}
