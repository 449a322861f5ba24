/* SPDX-License-Identifier: Apache-2.0 */
/* What all models share: batches, waiting, verification, software fallback, statistics. */
#include <stdlib.h>
#include "accel_int.h"

static int check_config(const struct accel_config *c, struct rf_err *err) {
    if (c->devices < 1 || c->devices > ACCEL_MAX_DEVICES || c->packages < 1 ||
        c->packages > c->devices || c->devices % c->packages)
        return rf_fail(err, RF_EUSAGE,
                       "accel.devices %u, accel.packages %u: expected 1 to %u devices, as many in "
                       "each package",
                       c->devices, c->packages, ACCEL_MAX_DEVICES);
    if (c->engines < 1 || c->engines > ACCEL_MAX_ENGINES || c->batch < 1 ||
        c->batch > ACCEL_MAX_BATCH)
        return rf_fail(err, RF_EUSAGE,
                       "accel.engines %u, accel.batch %u: expected 1 to %u engines and batches of "
                       "1 to %u",
                       c->engines, c->batch, ACCEL_MAX_ENGINES, ACCEL_MAX_BATCH);
    return RF_OK;
}

int accel_create(const struct accel_params *p, struct accel **out, struct rf_err *err) {
    const struct accel_ops *ops = accel_find(p->config->model);
    struct accel *a;
    int rc;

    if (!ops)
        return rf_fail(err, RF_EUSAGE, "accel.model: no model \"%s\"; expected none, iaa or queue",
                       p->config->model);
    rc = check_config(p->config, err);
    if (rc)
        return rc;
    a = calloc(1, sizeof(*a));
    if (!a)
        return rf_fail(err, RF_ENOMEM, "no memory for an accelerator");
    a->ops = ops;
    a->c = *p->config;
    a->cost = *p->cost;
    a->codec = p->codec;
    a->cpus = p->cpus;
    a->eng = p->eng;
    a->completion = ACCEL_SYNC;
    a->batch = 1;
    rc = ops->create(p, a, err);
    if (rc) {
        accel_destroy(a);
        return rc;
    }
    *out = a;
    return RF_OK;
}

void accel_destroy(struct accel *a) {
    if (!a)
        return;
    a->ops->destroy(a);
    free(a);
}

bool accel_offloads(const struct accel *a, enum accel_op op) {
    return a && a->offloads[op];
}

uint32_t accel_batch(const struct accel *a) {
    return a ? a->batch : 1;
}

uint64_t accel_store_ns(const struct accel *a, bool further) {
    return further ? a->cost.store_next_ns : a->cost.store_ns;
}

void accel_observe(struct accel *a, accel_observe_fn fn, void *ctx) {
    a->observe = fn;
    a->observe_ctx = ctx;
}

const struct accel_stats *accel_stats(const struct accel *a) {
    return &a->s;
}

void accel_count_software(struct accel *a, const struct accel_job *job) {
    if (job->op == ACCEL_DECOMPRESS)
        a->s.total_sw_decomp_calls++;
    else
        a->s.sw_comp_calls++;
}

/* The CPU does what the device did not. */
static void in_software(struct accel *a, struct sim_cpu *cpu, struct accel_job *job) {
    sim_charge(cpu, job->cpu_ns);
    job->status = ACCEL_SOFTWARE;
    job->end = cpu->now;
    accel_count_software(a, job);
}

static void hand_over(struct accel *a, struct sim_cpu *cpu, struct accel_job *job) {
    job->status = ACCEL_OK;
    job->device = 0;
    job->engine = 0;
    a->ops->place(a, cpu, job);
    if (job->op == ACCEL_COMPRESS && job->status == ACCEL_OK && job->len > job->room)
        job->status = ACCEL_EOVERFLOW;
}

/* Polls or sleeps until t. */
static void wait_until(struct accel *a, struct sim_cpu *cpu, rf_time t) {
    if (a->completion == ACCEL_IRQ) {
        accel_sleep_until(a, cpu, t);
        sim_charge(cpu, a->wake_ns);
        return;
    }
    if (t > cpu->now) {
        a->s.poll_ns += t - cpu->now;
        sim_charge(cpu, t - cpu->now);
    }
    sim_charge(cpu, a->wait_ns);
}

static void count(struct accel *a, const struct sim_cpu *cpu, const struct accel_job *job) {
    bool comp = job->op == ACCEL_COMPRESS;

    switch ((enum accel_status)job->status) {
    case ACCEL_OK:
        if (comp) {
            a->s.total_comp_calls++;
            a->s.total_comp_bytes_out += job->len;
        } else {
            a->s.total_decomp_calls++;
            a->s.total_decomp_bytes_in += job->len;
        }
        break;
    case ACCEL_EOVERFLOW:
        a->s.total_comp_calls++;
        a->s.total_completion_comp_buf_overflow_errors++;
        break;
    case ACCEL_EINVAL:
    case ACCEL_EAGAIN:
    case ACCEL_SOFTWARE:
        break;
    }
    if (a->observe)
        a->observe(a->observe_ctx, cpu, job);
}

