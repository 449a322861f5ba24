/* SPDX-License-Identifier: Apache-2.0 */
/* The swtrace importer: which accesses stay, contents, mappings, exits, and lines it refuses. */
#include <zstd.h>
#include "trace_util.h"
#include "trace/importers/importer.h"
#include "trace/reader.h"

#define HEAD "#swtrace 1 page=4096 k=16 source=test\nP 10 9 /bin/prog -x\n"

static struct rf_err err;
static struct import_options opt;

static int import(const char *text) {
    put_text(in_scratch("in.swt"), text);
    return importer_find("swtrace")->import(in_scratch("in.swt"), in_scratch("out.rft"), &opt,
                                            &err);
}

static void imports(const char *text, const char *expected) {
    struct trace_reader *r;
    if (import(text))
        fail_msg("%s", err.msg);
    assert_trace(in_scratch("out.rft"), expected);
    assert_int_equal(trace_open(in_scratch("out.rft"), &r, &err), 0);
    if (trace_verify(r, &err))
        fail_msg("%s", err.msg);
    trace_close(r);
}

/* Pages 401 (never stored to) and 300 of the file mapping are file-backed; page 400 is read before
 * it is stored to, outside all mappings; 301 is read and then stored to within the file mapping. */
static void file_pages(void **state) {
    (void)state;
    imports(HEAD "m 300 10 f\nx 401\nr 400\nr 300\nr 301\nw 400\nw 301\nr 301\nx 400\n",
            "process 0 -1 prog\nswitch 0\n"
            "mmap 0 vma 0 ids 0+1 vpn 400 flags 5\n"
            "R 0\n"
            "W 0\n"
            "mmap 0 vma 1 ids 768+16 vpn 300 flags 7\n"
            "W 769\nR 769\n"
            "R 0\n");
    struct trace_info i = info_of(in_scratch("out.rft"));
    assert_int_equal(i.dropped_file_pages, 2);
    assert_int_equal(i.min_memory_pages, 64);
    assert_int_equal(i.pacing, TRACE_PACE_ACCESSES);
    assert_int_equal(i.footprint_pages, 2);
}

static void keep_file_pages(void **state) {
    (void)state;
    opt.file_pages = true;
    imports(HEAD "C 0 aa 100 101 102\nm 300 10 f\nr 300\nc 300 0\nw 301\n",
            "process 0 -1 prog\nswitch 0\n"
            "mmap 0 vma 0 ids 256+16 vpn 300 flags 7\n"
            "W 256=1\n" /* filled from the file: what the recorder saw */
            "W 257=1\n");
    opt.file_pages = false;
    assert_int_equal(info_of(in_scratch("out.rft")).dropped_file_pages, 0);
}

/* The first store takes the next c, wherever it comes; later ones stay in their place, and only
 * where they change something. Class b is the second row. */
static void contents(void **state) {
    (void)state;
    imports(HEAD "C a 1 10 11 12\nw 400\nr 402\nw 402\nS b ff 27 44 19\nc 402 a\nc 400 b\nw 400\n"
                 "c 400 b\nc 400 a\n",
            "process 0 -1 prog\nswitch 0\n"
            "mmap 0 vma 0 ids 0+3 vpn 400 flags 5\n"
            "W 0=2\n"
            "R 2\n"
            "W 2=1\n"
            "W 0\n"
            "C 0=1\n");
    struct trace_reader *r;
    struct content_row *rows;
    size_t n;
    assert_int_equal(trace_open(in_scratch("out.rft"), &r, &err), 0);
    assert_int_equal(trace_load_rows(r, &rows, &n, &err), 0);
    assert_int_equal(n, 2);
    assert_int_equal(rows[0].size[CODEC_LZ4], 10);
    assert_int_equal(rows[0].size[CODEC_LZO], 11);
    assert_int_equal(rows[0].size[CODEC_ZSTD], 12);
    assert_false(rows[0].same_filled);
    assert_true(rows[1].same_filled);
    assert_int_equal(rows[1].word, 0xff);
    free(rows);
    trace_close(r);
}

/* A page without any c takes some class of the recording. */
static void content_unknown(void **state) {
    (void)state;
    imports(HEAD "C 0 1 10 11 12\nw 400\n", "process 0 -1 prog\nswitch 0\n"
                                            "mmap 0 vma 0 ids 0+1 vpn 400 flags 5\nW 0=1\n");
}

/* After u the range is accessed again: MADV_DONTNEED; 500 + 2 is not: munmap. What a page holds
 * then is what the next c says. */
static void unmapping(void **state) {
    (void)state;
    imports(HEAD "C 1 1 10 11 12\nC 2 1 20 21 22\nm 400 4 a\nm 600 2 a\nw 400\nw 401\nw 600\n"
                 "c 400 1\nc 401 1\nc 600 1\nu 400 2\nu 600 2\nw 401\nc 401 2\n",
            "process 0 -1 prog\nswitch 0\n"
            "mmap 0 vma 0 ids 0+4 vpn 400 flags 5\n"
            "W 0=1\nW 1=1\n"
            "mmap 0 vma 1 ids 512+2 vpn 600 flags 5\n"
            "W 512=1\n"
            "dontneed 0 ids 0+2\n"
            "munmap 0 ids 512+2\n"
            "W 1=2\n");
    assert_int_equal(info_of(in_scratch("out.rft")).footprint_pages, 3);
}

