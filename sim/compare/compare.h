/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare: results side by side, and in what they differ: first the knobs, which are the cause;
 * then times, by how much each contributes to the change of its sum; then counters, by how far the
 * change is beyond what chance would do: |b - a| / sqrt(a + b), the difference of two counts of
 * independent events in standard deviations, with bytes counted in pages.
 */
#ifndef SIM_COMPARE_COMPARE_H
#define SIM_COMPARE_COMPARE_H

#include "report/report.h"

struct compare_run {
    char name[64]; /* of the column */
    json_t *result;
    struct value_list values;
};

/* A knob with different values; texts[i] of run i, "-" where a run does not have it. */
struct compare_knob {
    const char *key; /* of the first run that has it */
    char **texts;
};

struct compare_value {
    const char *name;
    enum machine_value_kind kind;
    uint64_t *v;   /* of each run */
    bool *has;     /* whether the run has it */
    bool bytes;    /* else a number, or a time if kind is MV_TIME and the name ends with _ns */
    bool differs;  /* any run from the first */
    bool repeated; /* the numbers of a value before it */
    double score;  /* larger first */
};

struct comparison {
    struct compare_run *runs;
    size_t n;
    struct compare_knob *knobs;
    size_t nr_knobs;
    struct compare_value
        *values; /* times (sums, causes of stalls, faults), counters, x; each by score */
    size_t nr_values;
    bool same_trace;
};

#define COMPARE_MAX_RUNS 64u
#define COMPARE_USUAL 20u /* counters that are shown unless more are asked for */

/* Adds the results of a file: one JSON object, or one a line. RF_EINPUT names file and line. */
int compare_add_file(struct comparison *c, const char *path, struct rf_err *err) RF_MUST_CHECK;
/* Adds one result; takes the reference in any case (NULL is RF_ENOMEM). */
int compare_add(struct comparison *c, json_t *result, const char *name,
                struct rf_err *err) RF_MUST_CHECK;
/* Finds the differences once all runs are there. RF_EUSAGE with fewer than two. */
int compare_finish(struct comparison *c, struct rf_err *err) RF_MUST_CHECK;
void compare_free(struct comparison *c);

/* For people: at most `most` counters that differ, 0 = every value of all runs. */
void compare_print(const struct comparison *c, FILE *f, size_t most);
/* All of it; new reference, NULL without memory. */
json_t *compare_json(const struct comparison *c);
/* One value a row: kind, name, the runs, the ratios to the first. */
void compare_csv(const struct comparison *c, FILE *f);

#endif
