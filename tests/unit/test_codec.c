/* SPDX-License-Identifier: Apache-2.0 */
/* Every codec: names, round trips, known lengths, and streams that were cut or damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include <zstd.h>
#include "refault/codec.h"
#include "sample_pages.h"

static void *scratch;

static int make_scratch(void **state) {
    (void)state;
    scratch = calloc(1, codec_max_work_bytes());
    return scratch ? 0 : -1;
}

static int free_scratch(void **state) {
    (void)state;
    free(scratch);
    return 0;
}

static int compressed(enum codec_id id, const uint8_t *page) {
    uint8_t out[CODEC_MAX_OUT];
    return codec_by_id(id)->compress(scratch, page, out);
}

static void test_registry(void **state) {
    static const char *const names[NR_CODECS] = {
        "lzo",       "lzo-rle", "lz4", "lz4hc",       "zstd",
        "zstd-zram", "deflate", "842", "deflate-iaa", "deflate-iaa-dynamic",
        "null",      "zstd-1.4"};
    (void)state;
    for (size_t i = 0; i < NR_CODECS; i++) {
        const struct codec_ops *ops = codec_by_id((enum codec_id)i);
        assert_non_null(ops);
        assert_int_equal(ops->id, i);
        assert_string_equal(ops->name, names[i]);
        assert_ptr_equal(codec_find(names[i]), ops);
        assert_true(ops->work_bytes <= codec_max_work_bytes());
    }
    assert_null(codec_find("lz5"));
    assert_null(codec_find(""));
}

static void test_round_trip(void **state) {
    uint8_t page[RF_PAGE_SIZE], out[CODEC_MAX_OUT], again[CODEC_MAX_OUT], back[RF_PAGE_SIZE];
    (void)state;
    for (uint32_t k = 0; k < NR_SAMPLES; k++) {
        sample_page(k, page);
        for (size_t c = 0; c < NR_CODECS; c++) {
            const struct codec_ops *ops = codec_by_id((enum codec_id)c);
            int n = ops->compress(scratch, page, out);
            assert_in_range(n, 1, 4424); /* the worst case of the worst codec, 842 */
            memset(back, 0x55, sizeof(back));
            assert_int_equal(ops->decompress(scratch, out, (size_t)n, back), RF_OK);
            assert_memory_equal(back, page, sizeof(page));
            /* Same bytes whatever is left in the work memory. */
            memset(scratch, (int)k, codec_max_work_bytes());
            assert_int_equal(ops->compress(scratch, page, again), n);
            assert_memory_equal(again, out, (size_t)n);
        }
    }
}

/* 4096 bytes in which no two, four or eight bytes at a multiple of their size come twice. */
static void distinct_page(uint8_t *page) {
    for (uint32_t i = 0; i < RF_PAGE_SIZE / 2; i++) {
        uint32_t v = (i + 1) * 0x9e37u; /* odd factor: a permutation of 16 bits */
        page[2 * i] = (uint8_t)v;
        page[2 * i + 1] = (uint8_t)(v >> 8);
    }
}

/* Worst cases, counted by hand from the formats. */
static void test_incompressible_lengths(void **state) {
    uint8_t page[RF_PAGE_SIZE];
    (void)state;
    sample_page(1, page);
    /* Token, 17 bytes of literal length (15 + 16 * 255 + 1), literals. */
    assert_int_equal(compressed(CODEC_LZ4, page), 1 + 17 + 4096);
    assert_int_equal(compressed(CODEC_LZ4HC, page), 1 + 17 + 4096);
    /* Magic, descriptor, content size, block header, raw block. */
    assert_int_equal(compressed(CODEC_ZSTD, page), 4 + 1 + 2 + 3 + 4096);
    assert_int_equal(compressed(CODEC_ZSTD_ZRAM, page), 4 + 1 + 2 + 3 + 4096);
    /* Opcode 0, 16 bytes of length (18 + 15 * 255 + 253), literals, end; two more of version 1. */
    assert_int_equal(compressed(CODEC_LZO, page), 1 + 16 + 4096 + 3);
    assert_int_equal(compressed(CODEC_LZO_RLE, page), 2 + 1 + 16 + 4096 + 3);
    /* One stored block: header bits filled up to a byte, length and its complement. */
    assert_int_equal(compressed(CODEC_DEFLATE_IAA_DYN, page), 1 + 4 + 4096);
    /* 512 groups of opcode and eight bytes, end code, checksum, to a multiple of eight bytes. */
    distinct_page(page);
    assert_int_equal((512 * (5 + 64) + 5 + 32 + 7) / 8, 4421);
    assert_int_equal(compressed(CODEC_842, page), 4424);
}

