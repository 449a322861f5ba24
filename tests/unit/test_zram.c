/* SPDX-License-Identifier: Apache-2.0 */
/* zram: the order of effects of each operation, counters, limits, writeback, recompression. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "refault/zram.h"

/* Contents by compressed length: content 1 + k has length row[k]; 0 = same-filled. */
static struct content_set *contents(const uint16_t *lz4, const uint16_t *zstd, size_t nr) {
    struct content_row *rows = calloc(nr, sizeof(*rows));
    struct content_set *cs = NULL;
    struct rf_err err;
    assert_non_null(rows);
    for (size_t i = 0; i < nr; i++) {
        rows[i].same_filled = lz4[i] == 0;
        rows[i].word = i;
        rows[i].size[CODEC_LZ4] = lz4[i];
        rows[i].size[CODEC_ZSTD] = zstd ? zstd[i] : lz4[i];
    }
    assert_int_equal(content_from_rows(rows, nr, &cs, &err), 0);
    free(rows);
    return cs;
}

static struct zram_params params(struct content_set *cs, bool new_era) {
    struct zram_params p = {
        .policy = {.huge_by_class_size = true,
                   .max_zpage_size = 3072,
                   .own_backends = new_era,
                   .recompression = new_era,
                   .idle_skips_same_wb = new_era,
                   .idle_age_unmarks = new_era,
                   .wb_incompressible = new_era,
                   .recomp_max_pages = new_era,
                   .recompress_clears_ac_time = new_era},
        .zs = {new_era ? 8 : 4, new_era, new_era, !new_era, false},
        .name = "zram0",
        .disksize_pages = 200000,
        .comp = {CODEC_LZ4, NR_CODECS, NR_CODECS, NR_CODECS},
        .content = cs,
        .verify = true,
    };
    return p;
}

static struct zram *make(const struct zram_params *p) {
    struct zram *z = NULL;
    struct rf_err err = {0, ""};
    if (zram_create(p, &z, &err) != 0)
        fail_msg("%s", err.msg);
    return z;
}

static struct zram_mm_stat mm(const struct zram *z) {
    struct zram_mm_stat s;
    zram_mm_stat(z, &s);
    return s;
}

static struct zram_io_stat io(const struct zram *z) {
    struct zram_io_stat s;
    zram_io_stat(z, &s);
    return s;
}

static struct zram_bd_stat bd(const struct zram *z) {
    struct zram_bd_stat s;
    zram_bd_stat(z, &s);
    return s;
}

static void check(const struct zram *z) {
    struct rf_err err = {0, ""};
    if (zram_check(z, &err) != 0)
        fail_msg("%s", err.msg);
}

static void done(struct zram *z, struct content_set *cs) {
    check(z);
    zram_destroy(z);
    content_free(cs);
}

static int echo(struct zram *z, const char *file, const char *text) {
    return zram_sysfs_write(z, NULL, file, text);
}

static const char *state_of(const struct zram *z, uint32_t index) {
    static char flags[7];
    return zram_block_state(z, index, flags) ? flags : "empty";
}

/* ---- same-filled pages: 512 equal words of 8 bytes (page_same_filled(), 6.12) ---- */

static void test_same_filled(void **state) {
    enum { ZERO, ONES, BYTE8, PERIOD16, LAST_BYTE, NR };
    uint8_t *pages = calloc(NR, 4096);
    struct content_set *cs = NULL;
    struct rf_err err;
    uint32_t got;
    (void)state;
    assert_non_null(pages);
    memset(pages + ONES * 4096, 0xff, 4096);
    for (uint32_t i = 0; i < 4096; i++) {
        pages[BYTE8 * 4096 + i] = (uint8_t)(i % 8);
        pages[PERIOD16 * 4096 + i] = (uint8_t)(i % 16);
    }
    pages[LAST_BYTE * 4096 + 4095] = 1;
    assert_int_equal(content_from_bank(pages, NR, &cs, &err), 0);
    struct zram_params p = params(cs, true);
    struct zram *z = make(&p);
    for (uint32_t i = 0; i < NR; i++)
        assert_true(zram_write(z, NULL, i, i + 1));
    assert_string_equal(state_of(z, ZERO), "s.....");
    assert_string_equal(state_of(z, ONES), "s.....");
    assert_string_equal(state_of(z, BYTE8), "s.....");
    assert_string_equal(state_of(z, PERIOD16), "......");
    assert_string_equal(state_of(z, LAST_BYTE), "......");
    assert_int_equal(mm(z).same_pages, 3);
    assert_int_equal(mm(z).orig_data_size, NR * 4096);
    for (uint32_t i = 0; i < NR; i++) {
        assert_true(zram_read(z, NULL, i, &got));
        assert_int_equal(got, i + 1);
    }
    assert_true(zram_read(z, NULL, 77, &got));
    assert_int_equal(got, CONTENT_ZERO);
    free(pages);
    done(z, cs);
}

