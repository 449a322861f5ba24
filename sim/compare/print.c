/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons as text, CSV and JSON. */
#include <inttypes.h>
#include <stdlib.h>

#include "compare/compare.h"
#include "config/value.h"

#define NAME_WIDTH 36
#define CELL_WIDTH 12

static const char *const kinds[] = {[MV_COUNTER] = "counters", [MV_TIME] = "time", [MV_X] = "x"};

/* "1.25", or "-" where there is nothing to divide by. */
static const char *ratio_text(const struct compare_value *v, size_t run, char *buf, size_t size) {
    if (v->v[0] == v->v[run])
        snprintf(buf, size, "1");
    else if (v->v[0] == 0)
        snprintf(buf, size, "-");
    else
        snprintf(buf, size, "%.3g", (double)v->v[run] / (double)v->v[0]);
    return buf;
}

static bool is_time(const struct compare_value *v) {
    size_t n = strlen(v->name);

    return v->kind == MV_TIME && n > 3 && strcmp(v->name + n - 3, "_ns") == 0;
}

static const char *value_text(const struct compare_value *v, size_t run, char *buf, size_t size) {
    if (!v->has[run])
        snprintf(buf, size, "-");
    else if (is_time(v))
        value_format_time(v->v[run], buf, size);
    else if (v->bytes)
        value_format_bytes(v->v[run], buf, size);
    else
        snprintf(buf, size, "%" PRIu64, v->v[run]);
    return buf;
}

static int cell_width(const struct comparison *c) {
    size_t width = CELL_WIDTH;

    for (size_t i = 0; i < c->n; i++)
        width = RF_MAX(width, strlen(c->runs[i].name));
    for (size_t k = 0; k < c->nr_knobs; k++) {
        for (size_t i = 0; i < c->n; i++)
            width = RF_MAX(width, strlen(c->knobs[k].texts[i]));
    }
    return (int)RF_MIN(width, 40);
}

static void print_head(const struct comparison *c, FILE *f, int width) {
    char ratio[64];

    fprintf(f, "%-*s", NAME_WIDTH, "");
    for (size_t i = 0; i < c->n; i++)
        fprintf(f, " %*s", width, c->runs[i].name);
    for (size_t i = 1; i < c->n; i++) {
        if (c->n == 2)
            snprintf(ratio, sizeof(ratio), "ratio");
        else
            snprintf(ratio, sizeof(ratio), "%zu:1", i + 1);
        fprintf(f, " %8s", ratio);
    }
    fputc('\n', f);
}

static const struct compare_value *find_value(const struct comparison *c, const char *name) {
    for (size_t i = 0; i < c->nr_values; i++) {
        if (c->values[i].kind == MV_TIME && strcmp(c->values[i].name, name) == 0)
            return &c->values[i];
    }
    return NULL;
}

static void print_change(FILE *f, const struct compare_value *v) {
    char text[48];

    if (!v) {
        fputc('?', f);
        return;
    }
    fputc(v->v[1] < v->v[0] ? '-' : '+', f);
    fputs(value_format_time(v->v[1] < v->v[0] ? v->v[0] - v->v[1] : v->v[1] - v->v[0], text,
                            sizeof(text)),
          f);
}

static void print_value(const struct comparison *c, const struct compare_value *v, FILE *f,
                        int width) {
    char text[64];

    fprintf(f, "%-*s", NAME_WIDTH, v->name);
    for (size_t i = 0; i < c->n; i++)
        fprintf(f, " %*s", width, value_text(v, i, text, sizeof(text)));
    for (size_t i = 1; i < c->n; i++)
        fprintf(f, " %8s", ratio_text(v, i, text, sizeof(text)));
    /* Of two runs: what the cause adds to the change of all stalls. */
    if (c->n == 2 && strncmp(v->name, "stall.", 6) == 0 && v->kind == MV_TIME) {
        fputs("  ", f);
        print_change(f, v);
        fputs(" of ", f);
        print_change(f, find_value(c, "stall_ns"));
    }
    fputc('\n', f);
}

/* Sums and causes; quantiles and counts are in the complete table. */
static bool is_main_time(const char *name) {
    const char *last = strrchr(name, '.');

    return strncmp(name, "fault.", 6) != 0 || strcmp(last, ".sum_ns") == 0;
}

/* Costs and rules that came along with another device or kernel are not what was changed. */
static void print_knobs(const struct comparison *c, FILE *f, int width, bool all) {
    size_t follow = 0;
    bool device = false, kernel = false;

    if (c->nr_knobs)
        fputs("\nknobs\n", f);
    for (size_t k = 0; k < c->nr_knobs; k++) {
        const char *key = c->knobs[k].key;

        device |= strcmp(key, "swap.device") == 0;
        kernel |= strcmp(key, "kernel") == 0;
        if (!all && ((device && strncmp(key, "cost.blk.", 9) == 0) ||
                     (kernel && strncmp(key, "era.", 4) == 0))) {
            follow++;
            continue;
        }
        fprintf(f, "%-*s", NAME_WIDTH, key);
        for (size_t i = 0; i < c->n; i++)
            fprintf(f, " %*.40s", width, c->knobs[k].texts[i]);
        fputc('\n', f);
    }
    if (follow)
        fprintf(f, "and %zu that follow from these; --all shows them\n", follow);
}

