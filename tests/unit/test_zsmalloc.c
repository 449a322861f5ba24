/* SPDX-License-Identifier: Apache-2.0 */
/* zsmalloc: class tables, allocation order, fullness groups, compaction, the classes file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "zpool_rig.h"

static const struct zs_policy old4 = {4, false, false, true, true};
static const struct zs_policy new8 = {8, true, true, false, true};

static struct zpool *make(struct zs_policy zs, bool bytes) {
    struct zpool_params p = {
        .zs = zs, .name = "zram0", .store_bytes = bytes, .max_objects = 200000};
    return zpool_make("zsmalloc", &p);
}

static struct zs_class_stats stats_of(const struct zpool *z, uint32_t index) {
    struct zs_class_stats st[256];
    uint32_t nr = zs_pool_stats(z, st);
    for (uint32_t i = 0; i < nr; i++)
        if (st[i].info.index == index)
            return st[i];
    fail_msg("no class %u", index);
    return st[0];
}

/* ---- tables ---- */

/* Old column: the class counts of Documentation/mm/zsmalloc.rst, which follow the rule of kernels
 * before 6.3. New column: 119, 141 and 192 for chains 8, 10 and 16 are in S. Senozhatsky's mail of
 * 2023-02-07 on "fine-grained inuse ratio based fullness grouping"; the others are computed from
 * the rule of 6.3. Huge threshold: watermark - 8 + 1. */
static void test_class_counts(void **state) {
    static const struct {
        uint32_t chain, nr_old, nr_new, watermark;
    } want[] = {{4, 69, 69, 3264},    {5, 86, 86, 3408},    {6, 93, 94, 3504},
                {7, 112, 110, 3584},  {8, 123, 119, 3632},  {9, 140, 136, 3680},
                {10, 143, 141, 3712}, {11, 159, 153, 3744}, {12, 164, 159, 3776},
                {13, 180, 173, 3792}, {14, 183, 179, 3808}, {15, 188, 186, 3840},
                {16, 191, 192, 3840}};
    (void)state;
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        struct zs_policy p = {want[i].chain, false, false, false, true};
        struct zs_class_table t;
        zs_class_table_init(&t, &p, 4096);
        assert_int_equal(t.nr_raw, 255);
        assert_int_equal(t.nr, want[i].nr_old);
        assert_int_equal(t.watermark, want[i].watermark);
        p.least_waste = true;
        zs_class_table_init(&t, &p, 4096);
        assert_int_equal(t.nr, want[i].nr_new);
        assert_int_equal(t.watermark, want[i].watermark);
        assert_int_equal(zs_huge_class_size(&t), want[i].watermark - 7);
        for (uint32_t c = 0; c < t.nr; c++) /* one byte names a slot */
            assert_true(t.cls[c].objs_per_zspage <= 256);
    }
}

static void expect_class(const struct zs_class_table *t, uint32_t len, uint32_t index,
                         uint32_t size, uint32_t pages, uint32_t objs) {
    const struct zs_class_info *c = &t->cls[zs_class_of(t, len)];
    assert_int_equal(c->index, index);
    assert_int_equal(c->size, size);
    assert_int_equal(c->pages_per_zspage, pages);
    assert_int_equal(c->objs_per_zspage, objs);
}

/* 208: the example of the patch "rework zspage chain size selection", January 2023. 1568: the
 * example of Documentation/mm/zsmalloc.rst. */
static void test_published_examples(void **state) {
    struct zs_policy p = {4, false, false, false, true};
    struct zs_class_table t;
    (void)state;
    zs_class_table_init(&t, &p, 4096);
    expect_class(&t, 200, 11, 208, 2, 39);
    expect_class(&t, 1560, 100, 1632, 2, 5);
    p.least_waste = true;
    zs_class_table_init(&t, &p, 4096);
    expect_class(&t, 200, 11, 208, 3, 59);
    p.chain_size = 5;
    zs_class_table_init(&t, &p, 4096);
    expect_class(&t, 1560, 96, 1568, 5, 13);
}

