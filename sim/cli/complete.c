/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/complete.h"

#include "gen/workload.h"
#include "repro/repro.h"
#include "trace/importers/importer.h"
#include "tune/metric.h"

struct completion {
    FILE *f;
    const struct knob_table *knobs;
    const char *word; /* what is there of the last word */
    size_t kept;      /* bytes of it that stand before what is completed */
};

/* A candidate for what follows the kept part, if it fits. */
static void offer(const struct completion *c, const char *text, size_t len, const char *tail,
                  const char *meaning) {
    const char *part = c->word + c->kept;
    size_t have = strlen(part);

    if (have > len ? strncmp(part, text, len) != 0 || strncmp(part + len, tail, have - len) != 0
                   : strncmp(part, text, have) != 0)
        return;
    fprintf(c->f, "%.*s%.*s%s", (int)c->kept, c->word, (int)len, text, tail);
    if (meaning)
        fprintf(c->f, "\t%s", meaning);
    fputc('\n', c->f);
}

static void offer_text(const struct completion *c, const char *text, const char *meaning) {
    offer(c, text, strlen(text), "", meaning);
}

/* ---- values ---- */

static void offer_knob_value(const struct completion *c, const struct knob *k) {
    struct machine_config config;
    char text[128];

    switch (k->type) {
    case KNOB_BOOL:
    case KNOB_BIT:
        offer_text(c, "0", "off");
        offer_text(c, "1", "on");
        return;
    case KNOB_TRISTATE:
        offer_text(c, "device", "as the device is");
        offer_text(c, "0", "off");
        offer_text(c, "1", "on");
        return;
    case KNOB_NAME:
    case KNOB_ENUM:
        for (size_t i = 0; k->values[i]; i++)
            offer_text(c, k->values[i], NULL);
        return;
    case KNOB_KERNEL:
        for (const struct kernel_era *const *e = era_table(); *e; e++)
            offer_text(c, (*e)->name, NULL);
        return;
    default:
        break;
    }
    if (machine_config_init(&config, SETTINGS_DEFAULT_KERNEL, NULL) != RF_OK)
        return;
    knob_format(k, &config, text, sizeof(text));
    if (k->type == KNOB_AMOUNT && strcmp(text, "max") != 0)
        offer_text(c, "max", "no limit");
    if (k->type == KNOB_AMOUNT && strcmp(text, "50%") != 0)
        offer_text(c, "50%", "of the trace's footprint");
    offer_text(c, text, "default");
}

static const struct knob *knob_named(const struct knob_table *t, const char *key, size_t len) {
    for (size_t i = 0; i < t->n; i++) {
        if (strlen(t->v[i].key) == len && memcmp(t->v[i].key, key, len) == 0)
            return &t->v[i];
    }
    return NULL;
}

/* The usual knobs; those of the long tables once their beginning is there. */
static void offer_keys(const struct completion *c, const char *tail) {
    const char *part = c->word + c->kept;
    bool era = strncmp(part, "era.", 4) == 0, cost = strncmp(part, "cost.", 5) == 0;

    for (size_t i = 0; i < c->knobs->n; i++) {
        if (i < c->knobs->nr_usual || era || cost)
            offer(c, c->knobs->v[i].key, strlen(c->knobs->v[i].key), tail, c->knobs->v[i].help);
    }
    if (!era && !cost) {
        offer_text(c, "era.", "rules of the kernel");
        offer_text(c, "cost.", "figures of the cost profile");
    }
}

/* KEY=VALUE, or with lists KEY=VALUE,VALUE,... */
static void offer_pair(struct completion *c, bool list) {
    const char *eq = strchr(c->word + c->kept, '=');
    const char *comma = list ? strrchr(c->word + c->kept, ',') : NULL;
    const struct knob *k;

    if (!eq) {
        offer_keys(c, "=");
        return;
    }
    k = knob_named(c->knobs, c->word + c->kept, (size_t)(eq - c->word) - c->kept);
    if (!k)
        return;
    c->kept = (size_t)((comma ? comma : eq) + 1 - c->word);
    if (list)
        fputs(":open\n", c->f);
    offer_knob_value(c, k);
}

static void offer_files(const struct completion *c, const char *suffix) {
    fprintf(c->f, ":files %s\n", suffix);
}

/* The words of "a|b|c" or "a|b|c,..."; what is in capitals names a kind of value and is none. */
static void offer_alternatives(const struct completion *c, const char *names) {
    while (*names) {
        size_t len = strcspn(names, "|,");

        if (len && strpbrk(names, "abcdefghijklmnopqrstuvwxyz0123456789-") == names)
            offer(c, names, len, "", NULL);
        names += len;
        names += *names == '|' ? 1 : strlen(names);
    }
}

/* Values of a list behind its last comma. */
static void go_on_with_list(struct completion *c) {
    const char *comma = strrchr(c->word + c->kept, ',');

    if (comma)
        c->kept = (size_t)(comma + 1 - c->word);
    fputs(":open\n", c->f);
}

static void offer_metrics(const struct completion *c) {
    const char *name, *meaning;

    for (size_t i = 0; (name = metric_short_name(i, &meaning)); i++)
        offer_text(c, name, meaning);
}

