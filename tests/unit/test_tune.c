/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics and bounds by hand; tuning a small grid against all of its points. */
#include "trace_util.h"
#include "gen/workload.h"
#include "tune/tune.h"

static struct rf_err err;

static void metrics(void **state) {
    struct value values[] = {{(char *)(uintptr_t) "stall_ns", MV_TIME, 7},
                             {(char *)(uintptr_t) "memory.peak", MV_COUNTER, 4096},
                             {(char *)(uintptr_t) "vmstat.pswpin", MV_COUNTER, 5},
                             {(char *)(uintptr_t) "zram.mem_used_max", MV_COUNTER, 8192},
                             {(char *)(uintptr_t) "blk.write_pages", MV_X, 3}};
    struct replay_result r = {.values = {.v = values, .n = 5}};
    static const struct {
        const char *text;
        double value;
        enum metric_unit unit;
        bool extensive;
    } cases[] = {
        {"stall", 7, METRIC_TIME, true},           {"time.stall_ns", 7, METRIC_TIME, true},
        {"vmstat.pswpin", 5, METRIC_COUNT, true},  {"x.blk.write_pages", 3, METRIC_COUNT, true},
        {"written", 3 * 4096, METRIC_BYTES, true}, {"memory", 4096 + 8192, METRIC_BYTES, true},
    };
    struct metric m;
    double v;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(metric_parse(&m, cases[i].text, &err), RF_OK);
        assert_int_equal(metric_read(&m, &r, &v, &err), RF_OK);
        assert_true(v == cases[i].value);
        assert_int_equal(m.unit, cases[i].unit);
        assert_int_equal(m.extensive, cases[i].extensive);
    }
    assert_int_equal(metric_parse(&m, "p99", &err), RF_OK);
    assert_false(m.extensive);
    assert_int_equal(metric_parse(&m, "vmstat.pswpim", &err), RF_OK);
    assert_int_equal(metric_read(&m, &r, &v, &err), RF_EUSAGE);
    assert_non_null(strstr(err.msg, "did you mean 'vmstat.pswpin'"));
}

static void bounds(void **state) {
    static const char *const bad[] = {"stall", "stall<5ms", "<=5", "stall<=5M", "written<=x"};
    struct bound b;

    (void)state;
    assert_int_equal(bound_parse(&b, "stall<=2ms", &err), RF_OK);
    assert_true(bound_violation(&b, 2e6) == 0);
    assert_true(bound_violation(&b, 3e6) == 0.5);
    assert_int_equal(bound_parse(&b, "memory>=1M", &err), RF_OK);
    assert_true(bound_violation(&b, 2097152) == 0);
    assert_true(bound_violation(&b, 524288) == 0.5);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(bound_parse(&b, bad[i], &err), RF_EUSAGE);
}

struct fixture {
    struct knob_table knobs;
    struct settings settings;
    struct grid grid;
    struct tune_params p;
};

static void set_up(struct fixture *f) {
    struct gen_params g = {.pages = 3000,
                           .ops = 30000,
                           .theta = 0.8,
                           .writes_permille = 300,
                           .seed = 5,
                           .contents = "hist:mean=1650"};

    *f = (struct fixture){0};
    if (gen_write(gen_find("zipf"), &g, in_scratch("z.rft"), &err))
        fail_msg("%s", err.msg);
    assert_int_equal(knob_table_init(&f->knobs, &err), 0);
    assert_int_equal(settings_init(&f->settings, &f->knobs, &err), 0);
    assert_int_equal(settings_add_pair(&f->settings, "zswap.enabled=1", &err), 0);
    assert_int_equal(grid_add(&f->grid, &f->knobs, "memory.max=50%..100%:10%", &err), 0);
    assert_int_equal(grid_add(&f->grid, &f->knobs, "vm.page-cluster=0..3", &err), 0);
    f->p = (struct tune_params){.trace = in_scratch("z.rft"),
                                .settings = &f->settings,
                                .grid = &f->grid,
                                .nr_metrics = 2,
                                .threads = 2,
                                .seed = 1};
    assert_int_equal(metric_parse(&f->p.metrics[0], "stall", &err), 0);
    assert_int_equal(metric_parse(&f->p.metrics[1], "memory", &err), 0);
}

static void tear_down(struct fixture *f) {
    grid_free(&f->grid);
    settings_free(&f->settings);
    knob_table_free(&f->knobs);
}

/* With 8 whole runs of 24 the best is that of all 24, and so is every point of the front. */
static void against_all(void **state) {
    struct tune_result all, some;
    struct fixture f;

    (void)state;
    set_up(&f);
    f.p.exact = 24;
    assert_int_equal(tune_run(&f.p, &all, &err), RF_OK);
    assert_int_equal(all.nr_exact, 24);
    assert_int_equal(all.nr_rungs, 0);
    f.p.exact = 8;
    assert_int_equal(tune_run(&f.p, &some, &err), RF_OK);
    assert_int_equal(some.nr_exact, 8);
    assert_int_equal(some.nr_rungs, 1);
    for (size_t i = 0; i < all.n; i++)
        assert_true(all.points[i].value[0] >= all.points[all.best].value[0]);
    assert_true(some.points[some.best].value[0] == all.points[all.best].value[0]);
    for (size_t i = 0; i < some.n; i++) {
        if (some.points[i].exact)
            assert_true(some.points[i].value[0] == all.points[i].value[0]);
    }
    for (size_t i = 0; i < all.n; i++) { /* the front, by its definition */
        bool beaten = false;
        const double *v = all.points[i].value;
        for (size_t j = 0; j < all.n; j++) {
            const double *w = all.points[j].value;
            beaten |= w[0] <= v[0] && w[1] <= v[1] && (w[0] < v[0] || w[1] < v[1] || j < i);
        }
        assert_int_equal(all.points[i].front, !beaten);
    }
    tune_result_free(&all);
    tune_result_free(&some);
    tear_down(&f);
}

static void bounded(void **state) {
    struct tune_result r;
    struct bound b;
    struct fixture f;

    (void)state;
    set_up(&f);
    f.p.bounds = &b;
    f.p.nr_bounds = 1;
    f.p.exact = 24;
    assert_int_equal(bound_parse(&b, "memory<=9M", &err), RF_OK);
    assert_int_equal(tune_run(&f.p, &r, &err), RF_OK);
    assert_true(r.best != SIZE_MAX && r.points[r.best].value[1] <= 9.0 * 1048576);
    for (size_t i = 0; i < r.n; i++) {
        const double *v = r.points[i].value;
        assert_true(v[1] > 9.0 * 1048576 || v[0] >= r.points[r.best].value[0]);
    }
    tune_result_free(&r);
    assert_int_equal(bound_parse(&b, "memory<=1M", &err), RF_OK);
    assert_int_equal(tune_run(&f.p, &r, &err), RF_OK);
    assert_true(r.best == SIZE_MAX);
    tune_result_free(&r);
    tear_down(&f);
}

static void unknown_metric(void **state) {
    struct tune_result r;
    struct fixture f;

    (void)state;
    set_up(&f);
    assert_int_equal(metric_parse(&f.p.metrics[0], "vmstat.nothing_like_it", &err), RF_OK);
    assert_int_equal(tune_run(&f.p, &r, &err), RF_EUSAGE);
    tune_result_free(&r);
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics), cmocka_unit_test(bounds),         cmocka_unit_test(against_all),
        cmocka_unit_test(bounded), cmocka_unit_test(unknown_metric),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
