/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic workloads: Zipf's law, the permutation, and that parameters determine the bytes. */
#include <math.h>
#include "trace_util.h"
#include "gen/workload.h"
#include "gen/zipf.h"
#include "trace/reader.h"

static struct rf_err err;

static void permutation(void **state) {
    (void)state;
    enum { N = 1000 };
    uint32_t page[N];
    bool seen[N] = {false};
    assert_int_equal(zipf_permutation(N, page, &err), 0);
    for (int i = 0; i < N; i++) {
        assert_true(page[i] < N && !seen[page[i]]);
        seen[page[i]] = true;
    }
}

/* What the table gives each page, summed exactly, against 1 / i^theta over the sum of all. */
static void probabilities(void **state) {
    (void)state;
    enum { N = 1000 };
    static const double thetas[] = {0.0, 0.5, 0.9, 0.99, 1.0, 2.0};
    uint32_t page[N];
    assert_int_equal(zipf_permutation(N, page, &err), 0);
    for (size_t t = 0; t < sizeof(thetas) / sizeof(thetas[0]); t++) {
        struct zipf z;
        double got[N] = {0}, sum = 0;
        assert_int_equal(zipf_init(&z, N, thetas[t], &err), 0);
        for (int i = 0; i < N; i++) {
            double p = z.slots[i].threshold / 4294967296.0;
            got[z.slots[i].page] += p;
            got[z.slots[i].alias] += 1 - p;
        }
        for (int i = 0; i < N; i++)
            sum += pow(i + 1, -thetas[t]);
        for (int i = 0; i < N; i++)
            assert_true(fabs(got[page[i]] / N - pow(i + 1, -thetas[t]) / sum) < 1e-8);
        zipf_free(&z);
    }
}

/* Draws follow the table: the hottest page of 100 with theta 1 is drawn 1 / H(100) = 19.28 % of
 * the time; 6 standard deviations of 10^6 draws are 0.24 %. */
static void draws(void **state) {
    (void)state;
    struct zipf z;
    struct rf_rng rng;
    uint32_t page[100], hits = 0;
    assert_int_equal(zipf_permutation(100, page, &err), 0);
    assert_int_equal(zipf_init(&z, 100, 1.0, &err), 0);
    rf_rng_seed(&rng, 5);
    for (int i = 0; i < 1000000; i++) {
        uint32_t p = zipf_next(&z, &rng);
        assert_true(p < 100);
        hits += p == page[0];
    }
    assert_true(abs((int)hits - 192776) < 2400);
    zipf_free(&z);
    assert_int_equal(zipf_init(&z, 0, 1.0, &err), RF_EUSAGE);
    assert_int_equal(zipf_init(&z, 10, -1.0, &err), RF_EUSAGE);
    assert_int_equal(zipf_init(&z, 1, 3.0, &err), 0);
    assert_int_equal(zipf_next(&z, &rng), 0);
    zipf_free(&z);
}

static void generate(const char *name, const struct gen_params *p, const char *path) {
    if (gen_write(gen_find(name), p, path, &err))
        fail_msg("%s", err.msg);
}

static void scan(void **state) {
    (void)state;
    struct gen_params p = {.pages = 3, .ops = 5, .writes_permille = 0, .fill = true};
    generate("scan", &p, in_scratch("scan.rft"));
    assert_trace(in_scratch("scan.rft"), "process 0 -1 scan\n"
                                         "mmap 0 vma 0 ids 0+3 vpn 7f0000000 flags 15\n"
                                         "switch 0\n"
                                         "W 0\nW 1\nW 2\n"
                                         "R 0\nR 1\nR 2\nR 0\nR 1\n");
    struct trace_info i = info_of(in_scratch("scan.rft"));
    assert_true(i.implicit_content);
    assert_string_equal(i.content_spec, "hist:mean=1650");
}

static void deterministic(void **state) {
    (void)state;
    struct gen_params p = {
        .pages = 5000, .ops = 100000, .theta = 0.9, .writes_permille = 250, .seed = 7};
    generate("zipf", &p, in_scratch("a.rft"));
    generate("zipf", &p, in_scratch("b.rft"));
    struct trace_info a = info_of(in_scratch("a.rft")), b = info_of(in_scratch("b.rft"));
    assert_int_equal(a.digest, b.digest);
    assert_int_equal(a.ops, 100000);
    /* a quarter of 100000, within 6 standard deviations (137 each) */
    assert_true(a.writes > 24178 && a.writes < 25822);
    p.seed = 8;
    generate("zipf", &p, in_scratch("b.rft"));
    assert_int_not_equal(a.digest, info_of(in_scratch("b.rft")).digest);
    struct trace_reader *r;
    assert_int_equal(trace_open(in_scratch("a.rft"), &r, &err), 0);
    assert_int_equal(trace_verify(r, &err), 0);
    trace_close(r);
    p.pages = 0;
    assert_int_equal(gen_write(gen_find("zipf"), &p, in_scratch("c.rft"), &err), RF_EUSAGE);
    assert_null(gen_find("nothing"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutation), cmocka_unit_test(probabilities), cmocka_unit_test(draws),
        cmocka_unit_test(scan),        cmocka_unit_test(deterministic),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
