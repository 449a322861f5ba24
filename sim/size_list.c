/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of recorded sizes, as text or JSON. */
#include "size_list.h"

#include "zram_script.h"

#include <jansson.h>
#include <stdlib.h>

#define MAX_SIZE 8192

static json_t *find_sizes(json_t *v) {
    json_t *child, *found;
    const char *key;
    size_t i;
    if (json_is_object(v)) {
        found = json_object_get(v, "sizes");
        if (json_is_array(found))
            return found;
        json_object_foreach(v, key, child) {
            if ((found = find_sizes(child)))
                return found;
        }
    } else if (json_is_array(v)) {
        json_array_foreach(v, i, child) {
            if ((found = find_sizes(child)))
                return found;
        }
    }
    return NULL;
}

static int from_json(const char *path, const char *text, size_t len, uint16_t **sizes, size_t *nr,
                     struct rf_err *err) {
    json_error_t je;
    json_t *root = json_loadb(text, len, 0, &je), *list, *v;
    size_t i;
    int rc = 0;
    if (!root)
        return rf_fail(err, RF_EINPUT, "%s:%d: not JSON: %s", path, je.line, je.text);
    list =
        json_is_array(root) && json_is_integer(json_array_get(root, 0)) ? root : find_sizes(root);
    if (!list || json_array_size(list) == 0) {
        json_decref(root);
        return rf_fail(err, RF_EINPUT, "%s: found no array of sizes, expected one, or \"sizes\"",
                       path);
    }
    *nr = json_array_size(list);
    *sizes = calloc(*nr, sizeof(**sizes));
    if (!*sizes)
        rc = rf_fail(err, RF_ENOMEM, "%s: no memory for %zu sizes", path, *nr);
    json_array_foreach(list, i, v) {
        json_int_t n = json_is_integer(v) ? json_integer_value(v) : -1;
        if (rc == 0 && (n < 0 || n > MAX_SIZE))
            rc = rf_fail(err, RF_EINPUT, "%s: element %zu of the sizes is not in 0..%d", path, i,
                         MAX_SIZE);
        if (rc == 0)
            (*sizes)[i] = (uint16_t)n;
    }
    json_decref(root);
    return rc;
}

static int from_text(const char *path, const char *text, uint16_t **sizes, size_t *nr,
                     struct rf_err *err) {
    size_t cap = 0, line = 0;
    for (const char *p = text; *p; line++) {
        char *end;
        const char *q = p + strspn(p, " \t\r");
        unsigned long v = strtoul(q, &end, 10);
        bool none = *q == '\n' || *q == '\0' || *q == '#';
        const char *rest = end + strspn(end, " \t\r");
        if (!none && (*q < '0' || *q > '9' || v > MAX_SIZE || (*rest && *rest != '\n')))
            return rf_fail(err, RF_EINPUT, "%s:%zu: found '%.*s', expected a size in 0..%d", path,
                           line + 1, (int)RF_MIN(strcspn(q, "\n"), (size_t)20), q, MAX_SIZE);
        if (!none) {
            if (*nr == cap) {
                cap = cap ? cap * 2 : 1024;
                uint16_t *bigger = realloc(*sizes, cap * sizeof(**sizes));
                if (!bigger)
                    return rf_fail(err, RF_ENOMEM, "%s: no memory for %zu sizes", path, cap);
                *sizes = bigger;
            }
            (*sizes)[(*nr)++] = (uint16_t)v;
        }
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    return *nr ? 0 : rf_fail(err, RF_EINPUT, "%s: empty, expected one size a line", path);
}

int size_list_load(const char *path, uint16_t **sizes, size_t *nr, struct rf_err *err) {
    char *text;
    size_t len;
    int rc = zram_script_load(path, SIZE_MAX, &text, &len, err);
    *sizes = NULL;
    *nr = 0;
    if (rc != 0)
        return rc;
    char first = text[strspn(text, " \t\r\n")];
    if (first == '{' || first == '[')
        rc = from_json(path, text, len, sizes, nr, err);
    else
        rc = from_text(path, text, sizes, nr, err);
    free(text);
    if (rc != 0) {
        free(*sizes);
        *sizes = NULL;
    }
    return rc;
}
