/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast a machine replays, against the least that a simulator of memory can do: an LRU list in
 * a dense array, without statistics. Both sides read the same decoded array of accesses in the same
 * process. A round is everything from an empty machine on, first touches included, for both sides
 * in turns of one slice of the trace, so that what else the computer does meets both. Its ratio is
 * that of the two sums of CPU time; printed is the median of the rounds' ratios, and of each side's
 * rate. One JSON object goes to stdout, nothing else.
 *
 *   resident  Zipf trace, memory for all of it. A pass of stores before the clock starts makes both
 *             sides fully resident; with --cold there is none
 *   mem75     the same trace, memory.max = 75 %, swap on zram0 with lz4
 *   mem25     the same with 25 %
 *   scan      ascending passes over all pages, memory for all of them, resident as above
 *
 * The trace is in ordinary pages, the tables of both sides in huge ones. With the trace in huge
 * pages, too, the baseline is two to three times as fast, the machine hardly.
 *
 * Rates are accesses of the trace per microsecond.
 */
#include <getopt.h>

#include "refault/machine.h"
#include "refault/trace_ops.h"
#include "bench/bench.h"
#include "gen/zipf.h"

#define THETA 0.9
#define WRITES_PERMILLE 250u
#define CONTENTS "hist:mean=1650"
#define MAX_ROUNDS 100u

struct options {
    uint32_t pages, rounds;
    size_t accesses;
    const char *kernel;
    bool prefetch, counters, cold;
};

static void *must(void *p) {
    if (!p)
        bench_die("no memory");
    return p;
}

/* ---- traces ---- */

static void zipf_trace(const struct options *o, uint32_t *ops) {
    struct rf_rng page, store;
    struct rf_err err = {0};
    struct zipf z;

    if (zipf_init(&z, o->pages, THETA, &err))
        bench_fail(&err);
    rf_rng_seed(&page, 1);
    rf_rng_seed(&store, 2);
    for (size_t i = 0; i < o->accesses; i++)
        ops[i] =
            zipf_next(&z, &page) | (rf_rng_below(&store, 1000) < WRITES_PERMILLE ? OP_WRITE : 0);
    zipf_free(&z);
}

static void scan_trace(const struct options *o, uint32_t *ops) {
    struct rf_rng store;

    rf_rng_seed(&store, 2);
    for (size_t i = 0; i < o->accesses; i++)
        ops[i] = (uint32_t)(i % o->pages) |
                 (rf_rng_below(&store, 1000) < WRITES_PERMILLE ? OP_WRITE : 0);
}

/* A store to each page. */
static uint32_t *fill_trace(const struct options *o) {
    uint32_t *ops = must(malloc(o->pages * sizeof(*ops)));

    for (uint32_t i = 0; i < o->pages; i++)
        ops[i] = i | OP_WRITE;
    return ops;
}

/* ---- the baseline ---- */

struct node {
    uint32_t prev, next; /* prev RF_NONE: not resident */
};

/* Node n is the list's head: its next is the most recently used one. Returns the misses. With
 * `prefetch` the node of the access 24 ahead is fetched already, as the machine does. */
static inline size_t lru(struct node *l, uint32_t n, uint32_t capacity, const uint32_t *ops,
                         size_t nr, uint32_t resident, bool prefetch) {
    const size_t piece = 24;
    size_t misses = 0;

    for (size_t i = 0; i < nr; i++) {
        uint32_t id = ops[i] & OP_ID_MASK;
        if (prefetch && i + piece < nr)
            RF_PREFETCH(&l[ops[i + piece] & OP_ID_MASK]);
        if (l[id].prev != RF_NONE) {
            l[l[id].prev].next = l[id].next;
            l[l[id].next].prev = l[id].prev;
        } else {
            misses++;
            if (resident == capacity) {
                uint32_t tail = l[n].prev;
                l[n].prev = l[tail].prev;
                l[l[tail].prev].next = n;
                l[tail].prev = RF_NONE;
            } else {
                resident++;
            }
        }
        l[id].next = l[n].next;
        l[id].prev = n;
        l[l[n].next].prev = id;
        l[n].next = id;
    }
    return misses;
}

struct base {
    struct rf_varr memory; /* fresh in each round and of huge pages, as the machine's */
    uint32_t capacity, resident;
};

static void base_init(struct base *b, const struct options *o, uint32_t capacity) {
    struct rf_err err = {0};

    *b = (struct base){.capacity = capacity};
    if (rf_varr_init(&b->memory, (size_t)o->pages + 1, sizeof(struct node), &err))
        bench_fail(&err);
    rf_varr_hint_dense(&b->memory);
    struct node *l = b->memory.base;
    for (uint32_t i = 0; i < o->pages; i++)
        l[i].prev = RF_NONE;
    l[o->pages] = (struct node){o->pages, o->pages};
}

