/* SPDX-License-Identifier: Apache-2.0 */
/* zram: write, read and free of pages (drivers/block/zram/zram_drv.c 6.1 and 6.12). */
#include "zram_internal.h"

#include <stdlib.h>

/* ---- verification ---- */

static void verified(struct zram *z, uint32_t index, bool same, const char *what) {
    if (same)
        z->verified++;
    else if (z->verify_err.code == 0)
        rf_fail(&z->verify_err, RF_ECHECK, "zram %s: page %u, content %u: %s", z->name, index,
                (unsigned)zram_slot(z, index)->content, what);
}

static uint32_t fold(uint64_t word) {
    return (uint32_t)(word ^ word >> 32);
}

void zram_store_payload(struct zram *z, uint32_t handle, uint32_t content, enum codec_id codec,
                        uint32_t len, bool raw) {
    uint8_t buf[CODEC_MAX_OUT];
    if (raw)
        content_bytes(z->content, content, buf);
    else
        content_payload(z->content, content, codec, buf);
    z->pool->ops->write(z->pool, handle, buf, len);
}

static void verify_object(struct zram *z, uint32_t index) {
    const struct zram_slot *s = zram_slot(z, index);
    uint8_t got[CODEC_MAX_OUT], page[RF_PAGE_SIZE];
    z->pool->ops->read(z->pool, s->handle, got, s->size);
    if (s->huge) {
        content_bytes(z->content, s->content, page);
        verified(z, index, memcmp(got, page, RF_PAGE_SIZE) == 0,
                 "the raw page read back differs from what was written");
    } else {
        verified(z, index,
                 content_verify(z->content, s->content, z->comp[s->prio], got, s->size) == 0,
                 "the compressed page read back is not what was written");
    }
}

static void verify_same(struct zram *z, uint32_t index) {
    const struct zram_slot *s = zram_slot(z, index);
    uint64_t word = 0;
    verified(z, index,
             content_same_filled(z->content, s->content, &word) && s->handle == fold(word),
             "the fill word differs from what was written");
}

static void verify_block(struct zram *z, uint32_t index) {
    const struct zram_slot *s = zram_slot(z, index);
    uint8_t page[RF_PAGE_SIZE];
    content_bytes(z->content, s->content, page);
    const uint8_t *block = (uint8_t *)z->bd_data.base + (size_t)s->handle * RF_PAGE_SIZE;
    verified(z, index, memcmp(page, block, RF_PAGE_SIZE) == 0,
             "the block read from the backing device differs");
}

/* ---- slots ---- */

void zram_free_slot(struct zram *z, uint32_t index) {
    struct zram_slot *s = zram_slot(z, index);
    if (index >= z->top || !s->stored)
        return;
    if (z->track_ac_time)
        *zram_ac_time(z, index) = 0;
    if (s->huge)
        z->huge_pages--;
    if (s->wb) {
        zram_bd_free(z, s->handle);
    } else if (s->same) {
        z->same_pages--;
    } else {
        z->pool->ops->free(z->pool, s->handle);
        z->compr_data_size -= s->size;
    }
    z->pages_stored--;
    memset(s, 0, sizeof(*s));
}

static void touch(struct zram *z, uint32_t index) {
    uint32_t *chunk = (uint32_t *)z->chunks.base + (index >> ZRAM_CHUNK_SHIFT);

    if (RF_UNLIKELY(!*chunk))
        *chunk = ++z->nr_chunks;
    if (index >= z->top)
        z->top = index + 1;
}

