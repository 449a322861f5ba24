/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a sweep. The two columns with the most values are the axes of its charts; what the
 * others say is chosen. */
#include "html/reports.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/report.h"

/* More rows are left out of the page, which says so. */
#define MAX_ROWS 2000u
#define MAX_GROUPS 12u

static const struct metric {
    enum machine_value_kind kind;
    const char *name, *key, *title;
    enum unit unit;
    double by;
} metrics[] = {
    {MV_TIME, "elapsed_ns", "time.elapsed_ns", "Simulated time", UNIT_TIME, 1},
    {MV_TIME, "stall_ns", "time.stall_ns", "Stalled time", UNIT_TIME, 1},
    {MV_COUNTER, "vmstat.pgmajfault", "vmstat.pgmajfault", "Major faults", UNIT_COUNT, 1},
    {MV_COUNTER, "vmstat.pswpin", "vmstat.pswpin", "Pages read from swap", UNIT_COUNT, 1},
    {MV_COUNTER, "vmstat.pswpout", "vmstat.pswpout", "Pages written to swap", UNIT_COUNT, 1},
    {MV_COUNTER, "vmstat.zswpin", "vmstat.zswpin", "Loads from zswap", UNIT_COUNT, 1},
    {MV_COUNTER, "vmstat.zswpwb", "vmstat.zswpwb", "Pages written back", UNIT_COUNT, 1},
    {MV_COUNTER, "zswap.pool_total_size", "zswap.pool_total_size", "Pool at the end", UNIT_BYTES,
     1},
    {MV_COUNTER, "zram.mem_used_max", "zram.mem_used_max", "Largest size of zram", UNIT_BYTES, 1},
    {MV_COUNTER, "memory.peak", "memory.peak", "Peak of the cgroup", UNIT_BYTES, 1},
};
#define NR_METRICS (sizeof(metrics) / sizeof(metrics[0]))

/* The distinct texts of a column, in the order of their first rows. */
struct column {
    const char **texts;
    size_t n;
};

struct sweep_page {
    struct page page;
    const struct sweep_view *v;
    size_t nr_rows; /* shown */
    struct column *columns;
    size_t x, y;     /* axes; y == x: there is one only */
    size_t *group;   /* of each row: which combination of the other columns it has */
    size_t *leaders; /* first row of each group */
    size_t nr_groups;
    const struct metric *metric; /* of the chart that is drawn */
    size_t shown;                /* group of it */
    double least, most;
};

static size_t place_of(const struct column *c, const char *text) {
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->texts[i], text) == 0)
            return i;
    }
    return c->n;
}

/* NaN if the row has no such value. */
static double value_of(const struct sweep_row *r, const struct metric *m) {
    const struct value *v = r->values ? value_list_find(r->values, m->kind, m->name) : NULL;

    return v ? (double)v->value * m->by : NAN;
}

static bool same_group(const struct sweep_page *p, size_t a, size_t b) {
    for (size_t c = 0; c < p->v->nr_columns; c++) {
        if (c != p->x && c != p->y && strcmp(p->v->rows[a].cells[c], p->v->rows[b].cells[c]) != 0)
            return false;
    }
    return true;
}

static bool lay_out(struct sweep_page *p) {
    const struct sweep_view *v = p->v;

    p->columns = calloc(v->nr_columns + 1, sizeof(*p->columns));
    p->group = calloc(p->nr_rows + 1, sizeof(*p->group));
    p->leaders = calloc(p->nr_rows + 1, sizeof(*p->leaders));
    if (!p->columns || !p->group || !p->leaders)
        return false;
    for (size_t c = 0; c < v->nr_columns; c++) {
        p->columns[c].texts = calloc(p->nr_rows + 1, sizeof(*p->columns[c].texts));
        if (!p->columns[c].texts)
            return false;
        for (size_t i = 0; i < p->nr_rows; i++) {
            if (place_of(&p->columns[c], v->rows[i].cells[c]) == p->columns[c].n)
                p->columns[c].texts[p->columns[c].n++] = v->rows[i].cells[c];
        }
    }
    for (size_t c = 1; c < v->nr_columns; c++)
        p->x = p->columns[c].n > p->columns[p->x].n ? c : p->x;
    p->y = p->x;
    for (size_t c = 0; c < v->nr_columns; c++) {
        if (c != p->x && p->columns[c].n > 1 &&
            (p->y == p->x || p->columns[c].n > p->columns[p->y].n))
            p->y = c;
    }
    for (size_t i = 0; i < p->nr_rows; i++) {
        size_t g = 0;

        while (g < p->nr_groups && !same_group(p, p->leaders[g], i))
            g++;
        if (g == p->nr_groups)
            p->leaders[p->nr_groups++] = i;
        p->group[i] = g;
    }
    return true;
}

