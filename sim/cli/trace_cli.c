/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/trace_cli.h"

#include <errno.h>
#include <stdlib.h>

#include "leftovers.h"

int trace_cli_error(const struct rf_err *err) {
    return cli_fail(err);
}

bool trace_cli_count(const char *option, const char *text, uint64_t *out, struct rf_err *err) {
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    const char *u = *end ? strchr(units, *end >= 'a' ? *end - 32 : *end) : NULL;
    unsigned shift = u ? 10u * (unsigned)(u - units + 1) : 0;
    if (text[0] < '0' || text[0] > '9' || errno || (*end && (!u || end[1])) ||
        v > UINT64_MAX >> shift) {
        rf_fail(err, RF_EUSAGE,
                "%s: bad value '%s', expected a number, with K M G T for powers of 1024", option,
                text);
        return false;
    }
    *out = (uint64_t)v << shift;
    return true;
}

bool trace_cli_positive(const char *option, const char *text, uint64_t *out, struct rf_err *err) {
    if (!trace_cli_count(option, text, out, err))
        return false;
    if (*out == 0)
        rf_fail(err, RF_EUSAGE, "%s: bad value '0', expected at least 1", option);
    return *out != 0;
}

bool trace_cli_level(const char *text, int *out, struct rf_err *err) {
    char *end;
    long v = strtol(text, &end, 10);
    if (end == text || *end || v < 1 || v > 22) {
        rf_fail(err, RF_EUSAGE, "--level: bad value '%s', expected a level of zstd, 1 to 22", text);
        return false;
    }
    *out = (int)v;
    return true;
}

bool trace_cli_contents(const char *spec, struct rf_err *err) {
    struct content_set *set;
    if (content_synthetic(spec, 0, &set, err)) {
        rf_fail_prefix(err, "--contents");
        return false;
    }
    content_free(set);
    return true;
}

int trace_cli_bad_option(const char *command, const struct option *longs, int c, char **argv) {
    const char *word = argv[optind > 0 ? optind - 1 : 0];

    return rf_exit_status(cli_getopt_error(cli_command_find(command), longs, c, word));
}

int trace_cli_writing(const char *path, const char *const *inputs, const char *contents,
                      char **part, struct rf_err *err) {
    size_t size = strlen(path) + sizeof(TRACE_PART);
    int rc = RF_OK;

    *part = malloc(size);
    if (!*part)
        return rf_fail(err, RF_ENOMEM, "%s: no memory for its name", path);
    snprintf(*part, size, "%s" TRACE_PART, path);
    for (; *inputs && rc == RF_OK; inputs++) {
        rc = output_keeps(path, *inputs, err);
        if (rc == RF_OK)
            rc = output_keeps(*part, *inputs, err);
    }
    if (rc == RF_OK && contents)
        rc = output_keeps_contents(path, contents, err);
    if (rc == RF_OK && contents)
        rc = output_keeps_contents(*part, contents, err);
    if (rc != RF_OK) {
        free(*part);
        *part = NULL;
        return rc;
    }
    leftovers_add(*part);
    return RF_OK;
}

void trace_cli_written(char *part) {
    if (part)
        leftovers_drop(part);
    free(part);
}
