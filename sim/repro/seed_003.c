/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seed-003: "mm: reuse the unshared swapcache page in do_wp_page", Liang Zhang, 13 and 14 January
 * 2022. From 5.9 on a page that was first read from swap, and so is still in the swap cache, is
 * copied by the first store to it. The mail measures 16 guests with Redis in a v1 cgroup of 100
 * GiB that hold 116.8 GiB, and shows that reuse brings 41 % more requests.
 *
 * At scale 1 the machine is 1/256 of the mail's: 16 guests at 1/256 of their size, on a drive that
 * is not scaled. One pass of the clients fills the database, two equal ones are measured.
 */
#include "repro/repro.h"

#include <math.h>
#include <stdlib.h>
#include "gen/workload.h"
#include "repro/fork_page.h"
#include "repro/matrix.h"

#define SERVERS 16u
#define PASSES 3u
#define GUEST_SCALE (1.0 / 256)
#define PIPELINE 256.0
/* Bytes of requests and replies as memtier counts them, from Redis' protocol with keys of 37 bytes,
 * the length that makes the mail's 417 bytes a request of its rates. */
#define KEY_BYTES 37.0
#define SET_BYTES (2048 + KEY_BYTES + 42)
#define GET_BYTES (KEY_BYTES + 25)
#define HIT_BYTES 2057.0
#define MISS_BYTES 5.0

enum trace { UNIFORM, GAUSSIAN, STORES, NR_TRACES };
enum config {
    W1,
    PATCHED,
    WILLY,
    W0,
    W2,
    W3,
    W1_514,
    G_W1,
    G_PATCHED,
    S_W0, /* on a device that needs stable pages */
    S_W1,
    S_PATCHED,
    S_WILLY,
    S_W2,
    S_W3,
    A_W1, /* all accesses are stores */
    A_PATCHED,
    Z_W1, /* a synchronous device */
    Z_PATCHED,
    NR_CONFIGS
};

#define RULE(r) "era.fault.wp_rule=" r
#define SINCE_5_18                                                                                 \
    " era.fault.drain_on_write=1 era.fault.free_swap_on_write=1 era.fault.free_idle_after_cow=1"
#define STABLE " swap.device=ssd swap.stable_writes=1"
#define SYNC " swap.device=zram0 zram0.comp_algorithm=lz4"

static const struct repro_config configs[NR_CONFIGS] = {
    [W1] = {"w1", UNIFORM, RULE("w1")},
    [PATCHED] = {"patched", UNIFORM, RULE("w1-seed")},
    [WILLY] = {"willy", UNIFORM, RULE("w1-willy")},
    [W0] = {"w0", UNIFORM, RULE("w0")},
    [W2] = {"w2", UNIFORM, RULE("w2") SINCE_5_18},
    [W3] = {"w3", UNIFORM, RULE("w3") SINCE_5_18},
    [W1_514] = {"w1-5.14", UNIFORM, RULE("w1") " era.fault.free_idle_after_cow=1"},
    [G_W1] = {"gaussian-w1", GAUSSIAN, RULE("w1")},
    [G_PATCHED] = {"gaussian-patched", GAUSSIAN, RULE("w1-seed")},
    [S_W0] = {"stable-w0", UNIFORM, RULE("w0") STABLE},
    [S_W1] = {"stable-w1", UNIFORM, RULE("w1") STABLE},
    [S_PATCHED] = {"stable-patched", UNIFORM, RULE("w1-seed") STABLE},
    [S_WILLY] = {"stable-willy", UNIFORM, RULE("w1-willy") STABLE},
    [S_W2] = {"stable-w2", UNIFORM, RULE("w2") SINCE_5_18 STABLE},
    [S_W3] = {"stable-w3", UNIFORM, RULE("w3") SINCE_5_18 STABLE},
    [A_W1] = {"stores-w1", STORES, RULE("w1")},
    [A_PATCHED] = {"stores-patched", STORES, RULE("w1-seed")},
    [Z_W1] = {"sync-w1", UNIFORM, RULE("w1") SYNC},
    [Z_PATCHED] = {"sync-patched", UNIFORM, RULE("w1-seed") SYNC},
};

/* ---- what was published: averages of a guest ---- */

static const struct {
    const char *name;
    double base, patched;
} mail[] = {{"ops/s", 109497, 155428},
            {"hits/s", 8653, 12283},
            {"misses/s", 90889, 129014},
            {"latency ms", 2.297, 1.603},
            {"KB/s", 44569, 63186}};
#define NR_ROWS (sizeof(mail) / sizeof(mail[0]))
#define MAIL_MEMSW 125403303936.0

/* ---- running ---- */

