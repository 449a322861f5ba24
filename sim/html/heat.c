/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses over address and time, with the share of resident pages under them. */
#include "html/reports.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/report.h"

#define LEVELS 6u

struct map {
    FILE *f;
    const struct activity *a;
    struct frame fr;
    uint32_t most; /* accesses of the busiest cell */
};

static uint32_t accesses_at(const struct map *m, uint32_t column, uint32_t row) {
    return m->a->accesses[(size_t)column * m->a->rows + row];
}

/* 0 = none, 1..LEVELS by the logarithm. */
static unsigned access_level(const struct map *m, uint32_t column, uint32_t row) {
    uint32_t n = accesses_at(m, column, row);

    if (!n)
        return 0;
    if (m->most <= 1)
        return LEVELS;
    return 1 + (unsigned)(log2(n) / log2(m->most) * (LEVELS - 1) + 0.5);
}

/* 0 = no page in use, 1 = all in swap (almost), 2..4 = thirds that are resident. */
static unsigned residency_level(const struct map *m, uint32_t column, uint32_t row) {
    uint8_t percent = m->a->resident[(size_t)column * m->a->rows + row];

    if (percent == ACTIVITY_UNUSED)
        return 0;
    return percent < 5 ? 1 : percent < 35 ? 2 : percent < 70 ? 3 : 4;
}

/* One path: the cells of one level, runs along a row in one piece. Cells are units of the paper
 * here, row 0 is at the bottom. */
static void draw_level(const struct map *m, unsigned level,
                       unsigned (*level_of)(const struct map *m, uint32_t column, uint32_t row),
                       const char *style, const char *height) {
    uint32_t columns = RF_MIN(m->a->columns, m->a->taken ? m->a->taken - 1 : 0);

    fprintf(m->f, "<path class=\"%s%u\" d=\"", style, level);
    for (uint32_t row = 0; row < m->a->rows; row++) {
        for (uint32_t c = 0, from; c < columns; c++) {
            if (level_of(m, c, row) != level)
                continue;
            from = c;
            while (c < columns && level_of(m, c, row) == level)
                c++;
            fprintf(m->f, "M%u %uh%uv%sh-%uz", from, m->a->rows - 1 - row, c - from, height,
                    c - from);
        }
    }
    fputs("\"/>\n", m->f);
}

static void draw_cells(const struct map *m) {
    const struct scale *x = &m->fr.x, *y = &m->fr.y;

    fprintf(m->f, "<g transform=\"translate(%.1f %.1f) scale(%.5f %.5f)\">\n<g class=\"lr\">\n",
            x->from, y->to, (x->to - x->from) / m->a->columns, (y->from - y->to) / m->a->rows);
    for (unsigned l = 1; l <= 4; l++)
        draw_level(m, l, residency_level, "r", "1");
    fputs("</g>\n<g class=\"la\" transform=\"translate(0 .2)\">\n", m->f);
    for (unsigned l = 1; l <= LEVELS; l++)
        draw_level(m, l, access_level, "h", ".6");
    fputs("</g>\n</g>\n", m->f);
}

/* Accesses below, simulated time above: columns hold equally many accesses, not equal times. */
static void draw_x(const struct map *m) {
    const struct series *s = &m->a->series;
    size_t width = s->columns.n + 2, n;
    struct scale time = {.lo = 0, .hi = 1};
    double ticks[MAX_TICKS];
    struct unit_scale us;
    char text[64];

    frame_axis_x(m->f, &m->fr, UNIT_COUNT, "accesses");
    if (s->nr < 2)
        return;
    time.hi = (double)s->rows[(s->nr - 1) * width];
    us = unit_scale_for(UNIT_TIME, time.hi);
    n = scale_ticks(&time, 7, false, ticks);
    for (size_t i = 0, k = 0; i < n; i++) {
        double from, to, op, x;

        while (k + 2 < s->nr && (double)s->rows[(k + 1) * width] < ticks[i])
            k++;
        from = (double)s->rows[k * width];
        to = (double)s->rows[(k + 1) * width];
        op = (double)s->rows[k * width + 1];
        if (to > from)
            op += ((double)s->rows[(k + 1) * width + 1] - op) * (ticks[i] - from) / (to - from);
        x = scale_at(&m->fr.x, op);
        fprintf(m->f, "<path class=\"axis\" d=\"M%.1f %.1fv-4\"/>\n", x, m->fr.y.to);
        if (i + 1 < n)
            snprintf(text, sizeof(text), "%g", ticks[i] / us.by);
        else
            snprintf(text, sizeof(text), "%g %s", ticks[i] / us.by, us.label);
        svg_label(m->f, x, m->fr.y.to - 8, "middle", NULL, text);
    }
}

static const char *process_name(const struct activity *a, uint32_t pid, char *buf, size_t size) {
    if (pid < a->processes && a->process[pid][0])
        snprintf(buf, size, "%s", a->process[pid]);
    else
        snprintf(buf, size, "process %u", pid);
    return buf;
}

