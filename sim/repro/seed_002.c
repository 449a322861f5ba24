/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seed-002: swapping in large folios from zswap in a build of a kernel, and decompressing what is
 * read ahead in batches.
 *
 * The build is a synthetic one. What it does to memory is fitted to the published column of the
 * unpatched kernel, and to the hits of readahead in a build of the same author; the patched column
 * is predicted.
 */
#include <math.h>
#include <stdlib.h>
#include "gen/emit.h"
#include "gen/workload.h"
#include "repro/matrix.h"

/* ---- workloads ---- */

/* An eighth of the original: 2 GiB, 32 jobs of 96 MiB. */
#define KBUILD_SCALE 0.125
/* 5,944 pages stored a second of user time, 0.289 loads a store, 63.7 % of the pages stored as
 * large folios (first column of the mail); 63 % of the pages read ahead are hit (mail of 18 Oct
 * 2024: swap_ra 4.60 M, hits 2.90 M). */
#define FIT_CPU_NS 178000000u /* at the profile's speed */
#define FIT_THINK_NS 2330u
#define FIT_SKEW 1.65
#define FIT_LOCALITY 0.84
#define FIT_SMALL 0.27

#define MICRO_PAGES 16384u /* 64 MiB; 1 GiB in the original */

enum { T_KBUILD, T_OUT, T_OUT_IN, T_RANDOM, NR_TRACES };

/* One process writes its pages; another pushes them out and exits; the first may read them again.
 */
static int micro_run(const struct gen_params *p, struct trace_writer *w, struct rf_err *err) {
    struct emit e;
    uint64_t other = p->pages + p->pages / 4;

    emit_init(&e, w, err);
    uint32_t a = emit_process(&e, RF_NONE, "reader");
    uint32_t first = emit_map(&e, a, EMIT_BASE_VPN, p->pages, 0);
    emit_switch(&e, a);
    for (uint32_t i = 0; i < p->pages; i++)
        emit_access(&e, first + i, true);
    uint32_t b = emit_process(&e, a, "pusher");
    uint32_t second = emit_map(&e, b, EMIT_BASE_VPN, other, 0);
    emit_switch(&e, b);
    for (uint32_t i = 0; i < other; i++)
        emit_access(&e, second + i, true);
    emit_exit(&e, b);
    emit_switch(&e, a);
    for (uint32_t i = 0; p->fill && i < p->pages; i++)
        emit_access(&e, first + i, false);
    emit_exit(&e, a);
    return e.rc;
}

static int micro_check(const struct gen_params *p, struct rf_err *err) {
    (void)p;
    (void)err;
    return RF_OK;
}

static void micro_describe(const struct gen_params *p, char *buf, size_t size) {
    snprintf(buf, size, "%llu pages out%s", (unsigned long long)p->pages,
             p->fill ? " and in again" : "");
}

static const struct gen_workload micro = {
    .name = "out-in",
    .summary = "pages that are pushed out and read again",
    .pacing = TRACE_PACE_RECORDS,
    .contents = "mix:1*uniform(280,300)",
    .check = micro_check,
    .describe = micro_describe,
    .run = micro_run,
};

static int write_trace(void *ctx, unsigned which, uint64_t seed, const char *path,
                       struct rf_err *err) {
    const double *scale = ctx;
    struct gen_params p;

    gen_params_init(&p);
    p.seed = seed;
    switch (which) {
    case T_KBUILD:
        p.kbuild = (struct gen_kbuild){.jobs = (uint64_t)(224 * *scale + 0.5),
                                       .parallel = 32,
                                       .rss = 10850u << 10,
                                       .rss_cap = (uint64_t)48 << 20,
                                       .rss_sigma = 0.5,
                                       .cpu_ns = FIT_CPU_NS,
                                       .think_ns = FIT_THINK_NS,
                                       .skew = FIT_SKEW,
                                       .sweeps = 0,
                                       .locality = FIT_LOCALITY,
                                       .small = FIT_SMALL,
                                       .long_lived = (uint64_t)15 << 20};
        p.contents = "mix:0.12*zero,0.55*uniform(700,1400),0.25*uniform(1400,2600),"
                     "0.08*uniform(3000,3900)";
        return gen_write(&gen_kbuild_lite, &p, path, err);
    case T_RANDOM:
        p.pages = MICRO_PAGES;
        p.ops = 4 * MICRO_PAGES;
        p.theta = 0;
        p.fill = true;
        p.contents = "mix:1*uniform(700,1400)";
        return gen_write(&gen_zipf, &p, path, err);
    default:
        p.pages = MICRO_PAGES;
        p.fill = which == T_OUT_IN;
        return gen_write(&micro, &p, path, err);
    }
}

