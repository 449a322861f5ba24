/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic models: the grammar of docs/contents.md and what each kind gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "refault/content.h"

#define NR 20000u

static struct content_set *model(const char *spec, uint64_t seed) {
    struct content_set *cs = NULL;
    struct rf_err err = {0};
    if (content_synthetic(spec, seed, &cs, &err) != RF_OK)
        fail_msg("%s: %s", spec, err.msg);
    return cs;
}

static uint64_t sum(struct content_set *cs, enum codec_id codec) {
    uint64_t s = 0;
    for (uint32_t id = 1; id <= NR; id++)
        s += content_size(cs, id, codec);
    return s;
}

static void test_pure_function(void **state) {
    static const char spec[] = "mix:0.1*zero,0.5*uniform(700,1400),0.4*hist(2500)";
    struct content_set *a = model(spec, 1), *b = model(spec, 1), *c = model(spec, 2);
    size_t differ = 0;
    (void)state;
    assert_true(content_is_synthetic(a));
    assert_int_equal(content_count(a), 0);
    for (uint32_t id = NR; id-- > 0;) {
        assert_int_equal(content_size(a, id, CODEC_ZSTD), content_size(b, id, CODEC_ZSTD));
        differ += content_size(a, id, CODEC_LZ4) != content_size(c, id, CODEC_LZ4);
    }
    assert_true(differ > NR / 2);
    assert_true(content_digest(a) == content_digest(b));
    assert_true(content_digest(a) != content_digest(c));
    assert_int_equal(content_source(a, CODEC_LZ4), CONTENT_SYNTHETIC);
    content_free(a);
    content_free(b);
    content_free(c);
}

static void test_fills(void **state) {
    struct content_set *cs = model("zero", 1);
    uint64_t word = 1;
    (void)state;
    assert_true(content_is_zero(cs, 12345));
    assert_int_equal(content_size(cs, 12345, CODEC_842), 24); /* by hand in test_codec.c */
    content_free(cs);
    cs = model("const:0xdeadbeef", 1);
    assert_true(content_same_filled(cs, CONTENT_MAX, &word));
    assert_int_equal(word, 0xdeadbeef);
    assert_false(content_is_zero(cs, 1));
    assert_true(content_is_zero(cs, CONTENT_ZERO)); /* whatever the model */
    content_free(cs);
}

static void test_ranges(void **state) {
    struct content_set *cs = model("uniform(700,1400)", 1);
    uint32_t lo = UINT32_MAX, hi = 0;
    (void)state;
    for (uint32_t id = 1; id <= NR; id++) {
        uint32_t n = content_size(cs, id, CODEC_LZ4);
        lo = RF_MIN(lo, n);
        hi = RF_MAX(hi, n);
    }
    /* 701 lengths, 20,000 draws: each end is missed with a chance of 4e-13. */
    assert_int_equal(lo, 700);
    assert_int_equal(hi, 1400);
    /* Mean 1050, deviation 202: four standard errors of 20,000 draws are 5.7. */
    assert_in_range(sum(cs, CODEC_LZ4), 1044 * NR, 1056 * NR);
    assert_false(content_same_filled(cs, 1, NULL));
    content_free(cs);
    cs = model("uniform:lo=5,hi=5", 1);
    assert_int_equal(content_size(cs, 99, CODEC_LZ4), 5);
    content_free(cs);
    cs = model("fixed(4114)", 1);
    assert_int_equal(content_size(cs, 99, CODEC_LZ4), 4114);
    assert_in_range(content_size(cs, 99, CODEC_ZSTD), 4000, 4120);
    content_free(cs);
}

/* The mean is met for every value allowed, and the scale stays within what lz4 can give. */
static void test_histogram_mean(void **state) {
    static const uint32_t mean[] = {64, 500, 1650, 1763, 3000, 4000};
    (void)state;
    for (size_t i = 0; i < sizeof(mean) / sizeof(mean[0]); i++) {
        char spec[32];
        (void)snprintf(spec, sizeof(spec), "hist:mean=%u", mean[i]);
        struct content_set *cs = model(spec, 1);
        uint64_t got = sum(cs, CODEC_LZ4);
        /* Deviation at most 1,000: four standard errors are 28. */
        assert_in_range(got / NR, mean[i] - 28, mean[i] + 28);
        for (uint32_t id = 1; id <= NR; id++)
            assert_in_range(content_size(cs, id, CODEC_LZ4), 30, 4114);
        assert_true(sum(cs, CODEC_ZSTD) < got + 40 * NR);
        content_free(cs);
    }
}

/* Lengths of a page of increasing 64-bit numbers (lz4 2052 to 2057, depending on the first number)
 * and of pages that are random in part, measured with liblz4 1.9.4, liblzo2 2.10 and libzstd 1.5.4
 * on pages made independently of this code. */
