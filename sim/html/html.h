/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html: reports as one self-contained page. A page is a head with the style and script of
 * sim/html/assets, sections of figures (inline SVG, one file a kind of chart) and tables, and its
 * data as JSON. Nothing is loaded from anywhere, and every text that comes from a trace, a knob or
 * a file name goes through html_text().
 */
#ifndef SIM_HTML_HTML_H
#define SIM_HTML_HTML_H

#include <jansson.h>
#include <stdio.h>
#include "refault/base.h"

/* Made by cmake from the files in assets/. */
extern const char html_style[], html_script[];

struct page {
    FILE *f;
    json_t *data; /* what the page holds as JSON; "charts" is what the script reads */
    bool failed;  /* out of memory */
};

/* Text with & < > and quotes escaped: for content and for attributes in quotes. Bytes that are no
 * valid UTF-8 and control characters become U+FFFD. */
void html_text(FILE *f, const char *text);

/* Begins a page. data is taken over; NULL counts as out of memory. */
void page_begin(struct page *p, FILE *f, const char *title, const char *subtitle, json_t *data);
/* A titled section; id is its address and stands in the navigation made by the script. */
void page_section(struct page *p, const char *id, const char *title);
void page_section_end(struct page *p);
/* Writes the data and ends the page. RF_ENOMEM. */
int page_end(struct page *p, struct rf_err *err) RF_MUST_CHECK;
/* What the script needs for the readout of a chart; takes the reference. */
void page_chart_data(struct page *p, const char *id, json_t *chart);

/* A member of an object that holds a text ("" if there is none) or a number. */
const char *json_text_of(const json_t *o, const char *key);
double json_number_of(const json_t *o, const char *key, double otherwise);

/* ---- units ---- */
enum unit { UNIT_COUNT, UNIT_BYTES, UNIT_TIME, UNIT_PERCENT, UNIT_PER_SECOND, UNIT_PLAIN };
/* "count", "bytes", ...: the script's names. */
const char *unit_name(enum unit u);
/* The way back; UNIT_COUNT for what is none. */
enum unit unit_by_name(const char *name);
/* How an axis up to max is written: values are divided by `by`, `label` stands beside the axis. */
struct unit_scale {
    double by;
    const char *label;
};
struct unit_scale unit_scale_for(enum unit u, double max);
/* One value for people, with its unit; returns buf. */
const char *unit_format(enum unit u, double v, char *buf, size_t size);

/* ---- axes ---- */
struct scale {
    double lo, hi;   /* of the data */
    double from, to; /* on the paper */
    bool log;
};
double scale_at(const struct scale *s, double v);
#define MAX_TICKS 24
/* Round values within [lo, hi]: steps of 1, 2 or 5 times a power of ten (of two for bytes), or the
 * powers of ten of a log scale. Returns their number. */
size_t scale_ticks(const struct scale *s, unsigned want, bool binary, double out[MAX_TICKS]);
/* Extends [0, max] to a round end. */
double scale_round_up(double max, unsigned want, bool binary);

/* ---- figures ---- */
/* The paper: sizes in SVG units. x and y hold the ranges of the data; frame_begin() adds the
 * places on the paper. */
struct frame {
    double width, height, left, right, top, bottom;
    struct scale x, y;
};
/* Opens <figure> with its heading and note (may be NULL); wide ones span the page. */
void figure_begin(FILE *f, const char *id, const char *title, const char *note, bool wide);
struct legend_item {
    const char *name, *style; /* style: class of the swatch */
};
void figure_legend(FILE *f, const struct legend_item *items, size_t n);
/* Opens the SVG of the figure; what describes it in words is for screen readers. interactive: the
 * script follows the pointer and the arrow keys. */
void frame_begin(FILE *f, struct frame *p, const char *id, const char *description,
                 bool interactive);
/* Grid lines, tick labels and the title of an axis. */
void frame_axis_x(FILE *f, const struct frame *p, enum unit u, const char *title);
/* Names at 0, 1, ... n - 1; as many as there is room for. */
void frame_axis_names(FILE *f, const struct frame *p, const char *const *names, size_t n,
                      const char *title);
void frame_axis_y(FILE *f, const struct frame *p, enum unit u, const char *title);
void frame_end(FILE *f);
/* Closes the figure; interactive ones get a line for the readout. */
void figure_end(FILE *f, bool interactive);
/* A text at a place; anchor is start, middle or end. */
void svg_label(FILE *f, double x, double y, const char *anchor, const char *style,
               const char *text);
/* <title> for hovering. */
void svg_title(FILE *f, const char *fmt, ...) RF_PRINTF(2, 3);

#endif
