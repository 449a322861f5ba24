/* SPDX-License-Identifier: Apache-2.0 */
/* Creation, events and teardown of a machine. */
#include <stdlib.h>
#include "../mm/reclaim.h"
#include "../mm/swapcache.h"
#include "machine_internal.h"

static void pool_pages(void *ctx, int32_t delta) {
    struct mm *mm = ctx;
    mm->pool_pages += (uint64_t)(int64_t)delta;
}

static enum task_result kswapd_step(void *arg, struct sim_cpu *cpu, rf_time horizon) {
    struct machine *m = arg;

    while (kswapd_run(m->mm, cpu))
        if (cpu->now >= horizon)
            return TASK_YIELD;
    return TASK_BLOCK;
}

static enum task_result worker_step(void *arg, struct sim_cpu *cpu, rf_time horizon) {
    struct machine *m = arg;

    m->mm->cur = cpu;
    /* On one CPU its turns are given by the task that runs; here it has what that one sleeps. */
    if (m->c.cpus == 1 && m->stream[0] && m->stream[0]->wait == SW_NONE)
        return TASK_BLOCK;
    return run_worker(m, cpu, horizon) ? TASK_YIELD : TASK_BLOCK;
}

static void stat_flush_event(void *ctx, uint64_t arg, rf_time when) {
    struct machine *m = ctx;

    (void)arg;
    memcg_flush_stats(m->mm);
    if (engine_at_background(m->eng, when + m->c.era.reclaim.stat_flush_ns, stat_flush_event, m,
                             0) &&
        m->run_err.code == RF_OK)
        rf_fail(&m->run_err, RF_ENOMEM, "no memory for an event");
}

static int init_swap(struct machine *m, uint64_t swap_pages, struct rf_err *err) {
    const struct machine_config *c = &m->c;
    const struct blk_ops *ops = NULL;
    bool zram = strcmp(c->swap_device, "zram0") == 0;

    if (!zram) {
        ops = blk_find(c->swap_device);
        if (!ops)
            return rf_fail(err, RF_EUSAGE,
                           "swap.device: no device \"%s\"; expected null, nvme, ssd, hdd, pmem, "
                           "vdisk or zram0",
                           c->swap_device);
    }
    bool rotational = c->swap_rotational >= 0 ? c->swap_rotational : (ops && ops->rotational);
    m->mm->vma_ra = c->vma_ra_enabled && !rotational;
    struct swap_params sp = {
        .policy = c->era.swap,
        .nr_slots = swap_pages,
        .cpus = c->cpus,
        .rotational = rotational,
        .seed = c->seed,
        .keep_owner = !m->mm->vma_ra || c->verify || (zram && c->zswap_enabled),
    };
    int r = swap_area_create(&sp, &mm_swap_ops, m->mm, &m->swap, err);
    if (r)
        return r;
    m->mm->swap = m->swap;
    if (zram)
        return RF_OK;
    m->mm->swap_sync = ops->synchronous;
    m->mm->swap_stable = c->swap_stable_writes >= 0 ? c->swap_stable_writes : ops->stable_writes;
    r = blk_create(ops, &c->era.blk, &c->cost.blk, c->seed, m->eng, mm_end_io, m->mm, &m->blk, err);
    m->mm->blk = m->blk;
    return r;
}

static int codec_of(const char *knob, const char *name, enum codec_id *id, struct rf_err *err) {
    const struct codec_ops *ops = codec_find(name);
    if (!ops)
        return rf_fail(err, RF_EUSAGE, "%s: no codec \"%s\"", knob, name);
    *id = ops->id;
    return RF_OK;
}

/* The version of the library is not a matter of cost: the knobs of zstd hold for both. */
static void cost_of_zstd_1_4(uint64_t *ns, uint64_t *byte_ps) {
    ns[CODEC_ZSTD_1_4] = ns[CODEC_ZSTD];
    byte_ps[CODEC_ZSTD_1_4] = byte_ps[CODEC_ZSTD];
}

