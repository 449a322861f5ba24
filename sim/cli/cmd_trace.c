/* SPDX-License-Identifier: Apache-2.0 */
/* refault trace: info, dump and cut; trace_sample.c has sample. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace_cli.h"
#include "trace/cut.h"
#include "trace/reader.h"

static const char *const pacing_names[] = {"records", "accesses", "ns"};

void trace_cli_help(void) {
    printf(
        "usage: refault trace info [--verify] [--json FILE|-] FILE\n"
        "       refault trace dump FILE\n"
        "       refault trace cut FILE -o OUT --ops N | --from-op A [--to-op B] [--level N]\n"
        "       refault trace sample FILE -o OUT --rate R [--group N] [--seed S] [--level N]\n\n"
        "info   what a trace is and holds; --verify decodes all of it and checks every\n"
        "       checksum, total and mapping\n"
        "dump   every record as a line of text: R, W page [content], C page content, and events\n"
        "cut    accesses A to B (B not included), or the first N, as a trace of its own; what\n"
        "       access A finds is rebuilt by events and one access a page; --level is zstd's\n\n"
        "example: refault trace cut gcc-tree.rft -o start.rft --ops 1M\n");
}

/* Results that cannot be written are an error. */
static int flush_stdout(struct rf_err *err) {
    if (fflush(stdout) != 0 || ferror(stdout))
        return rf_fail(err, RF_EIO, "standard output: %s", strerror(errno));
    return 0;
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

static void json_string(FILE *f, const char *key, const char *s) {
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
    FILE *f = strcmp(to, "-") == 0 ? stdout : fopen(to, "w");
    if (!f)
        return rf_fail(err, RF_EIO, "%s: cannot be created: %s", to, strerror(errno));
    fprintf(f, "{\"blocks\":%u,\"catalogue_rows\":%" PRIu64 ",\"content_changes\":%" PRIu64 ",",
            i->blocks, r->rows_total, i->content_changes);
    json_string(f, "content_spec", i->content_spec);
    fprintf(f,
            ",\"digest\":\"%016" PRIx64 "\",\"dropped_file_pages\":%" PRIu64 ",\"events\":%" PRIu64
            ",\"footprint_pages\":%" PRIu64 ",\"implicit_content\":%s",
            i->digest, i->dropped_file_pages, i->events, i->footprint_pages,
            i->implicit_content ? "true" : "false");
    fprintf(f,
            ",\"max_content\":%" PRIu64 ",\"min_memory_pages\":%" PRIu64 ",\"ops\":%" PRIu64
            ",\"pacing\":\"%s\",\"pages_touched\":%" PRIu64 ",",
            i->max_content, i->min_memory_pages, i->ops, pacing_names[i->pacing], i->pages_touched);
    json_string(f, "path", path);
    fprintf(f, ",\"processes\":%u,", i->processes);
    json_string(f, "provenance", i->provenance);
    fprintf(f, ",\"version\":%u,\"vmas\":%u,\"writes\":%" PRIu64 "}\n", i->version, i->vmas,
            i->writes);
    bool ok = !ferror(f);
    if (f != stdout)
        ok = fclose(f) == 0 && ok;
    return ok ? 0 : rf_fail(err, RF_EIO, "%s: cannot be written", to);
}

static int trace_cli_info(int argc, char **argv, struct rf_err *err) {
    static const struct option options[] = {{"verify", no_argument, NULL, 'v'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *json = NULL;
    bool verify = false;
    struct trace_reader *r;
    int c, rc;

    while ((c = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (c == 'v')
            verify = true;
        else if (c == 'j')
            json = optarg;
        else if (c == 'h') {
            trace_cli_help();
            return 0;
        } else {
            return trace_cli_bad_option("trace", c, argv, err);
        }
    }
    if (argc - optind != 1) {
        rf_fail(err, RF_EUSAGE, "trace info needs one trace; see refault trace --help");
        return trace_cli_error(err);
    }
    const char *path = argv[optind];
    if ((rc = trace_open(path, &r, err)))
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
        rc = flush_stdout(err);
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

static void dump_block(const struct trace_block *b) {
    for (size_t i = 0; i < b->nops; i++) {
        uint32_t op = b->ops[i], id = op & TRACE_ID_MASK;
        if (op & OP_EVENT)
            dump_event(&b->events[id]);
        else if (op & OP_CONTENT)
            printf("%c %u %u\n", op & OP_WRITE ? 'W' : 'C', id, b->ops[++i]);
        else
            printf("%c %u\n", op & OP_WRITE ? 'W' : 'R', id);
    }
}

static int trace_cli_dump(int argc, char **argv, struct rf_err *err) {
    struct trace_reader *r;
    struct trace_block b;
    int rc;
    if (argc != 2) {
        rf_fail(err, RF_EUSAGE, "trace dump needs one trace; see refault trace --help");
        return trace_cli_error(err);
    }
    if (trace_open(argv[1], &r, err))
        return trace_cli_error(err);
    while ((rc = trace_next(r, &b, err)) == 1)
        dump_block(&b);
    trace_close(r);
    if (!rc)
        rc = flush_stdout(err);
    return rc ? trace_cli_error(err) : 0;
}

/* ---- cut ---- */
static int trace_cli_cut(int argc, char **argv, struct rf_err *err) {
    enum { O_OPS = 256, O_FROM, O_TO, O_LEVEL };
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"ops", required_argument, NULL, O_OPS},
                                            {"from-op", required_argument, NULL, O_FROM},
                                            {"to-op", required_argument, NULL, O_TO},
                                            {"level", required_argument, NULL, O_LEVEL},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct trace_cut_params p = {.to = UINT64_MAX};
    const char *out = NULL;
    uint64_t ops = 0, level = 0;
    int c;

    while ((c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
        bool ok = true;
        switch (c) {
        case 'o':
            out = optarg;
            break;
        case O_OPS:
            ok = trace_cli_count("--ops", optarg, &ops, err);
            break;
        case O_FROM:
            ok = trace_cli_count("--from-op", optarg, &p.from, err);
            break;
        case O_TO:
            ok = trace_cli_count("--to-op", optarg, &p.to, err);
            break;
        case O_LEVEL:
            ok = trace_cli_count("--level", optarg, &level, err);
            p.zstd_level = (int)RF_MIN(level, 22u);
            break;
        case 'h':
            trace_cli_help();
            return 0;
        default:
            return trace_cli_bad_option("trace", c, argv, err);
        }
        if (!ok)
            return trace_cli_error(err);
    }
    if (ops)
        p.to = p.from > UINT64_MAX - ops ? UINT64_MAX : p.from + ops;
    if (argc - optind != 1 || !out)
        rf_fail(err, RF_EUSAGE, "trace cut needs one trace and -o OUT; see refault trace --help");
    if (err->code || trace_cut(argv[optind], out, &p, err))
        return trace_cli_error(err);
    return 0;
}

int cmd_trace(int argc, char **argv) {
    struct rf_err err = {0};
    const char *what = argc > 1 ? argv[1] : "";
    optind = 0;
    opterr = 0;
    if (strcmp(what, "info") == 0)
        return trace_cli_info(argc - 1, argv + 1, &err);
    if (strcmp(what, "dump") == 0 && !(argc > 2 && strcmp(argv[2], "--help") == 0))
        return trace_cli_dump(argc - 1, argv + 1, &err);
    if (strcmp(what, "cut") == 0)
        return trace_cli_cut(argc - 1, argv + 1, &err);
    if (strcmp(what, "sample") == 0)
        return trace_cli_sample(argc - 1, argv + 1, &err);
    if (argc > 1 &&
        (strcmp(what, "dump") == 0 || strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0)) {
        trace_cli_help();
        return 0;
    }
    rf_fail(&err, RF_EUSAGE,
            "trace %s: expected info, dump, cut or sample; see refault trace --help", what);
    return trace_cli_error(&err);
}
