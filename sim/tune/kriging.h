/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kriging: what numbers seen at some points of a grid say of the others, and how sure that is
 * (Sacks, Welch, Mitchell, Wynn: "Design and Analysis of Computer Experiments", Statistical
 * Science 4(4), 1989, ordinary kriging). Two points resemble each other by the product over the
 * axes of exp(-distance / range); an axis has length 1, and different names are 1 apart.
 */
#ifndef SIM_TUNE_KRIGING_H
#define SIM_TUNE_KRIGING_H

#include <stdbool.h>
#include <stddef.h>

#define KRIGING_MAX_POINTS 64u /* seen and believed */
#define KRIGING_MAX_AXES 64u

struct kriging_axis {
    size_t n;     /* values */
    bool ordered; /* or names, all equally far apart */
};

/* The points seen. A point is a number in the grid, whose last axis turns fastest. */
struct kriging {
    const struct kriging_axis *axes; /* borrowed */
    size_t nr_axes, n;
    double range[KRIGING_MAX_AXES];
    size_t at[KRIGING_MAX_POINTS];
    double factor[KRIGING_MAX_POINTS][KRIGING_MAX_POINTS]; /* Cholesky's, of the correlations */
};

/* Numbers seen there. */
struct kriging_field {
    double mean, variance;
    double weight[KRIGING_MAX_POINTS];
};

/* No points yet; all ranges are `range`. */
void kriging_init(struct kriging *k, const struct kriging_axis *axes, size_t nr_axes, double range);
/* Takes one more point, at most KRIGING_MAX_POINTS in all, none twice. */
void kriging_add(struct kriging *k, size_t point);
/* `seen`: a number for each of the points added. */
void kriging_fit(const struct kriging *k, const double *seen, struct kriging_field *f);
/*
 * Chooses the ranges under which `seen`, nr rows of one number a point, is likeliest; takes n
 * points anew.
 */
void kriging_choose(struct kriging *k, const size_t *points, size_t n,
                    const double (*seen)[KRIGING_MAX_POINTS], size_t nr);
/* The number expected at a point, which `f` was fitted for with the first n points of k. */
double kriging_estimate(const struct kriging *k, const struct kriging_field *f, size_t n,
                        size_t point);
/* Share of the variance that all points of k leave at a point: 0 where it is known, towards 1
 * far from all. */
double kriging_unknown(const struct kriging *k, size_t point);

#endif
