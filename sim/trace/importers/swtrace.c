/* SPDX-License-Identifier: Apache-2.0 */
/*
 * swtrace v1: page traces that a QEMU user-mode plugin recorded, with classes of contents.
 *
 * Every process went through an LRU window of k pages, so a recording is valid for memories of at
 * least 4k pages. What this importer makes of the file:
 *  - pages that are never stored to, and pages of file mappings until their first store, are
 *    file-backed: their accesses are left out (or kept as anonymous memory);
 *  - a page's first store takes the content that the recorder saw next (its `c` line may come much
 *    later); if there is none, a class drawn by the page number; later `c` lines stay where they
 *    are;
 *  - a `u` line is MADV_DONTNEED if the range is accessed again before it is mapped anew, else
 *    munmap;
 *  - accesses outside all known mappings (stacks, brk, program data) get implicit mappings;
 *  - there are no exit records: a process exits behind its last line, except for the one whose line
 *    is the last of all.
 */
#include <stdio.h>
#include <stdlib.h>

#include "importer.h"
#include "swtrace_map.h"
#include "../lines.h"

struct sw_import {
    struct rft_lines *lines;
    const struct import_options *opt;
    struct sw_state s;
    struct trace_writer *w;  /* NULL in the first pass */
    struct rf_varr class_of; /* class id -> content id */
    uint32_t nrows, ngens, nvmas, nblocks, nunmaps;
    uint32_t *first; /* content of the store that began a page's generation */
    uint32_t nfirst, cap_first;
    uint8_t *again; /* a u line's range is accessed again */
    uint32_t cap_again;
    uint64_t k;
    uint32_t current, running; /* process of the lines; of the written operations */
    uint32_t last_proc;
    uint64_t last_line;
    char header[160];
};

static int bad_line(const struct sw_import *t, const char *line, const char *expected,
                    struct rf_err *err) {
    return rf_fail(err, RF_EINPUT, "%s: line %llu: found \"%.60s\", expected %s",
                   rft_lines_path(t->lines), (unsigned long long)rft_lines_number(t->lines), line,
                   expected);
}

static int run_process(struct sw_import *t, uint32_t proc, struct rf_err *err) {
    if (t->running == proc)
        return 0;
    t->running = proc;
    struct trace_event ev = {.kind = TEV_SWITCH, .pid = proc};
    return trace_write_event(t->w, &ev, err);
}

/* Events of one kind for all ids of [start, end), one for each run of neighbouring ids. */
static int range_events(struct sw_import *t, struct sw_proc *p, struct trace_event ev,
                        uint64_t start, uint64_t end, struct rf_err *err) {
    int rc = run_process(t, ev.pid, err);
    if (rc)
        return rc;
    ev.n = 0;
    for (uint32_t i = sw_lower_block(p, start >> 9); i < p->nblocks; i++) {
        struct sw_block *b = &p->blocks[i];
        uint64_t lo = RF_MAX(start, b->number << 9), hi = RF_MIN(end, (b->number + 1) << 9);
        if (lo >= hi)
            break;
        if (b->block == RF_NONE && ev.kind != TEV_MMAP)
            continue;
        if (b->block == RF_NONE) {
            if (t->nblocks >= 1u << (TRACE_ID_BITS - 9))
                return rf_fail(err, RF_ELIMIT, "%s: line %llu: more than 2^28 pages",
                               rft_lines_path(t->lines),
                               (unsigned long long)rft_lines_number(t->lines));
            b->block = t->nblocks++;
        }
        uint32_t id = b->block << 9 | (uint32_t)(lo & 511);
        if (ev.n && id == ev.first + ev.n && lo == ev.vpn + ev.n) {
            ev.n += (uint32_t)(hi - lo);
            continue;
        }
        if (ev.n && (rc = trace_write_event(t->w, &ev, err)))
            return rc;
        ev.first = id;
        ev.n = (uint32_t)(hi - lo);
        ev.vpn = lo;
    }
    return ev.n ? trace_write_event(t->w, &ev, err) : 0;
}

static int map_piece(struct sw_import *t, struct sw_piece *piece, struct rf_err *err) {
    unsigned flags = TMAP_ANON | TMAP_WRITE | (piece->file ? TMAP_FILE : 0u) |
                     (t->opt->thp ? TMAP_HUGEPAGE : 0u);
    piece->vma = t->nvmas++;
    struct trace_event ev = {
        .kind = TEV_MMAP, .flags = (uint8_t)flags, .pid = t->current, .vma = piece->vma};
    return range_events(t, &t->s.procs[t->current], ev, piece->start, piece->end, err);
}

