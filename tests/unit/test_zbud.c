/* SPDX-License-Identifier: Apache-2.0 */
/* zbud: limits, placement and eviction. Expected values are worked by hand from the rules of
 * mm/zbud.c (6.1): 64-byte chunks, one for the header, at most two objects a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "zpool_rig.h"

static struct zpool *make(bool bytes) {
    struct zpool_params p = {.name = "zswap1", .store_bytes = bytes, .max_objects = 4096};
    return zpool_make("zbud", &p);
}

static void test_limits(void **state) {
    uint32_t h;
    (void)state;
    struct zpool *z = make(false);
    assert_int_equal(z->ops->malloc(z, 0, 1, &h), ZPOOL_EINVAL);
    assert_int_equal(z->ops->malloc(z, 3969, 1, &h), ZPOOL_ENOSPC);
    get(z, 3968, 1);
    assert_int_equal(z->ops->total_pages(z), 1);
    assert_int_equal(z->ops->compactable(z), 0);
    assert_int_equal(z->ops->compact(z, NULL, NULL), 0);
    done(z);
}

/* Pages with 63 - 40 = 23 and 63 - 30 = 33 free chunks: 20 chunks go to the first (best fit by
 * free space), 30 to the second, and a third object never fits in a page. */
static void test_placement(void **state) {
    (void)state;
    struct zpool *z = make(false);
    uint32_t a = get(z, 40 * 64, 1);
    uint32_t b = get(z, 30 * 64, 2);
    assert_int_equal(z->ops->total_pages(z), 2);
    assert_int_equal(get(z, 20 * 64, 3) / 2, a / 2);
    assert_int_equal(get(z, 30 * 64, 4) / 2, b / 2);
    get(z, 64, 5); /* both pages have room but two objects */
    assert_int_equal(z->ops->total_pages(z), 3);
    assert_int_equal(z->ops->live_objects(z), 5);
    done(z);
}

/* Of pages with equal room the one that was put on the list last is taken. */
static void test_last_inserted_first(void **state) {
    (void)state;
    struct zpool *z = make(false);
    uint32_t a = get(z, 2048, 1), b;
    get(z, 1984, 2); /* 32 + 31 chunks: page full */
    b = get(z, 2048, 3);
    get(z, 1984, 4);
    z->ops->free(z, b);                   /* page b: 31 chunks used in last */
    z->ops->free(z, a);                   /* page a the same, inserted later */
    assert_int_equal(get(z, 2048, 5), a); /* first is empty, so first is used */
    assert_int_equal(get(z, 2048, 6), b);
    assert_int_equal(z->ops->total_pages(z), 2);
    done(z);
}

struct evictor {
    struct zpool *z;
    uint32_t handle[64], order[64], n;
    uint32_t refuse_from; /* owners from here on stay */
};

static int evict(void *ctx, uint32_t owner) {
    struct evictor *e = ctx;
    e->order[e->n++] = owner;
    if (owner >= e->refuse_from)
        return -1;
    e->z->ops->free(e->z, e->handle[owner]);
    return 0;
}

/* The page not allocated from for longest goes first, and takes its second object with it. */
static void test_shrink(void **state) {
    struct evictor e = {.refuse_from = 64};
    (void)state;
    struct zpool *z = e.z = make(false);
    assert_int_equal(z->ops->shrink(z, evict, &e), ZPOOL_EINVAL);
    e.handle[0] = get(z, 3000, 0); /* page A, 16 chunks free */
    e.handle[1] = get(z, 3200, 1); /* page B, 13 chunks free */
    e.handle[2] = get(z, 1000, 2); /* 16 chunks: into page A, which is now the younger */
    assert_int_equal(z->ops->shrink(z, evict, &e), ZPOOL_OK);
    assert_int_equal(e.n, 1);
    assert_int_equal(e.order[0], 1);
    assert_int_equal(z->ops->shrink(z, evict, &e), ZPOOL_OK);
    assert_int_equal(e.n, 3);
    assert_int_equal(e.order[1], 0);
    assert_int_equal(e.order[2], 2);
    assert_int_equal(z->ops->total_pages(z), 0);
    done(z);
}

/* A page that cannot be emptied goes to the front; at most 8 pages are tried. */
static void test_shrink_retries(void **state) {
    struct evictor e = {.refuse_from = 0};
    (void)state;
    struct zpool *z = e.z = make(false);
    for (uint32_t i = 0; i < 10; i++)
        e.handle[i] = get(z, 3900, i);
    assert_int_equal(z->ops->shrink(z, evict, &e), ZPOOL_EAGAIN);
    assert_int_equal(e.n, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(e.order[i], i);
    assert_int_equal(z->ops->total_pages(z), 10);
    e.refuse_from = 64;
    assert_int_equal(z->ops->shrink(z, evict, &e), ZPOOL_OK);
    assert_int_equal(e.order[8], 8);
    done(z);
}

static void test_bytes(void **state) {
    static uint32_t handle[1000], len[1000];
    uint8_t buf[4096], want[4096];
    struct rf_rng r;
    (void)state;
    struct zpool *z = make(true);
    rf_rng_seed(&r, 7);
    for (uint32_t op = 0; op < 20000; op++) {
        uint32_t i = (uint32_t)rf_rng_below(&r, 1000);
        if (len[i]) {
            z->ops->read(z, handle[i], buf, len[i]);
            memset(want, (int)(i * 7 + len[i]), len[i]);
            assert_memory_equal(buf, want, len[i]);
            z->ops->free(z, handle[i]);
            len[i] = 0;
        } else {
            len[i] = 1 + (uint32_t)rf_rng_below(&r, 3968);
            handle[i] = get(z, len[i], i);
            memset(buf, (int)(i * 7 + len[i]), len[i]);
            z->ops->write(z, handle[i], buf, len[i]);
        }
    }
    done(z);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_placement),
        cmocka_unit_test(test_last_inserted_first),
        cmocka_unit_test(test_shrink),
        cmocka_unit_test(test_shrink_retries),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
