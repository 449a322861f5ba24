/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "refault/trace.h"

int scratch_open(struct scratch *s, struct rf_err *err) {
    const char *tmp = getenv("TMPDIR");
    char name[4096];

    *s = (struct scratch){.fd = -1};
    if (!tmp || !*tmp)
        tmp = "/tmp";
    if (snprintf(name, sizeof(name), "%s/refault-XXXXXX", tmp) >= (int)sizeof(name))
        return rf_fail(err, RF_EUSAGE, "TMPDIR: '%.80s...' is too long", tmp);
    s->fd = mkstemp(name);
    if (s->fd < 0)
        return rf_fail(err, RF_EIO, "%s: no temporary file: %s", tmp, strerror(errno));
    unlink(name);
    snprintf(s->path, sizeof(s->path), TRACE_OPEN_FILE "%d", s->fd);
    if (access(s->path, R_OK | W_OK) == 0)
        return RF_OK;
    rf_fail(err, RF_EIO, "%s: %s", s->path, strerror(errno));
    scratch_close(s);
    return err->code;
}

void scratch_close(struct scratch *s) {
    if (s->path[0])
        close(s->fd);
    *s = (struct scratch){.fd = -1};
}
