/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and judging recorded runs; expected values are worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "config/settings.h"
#include "validate/catalogue.h"
#include "validate/sha256.h"
#include "validate_case.h"

#define NEAR 1e-12

static bool near(double a, double b) {
    return a - b < NEAR && b - a < NEAR;
}

/* Four stores to three pages with memory to spare: three faults, nothing swapped. */
static void plain_case(const char *pgfault) {
    char text[2048];

    put("traces/t.txt", "W 0 0\nW 1 1\nW 2 0\nW 0 1\n");
    put("banks/b.pages", "codecs lz4 lzo\n1000 1100\n=0 20 22\n");
    snprintf(text, sizeof(text),
             CASE("disk_t", KNOBS ",\"trace_ops\":4,\"counters\":{\"vmstat.pgfault\":%s,\"final_"
                                  "present\":[3,3,3]," NO_SWAP "},"
                                  "\"checkpoints\":{\"ops\":[2],\"pgfault\":[[3],[3]]},"
                                  "\"final_present_bitmap_rep0\":\"07\""),
             pgfault);
    put("6.12/disk_t.json", text);
}

static void test_plain_case(void **state) {
    struct validate_opts o = options();
    struct validation v;
    struct rf_err err = {0};

    (void)state;
    plain_case("[4,4,4]");
    assert_int_equal(validate_run(&o, &v, &err), RF_OK);
    assert_true(v.passed);
    assert_int_equal(v.nr_cases, 1);
    assert_int_equal(v.cases[0].judged.n, 2);
    assert_true(near(v.cases[0].judged.worst, 0));
    assert_true(near(v.cases[0].present_equal, 1));
    assert_int_equal(v.cases[0].nr_checkpoints, 1);
    assert_int_equal(v.cases[0].checkpoints[0].value[0], 3);
    assert_true(near(v.cases[0].checkpoints[0].error[0], 0));
    validation_free(&v);
}

static const struct row *row_named(const struct case_result *c, const char *name) {
    for (size_t i = 0; i < c->nr_rows; i++) {
        if (strcmp(c->rows[i].name, name) == 0)
            return &c->rows[i];
    }
    return NULL;
}

/* 6.12 flushes statistics every two seconds, so each replay of it has another phase; a kernel with
 * exact statistics is replayed once. The recorded time is shown, not judged. */
static void test_repetitions(void **state) {
    struct validate_opts o = options();
    struct validation v;
    struct knob_table knobs;
    struct validate_setting exact = {.value = "0"};
    struct rf_err err = {0};
    char text[2048];

    (void)state;
    plain_case("[4,4,4]");
    snprintf(text, sizeof(text),
             CASE("disk_t", KNOBS ",\"counters\":{\"vmstat.pgfault\":[4,4,4],"
                                  "\"final_present\":[3,3,3]," NO_SWAP ","
                                  "\"elapsed_ns\":[70000000000,80000000000,90000000000]}"));
    put("6.12/disk_t.json", text);
    o.reps = 3;
    assert_int_equal(validate_run(&o, &v, &err), RF_OK);
    assert_int_equal(v.cases[0].reps, 3);
    assert_int_equal(row_named(&v.cases[0], "vmstat.pgfault")->value, 4);
    assert_int_equal(row_named(&v.cases[0], "elapsed_ns")->state, ROW_SHOWN);
    assert_int_equal(v.cases[0].judged.n, 2);
    validation_free(&v);

    assert_int_equal(knob_table_init(&knobs, &err), RF_OK);
    exact.knob = knob_find(&knobs, "era.reclaim.stat_flush_ns", &err);
    assert_non_null(exact.knob);
    o.settings = &exact;
    o.nr_settings = 1;
    assert_int_equal(validate_run(&o, &v, &err), RF_OK);
    assert_int_equal(v.cases[0].reps, 1);
    validation_free(&v);
    knob_table_free(&knobs);
}

/* The faults of stock 6.1 and 6.12 kernels, the same of both, on short traces that do not swap:
 * those of the pages, and those of the program that played them. */
