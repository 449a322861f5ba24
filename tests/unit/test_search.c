/* SPDX-License-Identifier: Apache-2.0 */
/* Kriging by hand; the search on tables whose miniatures mislead, against all of the table. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tune/search.h"

static struct rf_err err;

/* A little is added to the correlation of a point with itself. */
static bool near(double a, double b) {
    return fabs(a - b) < 0.005;
}

/*
 * An axis of three, range 1, 7 and 3 seen at its ends. By symmetry the mean is 5, and so is the
 * middle. With r = e^-1 between the ends and q = e^-0.5 from the middle to each, the share left
 * unknown in the middle is 1 - (q q) R^-1 (q q)' = 1 - 2 q^2 / (1 + r); deviations 2 and -2 have
 * the variance (2 2^2 / (1 - r)) / 2.
 */
static void kriging_by_hand(void **state) {
    static const struct kriging_axis axis = {3, true};
    static const double seen[] = {7, 3};
    struct kriging k;
    struct kriging_field f;

    (void)state;
    kriging_init(&k, &axis, 1, 1);
    kriging_add(&k, 0);
    kriging_add(&k, 2);
    kriging_fit(&k, seen, &f);
    assert_true(near(f.mean, 5));
    assert_true(near(f.variance, 4 / (1 - exp(-1))));
    assert_true(near(kriging_estimate(&k, &f, 2, 0), 7));
    assert_true(near(kriging_estimate(&k, &f, 2, 1), 5));
    assert_true(near(kriging_estimate(&k, &f, 2, 2), 3));
    assert_true(near(kriging_unknown(&k, 0), 0));
    assert_true(near(kriging_unknown(&k, 1), 1 - 2 * exp(-1) / (1 + exp(-1))));
}

/* Names are one apart, whatever their places: the last of five is as far as the second. */
static void kriging_names(void **state) {
    static const struct kriging_axis axis = {5, false};
    struct kriging k;

    (void)state;
    kriging_init(&k, &axis, 1, 2);
    kriging_add(&k, 0);
    assert_true(near(kriging_unknown(&k, 1), 1 - exp(-1)));
    assert_true(near(kriging_unknown(&k, 4), 1 - exp(-1)));
}

/* Numbers that depend on the first axis alone: the second is found to have no effect. */
static void kriging_ranges(void **state) {
    static const struct kriging_axis axes[] = {{3, false}, {4, true}};
    static const size_t points[] = {0, 3, 5, 7, 8, 10};
    static const double of_first[] = {1, 5, 2};
    double seen[1][KRIGING_MAX_POINTS];
    struct kriging k;
    struct kriging_field f;

    (void)state;
    for (size_t i = 0; i < 6; i++)
        seen[0][i] = of_first[points[i] / 4];
    kriging_init(&k, axes, 2, 1);
    kriging_choose(&k, points, 6, (const double(*)[KRIGING_MAX_POINTS])seen, 1);
    kriging_fit(&k, seen[0], &f);
    assert_true(k.range[1] > k.range[0]);
    for (size_t i = 0; i < 12; i++)
        assert_true(fabs(kriging_estimate(&k, &f, 6, i) - of_first[i / 4]) < 0.2);
}

/* ---- search ---- */

/* A table: what a point's miniature says, and what is true. Up to two values a point. */
struct table {
    const struct kriging_axis *axes;
    size_t nr_axes, n;
    void (*at)(const size_t *place, double *guess, double *value);
    struct bound bound;
    size_t nr_bounds;
};

static struct tune_params params;

