/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "version.h"

/* JSON integers of jansson are signed: what is beyond (a limit of UINT64_MAX) is clamped. */
static json_t *integer(uint64_t v) {
    return json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v);
}

json_t *report_string(const char *text) {
    json_t *j = json_string(text);
    char *copy;

    if (j)
        return j;
    copy = strdup(text);
    for (char *s = copy; s && *s; s++) {
        if ((unsigned char)*s >= 0x80)
            *s = '?';
    }
    j = copy ? json_string(copy) : NULL;
    free(copy);
    return j;
}

static json_t *trace_json(const struct replay_result *r, const char *name) {
    static const char *const pacing[] = {"records", "accesses", "ns"};
    static const char *const sources[] = {"real", "recorded", "derived", "synthetic"};
    const struct trace_info *i = &r->info;
    char digest[17];
    json_t *o = json_object();

    snprintf(digest, sizeof(digest), "%016" PRIx64, i->digest);
    json_object_set_new(o, "name", report_string(name));
    json_object_set_new(o, "digest", json_string(digest));
    json_object_set_new(o, "ops", integer(i->ops));
    json_object_set_new(o, "ops_done", integer(r->ops_done));
    json_object_set_new(o, "writes", integer(i->writes));
    json_object_set_new(o, "events", integer(i->events));
    json_object_set_new(o, "processes", integer(i->processes));
    json_object_set_new(o, "vmas", integer(i->vmas));
    json_object_set_new(o, "pages_touched", integer(i->pages_touched));
    json_object_set_new(o, "footprint_pages", integer(i->footprint_pages));
    json_object_set_new(o, "min_memory_pages", integer(i->min_memory_pages));
    json_object_set_new(o, "dropped_file_pages", integer(i->dropped_file_pages));
    json_object_set_new(o, "content", report_string(i->content_spec));
    if (i->pacing < sizeof(pacing) / sizeof(pacing[0]))
        json_object_set_new(o, "pacing", json_string(pacing[i->pacing]));
    if (r->has_source)
        json_object_set_new(o, "compressed_sizes", json_string(sources[r->source]));
    return o;
}

