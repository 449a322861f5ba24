/* SPDX-License-Identifier: Apache-2.0 */
#include "emit.h"

#include <stdio.h>

static void event(struct emit *e, const struct trace_event *ev) {
    if (!e->rc)
        e->rc = trace_write_event(e->w, ev, e->err);
}

uint32_t emit_process(struct emit *e, uint32_t parent, const char *name) {
    struct trace_event ev = {.kind = TEV_PROCESS, .pid = e->processes, .parent = parent};

    emit_pace(e, 0, 0);
    snprintf(ev.name, sizeof(ev.name), "%s", name);
    event(e, &ev);
    return e->processes++;
}

uint32_t emit_map(struct emit *e, uint32_t pid, uint64_t vpn, uint64_t pages, uint8_t flags) {
    uint32_t low = (uint32_t)(vpn & 511);
    uint64_t blocks = (low + pages + 511) >> 9;
    struct trace_event ev = {.kind = TEV_MMAP,
                             .flags = (uint8_t)(TMAP_ANON | TMAP_WRITE | flags),
                             .pid = pid,
                             .vma = e->vmas++,
                             .first = e->blocks << 9 | low,
                             .n = (uint32_t)pages,
                             .vpn = vpn};

    emit_pace(e, 0, 0);
    if (!e->rc && e->blocks + blocks > (TRACE_ID_MASK >> 9) + 1)
        e->rc = rf_fail(e->err, RF_ELIMIT, "the workload has more than 2^%u pages", TRACE_ID_BITS);
    event(e, &ev);
    e->blocks += (uint32_t)blocks;
    return ev.first;
}

uint32_t emit_fork(struct emit *e, uint32_t child, uint32_t parent, uint32_t first, uint64_t vpn,
                   uint64_t pages, uint8_t flags) {
    uint32_t copy = emit_map(e, child, vpn, pages, flags);
    uint32_t blocks = (uint32_t)(((vpn & 511) + pages + 511) >> 9);

    for (uint32_t b = 0; b < blocks; b++) {
        struct trace_event ev = {.kind = TEV_FORK,
                                 .pid = child,
                                 .parent = parent,
                                 .first = ((copy >> 9) + b) << 9,
                                 .n = ((first >> 9) + b) << 9};

        event(e, &ev);
    }
    return copy;
}

void emit_exec(struct emit *e, uint32_t pid) {
    struct trace_event ev = {.kind = TEV_EXEC, .pid = pid};

    emit_pace(e, 0, 0);
    event(e, &ev);
}

void emit_exit(struct emit *e, uint32_t pid) {
    struct trace_event ev = {.kind = TEV_EXIT, .pid = pid};

    emit_pace(e, 0, 0);
    event(e, &ev);
    if (e->current == pid)
        e->current = RF_NONE;
}

void emit_wait(struct emit *e, uint32_t pid, uint32_t child) {
    struct trace_event ev = {.kind = TEV_WAIT, .pid = pid, .parent = child};

    emit_pace(e, 0, 0);
    event(e, &ev);
}

void emit_switch(struct emit *e, uint32_t pid) {
    struct trace_event ev = {.kind = TEV_SWITCH, .pid = pid};

    if (e->current == pid)
        return;
    emit_pace(e, 0, 0);
    event(e, &ev);
    e->current = pid;
}

void emit_pace(struct emit *e, uint64_t value, uint64_t most) {
    e->pace += value;
    if (e->pace && e->pace >= most) {
        struct trace_event ev = {.kind = TEV_PACE, .value = e->pace};

        event(e, &ev);
        e->pace = 0;
    }
}
