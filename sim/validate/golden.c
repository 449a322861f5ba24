/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/golden.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

size_t golden_kind_length(const char *name) {
    return strcspn(name, "_");
}

bool golden_has_word(const char *name, const char *word) {
    size_t n = strlen(word);

    for (const char *p = name; *p;) {
        size_t len = strcspn(p, "_");

        if (len == n && memcmp(p, word, n) == 0)
            return true;
        p += len + (p[len] == '_');
    }
    return false;
}

int golden_word_number(const char *name, const char *prefix) {
    size_t n = strlen(prefix);

    for (const char *p = name; *p;) {
        size_t len = strcspn(p, "_");
        char *end;

        if (len > n && len < n + 4 && memcmp(p, prefix, n) == 0 && p[n] >= '0' && p[n] <= '9') {
            long v = strtol(p + n, &end, 10);

            if (end == p + len)
                return (int)v;
        }
        p += len + (p[len] == '_');
    }
    return -1;
}

/* Larger than any counter of a run; differences of two such numbers do not overflow. */
#define COUNTER_MAX ((int64_t)1 << 61)

int64_t golden_integer(const json_t *number) {
    double v = json_number_value(number); /* 0 if it is none */

    if (v >= (double)COUNTER_MAX)
        return COUNTER_MAX;
    if (v <= (double)-COUNTER_MAX)
        return -COUNTER_MAX;
    return json_is_integer(number) ? json_integer_value(number) : (int64_t)v;
}

bool golden_band(const struct golden *g, const char *counter, struct band *out) {
    const json_t *b = json_object_get(g->counters, counter);

    *out = (struct band){0};
    if (!json_is_array(b) || json_array_size(b) != 3)
        return false;
    out->min = golden_integer(json_array_get(b, 0));
    out->median = golden_integer(json_array_get(b, 1));
    out->max = golden_integer(json_array_get(b, 2));
    return true;
}

const char *golden_text(const struct golden *g, const char *key) {
    const char *s = json_string_value(json_object_get(g->config, key));

    return s ? s : "";
}

int64_t golden_number(const json_t *object, const char *key, int64_t otherwise) {
    const json_t *v = json_object_get(object, key);
    const char *s = json_string_value(v);
    char *end;
    long long n;

    if (json_is_number(v))
        return golden_integer(v);
    if (!s || !*s)
        return otherwise;
    n = strtoll(s, &end, 0);
    return *end ? otherwise : n;
}

/* ---- reading ---- */

/* 16 TiB of pages, the most that a trace can have. */
#define REGION_MAX ((int64_t)1 << 27)

/* A name that is printed, and (of a trace or bank) part of a path. */
static bool good_name(const char *s) {
    size_t n = strlen(s);

    if (n == 0 || n > 100)
        return false;
    for (unsigned len; *s; s += len) {
        len = rf_utf8_length(s);
        if (!len || *s == ' ' || *s == '/')
            return false;
    }
    return true;
}

static int check_names(const struct golden *g, struct rf_err *err) {
    const struct {
        const char *key, *value;
    } names[] = {{"case", g->name}, {"trace", g->trace}, {"bank", g->bank}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!good_name(names[i].value))
            return rf_fail(err, RF_EINPUT,
                           "%s: \"%s\" is '%.40s', expected 1 to 100 characters without blanks "
                           "and slashes",
                           g->path, names[i].key, names[i].value);
    }
    return RF_OK;
}

/* A run of 6.12.117-oracle lies in the folder 6.12. */
static int check_kernel(const struct golden *g, struct rf_err *err) {
    const char *version = json_string_value(json_object_get(g->root, "kernel"));
    size_t n = strlen(g->kernel);

    if (version &&
        (strncmp(version, g->kernel, n) != 0 || (version[n] >= '0' && version[n] <= '9')))
        return rf_fail(err, RF_EINPUT, "%s: \"kernel\" is '%.40s', expected %s as its folder",
                       g->path, version, g->kernel);
    return RF_OK;
}

/* Every counter is [min, median, max]. */
static int check_counters(const struct golden *g, struct rf_err *err) {
    const char *name;
    json_t *value;

    json_object_foreach(g->counters, name, value) {
        struct band b;
        bool good = golden_band(g, name, &b) && b.min <= b.median && b.median <= b.max &&
                    b.min > -COUNTER_MAX && b.max < COUNTER_MAX;

        for (size_t i = 0; i < 3 && good; i++)
            good = json_is_number(json_array_get(value, i));
        if (!good)
            return rf_fail(err, RF_EINPUT, "%s: counter '%.60s', expected [min, median, max]",
                           g->path, name);
    }
    return RF_OK;
}

