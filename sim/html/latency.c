/* SPDX-License-Identifier: Apache-2.0 */
#include "html/charts.h"

#include <math.h>

#include "config/value.h"

#define ROW 46.0
/* Bars a power of two: the histograms have 16 buckets each, bars of 2 of them. */
#define PER_BAR 2u

/* Lower bound of a bucket of struct rf_hist. */
static double bucket_from(unsigned b) {
    return b < 16 ? b : ldexp(b % 16 + 16.0, (int)(b / 16) - 1);
}

static void draw_bars(FILE *f, const struct frame *fr, double base, const struct rf_hist *h) {
    uint64_t most = 1;

    for (unsigned b = 0; b < RF_HIST_BUCKETS; b += PER_BAR) {
        uint64_t n = 0;

        for (unsigned k = 0; k < PER_BAR; k++)
            n += h->bucket[b + k];
        most = RF_MAX(most, n);
    }
    fputs("<path class=\"f1\" d=\"", f);
    for (unsigned b = 0; b < RF_HIST_BUCKETS; b += PER_BAR) {
        uint64_t n = 0;
        double x0, x1, height;

        for (unsigned k = 0; k < PER_BAR; k++)
            n += h->bucket[b + k];
        if (!n)
            continue;
        x0 = scale_at(&fr->x, RF_MAX(bucket_from(b), fr->x.lo));
        x1 = scale_at(&fr->x, bucket_from(b + PER_BAR));
        /* The root of the share: rare slow faults stay visible beside the usual ones. */
        height = RF_MAX((ROW - 18) * sqrt((double)n / (double)most), 1.0);
        fprintf(f, "M%.1f %.1fV%.1fH%.1fV%.1fZ", x0, base, base - height, RF_MAX(x1, x0 + 1.2),
                base);
    }
    fputs("\"/>\n", f);
}

static void draw_row(FILE *f, const struct frame *fr, double base, const struct latency *row) {
    static const struct {
        const char *name, *key;
        double q;
    } marks[] = {{"p50", "p50_ns", 0.5}, {"p99", "p99_ns", 0.99}};
    const struct rf_hist *h = row->hist;
    char a[48], b[48], c[48], text[96];

    fputs("<g>", f);
    svg_title(f, "%s: %llu faults, median %s, p99 %s, max %s", row->name, (unsigned long long)h->n,
              value_format_time(rf_hist_quantile(h, 0.5), a, sizeof(a)),
              value_format_time(rf_hist_quantile(h, 0.99), b, sizeof(b)),
              value_format_time(h->max, c, sizeof(c)));
    fprintf(f, "<rect class=\"hit\" x=\"0\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\"/>\n",
            base - ROW + 2, fr->width, ROW - 2);
    svg_label(f, 2, base - 16, "start", "strong",
              strncmp(row->name, "fault.", 6) == 0 ? row->name + 6 : row->name);
    snprintf(text, sizeof(text), "%llu", (unsigned long long)h->n);
    svg_label(f, 2, base - 2, "start", NULL, text);
    draw_bars(f, fr, base, h);
    fprintf(f, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>\n", fr->x.from, base, fr->x.to);
    for (size_t i = 0; i < 2; i++) {
        uint64_t v = rf_hist_quantile(h, marks[i].q);
        double x = scale_at(&fr->x, RF_MAX((double)v, fr->x.lo));

        fprintf(f, "<path class=\"mark%s\" d=\"M%.1f %.1fV%.1f\" data-key=\"", i ? " m2" : "", x,
                base, base - ROW + 12);
        html_text(f, row->name);
        fprintf(f, ".%s\" data-value=\"%llu\"/>\n", marks[i].key, (unsigned long long)v);
    }
    fputs("</g>\n", f);
}

void chart_latency(struct page *p, const char *id, const char *title, const char *note,
                   const struct latency *rows, size_t n) {
    static const struct legend_item items[] = {
        {"faults (height: root of the share)", "b1"}, {"median", "bm"}, {"99th percentile", "bm2"}};
    struct frame fr = {.width = 480, .left = 76, .right = 24, .top = 6, .bottom = 42};
    FILE *f = p->f;
    char about[256];

    fr.x = (struct scale){.lo = 1e18, .hi = 0, .log = true};
    for (size_t i = 0; i < n; i++) {
        const struct rf_hist *h = rows[i].hist;
        double least = 0;

        for (unsigned b = 0; b < RF_HIST_BUCKETS; b++) {
            if (h->bucket[b]) {
                least = bucket_from(b);
                break;
            }
        }
        fr.x.lo = RF_MIN(fr.x.lo, RF_MAX(least, 1.0));
        fr.x.hi = RF_MAX(fr.x.hi, (double)h->max);
    }
    if (n == 0)
        return;
    fr.x.lo = pow(10, floor(log10(fr.x.lo)));
    fr.x.hi = RF_MAX(pow(10, ceil(log10(RF_MAX(fr.x.hi, 1.0)))), fr.x.lo * 10);
    fr.height = fr.top + fr.bottom + ROW * (double)n;
    figure_begin(f, id, title, note, false);
    figure_legend(f, items, 3);
    snprintf(about, sizeof(about), "Histograms: %s, by kind of fault", title);
    frame_begin(f, &fr, id, about, false);
    frame_axis_x(f, &fr, UNIT_TIME, "latency");
    for (size_t i = 0; i < n; i++)
        draw_row(f, &fr, fr.top + ROW * (double)(i + 1), &rows[i]);
    frame_end(f);
    figure_end(f, false);
}
