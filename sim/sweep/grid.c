/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "config/value.h"

#define MAX_RANGE 1000000u

static int add_value(struct axis *a, const char *text, struct rf_err *err) {
    struct machine_config scratch;
    char **values;
    size_t len = strlen(text) + 1;
    int rc = machine_config_init(&scratch, SETTINGS_DEFAULT_KERNEL, err);

    if (rc == RF_OK)
        rc = knob_set(a->knob, &scratch, text, err);
    if (rc != RF_OK)
        return rc;
    values = realloc(a->values, (a->n + 1) * sizeof(*values));
    if (!values)
        return rf_fail(err, RF_ENOMEM, "no memory for the list of values");
    a->values = values;
    values[a->n] = malloc(len);
    if (!values[a->n])
        return rf_fail(err, RF_ENOMEM, "no memory for the list of values");
    memcpy(values[a->n++], text, len);
    return RF_OK;
}

/* Digits of *p into *v; what follows them becomes *p. */
static bool take_integer(const char **p, uint64_t *v) {
    const char *s = *p;

    *v = 0;
    if (*s < '0' || *s > '9')
        return false;
    for (; *s >= '0' && *s <= '9'; s++) {
        if (*v > (UINT64_MAX - 9) / 10)
            return false;
        *v = *v * 10 + (uint64_t)(*s - '0');
    }
    *p = s;
    return true;
}

/* "FIRST..LAST[:STEP]"; dots points at the "..". */
static int add_range(struct axis *a, const char *text, const char *dots, struct rf_err *err) {
    const char *p = text, *suffix_end = dots;
    char suffix[8], value[64];
    uint64_t first, last, step = 1;
    size_t len;

    if (!take_integer(&p, &first))
        goto bad;
    len = (size_t)(suffix_end - p);
    if (len >= sizeof(suffix))
        goto bad;
    memcpy(suffix, p, len);
    suffix[len] = '\0';
    p = dots + 2;
    if (!take_integer(&p, &last))
        goto bad;
    if (len == 0) { /* 10..90%: the suffix of the end holds for both */
        len = strcspn(p, ":");
        if (len >= sizeof(suffix))
            goto bad;
        memcpy(suffix, p, len);
        suffix[len] = '\0';
    }
    if (strncmp(p, suffix, strlen(suffix)) != 0)
        goto bad;
    p += strlen(suffix);
    if (*p == ':') {
        p++;
        if (!take_integer(&p, &step))
            goto bad;
        if (step == 0)
            return rf_fail(err, RF_EUSAGE, "range '%s' has a step of 0", text);
        if (strncmp(p, suffix, strlen(suffix)) == 0)
            p += strlen(suffix);
    }
    if (*p)
        goto bad;
    if (last < first)
        return rf_fail(err, RF_EUSAGE, "range '%s' ends before it begins", text);
    if ((last - first) / step >= MAX_RANGE)
        return rf_fail(err, RF_EUSAGE, "range '%s' has more than %u values", text, MAX_RANGE);
    for (uint64_t v = first; v <= last; v += step) {
        int rc;

        snprintf(value, sizeof(value), "%" PRIu64 "%s", v, suffix);
        rc = add_value(a, value, err);
        if (rc != RF_OK)
            return rc;
        if (last - v < step)
            break;
    }
    return RF_OK;
bad:
    return rf_fail(err, RF_EUSAGE,
                   "bad range '%s', expected FIRST..LAST or FIRST..LAST:STEP of whole numbers with "
                   "one suffix",
                   text);
}

static int fill_axis(struct axis *a, const char *list, struct rf_err *err) {
    char item[128];

    for (;;) {
        size_t len = strcspn(list, ",");
        const char *dots;
        int rc;

        if (len >= sizeof(item))
            return rf_fail(err, RF_EUSAGE, "value of more than %zu characters", sizeof(item) - 1);
        memcpy(item, list, len);
        item[len] = '\0';
        dots = strstr(item, "..");
        rc = dots ? add_range(a, item, dots, err) : add_value(a, item, err);
        if (rc != RF_OK)
            return rc;
        if (!list[len])
            return RF_OK;
        list += len + 1;
    }
}

int grid_add(struct grid *g, const struct knob_table *knobs, const char *text, struct rf_err *err) {
    const char *eq = strchr(text, '=');
    char key[128];
    struct axis *axes, *a;
    const struct knob *k;
    size_t len;

    if (!eq || eq == text || !eq[1])
        return rf_fail(err, RF_EUSAGE, "found '%s', expected KEY=LIST", text);
    len = (size_t)(eq - text);
    if (len >= sizeof(key))
        return rf_fail(err, RF_EUSAGE, "key of more than %zu characters", sizeof(key) - 1);
    memcpy(key, text, len);
    key[len] = '\0';
    k = knob_find(knobs, key, err);
    if (!k)
        return RF_EUSAGE;
    for (size_t i = 0; i < g->n; i++) {
        if (g->axes[i].knob == k)
            return rf_fail(err, RF_EUSAGE, "'%s' is swept twice", key);
    }
    axes = realloc(g->axes, (g->n + 1) * sizeof(*axes));
    if (!axes)
        return rf_fail(err, RF_ENOMEM, "no memory for the grid");
    g->axes = axes;
    a = &axes[g->n++];
    *a = (struct axis){.knob = k};
    return fill_axis(a, eq + 1, err);
}

