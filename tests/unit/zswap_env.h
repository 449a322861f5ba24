/* SPDX-License-Identifier: Apache-2.0 */
/* What the zswap tests share: era policies, a host that records, a small catalogue of pages. */
#ifndef ZSWAP_ENV_H
#define ZSWAP_ENV_H

#include "refault/zswap.h"

enum era { Z0, Z1, Z2, Z3A, Z3B, Z4, Z5 };

/* The eras of the kernels 5.4, 6.1, 6.6, 6.8, 6.12, 6.13 and 6.18. */
static inline struct zswap_policy era_policy(enum era e) {
    struct zswap_policy p = {0};

    p.shrink_mode = e == Z0   ? ZSWAP_SHRINK_SYNC
                    : e == Z1 ? ZSWAP_SHRINK_ONE
                    : e == Z2 ? ZSWAP_SHRINK_UNTIL_ACCEPT
                              : ZSWAP_SHRINK_MEMCG;
    p.exclusive = e < Z2 ? ZSWAP_EXCL_NEVER : e == Z2 ? ZSWAP_EXCL_KNOB : ZSWAP_EXCL_ALWAYS;
    p.protect = e < Z3A    ? ZSWAP_PROTECT_NONE
                : e == Z3A ? ZSWAP_PROTECT_COUNTER
                           : ZSWAP_PROTECT_SECOND_CHANCE;
    p.limits_nonstrict = p.replace_late = p.tree_per_64m = e >= Z3B;
    p.hysteresis = e >= Z1;
    p.queue_on_refusal = p.entry_lru = e >= Z2;
    p.same_filled = e < Z3B;
    p.backend_evicts = e < Z2;
    p.header_bytes = e < Z2 ? 8 : 0;
    p.memcg_zswap = p.count_vm = e >= Z1;
    p.memcg_writeback = p.memcg_shrink_on_max = p.count_wb = p.shrinker = e >= Z3A;
    p.enospc_is_poor = p.count_compress_fail = e >= Z3A;
    p.count_duplicate = e == Z2 || e == Z3A;
    p.erase_on_refuse = e >= Z3B;
    p.invalidate_late = e <= Z3A;
    p.large_store = e >= Z4;
    p.raw_store = e >= Z5;
    p.nr_backends = 1;
    p.walk_budget = 1;
    p.retries = 16;
    return p;
}

/* Pages of the catalogue. */
enum {
    PAGE_ZERO,
    PAGE_1000, /* compresses to 1000 bytes with each codec */
    PAGE_FILL, /* same-filled */
    PAGE_4200, /* expands */
    PAGE_4096, /* just fits */
    PAGE_3960,
    PAGE_3961,
    NR_PAGES
};

static inline struct content_set *env_content(void) {
    static const uint16_t len[NR_PAGES] = {0, 1000, 40, 4200, 4096, 3960, 3961};
    struct content_row row[NR_PAGES - 1] = {0};
    struct content_set *cs = NULL;
    struct rf_err err = {0};

    for (uint32_t i = 1; i < NR_PAGES; i++) {
        for (uint32_t c = 0; c < NR_CODECS; c++)
            row[i - 1].size[c] = len[i];
        row[i - 1].same_filled = i == PAGE_FILL;
        row[i - 1].word = 0x5a5a;
    }
    if (content_from_rows(row, NR_PAGES - 1, &cs, &err))
        return NULL;
    return cs;
}

struct env {
    struct zswap *z;
    struct zswap_params p;
    struct sim_cpu cpu;
    struct rf_err err;
    /* host behaviour */
    int wb_rc;         /* what wb_begin() says */
    bool wb_alternate; /* it fails every other time, failure first */
    bool no_writeback, over_max;
    uint32_t nr_memcgs;
    /* host records */
    uint32_t wb_calls, submits, aborts, queued, last_submitted, may_calls;
    uint64_t bytes, pages, vm[3];
    uint32_t drop_in_wb; /* slot invalidated from inside wb_begin(), or RF_NONE */
};

