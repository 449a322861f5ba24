/* SPDX-License-Identifier: Apache-2.0 */
/* refault compare: results side by side. */
#include "cli/cli.h"

#include "compare/compare.h"
#include "html/reports.h"

enum { OPT_ALL = OPT_OWN };

static const struct cli_option options[] = {
    {OPT_ALL, 'a', "all", NULL, "shows every value, not only the largest differences"},
    {OPT_JSON, 0, "json", "FILE|-", "writes the comparison as one JSON object"},
    {OPT_CSV, 0, "csv", "FILE|-", "writes the comparison as CSV, one value a row"},
    CLI_HTML_OPTION,
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
    struct cli_files files;
    struct outputs out;
    bool all, quiet;
};

static int take_option(void *ctx, int id, const char *value, struct rf_err *err) {
    struct args *a = ctx;

    (void)err;
    if (id == CLI_ARG)
        a->files.path[a->files.n++] = value;
    else if (id == OPT_ALL)
        a->all = true;
    else if (id == OPT_QUIET)
        a->quiet = true;
    else
        cli_output_option(&a->out, id, value);
    return RF_OK;
}

/* ---- output ---- */

struct view {
    const struct comparison *c;
    size_t rows;
};

static json_t *write_json(const void *ctx) {
    return compare_json(((const struct view *)ctx)->c);
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
        .json = write_json, .csv = write_csv, .page = html_compare, .text = write_text};
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
    int rc = cli_files_parse(&a.files, &cmd_compare_info, argc, argv, take_option, &a, &a.out,
                             "results", &err);
    int status;

    for (size_t i = 0; i < a.files.n && rc == RF_OK; i++)
        rc = compare_add_file(&c, a.files.path[i], &err);
    if (rc == RF_OK)
        rc = compare_finish(&c, &err);
    if (rc == RF_OK)
        rc = write_all(&a, &c, &err);
    status = cli_end(&cmd_compare_info, rc, 0, &err);
    compare_free(&c);
    cli_files_free(&a.files);
    return status;
}