/* Where the pages of another process begin, and its name where there is room for it. */
static void draw_processes(const struct map *m) {
    const struct activity *a = m->a;
    char name[64];

    for (uint32_t row = 0, end; row < a->rows; row = end) {
        uint32_t pid = a->origin[row].pid;
        double y0, y1;

        for (end = row + 1;
             end < a->rows && (a->origin[end].pid == pid || a->origin[end].pid == RF_NONE); end++)
            ;
        y0 = scale_at(&m->fr.y, (double)row * a->ids_per_row * RF_PAGE_SIZE);
        y1 = scale_at(&m->fr.y, (double)end * a->ids_per_row * RF_PAGE_SIZE);
        if (row)
            fprintf(m->f, "<path class=\"parting\" d=\"M%.1f %.1fH%.1f\"/>\n", m->fr.x.from, y0,
                    m->fr.x.to + 6);
        if (pid != RF_NONE && y0 - y1 > 12)
            svg_label(m->f, m->fr.x.to + 6, (y0 + y1) / 2 + 4, "start", "pn",
                      process_name(a, pid, name, sizeof(name)));
    }
}

static json_t *heat_data(const struct activity *a) {
    const struct series *s = &a->series;
    size_t width = s->columns.n + 2, cells = (size_t)a->columns * a->rows;
    json_t *o = json_object(), *accesses = json_array(), *resident = json_array();
    json_t *rows = json_array(), *times = json_array(), *ops = json_array();
    char text[64], name[32];

    for (size_t i = 0; i < cells; i++) {
        json_array_append_new(accesses, json_integer(a->accesses[i]));
        json_array_append_new(
            resident, json_integer(a->resident[i] == ACTIVITY_UNUSED ? -1 : a->resident[i]));
    }
    for (uint32_t i = 0; i < a->rows; i++) {
        const struct activity_origin *r = &a->origin[i];

        if (r->pid == RF_NONE)
            snprintf(text, sizeof(text), "nothing mapped");
        else
            snprintf(text, sizeof(text), "%s 0x%" PRIx64,
                     process_name(a, r->pid, name, sizeof(name)), r->vpn * RF_PAGE_SIZE);
        json_array_append_new(rows, report_string(text));
    }
    for (size_t i = 0; i < s->nr; i++) {
        json_array_append_new(times, json_integer((json_int_t)s->rows[i * width]));
        json_array_append_new(ops, json_integer((json_int_t)s->rows[i * width + 1]));
    }
    json_object_set_new(o, "kind", json_string("heat"));
    json_object_set_new(o, "columns", json_integer(a->columns));
    json_object_set_new(o, "rows", json_integer(a->rows));
    json_object_set_new(o, "pages_per_row", json_integer(a->ids_per_row));
    json_object_set_new(o, "accesses", accesses);
    json_object_set_new(o, "resident_percent", resident);
    json_object_set_new(o, "row_names", rows);
    json_object_set_new(o, "times_ns", times);
    json_object_set_new(o, "ops", ops);
    return o;
}

void chart_activity(struct page *p, const struct activity *a) {
    static const struct legend_item items[] = {
        {"few accesses", "bh1"}, {"", "bh3"},           {"many (logarithmic)", "bh6"},
        {"resident", "br4"},     {"about half", "br3"}, {"few", "br2"},
        {"in swap", "br1"}};
    struct map m = {
        .f = p->f,
        .a = a,
        .fr = {.width = 820, .height = 470, .left = 62, .right = 86, .top = 50, .bottom = 56}};
    FILE *f = p->f;

    for (size_t i = 0; i < (size_t)a->columns * a->rows; i++)
        m.most = RF_MAX(m.most, a->accesses[i]);
    m.fr.x = (struct scale){.lo = 0, .hi = RF_MAX((double)a->ops, 1.0)};
    m.fr.y = (struct scale){.lo = 0, .hi = (double)a->rows * a->ids_per_row * RF_PAGE_SIZE};
    figure_begin(f, "accesses", "Accesses over address and time",
                 "Stripes are accesses, the ground behind them is what share of the pages in use "
                 "was resident. Addresses are packed: gaps of 2 MiB and more are left out.",
                 true);
    figure_legend(f, items, sizeof(items) / sizeof(items[0]));
    fputs("<p class=\"layers\"><label><input type=\"checkbox\" checked data-layer=\"la\"> "
          "accesses</label> <label><input type=\"checkbox\" checked data-layer=\"lr\"> "
          "residency</label></p>\n",
          f);
    frame_begin(f, &m.fr, "accesses",
                "Heat map: accesses over address and time, with residency. Arrow keys move over "
                "its cells.",
                true);
    frame_axis_y(f, &m.fr, UNIT_BYTES, "address");
    draw_x(&m);
    draw_cells(&m);
    draw_processes(&m);
    svg_label(f, (m.fr.x.from + m.fr.x.to) / 2, 18, "middle", "at", "simulated time");
    fputs("<path class=\"cursor\"/>\n", f);
    frame_end(f);
    figure_end(f, true);
    page_chart_data(p, "accesses", heat_data(a));
}
