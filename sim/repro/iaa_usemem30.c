/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iaa-usemem30: thirty usemem processes that write twice what their cgroup may have, with zstd and
 * with IAA, one page after the other and in batches of eight. Nothing here is fitted to this
 * experiment: the accelerator has the costs of iaa-latency and iaa-batch8.
 */
#include <stdlib.h>
#include "gen/workload.h"
#include "repro/matrix.h"

#define TASKS 30u
#define ORIGINAL_BYTES ((uint64_t)10 << 30)
#define BYTES ((uint64_t)40 << 20) /* a task; 10 GiB in the original */
#define SLEEP_NS 10e9              /* of a task that has written, before it frees its memory */
/*
 * memory.high of the original is half of what is written. 2 x 56 cores are 224 CPUs, numbered core
 * by core, so the 28 CPUs of a device are neighbours, and usemem -b 1 binds task i to CPU i. They
 * run at 2.5 GHz, 83 % of the profile's.
 */
#define COMMON                                                                                     \
    "kernel=6.13 machine.cpus=224 machine.cpu_speed=83 machine.ram=4G machine.contention=1 "       \
    "machine.placement=bind memory.high=600M zswap.enabled=1 zswap.max_pool_percent=50 "           \
    "swap.size=2G swap.device=ssd "
#define IAA                                                                                        \
    "zswap.compressor=deflate-iaa accel.model=iaa accel.devices=8 accel.packages=2 "               \
    "accel.engines=8 accel.wqs=2 accel.comp_wqs=1 accel.verify_compress=0 "
#define SERIES                                                                                     \
    "era.zswap.store_batch=1 accel.sync_mode=async accel.distribute_comps=1 "                      \
    "accel.comp_full=error accel.decomp_full=software "
#define F64 "thp.hugepages-64kB.enabled=1 "
#define F2M "thp.enabled=always "

enum { ZSTD, ZSTD_BATCH, SEQ, BATCH, SPREAD_SEQ, SPREAD_BATCH, NR_KINDS };

static const struct repro_config configs[] = {
    [ZSTD] = {"zstd-64K", 0, F64 "zswap.compressor=zstd"},
    [ZSTD_BATCH] = {"zstd-batch-64K", 0, F64 "zswap.compressor=zstd era.zswap.store_batch=1"},
    [SEQ] = {"iaa-64K", 0, F64 IAA},
    [BATCH] = {"iaa-batch-64K", 0, F64 IAA SERIES},
    [SPREAD_SEQ] = {"iaa-64K-spread", 0, F64 IAA "machine.placement=spread"},
    [SPREAD_BATCH] = {"iaa-batch-64K-spread", 0, F64 IAA SERIES "machine.placement=spread"},
    [NR_KINDS + ZSTD] = {"zstd-2M", 0, F2M "zswap.compressor=zstd"},
    [NR_KINDS +
        ZSTD_BATCH] = {"zstd-batch-2M", 0, F2M "zswap.compressor=zstd era.zswap.store_batch=1"},
    [NR_KINDS + SEQ] = {"iaa-2M", 0, F2M IAA},
    [NR_KINDS + BATCH] = {"iaa-batch-2M", 0, F2M IAA SERIES},
};

/* What a run took: the end of each task's writing, in its own time. */
struct experiment {
    struct repro *r;
    const struct repro_matrix *m;
    rf_time *took; /* [config * seeds + seed][task] */
};

static uint64_t task_bytes(const struct repro *r) {
    const uint64_t huge = (uint64_t)2 << 20;

    /* Whole huge pages, and two of them at least, so that half of the memory is one. */
    return RF_MAX((uint64_t)((double)BYTES * r->scale) / huge, 2) * huge;
}

static uint64_t count_from(void *ctx, unsigned which, uint64_t seed) {
    const struct experiment *x = ctx;

    (void)which;
    (void)seed;
    return task_bytes(x->r) / RF_PAGE_SIZE * TASKS;
}

static void look(void *ctx, size_t index, bool ended, const struct machine *m) {
    struct experiment *x = ctx;

    for (uint32_t t = 0; t < TASKS && !ended; t++)
        x->took[index * TASKS + t] = machine_process_now(m, 1 + t);
}

/* "Total throughput" is the sum of what each task prints: 9/8 of its bytes over its time. In KB/s.
 */
static double throughput(const struct experiment *x, size_t config, uint32_t seed) {
    const rf_time *took = x->took + (config * x->r->seeds + seed) * TASKS;
    double sum = 0;

    for (uint32_t t = 0; t < TASKS; t++)
        sum += 9.0 / 8 * (double)task_bytes(x->r) / 1024 / ((double)took[t] / 1e9);
    return sum;
}

/* With the time that the tasks sleep, at this size; ns. */
static double elapsed(const struct experiment *x, size_t config, uint32_t seed) {
    return repro_value(x->m, config, seed, "time.elapsed_ns") +
           SLEEP_NS * (double)task_bytes(x->r) / (double)ORIGINAL_BYTES;
}

typedef double figure(const struct experiment *x, size_t config, uint32_t seed);

