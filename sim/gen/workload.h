/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synthetic workloads as traces: a pure function of their parameters. docs/workloads.md gives every
 * formula. One workload is one struct gen_workload in a file of its own, listed in workload.c.
 */
#ifndef REFAULT_GEN_WORKLOAD_H
#define REFAULT_GEN_WORKLOAD_H

#include "refault/trace.h"

/* The usemem benchmark. */
struct gen_usemem {
    uint64_t tasks;  /* -n */
    uint64_t bytes;  /* that each task writes */
    bool use_malloc; /* -a: memory from malloc(), else from mmap() */
    uint64_t word;   /* what a turn of its loop takes, in accesses. 6: 46.4 to 47.0 s of user time
                        for 56 GiB, 25.3 s for 32 GiB, so 6 ns a word (N. Pham, mails on virtual swap
                        space, Apr 2025 and 2026) */
    bool free;       /* exits, and so frees what it wrote */
};

/* Compilers at the end of a make -jJ, and a linker. Sizes are those of scale 1. */
struct gen_kbuild {
    uint64_t jobs, parallel;
    uint64_t rss, rss_cap; /* median and largest memory of a job, bytes */
    double rss_sigma;
    uint64_t cpu_ns;     /* of a job of median size; in proportion for the others */
    uint64_t think_ns;   /* CPU time between two accesses once a job has its memory */
    uint64_t long_lived; /* memory of what lives for the whole build, bytes */
    double skew;         /* theta of the accesses by Zipf's law */
    uint64_t sweeps;     /* accesses in 100 that sweep */
    double locality;     /* chance that an access is to the page after the last one */
    double small;        /* share of a job's memory in mappings too small for large folios */
    uint64_t link;       /* memory of the last job, bytes; 0 = none */
};

/* What a pass over all servers consisted of. */
struct gen_redis_pass {
    uint64_t first_access; /* accesses of the trace before it */
    uint64_t sets, hits, misses;
};
/* Redis servers and their clients. Sizes are those of scale 1. */
struct gen_redis {
    uint64_t servers;
    uint64_t keys; /* key range of each server, and requests of a pass */
    uint64_t sets, gets, pipeline, data_size, passes;
    uint64_t guest; /* bytes of the guest's system */
    uint64_t op_ns;
    bool gaussian;
    struct gen_redis_pass *pass; /* [passes], filled in by the run; NULL = not wanted */
};

struct gen_params {
    /* ---- of the workloads with one mapping ---- */
    uint64_t pages, ops;
    double theta;             /* zipf */
    uint32_t writes_permille; /* share of stores */
    bool fill;                /* first store to every page once, ascending; on top of ops */
    /* ---- of all ---- */
    uint64_t seed;
    const char *contents; /* synthetic content spec, NULL = the workload's own */
    bool thp;             /* MADV_HUGEPAGE */
    int zstd_level;
    double scale; /* factor of all sizes */

    struct gen_usemem usemem;
    struct gen_kbuild kbuild;
    struct gen_redis redis;
};
/* Every field at its default. */
void gen_params_init(struct gen_params *p);

enum gen_option_type { GEN_FLAG, GEN_COUNT, GEN_BYTES, GEN_TIME, GEN_REAL };
/* An option of one workload. */
struct gen_option {
    const char *name, *arg; /* arg NULL for a flag */
    char letter;            /* short form, 0 = none */
    enum gen_option_type type;
    size_t offset; /* into struct gen_params: bool, uint64_t or double */
    const char *help;
};

struct gen_workload {
    const char *name, *summary;
    uint8_t pacing; /* enum trace_pacing */
    const char *contents;
    const struct gen_option *options; /* NULL-terminated by name; NULL = none */
    bool single;                      /* takes --pages, --ops, --theta, --writes and --fill */
    /* RF_EUSAGE if the parameters make no sense. */
    int (*check)(const struct gen_params *p, struct rf_err *err);
    /* Parameters in words, for the provenance of the trace. */
    void (*describe)(const struct gen_params *p, char *buf, size_t size);
    int (*run)(const struct gen_params *p, struct trace_writer *w, struct rf_err *err);
};

/* NULL behind the last / of an unknown name. */
const struct gen_workload *gen_at(unsigned i);
const struct gen_workload *gen_find(const char *name);
/* RF_EUSAGE if a workload would have more than 2^40 accesses, some terabytes; n may be a guess. */
int gen_check_accesses(double n, struct rf_err *err) RF_MUST_CHECK;
/* Writes the trace. */
int gen_write(const struct gen_workload *g, const struct gen_params *p, const char *out,
              struct rf_err *err) RF_MUST_CHECK;

extern const struct gen_workload gen_zipf, gen_scan, gen_usemem, gen_kbuild_lite, gen_redis_memtier;

#endif