static struct zs_policy zs_policy_of(const struct machine_config *c) {
    struct zs_policy zs = c->era.zs;
    if (c->zsmalloc_chain_size)
        zs.chain_size = c->zsmalloc_chain_size;
    return zs;
}

static int init_zram(struct machine *m, uint64_t swap_pages, struct rf_err *err) {
    const struct machine_config *c = &m->c;
    struct zram_params p = {
        .policy = c->era.zram,
        .cost = c->cost.zram,
        .zs = zs_policy_of(c),
        .name = "zram0",
        .disksize_pages = RF_MAX(machine_amount_pages(c, c->zram_disksize), swap_pages),
        .mem_limit_bytes =
            c->zram_mem_limit.value ? machine_amount_pages(c, c->zram_mem_limit) * RF_PAGE_SIZE : 0,
        .backing_pages =
            c->zram_backing_dev.value ? machine_amount_pages(c, c->zram_backing_dev) : 0,
        .writeback_limit = c->zram_writeback_limit,
        .writeback_limit_enable = c->zram_writeback_limit_enable,
        .content = m->cs,
        .verify = c->verify,
        .pages = pool_pages,
        .pages_ctx = m->mm,
    };
    for (int i = 0; i < ZRAM_MAX_COMPS; i++)
        p.comp[i] = NR_CODECS;
    int r = codec_of("zram0.comp_algorithm", c->zram_comp_algorithm, &p.comp[0], err);
    if (!r && c->zram_recomp_algorithm[0])
        r = codec_of("zram0.recomp_algorithm", c->zram_recomp_algorithm, &p.comp[1], err);
    if (r)
        return r;
    for (int i = 0; i < ZRAM_MAX_COMPS; i++)
        p.comp[i] = era_zram_codec(&c->era, p.comp[i]);
    cost_of_zstd_1_4(p.cost.compress_ns, p.cost.compress_byte_ps);
    cost_of_zstd_1_4(p.cost.decompress_ns, p.cost.decompress_byte_ps);
    r = zram_create(&p, &m->zram, err);
    m->mm->zram = m->zram;
    m->mm->swap_sync = true;
    m->mm->swap_stable = c->swap_stable_writes != 0;
    return r;
}

static int init_accel(struct machine *m, enum codec_id codec, struct rf_err *err) {
    const struct accel_params p = {
        .config = &m->c.accel,
        .cost = &m->c.cost.accel,
        .codec = codec,
        .cpus = m->c.cpus,
        .seed = m->c.seed,
        .eng = m->eng,
    };

    return accel_create(&p, &m->accel, err);
}

static int init_zswap(struct machine *m, uint64_t ram, uint64_t swap_pages, struct rf_err *err) {
    const struct machine_config *c = &m->c;
    struct zswap_params p = {
        .policy = c->era.zswap,
        .cost = c->cost.zswap,
        .zs = zs_policy_of(c),
        .ram_pages = ram,
        .max_slots = (uint32_t)((swap_pages + 1023) & ~(uint64_t)511),
        .content = m->cs,
        .verify = c->verify,
        .contention = c->contention,
        .lock_handoff_ns = c->cost.mm.lock_handoff_ns,
        .cache_line_ns = c->cost.mm.cache_line_ns,
        .host = &mm_zswap_ops,
        .host_ctx = m->mm,
        .pages = pool_pages,
        .pages_ctx = m->mm,
    };
    p.knobs = (struct zswap_knobs){
        .enabled = true,
        .zpool = zpool_find(c->zswap_zpool),
        .max_pool_percent = c->max_pool_percent,
        .accept_threshold_percent = c->accept_threshold_percent,
        .shrinker_enabled = c->shrinker_enabled,
        .same_filled_pages_enabled = c->same_filled_pages_enabled,
        .non_same_filled_pages_enabled = c->non_same_filled_pages_enabled,
        .exclusive_loads = c->exclusive_loads,
    };
    if (!p.knobs.zpool)
        return rf_fail(err, RF_EUSAGE,
                       "zswap.zpool: no allocator \"%s\"; expected zsmalloc, zbud or z3fold",
                       c->zswap_zpool);
    int r = codec_of("zswap.compressor", c->zswap_compressor, &p.knobs.compressor, err);
    p.knobs.compressor = era_zswap_codec(&c->era, p.knobs.compressor);
    cost_of_zstd_1_4(p.cost.compress_ns, p.cost.compress_byte_ps);
    cost_of_zstd_1_4(p.cost.decompress_ns, p.cost.decompress_byte_ps);
    if (!r && strcmp(c->accel.model, "none") != 0)
        r = init_accel(m, p.knobs.compressor, err);
    p.accel = m->accel;
    if (!r)
        r = zswap_create(&p, &m->zswap, err);
    if (!r)
        r = swap_age_init(&m->mm->age, p.max_slots, err);
    m->mm->zswap = m->zswap;
    m->mm->zswap_ever_enabled = true;
    return r;
}

