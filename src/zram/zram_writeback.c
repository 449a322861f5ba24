/* SPDX-License-Identifier: Apache-2.0 */
/* zram: idle marking, the backing device and writeback to it (zram_drv.c 6.1, 6.12; zram.rst). */
#include "zram_internal.h"

#include <errno.h>
#include <stdlib.h>

/* ---- blocks: block 0 means "none" and is never given out; first fit from 1 ---- */

uint32_t zram_bd_alloc(struct zram *z) {
    uint64_t *map = z->bd_map.base;
    uint64_t b = z->bd_hint;
    while (b < z->bd_blocks && (map[b / 64] >> (b % 64) & 1))
        b++;
    z->bd_hint = b;
    if (b >= z->bd_blocks)
        return 0;
    map[b / 64] |= (uint64_t)1 << (b % 64);
    z->bd_count++;
    return (uint32_t)b;
}

void zram_bd_free(struct zram *z, uint32_t block) {
    uint64_t *map = z->bd_map.base;
    map[block / 64] &= ~((uint64_t)1 << (block % 64));
    z->bd_hint = RF_MIN(z->bd_hint, (uint64_t)block);
    z->bd_count--;
}

/* ---- idle ---- */

int zram_idle_store(struct zram *z, const struct sim_cpu *cpu, const char *text) {
    uint64_t age = 0, now = cpu ? cpu->now : 0;
    bool all = strcmp(text, "all") == 0 || strcmp(text, "all\n") == 0;
    if (!all && (!z->track_ac_time || !zram_parse_u64(text, &age)))
        return EINVAL;
    age = age > RF_TIME_MAX / 1000000000u ? RF_TIME_MAX : age * 1000000000u;
    for (uint32_t i = 0; i < z->top; i++) {
        struct zram_slot *s = zram_slot(z, i);
        if (!s->stored || (z->policy.idle_skips_same_wb && (s->same || s->wb)))
            continue;
        /* Last access before now - age, written so that it cannot wrap. */
        if (all || (now > age && *zram_ac_time(z, i) < now - age))
            s->idle = 1;
        else if (z->policy.idle_age_unmarks)
            s->idle = 0;
    }
    return 0;
}

/* ---- targets by falling size ---- */

#define BUCKET 64u /* PP_BUCKET_SIZE_RANGE (drivers/block/zram/zram_drv.c 6.14) */
#define NR_BUCKETS (RF_PAGE_SIZE / BUCKET + 1)

uint32_t *zram_targets(const struct zram *z, zram_wanted_fn wanted, const void *arg, size_t *nr) {
    size_t start[NR_BUCKETS] = {0}, sum = 0;
    *nr = 0;
    for (uint32_t i = 0; i < z->top; i++)
        if (wanted(z, i, arg))
            start[zram_slot(z, i)->size / BUCKET]++;
    for (uint32_t b = NR_BUCKETS; b-- > 0;) {
        sum += start[b];
        start[b] = sum; /* one behind the bucket's last place */
    }
    uint32_t *list = sum ? malloc(sum * sizeof(*list)) : NULL;
    if (!list)
        return NULL;
    /* Filled from the back: inside a bucket the slot found last comes first. */
    for (uint32_t i = 0; i < z->top; i++)
        if (wanted(z, i, arg))
            list[--start[zram_slot(z, i)->size / BUCKET]] = i;
    *nr = sum;
    return list;
}

/* ---- writeback ---- */

struct wb_mode {
    bool idle, huge, incompressible;
};

static bool wb_wanted(const struct zram *z, uint32_t index, const void *arg) {
    const struct wb_mode *m = arg;
    const struct zram_slot *s = zram_slot(z, index);
    return zram_in_pool(s) && (!m->idle || s->idle) && (!m->huge || s->huge) &&
           (!m->incompressible || s->incompressible);
}

/* Makes sure of the limit and of a block; 0 or EIO, ENOSPC. */
static int wb_ready(struct zram *z, uint32_t *block) {
    if (z->wb_limit_enable && z->wb_limit == 0)
        return EIO;
    if (*block == 0 && (*block = zram_bd_alloc(z)) == 0)
        return ENOSPC;
    return 0;
}

/* Writes the page of a slot, uncompressed, to *block, which is then used up. */
static void wb_slot(struct zram *z, struct sim_cpu *cpu, uint32_t index, uint32_t *block) {
    struct zram_slot *s = zram_slot(z, index);
    uint32_t content = s->content;
    zram_read_object(z, cpu, index);
    if (z->verify)
        content_bytes(z->content, content,
                      (uint8_t *)z->bd_data.base + (size_t)*block * RF_PAGE_SIZE);
    zram_charge(cpu, z->cost.backing_write_ns);
    z->bd_writes++;
    zram_free_slot(z, index);
    s->stored = 1;
    s->wb = 1;
    s->content = content & CONTENT_MAX;
    s->handle = *block;
    z->pages_stored++;
    if (z->wb_limit_enable && z->wb_limit > 0)
        z->wb_limit--;
    *block = 0;
}

static int wb_in_index_order(struct zram *z, struct sim_cpu *cpu, const struct wb_mode *m,
                             uint32_t from, uint32_t to) {
    uint32_t block = 0;
    int rc = 0;
    /* Limit and block are looked at for every slot, wanted or not. Beyond z->top nothing can be
     * wanted, so one more look stands for all those slots. */
    uint32_t end = RF_MIN(to, z->top < z->nr_slots ? z->top + 1 : z->top);
    for (uint32_t i = from; i < end && (rc = wb_ready(z, &block)) == 0; i++)
        if (i < z->top && wb_wanted(z, i, m))
            wb_slot(z, cpu, i, &block);
    if (block)
        zram_bd_free(z, block);
    return rc;
}

static int wb_by_size(struct zram *z, struct sim_cpu *cpu, const struct wb_mode *m) {
    uint32_t block = 0;
    size_t nr;
    int rc = 0;
    uint32_t *list = zram_targets(z, wb_wanted, m, &nr);
    for (size_t k = 0; k < nr && (rc = wb_ready(z, &block)) == 0; k++)
        wb_slot(z, cpu, list[k], &block);
    free(list);
    if (block)
        zram_bd_free(z, block);
    return rc;
}

int zram_writeback_store(struct zram *z, struct sim_cpu *cpu, const char *text) {
    struct wb_mode m = {false, false, false};
    char word[32];
    size_t n = strcspn(text, "\n");
    uint64_t index;
    if (n >= sizeof(word))
        return EINVAL;
    memcpy(word, text, n);
    word[n] = '\0';
    if (strcmp(word, "idle") == 0) {
        m.idle = true;
    } else if (strcmp(word, "huge") == 0) {
        m.huge = true;
    } else if (strcmp(word, "huge_idle") == 0) {
        m.huge = m.idle = true;
    } else if (strcmp(word, "incompressible") == 0 && z->policy.wb_incompressible) {
        m.incompressible = true;
    } else if (strncmp(word, "page_index=", 11) == 0) {
        if (!zram_parse_u64(word + 11, &index) || index >= z->nr_slots)
            return EINVAL;
        if (z->bd_blocks == 0)
            return ENODEV;
        return wb_in_index_order(z, cpu, &m, (uint32_t)index, (uint32_t)index + 1);
    } else {
        return EINVAL;
    }
    if (z->bd_blocks == 0)
        return ENODEV;
    if (z->policy.wb_largest_first)
        return wb_by_size(z, cpu, &m);
    return wb_in_index_order(z, cpu, &m, 0, z->nr_slots);
}
