/* SPDX-License-Identifier: Apache-2.0 */
#include "html/charts.h"

#define ROW 30.0

void chart_bars(struct page *p, const char *id, const char *title, const char *note, enum unit unit,
                const struct bar *bars, size_t n) {
    struct frame fr = {.width = 480, .left = 4, .right = 4, .top = 4, .bottom = 4};
    FILE *f = p->f;
    double max = 0;
    char about[256], text[64], line[160];

    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        max = RF_MAX(max, bars[i].value);
    fr.height = fr.top + fr.bottom + ROW * (double)n;
    fr.x = (struct scale){.lo = 0, .hi = max > 0 ? max : 1};
    figure_begin(f, id, title, note, false);
    snprintf(about, sizeof(about), "Bar chart: %s", title);
    frame_begin(f, &fr, id, about, false);
    for (size_t i = 0; i < n; i++) {
        double y = fr.top + ROW * (double)i, x = scale_at(&fr.x, bars[i].value);

        svg_label(f, fr.left, y + 12, "start", NULL, bars[i].name);
        snprintf(line, sizeof(line), "%s%s%s", unit_format(unit, bars[i].value, text, sizeof(text)),
                 bars[i].note ? ", " : "", bars[i].note ? bars[i].note : "");
        svg_label(f, fr.width - fr.right, y + 12, "end", "strong", line);
        fprintf(f,
                "<rect class=\"track\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"8\" "
                "rx=\"2\"/>\n<rect class=\"f1\" x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" "
                "height=\"8\" rx=\"2\" data-key=\"",
                fr.x.from, y + 17, fr.x.to - fr.x.from, fr.x.from, y + 17,
                RF_MAX(x - fr.x.from, 1.0));
        html_text(f, bars[i].key);
        fprintf(f, "\" data-value=\"%.17g\">", bars[i].value);
        svg_title(f, "%s: %s", bars[i].name, line);
        fputs("</rect>\n", f);
    }
    frame_end(f);
    figure_end(f, false);
}
