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

/* Lists that go along with another are no axis of their own. */
static void test_along(void **state) {
    struct grid g = {0};
    struct setting v[4];

    (void)state;
    assert_int_equal(grid_add_along(&g, &knobs, "vm.swappiness=1", NULL), RF_EUSAGE);
    assert_int_equal(grid_add(&g, &knobs, "vm.page-cluster=0,3", NULL), RF_OK);
    assert_int_equal(grid_add(&g, &knobs, "kernel=5.4,6.1,6.12", NULL), RF_OK);
    assert_int_equal(grid_add_along(&g, &knobs, "vm.swappiness=10..30:10", NULL), RF_OK);
    assert_int_equal(grid_add_along(&g, &knobs, "machine.cpus=1..3", NULL), RF_OK);
    assert_int_equal(grid_points(&g), 6);
    for (size_t i = 0; i < 6; i++) {
        static const char *const want[3][3] = {
            {"5.4", "10", "1"}, {"6.1", "20", "2"}, {"6.12", "30", "3"}};

        grid_point(&g, i, v);
        assert_string_equal(v[0].value, i < 3 ? "0" : "3");
        for (size_t k = 0; k < 3; k++)
            assert_string_equal(v[1 + k].value, want[i % 3][k]);
    }
    assert_int_equal(grid_add_along(&g, &knobs, "seed=1,2", NULL), RF_EUSAGE); /* two, not three */
    grid_free(&g);
}

static void test_where(void **state) {
    static const struct {
        const char *text;
        bool holds;
    } cases[] = {
        {"vm.swappiness<=60", true},
        {"vm.swappiness<60", false},
        {"vm.swappiness > 59", true},
        {"vm.swappiness!=60", false},
        {"zswap.accept_threshold_percent>zswap.max_pool_percent", true},
        {"memory.max=2M", true}, /* 50 % of 1024 pages */
        {"memory.max<50.5%", true},
        {"memory.max<machine.ram", true},
        {"memory.high>memory.max", true}, /* max is above every size */
        {"kernel>=6.8", true},
        {"kernel<6.1", false},
        {"kernel<6.12", false},
        {"zswap.compressor=lzo", true},
        {"zswap.compressor!=zstd", true},
        {"cost.blk.read_ns==80us", true},
    };
    static const char *const bad[] = {"vm.swappiness",
                                      "vm.swapiness<5",
                                      "vm.swappiness<500",
                                      "<5",
                                      "zswap.compressor<zstd",
                                      "zswap.compressor=zs",
                                      "kernel<7.0",
                                      "kernel=zswap.enabled"};
    struct machine_config c;
    struct where w;

    (void)state;
    assert_int_equal(machine_config_init(&c, "6.12", NULL), RF_OK);
    c.footprint_pages = 1024;
    c.memory_max = (struct rf_amount){.value = 5000, .kind = AMOUNT_PERCENT};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rf_err err;

        if (where_parse(&w, &knobs, cases[i].text, &err) != RF_OK)
            fail_msg("%s", err.msg);
        if (where_holds(&w, &c) != cases[i].holds)
            fail_msg("'%s' is %s", cases[i].text, cases[i].holds ? "false" : "true");
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (where_parse(&w, &knobs, bad[i], NULL) != RF_EUSAGE)
            fail_msg("'%s' was taken", bad[i]);
    }
}

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void test_scenarios(void **state) {
    static const char *const bad[] = {"[a]\n[a]\n",      "[b : a]\n", "[a : b : c]\n",
                                      "[_only]\n",       "",          "memory.max = 1M\n[a]\n",
                                      "[a]\nmemory = 5", "[a b]\n",   "[a]\nmemory.max = x\n",
                                      "[ : a]\n",        "[a :]\n",   "[a]\nseed=1\nseed=1\n"};
    char path[] = "/tmp/refault-scenarios-XXXXXX";
    struct scenarios s;
    struct rf_err err;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    write_text(path, "# what is common\n[_base]\nmemory.max = 50%\nzswap.enabled = 1\n"
                     "[none]\n[lz4:_base]\nzswap.compressor = lz4\n"
                     "[big : lz4]\nmemory.max = 80%\n");
    assert_int_equal(scenarios_read(&s, &knobs, path, &err), RF_OK);
    assert_int_equal(s.n, 3);
    assert_string_equal(s.v[0].name, "none");
    assert_int_equal(s.v[0].n, 0);
    assert_string_equal(s.v[1].name, "lz4");
    assert_int_equal(s.v[1].n, 3);
    assert_string_equal(s.v[2].name, "big");
    assert_int_equal(s.v[2].n, 3); /* its own memory.max in place of the parent's */
    assert_string_equal(s.v[2].v[0].knob->key, "zswap.enabled");
    assert_string_equal(s.v[2].v[2].knob->key, "memory.max");
    assert_string_equal(s.v[2].v[2].value, "80%");
    assert_string_equal(s.v[1].v[0].value, "50%");
    assert_int_equal(s.most, 3);
    scenarios_free(&s);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        write_text(path, bad[i]);
        if (scenarios_read(&s, &knobs, path, &err) != RF_EUSAGE)
            fail_msg("'%s' was taken", bad[i]);
    }
    unlink(path);
    assert_int_equal(scenarios_read(&s, &knobs, path, &err), RF_EINPUT);
}

