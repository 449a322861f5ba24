/* SPDX-License-Identifier: Apache-2.0 */
/* repro: how criteria are judged, and the experiments that run in a moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "refault/config.h"
#include "gen/workload.h"
#include "repro/matrix.h"
#include "repro/repro.h"

/* ---- judging ---- */

static void test_judge(void **state) {
    struct repro *r = calloc(1, sizeof(*r));
    (void)state;
    assert_non_null(r);
    assert_false(repro_passed(r)); /* nothing was judged */
    repro_beside(r, "X.0", "no criterion", 3, 1.5, 2.5, 1);
    assert_false(repro_passed(r));
    r->nr = 0;
    repro_judge(r, "X.1", "both ends belong to the range", 1.5, 1.5, 2.5, 1);
    repro_judge(r, "X.2", "", 2.5, 1.5, 2.5, 1);
    repro_exact(r, "X.3", "", 7, 7);
    assert_true(repro_passed(r));
    repro_beside(r, "X.0", "no criterion", 3, 1.5, 2.5, 1);
    assert_false(r->criteria[3].pass);
    assert_true(repro_passed(r));
    r->nr = 3;
    repro_judge(r, "X.4", "", 2.51, 1.5, 2.5, 2);
    repro_judge(r, "X.5", "", 1.49, 1.5, 2.5, 2);
    repro_exact(r, "X.6", "", 8, 7);
    repro_judge(r, "X.7", "no number", (double)NAN, 0, 1, 2);
    for (size_t i = 0; i < r->nr; i++)
        assert_int_equal(r->criteria[i].pass, i < 3);
    assert_false(repro_passed(r));
    assert_int_equal(r->err.code, 0);
    while (r->nr < REPRO_MAX_CRITERIA)
        repro_exact(r, "X.8", "", 1, 1);
    repro_exact(r, "X.9", "", 1, 1);
    assert_int_equal(r->err.code, RF_ELIMIT);
    assert_non_null(strstr(r->err.msg, "X.9"));
    free(r);
}

static void one_fails(struct repro *r) {
    repro_exact(r, "X.1", "good", 1, 1);
    repro_judge(r, "X.2", "bad", 0.5, 1, 2, 2);
    repro_judge(r, "X.3", "no number", (double)NAN, 1, 2, 2);
    repro_beside(r, "X.4", "near", 1.5, 1, 2, 2);
    repro_beside(r, "X.5", "far", 2.5, 1, 2, 2);
    repro_add_run(r, json_pack("{ss}", "name", "only"));
}

static void gives_up(struct repro *r) {
    repro_exact(r, "X.1", "good", 1, 1);
    repro_add_run(r, NULL);
}

static void test_run_and_json(void **state) {
    const struct repro_ops ops = {.name = "x", .summary = "s", .source = "m", .run = one_fails};
    const struct repro_ops broken = {.name = "y", .summary = "s", .source = "m", .run = gives_up};
    struct repro *r = calloc(1, sizeof(*r));
    struct rf_err err = {0, ""};
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    const struct repro_options some = {.out = f, .seeds = 3, .scale = 0.5};
    const struct repro_options one = {.seeds = 1, .scale = 1};
    (void)state;
    assert_non_null(r);
    assert_non_null(f);
    assert_int_equal(repro_run(r, &ops, &some, &err), RF_OK);
    assert_int_equal(fclose(f), 0);
    /* It draws no random numbers and does not scale. */
    assert_int_equal(r->seeds, 1);
    assert_true(r->scale >= 1);
    assert_false(repro_passed(r));
    assert_non_null(strstr(text, " 1.00..2.00  FAIL"));
    assert_non_null(strstr(text, "pass  good\n"));
    assert_non_null(strstr(text, "FAIL  bad\n"));
    /* What is not judged comes after the criteria, and is not one of them. */
    const char *beside = strstr(text, "1 of 3 criteria hold\n\nbeside the claim");
    assert_non_null(beside);
    assert_non_null(strstr(beside, " 1.00..2.00  met  near\n"));
    assert_non_null(strstr(beside, " 1.00..2.00  not met  far\n"));
    assert_null(strstr(beside, "FAIL"));
    free(text);

    json_t *j = repro_json(r, &ops);
    assert_non_null(j);
    const json_t *c = json_object_get(j, "criteria");
    assert_string_equal(json_string_value(json_object_get(j, "name")), "x");
    assert_true(json_is_false(json_object_get(j, "pass")));
    assert_int_equal(json_array_size(json_object_get(j, "runs")), 1);
    assert_int_equal(json_array_size(c), 5);
    for (size_t i = 0; i < 5; i++) {
        const json_t *judged = json_object_get(json_array_get(c, i), "judged");

        assert_true(i < 3 ? json_is_true(judged) : json_is_false(judged));
    }
    assert_int_equal(json_integer_value(json_object_get(json_array_get(c, 0), "value")), 1);
    assert_true(json_is_true(json_object_get(json_array_get(c, 0), "pass")));
    assert_true(json_is_real(json_object_get(json_array_get(c, 1), "value")));
    assert_true(json_is_false(json_object_get(json_array_get(c, 1), "pass")));
    assert_null(json_object_get(json_array_get(c, 2), "value"));
    json_decref(j);
    repro_free(r);

    assert_int_equal(repro_run(r, &broken, &one, &err), RF_ENOMEM);
    repro_free(r);
    free(r);
}

