/* SPDX-License-Identifier: Apache-2.0 */
/* Expected times are computed by hand from the rules in refault/engine.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "refault/calendar.h"
#include "refault/engine.h"

#define LOG_MAX 256

struct log_row {
    char who;
    uint32_t cpu;
    rf_time from, to;
};

static struct log_row rows[LOG_MAX];
static unsigned nr_rows;

static struct engine *new_engine(uint32_t cpus, rf_time quantum, rf_time slice) {
    struct engine_params p = {.cpus = cpus, .quantum_ns = quantum, .slice_ns = slice};
    struct engine *e;
    struct rf_err err = {0};

    assert_int_equal(engine_create(&p, &e, &err), RF_OK);
    nr_rows = 0;
    return e;
}

static void note(void *ctx, uint64_t arg, rf_time when) {
    (void)ctx;
    assert_true(nr_rows < LOG_MAX);
    rows[nr_rows++] = (struct log_row){(char)arg, 0, when, when};
}

static void expect(unsigned i, char who, uint32_t cpu, rf_time from, rf_time to) {
    assert_true(i < nr_rows);
    assert_int_equal(rows[i].who, who);
    assert_int_equal(rows[i].cpu, cpu);
    assert_int_equal(rows[i].from, from);
    assert_int_equal(rows[i].to, to);
}

/* A task that has `work` ns to do in operations of `op` ns, and logs each of its steps. */
struct worker {
    struct sim_task task;
    char who;
    rf_time work, op;
    rf_time block_at; /* blocks once when this much is left (0: never) */
    struct sim_task *wakes;
};

static enum task_result work(void *arg, struct sim_cpu *cpu, rf_time horizon) {
    struct worker *w = arg;
    rf_time from = cpu->now;
    enum task_result r = TASK_YIELD;

    if (w->work == 0)
        return TASK_DONE;
    while (cpu->now < horizon && w->work) {
        sim_charge_user(cpu, w->op);
        w->work -= w->op;
        if (w->wakes) {
            task_wake(cpu->eng, w->wakes, cpu->now);
            w->wakes = NULL;
        }
        if (w->block_at && w->work == w->block_at) {
            w->block_at = 0;
            r = TASK_BLOCK;
            break;
        }
    }
    if (r == TASK_YIELD && w->work == 0)
        r = TASK_DONE;
    assert_true(nr_rows < LOG_MAX);
    rows[nr_rows++] = (struct log_row){w->who, cpu->id, from, cpu->now};
    return r;
}

static struct worker worker(char who, rf_time total, rf_time op) {
    return (struct worker){
        .task = {.name = "worker", .step = work}, .who = who, .work = total, .op = op};
}

static void add(struct engine *e, struct worker *w, uint32_t cpu, bool runnable) {
    w->task.arg = w;
    engine_add_task(e, &w->task, cpu, runnable);
}

