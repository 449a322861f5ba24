/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that can be read from a machine, under the kernel's names. */
#include <stdio.h>
#include "machine_internal.h"

struct sink {
    machine_value_fn fn;
    void *ctx;
};

static void put(const struct sink *s, enum machine_value_kind kind, const char *prefix,
                const char *name, uint64_t v) {
    char buf[96];
    snprintf(buf, sizeof(buf), "%s%s", prefix, name);
    s->fn(s->ctx, kind, buf, v);
}

static void put_vm(const struct machine *m, const struct sink *s) {
    for (int i = 0; i < NR_VM_COUNTERS; i++)
        put(s, MV_COUNTER, "vmstat.", vm_counter_name((enum vm_counter)i), m->mm->c[i]);
}

/* Per size, for the sizes that the machine can have. */
static void put_mthp(const struct machine *m, const struct sink *s) {
    static const char *const names[NR_MTHP_STATS] = {
        [MTHP_ANON_FAULT_ALLOC] = "anon_fault_alloc",
        [MTHP_ANON_FAULT_FALLBACK] = "anon_fault_fallback",
        [MTHP_ANON_FAULT_FALLBACK_CHARGE] = "anon_fault_fallback_charge",
        [MTHP_ZSWPOUT] = "zswpout",
        [MTHP_ZSWPIN] = "zswpin",
        [MTHP_SWPIN] = "swpin",
        [MTHP_SWPOUT] = "swpout",
        [MTHP_SWPOUT_FALLBACK] = "swpout_fallback",
        [MTHP_SPLIT] = "split"};
    const struct mm_knobs *k = &m->mm->p.knobs;

    for (uint32_t o = 0; o <= PMD_ORDER; o++) {
        char prefix[48];
        if (o == PMD_ORDER ? !k->thp_always && !k->thp_madvise : !(k->thp_orders >> o & 1u))
            continue;
        snprintf(prefix, sizeof(prefix), "hugepages-%ukB.", 4u << o);
        for (int i = 0; i < NR_MTHP_STATS; i++)
            put(s, MV_COUNTER, prefix, names[i], m->mm->mthp[o][i]);
    }
}

static void put_memcg_v1(const struct memcg *mc, const struct sink *s) {
    put(s, MV_COUNTER, "memory.", "usage_in_bytes", mc->usage * RF_PAGE_SIZE);
    put(s, MV_COUNTER, "memory.", "max_usage_in_bytes", mc->peak * RF_PAGE_SIZE);
    put(s, MV_COUNTER, "memory.", "failcnt", mc->failcnt);
    put(s, MV_COUNTER, "memory.", "memsw.usage_in_bytes",
        (mc->usage + mc->memsw_swap) * RF_PAGE_SIZE);
    put(s, MV_COUNTER, "memory.", "memsw.max_usage_in_bytes", mc->memsw_peak * RF_PAGE_SIZE);
    put(s, MV_COUNTER, "memory.", "memsw.failcnt", mc->memsw_failcnt);
    put(s, MV_COUNTER, "memory.", "oom_control.oom_kill", mc->ev_oom_kill);
    put(s, MV_COUNTER, "memory.", "stat.swap", mc->memsw_swap * RF_PAGE_SIZE);
}

