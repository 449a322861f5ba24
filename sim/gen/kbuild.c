/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kbuild-lite: what a parallel build of a kernel does to memory. J sub-makes live for the whole
 * build; each runs one compiler after the other, which takes memory, works on it, and exits. At the
 * end the first of them runs a linker. docs/workloads.md has the formulas.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "emit.h"
#include "workload.h"
#include "zipf.h"

#define GROWTH 0.4             /* share of a job's CPU time in which its memory grows */
#define NEWEST_SHARE 70        /* % of accesses to the newest ... */
#define NEWEST_PART 5          /* ... fifth of the pages */
#define WRITES 55              /* % of accesses that are stores */
#define LONG_LIVED_SHARE 0.001 /* of all accesses are to long-lived memory */
#define PACE_NS 100000u        /* time between two records of time, at least */
#define QUANTUM_NS 1000000u    /* turn of a job in the recorded order */
#define MIN_PAGES 16u          /* of a job, however small the scale */

/* Pages that lie together in small mappings, or together in the large one. */
#define GROUP 64u
#define MOST_PAGES ((uint64_t)1 << 28)
#define SMALL_VPN (EMIT_BASE_VPN + MOST_PAGES)

/* A job that runs. Times are its own CPU time. */
struct job {
    uint32_t pid, first, pages, touched;
    uint32_t small_first; /* of what stands for its small mappings */
    uint64_t cpu_ns, now, accesses;
    double growth_ns; /* end of the first phase */
    uint32_t sweep, last;
    struct zipf zipf;
};

/* A sub-make and what it runs. */
struct slot {
    uint32_t pid, first;
    uint64_t pages; /* long-lived */
    uint64_t now;   /* virtual time: the slot that is furthest behind goes on */
    struct job job;
    bool busy;
};

struct build {
    const struct gen_params *p;
    struct emit e;
    struct rf_rng size_rng, page_rng;
    struct slot *slot;
    uint64_t slots, started;
};

static uint64_t scaled_pages(const struct gen_params *p, uint64_t bytes) {
    return (uint64_t)((double)bytes * p->scale / RF_PAGE_SIZE + 0.5);
}

static uint8_t map_flags(const struct gen_params *p) {
    return p->thp ? TMAP_HUGEPAGE : 0;
}

static bool store(struct build *b) {
    return rf_rng_below(&b->page_rng, 100) < WRITES;
}

