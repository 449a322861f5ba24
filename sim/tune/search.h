/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search: which points of a grid to run whole, after all of them ran in miniature.
 *
 * First corners of the grid, and the best of the miniatures. By what these differ from their
 * miniatures, like points are taken to differ, too (kriging.h); so the miniatures' errors are
 * corrected, most so near whole runs. The next go where the least value is expected to fall most,
 * be it that the estimate is low or that it is unsure ("expected improvement", Jones, Schonlau,
 * Welch: "Efficient Global Optimization of Expensive Black-Box Functions", Journal of Global
 * Optimization 13, 1998), times the chance that the bounds hold; one of them goes to a neighbour of
 * the best. Points that did the same in miniature are twins: one is run whole for all, but for
 * neighbours.
 */
#ifndef SIM_TUNE_SEARCH_H
#define SIM_TUNE_SEARCH_H

#include "tune/kriging.h"
#include "tune/tune.h"

#define SEARCH_STEP 4u /* points at most that search_next gives */

struct search {
    struct kriging_axis axes[KRIGING_MAX_AXES];
    size_t nr_axes, n;
    const struct tune_params *p;        /* metrics and bounds */
    const struct tune_point *points;    /* n, borrowed; whoever runs them fills them in */
    size_t *order;                      /* all points, the best guess first, twins last */
    size_t *twin;                       /* of a point: one that did the same, or itself */
    size_t *room, *candidates;          /* n each, to work in */
    double *estimates;                  /* of the candidates, a row for each */
    double unseen[TUNE_MAX_BOUNDS + 1]; /* added before a logarithm is taken, so that 0 has one */
};

/* s->axes, nr_axes, p and points have been set, the rest is 0; the order is the grid's. */
int search_init(struct search *s, struct rf_err *err) RF_MUST_CHECK;
void search_free(struct search *s);
/* Sorts the first n of the order by what the last miniature said of them. */
void search_rank(struct search *s, size_t n);
/* What to run whole first of `budget` whole runs; returns how many are in out[0..n). */
size_t search_first(struct search *s, size_t budget, size_t *out);
/* What to run whole next, at most `most` and SEARCH_STEP; 0 if nothing is left. */
size_t search_next(struct search *s, size_t most, size_t *out);
/* The best of what was run whole, even if bounds do not hold; SIZE_MAX if all failed. */
size_t search_best(const struct search *s);

#endif