/* The page of zeros, counted by hand. */
static void test_zero_page_lengths(void **state) {
    uint8_t page[RF_PAGE_SIZE];
    (void)state;
    memset(page, 0, sizeof(page));
    /* 5 literals (6), match to 4081 = 33 + 15 * 255 + 218 (19), 15 literals (16), end (3). */
    assert_int_equal(compressed(CODEC_LZO, page), 44);
    /* Version (2), 5 literals (6), runs of 2051 and 2020 (8), 20 literals (22), end (3). */
    assert_int_equal(compressed(CODEC_LZO_RLE, page), 41);
    /* Zeros (5 bits), repeats of 7 * 64 and 63 (8 * 11), end (5), checksum (32): 17 bytes. */
    assert_int_equal(compressed(CODEC_842, page), 24);
    assert_int_equal(compressed(CODEC_NULL, page), 4096);
}

/* 16 different bytes, zeros up to 4080, and a repeat of the first 7 bytes at `where`. */
static void page_with_late_repeat(uint32_t where, uint8_t *page) {
    memset(page, 0, RF_PAGE_SIZE);
    for (uint32_t i = 0; i < 16; i++) {
        page[i] = (uint8_t)(i + 1);
        page[RF_PAGE_SIZE - 16 + i] = (uint8_t)(0x81 + i);
    }
    memcpy(page + where, page, 7);
}

/* Where LZ4 1.7 gives up looking: a match may start 12 bytes before the end, but that position is
 * not tried any more unless it follows a match at once. (liblz4 since 1.9 tries it: 50 bytes.) */
static void test_lz4_end_limit(void **state) {
    uint8_t page[RF_PAGE_SIZE];
    /* 17 literals and 4063 zeros: token, 1, 17, distance, 16 (19 + 15 * 255 + 219). */
    const int zeros = 1 + 1 + 17 + 2 + 16;
    (void)state;
    page_with_late_repeat(RF_PAGE_SIZE - 13, page);
    /* 3 literals and 7 bytes repeated; 6 literals. */
    assert_int_equal(compressed(CODEC_LZ4, page), zeros + (1 + 3 + 2) + (1 + 6));
    assert_int_equal(compressed(CODEC_LZ4HC, page), zeros + (1 + 3 + 2) + (1 + 6));
    page_with_late_repeat(RF_PAGE_SIZE - 12, page);
    /* 16 literals. */
    assert_int_equal(compressed(CODEC_LZ4, page), zeros + (1 + 1 + 16));
    assert_int_equal(compressed(CODEC_LZ4HC, page), zeros + (1 + 1 + 16));
}

/* lz4 takes the first repeat it meets, lz4hc a longer one that starts a byte later. */
static void test_lz4hc_waits_for_longer(void **state) {
    static const char text[] = "abcd-bcdefghijk_abcdefghijk.";
    uint8_t page[RF_PAGE_SIZE];
    /* 2 literals and 4062 zeros; 5 literals. */
    const int rest = (1 + 2 + 2 + 16) + (1 + 5);
    (void)state;
    memset(page, 0, sizeof(page));
    memcpy(page, text, sizeof(text) - 1);
    memcpy(page + RF_PAGE_SIZE - 5, "VWXYZ", 5);
    /* 16 literals and abcd, then efghijk. */
    assert_int_equal(compressed(CODEC_LZ4, page), (1 + 1 + 16 + 2) + (1 + 2) + rest);
    /* 17 literals and bcdefghijk. */
    assert_int_equal(compressed(CODEC_LZ4HC, page), (1 + 1 + 17 + 2) + rest);
}

/* Ranking that every published comparison agrees on, for a page that compresses. */
static void test_ranking(void **state) {
    uint8_t page[RF_PAGE_SIZE];
    long sum[NR_CODECS] = {0};
    (void)state;
    for (uint32_t k = 4; k < NR_SAMPLES; k += 12) {
        for (uint32_t j = 0; j < 3; j++) {
            sample_page(k + j, page);
            for (size_t c = 0; c < NR_CODECS; c++)
                sum[c] += compressed((enum codec_id)c, page);
        }
    }
    assert_true(sum[CODEC_ZSTD] < sum[CODEC_LZ4HC]);
    assert_true(sum[CODEC_LZ4HC] <= sum[CODEC_LZ4]);
    assert_true(sum[CODEC_DEFLATE] < sum[CODEC_DEFLATE_IAA]);
    assert_true(sum[CODEC_LZ4] < sum[CODEC_NULL]);
}

static void test_kernel_names(void **state) {
    (void)state;
    assert_string_equal(codec_kernel_name(CODEC_ZSTD), "zstd");
    assert_string_equal(codec_kernel_name(CODEC_ZSTD_ZRAM), "zstd");
    assert_string_equal(codec_kernel_name(CODEC_ZSTD_1_4), "zstd");
    assert_string_equal(codec_kernel_name(CODEC_DEFLATE_IAA), "deflate-iaa");
}

