/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded cases that are damaged, or lack what a case has: each is refused with the place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "validate_case.h"

static void test_bad_input(void **state) {
    struct validate_opts o = options();
    struct validation v;
    struct rf_err err = {0};

    (void)state;
    assert_int_equal(validate_run(&o, &v, &err), RF_EINPUT); /* no case */
    put("6.12/x.json", "{\"case\":\"disk_x\",\n");
    assert_int_equal(validate_run(&o, &v, &err), RF_EINPUT);
    assert_non_null(strstr(err.msg, "6.12/x.json: line 2"));
    put("6.12/x.json", CASE("disk_x", KNOBS ",\"counters\":{\"vmstat.pgfault\":[1,1,1],"
                                            "\"final_present\":[1,1,1]," NO_SWAP "}"));
    assert_int_equal(validate_run(&o, &v, &err), RF_EINPUT);
    assert_non_null(strstr(err.msg, "traces: no file t.txt"));
    put("traces/t.txt", "W 0 0\nW 1 7\n");
    put("banks/b.pages", "codecs lz4\n1000\n");
    assert_int_equal(validate_run(&o, &v, &err), RF_EINPUT);
    assert_non_null(strstr(err.msg, "bank page 7"));
    put("banks/b.pages", "codecs lz4\nmany\n");
    assert_int_equal(validate_run(&o, &v, &err), RF_EINPUT);
    assert_non_null(strstr(err.msg, "line 2"));
    put("banks/b.pages", "codecs lz4\n1000\n");
    put("traces/t.txt", "W 0 0\n");
    o.kernel_sizes = true; /* nothing here is compressed, so no lengths are missed */
    assert_int_equal(validate_run(&o, &v, &err), RF_OK);
    validation_free(&v);
    put("6.12/zr_x_lz4.json", "{\"case\":\"zr_x_lz4\",\"trace\":\"t\",\"bank\":\"b\",\"config\":{"
                              "\"zcomp\":\"lz4\"},\"counters\":{\"snap.a.mem_limit\":[0,0,0]}}");
    put("traces/t.zs", "w 0 0\n");
    assert_int_equal(validate_run(&o, &v, &err), RF_EINPUT);
    assert_non_null(strstr(err.msg, "zr_sizes_lz4"));
}

/* A case with other recorded knobs: of a name that is given twice the last one counts. */
#define RECORDED(knobs)                                                                            \
    "\"counters\":{\"vmstat.pgfault\":[1,1,1],\"zswap.stored_pages\":[0,0,0],"                     \
    "\"zswap.pool_total_size\":[0,0,0],\"final_present\":[1,1,1]," NO_SWAP                         \
    "},\"config\":{\"MemTotal_kB\":500348," knobs "}"