/* By hand: the range 1 to 2 widened by half is 0.75 to 2.25; at least 3 becomes at least 2 for one
 * run, and at most 0.3 becomes 0.45. */
static void test_judge_runs(void **state) {
    static const struct {
        double v[3], low, high;
        bool pass;
    } cases[] = {
        {{0.75, 1.5, 2.25}, 1, 2, true},
        {{0.74, 1.5, 2.25}, 1, 2, false},
        {{0.9, 0.9, 0.9}, 1, 2, false},
        {{2, 4, 4}, 3, (double)INFINITY, true},
        {{1.9, 4, 4}, 3, (double)INFINITY, false},
        {{2.5, 3, 3}, 3, (double)INFINITY, false},
        {{0.44, 0, 0.1}, -(double)INFINITY, 0.3, true},
        {{0.46, 0, 0.1}, -(double)INFINITY, 0.3, false},
        {{-1, -2, -3}, -(double)INFINITY, 0, true},
        {{1, -2, -3}, -(double)INFINITY, 0, false},
    };
    struct repro *r = calloc(1, sizeof(*r));
    (void)state;
    assert_non_null(r);
    r->seeds = 3;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        repro_judge_runs(r, "X", "", cases[i].v, cases[i].low, cases[i].high, 2);
        if (r->criteria[i].pass != cases[i].pass)
            fail_msg("case %zu", i);
    }
    free(r);
}

/* ---- configurations side by side ---- */

static int write_scan(void *ctx, unsigned which, uint64_t seed, const char *path,
                      struct rf_err *err) {
    const struct gen_params p = {.pages = 100 * (which + 1),
                                 .ops = 100 * (which + 1),
                                 .seed = seed,
                                 .writes_permille = 1000};
    (void)ctx;
    return gen_write(gen_find("scan"), &p, path, err);
}

static void test_matrix(void **state) {
    static const struct repro_config configs[] = {
        {.name = "small", .trace = 0, .set = "memory.max=max"},
        {.name = "large", .trace = 1, .set = " machine.ram=64M  swap.device=null"},
    };
    struct repro *r = calloc(1, sizeof(*r));
    (void)state;
    assert_non_null(r);
    for (unsigned threads = 0; threads <= 3; threads += 3) {
        struct repro_matrix m = {.configs = configs,
                                 .nr_configs = 2,
                                 .nr_traces = 2,
                                 .common = "kernel=6.1 machine.ram=32M",
                                 .write = write_scan};
        double ratio[REPRO_MAX_SEEDS];

        *r = (struct repro){.seeds = 2, .scale = 1, .runs = json_array()};
        r->pool = threads ? repro_pool_create(threads) : NULL;
        if (!repro_matrix_run(r, &m))
            fail_msg("%s", r->err.msg);
        assert_int_equal(json_array_size(r->runs), 4);
        /* every page is stored to once, which is one fault */
        assert_true(repro_value(&m, 0, 1, "vmstat.pgfault") == 100);
        assert_true(repro_mean(&m, 1, "vmstat.pgfault") == 200);
        assert_true(isnan(repro_value(&m, 0, 0, "vmstat.nothing")));
        repro_ratios(&m, 1, 0, "vmstat.pgfault", ratio);
        assert_true(ratio[0] == 2 && ratio[1] == 2);
        assert_string_equal(m.result[3].config.swap_device, "null");
        assert_string_equal(m.result[3].config.era.name, "6.1");
        assert_int_equal(m.result[3].config.seed, 2);
        assert_int_equal(m.result[3].config.ram.value, 64u << 20);
        repro_matrix_free(&m);
        repro_pool_free(r->pool);
        repro_free(r);
    }
    free(r);
}