static void test_forks(void **state) {
    static const struct {
        const char *ops; /* behind 2,100 stores to as many pages */
        int64_t pgfault;
    } recorded[] = {
        {"", 2101},
        {"F\ncW 0 0\ncR 1\n", 2116},
        {"F\ncR 1\ncW 0 0\n", 2116},
        {"F\ncD 0\n", 2114},
        {"F\ncR 1\ncD 0\n", 2116},
        {"F\ncW 0 1\ncW 1100 1\ncW 2080 1\ncW 1 1\n", 2119},
        {"F\ncR 0\nW 0 1\nW 1100 1\nW 2080 1\nW 1 1\n", 2121},
        {"F\nF\ncR 0\nW 0 1\nF\n", 2136},
        {"F\nD 5\n", 2112},
        {"F\ncR 0\ncR 1\ncW 1 1\nD 5\nF\ncW 3 1\nR 7\nW 9 1\nW 1050 1\n", 2134},
    };
    struct validate_opts o = options();
    struct validation v;
    struct rf_err err = {0};
    char text[32768];

    (void)state;
    plain_case("[4,4,4]");
    put("6.12/disk_t.json",
        "{\"case\":\"disk_t\",\"kernel\":\"6.12.1\",\"trace\":\"t\",\"bank\":\"b\","
        "\"region_pages\":2100," KNOBS ",\"counters\":{\"vmstat.pgfault\":[1,1,1],"
        "\"final_present\":[2100,2100,2100]," NO_SWAP "}}");
    for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
        size_t n = 0; /* content 0, 1: the bank's two pages */

        for (int page = 0; page < 2100; page++)
            n += (size_t)snprintf(text + n, sizeof(text) - n, "W %d 0\n", page);
        snprintf(text + n, sizeof(text) - n, "%s", recorded[i].ops);
        put("traces/t.txt", text);
        assert_int_equal(validate_run(&o, &v, &err), RF_OK);
        assert_int_equal(row_named(&v.cases[0], "vmstat.pgfault")->value, recorded[i].pgfault);
        validation_free(&v);
    }
}

/* 4,000 stores, a child that repeats them, and its parent too, as stock 6.1 and 6.12 count them.
 * The counters were read at checkpoints, the last time after the fork. */
static void test_fork_checkpoints(void **state) {
    struct validate_opts o = options();
    struct validation v;
    struct rf_err err = {0};
    char *text = malloc(1 << 18);
    size_t n = 0;

    (void)state;
    assert_non_null(text);
    plain_case("[4,4,4]");
    put("6.12/disk_t.json",
        "{\"case\":\"disk_t\",\"kernel\":\"6.12.1\",\"trace\":\"t\",\"bank\":\"b\","
        "\"region_pages\":4000," KNOBS ",\"counters\":{\"vmstat.pgfault\":[12022,12022,12022],"
        "\"final_present\":[4000,4000,4000]," NO_SWAP "},"
        "\"checkpoints\":{\"ops\":[1500,3000,8001],\"pgfault\":[[1501,3001,8016]]}}");
    for (int page = 0; page < 12000; page++)
        n += (size_t)snprintf(text + n, 32, "%s%sW %d %d\n", page == 4000 ? "F\n" : "",
                              page / 4000 == 1 ? "c" : "", page % 4000, page / 8000);
    put("traces/t.txt", text);
    free(text);
    assert_int_equal(validate_run(&o, &v, &err), RF_OK);
    assert_int_equal(row_named(&v.cases[0], "vmstat.pgfault")->value, 12022);
    for (size_t i = 0; i < 3; i++)
        assert_true(near(v.cases[0].checkpoints[0].error[i], 0));
    assert_int_equal(v.cases[0].checkpoints[0].value[2], 8016);
    validation_free(&v);
}

static void test_limit_missed(void **state) {
    struct validate_opts o = options();
    struct validation v;
    struct rf_err err = {0};

    (void)state;
    plain_case("[104,104,104]"); /* we count 3 and the test program's own: 100 / 104 off */
    assert_int_equal(validate_run(&o, &v, &err), RF_OK);
    assert_false(v.passed);
    assert_true(near(v.kernels[0].swap.worst, 100.0 / 104));
    assert_string_equal(v.kernels[0].swap.worst_at, "disk_t vmstat.pgfault");
    validation_free(&v);
}

static void test_oom_expected(void **state) {
    struct validate_opts o = options();
    const char *pattern = "disk_t_m50";
    struct validation v;
    struct rf_err err = {0};

    (void)state;
    plain_case("[4,4,4]");
    put("6.12/disk_t_m50.json", CASE("disk_t_m50", "\"oom_killed_reps\":3"));
    o.cases = &pattern;
    o.nr_cases = 1;
    assert_int_equal(validate_run(&o, &v, &err), RF_OK);
    assert_int_equal(v.nr_cases, 1);
    assert_true(v.cases[0].golden->inherited);
    assert_false(v.cases[0].oom);
    assert_false(v.passed);
    assert_string_equal(v.cases[0].failure, "did not end by OOM, but the kernel always did");
    validation_free(&v);
}