/* ---- plans ---- */

struct bench {
    char path[2][64];
    const char *traces[2];
    struct settings settings;
    struct grid grid;
    struct plan plan;
};

static void bench_init(struct bench *b, const char *const *lists) {
    struct rf_err err;

    memset(b, 0, sizeof(*b));
    assert_true(small_trace(b->path[0], 600, 3, &err));
    assert_true(small_trace(b->path[1], 900, 2, &err));
    assert_int_equal(settings_init(&b->settings, &knobs, NULL), RF_OK);
    for (; *lists; lists++)
        assert_int_equal(grid_add(&b->grid, &knobs, *lists, NULL), RF_OK);
    for (size_t i = 0; i < 2; i++)
        b->traces[i] = b->path[i];
    b->plan = (struct plan){.settings = &b->settings, .grid = &b->grid};
}

static void bench_plan(struct bench *b, size_t nr_traces) {
    struct rf_err err;

    if (plan_make(&b->plan, b->traces, nr_traces, &err) != RF_OK)
        fail_msg("%s", err.msg);
}

static void bench_free(struct bench *b) {
    plan_free(&b->plan);
    settings_free(&b->settings);
    grid_free(&b->grid);
    unlink(b->path[0]);
    unlink(b->path[1]);
}

/* Rows in order; rows that come to the same configuration are one point with one name. */
static void test_plan(void **state) {
    struct bench b;
    struct where w;
    const char *cells[3];
    char text[32], first[POINT_NAME_LEN + 1];

    (void)state;
    bench_init(&b, (const char *const[]){"memory.max=50%,60%", "vm.swappiness=10,60", NULL});
    bench_plan(&b, 2);
    assert_int_equal(b.plan.nr_rows, 8);
    assert_int_equal(b.plan.nr_points, 8);
    assert_int_equal(plan_columns(&b.plan, cells), 3);
    assert_string_equal(cells[0], "trace");
    assert_string_equal(cells[2], "vm.swappiness");
    plan_cells(&b.plan, 6, cells);
    assert_string_equal(cells[0], b.plan.traces[1].name);
    assert_string_equal(cells[1], "60%");
    assert_string_equal(cells[2], "10");
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(b.plan.rows[i].point, i);
        assert_int_equal(strlen(b.plan.points[i].name), POINT_NAME_LEN);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(b.plan.points[i].name, b.plan.points[j].name);
    }
    memcpy(first, b.plan.points[0].name, sizeof(first));

    /* A default that is said, and a percentage that is said in bytes, change no name. */
    snprintf(text, sizeof(text), "memory.max=%llu",
             (unsigned long long)b.plan.traces[0].info.footprint_pages / 2 * RF_PAGE_SIZE);
    plan_free(&b.plan);
    assert_int_equal(settings_add_pair(&b.settings, "zswap.enabled=0", NULL), RF_OK);
    grid_free(&b.grid);
    assert_int_equal(grid_add(&b.grid, &knobs, text, NULL), RF_OK);
    assert_int_equal(grid_add(&b.grid, &knobs, "vm.swappiness=10,60,10", NULL), RF_OK);
    bench_plan(&b, 1);
    assert_int_equal(b.plan.nr_rows, 3);
    assert_int_equal(b.plan.nr_points, 2);
    assert_int_equal(b.plan.rows[2].point, 0);
    assert_string_equal(b.plan.points[0].name, first);

    plan_free(&b.plan);
    assert_int_equal(where_parse(&w, &knobs, "vm.swappiness>10", NULL), RF_OK);
    b.plan.where = &w;
    b.plan.nr_where = 1;
    bench_plan(&b, 1);
    assert_int_equal(b.plan.nr_rows, 1);
    plan_free(&b.plan);
    assert_int_equal(where_parse(&w, &knobs, "vm.swappiness>100", NULL), RF_OK);
    assert_int_equal(plan_make(&b.plan, b.traces, 1, NULL), RF_EUSAGE);
    bench_free(&b);
}

