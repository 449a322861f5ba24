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