/* Examples of FIPS 180-2, appendix B; a block's last bytes are where the padding changes. */
static void test_sha256(void **state) {
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char out[SHA256_HEX], *million = malloc(1000000);

    (void)state;
    sha256_hex("abc", 3, out);
    assert_string_equal(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_hex(two, strlen(two), out);
    assert_string_equal(out, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_non_null(million);
    memset(million, 'a', 1000000);
    sha256_hex(million, 1000000, out);
    assert_string_equal(out, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

#define SHA_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
/* Of "W 0 0\n" by sha256sum, as that of the bank below. */
#define SHA_TRACE "7eac0edc955d20281503956ae4bd7a643332592e9550f7baaa98d1767d771f3d"

static void test_digests(void **state) {
    static char page[RF_PAGE_SIZE] = {1, 2};
    struct validate_opts o = options();
    struct validation v;
    struct rf_err err = {0};
    const char *msg;
    char path[128];
    FILE *f;

    (void)state;
    put("traces/t.txt", "W 0 0\n");
    snprintf(path, sizeof(path), "%s/banks/b.bin", folder);
    f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(page, sizeof(page), 1, f), 1);
    assert_int_equal(fclose(f), 0);
#define DIGESTS(trace, bank)                                                                       \
    CASE("disk_x",                                                                                 \
         KNOBS ",\"counters\":{\"vmstat.pgfault\":[1,1,1],\"final_present\":[1,1,1]," NO_SWAP      \
               "},\"trace_sha256\":\"" trace "\",\"bank_sha256\":\"" bank "\"")
    put("6.12/disk_x.json", DIGESTS(SHA_ABC, SHA_ABC));
    msg = failure(&o);
    assert_non_null(strstr(msg, "traces/t.txt: its SHA-256 is 7eac0edc955d..., but "));
    assert_non_null(strstr(msg, "6.12/disk_x.json was recorded with ba7816bf8f01..."));
    put("6.12/disk_x.json", DIGESTS(SHA_TRACE, SHA_ABC));
    assert_non_null(strstr(failure(&o), "banks/b.bin: its SHA-256 is 748174b53b7a..., but "));
    put("6.12/disk_x.json",
        DIGESTS(SHA_TRACE, "748174b53b7aa128faa5375c51de1d8b612bc94c755f900fff12e5f3ac43b968"));
    assert_int_equal(validate_run(&o, &v, &err), RF_OK);
    validation_free(&v);
    put("6.12/disk_x.json", DIGESTS("many", SHA_ABC));
    assert_non_null(strstr(failure(&o), "\"trace_sha256\", expected 64 hexadecimal digits"));
    /* A catalogue has no bytes that could be compared. */
    assert_int_equal(remove(path), 0);
    put("banks/b.pages", "codecs lz4\n1000\n");
    put("6.12/disk_x.json", DIGESTS(SHA_TRACE, SHA_ABC));
    assert_int_equal(validate_run(&o, &v, &err), RF_OK);
    validation_free(&v);
}

/* Each message names the case once. */
static void test_named_once(void **state) {
    struct validate_opts o = options();
    const char *msg, *first;

    (void)state;
    put("traces/t.zs", "w 0 0\nS b\n");
    put("banks/b.pages", "codecs lz4\n1000\n");
    put("6.12/zr_x.json", "{\"case\":\"zr_x\",\"trace\":\"t\",\"bank\":\"b\",\"config\":{\"zcomp\":"
                          "\"lz4\"},\"counters\":{\"snap.a.mem_limit\":[0,0,0]},"
                          "\"snapshots_rep0\":[{\"label\":\"a\",\"zram\":{}}]}");
    msg = failure(&o);
    assert_non_null(strstr(msg, "snapshot 'b' of the script, expected 'a'"));
    first = strstr(msg, "zr_x.json");
    assert_non_null(first);
    assert_null(strstr(first + 1, "zr_x.json"));
    /* What two cases share is explained for both of them. */
    put("6.12/disk_a.json", CASE("disk_a", KNOBS ",\"counters\":{\"final_present\":[1,1,1]}"));
    put("6.12/disk_b.json", CASE("disk_b", KNOBS ",\"counters\":{\"final_present\":[1,1,1]}"));
    put("traces/t.txt", "X\n");
    for (o.threads = 1; o.threads <= 2; o.threads++)
        assert_non_null(strstr(failure(&o), "disk_a.json: "));
    assert_non_null(strstr(failure(&o), "traces/t.txt: line 1: found \"X\""));
}

/* What validate_print_divergence() says of the only case. */
static void divergence(char *out, size_t room) {
    struct validate_opts o = options();
    struct validation v;
    struct rf_err err = {0};
    FILE *f = fmemopen(out, room, "w");

    assert_non_null(f);
    assert_int_equal(validate_run(&o, &v, &err), RF_OK);
    validate_print_divergence(f, &v.cases[0]);
    assert_int_equal(fclose(f), 0);
    validation_free(&v);
}

static void test_divergence(void **state) {
    char text[2048];

    (void)state;
    plain_case("[4,4,4]");
    divergence(text, sizeof(text));
    assert_string_equal(text, "== 6.12 disk_t\nno judged counter leaves the kernel's range\n");
    plain_case("[5,5,5]"); /* the checkpoint is still right */
    divergence(text, sizeof(text));
    assert_string_equal(text, "== 6.12 disk_t\nout of the kernel's range at the end only:\n"
                              "  vmstat.pgfault: kernel 5 .. 5, refault 4 (2.00 %)\n");
    /* Far numbers are cut off instead of overflowing. */
    put("6.12/disk_t.json",
        CASE("disk_t", KNOBS
             ",\"counters\":{\"vmstat.pgfault\":[4,4,4],\"final_present\":[3,3,3]," NO_SWAP "},"
             "\"checkpoints\":{\"ops\":[2],"
             "\"pgfault\":[[1e300],[-1e300]]}"));
    divergence(text, sizeof(text));
    assert_string_equal(text, "== 6.12 disk_t\nno judged counter leaves the kernel's range\n");
    put("6.12/disk_t.json",
        CASE("disk_t",
             KNOBS ",\"counters\":{\"vmstat.pgfault\":[4,4,4],\"final_present\":[3,3,3]," NO_SWAP
                   "},\"checkpoints\":{\"ops\":[2,3],"
                   "\"pgfault\":[[3,6]],\"pswpin\":[[0,0]]}"));
    divergence(text, sizeof(text));
    assert_string_equal(text, "== 6.12 disk_t\n"
                              "first out of the kernel's range after 3 operations:\n"
                              "  pgfault: kernel 6 .. 6, refault 4 (4.00 %)\n"
                              "refault - kernel, after             2          3\n"
                              "pgfault                             .         -2\n");
}

static void test_catalogue_round_trip(void **state) {
    char path[128];
    struct content_set *cs, *again;
    struct rf_err err = {0};
    uint64_t word = 0;
    FILE *f;

    (void)state;
    put("banks/b.pages", "codecs lz4 lzo\n1000 1100\n=8000000000000001 20 22\n");
    snprintf(path, sizeof(path), "%s/banks/b.pages", folder);
    assert_int_equal(bank_catalogue_load(path, &cs, &err), RF_OK);
    assert_int_equal(content_count(cs), 2);
    assert_int_equal(content_size(cs, 1, CODEC_LZ4), 1000);
    assert_int_equal(content_size(cs, 2, CODEC_LZO), 22);
    assert_true(content_same_filled(cs, 2, &word));
    assert_int_equal(word, 0x8000000000000001);
    f = fopen(path, "w");
    assert_non_null(f);
    bank_catalogue_save(f, cs);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(bank_catalogue_load(path, &again, &err), RF_OK);
    for (uint32_t id = 1; id <= 2; id++) {
        assert_int_equal(content_size(again, id, CODEC_LZ4), content_size(cs, id, CODEC_LZ4));
        assert_int_equal(content_size(again, id, CODEC_ZSTD), content_size(cs, id, CODEC_ZSTD));
    }
    assert_true(content_same_filled(again, 2, NULL));
    content_free(cs);
    content_free(again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256),
        cmocka_unit_test_setup_teardown(test_plain_case, setup, teardown),
        cmocka_unit_test_setup_teardown(test_repetitions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_forks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fork_checkpoints, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limit_missed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_oom_expected, setup, teardown),
        cmocka_unit_test_setup_teardown(test_digests, setup, teardown),
        cmocka_unit_test_setup_teardown(test_named_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_divergence, setup, teardown),
        cmocka_unit_test_setup_teardown(test_catalogue_round_trip, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