#define MIN_RAM_PAGES 64u
#define MAX_RAM_PAGES ((uint64_t)1 << 36)
#define MIN_SWAP_PAGES 16u

static bool is_v1(const struct machine_config *c) {
    return c->memory_limit.kind != AMOUNT_MAX || c->memory_memsw_limit.kind != AMOUNT_MAX;
}

/* A hierarchy is v1 or v2; and memory alone may not exceed memory and swap together. */
static int check_cgroup(const struct machine_config *c, struct rf_err *err) {
    if (!is_v1(c))
        return RF_OK;
    if (c->memory_max.kind != AMOUNT_MAX || c->memory_high.kind != AMOUNT_MAX ||
        c->memory_swap_max.kind != AMOUNT_MAX || c->memory_zswap_max.kind != AMOUNT_MAX)
        return rf_fail(err, RF_EUSAGE,
                       "memory.limit_in_bytes and memory.memsw.limit_in_bytes are of cgroup v1, "
                       "memory.max, memory.high, memory.swap.max and memory.zswap.max of v2: set "
                       "those of one only");
    if (machine_amount_pages(c, c->memory_limit) > machine_amount_pages(c, c->memory_memsw_limit))
        return rf_fail(err, RF_EUSAGE,
                       "memory.memsw.limit_in_bytes is below memory.limit_in_bytes");
    return RF_OK;
}

/* One a CPU. */
static int init_tlb(struct machine *m, struct rf_err *err) {
    uint32_t n = m->c.tlb_entries;
    int r = RF_OK;

    if (n & (n - 1))
        return rf_fail(err, RF_EUSAGE, "machine.tlb_entries: %u, expected a power of two or 0", n);
    if (n == 0)
        return RF_OK;
    m->tlb = calloc(m->c.cpus, sizeof(*m->tlb));
    if (!m->tlb)
        return rf_fail(err, RF_ENOMEM, "no memory for %u TLBs", m->c.cpus);
    for (uint32_t i = 0; i < m->c.cpus && r == RF_OK; i++)
        r = tlb_create(&m->tlb[i], n, m->c.tlb_contents, m->c.seed + i, err);
    return r;
}

