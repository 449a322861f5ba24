/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <signal.h>
#include <unistd.h>
#include "config/value.h"
#include "leftovers.h"
#include "report/report.h"
#include "version.h"

extern const struct cli_command cmd_replay_info, cmd_sweep_info, cmd_tune_info, cmd_mrc_info,
    cmd_knobs_info, cmd_validate_info, cmd_repro_info, cmd_import_info, cmd_trace_info,
    cmd_gen_info, cmd_zsmalloc_info, cmd_zram_info, cmd_completion_info, cmd_merge_info,
    cmd_compare_info;

static int cmd_version(int argc, char **argv);

/* The single list of commands. */
const struct cli_command *cli_command_at(size_t i) {
    static const struct cli_command version = {.name = "version",
                                               .summary = "print the version",
                                               .example = "refault version",
                                               .run = cmd_version};
    const struct cli_command *const all[] = {
        &cmd_replay_info,   &cmd_sweep_info,  &cmd_merge_info,      &cmd_compare_info,
        &cmd_tune_info,     &cmd_mrc_info,    &cmd_knobs_info,      &cmd_validate_info,
        &cmd_repro_info,    &cmd_import_info, &cmd_trace_info,      &cmd_gen_info,
        &cmd_zsmalloc_info, &cmd_zram_info,   &cmd_completion_info, &version};

    return i < sizeof(all) / sizeof(all[0]) ? all[i] : NULL;
}

const struct cli_command *cli_command_find(const char *name) {
    const struct cli_command *c;

    for (size_t i = 0; (c = cli_command_at(i)); i++) {
        if (strcmp(c->name, name) == 0)
            return c;
    }
    return NULL;
}

/* ---- messages ---- */

static void put_message(const char *before, const char *text) {
    char shown[1024];

    rf_quote(shown, sizeof(shown), text);
    fprintf(stderr, "refault%s: %s\n", before, shown);
}

int cli_usage_error(const struct cli_command *c, const char *fmt, ...) {
    char text[1024], before[64];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    snprintf(before, sizeof(before), "%s%s", c ? " " : "", c ? c->name : "");
    put_message(before, text);
    return 2;
}

int cli_fail(const struct rf_err *err) {
    put_message("", err->msg);
    return rf_exit_status(err->code);
}

int cli_end(const struct cli_command *c, int rc, int status, const struct rf_err *err) {
    if (rc == 1)
        return cli_help(c);
    if (rc == RF_OK)
        return status;
    return err->code ? cli_fail(err) : 2;
}

void cli_note(const char *fmt, ...) {
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    put_message(": note", text);
}

/* ---- walking over a command line ---- */

void cli_walk_init(struct cli_walk *w, const struct cli_command *c, int argc, char **argv) {
    *w = (struct cli_walk){.argc = argc, .at = 1, .argv = argv, .command = c};
}

/* The option that an unknown word may have meant, of those looked at so far. */
struct nearest {
    const char *name;
    unsigned best;
};

static void look_at(struct nearest *n, const char *text, const char *name) {
    unsigned d = edit_distance(text + 1 + (text[1] == '-'), name);

    if (d < n->best && d < strlen(name)) {
        n->best = d;
        n->name = name;
    }
}

static void unknown_option(const struct cli_command *c, const char *text, const struct nearest *n) {
    if (n->name)
        cli_usage_error(c, "unknown option '%s'; did you mean '--%s'?", text, n->name);
    else
        cli_usage_error(c, "unknown option '%s'; 'refault %s --help' lists them", text, c->name);
}

int cli_getopt_error(const struct cli_command *c, const struct option *longs, int found,
                     const char *word) {
    struct nearest n = {.best = 4};
    size_t len = strcspn(word, "=");

    if (found == ':') {
        cli_usage_error(c, "option '%s' needs a value", word);
        return RF_EUSAGE;
    }
    for (const struct option *o = longs; o->name; o++) {
        if (word[len] && len == strlen(o->name) + 2 && memcmp(word + 2, o->name, len - 2) == 0) {
            cli_usage_error(c, "option '--%s' takes no value", o->name);
            return RF_EUSAGE;
        }
        look_at(&n, word, o->name);
    }
    unknown_option(c, word, &n);
    return RF_EUSAGE;
}

int cli_next(struct cli_walk *w) {
    const struct cli_option *o;
    const char *text, *eq, *value = NULL;
    size_t len;

    w->value = NULL;
    if (w->at >= w->argc)
        return CLI_END;
    text = w->argv[w->at++];
    if (w->only_args || text[0] != '-' || !text[1]) {
        w->value = text;
        return CLI_ARG;
    }
    if (strcmp(text, "--") == 0) {
        w->only_args = true;
        return cli_next(w);
    }
    if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)
        return CLI_HELP;
    eq = strchr(text, '=');
    len = text[1] == '-' ? (eq ? (size_t)(eq - text) : strlen(text)) - 2 : 0;
    for (o = w->command->options; o && o->id; o++) {
        if (text[1] == '-' ? strlen(o->name) == len && memcmp(text + 2, o->name, len) == 0
                           : o->letter == text[1])
            break;
    }
    if (!o || !o->id) {
        struct nearest n = {.best = 4};

        for (o = w->command->options; o && o->id; o++)
            look_at(&n, text, o->name);
        unknown_option(w->command, text, &n);
        return CLI_BAD;
    }
    if (text[1] == '-' && eq)
        value = eq + 1;
    else if (text[1] != '-' && text[2])
        value = text + 2;
    if (!o->arg && value) {
        cli_usage_error(w->command, "option '--%s' takes no value", o->name);
        return CLI_BAD;
    }
    if (o->arg && !value) {
        if (w->at >= w->argc) {
            cli_usage_error(w->command, "option '--%s' needs a value: %s", o->name, o->arg);
            return CLI_BAD;
        }
        value = w->argv[w->at++];
    }
    w->value = value;
    return o->id;
}

