/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several processes on several CPUs: births, waits and ends in orders that traces have, the
 * queues ahead of simulated time, and traces that cannot go on.
 */
#include "tests/machine_rig.h"

static void start(struct rig *r, uint32_t cpus) {
    rig_config(r, "6.12");
    rig_device(r, "ssd");
    r->c.cpus = cpus;
    r->c.blocks = 16;
    r->c.memory_max = rig_pages(160);
    rig_start(r);
}

static void fill(struct rig *r, uint32_t pid, uint32_t block, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        rig_write(r, pid, block << 9 | i, 10 + i % 80);
}

static void settle(struct rig *r) {
    RIG_OK(r, machine_settle(r->m, &r->err));
    rig_check(r);
}

/* A child that does nothing before its parent is gone still runs. */
static void parent_exits_first(void **state) {
    struct rig r;

    (void)state;
    for (uint32_t cpus = 1; cpus <= 4; cpus++) {
        start(&r, cpus);
        rig_process(&r, 0, RF_NONE, 0);
        fill(&r, 0, 0, 50);
        rig_process(&r, 1, 0, 1);
        RIG_OK(&r, machine_fork_block(r.m, 1, 1, 0, 0, &r.err));
        fill(&r, 0, 0, 10); /* ten copies */
        RIG_OK(&r, machine_exit(r.m, 0, false, &r.err));
        fill(&r, 1, 1, 50); /* the other forty pages are the child's alone, ten are the old ones */
        settle(&r);
        assert_int_equal(rig_value(&r, "x.accesses"), 110);
        assert_int_equal(rig_value(&r, "final_present") + rig_value(&r, "final_swapped"), 50);
        rig_teardown(&r);
    }
    /* And one that is born after its parent's end. */
    start(&r, 4);
    rig_process(&r, 0, RF_NONE, 0);
    fill(&r, 0, 0, 5);
    RIG_OK(&r, machine_exit(r.m, 0, false, &r.err));
    rig_process(&r, 1, 0, 1);
    fill(&r, 1, 1, 5);
    settle(&r);
    assert_int_equal(rig_value(&r, "x.accesses"), 10);
    rig_teardown(&r);
}

/* The wait is recorded before the child's first access. */
static void wait_before_the_child_runs(void **state) {
    struct rig r;

    (void)state;
    for (uint32_t cpus = 1; cpus <= 4; cpus++) {
        start(&r, cpus);
        rig_process(&r, 0, RF_NONE, 0);
        fill(&r, 0, 0, 3);
        rig_process(&r, 1, 0, 1);
        RIG_OK(&r, machine_fork_block(r.m, 1, 1, 0, 0, &r.err));
        RIG_OK(&r, machine_wait(r.m, 0, 1, &r.err));
        fill(&r, 1, 1, 300);
        RIG_OK(&r, machine_exit(r.m, 1, false, &r.err));
        fill(&r, 0, 0, 3);
        settle(&r);
        assert_int_equal(rig_value(&r, "x.accesses"), 306);
        rig_teardown(&r);
    }
}

/* A forked process drops its copy for a program of its own, before it did anything. */
static void exec_at_once(void **state) {
    struct rig r;

    (void)state;
    for (uint32_t cpus = 1; cpus <= 4; cpus++) {
        start(&r, cpus);
        rig_process(&r, 0, RF_NONE, 0);
        fill(&r, 0, 0, 20);
        rig_process(&r, 1, 0, 1);
        RIG_OK(&r, machine_fork_block(r.m, 1, 1, 0, 0, &r.err));
        RIG_OK(&r, machine_exit(r.m, 1, true, &r.err));
        RIG_OK(&r, machine_map(r.m, 1, 5, 2 << 9, 512, 2 << 9, TMAP_ANON | TMAP_WRITE, &r.err));
        fill(&r, 1, 2, 30);
        fill(&r, 0, 0, 20); /* reused or copied, by who comes first */
        settle(&r);
        assert_int_equal(machine_page_state(r.m, 1 << 9), 0);
        assert_int_equal(rig_value(&r, "final_present") + rig_value(&r, "final_swapped"), 50);
        rig_teardown(&r);
    }
}

