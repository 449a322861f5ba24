/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, what is judged, and their summaries. */
#include <stdlib.h>
#include "validate/validate.h"

/* Differences on counters below this are relative to it. */
#define SMALLEST 50
#define NOISY 0.20

static double scale(const struct band *b) {
    return (double)RF_MAX(b->median, SMALLEST);
}

double band_error(const struct band *b, int64_t value) {
    int64_t distance = value < b->min ? b->min - value : value > b->max ? value - b->max : 0;

    return (double)distance / scale(b);
}

double band_spread(const struct band *b) {
    return (double)(b->max - b->min) / scale(b);
}

static int compare_int64(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int64_t lower_median(int64_t *v, size_t n) {
    qsort(v, n, sizeof(v[0]), compare_int64);
    return v[(n - 1) / 2];
}

int case_add_row(struct case_result *c, const char *name, const struct band *b, int64_t value,
                 enum row_state state, bool bounded) {
    struct row *r;

    if (c->nr_rows == c->cap_rows) {
        size_t cap = c->cap_rows ? c->cap_rows * 2 : 64;
        struct row *bigger = realloc(c->rows, cap * sizeof(*bigger));

        if (!bigger)
            return RF_ENOMEM;
        c->rows = bigger;
        c->cap_rows = cap;
    }
    r = &c->rows[c->nr_rows++];
    *r = (struct row){.kernel = *b, .value = value, .error = band_error(b, value)};
    snprintf(r->name, sizeof(r->name), "%s", name);
    r->state = state;
    if (b->min == 0 && b->max == 0 && value == 0)
        r->state = ROW_EMPTY;
    else if (state == ROW_JUDGED && band_spread(b) > NOISY)
        r->state = ROW_NOISY;
    r->bounded = bounded && r->state == ROW_JUDGED;
    return RF_OK;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The smallest value that at least a share q of the sorted values do not exceed. */
static double quantile(const double *v, size_t n, double q) {
    size_t i = (size_t)((double)n * q);

    if ((double)i < (double)n * q)
        i++;
    return n ? v[i ? RF_MIN(i, n) - 1 : 0] : 0;
}

void error_summarize(const struct case_result *const *cases, size_t n, bool bounded_only,
                     struct error_summary *out) {
    size_t most = 0;
    double *v;

    *out = (struct error_summary){0};
    for (size_t i = 0; i < n; i++)
        most += cases[i]->nr_rows;
    v = malloc((most ? most : 1) * sizeof(*v));
    if (!v)
        return;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < cases[i]->nr_rows; k++) {
            const struct row *r = &cases[i]->rows[k];

            if (r->state != ROW_JUDGED || (bounded_only && !r->bounded))
                continue;
            v[out->n++] = r->error;
            if (r->error > out->worst) {
                out->worst = r->error;
                snprintf(out->worst_at, sizeof(out->worst_at), "%.70s %s", cases[i]->golden->name,
                         r->name);
            }
        }
    }
    qsort(v, out->n, sizeof(*v), by_value);
    out->median = quantile(v, out->n, 0.5);
    out->p90 = quantile(v, out->n, 0.9);
    free(v);
}

struct validate_limits validate_limits(const struct validate_opts *o, const char *kernel,
                                       bool direct) {
    /* 6.1 repeats itself to 0.2 %, later kernels only to 1 to 3 %. */
    bool repeats = strcmp(kernel, "6.1") == 0;
    struct validate_limits l = {
        .median = repeats ? 0.005 : 0.01, .p90 = repeats ? 0.05 : 0.08, .worst = 0.15};

    /* With the kernel's own page sizes a script has one right result; with ours each codec has a
     * limit of its own (case_run_direct()). */
    if (direct)
        l.median = l.p90 = l.worst = o->kernel_sizes ? 0 : 0.01;
    if (o->max_median >= 0)
        l.median = o->max_median;
    if (o->max_p90 >= 0)
        l.p90 = o->max_p90;
    if (o->max_worst >= 0)
        l.worst = o->max_worst;
    return l;
}