/* m and u: what lay in [start, end) before ends here. */
static int remap(struct sw_import *t, uint64_t start, uint64_t end, bool map, bool file,
                 struct rf_err *err) {
    struct sw_proc *p = &t->s.procs[t->current];
    uint32_t from, to, gen = ++t->ngens;
    uint32_t unmap = map ? RF_NONE : t->nunmaps++;
    struct sw_piece fresh = {
        .start = start, .end = end, .gen = gen, .vma = RF_NONE, .unmapped = unmap, .file = file};
    int rc = sw_isolate(p, start, end, &from, &to, err);
    if (rc)
        return rc;
    if (!map && !t->w) {
        if ((rc = sw_grow(&t->again, &t->cap_again, unmap, 1, err)))
            return rc;
        t->again[unmap] = 0;
    }
    bool keep = !map && t->again[unmap];
    for (uint32_t i = from; i < to; i++) {
        struct sw_piece *piece = &p->pieces[i];
        struct trace_event ev = {.kind = keep ? TEV_DONTNEED : TEV_MUNMAP, .pid = t->current};
        if (t->w && piece->vma != RF_NONE &&
            (rc = range_events(t, p, ev, piece->start, piece->end, err)))
            return rc;
        piece->gen = gen;
        piece->unmapped = unmap;
        if (!keep)
            piece->vma = RF_NONE;
    }
    if (map) {
        sw_remove_pieces(p, from, to);
        return sw_insert_piece(p, from, &fresh, err);
    }
    /* holes become pieces too: an access there is of a new generation */
    for (uint64_t at = start; at < end;) {
        int64_t i = sw_find_piece(p, at);
        if (i < 0) {
            i = ~i;
            fresh.start = at;
            fresh.end = i < p->npieces ? RF_MIN(end, p->pieces[i].start) : end;
            fresh.file = false;
            if ((rc = sw_insert_piece(p, (uint32_t)i, &fresh, err)))
                return rc;
        }
        at = p->pieces[i].end;
    }
    return 0;
}

/* The content of the store that begins a generation: what the recorder saw, else a drawn class. */
static uint32_t first_content(const struct sw_import *t, const struct sw_page *pg) {
    uint32_t content = t->first[pg->slot];
    if (content == RF_NONE && t->nrows)
        content = 1 + (uint32_t)(rf_mix64(pg->vpn << 12 | (pg->proc & 0xfff)) % t->nrows);
    return content;
}

/* A page's first store (or, where file pages are kept, access) in this generation? */
static int begins(struct sw_import *t, struct sw_page *pg, uint32_t gen, bool store, bool *begin,
                  struct rf_err *err) {
    *begin = store && pg->gen != gen + 1;
    if (!*begin)
        return 0;
    pg->gen = gen + 1;
    pg->slot = t->nfirst++;
    if (t->w)
        return 0;
    int rc = sw_grow(&t->first, &t->cap_first, pg->slot, sizeof(*t->first), err);
    if (!rc)
        t->first[pg->slot] = RF_NONE;
    return rc;
}

static int note_access(struct sw_import *t, uint64_t vpn, bool write, struct rf_err *err) {
    struct sw_proc *p = &t->s.procs[t->current];
    int64_t i = sw_find_piece(p, vpn);
    struct sw_page *pg;
    bool begin;
    int rc = sw_get_page(&t->s, t->current, vpn, &pg, err);
    if (rc)
        return rc;
    pg->accessed = true;
    pg->written |= write;
    if (i < 0)
        pg->orphan = true;
    else if (p->pieces[i].unmapped != RF_NONE)
        t->again[p->pieces[i].unmapped] = 1;
    return begins(t, pg, i < 0 ? 0 : p->pieces[i].gen, write || t->opt->file_pages, &begin, err);
}