#define LONG_NAME "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void test_bad_values(void **state) {
    static const struct {
        const char *more, *want;
    } bad[] = {
        {KNOBS ",\"counters\":{\"a\":[1,1]}", "counter 'a'"},
        {KNOBS ",\"counters\":{\"a\":[3,2,1]}", "counter 'a'"},
        {KNOBS ",\"counters\":{\"a\":[\"1\",1,1]}", "counter 'a'"},
        {KNOBS ",\"counters\":{\"a\":[0,0,1e300]}", "counter 'a'"},
        {KNOBS ",\"counters\":{\"a\":[-1e300,0,1]}", "counter 'a'"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"checkpoints\":{\"ops\":[2,1]}", "rising"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"checkpoints\":{\"ops\":[\"1\"]}", "rising"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"checkpoints\":{\"ops\":[1,2],\"a\":[[1,1]]}",
         "a checkpoint after 2 operations, but trace 't' has 1"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"checkpoints\":{\"a\":[[1]]}",
         "0 checkpoints.ops, expected 1 to 64"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"checkpoints\":{\"ops\":[1],\"a\":[[1],[1,2]]}",
         "checkpoints.a: repetition 2 is no list of 1 numbers"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"checkpoints\":{\"ops\":[1],\"a\":[[]]}",
         "checkpoints.a: repetition 1 is no list of 1 numbers"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"checkpoints\":{\"ops\":[1],\"a\":[[\"1\"]]}",
         "checkpoints.a: repetition 1 is no list of 1 numbers"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"checkpoints\":{\"ops\":[1],\"a\":1}",
         "checkpoints.a, expected a list a repetition"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"trace_ops\":3", "3 trace_ops, but trace 't' has 1"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"trace_ops\":\"x\"", "\"trace_ops\", expected"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"region_pages\":-5", "-5 region_pages"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"region_pages\":1e300", "region_pages"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"trace\":\"../t\"", "\"trace\" is '../t'"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"case\":\"\"", "\"case\" is ''"},
        {RECORDED("\"page_cluster\":\"99\""), "\"page_cluster\": vm.page-cluster: bad value '99'"},
        {RECORDED("\"page_cluster\":-1"), "\"page_cluster\": vm.page-cluster: bad value '-1'"},
        {RECORDED("\"swappiness\":\"many\""), "\"swappiness\": vm.swappiness: bad value 'many'"},
        {RECORDED("\"watermark_scale_factor\":4000"),
         "vm.watermark_scale_factor: bad value '4000'"},
        {RECORDED("\"zswap_params\":{\"max_pool_percent\":\"101\"}"), "bad value '101'"},
        {RECORDED("\"zswap_params\":{\"accept_threshold_percent\":\"\\n\"}"), "bad value"},
        {RECORDED("\"MemTotal_kB\":1e300"), "MemTotal_kB 2305843009213693952, expected at most"},
        {RECORDED("\"swap_dev\":\"vda\"") ",\"final_present_bitmap_rep0\":\"0x\"", "hexadecimal"},
        {RECORDED(
             "\"swap_dev\":\"vda\"") ",\"zsmalloc_classes_rep0\":{\"zswap0\":{\"rows\":[[1]]}}",
         "class table of 'zswap0', expected columns and rows of integers"},
        {RECORDED("\"swap_dev\":\"vda\"") ",\"zsmalloc_classes_rep0\":{\"zswap0\":{\"columns\":"
                                          "[\"class\"],\"rows\":[[\"1\"]]}}",
         "class table of 'zswap0', expected columns and rows of integers"},
        {RECORDED("\"swap_dev\":\"vda\"") ",\"zsmalloc_classes_rep0\":{\"zswap0\":{\"columns\":"
                                          "[7],\"rows\":[[1]]}}",
         "class table of 'zswap0', expected columns and rows of integers"},
        {RECORDED("\"swap_dev\":\"vda\"") ",\"zsmalloc_classes_rep0\":{\"zswap0\":{\"columns\":"
                                          "[\"class\"],\"rows\":-1}}",
         "class table of 'zswap0', expected columns and rows of integers"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"checkpoints\":\"x\"",
         "\"checkpoints\", expected an object"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"case\":\"a\\u001b[31m\"", "\"case\" is"},
        {KNOBS ",\"counters\":[]", "disk_x.json: \"counters\" is [], expected an object"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"region_pages\":[5]",
         "\"region_pages\" is [5], expected a number"},
        {RECORDED("\"swap_dev\":1"), "\"config.swap_dev\" is 1, expected a string"},
        {RECORDED("\"page_cluster\":[3]"), "\"config.page_cluster\" is [3], expected a number"},
        {RECORDED("\"lru_gen\":\"on\""), "\"config.lru_gen\" is \"on\", expected a number"},
        {RECORDED("\"MemTotal_kB\":null"), "\"config.MemTotal_kB\" is null, expected a number"},
        {RECORDED("\"memory.max\":\"12M\""),
         "\"config.memory.max\" is \"12M\", expected a number of bytes or \"max\""},
        {RECORDED("\"hugepages-64kB\":true"),
         "\"config.hugepages-64kB\" is true, expected what THP's files show"},
        {RECORDED("\"thp_enabled\":\"[sometimes] never\""),
         "\"config.thp_enabled\" is \"[sometimes] never\", expected what THP's files show"},
        {RECORDED("\"thp_defrag\":\"madvise\""),
         "\"config.thp_defrag\" is \"madvise\", expected what THP's files show"},
        {RECORDED("\"memory.max\":\"-1\""),
         "\"config.memory.max\" is \"-1\", expected a number of bytes or \"max\""},
        {RECORDED("\"memory.high\":-4096"),
         "\"config.memory.high\" is -4096, expected a number of bytes or \"max\""},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"kernel\":\"6.1.0-53-amd64\"",
         "\"kernel\" is '6.1.0-53-amd64', expected 6.12 as its folder"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"kernel\":\"6.120\"",
         "\"kernel\" is '6.120', expected 6.12 as its folder"},
        {KNOBS ",\"counters\":{\"a\":[1,1,1]},\"kernel\":6.12",
         "\"kernel\" is 6.1200000000000001, expected a string"},
        {RECORDED("\"zswap_on\":{}"),
         "\"config.zswap_on\" is {}, expected Y, N, true, false, 1 or 0"},
        {RECORDED("\"zswap_params\":\"x\""),
         "\"config.zswap_params\" is \"x\", expected an object"},
        {RECORDED("\"zswap_params\":{\"enabled\":\"maybe\"}"),
         "\"config.zswap_params.enabled\" is \"maybe\", expected Y, N, true, false, 1 or 0"},
        {RECORDED("\"zswap_params\":{\"zpool\":7}"),
         "\"config.zswap_params.zpool\" is 7, expected a string"},
        {RECORDED("\"swap_dev\":\"vda\"") ",\"zsmalloc_classes_rep0\":[1]",
         "\"zsmalloc_classes_rep0\" is [1], expected an object"},
        {RECORDED("\"swap_dev\":\"vda\"") ",\"final_present_bitmap_rep0\":7",
         "\"final_present_bitmap_rep0\" is 7, expected a string"},
    };
    struct validate_opts o = options();
    struct validation v;
    struct rf_err err = {0};
    char text[2048], path[128];

    (void)state;
    put("traces/t.txt", "W 0 0\n");
    put("banks/b.pages", "codecs lz4\n1000\n");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(text, sizeof(text), CASE("disk_x", "%s"), bad[i].more);
        put("6.12/disk_x.json", text);
        if (!strstr(failure(&o), bad[i].want))
            fail_msg("%s: %s", bad[i].more, failure(&o));
    }
    /* Something that cannot be read to its end. */
    put("6.12/disk_x.json", CASE("disk_x", KNOBS ",\"counters\":{\"a\":[1,1,1]}"));
    snprintf(path, sizeof(path), "%s/6.12/f.json", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_non_null(strstr(failure(&o), "f.json: not a file"));
    assert_int_equal(remove(path), 0);
    assert_int_equal(symlink("nowhere", path), 0);
    assert_non_null(strstr(failure(&o), "f.json: cannot be opened: No such file or directory"));
    assert_int_equal(remove(path), 0);
    /* A name that is too long is no reason to take another one. */
    put("6.12/disk_x.json", CASE("disk_x", RECORDED("\"zswap_on\":\"1\",\"zswap_params\":{"
                                                    "\"compressor\":\"" LONG_NAME "\"}")));
    memset(&v, 0, sizeof(v));
    assert_int_not_equal(validate_run(&o, &v, &err), RF_OK);
    assert_non_null(strstr(err.msg, "zswap.compressor: no codec \"xxx"));
}