static void free_layout(struct sweep_page *p) {
    for (size_t c = 0; p->columns && c < p->v->nr_columns; c++)
        free(p->columns[c].texts);
    free(p->columns);
    free(p->group);
    free(p->leaders);
}

/* "knob=value, knob=value" of the columns for which keep() holds. */
static const char *describe(const struct sweep_page *p, size_t row, bool axes, char *buf,
                            size_t size) {
    size_t at = 0;

    buf[0] = '\0';
    for (size_t c = 0; c < p->v->nr_columns && at < size; c++) {
        if (!axes && (c == p->x || c == p->y))
            continue;
        at += (size_t)snprintf(buf + at, size - at, "%s%s=%s", at ? ", " : "", p->v->columns[c],
                               p->v->rows[row].cells[c]);
    }
    return buf;
}

/* The row of a place on the axes within the shown group, SIZE_MAX if there is none. */
static size_t row_at(const struct sweep_page *p, size_t x, size_t y) {
    for (size_t i = 0; i < p->nr_rows; i++) {
        const struct sweep_row *r = &p->v->rows[i];

        if (p->group[i] == p->shown && strcmp(r->cells[p->x], p->columns[p->x].texts[x]) == 0 &&
            (p->x == p->y || strcmp(r->cells[p->y], p->columns[p->y].texts[y]) == 0))
            return i;
    }
    return SIZE_MAX;
}

/* ---- charts of one metric ---- */

static void metric_cell(void *ctx, size_t x, size_t y, struct matrix_cell *out) {
    const struct sweep_page *p = ctx;
    size_t row = row_at(p, x, y);
    char what[192], text[48];
    double v;

    if (row == SIZE_MAX || isnan(v = value_of(&p->v->rows[row], p->metric)))
        return;
    out->value = v;
    out->key = p->metric->key;
    out->level =
        p->most > p->least ? 1 + (unsigned)((v - p->least) / (p->most - p->least) * 6 + 0.5) : 1;
    unit_format(p->metric->unit, v, text, sizeof(text));
    snprintf(out->text, sizeof(out->text), "%s", text);
    snprintf(out->title, sizeof(out->title), "%s: %s%s", describe(p, row, true, what, sizeof(what)),
             text, strcmp(p->v->rows[row].outcome, "oom") == 0 ? " (out of memory)" : "");
}

static void metric_lines(struct sweep_page *p, const char *id) {
    const struct column *cx = &p->columns[p->x], *cy = &p->columns[p->y];
    size_t lines = p->x == p->y ? 1 : RF_MIN(cy->n, MAX_LINES);
    double *x = calloc(cx->n + 1, sizeof(*x)), *y = calloc(cx->n * lines + 1, sizeof(*y));
    struct line_chart c = {.id = id,
                           .title = p->metric->title,
                           .x_unit = UNIT_PLAIN,
                           .y_unit = p->metric->unit,
                           .x_title = p->v->columns[p->x],
                           .y_title = p->metric->key,
                           .x = x,
                           .x_names = cx->texts,
                           .n = cx->n,
                           .marks = true};
    char note[256] = "";

    if (!x || !y) {
        p->page.failed = true;
        free(x);
        free(y);
        return;
    }
    if (p->x != p->y)
        snprintf(note, sizeof(note), "One line for each %s%s", p->v->columns[p->y],
                 cy->n > lines ? "; only the first ones are shown." : ".");
    c.note = *note ? note : NULL;
    for (size_t i = 0; i < cx->n; i++)
        x[i] = (double)i;
    for (size_t l = 0; l < lines; l++) {
        for (size_t i = 0; i < cx->n; i++) {
            size_t row = row_at(p, i, l);

            y[l * cx->n + i] = row == SIZE_MAX ? NAN : value_of(&p->v->rows[row], p->metric);
        }
        c.lines[c.nr++] = (struct line){.name = p->x == p->y ? p->metric->title : cy->texts[l],
                                        .y = y + l * cx->n};
    }
    chart_lines(&p->page, &c);
    free(x);
    free(y);
}