/* ---- huge pages ---- */

/* Lengths just below and at the threshold of each era: "> 3072" before March 2018, 3257 with
 * chains of 4 and 3625 with chains of 8. */
static void test_huge_threshold(void **state) {
    static const uint16_t len[] = {3072, 3073, 3256, 3257, 3624, 3625};
    static const struct {
        bool new_era, by_class;
        uint32_t first_huge;
    } era[] = {{false, false, 1}, {false, true, 3}, {true, true, 5}};
    (void)state;
    for (size_t e = 0; e < 3; e++) {
        struct content_set *cs = contents(len, NULL, 6);
        struct zram_params p = params(cs, era[e].new_era);
        p.policy.huge_by_class_size = era[e].by_class;
        struct zram *z = make(&p);
        for (uint32_t i = 0; i < 6; i++) {
            assert_true(zram_write(z, NULL, i, i + 1));
            assert_string_equal(state_of(z, i), i >= era[e].first_huge ? "..h..." : "......");
        }
        assert_int_equal(mm(z).huge_pages, 6 - era[e].first_huge);
        zram_discard(z, NULL, 0, 6);
        assert_int_equal(mm(z).huge_pages, 0);
        assert_int_equal(mm(z).huge_pages_since, 6 - era[e].first_huge); /* never falls */
        assert_int_equal(mm(z).mem_used_total, 0);
        assert_int_equal(io(z).notify_free, 6);
        done(z, cs);
    }
}

/* ---- limits ---- */

/* One page of limit and a full object in it: overwriting needs room for two, so it fails although
 * the final state would fit; the old data stay and the mark is above the limit. */
static void test_mem_limit(void **state) {
    static const uint16_t len[] = {4000, 4001, 100};
    uint32_t got;
    (void)state;
    struct content_set *cs = contents(len, NULL, 3);
    struct zram_params p = params(cs, true);
    p.mem_limit_bytes = 4000; /* rounded up to a page */
    struct zram *z = make(&p);
    assert_true(zram_write(z, NULL, 0, 1));
    assert_false(zram_write(z, NULL, 0, 2));
    assert_true(zram_read(z, NULL, 0, &got));
    assert_int_equal(got, 1);
    assert_int_equal(io(z).failed_writes, 1);
    assert_int_equal(mm(z).mem_limit, 4096);
    assert_int_equal(mm(z).mem_used_max, 8192);
    assert_int_equal(mm(z).mem_used_total, 4096);
    assert_int_equal(echo(z, "mem_used_max", "1"), EINVAL);
    assert_int_equal(echo(z, "mem_used_max", "0"), 0);
    assert_int_equal(mm(z).mem_used_max, 4096);
    assert_int_equal(echo(z, "mem_limit", "1M"), 0);
    assert_int_equal(mm(z).mem_limit, 1 << 20);
    assert_true(zram_write(z, NULL, 0, 2));
    assert_int_equal(echo(z, "mem_limit", "0"), 0);
    assert_int_equal(mm(z).mem_limit, 0);
    assert_int_equal(echo(z, "disksize", "1G"), EBUSY);
    assert_int_equal(echo(z, "nonsense", "1"), ENOENT);
    done(z, cs);
}