/* ---- configurations ---- */

/* The mail's CPUs run at 2.5 GHz, 83 % of the profile's. */
#define BUILD                                                                                      \
    "machine.cpus=32 machine.cpu_speed=83 machine.contention=1 machine.ram=16G memory.max=256M "   \
    "swap.size=4G zswap.compressor=zstd vm.page-cluster=0 thp.hugepages-16kB.enabled=1 "           \
    "thp.hugepages-32kB.enabled=1 thp.hugepages-64kB.enabled=1 "
#define SKIP "era.fault.zswap_skips_cache=1 "
#define LARGE SKIP "era.fault.large_swapin=zswap "
#define MICRO "machine.ram=1G memory.max=84M swap.size=1G zswap.compressor=zstd "
#define IAA                                                                                        \
    "machine.ram=1G swap.size=1G zswap.compressor=deflate-iaa accel.model=iaa accel.engines=8 "    \
    "accel.wqs=2 accel.comp_wqs=1 accel.sync_mode=async accel.verify_compress=0 "                  \
    "accel.decomp_full=software "
#define SCAN IAA "memory.max=84M "
#define RANDOM IAA "memory.max=24M "
#define BATCHED "era.zswap.load_batch=1 era.zswap.store_batch=1 "

enum {
    BASE,
    PATCHED,
    CAPPED,
    MARGIN,
    READAHEAD,
    READAHEAD_MARGIN,
    GEN_BASE,
    GEN_PATCHED,
    WIDE_BASE,
    WIDE_PATCHED,
    SIBLING_IAA,
    OUT_4K,
    IN_4K,
    OUT_1M,
    IN_1M,
    SCAN_OUT,
    SCAN_IN,
    SCAN_OUT_8,
    SCAN_IN_8,
    SCAN_OUT_32,
    SCAN_IN_32,
    RANDOM_1,
    RANDOM_8,
    RANDOM_32,
    SYNC_OFF,
    SYNC_ON,
    NR_CONFIGS
};

#define M1 "thp.hugepages-1024kB.enabled=1 "
static const struct repro_config configs[NR_CONFIGS] = {
    [BASE] = {"base", T_KBUILD, BUILD},
    [PATCHED] = {"large", T_KBUILD, BUILD LARGE},
    [CAPPED] = {"large-32K", T_KBUILD, BUILD LARGE "era.fault.large_swapin_max_order=3"},
    [MARGIN] = {"large-margin", T_KBUILD, BUILD LARGE "era.fault.large_swapin_margin=1"},
    [READAHEAD] = {"readahead", T_KBUILD, BUILD "vm.page-cluster=3"},
    [READAHEAD_MARGIN] = {"readahead-margin", T_KBUILD,
                          BUILD LARGE "era.fault.large_swapin_margin=1 vm.page-cluster=3"},
    [GEN_BASE] = {"lru_gen", T_KBUILD, BUILD "lru_gen.enabled=1"},
    [GEN_PATCHED] = {"lru_gen-large", T_KBUILD, BUILD LARGE "lru_gen.enabled=1"},
    [WIDE_BASE] = {"ample", T_KBUILD, BUILD "memory.max=2G"},
    [WIDE_PATCHED] = {"ample-large", T_KBUILD, BUILD LARGE "memory.max=2G"},
    [SIBLING_IAA] = {"base-iaa", T_KBUILD,
                     BUILD "zswap.compressor=deflate-iaa accel.model=iaa accel.engines=8"},
    [OUT_4K] = {"out-4K", T_OUT, MICRO SKIP M1},
    [IN_4K] = {"out-in-4K", T_OUT_IN, MICRO SKIP M1},
    [OUT_1M] = {"out-1M", T_OUT, MICRO LARGE M1},
    [IN_1M] = {"out-in-1M", T_OUT_IN, MICRO LARGE M1},
    [SCAN_OUT] = {"scan-out", T_OUT, SCAN "vm.page-cluster=0"},
    [SCAN_IN] = {"scan", T_OUT_IN, SCAN "vm.page-cluster=0"},
    [SCAN_OUT_8] = {"scan-8-out", T_OUT, SCAN BATCHED "vm.page-cluster=3"},
    [SCAN_IN_8] = {"scan-8", T_OUT_IN, SCAN BATCHED "vm.page-cluster=3"},
    [SCAN_OUT_32] = {"scan-32-out", T_OUT, SCAN BATCHED "vm.page-cluster=5"},
    [SCAN_IN_32] = {"scan-32", T_OUT_IN, SCAN BATCHED "vm.page-cluster=5"},
    [RANDOM_1] = {"random", T_RANDOM, RANDOM "vm.page-cluster=0 era.zswap.store_batch=1"},
    [RANDOM_8] = {"random-8", T_RANDOM, RANDOM BATCHED "vm.page-cluster=3"},
    [RANDOM_32] = {"random-32", T_RANDOM, RANDOM BATCHED "vm.page-cluster=5"},
    [SYNC_OFF] = {"sync-off", T_OUT_IN, SCAN BATCHED "vm.page-cluster=3 swap.device=pmem"},
    [SYNC_ON] = {"sync-on", T_OUT_IN,
                 SCAN BATCHED "vm.page-cluster=3 swap.device=pmem swap.singlemapped_ra_enabled=1"},
};

