/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include "activity.h"

#define CHECKS_PER_TRACE 32u
/* With a time series the machine is looked at after so many accesses. */
#define SAMPLE_ACCESSES 64u
/* Words between two calls of progress. */
#define PROGRESS_WORDS (1u << 18)

void replay_result_free(struct replay_result *r) {
    value_list_free(&r->values);
    series_free(&r->series);
    free(r->classes.rows);
    r->classes = (struct class_table){0};
}

/* ---- driving ---- */

struct replay {
    struct machine *m;
    struct content_set *contents;
    struct replay_result *out;
    const struct replay_opts *opts;
    const struct trace_info *info;
    const struct machine_config *config;
    struct series *series;
    uint64_t ops;         /* accesses given to the machine */
    uint64_t next_check;  /* access at which to check next, UINT64_MAX = never */
    uint64_t next_report; /* words until the next progress call */
    size_t stop;          /* next of opts->stops */
    rf_time next_sample;
    const struct trace_block *block;
    bool counting; /* something is due in this block, so that accesses have to be counted */
    bool ended;    /* out of memory */
};

/* Words of ops[0..n) that hold the next `accesses` accesses; *found gets how many there were. */
static size_t words_of(const uint32_t *ops, size_t n, uint64_t accesses, uint64_t *found) {
    uint64_t seen = 0;
    size_t i = 0;

    while (i < n && seen < accesses) {
        if (ops[i] & OP_CONTENT) {
            seen += (ops[i] & OP_WRITE) != 0;
            i += 2;
        } else {
            seen += (ops[i] & OP_EVENT) == 0;
            i++;
        }
    }
    *found = seen;
    return RF_MIN(i, n);
}

/* What is due before the next access. */
static int due(struct replay *r, struct rf_err *err) {
    int rc = RF_OK;

    while (rc == RF_OK && r->stop < r->opts->nr_stops && r->opts->stops[r->stop] <= r->ops) {
        if (r->opts->at_stop)
            rc = r->opts->at_stop(r->opts->ctx, r->m, r->stop, err);
        r->stop++;
    }
    if (rc == RF_OK && r->ops >= r->next_check) {
        uint64_t step = RF_MAX(r->info->ops / CHECKS_PER_TRACE, 1);

        rc = machine_check(r->m, err);
        while (r->next_check <= r->ops)
            r->next_check += step;
    }
    if (rc == RF_OK && r->opts->activity && r->ops >= activity_next(r->opts->activity))
        rc = activity_sample(r->opts->activity, r->m, r->ops, err);
    if (rc == RF_OK && machine_now(r->m) >= r->next_sample) {
        rf_time now = machine_now(r->m);

        rc = series_add(r->series, r->m, r->ops, err);
        r->next_sample = now - now % r->opts->interval + r->opts->interval;
    }
    return rc;
}

static int run_words(struct replay *r, const uint32_t *ops, size_t n, struct rf_err *err) {
    size_t done = 0;
    int rc = machine_run(r->m, ops, n, &done, err);
    uint64_t found;

    if (rc != RF_OK)
        return rf_fail_prefix(err, "block at access %llu, word %zu",
                              (unsigned long long)r->block->first_op,
                              (size_t)(ops - r->block->ops) + done);
    if (r->opts->activity)
        activity_count(r->opts->activity, ops, done);
    if (machine_outcome(r->m) == MACHINE_OOM) {
        r->ended = true;
        words_of(r->block->ops, (size_t)(ops - r->block->ops) + done, UINT64_MAX, &found);
        r->ops = r->block->first_op + found;
        return RF_OK;
    }
    if (done != n)
        return rf_fail(err, RF_ECHECK, "the machine took %zu of %zu operations", done, n);
    if (r->opts->progress) {
        if (r->next_report <= n) {
            r->opts->progress(r->opts->ctx, r->ops, r->info->ops);
            r->next_report = PROGRESS_WORDS;
        } else {
            r->next_report -= n;
        }
    }
    return RF_OK;
}

static uint64_t next_stop(const struct replay *r) {
    uint64_t until = r->next_check;

    if (r->stop < r->opts->nr_stops)
        until = RF_MIN(until, r->opts->stops[r->stop]);
    if (r->opts->activity)
        until = RF_MIN(until, activity_next(r->opts->activity));
    return until;
}

