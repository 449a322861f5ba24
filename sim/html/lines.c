/* SPDX-License-Identifier: Apache-2.0 */
#include "html/charts.h"

#include <math.h>

#include "report/report.h"

/* Sum of the lines below line k (stacked charts), at i. */
static double base_of(const struct line_chart *c, size_t k, size_t i) {
    double sum = 0;

    for (size_t j = 0; c->stacked && j < k; j++)
        sum += isnan(c->lines[j].y[i]) ? 0 : c->lines[j].y[i];
    return sum;
}

static double top_of(const struct line_chart *c, size_t k, size_t i) {
    return base_of(c, k, i) + c->lines[k].y[i];
}

static double largest(const struct line_chart *c) {
    double max = 0;

    for (size_t k = 0; k < c->nr; k++) {
        for (size_t i = 0; i < c->n; i++) {
            if (top_of(c, k, i) > max) /* false for NaN */
                max = top_of(c, k, i);
        }
    }
    return max;
}

static void draw_line(FILE *f, const struct frame *p, const struct line_chart *c, size_t k) {
    bool gap = true;

    fprintf(f, "<path class=\"line s%zu%s\" d=\"", k + 1, c->lines[k].dashed ? " dashed" : "");
    for (size_t i = 0; i < c->n; i++) {
        double v = top_of(c, k, i), y = scale_at(&p->y, v);

        if (isnan(v)) {
            gap = true;
            continue;
        }
        if (gap)
            fprintf(f, "M%.1f %.1f", scale_at(&p->x, c->x[i]), y);
        else if (c->steps)
            fprintf(f, "V%.1fH%.1f", y, scale_at(&p->x, c->x[i]));
        else
            fprintf(f, "L%.1f %.1f", scale_at(&p->x, c->x[i]), y);
        gap = false;
    }
    fputs("\"/>\n", f);
    for (size_t i = 0; c->marks && i < c->n; i++) {
        if (!isnan(top_of(c, k, i)))
            fprintf(f, "<circle class=\"f%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", k + 1,
                    scale_at(&p->x, c->x[i]), scale_at(&p->y, top_of(c, k, i)));
    }
}

static void draw_area(FILE *f, const struct frame *p, const struct line_chart *c, size_t k) {
    fprintf(f, "<path class=\"area f%zu\" d=\"", k + 1);
    for (size_t i = 0; i < c->n; i++) {
        double x = scale_at(&p->x, c->x[i]), y = scale_at(&p->y, top_of(c, k, i));

        if (i == 0)
            fprintf(f, "M%.1f %.1f", x, y);
        else if (c->steps)
            fprintf(f, "V%.1fH%.1f", y, x);
        else
            fprintf(f, "L%.1f %.1f", x, y);
    }
    for (size_t i = c->n; i-- > 0;) {
        double x = scale_at(&p->x, c->x[i]), y = scale_at(&p->y, base_of(c, k, i));

        if (c->steps && i + 1 < c->n) {
            double next = scale_at(&p->y, base_of(c, k, i + 1));

            fprintf(f, "V%.1fH%.1f", next, x);
            if (i == 0)
                fprintf(f, "V%.1f", y);
        } else {
            fprintf(f, "L%.1f %.1f", x, y);
        }
    }
    fputs("Z\"/>\n", f);
}

static void give_data(struct page *p, const struct line_chart *c) {
    json_t *chart = json_object(), *x = json_array(), *lines = json_array();

    for (size_t i = 0; i < c->n; i++)
        json_array_append_new(x, json_real(c->x[i]));
    for (size_t k = 0; k < c->nr; k++) {
        json_t *line = json_object(), *y = json_array();

        for (size_t i = 0; i < c->n; i++)
            json_array_append_new(y, isnan(c->lines[k].y[i]) ? json_null()
                                                             : json_real(c->lines[k].y[i]));
        json_object_set_new(line, "name", report_string(c->lines[k].name));
        json_object_set_new(line, "y", y);
        json_array_append_new(lines, line);
    }
    json_object_set_new(chart, "x", x);
    if (c->x_names) {
        json_t *names = json_array();

        for (size_t i = 0; i < c->n; i++)
            json_array_append_new(names, report_string(c->x_names[i]));
        json_object_set_new(chart, "x_names", names);
    }
    json_object_set_new(chart, "x_name", report_string(c->x_title));
    json_object_set_new(chart, "x_unit", json_string(unit_name(c->x_unit)));
    json_object_set_new(chart, "y_unit", json_string(unit_name(c->y_unit)));
    json_object_set_new(chart, "lines", lines);
    page_chart_data(p, c->id, chart);
}

void chart_lines(struct page *p, const struct line_chart *c) {
    static const char *const lines[MAX_LINES] = {"b1", "b2", "b3", "b4", "b5", "b6", "b7"};
    static const char *const dashes[MAX_LINES] = {"b1 d", "b2 d", "b3 d", "b4 d",
                                                  "b5 d", "b6 d", "b7 d"};
    struct frame fr = {
        .width = 480, .height = 240, .left = 52, .right = 14, .top = 26, .bottom = 42};
    struct legend_item items[MAX_LINES];
    FILE *f = p->f;
    char about[256];

    if (c->n == 0 || c->nr == 0)
        return;
    fr.x = (struct scale){.lo = c->x[0], .hi = c->x[c->n - 1], .log = c->log_x};
    fr.y.hi = scale_round_up(largest(c), 4, c->y_unit == UNIT_BYTES);
    if (c->y_unit == UNIT_PERCENT && fr.y.hi > 100 && largest(c) <= 100.5)
        fr.y.hi = 100;
    figure_begin(f, c->id, c->title, c->note, false);
    for (size_t k = 0; k < c->nr; k++)
        items[k] =
            (struct legend_item){c->lines[k].name, c->lines[k].dashed ? dashes[k] : lines[k]};
    figure_legend(f, items, c->nr);
    snprintf(about, sizeof(about), "Line chart: %s over %s. Arrow keys move along it.", c->title,
             c->x_title);
    if (c->n == 1)
        fr.x = (struct scale){.lo = c->x[0] - 1, .hi = c->x[0] + 1};
    frame_begin(f, &fr, c->id, about, true);
    if (c->x_names)
        frame_axis_names(f, &fr, c->x_names, c->n, c->x_title);
    else
        frame_axis_x(f, &fr, c->x_unit, c->x_title);
    frame_axis_y(f, &fr, c->y_unit, c->y_title);
    for (size_t k = 0; k < c->nr; k++) {
        if (c->stacked)
            draw_area(f, &fr, c, k);
        draw_line(f, &fr, c, k);
    }
    fputs("<path class=\"cursor\"/>\n", f);
    frame_end(f);
    figure_end(f, true);
    give_data(p, c);
}
