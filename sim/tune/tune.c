/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/tune.h"

#include <stdlib.h>

#include "mrc/miniature.h"
#include "sweep/lockstep.h"

#define MAX_POINTS 100000u
#define BATCH 512u /* machines described at one time */
#define MAX_AXES 64u
#define LEAST_EXACT 8u
/* Pages of the first miniature, and what its rate is kept within. */
#define FIRST_PAGES 16384.0
#define LOWEST_RATE (1.0 / 16)
#define HIGHEST_RATE 0.5
#define RATE_STEP 4.0
#define NEIGHBOURS_AT_ONCE 4u
#define TOPS 3u /* points whose neighbours are looked at */
/* Bounds missed by less than this in a miniature may hold in the whole. */
#define SLACK 0.05

struct tune {
    const struct tune_params *p;
    struct tune_result *r;
    size_t *twin;            /* of a point: one that did the same in every miniature, or itself */
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
    pt->violation = 0;
    for (size_t m = 0; m < p->nr_metrics + p->nr_bounds; m++) {
        const struct metric *metric =
            m < p->nr_metrics ? &p->metrics[m] : &p->bounds[m - p->nr_metrics].metric;
        double v;

        if (metric_read(metric, &lp->result, &v, &b->err) != RF_OK)
            break;
        if (b->mini && metric->extensive)
            v /= b->ratio;
        if (m < p->nr_metrics)
            values[m] = v;
        else
            pt->violation += bound_violation(&p->bounds[m - p->nr_metrics], v);
    }
    replay_result_free(&lp->result);
}

static int run_batch(struct batch *b, const char *path, struct trace_reader *trace,
                     struct content_set *contents, size_t n, struct rf_err *err) {
    const struct tune_params *p = b->t->p;
    const struct lockstep_opts opts = {.threads = p->threads, .done = finished, .ctx = b};
    struct setting values[MAX_AXES];
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

/* ---- order ---- */

/* Whether point a is better than b by what is known of each; both exact, or both guessed. */
static bool better(const struct tune_point *a, const struct tune_point *b) {
    double slack = a->exact ? 0 : SLACK;
    double va = a->violation > slack ? a->violation : 0,
           vb = b->violation > slack ? b->violation : 0;
    double x = a->exact ? a->value[0] : a->guess[0], y = b->exact ? b->value[0] : b->guess[0];

    if (a->failed != b->failed)
        return b->failed;
    if (a->oom != b->oom)
        return b->oom;
    if (va > vb || va < vb)
        return va < vb;
    return x < y;
}

/* A merge sort, so that equals stay in the grid's order. */
static void sort_points(const struct tune_result *r, size_t *v, size_t *room, size_t n) {
    size_t half = n / 2, a = 0, b = half;

    if (n < 2)
        return;
    sort_points(r, v, room, half);
    sort_points(r, v + half, room, n - half);
    for (size_t i = 0; i < n; i++) {
        bool second = a == half || (b < n && better(&r->points[v[b]], &r->points[v[a]]));
        room[i] = second ? v[b++] : v[a++];
    }
    memcpy(v, room, n * sizeof(*v));
}

static size_t best_exact(const struct tune_result *r) {
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < r->n; i++) {
        const struct tune_point *p = &r->points[i];

        if (p->exact && !p->failed && (best == SIZE_MAX || better(p, &r->points[best])))
            best = i;
    }
    return best;
}

/* Whether running a point whole would tell something: neither it nor a twin has been. */
static bool is_open(const struct tune *t, size_t i) {
    return !t->r->points[i].exact && !t->r->points[t->twin[i]].exact;
}

/*
 * Finds points that did the same as one before them in the order, by all metrics: a knob that had
 * no effect. The first of them stands for all, the others go to the end.
 */
static void part_twins(struct tune *t, size_t *order, size_t *room, size_t n) {
    const struct tune_params *p = t->p;
    size_t kept = 0, moved = 0;

    for (size_t i = 0; i < n; i++) {
        const struct tune_point *a = &t->r->points[order[i]];
        bool same = false;

        /* Equals in the first metric are neighbours, but for bounds. */
        for (size_t k = kept; k-- > 0 && !same;) {
            const struct tune_point *b = &t->r->points[order[k]];

            if (b->guess[0] < a->guess[0] || b->guess[0] > a->guess[0])
                break;
            same = a->oom == b->oom && !a->failed && !b->failed;
            for (size_t m = 1; m < p->nr_metrics; m++)
                same &= a->guess[m] <= b->guess[m] && a->guess[m] >= b->guess[m];
            if (same)
                t->twin[order[i]] = order[k];
        }
        if (same)
            room[moved++] = order[i];
        else
            order[kept++] = order[i];
    }
    memcpy(order + kept, room, moved * sizeof(*room));
}

static bool is_ordered(const struct knob *k) {
    return k->type != KNOB_NAME && k->type != KNOB_ENUM && k->type != KNOB_KERNEL;
}

/* Points that differ in one knob, by one step or by a name, and are worth a whole run. */
static size_t neighbours(const struct tune *t, size_t of, size_t *out) {
    const struct grid *g = t->p->grid;
    size_t stride = 1, n = 0;

    for (size_t i = g->n; i-- > 0;) {
        const struct axis *x = &g->axes[i];
        size_t at = of / stride % x->n, first = 0, last = x->n - 1;

        if (is_ordered(x->knob)) {
            first = at > 0 ? at - 1 : at;
            last = RF_MIN(at + 1, last);
        }
        for (size_t k = first; k <= last; k++) {
            size_t other = of - at * stride + k * stride;

            if (is_open(t, other))
                out[n++] = other;
        }
        stride *= x->n;
    }
    return n;
}

