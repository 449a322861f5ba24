/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of zswap and of its pool that CPUs wait for: wanted times are counted by hand from the
 * cache lines that each lock's work changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "zswap_env.h"

#define LINE 10u
#define POOL (5 * LINE)    /* the lock's line and four more */
#define MAP (2 * LINE)     /* an atomic operation to take, one to give back */
#define LRU_ADD (2 * LINE) /* the lock's and a neighbour's */
#define LRU_DEL (3 * LINE)

struct rig {
    struct env e;
    struct engine *eng;
};

static void start(struct rig *r, bool class_lock) {
    struct engine_params ep = {.cpus = 2};
    struct rf_err err = {0};

    env_init(&r->e, era_policy(Z4), zpool_find("zsmalloc"), 100000, 20, 90);
    r->e.p.zs.class_lock = class_lock;
    r->e.p.contention = true;
    r->e.p.cache_line_ns = LINE;
    r->e.p.lock_handoff_ns = 2 * LINE;
    assert_int_equal(engine_create(&ep, &r->eng, &err), 0);
    assert_int_equal(env_start(&r->e), 0);
}

static void end(struct rig *r) {
    env_stop(&r->e);
    engine_destroy(r->eng);
}

/* What a store on a CPU costs at a time. */
static uint64_t store_at(struct rig *r, uint32_t id, rf_time when, uint32_t slot,
                         uint32_t content) {
    struct sim_cpu *cpu = engine_cpu(r->eng, id);
    uint64_t before = cpu->sys_ns;

    cpu->now = when;
    assert_true(zswap_store(r->e.z, cpu, slot, 0, content));
    return cpu->sys_ns - before;
}

static void one_cpu_waits_for_nothing(void **state) {
    struct rig r;

    (void)state;
    start(&r, true);
    for (uint32_t slot = 1; slot < 50; slot++)
        assert_int_equal(store_at(&r, 0, 100 * slot, slot, PAGE_1000), 0);
    zswap_invalidate(r.e.z, engine_cpu(r.eng, 0), 1);
    assert_int_equal(engine_cpu(r.eng, 0)->sys_ns, 0);
    end(&r);
}

static void lines_and_waiting(void **state) {
    struct rig r;
    struct sim_lock pool;

    (void)state;
    start(&r, true);
    assert_int_equal(store_at(&r, 0, 0, 1, PAGE_1000), 0);
    assert_int_equal(store_at(&r, 1, 1000, 2, PAGE_1000), POOL + MAP + LRU_ADD);
    assert_int_equal(zswap_lock_use(r.e.z, ZSWAP_LOCK_POOL).contended, 0);
    /* The pool's lock is taken until 1050, and takes a line more to be handed over. */
    assert_int_equal(store_at(&r, 0, 1000, 3, PAGE_1000), POOL + LINE + POOL + MAP + LRU_ADD);
    pool = zswap_lock_use(r.e.z, ZSWAP_LOCK_POOL);
    assert_int_equal(pool.acquisitions, 3);
    assert_int_equal(pool.contended, 1);
    assert_int_equal(pool.wait_ns, POOL + LINE);
    struct sim_cpu *cpu = engine_cpu(r.eng, 1);
    uint64_t before = cpu->sys_ns;
    cpu->now = 5000;
    zswap_invalidate(r.e.z, cpu, 1);
    assert_int_equal(cpu->sys_ns - before, LRU_DEL + MAP + POOL);
    end(&r);
}

/* Pages of different lengths meet at the lock of a pool, not at those of size classes. */
static void classes(void **state) {
    (void)state;
    for (int class_lock = 0; class_lock < 2; class_lock++) {
        struct rig r;

        start(&r, class_lock);
        assert_int_equal(store_at(&r, 0, 0, 1, PAGE_1000), 0);
        assert_int_equal(store_at(&r, 1, 1000, 2, PAGE_3960),
                         (class_lock ? 0 : POOL) + MAP + LRU_ADD);
        end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cpu_waits_for_nothing),
        cmocka_unit_test(lines_and_waiting),
        cmocka_unit_test(classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
