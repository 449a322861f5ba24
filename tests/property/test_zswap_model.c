/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random operations on zswap of every era over the real allocators, against a map from slots to
 * contents; with verification, writebacks that store or drop other pages meanwhile, and compaction.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "../unit/zswap_env.h"

#define SLOTS 3000u
#define MEMCGS 3u
#define ABSENT UINT32_MAX

struct model {
    struct env e; /* first: the host context is an env */
    uint32_t map[SLOTS];
    uint8_t memcg[SLOTS];
    struct rf_rng rng;
    uint32_t depth;
    bool storing; /* a store is under way: no other may start */
    uint64_t bytes[MEMCGS];
    struct zswap_host_ops ops;
};

static void model_store(struct model *m, uint32_t slot, uint32_t nr) {
    uint32_t content[16], memcg = (uint32_t)rf_rng_below(&m->rng, MEMCGS);
    bool ok;

    for (uint32_t i = 0; i < nr; i++)
        content[i] = (uint32_t)rf_rng_below(&m->rng, 400);
    /* what a refusal or the store drops is gone before anything else can ask */
    m->storing = true;
    ok = zswap_store_large(m->e.z, &m->e.cpu, slot, nr, memcg, content);
    m->storing = false;
    for (uint32_t i = 0; i < nr; i++) {
        m->map[slot + i] = ok ? content[i] : ABSENT;
        m->memcg[slot + i] = (uint8_t)memcg;
        assert_int_equal(zswap_has(m->e.z, slot + i), ok);
    }
}

static int on_wb_begin(void *h, struct sim_cpu *cpu, uint32_t slot, uint32_t *folio) {
    struct model *m = h;
    uint64_t dice = rf_rng_below(&m->rng, 20);

    *folio = slot + 1000;
    assert_int_not_equal(m->map[slot], ABSENT);
    if (dice < 2)
        return -1 - (int)dice;
    if (m->depth == 0 && !m->storing && dice < 6) {
        uint32_t other = (uint32_t)rf_rng_below(&m->rng, SLOTS);

        /* reclaim for the folio may drop any entry, this one included */
        m->depth++;
        if (dice == 2) {
            zswap_invalidate(m->e.z, cpu, slot);
            m->map[slot] = ABSENT;
        } else if (dice == 3) {
            zswap_invalidate(m->e.z, cpu, other);
            m->map[other] = ABSENT;
        } else if (other != slot && m->e.p.policy.shrink_mode != ZSWAP_SHRINK_SYNC &&
                   m->map[other] == ABSENT) {
            /* in the storing task itself (to 5.5) reclaim does not recurse */
            model_store(m, other, 1);
        }
        m->depth--;
    }
    return 0;
}
static void on_wb_submit(void *h, struct sim_cpu *cpu, uint32_t slot, uint32_t folio) {
    struct model *m = h;

    env_wb_submit(&m->e, cpu, slot, folio);
    assert_int_not_equal(m->map[slot], ABSENT);
    assert_false(zswap_has(m->e.z, slot));
    m->map[slot] = ABSENT;
}
static void on_charge(void *h, struct sim_cpu *cpu, uint32_t memcg, uint32_t bytes) {
    struct model *m = h;

    m->bytes[memcg] += bytes;
    env_charge(&m->e, cpu, memcg, bytes);
}
static void on_uncharge(void *h, uint32_t memcg, uint32_t bytes) {
    struct model *m = h;

    assert_true(m->bytes[memcg] >= bytes);
    m->bytes[memcg] -= bytes;
    env_uncharge(&m->e, memcg, bytes);
}

static void check_all(struct model *m) {
    uint64_t n = 0, bytes = 0;

    if (zswap_check(m->e.z, &m->e.err) || zswap_verify_status(m->e.z, &m->e.err))
        fail_msg("%s", m->e.err.msg);
    for (uint32_t s = 0; s < SLOTS; s++) {
        assert_int_equal(zswap_has(m->e.z, s), m->map[s] != ABSENT);
        n += m->map[s] != ABSENT;
    }
    assert_int_equal(zswap_nr_entries(m->e.z), n);
    for (uint32_t g = 0; g < MEMCGS; g++)
        bytes += m->bytes[g];
    if (m->e.p.policy.memcg_zswap) {
        assert_int_equal(bytes, zswap_stored_bytes(m->e.z));
        assert_int_equal(m->e.pages, n);
    }
}