struct experiment {
    struct repro_matrix m;
    double scale;
    /* [trace][seed] */
    struct gen_redis_pass pass[NR_TRACES][REPRO_MAX_SEEDS][PASSES];
    /* [config * seeds + seed] */
    rf_time (*took)[SERVERS];
};

static int write_trace(void *ctx, unsigned which, uint64_t seed, const char *path,
                       struct rf_err *err) {
    struct experiment *x = ctx;
    struct gen_params p;

    gen_params_init(&p);
    p.seed = seed;
    p.zstd_level = 1;
    if (which == STORES) {
        p.pages = (uint64_t)(32768 * x->scale);
        p.ops = 12 * p.pages;
        p.theta = 0;
        p.writes_permille = 1000;
        p.fill = true;
        return gen_write(gen_find("zipf"), &p, path, err);
    }
    p.scale = GUEST_SCALE * x->scale;
    p.redis.servers = SERVERS;
    p.redis.passes = PASSES;
    p.redis.gaussian = which == GAUSSIAN;
    p.redis.pass = x->pass[which][seed - 1];
    return gen_write(gen_find("redis-memtier"), &p, path, err);
}

static uint64_t count_from(void *ctx, unsigned which, uint64_t seed) {
    const struct experiment *x = ctx;

    return which == STORES ? (uint64_t)(32768 * x->scale)
                           : x->pass[which][seed - 1][1].first_access;
}

static void look(void *ctx, size_t index, bool ended, const struct machine *m) {
    struct experiment *x = ctx;

    for (uint32_t i = 0; i < SERVERS; i++)
        x->took[index][i] = ended ? machine_process_now(m, i) - x->took[index][i] : machine_now(m);
}

/* ---- figures of a run, averages of a server ---- */

struct figures {
    double v[NR_ROWS]; /* rows of the mail's table */
};

static struct figures figures_of(const struct experiment *x, enum config c, uint32_t seed) {
    const struct gen_redis_pass *pass = x->pass[configs[c].trace][seed];
    double sets = 0, hits = 0, misses = 0;
    struct figures f = {{0}};

    for (unsigned i = 1; i < PASSES; i++) {
        sets += (double)pass[i].sets / SERVERS;
        hits += (double)pass[i].hits / SERVERS;
        misses += (double)pass[i].misses / SERVERS;
    }
    double ops = sets + hits + misses;
    double bytes = sets * (SET_BYTES + MISS_BYTES) + hits * (GET_BYTES + HIT_BYTES) +
                   misses * (GET_BYTES + MISS_BYTES);
    for (uint32_t i = 0; i < SERVERS; i++) {
        double s = (double)x->took[c * x->m.seeds + seed][i] / 1e9;
        f.v[0] += ops / s / SERVERS;
        f.v[1] += hits / s / SERVERS;
        f.v[2] += misses / s / SERVERS;
        /* The client always has a full pipeline in flight (Little's law). */
        f.v[3] += PIPELINE / (ops / s) * 1000 / SERVERS;
        f.v[4] += bytes / 1024 / s / SERVERS;
    }
    return f;
}

static double mean_figure(const struct experiment *x, enum config c, size_t row) {
    double sum = 0;

    for (uint32_t s = 0; s < x->m.seeds; s++)
        sum += figures_of(x, c, s).v[row];
    return sum / x->m.seeds;
}

static void ratios(const struct experiment *x, enum config c, enum config over, size_t row,
                   double out[REPRO_MAX_SEEDS]) {
    for (uint32_t s = 0; s < x->m.seeds; s++)
        out[s] = figures_of(x, c, s).v[row] / figures_of(x, over, s).v[row];
}

static double growth(const struct experiment *x, enum config c, const char *name) {
    double sum = 0;

    for (uint32_t s = 0; s < x->m.seeds; s++)
        sum += repro_growth(&x->m, c, s, name);
    return sum / x->m.seeds;
}

/* ---- tables ---- */

static void print_mail(struct repro *r, const struct experiment *x, enum config base,
                       enum config patched, bool published) {
    repro_say(r, "%-12s %10s %10s %7s", "a guest", "baseline", "patched", "ratio");
    repro_say(r, published ? "   %10s %10s %7s\n" : "\n", "mail", "patched", "ratio");
    for (size_t i = 0; i < NR_ROWS; i++) {
        int decimals = i == 3 ? 3 : 0;
        double b = mean_figure(x, base, i), p = mean_figure(x, patched, i);

        repro_say(r, "%-12s %10.*f %10.*f %7.3f", mail[i].name, decimals, b, decimals, p, p / b);
        if (published)
            repro_say(r, "   %10.*f %10.*f %7.3f", decimals, mail[i].base, decimals,
                      mail[i].patched, mail[i].patched / mail[i].base);
        repro_say(r, "\n");
    }
    repro_say(r, "\n");
}