static inline int env_wb_begin(void *h, struct sim_cpu *cpu, uint32_t slot, uint32_t *folio) {
    struct env *e = h;

    *folio = slot + 1000;
    e->wb_calls++;
    if (e->drop_in_wb != RF_NONE)
        zswap_invalidate(e->z, cpu, e->drop_in_wb);
    if (e->wb_alternate)
        return e->wb_calls % 2 ? -2 : 0;
    return e->wb_rc;
}
static inline void env_wb_abort(void *h, struct sim_cpu *cpu, uint32_t slot, uint32_t folio) {
    (void)cpu;
    ((struct env *)h)->aborts += folio == slot + 1000;
}
static inline void env_wb_submit(void *h, struct sim_cpu *cpu, uint32_t slot, uint32_t folio) {
    struct env *e = h;
    (void)cpu;
    e->submits += folio == slot + 1000;
    e->last_submitted = slot;
}
static inline bool env_wb_enabled(void *h, uint32_t memcg) {
    (void)memcg;
    return !((struct env *)h)->no_writeback;
}
static inline bool env_may_store(void *h, uint32_t memcg) {
    struct env *e = h;
    (void)memcg;
    e->may_calls++;
    return !e->over_max;
}
static inline void env_charge(void *h, struct sim_cpu *cpu, uint32_t memcg, uint32_t bytes) {
    struct env *e = h;
    (void)cpu;
    (void)memcg;
    e->bytes += bytes;
    e->pages++;
}
static inline void env_uncharge(void *h, uint32_t memcg, uint32_t bytes) {
    struct env *e = h;
    (void)memcg;
    e->bytes -= bytes;
    e->pages--;
}
static inline void env_count_vm(void *h, uint32_t memcg, enum zswap_vm ev, uint32_t nr) {
    (void)memcg;
    ((struct env *)h)->vm[ev] += nr;
}
static inline void env_queue(void *h, struct sim_cpu *cpu) {
    (void)cpu;
    ((struct env *)h)->queued++;
}
static inline uint32_t env_next_memcg(void *h, uint32_t memcg) {
    uint32_t next = memcg == RF_NONE ? 0 : memcg + 1;

    return next < ((struct env *)h)->nr_memcgs ? next : RF_NONE;
}
static inline void env_stats(void *h, uint32_t memcg, uint64_t *bytes, uint64_t *pages) {
    struct env *e = h;
    (void)memcg;
    *bytes = e->bytes;
    *pages = e->pages;
}
static const struct zswap_host_ops env_ops = {
    .wb_begin = env_wb_begin,
    .wb_abort = env_wb_abort,
    .wb_submit = env_wb_submit,
    .writeback_enabled = env_wb_enabled,
    .may_store = env_may_store,
    .charge = env_charge,
    .uncharge = env_uncharge,
    .count_vm = env_count_vm,
    .queue_work = env_queue,
    .next_memcg = env_next_memcg,
    .memcg_stats = env_stats,
};

static inline void env_init(struct env *e, struct zswap_policy policy, const struct zpool_ops *pool,
                            uint64_t ram, uint32_t max_percent, uint32_t accept) {
    memset(e, 0, sizeof(*e));
    e->nr_memcgs = 1;
    e->drop_in_wb = RF_NONE;
    e->p.policy = policy;
    e->p.knobs = (struct zswap_knobs){
        .enabled = true,
        .compressor = CODEC_LZ4,
        .zpool = pool,
        .max_pool_percent = max_percent,
        .accept_threshold_percent = accept,
        .shrinker_enabled = true,
        .same_filled_pages_enabled = true,
        .non_same_filled_pages_enabled = true,
        .exclusive_loads = true,
    };
    e->p.zs = (struct zs_policy){.chain_size = 8, .least_waste = true, .fullness_12 = true};
    e->p.ram_pages = ram;
    e->p.max_slots = 1u << 20;
    e->p.content = env_content();
    e->p.host = &env_ops;
    e->p.host_ctx = e;
}
static inline int env_start(struct env *e) {
    return zswap_create(&e->p, &e->z, &e->err);
}
static inline void env_stop(struct env *e) {
    zswap_destroy(e->z);
    content_free(e->p.content);
}

#endif
