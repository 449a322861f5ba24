/* SPDX-License-Identifier: Apache-2.0 */
/* The table of knobs: complete, consistent, and every value goes in as it comes out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include "config/knobs.h"

static struct knob_table knobs;

static int setup(void **state) {
    (void)state;
    return knob_table_init(&knobs, NULL);
}

static int teardown(void **state) {
    (void)state;
    knob_table_free(&knobs);
    return 0;
}

static const struct knob *find(const char *key) {
    const struct knob *k = knob_find(&knobs, key, NULL);

    if (!k)
        fail_msg("no knob %s", key);
    return k;
}

static void test_keys_are_unique(void **state) {
    (void)state;
    for (size_t i = 0; i < knobs.n; i++) {
        assert_ptr_equal(find(knobs.v[i].key), &knobs.v[i]);
        assert_true(*knobs.v[i].help);
    }
}

/* What a knob prints it must take back, to the same bytes, for every kernel's defaults. */
static void test_round_trip(void **state) {
    struct machine_config a, b;
    char text[64];

    (void)state;
    for (const struct kernel_era *const *e = era_table(); *e; e++) {
        assert_int_equal(machine_config_init(&a, (*e)->name, NULL), RF_OK);
        for (size_t i = 0; i < knobs.n; i++) {
            struct rf_err err;

            memcpy(&b, &a, sizeof(b)); /* with the padding */
            knob_format(&knobs.v[i], &a, text, sizeof(text));
            if (knob_set(&knobs.v[i], &b, text, &err) != RF_OK)
                fail_msg("%s", err.msg);
            assert_memory_equal(&a, &b, sizeof(a));
        }
    }
}

/* Nothing can be set to what a slip of the unit would give: every number has a range well within
 * its type, and the defaults of all kernels lie in it. */
static void test_ranges(void **state) {
    (void)state;
    for (size_t i = 0; i < knobs.n; i++) {
        const struct knob *k = &knobs.v[i];
        char text[32];
        struct machine_config c;

        if (!knob_is_number(k) || strcmp(k->key, "seed") == 0)
            continue;
        assert_int_equal(machine_config_init(&c, "6.12", NULL), RF_OK);
        if (k->min >= k->max || (k->size > 2 && k->max >= UINT64_C(1) << (8 * k->size - 2) &&
                                 strcmp(k->key, "zram0.writeback_limit") != 0))
            fail_msg("%s has no range", k->key);
        snprintf(text, sizeof(text), "%llu", (unsigned long long)k->max);
        assert_int_equal(knob_set(k, &c, text, NULL), RF_OK);
        snprintf(text, sizeof(text), "%llu", (unsigned long long)k->max + 1);
        assert_int_equal(knob_set(k, &c, text, NULL), RF_EUSAGE);
        if (k->min)
            assert_int_equal(knob_set(k, &c, "0", NULL), k->zero ? RF_OK : RF_EUSAGE);
    }
}

/* A knob changes its own bytes and no others. */
static void test_set_touches_only_its_field(void **state) {
    struct machine_config a, b;

    (void)state;
    assert_int_equal(machine_config_init(&a, "6.12", NULL), RF_OK);
    for (size_t i = 0; i < knobs.n; i++) {
        const struct knob *k = &knobs.v[i];
        const char *text = k->type == KNOB_AMOUNT                         ? "7777"
                           : k->type == KNOB_NAME || k->type == KNOB_ENUM ? k->values[1]
                           : k->type == KNOB_KERNEL                       ? "6.1"
                                                                          : "1";
        char number[32];

        if (knob_is_number(k)) {
            snprintf(number, sizeof(number), "%llu", (unsigned long long)k->max);
            text = number;
        }
        memcpy(&b, &a, sizeof(b)); /* with the padding */
        assert_int_equal(knob_set(k, &b, text, NULL), RF_OK);
        assert_memory_equal(&a, &b, k->offset);
        assert_memory_equal((char *)&a + k->offset + k->size, (char *)&b + k->offset + k->size,
                            sizeof(a) - k->offset - k->size);
    }
}