/* A case without a counter or a table is not one whose counter is 0, or whose table fits. */
static void test_lost(void **state) {
    static const struct {
        const char *counters, *want;
    } lost[] = {
        {"\"final_present\":[1,1,1]," NO_SWAP,
         "disk_x.json: \"counters\" has no 'vmstat.pgfault', expected [min, median, max]"},
        {"\"vmstat.pgfault\":[1,1,1]," NO_SWAP, "has no 'final_present', expected"},
        {"\"vmstat.pgfault\":[1,1,1],\"final_present\":[1,1,1],\"final_swapped\":[0,0,0]",
         "has no 'memory.swap.current', expected"},
        {"\"vmstat.pgfault\":[1,1,1],\"final_present\":[1,1,1],\"memcg.pgactivate\":[0,0,7]"
         "," NO_SWAP,
         "has no 'vmstat.pgactivate', expected [min, median, max]: 'memcg.pgactivate' is [0, 0, "
         "7]"},
        {"\"vmstat.pgfault\":[1,1,1],\"final_present\":[1,1,1]," NO_SWAP
         "},\"checkpoints\":{\"ops\":[1],\"pswpin\":[[0],[9],[0]]",
         "has no 'vmstat.pswpin', expected [min, median, max]: \"checkpoints\" has up to 9 of it"},
    };
    struct validate_opts o = options();
    struct validation v;
    struct rf_err err = {0};
    char text[2048];

    (void)state;
    put("traces/t.txt", "W 0 0\n");
    put("banks/b.pages", "codecs lz4\n1000\n");
    for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
        snprintf(text, sizeof(text), CASE("disk_x", KNOBS ",\"counters\":{%s}"), lost[i].counters);
        put("6.12/disk_x.json", text);
        if (!strstr(failure(&o), lost[i].want))
            fail_msg("%s: %s", lost[i].counters, failure(&o));
    }
    /* What stayed 0 everywhere is not recorded. */
    put("6.12/disk_x.json",
        CASE("disk_x", KNOBS ",\"counters\":{\"vmstat.pgfault\":[1,1,1],\"final_present\":[1,1,1],"
                             "\"memcg.pgactivate\":[0,0,0]," NO_SWAP
                             "},\"checkpoints\":{\"ops\":[1],\"pswpin\":[[0]]}"));
    assert_int_equal(validate_run(&o, &v, &err), RF_OK);
    validation_free(&v);
}

