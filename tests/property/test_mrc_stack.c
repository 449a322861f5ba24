/* SPDX-License-Identifier: Apache-2.0 */
/* Stack distances against LRU memories of every size, run one by one: an access hits in a memory of
 * n pages exactly if its distance is at most n, also where pages are freed in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "mrc/stack.h"

#define PAGES 24u
#define SIZES 30u

/* A memory as a plain list, most recently used first. */
struct memory {
    uint32_t page[SIZES], n, capacity;
};

static bool memory_take_out(struct memory *m, uint32_t page) {
    for (uint32_t i = 0; i < m->n; i++) {
        if (m->page[i] != page)
            continue;
        memmove(m->page + i, m->page + i + 1, (m->n - i - 1) * sizeof(m->page[0]));
        m->n--;
        return true;
    }
    return false;
}

static bool memory_access(struct memory *m, uint32_t page) {
    bool hit = memory_take_out(m, page);

    if (m->n == m->capacity)
        m->n--;
    memmove(m->page + 1, m->page, m->n * sizeof(m->page[0]));
    m->page[0] = page;
    m->n++;
    return hit;
}

static void play(uint64_t seed, uint32_t ops, uint32_t free_permille) {
    struct memory memories[SIZES];
    struct lru_stack s;
    struct rf_err err = {0};
    struct rf_rng rng;

    rf_rng_seed(&rng, seed);
    assert_int_equal(lru_stack_init(&s, PAGES, &err), RF_OK);
    for (uint32_t n = 1; n < SIZES; n++)
        memories[n] = (struct memory){.capacity = n};
    for (uint32_t i = 0; i < ops; i++) {
        uint32_t page = (uint32_t)rf_rng_below(&rng, PAGES), distance;

        if (rf_rng_below(&rng, 1000) < free_permille) {
            assert_int_equal(lru_stack_remove(&s, page, &err), RF_OK);
            for (uint32_t n = 1; n < SIZES; n++)
                memory_take_out(&memories[n], page);
            continue;
        }
        assert_int_equal(lru_stack_access(&s, page, &distance, &err), RF_OK);
        for (uint32_t n = 1; n < SIZES; n++)
            assert_int_equal(memory_access(&memories[n], page), distance <= n);
    }
    lru_stack_free(&s);
}

static void without_freeing(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++)
        play(seed, 1500, 0);
}

static void with_freeing(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++)
        play(seed, 1500, seed < 5 ? 50 : 300);
}

/* Long enough for time to be renumbered (after 65536 accesses), with holes in it. */
static void renumbered(void **state) {
    (void)state;
    play(9, 70000, 100);
}

/* More pages than the first table has times: it grows. In a scan of n pages every distance is n. */
static void grown(void **state) {
    struct lru_stack s;
    struct rf_err err = {0};
    const uint32_t n = 100000;

    (void)state;
    assert_int_equal(lru_stack_init(&s, n, &err), RF_OK);
    for (uint32_t i = 0; i < 3 * n; i++) {
        uint32_t distance;

        assert_int_equal(lru_stack_access(&s, i % n, &distance, &err), RF_OK);
        assert_int_equal(distance, i < n ? STACK_COLD : n);
    }
    lru_stack_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_freeing),
        cmocka_unit_test(with_freeing),
        cmocka_unit_test(renumbered),
        cmocka_unit_test(grown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
