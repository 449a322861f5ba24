/* SPDX-License-Identifier: Apache-2.0 */
#include "activity.h"

#include <stdio.h>
#include <stdlib.h>

/* Pages looked at for residency at the end of a column. */
#define PROBES 32768u

int activity_begin(struct activity *a, const struct trace_info *info, struct rf_err *err) {
    uint64_t ids = RF_MAX((uint64_t)info->blocks, 1) << 9;
    size_t cells;

    *a = (struct activity){.ops = info->ops, .processes = info->processes};
    a->columns = (uint32_t)RF_MIN(RF_MAX(info->ops, 1), ACTIVITY_COLUMNS);
    a->ids_per_row = (uint32_t)((ids + ACTIVITY_ROWS - 1) / ACTIVITY_ROWS);
    a->rows = (uint32_t)((ids + a->ids_per_row - 1) / a->ids_per_row);
    cells = (size_t)a->columns * a->rows;
    a->accesses = calloc(cells, sizeof(*a->accesses));
    a->resident = malloc(cells);
    a->origin = malloc(a->rows * sizeof(*a->origin));
    a->process = calloc((size_t)a->processes + 1, sizeof(*a->process));
    if (!a->accesses || !a->resident || !a->origin || !a->process)
        return rf_fail(err, RF_ENOMEM, "no memory for the map of accesses");
    memset(a->resident, ACTIVITY_UNUSED, cells);
    for (uint32_t i = 0; i < a->rows; i++)
        a->origin[i] = (struct activity_origin){.pid = RF_NONE};
    return RF_OK;
}

void activity_free(struct activity *a) {
    free(a->accesses);
    free(a->resident);
    free(a->origin);
    free(a->process);
    free(a->hists);
    series_free(&a->series);
    *a = (struct activity){0};
}

uint64_t activity_next(const struct activity *a) {
    if (a->taken > a->columns)
        return UINT64_MAX;
    /* In this order it cannot overflow. */
    return a->ops / a->columns * a->taken + a->ops % a->columns * a->taken / a->columns;
}

static void sample_residency(struct activity *a, const struct machine *m) {
    uint8_t *out = a->resident + (size_t)(a->taken - 1) * a->rows;
    /* An odd step meets every place of a block in turn. */
    uint32_t step = (uint32_t)((uint64_t)a->rows * a->ids_per_row / PROBES) | 1u;
    uint32_t ids = a->rows * a->ids_per_row;

    for (uint32_t row = 0, id = 0; row < a->rows; row++) {
        uint32_t end = RF_MIN(ids, (row + 1) * a->ids_per_row), present = 0, used = 0;

        for (; id < end; id += step) {
            uint8_t state = machine_page_state(m, id);

            used += state != 0;
            present += state == 1;
        }
        out[row] = ACTIVITY_UNUSED;
        if (used)
            out[row] = (uint8_t)((present * 100u + used / 2) / used);
    }
}

int activity_sample(struct activity *a, const struct machine *m, uint64_t op, struct rf_err *err) {
    if (a->taken > a->columns)
        return RF_OK;
    if (a->taken)
        sample_residency(a, m);
    a->taken++;
    return series_add(&a->series, m, op, err);
}

void activity_count(struct activity *a, const uint32_t *ops, size_t n) {
    uint32_t *column;

    if (a->taken == 0 || a->taken > a->columns)
        return;
    column = a->accesses + (size_t)(a->taken - 1) * a->rows;
    for (size_t i = 0; i < n; i++) {
        uint32_t op = ops[i], row = (op & OP_ID_MASK) / a->ids_per_row;

        if (op & OP_CONTENT)
            i++;
        if ((op & OP_EVENT) || ((op & OP_CONTENT) && !(op & OP_WRITE)) || row >= a->rows)
            continue;
        column[row]++;
    }
}

void activity_event(struct activity *a, const struct trace_event *e) {
    if (e->kind == TEV_PROCESS && e->pid < a->processes) {
        memcpy(a->process[e->pid], e->name, sizeof(a->process[0]) - 1);
    } else if (e->kind == TEV_MMAP && e->n) {
        uint32_t last = (uint32_t)(((uint64_t)e->first + e->n - 1) / a->ids_per_row);

        for (uint32_t row = e->first / a->ids_per_row; row <= last && row < a->rows; row++) {
            struct activity_origin *o = &a->origin[row];
            uint32_t first = RF_MAX(row * a->ids_per_row, e->first);

            if (o->pid == RF_NONE)
                *o = (struct activity_origin){e->pid, e->vpn + (first - e->first)};
        }
    }
}

struct collect {
    struct activity *a;
    bool failed;
};

static void collect_hist(void *ctx, const char *name, const struct rf_hist *h) {
    struct collect *c = ctx;
    struct activity_hist *v;

    if (h->n == 0 || c->failed)
        return;
    v = realloc(c->a->hists, (c->a->nr_hists + 1) * sizeof(*v));
    if (!v) {
        c->failed = true;
        return;
    }
    c->a->hists = v;
    v += c->a->nr_hists++;
    snprintf(v->name, sizeof(v->name), "%s", name);
    v->h = *h;
}

int activity_end(struct activity *a, const struct machine *m, uint64_t op, struct rf_err *err) {
    struct collect c = {.a = a};
    int rc = activity_sample(a, m, op, err);

    if (rc != RF_OK)
        return rc;
    machine_hists(m, collect_hist, &c);
    return c.failed ? rf_fail(err, RF_ENOMEM, "no memory for the latencies") : RF_OK;
}
