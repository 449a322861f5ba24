/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "refault/base.h"

/* Messages repeat what was found in files and on command lines. */
static void put(char *dst, size_t size, const char *fmt, va_list ap) {
    char text[sizeof(((struct rf_err *)NULL)->msg)];

    if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
        text[0] = '\0';
    rf_quote(dst, size, text);
}

#undef rf_fail /* of static analysis */
int rf_fail(struct rf_err *err, int code, const char *fmt, ...) {
    if (err) {
        va_list ap;

        err->code = code;
        va_start(ap, fmt);
        put(err->msg, sizeof(err->msg), fmt, ap);
        va_end(ap);
    }
    return code;
}

int rf_fail_prefix(struct rf_err *err, const char *fmt, ...) {
    char prefix[sizeof(err->msg)], whole[2 * sizeof(err->msg) + 2];
    va_list ap;

    va_start(ap, fmt);
    put(prefix, sizeof(prefix), fmt, ap);
    va_end(ap);
    snprintf(whole, sizeof(whole), "%s: %s", prefix, err->msg);
    /* A message too long for the buffer loses its end. */
    rf_quote(err->msg, sizeof(err->msg), whole);
    return err->code;
}

int rf_exit_status(int code) {
    switch (code) {
    case RF_OK:
        return 0;
    case RF_ECHECK:
        return 1;
    case RF_EUSAGE:
    case RF_EINPUT:
        return 2;
    default:
        return 3;
    }
}
