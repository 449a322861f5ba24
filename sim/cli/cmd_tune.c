/* SPDX-License-Identifier: Apache-2.0 */
/* refault tune: search for the best point of a grid. */
#include "cli/cli.h"

#include <stdlib.h>

#include "config/value.h"
#include "html/reports.h"
#include "report/report.h"
#include "tune/tune.h"

enum { OPT_MINIMIZE = OPT_OWN, OPT_WHERE, OPT_AGAINST, OPT_SWEEP, OPT_EXACT };

static const struct cli_option options[] = {
    CLI_MODEL_OPTIONS,
    {OPT_MINIMIZE, 0, "minimize", "METRIC",
     "stall (default), elapsed, sys, p99, written, memory, or a key of the result"},
    {OPT_WHERE, 0, "where", "METRIC<=V", "a bound that must hold (also >=); repeatable"},
    {OPT_AGAINST, 0, "against", "METRIC", "what the front weighs it against (memory); repeatable"},
    {OPT_SWEEP, 0, "sweep", "KEY=LIST", "values of a knob: 1,2,5 or 0..5 or 10%..90%:10%"},
    {OPT_EXACT, 0, "exact", "N", "whole replays at most (default: a fifth of the grid)"},
    CLI_JOBS_OPTION,
    {OPT_JSON, 0, "json", "FILE|-", "writes all points as one JSON object"},
    {OPT_CSV, 0, "csv", "FILE|-", "writes the points that were run whole as CSV"},
    CLI_HTML_OPTION,
    {0, 0, NULL, NULL, NULL},
};

static int cmd_tune(int argc, char **argv);
extern const struct cli_command cmd_tune_info;
const struct cli_command cmd_tune_info = {
    .name = "tune",
    .args = "TRACE",
    .summary = "search a grid for the best point instead of running all of it",
    .example = "refault tune traces/redis.rft --minimize stall --where 'written<=4M' \\\n"
               "      --set memory.max=50% --set zswap.enabled=1 \\\n"
               "      --sweep zswap.max_pool_percent=5..50:5 --sweep vm.page-cluster=0..5",
    .options = options,
    .run = cmd_tune,
};

struct args {
    struct cli_model model;
    struct grid grid;
    struct tune_params p;
    struct bound bounds[TUNE_MAX_BOUNDS];
    struct outputs out;
    unsigned jobs;
};

static int take_metric(struct args *a, const char *value, struct rf_err *err) {
    if (a->p.nr_metrics == TUNE_MAX_METRICS)
        return rf_fail(err, RF_EUSAGE, "--against: at most %u metrics", TUNE_MAX_METRICS - 1);
    return metric_parse(&a->p.metrics[a->p.nr_metrics++], value, err);
}

static int take_option(void *ctx, int id, const char *value, struct rf_err *err) {
    struct args *a = ctx;
    uint64_t n;
    int rc;

    switch (id) {
    case CLI_ARG:
        if (a->p.trace)
            return rf_fail(err, RF_EUSAGE, "tune takes one trace, found '%s' as well", value);
        a->p.trace = value;
        return RF_OK;
    case OPT_MINIMIZE:
        rc = metric_parse(&a->p.metrics[0], value, err);
        return rc == RF_OK ? rc : rf_fail_prefix(err, "--minimize");
    case OPT_AGAINST:
        return take_metric(a, value, err);
    case OPT_WHERE:
        if (a->p.nr_bounds == TUNE_MAX_BOUNDS)
            return rf_fail(err, RF_EUSAGE, "--where: at most %u bounds", TUNE_MAX_BOUNDS);
        rc = bound_parse(&a->bounds[a->p.nr_bounds++], value, err);
        return rc == RF_OK ? rc : rf_fail_prefix(err, "--where");
    case OPT_SWEEP:
        rc = grid_add(&a->grid, &a->model.knobs, value, err);
        return rc == RF_OK ? rc : rf_fail_prefix(err, "--sweep");
    case OPT_EXACT:
        if (!value_u64(value, &n) || n == 0 || n > 100000)
            return rf_fail(err, RF_EUSAGE, "--exact: bad value '%s', expected 1..100000", value);
        a->p.exact = n;
        return RF_OK;
    case OPT_JOBS:
        return cli_jobs(value, &a->jobs, err);
    default:
        return cli_output_option(&a->out, id, value) ? RF_OK
                                                     : cli_model_option(&a->model, id, value, err);
    }
}

static int check_metrics(const struct args *a, struct rf_err *err) {
    const struct metric *m = a->p.metrics;

    for (size_t i = 1; i < a->p.nr_metrics; i++) {
        for (size_t k = 0; k < i; k++) {
            if (metric_same(&m[i], &m[k]))
                return rf_fail(err, RF_EUSAGE, "--against: '%s' is %s already", m[i].name,
                               k ? "weighed" : "minimised");
        }
    }
    return RF_OK;
}

