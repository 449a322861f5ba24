/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damage to a trace file: cut off at many places, and with bytes changed. Each damaged file is
 * opened and decoded to its end, contents included; that has to end in success or in RF_EINPUT with
 * one line that names a byte offset.
 */
#ifndef REFAULT_TESTS_TRACE_DAMAGE_H
#define REFAULT_TESTS_TRACE_DAMAGE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "refault/trace.h"

struct damage_result {
    unsigned opened, refused, wrong;
    char first_wrong[640];
};

/* Opens and decodes everything; returns the code. */
static inline int decode_all(const char *path, struct rf_err *err) {
    struct trace_reader *r;
    struct trace_block b;
    struct content_set *cs = NULL;
    int rc = trace_open(path, &r, err);
    if (rc)
        return rc;
    while ((rc = trace_next(r, &b, err)) == 1)
        ;
    if (!rc)
        rc = trace_load_content(r, &cs, err);
    if (!rc)
        content_free(cs);
    trace_close(r);
    return rc;
}

static inline void try_damaged(const char *path, const char *what, uint64_t at,
                               struct damage_result *d) {
    struct rf_err err = {0};
    int rc = decode_all(path, &err);
    const char *offset = strstr(err.msg, "offset ");
    if (rc == 0) {
        d->opened++;
    } else if (rc == RF_EINPUT && offset && offset[7] >= '0' && offset[7] <= '9' &&
               !strchr(err.msg, '\n')) {
        d->refused++;
    } else {
        if (!d->wrong)
            (void)snprintf(d->first_wrong, sizeof(d->first_wrong), "%s at %llu: code %d: %s", what,
                           (unsigned long long)at, rc, err.msg);
        d->wrong++;
    }
}

/* Works on a copy of the n bytes of file at `path`, which is created. Of all the damage it does
 * that with a number of `share` modulo `shares`, so that several threads can do all of it. */
static inline int damage_file(const char *path, const uint8_t *file, size_t n, unsigned cuts,
                              unsigned flips, uint64_t seed, unsigned share, unsigned shares,
                              struct damage_result *d) {
    struct rf_rng rng;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    *d = (struct damage_result){0};
    rf_rng_seed(&rng, seed);
    if (fd < 0 || pwrite(fd, file, n, 0) != (ssize_t)n)
        return -1;
    for (unsigned i = 0; i < flips; i++) {
        /* every fourth in the header or the first block's header, or in the last 256 bytes */
        uint64_t at = i % 4   ? rf_rng_below(&rng, n)
                      : i % 8 ? rf_rng_below(&rng, RF_MIN(n, 192))
                              : n - 1 - rf_rng_below(&rng, RF_MIN(n, 256));
        uint8_t bad = (uint8_t)(file[at] ^ (1 + rf_rng_below(&rng, 255)));
        if (i % shares != share)
            continue;
        if (pwrite(fd, &bad, 1, (off_t)at) != 1)
            return -1;
        try_damaged(path, "byte changed", at, d);
        if (pwrite(fd, &file[at], 1, (off_t)at) != 1)
            return -1;
    }
    /* descending, so that the file need not be written again */
    for (unsigned i = 0; i < cuts; i++) {
        uint64_t at = (uint64_t)n * (cuts - i) / cuts;
        at -= i < 64 ? RF_MIN(at, i + 1) : RF_MIN(at, rf_rng_below(&rng, n / cuts + 1));
        if (i % shares != share)
            continue;
        if (ftruncate(fd, (off_t)at) != 0)
            return -1;
        try_damaged(path, "cut off", at, d);
    }
    close(fd);
    return 0;
}

#endif