/* ---- tables ---- */

static const unsigned sizes[] = {16, 32, 64};

/* Pages that went through zswap as parts of large folios, over all of them. */
static double large_share(const struct repro_matrix *m, size_t c, uint32_t seed, const char *what) {
    char name[64];
    double sum = 0;

    for (unsigned i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "hugepages-%ukB.%s", sizes[i], what);
        sum += repro_value(m, c, seed, name) * sizes[i] / 4;
    }
    snprintf(name, sizeof(name), "vmstat.%s", what);
    return sum / repro_value(m, c, seed, name);
}

static double mean_share(const struct repro_matrix *m, size_t c, const char *what) {
    double sum = 0;

    for (uint32_t s = 0; s < m->seeds; s++)
        sum += large_share(m, c, s, what);
    return sum / m->seeds;
}

struct line {
    const char *what, *name;
    double base, patched; /* published */
    double unit;
};

static void print_build(struct repro *r, const struct repro_matrix *m) {
    static const struct line lines[] = {
        {"real s", "time.elapsed_ns", 772.53, 870.61, 1e9},
        {"user s", "time.user_ns", 15780.29, 15836.71, 1e9},
        {"sys s", "time.sys_ns", 5353.20, 6185.02, 1e9},
        {"memcg_high", "memory.events.high", 0, 0, 1},
        {"memcg_swap_fail", "memory.swap.events.fail", 0, 0, 1},
        {"zswpout", "vmstat.zswpout", 93811916, 111663872, 1},
        {"zswpin", "vmstat.zswpin", 27150029, 54730678, 1},
        {"pswpout", "vmstat.pswpout", 64, 59, 1},
        {"pswpin", "vmstat.pswpin", 78, 53, 1},
        {"64kB-mthp_swpout_fallback", "hugepages-64kB.swpout_fallback", 5470, 0, 1},
        {"pgmajfault", "vmstat.pgmajfault", 29019256, 16615820, 1},
        {"swap_ra", "vmstat.swap_ra", 0, 0, 1},
        {"swap_ra_hit", "vmstat.swap_ra_hit", 3004, 3614, 1},
        {"ZSWPOUT-16kB", "hugepages-16kB.zswpout", 1324160, 2252747, 1},
        {"ZSWPOUT-32kB", "hugepages-32kB.zswpout", 730534, 1356640, 1},
        {"ZSWPOUT-64kB", "hugepages-64kB.zswpout", 3039760, 3955034, 1},
        {"ZSWPIN-16kB", "hugepages-16kB.zswpin", 0, 1496916, 1},
        {"ZSWPIN-32kB", "hugepages-32kB.zswpin", 0, 1131176, 1},
        {"ZSWPIN-64kB", "hugepages-64kB.zswpin", 0, 1866884, 1},
    };

    repro_say(r, "%-26s %12s %12s %6s  %10s %10s %6s\n", "build", "published", "large", "ratio",
              "simulated", "large", "ratio");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const struct line *l = &lines[i];
        double b = repro_mean(m, BASE, l->name) / l->unit,
               p = repro_mean(m, PATCHED, l->name) / l->unit;
        int d = l->unit > 1 ? 2 : 0;

        repro_say(r, "%-26s %12.*f %12.*f", l->what, d, l->base, d, l->patched);
        if (l->base > 0)
            repro_say(r, " %6.3f", l->patched / l->base);
        else
            repro_say(r, " %6s", "");
        repro_say(r, "  %10.*f %10.*f", d, b, d, p);
        if (b > 0)
            repro_say(r, " %6.3f", p / b);
        repro_say(r, "\n");
    }
    repro_say(r, "%-26s %11.1f%% %11.1f%% %6s  %9.1f%% %9.1f%%\n", "large share of zswpout", 63.7,
              74.5, "", 100 * mean_share(m, BASE, "zswpout"),
              100 * mean_share(m, PATCHED, "zswpout"));
    repro_say(r, "%-26s %12s %11.1f%% %6s  %10s %9.1f%%\n\n", "large share of zswpin", "", 82.1, "",
              "", 100 * mean_share(m, PATCHED, "zswpin"));
}

