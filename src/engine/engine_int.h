/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REFAULT_ENGINE_INT_H
#define REFAULT_ENGINE_INT_H

#include "refault/engine.h"

struct event {
    rf_time when;
    uint64_t seq; /* makes equal times fire in the order of the calls; bit 0: background */
    event_fn fn;
    void *ctx;
    uint64_t arg;
};

/* Binary min-heap on (when, seq). */
struct event_queue {
    rf_time next; /* when of heap[0], RF_TIME_MAX if empty */
    struct event *heap;
    size_t nr, cap;
    size_t nr_background;
    uint64_t seq, fired;
};

struct cpu_state {
    struct sim_cpu cpu; /* first, so that the public pointer is also this one */
    struct sim_task *head, *tail;
    struct sim_task *last; /* owner of the running slice */
    rf_time slice_start;
};

struct engine {
    struct event_queue q;
    struct cpu_state *cpus;
    uint32_t nr_cpus;
    rf_time quantum_ns, slice_ns;
    struct sim_task *all;
};

int event_queue_add(struct event_queue *q, rf_time when, event_fn fn, void *ctx, uint64_t arg);
/* The same for an event that nobody waits for. */
int event_queue_add_background(struct event_queue *q, rf_time when, event_fn fn, void *ctx,
                               uint64_t arg);
/* Takes the earliest event out; the queue must not be empty. */
struct event event_queue_pop(struct event_queue *q);
void event_queue_free(struct event_queue *q);

#endif
