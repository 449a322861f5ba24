/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calendar: when a resource that serves one at a time is taken. The clocks of simulated CPUs differ
 * by up to one operation, so requests come out of order; a request that lies before those already
 * booked gets the gaps between them, instead of waiting for what has not happened yet at its time.
 * In order, it is a queue served first come, first served. In any order no time is lost: a gap that
 * is too short for a request serves a part of it, as those behind it would have been served later.
 */
#ifndef REFAULT_CALENDAR_H
#define REFAULT_CALENDAR_H

#include "refault/engine.h"

struct sim_span {
    rf_time start, end;
};
/* All zero: free for ever. */
struct sim_calendar {
    struct sim_span *v; /* ascending, apart from each other */
    uint32_t n, cap;
};

void sim_calendar_free(struct sim_calendar *c);
/* When the resource has been free for len in all, counted from `at` on. */
rf_time sim_calendar_find(const struct sim_calendar *c, rf_time at, uint64_t len);
/* Books those free times up to the end that sim_calendar_find() gave. Without memory it forgets. */
void sim_calendar_take(struct sim_calendar *c, rf_time at, rf_time end);
/* Nobody will ask for a time before floor any more. */
void sim_calendar_prune(struct sim_calendar *c, rf_time floor);

#define SIM_SPIN_SHARED UINT32_MAX
/* A spin lock of many CPUs, whose holders are booked. All zero: free. */
struct sim_spin {
    struct sim_calendar busy;
    uint32_t prune_at;
    uint32_t user; /* id + 1 of the only CPU that has taken it so far; SIM_SPIN_SHARED: several */
    uint64_t acquisitions, contended, wait_ns;
};
/* Takes the lock on cpu and holds it for hold_ns; one that had to wait takes handoff_ns more, in
 * which nobody has it. All is charged as system time. Returns the time waited. */
uint64_t sim_spin_hold(struct sim_spin *l, struct sim_cpu *cpu, uint64_t hold_ns,
                       uint64_t handoff_ns);
/* Whether others than cpu, which takes it now, have taken the lock. */
bool sim_spin_shared(struct sim_spin *l, const struct sim_cpu *cpu);
/* As sim_spin_hold() where the work itself is part of another cost, and hold_ns is what it takes to
 * fetch the cache lines that another CPU has changed: free as long as a single CPU takes the lock.
 */
uint64_t sim_spin_share(struct sim_spin *l, struct sim_cpu *cpu, uint64_t hold_ns,
                        uint64_t handoff_ns);

#endif
