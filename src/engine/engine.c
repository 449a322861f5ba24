/* SPDX-License-Identifier: Apache-2.0 */
#include "engine_int.h"

#include <stdlib.h>

#define DEFAULT_QUANTUM_NS 10000u
#define DEFAULT_SLICE_NS 3000000u /* kernel/sched/fair.c 6.1: 0.75 ms scaled up to 3 ms */
/* Steps in a row in which no clock moves and no event fires before a task counts as stuck. */
#define MAX_IDLE_STEPS (1u << 20)

int engine_create(const struct engine_params *p, struct engine **out, struct rf_err *err) {
    struct engine *e;

    *out = NULL;
    if (p->cpus == 0)
        return rf_fail(err, RF_EUSAGE, "a machine needs at least one CPU, found 0");
    e = calloc(1, sizeof(*e));
    if (!e)
        return rf_fail(err, RF_ENOMEM, "no memory for the engine");
    e->cpus = calloc(p->cpus, sizeof(*e->cpus));
    if (!e->cpus) {
        free(e);
        return rf_fail(err, RF_ENOMEM, "no memory for %u simulated CPUs", p->cpus);
    }
    e->nr_cpus = p->cpus;
    e->quantum_ns = p->quantum_ns ? p->quantum_ns : DEFAULT_QUANTUM_NS;
    e->slice_ns = p->slice_ns ? p->slice_ns : DEFAULT_SLICE_NS;
    e->q.next = RF_TIME_MAX;
    for (uint32_t i = 0; i < p->cpus; i++) {
        e->cpus[i].cpu.id = i;
        e->cpus[i].cpu.eng = e;
    }
    *out = e;
    return RF_OK;
}

void engine_destroy(struct engine *e) {
    if (!e)
        return;
    event_queue_free(&e->q);
    free(e->cpus);
    free(e);
}

struct sim_cpu *engine_cpu(struct engine *e, uint32_t id) {
    return &e->cpus[id].cpu;
}

uint32_t engine_nr_cpus(const struct engine *e) {
    return e->nr_cpus;
}

int engine_at(struct engine *e, rf_time when, event_fn fn, void *ctx, uint64_t arg) {
    return event_queue_add(&e->q, when, fn, ctx, arg);
}

int engine_at_background(struct engine *e, rf_time when, event_fn fn, void *ctx, uint64_t arg) {
    return event_queue_add_background(&e->q, when, fn, ctx, arg);
}

bool engine_pending(const struct engine *e) {
    return e->q.nr > e->q.nr_background;
}

rf_time engine_next_event(const struct engine *e) {
    return e->q.next;
}

const rf_time *engine_next_event_ptr(const struct engine *e) {
    return &e->q.next;
}

uint64_t engine_events_fired(const struct engine *e) {
    return e->q.fired;
}

static void idle_until(struct sim_cpu *cpu, rf_time t) {
    if (cpu->now < t) {
        cpu->idle_ns += t - cpu->now;
        cpu->now = t;
    }
}

void engine_poll(struct engine *e, rf_time t) {
    while (e->q.nr && e->q.next <= t) {
        struct event ev = event_queue_pop(&e->q);

        for (uint32_t i = 0; i < e->nr_cpus; i++)
            if (!e->cpus[i].head && !e->cpus[i].cpu.curr)
                idle_until(&e->cpus[i].cpu, ev.when);
        e->q.fired++;
        ev.fn(ev.ctx, ev.arg, ev.when);
    }
}

static void queue_head(struct cpu_state *c, struct sim_task *t) {
    t->next = c->head;
    c->head = t;
    if (!c->tail)
        c->tail = t;
}

static void queue_tail(struct cpu_state *c, struct sim_task *t) {
    t->next = NULL;
    if (c->tail)
        c->tail->next = t;
    else
        c->head = t;
    c->tail = t;
}

