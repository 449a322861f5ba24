/* SPDX-License-Identifier: Apache-2.0 */
/* refault compare: results side by side. */
#include "cli/cli.h"

#include <stdlib.h>
#include "compare/compare.h"
#include "html/reports.h"

enum { OPT_ALL = OPT_OWN };

static const struct cli_option options[] = {
    {OPT_ALL, 'a', "all", NULL, "shows every value, not only the largest differences"},
    {OPT_JSON, 0, "json", "FILE|-", "writes the comparison as one JSON object"},
    {OPT_CSV, 0, "csv", "FILE|-", "writes the comparison as CSV, one value a row"},
    {OPT_HTML, 0, "html", "FILE|-", "writes a page with charts, one file that loads nothing"},
    {OPT_QUIET, 'q', "quiet", NULL, "no table"},
    {0, 0, NULL, NULL, NULL},
};

static int cmd_compare(int argc, char **argv);
extern const struct cli_command cmd_compare_info;
const struct cli_command cmd_compare_info = {
    .name = "compare",
    .args = "A.json B.json...",
    .summary = "show results side by side, what explains the difference first",
    .example = "refault compare half.json most.json",
    .options = options,
    .run = cmd_compare,
};

struct args {
    const char **files;
    size_t n;
    struct outputs out;
    bool all, quiet;
};

static int take_option(void *ctx, int id, const char *value, struct rf_err *err) {
    struct args *a = ctx;

    (void)err;
    if (id == CLI_ARG)
        a->files[a->n++] = value;
    else if (id == OPT_ALL)
        a->all = true;
    else if (id == OPT_QUIET)
        a->quiet = true;
    else
        cli_output_option(&a->out, id, value);
    return RF_OK;
}

static int parse(struct args *a, int argc, char **argv, struct rf_err *err) {
    int rc;

    a->files = calloc((size_t)argc, sizeof(*a->files));
    if (!a->files)
        return rf_fail(err, RF_ENOMEM, "no memory for the command line");
    rc = cli_parse(&cmd_compare_info, argc, argv, take_option, a, err);
    if (rc != RF_OK)
        return rc;
    if (!a->n)
        return rf_fail(err, RF_EUSAGE, "compare needs results; 'refault compare --help' explains");
    rc = outputs_check(&a->out, err);
    for (size_t i = 0; i < a->n && rc == RF_OK; i++)
        rc = outputs_keep(&a->out, a->files[i], err);
    return rc;
}

/* ---- output ---- */

struct view {
    const struct comparison *c;
    size_t rows;
};

static json_t *write_json(const void *ctx) {
    return compare_json(((const struct view *)ctx)->c);
}

static int write_html(const void *ctx, FILE *f, struct rf_err *err) {
    json_t *j = write_json(ctx);
    int rc = j ? html_compare(f, j, err) : rf_fail(err, RF_ENOMEM, "no memory for the result");

    json_decref(j);
    return rc;
}

static int write_csv(const void *ctx, FILE *f, struct rf_err *err) {
    (void)err;
    compare_csv(((const struct view *)ctx)->c, f);
    return RF_OK;
}

static int write_text(const void *ctx, FILE *f, struct rf_err *err) {
    const struct view *v = ctx;

    (void)err;
    compare_print(v->c, f, v->rows);
    return RF_OK;
}

static int write_all(struct args *a, const struct comparison *c, struct rf_err *err) {
    static const struct output_writers writers = {
        .json = write_json, .csv = write_csv, .html = write_html, .text = write_text};
    const struct view v = {c, a->all ? 0 : COMPARE_USUAL};
    int rc = outputs_open(&a->out, err);

    if (rc == RF_OK)
        rc = outputs_write(&a->out, &writers, &v, a->quiet, err);
    return outputs_close(&a->out, rc, err);
}

static int cmd_compare(int argc, char **argv) {
    struct args a = {0};
    struct comparison c = {0};
    struct rf_err err = {0};
    int rc = parse(&a, argc, argv, &err), status;

    for (size_t i = 0; i < a.n && rc == RF_OK; i++)
        rc = compare_add_file(&c, a.files[i], &err);
    if (rc == RF_OK)
        rc = compare_finish(&c, &err);
    if (rc == RF_OK)
        rc = write_all(&a, &c, &err);
    status = cli_end(&cmd_compare_info, rc, 0, &err);
    compare_free(&c);
    free(a.files);
    return status;
}
