/* SPDX-License-Identifier: Apache-2.0 */
/* refault merge: the journals of the shards of one sweep as one result. */
#include "cli/cli.h"

#include "sweep/journal.h"
#include "sweep/results.h"

static const struct cli_option options[] = {
    {OPT_JSON, 0, "json", "FILE|-", "writes each result as one JSON object on a line"},
    {OPT_CSV, 0, "csv", "FILE|-", "writes all results as CSV, one a row"},
    CLI_HTML_OPTION,
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
    struct cli_files journals;
    struct outputs out;
    bool quiet;
};

static int take_option(void *ctx, int id, const char *value, struct rf_err *err) {
    struct args *a = ctx;

    (void)err;
    if (id == CLI_ARG)
        a->journals.path[a->journals.n++] = value;
    else if (id == OPT_QUIET)
        a->quiet = true;
    else
        cli_output_option(&a->out, id, value);
    return RF_OK;
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

    for (size_t i = 0; i < a->journals.n && rc == RF_OK; i++) {
        json_t *plan = NULL;

        rc = journal_read(a->journals.path[i], take_plan, &plan, NULL, err);
        if (rc == RF_OK && !plan)
            rc = rf_fail(err, RF_EINPUT, "%s: has no intact plan of a sweep", a->journals.path[i]);
        else if (rc == RF_OK && first && !json_equal(first, plan))
            rc = rf_fail(err, RF_EINPUT, "%s: is of another sweep than %s", a->journals.path[i],
                         a->journals.path[0]);
        if (!first)
            first = json_incref(plan);
        json_decref(plan);
    }
    if (rc == RF_OK && results_from_plan(r, first, err) != RF_OK)
        rc = rf_fail_prefix(err, "%s", a->journals.path[0]);
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

    for (size_t i = 0; i < a->journals.n && rc == RF_OK; i++) {
        uint64_t dropped;

        rc = journal_read(a->journals.path[i], take_record, r, &dropped, err);
        if (rc == RF_OK && dropped)
            cli_note("%s: %llu damaged line%s left out", a->journals.path[i],
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
    int rc = cli_files_parse(&a.journals, &cmd_merge_info, argc, argv, take_option, &a, &a.out,
                             "journals", &err);
    int status;

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
    cli_files_free(&a.journals);
    return status;
}