/* The scan of 300 pages twice over; the second pass, of hits alone, counts. */
static int write_two_scans(void *ctx, unsigned which, uint64_t seed, const char *path,
                           struct rf_err *err) {
    const struct gen_params p = {.pages = 300, .ops = 600, .seed = seed, .writes_permille = 1000};
    (void)ctx;
    (void)which;
    return gen_write(gen_find("scan"), &p, path, err);
}

static uint64_t second_scan(void *ctx, unsigned which, uint64_t seed) {
    (void)ctx;
    assert_int_equal(which, 0);
    assert_in_range(seed, 1, 2);
    return 300;
}

static void look_at(void *ctx, size_t index, bool ended, const struct machine *m) {
    rf_time(*seen)[2] = ctx;
    seen[index][ended] = machine_process_now(m, 0);
    assert_int_equal(machine_page_state(m, 299), 1);
}

static void test_part_that_counts(void **state) {
    static const struct repro_config configs[] = {
        {.name = "one", .set = "machine.cpus=1"},
        {.name = "two", .set = "machine.cpus=2"},
    };
    rf_time seen[4][2] = {{0}};
    struct repro_matrix m = {.configs = configs,
                             .nr_configs = 2,
                             .nr_traces = 1,
                             .common = "machine.ram=32M cost.mm.access_ns=7ns",
                             .write = write_two_scans,
                             .count_from = second_scan,
                             .look = look_at,
                             .ctx = seen};
    struct repro *r = calloc(1, sizeof(*r));
    (void)state;
    assert_non_null(r);
    *r = (struct repro){.seeds = 2, .scale = 1, .runs = json_array()};
    if (!repro_matrix_run(r, &m))
        fail_msg("%s", r->err.msg);
    for (size_t c = 0; c < 2; c++) {
        assert_true(repro_value(&m, c, 1, "vmstat.pgfault") == 300);
        assert_true(repro_growth(&m, c, 1, "vmstat.pgfault") == 0);
        assert_true(repro_growth(&m, c, 0, "x.accesses") == 300);
        assert_true(repro_growth(&m, c, 0, "time.user_ns") == 300 * 7);
        assert_int_equal(seen[c * 2][1] - seen[c * 2][0], 300 * 7);
    }
    repro_matrix_free(&m);
    repro_free(r);
    free(r);
}

static void test_matrix_error(void **state) {
    static const struct repro_config configs[] = {{.name = "odd", .set = "memory.maxx=1"}};
    struct repro_matrix m = {
        .configs = configs, .nr_configs = 1, .nr_traces = 1, .write = write_scan};
    struct repro *r = calloc(1, sizeof(*r));
    (void)state;
    assert_non_null(r);
    *r = (struct repro){.seeds = 1, .scale = 1, .runs = json_array()};
    assert_false(repro_matrix_run(r, &m));
    assert_int_equal(r->err.code, RF_EUSAGE);
    assert_non_null(strstr(r->err.msg, "configuration odd, seed 1"));
    repro_matrix_free(&m);
    repro_free(r);
    free(r);
}

/* ---- the registry ---- */

static void test_registry(void **state) {
    (void)state;
    for (const struct repro_ops *const *e = repro_registry(); *e; e++) {
        assert_ptr_equal(repro_find((*e)->name), *e);
        assert_non_null((*e)->time);
        assert_non_null((*e)->run);
        assert_string_not_equal((*e)->name, "all");
    }
    assert_null(repro_find("seed"));
}

/* ---- seed-004 ---- */

/* Counts lines in which mail and model agree: each line of the mail is followed by the model's. */
static void count_pairs(char *text, size_t *equal, size_t *different) {
    const char *mail = NULL;
    *equal = *different = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "  mail    ", 10) == 0) {
            mail = line;
        } else if (strncmp(line, "  refault ", 10) == 0) {
            assert_non_null(mail);
            if (strcmp(mail + 10, line + 10) == 0)
                ++*equal;
            else
                ++*different;
            mail = NULL;
        }
    }
}

/*
 * A fiftieth of the experiment is too small for its speeds (the CPUs' stocks of charges are half of
 * the memory then); what the rules allow at all does not depend on the size.
 */
