/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seed-001: "mm: zswap: shrink until can accept", Domenico Cerasuolo, v1 of 24 May 2023 and v2 of
 * 26 May 2023 with Johannes Weiner's review; merged for 6.5. Once its pool had been full, zswap
 * refused pages until the pool was below the accept threshold, and evicted one page for each time
 * that the pool was full: so it refused nearly all, without a counter. The mail has a kernel build
 * in a cgroup of 1 GiB on a machine of 32 GiB, with zbud and a pool of 1 %.
 *
 * All five columns are kernel 6.1, which has the code that the patch was made for. The patch as it
 * was posted and as it was merged are fields of the era.
 */
#include "repro/matrix.h"

#include <math.h>
#include <stdlib.h>
#include "gen/workload.h"

/* Of the mail's machine, at --scale 1: 20 million refused stores take too long to simulate. */
#define SIZE 0.25
#define GiB 1073741824.0

enum { NONE, BEFORE, V1, V2, FINAL, NR_CONFIGS };

static const struct {
    const char *name, *set;
} setups[NR_CONFIGS] = {
    [NONE] = {"no zswap", "zswap.enabled=0"},
    [BEFORE] = {"before", "zswap.enabled=1"},
    [V1] = {"v1", "zswap.enabled=1 era.zswap.queue_on_refusal=1 era.zswap.shrink_mode=v1"},
    [V2] = {"v2", "zswap.enabled=1 era.zswap.queue_on_refusal=1 era.zswap.shrink_mode=v2"},
    [FINAL] = {"final",
               "zswap.enabled=1 era.zswap.queue_on_refusal=1 era.zswap.shrink_mode=until-accept"},
};

/* ---- the mail's table ---- */

/* A row: a figure of the simulation times `factor`, and what the mail has; NaN where it has none.
 * The mail's figures for the patch were printed with v1 and again with v2. */
struct row {
    const char *label, *figure;
    double factor;
    unsigned decimals;
    double mail[NR_CONFIGS];
};
#define NO ((double)NAN)
static const struct row rows[] = {
    {"real, s", "time.elapsed_ns", 1e-9, 1, {2786, 3364, 2197, NO, NO}},
    {"user, s", "time.user_ns", 1e-9, 1, {2104, 2113, 2108, NO, NO}},
    {"sys, s", "time.sys_ns", 1e-9, 1, {457, 523, 572, NO, NO}},
    {"written_back_pages", "zswap.written_back_pages", 1, 0, {NO, 18, 10459423, NO, NO}},
    {"reject_reclaim_fail", "zswap.reject_reclaim_fail", 1, 0, {NO, 0, 12896, NO, NO}},
    {"pool_limit_hit", "zswap.pool_limit_hit", 1, 0, {NO, 1478, 75653, NO, NO}},
    {"refused, not counted", "x.reject_hysteresis", 1, 0, {NO, 21578266 - 1478, NO, NO, NO}},
    {"zswpout", "vmstat.zswpout", 1, 0, {NO, NO, NO, NO, NO}},
    {"zswpin", "vmstat.zswpin", 1, 0, {NO, NO, NO, NO, NO}},
    {"pswpout", "vmstat.pswpout", 1, 0, {NO, NO, NO, NO, NO}},
    {"pswpin", "vmstat.pswpin", 1, 0, {NO, NO, NO, NO, NO}},
    {"age in zswap, s", "x.age_zswap_ns", 1e-9, 2, {NO, NO, NO, NO, NO}},
    {"age on the device, s", "x.age_device_ns", 1e-9, 2, {NO, NO, NO, NO, NO}},
};

static void print_line(struct repro *r, const char *who, const char *label, const double *v,
                       unsigned decimals) {
    repro_say(r, "%-8s%-22s", who, label);
    for (size_t c = 0; c < NR_CONFIGS; c++) {
        if (isnan(v[c]))
            repro_say(r, " %11s", "-");
        else
            repro_say(r, " %11.*f", (int)decimals, v[c]);
    }
    repro_say(r, "\n");
}