static void put_memcg(const struct machine *m, const struct sink *s) {
    const struct memcg *mc = &m->mm->memcg[1];
    uint64_t active = mc->now.active_anon, inactive = mc->now.inactive_anon;

    for (int i = 0; i < NR_VM_COUNTERS; i++)
        put(s, MV_COUNTER, "memcg.", vm_counter_name((enum vm_counter)i), mc->c[i]);
    put(s, MV_COUNTER, "memcg.", "active_anon", active * RF_PAGE_SIZE);
    put(s, MV_COUNTER, "memcg.", "inactive_anon", inactive * RF_PAGE_SIZE);
    put(s, MV_COUNTER, "memcg.", "zswap", mc->now.zswap_bytes);
    put(s, MV_COUNTER, "memcg.", "zswapped", mc->now.zswapped * RF_PAGE_SIZE);
    if (m->mm->p.knobs.cgroup_v1) {
        put_memcg_v1(mc, s);
        return;
    }
    put(s, MV_COUNTER, "memory.", "current", mc->usage * RF_PAGE_SIZE);
    put(s, MV_COUNTER, "memory.", "peak", mc->peak * RF_PAGE_SIZE);
    put(s, MV_COUNTER, "memory.", "swap.current", mc->swap_usage * RF_PAGE_SIZE);
    put(s, MV_COUNTER, "memory.", "zswap.current", mc->now.zswap_bytes);
    put(s, MV_COUNTER, "memory.", "events.high", mc->ev_high);
    put(s, MV_COUNTER, "memory.", "events.max", mc->ev_max);
    put(s, MV_COUNTER, "memory.", "events.oom", mc->ev_oom);
    put(s, MV_COUNTER, "memory.", "events.oom_kill", mc->ev_oom_kill);
    put(s, MV_COUNTER, "memory.", "swap.events.max", mc->ev_swap_max);
    put(s, MV_COUNTER, "memory.", "swap.events.fail", mc->ev_swap_fail);
}

static void put_zswap(const struct machine *m, const struct sink *s) {
    if (!m->zswap)
        return;
    const struct zswap_counters *c = zswap_counters(m->zswap);
#define Z(name) put(s, MV_COUNTER, "zswap.", #name, c->name)
    Z(pool_limit_hit);
    Z(reject_reclaim_fail);
    Z(written_back_pages);
    Z(reject_compress_fail);
    Z(reject_compress_poor);
    Z(reject_alloc_fail);
    Z(reject_kmemcache_fail);
    Z(duplicate_entry);
    Z(stored_pages);
    Z(same_filled_pages);
    Z(stored_incompressible_pages);
#undef Z
#define X(name) put(s, MV_X, "x.zswap.", #name, c->x_##name)
    X(attempts);
    X(stores);
    X(loads);
    X(erased_on_load);
    X(invalidated);
    X(reject_disabled);
    X(replaced);
    X(erased_on_refuse);
#undef X
    put(s, MV_X, "x.", "reject_hysteresis", c->x_reject_hysteresis);
    put(s, MV_X, "x.", "reject_memcg", c->x_reject_memcg);
    put(s, MV_X, "x.", "reject_stillfull", c->x_reject_stillfull);
    put(s, MV_COUNTER, "zswap.", "pool_total_size", zswap_total_pages(m->zswap) * RF_PAGE_SIZE);
    put(s, MV_X, "x.zswap.", "stored_bytes", zswap_stored_bytes(m->zswap));
    struct swap_ages age = swap_age_read(m->mm, machine_now(m));
    put(s, MV_X, "x.", "age_zswap_ns", age.zswap_ns);
    put(s, MV_X, "x.", "age_device_ns", age.device_ns);
    put(s, MV_X, "x.", "age_looks", age.looks);
    put(s, MV_X_SIGNED, "x.", "lru_inversion", age.zswap_ns - age.device_ns);
    put(s, MV_X, "x.", "tree_lock_acquisitions",
        zswap_lock_use(m->zswap, ZSWAP_LOCK_TREE).acquisitions);
}

