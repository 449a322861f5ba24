/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines take each decoded block of the trace in turn. A thread looks for a machine that has a
 * block to take, first among those that it ran before, whose state may still be in its cache, then
 * among all others, in each case for the one that is furthest behind. If there is none it decodes
 * the next block into a free buffer. A buffer is free once every machine has taken its block.
 *
 * Machines are in groups. A thread that a group has no work for begins the next one, so that none
 * is idle while the last machines of a group end.
 */
#include "sweep/lockstep.h"

#include <pthread.h>
#include <stdlib.h>

/* Blocks decoded ahead of the machine that is furthest behind. */
#define BUFFERS 3u
/* Groups that run at a time. */
#define GROUPS 2u
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
    struct trace_reader *reader;
    struct job *job;
    size_t n, left; /* machines, and those that are not over */
    struct buffer buffer[BUFFERS];
    uint64_t decoded, oldest; /* blocks decoded; the first that a machine still needs */
    bool decoding, end;       /* end: no more blocks, or trace_err */
    struct rf_err trace_err;
};

struct lockstep {
    const struct lockstep_opts *opts;
    struct content_set *contents;
    struct lockstep_point *points;
    size_t n, started;          /* points, and those that are in a group or over */
    size_t group_size;          /* at most */
    unsigned nr_groups, oldest; /* groups in use, and which of them is the oldest */
    struct group group[GROUPS];
    size_t threads;
    pthread_mutex_t lock; /* of all above */
    pthread_cond_t change;
    pthread_mutex_t done_lock; /* of opts->done() */
};

