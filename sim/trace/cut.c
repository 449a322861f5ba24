/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "cut.h"
#include "rewrite.h"

#define S_TOUCHED 1u
#define S_WRITTEN 2u

struct cut_proc {
    struct trace_event start;
    bool started, exited;
};

struct cut {
    struct trace_rewrite t;
    const struct trace_info *info;
    struct cut_proc *procs;
    uint32_t running, written_running;

    /* the state before the first access that is kept */
    struct rf_varr vma;     /* id: vma + 1, 0 = not mapped */
    struct rf_varr content; /* id */
    struct rf_varr flags;   /* id: S_* */
    struct rf_varr seq;     /* id: number of its last access */
    struct rf_varr vpn;     /* block: vpn of its first id */
    struct rf_varr owner;   /* block: pid */
    uint8_t *vma_flags;
};

static void clear_range(struct cut *c, uint32_t first, uint32_t n, bool unmap) {
    uint32_t *vma = c->vma.base, *content = c->content.base;
    uint8_t *flags = c->flags.base;
    for (uint32_t id = first; id < first + n; id++) {
        if (unmap)
            vma[id] = 0;
        flags[id] = 0;
        content[id] = 0;
    }
}

static void follow_event(struct cut *c, const struct trace_event *e) {
    uint32_t *vma = c->vma.base, *owner = c->owner.base, *content = c->content.base;
    uint64_t *vpn = c->vpn.base, *seq = c->seq.base;
    uint8_t *flags = c->flags.base;
    switch (e->kind) {
    case TEV_PROCESS:
        c->procs[e->pid].start = *e;
        c->procs[e->pid].started = true;
        break;
    case TEV_MMAP:
        c->vma_flags[e->vma] = e->flags;
        for (uint32_t id = e->first; id < e->first + e->n; id++) {
            vma[id] = e->vma + 1;
            owner[id >> 9] = e->pid;
            vpn[id >> 9] = e->vpn + (id - e->first) - (id & 511);
        }
        break;
    case TEV_MUNMAP:
    case TEV_DONTNEED:
        clear_range(c, e->first, e->n, e->kind == TEV_MUNMAP);
        break;
    case TEV_FORK:
        for (uint32_t i = 0; i < 512; i++) {
            uint32_t to = (e->first & ~511u) + i, from = (e->n & ~511u) + i;
            if (!vma[to] || !flags[from])
                continue;
            flags[to] = flags[from];
            content[to] = content[from];
            if (!content[to] && c->info->implicit_content && (flags[from] & S_WRITTEN))
                content[to] = 1 + from;
            seq[to] = seq[from];
        }
        break;
    case TEV_EXIT:
    case TEV_EXEC:
        c->procs[e->pid].exited = e->kind == TEV_EXIT;
        if (e->kind == TEV_EXIT && c->running == e->pid)
            c->running = RF_NONE;
        for (uint32_t b = 0; b < c->info->blocks; b++)
            if (owner[b] == e->pid)
                clear_range(c, b << 9, 512, true);
        break;
    case TEV_SWITCH:
        c->running = e->pid;
        break;
    default:
        break;
    }
}

static int switch_to(struct cut *c, uint32_t pid, struct rf_err *err) {
    if (c->written_running == pid)
        return 0;
    c->written_running = pid;
    return trace_write_event(c->t.w, &(struct trace_event){.kind = TEV_SWITCH, .pid = pid}, err);
}

struct cut_page {
    uint64_t seq;
    uint32_t id;
};

