/* SPDX-License-Identifier: Apache-2.0 */
/* No accelerator: the CPU compresses and decompresses. */
#include "accel_int.h"

static int none_create(const struct accel_params *p, struct accel *a, struct rf_err *err) {
    (void)p;
    (void)a;
    (void)err;
    return RF_OK;
}

static void none_destroy(struct accel *a) {
    (void)a;
}

static void none_place(struct accel *a, struct sim_cpu *cpu, struct accel_job *job) {
    (void)a;
    job->at = job->start = cpu->now;
    sim_charge(cpu, job->cpu_ns);
    job->end = cpu->now;
    job->status = ACCEL_SOFTWARE;
}

const struct accel_ops accel_none = {
    .name = "none",
    .create = none_create,
    .destroy = none_destroy,
    .place = none_place,
};
