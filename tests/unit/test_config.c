/* SPDX-License-Identifier: Apache-2.0 */
/* Values, INI files, settings and the default cost profile. Expected values by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "config/ini.h"
#include "config/settings.h"
#include "config/value.h"

static void test_sizes(void **state) {
    uint64_t v;

    (void)state;
    assert_true(value_size("0", &v) && v == 0);
    assert_true(value_size("4096", &v) && v == 4096);
    assert_true(value_size("4K", &v) && v == 4096);
    assert_true(value_size("4k", &v) && v == 4096);
    assert_true(value_size("3KiB", &v) && v == 3072);
    assert_true(value_size("1.5G", &v) && v == 1610612736);
    assert_true(value_size("2T", &v) && v == 2199023255552u);
    assert_true(value_size("16777215T", &v) && v == 16777215ull << 40);
    assert_false(value_size("16777216T", &v)); /* 2^64 */
    assert_false(value_size("", &v));
    assert_false(value_size("-1", &v));
    assert_false(value_size("1.5", &v));
    assert_false(value_size("1X", &v));
    assert_false(value_size("1K2", &v));
    assert_false(value_size("99999999999999999999", &v));
}

static void test_times(void **state) {
    uint64_t v;

    (void)state;
    assert_true(value_time("7", &v) && v == 7);
    assert_true(value_time("7ns", &v) && v == 7);
    assert_true(value_time("1.25us", &v) && v == 1250);
    assert_true(value_time("3ms", &v) && v == 3000000);
    assert_true(value_time("0.1s", &v) && v == 100000000);
    assert_false(value_time("3m", &v));
    assert_false(value_time("s", &v));
}

static void test_amounts(void **state) {
    struct rf_amount a;
    char buf[32];
    static const char *const same[] = {"max", "50%", "12.50%", "64M", "1G", "4097", "0"};

    (void)state;
    assert_true(value_amount("12.5%", &a));
    assert_int_equal(a.kind, AMOUNT_PERCENT);
    assert_int_equal(a.value, 1250);
    assert_true(value_amount("max", &a));
    assert_int_equal(a.kind, AMOUNT_MAX);
    assert_false(value_amount("50 %", &a));
    assert_false(value_amount("12.345%", &a));
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        assert_true(value_amount(same[i], &a));
        assert_string_equal(value_format_amount(a, buf, sizeof(buf)), same[i]);
    }
}

static void test_three_digits(void **state) {
    char b[32];

    (void)state;
    assert_string_equal(value_format_time(0, b, sizeof(b)), "0 ns");
    assert_string_equal(value_format_time(999, b, sizeof(b)), "999 ns");
    assert_string_equal(value_format_time(1234, b, sizeof(b)), "1.23 us");
    assert_string_equal(value_format_time(12345678, b, sizeof(b)), "12.3 ms");
    assert_string_equal(value_format_time(123456789012, b, sizeof(b)), "123 s");
    assert_string_equal(value_format_bytes(1536, b, sizeof(b)), "1.50 KiB");
    assert_string_equal(value_format_bytes(50331648, b, sizeof(b)), "48.0 MiB");
}

static void test_edit_distance(void **state) {
    (void)state;
    assert_int_equal(edit_distance("", ""), 0);
    assert_int_equal(edit_distance("abc", ""), 3);
    assert_int_equal(edit_distance("kitten", "sitting"), 3); /* the textbook pair */
    assert_int_equal(edit_distance("vm.swapiness", "vm.swappiness"), 1);
}

/* ---- INI files ---- */

