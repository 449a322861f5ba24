/* SPDX-License-Identifier: Apache-2.0 */
/* refault zram: runs a script of reads, writes and sysfs writes on a zram device. */
#include "cli/cli.h"
#include "config/value.h"
#include "size_list.h"
#include "version.h"
#include "zram_script.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_LISTS 8

struct zram_options {
    const char *script, *bank, *json;
    const char *list_codec[MAX_LISTS], *list_path[MAX_LISTS];
    uint32_t nr_lists;
    const char *comp, *recomp[ZRAM_MAX_COMPS - 1];
    uint32_t nr_recomp;
    const struct kernel_era *era;
    uint64_t disksize, mem_limit, backing, chain_size;
    bool verify, check, quiet, track_ac_time;
};

enum {
    BANK = 256,
    SIZES,
    KERNEL,
    COMP,
    RECOMP,
    DISKSIZE,
    LIMIT,
    BACKING,
    CHAIN,
    ACTIME,
    VERIFY,
    CHECK,
    JSON,
    QUIET
};

static const struct cli_option options[] = {
    {BANK, 0, "bank", "FILE", "pages to write: 4 KiB each, page k of the bank is BANK k"},
    {SIZES, 0, "sizes", "[CODEC=]FILE",
     "recorded compressed sizes of the bank's pages, as JSON or text, 0 = same-filled; for --comp "
     "unless CODEC is given (repeatable)"},
    {KERNEL, 0, "kernel", "VERSION", "kernel whose rules hold (6.12)"},
    {COMP, 0, "comp", "CODEC", "compression algorithm (lzo-rle)"},
    {RECOMP, 0, "recomp", "CODEC", "secondary algorithm, in order of priority (repeatable)"},
    {DISKSIZE, 0, "disksize", "SIZE", "of the device (1G)"},
    {LIMIT, 0, "mem-limit", "SIZE", "of the pool (none)"},
    {BACKING, 0, "backing-dev", "SIZE", "size of a backing device (none)"},
    {CHAIN, 0, "chain-size", "N", "pages of the longest zspage (the kernel's)"},
    {ACTIME, 0, "track-actime", NULL, "as CONFIG_ZRAM_TRACK_ENTRY_ACTIME: idle marking by age"},
    {VERIFY, 0, "verify", NULL, "store and read back real bytes"},
    {CHECK, 0, "check", NULL, "test all invariants at every snapshot"},
    {JSON, 0, "json", "FILE|-", "snapshots as JSON"},
    {QUIET, 0, "quiet", NULL, "no text"},
    {0, 0, NULL, NULL, NULL},
};

static int cmd_zram(int argc, char **argv);
extern const struct cli_command cmd_zram_info;
const struct cli_command cmd_zram_info = {
    .name = "zram",
    .args = "SCRIPT",
    .summary = "drive a zram device by a script",
    .example = "refault zram fill.zs --bank bank.bin --comp lz4 --kernel 6.1",
    .options = options,
    .run = cmd_zram,
};

static void usage(FILE *f) {
    fputs("usage: refault zram [OPTION]... SCRIPT\n"
          "\n"
          "Runs SCRIPT (a file, - for standard input; zstd-compressed is fine) on an empty zram\n"
          "device and prints mm_stat, io_stat, bd_stat and the zsmalloc classes at every S line.\n"
          "Script lines: w PAGE BANK, r PAGE BANK, d PAGE [N], E FILE TEXT, S LABEL, P;\n"
          "at most 511 bytes a line, and 64 MiB in all.\n\n",
          f);
    cli_print_options(f, options);
    fprintf(f, "\nexample: %s\n", cmd_zram_info.example);
}

static int parse_size(const char *option, const char *text, uint64_t *out, struct rf_err *err) {
    if (!value_size(text, out) || *out == 0)
        return rf_fail(err, RF_EUSAGE, "--%s: bad value '%s', expected a size above 0", option,
                       text);
    return 0;
}

static int add_list(struct zram_options *o, char *text, struct rf_err *err) {
    char *eq = strchr(text, '=');
    if (o->nr_lists == MAX_LISTS)
        return rf_fail(err, RF_EUSAGE, "--sizes: given more than %d times", MAX_LISTS);
    if (eq)
        *eq = '\0';
    o->list_codec[o->nr_lists] = eq ? text : NULL;
    o->list_path[o->nr_lists++] = eq ? eq + 1 : text;
    return 0;
}

