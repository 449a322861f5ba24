/* SPDX-License-Identifier: Apache-2.0 */
/* The native trace format: what is written is read, totals, catalogue, and refused files. */
#include "trace_util.h"
#include "trace/format.h"
#include "trace/reader.h"

#define OK(call)                                                                                   \
    do {                                                                                           \
        struct rf_err *e_ = &err;                                                                  \
        if ((call) != 0)                                                                           \
            fail_msg("%s", e_->msg);                                                               \
    } while (0)

static struct rf_err err;

static struct trace_writer *start(const char *path, const struct trace_writer_params *p) {
    struct trace_writer *w = NULL;
    OK(trace_writer_open(path, p, &w, &err));
    return w;
}

static void event(struct trace_writer *w, struct trace_event e) {
    OK(trace_write_event(w, &e, &err));
}

/* One process with blocks 0 and 1. */
static struct trace_writer *start_small(const char *path) {
    static const struct trace_writer_params p = {.pacing = TRACE_PACE_ACCESSES,
                                                 .min_memory_pages = 77,
                                                 .provenance = "by hand",
                                                 .content_spec = "catalogue",
                                                 .dropped_file_pages = 5};
    struct trace_writer *w = start(path, &p);
    event(w, (struct trace_event){.kind = TEV_PROCESS, .parent = RF_NONE, .name = "one"});
    event(w, (struct trace_event){
                 .kind = TEV_MMAP, .flags = TMAP_ANON | TMAP_WRITE, .n = 1024, .vpn = 0x400});
    event(w, (struct trace_event){.kind = TEV_SWITCH});
    return w;
}

static void words(void **state) {
    (void)state;
    const char *path = in_scratch("words.rft");
    struct trace_writer *w = start_small(path);
    OK(trace_write_access(w, 700, false, &err));
    for (uint32_t i = 10; i < 20; i++) /* a run */
        OK(trace_write_access(w, i, true, &err));
    OK(trace_write_access(w, 20, false, &err));
    OK(trace_write_store(w, 21, 3, &err));
    OK(trace_write_content(w, 12, 1, &err));
    event(w, (struct trace_event){.kind = TEV_PACE, .value = 1ull << 40});
    OK(trace_write_access(w, 22, true, &err));
    OK(trace_write_access(w, 21, true, &err));
    for (uint32_t i = 0; i < 3; i++) {
        struct content_row row = {.size = {[CODEC_LZ4] = (uint16_t)(100 + i)}};
        OK(trace_write_row(w, &row, &err));
    }
    OK(trace_writer_close(w, &err));
    assert_trace(path, "process 0 -1 one\n"
                       "mmap 0 vma 0 ids 0+1024 vpn 400 flags 5\n"
                       "switch 0\n"
                       "R 700\n"
                       "W 10\nW 11\nW 12\nW 13\nW 14\nW 15\nW 16\nW 17\nW 18\nW 19\n"
                       "R 20\n"
                       "W 21=3\n"
                       "C 12=1\n"
                       "pace 0 1099511627776\n"
                       "W 22\n"
                       "W 21\n");
    struct trace_info i = info_of(path);
    assert_int_equal(i.version, 1);
    assert_int_equal(i.ops, 15);
    assert_int_equal(i.writes, 13);
    assert_int_equal(i.events, 4);
    assert_int_equal(i.content_changes, 2);
    assert_int_equal(i.blocks, 2);
    assert_int_equal(i.processes, 1);
    assert_int_equal(i.vmas, 1);
    assert_int_equal(i.pages_touched, 14); /* 700, 10 .. 22 */
    assert_int_equal(i.footprint_pages, 14);
    assert_int_equal(i.dropped_file_pages, 5);
    assert_int_equal(i.min_memory_pages, 77);
    assert_int_equal(i.max_content, 3);
    assert_int_equal(i.pacing, TRACE_PACE_ACCESSES);
    assert_false(i.implicit_content);
    assert_string_equal(i.provenance, "by hand");
    assert_string_equal(i.content_spec, "catalogue");
}