/* ---- running ---- */

static void run(struct sweep *s, const struct plan *p, unsigned threads, const char *journal,
                bool resume) {
    struct rf_err err;

    *s = (struct sweep){.plan = p, .threads = threads, .journal = journal, .resume = resume};
    if (sweep_run(s, &err) != RF_OK)
        fail_msg("%s", err.msg);
}

static void check_same(const struct results *a, const struct results *b) {
    assert_int_equal(a->nr_records, b->nr_records);
    for (size_t i = 0; i < a->nr_records; i++) {
        const struct record *x = &a->records[i], *y = &b->records[i];

        assert_true(x->known && y->known);
        assert_int_equal(x->code, RF_OK);
        assert_int_equal(y->code, RF_OK);
        assert_string_equal(x->json, y->json);
        assert_int_equal(x->values.n, y->values.n);
        for (size_t j = 0; j < x->values.n; j++) {
            assert_string_equal(x->values.v[j].name, y->values.v[j].name);
            assert_int_equal(x->values.v[j].kind, y->values.v[j].kind);
            assert_true(x->values.v[j].value == y->values.v[j].value);
        }
    }
}

static uint64_t pswpout(const struct record *r) {
    return value_list_find(&r->values, MV_COUNTER, "vmstat.pswpout")->value;
}

static void test_same_for_any_number_of_threads(void **state) {
    struct sweep one, three;
    struct bench b;
    bool differ = false;

    (void)state;
    bench_init(&b,
               (const char *const[]){"memory.max=40%,60%,200%", "swap.device=nvme,zram0", NULL});
    bench_plan(&b, 2);
    run(&one, &b.plan, 1, NULL, false);
    run(&three, &b.plan, 3, NULL, false);
    assert_int_equal(one.nr_run, 12);
    check_same(&one.results, &three.results);
    for (size_t i = 1; i < 12; i++)
        differ |= pswpout(&one.results.records[i]) != pswpout(&one.results.records[0]);
    assert_true(differ); /* else the points were not those that were asked for */
    sweep_free(&one);
    sweep_free(&three);
    bench_free(&b);
}

/* A point that cannot be run is reported; the others are not lost. */
static void test_failed_point(void **state) {
    struct sweep s;
    struct bench b;
    struct rf_err err;

    (void)state;
    bench_init(&b, (const char *const[]){"swap.size=0,200%", NULL});
    bench_plan(&b, 1);
    run(&s, &b.plan, 2, NULL, false);
    assert_int_equal(s.results.records[0].code, RF_EUSAGE);
    assert_non_null(strstr(s.results.records[0].error, "swap.size"));
    assert_int_equal(s.results.records[1].code, RF_OK);
    assert_int_equal(results_failure(&s.results, &err), RF_EUSAGE);
    assert_non_null(strstr(err.msg, "swap.size=0: "));
    sweep_free(&s);
    bench_free(&b);
}

