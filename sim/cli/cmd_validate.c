/* SPDX-License-Identifier: Apache-2.0 */
/* refault validate: recorded runs of real kernels against the model. */
#include "cli/cli.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include "config/value.h"
#include "html/reports.h"
#include "report/report.h"
#include "validate/catalogue.h"
#include "validate/validate.h"

enum {
    OPT_CASE = OPT_OWN,
    OPT_KINDS,
    OPT_MAX_MEDIAN,
    OPT_MAX_P90,
    OPT_MAX_WORST,
    OPT_KERNEL_SIZES,
    OPT_DIVERGE,
    OPT_MARKDOWN,
    OPT_ABLATE,
    OPT_CATALOGUE,
    OPT_REPS,
};

#define KINDS "disk|zswap|zram|zr"

static const struct cli_option options[] = {
    {OPT_KERNEL, 0, "kernel", "VERSION", "only the cases of this kernel"},
    {OPT_CASE, 0, "case", "GLOB", "only cases with such names; several add up"},
    {OPT_KINDS, 0, "kinds", KINDS ",...", "only cases of these kinds"},
    {OPT_JSON, 0, "json", "FILE|-", "writes everything as one JSON object"},
    {OPT_HTML, 0, "html", "FILE|-", "writes a page: errors by counter and case"},
    {OPT_MARKDOWN, 0, "markdown", "FILE|-", "writes the tables of docs/fidelity.md"},
    {OPT_ABLATE, 0, "ablate", NULL,
     "with --markdown: also each of ten mechanisms switched off in turn"},
    {OPT_CATALOGUE, 0, "catalogue", "BANK",
     "only prints the lengths of the pages of DIR/banks/BANK by every codec"},
    {OPT_MAX_MEDIAN, 0, "max-median", "P", "limit on the median error, in percent"},
    {OPT_MAX_P90, 0, "max-p90", "P", "limit on the 90th percentile of the errors"},
    {OPT_MAX_WORST, 0, "max-worst", "P",
     "limit on pswpin, pswpout, zswpin, zswpout, pgmajfault and pgsteal_anon"},
    {OPT_KERNEL_SIZES, 0, "kernel-sizes", NULL,
     "compressed sizes as the kernel recorded them (zr_sizes_* cases)"},
    {OPT_DIVERGE, 0, "diverge", "CASE", "where along the trace the case leaves the kernel's range"},
    {OPT_REPS, 0, "reps", "N",
     "replays of a case of a kernel that flushes statistics by the clock, at different times; the "
     "median counts (default: 5)"},
    {OPT_SET, 's', "set", "KEY=VALUE", "a knob on top of each case's own; repeatable"},
    {OPT_CHECK, 0, "check", NULL, "checks all invariants along the runs"},
    CLI_JOBS_OPTION,
    {OPT_QUIET, 'q', "quiet", NULL, "only the last line"},
    CLI_PROGRESS_OPTION,
    {0, 0, NULL, NULL, NULL},
};

static int cmd_validate(int argc, char **argv);
extern const struct cli_command cmd_validate_info;
const struct cli_command cmd_validate_info = {
    .name = "validate",
    .args = "DIR",
    .summary = "compare the model with recorded runs of real kernels",
    .example = "refault validate tests/golden --kernel 6.1 --case 'zram_*'",
    .options = options,
    .run = cmd_validate,
};

struct args {
    struct validate_opts o;
    struct knob_table knobs;
    struct outputs out;
    const char **cases;
    struct validate_setting *settings;
    char **texts; /* of the settings */
    size_t nr_texts;
    const char *diverge, *catalogue;
    bool quiet, ablate;
    int progress;
};

static int percent(const char *option, const char *text, double *out, struct rf_err *err) {
    char *end;
    double v = strtod(text, &end);

    if (end == text || (*end && strcmp(end, "%") != 0) || !(v >= 0 && v <= 1e6))
        return rf_fail(err, RF_EUSAGE, "--%s: bad value '%s', expected a number of percent", option,
                       text);
    *out = v / 100;
    return RF_OK;
}

static int add_case(struct args *a, const char *pattern, struct rf_err *err) {
    const char **bigger = realloc(a->cases, (a->o.nr_cases + 1) * sizeof(*bigger));

    if (!bigger)
        return rf_fail(err, RF_ENOMEM, "no memory for --case");
    a->cases = bigger;
    a->cases[a->o.nr_cases++] = pattern;
    a->o.cases = a->cases;
    return RF_OK;
}

