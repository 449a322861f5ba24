/* SPDX-License-Identifier: Apache-2.0 */
/* refault mrc: miss and stall curves over memory sizes. */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>

#include "config/value.h"
#include "html/reports.h"
#include "mrc/mrc.h"
#include "mrc/stall.h"
#include "report/report.h"

enum { OPT_SIZES = OPT_OWN, OPT_MISS_RATE, OPT_RATE, OPT_EXACT, OPT_NO_STALL };

static const struct cli_option options[] = {
    CLI_MODEL_OPTIONS,
    {OPT_SIZES, 0, "sizes", "LIST", "memory sizes: 64M,128M or 5%..100%:5% (the default)"},
    {OPT_MISS_RATE, 0, "miss-rate", "R", "share of pages in the miss curve (1: exact)"},
    {OPT_RATE, 0, "rate", "R", "share of pages in the stall curve (so that 65536 are sampled)"},
    {OPT_EXACT, 0, "exact", "N|all", "sizes at which the whole is run to know the error (3)"},
    {OPT_NO_STALL, 0, "no-stall", NULL, "the miss curve only"},
    CLI_JOBS_OPTION,
    {OPT_JSON, 0, "json", "FILE|-", "writes the curves as one JSON object"},
    {OPT_CSV, 0, "csv", "FILE|-", "writes the curves as CSV, one size a row"},
    CLI_HTML_OPTION,
    {0, 0, NULL, NULL, NULL},
};

static int cmd_mrc(int argc, char **argv);
extern const struct cli_command cmd_mrc_info;
const struct cli_command cmd_mrc_info = {
    .name = "mrc",
    .args = "TRACE",
    .summary = "miss and stall curves over memory sizes",
    .example = "refault mrc traces/redis.rft --set zswap.enabled=1 --sizes 10%..100%:10%",
    .options = options,
    .run = cmd_mrc,
};

struct args {
    struct cli_model model;
    struct grid sizes;
    const char *trace;
    struct outputs out;
    double miss_rate, rate;
    size_t exact;
    bool no_stall;
    unsigned jobs;
};

struct curves {
    struct args *a;
    char name[256]; /* of the trace */
    struct trace_info info;
    uint64_t *pages; /* of each size */
    struct mrc miss;
    struct stall_curve stall; /* n = 0 without */
};

static int take_rate(const char *option, const char *value, double *out, struct rf_err *err) {
    char *end;

    *out = strtod(value, &end);
    if (end == value || *end || !(*out > 0.0 && *out <= 1.0))
        return rf_fail(err, RF_EUSAGE, "--%s: bad value '%s', expected above 0 and at most 1",
                       option, value);
    return RF_OK;
}

static int take_sizes(struct args *a, const char *list, struct rf_err *err) {
    char text[1024];
    int rc;

    grid_free(&a->sizes);
    if (snprintf(text, sizeof(text), "memory.max=%s", list) >= (int)sizeof(text))
        return rf_fail(err, RF_EUSAGE, "--sizes: more than %zu characters", sizeof(text) - 12);
    rc = grid_add(&a->sizes, &a->model.knobs, text, err);
    if (rc == RF_OK)
        rc = grid_check(&a->sizes, err);
    return rc == RF_OK ? rc : rf_fail_prefix(err, "--sizes");
}

static int take_option(void *ctx, int id, const char *value, struct rf_err *err) {
    struct args *a = ctx;
    uint64_t n;

    switch (id) {
    case CLI_ARG:
        if (a->trace)
            return rf_fail(err, RF_EUSAGE, "mrc takes one trace, found '%s' as well", value);
        a->trace = value;
        return RF_OK;
    case OPT_SIZES:
        return take_sizes(a, value, err);
    case OPT_MISS_RATE:
        return take_rate("miss-rate", value, &a->miss_rate, err);
    case OPT_RATE:
        return take_rate("rate", value, &a->rate, err);
    case OPT_EXACT:
        if (strcmp(value, "all") == 0) {
            a->exact = SIZE_MAX;
            return RF_OK;
        }
        if (!value_u64(value, &n) || n > 1000000)
            return rf_fail(err, RF_EUSAGE, "--exact: bad value '%s', expected 0..1000000 or all",
                           value);
        a->exact = n;
        return RF_OK;
    case OPT_JOBS:
        return cli_jobs(value, &a->jobs, err);
    case OPT_NO_STALL:
        a->no_stall = true;
        return RF_OK;
    default:
        return cli_output_option(&a->out, id, value) ? RF_OK
                                                     : cli_model_option(&a->model, id, value, err);
    }
}

static int parse(struct args *a, int argc, char **argv, struct rf_err *err) {
    int rc = cli_parse(&cmd_mrc_info, argc, argv, take_option, a, err);

    if (rc != RF_OK)
        return rc;
    if (!a->trace)
        return rf_fail(err, RF_EUSAGE, "mrc needs a trace; 'refault mrc --help' explains");
    if (settings_has(&a->model.settings, "memory.max"))
        return rf_fail(err, RF_EUSAGE,
                       "memory.max is what mrc varies: give its values with --sizes");
    rc = outputs_check(&a->out, err);
    return rc != RF_OK || a->sizes.n ? rc : take_sizes(a, "5%..100%:5%", err);
}

