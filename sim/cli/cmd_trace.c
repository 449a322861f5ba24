/* SPDX-License-Identifier: Apache-2.0 */
/* refault trace: info, dump and cut; trace_sample.c has sample. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"
#include "cli/cli.h"
#include "trace_cli.h"
#include "trace/cut.h"
#include "trace/reader.h"

static const char *const pacing_names[] = {"records", "accesses", "ns"};

enum { O_OPS = 256, O_FROM, O_TO, O_LEVEL };
#define PART_OPTIONS                                                                               \
    {O_FROM, 0, "from-op", "A", "begins with access A, counted from 0 (0)"},                       \
        {O_TO, 0, "to-op", "B", "ends before access B (the last one)"}, {                          \
        O_OPS, 0, "ops", "N", "ends after N accesses"                                              \
    }
static const struct cli_option info_options[] = {
    {'v', 0, "verify", NULL, "decodes all of it, checks every checksum, total and mapping"},
    {'j', 0, "json", "FILE|-", "as one JSON object"},
    {0, 0, NULL, NULL, NULL},
};
static const struct cli_option dump_options[] = {PART_OPTIONS, {0, 0, NULL, NULL, NULL}};
static const struct cli_option cut_options[] = {
    {'o', 'o', "output", "OUT.rft", "the trace to write"},
    PART_OPTIONS,
    {O_LEVEL, 0, "level", "N", "zstd level of the new trace, 1 to 22 (3)"},
    {0, 0, NULL, NULL, NULL},
};
static const struct cli_command subs[] = {
    {.name = "info",
     .args = "TRACE",
     .summary = "what a trace is and holds",
     .options = info_options},
    {.name = "dump",
     .args = "TRACE",
     .summary = "every record as a line of text: R, W page [content], C page content, and events",
     .options = dump_options},
    {.name = "cut",
     .args = "TRACE",
     .summary = "a part as a trace of its own; what its first access finds is rebuilt by events "
                "and one access a page",
     .options = cut_options},
    {.name = "sample",
     .args = "TRACE",
     .summary = "the pages whose hash is below the rate, as a trace of its own",
     .options = trace_sample_options},
    {.name = NULL},
};

static int cmd_trace(int argc, char **argv);
extern const struct cli_command cmd_trace_info;
const struct cli_command cmd_trace_info = {
    .name = "trace",
    .args = "info|dump|cut|sample TRACE",
    .summary = "look at and cut traces: info, dump, cut, sample",
    .example = "refault trace cut gcc-tree.rft -o start.rft --ops 1M",
    .run = cmd_trace,
    .subs = subs,
};

void trace_cli_help(void) {
    printf("Works on traces. Accesses count from 0; numbers take K M G T.\n");
    for (const struct cli_command *c = subs; c->name; c++) {
        printf("\nusage: refault trace %s [OPTION]... %s\n%s.\n", c->name, c->args, c->summary);
        cli_print_options(stdout, c->options);
    }
    printf("\nexample: %s\n", cmd_trace_info.example);
}

/* ---- info ---- */
static void print_size(const char *label, uint64_t pages) {
    printf("%-18s%" PRIu64 " (%.1f MiB)\n", label, pages, (double)pages / 256.0);
}