/* Whether there is anything to draw. */
static bool metric_charts(struct sweep_page *p, size_t m) {
    char lines[48], map[48], title[96];

    p->metric = &metrics[m];
    p->least = INFINITY;
    p->most = -INFINITY;
    for (size_t i = 0; i < p->nr_rows; i++) {
        double v = value_of(&p->v->rows[i], p->metric);

        if (isnan(v))
            continue;
        p->least = RF_MIN(p->least, v);
        p->most = RF_MAX(p->most, v);
    }
    /* What the knobs change by less than a hundredth needs no chart. */
    if (!(p->most - p->least > p->most / 100))
        return false;
    snprintf(lines, sizeof(lines), "lines%zu-%zu", m, p->shown);
    metric_lines(p, lines);
    if (p->x == p->y)
        return true;
    snprintf(map, sizeof(map), "map%zu-%zu", m, p->shown);
    snprintf(title, sizeof(title), "%s, all values", p->metric->title);
    {
        const struct column *cx = &p->columns[p->x], *cy = &p->columns[p->y];
        char low[48], high[48];
        struct matrix c = {.id = map,
                           .title = title,
                           .x_title = p->v->columns[p->x],
                           .y_title = p->v->columns[p->y],
                           .low = unit_format(p->metric->unit, p->least, low, sizeof(low)),
                           .high = unit_format(p->metric->unit, p->most, high, sizeof(high)),
                           .nx = cx->n,
                           .ny = cy->n,
                           .x_names = cx->texts,
                           .y_names = cy->texts,
                           .cell = metric_cell,
                           .ctx = p};

        chart_matrix(&p->page, &c);
    }
    return true;
}

static void groups(struct sweep_page *p) {
    size_t n = RF_MIN(p->nr_groups, MAX_GROUPS);
    char what[256];

    page_section(&p->page, "metrics", "Metrics");
    if (n > 1) {
        fputs("<p class=\"wide layers\" hidden><label>Show <select data-groups>", p->page.f);
        for (size_t g = 0; g < n; g++) {
            fprintf(p->page.f, "<option value=\"%zu\">", g);
            html_text(p->page.f, describe(p, p->leaders[g], false, what, sizeof(what)));
            fputs("</option>", p->page.f);
        }
        fputs("</select></label>", p->page.f);
        if (p->nr_groups > n)
            fprintf(p->page.f, " %zu more combinations are in the table only.", p->nr_groups - n);
        fputs("</p>\n", p->page.f);
    }
    for (size_t g = 0; g < n; g++) {
        bool any = false;

        p->shown = g;
        fprintf(p->page.f, "<div class=\"group\" data-group=\"%zu\">\n", g);
        for (size_t m = 0; m < NR_METRICS; m++)
            any |= metric_charts(p, m);
        if (!any)
            fputs("<p class=\"wide\">No metric differs by more than a hundredth.</p>\n", p->page.f);
        fputs("</div>\n", p->page.f);
    }
    page_section_end(&p->page);
}

/* ---- one metric against another ---- */

static double written(const struct sweep_row *r) {
    static const struct metric out = {MV_COUNTER, "vmstat.pswpout", "",
                                      "",         UNIT_BYTES,       RF_PAGE_SIZE};

    return value_of(r, &out);
}

/* Memory that was held: the cgroup's peak (zswap's pool is charged to it), and zram's largest. */
static double memory(const struct sweep_row *r) {
    static const struct metric peak = {MV_COUNTER, "memory.peak", "", "", UNIT_BYTES, 1},
                               zram = {MV_COUNTER, "zram.mem_used_max", "", "", UNIT_BYTES, 1};
    double z = value_of(r, &zram);

    return value_of(r, &peak) + (isnan(z) ? 0 : z);
}

static void trade_off(struct sweep_page *p, const char *id, const char *title, const char *x_title,
                      double (*cost)(const struct sweep_row *r)) {
    struct scatter s = {.id = id,
                        .title = title,
                        .note = "One dot a run; further left and further down is better. Runs that "
                                "ended out of memory are left out.",
                        .x_title = x_title,
                        .y_title = "stalled time",
                        .x_unit = UNIT_BYTES,
                        .y_unit = UNIT_TIME,
                        .points = calloc(p->nr_rows + 1, sizeof(*s.points))};
    bool differ = false;
    char what[160], a[48], b[48];

    if (!s.points) {
        p->page.failed = true;
        return;
    }
    for (size_t i = 0; i < p->nr_rows; i++) {
        const struct sweep_row *r = &p->v->rows[i];
        struct scatter_point *q = &s.points[s.n];

        if (strcmp(r->outcome, "done") != 0)
            continue;
        *q = (struct scatter_point){.x = cost(r), .y = value_of(r, &metrics[1])};
        if (isnan(q->x) || isnan(q->y))
            continue;
        snprintf(q->title, sizeof(q->title), "%s: %s %s, stalled %s",
                 describe(p, i, true, what, sizeof(what)), x_title,
                 unit_format(UNIT_BYTES, q->x, a, sizeof(a)),
                 unit_format(UNIT_TIME, q->y, b, sizeof(b)));
        differ |= s.n && q->x != s.points[0].x;
        s.n++;
    }
    if (differ)
        chart_scatter(&p->page, &s);
    free(s.points);
}

/* ---- all rows ---- */

/* Whether all texts of a column begin as numbers, by which they are sorted then: 5%, 64M. */
static bool numbers_only(const struct column *c) {
    for (size_t i = 0; i < c->n; i++) {
        char *end;

        (void)strtod(c->texts[i], &end);
        if (end == c->texts[i])
            return false;
    }
    return true;
}