static double over(const struct repro_matrix *m, size_t a, size_t b, const char *name) {
    return repro_mean(m, a, name) / repro_mean(m, b, name);
}

static bool killed(const struct repro_matrix *m, size_t c) {
    for (uint32_t s = 0; s < m->seeds; s++)
        if (m->result[c * m->seeds + s].outcome != MACHINE_DONE)
            return true;
    return false;
}

static void print_variants(struct repro *r, const struct repro_matrix *m) {
    static const struct {
        size_t c, base;
        const char *what;
    } v[] = {{PATCHED, BASE, "large folios"},
             {CAPPED, BASE, "at most 32 KiB"},
             {MARGIN, BASE, "with the margin rule"},
             {READAHEAD_MARGIN, READAHEAD, "the same, page-cluster 3"},
             {GEN_PATCHED, GEN_BASE, "multi-gen LRU"},
             {WIDE_PATCHED, WIDE_BASE, "without pressure"},
             {SIBLING_IAA, BASE, "unpatched, IAA over zstd"}};

    repro_say(r, "%-26s %7s %7s %9s %9s %10s\n", "ratios, simulated", "real", "sys", "zswpout",
              "zswpin", "pgmajfault");
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        static const char *const names[] = {"time.elapsed_ns", "time.sys_ns", "vmstat.zswpout",
                                            "vmstat.zswpin", "vmstat.pgmajfault"};
        static const int width[] = {7, 7, 9, 9, 10};

        repro_say(r, "%-26s", v[i].what);
        if (killed(m, v[i].c) || killed(m, v[i].base)) {
            repro_say(r, " runs out of memory\n");
            continue;
        }
        for (int k = 0; k < 5; k++) {
            if (repro_mean(m, v[i].base, names[k]) > 0)
                repro_say(r, " %*.3f", width[k], over(m, v[i].c, v[i].base, names[k]));
            else
                repro_say(r, " %*s", width[k], "-");
        }
        repro_say(r, "\n");
    }
    repro_say(
        r,
        "ratios, published: 16+32+64 KiB, another build, page-cluster 3 (U. Arif, 23 Oct 2024)\n"
        "%-26s %7.3f %7.3f %9.3f %9.3f %10.3f\n"
        "%-26s %7s %7.3f %9s %9.3f\n"
        "%-26s %7.3f %7.3f %9.3f %9.3f\n\n",
        "large folios", 1.004, 1.037, 1.108, 1.860, 0.716, "with the margin rule", "", 0.967, "",
        1.81, "unpatched, IAA over zstd", 801.25 / 812.38, 4250.34 / 5283.64,
        106798327.0 / 91540018.0, 31542093.0 / 26421271.0);
    repro_say(r,
              "calibration: loads a store %.3f (0.289 published), stores a second of user time "
              "%.0f (5,944),\nlarge share of zswpout %.3f (0.637), hits of readahead %.3f "
              "(0.630), all of the unpatched kernel\n\n",
              repro_mean(m, BASE, "vmstat.zswpin") / repro_mean(m, BASE, "vmstat.zswpout"),
              repro_mean(m, BASE, "vmstat.zswpout") / (repro_mean(m, BASE, "time.user_ns") / 1e9),
              mean_share(m, BASE, "zswpout"),
              repro_mean(m, READAHEAD, "vmstat.swap_ra_hit") /
                  repro_mean(m, READAHEAD, "vmstat.swap_ra"));
}