static int write_access(struct sw_import *t, uint64_t vpn, bool write, struct rf_err *err) {
    struct sw_proc *p = &t->s.procs[t->current];
    struct sw_page *pg = sw_find_page(&t->s, t->current, vpn);
    int64_t i = sw_find_piece(p, vpn);
    bool begin;
    int rc;

    if (!pg)
        return rf_fail(err, RF_EINPUT, "%s: line %llu: the file changed while it was read",
                       rft_lines_path(t->lines), (unsigned long long)rft_lines_number(t->lines));
    bool keep_files = t->opt->file_pages;
    if (!pg->written && !keep_files)
        return 0;
    uint32_t gen = i < 0 ? 0 : p->pieces[i].gen;
    if (i >= 0 && p->pieces[i].file && !write && !keep_files && pg->gen != gen + 1)
        return 0;
    if (i < 0) {
        struct sw_piece implicit = {.vma = RF_NONE, .unmapped = RF_NONE};
        i = ~i;
        sw_orphan_run(p, vpn, (uint32_t)i, &implicit.start, &implicit.end);
        if ((rc = sw_insert_piece(p, (uint32_t)i, &implicit, err)))
            return rc;
    }
    if (p->pieces[i].vma == RF_NONE && (rc = map_piece(t, &p->pieces[i], err)))
        return rc;
    if (pg->id == RF_NONE)
        pg->id = p->blocks[sw_lower_block(p, vpn >> 9)].block << 9 | (uint32_t)(vpn & 511);
    pg->emitted = true;
    if ((rc = run_process(t, t->current, err)) ||
        (rc = begins(t, pg, gen, write || keep_files, &begin, err)))
        return rc;
    if (!begin)
        return trace_write_access(t->w, pg->id, write, err);
    pg->content = first_content(t, pg);
    if (pg->content == RF_NONE)
        return trace_write_access(t->w, pg->id, true, err);
    return trace_write_store(t->w, pg->id, pg->content, err);
}

static int content_line(struct sw_import *t, const char *line, struct rf_err *err) {
    const char *p = line + 1;
    const uint32_t *class_of = t->class_of.base;
    uint64_t vpn, id;
    if (!rft_number(&p, 16, SW_VPN_END - 1, &vpn) || !rft_number(&p, 16, CONTENT_MAX - 1, &id) ||
        !rft_rest_blank(p) || !class_of[id])
        return bad_line(t, line, "c page class, of a class defined before", err);
    struct sw_proc *proc = &t->s.procs[t->current];
    struct sw_page *pg = sw_find_page(&t->s, t->current, vpn);
    int64_t i = sw_find_piece(proc, vpn);
    uint32_t gen = i < 0 ? 0 : proc->pieces[i].gen, content = class_of[id];
    if (!pg || pg->gen != gen + 1)
        return 0; /* not stored to since it was mapped: file-backed, or all zeros */
    if (!t->w) {
        if (t->first[pg->slot] == RF_NONE)
            t->first[pg->slot] = content;
        return 0;
    }
    if (!pg->emitted || pg->content == content)
        return 0;
    pg->content = content;
    int rc = run_process(t, t->current, err);
    return rc ? rc : trace_write_content(t->w, pg->id, content, err);
}

static int class_line(struct sw_import *t, const char *line, struct rf_err *err) {
    static const char form[] = "C class hash lz4 lzo zstd, or S class word lz4 lzo zstd, of a new "
                               "class";
    uint32_t *class_of = t->class_of.base;
    struct content_row row = {.same_filled = line[0] == 'S'};
    uint64_t id, word, lz4, lzo, zstd;
    const char *p = line + 1;
    if (!rft_number(&p, 16, CONTENT_MAX - 1, &id) || !rft_number(&p, 16, UINT64_MAX, &word) ||
        !rft_number(&p, 10, CODEC_MAX_OUT, &lz4) || !rft_number(&p, 10, CODEC_MAX_OUT, &lzo) ||
        !rft_number(&p, 10, CODEC_MAX_OUT, &zstd) || !rft_rest_blank(p))
        return bad_line(t, line, form, err);
    if (!t->w) {
        if (class_of[id])
            return bad_line(t, line, form, err);
        class_of[id] = ++t->nrows;
        return 0;
    }
    row.word = row.same_filled ? word : 0;
    row.size[CODEC_LZ4] = (uint16_t)lz4;
    row.size[CODEC_LZO] = (uint16_t)lzo;
    row.size[CODEC_ZSTD] = (uint16_t)zstd;
    return trace_write_row(t->w, &row, err);
}