/* The result is decompressed once more, and its checksum compared. */
static void verify(struct accel *a, struct sim_cpu *cpu, const struct accel_job *job) {
    struct accel_job v = {.op = ACCEL_DECOMPRESS, .len = job->len, .room = RF_PAGE_SIZE};

    a->s.verifies++;
    hand_over(a, cpu, &v);
    if (v.status == ACCEL_OK) {
        wait_until(a, cpu, v.end);
        if (a->observe)
            a->observe(a->observe_ctx, cpu, &v);
    }
}

/* After the wait: errors, fallback, verification. */
static void finish(struct accel *a, struct sim_cpu *cpu, struct accel_job *job) {
    if (job->status == ACCEL_EINVAL)
        a->s.total_completion_einval_errors++;
    if (job->status == ACCEL_EAGAIN || job->status == ACCEL_EINVAL) {
        /* A store can be refused, a load cannot: its page is nowhere else. */
        bool refused = job->op == ACCEL_COMPRESS &&
                       (!a->software || (job->status == ACCEL_EAGAIN &&
                                         a->c.policy[job->op].full == ACCEL_FULL_ERROR));
        if (!refused)
            in_software(a, cpu, job);
    }
    if (job->op == ACCEL_COMPRESS && (job->status == ACCEL_EAGAIN || job->status == ACCEL_EINVAL))
        a->s.comp_failed++;
    count(a, cpu, job);
    if (job->op == ACCEL_COMPRESS && job->status == ACCEL_OK && a->verifies)
        verify(a, cpu, job);
}

/* Exchanges the two longest with the first two: what takes longest should start first. */
static void order_of(const struct accel *a, const struct accel_job *job, uint32_t n,
                     uint8_t order[ACCEL_MAX_BATCH]) {
    for (uint32_t i = 0; i < n; i++)
        order[i] = (uint8_t)i;
    if (!a->longest_first || job[0].op != ACCEL_DECOMPRESS)
        return;
    for (uint32_t k = 0; k < 2 && k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (job[order[i]].len > job[order[best]].len)
                best = i;
        uint8_t t = order[k];
        order[k] = order[best];
        order[best] = t;
    }
}

static rf_time hand_over_all(struct accel *a, struct sim_cpu *cpu, struct accel_job *job,
                             uint32_t n) {
    uint8_t order[ACCEL_MAX_BATCH];
    rf_time end = cpu->now;

    a->s.fill[a->ops->begin ? a->ops->begin(a, cpu, job, n) : n]++;
    order_of(a, job, n, order);
    for (uint32_t i = 0; i < n; i++) {
        hand_over(a, cpu, &job[order[i]]);
        if (job[order[i]].status != ACCEL_EAGAIN)
            end = RF_MAX(end, job[order[i]].end);
    }
    return end;
}

static void run_batch(struct accel *a, struct sim_cpu *cpu, struct accel_job *job, uint32_t n) {
    bool waits = false;
    rf_time end = hand_over_all(a, cpu, job, n);

    for (uint32_t i = 0; i < n; i++)
        waits |= job[i].status != ACCEL_EAGAIN && job[i].status != ACCEL_SOFTWARE;
    if (waits)
        wait_until(a, cpu, end);
    for (uint32_t i = 0; i < n; i++)
        finish(a, cpu, &job[i]);
}

void accel_run(struct accel *a, struct sim_cpu *cpu, struct accel_job *job, uint32_t n) {
    if (!a || !n || !a->offloads[job[0].op]) {
        /* Counted only beside a device that has the other direction. */
        bool shared = a && n && a->offloads[!job[0].op];

        for (uint32_t i = 0; i < n; i++) {
            accel_none.place(a, cpu, &job[i]);
            if (shared)
                accel_count_software(a, &job[i]);
        }
        return;
    }
    uint32_t step = a->completion == ACCEL_SYNC ? 1 : a->batch;

    for (uint32_t i = 0; i < n; i += step)
        run_batch(a, cpu, job + i, RF_MIN(step, n - i));
}

int accel_submit(struct accel *a, struct sim_cpu *cpu, struct accel_job *job, uint32_t n,
                 accel_end_fn end, void *ctx, uint64_t arg) {
    rf_time last = hand_over_all(a, cpu, job, n);

    for (uint32_t i = 0; i < n; i++)
        count(a, cpu, &job[i]);
    return engine_at(a->eng, last, end, ctx, arg);
}
