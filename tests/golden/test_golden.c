/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorded runs of real kernels (tests/golden/README.md) against the model. The expected values are
 * the kernels' own counters; the limits are those of `refault validate`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include "validate/validate.h"

#define DIR REFAULT_SOURCE_DIR "/tests/golden"

static void run(const struct validate_opts *o, struct validation *v) {
    struct rf_err err = {0};
    int rc = validate_run(o, v, &err);

    if (rc != RF_OK)
        fail_msg("%s", err.msg);
    if (!v->passed)
        validate_print(stderr, v);
}

/* The device's own code decides everything once the lengths are the kernel's: all is equal. */
static void test_scripts_are_equal(void **state) {
    struct validate_opts o = {.dir = DIR,
                              .kinds = "zr",
                              .kernel_sizes = true,
                              .threads = 2,
                              .max_median = -1,
                              .max_p90 = -1,
                              .max_worst = -1};
    struct validation v;
    size_t judged = 0;

    (void)state;
    run(&o, &v);
    assert_int_equal(v.nr_kernels, 2);
    for (size_t i = 0; i < v.nr_cases; i++) {
        for (size_t k = 0; k < v.cases[i].nr_rows; k++) {
            const struct row *r = &v.cases[i].rows[k];

            if (r->state != ROW_JUDGED)
                continue;
            judged++;
            if (r->error > 0)
                fail_msg("%s %s: %s is %lld, kernel %lld", v.cases[i].golden->kernel,
                         v.cases[i].golden->name, r->name, (long long)r->value,
                         (long long)r->kernel.median);
        }
    }
    assert_true(judged > 900);
    assert_true(v.passed);
    validation_free(&v);
}

static void swap_cases(const char *kernel) {
    struct validate_opts o = {.dir = DIR,
                              .kernel = kernel,
                              .kinds = "disk,zswap,zram",
                              .threads = 2,
                              .max_median = -1,
                              .max_p90 = -1,
                              .max_worst = -1};
    struct validation v;

    run(&o, &v);
    assert_int_equal(v.nr_kernels, 1);
    assert_true(v.kernels[0].swap.n > 250);
    assert_true(v.passed);
    validation_free(&v);
}

static void test_swap_6_1(void **state) {
    (void)state;
    swap_cases("6.1");
}

static void test_swap_6_12(void **state) {
    (void)state;
    swap_cases("6.12");
}

/*
 * A long scan that meets pages whose write it has started itself would activate them. The kernels
 * activated none here: on the fast disk of that guest, interrupts end the writes while the scan
 * goes on (mm_interrupts() at each folio).
 */
static void test_writes_end_during_a_scan(void **state) {
    static const char *const name[] = {"disk_seq"};
    struct validate_opts o = {.dir = DIR,
                              .cases = name,
                              .nr_cases = 1,
                              .threads = 2,
                              .max_median = -1,
                              .max_p90 = -1,
                              .max_worst = -1};
    struct validation v;
    unsigned seen = 0;

    (void)state;
    run(&o, &v);
    assert_int_equal(v.nr_cases, 2);
    for (size_t i = 0; i < v.nr_cases; i++) {
        for (size_t k = 0; k < v.cases[i].nr_rows; k++) {
            const struct row *r = &v.cases[i].rows[k];

            if (strcmp(r->name, "vmstat.pgactivate") != 0)
                continue;
            seen++;
            assert_int_equal(r->kernel.max, 0);
            assert_int_equal(r->value, 0);
        }
    }
    assert_int_equal(seen, 2);
    validation_free(&v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scripts_are_equal),
        cmocka_unit_test(test_swap_6_1),
        cmocka_unit_test(test_swap_6_12),
        cmocka_unit_test(test_writes_end_during_a_scan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