static int parse(struct args *a, int argc, char **argv, struct rf_err *err) {
    int rc = metric_parse(&a->p.metrics[0], "stall", err);

    a->p.nr_metrics = 1;
    if (rc == RF_OK)
        rc = cli_parse(&cmd_tune_info, argc, argv, take_option, a, err);
    if (rc != RF_OK)
        return rc;
    if (!a->p.trace)
        return rf_fail(err, RF_EUSAGE, "tune needs a trace; 'refault tune --help' explains");
    if (!a->grid.n)
        return rf_fail(err, RF_EUSAGE, "tune needs --sweep KEY=LIST to search");
    rc = grid_check(&a->grid, err);
    if (rc != RF_OK)
        return rf_fail_prefix(err, "--sweep");
    rc = check_metrics(a, err);
    if (rc == RF_OK)
        rc = outputs_check(&a->out, err);
    if (rc == RF_OK && a->p.nr_metrics == 1 && !a->p.metrics[0].memory)
        rc = take_metric(a, "memory", err);
    return rc;
}

/* ---- output ---- */

struct view {
    const struct args *a;
    const struct tune_result *r;
};

static void print_knobs(FILE *f, const struct args *a, size_t index) {
    struct setting *values = calloc(a->grid.n, sizeof(*values));

    if (!values)
        return;
    grid_point(&a->grid, index, values);
    for (size_t i = 0; i < a->grid.n; i++)
        fprintf(f, " %s=%s", values[i].knob->key, values[i].value);
    free(values);
}

/* Sizes in KiB, to the page: points of a front often differ by a few pages. */
static void print_metrics(FILE *f, const struct args *a, const double *values) {
    char text[48];

    for (size_t m = 0; m < a->p.nr_metrics; m++) {
        const struct metric *metric = &a->p.metrics[m];

        if (metric->unit == METRIC_BYTES)
            fprintf(f, "  %s %.0f KiB", metric->name, values[m] / 1024);
        else
            fprintf(f, "  %s %s", metric->name,
                    metric_format(metric, values[m], text, sizeof(text)));
    }
}

struct place {
    double value;
    size_t index;
};

