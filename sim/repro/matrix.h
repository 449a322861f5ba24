/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix: configurations side by side. Every configuration runs over its trace once for each seed,
 * on the threads of the experiment's pool; results do not depend on how many those are. Traces are
 * temporary files below $TMPDIR (or /tmp).
 */
#ifndef SIM_REPRO_MATRIX_H
#define SIM_REPRO_MATRIX_H

#include "replay.h"
#include "repro/repro.h"

#define REPRO_SETTINGS 1024

struct repro_config {
    const char *name; /* "before": names the run in tables and JSON */
    unsigned trace;   /* which of the workload's traces it runs */
    /* "KEY=VALUE KEY=VALUE ...", as --set takes them; they follow those of all configurations. */
    char set[REPRO_SETTINGS];
};

struct repro_matrix {
    /* ---- filled in by the experiment ---- */
    const struct repro_config *configs;
    size_t nr_configs;
    char common[REPRO_SETTINGS]; /* settings of all configurations */
    unsigned nr_traces;
    /* Writes trace `which` of random seed `seed` (1, 2, ...) to path. */
    int (*write)(void *ctx, unsigned which, uint64_t seed, const char *path, struct rf_err *err);
    /* The number of accesses of a trace before the part that counts; NULL: all of it. Asked once
     * the trace was written. There every process waits for the others to arrive. */
    uint64_t (*count_from)(void *ctx, unsigned which, uint64_t seed);
    /* A machine at the start of that part (`ended` false) and at its end, on the thread that runs
     * it; index as in result. May be NULL. */
    void (*look)(void *ctx, size_t index, bool ended, const struct machine *m);
    void *ctx;
    /* ---- results ---- */
    uint32_t seeds;
    struct replay_result *result; /* of configuration c and seed s (from 0): [c * seeds + s] */
    struct value_list *before;    /* likewise, what was read at the start of the part that counts */
};

/* Runs all and adds the runs to r. False if something failed, which is then in r->err. The
 * machine's own seed is that of the run. Free the matrix in any case. */
bool repro_matrix_run(struct repro *r, struct repro_matrix *m) RF_MUST_CHECK;
void repro_matrix_free(struct repro_matrix *m);

/* A figure of a run by its name in JSON: "time.elapsed_ns", "x.attempts", else a counter. No number
 * (NaN) if there is none of that name. */
double repro_value(const struct repro_matrix *m, size_t config, uint32_t seed, const char *name);
/* How much it grew in the part that counts. */
double repro_growth(const struct repro_matrix *m, size_t config, uint32_t seed, const char *name);
/* The mean of the value over the seeds. */
double repro_mean(const struct repro_matrix *m, size_t config, const char *name);
/* For each seed: a figure of one configuration over that of another, into out[0..m->seeds). */
void repro_ratios(const struct repro_matrix *m, size_t config, size_t over, const char *name,
                  double out[REPRO_MAX_SEEDS]);

#endif
