/* SPDX-License-Identifier: Apache-2.0 */
/* Memory cgroups: charging with per-CPU stocks, limits, object charges, swap accounting, and the
 * rate-limited statistics of recent kernels (mm/memcontrol.c 6.1, 6.12). */
#include "mm_internal.h"
#include "reclaim.h"

void memcg_init(struct mm *mm) {
    const struct mm_knobs *k = &mm->p.knobs;

    for (uint32_t i = 0; i < MAX_MEMCGS; i++) {
        struct memcg *mc = &mm->memcg[i];
        mc->id = i;
        mc->parent = i ? ROOT_MEMCG : RF_NONE;
        mc->max = mc->high = mc->swap_max = mc->zswap_max = mc->memsw_max = MEMCG_UNLIMITED;
        mc->zswap_writeback = true;
        for (int l = 0; l < NR_LRU; l++)
            lru_list_init(&mc->lruvec.list[l]);
        lru_gen_init(&mc->lruvec);
    }
    mm->nr_memcgs = 2;
    mm->memcg[1].max = k->memory_max;
    mm->memcg[1].high = k->memory_high;
    mm->memcg[1].swap_max = k->memory_swap_max;
    mm->memcg[1].zswap_max = k->memory_zswap_max;
    mm->memcg[1].zswap_writeback = k->memory_zswap_writeback;
    mm->memcg[1].memsw_max = k->memsw_max;
    for (uint32_t i = 0; i < k->cpus; i++)
        mm->cpu[i].stock_memcg = mm->cpu[i].obj_memcg = RF_NONE;
}

static bool over_memsw(const struct memcg *mc, uint64_t nr) {
    return mc->memsw_max != MEMCG_UNLIMITED && mc->usage + mc->memsw_swap + nr > mc->memsw_max;
}

static void add_forced(struct mm *mm, uint32_t memcg, uint64_t nr) {
    for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent) {
        struct memcg *mc = &mm->memcg[i];
        mc->usage += nr;
        mc->peak = RF_MAX(mc->peak, mc->usage);
        mc->memsw_peak = RF_MAX(mc->memsw_peak, mc->usage + mc->memsw_swap);
    }
}

/* Adds nr pages if no limit on the way to the root is exceeded; v1 charges memory and swap first.
 */
static bool try_add(struct mm *mm, uint32_t memcg, uint64_t nr) {
    for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent) {
        if (RF_UNLIKELY(over_memsw(&mm->memcg[i], nr))) {
            mm->memcg[i].memsw_failcnt++;
            return false;
        }
    }
    for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent) {
        if (mm->memcg[i].max != MEMCG_UNLIMITED && mm->memcg[i].usage + nr > mm->memcg[i].max) {
            mm->memcg[i].failcnt++;
            return false;
        }
    }
    add_forced(mm, memcg, nr);
    return true;
}

void memcg_uncharge(struct mm *mm, uint32_t memcg, uint64_t nr) {
    for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent)
        mm->memcg[i].usage -= nr;
}

static uint32_t charge_batch(const struct mm *mm, uint32_t nr) {
    return mm->p.reclaim.memcg_stock ? RF_MAX(mm->p.reclaim.charge_batch, nr) : nr;
}

static bool consume_stock(struct mm_cpu *c, uint32_t memcg, uint32_t nr) {
    if (c->stock_memcg != memcg || c->stock_nr < nr)
        return false;
    c->stock_nr -= nr;
    return true;
}

static void drain_stock(struct mm *mm, struct mm_cpu *c) {
    if (c->stock_memcg != RF_NONE && c->stock_nr)
        memcg_uncharge(mm, c->stock_memcg, c->stock_nr);
    c->stock_nr = 0;
    c->stock_memcg = RF_NONE;
}

void memcg_refill_stock(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr) {
    struct mm_cpu *c = mm_cpu(mm, cpu);

    if (c->stock_memcg != memcg) {
        drain_stock(mm, c);
        c->stock_memcg = memcg;
    }
    c->stock_nr += nr;
    if (c->stock_nr > mm->p.reclaim.charge_batch)
        drain_stock(mm, c);
}

