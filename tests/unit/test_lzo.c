/* SPDX-License-Identifier: Apache-2.0 */
/* Our lzo against liblzo2, in both directions, and instructions that our encoder never writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include <lzo/lzo1x.h>
#include "refault/codec.h"
#include "sample_pages.h"

static uint16_t table[8192];
static uint8_t lzo2_work[LZO1X_999_MEM_COMPRESS];

static int init(void **state) {
    (void)state;
    return lzo_init() == LZO_E_OK ? 0 : -1;
}

static void test_liblzo2_reads_ours(void **state) {
    uint8_t page[RF_PAGE_SIZE], out[CODEC_MAX_OUT], back[RF_PAGE_SIZE];
    (void)state;
    for (uint32_t k = 0; k < NR_SAMPLES * 2; k++) {
        lzo_uint len = sizeof(back);
        sample_page(k, page);
        int n = codec_by_id(CODEC_LZO)->compress(table, page, out);
        assert_true(n > 0);
        assert_int_equal(lzo1x_decompress_safe(out, (lzo_uint)n, back, &len, NULL), LZO_E_OK);
        assert_int_equal(len, RF_PAGE_SIZE);
        assert_memory_equal(back, page, sizeof(page));
    }
}

static void test_we_read_liblzo2(void **state) {
    uint8_t page[RF_PAGE_SIZE], out[CODEC_MAX_OUT], back[RF_PAGE_SIZE];
    (void)state;
    for (uint32_t k = 0; k < NR_SAMPLES * 2; k++) {
        lzo_uint len = sizeof(out);
        sample_page(k, page);
        /* The slow compressor uses every instruction that fits into a page. */
        int rc = k % 2 == 0 ? lzo1x_1_compress(page, sizeof(page), out, &len, lzo2_work)
                            : lzo1x_999_compress(page, sizeof(page), out, &len, lzo2_work);
        assert_int_equal(rc, LZO_E_OK);
        assert_int_equal(codec_by_id(CODEC_LZO)->decompress(NULL, out, len, back), RF_OK);
        assert_memory_equal(back, page, sizeof(page));
    }
}

/* How far our lengths are from liblzo2's own lzo1x_1: the same algorithm with another table. */
static void test_length_near_liblzo2(void **state) {
    uint8_t page[RF_PAGE_SIZE], out[CODEC_MAX_OUT];
    long ours = 0, theirs = 0;
    (void)state;
    for (uint32_t k = 0; k < NR_SAMPLES; k++) {
        lzo_uint len = sizeof(out);
        sample_page(k, page);
        ours += codec_by_id(CODEC_LZO)->compress(table, page, out);
        assert_int_equal(lzo1x_1_compress(page, sizeof(page), out, &len, lzo2_work), LZO_E_OK);
        theirs += (long)len;
    }
    assert_true(labs(ours - theirs) * 100 < theirs);
}

/* A stream built by hand from Documentation/staging/lzo.rst, and the page it means. */
struct stream {
    uint8_t in[CODEC_MAX_OUT];
    size_t n;
};

static void add(struct stream *s, const uint8_t *bytes, size_t n) {
    memcpy(s->in + s->n, bytes, n);
    s->n += n;
}

