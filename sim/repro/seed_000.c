/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seed-000: "mm, zswap: Support THP", Hui Zhu, 2019; the figures are in his answer of 11 November
 * 2019. zswap takes a huge page as a whole (T), against splitting every huge page in reclaim and
 * storing its pages one by one (S). The kernel of the day (U) writes huge pages to the device
 * whole, past zswap. A virtual machine with 1 CPU, 1 GiB of memory and a swap file runs
 * `usemem -a -n 1 2097152000` with lz4 and zsmalloc.
 *
 * The companion is "mm, zswap: add shrink_enabled", Hui Zhu, 25 October 2019: the same machine, and
 * 4000 MiB without huge pages, with z3fold, whose pages the storing task evicts when the pool is
 * full, against refusing.
 */
#include "repro/matrix.h"

#include <math.h>
#include <stdlib.h>
#include "gen/workload.h"

#define MiB 1048576.0
/* What the mail's machine has for the workload and zswap; its MemTotal is about 990 MiB. */
#define FREE_MIB 900.0
/* khugepaged raises it to 11264 pages on 1 GiB: 11 blocks of 512 pages in each of two zones. */
#define MIN_FREE_KB 45056.0

enum { S, T, U, S_ROOM, T_ROOM, S_ROT, T_ROT, SYNC, NO_SHRINK, NR_CONFIGS };
enum { MAIN, ROOM, COMPANION, NR_TRACES };

static const double sizes[NR_TRACES] = {[MAIN] = 2000, [ROOM] = 1300, [COMPANION] = 4000};

#define THP "thp.enabled=always thp.defrag=always zswap.compressor=lz4 zswap.zpool=zsmalloc "
#define SPLIT "era.reclaim.split_thp=1 "
#define WHOLE "era.zswap.thp_store=1 "
/* Percentages are of 900 MiB here: 50 and 20 % of 990 MiB. */
#define HALF "zswap.max_pool_percent=55 "
#define FIFTH "zswap.max_pool_percent=22 "

static const struct repro_config setups[NR_CONFIGS] = {
    [S] = {"S: split first", MAIN, THP HALF SPLIT},
    [T] = {"T: whole", MAIN, THP HALF WHOLE},
    [U] = {"U: as it was", MAIN, THP HALF},
    [S_ROOM] = {"S, never full", ROOM, THP SPLIT "zswap.max_pool_percent=100"},
    [T_ROOM] = {"T, never full", ROOM, THP WHOLE "zswap.max_pool_percent=100"},
    [S_ROT] = {"S, rotational", MAIN, THP HALF SPLIT "swap.rotational=1"},
    [T_ROT] = {"T, rotational", MAIN, THP HALF WHOLE "swap.rotational=1"},
    [SYNC] = {"sync shrink", COMPANION, FIFTH "zswap.zpool=z3fold zswap.compressor=lz4"},
    [NO_SHRINK] = {"no shrink", COMPANION,
                   FIFTH "zswap.zpool=z3fold zswap.compressor=lz4 era.zswap.backend_evicts=0"},
};

/* ---- tables ---- */

/* usemem counts an eighth more than it writes: 2000 MiB are 2359296000 bytes to it. */
static double kb_per_s(const struct repro *r, const struct repro_matrix *m, size_t config) {
    double bytes = sizes[m->configs[config].trace] * MiB * r->scale * 9 / 8;

    return bytes / 1024 / (repro_mean(m, config, "time.elapsed_ns") * 1e-9);
}

static void print_runs(struct repro *r, const struct repro_matrix *m) {
    static const struct {
        size_t config;
        const char *mail;
    } rows[] = {
        {S, "3384272 3288668 3402337 3299039"},
        {T, "2799385 2794564 3000326"},
        {U, "-"},
        {S_ROOM, "-"},
        {T_ROOM, "-"},
        {S_ROT, "-"},
        {T_ROT, "-"},
        {SYNC, "(40091 KB/s)"},
        {NO_SHRINK, "(521425 KB/s)"},
    };

    repro_say(r, "%-16s %-32s %10s %9s %8s %8s %10s %8s\n", "usemem", "usecs, mail", "refault",
              "KB/s", "stored", "refused", "thp_swpout", "splits");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t c = rows[i].config;

        repro_say(r, "%-16s %-32s %10.0f %9.0f %8.0f %8.0f %10.0f %8.0f\n", setups[c].name,
                  rows[i].mail, repro_mean(m, c, "time.elapsed_ns") * 1e-3, kb_per_s(r, m, c),
                  repro_mean(m, c, "x.zswap.stores"),
                  repro_mean(m, c, "x.zswap.attempts") - repro_mean(m, c, "x.zswap.stores"),
                  repro_mean(m, c, "vmstat.thp_swpout"), repro_mean(m, c, "vmstat.thp_split_page"));
    }
    repro_say(r, "\nKB/s as usemem counts: 9/8 of what it writes. stored and "
                 "refused are pages.\n\n");
}

/* ---- criteria ---- */

static double value(const struct repro_matrix *m, size_t config, uint32_t seed, const char *name) {
    return repro_value(m, config, seed, name);
}

static double refused(const struct repro_matrix *m, size_t config, uint32_t seed) {
    return value(m, config, seed, "x.zswap.attempts") - value(m, config, seed, "x.zswap.stores");
}

/* Elapsed time of a over that of b: throughput of b over that of a. */
static void judge_gain(struct repro *r, const struct repro_matrix *m, const char *id,
                       const char *what, size_t a, size_t b, double low, double high) {
    double v[REPRO_MAX_SEEDS];

    repro_ratios(m, a, b, "time.elapsed_ns", v);
    repro_judge_runs(r, id, what, v, low, high, 3);
}

