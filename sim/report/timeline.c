/* SPDX-License-Identifier: Apache-2.0 */
#include "report/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include "report/report.h"

/* "Processes" of the file: groups of tracks. */
enum group { GROUP_TASKS = 1, GROUP_KERNEL, GROUP_DEVICE, GROUP_ACCEL, GROUP_COUNTERS };

static void take_span(void *ctx, const struct observed_span *s) {
    struct timeline *t = ctx;

    if (t->n == t->limit) {
        t->dropped++;
        return;
    }
    if (t->n == t->cap) {
        size_t cap = RF_MIN(t->cap ? t->cap * 2 : 1024, t->limit);
        struct observed_span *v = t->failed ? NULL : realloc(t->spans, cap * sizeof(*v));

        if (!v) {
            t->failed = true;
            return;
        }
        t->spans = v;
        t->cap = cap;
    }
    t->spans[t->n++] = *s;
}

void timeline_init(struct timeline *t, size_t limit) {
    *t = (struct timeline){.limit = limit};
    t->observer = (struct observer){.span = take_span, .ctx = t};
}

void timeline_free(struct timeline *t) {
    free(t->spans);
    t->spans = NULL;
    t->n = t->cap = 0;
}

/* By track; on a track by time, what contains another span before it. */
static int compare_spans(const void *a, const void *b) {
    const struct observed_span *x = a, *y = b;

    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to > y->to ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int compare_times(const void *a, const void *b) {
    const struct observed_span *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

/* ---- writing ---- */

struct writer {
    FILE *f;
    bool any;
};

static void put_string(struct writer *w, const char *text) {
    json_t *j = report_string(text);

    if (!j || json_dumpf(j, w->f, JSON_ENCODE_ANY) != 0)
        fputs("\"\"", w->f);
    json_decref(j);
}

static void next_event(struct writer *w) {
    fputs(w->any ? ",\n" : "\n", w->f);
    w->any = true;
}

/* The format counts in microseconds. */
static void put_time(FILE *f, const char *key, rf_time ns) {
    fprintf(f, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static void put_name(struct writer *w, const char *what, unsigned pid, uint32_t tid,
                     const char *name) {
    next_event(w);
    fprintf(w->f,
            "{\"ph\":\"M\",\"pid\":%u,\"tid\":%" PRIu32 ",\"ts\":0,\"name\":\"%s\",\"args\":"
            "{\"name\":",
            pid, tid, what);
    put_string(w, name);
    fputs("}}", w->f);
}

static void place_of(const struct observed_span *s, unsigned *pid, uint32_t *tid) {
    static const unsigned groups[NR_OBSERVE_TRACKS] = {[OBSERVE_TASK] = GROUP_TASKS,
                                                       [OBSERVE_KSWAPD] = GROUP_KERNEL,
                                                       [OBSERVE_WORKER] = GROUP_KERNEL,
                                                       [OBSERVE_DEVICE] = GROUP_DEVICE,
                                                       [OBSERVE_ACCEL] = GROUP_ACCEL};

    *pid = groups[s->track];
    *tid = s->track == OBSERVE_WORKER ? 2 : s->index == RF_NONE ? 0 : s->index + 1;
}

static void put_span(struct writer *w, const struct observed_span *s) {
    static const char *const categories[NR_OBSERVE_TRACKS] = {[OBSERVE_TASK] = "task",
                                                              [OBSERVE_KSWAPD] = "reclaim",
                                                              [OBSERVE_WORKER] = "zswap",
                                                              [OBSERVE_DEVICE] = "device",
                                                              [OBSERVE_ACCEL] = "accel"};
    unsigned pid;
    uint32_t tid;

    place_of(s, &pid, &tid);
    next_event(w);
    fprintf(w->f, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%" PRIu32 ",\"cat\":\"%s\",\"name\":\"%s\"",
            pid, tid, categories[s->track], s->name);
    put_time(w->f, "ts", s->from);
    put_time(w->f, "dur", s->to - s->from);
    fprintf(w->f, ",\"args\":{\"pages\":%" PRIu32, s->pages);
    if (s->track == OBSERVE_DEVICE || s->track == OBSERVE_ACCEL)
        fprintf(w->f, ",\"waited_ns\":%" PRIu64, s->waited_ns);
    fputs("}}", w->f);
}

static void put_counter(struct writer *w, const char *name, rf_time at, const char *unit,
                        uint64_t value) {
    next_event(w);
    fprintf(w->f, "{\"ph\":\"C\",\"pid\":%u,\"tid\":0,\"name\":\"%s\"", GROUP_COUNTERS, name);
    put_time(w->f, "ts", at);
    fprintf(w->f, ",\"args\":{\"%s\":%" PRIu64 "}}", unit, value);
}

/* Names of groups and tracks that have spans; the spans are sorted. */
static void put_names(struct writer *w, const struct timeline *t, const struct replay_result *r,
                      const struct activity *a, const char *trace_name) {
    static const char *const groups[] = {
        [GROUP_KERNEL] = "kernel threads", [GROUP_ACCEL] = "accelerators"};
    const struct observed_span *before = NULL;
    unsigned group = GROUP_TASKS;
    char text[64];

    put_name(w, "process_name", GROUP_TASKS, 0, trace_name);
    put_name(w, "process_name", GROUP_COUNTERS, 0, "counters");
    for (size_t i = 0; i < t->n; i++) {
        const struct observed_span *s = &t->spans[i];
        unsigned pid;
        uint32_t tid;

        if (before && before->track == s->track && before->index == s->index)
            continue;
        place_of(s, &pid, &tid);
        if (pid != group)
            put_name(w, "process_name", pid, 0,
                     pid == GROUP_DEVICE ? r->config.swap_device : groups[pid]);
        group = pid;
        switch (s->track) {
        case OBSERVE_TASK:
            if (s->index == RF_NONE)
                snprintf(text, sizeof(text), "no fault");
            else if (s->index < a->processes && a->process[s->index][0])
                snprintf(text, sizeof(text), "%.15s %u", a->process[s->index], s->index);
            else
                snprintf(text, sizeof(text), "process %u", s->index);
            break;
        case OBSERVE_KSWAPD:
        case OBSERVE_WORKER:
            snprintf(text, sizeof(text), s->track == OBSERVE_KSWAPD ? "kswapd0" : "zswap-shrink");
            break;
        case OBSERVE_DEVICE:
            snprintf(text, sizeof(text), "channel %u", s->index);
            break;
        default:
            snprintf(text, sizeof(text), "engine %u", s->index);
        }
        put_name(w, "thread_name", pid, tid, text);
        before = s;
    }
}

static void put_counters(struct writer *w, const struct activity *a) {
    static const struct {
        enum machine_value_kind kind;
        const char *name, *unit;
    } shown[] = {{MV_COUNTER, "memory.current", "bytes"},
                 {MV_COUNTER, "final_present", "pages"},
                 {MV_COUNTER, "final_swapped", "pages"},
                 {MV_COUNTER, "zswap.pool_total_size", "bytes"},
                 {MV_COUNTER, "zswap.stored_pages", "pages"},
                 {MV_COUNTER, "zswap.written_back_pages", "pages"},
                 {MV_COUNTER, "zram.mem_used_total", "bytes"},
                 {MV_COUNTER, "vmstat.pgmajfault", "faults"},
                 {MV_X, "free_frames", "pages"}};
    const struct series *s = &a->series;
    size_t width = s->columns.n + 2;

    for (size_t c = 0; c < sizeof(shown) / sizeof(shown[0]); c++) {
        const struct value *v = value_list_find(&s->columns, shown[c].kind, shown[c].name);
        /* What is read "final" is the present state of a sample. */
        const char *name =
            strncmp(shown[c].name, "final_", 6) == 0 ? shown[c].name + 6 : shown[c].name;

        for (size_t i = 0; v && i < s->nr; i++)
            put_counter(w, name, s->rows[i * width], shown[c].unit,
                        s->rows[i * width + 2 + (size_t)(v - s->columns.v)]);
    }
}

/* Requests of the device that wait or are served, at each change. */
static int put_queue(struct writer *w, const struct timeline *t) {
    struct observed_span *v;
    size_t n = 0, k = 0;
    int64_t depth = 0;

    for (size_t i = 0; i < t->n; i++)
        n += t->spans[i].track == OBSERVE_DEVICE;
    if (n == 0)
        return RF_OK;
    v = malloc(2 * n * sizeof(*v));
    if (!v)
        return RF_ENOMEM;
    for (size_t i = 0; i < t->n; i++) {
        const struct observed_span *s = &t->spans[i];

        if (s->track != OBSERVE_DEVICE)
            continue;
        v[k++] = (struct observed_span){.from = s->from - s->waited_ns, .pages = 1};
        v[k++] = (struct observed_span){.from = s->to};
    }
    qsort(v, k, sizeof(*v), compare_times);
    for (size_t i = 0; i < k; i++) {
        depth += v[i].pages ? 1 : -1;
        if (i + 1 == k || v[i + 1].from != v[i].from)
            put_counter(w, "device queue", v[i].from, "requests", (uint64_t)depth);
    }
    free(v);
    return RF_OK;
}

int timeline_write(struct timeline *t, FILE *f, const struct replay_result *r,
                   const struct activity *a, const char *trace_name, struct rf_err *err) {
    struct writer w = {.f = f};
    int rc = t->failed ? RF_ENOMEM : RF_OK;

    if (rc == RF_OK && t->n)
        qsort(t->spans, t->n, sizeof(*t->spans), compare_spans);
    if (rc == RF_OK) {
        fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", f);
        put_names(&w, t, r, a, trace_name);
        for (size_t i = 0; i < t->n; i++)
            put_span(&w, &t->spans[i]);
        put_counters(&w, a);
        rc = put_queue(&w, t);
        fprintf(f, "\n],\"otherData\":{\"events_left_out\":%" PRIu64 "}}\n", t->dropped);
    }
    return rc == RF_OK ? RF_OK : rf_fail(err, rc, "no memory for the timeline");
}