static double charged_gib(const struct experiment *x, enum config c) {
    return repro_mean(&x->m, c, "memory.memsw.usage_in_bytes") / SERVERS / GUEST_SCALE / x->scale /
           (1 << 30);
}

static void print_configs(struct repro *r, const struct experiment *x) {
    repro_say(r, "%-17s %8s %9s %9s %9s %9s %9s %7s\n", "measured part", "ops/s", "majfault",
              "pswpin", "pswpout", "pgreuse", "copies", "unsafe");
    for (int c = 0; c < NR_CONFIGS; c++) {
        enum config k = (enum config)c;

        repro_say(r, "%-17s ", configs[c].name);
        if (configs[c].trace == STORES)
            repro_say(r, "%8s ", "-");
        else
            repro_say(r, "%8.0f ", mean_figure(x, k, 0));
        repro_say(r, "%9.0f %9.0f %9.0f %9.0f %9.0f %7.0f\n", growth(x, k, "vmstat.pgmajfault"),
                  growth(x, k, "vmstat.pswpin"), growth(x, k, "vmstat.pswpout"),
                  growth(x, k, "vmstat.pgreuse"), growth(x, k, "x.cow_copies"),
                  growth(x, k, "x.stable_page_violations"));
    }
    repro_say(r, "unsafe: pages that became writable while a device that needs them stable wrote "
                 "them\n");
    repro_say(r,
              "memory and swap charged at the end, of a guest at full scale: w1 %.2f, patched "
              "%.2f GiB (mail %.2f)\n\n",
              charged_gib(x, W1), charged_gib(x, PATCHED), MAIL_MEMSW / 16 / (1 << 30));
}

/* ---- criteria ---- */

static void judge_speed(struct repro *r, const struct experiment *x) {
    static const char *const names[] = {[W0] = "w0", [W2] = "w2", [W3] = "w3", [WILLY] = "willy"};
    double v[REPRO_MAX_SEEDS], w[REPRO_MAX_SEEDS];
    char id[32], what[96];

    ratios(x, PATCHED, W1, 0, v);
    repro_judge_runs(r, "S003.1.throughput", "requests/s, patched over W1 (mail 1.419)", v, 1.15,
                     1.80, 3);
    ratios(x, PATCHED, W1, 3, w);
    for (uint32_t s = 0; s < x->m.seeds; s++)
        w[s] *= v[s];
    repro_judge_runs(r, "S003.1.latency", "ratio of latencies times ratio of requests/s", w, 0.98,
                     1.02, 3);
    for (uint32_t s = 0; s < x->m.seeds; s++) {
        struct figures f = figures_of(x, PATCHED, s), b = figures_of(x, W1, s);
        v[s] = f.v[1] / (f.v[1] + f.v[2]);
        w[s] = v[s] / (b.v[1] / (b.v[1] + b.v[2]));
    }
    repro_judge_runs(r, "S003.1.hit-ratio", "hits of all GETs (mail 0.0869)", v, 0.085, 0.089, 4);
    repro_judge_runs(r, "S003.1.hit-unchanged", "hit ratio, patched over W1", w, 0.9999, 1.0001, 4);
    for (int c = WILLY; c <= W3; c++) {
        snprintf(id, sizeof(id), "S003.3.%s", names[c]);
        snprintf(what, sizeof(what), "requests/s, %s over patched", names[c]);
        ratios(x, (enum config)c, PATCHED, 0, v);
        repro_judge_runs(r, id, what, v, 0.95, 1.05, 3);
    }
    ratios(x, W1_514, W1, 0, v);
    repro_judge_runs(r, "S003.5.above", "requests/s, W1 of 5.14 over W1 of 5.10", v, 1, INFINITY,
                     3);
    ratios(x, W1_514, PATCHED, 0, v);
    repro_judge_runs(r, "S003.5.below", "requests/s, W1 of 5.14 over patched", v, 0, 1, 3);
    ratios(x, G_PATCHED, G_W1, 0, v);
    repro_judge_runs(r, "S003.1.gaussian", "requests/s with Gaussian keys, patched over W1", v, 1,
                     1.80, 3);
}

static void judge_counters(struct repro *r, const struct experiment *x) {
    double copies[REPRO_MAX_SEEDS], reuse[REPRO_MAX_SEEDS], out[REPRO_MAX_SEEDS];

    for (uint32_t s = 0; s < x->m.seeds; s++) {
        copies[s] = repro_growth(&x->m, W1, s, "x.cow_copies") /
                    RF_MAX(repro_growth(&x->m, PATCHED, s, "x.cow_copies"), 1.0);
        reuse[s] = repro_growth(&x->m, PATCHED, s, "vmstat.pgreuse") -
                   repro_growth(&x->m, W1, s, "vmstat.pgreuse");
        out[s] = repro_growth(&x->m, W1, s, "vmstat.pswpout") /
                 repro_growth(&x->m, PATCHED, s, "vmstat.pswpout");
    }
    repro_judge_runs(r, "S003.2.copies", "copied pages, W1 over patched", copies, 10, INFINITY, 0);
    repro_judge_runs(r, "S003.2.pgreuse", "pgreuse, patched less W1", reuse, 1, INFINITY, 0);
    repro_judge_runs(r, "S003.2.pswpout", "pswpout, W1 over patched", out, 1.10, INFINITY, 2);
}