bool zram_write(struct zram *z, struct sim_cpu *cpu, uint32_t index, uint32_t content) {
    uint64_t word = 0;
    if (index >= z->nr_slots) {
        z->invalid_io++;
        return false;
    }
    zram_charge(cpu, z->cost.write_ns + z->cost.same_filled_ns);
    if (content_same_filled(z->content, content, &word)) {
        touch(z, index);
        zram_free_slot(z, index);
        struct zram_slot *s = zram_slot(z, index);
        s->handle = fold(word);
        s->content = content & CONTENT_MAX;
        s->stored = s->same = 1;
        z->same_pages++;
        z->pages_stored++;
        zram_accessed(z, cpu, index);
        return true;
    }

    uint32_t len = content_size(z->content, content, z->comp[0]), handle;
    zram_charge(cpu, zram_compress_ns(z, z->comp[0], len));
    if (len == 0 || len > CODEC_MAX_OUT) {
        z->failed_writes++;
        return false;
    }
    bool huge = len >= z->huge_size;
    if (huge)
        len = RF_PAGE_SIZE;
    if (z->pool->ops->malloc(z->pool, len, index, &handle) != ZPOOL_OK) {
        z->writestall++;
        z->failed_writes++;
        return false;
    }
    /* The high-water mark is raised before the limit is looked at, so it may exceed the limit; and
     * the old content is still there, so an overwrite needs room for both. */
    uint64_t pages = z->pool->ops->total_pages(z->pool);
    z->max_used_pages = RF_MAX(z->max_used_pages, pages);
    if (z->limit_pages && pages > z->limit_pages) {
        z->pool->ops->free(z->pool, handle);
        z->failed_writes++;
        return false;
    }
    if (z->verify)
        zram_store_payload(z, handle, content, z->comp[0], len, huge);
    if (huge)
        zram_charge(cpu, z->cost.copy_page_ns);
    touch(z, index);
    zram_free_slot(z, index);
    struct zram_slot *s = zram_slot(z, index);
    s->handle = handle;
    s->content = content & CONTENT_MAX;
    s->size = len & 0x1fffu;
    s->stored = 1;
    if (huge) {
        s->huge = 1;
        z->huge_pages++;
        z->huge_pages_since++;
    }
    z->compr_data_size += len;
    z->pages_stored++;
    zram_accessed(z, cpu, index);
    return true;
}

void zram_read_object(struct zram *z, struct sim_cpu *cpu, uint32_t index) {
    const struct zram_slot *s = zram_slot(z, index);
    if (s->huge)
        zram_charge(cpu, z->cost.copy_page_ns);
    else
        zram_charge(cpu, zram_decompress_ns(z, z->comp[s->prio], s->size));
    if (z->verify)
        verify_object(z, index);
}

bool zram_read(struct zram *z, struct sim_cpu *cpu, uint32_t index, uint32_t *content) {
    *content = CONTENT_ZERO;
    if (index >= z->nr_slots) {
        z->invalid_io++;
        return false;
    }
    zram_charge(cpu, z->cost.read_ns);
    const struct zram_slot *s = zram_slot(z, index);
    if (index >= z->top || !s->stored) {
        zram_charge(cpu, z->cost.same_filled_ns);
        return true;
    }
    *content = s->content;
    if (s->wb) {
        z->bd_reads++;
        zram_charge(cpu, z->cost.backing_read_ns);
        if (z->verify)
            verify_block(z, index);
    } else if (s->same) {
        zram_charge(cpu, z->cost.same_filled_ns);
        if (z->verify)
            verify_same(z, index);
    } else {
        zram_read_object(z, cpu, index);
    }
    zram_accessed(z, cpu, index);
    return true;
}

void zram_prefetch(const struct zram *z, uint32_t index) {
    if (index < z->top) {
        const struct zram_slot *s = zram_slot(z, index);
        RF_PREFETCH(s); /* may lie in two cache lines */
        RF_PREFETCH((const char *)(s + 1) - 1);
    }
}

void zram_prefetch_object(const struct zram *z, uint32_t index, bool links) {
    if (index < z->top && zram_in_pool(zram_slot(z, index)))
        z->pool->ops->prefetch(z->pool, zram_slot(z, index)->handle, links);
}

void zram_slot_free_notify(struct zram *z, struct sim_cpu *cpu, uint32_t index) {
    z->notify_free++;
    if (index == z->locked_slot) {
        z->miss_free++;
        return;
    }
    zram_charge(cpu, z->cost.free_ns);
    if (index < z->nr_slots)
        zram_free_slot(z, index);
}

void zram_set_locked_slot(struct zram *z, uint32_t index) {
    z->locked_slot = index;
}

