/* SPDX-License-Identifier: Apache-2.0 */
/* zram: recompression with secondary algorithms (zram_drv.c 6.12; zram.rst). */
#include "zram_internal.h"

#include <errno.h>
#include <stdlib.h>

struct recomp {
    bool idle, huge;
    uint32_t threshold;          /* 0 = none */
    uint32_t prio_min, prio_max; /* algorithms to try: prio_min <= p < prio_max */
    uint64_t max_pages;          /* attempts left */
};

static bool recomp_wanted(const struct zram *z, uint32_t index, const void *arg) {
    const struct recomp *r = arg;
    const struct zram_slot *s = zram_slot(z, index);
    return zram_in_pool(s) && !s->incompressible && (!r->idle || s->idle) && (!r->huge || s->huge);
}

/* One slot; 0, or an errno value that ends the request. */
static int recomp_slot(struct zram *z, struct sim_cpu *cpu, uint32_t index, struct recomp *r) {
    struct zram_slot *s = zram_slot(z, index);
    const struct zs_class_table *t = zs_pool_table(z->pool);
    uint32_t old_class, new_class = 0, len = 0, tried = 0, prio, handle;
    if (r->threshold && s->size < r->threshold)
        return 0;
    zram_read_object(z, cpu, index);
    s->idle = 0;
    old_class = zs_class_of(t, s->size);
    for (prio = r->prio_min; prio < r->prio_max; prio++) {
        if (z->comp[prio] == NR_CODECS || prio <= s->prio)
            continue;
        tried++;
        len = content_size(z->content, s->content, z->comp[prio]);
        zram_charge(cpu, zram_compress_ns(z, z->comp[prio], len));
        if (len == 0 || len > CODEC_MAX_OUT)
            return EIO;
        new_class = zs_class_of(t, len);
        if (new_class < old_class && (r->threshold == 0 || len < r->threshold))
            break;
    }
    if (tried == 0)
        return 0;
    if (r->max_pages > 0)
        r->max_pages--;
    if (new_class >= old_class) {
        /* Only after every secondary algorithm has had its turn. */
        if (tried == z->nr_comps - 1)
            s->incompressible = 1;
        return 0;
    }
    if (r->threshold && len >= r->threshold)
        return 0;
    if (z->pool->ops->malloc(z->pool, len, index, &handle) != ZPOOL_OK)
        return ENOMEM;
    if (z->verify)
        zram_store_payload(z, handle, s->content, z->comp[prio], len, false);
    uint32_t content = s->content;
    rf_time ac_time = z->track_ac_time ? *zram_ac_time(z, index) : 0;
    zram_free_slot(z, index);
    s->handle = handle;
    s->content = content & CONTENT_MAX;
    s->size = len & 0x1fffu;
    s->prio = prio & 3u;
    s->stored = 1;
    z->compr_data_size += len;
    z->pages_stored++;
    if (z->track_ac_time && !z->policy.recompress_clears_ac_time)
        *zram_ac_time(z, index) = ac_time;
    return 0;
}

static int recomp_all(struct zram *z, struct sim_cpu *cpu, struct recomp *r) {
    int rc = 0;
    if (z->policy.wb_largest_first) {
        size_t nr;
        uint32_t *list = zram_targets(z, recomp_wanted, r, &nr);
        for (size_t k = 0; k < nr && r->max_pages > 0 && rc == 0; k++)
            rc = recomp_slot(z, cpu, list[k], r);
        free(list);
        return rc;
    }
    for (uint32_t i = 0; i < z->top && r->max_pages > 0 && rc == 0; i++)
        if (recomp_wanted(z, i, r))
            rc = recomp_slot(z, cpu, i, r);
    return rc;
}

static bool is_algo(enum codec_id id, const char *name) {
    return strcmp(codec_kernel_name(id), name) == 0;
}

static bool parse_type(const char *val, struct recomp *r) {
    r->idle = strcmp(val, "idle") == 0 || strcmp(val, "huge_idle") == 0;
    r->huge = strcmp(val, "huge") == 0 || strcmp(val, "huge_idle") == 0;
    return r->idle || r->huge;
}

static bool parse_param(const struct zram *z, const char *key, const char *val, struct recomp *r,
                        const char **algo) {
    uint64_t v = 0;
    if (strcmp(key, "type") == 0)
        return parse_type(val, r);
    if (strcmp(key, "algo") == 0) {
        *algo = val;
        return true;
    }
    if (!zram_parse_u64(val, &v))
        return false;
    if (strcmp(key, "threshold") == 0) {
        r->threshold = (uint32_t)RF_MIN(v, (uint64_t)UINT32_MAX);
        return true;
    }
    if (strcmp(key, "max_pages") == 0 && z->policy.recomp_max_pages) {
        r->max_pages = v;
        return true;
    }
    if (strcmp(key, "priority") == 0 && v < ZRAM_MAX_COMPS) {
        r->prio_min = v == 0 ? 1 : (uint32_t)v;
        r->prio_max = r->prio_min + 1;
        return true;
    }
    return false;
}

int zram_recompress_store(struct zram *z, struct sim_cpu *cpu, const char *text) {
    struct recomp r = {.prio_min = 1, .prio_max = ZRAM_MAX_COMPS, .max_pages = UINT64_MAX};
    const char *algo = NULL;
    char buf[256];
    size_t n = strlen(text);
    if (n >= sizeof(buf))
        return EINVAL;
    memcpy(buf, text, n + 1);
    for (char *p = buf; *(p += strspn(p, " \t\n")) != '\0';) {
        char *end = p + strcspn(p, " \t\n"), *eq = memchr(p, '=', (size_t)(end - p));
        bool last = *end == '\0';
        if (!eq || eq + 1 == end)
            return EINVAL;
        *eq = *end = '\0';
        if (!parse_param(z, p, eq + 1, &r, &algo))
            return EINVAL;
        p = last ? end : end + 1;
    }
    if (r.threshold >= z->huge_size)
        return EINVAL;
    if (algo) {
        uint32_t p = r.prio_min;
        while (p < ZRAM_MAX_COMPS && (z->comp[p] == NR_CODECS || !is_algo(z->comp[p], algo)))
            p++;
        if (p == ZRAM_MAX_COMPS)
            return EINVAL;
        r.prio_min = p;
        r.prio_max = p + 1;
    }
    r.prio_max = RF_MIN(r.prio_max, (uint32_t)ZRAM_MAX_COMPS);
    return recomp_all(z, cpu, &r);
}
