/* SPDX-License-Identifier: Apache-2.0 */
/* zram: its statistics, their text as in /sys/block/zramN, and its invariants. */
#include "zram_internal.h"

#include <stdio.h>

typedef unsigned long long ull;

void zram_mm_stat(const struct zram *z, struct zram_mm_stat *out) {
    out->orig_data_size = z->pages_stored * RF_PAGE_SIZE;
    out->compr_data_size = z->compr_data_size;
    out->mem_used_total = z->pool->ops->total_pages(z->pool) * RF_PAGE_SIZE;
    out->mem_limit = z->limit_pages * RF_PAGE_SIZE;
    out->mem_used_max = z->max_used_pages * RF_PAGE_SIZE;
    out->same_pages = z->same_pages;
    out->pages_compacted = zs_pages_compacted(z->pool);
    out->huge_pages = z->huge_pages;
    out->huge_pages_since = z->huge_pages_since;
}

void zram_io_stat(const struct zram *z, struct zram_io_stat *out) {
    out->failed_reads = z->failed_reads;
    out->failed_writes = z->failed_writes;
    out->invalid_io = z->policy.own_backends ? 0 : z->invalid_io;
    out->notify_free = z->notify_free;
}

void zram_bd_stat(const struct zram *z, struct zram_bd_stat *out) {
    out->bd_count = z->bd_count;
    out->bd_reads = z->bd_reads;
    out->bd_writes = z->bd_writes;
}

void zram_debug_stat(const struct zram *z, struct zram_debug_stat *out) {
    out->writestall = z->writestall;
    out->miss_free = z->miss_free;
}

static size_t length(int n) {
    return n > 0 ? (size_t)n : 0;
}

size_t zram_format_mm_stat(const struct zram *z, char *buf, size_t size) {
    struct zram_mm_stat s;
    zram_mm_stat(z, &s);
    return length(snprintf(buf, size, "%8llu %8llu %8llu %8llu %8llu %8llu %8llu %8llu %8llu\n",
                           (ull)s.orig_data_size, (ull)s.compr_data_size, (ull)s.mem_used_total,
                           (ull)s.mem_limit, (ull)s.mem_used_max, (ull)s.same_pages,
                           (ull)s.pages_compacted, (ull)s.huge_pages, (ull)s.huge_pages_since));
}

size_t zram_format_io_stat(const struct zram *z, char *buf, size_t size) {
    struct zram_io_stat s;
    zram_io_stat(z, &s);
    if (z->policy.own_backends)
        return length(snprintf(buf, size, "%8llu %8llu 0 %8llu\n", (ull)s.failed_reads,
                               (ull)s.failed_writes, (ull)s.notify_free));
    return length(snprintf(buf, size, "%8llu %8llu %8llu %8llu\n", (ull)s.failed_reads,
                           (ull)s.failed_writes, (ull)s.invalid_io, (ull)s.notify_free));
}

size_t zram_format_bd_stat(const struct zram *z, char *buf, size_t size) {
    return length(snprintf(buf, size, "%8llu %8llu %8llu\n", (ull)z->bd_count, (ull)z->bd_reads,
                           (ull)z->bd_writes));
}

size_t zram_format_debug_stat(const struct zram *z, char *buf, size_t size) {
    return length(
        snprintf(buf, size, "version: 1\n%8llu %8llu\n", (ull)z->writestall, (ull)z->miss_free));
}

const struct zpool *zram_pool(const struct zram *z) {
    return z->pool;
}

uint64_t zram_total_pages(const struct zram *z) {
    return z->pool->ops->total_pages(z->pool);
}

uint64_t zram_writeback_limit(const struct zram *z) {
    return z->wb_limit;
}

bool zram_block_state(const struct zram *z, uint32_t index, char flags[7]) {
    const struct zram_slot *s = zram_slot(z, index);
    if (index >= z->top || !s->stored)
        return false;
    flags[0] = s->same ? 's' : '.';
    flags[1] = s->wb ? 'w' : '.';
    flags[2] = s->huge ? 'h' : '.';
    flags[3] = s->idle ? 'i' : '.';
    flags[4] = s->prio ? 'r' : '.';
    flags[5] = s->incompressible ? 'n' : '.';
    flags[6] = '\0';
    return true;
}

uint64_t zram_verified(const struct zram *z) {
    return z->verified;
}

int zram_verify_status(const struct zram *z, struct rf_err *err) {
    if (z->verify_err.code == 0)
        return 0;
    return rf_fail(err, z->verify_err.code, "%s", z->verify_err.msg);
}

int zram_check(const struct zram *z, struct rf_err *err) {
    uint64_t stored = 0, same = 0, wb = 0, huge = 0, bytes = 0;
    int rc = z->pool->ops->check(z->pool, err);
    if (rc != 0)
        return rc;
    for (uint32_t i = 0; i < z->top; i++) {
        const struct zram_slot *s = zram_slot(z, i);
        stored += s->stored;
        same += s->same;
        wb += s->wb;
        huge += s->huge;
        if (zram_in_pool(s))
            bytes += s->size;
    }
    uint64_t live = z->pool->ops->live_objects(z->pool);
    if (stored != z->pages_stored || same != z->same_pages || wb != z->bd_count ||
        huge != z->huge_pages || bytes != z->compr_data_size)
        return rf_fail(err, RF_ECHECK,
                       "zram %s: slots hold %llu pages, %llu same-filled, %llu written back, %llu "
                       "huge, %llu bytes; counted %llu, %llu, %llu, %llu, %llu",
                       z->name, (ull)stored, (ull)same, (ull)wb, (ull)huge, (ull)bytes,
                       (ull)z->pages_stored, (ull)z->same_pages, (ull)z->bd_count,
                       (ull)z->huge_pages, (ull)z->compr_data_size);
    if (stored != live + same + wb)
        return rf_fail(err, RF_ECHECK,
                       "zram %s: %llu pages stored, but %llu objects, %llu same-filled and %llu "
                       "written-back pages",
                       z->name, (ull)stored, (ull)live, (ull)same, (ull)wb);
    return zram_verify_status(z, err);
}