/* The two parses of the same parameters find different matches, but hardly more or fewer of them.
 */
static void test_zstd_1_4_near_zstd(void **state) {
    uint8_t page[RF_PAGE_SIZE];
    long old = 0, new = 0;
    int different = 0;
    (void)state;
    for (uint32_t k = 0; k < NR_SAMPLES; k++) {
        sample_page(k, page);
        int a = compressed(CODEC_ZSTD_1_4, page), b = compressed(CODEC_ZSTD, page);
        different += a != b;
        old += a;
        new += b;
    }
    assert_true(labs(old - new) * 100 < new);
    /* Older libraries parse both. */
    assert_true(different > 0 || ZSTD_versionNumber() < 10504);
}

/* Decompresses from a heap block of exactly len bytes, so that a sanitizer sees any overrun. */
static int decompress_exact(const struct codec_ops *ops, const uint8_t *src, size_t len,
                            uint8_t *dst) {
    uint8_t *copy = malloc(len ? len : 1);
    uint8_t *page = malloc(RF_PAGE_SIZE);
    assert_non_null(copy);
    assert_non_null(page);
    memcpy(copy, src, len);
    memset(page, 0xa5, RF_PAGE_SIZE);
    int rc = ops->decompress(scratch, copy, len, page);
    memcpy(dst, page, RF_PAGE_SIZE);
    free(page);
    free(copy);
    return rc;
}

static void test_truncated(void **state) {
    uint8_t page[RF_PAGE_SIZE], out[CODEC_MAX_OUT], back[RF_PAGE_SIZE];
    (void)state;
    for (uint32_t k = 0; k < NR_SAMPLES; k += 5) {
        sample_page(k, page);
        for (size_t c = 0; c < NR_CODECS; c++) {
            const struct codec_ops *ops = codec_by_id((enum codec_id)c);
            size_t n = (size_t)ops->compress(scratch, page, out);
            /* 842 may lose its padding unharmed. */
            size_t most = c == CODEC_842 ? n - 8 : n - 1;
            for (size_t len = 0; len <= most; len += 1 + len / 11)
                assert_int_equal(decompress_exact(ops, out, len, back), RF_ECHECK);
            assert_int_equal(decompress_exact(ops, out, most, back), RF_ECHECK);
        }
    }
}

static void test_damaged(void **state) {
    uint8_t page[RF_PAGE_SIZE], out[CODEC_MAX_OUT], back[RF_PAGE_SIZE];
    struct rf_rng r;
    (void)state;
    rf_rng_seed(&r, 7);
    for (uint32_t k = 0; k < NR_SAMPLES; k += 3) {
        sample_page(k, page);
        for (size_t c = 0; c < NR_CODECS; c++) {
            const struct codec_ops *ops = codec_by_id((enum codec_id)c);
            size_t n = (size_t)ops->compress(scratch, page, out);
            for (int i = 0; i < 20; i++) {
                size_t bit = (size_t)rf_rng_below(&r, n * 8);
                out[bit / 8] = (uint8_t)(out[bit / 8] ^ 1u << bit % 8);
                int rc = decompress_exact(ops, out, n, back);
                assert_true(rc == RF_OK || rc == RF_ECHECK);
                /* The checksum of 842 leaves no damaged page unnoticed. */
                if (c == CODEC_842 && rc == RF_OK)
                    assert_memory_equal(back, page, sizeof(page));
                if (i % 2 == 0)
                    out[bit / 8] = (uint8_t)(out[bit / 8] ^ 1u << bit % 8);
            }
        }
    }
}

static void test_noise_input(void **state) {
    uint8_t noise[CODEC_MAX_OUT], back[RF_PAGE_SIZE];
    struct rf_rng r;
    (void)state;
    rf_rng_seed(&r, 11);
    for (int i = 0; i < 300; i++) {
        size_t n = (size_t)rf_rng_below(&r, 400);
        for (size_t k = 0; k < n; k++)
            noise[k] = (uint8_t)(rf_rng_next(&r) & (i % 2 == 0 ? 0xff : 0x1f));
        for (size_t c = 0; c < NR_CODECS; c++) {
            int rc = decompress_exact(codec_by_id((enum codec_id)c), noise, n, back);
            assert_true(rc == RF_OK || rc == RF_ECHECK);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_incompressible_lengths),
        cmocka_unit_test(test_zero_page_lengths),
        cmocka_unit_test(test_lz4_end_limit),
        cmocka_unit_test(test_lz4hc_waits_for_longer),
        cmocka_unit_test(test_kernel_names),
        cmocka_unit_test(test_zstd_1_4_near_zstd),
        cmocka_unit_test(test_ranking),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_noise_input),
    };
    return cmocka_run_group_tests(tests, make_scratch, free_scratch);
}