/* Hand computed: length + 8, rounded up to a step of 16 from 32, then the merged class. */
static void test_boundaries(void **state) {
    struct zs_class_table t;
    (void)state;
    zs_class_table_init(&t, &old4, 4096);
    expect_class(&t, 1, 0, 32, 1, 128);
    expect_class(&t, 24, 0, 32, 1, 128);
    expect_class(&t, 25, 1, 48, 3, 256);
    expect_class(&t, 3256, 202, 3264, 4, 5);
    expect_class(&t, 3257, 254, 4096, 1, 1);
    expect_class(&t, 4088, 254, 4096, 1, 1);
    expect_class(&t, 4089, 254, 4096, 1, 1);
    expect_class(&t, 4096, 254, 4096, 1, 1);
    zs_class_table_init(&t, &new8, 4096);
    expect_class(&t, 3256, 202, 3264, 4, 5);
    expect_class(&t, 3257, 211, 3408, 5, 6);
    expect_class(&t, 3624, 225, 3632, 8, 9);
    expect_class(&t, 3625, 254, 4096, 1, 1);
}

/* Steps are page size / 256 (mm/zsmalloc.c 6.12), so 257 raw classes with larger pages. */
static void test_other_page_sizes(void **state) {
    struct zs_class_table t;
    (void)state;
    zs_class_table_init(&t, &new8, 16384);
    assert_int_equal(t.nr_raw, 257);
    assert_int_equal(t.cls[t.nr - 1].size, 16384);
    assert_int_equal(t.cls[zs_class_of(&t, 16384)].size, 16384);
    assert_int_equal(t.cls[zs_class_of(&t, 25)].size, 96);
    zs_class_table_init(&t, &new8, 65536);
    assert_int_equal(t.cls[t.nr - 1].size, 65536);
    assert_int_equal(t.cls[0].size, 32);
}

/* ---- the pool ---- */

static void test_refusals(void **state) {
    uint32_t h;
    (void)state;
    struct zpool *z = make(old4, false);
    assert_int_equal(z->ops->malloc(z, 0, 1, &h), ZPOOL_EINVAL);
    assert_int_equal(z->ops->malloc(z, 4097, 1, &h), ZPOOL_EINVAL); /* 6.1 */
    get(z, 4096, 1);
    done(z);
    z = make(new8, false);
    assert_int_equal(z->ops->malloc(z, 4097, 1, &h), ZPOOL_ENOSPC); /* 6.12 */
    assert_int_equal(z->ops->total_pages(z), 0);
    done(z);
}

static int64_t page_balance;
static void count_pages(void *ctx, int32_t delta) {
    (void)ctx;
    page_balance += delta;
}

static void test_pages_are_charged(void **state) {
    struct zpool_params p = {.zs = new8, .name = "x", .max_objects = 1000, .pages = count_pages};
    struct zpool *z = NULL;
    struct rf_err err;
    uint32_t h[60];
    (void)state;
    page_balance = 0;
    assert_int_equal(zpool_find("zsmalloc")->create(&p, &z, &err), 0);
    for (uint32_t i = 0; i < 60; i++)
        h[i] = get(z, 200, i); /* class 208: 59 objects in 3 pages */
    assert_int_equal(page_balance, 6);
    assert_int_equal(z->ops->total_pages(z), 6);
    for (uint32_t i = 0; i < 60; i++)
        z->ops->free(z, h[i]);
    assert_int_equal(page_balance, 0);
    assert_int_equal(z->ops->live_objects(z), 0);
    done(z);
}

/* A fresh zspage is filled in slot order and freed slots are reused last in, first out. */
static void test_slot_order(void **state) {
    uint32_t h[8];
    (void)state;
    struct zpool *z = make(new8, false);
    for (uint32_t i = 0; i < 8; i++)
        h[i] = get(z, 504, i); /* class 512: 8 objects a page */
    for (uint32_t i = 1; i < 8; i++)
        assert_int_equal(h[i], h[0] + i);
    z->ops->free(z, h[2]);
    z->ops->free(z, h[6]);
    z->ops->free(z, h[0]);
    assert_int_equal(get(z, 504, 8), h[0]);
    assert_int_equal(get(z, 504, 9), h[6]);
    assert_int_equal(get(z, 504, 10), h[2]);
    assert_int_equal(z->ops->total_pages(z), 1);
    done(z);
}

