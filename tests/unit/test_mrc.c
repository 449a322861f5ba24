/* SPDX-License-Identifier: Apache-2.0 */
/* Miss curves: by hand, and against whole LRU runs on a Zipf trace. Stall curves of miniatures. */
#include "trace_util.h"
#include "gen/workload.h"
#include "mrc/mrc.h"
#include "mrc/stall.h"
#include "trace/importers/importer.h"

static struct rf_err err;

static void measure(const char *path, double rate, struct mrc *out) {
    struct trace_reader *r;

    if (trace_open(path, &r, &err) || mrc_measure(r, rate, 1, out, &err))
        fail_msg("%s", err.msg);
    trace_close(r);
}

static void misses_are(const char *ops, const unsigned *expected, unsigned n) {
    struct import_options opt = {.pages = 512};
    struct mrc m;

    put_text(in_scratch("in.txt"), ops);
    if (importer_find("text")->import(in_scratch("in.txt"), in_scratch("in.rft"), &opt, &err))
        fail_msg("%s", err.msg);
    measure(in_scratch("in.rft"), 1.0, &m);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal((unsigned)mrc_misses(&m, i), expected[i]);
    mrc_free(&m);
}

/* a b c a a c b: distances -, -, -, 3, 1, 2, 3. */
static void by_hand(void **state) {
    static const unsigned expected[] = {7, 6, 5, 3, 3, 3};

    (void)state;
    misses_are("W 1\nW 2\nR 3\nR 1\nR 1\nR 3\nR 2\n", expected, 6);
}

/* a b c (c freed) d a b c: with three frames d takes the one that c left, so a and b hit. */
static void freed(void **state) {
    static const unsigned expected[] = {7, 7, 7, 5, 5};

    (void)state;
    misses_are("W 1\nW 2\nW 3\nD 3\nW 4\nR 1\nR 2\nW 3\n", expected, 5);
}

#define PAGES 2000u
#define OPS 60000u

static void generate(void) {
    struct gen_params p = {.pages = PAGES,
                           .ops = OPS,
                           .theta = 0.8,
                           .writes_permille = 300,
                           .seed = 5,
                           .contents = "hist:mean=1650"};

    if (gen_write(gen_find("zipf"), &p, in_scratch("z.rft"), &err))
        fail_msg("%s", err.msg);
}

/* A full run of a plain LRU list. */
static unsigned lru_misses(const char *path, unsigned frames) {
    static uint32_t list[PAGES];
    struct trace_reader *r;
    struct trace_block b;
    unsigned n = 0, misses = 0;

    assert_int_equal(trace_open(path, &r, &err), 0);
    while (trace_next(r, &b, &err) == 1) {
        for (size_t i = 0; i < b.nops; i++) {
            uint32_t id = b.ops[i] & TRACE_ID_MASK;
            unsigned at = 0;

            if (b.ops[i] & OP_EVENT)
                continue;
            while (at < n && list[at] != id)
                at++;
            if (at == n) {
                misses++;
                at = n == frames ? n - 1 : n++;
            }
            memmove(list + 1, list, at * sizeof(list[0]));
            list[0] = id;
        }
    }
    trace_close(r);
    return misses;
}

static void against_lru(void **state) {
    struct mrc m;

    (void)state;
    generate();
    measure(in_scratch("z.rft"), 1.0, &m);
    for (unsigned frames = 100; frames <= PAGES; frames += 475)
        assert_int_equal((unsigned)mrc_misses(&m, frames), lru_misses(in_scratch("z.rft"), frames));
    mrc_free(&m);
}

/* Half of the pages: within three points of the exact ratio everywhere. */
static void sampled(void **state) {
    struct mrc exact, half;

    (void)state;
    generate();
    measure(in_scratch("z.rft"), 1.0, &exact);
    measure(in_scratch("z.rft"), 0.5, &half);
    for (unsigned frames = 100; frames <= PAGES; frames += 100) {
        double e = (mrc_misses(&half, frames) - mrc_misses(&exact, frames)) / OPS;

        assert_true(e < 0.03 && e > -0.03);
    }
    mrc_free(&exact);
    mrc_free(&half);
}

/* A rate at which no page is sampled: the table is of pages, not of sizes up to pages / rate, and
 * a memory of no page hits nothing. */
static void hardly_sampled(void **state) {
    struct trace_reader *r;
    struct mrc m;

    (void)state;
    generate();
    measure(in_scratch("z.rft"), 0.01, &m);
    assert_true(m.max_held <= PAGES);
    assert_int_equal((unsigned)mrc_misses(&m, 0), OPS);
    for (unsigned frames = 1; frames <= PAGES; frames += 100)
        assert_true(mrc_misses(&m, frames) <= OPS);
    mrc_free(&m);
    assert_int_equal(trace_open(in_scratch("z.rft"), &r, &err), 0);
    assert_int_equal(mrc_measure(r, 1e-12, 1, &m, &err), RF_EUSAGE);
    mrc_free(&m);
    trace_close(r);
}

/* At rate 1 the miniature is the machine itself; below it the errors are those of the points. */
static void stall(void **state) {
    struct knob_table knobs;
    struct settings settings;
    struct grid sizes = {0};
    struct stall_params p = {
        .settings = &settings, .sizes = &sizes, .rate = 0.5, .seed = 1, .exact = SIZE_MAX};
    struct stall_curve half, whole;

    (void)state;
    generate();
    assert_int_equal(knob_table_init(&knobs, &err), 0);
    assert_int_equal(settings_init(&settings, &knobs, &err), 0);
    assert_int_equal(grid_add(&sizes, &knobs, "memory.max=60%,80%,100%", &err), 0);
    if (stall_curve(in_scratch("z.rft"), &p, &half, &err))
        fail_msg("%s", err.msg);
    p.rate = 1.0;
    if (stall_curve(in_scratch("z.rft"), &p, &whole, &err))
        fail_msg("%s", err.msg);
    assert_int_equal(half.nr_exact, 3);
    assert_true(half.worst >= half.median);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(half.points[i].exact && !whole.points[i].exact);
        assert_true(half.points[i].exact_stall_ns == (uint64_t)whole.points[i].stall_ns);
    }
    assert_true(half.points[0].stall_ns > half.points[1].stall_ns);
    stall_curve_free(&half);
    stall_curve_free(&whole);
    grid_free(&sizes);
    settings_free(&settings);
    knob_table_free(&knobs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(freed),          cmocka_unit_test(against_lru),
        cmocka_unit_test(sampled), cmocka_unit_test(hardly_sampled), cmocka_unit_test(stall),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
