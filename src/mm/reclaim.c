/* SPDX-License-Identifier: Apache-2.0 */
/* Reclaim drivers: priorities, scan targets, direct and limit reclaim, kswapd, watermarks
 * (mm/vmscan.c, mm/page_alloc.c 6.1, 6.12). */
#include "mm_internal.h"
#include "reclaim.h"
#include "thp.h"

static uint64_t isqrt(uint64_t v) {
    uint64_t r = 0, bit = (uint64_t)1 << 62;
    while (bit > v)
        bit >>= 2;
    for (; bit; bit >>= 2) {
        if (v >= r + bit) {
            v -= r + bit;
            r = (r >> 1) + bit;
        } else {
            r >>= 1;
        }
    }
    return r;
}

static struct memcg_stats stats_below(const struct mm *mm, uint32_t memcg) {
    struct memcg_stats s = *memcg_stats_seen(mm, memcg);
    for (uint32_t i = 1; memcg == ROOT_MEMCG && i < mm->nr_memcgs; i++) {
        const struct memcg_stats *k = memcg_stats_seen(mm, i);
        s.inactive_anon += k->inactive_anon;
        s.active_anon += k->active_anon;
        s.workingset_activate += k->workingset_activate;
    }
    return s;
}

/* inactive_list_is_low() of mm/vmscan.c: the root of ten times the gigabytes of both lists. */
static bool inactive_is_low(const struct memcg_stats *s) {
    uint64_t gb = (s->inactive_anon + s->active_anon) >> (30 - RF_PAGE_SHIFT);
    uint64_t ratio = gb ? isqrt(10 * gb) : 1;
    return s->inactive_anon * ratio < s->active_anon;
}

static void prepare_scan(struct mm *mm, struct scan_control *sc) {
    struct lruvec *lv = &mm->memcg[sc->target].lruvec;

    if (mm->p.reclaim.stat_flush_reclaim && !mm->gen)
        memcg_flush_if_pending(mm);
    struct memcg_stats s = stats_below(mm, sc->target);

    sc->anon_cost = lv->anon_cost;
    sc->file_cost = lv->file_cost;
    sc->may_deactivate = sc->force_deactivate || s.workingset_activate != lv->refaults_snapshot ||
                         inactive_is_low(&s);
}

/* Pages to scan of a list: its size at this priority times anon's share; the file lists are empty,
 * yet the share applies (get_scan_count()). */
static uint64_t scan_target(const struct mm *mm, const struct scan_control *sc, uint64_t size) {
    uint64_t swappiness = mm->p.knobs.swappiness;
    uint64_t scan = size >> sc->priority;

    if (sc->priority == 0 && swappiness)
        return scan;
    if (swappiness == 0)
        return 0;
    uint64_t total = sc->anon_cost + sc->file_cost;
    uint64_t ac = total + sc->anon_cost, fc = total + sc->file_cost;
    total = ac + fc;
    uint64_t ap = swappiness * (total + 1) / (ac + 1);
    uint64_t fp = (200 - swappiness) * (total + 1) / (fc + 1);
    return scan * ap / (ap + fp);
}