static int compare_places(const void *a, const void *b) {
    const struct place *x = a, *y = b;

    if (x->value < y->value || x->value > y->value)
        return x->value > y->value ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The best first: down the list the metric grows and what it is weighed against shrinks. */
static void print_front(FILE *f, const struct args *a, const struct tune_result *r) {
    struct place *front = calloc(r->n, sizeof(*front));
    size_t n = 0;

    for (size_t i = 0; front && i < r->n; i++) {
        if (r->points[i].front)
            front[n++] = (struct place){r->points[i].value[0], i};
    }
    if (n)
        qsort(front, n, sizeof(*front), compare_places);
    fprintf(f, "front of %zu:\n", n);
    for (size_t i = 0; i < n; i++) {
        print_metrics(f, a, r->points[front[i].index].value);
        fputs("  with", f);
        print_knobs(f, a, front[i].index);
        fputc('\n', f);
    }
    free(front);
}

static bool any_done(const struct tune_result *r) {
    bool done = false;

    for (size_t i = 0; i < r->n; i++)
        done |= r->points[i].exact && !r->points[i].failed && !r->points[i].oom;
    return done;
}

static int print_text(const void *ctx, FILE *f, struct rf_err *err) {
    const struct view *v = ctx;
    const struct args *a = v->a;
    const struct tune_result *r = v->r;
    char name[256];

    (void)err;
    fprintf(f, "%s: least %s of %zu point%s, %zu of them run whole",
            report_name(a->p.trace, name, sizeof(name)), a->p.metrics[0].name, r->n,
            r->n == 1 ? "" : "s", r->nr_exact);
    for (size_t i = 0; i < r->nr_rungs; i++)
        fprintf(f, "%s %zu at rate %.3g", i ? "," : "; in miniature", r->rungs[i].points,
                r->rungs[i].rate);
    fputc('\n', f);
    if (r->nr_failed)
        fprintf(f, "%zu point%s failed; the first: %s\n", r->nr_failed,
                r->nr_failed == 1 ? "" : "s", r->first_failure.msg);
    if (r->best == SIZE_MAX) {
        fputs(any_done(r) ? "no point that was run whole keeps the bounds\n"
                          : "all points that were run whole ran out of memory\n",
              f);
        return RF_OK;
    }
    fputs("best:", f);
    print_knobs(f, a, r->best);
    fputs("\n     ", f);
    print_metrics(f, a, r->points[r->best].value);
    fputc('\n', f);
    print_front(f, a, r);
    return RF_OK;
}

static const char *outcome_of(const struct tune_point *p) {
    return p->failed ? "failed" : p->oom ? "oom" : "done";
}

static int print_csv(const void *ctx, FILE *f, struct rf_err *err) {
    const struct view *v = ctx;
    const struct args *a = v->a;
    const struct tune_result *r = v->r;
    struct setting *values = calloc(a->grid.n, sizeof(*values));

    if (!values)
        return rf_fail(err, RF_ENOMEM, "no memory for the points");
    for (size_t i = 0; i < a->grid.n; i++)
        fprintf(f, "%s,", a->grid.axes[i].knob->key);
    fputs("outcome", f);
    for (size_t m = 0; m < a->p.nr_metrics; m++) {
        fputc(',', f);
        csv_field(f, a->p.metrics[m].name);
    }
    fputs(",bounds,front,best\n", f);
    for (size_t i = 0; i < r->n; i++) {
        const struct tune_point *p = &r->points[i];

        if (!p->exact)
            continue;
        grid_point(&a->grid, i, values);
        for (size_t k = 0; k < a->grid.n; k++) {
            csv_field(f, values[k].value);
            fputc(',', f);
        }
        fputs(outcome_of(p), f);
        for (size_t m = 0; m < a->p.nr_metrics; m++)
            fprintf(f, ",%.0f", p->value[m]);
        fprintf(f, ",%d,%d,%d\n", !p->failed && p->violation <= 0, p->front, i == r->best);
    }
    free(values);
    return RF_OK;
}

static json_t *point_json(const struct args *a, const struct tune_result *r, size_t index) {
    const struct tune_point *p = &r->points[index];
    struct setting *values = calloc(a->grid.n, sizeof(*values));
    json_t *knobs = json_object(), *metrics = json_object();

    if (values)
        grid_point(&a->grid, index, values);
    for (size_t i = 0; values && i < a->grid.n; i++)
        json_object_set_new(knobs, values[i].knob->key, json_string(values[i].value));
    free(values);
    for (size_t m = 0; m < a->p.nr_metrics; m++)
        json_object_set_new(metrics, a->p.metrics[m].name,
                            json_integer((json_int_t)(p->exact ? p->value[m] : p->guess[m])));
    return json_pack("{s:o, s:o, s:b, s:b, s:b, s:s}", "knobs", knobs, "metrics", metrics, "exact",
                     p->exact, "front", p->front, "bounds", !p->failed && p->violation <= 0,
                     "outcome", outcome_of(p));
}

static json_t *result_json(const void *ctx) {
    const struct view *v = ctx;
    const struct args *a = v->a;
    const struct tune_result *r = v->r;
    char name[256];
    json_t *points = json_array(), *rungs = json_array(), *units = json_object();

    for (size_t m = 0; m < a->p.nr_metrics; m++)
        json_object_set_new(units, a->p.metrics[m].name,
                            json_string(metric_unit_name(&a->p.metrics[m])));
    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(points, point_json(a, r, i));
    for (size_t i = 0; i < r->nr_rungs; i++)
        json_array_append_new(rungs, json_pack("{s:f, s:I}", "rate", r->rungs[i].rate, "points",
                                               (json_int_t)r->rungs[i].points));
    return json_pack("{s:s, s:s, s:o, s:I, s:o, s:o, s:o}", "trace",
                     report_name(a->p.trace, name, sizeof(name)), "minimize", a->p.metrics[0].name,
                     "units", units, "exact", (json_int_t)r->nr_exact, "miniatures", rungs, "best",
                     r->best == SIZE_MAX ? json_null() : point_json(a, r, r->best), "points",
                     points);
}

static const struct output_writers writers = {
    .json = result_json, .csv = print_csv, .page = html_tune, .text = print_text};

static void on_progress(void *ctx, uint64_t done, uint64_t total) {
    progress_update(ctx, done, total);
}

static int cmd_tune(int argc, char **argv) {
    struct args a = {.p.seed = 1};
    struct tune_result r = {.best = SIZE_MAX};
    struct progress bar;
    struct rf_err err = {0};
    int rc = cli_model_init(&a.model, &err), status;

    if (rc == RF_OK)
        rc = parse(&a, argc, argv, &err);
    if (rc == RF_OK)
        rc = outputs_keep(&a.out, a.p.trace, &err);
    if (rc == RF_OK)
        rc = cli_model_keep(&a.model, &a.out, &err);
    if (rc == RF_OK)
        rc = cli_model_note(&a.model, &a.grid, &err);
    if (rc == RF_OK)
        rc = cli_model_note_small(&a.model, &a.grid, a.p.trace, &err);
    if (rc == RF_OK)
        rc = outputs_open(&a.out, &err);
    if (rc == RF_OK) {
        a.p.settings = &a.model.settings;
        a.p.grid = &a.grid;
        a.p.bounds = a.bounds;
        a.p.threads = a.jobs ? a.jobs : cli_all_cores();
        a.p.progress = on_progress;
        a.p.ctx = &bar;
        progress_init(&bar, a.model.progress);
        rc = tune_run(&a.p, &r, &err);
        progress_clear(&bar);
    }
    if (rc == RF_OK)
        rc = outputs_write(&a.out, &writers, &(struct view){&a, &r}, a.model.quiet, &err);
    if (rc != 1)
        rc = outputs_close(&a.out, rc, &err);
    /* 1: no point keeps the bounds, or all ran out of memory */
    status = cli_end(&cmd_tune_info, rc, r.best == SIZE_MAX, &err);
    tune_result_free(&r);
    grid_free(&a.grid);
    cli_model_free(&a.model);
    return status;
}
