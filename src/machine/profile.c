/* SPDX-License-Identifier: Apache-2.0 */
/* Every field of struct cost_profile by name, and access to profiles by key. */
#include "refault/config.h"

#define COST(sub, f)                                                                               \
    {                                                                                              \
#sub "." #f, sizeof(((const struct cost_profile *)0)->sub.f) == 4,                         \
            offsetof(struct cost_profile, sub.f)                                                   \
    }
#define CODEC(sub, f, name, id)                                                                    \
    { #sub "." #f "." name, false, offsetof(struct cost_profile, sub.f) + (id) * sizeof(uint64_t) }
#define PER_CODEC(sub, f)                                                                          \
    CODEC(sub, f, "lzo", CODEC_LZO), CODEC(sub, f, "lzo-rle", CODEC_LZO_RLE),                      \
        CODEC(sub, f, "lz4", CODEC_LZ4), CODEC(sub, f, "lz4hc", CODEC_LZ4HC),                      \
        CODEC(sub, f, "zstd", CODEC_ZSTD), CODEC(sub, f, "zstd-zram", CODEC_ZSTD_ZRAM),            \
        CODEC(sub, f, "deflate", CODEC_DEFLATE), CODEC(sub, f, "842", CODEC_842),                  \
        CODEC(sub, f, "deflate-iaa", CODEC_DEFLATE_IAA),                                           \
        CODEC(sub, f, "deflate-iaa-dynamic", CODEC_DEFLATE_IAA_DYN),                               \
        CODEC(sub, f, "null", CODEC_NULL)

static const struct cost_field fields[] = {
    COST(mm, access_ns),
    COST(mm, minor_fault_ns),
    COST(mm, guest_exit_ns),
    COST(mm, swap_fault_ns),
    COST(mm, swapin_page_ns),
    COST(mm, zero_page_ns),
    COST(mm, copy_page_ns),
    COST(mm, wp_reuse_ns),
    COST(mm, scan_ns),
    COST(mm, unmap_ns),
    COST(mm, swapout_ns),
    COST(mm, free_ns),
    COST(mm, deactivate_ns),
    COST(mm, shrink_call_ns),
    COST(mm, shrink_node_ns),
    COST(mm, split_thp_ns),
    COST(mm, swapout_large_ns),
    COST(mm, zero_thp_ns),
    COST(mm, fork_pte_ns),
    COST(mm, zap_pte_ns),
    COST(mm, zap_folio_ns),
    COST(mm, tick_ns),
    COST(mm, age_pte_ns),
    COST(mm, lru_lock_ns),
    COST(mm, swap_lock_ns),
    COST(mm, cache_line_ns),
    COST(mm, lock_handoff_ns),
    COST(zswap, same_filled_ns),
    COST(zswap, store_ns),
    COST(zswap, store_next_ns),
    COST(zswap, load_ns),
    COST(zswap, invalidate_ns),
    COST(zswap, tree_lock_ns),
    COST(zswap, writeback_ns),
    COST(zswap, compact_page_ns),
    PER_CODEC(zswap, compress_ns),
    PER_CODEC(zswap, compress_byte_ps),
    PER_CODEC(zswap, decompress_ns),
    PER_CODEC(zswap, decompress_byte_ps),
    COST(zram, same_filled_ns),
    COST(zram, write_ns),
    COST(zram, read_ns),
    COST(zram, free_ns),
    COST(zram, copy_page_ns),
    COST(zram, backing_read_ns),
    COST(zram, backing_write_ns),
    PER_CODEC(zram, compress_ns),
    PER_CODEC(zram, compress_byte_ps),
    PER_CODEC(zram, decompress_ns),
    PER_CODEC(zram, decompress_byte_ps),
    COST(accel, compress_ns),
    COST(accel, decompress_ns),
    COST(accel, submit_ns),
    COST(accel, wait_ns),
    COST(accel, irq_ns),
    COST(accel, retry_ns),
    COST(accel, store_ns),
    COST(accel, store_next_ns),
    COST(accel, parallel_compress),
    COST(accel, dynamic_percent),
    COST(blk, channels),
    COST(blk, nr_requests),
    COST(blk, max_segments),
    COST(blk, read_ns),
    COST(blk, write_ns),
    COST(blk, seq_read_ns),
    COST(blk, seq_write_ns),
    COST(blk, read_bps),
    COST(blk, write_bps),
    COST(blk, submit_ns),
    COST(blk, complete_ns),
    COST(blk, accept_ns),
};

static bool is_cpu_time(const char *name) {
    static const char *const others[] = {"mm.tick_ns", "zram.backing_read_ns",
                                         "zram.backing_write_ns"};
    static const char *const of_devices[] = {"blk.submit_ns",   "blk.complete_ns",
                                             "accel.submit_ns", "accel.irq_ns",
                                             "accel.store_ns",  "accel.store_next_ns"};

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strcmp(name, others[i]) == 0)
            return false;
    for (size_t i = 0; i < sizeof(of_devices) / sizeof(of_devices[0]); i++)
        if (strcmp(name, of_devices[i]) == 0)
            return true;
    return strncmp(name, "mm.", 3) == 0 || strncmp(name, "zswap.", 6) == 0 ||
           strncmp(name, "zram.", 5) == 0;
}

