/* SPDX-License-Identifier: Apache-2.0 */
/* Private to src/zswap. */
#ifndef REFAULT_ZSWAP_INTERNAL_H
#define REFAULT_ZSWAP_INTERNAL_H

#include "refault/calendar.h"
#include "refault/zswap.h"

#define ENTRY_LIVE 0x01u
#define ENTRY_ON_LRU 0x02u
#define ENTRY_REFERENCED 0x04u
#define ENTRY_SAME 0x08u /* same-filled: no object in a pool */
#define ENTRY_RAW 0x10u  /* kept uncompressed */
#define ENTRY_MASK 0x1fu

#define MAX_BACKENDS 32u /* ZSWAP_NR_ZPOOLS (mm/zswap.c 6.8) */
#define TREE_SHIFT 14u   /* slots of 64 MiB: SWAP_ADDRESS_SPACE_SHIFT (mm/swap.h 6.8) */
#define NR_TREES                                                                                   \
    256u /* a choice, no number of the kernel: locks of 16 GiB of swap are apart,                  \
            those of what is beyond are the same again */
#define WB_NOMEM (-1)
#define WB_EXISTS (-2)
#define WB_GONE (-3)

/* 14 bytes a slot, by slot id. */
#define ENTRY_LINK_BITS 28
#define ENTRY_NONE ((1u << ENTRY_LINK_BITS) - 1) /* ends the list */
struct __attribute__((packed, aligned(2))) zswap_entry {
    uint32_t handle;
    uint32_t prev : ENTRY_LINK_BITS, next : ENTRY_LINK_BITS; /* LRU of its memcg: prev is older */
    uint32_t length : 13; /* without the backend's header; 0 for same-filled */
    uint32_t flags : 5;   /* ENTRY_ */
    uint32_t memcg : 4;
};
_Static_assert(sizeof(struct zswap_entry) == 14, "14 bytes a slot");

struct zswap_lru {
    uint32_t oldest, youngest;
    uint64_t nr;
    uint64_t protection; /* nr_zswap_protected (6.8-6.11) or nr_disk_swapins (6.12+) */
    uint64_t deferred;   /* of the dynamic shrinker */
};

/* A run of the worker that may be interrupted between two steps. */
struct zswap_work {
    bool running;
    bool first;
    uint64_t thr; /* threshold in pages (6.10+) */
    uint32_t failures, attempts;
    uint64_t failed_in_a_row;
    uint32_t cursor; /* memcg: kept over runs */
};

/* With contention. */
struct zswap_locks {
    struct sim_spin lru[ZSWAP_MAX_MEMCGS];
    struct sim_spin map[MAX_BACKENDS]; /* never waited for */
    struct sim_spin pool[MAX_BACKENDS][ZPOOL_MAX_LOCKS];
};

struct zswap {
    struct zswap_policy policy;
    struct zswap_cost cost;
    struct zswap_knobs knobs;
    uint64_t ram_pages;
    uint32_t max_slots, seen; /* seen: largest slot ever stored + 1 */
    struct content_set *content;
    const struct zswap_host_ops *host;
    void *host_ctx;
    struct accel *accel; /* NULL = none */
    bool verify;

    struct rf_varr v_entry, v_content;
    struct zswap_entry *entry;
    uint32_t *entry_content; /* verify only */
    uint64_t verified;

    uint32_t nr_backends, header;
    struct zpool *backend[MAX_BACKENDS];
    uint64_t known[MAX_BACKENDS]; /* pages of a backend when last looked at */
    uint64_t live_pages;          /* their sum */
    uint64_t counted_pages;       /* kernels to 6.9: as of the last store or free */

    bool reached_full;
    uint64_t stored_bytes;
    struct zswap_lru lru[ZSWAP_MAX_MEMCGS];
    struct zswap_work work;
    struct zswap_counters c;
    struct sim_lock tree;
    struct sim_spin tree_busy[NR_TREES];
    struct zswap_locks *locks; /* with contention, else NULL */
    uint64_t lock_handoff_ns, cache_line_ns;
    struct rf_err verify_err;
};