/* A new mapping over the middle of an old one. */
static void remapping(void **state) {
    (void)state;
    imports(HEAD "m 400 6 a\nw 400\nw 402\nw 405\nm 402 2 a\nw 402\nr 405\n",
            "process 0 -1 prog\nswitch 0\n"
            "mmap 0 vma 0 ids 0+6 vpn 400 flags 5\n"
            "W 0\nW 2\nW 5\n"
            "munmap 0 ids 2+2\n"
            "mmap 0 vma 1 ids 2+2 vpn 402 flags 5\n"
            "W 2\nR 5\n");
}

/* Implicit mappings: runs of stored-to pages with at most 16 pages between them. 400 and 411 (16
 * between) are one, 423 (17 between) is another. */
static void implicit_mappings(void **state) {
    (void)state;
    imports(HEAD "w 411\nw 423\nw 400\n", "process 0 -1 prog\nswitch 0\n"
                                          "mmap 0 vma 0 ids 0+18 vpn 400 flags 5\n"
                                          "W 17\n"
                                          "mmap 0 vma 1 ids 35+1 vpn 423 flags 5\n"
                                          "W 35\nW 0\n");
}

static void processes(void **state) {
    (void)state;
    imports("#swtrace 1 page=4096 k=16\nP 7 1 gcc\nw 5\nP 8 7 cc1\nw 5\nt 100 5000\nP 7\nw 6\n"
            "P 8\nr 5\nt 200 12000\n# end\n",
            "process 0 -1 gcc\nswitch 0\n"
            "mmap 0 vma 0 ids 5+2 vpn 5 flags 5\n"
            "W 5\n"
            "process 1 0 cc1\nswitch 1\n"
            "mmap 1 vma 1 ids 517+1 vpn 5 flags 5\n"
            "W 517\n"
            "pace 1 5000\n"
            "switch 0\nW 6\n"
            "exit 0\n"
            "switch 1\nR 517\n"
            "pace 1 7000\n");
}

static void compressed(void **state) {
    (void)state;
    static const char text[] = HEAD "w 400\nx # end r=1\n"; /* stopped within a line */
    char z[512];
    size_t n = ZSTD_compress(z, sizeof(z), text, sizeof(text) - 1, 3);
    put_file(in_scratch("in.zst"), z, n);
    assert_int_equal(
        importer_find("swtrace")->import(in_scratch("in.zst"), in_scratch("out.rft"), &opt, &err),
        0);
    assert_int_equal(info_of(in_scratch("out.rft")).ops, 1);
    put_file(in_scratch("in.zst"), z, n - 5);
    assert_int_equal(
        importer_find("swtrace")->import(in_scratch("in.zst"), in_scratch("out.rft"), &opt, &err),
        RF_EINPUT);
    assert_non_null(strstr(err.msg, "cut off"));
}

static void refuses(const char *text, const char *expected) {
    assert_int_equal(import(text), RF_EINPUT);
    if (!strstr(err.msg, expected))
        fail_msg("\"%s\" lacks \"%s\"", err.msg, expected);
}

static void bad_lines(void **state) {
    (void)state;
    refuses("", "line 1");
    refuses("R 1\n", "line 1: found \"R 1\", expected #swtrace 1");
    refuses("#swtrace 2 page=4096\n", "line 1");
    refuses("#swtrace 1 page=4096 k=1\nr 1\n", "line 2: found \"r 1\", expected a process");
    refuses(HEAD, "found no access, expected at least one");
    refuses(HEAD "w 1\nq 1\n", "line 4: found \"q 1\"");
    refuses(HEAD "w xyz\n", "line 3");
    refuses(HEAD "w 10000000000000\n", "line 3");
    refuses(HEAD "w 1\nc 1 5\n", "line 4: found \"c 1 5\", expected c page class");
    refuses(HEAD "C 5 1 2 3\n", "line 3");
    refuses(HEAD "C 5 1 2 3 99999\n", "line 3");
    refuses(HEAD "C 5 1 2 3 4\nC 5 1 2 3 4\n", "line 4");
    refuses(HEAD "m 1 fffffffffffffff a\n", "line 3");
    refuses(HEAD "m 1 1 z\n", "line 3");
    refuses(HEAD "t 5\n", "line 3");
    refuses(HEAD "P x\n", "line 3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_pages),        cmocka_unit_test(keep_file_pages),
        cmocka_unit_test(contents),          cmocka_unit_test(content_unknown),
        cmocka_unit_test(unmapping),         cmocka_unit_test(remapping),
        cmocka_unit_test(implicit_mappings), cmocka_unit_test(processes),
        cmocka_unit_test(compressed),        cmocka_unit_test(bad_lines),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