void cost_profile_at_speed(struct cost_profile *p, uint32_t percent) {
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        void *at = (char *)p + fields[i].offset;
        uint64_t v;

        if (fields[i].u32 || !is_cpu_time(fields[i].name))
            continue;
        memcpy(&v, at, sizeof(v));
        v = (v * 100 + percent / 2) / percent;
        memcpy(at, &v, sizeof(v));
    }
}

const struct cost_field *cost_fields(size_t *nr) {
    *nr = sizeof(fields) / sizeof(fields[0]);
    return fields;
}

static const char *const blk_names[NR_PROFILE_BLK] = {"null", "nvme", "ssd",
                                                      "hdd",  "pmem", "vdisk"};

const char *profile_blk_name(enum profile_blk b) {
    return blk_names[b];
}

/* The bytes of p that key names; *u32 tells their size. */
static void *locate(struct profile *p, const char *key, bool *u32) {
    char plain[64];
    enum profile_blk dev = PROFILE_NULL;
    bool is_blk = strncmp(key, "blk.", 4) == 0;

    if (is_blk) {
        const char *dot = strchr(key + 4, '.');
        size_t len, rest;

        if (!dot)
            return NULL;
        len = (size_t)(dot - (key + 4));
        for (;; dev++) {
            if (dev == NR_PROFILE_BLK)
                return NULL;
            if (strlen(blk_names[dev]) == len && memcmp(blk_names[dev], key + 4, len) == 0)
                break;
        }
        rest = strlen(dot);
        if (rest + 4 > sizeof(plain))
            return NULL;
        memcpy(plain, "blk", 3);
        memcpy(plain + 3, dot, rest + 1);
        key = plain;
    }
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (strcmp(fields[i].name, key) != 0)
            continue;
        *u32 = fields[i].u32;
        if (is_blk)
            return (char *)&p->blk[dev] + (fields[i].offset - offsetof(struct cost_profile, blk));
        /* mm, zswap, zram and accel lie at the same offsets in both structs. */
        return (char *)p + fields[i].offset;
    }
    return NULL;
}

_Static_assert(offsetof(struct profile, zswap) == offsetof(struct cost_profile, zswap) &&
                   offsetof(struct profile, zram) == offsetof(struct cost_profile, zram) &&
                   offsetof(struct profile, accel) == offsetof(struct cost_profile, accel) &&
                   offsetof(struct profile, mm) == offsetof(struct cost_profile, mm),
               "locate() relies on it");

bool profile_set(struct profile *p, const char *key, uint64_t value) {
    bool u32;
    void *at = locate(p, key, &u32);

    if (!at || (u32 && value > UINT32_MAX))
        return false;
    if (u32) {
        uint32_t v = (uint32_t)value;

        memcpy(at, &v, sizeof(v));
    } else {
        memcpy(at, &value, sizeof(value));
    }
    return true;
}

bool profile_get(const struct profile *p, const char *key, uint64_t *value) {
    struct profile copy = *p;
    bool u32;
    void *at = locate(&copy, key, &u32);
    uint32_t v;

    if (!at)
        return false;
    if (u32) {
        memcpy(&v, at, sizeof(v));
        *value = v;
    } else {
        memcpy(value, at, sizeof(*value));
    }
    return true;
}