static void test_bounds(void **state) {
    static const struct {
        const char *key, *good, *bad;
    } cases[] = {
        {"vm.swappiness", "200", "201"},
        {"vm.page-cluster", "0", "-1"},
        {"machine.cpus", "1", "0"},
        {"zswap.max_pool_percent", "100", "101"},
        {"zswap.enabled", "Y", "maybe"},
        {"memory.max", "max", "100001%"},
        {"swap.rotational", "device", "2"},
        {"thp.enabled", "madvise", "sometimes"},
        {"era.zswap.header_bytes", "255", "256"},
        {"era.zswap.protect", "second-chance", "2"},
        {"cost.mm.access_ns", "2us", "2 us"},
        {"cost.blk.channels", "1024", "1025"},
        {"kernel", "5.4", "5.5"},
    };
    struct machine_config c;
    struct rf_err err;

    (void)state;
    assert_int_equal(machine_config_init(&c, "6.12", NULL), RF_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(knob_set(find(cases[i].key), &c, cases[i].good, &err), RF_OK);
        assert_int_equal(knob_set(find(cases[i].key), &c, cases[i].bad, &err), RF_EUSAGE);
        assert_non_null(strstr(err.msg, cases[i].key));
        assert_non_null(strstr(err.msg, "expected"));
    }
    assert_true(c.era.zswap.protect == ZSWAP_PROTECT_NONE); /* the kernel was set last */
}

static void test_names_exist(void **state) {
    (void)state;
    for (const char *const *v = find("zswap.compressor")->values; *v; v++)
        assert_non_null(codec_find(*v));
    for (const char *const *v = find("zram0.comp_algorithm")->values; *v; v++)
        assert_non_null(codec_find(*v));
    for (const char *const *v = find("zswap.zpool")->values; *v; v++)
        assert_non_null(zpool_find(*v));
    for (const char *const *v = find("swap.device")->values; *v; v++) {
        if (strcmp(*v, "zram0") != 0)
            assert_non_null(blk_find(*v));
    }
}

/* The per-size switches are bits of one word. */
static void test_folio_sizes(void **state) {
    struct machine_config c;

    (void)state;
    assert_int_equal(machine_config_init(&c, "6.12", NULL), RF_OK);
    assert_int_equal(knob_set(find("thp.hugepages-64kB.enabled"), &c, "1", NULL), RF_OK);
    assert_int_equal(knob_set(find("thp.hugepages-16kB.enabled"), &c, "1", NULL), RF_OK);
    assert_int_equal(c.thp_orders, 1u << 4 | 1u << 2);
    assert_int_equal(knob_set(find("thp.hugepages-64kB.enabled"), &c, "0", NULL), RF_OK);
    assert_int_equal(c.thp_orders, 1u << 2);
}

static void test_kernels(void **state) {
    char text[64];

    (void)state;
    assert_true(knob_in_kernel(find("zswap.shrinker_enabled"), "6.12"));
    assert_false(knob_in_kernel(find("zswap.shrinker_enabled"), "6.1"));
    assert_false(knob_in_kernel(find("zswap.zpool"), "6.18"));
    assert_true(knob_in_kernel(find("zswap.zpool"), "5.10"));
    assert_string_equal(knob_kernels(find("zswap.exclusive_loads"), text, sizeof(text)),
                        "6.5 to 6.8");
    assert_string_equal(knob_kernels(find("vm.swappiness"), text, sizeof(text)), "all");
}

static void test_json_types(void **state) {
    struct machine_config c;
    json_t *o, *v;

    (void)state;
    assert_int_equal(machine_config_init(&c, "6.12", NULL), RF_OK);
    c.footprint_pages = 1000;
    o = knobs_config_json(&knobs, &c);
    assert_int_equal(json_object_size(o), knobs.n);
    v = json_object_get(o, "machine.ram");
    assert_true(json_is_integer(v) && json_integer_value(v) == 1250 * 4096);
    v = json_object_get(o, "memory.max");
    assert_true(json_is_string(v) && strcmp(json_string_value(v), "max") == 0);
    v = json_object_get(o, "zswap.enabled");
    assert_true(json_is_integer(v) && json_integer_value(v) == 0);
    v = json_object_get(o, "kernel");
    assert_true(json_is_string(v) && strcmp(json_string_value(v), "6.12") == 0);
    json_decref(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),      cmocka_unit_test(test_keys_are_unique),
        cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_set_touches_only_its_field),
        cmocka_unit_test(test_bounds),      cmocka_unit_test(test_names_exist),

        cmocka_unit_test(test_folio_sizes), cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_json_types),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
