/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, limits and names of what is judged; expected values are worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include "config/settings.h"
#include "validate/validate.h"

#define NEAR 1e-12

static bool near(double a, double b) {
    return a - b < NEAR && b - a < NEAR;
}

static void test_error(void **state) {
    const struct band b = {90, 100, 120}, small = {0, 1, 2}, none = {0};

    (void)state;
    assert_true(near(band_error(&b, 90), 0));
    assert_true(near(band_error(&b, 120), 0));
    assert_true(near(band_error(&b, 85), 0.05));
    assert_true(near(band_error(&b, 130), 0.10));
    /* Below 50 the distance counts in fiftieths. */
    assert_true(near(band_error(&small, 7), 0.1));
    assert_true(near(band_error(&none, 25), 0.5));
    assert_true(near(band_spread(&b), 0.3));
    assert_true(near(band_spread(&small), 0.04));
}

static void test_states(void **state) {
    struct case_result c = {0};
    const struct band zero = {0}, exact = {100, 100, 100}, noisy = {80, 100, 101};

    (void)state;
    assert_int_equal(case_add_row(&c, "a", &zero, 0, ROW_JUDGED, true), RF_OK);
    assert_int_equal(case_add_row(&c, "b", &zero, 1, ROW_JUDGED, true), RF_OK);
    assert_int_equal(case_add_row(&c, "c", &exact, 101, ROW_JUDGED, false), RF_OK);
    assert_int_equal(case_add_row(&c, "d", &noisy, 500, ROW_JUDGED, true), RF_OK);
    assert_int_equal(case_add_row(&c, "e", &exact, 500, ROW_SHOWN, true), RF_OK);
    assert_int_equal(c.rows[0].state, ROW_EMPTY);
    assert_int_equal(c.rows[1].state, ROW_JUDGED);
    assert_true(c.rows[1].bounded);
    assert_int_equal(c.rows[2].state, ROW_JUDGED);
    assert_false(c.rows[2].bounded);
    assert_int_equal(c.rows[3].state, ROW_NOISY);
    assert_false(c.rows[3].bounded);
    assert_int_equal(c.rows[4].state, ROW_SHOWN);
    free(c.rows);
}

static void test_summary(void **state) {
    const struct golden g = {.name = "disk_x"};
    struct case_result c = {.golden = &g};
    const struct case_result *one = &c;
    const struct band b = {1000, 1000, 1000};
    struct error_summary s;

    (void)state;
    /* Errors of 0.1 % to 1.0 %. */
    for (int i = 1; i <= 10; i++) {
        char name[16];

        snprintf(name, sizeof(name), "c%d", i);
        assert_int_equal(case_add_row(&c, name, &b, 1000 + i, ROW_JUDGED, i <= 3), RF_OK);
    }
    error_summarize(&one, 1, false, &s);
    assert_int_equal(s.n, 10);
    assert_true(near(s.median, 0.005));
    assert_true(near(s.p90, 0.009));
    assert_true(near(s.worst, 0.010));
    assert_string_equal(s.worst_at, "disk_x c10");
    error_summarize(&one, 1, true, &s);
    assert_int_equal(s.n, 3);
    assert_true(near(s.worst, 0.003));
    free(c.rows);
}

static void test_limits(void **state) {
    struct validate_opts o = {.max_median = -1, .max_p90 = -1, .max_worst = -1};
    struct validate_limits l = validate_limits(&o, "6.1", false);

    (void)state;
    assert_true(near(l.median, 0.005) && near(l.p90, 0.05) && near(l.worst, 0.15));
    l = validate_limits(&o, "6.12", false);
    assert_true(near(l.median, 0.01) && near(l.p90, 0.08) && near(l.worst, 0.15));
    o.kernel_sizes = true;
    l = validate_limits(&o, "6.12", true);
    assert_true(near(l.median, 0) && near(l.p90, 0) && near(l.worst, 0));
    o.max_p90 = 0.5;
    l = validate_limits(&o, "6.12", false);
    assert_true(near(l.median, 0.01) && near(l.p90, 0.5) && near(l.worst, 0.15));
}

static void test_median(void **state) {
    int64_t odd[] = {7, -1, 3}, even[] = {4, 9, 1, 6}, one[] = {5};

    (void)state;
    assert_int_equal(lower_median(odd, 3), 3);
    assert_int_equal(odd[0], -1);
    assert_int_equal(odd[2], 7);
    assert_int_equal(lower_median(even, 4), 4);
    assert_int_equal(lower_median(one, 1), 5);
}

static void test_names(void **state) {
    char algorithm[16];

    (void)state;
    assert_int_equal(golden_kind_length("zr_sizes_lz4"), 2);
    assert_true(golden_has_word("zswap_zipf_tiny_nowb", "nowb"));
    assert_true(golden_has_word("zswap_zipf_tiny_nowb", "zswap"));
    assert_false(golden_has_word("zswap_zipf_tiny_nowb", "no"));
    assert_int_equal(golden_word_number("zswap_zipf_m25", "m"), 25);
    assert_int_equal(golden_word_number("zswap_zipf_tiny_acc100", "acc"), 100);
    assert_int_equal(golden_word_number("zswap_mix", "m"), -1);
    golden_bracketed("lzo [lzo-rle] lz4", algorithm, sizeof(algorithm));
    assert_string_equal(algorithm, "lzo-rle");
    golden_bracketed("none", algorithm, sizeof(algorithm));
    assert_string_equal(algorithm, "");
}

/* profiles/emulated-guest.ini gives replay what validate charges. */
static void test_guest_profile(void **state) {
    struct machine_config ours, file;
    struct knob_table knobs;
    struct settings s;
    struct rf_err err = {0};
    size_t nr;
    const struct cost_field *fields = cost_fields(&nr);

    (void)state;
    assert_int_equal(machine_config_init(&ours, "6.12", &err), RF_OK);
    guest_costs(&ours);
    assert_int_equal(knob_table_init(&knobs, &err), RF_OK);
    assert_int_equal(settings_init(&s, &knobs, &err), RF_OK);
    if (settings_set_profile(&s, REFAULT_SOURCE_DIR "/profiles/emulated-guest.ini", &err) != RF_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(settings_resolve(&s, NULL, 0, NULL, &file, &err), RF_OK);
    for (size_t i = 0; i < nr; i++) {
        size_t size = fields[i].u32 ? sizeof(uint32_t) : sizeof(uint64_t);

        if (memcmp((char *)&ours.cost + fields[i].offset, (char *)&file.cost + fields[i].offset,
                   size) != 0)
            fail_msg("%s differs", fields[i].name);
    }
    settings_free(&s);
    knob_table_free(&knobs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error),         cmocka_unit_test(test_states),
        cmocka_unit_test(test_summary),       cmocka_unit_test(test_limits),
        cmocka_unit_test(test_median),        cmocka_unit_test(test_names),
        cmocka_unit_test(test_guest_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
