/* SPDX-License-Identifier: Apache-2.0 */
/*
 * validate: replays recorded runs of real kernels with the knobs recorded in them, and compares
 * every counter with what the kernel counted.
 *
 * The error of a counter is its distance from [min, max] of the kernel's repetitions, relative to
 * max(median, 50). A counter whose own spread, (max - min) / max(median, 50), is above 20 % is
 * shown but not judged. A counter that both the kernel and the model leave at 0 says nothing and
 * enters no statistic.
 */
#ifndef SIM_VALIDATE_VALIDATE_H
#define SIM_VALIDATE_VALIDATE_H

#include <stdio.h>
#include "config/settings.h"
#include "replay.h"
#include "validate/dataset.h"

/* Room for "snap.LABEL.FIELD". */
#define VALIDATE_NAME 96

enum row_state {
    ROW_JUDGED,
    ROW_NOISY, /* the kernel's own spread is too large */
    ROW_SHOWN, /* not one of the judged counters */
    ROW_EMPTY, /* 0 on both sides */
};

struct row {
    char name[VALIDATE_NAME];
    struct band kernel;
    int64_t value;
    double error; /* 0.01 = 1 % */
    enum row_state state;
    bool bounded; /* one of the few counters that the limit on the worst error is for */
};

struct error_summary {
    size_t n;
    double median, p90, worst;
    char worst_at[VALIDATE_NAME + 80]; /* "CASE COUNTER" */
};

/* Counters along the trace: after each eighth of the operations but the last. */
#define MAX_CHECKPOINTS 64
struct checkpoint_row {
    char name[VALIDATE_NAME];
    size_t n;
    struct band kernel[MAX_CHECKPOINTS];
    int64_t value[MAX_CHECKPOINTS];
    double error[MAX_CHECKPOINTS];
};

/* How the lengths of a bank's pages compare with the kernel's. */
struct size_comparison {
    size_t pages, equal, within_3, max_difference;
};

struct case_result {
    const struct golden *golden;
    struct rf_err err; /* code RF_OK if it ran */
    unsigned reps;     /* replays that the counters are the medians of */
    bool oom;
    struct row *rows;
    size_t nr_rows, cap_rows;
    uint64_t *checkpoint_ops;
    struct checkpoint_row *checkpoints;
    size_t nr_checkpoints; /* counters */
    struct error_summary judged, bounded;
    double present_equal; /* share of pages whose final residency is the same; < 0: unknown */
    double present_noise; /* the same between two runs of the kernel; < 0: unknown */
    struct size_comparison sizes;
    char failure[256]; /* "" if the case by itself is all right */
};

struct validate_setting {
    const struct knob *knob;
    const char *value;
};

/* A recorded kernel began its trace anywhere between two of its periodic flushes of statistics, and
 * was booted several times. The model replays the trace as often, each time with another share of
 * the period before the first flush, and takes the median of each counter too. */
#define MAX_REPS 31
#define DEFAULT_REPS 5

struct validate_opts {
    const char *dir, *kernel; /* kernel NULL = all */
    const char *const *cases; /* patterns of names; none = all */
    size_t nr_cases;
    const char *kinds; /* comma-separated, NULL = all */
    bool kernel_sizes, check;
    unsigned threads;
    unsigned
        reps; /* replays of a case whose kernel flushes statistics by the clock, 1 to MAX_REPS */
    double max_median, max_p90, max_worst;   /* < 0: the kernel's default */
    const struct validate_setting *settings; /* on top of each case's knobs */
    size_t nr_settings;
    void (*progress)(void *ctx, size_t done, size_t total);
    void *ctx;
};

struct kernel_summary {
    char kernel[16];
    /* Swap cases and direct scripts have limits of their own. */
    struct error_summary swap, swap_bounded, direct;
    size_t cases, failed_cases;
    bool passed;
};

struct validation {
    const struct validate_opts *opts;
    struct golden_list goldens;
    struct case_result *cases;
    size_t nr_cases;
    struct kernel_summary *kernels;
    size_t nr_kernels;
    bool passed;
};

/* Runs the cases; a case that could not be run fails the whole call. */
int validate_run(const struct validate_opts *o, struct validation *out,
                 struct rf_err *err) RF_MUST_CHECK;
void validation_free(struct validation *v);

/* The limits for a kernel; for direct scripts or for swap cases. */
struct validate_limits {
    double median, p90, worst;
};
struct validate_limits validate_limits(const struct validate_opts *o, const char *kernel,
                                       bool direct);

/* ---- output ---- */
void validate_print(FILE *f, const struct validation *v);
/* The summary in one line, which is also the last one of validate_print(). */
void validate_print_last_line(FILE *f, const struct validation *v);
/* The first checkpoint (snapshot of a script, else the end) with a counter out of the band, and the
 * counters that differ at the checkpoints. */
void validate_print_divergence(FILE *f, const struct case_result *c);
json_t *validate_json(const struct validation *v);
/* Tables for docs/fidelity.md. */
void validate_markdown(FILE *f, const struct validation *v);

/* Runs the same cases again with each of ten mechanisms switched off; a table for the docs. */
int validate_ablate(FILE *f, const struct validation *base, const struct knob_table *knobs,
                    struct rf_err *err) RF_MUST_CHECK;

/* ---- between the parts ---- */
double band_error(const struct band *b, int64_t value);
double band_spread(const struct band *b);
/* Sorts the n > 0 values; of an even number the lower one of the two in the middle. */
int64_t lower_median(int64_t *v, size_t n);
/* Adds a row; RF_ENOMEM in c->err. */
int case_add_row(struct case_result *c, const char *name, const struct band *b, int64_t value,
                 enum row_state state, bool bounded);
/* The machine that a golden was recorded on. */
int golden_machine(const struct golden *g, const struct trace_info *info,
                   const struct validate_opts *o, struct machine_config *out,
                   struct rf_err *err) RF_MUST_CHECK;
/* Name of the algorithm in brackets. */
void golden_bracketed(const char *text, char *out, size_t room);
int case_run_swap(struct case_result *c, struct dataset *d, const struct validate_opts *o,
                  struct rf_err *err) RF_MUST_CHECK;
int case_run_direct(struct case_result *c, struct dataset *d, const struct validate_opts *o,
                    struct rf_err *err) RF_MUST_CHECK;
/* Whether a recorded class table has columns with names, and rows of as many integers. */
bool classes_table_good(const json_t *table);
/* Compares a pool's class table with a golden's: the number of fields and of those that differ,
 * and the sums of pages_used over all classes. */
struct class_comparison {
    size_t fields, different;
    int64_t kernel_pages, pages;
};
void classes_compare(const json_t *table, const struct zs_class_stats *rows, uint32_t nr,
                     bool twelve, struct class_comparison *out);
/* Adds it as the row PREFIXclasses.fields_different, whose error is the share of the fields. */
int case_add_classes(struct case_result *c, const char *prefix, const struct class_comparison *cmp,
                     enum row_state state, bool bounded);
/* Over the judged rows of all cases; nearest-rank quantiles. */
void error_summarize(const struct case_result *const *cases, size_t n, bool bounded_only,
                     struct error_summary *out);

/* Replaces the costs of c by those of the machine that recorded the reference runs. */
void guest_costs(struct machine_config *c);

#endif
