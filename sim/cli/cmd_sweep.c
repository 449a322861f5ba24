/* SPDX-License-Identifier: Apache-2.0 */
/* refault sweep: every combination of knob values over one or more traces. */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include "config/value.h"
#include "report/report.h"
#include "sweep/sweep.h"

enum { OPT_SWEEP = OPT_OWN, OPT_JOBS };

static const struct cli_option options[] = {
    CLI_MODEL_OPTIONS,
    {OPT_SWEEP, 0, "sweep", "KEY=LIST", "values of a knob: 1,2,5 or 0..5 or 10%..90%:10%"},
    {OPT_JOBS, 'j', "jobs", "N", "threads (default: all cores); changes no result"},
    {OPT_JSON, 0, "json", "FILE|-", "writes each result as one JSON object on a line"},
    {OPT_CSV, 0, "csv", "FILE|-", "writes all results as CSV, one a row"},
    {0, 0, NULL, NULL, NULL},
};

static int cmd_sweep(int argc, char **argv);
extern const struct cli_command cmd_sweep_info;
const struct cli_command cmd_sweep_info = {
    .name = "sweep",
    .args = "TRACE...",
    .summary = "run every combination of knob values on all cores: table, CSV, JSON lines",
    .example =
        "refault sweep traces/redis.rft --set memory.max=50% --set zswap.enabled=1 \\\n"
        "      --sweep zswap.max_pool_percent=1,5,20 --sweep vm.page-cluster=0..5 --csv o.csv",
    .options = options,
    .run = cmd_sweep,
};

struct args {
    struct cli_model model;
    struct grid grid;
    const char **traces;
    size_t nr_traces;
    const char *json, *csv;
    unsigned jobs;
};

static int take_option(struct args *a, int id, const char *value, struct rf_err *err) {
    int rc;

    switch (id) {
    case CLI_ARG:
        a->traces[a->nr_traces++] = value;
        return RF_OK;
    case OPT_SWEEP:
        rc = grid_add(&a->grid, &a->model.knobs, value, err);
        return rc == RF_OK ? rc : rf_fail_prefix(err, "--sweep");
    case OPT_JOBS:
        return cli_jobs(value, &a->jobs, err);
    case OPT_JSON:
        a->json = value;
        return RF_OK;
    case OPT_CSV:
        a->csv = value;
        return RF_OK;
    default:
        rc = cli_model_option(&a->model, id, value, err);
        return rc < 0 ? rc : RF_OK;
    }
}