static void print_table(struct repro *r, const struct repro_matrix *m) {
    repro_say(r, "%-30s", "");
    for (size_t c = 0; c < NR_CONFIGS; c++)
        repro_say(r, " %11s", setups[c].name);
    repro_say(r, "\n");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double v[NR_CONFIGS];
        bool published = false;

        for (size_t c = 0; c < NR_CONFIGS; c++) {
            v[c] = repro_mean(m, c, rows[i].figure) * rows[i].factor;
            published |= !isnan(rows[i].mail[c]);
        }
        if (published)
            print_line(r, "mail", rows[i].label, rows[i].mail, 0);
        print_line(r, "refault", rows[i].label, v, rows[i].decimals);
    }
    repro_say(r,
              "\nThe mail's sizes are those of a whole machine, refault's of one of %g times the "
              "size;\nratios are compared. Its figures for the patch were measured with v1.\n\n",
              SIZE * r->scale);
}

/* ---- criteria ---- */

/* A figure over another one, for each seed. */
static void quotients(const struct repro_matrix *m, size_t a, const char *over_a, size_t b,
                      const char *over_b, double out[REPRO_MAX_SEEDS]) {
    for (uint32_t s = 0; s < m->seeds; s++)
        out[s] = repro_value(m, a, s, over_a) / repro_value(m, b, s, over_b);
}

static void judge_ratio(struct repro *r, const struct repro_matrix *m, const char *id,
                        const char *what, size_t config, size_t over, const char *figure,
                        double low, double high) {
    double v[REPRO_MAX_SEEDS];

    repro_ratios(m, config, over, figure, v);
    repro_judge_runs(r, id, what, v, low, high, 3);
}

static void judge_times(struct repro *r, const struct repro_matrix *m) {
    judge_ratio(r, m, "S001.1.before_none", "elapsed: before / no zswap (mail 1.207)", BEFORE, NONE,
                "time.elapsed_ns", 1.03, 1.6);
    judge_ratio(r, m, "S001.1.final_none", "elapsed: final / no zswap (mail 0.789)", FINAL, NONE,
                "time.elapsed_ns", 0.60, 0.95);
    judge_ratio(r, m, "S001.1.final_before", "elapsed: final / before (mail 0.653)", FINAL, BEFORE,
                "time.elapsed_ns", 0.45, 0.85);
}

static void judge_counters(struct repro *r, const struct repro_matrix *m) {
    double v[REPRO_MAX_SEEDS];

    quotients(m, BEFORE, "zswap.written_back_pages", BEFORE, "x.reject_hysteresis", v);
    repro_judge_runs(r, "S001.2.written_back",
                     "before: written back / refused without a counter (mail 8e-7)", v,
                     -(double)INFINITY, 1e-4, 7);
    quotients(m, BEFORE, "zswap.pool_limit_hit", BEFORE, "x.reject_hysteresis", v);
    repro_judge_runs(r, "S001.2.pool_limit_hit",
                     "before: pool_limit_hit / refused without a counter (mail 7e-5)", v,
                     -(double)INFINITY, 1e-2, 5);
    quotients(m, FINAL, "zswap.written_back_pages", BEFORE, "zswap.written_back_pages", v);
    repro_judge_runs(r, "S001.3.written_back", "final / before (mail 581079)", v, 1000,
                     (double)INFINITY, 0);
    quotients(m, FINAL, "zswap.reject_reclaim_fail", FINAL, "zswap.written_back_pages", v);
    repro_judge_runs(r, "S001.3.reclaim_fail",
                     "final: reject_reclaim_fail / written back (mail 0.0012)", v,
                     -(double)INFINITY, 0.02, 5);
    quotients(m, BEFORE, "x.reject_hysteresis", FINAL, "x.reject_hysteresis", v);
    repro_judge_runs(r, "S001.3.refused", "refused without a counter: before / final", v, 5,
                     (double)INFINITY, 2);
}

