/* SPDX-License-Identifier: Apache-2.0 */
/* zram's state, shared by the files of this folder. */
#ifndef REFAULT_ZRAM_INTERNAL_H
#define REFAULT_ZRAM_INTERNAL_H

#include "refault/zram.h"

/*
 * A page of the device: 12 bytes. Slots live in chunks that are made when one of them is first
 * written and stay close together however far apart on the device: swap clusters do not come in
 * ascending order. Chunk 0 is the one of all slots that were never written, and stays empty.
 */
#define ZRAM_CHUNK_SHIFT 9u
#define ZRAM_CHUNK (1u << ZRAM_CHUNK_SHIFT)
struct zram_slot {
    uint32_t handle;       /* of the object; block if wb; folded fill word if same */
    uint32_t content : 28; /* what is stored */
    uint32_t prio : 2;     /* which algorithm compressed it */
    uint32_t stored : 1;
    uint32_t same : 1;
    uint32_t size : 13; /* 4096 if huge, 0 if same or wb */
    uint32_t wb : 1;
    uint32_t huge : 1;
    uint32_t idle : 1;
    uint32_t incompressible : 1;
};

struct zram {
    struct zram_policy policy;
    struct zram_cost cost;
    const char *name;
    struct content_set *content;
    struct zpool *pool;
    enum codec_id comp[ZRAM_MAX_COMPS];
    uint32_t nr_comps;    /* active algorithms */
    uint32_t nr_slots;    /* disksize in pages */
    uint32_t top;         /* slots from here on have never been used */
    uint32_t huge_size;   /* shortest length that is stored raw */
    uint32_t locked_slot; /* RF_NONE: none */
    bool verify, track_ac_time, wb_limit_enable;
    uint64_t limit_pages, max_used_pages, wb_limit;
    uint64_t pages_stored, compr_data_size, same_pages, huge_pages, huge_pages_since;
    uint64_t failed_reads, failed_writes, invalid_io, notify_free;
    uint64_t writestall, miss_free;
    uint64_t bd_blocks, bd_count, bd_reads, bd_writes;
    uint64_t bd_hint; /* blocks below it are in use */
    uint32_t nr_chunks;
    struct rf_varr slots;   /* struct zram_slot by chunk and place in it */
    struct rf_varr chunks;  /* uint32_t: the chunk of index / ZRAM_CHUNK */
    struct rf_varr ac_time; /* rf_time of each slot's last access, if tracked */
    struct rf_varr bd_map;  /* a bit per block */
    struct rf_varr bd_data; /* verify: the backing device's bytes */
    uint64_t verified;
    struct rf_err verify_err;
};

static inline struct zram_slot *zram_slot(const struct zram *z, uint32_t index) {
    uint32_t chunk = ((const uint32_t *)z->chunks.base)[index >> ZRAM_CHUNK_SHIFT];
    return (struct zram_slot *)z->slots.base +
           ((size_t)chunk << ZRAM_CHUNK_SHIFT | (index & (ZRAM_CHUNK - 1)));
}

static inline rf_time *zram_ac_time(const struct zram *z, uint32_t index) {
    return (rf_time *)z->ac_time.base + index;
}

static inline void zram_charge(struct sim_cpu *cpu, uint64_t ns) {
    if (cpu)
        sim_charge(cpu, ns);
}

/* Whether the slot's data is in the pool. */
static inline bool zram_in_pool(const struct zram_slot *s) {
    return s->stored && !s->same && !s->wb;
}

/* The slot was read or written: not idle, and young. */
static inline void zram_accessed(struct zram *z, const struct sim_cpu *cpu, uint32_t index) {
    zram_slot(z, index)->idle = 0;
    if (z->track_ac_time)
        *zram_ac_time(z, index) = cpu ? cpu->now : 0;
}

static inline uint64_t zram_compress_ns(const struct zram *z, enum codec_id c, uint32_t len) {
    return z->cost.compress_ns[c] + len * z->cost.compress_byte_ps[c] / 1000;
}

static inline uint64_t zram_decompress_ns(const struct zram *z, enum codec_id c, uint32_t len) {
    return z->cost.decompress_ns[c] + len * z->cost.decompress_byte_ps[c] / 1000;
}

/* Frees what the slot holds (zram_free_page()); counts no notice. */
void zram_free_slot(struct zram *z, uint32_t index);
/* Reads an object from the pool into nothing but time; in verify mode checks its bytes. */
void zram_read_object(struct zram *z, struct sim_cpu *cpu, uint32_t index);
/* verify: stores the payload of content, compressed by codec or raw, in the object. */
void zram_store_payload(struct zram *z, uint32_t handle, uint32_t content, enum codec_id codec,
                        uint32_t len, bool raw);

/* The handlers of sysfs files; 0 or a positive errno value. */
int zram_idle_store(struct zram *z, const struct sim_cpu *cpu, const char *text);
int zram_writeback_store(struct zram *z, struct sim_cpu *cpu, const char *text);
int zram_recompress_store(struct zram *z, struct sim_cpu *cpu, const char *text);

/* Number as kstrtou64(text, 0, v) takes it, one newline at the end allowed. */
bool zram_parse_u64(const char *text, uint64_t *v);

/* Slots that `wanted` accepts, as an array of *nr indices (caller frees) in the order in which the
 * kernel from 6.13 on handles them; NULL with *nr 0 if there is none or no memory. */
typedef bool (*zram_wanted_fn)(const struct zram *z, uint32_t index, const void *arg);
uint32_t *zram_targets(const struct zram *z, zram_wanted_fn wanted, const void *arg, size_t *nr);

/* Backing device: the block's number, 0 if it is full. */
uint32_t zram_bd_alloc(struct zram *z);
void zram_bd_free(struct zram *z, uint32_t block);

#endif
