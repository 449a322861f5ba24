/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/scenarios.h"

#include <stdlib.h>
#include "config/ini.h"

/* Looking for a name, and settings that are inherited all along, stay cheap with so many. */
#define MAX_SCENARIOS 4096u

struct reading {
    struct scenarios *s;
    const struct knob_table *knobs;
};

static char *copy_text(const char *s, size_t n) {
    char *c = malloc(n + 1);

    if (c) {
        memcpy(c, s, n);
        c[n] = '\0';
    }
    return c;
}

static int no_memory(struct rf_err *err) {
    return rf_fail(err, RF_ENOMEM, "no memory for scenarios");
}

static void free_scenario(struct scenario *c) {
    for (size_t i = 0; i < c->n; i++)
        free(c->v[i].value);
    free(c->v);
    free(c->name);
}

/* In place of the value that the knob had; what is set later stands later. */
static int add_setting(struct scenario *c, const struct knob *k, const char *value,
                       struct rf_err *err) {
    struct setting *v;
    size_t at = 0;

    while (at < c->n && c->v[at].knob != k)
        at++;
    if (at < c->n) {
        free(c->v[at].value);
        memmove(&c->v[at], &c->v[at + 1], (--c->n - at) * sizeof(*v));
    }
    v = realloc(c->v, (c->n + 1) * sizeof(*v));

    if (!v)
        return no_memory(err);
    c->v = v;
    v[c->n] = (struct setting){.knob = k, .value = copy_text(value, strlen(value))};
    if (!v[c->n].value)
        return no_memory(err);
    c->n++;
    return RF_OK;
}

static struct scenario *find(struct scenarios *s, const char *name, size_t len) {
    for (size_t i = 0; i < s->n; i++) {
        if (strlen(s->v[i].name) == len && memcmp(s->v[i].name, name, len) == 0)
            return &s->v[i];
    }
    return NULL;
}

/* "name" or "name : parent". */
static int on_section(void *ctx, const char *text, unsigned line, struct rf_err *err) {
    static const char names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    struct scenarios *s = ((struct reading *)ctx)->s;
    size_t len = strspn(text, names);
    const char *rest = text + len + strspn(text + len, " \t");
    struct scenario *v, *c, *parent;

    (void)line;
    if (!len || (*rest && *rest != ':'))
        return rf_fail(err, RF_EUSAGE, "'[%s]': expected [name] or [name : parent]", text);
    if (find(s, text, len))
        return rf_fail(err, RF_EUSAGE, "'[%s]': there is a scenario of that name", text);
    if (s->n == MAX_SCENARIOS)
        return rf_fail(err, RF_EUSAGE, "'[%s]': expected at most %u scenarios", text,
                       MAX_SCENARIOS);
    v = realloc(s->v, (s->n + 1) * sizeof(*v));
    if (!v)
        return no_memory(err);
    s->v = v;
    c = &v[s->n];
    *c = (struct scenario){.name = copy_text(text, len)};
    if (!c->name)
        return no_memory(err);
    if (*rest) {
        rest += 1 + strspn(rest + 1, " \t");
        parent = find(s, rest, strlen(rest));
        if (!parent) {
            free_scenario(c);
            return rf_fail(err, RF_EUSAGE, "'[%s]': no scenario '%s' stands before it", text, rest);
        }
        for (size_t i = 0; i < parent->n; i++) {
            if (add_setting(c, parent->v[i].knob, parent->v[i].value, err) != RF_OK) {
                free_scenario(c);
                return RF_ENOMEM;
            }
        }
    }
    s->n++;
    return RF_OK;
}

static int on_value(void *ctx, const char *key, const char *value, unsigned line,
                    struct rf_err *err) {
    struct reading *r = ctx;
    const struct knob *k = knob_find(r->knobs, key, err);
    struct machine_config scratch;
    int rc;

    (void)line;
    if (!k)
        return RF_EUSAGE;
    if (!r->s->n)
        return rf_fail(err, RF_EUSAGE, "'%s' stands before the first [scenario]", key);
    rc = machine_config_init(&scratch, SETTINGS_DEFAULT_KERNEL, err);
    if (rc == RF_OK)
        rc = knob_set(k, &scratch, value, err);
    return rc == RF_OK ? add_setting(&r->s->v[r->s->n - 1], k, value, err) : rc;
}

int scenarios_read(struct scenarios *s, const struct knob_table *knobs, const char *path,
                   struct rf_err *err) {
    struct reading r = {.s = s, .knobs = knobs};
    size_t kept = 0;
    int rc;

    *s = (struct scenarios){0};
    rc = ini_read_sections(path, on_section, on_value, &r, err);
    for (size_t i = 0; i < s->n; i++) {
        if (s->v[i].name[0] == '_') {
            free_scenario(&s->v[i]);
            continue;
        }
        s->most = RF_MAX(s->most, s->v[i].n);
        s->v[kept++] = s->v[i];
    }
    s->n = kept;
    if (rc == RF_OK && !kept)
        rc = rf_fail(err, RF_EUSAGE, "%s: found no scenario, expected a section [name]", path);
    if (rc != RF_OK)
        scenarios_free(s);
    return rc;
}

void scenarios_free(struct scenarios *s) {
    for (size_t i = 0; i < s->n; i++)
        free_scenario(&s->v[i]);
    free(s->v);
    *s = (struct scenarios){0};
}