int cli_parse(const struct cli_command *c, int argc, char **argv,
              int (*take)(void *ctx, int id, const char *value, struct rf_err *err), void *ctx,
              struct rf_err *err) {
    struct cli_walk w;
    int id;

    cli_walk_init(&w, c, argc, argv);
    while ((id = cli_next(&w)) != CLI_END) {
        int rc;

        if (id == CLI_HELP)
            return 1;
        if (id == CLI_BAD)
            return RF_EUSAGE;
        rc = take(ctx, id, w.value, err);
        if (rc < 0)
            return rc;
    }
    return RF_OK;
}

/* ---- help ---- */

static int end_of_text(void) {
    struct rf_err err;

    return output_flush(&err) == RF_OK ? 0 : cli_fail(&err);
}

void cli_print_options(FILE *f, const struct cli_option *options) {
    for (const struct cli_option *o = options; o && o->id; o++) {
        char left[64];

        snprintf(left, sizeof(left), "%c%c%s--%s%s%s", o->letter ? '-' : ' ',
                 o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name, o->arg ? " " : "",
                 o->arg ? o->arg : "");
        fprintf(f, "  %-34s %s\n", left, o->help);
    }
    fprintf(f, "  %-34s %s\n", "-h, --help", "this text");
}

void cli_getopt(const struct cli_option *options, struct option *out, size_t room) {
    size_t n = 0;

    for (const struct cli_option *o = options; o->id && n + 2 < room; o++)
        out[n++] = (struct option){o->name, o->arg ? required_argument : no_argument, NULL, o->id};
    out[n++] = (struct option){"help", no_argument, NULL, 'h'};
    out[n] = (struct option){0};
}

int cli_help(const struct cli_command *c) {
    printf("usage: refault %s [OPTION]... %s\n%c%s.\n\n", c->name, c->args ? c->args : "",
           c->summary[0] - 'a' + 'A', c->summary + 1);
    cli_print_options(stdout, c->options);
    printf("\nexample:\n  %s\n", c->example);
    return end_of_text();
}

static void print_commands(FILE *f) {
    const struct cli_command *c;

    fputs("usage: refault COMMAND [OPTION]... [ARGUMENT]...\n"
          "Replays memory-access traces against a model of Linux's swap, zswap and zram.\n\n",
          f);
    for (size_t i = 0; (c = cli_command_at(i)); i++)
        fprintf(f, "  %-10s %s\n", c->name, c->summary);
    fputs(
        "\n'refault COMMAND --help' explains a command, 'refault knobs' lists what can be set.\n"
        "example:\n  refault replay traces/redis.rft --set memory.max=50% --set zswap.enabled=1\n",
        f);
}

static int cmd_version(int argc, char **argv) {
    const struct cli_command *c = cli_command_find("version");

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return cli_help(c);
    if (argc > 1)
        return cli_usage_error(c, "found '%s', expected no argument", argv[1]);
    printf("refault %s\n", REFAULT_VERSION);
    return end_of_text();
}

static int unknown_command(const char *name) {
    const struct cli_command *c, *nearest = NULL;
    unsigned best = 3;

    for (size_t i = 0; (c = cli_command_at(i)); i++) {
        unsigned d = edit_distance(name, c->name);

        if (d < best) {
            best = d;
            nearest = c;
        }
    }
    if (nearest)
        return cli_usage_error(NULL, "unknown command '%s'; did you mean '%s'?", name,
                               nearest->name);
    return cli_usage_error(NULL, "unknown command '%s'; 'refault --help' lists them", name);
}

int cli_main(int argc, char **argv) {
    const struct cli_command *c;

    signal(SIGXFSZ, SIG_IGN); /* a file at its limit is an error of the write, not a death */
    leftovers_catch();
    if (argc < 2) {
        print_commands(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return cmd_version(argc - 1, argv + 1);
    if (strcmp(argv[1], "help") == 0 && argc > 2) {
        static char help[] = "--help";
        char *args[] = {argv[2], help, NULL};

        c = cli_command_find(argv[2]);
        return c ? c->run(2, args) : unknown_command(argv[2]);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_commands(stdout);
        return end_of_text();
    }
    if (strcmp(argv[1], "--help-man") == 0)
        return cli_man();
    c = cli_command_find(argv[1]);
    if (!c)
        return unknown_command(argv[1]);
    /* A shell asks what an empty word can become. */
    for (int i = 2; i < argc && c != &cmd_completion_info; i++) {
        if (!*argv[i])
            return cli_usage_error(c, "argument %d is empty, expected a name or a value", i - 1);
    }
    return c->run(argc - 1, argv + 1);
}
