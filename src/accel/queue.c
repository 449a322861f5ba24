/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An accelerator that is described by numbers alone: devices with a queue of some depth in front of
 * some engines, a time to set a job up and a time for each byte. Whatever codec zswap uses is the
 * format that it speaks.
 */
#include <stdlib.h>
#include "accel_int.h"

#define RETRY_NS 50u /* where retries are tried: the cost of one is that of a load and a branch */

struct queue_device {
    struct engine_pool engines;
    struct entry_list entries;
    rf_time last_end[NR_ACCEL_OPS]; /* of ordered results */
};

struct queue {
    struct queue_device *device;
    uint32_t *cursor; /* of each CPU and direction */
    struct rf_rng rng;
};

static void queue_destroy(struct accel *a) {
    struct queue *q = a->priv;

    if (!q)
        return;
    for (uint32_t d = 0; q->device && d < a->c.devices; d++) {
        engine_pool_free(&q->device[d].engines);
        entry_list_free(&q->device[d].entries);
    }
    free(q->device);
    free(q->cursor);
    free(q);
}

static int queue_create(const struct accel_params *p, struct accel *a, struct rf_err *err) {
    const struct accel_queue_desc *desc = &a->c.queue;
    struct queue *q;

    if (!desc->can[ACCEL_COMPRESS] && !desc->can[ACCEL_DECOMPRESS])
        return rf_fail(err, RF_EUSAGE,
                       "accel.queue.compress and accel.queue.decompress are both off: expected a "
                       "device that does something");
    /* Of jobs that are all too small none is offloaded: zswap does not ask for it either. */
    for (int op = 0; op < NR_ACCEL_OPS; op++)
        a->offloads[op] = desc->can[op] && desc->min_job <= RF_PAGE_SIZE;
    a->software = desc->software;
    a->completion = a->c.completion;
    a->batch = a->c.completion == ACCEL_SYNC ? 1 : a->c.batch;
    a->wake_ns = desc->wake_ns;
    q = a->priv = calloc(1, sizeof(*q));
    if (q) {
        q->device = calloc(a->c.devices, sizeof(*q->device));
        q->cursor = calloc((size_t)p->cpus * NR_ACCEL_OPS, sizeof(*q->cursor));
    }
    if (!q || !q->device || !q->cursor)
        return rf_fail(err, RF_ENOMEM, "no memory for an accelerator");
    rf_rng_seed(&q->rng, p->seed);
    for (uint32_t d = 0; d < a->c.devices; d++) {
        int rc = engine_pool_init(&q->device[d].engines, a->c.engines, err);

        if (rc)
            return rc;
        q->device[d].entries.size = desc->depth;
    }
    return RF_OK;
}

static uint32_t bytes_in(const struct accel_job *job) {
    return job->op == ACCEL_COMPRESS ? RF_PAGE_SIZE : job->len;
}

static uint32_t queue_begin(struct accel *a, struct sim_cpu *cpu, const struct accel_job *job,
                            uint32_t nr) {
    uint32_t taken = 0;

    for (uint32_t i = 0; i < nr; i++)
        taken += bytes_in(&job[i]) >= a->c.queue.min_job;
    if (taken)
        sim_charge(cpu, a->c.queue.doorbell_ns);
    return taken;
}

static uint32_t next_device(struct accel *a, const struct sim_cpu *cpu, uint8_t op) {
    struct queue *q = a->priv;
    uint32_t per_package = a->c.devices / a->c.packages;
    uint32_t own = RF_MIN(cpu->id / RF_MAX(a->cpus / a->c.devices, 1), a->c.devices - 1);

    if (!a->c.policy[op].distribute)
        return own;
    return own / per_package * per_package + q->cursor[cpu->id * NR_ACCEL_OPS + op]++ % per_package;
}

static void queue_place(struct accel *a, struct sim_cpu *cpu, struct accel_job *job) {
    const struct accel_queue_desc *desc = &a->c.queue;
    struct queue *q = a->priv;
    uint32_t d = next_device(a, cpu, job->op);
    struct queue_device *dev = &q->device[d];
    uint32_t bytes = bytes_in(job);

    job->device = (uint8_t)d;
    if (bytes < desc->min_job) {
        accel_none.place(a, cpu, job);
        accel_count_software(a, job);
        return;
    }
    if (!entry_list_wait(&dev->entries, a, cpu, &a->c.policy[job->op], RETRY_NS, job))
        return;
    sim_charge(cpu, desc->submit_ns);
    job->at = cpu->now;
    engine_pool_serve(&dev->engines, a, job,
                      desc->setup_ns[job->op] + desc->byte_ps[job->op] * bytes / 1000, 0,
                      dev->engines.nr);
    job->end += desc->complete_ns;
    if (desc->ordered) {
        job->end = RF_MAX(job->end, dev->last_end[job->op]);
        dev->last_end[job->op] = job->end;
    }
    entry_list_take(&dev->entries, a, job->at, job->end);
    if (desc->fail_ppm && rf_rng_below(&q->rng, 1000000) < desc->fail_ppm)
        job->status = ACCEL_EINVAL;
    else if (job->op == ACCEL_COMPRESS && desc->max_out && job->len > desc->max_out)
        job->status = ACCEL_EOVERFLOW;
}

const struct accel_ops accel_queue = {
    .name = "queue",
    .create = queue_create,
    .destroy = queue_destroy,
    .place = queue_place,
    .begin = queue_begin,
};
