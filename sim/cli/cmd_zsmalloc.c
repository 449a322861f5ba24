/* SPDX-License-Identifier: Apache-2.0 */
/* refault zsmalloc: class tables, and what a list of sizes occupies. */
#include "cli/cli.h"
#include "config/value.h"
#include "refault/zpool.h"
#include "zram_script.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct zs_options {
    struct zs_policy policy;
    uint32_t page_size, huge_threshold; /* 0 = no threshold */
    const char *csv;
};

#define POLICY_OPTIONS                                                                             \
    {'c', 0, "chain-size", "N", "pages of the longest zspage, 1 to 16 (8; 4 with old rules)"}, {   \
        'r', 0, "rules", "old|new", "kernels to 6.2, or later ones (new)"                          \
    }
static const struct cli_option classes_options[] = {
    POLICY_OPTIONS,
    {'p', 0, "page-size", "4K|16K|64K", "bytes of a page (4K)"},
    {'v', 0, "csv", "FILE|-", "classes as CSV"},
    {0, 0, NULL, NULL, NULL},
};
static const struct cli_option fill_options[] = {
    POLICY_OPTIONS,
    {'t', 0, "huge-threshold", "N", "lengths from N on take a whole page, as zram stores them"},
    {0, 0, NULL, NULL, NULL},
};
static const struct cli_command subs[] = {
    {.name = "classes", .summary = "zsmalloc's size classes", .options = classes_options},
    {.name = "fill",
     .args = "[FILE|-]",
     .summary = "objects of given lengths in an empty pool, and its classes file as the kernel "
                "shows it",
     .options = fill_options},
    {.name = NULL},
};

static int cmd_zsmalloc(int argc, char **argv);
extern const struct cli_command cmd_zsmalloc_info;
const struct cli_command cmd_zsmalloc_info = {
    .name = "zsmalloc",
    .args = "classes|fill [FILE|-]",
    .summary = "class tables and pool occupation: classes, fill",
    .example = "printf '1000 500\\n3700 20\\n' | refault zsmalloc fill --chain-size 8",
    .run = cmd_zsmalloc,
    .subs = subs,
};

static void usage(FILE *f) {
    for (const struct cli_command *c = subs; c->name; c++) {
        fprintf(f, "usage: refault zsmalloc %s [OPTION]... %s\n%s.\n", c->name,
                c->args ? c->args : "", c->summary);
        cli_print_options(f, c->options);
        fputc('\n', f);
    }
    fprintf(f,
            "Lines for fill: LENGTH [COUNT], separated by blanks or a comma; # begins a comment.\n"
            "\nexample: %s\n",
            cmd_zsmalloc_info.example);
}

