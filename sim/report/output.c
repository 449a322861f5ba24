/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <errno.h>
#include <sys/stat.h>

int output_open(struct output *o, const char *path, struct rf_err *err) {
    o->path = path;
    if (strcmp(path, "-") == 0) {
        o->path = "stdout";
        o->f = stdout;
        return RF_OK;
    }
    o->f = fopen(path, "we");
    if (!o->f)
        return rf_fail(err, RF_EIO, "cannot write %s: %s", path, strerror(errno));
    return RF_OK;
}

int output_keeps(const char *path, const char *input, struct rf_err *err) {
    struct stat a, b;

    if (!path || strcmp(path, "-") == 0 || stat(path, &a) != 0 || stat(input, &b) != 0)
        return RF_OK;
    if (S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        return rf_fail(err, RF_EUSAGE, "%s: is an input, it would be overwritten", path);
    return RF_OK;
}

int output_close(struct output *o, struct rf_err *err) {
    bool bad;

    errno = 0;
    bad = fflush(o->f) != 0 || ferror(o->f);
    if (o->f != stdout && fclose(o->f) != 0)
        bad = true;
    o->f = NULL;
    if (bad)
        return rf_fail(err, RF_EIO, "cannot write %s: %s", o->path,
                       errno ? strerror(errno) : "write error");
    return RF_OK;
}

/* ---- several of them ---- */

static const char *const option_names[NR_OUTPUTS] = {
    [OUT_JSON] = "json", [OUT_CSV] = "csv", [OUT_HTML] = "html"};

int outputs_check(const struct outputs *o, struct rf_err *err) {
    for (size_t i = 0; i < NR_OUTPUTS; i++) {
        for (size_t j = i + 1; j < NR_OUTPUTS; j++) {
            if (!o->path[i] || !o->path[j] || strcmp(o->path[i], o->path[j]) != 0)
                continue;
            if (strcmp(o->path[i], "-") == 0)
                return rf_fail(err, RF_EUSAGE, "--%s - and --%s - cannot both have stdout",
                               option_names[i], option_names[j]);
            return rf_fail(err, RF_EUSAGE, "--%s and --%s cannot both be %s", option_names[i],
                           option_names[j], o->path[i]);
        }
    }
    return RF_OK;
}

int outputs_keep(const struct outputs *o, const char *input, struct rf_err *err) {
    int rc = RF_OK;

    for (size_t i = 0; i < NR_OUTPUTS && rc == RF_OK; i++)
        rc = output_keeps(o->path[i], input, err);
    return rc;
}

int outputs_open(struct outputs *o, struct rf_err *err) {
    int rc = RF_OK;

    for (size_t i = 0; i < NR_OUTPUTS && rc == RF_OK; i++) {
        if (o->path[i])
            rc = output_open(&o->o[i], o->path[i], err);
    }
    return rc;
}

int outputs_close(struct outputs *o, int rc, struct rf_err *err) {
    struct rf_err ignored;

    for (size_t i = 0; i < NR_OUTPUTS; i++) {
        int closed = o->o[i].f ? output_close(&o->o[i], rc == RF_OK ? err : &ignored) : RF_OK;

        if (rc == RF_OK)
            rc = closed;
    }
    return rc;
}

bool outputs_take_stdout(const struct outputs *o) {
    for (size_t i = 0; i < NR_OUTPUTS; i++) {
        if (o->path[i] && strcmp(o->path[i], "-") == 0)
            return true;
    }
    return false;
}
