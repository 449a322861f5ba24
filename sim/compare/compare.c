/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int no_memory(struct rf_err *err) {
    return rf_fail(err, RF_ENOMEM, "no memory to compare results");
}

/* ---- runs ---- */

int compare_add(struct comparison *c, json_t *result, const char *name, struct rf_err *err) {
    struct compare_run *runs, *r;
    unsigned twins = 1;
    int rc;

    if (!result)
        return no_memory(err);
    if (c->n == COMPARE_MAX_RUNS) {
        json_decref(result);
        return rf_fail(err, RF_ELIMIT, "more than %u results", COMPARE_MAX_RUNS);
    }
    runs = realloc(c->runs, (c->n + 1) * sizeof(*runs));
    if (!runs) {
        json_decref(result);
        return no_memory(err);
    }
    c->runs = runs;
    r = &runs[c->n];
    *r = (struct compare_run){.result = result};
    rc = report_values(result, &r->values, err);
    if (rc != RF_OK) {
        json_decref(result);
        return rc;
    }
    snprintf(r->name, sizeof(r->name), "%.40s", name);
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(runs[i].name, r->name) == 0) {
            snprintf(r->name, sizeof(r->name), "%.40s #%u", name, ++twins);
            i = (size_t)-1; /* from the start, with the new name */
        }
    }
    c->n++;
    return RF_OK;
}

/* "dir/half.json" -> "half". */
static void column_name(const char *path, char *buf, size_t size) {
    size_t n;

    report_name(path, buf, size);
    n = strlen(buf);
    if (n > 5 && strcmp(buf + n - 5, ".json") == 0)
        buf[n - 5] = '\0';
    else if (n > 6 && strcmp(buf + n - 6, ".jsonl") == 0)
        buf[n - 6] = '\0';
}

int compare_add_file(struct comparison *c, const char *path, struct rf_err *err) {
    FILE *f = fopen(path, "re");
    char name[256];
    size_t added = 0;
    int rc = RF_OK, ch;

    if (!f)
        return rf_fail(err, RF_EINPUT, "%s: cannot be opened: %s", path, strerror(errno));
    column_name(path, name, sizeof(name));
    while (rc == RF_OK) {
        json_error_t bad;
        json_t *o;

        do {
            ch = fgetc(f);
        } while (ch == ' ' || ch == '\n' || ch == '\r' || ch == '\t');
        if (ch == EOF)
            break;
        ungetc(ch, f);
        o = json_loadf(f, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &bad);
        if (!o)
            rc = rf_fail(err, RF_EINPUT, "not JSON: %.80s", bad.text);
        else
            rc = compare_add(c, o, name, err);
        if (rc != RF_OK)
            rf_fail_prefix(err, "%s: result %zu", path, added + 1);
        added++;
    }
    if (rc == RF_OK && ferror(f))
        rc = rf_fail(err, RF_EINPUT, "%s: %s", path, strerror(errno));
    fclose(f);
    if (rc == RF_OK && !added)
        rc = rf_fail(err, RF_EINPUT,
                     "%s: empty, expected a result as 'refault replay --json' writes it", path);
    return rc;
}

/* ---- knobs ---- */

static char *text_of(const json_t *v) {
    return v ? json_is_string(v) ? strdup(json_string_value(v)) : json_dumps(v, JSON_ENCODE_ANY)
             : strdup("-");
}

static bool knob_differs(const struct comparison *c, const char *key) {
    const json_t *first = json_object_get(json_object_get(c->runs[0].result, "config"), key);

    for (size_t i = 1; i < c->n; i++) {
        const json_t *v = json_object_get(json_object_get(c->runs[i].result, "config"), key);

        if (!first || !v ? first != v : !json_equal(first, v))
            return true;
    }
    return false;
}