static void base_run(struct base *b, const struct options *o, const uint32_t *ops, size_t n) {
    struct node *l = b->memory.base;
    /* Two loops, without a test in either. */
    size_t misses = o->prefetch ? lru(l, o->pages, b->capacity, ops, n, b->resident, true)
                                : lru(l, o->pages, b->capacity, ops, n, b->resident, false);
    b->resident = (uint32_t)RF_MIN(b->capacity, b->resident + misses);
}

/* ---- the machine ---- */

static void print_counter(void *ctx, enum machine_value_kind kind, const char *name,
                          uint64_t value) {
    if (kind == MV_COUNTER && value)
        fprintf(stderr, "%s %s %llu\n", (const char *)ctx, name, (unsigned long long)value);
}

static struct machine *new_machine(const struct options *o, struct content_set *cs,
                                   uint32_t percent) {
    struct machine_config c;
    struct machine *m;
    struct rf_err err = {0};
    uint32_t blocks = (o->pages + 511) / 512;

    if (machine_config_init(&c, o->kernel, &err))
        bench_fail(&err);
    /* Without this the reclaim of recent kernels sees statistics that are up to two seconds old,
     * and fails on a trace that is shorter than that. */
    c.era.reclaim.stat_flush_ns = 0;
    c.footprint_pages = o->pages;
    c.blocks = blocks;
    if (percent < 100) {
        memcpy(c.swap_device, "zram0", sizeof("zram0"));
        memcpy(c.zram_comp_algorithm, "lz4", sizeof("lz4"));
        machine_config_set_profile(&c, profile_default());
        c.memory_max = (struct rf_amount){.value = (uint64_t)percent * 100, .kind = AMOUNT_PERCENT};
    }
    if (machine_create(&c, cs, &m, &err) || machine_process(m, 0, RF_NONE, &err))
        bench_fail(&err);
    for (uint32_t b = 0; b < blocks; b++)
        if (machine_map(m, 0, 0, b * 512, RF_MIN(512u, o->pages - b * 512),
                        0x7f0000000ull + b * 512ull, TMAP_ANON | TMAP_WRITE, &err))
            bench_fail(&err);
    machine_set_implicit_content(m, true);
    machine_set_access_cost(m, true);
    if (machine_switch(m, 0, &err))
        bench_fail(&err);
    return m;
}

static void machine_part(struct machine *m, const uint32_t *ops, size_t n) {
    struct rf_err err = {0};
    size_t done = 0;

    if (machine_run(m, ops, n, &done, &err))
        bench_fail(&err);
    if (machine_outcome(m) != MACHINE_DONE || done != n) {
        fprintf(stderr, "replay: the machine stopped after %zu accesses of %zu\n", done, n);
        exit(3);
    }
}

/* ---- parts ---- */

struct part {
    const char *name;
    uint32_t percent;
    bool scan;
    uint32_t rounds, slices; /* by default; what takes long has few rounds of many slices */
};
static const struct part parts[] = {{"resident", 100, false, 9, 1},
                                    {"mem75", 75, false, 5, 4},
                                    {"mem25", 25, false, 2, 5},
                                    {"scan", 100, true, 25, 1}};

struct round {
    double machine, baseline; /* seconds of CPU time */
};

static struct round run_round(const struct options *o, const struct part *p, struct content_set *cs,
                              const uint32_t *ops, const uint32_t *fill, bool print) {
    uint32_t capacity = (uint32_t)((uint64_t)o->pages * p->percent / 100);
    size_t left = o->accesses, slice = left / p->slices + 1;
    struct round r = {0};
    struct rf_err err = {0};
    struct base b;

    double start = bench_cpu();
    base_init(&b, o, capacity);
    r.baseline = bench_cpu() - start;
    start = bench_cpu();
    struct machine *m = new_machine(o, cs, p->percent);
    r.machine = bench_cpu() - start;
    if (p->percent == 100 && !o->cold) {
        machine_part(m, fill, o->pages);
        base_run(&b, o, fill, o->pages);
        r = (struct round){0};
    }
    for (; left; left -= slice, ops += slice) {
        slice = RF_MIN(slice, left);
        start = bench_cpu();
        base_run(&b, o, ops, slice);
        r.baseline += bench_cpu() - start;
        start = bench_cpu();
        machine_part(m, ops, slice);
        if (slice == left && machine_settle(m, &err))
            bench_fail(&err);
        r.machine += bench_cpu() - start;
    }
    if (b.resident == 0) { /* also keeps the loop from being dropped */
        fprintf(stderr, "replay: the baseline never missed\n");
        exit(3);
    }
    if (print)
        machine_values(m, print_counter, (void *)(uintptr_t)p->name);
    machine_destroy(m);
    rf_varr_free(&b.memory);
    return r;
}

