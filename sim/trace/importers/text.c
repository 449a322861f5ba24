/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text traces: one operation a line on the pages of one private anonymous mapping.
 *
 *   R v      load from page v            D v   MADV_DONTNEED of page v
 *   W v b    store page b of the bank over page v (content b + 1); W v: a store of no known content
 *   F        fork; the lines after it that begin with c run in the child, which exits before the
 *            parent goes on
 *   # ...    comment; blank lines are skipped
 */
#include <stdio.h>
#include <stdlib.h>

#include "importer.h"
#include "../lines.h"

/* Where the mapping lies: any 2 MiB-aligned place would do. */
#define BASE_VPN 0x7f0000000ull
#define PAGES_MAX (1u << 27)

struct text_import {
    struct rft_lines *lines;
    struct trace_writer *w;
    const struct import_options *opt;
    uint64_t max_page, pages, bank_pages;
    bool any, contents_seen, forks;
    uint32_t blocks; /* blocks of the region */
    uint32_t procs;  /* processes so far */
    bool in_child;
    uint32_t child, child_base; /* first id of the child's region */
    uint32_t next_block;
    uint64_t copied; /* pages behind the region for what a child copies */
    bool *index;     /* pages of the player's index that the child has stored to */
};

struct text_op {
    char kind; /* R W D F, 0 = nothing on this line */
    bool child, has_content;
    uint64_t page, content;
};

static int bad_line(const struct text_import *t, const char *line, const char *expected,
                    struct rf_err *err) {
    return rf_fail(err, RF_EINPUT, "%s: line %llu: found \"%.60s\", expected %s",
                   rft_lines_path(t->lines), (unsigned long long)rft_lines_number(t->lines), line,
                   expected);
}

static int parse_line(const struct text_import *t, const char *line, struct text_op *op,
                      struct rf_err *err) {
    static const char forms[] = "R page, W page bank-page, D page (c before them: the child's) "
                                "or F";
    const char *p = line;
    *op = (struct text_op){0};
    while (*p == ' ' || *p == '\t')
        p++;
    if (!*p || *p == '#')
        return 0;
    if (*p == 'c') {
        op->child = true;
        for (p++; *p == ' ' || *p == '\t'; p++)
            ;
    }
    op->kind = *p++;
    switch (op->kind) {
    case 'F':
        if (op->child || !rft_rest_blank(p))
            return bad_line(t, line, forms, err);
        return 0;
    case 'W':
    case 'R':
    case 'D':
        if ((*p != ' ' && *p != '\t') || !rft_number(&p, 10, UINT64_MAX, &op->page))
            return bad_line(t, line, forms, err);
        if (op->kind == 'W' && !rft_rest_blank(p)) {
            if (!rft_number(&p, 10, CONTENT_MAX - 1, &op->content))
                return bad_line(t, line, forms, err);
            op->has_content = true;
            op->content++;
        }
        if (!rft_rest_blank(p))
            return bad_line(t, line, forms, err);
        if (op->page >= PAGES_MAX || (t->pages && op->page >= t->pages))
            return rf_fail(err, RF_EINPUT,
                           "%s: line %llu: page %llu, expected below the region's %llu pages",
                           rft_lines_path(t->lines), (unsigned long long)rft_lines_number(t->lines),
                           (unsigned long long)op->page,
                           (unsigned long long)(t->pages ? t->pages : PAGES_MAX));
        if (op->has_content && t->bank_pages && op->content > t->bank_pages)
            return rf_fail(err, RF_EINPUT,
                           "%s: line %llu: bank page %llu, expected below the bank's %llu pages",
                           rft_lines_path(t->lines), (unsigned long long)rft_lines_number(t->lines),
                           (unsigned long long)op->content - 1, (unsigned long long)t->bank_pages);
        return 0;
    default:
        return bad_line(t, line, forms, err);
    }
}

/* First pass: the largest page, and that every line can be read. */
static int scan(struct text_import *t, struct rf_err *err) {
    struct text_op op;
    char *line;
    size_t len;
    int rc;
    while ((rc = rft_lines_next(t->lines, &line, &len, err)) == 1) {
        if ((rc = parse_line(t, line, &op, err)))
            return rc;
        t->forks |= op.kind == 'F';
        if (op.kind && op.kind != 'F') {
            t->max_page = RF_MAX(t->max_page, op.page);
            t->any = true;
        }
    }
    return rc;
}

