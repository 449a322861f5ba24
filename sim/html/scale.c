/* SPDX-License-Identifier: Apache-2.0 */
/* Units, and places on axes. */
#include "html/html.h"

#include <math.h>

#include "config/value.h"

static const char *const unit_names[] = {"count",   "bytes",      "time",
                                         "percent", "per_second", "plain"};

const char *unit_name(enum unit u) {
    return unit_names[u];
}

enum unit unit_by_name(const char *name) {
    for (size_t i = 0; i < sizeof(unit_names) / sizeof(unit_names[0]); i++) {
        if (strcmp(name, unit_names[i]) == 0)
            return (enum unit)i;
    }
    return UNIT_COUNT;
}

struct unit_scale unit_scale_for(enum unit u, double max) {
    static const struct unit_scale bytes[] = {{1099511627776.0, "TiB"},
                                              {1073741824.0, "GiB"},
                                              {1048576.0, "MiB"},
                                              {1024.0, "KiB"},
                                              {1.0, "bytes"}};
    static const struct unit_scale times[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1.0, "ns"}};
    static const struct unit_scale counts[] = {
        {1e9, "thousand millions"}, {1e6, "millions"}, {1e3, "thousands"}, {1.0, ""}};
    const struct unit_scale *s = counts;
    double least = 2; /* of the unit, so that "0.5 to 1.5 s" is written in ms */

    switch (u) {
    case UNIT_BYTES:
        s = bytes;
        break;
    case UNIT_TIME:
        s = times;
        break;
    case UNIT_PERCENT:
        return (struct unit_scale){1, "%"};
    case UNIT_PLAIN:
        return (struct unit_scale){1, ""};
    case UNIT_COUNT:
    case UNIT_PER_SECOND:
        least = 10;
        break;
    }
    while (s->by > 1 && max < s->by * least)
        s++;
    return *s;
}

const char *unit_format(enum unit u, double v, char *buf, size_t size) {
    char *micro;

    switch (u) {
    case UNIT_BYTES:
        return value_format_bytes((uint64_t)(v < 0 ? 0 : v), buf, size);
    case UNIT_TIME:
        value_format_time((uint64_t)(v < 0 ? 0 : v), buf, size);
        micro = strstr(buf, " us");
        if (micro)
            snprintf(micro, size - (size_t)(micro - buf), " µs");
        break;
    case UNIT_PERCENT:
        snprintf(buf, size, v < 10 && v > -10 ? "%.2f %%" : "%.1f %%", v);
        break;
    case UNIT_PER_SECOND:
        snprintf(buf, size, "%.0f/s", v);
        break;
    case UNIT_COUNT:
        snprintf(buf, size, "%.0f", v);
        break;
    case UNIT_PLAIN:
        snprintf(buf, size, "%.6g", v);
        break;
    }
    return buf;
}

double scale_at(const struct scale *s, double v) {
    double lo = s->lo, hi = s->hi, t;

    if (s->log) {
        lo = log10(lo);
        hi = log10(hi);
        v = v > 0 ? log10(v) : lo;
    }
    t = hi > lo ? (v - lo) / (hi - lo) : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return s->from + t * (s->to - s->from);
}

/* A round step that cuts range into about `want` parts. */
static double round_step(double range, unsigned want, bool binary) {
    double raw = range / want,
           base = binary ? pow(2, floor(log2(raw))) : pow(10, floor(log10(raw)));

    if (binary)
        return raw > base * 1.01 ? base * 2 : base;
    if (raw <= base * 1.4)
        return base;
    if (raw <= base * 2.8)
        return base * 2;
    return raw <= base * 7 ? base * 5 : base * 10;
}

size_t scale_ticks(const struct scale *s, unsigned want, bool binary, double out[MAX_TICKS]) {
    size_t n = 0;
    double step, first;

    if (!(s->hi > s->lo) || want == 0) {
        out[0] = s->lo;
        return 1;
    }
    if (s->log) {
        double v = pow(10, ceil(log10(s->lo) - 1e-9));

        while (v <= s->hi * 1.000001 && n < MAX_TICKS) {
            out[n++] = v;
            v *= 10;
        }
        return n;
    }
    step = round_step(s->hi - s->lo, want, binary);
    first = ceil(s->lo / step - 1e-9);
    while (n < MAX_TICKS && (first + (double)n) * step <= s->hi + step * 1e-6) {
        out[n] = (first + (double)n) * step + 0.0; /* never -0 */
        n++;
    }
    return n;
}

double scale_round_up(double max, unsigned want, bool binary) {
    double step;

    if (!(max > 0))
        return 1;
    step = round_step(max, want, binary);
    return ceil(max / step - 1e-9) * step;
}
