/* SPDX-License-Identifier: Apache-2.0 */
/* The options that say what is simulated, and the progress bar. */
#include "cli/cli.h"

#include <stdlib.h>
#include <unistd.h>

#include "config/value.h"

int cli_model_init(struct cli_model *m, struct rf_err *err) {
    int rc;

    *m = (struct cli_model){0};
    rc = knob_table_init(&m->knobs, err);
    if (rc == RF_OK)
        rc = settings_init(&m->settings, &m->knobs, err);
    return rc;
}

void cli_model_free(struct cli_model *m) {
    settings_free(&m->settings);
    knob_table_free(&m->knobs);
}

static void remember_file(struct cli_model *m, const char *path) {
    if (m->nr_read < sizeof(m->read) / sizeof(m->read[0]))
        m->read[m->nr_read++] = path;
}

int cli_model_keep(const struct cli_model *m, const struct outputs *o, struct rf_err *err) {
    int rc = RF_OK;

    for (size_t i = 0; i < m->nr_read && rc == RF_OK; i++)
        rc = outputs_keep(o, m->read[i], err);
    return rc;
}

int cli_model_option(struct cli_model *m, int id, const char *value, struct rf_err *err) {
    int rc = RF_OK;

    switch (id) {
    case OPT_KERNEL:
        rc = settings_add(&m->settings, "kernel", value, err);
        return rc == RF_OK ? 1 : rf_fail_prefix(err, "--kernel");
    case OPT_SET:
        rc = settings_add_pair(&m->settings, value, err);
        return rc == RF_OK ? 1 : rf_fail_prefix(err, "--set");
    case OPT_CONFIG:
        remember_file(m, value);
        rc = settings_add_file(&m->settings, value, err);
        return rc == RF_OK ? 1 : rf_fail_prefix(err, "--config");
    case OPT_PROFILE:
        if (strcmp(value, "default") != 0)
            remember_file(m, value);
        rc = settings_set_profile(&m->settings, value, err);
        return rc == RF_OK ? 1 : rc;
    case OPT_SEED:
        rc = settings_add(&m->settings, "seed", value, err);
        return rc == RF_OK ? 1 : rf_fail_prefix(err, "--seed");
    case OPT_VERIFY:
        m->verify = true;
        return 1;
    case OPT_CHECK:
        m->check = true;
        return 1;
    case OPT_QUIET:
        m->quiet = true;
        return 1;
    case OPT_PROGRESS:
        rc = cli_progress(value, &m->progress, err);
        return rc == RF_OK ? 1 : rc;
    default:
        return 0;
    }
}

void cli_note_idle(const struct idle_knobs *k) {
    char text[512];

    if (idle_text(k, text, sizeof(text)))
        cli_note("no effect: %s", text);
}

int cli_model_note(const struct cli_model *m, const struct grid *g, struct rf_err *err) {
    size_t n = g ? g->n : 0, points = g ? grid_points(g) : 1;
    struct setting *values = calloc(n + 1, sizeof(*values));
    struct machine_config c;
    struct idle_knobs k = {0};
    struct rf_err contradiction;
    int rc = values ? idle_init(&k, &m->knobs, err)
                    : rf_fail(err, RF_ENOMEM, "no memory for the values of a point");

    if (rc == RF_OK)
        idle_add(&k, m->settings.v, m->settings.n);
    for (size_t i = 0; i < points && rc == RF_OK; i++) {
        if (g)
            grid_point(g, i, values);
        if (i == 0)
            idle_add(&k, values, n);
        if (settings_resolve(&m->settings, values, n, NULL, &c, &contradiction) == RF_OK &&
            !idle_see(&k, &c))
            break;
    }
    if (rc == RF_OK)
        cli_note_idle(&k);
    idle_free(&k);
    free(values);
    return rc;
}

void cli_note_small(const char *name, const struct trace_info *i, size_t small, size_t points) {
    char size[48];

    if (small)
        cli_note("%s: the recording is valid from %s of memory on: %zu of %zu point%s ha%s less",
                 name, value_format_bytes(i->min_memory_pages * RF_PAGE_SIZE, size, sizeof(size)),
                 small, points, points == 1 ? "" : "s", small == 1 ? "s" : "ve");
}