static void set_up(const struct table *t, struct search *s, struct tune_point **points) {
    params = (struct tune_params){.nr_metrics = 1, .bounds = &t->bound, .nr_bounds = t->nr_bounds};
    *points = calloc(t->n, sizeof(**points));
    assert_non_null(*points);
    *s = (struct search){.nr_axes = t->nr_axes, .n = t->n, .p = &params, .points = *points};
    for (size_t i = 0; i < t->nr_axes; i++)
        s->axes[i] = t->axes[i];
    for (size_t i = 0; i < t->n; i++) {
        struct tune_point *p = &(*points)[i];
        size_t place[4], rest = i;

        for (size_t a = t->nr_axes; a-- > 0;) {
            place[a] = rest % t->axes[a].n;
            rest /= t->axes[a].n;
        }
        t->at(place, p->guess, p->value);
        if (t->nr_bounds)
            p->violation = bound_violation(&t->bound, p->guess[1]);
    }
    assert_int_equal(search_init(s, &err), RF_OK);
    search_rank(s, t->n);
}

/* Runs until the budget is spent or nothing is left; no point twice. Returns the runs. */
static size_t spend(const struct table *t, struct search *s, struct tune_point *points,
                    size_t budget) {
    size_t *next = calloc(t->n, sizeof(*next)), n, runs = 0;

    assert_non_null(next);
    n = search_first(s, budget, next);
    while (n) {
        assert_true(runs + n <= budget);
        for (size_t i = 0; i < n; i++) {
            struct tune_point *p = &points[next[i]];

            assert_false(p->exact);
            p->exact = true;
            p->violation = t->nr_bounds ? bound_violation(&t->bound, p->value[1]) : 0;
        }
        runs += n;
        n = runs < budget ? search_next(s, budget - runs, next) : 0;
    }
    free(next);
    return runs;
}

/* The least value of the table that keeps the bound is among `budget` runs. */
static void finds_least(const struct table *t, size_t budget) {
    struct tune_point *points;
    struct search s;
    double least = INFINITY;
    size_t best;

    set_up(t, &s, &points);
    for (size_t i = 0; i < t->n; i++) {
        if (!t->nr_bounds || bound_violation(&t->bound, points[i].value[1]) <= 0)
            least = fmin(least, points[i].value[0]);
    }
    assert_int_equal(spend(t, &s, points, budget), budget);
    best = search_best(&s);
    assert_true(best != SIZE_MAX && points[best].violation <= 0);
    assert_true(points[best].value[0] <= least);
    search_free(&s);
    free(points);
}

static const struct kriging_axis axes_200[] = {{5, false}, {10, true}, {4, true}};

/* A bowl with its bottom at (name 1, 6, 2). The miniature takes each name for another one, so that
 * none of its best 40 has the right name. */
static const double of_name[] = {1, 2, 3, 4, 5}, of_name_guess[] = {1, 9, 8, 7, 6};

static void wrong_names(const size_t *place, double *guess, double *value) {
    double a = (double)place[1] - 6, b = (double)place[2] - 2;
    double bowl = 1000 * (1 + 0.02 * a * a + 0.05 * b * b);

    guess[0] = bowl * of_name_guess[place[0]];
    value[0] = bowl * (place[0] == 1 ? 0.5 : of_name[place[0]]);
}

/* The miniature says that less of the second is better by 1 % a step; more is, by 3 %. */
static void wrong_slope(const size_t *place, double *guess, double *value) {
    double rest = 1000 * (1 + 0.3 * (double)place[0]) * (1 + 0.1 * (double)place[2]);

    guess[0] = rest * (1 + 0.01 * (double)place[1]);
    value[0] = rest * (1 - 0.03 * (double)place[1]);
}

/* Neither matters to the miniature, which has all of it: ties of 200 points. */
static void all_alike(const size_t *place, double *guess, double *value) {
    guess[0] = 1000;
    value[0] = 1000;
    (void)place;
}

/* More of the second makes the first value less and the second more. The miniature has a fifth too
 * much of the second value, so that the best point seems to miss the bound by far. */
static void wrong_bound(const size_t *place, double *guess, double *value) {
    value[0] = 1000 * (1 + 0.3 * (double)place[0]) * (20 - (double)place[1]);
    value[1] = 1000 * (1 + (double)place[1]) * (4 + (double)place[2]);
    guess[0] = value[0] * (1 + 0.01 * (double)place[2]);
    guess[1] = value[1] * 1.2;
}