/* Neighbours of the best point that has any left, among the best few that were run whole. */
static size_t next_step(const struct tune *t, size_t *out) {
    const struct tune_result *r = t->r;
    size_t tops[TOPS], nr = 0;

    for (size_t i = 0; i < r->n; i++) {
        size_t at;

        if (!r->points[i].exact || r->points[i].failed)
            continue;
        for (at = nr; at > 0 && better(&r->points[i], &r->points[tops[at - 1]]); at--)
            if (at < TOPS)
                tops[at] = tops[at - 1];
        if (at < TOPS)
            tops[at] = i;
        nr = RF_MIN(nr + 1, TOPS);
    }
    for (size_t i = 0; i < nr; i++) {
        size_t n = neighbours(t, tops[i], out);

        if (n)
            return n;
    }
    return 0;
}

/*
 * Points with every ordered knob at one of its ends, and every name: a factorial design. Most knobs
 * act one way, and where a pool just holds everything the miniature, whose zspages are emptier, may
 * not show it. Gives those that are open.
 */
static size_t corners(const struct tune *t, size_t *out) {
    const struct grid *g = t->p->grid;
    size_t n = 0;

    for (size_t p = 0; p < t->r->n; p++) {
        size_t stride = 1;
        bool corner = is_open(t, p);

        for (size_t i = g->n; i-- > 0 && corner;) {
            size_t at = p / stride % g->axes[i].n;

            corner = at == 0 || at + 1 == g->axes[i].n || !is_ordered(g->axes[i].knob);
            stride *= g->axes[i].n;
        }
        if (corner)
            out[n++] = p;
    }
    return n;
}

/* ---- rungs ---- */

/* Pages to sample together, for the point that needs most; 0 on an error. */
static uint32_t largest_group(const struct tune_params *p, struct rf_err *err) {
    struct setting values[MAX_AXES];
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

/* Appends open points from the order until there are `most`, none twice. */
static size_t fill_up(const struct tune *t, const size_t *order, size_t *out, size_t n,
                      size_t most) {
    for (size_t i = 0; n < most && i < t->r->n; i++) {
        bool listed = t->r->points[order[i]].exact;

        for (size_t k = 0; k < n; k++)
            listed |= out[k] == order[i];
        if (!listed)
            out[n++] = order[i];
    }
    return n;
}

/* A quarter of the whole runs goes to corners, one to the best of the miniatures, half to climbing.
 */
static int whole_runs(struct tune *t, size_t *order, size_t *room, size_t budget,
                      struct rf_err *err) {
    size_t *next = calloc(t->r->n, sizeof(*next)), n;
    int rc = next ? RF_OK : rf_fail(err, RF_ENOMEM, "no memory for %zu points", t->r->n);

    budget = RF_MIN(budget, t->r->n);
    if (rc == RF_OK) {
        n = corners(t, next);
        sort_points(t->r, next, room, n);
        n = RF_MIN(n, budget / 4);
        n = fill_up(t, order, next, n, RF_MAX(budget / 2, 1));
        rc = run(t, next, n, NULL, err);
    }
    while (rc == RF_OK && t->r->nr_exact < budget) {
        size_t most = RF_MIN(budget - t->r->nr_exact, NEIGHBOURS_AT_ONCE);

        n = next_step(t, next);
        sort_points(t->r, next, room, n);
        n = fill_up(t, order, next, n, most);
        rc = run(t, next, RF_MIN(n, most), NULL, err);
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

static int climb(struct tune *t, size_t *order, size_t *room, struct rf_err *err) {
    struct tune_result *r = t->r;
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
    for (size_t i = 0; i < r->n; i++)
        order[i] = t->twin[i] = i;
    if (budget < r->n) {
        rc = rung(t, order, r->n, rate, err);
        sort_points(r, order, room, r->n);
        part_twins(t, order, room, r->n);
        if (rc == RF_OK && rate * RATE_STEP <= HIGHEST_RATE) {
            rc = rung(t, order, keep, rate * RATE_STEP, err);
            sort_points(r, order, room, keep);
            part_twins(t, order, room, keep);
        }
    }
    return rc == RF_OK ? whole_runs(t, order, room, budget, err) : rc;
}

int tune_run(const struct tune_params *p, struct tune_result *out, struct rf_err *err) {
    struct tune t = {.p = p, .r = out};
    size_t n = grid_points(p->grid), *order, *room;
    int rc;

    *out = (struct tune_result){.best = SIZE_MAX};
    if (p->grid->n > MAX_AXES)
        return rf_fail(err, RF_ELIMIT, "a grid to tune over has at most %u knobs", MAX_AXES);
    if (n > MAX_POINTS)
        return rf_fail(err, RF_ELIMIT, "a grid to tune over has at most %u points", MAX_POINTS);
    out->points = calloc(n, sizeof(*out->points));
    order = calloc(n, sizeof(*order));
    room = calloc(n, sizeof(*room));
    t.twin = calloc(n, sizeof(*t.twin));
    out->n = n;
    if (!out->points || !order || !room || !t.twin)
        rc = rf_fail(err, RF_ENOMEM, "no memory for %zu points", n);
    else
        rc = climb(&t, order, room, err);
    free(order);
    free(room);
    free(t.twin);
    if (rc != RF_OK)
        return rc;
    mark_front(out, p->nr_metrics);
    out->best = best_exact(out);
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
