/* SPDX-License-Identifier: Apache-2.0 */
#include "html/charts.h"

#include <math.h>
#include <stdlib.h>

static int by_place(const void *a, const void *b) {
    const struct scatter_point *p = a, *q = b;

    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return p->y < q->y ? -1 : p->y > q->y;
}

/* In ascending order of x a point is on the front if its y is below all before it, or equals the
 * place of one that is. */
static void find_front(struct scatter *s) {
    const struct scatter_point *last = NULL;

    qsort(s->points, s->n, sizeof(*s->points), by_place);
    for (size_t i = 0; i < s->n; i++) {
        struct scatter_point *p = &s->points[i];

        p->front = !last || p->y < last->y || (p->x == last->x && p->y == last->y);
        if (p->front)
            last = p;
    }
}

/* From 0, unless the values lie close together far from it. */
static void set_range(struct scale *s, double least, double most) {
    double margin = (most - least) * 0.08;

    s->lo = least > most / 2 ? least - margin : 0;
    s->hi = most + margin;
    if (!(s->hi > s->lo))
        s->hi = s->lo + 1;
}

void chart_scatter(struct page *p, struct scatter *s) {
    static const struct legend_item items[] = {{"no other point is better in both", "b2"},
                                               {"beaten", "b1"}};
    struct frame fr = {
        .width = 480, .height = 300, .left = 56, .right = 16, .top = 26, .bottom = 42};
    FILE *f = p->f;
    double least = INFINITY, most = 0;
    const char *step = "M";
    char about[256];

    if (s->n == 0)
        return;
    find_front(s);
    set_range(&fr.x, s->points[0].x, s->points[s->n - 1].x);
    for (size_t i = 0; i < s->n; i++) {
        least = RF_MIN(least, s->points[i].y);
        most = RF_MAX(most, s->points[i].y);
    }
    set_range(&fr.y, least, most);
    figure_begin(f, s->id, s->title, s->note, false);
    figure_legend(f, items, 2);
    snprintf(about, sizeof(about), "Scatter plot: %s over %s", s->y_title, s->x_title);
    frame_begin(f, &fr, s->id, about, false);
    frame_axis_x(f, &fr, s->x_unit, s->x_title);
    frame_axis_y(f, &fr, s->y_unit, s->y_title);
    fputs("<path class=\"frontline\" d=\"", f);
    for (size_t i = 0; i < s->n; i++) {
        if (!s->points[i].front)
            continue;
        fprintf(f, "%s%.1f%s%.1f", step, scale_at(&fr.x, s->points[i].x), *step == 'M' ? " " : "V",
                scale_at(&fr.y, s->points[i].y));
        step = "H";
    }
    fputs("\"/>\n", f);
    for (int front = 0; front < 2; front++) {
        for (size_t i = 0; i < s->n; i++) {
            const struct scatter_point *q = &s->points[i];

            if (q->front != (front == 1))
                continue;
            fprintf(f,
                    "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" data-x=\"%.17g\" "
                    "data-y=\"%.17g\">",
                    q->front ? "front" : "beaten", scale_at(&fr.x, q->x), scale_at(&fr.y, q->y),
                    q->front ? "5" : "4", q->x, q->y);
            svg_title(f, "%s", q->title);
            fputs("</circle>\n", f);
        }
    }
    frame_end(f);
    figure_end(f, false);
}
