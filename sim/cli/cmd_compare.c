/* SPDX-License-Identifier: Apache-2.0 */
/* refault compare: results side by side. */
#include "cli/cli.h"

#include <stdlib.h>
#include "compare/compare.h"

enum { OPT_ALL = OPT_OWN };

static const struct cli_option options[] = {
    {OPT_ALL, 'a', "all", NULL, "shows every value, not only the largest differences"},
    {OPT_JSON, 0, "json", "FILE|-", "writes the comparison as one JSON object"},
    {OPT_CSV, 0, "csv", "FILE|-", "writes the comparison as CSV, one value a row"},
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

static int parse(struct args *a, int argc, char **argv, struct rf_err *err) {
    struct cli_walk w;
    int id, rc;

    a->files = calloc((size_t)argc, sizeof(*a->files));
    if (!a->files)
        return rf_fail(err, RF_ENOMEM, "no memory for the command line");
    cli_walk_init(&w, &cmd_compare_info, argc, argv);
    while ((id = cli_next(&w)) != CLI_END) {
        switch (id) {
        case CLI_BAD:
            return RF_EUSAGE;
        case CLI_HELP:
            return 1;
        case CLI_ARG:
            a->files[a->n++] = w.value;
            break;
        case OPT_ALL:
            a->all = true;
            break;
        case OPT_QUIET:
            a->quiet = true;
            break;
        default:
            a->out.path[id == OPT_JSON ? OUT_JSON : OUT_CSV] = w.value;
        }
    }
    if (!a->n)
        return rf_fail(err, RF_EUSAGE, "compare needs results; 'refault compare --help' explains");
    rc = outputs_check(&a->out, err);
    for (size_t i = 0; i < a->n && rc == RF_OK; i++)
        rc = outputs_keep(&a->out, a->files[i], err);
    return rc;
}

static int write_all(struct args *a, const struct comparison *c, struct rf_err *err) {
    struct output *o = a->out.o, text;
    int rc = outputs_open(&a->out, err);

    if (rc == RF_OK && o[OUT_JSON].f) {
        json_t *j = compare_json(c);

        rc = report_write_json(&o[OUT_JSON], j, false, err);
        json_decref(j);
    }
    if (rc == RF_OK && o[OUT_CSV].f)
        compare_csv(c, o[OUT_CSV].f);
    if (rc == RF_OK && !a->quiet && !outputs_take_stdout(&a->out)) {
        rc = output_open(&text, "-", err);
        if (rc == RF_OK) {
            compare_print(c, text.f, a->all ? 0 : COMPARE_USUAL);
            rc = output_close(&text, err);
        }
    }
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
    if (rc == 1)
        status = cli_help(&cmd_compare_info);
    else if (rc == RF_OK)
        status = 0;
    else
        status = err.code ? cli_fail(&err) : 2;
    compare_free(&c);
    free(a.files);
    return status;
}
