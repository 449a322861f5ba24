/* SPDX-License-Identifier: Apache-2.0 */
/* The page of miss and stall curves. */
#include "html/reports.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MISS_RATIO, STALL, EXACT_STALL, NR_CURVES };

struct size {
    double bytes, y[NR_CURVES]; /* NaN: not known, or out of memory */
    const json_t *point;
};

static int by_size(const void *a, const void *b) {
    const struct size *p = a, *q = b;

    return (p->bytes > q->bytes) - (p->bytes < q->bytes);
}

static double stall_of(const json_t *point, const char *outcome, const char *value) {
    const json_t *stall = json_object_get(point, "stall");

    return strcmp(json_text_of(stall, outcome), "done") == 0 ? json_number_of(stall, value, NAN)
                                                             : NAN;
}

/* A chart of those of the lines that have values. */
static void curve(struct page *p, const struct size *sizes, size_t n, struct line_chart *c,
                  const char *const *names, int first, int last) {
    double *x = calloc(n * (NR_CURVES + 1) + 1, sizeof(*x));

    if (!x) {
        p->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = sizes[i].bytes;
    for (int k = first; k <= last; k++) {
        double *y = x + n * (size_t)(k + 1);
        bool any = false;

        for (size_t i = 0; i < n; i++) {
            y[i] = sizes[i].y[k];
            any |= !isnan(y[i]);
        }
        if (any)
            c->lines[c->nr++] =
                (struct line){.name = names[k - first], .y = y, .dashed = k == EXACT_STALL};
    }
    c->x = x;
    c->n = n;
    c->x_unit = UNIT_BYTES;
    c->x_title = "memory.max";
    c->marks = true;
    if (c->nr)
        chart_lines(p, c);
    free(x);
}

static const char *shown(enum unit unit, double v, char *buf, size_t size) {
    if (isnan(v))
        snprintf(buf, size, "-");
    else
        unit_format(unit, v, buf, size);
    return buf;
}

/* Of a stalled time: why there is none. */
static const char *shown_stall(const json_t *point, const char *outcome, double v, char *buf,
                               size_t size) {
    if (strcmp(json_text_of(json_object_get(point, "stall"), outcome), "oom") != 0)
        return shown(UNIT_TIME, v, buf, size);
    snprintf(buf, size, "oom");
    return buf;
}

static void all_sizes(struct page *p, const struct size *sizes, size_t n) {
    static const char *const columns[] = {"memory.max", "pages", "LRU misses",
                                          "miss ratio", "stall", "exact stall"};
    static const char *const keys[] = {NULL,         "pages",    "misses",
                                       "miss_ratio", "stall_ns", "exact_stall_ns"};
    char text[6][48];

    page_section(p, "sizes", "All sizes");
    fputs("<div class=\"wide\">", p->f);
    table_begin(p, "points", columns, 6);
    for (size_t i = 0; i < n; i++) {
        const struct size *s = &sizes[i];
        const double values[] = {s->bytes,
                                 json_number_of(s->point, "pages", NAN),
                                 json_number_of(s->point, "misses", NAN),
                                 s->y[MISS_RATIO],
                                 s->y[STALL],
                                 s->y[EXACT_STALL]};
        struct table_cell cells[6];

        snprintf(text[0], sizeof(text[0]), "%.47s", json_text_of(s->point, "memory.max"));
        shown(UNIT_COUNT, values[1], text[1], sizeof(text[1]));
        shown(UNIT_COUNT, values[2], text[2], sizeof(text[2]));
        snprintf(text[3], sizeof(text[3]), "%.4f %%", 100 * values[3]);
        shown_stall(s->point, "outcome", values[4], text[4], sizeof(text[4]));
        shown_stall(s->point, "exact_outcome", values[5], text[5], sizeof(text[5]));
        for (size_t k = 0; k < 6; k++)
            cells[k] = (struct table_cell){.text = text[k], .key = keys[k], .value = values[k]};
        table_row(p, cells, 6);
    }
    table_end(p);
    fputs("</div>\n", p->f);
    page_section_end(p);
}

static const char *about_stall(const json_t *result, char *buf, size_t size) {
    const json_t *s = json_object_get(result, "stall");

    if (json_number_of(s, "rate", 1) >= 1)
        snprintf(buf, size, "Each size was simulated whole.");
    else if (json_number_of(s, "exact_runs", 0) > 0)
        snprintf(buf, size,
                 "From miniatures at rate %.3g. At %.0f sizes that were run whole as well they are "
                 "off by %.1f %% (median) and %.1f %% (worst).",
                 json_number_of(s, "rate", 1), json_number_of(s, "exact_runs", 0),
                 100 * json_number_of(s, "median_error", 0),
                 100 * json_number_of(s, "worst_error", 0));
    else
        snprintf(buf, size, "From miniatures at rate %.3g, whose error is not known.",
                 json_number_of(s, "rate", 1));
    return buf;
}

int html_mrc(FILE *f, const json_t *result, struct rf_err *err) {
    static const char *const misses[] = {"miss ratio"}, *const stalls[] = {"stall", "exact run"};
    const json_t *points = json_object_get(result, "points"), *point;
    size_t n = json_array_size(points), i;
    struct size *sizes = calloc(n + 1, sizeof(*sizes));
    json_t *data = json_object();
    char title[320], subtitle[256], note[256];
    struct page p;
    int rc;

    if (!sizes) {
        json_decref(data);
        return rf_fail(err, RF_ENOMEM, "no memory for the report");
    }
    json_array_foreach(points, i, point) {
        sizes[i] = (struct size){.bytes = json_number_of(point, "pages", 0) * RF_PAGE_SIZE,
                                 .y = {json_number_of(point, "miss_ratio", NAN),
                                       stall_of(point, "outcome", "stall_ns"),
                                       stall_of(point, "exact_outcome", "exact_stall_ns")},
                                 .point = point};
    }
    qsort(sizes, n, sizeof(*sizes), by_size);
    json_object_set(data, "result", (json_t *)(uintptr_t)result);
    snprintf(title, sizeof(title), "%s: how much memory", json_text_of(result, "trace"));
    snprintf(subtitle, sizeof(subtitle),
             "%.0f accesses, footprint %.0f pages, %.0f first accesses, %zu sizes",
             json_number_of(result, "accesses", 0), json_number_of(result, "footprint_pages", 0),
             json_number_of(result, "first_accesses", 0), n);
    page_begin(&p, f, title, subtitle, data);
    page_section(&p, "curves", "Curves");
    curve(&p, sizes, n,
          &(struct line_chart){.id = "misses",
                               .title = "Misses of an LRU memory",
                               .note = "Share of accesses that miss, first accesses included.",
                               .y_unit = UNIT_PLAIN,
                               .y_title = "miss ratio"},
          misses, MISS_RATIO, MISS_RATIO);
    curve(&p, sizes, n,
          &(struct line_chart){.id = "stall",
                               .title = "Stalled time of the modelled machine",
                               .note = about_stall(result, note, sizeof(note)),
                               .y_unit = UNIT_TIME,
                               .y_title = "stalled time"},
          stalls, STALL, EXACT_STALL);
    page_section_end(&p);
    all_sizes(&p, sizes, n);
    rc = page_end(&p, err);
    free(sizes);
    return rc;
}