static void step(struct model *m) {
    uint32_t slot = (uint32_t)rf_rng_below(&m->rng, SLOTS), nr = 1;
    uint64_t op = rf_rng_below(&m->rng, 100), written;
    bool dirty;

    if (op < 45) {
        if (op < 3) {
            nr = 16;
            slot = RF_MIN(slot & ~15u, SLOTS - 16);
        }
        /* a writeback inside may not meet the slots being stored: their folio is locked */
        for (uint32_t i = 0; i < nr; i++) {
            zswap_invalidate(m->e.z, &m->e.cpu, slot + i);
            m->map[slot + i] = ABSENT;
        }
        model_store(m, slot, nr);
    } else if (op < 75) {
        bool sc = rf_rng_below(&m->rng, 4) != 0;
        bool had = m->map[slot] != ABSENT;

        assert_int_equal(zswap_load(m->e.z, &m->e.cpu, slot, sc, m->map[slot], &dirty), had);
        if (dirty)
            m->map[slot] = ABSENT;
        assert_int_equal(zswap_has(m->e.z, slot), m->map[slot] != ABSENT);
        if (!had)
            zswap_note_disk_swapin(m->e.z, 0);
    } else if (op < 92) {
        zswap_invalidate(m->e.z, &m->e.cpu, slot);
        m->map[slot] = ABSENT;
    } else if (op < 96) {
        zswap_shrink_work(m->e.z, &m->e.cpu);
    } else if (op < 99) {
        (void)zswap_shrink_slab(m->e.z, &m->e.cpu, (uint32_t)rf_rng_below(&m->rng, MEMCGS), 0,
                                NULL);
        (void)zswap_shrinker_scan(m->e.z, &m->e.cpu, (uint32_t)rf_rng_below(&m->rng, MEMCGS), 3,
                                  &written);
    } else {
        uint64_t before = zswap_total_pages(m->e.z), freed = zswap_compact(m->e.z, &m->e.cpu);

        if (m->e.p.policy.limits_nonstrict)
            assert_int_equal(zswap_total_pages(m->e.z), before - freed);
        assert_int_equal(zswap_compactable(m->e.z), 0);
    }
}

static void run(enum era era, const char *pool, uint16_t backends, uint64_t seed) {
    static struct model m;
    struct content_set *cs = NULL;

    memset(&m, 0, sizeof(m));
    rf_rng_seed(&m.rng, seed);
    env_init(&m.e, era_policy(era), zpool_find(pool), 4000, 12, 80);
    content_free(m.e.p.content);
    assert_int_equal(content_synthetic("mix:0.1*zero,0.7*uniform(200,3000),0.2*uniform(3000,4300)",
                                       seed, &cs, &m.e.err),
                     0);
    m.e.p.content = cs;
    m.e.p.policy.nr_backends = backends;
    m.e.p.policy.walk_budget = era == Z5 ? 32 : 1;
    m.e.p.verify = true;
    m.e.nr_memcgs = MEMCGS;
    m.ops = env_ops;
    m.ops.wb_begin = on_wb_begin;
    m.ops.wb_submit = on_wb_submit;
    m.ops.charge = on_charge;
    m.ops.uncharge = on_uncharge;
    m.e.p.host = &m.ops;
    m.e.p.max_slots = SLOTS;
    if (env_start(&m.e))
        fail_msg("%s", m.e.err.msg);
    memset(m.map, 0xff, sizeof(m.map));
    for (uint32_t i = 0; i < 6000; i++) {
        step(&m);
        if (i % 500 == 0)
            check_all(&m);
    }
    check_all(&m);
    assert_true(zswap_counters(m.e.z)->x_stores > 500);
    for (uint32_t s = 0; s < SLOTS; s++) {
        zswap_invalidate(m.e.z, &m.e.cpu, s);
        m.map[s] = ABSENT;
    }
    check_all(&m);
    assert_int_equal(zswap_total_pages(m.e.z), 0);
    env_stop(&m.e);
}

static void zsmalloc(void **state) {
    (void)state;
    run(Z0, "zsmalloc", 1, 1);
    run(Z1, "zsmalloc", 1, 2);
    run(Z2, "zsmalloc", 1, 3);
    run(Z3A, "zsmalloc", 32, 4);
    run(Z3B, "zsmalloc", 1, 5);
    run(Z4, "zsmalloc", 1, 6);
    run(Z5, "zsmalloc", 1, 7);
}
static void zbud(void **state) {
    (void)state;
    run(Z0, "zbud", 1, 8);
    run(Z1, "zbud", 1, 9);
    run(Z2, "zbud", 1, 10);
    run(Z3B, "zbud", 1, 11);
}
static void z3fold(void **state) {
    (void)state;
    run(Z0, "z3fold", 1, 12);
    run(Z1, "z3fold", 1, 13);
    run(Z3A, "z3fold", 32, 14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zsmalloc),
        cmocka_unit_test(zbud),
        cmocka_unit_test(z3fold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