static void run_part(const struct options *o, const struct part *p, struct content_set *cs,
                     const uint32_t *ops, const uint32_t *fill, bool first) {
    uint32_t rounds = o->rounds ? o->rounds : p->rounds;
    double us = (double)o->accesses / 1e6;
    double machine[MAX_ROUNDS], baseline[MAX_ROUNDS], ratio[MAX_ROUNDS];

    for (uint32_t i = 0; i < rounds; i++) {
        struct round r = run_round(o, p, cs, ops, fill, i == 0 && o->counters);
        machine[i] = us / r.machine;
        baseline[i] = us / r.baseline;
        ratio[i] = r.baseline / r.machine;
    }
    printf("%s\"%s\":{\"refault_macc_s\":%.2f,\"baseline_macc_s\":%.2f,\"ratio\":%.3f}",
           first ? "{" : ",", p->name, bench_median(machine, rounds),
           bench_median(baseline, rounds), bench_median(ratio, rounds));
    fflush(stdout);
}

static void usage(FILE *f) {
    fprintf(f, "usage: replay [--part resident|mem75|mem25|scan]... [--pages N] [--accesses N]\n"
               "              [--rounds N] [--kernel VERSION] [--prefetch] [--counters] [--cold]\n"
               "  --rounds    of each part; by default from 2 of mem25 to 25 of scan\n"
               "  --prefetch  the baseline fetches nodes ahead as the machine does\n"
               "  --cold      resident, scan: no pass before, so first touches count\n"
               "  --counters  the machine's counters to stderr\n");
}

static uint64_t number(const char *text, uint64_t max) {
    char *end;
    unsigned long long v = strtoull(text, &end, 10);
    if (end == text || *end || v == 0 || v > max) {
        fprintf(stderr, "replay: '%s': expected a number from 1 to %llu\n", text,
                (unsigned long long)max);
        exit(2);
    }
    return v;
}

int main(int argc, char **argv) {
    enum { O_PART = 256, O_PAGES, O_ACCESSES, O_ROUNDS, O_KERNEL, O_PREFETCH, O_COUNTERS, O_COLD };
    static const struct option long_options[] = {{"part", required_argument, NULL, O_PART},
                                                 {"pages", required_argument, NULL, O_PAGES},
                                                 {"accesses", required_argument, NULL, O_ACCESSES},
                                                 {"rounds", required_argument, NULL, O_ROUNDS},
                                                 {"kernel", required_argument, NULL, O_KERNEL},
                                                 {"prefetch", no_argument, NULL, O_PREFETCH},
                                                 {"counters", no_argument, NULL, O_COUNTERS},
                                                 {"cold", no_argument, NULL, O_COLD},
                                                 {"help", no_argument, NULL, 'h'},
                                                 {NULL, 0, NULL, 0}};
    const unsigned nr_parts = sizeof(parts) / sizeof(parts[0]);
    struct options o = {.pages = 1000000, .accesses = 50000000, .kernel = "6.12"};
    unsigned wanted = 0, i;
    int c;

    while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        switch (c) {
        case O_PART:
            for (i = 0; i < nr_parts && strcmp(parts[i].name, optarg) != 0; i++)
                ;
            if (i == nr_parts) {
                usage(stderr);
                return 2;
            }
            wanted |= 1u << i;
            break;
        case O_PAGES:
            o.pages = (uint32_t)number(optarg, 1u << 27);
            break;
        case O_ACCESSES:
            o.accesses = number(optarg, 1u << 30);
            break;
        case O_ROUNDS:
            o.rounds = (uint32_t)number(optarg, MAX_ROUNDS);
            break;
        case O_KERNEL:
            o.kernel = optarg;
            break;
        case O_PREFETCH:
            o.prefetch = true;
            break;
        case O_COLD:
            o.cold = true;
            break;
        case O_COUNTERS:
            o.counters = true;
            break;
        default:
            usage(c == 'h' ? stdout : stderr);
            return c == 'h' ? 0 : 2;
        }
    }
    if (!wanted)
        wanted = (1u << nr_parts) - 1;

    struct rf_err err = {0};
    struct content_set *cs;
    uint32_t *fill = fill_trace(&o);
    struct rf_varr trace; /* ordinary pages, whatever the heap has */
    bool first = true;
    if (rf_varr_init(&trace, o.accesses, sizeof(uint32_t), &err))
        bench_fail(&err);
    uint32_t *ops = trace.base;
    zipf_trace(&o, ops);
    if (content_synthetic(CONTENTS, 1, &cs, &err))
        bench_fail(&err);
    for (i = 0; i < nr_parts; i++) {
        if (!(wanted >> i & 1u))
            continue;
        if (parts[i].scan)
            scan_trace(&o, ops);
        run_part(&o, &parts[i], cs, ops, fill, first);
        first = false;
    }
    printf("}\n");
    content_free(cs);
    free(fill);
    rf_varr_free(&trace);
    return 0;
}
