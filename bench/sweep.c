/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it costs to run many configurations over one trace. 64 of them (memory.max, zswap with two
 * compressors and zram, two kernels) run one after the other, each as a single replay: open the
 * trace, load its contents, replay. Then the same 64 run together on one thread, and on two. The
 * results have to be the same, value by value. Each round does the three in turn; printed are the
 * medians. One JSON object goes to stdout, nothing else.
 *
 *   sweep [ROUNDS [TRACE]]     default 3, the bundled trace of sqlite3
 *
 *   cpu_ratio     CPU time on one thread over that of the single replays
 *   speedup_2     elapsed time on one thread over that on two; needs two idle processors
 *   cpu_2         CPU time on two threads over that on one: what sharing costs
 */
#include "bench/bench.h"
#include "sweep/lockstep.h"

#define POINTS 64u
#define MAX_ROUNDS 25u

static struct trace_reader *open_trace(const char *path, struct content_set **contents) {
    struct trace_reader *r;
    struct rf_err err = {0};

    if (trace_open(path, &r, &err) || trace_load_content(r, contents, &err))
        bench_fail(&err);
    return r;
}

/* 16 sizes of memory, twice two kinds of swap. */
static void configure(struct lockstep_point *p, const struct trace_info *info, uint32_t i) {
    static const char *const kernel[] = {"6.1", "6.12"};
    struct machine_config *c = &p->config;
    struct rf_err err = {0};

    *p = (struct lockstep_point){0};
    if (machine_config_init(c, kernel[i / 16 % 2], &err))
        bench_fail(&err);
    c->footprint_pages = info->footprint_pages;
    c->blocks = info->blocks;
    c->memory_max = (struct rf_amount){.value = 3500 + i % 16 * 400, .kind = AMOUNT_PERCENT};
    if (i / 32) {
        memcpy(c->swap_device, "zram0", sizeof("zram0"));
        memcpy(c->zram_comp_algorithm, "lz4", sizeof("lz4"));
    } else {
        c->zswap_enabled = true;
        memcpy(c->zswap_compressor, "zstd", sizeof("zstd"));
        memcpy(c->zswap_zpool, "zsmalloc", sizeof("zsmalloc"));
    }
    machine_config_set_profile(c, profile_default());
}

static void compare(const struct replay_result *a, const struct replay_result *b, uint32_t point) {
    bool same = a->outcome == b->outcome && a->ops_done == b->ops_done &&
                a->values.n == b->values.n && a->classes.nr == b->classes.nr;

    for (size_t i = 0; same && i < a->values.n; i++)
        same = strcmp(a->values.v[i].name, b->values.v[i].name) == 0 &&
               a->values.v[i].value == b->values.v[i].value;
    if (!same) {
        fprintf(stderr, "sweep: point %u: results differ\n", point);
        exit(3);
    }
}

/* Each alone, as `refault replay` would; CPU seconds. */
static double singles(const char *path, struct lockstep_point *p) {
    double start = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    struct rf_err err = {0};

    for (uint32_t i = 0; i < POINTS; i++) {
        struct content_set *contents;
        struct trace_reader *r = open_trace(path, &contents);
        if (replay_run(r, contents, &p[i].config, NULL, &p[i].result, &err))
            bench_fail(&err);
        trace_close(r);
        content_free(contents);
    }
    return bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
}

struct cost {
    double cpu, wall;
};

/* All together; the results are compared with those of the single replays and freed. */
static struct cost together(const char *path, struct lockstep_point *p, unsigned threads,
                            const struct lockstep_point *single) {
    struct cost c = {.cpu = bench_seconds(CLOCK_PROCESS_CPUTIME_ID),
                     .wall = bench_seconds(CLOCK_MONOTONIC)};
    const struct lockstep_opts opts = {.threads = threads};
    struct content_set *contents;
    struct rf_err err = {0};

    trace_close(open_trace(path, &contents));
    if (lockstep_run(path, contents, p, POINTS, &opts, &err))
        bench_fail(&err);
    content_free(contents);
    c = (struct cost){.cpu = bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - c.cpu,
                      .wall = bench_seconds(CLOCK_MONOTONIC) - c.wall};
    for (uint32_t i = 0; i < POINTS; i++) {
        if (p[i].err.code != RF_OK)
            bench_fail(&p[i].err);
        compare(&single[i].result, &p[i].result, i);
        replay_result_free(&p[i].result);
    }
    return c;
}

int main(int argc, char **argv) {
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 3;
    const char *path = argc > 2 ? argv[2] : REFAULT_SOURCE_DIR "/traces/sqlite.rft";
    static struct lockstep_point single[POINTS], point[POINTS];
    double cpu[MAX_ROUNDS], ratio[MAX_ROUNDS], speedup[MAX_ROUNDS], cpu_2[MAX_ROUNDS];
    struct content_set *contents;

    if (rounds < 1 || rounds > (long)MAX_ROUNDS) {
        fprintf(stderr, "usage: sweep [ROUNDS [TRACE]], 1 to %u rounds\n", MAX_ROUNDS);
        return 2;
    }
    struct trace_reader *r = open_trace(path, &contents);
    for (uint32_t i = 0; i < POINTS; i++) {
        configure(&single[i], trace_reader_info(r), i);
        configure(&point[i], trace_reader_info(r), i);
    }
    trace_close(r);
    content_free(contents);
    uint32_t n = (uint32_t)rounds;
    for (uint32_t i = 0; i < n; i++) {
        double alone = singles(path, single);
        struct cost one = together(path, point, 1, single), two = together(path, point, 2, single);

        for (uint32_t k = 0; k < POINTS; k++)
            replay_result_free(&single[k].result);
        cpu[i] = alone;
        ratio[i] = one.cpu / alone;
        speedup[i] = one.wall / two.wall;
        cpu_2[i] = two.cpu / one.cpu;
    }
    printf("{\"points\":%u,\"single_cpu_s\":%.2f,\"cpu_ratio\":%.3f,\"speedup_2\":%.2f,"
           "\"cpu_2\":%.3f}\n",
           POINTS, bench_median(cpu, n), bench_median(ratio, n), bench_median(speedup, n),
           bench_median(cpu_2, n));
    return 0;
}