static void test_slot_free_notice(void **state) {
    static const uint16_t len[] = {1000};
    struct zram_debug_stat ds;
    char text[64];
    (void)state;
    struct content_set *cs = contents(len, NULL, 1);
    struct zram_params p = params(cs, true);
    struct zram *z = make(&p);
    assert_true(zram_write(z, NULL, 5, 1));
    zram_set_locked_slot(z, 5);
    zram_slot_free_notify(z, NULL, 5);
    zram_debug_stat(z, &ds);
    assert_int_equal(ds.miss_free, 1);
    assert_int_equal(io(z).notify_free, 1);
    assert_int_equal(mm(z).orig_data_size, 4096);
    zram_format_debug_stat(z, text, sizeof(text));
    assert_string_equal(text, "version: 1\n       0        1\n");
    zram_set_locked_slot(z, RF_NONE);
    zram_slot_free_notify(z, NULL, 5);
    assert_int_equal(io(z).notify_free, 2);
    assert_int_equal(mm(z).orig_data_size, 0);
    done(z, cs);
}

/* ---- writeback ---- */

static void test_writeback(void **state) {
    static const uint16_t len[] = {0, 1000, 2000, 4000, 4001};
    uint32_t got;
    (void)state;
    struct content_set *cs = contents(len, NULL, 5);
    struct zram_params p = params(cs, true);
    struct zram *none = make(&p);
    assert_int_equal(echo(none, "writeback", "huge"), ENODEV);
    zram_destroy(none);
    p.backing_pages = 100;
    struct zram *z = make(&p);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(zram_write(z, NULL, i, i + 1));
    assert_int_equal(mm(z).compr_data_size, 1000 + 2000 + 4096 + 4096);
    assert_int_equal(echo(z, "writeback", "everything"), EINVAL);
    assert_int_equal(echo(z, "writeback", "huge\n"), 0);
    assert_int_equal(bd(z).bd_count, 2);
    assert_int_equal(bd(z).bd_writes, 2);
    assert_int_equal(mm(z).orig_data_size, 5 * 4096);
    assert_int_equal(mm(z).compr_data_size, 3000);
    assert_int_equal(mm(z).huge_pages, 0);
    assert_string_equal(state_of(z, 3), ".w....");
    /* A read leaves the page where it is. */
    assert_true(zram_read(z, NULL, 3, &got));
    assert_int_equal(got, 4);
    assert_int_equal(bd(z).bd_reads, 1);
    assert_int_equal(bd(z).bd_count, 2);
    /* Marking skips same-filled and written-back slots; a read clears the mark. */
    assert_int_equal(echo(z, "idle", "all"), 0);
    assert_string_equal(state_of(z, 0), "s.....");
    assert_string_equal(state_of(z, 1), "...i..");
    assert_string_equal(state_of(z, 3), ".w....");
    assert_true(zram_read(z, NULL, 1, &got));
    assert_string_equal(state_of(z, 1), "......");
    assert_int_equal(echo(z, "writeback", "huge_idle"), 0);
    assert_int_equal(bd(z).bd_writes, 2);
    assert_int_equal(echo(z, "writeback", "idle"), 0);
    assert_string_equal(state_of(z, 2), ".w....");
    assert_int_equal(echo(z, "writeback", "page_index=1"), 0);
    assert_string_equal(state_of(z, 1), ".w....");
    assert_int_equal(echo(z, "writeback", "page_index=200000"), EINVAL);
    assert_int_equal(bd(z).bd_count, 4);
    zram_slot_free_notify(z, NULL, 3);
    assert_int_equal(bd(z).bd_count, 3);
    assert_true(zram_write(z, NULL, 4, 2)); /* an overwrite frees the block as well */
    assert_int_equal(bd(z).bd_count, 2);
    assert_int_equal(bd(z).bd_writes, 4);
    done(z, cs);
}

/* 6.1 marks same-filled and written-back slots too. */
static void test_idle_6_1(void **state) {
    static const uint16_t len[] = {0, 4000};
    (void)state;
    struct content_set *cs = contents(len, NULL, 2);
    struct zram_params p = params(cs, false);
    p.backing_pages = 10;
    struct zram *z = make(&p);
    assert_true(zram_write(z, NULL, 0, 1));
    assert_true(zram_write(z, NULL, 1, 2));
    assert_int_equal(echo(z, "writeback", "huge"), 0);
    assert_int_equal(echo(z, "idle", "all"), 0);
    assert_string_equal(state_of(z, 0), "s..i..");
    assert_string_equal(state_of(z, 1), ".w.i..");
    assert_int_equal(echo(z, "recompress", "type=idle"), ENOENT);
    assert_int_equal(echo(z, "idle", "5"), EINVAL); /* no access-time tracking */
    done(z, cs);
}

