/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/sweep.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MAX_POINTS 10000000u

struct shared {
    struct sweep *sweep;
    struct content_set **contents; /* one a trace */
    atomic_size_t next;
    pthread_mutex_t lock; /* of done and the progress call */
    size_t done;
};

static void run_point(struct shared *sh, size_t index, struct trace_reader **readers,
                      struct setting *values) {
    struct sweep *s = sh->sweep;
    struct sweep_point *p = &s->points[index];
    size_t per_trace = grid_points(s->grid), t = index / per_trace;
    struct machine_config config;
    int rc = RF_OK;

    if (!readers[t])
        rc = trace_open(s->traces[t], &readers[t], &p->err);
    if (rc != RF_OK)
        return;
    grid_point(s->grid, index % per_trace, values);
    rc = settings_resolve(s->settings, values, s->grid->n, trace_reader_info(readers[t]), &config,
                          &p->err);
    if (rc != RF_OK)
        return;
    config.verify = s->verify;
    config.check = s->check;
    rc = replay_run(readers[t], sh->contents[t], &config, NULL, &p->result, &p->err);
    if (rc != RF_OK)
        return;
    p->err.code = RF_OK;
    if (!s->keep_classes) {
        free(p->result.classes.rows);
        p->result.classes = (struct class_table){0};
    }
}

static void *worker(void *arg) {
    struct shared *sh = arg;
    struct sweep *s = sh->sweep;
    struct trace_reader **readers = calloc(s->nr_traces + 1, sizeof(*readers));
    struct setting *values = calloc(s->grid->n + 1, sizeof(*values));

    for (;;) {
        size_t index = atomic_fetch_add(&sh->next, 1);

        if (index >= s->nr_points)
            break;
        if (readers && values)
            run_point(sh, index, readers, values);
        else
            rf_fail(&s->points[index].err, RF_ENOMEM, "no memory for a worker");
        pthread_mutex_lock(&sh->lock);
        sh->done++;
        if (s->progress)
            s->progress(s->ctx, sh->done, s->nr_points);
        pthread_mutex_unlock(&sh->lock);
    }
    for (size_t t = 0; readers && t < s->nr_traces; t++) {
        if (readers[t])
            trace_close(readers[t]);
    }
    free(readers);
    free(values);
    return NULL;
}

static int load_contents(struct shared *sh, struct rf_err *err) {
    struct sweep *s = sh->sweep;

    for (size_t t = 0; t < s->nr_traces; t++) {
        struct trace_reader *r;
        int rc = trace_open(s->traces[t], &r, err);

        if (rc != RF_OK)
            return rc;
        rc = trace_load_content(r, &sh->contents[t], err);
        trace_close(r);
        if (rc != RF_OK)
            return rc;
    }
    return RF_OK;
}

int sweep_run(struct sweep *s, struct rf_err *err) {
    size_t per_trace = grid_points(s->grid), started = 0;
    unsigned extra;
    struct shared sh = {.sweep = s};
    pthread_t *threads = NULL;
    int rc;

    s->points = NULL;
    s->nr_points = 0;
    if (per_trace > MAX_POINTS / s->nr_traces)
        return rf_fail(err, RF_ELIMIT, "a sweep has at most %u points", MAX_POINTS);
    sh.contents = calloc(s->nr_traces, sizeof(struct content_set *));
    s->points = calloc(per_trace * s->nr_traces, sizeof(*s->points));
    if (!sh.contents || !s->points) {
        free(sh.contents);
        return rf_fail(err, RF_ENOMEM, "no memory for %zu results", per_trace * s->nr_traces);
    }
    s->nr_points = per_trace * s->nr_traces;
    atomic_init(&sh.next, 0);
    pthread_mutex_init(&sh.lock, NULL);
    rc = load_contents(&sh, err);
    if (rc == RF_OK) {
        extra = (unsigned)RF_MIN((size_t)RF_MAX(s->threads, 1u), s->nr_points) - 1;
        threads = calloc(extra + 1, sizeof(*threads));
        /* Fewer threads than asked for change nothing but the time that it takes. */
        while (threads && started < extra &&
               pthread_create(&threads[started], NULL, worker, &sh) == 0)
            started++;
        worker(&sh);
        for (size_t i = 0; i < started; i++)
            pthread_join(threads[i], NULL);
        free(threads);
    }
    for (size_t t = 0; t < s->nr_traces; t++)
        content_free(sh.contents[t]);
    free(sh.contents);
    pthread_mutex_destroy(&sh.lock);
    return rc;
}

void sweep_free(struct sweep *s) {
    for (size_t i = 0; i < s->nr_points; i++) {
        if (s->points[i].err.code == RF_OK)
            replay_result_free(&s->points[i].result);
    }
    free(s->points);
    s->points = NULL;
    s->nr_points = 0;
}
