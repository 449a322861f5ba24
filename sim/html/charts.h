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
    const double *x;            /* ascending */
    const char *const *x_names; /* of the values, in place of numbers; NULL = numbers */
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

/* ---- matrix.c: a value for each pair, as colour ---- */
struct matrix_cell {
    double value;
    unsigned level;  /* 1 (little) to 7, 0 = nothing there */
    char text[48];   /* in the cell if there is room */
    char title[256]; /* shown on hovering */
    const char *key; /* data-key, or NULL */
};
struct matrix {
    const char *id, *title, *note, *x_title, *y_title;
    const char *low, *high; /* what the ends of the colours mean */
    size_t nx, ny;
    const char *const *x_names, *const *y_names; /* y: the first is on top */
    bool wide;
    void (*cell)(void *ctx, size_t x, size_t y, struct matrix_cell *out);
    void *ctx;
};
void chart_matrix(struct page *p, const struct matrix *m);

/* ---- scatter.c: two values of each point, and the points that no other one beats ---- */
struct scatter_point {
    double x, y;
    char title[256];
    bool front; /* set by chart_scatter(): none is lower in one and not higher in the other */
};
struct scatter {
    const char *id, *title, *note, *x_title, *y_title;
    enum unit x_unit, y_unit;
    struct scatter_point *points;
    size_t n;
};
void chart_scatter(struct page *p, struct scatter *s);

/* ---- bands.c: figures against the ranges in which they must lie, each row on its own scale ----
 */
struct band_row {
    const char *id, *what;
    double value, low, high; /* bounds may be infinite */
    double least, most;      /* of several runs; both are value if there is one */
    unsigned decimals;
    bool pass;
    bool judged; /* else what it says of the range is all that there is to say */
};
void chart_bands(struct page *p, const char *id, const char *title, const char *note,
                 const struct band_row *rows, size_t n);

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
