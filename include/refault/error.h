/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of librefault. Every fallible function returns 0 or one of the negative codes below
 * and, where it takes a struct rf_err, leaves one sentence there that names the place (file and
 * line or byte offset), what was found and what was expected. The library never prints or exits.
 */
#ifndef REFAULT_ERROR_H
#define REFAULT_ERROR_H

#include <stdarg.h>

#if defined(__GNUC__)
#define RF_MUST_CHECK __attribute__((warn_unused_result))
#define RF_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define RF_MUST_CHECK
#define RF_PRINTF(a, b)
#endif

enum rf_errc {
    RF_OK = 0,
    RF_EUSAGE = -1, /* wrong option, knob or value */
    RF_EINPUT = -2, /* an input that is missing, unreadable, damaged or unsuitable */
    RF_EIO = -3,    /* the operating system refused a write or another service */
    RF_ENOMEM = -4, /* the host has no memory */
    RF_ELIMIT = -5, /* a fixed limit of refault was reached */
    RF_ECHECK = -6, /* an invariant, verification or criterion failed */
};

struct rf_err {
    int code;
    char msg[512];
};

/* Records `code` and the formatted message, as rf_quote() shows it, in err (may be NULL) and
 * returns code. */
int rf_fail(struct rf_err *err, int code, const char *fmt, ...) RF_PRINTF(3, 4);
#ifdef __clang_analyzer__
/* Static analysis sees one file at a time: the macro tells it that the result is the code. */
#define rf_fail(err, code, ...) ((void)rf_fail(err, code, __VA_ARGS__), (code))
#endif

/* Puts "prefix: " before the message that err already holds; returns err->code. */
int rf_fail_prefix(struct rf_err *err, const char *fmt, ...) RF_PRINTF(2, 3);

/* Exit status that the program gives for a code: 0; 1 check failed; 2 usage or input; 3 the rest.
 */
int rf_exit_status(int code);

#endif
