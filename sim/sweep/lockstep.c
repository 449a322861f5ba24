/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/lockstep.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
    const char *trace;
    struct content_set *contents;
    struct lockstep_point *points;
    size_t n;
    const struct lockstep_opts *opts;
    atomic_size_t next;
    pthread_mutex_t lock; /* of done() */
};

static void *worker(void *arg) {
    struct shared *s = arg;
    struct trace_reader *reader = NULL;
    size_t i;

    while ((i = atomic_fetch_add(&s->next, 1)) < s->n) {
        struct lockstep_point *p = &s->points[i];
        int rc = RF_OK;

        p->err.code = RF_OK;
        if (!reader)
            rc = trace_open(s->trace, &reader, &p->err);
        if (rc == RF_OK)
            rc = replay_run(reader, s->contents, &p->config, NULL, &p->result, &p->err);
        if (rc == RF_OK)
            p->err.code = RF_OK;
        if (s->opts->done) {
            pthread_mutex_lock(&s->lock);
            s->opts->done(s->opts->ctx, i);
            pthread_mutex_unlock(&s->lock);
        }
    }
    trace_close(reader);
    return NULL;
}

int lockstep_run(const char *trace, struct content_set *contents, struct lockstep_point *points,
                 size_t n, const struct lockstep_opts *opts, struct rf_err *err) {
    size_t extra = RF_MIN((size_t)RF_MAX(opts->threads, 1u), RF_MAX(n, 1)) - 1, started = 0;
    struct shared s = {
        .trace = trace, .contents = contents, .points = points, .n = n, .opts = opts};
    pthread_t *threads = calloc(extra + 1, sizeof(*threads));

    if (!threads)
        return rf_fail(err, RF_ENOMEM, "no memory for %zu threads", extra);
    atomic_init(&s.next, 0);
    pthread_mutex_init(&s.lock, NULL);
    /* Fewer threads than asked for change nothing but the time that it takes. */
    while (started < extra && pthread_create(&threads[started], NULL, worker, &s) == 0)
        started++;
    worker(&s);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&s.lock);
    free(threads);
    return RF_OK;
}
