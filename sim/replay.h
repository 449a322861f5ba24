/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay: drives one machine with one trace and collects what can be read at the end. It knows
 * traces and machines, and nothing of what is inside them.
 */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include "refault/trace.h"
#include "values.h"

struct class_table {
    const char *pool; /* "zram0" or "zswap"; NULL if there is no zsmalloc pool */
    bool fullness_12;
    struct zs_class_stats *rows;
    uint32_t nr;
};

struct replay_result {
    struct trace_info info;
    struct machine_config config;
    enum machine_outcome outcome;
    uint64_t ops_done; /* accesses that the machine took */
    uint64_t verified; /* see machine_verified() */
    struct value_list values;
    struct class_table classes;
    struct series series;
    enum content_source source; /* of the lengths of the compressor in use */
    bool has_source;
};
void replay_result_free(struct replay_result *r);

struct activity;

struct replay_opts {
    rf_time interval;                /* of the time series, 0 = none */
    struct activity *activity;       /* begun by the caller; NULL = none */
    const struct observer *observer; /* NULL = none */
    const uint64_t *stops;           /* ascending numbers of accesses at which at_stop is called */
    size_t nr_stops;
    /* Before access stops[index] + 1; a code other than 0 ends the run with it. */
    int (*at_stop)(void *ctx, struct machine *m, size_t index, struct rf_err *err);
    /* After the last access and settling, before teardown. */
    int (*at_end)(void *ctx, struct machine *m, struct rf_err *err);
    /* Now and then. */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *ctx;
};

/*
 * Runs c over the trace from its start. The result is filled also when the outcome is OOM. With
 * c->check the invariants are checked 32 times along the trace, at its end and after teardown.
 */
int replay_run(struct trace_reader *trace, struct content_set *contents,
               const struct machine_config *c, const struct replay_opts *opts,
               struct replay_result *out, struct rf_err *err) RF_MUST_CHECK;

/*
 * The same in steps, for who reads the trace for several machines. replay_begin() makes the
 * machine; `out` and `opts` have to stay where they are until the end. Then come all blocks of the
 * trace in order, up to its end or until *over says that the machine needs no more. replay_end()
 * fills the result; it and replay_abandon(), which leaves no result, free everything else (NULL is
 * allowed there). After an error of replay_block() only replay_abandon() may follow.
 */
struct replay;
int replay_begin(const struct trace_info *info, struct content_set *contents,
                 const struct machine_config *c, const struct replay_opts *opts,
                 struct replay_result *out, struct replay **r, struct rf_err *err) RF_MUST_CHECK;
int replay_block(struct replay *r, const struct trace_block *block, bool *over,
                 struct rf_err *err) RF_MUST_CHECK;
int replay_end(struct replay *r, struct rf_err *err) RF_MUST_CHECK;
void replay_abandon(struct replay *r);

#endif
