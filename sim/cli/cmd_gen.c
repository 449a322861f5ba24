/* SPDX-License-Identifier: Apache-2.0 */
/* refault gen: deterministic synthetic workloads as traces. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace_cli.h"
#include "gen/workload.h"

static void help(void) {
    printf("usage: refault gen NAME -o FILE --pages N --ops N [options]\n"
           "Writes a synthetic trace; the same parameters give the same bytes.\n\n"
           "workloads:\n");
    for (unsigned i = 0; gen_at(i); i++)
        printf("  %-12s %s\n", gen_at(i)->name, gen_at(i)->summary);
    printf("\noptions:\n"
           "  -o, --output FILE  the trace to write\n"
           "  --pages N          pages of the one mapping\n"
           "  --ops N            accesses\n"
           "  --theta X          zipf: skew (0.9)\n"
           "  --writes P%%        share of stores (25%%)\n"
           "  --fill             first store to every page once, on top of --ops\n"
           "  --seed S           of the draws (1)\n"
           "  --contents SPEC    synthetic page contents (hist:mean=1650)\n"
           "  --thp              the mapping has MADV_HUGEPAGE\n"
           "  --level N          zstd level of the trace (3)\n\n"
           "example: refault gen zipf -o zipf.rft --pages 64K --ops 1M --theta 0.9\n");
}

static bool share(const char *text, uint32_t *permille, struct rf_err *err) {
    char *end;
    double v = strtod(text, &end);
    if (end == text || (*end && strcmp(end, "%") != 0) || !(v >= 0.0 && v <= 100.0)) {
        rf_fail(err, RF_EUSAGE, "--writes %s: expected a share such as 25%%", text);
        return false;
    }
    *permille = (uint32_t)(v * 10.0 + 0.5);
    return true;
}

int cmd_gen(int argc, char **argv) {
    enum { O_PAGES = 256, O_OPS, O_THETA, O_WRITES, O_FILL, O_SEED, O_CONTENTS, O_THP, O_LEVEL };
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"pages", required_argument, NULL, O_PAGES},
                                            {"ops", required_argument, NULL, O_OPS},
                                            {"theta", required_argument, NULL, O_THETA},
                                            {"writes", required_argument, NULL, O_WRITES},
                                            {"fill", no_argument, NULL, O_FILL},
                                            {"seed", required_argument, NULL, O_SEED},
                                            {"contents", required_argument, NULL, O_CONTENTS},
                                            {"thp", no_argument, NULL, O_THP},
                                            {"level", required_argument, NULL, O_LEVEL},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct gen_params p = {.theta = 0.9, .writes_permille = 250, .seed = 1};
    const char *out = NULL;
    struct rf_err err = {0};
    uint64_t level;
    char *end;
    int c;

    optind = 0;
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
        bool ok = true;
        switch (c) {
        case 'h':
            help();
            return 0;
        case 'o':
            out = optarg;
            break;
        case O_PAGES:
            ok = trace_cli_count("--pages", optarg, &p.pages, &err);
            break;
        case O_OPS:
            ok = trace_cli_count("--ops", optarg, &p.ops, &err);
            break;
        case O_SEED:
            ok = trace_cli_count("--seed", optarg, &p.seed, &err);
            break;
        case O_THETA:
            p.theta = strtod(optarg, &end);
            ok = end != optarg && !*end;
            if (!ok)
                rf_fail(&err, RF_EUSAGE, "--theta %s: expected a number", optarg);
            break;
        case O_WRITES:
            ok = share(optarg, &p.writes_permille, &err);
            break;
        case O_FILL:
            p.fill = true;
            break;
        case O_CONTENTS:
            p.contents = optarg;
            break;
        case O_THP:
            p.thp = true;
            break;
        case O_LEVEL:
            ok = trace_cli_count("--level", optarg, &level, &err);
            if (ok)
                p.zstd_level = (int)RF_MIN(level, 22u);
            break;
        default:
            return trace_cli_bad_option("gen", c, argv, &err);
        }
        if (!ok)
            return trace_cli_error(&err);
    }
    const struct gen_workload *g = argc - optind == 1 ? gen_find(argv[optind]) : NULL;
    if (argc - optind != 1 || !out || !p.pages || !p.ops)
        rf_fail(&err, RF_EUSAGE,
                "gen needs a workload, -o FILE, --pages and --ops; see refault gen --help");
    else if (!g)
        rf_fail(&err, RF_EUSAGE, "gen %s: unknown workload; see refault gen --help", argv[optind]);
    if (err.code || gen_write(g, &p, out, &err))
        return trace_cli_error(&err);
    return 0;
}
