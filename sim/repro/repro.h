/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repro: published experiments run again. Each experiment is one struct repro_ops in a file of its
 * own, listed in registry.c. It builds its workload, runs its configurations side by side, prints
 * the published figures beside the simulated ones and judges criteria.
 */
#ifndef SIM_REPRO_REPRO_H
#define SIM_REPRO_REPRO_H

#include <jansson.h>
#include <stdio.h>
#include "refault/base.h"

#define REPRO_MAX 32 /* experiments */
#define REPRO_MAX_CRITERIA 128
#define REPRO_MAX_SEEDS 100

/* One figure that must lie in a range. A bound may be infinite. */
struct repro_criterion {
    char id[32];   /* "S004.1.classes": experiment, criterion, figure */
    char what[96]; /* one line for people, with the unit */
    double value, low, high;
    double least, most; /* of the runs whose mean `value` is; both are `value` if there is one */
    unsigned decimals;  /* digits shown; 0 = an integer */
    bool pass;          /* in the range */
    bool beside;        /* no criterion: shown after them, and not judged */
};

/* Work of several experiments at once shares the threads of one pool. */
struct repro_pool;
/* NULL without memory. */
struct repro_pool *repro_pool_create(unsigned threads);
void repro_pool_free(struct repro_pool *p); /* NULL is allowed */
/* Has fn() told of each piece of work that is done, one at a time, and of how many are known of. */
void repro_pool_report(struct repro_pool *p, void (*fn)(void *ctx, uint64_t done, uint64_t total),
                       void *ctx);
/* So many more pieces of work are known of. NULL is allowed. */
void repro_pool_expect(struct repro_pool *p, size_t n);
/* A piece of work was done that no repro_pool_leave() ends. */
void repro_pool_done(struct repro_pool *p);
/* Around a piece of work of one thread; waits until one of the pool's threads is free. NULL: no
 * bound. */
void repro_pool_enter(struct repro_pool *p);
void repro_pool_leave(struct repro_pool *p);

/* What the program asks an experiment for. */
struct repro_options {
    FILE *out;               /* tables for people; NULL = none */
    uint32_t seeds;          /* runs with different random numbers, 1 to REPRO_MAX_SEEDS */
    double scale;            /* of the machine and the workload, above 0 and up to 1 */
    struct repro_pool *pool; /* NULL: one thread */
};

/* One run of one experiment: what the program asks for, and what the experiment leaves behind. */
struct repro {
    FILE *out;
    uint32_t seeds;
    double scale;
    struct repro_pool *pool;
    struct repro_criterion criteria[REPRO_MAX_CRITERIA];
    size_t nr;
    json_t *runs;      /* an array of one object a configuration */
    struct rf_err err; /* the first thing that went wrong; err.code is 0 as long as nothing did */
};

struct repro_ops {
    const char *name;    /* "seed-004" */
    const char *summary; /* one line */
    const char *source;  /* where it was published: author, title, date */
    const char *time;    /* how long it takes at full scale, e.g. "under 1 s" */
    bool random;         /* draws random numbers: --seeds means something */
    bool scales;         /* --scale means something */
    /* Judges its criteria and adds its runs to r; what fails is left in r->err. */
    void (*run)(struct repro *r);
};

/* NULL-terminated, at most REPRO_MAX; only experiments that work. */
const struct repro_ops *const *repro_registry(void);
const struct repro_ops *repro_find(const char *name); /* NULL: there is none */

/* Runs an experiment and prints its tables. 0, also if criteria failed, or the error that kept it
 * from ending. The result in r must be freed by repro_free() in any case. */
int repro_run(struct repro *r, const struct repro_ops *ops, const struct repro_options *o,
              struct rf_err *err) RF_MUST_CHECK;
void repro_free(struct repro *r);
/* Whether there are criteria and all of them hold, but for those that are not judged. */
bool repro_passed(const struct repro *r);
/* {"name", "criteria", "runs", "pass"}, a new reference; NULL without memory. */
json_t *repro_json(const struct repro *r, const struct repro_ops *ops);

/* ---- for experiments ---- */

/* Prints to r->out, if there is one. */
void repro_say(struct repro *r, const char *fmt, ...) RF_PRINTF(2, 3);
/* A criterion: low <= value <= high. RF_ELIMIT in r->err beyond REPRO_MAX_CRITERIA. */
void repro_judge(struct repro *r, const char *id, const char *what, double value, double low,
                 double high, unsigned decimals);
/*
 * A criterion of r->seeds runs: their mean must lie in the range, and each of them in the range
 * widened by half: by a quarter of its width on each side, or, if it has one finite bound, to two
 * thirds of a lower one or one and a half times an upper one.
 */
void repro_judge_runs(struct repro *r, const char *id, const char *what, const double *values,
                      double low, double high, unsigned decimals);
/* A criterion whose figure must be met exactly; |want| < 2^53. */
void repro_exact(struct repro *r, const char *id, const char *what, int64_t value, int64_t want);
/* A published figure that is no part of what the experiment claims: shown beside it, not judged. */
void repro_beside(struct repro *r, const char *id, const char *what, double value, double low,
                  double high, unsigned decimals);
/* Adds an object to the runs; takes the reference. NULL counts as out of memory. */
void repro_add_run(struct repro *r, json_t *run);

extern const struct repro_ops repro_seed_000, repro_seed_001;
extern const struct repro_ops repro_seed_002, repro_seed_003, repro_seed_004;
extern const struct repro_ops repro_iaa_latency, repro_iaa_batch8, repro_iaa_usemem30;

#endif