static void on_progress(void *ctx, uint64_t done, uint64_t total) {
    progress_update(ctx, done, total);
}

/* Sizes in pages, as the machine would take them. */
static int read_sizes(struct curves *c, struct rf_err *err) {
    for (size_t i = 0; i < grid_points(&c->a->sizes); i++) {
        struct machine_config config;
        struct setting size;
        int rc;

        grid_point(&c->a->sizes, i, &size);
        rc = settings_resolve(&c->a->model.settings, &size, 1, &c->info, &config, err);
        if (rc != RF_OK)
            return rc;
        if (config.memory_max.kind == AMOUNT_MAX)
            return rf_fail(err, RF_EUSAGE, "--sizes: found '%s', expected sizes with an end",
                           size.value);
        c->pages[i] = machine_amount_pages(&config, config.memory_max);
        if (c->pages[i] == 0)
            return rf_fail(err, RF_EUSAGE,
                           "--sizes: '%s' is less than a page; the footprint is %llu page%s",
                           size.value, (unsigned long long)c->info.footprint_pages,
                           c->info.footprint_pages == 1 ? "" : "s");
    }
    return RF_OK;
}

static int measure(struct curves *c, struct progress *bar, struct rf_err *err) {
    struct args *a = c->a;
    struct trace_reader *r;
    int rc = trace_open(a->trace, &r, err);

    if (rc != RF_OK)
        return rc;
    report_name(a->trace, c->name, sizeof(c->name));
    c->info = *trace_reader_info(r);
    c->pages = calloc(grid_points(&a->sizes), sizeof(*c->pages));
    rc = c->pages ? read_sizes(c, err) : rf_fail(err, RF_ENOMEM, "no memory for the sizes");
    if (rc == RF_OK)
        rc = mrc_measure(r, a->miss_rate, 1, &c->miss, err);
    trace_close(r);
    if (rc == RF_OK && !a->no_stall) {
        const struct stall_params p = {
            .settings = &a->model.settings,
            .sizes = &a->sizes,
            .rate = a->rate,
            .seed = 1,
            .threads = a->jobs ? a->jobs : cli_all_cores(),
            .exact = a->exact,
            .progress = on_progress,
            .ctx = bar,
        };
        rc = stall_curve(a->trace, &p, &c->stall, err);
    }
    return rc;
}

static double ratio_of(const struct curves *c, double misses) {
    return c->miss.accesses ? misses / (double)c->miss.accesses : 0;
}

/* ---- output ---- */

static int print_csv(const void *ctx, FILE *f, struct rf_err *err) {
    const struct curves *c = ctx;

    (void)err;
    fputs("memory.max,pages,misses,miss_ratio,refaults", f);
    if (c->stall.n)
        fputs(",outcome,stall_ns,elapsed_ns,exact_outcome,exact_stall_ns", f);
    fputc('\n', f);
    for (size_t i = 0; i < grid_points(&c->a->sizes); i++) {
        double misses = mrc_misses(&c->miss, c->pages[i]);

        csv_field(f, c->a->sizes.axes[0].values[i]);
        fprintf(f, ",%" PRIu64 ",%.0f,%.6f,%.0f", c->pages[i], misses, ratio_of(c, misses),
                misses - c->miss.cold);
        if (c->stall.n) {
            const struct stall_point *p = &c->stall.points[i];

            fprintf(f, ",%s,%.0f,%.0f", p->oom ? "oom" : "done", p->stall_ns, p->elapsed_ns);
            if (p->exact)
                fprintf(f, ",%s,%" PRIu64, p->exact_oom ? "oom" : "done", p->exact_stall_ns);
            else
                fputs(",,", f);
        }
        fputc('\n', f);
    }
    return RF_OK;
}

static json_t *stall_json(const struct stall_point *p) {
    json_t *j = json_pack("{s:s, s:I, s:I}", "outcome", p->oom ? "oom" : "done", "stall_ns",
                          (json_int_t)p->stall_ns, "elapsed_ns", (json_int_t)p->elapsed_ns);

    if (j && p->exact) {
        json_object_set_new(j, "exact_outcome", json_string(p->exact_oom ? "oom" : "done"));
        json_object_set_new(j, "exact_stall_ns", json_integer((json_int_t)p->exact_stall_ns));
    }
    return j;
}