static double mean(const struct experiment *x, figure *of, size_t config) {
    double sum = 0;

    for (uint32_t s = 0; s < x->r->seeds; s++)
        sum += of(x, config, s);
    return sum / x->r->seeds;
}

static int write_trace(void *ctx, unsigned which, uint64_t seed, const char *path,
                       struct rf_err *err) {
    const struct experiment *x = ctx;
    struct gen_params p;

    (void)which;
    gen_params_init(&p);
    p.seed = seed;
    p.usemem.tasks = TASKS;
    p.usemem.bytes = task_bytes(x->r);
    p.usemem.free = true;
    return gen_write(&gen_usemem, &p, path, err);
}

static void table(struct repro *r, const struct experiment *x, const struct repro_matrix *m) {
    repro_say(r, "%-22s %9s %10s %9s %9s %8s %9s %9s\n", "simulated", "KB/s", "elapsed ms",
              "sys ms", "stored", "us/page", "queued us", "locks us");
    for (size_t c = 0; c < m->nr_configs; c++) {
        static const char *const locks[] = {"lru", "swap", "zswap_tree", "zswap_lru", "zswap_pool"};
        double stored = repro_mean(m, c, "vmstat.zswpout"), waited = 0;
        double queued = repro_mean(m, c, "x.accel.queue_wait_ns");

        for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++) {
            char name[48];

            snprintf(name, sizeof(name), "x.lock.%s.wait_ns", locks[i]);
            waited += repro_mean(m, c, name);
        }
        repro_say(r, "%-22s %9.0f %10.1f %9.0f %9.0f %8.2f", m->configs[c].name,
                  mean(x, throughput, c), mean(x, elapsed, c) / 1e6,
                  repro_mean(m, c, "time.sys_ns") / 1e6, stored,
                  repro_mean(m, c, "time.sys_ns") / 1e3 / stored);
        if (queued == queued)
            repro_say(r, " %9.2f", queued / 1e3 / stored);
        else
            repro_say(r, " %9s", "-");
        repro_say(r, " %9.2f\n", waited / 1e3 / stored);
    }
}

/* By how many percent a figure of one configuration exceeds that of another, for each seed. */
static void gains(const struct experiment *x, figure *of, size_t config, size_t over,
                  double out[REPRO_MAX_SEEDS]) {
    for (uint32_t s = 0; s < x->r->seeds; s++)
        out[s] = 100 * (of(x, config, s) / of(x, over, s) - 1);
}

static void judge(const struct experiment *x, unsigned size) {
    static const struct {
        const char *id, *what;
        figure *of;
        unsigned config, over;
        double low, high;
    } claims[] = {
        {"gain", "throughput of batched IAA over one by one, %, validation", throughput, BATCH, SEQ,
         49, 78},
        {"elapsed", "elapsed, batched IAA over one by one, %, validation", elapsed, BATCH, SEQ, -32,
         -16},
        {"zstd_batch", "throughput of batched zstd over one by one, %, validation", throughput,
         ZSTD_BATCH, ZSTD, -2, 2},
    };
    static const char *const names[] = {"64K", "2M"};
    size_t base = (size_t)size * NR_KINDS;
    double out[REPRO_MAX_SEEDS];
    char id[32];

    for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
        gains(x, claims[i].of, base + claims[i].config, base + claims[i].over, out);
        snprintf(id, sizeof(id), "UM30.%s.%s", claims[i].id, names[size]);
        repro_judge_runs(x->r, id, claims[i].what, out, claims[i].low, claims[i].high, 1);
    }
    /* No claim of the letters: it follows from the throughputs in their tables. */
    snprintf(id, sizeof(id), "UM30.iaa_zstd.%s", names[size]);
    repro_beside(x->r, id, "throughput of IAA one by one over zstd, %",
                 100 * (mean(x, throughput, base + SEQ) / mean(x, throughput, base + ZSTD) - 1),
                 -14, 3, 1);
}

static void run(struct repro *r) {
    const size_t nr = sizeof(configs) / sizeof(configs[0]);
    struct experiment x = {.r = r, .took = calloc(nr * r->seeds * TASKS, sizeof(*x.took))};
    struct repro_matrix m = {.configs = configs,
                             .nr_configs = nr,
                             .common = COMMON,
                             .nr_traces = 1,
                             .write = write_trace,
                             .count_from = count_from,
                             .look = look,
                             .ctx = &x};

    x.m = &m;
    if (!x.took) {
        rf_fail(&r->err, RF_ENOMEM, "no memory for the times of the tasks");
        return;
    }
    if (repro_matrix_run(r, &m)) {
        table(r, &x, &m);
        judge(&x, 0);
        judge(&x, 1);
    }
    repro_matrix_free(&m);
    free(x.took);
}

const struct repro_ops repro_iaa_usemem30 = {
    .name = "iaa-usemem30",
    .summary = "30 processes swap to zswap with zstd and with IAA, in batches or not",
    .source = "K. P. Sridhar, \"zswap compression batching with optimized iaa_crypto driver\", v10 "
              "Jul 2025 to v14 Jan 2026",
    .time = "30 s",
    .random = true,
    .scales = true,
    .run = run,
};
