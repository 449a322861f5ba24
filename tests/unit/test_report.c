/* SPDX-License-Identifier: Apache-2.0 */
/* The replay loop and its reports, on a trace whose accesses are known by construction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report.h"
#include "small_replay.h"

#define PAGES 700u
#define ROUNDS 2u
#define OPS (PAGES * (1 + ROUNDS) + 1)

static int setup(void **state) {
    struct small_replay *f = calloc(1, sizeof(*f));

    if (!f || !small_replay_begin(f, PAGES, ROUNDS))
        return -1;
    *state = f;
    return 0;
}

static int teardown(void **state) {
    small_replay_end(*state);
    free(*state);
    return 0;
}

static void run(struct small_replay *f, const char *const *pairs, const struct replay_opts *opts,
                bool check, struct replay_result *r) {
    struct machine_config c;
    struct rf_err err;

    small_replay_config(f, pairs, &c);
    c.check = check;
    c.verify = check;
    if (replay_run(f->trace, f->contents, &c, opts, r, &err) != RF_OK)
        fail_msg("%s", err.msg);
}

static uint64_t counter(const struct replay_result *r, const char *name) {
    const struct value *v = value_list_find(&r->values, MV_COUNTER, name);

    if (!v)
        fail_msg("no counter %s", name);
    return v->value;
}

/* With memory for all: one fault a page and one for the page that was dropped, nothing swapped. */
static void test_all_resident(void **state) {
    struct small_replay *f = *state;
    struct replay_result r;
    static const char *const pairs[] = {"machine.ram=64M", NULL};

    run(f, pairs, NULL, true, &r);
    assert_int_equal(r.outcome, MACHINE_DONE);
    assert_int_equal(r.info.ops, OPS);
    assert_int_equal(r.ops_done, OPS);
    assert_int_equal(counter(&r, "vmstat.pgfault"), PAGES + 1);
    assert_int_equal(counter(&r, "vmstat.pgmajfault"), 0);
    assert_int_equal(counter(&r, "vmstat.pswpout"), 0);
    replay_result_free(&r);
}

static int note_stop(void *ctx, struct machine *m, size_t index, struct rf_err *err) {
    uint64_t *seen = ctx;

    (void)err;
    assert_int_equal(seen[0], index);
    seen[0]++;
    /* Stores to new pages only so far: faults = accesses. */
    seen[index + 1] = 0;
    {
        struct value_list l;

        assert_int_equal(value_list_read(&l, m, NULL), RF_OK);
        seen[index + 1] = value_list_find(&l, MV_COUNTER, "vmstat.pgfault")->value;
        value_list_free(&l);
    }
    return RF_OK;
}

