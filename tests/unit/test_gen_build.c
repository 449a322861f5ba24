/* SPDX-License-Identifier: Apache-2.0 */
/* The workloads usemem and kbuild-lite. Wanted figures are calculated by hand from the formulas of
 * docs/workloads.md. */
#include <math.h>
#include "trace_util.h"
#include "gen/workload.h"
#include "gen/zipf.h"
#include "trace/reader.h"

static struct rf_err err;

static void generate(const char *name, const struct gen_params *p, const char *path) {
    struct trace_reader *r;

    if (gen_write(gen_find(name), p, path, &err))
        fail_msg("%s", err.msg);
    assert_int_equal(trace_open(path, &r, &err), 0);
    if (trace_verify(r, &err))
        fail_msg("%s", err.msg);
    trace_close(r);
}

static void refused(const char *name, const struct gen_params *p) {
    assert_int_equal(gen_write(gen_find(name), p, in_scratch("bad.rft"), &err), RF_EUSAGE);
}

/* ---- usemem ---- */

static uint64_t pace_of(const char *path) {
    struct trace_reader *r;
    struct trace_block b;
    uint64_t sum = 0;

    assert_int_equal(trace_open(path, &r, &err), 0);
    while (trace_next(r, &b, &err) > 0)
        for (size_t i = 0; i < b.nevents; i++)
            sum += b.events[i].kind == TEV_PACE ? b.events[i].value : 0;
    trace_close(r);
    return sum;
}

static void usemem(void **state) {
    struct gen_params p;
    (void)state;
    gen_params_init(&p);
    p.usemem.bytes = 3 * 4096;
    generate("usemem", &p, in_scratch("u.rft"));
    struct trace_info i = info_of(in_scratch("u.rft"));
    assert_int_equal(i.ops, 3);
    assert_int_equal(i.writes, 3);
    assert_int_equal(i.pacing, TRACE_PACE_ACCESSES);
    assert_string_equal(i.content_spec, "usemem");
    assert_int_equal(pace_of(in_scratch("u.rft")), 3 * 512 * 6); /* six for each word */
    p.usemem.use_malloc = true;                                  /* 16 bytes more: a fourth page */
    generate("usemem", &p, in_scratch("u.rft"));
    assert_int_equal(info_of(in_scratch("u.rft")).ops, 4);
    p.usemem.tasks = 3; /* and a parent that waits */
    p.usemem.bytes = 2048 * 4096;
    p.scale = 0.125;
    generate("usemem", &p, in_scratch("u.rft"));
    i = info_of(in_scratch("u.rft"));
    assert_int_equal(i.ops, 3 * 257);
    assert_int_equal(i.processes, 4);
    p.usemem.free = true; /* and a page of the parent's, before they exit */
    generate("usemem", &p, in_scratch("u.rft"));
    assert_int_equal(info_of(in_scratch("u.rft")).ops, 3 * 257 + 1);
    p.usemem.word = 0;
    refused("usemem", &p);
    p.usemem.word = 1;
    p.usemem.tasks = 0;
    refused("usemem", &p);
    p.usemem.tasks = 1;
    p.usemem.bytes = 100;
    refused("usemem", &p);
}

/* ---- kbuild-lite ---- */

/* One job of 100 pages and 100 ms, whose sub-make has 10 pages. */
static struct gen_params one_job(void) {
    struct gen_params p;

    gen_params_init(&p);
    p.kbuild = (struct gen_kbuild){.jobs = 1,
                                   .parallel = 1,
                                   .rss = 409600,
                                   .rss_cap = 409600,
                                   .rss_sigma = 0,
                                   .skew = 0.9,
                                   .sweeps = 5,
                                   .cpu_ns = 100000000,
                                   .think_ns = 10000,
                                   .long_lived = 40960};
    return p;
}

/* The memory grows for 40 ms; then there is an access every 10 us for 60 ms. A thousandth of those
 * 6100 accesses is the sub-make's. */
static void one_job_counts(void **state) {
    const struct gen_params p = one_job();
    (void)state;
    generate("kbuild-lite", &p, in_scratch("k.rft"));
    struct trace_info i = info_of(in_scratch("k.rft"));
    assert_int_equal(i.ops, 10 + 100 + 6000 + 6);
    assert_int_equal(i.processes, 3);
    assert_int_equal(i.footprint_pages, 10 + 100);
    assert_int_equal(i.pacing, TRACE_PACE_NS);
    assert_int_equal(pace_of(in_scratch("k.rft")), 100000000 + 6 * 10000);
    /* 110 first stores and 55 % of the others; 6 standard deviations are 231 */
    assert_true(fabs((double)i.writes - 110 - 0.55 * 6006) < 232);
}

