/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/tune.h"

#include <stdlib.h>

#include "mrc/miniature.h"
#include "sweep/lockstep.h"
#include "tune/search.h"

#define MAX_POINTS 100000u
#define BATCH 512u /* machines described at one time */
#define LEAST_EXACT 8u
/* Pages of the first miniature, and what its rate is kept within. */
#define FIRST_PAGES 16384.0
#define LOWEST_RATE (1.0 / 16)
#define HIGHEST_RATE 0.5
#define RATE_STEP 4.0

struct tune {
    const struct tune_params *p;
    struct tune_result *r;
    struct search search;
    uint64_t done, expected; /* for the progress bar: runs weighted by their rate */
};

/* One batch of points over one trace. */
struct batch {
    struct tune *t;
    const struct miniature *mini; /* NULL: the whole */
    const size_t *index;
    struct lockstep_point *points;
    double ratio;
    struct rf_err err; /* a metric that results do not have */
};

static void finished(void *ctx, size_t i) {
    struct batch *b = ctx;
    struct lockstep_point *lp = &b->points[i];
    const struct tune_params *p = b->t->p;
    struct tune_point *pt = &b->t->r->points[b->index[i]];
    double *values = b->mini ? pt->guess : pt->value;

    b->t->done += (uint64_t)(1000 * b->ratio);
    if (p->progress)
        p->progress(p->ctx, RF_MIN(b->t->done, b->t->expected), b->t->expected);
    pt->exact = !b->mini;
    b->t->r->nr_exact += !b->mini;
    if (lp->err.code != RF_OK) {
        if (b->t->r->nr_failed == 0)
            b->t->r->first_failure = lp->err;
        b->t->r->nr_failed += !pt->failed;
        pt->failed = true;
        return;
    }
    pt->oom = lp->result.outcome == MACHINE_OOM;
    if (b->mini)
        pt->guessed_oom = pt->oom;
    pt->violation = 0;
    for (size_t m = 0; m < p->nr_metrics + p->nr_bounds; m++) {
        const struct metric *metric =
            m < p->nr_metrics ? &p->metrics[m] : &p->bounds[m - p->nr_metrics].metric;
        double v;

        if (metric_read(metric, &lp->result, &v, &b->err) != RF_OK)
            break;
        if (b->mini && metric->extensive)
            v /= b->ratio;
        values[m] = v;
        if (m >= p->nr_metrics)
            pt->violation += bound_violation(&p->bounds[m - p->nr_metrics], v);
    }
    replay_result_free(&lp->result);
}

static int run_batch(struct batch *b, const char *path, struct trace_reader *trace,
                     struct content_set *contents, size_t n, struct rf_err *err) {
    const struct tune_params *p = b->t->p;
    const struct lockstep_opts opts = {.threads = p->threads, .done = finished, .ctx = b};
    struct setting values[KRIGING_MAX_AXES];
    int rc = RF_OK;

    for (size_t i = 0; i < n && rc == RF_OK; i++) {
        grid_point(p->grid, b->index[i], values);
        rc = settings_resolve(p->settings, values, p->grid->n, trace_reader_info(trace),
                              &b->points[i].config, err);
        if (rc == RF_OK && b->mini)
            miniature_scale(b->mini, &b->points[i].config);
    }
    if (rc == RF_OK)
        rc = lockstep_run(path, contents, b->points, n, &opts, err);
    if (rc == RF_OK && b->err.code != RF_OK) {
        *err = b->err;
        rc = err->code;
    }
    return rc;
}

/* Runs n points, in miniature or whole. */
static int run(struct tune *t, const size_t *index, size_t n, const struct miniature *mini,
               struct rf_err *err) {
    const char *path = mini ? miniature_path(mini, t->p->trace) : t->p->trace;
    struct batch b = {.t = t, .mini = mini, .ratio = mini ? mini->ratio : 1.0};
    struct content_set *contents = NULL;
    struct trace_reader *trace = NULL;
    int rc = trace_open(path, &trace, err);

    b.points = calloc(RF_MIN(n, BATCH) + 1, sizeof(*b.points));
    if (rc == RF_OK && !b.points)
        rc = rf_fail(err, RF_ENOMEM, "no memory for %zu machines", RF_MIN(n, BATCH));
    if (rc == RF_OK)
        rc = trace_load_content(trace, &contents, err);
    for (size_t at = 0; at < n && rc == RF_OK; at += BATCH) {
        b.index = index + at;
        rc = run_batch(&b, path, trace, contents, RF_MIN(n - at, BATCH), err);
    }
    content_free(contents);
    trace_close(trace);
    free(b.points);
    return rc;
}

/* ---- rungs ---- */

/* Pages to sample together, for the point that needs most; 0 on an error. */
static uint32_t largest_group(const struct tune_params *p, struct rf_err *err) {
    struct setting values[KRIGING_MAX_AXES];
    uint32_t group = 1;

    for (size_t i = 0; i < grid_points(p->grid); i++) {
        struct machine_config c;

        grid_point(p->grid, i, values);
        if (settings_resolve(p->settings, values, p->grid->n, NULL, &c, err) != RF_OK)
            return 0;
        group = RF_MAX(group, miniature_group(&c));
    }
    return group;
}