static void events_fire_in_order(void **state) {
    struct engine *e = new_engine(1, 0, 0);

    (void)state;
    assert_int_equal(engine_next_event(e), RF_TIME_MAX);
    assert_int_equal(engine_at(e, 30, note, NULL, 'c'), RF_OK);
    assert_int_equal(engine_at(e, 10, note, NULL, 'a'), RF_OK);
    assert_int_equal(engine_at(e, 30, note, NULL, 'd'), RF_OK);
    assert_int_equal(engine_at(e, 20, note, NULL, 'b'), RF_OK);
    assert_int_equal(engine_next_event(e), 10);
    assert_int_equal(*engine_next_event_ptr(e), 10);
    engine_poll(e, 9);
    assert_int_equal(nr_rows, 0);
    engine_poll(e, 20);
    assert_int_equal(nr_rows, 2);
    assert_int_equal(engine_next_event(e), 30);
    engine_poll(e, 1000);
    assert_int_equal(nr_rows, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(rows[i].who, "abcd"[i]);
    assert_int_equal(engine_events_fired(e), 4);
    engine_destroy(e);
}

static void chain(void *ctx, uint64_t arg, rf_time when) {
    note(NULL, 'x', when);
    if (arg)
        assert_int_equal(engine_at(ctx, when + 5, chain, ctx, arg - 1), RF_OK);
}

static void events_may_add_events(void **state) {
    struct engine *e = new_engine(1, 0, 0);

    (void)state;
    assert_int_equal(engine_at(e, 10, chain, e, 3), RF_OK);
    engine_poll(e, 20);
    assert_int_equal(nr_rows, 3);
    assert_int_equal(engine_next_event(e), 25);
    assert_int_equal(engine_run(e, NULL, NULL), RF_OK);
    assert_int_equal(nr_rows, 4);
    assert_int_equal(engine_cpu(e, 0)->idle_ns, 25);
    assert_int_equal(engine_cpu(e, 0)->now, 25);
    engine_destroy(e);
}

/* Two CPUs, quantum 100, operations of 10: CPU 0 may run to 0 + 100, then CPU 1 from 0 to
 * 100 + 100, then CPU 0 from 100 to 300, and so on. */
static void quantum_bounds_the_skew(void **state) {
    struct engine *e = new_engine(2, 100, 0);
    struct worker a = worker('a', 500, 10), b = worker('b', 500, 10);

    (void)state;
    add(e, &a, 0, true);
    add(e, &b, 1, true);
    assert_int_equal(engine_run(e, NULL, NULL), RF_OK);
    expect(0, 'a', 0, 0, 100);
    expect(1, 'b', 1, 0, 200);
    expect(2, 'a', 0, 100, 300);
    expect(3, 'b', 1, 200, 400);
    expect(4, 'a', 0, 300, 500);
    expect(5, 'b', 1, 400, 500);
    assert_int_equal(nr_rows, 6);
    assert_int_equal(engine_cpu(e, 0)->user_ns, 500);
    assert_int_equal(a.task.state, TASK_DEAD);
    engine_destroy(e);
}

static void horizon_is_the_next_event(void **state) {
    struct engine *e = new_engine(1, 0, 0);
    struct worker a = worker('a', 100, 30);

    (void)state;
    a.work = 120;
    add(e, &a, 0, true);
    assert_int_equal(engine_at(e, 40, note, NULL, 'e'), RF_OK);
    assert_int_equal(engine_run(e, NULL, NULL), RF_OK);
    expect(0, 'a', 0, 0, 60); /* overshoots by one operation */
    expect(1, 'e', 0, 40, 40);
    expect(2, 'a', 0, 60, 120);
    engine_destroy(e);
}

static void slices_alternate(void **state) {
    struct engine *e = new_engine(1, 0, 50);
    struct worker a = worker('a', 120, 10), b = worker('b', 70, 10);

    (void)state;
    add(e, &a, 0, true);
    add(e, &b, 0, true);
    assert_int_equal(engine_run(e, NULL, NULL), RF_OK);
    expect(0, 'a', 0, 0, 50);
    expect(1, 'b', 0, 50, 100);
    expect(2, 'a', 0, 100, 150);
    expect(3, 'b', 0, 150, 170);
    expect(4, 'a', 0, 170, 190);
    assert_int_equal(nr_rows, 5);
    engine_destroy(e);
}

static void kthread_runs_next(void **state) {
    struct engine *e = new_engine(1, 0, 1000);
    struct worker a = worker('a', 100, 10), b = worker('b', 100, 10), k = worker('k', 30, 10);

    (void)state;
    k.task.kthread = true;
    add(e, &a, 0, true);
    add(e, &b, 0, true);
    add(e, &k, 0, false);
    a.wakes = &k.task;
    /* The event makes `a` yield at 40; by then the kernel thread is at the head of the queue. */
    assert_int_equal(engine_at(e, 40, note, NULL, 'e'), RF_OK);
    assert_int_equal(engine_run(e, NULL, NULL), RF_OK);
    expect(0, 'a', 0, 0, 40);
    expect(1, 'e', 0, 40, 40);
    expect(2, 'k', 0, 40, 70);
    expect(3, 'a', 0, 70, 130);
    expect(4, 'b', 0, 130, 230);
    engine_destroy(e);
}

static void wake_event(void *ctx, uint64_t arg, rf_time when) {
    struct worker *w = ctx;

    task_wake((struct engine *)(uintptr_t)arg, &w->task, when + 5);
}

static void blocked_task_idles_its_cpu(void **state) {
    struct engine *e = new_engine(1, 0, 0);
    struct worker a = worker('a', 100, 10);

    (void)state;
    a.block_at = 60;
    add(e, &a, 0, true);
    assert_int_equal(engine_at(e, 500, wake_event, &a, (uintptr_t)e), RF_OK);
    assert_int_equal(engine_run(e, NULL, NULL), RF_OK);
    expect(0, 'a', 0, 0, 40);
    expect(1, 'a', 0, 505, 565);
    assert_int_equal(engine_cpu(e, 0)->idle_ns, 465);
    assert_int_equal(engine_cpu(e, 0)->user_ns, 100);
    engine_destroy(e);
}

static void wake_before_block_is_kept(void **state) {
    struct engine *e = new_engine(1, 0, 0);
    struct worker a = worker('a', 100, 10);

    (void)state;
    a.block_at = 90;
    a.wakes = &a.task; /* woken in the step that then returns TASK_BLOCK */
    add(e, &a, 0, true);
    assert_int_equal(engine_run(e, NULL, NULL), RF_OK);
    expect(0, 'a', 0, 0, 10);
    expect(1, 'a', 0, 10, 100);
    engine_destroy(e);
}

/* A wake that was meant for an earlier step must not cut short a later wait. */
static enum task_result yield_then_block(void *arg, struct sim_cpu *cpu, rf_time horizon) {
    struct worker *w = arg;

    (void)horizon;
    sim_charge(cpu, 10);
    if (w->work++ == 0) {
        task_wake(cpu->eng, &w->task, cpu->now);
        return TASK_YIELD;
    }
    return w->work == 2 ? TASK_BLOCK : TASK_DONE;
}

static void stale_wake_is_dropped(void **state) {
    struct engine *e = new_engine(1, 0, 0);
    struct worker a = {.task = {.name = "stale", .step = yield_then_block}};
    struct rf_err err = {0};

    (void)state;
    add(e, &a, 0, true);
    assert_int_equal(engine_run(e, NULL, &err), RF_ECHECK);
    assert_int_equal(a.work, 2);
    engine_destroy(e);
}

static void deadlock_is_reported(void **state) {
    struct engine *e = new_engine(2, 0, 0);
    struct worker a = worker('a', 100, 10), k = worker('k', 10, 10);
    struct rf_err err = {0};

    (void)state;
    k.task.kthread = true;
    a.task.name = "reader";
    a.task.wait_key = 77;
    a.block_at = 50;
    add(e, &k, 1, false);
    add(e, &a, 0, true);
    assert_int_equal(engine_run(e, NULL, &err), RF_ECHECK);
    assert_non_null(strstr(err.msg, "reader"));
    assert_non_null(strstr(err.msg, "77"));
    assert_non_null(strstr(err.msg, "at 50 ns"));
    /* A sleeping kernel thread alone is no deadlock. */
    task_wake(e, &a.task, 50);
    assert_int_equal(engine_run(e, NULL, &err), RF_OK);
    assert_int_equal(k.task.state, TASK_BLOCKED);
    engine_destroy(e);
}

static enum task_result spin(void *arg, struct sim_cpu *cpu, rf_time horizon) {
    (void)arg;
    (void)cpu;
    (void)horizon;
    return TASK_YIELD;
}

static void stuck_task_is_reported(void **state) {
    struct engine *e = new_engine(1, 0, 0);
    struct sim_task t = {.name = "spinner", .step = spin};
    struct rf_err err = {0};

    (void)state;
    engine_add_task(e, &t, 0, true);
    assert_int_equal(engine_run(e, NULL, &err), RF_ECHECK);
    assert_non_null(strstr(err.msg, "spinner"));
    engine_destroy(e);
}

static void set_stop(void *ctx, uint64_t arg, rf_time when) {
    (void)arg;
    (void)when;
    *(bool *)ctx = true;
}

static void stop_ends_the_run(void **state) {
    struct engine *e = new_engine(1, 0, 0);
    struct worker a = worker('a', 1000, 10);
    bool stop = false;

    (void)state;
    add(e, &a, 0, true);
    assert_int_equal(engine_at(e, 100, set_stop, &stop, 0), RF_OK);
    assert_int_equal(engine_run(e, &stop, NULL), RF_OK);
    assert_int_equal(engine_cpu(e, 0)->now, 100);
    engine_destroy(e);
}

/* CPU 0 holds the lock over [0, 100); CPU 1 comes at 0, waits 100, holds it to 150. */
static void locks_serialise(void **state) {
    struct engine *e = new_engine(2, 0, 0);
    struct sim_spin l = {0};
    struct sim_cpu *c0 = engine_cpu(e, 0), *c1 = engine_cpu(e, 1);

    (void)state;
    assert_int_equal(sim_spin_hold(&l, c0, 100, 0), 0);
    assert_int_equal(c0->now, 100);
    assert_int_equal(sim_spin_hold(&l, c1, 50, 0), 100);
    assert_int_equal(c1->now, 150);
    assert_int_equal(c1->sys_ns, 150);
    assert_int_equal(l.acquisitions, 2);
    assert_int_equal(l.contended, 1);
    assert_int_equal(l.wait_ns, 100);
    sim_charge(c0, 1000);
    assert_int_equal(sim_spin_hold(&l, c0, 1, 0), 0);
    assert_int_equal(l.contended, 1);
    /* CPU 1 comes late, but to a time at which nobody held it: CPU 0's later hold is no wait. */
    sim_charge(c0, 10000);
    assert_int_equal(sim_spin_hold(&l, c0, 100, 0), 0);
    assert_int_equal(sim_spin_hold(&l, c1, 50, 0), 0);
    assert_int_equal(c1->now, 200);
    sim_calendar_free(&l.busy);
    engine_destroy(e);
}

static void no_cpu_is_refused(void **state) {
    struct engine_params p = {0};
    struct engine *e;
    struct rf_err err = {0};

    (void)state;
    assert_int_equal(engine_create(&p, &e, &err), RF_EUSAGE);
    assert_null(e);
    engine_destroy(NULL);
}

struct again {
    struct engine *e;
    unsigned fired;
};

static void fire_again(void *ctx, uint64_t arg, rf_time when) {
    struct again *a = ctx;

    (void)arg;
    a->fired++;
    assert_int_equal(engine_at_background(a->e, when + 100, fire_again, a, 0), RF_OK);
}

static enum task_result block_for_ever(void *arg, struct sim_cpu *cpu, rf_time horizon) {
    (void)arg;
    (void)horizon;
    sim_charge(cpu, 1000);
    return TASK_BLOCK;
}

/* Housekeeping that recurs keeps nobody alive: the run ends, and a task left behind is found. */
static void background_events_do_not_go_on(void **state) {
    struct engine_params p = {.cpus = 2};
    struct sim_task t = {.name = "lost", .step = block_for_ever};
    struct rf_err err = {0};
    struct again a = {0};

    (void)state;
    assert_int_equal(engine_create(&p, &a.e, &err), RF_OK);
    assert_int_equal(engine_at_background(a.e, 100, fire_again, &a, 0), RF_OK);
    assert_false(engine_pending(a.e));
    assert_int_equal(engine_run(a.e, NULL, &err), RF_OK);
    assert_int_equal(a.fired, 0);
    engine_add_task(a.e, &t, 1, true);
    assert_int_equal(engine_run(a.e, NULL, &err), RF_ECHECK);
    engine_poll(a.e, 1000); /* at 100, 200, ... 1000 */
    assert_int_equal(a.fired, 10);
    engine_destroy(a.e);
}

struct pauser {
    bool *stop;
    struct engine *e;
    struct sim_task *thread;
    unsigned steps;
    char *log;
};

static enum task_result pause_once(void *arg, struct sim_cpu *cpu, rf_time horizon) {
    struct pauser *p = arg;

    (void)horizon;
    strcat(p->log, "t");
    sim_charge(cpu, 10);
    if (p->steps++ == 0) {
        task_wake(p->e, p->thread, cpu->now);
        *p->stop = true;
        return TASK_PAUSE;
    }
    return TASK_DONE;
}

static enum task_result thread_step(void *arg, struct sim_cpu *cpu, rf_time horizon) {
    (void)horizon;
    sim_charge(cpu, 10);
    strcat(arg, "k");
    return TASK_BLOCK;
}

/* A kernel thread that was woken goes first after a yield; a pause is none. */
static void pause_keeps_the_turn(void **state) {
    struct engine_params ep = {.cpus = 1};
    char log[16] = "";
    bool stop = false;
    struct sim_task k = {.name = "k", .step = thread_step, .arg = log, .kthread = true};
    struct pauser p = {.stop = &stop, .thread = &k, .log = log};
    struct sim_task t = {.name = "t", .step = pause_once, .arg = &p};
    struct rf_err err = {0};

    (void)state;
    assert_int_equal(engine_create(&ep, &p.e, &err), RF_OK);
    engine_add_task(p.e, &k, 0, false);
    engine_add_task(p.e, &t, 0, true);
    assert_int_equal(engine_run(p.e, &stop, &err), RF_OK);
    stop = false;
    assert_int_equal(engine_run(p.e, &stop, &err), RF_OK);
    assert_string_equal(log, "ttk");
    engine_destroy(p.e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(background_events_do_not_go_on),
        cmocka_unit_test(pause_keeps_the_turn),
        cmocka_unit_test(events_fire_in_order),
        cmocka_unit_test(events_may_add_events),
        cmocka_unit_test(quantum_bounds_the_skew),
        cmocka_unit_test(horizon_is_the_next_event),
        cmocka_unit_test(slices_alternate),
        cmocka_unit_test(kthread_runs_next),
        cmocka_unit_test(blocked_task_idles_its_cpu),
        cmocka_unit_test(wake_before_block_is_kept),
        cmocka_unit_test(stale_wake_is_dropped),
        cmocka_unit_test(deadlock_is_reported),
        cmocka_unit_test(stuck_task_is_reported),
        cmocka_unit_test(stop_ends_the_run),
        cmocka_unit_test(locks_serialise),
        cmocka_unit_test(no_cpu_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
