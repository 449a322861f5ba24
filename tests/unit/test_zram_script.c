/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts for zram: every operation, the callbacks, and messages that name the line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "zram_script.h"

struct seen {
    char labels[64], sysfs[128];
    struct zram_script_counts n;
    struct zram_mm_stat mm;
    uint16_t size[8];
    size_t nr_sizes;
};

static int on_snapshot(void *ctx, const char *label, const struct zram *z,
                       const struct zram_script_counts *n, struct rf_err *err) {
    struct seen *s = ctx;
    (void)err;
    strcat(s->labels, label);
    strcat(s->labels, ";");
    s->n = *n;
    zram_mm_stat(z, &s->mm);
    return 0;
}

static int on_sysfs(void *ctx, const char *file, const char *text, int rc, struct rf_err *err) {
    struct seen *s = ctx;
    (void)err;
    snprintf(s->sysfs, sizeof(s->sysfs), "%s|%s|%d", file, text, rc);
    return 0;
}

static int on_sizes(void *ctx, const uint16_t *size, size_t nr, struct rf_err *err) {
    struct seen *s = ctx;
    (void)err;
    assert_true(nr <= 8);
    memcpy(s->size, size, nr * sizeof(*size));
    s->nr_sizes = nr;
    return 0;
}

/* Bank: same-filled, 1000, 4000 (huge with chains of 8), 2000 bytes. */
static int run(const char *text, struct seen *s, struct rf_err *err) {
    static const struct zram_script_ops ops = {
        .snapshot = on_snapshot, .sysfs = on_sysfs, .sizes = on_sizes};
    struct content_row rows[4] = {{.same_filled = true}, {.word = 0}, {.word = 0}, {.word = 0}};
    struct content_set *cs = NULL;
    rows[1].size[CODEC_LZ4] = 1000;
    rows[2].size[CODEC_LZ4] = 4000;
    rows[3].size[CODEC_LZ4] = 2000;
    assert_int_equal(content_from_rows(rows, 4, &cs, err), 0);
    struct zram_params p = {
        .policy = {.huge_by_class_size = true},
        .zs = {8, true, true, false, false},
        .name = "zram0",
        .disksize_pages = 100,
        .comp = {CODEC_LZ4, NR_CODECS, NR_CODECS, NR_CODECS},
        .content = cs,
    };
    memset(s, 0, sizeof(*s));
    int rc = zram_script_run("t.zs", text, strlen(text), &p, true, &ops, s, err);
    content_free(cs);
    return rc;
}

static void test_operations(void **state) {
    struct seen s;
    struct rf_err err = {0, ""};
    (void)state;
    assert_int_equal(run("# comment\n\nS start\nw 0 1\nw 1 2\n w 2 0\r\nr 0 1\nr 1 1\nr 50 0\n"
                         "w 100 1\nE /sys/block/zram0/mem_limit 1M\nS a b\nd 0\nd 1 2\nS end",
                         &s, &err),
                     0);
    assert_string_equal(s.labels, "start;a b;end;");
    assert_string_equal(s.sysfs, "mem_limit|1M|0");
    assert_int_equal(s.n.writes, 4);
    assert_int_equal(s.n.reads, 3);
    assert_int_equal(s.n.discards, 2);
    assert_int_equal(s.n.io_errors, 1);     /* page 100 of 100 */
    assert_int_equal(s.n.verify_errors, 1); /* page 1 has bank page 2; page 50 is zeros as bank 0 */
    assert_int_equal(s.mm.orig_data_size, 0);
    assert_int_equal(s.mm.mem_limit, 1 << 20);
    assert_int_equal(s.mm.huge_pages_since, 1);
}