/* A task that yielded goes on first, except before kernel threads that were woken meanwhile. */
static void queue_again(struct cpu_state *c, struct sim_task *t) {
    struct sim_task *at = c->head;

    if (t->kthread || !at || !at->kthread) {
        queue_head(c, t);
        return;
    }
    while (at->next && at->next->kthread)
        at = at->next;
    t->next = at->next;
    at->next = t;
    if (c->tail == at)
        c->tail = t;
}

static void unqueue(struct cpu_state *c, struct sim_task *t) {
    struct sim_task *prev = NULL, *at = c->head;

    while (at && at != t) {
        prev = at;
        at = at->next;
    }
    if (prev)
        prev->next = t->next;
    else
        c->head = t->next;
    if (c->tail == t)
        c->tail = prev;
    t->next = NULL;
}

static void make_runnable(struct engine *e, struct sim_task *t) {
    struct cpu_state *c = &e->cpus[t->cpu];

    t->state = TASK_RUNNABLE;
    /* A sleeper that wakes goes before a kernel thread that was using its absence. */
    if (t->kthread || (c->head && c->head->kthread))
        queue_head(c, t);
    else
        queue_tail(c, t);
}

void engine_add_task(struct engine *e, struct sim_task *t, uint32_t cpu, bool runnable) {
    t->cpu = cpu;
    t->next = NULL;
    t->wake_pending = false;
    t->all_next = e->all;
    e->all = t;
    if (runnable)
        make_runnable(e, t);
    else
        t->state = TASK_BLOCKED;
}

void task_wake(struct engine *e, struct sim_task *t, rf_time when) {
    switch (t->state) {
    case TASK_BLOCKED:
        t->ready_at = when;
        make_runnable(e, t);
        break;
    case TASK_RUNNING:
        if (!t->wake_pending || when < t->ready_at)
            t->ready_at = when;
        t->wake_pending = true;
        break;
    case TASK_RUNNABLE:
        t->ready_at = RF_MIN(t->ready_at, when);
        break;
    case TASK_DEAD:
        break;
    }
}

/* The first task of the queue that may run at `now`, leaving out `skip`; NULL if none. */
static struct sim_task *first_ready(const struct cpu_state *c, rf_time now,
                                    const struct sim_task *skip) {
    for (struct sim_task *t = c->head; t; t = t->next)
        if (t != skip && t->ready_at <= now)
            return t;
    return NULL;
}

/* When the CPU can next run something: its clock, or later if all its tasks are not ready yet. */
static rf_time cpu_time(const struct cpu_state *c) {
    rf_time earliest = RF_TIME_MAX;

    for (const struct sim_task *t = c->head; t; t = t->next) {
        if (t->ready_at <= c->cpu.now)
            return c->cpu.now;
        earliest = RF_MIN(earliest, t->ready_at);
    }
    return earliest;
}

rf_time engine_floor(const struct engine *e) {
    rf_time floor = e->q.next;

    for (uint32_t i = 0; i < e->nr_cpus; i++) {
        const struct cpu_state *c = &e->cpus[i];

        if (c->cpu.curr)
            floor = RF_MIN(floor, c->cpu.now);
        else if (c->head)
            floor = RF_MIN(floor, cpu_time(c));
    }
    return floor;
}

/* Takes the task to run at c's clock out of its queue; one is ready. */
static struct sim_task *pick(struct engine *e, struct cpu_state *c) {
    struct sim_task *t = first_ready(c, c->cpu.now, NULL);
    bool fresh = t != c->last;

    if (!fresh && c->cpu.now - c->slice_start >= e->slice_ns) {
        struct sim_task *other = first_ready(c, c->cpu.now, t);

        if (other) {
            unqueue(c, t);
            queue_tail(c, t);
            t = other;
        }
        fresh = true;
    }
    unqueue(c, t);
    if (fresh)
        c->slice_start = c->cpu.now;
    c->last = t;
    return t;
}

