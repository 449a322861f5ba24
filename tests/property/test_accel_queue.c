/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queueing in front of an accelerator's engines against theory: Poisson arrivals at one engine with
 * a fixed service time are M/D/1, whose mean wait is load * service / (2 * (1 - load))
 * (Pollaczek and Khinchine). And calendars against a naive search.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "refault/accel.h"
#include "refault/calendar.h"

#define SERVICE 2000u

static void one_more(void *ctx, uint64_t arg, rf_time when) {
    uint64_t *ended = ctx;

    (void)when;
    *ended += arg;
}

static double mean_wait(double load, uint32_t arrivals) {
    struct accel_config c = {.model = "queue",
                             .devices = 1,
                             .packages = 1,
                             .engines = 1,
                             .batch = 8,
                             .completion = ACCEL_ASYNC,
                             .queue = {.can = {true, true}, .setup_ns = {SERVICE, SERVICE}}};
    struct accel_cost cost = {0};
    struct engine_params ep = {.cpus = 1};
    struct engine *eng;
    struct accel *a;
    struct rf_err err = {0};
    struct rf_rng rng;
    uint64_t ended = 0, jobs = 0;
    double t = 0;

    assert_int_equal(engine_create(&ep, &eng, &err), 0);
    struct accel_params p = {
        .config = &c, .cost = &cost, .codec = CODEC_LZ4, .cpus = 1, .seed = 1, .eng = eng};
    assert_int_equal(accel_create(&p, &a, &err), 0);
    rf_rng_seed(&rng, 4711);
    struct sim_cpu *cpu = engine_cpu(eng, 0);
    for (uint32_t i = 0; i < arrivals; i++) {
        struct accel_job job = {.op = ACCEL_COMPRESS, .len = 2000, .room = RF_PAGE_SIZE};

        t += -log(1.0 - rf_rng_unit(&rng)) * SERVICE / load;
        engine_poll(eng, (rf_time)t);
        cpu->now = (rf_time)t;
        assert_int_equal(accel_submit(a, cpu, &job, 1, one_more, &ended, 1), 0);
        assert_true(job.start >= job.at && job.end == job.start + SERVICE);
        jobs++;
    }
    engine_poll(eng, RF_TIME_MAX - 1);
    assert_int_equal(ended, jobs);
    assert_int_equal(accel_stats(a)->busy_ns, jobs * SERVICE);
    double wait = (double)accel_stats(a)->queue_wait_ns / (double)jobs;
    accel_destroy(a);
    engine_destroy(eng);
    return wait;
}

static void check_load(double load, uint32_t arrivals) {
    double want = load * SERVICE / (2.0 * (1.0 - load)), got = mean_wait(load, arrivals);

    if (fabs(got - want) > 0.02 * want)
        fail_msg("load %.1f: mean wait %.1f ns, M/D/1 says %.1f", load, got, want);
}

static void test_md1(void **state) {
    (void)state;
    check_load(0.3, 400000);
    check_load(0.6, 800000);
    check_load(0.9, 3000000);
}

/* Out of order, against a byte for each unit of time. */
static void test_calendar(void **state) {
    enum { SPAN = 4000 };
    static uint8_t taken[SPAN + 100];
    struct sim_calendar c = {0};
    struct rf_rng rng;
    uint32_t total = 0;

    (void)state;
    rf_rng_seed(&rng, 7);
    memset(taken, 0, sizeof(taken));
    for (int i = 0; i < 600; i++) {
        uint32_t at = (uint32_t)rf_rng_below(&rng, SPAN / 2);
        uint32_t len = 1 + (uint32_t)rf_rng_below(&rng, 6), want = at;

        for (uint32_t left = len; left; want++) {
            left -= !taken[want];
            taken[want] = 1;
        }
        assert_int_equal(sim_calendar_find(&c, at, len), want);
        sim_calendar_take(&c, at, want);
        total += len;
        assert_true(want < SPAN);
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i < c.n; i++) {
        assert_true(c.v[i].start < c.v[i].end && (i == 0 || c.v[i].start > c.v[i - 1].end));
        sum += (uint32_t)(c.v[i].end - c.v[i].start);
    }
    assert_int_equal(sum, total);
    sim_calendar_prune(&c, SPAN);
    assert_int_equal(c.n, 0);
    sim_calendar_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_md1),
        cmocka_unit_test(test_calendar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
