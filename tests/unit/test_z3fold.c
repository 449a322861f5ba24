/* SPDX-License-Identifier: Apache-2.0 */
/* z3fold: limits, the three places, moves and eviction. Expected values are worked by hand from the
 * rules of mm/z3fold.c (6.1, 6.12): 62 usable chunks of 64 bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "zpool_rig.h"

static struct zpool *make(bool bytes) {
    struct zpool_params p = {.name = "zswap1", .store_bytes = bytes, .max_objects = 4096};
    return zpool_make("z3fold", &p);
}

/* A whole page is accepted, unlike in zbud; above 3904 bytes an object has its page alone. */
static void test_limits(void **state) {
    uint32_t h;
    (void)state;
    struct zpool *z = make(false);
    assert_int_equal(z->ops->malloc(z, 0, 1, &h), ZPOOL_EINVAL);
    assert_int_equal(z->ops->malloc(z, 4097, 1, &h), ZPOOL_ENOSPC);
    get(z, 4096, 1);
    get(z, 3905, 2);
    get(z, 64, 3);
    assert_int_equal(z->ops->total_pages(z), 3);
    get(z, 3840, 4); /* 60 chunks; the page of 64 bytes has 61 free */
    assert_int_equal(z->ops->total_pages(z), 3);
    done(z);
}

static void test_three_in_a_page(void **state) {
    (void)state;
    struct zpool *z = make(false);
    get(z, 20 * 64, 1);
    get(z, 20 * 64, 2);
    get(z, 22 * 64, 3);
    assert_int_equal(z->ops->total_pages(z), 1);
    get(z, 64, 4); /* full: three objects */
    assert_int_equal(z->ops->total_pages(z), 2);
    done(z);
}

/* First (20), last (20), middle (10). When last goes, the hole behind the middle object is
 * 62 - 20 - 10 = 32 chunks: 33 need another page (29 left there), 32 fit. When first and last are
 * gone the middle object, now alone, moves to that other page, which has 19 chunks left. */
static void test_holes(void **state) {
    (void)state;
    struct zpool *z = make(false);
    uint32_t first = get(z, 20 * 64, 1), last = get(z, 20 * 64, 2);
    get(z, 10 * 64, 3);
    z->ops->free(z, last);
    get(z, 33 * 64, 4);
    assert_int_equal(z->ops->total_pages(z), 2);
    last = get(z, 32 * 64, 5);
    assert_int_equal(z->ops->total_pages(z), 2);
    z->ops->free(z, first);
    assert_int_equal(z->ops->total_pages(z), 2);
    z->ops->free(z, last);
    assert_int_equal(z->ops->total_pages(z), 1);
    get(z, 19 * 64, 6);
    assert_int_equal(z->ops->total_pages(z), 1);
    get(z, 64, 7);
    assert_int_equal(z->ops->total_pages(z), 2);
    done(z);
}

/* The object left alone in its page moves into another page with room; its handle stays good. */
static void test_single_moves(void **state) {
    uint8_t buf[1000], want[1000];
    (void)state;
    struct zpool *z = make(true);
    uint32_t a = get(z, 30 * 64, 1), b = get(z, 1000, 2);
    uint32_t c = get(z, 30 * 64, 3);
    assert_int_equal(z->ops->total_pages(z), 2);
    memset(want, 0x5a, sizeof(want));
    z->ops->write(z, b, want, sizeof(want));
    z->ops->free(z, a);
    assert_int_equal(z->ops->total_pages(z), 1);
    z->ops->read(z, b, buf, sizeof(buf));
    assert_memory_equal(buf, want, sizeof(buf));
    z->ops->free(z, c);
    assert_int_equal(z->ops->live_objects(z), 1);
    z->ops->free(z, b);
    assert_int_equal(z->ops->total_pages(z), 0);
    done(z);
}

struct evictor {
    struct zpool *z;
    uint32_t handle[64], order[64], n;
    bool refuse;
};

static int evict(void *ctx, uint32_t owner) {
    struct evictor *e = ctx;
    e->order[e->n++] = owner;
    if (e->refuse)
        return -1;
    e->z->ops->free(e->z, e->handle[owner]);
    return 0;
}

static void test_shrink(void **state) {
    struct evictor e = {.n = 0};
    (void)state;
    struct zpool *z = e.z = make(false);
    assert_int_equal(z->ops->shrink(z, evict, &e), ZPOOL_EINVAL);
    e.handle[0] = get(z, 20 * 64, 0);
    e.handle[1] = get(z, 20 * 64, 1);
    e.handle[2] = get(z, 20 * 64, 2);
    e.handle[3] = get(z, 4096, 3);
    assert_int_equal(z->ops->shrink(z, evict, &e), ZPOOL_OK);
    assert_int_equal(e.n, 3); /* all three of the older page */
    assert_int_equal(z->ops->total_pages(z), 1);
    e.refuse = true;
    assert_int_equal(z->ops->shrink(z, evict, &e), ZPOOL_EAGAIN);
    assert_int_equal(e.n, 11); /* 8 tries */
    e.refuse = false;
    assert_int_equal(z->ops->shrink(z, evict, &e), ZPOOL_OK);
    assert_int_equal(z->ops->total_pages(z), 0);
    done(z);
}

static void test_bytes(void **state) {
    static uint32_t handle[1000], len[1000];
    uint8_t buf[4096], want[4096];
    struct rf_rng r;
    struct rf_err err = {0, ""};
    (void)state;
    struct zpool *z = make(true);
    rf_rng_seed(&r, 9);
    for (uint32_t op = 0; op < 20000; op++) {
        uint32_t i = (uint32_t)rf_rng_below(&r, 1000);
        if (len[i]) {
            z->ops->read(z, handle[i], buf, len[i]);
            memset(want, (int)(i * 5 + len[i]), len[i]);
            assert_memory_equal(buf, want, len[i]);
            z->ops->free(z, handle[i]);
            len[i] = 0;
        } else {
            uint32_t most = rf_rng_below(&r, 3) ? 1500 : 4096;
            len[i] = 1 + (uint32_t)rf_rng_below(&r, most);
            handle[i] = get(z, len[i], i);
            memset(buf, (int)(i * 5 + len[i]), len[i]);
            z->ops->write(z, handle[i], buf, len[i]);
        }
        if (op % 1000 == 0 && z->ops->check(z, &err) != 0)
            fail_msg("%s", err.msg);
    }
    done(z);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits), cmocka_unit_test(test_three_in_a_page),
        cmocka_unit_test(test_holes),  cmocka_unit_test(test_single_moves),
        cmocka_unit_test(test_shrink), cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
