/* SPDX-License-Identifier: Apache-2.0 */
#include "config/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/*
 * A number with up to max_decimals decimals, times scale: *out = number * scale rounded down.
 * *rest gets what follows the digits. Integers throughout, so that no value depends on rounding.
 */
struct number {
    uint64_t whole, frac, frac_unit;
};

static bool parse_number(const char *text, unsigned max_decimals, struct number *n,
                         const char **rest) {
    const char *p = text;

    *n = (struct number){.frac_unit = 1};
    if (*p < '0' || *p > '9')
        return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t d = (uint64_t)(*p - '0');

        if (n->whole > (UINT64_MAX - d) / 10)
            return false;
        n->whole = n->whole * 10 + d;
    }
    if (*p == '.') {
        unsigned decimals = 0;

        for (p++; *p >= '0' && *p <= '9'; p++) {
            if (++decimals > max_decimals)
                return false;
            n->frac = n->frac * 10 + (uint64_t)(*p - '0');
            n->frac_unit *= 10;
        }
        if (decimals == 0)
            return false;
    }
    *rest = p;
    return true;
}

static bool scale_number(const struct number *n, uint64_t scale, uint64_t *out) {
    uint64_t whole, frac;

    if (n->whole > UINT64_MAX / scale)
        return false;
    whole = n->whole * scale;
    /* frac < frac_unit <= 10^9 and the scale is split, so that no product overflows. */
    frac = n->frac * (scale / n->frac_unit) + n->frac * (scale % n->frac_unit) / n->frac_unit;
    if (whole > UINT64_MAX - frac)
        return false;
    *out = whole + frac;
    return true;
}

bool value_u64(const char *text, uint64_t *out) {
    struct number n;
    const char *rest;

    if (!parse_number(text, 0, &n, &rest) || *rest)
        return false;
    *out = n.whole;
    return true;
}

bool value_bool(const char *text, bool *out) {
    static const char *const no[] = {"0", "n", "no", "false", "off"};
    static const char *const yes[] = {"1", "y", "yes", "true", "on"};

    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
        if (strcasecmp(text, no[i]) == 0 || strcasecmp(text, yes[i]) == 0) {
            *out = strcasecmp(text, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

bool value_size(const char *text, uint64_t *bytes) {
    static const char units[] = "KMGT";
    struct number n;
    const char *rest, *u;
    uint64_t scale = 1;

    if (!parse_number(text, 6, &n, &rest))
        return false;
    if (*rest) {
        u = strchr(units, *rest >= 'a' && *rest <= 'z' ? *rest - 'a' + 'A' : *rest);
        if (u && *u) {
            scale <<= 10 * (unsigned)(u - units + 1);
            rest++;
            if (*rest == 'i')
                rest++;
        } else if (n.frac_unit != 1) {
            return false;
        }
        if (*rest == 'B' || *rest == 'b')
            rest++;
        if (*rest)
            return false;
    } else if (n.frac_unit != 1) {
        return false;
    }
    return scale_number(&n, scale, bytes);
}

bool value_time(const char *text, uint64_t *ns) {
    static const struct {
        const char *unit;
        uint64_t scale;
    } units[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    struct number n;
    const char *rest;

    if (!parse_number(text, 9, &n, &rest))
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(rest, units[i].unit) == 0)
            return scale_number(&n, units[i].scale, ns);
    }
    return false;
}

bool value_percent(const char *text, uint64_t *hundredths) {
    struct number n;
    const char *rest;

    if (!parse_number(text, 2, &n, &rest) || strcmp(rest, "%") != 0)
        return false;
    return scale_number(&n, 100, hundredths);
}

bool value_amount(const char *text, struct rf_amount *out) {
    uint64_t v;

    if (strcmp(text, "max") == 0) {
        *out = (struct rf_amount){.kind = AMOUNT_MAX};
        return true;
    }
    if (value_percent(text, &v)) {
        *out = (struct rf_amount){.value = v, .kind = AMOUNT_PERCENT};
        return true;
    }
    if (value_size(text, &v)) {
        *out = (struct rf_amount){.value = v, .kind = AMOUNT_BYTES};
        return true;
    }
    return false;
}

const char *value_format_amount(struct rf_amount a, char *buf, size_t size) {
    static const char units[] = "KMGT";
    uint64_t v = a.value;
    unsigned unit = 0;

    switch ((enum rf_amount_kind)a.kind) {
    case AMOUNT_MAX:
        snprintf(buf, size, "max");
        break;
    case AMOUNT_PERCENT:
        if (v % 100)
            snprintf(buf, size, "%" PRIu64 ".%02" PRIu64 "%%", v / 100, v % 100);
        else
            snprintf(buf, size, "%" PRIu64 "%%", v / 100);
        break;
    case AMOUNT_BYTES:
        while (unit < 4 && v && v % 1024 == 0) {
            v /= 1024;
            unit++;
        }
        if (unit)
            snprintf(buf, size, "%" PRIu64 "%c", v, units[unit - 1]);
        else
            snprintf(buf, size, "%" PRIu64, v);
        break;
    }
    return buf;
}

/* v / unit with 3 significant digits, in integers so that it is the same everywhere. */
static void three_digits(uint64_t v, uint64_t unit, char *buf, size_t size) {
    unsigned decimals = v / unit >= 100 ? 0 : v / unit >= 10 ? 1 : 2;
    uint64_t pow = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
    uint64_t scaled = v / unit * pow + (v % unit * pow + unit / 2) / unit;

    if (decimals)
        snprintf(buf, size, "%" PRIu64 ".%0*" PRIu64, scaled / pow, (int)decimals, scaled % pow);
    else
        snprintf(buf, size, "%" PRIu64, scaled);
}

const char *value_format_time(uint64_t ns, char *buf, size_t size) {
    static const struct {
        const char *unit;
        uint64_t scale;
    } units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}};
    char digits[32];

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (ns >= units[i].scale) {
            three_digits(ns, units[i].scale, digits, sizeof(digits));
            snprintf(buf, size, "%s %s", digits, units[i].unit);
            return buf;
        }
    }
    snprintf(buf, size, "%" PRIu64 " ns", ns);
    return buf;
}

const char *value_format_bytes(uint64_t bytes, char *buf, size_t size) {
    static const char *const units[] = {"TiB", "GiB", "MiB", "KiB"};
    char digits[32];

    for (unsigned i = 0; i < 4; i++) {
        uint64_t scale = 1ull << (10 * (4 - i));

        if (bytes >= scale) {
            three_digits(bytes, scale, digits, sizeof(digits));
            snprintf(buf, size, "%s %s", digits, units[i]);
            return buf;
        }
    }
    snprintf(buf, size, "%" PRIu64 " B", bytes);
    return buf;
}

unsigned edit_distance(const char *a, const char *b) {
    enum { MAX = 96 };
    unsigned row[MAX + 1];
    size_t la = strlen(a), lb = strlen(b);

    if (la > MAX || lb > MAX)
        return UINT32_MAX;
    for (unsigned j = 0; j <= lb; j++)
        row[j] = j;
    for (unsigned i = 1; i <= la; i++) {
        unsigned diagonal = row[0];

        row[0] = i;
        for (unsigned j = 1; j <= lb; j++) {
            unsigned change = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j] = RF_MIN(change, RF_MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[lb];
}