static int add_knob(struct comparison *c, const char *key, struct rf_err *err) {
    struct compare_knob *k = realloc(c->knobs, (c->nr_knobs + 1) * sizeof(*k));

    if (!k)
        return no_memory(err);
    c->knobs = k;
    k += c->nr_knobs;
    *k = (struct compare_knob){.key = key, .texts = calloc(c->n, sizeof(*k->texts))};
    if (!k->texts)
        return no_memory(err);
    c->nr_knobs++;
    for (size_t i = 0; i < c->n; i++) {
        k->texts[i] = text_of(json_object_get(json_object_get(c->runs[i].result, "config"), key));
        if (!k->texts[i])
            return no_memory(err);
    }
    return RF_OK;
}

/* Usual knobs first, then the costs and the rules of the kernel that follow from them. */
static int by_key(const void *a, const void *b) {
    const char *x = ((const struct compare_knob *)a)->key,
               *y = ((const struct compare_knob *)b)->key;
    bool gx = strncmp(x, "era.", 4) == 0 || strncmp(x, "cost.", 5) == 0,
         gy = strncmp(y, "era.", 4) == 0 || strncmp(y, "cost.", 5) == 0;

    return gx != gy ? (gx > gy) - (gx < gy) : strcmp(x, y);
}

static int find_knobs(struct comparison *c, struct rf_err *err) {
    for (size_t i = 0; i < c->n; i++) {
        const char *key;
        json_t *v;

        json_object_foreach(json_object_get(c->runs[i].result, "config"), key, v) {
            bool known = false;
            int rc;

            for (size_t k = 0; k < c->nr_knobs; k++)
                known |= strcmp(c->knobs[k].key, key) == 0;
            if (known || !knob_differs(c, key))
                continue;
            rc = add_knob(c, key, err);
            if (rc != RF_OK)
                return rc;
        }
    }
    if (c->nr_knobs)
        qsort(c->knobs, c->nr_knobs, sizeof(*c->knobs), by_key);
    return RF_OK;
}

/* ---- values ---- */

static bool ends_with(const char *s, const char *end) {
    size_t n = strlen(s), m = strlen(end);

    return n >= m && strcmp(s + n - m, end) == 0;
}

/* Which figures of the kernel's files are bytes. */
static bool is_bytes(const char *name) {
    static const char *const ends[] = {"_size",     "current",   ".peak",       "_used_total",
                                       "_used_max", "mem_limit", "_bytes",      "memcg.zswap",
                                       "zswapped",  "tive_anon", "stored_bytes"};

    if (strncmp(name, "vmstat.", 7) == 0)
        return false;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (ends_with(name, ends[i]))
            return true;
    }
    return false;
}

static uint64_t value_in(const struct comparison *c, size_t run, enum machine_value_kind kind,
                         const char *name, bool *has) {
    const struct value *v = value_list_find(&c->runs[run].values, kind, name);

    *has = v != NULL;
    return v ? v->value : 0;
}

/* How much the run that is farthest from the first is away from it. */
static double score_of(const struct comparison *c, const struct compare_value *v) {
    double unit = v->bytes ? 1.0 / RF_PAGE_SIZE : 1.0, best = 0;

    for (size_t i = 1; i < c->n; i++) {
        double a = (double)v->v[0] * unit, b = (double)v->v[i] * unit, s = fabs(b - a);

        if (v->kind != MV_TIME && a + b > 0)
            s /= sqrt(a + b);
        best = RF_MAX(best, s);
    }
    return best;
}

/* A quantile of a latency is no part of a sum, and says nothing about the change of times. */
static bool is_part_of_time(const char *name) {
    return ends_with(name, "_ns") &&
           !(strncmp(name, "fault.", 6) == 0 && !ends_with(name, ".sum_ns"));
}

/* Sums, then what the stalls were for, then kinds of faults. */
static unsigned time_group(const struct compare_value *v) {
    if (v->kind != MV_TIME || !strchr(v->name, '.'))
        return 0;
    return strncmp(v->name, "stall.", 6) == 0 ? 1 : 2;
}

