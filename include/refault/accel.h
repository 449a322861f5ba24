/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accel: engines that compress and decompress pages for the CPU. A model is one struct accel_ops in
 * a file of its own, listed in src/accel/registry.c: "none" (the CPU does it), "iaa" (Intel's
 * In-Memory Analytics Accelerator under the kernel's iaa_crypto driver) and "queue" (described by
 * numbers alone). A model decides where a job queues and when it is served; submitting, waiting,
 * batches, verification, software fallback and statistics are common (src/accel/accel.c).
 * docs/accelerators.md says how to write one.
 */
#ifndef REFAULT_ACCEL_H
#define REFAULT_ACCEL_H

#include "refault/codec.h"
#include "refault/engine.h"

#define ACCEL_MAX_BATCH 32u
#define ACCEL_MAX_DEVICES 64u
#define ACCEL_MAX_WQS 8u         /* a device */
#define ACCEL_MAX_ENGINES 128u   /* a device */
#define ACCEL_MAX_NS 1000000000u /* of any time of a job */

enum accel_op { ACCEL_COMPRESS, ACCEL_DECOMPRESS, NR_ACCEL_OPS };

enum accel_status {
    ACCEL_OK,
    ACCEL_SOFTWARE,  /* done, but by the CPU */
    ACCEL_EOVERFLOW, /* compressed length above the room given (-E2BIG) */
    ACCEL_EAGAIN,    /* a compression: no place in the queue and no software to fall back on */
    ACCEL_EINVAL,    /* a compression: the device failed, and no software to fall back on */
};

/* How one learns that a job has ended. */
enum accel_completion {
    ACCEL_SYNC,  /* each job is waited for before the next is submitted; the CPU polls */
    ACCEL_ASYNC, /* all are submitted, then the CPU polls until the last has ended */
    ACCEL_IRQ,   /* the CPU sleeps until an interrupt */
};

/* What is done when the queue takes no more. */
enum accel_full {
    ACCEL_FULL_BLOCK,    /* sleep until there is a place */
    ACCEL_FULL_SPIN,     /* try for ever */
    ACCEL_FULL_SOFTWARE, /* try a number of times, then the CPU does it */
    ACCEL_FULL_ERROR,    /* try a number of times, then -EAGAIN */
};

/* One page. The caller sets the first group, the accelerator the second. */
struct accel_job {
    uint8_t op;      /* enum accel_op */
    uint16_t len;    /* compressed length */
    uint16_t room;   /* of the destination of a compression */
    uint64_t cpu_ns; /* time that the CPU needs for it in software */

    uint8_t status;     /* enum accel_status */
    uint8_t device;     /* that served it; 0 for the CPU */
    uint16_t engine;    /* of that device */
    rf_time at;         /* handed over */
    rf_time start, end; /* of the service; end = when the result can be seen */
};

/* Of one direction. */
struct accel_queue_policy {
    uint8_t full; /* enum accel_full */
    uint32_t retries;
    bool distribute; /* over all devices of the package, else to the CPU's own */
};

/* The "queue" model: a device that exists as numbers only. */
struct accel_queue_desc {
    bool can[NR_ACCEL_OPS];
    uint32_t depth;                  /* jobs in the queue or in service, a device; 0 = any */
    uint64_t setup_ns[NR_ACCEL_OPS]; /* service of a job of no bytes */
    uint64_t byte_ps[NR_ACCEL_OPS];  /* and of each byte: of the page to compress, or of the
                                        compressed data to decompress */
    uint64_t submit_ns;              /* of the CPU, a job */
    uint64_t doorbell_ns;            /* of the CPU, a batch */
    uint64_t complete_ns;            /* from the end of the service until it can be seen */
    uint64_t wake_ns;                /* of the CPU, a wait that slept */
    uint32_t min_job;                /* smaller jobs are the CPU's; bytes */
    uint32_t max_out;                /* longest result of a compression; bytes */
    bool ordered;                    /* results are seen in the order of submission */
    bool software;                   /* a software twin takes over what fails */
    uint32_t fail_ppm;               /* jobs in a million that the device fails */
};

/* What the "iaa" model charges, a section of the cost profile. */
struct accel_cost {
    uint64_t compress_ns;       /* service of 4096 bytes on one engine */
    uint64_t decompress_ns;     /* service to 4096 bytes, from 2048 compressed */
    uint64_t submit_ns;         /* of the CPU, a descriptor */
    uint64_t wait_ns;           /* of the CPU on top of each wait, be it for a job or a batch */
    uint64_t irq_ns;            /* of the CPU, on top of that, a wait that slept */
    uint64_t retry_ns;          /* of the CPU, one failed attempt to get a place */
    uint64_t store_ns;          /* of the CPU, zswap's work for a page outside the job */
    uint64_t store_next_ns;     /* the same for each further page of a batch */
    uint32_t parallel_compress; /* compressions that a device serves at once */
    uint32_t dynamic_percent;   /* service of a compression with tables of its own */
};