/* A value, by what the table calls it. */
static void offer_value(struct completion *c, const char *kind) {
    if (strcmp(kind, "METRIC") == 0) {
        offer_metrics(c);
    } else if (strcmp(kind, "METRIC<=V") == 0) {
        fputs(":open\n", c->f);
        offer_metrics(c);
    } else if (strcmp(kind, "CONDITION") == 0) {
        fputs(":open\n", c->f);
        offer_keys(c, "");
    } else if (strcmp(kind, "FORMAT") == 0) {
        for (unsigned i = 0; importer_at(i); i++)
            offer_text(c, importer_at(i)->name, importer_at(i)->summary);
    } else if (strcmp(kind, "CODEC") == 0) {
        offer_knob_value(c, knob_named(c->knobs, "zram0.comp_algorithm", 20));
    } else if (strchr(kind, '|') && strstr(kind, ",...")) {
        go_on_with_list(c);
        offer_alternatives(c, kind);
    } else if (strcmp(kind, "KEY=VALUE") == 0 || strcmp(kind, "KEY=LIST") == 0) {
        offer_pair(c, strcmp(kind, "KEY=LIST") == 0);
    } else if (strcmp(kind, "VERSION") == 0) {
        offer_knob_value(c, knob_named(c->knobs, "kernel", 6));
    } else if (strcmp(kind, "NAME|FILE") == 0) {
        offer_text(c, "default", "the built-in profile");
        offer_files(c, ".ini");
    } else if (strncmp(kind, "FILE.", 5) == 0) {
        offer_files(c, kind + 4);
    } else if (strstr(kind, "FILE") || strstr(kind, "OUT") || strstr(kind, "DIR")) {
        offer_files(c, "");
    } else if (strchr(kind, '|')) {
        offer_alternatives(c, kind);
    }
}

/* ---- words ---- */

static const struct cli_option *option_named(const struct cli_command *c, const char *word) {
    const char *eq = strchr(word, '=');
    size_t len = eq ? (size_t)(eq - word) : strlen(word);

    for (const struct cli_option *o = c->options; o && o->id; o++) {
        if (word[1] == '-' ? len == strlen(o->name) + 2 && memcmp(word + 2, o->name, len - 2) == 0
                           : len == 2 && o->letter == word[1])
            return o;
    }
    return NULL;
}

static void offer_options(const struct completion *c, const struct cli_command *command) {
    char text[80];

    for (const struct cli_option *o = command->options; o && o->id; o++) {
        snprintf(text, sizeof(text), "--%s", o->name);
        offer_text(c, text, o->help);
    }
    offer_text(c, "--help", "explains the command");
}

/* What is no option, by what the command calls its arguments. */
static void offer_arguments(const struct completion *c, const char *args) {
    if (!args)
        return;
    if (strstr(args, "TRACE")) {
        offer_files(c, ".rft");
    } else if (strstr(args, "KEY")) {
        offer_keys(c, "");
    } else if (strcmp(args, "WORKLOAD") == 0) {
        for (unsigned i = 0; gen_at(i); i++)
            offer_text(c, gen_at(i)->name, gen_at(i)->summary);
    } else if (strcmp(args, "[NAME|all]") == 0) {
        for (const struct repro_ops *const *e = repro_registry(); *e; e++)
            offer_text(c, (*e)->name, (*e)->summary);
        offer_text(c, "all", "every experiment");
    } else if (strchr(args, '|') && !strstr(args, "FILE")) {
        offer_alternatives(c, args);
    } else {
        offer_files(c, "");
    }
}

static void offer_commands(const struct completion *c) {
    const struct cli_command *command;

    for (size_t i = 0; (command = cli_command_at(i)); i++)
        offer_text(c, command->name, command->summary);
    offer_text(c, "help", "explains a command");
    offer_text(c, "--help", "lists the commands");
    offer_text(c, "--version", "prints the version");
}

void complete_words(FILE *f, const struct knob_table *knobs, char *const *words, size_t n) {
    struct completion c = {.f = f, .knobs = knobs, .word = words[n - 1]};
    const struct cli_command *command, *sub = NULL;
    const struct cli_option *o;
    size_t first = 1;

    if (n == 1 || (n == 2 && strcmp(words[0], "help") == 0)) {
        offer_commands(&c);
        return;
    }
    command = cli_command_find(words[0]);
    if (!command)
        return;
    if (command->subs) {
        if (n == 2) {
            for (const struct cli_command *s = command->subs; s->name; s++)
                offer_text(&c, s->name, s->summary);
            offer_text(&c, "--help", "explains the command");
            return;
        }
        for (const struct cli_command *s = command->subs; s->name; s++)
            sub = strcmp(s->name, words[1]) == 0 ? s : sub;
        if (!sub)
            return;
        command = sub;
        first = 2;
    }
    if (n > first + 1 && words[n - 2][0] == '-') {
        o = option_named(command, words[n - 2]);
        if (o && o->arg && !strchr(words[n - 2], '=')) {
            offer_value(&c, o->arg);
            return;
        }
    }
    if (c.word[0] == '-' && c.word[1] == '-' && strchr(c.word, '=')) {
        o = option_named(command, c.word);
        if (o && o->arg) {
            c.kept = (size_t)(strchr(c.word, '=') + 1 - c.word);
            offer_value(&c, o->arg);
        }
        return;
    }
    if (c.word[0] == '-')
        offer_options(&c, command);
    else
        offer_arguments(&c, command->args);
}