/* The parent goes on before the child that it waits for ends, which never happens. */
static void wait_for_ever_is_an_error(void **state) {
    struct rig r;

    (void)state;
    start(&r, 2);
    rig_process(&r, 0, RF_NONE, 0);
    rig_process(&r, 1, 0, 1);
    fill(&r, 1, 1, 5);
    RIG_OK(&r, machine_wait(r.m, 0, 1, &r.err));
    settle(&r); /* a trace may end there */
    fill(&r, 0, 0, 5);
    assert_int_equal(machine_settle(r.m, &r.err), RF_ECHECK);
    assert_non_null(strstr(r.err.msg, "waits for process 1"));
    rig_stop(&r);
}

/* Two that wait for each other. */
static void circle_is_an_error(void **state) {
    struct rig r;

    (void)state;
    start(&r, 3);
    rig_process(&r, 0, RF_NONE, 0);
    rig_process(&r, 1, RF_NONE, 1);
    RIG_OK(&r, machine_wait(r.m, 0, 1, &r.err));
    RIG_OK(&r, machine_wait(r.m, 1, 0, &r.err));
    fill(&r, 0, 0, 5);
    RIG_OK(&r, machine_exit(r.m, 0, false, &r.err));
    RIG_OK(&r, machine_exit(r.m, 1, false, &r.err));
    assert_int_equal(machine_settle(r.m, &r.err), RF_ECHECK);
    rig_stop(&r);
}

/* Three million words of two processes, more than is queued ahead, in pieces of two sizes. */
static void pieces_make_no_difference(void **state) {
    static uint32_t ops[3000];
    uint64_t first[3] = {0};
    struct rf_rng rng;

    (void)state;
    rf_rng_seed(&rng, 5);
    for (size_t i = 0; i < 3000; i += 3) {
        uint32_t id = (uint32_t)rf_rng_below(&rng, 200);

        ops[i] = id | OP_WRITE | OP_CONTENT;
        ops[i + 1] = (uint32_t)rf_rng_below(&rng, RIG_CONTENTS);
        ops[i + 2] = (uint32_t)rf_rng_below(&rng, 150);
    }
    for (uint32_t variant = 0; variant < 2; variant++) {
        struct rig r;

        rig_config(&r, "6.12");
        r.c.cpus = 3;
        r.c.check = r.c.verify = false;
        r.c.memory_max = rig_pages(340);
        rig_start(&r);
        rig_process(&r, 0, RF_NONE, 0);
        rig_process(&r, 1, RF_NONE, 1);
        for (uint32_t round = 0; round < 1000; round++) {
            uint32_t pid = (round / 7) & 1u, piece[3000];
            size_t step = variant ? 1500 : 3000;

            for (size_t i = 0; i < 3000; i++) /* ids, not contents, are of the process' block */
                piece[i] = i % 3 == 1 ? ops[i] : ops[i] + (pid << 9);
            for (size_t i = 0; i < 3000; i += step)
                rig_run(&r, pid, piece + i, step);
        }
        RIG_OK(&r, machine_settle(r.m, &r.err));
        uint64_t got[3] = {machine_now(r.m), rig_value(&r, "vmstat.pgfault"),
                           rig_value(&r, "vmstat.pgsteal_anon")};
        assert_int_equal(rig_value(&r, "x.accesses"), 2000 * 1000);
        if (variant == 0)
            memcpy(first, got, sizeof(got));
        assert_memory_equal(first, got, sizeof(got));
        rig_stop(&r);
    }
    assert_true(first[1] > 1000);
}

/* CPU-bound processes take half the time on two CPUs. */
static void cpus_work_in_parallel(void **state) {
    uint64_t took[3];

    (void)state;
    for (uint32_t cpus = 1; cpus <= 2; cpus++) {
        struct rig r;

        start(&r, cpus);
        rig_process(&r, 0, RF_NONE, 0);
        rig_process(&r, 1, RF_NONE, 1);
        for (uint32_t pid = 0; pid < 2; pid++) {
            RIG_OK(&r, machine_switch(r.m, pid, &r.err));
            RIG_OK(&r, machine_compute(r.m, 50000000, &r.err));
        }
        settle(&r);
        took[cpus] = machine_now(r.m);
        rig_teardown(&r);
    }
    assert_true(took[1] >= 100000000);
    assert_in_range(took[2], 50000000, 55000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parent_exits_first),    cmocka_unit_test(wait_before_the_child_runs),
        cmocka_unit_test(exec_at_once),          cmocka_unit_test(wait_for_ever_is_an_error),
        cmocka_unit_test(circle_is_an_error),    cmocka_unit_test(pieces_make_no_difference),
        cmocka_unit_test(cpus_work_in_parallel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
