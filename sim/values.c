/* SPDX-License-Identifier: Apache-2.0 */
#include "values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct collect {
    struct value_list *list;
    bool failed;
};

static void collect_value(void *ctx, enum machine_value_kind kind, const char *name,
                          uint64_t value) {
    struct collect *c = ctx;
    struct value_list *l = c->list;
    size_t len = strlen(name) + 1;
    char *copy;

    /* The kind says where a value belongs, so a prefix that repeats it is left out. */
    if ((kind == MV_X || kind == MV_X_SIGNED) && strncmp(name, "x.", 2) == 0) {
        name += 2;
        len -= 2;
    } else if (kind == MV_TIME && strncmp(name, "time.", 5) == 0) {
        name += 5;
        len -= 5;
    }
    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 128;
        struct value *v = realloc(l->v, cap * sizeof(*v));

        if (!v) {
            c->failed = true;
            return;
        }
        l->v = v;
        l->cap = cap;
    }
    copy = malloc(len);
    if (!copy) {
        c->failed = true;
        return;
    }
    memcpy(copy, name, len);
    l->v[l->n++] = (struct value){.name = copy, .kind = kind, .value = value};
}

static void add_hist(void *ctx, const char *name, const struct rf_hist *h) {
    (void)name;
    rf_hist_merge(ctx, h);
}

static void collect_hist(void *ctx, const char *name, const struct rf_hist *h) {
    static const struct {
        const char *suffix;
        double q;
    } quantiles[] = {{"p50_ns", 0.5}, {"p90_ns", 0.9}, {"p99_ns", 0.99}, {"p99.9_ns", 0.999}};
    char key[96];

    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
        snprintf(key, sizeof(key), "%s.%s", name, quantiles[i].suffix);
        collect_value(ctx, MV_TIME, key, rf_hist_quantile(h, quantiles[i].q));
    }
    snprintf(key, sizeof(key), "%s.max_ns", name);
    collect_value(ctx, MV_TIME, key, h->max);
    snprintf(key, sizeof(key), "%s.sum_ns", name);
    collect_value(ctx, MV_TIME, key, h->sum);
    snprintf(key, sizeof(key), "%s.count", name);
    collect_value(ctx, MV_TIME, key, h->n);
}

const char *value_prefix(enum machine_value_kind kind) {
    return kind == MV_TIME ? "time." : kind == MV_COUNTER ? "" : "x.";
}

double value_number(const struct value *v) {
    return v->kind == MV_X_SIGNED ? (double)(int64_t)v->value : (double)v->value;
}

const char *value_decimal(enum machine_value_kind kind, uint64_t value, char buf[24]) {
    if (kind == MV_X_SIGNED)
        snprintf(buf, 24, "%" PRId64, (int64_t)value);
    else
        snprintf(buf, 24, "%" PRIu64, value);
    return buf;
}

/* time, counters, x: the order of the columns of a table. */
static unsigned kind_rank(enum machine_value_kind kind) {
    return kind == MV_TIME ? 0 : kind == MV_COUNTER ? 1 : 2;
}

static int compare_values(const void *a, const void *b) {
    const struct value *x = a, *y = b;
    unsigned rx = kind_rank(x->kind), ry = kind_rank(y->kind);

    if (rx != ry)
        return rx < ry ? -1 : 1;
    return strcmp(x->name, y->name);
}

int value_list_read(struct value_list *l, const struct machine *m, struct rf_err *err) {
    struct collect c = {.list = l};
    struct rf_hist all = {0};

    *l = (struct value_list){0};
    machine_values(m, collect_value, &c);
    machine_hists(m, collect_hist, &c);
    machine_hists(m, add_hist, &all);
    collect_hist(&c, "fault.all", &all);
    if (c.failed) {
        value_list_free(l);
        return rf_fail(err, RF_ENOMEM, "no memory for a result");
    }
    value_list_sort(l);
    return RF_OK;
}

void value_list_sort(struct value_list *l) {
    if (l->n)
        qsort(l->v, l->n, sizeof(*l->v), compare_values);
}

int value_list_add(struct value_list *l, enum machine_value_kind kind, const char *name,
                   uint64_t value) {
    struct collect c = {.list = l};

    collect_value(&c, kind, name, value);
    return c.failed ? RF_ENOMEM : RF_OK;
}

void value_list_free(struct value_list *l) {
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i].name);
    free(l->v);
    *l = (struct value_list){0};
}

const struct value *value_list_find(const struct value_list *l, enum machine_value_kind kind,
                                    const char *name) {
    size_t lo = 0, hi = l->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct value *v = &l->v[mid];
        unsigned want = kind_rank(kind), have = kind_rank(v->kind);
        int c = have != want ? (have < want ? -1 : 1) : strcmp(v->name, name);

        if (c == 0)
            return v;
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

int value_list_merge_names(struct value_list *into, const struct value_list *from) {
    struct collect c = {.list = into};
    size_t known = into->n;

    for (size_t i = 0, j = 0; i < from->n; i++) {
        while (j < known && compare_values(&into->v[j], &from->v[i]) < 0)
            j++;
        if (j == known || compare_values(&into->v[j], &from->v[i]) != 0)
            collect_value(&c, from->v[i].kind, from->v[i].name, 0);
    }
    if (c.failed)
        return RF_ENOMEM;
    if (into->n > known)
        qsort(into->v, into->n, sizeof(*into->v), compare_values);
    return RF_OK;
}

/* ---- time series ---- */

void series_free(struct series *s) {
    value_list_free(&s->columns);
    free(s->rows);
    *s = (struct series){0};
}

int series_add(struct series *s, const struct machine *m, uint64_t op, struct rf_err *err) {
    struct value_list now;
    uint64_t *row;
    size_t width;
    int rc = value_list_read(&now, m, err);

    if (rc != RF_OK)
        return rc;
    if (s->columns.n == 0) {
        s->columns = now;
        now = (struct value_list){0};
    }
    width = s->columns.n + 2;
    if (s->nr == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 64;
        uint64_t *rows = realloc(s->rows, cap * width * sizeof(*rows));

        if (!rows) {
            value_list_free(&now);
            return rf_fail(err, RF_ENOMEM, "no memory for the time series");
        }
        s->rows = rows;
        s->cap = cap;
    }
    row = s->rows + s->nr * width;
    row[0] = machine_now(m);
    row[1] = op;
    for (size_t i = 0, j = 0; i < s->columns.n; i++) {
        const struct value *col = &s->columns.v[i];

        if (now.n == 0) { /* the first sample is the column list itself */
            row[i + 2] = col->value;
            continue;
        }
        while (j < now.n && compare_values(&now.v[j], col) < 0)
            j++;
        row[i + 2] = j < now.n && compare_values(&now.v[j], col) == 0 ? now.v[j].value : 0;
    }
    s->nr++;
    value_list_free(&now);
    return RF_OK;
}