static int add_setting(struct args *a, const char *pair, struct rf_err *err) {
    const char *eq = strchr(pair, '=');
    struct validate_setting *bigger;
    char **texts;
    const struct knob *k;

    if (!eq)
        return rf_fail(err, RF_EUSAGE, "--set: '%s', expected KEY=VALUE", pair);
    bigger = realloc(a->settings, (a->o.nr_settings + 1) * sizeof(*bigger));
    if (bigger)
        a->settings = bigger;
    texts = realloc(a->texts, (a->nr_texts + 1) * sizeof(*texts));
    if (texts)
        a->texts = texts;
    if (!bigger || !texts || !(a->texts[a->nr_texts] = malloc(strlen(pair) + 1)))
        return rf_fail(err, RF_ENOMEM, "no memory for --set");
    memcpy(a->texts[a->nr_texts], pair, strlen(pair) + 1);
    a->texts[a->nr_texts][eq - pair] = '\0';
    k = knob_find(&a->knobs, a->texts[a->nr_texts++], err);
    if (!k)
        return RF_EUSAGE;
    a->settings[a->o.nr_settings++] = (struct validate_setting){.knob = k, .value = eq + 1};
    a->o.settings = a->settings;
    return RF_OK;
}

static int check_kinds(const char *list, struct rf_err *err) {
    for (const char *p = list;; p++) {
        size_t len = strcspn(p, ","), n;
        const char *kind = KINDS;

        while ((n = strcspn(kind, "|")) && (n != len || memcmp(p, kind, len) != 0))
            kind += n + (kind[n] == '|');
        if (!n)
            return rf_fail(err, RF_EUSAGE, "--kinds: bad value '%.60s', expected a list of " KINDS,
                           list);
        p += len;
        if (*p == '\0')
            return RF_OK;
    }
}

static int take_option(void *ctx, int id, const char *value, struct rf_err *err) {
    struct args *a = ctx;
    uint64_t n;

    switch (id) {
    case OPT_KERNEL:
        a->o.kernel = value;
        return RF_OK;
    case OPT_CASE:
        return add_case(a, value, err);
    case OPT_KINDS:
        a->o.kinds = value;
        return check_kinds(value, err);
    case OPT_MARKDOWN:
        a->out.path[OUT_MARKDOWN] = value;
        return RF_OK;
    case OPT_ABLATE:
        a->ablate = true;
        return RF_OK;
    case OPT_CATALOGUE:
        a->catalogue = value;
        return RF_OK;
    case OPT_MAX_MEDIAN:
        return percent("max-median", value, &a->o.max_median, err);
    case OPT_MAX_P90:
        return percent("max-p90", value, &a->o.max_p90, err);
    case OPT_MAX_WORST:
        return percent("max-worst", value, &a->o.max_worst, err);
    case OPT_KERNEL_SIZES:
        a->o.kernel_sizes = true;
        return RF_OK;
    case OPT_DIVERGE:
        a->diverge = value;
        return add_case(a, value, err);
    case OPT_SET:
        return add_setting(a, value, err);
    case OPT_CHECK:
        a->o.check = true;
        return RF_OK;
    case OPT_REPS:
        if (!value_u64(value, &n) || n < 1 || n > MAX_REPS)
            return rf_fail(err, RF_EUSAGE, "--reps: bad value '%s', expected 1 to %d", value,
                           MAX_REPS);
        a->o.reps = (unsigned)n;
        return RF_OK;
    case OPT_QUIET:
        a->quiet = true;
        return RF_OK;
    case OPT_JOBS:
        return cli_jobs(value, &a->o.threads, err);
    case OPT_PROGRESS:
        return cli_progress(value, &a->progress, err);
    case CLI_ARG:
        if (a->o.dir)
            return rf_fail(err, RF_EUSAGE, "validate takes one folder, found '%s' and '%s'",
                           a->o.dir, value);
        a->o.dir = value;
        return RF_OK;
    default:
        cli_output_option(&a->out, id, value);
        return RF_OK;
    }
}

/* That no output is a file of DIR/SUB, and with `runs` none becomes one that the next call reads.
 * What cannot be read is found out later. */
static int keep_folder(const struct args *a, const char *sub, bool runs, struct rf_err *err) {
    char path[4096];
    struct dirent *e;
    int rc = RF_OK;
    DIR *d;

    snprintf(path, sizeof(path), "%.3000s/%.500s", a->o.dir, sub);
    d = opendir(path);
    while (d && rc == RF_OK && (e = readdir(d))) {
        snprintf(path, sizeof(path), "%.3000s/%.500s/%.500s", a->o.dir, sub, e->d_name);
        rc = outputs_keep(&a->out, path, err);
    }
    if (d)
        closedir(d);
    snprintf(path, sizeof(path), "%.3000s/%.500s", a->o.dir, sub);
    return rc == RF_OK && runs ? outputs_outside(&a->out, path, ".json", err) : rc;
}

/* That none is a recorded run (each kernel has a folder of them), a trace or a bank. */
static int keep_recorded(const struct args *a, struct rf_err *err) {
    DIR *d = opendir(a->o.dir);
    struct dirent *e;
    int rc = RF_OK;

    while (d && rc == RF_OK && (e = readdir(d))) {
        bool runs = e->d_name[0] >= '0' && e->d_name[0] <= '9';

        if (runs || strcmp(e->d_name, "traces") == 0 || strcmp(e->d_name, "banks") == 0)
            rc = keep_folder(a, e->d_name, runs, err);
    }
    if (d)
        closedir(d);
    return rc;
}

