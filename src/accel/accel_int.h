/* SPDX-License-Identifier: Apache-2.0 */
/* Private to src/accel: the common part of an accelerator, and places where jobs queue. */
#ifndef ACCEL_INT_H
#define ACCEL_INT_H

#include "refault/accel.h"
#include "refault/calendar.h"

struct accel {
    const struct accel_ops *ops;
    struct accel_config c;
    struct accel_cost cost;
    enum codec_id codec;
    uint32_t cpus;
    struct engine *eng;
    void *priv;
    /* Capabilities, set by the model. */
    bool offloads[NR_ACCEL_OPS];
    bool software;      /* the CPU compresses what fails */
    bool longest_first; /* a decompression batch starts with its two longest */
    bool verifies;      /* each result of a compression is decompressed again */
    uint8_t completion; /* enum accel_completion */
    uint32_t batch;
    uint64_t wait_ns, wake_ns; /* of the CPU on top of a wait: one that polled, one that slept */
    struct accel_stats s;
    accel_observe_fn observe;
    void *observe_ctx;
};

/* ---- place.c: engines and queue entries ---- */

/* Engines that take the jobs of the same queues. */
struct engine_pool {
    struct sim_calendar *engine;
    uint32_t nr, prune_at;
};
int engine_pool_init(struct engine_pool *p, uint32_t nr, struct rf_err *err) RF_MUST_CHECK;
void engine_pool_free(struct engine_pool *p);
/* Serves a job for `service` on one of the engines [from, from + nr), the one that is free first:
 * sets engine, start and end of the job, and the statistics. */
void engine_pool_serve(struct engine_pool *p, struct accel *a, struct accel_job *job,
                       uint64_t service, uint32_t from, uint32_t nr);

/* Entries of one queue: taken from submission to the end of the service. */
struct entry_list {
    struct sim_span *v; /* of those that are or will be taken, unordered */
    uint32_t n, cap, size;
};
void entry_list_free(struct entry_list *l);
/*
 * Waits on cpu for an entry as policy says: true with a place, false with job->status set to
 * ACCEL_EAGAIN. The policy `software` also ends in EAGAIN; the common part does the rest.
 */
bool entry_list_wait(struct entry_list *l, struct accel *a, struct sim_cpu *cpu,
                     const struct accel_queue_policy *policy, uint64_t retry_ns,
                     struct accel_job *job);
/* Takes an entry from at to end; without memory it is not counted. */
void entry_list_take(struct entry_list *l, const struct accel *a, rf_time at, rf_time end);

/* Counts a job that the CPU did beside the device. */
void accel_count_software(struct accel *a, const struct accel_job *job);

/* The CPU idles until t. */
void accel_sleep_until(struct accel *a, struct sim_cpu *cpu, rf_time t);

extern const struct accel_ops accel_none, accel_iaa, accel_queue;

#endif