static void print_info(const char *path, const struct trace_reader *r) {
    const struct trace_info *i = trace_reader_info(r);
    printf("%-18s%s\n", "trace", path);
    printf("%-18s%u\n", "format version", i->version);
    printf("%-18s%016" PRIx64 "\n", "digest", i->digest);
    printf("%-18s%s\n", "provenance", i->provenance);
    printf("%-18s%" PRIu64 " (%" PRIu64 " stores)\n", "accesses", i->ops, i->writes);
    printf("%-18s%" PRIu64 "\n", "events", i->events);
    printf("%-18s%" PRIu64 "\n", "content changes", i->content_changes);
    printf("%-18s%u\n", "processes", i->processes);
    printf("%-18s%u\n", "mappings", i->vmas);
    printf("%-18s%u of 512 page ids\n", "blocks", i->blocks);
    print_size("pages touched", i->pages_touched);
    print_size("footprint", i->footprint_pages);
    printf("%-18s%" PRIu64 " file-backed pages\n", "left out", i->dropped_file_pages);
    if (i->min_memory_pages)
        print_size("smallest memory", i->min_memory_pages);
    printf("%-18s%s%s\n", "contents", i->content_spec,
           i->implicit_content ? " (implicit: page p holds content p + 1)" : "");
    printf("%-18s%" PRIu64 "\n", "catalogue rows", r->rows_total);
    printf("%-18s%s\n", "pacing", pacing_names[i->pacing]);
}

static void put_json_string(FILE *f, const char *key, const char *s) {
    fprintf(f, "\"%s\":\"", key);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 0x20)
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

static int json_info(const char *path, const char *to, const struct trace_reader *r,
                     struct rf_err *err) {
    const struct trace_info *i = trace_reader_info(r);
    struct output out;
    int rc = output_open(&out, to, err);
    FILE *f = out.f;
    if (rc != RF_OK)
        return rc;
    fprintf(f, "{\"blocks\":%u,\"catalogue_rows\":%" PRIu64 ",\"content_changes\":%" PRIu64 ",",
            i->blocks, r->rows_total, i->content_changes);
    put_json_string(f, "content_spec", i->content_spec);
    fprintf(f,
            ",\"digest\":\"%016" PRIx64 "\",\"dropped_file_pages\":%" PRIu64 ",\"events\":%" PRIu64
            ",\"footprint_pages\":%" PRIu64 ",\"implicit_content\":%s",
            i->digest, i->dropped_file_pages, i->events, i->footprint_pages,
            i->implicit_content ? "true" : "false");
    fprintf(f,
            ",\"max_content\":%" PRIu64 ",\"min_memory_pages\":%" PRIu64 ",\"ops\":%" PRIu64
            ",\"pacing\":\"%s\",\"pages_touched\":%" PRIu64 ",",
            i->max_content, i->min_memory_pages, i->ops, pacing_names[i->pacing], i->pages_touched);
    put_json_string(f, "path", path);
    fprintf(f, ",\"processes\":%u,", i->processes);
    put_json_string(f, "provenance", i->provenance);
    fprintf(f, ",\"version\":%u,\"vmas\":%u,\"writes\":%" PRIu64 "}\n", i->version, i->vmas,
            i->writes);
    return output_close(&out, err);
}

