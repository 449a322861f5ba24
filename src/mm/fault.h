/* SPDX-License-Identifier: Apache-2.0 */
/* Page faults: their kinds, what one that is tried again remembers, and the parts of handling. */
#ifndef MM_FAULT_H
#define MM_FAULT_H

#include "memcg.h"
#include "refault/engine.h"

struct mm;
struct sim_cpu;
struct folio;
struct vma;

enum fault_result {
    FAULT_DONE,
    FAULT_RETRY, /* once what it waits for has happened */
    FAULT_AGAIN, /* nothing was done, for the entry had changed: the access faults anew */
    FAULT_OOM,
};
enum fault_kind {
    FK_MINOR,
    FK_WP,
    FK_COW,
    FK_CACHE_HIT,
    FK_ZERO,
    FK_ZSWAP,
    FK_ZRAM,
    FK_DEVICE,
    NR_FAULT_KINDS
};
/* "fault.minor", ... */
const char *fault_kind_name(enum fault_kind kind);

/* What a fault that is tried again must remember. */
struct fault_ctx {
    uint32_t id;
    bool active, counted, major;
    bool in_read; /* waits inside a read: going on is not a retry */
    uint8_t kind;
    uint32_t wait_folio;
    uint32_t content; /* what the store leaves in the page, RF_NONE if that is not known */
    rf_time start;
    uint32_t charge_retries;
    bool charge_drained, charge_flushed;
    uint32_t charge_rounds;
    uint32_t over_high; /* pages charged above memory.high */
    rf_time wait_until;
};

/* ---- fault.c ---- */
enum fault_result handle_fault(struct mm *mm, struct sim_cpu *cpu, uint32_t id, bool write,
                               struct fault_ctx *ctx);
/* A new page that only this entry maps, written. */
void map_new_folio(struct mm *mm, struct sim_cpu *cpu, uint32_t id, uint32_t folio);
struct vma *vma_of(struct mm *mm, uint32_t id, uint32_t *lo_id, uint32_t *hi_id);

/* ---- wp.c ---- */
/* An entry that maps the folio is about to become writable: counts what must never be. */
void wp_note_writable(struct mm *mm, const struct folio *f);
/* The resident small pages among the ids become KSM pages, as ksmd leaves them: write-protected,
 * copied by every store. That equal pages share memory then is not modelled. */
int wp_mark_ksm(struct mm *mm, uint32_t first, uint32_t n, struct rf_err *err) RF_MUST_CHECK;
enum fault_result do_wp_page(struct mm *mm, struct sim_cpu *cpu, uint32_t id,
                             struct fault_ctx *ctx);

/* ---- readahead.c ---- */
/* Brings slot of page id in with its neighbours; *out the target's folio. single_mapped: the device
 * is synchronous and the slot has one user. */
enum charge_result swapin_readahead(struct mm *mm, struct sim_cpu *cpu, uint32_t id, uint32_t slot,
                                    bool single_mapped, struct fault_ctx *ctx, uint32_t *out,
                                    uint8_t *kind);

/* ---- swapin.c ---- */
/* Whether a fault on slot reads past the swap cache. */
bool swapin_skips_cache(const struct mm *mm, uint32_t slot);
/* Does so, for a whole large folio where that is allowed: *out is it, or a folio that meanwhile is
 * in the swap cache, or RF_NONE if meanwhile the slot must be read through the swap cache. */
enum charge_result swapin_direct(struct mm *mm, struct sim_cpu *cpu, uint32_t id, uint32_t slot,
                                 struct fault_ctx *ctx, uint32_t *out);

#endif