static void judge_safety(struct repro *r, const struct experiment *x) {
    double v[REPRO_MAX_SEEDS];
    char id[32], what[96];

    for (int c = S_W0; c <= S_W3; c++) {
        for (uint32_t s = 0; s < x->m.seeds; s++)
            v[s] = repro_value(&x->m, (size_t)c, s, "x.stable_page_violations");
        snprintf(id, sizeof(id), "S003.4.%s", configs[c].name);
        snprintf(what, sizeof(what), "pages made writable while being written, %s",
                 configs[c].name);
        repro_judge_runs(r, id, what, v, c == S_WILLY ? 1 : 0, c == S_WILLY ? INFINITY : 0, 0);
    }
}

static void judge_no_gain(struct repro *r, const struct experiment *x) {
    double v[REPRO_MAX_SEEDS];

    for (uint32_t s = 0; s < x->m.seeds; s++)
        v[s] = repro_growth(&x->m, A_W1, s, "time.elapsed_ns") /
               repro_growth(&x->m, A_PATCHED, s, "time.elapsed_ns");
    repro_judge_runs(r, "S003.7.stores", "speed where all accesses are stores, patched over W1", v,
                     0.99, 1.01, 3);
    ratios(x, Z_PATCHED, Z_W1, 0, v);
    repro_judge_runs(r, "S003.7.synchronous", "requests/s on zram, patched over W1", v, 0.99, 1.01,
                     3);
}

static void judge_fork(struct repro *r) {
    static const char *const names[] = {"w0", "w1", "patched", "willy", "w2", "w3"};

    for (int rule = WP_W0; rule <= WP_W3; rule++) {
        for (int swapped = 0; swapped < 2; swapped++) {
            struct fork_page f;
            char id[32], what[96];

            if (fork_page_run((uint8_t)rule, swapped, &f, &r->err) != RF_OK)
                return;
            if (rule == WP_W1_WILLY && swapped) {
                repro_say(r,
                          "willy makes %llu page writable that a child shares by a swap entry: it "
                          "does not look at the swap map\n\n",
                          (unsigned long long)f.violations);
                continue;
            }
            snprintf(id, sizeof(id), "S003.6.%s%s", names[rule], swapped ? ".swapped" : "");
            snprintf(what, sizeof(what), "copies of a page that a child shares%s, %s",
                     swapped ? " by a swap entry" : "", names[rule]);
            repro_exact(r, id, what, (int64_t)f.copies, 1);
        }
    }
}

static void run(struct repro *r) {
    struct experiment *x = calloc(1, sizeof(*x));

    if (x)
        x->took = calloc((size_t)NR_CONFIGS * r->seeds, sizeof(*x->took));
    if (!x || !x->took) {
        free(x);
        rf_fail(&r->err, RF_ENOMEM, "no memory for an experiment");
        return;
    }
    x->scale = r->scale;
    x->m = (struct repro_matrix){.configs = configs,
                                 .nr_configs = NR_CONFIGS,
                                 .nr_traces = NR_TRACES,
                                 .write = write_trace,
                                 .count_from = count_from,
                                 .look = look,
                                 .ctx = x};
    snprintf(x->m.common, sizeof(x->m.common),
             "kernel=5.10 machine.cpus=%u machine.guests=1 machine.ram=%.0fM "
             "memory.limit_in_bytes=85.6%%",
             SERVERS, 2048 * r->scale);
    if (repro_matrix_run(r, &x->m)) {
        print_mail(r, x, W1, PATCHED, true);
        repro_say(r, "the same with Gaussian keys\n");
        print_mail(r, x, G_W1, G_PATCHED, false);
        print_configs(r, x);
        judge_speed(r, x);
        judge_counters(r, x);
        judge_safety(r, x);
        judge_fork(r);
        judge_no_gain(r, x);
    }
    repro_matrix_free(&x->m);
    free(x->took);
    free(x);
}

const struct repro_ops repro_seed_003 = {
    .name = "seed-003",
    .summary = "do_wp_page: copying pages that were read from swap, against reusing them",
    .source = "Liang Zhang, mm: reuse the unshared swapcache page in do_wp_page, 13 Jan 2022",
    .time = "20 s",
    .random = true,
    .scales = true,
    .run = run,
};