static int rung(struct tune *t, const size_t *order, size_t n, double rate, struct rf_err *err) {
    uint32_t group = largest_group(t->p, err);
    struct miniature mini = {0};
    int rc = group ? RF_OK : err->code;

    if (rc == RF_OK)
        rc = miniature_make(&mini, t->p->trace, rate, group, t->p->seed, err);
    if (rc == RF_OK)
        rc = run(t, order, n, &mini, err);
    miniature_free(&mini);
    t->r->rungs[t->r->nr_rungs++] = (struct tune_rung){rate, n};
    return rc;
}

static int whole_runs(struct tune *t, size_t budget, struct rf_err *err) {
    size_t *next = calloc(t->r->n, sizeof(*next)), n;
    int rc = next ? RF_OK : rf_fail(err, RF_ENOMEM, "no memory for %zu points", t->r->n);

    if (rc == RF_OK) {
        n = search_first(&t->search, budget, next);
        rc = run(t, next, n, NULL, err);
    }
    while (rc == RF_OK && t->r->nr_exact < budget) {
        n = search_next(&t->search, budget - t->r->nr_exact, next);
        rc = run(t, next, n, NULL, err);
    }
    free(next);
    return rc;
}

static void mark_front(struct tune_result *r, size_t nr_metrics) {
    for (size_t i = 0; i < r->n; i++) {
        struct tune_point *p = &r->points[i];

        p->front = p->exact && !p->failed && !p->oom && p->violation <= 0;
        for (size_t j = 0; j < r->n && p->front; j++) {
            const struct tune_point *q = &r->points[j];
            bool no_worse = q->exact && !q->failed && !q->oom && q->violation <= 0, less = false;

            for (size_t m = 0; m < nr_metrics; m++) {
                no_worse &= q->value[m] <= p->value[m];
                less |= q->value[m] < p->value[m];
            }
            /* Of equals the first one stands for all. */
            if (no_worse && (less || j < i))
                p->front = false;
        }
    }
}

static bool is_ordered(const struct knob *k) {
    return k->type != KNOB_NAME && k->type != KNOB_ENUM && k->type != KNOB_KERNEL;
}

static int begin_search(struct tune *t, struct rf_err *err) {
    const struct grid *g = t->p->grid;

    t->search = (struct search){.nr_axes = g->n, .n = t->r->n, .p = t->p, .points = t->r->points};
    for (size_t i = 0; i < g->n; i++)
        t->search.axes[i] = (struct kriging_axis){g->axes[i].n, is_ordered(g->axes[i].knob)};
    return search_init(&t->search, err);
}

static int climb(struct tune *t, struct rf_err *err) {
    struct tune_result *r = t->r;
    const size_t *order = t->search.order;
    size_t budget = t->p->exact ? t->p->exact : RF_MAX(r->n / 5, LEAST_EXACT), keep;
    struct trace_reader *trace;
    double rate;
    int rc = trace_open(t->p->trace, &trace, err);

    if (rc != RF_OK)
        return rc;
    rate = FIRST_PAGES / (double)RF_MAX(trace_reader_info(trace)->footprint_pages, 1);
    trace_close(trace);
    rate = RF_MAX(RF_MIN(rate, HIGHEST_RATE), LOWEST_RATE);
    keep = RF_MIN(RF_MAX(2 * budget, r->n / 4), r->n);
    t->expected = (uint64_t)(1000 * (rate * (double)r->n + (double)RF_MIN(budget, r->n)));
    if (budget >= r->n)
        return run(t, order, r->n, NULL, err);
    rc = rung(t, order, r->n, rate, err);
    search_rank(&t->search, r->n);
    if (rc == RF_OK && rate * RATE_STEP <= HIGHEST_RATE) {
        rc = rung(t, order, keep, rate * RATE_STEP, err);
        search_rank(&t->search, keep);
    }
    return rc == RF_OK ? whole_runs(t, budget, err) : rc;
}

int tune_run(const struct tune_params *p, struct tune_result *out, struct rf_err *err) {
    struct tune t = {.p = p, .r = out};
    size_t n = grid_points(p->grid);
    int rc;

    *out = (struct tune_result){.best = SIZE_MAX};
    if (p->grid->n > KRIGING_MAX_AXES)
        return rf_fail(err, RF_ELIMIT, "a grid to tune over has at most %u knobs",
                       KRIGING_MAX_AXES);
    if (n > MAX_POINTS)
        return rf_fail(err, RF_ELIMIT, "a grid to tune over has at most %u points", MAX_POINTS);
    out->points = calloc(n, sizeof(*out->points));
    out->n = n;
    if (!out->points)
        return rf_fail(err, RF_ENOMEM, "no memory for %zu points", n);
    rc = begin_search(&t, err);
    if (rc == RF_OK)
        rc = climb(&t, err);
    if (rc == RF_OK)
        out->best = search_best(&t.search);
    search_free(&t.search);
    if (rc != RF_OK)
        return rc;
    mark_front(out, p->nr_metrics);
    if (out->best != SIZE_MAX &&
        (out->points[out->best].oom || out->points[out->best].violation > 0))
        out->best = SIZE_MAX;
    if (out->nr_failed == out->n) {
        *err = out->first_failure;
        return err->code;
    }
    return RF_OK;
}

void tune_result_free(struct tune_result *r) {
    free(r->points);
    *r = (struct tune_result){0};
}
