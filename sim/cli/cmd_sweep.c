/* SPDX-License-Identifier: Apache-2.0 */
/* refault sweep: every combination of knob values over one or more traces. */
#include "cli/cli.h"

#include <stdlib.h>
#include "config/value.h"
#include "sweep/sweep.h"
#include "sweep/unmoved.h"

enum {
    OPT_SWEEP = OPT_OWN,
    OPT_ALONG,
    OPT_SCENARIOS,
    OPT_WHERE,
    OPT_JOURNAL,
    OPT_RESUME,
    OPT_SHARD,
    OPT_LIST
};

static const struct cli_option options[] = {
    CLI_MODEL_OPTIONS,
    {OPT_SWEEP, 0, "sweep", "KEY=LIST", "values of a knob: 1,2,5 or 0..5 or 10%..90%:10%"},
    {OPT_ALONG, 0, "along", "KEY=LIST",
     "values that go along with those of the --sweep or --along before it, one to one"},
    {OPT_SCENARIOS, 0, "scenarios", "FILE",
     "named sets of knobs: sections of an INI file, '[name : parent]' inherits"},
    {OPT_WHERE, 0, "where", "CONDITION",
     "only points with KEY OP VALUE or KEY OP KEY; repeatable, all must hold"},
    CLI_JOBS_OPTION,
    {OPT_JOURNAL, 0, "journal", "FILE", "keeps each result on disk as it comes"},
    {OPT_RESUME, 0, "resume", NULL, "runs only what the journal lacks, and what failed"},
    {OPT_SHARD, 0, "shard", "I/N", "runs the I-th of N parts; 'refault merge' joins journals"},
    {OPT_LIST, 0, "list", NULL, "prints every row with the name of its point; runs nothing"},
    {OPT_JSON, 0, "json", "FILE|-", "writes each result as one JSON object on a line"},
    {OPT_CSV, 0, "csv", "FILE|-", "writes all results as CSV, one a row"},
    CLI_HTML_OPTION,
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
    struct scenarios scenarios;
    struct where *where;
    size_t nr_where;
    struct cli_files traces;
    struct outputs out;
    const char *scenario_file;
    bool resume, list;
    unsigned jobs, shard, shards;
};

static int take_shard(struct args *a, const char *text, struct rf_err *err) {
    char first[16];
    size_t len = strcspn(text, "/");
    uint64_t i, n;

    if (len < sizeof(first) && text[len]) {
        memcpy(first, text, len);
        first[len] = '\0';
        if (value_u64(first, &i) && value_u64(text + len + 1, &n) && i >= 1 && i <= n &&
            n <= 1000000) {
            a->shard = (unsigned)i;
            a->shards = (unsigned)n;
            return RF_OK;
        }
    }
    return rf_fail(err, RF_EUSAGE, "--shard: bad value '%s', expected I/N, from 1/N to N/N", text);
}

static int take_where(struct args *a, const char *text, struct rf_err *err) {
    struct where *v = realloc(a->where, (a->nr_where + 1) * sizeof(*v));
    int rc;

    if (!v)
        return rf_fail(err, RF_ENOMEM, "no memory for the command line");
    a->where = v;
    rc = where_parse(&v[a->nr_where++], &a->model.knobs, text, err);
    return rc == RF_OK ? rc : rf_fail_prefix(err, "--where");
}

static int take_scenarios(struct args *a, const char *path, struct rf_err *err) {
    int rc;

    if (a->scenario_file)
        return rf_fail(err, RF_EUSAGE, "--scenarios: one file, found '%s' and '%s'",
                       a->scenario_file, path);
    a->scenario_file = path;
    rc = scenarios_read(&a->scenarios, &a->model.knobs, path, err);
    return rc == RF_OK ? rc : rf_fail_prefix(err, "--scenarios");
}

