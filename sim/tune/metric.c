/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/metric.h"

#include <stdio.h>
#include <stdlib.h>

#include "config/value.h"

static const struct short_name {
    const char *name, *key; /* "" = computed from several */
    const char *meaning;
} short_names[] = {
    {"stall", "time.stall_ns", "time that tasks stood still"},
    {"elapsed", "time.elapsed_ns", "time until the end"},
    {"sys", "time.sys_ns", "CPU time in the kernel"},
    {"p99", "time.fault.all.p99_ns", "latency of faults"},
    {"written", "", "bytes to the swap device"},
    {"memory", "", "the cgroup's peak and zram's pool"},
};
#define NR_SHORT (sizeof(short_names) / sizeof(short_names[0]))

const char *metric_short_name(size_t i, const char **meaning) {
    if (i >= NR_SHORT)
        return NULL;
    *meaning = short_names[i].meaning;
    return short_names[i].name;
}

static bool ends_with(const char *s, const char *end) {
    size_t n = strlen(s), m = strlen(end);

    return n >= m && strcmp(s + n - m, end) == 0;
}

/* Quantiles and maxima are of one event, not of all of them. */
static bool is_extensive(const char *key) {
    return !strstr(key, ".p50") && !strstr(key, ".p90") && !strstr(key, ".p99") &&
           !ends_with(key, "max_ns");
}

int metric_parse(struct metric *m, const char *text, struct rf_err *err) {
    const char *key = text;

    *m = (struct metric){.kind = MV_COUNTER, .unit = METRIC_COUNT, .extensive = true};
    if (!*text || strlen(text) >= sizeof(m->name))
        return rf_fail(err, RF_EUSAGE, "metric '%.80s', expected 1 to %zu characters", text,
                       sizeof(m->name) - 1);
    snprintf(m->name, sizeof(m->name), "%s", text);
    for (size_t i = 0; i < NR_SHORT; i++) {
        if (strcmp(text, short_names[i].name) == 0)
            key = short_names[i].key;
    }
    m->written = strcmp(text, "written") == 0;
    m->memory = strcmp(text, "memory") == 0;
    if (m->written || m->memory)
        m->unit = METRIC_BYTES;
    if (strncmp(key, "time.", 5) == 0) {
        m->kind = MV_TIME;
        key += 5;
    } else if (strncmp(key, "x.", 2) == 0) {
        m->kind = MV_X;
        key += 2;
    }
    snprintf(m->key, sizeof(m->key), "%s", key);
    if (ends_with(key, "_ns"))
        m->unit = METRIC_TIME;
    m->extensive = is_extensive(key);
    return RF_OK;
}

bool metric_same(const struct metric *a, const struct metric *b) {
    return a->kind == b->kind && strcmp(a->key, b->key) == 0 && a->written == b->written &&
           a->memory == b->memory;
}

static double value_or_0(const struct replay_result *r, enum machine_value_kind kind,
                         const char *name) {
    const struct value *v = value_list_find(&r->values, kind, name);

    return v ? value_number(v) : 0;
}

static int unknown(const struct metric *m, const struct replay_result *r, struct rf_err *err) {
    const struct value *nearest = NULL;
    unsigned best = RF_MAX(3, (unsigned)strlen(m->key) / 3) + 1;

    for (size_t i = 0; i < r->values.n; i++) {
        unsigned d = edit_distance(m->key, r->values.v[i].name);

        if (d < best) {
            best = d;
            nearest = &r->values.v[i];
        }
    }
    if (!nearest)
        return rf_fail(err, RF_EUSAGE, "results have no '%s'", m->name);
    return rf_fail(err, RF_EUSAGE, "results have no '%s'; did you mean '%s%s'?", m->name,
                   value_prefix(nearest->kind), nearest->name);
}

int metric_read(const struct metric *m, const struct replay_result *r, double *out,
                struct rf_err *err) {
    const struct value *v;

    if (m->written) {
        *out = value_or_0(r, MV_X, "blk.write_pages") * RF_PAGE_SIZE;
        return RF_OK;
    }
    if (m->memory) {
        *out = value_or_0(r, MV_COUNTER, "memory.peak") +
               value_or_0(r, MV_COUNTER, "zram.mem_used_max");
        return RF_OK;
    }
    v = value_list_find(&r->values, m->kind, m->key);
    if (!v)
        return unknown(m, r, err);
    *out = value_number(v);
    return RF_OK;
}

const char *metric_unit_name(const struct metric *m) {
    return m->unit == METRIC_TIME ? "time" : m->unit == METRIC_BYTES ? "bytes" : "count";
}

const char *metric_format(const struct metric *m, double value, char *buf, size_t size) {
    if (m->unit == METRIC_TIME)
        return value_format_time((uint64_t)value, buf, size);
    if (m->unit == METRIC_BYTES)
        return value_format_bytes((uint64_t)value, buf, size);
    snprintf(buf, size, "%.0f", value);
    return buf;
}

int bound_parse(struct bound *b, const char *text, struct rf_err *err) {
    const char *op = strpbrk(text, "<>");
    char name[64];
    uint64_t n = 0;
    bool ok;
    int rc;

    if (!op || op == text || op[1] != '=' || (size_t)(op - text) >= sizeof(name))
        return rf_fail(err, RF_EUSAGE, "found '%s', expected METRIC<=VALUE or METRIC>=VALUE", text);
    memcpy(name, text, (size_t)(op - text));
    name[op - text] = '\0';
    rc = metric_parse(&b->metric, name, err);
    if (rc != RF_OK)
        return rc;
    b->at_least = *op == '>';
    if (b->metric.unit == METRIC_TIME)
        ok = value_time(op + 2, &n);
    else /* a count may be in K or M, too */
        ok = value_size(op + 2, &n);
    if (!ok)
        return rf_fail(err, RF_EUSAGE, "%s: bad value '%s', expected %s", name, op + 2,
                       b->metric.unit == METRIC_TIME    ? "a time in ns, us, ms or s"
                       : b->metric.unit == METRIC_BYTES ? "a size"
                                                        : "a number");
    b->value = (double)n;
    return RF_OK;
}

double bound_violation(const struct bound *b, double value) {
    double over = b->at_least ? b->value - value : value - b->value;

    return over <= 0 ? 0 : over / (b->value > 1 ? b->value : 1);
}