/* *out is NULL if the file does not have the digest. */
static int load_digest(const struct golden *g, const char *key, const char **out,
                       struct rf_err *err) {
    const json_t *v = json_object_get(g->root, key);

    *out = json_string_value(v);
    if (v && (!*out || strlen(*out) != 64 || strspn(*out, "0123456789abcdef") != 64))
        return rf_fail(err, RF_EINPUT, "%s: \"%s\", expected 64 hexadecimal digits", g->path, key);
    return RF_OK;
}

/* The final residency, four pages a digit. */
static int check_bitmap(const struct golden *g, struct rf_err *err) {
    const json_t *v = json_object_get(g->root, "final_present_bitmap_rep0");
    const char *map = json_string_value(v);

    if (map && map[strspn(map, "0123456789abcdef")] != '\0')
        return rf_fail(err, RF_EINPUT,
                       "%s: \"final_present_bitmap_rep0\", expected hexadecimal digits", g->path);
    return RF_OK;
}

static int load(struct golden *g, const char *dir, const char *kernel, const char *file,
                struct rf_err *err) {
    size_t room = strlen(dir) + strlen(kernel) + strlen(file) + 3;
    json_error_t je;
    struct stat st;
    int64_t pages, ops;
    FILE *f;
    int rc;

    *g = (struct golden){0};
    g->path = malloc(room);
    if (!g->path)
        return rf_fail(err, RF_ENOMEM, "no memory for the cases");
    snprintf(g->path, room, "%s/%s/%s", dir, kernel, file);
    snprintf(g->kernel, sizeof(g->kernel), "%s", kernel);
    if (stat(g->path, &st) == 0 && !S_ISREG(st.st_mode))
        return rf_fail(err, RF_EINPUT, "%s: not a file", g->path);
    f = fopen(g->path, "r");
    if (!f)
        return rf_fail(err, RF_EINPUT, "%s: cannot be opened: %s", g->path, strerror(errno));
    g->root = json_loadf(f, 0, &je);
    fclose(f);
    if (!g->root)
        return rf_fail(err, RF_EINPUT, "%s: line %d: %s", g->path, je.line, je.text);
    g->name = json_string_value(json_object_get(g->root, "case"));
    g->trace = json_string_value(json_object_get(g->root, "trace"));
    g->bank = json_string_value(json_object_get(g->root, "bank"));
    g->config = json_object_get(g->root, "config");
    g->counters = json_object_get(g->root, "counters");
    ops = golden_number(g->root, "trace_ops", json_object_get(g->root, "trace_ops") ? -1 : 0);
    pages = golden_number(g->root, "region_pages", 0);
    if (!g->name || !g->trace || !g->bank)
        return rf_fail(err, RF_EINPUT, "%s: no \"case\", \"trace\" and \"bank\", expected strings",
                       g->path);
    if (pages < 0 || pages > REGION_MAX)
        return rf_fail(err, RF_EINPUT, "%s: %lld region_pages, expected at most %lld", g->path,
                       (long long)pages, (long long)REGION_MAX);
    if (ops < 0)
        return rf_fail(err, RF_EINPUT, "%s: \"trace_ops\", expected a number of operations",
                       g->path);
    g->region_pages = (uint64_t)pages;
    g->ops = (uint64_t)ops;
    rc = check_names(g, err);
    if (rc == RF_OK)
        rc = golden_check_types(g, err);
    if (rc == RF_OK)
        rc = check_kernel(g, err);
    if (rc == RF_OK)
        rc = check_counters(g, err);
    if (rc == RF_OK)
        rc = load_digest(g, "trace_sha256", &g->trace_sha256, err);
    if (rc == RF_OK)
        rc = load_digest(g, "bank_sha256", &g->bank_sha256, err);
    if (rc == RF_OK)
        rc = check_bitmap(g, err);
    if (rc != RF_OK)
        return rc;
    g->direct = strncmp(g->name, "zr_", 3) == 0;
    g->always_oom = json_object_size(g->counters) == 0;
    if (g->always_oom) {
        g->counters = NULL;
        if (golden_number(g->root, "oom_killed_reps", 0) == 0)
            return rf_fail(err, RF_EINPUT, "%s: no counters, and no repetition ended by OOM",
                           g->path);
    } else if (!json_is_object(g->config)) {
        return rf_fail(err, RF_EINPUT, "%s: no \"config\", expected an object", g->path);
    }
    return RF_OK;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in a folder that fit, sorted. */
static int list_names(const char *dir, bool folders, char ***out, size_t *n, struct rf_err *err) {
    DIR *d = opendir(dir);
    struct dirent *e;
    char path[4096];
    struct stat st;

    *out = NULL;
    *n = 0;
    if (!d)
        return rf_fail(err, RF_EINPUT, "%s: cannot read the folder: %s", dir, strerror(errno));
    while ((e = readdir(d))) {
        const char *dot = strrchr(e->d_name, '.');
        char **bigger;

        if (folders) {
            snprintf(path, sizeof(path), "%.3000s/%.500s", dir, e->d_name);
            if (e->d_name[0] < '0' || e->d_name[0] > '9' || stat(path, &st) != 0 ||
                !S_ISDIR(st.st_mode))
                continue;
        } else if (!dot || strcmp(dot, ".json") != 0) {
            continue;
        }
        bigger = realloc(*out, (*n + 1) * sizeof(**out));
        if (bigger) {
            *out = bigger;
            bigger[*n] = malloc(strlen(e->d_name) + 1);
            if (bigger[*n]) {
                memcpy(bigger[*n], e->d_name, strlen(e->d_name) + 1);
                (*n)++;
                continue;
            }
        }
        closedir(d);
        return rf_fail(err, RF_ENOMEM, "no memory for the names in %s", dir);
    }
    closedir(d);
    if (*n)
        qsort(*out, *n, sizeof(**out), by_name);
    return RF_OK;
}

static void free_names(char **names, size_t n) {
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

/*
 * A case that always ends by OOM was recorded without its knobs. They are those of the case whose
 * name is its name without the last words; what these words say is applied on top.
 */
static void inherit(struct golden_list *l, struct golden *g) {
    const struct golden *best = NULL;
    size_t best_len = 0;

    for (size_t i = 0; i < l->n; i++) {
        const struct golden *o = &l->v[i];
        size_t n = strlen(o->name);
        bool prefix = strncmp(g->name, o->name, n) == 0 && g->name[n] == '_';
        bool family = golden_kind_length(o->name) == golden_kind_length(g->name) &&
                      strncmp(g->name, o->name, golden_kind_length(g->name)) == 0;

        if (strcmp(o->kernel, g->kernel) != 0 || o->always_oom || !(prefix || family))
            continue;
        n = prefix ? n + 2 : strcmp(o->trace, g->trace) == 0 ? 2 : 1;
        if (n > best_len) {
            best = o;
            best_len = n;
        }
    }
    if (!best)
        return;
    g->inherited = true;
    g->config = best->config;
    if (!g->bank_sha256 && strcmp(best->bank, g->bank) == 0)
        g->bank_sha256 = best->bank_sha256;
    if (!g->region_pages && strcmp(best->trace, g->trace) == 0)
        g->region_pages = best->region_pages;
}

int golden_list_load(struct golden_list *l, const char *dir, const char *kernel,
                     struct rf_err *err) {
    char **kernels = NULL, **files;
    size_t nr_kernels = 0, nr_files;
    int rc = list_names(dir, true, &kernels, &nr_kernels, err);

    *l = (struct golden_list){0};
    for (size_t k = 0; k < nr_kernels && rc == RF_OK; k++) {
        char path[4096];
        struct golden *bigger;

        if (kernel && strcmp(kernel, kernels[k]) != 0)
            continue;
        snprintf(path, sizeof(path), "%.3000s/%.500s", dir, kernels[k]);
        rc = list_names(path, false, &files, &nr_files, err);
        bigger = rc == RF_OK && nr_files ? realloc(l->v, (l->n + nr_files) * sizeof(*l->v)) : l->v;
        if (rc == RF_OK && nr_files && !bigger)
            rc = rf_fail(err, RF_ENOMEM, "no memory for the cases");
        else
            l->v = bigger;
        for (size_t i = 0; i < nr_files && rc == RF_OK; i++)
            rc = load(&l->v[l->n++], dir, kernels[k], files[i], err);
        free_names(files, nr_files);
    }
    free_names(kernels, nr_kernels);
    if (rc == RF_OK && l->n == 0)
        rc = rf_fail(err, RF_EINPUT, "%s: no case, expected %s/*.json", dir,
                     kernel ? kernel : "KERNEL");
    for (size_t i = 0; i < l->n && rc == RF_OK; i++) {
        if (l->v[i].always_oom && !json_is_object(l->v[i].config))
            inherit(l, &l->v[i]);
    }
    if (rc != RF_OK)
        golden_list_free(l);
    return rc;
}

void golden_list_free(struct golden_list *l) {
    for (size_t i = 0; i < l->n; i++) {
        json_decref(l->v[i].root);
        free(l->v[i].path);
    }
    free(l->v);
    *l = (struct golden_list){0};
}