static void drain_obj_stock(struct mm *mm, struct mm_cpu *c) {
    if (c->obj_memcg == RF_NONE)
        return;
    struct memcg *mc = &mm->memcg[c->obj_memcg];
    uint32_t pages = c->obj_bytes >> RF_PAGE_SHIFT;
    if (pages) {
        memcg_uncharge(mm, mc->id, pages);
        mc->obj_pages -= pages;
    }
    mc->nr_charged_bytes += c->obj_bytes & (RF_PAGE_SIZE - 1);
    c->obj_bytes = 0;
    c->obj_memcg = RF_NONE;
}

void memcg_drain_stocks(struct mm *mm) {
    for (uint32_t i = 0; i < mm->p.knobs.cpus; i++) {
        drain_obj_stock(mm, &mm->cpu[i]);
        drain_stock(mm, &mm->cpu[i]);
    }
}

static uint64_t margin(const struct mm *mm, uint32_t memcg) {
    const struct memcg *mc = &mm->memcg[memcg];
    uint64_t memsw = mc->usage + mc->memsw_swap, room = UINT64_MAX;

    if (mc->max != MEMCG_UNLIMITED)
        room = mc->usage < mc->max ? mc->max - mc->usage : 0;
    if (mc->memsw_max != MEMCG_UNLIMITED)
        room = RF_MIN(room, memsw < mc->memsw_max ? mc->memsw_max - memsw : 0);
    return room;
}

/* Reclaim for a charge that hit a limit. Swapping does not help against v1's limit of memory and
 * swap, and there are no file pages. */
static uint64_t reclaim_for_charge(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg,
                                   uint32_t nr) {
    rf_time t0 = cpu->now;
    uint64_t got = 0;

    mm->memcg[memcg].ev_max++;
    if (!over_memsw(&mm->memcg[memcg], nr))
        got = try_to_free_pages(mm, cpu, memcg, nr, 0);
    mm->stall_ns[STALL_RECLAIM] += mm->in_worker ? 0 : cpu->now - t0;
    return got;
}

uint64_t memcg_margin(const struct mm *mm, uint32_t memcg) {
    uint64_t least = UINT64_MAX;

    for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent)
        least = RF_MIN(least, margin(mm, i));
    return least;
}

static void note_high(struct mm *mm, uint32_t memcg, uint32_t batch, struct fault_ctx *ctx) {
    for (uint32_t i = memcg; ctx && i != RF_NONE; i = mm->memcg[i].parent) {
        if (mm->memcg[i].usage > mm->memcg[i].high) {
            ctx->over_high += batch;
            return;
        }
    }
}

/*
 * A reclaim freed nothing. Writes in flight will free pages: sleep a tick, as reclaim does when it
 * makes no progress under writeback. With rate-limited statistics an old view of the lists may be
 * the reason: 6.12 kills the task now and then in this state; the model flushes instead, once a
 * failure. False if neither helps.
 */
bool reclaim_wait(struct mm *mm, struct sim_cpu *cpu, bool *flushed) {
    if (mm->blk && blk_in_flight(mm->blk)) {
        uint32_t before = blk_in_flight(mm->blk);
        blk_flush_plug(mm->blk, cpu); /* a sleeping task's plug is flushed */
        rf_time until = cpu->now + mm->p.cost.tick_ns;
        engine_poll(mm->p.eng, until);
        if (cpu->now < until) {
            cpu->idle_ns += until - cpu->now;
            cpu->now = until;
        }
        return blk_in_flight(mm->blk) < before || engine_next_event(mm->p.eng) != RF_TIME_MAX;
    }
    if (mm->p.reclaim.stat_flush_ns && !*flushed) {
        *flushed = true;
        for (uint32_t i = 0; i < mm->nr_memcgs; i++) {
            if (memcmp(&mm->memcg[i].seen, &mm->memcg[i].now, sizeof(mm->memcg[i].now)) != 0) {
                memcg_flush_stats(mm);
                return true;
            }
        }
    }
    return false;
}