static int parse(struct args *a, int argc, char **argv, struct rf_err *err) {
    int rc = cli_parse(&cmd_validate_info, argc, argv, take_option, a, err);

    if (rc != RF_OK)
        return rc;
    if (!a->o.dir)
        return rf_fail(err, RF_EUSAGE,
                       "validate needs a folder of recorded runs; "
                       "'refault validate --help' explains");
    for (size_t i = 0; i < a->o.nr_settings && a->o.reps > 1; i++) {
        if (strcmp(a->settings[i].knob->key, "machine.stat_flush_phase") == 0)
            return rf_fail(err, RF_EUSAGE,
                           "--set machine.stat_flush_phase needs --reps 1: each of several replays "
                           "has a phase of its own");
    }
    if (a->ablate && !a->out.path[OUT_MARKDOWN])
        return rf_fail(err, RF_EUSAGE, "--ablate needs --markdown, which it adds a table to");
    rc = outputs_check(&a->out, err);
    return rc == RF_OK ? keep_recorded(a, err) : rc;
}

/* ---- output ---- */

struct view {
    const struct args *a;
    const struct validation *v;
};

static json_t *result_json(const void *ctx) {
    return validate_json(((const struct view *)ctx)->v);
}

static int write_text(const void *ctx, FILE *f, struct rf_err *err) {
    const struct view *w = ctx;

    (void)err;
    if (w->a->diverge) {
        for (size_t i = 0; i < w->v->nr_cases; i++)
            validate_print_divergence(f, &w->v->cases[i]);
    } else if (w->a->quiet) {
        validate_print_last_line(f, w->v);
    } else {
        validate_print(f, w->v);
    }
    return RF_OK;
}

static int write_results(struct args *a, const struct validation *v, struct rf_err *err) {
    static const struct output_writers writers = {
        .json = result_json, .page = html_validate, .text = write_text};
    FILE *f = a->out.o[OUT_MARKDOWN].f;
    int rc = RF_OK;

    if (f) {
        validate_markdown(f, v);
        if (a->ablate)
            rc = validate_ablate(f, v, &a->knobs, err);
    }
    return rc == RF_OK ? outputs_write(&a->out, &writers, &(struct view){a, v}, false, err) : rc;
}

static int print_catalogue(const struct args *a, struct rf_err *err) {
    struct golden_list none = {0};
    const struct golden any = {.path = (char *)(uintptr_t)a->o.dir, .bank = a->catalogue};
    struct content_set *cs;
    struct dataset *d;
    struct output o;
    int rc = dataset_open(a->o.dir, &none, false, &d, err);

    if (rc != RF_OK)
        return rc;
    rc = dataset_content(d, &any, false, NR_CODECS, &cs, err);
    if (rc == RF_OK)
        rc = output_open(&o, "-", err);
    if (rc == RF_OK) {
        bank_catalogue_save(o.f, cs);
        rc = output_close(&o, err);
    }
    dataset_close(d);
    return rc;
}

static void on_progress(void *ctx, size_t done, size_t total) {
    progress_update(ctx, done, total);
}

/* A misspelt name among several would go unseen. */
static void note_unused_patterns(const struct validate_opts *o, const struct validation *v) {
    for (size_t i = 0; i < o->nr_cases; i++) {
        size_t k = 0;

        while (k < v->goldens.n && fnmatch(o->cases[i], v->goldens.v[k].name, 0) != 0)
            k++;
        if (k == v->goldens.n)
            cli_note("--case '%s' is the name of no case", o->cases[i]);
    }
}

static int cmd_validate(int argc, char **argv) {
    struct args a = {.o = {.max_median = -1, .max_p90 = -1, .max_worst = -1, .reps = DEFAULT_REPS}};
    struct progress bar;
    struct validation v = {0};
    struct rf_err err = {0};
    int rc = knob_table_init(&a.knobs, &err), status;

    a.o.threads = cli_all_cores();
    if (rc == RF_OK)
        rc = parse(&a, argc, argv, &err);
    if (rc == RF_OK && a.catalogue) {
        rc = print_catalogue(&a, &err);
        v.passed = true;
    } else if (rc == RF_OK && (rc = outputs_open(&a.out, &err)) == RF_OK) {
        progress_init(&bar, a.progress);
        a.o.progress = on_progress;
        a.o.ctx = &bar;
        rc = validate_run(&a.o, &v, &err);
        progress_clear(&bar);
        if (rc == RF_OK)
            note_unused_patterns(&a.o, &v);
    }
    if (rc == RF_OK && !a.catalogue)
        rc = write_results(&a, &v, &err);
    if (rc <= RF_OK)
        rc = outputs_close(&a.out, rc, &err);
    status = cli_end(&cmd_validate_info, rc, v.passed || a.diverge ? 0 : 1, &err);
    validation_free(&v);
    for (size_t i = 0; i < a.nr_texts; i++)
        free(a.texts[i]);
    free(a.texts);
    free(a.settings);
    free(a.cases);
    knob_table_free(&a.knobs);
    return status;
}
