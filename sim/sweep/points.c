/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/points.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>
#include "report/report.h"
#include "version.h"

#define MAX_ROWS 10000000u

/* ---- names ---- */

static void add(XXH3_state_t *h, const char *key, const char *value) {
    XXH3_128bits_update(h, key, strlen(key));
    XXH3_128bits_update(h, "=", 1);
    XXH3_128bits_update(h, value, strlen(value) + 1);
}

static void add_number(XXH3_state_t *h, const char *key, uint64_t v) {
    char text[32];

    snprintf(text, sizeof(text), "%" PRIu64, v);
    add(h, key, text);
}

/* "50%" and the size that it stands for are one configuration. */
static void add_knob(XXH3_state_t *h, const struct knob *k, const struct machine_config *c) {
    struct rf_amount amount;
    char text[256];

    if (k->type == KNOB_AMOUNT) {
        memcpy(&amount, (const char *)c + k->offset, sizeof(amount));
        if (amount.kind == AMOUNT_PERCENT) {
            add_number(h, k->key, machine_amount_pages(c, amount) * RF_PAGE_SIZE);
            return;
        }
        if (amount.kind == AMOUNT_BYTES) {
            add_number(h, k->key, amount.value);
            return;
        }
    }
    add(h, k->key, knob_format(k, c, text, sizeof(text)));
}

static void finish(XXH3_state_t *h, char out[POINT_NAME_LEN + 1]) {
    XXH128_hash_t d = XXH3_128bits_digest(h);

    snprintf(out, POINT_NAME_LEN + 1, "%016" PRIx64 "%016" PRIx64, (uint64_t)d.high64,
             (uint64_t)d.low64);
}

static void begin(XXH3_state_t *h, const struct trace_info *i) {
    XXH3_128bits_reset(h);
    add(h, "refault", REFAULT_VERSION);
    add_number(h, "digest", i->digest);
    /* What the digest leaves out though it changes a run. */
    add(h, "content", i->content_spec);
    add_number(h, "implicit", i->implicit_content);
    add_number(h, "pacing", i->pacing);
}

static void name_of(XXH3_state_t *h, const struct trace_info *info, const struct knob_table *knobs,
                    const struct machine_config *c, char out[POINT_NAME_LEN + 1]) {
    begin(h, info);
    for (size_t i = 0; i < knobs->n; i++)
        add_knob(h, &knobs->v[i], c);
    add_number(h, "verify", c->verify);
    add_number(h, "check", c->check);
    finish(h, out);
}

/* ---- rows ---- */

static size_t nr_scenarios(const struct plan *p) {
    return p->scenarios && p->scenarios->n ? p->scenarios->n : 1;
}

static const struct scenario *scenario_of(const struct plan *p, const struct plan_row *r) {
    return p->scenarios && p->scenarios->n ? &p->scenarios->v[r->scenario] : NULL;
}

/* What is set on top of the settings: the scenario, then the grid. */
static struct setting *extra_of(const struct plan *p, const struct plan_row *r, size_t *n) {
    const struct scenario *c = scenario_of(p, r);
    struct setting *v = calloc((c ? c->n : 0) + p->grid->n + 1, sizeof(*v));

    if (!v)
        return NULL;
    *n = c ? c->n : 0;
    if (*n)
        memcpy(v, c->v, *n * sizeof(*v));
    grid_point(p->grid, r->at, v + *n);
    *n += p->grid->n;
    return v;
}

int plan_config(const struct plan *p, size_t row, struct machine_config *out, struct rf_err *err) {
    const struct plan_row *r = &p->rows[row];
    size_t n;
    struct setting *extra = extra_of(p, r, &n);
    int rc;

    if (!extra)
        return rf_fail(err, RF_ENOMEM, "no memory for the settings of a point");
    rc = settings_resolve(p->settings, extra, n, &p->traces[r->trace].info, out, err);
    free(extra);
    out->verify = p->verify;
    out->check = p->check;
    return rc;
}

size_t plan_columns(const struct plan *p, const char **out) {
    bool trace = p->nr_traces > 1, scenario = p->scenarios && p->scenarios->n;
    size_t n = 0;

    if (trace && out)
        out[n] = "trace";
    n += trace;
    if (scenario && out)
        out[n] = "scenario";
    n += scenario;
    for (size_t i = 0; i < p->grid->n; i++, n++) {
        if (out)
            out[n] = p->grid->axes[i].knob->key;
    }
    return n;
}

size_t plan_cells(const struct plan *p, size_t row, const char **out) {
    const struct plan_row *r = &p->rows[row];
    const struct scenario *c = scenario_of(p, r);
    size_t n = 0, at = r->at;

    if (p->nr_traces > 1)
        out[n++] = p->traces[r->trace].name;
    if (c)
        out[n++] = c->name;
    for (size_t i = p->grid->n; i-- > 0;) {
        const struct axis *a = &p->grid->axes[i];

        out[n + i] = a->values[at % a->n];
        if (!a->along)
            at /= a->n;
    }
    return n + p->grid->n;
}

/* ---- making ---- */

static int open_traces(struct plan *p, const char *const *paths, size_t n, struct rf_err *err) {
    p->traces = calloc(n, sizeof(*p->traces));
    if (!p->traces)
        return rf_fail(err, RF_ENOMEM, "no memory for %zu traces", n);
    p->nr_traces = n;
    for (size_t i = 0; i < n; i++) {
        struct plan_trace *t = &p->traces[i];
        struct trace_reader *r;
        int rc = trace_open(paths[i], &r, err);

        if (rc != RF_OK)
            return rc;
        t->path = paths[i];
        t->info = *trace_reader_info(r);
        report_name(paths[i], t->name, sizeof(t->name));
        trace_close(r);
    }
    return RF_OK;
}

