/* SPDX-License-Identifier: Apache-2.0 */
/* The manual page, made from the tables of commands, options and knobs: `refault --help-man`. */
#include "cli/cli.h"

#include "report/report.h"
#include "version.h"

/* Text in troff: what could be taken for a request or an escape is protected. */
static void put(const char *text) {
    bool line_start = true;

    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            fputc(*text, stdout);
        line_start = *text == '\n';
    }
}

static void put_option(const struct cli_option *o) {
    fputs(".TP\n", stdout);
    if (o->letter)
        printf("\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", stdout);
    put(o->name);
    fputs("\\fR", stdout);
    if (o->arg) {
        fputs(" \\fI", stdout);
        put(o->arg);
        fputs("\\fR", stdout);
    }
    fputc('\n', stdout);
    put(o->help);
    fputs(".\n", stdout);
}

static void put_subcommands(const struct cli_command *c) {
    for (const struct cli_command *s = c->subs; s && s->name; s++) {
        printf(".TP\n\\fBrefault %s %s\\fR \\fI%s\\fR\n", c->name, s->name, s->args ? s->args : "");
        put(s->summary);
        fputs(".\n.RS\n", stdout);
        for (const struct cli_option *o = s->options; o && o->id; o++)
            put_option(o);
        fputs(".RE\n", stdout);
    }
}

static void put_commands(void) {
    const struct cli_command *c;

    fputs(".SH COMMANDS\n", stdout);
    for (size_t i = 0; (c = cli_command_at(i)); i++) {
        printf(".SS refault %s %s\n", c->name, c->args ? c->args : "");
        printf("%c", c->summary[0] - 'a' + 'A');
        put(c->summary + 1);
        fputs(".\n", stdout);
        for (const struct cli_option *o = c->options; o && o->id; o++)
            put_option(o);
        put_subcommands(c);
        fputs(".PP\nExample:\n.PP\n.nf\n.RS\n", stdout);
        put(c->example);
        fputs("\n.RE\n.fi\n", stdout);
    }
}

static void put_knobs(const struct knob_table *t) {
    struct machine_config c;
    char text[128], range[256], kernels[64];

    if (machine_config_init(&c, SETTINGS_DEFAULT_KERNEL, NULL) != RF_OK)
        return;
    fputs(
        ".SH KNOBS\nSet with \\fB\\-\\-set\\fR or in an INI file (the section is what stands "
        "before "
        "the first dot). Every figure of the cost profile is a knob \\fBcost.\\fIFIELD\\fR and "
        "every "
        "rule of the kernel a knob \\fBera.\\fIFIELD\\fR; \\fBrefault knobs\\fR lists those too.\n",
        stdout);
    for (size_t i = 0; i < t->nr_usual; i++) {
        const struct knob *k = &t->v[i];

        fputs(".TP\n\\fB", stdout);
        put(k->key);
        fputs("\\fR\n", stdout);
        put(k->help);
        fputs(": ", stdout);
        put(knob_range(k, range, sizeof(range)));
        knob_format(k, &c, text, sizeof(text));
        printf("; default ");
        put(*text ? text : "empty");
        if (k->since || k->until) {
            printf("; kernels ");
            put(knob_kernels(k, kernels, sizeof(kernels)));
        }
        fputs(".\n", stdout);
    }
}

int cli_man(void) {
    struct output o = {.f = stdout, .path = "stdout"};
    struct knob_table t;
    struct rf_err err;
    int rc = knob_table_init(&t, &err);

    if (rc != RF_OK)
        return cli_fail(&err);
    printf(
        ".\\\" SPDX-License-Identifier: Apache-2.0\n"
        ".\\\" Made by: refault --help-man\n"
        ".TH REFAULT 1 \"\" \"refault %s\" \"User Commands\"\n"
        ".SH NAME\nrefault \\- simulate Linux's swap, zswap and zram over a recorded trace\n"
        ".SH SYNOPSIS\n\\fBrefault\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n"
        ".SH DESCRIPTION\n",
        REFAULT_VERSION);
    put("Replays a recorded memory-access trace against a model of Linux's swap and "
        "compressed-memory\n"
        "subsystem in virtual time, and prints what the kernel would have counted and how long "
        "the\n"
        "workload would have been stalled. Knobs and counters have the kernel's names.\n");
    put_commands();
    put_knobs(&t);
    fputs(".SH VALUES\n", stdout);
    put("Sizes take K, M, G and T (powers of 1024), times ns, us, ms and s. A percentage of a size "
        "is\n"
        "of the trace's footprint: the largest number of distinct pages mapped at one time over "
        "all\n"
        "processes. zswap.max_pool_percent is of machine.ram, as in the kernel.\n");
    fputs(".SH EXIT STATUS\n.TP\n0\nDone; an out-of-memory kill that was simulated is a result.\n"
          ".TP\n1\nA check or criterion failed.\n"
          ".TP\n2\nWrong usage, or an input that is missing, unreadable, damaged or unsuitable.\n"
          ".TP\n3\nAn output could not be written, memory is missing, or a limit was reached.\n",
          stdout);
    knob_table_free(&t);
    rc = output_close(&o, &err);
    return rc == RF_OK ? 0 : cli_fail(&err);
}
