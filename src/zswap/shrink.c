/* SPDX-License-Identifier: Apache-2.0 */
/* The shrink worker in all its forms, and the walk of a memcg's LRU (mm/zswap.c 6.1, 6.6, 6.12). */
#include "zswap_internal.h"

bool zswap_writeback_allowed(const struct zswap *z, uint32_t memcg) {
    return !z->policy.memcg_writeback || !z->host->writeback_enabled ||
           z->host->writeback_enabled(z->host_ctx, memcg);
}

void zswap_queue_work(struct zswap *z, struct sim_cpu *cpu) {
    if (z->host->queue_work)
        z->host->queue_work(z->host_ctx, cpu);
}

/*
 * list_lru_walk_one() with shrink_memcg_cb() (6.12): the budget is taken before each entry; a
 * referenced one loses its bit and moves to the young end; any other moves there before its
 * writeback, so that a failure costs a full trip. A list of one entry ends after a rotation.
 */
uint64_t zswap_lru_walk(struct zswap *z, struct sim_cpu *cpu, uint32_t memcg, uint64_t *budget,
                        bool stop_on_exists, bool *met_exists) {
    struct zswap_lru *l = zswap_lru_of(z, memcg);
    uint64_t written = 0;

    while (*budget && l->oldest != ENTRY_NONE) {
        uint32_t slot = l->oldest;
        bool alone = l->nr == 1;
        int rc;

        --*budget;
        zswap_lru_hold(z, cpu, memcg, true);
        zswap_lru_rotate(z, slot);
        if (z->entry[slot].flags & ENTRY_REFERENCED) {
            z->entry[slot].flags &= ENTRY_MASK & ~ENTRY_REFERENCED;
            if (alone)
                break;
            continue;
        }
        z->c.x_shrink_steps++;
        rc = zswap_writeback_entry(z, cpu, slot);
        if (rc == 0) {
            written++;
            continue;
        }
        z->c.reject_reclaim_fail++;
        zswap_protect(z, l, false);
        if (rc == WB_EXISTS && stop_on_exists) {
            *met_exists = true;
            break;
        }
    }
    return written;
}

enum zswap_shrink_result zswap_shrink_memcg(struct zswap *z, struct sim_cpu *cpu, uint32_t memcg) {
    uint64_t budget = z->policy.walk_budget, written;

    if (!zswap_writeback_allowed(z, memcg))
        return SHRINK_NOTHING;
    written = zswap_lru_walk(z, cpu, memcg, &budget, false, NULL);
    if (budget == z->policy.walk_budget)
        return SHRINK_NOTHING;
    return written ? SHRUNK : SHRINK_AGAIN;
}

/* One step of the loops on a single LRU; true if the run is over. */
static bool step_single(struct zswap *z, struct sim_cpu *cpu) {
    struct zswap_work *w = &z->work;
    enum zpool_error e = zswap_shrink_one(z, cpu);

    if (e != ZPOOL_OK) {
        z->c.reject_reclaim_fail++;
        w->failures++;
        w->failed_in_a_row++;
    } else {
        w->failed_in_a_row = 0;
    }
    switch (z->policy.shrink_mode) {
    case ZSWAP_SHRINK_V1:
        /* as posted it spins on EAGAIN; once every entry has failed nothing can change in the
         * frozen world of a step, so the model's run ends there */
        return e == ZPOOL_EINVAL || zswap_can_accept(z) ||
               w->failed_in_a_row > zswap_lru_of(z, 0)->nr + z->policy.retries;
    case ZSWAP_SHRINK_V2:
        return zswap_can_accept(z) || e != ZPOOL_EAGAIN || w->failures >= z->policy.retries;
    case ZSWAP_SHRINK_UNTIL_ACCEPT:
        return (e != ZPOOL_OK && e != ZPOOL_EAGAIN) || w->failures >= z->policy.retries ||
               zswap_can_accept(z);
    default:
        return true;
    }
}

static uint32_t next_memcg(const struct zswap *z, uint32_t memcg) {
    if (z->host->next_memcg)
        return z->host->next_memcg(z->host_ctx, memcg);
    return memcg == RF_NONE ? 0 : RF_NONE;
}

/* One memcg of the round robin of 6.8+; true if the run is over. */
static bool step_memcg(struct zswap *z, struct sim_cpu *cpu) {
    struct zswap_work *w = &z->work;

    w->cursor = next_memcg(z, w->cursor);
    if (w->cursor == RF_NONE) {
        if (!w->attempts && ++w->failures == z->policy.retries)
            return true;
        w->attempts = 0;
    } else {
        enum zswap_shrink_result r = zswap_shrink_memcg(z, cpu, w->cursor);

        if (r != SHRINK_NOTHING) {
            w->attempts++;
            if (r != SHRUNK && ++w->failures == z->policy.retries)
                return true;
        }
    }
    if (z->policy.limits_nonstrict)
        return zswap_total_pages(z) <= w->thr;
    return zswap_can_accept(z);
}

bool zswap_shrink_work_step(struct zswap *z, struct sim_cpu *cpu, rf_time horizon) {
    struct zswap_work *w = &z->work;
    bool over;

    if (!w->running) {
        w->running = true;
        w->failures = w->attempts = 0;
        w->failed_in_a_row = 0;
        w->thr = zswap_accept_pages(z);
        z->c.x_work_runs++;
    }
    do {
        if (z->policy.shrink_mode == ZSWAP_SHRINK_MEMCG)
            over = step_memcg(z, cpu);
        else
            over = step_single(z, cpu);
    } while (!over && cpu->now < horizon);
    w->running = !over;
    return over;
}

void zswap_shrink_work(struct zswap *z, struct sim_cpu *cpu) {
    while (!zswap_shrink_work_step(z, cpu, RF_TIME_MAX))
        ;
}