/* Two slots written at 0 s and 8 s; at 10 s "idle 5" has its cut at 5 s. A slot that was marked
 * and is young loses the mark in 6.12 and keeps it in 6.1. */
static void test_idle_by_age(void **state) {
    static const uint16_t len[] = {1000, 1001};
    (void)state;
    for (int new_era = 0; new_era < 2; new_era++) {
        struct content_set *cs = contents(len, NULL, 2);
        struct zram_params p = params(cs, new_era);
        struct sim_cpu cpu = {.now = 0};
        p.track_ac_time = true;
        struct zram *z = make(&p);
        assert_true(zram_write(z, &cpu, 0, 1));
        cpu.now = 8000000000u;
        assert_true(zram_write(z, &cpu, 1, 2));
        assert_int_equal(zram_sysfs_write(z, &cpu, "idle", "all"), 0);
        cpu.now = 10000000000u;
        assert_int_equal(zram_sysfs_write(z, &cpu, "idle", "5"), 0);
        assert_string_equal(state_of(z, 0), "...i..");
        assert_string_equal(state_of(z, 1), new_era ? "......" : "...i..");
        done(z, cs);
    }
}

/* A device of 3 blocks holds 2 pages; a limit of 1 stops after one page with an I/O error. */
static void test_writeback_ends(void **state) {
    static const uint16_t len[] = {4000, 4001, 4002};
    (void)state;
    struct content_set *cs = contents(len, NULL, 3);
    struct zram_params p = params(cs, true);
    p.backing_pages = 3;
    struct zram *z = make(&p);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(zram_write(z, NULL, i, i + 1));
    assert_int_equal(echo(z, "writeback_limit", "1"), 0);
    assert_int_equal(echo(z, "writeback_limit_enable", "1"), 0);
    assert_int_equal(echo(z, "writeback", "huge"), EIO);
    assert_int_equal(bd(z).bd_count, 1);
    assert_int_equal(zram_writeback_limit(z), 0);
    assert_int_equal(echo(z, "writeback_limit_enable", "0"), 0);
    assert_int_equal(echo(z, "writeback", "huge"), ENOSPC);
    assert_int_equal(bd(z).bd_count, 2);
    assert_string_equal(state_of(z, 2), "..h...");
    done(z, cs);
}

/* With a limit, taking the largest first frees more compressed data than index order: the sign of
 * the demonstration in "zram: optimal post-processing target selection", September 2024. */
static void test_largest_first(void **state) {
    static const uint16_t len[] = {100, 200, 300, 2000, 3000};
    uint64_t left[2];
    (void)state;
    for (int sorted = 0; sorted < 2; sorted++) {
        struct content_set *cs = contents(len, NULL, 5);
        struct zram_params p = params(cs, true);
        p.policy.wb_largest_first = sorted;
        p.backing_pages = 100;
        p.writeback_limit = 2;
        p.writeback_limit_enable = true;
        struct zram *z = make(&p);
        for (uint32_t i = 0; i < 5; i++)
            assert_true(zram_write(z, NULL, i, i + 1));
        assert_int_equal(echo(z, "idle", "all"), 0);
        assert_int_equal(echo(z, "writeback", "idle"), EIO);
        left[sorted] = mm(z).compr_data_size;
        done(z, cs);
    }
    assert_int_equal(left[0], 5600 - 100 - 200);
    assert_int_equal(left[1], 5600 - 2000 - 3000);
}

/* ---- recompression ---- */

