/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share. BENCH_NAME is the name of the program. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "refault/error.h"

static inline double bench_seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* CPU time of this process, in seconds. */
static inline double bench_cpu(void) {
    return bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

_Noreturn static inline void bench_die(const char *what) {
    fprintf(stderr, BENCH_NAME ": %s\n", what);
    exit(3);
}

/* With the exit status of the error. */
_Noreturn static inline void bench_fail(const struct rf_err *err) {
    fprintf(stderr, BENCH_NAME ": %s\n", err->msg);
    exit(rf_exit_status(err->code));
}

static inline int bench_compare(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sorts v. */
static inline double bench_median(double *v, size_t n) {
    qsort(v, n, sizeof(*v), bench_compare);
    return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

#endif