/* Charges without reclaim: from the stock, with a whole batch for it, or no more than nr pages. */
static bool try_charge(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr,
                       uint32_t *batch, struct fault_ctx *ctx) {
    if (consume_stock(mm_cpu(mm, cpu), memcg, nr))
        return true;
    if (!try_add(mm, memcg, *batch)) {
        if (*batch == nr)
            return false;
        *batch = nr;
        if (!try_add(mm, memcg, nr))
            return false;
    }
    if (*batch > nr)
        memcg_refill_stock(mm, cpu, memcg, *batch - nr);
    note_high(mm, memcg, *batch, ctx);
    return true;
}

#define COSTLY_NR 8u /* 1 << PAGE_ALLOC_COSTLY_ORDER (include/linux/mmzone.h 6.1) */
/* The model's own end of a charge whose reclaim always frees something and never enough. */
#define MAX_CHARGE_ROUNDS 10000u

enum charge_result memcg_charge(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr,
                                struct fault_ctx *ctx) {
    uint32_t batch = charge_batch(mm, nr);
    struct fault_ctx local = {0};

    if (consume_stock(mm_cpu(mm, cpu), memcg, nr))
        return CHARGE_OK;
    if (mm->reclaim_depth) {
        memcg_charge_forced(mm, cpu, memcg, nr);
        return CHARGE_OK;
    }
    if (!ctx)
        ctx = &local;
    for (;;) {
        if (try_charge(mm, cpu, memcg, nr, &batch, ctx))
            return CHARGE_OK;
        uint64_t got = reclaim_for_charge(mm, cpu, memcg, nr);
        if (margin(mm, memcg) >= nr)
            continue;
        if (!ctx->charge_drained) {
            memcg_drain_stocks(mm);
            ctx->charge_drained = true;
            continue;
        }
        if (got && nr <= COSTLY_NR && ++ctx->charge_rounds < MAX_CHARGE_ROUNDS)
            continue;
        if (!got && reclaim_wait(mm, cpu, &ctx->charge_flushed))
            continue;
        if (++ctx->charge_retries > MAX_RECLAIM_RETRIES) {
            mm->memcg[memcg].ev_oom++;
            mm->memcg[memcg].ev_oom_kill++;
            return CHARGE_OOM;
        }
    }
}

bool memcg_charge_large(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr,
                        bool reclaim, bool noretry, struct fault_ctx *ctx) {
    uint32_t batch = charge_batch(mm, nr), retries = MAX_RECLAIM_RETRIES;
    bool drained = false;

    for (;;) {
        if (try_charge(mm, cpu, memcg, nr, &batch, ctx))
            return true;
        if (!reclaim)
            return false;
        uint64_t got = reclaim_for_charge(mm, cpu, memcg, nr);
        if (margin(mm, memcg) >= nr)
            continue;
        if (!drained) {
            memcg_drain_stocks(mm);
            drained = true;
            continue;
        }
        if (noretry || (!(got && nr <= COSTLY_NR) && retries-- == 0))
            return false;
    }
}

void memcg_charge_forced(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr) {
    uint32_t batch = charge_batch(mm, nr);
    struct fault_ctx ctx = {0};

    if (consume_stock(mm_cpu(mm, cpu), memcg, nr))
        return;
    if (!try_add(mm, memcg, batch)) {
        if (batch == nr || !try_add(mm, memcg, nr)) {
            mm->memcg[memcg].ev_max++; /* an enforced charge still counts as hitting the limit */
            add_forced(mm, memcg, nr);
            return;
        }
        batch = nr;
    }
    if (batch > nr)
        memcg_refill_stock(mm, cpu, memcg, batch - nr);
    if (mm->in_worker)
        return;
    note_high(mm, memcg, batch, &ctx);
    mm_cpu(mm, cpu)->over_high += ctx.over_high;
}

void memcg_charge_kernel(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t nr) {
    struct fault_ctx ctx = {0};
    if (memcg_charge(mm, cpu, memcg, nr, &ctx) != CHARGE_OK)
        add_forced(mm, memcg, nr);
    mm_cpu(mm, cpu)->over_high += ctx.over_high;
    mm->memcg[memcg].kernel_pages += nr;
    memcg_stat_updated(mm, 2 * (uint64_t)nr); /* nr_page_table_pages, kernel */
    mm->kernel_frames += nr;
}

