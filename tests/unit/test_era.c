/* SPDX-License-Identifier: Apache-2.0 */
/* The era rows: what the releases named in their changelogs must have, and the field table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include "refault/config.h"

static void test_lookup(void **state) {
    const struct kernel_era *const *t = era_table();

    (void)state;
    for (size_t i = 0; t[i]; i++)
        assert_ptr_equal(era_find(t[i]->name), t[i]);
    assert_null(era_find("6.2"));
    assert_null(era_find(""));
    assert_non_null(era_find("6.1"));
    assert_non_null(era_find("6.12"));
    assert_non_null(era_find("6.18"));
}

/* Facts read in mm/zswap.c, mm/zsmalloc.c, include/linux/pagevec.h and mm/memory.c of 6.1 and
 * 6.12. */
static void test_two_kernels(void **state) {
    const struct kernel_era *a = era_find("6.1"), *b = era_find("6.12");

    (void)state;
    assert_int_equal(a->zs.chain_size, 4);
    assert_int_equal(b->zs.chain_size, 8);
    assert_int_equal(a->reclaim.add_batch, 15);
    assert_int_equal(b->reclaim.add_batch, 31);
    assert_int_equal(a->zswap.shrink_mode, ZSWAP_SHRINK_ONE);
    assert_int_equal(b->zswap.shrink_mode, ZSWAP_SHRINK_MEMCG);
    assert_true(a->zswap.same_filled && !b->zswap.same_filled);
    assert_true(!a->swap.zeromap && b->swap.zeromap);
    assert_true(a->zswap.exclusive == ZSWAP_EXCL_NEVER && b->zswap.exclusive == ZSWAP_EXCL_ALWAYS);
    assert_true(!a->fault.map_writable_on_read && b->fault.map_writable_on_read);
    assert_true(a->reclaim.stat_flush_reclaim && !b->reclaim.stat_flush_reclaim);
    assert_true(a->reclaim.stat_flush_ns == 2000000000 && b->reclaim.stat_flush_ns == 2000000000);
    assert_int_equal(a->swap.slot_cache, 64);
    assert_int_equal(b->swap.slot_cache, 64);
    assert_true(!a->zram.recompression && b->zram.recompression);
}

static void test_copy_on_write_rules(void **state) {
    (void)state;
    assert_int_equal(era_find("5.4")->fault.wp_rule, WP_W0);
    assert_int_equal(era_find("5.10")->fault.wp_rule, WP_W1); /* 5.9 to 5.17 */
    assert_int_equal(era_find("6.1")->fault.wp_rule, WP_W3);  /* 5.19 and later */
}

static size_t size_of_type(enum era_field_type t) {
    static const size_t size[] = {[ERA_BOOL] = sizeof(bool),
                                  [ERA_U8] = 1,
                                  [ERA_U16] = 2,
                                  [ERA_U32] = 4,
                                  [ERA_U64] = 8,
                                  [ERA_ENUM8] = 1};

    return size[t];
}

static int by_offset(const void *a, const void *b) {
    const struct era_field *x = a, *y = b;

    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* No byte of the policies is without a field but for padding, which is always shorter than the
 * alignment of what follows. */
static void test_every_field_is_listed(void **state) {
    size_t nr, at = offsetof(struct kernel_era, zs);
    const struct era_field *fields = era_fields(&nr);
    struct era_field *sorted = malloc(nr * sizeof(*sorted));

    (void)state;
    assert_non_null(sorted);
    memcpy(sorted, fields, nr * sizeof(*sorted));
    qsort(sorted, nr, sizeof(*sorted), by_offset);
    for (size_t i = 0; i < nr; i++) {
        size_t size = size_of_type(sorted[i].type);
        bool first_of_struct = sorted[i].offset == offsetof(struct kernel_era, zswap) ||
                               sorted[i].offset == offsetof(struct kernel_era, zram) ||
                               sorted[i].offset == offsetof(struct kernel_era, swap) ||
                               sorted[i].offset == offsetof(struct kernel_era, fault) ||
                               sorted[i].offset == offsetof(struct kernel_era, reclaim);

        assert_true(sorted[i].offset >= at); /* no byte twice */
        if (sorted[i].offset - at >= (first_of_struct ? 8 : size))
            fail_msg("%zu bytes before %s belong to no field", sorted[i].offset - at,
                     sorted[i].name);
        assert_true(sorted[i].help && *sorted[i].help);
        at = sorted[i].offset + size;
    }
    assert_true(sizeof(struct kernel_era) - at < 8);
    free(sorted);
}

/* Enum fields have a name for every value that a row uses. */
static void test_enum_names(void **state) {
    size_t nr;
    const struct era_field *f = era_fields(&nr);

    (void)state;
    for (size_t i = 0; i < nr; i++) {
        size_t names = 0;

        if (f[i].type != ERA_ENUM8)
            continue;
        while (f[i].values[names])
            names++;
        for (const struct kernel_era *const *e = era_table(); *e; e++)
            assert_true(*((const uint8_t *)*e + f[i].offset) < names);
    }
}

static void test_config_init(void **state) {
    struct machine_config c;
    struct rf_err err;

    (void)state;
    assert_int_equal(machine_config_init(&c, "6.12", &err), RF_OK);
    assert_string_equal(c.zswap_compressor, "lzo");
    assert_string_equal(c.zswap_zpool, "zsmalloc");
    assert_string_equal(c.zram_comp_algorithm, "lzo-rle");
    assert_string_equal(c.swap_device, "nvme");
    assert_int_equal(c.swappiness, 60);
    assert_int_equal(c.page_cluster, 3);
    assert_int_equal(c.max_pool_percent, 20);
    assert_int_equal(c.accept_threshold_percent, 90);
    assert_false(c.zswap_enabled);
    assert_int_equal(machine_config_init(&c, "6.1", &err), RF_OK);
    assert_string_equal(c.zswap_zpool, "zbud");
    assert_int_equal(machine_config_init(&c, "2.6", &err), RF_EUSAGE);
    assert_non_null(strstr(err.msg, "6.12"));
}

static void test_amount_pages(void **state) {
    struct machine_config c = {.footprint_pages = 12288};

    (void)state;
    assert_int_equal(machine_amount_pages(&c, (struct rf_amount){5000, AMOUNT_PERCENT}), 6144);
    assert_int_equal(machine_amount_pages(&c, (struct rf_amount){8191, AMOUNT_BYTES}), 1);
    c.footprint_pages = 1ull << 52; /* all of a 64-bit address space, without an overflow */
    assert_true(machine_amount_pages(&c, (struct rf_amount){20000, AMOUNT_PERCENT}) == 1ull << 53);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_two_kernels),
        cmocka_unit_test(test_copy_on_write_rules),
        cmocka_unit_test(test_every_field_is_listed),
        cmocka_unit_test(test_enum_names),
        cmocka_unit_test(test_config_init),
        cmocka_unit_test(test_amount_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