static int start_process(struct text_import *t, uint32_t pid, uint32_t parent, uint32_t first,
                         const char *name, struct rf_err *err) {
    struct trace_event ev = {.kind = TEV_PROCESS, .pid = pid, .parent = parent};
    snprintf(ev.name, sizeof(ev.name), "%s", name);
    int rc = trace_write_event(t->w, &ev, err);
    if (rc)
        return rc;
    ev = (struct trace_event){.kind = TEV_MMAP,
                              .flags = (uint8_t)(TMAP_ANON | TMAP_WRITE |
                                                 (t->opt->thp ? TMAP_HUGEPAGE : TMAP_NOHUGEPAGE)),
                              .pid = pid,
                              .vma = pid,
                              .first = first,
                              .n = (uint32_t)(t->pages + t->copied),
                              .vpn = BASE_VPN};
    return trace_write_event(t->w, &ev, err);
}

static int simple_event(struct text_import *t, uint8_t kind, uint32_t pid, uint32_t other,
                        struct rf_err *err) {
    struct trace_event ev = {.kind = kind, .pid = pid, .parent = other};
    return trace_write_event(t->w, &ev, err);
}

static int end_child(struct text_import *t, struct rf_err *err) {
    int rc;
    if (!t->in_child)
        return 0;
    t->in_child = false;
    if ((rc = simple_event(t, TEV_EXIT, t->child, 0, err)) ||
        (rc = simple_event(t, TEV_WAIT, 0, t->child, err)))
        return rc;
    return simple_event(t, TEV_SWITCH, 0, 0, err);
}

/* The child stores to a page of the player's own, which it shares with its parent no longer. */
static int copy_own_page(struct text_import *t, uint64_t i, struct rf_err *err) {
    return trace_write_store(t->w, (uint32_t)(t->child_base + t->pages + i), 1, err);
}

static int begin_child(struct text_import *t, struct rf_err *err) {
    int rc;
    if (t->next_block + t->blocks > 1u << (TRACE_ID_BITS - 9))
        return rf_fail(err, RF_ELIMIT,
                       "%s: line %llu: more forks of %llu pages than a trace has page ids for",
                       rft_lines_path(t->lines), (unsigned long long)rft_lines_number(t->lines),
                       (unsigned long long)t->pages);
    t->child = t->procs++;
    t->child_base = t->next_block << 9;
    t->next_block += t->blocks;
    t->in_child = true;
    if ((rc = start_process(t, t->child, 0, t->child_base, "child", err)))
        return rc;
    for (uint32_t b = 0; b < t->blocks; b++) {
        struct trace_event ev = {.kind = TEV_FORK,
                                 .pid = t->child,
                                 .parent = 0,
                                 .first = t->child_base + (b << 9),
                                 .n = b << 9};
        if ((rc = trace_write_event(t->w, &ev, err)))
            return rc;
    }
    if ((rc = simple_event(t, TEV_SWITCH, t->child, 0, err)))
        return rc;
    for (uint64_t i = 0; i < t->copied; i++)
        t->index[i] = false;
    for (uint32_t i = 0; i < t->opt->player.copies; i++)
        if ((rc = copy_own_page(t, i, err)))
            return rc;
    return 0;
}

/* The child enters what it has stored into its index. */
static int enter_in_index(struct text_import *t, uint64_t page, struct rf_err *err) {
    if (!t->opt->player.entries)
        return 0;
    uint64_t i = page / t->opt->player.entries;
    if (t->index[i])
        return 0;
    t->index[i] = true;
    return copy_own_page(t, t->opt->player.copies + i, err);
}

