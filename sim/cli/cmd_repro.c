/* SPDX-License-Identifier: Apache-2.0 */
/* refault repro: published experiments run again. */
#include "cli/cli.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include "config/value.h"
#include "html/reports.h"
#include "report/report.h"
#include "repro/repro.h"

enum { OPT_SEEDS = OPT_OWN, OPT_SCALE };

static const struct cli_option options[] = {
    {OPT_HTML, 0, "html", "FILE|-", "writes a page: published ranges and simulated values"},
    {OPT_JSON, 0, "json", "FILE|-", "writes criteria and runs as JSON; an array for 'all'"},
    {OPT_SEEDS, 0, "seeds", "N", "runs with N different random numbers, 1 to 100 (default 3)"},
    {OPT_SCALE, 0, "scale", "S", "size of machine and workload: 1, 0.25, 1/8 (default 1)"},
    CLI_JOBS_OPTION,
    {OPT_QUIET, 'q', "quiet", NULL, "no tables"},
    CLI_PROGRESS_OPTION,
    {0, 0, NULL, NULL, NULL},
};

static int cmd_repro(int argc, char **argv);
extern const struct cli_command cmd_repro_info;
const struct cli_command cmd_repro_info = {
    .name = "repro",
    .args = "[NAME|all]",
    .summary = "run published experiments again and judge them; without a name, list them",
    .example = "refault repro seed-004 --json seed-004.json",
    .options = options,
    .run = cmd_repro,
};

struct args {
    const char *name;
    const char *first; /* option, of those that say something about an experiment */
    struct outputs out;
    uint64_t seeds;
    unsigned jobs;
    double scale; /* 0 = not given */
    bool quiet;
    int progress;
};

/* A decimal or N/M, above 0 and up to 1. */
static int parse_scale(const char *text, double *out, struct rf_err *err) {
    char *end;
    const char *from = text;
    double v = strtod(from, &end), divisor = 1;

    if (end != from && *end == '/') {
        from = end + 1;
        divisor = strtod(from, &end);
    }
    v /= divisor;
    if (end == from || *end || !(v > 0 && v <= 1))
        return rf_fail(err, RF_EUSAGE,
                       "--scale: bad value '%s', expected a number or fraction above 0 and up to 1",
                       text);
    *out = v;
    return RF_OK;
}

static int take_option(void *ctx, int id, const char *value, struct rf_err *err) {
    struct args *a = ctx;

    for (const struct cli_option *o = options; o->id && !a->first; o++)
        a->first = o->id == id ? o->name : NULL;
    switch (id) {
    case CLI_ARG:
        if (a->name)
            return rf_fail(err, RF_EUSAGE, "repro takes one name, found '%s' and '%s'", a->name,
                           value);
        a->name = value;
        return RF_OK;
    case OPT_SEEDS:
        if (!value_u64(value, &a->seeds) || a->seeds < 1 || a->seeds > 100)
            return rf_fail(err, RF_EUSAGE, "--seeds: bad value '%s', expected 1 to 100", value);
        return RF_OK;
    case OPT_JOBS:
        return cli_jobs(value, &a->jobs, err);
    case OPT_SCALE:
        return parse_scale(value, &a->scale, err);
    case OPT_QUIET:
        a->quiet = true;
        return RF_OK;
    case OPT_PROGRESS:
        return cli_progress(value, &a->progress, err);
    default:
        cli_output_option(&a->out, id, value);
        return RF_OK;
    }
}

static int parse(struct args *a, int argc, char **argv, struct rf_err *err) {
    int rc = cli_parse(&cmd_repro_info, argc, argv, take_option, a, err);

    if (rc == RF_OK)
        rc = outputs_check(&a->out, err);
    if (rc == RF_OK && !a->name && a->first)
        rc = rf_fail(err, RF_EUSAGE, "--%s needs the name of an experiment, or 'all'", a->first);
    return rc;
}

static int list(struct rf_err *err) {
    struct output o;
    int rc = output_open(&o, "-", err);

    if (rc != RF_OK)
        return rc;
    for (const struct repro_ops *const *e = repro_registry(); *e; e++)
        fprintf(o.f, "%-13s %-10s %s\n", (*e)->name, (*e)->time, (*e)->summary);
    return output_close(&o, err);
}

/* One experiment on a thread of its own; what it prints is kept until its turn comes. */
struct job {
    const struct args *args;
    const struct repro_ops *ops;
    struct repro_pool *pool;
    bool started, failed;
    pthread_t thread;
    char *text;
    size_t len;
    json_t *json;
    struct rf_err err;
};

/* Experiments that are done print while others go on. */
struct shared_bar {
    struct progress progress;
    pthread_mutex_t lock;
};

static void on_progress(void *ctx, uint64_t done, uint64_t total) {
    struct shared_bar *b = ctx;

    pthread_mutex_lock(&b->lock);
    progress_update(&b->progress, done, total);
    pthread_mutex_unlock(&b->lock);
}

static int print_over(struct shared_bar *b, FILE *out, const char *before, const char *text,
                      struct rf_err *err) {
    bool bad;

    pthread_mutex_lock(&b->lock);
    progress_clear(&b->progress);
    bad = fprintf(out, "%s%s", before, text) < 0 || (b->progress.on && fflush(out) != 0);
    pthread_mutex_unlock(&b->lock);
    return bad ? rf_fail(err, RF_EIO, "cannot write stdout: %s", strerror(errno)) : RF_OK;
}

