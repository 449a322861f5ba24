/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: results as JSON, CSV and text. Output of the same result is the same bytes on every
 * machine: keys are sorted, integers stay integers, nothing of the host is in it.
 */
#ifndef SIM_REPORT_REPORT_H
#define SIM_REPORT_REPORT_H

#include <stdio.h>
#include "config/knobs.h"
#include "replay.h"

/* A file to write, "-" = stdout. RF_EIO names the path and the reason. */
struct output {
    FILE *f;
    const char *path;
};
int output_open(struct output *o, const char *path, struct rf_err *err) RF_MUST_CHECK;
/* Flushes and closes; RF_EIO if anything could not be written. */
int output_close(struct output *o, struct rf_err *err) RF_MUST_CHECK;

/* The same for what was printed to stdout so far. */
int output_flush(struct rf_err *err) RF_MUST_CHECK;

/* RF_EUSAGE if writing to path (NULL, "-": nowhere) would destroy the file input, under whatever
 * names, or one from which input, if it is a trace, has its contents. A file that is not there yet,
 * or is no regular file, destroys none. */
int output_keeps(const char *path, const char *input, struct rf_err *err) RF_MUST_CHECK;
/* The same for the files that a model of contents names. */
int output_keeps_contents(const char *path, const char *spec, struct rf_err *err) RF_MUST_CHECK;

/* The files that a command may be asked for, by the name of their option. */
enum output_kind { OUT_JSON, OUT_CSV, OUT_HTML, OUT_TIMELINE, OUT_MARKDOWN, NR_OUTPUTS };
struct outputs {
    const char *path[NR_OUTPUTS]; /* NULL = not wanted */
    struct output o[NR_OUTPUTS];
    /* A file that the command writes by itself, and the name of its option; NULL = none. It is
     * checked with the others and never opened here. */
    const char *also, *also_option;
};
/* RF_EUSAGE if two of them are the same place, where their contents would mix. They need not exist
 * yet. */
int outputs_check(const struct outputs *o, struct rf_err *err) RF_MUST_CHECK;
/* RF_EUSAGE if one of them would destroy the file input. */
int outputs_keep(const struct outputs *o, const char *input, struct rf_err *err) RF_MUST_CHECK;
/* RF_EUSAGE if one of them would be a file of the folder whose name ends so, as inputs there do. */
int outputs_outside(const struct outputs *o, const char *folder, const char *ending,
                    struct rf_err *err) RF_MUST_CHECK;
/* Opens what is wanted; before a run, so that a path that cannot be written is known at once. */
int outputs_open(struct outputs *o, struct rf_err *err) RF_MUST_CHECK;
/* Closes what is open. rc is how the run ended: the first error stays in err and is returned. */
int outputs_close(struct outputs *o, int rc, struct rf_err *err) RF_MUST_CHECK;
/* Whether one of them goes to stdout, which then has no room for a summary. */
bool outputs_take_stdout(const struct outputs *o);
/* How the result ctx of a command is written in each form that it has; NULL = it has none. */
struct output_writers {
    json_t *(*json)(const void *ctx); /* a new reference; NULL: no memory */
    int (*csv)(const void *ctx, FILE *f, struct rf_err *err);
    int (*html)(const void *ctx, FILE *f, struct rf_err *err);
    int (*page)(FILE *f, const json_t *j, struct rf_err *err); /* HTML, too, made of the JSON */
    int (*text)(const void *ctx, FILE *f, struct rf_err *err);
};
/* Writes what is open, and the text to stdout unless quiet or stdout is taken. */
int outputs_write(struct outputs *o, const struct output_writers *w, const void *ctx, bool quiet,
                  struct rf_err *err) RF_MUST_CHECK;

/* A text as it is shown: one line of valid UTF-8, with ? for what is not. Returns buf. */
const char *report_line(const char *text, char *buf, size_t size);
/* The last component of a path, likewise. */
const char *report_name(const char *path, char *buf, size_t size);

/* Whether a limit is below the smallest memory for which the trace is valid. */
bool report_too_small(const struct machine_config *c, const struct trace_info *i);
/* The result as one object (new reference), NULL without memory. trace_name: see report_name(). */
json_t *report_json(const struct replay_result *r, const struct knob_table *knobs,
                    const char *trace_name);
/* A JSON string (new reference) of any bytes: those that are no UTF-8 become '?'. */
json_t *report_string(const char *text);
/* The way back: all integer values of such an object, sorted. RF_EINPUT if it is no result, if a
 * time or counter is no count, or if a name or text of it could not be shown as it is. */
int report_values(const json_t *result, struct value_list *out, struct rf_err *err) RF_MUST_CHECK;
/* Writes an object: indented, or on one line; ends with a newline. */
int report_write_json(struct output *o, const json_t *j, bool one_line,
                      struct rf_err *err) RF_MUST_CHECK;

/* A CSV field, quoted where needed. */
void csv_field(FILE *f, const char *text);
/* Header fields and row fields of the values: time.*, counters, x.*, each preceded by a comma. */
void csv_value_names(FILE *f, const struct value_list *l);
void csv_values(FILE *f, const struct value_list *columns, const struct value_list *l);
/* A whole time series: header and rows. */
void csv_series(FILE *f, const struct series *s);

/* The summary for people. */
void report_text(FILE *f, const struct replay_result *r, const char *trace_name);
/* One sentence on what happened; returns buf. */
const char *report_verdict(const struct replay_result *r, char *buf, size_t size);

#endif