static int map_line(struct sw_import *t, const char *line, struct rf_err *err) {
    const char *p = line + 1;
    uint64_t vpn, n;
    bool map = line[0] == 'm', file = false;
    if (!rft_number(&p, 16, SW_VPN_END - 1, &vpn) || !rft_number(&p, 16, SW_VPN_END - vpn, &n))
        return bad_line(t, line, "m page pages a|f, or u page pages, in hexadecimal", err);
    while (*p == ' ')
        p++;
    if (map) {
        file = *p == 'f';
        if (*p != 'a' && *p != 'f')
            return bad_line(t, line, "m page pages a|f", err);
        p++;
    }
    if (!rft_rest_blank(p))
        return bad_line(t, line, "m page pages a|f, or u page pages", err);
    return n ? remap(t, vpn, vpn + n, map, file, err) : 0;
}

static int process_line(struct sw_import *t, const char *line, struct rf_err *err) {
    const char *p = line + 1;
    uint64_t pid, ppid;
    int rc;
    if (!rft_number(&p, 10, UINT32_MAX, &pid))
        return bad_line(t, line, "P pid [ppid command]", err);
    t->current = sw_find_proc(&t->s, pid);
    if (t->current == RF_NONE) {
        if (t->s.nprocs >= 1u << 16)
            return bad_line(t, line, "at most 65536 processes", err);
        if ((rc = sw_add_proc(&t->s, pid, &t->current, err)))
            return rc;
        struct sw_proc *proc = &t->s.procs[t->current];
        proc->last_line = rft_lines_number(t->lines);
        snprintf(proc->name, sizeof(proc->name), "%u", (unsigned)pid);
        if (rft_number(&p, 10, UINT32_MAX, &ppid)) {
            proc->parent = sw_find_proc(&t->s, ppid);
            if (proc->parent == t->current)
                proc->parent = RF_NONE;
            while (*p == ' ')
                p++;
            size_t n = strcspn(p, " ");
            for (const char *slash; (slash = memchr(p, '/', n)) != NULL;) {
                n -= (size_t)(slash + 1 - p);
                p = slash + 1;
            }
            if (n)
                snprintf(proc->name, sizeof(proc->name), "%.*s", (int)RF_MIN(n, 15u), p);
        }
    }
    struct sw_proc *proc = &t->s.procs[t->current];
    if (!t->w || proc->started)
        return 0;
    proc->started = true;
    struct trace_event ev = {.kind = TEV_PROCESS, .pid = t->current, .parent = proc->parent};
    memcpy(ev.name, proc->name, sizeof(ev.name));
    return trace_write_event(t->w, &ev, err);
}

static int time_line(struct sw_import *t, const char *line, struct rf_err *err) {
    struct sw_proc *proc = &t->s.procs[t->current];
    const char *p = line + 1;
    uint64_t usec, accesses;
    if (!rft_number(&p, 10, UINT64_MAX, &usec) || !rft_number(&p, 10, UINT64_MAX, &accesses) ||
        !rft_rest_blank(p))
        return bad_line(t, line, "t microseconds accesses", err);
    if (!t->w || accesses <= proc->accesses)
        return 0;
    struct trace_event ev = {
        .kind = TEV_PACE, .pid = t->current, .value = accesses - proc->accesses};
    proc->accesses = accesses;
    int rc = run_process(t, t->current, err);
    return rc ? rc : trace_write_event(t->w, &ev, err);
}

/* " k=N" of the header, or of the closing comments where the header lacks it. */
static void comment_line(struct sw_import *t, const char *line) {
    const char *k = strstr(line, " k=");
    uint64_t v;
    if (!k || t->k)
        return;
    k += 3;
    if (rft_number(&k, 10, 1u << 24, &v))
        t->k = v;
}

static int access_line(struct sw_import *t, const char *line, struct rf_err *err) {
    const char *p = line + 1;
    uint64_t vpn;
    while (*p == ' ')
        p++;
    if (*p == '#')
        return 0; /* a recording that was stopped within a line */
    if (!rft_number(&p, 16, SW_VPN_END - 1, &vpn) || !rft_rest_blank(p))
        return bad_line(t, line, "r, w or x and a page number in hexadecimal", err);
    bool write = line[0] == 'w';
    return t->w ? write_access(t, vpn, write, err) : note_access(t, vpn, write, err);
}