void zram_discard(struct zram *z, struct sim_cpu *cpu, uint32_t index, uint32_t nr) {
    if (index >= z->nr_slots || nr > z->nr_slots - index) {
        z->invalid_io++;
        return;
    }
    for (uint32_t i = index; i < index + nr; i++)
        zram_free_slot(z, i);
    z->notify_free += nr;
    zram_charge(cpu, nr * z->cost.free_ns);
}

/* ---- life ---- */

void zram_destroy(struct zram *z) {
    if (!z)
        return;
    if (z->pool)
        z->pool->ops->destroy(z->pool);
    rf_varr_free(&z->slots);
    rf_varr_free(&z->chunks);
    rf_varr_free(&z->ac_time);
    rf_varr_free(&z->bd_map);
    rf_varr_free(&z->bd_data);
    free(z);
}

static int reserve(struct zram *z, struct rf_err *err) {
    size_t n = z->nr_slots, blocks = (size_t)z->bd_blocks, chunks = n / ZRAM_CHUNK + 1;
    int rc = rf_varr_init(&z->slots, (chunks + 1) * ZRAM_CHUNK, sizeof(struct zram_slot), err);
    if (rc == 0)
        rc = rf_varr_init(&z->chunks, chunks, sizeof(uint32_t), err);
    if (rc == 0 && z->track_ac_time)
        rc = rf_varr_init(&z->ac_time, n, sizeof(rf_time), err);
    if (rc == 0 && blocks)
        rc = rf_varr_init(&z->bd_map, blocks / 64 + 1, sizeof(uint64_t), err);
    if (rc == 0 && blocks && z->verify)
        rc = rf_varr_init(&z->bd_data, blocks, RF_PAGE_SIZE, err);
    rf_varr_hint_dense(&z->slots);
    return rc;
}

int zram_create(const struct zram_params *p, struct zram **out, struct rf_err *err) {
    *out = NULL;
    if (p->disksize_pages == 0 || p->disksize_pages >= RF_NONE || p->backing_pages >= RF_NONE)
        return rf_fail(err, RF_EUSAGE,
                       "zram %s: disksize of %llu pages and backing device of %llu pages: expected "
                       "1 to 4294967294 and less than 4294967295",
                       p->name, (unsigned long long)p->disksize_pages,
                       (unsigned long long)p->backing_pages);
    if ((uint32_t)p->comp[0] >= NR_CODECS)
        return rf_fail(err, RF_EUSAGE, "zram %s: no compression algorithm", p->name);
    struct zram *z = calloc(1, sizeof(*z));
    if (!z)
        return rf_fail(err, RF_ENOMEM, "zram %s: no memory", p->name);
    z->policy = p->policy;
    z->cost = p->cost;
    z->name = p->name;
    z->content = p->content;
    z->verify = p->verify;
    z->track_ac_time = p->track_ac_time;
    z->nr_slots = (uint32_t)p->disksize_pages;
    z->bd_blocks = p->backing_pages;
    z->bd_hint = 1;
    z->limit_pages = (p->mem_limit_bytes + RF_PAGE_SIZE - 1) / RF_PAGE_SIZE;
    z->wb_limit = p->writeback_limit;
    z->wb_limit_enable = p->writeback_limit_enable;
    z->locked_slot = RF_NONE;
    for (uint32_t i = 0; i < ZRAM_MAX_COMPS; i++) {
        z->comp[i] = (uint32_t)p->comp[i] < NR_CODECS ? p->comp[i] : NR_CODECS;
        z->nr_comps += z->comp[i] != NR_CODECS;
    }
    struct zpool_params zp = {
        .zs = p->zs,
        .name = p->name,
        .store_bytes = p->verify,
        .max_objects = z->nr_slots,
        .pages = p->pages,
        .pages_ctx = p->pages_ctx,
    };
    int rc = reserve(z, err);
    if (rc == 0)
        rc = zpool_find("zsmalloc")->create(&zp, &z->pool, err);
    if (rc != 0) {
        zram_destroy(z);
        return rc;
    }
    z->huge_size = p->policy.huge_by_class_size ? zs_huge_class_size(zs_pool_table(z->pool))
                                                : p->policy.max_zpage_size + 1;
    *out = z;
    return 0;
}