static void every_event(void **state) {
    (void)state;
    const char *path = in_scratch("events.rft");
    struct trace_writer *w = start_small(path);
    event(w, (struct trace_event){
                 .kind = TEV_PROCESS, .pid = 1, .parent = 0, .name = "fifteen chars.."});
    event(w, (struct trace_event){.kind = TEV_MMAP,
                                  .pid = 1,
                                  .vma = 4,
                                  .first = 1030,
                                  .n = 9,
                                  .vpn = 0x7fffff006,
                                  .flags = TMAP_FILE | TMAP_HUGEPAGE});
    event(w, (struct trace_event){.kind = TEV_FORK, .pid = 1, .first = 1024, .n = 512});
    event(w, (struct trace_event){.kind = TEV_DONTNEED, .pid = 0, .first = 3, .n = 1});
    event(w, (struct trace_event){.kind = TEV_MUNMAP, .pid = 0, .first = 512, .n = 512});
    event(w, (struct trace_event){.kind = TEV_EXEC, .pid = 1});
    event(w, (struct trace_event){.kind = TEV_EXIT, .pid = 1});
    event(w, (struct trace_event){.kind = TEV_WAIT, .pid = 0, .parent = 1});
    OK(trace_writer_close(w, &err));
    assert_trace(path, "process 0 -1 one\n"
                       "mmap 0 vma 0 ids 0+1024 vpn 400 flags 5\n"
                       "switch 0\n"
                       "process 1 0 fifteen chars..\n"
                       "mmap 1 vma 4 ids 1030+9 vpn 7fffff006 flags a\n"
                       "fork 1 of 0 ids 1024 from 512\n"
                       "dontneed 0 ids 3+1\n"
                       "munmap 0 ids 512+512\n"
                       "exec 1\n"
                       "exit 1\n"
                       "wait 0 for 1\n");
    assert_int_equal(info_of(path).vmas, 5);
    assert_int_equal(info_of(path).blocks, 3);
}

/* Pages in use: 3 of process 0, then 4 of process 1 which exits, then one dropped, two new. */
static void footprint(void **state) {
    (void)state;
    const char *path = in_scratch("footprint.rft");
    struct trace_writer *w = start_small(path);
    for (uint32_t i = 0; i < 3; i++)
        OK(trace_write_access(w, i, true, &err));
    event(w, (struct trace_event){.kind = TEV_PROCESS, .pid = 1, .parent = 0});
    event(w, (struct trace_event){.kind = TEV_MMAP, .pid = 1, .vma = 1, .first = 1024, .n = 512});
    event(w, (struct trace_event){.kind = TEV_SWITCH, .pid = 1});
    for (uint32_t i = 0; i < 4; i++)
        OK(trace_write_access(w, 1024 + i, true, &err));
    event(w, (struct trace_event){.kind = TEV_EXIT, .pid = 1});
    event(w, (struct trace_event){.kind = TEV_SWITCH, .pid = 0});
    event(w, (struct trace_event){.kind = TEV_DONTNEED, .pid = 0, .first = 0, .n = 2});
    for (uint32_t i = 0; i < 4; i++)
        OK(trace_write_access(w, 2 + i, false, &err));
    OK(trace_writer_close(w, &err));
    struct trace_info i = info_of(path);
    assert_int_equal(i.footprint_pages, 7);
    assert_int_equal(i.pages_touched, 10);
}

static void catalogue(void **state) {
    (void)state;
    const char *path = in_scratch("rows.rft");
    struct trace_writer *w = start_small(path);
    enum { N = 70000 }; /* three blocks of rows */
    for (uint32_t i = 0; i < N; i++) {
        struct content_row row = {.size = {[CODEC_LZO] = (uint16_t)(i % 5000),
                                           [CODEC_LZ4] = (uint16_t)(i % 4097),
                                           [CODEC_ZSTD] = (uint16_t)(i % 3 ? 8191 : 0)},
                                  .same_filled = i % 7 == 0,
                                  .word = i % 7 == 0 ? i * 0x100000001ull : 0};
        OK(trace_write_row(w, &row, &err));
    }
    OK(trace_write_store(w, 0, N, &err));
    OK(trace_writer_close(w, &err));
    struct trace_reader *r;
    struct content_row *rows;
    size_t n;
    OK(trace_open(path, &r, &err));
    OK(trace_load_rows(r, &rows, &n, &err));
    assert_int_equal(n, N);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(rows[i].size[CODEC_LZO], i % 5000);
        assert_int_equal(rows[i].size[CODEC_LZ4], i % 4097);
        assert_int_equal(rows[i].size[CODEC_ZSTD], i % 3 ? 8191 : 0);
        assert_int_equal(rows[i].size[CODEC_842], 0);
        assert_int_equal(rows[i].same_filled, i % 7 == 0);
        assert_int_equal(rows[i].word, i % 7 == 0 ? i * 0x100000001ull : 0);
    }
    free(rows);
    OK(trace_verify(r, &err));
    struct content_set *cs;
    OK(trace_load_content(r, &cs, &err));
    assert_int_equal(content_count(cs), N);
    assert_int_equal(content_size(cs, 1000, CODEC_LZ4), 999);
    content_free(cs);
    trace_close(r);
}

