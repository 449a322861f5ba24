/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli: what all subcommands share. A subcommand is `int cmd_NAME(int argc, char **argv)` in a file
 * of its own, gets its own name as argv[0], and returns the exit status: 0 done, 1 a check or
 * criterion failed, 2 wrong usage or an input that is missing, unreadable, damaged or unsuitable,
 * 3 an output that cannot be written, missing memory, or a limit.
 */
#ifndef SIM_CLI_CLI_H
#define SIM_CLI_CLI_H

#include <getopt.h>
#include <stdio.h>
#include "config/idle.h"
#include "config/settings.h"
#include "refault/error.h"
#include "report/report.h"
#include "sweep/grid.h"

struct cli_option {
    int id;           /* > 0; the table ends with id 0 */
    char letter;      /* "-j", or 0 */
    const char *name; /* without the dashes */
    const char *arg;  /* what the value is called, NULL for a switch */
    const char *help;
};

struct cli_command {
    const char *name;
    const char *args;    /* "TRACE", shown after the options */
    const char *summary; /* one line */
    const char *example;
    const struct cli_option *options; /* NULL: the command's own --help knows */
    int (*run)(int argc, char **argv);
    const struct cli_command *subs; /* "trace info", ...: ends with name NULL; run is not used */
};

/* The commands that there are, in the order of the help; NULL beyond the last. */
const struct cli_command *cli_command_at(size_t i);
const struct cli_command *cli_command_find(const char *name);
/* The manual page in troff on stdout. */
int cli_man(void);
/* Runs the program. */
int cli_main(int argc, char **argv);

/* Walks over a command line, options and arguments in any order, "--" ends the options. */
struct cli_walk {
    int argc, at;
    char **argv;
    const struct cli_command *command;
    bool only_args;
    const char *value; /* of the option, or the argument */
};
enum { CLI_END = 0, CLI_ARG = -1, CLI_BAD = -2, CLI_HELP = -3 };
void cli_walk_init(struct cli_walk *w, const struct cli_command *c, int argc, char **argv);
/* The next option's id, or one of the values above. CLI_BAD: the message has been printed. */
int cli_next(struct cli_walk *w);
/* Gives every option and argument (id CLI_ARG) to take(), which returns < 0 with err on an error.
 * RF_OK; 1: help was asked for; < 0: an error, in err, or printed already if err->code is 0. */
int cli_parse(const struct cli_command *c, int argc, char **argv,
              int (*take)(void *ctx, int id, const char *value, struct rf_err *err), void *ctx,
              struct rf_err *err) RF_MUST_CHECK;
/* How a command ends, by what cli_parse() or all that came after it returned: prints the help or
 * the error, and gives the exit status; `status` is that of a command without an error. */
int cli_end(const struct cli_command *c, int rc, int status, const struct rf_err *err);

/* "refault COMMAND: message" on stderr; returns 2. */
int cli_usage_error(const struct cli_command *c, const char *fmt, ...) RF_PRINTF(2, 3);
/* "refault: message" on stderr; returns the exit status of err. */
int cli_fail(const struct rf_err *err);
/* A note on stderr. */
void cli_note(const char *fmt, ...) RF_PRINTF(1, 2);
/* Every option on a line with its help, --help last. */
void cli_print_options(FILE *f, const struct cli_option *options);
/* The same options as getopt_long() wants them, with --help as 'h', into out[room]. */
void cli_getopt(const struct cli_option *options, struct option *out, size_t room);
/* Prints what is wrong about the word at which getopt_long() stopped with '?' or ':' (`found`);
 * returns RF_EUSAGE. */
int cli_getopt_error(const struct cli_command *c, const struct option *longs, int found,
                     const char *word);
/* The help of one command on stdout; returns 0, or 3 if it cannot be written. */
int cli_help(const struct cli_command *c);

/* ---- options that commands share ---- */
enum {
    OPT_KERNEL = 1,
    OPT_SET,
    OPT_CONFIG,
    OPT_PROFILE,
    OPT_SEED,
    OPT_JSON,
    OPT_CSV,
    OPT_HTML,
    OPT_VERIFY,
    OPT_CHECK,
    OPT_QUIET,
    OPT_PROGRESS,
    OPT_JOBS,
    OPT_OWN /* first id free for a command's own options */
};
#define CLI_JOBS_OPTION                                                                            \
    { OPT_JOBS, 'j', "jobs", "N", "threads (default: all cores); changes no result" }
#define CLI_HTML_OPTION                                                                            \
    { OPT_HTML, 0, "html", "FILE|-", "writes a page with charts, one file that loads nothing" }