static void all_rows(struct sweep_page *p) {
    const struct sweep_view *v = p->v;
    const char **titles = calloc(v->nr_columns + 1 + NR_METRICS, sizeof(*titles));
    struct table_cell *cells = calloc(v->nr_columns + 1 + NR_METRICS, sizeof(*cells));
    bool *is_number = calloc(v->nr_columns + 1, sizeof(*is_number));
    char text[NR_METRICS][48];
    size_t n = 0;

    if (!titles || !cells || !is_number) {
        p->page.failed = true;
        free(is_number);
        free(titles);
        free(cells);
        return;
    }
    for (size_t c = 0; c < v->nr_columns; c++) {
        is_number[c] = numbers_only(&p->columns[c]);
        titles[n++] = v->columns[c];
    }
    titles[n++] = "outcome";
    for (size_t m = 0; m < NR_METRICS; m++)
        titles[n++] = metrics[m].key;
    page_section(&p->page, "rows", "All runs");
    fputs("<div class=\"wide\">", p->page.f);
    if (p->nr_rows < v->nr_rows)
        fprintf(p->page.f, "<p>The first %zu of %zu runs.</p>", p->nr_rows, v->nr_rows);
    table_begin(&p->page, "runs", titles, n);
    for (size_t i = 0; i < p->nr_rows; i++) {
        const struct sweep_row *r = &v->rows[i];

        n = 0;
        for (size_t c = 0; c < v->nr_columns; c++) {
            cells[n++] = (struct table_cell){
                .text = r->cells[c], .value = is_number[c] ? strtod(r->cells[c], NULL) : NAN};
        }
        cells[n++] = (struct table_cell){.text = r->outcome, .value = NAN};
        for (size_t m = 0; m < NR_METRICS; m++) {
            double value = value_of(r, &metrics[m]);

            if (isnan(value))
                snprintf(text[m], sizeof(text[m]), "-");
            else
                unit_format(metrics[m].unit, value, text[m], sizeof(text[m]));
            cells[n++] =
                (struct table_cell){.text = text[m], .key = metrics[m].key, .value = value};
        }
        table_row(&p->page, cells, n);
    }
    table_end(&p->page);
    fputs("</div>\n", p->page.f);
    page_section_end(&p->page);
    free(titles);
    free(cells);
    free(is_number);
}

/* [{"cells": {column: text}, "outcome": ..., key: value, ...}, ...] */
static json_t *rows_json(const struct sweep_page *p) {
    json_t *rows = json_array();

    for (size_t i = 0; i < p->nr_rows; i++) {
        const struct sweep_row *r = &p->v->rows[i];
        json_t *row = json_object(), *cells = json_object();

        for (size_t c = 0; c < p->v->nr_columns; c++)
            json_object_set_new(cells, p->v->columns[c], report_string(r->cells[c]));
        json_object_set_new(row, "cells", cells);
        json_object_set_new(row, "outcome", json_string(r->outcome));
        for (size_t m = 0; m < NR_METRICS; m++) {
            double v = value_of(r, &metrics[m]);

            if (!isnan(v))
                json_object_set_new(row, metrics[m].key, json_integer((json_int_t)v));
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

int html_sweep(FILE *f, const struct sweep_view *v, struct rf_err *err) {
    struct sweep_page p = {.v = v, .nr_rows = RF_MIN(v->nr_rows, MAX_ROWS)};
    json_t *data = json_object();
    char subtitle[512];
    size_t at;
    int rc;

    if (!lay_out(&p)) {
        free_layout(&p);
        json_decref(data);
        return rf_fail(err, RF_ENOMEM, "no memory for the report");
    }
    json_object_set_new(data, "rows", rows_json(&p));
    at = (size_t)snprintf(subtitle, sizeof(subtitle), "%zu runs", v->nr_rows);
    for (size_t c = 0; c < v->nr_columns && at < sizeof(subtitle); c++) {
        if (p.columns[c].n > 1)
            at += (size_t)snprintf(subtitle + at, sizeof(subtitle) - at, ", %zu values of %s",
                                   p.columns[c].n, v->columns[c]);
    }
    page_begin(&p.page, f, "Sweep", subtitle, data);
    page_section(&p.page, "tradeoffs", "Trade-offs");
    if (v->nr_columns) {
        trade_off(&p, "front-written", "Stalled time against bytes written", "written to swap",
                  written);
        trade_off(&p, "front-memory", "Stalled time against memory held", "memory held", memory);
    }
    page_section_end(&p.page);
    if (v->nr_columns)
        groups(&p);
    all_rows(&p);
    rc = page_end(&p.page, err);
    free_layout(&p);
    return rc;
}
