/* SPDX-License-Identifier: Apache-2.0 */
/* What figures have in common: heading, legend, axes, the line for the readout. */
#include "html/html.h"

void figure_begin(FILE *f, const char *id, const char *title, const char *note, bool wide) {
    fprintf(f, "<figure id=\"%s\"%s>\n<figcaption><h3>", id, wide ? " class=\"wide\"" : "");
    html_text(f, title);
    fputs("</h3>", f);
    if (note) {
        fputs("<p>", f);
        html_text(f, note);
        fputs("</p>", f);
    }
    fputs("</figcaption>\n", f);
}

void figure_legend(FILE *f, const struct legend_item *items, size_t n) {
    fputs("<ul class=\"legend\">", f);
    for (size_t i = 0; i < n; i++) {
        fprintf(f, "<li><i class=\"%s\"></i>", items[i].style);
        html_text(f, items[i].name);
        fputs("</li>", f);
    }
    fputs("</ul>\n", f);
}

void frame_begin(FILE *f, struct frame *p, const char *id, const char *description,
                 bool interactive) {
    p->x.from = p->left;
    p->x.to = p->width - p->right;
    p->y.from = p->height - p->bottom;
    p->y.to = p->top;
    fprintf(f, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", p->width, p->height);
    html_text(f, description);
    fputc('"', f);
    if (interactive)
        fprintf(f,
                " tabindex=\"0\" data-chart=\"%s\" data-left=\"%.1f\" data-right=\"%.1f\""
                " data-top=\"%.1f\" data-bottom=\"%.1f\" data-x0=\"%.17g\" data-x1=\"%.17g\""
                " data-log=\"%d\"",
                id, p->x.from, p->x.to, p->y.to, p->y.from, p->x.lo, p->x.hi, p->x.log);
    fputs(">\n", f);
}

void frame_end(FILE *f) {
    fputs("</svg>\n", f);
}

void figure_end(FILE *f, bool interactive) {
    if (interactive)
        fputs("<output aria-live=\"polite\"></output>\n", f);
    fputs("</figure>\n", f);
}

/* Tick labels of log axes carry their own unit: "10 µs". */
static void tick_text(const struct scale *s, enum unit u, double v, char *buf, size_t size) {
    struct unit_scale us = unit_scale_for(u, s->hi);

    if (s->log && u == UNIT_TIME) {
        us = unit_scale_for(u, v * 2.5);
        snprintf(buf, size, "%g %s", v / us.by, us.label);
    } else {
        snprintf(buf, size, "%g", v / us.by);
    }
}

/* Ticks in the unit of the axis; halves and quarters of bytes only where the range is wide. */
static size_t axis_ticks(const struct scale *s, enum unit u, unsigned want, double out[MAX_TICKS]) {
    double by = s->log ? 1 : unit_scale_for(u, s->hi).by;
    struct scale t = {.lo = s->lo / by, .hi = s->hi / by, .log = s->log};
    size_t n = scale_ticks(&t, want, u == UNIT_BYTES && t.hi - t.lo >= 4, out);

    for (size_t i = 0; i < n; i++)
        out[i] *= by;
    return n;
}

static void axis_title(enum unit u, const struct scale *s, const char *title, char *buf,
                       size_t size) {
    struct unit_scale us = unit_scale_for(u, s->hi);

    if ((s->log && u == UNIT_TIME) || !*us.label)
        snprintf(buf, size, "%s%s", title, u == UNIT_PER_SECOND ? " per second" : "");
    else
        snprintf(buf, size, "%s, %s%s", title, us.label, u == UNIT_PER_SECOND ? " per second" : "");
}

void frame_axis_x(FILE *f, const struct frame *p, enum unit u, const char *title) {
    double ticks[MAX_TICKS], width = p->x.to - p->x.from;
    size_t n = axis_ticks(&p->x, u, (unsigned)(width / 80) + 1, ticks);
    /* Wide paper is shown smaller on a phone, with larger letters. */
    double line = p->width > 600 ? 20 : 17;
    char buf[128];

    for (size_t i = 0; i < n; i++) {
        double x = scale_at(&p->x, ticks[i]);

        fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n", x, p->y.to, p->y.from + 4);
        tick_text(&p->x, u, ticks[i], buf, sizeof(buf));
        svg_label(f, x, p->y.from + line, "middle", NULL, buf);
    }
    fprintf(f, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>\n", p->x.from, p->y.from, p->x.to);
    axis_title(u, &p->x, title, buf, sizeof(buf));
    svg_label(f, (p->x.from + p->x.to) / 2, p->y.from + 2.1 * line, "middle", "at", buf);
}

void frame_axis_names(FILE *f, const struct frame *p, const char *const *names, size_t n,
                      const char *title) {
    size_t longest = 1, step;
    double room;

    for (size_t i = 0; i < n; i++)
        longest = RF_MAX(longest, strlen(names[i]));
    room = (p->x.to - p->x.from) / (double)(n > 1 ? n - 1 : 1);
    step = (size_t)((double)longest * 7 / room) + 1;
    for (size_t i = 0; i < n; i += step) {
        double x = scale_at(&p->x, (double)i);

        fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n", x, p->y.to, p->y.from + 4);
        svg_label(f, x, p->y.from + 17, "middle", NULL, names[i]);
    }
    fprintf(f, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>\n", p->x.from, p->y.from, p->x.to);
    svg_label(f, (p->x.from + p->x.to) / 2, p->y.from + 34, "middle", "at", title);
}

void frame_axis_y(FILE *f, const struct frame *p, enum unit u, const char *title) {
    double ticks[MAX_TICKS];
    size_t n = axis_ticks(&p->y, u, 4, ticks);
    char buf[128];

    for (size_t i = 0; i < n; i++) {
        double y = scale_at(&p->y, ticks[i]);

        fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", p->x.from, y, p->x.to);
        tick_text(&p->y, u, ticks[i], buf, sizeof(buf));
        svg_label(f, p->x.from - 6, y + 4, "end", NULL, buf);
    }
    axis_title(u, &p->y, title, buf, sizeof(buf));
    svg_label(f, 2, p->width > 600 ? 18 : p->y.to - 10, "start", "at", buf);
}
