/* SPDX-License-Identifier: Apache-2.0 */
/* Results as CSV, as JSON lines, and as a table for people. */
#include "sweep/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "config/value.h"

static const struct record *record_of(const struct results *r, size_t row) {
    return &r->records[r->rows[row].record];
}

const char *record_outcome(const struct record *rec) {
    if (rec->code != RF_OK)
        return "failed";
    return rec->oom ? "oom" : "done";
}

int results_columns(const struct results *r, struct value_list *out, struct rf_err *err) {
    *out = (struct value_list){0};
    for (size_t i = 0; i < r->nr_records; i++) {
        if (r->records[i].known && value_list_merge_names(out, &r->records[i].values) != RF_OK) {
            value_list_free(out);
            return rf_fail(err, RF_ENOMEM, "no memory for the table");
        }
    }
    return RF_OK;
}

int results_write_csv(const struct results *r, FILE *f, struct rf_err *err) {
    struct value_list columns;
    int rc = results_columns(r, &columns, err);

    if (rc != RF_OK)
        return rc;
    for (size_t i = 0; i < r->nr_columns; i++) {
        csv_field(f, r->columns[i]);
        fputc(',', f);
    }
    fputs("outcome", f);
    csv_value_names(f, &columns);
    fputc('\n', f);
    for (size_t i = 0; i < r->nr_rows; i++) {
        const struct record *rec = record_of(r, i);

        if (!rec->known)
            continue;
        for (size_t c = 0; c < r->nr_columns; c++) {
            csv_field(f, r->rows[i].cells[c]);
            fputc(',', f);
        }
        fputs(record_outcome(rec), f);
        csv_values(f, &columns, &rec->values);
        fputc('\n', f);
    }
    value_list_free(&columns);
    return RF_OK;
}

int results_write_json(const struct results *r, struct output *o, struct rf_err *err) {
    int rc = RF_OK;

    for (size_t i = 0; i < r->nr_rows && rc == RF_OK; i++) {
        const struct record *rec = record_of(r, i);
        json_t *j;

        if (!rec->known || rec->code != RF_OK)
            continue;
        j = json_loads(rec->json, 0, NULL);
        json_object_set_new(json_object_get(j, "trace"), "name", json_string(r->rows[i].trace));
        rc = report_write_json(o, j, true, err);
        json_decref(j);
    }
    return rc;
}

/* ---- the table on the terminal: what is not 0 everywhere ---- */

static const struct {
    enum machine_value_kind kind;
    const char *name, *title;
    bool bytes;
} shown[] = {
    {MV_TIME, "elapsed_ns", "elapsed", false},
    {MV_TIME, "stall_ns", "stalled", false},
    {MV_COUNTER, "vmstat.pgmajfault", "pgmajfault", false},
    {MV_COUNTER, "vmstat.pswpin", "pswpin", false},
    {MV_COUNTER, "vmstat.pswpout", "pswpout", false},
    {MV_COUNTER, "vmstat.zswpin", "zswpin", false},
    {MV_COUNTER, "vmstat.zswpout", "zswpout", false},
    {MV_COUNTER, "vmstat.zswpwb", "zswpwb", false},
    {MV_COUNTER, "zswap.pool_total_size", "pool", true},
    {MV_COUNTER, "zram.mem_used_total", "zram", true},
};
#define NR_SHOWN (sizeof(shown) / sizeof(shown[0]))

static const struct value *shown_value(const struct record *rec, size_t column) {
    return value_list_find(&rec->values, shown[column].kind, shown[column].name);
}

static void print_cell(FILE *f, const struct record *rec, size_t column) {
    const struct value *v = shown_value(rec, column);
    char text[48] = "-";

    if (v && shown[column].kind == MV_TIME)
        value_format_time(v->value, text, sizeof(text));
    else if (v && shown[column].bytes)
        value_format_bytes(v->value, text, sizeof(text));
    else if (v)
        value_decimal(v->kind, v->value, text);
    fprintf(f, " %11s", text);
}

/* Names stand at the left, values at the right. */
static bool is_name(const char *column) {
    return strcmp(column, "trace") == 0 || strcmp(column, "scenario") == 0;
}

