/* SPDX-License-Identifier: Apache-2.0 */
/* The page of results side by side. */
#include "html/reports.h"

#include <math.h>
#include <stdlib.h>

#define MOST_CHARTS 24u

static const char *run_name(const json_t *result, size_t i) {
    return json_text_of(json_array_get(json_object_get(result, "runs"), i), "name");
}

static enum unit unit_of(const json_t *value) {
    return unit_by_name(json_text_of(value, "unit"));
}

/* A bar for each run, with its ratio to the first. */
static void bars(struct page *p, const json_t *result, const json_t *value, size_t number) {
    const json_t *values = json_object_get(value, "values"),
                 *ratios = json_object_get(value, "ratios");
    size_t n = json_array_size(values), nr = 0;
    struct bar *b = calloc(n + 1, sizeof(*b));
    char(*notes)[48] = calloc(n + 1, sizeof(*notes));
    char id[32];

    snprintf(id, sizeof(id), "bars%zu", number);
    for (size_t i = 0; b && notes && i < n; i++) {
        const json_t *v = json_array_get(values, i),
                     *ratio = i ? json_array_get(ratios, i - 1) : NULL;

        if (!json_is_number(v))
            continue;
        if (json_is_number(ratio))
            snprintf(notes[i], sizeof(notes[i]), "x %.3g", json_number_value(ratio));
        b[nr++] = (struct bar){.name = run_name(result, i),
                               .key = json_text_of(value, "name"),
                               .value = json_number_value(v),
                               .note = json_is_number(ratio) ? notes[i] : NULL};
    }
    p->failed |= !b || !notes;
    if (nr)
        chart_bars(p, id, json_text_of(value, "name"), NULL, unit_of(value), b, nr);
    free(b);
    free(notes);
}

static void knobs(struct page *p, const json_t *result, size_t runs, const char **titles,
                  struct table_cell *cells) {
    const json_t *texts;
    const char *key;

    page_section(p, "knobs", "Knobs that differ");
    fputs("<div class=\"wide\">", p->f);
    titles[0] = "knob";
    for (size_t i = 0; i < runs; i++)
        titles[i + 1] = run_name(result, i);
    table_begin(p, "differ", titles, runs + 1);
    json_object_foreach((json_t *)(uintptr_t)json_object_get(result, "knobs"), key, texts) {
        cells[0] = (struct table_cell){.text = key, .value = NAN};
        for (size_t i = 0; i < runs; i++)
            cells[i + 1] = (struct table_cell){.text = json_string_value(json_array_get(texts, i)),
                                               .value = NAN};
        table_row(p, cells, runs + 1);
    }
    table_end(p);
    fputs("</div>\n", p->f);
    page_section_end(p);
}

/* Whether a value of the same kind before it has the same numbers. */
static bool repeated(const json_t *values, size_t at) {
    const json_t *v = json_array_get(values, at);

    for (size_t i = 0; i < at; i++) {
        const json_t *w = json_array_get(values, i);

        if (strcmp(json_text_of(w, "kind"), json_text_of(v, "kind")) == 0 &&
            json_equal(json_object_get(w, "values"), json_object_get(v, "values")))
            return true;
    }
    return false;
}

/* What differs: charts for the times and the counters that explain most. */
static void charts(struct page *p, const json_t *result, const char *kind, const char *title) {
    const json_t *values = json_object_get(result, "values"), *v;
    size_t i, n = 0;

    page_section(p, kind, title);
    json_array_foreach(values, i, v) {
        if (n < MOST_CHARTS / 2 && strcmp(json_text_of(v, "kind"), kind) == 0 &&
            json_is_true(json_object_get(v, "differs")) && !repeated(values, i)) {
            bars(p, result, v, i);
            n++;
        }
    }
    if (!n)
        fputs("<p class=\"wide\">No difference.</p>\n", p->f);
    page_section_end(p);
}

static void all_values(struct page *p, const json_t *result, size_t runs, const char **titles,
                       struct table_cell *cells) {
    const json_t *values = json_object_get(result, "values"), *v;
    char(*texts)[48] = calloc(2 * runs + 1, sizeof(*texts));
    char(*heads)[80] = calloc(runs + 1, sizeof(*heads));
    size_t i;

    if (!texts || !heads) {
        p->failed = true;
        goto out;
    }
    page_section(p, "values", "All values");
    fputs("<div class=\"wide\">", p->f);
    titles[0] = "value";
    for (i = 0; i < runs; i++) {
        titles[i + 1] = run_name(result, i);
        snprintf(heads[i], sizeof(heads[i]), "ratio of %.64s", run_name(result, i));
        titles[runs + i] = i ? heads[i] : titles[runs];
    }
    table_begin(p, "all", titles, 2 * runs);
    json_array_foreach(values, i, v) {
        cells[0] = (struct table_cell){.text = json_text_of(v, "name"), .value = NAN};
        for (size_t r = 0; r < runs; r++) {
            const json_t *number = json_array_get(json_object_get(v, "values"), r),
                         *ratio = r ? json_array_get(json_object_get(v, "ratios"), r - 1) : NULL;
            double value = json_is_number(number) ? json_number_value(number) : NAN;

            if (isnan(value))
                snprintf(texts[r], sizeof(texts[r]), "-");
            else
                unit_format(unit_of(v), value, texts[r], sizeof(texts[r]));
            cells[r + 1] = (struct table_cell){
                .text = texts[r], .key = json_text_of(v, "name"), .value = value};
            if (!r)
                continue;
            value = json_is_number(ratio) ? json_number_value(ratio) : NAN;
            if (isnan(value))
                snprintf(texts[runs + r], sizeof(texts[r]), "-");
            else
                snprintf(texts[runs + r], sizeof(texts[r]), "%.3g", value);
            cells[runs + r] = (struct table_cell){.text = texts[runs + r], .value = value};
        }
        table_row(p, cells, 2 * runs);
    }
    table_end(p);
    fputs("</div>\n", p->f);
    page_section_end(p);
out:
    free(texts);
    free(heads);
}

int html_compare(FILE *f, const json_t *result, struct rf_err *err) {
    size_t runs = json_array_size(json_object_get(result, "runs"));
    const char **titles = calloc(2 * runs + 2, sizeof(*titles));
    struct table_cell *cells = calloc(2 * runs + 2, sizeof(*cells));
    json_t *data = json_object();
    struct page p;
    int rc = RF_OK;

    if (!titles || !cells) {
        json_decref(data);
        rc = rf_fail(err, RF_ENOMEM, "no memory for the report");
        goto out;
    }
    json_object_set(data, "result", (json_t *)(uintptr_t)result);
    page_begin(&p, f, "Results side by side",
               json_is_true(json_object_get(result, "same_trace"))
                   ? "All over the same trace. Ratios are to the first result."
                   : "Of different traces. Ratios are to the first result.",
               data);
    knobs(&p, result, runs, titles, cells);
    charts(&p, result, "time", "Times that differ most");
    charts(&p, result, "counters", "Counters that differ most");
    all_values(&p, result, runs, titles, cells);
    rc = page_end(&p, err);
out:
    free(titles);
    free(cells);
    return rc;
}
