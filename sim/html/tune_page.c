/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a search over a grid. */
#include "html/reports.h"

#include <math.h>
#include <stdlib.h>

/* Sizes in KiB, to the page: points of a front often differ by a few pages. */
static const char *format(enum unit unit, double v, char *buf, size_t size) {
    if (unit != UNIT_BYTES)
        return unit_format(unit, v, buf, size);
    snprintf(buf, size, "%.0f KiB", v / 1024);
    return buf;
}

static enum unit unit_of(const json_t *result, const char *metric) {
    return unit_by_name(json_text_of(json_object_get(result, "units"), metric));
}

static bool is(const json_t *point, const char *key) {
    return json_is_true(json_object_get(point, key));
}

/* "knob=value, knob=value" */
static const char *describe(const json_t *point, char *buf, size_t size) {
    const json_t *v;
    const char *key;
    size_t at = 0;

    buf[0] = '\0';
    json_object_foreach((json_t *)(uintptr_t)json_object_get(point, "knobs"), key, v) {
        if (at < size)
            at += (size_t)snprintf(buf + at, size - at, "%s%s=%s", at ? ", " : "", key,
                                   json_string_value(v));
    }
    return buf;
}

static bool any_done(const json_t *result) {
    const json_t *point;
    bool done = false;
    size_t i;

    json_array_foreach(json_object_get(result, "points"), i, point) done |=
        json_is_true(json_object_get(point, "exact")) &&
        strcmp(json_string_value(json_object_get(point, "outcome")), "done") == 0;
    return done;
}

static void best(struct page *p, const json_t *result) {
    const json_t *point = json_object_get(result, "best"), *v;
    char text[512], value[48];
    const char *metric;

    page_section(p, "best", "The best point");
    if (!json_is_object(point)) {
        fprintf(p->f, "<p class=\"verdict fail\">%s.</p>\n",
                any_done(result) ? "No point that was run whole keeps the bounds"
                                 : "All points that were run whole ran out of memory");
        page_section_end(p);
        return;
    }
    fputs("<p class=\"verdict pass\">", p->f);
    html_text(p->f, describe(point, text, sizeof(text)));
    fputs("</p>\n<div class=\"cards\">\n", p->f);
    json_object_foreach((json_t *)(uintptr_t)json_object_get(point, "metrics"), metric, v) {
        fputs("<div class=\"card\"><span>", p->f);
        html_text(p->f, metric);
        fputs("</span><b data-card=\"", p->f);
        html_text(p->f, metric);
        fprintf(p->f, "\" data-value=\"%.17g\">", json_number_value(v));
        html_text(p->f,
                  format(unit_of(result, metric), json_number_value(v), value, sizeof(value)));
        fputs("</b></div>\n", p->f);
    }
    fputs("</div>\n", p->f);
    page_section_end(p);
}

/* The metric against another one, of the points that were run whole and keep the bounds. */
static void front(struct page *p, const json_t *result, const char *other, size_t number) {
    const char *metric = json_text_of(result, "minimize");
    const json_t *points = json_object_get(result, "points"), *point;
    char id[32], title[160], what[160], a[48], b[48];
    struct scatter s = {.id = id,
                        .title = title,
                        .note = "One dot a point that was run whole and keeps the bounds; further "
                                "left and further down is better.",
                        .x_title = other,
                        .y_title = metric,
                        .x_unit = unit_of(result, other),
                        .y_unit = unit_of(result, metric),
                        .points = calloc(json_array_size(points) + 1, sizeof(*s.points))};
    size_t i;

    if (!s.points) {
        p->failed = true;
        return;
    }
    snprintf(id, sizeof(id), "front%zu", number);
    snprintf(title, sizeof(title), "%s against %s", metric, other);
    json_array_foreach(points, i, point) {
        const json_t *values = json_object_get(point, "metrics");
        struct scatter_point *q = &s.points[s.n];

        if (!is(point, "exact") || !is(point, "bounds") ||
            strcmp(json_text_of(point, "outcome"), "done") != 0)
            continue;
        q->x = json_number_of(values, other, 0);
        q->y = json_number_of(values, metric, 0);
        snprintf(q->title, sizeof(q->title), "%s: %s %s, %s %s",
                 describe(point, what, sizeof(what)), metric, format(s.y_unit, q->y, a, sizeof(a)),
                 other, format(s.x_unit, q->x, b, sizeof(b)));
        s.n++;
    }
    chart_scatter(p, &s);
    free(s.points);
}

