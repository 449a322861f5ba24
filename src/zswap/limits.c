/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pool limits. All divisions round down, left to right, and the two generations round in a
 * different order and compare differently (mm/zswap.c 6.1; "mm: zswap: refactor limit checking
 * from zswap_store()", Apr 2024, in 6.10).
 */
#include "zswap_internal.h"

uint64_t zswap_max_pages(const struct zswap *z) {
    return z->ram_pages * z->knobs.max_pool_percent / 100;
}

uint64_t zswap_accept_pages(const struct zswap *z) {
    if (z->policy.limits_nonstrict)
        return zswap_max_pages(z) * z->knobs.accept_threshold_percent / 100;
    return z->ram_pages * z->knobs.accept_threshold_percent / 100 * z->knobs.max_pool_percent / 100;
}

bool zswap_is_full(const struct zswap *z) {
    if (z->policy.limits_nonstrict)
        return zswap_total_pages(z) >= zswap_max_pages(z);
    return zswap_max_pages(z) < zswap_total_pages(z);
}

bool zswap_can_accept(const struct zswap *z) {
    if (z->policy.limits_nonstrict)
        return zswap_total_pages(z) <= zswap_accept_pages(z);
    return zswap_accept_pages(z) > zswap_total_pages(z);
}
