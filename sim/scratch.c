/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_TMPFILE */
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
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

/* Without a name from the start where the file system can do that; else there is a name for a
 * moment, in which a signal leaves it behind. */
static int make_file_once(const char *dir, char *name) {
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0 || errno == EMFILE)
        return fd;
    fd = mkstemp(name);
    if (fd >= 0)
        unlink(name);
    return fd;
}

static int make_file(const char *dir, char *name) {
    size_t len = strlen(name);
    int fd = make_file_once(dir, name);

    if (fd < 0 && errno == EMFILE && raise_open_files()) {
        memcpy(name + len - 6, "XXXXXX", 6); /* what a failed attempt leaves is undefined */
        fd = make_file_once(dir, name);
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
    s->fd = make_file(tmp, name);
    if (s->fd < 0)
        return rf_fail(err, RF_EIO, "%s: no temporary file: %s", tmp, strerror(errno));
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