/* Blocks of 2^18 words; first_op counts accesses; a second pass sees the same. */
static void blocks_and_rewind(void **state) {
    (void)state;
    const char *path = in_scratch("blocks.rft");
    struct trace_writer *w = start_small(path);
    for (uint32_t i = 0; i < 600000; i++)
        OK(trace_write_access(w, i % 1024, false, &err));
    OK(trace_writer_close(w, &err));
    struct trace_reader *r;
    struct trace_block b;
    OK(trace_open(path, &r, &err));
    for (int pass = 0; pass < 2; pass++) {
        uint64_t seen = 0, n = 0;
        int rc;
        while ((rc = trace_next(r, &b, &err)) == 1) {
            assert_int_equal(b.first_op, seen);
            seen += b.nops - b.nevents;
            n++;
        }
        assert_int_equal(rc, 0);
        assert_int_equal(seen, 600000);
        assert_int_equal(n, 3);
        assert_int_equal(trace_next(r, &b, &err), 0); /* stays at the end */
        OK(trace_rewind(r, &err));
    }
    trace_close(r);
}

static void bank(void **state) {
    (void)state;
    uint8_t pages[2 * RF_PAGE_SIZE];
    memset(pages, 'a', sizeof(pages));
    pages[5000] = 'b';
    put_file(in_scratch("pages.bin"), pages, sizeof(pages));
    struct content_set *cs;
    char spec[64];
    OK(content_from_bank(pages, 2, &cs, &err));
    (void)snprintf(spec, sizeof(spec), "bank:pages.bin:%016llx",
                   (unsigned long long)content_digest(cs));
    content_free(cs);
    struct trace_writer_params p = {.content_spec = spec};
    struct trace_writer *w = start(in_scratch("bank.rft"), &p);
    OK(trace_write_store(w, 0, 2, &err));
    OK(trace_writer_close(w, &err));
    struct trace_reader *r;
    OK(trace_open(in_scratch("bank.rft"), &r, &err));
    OK(trace_load_content(r, &cs, &err)); /* found beside the trace */
    assert_true(content_same_filled(cs, 1, NULL));
    assert_false(content_same_filled(cs, 2, NULL));
    content_free(cs);
    pages[5000] = 'c';
    put_file(in_scratch("pages.bin"), pages, sizeof(pages));
    assert_int_equal(trace_load_content(r, &cs, &err), RF_EINPUT);
    assert_non_null(strstr(err.msg, "digest"));
    trace_close(r);
    /* not beside it, but where it was when the trace was made */
    pages[5000] = 'b';
    put_file(in_scratch("elsewhere.bin"), pages, sizeof(pages));
    assert_int_equal(unlink(in_scratch("pages.bin")), 0);
    char elsewhere[128];
    (void)snprintf(elsewhere, sizeof(elsewhere), "%s", in_scratch("elsewhere.bin"));
    p.bank_path = elsewhere;
    w = start(in_scratch("bank.rft"), &p);
    OK(trace_write_store(w, 0, 2, &err));
    OK(trace_writer_close(w, &err));
    OK(trace_open(in_scratch("bank.rft"), &r, &err));
    OK(trace_load_content(r, &cs, &err));
    content_free(cs);
    trace_close(r);
}

static void unfinished(void **state) {
    (void)state;
    const char *path = in_scratch("unfinished.rft");
    struct trace_writer *w = start_small(path);
    assert_int_equal(access(path, F_OK), -1); /* not under its name before it is complete */
    trace_writer_abort(w);
    assert_int_equal(access(in_scratch("unfinished.rft.part"), F_OK), -1);
}

static void refused_writes(void **state) {
    (void)state;
    struct trace_writer *w = start_small(in_scratch("refused.rft"));
    struct trace_event e = {.kind = TEV_MMAP, .pid = 1, .first = 5, .n = 1, .vpn = 5};
    assert_int_equal(trace_write_access(w, 1u << 28, false, &err), RF_ELIMIT);
    assert_int_equal(trace_write_store(w, 0, 1u << 28, &err), RF_ELIMIT);
    assert_int_equal(trace_write_event(w, &e, &err), RF_EINPUT); /* block 0 is process 0's */
    e.first = 2000;
    assert_int_equal(trace_write_event(w, &e, &err), RF_EUSAGE); /* vpn 5 is elsewhere in 2 MiB */
    trace_writer_abort(w);
    struct trace_writer_params p = {0};
    assert_int_equal(trace_writer_open("/nonexistent/x.rft", &p, &w, &err), RF_EIO);
}

static void refuse(const char *path, const char *expected) {
    struct trace_reader *r;
    assert_int_equal(trace_open(path, &r, &err), RF_EINPUT);
    if (!strstr(err.msg, expected))
        fail_msg("\"%s\" lacks \"%s\"", err.msg, expected);
}