struct accel_config {
    char model[16];
    uint32_t devices, packages; /* in all; devices are spread evenly over the packages */
    uint32_t engines;           /* a device */
    uint32_t wqs, groups;       /* a device; queue q and engine e belong to group q, e mod groups */
    uint32_t comp_wqs;          /* the last of them are for compression alone, the others for
                                   decompression; 0 = each for both */
    uint32_t wq_size;           /* entries a device, spread evenly over its queues */
    bool wq_shared;             /* else dedicated: descriptors are counted in software */
    uint32_t wq_threshold;      /* occupancy at which a shared queue refuses; 0 = its size */
    uint8_t completion;         /* enum accel_completion */
    bool verify_compress;
    uint32_t batch; /* jobs handed over at once, at most */
    struct accel_queue_policy policy[NR_ACCEL_OPS];
    struct accel_queue_desc queue;
};

struct accel_stats {
    /* Under the names of debugfs iaa-crypto. */
    uint64_t total_comp_calls, total_decomp_calls, total_sw_decomp_calls, total_comp_bytes_out,
        total_decomp_bytes_in, total_completion_einval_errors,
        total_completion_comp_buf_overflow_errors;
    /* What the driver does not count. */
    uint64_t sw_comp_calls;
    uint64_t queue_full;      /* jobs that found no place at first */
    uint64_t retries;         /* further attempts of these */
    uint64_t slept_for_place; /* of these, by sleeping */
    uint64_t eagain;          /* jobs given up */
    uint64_t comp_failed;     /* compressions that neither the device nor the CPU did */
    uint64_t verifies;
    uint64_t busy_ns;                   /* engine time in service */
    uint64_t queue_wait_ns;             /* from the handing over to the start of the service */
    uint64_t poll_ns, sleep_ns;         /* of CPUs, waiting */
    uint64_t fill[ACCEL_MAX_BATCH + 1]; /* batches by number of jobs for the device */
    struct rf_hist wait;                /* of a job in the queue */
};

/* Each job as it was served; for timelines. */
typedef void (*accel_observe_fn)(void *ctx, const struct sim_cpu *cpu, const struct accel_job *job);
/* End of an asynchronous batch, called from an event of the engine. */
typedef void (*accel_end_fn)(void *ctx, uint64_t arg, rf_time when);

struct accel_params {
    const struct accel_config *config;
    const struct accel_cost *cost;
    enum codec_id codec; /* that pages are compressed with */
    uint32_t cpus;
    uint64_t seed; /* of failures */
    struct engine *eng;
};

struct accel;

struct accel_ops {
    const char *name;
    /* 0 or RF_EUSAGE, RF_ENOMEM. The common part is filled in; sets a->priv and a's capabilities.
     */
    int (*create)(const struct accel_params *p, struct accel *a, struct rf_err *err);
    void (*destroy)(struct accel *a);
    /*
     * Hands one job over at cpu->now: charges what that takes, and sets device, engine, at, start,
     * end and status. A job that finds no place ends by policy; the common part turns EAGAIN and
     * EINVAL of a decompression into SOFTWARE, those of a compression if the model has a twin.
     */
    void (*place)(struct accel *a, struct sim_cpu *cpu, struct accel_job *job);
    /* Once before the jobs of a batch: how many are for the device. NULL: all. */
    uint32_t (*begin)(struct accel *a, struct sim_cpu *cpu, const struct accel_job *job,
                      uint32_t nr);
};

/* NULL-terminated. */
const struct accel_ops *const *accel_registry(void);
/* NULL for an unknown name. */
const struct accel_ops *accel_find(const char *name);

/* RF_EUSAGE for an unknown model or numbers that make no device, RF_ENOMEM. accel_destroy() takes
 * NULL, too. */
int accel_create(const struct accel_params *p, struct accel **out,
                 struct rf_err *err) RF_MUST_CHECK;
void accel_destroy(struct accel *a);
/* Whether pages of its codec go to a device in this direction. */
bool accel_offloads(const struct accel *a, enum accel_op op);
/* Jobs that are worth handing over at once; 1 where there is no batch. NULL counts as "none". */
uint32_t accel_batch(const struct accel *a);
/* CPU time in ns of a store outside the job, for the first page of a batch or a further one. */
uint64_t accel_store_ns(const struct accel *a, bool further);

/*
 * Does n jobs for cpu, all of one direction, and returns when the last has ended: batch by batch,
 * in the order given. Time that the CPU polls is system time, time that it sleeps is idle time: no
 * other task runs meanwhile. With NULL the CPU does them one by one.
 */
void accel_run(struct accel *a, struct sim_cpu *cpu, struct accel_job *job, uint32_t n);
/* Hands n <= accel_batch() jobs over and goes on; end is called when the last has ended. The jobs
 * have their results at once. RF_ENOMEM. */
int accel_submit(struct accel *a, struct sim_cpu *cpu, struct accel_job *job, uint32_t n,
                 accel_end_fn end, void *ctx, uint64_t arg) RF_MUST_CHECK;

/* Shows every job as it ends; NULL ends that. Changes no result. */
void accel_observe(struct accel *a, accel_observe_fn fn, void *ctx);
const struct accel_stats *accel_stats(const struct accel *a);

#endif
