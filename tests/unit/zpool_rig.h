/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators by their operations: short calls that must succeed. */
#ifndef TESTS_UNIT_ZPOOL_RIG_H
#define TESTS_UNIT_ZPOOL_RIG_H

#include "refault/zpool.h"

static inline struct zpool *zpool_make(const char *name, const struct zpool_params *p) {
    struct zpool *z = NULL;
    struct rf_err err;
    assert_int_equal(zpool_find(name)->create(p, &z, &err), 0);
    return z;
}

static inline uint32_t get(struct zpool *z, uint32_t len, uint32_t owner) {
    uint32_t h = RF_NONE;
    assert_int_equal(z->ops->malloc(z, len, owner, &h), ZPOOL_OK);
    assert_true(h < RF_NONE);
    return h;
}

/* Checks the pool and ends it. */
static inline void done(struct zpool *z) {
    struct rf_err err = {0, ""};
    if (z->ops->check(z, &err) != 0)
        fail_msg("%s", err.msg);
    z->ops->destroy(z);
}

#endif