/* A contradictory row has its texts as its name. */
static void name_bad_row(XXH3_state_t *h, const struct plan *p, size_t row,
                         char out[POINT_NAME_LEN + 1]) {
    const struct plan_row *r = &p->rows[row];
    size_t n;
    struct setting *extra = extra_of(p, r, &n);

    begin(h, &p->traces[r->trace].info);
    add(h, "contradiction", "");
    for (size_t i = 0; i < p->settings->n; i++)
        add(h, p->settings->v[i].knob->key, p->settings->v[i].value);
    for (size_t i = 0; extra && i < n; i++)
        add(h, extra[i].knob->key, extra[i].value);
    free(extra);
    finish(h, out);
}

struct named {
    char name[POINT_NAME_LEN + 1];
    size_t row;
};

static int by_name(const void *a, const void *b) {
    const struct named *x = a, *y = b;
    int d = strcmp(x->name, y->name);

    return d ? d : (x->row > y->row) - (x->row < y->row);
}

static int by_row(const void *a, const void *b) {
    const struct plan_point *x = a, *y = b;

    return (x->row > y->row) - (x->row < y->row);
}

/* Fills rows in their order as far as the conditions hold; names[] gets theirs. */
static int fill_rows(struct plan *p, struct named *names, struct rf_err *err) {
    size_t per_grid = grid_points(p->grid), per_trace = per_grid * nr_scenarios(p);
    XXH3_state_t *h = XXH3_createState();

    if (!h)
        return rf_fail(err, RF_ENOMEM, "no memory for the names of points");
    for (size_t i = 0; i < per_trace * p->nr_traces; i++) {
        struct machine_config c;
        struct plan_row *r = &p->rows[p->nr_rows];
        bool wanted = true;
        int rc;

        *r = (struct plan_row){.trace = (uint32_t)(i / per_trace),
                               .scenario = (uint32_t)(i % per_trace / per_grid),
                               .at = i % per_grid};
        rc = plan_config(p, p->nr_rows, &c, err);
        if (rc == RF_ENOMEM) {
            XXH3_freeState(h);
            return rc;
        }
        for (size_t w = 0; w < p->nr_where && rc == RF_OK; w++)
            wanted &= where_holds(&p->where[w], &c);
        if (!wanted)
            continue;
        if (rc == RF_OK)
            name_of(h, &p->traces[r->trace].info, p->settings->knobs, &c, names[p->nr_rows].name);
        else
            name_bad_row(h, p, p->nr_rows, names[p->nr_rows].name);
        names[p->nr_rows].row = p->nr_rows;
        p->nr_rows++;
    }
    XXH3_freeState(h);
    if (!p->nr_rows)
        return rf_fail(err, RF_EUSAGE, "--where leaves no point of %zu", per_trace * p->nr_traces);
    return RF_OK;
}

/* Rows with one name are one point; points stand in the order of their first rows. */
static void find_points(struct plan *p, struct named *names, size_t *new_place) {
    qsort(names, p->nr_rows, sizeof(*names), by_name);
    for (size_t i = 0; i < p->nr_rows; i++) {
        struct plan_point *q = &p->points[p->nr_points];

        if (i == 0 || strcmp(names[i].name, names[i - 1].name) != 0) {
            memcpy(q->name, names[i].name, sizeof(q->name));
            q->row = names[i].row;
            p->nr_points++;
        }
        /* by the point's first row, which is what does not move when points are sorted */
        p->rows[names[i].row].point = p->points[p->nr_points - 1].row;
    }
    qsort(p->points, p->nr_points, sizeof(*p->points), by_row);
    for (size_t i = 0; i < p->nr_points; i++)
        new_place[p->points[i].row] = i;
    for (size_t i = 0; i < p->nr_rows; i++)
        p->rows[i].point = new_place[p->rows[i].point];
}

int plan_make(struct plan *p, const char *const *traces, size_t n, struct rf_err *err) {
    size_t per_trace = grid_points(p->grid), all;
    struct named *names = NULL;
    size_t *places = NULL;
    int rc;

    p->traces = NULL;
    p->rows = NULL;
    p->points = NULL;
    p->nr_traces = p->nr_rows = p->nr_points = 0;
    if (per_trace > MAX_ROWS / n / nr_scenarios(p))
        return rf_fail(err, RF_ELIMIT, "a sweep has at most %u points", MAX_ROWS);
    all = per_trace * nr_scenarios(p) * n;
    rc = open_traces(p, traces, n, err);
    if (rc == RF_OK) {
        names = calloc(all, sizeof(*names));
        places = calloc(all, sizeof(*places));
        p->rows = calloc(all + 1, sizeof(*p->rows));
        p->points = calloc(all, sizeof(*p->points));
        if (!names || !places || !p->rows || !p->points)
            rc = rf_fail(err, RF_ENOMEM, "no memory for %zu points", all);
    }
    if (rc == RF_OK)
        rc = fill_rows(p, names, err);
    if (rc == RF_OK)
        find_points(p, names, places);
    free(names);
    free(places);
    if (rc != RF_OK)
        plan_free(p);
    return rc;
}

void plan_free(struct plan *p) {
    free(p->traces);
    free(p->rows);
    free(p->points);
    p->traces = NULL;
    p->rows = NULL;
    p->points = NULL;
    p->nr_traces = p->nr_rows = p->nr_points = 0;
}
