/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks that storing, loading and freeing entries takes. CPUs wait for each other's hold of a
 * tree's lock; with contention also for the others, and they fetch the cache lines that another one
 * has changed.
 */
#include <stdlib.h>
#include "zswap_internal.h"

/*
 * Cache lines that are changed under a lock besides its own, counted in the structs of
 * mm/zsmalloc.c 6.12 and mm/list_lru.c 6.13. Pool: with every object the number of used ones in its
 * class, the zspage, and the object's first word (its handle, or the list of free ones); where that
 * changes the zspage's fullness group also the heads of the lists, the numbers of zspages in them,
 * and neighbours. With N objects in a zspage 10 of N - 1 change the group, with up to 11 each does:
 * 4.3 lines for a store at N = 23, 5.7 at N = 7. List: the neighbour, or both.
 */
#define POOL_LINES 4u
#define LRU_ADD_LINES 1u
#define LRU_DEL_LINES 2u

void zswap_locks_free(struct zswap *z) {
    struct zswap_locks *l = z->locks;

    for (uint32_t i = 0; i < NR_TREES; i++)
        sim_calendar_free(&z->tree_busy[i].busy);
    if (!l)
        return;
    for (uint32_t i = 0; i < ZSWAP_MAX_MEMCGS; i++)
        sim_calendar_free(&l->lru[i].busy);
    for (uint32_t b = 0; b < MAX_BACKENDS; b++)
        for (uint32_t i = 0; i < ZPOOL_MAX_LOCKS; i++)
            sim_calendar_free(&l->pool[b][i].busy);
    free(l);
}

void zswap_tree_hold(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t holds) {
    uint32_t tree = z->policy.tree_per_64m ? (slot >> TREE_SHIFT) % NR_TREES : 0;
    uint64_t hold = z->cost.tree_lock_ns * holds, wait;

    z->tree.acquisitions++;
    if (!cpu->eng || engine_nr_cpus(cpu->eng) == 1) { /* nobody to wait for */
        sim_charge(cpu, hold);
        return;
    }
    wait = sim_spin_hold(&z->tree_busy[tree], cpu, hold, z->locks ? z->lock_handoff_ns : 0);
    z->tree.contended += wait > 0;
    z->tree.wait_ns += wait;
}

static void share(struct zswap *z, struct sim_spin *l, struct sim_cpu *cpu, uint32_t lines) {
    uint64_t line = z->cache_line_ns;

    (void)sim_spin_share(l, cpu, (1 + lines) * line,
                         z->lock_handoff_ns > line ? z->lock_handoff_ns - line : 0);
}

void zswap_lru_hold(struct zswap *z, struct sim_cpu *cpu, uint32_t memcg, bool removes) {
    if (z->locks)
        share(z, &z->locks->lru[zswap_lru_of(z, memcg) - z->lru], cpu,
              removes ? LRU_DEL_LINES : LRU_ADD_LINES);
}

void zswap_pool_hold(struct zswap *z, struct sim_cpu *cpu, uint32_t slot, uint32_t handle) {
    uint32_t b = backend_of(z, slot);
    const struct zpool_ops *ops = z->backend[b]->ops;

    if (z->locks)
        share(z, &z->locks->pool[b][ops->lock_of ? ops->lock_of(z->backend[b], handle) : 0], cpu,
              POOL_LINES);
}

/* zsmalloc with a lock for each class: readers of migrate_lock do not wait for each other, but each
 * changes its cache line twice. */
void zswap_map_hold(struct zswap *z, struct sim_cpu *cpu, uint32_t slot) {
    uint32_t b = backend_of(z, slot);

    if (z->locks && z->backend[b]->ops->lock_of && sim_spin_shared(&z->locks->map[b], cpu))
        sim_charge(cpu, 2 * z->cache_line_ns);
}

static void add(struct sim_lock *sum, const struct sim_spin *l) {
    sum->acquisitions += l->acquisitions;
    sum->contended += l->contended;
    sum->wait_ns += l->wait_ns;
}

struct sim_lock zswap_lock_use(const struct zswap *z, enum zswap_lock which) {
    struct sim_lock sum = {0};

    if (which == ZSWAP_LOCK_TREE)
        return z->tree;
    for (uint32_t i = 0; z->locks && which == ZSWAP_LOCK_LRU && i < ZSWAP_MAX_MEMCGS; i++)
        add(&sum, &z->locks->lru[i]);
    for (uint32_t b = 0; z->locks && which == ZSWAP_LOCK_POOL && b < MAX_BACKENDS; b++)
        for (uint32_t i = 0; i < ZPOOL_MAX_LOCKS; i++)
            add(&sum, &z->locks->pool[b][i]);
    return sum;
}