/* Zero is the least there is of what was written; the miniature reaches it nowhere. */
static void zeros(const size_t *place, double *guess, double *value) {
    double over = 40 - 5 * (double)place[1] - 2 * (double)place[2] - (double)place[0];

    value[0] = over > 0 ? 4096 * over : 0;
    guess[0] = 4096 * (over > 0 ? over : 0) + 4096 * (double)(10 - place[1]);
}

static void misled(void **state) {
    static void (*const tables[])(const size_t *, double *, double *) = {wrong_names, wrong_slope,
                                                                         all_alike, zeros};

    (void)state;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        const struct table t = {.axes = axes_200, .nr_axes = 3, .n = 200, .at = tables[i]};
        finds_least(&t, 40);
    }
}

static void misled_about_a_bound(void **state) {
    struct table t = {.axes = axes_200, .nr_axes = 3, .n = 200, .at = wrong_bound, .nr_bounds = 1};

    (void)state;
    t.bound.value = 28000;
    finds_least(&t, 40);
    t.bound.at_least = true;
    finds_least(&t, 40);
}

/* A knob of four values without effect, in miniature and whole: 10 things to try in 40 points. */
static void no_effect(const size_t *place, double *guess, double *value) {
    guess[0] = 1000 + (double)((place[0] * 3) % 10);
    value[0] = 1000 + (double)((place[0] * 7) % 10);
}

static void twins(void **state) {
    static const struct kriging_axis axes[] = {{10, false}, {4, true}};
    const struct table t = {.axes = axes, .nr_axes = 2, .n = 40, .at = no_effect};
    struct tune_point *points;
    bool tried[10] = {false};
    struct search s;
    size_t n = 0;

    (void)state;
    set_up(&t, &s, &points);
    spend(&t, &s, points, 8);
    for (size_t i = 0; i < 40; i++)
        tried[i / 4] |= points[i].exact;
    for (size_t i = 0; i < 10; i++)
        n += tried[i];
    assert_true(n >= 7); /* one at most was spent on a neighbour without effect */
    search_free(&s);
    free(points);
}

/* More runs than kriging takes points, to the last point of the grid; and budgets of few. */
static void all_of_it(void **state) {
    const struct table t = {.axes = axes_200, .nr_axes = 3, .n = 200, .at = wrong_slope};
    struct tune_point *points;
    struct search s;

    (void)state;
    for (size_t budget = 1; budget <= 256; budget *= budget < 4 ? 2 : 8) {
        set_up(&t, &s, &points);
        assert_int_equal(spend(&t, &s, points, budget), RF_MIN(budget, 200));
        search_free(&s);
        free(points);
    }
}

/* Points that run out of memory, or fail, are no answer, and teach nothing. */
static void nothing_known(void **state) {
    const struct table t = {.axes = axes_200, .nr_axes = 3, .n = 200, .at = wrong_slope};
    struct tune_point *points;
    size_t next[200], n, runs = 0;
    struct search s;

    (void)state;
    set_up(&t, &s, &points);
    for (n = search_first(&s, 40, next); n; n = search_next(&s, 40 - runs, next)) {
        for (size_t i = 0; i < n; i++, runs++)
            points[next[i]].exact = points[next[i]].failed = true;
    }
    assert_int_equal(runs, 40);
    assert_true(search_best(&s) == SIZE_MAX);
    search_free(&s);
    free(points);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kriging_by_hand),
        cmocka_unit_test(kriging_names),
        cmocka_unit_test(kriging_ranges),
        cmocka_unit_test(misled),
        cmocka_unit_test(misled_about_a_bound),
        cmocka_unit_test(twins),
        cmocka_unit_test(all_of_it),
        cmocka_unit_test(nothing_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