static rf_time horizon_of(const struct engine *e, const struct cpu_state *c,
                          const struct sim_task *t) {
    rf_time h = e->q.next, now = c->cpu.now, slice_end = c->slice_start + e->slice_ns;

    for (const struct sim_task *o = c->head; o; o = o->next) {
        bool preempts = o->kthread && !t->kthread && o->ready_at > now;
        rf_time end = preempts ? o->ready_at : RF_MAX(slice_end, o->ready_at);

        h = RF_MIN(h, end);
    }
    for (uint32_t i = 0; i < e->nr_cpus; i++) {
        const struct cpu_state *o = &e->cpus[i];

        if (o != c && o->head) {
            rf_time other = cpu_time(o);

            if (other < RF_TIME_MAX - e->quantum_ns)
                h = RF_MIN(h, other + e->quantum_ns);
        }
    }
    return RF_MAX(h, now + 1);
}

static void run_one(struct engine *e, struct cpu_state *c) {
    struct sim_task *t = pick(e, c);
    enum task_result r;

    t->state = TASK_RUNNING;
    t->wake_pending = false;
    c->cpu.curr = t;
    r = t->step(t->arg, &c->cpu, horizon_of(e, c, t));
    c->cpu.curr = NULL;
    switch (r) {
    case TASK_YIELD:
        t->state = TASK_RUNNABLE;
        t->ready_at = 0;
        queue_again(c, t);
        break;
    case TASK_PAUSE:
        t->state = TASK_RUNNABLE;
        t->ready_at = 0;
        queue_head(c, t);
        break;
    case TASK_BLOCK:
        c->last = NULL;
        if (t->wake_pending)
            make_runnable(e, t);
        else
            t->state = TASK_BLOCKED;
        break;
    case TASK_DONE:
        c->last = NULL;
        t->state = TASK_DEAD;
        break;
    }
}

/* Kernel threads may sleep for ever; a workload's task may not. */
static int check_deadlock(const struct engine *e, struct rf_err *err) {
    const struct sim_task *found = NULL;
    unsigned nr = 0;

    for (const struct sim_task *t = e->all; t; t = t->all_next) {
        if (t->state == TASK_BLOCKED && !t->kthread) {
            found = t;
            nr++;
        }
    }
    if (!found)
        return RF_OK;
    return rf_fail(err, RF_ECHECK,
                   "deadlock at %llu ns: %u task(s) blocked with no event pending, first '%s' "
                   "waiting for %u",
                   (unsigned long long)e->cpus[found->cpu].cpu.now, nr,
                   found->name ? found->name : "?", found->wait_key);
}

int engine_run(struct engine *e, const bool *stop, struct rf_err *err) {
    unsigned idle_steps = 0;

    while (!stop || !*stop) {
        struct cpu_state *best = NULL;
        rf_time best_time = RF_TIME_MAX, before;
        uint64_t fired;

        for (uint32_t i = 0; i < e->nr_cpus; i++) {
            if (e->cpus[i].head) {
                rf_time t = cpu_time(&e->cpus[i]);

                if (!best || t < best_time) {
                    best = &e->cpus[i];
                    best_time = t;
                }
            }
        }
        if (!best && !engine_pending(e))
            return check_deadlock(e, err);
        if (e->q.nr && e->q.next <= best_time) {
            engine_poll(e, e->q.next);
            idle_steps = 0;
            continue;
        }
        idle_until(&best->cpu, best_time);
        before = best->cpu.now;
        fired = e->q.fired;
        run_one(e, best);
        if (best->cpu.now != before || e->q.fired != fired)
            idle_steps = 0;
        else if (++idle_steps > MAX_IDLE_STEPS)
            return rf_fail(err, RF_ECHECK,
                           "task '%s' is stuck at %llu ns: it runs but its clock "
                           "does not move",
                           best->head && best->head->name ? best->head->name : "?",
                           (unsigned long long)before);
    }
    return RF_OK;
}
