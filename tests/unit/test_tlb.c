/* SPDX-License-Identifier: Apache-2.0 */
/* machine.tlb_entries: which accesses walk the page table, and what reclaim makes of it. */
#include "src/machine/tlb.h"
#include "tests/machine_rig.h"

#define ENTRIES 16u

static void setup_tlb(struct tlb *t) {
    struct rf_err err;

    memset(t, 0, sizeof(*t));
    assert_int_equal(tlb_create(t, ENTRIES, false, 1, &err), RF_OK);
}

static void walks_once(void **state) {
    struct tlb t;

    (void)state;
    setup_tlb(&t);
    assert_true(tlb_access(&t, 5, 0, false));
    assert_false(tlb_access(&t, 5, 0, false));
    /* The dirty bit needs a walk of its own, and only one. */
    assert_true(tlb_access(&t, 5, 0, true));
    assert_false(tlb_access(&t, 5, 0, true));
    assert_false(tlb_access(&t, 5, 0, false));
    tlb_flush(&t);
    assert_true(tlb_access(&t, 5, 0, true));
    assert_false(tlb_access(&t, 5, 0, false));
    tlb_destroy(&t);
}

/* Pages of one place: the newest has the entry, the eight before it are the victims. */
static void conflicts(void **state) {
    struct tlb t;

    (void)state;
    setup_tlb(&t);
    for (uint32_t i = 0; i < 10; i++)
        assert_true(tlb_access(&t, 3 + i * ENTRIES, 0, false));
    for (uint32_t i = 1; i < 10; i++)
        assert_false(tlb_access(&t, 3 + i * ENTRIES, 0, false));
    assert_true(tlb_access(&t, 3, 0, false));
    /* Another place is not touched by all that. */
    assert_true(tlb_access(&t, 4, 0, false));
    assert_false(tlb_access(&t, 4, 0, false));
    tlb_destroy(&t);
}

/* A store remembered by an entry goes with it among the victims and back. */
static void victims_keep_the_dirty_bit(void **state) {
    struct tlb t;

    (void)state;
    setup_tlb(&t);
    assert_true(tlb_access(&t, 1, 0, true));
    assert_true(tlb_access(&t, 1 + ENTRIES, 0, false));
    assert_false(tlb_access(&t, 1, 0, true));
    assert_true(tlb_access(&t, 1 + ENTRIES, 0, true));
    tlb_destroy(&t);
}

/*
 * Page 0 is read after each store to one of 1,500 other pages, of which 256 fit. If each read
 * sets the accessed bit, page 0 never goes. If the CPU holds all
 * translations, none sets it again once reclaim has cleared it, and page 0 goes whenever its turn
 * comes, as an unused page would.
 */
static uint64_t faults_on_a_used_page(uint32_t entries) {
    struct rig r;
    uint64_t faults;

    rig_config(&r, "6.12");
    rig_device(&r, "null");
    r.c.memory_max = rig_pages(256);
    r.c.tlb_entries = entries;
    rig_start(&r);
    rig_process(&r, 0, RF_NONE, 0);
    RIG_OK(&r, machine_map(r.m, 0, 1, 512, 1024, 512, TMAP_ANON | TMAP_WRITE, &r.err));
    rig_write(&r, 0, 0, 50);
    for (uint32_t i = 1; i <= 1500; i++) {
        rig_write(&r, 0, i, 50);
        rig_read(&r, 0, 0);
    }
    RIG_OK(&r, machine_settle(r.m, &r.err));
    rig_check(&r);
    faults = rig_value(&r, "vmstat.pgmajfault");
    rig_teardown(&r);
    return faults;
}

static void reclaim_sees_no_accesses(void **state) {
    (void)state;
    assert_int_equal(faults_on_a_used_page(0), 0);
    /* 1,500 pages go through a list of fewer than 256, so page 0 has five turns or more. What a
     * fault brought has its accessed bit set, which saves it once: every second turn at least. */
    assert_in_range(faults_on_a_used_page(2048), 2, 8);
}

static void bad_size(void **state) {
    struct rig r;

    (void)state;
    rig_config(&r, "6.12");
    r.c.tlb_entries = 1000;
    assert_int_equal(machine_create(&r.c, NULL, &r.m, &r.err), RF_EUSAGE);
    assert_non_null(strstr(r.err.msg, "power of two"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_once),
        cmocka_unit_test(conflicts),
        cmocka_unit_test(victims_keep_the_dirty_bit),
        cmocka_unit_test(reclaim_sees_no_accesses),
        cmocka_unit_test(bad_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
