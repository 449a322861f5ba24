/* SPDX-License-Identifier: Apache-2.0 */
/*
 * swap_age: how long ago pages were last in use, by where they are. A slot is stamped when its page
 * is unmapped, which is the last that reclaim knows of its use. From time to time the slots are
 * looked at: pages in zswap and pages on the device that are not in memory as well. One slot in
 * SWAP_AGE_EACH stands for all.
 */
#ifndef REFAULT_MM_SWAP_AGE_H
#define REFAULT_MM_SWAP_AGE_H

#include "refault/base.h"
#include "refault/engine.h"

#define SWAP_AGE_EACH 16u

struct mm;

struct swap_age {
    struct rf_varr v;
    uint16_t *stamp;                /* by slot / SWAP_AGE_EACH: time >> shift; NULL = off */
    uint32_t shift;                 /* grows with the time, so that 16 bits are enough */
    uint64_t unmapped, due;         /* pages since the last look, and when to look again */
    uint64_t looks;                 /* that found pages in both places */
    uint64_t sum_zswap, sum_device; /* over the looks: mean ages, ns */
};

/* Mean ages over all looks, or now if there was none; all 0 if nothing could be compared. */
struct swap_ages {
    uint64_t zswap_ns, device_ns, looks;
};

int swap_age_init(struct swap_age *a, uint32_t max_slots, struct rf_err *err) RF_MUST_CHECK;
void swap_age_free(struct swap_age *a);
/* The pages of nr slots from slot on were unmapped. */
void swap_age_note_slow(struct mm *mm, rf_time now, uint32_t slot, uint32_t nr);
struct swap_ages swap_age_read(const struct mm *mm, rf_time now);

#endif