/* A stretch of operations without an event in it. */
static int run_stretch(struct replay *r, const uint32_t *ops, size_t n, struct rf_err *err) {
    int rc = RF_OK;

    if (!r->counting)
        return run_words(r, ops, n, err);
    while (n && rc == RF_OK && !r->ended) {
        uint64_t found, most;
        size_t words;

        rc = due(r, err);
        if (rc != RF_OK)
            break;
        most = next_stop(r) - r->ops;
        if (r->opts->interval)
            most = RF_MIN(most, SAMPLE_ACCESSES);
        words = words_of(ops, n, most, &found);
        rc = run_words(r, ops, words, err);
        if (!r->ended)
            r->ops += found;
        ops += words;
        n -= words;
    }
    return rc;
}

static int run_event(struct replay *r, const struct trace_event *e, struct rf_err *err) {
    struct machine *m = r->m;

    if (r->opts->activity)
        activity_event(r->opts->activity, e);
    switch ((enum trace_event_kind)e->kind) {
    case TEV_PROCESS:
        return machine_process(m, e->pid, e->parent, err);
    case TEV_MMAP:
        return machine_map(m, e->pid, e->vma, e->first, e->n, e->vpn, e->flags, err);
    case TEV_MUNMAP:
        return machine_unmap(m, e->pid, e->first, e->n, err);
    case TEV_DONTNEED:
        return machine_dontneed(m, e->first, e->n, err);
    case TEV_FORK:
        return machine_fork_block(m, e->pid, e->first >> 9, e->parent, e->n >> 9, err);
    case TEV_EXIT:
        return machine_exit(m, e->pid, false, err);
    case TEV_EXEC:
        return machine_exit(m, e->pid, true, err);
    case TEV_SWITCH:
        return machine_switch(m, e->pid, err);
    case TEV_WAIT:
        return machine_wait(m, e->pid, e->parent, err);
    case TEV_PACE:
        return machine_compute(m,
                               r->info->pacing == TRACE_PACE_ACCESSES
                                   ? e->value * r->config->cost.mm.access_ns
                                   : e->value,
                               err);
    }
    return rf_fail(err, RF_EINPUT, "unknown event of kind %u", e->kind);
}

static int run_block(struct replay *r, const struct trace_block *b, struct rf_err *err) {
    size_t at = 0;
    int rc = RF_OK;

    r->block = b;
    r->ops = b->first_op;
    r->counting = r->opts->interval || next_stop(r) <= b->first_op + b->nops;
    while (at < b->nops && rc == RF_OK && !r->ended) {
        size_t end = at;

        if (b->nevents == 0)
            end = b->nops;
        /* Content words are below 2^28, so the bit names an event wherever it stands. */
        while (end < b->nops && !(b->ops[end] & OP_EVENT))
            end++;
        rc = run_stretch(r, b->ops + at, end - at, err);
        if (rc == RF_OK && !r->ended && end < b->nops) {
            uint32_t index = b->ops[end] & TRACE_ID_MASK;

            if (index >= b->nevents)
                return rf_fail(err, RF_EINPUT, "event %u of a block that has %zu", index,
                               b->nevents);
            rc = run_event(r, &b->events[index], err);
            if (rc != RF_OK)
                rf_fail_prefix(err, "access %llu", (unsigned long long)r->ops);
            if (machine_outcome(r->m) == MACHINE_OOM)
                r->ended = true;
            end++;
        }
        at = end;
    }
    return rc;
}

/* ---- results ---- */

static int read_classes(struct class_table *t, const struct machine *m, struct rf_err *err) {
    const struct zpool *pool = NULL;

    if (machine_zram(m)) {
        pool = zram_pool(machine_zram(m));
        t->pool = "zram0";
    } else if (machine_zswap(m)) {
        pool = zswap_pool(machine_zswap(m));
        t->pool = "zswap";
    }
    if (!pool || strcmp(pool->ops->name, "zsmalloc") != 0) {
        t->pool = NULL;
        return RF_OK;
    }
    t->rows = calloc(256, sizeof(*t->rows));
    if (!t->rows)
        return rf_fail(err, RF_ENOMEM, "no memory for the table of classes");
    t->fullness_12 = zs_pool_table(pool)->policy.fullness_12;
    t->nr = zs_pool_stats(pool, t->rows);
    return RF_OK;
}

static void read_source(struct replay_result *out, const struct machine *m,
                        const struct content_set *contents, const struct machine_config *c) {
    const struct codec_ops *codec = NULL;

    if (machine_zram(m)) {
        codec = codec_find(c->zram_comp_algorithm);
        if (codec)
            codec = codec_by_id(era_zram_codec(&c->era, codec->id));
    } else if (machine_zswap(m)) {
        codec = codec_find(c->zswap_compressor);
        if (codec)
            codec = codec_by_id(era_zswap_codec(&c->era, codec->id));
    }
    if (codec) {
        out->has_source = true;
        out->source = content_source(contents, codec->id);
    }
}

