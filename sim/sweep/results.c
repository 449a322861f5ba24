/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/results.h"

#include <stdio.h>
#include <stdlib.h>
#include "version.h"

static int no_memory(struct rf_err *err) {
    return rf_fail(err, RF_ENOMEM, "no memory for the results");
}

/* ---- the table ---- */

static char **copy_texts(const char *const *texts, size_t n) {
    char **v = calloc(n + 1, sizeof(*v));

    for (size_t i = 0; v && i < n; i++) {
        v[i] = strdup(texts[i]);
        if (!v[i]) {
            while (i--)
                free(v[i]);
            free(v);
            return NULL;
        }
    }
    return v;
}

static void free_texts(char **v, size_t n) {
    for (size_t i = 0; v && i < n; i++)
        free(v[i]);
    free(v);
}

/* ---- records by name ---- */

static bool index_init(struct results *r, size_t n) {
    size_t size = 16;

    while (size < 2 * n)
        size *= 2;
    r->index = calloc(size, sizeof(*r->index));
    r->index_mask = size - 1;
    return r->index != NULL;
}

/* The slot of a name, or the free one where it would be. Names are hashes: any digits will do. */
static uint32_t *index_slot(const struct results *r, const char *name) {
    size_t at = 0;

    for (unsigned i = 0; i < 8 && name[i]; i++)
        at = at << 5 ^ (unsigned char)name[i];
    for (;; at++) {
        uint32_t *slot = &r->index[at & r->index_mask];

        if (!*slot || strcmp(r->records[*slot - 1].name, name) == 0)
            return slot;
    }
}

struct record *results_find(struct results *r, const char *name) {
    uint32_t i = *index_slot(r, name);

    return i ? &r->records[i - 1] : NULL;
}

int results_init(struct results *r, const struct plan *p, struct rf_err *err) {
    size_t n = plan_columns(p, NULL);
    const char **texts = calloc(n + 1, sizeof(*texts));
    bool ok = texts != NULL;

    *r = (struct results){.nr_columns = n};
    if (ok) {
        plan_columns(p, texts);
        r->columns = copy_texts(texts, n);
        r->rows = calloc(p->nr_rows, sizeof(*r->rows));
        r->records = calloc(p->nr_points, sizeof(*r->records));
        ok = r->columns && r->rows && r->records && index_init(r, p->nr_points);
    }
    for (size_t i = 0; ok && i < p->nr_rows; i++) {
        struct result_row *row = &r->rows[i];

        plan_cells(p, i, texts);
        row->cells = copy_texts(texts, n);
        row->trace = strdup(p->traces[p->rows[i].trace].name);
        row->record = p->rows[i].point;
        r->nr_rows = i + 1;
        ok = row->cells && row->trace;
    }
    free(texts);
    if (!ok) {
        results_free(r);
        return no_memory(err);
    }
    r->nr_records = p->nr_points;
    for (size_t i = 0; i < p->nr_points; i++) {
        memcpy(r->records[i].name, p->points[i].name, sizeof(r->records[i].name));
        *index_slot(r, p->points[i].name) = (uint32_t)i + 1;
    }
    return RF_OK;
}

static void record_clear(struct record *rec) {
    value_list_free(&rec->values);
    free(rec->error);
    free(rec->json);
    rec->error = rec->json = NULL;
    rec->known = rec->oom = false;
    rec->code = RF_OK;
}

void results_free(struct results *r) {
    for (size_t i = 0; r->rows && i < r->nr_rows; i++) {
        free_texts(r->rows[i].cells, r->nr_columns);
        free(r->rows[i].trace);
    }
    for (size_t i = 0; r->records && i < r->nr_records; i++)
        record_clear(&r->records[i]);
    free_texts(r->columns, r->nr_columns);
    free(r->rows);
    free(r->records);
    free(r->index);
    *r = (struct results){0};
}

size_t results_known(const struct results *r, size_t *failed) {
    size_t known = 0;

    *failed = 0;
    for (size_t i = 0; i < r->nr_rows; i++) {
        const struct record *rec = &r->records[r->rows[i].record];

        known += rec->known;
        *failed += rec->known && rec->code != RF_OK;
    }
    return known;
}

/* ---- records ---- */

void record_fail(struct record *rec, const struct rf_err *error) {
    record_clear(rec);
    rec->error = strdup(error->msg);
    rec->code = error->code;
    rec->known = true;
}

int record_set(struct record *rec, struct replay_result *res, const struct knob_table *knobs) {
    json_t *o;

    record_clear(rec);
    o = report_json(res, knobs, "");
    rec->json = o ? json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(o);
    if (!rec->json)
        return RF_ENOMEM;
    rec->values = res->values;
    res->values = (struct value_list){0};
    /* As in JSON, whose integers have a sign: it must not matter whether a result was stored. */
    for (size_t i = 0; i < rec->values.n; i++) {
        if (rec->values.v[i].kind != MV_X_SIGNED)
            rec->values.v[i].value = RF_MIN(rec->values.v[i].value, (uint64_t)INT64_MAX);
    }
    rec->oom = res->outcome == MACHINE_OOM;
    rec->known = true;
    return RF_OK;
}

