/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a comparison with recorded kernels. */
#include "html/reports.h"

#include <math.h>
#include <stdlib.h>

/* The matrix of one kernel: judged counters that any of its cases has, by case. */
struct errors {
    const json_t **cases;
    const char **case_names, **counters;
    size_t nr_cases, nr_counters;
};

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool judged(const json_t *row) {
    return json_is_true(json_object_get(row, "judged"));
}

static void errors_free(struct errors *e) {
    free(e->cases);
    free(e->case_names);
    free(e->counters);
}

/* Of the kernel's cases those whose names begin with the kind; NULL: all. */
static bool errors_read(struct errors *e, const json_t *result, const char *kernel,
                        const char *kind, size_t skip, size_t most) {
    const json_t *cases = json_object_get(result, "cases"), *c;
    size_t n = json_array_size(cases), rows = 0, i;

    *e = (struct errors){0};
    json_array_foreach(cases, i, c) {
        rows += json_object_size(json_object_get(c, "counters"));
    }
    e->cases = calloc(n + 1, sizeof(*e->cases));
    e->case_names = calloc(n + 1, sizeof(*e->case_names));
    e->counters = calloc(rows + 1, sizeof(*e->counters));
    if (!e->cases || !e->case_names || !e->counters)
        return false;
    json_array_foreach(cases, i, c) {
        const char *name;
        json_t *row;
        size_t before = e->nr_counters;

        if (strcmp(json_text_of(c, "kernel"), kernel) != 0 || e->nr_cases == most)
            continue;
        if (kind && (strncmp(json_text_of(c, "case"), kind, strlen(kind)) != 0 ||
                     json_text_of(c, "case")[strlen(kind)] != '_'))
            continue;
        json_object_foreach(json_object_get(c, "counters"), name, row) {
            if (judged(row))
                e->counters[e->nr_counters++] = name;
        }
        if (e->nr_counters == before)
            continue;
        if (skip) {
            skip--;
            e->nr_counters = before;
            continue;
        }
        e->cases[e->nr_cases] = c;
        e->case_names[e->nr_cases++] = json_text_of(c, "case");
    }
    if (e->nr_counters) {
        size_t kept = 1;

        qsort(e->counters, e->nr_counters, sizeof(*e->counters), by_text);
        for (i = 1; i < e->nr_counters; i++) {
            if (strcmp(e->counters[i], e->counters[kept - 1]) != 0)
                e->counters[kept++] = e->counters[i];
        }
        e->nr_counters = kept;
    }
    return true;
}

/* Steps of the colours, in percent. */
static const double steps[] = {0, 0.1, 0.5, 1, 2, 5};