static void judge_gains(struct repro *r, const struct repro_matrix *m) {
    const double inf = (double)INFINITY;

    judge_gain(r, m, "S000.1.throughput", "throughput: T / S (mail 1.168)", S, T, 1.08, 1.30);
    judge_gain(r, m, "S000.6.never_full", "... with room for all in the pool", S_ROOM, T_ROOM, 1.05,
               inf);
    judge_gain(r, m, "S000.6.rotational", "... on a device without clusters", S_ROT, T_ROT, 0.98,
               1.02);
    judge_gain(r, m, "S000.7.sync_shrink", "throughput: no shrink / sync shrink (mail 13.0)", SYNC,
               NO_SHRINK, 5, inf);
}

static void judge_splits(struct repro *r, const struct repro_matrix *m) {
    double whole[REPRO_MAX_SEEDS], splits[REPRO_MAX_SEEDS], extra[REPRO_MAX_SEEDS];
    double stored[REPRO_MAX_SEEDS], written[REPRO_MAX_SEEDS];

    for (uint32_t s = 0; s < m->seeds; s++) {
        whole[s] = value(m, S, s, "vmstat.thp_swpout");
        splits[s] =
            value(m, S, s, "vmstat.thp_split_page") * 512 / value(m, S, s, "vmstat.pgsteal_anon");
        extra[s] =
            value(m, T, s, "vmstat.thp_split_page") - value(m, T, s, "vmstat.thp_swpout_fallback");
        stored[s] = value(m, U, s, "x.zswap.stores") / value(m, U, s, "vmstat.pgsteal_anon");
        written[s] = value(m, U, s, "vmstat.thp_swpout");
    }
    repro_judge_runs(r, "S000.2.S.thp_swpout", "S: huge pages written whole", whole, 0, 0, 0);
    repro_judge_runs(r, "S000.2.S.splits", "S: pages of split huge pages / pages reclaimed", splits,
                     0.95, 1.05, 3);
    repro_judge_runs(r, "S000.2.T.splits", "T: splits that no lack of a cluster explains", extra, 0,
                     0, 0);
    repro_judge_runs(r, "S000.U.stored", "U: pages stored / pages reclaimed", stored, 0, 0.01, 4);
    repro_judge_runs(r, "S000.U.thp_swpout", "U: huge pages written whole", written, 1,
                     (double)INFINITY, 0);
}

static void judge_zswap(struct repro *r, const struct repro_matrix *m) {
    double hits[REPRO_MAX_SEEDS], stored[REPRO_MAX_SEEDS], out[REPRO_MAX_SEEDS];
    double locks_s[REPRO_MAX_SEEDS], locks_t[REPRO_MAX_SEEDS];

    for (uint32_t s = 0; s < m->seeds; s++) {
        hits[s] = value(m, S, s, "zswap.pool_limit_hit") / value(m, T, s, "zswap.pool_limit_hit");
        stored[s] = value(m, S, s, "x.zswap.stores") / value(m, T, s, "x.zswap.stores");
        out[s] = refused(m, S, s) / refused(m, T, s);
        locks_s[s] = value(m, S, s, "x.tree_lock_acquisitions") / value(m, S, s, "x.zswap.stores");
        locks_t[s] = value(m, T, s, "x.tree_lock_acquisitions") / value(m, T, s, "x.zswap.stores");
    }
    repro_judge_runs(r, "S000.3.pool_limit_hit", "pool_limit_hit: S / T", hits, 300, 512, 0);
    repro_judge_runs(r, "S000.4.stored", "pages stored: S / T", stored, 0.97, 1.03, 3);
    repro_judge_runs(r, "S000.4.refused", "pages refused: S / T", out, 0.97, 1.03, 3);
    repro_judge_runs(r, "S000.5.S.tree_lock", "S: tree lock taken per page stored", locks_s, 1,
                     (double)INFINITY, 4);
    repro_judge_runs(r, "S000.5.T.tree_lock", "T: tree lock taken per page stored", locks_t, 0,
                     1.0 / 256, 5);
}

/* ---- the experiment ---- */

static int write_trace(void *ctx, unsigned which, uint64_t seed, const char *path,
                       struct rf_err *err) {
    const struct repro *r = ctx;
    struct gen_params p;

    gen_params_init(&p);
    p.seed = seed;
    p.scale = r->scale;
    p.usemem.bytes = (uint64_t)(sizes[which] * MiB);
    p.usemem.use_malloc = true;
    return gen_write(gen_find("usemem"), &p, path, err);
}

static void run(struct repro *r) {
    struct repro_matrix m = {.configs = setups,
                             .nr_configs = NR_CONFIGS,
                             .nr_traces = NR_TRACES,
                             .write = write_trace,
                             .ctx = r};

    snprintf(m.common, sizeof(m.common),
             "kernel=5.4 machine.cpus=1 machine.ram=%.0f "
             "vm.min_free_kbytes=%.0f swap.device=vdisk swap.size=%.0f zswap.enabled=1 "
             "zswap.same_filled_pages_enabled=0",
             FREE_MIB * MiB * r->scale, MIN_FREE_KB * r->scale, 4096 * MiB * r->scale);
    if (repro_matrix_run(r, &m)) {
        print_runs(r, &m);
        judge_gains(r, &m);
        judge_splits(r, &m);
        judge_zswap(r, &m);
    }
    repro_matrix_free(&m);
}

const struct repro_ops repro_seed_000 = {
    .name = "seed-000",
    .summary = "zswap stores a huge page whole, against splitting it first",
    .source = "Hui Zhu, \"mm, zswap: Support THP\", figures of 11 November 2019; \"mm, zswap: add "
              "shrink_enabled\", 25 October 2019",
    .time = "3 s",
    .random = true,
    .scales = true,
    .run = run,
};