static void test_sizes(void **state) {
    static const uint16_t want[] = {0, 1000, 4096, 2000};
    struct seen s;
    struct rf_err err = {0, ""};
    (void)state;
    assert_int_equal(run("P\nS after\n", &s, &err), 0);
    assert_int_equal(s.nr_sizes, 4);
    assert_memory_equal(s.size, want, sizeof(want));
    assert_int_equal(s.mm.compr_data_size, 1000 + 4096 + 2000);
    assert_int_equal(s.mm.same_pages, 1);
}

static void test_errors(void **state) {
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"S x\nz 1 2\n", "t.zs:2: found 'z 1 2', expected one of w, r, d, E, S, P"},
        {"w 1\n", "t.zs:1: found 'w 1', expected w or r and two numbers, page and bank page"},
        {"w 1 2 3\n",
         "t.zs:1: found 'w 1 2 3', expected w or r and two numbers, page and bank page"},
        {"w -1 2\n", "t.zs:1: found 'w -1 2', expected w or r and two numbers, page and bank page"},
        {"w 1 4\n", "t.zs:1: bank page 4, but the bank has only 4"},
        {"d\n", "t.zs:1: found 'd', expected d, a page and perhaps a number of pages"},
        {"E compact\n", "t.zs:1: found 'E compact', expected E, a file and a text"},
        {"write 1 2\n", "t.zs:1: found 'write 1 2', expected one of w, r, d, E, S, P and a space"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct seen s;
        struct rf_err err = {0, ""};
        assert_int_equal(run(bad[i].text, &s, &err), RF_EINPUT);
        assert_string_equal(err.msg, bad[i].message);
    }
}

/* What loading a file of these bytes, as they are or packed, says; "" if it is taken whole. */
static const char *load(const char *bytes, size_t n, bool pack, size_t max_line) {
    static struct rf_err err;
    static char packed[1 << 16];
    char path[] = "/tmp/test-zram-script-XXXXXX", *text = NULL;
    size_t len = pack ? ZSTD_compress(packed, sizeof(packed), bytes, n, 1) : n, got;
    int fd = mkstemp(path), rc;

    assert_true(fd >= 0 && !ZSTD_isError(len));
    assert_int_equal(write(fd, pack ? packed : bytes, len), len);
    close(fd);
    err = (struct rf_err){0};
    rc = zram_script_load(path, max_line, &text, &got, &err);
    unlink(path);
    if (rc == RF_OK) {
        assert_int_equal(got, n);
        assert_memory_equal(text, bytes, n);
        free(text);
        return "";
    }
    assert_int_equal(rc, RF_EINPUT);
    return err.msg + strlen(path);
}

static void test_text(void **state) {
    static const char zero[] = "w 0 0\nr\0 0\n", lines[] = "1234\n12345\n\n12345";

    (void)state;
    for (int pack = 0; pack < 2; pack++) {
        assert_string_equal(load(zero, sizeof(zero) - 1, pack, 100),
                            ":2: found a byte 0, expected text");
        assert_string_equal(load(zero, sizeof(zero) - 1, pack, SIZE_MAX),
                            ":2: found a byte 0, expected text");
        assert_string_equal(load(zero, sizeof(zero) - 1, pack, 0), "");
        assert_string_equal(load(lines, sizeof(lines) - 1, pack, 5), "");
        assert_string_equal(load(lines, sizeof(lines) - 1, pack, 4),
                            ":2: line of more than 4 bytes");
        assert_string_equal(load(lines, 5, pack, 4), "");
        assert_string_equal(load("", 0, pack, 4), "");
    }
}

/* What decompresses to more than 64 MiB is no script, but it may be a bank of pages. */
static void test_long(void **state) {
    size_t limit = (size_t)64 << 20;
    char *text = malloc(limit + 1);

    (void)state;
    assert_non_null(text);
    memset(text, '\n', limit + 1);
    assert_string_equal(load(text, limit, true, 100), "");
    assert_string_equal(load(text, limit + 1, true, 100), ": longer than 64 MiB");
    assert_string_equal(load(text, limit + 1, true, 0), "");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_errors),     cmocka_unit_test(test_text),
        cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
