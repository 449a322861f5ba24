/* SPDX-License-Identifier: Apache-2.0 */
#include "config/limits.h"

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

struct limit {
    const char *pattern; /* a key, or its end if it begins with '*' */
    uint64_t min, max;
    bool zero; /* 0 is allowed below min: it switches something off */
};

/* The first that fits counts. */
static const struct limit limits[] = {
    {"cost.mm.access_ns", 0, MS / 10, false}, /* of every single access */
    {"cost.mm.tick_ns", MS / 10, SECOND, false},
    {"cost.blk.channels", 1, 1024, false},
    {"cost.blk.nr_requests", 1, 65536, false},
    {"cost.blk.max_segments", 1, 65535, false},
    {"era.zs.chain_size", 1, ZPOOL_MAX_CHAIN, false},
    {"era.zswap.header_bytes", 0, 255, false},
    {"era.zswap.nr_backends", 1, 32, false},
    {"era.zswap.walk_budget", 1, 4096, false},
    {"era.zswap.retries", 1, 4096, false},
    {"era.zram.max_zpage_size", 1, RF_PAGE_SIZE, false},
    {"era.swap.slot_cache", 0, 64, false},
    {"era.reclaim.add_batch", 1, 31, false},
    {"era.reclaim.stat_flush_ns", MS, 1000 * SECOND, true},
    {"era.reclaim.charge_batch", 1, 65535, false},
    {"era.reclaim.stat_flush_threshold", 0, 65535, false},
    {"era.reclaim.uncharge_batch", 0, 4096, false},
    {"*_bps", 1000, 1000 * UINT64_C(1000000000000), true},
    {"*_ps", 0, MS, false},
};

/* Without an entry above: a time, or a number of the width of its field. */
static const struct limit any_time = {"", 0, 10 * SECOND, false};
static const struct limit any_number = {"", 0, 65535, false};

static bool fits(const char *pattern, const char *key) {
    size_t n = strlen(pattern), len = strlen(key);

    if (*pattern != '*')
        return strcmp(pattern, key) == 0;
    /* "compress_byte_ps.lz4" ends with a codec */
    for (const char *at = key; (at = strstr(at, pattern + 1)); at++) {
        size_t end = (size_t)(at - key) + n - 1;

        if (end == len || key[end] == '.')
            return true;
    }
    return false;
}

void knob_limits(struct knob *k) {
    const struct limit *l = k->type == KNOB_TIME ? &any_time : &any_number;
    uint64_t widest = k->size < 8 ? (UINT64_C(1) << 8 * k->size) - 1 : INT64_MAX;

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        if (fits(limits[i].pattern, k->key)) {
            l = &limits[i];
            break;
        }
    }
    k->min = l->min;
    k->max = RF_MIN(l->max, widest);
    k->zero = l->zero;
}
