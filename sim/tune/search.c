/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/search.h"

#include <math.h>
#include <stdlib.h>

/* Bounds missed by less than this in a miniature may hold in the whole. */
#define SLACK 0.05
#define MAX_CANDIDATES 1024u
#define TOPS 3u           /* points whose neighbours are looked at */
#define UNSEEN_SHARE 1e-3 /* of the mean guess */
/* Of a logarithm: a miniature is not trusted to less, even if all seen so far agree. */
#define LEAST_SPREAD 3e-3
#define MAX_SEEN (KRIGING_MAX_POINTS - SEARCH_STEP)

int search_init(struct search *s, struct rf_err *err) {
    size_t rows = RF_MIN(s->n, MAX_CANDIDATES) * (s->p->nr_bounds + 1);

    s->order = calloc(s->n, sizeof(*s->order));
    s->twin = calloc(s->n, sizeof(*s->twin));
    s->room = calloc(s->n, sizeof(*s->room));
    s->candidates = calloc(s->n, sizeof(*s->candidates));
    s->estimates = calloc(rows, sizeof(*s->estimates));
    if (!s->order || !s->twin || !s->room || !s->candidates || !s->estimates)
        return rf_fail(err, RF_ENOMEM, "no memory for %zu points", s->n);
    for (size_t i = 0; i < s->n; i++)
        s->order[i] = s->twin[i] = i;
    return RF_OK;
}

void search_free(struct search *s) {
    free(s->order);
    free(s->twin);
    free(s->room);
    free(s->candidates);
    free(s->estimates);
    *s = (struct search){0};
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

/* A merge sort, so that equals stay in the order they have. */
static void sort_points(const struct search *s, size_t *v, size_t n) {
    size_t half = n / 2, a = 0, b = half;

    if (n < 2)
        return;
    sort_points(s, v, half);
    sort_points(s, v + half, n - half);
    for (size_t i = 0; i < n; i++) {
        bool second = a == half || (b < n && better(&s->points[v[b]], &s->points[v[a]]));
        s->room[i] = second ? v[b++] : v[a++];
    }
    memcpy(v, s->room, n * sizeof(*v));
}

static bool same_guess(const struct search *s, const struct tune_point *a,
                       const struct tune_point *b) {
    bool same = a->oom == b->oom && !a->failed && !b->failed;

    for (size_t m = 0; m < s->p->nr_metrics + s->p->nr_bounds; m++)
        same &= a->guess[m] <= b->guess[m] && a->guess[m] >= b->guess[m];
    return same;
}

/*
 * Finds points that did the same as one before them in the order: a knob that had no effect. The
 * first of them stands for all, the others go to the end.
 */
static void part_twins(struct search *s, size_t n) {
    size_t kept = 0, moved = 0;

    for (size_t i = 0; i < n; i++) {
        const struct tune_point *a = &s->points[s->order[i]];
        bool same = false;

        s->twin[s->order[i]] = s->order[i];
        /* Equals are neighbours in the order, but for others as good. */
        for (size_t k = kept; k-- > 0 && !same;) {
            const struct tune_point *b = &s->points[s->order[k]];

            if (b->guess[0] < a->guess[0] || b->guess[0] > a->guess[0])
                break;
            same = same_guess(s, a, b);
            if (same)
                s->twin[s->order[i]] = s->order[k];
        }
        if (same)
            s->room[moved++] = s->order[i];
        else
            s->order[kept++] = s->order[i];
    }
    memcpy(s->order + kept, s->room, moved * sizeof(*s->room));
}

/* Place of a quantity that is forecast, the metric or bound q - 1, in a point's values. */
static size_t place(const struct search *s, size_t q) {
    return q ? s->p->nr_metrics + q - 1 : 0;
}

void search_rank(struct search *s, size_t n) {
    sort_points(s, s->order, n);
    part_twins(s, n);
    for (size_t q = 0; q <= s->p->nr_bounds; q++) {
        double sum = 0;

        for (size_t i = 0; i < s->n; i++)
            sum += s->points[i].failed ? 0 : s->points[i].guess[place(s, q)];
        s->unseen[q] = 1 + UNSEEN_SHARE * sum / (double)s->n;
    }
}

size_t search_best(const struct search *s) {
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < s->n; i++) {
        const struct tune_point *p = &s->points[i];

        if (p->exact && !p->failed && (best == SIZE_MAX || better(p, &s->points[best])))
            best = i;
    }
    return best;
}

static bool listed(const size_t *list, size_t n, size_t point) {
    bool found = false;

    for (size_t i = 0; i < n; i++)
        found |= list[i] == point;
    return found;
}