static void error_cell(void *ctx, size_t x, size_t y, struct matrix_cell *out) {
    const struct errors *e = ctx;
    const json_t *row = json_object_get(json_object_get(e->cases[x], "counters"), e->counters[y]);
    const json_t *band = json_object_get(row, "kernel");
    double error = json_number_of(row, "error", 0) * 100;

    if (!row || !judged(row))
        return;
    out->value = error;
    out->key = e->counters[y];
    out->level = 1;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        out->level += error > steps[i];
    snprintf(out->title, sizeof(out->title),
             "%s %s: kernel %lld to %lld, refault %lld, error %.2f %%", e->case_names[x],
             e->counters[y], (long long)json_integer_value(json_array_get(band, 0)),
             (long long)json_integer_value(json_array_get(band, 2)),
             (long long)json_integer_value(json_object_get(row, "refault")), error);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* All judged errors of a kernel in ascending order: what share of the counters is how good. */
static void distribution(struct page *p, const struct errors *e, const char *kernel,
                         size_t number) {
    size_t room = e->nr_cases * e->nr_counters, n = 0, shown = 0;
    double *errors = calloc(room + 1, sizeof(*errors)), x[100], y[100];
    char id[32], title[96];

    if (!errors) {
        p->failed = true;
        return;
    }
    for (size_t c = 0; c < e->nr_cases; c++) {
        for (size_t k = 0; k < e->nr_counters; k++) {
            const json_t *row =
                json_object_get(json_object_get(e->cases[c], "counters"), e->counters[k]);

            if (row && judged(row))
                errors[n++] = json_number_of(row, "error", 0) * 100;
        }
    }
    if (n) {
        qsort(errors, n, sizeof(*errors), by_value);
        /* Nearest rank, as in the summary. */
        for (size_t q = 0; q < 100; q++) {
            size_t rank = (n * q + 99) / 100;

            x[shown] = (double)q;
            y[shown++] = errors[rank ? rank - 1 : 0];
        }
    }
    snprintf(id, sizeof(id), "quantiles%zu", number);
    snprintf(title, sizeof(title), "Errors in ascending order, kernel %s", kernel);
    {
        struct line_chart c = {.id = id,
                               .title = title,
                               .note = "At 90 % stands the error that nine in ten judged counters "
                                       "do not exceed. The last hundredth is left out.",
                               .x_unit = UNIT_PERCENT,
                               .y_unit = UNIT_PERCENT,
                               .x_title = "share of the judged counters",
                               .y_title = "error",
                               .x = x,
                               .n = shown,
                               .lines = {{.name = "error", .y = y}},
                               .nr = 1};

        chart_lines(p, &c);
    }
    free(errors);
}

static int by_length(const void *a, const void *b) {
    const struct bar *x = a, *y = b;

    return x->value > y->value ? -1 : x->value < y->value;
}

static void worst_bars(struct page *p, const struct errors *e, size_t number) {
    struct bar *bars = calloc(e->nr_counters + 1, sizeof(*bars));
    size_t n = 0;
    char id[32];

    if (!bars) {
        p->failed = true;
        return;
    }
    for (size_t k = 0; k < e->nr_counters; k++) {
        bars[k] = (struct bar){.name = e->counters[k], .key = e->counters[k]};
        for (size_t c = 0; c < e->nr_cases; c++) {
            const json_t *row =
                json_object_get(json_object_get(e->cases[c], "counters"), e->counters[k]);

            if (row && judged(row) && json_number_of(row, "error", 0) * 100 > bars[k].value) {
                bars[k].value = json_number_of(row, "error", 0) * 100;
                bars[k].note = e->case_names[c];
            }
        }
    }
    snprintf(id, sizeof(id), "worst%zu", number);
    qsort(bars, e->nr_counters, sizeof(*bars), by_length);
    while (n < e->nr_counters && n < 12 && bars[n].value > 0)
        n++;
    chart_bars(p, id, "Worst errors", "The counters with the largest errors, and the case of each.",
               UNIT_PERCENT, bars, n);
    free(bars);
}

/* Cases side by side in one matrix. */
#define MAX_CASES 32u

static void matrix(struct page *p, struct errors *e, const char *title, size_t number) {
    char id[32], text[96];
    struct matrix m = {.id = id,
                       .title = text,
                       .note = "Colours change at 0, 0.1, 0.5, 1, 2 and 5 %. What has none is not "
                               "judged.",
                       .x_title = "case",
                       .y_title = "counter",
                       .low = "exact",
                       .high = "above 5 %",
                       .nx = e->nr_cases,
                       .ny = e->nr_counters,
                       .x_names = e->case_names,
                       .y_names = e->counters,
                       .wide = true,
                       .cell = error_cell,
                       .ctx = e};

    snprintf(id, sizeof(id), "errors%zu", number);
    snprintf(text, sizeof(text), "Errors by counter and case: %s", title);
    chart_matrix(p, &m);
}

static void kernel_section(struct page *p, const json_t *result, const char *kernel,
                           const json_t *summary, size_t number) {
    static const struct {
        const char *kind, *title;
    } kinds[] = {{"disk", "swap on a disk"},
                 {"zswap", "zswap"},
                 {"zram", "swap on zram"},
                 {"zr", "scripts on a zram device"}};
    struct errors e;
    char id[32], title[96];

    if (!errors_read(&e, result, kernel, NULL, 0, SIZE_MAX)) {
        p->failed = true;
        errors_free(&e);
        return;
    }
    snprintf(id, sizeof(id), "kernel%zu", number);
    snprintf(title, sizeof(title), "Kernel %s", kernel);
    page_section(p, id, title);
    fprintf(p->f,
            "<p class=\"verdict %s\">%s: %.0f cases, median %.2f %%, 90th percentile %.2f %%, "
            "worst bounded %.2f %%.</p>\n",
            json_is_true(json_object_get(summary, "passed")) ? "pass" : "fail",
            json_is_true(json_object_get(summary, "passed")) ? "Passed" : "Failed",
            json_number_of(summary, "cases", 0), json_number_of(summary, "median", 0) * 100,
            json_number_of(summary, "p90", 0) * 100, json_number_of(summary, "worst", 0) * 100);
    distribution(p, &e, kernel, number);
    worst_bars(p, &e, number);
    errors_free(&e);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (size_t done = 0;; done += MAX_CASES) {
            bool ok = errors_read(&e, result, kernel, kinds[k].kind, done, MAX_CASES);
            size_t n = e.nr_cases;

            p->failed |= !ok;
            if (ok && n)
                matrix(p, &e, kinds[k].title, number * 100 + k * 10 + done / MAX_CASES);
            errors_free(&e);
            if (!ok || n < MAX_CASES)
                break;
        }
    }
    page_section_end(p);
}

int html_validate(FILE *f, const json_t *result, struct rf_err *err) {
    json_t *data = json_deep_copy(result), *summary;
    const char *kernel;
    struct page p;
    size_t n = 0, i;
    json_t *c;

    /* What is counted along the traces makes most of the size, and is not shown. */
    json_array_foreach(json_object_get(data, "cases"), i, c) {
        json_object_del(c, "checkpoints");
    }
    page_begin(
        &p, f, "Comparison with recorded kernels",
        "The error of a counter is its distance from what the kernel's own repetitions gave.",
        data);
    json_object_foreach(json_object_get(result, "summary"), kernel, summary) {
        kernel_section(&p, result, kernel, summary, ++n);
    }
    return page_end(&p, err);
}
