/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/unmoved.h"

#include <stdlib.h>

/* A row, and what it has in common with those that differ from it in one axis only. */
struct kin {
    uint32_t trace, scenario;
    size_t others; /* number of the point with the first value of the axis */
    const struct record *rec;
};

static int by_kin(const void *a, const void *b) {
    const struct kin *x = a, *y = b;

    if (x->trace != y->trace)
        return x->trace < y->trace ? -1 : 1;
    if (x->scenario != y->scenario)
        return x->scenario < y->scenario ? -1 : 1;
    return (x->others > y->others) - (x->others < y->others);
}

static bool same_result(const struct record *a, const struct record *b) {
    if (a == b)
        return true;
    if (a->oom != b->oom || a->values.n != b->values.n)
        return false;
    for (size_t i = 0; i < a->values.n; i++) {
        const struct value *x = &a->values.v[i], *y = &b->values.v[i];

        if (x->kind != y->kind || x->value != y->value || strcmp(x->name, y->name) != 0)
            return false;
    }
    return true;
}

static bool all_done(const struct results *r) {
    for (size_t i = 0; i < r->nr_records; i++) {
        if (!r->records[i].known || r->records[i].code != RF_OK)
            return false;
    }
    return true;
}

/* stride: how far the grid's points with neighbouring values of the axis are apart. */
static bool axis_moved(const struct results *r, const struct plan *p, size_t stride, size_t values,
                       struct kin *kin) {
    bool compared = false;

    for (size_t i = 0; i < p->nr_rows; i++) {
        const struct plan_row *row = &p->rows[i];

        kin[i] = (struct kin){.trace = row->trace,
                              .scenario = row->scenario,
                              .others = row->at - row->at / stride % values * stride,
                              .rec = &r->records[r->rows[i].record]};
    }
    qsort(kin, p->nr_rows, sizeof(*kin), by_kin);
    for (size_t i = 1; i < p->nr_rows; i++) {
        if (by_kin(&kin[i - 1], &kin[i]) != 0)
            continue;
        if (!same_result(kin[i - 1].rec, kin[i].rec))
            return true;
        compared = true;
    }
    return !compared;
}

int results_moved(const struct results *r, const struct plan *p, bool *moved, struct rf_err *err) {
    const struct grid *g = p->grid;
    struct kin *kin = calloc(p->nr_rows + 1, sizeof(*kin));
    bool done = all_done(r);
    size_t stride = 1;

    if (!kin)
        return rf_fail(err, RF_ENOMEM, "no memory to compare the results");
    for (size_t i = g->n, end = g->n; i-- > 0;) {
        if (g->axes[i].along)
            continue;
        moved[i] = !done || axis_moved(r, p, stride, g->axes[i].n, kin);
        for (size_t k = i + 1; k < end; k++)
            moved[k] = moved[i];
        stride *= g->axes[i].n;
        end = i;
    }
    free(kin);
    return RF_OK;
}
