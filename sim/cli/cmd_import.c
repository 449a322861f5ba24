/* SPDX-License-Identifier: Apache-2.0 */
/* refault import: foreign recordings into .rft. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "trace_cli.h"
#include "trace/importers/importer.h"

enum { O_FROM = 256, O_BANK, O_CONTENTS, O_PAGES, O_FILE_PAGES, O_THP, O_MIN, O_NOTE, O_LEVEL };

static const struct cli_option options[] = {
    {O_FROM, 0, "from", "FORMAT", "what the recording is"},
    {'o', 'o', "output", "OUT.rft", "the trace to write"},
    {O_BANK, 0, "bank", "FILE", "text: 4 KiB pages that W lines name"},
    {O_CONTENTS, 0, "contents", "SPEC", "text without a bank: synthetic contents (hist:mean=1650)"},
    {O_PAGES, 0, "pages", "N", "text: size of the region in pages (up to the largest page)"},
    {O_FILE_PAGES, 0, "file-pages", "drop|anon",
     "swtrace: leave out file-backed pages, or keep them as anonymous memory (drop)"},
    {O_THP, 0, "thp", NULL, "mappings have MADV_HUGEPAGE (text: else MADV_NOHUGEPAGE)"},
    {O_MIN, 0, "min-memory", "N", "smallest memory in pages for which the recording is valid"},
    {O_NOTE, 0, "note", "TEXT", "added to the provenance"},
    {O_LEVEL, 0, "level", "N", "zstd level of the trace (3)"},
    {0, 0, NULL, NULL, NULL},
};

static int cmd_import(int argc, char **argv);
extern const struct cli_command cmd_import_info;
const struct cli_command cmd_import_info = {
    .name = "import",
    .args = "IN",
    .summary = "convert a recording or an operation list into a trace",
    .example = "refault import --from text ops.txt --bank pages.bank -o out.rft",
    .options = options,
    .run = cmd_import,
};

static void help(void) {
    printf("usage: refault import --from FORMAT IN -o OUT [options]\n"
           "Converts a foreign recording (plain, or compressed with zstd) into a trace.\n\n"
           "formats:\n");
    for (unsigned i = 0; importer_at(i); i++)
        printf("  %-12s %s\n", importer_at(i)->name, importer_at(i)->summary);
    printf("\noptions:\n");
    cli_print_options(stdout, options);
    printf("\nexample: refault import --from text --bank bank.bin.zst seq.txt -o seq.rft\n");
}

static int cmd_import(int argc, char **argv) {
    struct option longs[sizeof(options) / sizeof(options[0]) + 1];
    struct import_options opt = {0};
    const char *from = NULL, *out = NULL;
    struct rf_err err = {0};
    char *part;
    int c;

    cli_getopt(options, longs, sizeof(longs) / sizeof(longs[0]));
    optind = 0;
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":o:h", longs, NULL)) != -1) {
        switch (c) {
        case 'h':
            help();
            return 0;
        case 'o':
            out = optarg;
            break;
        case O_FROM:
            from = optarg;
            break;
        case O_BANK:
            opt.bank = optarg;
            break;
        case O_CONTENTS:
            if (!trace_cli_contents(optarg, &err))
                return trace_cli_error(&err);
            opt.contents = optarg;
            break;
        case O_PAGES:
            if (!trace_cli_positive("--pages", optarg, &opt.pages, &err))
                return trace_cli_error(&err);
            break;
        case O_FILE_PAGES:
            if (strcmp(optarg, "anon") != 0 && strcmp(optarg, "drop") != 0) {
                rf_fail(&err, RF_EUSAGE, "--file-pages: bad value '%s', expected drop or anon",
                        optarg);
                return trace_cli_error(&err);
            }
            opt.file_pages = optarg[0] == 'a';
            break;
        case O_THP:
            opt.thp = true;
            break;
        case O_MIN:
            if (!trace_cli_count("--min-memory", optarg, &opt.min_memory, &err))
                return trace_cli_error(&err);
            break;
        case O_NOTE:
            opt.note = optarg;
            break;
        case O_LEVEL:
            if (!trace_cli_level(optarg, &opt.zstd_level, &err))
                return trace_cli_error(&err);
            break;
        default:
            return trace_cli_bad_option("import", longs, c, argv);
        }
    }
    const struct importer_ops *ops = from ? importer_find(from) : NULL;
    if (!from || !out || argc - optind != 1)
        rf_fail(
            &err, RF_EUSAGE,
            "import needs --from FORMAT, one input and -o OUT; 'refault import --help' explains");
    else if (!ops)
        rf_fail(&err, RF_EUSAGE, "--from: unknown format '%s'; 'refault import --help' lists them",
                from);
    if (!ops || err.code)
        return trace_cli_error(&err);
    int rc = trace_cli_writing(out, (const char *const[]){argv[optind], opt.bank, NULL},
                               opt.contents, &part, &err);
    if (rc == RF_OK)
        rc = ops->import(argv[optind], out, &opt, &err);
    trace_cli_written(part);
    return rc == RF_OK ? 0 : trace_cli_error(&err);
}