void memcg_uncharge_kernel(struct mm *mm, uint32_t memcg, uint32_t nr) {
    mm->memcg[memcg].kernel_pages -= nr;
    memcg_stat_updated(mm, 2 * (uint64_t)nr);
    mm->kernel_frames -= nr;
    memcg_uncharge(mm, memcg, nr);
}

/* Puts bytes back into this CPU's object stock; whole pages go on to the page stock. */
static void refill_obj(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t bytes,
                       bool allow_uncharge) {
    struct mm_cpu *c = mm_cpu(mm, cpu);
    struct memcg *mc = &mm->memcg[memcg];

    if (c->obj_memcg != memcg) {
        drain_obj_stock(mm, c);
        c->obj_memcg = memcg;
        c->obj_bytes = (uint32_t)mc->nr_charged_bytes;
        mc->nr_charged_bytes = 0;
        allow_uncharge = true;
    }
    c->obj_bytes += bytes;
    if (allow_uncharge && c->obj_bytes > RF_PAGE_SIZE) {
        uint32_t pages = c->obj_bytes >> RF_PAGE_SHIFT;
        c->obj_bytes &= RF_PAGE_SIZE - 1;
        mc->obj_pages -= pages;
        memcg_refill_stock(mm, cpu, memcg, pages);
    }
}

void memcg_charge_obj(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t bytes) {
    struct mm_cpu *c = mm_cpu(mm, cpu);
    struct memcg *mc = &mm->memcg[memcg];

    mc->obj_bytes += bytes;
    if (c->obj_memcg == memcg && c->obj_bytes >= bytes) {
        c->obj_bytes -= bytes;
        return;
    }
    uint32_t pages = bytes >> RF_PAGE_SHIFT, rest = bytes & (RF_PAGE_SIZE - 1);
    if (rest)
        pages++;
    if (!pages)
        return;
    memcg_charge_forced(mm, cpu, memcg, pages);
    mc->obj_pages += pages;
    memcg_stat_updated(mm, pages); /* kernel */
    if (rest)
        refill_obj(mm, cpu, memcg, RF_PAGE_SIZE - rest, false);
}

void memcg_uncharge_obj(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint32_t bytes) {
    struct memcg *mc = &mm->memcg[memcg];

    mc->obj_bytes -= bytes;
    refill_obj(mm, cpu, memcg, bytes, true);
}

bool memcg_charge_swap(struct mm *mm, uint32_t memcg, uint32_t nr) {
    if (RF_UNLIKELY(mm->p.knobs.cgroup_v1)) /* charged when the page leaves memory */
        return true;
    for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent) {
        struct memcg *mc = &mm->memcg[i];
        if (mc->swap_max != MEMCG_UNLIMITED && mc->swap_usage + nr > mc->swap_max) {
            mc->ev_swap_max++;
            mc->ev_swap_fail++;
            return false;
        }
    }
    for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent)
        mm->memcg[i].swap_usage += nr;
    memcg_stat_updated(mm, nr); /* swap */
    return true;
}

void memcg_uncharge_swap(struct mm *mm, uint32_t memcg, uint32_t nr) {
    if (RF_UNLIKELY(mm->p.knobs.cgroup_v1))
        return;
    for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent)
        mm->memcg[i].swap_usage -= nr;
    memcg_stat_updated(mm, nr);
}

bool memcg_swap_full(const struct mm *mm, uint32_t memcg) {
    if (!mm->swap->p.policy.free_half_full)
        return false;
    if (swap_full(mm->swap))
        return true;
    for (uint32_t i = memcg; i != ROOT_MEMCG && i != RF_NONE; i = mm->memcg[i].parent)
        if (mm->memcg[i].swap_max != MEMCG_UNLIMITED &&
            mm->memcg[i].swap_usage * 2 >= mm->memcg[i].swap_max)
            return true;
    return false;
}