static json_t *curves_json(const void *ctx) {
    const struct curves *c = ctx;
    json_t *points = json_array(),
           *j = json_pack("{s:s, s:I, s:I, s:I, s:f, s:o}", "trace", c->name, "accesses",
                          (json_int_t)c->info.ops, "footprint_pages",
                          (json_int_t)c->info.footprint_pages, "first_accesses",
                          (json_int_t)c->miss.cold, "miss_rate", c->miss.rate, "points", points);

    for (size_t i = 0; j && i < grid_points(&c->a->sizes); i++) {
        double misses = mrc_misses(&c->miss, c->pages[i]);
        json_t *p = json_pack("{s:s, s:I, s:I, s:f}", "memory.max", c->a->sizes.axes[0].values[i],
                              "pages", (json_int_t)c->pages[i], "misses", (json_int_t)misses,
                              "miss_ratio", ratio_of(c, misses));
        if (p && c->stall.n)
            json_object_set_new(p, "stall", stall_json(&c->stall.points[i]));
        json_array_append_new(points, p);
    }
    if (j && c->stall.n)
        json_object_set_new(j, "stall",
                            json_pack("{s:f, s:I, s:f, s:i, s:f, s:f}", "rate", c->stall.rate,
                                      "sampled_pages", (json_int_t)c->stall.sampled_pages, "scale",
                                      c->stall.ratio, "exact_runs", (int)c->stall.nr_exact,
                                      "median_error", c->stall.median, "worst_error",
                                      c->stall.worst));
    return j;
}

static void print_stall(FILE *f, const struct stall_point *p) {
    char text[48];

    value_format_time((uint64_t)p->stall_ns, text, sizeof(text));
    fprintf(f, " %12s", p->oom ? "oom" : text);
    if (p->exact) {
        value_format_time(p->exact_stall_ns, text, sizeof(text));
        fprintf(f, " %12s", p->exact_oom ? "oom" : text);
    }
}

static int print_text(const void *ctx, FILE *f, struct rf_err *err) {
    const struct curves *c = ctx;
    const struct stall_curve *s = &c->stall;

    (void)err;
    fprintf(f, "%s: %" PRIu64 " accesses, footprint %" PRIu64 " pages, %.0f first accesses\n",
            c->name, c->info.ops, c->info.footprint_pages, c->miss.cold);
    fprintf(f, "%11s %11s %12s %10s", "memory.max", "pages", "LRU misses", "ratio");
    if (s->n)
        fprintf(f, " %12s%s", "stall", s->nr_exact ? "    exact run" : "");
    fputc('\n', f);
    for (size_t i = 0; i < grid_points(&c->a->sizes); i++) {
        double misses = mrc_misses(&c->miss, c->pages[i]);

        fprintf(f, "%11s %11" PRIu64 " %12.0f %9.4f%%", c->a->sizes.axes[0].values[i], c->pages[i],
                misses, 100 * ratio_of(c, misses));
        if (s->n)
            print_stall(f, &s->points[i]);
        fputc('\n', f);
    }
    if (c->miss.rate < 1)
        fprintf(f, "misses: from a sample of the pages at rate %g\n", c->miss.rate);
    if (s->n && s->rate >= 1)
        fputs("stall: each size simulated whole\n", f);
    else if (s->n && s->nr_exact)
        fprintf(f,
                "stall: miniatures of %" PRIu64
                " pages (rate %.3g); off by %.1f%% (median) and %.1f%% (worst) at %zu sizes\n",
                s->sampled_pages, s->rate, 100 * s->median, 100 * s->worst, s->nr_exact);
    else if (s->n)
        fprintf(f, "stall: miniatures of %" PRIu64 " pages (rate %.3g); no error known\n",
                s->sampled_pages, s->rate);
    return RF_OK;
}

static const struct output_writers writers = {
    .json = curves_json, .csv = print_csv, .page = html_mrc, .text = print_text};

static int cmd_mrc(int argc, char **argv) {
    struct args a = {.miss_rate = 1.0, .exact = 3};
    struct curves c = {.a = &a};
    struct progress bar;
    struct rf_err err = {0};
    int rc = cli_model_init(&a.model, &err), status;

    if (rc == RF_OK)
        rc = parse(&a, argc, argv, &err);
    if (rc == RF_OK)
        rc = outputs_keep(&a.out, a.trace, &err);
    if (rc == RF_OK)
        rc = cli_model_keep(&a.model, &a.out, &err);
    if (rc == RF_OK)
        rc = cli_model_note(&a.model, &a.sizes, &err);
    if (rc == RF_OK)
        rc = cli_model_note_small(&a.model, &a.sizes, a.trace, &err);
    if (rc == RF_OK)
        rc = outputs_open(&a.out, &err);
    if (rc == RF_OK) {
        progress_init(&bar, a.model.progress);
        rc = measure(&c, &bar, &err);
        progress_clear(&bar);
    }
    if (rc == RF_OK)
        rc = outputs_write(&a.out, &writers, &c, a.model.quiet, &err);
    if (rc != 1)
        rc = outputs_close(&a.out, rc, &err);
    status = cli_end(&cmd_mrc_info, rc, 0, &err);
    mrc_free(&c.miss);
    stall_curve_free(&c.stall);
    free(c.pages);
    grid_free(&a.sizes);
    cli_model_free(&a.model);
    return status;
}