static double as_number(const char *text) {
    char *end;
    double v = strtod(text, &end);

    return end == text ? NAN : v;
}

/* Knobs, outcome, metrics, and what a point is. */
static void whole_runs(struct page *p, const json_t *result) {
    const json_t *points = json_object_get(result, "points"), *point, *v,
                 *first = json_array_get(points, 0), *best_knobs = NULL;
    size_t n = json_object_size(json_object_get(first, "knobs")) +
               json_object_size(json_object_get(first, "metrics")) + 2,
           at, i;
    const char **titles = calloc(n, sizeof(*titles)), *key;
    struct table_cell *cells = calloc(n, sizeof(*cells));
    char(*texts)[48] = calloc(n, sizeof(*texts));

    best_knobs = json_object_get(json_object_get(result, "best"), "knobs");
    if (!titles || !cells || !texts) {
        p->failed = true;
        goto out;
    }
    page_section(p, "runs", "Points that were run whole");
    fputs("<div class=\"wide\">", p->f);
    for (i = 0, at = 0; i < json_array_size(points); i++) {
        point = json_array_get(points, i);
        if (!is(point, "exact"))
            continue;
        size_t c = 0;
        json_object_foreach((json_t *)(uintptr_t)json_object_get(point, "knobs"), key, v) {
            titles[c] = key;
            cells[c++] = (struct table_cell){.text = json_string_value(v),
                                             .value = as_number(json_string_value(v))};
        }
        titles[c] = "outcome";
        cells[c++] = (struct table_cell){.text = json_text_of(point, "outcome"), .value = NAN};
        json_object_foreach((json_t *)(uintptr_t)json_object_get(point, "metrics"), key, v) {
            titles[c] = key;
            format(unit_of(result, key), json_number_value(v), texts[c], sizeof(texts[c]));
            cells[c] =
                (struct table_cell){.text = texts[c], .key = key, .value = json_number_value(v)};
            c++;
        }
        titles[c] = "is";
        cells[c++] = (struct table_cell){
            .text = json_equal(json_object_get(point, "knobs"), best_knobs) ? "best"
                    : is(point, "front")                                    ? "front"
                    : is(point, "bounds")                                   ? ""
                                                                            : "breaks a bound",
            .value = NAN};
        if (at++ == 0)
            table_begin(p, "whole", titles, c);
        table_row(p, cells, c);
    }
    if (at)
        table_end(p);
    fputs("</div>\n", p->f);
    page_section_end(p);
out:
    free(titles);
    free(cells);
    free(texts);
}

int html_tune(FILE *f, const json_t *result, struct rf_err *err) {
    const json_t *points = json_object_get(result, "points"), *v;
    const char *minimize = json_text_of(result, "minimize"), *metric;
    json_t *data = json_object();
    char title[320], subtitle[128];
    size_t number = 0;
    struct page p;

    json_object_set(data, "result", (json_t *)(uintptr_t)result);
    snprintf(title, sizeof(title), "%s: least %s", json_text_of(result, "trace"), minimize);
    snprintf(subtitle, sizeof(subtitle),
             "%zu points, %.0f of them run whole, the others in miniature", json_array_size(points),
             json_number_of(result, "exact", 0));
    page_begin(&p, f, title, subtitle, data);
    best(&p, result);
    page_section(&p, "tradeoffs", "Trade-offs");
    json_object_foreach((json_t *)(uintptr_t)json_object_get(json_array_get(points, 0), "metrics"),
                        metric, v) {
        if (strcmp(metric, minimize) != 0)
            front(&p, result, metric, ++number);
    }
    page_section_end(&p);
    whole_runs(&p, result);
    return page_end(&p, err);
}
