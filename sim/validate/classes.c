/* SPDX-License-Identifier: Apache-2.0 */
/* Class tables: /sys/kernel/debug/zsmalloc/POOL/classes as the goldens hold it. */
#include <stdlib.h>
#include "validate/validate.h"

/* Our value of a column of the kernel's file; -1 for an unknown column. */
static int64_t column(const char *name, const struct zs_class_stats *s, bool twelve) {
    static const char *const groups[] = {"10%", "20%", "30%", "40%", "50%", "60%",
                                         "70%", "80%", "90%", "99%", "100%"};

    if (strcmp(name, "class") == 0)
        return s->info.index;
    if (strcmp(name, "size") == 0)
        return s->info.size;
    if (strcmp(name, "almost_full") == 0 && !twelve)
        return (int64_t)s->group[2];
    if (strcmp(name, "almost_empty") == 0 && !twelve)
        return (int64_t)s->group[1];
    if (strcmp(name, "obj_allocated") == 0)
        return (int64_t)s->obj_allocated;
    if (strcmp(name, "obj_used") == 0)
        return (int64_t)s->obj_used;
    if (strcmp(name, "pages_used") == 0)
        return (int64_t)s->pages_used;
    if (strcmp(name, "pages_per_zspage") == 0)
        return s->info.pages_per_zspage;
    if (strcmp(name, "freeable") == 0)
        return (int64_t)s->freeable;
    for (unsigned i = 0; twelve && i < sizeof(groups) / sizeof(groups[0]); i++) {
        if (strcmp(name, groups[i]) == 0)
            return (int64_t)s->group[i + 1];
    }
    return -1;
}

bool classes_table_good(const json_t *table) {
    const json_t *columns = json_object_get(table, "columns"),
                 *rows = json_object_get(table, "rows");
    size_t width = json_array_size(columns);

    for (size_t k = 0; k < width; k++) {
        if (!json_is_string(json_array_get(columns, k)))
            return false;
    }
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const json_t *row = json_array_get(rows, r);

        if (json_array_size(row) != width)
            return false;
        for (size_t k = 0; k < width; k++) {
            if (!json_is_integer(json_array_get(row, k)))
                return false;
        }
    }
    return width > 0 && json_is_array(rows);
}

void classes_compare(const json_t *table, const struct zs_class_stats *rows, uint32_t nr,
                     bool twelve, struct class_comparison *out) {
    const json_t *columns = json_object_get(table, "columns"),
                 *golden = json_object_get(table, "rows");
    size_t width = json_array_size(columns), used = 0, matched = 0, only_ours;

    *out = (struct class_comparison){0};
    for (uint32_t i = 0; i < nr; i++) {
        out->pages += (int64_t)rows[i].pages_used;
        used += rows[i].obj_allocated != 0;
    }
    for (size_t r = 0; r < json_array_size(golden); r++) {
        const json_t *row = json_array_get(golden, r);
        json_int_t index = json_integer_value(json_array_get(row, 0));
        const struct zs_class_stats *s = NULL;

        for (uint32_t i = 0; i < nr; i++) {
            if (rows[i].info.index == (uint32_t)index && rows[i].obj_allocated)
                s = &rows[i];
        }
        matched += s != NULL;
        for (size_t k = 0; k < width; k++) {
            const char *name = json_string_value(json_array_get(columns, k));
            int64_t want = (int64_t)json_integer_value(json_array_get(row, k));

            out->fields++;
            if (!s || !name || column(name, s, twelve) != want)
                out->different++;
            if (name && strcmp(name, "pages_used") == 0)
                out->kernel_pages += want;
        }
    }
    /* Classes that only we have in use. */
    only_ours = (used - RF_MIN(matched, used)) * width; /* a table may name a class twice */
    out->fields += only_ours;
    out->different += only_ours;
}

int case_add_classes(struct case_result *c, const char *prefix, const struct class_comparison *cmp,
                     enum row_state state, bool bounded) {
    const struct band none = {0};
    char name[VALIDATE_NAME];
    struct row *r;
    int rc;

    snprintf(name, sizeof(name), "%sclasses.fields_different", prefix);
    rc = case_add_row(c, name, &none, (int64_t)cmp->different, state, bounded);
    if (rc != RF_OK || cmp->fields == 0)
        return rc;
    /* Unlike a counter that is 0 on both sides, two equal tables say something. */
    r = &c->rows[c->nr_rows - 1];
    r->error = (double)cmp->different / (double)cmp->fields;
    r->state = state;
    r->bounded = bounded;
    return RF_OK;
}