static int take_option(void *ctx, int id, const char *value, struct rf_err *err) {
    struct args *a = ctx;
    int rc;

    switch (id) {
    case CLI_ARG:
        a->traces.path[a->traces.n++] = value;
        return RF_OK;
    case OPT_SWEEP:
        rc = grid_add(&a->grid, &a->model.knobs, value, err);
        return rc == RF_OK ? rc : rf_fail_prefix(err, "--sweep");
    case OPT_ALONG:
        rc = grid_add_along(&a->grid, &a->model.knobs, value, err);
        return rc == RF_OK ? rc : rf_fail_prefix(err, "--along");
    case OPT_SCENARIOS:
        return take_scenarios(a, value, err);
    case OPT_WHERE:
        return take_where(a, value, err);
    case OPT_JOBS:
        return cli_jobs(value, &a->jobs, err);
    case OPT_JOURNAL:
        a->out.also = value;
        a->out.also_option = "journal";
        return RF_OK;
    case OPT_RESUME:
        a->resume = true;
        return RF_OK;
    case OPT_SHARD:
        return take_shard(a, value, err);
    case OPT_LIST:
        a->list = true;
        return RF_OK;
    default:
        return cli_output_option(&a->out, id, value) ? RF_OK
                                                     : cli_model_option(&a->model, id, value, err);
    }
}

static int check_files(const struct args *a, struct rf_err *err) {
    int rc = cli_files_keep(&a->traces, &a->out, err);

    if (rc == RF_OK && a->scenario_file)
        rc = outputs_keep(&a->out, a->scenario_file, err);
    return rc == RF_OK ? cli_model_keep(&a->model, &a->out, err) : rc;
}

/* 0 go on, 1 help was asked for, < 0 an error (in err, or printed if err->code is 0). */
static int parse(struct args *a, int argc, char **argv, struct rf_err *err) {
    int rc = cli_files_init(&a->traces, argc, err);

    if (rc == RF_OK)
        rc = cli_parse(&cmd_sweep_info, argc, argv, take_option, a, err);
    if (rc != RF_OK)
        return rc;
    if (!a->traces.n)
        return rf_fail(err, RF_EUSAGE, "sweep needs a trace; 'refault sweep --help' explains");
    if (!a->grid.n && !a->scenarios.n)
        return rf_fail(err, RF_EUSAGE, "sweep needs at least one --sweep KEY=LIST or --scenarios");
    if (a->resume && !a->out.also)
        return rf_fail(err, RF_EUSAGE, "--resume needs --journal FILE");
    rc = grid_check(&a->grid, err);
    return rc == RF_OK ? check_files(a, err) : rf_fail_prefix(err, "--sweep");
}

/* ---- running ---- */

static void on_progress(void *ctx, uint64_t done, uint64_t total) {
    progress_update(ctx, done, total);
}

/* The rows of the plan, or of the shard: name of the point, trace, key=value... */
static int print_list(const struct args *a, const struct plan *p, struct rf_err *err) {
    size_t n = plan_columns(p, NULL);
    const char **titles = calloc(2 * n + 1, sizeof(*titles)), **cells = titles + n;
    struct output o;
    int rc = titles ? output_open(&o, "-", err) : rf_fail(err, RF_ENOMEM, "no memory");

    if (rc == RF_OK) {
        plan_columns(p, titles);
        for (size_t i = 0; i < p->nr_rows; i++) {
            size_t point = p->rows[i].point;

            if (a->shards && point % a->shards != a->shard - 1)
                continue;
            plan_cells(p, i, cells);
            fprintf(o.f, "%s %s", p->points[point].name, p->traces[p->rows[i].trace].name);
            for (size_t c = p->nr_traces > 1; c < n; c++)
                fprintf(o.f, " %s=%s", titles[c], cells[c]);
            fputc('\n', o.f);
        }
        rc = output_close(&o, err);
    }
    free(titles);
    return rc;
}

/* Swept knobs that changed nothing, but for those of which note_idle() has said so. */
static int note_unmoved(const struct args *a, const struct results *r, const struct plan *p,
                        const struct idle_knobs *idle, struct rf_err *err) {
    const struct grid *g = &a->grid;
    bool *moved = calloc(g->n + 1, sizeof(*moved));
    char keys[512] = "";
    size_t at = 0;
    int rc = moved ? results_moved(r, p, moved, err) : rf_fail(err, RF_ENOMEM, "no memory");

    for (size_t i = 0; i < g->n && rc == RF_OK && at < sizeof(keys); i++) {
        if (!moved[i] && !idle_is(idle, g->axes[i].knob))
            at += (size_t)snprintf(keys + at, sizeof(keys) - at, "%s%s", at ? ", " : "",
                                   g->axes[i].knob->key);
    }
    if (rc == RF_OK && at)
        cli_note("changed nothing in any row: %s", keys);
    free(moved);
    return rc;
}

