/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines take each decoded block of the trace in turn. A thread looks for a machine that has a
 * block to take, first among those that it ran before, whose state may still be in its cache, then
 * among all others, in each case for the one that is furthest behind. If there is none it decodes
 * the next block into a free buffer. A buffer is free once every machine has taken its block.
 */
#include "sweep/lockstep.h"

#include <pthread.h>
#include <stdlib.h>

/* Blocks decoded ahead of the machine that is furthest behind. */
#define BUFFERS 3u
/* Machines that exist at a time: as many as this memory holds by estimate, one a thread at least.
 * All of a group end together, and a killed sweep loses them: more than these save no time. */
#define GROUP_BYTES ((uint64_t)1 << 30)
#define GROUP_MAX 16u
#define GROUP_PER_THREAD 4u
#define PAGE_BYTES 32u
#define MACHINE_BYTES ((uint64_t)2 << 20)

struct buffer {
    struct trace_block block;
    uint32_t *ops;
    struct trace_event *events;
    size_t cap_ops, cap_events;
};

struct job {
    struct lockstep_point *point;
    size_t index;
    struct replay *replay; /* NULL before the first block */
    uint64_t next;         /* number of the block that it takes next */
    unsigned thread;       /* the last that ran it */
    bool busy, fed, over;  /* fed: needs no more blocks */
};

struct group {
    const struct lockstep_opts *opts;
    struct content_set *contents;
    struct trace_reader *reader;
    struct job *job;
    size_t n, left; /* machines, and those that are not over */
    struct buffer buffer[BUFFERS];
    uint64_t decoded, oldest; /* blocks decoded; the first that a machine still needs */
    bool decoding, end;       /* end: no more blocks, or trace_err */
    struct rf_err trace_err;
    pthread_mutex_t lock; /* of all above */
    pthread_cond_t change;
    pthread_mutex_t done_lock; /* of opts->done() */
};

struct worker {
    struct group *g;
    unsigned index;
    pthread_t thread;
};

/* ---- blocks ---- */

static int reserve(void *array, size_t *cap, size_t n, size_t elem, struct rf_err *err) {
    void **p = array;

    if (n <= *cap)
        return RF_OK;
    free(*p);
    *cap = 0;
    *p = malloc(n * elem);
    if (!*p)
        return rf_fail(err, RF_ENOMEM, "no memory for a trace block of %zu bytes", n * elem);
    *cap = n;
    return RF_OK;
}

/* 1, 0 at the end of the trace, or an error. The reader reuses its memory, so this is a copy. */
static int read_block(struct trace_reader *reader, struct buffer *b, struct rf_err *err) {
    int more = trace_next(reader, &b->block, err), rc;

    if (more <= 0)
        return more;
    rc = reserve(&b->ops, &b->cap_ops, b->block.nops + 1, sizeof(*b->ops), err);
    if (rc == RF_OK)
        rc = reserve(&b->events, &b->cap_events, b->block.nevents + 1, sizeof(*b->events), err);
    if (rc != RF_OK)
        return rc;
    if (b->block.nops)
        memcpy(b->ops, b->block.ops, b->block.nops * sizeof(*b->ops));
    if (b->block.nevents)
        memcpy(b->events, b->block.events, b->block.nevents * sizeof(*b->events));
    b->block.ops = b->ops;
    b->block.events = b->events;
    return 1;
}

static bool may_decode(const struct group *g) {
    return !g->decoding && !g->end && g->decoded - g->oldest < BUFFERS;
}

/* Called and left with the lock held. */
static void decode(struct group *g) {
    struct buffer *b = &g->buffer[g->decoded % BUFFERS];
    struct rf_err err = {0};
    int more;

    g->decoding = true;
    pthread_mutex_unlock(&g->lock);
    more = read_block(g->reader, b, &err);
    pthread_mutex_lock(&g->lock);
    g->decoding = false;
    if (more > 0) {
        g->decoded++;
    } else {
        g->end = true;
        if (more < 0)
            g->trace_err = err;
    }
}

/* ---- machines ---- */

static bool is_runnable(const struct group *g, const struct job *j) {
    return !j->busy && !j->over && (j->next < g->decoded || g->end || j->fed);
}

static struct job *pick(struct group *g, unsigned thread) {
    struct job *own = NULL, *other = NULL;

    for (size_t i = 0; i < g->n; i++) {
        struct job *j = &g->job[i], **best = j->thread == thread ? &own : &other;
        if (is_runnable(g, j) && (!*best || j->next < (*best)->next))
            *best = j;
    }
    return own ? own : other;
}

/* One block, or the end; true if the point has its result or its error. */
static bool run(struct group *g, struct job *j, const struct trace_block *block,
                const struct rf_err *trace_err) {
    struct lockstep_point *p = j->point;
    int rc = RF_OK;

    if (!j->replay)
        rc = replay_begin(trace_reader_info(g->reader), g->contents, &p->config, NULL, &p->result,
                          &j->replay, &p->err);
    if (rc == RF_OK && block) {
        rc = replay_block(j->replay, block, &j->fed, &p->err);
        if (rc == RF_OK)
            return false;
    } else if (rc == RF_OK && trace_err) {
        p->err = *trace_err;
        rc = p->err.code;
    } else if (rc == RF_OK) {
        rc = replay_end(j->replay, &p->err);
        j->replay = NULL;
    }
    if (rc == RF_OK)
        p->err.code = RF_OK;
    replay_abandon(j->replay);
    j->replay = NULL;
    return true;
}