static int parse_options(int argc, char **argv, bool classes, struct zs_options *o,
                         struct rf_err *err) {
    struct option longs[16];
    uint64_t chain = 0, v;
    bool old = false;
    int c;
    o->page_size = RF_PAGE_SIZE;
    cli_getopt(classes ? classes_options : fill_options, longs, sizeof(longs) / sizeof(longs[0]));
    optind = 0;
    while ((c = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
        switch (c) {
        case 'c':
            if (!value_u64(optarg, &chain) || chain < 1 || chain > ZPOOL_MAX_CHAIN)
                return rf_fail(err, RF_EUSAGE, "--chain-size: bad value '%s', expected 1 to %d",
                               optarg, ZPOOL_MAX_CHAIN);
            break;
        case 'r':
            old = strcmp(optarg, "old") == 0;
            if (!old && strcmp(optarg, "new") != 0)
                return rf_fail(err, RF_EUSAGE, "--rules: bad value '%s', expected old or new",
                               optarg);
            break;
        case 'p':
            if (!classes || !value_size(optarg, &v) || (v != 4096 && v != 16384 && v != 65536))
                return rf_fail(err, RF_EUSAGE,
                               "--page-size: bad value '%s', expected 4K, 16K or 64K, with "
                               "classes only",
                               optarg);
            o->page_size = (uint32_t)v;
            break;
        case 'v':
            if (!classes)
                return rf_fail(err, RF_EUSAGE, "--csv is an option of zsmalloc classes only");
            o->csv = optarg;
            break;
        case 't':
            if (classes || !value_u64(optarg, &v) || v < 1 || v > RF_PAGE_SIZE)
                return rf_fail(err, RF_EUSAGE,
                               "--huge-threshold: bad value '%s', expected 1 to 4096, with "
                               "fill only",
                               optarg);
            o->huge_threshold = (uint32_t)v;
            break;
        case 'h':
            usage(stdout);
            return 1;
        default:
            return cli_getopt_error(&cmd_zsmalloc_info, longs, c, argv[optind - 1]);
        }
    }
    o->policy.least_waste = !old;
    o->policy.fullness_12 = !old;
    o->policy.too_big_is_einval = old;
    o->policy.chain_size = chain ? (uint32_t)chain : old ? 4 : 8;
    return 0;
}

/* ---- classes ---- */

static void print_table(FILE *f, const struct zs_class_table *t) {
    uint32_t delta = t->page_size >> 8, raw = 0, first = 1;
    fprintf(f, "%5s %6s %5s %4s %10s %11s  %s\n", "class", "size", "pages", "objs", "tail waste",
            "raw classes", "lengths");
    for (uint32_t i = 0; i < t->nr; i++) {
        const struct zs_class_info *c = &t->cls[i];
        uint32_t waste = c->pages_per_zspage * t->page_size - c->objs_per_zspage * c->size;
        /* 8 bytes of each object are the handle word; the largest class takes what is left. */
        uint32_t last = i + 1 == t->nr ? t->page_size : c->size - 8;
        char range[24];
        snprintf(range, sizeof(range), "%u-%u", raw, c->index);
        fprintf(f, "%5u %6u %5u %4u %10u %11s  %u-%u\n", c->index, c->size,
                (unsigned)c->pages_per_zspage, (unsigned)c->objs_per_zspage, waste, range, first,
                last);
        raw = c->index + 1;
        first = last + 1;
    }
    fprintf(f,
            "%u classes, step %u, chain size %u; watermark %u: lengths from %u on take a whole "
            "page\n",
            t->nr, delta, t->policy.chain_size, t->watermark, zs_huge_class_size(t));
}

static void print_csv(FILE *f, const struct zs_class_table *t) {
    fputs("index,size,pages_per_zspage,objs_per_zspage\n", f);
    for (uint32_t i = 0; i < t->nr; i++)
        fprintf(f, "%u,%u,%u,%u\n", t->cls[i].index, t->cls[i].size,
                (unsigned)t->cls[i].pages_per_zspage, (unsigned)t->cls[i].objs_per_zspage);
}

static int run_classes(const struct zs_options *o, struct rf_err *err) {
    struct zs_class_table t;
    struct output out;
    int rc;
    zs_class_table_init(&t, &o->policy, o->page_size);
    rc = output_open(&out, o->csv ? o->csv : "-", err);
    if (rc != RF_OK)
        return rc;
    if (o->csv)
        print_csv(out.f, &t);
    else
        print_table(out.f, &t);
    return output_close(&out, err);
}

/* ---- fill ---- */

#define MAX_OBJECTS ((uint64_t)1 << 28)
#define MAX_LINE 65535u /* a comment may be long */

struct fill {
    uint64_t objects, bytes, refused;
};

/* One pass over the lines; with a pool objects are allocated, without it only counted. */
static int fill_pass(const char *name, const char *text, const struct zs_options *o,
                     struct zpool *z, struct fill *n, struct rf_err *err) {
    uint32_t line = 1, handle;
    for (const char *p = text; *p; line++) {
        size_t len = strcspn(p, "\n");
        char buf[128];
        unsigned long long v[2] = {0, 1};
        char *at;
        size_t copy = RF_MIN(strcspn(p, "\n#"), sizeof(buf) - 1);
        memcpy(buf, p, copy);
        buf[copy] = '\0';
        p += len + (p[len] == '\n');
        if (buf[strspn(buf, " \t\r")] == '\0')
            continue;
        v[0] = strtoull(buf, &at, 10);
        at += strspn(at, " \t\r,");
        if (*at)
            v[1] = strtoull(at, &at, 10);
        if (strchr(buf, '-') || at[strspn(at, " \t\r")] != '\0' || v[0] == 0 || v[0] > 999999 ||
            v[1] > 999999999)
            return rf_fail(err, RF_EINPUT, "%s:%u: found '%.40s', expected LENGTH [COUNT]", name,
                           line, buf);
        uint32_t size = (uint32_t)v[0];
        if (o->huge_threshold && size >= o->huge_threshold)
            size = RF_PAGE_SIZE;
        if (size > RF_PAGE_SIZE) {
            n->refused += v[1];
            continue;
        }
        n->objects += v[1];
        n->bytes += v[1] * size;
        if (n->objects > MAX_OBJECTS)
            return rf_fail(err, RF_ELIMIT, "%s:%u: more than %" PRIu64 " objects", name, line,
                           MAX_OBJECTS);
        for (unsigned long long i = 0; z && i < v[1]; i++)
            if (z->ops->malloc(z, size, 0, &handle) != ZPOOL_OK)
                return rf_fail(err, RF_ENOMEM, "%s:%u: no memory for the pool", name, line);
    }
    return 0;
}

static int run_fill(const char *path, const struct zs_options *o, struct rf_err *err) {
    struct fill n = {0, 0, 0}, again = {0, 0, 0};
    struct zpool *z = NULL;
    char *text = NULL, *out = NULL;
    size_t len;
    int rc = zram_script_load(path, MAX_LINE, &text, &len, err);
    if (rc == 0)
        rc = fill_pass(path, text, o, NULL, &n, err);
    if (rc == 0) {
        struct zpool_params p = {
            .zs = o->policy, .name = "fill", .max_objects = (uint32_t)n.objects + 1};
        rc = zpool_find("zsmalloc")->create(&p, &z, err);
    }
    if (rc == 0)
        rc = fill_pass(path, text, o, z, &again, err);
    if (rc == 0) {
        size_t need = zs_format_classes(z, NULL, 0) + 1;
        out = malloc(need);
        if (!out)
            rc = rf_fail(err, RF_ENOMEM, "no memory for %zu bytes", need);
        else
            zs_format_classes(z, out, need);
    }
    if (rc == 0) {
        uint64_t pages = z->ops->total_pages(z);
        printf("%s\nobjects          %" PRIu64 "\nrefused          %" PRIu64
               "\ncompr_data_size  %" PRIu64 "\nmem_used_total   %" PRIu64 "\n",
               out, n.objects, n.refused, n.bytes, pages * RF_PAGE_SIZE);
        rc = output_flush(err);
    }
    if (z)
        z->ops->destroy(z);
    free(text);
    free(out);
    return rc;
}

static int cmd_zsmalloc(int argc, char **argv) {
    struct zs_options o = {.csv = NULL};
    struct rf_err err = {0, ""};
    const char *what = argc > 1 ? argv[1] : "";
    bool classes = strcmp(what, "classes") == 0, fill = strcmp(what, "fill") == 0;
    if (strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0) {
        usage(stdout);
        return 0;
    }
    if (!classes && !fill) {
        rf_fail(&err, RF_EUSAGE, "zsmalloc: found '%s', expected classes or fill", what);
        return cli_fail(&err);
    }
    int rc = parse_options(argc - 1, argv + 1, classes, &o, &err);
    if (rc > 0)
        return 0;
    int left = argc - 1 - optind;
    if (rc == 0 && left > (fill ? 1 : 0))
        rc = rf_fail(&err, RF_EUSAGE, "zsmalloc %s: '%s' is one argument too many", what,
                     argv[argc - 1]);
    if (rc == 0)
        rc = classes ? run_classes(&o, &err) : run_fill(left ? argv[argc - 1] : "-", &o, &err);
    return cli_end(&cmd_zsmalloc_info, rc, 0, &err);
}