static char *write_temp(const char *text) {
    static char path[64];
    FILE *f;
    int fd;

    snprintf(path, sizeof(path), "/tmp/refault-test-XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    f = fdopen(fd, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

struct seen {
    char text[512];
};

static int note(void *ctx, const char *key, const char *value, unsigned line, struct rf_err *err) {
    struct seen *s = ctx;
    size_t at = strlen(s->text);

    (void)err;
    snprintf(s->text + at, sizeof(s->text) - at, "%u:%s=%s;", line, key, value);
    return RF_OK;
}

static void test_ini(void **state) {
    struct seen s = {""};
    struct rf_err err;
    char *path = write_temp("# a comment\nkernel = 6.1\n\n[vm]\nswappiness=100 ; more\n"
                            "[zram0]\r\ncomp_algorithm = lz4\r\nempty =\n");

    (void)state;
    assert_int_equal(ini_read(path, note, &s, &err), RF_OK);
    assert_string_equal(s.text, "2:kernel=6.1;5:vm.swappiness=100;7:zram0.comp_algorithm=lz4;"
                                "8:zram0.empty=;");
    unlink(path);
    path = write_temp("[vm]\nswappiness 100\n");
    assert_int_equal(ini_read(path, note, &s, &err), RF_EUSAGE);
    assert_non_null(strstr(err.msg, ":2: found 'swappiness 100'"));
    unlink(path);
    assert_int_equal(ini_read("/nonexistent/file.ini", note, &s, &err), RF_EINPUT);
}

/* ---- settings ---- */

struct fixture {
    struct knob_table knobs;
    struct settings s;
};

static int setup(void **state) {
    struct fixture *f = calloc(1, sizeof(*f));

    if (!f || knob_table_init(&f->knobs, NULL) || settings_init(&f->s, &f->knobs, NULL))
        return -1;
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;

    settings_free(&f->s);
    knob_table_free(&f->knobs);
    free(f);
    return 0;
}

static void test_last_wins(void **state) {
    struct fixture *f = *state;
    struct trace_info info = {.footprint_pages = 1000, .blocks = 2};
    struct machine_config c;
    struct rf_err err;

    assert_int_equal(settings_add_pair(&f->s, "memory.max=50%", &err), RF_OK);
    assert_int_equal(settings_add_pair(&f->s, "vm.swappiness=10", &err), RF_OK);
    assert_int_equal(settings_add_pair(&f->s, "vm.swappiness=20", &err), RF_OK);
    assert_int_equal(settings_resolve(&f->s, NULL, 0, &info, &c, &err), RF_OK);
    assert_int_equal(c.swappiness, 20);
    assert_int_equal(machine_amount_pages(&c, c.memory_max), 500);
    assert_int_equal(machine_amount_pages(&c, c.ram), 1250);
    assert_int_equal(machine_amount_pages(&c, c.swap_size), 2000);
    assert_true(machine_amount_pages(&c, c.memory_high) == UINT64_MAX);
    assert_int_equal(c.blocks, 2);
    assert_string_equal(c.era.name, "6.12");
}

/* The kernel comes first whatever the order, so that an era field is not overwritten by it. */
static void test_order_of_effects(void **state) {
    struct fixture *f = *state;
    struct machine_config c;
    struct rf_err err;

    assert_int_equal(settings_add_pair(&f->s, "era.reclaim.add_batch=7", &err), RF_OK);
    assert_int_equal(settings_add_pair(&f->s, "cost.blk.read_ns=5us", &err), RF_OK);
    assert_int_equal(settings_add_pair(&f->s, "swap.device=hdd", &err), RF_OK);
    assert_int_equal(settings_add_pair(&f->s, "kernel=6.1", &err), RF_OK);
    assert_int_equal(settings_resolve(&f->s, NULL, 0, NULL, &c, &err), RF_OK);
    assert_string_equal(c.era.name, "6.1");
    assert_int_equal(c.era.reclaim.add_batch, 7);
    assert_string_equal(c.zswap_zpool, "zbud");
    assert_int_equal(c.cost.blk.read_ns, 5000);
    assert_int_equal(c.cost.blk.write_ns, 12000000); /* the disk's */
}

static void test_zram_size_follows(void **state) {
    struct fixture *f = *state;
    struct trace_info info = {.footprint_pages = 1000, .blocks = 2};
    struct machine_config c;
    struct rf_err err;

    assert_int_equal(settings_add_pair(&f->s, "swap.device=zram0", &err), RF_OK);
    assert_int_equal(settings_add_pair(&f->s, "zram0.disksize=1G", &err), RF_OK);
    assert_int_equal(settings_resolve(&f->s, NULL, 0, &info, &c, &err), RF_OK);
    assert_int_equal(machine_amount_pages(&c, c.swap_size), 262144);
    assert_int_equal(settings_add_pair(&f->s, "swap.size=8M", &err), RF_OK);
    assert_int_equal(settings_resolve(&f->s, NULL, 0, &info, &c, &err), RF_OK);
    assert_int_equal(machine_amount_pages(&c, c.swap_size), 2048);
}

static void test_errors_name_the_nearest(void **state) {
    struct fixture *f = *state;
    struct rf_err err;

    assert_int_equal(settings_add_pair(&f->s, "vm.swapiness=1", &err), RF_EUSAGE);
    assert_non_null(strstr(err.msg, "did you mean 'vm.swappiness'"));
    assert_int_equal(settings_add_pair(&f->s, "zswap.zpool=zsmaloc", &err), RF_EUSAGE);
    assert_non_null(strstr(err.msg, "did you mean 'zsmalloc'"));
    assert_int_equal(settings_add_pair(&f->s, "no-equals", &err), RF_EUSAGE);
    assert_int_equal(f->s.n, 0);
}

static void test_profile_file(void **state) {
    struct fixture *f = *state;
    struct machine_config c;
    struct rf_err err;
    char *path = write_temp("[mm]\nminor_fault_ns = 2us\n[blk.nvme]\nchannels = 4\n");

    assert_int_equal(settings_set_profile(&f->s, path, &err), RF_OK);
    unlink(path);
    assert_int_equal(settings_resolve(&f->s, NULL, 0, NULL, &c, &err), RF_OK);
    assert_int_equal(c.cost.mm.minor_fault_ns, 2000);
    assert_int_equal(c.cost.blk.channels, 4);
    assert_int_equal(c.cost.mm.copy_page_ns, profile_default()->mm.copy_page_ns);
    path = write_temp("[mm]\nno_such_ns = 2\n");
    assert_int_equal(settings_set_profile(&f->s, path, &err), RF_EUSAGE);
    assert_non_null(strstr(err.msg, "mm.no_such_ns"));
    unlink(path);
}

static int into_profile(void *ctx, const char *key, const char *value, unsigned line,
                        struct rf_err *err) {
    uint64_t v;

    (void)line;
    (void)err;
    assert_true(value_u64(value, &v));
    if (!profile_set(ctx, key, v))
        fail_msg("default.ini has '%s', which no profile has", key);
    return RF_OK;
}

/* The built-in profile is profiles/default.ini: every field of the one is in the other. */
static void test_default_profile(void **state) {
    struct profile p;
    struct rf_err err;
    size_t nr;
    const struct cost_field *fields = cost_fields(&nr);

    (void)state;
    memset(&p, 0xa5, sizeof(p));
    if (ini_read(REFAULT_SOURCE_DIR "/profiles/default.ini", into_profile, &p, &err) != RF_OK)
        fail_msg("%s", err.msg);
    for (size_t i = 0; i < nr; i++) {
        for (unsigned d = 0; d < NR_PROFILE_BLK; d++) {
            const char *name = fields[i].name;
            char key[96];
            uint64_t file = 0, builtin = 0;

            if (strncmp(name, "blk.", 4) == 0)
                snprintf(key, sizeof(key), "blk.%s.%s", profile_blk_name((enum profile_blk)d),
                         name + 4);
            else
                snprintf(key, sizeof(key), "%s", name);
            assert_true(profile_get(&p, key, &file));
            assert_true(profile_get(profile_default(), key, &builtin));
            if (file != builtin)
                fail_msg("%s: %llu in the file, %llu built in", key, (unsigned long long)file,
                         (unsigned long long)builtin);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_amounts),
        cmocka_unit_test(test_three_digits),
        cmocka_unit_test(test_edit_distance),
        cmocka_unit_test(test_ini),
        cmocka_unit_test_setup_teardown(test_last_wins, setup, teardown),
        cmocka_unit_test_setup_teardown(test_order_of_effects, setup, teardown),
        cmocka_unit_test_setup_teardown(test_zram_size_follows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_errors_name_the_nearest, setup, teardown),
        cmocka_unit_test_setup_teardown(test_profile_file, setup, teardown),
        cmocka_unit_test(test_default_profile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