static int parse_options(int argc, char **argv, struct zram_options *o, struct rf_err *err) {
    struct option longs[sizeof(options) / sizeof(options[0]) + 1];
    int c, rc = 0;
    cli_getopt(options, longs, sizeof(longs) / sizeof(longs[0]));
    optind = 0;
    while (rc == 0 && (c = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
        switch (c) {
        case BANK:
            o->bank = optarg;
            break;
        case SIZES:
            rc = add_list(o, optarg, err);
            break;
        case KERNEL:
            if (!(o->era = era_find(optarg)))
                rc = rf_fail(err, RF_EUSAGE, "--kernel '%s': no such kernel in the table", optarg);
            break;
        case COMP:
            o->comp = optarg;
            break;
        case RECOMP:
            if (o->nr_recomp == ZRAM_MAX_COMPS - 1)
                rc = rf_fail(err, RF_EUSAGE, "--recomp: given more than %d times",
                             ZRAM_MAX_COMPS - 1);
            else
                o->recomp[o->nr_recomp++] = optarg;
            break;
        case DISKSIZE:
            rc = parse_size("disksize", optarg, &o->disksize, err);
            break;
        case LIMIT:
            rc = parse_size("mem-limit", optarg, &o->mem_limit, err);
            break;
        case BACKING:
            rc = parse_size("backing-dev", optarg, &o->backing, err);
            break;
        case CHAIN:
            if (!value_u64(optarg, &o->chain_size) || o->chain_size < 1 ||
                o->chain_size > ZPOOL_MAX_CHAIN)
                rc = rf_fail(err, RF_EUSAGE, "--chain-size: bad value '%s', expected 1 to %d",
                             optarg, ZPOOL_MAX_CHAIN);
            break;
        case ACTIME:
            o->track_ac_time = true;
            break;
        case VERIFY:
            o->verify = true;
            break;
        case CHECK:
            o->check = true;
            break;
        case JSON:
            o->json = optarg;
            break;
        case QUIET:
            o->quiet = true;
            break;
        case 'h':
            usage(stdout);
            return 1;
        default:
            rc = cli_getopt_error(&cmd_zram_info, longs, c, argv[optind - 1]);
        }
    }
    if (rc == 0 && optind != argc - 1)
        rc = rf_fail(err, RF_EUSAGE, "zram needs one script; 'refault zram --help' explains");
    if (rc == 0 && !o->bank && o->nr_lists == 0)
        rc = rf_fail(err, RF_EUSAGE, "zram needs --bank FILE or --sizes FILE");
    if (rc != 0)
        return rc;
    o->script = argv[optind];
    rc = output_keeps(o->json, strcmp(o->script, "-") == 0 ? "/dev/stdin" : o->script, err);
    if (rc == 0 && o->bank)
        rc = output_keeps(o->json, o->bank, err);
    for (uint32_t i = 0; i < o->nr_lists && rc == 0; i++)
        rc = output_keeps(o->json, o->list_path[i], err);
    return rc;
}

/* zstd is not the same on all kernels. */
static int find_codec(const struct kernel_era *era, const char *name, enum codec_id *id,
                      struct rf_err *err) {
    const struct codec_ops *ops = codec_find(name);
    if (!ops)
        return rf_fail(err, RF_EUSAGE, "'%s' is no compression algorithm", name);
    *id = era_zram_codec(era, ops->id);
    return 0;
}

/* The bank of pages, its recorded sizes, or both. */
static int load_content(const struct zram_options *o, const struct zram_params *p,
                        struct content_set **out, struct rf_err *err) {
    uint16_t *sizes[MAX_LISTS] = {NULL};
    size_t nr[MAX_LISTS] = {0}, max = 0;
    enum codec_id codec[MAX_LISTS];
    struct content_row *rows = NULL;
    int rc = 0;
    *out = NULL;
    for (uint32_t l = 0; l < o->nr_lists && rc == 0; l++) {
        codec[l] = p->comp[0];
        if (o->list_codec[l])
            rc = find_codec(o->era, o->list_codec[l], &codec[l], err);
        if (rc == 0)
            rc = size_list_load(o->list_path[l], &sizes[l], &nr[l], err);
        max = RF_MAX(max, nr[l]);
    }
    if (rc == 0 && o->bank) {
        rc = content_from_bank_file(o->bank, out, err);
        for (uint32_t l = 0; l < o->nr_lists && rc == 0; l++)
            rc = content_override(*out, codec[l], sizes[l], nr[l], err);
    } else if (rc == 0) {
        rows = calloc(max, sizeof(*rows));
        if (!rows)
            rc = rf_fail(err, RF_ENOMEM, "no memory for %zu sizes", max);
        for (uint32_t l = 0; l < o->nr_lists && rc == 0; l++)
            for (size_t k = 0; k < nr[l]; k++) {
                rows[k].size[codec[l]] = sizes[l][k];
                rows[k].same_filled = rows[k].same_filled || sizes[l][k] == 0;
            }
        if (rc == 0)
            rc = content_from_rows(rows, max, out, err);
        free(rows);
    }
    for (uint32_t l = 0; l < o->nr_lists; l++)
        free(sizes[l]);
    return rc;
}

/* ---- output ---- */

struct report {
    const struct zram_options *o;
    json_t *snapshots, *counters;
};

static char *classes_text(const struct zram *z) {
    size_t need = zs_format_classes(zram_pool(z), NULL, 0) + 1;
    char *s = malloc(need);
    if (s)
        zs_format_classes(zram_pool(z), s, need);
    return s;
}

static json_t *line_json(const char *line) {
    return json_stringn(line, strcspn(line, "\n"));
}

/* The classes file's columns and numbers; classes without objects are left out. */
static json_t *classes_json(const struct zram *z) {
    static const char *const names4[] = {"almost_full", "almost_empty"};
    static const char *const names12[] = {"10%", "20%", "30%", "40%", "50%", "60%",
                                          "70%", "80%", "90%", "99%", "100%"};
    struct zs_class_stats st[256];
    uint32_t nr = zs_pool_stats(zram_pool(z), st);
    bool twelve = zs_pool_table(zram_pool(z))->policy.fullness_12;
    json_t *columns = json_pack("[ss]", "class", "size"), *rows = json_array();
    for (size_t i = 0; i < (twelve ? 11u : 2u); i++)
        json_array_append_new(columns, json_string(twelve ? names12[i] : names4[i]));
    const char *const rest[] = {"obj_allocated", "obj_used", "pages_used", "pages_per_zspage",
                                "freeable"};
    for (size_t i = 0; i < 5; i++)
        json_array_append_new(columns, json_string(rest[i]));
    for (uint32_t i = 0; i < nr; i++) {
        const struct zs_class_stats *s = &st[i];
        if (s->obj_allocated == 0)
            continue;
        json_t *row = json_pack("[II]", (json_int_t)s->info.index, (json_int_t)s->info.size);
        for (uint32_t g = 1; g <= (twelve ? 11u : 2u); g++)
            json_array_append_new(row, json_integer((json_int_t)s->group[twelve ? g : 3 - g]));
        const uint64_t v[] = {s->obj_allocated, s->obj_used, s->pages_used,
                              s->info.pages_per_zspage, s->freeable};
        for (size_t k = 0; k < 5; k++)
            json_array_append_new(row, json_integer((json_int_t)v[k]));
        json_array_append_new(rows, row);
    }
    return json_pack("{s{soso}}", "zram0", "columns", columns, "rows", rows);
}

static void count(json_t *counters, const char *label, const char *field, uint64_t v) {
    char key[192];
    snprintf(key, sizeof(key), "snap.%.100s.%s", label, field);
    json_object_set_new(counters, key, json_integer((json_int_t)v));
}

static void add_counters(json_t *c, const char *label, const struct zram *z,
                         const struct zram_script_counts *n) {
    struct zram_mm_stat mm;
    struct zram_io_stat io;
    struct zram_bd_stat bd;
    zram_mm_stat(z, &mm);
    zram_io_stat(z, &io);
    zram_bd_stat(z, &bd);
    count(c, label, "orig_data_size", mm.orig_data_size);
    count(c, label, "compr_data_size", mm.compr_data_size);
    count(c, label, "mem_used_total", mm.mem_used_total);
    count(c, label, "mem_limit", mm.mem_limit);
    count(c, label, "mem_used_max", mm.mem_used_max);
    count(c, label, "same_pages", mm.same_pages);
    count(c, label, "pages_compacted", mm.pages_compacted);
    count(c, label, "huge_pages", mm.huge_pages);
    count(c, label, "huge_pages_since", mm.huge_pages_since);
    count(c, label, "failed_reads", io.failed_reads);
    count(c, label, "failed_writes", io.failed_writes);
    count(c, label, "invalid_io", io.invalid_io);
    count(c, label, "notify_free", io.notify_free);
    count(c, label, "bd_count", bd.bd_count);
    count(c, label, "bd_reads", bd.bd_reads);
    count(c, label, "bd_writes", bd.bd_writes);
    count(c, label, "verify_errors", n->verify_errors);
    count(c, label, "io_errors", n->io_errors);
}

static int on_snapshot(void *ctx, const char *label, const struct zram *z,
                       const struct zram_script_counts *n, struct rf_err *err) {
    struct report *r = ctx;
    char mm[256], io[128], bd[128], shown[512];
    zram_format_mm_stat(z, mm, sizeof(mm));
    zram_format_io_stat(z, io, sizeof(io));
    zram_format_bd_stat(z, bd, sizeof(bd));
    if (!r->o->quiet) {
        char *classes = classes_text(z);
        if (!classes)
            return rf_fail(err, RF_ENOMEM, "no memory for the classes file");
        printf("== %s\nmm_stat %sio_stat %sbd_stat %s%s\n",
               report_line(label, shown, sizeof(shown)), mm, io, bd, classes);
        free(classes);
    }
    if (r->o->json) {
        json_t *snap = json_pack(
            "{ss sI sI sI sI sI s{so so so} so}", "label", label, "writes", (json_int_t)n->writes,
            "reads", (json_int_t)n->reads, "discards", (json_int_t)n->discards, "verify_errors",
            (json_int_t)n->verify_errors, "io_errors", (json_int_t)n->io_errors, "zram", "mm_stat",
            line_json(mm), "io_stat", line_json(io), "bd_stat", line_json(bd), "zsmalloc_classes",
            classes_json(z));
        if (!snap)
            return rf_fail(err, RF_EINPUT, "snapshot label '%.60s' is not valid UTF-8", label);
        json_array_append_new(r->snapshots, snap);
        add_counters(r->counters, label, z, n);
    }
    return 0;
}

static int on_sysfs(void *ctx, const char *file, const char *text, int rc, struct rf_err *err) {
    struct report *r = ctx;
    char shown[2][512];
    (void)err;
    if (!r->o->quiet && rc != 0)
        printf("-- %s '%s': %s\n\n", report_line(file, shown[0], sizeof(shown[0])),
               report_line(text, shown[1], sizeof(shown[1])), strerror(rc));
    if (r->o->json)
        json_array_append_new(r->snapshots, json_pack("{ss ss sI}", "echo", file, "value", text,
                                                      "errno", (json_int_t)rc));
    return 0;
}

static int on_sizes(void *ctx, const uint16_t *size, size_t nr, struct rf_err *err) {
    struct report *r = ctx;
    (void)err;
    if (!r->o->quiet) {
        for (size_t k = 0; k < nr; k++)
            printf("%u\n", (unsigned)size[k]);
        putchar('\n');
    }
    if (r->o->json) {
        json_t *list = json_array();
        for (size_t k = 0; k < nr; k++)
            json_array_append_new(list, json_integer(size[k]));
        json_array_append_new(r->snapshots,
                              json_pack("{ss so}", "label", "per_page_compr_size", "sizes", list));
    }
    return 0;
}

/* Failed operations are results, which the device counts; but they may be a slip in the script. */
static int on_end(void *ctx, const struct zram_script_counts *n, struct rf_err *err) {
    const struct report *r = ctx;
    (void)err;
    if (n->first_failed)
        cli_note("%s: %" PRIu64 " operations failed and %" PRIu64
                 " reads found another page, the first in line %u",
                 r->o->script, n->io_errors, n->verify_errors, n->first_failed);
    return 0;
}

static int write_json(const struct report *r, struct rf_err *err) {
    const struct zram_options *o = r->o;
    struct output out;
    int rc = output_open(&out, o->json, err);
    if (rc != RF_OK)
        return rc;
    json_t *root = json_pack("{ss s{ss ss sI sI sI} sO sO}", "refault", REFAULT_VERSION, "config",
                             "kernel", o->era->name, "zram0.comp_algorithm", o->comp,
                             "zram0.disksize", (json_int_t)o->disksize, "zram0.mem_limit",
                             (json_int_t)o->mem_limit, "zram0.backing_dev", (json_int_t)o->backing,
                             "counters", r->counters, "snapshots", r->snapshots);
    errno = 0;
    if (json_dumpf(root, out.f, JSON_SORT_KEYS | JSON_INDENT(1)) != 0 || fputc('\n', out.f) == EOF)
        rc = rf_fail(err, RF_EIO, "cannot write %s: %s", out.path,
                     errno ? strerror(errno) : "write error");
    json_decref(root);
    int closed = output_close(&out, rc == RF_OK ? err : NULL);
    return rc == RF_OK ? closed : rc;
}

/* Without a bank only some lengths are known, and no bytes. */
static void note_no_bytes(const struct zram_options *o, const struct zram_params *p) {
    char derived[128] = "";
    size_t at = 0;

    for (size_t i = 0; i < ZRAM_MAX_COMPS && at < sizeof(derived); i++) {
        if (p->comp[i] != NR_CODECS && content_source(p->content, p->comp[i]) == CONTENT_DERIVED)
            at += (size_t)snprintf(derived + at, sizeof(derived) - at, "%s%s", at ? ", " : "",
                                   codec_by_id(p->comp[i])->name);
    }
    if (at)
        cli_note("no --bank, and no --sizes of %s: derived from those of another codec", derived);
    if (o->verify)
        cli_note("no --bank: --verify stores random bytes in place of the pages'");
}

static int run(const struct zram_options *o, struct rf_err *err) {
    static const struct zram_script_ops ops = {
        .snapshot = on_snapshot, .sysfs = on_sysfs, .sizes = on_sizes, .end = on_end};
    struct zram_params p = {
        .policy = o->era->zram,
        .cost = profile_default()->zram,
        .zs = o->era->zs,
        .name = "zram0",
        .disksize_pages = (o->disksize + RF_PAGE_SIZE - 1) / RF_PAGE_SIZE,
        .mem_limit_bytes = o->mem_limit,
        .backing_pages = o->backing / RF_PAGE_SIZE,
        .track_ac_time = o->track_ac_time,
        .verify = o->verify,
        .comp = {NR_CODECS, NR_CODECS, NR_CODECS, NR_CODECS},
    };
    char *text = NULL;
    size_t len = 0;
    if (o->chain_size)
        p.zs.chain_size = (uint32_t)o->chain_size;
    int rc = find_codec(o->era, o->comp, &p.comp[0], err);
    for (uint32_t i = 0; i < o->nr_recomp && rc == 0; i++)
        rc = find_codec(o->era, o->recomp[i], &p.comp[i + 1], err);
    if (rc == 0)
        rc = load_content(o, &p, &p.content, err);
    if (rc == 0 && !o->bank)
        note_no_bytes(o, &p);
    if (rc == 0)
        rc = zram_script_load(o->script, ZRAM_SCRIPT_LINE, &text, &len, err);
    if (rc == 0) {
        struct report r = {o, json_array(), json_object()};
        rc = zram_script_run(o->script, text, len, &p, o->check, &ops, &r, err);
        if (rc == 0 && o->json)
            rc = write_json(&r, err);
        if (rc == 0)
            rc = output_flush(err);
        json_decref(r.snapshots);
        json_decref(r.counters);
    }
    free(text);
    if (p.content)
        content_free(p.content);
    return rc;
}

static int cmd_zram(int argc, char **argv) {
    struct zram_options o = {.comp = "lzo-rle", .disksize = (uint64_t)1 << 30};
    struct rf_err err = {0, ""};
    o.era = era_find("6.12");
    int rc = parse_options(argc, argv, &o, &err);
    if (rc > 0)
        return 0;
    if (rc == 0)
        rc = run(&o, &err);
    return cli_end(&cmd_zram_info, rc, 0, &err);
}
