/* SPDX-License-Identifier: Apache-2.0 */
/* refault merge: the journals of the shards of one sweep as one result. */
#include "cli/cli.h"

#include <stdlib.h>
#include "sweep/journal.h"
#include "sweep/results.h"

static const struct cli_option options[] = {
    {OPT_JSON, 0, "json", "FILE|-", "writes each result as one JSON object on a line"},
    {OPT_CSV, 0, "csv", "FILE|-", "writes all results as CSV, one a row"},
    {OPT_HTML, 0, "html", "FILE|-", "writes a page with charts, one file that loads nothing"},
    {OPT_QUIET, 'q', "quiet", NULL, "no table"},
    {0, 0, NULL, NULL, NULL},
};

static int cmd_merge(int argc, char **argv);
extern const struct cli_command cmd_merge_info;
const struct cli_command cmd_merge_info = {
    .name = "merge",
    .args = "JOURNAL...",
    .summary = "join the journals of a sweep's shards; output is that of one whole sweep",
    .example = "refault merge part-*.journal --csv all.csv",
    .options = options,
    .run = cmd_merge,
};

struct args {
    const char **journals;
    size_t n;
    struct outputs out;
    bool quiet;
};

static int take_option(void *ctx, int id, const char *value, struct rf_err *err) {
    struct args *a = ctx;

    (void)err;
    if (id == CLI_ARG)
        a->journals[a->n++] = value;
    else if (id == OPT_QUIET)
        a->quiet = true;
    else
        cli_output_option(&a->out, id, value);
    return RF_OK;
}

static int parse(struct args *a, int argc, char **argv, struct rf_err *err) {
    int rc;

    a->journals = calloc((size_t)argc, sizeof(*a->journals));
    if (!a->journals)
        return rf_fail(err, RF_ENOMEM, "no memory for the command line");
    rc = cli_parse(&cmd_merge_info, argc, argv, take_option, a, err);
    if (rc != RF_OK)
        return rc;
    if (!a->n)
        return rf_fail(err, RF_EUSAGE, "merge needs journals; 'refault merge --help' explains");
    rc = outputs_check(&a->out, err);
    for (size_t i = 0; i < a->n && rc == RF_OK; i++)
        rc = outputs_keep(&a->out, a->journals[i], err);
    return rc;
}

/* First pass: the last plan of each journal, which must be the same in all. */
static int take_plan(void *ctx, const json_t *line, struct rf_err *err) {
    json_t **plan = ctx;

    (void)err;
    if (json_is_plan(line)) {
        json_decref(*plan);
        *plan = json_incref((json_t *)(uintptr_t)line);
    }
    return RF_OK;
}

static int read_plan(const struct args *a, struct results *r, struct rf_err *err) {
    json_t *first = NULL;
    int rc = RF_OK;

    for (size_t i = 0; i < a->n && rc == RF_OK; i++) {
        json_t *plan = NULL;

        rc = journal_read(a->journals[i], take_plan, &plan, NULL, err);
        if (rc == RF_OK && !plan)
            rc = rf_fail(err, RF_EINPUT, "%s: has no intact plan of a sweep", a->journals[i]);
        else if (rc == RF_OK && first && !json_equal(first, plan))
            rc = rf_fail(err, RF_EINPUT, "%s: is of another sweep than %s", a->journals[i],
                         a->journals[0]);
        if (!first)
            first = json_incref(plan);
        json_decref(plan);
    }
    if (rc == RF_OK && results_from_plan(r, first, err) != RF_OK)
        rc = rf_fail_prefix(err, "%s", a->journals[0]);
    json_decref(first);
    return rc;
}

static int take_record(void *ctx, const json_t *line, struct rf_err *err) {
    const char *name = json_string_value(json_object_get(line, "point"));
    struct record *rec = name ? results_find(ctx, name) : NULL;

    return rec ? record_from_json(rec, line, err) : RF_OK;
}

/* Second pass: the records. */
static int read_records(const struct args *a, struct results *r, struct rf_err *err) {
    int rc = RF_OK;

    for (size_t i = 0; i < a->n && rc == RF_OK; i++) {
        uint64_t dropped;

        rc = journal_read(a->journals[i], take_record, r, &dropped, err);
        if (rc == RF_OK && dropped)
            cli_note("%s: %llu damaged line%s left out", a->journals[i],
                     (unsigned long long)dropped, dropped == 1 ? "" : "s");
    }
    return rc;
}

static int check_complete(const struct results *r, struct rf_err *err) {
    size_t failed, known = results_known(r, &failed);

    for (size_t i = 0; i < r->nr_rows; i++) {
        if (!r->records[r->rows[i].record].known)
            return rf_fail(err, RF_EINPUT, "%zu of %zu points are in no journal, the first is %s",
                           r->nr_rows - known, r->nr_rows, r->records[r->rows[i].record].name);
    }
    return RF_OK;
}

static int cmd_merge(int argc, char **argv) {
    struct args a = {0};
    struct results r = {0};
    struct rf_err err = {0};
    int rc = parse(&a, argc, argv, &err), status;

    if (rc == RF_OK)
        rc = read_plan(&a, &r, &err);
    if (rc == RF_OK)
        rc = read_records(&a, &r, &err);
    if (rc == RF_OK)
        rc = check_complete(&r, &err);
    if (rc == RF_OK)
        rc = outputs_open(&a.out, &err);
    if (rc == RF_OK)
        rc = results_write(&r, &a.out, a.quiet, &err);
    if (rc <= RF_OK)
        rc = outputs_close(&a.out, rc, &err);
    status = cli_end(&cmd_merge_info, rc, 0, &err);
    results_free(&r);
    free(a.journals);
    return status;
}
