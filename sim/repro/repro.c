/* SPDX-License-Identifier: Apache-2.0 */
/* repro: criteria, their table and their JSON. */
#include "repro/repro.h"

#include <math.h>
#include <stdarg.h>

void repro_say(struct repro *r, const char *fmt, ...) {
    va_list ap;

    if (!r->out)
        return;
    va_start(ap, fmt);
    vfprintf(r->out, fmt, ap);
    va_end(ap);
}

static struct repro_criterion *judge(struct repro *r, const char *id, const char *what,
                                     double value, double low, double high, unsigned decimals) {
    struct repro_criterion *c;

    if (r->nr == REPRO_MAX_CRITERIA) {
        if (r->err.code == 0)
            rf_fail(&r->err, RF_ELIMIT, "criterion %s: more than %d criteria", id,
                    REPRO_MAX_CRITERIA);
        return NULL;
    }
    c = &r->criteria[r->nr++];
    *c = (struct repro_criterion){.value = value,
                                  .low = low,
                                  .high = high,
                                  .least = value,
                                  .most = value,
                                  .decimals = decimals,
                                  /* false if the value is no number */
                                  .pass = value >= low && value <= high};
    snprintf(c->id, sizeof(c->id), "%s", id);
    snprintf(c->what, sizeof(c->what), "%s", what);
    return c;
}

void repro_judge(struct repro *r, const char *id, const char *what, double value, double low,
                 double high, unsigned decimals) {
    (void)judge(r, id, what, value, low, high, decimals);
}

void repro_beside(struct repro *r, const char *id, const char *what, double value, double low,
                  double high, unsigned decimals) {
    struct repro_criterion *c = judge(r, id, what, value, low, high, decimals);

    if (c)
        c->beside = true;
}

/* Distance by which a bound is moved for a single run; the other bound is at `other`. */
static double slack(double bound, double other) {
    if (isinf(bound))
        return 0;
    return isinf(other) ? fabs(bound) * (bound < other ? 1.0 / 3 : 0.5) : fabs(other - bound) / 4;
}

void repro_judge_runs(struct repro *r, const char *id, const char *what, const double *values,
                      double low, double high, unsigned decimals) {
    double sum = 0, least = values[0], most = values[0];
    struct repro_criterion *c;

    for (uint32_t i = 0; i < r->seeds; i++) {
        sum += values[i];
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    c = judge(r, id, what, sum / r->seeds, low, high, decimals);
    if (!c)
        return;
    c->least = least;
    c->most = most;
    c->pass = c->pass && least >= low - slack(low, high) && most <= high + slack(high, low);
}

void repro_exact(struct repro *r, const char *id, const char *what, int64_t value, int64_t want) {
    repro_judge(r, id, what, (double)value, (double)want, (double)want, 0);
}

void repro_add_run(struct repro *r, json_t *run) {
    if (json_array_append_new(r->runs, run) != 0 && r->err.code == 0)
        rf_fail(&r->err, RF_ENOMEM, "no memory for the result of a run");
}

/* Of those that are criteria. */
static size_t passed(const struct repro *r, size_t *nr) {
    size_t n = 0;

    *nr = 0;
    for (size_t i = 0; i < r->nr; i++) {
        *nr += !r->criteria[i].beside;
        n += !r->criteria[i].beside && r->criteria[i].pass;
    }
    return n;
}

bool repro_passed(const struct repro *r) {
    size_t nr, n = passed(r, &nr);

    return nr > 0 && n == nr;
}

static void number(char buf[32], double v, unsigned decimals) {
    snprintf(buf, 32, "%.*f", (int)decimals, v);
}

static void print_criterion(struct repro *r, const struct repro_criterion *c) {
    const char *verdict = c->beside ? c->pass ? "met" : "not met" : c->pass ? "pass" : "FAIL";
    char value[32], low[32], high[32], range[80];

    number(value, c->value, c->decimals);
    number(low, c->low, c->decimals);
    number(high, c->high, c->decimals);
    if (isinf(c->high))
        snprintf(range, sizeof(range), ">= %s", low);
    else if (isinf(c->low))
        snprintf(range, sizeof(range), "<= %s", high);
    else if (strcmp(low, high) == 0)
        snprintf(range, sizeof(range), "%s", low);
    else
        snprintf(range, sizeof(range), "%s..%s", low, high);
    repro_say(r, "%-27s %11s %12s  %s  %s", c->id, value, range, verdict, c->what);
    if (c->least < c->most) {
        number(low, c->least, c->decimals);
        number(high, c->most, c->decimals);
        repro_say(r, " (%s..%s)", low, high);
    }
    repro_say(r, "\n");
}

static void print_criteria(struct repro *r) {
    size_t nr, n = passed(r, &nr);

    repro_say(r, "%-27s %11s %12s\n", "criterion", "simulated", "wanted");
    for (size_t i = 0; i < r->nr; i++) {
        if (!r->criteria[i].beside)
            print_criterion(r, &r->criteria[i]);
    }
    repro_say(r, "%zu of %zu criteria hold\n", n, nr);
    if (nr == r->nr)
        return;
    repro_say(r, "\n%-27s %11s %12s  (not judged)\n", "beside the claim", "simulated", "published");
    for (size_t i = 0; i < r->nr; i++) {
        if (r->criteria[i].beside)
            print_criterion(r, &r->criteria[i]);
    }
}

int repro_run(struct repro *r, const struct repro_ops *ops, const struct repro_options *o,
              struct rf_err *err) {
    *r = (struct repro){.out = o->out,
                        .seeds = ops->random ? o->seeds : 1,
                        .scale = ops->scales ? o->scale : 1,
                        .pool = o->pool,
                        .runs = json_array()};
    if (!r->runs)
        return rf_fail(err, RF_ENOMEM, "no memory for experiment %s", ops->name);
    repro_say(r, "%s: %s\n%s\n\n", ops->name, ops->summary, ops->source);
    ops->run(r);
    if (r->err.code != 0)
        return rf_fail(err, r->err.code, "experiment %s: %s", ops->name, r->err.msg);
    print_criteria(r);
    return RF_OK;
}

void repro_free(struct repro *r) {
    json_decref(r->runs);
    r->runs = NULL;
}

static json_t *json_number(double v, unsigned decimals) {
    return decimals == 0 && isfinite(v) ? json_integer((json_int_t)llround(v)) : json_real(v);
}

json_t *repro_json(const struct repro *r, const struct repro_ops *ops) {
    json_t *list = json_array();

    for (size_t i = 0; i < r->nr; i++) {
        const struct repro_criterion *c = &r->criteria[i];
        /* What is not finite has no JSON number; it is left out, and the criterion has failed. */
        json_t *one = json_pack(
            "{ss ss so* so* so* sb sb}", "id", c->id, "what", c->what, "value",
            json_number(c->value, c->decimals), "low", json_number(c->low, c->decimals), "high",
            json_number(c->high, c->decimals), "pass", (int)c->pass, "judged", (int)!c->beside);

        if (c->least < c->most) {
            json_object_set_new(one, "least", json_number(c->least, c->decimals));
            json_object_set_new(one, "most", json_number(c->most, c->decimals));
        }

        if (json_array_append_new(list, one) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return json_pack("{ss so sO sb}", "name", ops->name, "criteria", list, "runs", r->runs, "pass",
                     (int)repro_passed(r));
}
