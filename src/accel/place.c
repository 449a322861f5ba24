/* SPDX-License-Identifier: Apache-2.0 */
/* Where jobs queue: the engines of a group, and the entries of a queue. */
#include <stdlib.h>
#include "accel_int.h"

#define PRUNE_SPANS 64u

int engine_pool_init(struct engine_pool *p, uint32_t nr, struct rf_err *err) {
    p->engine = calloc(nr, sizeof(*p->engine));
    if (!p->engine)
        return rf_fail(err, RF_ENOMEM, "no memory for the engines of an accelerator");
    p->nr = nr;
    p->prune_at = PRUNE_SPANS;
    return RF_OK;
}

void engine_pool_free(struct engine_pool *p) {
    for (uint32_t i = 0; p->engine && i < p->nr; i++)
        sim_calendar_free(&p->engine[i]);
    free(p->engine);
}

void engine_pool_serve(struct engine_pool *p, struct accel *a, struct accel_job *job,
                       uint64_t service, uint32_t from, uint32_t nr) {
    uint32_t best = from;
    rf_time end = RF_TIME_MAX;

    for (uint32_t i = from; i < from + nr && end > job->at + service; i++) {
        rf_time t = sim_calendar_find(&p->engine[i], job->at, service);

        if (t < end) {
            end = t;
            best = i;
        }
    }
    struct sim_calendar *c = &p->engine[best];
    sim_calendar_take(c, job->at, end);
    if (a->eng && c->n >= p->prune_at) {
        sim_calendar_prune(c, engine_floor(a->eng));
        p->prune_at = RF_MAX(PRUNE_SPANS, c->n * 2);
    }
    job->engine = (uint16_t)best;
    job->start = end - service;
    job->end = end;
    a->s.busy_ns += service;
    a->s.queue_wait_ns += job->start - job->at;
    rf_hist_add(&a->s.wait, job->start - job->at);
}

void entry_list_free(struct entry_list *l) {
    free(l->v);
}

/* Entries taken at t, and the first of their ends. */
static uint32_t taken_at(const struct entry_list *l, rf_time t, rf_time *next_end) {
    uint32_t n = 0;

    *next_end = RF_TIME_MAX;
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->v[i].start <= t && l->v[i].end > t) {
            n++;
            *next_end = RF_MIN(*next_end, l->v[i].end);
        }
    }
    return n;
}

void accel_sleep_until(struct accel *a, struct sim_cpu *cpu, rf_time t) {
    if (t <= cpu->now)
        return;
    a->s.sleep_ns += t - cpu->now;
    cpu->idle_ns += t - cpu->now;
    cpu->now = t;
}

bool entry_list_wait(struct entry_list *l, struct accel *a, struct sim_cpu *cpu,
                     const struct accel_queue_policy *policy, uint64_t retry_ns,
                     struct accel_job *job) {
    rf_time t = cpu->now, next;
    uint64_t tries;

    if (!l->size || taken_at(l, t, &next) < l->size)
        return true;
    a->s.queue_full++;
    do
        t = next;
    while (taken_at(l, t, &next) >= l->size);
    if (policy->full == ACCEL_FULL_BLOCK) {
        a->s.slept_for_place++;
        accel_sleep_until(a, cpu, t);
        return true;
    }
    /* Attempt after attempt until the first that finds a place, or the last allowed. Attempts that
     * take no time never find one. */
    tries = retry_ns ? (t - cpu->now + retry_ns - 1) / retry_ns : UINT64_MAX;
    if (policy->full != ACCEL_FULL_SPIN && tries > policy->retries) {
        a->s.retries += policy->retries;
        a->s.eagain++;
        sim_charge(cpu, policy->retries * retry_ns);
        job->at = job->start = job->end = cpu->now;
        job->status = ACCEL_EAGAIN;
        return false;
    }
    a->s.retries += retry_ns ? tries : 1;
    sim_charge(cpu, RF_MAX(tries * retry_ns, t - cpu->now));
    return true;
}

/* Drops the entries that ended before anybody's clock; grows the list if more than half are left.
 */
static bool make_room(struct entry_list *l, const struct accel *a) {
    rf_time floor = a->eng ? engine_floor(a->eng) : 0;
    uint32_t kept = 0, cap = l->cap ? l->cap * 2 : 64;
    struct sim_span *v;

    for (uint32_t i = 0; i < l->n; i++) {
        if (l->v[i].end > floor)
            l->v[kept++] = l->v[i];
    }
    l->n = kept;
    if (l->cap && l->n * 2 <= l->cap)
        return true;
    v = cap <= 1u << 20 ? realloc(l->v, cap * sizeof(*v)) : NULL;
    if (!v)
        return l->n < l->cap;
    l->v = v;
    l->cap = cap;
    return true;
}

void entry_list_take(struct entry_list *l, const struct accel *a, rf_time at, rf_time end) {
    if (!l->size || (l->n == l->cap && !make_room(l, a)))
        return;
    l->v[l->n++] = (struct sim_span){at, end};
}
