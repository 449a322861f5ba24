/* SPDX-License-Identifier: Apache-2.0 */
/* Content sets of every kind: lengths, fills, bytes, overrides, the cache, payloads, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <pthread.h>
#include <cmocka.h>
#include <xxhash.h>
#include <zstd.h>
#include "refault/content.h"
#include "sample_pages.h"

#define NR_BANK 48u

static uint8_t bank[NR_BANK * RF_PAGE_SIZE];
static char dir[] = "/tmp/refault-content-XXXXXX";

static int init(void **state) {
    (void)state;
    for (uint32_t i = 0; i < NR_BANK; i++)
        sample_page(i, bank + i * RF_PAGE_SIZE);
    return mkdtemp(dir) ? 0 : -1;
}

static int cleanup(void **state) {
    (void)state;
    return rmdir(dir);
}

static const char *in_dir(const char *name) {
    static char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

/* A file that is written as this one, and renamed. */
static int save(const struct content_set *cs, const char *name, struct rf_err *err) {
    char path[128];
    (void)snprintf(path, sizeof(path), "%s", name);
    return content_cache_save(cs, path, in_dir("cache.part"), err);
}

static void write_file(const char *path, const void *data, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static struct content_set *bank_set(void) {
    struct content_set *cs = NULL;
    struct rf_err err;
    assert_int_equal(content_from_bank(bank, NR_BANK, &cs, &err), RF_OK);
    return cs;
}

static struct content_set *model(const char *spec, uint64_t seed) {
    struct content_set *cs = NULL;
    struct rf_err err = {0};
    if (content_synthetic(spec, seed, &cs, &err) != RF_OK)
        fail_msg("%s: %s", spec, err.msg);
    return cs;
}

/* The codec called directly, without a content set. */
static uint32_t direct(enum codec_id codec, const uint8_t *page) {
    uint8_t out[CODEC_MAX_OUT];
    void *work = calloc(1, codec_max_work_bytes());
    assert_non_null(work);
    int n = codec_by_id(codec)->compress(work, page, out);
    free(work);
    assert_true(n > 0);
    return (uint32_t)n;
}

static void test_bank_lengths(void **state) {
    struct content_set *cs = bank_set();
    const uint8_t zeros[RF_PAGE_SIZE] = {0};
    (void)state;
    assert_int_equal(content_count(cs), NR_BANK);
    assert_false(content_is_synthetic(cs));
    for (size_t c = 0; c < NR_CODECS; c++) {
        enum codec_id codec = (enum codec_id)c;
        assert_int_equal(content_source(cs, codec), CONTENT_REAL);
        assert_int_equal(content_size(cs, CONTENT_ZERO, codec), direct(codec, zeros));
        for (uint32_t i = 0; i < NR_BANK; i++) {
            uint32_t want = direct(codec, bank + i * RF_PAGE_SIZE);
            assert_int_equal(content_size(cs, i + 1, codec), want); /* computed */
            assert_int_equal(content_size(cs, i + 1, codec), want); /* remembered */
        }
    }
    uint8_t page[RF_PAGE_SIZE];
    content_bytes(cs, 7, page);
    assert_memory_equal(page, bank + 6 * RF_PAGE_SIZE, RF_PAGE_SIZE);
    /* Beyond the bank: a page of noise, which no codec shrinks. */
    content_bytes(cs, NR_BANK + 1, page);
    assert_int_equal(content_size(cs, NR_BANK + 1, CODEC_LZ4), 4114);
    assert_int_equal(direct(CODEC_LZ4, page), 4114);
    content_free(cs);
}

/* zram and zswap compare the words of a page: any period of eight bytes counts, no other. */
static void test_same_filled(void **state) {
    static uint8_t pages[5 * RF_PAGE_SIZE];
    struct content_set *cs;
    struct rf_err err;
    uint64_t word = 1;
    (void)state;
    memset(pages, 0, sizeof(pages));
    for (size_t i = 0; i < RF_PAGE_SIZE; i++) {
        pages[RF_PAGE_SIZE + i] = (uint8_t)(i % 8 + 1);      /* period 8 */
        pages[2 * RF_PAGE_SIZE + i] = (uint8_t)(i % 16 + 1); /* period 16 */
        pages[3 * RF_PAGE_SIZE + i] = (uint8_t)(i % 4);      /* period 4, so 8 too */
    }
    pages[5 * RF_PAGE_SIZE - 1] = 1; /* last byte differs */
    assert_int_equal(content_from_bank(pages, 5, &cs, &err), RF_OK);
    assert_true(content_same_filled(cs, CONTENT_ZERO, &word));
    assert_int_equal(word, 0);
    assert_true(content_is_zero(cs, 0));
    assert_true(content_is_zero(cs, 1));
    assert_true(content_same_filled(cs, 2, &word));
    assert_true(word == 0x0807060504030201u);
    assert_false(content_is_zero(cs, 2));
    assert_false(content_same_filled(cs, 3, NULL));
    assert_true(content_same_filled(cs, 4, &word));
    assert_true(word == 0x0302010003020100u);
    assert_false(content_same_filled(cs, 5, NULL));
    assert_false(content_is_zero(cs, 5));
    assert_false(content_same_filled(cs, 6, NULL)); /* beyond the bank */
    content_free(cs);
}

static void test_bank_files(void **state) {
    struct content_set *cs, *mem = bank_set();
    struct rf_err err;
    size_t cap = ZSTD_compressBound(sizeof(bank));
    uint8_t *packed = malloc(cap);
    (void)state;
    assert_non_null(packed);
    size_t n = ZSTD_compress(packed, cap, bank, sizeof(bank), 1);
    assert_false(ZSTD_isError(n));

    write_file(in_dir("raw"), bank, sizeof(bank));
    assert_int_equal(content_from_bank_file(in_dir("raw"), &cs, &err), RF_OK);
    assert_true(content_digest(cs) == content_digest(mem));
    content_free(cs);
    write_file(in_dir("packed"), packed, n);
    assert_int_equal(content_from_bank_file(in_dir("packed"), &cs, &err), RF_OK);
    assert_int_equal(content_count(cs), NR_BANK);
    assert_true(content_digest(cs) == content_digest(mem));
    content_free(cs);

    write_file(in_dir("packed"), packed, n - 5);
    assert_int_equal(content_from_bank_file(in_dir("packed"), &cs, &err), RF_EINPUT);
    assert_non_null(strstr(err.msg, "cut off"));
    memset(packed + n / 2, 0xff, 64);
    write_file(in_dir("packed"), packed, n);
    assert_int_equal(content_from_bank_file(in_dir("packed"), &cs, &err), RF_EINPUT);
    write_file(in_dir("raw"), bank, sizeof(bank) - 1);
    assert_int_equal(content_from_bank_file(in_dir("raw"), &cs, &err), RF_EINPUT);
    write_file(in_dir("raw"), bank, 0);
    assert_int_equal(content_from_bank_file(in_dir("raw"), &cs, &err), RF_EINPUT);
    assert_int_equal(unlink(in_dir("raw")), 0);
    assert_int_equal(unlink(in_dir("packed")), 0);
    assert_int_equal(content_from_bank_file(in_dir("raw"), &cs, &err), RF_EINPUT);
    free(packed);
    content_free(mem);
}

static void test_rows(void **state) {
    struct content_row rows[4] = {
        {.size = {[CODEC_LZ4] = 1024, [CODEC_LZO] = 1000, [CODEC_ZSTD] = 700}},
        {.same_filled = true, .word = 0x41, .size = {[CODEC_LZ4] = 30}},
        {.size = {[CODEC_LZ4] = 4114, [CODEC_LZO] = 4116, [CODEC_ZSTD] = 4106}},
        {.size = {[CODEC_ZSTD] = 2000}},
    };
    struct content_set *cs, *other;
    struct rf_err err;
    uint64_t word = 0;
    (void)state;
    assert_int_equal(content_from_rows(rows, 4, &cs, &err), RF_OK);
    assert_int_equal(content_count(cs), 4);
    assert_int_equal(content_source(cs, CODEC_LZ4), CONTENT_RECORDED);
    assert_int_equal(content_source(cs, CODEC_842), CONTENT_DERIVED);
    assert_int_equal(content_size(cs, 1, CODEC_LZ4), 1024);
    assert_int_equal(content_size(cs, 1, CODEC_ZSTD), 700);
    assert_int_equal(content_size(cs, 3, CODEC_LZO), 4116);
    assert_int_equal(content_size(cs, 1, CODEC_NULL), 4096);
    /* A fill has bytes: what is not recorded is measured, 24 for zeros by hand (test_codec.c). */
    assert_true(content_same_filled(cs, 2, &word));
    assert_int_equal(word, 0x41);
    assert_int_equal(content_size(cs, 2, CODEC_LZ4), 30);
    assert_int_equal(content_size(cs, CONTENT_ZERO, CODEC_842), 24);
    assert_false(content_same_filled(cs, 1, NULL));
    /* Derived ones keep the order of codecs, and stay what they are when asked again after others
     * were derived for the same row. */
    uint32_t lz4 = content_size(cs, 4, CODEC_LZ4), lzo = content_size(cs, 4, CODEC_LZO);
    assert_in_range(lz4, 2300, 3500);
    assert_in_range(lzo, 2200, 3500);
    assert_in_range(content_size(cs, 4, CODEC_DEFLATE), 1900, 2100);
    assert_int_equal(content_size(cs, 4, CODEC_LZ4), lz4);
    for (size_t c = 0; c < NR_CODECS; c++)
        assert_in_range(content_size(cs, 3, (enum codec_id)c), 4000, 4424);

    /* The order of the questions does not change the answers. */
    assert_int_equal(content_from_rows(rows, 4, &other, &err), RF_OK);
    for (size_t c = NR_CODECS; c-- > 0;) {
        for (uint32_t id = 4; id > 0; id--)
            assert_int_equal(content_size(other, id, (enum codec_id)c),
                             content_size(cs, id, (enum codec_id)c));
    }
    assert_true(content_digest(cs) == content_digest(other));
    content_free(other);
    rows[3].size[CODEC_ZSTD]++;
    assert_int_equal(content_from_rows(rows, 4, &other, &err), RF_OK);
    assert_true(content_digest(cs) != content_digest(other));
    content_free(other);
    content_free(cs);

    rows[3].size[CODEC_ZSTD] = 0;
    assert_int_equal(content_from_rows(rows, 4, &cs, &err), RF_EINPUT);
    assert_non_null(strstr(err.msg, "row 4"));
    rows[3].size[CODEC_ZSTD] = 8192;
    assert_int_equal(content_from_rows(rows, 4, &cs, &err), RF_EINPUT);
    assert_non_null(strstr(err.msg, "8192"));
}

/* Pieces give the set that all rows at once give; wrong numbers of rows are refused. */
static void test_rows_in_pieces(void **state) {
    struct content_row rows[5] = {
        {.size = {[CODEC_LZ4] = 1024}},
        {.same_filled = true, .word = 7, .size = {[CODEC_LZ4] = 30}},
        {.size = {[CODEC_ZSTD] = 2000, [CODEC_ZSTD_1_4] = 2001}},
        {.same_filled = true, .word = 9},
        {.size = {[CODEC_LZO] = 3000}},
    };
    struct content_rows *b;
    struct content_set *whole, *pieces;
    struct rf_err err;
    uint64_t word = 0;
    (void)state;
    assert_int_equal(content_from_rows(rows, 5, &whole, &err), RF_OK);
    assert_int_equal(content_rows_begin(5, &b, &err), RF_OK);
    assert_int_equal(content_rows_add(b, rows, 2, &err), RF_OK);
    assert_int_equal(content_rows_add(b, rows + 2, 0, &err), RF_OK);
    assert_int_equal(content_rows_add(b, rows + 2, 3, &err), RF_OK);
    assert_int_equal(content_rows_end(b, &pieces, &err), RF_OK);
    assert_int_equal(content_count(pieces), 5);
    assert_true(content_digest(pieces) == content_digest(whole));
    assert_true(content_same_filled(pieces, 4, &word));
    assert_int_equal(word, 9);
    for (uint32_t id = 0; id <= 5; id++) {
        for (size_t c = 0; c < NR_CODECS; c++)
            assert_int_equal(content_size(pieces, id, (enum codec_id)c),
                             content_size(whole, id, (enum codec_id)c));
    }
    content_free(pieces);
    content_free(whole);

    assert_int_equal(content_rows_begin(5, &b, &err), RF_OK);
    assert_int_equal(content_rows_add(b, rows, 4, &err), RF_OK);
    assert_int_equal(content_rows_add(b, rows, 2, &err), RF_EINPUT);
    assert_int_equal(content_rows_end(b, &pieces, &err), RF_EINPUT);
    assert_non_null(strstr(err.msg, "4 catalogue rows, expected 5"));
    assert_int_equal(content_rows_begin(5, &b, &err), RF_OK);
    rows[1].size[CODEC_LZ4] = 8192;
    assert_int_equal(content_rows_add(b, rows, 1, &err), RF_OK);
    assert_int_equal(content_rows_add(b, rows + 1, 1, &err), RF_EINPUT);
    assert_non_null(strstr(err.msg, "row 2"));
    assert_int_equal(content_rows_end(b, NULL, &err), RF_OK);
}

/* Deriving follows real pages: codec sums over the samples that compress stay near the measured
 * ones. The samples are not the pages that the rule was fitted to, so the bound is wide. */
static void test_derived_near_real(void **state) {
    struct content_set *real = bank_set(), *rows;
    struct content_row row[NR_BANK] = {0};
    struct rf_err err;
    (void)state;
    for (uint32_t i = 0; i < NR_BANK; i++) {
        row[i].size[CODEC_LZ4] = (uint16_t)content_size(real, i + 1, CODEC_LZ4);
        row[i].size[CODEC_ZSTD] = (uint16_t)content_size(real, i + 1, CODEC_ZSTD);
    }
    assert_int_equal(content_from_rows(row, NR_BANK, &rows, &err), RF_OK);
    for (size_t c = 0; c < NR_CODECS; c++) {
        uint64_t want = 0, got = 0;
        for (uint32_t id = 1; id <= NR_BANK; id++) {
            want += content_size(real, id, (enum codec_id)c);
            got += content_size(rows, id, (enum codec_id)c);
        }
        assert_true(got * 100 > want * 75 && got * 100 < want * 125);
    }
    content_free(rows);
    content_free(real);
}

static void test_override(void **state) {
    struct content_set *cs = bank_set();
    const uint16_t sizes[3] = {111, 0, 4096};
    const uint16_t wrong[1] = {8192};
    struct rf_err err;
    uint64_t digest = content_digest(cs);
    (void)state;
    assert_int_equal(content_override(cs, CODEC_LZ4, sizes, 3, &err), RF_OK);
    assert_int_equal(content_size(cs, 1, CODEC_LZ4), 111);
    assert_int_equal(content_size(cs, 2, CODEC_LZ4), direct(CODEC_LZ4, bank + RF_PAGE_SIZE));
    assert_int_equal(content_size(cs, 3, CODEC_LZ4), 4096);
    assert_int_equal(content_size(cs, 1, CODEC_LZO), direct(CODEC_LZO, bank));
    assert_int_equal(content_source(cs, CODEC_LZ4), CONTENT_RECORDED);
    assert_int_equal(content_source(cs, CODEC_LZO), CONTENT_REAL);
    assert_true(content_digest(cs) != digest);

    uint8_t dst[CODEC_MAX_OUT];
    assert_int_equal(content_payload(cs, 1, CODEC_LZ4, dst), 111);
    assert_int_equal(content_verify(cs, 1, CODEC_LZ4, dst, 111), RF_OK);
    assert_int_equal(content_verify(cs, 3, CODEC_LZ4, dst, 111), RF_ECHECK);

    assert_int_equal(content_override(cs, CODEC_LZ4, wrong, 1, &err), RF_EINPUT);
    assert_int_equal(content_override(cs, CODEC_LZ4, sizes, NR_BANK + 1, &err), RF_EINPUT);
    content_free(cs);
    cs = model("usemem", 1);
    assert_int_equal(content_override(cs, CODEC_LZ4, sizes, 1, &err), RF_EUSAGE);
    content_free(cs);
}

static void test_cache(void **state) {
    struct content_set *cs = bank_set(), *again = bank_set();
    const uint16_t over[2] = {99, 98};
    struct rf_err err;
    (void)state;
    assert_int_equal(content_cache_load(cs, in_dir("none"), &err), RF_OK); /* missing: no matter */
    assert_int_equal(content_override(cs, CODEC_LZO, over, 2, &err), RF_OK);
    for (uint32_t id = 1; id <= NR_BANK; id++) {
        (void)content_size(cs, id, CODEC_LZ4);
        (void)content_size(cs, id, CODEC_LZO);
    }
    assert_int_equal(save(cs, in_dir("cache"), &err), RF_OK);
    assert_int_equal(content_cache_load(again, in_dir("cache"), &err), RF_OK);
    for (uint32_t id = 1; id <= NR_BANK; id++) {
        assert_int_equal(content_size(again, id, CODEC_LZ4), content_size(cs, id, CODEC_LZ4));
        assert_int_equal(content_size(again, id, CODEC_LZO),
                         direct(CODEC_LZO, bank + (id - 1) * RF_PAGE_SIZE));
    }
    content_free(again);

    FILE *f = fopen(in_dir("cache"), "rb");
    static uint8_t file[4096];
    assert_non_null(f);
    size_t n = fread(file, 1, sizeof(file), f);
    (void)fclose(f);
    assert_in_range(n, 200, sizeof(file) - 1);
    /* Another length under a right checksum is believed: so the file is read. The first column is
     * lzo's, then lz4's; the header has 32 bytes. */
    uint8_t *entry = file + 32 + 2 * (NR_BANK + 1) + 2 * 5;
    const uint8_t keep[2] = {entry[0], entry[1]};
    entry[0] = 77;
    entry[1] = 0;
    rf_store_le64(file + n - 8, XXH64(file, n - 8, 0));
    write_file(in_dir("cache"), file, n);
    again = bank_set();
    assert_int_equal(content_cache_load(again, in_dir("cache"), &err), RF_OK);
    assert_int_equal(content_size(again, 5, CODEC_LZ4), 77);
    content_free(again);
    memcpy(entry, keep, sizeof(keep));
    rf_store_le64(file + n - 8, XXH64(file, n - 8, 0));
    /* Damaged, cut and foreign files are ignored. */
    for (int kind = 0; kind < 3; kind++) {
        file[n / 2] ^= 1;
        write_file(in_dir("cache"), file, kind == 1 ? n / 2 : n);
        file[n / 2] ^= 1;
        again = bank_set();
        if (kind == 2) {
            struct content_set *fewer;
            write_file(in_dir("cache"), file, n);
            assert_int_equal(content_from_bank(bank, NR_BANK - 1, &fewer, &err), RF_OK);
            content_free(again);
            again = fewer;
        }
        assert_int_equal(content_cache_load(again, in_dir("cache"), &err), RF_OK);
        for (uint32_t id = 1; id < NR_BANK; id++)
            assert_int_equal(content_size(again, id, CODEC_LZ4), content_size(cs, id, CODEC_LZ4));
        content_free(again);
    }
    assert_int_equal(unlink(in_dir("cache")), 0);
    assert_int_equal(save(cs, "/nonexistent/cache", &err), RF_EIO);
    content_free(cs);
    cs = model("hist:1650", 3);
    assert_int_equal(save(cs, "/nonexistent/cache", &err), RF_OK); /* nothing to keep */
    content_free(cs);
}

static void check_payloads(struct content_set *cs, uint32_t nr) {
    uint8_t dst[CODEC_MAX_OUT];
    for (size_t c = 0; c < NR_CODECS; c++) {
        enum codec_id codec = (enum codec_id)c;
        for (uint32_t id = 0; id <= nr; id++) {
            uint32_t len = content_payload(cs, id, codec, dst);
            assert_int_equal(len, content_size(cs, id, codec));
            assert_int_equal(content_verify(cs, id, codec, dst, len), RF_OK);
            assert_int_equal(content_verify(cs, id, codec, dst, len - 1), RF_ECHECK);
        }
    }
    /* Another page's payload of the same length is found out. */
    for (uint32_t id = 1; id < nr; id++) {
        uint32_t len = content_payload(cs, id, CODEC_NULL, dst);
        dst[4095] ^= 1;
        assert_int_equal(content_verify(cs, id, CODEC_NULL, dst, len), RF_ECHECK);
    }
}

static void test_payloads(void **state) {
    struct content_row rows[3] = {{.size = {[CODEC_LZ4] = 900}},
                                  {.same_filled = true, .word = 5},
                                  {.size = {[CODEC_LZ4] = 4114}}};
    struct rf_err err;
    (void)state;
    struct content_set *cs = bank_set();
    check_payloads(cs, NR_BANK);
    content_free(cs);
    assert_int_equal(content_from_rows(rows, 3, &cs, &err), RF_OK);
    check_payloads(cs, 3);
    content_free(cs);
    cs = model("mix:zero,const(9),usemem,random-part(3),uniform(500,600)", 1);
    check_payloads(cs, 40);
    content_free(cs);
}

/* Two threads ask for everything at once, from opposite ends; both see what one alone sees. */
struct asker {
    struct content_set *cs;
    uint32_t nr;
    bool backwards;
    uint32_t sum[NR_CODECS];
};

static void *ask(void *arg) {
    struct asker *a = arg;
    for (size_t k = 0; k < NR_CODECS; k++) {
        size_t c = a->backwards ? NR_CODECS - 1 - k : k;
        for (uint32_t i = 1; i <= a->nr; i++)
            a->sum[c] += content_size(a->cs, a->backwards ? a->nr + 1 - i : i, (enum codec_id)c);
    }
    return NULL;
}

static void ask_twice(struct content_set *cs, struct content_set *alone, uint32_t nr) {
    struct asker one = {.cs = cs, .nr = nr}, two = {.cs = cs, .nr = nr, .backwards = true};
    struct asker ref = {.cs = alone, .nr = nr};
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, ask, &one), 0);
    ask(&two);
    assert_int_equal(pthread_join(t, NULL), 0);
    ask(&ref);
    assert_memory_equal(one.sum, ref.sum, sizeof(ref.sum));
    assert_memory_equal(two.sum, ref.sum, sizeof(ref.sum));
    content_free(cs);
    content_free(alone);
}

static void test_threads(void **state) {
    static const char spec[] = "mix:0.2*usemem,0.3*hist(1500),0.5*random-part(2)";
    (void)state;
    ask_twice(bank_set(), bank_set(), NR_BANK);
    ask_twice(model(spec, 4), model(spec, 4), 3000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bank_lengths),   cmocka_unit_test(test_same_filled),
        cmocka_unit_test(test_bank_files),     cmocka_unit_test(test_rows),
        cmocka_unit_test(test_rows_in_pieces), cmocka_unit_test(test_derived_near_real),
        cmocka_unit_test(test_override),       cmocka_unit_test(test_cache),
        cmocka_unit_test(test_payloads),       cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, init, cleanup);
}