static long file_size(const char *path) {
    FILE *f = fopen(path, "r");
    long n;

    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    n = ftell(f);
    assert_int_equal(fclose(f), 0);
    return n;
}

/* Cut off after any number of bytes, or with any byte changed, a journal gives what is whole in it;
 * the rest is run again, and the results are those of one run. */
static void test_journal_damage(void **state) {
    char path[80], copy[96];
    struct sweep whole, s;
    struct bench b;
    char *bytes;
    long n;
    FILE *f;

    (void)state;
    bench_init(&b, (const char *const[]){"memory.max=40%,60%,80%", NULL});
    bench_plan(&b, 1);
    snprintf(path, sizeof(path), "%s.journal", b.path[0]);
    snprintf(copy, sizeof(copy), "%s.copy", path);
    run(&whole, &b.plan, 1, path, false);
    n = file_size(path);
    bytes = malloc((size_t)n);
    assert_non_null(bytes);
    f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fread(bytes, 1, (size_t)n, f), n);
    assert_int_equal(fclose(f), 0);
    for (unsigned i = 0; i < 10; i++) {
        long at = (long)((uint64_t)n * i / 10);
        bool cut = i % 2;

        f = fopen(copy, "w");
        assert_non_null(f);
        if (!cut)
            bytes[at] = (char)(bytes[at] ^ 1);
        assert_int_equal(fwrite(bytes, 1, (size_t)(cut ? at : n), f), cut ? at : n);
        assert_int_equal(fclose(f), 0);
        if (!cut)
            bytes[at] = (char)(bytes[at] ^ 1);
        run(&s, &b.plan, 2, copy, true);
        check_same(&whole.results, &s.results);
        assert_true(cut ? s.nr_run >= 1 : s.nr_run <= 2);
        assert_true(s.nr_run + s.dropped >= 1);
        sweep_free(&s);
        /* Now it is complete. */
        run(&s, &b.plan, 1, copy, true);
        assert_int_equal(s.nr_run, 0);
        check_same(&whole.results, &s.results);
        sweep_free(&s);
    }
    free(bytes);
    sweep_free(&whole);
    unlink(path);
    unlink(copy);
    bench_free(&b);
}

static void test_journal_refused(void **state) {
    char path[80];
    struct sweep s, other;
    struct bench b;
    struct rf_err err;

    (void)state;
    bench_init(&b, (const char *const[]){"memory.max=40%,60%", NULL});
    bench_plan(&b, 1);
    snprintf(path, sizeof(path), "%s.journal", b.path[0]);
    run(&s, &b.plan, 1, path, true); /* a missing one begins anew */
    assert_int_equal(s.nr_run, 2);
    sweep_free(&s);
    other = (struct sweep){.plan = &b.plan, .threads = 1, .journal = path};
    assert_int_equal(sweep_run(&other, &err), RF_EUSAGE);
    assert_non_null(strstr(err.msg, "not empty"));
    write_text(path, "");
    run(&s, &b.plan, 1, path, false); /* an empty one is no obstacle */
    sweep_free(&s);
    write_text(path, "no journal\nbut text\n");
    other.resume = true;
    assert_int_equal(sweep_run(&other, &err), RF_EINPUT);
    assert_int_equal(file_size(path), 20); /* and it is left as it was */
    other.journal = "/nonexistent/journal";
    assert_int_equal(sweep_run(&other, &err), RF_EIO);
    unlink(path);
    bench_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_cross_product),
        cmocka_unit_test(test_along),
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_scenarios),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_same_for_any_number_of_threads),
        cmocka_unit_test(test_failed_point),
        cmocka_unit_test(test_journal_damage),
        cmocka_unit_test(test_journal_refused),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