static void shrink_lruvec(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg,
                          struct scan_control *sc) {
    struct lruvec *lv = &mm->memcg[memcg].lruvec;
    bool can_swap = memcg_swap_free(mm, memcg) > 0;
    uint64_t reclaimed = 0, nr_inactive = 0, nr_active = 0;
    bool proportional = sc->global && !sc->kswapd && sc->priority == DEF_PRIORITY;

    if (mm->gen) {
        lru_gen_shrink(mm, cpu, memcg, sc);
        return;
    }
    mm->shrunk = lv;
    if (can_swap) {
        nr_inactive = scan_target(mm, sc, lv->list[LRU_INACTIVE_ANON].nr);
        nr_active = scan_target(mm, sc, lv->list[LRU_ACTIVE_ANON].nr);
    }
    if (mm->blk)
        blk_plug(mm->blk, cpu);
    while (nr_inactive) {
        uint32_t n = (uint32_t)RF_MIN(nr_inactive, SWAP_CLUSTER_MAX);
        nr_inactive -= n;
        reclaimed += shrink_inactive_list(mm, cpu, memcg, n, sc);
        if (nr_active) {
            n = (uint32_t)RF_MIN(nr_active, SWAP_CLUSTER_MAX);
            nr_active -= n;
            if (sc->may_deactivate)
                shrink_active_list(mm, cpu, memcg, n);
            else
                sc->skipped_deactivate = true;
        }
        /* The file lists are empty, so reaching the goal ends the pass. */
        if (reclaimed >= sc->nr_to_reclaim && !proportional)
            break;
    }
    if (mm->blk)
        blk_unplug(mm->blk, cpu);
    sc->nr_reclaimed += reclaimed;
    if (can_swap && inactive_is_low(memcg_stats_seen(mm, memcg)))
        shrink_active_list(mm, cpu, memcg, SWAP_CLUSTER_MAX);
}

uint64_t shrinker_scan(uint64_t count, uint32_t priority, uint64_t *deferred) {
    uint64_t scanned = zswap_shrink_batches(count, zswap_shrink_amount(count, priority, *deferred));
    uint64_t grown = *deferred + (count >> priority) * 2;

    if (count)
        *deferred = RF_MIN(grown > scanned ? grown - scanned : 0, 2 * count);
    return scanned;
}

/* The pools' own shrinkers (zsmalloc): not aware of memcgs, so only in the root's turn of a global
 * reclaim. A scan ignores the amount asked for and compacts the whole pool. */
static void shrink_pools(struct mm *mm, struct sim_cpu *cpu, const struct scan_control *sc) {
    const struct zpool *pool = mm->zram ? zram_pool(mm->zram) : NULL;
    uint64_t count[2] = {mm->zswap ? zswap_compactable(mm->zswap) : 0,
                         pool ? pool->ops->compactable(pool) : 0};

    for (int i = 0; i < 2; i++) {
        uint64_t scanned = shrinker_scan(count[i], (uint32_t)sc->priority, &mm->pool_deferred[i]);
        if (!scanned)
            continue;
        mm->c[VM_slabs_scanned] += scanned;
        if (i == 0)
            (void)zswap_compact(mm->zswap, cpu);
        else
            (void)zram_sysfs_write(mm->zram, cpu, "compact", "1");
    }
}

static void shrink_slabs(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg,
                         const struct scan_control *sc) {
    uint64_t scanned = 0;

    if (mm->zswap)
        (void)zswap_shrink_slab(mm->zswap, cpu, memcg, (uint32_t)sc->priority, &scanned);
    mm->c[VM_slabs_scanned] += scanned;
    if (RF_UNLIKELY(mm->memcg[memcg].nr_split))
        split_queue_shrink(mm, cpu, memcg, (uint32_t)sc->priority);
    if (memcg == ROOT_MEMCG)
        shrink_pools(mm, cpu, sc);
}

static void shrink_node(struct mm *mm, struct sim_cpu *cpu, struct scan_control *sc) {
    prepare_scan(mm, sc);
    for (uint32_t i = 0; i < mm->nr_memcgs; i++) {
        if (sc->target != ROOT_MEMCG && i != sc->target)
            continue;
        sim_charge(cpu, mm->p.cost.shrink_node_ns);
        shrink_lruvec(mm, cpu, i, sc);
        shrink_slabs(mm, cpu, i, sc);
    }
}

static void snapshot_refaults(struct mm *mm, uint32_t target) {
    mm->memcg[target].lruvec.refaults_snapshot = stats_below(mm, target).workingset_activate;
}