static void put_accel(const struct machine *m, const struct sink *s) {
    if (!m->accel)
        return;
    const struct accel_stats *a = accel_stats(m->accel);
#define A(name) put(s, MV_COUNTER, "iaa_crypto.", #name, a->name)
    A(total_comp_calls);
    A(total_decomp_calls);
    A(total_sw_decomp_calls);
    A(total_comp_bytes_out);
    A(total_decomp_bytes_in);
    A(total_completion_einval_errors);
    A(total_completion_comp_buf_overflow_errors);
#undef A
#define X(name) put(s, MV_X, "x.accel.", #name, a->name)
    X(sw_comp_calls);
    X(queue_full);
    X(retries);
    X(slept_for_place);
    X(eagain);
    X(comp_failed);
    X(verifies);
    X(busy_ns);
    X(queue_wait_ns);
    X(poll_ns);
    X(sleep_ns);
#undef X
    put(s, MV_X, "x.accel.", "queue_wait_p99_ns", rf_hist_quantile(&a->wait, 0.99));
    for (uint32_t n = 1; n <= ACCEL_MAX_BATCH; n++) {
        char name[24];
        snprintf(name, sizeof(name), "batch_fill.%02u", n);
        if (n <= accel_batch(m->accel))
            put(s, MV_X, "x.accel.", name, a->fill[n]);
    }
    const struct zswap_counters *c = zswap_counters(m->zswap);
    put(s, MV_X, "x.zswap.", "mutex_holds", c->x_mutex_holds);
    put(s, MV_X, "x.zswap.", "mutex_hold_ns", c->x_mutex_hold_ns);
}

static void put_lock(const struct sink *s, const char *name, uint64_t acquisitions,
                     uint64_t contended, uint64_t wait_ns) {
    char prefix[32];

    snprintf(prefix, sizeof(prefix), "x.lock.%s.", name);
    put(s, MV_X, prefix, "acquisitions", acquisitions);
    put(s, MV_X, prefix, "contended", contended);
    put(s, MV_X, prefix, "wait_ns", wait_ns);
}

static void put_locks(const struct machine *m, const struct sink *s) {
    const struct {
        const char *name;
        uint64_t acquisitions, contended, wait_ns;
    } locks[] = {
        {"lru", m->mm->lru_lock.acquisitions, m->mm->lru_lock.contended, m->mm->lru_lock.wait_ns},
        {"swap", m->mm->swap_lock.acquisitions, m->mm->swap_lock.contended,
         m->mm->swap_lock.wait_ns},
    };
    static const char *const of_zswap[] = {[ZSWAP_LOCK_TREE] = "zswap_tree",
                                           [ZSWAP_LOCK_LRU] = "zswap_lru",
                                           [ZSWAP_LOCK_POOL] = "zswap_pool"};

    if (!m->c.contention)
        return;
    for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
        put_lock(s, locks[i].name, locks[i].acquisitions, locks[i].contended, locks[i].wait_ns);
    for (unsigned i = 0; i < sizeof(of_zswap) / sizeof(of_zswap[0]); i++) {
        const struct sim_lock l =
            m->zswap ? zswap_lock_use(m->zswap, (enum zswap_lock)i) : (struct sim_lock){0};
        put_lock(s, of_zswap[i], l.acquisitions, l.contended, l.wait_ns);
    }
}

static void put_zram(const struct machine *m, const struct sink *s) {
    struct zram_mm_stat mm;
    struct zram_io_stat io;
    struct zram_bd_stat bd;

    if (!m->zram)
        return;
    zram_mm_stat(m->zram, &mm);
    zram_io_stat(m->zram, &io);
    zram_bd_stat(m->zram, &bd);
#define Z(st, name) put(s, MV_COUNTER, "zram.", #name, st.name)
    Z(mm, orig_data_size);
    Z(mm, compr_data_size);
    Z(mm, mem_used_total);
    Z(mm, mem_limit);
    Z(mm, mem_used_max);
    Z(mm, same_pages);
    Z(mm, pages_compacted);
    Z(mm, huge_pages);
    Z(mm, huge_pages_since);
    Z(io, failed_reads);
    Z(io, failed_writes);
    Z(io, invalid_io);
    Z(io, notify_free);
    Z(bd, bd_count);
    Z(bd, bd_reads);
    Z(bd, bd_writes);
#undef Z
}

static void put_blk(const struct machine *m, const struct sink *s) {
    if (!m->blk)
        return;
    const struct blk_stats *b = blk_stats(m->blk);
#define B(name) put(s, MV_X, "x.blk.", #name, b->name)
    B(reads);
    B(writes);
    B(read_pages);
    B(write_pages);
    B(read_merges);
    B(write_merges);
    B(read_ns);
    B(write_ns);
    B(busy_ns);
    B(max_in_flight);
#undef B
}