static void judge_ages(struct repro *r, const struct repro_matrix *m) {
    static const struct {
        size_t config;
        const char *id, *what;
        double low, high;
    } wanted[] = {
        {BEFORE, "S001.4.before", "age in zswap less age on the device, s: LRU order inverted", 0,
         (double)INFINITY},
        {FINAL, "S001.4.final", "age in zswap less age on the device, s: LRU order kept",
         -(double)INFINITY, 0},
    };

    for (size_t i = 0; i < 2; i++) {
        double v[REPRO_MAX_SEEDS];

        for (uint32_t s = 0; s < m->seeds; s++)
            v[s] = repro_value(m, wanted[i].config, s, "x.age_looks") > 0
                       ? repro_value(m, wanted[i].config, s, "x.lru_inversion") * 1e-9
                       : (double)NAN;
        repro_judge_runs(r, wanted[i].id, wanted[i].what, v, wanted[i].low, wanted[i].high, 2);
    }
}

static void judge_variants(struct repro *r, const struct repro_matrix *m) {
    judge_ratio(r, m, "S001.5.v2_written_back", "written back: v2 / final", V2, FINAL,
                "zswap.written_back_pages", -(double)INFINITY, 0.999);
    judge_ratio(r, m, "S001.5.final_v1", "elapsed: final / v1", FINAL, V1, "time.elapsed_ns", 0.95,
                1.05);
    judge_ratio(r, m, "S001.6.before_none", "system time: before / no zswap (mail 1.14)", BEFORE,
                NONE, "time.sys_ns", 1, (double)INFINITY);
    judge_ratio(r, m, "S001.6.final_before", "system time: final / before (mail 1.09)", FINAL,
                BEFORE, "time.sys_ns", 1, (double)INFINITY);
}

/* ---- one run of the worker on a pool of its own ---- */

static int never_queued(void *host, struct sim_cpu *cpu, uint32_t slot, uint32_t *folio) {
    (void)host;
    (void)cpu;
    (void)slot;
    (void)folio;
    return -2; /* in the swap cache already: EEXIST */
}

static void queue_nothing(void *host, struct sim_cpu *cpu) {
    (void)host;
    (void)cpu;
}

/* Fills a pool until it is full, with `pages` stores at most, and runs the worker once. */
static int worker_alone(const char *kernel, uint32_t pages, struct zswap_counters *out,
                        struct rf_err *err) {
    static const struct zswap_host_ops host = {.wb_begin = never_queued,
                                               .queue_work = queue_nothing};
    const struct kernel_era *era = era_find(kernel);
    struct content_row row = {.size = {[CODEC_LZO_RLE] = 1500}};
    struct sim_cpu cpu = {0};
    struct zswap_params p = {.ram_pages = 10000, .max_slots = 1000, .host = &host};
    struct zswap *z = NULL;
    int rc;

    if (!era)
        return rf_fail(err, RF_EUSAGE, "kernel %s is not in the table", kernel);
    p.policy = era->zswap;
    p.policy.shrink_mode = ZSWAP_SHRINK_UNTIL_ACCEPT;
    p.policy.queue_on_refusal = true;
    p.zs = era->zs;
    p.knobs = (struct zswap_knobs){.enabled = true,
                                   .compressor = CODEC_LZO_RLE,
                                   .zpool = zpool_find("zbud"),
                                   .max_pool_percent = 1,
                                   .accept_threshold_percent = 90,
                                   .same_filled_pages_enabled = true,
                                   .non_same_filled_pages_enabled = true};
    rc = content_from_rows(&row, 1, &p.content, err);
    if (rc == RF_OK)
        rc = zswap_create(&p, &z, err);
    if (rc == RF_OK) {
        for (uint32_t slot = 1; slot <= pages; slot++)
            (void)zswap_store(z, &cpu, slot, 1, 1);
        zswap_shrink_work(z, &cpu);
        *out = *zswap_counters(z);
    }
    zswap_destroy(z);
    content_free(p.content);
    return rc;
}