static int trace_cli_info(int argc, char **argv, struct rf_err *err) {
    struct option options[sizeof(info_options) / sizeof(info_options[0]) + 1];
    const char *json = NULL;
    bool verify = false;
    struct trace_reader *r;
    int c, rc;

    cli_getopt(info_options, options, sizeof(options) / sizeof(options[0]));
    while ((c = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (c == 'v')
            verify = true;
        else if (c == 'j')
            json = optarg;
        else if (c == 'h') {
            trace_cli_help();
            return 0;
        } else {
            return trace_cli_bad_option("trace", options, c, argv);
        }
    }
    if (argc - optind != 1) {
        rf_fail(err, RF_EUSAGE, "trace info needs one trace; 'refault trace --help' explains");
        return trace_cli_error(err);
    }
    char shown[4096];
    const char *path = report_line(argv[optind], shown, sizeof(shown));
    rc = output_keeps(json, argv[optind], err);
    if (!rc)
        rc = trace_open(argv[optind], &r, err);
    if (rc)
        return trace_cli_error(err);
    if (verify)
        rc = trace_verify(r, err);
    if (!rc && json)
        rc = json_info(path, json, r, err);
    if (!rc && !(json && strcmp(json, "-") == 0)) {
        print_info(path, r);
        if (verify)
            printf("%-18s%s\n", "verified", "yes");
    }
    trace_close(r);
    if (!rc)
        rc = output_flush(err);
    return rc ? trace_cli_error(err) : 0;
}

/* ---- dump ---- */
static void dump_event(const struct trace_event *e) {
    switch (e->kind) {
    case TEV_PROCESS:
        if (e->parent == RF_NONE)
            printf("process %u parent - name %s\n", e->pid, e->name);
        else
            printf("process %u parent %u name %s\n", e->pid, e->parent, e->name);
        break;
    case TEV_MMAP:
        printf("mmap %u vma %u ids %u + %u vpn %" PRIx64 " %s%s%s%s\n", e->pid, e->vma, e->first,
               e->n, e->vpn, e->flags & TMAP_FILE ? "file" : "anon",
               e->flags & TMAP_WRITE ? " write" : "", e->flags & TMAP_HUGEPAGE ? " hugepage" : "",
               e->flags & TMAP_NOHUGEPAGE ? " nohugepage" : "");
        break;
    case TEV_MUNMAP:
        printf("munmap %u ids %u + %u\n", e->pid, e->first, e->n);
        break;
    case TEV_DONTNEED:
        printf("dontneed %u ids %u + %u\n", e->pid, e->first, e->n);
        break;
    case TEV_FORK:
        printf("fork %u block %u of %u block %u\n", e->pid, e->first >> 9, e->parent, e->n >> 9);
        break;
    case TEV_EXIT:
        printf("exit %u\n", e->pid);
        break;
    case TEV_EXEC:
        printf("exec %u\n", e->pid);
        break;
    case TEV_WAIT:
        printf("wait %u for %u\n", e->pid, e->parent);
        break;
    case TEV_SWITCH:
        printf("switch %u\n", e->pid);
        break;
    default:
        printf("pace %u %" PRIu64 "\n", e->pid, e->value);
        break;
    }
}

/* Accesses [from, to). */
struct part {
    uint64_t from, to, ops; /* ops 0: as `to` says */
};

/* 1 if the option was one of a part's, 0 if not, -1 with err for a bad value. */
static int part_option(struct part *p, int c, const char *text, struct rf_err *err) {
    bool ok;
    if (c == O_OPS)
        ok = trace_cli_positive("--ops", text, &p->ops, err);
    else if (c == O_FROM)
        ok = trace_cli_count("--from-op", text, &p->from, err);
    else if (c == O_TO)
        ok = trace_cli_count("--to-op", text, &p->to, err);
    else
        return 0;
    return ok ? 1 : -1;
}

static int part_complete(struct part *p, struct rf_err *err) {
    if (p->ops && p->to != UINT64_MAX)
        return rf_fail(err, RF_EUSAGE, "--ops and --to-op both say where to end, expected one");
    if (p->ops)
        p->to = p->from > UINT64_MAX - p->ops ? UINT64_MAX : p->from + p->ops;
    if (p->from >= p->to)
        return rf_fail(err, RF_EUSAGE, "accesses %" PRIu64 " to %" PRIu64 ", expected some",
                       p->from, p->to);
    return 0;
}

/* Prints what belongs to the part; false behind its end. */
static bool dump_block(const struct trace_block *b, const struct part *p) {
    uint64_t number = b->first_op;
    for (size_t i = 0; i < b->nops; i++) {
        uint32_t op = b->ops[i], id = op & TRACE_ID_MASK;
        bool content = (op & OP_CONTENT) && !(op & OP_EVENT);
        bool access = !(op & OP_EVENT) && (op & (OP_CONTENT | OP_WRITE)) != OP_CONTENT;
        if (access && number >= p->to)
            return false;
        if (p->from && (access ? number < p->from : number <= p->from)) {
            i += content;
            number += access;
            continue;
        }
        number += access;
        if (op & OP_EVENT)
            dump_event(&b->events[id]);
        else if (content)
            printf("%c %u %u\n", op & OP_WRITE ? 'W' : 'C', id, b->ops[++i]);
        else
            printf("%c %u\n", op & OP_WRITE ? 'W' : 'R', id);
    }
    return true;
}

static int trace_cli_dump(int argc, char **argv, struct rf_err *err) {
    struct option options[sizeof(dump_options) / sizeof(dump_options[0]) + 1];
    struct part p = {.to = UINT64_MAX};
    struct trace_reader *r;
    struct trace_block b;
    int c, rc;
    cli_getopt(dump_options, options, sizeof(options) / sizeof(options[0]));
    while ((c = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (c == 'h') {
            trace_cli_help();
            return 0;
        }
        rc = part_option(&p, c, optarg, err);
        if (rc == 0)
            return trace_cli_bad_option("trace", options, c, argv);
        if (rc < 0)
            return trace_cli_error(err);
    }
    if (argc - optind != 1) {
        rf_fail(err, RF_EUSAGE, "trace dump needs one trace; 'refault trace --help' explains");
        return trace_cli_error(err);
    }
    if (part_complete(&p, err) || trace_open(argv[optind], &r, err))
        return trace_cli_error(err);
    rc = p.from ? trace_seek(r, p.from, err) : 0;
    while (!rc && (rc = trace_next(r, &b, err)) == 1)
        rc = dump_block(&b, &p) ? 0 : 2;
    rc = RF_MIN(rc, 0);
    trace_close(r);
    if (!rc)
        rc = output_flush(err);
    return rc ? trace_cli_error(err) : 0;
}

/* ---- cut ---- */
static int trace_cli_cut(int argc, char **argv, struct rf_err *err) {
    struct option options[sizeof(cut_options) / sizeof(cut_options[0]) + 1];
    struct part part = {.to = UINT64_MAX};
    struct trace_cut_params p = {0};
    const char *out = NULL;
    char *written;
    int c, rc;

    cli_getopt(cut_options, options, sizeof(options) / sizeof(options[0]));
    while ((c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
        int taken = part_option(&part, c, optarg, err);
        if (c == 'h') {
            trace_cli_help();
            return 0;
        }
        if (c == 'o')
            out = optarg;
        else if (c == O_LEVEL)
            taken = trace_cli_level(optarg, &p.zstd_level, err) ? 1 : -1;
        else if (!taken)
            return trace_cli_bad_option("trace", options, c, argv);
        if (taken < 0)
            return trace_cli_error(err);
    }
    if (argc - optind != 1 || !out)
        rf_fail(err, RF_EUSAGE,
                "trace cut needs one trace and -o OUT; 'refault trace --help' explains");
    if (err->code || part_complete(&part, err))
        return trace_cli_error(err);
    p.from = part.from;
    p.to = part.to;
    rc = trace_cli_writing(out, (const char *const[]){argv[optind], NULL}, NULL, &written, err);
    if (rc == RF_OK)
        rc = trace_cut(argv[optind], out, &p, err);
    trace_cli_written(written);
    return rc == RF_OK ? 0 : trace_cli_error(err);
}

static int cmd_trace(int argc, char **argv) {
    struct rf_err err = {0};
    const char *what = argc > 1 ? argv[1] : "";
    optind = 0;
    opterr = 0;
    if (strcmp(what, "info") == 0)
        return trace_cli_info(argc - 1, argv + 1, &err);
    if (strcmp(what, "dump") == 0)
        return trace_cli_dump(argc - 1, argv + 1, &err);
    if (strcmp(what, "cut") == 0)
        return trace_cli_cut(argc - 1, argv + 1, &err);
    if (strcmp(what, "sample") == 0)
        return trace_cli_sample(argc - 1, argv + 1, &err);
    if (strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0) {
        trace_cli_help();
        return 0;
    }
    rf_fail(&err, RF_EUSAGE,
            "trace %s: expected info, dump, cut or sample; 'refault trace --help' explains", what);
    return trace_cli_error(&err);
}