/* Standard normal, by Box and Muller (Ann. Math. Stat. 29(2), 1958). */
static double normal(struct rf_rng *rng) {
    double u = 1.0 - rf_rng_unit(rng), v = rf_rng_unit(rng);

    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

static uint32_t draw_pages(struct build *b) {
    const struct gen_kbuild *k = &b->p->kbuild;
    double bytes = (double)k->rss * exp(k->rss_sigma * normal(&b->size_rng));

    return (uint32_t)RF_MAX(scaled_pages(b->p, (uint64_t)fmin(bytes, (double)k->rss_cap)),
                            MIN_PAGES);
}

/* Of the first `groups` groups of a job's memory, those in small mappings: spread evenly. */
static uint32_t small_groups(const struct build *b, uint32_t groups) {
    return (uint32_t)((double)groups * b->p->kbuild.small);
}

/* The id of a job's page: in its large mapping, or in its small ones. */
static uint32_t page_id(const struct build *b, const struct job *j, uint32_t page) {
    uint32_t g = page / GROUP, before = small_groups(b, g);

    if (small_groups(b, g + 1) > before)
        return j->small_first + before * GROUP + page % GROUP;
    return j->first + (g - before) * GROUP + page % GROUP;
}

/* fork and exec: the child has a copy of its parent's memory for a moment. */
static void start_job(struct build *b, struct slot *s, uint32_t pages, const char *name) {
    const struct gen_params *p = b->p;
    struct job *j = &s->job;

    *j = (struct job){.pages = pages};
    j->pid = emit_process(&b->e, s->pid, name);
    emit_fork(&b->e, j->pid, s->pid, s->first, EMIT_BASE_VPN, s->pages, map_flags(p));
    emit_exec(&b->e, j->pid);
    uint32_t groups = (pages + GROUP - 1) / GROUP, small = small_groups(b, groups);
    j->first = small < groups
                   ? emit_map(&b->e, j->pid, EMIT_BASE_VPN,
                              small ? (uint64_t)(groups - small) * GROUP : pages, map_flags(p))
                   : 0;
    if (small)
        j->small_first =
            emit_map(&b->e, j->pid, SMALL_VPN, (uint64_t)small * GROUP, TMAP_NOHUGEPAGE);
    j->cpu_ns =
        (uint64_t)((double)p->kbuild.cpu_ns * (double)pages * RF_PAGE_SIZE / (double)p->kbuild.rss);
    j->growth_ns = GROWTH * (double)j->cpu_ns;
    if (!b->e.rc)
        b->e.rc = zipf_init(&j->zipf, pages, p->kbuild.skew, b->e.err);
    s->busy = true;
}

/* The next page of the second phase. */
static uint32_t choose(struct build *b, struct job *j) {
    double locality = b->p->kbuild.locality;

    if (locality > 0 && rf_rng_unit(&b->page_rng) < locality)
        return (j->last + 1) % j->pages;
    uint64_t u = rf_rng_below(&b->page_rng, 100);
    uint32_t newest = RF_MAX(j->pages / NEWEST_PART, 1u);

    if (u < NEWEST_SHARE)
        return j->pages - newest + (uint32_t)rf_rng_below(&b->page_rng, newest);
    if (u < 100 - b->p->kbuild.sweeps)
        return zipf_next(&j->zipf, &b->page_rng);
    return j->sweep++ % j->pages;
}

/* One access, and the CPU time before it; false if the job has ended. */
static bool step(struct build *b, struct job *j) {
    uint64_t before = j->now;
    uint32_t page;
    bool write = true;

    if (j->touched < j->pages) {
        page = j->touched++;
        j->now = (uint64_t)(j->growth_ns * j->touched / j->pages);
    } else {
        if (j->now + b->p->kbuild.think_ns > j->cpu_ns)
            return false;
        j->now += b->p->kbuild.think_ns;
        page = j->last = choose(b, j);
        write = store(b);
    }
    emit_pace(&b->e, j->now - before, PACE_NS);
    emit_access(&b->e, page_id(b, j, page), write);
    j->accesses++;
    return true;
}

/* Between two jobs: n accesses of the sub-make to its own memory. */
static void touch_long_lived(struct build *b, struct slot *s, uint64_t n) {
    emit_switch(&b->e, s->pid);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t page = (uint32_t)rf_rng_below(&b->page_rng, s->pages);

        emit_pace(&b->e, b->p->kbuild.think_ns, PACE_NS);
        emit_access(&b->e, s->first + page, store(b));
        s->now += b->p->kbuild.think_ns;
    }
}

static void end_job(struct build *b, struct slot *s) {
    struct job *j = &s->job;

    emit_exit(&b->e, j->pid);
    emit_wait(&b->e, s->pid, j->pid);
    touch_long_lived(b, s, (uint64_t)((double)j->accesses * LONG_LIVED_SHARE + 0.5));
    zipf_free(&j->zipf);
    s->busy = false;
}

/* A turn of the slot's job. */
static void turn(struct build *b, struct slot *s) {
    uint64_t until = s->job.now + QUANTUM_NS, from = s->job.now;
    bool more = true;

    emit_switch(&b->e, s->job.pid);
    while (more && s->job.now < until && !b->e.rc)
        more = step(b, &s->job);
    s->now += s->job.now - from;
    if (!more)
        end_job(b, s);
}

static void start_slots(struct build *b) {
    const struct gen_params *p = b->p;
    uint64_t pages = scaled_pages(p, p->kbuild.long_lived);

    emit_process(&b->e, RF_NONE, "make");
    for (uint64_t i = 0; i < b->slots; i++) {
        struct slot *s = &b->slot[i];

        s->pages = RF_MAX(pages * (i + 1) / b->slots - pages * i / b->slots, 1u);
        s->pid = emit_process(&b->e, 0, "make");
        s->first = emit_map(&b->e, s->pid, EMIT_BASE_VPN, s->pages, map_flags(p));
        emit_switch(&b->e, s->pid);
        for (uint32_t k = 0; k < s->pages && !b->e.rc; k++)
            emit_access(&b->e, s->first + k, true);
    }
}