static int judge_worker(struct repro *r, struct rf_err *err) {
    static const struct {
        const char *kernel, *lru;
    } eras[] = {{"6.1", "backend"}, {"6.5", "zswap"}};

    for (size_t i = 0; i < 2; i++) {
        struct zswap_counters empty, exist;
        char id[32];
        int rc = worker_alone(eras[i].kernel, 0, &empty, err);

        if (rc == RF_OK)
            rc = worker_alone(eras[i].kernel, 500, &exist, err);
        if (rc != RF_OK)
            return rc;
        snprintf(id, sizeof(id), "S001.5.empty.%s", eras[i].lru);
        repro_exact(r, id, "final, empty LRU: failures until it stops",
                    (int64_t)empty.reject_reclaim_fail, 1);
        snprintf(id, sizeof(id), "S001.5.exist.%s", eras[i].lru);
        repro_exact(r, id, "final, all pages in the swap cache: failures until it stops",
                    (int64_t)exist.reject_reclaim_fail, 16);
        snprintf(id, sizeof(id), "S001.5.steps.%s", eras[i].lru);
        repro_exact(r, id, "... and steps, the one of the empty LRU included",
                    (int64_t)(exist.x_shrink_steps + empty.x_shrink_steps), 17);
    }
    return RF_OK;
}

/* ---- the experiment ---- */

static int write_trace(void *ctx, unsigned which, uint64_t seed, const char *path,
                       struct rf_err *err) {
    const struct repro *r = ctx;
    struct gen_params p;

    (void)which;
    gen_params_init(&p);
    p.seed = seed;
    p.scale = SIZE * r->scale;
    p.kbuild.jobs = 120;
    p.kbuild.parallel = 17;
    p.kbuild.long_lived = 550ull << 20;
    p.kbuild.think_ns = 2000;
    return gen_write(gen_find("kbuild-lite"), &p, path, err);
}

static void run(struct repro *r) {
    const double size = SIZE * r->scale;
    struct repro_config *configs = calloc(NR_CONFIGS, sizeof(*configs));
    struct repro_matrix m = {.configs = configs,
                             .nr_configs = NR_CONFIGS,
                             .nr_traces = 1,
                             .write = write_trace,
                             .ctx = r};

    if (!configs) {
        rf_fail(&r->err, RF_ENOMEM, "no memory for the configurations");
        return;
    }
    for (size_t c = 0; c < NR_CONFIGS; c++) {
        configs[c].name = setups[c].name;
        snprintf(configs[c].set, sizeof(configs[c].set), "%s", setups[c].set);
    }
    /* A quarter of the cgroup is page cache, which is not modelled. */
    snprintf(m.common, sizeof(m.common),
             "kernel=6.1 machine.cpus=4 machine.ram=%.0f memory.max=%.0f swap.size=%.0f "
             "swap.device=vdisk zswap.compressor=lzo-rle zswap.zpool=zbud "
             "zswap.max_pool_percent=1",
             32 * GiB * size, 0.75 * GiB * size, 5 * GiB * size);
    if (repro_matrix_run(r, &m)) {
        print_table(r, &m);
        judge_times(r, &m);
        judge_counters(r, &m);
        judge_ages(r, &m);
        judge_variants(r, &m);
        (void)judge_worker(r, &r->err);
    }
    repro_matrix_free(&m);
    free(configs);
}

const struct repro_ops repro_seed_001 = {
    .name = "seed-001",
    .summary = "zswap refuses pages for ever once it was full, against shrinking until it accepts",
    .source = "Domenico Cerasuolo, \"mm: zswap: shrink until can accept\", v1 of 24 May 2023 and "
              "v2 of 26 May 2023",
    .time = "35 s",
    .random = true,
    .scales = true,
    .run = run,
};