static int by_score(const void *a, const void *b) {
    const struct compare_value *x = a, *y = b;
    unsigned gx, gy;
    bool cx, cy;
    unsigned rx = x->kind == MV_TIME ? 0 : x->kind == MV_COUNTER ? 1 : 2;
    unsigned ry = y->kind == MV_TIME ? 0 : y->kind == MV_COUNTER ? 1 : 2;

    if (rx != ry)
        return rx < ry ? -1 : 1;
    gx = time_group(x);
    gy = time_group(y);
    if (gx != gy)
        return gx < gy ? -1 : 1;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    /* The machine's counter before the cgroup's. */
    cx = strncmp(x->name, "memcg.", 6) == 0;
    cy = strncmp(y->name, "memcg.", 6) == 0;
    return cx != cy ? (cx ? 1 : -1) : strcmp(x->name, y->name);
}

/* The same numbers as a value that stands before it say nothing new. */
static void mark_repeated(struct comparison *c) {
    for (size_t i = 1; i < c->nr_values; i++) {
        struct compare_value *v = &c->values[i];

        for (size_t j = i; j-- > 0 && !v->repeated;) {
            const struct compare_value *w = &c->values[j];

            if (w->kind != v->kind || w->score != v->score)
                break;
            v->repeated = memcmp(w->v, v->v, c->n * sizeof(*v->v)) == 0;
        }
    }
}

static int find_values(struct comparison *c, struct rf_err *err) {
    struct value_list names = {0};
    int rc = RF_OK;

    for (size_t i = 0; i < c->n && rc == RF_OK; i++) {
        if (value_list_merge_names(&names, &c->runs[i].values) != RF_OK)
            rc = no_memory(err);
    }
    c->values = calloc(names.n + 1, sizeof(*c->values));
    if (rc == RF_OK && !c->values)
        rc = no_memory(err);
    for (size_t i = 0; i < names.n && rc == RF_OK; i++) {
        struct compare_value *v = &c->values[c->nr_values++];

        *v = (struct compare_value){.name = names.v[i].name,
                                    .kind = names.v[i].kind,
                                    .v = calloc(c->n, sizeof(*v->v)),
                                    .has = calloc(c->n, sizeof(*v->has)),
                                    .bytes = is_bytes(names.v[i].name)};
        names.v[i].name = NULL; /* it is the comparison's now */
        if (!v->v || !v->has) {
            rc = no_memory(err);
            break;
        }
        for (size_t r = 0; r < c->n; r++) {
            v->v[r] = value_in(c, r, v->kind, v->name, &v->has[r]);
            v->differs |= v->v[r] != v->v[0] || v->has[r] != v->has[0];
        }
        v->score = v->kind != MV_TIME || is_part_of_time(v->name) ? score_of(c, v) : 0;
    }
    if (rc == RF_OK && c->nr_values) {
        qsort(c->values, c->nr_values, sizeof(*c->values), by_score);
        mark_repeated(c);
    }
    value_list_free(&names);
    return rc;
}

int compare_finish(struct comparison *c, struct rf_err *err) {
    const json_t *first;
    int rc;

    if (c->n < 2)
        return rf_fail(err, RF_EUSAGE, "found %zu result%s, expected at least two", c->n,
                       c->n == 1 ? "" : "s");
    c->same_trace = true;
    first = json_object_get(json_object_get(c->runs[0].result, "trace"), "digest");
    for (size_t i = 1; i < c->n; i++)
        c->same_trace &= json_equal(
            first, json_object_get(json_object_get(c->runs[i].result, "trace"), "digest"));
    rc = find_knobs(c, err);
    return rc == RF_OK ? find_values(c, err) : rc;
}

void compare_free(struct comparison *c) {
    for (size_t i = 0; i < c->nr_values; i++) {
        free((char *)(uintptr_t)c->values[i].name);
        free(c->values[i].v);
        free(c->values[i].has);
    }
    for (size_t i = 0; i < c->nr_knobs; i++) {
        for (size_t r = 0; r < c->n; r++)
            free(c->knobs[i].texts[r]);
        free(c->knobs[i].texts);
    }
    for (size_t i = 0; i < c->n; i++) {
        json_decref(c->runs[i].result);
        value_list_free(&c->runs[i].values);
    }
    free(c->values);
    free(c->knobs);
    free(c->runs);
    *c = (struct comparison){0};
}