static int wire(struct machine *m, struct rf_err *err) {
    const struct machine_config *c = &m->c;
    struct engine_params ep = {.cpus = c->cpus};
    uint64_t ram = machine_amount_pages(c, c->ram);
    uint64_t swap_pages = machine_amount_pages(c, c->swap_size);
    bool v1 = is_v1(c);

    if (c->cpus == 0 || c->cpus > 1024)
        return rf_fail(err, RF_EUSAGE, "machine.cpus: %u, expected 1 to 1024", c->cpus);
    if (c->blocks == 0 || c->blocks > (1u << 19))
        return rf_fail(err, RF_EINPUT, "%u blocks of page ids, expected 1 to %u", c->blocks,
                       1u << 19);
    /* Percentages of a tiny footprint would not be machines. */
    if (c->ram.kind == AMOUNT_PERCENT)
        ram = RF_MAX(ram, MIN_RAM_PAGES);
    if (c->swap_size.kind == AMOUNT_PERCENT)
        swap_pages = RF_MAX(swap_pages, MIN_SWAP_PAGES);
    if (ram < MIN_RAM_PAGES || ram > MAX_RAM_PAGES)
        return rf_fail(err, RF_EUSAGE, "machine.ram: %llu pages, expected %u to %llu",
                       (unsigned long long)ram, MIN_RAM_PAGES, (unsigned long long)MAX_RAM_PAGES);
    if (swap_pages < MIN_SWAP_PAGES || swap_pages > ((uint64_t)1 << 28) - 1024)
        return rf_fail(
            err, RF_EUSAGE, "%s: %llu pages, expected 16 to %llu",
            strcmp(c->swap_device, "zram0") == 0 ? "swap.size or zram0.disksize" : "swap.size",
            (unsigned long long)swap_pages, (unsigned long long)(((uint64_t)1 << 28) - 1024));
    if (c->lru_gen_enabled && !c->era.reclaim.lru_gen_available)
        return rf_fail(err, RF_EUSAGE, "lru_gen.enabled: kernel %s has no multi-gen LRU",
                       c->era.name);
    int r = check_cgroup(c, err);
    if (!r)
        r = engine_create(&ep, &m->eng, err);
    if (r)
        return r;
    struct mm_params mp = {
        .knobs = {.ram_pages = ram,
                  .cpus = c->cpus,
                  .swappiness = c->swappiness,
                  .page_cluster = c->page_cluster,
                  .watermark_scale_factor = c->watermark_scale_factor,
                  .min_free_kbytes = c->min_free_kbytes,
                  .fork_pages = c->fork_pages,
                  .fork_parent_pages = c->fork_parent_pages,
                  .vma_ra_enabled = c->vma_ra_enabled,
                  .lru_gen_enabled = c->lru_gen_enabled,
                  .thp_always = c->thp_enabled == THP_ALWAYS,
                  .thp_madvise = c->thp_enabled == THP_MADVISE,
                  .thp_defrag = c->thp_defrag,
                  .thp_orders = c->era.fault.mthp ? c->thp_orders : 0,
                  .memory_max = machine_amount_pages(c, v1 ? c->memory_limit : c->memory_max),
                  .memory_high = machine_amount_pages(c, c->memory_high),
                  .memory_swap_max = machine_amount_pages(c, c->memory_swap_max),
                  .memory_zswap_max = machine_amount_pages(c, c->memory_zswap_max),
                  .memory_zswap_writeback = c->memory_zswap_writeback,
                  .compress_batchsize = c->compress_batchsize,
                  .contention = c->contention,
                  .guests = c->guests,
                  .singlemapped_ra_enabled = c->singlemapped_ra_enabled,
                  .cgroup_v1 = v1,
                  .memsw_max = machine_amount_pages(c, c->memory_memsw_limit)},
        .fault = c->era.fault,
        .reclaim = c->era.reclaim,
        .cost = c->cost.mm,
        .max_ids = c->blocks * 512,
        .content = m->cs,
        .eng = m->eng,
        .check = c->check,
        .zswap_invalidate_late = c->era.zswap.invalidate_late,
        .zswap_store_batch = c->zswap_enabled && c->era.zswap.store_batch,
        .zswap_load_batch = c->era.zswap.load_batch,
        .zswap_memcg_writeback = c->era.zswap.memcg_writeback,
    };
    if (mp.reclaim.add_batch == 0 || mp.reclaim.add_batch > BATCH_MAX)
        return rf_fail(err, RF_EUSAGE, "era.reclaim.add_batch: %u, expected 1 to %u",
                       mp.reclaim.add_batch, BATCH_MAX);
    r = mm_create(&mp, &m->mm, err);
    if (r)
        return r;
    m->mm->wait = &machine_wait_ops;
    m->mm->wait_ctx = m;
    m->mm->cur = engine_cpu(m->eng, 0);
    r = init_swap(m, swap_pages, err);
    if (!r && strcmp(c->swap_device, "zram0") == 0)
        r = init_zram(m, swap_pages, err);
    if (!r && c->zswap_enabled)
        r = init_zswap(m, ram, swap_pages, err);
    if (r)
        return r;
    uint32_t kcpu = c->cpus - 1;
    m->kswapd =
        (struct sim_task){.name = "kswapd0", .step = kswapd_step, .arg = m, .kthread = true};
    m->worker =
        (struct sim_task){.name = "zswap-shrink", .step = worker_step, .arg = m, .kthread = true};
    engine_add_task(m->eng, &m->kswapd, kcpu, false);
    engine_add_task(m->eng, &m->worker, kcpu, false);
    r = init_tlb(m, err);
    if (r)
        return r;
    if (c->era.reclaim.stat_flush_ns) {
        r = engine_at_background(m->eng, c->era.reclaim.stat_flush_ns * c->stat_flush_phase / 100,
                                 stat_flush_event, m, 0);
        if (r)
            return rf_fail(err, r, "no memory for an event");
    }
    return run_init(m, err);
}