void compare_print(const struct comparison *c, FILE *f, size_t most) {
    int width = cell_width(c);
    size_t left_out = 0, shown = 0;
    int before = -1;

    print_head(c, f, width);
    fprintf(f, "%-*s", NAME_WIDTH, "outcome");
    for (size_t i = 0; i < c->n; i++)
        fprintf(f, " %*s", width, json_string_value(json_object_get(c->runs[i].result, "outcome")));
    fputc('\n', f);
    if (!c->same_trace)
        fputs("note: the results are of different traces\n", f);
    print_knobs(c, f, width, most == 0);
    for (size_t i = 0; i < c->nr_values; i++) {
        const struct compare_value *v = &c->values[i];

        if (most && (!v->differs || v->repeated || (v->kind == MV_TIME && !is_main_time(v->name))))
            continue;
        if (most && v->kind != MV_TIME && shown >= most) {
            left_out++;
            continue;
        }
        if ((int)v->kind != before)
            fprintf(f, "\n%s\n", kinds[v->kind]);
        before = (int)v->kind;
        shown += v->kind != MV_TIME;
        print_value(c, v, f, width);
    }
    if (left_out)
        fprintf(f, "and %zu more that differ less; --all shows them\n", left_out);
    if (!c->nr_knobs && !shown)
        fputs("\nno difference\n", f);
}

static json_t *numbers(const struct comparison *c, const struct compare_value *v) {
    json_t *a = json_array();

    for (size_t i = 0; i < c->n; i++)
        json_array_append_new(a, v->has[i] ? json_integer((json_int_t)v->v[i]) : json_null());
    return a;
}

static json_t *ratios(const struct comparison *c, const struct compare_value *v) {
    json_t *a = json_array();

    for (size_t i = 1; i < c->n; i++)
        json_array_append_new(a,
                              v->v[0] ? json_real((double)v->v[i] / (double)v->v[0]) : json_null());
    return a;
}

json_t *compare_json(const struct comparison *c) {
    json_t *runs = json_array(), *knobs = json_object(), *values = json_array();

    for (size_t i = 0; i < c->n; i++)
        json_array_append_new(runs,
                              json_pack("{s:s, s:O, s:O}", "name", c->runs[i].name, "outcome",
                                        json_object_get(c->runs[i].result, "outcome"), "trace",
                                        json_object_get(c->runs[i].result, "trace")));
    for (size_t k = 0; k < c->nr_knobs; k++) {
        json_t *texts = json_array();

        for (size_t i = 0; i < c->n; i++)
            json_array_append_new(texts, json_string(c->knobs[k].texts[i]));
        json_object_set_new(knobs, c->knobs[k].key, texts);
    }
    for (size_t i = 0; i < c->nr_values; i++) {
        const struct compare_value *v = &c->values[i];

        json_array_append_new(values, json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:f}", "name",
                                                v->name, "kind", kinds[v->kind], "unit",
                                                is_time(v) ? "time"
                                                : v->bytes ? "bytes"
                                                           : "count",
                                                "differs", v->differs, "values", numbers(c, v),
                                                "ratios", ratios(c, v), "score", v->score));
    }
    return json_pack("{s:o, s:o, s:b, s:o}", "runs", runs, "knobs", knobs, "same_trace",
                     c->same_trace, "values", values);
}

void compare_csv(const struct comparison *c, FILE *f) {
    char text[64];

    fputs("kind,name", f);
    for (size_t i = 0; i < c->n; i++) {
        fputc(',', f);
        csv_field(f, c->runs[i].name);
    }
    for (size_t i = 1; i < c->n; i++)
        fprintf(f, ",ratio %zu:1", i + 1);
    fputc('\n', f);
    for (size_t k = 0; k < c->nr_knobs; k++) {
        fprintf(f, "knobs,%s", c->knobs[k].key);
        for (size_t i = 0; i < c->n; i++) {
            fputc(',', f);
            csv_field(f, c->knobs[k].texts[i]);
        }
        for (size_t i = 1; i < c->n; i++)
            fputc(',', f);
        fputc('\n', f);
    }
    for (size_t i = 0; i < c->nr_values; i++) {
        const struct compare_value *v = &c->values[i];

        fprintf(f, "%s,%s", kinds[v->kind], v->name);
        for (size_t r = 0; r < c->n; r++) {
            if (v->has[r])
                fprintf(f, ",%" PRIu64, v->v[r]);
            else
                fputc(',', f);
        }
        for (size_t r = 1; r < c->n; r++)
            fprintf(f, ",%s", v->v[0] ? ratio_text(v, r, text, sizeof(text)) : "");
        fputc('\n', f);
    }
}
