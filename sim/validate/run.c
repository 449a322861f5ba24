/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the cases, runs them on several threads, sums up. */
#include <fnmatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "validate/validate.h"

struct shared {
    struct validation *v;
    struct dataset *data;
    atomic_size_t next;
    pthread_mutex_t lock; /* of done and the progress call */
    size_t done;
};

static bool kind_listed(const char *kinds, const char *name) {
    size_t n = golden_kind_length(name);

    for (const char *p = kinds; p && *p;) {
        size_t len = strcspn(p, ",");

        if (len == n && memcmp(p, name, n) == 0)
            return true;
        p += len + (p[len] == ',');
    }
    return !kinds;
}

static bool chosen(const struct validate_opts *o, const struct golden *g) {
    if (!kind_listed(o->kinds, g->name))
        return false;
    for (size_t i = 0; i < o->nr_cases; i++) {
        if (fnmatch(o->cases[i], g->name, 0) == 0)
            return true;
    }
    return o->nr_cases == 0;
}

static void run_case(struct shared *sh, struct case_result *c) {
    const struct validate_opts *o = sh->v->opts;
    const struct case_result *one = c;
    int rc = c->golden->direct ? case_run_direct(c, sh->data, o, &c->err)
                               : case_run_swap(c, sh->data, o, &c->err);

    if (rc != RF_OK) {
        /* Errors of what several cases share do not name one. */
        if (!strstr(c->err.msg, c->golden->path))
            rf_fail_prefix(&c->err, "%s", c->golden->path);
        return;
    }
    c->err.code = RF_OK;
    error_summarize(&one, 1, false, &c->judged);
    error_summarize(&one, 1, true, &c->bounded);
}

static void *worker(void *arg) {
    struct shared *sh = arg;

    for (;;) {
        size_t i = atomic_fetch_add(&sh->next, 1);

        if (i >= sh->v->nr_cases)
            return NULL;
        run_case(sh, &sh->v->cases[i]);
        pthread_mutex_lock(&sh->lock);
        sh->done++;
        if (sh->v->opts->progress)
            sh->v->opts->progress(sh->v->opts->ctx, sh->done, sh->v->nr_cases);
        pthread_mutex_unlock(&sh->lock);
    }
}

static void run_all(struct shared *sh, unsigned threads) {
    size_t extra = RF_MIN((size_t)RF_MAX(threads, 1u), sh->v->nr_cases) - 1, started = 0;
    pthread_t *t = calloc(extra + 1, sizeof(*t));

    /* Fewer threads than asked for change nothing but the time that it takes. */
    while (t && started < extra && pthread_create(&t[started], NULL, worker, sh) == 0)
        started++;
    worker(sh);
    for (size_t i = 0; i < started; i++)
        pthread_join(t[i], NULL);
    free(t);
}

static bool within(const struct error_summary *all, const struct error_summary *bounded,
                   const struct validate_limits *l) {
    return all->median <= l->median && all->p90 <= l->p90 && bounded->worst <= l->worst;
}

static int summarize_kernel(struct validation *v, const char *kernel, struct rf_err *err) {
    struct kernel_summary *k = &v->kernels[v->nr_kernels++];
    const struct case_result **swap = calloc(v->nr_cases + 1, sizeof(*swap)),
                             **direct = calloc(v->nr_cases + 1, sizeof(*direct));
    size_t nr_swap = 0, nr_direct = 0;
    struct validate_limits limits;

    if (!swap || !direct) {
        free(swap);
        free(direct);
        return rf_fail(err, RF_ENOMEM, "no memory for the summary");
    }
    snprintf(k->kernel, sizeof(k->kernel), "%s", kernel);
    for (size_t i = 0; i < v->nr_cases; i++) {
        const struct case_result *c = &v->cases[i];

        if (strcmp(c->golden->kernel, kernel) != 0)
            continue;
        if (c->golden->direct)
            direct[nr_direct++] = c;
        else
            swap[nr_swap++] = c;
        k->cases++;
        k->failed_cases += c->failure[0] != '\0';
    }
    error_summarize(swap, nr_swap, false, &k->swap);
    error_summarize(swap, nr_swap, true, &k->swap_bounded);
    error_summarize(direct, nr_direct, false, &k->direct);
    limits = validate_limits(v->opts, kernel, false);
    k->passed = k->failed_cases == 0 && within(&k->swap, &k->swap_bounded, &limits);
    limits = validate_limits(v->opts, kernel, true);
    k->passed = k->passed && within(&k->direct, &k->direct, &limits);
    v->passed = v->passed && k->passed;
    free(swap);
    free(direct);
    return RF_OK;
}

static int summarize(struct validation *v, struct rf_err *err) {
    int rc = RF_OK;

    v->kernels = calloc(v->nr_cases, sizeof(*v->kernels));
    if (!v->kernels)
        return rf_fail(err, RF_ENOMEM, "no memory for the summary");
    v->passed = true;
    for (size_t i = 0; i < v->nr_cases && rc == RF_OK; i++) {
        const char *kernel = v->cases[i].golden->kernel;

        if (i == 0 || strcmp(kernel, v->cases[i - 1].golden->kernel) != 0)
            rc = summarize_kernel(v, kernel, err);
    }
    return rc;
}

int validate_run(const struct validate_opts *o, struct validation *out, struct rf_err *err) {
    struct shared sh = {.v = out};
    int rc;

    *out = (struct validation){.opts = o};
    rc = golden_list_load(&out->goldens, o->dir, o->kernel, err);
    if (rc != RF_OK)
        return rc;
    out->cases = calloc(out->goldens.n, sizeof(*out->cases));
    if (!out->cases)
        rc = rf_fail(err, RF_ENOMEM, "no memory for the cases");
    for (size_t i = 0; i < out->goldens.n && rc == RF_OK; i++) {
        if (chosen(o, &out->goldens.v[i]))
            out->cases[out->nr_cases++] = (struct case_result){
                .golden = &out->goldens.v[i], .present_equal = -1, .present_noise = -1};
    }
    if (rc == RF_OK && out->nr_cases == 0)
        rc =
            rf_fail(err, RF_EINPUT, "%s: none of its %zu cases was chosen", o->dir, out->goldens.n);
    if (rc == RF_OK)
        rc = dataset_open(o->dir, &out->goldens, o->kernel_sizes, &sh.data, err);
    if (rc == RF_OK) {
        atomic_init(&sh.next, 0);
        pthread_mutex_init(&sh.lock, NULL);
        run_all(&sh, o->threads);
        pthread_mutex_destroy(&sh.lock);
        dataset_close(sh.data);
    }
    for (size_t i = 0; i < out->nr_cases && rc == RF_OK; i++) {
        if (out->cases[i].err.code != RF_OK) {
            *err = out->cases[i].err;
            rc = err->code;
        }
    }
    if (rc == RF_OK)
        rc = summarize(out, err);
    if (rc != RF_OK)
        validation_free(out);
    return rc;
}

void validation_free(struct validation *v) {
    for (size_t i = 0; i < v->nr_cases; i++) {
        free(v->cases[i].rows);
        free(v->cases[i].checkpoint_ops);
        free(v->cases[i].checkpoints);
    }
    free(v->cases);
    free(v->kernels);
    golden_list_free(&v->goldens);
    *v = (struct validation){0};
}