/* ---- zswap.c: pools and entries ---- */
static inline uint32_t backend_of(const struct zswap *z, uint32_t slot) {
    return z->nr_backends == 1 ? 0 : (uint32_t)(rf_mix64(slot) % z->nr_backends);
}
static inline bool entry_live(const struct zswap *z, uint32_t slot) {
    return slot < z->seen && (z->entry[slot].flags & ENTRY_LIVE);
}
/* Brings live_pages up to date after something happened in backend b. */
void zswap_refresh(struct zswap *z, uint32_t b);
/* The recomputation of pool_total_size after a store or free (to 6.9). */
void zswap_recount(struct zswap *z);
/* Removes an entry with its object, LRU link and charge. The caller counts why. */
void zswap_entry_free(struct zswap *z, struct sim_cpu *cpu, uint32_t slot);

/* ---- locks.c: each is taken and given back; all but the first do nothing without contention ----
 */
/* The tree lock of a slot, for `holds` entries. */
void zswap_tree_hold(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t holds);
/* The lock of the entry list of a memcg, to add an entry or to remove one. */
void zswap_lru_hold(struct zswap *z, struct sim_cpu *cpu, uint32_t memcg, bool removes);
/* The lock of the backend pool that guards the object `handle` of a slot. */
void zswap_pool_hold(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t handle);
/* What makes sure that the object of a slot stays where it is. */
void zswap_map_hold(struct zswap *z, struct sim_cpu *cpu, uint32_t slot);
void zswap_locks_free(struct zswap *z);

/* ---- lru.c ---- */
struct zswap_lru *zswap_lru_of(struct zswap *z, uint32_t memcg);
void zswap_lru_add(struct zswap *z, uint32_t slot); /* at the young end */
void zswap_lru_del(struct zswap *z, uint32_t slot);
void zswap_lru_rotate(struct zswap *z, uint32_t slot); /* to the young end */
/* nr_zswap_protected: one more, then halved if above a quarter of the list. */
void zswap_protect(struct zswap *z, struct zswap_lru *l, bool decay);

/* ---- limits.c ---- */
uint64_t zswap_max_pages(const struct zswap *z);
/* Old rule: the bound that the pool must be below. New rule: the threshold it must not exceed. */
uint64_t zswap_accept_pages(const struct zswap *z);
bool zswap_is_full(const struct zswap *z);
bool zswap_can_accept(const struct zswap *z);

/* ---- writeback.c ---- */
/* 0, or a WB_ code; counts why. */
int zswap_writeback_entry(struct zswap *z, struct sim_cpu *cpu, uint32_t slot);
/* One step of the LRU or backend shrinking to 6.7. */
enum zpool_error zswap_shrink_one(struct zswap *z, struct sim_cpu *cpu);

/* ---- shrink.c ---- */
enum zswap_shrink_result { SHRUNK, SHRINK_AGAIN, SHRINK_NOTHING };
enum zswap_shrink_result zswap_shrink_memcg(struct zswap *z, struct sim_cpu *cpu, uint32_t memcg);
/* Walks up to *budget entries from the oldest; returns how many were written back. */
uint64_t zswap_lru_walk(struct zswap *z, struct sim_cpu *cpu, uint32_t memcg, uint64_t *budget,
                        bool stop_on_exists, bool *met_exists);
bool zswap_writeback_allowed(const struct zswap *z, uint32_t memcg);
void zswap_queue_work(struct zswap *z, struct sim_cpu *cpu);

/* ---- codec.c: costs and verification ---- */
struct accel_job zswap_compress_job(const struct zswap *z, uint32_t len);
/* Of an entry that is not same-filled. */
struct accel_job zswap_decompress_job(const struct zswap *z, uint32_t slot);
/* Does the jobs under the CPU's mutex. */
void zswap_run_jobs(struct zswap *z, struct sim_cpu *cpu, struct accel_job *job, uint32_t n);
void zswap_charge_decompress(struct zswap *z, struct sim_cpu *cpu, uint32_t slot);
void zswap_verify_write(struct zswap *z, uint32_t slot, uint32_t content);
/* Reads the entry's data back and compares; `expected` RF_NONE: only with what was stored. */
void zswap_verify_read(struct zswap *z, uint32_t slot, uint32_t expected, const char *doing);

#endif
