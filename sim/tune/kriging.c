/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/kriging.h"

#include <math.h>

/* Added to each point's own variance, so that no pivot vanishes. */
#define NUGGET 1e-4
#define LEAST_VARIANCE 1e-12 /* of logarithms that are all alike */

static const double common_ranges[] = {0.5, 1, 2, 4, 8};
static const double axis_ranges[] = {0.3, 0.6, 1.2, 2.5, 5, 20};

void kriging_init(struct kriging *k, const struct kriging_axis *axes, size_t nr_axes,
                  double range) {
    k->axes = axes;
    k->nr_axes = nr_axes;
    k->n = 0;
    for (size_t i = 0; i < nr_axes; i++)
        k->range[i] = range;
}

static double correlation(const struct kriging *k, size_t a, size_t b) {
    double distance = 0;

    for (size_t i = k->nr_axes; i-- > 0;) {
        const struct kriging_axis *x = &k->axes[i];
        size_t u = a % x->n, v = b % x->n;

        if (u != v && x->ordered)
            distance += (double)(u > v ? u - v : v - u) / (double)(x->n - 1) / k->range[i];
        else if (u != v)
            distance += 1 / k->range[i];
        a /= x->n;
        b /= x->n;
    }
    return exp(-distance);
}

/* Solves factor * out = v, in place. */
static void forward(const struct kriging *k, double *v) {
    for (size_t i = 0; i < k->n; i++) {
        for (size_t j = 0; j < i; j++)
            v[i] -= k->factor[i][j] * v[j];
        v[i] /= k->factor[i][i];
    }
}

/* Solves transposed factor * out = v, in place. */
static void backward(const struct kriging *k, double *v) {
    for (size_t i = k->n; i-- > 0;) {
        for (size_t j = i + 1; j < k->n; j++)
            v[i] -= k->factor[j][i] * v[j];
        v[i] /= k->factor[i][i];
    }
}

void kriging_add(struct kriging *k, size_t point) {
    double *row = k->factor[k->n], left = 1 + NUGGET;

    for (size_t i = 0; i < k->n; i++)
        row[i] = correlation(k, point, k->at[i]);
    forward(k, row);
    for (size_t i = 0; i < k->n; i++)
        left -= row[i] * row[i];
    row[k->n] = sqrt(left > NUGGET ? left : NUGGET);
    k->at[k->n++] = point;
}

void kriging_fit(const struct kriging *k, const double *seen, struct kriging_field *f) {
    double ones[KRIGING_MAX_POINTS], sum = 0, total = 0, *w = f->weight;

    for (size_t i = 0; i < k->n; i++)
        ones[i] = 1;
    forward(k, ones);
    backward(k, ones);
    for (size_t i = 0; i < k->n; i++) {
        sum += ones[i] * seen[i];
        total += ones[i];
    }
    f->mean = sum / total;
    f->variance = 0;
    for (size_t i = 0; i < k->n; i++)
        w[i] = seen[i] - f->mean;
    forward(k, w);
    for (size_t i = 0; i < k->n; i++)
        f->variance += w[i] * w[i] / (double)k->n;
    backward(k, w);
}

/* Logarithm of the likelihood of all rows, up to a constant; takes the points anew. */
static double likelihood(struct kriging *k, const size_t *points, size_t n,
                         const double (*seen)[KRIGING_MAX_POINTS], size_t nr) {
    struct kriging_field f;
    double sum = 0, all = (double)n;

    k->n = 0;
    for (size_t i = 0; i < n; i++)
        kriging_add(k, points[i]);
    for (size_t r = 0; r < nr; r++) {
        kriging_fit(k, seen[r], &f);
        sum -= all / 2 * log(f.variance > LEAST_VARIANCE ? f.variance : LEAST_VARIANCE);
        for (size_t i = 0; i < n; i++)
            sum -= log(k->factor[i][i]);
    }
    return sum;
}

void kriging_choose(struct kriging *k, const size_t *points, size_t n,
                    const double (*seen)[KRIGING_MAX_POINTS], size_t nr) {
    double best = 0, range = 0, l;

    for (size_t r = 0; r < sizeof(common_ranges) / sizeof(common_ranges[0]); r++) {
        kriging_init(k, k->axes, k->nr_axes, common_ranges[r]);
        l = likelihood(k, points, n, seen, nr);
        if (r == 0 || l > best) {
            best = l;
            range = common_ranges[r];
        }
    }
    kriging_init(k, k->axes, k->nr_axes, range);
    for (size_t i = 0; i < k->nr_axes; i++) { /* then each axis by itself, the others kept */
        range = k->range[i];
        for (size_t r = 0; r < sizeof(axis_ranges) / sizeof(axis_ranges[0]); r++) {
            k->range[i] = axis_ranges[r];
            l = likelihood(k, points, n, seen, nr);
            if (l > best) {
                best = l;
                range = axis_ranges[r];
            }
        }
        k->range[i] = range;
    }
    likelihood(k, points, n, seen, nr);
}

double kriging_estimate(const struct kriging *k, const struct kriging_field *f, size_t n,
                        size_t point) {
    double e = f->mean;

    for (size_t i = 0; i < n; i++)
        e += f->weight[i] * correlation(k, point, k->at[i]);
    return e;
}

double kriging_unknown(const struct kriging *k, size_t point) {
    double c[KRIGING_MAX_POINTS], left = 1 + NUGGET;

    for (size_t i = 0; i < k->n; i++)
        c[i] = correlation(k, point, k->at[i]);
    forward(k, c);
    for (size_t i = 0; i < k->n; i++)
        left -= c[i] * c[i];
    return left > NUGGET ? left : NUGGET;
}
