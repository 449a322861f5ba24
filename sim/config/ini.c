/* SPDX-License-Identifier: Apache-2.0 */
#include "config/ini.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
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

struct sink {
    ini_section_fn section; /* NULL: the section's name is part of the key */
    ini_fn value;
    void *ctx;
};

static int read_line(char *text, char *section, size_t section_size, const struct sink *to,
                     unsigned line, struct rf_err *err) {
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
        return to->section ? to->section(to->ctx, section, line, err) : RF_OK;
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
    return to->value(to->ctx, key, trim(eq + 1), line, err);
}

/* Some editors begin UTF-8 with U+FEFF. */
static char *skip_mark(char *text) {
    return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
}

/* Of a file; settings without an end are refused. */
#define MAX_LINES 65536

static int read_file(const char *path, const struct sink *to, struct rf_err *err) {
    FILE *f = fopen(path, "re");
    char text[1024], section[128] = "";
    unsigned line = 0;
    int rc = RF_OK;

    if (!f)
        return rf_fail(err, RF_EINPUT, "%s: %s", path, strerror(errno));
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