/* The counters of snapshot "a" of a script that writes one page of length 1000: all but those named
 * in `without`. */
static const char *snapshot_counters(const char *without) {
    static const char *const names[] = {
        "orig_data_size", "compr_data_size", "mem_used_total", "mem_limit",    "mem_used_max",
        "same_pages",     "pages_compacted", "huge_pages",     "failed_reads", "huge_pages_since",
        "failed_writes",  "invalid_io",      "notify_free",    "bd_count",     "bd_reads",
        "bd_writes",      "verify_errors",   "io_errors"};
    static char text[1024];
    size_t n = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], without) != 0)
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\"snap.a.%s\":[0,0,0]",
                                  n ? "," : "", names[i]);
    }
    return text;
}

/* A script that ends early, and counters and tables that are none, do not pass as "nothing
 * differs". */
static void test_bad_snapshots(void **state) {
#define TABLE(rows) ",\"zsmalloc_classes\":{\"zram0\":{" rows "}}}"
    static const struct {
        const char *without, *list, *want;
    } bad[] = {
        {"",
         "{\"label\":\"a\",\"zram\":{}" TABLE(
             "\"columns\":[\"class\"],\"rows\":[]") ","
                                                    "{\"label\":\"b\",\"zram\":{}}",
         "end of the script, expected snapshot 'b'"},
        {"", "{\"label\":\"a\",\"zram\":{}" TABLE("\"rows\":[[1]]"),
         "class table of snapshot 'a', expected columns and rows"},
        {"", "{\"label\":\"a\",\"zram\":{}}",
         "zr_x.json: snapshot 'a' has no \"zsmalloc_classes\" of 'zram0', expected a class table"},
        {"", "{\"label\":\"a\",\"zram\":{},\"zsmalloc_classes\":{\"zram1\":{}}}",
         "snapshot 'a' has no \"zsmalloc_classes\" of 'zram0'"},
        {"huge_pages", "{\"label\":\"a\",\"zram\":{}}",
         "zr_x.json: \"counters\" has no 'snap.a.huge_pages', expected [min, median, max]"},
        {"io_errors", "{\"label\":\"a\",\"zram\":{}}", "has no 'snap.a.io_errors'"},
    };
    struct validate_opts o = options();
    char text[4096];

    (void)state;
    put("traces/t.zs", "w 0 0\nS a\n");
    put("banks/b.pages", "codecs lz4\n1000\n");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(text, sizeof(text),
                 "{\"case\":\"zr_x\",\"trace\":\"t\",\"bank\":\"b\",\"config\":{\"zcomp\":\"lz4\"},"
                 "\"counters\":{%s},\"snapshots_rep0\":[%s]}",
                 snapshot_counters(bad[i].without), bad[i].list);
        put("6.12/zr_x.json", text);
        if (!strstr(failure(&o), bad[i].want))
            fail_msg("%s: %s", bad[i].list, failure(&o));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bad_input, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_snapshots, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
