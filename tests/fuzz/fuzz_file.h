/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzers of file formats: the input as a file without a disk. */
#ifndef REFAULT_TESTS_FUZZ_FILE_H
#define REFAULT_TESTS_FUZZ_FILE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file of n bytes; its path is valid until fuzz_file_end(). */
static inline int fuzz_file(const uint8_t *data, size_t n, char path[32]) {
    int fd = memfd_create("fuzz", 0);
    if (fd < 0 || (n && write(fd, data, n) != (ssize_t)n))
        abort();
    (void)snprintf(path, 32, "/proc/self/fd/%d", fd);
    return fd;
}

static inline void fuzz_file_end(int fd) {
    close(fd);
}

/* An output path of this process. */
static inline const char *fuzz_output(void) {
    static char path[64];
    (void)snprintf(path, sizeof(path), "/tmp/refault-fuzz-%d.rft", (int)getpid());
    return path;
}

#endif
