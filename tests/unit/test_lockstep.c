/* SPDX-License-Identifier: Apache-2.0 */
/* Machines that advance together give what each gives alone, and fail alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "small_trace.h"
#include "sweep/lockstep.h"

#define PAGES 700u
#define POINTS 70u /* more than machines exist at a time */

static struct rf_err err;

#define MUST(call)                                                                                 \
    do {                                                                                           \
        if ((call) != RF_OK)                                                                       \
            fail_msg("%s", err.msg);                                                               \
    } while (0)

static void configure(struct lockstep_point *p, uint32_t i) {
    static const char *const kernel[] = {"5.10", "6.1", "6.12"};
    struct machine_config *c = &p->config;

    MUST(machine_config_init(c, kernel[i % 3], &err));
    c->footprint_pages = PAGES;
    c->blocks = (PAGES + 511) / 512;
    c->memory_max = (struct rf_amount){.value = 2000 + i * 100, .kind = AMOUNT_PERCENT};
    machine_config_set_profile(c, profile_default());
    if (i % 4 == 1) {
        memcpy(c->swap_device, "zram0", sizeof("zram0"));
    } else if (i % 4 == 2) { /* the trace does not fit: ends early */
        c->memory_swap_max = (struct rf_amount){.kind = AMOUNT_BYTES};
    } else if (i % 25 == 3) { /* cannot be made */
        memcpy(c->swap_device, "none such", sizeof("none such"));
    }
}

struct calls {
    unsigned of[POINTS];
};

static void note(void *ctx, size_t index) {
    struct calls *c = ctx;
    c->of[index]++;
}

/* All points alone. */
static struct lockstep_point *run_alone(const char *path, struct content_set *contents,
                                        uint32_t first, uint32_t n) {
    struct lockstep_point *p = calloc(POINTS, sizeof(*p));
    struct trace_reader *r;

    assert_non_null(p);
    MUST(trace_open(path, &r, &err));
    for (uint32_t i = 0; i < n; i++) {
        configure(&p[i], first + i);
        if (replay_run(r, contents, &p[i].config, NULL, &p[i].result, &p[i].err) == RF_OK)
            p[i].err.code = RF_OK;
    }
    trace_close(r);
    return p;
}

static void same_result(const struct lockstep_point *a, const struct lockstep_point *b) {
    assert_int_equal(a->err.code, b->err.code);
    if (a->err.code != RF_OK) {
        assert_string_equal(a->err.msg, b->err.msg);
        return;
    }
    const struct value_list *x = &a->result.values, *y = &b->result.values;
    assert_int_equal(a->result.outcome, b->result.outcome);
    assert_true(a->result.ops_done == b->result.ops_done);
    assert_int_equal(x->n, y->n);
    for (size_t i = 0; i < x->n; i++) {
        assert_string_equal(x->v[i].name, y->v[i].name);
        assert_true(x->v[i].value == y->v[i].value);
    }
}

static void free_points(struct lockstep_point *p, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (p[i].err.code == RF_OK)
            replay_result_free(&p[i].result);
    free(p);
}

static void run_all(const char *path, const char *contents_of, unsigned threads, uint32_t first,
                    uint32_t n, bool all_fail) {
    struct content_set *contents;
    struct trace_reader *r;
    struct calls calls = {0};
    const struct lockstep_opts opts = {.threads = threads, .done = note, .ctx = &calls};
    struct lockstep_point *p = calloc(POINTS, sizeof(*p)), *alone;
    unsigned done = 0, oom = 0, failed = 0;

    assert_non_null(p);
    MUST(trace_open(contents_of, &r, &err));
    MUST(trace_load_content(r, &contents, &err));
    trace_close(r);
    alone = run_alone(path, contents, first, n);
    for (uint32_t i = 0; i < n; i++)
        configure(&p[i], first + i);
    MUST(lockstep_run(path, contents, p, n, &opts, &err));
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(calls.of[i], 1);
        same_result(&alone[i], &p[i]);
        failed += p[i].err.code != RF_OK;
        done += p[i].err.code == RF_OK && p[i].result.outcome == MACHINE_DONE;
        oom += p[i].err.code == RF_OK && p[i].result.outcome == MACHINE_OOM;
    }
    if (all_fail ? failed != n : !failed || !oom || !done)
        fail_msg("%u failed, %u out of memory, %u done", failed, oom, done);
    free_points(alone, n);
    free_points(p, n);
    content_free(contents);
}

static void test_same_as_alone(void **state) {
    char path[64];

    (void)state;
    assert_true(small_trace(path, PAGES, 3, &err));
    run_all(path, path, 1, 0, POINTS, false);
    run_all(path, path, 4, 0, POINTS, false);
    unlink(path);
}

/* A block that is damaged fails all (here memory is enough for all to get that far), with the
 * message of a single replay. */
static void test_damaged_trace(void **state) {
    char path[64], damaged[64];
    FILE *f;

    (void)state;
    assert_true(small_trace(path, PAGES, 1500, &err)); /* two blocks */
    assert_true(small_trace(damaged, PAGES, 1500, &err));
    f = fopen(damaged, "r+b");
    assert_non_null(f);
    /* the last byte before the footer, whose offset is in the header */
    uint8_t header[64], byte;
    assert_int_equal(fread(header, 1, sizeof(header), f), sizeof(header));
    long at = (long)rf_load_le64(header + 16) - 1;
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    assert_int_equal(fread(&byte, 1, 1, f), 1);
    byte ^= 0x40;
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    assert_int_equal(fwrite(&byte, 1, 1, f), 1);
    assert_int_equal(fclose(f), 0);
    run_all(damaged, path, 3, 90, 6, true);
    unlink(path);
    unlink(damaged);
}

struct order {
    unsigned calls, last_at;
};

static void note_order(void *ctx, size_t index) {
    struct order *o = ctx;

    if (index == POINTS - 1)
        o->last_at = o->calls;
    o->calls++;
}

/* Results come along the way, not all at the end: the last point fails as soon as it is begun, and
 * by then those of earlier groups are there. */
static void test_results_come_early(void **state) {
    struct order order = {0};
    const struct lockstep_opts opts = {.threads = 1, .done = note_order, .ctx = &order};
    struct lockstep_point *p = calloc(POINTS, sizeof(*p));
    struct content_set *contents;
    struct trace_reader *r;
    char path[64];

    (void)state;
    assert_non_null(p);
    assert_true(small_trace(path, PAGES, 3, &err));
    MUST(trace_open(path, &r, &err));
    MUST(trace_load_content(r, &contents, &err));
    trace_close(r);
    for (uint32_t i = 0; i < POINTS; i++)
        configure(&p[i], i == POINTS - 1 ? 3 : 0);
    MUST(lockstep_run(path, contents, p, POINTS, &opts, &err));
    assert_int_equal(order.calls, POINTS);
    assert_int_equal(p[POINTS - 1].err.code == RF_OK, 0);
    assert_in_range(order.last_at, 48, POINTS - 1); /* in flight with at most 16 */
    free_points(p, POINTS);
    content_free(contents);
    unlink(path);
}

static void test_no_points(void **state) {
    const struct lockstep_opts opts = {.threads = 2};
    char path[64];

    (void)state;
    assert_true(small_trace(path, 8, 1, &err));
    MUST(lockstep_run(path, NULL, NULL, 0, &opts, &err));
    unlink(path);
    assert_int_equal(lockstep_run(path, NULL, NULL, 0, &opts, &err), RF_EINPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_alone), cmocka_unit_test(test_damaged_trace),
        cmocka_unit_test(test_results_come_early), cmocka_unit_test(test_no_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
