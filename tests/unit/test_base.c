/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "refault/base.h"

static void fail_keeps_code_and_message(void **state) {
    struct rf_err err = {0};

    (void)state;
    assert_int_equal(rf_fail(&err, RF_EINPUT, "a.rft:%d: found %s", 7, "x"), RF_EINPUT);
    assert_int_equal(err.code, RF_EINPUT);
    assert_string_equal(err.msg, "a.rft:7: found x");
    assert_int_equal(rf_fail_prefix(&err, "import %s", "lackey"), RF_EINPUT);
    assert_string_equal(err.msg, "import lackey: a.rft:7: found x");
    assert_int_equal(rf_fail(NULL, RF_EIO, "nobody listens"), RF_EIO);
}

static void long_messages_are_cut(void **state) {
    struct rf_err err = {0};
    char big[2000];

    (void)state;
    memset(big, 'm', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    (void)rf_fail(&err, RF_EIO, "%s", big);
    assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
    /* 509 bytes of prefix leave 2 of the 511 for the separator and none for the message. */
    for (size_t len = sizeof(err.msg) - 4; len < sizeof(err.msg) + 2; len++) {
        (void)rf_fail(&err, RF_EIO, "tail");
        (void)rf_fail_prefix(&err, "%.*s", (int)len, big);
        assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
    }
}

static void check_quote(const char *text, const char *shown) {
    char buf[128];

    rf_quote(buf, sizeof(buf), text);
    assert_string_equal(buf, shown);
}

/* Well-formed sequences are those of table 3-7 of the Unicode Standard. */
static void quoted_text_is_printable(void **state) {
    struct rf_err err = {0};
    char small[8];

    (void)state;
    check_quote("a b~\\\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
                "a b~\\\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    check_quote("\x01\n\t\x1b[2J\x7f", "\\x01\\x0a\\x09\\x1b[2J\\x7f");
    check_quote("\xc2\x80\xc2\x9f\xc2\xa0", "\\xc2\\x80\\xc2\\x9f\xc2\xa0"); /* C1 controls */
    check_quote("\xc0\xaf\xe0\x9f\xbf", "\\xc0\\xaf\\xe0\\x9f\\xbf");        /* overlong */
    check_quote("\xed\xa0\x80\xf4\x90\x80\x80", /* a surrogate; beyond U+10FFFF */
                "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80");
    check_quote("\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa7", /* U+2028, 202E, 2066; 2027 */
                "\\xe2\\x80\\xa8\\xe2\\x80\\xae\\xe2\\x81\\xa6\xe2\x80\xa7");
    check_quote("\xe2\x82", "\\xe2\\x82"); /* cut off */
    /* What does not fit whole is left out. */
    rf_quote(small, sizeof(small), "ab\x1b\x1b");
    assert_string_equal(small, "ab\\x1b");
    rf_quote(small, sizeof(small), "abcdef\xc3\xa9");
    assert_string_equal(small, "abcdef");
    (void)rf_fail(&err, RF_EINPUT, "found '%s'", "\x1b[2J");
    (void)rf_fail_prefix(&err, "a\nb");
    assert_string_equal(err.msg, "a\\x0ab: found '\\x1b[2J'");
}

static void exit_statuses(void **state) {
    (void)state;
    assert_int_equal(rf_exit_status(RF_OK), 0);
    assert_int_equal(rf_exit_status(RF_ECHECK), 1);
    assert_int_equal(rf_exit_status(RF_EUSAGE), 2);
    assert_int_equal(rf_exit_status(RF_EINPUT), 2);
    assert_int_equal(rf_exit_status(RF_EIO), 3);
    assert_int_equal(rf_exit_status(RF_ENOMEM), 3);
    assert_int_equal(rf_exit_status(RF_ELIMIT), 3);
}

static void varr_is_zero_and_writable(void **state) {
    struct rf_varr v;
    struct rf_err err = {0};
    uint32_t *a;

    (void)state;
    assert_int_equal(rf_varr_init(&v, 40u << 20, sizeof(*a), &err), RF_OK);
    assert_int_equal(v.bytes, (size_t)160 << 20);
    rf_varr_hint_dense(&v);
    a = v.base;
    assert_int_equal(a[0], 0);
    assert_int_equal(a[(40u << 20) - 1], 0);
    a[(40u << 20) - 1] = 5;
    assert_int_equal(a[(40u << 20) - 1], 5);
    rf_varr_free(&v);
    assert_null(v.base);
    rf_varr_free(&v);

    assert_int_equal(rf_varr_init(&v, 0, 8, &err), RF_OK);
    assert_int_equal(v.bytes, RF_PAGE_SIZE);
    rf_varr_free(&v);
    assert_int_equal(rf_varr_init(&v, SIZE_MAX / 2, 16, &err), RF_ELIMIT);
    assert_null(v.base);
    assert_int_equal(rf_varr_init(&v, SIZE_MAX / 16, 8, &err), RF_ENOMEM);
    assert_int_equal(err.code, RF_ENOMEM);
}

/* What was given back may be handed out again: it has to be zero again, from the heap as well as
 * from a mapping (the sizes are below, at and above the limit between the two). */
static void varr_is_zero_when_made_again(void **state) {
    static const size_t sizes[] = {RF_PAGE_SIZE, (size_t)1 << 20, ((size_t)1 << 20) + RF_PAGE_SIZE};
    struct rf_err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (int round = 0; round < 4; round++) {
            struct rf_varr v;
            size_t set = 0;

            assert_int_equal(rf_varr_init(&v, sizes[i], 1, &err), RF_OK);
            assert_true(v.bytes >= sizes[i]);
            assert_int_equal((uintptr_t)v.base % RF_PAGE_SIZE, 0);
            for (size_t b = 0; b < sizes[i]; b++)
                set += ((const uint8_t *)v.base)[b] != 0;
            assert_int_equal(set, 0);
            memset(v.base, 0xa5, sizes[i]);
            rf_varr_free(&v);
        }
    }
}

/* splitmix64 from seed 0 begins e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f,
 * f88bb8a8724c81ec (the known answers of the reference implementation). The first output of
 * xoshiro256** from there follows by hand from s[1]: rotl(s[1] * 5, 7) * 9. */
static void rng_known_answers(void **state) {
    struct rf_rng r;
    uint64_t x;

    (void)state;
    rf_rng_seed(&r, 0);
    assert_int_equal(r.s[0], 0xe220a8397b1dcdafu);
    assert_int_equal(r.s[1], 0x6e789e6aa1b965f4u);
    assert_int_equal(r.s[2], 0x06c45d188009454fu);
    assert_int_equal(r.s[3], 0xf88bb8a8724c81ecu);
    x = 0x6e789e6aa1b965f4u * 5;
    x = (x << 7 | x >> 57) * 9;
    assert_int_equal(rf_rng_next(&r), x);

    /* State {1,2,3,4}: the reference implementation prints 11520, 0, 1509978240,
     * 1215971899390074240. */
    r = (struct rf_rng){{1, 2, 3, 4}};
    assert_int_equal(rf_rng_next(&r), 11520);
    assert_int_equal(rf_rng_next(&r), 0);
    assert_int_equal(rf_rng_next(&r), 1509978240);
    assert_int_equal(rf_rng_next(&r), 1215971899390074240);
}

static void rng_below_is_uniform(void **state) {
    struct rf_rng r;
    unsigned n[6] = {0};

    (void)state;
    rf_rng_seed(&r, 42);
    for (int i = 0; i < 60000; i++)
        n[rf_rng_below(&r, 6)]++;
    /* Standard deviation of a bucket is 91; five of them on either side. */
    for (int i = 0; i < 6; i++)
        assert_in_range(n[i], 10000 - 456, 10000 + 456);
    for (int i = 0; i < 1000; i++) {
        double u = rf_rng_unit(&r);

        assert_true(u >= 0.0 && u < 1.0);
        assert_true(rf_rng_below(&r, 1) == 0);
        assert_true(rf_rng_below(&r, (1ull << 63) + 1) <= 1ull << 63);
    }
}

static void hist_buckets(void **state) {
    struct rf_hist *h = calloc(1, sizeof(*h));
    struct rf_hist *g = calloc(1, sizeof(*g));

    (void)state;
    assert_non_null(h);
    assert_non_null(g);
    assert_int_equal(rf_hist_quantile(h, 0.5), 0);
    for (uint64_t v = 1; v <= 10; v++)
        rf_hist_add(h, v);
    assert_int_equal(rf_hist_quantile(h, 0.5), 5);
    assert_int_equal(rf_hist_quantile(h, 0.9), 9);
    assert_int_equal(rf_hist_quantile(h, 1.0), 10);
    assert_int_equal(h->sum, 55);
    /* 1000 lies in [992, 1023]: 512 is cut in steps of 32, 992 = 512 + 15 * 32. */
    rf_hist_add(g, 1000);
    rf_hist_add(g, 5000);
    assert_int_equal(g->bucket[(9 - 3) * 16 + 15], 1);
    assert_int_equal(rf_hist_quantile(g, 0.5), 1023);
    assert_int_equal(rf_hist_quantile(g, 1.0), 5000);
    rf_hist_add(g, UINT64_MAX);
    assert_int_equal(g->bucket[RF_HIST_BUCKETS - 1], 1);
    assert_int_equal(rf_hist_quantile(g, 1.0), UINT64_MAX);
    rf_hist_merge(h, g);
    assert_int_equal(h->n, 13);
    assert_int_equal(h->max, UINT64_MAX);
    free(h);
    free(g);
}

static void le_round_trip(void **state) {
    uint8_t b[8];

    (void)state;
    rf_store_le64(b, 0x0102030405060708u);
    assert_int_equal(b[0], 8);
    assert_int_equal(b[7], 1);
    assert_int_equal(rf_load_le64(b), 0x0102030405060708u);
    assert_int_equal(rf_load_le32(b), 0x05060708u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_keeps_code_and_message),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(quoted_text_is_printable),
        cmocka_unit_test(exit_statuses),
        cmocka_unit_test(varr_is_zero_and_writable),
        cmocka_unit_test(varr_is_zero_when_made_again),
        cmocka_unit_test(rng_known_answers),
        cmocka_unit_test(rng_below_is_uniform),
        cmocka_unit_test(hist_buckets),
        cmocka_unit_test(le_round_trip),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
