/* SPDX-License-Identifier: Apache-2.0 */
#include "html/charts.h"

static void draw_part(FILE *f, const struct frame *fr, double x, double w, double from, double to,
                      const char *style) {
    double y0 = scale_at(&fr->y, from), y1 = scale_at(&fr->y, to);

    if (to > from)
        fprintf(f, "<path class=\"%s\" d=\"M%.2f %.2fV%.2fH%.2fV%.2fZ\"/>", style, x, y0, y1, x + w,
                y0);
}

void chart_stacks(struct page *p, const struct stack_chart *c) {
    const struct legend_item items[] = {{c->lower_name, "b1"}, {c->upper_name, "b2"}};
    struct frame fr = {
        .width = 480, .height = 260, .left = 52, .right = 14, .top = 26, .bottom = 42};
    FILE *f = p->f;
    double max = 0;
    char about[256];

    if (c->n == 0)
        return;
    for (size_t i = 0; i < c->n; i++)
        max = RF_MAX(max, c->stacks[i].lower + c->stacks[i].upper);
    fr.x.hi = c->x_max;
    fr.y.hi = scale_round_up(max, 4, c->y_unit == UNIT_BYTES);
    figure_begin(f, c->id, c->title, c->note, false);
    figure_legend(f, items, 2);
    snprintf(about, sizeof(about), "Bar chart: %s", c->title);
    frame_begin(f, &fr, c->id, about, false);
    frame_axis_x(f, &fr, c->x_unit, c->x_title);
    frame_axis_y(f, &fr, c->y_unit, c->y_title);
    for (size_t i = 0; i < c->n; i++) {
        const struct stack *s = &c->stacks[i];
        double w = RF_MAX((fr.x.to - fr.x.from) * s->width / c->x_max - 0.4, 1.2);
        double x = scale_at(&fr.x, s->x);

        fprintf(f, "<g data-x=\"%.17g\" data-value=\"%.17g\">", s->x, s->lower + s->upper);
        svg_title(f, "%s", s->title);
        draw_part(f, &fr, x, w, 0, s->lower, "f1");
        draw_part(f, &fr, x, w, s->lower, s->lower + s->upper, "f2");
        /* The whole height can be hovered. */
        fprintf(f, "<rect class=\"hit\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>", x,
                fr.y.to, w, fr.y.from - fr.y.to);
        fputs("</g>\n", f);
    }
    frame_end(f);
    figure_end(f, false);
}