/* Reclaim is reported on the track of whoever does it. */
static void report(const struct mm *mm, enum observe_track track, const char *name, rf_time from,
                   rf_time to, uint64_t freed) {
    const struct observed_span span = {
        .track = track,
        .index = track == OBSERVE_TASK ? mm->observed_pid : 0,
        .name = name,
        .from = from,
        .to = to,
        .pages = (uint32_t)freed,
    };

    mm->observer->span(mm->observer->ctx, &span);
}

uint64_t try_to_free_pages(struct mm *mm, struct sim_cpu *cpu, uint32_t memcg, uint64_t nr,
                           unsigned flags) {
    struct scan_control sc = {
        .target = memcg,
        .global = memcg == ROOT_MEMCG,
        .kswapd = flags & RECLAIM_KSWAPD,
        .nr_to_reclaim = RF_MAX(nr, SWAP_CLUSTER_MAX),
    };

    rf_time from = cpu->now;

    mm->x_reclaim_calls++;
    mm->reclaim_depth++;
    for (;;) {
        for (sc.priority = DEF_PRIORITY; sc.priority >= 0; sc.priority--) {
            shrink_node(mm, cpu, &sc);
            if (sc.nr_reclaimed >= sc.nr_to_reclaim)
                break;
        }
        snapshot_refaults(mm, memcg);
        if (sc.nr_reclaimed || !sc.skipped_deactivate)
            break;
        sc.force_deactivate = true;
        sc.skipped_deactivate = false;
    }
    mm->reclaim_depth--;
    if (mm->observer)
        report(mm, mm->in_worker ? OBSERVE_WORKER : OBSERVE_TASK,
               memcg == ROOT_MEMCG ? "direct reclaim" : "cgroup reclaim", from, cpu->now,
               sc.nr_reclaimed);
    return sc.nr_reclaimed;
}

void watermarks_init(struct mm *mm) {
    const struct mm_knobs *k = &mm->p.knobs;
    uint64_t kb = k->min_free_kbytes;

    /* calculate_min_free_kbytes() of mm/page_alloc.c */
    if (!kb)
        kb = RF_MIN(RF_MAX(isqrt(k->ram_pages * 4 * 16), 128u), 262144u);
    /* khugepaged keeps pageblocks free: two, and one for each pair of migrate types, a zone, but at
     * most 5 % of memory (set_recommended_min_free_kbytes() in mm/khugepaged.c). Zones of x86-64
     * are DMA, DMA32, and from 4 GiB on (MAX_DMA32_PFN) Normal (zone_sizes_init(),
     * arch/x86/mm/init.c). */
    if (!k->min_free_kbytes && (k->thp_always || k->thp_madvise)) {
        uint64_t zones = k->ram_pages > (4ull << 30 >> RF_PAGE_SHIFT) ? 3 : 2;
        uint64_t want = RF_MIN(PMD_NR * zones * (2 + 3 * 3), k->ram_pages / 20);
        kb = RF_MAX(kb, want * 4);
    }
    mm->wmark_min = kb / 4;
    uint64_t gap = RF_MAX(mm->wmark_min / 4, k->ram_pages * k->watermark_scale_factor / 10000);
    mm->wmark_low = mm->wmark_min + gap;
    mm->wmark_high = mm->wmark_min + 2 * gap;
}

static void wake_kswapd(struct mm *mm, struct sim_cpu *cpu) {
    if (mm->kswapd_woken || mm->kswapd_failures >= MAX_RECLAIM_RETRIES)
        return;
    mm->kswapd_woken = true;
    mm->kswapd_priority = DEF_PRIORITY;
    mm->kswapd_reclaimed = 0;
    mm->c[VM_pageoutrun]++;
    mm->wait->wake_kswapd(mm->wait_ctx, cpu);
}

