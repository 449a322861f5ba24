/* SPDX-License-Identifier: Apache-2.0 */
#include "refault/error.h"

#include <stdio.h>
#include <string.h>

#undef rf_fail /* of static analysis */
int rf_fail(struct rf_err *err, int code, const char *fmt, ...) {
    if (err) {
        va_list ap;

        err->code = code;
        va_start(ap, fmt);
        if (vsnprintf(err->msg, sizeof(err->msg), fmt, ap) < 0)
            err->msg[0] = '\0';
        va_end(ap);
    }
    return code;
}

int rf_fail_prefix(struct rf_err *err, const char *fmt, ...) {
    char old[sizeof(err->msg)];
    va_list ap;
    int n;

    memcpy(old, err->msg, sizeof(old));
    old[sizeof(old) - 1] = '\0';
    va_start(ap, fmt);
    n = vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
    va_end(ap);
    if (n < 0)
        n = 0;
    if ((size_t)n < sizeof(err->msg)) {
        size_t at = (size_t)n, room = sizeof(err->msg) - at;
        const char *parts[2] = {": ", old};

        for (int i = 0; i < 2; i++) {
            size_t len = strlen(parts[i]);

            /* A message too long for the buffer loses its end, never its terminator. */
            if (len > room - 1)
                len = room - 1;
            memcpy(err->msg + at, parts[i], len);
            at += len;
            room -= len;
        }
        err->msg[at] = '\0';
    }
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
