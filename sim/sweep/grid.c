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