static void test_real_kinds(void **state) {
    struct content_set *cs = model("usemem", 1);
    uint8_t page[RF_PAGE_SIZE];
    (void)state;
    for (uint32_t id = 1; id < 200; id++) {
        assert_in_range(content_size(cs, id, CODEC_LZ4), 2052, 2060);
        /* 1556 to 1562 by liblzo2, whose hash table is not the kernel's: 1 % either way. */
        assert_in_range(content_size(cs, id, CODEC_LZO), 1541, 1577);
        assert_in_range(content_size(cs, id, CODEC_ZSTD), 565, 760);
    }
    content_bytes(cs, 17, page);
    for (size_t i = 1; i < 512; i++)
        assert_true(rf_load_le64(page + 8 * i) == rf_load_le64(page + 8 * i - 8) + 1);
    content_free(cs);
    for (uint32_t k = 1; k <= 8; k++) {
        char spec[32];
        (void)snprintf(spec, sizeof(spec), "random-part:k=%u", k);
        cs = model(spec, 1);
        for (uint32_t id = 1; id < 50; id++) {
            uint32_t want = k < 8 ? 513 * k + 28 : 4114;
            assert_in_range(content_size(cs, id, CODEC_LZ4), want - 12, want + 12);
            want = k < 8 ? 513 * k + 20 : 4106;
            assert_in_range(content_size(cs, id, CODEC_ZSTD), want - 12, want + 12);
        }
        content_free(cs);
    }
}

static void test_mix_weights(void **state) {
    struct content_set *cs = model("mix:0.25*zero,.5*fixed(1000),0.25*fixed(2000)", 9);
    uint32_t n[3] = {0};
    (void)state;
    for (uint32_t id = 1; id <= NR; id++)
        n[content_is_zero(cs, id) ? 0 : content_size(cs, id, CODEC_LZ4) / 1000]++;
    /* Four standard errors of 20,000 draws: 1.2 % and 1.4 %. */
    assert_in_range(n[0], NR * 0.238, NR * 0.262);
    assert_in_range(n[1], NR * 0.486, NR * 0.514);
    assert_int_equal(n[0] + n[1] + n[2], NR);
    content_free(cs);
    cs = model("mix:usemem,1*usemem", 9);
    assert_in_range(content_size(cs, 3, CODEC_LZ4), 2052, 2060);
    content_free(cs);
}

static void test_sizes_file(void **state) {
    char path[] = "/tmp/refault-sizes-XXXXXX", spec[64];
    struct rf_err err;
    struct content_set *cs, *other;
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    assert_true(fputs("# lengths\n0\n100\n 200 # more\n\n4096\n", f) >= 0);
    assert_int_equal(fclose(f), 0);
    (void)snprintf(spec, sizeof(spec), "sizes:%s", path);
    cs = model(spec, 1);
    uint32_t zero = 0, n100 = 0, n200 = 0, n4096 = 0;
    for (uint32_t id = 1; id <= NR; id++) {
        uint32_t size = content_size(cs, id, CODEC_LZ4);
        zero += content_is_zero(cs, id);
        n100 += size == 100;
        n200 += size == 200;
        n4096 += size == 4096;
    }
    assert_int_equal(zero + n100 + n200 + n4096, NR);
    assert_in_range(zero, NR * 0.238, NR * 0.262);
    assert_in_range(n100, NR * 0.238, NR * 0.262);
    assert_in_range(n200, NR * 0.238, NR * 0.262);
    /* The file's numbers count for the digest, not its name alone. */
    f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs("100\n", f) >= 0);
    assert_int_equal(fclose(f), 0);
    other = model(spec, 1);
    assert_true(content_digest(cs) != content_digest(other));
    content_free(other);
    content_free(cs);
    f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs("100\n9000\n", f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(content_synthetic(spec, 1, &cs, &err), RF_EINPUT);
    assert_non_null(strstr(err.msg, ":2: found \"9000\""));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(content_synthetic(spec, 1, &cs, &err), RF_EINPUT);
}

static void test_refused(void **state) {
    static const char *const specs[] = {
        "",
        "bogus",
        "zero:1",
        "usemem(3)",
        "const",
        "const:",
        "const:x",
        "const:-1",
        "const:0x1ffffffffffffffff",
        "uniform(700)",
        "uniform(3,2)",
        "uniform(0,5)",
        "uniform(1,8192)",
        "uniform(1,2,3)",
        "hist",
        "hist:mean=63",
        "hist:4001",
        "hist(1650",
        "random-part:k=0",
        "random-part:k=9",
        "sizes:",
        "mix:",
        "mix:zero,",
        "mix:0*zero",
        "mix:0.5",
        "mix:0.5*",
        "mix:0.0000001*zero",
        "mix:1..5*zero",
        "mix:99999999999999999999*zero",
        "mix:mix:zero",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
        struct content_set *cs = NULL;
        struct rf_err err = {0};
        int rc = content_synthetic(specs[i], 1, &cs, &err);
        if (rc != RF_EINPUT)
            fail_msg("\"%s\" gave %d", specs[i], rc);
        assert_non_null(strstr(err.msg, "column"));
        assert_non_null(strstr(err.msg, "expected"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pure_function), cmocka_unit_test(test_fills),
        cmocka_unit_test(test_ranges),        cmocka_unit_test(test_histogram_mean),
        cmocka_unit_test(test_real_kinds),    cmocka_unit_test(test_mix_weights),
        cmocka_unit_test(test_sizes_file),    cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
