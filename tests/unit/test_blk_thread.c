/* SPDX-License-Identifier: Apache-2.0 */
/* A virtual disk with one thread, which takes 100 for a write on average. A submission takes 50, an
 * end 10. Times of the thread are random: the tests ask for what holds for any of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "refault/blk.h"

#define SUBMIT 50u
#define ACCEPT 100u
#define COMPLETE 10u
#define MAX 512u

static const struct blk_cost cost = {.channels = 64,
                                     .nr_requests = MAX,
                                     .max_segments = 128,
                                     .submit_ns = SUBMIT,
                                     .complete_ns = COMPLETE,
                                     .accept_ns = ACCEPT};

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

/* The first write is over when the thread has taken it, after its submission. */
static void one_write(void **state) {
    struct rig r;

    (void)state;
    start(&r, &cost);
    submit(&r, BLK_WRITE, 0);
    finish(&r);
    assert_true(r.ended[0] > SUBMIT + COMPLETE);
}

/* A read takes the thread no time, but waits for writes before it. */
static void reads(void **state) {
    struct rig r;

    (void)state;
    start(&r, &cost);
    submit(&r, BLK_READ, 0);
    submit(&r, BLK_READ, 1);
    engine_poll(r.eng, 2 * SUBMIT);
    assert_int_equal(r.ended[0], SUBMIT + COMPLETE);
    assert_int_equal(r.ended[1], 2 * SUBMIT + COMPLETE);
    r.cpu->now = 2 * SUBMIT;
    for (uint32_t i = 2; i < 12; i++) /* ten in a row: two thirds of them come before it is done */
        submit(&r, BLK_WRITE, i);
    submit(&r, BLK_READ, 12);
    finish(&r);
    assert_true(r.ended[12] >= r.ended[11]);
}

/* A write that comes before the thread is done makes it go on: both end together, after that. One
 * that comes later finds the one before it ended. */
static void rows(void **state) {
    unsigned together = 0, apart = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        rf_time at[MAX];
        struct rf_rng rng;
        struct rig r;

        rf_rng_seed(&rng, seed);
        start(&r, &cost);
        for (uint32_t i = 0; i < MAX; i++) {
            sim_charge(r.cpu, rf_rng_below(&rng, 150));
            engine_poll(r.eng, r.cpu->now);
            submit(&r, BLK_WRITE, i);
            at[i] = r.cpu->now;
        }
        finish(&r);
        for (uint32_t i = 0; i + 1 < MAX; i++) {
            if (r.ended[i] == r.ended[i + 1]) {
                assert_true(at[i + 1] < r.ended[i] - COMPLETE);
                together++;
            } else {
                assert_true(r.ended[i + 1] > r.ended[i]);
                assert_true(at[i + 1] >= r.ended[i] - COMPLETE);
                apart++;
            }
        }
    }
    assert_true(together > 1000 && apart > 1000);
}

/* The mean of its times is that of the profile, within four standard errors. */
static void times(void **state) {
    struct blk_cost c = cost;
    double sum = 0;
    struct rig r;

    (void)state;
    c.accept_ns = 1000000;
    start(&r, &c);
    for (uint32_t i = 0; i < MAX; i++) {
        rf_time from = r.cpu->now + SUBMIT;

        submit(&r, BLK_WRITE, i);
        engine_poll(r.eng, RF_TIME_MAX - 1);
        sum += (double)(r.ended[i] - COMPLETE - from);
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
    for (uint32_t i = 0; i < MAX; i++) {
        engine_poll(r.eng, r.cpu->now);
        submit(&r, BLK_WRITE, i);
    }
    assert_true(r.cpu->idle_ns > 0);
    finish(&r);
    assert_int_equal(r.nr, MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_write), cmocka_unit_test(reads),      cmocka_unit_test(rows),
        cmocka_unit_test(times),     cmocka_unit_test(full_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