struct worker {
    struct lockstep *ls;
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
static void decode(struct lockstep *ls, struct group *g) {
    struct buffer *b = &g->buffer[g->decoded % BUFFERS];
    struct rf_err err = {0};
    int more;

    g->decoding = true;
    pthread_mutex_unlock(&ls->lock);
    more = read_block(g->reader, b, &err);
    pthread_mutex_lock(&ls->lock);
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

static struct job *pick(const struct group *g, unsigned thread) {
    struct job *own = NULL, *other = NULL;

    for (size_t i = 0; i < g->n; i++) {
        struct job *j = &g->job[i], **best = j->thread == thread ? &own : &other;
        if (is_runnable(g, j) && (!*best || j->next < (*best)->next))
            *best = j;
    }
    return own ? own : other;
}

/* One block, or the end; true if the point has its result or its error. Called without the lock:
 * of the job it touches only what no other thread looks at. */
static bool run(struct content_set *contents, struct trace_reader *reader, struct job *j,
                const struct trace_block *block, const struct rf_err *trace_err, bool *fed) {
    struct lockstep_point *p = j->point;
    int rc = RF_OK;

    if (!j->replay)
        rc = replay_begin(trace_reader_info(reader), contents, &p->config, NULL, &p->result,
                          &j->replay, &p->err);
    if (rc == RF_OK && block) {
        rc = replay_block(j->replay, block, fed, &p->err);
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

/* Called and left with the lock held, as what follows. */
static void step(struct lockstep *ls, struct group *g, struct job *j, unsigned thread) {
    bool fed = j->fed, feed = !fed && j->next < g->decoded;
    const struct trace_block *block = feed ? &g->buffer[j->next % BUFFERS].block : NULL;
    const struct rf_err *trace_err = !fed && g->trace_err.code != RF_OK ? &g->trace_err : NULL;

    j->busy = true;
    j->thread = thread;
    pthread_mutex_unlock(&ls->lock);
    bool over = run(ls->contents, g->reader, j, block, trace_err, &fed);
    if (over && ls->opts->done) {
        pthread_mutex_lock(&ls->done_lock);
        ls->opts->done(ls->opts->ctx, j->index);
        pthread_mutex_unlock(&ls->done_lock);
    }
    pthread_mutex_lock(&ls->lock);
    j->busy = false;
    j->fed = fed;
    j->next += feed;
    j->over = over;
    g->left -= over;
    g->oldest = g->decoded;
    for (size_t i = 0; i < g->n; i++)
        if (!g->job[i].over && !g->job[i].fed)
            g->oldest = RF_MIN(g->oldest, g->job[i].next);
}

/* ---- groups ---- */

static bool may_start(const struct lockstep *ls) {
    const struct group *next = &ls->group[(ls->oldest + 1) % ls->nr_groups];

    return ls->started < ls->n && !next->left && !next->decoding;
}

/* Into the place of a group that is over. */
static void start(struct lockstep *ls) {
    unsigned place = (ls->oldest + 1) % ls->nr_groups;
    struct group *g = &ls->group[place];

    g->n = g->left = RF_MIN(ls->group_size, ls->n - ls->started);
    g->decoded = g->oldest = 0;
    g->trace_err = (struct rf_err){0};
    g->end = trace_rewind(g->reader, &g->trace_err) != RF_OK;
    for (size_t i = 0; i < g->n; i++, ls->started++) {
        ls->points[ls->started].err.code = RF_OK;
        g->job[i] = (struct job){.point = &ls->points[ls->started],
                                 .index = ls->started,
                                 .thread = (unsigned)(i % ls->threads)};
    }
}

/* One piece of work, if there is any. */
static bool work_once(struct lockstep *ls, unsigned thread) {
    if (!ls->group[ls->oldest].left)
        ls->oldest = (ls->oldest + 1) % ls->nr_groups;
    for (unsigned i = 0; i < ls->nr_groups; i++) {
        struct group *g = &ls->group[(ls->oldest + i) % ls->nr_groups];
        struct job *j = g->left ? pick(g, thread) : NULL;

        if (j) {
            step(ls, g, j, thread);
            return true;
        }
        if (g->left && may_decode(g)) {
            decode(ls, g);
            return true;
        }
    }
    if (!may_start(ls))
        return false;
    start(ls);
    return true;
}

static bool is_over(const struct lockstep *ls) {
    bool over = ls->started == ls->n;

    for (unsigned i = 0; i < ls->nr_groups; i++)
        over &= !ls->group[i].left;
    return over;
}

static void *work(void *arg) {
    struct worker *w = arg;
    struct lockstep *ls = w->ls;

    pthread_mutex_lock(&ls->lock);
    while (!is_over(ls)) {
        if (work_once(ls, w->index))
            pthread_cond_broadcast(&ls->change);
        else
            pthread_cond_wait(&ls->change, &ls->lock);
    }
    pthread_mutex_unlock(&ls->lock);
    return NULL;
}

/* How many machines a group has, and how many groups run at a time. */
static void size_groups(struct lockstep *ls, const struct trace_info *info) {
    uint64_t pages = RF_MAX(info->footprint_pages, info->pages_touched);
    uint64_t fit = GROUP_BYTES / (MACHINE_BYTES + pages * PAGE_BYTES);
    uint64_t most = RF_MAX(GROUP_PER_THREAD * ls->threads, GROUP_MAX);

    ls->nr_groups = ls->threads > 1 && fit >= GROUPS * ls->threads ? GROUPS : 1;
    ls->group_size = (size_t)RF_MAX(RF_MIN(fit / ls->nr_groups, most), ls->threads);
    ls->group_size = RF_MIN(ls->group_size, RF_MAX(ls->n, 1));
    if (ls->group_size == ls->n)
        ls->nr_groups = 1;
}

static int open_groups(struct lockstep *ls, const char *trace, struct rf_err *err) {
    int rc = trace_open(trace, &ls->group[0].reader, err);

    if (rc != RF_OK)
        return rc;
    size_groups(ls, trace_reader_info(ls->group[0].reader));
    for (unsigned i = 0; i < ls->nr_groups && rc == RF_OK; i++) {
        struct group *g = &ls->group[i];

        if (i)
            rc = trace_open(trace, &g->reader, err);
        g->job = calloc(ls->group_size, sizeof(*g->job));
        if (rc == RF_OK && !g->job)
            rc = rf_fail(err, RF_ENOMEM, "no memory for %zu machines", ls->group_size);
    }
    return rc;
}

static void close_groups(struct lockstep *ls) {
    for (unsigned i = 0; i < GROUPS; i++) {
        struct group *g = &ls->group[i];

        trace_close(g->reader);
        free(g->job);
        for (uint32_t k = 0; k < BUFFERS; k++) {
            free(g->buffer[k].ops);
            free(g->buffer[k].events);
        }
    }
}

/* Fewer threads than asked for change nothing but the time that it takes. */
static void run_threads(struct lockstep *ls, struct worker *w) {
    size_t started = 1;

    pthread_mutex_init(&ls->lock, NULL);
    pthread_mutex_init(&ls->done_lock, NULL);
    pthread_cond_init(&ls->change, NULL);
    w[0] = (struct worker){.ls = ls};
    for (; started < ls->threads; started++) {
        w[started] = (struct worker){.ls = ls, .index = (unsigned)started};
        if (pthread_create(&w[started].thread, NULL, work, &w[started]) != 0)
            break;
    }
    work(&w[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(w[i].thread, NULL);
    pthread_cond_destroy(&ls->change);
    pthread_mutex_destroy(&ls->done_lock);
    pthread_mutex_destroy(&ls->lock);
}

int lockstep_run(const char *trace, struct content_set *contents, struct lockstep_point *points,
                 size_t n, const struct lockstep_opts *opts, struct rf_err *err) {
    struct lockstep ls = {
        .opts = opts,
        .contents = contents,
        .points = points,
        .n = n,
        .threads = RF_MIN((size_t)RF_MAX(opts->threads, 1u), RF_MAX(n, 1)),
    };
    struct worker *w = calloc(ls.threads, sizeof(*w));
    int rc;

    if (!w)
        return rf_fail(err, RF_ENOMEM, "no memory for %zu threads", ls.threads);
    rc = open_groups(&ls, trace, err);
    if (rc == RF_OK)
        run_threads(&ls, w);
    close_groups(&ls);
    free(w);
    return rc;
}