static int run_plan(struct args *a, const struct plan *p, const struct idle_knobs *idle,
                    struct rf_err *err) {
    struct progress bar;
    struct sweep s = {
        .plan = p,
        .threads = a->jobs ? a->jobs : cli_all_cores(),
        .shard = a->shard,
        .shards = a->shards,
        .journal = a->out.also,
        .resume = a->resume,
        .progress = on_progress,
        .ctx = &bar,
    };
    int rc;

    progress_init(&bar, a->model.progress);
    rc = sweep_run(&s, err);
    progress_clear(&bar);
    if (rc != RF_OK)
        return rc;
    if (s.dropped)
        cli_note("%s: %llu damaged line%s left out", a->out.also, (unsigned long long)s.dropped,
                 s.dropped == 1 ? "" : "s");
    if (a->resume && !a->model.quiet)
        cli_note("%zu point%s run, %zu found in %s", s.nr_run, s.nr_run == 1 ? "" : "s", s.nr_found,
                 a->out.also);
    rc = results_write(&s.results, &a->out, a->model.quiet, err);
    if (rc == RF_OK)
        rc = note_unmoved(a, &s.results, p, idle, err);
    sweep_free(&s);
    return rc;
}

/* What no point has an effect of. */
static int note_idle(const struct args *a, const struct plan *p, struct idle_knobs *k,
                     struct rf_err *err) {
    struct machine_config c;
    struct rf_err contradiction;
    int rc = idle_init(k, &a->model.knobs, err);

    if (rc != RF_OK)
        return rc;
    idle_add(k, a->model.settings.v, a->model.settings.n);
    for (size_t i = 0; i < a->scenarios.n; i++)
        idle_add(k, a->scenarios.v[i].v, a->scenarios.v[i].n);
    for (size_t i = 0; i < a->grid.n; i++)
        idle_add(k, &(struct setting){.knob = a->grid.axes[i].knob}, 1);
    for (size_t i = 0; i < p->nr_rows; i++) {
        if (plan_config(p, i, &c, &contradiction) == RF_OK && !idle_see(k, &c))
            break;
    }
    cli_note_idle(k);
    return RF_OK;
}

/* Rows with less memory than the recording of their trace is valid for. */
static void note_small(const struct plan *p) {
    for (size_t t = 0; t < p->nr_traces; t++) {
        const struct plan_trace *trace = &p->traces[t];
        struct machine_config c;
        struct rf_err contradiction;
        size_t small = 0, rows = 0;

        for (size_t i = 0; trace->info.min_memory_pages && i < p->nr_rows; i++) {
            if (p->rows[i].trace != t)
                continue;
            rows++;
            small += plan_config(p, i, &c, &contradiction) == RF_OK &&
                     report_too_small(&c, &trace->info);
        }
        cli_note_small(trace->name, &trace->info, small, rows);
    }
}

static int simulate(struct args *a, struct rf_err *err) {
    struct plan p = {
        .settings = &a->model.settings,
        .grid = &a->grid,
        .scenarios = &a->scenarios,
        .where = a->where,
        .nr_where = a->nr_where,
        .verify = a->model.verify,
        .check = a->model.check,
    };
    struct idle_knobs idle = {0};
    int rc = plan_make(&p, a->traces.path, a->traces.n, err);

    if (rc != RF_OK)
        return rc;
    rc = note_idle(a, &p, &idle, err);
    if (rc == RF_OK)
        note_small(&p);
    if (rc == RF_OK && a->list) {
        rc = print_list(a, &p, err);
    } else if (rc == RF_OK) {
        rc = outputs_open(&a->out, err);
        if (rc == RF_OK)
            rc = run_plan(a, &p, &idle, err);
        rc = outputs_close(&a->out, rc, err);
    }
    idle_free(&idle);
    plan_free(&p);
    return rc;
}

static int cmd_sweep(int argc, char **argv) {
    struct args a = {0};
    struct rf_err err = {0};
    int rc = cli_model_init(&a.model, &err), status;

    if (rc == RF_OK)
        rc = parse(&a, argc, argv, &err);
    if (rc == RF_OK)
        rc = simulate(&a, &err);
    status = cli_end(&cmd_sweep_info, rc, 0, &err);
    grid_free(&a.grid);
    scenarios_free(&a.scenarios);
    free(a.where);
    cli_files_free(&a.traces);
    cli_model_free(&a.model);
    return status;
}