/* 0 go on, 1 help was asked for, < 0 an error (in err, or printed if err->code is 0). */
static int parse(struct args *a, int argc, char **argv, struct rf_err *err) {
    struct cli_walk w;
    int id;

    a->traces = calloc((size_t)argc, sizeof(*a->traces));
    if (!a->traces)
        return rf_fail(err, RF_ENOMEM, "no memory for the command line");
    cli_walk_init(&w, &cmd_sweep_info, argc, argv);
    while ((id = cli_next(&w)) != CLI_END) {
        int rc;

        if (id == CLI_BAD)
            return RF_EUSAGE;
        if (id == CLI_HELP)
            return 1;
        rc = take_option(a, id, w.value, err);
        if (rc != RF_OK)
            return rc;
    }
    if (!a->nr_traces)
        return rf_fail(err, RF_EUSAGE, "sweep needs a trace; 'refault sweep --help' explains");
    if (!a->grid.n)
        return rf_fail(err, RF_EUSAGE, "sweep needs at least one --sweep KEY=LIST");
    return outputs_differ((const char *const[]){a->json, a->csv}, 2, err);
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static const char *outcome_of(const struct sweep_point *p) {
    if (p->err.code != RF_OK)
        return "failed";
    return p->result.outcome == MACHINE_OOM ? "oom" : "done";
}

/* All names that any point has, sorted as in one result. */
static int all_columns(const struct sweep *s, struct value_list *columns, struct rf_err *err) {
    *columns = (struct value_list){0};
    for (size_t i = 0; i < s->nr_points; i++) {
        if (s->points[i].err.code == RF_OK &&
            value_list_merge_names(columns, &s->points[i].result.values) != 0) {
            value_list_free(columns);
            return rf_fail(err, RF_ENOMEM, "no memory for the table");
        }
    }
    return RF_OK;
}

static int write_csv(const struct args *a, const struct sweep *s, struct output *o,
                     struct rf_err *err) {
    struct setting *values = calloc(a->grid.n + 1, sizeof(*values));
    size_t per_trace = grid_points(&a->grid);
    struct value_list columns;
    int rc = values ? all_columns(s, &columns, err) : rf_fail(err, RF_ENOMEM, "no memory");

    if (rc != RF_OK) {
        free(values);
        return rc;
    }
    if (a->nr_traces > 1)
        fputs("trace,", o->f);
    for (size_t i = 0; i < a->grid.n; i++) {
        csv_field(o->f, a->grid.axes[i].knob->key);
        fputc(',', o->f);
    }
    fputs("outcome", o->f);
    csv_value_names(o->f, &columns);
    fputc('\n', o->f);
    for (size_t p = 0; p < s->nr_points; p++) {
        if (a->nr_traces > 1) {
            csv_field(o->f, base_name(a->traces[p / per_trace]));
            fputc(',', o->f);
        }
        grid_point(&a->grid, p % per_trace, values);
        for (size_t i = 0; i < a->grid.n; i++) {
            csv_field(o->f, values[i].value);
            fputc(',', o->f);
        }
        fputs(outcome_of(&s->points[p]), o->f);
        csv_values(o->f, &columns, &s->points[p].result.values);
        fputc('\n', o->f);
    }
    value_list_free(&columns);
    free(values);
    return RF_OK;
}

static int write_json(const struct args *a, const struct sweep *s, struct output *o,
                      struct rf_err *err) {
    size_t per_trace = grid_points(&a->grid);
    int rc = RF_OK;

    for (size_t p = 0; p < s->nr_points && rc == RF_OK; p++) {
        json_t *j;

        if (s->points[p].err.code != RF_OK)
            continue;
        j = report_json(&s->points[p].result, &a->model.knobs, base_name(a->traces[p / per_trace]));
        rc = report_write_json(o, j, true, err);
        json_decref(j);
    }
    return rc;
}

/* What the table on the terminal shows, if it is not 0 everywhere. */
static const struct {
    enum machine_value_kind kind;
    const char *name, *title;
} shown[] = {
    {MV_TIME, "elapsed_ns", "elapsed"},
    {MV_TIME, "stall_ns", "stalled"},
    {MV_COUNTER, "vmstat.pgmajfault", "pgmajfault"},
    {MV_COUNTER, "vmstat.pswpin", "pswpin"},
    {MV_COUNTER, "vmstat.pswpout", "pswpout"},
    {MV_COUNTER, "vmstat.zswpin", "zswpin"},
    {MV_COUNTER, "vmstat.zswpout", "zswpout"},
    {MV_COUNTER, "vmstat.zswpwb", "zswpwb"},
    {MV_COUNTER, "zswap.pool_total_size", "pool"},
    {MV_COUNTER, "zram.mem_used_total", "zram"},
};
#define NR_SHOWN (sizeof(shown) / sizeof(shown[0]))

static void print_cell(FILE *f, const struct sweep_point *p, size_t column) {
    const struct value *v =
        value_list_find(&p->result.values, shown[column].kind, shown[column].name);
    char text[48] = "-";

    if (v && shown[column].kind == MV_TIME)
        value_format_time(v->value, text, sizeof(text));
    else if (v &&
             (strcmp(shown[column].title, "pool") == 0 || strcmp(shown[column].title, "zram") == 0))
        value_format_bytes(v->value, text, sizeof(text));
    else if (v)
        snprintf(text, sizeof(text), "%" PRIu64, v->value);
    fprintf(f, " %11s", text);
}

static int print_table(const struct args *a, const struct sweep *s, struct rf_err *err) {
    struct setting *values = calloc(a->grid.n + 1, sizeof(*values));
    int *widths = calloc(a->grid.n + 1, sizeof(*widths)), trace_width = 5;
    size_t per_trace = grid_points(&a->grid);
    bool used[NR_SHOWN] = {false};
    struct output o;
    int rc = output_open(&o, "-", err);

    if (rc == RF_OK && (!values || !widths))
        rc = rf_fail(err, RF_ENOMEM, "no memory for the table");
    if (rc != RF_OK)
        goto out;
    for (size_t p = 0; p < s->nr_points; p++) {
        for (size_t c = 0; c < NR_SHOWN; c++) {
            const struct value *v =
                value_list_find(&s->points[p].result.values, shown[c].kind, shown[c].name);

            used[c] |= v && v->value;
        }
    }
    for (size_t i = 0; i < a->grid.n; i++) {
        const struct axis *x = &a->grid.axes[i];

        widths[i] = (int)strlen(x->knob->key);
        for (size_t j = 0; j < x->n; j++)
            widths[i] = RF_MAX(widths[i], (int)strlen(x->values[j]));
    }
    for (size_t t = 0; t < a->nr_traces; t++)
        trace_width = RF_MAX(trace_width, (int)strlen(base_name(a->traces[t])));
    if (a->nr_traces > 1)
        fprintf(o.f, "%-*s  ", trace_width, "trace");
    for (size_t i = 0; i < a->grid.n; i++)
        fprintf(o.f, "%*s  ", widths[i], a->grid.axes[i].knob->key);
    fprintf(o.f, "%-7s", "outcome");
    for (size_t c = 0; c < NR_SHOWN; c++) {
        if (used[c])
            fprintf(o.f, " %11s", shown[c].title);
    }
    fputc('\n', o.f);
    for (size_t p = 0; p < s->nr_points; p++) {
        if (a->nr_traces > 1)
            fprintf(o.f, "%-*s  ", trace_width, base_name(a->traces[p / per_trace]));
        grid_point(&a->grid, p % per_trace, values);
        for (size_t i = 0; i < a->grid.n; i++)
            fprintf(o.f, "%*s  ", widths[i], values[i].value);
        fprintf(o.f, "%-7s", outcome_of(&s->points[p]));
        for (size_t c = 0; c < NR_SHOWN; c++) {
            if (used[c])
                print_cell(o.f, &s->points[p], c);
        }
        fputc('\n', o.f);
    }
    rc = output_close(&o, err);
out:
    free(values);
    free(widths);
    return rc;
}

/* The error of the first point that failed, with the values that it had. */
static int first_failure(const struct args *a, const struct sweep *s, struct rf_err *err) {
    size_t per_trace = grid_points(&a->grid);

    for (size_t p = 0; p < s->nr_points; p++) {
        struct setting *values;
        char name[256] = "";
        size_t at = 0;

        if (s->points[p].err.code == RF_OK)
            continue;
        *err = s->points[p].err;
        values = calloc(a->grid.n + 1, sizeof(*values));
        if (!values)
            return err->code;
        grid_point(&a->grid, p % per_trace, values);
        for (size_t i = 0; i < a->grid.n && at < sizeof(name); i++)
            at += (size_t)snprintf(name + at, sizeof(name) - at, " %s=%s", values[i].knob->key,
                                   values[i].value);
        free(values);
        return rf_fail_prefix(err, "%s%s", base_name(a->traces[p / per_trace]), name);
    }
    return RF_OK;
}

static void on_progress(void *ctx, uint64_t done, uint64_t total) {
    progress_update(ctx, done, total);
}

static int simulate(struct args *a, struct output *json, struct output *csv, struct rf_err *err) {
    struct progress bar;
    struct sweep s = {
        .settings = &a->model.settings,
        .grid = &a->grid,
        .traces = a->traces,
        .nr_traces = a->nr_traces,
        .threads = a->jobs ? a->jobs : cli_all_cores(),
        .verify = a->model.verify,
        .check = a->model.check,
        .keep_classes = a->json != NULL,
        .progress = on_progress,
        .ctx = &bar,
    };
    int rc;

    progress_init(&bar, a->model.progress);
    rc = sweep_run(&s, err);
    progress_clear(&bar);
    if (rc == RF_OK && a->csv)
        rc = write_csv(a, &s, csv, err);
    if (rc == RF_OK && a->json)
        rc = write_json(a, &s, json, err);
    if (rc == RF_OK && !a->model.quiet && csv->f != stdout && json->f != stdout)
        rc = print_table(a, &s, err);
    if (rc == RF_OK)
        rc = first_failure(a, &s, err);
    sweep_free(&s);
    return rc;
}

static int cmd_sweep(int argc, char **argv) {
    struct args a = {0};
    struct output json = {0}, csv = {0};
    struct rf_err err = {0}, close_err;
    int rc = cli_model_init(&a.model, &err), status;

    if (rc == RF_OK)
        rc = parse(&a, argc, argv, &err);
    for (size_t i = 0; rc == RF_OK && i < a.nr_traces; i++) {
        rc = output_keeps(a.json, a.traces[i], &err);
        if (rc == RF_OK)
            rc = output_keeps(a.csv, a.traces[i], &err);
    }
    if (rc == RF_OK && a.json)
        rc = output_open(&json, a.json, &err);
    if (rc == RF_OK && a.csv)
        rc = output_open(&csv, a.csv, &err);
    if (rc == RF_OK)
        rc = simulate(&a, &json, &csv, &err);
    if (json.f && output_close(&json, &close_err) != RF_OK && rc == RF_OK) {
        rc = close_err.code;
        err = close_err;
    }
    if (csv.f && output_close(&csv, &close_err) != RF_OK && rc == RF_OK) {
        rc = close_err.code;
        err = close_err;
    }
    if (rc == 1)
        status = cli_help(&cmd_sweep_info);
    else if (rc == RF_OK)
        status = 0;
    else
        status = err.code ? cli_fail(&err) : 2;
    grid_free(&a.grid);
    free(a.traces);
    cli_model_free(&a.model);
    return status;
}