/* Whether running a point whole would tell something: neither it nor a twin has been. */
static bool is_open(const struct search *s, size_t i) {
    return !s->points[i].exact && !s->points[s->twin[i]].exact;
}

/* Appends points from the order until there are `most`, none twice. */
static size_t fill_up(const struct search *s, size_t *out, size_t n, size_t most) {
    for (size_t i = 0; n < most && i < s->n; i++) {
        if (!s->points[s->order[i]].exact && !listed(out, n, s->order[i]))
            out[n++] = s->order[i];
    }
    return n;
}

/* With every ordered knob at one of its ends, and any names. */
static bool is_corner(const struct search *s, size_t point) {
    bool corner = true;

    for (size_t i = s->nr_axes; i-- > 0;) {
        size_t at = point % s->axes[i].n;

        corner &= at == 0 || at + 1 == s->axes[i].n || !s->axes[i].ordered;
        point /= s->axes[i].n;
    }
    return corner;
}

/*
 * An eighth of the budget goes to corners: most knobs act one way, and where a pool just holds
 * everything the miniature, whose zspages are emptier, may not show it. A quarter goes to the best
 * of the miniatures.
 */
size_t search_first(struct search *s, size_t budget, size_t *out) {
    size_t corners = budget / 8, n = 0;

    for (size_t i = 0; i < s->n && n < corners; i++) {
        if (s->twin[s->order[i]] == s->order[i] && is_corner(s, s->order[i]))
            out[n++] = s->order[i];
    }
    return fill_up(s, out, n, RF_MIN(RF_MAX(corners + budget / 4, 1), budget));
}

/* ---- forecast ---- */

struct forecast {
    struct kriging k;
    struct kriging_field fields[TUNE_MAX_BOUNDS + 1];
    size_t seen; /* points that the fields are of */
    bool known;  /* a point that keeps the bounds is known; `best` is the logarithm of its metric */
    double best;
};

static double logarithm(const struct search *s, size_t q, double value) {
    return log(value + s->unseen[q]);
}

/* The best few of the points that were run whole and tell how far off their miniatures were. */
static size_t observed(struct search *s, size_t *out) {
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct tune_point *p = &s->points[i];

        if (p->exact && !p->failed && !p->oom && !p->guessed_oom)
            s->candidates[n++] = i;
    }
    if (n > MAX_SEEN)
        sort_points(s, s->candidates, n);
    n = RF_MIN(n, MAX_SEEN);
    memcpy(out, s->candidates, n * sizeof(*out));
    return n;
}

/* False if there is nothing to learn from. */
static bool look(struct search *s, struct forecast *f) {
    size_t points[KRIGING_MAX_POINTS], best = search_best(s);
    double errors[TUNE_MAX_BOUNDS + 1][KRIGING_MAX_POINTS];

    f->seen = observed(s, points);
    if (f->seen == 0)
        return false;
    for (size_t q = 0; q <= s->p->nr_bounds; q++) {
        for (size_t i = 0; i < f->seen; i++) {
            const struct tune_point *p = &s->points[points[i]];

            errors[q][i] =
                logarithm(s, q, p->value[place(s, q)]) - logarithm(s, q, p->guess[place(s, q)]);
        }
    }
    kriging_init(&f->k, s->axes, s->nr_axes, 1);
    kriging_choose(&f->k, points, f->seen, (const double(*)[KRIGING_MAX_POINTS])errors,
                   s->p->nr_bounds + 1);
    for (size_t q = 0; q <= s->p->nr_bounds; q++)
        kriging_fit(&f->k, errors[q], &f->fields[q]);
    f->known = !s->points[best].oom && s->points[best].violation <= 0;
    f->best = logarithm(s, 0, s->points[best].value[0]);
    return true;
}

/* What is expected of a point whole, as logarithms. */
static void estimate(const struct search *s, const struct forecast *f, size_t point, double *out) {
    for (size_t q = 0; q <= s->p->nr_bounds; q++)
        out[q] = logarithm(s, q, s->points[point].guess[place(s, q)]) +
                 kriging_estimate(&f->k, &f->fields[q], f->seen, point);
}

/* That a standard normal variable is below z. */
static double normal_below(double z) {
    return erfc(-z / sqrt(2)) / 2;
}