int machine_create(const struct machine_config *c, struct content_set *cs, struct machine **out,
                   struct rf_err *err) {
    struct machine *m = calloc(1, sizeof(*m));

    if (!m)
        return rf_fail(err, RF_ENOMEM, "no memory for a machine");
    m->c = *c;
    if (c->cpu_speed != 100)
        cost_profile_at_speed(&m->c.cost, c->cpu_speed);
    m->cs = cs;
    m->access_cost = true;
    int r = wire(m, err);
    if (r) {
        machine_destroy(m);
        return r;
    }
    *out = m;
    return RF_OK;
}

void machine_destroy(struct machine *m) {
    if (!m)
        return;
    run_destroy(m);
    for (uint32_t i = 0; m->tlb && i < m->c.cpus; i++)
        tlb_destroy(&m->tlb[i]);
    free(m->tlb);
    zswap_destroy(m->zswap);
    accel_destroy(m->accel);
    zram_destroy(m->zram);
    blk_destroy(m->blk);
    swap_area_destroy(m->swap);
    mm_destroy(m->mm);
    engine_destroy(m->eng);
    free(m);
}

int machine_check(struct machine *m, struct rf_err *err) {
    if (m->run_err.code)
        return rf_fail(err, m->run_err.code, "%s", m->run_err.msg);
    return mm_check(m->mm, err);
}

/* Frees what only the swap cache still holds. */
static void drop_idle_cache(struct machine *m) {
    struct mm *mm = m->mm;
    uint32_t n = swap_slots_seen(m->swap);

    mm->cur = engine_cpu(m->eng, 0);
    for (uint32_t s = 0; s < n; s++) {
        uint32_t f = swapcache_lookup(mm, s);
        if (f != RF_NONE && swap_count(m->swap, s) == 0)
            folio_free_if_idle(mm, mm->cur, f);
    }
}