static void compile(struct build *b) {
    while (!b->e.rc) {
        struct slot *s = NULL;

        for (uint64_t i = 0; i < b->slots; i++) {
            struct slot *c = &b->slot[i];

            if ((c->busy || b->started < b->p->kbuild.jobs) && (!s || c->now < s->now))
                s = c;
        }
        if (!s)
            return;
        if (!s->busy) {
            b->started++;
            start_job(b, s, draw_pages(b), "cc1");
        } else {
            turn(b, s);
        }
    }
}

static void link_all(struct build *b) {
    struct slot *s = &b->slot[0];
    uint32_t pages = (uint32_t)scaled_pages(b->p, b->p->kbuild.link);

    /* It needs what all the others have made. */
    for (uint64_t i = 1; i < b->slots; i++)
        emit_wait(&b->e, s->pid, b->slot[i].job.pid);
    start_job(b, s, RF_MAX(pages, MIN_PAGES), "ld");
    while (s->busy && !b->e.rc)
        turn(b, s);
}

static int run(const struct gen_params *p, struct trace_writer *w, struct rf_err *err) {
    struct build b = {.p = p, .slots = RF_MIN(p->kbuild.parallel, p->kbuild.jobs)};

    b.slot = calloc(b.slots, sizeof(*b.slot));
    if (!b.slot)
        return rf_fail(err, RF_ENOMEM, "no memory for %llu jobs", (unsigned long long)b.slots);
    rf_rng_seed(&b.size_rng, p->seed);
    rf_rng_seed(&b.page_rng, p->seed ^ 0x6b626c64u);
    emit_init(&b.e, w, err);
    start_slots(&b);
    compile(&b);
    if (p->kbuild.link && !b.e.rc)
        link_all(&b);
    for (uint64_t i = 0; i < b.slots; i++) {
        if (i && p->kbuild.link)
            emit_wait(&b.e, b.slot[i].pid, b.slot[0].job.pid);
        emit_exit(&b.e, b.slot[i].pid);
        emit_wait(&b.e, 0, b.slot[i].pid);
        zipf_free(&b.slot[i].job.zipf);
    }
    emit_exit(&b.e, 0);
    free(b.slot);
    return b.e.rc;
}

static int check(const struct gen_params *p, struct rf_err *err) {
    const struct gen_kbuild *k = &p->kbuild;

    if (k->jobs < 1 || k->jobs > 100000 || k->parallel < 1 || k->parallel > 1024)
        return rf_fail(err, RF_EUSAGE,
                       "kbuild-lite: %llu jobs, %llu at a time, expected 1 to 100000 and 1 to 1024",
                       (unsigned long long)k->jobs, (unsigned long long)k->parallel);
    if (k->rss < RF_PAGE_SIZE || k->rss_cap < k->rss || k->rss_cap > (uint64_t)1 << 40 ||
        k->link > (uint64_t)1 << 40 || k->long_lived > (uint64_t)1 << 40 ||
        !(k->rss_sigma >= 0 && k->rss_sigma <= 3) || !(k->locality >= 0 && k->locality < 1) ||
        k->sweeps > 100 - NEWEST_SHARE || !(k->skew >= 0 && k->skew <= 10) ||
        !(k->small >= 0 && k->small <= 1))
        return rf_fail(err, RF_EUSAGE,
                       "kbuild-lite: median %llu, cap %llu, long-lived %llu, link %llu bytes, "
                       "sigma %g, locality %g: expected a median of at least a page, not above the "
                       "cap, nothing above 1T, sigma 0 to 3, locality from 0 to below 1",
                       (unsigned long long)k->rss, (unsigned long long)k->rss_cap,
                       (unsigned long long)k->long_lived, (unsigned long long)k->link, k->rss_sigma,
                       k->locality);
    uint64_t pages = RF_MIN(k->parallel, k->jobs) * scaled_pages(p, k->rss_cap) +
                     scaled_pages(p, k->link) + scaled_pages(p, k->long_lived);
    if (pages > MOST_PAGES)
        return rf_fail(err, RF_EUSAGE,
                       "kbuild-lite: up to %llu pages at a time, expected no more than 2^28",
                       (unsigned long long)pages);
    if (k->think_ns < 10 || k->cpu_ns < 1000000 || k->cpu_ns > (uint64_t)3600 * 1000000000)
        return rf_fail(err, RF_EUSAGE,
                       "kbuild-lite: %llu ns of CPU time a job, %llu ns between two accesses, "
                       "expected 1 ms to 1 h and at least 10 ns",
                       (unsigned long long)k->cpu_ns, (unsigned long long)k->think_ns);
    return gen_check_accesses((double)k->jobs * (double)k->cpu_ns * p->scale / (double)k->think_ns,
                              err);
}

