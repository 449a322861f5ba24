/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of traces: whole groups stay or go, forked children follow their parents, times shrink.
 */
#include "trace_util.h"
#include "trace/reader.h"
#include "trace/sample.h"

static struct rf_err err;

/* Two accesses to each of n pages of one mapping, a pause of 10 between any two. */
static void make(uint32_t n) {
    struct trace_writer_params p = {
        .pacing = TRACE_PACE_NS, .implicit_content = true, .content_spec = "hist:mean=1650"};
    struct trace_event ev[3] = {{.kind = TEV_PROCESS, .parent = RF_NONE, .name = "test"},
                                {.kind = TEV_MMAP, .n = n, .vpn = 0x7f0000000, .flags = 0x15},
                                {.kind = TEV_SWITCH}};
    const struct trace_event pause = {.kind = TEV_PACE, .value = 10};
    struct trace_writer *w;

    assert_int_equal(trace_writer_open(in_scratch("in.rft"), &p, &w, &err), 0);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(trace_write_event(w, &ev[i], &err), 0);
    for (uint32_t i = 0; i < 2 * n; i++) {
        assert_int_equal(trace_write_access(w, i % n, i < n, &err), 0);
        assert_int_equal(trace_write_event(w, &pause, &err), 0);
    }
    assert_int_equal(trace_writer_close(w, &err), 0);
}

/* Accesses of each page, and the pauses in sum. */
static uint64_t count(const char *path, uint8_t *seen) {
    struct trace_reader *r;
    struct trace_block b;
    uint64_t ns = 0;
    int rc;

    assert_int_equal(trace_open(path, &r, &err), 0);
    if (trace_verify(r, &err))
        fail_msg("%s", err.msg);
    while ((rc = trace_next(r, &b, &err)) == 1) {
        for (size_t i = 0; i < b.nops; i++) {
            uint32_t id = b.ops[i] & TRACE_ID_MASK;
            if (!(b.ops[i] & OP_EVENT))
                seen[id]++;
            else if (b.events[id].kind == TEV_PACE)
                ns += b.events[id].value;
        }
    }
    assert_int_equal(rc, 0);
    trace_close(r);
    return ns;
}

static void groups(void **state) {
    enum { N = 4096, GROUP = 8 };
    struct trace_sample_params p = {.rate = 0.25, .group = GROUP, .seed = 3};
    struct trace_sample_tables tables;
    uint8_t seen[N] = {0};
    unsigned kept = 0;

    (void)state;
    make(N);
    if (trace_sample(in_scratch("in.rft"), in_scratch("out.rft"), &p, &tables, &err))
        fail_msg("%s", err.msg);
    uint64_t ns = count(in_scratch("out.rft"), seen);
    for (unsigned i = 0; i < N; i += GROUP) {
        for (unsigned k = 0; k < GROUP; k++)
            assert_int_equal(seen[i + k], seen[i]);
        assert_true(seen[i] == 0 || seen[i] == 2);
        kept += seen[i] != 0;
    }
    /* 512 groups at 1/4: 128, and a standard deviation of 9.8. */
    assert_in_range(kept, 128 - 49, 128 + 49);
    assert_int_equal(ns, 2 * N * 10 / 4);
    assert_int_equal(tables.whole, N / 512);
    assert_int_equal(tables.sampled, N / 512);
}

static void everything(void **state) {
    enum { N = 1024 };
    struct trace_sample_params p = {.rate = 1.0, .group = 1};
    uint8_t seen[N] = {0};

    (void)state;
    make(N);
    if (trace_sample(in_scratch("in.rft"), in_scratch("out.rft"), &p, NULL, &err))
        fail_msg("%s", err.msg);
    assert_int_equal(count(in_scratch("out.rft"), seen), 2 * N * 10);
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(seen[i], 2);
}

static void forked(void **state) {
    struct trace_sample_params p = {.rate = 0.5, .group = 1, .seed = 1};
    struct trace_event fork = {.kind = TEV_FORK, .first = 2 << 9, .n = 1 << 9},
                       again = {.kind = TEV_FORK, .first = 3 << 9, .n = 2 << 9};
    struct page_sampler s;
    unsigned differ = 0;

    (void)state;
    assert_int_equal(page_sampler_init(&s, &p, 4, &err), 0);
    for (uint32_t i = 0; i < 512; i++)
        differ += page_sampled(&s, 512 + i) != page_sampled(&s, 1024 + i);
    assert_in_range(differ, 150, 362); /* independent: 256 +- 11 */
    page_sampler_event(&s, &fork);
    page_sampler_event(&s, &again);
    for (uint32_t i = 0; i < 512; i++) {
        assert_int_equal(page_sampled(&s, 1024 + i), page_sampled(&s, 512 + i));
        assert_int_equal(page_sampled(&s, 1536 + i), page_sampled(&s, 512 + i));
    }
    page_sampler_free(&s);
}

static void refused(void **state) {
    static const struct trace_sample_params bad[] = {{.rate = 0.0, .group = 1},
                                                     {.rate = 1.5, .group = 1},
                                                     {.rate = 0.5, .group = 0},
                                                     {.rate = 0.5, .group = 3},
                                                     {.rate = 0.5, .group = 1024}};
    struct page_sampler s;

    (void)state;
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(page_sampler_init(&s, &bad[i], 4, &err), RF_EUSAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups),
        cmocka_unit_test(everything),
        cmocka_unit_test(forked),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