static int finish(struct replay *r, const struct machine_config *c, struct content_set *contents,
                  struct replay_result *out, struct rf_err *err) {
    int rc = RF_OK;

    if (!r->ended) {
        r->ops = r->info->ops;
        rc = machine_settle(r->m, err);
    }
    if (rc == RF_OK && !r->ended)
        rc = due(r, err);
    if (rc == RF_OK && c->check)
        rc = machine_check(r->m, err);
    if (rc == RF_OK && r->opts->interval)
        rc = series_add(r->series, r->m, r->ops, err);
    if (rc == RF_OK && r->opts->activity)
        rc = activity_end(r->opts->activity, r->m, r->ops, err);
    if (rc == RF_OK && r->opts->at_end)
        rc = r->opts->at_end(r->opts->ctx, r->m, err);
    if (rc == RF_OK)
        rc = value_list_read(&out->values, r->m, err);
    if (rc != RF_OK)
        return rc;
    out->outcome = machine_outcome(r->m);
    out->verified = machine_verified(r->m);
    out->ops_done = r->ops;
    read_source(out, r->m, contents, c);
    rc = read_classes(&out->classes, r->m, err);
    if (rc != RF_OK)
        return rc;
    if (c->verify || c->check)
        rc = machine_teardown(r->m, err);
    if (rc == RF_OK && c->check)
        rc = machine_check(r->m, err);
    if (rc != RF_OK)
        rf_fail_prefix(err, "after the end of all processes");
    return rc;
}

int replay_begin(const struct trace_info *info, struct content_set *contents,
                 const struct machine_config *c, const struct replay_opts *opts,
                 struct replay_result *out, struct replay **replay, struct rf_err *err) {
    static const struct replay_opts no_opts;
    struct replay *r = calloc(1, sizeof(*r));
    int rc;

    *replay = NULL;
    memset(out, 0, sizeof(*out));
    if (!r)
        return rf_fail(err, RF_ENOMEM, "no memory for a replay");
    out->info = *info;
    out->config = *c;
    *r = (struct replay){
        .contents = contents,
        .out = out,
        .opts = opts ? opts : &no_opts,
        .info = &out->info,
        .config = &out->config,
        .series = &out->series,
        .next_check = c->check ? 0 : UINT64_MAX,
        .next_report = PROGRESS_WORDS,
        .next_sample = opts && opts->interval ? 0 : RF_TIME_MAX,
    };
    rc = machine_create(c, contents, &r->m, err);
    if (rc != RF_OK) {
        free(r);
        return rc;
    }
    if (r->opts->observer)
        machine_observe(r->m, r->opts->observer);
    machine_set_implicit_content(r->m, out->info.implicit_content);
    machine_set_access_cost(r->m, out->info.pacing == TRACE_PACE_RECORDS);
    *replay = r;
    return RF_OK;
}

int replay_block(struct replay *r, const struct trace_block *block, bool *over,
                 struct rf_err *err) {
    int rc = run_block(r, block, err);

    *over = r->ended;
    return rc;
}

int replay_end(struct replay *r, struct rf_err *err) {
    struct replay_result *out = r->out;
    int rc = finish(r, r->config, r->contents, out, err);

    machine_destroy(r->m);
    free(r);
    if (rc != RF_OK)
        replay_result_free(out);
    return rc;
}

void replay_abandon(struct replay *r) {
    if (!r)
        return;
    machine_destroy(r->m);
    replay_result_free(r->out);
    free(r);
}

int replay_run(struct trace_reader *trace, struct content_set *contents,
               const struct machine_config *c, const struct replay_opts *opts,
               struct replay_result *out, struct rf_err *err) {
    struct trace_block block;
    struct replay *r;
    bool over = false;
    int rc;

    memset(out, 0, sizeof(*out));
    rc = trace_rewind(trace, err);
    if (rc == RF_OK)
        rc = replay_begin(trace_reader_info(trace), contents, c, opts, out, &r, err);
    if (rc != RF_OK)
        return rc;
    while (!over && (rc = trace_next(trace, &block, err)) > 0) {
        rc = replay_block(r, &block, &over, err);
        if (rc != RF_OK)
            break;
    }
    if (rc != RF_OK) {
        replay_abandon(r);
        return rc;
    }
    return replay_end(r, err);
}