json_t *record_json(const struct record *rec) {
    if (rec->code != RF_OK)
        return json_pack("{s:s, s:{s:i, s:s}}", "point", rec->name, "error", "code", rec->code,
                         "message", rec->error ? rec->error : "no memory");
    return json_pack("{s:s, s:o}", "point", rec->name, "result", json_loads(rec->json, 0, NULL));
}

static int take_result(struct record *rec, const json_t *result, struct rf_err *err) {
    struct value_list values;
    int rc = report_values(result, &values, err);

    if (rc != RF_OK)
        return rf_fail_prefix(err, "point %s", rec->name);
    record_clear(rec);
    rec->values = values;
    rec->json = json_dumps(result, JSON_COMPACT | JSON_SORT_KEYS);
    rec->oom = strcmp(json_string_value(json_object_get(result, "outcome")), "oom") == 0;
    rec->known = rec->json != NULL;
    return rec->json ? RF_OK : no_memory(err);
}

int record_from_json(struct record *rec, const json_t *line, struct rf_err *err) {
    const json_t *result = json_object_get(line, "result"), *error = json_object_get(line, "error");
    const char *message = json_string_value(json_object_get(error, "message"));

    if (result)
        return take_result(rec, result, err);
    if (!message)
        return rf_fail(err, RF_EINPUT, "point %s: neither result nor error", rec->name);
    if (rec->known && rec->code == RF_OK)
        return RF_OK;
    record_clear(rec);
    rec->error = strdup(message);
    rec->code = (int)json_integer_value(json_object_get(error, "code"));
    if (rec->code >= RF_OK || rec->code < RF_ECHECK)
        rec->code = RF_EINPUT;
    rec->known = true;
    return rec->error ? RF_OK : no_memory(err);
}

/* ---- plans ---- */

json_t *results_plan_json(const struct results *r) {
    json_t *columns = json_array(), *rows = json_array();

    for (size_t i = 0; i < r->nr_columns; i++)
        json_array_append_new(columns, json_string(r->columns[i]));
    for (size_t i = 0; i < r->nr_rows; i++) {
        const struct result_row *row = &r->rows[i];
        json_t *a = json_pack("[s, s]", r->records[row->record].name, row->trace);

        for (size_t c = 0; c < r->nr_columns; c++)
            json_array_append_new(a, json_string(row->cells[c]));
        json_array_append_new(rows, a);
    }
    return json_pack("{s:i, s:s, s:o, s:o}", "journal", 1, "refault", REFAULT_VERSION, "columns",
                     columns, "rows", rows);
}

bool json_is_plan(const json_t *line) {
    return json_is_array(json_object_get(line, "rows"));
}

/* Texts [from, ...) of an array; NULL if there are not n of them. */
static char **texts_of(const json_t *array, size_t from, size_t n) {
    char **v = NULL;
    const char **texts;

    if (json_array_size(array) != from + n)
        return NULL;
    texts = calloc(n + 1, sizeof(*texts));
    for (size_t i = 0; texts && i < n; i++) {
        texts[i] = json_string_value(json_array_get(array, from + i));
        if (!texts[i]) {
            free(texts);
            return NULL;
        }
    }
    if (texts)
        v = copy_texts(texts, n);
    free(texts);
    return v;
}

int results_from_plan(struct results *r, const json_t *line, struct rf_err *err) {
    const json_t *columns = json_object_get(line, "columns"), *rows = json_object_get(line, "rows");
    size_t n = json_array_size(rows);
    bool indexed;

    *r = (struct results){.nr_columns = json_array_size(columns)};
    r->columns = texts_of(columns, 0, r->nr_columns);
    r->rows = calloc(n + 1, sizeof(*r->rows));
    r->records = calloc(n + 1, sizeof(*r->records));
    indexed = r->records && index_init(r, n);
    for (size_t i = 0; r->columns && r->rows && indexed && i < n; i++) {
        const json_t *row = json_array_get(rows, i);
        const char *name = json_string_value(json_array_get(row, 0)),
                   *trace = json_string_value(json_array_get(row, 1));
        uint32_t *slot;

        if (!name || strlen(name) != POINT_NAME_LEN || !trace)
            break;
        slot = index_slot(r, name);
        if (!*slot) {
            memcpy(r->records[r->nr_records].name, name, POINT_NAME_LEN);
            *slot = (uint32_t)++r->nr_records;
        }
        r->rows[i].record = *slot - 1;
        r->rows[i].cells = texts_of(row, 2, r->nr_columns);
        r->rows[i].trace = strdup(trace);
        r->nr_rows = i + 1;
        if (!r->rows[i].cells || !r->rows[i].trace)
            break;
    }
    if (!r->rows || r->nr_rows < n || n == 0 || !r->rows[n - 1].cells || !r->rows[n - 1].trace) {
        results_free(r);
        return rf_fail(err, RF_EINPUT, "the plan is not one of this version, or memory is missing");
    }
    return RF_OK;
}