static void test_seed_003(void **state) {
    struct repro *r = calloc(1, sizeof(*r));
    struct repro_options o = {.seeds = 1, .scale = 0.02};
    struct rf_err err = {0, ""};
    unsigned safety = 0, fork = 0;
    (void)state;
    assert_non_null(r);
    if (repro_run(r, &repro_seed_003, &o, &err) != RF_OK)
        fail_msg("%s", err.msg);
    for (size_t i = 0; i < r->nr; i++) {
        const struct repro_criterion *c = &r->criteria[i];
        bool is_safety = strncmp(c->id, "S003.4", 6) == 0,
             is_fork = strncmp(c->id, "S003.6", 6) == 0;

        assert_true(isfinite(c->value));
        safety += is_safety;
        fork += is_fork;
        if ((is_safety || is_fork || strcmp(c->id, "S003.1.hit-unchanged") == 0 ||
             strncmp(c->id, "S003.2", 6) == 0) &&
            !c->pass)
            fail_msg("%s: %g", c->id, c->value);
    }
    assert_int_equal(safety, 6);
    assert_int_equal(fork, 11);
    repro_free(r);
    free(r);
}

static void test_seed_004(void **state) {
    const struct repro_ops *ops = repro_find("seed-004");
    struct repro *r = calloc(1, sizeof(*r));
    struct rf_err err = {0, ""};
    char *text = NULL;
    size_t len, equal, different;
    FILE *f = open_memstream(&text, &len);
    (void)state;
    assert_non_null(ops);
    assert_non_null(r);
    assert_non_null(f);
    if (repro_run(r, ops, &(struct repro_options){.out = f, .seeds = 1, .scale = 1}, &err) != 0)
        fail_msg("%s", err.msg);
    assert_int_equal(fclose(f), 0);
    for (size_t i = 0; i < r->nr; i++) {
        if (!r->criteria[i].pass)
            fail_msg("%s: %f", r->criteria[i].id, r->criteria[i].value);
        assert_memory_equal(r->criteria[i].id, "S004.", 5);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(r->criteria[k].id, r->criteria[i].id);
    }
    assert_true(repro_passed(r));
    /* Two runs of five rows and a Total row; the two mm_stat lines differ in compr_data_size. */
    count_pairs(text, &equal, &different);
    assert_int_equal(equal, 12);
    assert_int_equal(different, 2);
    free(text);

    /* The mail's figures once more, from what a script would read. */
    json_t *j = repro_json(r, ops);
    const json_t *runs = json_object_get(j, "runs");
    static const json_int_t mem_used[] = {199831552, 194248704};
    assert_int_equal(json_array_size(runs), 5);
    for (size_t i = 0; i < 2; i++) {
        const json_t *mm = json_object_get(json_array_get(runs, i), "mm_stat");
        assert_int_equal(json_integer_value(json_array_get(mm, 0)), 498978816);
        assert_int_equal(json_integer_value(json_array_get(mm, 2)), mem_used[i]);
    }
    json_decref(j);
    repro_free(r);
    free(r);
}

/* What "huge" means to `echo huge > writeback` follows the same cutoff: of the lengths 3072, 3073,
 * 3256 and 3257 three are huge by max_zpage_size, one is by zsmalloc's class (chains of 4). */
static void test_writeback_follows_cutoff(void **state) {
    static const uint16_t len[] = {3072, 3073, 3256, 3257};
    struct content_row rows[4] = {0};
    struct content_set *cs = NULL;
    struct rf_err err = {0, ""};
    (void)state;
    for (size_t i = 0; i < 4; i++)
        rows[i].size[CODEC_LZO] = len[i];
    assert_int_equal(content_from_rows(rows, 4, &cs, &err), 0);
    for (int by_class = 0; by_class < 2; by_class++) {
        struct zram_params p = {
            .policy = era_find("5.4")->zram,
            .zs = era_find("5.4")->zs,
            .name = "zram0",
            .disksize_pages = 16,
            .backing_pages = 16,
            .comp = {CODEC_LZO, NR_CODECS, NR_CODECS, NR_CODECS},
            .content = cs,
        };
        struct zram *z = NULL;
        struct zram_bd_stat bd;
        p.policy.huge_by_class_size = by_class;
        if (zram_create(&p, &z, &err) != 0)
            fail_msg("%s", err.msg);
        for (uint32_t i = 0; i < 4; i++)
            assert_true(zram_write(z, NULL, i, i + 1));
        assert_int_equal(zram_sysfs_write(z, NULL, "writeback", "huge"), 0);
        zram_bd_stat(z, &bd);
        assert_int_equal(bd.bd_count, by_class ? 1 : 3);
        zram_destroy(z);
    }
    content_free(cs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_judge_runs),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_matrix_error),
        cmocka_unit_test(test_run_and_json),
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_part_that_counts),
        cmocka_unit_test(test_seed_003),
        cmocka_unit_test(test_seed_004),
        cmocka_unit_test(test_writeback_follows_cutoff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
