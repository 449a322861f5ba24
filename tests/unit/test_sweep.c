/* SPDX-License-Identifier: Apache-2.0 */
/* Grids by hand, and sweeps whose result must not depend on the number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "small_trace.h"
#include "sweep/sweep.h"

static struct knob_table knobs;

static int setup(void **state) {
    (void)state;
    return knob_table_init(&knobs, NULL);
}

static int teardown(void **state) {
    (void)state;
    knob_table_free(&knobs);
    return 0;
}

static void check_list(const char *text, const char *const *want, size_t n) {
    struct grid g = {0};
    struct rf_err err;

    if (grid_add(&g, &knobs, text, &err) != RF_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(g.axes[0].n, n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(g.axes[0].values[i], want[i]);
    grid_free(&g);
}

static void test_lists(void **state) {
    (void)state;
    check_list("vm.page-cluster=0..5", (const char *const[]){"0", "1", "2", "3", "4", "5"}, 6);
    check_list("zswap.max_pool_percent=1,5,10..12",
               (const char *const[]){"1", "5", "10", "11", "12"}, 5);
    check_list("memory.max=10%..40%:10%", (const char *const[]){"10%", "20%", "30%", "40%"}, 4);
    check_list("memory.max=10..40%:15", (const char *const[]){"10%", "25%", "40%"}, 3);
    check_list("memory.max=64M..200M:64M", (const char *const[]){"64M", "128M", "192M"}, 3);
    check_list("zswap.compressor=lz4,zstd", (const char *const[]){"lz4", "zstd"}, 2);
    check_list("kernel=6.1,6.12", (const char *const[]){"6.1", "6.12"}, 2);
}

static void test_bad_lists(void **state) {
    static const char *const bad[] = {"vm.page-cluster=5..1",   "vm.page-cluster=0..3:0",
                                      "vm.page-cluster=",       "vm.page-cluster=1,,2",
                                      "vm.page-cluster=30..40", "vm.page-cluser=1",
                                      "memory.max=1M..2G:64",   "zswap.compressor=lz4..zstd",
                                      "vm.swappiness",          "vm.swappiness=0..9999999999"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct grid g = {0};
        struct rf_err err;

        if (grid_add(&g, &knobs, bad[i], &err) != RF_EUSAGE)
            fail_msg("'%s' was taken", bad[i]);
        grid_free(&g);
    }
}

static void test_cross_product(void **state) {
    struct grid g = {0};
    struct setting v[2];

    (void)state;
    assert_int_equal(grid_add(&g, &knobs, "vm.page-cluster=0,3", NULL), RF_OK);
    assert_int_equal(grid_add(&g, &knobs, "vm.swappiness=10,20,30", NULL), RF_OK);
    assert_int_equal(grid_points(&g), 6);
    grid_point(&g, 0, v);
    assert_string_equal(v[0].value, "0");
    assert_string_equal(v[1].value, "10");
    grid_point(&g, 2, v); /* the last key turns fastest */
    assert_string_equal(v[0].value, "0");
    assert_string_equal(v[1].value, "30");
    grid_point(&g, 3, v);
    assert_string_equal(v[0].value, "3");
    assert_string_equal(v[1].value, "10");
    assert_int_equal(grid_add(&g, &knobs, "vm.swappiness=1", NULL), RF_EUSAGE); /* twice */
    grid_free(&g);
}

static void run_sweep(struct sweep *s, const struct settings *settings, const struct grid *g,
                      const char *const *traces, size_t nr_traces, unsigned threads) {
    struct rf_err err;

    *s = (struct sweep){.settings = settings,
                        .grid = g,
                        .traces = traces,
                        .nr_traces = nr_traces,
                        .threads = threads};
    if (sweep_run(s, &err) != RF_OK)
        fail_msg("%s", err.msg);
}

static void test_same_for_any_number_of_threads(void **state) {
    char path[2][64];
    const char *traces[2] = {path[0], path[1]};
    struct settings settings;
    struct grid g = {0};
    struct sweep one, three;
    struct rf_err err;
    bool differ = false;

    (void)state;
    assert_true(small_trace(path[0], 600, 3, &err));
    assert_true(small_trace(path[1], 900, 2, &err));
    assert_int_equal(settings_init(&settings, &knobs, NULL), RF_OK);
    assert_int_equal(grid_add(&g, &knobs, "memory.max=40%,60%,200%", NULL), RF_OK);
    assert_int_equal(grid_add(&g, &knobs, "swap.device=nvme,zram0", NULL), RF_OK);
    run_sweep(&one, &settings, &g, traces, 2, 1);
    run_sweep(&three, &settings, &g, traces, 2, 3);
    assert_int_equal(one.nr_points, 12);
    assert_int_equal(three.nr_points, 12);
    for (size_t i = 0; i < one.nr_points; i++) {
        const struct value_list *a = &one.points[i].result.values;
        const struct value_list *b = &three.points[i].result.values;

        if (one.points[i].err.code != RF_OK)
            fail_msg("%s", one.points[i].err.msg);
        assert_int_equal(three.points[i].err.code, RF_OK);
        assert_int_equal(a->n, b->n);
        for (size_t j = 0; j < a->n; j++) {
            assert_string_equal(a->v[j].name, b->v[j].name);
            assert_true(a->v[j].value == b->v[j].value);
        }
        differ |=
            value_list_find(a, MV_COUNTER, "vmstat.pswpout")->value !=
            value_list_find(&one.points[0].result.values, MV_COUNTER, "vmstat.pswpout")->value;
    }
    assert_true(differ); /* else the points were not those that were asked for */
    sweep_free(&one);
    sweep_free(&three);
    settings_free(&settings);
    grid_free(&g);
    unlink(path[0]);
    unlink(path[1]);
}

/* A point that cannot be run is reported; the others are not lost. */
static void test_failed_point(void **state) {
    char path[64];
    const char *traces[1] = {path};
    struct settings settings;
    struct grid g = {0};
    struct sweep s;
    struct rf_err err;

    (void)state;
    assert_true(small_trace(path, 600, 1, &err));
    assert_int_equal(settings_init(&settings, &knobs, NULL), RF_OK);
    assert_int_equal(grid_add(&g, &knobs, "swap.size=0,200%", NULL), RF_OK);
    run_sweep(&s, &settings, &g, traces, 1, 2);
    assert_int_equal(s.points[0].err.code, RF_EUSAGE);
    assert_non_null(strstr(s.points[0].err.msg, "swap.size"));
    assert_int_equal(s.points[1].err.code, RF_OK);
    sweep_free(&s);
    settings_free(&settings);
    grid_free(&g);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),         cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_cross_product), cmocka_unit_test(test_same_for_any_number_of_threads),
        cmocka_unit_test(test_failed_point),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
