/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting traces: the start as it is, later parts with their state rebuilt, fewer catalogue rows.
 */
#include "trace_util.h"
#include "trace/cut.h"
#include "trace/importers/importer.h"
#include "trace/reader.h"

static struct rf_err err;

static void text(const char *ops) {
    struct import_options opt = {.pages = 512};
    put_text(in_scratch("in.txt"), ops);
    if (importer_find("text")->import(in_scratch("in.txt"), in_scratch("in.rft"), &opt, &err))
        fail_msg("%s", err.msg);
}

static void cut(uint64_t from, uint64_t to, const char *expected) {
    struct trace_cut_params p = {.from = from, .to = to};
    struct trace_reader *r;
    if (trace_cut(in_scratch("in.rft"), in_scratch("out.rft"), &p, &err))
        fail_msg("%s", err.msg);
    assert_trace(in_scratch("out.rft"), expected);
    assert_int_equal(trace_open(in_scratch("out.rft"), &r, &err), 0);
    if (trace_verify(r, &err))
        fail_msg("%s", err.msg);
    trace_close(r);
}

#define START                                                                                      \
    "process 0 -1 text\n"                                                                          \
    "mmap 0 vma 0 ids 0+512 vpn 7f0000000 flags 15\n"                                              \
    "switch 0\n"

static void beginning(void **state) {
    (void)state;
    text("W 1 4\nR 2\nD 1\nR 3\nR 4\n");
    cut(0, 2, START "W 1=5\nR 2\ndontneed 0 ids 1+1\n");
    cut(0, 99, START "W 1=5\nR 2\ndontneed 0 ids 1+1\nR 3\nR 4\n");
}

/* Pages 1 (dropped) .. 4 before access 5; in the order of their last accesses 3, 2, 4. */
static void middle(void **state) {
    (void)state;
    text("W 1 4\nW 2 5\nR 3\nW 2\nD 1\nW 4\nR 9\nW 8 1\nR 1\n");
    cut(5, 7,
        START "R 3\nW 2=6\nW 4\n"
              "R 9\nW 8=2\n");
}

/* Within the child, which has a copy of page 1 and its own page 2. Its parent goes on later. */
static void in_child(void **state) {
    (void)state;
    text("W 1 4\nF\ncW 2 5\ncR 7\ncR 8\nR 9\n");
    cut(2, 99,
        "process 0 -1 text\n"
        "process 1 0 child\n"
        "mmap 0 vma 0 ids 0+512 vpn 7f0000000 flags 15\n"
        "mmap 1 vma 1 ids 512+512 vpn 7f0000000 flags 15\n"
        "switch 0\nW 1=5\n"
        "switch 1\nW 513=5\nW 514=6\nR 519\nR 520\n"
        "exit 1\nwait 0 for 1\nswitch 0\nR 9\n");
    cut(4, 99,
        "process 0 -1 text\n"
        "process 1 0 child\n"
        "exit 1\n"
        "mmap 0 vma 0 ids 0+512 vpn 7f0000000 flags 15\n"
        "switch 0\nW 1=5\nR 9\n");
}

/* Only rows 3 and 1 of four are used by the second half, and are numbered anew. */
static void rows(void **state) {
    (void)state;
    struct trace_writer_params p = {.content_spec = "catalogue"};
    struct trace_writer *w;
    struct trace_event ev[3] = {{.kind = TEV_PROCESS, .parent = RF_NONE, .name = "text"},
                                {.kind = TEV_MMAP, .n = 512, .vpn = 0x7f0000000, .flags = 0x15},
                                {.kind = TEV_SWITCH}};
    static const uint32_t stores[] = {4, 4, 3, 1, 0, 3};
    assert_int_equal(trace_writer_open(in_scratch("in.rft"), &p, &w, &err), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(trace_write_event(w, &ev[i], &err), 0);
    for (uint32_t i = 1; i <= 4; i++) {
        struct content_row row = {.size = {[CODEC_LZ4] = (uint16_t)(i * 10)}};
        assert_int_equal(trace_write_row(w, &row, &err), 0);
    }
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(trace_write_store(w, 5, stores[i], &err), 0);
    assert_int_equal(trace_writer_close(w, &err), 0);
    cut(3, 6, START "W 5=1\nW 5=2\nW 5=0\nW 5=1\n");
    struct trace_reader *r;
    struct content_row *got;
    size_t n;
    assert_int_equal(trace_open(in_scratch("out.rft"), &r, &err), 0);
    assert_int_equal(trace_load_rows(r, &got, &n, &err), 0);
    assert_int_equal(n, 2);
    assert_int_equal(got[0].size[CODEC_LZ4], 30);
    assert_int_equal(got[1].size[CODEC_LZ4], 10);
    free(got);
    trace_close(r);
}

static void refused(void **state) {
    (void)state;
    text("R 1\nR 2\n");
    struct trace_cut_params p = {.from = 2, .to = 9};
    assert_int_equal(trace_cut(in_scratch("in.rft"), in_scratch("x.rft"), &p, &err), RF_EUSAGE);
    assert_int_equal(access(in_scratch("x.rft"), F_OK), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beginning), cmocka_unit_test(middle),  cmocka_unit_test(in_child),
        cmocka_unit_test(rows),      cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
