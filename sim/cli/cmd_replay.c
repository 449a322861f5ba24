/* SPDX-License-Identifier: Apache-2.0 */
/* refault replay: one machine, one trace. */
#include "cli/cli.h"

#include <stdlib.h>
#include <unistd.h>
#include "compare/compare.h"
#include "config/value.h"
#include "html/reports.h"
#include "leftovers.h"
#include "report/report.h"
#include "report/sparks.h"
#include "report/timeline.h"

enum { OPT_INTERVAL = OPT_OWN, OPT_SIZES, OPT_TIMELINE, OPT_TIMELINE_LIMIT, OPT_BASELINE };

static const struct cli_option options[] = {
    CLI_MODEL_OPTIONS,
    {OPT_JSON, 0, "json", "FILE|-", "writes the result as one JSON object"},
    {OPT_CSV, 0, "csv", "FILE|-", "writes the result as CSV; with --interval the time series"},
    CLI_HTML_OPTION,
    {OPT_TIMELINE, 0, "timeline", "FILE|-",
     "writes faults, reclaim and requests as trace events for ui.perfetto.dev"},
    {OPT_TIMELINE_LIMIT, 0, "timeline-limit", "N",
     "keeps at most N events of a timeline (default 1000000)"},
    {OPT_INTERVAL, 0, "interval", "TIME", "samples every counter each TIME of simulated time"},
    {OPT_BASELINE, 0, "baseline", "FILE", "compares the result with one that --json has written"},
    {OPT_SIZES, 0, "sizes", "FILE", "keeps the compressed sizes of a page bank from run to run"},
    {0, 0, NULL, NULL, NULL},
};

static int cmd_replay(int argc, char **argv);
extern const struct cli_command cmd_replay_info;
const struct cli_command cmd_replay_info = {
    .name = "replay",
    .args = "TRACE",
    .summary = "run one machine over one trace and print what the kernel would have counted",
    .example = "refault replay traces/redis.rft --set memory.max=50% --set zswap.enabled=1",
    .options = options,
    .run = cmd_replay,
};

struct args {
    struct cli_model model;
    struct outputs out;
    const char *trace, *baseline;
    struct comparison comparison; /* the baseline */
    uint64_t timeline_limit;
    bool sparks; /* the summary goes to a terminal, and ends with drawings */
    rf_time interval;
};

static int take_option(void *ctx, int id, const char *value, struct rf_err *err) {
    struct args *a = ctx;

    switch (id) {
    case CLI_ARG:
        if (a->trace)
            return rf_fail(err, RF_EUSAGE, "replay takes one trace, found '%s' and '%s'", a->trace,
                           value);
        a->trace = value;
        return RF_OK;
    case OPT_BASELINE:
        a->baseline = value;
        return RF_OK;
    case OPT_TIMELINE:
        a->out.path[OUT_TIMELINE] = value;
        return RF_OK;
    case OPT_TIMELINE_LIMIT:
        if (!value_u64(value, &a->timeline_limit) || a->timeline_limit == 0 ||
            a->timeline_limit > 1000000000)
            return rf_fail(err, RF_EUSAGE,
                           "--timeline-limit: bad value '%s', expected 1 to 1000000000", value);
        return RF_OK;
    case OPT_SIZES:
        a->out.also = value;
        a->out.also_option = "sizes";
        return RF_OK;
    case OPT_INTERVAL:
        if (!value_time(value, &a->interval) || a->interval == 0)
            return rf_fail(err, RF_EUSAGE,
                           "--interval: bad value '%s', expected a time in ns, us, ms or s", value);
        return RF_OK;
    default:
        return cli_output_option(&a->out, id, value) ? RF_OK
                                                     : cli_model_option(&a->model, id, value, err);
    }
}