/* ---- criteria ---- */

static void judge_ratio(struct repro *r, const struct repro_matrix *m, const char *id,
                        const char *what, size_t c, size_t base, const char *name, double low,
                        double high) {
    double v[REPRO_MAX_SEEDS];

    repro_ratios(m, c, base, name, v);
    repro_judge_runs(r, id, what, v, low, high, 3);
}

/* Time of reading again: with it less without it. */
static void judge_pass(struct repro *r, const struct repro_matrix *m, const char *id,
                       const char *what, size_t in, size_t out, size_t base_in, size_t base_out,
                       double low, double high) {
    double v[REPRO_MAX_SEEDS];

    for (uint32_t s = 0; s < m->seeds; s++)
        v[s] =
            (repro_value(m, in, s, "time.elapsed_ns") - repro_value(m, out, s, "time.elapsed_ns")) /
            (repro_value(m, base_in, s, "time.elapsed_ns") -
             repro_value(m, base_out, s, "time.elapsed_ns"));
    repro_judge_runs(r, id, what, v, low, high, 3);
}

static void judge_build(struct repro *r, const struct repro_matrix *m) {
    double share[REPRO_MAX_SEEDS], rise[REPRO_MAX_SEEDS], hits[REPRO_MAX_SEEDS],
        device[REPRO_MAX_SEEDS], ra = 0, margin[REPRO_MAX_SEEDS], v[REPRO_MAX_SEEDS];

    judge_ratio(r, m, "S002.1.zswpin", "zswpin, large over base", PATCHED, BASE, "vmstat.zswpin",
                1.4, 2.6);
    judge_ratio(r, m, "S002.1.zswpout", "zswpout", PATCHED, BASE, "vmstat.zswpout", 1.05, 1.40);
    judge_ratio(r, m, "S002.1.pgmajfault", "pgmajfault", PATCHED, BASE, "vmstat.pgmajfault", 0.40,
                0.78);
    judge_ratio(r, m, "S002.1.sys", "system time", PATCHED, BASE, "time.sys_ns", 1.03, 1.30);
    judge_ratio(r, m, "S002.1.real", "real time", PATCHED, BASE, "time.elapsed_ns", 1.00, 1.25);
    judge_ratio(r, m, "S002.1.user", "user time", PATCHED, BASE, "time.user_ns", 0.99, 1.02);
    for (uint32_t s = 0; s < m->seeds; s++) {
        share[s] = large_share(m, PATCHED, s, "zswpin");
        rise[s] =
            100 * (large_share(m, PATCHED, s, "zswpout") - large_share(m, BASE, s, "zswpout"));
        hits[s] = 0;
        device[s] = 0;
        for (size_t c = BASE; c <= PATCHED; c++) {
            ra += repro_value(m, c, s, "vmstat.swap_ra");
            v[s] = repro_value(m, c, s, "vmstat.swap_ra_hit") /
                   repro_value(m, c, s, "vmstat.pgmajfault");
            hits[s] = RF_MAX(hits[s], v[s]);
            v[s] =
                (repro_value(m, c, s, "vmstat.pswpin") + repro_value(m, c, s, "vmstat.pswpout")) /
                repro_value(m, c, s, "vmstat.zswpout");
            device[s] = RF_MAX(device[s], v[s]);
        }
        margin[s] = repro_value(m, PATCHED, s, "vmstat.zswpin") /
                    repro_value(m, MARGIN, s, "vmstat.zswpin");
    }
    repro_judge_runs(r, "S002.2.large_in", "share of large folios in zswpin", share, 0.65, 0.92, 3);
    repro_judge_runs(r, "S002.2.large_out", "rise of their share in zswpout, points", rise, 5, 20,
                     1);
    repro_exact(r, "S002.3.swap_ra", "swap_ra in both", (int64_t)ra, 0);
    repro_judge_runs(r, "S002.3.swap_ra_hit", "swap_ra_hit over pgmajfault, the larger", hits, 0,
                     0.001, 5);
    repro_judge_runs(r, "S002.4.device", "pswpin and pswpout over zswpout, the larger", device, 0,
                     1e-5, 6);
    /* The thread's base reads ahead: 612,070 loads in 385,887 major faults. */
    judge_ratio(r, m, "S002.5.sys", "system time, margin rule over base, page-cluster 3",
                READAHEAD_MARGIN, READAHEAD, "time.sys_ns", 0, 1.02);
    repro_judge_runs(r, "S002.5.zswpin", "zswpin without the margin rule over with it", margin,
                     1.0001, INFINITY, 3);
    judge_ratio(r, m, "S002.6.ample_sys", "without pressure: system time", WIDE_PATCHED, WIDE_BASE,
                "time.sys_ns", 0.98, 1.02);
    judge_ratio(r, m, "S002.6.ample_real", "without pressure: real time", WIDE_PATCHED, WIDE_BASE,
                "time.elapsed_ns", 0.98, 1.02);
}