static void one_job_events(void **state) {
    const struct gen_params p = one_job();
    const char *start = "process 0 -1 make\nprocess 1 0 make\n"
                        "mmap 1 vma 0 ids 0+10 vpn 7f0000000 flags 5\nswitch 1\n"
                        "W 0\nW 1\nW 2\nW 3\nW 4\nW 5\nW 6\nW 7\nW 8\nW 9\n"
                        "process 2 1 cc1\n"
                        "mmap 2 vma 1 ids 512+10 vpn 7f0000000 flags 5\n"
                        "fork 2 of 1 ids 512 from 0\nexec 2\n";
    char *text;
    (void)state;
    generate("kbuild-lite", &p, in_scratch("k.rft"));
    text = trace_text(in_scratch("k.rft"));
    assert_int_equal(strncmp(text, start, strlen(start)), 0);
    assert_non_null(strstr(text, "exec 2\nmmap 2 vma 2 ids 1024+100 vpn 7f0000000 flags 5\n"));
    assert_non_null(strstr(text, "exit 2\nwait 1 for 2\nswitch 1\n"));
    assert_non_null(strstr(text, "exit 1\nwait 0 for 1\nexit 0\n"));
    free(text);
}

/* The newest fifth gets 70 % of the accesses, its part of the sweeps, and what Zipf's law gives. */
static void one_job_locality(void **state) {
    struct gen_params p = one_job();
    uint32_t rank[100];
    double zipf = 0, all = 0, share;
    uint64_t newest = 0;
    struct trace_reader *r;
    struct trace_block b;
    (void)state;
    p.kbuild.think_ns = 1000;
    generate("kbuild-lite", &p, in_scratch("k.rft"));
    assert_int_equal(zipf_permutation(100, rank, &err), 0);
    for (int i = 0; i < 100; i++) {
        all += pow(i + 1, -0.9);
        zipf += rank[i] >= 80 ? pow(i + 1, -0.9) : 0;
    }
    share = 0.70 + 0.05 * 0.2 + 0.25 * zipf / all;
    assert_int_equal(trace_open(in_scratch("k.rft"), &r, &err), 0);
    while (trace_next(r, &b, &err) > 0)
        for (size_t i = 0; i < b.nops; i++)
            newest += !(b.ops[i] & OP_EVENT) && (b.ops[i] & TRACE_ID_MASK) >= 1024 + 80;
    trace_close(r);
    /* 60000 accesses, and 20 of the growth; 6 standard deviations are at most 735 */
    assert_true(fabs((double)newest - 20 - 60000 * share) < 735);
}

/* 100 jobs of lognormal size: their mean is the median times exp(sigma^2 / 2); 6 standard errors
 * are 6 * 0.533 / 10 of it. */
static void many_jobs(void **state) {
    struct gen_params p = one_job();
    uint64_t pages = 0;
    struct trace_reader *r;
    struct trace_block b;
    (void)state;
    p.kbuild.jobs = 100;
    p.kbuild.parallel = 7;
    p.kbuild.rss_sigma = 0.5;
    p.kbuild.rss_cap *= 100;
    p.kbuild.cpu_ns = 10000000;
    p.kbuild.link = 2048000;
    generate("kbuild-lite", &p, in_scratch("k.rft"));
    assert_int_equal(info_of(in_scratch("k.rft")).processes, 1 + 7 + 100 + 1);
    assert_int_equal(trace_open(in_scratch("k.rft"), &r, &err), 0);
    while (trace_next(r, &b, &err) > 0)
        for (size_t i = 0; i < b.nevents; i++)
            pages += b.events[i].kind == TEV_MMAP ? b.events[i].n : 0;
    trace_close(r);
    /* 10 pages of the sub-makes, copied by the forks (one page or two each); the linker's 500 */
    double jobs = ((double)pages - 10 - 500 - 101 * 10.0 / 7) / 100;
    assert_true(fabs(jobs - 100 * exp(0.125)) < 36.3 + 1);

    const struct trace_info a = info_of(in_scratch("k.rft"));
    generate("kbuild-lite", &p, in_scratch("l.rft"));
    assert_int_equal(info_of(in_scratch("l.rft")).digest, a.digest);
    p.seed = 2;
    generate("kbuild-lite", &p, in_scratch("l.rft"));
    assert_int_not_equal(info_of(in_scratch("l.rft")).digest, a.digest);
}

static void kbuild_refuses(void **state) {
    struct gen_params p = one_job();
    (void)state;
    p.kbuild.parallel = 0;
    refused("kbuild-lite", &p);
    p = one_job();
    p.kbuild.rss_sigma = (double)NAN;
    refused("kbuild-lite", &p);
    p = one_job();
    p.kbuild.rss_cap--;
    refused("kbuild-lite", &p);
    p = one_job();
    p.kbuild.think_ns = 0;
    refused("kbuild-lite", &p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usemem),         cmocka_unit_test(one_job_counts),
        cmocka_unit_test(one_job_events), cmocka_unit_test(one_job_locality),
        cmocka_unit_test(many_jobs),      cmocka_unit_test(kbuild_refuses),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