int cli_model_note_small(const struct cli_model *m, const struct grid *g, const char *trace,
                         struct rf_err *err) {
    struct setting *values;
    struct machine_config c;
    struct rf_err contradiction;
    struct trace_reader *r;
    size_t small = 0;
    char name[256];
    int rc = trace_open(trace, &r, err);

    if (rc != RF_OK)
        return rc;
    values = calloc(g->n + 1, sizeof(*values));
    if (!values)
        rc = rf_fail(err, RF_ENOMEM, "no memory for the values of a point");
    const struct trace_info *i = trace_reader_info(r);
    for (size_t k = 0; values && i->min_memory_pages && k < grid_points(g); k++) {
        grid_point(g, k, values);
        small += settings_resolve(&m->settings, values, g->n, i, &c, &contradiction) == RF_OK &&
                 report_too_small(&c, i);
    }
    cli_note_small(report_name(trace, name, sizeof(name)), i, small, grid_points(g));
    trace_close(r);
    free(values);
    return rc;
}

int cli_output_option(struct outputs *o, int id, const char *value) {
    switch (id) {
    case OPT_JSON:
        o->path[OUT_JSON] = value;
        return 1;
    case OPT_CSV:
        o->path[OUT_CSV] = value;
        return 1;
    case OPT_HTML:
        o->path[OUT_HTML] = value;
        return 1;
    default:
        return 0;
    }
}

int cli_files_init(struct cli_files *f, int argc, struct rf_err *err) {
    *f = (struct cli_files){.path = calloc((size_t)argc, sizeof(*f->path))};
    return f->path ? RF_OK : rf_fail(err, RF_ENOMEM, "no memory for the command line");
}

void cli_files_free(struct cli_files *f) {
    free(f->path);
    *f = (struct cli_files){0};
}

int cli_files_keep(const struct cli_files *f, const struct outputs *o, struct rf_err *err) {
    int rc = outputs_check(o, err);

    for (size_t i = 0; i < f->n && rc == RF_OK; i++)
        rc = outputs_keep(o, f->path[i], err);
    return rc;
}

int cli_files_parse(struct cli_files *f, const struct cli_command *c, int argc, char **argv,
                    int (*take)(void *ctx, int id, const char *value, struct rf_err *err),
                    void *ctx, const struct outputs *o, const char *what, struct rf_err *err) {
    int rc = cli_files_init(f, argc, err);

    if (rc == RF_OK)
        rc = cli_parse(c, argc, argv, take, ctx, err);
    if (rc == RF_OK && !f->n)
        rc = rf_fail(err, RF_EUSAGE, "%s needs %s; 'refault %s --help' explains", c->name, what,
                     c->name);
    return rc == RF_OK ? cli_files_keep(f, o, err) : rc;
}

int cli_progress(const char *value, int *out, struct rf_err *err) {
    if (strcmp(value, "auto") == 0)
        *out = 0;
    else if (strcmp(value, "always") == 0)
        *out = 1;
    else if (strcmp(value, "never") == 0)
        *out = -1;
    else
        return rf_fail(err, RF_EUSAGE, "--progress: bad value '%s', expected auto, always or never",
                       value);
    return RF_OK;
}

int cli_jobs(const char *value, unsigned *out, struct rf_err *err) {
    uint64_t n;

    if (!value_u64(value, &n) || n == 0 || n > 4096)
        return rf_fail(err, RF_EUSAGE, "--jobs: bad value '%s', expected 1..4096", value);
    *out = (unsigned)n;
    return RF_OK;
}

void progress_init(struct progress *p, int mode) {
    p->on = mode > 0 || (mode == 0 && isatty(STDERR_FILENO));
    p->shown = -1;
}

void progress_update(struct progress *p, uint64_t done, uint64_t total) {
    enum { WIDTH = 40 };
    char bar[WIDTH + 1];
    int percent;

    if (!p->on || !total)
        return;
    percent = (int)((double)RF_MIN(done, total) * 100.0 / (double)total);
    if (percent == p->shown)
        return;
    p->shown = percent;
    memset(bar, ' ', WIDTH);
    memset(bar, '#', (size_t)(percent * WIDTH / 100));
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %3d %%", bar, percent);
    fflush(stderr);
}

void progress_clear(struct progress *p) {
    if (p->on && p->shown >= 0)
        fprintf(stderr, "\r%60s\r", "");
    p->shown = -1;
}

unsigned cli_all_cores(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n > 0 ? (unsigned)n : 1;
}
