/* SPDX-License-Identifier: Apache-2.0 */
#include "html/html.h"

#include <stdarg.h>

/* Length of the valid UTF-8 sequence at s, 0 if there is none (RFC 3629). */
static size_t utf8_length(const unsigned char *s) {
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    uint32_t code;

    for (size_t n = 2; n <= 4; n++) {
        if ((s[0] & forms[n - 2].mask) != forms[n - 2].lead)
            continue;
        code = s[0] & (unsigned char)~forms[n - 2].mask;
        for (size_t i = 1; i < n; i++) {
            if ((s[i] & 0xc0) != 0x80) /* also the end of the text */
                return 0;
            code = code << 6 | (s[i] & 0x3f);
        }
        if (code < forms[n - 2].least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            return 0;
        return n;
    }
    return 0;
}

void html_text(FILE *f, const char *text) {
    const unsigned char *s = (const unsigned char *)text;

    while (*s) {
        size_t n;

        switch (*s) {
        case '&':
            fputs("&amp;", f);
            break;
        case '<':
            fputs("&lt;", f);
            break;
        case '>':
            fputs("&gt;", f);
            break;
        case '"':
            fputs("&quot;", f);
            break;
        case '\'':
            fputs("&#39;", f);
            break;
        default:
            if (*s >= 0x80) {
                n = utf8_length(s);
                if (n)
                    fwrite(s, 1, n, f);
                else
                    fputs("\xef\xbf\xbd", f);
                s += n ? n : 1;
                continue;
            }
            if (*s >= 0x20 && *s != 0x7f)
                fputc(*s, f);
            else if (*s == '\n' || *s == '\t')
                fputc(' ', f);
            else
                fputs("\xef\xbf\xbd", f);
        }
        s++;
    }
}

void svg_label(FILE *f, double x, double y, const char *anchor, const char *style,
               const char *text) {
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchor);
    if (style)
        fprintf(f, " class=\"%s\"", style);
    fputc('>', f);
    html_text(f, text);
    fputs("</text>\n", f);
}

void svg_title(FILE *f, const char *fmt, ...) {
    char buf[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(buf, sizeof(buf), fmt, ap);
    va_end(ap);
    fputs("<title>", f);
    html_text(f, buf);
    fputs("</title>", f);
}
