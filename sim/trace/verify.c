/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_verify: one pass that believes nothing. Checksums and totals are the reader's own work;
 * added here are the index and the sense of the operations: processes start before they act, ids
 * are mapped once and before they are used, and only by the process that runs.
 */
#include <stdlib.h>

#include "reader.h"
#include "track.h"

enum { P_UNKNOWN, P_RUNS, P_EXITED };

struct verify {
    struct trace_reader *r;
    struct rft_track track;
    struct rf_varr mapped; /* a bit an id */
    struct rf_varr state;  /* a byte a process */
    uint32_t running;      /* RF_NONE before the first switch */
    uint64_t writes, op;
};

static int wrong(const struct verify *v, uint64_t at, const char *what, uint32_t found,
                 const char *expected, struct rf_err *err) {
    return rf_fail(err, RF_EINPUT, "%s: offset %llu: access %llu: %s %u, expected %s", v->r->path,
                   (unsigned long long)at, (unsigned long long)v->op, what, found, expected);
}

static bool is_mapped(const struct verify *v, uint32_t id) {
    const uint64_t *m = v->mapped.base;
    return m[id >> 6] >> (id & 63) & 1;
}

static int set_mapped(struct verify *v, const struct trace_event *e, bool to, uint64_t at,
                      struct rf_err *err) {
    uint64_t *m = v->mapped.base;
    for (uint32_t id = e->first; id < e->first + e->n; id++) {
        if (is_mapped(v, id) == to)
            return wrong(v, at, to ? "mapping of page" : "unmapping of page", id,
                         to ? "one that is not mapped" : "a mapped one", err);
        m[id >> 6] ^= 1ull << (id & 63);
    }
    return 0;
}

static void unmap_all(struct verify *v, uint32_t pid) {
    uint64_t *m = v->mapped.base;
    const uint32_t *head = v->track.head.base, *next = v->track.next.base;
    for (uint32_t b = head[pid]; b; b = next[b - 1])
        memset(m + ((size_t)(b - 1) << 3), 0, 64);
}

static int check_event(struct verify *v, const struct trace_event *e, uint64_t at,
                       struct rf_err *err) {
    uint8_t *state = v->state.base;
    const uint32_t *owner = v->track.owner.base;
    if (e->kind == TEV_PROCESS) {
        if (state[e->pid] != P_UNKNOWN)
            return wrong(v, at, "start of process", e->pid, "one that has not started", err);
        state[e->pid] = P_RUNS;
    } else if (state[e->pid] != P_RUNS) {
        return wrong(v, at, "event of process", e->pid, "one that has started and not exited", err);
    }
    if (rft_track_event(&v->track, e, err))
        return wrong(v, at, "mapping in block", e->first >> 9, "a block of one process", err);
    switch (e->kind) {
    case TEV_MMAP:
        return set_mapped(v, e, true, at, err);
    case TEV_MUNMAP:
        return set_mapped(v, e, false, at, err);
    case TEV_FORK:
        if (state[e->parent] != P_RUNS || owner[e->n >> 9] != e->parent + 1 ||
            owner[e->first >> 9] != e->pid + 1)
            return wrong(v, at, "fork into block", e->first >> 9,
                         "blocks of a parent and its child", err);
        return 0;
    case TEV_WAIT:
        if (state[e->parent] != P_EXITED)
            return wrong(v, at, "wait for process", e->parent, "one that has exited", err);
        return 0;
    case TEV_EXIT:
        state[e->pid] = P_EXITED;
        if (v->running == e->pid)
            v->running = RF_NONE;
        unmap_all(v, e->pid);
        return 0;
    case TEV_EXEC:
        unmap_all(v, e->pid);
        return 0;
    case TEV_SWITCH:
        v->running = e->pid;
        return 0;
    default:
        return 0;
    }
}

