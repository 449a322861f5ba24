/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usemem: the benchmark of the vm-scalability suite (usemem.c), in its simplest use: each of -n
 * tasks takes memory and writes the number i to its 64-bit word i, once, ascending.
 */
#include <stdio.h>
#include <stdlib.h>

#include "emit.h"
#include "workload.h"

#define WORDS_PER_PAGE (RF_PAGE_SIZE / 8)
#define MALLOC_HEADER 16u /* glibc's, in front of a chunk from mmap() */
/* Pages between two records of time, and between two turns of several tasks. */
#define TURN 64u

struct area {
    uint32_t pid, first;
    uint64_t pages;
};

static uint64_t scaled_bytes(const struct gen_params *p) {
    return (uint64_t)((double)p->usemem.bytes * p->scale) & ~(uint64_t)7;
}

static int check(const struct gen_params *p, struct rf_err *err) {
    const struct gen_usemem *u = &p->usemem;

    if (scaled_bytes(p) < RF_PAGE_SIZE || u->bytes > (uint64_t)1 << 40 || u->tasks < 1 ||
        u->tasks > 1024 || u->word < 1 || u->word > 1000)
        return rf_fail(err, RF_EUSAGE,
                       "usemem of %llu bytes (scale %g) in %llu tasks, %llu accesses a word, "
                       "expected --size from 4096 to 1T, 1 to 1024 tasks and 1 to 1000 accesses",
                       (unsigned long long)u->bytes, p->scale, (unsigned long long)u->tasks,
                       (unsigned long long)u->word);
    return 0;
}

static void describe(const struct gen_params *p, char *buf, size_t size) {
    snprintf(buf, size, "%llu bytes from %s in each of %llu tasks",
             (unsigned long long)scaled_bytes(p), p->usemem.use_malloc ? "malloc" : "mmap",
             (unsigned long long)p->usemem.tasks);
}

/* The kernel puts a large mapping anywhere below the last one, aligned to a page: kernels to 6.6
 * know nothing of huge pages there, so where it lies within 2 MiB is chance. */
static struct area make_area(const struct gen_params *p, struct emit *e, struct rf_rng *rng,
                             uint32_t pid) {
    uint64_t header = p->usemem.use_malloc ? MALLOC_HEADER : 0;
    uint64_t pages = (scaled_bytes(p) + header + RF_PAGE_SIZE - 1) / RF_PAGE_SIZE;
    struct area a = {.pid = pid, .pages = pages};

    a.first =
        emit_map(e, pid, EMIT_BASE_VPN + rf_rng_below(rng, 512), pages, p->thp ? TMAP_HUGEPAGE : 0);
    return a;
}

static void write_all(struct emit *e, const struct area *area, uint64_t n, uint64_t word) {
    for (uint64_t at = 0; at < area[0].pages && !e->rc; at += TURN) {
        for (uint64_t t = 0; t < n; t++) {
            emit_switch(e, area[t].pid);
            for (uint64_t i = at; i < RF_MIN(at + TURN, area[t].pages); i++) {
                emit_access(e, area[t].first + (uint32_t)i, true);
                emit_pace(e, WORDS_PER_PAGE * word, UINT64_MAX);
            }
            emit_pace(e, 0, 0);
        }
    }
}

/* A page that the parent writes first stands between the last page and the first exit, so that a
 * reader of the trace can stop there. */
static void free_all(struct emit *e, const struct area *area, uint64_t n) {
    uint32_t page = emit_map(e, 0, EMIT_BASE_VPN + ((uint64_t)1 << 30), 1, 0);

    emit_switch(e, 0);
    emit_access(e, page, true);
    for (uint64_t t = 0; t < n; t++)
        emit_exit(e, area[t].pid);
}

static int run(const struct gen_params *p, struct trace_writer *w, struct rf_err *err) {
    uint64_t n = p->usemem.tasks;
    struct area *area = calloc(n, sizeof(*area));
    struct rf_rng rng;
    struct emit e;

    if (!area)
        return rf_fail(err, RF_ENOMEM, "no memory for %llu tasks", (unsigned long long)n);
    rf_rng_seed(&rng, p->seed);
    emit_init(&e, w, err);
    emit_process(&e, RF_NONE, "usemem");
    for (uint64_t t = 0; t < n; t++)
        area[t] = make_area(p, &e, &rng, n == 1 ? 0 : emit_process(&e, 0, "usemem"));
    write_all(&e, area, n, p->usemem.word);
    if (p->usemem.free)
        free_all(&e, area, n);
    free(area);
    return e.rc;
}

#define AT(field) offsetof(struct gen_params, field)
static const struct gen_option options[] = {
    {"size", "BYTES", 0, GEN_BYTES, AT(usemem.bytes), "that each task writes"},
    {"nproc", "N", 'n', GEN_COUNT, AT(usemem.tasks), "tasks (1)"},
    {"word", "N", 0, GEN_COUNT, AT(usemem.word), "accesses that a turn of its loop takes (6)"},
    {"free", NULL, 0, GEN_FLAG, AT(usemem.free), "exit when all have written"},
    {"malloc", NULL, 'a', GEN_FLAG, AT(usemem.use_malloc), "memory from malloc(), not mmap()"},
    {NULL, NULL, 0, GEN_FLAG, 0, NULL},
};

const struct gen_workload gen_usemem = {
    .name = "usemem",
    .summary = "one ascending pass of increasing 64-bit words, as the benchmark",
    .pacing = TRACE_PACE_ACCESSES,
    .contents = "usemem",
    .options = options,
    .check = check,
    .describe = describe,
    .run = run,
};
