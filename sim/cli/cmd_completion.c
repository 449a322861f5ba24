/* SPDX-License-Identifier: Apache-2.0 */
/* refault completion: scripts for shells, and what they ask for. */
#include "cli/complete.h"

#include "report/report.h"

/* Made by cmake from sim/cli/completion. */
extern const char completion_bash[], completion_zsh[], completion_fish[];

static int cmd_completion(int argc, char **argv);
extern const struct cli_command cmd_completion_info;
const struct cli_command cmd_completion_info = {
    .name = "completion",
    .args = "bash|zsh|fish",
    .summary = "print the completion script of a shell",
    .example = "source <(refault completion bash)",
    .run = cmd_completion,
};

static int print_words(char **words, size_t n) {
    static char none[] = "";
    char *const empty[] = {none};
    struct output o = {.f = stdout, .path = "stdout"};
    struct knob_table knobs;
    struct rf_err err;
    int rc = knob_table_init(&knobs, &err);

    if (rc != RF_OK)
        return cli_fail(&err);
    complete_words(stdout, &knobs, n ? words : empty, n ? n : 1);
    knob_table_free(&knobs);
    return output_close(&o, &err) == RF_OK ? 0 : cli_fail(&err);
}

static int cmd_completion(int argc, char **argv) {
    static const struct {
        const char *name, *script;
    } shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    struct output o = {.f = stdout, .path = "stdout"};
    struct rf_err err;
    struct cli_walk w;
    const char *shell = NULL;
    int id;

    /* Not for people: words [--] WORD... lists what the last word can become. */
    if (argc > 1 && strcmp(argv[1], "words") == 0) {
        int from = argc > 2 && strcmp(argv[2], "--") == 0 ? 3 : 2;

        return print_words(argv + from, (size_t)(argc - from));
    }
    cli_walk_init(&w, &cmd_completion_info, argc, argv);
    while ((id = cli_next(&w)) != CLI_END) {
        if (id == CLI_BAD)
            return 2;
        if (id == CLI_HELP)
            return cli_help(&cmd_completion_info);
        if (shell)
            return cli_usage_error(&cmd_completion_info, "found '%s' and '%s', expected one shell",
                                   shell, w.value);
        shell = w.value;
    }
    for (size_t i = 0; shell && i < sizeof(shells) / sizeof(shells[0]); i++) {
        if (strcmp(shell, shells[i].name) != 0)
            continue;
        fputs(shells[i].script, stdout);
        return output_close(&o, &err) == RF_OK ? 0 : cli_fail(&err);
    }
    return cli_usage_error(&cmd_completion_info, "found '%s', expected bash, zsh or fish",
                           shell ? shell : "nothing");
}