/* Fills n objects of one class in a fresh pool and returns its statistics. */
static struct zs_class_stats after(struct zs_policy p, uint32_t len, uint32_t index, uint32_t n) {
    struct zpool *z = make(p, false);
    for (uint32_t i = 0; i < n; i++)
        get(z, len, i);
    struct zs_class_stats s = stats_of(z, index);
    done(z);
    return s;
}

/* Old groups: almost_empty up to floor(3N/4) (get_fullness_group(), 6.1). Class 512 has N = 8. */
static void test_groups_old(void **state) {
    (void)state;
    assert_int_equal(after(old4, 504, 30, 6).group[1], 1);
    assert_int_equal(after(old4, 504, 30, 7).group[2], 1);
    assert_int_equal(after(old4, 504, 30, 8).group[3], 1);
}

/* New groups: 100u/N/10 + 1 (get_fullness_group(), 6.12); the examples for N = 10, 9, 5 and 128
 * are worked by hand: exactly 10 % is in "20%". */
static void test_groups_new(void **state) {
    static const struct {
        uint32_t chain, len, index, objs, used, group;
    } want[] = {{4, 392, 23, 10, 1, 2},   {8, 3624, 225, 9, 1, 2}, {8, 3624, 225, 9, 8, 9},
                {4, 1624, 100, 5, 1, 3},  {4, 1624, 100, 5, 4, 9}, {8, 24, 0, 128, 1, 1},
                {8, 24, 0, 128, 127, 10}, {8, 24, 0, 128, 128, 11}};
    (void)state;
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        struct zs_policy p = new8;
        p.chain_size = want[i].chain;
        struct zs_class_stats s = after(p, want[i].len, want[i].index, want[i].used);
        assert_int_equal(s.info.objs_per_zspage, want[i].objs);
        assert_int_equal(s.group[want[i].group], 1);
    }
}

/* ---- compaction ---- */

struct owners {
    uint32_t handle[4096];
    bool live[4096];
    uint32_t moves;
};

static void owners_for_each(void *ctx, zpool_visit_fn visit, void *arg) {
    struct owners *o = ctx;
    for (uint32_t i = 0; i < 4096; i++)
        if (o->live[i])
            visit(arg, i, o->handle[i]);
}

static void owners_moved(void *ctx, uint32_t owner, uint32_t handle) {
    struct owners *o = ctx;
    assert_true(o->live[owner]);
    o->handle[owner] = handle;
    o->moves++;
}

static const struct zpool_owner_ops owner_ops = {owners_for_each, owners_moved};

/* 4 full pages of 8 objects; 6 of 8 freed in each leaves 2 a page: 32 slots, 8 used, so
 * floor(24 / 8) = 3 pages can go and all 8 survivors fit in one. The new loop keeps its destination
 * and moves 2 + 2 + 2; the old one drains the zspage that was put back last: 2 + 4 + 6. */
static void compaction_case(struct zs_policy p, uint32_t moves) {
    static struct owners o;
    uint8_t buf[504], want[504];
    struct zpool *z = make(p, true);
    memset(&o, 0, sizeof(o));
    for (uint32_t i = 0; i < 32; i++) {
        o.handle[i] = get(z, 504, i);
        o.live[i] = true;
        memset(buf, (int)i + 1, sizeof(buf));
        z->ops->write(z, o.handle[i], buf, sizeof(buf));
    }
    assert_int_equal(z->ops->compactable(z), 0);
    assert_int_equal(z->ops->compact(z, &owner_ops, &o), 0);
    for (uint32_t i = 0; i < 32; i++)
        if (i % 8 != 3 && i % 8 != 5) {
            z->ops->free(z, o.handle[i]);
            o.live[i] = false;
        }
    assert_int_equal(stats_of(z, 30).freeable, 3);
    assert_int_equal(z->ops->compactable(z), 3);
    assert_int_equal(z->ops->compact(z, &owner_ops, &o), 3);
    assert_int_equal(o.moves, moves);
    assert_int_equal(z->ops->total_pages(z), 1);
    assert_int_equal(zs_pages_compacted(z), 3);
    for (uint32_t i = 0; i < 32; i++) {
        if (!o.live[i])
            continue;
        memset(want, (int)i + 1, sizeof(want));
        z->ops->read(z, o.handle[i], buf, sizeof(buf));
        assert_memory_equal(buf, want, sizeof(buf));
    }
    done(z);
}