static void judge_micro(struct repro *r, const struct repro_matrix *m) {
    double ra[REPRO_MAX_SEEDS];

    judge_pass(r, m, "S002.6.reread", "64 MiB read again, 1 MiB folios over 4 KiB", IN_1M, OUT_1M,
               IN_4K, OUT_4K, 0.5, 0.75);
    judge_pass(r, m, "S002.7.scan_8", "scan, batches in windows of 8 over single loads", SCAN_IN_8,
               SCAN_OUT_8, SCAN_IN, SCAN_OUT, 0, 0.6);
    judge_pass(r, m, "S002.7.scan_32", "scan, batches in windows of 32 over single loads",
               SCAN_IN_32, SCAN_OUT_32, SCAN_IN, SCAN_OUT, 0, 0.6);
    judge_ratio(r, m, "S002.7.random_in", "random, window 8: zswpin over that without", RANDOM_8,
                RANDOM_1, "vmstat.zswpin", 1.0001, INFINITY);
    judge_ratio(r, m, "S002.7.random_8", "random, window 8: time", RANDOM_8, RANDOM_1,
                "time.elapsed_ns", 0.98, INFINITY);
    judge_ratio(r, m, "S002.7.random_32", "random, window 32: time", RANDOM_32, RANDOM_1,
                "time.elapsed_ns", 0.98, INFINITY);
    repro_exact(r, "S002.7.sync_off", "synchronous device, knob off: swap_ra",
                (int64_t)repro_mean(m, SYNC_OFF, "vmstat.swap_ra"), 0);
    for (uint32_t s = 0; s < m->seeds; s++)
        ra[s] = repro_value(m, SYNC_ON, s, "vmstat.swap_ra");
    repro_judge_runs(r, "S002.7.sync_on", "the same, knob on", ra, 1, INFINITY, 0);
}

static void run(struct repro *r) {
    struct repro_matrix m = {.configs = configs,
                             .nr_configs = NR_CONFIGS,
                             .common = "kernel=6.13 zswap.enabled=1 zswap.max_pool_percent=90",
                             .nr_traces = NR_TRACES,
                             .write = write_trace,
                             .ctx = &r->scale};

    if (repro_matrix_run(r, &m)) {
        repro_say(r, "scale %g of the original's memory, jobs of %g of theirs\n\n", KBUILD_SCALE,
                  KBUILD_SCALE);
        print_build(r, &m);
        print_variants(r, &m);
        judge_build(r, &m);
        judge_micro(r, &m);
    }
    repro_matrix_free(&m);
}

const struct repro_ops repro_seed_002 = {
    .name = "seed-002",
    .summary = "large folios swapped in from zswap, and loads in batches on IAA",
    .source = "K. P. Sridhar, \"[RFC PATCH v1 6/7] mm: do_swap_page() calls swapin_readahead() "
              "zswap load batching interface\", 18 Oct 2024, and the reply with the table",
    .time = "15 s",
    .random = true,
    .scales = true,
    .run = run,
};