static void test_recompression(void **state) {
    /*                             smaller  same class  huge  still huge  same-filled */
    static const uint16_t lz4[] = {2000, 2040, 4000, 4001, 0};
    static const uint16_t zstd[] = {1000, 2035, 1500, 3900, 0};
    uint32_t got;
    (void)state;
    struct content_set *cs = contents(lz4, zstd, 5);
    struct zram_params p = params(cs, true);
    p.comp[1] = CODEC_ZSTD;
    struct zram *z = make(&p);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(zram_write(z, NULL, i, i + 1));
    assert_int_equal(echo(z, "recompress", "type=huge threshold=3625"), EINVAL);
    assert_int_equal(echo(z, "recompress", "algo=deflate"), EINVAL);
    assert_int_equal(echo(z, "recompress", "type=idle"), 0); /* nothing is idle */
    assert_int_equal(mm(z).compr_data_size, 2000 + 2040 + 4096 + 4096);

    assert_int_equal(echo(z, "recompress", "type=huge max_pages=1"), 0);
    assert_int_equal(mm(z).compr_data_size, 2000 + 2040 + 1500 + 4096);
    assert_int_equal(mm(z).huge_pages, 1);
    assert_int_equal(mm(z).huge_pages_since, 2);
    assert_string_equal(state_of(z, 2), "....r.");

    /* A threshold that the new length does not get below: no success, but no failure either. */
    assert_int_equal(echo(z, "recompress", "threshold=900"), 0);
    assert_string_equal(state_of(z, 0), "......");
    /* 2035 and 2040 are both in class 126; 3900 needs a page as before. */
    assert_string_equal(state_of(z, 1), ".....n");
    assert_string_equal(state_of(z, 3), "..h..n");

    assert_int_equal(echo(z, "recompress", "algo=zstd"), 0);
    assert_string_equal(state_of(z, 0), "....r.");
    assert_int_equal(mm(z).compr_data_size, 1000 + 2040 + 1500 + 4096);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(zram_read(z, NULL, i, &got));
        assert_int_equal(got, i + 1);
    }
    assert_true(zram_write(z, NULL, 1, 2)); /* the mark goes with the content */
    assert_string_equal(state_of(z, 1), "......");
    done(z, cs);
}

/* ---- text ---- */

static void test_text(void **state) {
    static const uint16_t len[] = {1000};
    char text[256];
    (void)state;
    for (int new_era = 0; new_era < 2; new_era++) {
        struct content_set *cs = contents(len, NULL, 1);
        struct zram_params p = params(cs, new_era);
        struct zram *z = make(&p);
        uint32_t got;
        assert_true(zram_write(z, NULL, 0, 1));
        assert_false(zram_read(z, NULL, 200000, &got)); /* behind the end */
        /* 1008 bytes are class 1024, one page, in both eras. */
        zram_format_mm_stat(z, text, sizeof(text));
        assert_string_equal(text, "    4096     1000     4096        0     4096        0        0"
                                  "        0        0\n");
        zram_format_io_stat(z, text, sizeof(text));
        assert_string_equal(text, new_era ? "       0        0 0        0\n"
                                          : "       0        0        1        0\n");
        zram_format_bd_stat(z, text, sizeof(text));
        assert_string_equal(text, "       0        0        0\n");
        done(z, cs);
    }
}

/* ---- the acceptance case: "zram: introduce zs_huge_class_size()", March 2018 ---- */

struct batch {
    uint16_t len;
    uint32_t count;
};

/* Lengths and counts, found by search, that meet the mail's rows and its Total row exactly: first
 * those of the rows that it shows, then of the rows that it leaves out. */
static const struct batch base_run[] = {
    {2440, 1240}, {2712, 4200}, {3064, 10100}, {3070, 380},   {3200, 6800}, {3900, 3820},
    {24, 97},     {40, 193},    {88, 97},      {104, 55},     {120, 7},     {136, 64},
    {168, 70},    {216, 55},    {376, 24},     {1352, 69064}, {1480, 9879}, {0, 15634},
};
static const uint16_t base_single[] = {
    232, 248, 264, 280,  328,  344,  360,  392,  424,  440,  472,  504,  520,  536,
    552, 568, 584, 600,  616,  632,  664,  696,  712,  728,  760,  808,  840,  856,
    888, 936, 952, 1016, 1080, 1096, 1160, 1208, 1240, 1528, 1624, 1736, 1800, 2328};