int grid_add_along(struct grid *g, const struct knob_table *knobs, const char *text,
                   struct rf_err *err) {
    const struct axis *before;
    struct axis *a;
    int rc;

    if (!g->n)
        return rf_fail(err, RF_EUSAGE, "'%s' goes along with nothing", text);
    rc = grid_add(g, knobs, text, err);
    if (rc != RF_OK)
        return rc;
    a = &g->axes[g->n - 1];
    before = a - 1;
    a->along = true;
    if (a->n != before->n)
        return rf_fail(err, RF_EUSAGE, "'%s' has %zu values, '%s' before it has %zu", a->knob->key,
                       a->n, before->knob->key, before->n);
    return RF_OK;
}

/* ---- values that stand twice ---- */

struct tuple {
    char *text;
    size_t at;
};

static int by_text(const void *a, const void *b) {
    const struct tuple *x = a, *y = b;
    int d = strcmp(x->text, y->text);

    return d ? d : (x->at > y->at) - (x->at < y->at);
}

/* The values of [a, end), which go along with each other, as knobs show them: 1G is 1024M. */
static char *canonical(const struct axis *a, const struct axis *end, size_t at) {
    struct machine_config c;
    char *text = calloc((size_t)(end - a), 128);
    size_t n = 0;

    if (!text || machine_config_init(&c, SETTINGS_DEFAULT_KERNEL, NULL) != RF_OK) {
        free(text);
        return NULL;
    }
    for (; a < end; a++) {
        if (n)
            text[n++] = ',';
        if (knob_set(a->knob, &c, a->values[at], NULL) == RF_OK)
            n += strlen(knob_format(a->knob, &c, text + n, 127));
    }
    return text;
}

static int check_axes(const struct axis *a, const struct axis *end, struct rf_err *err) {
    struct tuple *t = calloc(a->n + 1, sizeof(*t));
    int rc = t ? RF_OK : rf_fail(err, RF_ENOMEM, "no memory for the list of values");

    for (size_t i = 0; i < a->n && rc == RF_OK; i++) {
        t[i] = (struct tuple){canonical(a, end, i), i};
        if (!t[i].text)
            rc = rf_fail(err, RF_ENOMEM, "no memory for the list of values");
    }
    if (rc == RF_OK)
        qsort(t, a->n, sizeof(*t), by_text);
    for (size_t i = 1; i < a->n && rc == RF_OK; i++) {
        const char *x = a->values[t[i - 1].at], *y = a->values[t[i].at];

        if (strcmp(t[i - 1].text, t[i].text) != 0)
            continue;
        rc = strcmp(x, y) == 0
                 ? rf_fail(err, RF_EUSAGE, "'%s' has the value %s twice%s", a->knob->key, x,
                           end - a > 1 ? ", with what goes along" : "")
                 : rf_fail(err, RF_EUSAGE, "'%s' has the values %s and %s, which are the same",
                           a->knob->key, x, y);
    }
    for (size_t i = 0; t && i < a->n; i++)
        free(t[i].text);
    free(t);
    return rc;
}

int grid_check(const struct grid *g, struct rf_err *err) {
    const struct axis *end = g->axes + g->n;
    int rc = RF_OK;

    for (const struct axis *a = g->axes, *next; a < end && rc == RF_OK; a = next) {
        for (next = a + 1; next < end && next->along; next++)
            ;
        rc = check_axes(a, next, err);
    }
    return rc;
}

void grid_free(struct grid *g) {
    for (size_t i = 0; i < g->n; i++) {
        for (size_t j = 0; j < g->axes[i].n; j++)
            free(g->axes[i].values[j]);
        free(g->axes[i].values);
    }
    free(g->axes);
    *g = (struct grid){0};
}

size_t grid_points(const struct grid *g) {
    size_t n = 1;

    for (size_t i = 0; i < g->n; i++) {
        if (g->axes[i].along)
            continue;
        if (g->axes[i].n && n > SIZE_MAX / g->axes[i].n)
            return SIZE_MAX;
        n *= g->axes[i].n;
    }
    return n;
}

void grid_point(const struct grid *g, size_t index, struct setting *out) {
    for (size_t i = g->n; i-- > 0;) {
        const struct axis *a = &g->axes[i];

        out[i] = (struct setting){.knob = a->knob, .value = a->values[index % a->n]};
        if (!a->along)
            index /= a->n;
    }
}