#define CLI_PROGRESS_OPTION                                                                        \
    {                                                                                              \
        OPT_PROGRESS, 0, "progress", "auto|always|never",                                          \
            "a bar on stderr; auto: if that is a terminal"                                         \
    }
#define CLI_MODEL_OPTIONS                                                                          \
    {OPT_KERNEL, 0, "kernel", "VERSION", "kernel whose rules hold (default 6.12)"},                \
        {OPT_SET, 's', "set", "KEY=VALUE", "sets a knob; repeatable, the last one wins"},          \
        {OPT_CONFIG, 'c', "config", "FILE", "reads knobs from an INI file"},                       \
        {OPT_PROFILE, 0, "profile", "NAME|FILE", "cost profile: 'default' or a file"},             \
        {OPT_SEED, 0, "seed", "N", "of all that is random in the model (default 1)"},              \
        {OPT_VERIFY, 0, "verify", NULL, "stores and reads back real bytes, and compares them"},    \
        {OPT_CHECK, 0, "check", NULL, "checks all invariants along the run"},                      \
        {OPT_QUIET, 'q', "quiet", NULL, "no summary"}, CLI_PROGRESS_OPTION

struct cli_model {
    struct knob_table knobs;
    struct settings settings;
    bool verify, check, quiet;
    int progress;        /* 0 auto, 1 always, -1 never */
    const char *read[8]; /* files of knobs and costs, the first of them */
    size_t nr_read;
};
int cli_model_init(struct cli_model *m, struct rf_err *err) RF_MUST_CHECK;
void cli_model_free(struct cli_model *m);
/* Takes one of the shared options; 1 if it was one, 0 if not, < 0 an error in err. */
int cli_model_option(struct cli_model *m, int id, const char *value, struct rf_err *err);
/* outputs_keep() of the files that these options named. */
int cli_model_keep(const struct cli_model *m, const struct outputs *o,
                   struct rf_err *err) RF_MUST_CHECK;
/* Notes in one line what was set without an effect: by the model's options, and by a grid on top of
 * them (NULL: none) if it is so at all points. */
int cli_model_note(const struct cli_model *m, const struct grid *g,
                   struct rf_err *err) RF_MUST_CHECK;
/* The note itself. */
void cli_note_idle(const struct idle_knobs *k);
/* Notes how many points of the model with a grid on top are below the smallest memory for which the
 * trace is valid, if any. A point that contradicts itself does not count: its run says so. */
int cli_model_note_small(const struct cli_model *m, const struct grid *g, const char *trace,
                         struct rf_err *err) RF_MUST_CHECK;
/* The note itself; name: of the trace. */
void cli_note_small(const char *name, const struct trace_info *i, size_t small, size_t points);
/* Takes --json, --csv or --html; 1 if it was one of them, 0 if not. */
int cli_output_option(struct outputs *o, int id, const char *value);

/* The files that a command line names. */
struct cli_files {
    const char **path;
    size_t n;
};
/* Room for as many as there are arguments; to be freed. RF_ENOMEM. */
int cli_files_init(struct cli_files *f, int argc, struct rf_err *err) RF_MUST_CHECK;
void cli_files_free(struct cli_files *f);
/* outputs_check(), and that no output would destroy one of the files. */
int cli_files_keep(const struct cli_files *f, const struct outputs *o,
                   struct rf_err *err) RF_MUST_CHECK;

/* All of it for a command whose arguments are files: cli_parse(), at least one file (`what` they
 * are, in the message), cli_files_keep(). */
int cli_files_parse(struct cli_files *f, const struct cli_command *c, int argc, char **argv,
                    int (*take)(void *ctx, int id, const char *value, struct rf_err *err),
                    void *ctx, const struct outputs *o, const char *what,
                    struct rf_err *err) RF_MUST_CHECK;

/* Processors that can be used; the default of --jobs. */
unsigned cli_all_cores(void);
/* The value of --jobs. */
int cli_jobs(const char *value, unsigned *out, struct rf_err *err) RF_MUST_CHECK;
/* The value of --progress: 0 auto, 1 always, -1 never. */
int cli_progress(const char *value, int *out, struct rf_err *err) RF_MUST_CHECK;

/* ---- a progress bar ---- */
struct progress {
    bool on;
    int shown; /* percent on the screen, -1 = nothing */
};
void progress_init(struct progress *p, int mode);
void progress_update(struct progress *p, uint64_t done, uint64_t total);
void progress_clear(struct progress *p);

#endif
