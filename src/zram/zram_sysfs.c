/* SPDX-License-Identifier: Apache-2.0 */
/* zram: writes to the files under /sys/block/zramN (zram_drv.c 6.1, 6.12; zram.rst). */
#include "zram_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

bool zram_parse_u64(const char *text, uint64_t *v) {
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 0);
    if (*end == '\n')
        end++;
    if (*end != '\0' || errno == ERANGE)
        return false;
    *v = n;
    return true;
}

/* A size with an optional K, M, G, T, P or E; what follows is not looked at, as in memparse(). */
static bool parse_mem(const char *text, uint64_t *v) {
    static const char suffix[] = "KMGTPE";
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    *v = strtoull(text, &end, 0);
    const char *s = *end ? strchr(suffix, toupper((unsigned char)*end)) : NULL;
    if (s)
        *v <<= 10 * (s - suffix + 1);
    return true;
}

static void for_each_object(void *ctx, zpool_visit_fn visit, void *arg) {
    const struct zram *z = ctx;
    for (uint32_t i = 0; i < z->top; i++)
        if (zram_in_pool(zram_slot(z, i)))
            visit(arg, i, zram_slot(z, i)->handle);
}

static void object_moved(void *ctx, uint32_t owner, uint32_t handle) {
    zram_slot(ctx, owner)->handle = handle;
}

static int compact(struct zram *z) {
    static const struct zpool_owner_ops ops = {for_each_object, object_moved};
    z->pool->ops->compact(z->pool, &ops, z);
    return 0;
}

static int set_mem_limit(struct zram *z, const char *text) {
    uint64_t v;
    if (!parse_mem(text, &v))
        return EINVAL;
    z->limit_pages = v / RF_PAGE_SIZE + (v % RF_PAGE_SIZE != 0);
    return 0;
}

static int reset_mem_used_max(struct zram *z, const char *text) {
    uint64_t v;
    if (!zram_parse_u64(text, &v) || v != 0)
        return EINVAL;
    z->max_used_pages = z->pool->ops->total_pages(z->pool);
    return 0;
}

int zram_sysfs_write(struct zram *z, struct sim_cpu *cpu, const char *file, const char *text) {
    static const char *const busy[] = {"disksize",    "comp_algorithm", "recomp_algorithm",
                                       "backing_dev", "reset",          "algorithm_params"};
    uint64_t v;
    if (strcmp(file, "compact") == 0)
        return compact(z);
    if (strcmp(file, "idle") == 0)
        return zram_idle_store(z, cpu, text);
    if (strcmp(file, "writeback") == 0)
        return zram_writeback_store(z, cpu, text);
    if (strcmp(file, "recompress") == 0)
        return z->policy.recompression ? zram_recompress_store(z, cpu, text) : ENOENT;
    if (strcmp(file, "mem_limit") == 0)
        return set_mem_limit(z, text);
    if (strcmp(file, "mem_used_max") == 0)
        return reset_mem_used_max(z, text);
    if (strcmp(file, "writeback_limit") == 0) {
        if (!zram_parse_u64(text, &v))
            return EINVAL;
        z->wb_limit = v;
        return 0;
    }
    if (strcmp(file, "writeback_limit_enable") == 0) {
        if (!zram_parse_u64(text, &v))
            return EINVAL;
        z->wb_limit_enable = v != 0;
        return 0;
    }
    if (strcmp(file, "max_comp_streams") == 0)
        return 0; /* accepted without effect since one stream a CPU exists */
    for (size_t i = 0; i < sizeof(busy) / sizeof(busy[0]); i++)
        if (strcmp(file, busy[i]) == 0)
            return EBUSY;
    return ENOENT;
}