static int compare_page(const void *a, const void *b) {
    const struct cut_page *x = a, *y = b;
    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int rebuild_mappings(struct cut *c, size_t *used, struct rf_err *err) {
    const uint32_t *vma = c->vma.base, *owner = c->owner.base;
    const uint64_t *vpn = c->vpn.base;
    const uint8_t *flags = c->flags.base;
    struct trace_event ev = {.kind = TEV_MMAP};
    int rc;
    *used = 0;
    for (uint32_t id = 0; id < c->info->blocks << 9; id++) {
        uint64_t at = vpn[id >> 9] + (id & 511);
        *used += (flags[id] & S_TOUCHED) != 0;
        if (ev.n && (vma[id] != ev.vma + 1 || owner[id >> 9] != ev.pid || at != ev.vpn + ev.n)) {
            if ((rc = trace_write_event(c->t.w, &ev, err)))
                return rc;
            ev.n = 0;
        }
        if (!vma[id])
            continue;
        if (!ev.n)
            ev = (struct trace_event){.kind = TEV_MMAP,
                                      .pid = owner[id >> 9],
                                      .vma = vma[id] - 1,
                                      .flags = c->vma_flags[vma[id] - 1],
                                      .first = id,
                                      .vpn = at};
        ev.n++;
    }
    return ev.n ? trace_write_event(c->t.w, &ev, err) : 0;
}

static int rebuild_pages(struct cut *c, size_t used, struct rf_err *err) {
    const uint32_t *content = c->content.base, *owner = c->owner.base;
    const uint64_t *seq = c->seq.base;
    const uint8_t *flags = c->flags.base;
    struct cut_page *pages = malloc((used + 1) * sizeof(*pages));
    size_t n = 0;
    int rc = 0;
    if (!pages)
        return rf_fail(err, RF_ENOMEM, "no memory for %zu pages", used);
    for (uint32_t id = 0; id < c->info->blocks << 9; id++)
        if (flags[id] & S_TOUCHED)
            pages[n++] = (struct cut_page){seq[id], id};
    qsort(pages, n, sizeof(*pages), compare_page);
    for (size_t i = 0; i < n && !rc; i++) {
        uint32_t id = pages[i].id, now = content[id];
        if ((rc = switch_to(c, owner[id >> 9], err)) || (rc = rewrite_content(&c->t, &now, err)))
            break;
        if (now)
            rc = trace_write_store(c->t.w, id, now, err);
        else
            rc = trace_write_access(c->t.w, id, (flags[id] & S_WRITTEN) != 0, err);
    }
    free(pages);
    return rc;
}

static int rebuild(struct cut *c, struct rf_err *err) {
    size_t used;
    int rc = 0;
    for (uint32_t p = 0; p < c->info->processes && !rc; p++) {
        struct trace_event end = {.kind = TEV_EXIT, .pid = p};
        if (c->procs[p].started && !(rc = trace_write_event(c->t.w, &c->procs[p].start, err)) &&
            c->procs[p].exited)
            rc = trace_write_event(c->t.w, &end, err);
    }
    if (rc || (rc = rebuild_mappings(c, &used, err)) || (rc = rebuild_pages(c, used, err)))
        return rc;
    return c->running == RF_NONE ? 0 : switch_to(c, c->running, err);
}

static void follow_op(struct cut *c, uint32_t op, const uint32_t *next, uint64_t number) {
    uint32_t id = op & TRACE_ID_MASK, *content = c->content.base;
    uint8_t *flags = c->flags.base;
    uint64_t *seq = c->seq.base;
    if (op & OP_CONTENT)
        content[id] = *next;
    if ((op & (OP_CONTENT | OP_WRITE)) == OP_CONTENT)
        return;
    flags[id] |= op & OP_WRITE ? S_TOUCHED | S_WRITTEN : S_TOUCHED;
    seq[id] = number;
}

static int copy(struct cut *c, const struct trace_cut_params *p, struct rf_err *err) {
    struct trace_block b;
    uint64_t number = 0;
    bool copying = p->from == 0;
    int rc;
    while ((rc = trace_next(c->t.r, &b, err)) == 1) {
        for (size_t i = 0; i < b.nops; i++) {
            uint32_t op = b.ops[i];
            const uint32_t *next = &b.ops[i + 1];
            bool access = !(op & OP_EVENT) && (op & (OP_CONTENT | OP_WRITE)) != OP_CONTENT;
            if (access && number == p->to)
                return 0;
            if (access && number == p->from && !copying) {
                copying = true;
                if ((rc = rebuild(c, err)))
                    return rc;
            }
            if (op & OP_EVENT) {
                const struct trace_event *e = &b.events[op & TRACE_ID_MASK];
                rc = 0;
                if (copying)
                    rc = trace_write_event(c->t.w, e, err);
                else
                    follow_event(c, e);
            } else {
                rc = 0;
                if (copying)
                    rc = rewrite_op(&c->t, op, next, err);
                else
                    follow_op(c, op, next, number);
                i += (op & OP_CONTENT) != 0;
            }
            if (rc)
                return rc;
            number += access;
        }
    }
    return rc;
}

static int open_state(struct cut *c, struct rf_err *err) {
    size_t ids = (size_t)c->info->blocks << 9, blocks = c->info->blocks;
    int rc;
    c->procs = calloc((size_t)c->info->processes + 1, sizeof(*c->procs));
    c->vma_flags = calloc((size_t)c->info->vmas + 1, 1);
    if (!c->procs || !c->vma_flags)
        return rf_fail(err, RF_ENOMEM, "no memory for %u processes and %u mappings",
                       c->info->processes, c->info->vmas);
    if ((rc = rf_varr_init(&c->vma, ids, 4, err)) ||
        (rc = rf_varr_init(&c->content, ids, 4, err)) ||
        (rc = rf_varr_init(&c->flags, ids, 1, err)) || (rc = rf_varr_init(&c->seq, ids, 8, err)) ||
        (rc = rf_varr_init(&c->vpn, blocks, 8, err)))
        return rc;
    return rf_varr_init(&c->owner, blocks, 4, err);
}

int trace_cut(const char *in, const char *out, const struct trace_cut_params *p,
              struct rf_err *err) {
    struct cut c = {.running = RF_NONE, .written_running = RF_NONE};
    char what[100];
    int rc = rewrite_open(&c.t, in, err);
    if (rc)
        return rewrite_close(&c.t, rc, err);
    c.info = c.t.info;
    uint64_t to = RF_MIN(p->to, c.info->ops);
    if (p->from >= to)
        rc = rf_fail(err, RF_EUSAGE, "%s: accesses %llu to %llu, expected some of its %llu", in,
                     (unsigned long long)p->from, (unsigned long long)to,
                     (unsigned long long)c.info->ops);
    if (!rc)
        rc = open_state(&c, err);
    if (!rc) {
        snprintf(what, sizeof(what), "accesses %llu to %llu of %llu", (unsigned long long)p->from,
                 (unsigned long long)to, (unsigned long long)c.info->ops);
        rc = rewrite_begin(&c.t, out, what, c.info->min_memory_pages, p->zstd_level, err);
    }
    if (!rc) {
        struct trace_cut_params clipped = {p->from, to, p->zstd_level};
        rc = copy(&c, &clipped, err);
    }
    rc = rewrite_close(&c.t, rc, err);
    free(c.procs);
    free(c.vma_flags);
    rf_varr_free(&c.vma);
    rf_varr_free(&c.content);
    rf_varr_free(&c.flags);
    rf_varr_free(&c.seq);
    rf_varr_free(&c.vpn);
    rf_varr_free(&c.owner);
    return rc;
}