/* Checkpoints come before exactly the access that they name. */
static void test_stops(void **state) {
    struct small_replay *f = *state;
    uint64_t seen[5] = {0};
    const uint64_t stops[] = {0, 1, 123, PAGES};
    const struct replay_opts opts = {
        .stops = stops, .nr_stops = 4, .at_stop = note_stop, .ctx = seen};
    struct replay_result r;
    static const char *const pairs[] = {"machine.ram=64M", NULL};

    run(f, pairs, &opts, false, &r);
    assert_int_equal(seen[0], 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(seen[i + 1], stops[i]);
    replay_result_free(&r);
}

static void test_series(void **state) {
    struct small_replay *f = *state;
    const struct replay_opts opts = {.interval = 100000};
    struct replay_result r;
    size_t width;
    static const char *const pairs[] = {"memory.max=50%", NULL};

    run(f, pairs, &opts, false, &r);
    width = r.series.columns.n + 2;
    assert_int_equal(r.series.columns.n, r.values.n);
    assert_true(r.series.nr > 3);
    for (size_t i = 1; i < r.series.nr; i++) {
        const uint64_t *a = r.series.rows + (i - 1) * width, *b = a + width;

        assert_true(b[0] >= a[0] && b[1] >= a[1]);
    }
    for (size_t i = 0; i < r.values.n; i++) /* the last row is the end of the run */
        assert_true(r.series.rows[(r.series.nr - 1) * width + 2 + i] == r.values.v[i].value);
    replay_result_free(&r);
}

/* The same result whether accesses are counted on the way (checks, stops) or not. */
static void test_counting_changes_nothing(void **state) {
    struct small_replay *f = *state;
    struct replay_result a, b;
    static const char *const pairs[] = {"memory.max=50%", "zswap.enabled=1", NULL};

    run(f, pairs, NULL, false, &a);
    run(f, NULL, NULL, true, &b);
    assert_int_equal(a.ops_done, b.ops_done);
    assert_int_equal(a.values.n, b.values.n);
    for (size_t i = 0; i < a.values.n; i++) {
        if (a.values.v[i].value != b.values.v[i].value)
            fail_msg("%s: %llu, with checks %llu", a.values.v[i].name,
                     (unsigned long long)a.values.v[i].value,
                     (unsigned long long)b.values.v[i].value);
    }
    replay_result_free(&a);
    replay_result_free(&b);
}

static void test_json(void **state) {
    struct small_replay *f = *state;
    struct replay_result r;
    json_t *j, *o;
    static const char *const pairs[] = {"memory.max=50%", "swap.device=zram0", NULL};
    const char *const keys[] = {"config", "counters", "outcome", "refault", "time", "trace", "x"};

    run(f, pairs, NULL, false, &r);
    j = report_json(&r, &f->knobs, "small.rft");
    assert_non_null(j);
    assert_int_equal(json_object_size(j), sizeof(keys) / sizeof(keys[0]));
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        assert_non_null(json_object_get(j, keys[i]));
    assert_string_equal(json_string_value(json_object_get(j, "outcome")), "done");
    o = json_object_get(json_object_get(j, "counters"), "vmstat.pswpout");
    assert_true(json_is_integer(o));
    assert_int_equal(json_integer_value(o), counter(&r, "vmstat.pswpout"));
    assert_true(json_integer_value(o) > 0);
    o = json_object_get(json_object_get(j, "time"), "elapsed_ns");
    assert_true(json_is_integer(o) && json_integer_value(o) > 0);
    o = json_object_get(json_object_get(j, "counters"), "zsmalloc.zram0.classes");
    assert_true(json_is_array(o) && json_array_size(o) > 0);
    /* class, size, 11 groups, 5 columns, as in the file of 6.12 */
    assert_int_equal(json_array_size(json_array_get(o, 0)), 18);
    json_decref(j);
    replay_result_free(&r);
}

static void test_oom_is_an_outcome(void **state) {
    struct small_replay *f = *state;
    struct replay_result r;
    char verdict[256];
    /* Swap for 99 pages (the first of 100 is the header), memory for 200: the fill of 700 cannot
     * end, cannot pass their sum, and cannot fail before memory is used but for a charge batch of
     * 64 and some page tables. */
    static const char *const pairs[] = {"memory.max=800K", "swap.size=400K", NULL};

    run(f, pairs, NULL, true, &r);
    assert_int_equal(r.outcome, MACHINE_OOM);
    assert_in_range(r.ops_done, 200 - 64 - 16, 200 + 99);
    assert_non_null(strstr(report_verdict(&r, verdict, sizeof(verdict)), "out of memory"));
    replay_result_free(&r);
}

static void test_text_and_csv(void **state) {
    struct small_replay *f = *state;
    struct replay_result r;
    char *text = NULL;
    size_t size;
    FILE *m;
    static const char *const pairs[] = {"memory.max=50%", NULL};

    run(f, pairs, NULL, false, &r);
    m = open_memstream(&text, &size);
    assert_non_null(m);
    report_text(m, &r, "small.rft");
    csv_value_names(m, &r.values);
    csv_values(m, &r.values, &r.values);
    csv_field(m, "a,\"b\"");
    fclose(m);
    assert_non_null(strstr(text, "trace    small.rft: 2101 accesses, 33 % stores"));
    assert_non_null(strstr(text, "outcome  done after 2101 accesses"));
    assert_non_null(strstr(text, "verdict  "));
    assert_non_null(strstr(text, ",time.elapsed_ns,"));
    assert_non_null(strstr(text, ",vmstat.pswpout,"));
    assert_non_null(strstr(text, ",x.cow_copies,"));
    assert_non_null(strstr(text, "\"a,\"\"b\"\"\""));
    assert_true(strstr(text, ",time.elapsed_ns,") < strstr(text, ",vmstat.pswpout,"));
    assert_true(strstr(text, ",vmstat.pswpout,") < strstr(text, ",x.cow_copies,"));
    free(text);
    replay_result_free(&r);
}

static void test_full_disk(void **state) {
    struct output o;
    struct rf_err err;

    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(output_open(&o, "/dev/full", &err), RF_OK);
    fputs("text", o.f);
    assert_int_equal(output_close(&o, &err), RF_EIO);
    assert_non_null(strstr(err.msg, "/dev/full"));
    assert_int_equal(output_open(&o, "/nonexistent/out", &err), RF_EIO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_resident, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stops, setup, teardown),
        cmocka_unit_test_setup_teardown(test_series, setup, teardown),
        cmocka_unit_test_setup_teardown(test_counting_changes_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_json, setup, teardown),
        cmocka_unit_test_setup_teardown(test_oom_is_an_outcome, setup, teardown),
        cmocka_unit_test_setup_teardown(test_text_and_csv, setup, teardown),
        cmocka_unit_test(test_full_disk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