bool frames_available(struct mm *mm, struct sim_cpu *cpu, uint32_t nr) {
    bool flushed = false;
    uint32_t tries = 0;

    for (;;) {
        uint64_t free = mm_free_frames(mm);
        if (RF_LIKELY(free > mm->wmark_low + nr))
            return true;
        if (mm->reclaim_depth) /* PF_MEMALLOC may use the reserves */
            return free >= nr;
        wake_kswapd(mm, cpu);
        if (free > mm->wmark_min + nr)
            return true;
        mm->c[VM_allocstall]++;
        rf_time t0 = cpu->now;
        uint64_t got = try_to_free_pages(mm, cpu, ROOT_MEMCG, nr, 0);
        mm->stall_ns[STALL_RECLAIM] += mm->in_worker ? 0 : cpu->now - t0;
        if (got)
            mm->kswapd_failures = 0;
        else if (!reclaim_wait(mm, cpu, &flushed) && ++tries >= MAX_RECLAIM_RETRIES)
            return false;
    }
}

/* On all inactive lists, or in generations that may be evicted. */
static uint64_t inactive_pages(const struct mm *mm) {
    uint64_t sum = 0;

    for (uint32_t m = 0; m < MAX_MEMCGS; m++)
        sum += mm->memcg[m].now.inactive_anon;
    return sum;
}

bool frames_available_large(struct mm *mm, struct sim_cpu *cpu, uint32_t nr, bool wake,
                            bool direct) {
    if (mm_free_frames(mm) > mm->wmark_low + nr)
        return true;
    if (wake)
        wake_kswapd(mm, cpu);
    if (mm_free_frames(mm) > mm->wmark_min + nr)
        return true;
    if (!direct)
        return false;
    mm->c[VM_allocstall]++;
    rf_time t0 = cpu->now;
    /* should_continue_reclaim(): as long as something is freed, there is still no room, and the
     * inactive list is longer than compact_gap(). */
    while (try_to_free_pages(mm, cpu, ROOT_MEMCG, nr, 0)) {
        mm->kswapd_failures = 0;
        if (mm_free_frames(mm) > mm->wmark_min + nr || inactive_pages(mm) <= 2 * (uint64_t)nr)
            break;
    }
    mm->stall_ns[STALL_RECLAIM] += mm->in_worker ? 0 : cpu->now - t0;
    return mm_free_frames(mm) > mm->wmark_min + nr;
}

bool kswapd_run(struct mm *mm, struct sim_cpu *cpu) {
    mm->cur = cpu;
    if (mm_free_frames(mm) > mm->wmark_high) {
        mm->kswapd_woken = false;
        return false;
    }
    struct scan_control sc = {.target = ROOT_MEMCG,
                              .global = true,
                              .kswapd = true,
                              .priority = mm->kswapd_priority,
                              .nr_to_reclaim = RF_MAX(mm->wmark_high, SWAP_CLUSTER_MAX)};
    rf_time from = cpu->now;

    mm->reclaim_depth++;
    shrink_node(mm, cpu, &sc);
    mm->reclaim_depth--;
    if (mm->observer)
        report(mm, OBSERVE_KSWAPD, "kswapd", from, cpu->now, sc.nr_reclaimed);
    mm->kswapd_reclaimed += sc.nr_reclaimed;
    if (sc.nr_scanned < sc.nr_to_reclaim || !sc.nr_reclaimed)
        mm->kswapd_priority--;
    if (mm_free_frames(mm) <= mm->wmark_high && mm->kswapd_priority >= 1)
        return true;
    snapshot_refaults(mm, ROOT_MEMCG);
    if (!mm->kswapd_reclaimed)
        mm->kswapd_failures++;
    else
        mm->kswapd_failures = 0;
    if (mm_free_frames(mm) <= mm->wmark_high && mm->kswapd_failures < MAX_RECLAIM_RETRIES) {
        mm->kswapd_priority = DEF_PRIORITY;
        mm->kswapd_reclaimed = 0;
        mm->c[VM_pageoutrun]++;
        return true;
    }
    mm->kswapd_woken = false;
    return false;
}
