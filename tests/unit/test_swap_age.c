/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The age of swapped pages by place. 200 pages are written, time passes, and 200 more are written,
 * with room for 64 in the cgroup. Of the first ones about 136 leave memory at once and 64 when the
 * second ones come, so their mean age is more by about 0.68 of the time that passed, or by all of
 * it where the pool takes the place of those 64; the writing itself takes a few ms.
 */
#include "tests/machine_rig.h"

#define PAUSE 50000000u
#define STORED 20u            /* compresses: to zswap */
#define REFUSED (RIG_BAD + 1) /* does not: to the device */

static int64_t inversion(uint32_t first, uint32_t second, uint64_t before, uint32_t rounds,
                         uint64_t *looks) {
    struct rig r;

    rig_config(&r, "6.1");
    rig_device(&r, "null");
    rig_zswap(&r, "lz4");
    r.c.memory_max = rig_pages(looks ? 120 : 64);
    rig_start(&r);
    rig_process(&r, 0, RF_NONE, 0);
    RIG_OK(&r, machine_switch(r.m, 0, &r.err));
    if (before)
        RIG_OK(&r, machine_compute(r.m, before, &r.err));
    for (uint32_t k = 0; k < rounds; k++)
        for (uint32_t i = 0; i < 200; i++)
            rig_write(&r, 0, i, first);
    RIG_OK(&r, machine_compute(r.m, PAUSE, &r.err));
    for (uint32_t i = 200; i < 400; i++)
        rig_write(&r, 0, i, second);
    for (uint32_t i = 200; looks && i < 400; i++) /* again, so that all have been looked at */
        rig_write(&r, 0, i, second);
    int64_t d = (int64_t)rig_value(&r, "x.lru_inversion");

    assert_true(d == (int64_t)(rig_value(&r, "x.age_zswap_ns") - rig_value(&r, "x.age_device_ns")));
    if (looks)
        *looks = rig_value(&r, "x.age_looks");
    rig_check(&r);
    rig_teardown(&r);
    return d;
}

static void old_pages_in_zswap(void **state) {
    int64_t d = inversion(STORED, REFUSED, 0, 1, NULL);
    (void)state;
    assert_true(d > PAUSE / 2 && d < PAUSE + PAUSE / 10);
}

static void old_pages_on_the_device(void **state) {
    int64_t d = inversion(REFUSED, STORED, 0, 1, NULL);
    (void)state;
    assert_true(-d > PAUSE / 2 && -d < PAUSE + PAUSE / 10);
}

/* Stamps of 16 bits hold 60 s in units of 1 ms or so. */
static void after_a_long_time(void **state) {
    int64_t d = inversion(STORED, REFUSED, 60000000000, 1, NULL);
    (void)state;
    assert_true(d > PAUSE / 2 && d < PAUSE + PAUSE / 10);
}

static void one_place_only(void **state) {
    (void)state;
    assert_true(inversion(STORED, STORED, 0, 1, NULL) == 0);
    assert_true(inversion(REFUSED, REFUSED, 0, 1, NULL) == 0);
}

/* After 4096 pages have left memory all slots are looked at. A first look that finds pages in zswap
 * only does not count. */
static void looks(void **state) {
    uint64_t n = 0;
    (void)state;
    assert_true(inversion(STORED, REFUSED, 0, 15, &n) > 0);
    assert_int_equal(n, 0); /* 15 * 200 + 400 pages at most */
    assert_true(inversion(STORED, REFUSED, 0, 20, &n) > 0);
    assert_int_equal(n, 1);
    assert_true(inversion(STORED, STORED, 0, 30, &n) == 0);
    assert_int_equal(n, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_pages_in_zswap),
        cmocka_unit_test(old_pages_on_the_device),
        cmocka_unit_test(after_a_long_time),
        cmocka_unit_test(one_place_only),
        cmocka_unit_test(looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