static int parse(struct args *a, int argc, char **argv, struct rf_err *err) {
    int rc = cli_parse(&cmd_replay_info, argc, argv, take_option, a, err);

    if (rc != RF_OK)
        return rc;
    if (!a->trace)
        return rf_fail(err, RF_EUSAGE, "replay needs a trace; 'refault replay --help' explains");
    rc = outputs_check(&a->out, err);
    if (rc != RF_OK)
        return rc;
    a->sparks = !a->model.quiet && isatty(STDOUT_FILENO) && !outputs_take_stdout(&a->out);
    if (a->timeline_limit && !a->out.path[OUT_TIMELINE])
        return rf_fail(err, RF_EUSAGE, "--timeline-limit needs --timeline FILE");
    if (a->interval && !a->out.path[OUT_CSV])
        return rf_fail(err, RF_EUSAGE, "--interval needs --csv FILE for the time series");
    rc = outputs_keep(&a->out, a->trace, err);
    if (rc == RF_OK && a->baseline)
        rc = outputs_keep(&a->out, a->baseline, err);
    return rc == RF_OK ? cli_model_keep(&a->model, &a->out, err) : rc;
}

static void warn_misplaced(void *ctx, const struct knob *k) {
    char kernels[64];

    cli_note("kernel %s has no %s (%s)", (const char *)ctx, k->key,
             knob_kernels(k, kernels, sizeof(kernels)));
}

/* ---- output ---- */

struct view {
    struct args *a;
    const char *name; /* of the trace */
    const struct replay_result *r;
    const struct activity *activity;
};

static json_t *result_json(const void *ctx) {
    const struct view *v = ctx;

    return report_json(v->r, &v->a->model.knobs, v->name);
}

static int write_csv(const void *ctx, FILE *f, struct rf_err *err) {
    const struct view *v = ctx;

    (void)err;
    if (v->a->interval) {
        csv_series(f, &v->r->series);
        return RF_OK;
    }
    fputs("outcome", f);
    csv_value_names(f, &v->r->values);
    fprintf(f, "\n%s", v->r->outcome == MACHINE_OOM ? "oom" : "done");
    csv_values(f, &v->r->values, &v->r->values);
    fputc('\n', f);
    return RF_OK;
}

static int write_html(const void *ctx, FILE *f, struct rf_err *err) {
    const struct view *v = ctx;

    return html_replay(f, v->r, v->activity, &v->a->model.knobs, v->name, err);
}

static int write_text(const void *ctx, FILE *f, struct rf_err *err) {
    const struct view *v = ctx;

    (void)err;
    report_text(f, v->r, v->name);
    if (v->a->sparks)
        report_sparks(f, v->activity, sparks_utf8());
    return RF_OK;
}

static int print_comparison(struct args *a, const struct replay_result *r, const char *name,
                            struct rf_err *err) {
    struct comparison *c = &a->comparison;
    struct output text;
    int rc = compare_add(c, report_json(r, &a->model.knobs, name), "this run", err);

    if (rc == RF_OK)
        rc = compare_finish(c, err);
    if (rc == RF_OK)
        rc = output_open(&text, "-", err);
    if (rc != RF_OK)
        return rc;
    if (!a->model.quiet)
        fputc('\n', text.f);
    compare_print(c, text.f, COMPARE_USUAL);
    return output_close(&text, err);
}

static int write_results(struct args *a, const struct replay_result *r,
                         const struct activity *activity, struct timeline *timeline,
                         struct rf_err *err) {
    static const struct output_writers writers = {
        .json = result_json, .csv = write_csv, .html = write_html, .text = write_text};
    char buf[256];
    const struct view v = {a, report_name(a->trace, buf, sizeof(buf)), r, activity};
    FILE *f = a->out.o[OUT_TIMELINE].f;
    int rc = RF_OK;

    if (f) {
        rc = timeline_write(timeline, f, r, activity, v.name, err);
        if (timeline->dropped)
            cli_note("the timeline has its first %zu events; %llu more are left out, "
                     "--timeline-limit N keeps more",
                     timeline->n, (unsigned long long)timeline->dropped);
    }
    if (rc == RF_OK)
        rc = outputs_write(&a->out, &writers, &v, a->model.quiet, err);
    if (rc == RF_OK && a->baseline && !outputs_take_stdout(&a->out))
        rc = print_comparison(a, r, v.name, err);
    return rc;
}