int64_t memcg_swap_free(const struct mm *mm, uint32_t memcg) {
    uint64_t n = mm->swap->free_slots;
    for (uint32_t i = memcg; i != ROOT_MEMCG && i != RF_NONE; i = mm->memcg[i].parent) {
        const struct memcg *mc = &mm->memcg[i];
        if (mc->swap_max != MEMCG_UNLIMITED)
            n = RF_MIN(n, mc->swap_max > mc->swap_usage ? mc->swap_max - mc->swap_usage : 0);
    }
    return (int64_t)n;
}

void memcg_flush_stats(struct mm *mm) {
    for (uint32_t i = 0; i < mm->nr_memcgs; i++)
        mm->memcg[i].seen = mm->memcg[i].now;
    mm->stat_pending = 0;
    mm->stat_flushes++;
}

const struct memcg_stats *memcg_stats_seen(const struct mm *mm, uint32_t memcg) {
    return mm->p.reclaim.stat_flush_ns ? &mm->memcg[memcg].seen : &mm->memcg[memcg].now;
}

void memcg_announce_updates(struct mm *mm, struct mm_cpu *c) {
    uint32_t batch = mm->p.reclaim.stat_flush_threshold;

    if (mm->p.reclaim.stat_flush_reclaim) {
        if (c->stat_updates == batch)
            return;
        mm->stat_pending += c->stat_updates / batch * batch;
    } else {
        mm->stat_pending += c->stat_updates;
    }
    c->stat_updates = 0;
}

void memcg_flush_if_pending(struct mm *mm) {
    if (mm->p.reclaim.stat_flush_ns &&
        mm->stat_pending > (uint64_t)mm->p.reclaim.stat_flush_threshold * mm->p.knobs.cpus)
        memcg_flush_stats(mm);
}

#define NS_PER_MS 1000000u
/* Delay in milliseconds for an overage, mm/memcontrol.c calculate_high_delay() 6.1, HZ = 1000. 20
 * and 14 are MEMCG_DELAY_PRECISION_SHIFT and MEMCG_DELAY_SCALING_SHIFT, 2000 is
 * MEMCG_MAX_HIGH_DELAY_JIFFIES. */
static uint64_t high_delay_ms(uint64_t usage, uint64_t high, uint64_t nr_pages, uint64_t batch) {
    if (usage <= high)
        return 0;
    if (high == 0)
        high = 1;
    uint64_t o = ((usage - high) << 20) / high;
    uint64_t d = o > (1ull << 30) ? UINT64_MAX / 4096 : ((o * o * 1000) >> 20) >> 14;
    d = RF_MIN(d, (uint64_t)1 << 40) * nr_pages / batch;
    return RF_MIN(d, 2000u);
}

rf_time memcg_handle_over_high(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg,
                               struct fault_ctx *ctx) {
    uint32_t nr = ctx->over_high;
    uint32_t retries = MAX_RECLAIM_RETRIES;
    bool in_retry = false;

    if (!nr)
        return 0;
    ctx->over_high = 0;
    for (;;) {
        uint64_t got = 0;
        rf_time t0 = cpu->now;
        for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent) {
            if (mm->memcg[i].usage <= mm->memcg[i].high)
                continue;
            mm->memcg[i].ev_high++;
            got += try_to_free_pages(mm, cpu, i, in_retry ? SWAP_CLUSTER_MAX : nr, 0);
        }
        mm->stall_ns[STALL_RECLAIM] += mm->in_worker ? 0 : cpu->now - t0;
        uint64_t d = 0;
        for (uint32_t i = memcg; i != RF_NONE; i = mm->memcg[i].parent)
            if (mm->memcg[i].high != MEMCG_UNLIMITED)
                d = RF_MAX(d, high_delay_ms(mm->memcg[i].usage, mm->memcg[i].high, nr,
                                            mm->p.reclaim.charge_batch));
        if (d <= 10) /* HZ / 100 */
            return 0;
        if (!got && !retries--)
            return d * NS_PER_MS;
        in_retry = true;
    }
}
