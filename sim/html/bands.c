/* SPDX-License-Identifier: Apache-2.0 */
#include "html/charts.h"

#include <math.h>

#define ROW 44.0

/* The range that a row shows: the band and the values, with a margin. */
static struct scale row_scale(const struct frame *fr, const struct band_row *r) {
    double lo = RF_MIN(r->value, r->least), hi = RF_MAX(r->value, r->most), margin;

    if (isfinite(r->low)) {
        lo = RF_MIN(lo, r->low);
        hi = RF_MAX(hi, r->low);
    }
    if (isfinite(r->high)) {
        lo = RF_MIN(lo, r->high);
        hi = RF_MAX(hi, r->high);
    }
    margin = (hi - lo) * 0.15;
    /* An exact figure that is met has no extent of its own. */
    if (!(margin > 0))
        margin = fabs(hi) > 0 ? fabs(hi) * 0.1 : 1;
    return (struct scale){
        .lo = lo - margin, .hi = hi + margin, .from = fr->left, .to = fr->width - fr->right};
}

static void number(double v, unsigned decimals, char *buf, size_t size) {
    if (isfinite(v))
        snprintf(buf, size, "%.*f", (int)decimals, v);
    else
        snprintf(buf, size, "any");
}

static void draw_row(FILE *f, const struct frame *fr, double y, const struct band_row *r) {
    struct scale s = row_scale(fr, r);
    double low = isfinite(r->low) ? scale_at(&s, r->low) : s.from;
    double high = isfinite(r->high) ? scale_at(&s, r->high) : s.to;
    char value[48], from[48], to[48], band[112];

    number(r->value, r->decimals, value, sizeof(value));
    number(r->low, r->decimals, from, sizeof(from));
    number(r->high, r->decimals, to, sizeof(to));
    if (!isfinite(r->low))
        snprintf(band, sizeof(band), "published: at most %s", to);
    else if (!isfinite(r->high))
        snprintf(band, sizeof(band), "published: at least %s", from);
    else if (r->low == r->high)
        snprintf(band, sizeof(band), "published: %s", from);
    else
        snprintf(band, sizeof(band), "published: %s to %s", from, to);
    fputs("<g data-key=\"", f);
    html_text(f, r->id);
    fprintf(f, "\" data-value=\"%.17g\">", r->value);
    svg_title(f, "%s, %s: simulated %s, %s, %s", r->id, r->what, value, band,
              !r->judged ? "not judged"
              : r->pass  ? "holds"
                         : "does not hold");
    svg_label(f, 2, y + 13, "start", "strong", r->what);
    svg_label(f, fr->width - 2, y + 13, "end", r->pass ? NULL : "strong", band);
    svg_label(f, fr->width - 2, y + 31, "end", "strong", value);
    fprintf(f,
            "<rect class=\"track\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"10\"/>"
            "<rect class=\"band\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"10\"/>",
            s.from, y + 22, s.to - s.from, low, y + 22, RF_MAX(high - low, 2.0));
    if (r->least < r->most)
        fprintf(f, "<path class=\"whisker\" d=\"M%.1f %.1fH%.1f\"/>", scale_at(&s, r->least),
                y + 27, scale_at(&s, r->most));
    fprintf(f, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/></g>\n",
            r->pass ? "okdot" : "baddot", scale_at(&s, r->value), y + 27);
}

void chart_bands(struct page *p, const char *id, const char *title, const char *note,
                 const struct band_row *rows, size_t n) {
    static const struct legend_item items[] = {{"published range", "bb"},
                                               {"simulated, within", "b1"},
                                               {"simulated, outside", "b2"},
                                               {"range of the runs", "bm"}};
    struct frame fr = {.width = 820, .left = 2, .right = 110, .top = 2, .bottom = 4};
    FILE *f = p->f;
    char about[256];

    if (n == 0)
        return;
    fr.height = fr.top + fr.bottom + ROW * (double)n;
    figure_begin(f, id, title, note, true);
    figure_legend(f, items, sizeof(items) / sizeof(items[0]));
    snprintf(about, sizeof(about), "Published ranges and simulated values: %s", title);
    frame_begin(f, &fr, id, about, false);
    for (size_t i = 0; i < n; i++)
        draw_row(f, &fr, fr.top + ROW * (double)i, &rows[i]);
    frame_end(f);
    figure_end(f, false);
}
