/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit: numbers for processes, mappings and blocks of page ids while a trace is written. The first
 * error sticks in rc, and nothing is written after it.
 */
#ifndef REFAULT_GEN_EMIT_H
#define REFAULT_GEN_EMIT_H

#include "refault/trace.h"

#define EMIT_BASE_VPN 0x7f0000000ull /* aligned to 2 MiB */

struct emit {
    struct trace_writer *w;
    struct rf_err *err;
    int rc;
    uint32_t processes, vmas, blocks; /* used so far */
    uint32_t current;                 /* process whose accesses follow */
    uint64_t pace;                    /* not written yet, in the trace's unit */
};

static inline void emit_init(struct emit *e, struct trace_writer *w, struct rf_err *err) {
    *e = (struct emit){.w = w, .err = err, .current = RF_NONE};
}
static inline void emit_access(struct emit *e, uint32_t id, bool write) {
    if (!e->rc)
        e->rc = trace_write_access(e->w, id, write, e->err);
}
/* A new process; its number. */
uint32_t emit_process(struct emit *e, uint32_t parent, const char *name);
/* A private anonymous mapping of pages at vpn in blocks of its own; the id of its first page.
 * flags: TMAP_HUGEPAGE, TMAP_NOHUGEPAGE or 0. */
uint32_t emit_map(struct emit *e, uint32_t pid, uint64_t vpn, uint64_t pages, uint8_t flags);
/* The child gets a copy of the parent's mapping; the id of its first page. */
uint32_t emit_fork(struct emit *e, uint32_t child, uint32_t parent, uint32_t first, uint64_t vpn,
                   uint64_t pages, uint8_t flags);
void emit_exec(struct emit *e, uint32_t pid);
void emit_exit(struct emit *e, uint32_t pid);
void emit_wait(struct emit *e, uint32_t pid, uint32_t child);
/* Accesses that follow are those of pid. */
void emit_switch(struct emit *e, uint32_t pid);
/* Time of the current process, written once `most` has come together; 0 writes all. */
void emit_pace(struct emit *e, uint64_t value, uint64_t most);

#endif