static void test_short_matches(void **state) {
    /* First byte 17 + 238: 238 literals, and state 4. */
    struct stream s = {.in = {255}, .n = 1};
    uint8_t want[RF_PAGE_SIZE], back[RF_PAGE_SIZE], literals[238];
    (void)state;
    for (size_t i = 0; i < sizeof(literals); i++)
        literals[i] = (uint8_t)(i * 7 + 1);
    add(&s, literals, sizeof(literals));
    memcpy(want, literals, sizeof(literals));
    size_t at = sizeof(literals);
    /* 001LLLLL with L = 0: 33 + 7 * 255 + 40 = 1858 bytes at distance 238, one literal after. */
    add(&s,
        (const uint8_t[]){32, 0, 0, 0, 0, 0, 0, 0, 40, (uint8_t)((237 & 63) << 2 | 1), 237 >> 6,
                          'x'},
        12);
    for (size_t i = 0; i < 1858; i++, at++)
        want[at] = want[at - 238];
    want[at++] = 'x';
    /* 0000DDSS after 1 to 3 literals: 2 bytes within 1 KiB: distance (3 << 2) + 2 + 1 = 15. */
    add(&s, (const uint8_t[]){2 << 2, 3}, 2);
    for (size_t i = 0; i < 2; i++, at++)
        want[at] = want[at - 15];
    /* State 0: 0000LLLL are literals, 3 + 15 of them. */
    add(&s, (const uint8_t[]){15}, 1);
    add(&s, literals, 18);
    memcpy(want + at, literals, 18);
    at += 18;
    /* State 4: 0000DDSS is 3 bytes within 2 to 3 KiB: distance (5 << 2) + 1 + 2049 = 2070. */
    assert_true(at >= 2070);
    add(&s, (const uint8_t[]){1 << 2, 5}, 2);
    for (size_t i = 0; i < 3; i++, at++)
        want[at] = want[at - 2070];
    /* The rest: a near match at distance 1, then literals up to the end. */
    add(&s, (const uint8_t[]){7 << 5 | 0 << 2, 0}, 2);
    for (size_t i = 0; i < 8; i++, at++)
        want[at] = want[at - 1];
    size_t rest = RF_PAGE_SIZE - at, ext = rest - 18;
    add(&s, (const uint8_t[]){0}, 1);
    for (; ext > 255; ext -= 255)
        add(&s, (const uint8_t[]){0}, 1);
    add(&s, (const uint8_t[]){(uint8_t)ext}, 1);
    memset(want + at, 'z', rest);
    add(&s, want + at, rest);
    add(&s, (const uint8_t[]){17, 0, 0}, 3);

    assert_int_equal(codec_by_id(CODEC_LZO)->decompress(NULL, s.in, s.n, back), RF_OK);
    assert_memory_equal(back, want, sizeof(want));
    lzo_uint len = sizeof(back);
    memset(back, 0, sizeof(back));
    assert_int_equal(lzo1x_decompress_safe(s.in, s.n, back, &len, NULL), LZO_E_OK);
    assert_memory_equal(back, want, sizeof(want));
}

static void test_refused_streams(void **state) {
    uint8_t back[RF_PAGE_SIZE];
    const struct codec_ops *ops = codec_by_id(CODEC_LZO_RLE);
    (void)state;
    const uint8_t version[] = {17, 2, 1, 'a', 'b', 'c', 'd', 17, 0, 0};
    assert_int_equal(ops->decompress(NULL, version, sizeof(version), back), RF_ECHECK);
    const uint8_t before_start[] = {21, 'a', 'b', 'c', 'd', 64 | 4 << 2, 0, 17, 0, 0};
    assert_int_equal(ops->decompress(NULL, before_start, sizeof(before_start), back), RF_ECHECK);
    const uint8_t too_short[] = {21, 'a', 'b', 'c', 'd', 17, 0, 0};
    assert_int_equal(ops->decompress(NULL, too_short, sizeof(too_short), back), RF_ECHECK);
    const uint8_t endless_length[40] = {32};
    assert_int_equal(ops->decompress(NULL, endless_length, sizeof(endless_length), back),
                     RF_ECHECK);
}

/* The zero-run instruction of version 1: ((X << 3) | LLL) + 4 zeros. */
static void test_zero_run(void **state) {
    uint8_t in[] = {17,       1,    21,   'a', 'b', 'c', 'd', /* version 1, four literals */
                    0x18 | 3, 0xfc, 0xff, 255,                /* 255 << 3 | 3, + 4 = 2047 */
                    0x18 | 7, 0xfc, 0xff, 254,                /* 254 << 3 | 7, + 4 = 2043 */
                    0x18 | 0, 0xfd, 0xff, 0,                  /* 4, and one literal */
                    'e',      17,   0,    0};
    uint8_t back[RF_PAGE_SIZE], want[RF_PAGE_SIZE] = {'a', 'b', 'c', 'd'};
    (void)state;
    /* 4 + 2047 + 2043 + 4 + 1 = 4099: three too many; then made to fit. */
    assert_int_equal(codec_by_id(CODEC_LZO_RLE)->decompress(NULL, in, sizeof(in), back), RF_ECHECK);
    in[11] = 0x18 | 4;
    want[4095] = 'e';
    assert_int_equal(codec_by_id(CODEC_LZO_RLE)->decompress(NULL, in, sizeof(in), back), RF_OK);
    assert_memory_equal(back, want, sizeof(want));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_liblzo2_reads_ours),  cmocka_unit_test(test_we_read_liblzo2),
        cmocka_unit_test(test_length_near_liblzo2), cmocka_unit_test(test_short_matches),
        cmocka_unit_test(test_refused_streams),     cmocka_unit_test(test_zero_run),
    };
    return cmocka_run_group_tests(tests, init, NULL);
}
