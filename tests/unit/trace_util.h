/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of traces: a scratch directory, files, and a trace as text. */
#ifndef REFAULT_TESTS_TRACE_UTIL_H
#define REFAULT_TESTS_TRACE_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "refault/trace.h"

static char scratch[64];

static inline int scratch_make(void **state) {
    (void)state;
    strcpy(scratch, "/tmp/refault-trace-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static inline const char *in_scratch(const char *name) {
    static char path[4][128];
    static unsigned turn;
    char *p = path[turn++ % 4];
    (void)snprintf(p, sizeof(path[0]), "%s/%s", scratch, name);
    return p;
}

static inline int scratch_remove(void **state) {
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof(command), "rm -r %s", scratch);
    return system(command);
}

static inline void put_file(const char *path, const void *data, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static inline void put_text(const char *path, const char *text) {
    put_file(path, text, strlen(text));
}

static inline uint8_t *get_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *n = (size_t)ftell(f);
    rewind(f);
    uint8_t *data = malloc(*n + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *n, f), *n);
    (void)fclose(f);
    return data;
}

/* Appends a line of text for one event. */
static inline int event_text(char *out, size_t room, const struct trace_event *e) {
    static const char *const names[] = {"process", "mmap", "munmap", "dontneed", "fork",
                                        "exit",    "exec", "wait",   "switch",   "pace"};
    int n = snprintf(out, room, "%s %u", names[e->kind], e->pid);
    char *p = out + n;
    size_t left = room - (size_t)n;
    switch (e->kind) {
    case TEV_PROCESS:
        return n + snprintf(p, left, " %d %s\n", (int)e->parent, e->name);
    case TEV_MMAP:
        return n + snprintf(p, left, " vma %u ids %u+%u vpn %llx flags %x\n", e->vma, e->first,
                            e->n, (unsigned long long)e->vpn, e->flags);
    case TEV_MUNMAP:
    case TEV_DONTNEED:
        return n + snprintf(p, left, " ids %u+%u\n", e->first, e->n);
    case TEV_FORK:
        return n + snprintf(p, left, " of %u ids %u from %u\n", e->parent, e->first, e->n);
    case TEV_WAIT:
        return n + snprintf(p, left, " for %u\n", e->parent);
    case TEV_PACE:
        return n + snprintf(p, left, " %llu\n", (unsigned long long)e->value);
    default:
        return n + snprintf(p, left, "\n");
    }
}

/* The whole trace as text: "R 5", "W 5", "W 5=9" (content 9), "C 5=9", and events. malloc'd. */
static inline char *trace_text(const char *path) {
    struct rf_err err = {0};
    struct trace_reader *r;
    struct trace_block b;
    size_t n = 0, cap = 1 << 16;
    char *out = malloc(cap);
    int rc;
    assert_non_null(out);
    out[0] = 0;
    rc = trace_open(path, &r, &err);
    if (rc)
        fail_msg("%s", err.msg);
    while ((rc = trace_next(r, &b, &err)) == 1) {
        for (size_t i = 0; i < b.nops; i++) {
            uint32_t op = b.ops[i], id = op & TRACE_ID_MASK;
            if (cap - n < 256) {
                cap *= 2;
                out = realloc(out, cap);
                assert_non_null(out);
            }
            if (op & OP_EVENT)
                n += (size_t)event_text(out + n, cap - n, &b.events[id]);
            else if (op & OP_CONTENT)
                n += (size_t)snprintf(out + n, cap - n, "%c %u=%u\n", op & OP_WRITE ? 'W' : 'C', id,
                                      b.ops[++i]);
            else
                n += (size_t)snprintf(out + n, cap - n, "%c %u\n", op & OP_WRITE ? 'W' : 'R', id);
        }
    }
    if (rc)
        fail_msg("%s", err.msg);
    trace_close(r);
    return out;
}

static inline void assert_trace(const char *path, const char *expected) {
    char *got = trace_text(path);
    assert_string_equal(got, expected);
    free(got);
}

static inline struct trace_info info_of(const char *path) {
    struct rf_err err = {0};
    struct trace_reader *r;
    if (trace_open(path, &r, &err))
        fail_msg("%s", err.msg);
    struct trace_info i = *trace_reader_info(r);
    trace_close(r);
    return i;
}

#endif