static void test_compaction(void **state) {
    (void)state;
    compaction_case(old4, 12);
    compaction_case(new8, 6);
}

/* floor() is taken per class: 7 free slots in each of two classes of 8 objects free nothing. */
static void test_freeable_per_class(void **state) {
    (void)state;
    struct zpool *z = make(new8, false);
    get(z, 504, 0);
    get(z, 1528, 1); /* class 1536: 8 objects in 3 pages */
    assert_int_equal(z->ops->compactable(z), 0);
    done(z);
}

/* Up to 6.3 a zspage with fewer objects than the front of its list goes second. Pages a and b have
 * 8 objects of class 512; a keeps 6, then b keeps 3, so b is at the front of almost_empty. With 7
 * free slots nothing is freeable, but compaction takes b off and puts it back: behind a. */
static void test_insertion_rule(void **state) {
    static struct owners o;
    uint32_t a[8], b[8], h;
    (void)state;
    struct zpool *z = make(old4, false);
    memset(&o, 0, sizeof(o));
    for (uint32_t i = 0; i < 8; i++)
        a[i] = get(z, 504, i);
    for (uint32_t i = 0; i < 8; i++)
        b[i] = get(z, 504, i);
    for (uint32_t i = 0; i < 2; i++)
        z->ops->free(z, a[i]);
    for (uint32_t i = 0; i < 5; i++)
        z->ops->free(z, b[i]);
    h = get(z, 504, 0);
    assert_int_equal(h, b[4]);
    z->ops->free(z, h);
    assert_int_equal(z->ops->compact(z, &owner_ops, &o), 0);
    assert_int_equal(get(z, 504, 0), a[1]);
    done(z);
}

/* ---- the file ---- */

static void test_classes_text(void **state) {
    char buf[32768];
    (void)state;
    struct zpool *z = make(old4, false);
    for (uint32_t i = 0; i < 7; i++)
        get(z, 504, i);
    get(z, 4096, 7);
    size_t n = zs_format_classes(z, buf, sizeof(buf));
    assert_int_equal(n, strlen(buf));
    assert_int_equal(zs_format_classes(z, NULL, 0), n);
    assert_ptr_equal(strstr(buf, " class  size almost_full almost_empty obj_allocated   obj_used "
                                 "pages_used pages_per_zspage freeable\n"),
                     buf);
    assert_non_null(strstr(buf, "\n    30   512           1            0             8          7"
                                "          1                1        0\n"));
    assert_non_null(strstr(buf, "\n   254  4096           0            0             1          1"
                                "          1                1        0\n\n"));
    /* Widths 5, 5, 11, 12, 13, 10, 10, 16, 8 with a blank before each. */
    char total[128];
    snprintf(total, sizeof(total), "\n\n %5s %5s %11u %12u %13u %10u %10u %16s %8u\n", "Total", "",
             1, 0, 9, 8, 2, "", 0);
    assert_non_null(strstr(buf, total));
    done(z);
    z = make(new8, false);
    get(z, 504, 0);
    zs_format_classes(z, buf, sizeof(buf));
    assert_ptr_equal(
        strstr(buf, " class  size       10%       20%       30%       40%       50%       60%"
                    "       70%       80%       90%       99%      100% obj_allocated   obj_used"
                    " pages_used pages_per_zspage freeable\n"),
        buf);
    assert_non_null(
        strstr(buf, "\n    30   512         0         1         0         0         0         0"
                    "         0         0         0         0         0             8          1"
                    "          1                1        0\n"));
    done(z);
}