static void describe(const struct gen_params *p, char *buf, size_t size) {
    const struct gen_kbuild *k = &p->kbuild;
    char locality[128] = "";

    if (k->locality > 0 || k->skew != 0.9 || k->sweeps != 5 || k->small > 0)
        snprintf(locality, sizeof(locality),
                 "skew %g, sweeps %llu %%, locality %g, small mappings %g, ", k->skew,
                 (unsigned long long)k->sweeps, k->locality, k->small);
    snprintf(buf, size,
             "%llu jobs, %llu at a time, median %llu bytes, sigma %g, cap %llu, %llu ns of CPU "
             "time a median job, %llu ns between accesses, long-lived %llu, link %llu, %sscale %g",
             (unsigned long long)k->jobs, (unsigned long long)k->parallel,
             (unsigned long long)k->rss, k->rss_sigma, (unsigned long long)k->rss_cap,
             (unsigned long long)k->cpu_ns, (unsigned long long)k->think_ns,
             (unsigned long long)k->long_lived, (unsigned long long)k->link, locality, p->scale);
}

#define AT(field) offsetof(struct gen_params, kbuild.field)
static const struct gen_option options[] = {
    {"jobs", "N", 0, GEN_COUNT, AT(jobs), "compilers in all (200)"},
    {"parallel", "N", 'j', GEN_COUNT, AT(parallel), "jobs at a time (22)"},
    {"rss", "BYTES", 0, GEN_BYTES, AT(rss), "median memory of a job (55M)"},
    {"rss-sigma", "X", 0, GEN_REAL, AT(rss_sigma), "of its logarithm (0.5)"},
    {"rss-cap", "BYTES", 0, GEN_BYTES, AT(rss_cap), "most memory of a job (250M)"},
    {"cpu", "TIME", 0, GEN_TIME, AT(cpu_ns), "CPU time of a median job (4s)"},
    {"think", "TIME", 0, GEN_TIME, AT(think_ns), "CPU time between two accesses (10us)"},
    {"skew", "X", 0, GEN_REAL, AT(skew), "theta of the accesses by Zipf's law (0.9)"},
    {"sweeps", "N", 0, GEN_COUNT, AT(sweeps), "accesses in 100 that sweep (5)"},
    {"locality", "X", 0, GEN_REAL, AT(locality), "chance that an access is to the next page (0)"},
    {"small", "X", 0, GEN_REAL, AT(small), "share in mappings too small for large pages (0)"},
    {"long-lived", "BYTES", 0, GEN_BYTES, AT(long_lived), "memory that stays to the end (120M)"},
    {"link", "BYTES", 0, GEN_BYTES, AT(link), "memory of the last job, 0 = none (700M)"},
    {NULL, NULL, 0, GEN_FLAG, 0, NULL},
};

const struct gen_workload gen_kbuild_lite = {
    .name = "kbuild-lite",
    .summary = "compilers that come and go in a parallel build, and a linker",
    .pacing = TRACE_PACE_NS,
    .contents =
        "mix:0.12*zero,0.55*uniform(700,1400),0.25*uniform(1400,2600),0.08*uniform(3000,4096)",
    .options = options,
    .check = check,
    .describe = describe,
    .run = run,
};
