/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intel IAA under the kernel's iaa_crypto driver. Devices have work queues and engines, tied
 * together by groups; each CPU has a table of work queues for either direction and takes them in
 * turn. Facts: drivers/crypto/intel/iaa/iaa_crypto_main.c, drivers/dma/idxd/submit.c 6.12,
 * Documentation/driver-api/crypto/iaa/iaa-crypto.rst 6.12, and the cover letters of "zswap
 * compression batching with optimized iaa_crypto driver" (K. P. Sridhar, v1 Oct 2024 to v14 Jan
 * 2026) for batches, distribution, retries and the dynamic mode.
 *
 * A device serves fewer compressions at once than it has engines: the published latencies of
 * batches of eight on one device fit two (cost.accel.parallel_compress).
 */
#include <stdlib.h>
#include "accel_int.h"

#define IAA_MAX_BATCH 8u
#define IAA_MAX_WQ_ENTRIES 128u

struct iaa_device {
    struct engine_pool group[ACCEL_MAX_WQS];
    struct entry_list wq[ACCEL_MAX_WQS];
};

struct iaa {
    struct iaa_device *device;
    uint32_t *cursor; /* of each CPU and direction, in its table */
};

static void iaa_destroy(struct accel *a) {
    struct iaa *iaa = a->priv;

    if (!iaa)
        return;
    for (uint32_t d = 0; iaa->device && d < a->c.devices; d++) {
        for (uint32_t i = 0; i < ACCEL_MAX_WQS; i++) {
            engine_pool_free(&iaa->device[d].group[i]);
            entry_list_free(&iaa->device[d].wq[i]);
        }
    }
    free(iaa->device);
    free(iaa->cursor);
    free(iaa);
}

static int check(const struct accel_config *c, struct rf_err *err) {
    if (c->wqs < 1 || c->wqs > ACCEL_MAX_WQS || c->comp_wqs >= RF_MAX(c->wqs, 2) || c->groups < 1 ||
        c->groups > c->wqs || c->groups > c->engines)
        return rf_fail(err, RF_EUSAGE,
                       "accel.wqs %u, accel.comp_wqs %u, accel.groups %u, accel.engines %u: "
                       "expected 1 to %u queues "
                       "a device, fewer of them for compression alone, and at most as many groups "
                       "as queues and engines",
                       c->wqs, c->comp_wqs, c->groups, c->engines, ACCEL_MAX_WQS);
    if (c->comp_wqs && c->comp_wqs >= c->wqs)
        return rf_fail(err, RF_EUSAGE, "accel.comp_wqs %u: of %u queues none is left to decompress",
                       c->comp_wqs, c->wqs);
    if (c->wq_size < c->wqs || c->wq_size > IAA_MAX_WQ_ENTRIES)
        return rf_fail(err, RF_EUSAGE,
                       "accel.wq_size %u: a device has %u entries, and each of its %u queues needs "
                       "one",
                       c->wq_size, IAA_MAX_WQ_ENTRIES, c->wqs);
    return RF_OK;
}

/* Entry i of n things dealt out to nr: how many i gets. */
static uint32_t deal(uint32_t n, uint32_t nr, uint32_t i) {
    return n / nr + (i < n % nr);
}