static void run_experiment(struct job *j) {
    const struct args *a = j->args;
    const struct repro_options o = {.out = open_memstream(&j->text, &j->len),
                                    .seeds = a->seeds ? (uint32_t)a->seeds : 3,
                                    .scale = a->scale > 0 ? a->scale : 1,
                                    .pool = j->pool};
    struct repro r;

    if (!o.out) {
        rf_fail(&j->err, RF_ENOMEM, "no memory for the output of %s", j->ops->name);
        return;
    }
    if (repro_run(&r, j->ops, &o, &j->err) == RF_OK) {
        j->failed = !repro_passed(&r);
        j->json = repro_json(&r, j->ops);
        if (!j->json)
            rf_fail(&j->err, RF_ENOMEM, "no memory for the result of %s", j->ops->name);
    }
    repro_free(&r);
    if (fclose(o.out) != 0 && j->err.code == RF_OK)
        rf_fail(&j->err, RF_ENOMEM, "no memory for the output of %s", j->ops->name);
}

static void *run_job(void *arg) {
    struct job *j = arg;

    run_experiment(j);
    repro_pool_done(j->pool);
    return NULL;
}

static void note_unused(const struct args *a, const struct repro_ops *ops) {
    if (!ops->random && a->seeds)
        cli_note("%s draws no random numbers: --seeds changes nothing", ops->name);
    if (!ops->scales && a->scale > 0 && a->scale < 1)
        cli_note("%s runs at full scale only: --scale changes nothing", ops->name);
}

/* Runs `only`, or all experiments if it is NULL, side by side. JSON goes to results. */
static int run_jobs(const struct args *a, const struct repro_ops *only, FILE *out, json_t *results,
                    bool *failed, struct rf_err *err) {
    struct repro_pool *pool = repro_pool_create(a->jobs ? a->jobs : cli_all_cores());
    struct job jobs[REPRO_MAX];
    struct shared_bar bar = {.lock = PTHREAD_MUTEX_INITIALIZER};
    size_t n = 0;
    int rc = RF_OK;

    if (!pool)
        return rf_fail(err, RF_ENOMEM, "no memory for the experiments");
    for (const struct repro_ops *const *e = repro_registry(); *e; e++) {
        if (only && *e != only)
            continue;
        note_unused(a, *e);
        jobs[n++] = (struct job){.args = a, .ops = *e, .pool = pool};
    }
    progress_init(&bar.progress, a->progress);
    repro_pool_report(pool, on_progress, &bar);
    repro_pool_expect(pool, n);
    for (size_t i = 0; i < n; i++)
        jobs[i].started = pthread_create(&jobs[i].thread, NULL, run_job, &jobs[i]) == 0;
    for (size_t i = 0; i < n; i++) {
        struct job *j = &jobs[i];

        if (j->started)
            pthread_join(j->thread, NULL);
        else
            run_job(j);
        if (rc == RF_OK && j->err.code != RF_OK) {
            *err = j->err;
            rc = j->err.code;
        }
        if (rc == RF_OK && out)
            rc = print_over(&bar, out, i ? "\n" : "", j->text, err);
        if (rc == RF_OK && json_array_append(results, j->json) != 0)
            rc = rf_fail(err, RF_ENOMEM, "no memory for the result of %s", j->ops->name);
        *failed |= j->failed;
        json_decref(j->json);
        free(j->text);
    }
    progress_clear(&bar.progress);
    repro_pool_free(pool);
    return rc;
}

/* 'all' gives an array, one name its result. */
static json_t *results_json(const void *ctx) {
    const json_t *results = ctx, *one = json_array_get(results, 0);
    const json_t *j = json_array_size(results) == 1 ? one : results;

    return json_incref((json_t *)(uintptr_t)j);
}

static int write_html(const void *ctx, FILE *f, struct rf_err *err) {
    return html_repro(f, ctx, err);
}

static int run_named(struct args *a, bool *failed, struct rf_err *err) {
    static const struct output_writers writers = {.json = results_json, .html = write_html};
    bool all = strcmp(a->name, "all") == 0, text = !a->quiet && !outputs_take_stdout(&a->out);
    const struct repro_ops *only = all ? NULL : repro_find(a->name);
    json_t *results = json_array();
    struct output o;
    int rc = RF_OK;

    if (!all && !only)
        rc =
            rf_fail(err, RF_EUSAGE, "unknown experiment '%s'; 'refault repro' lists them", a->name);
    if (rc == RF_OK)
        rc = outputs_open(&a->out, err);
    if (rc == RF_OK)
        rc = output_open(&o, "-", err);
    if (rc == RF_OK) {
        rc = run_jobs(a, only, text ? o.f : NULL, results, failed, err);
        if (rc == RF_OK && text)
            rc = output_close(&o, err);
    }
    if (rc == RF_OK)
        rc = outputs_write(&a->out, &writers, results, true, err);
    rc = outputs_close(&a->out, rc, err);
    json_decref(results);
    return rc;
}

static int cmd_repro(int argc, char **argv) {
    struct args a = {0};
    struct rf_err err = {0, ""};
    bool failed = false;
    int rc = parse(&a, argc, argv, &err);

    if (rc == RF_OK)
        rc = a.name ? run_named(&a, &failed, &err) : list(&err);
    return cli_end(&cmd_repro_info, rc, failed, &err);
}
