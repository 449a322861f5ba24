/* SPDX-License-Identifier: Apache-2.0 */
#include "mrc/stall.h"

#include <inttypes.h>
#include <stdlib.h>

#include "mrc/miniature.h"
#include "sweep/lockstep.h"

#define AUTO_PAGES 65536.0
#define SMALLEST_SHARE 0.01 /* of the largest stall: what errors are at least relative to */

/* One trace, opened, with what its pages hold. */
struct subject {
    struct trace_reader *trace;
    struct content_set *contents;
};

static int subject_open(struct subject *s, const char *path, struct rf_err *err) {
    int rc = trace_open(path, &s->trace, err);

    return rc == RF_OK ? trace_load_content(s->trace, &s->contents, err) : rc;
}

static void subject_close(struct subject *s) {
    content_free(s->contents);
    trace_close(s->trace);
}

static uint64_t time_of(const struct replay_result *r, const char *name) {
    const struct value *v = value_list_find(&r->values, MV_TIME, name);

    return v ? v->value : 0;
}

static bool is_exact(const struct stall_params *p, size_t n, size_t at) {
    if (p->exact >= n)
        return true;
    if (p->exact == 1)
        return at == n / 2;
    for (size_t i = 0; i < p->exact; i++) {
        if (i * (n - 1) / (p->exact - 1) == at)
            return true;
    }
    return false;
}

struct batch {
    const struct stall_params *p;
    uint64_t done, total;
};

static void step(void *ctx, size_t index) {
    struct batch *b = ctx;

    (void)index;
    b->done++;
    if (b->p->progress)
        b->p->progress(b->p->ctx, b->done, b->total);
}

static void take(struct stall_point *out, const struct replay_result *r,
                 const struct miniature *mini) {
    if (mini) {
        out->oom = r->outcome == MACHINE_OOM;
        out->stall_ns = (double)time_of(r, "stall_ns") / mini->ratio;
        out->elapsed_ns = (double)time_of(r, "elapsed_ns") / mini->ratio;
    } else {
        out->exact = true;
        out->exact_oom = r->outcome == MACHINE_OOM;
        out->exact_stall_ns = time_of(r, "stall_ns");
    }
}

/* Runs all sizes in miniature, or, without one, those that are to be run whole. */
static int run_sizes(struct batch *b, struct stall_curve *c, const char *path, struct subject *s,
                     const struct miniature *mini, struct rf_err *err) {
    const struct stall_params *p = b->p;
    const struct lockstep_opts opts = {.threads = p->threads, .done = step, .ctx = b};
    struct lockstep_point *points = calloc(c->n + 1, sizeof(*points));
    size_t n = 0;
    int rc = RF_OK;

    if (!points)
        return rf_fail(err, RF_ENOMEM, "no memory for %zu machines", c->n);
    for (size_t i = 0; i < c->n && rc == RF_OK; i++) {
        struct setting size;

        if (!mini && !is_exact(p, c->n, i))
            continue;
        grid_point(p->sizes, i, &size);
        rc = settings_resolve(p->settings, &size, 1, trace_reader_info(s->trace), &points[n].config,
                              err);
        if (rc == RF_OK && mini)
            miniature_scale(mini, &points[n].config);
        n++;
    }
    if (rc == RF_OK)
        rc = lockstep_run(path, s->contents, points, n, &opts, err);
    n = 0;
    for (size_t i = 0; i < c->n && rc == RF_OK; i++) {
        if (!mini && !is_exact(p, c->n, i))
            continue;
        if (points[n].err.code != RF_OK) {
            *err = points[n].err;
            rc = rf_fail_prefix(err, "memory.max=%s", p->sizes->axes[0].values[i]);
            if (mini && c->sampled_pages < mini->whole.footprint_pages)
                rf_fail_prefix(err, "in a miniature of %" PRIu64 " of %" PRIu64 " pages (rate %g)",
                               c->sampled_pages, mini->whole.footprint_pages, c->rate);
            break;
        }
        take(&c->points[i], &points[n].result, mini);
        replay_result_free(&points[n++].result);
    }
    for (; rc != RF_OK && n < c->n; n++) /* behind the one that failed */
        replay_result_free(&points[n].result);
    free(points);
    return rc;
}

static int compare_double(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int judge(struct stall_curve *c, struct rf_err *err) {
    double *errors = calloc(c->n + 1, sizeof(*errors)), largest = 0;
    size_t n = 0;

    if (!errors)
        return rf_fail(err, RF_ENOMEM, "no memory for %zu errors", c->n);
    for (size_t i = 0; i < c->n; i++) {
        if (c->points[i].exact)
            largest = RF_MAX(largest, (double)c->points[i].exact_stall_ns);
    }
    for (size_t i = 0; i < c->n; i++) {
        const struct stall_point *p = &c->points[i];
        double exact = (double)p->exact_stall_ns, base = RF_MAX(exact, largest * SMALLEST_SHARE);

        if (!p->exact || p->oom || p->exact_oom)
            continue;
        double e = p->stall_ns > exact ? p->stall_ns - exact : exact - p->stall_ns;
        errors[n] = base > 0 ? e / base : 0;
        if (n == 0 || errors[n] > c->worst) {
            c->worst = errors[n];
            c->worst_at = i;
        }
        n++;
    }
    qsort(errors, n, sizeof(*errors), compare_double);
    if (n)
        c->median = n % 2 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2;
    c->nr_exact = n;
    free(errors);
    return RF_OK;
}

static int run_all(const char *trace, const struct stall_params *p, struct stall_curve *c,
                   struct miniature *mini, struct rf_err *err) {
    struct subject whole = {0}, sample = {0};
    struct machine_config config;
    struct batch b = {.p = p, .total = c->n + RF_MIN(p->exact, c->n)};
    int rc = subject_open(&whole, trace, err);
    bool all;

    if (rc != RF_OK)
        goto out;
    rc = settings_resolve(p->settings, NULL, 0, trace_reader_info(whole.trace), &config, err);
    if (rc != RF_OK)
        goto out;
    if (c->rate <= 0)
        c->rate = RF_MIN(AUTO_PAGES / (double)trace_reader_info(whole.trace)->footprint_pages, 1.0);
    all = c->rate >= 1.0;
    rc = miniature_make(mini, trace, c->rate, miniature_group(&config), p->seed, err);
    if (rc == RF_OK && !all)
        rc = subject_open(&sample, mini->sample.path, err);
    if (rc != RF_OK)
        goto out;
    c->ratio = mini->ratio;
    c->sampled_pages = trace_reader_info(all ? whole.trace : sample.trace)->footprint_pages;
    rc = run_sizes(&b, c, miniature_path(mini, trace), all ? &whole : &sample, mini, err);
    if (rc == RF_OK && !all && p->exact)
        rc = run_sizes(&b, c, trace, &whole, NULL, err);
out:
    subject_close(&whole);
    subject_close(&sample);
    return rc;
}

int stall_curve(const char *trace, const struct stall_params *p, struct stall_curve *out,
                struct rf_err *err) {
    struct miniature mini = {0};
    int rc;

    *out = (struct stall_curve){.n = grid_points(p->sizes), .rate = p->rate};
    out->points = calloc(out->n + 1, sizeof(*out->points));
    if (!out->points)
        return rf_fail(err, RF_ENOMEM, "no memory for %zu sizes", out->n);
    rc = run_all(trace, p, out, &mini, err);
    miniature_free(&mini);
    return rc == RF_OK ? judge(out, err) : rc;
}

void stall_curve_free(struct stall_curve *c) {
    free(c->points);
    *c = (struct stall_curve){0};
}