int machine_teardown(struct machine *m, struct rf_err *err) {
    struct mm *mm = m->mm;
    struct sim_cpu *cpu = engine_cpu(m->eng, 0);
    int r = machine_settle(m, err);

    for (uint32_t i = 0; !r && i < mm->nr_procs; i++)
        if (mm->proc[i].alive)
            r = space_exit(mm, cpu, i, false, err);
    if (!r)
        r = machine_settle(m, err);
    if (r)
        return r;
    drop_idle_cache(m);
    for (uint32_t i = 0; i < m->c.cpus; i++)
        swap_slots_drain(m->swap, i);
    memcg_drain_stocks(mm);
    if (!m->c.check)
        return RF_OK;
    r = machine_check(m, err);
    if (r)
        return r;
    if (mm->nr_folios || mm->kernel_frames || swap_slots_in_use(m->swap) ||
        (m->zswap && zswap_nr_entries(m->zswap)) || mm->pool_pages ||
        mm->memcg[1].usage > mm->memcg[1].obj_pages || mm->memcg[1].swap_usage ||
        mm->memcg[1].memsw_swap)
        return rf_fail(
            err, RF_ECHECK,
            "after all processes exited %llu folio pages, %llu kernel pages, %llu slots, "
            "%llu zswap entries, %llu pool pages, %llu charged and %llu swap pages are "
            "left",
            (unsigned long long)mm->nr_folios, (unsigned long long)mm->kernel_frames,
            (unsigned long long)swap_slots_in_use(m->swap),
            (unsigned long long)(m->zswap ? zswap_nr_entries(m->zswap) : 0),
            (unsigned long long)mm->pool_pages, (unsigned long long)mm->memcg[1].usage,
            (unsigned long long)(mm->memcg[1].swap_usage + mm->memcg[1].memsw_swap));
    return RF_OK;
}

enum machine_outcome machine_outcome(const struct machine *m) {
    return m->outcome;
}

uint64_t machine_verified(const struct machine *m) {
    const struct mm *mm = m->mm;

    return (mm->zswap ? zswap_verified(mm->zswap) : 0) + (mm->zram ? zram_verified(mm->zram) : 0);
}

rf_time machine_now(const struct machine *m) {
    rf_time t = 0;
    for (uint32_t i = 0; i < m->c.cpus; i++)
        t = RF_MAX(t, engine_cpu(m->eng, i)->now);
    return t;
}

rf_time machine_process_now(const struct machine *m, uint32_t pid) {
    if (m->c.cpus == 1 || pid >= m->nr_streams || !m->stream[pid])
        return machine_now(m);
    const struct stream *s = m->stream[pid];
    return s->wait == SW_NONE ? engine_cpu(m->eng, s->task.cpu)->now : s->blocked_at;
}

const struct machine_config *machine_config_of(const struct machine *m) {
    return &m->c;
}

static void report_job(void *ctx, const struct sim_cpu *cpu, const struct accel_job *job) {
    const struct machine *m = ctx;
    const struct observed_span span = {
        .track = OBSERVE_ACCEL,
        .index = job->device * m->c.accel.engines + job->engine,
        .name = job->op == ACCEL_COMPRESS ? "compress" : "decompress",
        .from = job->start,
        .to = job->end,
        .waited_ns = job->start - job->at,
        .pages = 1,
    };

    (void)cpu;
    if (job->status == ACCEL_OK || job->status == ACCEL_EOVERFLOW)
        m->mm->observer->span(m->mm->observer->ctx, &span);
}

void machine_observe(struct machine *m, const struct observer *o) {
    m->mm->observer = o;
    m->mm->observed_pid = RF_NONE;
    if (m->blk)
        blk_observe(m->blk, o);
    if (m->accel)
        accel_observe(m->accel, o ? report_job : NULL, m);
}

void machine_set_implicit_content(struct machine *m, bool on) {
    m->mm->implicit_content = on;
}

void machine_set_access_cost(struct machine *m, bool on) {
    m->access_cost = on;
}

const struct zswap *machine_zswap(const struct machine *m) {
    return m->zswap;
}

const struct zram *machine_zram(const struct machine *m) {
    return m->zram;
}

const struct blk_dev *machine_blk(const struct machine *m) {
    return m->blk;
}

uint8_t machine_page_state(const struct machine *m, uint32_t id) {
    if (id >= m->mm->p.max_ids)
        return 0;
    uint64_t p = m->mm->pte[id];
    return (p & PTE_PRESENT) ? 1 : (p & PTE_SWAP) ? 2 : 0;
}
