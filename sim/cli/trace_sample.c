/* SPDX-License-Identifier: Apache-2.0 */
/* refault trace sample. */
#include <getopt.h>
#include <stdlib.h>

#include "trace_cli.h"
#include "trace/sample.h"

enum { O_RATE = 256, O_GROUP, O_SEED, O_LEVEL };

const struct cli_option trace_sample_options[] = {
    {'o', 'o', "output", "OUT.rft", "the trace to write"},
    {O_RATE, 0, "rate", "R", "share of the pages, such as 0.1"},
    {O_GROUP, 0, "group", "N", "pages that go or stay together (1)"},
    {O_SEED, 0, "seed", "S", "of the hash (1)"},
    {O_LEVEL, 0, "level", "N", "zstd level of the new trace, 1 to 22 (3)"},
    {0, 0, NULL, NULL, NULL},
};

int trace_cli_sample(int argc, char **argv, struct rf_err *err) {
    struct option options[sizeof(trace_sample_options) / sizeof(trace_sample_options[0]) + 1];
    struct trace_sample_params p = {.seed = 1};
    uint64_t group = 1;
    const char *out = NULL;
    char *end, *part;
    int c;

    cli_getopt(trace_sample_options, options, sizeof(options) / sizeof(options[0]));
    while ((c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
        bool ok = true;
        switch (c) {
        case 'o':
            out = optarg;
            break;
        case O_RATE:
            p.rate = strtod(optarg, &end);
            if (end == optarg || *end) {
                rf_fail(err, RF_EUSAGE, "--rate: bad value '%s', expected a number such as 0.1",
                        optarg);
                ok = false;
            }
            break;
        case O_GROUP:
            ok = trace_cli_positive("--group", optarg, &group, err);
            break;
        case O_SEED:
            ok = trace_cli_count("--seed", optarg, &p.seed, err);
            break;
        case O_LEVEL:
            ok = trace_cli_level(optarg, &p.zstd_level, err);
            break;
        case 'h':
            trace_cli_help();
            return 0;
        default:
            return trace_cli_bad_option("trace", options, c, argv);
        }
        if (!ok)
            return trace_cli_error(err);
    }
    p.group = (uint32_t)RF_MIN(group, UINT32_MAX);
    if (argc - optind != 1 || !out || p.rate == 0.0)
        rf_fail(
            err, RF_EUSAGE,
            "trace sample needs one trace, -o OUT and --rate R; 'refault trace --help' explains");
    if (err->code)
        return trace_cli_error(err);
    int rc = trace_cli_writing(out, (const char *const[]){argv[optind], NULL}, NULL, &part, err);
    if (rc == RF_OK)
        rc = trace_sample(argv[optind], out, &p, NULL, err);
    trace_cli_written(part);
    return rc == RF_OK ? 0 : trace_cli_error(err);
}