static void put_residency(const struct machine *m, const struct sink *s) {
    const struct mm *mm = m->mm;
    uint64_t present = 0, swapped = 0;

    for (uint32_t b = 0; b < mm->nr_blocks; b++) {
        if (!mm->block[b].table)
            continue;
        for (uint32_t i = b << 9; i < (b + 1) << 9; i++) {
            present += (mm->pte[i] & PTE_PRESENT) != 0;
            swapped += (mm->pte[i] & PTE_SWAP) != 0;
        }
    }
    put(s, MV_COUNTER, "", "final_present", present);
    put(s, MV_COUNTER, "", "final_swapped", swapped);
}

static void put_time(const struct machine *m, const struct sink *s) {
    const struct mm *mm = m->mm;
    uint64_t user = 0, sys = 0, idle = 0;

    for (uint32_t i = 0; i < m->c.cpus; i++) {
        const struct sim_cpu *c = engine_cpu(m->eng, i);
        user += c->user_ns;
        sys += c->sys_ns;
        idle += c->idle_ns;
    }
    put(s, MV_TIME, "", "elapsed_ns", machine_now(m));
    put(s, MV_TIME, "", "user_ns", user);
    put(s, MV_TIME, "", "sys_ns", sys);
    put(s, MV_TIME, "", "idle_ns", idle);
    put(s, MV_TIME, "", "stall_ns", mm->fault_ns);
    put(s, MV_TIME, "stall.", "zswap_load_ns", mm->stall_ns[STALL_ZSWAP_LOAD]);
    put(s, MV_TIME, "stall.", "zram_load_ns", mm->stall_ns[STALL_ZRAM_LOAD]);
    put(s, MV_TIME, "stall.", "swap_read_ns", mm->stall_ns[STALL_SWAP_READ]);
    put(s, MV_TIME, "stall.", "reclaim_ns", mm->stall_ns[STALL_RECLAIM]);
    put(s, MV_TIME, "stall.", "memory_high_ns", mm->stall_ns[STALL_HIGH]);
}

void machine_values(const struct machine *m, machine_value_fn fn, void *ctx) {
    const struct sink s = {fn, ctx};
    const struct mm *mm = m->mm;

    put_vm(m, &s);
    put_memcg(m, &s);
    put_mthp(m, &s);
    put_zswap(m, &s);
    put_accel(m, &s);
    put_locks(m, &s);
    put_zram(m, &s);
    put_blk(m, &s);
    put_residency(m, &s);
    put_time(m, &s);
    put(&s, MV_X, "x.", "accesses", m->ops_done);
    put(&s, MV_X, "x.", "cow_copies", mm->x_cow_copies);
    put(&s, MV_X, "x.", "stable_page_violations", mm->x_stable_violations);
    put(&s, MV_X, "x.", "shared_page_violations", mm->x_shared_violations);
    put(&s, MV_X, "x.", "writeback_waits", mm->x_v1_writeback_waits);
    put(&s, MV_X, "x.", "zero_page_mappings", mm->x_zero_mapped);
    put(&s, MV_X, "x.", "reclaim_calls", mm->x_reclaim_calls);
    put(&s, MV_X, "x.", "swap_alloc_failures", mm->x_swap_full_fail);
    put(&s, MV_X, "x.", "swap_slots_in_use", swap_slots_in_use(m->swap));
    put(&s, MV_X, "x.", "freed_clean_pages", mm->x_swap_freed_clean);
    put(&s, MV_X, "x.", "stat_flushes", mm->stat_flushes);
    put(&s, MV_X, "x.", "events_fired", engine_events_fired(m->eng));
    put(&s, MV_X, "x.", "free_frames", mm_free_frames(mm));
}

void machine_hists(const struct machine *m, machine_hist_fn fn, void *ctx) {
    for (int i = 0; i < NR_FAULT_KINDS; i++)
        fn(ctx, fault_kind_name((enum fault_kind)i), &m->mm->lat[i]);
}
