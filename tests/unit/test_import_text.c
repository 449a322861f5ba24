/* SPDX-License-Identifier: Apache-2.0 */
/* The text importer: operations, forks, the region, and lines that it refuses. */
#include "trace_util.h"
#include "trace/importers/importer.h"

static struct rf_err err;

static int import(const char *text, const struct import_options *opt) {
    put_text(in_scratch("in.txt"), text);
    return importer_find("text")->import(in_scratch("in.txt"), in_scratch("out.rft"), opt, &err);
}

static void imports(const char *text, const struct import_options *opt, const char *expected) {
    if (import(text, opt))
        fail_msg("%s", err.msg);
    assert_trace(in_scratch("out.rft"), expected);
}

static void operations(void **state) {
    (void)state;
    struct import_options opt = {.pages = 700};
    imports("R 0\nW 699 41\n\n# comment\nD 3\r\nW 2\n  R\t1 \nR 2", &opt,
            "process 0 -1 text\n"
            "mmap 0 vma 0 ids 0+700 vpn 7f0000000 flags 15\n"
            "switch 0\n"
            "R 0\nW 699=42\ndontneed 0 ids 3+1\nW 2\nR 1\nR 2\n");
    assert_int_equal(info_of(in_scratch("out.rft")).pacing, TRACE_PACE_RECORDS);
    assert_string_equal(info_of(in_scratch("out.rft")).content_spec, "hist:mean=1650");
}

/* Without --pages the region ends at a multiple of 2 MiB behind the largest page. */
static void region(void **state) {
    (void)state;
    struct import_options opt = {.thp = true};
    imports("R 511\n", &opt,
            "process 0 -1 text\n"
            "mmap 0 vma 0 ids 0+512 vpn 7f0000000 flags d\nswitch 0\nR 511\n");
    imports("R 512\n", &opt,
            "process 0 -1 text\n"
            "mmap 0 vma 0 ids 0+1024 vpn 7f0000000 flags d\nswitch 0\nR 512\n");
}

static void forks(void **state) {
    (void)state;
    struct import_options opt = {.pages = 600, .contents = "usemem"};
    imports("W 1 0\nF\ncR 1\ncW 599 4\ncD 1\nR 1\nF\nF\nc R 0\n", &opt,
            "process 0 -1 text\n"
            "mmap 0 vma 0 ids 0+600 vpn 7f0000000 flags 15\n"
            "switch 0\n"
            "W 1=1\n"
            "process 1 0 child\n"
            "mmap 1 vma 1 ids 1024+600 vpn 7f0000000 flags 15\n"
            "fork 1 of 0 ids 1024 from 0\n"
            "fork 1 of 0 ids 1536 from 512\n"
            "switch 1\n"
            "R 1025\nW 1623=5\n"
            "dontneed 1 ids 1025+1\n"
            "exit 1\nwait 0 for 1\nswitch 0\n"
            "R 1\n"
            "process 2 0 child\n" /* a child that does nothing */
            "mmap 2 vma 2 ids 2048+600 vpn 7f0000000 flags 15\n"
            "fork 2 of 0 ids 2048 from 0\n"
            "fork 2 of 0 ids 2560 from 512\n"
            "switch 2\n"
            "exit 2\nwait 0 for 2\nswitch 0\n"
            "process 3 0 child\n"
            "mmap 3 vma 3 ids 3072+600 vpn 7f0000000 flags 15\n"
            "fork 3 of 0 ids 3072 from 0\n"
            "fork 3 of 0 ids 3584 from 512\n"
            "switch 3\n"
            "R 3072\n"
            "exit 3\nwait 0 for 3\nswitch 0\n");
    assert_string_equal(info_of(in_scratch("out.rft")).content_spec, "usemem");
}

static void bank(void **state) {
    (void)state;
    static uint8_t pages[3 * RF_PAGE_SIZE];
    struct trace_reader *r;
    struct content_set *cs;
    pages[0] = 1;
    put_file(in_scratch("b.bin"), pages, sizeof(pages));
    char path[128];
    (void)snprintf(path, sizeof(path), "%s", in_scratch("b.bin"));
    struct import_options opt = {.bank = path};
    assert_int_equal(import("W 0 2\nW 1 0\n", &opt), 0);
    assert_int_equal(trace_open(in_scratch("out.rft"), &r, &err), 0);
    assert_int_equal(strncmp(trace_reader_info(r)->content_spec, "bank:b.bin:", 11), 0);
    assert_int_equal(trace_load_content(r, &cs, &err), 0);
    assert_int_equal(content_count(cs), 3);
    assert_true(content_is_zero(cs, 3));
    assert_false(content_is_zero(cs, 1));
    content_free(cs);
    trace_close(r);
    assert_int_equal(import("W 0 2\nW 1 3\n", &opt), RF_EINPUT);
    assert_non_null(strstr(err.msg, "line 2: bank page 3, expected below the bank's 3 pages"));
}

static void refuses(const char *text, const char *expected) {
    struct import_options opt = {.pages = 10};
    assert_int_equal(import(text, &opt), RF_EINPUT);
    if (!strstr(err.msg, expected))
        fail_msg("\"%s\" lacks \"%s\"", err.msg, expected);
    assert_null(strchr(err.msg, '\n'));
}

static void bad_lines(void **state) {
    (void)state;
    refuses("", "found no operation, expected at least one");
    refuses("R 1\nX 2\n", "line 2: found \"X 2\", expected R page");
    refuses("R\n", "line 1: found \"R\"");
    refuses("R 1 2\n", "line 1");
    refuses("R -1\n", "line 1");
    refuses("R 0x1\n", "line 1");
    refuses("R1\n", "line 1");
    refuses("R 99999999999999999999999\n", "line 1");
    refuses("R 1\nR 10\n", "line 2: page 10, expected below the region's 10 pages");
    refuses("W 1 268435455\n", "line 1");
    refuses("F 1\n", "line 1");
    refuses("R 1\ncR 1\n", "line 2: found \"cR 1\", expected a fork (F) before");
    refuses("F\ncR 1\nR 1\ncR 2\n", "line 4");
    refuses("\x28\xb5\x2f\xfd junk", "zstd");
    assert_int_equal(access(in_scratch("nothing.rft"), F_OK), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations), cmocka_unit_test(region),    cmocka_unit_test(forks),
        cmocka_unit_test(bank),       cmocka_unit_test(bad_lines),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