static int iaa_create(const struct accel_params *p, struct accel *a, struct rf_err *err) {
    const struct accel_config *c = &a->c;
    struct iaa *iaa;
    int rc = check(c, err);

    if (rc)
        return rc;
    bool mine = p->codec == CODEC_DEFLATE_IAA || p->codec == CODEC_DEFLATE_IAA_DYN;
    a->offloads[ACCEL_COMPRESS] = a->offloads[ACCEL_DECOMPRESS] = mine;
    a->software = true;
    a->completion = c->completion;
    a->batch = c->completion == ACCEL_SYNC || !mine ? 1 : RF_MIN(c->batch, IAA_MAX_BATCH);
    a->longest_first = true;
    a->verifies = c->verify_compress;
    a->wait_ns = a->cost.wait_ns;
    a->wake_ns = a->cost.irq_ns + a->cost.wait_ns;
    iaa = a->priv = calloc(1, sizeof(*iaa));
    if (iaa) {
        iaa->device = calloc(c->devices, sizeof(*iaa->device));
        iaa->cursor = calloc((size_t)p->cpus * NR_ACCEL_OPS, sizeof(*iaa->cursor));
    }
    if (!iaa || !iaa->device || !iaa->cursor)
        return rf_fail(err, RF_ENOMEM, "no memory for an accelerator");
    for (uint32_t d = 0; d < c->devices; d++) {
        for (uint32_t g = 0; g < c->groups; g++) {
            rc = engine_pool_init(&iaa->device[d].group[g], deal(c->engines, c->groups, g), err);
            if (rc)
                return rc;
        }
        for (uint32_t w = 0; w < c->wqs; w++) {
            uint32_t size = deal(c->wq_size, c->wqs, w);
            if (c->wq_shared && c->wq_threshold)
                size = RF_MIN(size, c->wq_threshold);
            iaa->device[d].wq[w].size = size;
        }
    }
    return RF_OK;
}

/* The work queue whose turn it is for this CPU, and its device. */
static struct entry_list *next_wq(struct accel *a, const struct sim_cpu *cpu, enum accel_op op,
                                  uint32_t *device, uint32_t *wq) {
    const struct accel_config *c = &a->c;
    struct iaa *iaa = a->priv;
    uint32_t *cursor = &iaa->cursor[cpu->id * NR_ACCEL_OPS + op];
    uint32_t per_package = c->devices / c->packages;
    uint32_t cpus_per_iaa = RF_MAX(a->cpus / c->devices, 1);
    uint32_t own = RF_MIN(cpu->id / cpus_per_iaa, c->devices - 1);
    uint32_t first_wq = op == ACCEL_COMPRESS && c->comp_wqs ? c->wqs - c->comp_wqs : 0;
    uint32_t nr_wqs = !c->comp_wqs           ? c->wqs
                      : op == ACCEL_COMPRESS ? c->comp_wqs
                                             : c->wqs - c->comp_wqs;
    uint32_t nr_devices = c->policy[op].distribute ? per_package : 1;
    uint32_t first = c->policy[op].distribute ? own / per_package * per_package : own;
    uint32_t turn = (*cursor)++ % (nr_devices * nr_wqs);

    *device = first + turn % nr_devices;
    *wq = first_wq + turn / nr_devices;
    return &iaa->device[*device].wq[*wq];
}

/* Half of the time is the job's, half goes with its bytes: those read to compress, those read to
 * decompress against half a page. */
static uint64_t service_ns(const struct accel *a, const struct accel_job *job) {
    if (job->op == ACCEL_COMPRESS)
        return a->codec == CODEC_DEFLATE_IAA_DYN
                   ? a->cost.compress_ns * a->cost.dynamic_percent / 100
                   : a->cost.compress_ns;
    return a->cost.decompress_ns / 2 + a->cost.decompress_ns / 2 * job->len / (RF_PAGE_SIZE / 2);
}

static void iaa_place(struct accel *a, struct sim_cpu *cpu, struct accel_job *job) {
    struct iaa *iaa = a->priv;
    uint32_t d, w;
    struct entry_list *wq = next_wq(a, cpu, (enum accel_op)job->op, &d, &w);

    if (!entry_list_wait(wq, a, cpu, &a->c.policy[job->op], a->cost.retry_ns, job))
        return;
    sim_charge(cpu, a->cost.submit_ns);
    job->at = cpu->now;
    job->device = (uint8_t)d;
    uint32_t g = w % a->c.groups;
    struct engine_pool *p = &iaa->device[d].group[g];
    uint32_t nr = p->nr;
    if (job->op == ACCEL_COMPRESS)
        nr = RF_MIN(nr, RF_MAX(deal(a->cost.parallel_compress, a->c.groups, g), 1));
    engine_pool_serve(p, a, job, service_ns(a, job), 0, nr);
    entry_list_take(wq, a, job->at, job->end);
}

const struct accel_ops accel_iaa = {
    .name = "iaa",
    .create = iaa_create,
    .destroy = iaa_destroy,
    .place = iaa_place,
};
