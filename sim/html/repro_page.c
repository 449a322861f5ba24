/* SPDX-License-Identifier: Apache-2.0 */
/* The page of published experiments that were run again. */
#include "html/reports.h"

#include <math.h>
#include <stdlib.h>

/* Integers of the JSON are shown without decimals. */
static unsigned decimals_of(const json_t *criterion) {
    double v = json_number_of(criterion, "value", 0), low = json_number_of(criterion, "low", 0);

    if (!json_is_real(json_object_get(criterion, "value")))
        return 0;
    return fabs(v) < 10 && fabs(low) < 10 ? 3 : 1;
}

static void criteria_table(struct page *p, const struct band_row *rows, size_t n, size_t number) {
    static const char *const columns[] = {"criterion", "what",     "simulated", "least run",
                                          "most run",  "at least", "at most",   "judged"};
    char id[32], text[5][48];

    snprintf(id, sizeof(id), "criteria%zu", number);
    fputs("<details class=\"wide\" open><summary>All criteria</summary>\n", p->f);
    table_begin(p, id, columns, 8);
    for (size_t i = 0; i < n; i++) {
        const struct band_row *r = &rows[i];
        const double v[] = {r->value, r->least, r->most, r->low, r->high};
        struct table_cell cells[8] = {{.text = r->id, .value = NAN},
                                      {.text = r->what, .value = NAN}};

        for (size_t k = 0; k < 5; k++) {
            if (isfinite(v[k]))
                snprintf(text[k], sizeof(text[k]), "%.*f", (int)r->decimals, v[k]);
            else
                snprintf(text[k], sizeof(text[k]), "-");
            cells[k + 2] =
                (struct table_cell){.text = text[k], .value = isfinite(v[k]) ? v[k] : NAN};
        }
        cells[2].key = r->id;
        cells[7] = (struct table_cell){.text = !r->judged ? "not judged"
                                               : r->pass  ? "holds"
                                                          : "fails",
                                       .value = NAN};
        table_row(p, cells, 8);
    }
    table_end(p);
    fputs("</details>\n", p->f);
}

static void experiment(struct page *p, const json_t *result, size_t number) {
    const json_t *criteria = json_object_get(result, "criteria"), *c;
    size_t n = json_array_size(criteria), nr_drawn = 0, i;
    struct band_row *rows = calloc(2 * n + 1, sizeof(*rows)), *drawn;
    char id[32], note[256];

    if (!rows) {
        p->failed = true;
        return;
    }
    json_array_foreach(criteria, i, c) {
        double v = json_number_of(c, "value", NAN);

        rows[i] = (struct band_row){.id = json_text_of(c, "id"),
                                    .what = json_text_of(c, "what"),
                                    .value = v,
                                    .low = json_number_of(c, "low", -INFINITY),
                                    .high = json_number_of(c, "high", INFINITY),
                                    .least = json_number_of(c, "least", v),
                                    .most = json_number_of(c, "most", v),
                                    .decimals = decimals_of(c),
                                    .pass = json_is_true(json_object_get(c, "pass")),
                                    .judged = json_is_true(json_object_get(c, "judged"))};
        if (isnan(v))
            rows[i].value = rows[i].least = rows[i].most = 0;
    }
    snprintf(id, sizeof(id), "experiment%zu", number);
    page_section(p, id, json_text_of(result, "name"));
    fprintf(p->f, "<p class=\"verdict %s\">%s</p>\n",
            json_is_true(json_object_get(result, "pass")) ? "pass" : "fail",
            json_is_true(json_object_get(result, "pass")) ? "All criteria hold."
                                                          : "Criteria do not hold.");
    drawn = rows + n;
    for (i = 0; i < n; i++) {
        /* A figure that must be met exactly, and is, has nothing to be drawn. */
        if (!rows[i].pass || rows[i].low < rows[i].high)
            drawn[nr_drawn++] = rows[i];
    }
    snprintf(note, sizeof(note),
             "The bar is what was published, the dot what was simulated. Every row has its own "
             "scale. %zu figures that had to be met exactly are met, and stand in the table only.",
             n - nr_drawn);
    snprintf(id, sizeof(id), "bands%zu", number);
    chart_bands(p, id, "Published and simulated", note, drawn, nr_drawn);
    criteria_table(p, rows, n, number);
    page_section_end(p);
    free(rows);
}

int html_repro(FILE *f, const json_t *results, struct rf_err *err) {
    json_t *data = json_object();
    const json_t *result;
    struct page p;
    char title[128];
    size_t i;

    json_object_set(data, "results", (json_t *)(uintptr_t)results);
    snprintf(title, sizeof(title), "Published experiments: %s",
             json_array_size(results) == 1 ? json_text_of(json_array_get(results, 0), "name")
                                           : "all");
    page_begin(&p, f, title,
               "Run again in simulation and judged by the figures that were published.", data);
    json_array_foreach(results, i, result) {
        experiment(&p, result, i + 1);
    }
    return page_end(&p, err);
}
