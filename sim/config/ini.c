/* SPDX-License-Identifier: Apache-2.0 */
#include "config/ini.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static char *trim(char *s) {
    size_t n;

    while (is_space(*s))
        s++;
    n = strlen(s);
    while (n && is_space(s[n - 1]))
        s[--n] = '\0';
    return s;
}

/* A comment begins at # or ; at the start or after white space. */
static void cut_comment(char *s) {
    for (char *p = s; *p; p++) {
        if ((*p == '#' || *p == ';') && (p == s || is_space(p[-1]))) {
            *p = '\0';
            return;
        }
    }
}

struct seen_key {
    char *key;
    unsigned line;
};

struct sink {
    ini_section_fn section; /* NULL: the section's name is part of the key */
    ini_fn value;
    void *ctx;
    /* Keys that were taken, of the section if there are such: few, as there are few to take. */
    struct seen_key *seen;
    size_t nr_seen;
};

static void forget_keys(struct sink *to) {
    for (size_t i = 0; i < to->nr_seen; i++)
        free(to->seen[i].key);
    free(to->seen);
    to->seen = NULL;
    to->nr_seen = 0;
}

static int take_value(struct sink *to, const char *key, const char *value, unsigned line,
                      struct rf_err *err) {
    struct seen_key *bigger;
    int rc;

    for (size_t i = 0; i < to->nr_seen; i++) {
        if (strcmp(to->seen[i].key, key) == 0)
            return rf_fail(err, RF_EUSAGE, "'%s' stands twice, first in line %u", key,
                           to->seen[i].line);
    }
    rc = to->value(to->ctx, key, value, line, err);
    if (rc != RF_OK)
        return rc;
    bigger = realloc(to->seen, (to->nr_seen + 1) * sizeof(*bigger));
    if (bigger) {
        to->seen = bigger;
        bigger[to->nr_seen] = (struct seen_key){strdup(key), line};
        if (bigger[to->nr_seen].key) {
            to->nr_seen++;
            return RF_OK;
        }
    }
    return rf_fail(err, RF_ENOMEM, "no memory for the keys of a file");
}

static int read_line(char *text, char *section, size_t section_size, struct sink *to, unsigned line,
                     struct rf_err *err) {
    char key[256], *s, *eq;
    int n;

    cut_comment(text);
    s = trim(text);
    if (!*s)
        return RF_OK;
    if (*s == '[') {
        size_t len = strlen(s);

        if (s[len - 1] != ']' || len < 3 || len - 2 >= section_size)
            return rf_fail(err, RF_EUSAGE, "'%s' is not a section, expected [name]", s);
        memcpy(section, s + 1, len - 2);
        section[len - 2] = '\0';
        if (!to->section)
            return RF_OK;
        forget_keys(to);
        return to->section(to->ctx, section, line, err);
    }
    eq = strchr(s, '=');
    if (!eq || eq == s)
        return rf_fail(err, RF_EUSAGE, "found '%s', expected name = value", s);
    *eq = '\0';
    if (to->section)
        n = snprintf(key, sizeof(key), "%s", trim(s));
    else
        n = snprintf(key, sizeof(key), "%s%s%s", section, *section ? "." : "", trim(s));
    if (n < 0 || (size_t)n >= sizeof(key))
        return rf_fail(err, RF_EUSAGE, "name of more than %zu characters", sizeof(key) - 1);
    return take_value(to, key, trim(eq + 1), line, err);
}

/* Some editors begin UTF-8 with U+FEFF. */
static char *skip_mark(char *text) {
    return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
}

/* Of a file; settings without an end are refused. */
#define MAX_LINES 65536

static int read_file(const char *path, struct sink *to, struct rf_err *err) {
    FILE *f = fopen(path, "re");
    char text[1024], section[128] = "";
    unsigned line = 0;
    int rc = RF_OK;

    if (!f)
        return rf_fail(err, RF_EINPUT, "%s: cannot be opened: %s", path, strerror(errno));
    while (rc == RF_OK) {
        size_t len = sizeof(text);

        memset(text, 1, sizeof(text));
        if (!fgets(text, sizeof(text), f))
            break;
        while (text[len - 1]) /* fgets() ends with the last 0 that it leaves */
            len--;
        line++;
        if (line > MAX_LINES)
            rc = rf_fail(err, RF_EINPUT, "expected at most %d lines", MAX_LINES);
        else if (strlen(text) < len - 1)
            rc = rf_fail(err, RF_EUSAGE, "found a byte 0, expected text");
        else if (!strchr(text, '\n') && !feof(f))
            rc = rf_fail(err, RF_EUSAGE, "line of more than %zu characters", sizeof(text) - 2);
        else
            rc = read_line(line == 1 ? skip_mark(text) : text, section, sizeof(section), to, line,
                           err);
        if (rc != RF_OK)
            rf_fail_prefix(err, "%s:%u", path, line);
    }
    if (rc == RF_OK && ferror(f))
        rc = rf_fail(err, RF_EINPUT, "%s: %s", path, strerror(errno));
    forget_keys(to);
    fclose(f);
    return rc;
}

int ini_read(const char *path, ini_fn fn, void *ctx, struct rf_err *err) {
    return read_file(path, &(struct sink){.value = fn, .ctx = ctx}, err);
}

int ini_read_sections(const char *path, ini_section_fn section, ini_fn fn, void *ctx,
                      struct rf_err *err) {
    return read_file(path, &(struct sink){.section = section, .value = fn, .ctx = ctx}, err);
}