static int check_block(struct verify *v, const struct trace_block *b, uint64_t at,
                       struct rf_err *err) {
    const uint32_t *owner = v->track.owner.base;
    for (size_t i = 0; i < b->nops; i++) {
        uint32_t op = b->ops[i], id = op & TRACE_ID_MASK;
        if (op & OP_EVENT) {
            int rc = check_event(v, &b->events[id], at, err);
            if (rc)
                return rc;
            continue;
        }
        i += (op & OP_CONTENT) != 0;
        if (!is_mapped(v, id))
            return wrong(v, at, "operation on page", id, "a mapped page", err);
        if (v->running == RF_NONE || owner[id >> 9] != v->running + 1)
            return wrong(v, at, "operation on page", id, "a page of the process that runs", err);
        if ((op & (OP_CONTENT | OP_WRITE)) == OP_CONTENT)
            continue;
        rft_track_access(&v->track, id);
        v->writes += op >> 31;
        v->op++;
    }
    return 0;
}

/* The block at offset `at` is number n of the index and begins with access or row `first`. */
static int check_index(const struct trace_reader *r, uint64_t n, uint64_t at, uint64_t first,
                       struct rf_err *err) {
    uint8_t e[RFT_INDEX_ENTRY_BYTES];
    uint64_t where = r->index_at + n * RFT_INDEX_ENTRY_BYTES;
    if (n >= r->nindex)
        return rf_fail(err, RF_EINPUT, "%s: offset %llu: block %llu, expected %llu blocks", r->path,
                       (unsigned long long)at, (unsigned long long)n,
                       (unsigned long long)r->nindex);
    int rc = rft_pread(r, e, sizeof(e), where, "index", err);
    if (rc)
        return rc;
    if (rf_load_le64(e) != at || rf_load_le64(e + 8) != first)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset %llu: index has a block at %llu from %llu, expected %llu, %llu",
                       r->path, (unsigned long long)where, (unsigned long long)rf_load_le64(e),
                       (unsigned long long)rf_load_le64(e + 8), (unsigned long long)at,
                       (unsigned long long)first);
    return 0;
}

static int verify_all(struct verify *v, struct rf_err *err) {
    struct trace_reader *r = v->r;
    const struct trace_info *info = &r->info;
    struct rft_block_header h;
    struct trace_block b;
    struct content_row *rows;
    const uint8_t *raw;
    size_t nr;
    uint64_t at, n = 0;
    int rc;

    if ((rc = trace_load_rows(r, &rows, &nr, err)))
        return rc;
    free(rows);
    while ((rc = rft_next_raw(r, 0, &h, &raw, &at, err)) == 1)
        if ((rc = check_index(r, n++, at, h.first, err)))
            return rc;
    if (rc || (rc = trace_rewind(r, err)))
        return rc;
    for (at = r->at; (rc = trace_next(r, &b, err)) == 1; at = r->at)
        if ((rc = check_block(v, &b, at, err)))
            return rc;
    if (rc)
        return rc;
    if (v->writes != info->writes || v->track.distinct != info->pages_touched ||
        v->track.peak != info->footprint_pages)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset %llu: %llu stores, %llu pages, footprint %llu in the file, the "
                       "footer says %llu, %llu, %llu",
                       r->path, (unsigned long long)r->footer_at, (unsigned long long)v->writes,
                       (unsigned long long)v->track.distinct, (unsigned long long)v->track.peak,
                       (unsigned long long)info->writes, (unsigned long long)info->pages_touched,
                       (unsigned long long)info->footprint_pages);
    return trace_rewind(r, err);
}

int trace_verify(struct trace_reader *r, struct rf_err *err) {
    struct verify v = {.r = r, .running = RF_NONE};
    int rc = trace_rewind(r, err);
    if (rc || (rc = rft_track_init(&v.track, err)))
        return rc;
    if (!(rc = rf_varr_init(&v.mapped, 1u << (TRACE_ID_BITS - 6), 8, err)) &&
        !(rc = rf_varr_init(&v.state, RFT_PROCESSES_MAX, 1, err)))
        rc = verify_all(&v, err);
    rft_track_free(&v.track);
    rf_varr_free(&v.mapped);
    rf_varr_free(&v.state);
    return rc;
}