/* ---- the acceptance rows of "zsmalloc: introduce zs_huge_class_size()", March 2018 ---- */

struct batch {
    uint32_t len, count;
};

static void fill(struct zpool *z, const struct batch *b, size_t n, uint32_t threshold) {
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < b[i].count; k++)
            get(z, b[i].len >= threshold ? 4096 : b[i].len, 0);
}

static void expect_row(const struct zpool *z, uint32_t index, uint64_t objs, uint64_t pages) {
    struct zs_class_stats s = stats_of(z, index);
    assert_int_equal(s.obj_allocated, objs);
    assert_int_equal(s.obj_used, objs);
    assert_int_equal(s.pages_used, pages);
    assert_int_equal(s.group[1] + s.group[2], 0);
}

/* The mail's figures for classes 151 to 254 with the threshold at "> 3072" and at 3257. Counts in
 * the bands are from its rows: 6800 objects move from class 254 to 202 and save 1360 pages. */
static void test_huge_threshold_rows(void **state) {
    static const struct batch pop[] = {{2440, 1240}, {2712, 4200}, {3064, 10100},
                                       {3070, 380},  {3200, 6800}, {3900, 3820}};
    (void)state;
    struct zpool *base = make(old4, false), *patched = make(old4, false);
    fill(base, pop, 6, 3073);
    fill(patched, pop, 6, 3257);
    expect_row(base, 151, 1240, 744);
    expect_row(base, 168, 4200, 2800);
    expect_row(base, 190, 10100, 7575);
    expect_row(base, 202, 380, 304);
    expect_row(base, 254, 10620, 10620);
    expect_row(patched, 151, 1240, 744);
    expect_row(patched, 168, 4200, 2800);
    expect_row(patched, 190, 10100, 7575);
    expect_row(patched, 202, 7180, 5744);
    expect_row(patched, 254, 3820, 3820);
    assert_int_equal(base->ops->total_pages(base) - patched->ops->total_pages(patched), 1360);
    done(base);
    done(patched);
}

/* Rows of Documentation/mm/zsmalloc.rst: slots and pages of classes 30, 31 and 32. */
static void test_document_rows(void **state) {
    static const struct {
        uint32_t len, index, slots, pages;
    } rows[] = {{504, 30, 3464, 433}, {520, 31, 4154, 536}, {536, 32, 4170, 556}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct zs_class_stats s = after(old4, rows[i].len, rows[i].index, rows[i].slots);
        assert_int_equal(s.obj_allocated, rows[i].slots);
        assert_int_equal(s.pages_used, rows[i].pages);
    }
}

/* Longer chains: fewer pages for the same lengths when there are many objects, because lengths
 * 3257..3624 stop being huge (the sign of the comparison in Documentation/mm/zsmalloc.rst). */
static void test_chain_size_sign(void **state) {
    (void)state;
    struct zs_policy p4 = new8;
    p4.chain_size = 4;
    struct zpool *a = make(p4, false), *b = make(new8, false);
    for (uint32_t i = 0; i < 60000; i++) {
        uint32_t len = 500 + (uint32_t)(rf_mix64(i) % 3300);
        get(a, len, i);
        get(b, len, i);
    }
    assert_true(b->ops->total_pages(b) < a->ops->total_pages(a));
    assert_true(stats_of(b, 254).obj_used < stats_of(a, 254).obj_used);
    done(a);
    done(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_class_counts),       cmocka_unit_test(test_published_examples),
        cmocka_unit_test(test_boundaries),         cmocka_unit_test(test_other_page_sizes),
        cmocka_unit_test(test_refusals),           cmocka_unit_test(test_pages_are_charged),
        cmocka_unit_test(test_slot_order),         cmocka_unit_test(test_groups_old),
        cmocka_unit_test(test_groups_new),         cmocka_unit_test(test_compaction),
        cmocka_unit_test(test_freeable_per_class), cmocka_unit_test(test_insertion_rule),
        cmocka_unit_test(test_classes_text),       cmocka_unit_test(test_huge_threshold_rows),
        cmocka_unit_test(test_document_rows),      cmocka_unit_test(test_chain_size_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