/* Rows in the order of the columns of the kernel's file of that era, classes in use only. */
static json_t *classes_json(const struct class_table *t) {
    /* 6.4+: 10% to 100%, without the empty group; before: almost_full, almost_empty. */
    static const uint8_t groups_12[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, groups_4[] = {2, 1};
    const uint8_t *groups = t->fullness_12 ? groups_12 : groups_4;
    size_t nr_groups = t->fullness_12 ? sizeof(groups_12) : sizeof(groups_4);
    json_t *rows = json_array();

    for (uint32_t i = 0; i < t->nr; i++) {
        const struct zs_class_stats *s = &t->rows[i];
        json_t *row;

        if (s->pages_used == 0)
            continue;
        row = json_array();
        json_array_append_new(row, integer(s->info.index));
        json_array_append_new(row, integer(s->info.size));
        for (size_t g = 0; g < nr_groups; g++)
            json_array_append_new(row, integer(s->group[groups[g]]));
        json_array_append_new(row, integer(s->obj_allocated));
        json_array_append_new(row, integer(s->obj_used));
        json_array_append_new(row, integer(s->pages_used));
        json_array_append_new(row, integer(s->info.pages_per_zspage));
        json_array_append_new(row, integer(s->freeable));
        json_array_append_new(rows, row);
    }
    return rows;
}

json_t *report_json(const struct replay_result *r, const struct knob_table *knobs,
                    const char *trace_name) {
    json_t *o = json_object(), *counters = json_object(), *time = json_object(), *x = json_object();

    for (size_t i = 0; i < r->values.n; i++) {
        const struct value *v = &r->values.v[i];

        json_object_set_new(v->kind == MV_COUNTER ? counters
                            : v->kind == MV_TIME  ? time
                                                  : x,
                            v->name,
                            v->kind == MV_X_SIGNED ? json_integer((json_int_t)(int64_t)v->value)
                                                   : integer(v->value));
    }
    if (r->classes.pool) {
        char key[64];

        snprintf(key, sizeof(key), "zsmalloc.%s.classes", r->classes.pool);
        json_object_set_new(counters, key, classes_json(&r->classes));
    }
    json_object_set_new(o, "refault", json_string(REFAULT_VERSION));
    json_object_set_new(o, "outcome", json_string(r->outcome == MACHINE_OOM ? "oom" : "done"));
    json_object_set_new(o, "trace", trace_json(r, trace_name));
    json_object_set_new(o, "config", knobs_config_json(knobs, &r->config));
    json_object_set_new(o, "counters", counters);
    json_object_set_new(o, "time", time);
    json_object_set_new(o, "x", x);
    return o;
}

static int take_values(struct value_list *l, const json_t *object, enum machine_value_kind kind) {
    const char *key;
    json_t *v;

    json_object_foreach((json_t *)(uintptr_t)object, key, v) {
        json_int_t n = json_integer_value(v);

        if (json_is_integer(v) && value_list_add(l, kind == MV_X && n < 0 ? MV_X_SIGNED : kind, key,
                                                 (uint64_t)n) != RF_OK)
            return RF_ENOMEM;
    }
    return RF_OK;
}

/* Times and counters are counts, or lists that are no single value. */
static int check_counts(const json_t *object, struct rf_err *err) {
    const char *key;
    json_t *v;

    json_object_foreach((json_t *)(uintptr_t)object, key, v) {
        if (!json_is_object(v) && !json_is_array(v) &&
            !(json_is_integer(v) && json_integer_value(v) >= 0))
            return rf_fail(err, RF_EINPUT, "\"%.60s\": expected a whole number from 0 on", key);
    }
    return RF_OK;
}

static bool printable(const char *s) {
    for (unsigned n; (n = rf_utf8_length(s)); s += n)
        ;
    return !*s;
}

/* Names and texts of an object are shown as they are. */
static int check_texts(const json_t *o, struct rf_err *err) {
    const char *name;
    json_t *v;

    json_object_foreach((json_t *)(uintptr_t)o, name, v) {
        const char *text = json_string_value(v);

        if (!printable(name) || (text && !printable(text)))
            return rf_fail(err, RF_EINPUT,
                           "\"%.60s\": expected names and texts without control "
                           "characters",
                           printable(name) ? text : name);
    }
    return RF_OK;
}

int report_values(const json_t *result, struct value_list *out, struct rf_err *err) {
    const json_t *time = json_object_get(result, "time"), *x = json_object_get(result, "x"),
                 *counters = json_object_get(result, "counters");

    *out = (struct value_list){0};
    if (!json_is_object(time) || !json_is_object(counters) || !json_is_object(x) ||
        !json_is_object(json_object_get(result, "trace")) ||
        !json_is_string(json_object_get(result, "outcome")))
        return rf_fail(err, RF_EINPUT, "not a result as 'refault replay --json' writes it");
    const json_t *shown[] = {result, json_object_get(result, "config"), time, counters, x};
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        if (check_texts(shown[i], err) != RF_OK)
            return RF_EINPUT;
    }
    if (check_counts(time, err) != RF_OK || check_counts(counters, err) != RF_OK)
        return RF_EINPUT;
    if (take_values(out, time, MV_TIME) != RF_OK ||
        take_values(out, counters, MV_COUNTER) != RF_OK || take_values(out, x, MV_X) != RF_OK) {
        value_list_free(out);
        return rf_fail(err, RF_ENOMEM, "no memory for a result");
    }
    value_list_sort(out);
    return RF_OK;
}

int report_write_json(struct output *o, const json_t *j, bool one_line, struct rf_err *err) {
    size_t flags = JSON_SORT_KEYS | (one_line ? JSON_COMPACT : JSON_INDENT(2));

    if (!j)
        return rf_fail(err, RF_ENOMEM, "no memory for the JSON result");
    errno = 0;
    if (json_dumpf(j, o->f, flags) != 0 || fputc('\n', o->f) == EOF)
        return rf_fail(err, RF_EIO, "cannot write %s: %s", o->path,
                       errno ? strerror(errno) : "write error");
    return RF_OK;
}
