/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of a fault goes: nanoseconds of this computer, by stage. Stages of the machine are
 * differences between whole runs; modules are called by themselves, over as many objects and in as
 * random an order as a machine of that size would. Each figure is the best of some rounds. One JSON
 * object goes to stdout.
 */
#include "refault/machine.h"
#include "refault/trace_ops.h"
#include "bench/bench.h"

#define ROUNDS 5
#define PAGES 1000000u

static double now_ns(void) {
    return bench_cpu() * 1e9;
}

static uint32_t order[PAGES], value[PAGES];
static struct content_set *contents;

static void shuffle(uint64_t seed) {
    struct rf_rng r;
    rf_rng_seed(&r, seed);
    for (uint32_t i = 0; i < PAGES; i++)
        order[i] = i;
    for (uint32_t i = PAGES - 1; i > 0; i--) {
        uint32_t j = (uint32_t)rf_rng_below(&r, (uint64_t)i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

static void least(double *best, double v) {
    if (v < *best)
        *best = v;
}

static bool first_figure = true;
static void figure(const char *name, double ns) {
    printf("%s\"%s_ns\":%.1f", first_figure ? "{" : ",", name, ns);
    first_figure = false;
}

/* ---- modules ---- */

static struct machine_config config(const char *device, uint32_t percent) {
    struct machine_config c;
    struct rf_err err = {0};
    if (machine_config_init(&c, "6.12", &err))
        bench_fail(&err);
    c.era.reclaim.stat_flush_ns = 0;
    c.footprint_pages = PAGES;
    c.blocks = (PAGES + 511) / 512;
    snprintf(c.swap_device, sizeof(c.swap_device), "%s", device);
    memcpy(c.zram_comp_algorithm, "lz4", sizeof("lz4"));
    machine_config_set_profile(&c, profile_default());
    if (percent < 100)
        c.memory_max = (struct rf_amount){.value = (uint64_t)percent * 100, .kind = AMOUNT_PERCENT};
    return c;
}

static void bench_content(void) {
    double best = 1e18;
    uint32_t sum = 0;
    for (int r = 0; r < ROUNDS; r++) {
        double t = now_ns();
        for (uint32_t i = 0; i < PAGES; i++)
            sum += content_size(contents, order[i] + 1, CODEC_LZ4);
        least(&best, now_ns() - t);
    }
    if (!sum)
        bench_die("all contents are empty");
    figure("content_size", best / PAGES);
}

static void bench_zpool(void) {
    double best_malloc = 1e18, best_free = 1e18;
    const struct zpool_ops *ops = zpool_find("zsmalloc");
    for (int r = 0; r < ROUNDS; r++) {
        struct zpool_params p = {.zs = era_find("6.12")->zs, .name = "bench", .max_objects = PAGES};
        struct zpool *z;
        struct rf_err err = {0};
        if (ops->create(&p, &z, &err))
            bench_fail(&err);
        double t = now_ns();
        for (uint32_t i = 0; i < PAGES; i++) {
            uint32_t len = RF_MIN(content_size(contents, i + 1, CODEC_LZ4), RF_PAGE_SIZE);
            if (ops->malloc(z, len, i, &value[i]) != ZPOOL_OK)
                bench_die("zsmalloc is full");
        }
        least(&best_malloc, now_ns() - t);
        t = now_ns();
        for (uint32_t i = 0; i < PAGES; i++)
            ops->free(z, value[order[i]]);
        least(&best_free, now_ns() - t);
        ops->destroy(z);
    }
    figure("zpool_malloc_with_size", best_malloc / PAGES);
    figure("zpool_free_random", best_free / PAGES);
}

static void bench_zram(void) {
    double best[3] = {1e18, 1e18, 1e18};
    for (int r = 0; r < ROUNDS; r++) {
        struct machine_config c = config("zram0", 100);
        struct zram_params p = {.policy = c.era.zram,
                                .cost = c.cost.zram,
                                .zs = c.era.zs,
                                .name = "bench",
                                .disksize_pages = PAGES,
                                .comp = {CODEC_LZ4, NR_CODECS, NR_CODECS, NR_CODECS},
                                .content = contents};
        struct zram *z;
        struct rf_err err = {0};
        struct sim_cpu cpu = {0};
        uint32_t got;
        if (zram_create(&p, &z, &err))
            bench_fail(&err);
        double t = now_ns();
        for (uint32_t i = 0; i < PAGES; i++)
            if (!zram_write(z, &cpu, i, i + 1))
                bench_die("a zram write failed");
        least(&best[0], now_ns() - t);
        t = now_ns();
        for (uint32_t i = 0; i < PAGES; i++)
            if (!zram_read(z, &cpu, order[i], &got) || got != order[i] + 1)
                bench_die("zram lost a page");
        least(&best[1], now_ns() - t);
        t = now_ns();
        for (uint32_t i = 0; i < PAGES; i++)
            zram_slot_free_notify(z, &cpu, order[i]);
        least(&best[2], now_ns() - t);
        zram_destroy(z);
    }
    figure("zram_write", best[0] / PAGES);
    figure("zram_read_random", best[1] / PAGES);
    figure("zram_free_random", best[2] / PAGES);
}

static void bench_slots(void) {
    double best_alloc = 1e18, best_free = 1e18;
    for (int r = 0; r < ROUNDS; r++) {
        struct swap_params p = {
            .policy = era_find("6.12")->swap, .nr_slots = 2 * PAGES, .cpus = 1, .seed = 1};
        struct swap_area *a;
        struct rf_err err = {0};
        bool refilled;
        if (swap_area_create(&p, NULL, NULL, &a, &err))
            bench_fail(&err);
        double t = now_ns();
        for (uint32_t i = 0; i < PAGES; i++)
            value[i] = swap_slot_alloc(a, 0, &refilled);
        least(&best_alloc, now_ns() - t);
        t = now_ns();
        for (uint32_t i = 0; i < PAGES; i++)
            swapcache_free(a, 0, value[order[i]]);
        least(&best_free, now_ns() - t);
        swap_area_destroy(a);
    }
    figure("slot_alloc", best_alloc / PAGES);
    figure("slot_free_random", best_free / PAGES);
}

/* ---- whole machines ---- */

static struct machine *machine_with(const struct machine_config *c) {
    struct machine *m;
    struct rf_err err = {0};
    if (machine_create(c, contents, &m, &err) || machine_process(m, 0, RF_NONE, &err) ||
        machine_map(m, 0, 0, 0, PAGES, 0x7f0000000ull, TMAP_ANON | TMAP_WRITE, &err) ||
        machine_switch(m, 0, &err))
        bench_fail(&err);
    machine_set_implicit_content(m, true);
    return m;
}

static double run(struct machine *m, uint32_t flag) {
    struct rf_err err = {0};
    size_t done;
    for (uint32_t i = 0; i < PAGES; i++)
        value[i] = order[i] | flag;
    double t = now_ns();
    if (machine_run(m, value, PAGES, &done, &err) || machine_outcome(m) != MACHINE_DONE ||
        done != PAGES)
        bench_die(err.code ? err.msg : "out of memory");
    return (now_ns() - t) / PAGES;
}

struct count {
    const char *name;
    uint64_t value;
};
static void find(void *ctx, enum machine_value_kind kind, const char *name, uint64_t v) {
    struct count *c = ctx;
    if (kind == MV_COUNTER && strcmp(name, c->name) == 0)
        c->value = v;
}
static double counter(const struct machine *m, const char *name) {
    struct count c = {.name = name};
    machine_values(m, find, &c);
    return (double)c.value;
}

static void bench_resident(void) {
    double best[3] = {1e18, 1e18, 1e18};
    struct machine_config c = config("null", 100);
    for (int r = 0; r < ROUNDS; r++) {
        struct machine *m = machine_with(&c);
        least(&best[0], run(m, OP_WRITE));
        least(&best[1], run(m, OP_WRITE));
        machine_destroy(m);
        m = machine_with(&c);
        least(&best[2], run(m, 0));
        machine_destroy(m);
    }
    figure("store_fault_first", best[0]);
    figure("hit_random", best[1]);
    figure("load_fault_first", best[2]);
}

/* Random stores with memory for half of the pages: per swap-in, everything that goes with it. */
static void bench_swap(const char *device, const char *name, const char *in) {
    double best = 1e18, scans = 0, outs = 0;
    struct machine_config c = config(device, 50);
    for (int r = 0; r < 3; r++) {
        struct machine *m = machine_with(&c);
        shuffle(1);
        (void)run(m, OP_WRITE);
        shuffle(2);
        double ins0 = counter(m, in), scan0 = counter(m, "vmstat.pgscan_anon");
        double out0 = counter(m, "vmstat.pswpout");
        double ns = run(m, OP_WRITE) * PAGES, ins = counter(m, in) - ins0;
        best = RF_MIN(best, ns / ins);
        scans = (counter(m, "vmstat.pgscan_anon") - scan0) / ins;
        outs = (counter(m, "vmstat.pswpout") - out0) / ins;
        machine_destroy(m);
    }
    figure(name, best);
    printf(",\"%s_scans\":%.2f,\"%s_swapouts\":%.2f", name, scans, name, outs);
}

int main(void) {
    struct rf_err err = {0};
    if (content_synthetic("hist:mean=1650", 1, &contents, &err))
        bench_fail(&err);
    shuffle(3);
    bench_resident();
    bench_content();
    bench_slots();
    bench_zpool();
    bench_zram();
    bench_swap("null", "swap_cycle_null", "vmstat.pswpin");
    bench_swap("zram0", "swap_cycle_zram", "vmstat.pswpin");
    printf("}\n");
    content_free(contents);
    return 0;
}
