/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folios, by folio id. A folio is owned by whoever holds it: an LRU list, a per-CPU batch, or the
 * reclaim pass that isolated it.
 */
#ifndef MM_FOLIO_H
#define MM_FOLIO_H

#include <stdbool.h>
#include <stdint.h>

struct mm;
struct sim_cpu;

#define FOLIO_LRU 0x0001u /* on an LRU list */
#define FOLIO_ACTIVE 0x0002u
#define FOLIO_REFERENCED 0x0004u
#define FOLIO_WORKINGSET 0x0008u
#define FOLIO_DIRTY 0x0010u
#define FOLIO_WRITEBACK 0x0020u
#define FOLIO_RECLAIM 0x0040u /* shares its bit with readahead, as in the kernel */
#define FOLIO_SWAPCACHE 0x0080u
#define FOLIO_LOCKED 0x0100u    /* a device read into it is in flight */
#define FOLIO_IN_BATCH 0x0200u  /* in a per-CPU LRU-add batch: one more reference */
#define FOLIO_ISOLATED 0x0400u  /* held by a reclaim pass */
#define FOLIO_IN_ROTATE 0x0800u /* in a rotation or activation batch: one more reference */
#define FOLIO_KSM 0x1000u
#define FOLIO_STABLE_WB 0x2000u /* under writeback to a device that needs stable pages */
#define FOLIO_USED 0x4000u      /* allocated */
#define FOLIO_DEFERRED 0x8000u  /* large: in its memcg's deferred split queue */

#define PMD_ORDER 9u
#define PMD_NR 512u

#define FOLIO_MAX_MAPCOUNT 250u /* of the 8 bits; a fork that would exceed it is refused */

struct folio {
    uint32_t prev, next; /* LRU links; next also links free folios; see folio_slot() for prev */
    uint32_t owner;      /* a PTE that maps it; if unmapped, the content id of its data; of a large
                            folio always the id of its first page in some process */
    uint16_t flags;
    uint8_t mapcount;    /* mappings; a large folio counts the processes that map it */
    uint8_t memcg_order; /* memcg id in the low 4 bits, order in the high 4 */
};

static inline uint32_t folio_memcg(const struct folio *f) {
    return f->memcg_order & 15u;
}
static inline uint32_t folio_order(const struct folio *f) {
    return (uint32_t)f->memcg_order >> 4;
}
static inline uint32_t folio_nr(const struct folio *f) {
    return 1u << folio_order(f);
}
/* References besides the caller's own: mappings, swap cache, per-CPU batches. */
static inline uint32_t folio_refs(const struct folio *f) {
    return (uint32_t)f->mapcount + ((f->flags & FOLIO_SWAPCACHE) ? folio_nr(f) : 0) +
           ((f->flags & FOLIO_IN_BATCH) ? 1 : 0) + ((f->flags & FOLIO_IN_ROTATE) ? 1 : 0);
}

/* Per CPU: folios on their way to a list or within one (struct folio_batch of the kernel). */
#define BATCH_MAX 31 /* PAGEVEC_SIZE (include/linux/pagevec.h 6.12) */
struct folio_batch {
    uint32_t n;
    uint32_t folio[BATCH_MAX];
};

/* ---- folio.c ---- */
uint32_t folio_alloc(struct mm *mm, uint32_t memcg);
void folio_free(struct mm *mm, uint32_t id);    /* uncharges; must be on no list */
void folio_release(struct mm *mm, uint32_t id); /* frees without uncharging: the caller does */
void folio_add_lru(struct mm *mm, struct sim_cpu *cpu, uint32_t id);
void folio_rotate_reclaimable(struct mm *mm, struct sim_cpu *cpu, uint32_t id);
void lru_add_drain(struct mm *mm, struct sim_cpu *cpu);
void folio_forget_batches(struct mm *mm, uint32_t id); /* drops it from any CPU's batches */

#endif
