/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/sweep.h"

#include <stdlib.h>
#include "sweep/journal.h"
#include "sweep/lockstep.h"

/* Points that are handed over at a time: bounds the memory of configurations. */
#define BATCH 1024u

struct run {
    struct sweep *s;
    struct journal *journal;
    struct lockstep_point *batch;
    size_t *index; /* of the batch: point of the plan */
    uint64_t done, total;
};

/* The plan as it stands in the journal, to see whether it is there already. */
struct restoring {
    struct results *results;
    const json_t *plan;
    bool has_plan;
};

static int restore(void *ctx, const json_t *line, struct rf_err *err) {
    struct restoring *r = ctx;
    const char *name = json_string_value(json_object_get(line, "point"));
    struct record *rec = name ? results_find(r->results, name) : NULL;

    if (json_is_plan(line))
        r->has_plan = json_equal(line, r->plan);
    return rec ? record_from_json(rec, line, err) : RF_OK;
}

/* The last plan of a journal is what `refault merge` shows. */
static int open_journal(struct run *run, struct rf_err *err) {
    struct sweep *s = run->s;
    json_t *plan = results_plan_json(&s->results);
    struct restoring r = {.results = &s->results, .plan = plan};
    int rc = plan ? RF_OK : rf_fail(err, RF_ENOMEM, "no memory for the plan");

    if (rc == RF_OK)
        rc = journal_open(s->journal, s->resume, restore, &r, &s->dropped, &run->journal, err);
    if (rc == RF_OK && !r.has_plan)
        rc = journal_append(run->journal, plan, err);
    json_decref(plan);
    return rc;
}

static bool is_ours(const struct sweep *s, size_t point) {
    return !s->shards || point % s->shards == s->shard - 1;
}

/* A failure is run again by --resume: what it lacked may be there now. */
static bool is_missing(const struct sweep *s, size_t point) {
    const struct record *rec = &s->results.records[point];

    return is_ours(s, point) && (!rec->known || rec->code != RF_OK);
}

/* A finished point goes into its record and into the journal. */
static void keep(struct run *run, struct record *rec, struct replay_result *res,
                 const struct rf_err *error) {
    struct rf_err err;

    if (error) {
        record_fail(rec, error);
    } else if (record_set(rec, res, run->s->plan->settings->knobs) != RF_OK) {
        rf_fail(&err, RF_ENOMEM, "no memory for the result");
        record_fail(rec, &err);
    }
    if (run->journal) {
        json_t *line = record_json(rec);

        /* A result that is not on disk would be lost by the next failure: it counts as one. */
        if (journal_append(run->journal, line, &err) != RF_OK && rec->code == RF_OK)
            record_fail(rec, &err);
        json_decref(line);
    }
    run->s->nr_run++;
    run->done++;
    if (run->s->progress)
        run->s->progress(run->s->ctx, run->done, run->total);
}

static void on_done(void *ctx, size_t i) {
    struct run *run = ctx;
    struct lockstep_point *p = &run->batch[i];
    bool ok = p->err.code == RF_OK;

    keep(run, &run->s->results.records[run->index[i]], ok ? &p->result : NULL, ok ? NULL : &p->err);
    if (ok)
        replay_result_free(&p->result);
}

static int run_batch(struct run *run, const struct plan_trace *t, struct content_set *contents,
                     size_t n, struct rf_err *err) {
    const struct lockstep_opts opts = {.threads = run->s->threads, .done = on_done, .ctx = run};

    return n ? lockstep_run(t->path, contents, run->batch, n, &opts, err) : RF_OK;
}

/* All missing points of a trace, in order. */
static int run_trace(struct run *run, uint32_t trace, struct content_set *contents,
                     struct rf_err *err) {
    const struct plan *plan = run->s->plan;
    const struct plan_trace *t = &plan->traces[trace];
    size_t n = 0;
    int rc = RF_OK;

    for (size_t i = 0; i < plan->nr_points && rc == RF_OK; i++) {
        size_t row = plan->points[i].row;
        struct rf_err bad;

        if (plan->rows[row].trace != trace || !is_missing(run->s, i))
            continue;
        if (plan_config(plan, row, &run->batch[n].config, &bad) != RF_OK) {
            keep(run, &run->s->results.records[i], NULL, &bad);
            continue;
        }
        run->index[n++] = i;
        if (n == BATCH) {
            rc = run_batch(run, t, contents, n, err);
            n = 0;
        }
    }
    return rc == RF_OK ? run_batch(run, t, contents, n, err) : rc;
}

static int load_contents(const struct plan_trace *t, struct content_set **out, struct rf_err *err) {
    struct trace_reader *r;
    int rc = trace_open(t->path, &r, err);

    if (rc != RF_OK)
        return rc;
    rc = trace_load_content(r, out, err);
    trace_close(r);
    return rc;
}

static int run_all(struct run *run, struct rf_err *err) {
    const struct plan *plan = run->s->plan;
    int rc = RF_OK;

    for (uint32_t t = 0; t < plan->nr_traces && rc == RF_OK; t++) {
        struct content_set *contents;
        size_t missing = 0;

        for (size_t i = 0; i < plan->nr_points; i++)
            missing += plan->rows[plan->points[i].row].trace == t && is_missing(run->s, i);
        if (!missing)
            continue;
        rc = load_contents(&plan->traces[t], &contents, err);
        if (rc == RF_OK) {
            rc = run_trace(run, t, contents, err);
            content_free(contents);
        }
    }
    return rc;
}

int sweep_run(struct sweep *s, struct rf_err *err) {
    struct run run = {.s = s};
    size_t room = RF_MIN(s->plan->nr_points, (size_t)BATCH);
    int rc;

    s->nr_run = 0;
    s->nr_found = 0;
    s->dropped = 0;
    rc = results_init(&s->results, s->plan, err);
    if (rc != RF_OK)
        return rc;
    run.batch = calloc(room + 1, sizeof(*run.batch));
    run.index = calloc(room + 1, sizeof(*run.index));
    if (!run.batch || !run.index)
        rc = rf_fail(err, RF_ENOMEM, "no memory for %zu points", room);
    if (rc == RF_OK && s->journal)
        rc = open_journal(&run, err);
    for (size_t i = 0; rc == RF_OK && i < s->plan->nr_points; i++) {
        run.total += is_missing(s, i);
        s->nr_found += is_ours(s, i) && !is_missing(s, i);
    }
    if (rc == RF_OK)
        rc = run_all(&run, err);
    journal_close(run.journal);
    free(run.batch);
    free(run.index);
    if (rc != RF_OK)
        results_free(&s->results);
    return rc;
}

void sweep_free(struct sweep *s) {
    results_free(&s->results);
}