static const struct batch patched_run[] = {
    {2440, 1240}, {2712, 4200}, {3064, 10100}, {3070, 380},   {3200, 6800},  {3900, 3820},
    {24, 97},     {40, 193},    {88, 97},      {104, 55},     {136, 64},     {168, 70},
    {184, 49},    {216, 55},    {520, 13},     {1352, 68863}, {1480, 10055}, {0, 15628},
};
static const uint16_t patched_single[] = {
    232, 248, 264,  280,  328,  344,  360,  392,  424,  440,  472,  504,  536,  552,
    568, 584, 600,  616,  632,  664,  696,  712,  728,  760,  808,  840,  856,  888,
    936, 952, 1016, 1080, 1096, 1160, 1208, 1240, 1528, 1624, 1736, 1800, 2040, 2328};

static struct zram *acceptance(const struct batch *b, size_t nb, const uint16_t *single, size_t ns,
                               bool by_class, struct content_set **cs) {
    uint16_t len[128];
    uint32_t index = 0;
    for (size_t i = 0; i < nb; i++)
        len[i] = b[i].len;
    for (size_t i = 0; i < ns; i++)
        len[nb + i] = single[i];
    *cs = contents(len, NULL, nb + ns);
    struct zram_params p = params(*cs, false);
    p.policy.huge_by_class_size = by_class;
    p.verify = false;
    p.disksize_pages = 262144;
    struct zram *z = make(&p);
    for (uint32_t i = 0; i < nb + ns; i++)
        for (uint32_t k = 0; k < (i < nb ? b[i].count : 1); k++)
            assert_true(zram_write(z, NULL, index++, i + 1));
    return z;
}

/* Zspages almost full and almost empty, objects allocated and used, pages, freeable. */
static void expect_total(const struct zram *z, const uint64_t want[6]) {
    struct zs_class_stats st[256];
    uint64_t got[6] = {0};
    uint32_t nr = zs_pool_stats(zram_pool(z), st);
    for (uint32_t i = 0; i < nr; i++) {
        got[0] += st[i].group[2];
        got[1] += st[i].group[1];
        got[2] += st[i].obj_allocated;
        got[3] += st[i].obj_used;
        got[4] += st[i].pages_used;
        got[5] += st[i].freeable;
    }
    for (int i = 0; i < 6; i++)
        assert_int_equal(got[i], want[i]);
}

static void test_acceptance(void **state) {
    static const uint64_t base_total[] = {7, 46, 106982, 106187, 48787, 0};
    static const uint64_t patched_total[] = {8, 45, 106959, 106193, 47424, 0};
    struct content_set *cs;
    (void)state;
    struct zram *z = acceptance(base_run, 18, base_single, 42, false, &cs);
    expect_total(z, base_total);
    assert_int_equal(mm(z).orig_data_size, 498978816);
    assert_int_equal(mm(z).mem_used_total, 199831552);
    assert_int_equal(mm(z).mem_used_max, 199831552);
    assert_int_equal(mm(z).same_pages, 15634);
    done(z, cs);
    z = acceptance(patched_run, 18, patched_single, 42, true, &cs);
    expect_total(z, patched_total);
    assert_int_equal(mm(z).orig_data_size, 498978816);
    assert_int_equal(mm(z).mem_used_total, 194248704);
    assert_int_equal(mm(z).same_pages, 15628);
    done(z, cs);
    /* One population, both rules: exactly 6800 * (1 - 4/5) pages fewer. */
    z = acceptance(base_run, 18, base_single, 42, true, &cs);
    assert_int_equal(199831552 - mm(z).mem_used_total, 1360 * 4096);
    done(z, cs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_filled),   cmocka_unit_test(test_huge_threshold),
        cmocka_unit_test(test_mem_limit),     cmocka_unit_test(test_slot_free_notice),
        cmocka_unit_test(test_writeback),     cmocka_unit_test(test_idle_6_1),
        cmocka_unit_test(test_idle_by_age),   cmocka_unit_test(test_writeback_ends),
        cmocka_unit_test(test_largest_first), cmocka_unit_test(test_recompression),
        cmocka_unit_test(test_text),          cmocka_unit_test(test_acceptance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
