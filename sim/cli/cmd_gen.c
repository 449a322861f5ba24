/* SPDX-License-Identifier: Apache-2.0 */
/* refault gen: deterministic synthetic workloads as traces. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace_cli.h"
#include "config/value.h"
#include "gen/workload.h"

#define OWN_FIRST 512 /* getopt's ids of the options of single workloads */
#define MAX_OPTIONS 64

enum {
    O_PAGES = 256,
    O_OPS,
    O_THETA,
    O_WRITES,
    O_FILL,
    O_SEED,
    O_CONTENTS,
    O_THP,
    O_LEVEL,
    O_SCALE
};

static const struct cli_option options[] = {
    {'o', 'o', "output", "OUT.rft", "the trace to write"},
    {O_SEED, 0, "seed", "S", "of the draws (1)"},
    {O_CONTENTS, 0, "contents", "SPEC", "synthetic page contents (zipf, scan: hist:mean=1650)"},
    {O_THP, 0, "thp", NULL, "the mappings have MADV_HUGEPAGE, not MADV_NOHUGEPAGE"},
    {O_LEVEL, 0, "level", "N", "zstd level of the trace (3)"},
    {O_PAGES, 0, "pages", "N", "zipf, scan: pages of the one mapping"},
    {O_OPS, 0, "ops", "N", "zipf, scan: accesses"},
    {O_THETA, 0, "theta", "X", "zipf: skew (0.9)"},
    {O_WRITES, 0, "writes", "P%", "zipf, scan: share of stores (25%)"},
    {O_FILL, 0, "fill", NULL, "zipf, scan: first store to every page once, on top of --ops"},
    {O_SCALE, 0, "scale", "S", "the others: factor of all sizes, such as 0.25 (1)"},
    {0, 0, NULL, NULL, NULL},
};
#define NR_OPTIONS (sizeof(options) / sizeof(options[0]) - 1)

static int cmd_gen(int argc, char **argv);
extern const struct cli_command cmd_gen_info;
const struct cli_command cmd_gen_info = {
    .name = "gen",
    .args = "WORKLOAD",
    .summary = "make a synthetic trace: zipf, scan, usemem, kbuild-lite, redis-memtier",
    .example = "refault gen zipf -o zipf.rft --pages 64K --ops 1M --theta 0.9",
    .options = options,
    .run = cmd_gen,
};

static void own_help(const struct gen_workload *g) {
    if (!g->options)
        return;
    printf("\n%s:\n", g->name);
    for (const struct gen_option *o = g->options; o->name; o++) {
        char left[40];

        if (o->letter)
            snprintf(left, sizeof(left), "-%c, --%s %s", o->letter, o->name, o->arg ? o->arg : "");
        else
            snprintf(left, sizeof(left), "--%s %s", o->name, o->arg ? o->arg : "");
        printf("  %-18s %s\n", left, o->help);
    }
}

static void help(void) {
    printf("usage: refault gen NAME -o FILE [options]\n"
           "Writes a synthetic trace; the same parameters give the same bytes.\n\n"
           "workloads:\n");
    for (unsigned i = 0; gen_at(i); i++)
        printf("  %-12s %s\n", gen_at(i)->name, gen_at(i)->summary);
    printf("\noptions:\n");
    cli_print_options(stdout, options);
    for (unsigned i = 0; gen_at(i); i++)
        own_help(gen_at(i));
    printf("\nexample: refault gen zipf -o zipf.rft --pages 64K --ops 1M --theta 0.9\n");
}

static bool share(const char *text, uint32_t *permille, struct rf_err *err) {
    char *end;
    double v = strtod(text, &end);
    if (end == text || (*end && strcmp(end, "%") != 0) || !(v >= 0.0 && v <= 100.0)) {
        rf_fail(err, RF_EUSAGE, "--writes: bad value '%s', expected a share such as 25%%", text);
        return false;
    }
    *permille = (uint32_t)(v * 10.0 + 0.5);
    return true;
}

/* One option of a workload into p. */
static int take_own(const struct gen_option *o, const char *value, struct gen_params *p,
                    struct rf_err *err) {
    void *field = (char *)p + o->offset;
    char *end;
    bool ok = true;

    switch (o->type) {
    case GEN_FLAG:
        *(bool *)field = true;
        break;
    case GEN_COUNT:
        ok = value_u64(value, field);
        break;
    case GEN_BYTES:
        ok = value_size(value, field);
        break;
    case GEN_TIME:
        ok = value_time(value, field);
        break;
    case GEN_REAL:
        *(double *)field = strtod(value, &end);
        ok = end != value && !*end;
        break;
    }
    if (ok)
        return RF_OK;
    return rf_fail(err, RF_EUSAGE, "--%s: bad value '%s', expected %s", o->name, value,
                   o->type == GEN_BYTES  ? "a size such as 64M"
                   : o->type == GEN_TIME ? "a time such as 10us"
                                         : "a number");
}

/* An option that belongs to some workloads, as it stood on the command line. */
struct own {
    const struct gen_option *option;
    const char *value;
};

static int take_owns(const struct gen_workload *g, const struct own *own, size_t n,
                     struct gen_params *p, struct rf_err *err) {
    for (size_t i = 0; i < n; i++) {
        const struct gen_option *o = g->options;
        int rc;

        while (o && o->name && strcmp(o->name, own[i].option->name) != 0)
            o++;
        if (!o || !o->name)
            return rf_fail(err, RF_EUSAGE, "gen %s has no option --%s", g->name,
                           own[i].option->name);
        rc = take_own(o, own[i].value, p, err);
        if (rc != RF_OK)
            return rc;
    }
    return RF_OK;
}

