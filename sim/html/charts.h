/* SPDX-License-Identifier: Apache-2.0 */
/*
 * charts: one function a kind of chart. Each writes a whole figure and gives the page the data
 * that its readout needs. Colours are the classes c1 to c7 (different also for the colour-blind),
 * h1 to h7 (little to much).
 */
#ifndef SIM_HTML_CHARTS_H
#define SIM_HTML_CHARTS_H

#include "html/html.h"

/* ---- lines.c: values over one axis ---- */
struct line {
    const char *name;
    const double *y; /* n values; NaN leaves a gap */
    bool dashed;
};
#define MAX_LINES 7
struct line_chart {
    const char *id, *title, *note;
    enum unit x_unit, y_unit;
    const char *x_title, *y_title;
    const double *x; /* ascending */
    size_t n;
    struct line lines[MAX_LINES];
    size_t nr;
    bool stacked; /* areas upon each other */
    bool steps;   /* y[i] holds from x[i - 1] to x[i]: rates */
    bool marks;   /* a dot at each value */
    bool log_x;
};
void chart_lines(struct page *p, const struct line_chart *c);

/* ---- bars.c: named amounts, the bars lying ---- */
struct bar {
    const char *name, *key; /* key: what the value is called in the JSON result */
    double value;
    const char *note; /* behind the value, or NULL */
};
void chart_bars(struct page *p, const char *id, const char *title, const char *note, enum unit unit,
                const struct bar *bars, size_t n);

/* ---- latency.c: distributions, one a row, on one logarithmic axis of time ---- */
struct latency {
    const char *name;
    const struct rf_hist *hist;
};
void chart_latency(struct page *p, const char *id, const char *title, const char *note,
                   const struct latency *rows, size_t n);

/* ---- stacks.c: standing bars at places of an axis, two parts each ---- */
struct stack {
    double x, width; /* of the bar, in the axis' unit */
    double lower, upper;
    char title[160]; /* shown on hovering */
};
struct stack_chart {
    const char *id, *title, *note;
    enum unit x_unit, y_unit;
    const char *x_title, *y_title, *lower_name, *upper_name;
    double x_max;
    const struct stack *stacks;
    size_t n;
};
void chart_stacks(struct page *p, const struct stack_chart *c);

/* ---- tables.c ---- */
struct table_cell {
    const char *text; /* what is shown */
    const char *key;  /* data-key, or NULL */
    double value;     /* data-value: what is sorted by; NaN = sort by the text */
};
/* A table that can be sorted by any column (buttons in the header). */
void table_begin(struct page *p, const char *id, const char *const *columns, size_t n);
void table_row(struct page *p, const struct table_cell *cells, size_t n);
void table_end(struct page *p);

#endif