static void step(struct group *g, struct job *j, unsigned thread) {
    bool feed = !j->fed && j->next < g->decoded;
    const struct trace_block *block = feed ? &g->buffer[j->next % BUFFERS].block : NULL;
    const struct rf_err *trace_err = !j->fed && g->trace_err.code != RF_OK ? &g->trace_err : NULL;

    j->busy = true;
    j->thread = thread;
    pthread_mutex_unlock(&g->lock);
    bool over = run(g, j, block, trace_err);
    if (over && g->opts->done) {
        pthread_mutex_lock(&g->done_lock);
        g->opts->done(g->opts->ctx, j->index);
        pthread_mutex_unlock(&g->done_lock);
    }
    pthread_mutex_lock(&g->lock);
    j->busy = false;
    j->next += feed;
    j->over = over;
    g->left -= over;
    g->oldest = g->decoded;
    for (size_t i = 0; i < g->n; i++)
        if (!g->job[i].over && !g->job[i].fed)
            g->oldest = RF_MIN(g->oldest, g->job[i].next);
}

static void *work(void *arg) {
    struct worker *w = arg;
    struct group *g = w->g;

    pthread_mutex_lock(&g->lock);
    while (g->left) {
        struct job *j = pick(g, w->index);

        if (j)
            step(g, j, w->index);
        else if (may_decode(g))
            decode(g);
        else {
            pthread_cond_wait(&g->change, &g->lock);
            continue;
        }
        pthread_cond_broadcast(&g->change);
    }
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

/* ---- groups ---- */

static size_t group_size(const struct trace_info *info, size_t threads) {
    uint64_t pages = RF_MAX(info->footprint_pages, info->pages_touched);
    uint64_t fit = GROUP_BYTES / (MACHINE_BYTES + pages * PAGE_BYTES);
    uint64_t most = RF_MAX(GROUP_PER_THREAD * threads, GROUP_MAX);

    return (size_t)RF_MAX(RF_MIN(fit, most), threads);
}

static int run_group(struct group *g, struct worker *w, size_t threads, struct rf_err *err) {
    size_t started = 1;
    int rc = trace_rewind(g->reader, err);

    if (rc != RF_OK)
        return rc;
    g->left = g->n;
    g->decoded = g->oldest = 0;
    g->end = false;
    g->trace_err = (struct rf_err){0};
    /* Fewer threads than asked for change nothing but the time that it takes. */
    while (started < threads && pthread_create(&w[started].thread, NULL, work, &w[started]) == 0)
        started++;
    work(&w[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(w[i].thread, NULL);
    return RF_OK;
}

static int run_groups(struct group *g, struct worker *w, struct lockstep_point *points, size_t n,
                      size_t threads, struct rf_err *err) {
    size_t most = group_size(trace_reader_info(g->reader), threads);
    int rc = RF_OK;

    g->job = calloc(RF_MIN(most, n) + 1, sizeof(*g->job));
    if (!g->job)
        return rf_fail(err, RF_ENOMEM, "no memory for %zu machines", RF_MIN(most, n));
    for (size_t first = 0; first < n && rc == RF_OK; first += g->n) {
        g->n = RF_MIN(most, n - first);
        for (size_t i = 0; i < g->n; i++) {
            points[first + i].err.code = RF_OK;
            g->job[i] = (struct job){
                .point = &points[first + i], .index = first + i, .thread = (unsigned)(i % threads)};
        }
        rc = run_group(g, w, threads, err);
    }
    free(g->job);
    return rc;
}

int lockstep_run(const char *trace, struct content_set *contents, struct lockstep_point *points,
                 size_t n, const struct lockstep_opts *opts, struct rf_err *err) {
    size_t threads = RF_MIN((size_t)RF_MAX(opts->threads, 1u), RF_MAX(n, 1));
    struct group g = {.opts = opts, .contents = contents};
    struct worker *w = calloc(threads, sizeof(*w));
    int rc;

    if (!w)
        return rf_fail(err, RF_ENOMEM, "no memory for %zu threads", threads);
    for (size_t i = 0; i < threads; i++)
        w[i] = (struct worker){.g = &g, .index = (unsigned)i};
    rc = trace_open(trace, &g.reader, err);
    if (rc == RF_OK) {
        pthread_mutex_init(&g.lock, NULL);
        pthread_mutex_init(&g.done_lock, NULL);
        pthread_cond_init(&g.change, NULL);
        rc = run_groups(&g, w, points, n, threads, err);
        pthread_cond_destroy(&g.change);
        pthread_mutex_destroy(&g.done_lock);
        pthread_mutex_destroy(&g.lock);
        trace_close(g.reader);
    }
    for (uint32_t i = 0; i < BUFFERS; i++) {
        free(g.buffer[i].ops);
        free(g.buffer[i].events);
    }
    free(w);
    return rc;
}
