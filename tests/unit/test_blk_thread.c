/* SPDX-License-Identifier: Apache-2.0 */
/* A virtual disk with one thread. Times by hand: a submission takes 50 and notifies the thread 30
 * before it is over, the thread needs 100 for a write, an end costs 10. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "refault/blk.h"

#define SUBMIT 50u
#define KICK 30u
#define ACCEPT 100u
#define COMPLETE 10u
#define MAX 512u

static const struct blk_cost cost = {.channels = 64,
                                     .nr_requests = MAX,
                                     .max_segments = 128,
                                     .submit_ns = SUBMIT,
                                     .complete_ns = COMPLETE,
                                     .accept_ns = ACCEPT,
                                     .kick_ns = KICK};

struct rig {
    struct engine *eng;
    struct blk_dev *dev;
    struct sim_cpu *cpu;
    rf_time ended[MAX]; /* by cookie; 0: not yet */
    unsigned nr;
};

static void on_end(void *ctx, uint32_t cookie, enum blk_op op, rf_time when) {
    struct rig *r = ctx;

    (void)op;
    assert_int_equal(r->ended[cookie], 0);
    r->ended[cookie] = when;
    r->nr++;
}

static void start(struct rig *r, const struct blk_cost *c) {
    struct engine_params p = {.cpus = 1};
    struct blk_policy policy = {0};
    struct rf_err err = {0};

    *r = (struct rig){0};
    assert_int_equal(engine_create(&p, &r->eng, &err), RF_OK);
    assert_int_equal(blk_create(blk_find("nvme"), &policy, c, 7, r->eng, on_end, r, &r->dev, &err),
                     RF_OK);
    r->cpu = engine_cpu(r->eng, 0);
}

/* Requests far from each other, so that none is merged or sequential. */
static void submit(struct rig *r, enum blk_op op, uint32_t cookie) {
    struct rf_err err = {0};

    assert_int_equal(blk_submit(r->dev, r->cpu, op, 1000 * (uint64_t)(cookie + 1), 1, cookie), 0);
    assert_int_equal(blk_check(r->dev, &err), RF_OK);
}

static void finish(struct rig *r) {
    struct rf_err err = {0};

    engine_poll(r->eng, RF_TIME_MAX - 1);
    assert_int_equal(blk_in_flight(r->dev), 0);
    assert_int_equal(blk_check(r->dev, &err), RF_OK);
    blk_destroy(r->dev);
    engine_destroy(r->eng);
}

static void one_write(void **state) {
    struct rig r;

    (void)state;
    start(&r, &cost);
    submit(&r, BLK_WRITE, 0);
    finish(&r);
    assert_int_equal(r.ended[0], SUBMIT - KICK + ACCEPT + COMPLETE);
}

/* The second comes at 100, the third at 150: the thread, which would be idle at 120, goes on until
 * 320 and then reports all of them. */
static void writes_in_a_row_end_together(void **state) {
    struct rig r;

    (void)state;
    start(&r, &cost);
    for (uint32_t i = 0; i < 3; i++)
        submit(&r, BLK_WRITE, i);
    engine_poll(r.eng, 319);
    assert_int_equal(r.nr, 0);
    finish(&r);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(r.ended[i], 320 + COMPLETE);
}

/* With a pause after the first one, it ends alone, and the thread has to be notified again. */
static void a_pause_ends_it(void **state) {
    struct rig r;

    (void)state;
    start(&r, &cost);
    submit(&r, BLK_WRITE, 0);
    r.cpu->now = 200;
    submit(&r, BLK_WRITE, 1);
    finish(&r);
    assert_int_equal(r.ended[0], 120 + COMPLETE);
    assert_int_equal(r.ended[1], 250 - KICK + ACCEPT + COMPLETE);
}

/* A read takes the thread no time, but waits for writes before it. */
static void reads(void **state) {
    struct rig r;

    (void)state;
    start(&r, &cost);
    submit(&r, BLK_READ, 0);
    submit(&r, BLK_WRITE, 1);
    submit(&r, BLK_READ, 2);
    finish(&r);
    assert_int_equal(r.ended[0], SUBMIT + COMPLETE);
    assert_int_equal(r.ended[1], 100 - KICK + ACCEPT + COMPLETE);
    assert_int_equal(r.ended[2], 100 - KICK + ACCEPT + COMPLETE);
}

/* Against a naive list: each write that comes before the thread is done makes it go on, all of such
 * a row end with the last. */
static void random_rows(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        rf_time until = 0, wanted[MAX];
        uint32_t first = 0;
        struct rf_rng rng;
        struct rig r;

        rf_rng_seed(&rng, seed);
        start(&r, &cost);
        for (uint32_t i = 0; i < MAX; i++) {
            sim_charge(r.cpu, rf_rng_below(&rng, 100));
            engine_poll(r.eng, r.cpu->now);
            submit(&r, BLK_WRITE, i);
            if (r.cpu->now >= until) {
                until = r.cpu->now - KICK;
                first = i;
            }
            until += ACCEPT;
            for (uint32_t j = first; j <= i; j++)
                wanted[j] = until + COMPLETE;
        }
        finish(&r);
        for (uint32_t i = 0; i < MAX; i++)
            assert_int_equal(r.ended[i], wanted[i]);
    }
}

/* The mean of the times to wake is that of the profile, within four standard errors. */
static void times_to_wake(void **state) {
    struct blk_cost c = cost;
    double sum = 0;
    struct rig r;

    (void)state;
    c.wake_ns = 1000000;
    start(&r, &c);
    for (uint32_t i = 0; i < MAX; i++) {
        rf_time from = r.cpu->now + SUBMIT - KICK;

        submit(&r, BLK_WRITE, i);
        engine_poll(r.eng, RF_TIME_MAX - 1);
        sum += (double)(r.ended[i] - COMPLETE - ACCEPT - from);
        r.cpu->now = r.ended[i] + 1;
    }
    finish(&r);
    assert_in_range((uint64_t)(sum / MAX), 1000000 - 177000, 1000000 + 177000);
}

/* A full queue: the submitter sleeps until the thread is idle. */
static void full_queue(void **state) {
    struct blk_cost c = cost;
    struct rig r;

    (void)state;
    c.nr_requests = 4;
    start(&r, &c);
    for (uint32_t i = 0; i < 4; i++)
        submit(&r, BLK_WRITE, i);
    engine_poll(r.eng, r.cpu->now);
    submit(&r, BLK_WRITE, 4);
    assert_true(r.cpu->idle_ns > 0);
    finish(&r);
    assert_int_equal(r.nr, 5);
}

static void late_notification_is_refused(void **state) {
    struct engine_params p = {.cpus = 1};
    struct blk_policy policy = {0};
    struct blk_cost c = cost;
    struct rf_err err = {0};
    struct engine *eng;
    struct blk_dev *d;

    (void)state;
    c.kick_ns = SUBMIT + 1;
    assert_int_equal(engine_create(&p, &eng, &err), RF_OK);
    assert_int_equal(blk_create(blk_find("nvme"), &policy, &c, 7, eng, on_end, NULL, &d, &err),
                     RF_EUSAGE);
    assert_null(d);
    engine_destroy(eng);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_write),       cmocka_unit_test(writes_in_a_row_end_together),
        cmocka_unit_test(a_pause_ends_it), cmocka_unit_test(reads),
        cmocka_unit_test(random_rows),     cmocka_unit_test(times_to_wake),
        cmocka_unit_test(full_queue),      cmocka_unit_test(late_notification_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
