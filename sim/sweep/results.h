/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results: a table of finished points, from a sweep that has just run or from journals: what its
 * CSV, JSON lines and text show. The same results give the same bytes wherever they come from.
 */
#ifndef SIM_SWEEP_RESULTS_H
#define SIM_SWEEP_RESULTS_H

#include "report/report.h"
#include "sweep/points.h"

/* The result of one point. */
struct record {
    char name[POINT_NAME_LEN + 1];
    bool known; /* has run, here or before; else nothing below counts */
    bool oom;
    int code;    /* of the failure, RF_OK = none */
    char *error; /* its message, NULL if memory was missing even for that */
    struct value_list values;
    char *json; /* the object of --json without the trace's name, on one line */
};

struct result_row {
    char *trace;  /* as it is shown */
    char **cells; /* nr_columns texts */
    size_t record;
};

struct results {
    char **columns;
    size_t nr_columns;
    struct result_row *rows;
    size_t nr_rows;
    struct record *records; /* points in the order of their first rows */
    size_t nr_records;
    uint32_t *index; /* hash table of records by name: number + 1, 0 = free */
    size_t index_mask;
};

/* Rows of a plan with their points, none of them known. RF_ENOMEM. */
int results_init(struct results *r, const struct plan *p, struct rf_err *err) RF_MUST_CHECK;
void results_free(struct results *r);
/* The record of that name, NULL if the table has none. */
struct record *results_find(struct results *r, const char *name);

/* Takes over a result, which has no values afterwards. RF_ENOMEM. */
int record_set(struct record *rec, struct replay_result *res,
               const struct knob_table *knobs) RF_MUST_CHECK;
void record_fail(struct record *rec, const struct rf_err *error);

/* Lines of a journal: the plan, a record; new references, NULL without memory. */
json_t *results_plan_json(const struct results *r);
json_t *record_json(const struct record *rec);
/* The way back. RF_EINPUT if a line is not as it should be. A record that has failed never replaces
 * one that has not. */
bool json_is_plan(const json_t *line);
int results_from_plan(struct results *r, const json_t *line, struct rf_err *err) RF_MUST_CHECK;
int record_from_json(struct record *rec, const json_t *line, struct rf_err *err) RF_MUST_CHECK;

/* Rows whose points are known, and those that failed. */
size_t results_known(const struct results *r, size_t *failed);
/* All names that any row has, sorted as in one result. RF_ENOMEM. */
int results_columns(const struct results *r, struct value_list *out,
                    struct rf_err *err) RF_MUST_CHECK;
/* "done", "oom" or "failed". */
const char *record_outcome(const struct record *rec);

/* Rows whose points are known, in order. */
int results_write_csv(const struct results *r, FILE *f, struct rf_err *err) RF_MUST_CHECK;
int results_write_json(const struct results *r, struct output *o, struct rf_err *err) RF_MUST_CHECK;
int results_write_html(const struct results *r, FILE *f, struct rf_err *err) RF_MUST_CHECK;
int results_print(const struct results *r, FILE *f, struct rf_err *err) RF_MUST_CHECK;
/* The first failure in the order of rows, prefixed with what was run; RF_OK if there is none. */
int results_failure(const struct results *r, struct rf_err *err) RF_MUST_CHECK;
/* All of that: the outputs that are open, the table unless quiet or stdout is taken, and then the
 * first failure as the result. */
int results_write(const struct results *r, struct outputs *out, bool quiet,
                  struct rf_err *err) RF_MUST_CHECK;

#endif