static void on_progress(void *ctx, uint64_t done, uint64_t total) {
    progress_update(ctx, done, total);
}

/* Under another name first: a signal leaves the old file or the new one, and nothing else. */
static int save_sizes(const struct content_set *contents, const char *path, struct rf_err *err) {
    size_t size = strlen(path) + 32;
    char *part = malloc(size);
    int rc;

    if (!part)
        return rf_fail(err, RF_ENOMEM, "%s: no memory for its name", path);
    snprintf(part, size, "%s.%ld.tmp", path, (long)getpid());
    leftovers_add(part);
    rc = content_cache_save(contents, path, part, err);
    leftovers_drop(part);
    free(part);
    return rc;
}

static int simulate(struct args *a, struct rf_err *err) {
    struct trace_reader *trace = NULL;
    struct content_set *contents = NULL;
    struct machine_config config;
    struct replay_result result;
    struct progress bar;
    struct activity activity = {0};
    struct timeline timeline;
    bool recorded = a->out.o[OUT_TIMELINE].f;
    bool sampled = a->out.o[OUT_HTML].f || recorded || a->sparks;
    const struct replay_opts opts = {.interval = a->interval,
                                     .activity = sampled ? &activity : NULL,
                                     .observer = recorded ? &timeline.observer : NULL,
                                     .progress = on_progress,
                                     .ctx = &bar};
    int rc = trace_open(a->trace, &trace, err);

    if (rc != RF_OK)
        return rc;
    timeline_init(&timeline, a->timeline_limit ? a->timeline_limit : TIMELINE_DEFAULT_LIMIT);
    rc = settings_resolve(&a->model.settings, NULL, 0, trace_reader_info(trace), &config, err);
    if (rc == RF_OK) {
        char kernel[16];

        snprintf(kernel, sizeof(kernel), "%s", config.era.name);
        settings_misplaced(&a->model.settings, kernel, warn_misplaced, kernel);
        rc = cli_model_note(&a->model, NULL, err);
    }
    if (rc == RF_OK) {
        config.verify = a->model.verify;
        config.check = a->model.check;
        rc = trace_load_content(trace, &contents, err);
    }
    if (rc == RF_OK && a->out.also)
        rc = content_cache_load(contents, a->out.also, err);
    if (rc == RF_OK && opts.activity)
        rc = activity_begin(&activity, trace_reader_info(trace), err);
    if (rc == RF_OK) {
        progress_init(&bar, a->model.progress);
        rc = replay_run(trace, contents, &config, &opts, &result, err);
        progress_clear(&bar);
    }
    if (rc == RF_OK) {
        rc = write_results(a, &result, &activity, &timeline, err);
        replay_result_free(&result);
    }
    if (rc == RF_OK && a->out.also)
        rc = save_sizes(contents, a->out.also, err);
    activity_free(&activity);
    timeline_free(&timeline);
    content_free(contents);
    trace_close(trace);
    return rc;
}

static int cmd_replay(int argc, char **argv) {
    struct args a = {0};
    struct rf_err err = {0};
    int rc = cli_model_init(&a.model, &err), status;

    if (rc == RF_OK)
        rc = parse(&a, argc, argv, &err);
    if (rc == RF_OK && a.baseline)
        rc = compare_add_file(&a.comparison, a.baseline, &err);
    if (rc == RF_OK)
        rc = outputs_open(&a.out, &err);
    if (rc == RF_OK)
        rc = simulate(&a, &err);
    if (rc <= RF_OK)
        rc = outputs_close(&a.out, rc, &err);
    status = cli_end(&cmd_replay_info, rc, 0, &err);
    compare_free(&a.comparison);
    cli_model_free(&a.model);
    return status;
}
