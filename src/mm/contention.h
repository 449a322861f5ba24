/* SPDX-License-Identifier: Apache-2.0 */
/* Locks that CPUs wait for each other at, with machine.contention. */
#ifndef MM_CONTENTION_H
#define MM_CONTENTION_H

#include "mm_internal.h"

/* Waits for a lock where CPUs wait for each other. */
static inline void mm_lock(struct mm *mm, struct sim_cpu *cpu, struct sim_spin *l,
                           uint64_t hold_ns) {
    if (RF_UNLIKELY(mm->p.knobs.contention))
        (void)sim_spin_hold(l, cpu, hold_ns, mm->p.cost.lock_handoff_ns);
}
static inline void lru_lock(struct mm *mm, struct sim_cpu *cpu, uint32_t folios) {
    if (folios)
        mm_lock(mm, cpu, &mm->lru_lock, mm->p.cost.lru_lock_ns * folios);
}

#endif
