/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "refault/trace.h"

/* Files without a name are open as long as they exist. True if more can be open than before. */
static bool raise_open_files(void) {
    struct rlimit l;

    if (getrlimit(RLIMIT_NOFILE, &l) != 0 || l.rlim_cur >= l.rlim_max)
        return false;
    l.rlim_cur = l.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &l) == 0;
}

static int make_file(char *path) {
    size_t len = strlen(path);
    int fd = mkstemp(path);

    if (fd < 0 && errno == EMFILE && raise_open_files()) {
        memcpy(path + len - 6, "XXXXXX", 6); /* what a failed attempt leaves is undefined */
        fd = mkstemp(path);
    }
    return fd;
}

int scratch_open(struct scratch *s, struct rf_err *err) {
    const char *tmp = getenv("TMPDIR");
    char name[4096];

    *s = (struct scratch){.fd = -1};
    if (!tmp || !*tmp)
        tmp = "/tmp";
    if (snprintf(name, sizeof(name), "%s/refault-XXXXXX", tmp) >= (int)sizeof(name))
        return rf_fail(err, RF_EUSAGE, "TMPDIR: '%.80s...' is too long", tmp);
    s->fd = make_file(name);
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
