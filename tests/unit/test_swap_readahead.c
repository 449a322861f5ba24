/* SPDX-License-Identifier: Apache-2.0 */
/* Readahead windows: sequences worked out by hand from the rules of mm/swap_state.c (6.1, 6.12). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "refault/swap.h"

static void window_sizes(void **state) {
    (void)state;
    for (uint32_t hits = 1; hits < 20; hits++)
        assert_int_equal(swap_ra_pages(0, 500, hits, 8, 0), hits <= 2 ? 4 : 8);
    assert_int_equal(swap_ra_pages(10, 11, 0, 8, 0), 2);
    assert_int_equal(swap_ra_pages(10, 9, 0, 8, 0), 2);
    assert_int_equal(swap_ra_pages(10, 12, 0, 8, 0), 1);
    assert_int_equal(swap_ra_pages(10, 90, 0, 8, 8), 4);
    assert_int_equal(swap_ra_pages(10, 90, 0, 8, 4), 2);
    assert_int_equal(swap_ra_pages(10, 90, 0, 8, 2), 1);
}

static void cluster_sequence(void **state) {
    static const struct {
        uint64_t miss, start, end;
        uint32_t more_hits, win;
    } row[] = {
        {100, 96, 104, 0, 8},     {777, 776, 780, 0, 4},    {5000, 5000, 5002, 0, 2},
        {5001, 5000, 5002, 0, 2}, {9000, 9000, 9004, 2, 4}, {9004, 9000, 9008, 3, 8},
        {9016, 9016, 9024, 7, 8}, {40, 40, 44, 0, 4},
    };
    struct swap_cluster_ra ra;
    (void)state;

    swap_cluster_ra_init(&ra);
    assert_int_equal(ra.hits, 4);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        uint64_t s, e;

        ra.hits += row[i].more_hits;
        assert_int_equal(swap_cluster_ra_miss(&ra, row[i].miss, 3, 1 << 20, &s, &e), row[i].win);
        assert_int_equal(s, row[i].start);
        assert_int_equal(e, row[i].end);
    }
}

static void cluster_edges(void **state) {
    struct swap_cluster_ra ra;
    uint64_t s, e;
    (void)state;

    swap_cluster_ra_init(&ra);
    assert_int_equal(swap_cluster_ra_miss(&ra, 3, 3, 1 << 20, &s, &e), 8);
    assert_int_equal(s, 1); /* the header is not read */
    assert_int_equal(e, 8);
    swap_cluster_ra_init(&ra);
    (void)swap_cluster_ra_miss(&ra, 1001, 3, 1003, &s, &e);
    assert_int_equal(s, 1000);
    assert_int_equal(e, 1003);
    swap_cluster_ra_init(&ra);
    assert_int_equal(swap_cluster_ra_miss(&ra, 1001, 0, 5000, &s, &e), 1);
    assert_int_equal(s, 1001);
    assert_int_equal(e, 1002);
    assert_int_equal(ra.hits, 4); /* untouched without readahead */
}

static void vma_sequence(void **state) {
    struct swap_vma_ra ra = {0};
    uint64_t s, e;
    (void)state;

    assert_int_equal(swap_vma_ra_miss(&ra, 1000, 0, 4096, 3, &s, &e), 8);
    assert_int_equal(s, 997);
    assert_int_equal(e, 1005);
    for (uint64_t v = 1001; v <= 1004; v++)
        swap_vma_ra_hit(&ra, v, true);
    assert_int_equal(ra.hits, 4);
    assert_int_equal(swap_vma_ra_miss(&ra, 1005, 0, 4096, 3, &s, &e), 8);
    assert_int_equal(s, 1005);
    assert_int_equal(e, 1013);
    assert_int_equal(swap_vma_ra_miss(&ra, 1004, 0, 4096, 3, &s, &e), 4);
    assert_int_equal(s, 1001);
    assert_int_equal(e, 1005);
    assert_int_equal(swap_vma_ra_miss(&ra, 3000, 0, 4096, 3, &s, &e), 2);
    assert_int_equal(s, 3000);
    assert_int_equal(e, 3002);
    assert_int_equal(swap_vma_ra_miss(&ra, 50, 0, 4096, 3, &s, &e), 1);
    assert_int_equal(s, 50);
    assert_int_equal(e, 51);
}

static void vma_edges(void **state) {
    struct swap_vma_ra ra = {0};
    uint64_t s, e;
    (void)state;

    /* a hit on a fresh VMA starts from the 4 initial hits */
    swap_vma_ra_hit(&ra, 510, true);
    assert_int_equal(ra.hits, 5);
    assert_int_equal(swap_vma_ra_miss(&ra, 511, 0, 4096, 3, &s, &e), 8);
    assert_int_equal(s, 511); /* the page table ends at 512 */
    assert_int_equal(e, 512);
    ra = (struct swap_vma_ra){.addr = 3, .hits = 4, .set = true};
    assert_int_equal(swap_vma_ra_miss(&ra, 2, 0, 4096, 3, &s, &e), 8);
    assert_int_equal(s, 0); /* backwards past page 0 */
    assert_int_equal(e, 3);
    ra = (struct swap_vma_ra){.addr = 1, .hits = 4, .set = true};
    assert_int_equal(swap_vma_ra_miss(&ra, 100, 99, 102, 3, &s, &e), 8);
    assert_int_equal(s, 99);
    assert_int_equal(e, 102);
    ra = (struct swap_vma_ra){.addr = 1, .hits = 63, .set = true};
    swap_vma_ra_hit(&ra, 7, true);
    assert_int_equal(ra.hits, 63);
    assert_int_equal(swap_vma_ra_miss(&ra, 8, 0, 4096, 9, &s, &e), 32); /* page-cluster at most 5 */
    ra = (struct swap_vma_ra){0};
    assert_int_equal(swap_vma_ra_miss(&ra, 8, 0, 4096, 0, &s, &e), 1);
    assert_false(ra.set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(window_sizes),  cmocka_unit_test(cluster_sequence),
        cmocka_unit_test(cluster_edges), cmocka_unit_test(vma_sequence),
        cmocka_unit_test(vma_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
