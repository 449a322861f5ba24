/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine: virtual time. An event queue with a stable order, simulated CPUs with local clocks,
 * tasks that run in steps and may block, and modelled locks. It knows nothing of memory.
 *
 * A task is a function that is called again and again ("step") and never waits inside: it works
 * until the horizon given to it, blocks, or ends. Whoever it waits for calls task_wake().
 */
#ifndef REFAULT_ENGINE_H
#define REFAULT_ENGINE_H

#include "refault/base.h"

struct engine;
struct sim_task;

/* One simulated CPU. Code that runs on it charges time by sim_charge(). */
struct sim_cpu {
    uint32_t id;
    rf_time now;      /* local clock */
    uint64_t user_ns; /* time in the workload itself */
    uint64_t sys_ns;  /* time charged by the modelled kernel */
    uint64_t idle_ns;
    struct sim_task *curr;
    struct engine *eng;
};

static inline void sim_charge(struct sim_cpu *cpu, uint64_t ns) {
    cpu->now += ns;
    cpu->sys_ns += ns;
}
static inline void sim_charge_user(struct sim_cpu *cpu, uint64_t ns) {
    cpu->now += ns;
    cpu->user_ns += ns;
}

enum task_result {
    TASK_YIELD, /* reached the horizon; still runnable */
    TASK_PAUSE, /* *stop was set: goes on later as if it had not returned */
    TASK_BLOCK, /* waits; somebody will task_wake() it (perhaps already did) */
    TASK_DONE,  /* never to be stepped again */
};

enum task_state { TASK_RUNNABLE, TASK_RUNNING, TASK_BLOCKED, TASK_DEAD };

/* Runs on cpu until cpu->now >= horizon (overshooting by one operation is fine), blocks or ends. */
typedef enum task_result (*task_step_fn)(void *arg, struct sim_cpu *cpu, rf_time horizon);

struct sim_task {
    const char *name;
    task_step_fn step;
    void *arg;
    enum task_state state;
    bool kthread;              /* put at the head of the run queue when woken */
    bool wake_pending;         /* woken between TASK_BLOCK being decided and returned */
    uint32_t cpu;              /* home CPU */
    rf_time ready_at;          /* not before this time */
    uint32_t wait_key;         /* for the owner: what it waits for */
    struct sim_task *next;     /* the engine's: run queue */
    struct sim_task *all_next; /* the engine's: every task added */
};

typedef void (*event_fn)(void *ctx, uint64_t arg, rf_time when);

struct engine_params {
    uint32_t cpus;      /* >= 1 */
    rf_time quantum_ns; /* causality quantum between CPUs; 0: 10 us */
    rf_time slice_ns;   /* a task gives way to another runnable one after this; 0: 3 ms */
};

/* RF_EUSAGE without CPUs, RF_ENOMEM. engine_destroy() takes NULL, too; tasks are their owners'. */
int engine_create(const struct engine_params *p, struct engine **out,
                  struct rf_err *err) RF_MUST_CHECK;
void engine_destroy(struct engine *e);

/* Calls fn(ctx, arg, when) when virtual time reaches `when`; equal times fire in the order of the
 * calls. Returns 0 or RF_ENOMEM. */
int engine_at(struct engine *e, rf_time when, event_fn fn, void *ctx, uint64_t arg) RF_MUST_CHECK;
/* The same for housekeeping that recurs for ever and that no task waits for: such events alone do
 * not keep engine_run() going. */
int engine_at_background(struct engine *e, rf_time when, event_fn fn, void *ctx,
                         uint64_t arg) RF_MUST_CHECK;
/* Whether an event other than those is pending. */
bool engine_pending(const struct engine *e);
/* Time of the earliest pending event, RF_TIME_MAX if none. O(1), inline-cheap. */
rf_time engine_next_event(const struct engine *e);
/* Where that value is kept, for as long as the engine lives: a hot loop compares with it without
 * a call. */
const rf_time *engine_next_event_ptr(const struct engine *e);
/* Fires every event with time <= t, in order (events may add events). */
void engine_poll(struct engine *e, rf_time t);
/* Since creation. */
uint64_t engine_events_fired(const struct engine *e);
/* No CPU will do anything before this time any more. O(CPUs). */
rf_time engine_floor(const struct engine *e);

/* id < engine_nr_cpus(); lives as long as the engine. */
struct sim_cpu *engine_cpu(struct engine *e, uint32_t id);
uint32_t engine_nr_cpus(const struct engine *e);

/* Adds a task (caller owns the memory, which must outlive the engine's use of it). If runnable is
 * false it starts blocked. */
void engine_add_task(struct engine *e, struct sim_task *t, uint32_t cpu, bool runnable);
/* Makes a blocked task runnable at time `when` or later; no-op for runnable ones; remembered
 * (wake_pending) for the one that runs now. */
void task_wake(struct engine *e, struct sim_task *t, rf_time when);

/*
 * Runs until no task is runnable and no event is pending (but for background events), or *stop
 * becomes true. Always advances the CPU with the smallest clock (ties: lowest id); its horizon is
 * the earliest of: the next event, the end of its slice if another task waits on that CPU, and the
 * smallest other busy CPU's clock plus the quantum. A CPU without a runnable task idles to the next
 * event. A kernel thread that was woken goes on the CPU at the next yield of the task there. An
 * event scheduled by a step for a time before its horizon fires when the step returns (or polls): a
 * step that schedules events or wakes others should end once its clock reaches engine_next_event().
 * Returns 0, or RF_ECHECK with a message if tasks other than kernel threads are blocked and nothing
 * can ever wake them, or if a task runs on and on without its clock moving.
 */
int engine_run(struct engine *e, const bool *stop, struct rf_err *err) RF_MUST_CHECK;

/* Use of a modelled lock. */
struct sim_lock {
    uint64_t acquisitions, contended, wait_ns;
};

#endif