static void refused_reads(void **state) {
    (void)state;
    const char *path = in_scratch("good.rft"), *bad = in_scratch("bad.rft");
    struct trace_writer *w = start_small(path);
    OK(trace_write_access(w, 1, false, &err));
    OK(trace_writer_close(w, &err));
    size_t n;
    uint8_t *f = get_file(path, &n);

    put_file(bad, f, 0);
    refuse(bad, "offset 0: end of file within the header, expected 64 more bytes");
    put_file(bad, "#swtrace 1 page=4096 and some more, so that it is longer than a header", 70);
    refuse(bad, "offset 0: found 23 73 77 74, expected a refault trace");
    put_file(bad, f, n - 1);
    refuse(bad, "offset 32: file has");
    f[8] = 2;
    put_file(bad, f, n);
    refuse(bad, "offset 56: header has checksum");
    f[8] = 1;
    f[n - 20] ^= 1;
    put_file(bad, f, n);
    refuse(bad, "footer has checksum");
    f[n - 20] ^= 1;
    f[64 + 70] ^= 1; /* within the first block's payload */
    put_file(bad, f, n);
    struct trace_reader *r;
    struct trace_block b;
    OK(trace_open(bad, &r, &err));
    assert_int_equal(trace_next(r, &b, &err), RF_EINPUT);
    assert_non_null(strstr(err.msg, "offset 64: block has checksum"));
    trace_close(r);
    refuse(in_scratch("missing.rft"), "cannot be opened");
    refuse(scratch, "offset 0");
    free(f);
}

/* verify finds what the format alone allows: an access to a page that is not mapped. */
static void verify_sense(void **state) {
    (void)state;
    struct trace_reader *r;
    for (int i = 0; i < 3; i++) {
        struct trace_writer *w = start_small(in_scratch("sense.rft"));
        OK(trace_write_access(w, 9, false, &err));
        if (i == 1)
            OK(trace_write_access(w, 1024, false, &err));
        if (i == 2)
            event(w, (struct trace_event){.kind = TEV_EXIT, .pid = 3});
        OK(trace_writer_close(w, &err));
        OK(trace_open(in_scratch("sense.rft"), &r, &err));
        assert_int_equal(trace_verify(r, &err), i ? RF_EINPUT : 0);
        if (i == 1)
            assert_non_null(strstr(err.msg, "offset 64: access 1: operation on page 1024"));
        if (i == 2)
            assert_non_null(strstr(err.msg, "event of process 3"));
        trace_close(r);
    }
}

/* The bytes of a small block by hand, from docs/trace-format.md. */
static void decode_by_hand(void **state) {
    (void)state;
    /* load 5; store 3; run of 4 loads; store 8 = content 2; event */
    uint8_t raw[64] = {
        0x80 | 0x00, 0xd4, 0x06, /* nibbles: 0 8 4 d 6 */
        10,          3,          /* +5, -2 */
        4,           2,    4,    /* run 4; +1, +2 */
        TEV_SWITCH,  0,          /* event */
    };
    struct rft_block_header h = {.kind = RFT_RECORDS,
                                 .count = 9,
                                 .records = 5,
                                 .data_bytes = 2,
                                 .args_bytes = 3,
                                 .event_bytes = 2,
                                 .nevents = 1,
                                 .raw_bytes = 10};
    struct rft_limits lim = {.blocks = 1, .processes = 1, .max_content = 2};
    uint32_t ops[16];
    struct trace_event ev[2];
    struct rft_decoded found;
    static const uint32_t expected[] = {5, OP_WRITE | 3, 4, 5, 6, 7, OP_WRITE | OP_CONTENT | 8,
                                        2, OP_EVENT};
    OK(rft_decode(&h, raw, &lim, 64, ops, ev, &found, &err));
    assert_memory_equal(ops, expected, sizeof(expected));
    assert_int_equal(ev[0].kind, TEV_SWITCH);
    assert_int_equal(found.accesses, 7);
    assert_int_equal(found.contents, 1);
    lim.max_content = 1;
    assert_int_equal(rft_decode(&h, raw, &lim, 64, ops, ev, &found, &err), RF_EINPUT);
    lim.max_content = 2;
    raw[4] = 13; /* -7: a page before the first */
    assert_int_equal(rft_decode(&h, raw, &lim, 64, ops, ev, &found, &err), RF_EINPUT);
    raw[4] = 3;
    h.count = 8;
    assert_int_equal(rft_decode(&h, raw, &lim, 64, ops, ev, &found, &err), RF_EINPUT);
    h.count = 10;
    assert_int_equal(rft_decode(&h, raw, &lim, 64, ops, ev, &found, &err), RF_EINPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(every_event),
        cmocka_unit_test(footprint),
        cmocka_unit_test(catalogue),
        cmocka_unit_test(blocks_and_rewind),
        cmocka_unit_test(bank),
        cmocka_unit_test(unfinished),
        cmocka_unit_test(refused_writes),
        cmocka_unit_test(refused_reads),
        cmocka_unit_test(verify_sense),
        cmocka_unit_test(decode_by_hand),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