static int width_of(const struct results *r, size_t column) {
    size_t width = strlen(r->columns[column]);

    for (size_t i = 0; i < r->nr_rows; i++) {
        if (record_of(r, i)->known)
            width = RF_MAX(width, strlen(r->rows[i].cells[column]));
    }
    return (int)width;
}

static void print_texts(FILE *f, const struct results *r, const int *widths, char **texts) {
    for (size_t c = 0; c < r->nr_columns; c++)
        fprintf(f, is_name(r->columns[c]) ? "%-*s  " : "%*s  ", widths[c], texts[c]);
}

int results_print(const struct results *r, FILE *f, struct rf_err *err) {
    int *widths = calloc(r->nr_columns + 1, sizeof(*widths));
    bool used[NR_SHOWN] = {false};

    if (!widths)
        return rf_fail(err, RF_ENOMEM, "no memory for the table");
    for (size_t c = 0; c < r->nr_columns; c++)
        widths[c] = width_of(r, c);

    for (size_t i = 0; i < r->nr_records; i++) {
        for (size_t c = 0; c < NR_SHOWN; c++) {
            const struct value *v = shown_value(&r->records[i], c);

            used[c] |= v && v->value;
        }
    }
    print_texts(f, r, widths, r->columns);
    fprintf(f, "%-7s", "outcome");
    for (size_t c = 0; c < NR_SHOWN; c++) {
        if (used[c])
            fprintf(f, " %11s", shown[c].title);
    }
    fputc('\n', f);
    for (size_t i = 0; i < r->nr_rows; i++) {
        const struct record *rec = record_of(r, i);

        if (!rec->known)
            continue;
        print_texts(f, r, widths, r->rows[i].cells);
        fprintf(f, "%-7s", record_outcome(rec));
        for (size_t c = 0; c < NR_SHOWN; c++) {
            if (used[c])
                print_cell(f, rec, c);
        }
        fputc('\n', f);
    }
    free(widths);
    return RF_OK;
}

int results_failure(const struct results *r, struct rf_err *err) {
    const struct result_row *first = NULL;
    size_t failed, at = 0;
    char name[256] = "";

    results_known(r, &failed);
    for (size_t i = 0; i < r->nr_rows && !first; i++) {
        if (record_of(r, i)->known && record_of(r, i)->code != RF_OK)
            first = &r->rows[i];
    }
    if (!first)
        return RF_OK;
    for (size_t c = 0; c < r->nr_columns && at < sizeof(name); c++) {
        if (strcmp(r->columns[c], "trace") != 0)
            at += (size_t)snprintf(name + at, sizeof(name) - at, " %s=%s", r->columns[c],
                                   first->cells[c]);
    }
    rf_fail(err, r->records[first->record].code, "%s",
            r->records[first->record].error ? r->records[first->record].error : "no memory");
    rf_fail_prefix(err, "%s%s", first->trace, name);
    if (failed > 1)
        rf_fail_prefix(err, "%zu of %zu points failed, the first of them", failed, r->nr_rows);
    return err->code;
}

int results_write(const struct results *r, struct outputs *out, bool quiet, struct rf_err *err) {
    struct output *o = out->o, text;
    int rc = RF_OK;

    if (o[OUT_CSV].f)
        rc = results_write_csv(r, o[OUT_CSV].f, err);
    if (rc == RF_OK && o[OUT_JSON].f)
        rc = results_write_json(r, &o[OUT_JSON], err);
    if (rc == RF_OK && o[OUT_HTML].f)
        rc = results_write_html(r, o[OUT_HTML].f, err);
    if (rc == RF_OK && !quiet && !outputs_take_stdout(out)) {
        rc = outputs_close(out, RF_OK, err);
        if (rc == RF_OK)
            rc = output_open(&text, "-", err);
        if (rc == RF_OK)
            rc = results_print(r, text.f, err);
        if (rc == RF_OK)
            rc = output_close(&text, err);
    }
    return rc == RF_OK ? results_failure(r, err) : rc;
}