/* The options of getopt: the common ones, then those of the workloads, each name once. Letters of
 * the latter stand for their long form. */
struct option_set {
    struct option options[MAX_OPTIONS];
    const struct gen_option *own[MAX_OPTIONS]; /* by id - OWN_FIRST */
    size_t n, nr_own;
    char letters[2 * MAX_OPTIONS];
};

static void add_owns(struct option_set *s, const struct gen_workload *g) {
    for (const struct gen_option *o = g->options; o && o->name; o++) {
        size_t i = 0;

        while (i < s->n && strcmp(s->options[i].name, o->name) != 0)
            i++;
        if (i < s->n || s->n + 1 >= MAX_OPTIONS)
            continue;
        s->options[s->n++] = (struct option){o->name, o->arg ? required_argument : no_argument,
                                             NULL, OWN_FIRST + (int)s->nr_own};
        s->own[s->nr_own++] = o;
        if (o->letter && strlen(s->letters) + 3 <= sizeof(s->letters)) {
            char *end = s->letters + strlen(s->letters);

            end[0] = o->letter;
            end[1] = o->arg ? ':' : '\0';
            end[2] = '\0';
        }
    }
}

static void option_set_init(struct option_set *s, const struct option *common, size_t n) {
    *s = (struct option_set){.n = n, .letters = ":o:h"};
    memcpy(s->options, common, n * sizeof(*common));
    for (unsigned i = 0; gen_at(i); i++)
        add_owns(s, gen_at(i));
}

static const struct gen_option *own_by_id(const struct option_set *s, int c) {
    if (c >= OWN_FIRST)
        return s->own[c - OWN_FIRST];
    for (size_t i = 0; i < s->nr_own; i++)
        if (c > 0 && s->own[i]->letter == c)
            return s->own[i];
    return NULL;
}

static int cmd_gen(int argc, char **argv) {
    struct option common[NR_OPTIONS + 2];
    struct option_set set;
    struct own own[MAX_OPTIONS];
    size_t nr_own = 0;
    struct gen_params p;
    bool single = false, scaled = false;
    const char *out = NULL;
    struct rf_err err = {0};
    char *end, *part;
    int c;

    gen_params_init(&p);
    cli_getopt(options, common, NR_OPTIONS + 2);
    option_set_init(&set, common, NR_OPTIONS + 1);
    optind = 0;
    opterr = 0;
    while ((c = getopt_long(argc, argv, set.letters, set.options, NULL)) != -1) {
        const struct gen_option *o = own_by_id(&set, c);
        bool ok = true;

        if (o) {
            if (nr_own < MAX_OPTIONS)
                own[nr_own++] = (struct own){o, optarg};
            continue;
        }
        single |= c == O_PAGES || c == O_OPS || c == O_THETA || c == O_WRITES || c == O_FILL;
        switch (c) {
        case 'h':
            help();
            return 0;
        case 'o':
            out = optarg;
            break;
        case O_PAGES:
            ok = trace_cli_positive("--pages", optarg, &p.pages, &err);
            break;
        case O_OPS:
            ok = trace_cli_positive("--ops", optarg, &p.ops, &err);
            break;
        case O_SEED:
            ok = trace_cli_count("--seed", optarg, &p.seed, &err);
            break;
        case O_THETA:
            p.theta = strtod(optarg, &end);
            ok = end != optarg && !*end;
            if (!ok)
                rf_fail(&err, RF_EUSAGE, "--theta: bad value '%s', expected a number", optarg);
            break;
        case O_WRITES:
            ok = share(optarg, &p.writes_permille, &err);
            break;
        case O_FILL:
            p.fill = true;
            break;
        case O_CONTENTS:
            ok = trace_cli_contents(optarg, &err);
            p.contents = optarg;
            break;
        case O_SCALE:
            scaled = true;
            p.scale = strtod(optarg, &end);
            ok = end != optarg && !*end && p.scale > 0 && p.scale <= 1000;
            if (!ok)
                rf_fail(&err, RF_EUSAGE,
                        "--scale: bad value '%s', expected a number above 0 and up to 1000",
                        optarg);
            break;
        case O_THP:
            p.thp = true;
            break;
        case O_LEVEL:
            ok = trace_cli_level(optarg, &p.zstd_level, &err);
            break;
        default:
            return trace_cli_bad_option("gen", set.options, c, argv);
        }
        if (!ok)
            return trace_cli_error(&err);
    }
    const struct gen_workload *g = argc - optind == 1 ? gen_find(argv[optind]) : NULL;
    if (argc - optind != 1 || !out)
        rf_fail(&err, RF_EUSAGE, "gen needs a workload and -o FILE; 'refault gen --help' explains");
    else if (!g)
        rf_fail(&err, RF_EUSAGE, "unknown workload '%s'; 'refault gen --help' lists them",
                argv[optind]);
    else if (g->single && (!p.pages || !p.ops))
        rf_fail(&err, RF_EUSAGE, "gen %s needs --pages and --ops", g->name);
    else if (g->single ? scaled : single)
        rf_fail(&err, RF_EUSAGE, "gen %s has no option %s", g->name,
                g->single ? "--scale" : "--pages, --ops, --theta, --writes or --fill");
    if (err.code || take_owns(g, own, nr_own, &p, &err))
        return trace_cli_error(&err);
    int rc = trace_cli_writing(out, (const char *const[]){NULL}, p.contents, &part, &err);
    if (rc == RF_OK)
        rc = gen_write(g, &p, out, &err);
    trace_cli_written(part);
    return rc == RF_OK ? 0 : trace_cli_error(&err);
}
