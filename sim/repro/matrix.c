/* SPDX-License-Identifier: Apache-2.0 */
#include "repro/matrix.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "config/settings.h"
#include "scratch.h"

#define MAX_THREADS 64u

/* ---- the pool ---- */

struct repro_pool {
    pthread_mutex_t lock;
    pthread_cond_t left;
    unsigned threads, free;
    void (*report)(void *ctx, uint64_t done, uint64_t total);
    void *ctx;
    uint64_t done, expected;
};

struct repro_pool *repro_pool_create(unsigned threads) {
    struct repro_pool *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->left, NULL);
    p->threads = p->free = RF_MAX(threads, 1u);
    return p;
}

void repro_pool_free(struct repro_pool *p) {
    if (!p)
        return;
    pthread_cond_destroy(&p->left);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void repro_pool_report(struct repro_pool *p, void (*fn)(void *ctx, uint64_t done, uint64_t total),
                       void *ctx) {
    p->report = fn;
    p->ctx = ctx;
}

void repro_pool_expect(struct repro_pool *p, size_t n) {
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->expected += n;
    pthread_mutex_unlock(&p->lock);
}

/* The lock is held. */
static void one_more(struct repro_pool *p) {
    p->done++;
    if (p->report)
        p->report(p->ctx, p->done, p->expected);
}

void repro_pool_done(struct repro_pool *p) {
    pthread_mutex_lock(&p->lock);
    one_more(p);
    pthread_mutex_unlock(&p->lock);
}

void repro_pool_enter(struct repro_pool *p) {
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    while (p->free == 0)
        pthread_cond_wait(&p->left, &p->lock);
    p->free--;
    pthread_mutex_unlock(&p->lock);
}

void repro_pool_leave(struct repro_pool *p) {
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->free++;
    one_more(p);
    pthread_cond_signal(&p->left);
    pthread_mutex_unlock(&p->lock);
}

/* ---- jobs ---- */

struct work {
    struct repro *r;
    struct repro_matrix *m;
    const struct knob_table *knobs;
    struct scratch *traces; /* [nr_traces * seeds] */
    size_t nr_jobs;
    void (*job)(struct work *w, size_t index, struct rf_err *err);
    atomic_size_t next;
    atomic_bool failed;
    pthread_mutex_t lock; /* of r->err */
};

static void write_trace(struct work *w, size_t index, struct rf_err *err) {
    unsigned which = (unsigned)(index / w->m->seeds);
    uint32_t seed = (uint32_t)(index % w->m->seeds);

    if (w->m->write(w->m->ctx, which, seed + 1, w->traces[index].path, err) != RF_OK)
        rf_fail_prefix(err, "trace %u, seed %u", which, seed + 1);
}

/* Adds each KEY=VALUE of a text separated by blanks. */
static int add_settings(struct settings *s, const char *text, struct rf_err *err) {
    char pair[REPRO_SETTINGS];
    int rc = RF_OK;

    while (rc == RF_OK) {
        size_t n;

        text += strspn(text, " ");
        n = strcspn(text, " ");
        if (n == 0 || n >= sizeof(pair))
            break;
        memcpy(pair, text, n);
        pair[n] = '\0';
        rc = settings_add_pair(s, pair, err);
        text += n;
    }
    return rc;
}

static int resolve(struct work *w, const struct repro_config *c, uint32_t seed,
                   const struct trace_info *info, struct machine_config *out, struct rf_err *err) {
    struct settings s;
    char text[32];
    int rc = settings_init(&s, w->knobs, err);

    if (rc != RF_OK)
        return rc;
    snprintf(text, sizeof(text), "%u", seed + 1);
    rc = settings_add(&s, "seed", text, err);
    if (rc == RF_OK)
        rc = add_settings(&s, w->m->common, err);
    if (rc == RF_OK)
        rc = add_settings(&s, c->set, err);
    if (rc == RF_OK)
        rc = settings_resolve(&s, NULL, 0, info, out, err);
    settings_free(&s);
    return rc;
}

struct watch {
    struct repro_matrix *m;
    size_t index;
};

static int at_count_start(void *ctx, struct machine *machine, size_t stop, struct rf_err *err) {
    struct watch *v = ctx;
    int rc = machine_settle(machine, err);

    (void)stop;
    if (rc == RF_OK)
        rc = value_list_read(&v->m->before[v->index], machine, err);
    if (rc == RF_OK && v->m->look)
        v->m->look(v->m->ctx, v->index, false, machine);
    return rc;
}

static int at_end(void *ctx, struct machine *machine, struct rf_err *err) {
    struct watch *v = ctx;

    (void)err;
    if (v->m->look)
        v->m->look(v->m->ctx, v->index, true, machine);
    return RF_OK;
}

static void run_config(struct work *w, size_t index, struct rf_err *err) {
    const struct repro_config *c = &w->m->configs[index / w->m->seeds];
    uint32_t seed = (uint32_t)(index % w->m->seeds);
    struct trace_reader *trace = NULL;
    struct content_set *contents = NULL;
    struct machine_config config;
    struct watch watch = {w->m, index};
    uint64_t stop = w->m->count_from ? w->m->count_from(w->m->ctx, c->trace, seed + 1) : 0;
    struct replay_opts opts = {.stops = &stop,
                               .nr_stops = w->m->count_from ? 1 : 0,
                               .at_stop = at_count_start,
                               .at_end = at_end,
                               .ctx = &watch};
    int rc;

    rc = trace_open(w->traces[c->trace * w->m->seeds + seed].path, &trace, err);
    if (rc == RF_OK)
        rc = resolve(w, c, seed, trace_reader_info(trace), &config, err);
    if (rc == RF_OK)
        rc = trace_load_content(trace, &contents, err);
    if (rc == RF_OK)
        rc = replay_run(trace, contents, &config, &opts, &w->m->result[index], err);
    content_free(contents);
    trace_close(trace);
    if (rc != RF_OK)
        rf_fail_prefix(err, "configuration %s, seed %u", c->name, seed + 1);
}

static void *worker(void *arg) {
    struct work *w = arg;

    for (;;) {
        size_t index = atomic_fetch_add(&w->next, 1);
        struct rf_err err = {0};

        if (index >= w->nr_jobs)
            return NULL;
        repro_pool_enter(w->r->pool);
        if (!atomic_load(&w->failed))
            w->job(w, index, &err);
        repro_pool_leave(w->r->pool);
        if (err.code == RF_OK)
            continue;
        pthread_mutex_lock(&w->lock);
        if (!atomic_exchange(&w->failed, true))
            w->r->err = err;
        pthread_mutex_unlock(&w->lock);
    }
}

static bool run_jobs(struct work *w, size_t nr,
                     void (*job)(struct work *w, size_t index, struct rf_err *err)) {
    pthread_t threads[MAX_THREADS];
    unsigned want = w->r->pool ? RF_MIN(w->r->pool->threads, MAX_THREADS) : 1, started = 0;

    w->nr_jobs = nr;
    w->job = job;
    atomic_store(&w->next, 0);
    /* Fewer threads than asked for change nothing but the time that it takes. */
    while (started + 1 < want && started + 1 < nr &&
           pthread_create(&threads[started], NULL, worker, w) == 0)
        started++;
    worker(w);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return !atomic_load(&w->failed);
}

/* ---- results ---- */

static void add_run(struct repro *r, const struct repro_matrix *m, size_t index) {
    const struct replay_result *one = &m->result[index];
    json_t *values = json_object();

    for (size_t i = 0; i < one->values.n; i++) {
        const struct value *v = &one->values.v[i];
        char key[160];

        snprintf(key, sizeof(key), "%s%s", value_prefix(v->kind), v->name);
        json_object_set_new(values, key, json_integer((json_int_t)(int64_t)v->value));
    }
    repro_add_run(r, json_pack("{ss sI ss so}", "name", m->configs[index / m->seeds].name, "seed",
                               (json_int_t)(index % m->seeds) + 1, "outcome",
                               one->outcome == MACHINE_OOM ? "oom" : "done", "values", values));
}

static bool run_all(struct work *w, size_t nr_runs) {
    size_t n = (size_t)w->m->nr_traces * w->m->seeds, i = 0;
    bool ok;

    w->traces = calloc(n, sizeof(*w->traces));
    if (!w->traces) {
        rf_fail(&w->r->err, RF_ENOMEM, "no memory for %zu traces", n);
        return false;
    }
    repro_pool_expect(w->r->pool, n + nr_runs);
    while (i < n && scratch_open(&w->traces[i], &w->r->err) == RF_OK)
        i++;
    ok = i == n && run_jobs(w, n, write_trace) && run_jobs(w, nr_runs, run_config);
    while (i > 0)
        scratch_close(&w->traces[--i]);
    free(w->traces);
    return ok;
}

bool repro_matrix_run(struct repro *r, struct repro_matrix *m) {
    struct knob_table knobs = {0};
    struct work w = {.r = r, .m = m, .knobs = &knobs};
    size_t nr;
    bool ok;

    m->seeds = r->seeds;
    nr = m->nr_configs * m->seeds;
    m->result = calloc(nr, sizeof(*m->result));
    m->before = calloc(nr, sizeof(*m->before));
    if (!m->result || !m->before) {
        rf_fail(&r->err, RF_ENOMEM, "no memory for %zu results", nr);
        return false;
    }
    if (knob_table_init(&knobs, &r->err) != RF_OK)
        return false;
    atomic_init(&w.next, 0);
    atomic_init(&w.failed, false);
    pthread_mutex_init(&w.lock, NULL);
    ok = run_all(&w, nr);
    pthread_mutex_destroy(&w.lock);
    knob_table_free(&knobs);
    for (size_t i = 0; ok && i < nr; i++)
        add_run(r, m, i);
    return ok && r->err.code == RF_OK;
}

void repro_matrix_free(struct repro_matrix *m) {
    for (size_t i = 0; m->result && i < m->nr_configs * m->seeds; i++)
        replay_result_free(&m->result[i]);
    for (size_t i = 0; m->before && i < m->nr_configs * m->seeds; i++)
        value_list_free(&m->before[i]);
    free(m->result);
    free(m->before);
    m->result = NULL;
    m->before = NULL;
}

static double value_of(const struct value_list *l, const char *name) {
    const struct value *v;

    if (strncmp(name, "time.", 5) == 0)
        v = value_list_find(l, MV_TIME, name + 5);
    else if (strncmp(name, "x.", 2) == 0)
        v = value_list_find(l, MV_X, name + 2);
    else
        v = value_list_find(l, MV_COUNTER, name);
    return v ? value_number(v) : (double)NAN;
}

double repro_value(const struct repro_matrix *m, size_t config, uint32_t seed, const char *name) {
    return value_of(&m->result[config * m->seeds + seed].values, name);
}

double repro_growth(const struct repro_matrix *m, size_t config, uint32_t seed, const char *name) {
    const struct value_list *before = &m->before[config * m->seeds + seed];
    double now = repro_value(m, config, seed, name);

    return before->n ? now - value_of(before, name) : now;
}

double repro_mean(const struct repro_matrix *m, size_t config, const char *name) {
    double sum = 0;

    for (uint32_t s = 0; s < m->seeds; s++)
        sum += repro_value(m, config, s, name);
    return sum / m->seeds;
}

void repro_ratios(const struct repro_matrix *m, size_t config, size_t over, const char *name,
                  double out[REPRO_MAX_SEEDS]) {
    for (uint32_t s = 0; s < m->seeds; s++)
        out[s] = repro_value(m, config, s, name) / repro_value(m, over, s, name);
}