/* The gain expected of a point whose estimate is given. */
static double gain(const struct search *s, const struct forecast *f, size_t point,
                   const double *expected) {
    static const double density_0 = 0.3989422804014327; /* of a standard normal variable at 0 */
    double unknown = kriging_unknown(&f->k, point), g = 1;

    if (f->known) {
        double spread = sqrt(unknown * f->fields[0].variance) + LEAST_SPREAD;
        double below = f->best - expected[0], z = below / spread;

        g = RF_MAX(below * normal_below(z) + spread * density_0 * exp(-z * z / 2), 0);
    }
    for (size_t q = 1; q <= s->p->nr_bounds; q++) {
        double spread = sqrt(unknown * f->fields[q].variance) + LEAST_SPREAD;
        double z = (logarithm(s, q, s->p->bounds[q - 1].value) - expected[q]) / spread;

        g *= normal_below(s->p->bounds[q - 1].at_least ? -z : z);
    }
    return g;
}

/* ---- next ---- */

/* Appends the points not run whole that differ from one in one knob, by one step or by a name. */
static size_t neighbours(const struct search *s, size_t of, size_t *out) {
    size_t stride = 1, n = 0;

    for (size_t i = s->nr_axes; i-- > 0;) {
        const struct kriging_axis *x = &s->axes[i];
        size_t at = of / stride % x->n, first = 0, last = x->n - 1;

        if (x->ordered) {
            first = at > 0 ? at - 1 : at;
            last = RF_MIN(at + 1, last);
        }
        for (size_t k = first; k <= last; k++) {
            size_t other = of - at * stride + k * stride;

            if (!s->points[other].exact)
                out[n++] = other;
        }
        stride *= x->n;
    }
    return n;
}

/* Neighbours of the best point that has any left, among the best few that were run whole. */
static size_t nearest(struct search *s, const size_t *but, size_t nr_but, size_t *out) {
    size_t tops[TOPS], nr = 0, left = 0;

    for (size_t i = 0; i < s->n; i++) {
        size_t at;

        if (!s->points[i].exact || s->points[i].failed)
            continue;
        for (at = nr; at > 0 && better(&s->points[i], &s->points[tops[at - 1]]); at--)
            if (at < TOPS)
                tops[at] = tops[at - 1];
        if (at < TOPS)
            tops[at] = i;
        nr = RF_MIN(nr + 1, TOPS);
    }
    for (size_t i = 0; i < nr && left == 0; i++) {
        size_t n = neighbours(s, tops[i], out);

        for (size_t k = 0; k < n; k++) {
            if (left < MAX_CANDIDATES && !listed(but, nr_but, out[k]))
                out[left++] = out[k];
        }
    }
    return left;
}

/* Open points, the best guesses first. */
static size_t open_points(const struct search *s, size_t *out) {
    size_t n = 0;

    for (size_t i = 0; i < s->n && n < MAX_CANDIDATES; i++) {
        size_t point = s->order[i];

        if (s->twin[point] == point && !s->points[point].oom && !s->points[point].failed &&
            is_open(s, point))
            out[n++] = point;
    }
    return n;
}

/* The candidate that is not in `but` and promises most, the first of equals; SIZE_MAX if none. */
static size_t most_promising(const struct search *s, const struct forecast *f, size_t n,
                             const size_t *but, size_t nr_but) {
    size_t best = SIZE_MAX;
    double most = -1;

    for (size_t i = 0; i < n; i++) {
        double g;

        if (listed(but, nr_but, s->candidates[i]))
            continue;
        g = gain(s, f, s->candidates[i], &s->estimates[i * (s->p->nr_bounds + 1)]);
        if (g > most) {
            most = g;
            best = s->candidates[i];
        }
    }
    return best;
}

static void estimate_all(struct search *s, const struct forecast *f, size_t n) {
    for (size_t i = 0; i < n; i++)
        estimate(s, f, s->candidates[i], &s->estimates[i * (s->p->nr_bounds + 1)]);
}

size_t search_next(struct search *s, size_t most, size_t *out) {
    struct forecast f;
    size_t n = 0, left, point;

    most = RF_MIN(most, SEARCH_STEP);
    if (!look(s, &f))
        return fill_up(s, out, 0, most);
    left = open_points(s, s->candidates);
    estimate_all(s, &f, left);
    while (n + 1 < most && (point = most_promising(s, &f, left, out, n)) != SIZE_MAX) {
        out[n++] = point;
        kriging_add(&f.k, point); /* as if it were known, so that the next one lies elsewhere */
    }
    left = nearest(s, out, n, s->candidates);
    estimate_all(s, &f, left);
    point = most_promising(s, &f, left, out, n);
    if (most > 0 && point != SIZE_MAX)
        out[n++] = point;
    return fill_up(s, out, n, most);
}