static int one_line(struct sw_import *t, const char *line, struct rf_err *err) {
    if (!line[0])
        return 0;
    if (line[0] == '#') {
        if (!t->w)
            comment_line(t, line);
        return 0;
    }
    if (line[0] == 'P')
        return process_line(t, line, err);
    if (line[0] == 'C' || line[0] == 'S')
        return class_line(t, line, err);
    if (!strchr("rwxcmut", line[0]))
        return bad_line(t, line, "a line that begins with one of # P t r w x C S c m u", err);
    if (t->current == RF_NONE)
        return bad_line(t, line, "a process (P) before the first record", err);
    if (!t->w) {
        t->last_proc = t->current;
        t->last_line = t->s.procs[t->current].last_line = rft_lines_number(t->lines);
    }
    switch (line[0]) {
    case 'c':
        return content_line(t, line, err);
    case 'm':
    case 'u':
        return map_line(t, line, err);
    case 't':
        return time_line(t, line, err);
    default:
        return access_line(t, line, err);
    }
}

static int pass(struct sw_import *t, struct rf_err *err) {
    char *line;
    size_t len;
    int rc;

    t->current = t->running = RF_NONE;
    t->ngens = t->nunmaps = t->nfirst = 0;
    rc = rft_lines_next(t->lines, &line, &len, err);
    if (rc < 0)
        return rc;
    if (rc == 0 || strncmp(line, "#swtrace 1 ", 11) != 0 || !strstr(line, "page=4096"))
        return rf_fail(err, RF_EINPUT, "%s: line 1: found \"%.60s\", expected #swtrace 1 page=4096",
                       rft_lines_path(t->lines), rc ? line : "");
    if (!t->w) {
        comment_line(t, line);
        snprintf(t->header, sizeof(t->header), "%s", line + 1);
    }
    while ((rc = rft_lines_next(t->lines, &line, &len, err)) == 1) {
        if ((rc = one_line(t, line, err)))
            return rc;
        if (!t->w || t->current == RF_NONE || t->current == t->last_proc)
            continue;
        struct sw_proc *p = &t->s.procs[t->current];
        if (p->last_line == rft_lines_number(t->lines)) {
            struct trace_event ev = {.kind = TEV_EXIT, .pid = t->current};
            if (t->running == t->current)
                t->running = RF_NONE;
            if ((rc = trace_write_event(t->w, &ev, err)))
                return rc;
        }
    }
    return rc;
}

static int convert(struct sw_import *t, const char *in, const char *out, struct rf_err *err) {
    const struct import_options *opt = t->opt;
    char provenance[1024];
    int rc;

    if ((rc = pass(t, err)))
        return rc;
    if (!t->s.npages)
        return rf_fail(err, RF_EINPUT, "%s: found no access, expected at least one", in);
    if ((rc = sw_second_pass(&t->s, opt->file_pages, err)) ||
        (rc = rft_lines_rewind(t->lines, err)))
        return rc;
    snprintf(provenance, sizeof(provenance),
             "%.100s (%.150s), LRU window %llu pages, file-backed "
             "pages %s%s%.500s",
             import_basename(in), t->header, (unsigned long long)t->k,
             opt->file_pages ? "kept as anonymous" : "left out", opt->note ? "; " : "",
             opt->note ? opt->note : "");
    struct trace_writer_params params = {.pacing = TRACE_PACE_ACCESSES,
                                         .min_memory_pages =
                                             opt->min_memory ? opt->min_memory : 4 * t->k,
                                         .provenance = provenance,
                                         .content_spec = t->nrows ? "catalogue" : "hist:mean=1650",
                                         .zstd_level = opt->zstd_level};
    if ((rc = trace_writer_open(out, &params, &t->w, err)))
        return rc;
    rc = pass(t, err);
    if (rc) {
        trace_writer_abort(t->w);
        return rc;
    }
    uint64_t dropped = 0;
    for (uint32_t i = 0; i < t->s.npages; i++)
        dropped += t->s.pages[i].accessed && !t->s.pages[i].emitted;
    trace_writer_dropped(t->w, dropped);
    return trace_writer_close(t->w, err);
}

static int import(const char *in, const char *out, const struct import_options *opt,
                  struct rf_err *err) {
    struct sw_import t = {.opt = opt, .last_proc = RF_NONE};
    int rc = rf_varr_init(&t.class_of, (size_t)CONTENT_MAX + 1, sizeof(uint32_t), err);
    if (rc)
        return rc;
    if (!(rc = rft_lines_open(in, &t.lines, err)))
        rc = convert(&t, in, out, err);
    rft_lines_close(t.lines);
    rf_varr_free(&t.class_of);
    sw_free(&t.s);
    free(t.first);
    free(t.again);
    return rc;
}

const struct importer_ops import_swtrace = {
    .name = "swtrace",
    .summary = "page traces with classes of contents from a QEMU user-mode plugin",
    .import = import,
};