static int play(struct text_import *t, struct rf_err *err) {
    struct text_op op;
    char *line;
    size_t len;
    int rc;

    if ((rc = start_process(t, 0, RF_NONE, 0, "text", err)) ||
        (rc = simple_event(t, TEV_SWITCH, 0, 0, err)))
        return rc;
    t->procs = 1;
    t->next_block = t->blocks;
    while ((rc = rft_lines_next(t->lines, &line, &len, err)) == 1) {
        if ((rc = parse_line(t, line, &op, err)))
            return rc;
        if (!op.kind)
            continue;
        if (op.child && !t->in_child)
            return bad_line(t, line,
                            t->procs > 1
                                ? "a fork (F) before: the last child exited when its parent went on"
                                : "a fork (F) before a child's operation",
                            err);
        if (!op.child && (rc = end_child(t, err)))
            return rc;
        uint32_t id = (uint32_t)op.page + (op.child ? t->child_base : 0);
        struct trace_event ev = {
            .kind = TEV_DONTNEED, .pid = op.child ? t->child : 0, .first = id, .n = 1};
        switch (op.kind) {
        case 'F':
            rc = begin_child(t, err);
            break;
        case 'D':
            rc = trace_write_event(t->w, &ev, err);
            break;
        case 'R':
            rc = trace_write_access(t->w, id, false, err);
            break;
        default:
            rc = op.has_content ? trace_write_store(t->w, id, (uint32_t)op.content, err)
                                : trace_write_access(t->w, id, true, err);
            break;
        }
        if (rc || (op.child && op.kind != 'R' && (rc = enter_in_index(t, op.page, err))))
            return rc;
    }
    return rc ? rc : end_child(t, err);
}

static int load_bank(struct text_import *t, char *spec, size_t room, struct rf_err *err) {
    struct content_set *bank;
    const char *name = import_basename(t->opt->bank);
    int rc = content_from_bank_file(t->opt->bank, &bank, err);
    if (rc)
        return rc;
    t->bank_pages = content_count(bank);
    int n = snprintf(spec, room, "bank:%s:%016llx", name, (unsigned long long)content_digest(bank));
    content_free(bank);
    if (n < 0 || (size_t)n >= room || strchr(name, ':'))
        return rf_fail(err, RF_EUSAGE, "%s: name of the bank, expected a short one without a colon",
                       t->opt->bank);
    return 0;
}

static int import(const char *in, const char *out, const struct import_options *opt,
                  struct rf_err *err) {
    struct text_import t = {.opt = opt, .pages = opt->pages};
    char spec[256], provenance[1024];
    int rc;

    if (opt->pages > PAGES_MAX)
        return rf_fail(err, RF_EUSAGE, "--pages %llu, expected at most %u",
                       (unsigned long long)opt->pages, PAGES_MAX);
    snprintf(spec, sizeof(spec), "%s", opt->contents ? opt->contents : "hist:mean=1650");
    if ((opt->bank && (rc = load_bank(&t, spec, sizeof(spec), err))) ||
        (rc = rft_lines_open(in, &t.lines, err)))
        return rc;
    if (!(rc = scan(&t, err)) && !t.any)
        rc = rf_fail(err, RF_EINPUT, "%s: found no operation, expected at least one", in);
    if (!rc)
        rc = rft_lines_rewind(t.lines, err);
    if (!rc) {
        if (!t.pages)
            t.pages = (t.max_page + 512) / 512 * 512;
        if (t.forks)
            t.copied = opt->player.copies + player_index_pages(&opt->player, t.pages);
        t.blocks = (uint32_t)((t.pages + t.copied + 511) / 512);
        t.index = calloc(t.copied + 1, sizeof(*t.index));
        if (!t.index)
            rc = rf_fail(err, RF_ENOMEM, "%s: no memory for its pages", in);
    }
    if (!rc) {
        snprintf(provenance, sizeof(provenance), "text trace %.200s, region of %llu pages%s%.500s",
                 import_basename(in), (unsigned long long)t.pages, opt->note ? "; " : "",
                 opt->note ? opt->note : "");
        struct trace_writer_params p = {.pacing = TRACE_PACE_RECORDS,
                                        .min_memory_pages = opt->min_memory,
                                        .provenance = provenance,
                                        .content_spec = spec,
                                        .bank_path = opt->bank,
                                        .zstd_level = opt->zstd_level};
        rc = trace_writer_open(out, &p, &t.w, err);
    }
    if (!rc) {
        rc = play(&t, err);
        if (rc)
            trace_writer_abort(t.w);
        else
            rc = trace_writer_close(t.w, err);
    }
    rft_lines_close(t.lines);
    free(t.index);
    return rc;
}

const struct importer_ops import_text = {
    .name = "text",
    .summary = "R page, W page bank-page, D page, F and child's c lines, one operation a line",
    .import = import,
};
