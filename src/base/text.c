/* SPDX-License-Identifier: Apache-2.0 */
/* Text of others, made fit to be shown. */
#include <stdio.h>

#include "refault/base.h"

/* Of a sequence of three bytes: separators of lines, and what turns the direction of writing
 * (U+2028..202E, U+2066..2069). */
static bool disturbs(const unsigned char *s) {
    return s[0] == 0xe2 && ((s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) ||
                            (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
}

unsigned rf_utf8_length(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    unsigned c = s[0], n;
    /* The second byte tells overlong forms, surrogates, what is beyond U+10FFFF, and C1 controls.
     */
    unsigned low = c == 0xe0 || c == 0xc2 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    unsigned high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;

    if (c < 0x80)
        return c >= 0x20 && c != 0x7f;
    n = c >= 0xf5 ? 0 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
    if (!n || s[1] < low || s[1] > high)
        return 0;
    for (unsigned i = 2; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    return n == 3 && disturbs(s) ? 0 : n;
}

void rf_quote(char *dst, size_t size, const char *src) {
    size_t at = 0;

    while (*src) {
        unsigned n = rf_utf8_length(src);
        size_t need = n ? n : 4;

        if (at + need >= size)
            break;
        if (n)
            memcpy(dst + at, src, n);
        else
            snprintf(dst + at, size - at, "\\x%02x", (unsigned)(unsigned char)*src);
        at += need;
        src += n ? n : 1;
    }
    dst[at] = '\0';
}
