/* SPDX-License-Identifier: Apache-2.0 */
#include "html/charts.h"

#include <math.h>

#define LETTER 6.4 /* width of a letter */

static double longest(const char *const *names, size_t n) {
    size_t len = 1;

    for (size_t i = 0; i < n; i++)
        len = RF_MAX(len, strlen(names[i]));
    return (double)len * LETTER;
}

static void ends_legend(FILE *f, const struct matrix *m) {
    fputs("<ul class=\"legend\"><li>", f);
    html_text(f, m->low);
    fputs("</li><li class=\"ends\">", f);
    for (unsigned l = 1; l <= 7; l++)
        fprintf(f, "<i class=\"bx%u\"></i>", l);
    fputs("</li><li>", f);
    html_text(f, m->high);
    fputs("</li></ul>\n", f);
}

static void draw_cell(FILE *f, const struct matrix_cell *c, double x, double y, double w,
                      double h) {
    if (!c->level)
        return;
    fprintf(f, "<g data-value=\"%.17g\"", c->value);
    if (c->key) {
        fputs(" data-key=\"", f);
        html_text(f, c->key);
        fputc('"', f);
    }
    fputc('>', f);
    svg_title(f, "%s", c->title);
    fprintf(f, "<rect class=\"cell h%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
            c->level, x, y, w, h);
    if (c->text[0] && (double)strlen(c->text) * LETTER < w - 2 && h >= 14)
        svg_label(f, x + w / 2, y + h / 2 + 4, "middle", c->level > 3 ? "in2" : "in1", c->text);
    fputs("</g>\n", f);
}

void chart_matrix(struct page *p, const struct matrix *m) {
    struct frame fr = {.width = m->wide ? 820 : 480, .right = 10, .top = 26};
    double left = longest(m->y_names, m->ny) + 12, x_room = longest(m->x_names, m->nx), w, h;
    FILE *f = p->f;
    char about[256];
    bool slanted;

    if (m->nx == 0 || m->ny == 0)
        return;
    fr.left = RF_MIN(RF_MAX(left, 40.0), fr.width * 0.4);
    w = (fr.width - fr.left - fr.right) / (double)m->nx;
    w = RF_MIN(w, 90.0);
    h = m->ny > 16 ? 17 : 26;
    slanted = x_room > w - 4;
    fr.bottom = (slanted ? RF_MIN(x_room * 0.72 + 12, 150.0) : 18) + 20;
    fr.height = fr.top + fr.bottom + h * (double)m->ny;
    figure_begin(f, m->id, m->title, m->note, m->wide);
    ends_legend(f, m);
    snprintf(about, sizeof(about), "Heat map: %s, by %s and %s", m->title, m->x_title, m->y_title);
    frame_begin(f, &fr, m->id, about, false);
    for (size_t y = 0; y < m->ny; y++) {
        svg_label(f, fr.left - 6, fr.top + h * ((double)y + 0.5) + 4, "end", NULL, m->y_names[y]);
        for (size_t x = 0; x < m->nx; x++) {
            struct matrix_cell c = {0};

            m->cell(m->ctx, x, y, &c);
            draw_cell(f, &c, fr.left + w * (double)x, fr.top + h * (double)y, w, h);
        }
    }
    for (size_t x = 0; x < m->nx; x++) {
        double at = fr.left + w * ((double)x + 0.5), y = fr.height - fr.bottom + 15;

        if (slanted) {
            fprintf(f, "<g transform=\"translate(%.1f %.1f) rotate(-45)\">", at + 4, y - 4);
            svg_label(f, 0, 0, "end", NULL, m->x_names[x]);
            fputs("</g>\n", f);
        } else {
            svg_label(f, at, y, "middle", NULL, m->x_names[x]);
        }
    }
    svg_label(f, fr.left + w * (double)m->nx / 2, fr.height - 4, "middle", "at", m->x_title);
    svg_label(f, 2, fr.top - 10, "start", "at", m->y_title);
    frame_end(f);
    figure_end(f, false);
}
