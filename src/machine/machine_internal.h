/* SPDX-License-Identifier: Apache-2.0 */
/* machine: wires one machine from a config, and drives it. */
#ifndef MACHINE_INTERNAL_H
#define MACHINE_INTERNAL_H

#include "../mm/mm_internal.h"
#include "refault/machine.h"

enum stream_wait { SW_NONE, SW_IO, SW_DELAY, SW_CHILD, SW_STARVED };

/* What a stream does besides accesses; queued in order with them. */
enum ctl_kind {
    CTL_MAP,
    CTL_UNMAP,
    CTL_DONTNEED,
    CTL_FORK,
    CTL_EXIT,
    CTL_EXEC,
    CTL_COMPUTE,
    CTL_START,
    CTL_WAIT
};
struct ctl {
    uint8_t kind;
    uint32_t pid, vma, first, n, flags;
    uint64_t vpn, value;
};

/*
 * A sequence of operations that one simulated task performs. With one CPU there is a single stream
 * in trace order; with several each process has its own, filled ahead of its execution.
 */
struct stream {
    struct machine *m;
    struct sim_task task;
    uint32_t pid;
    bool own_queue;
    const uint32_t *ops; /* of the caller, or the queue's buffer */
    size_t pos, n;
    struct fault_ctx ctx;
    enum stream_wait wait;
    rf_time blocked_at;
    uint32_t wait_pid;
    /* queue: words and control records, used only with several CPUs */
    uint32_t *buf;
    size_t cap;
    struct ctl *ctl;
    size_t ctl_pos, ctl_n, ctl_cap;
    bool started, start_queued, done;
    uint32_t parent;
};

struct machine {
    struct machine_config c;
    struct content_set *cs;
    struct engine *eng;
    struct mm *mm;
    struct swap_area *swap;
    struct blk_dev *blk;
    struct zram *zram;
    struct zswap *zswap;
    struct sim_task kswapd, worker;
    bool worker_queued, worker_active, in_worker;
    rf_time worker_from;    /* when it may take the CPU from the reclaimer */
    struct stream **stream; /* [0] only with one CPU, else by pid */
    uint32_t nr_streams, cap_streams;
    uint32_t cur_pid;
    size_t queued; /* words in all queues */
    bool stop, need_resched, finishing;
    bool access_cost;
    bool ended; /* by OOM or error: no more operations */
    struct rf_err run_err;
    enum machine_outcome outcome;
    uint64_t ops_done;
};

/* run.c */
int run_init(struct machine *m, struct rf_err *err) RF_MUST_CHECK;
void run_destroy(struct machine *m);
struct stream *run_stream(struct machine *m, uint32_t pid);
/* Executes or queues a control record for pid. */
int run_control(struct machine *m, uint32_t pid, const struct ctl *c,
                struct rf_err *err) RF_MUST_CHECK;
int do_control(struct machine *m, struct sim_cpu *cpu, const struct ctl *c,
               struct rf_err *err) RF_MUST_CHECK;
#define SLICE_NS 3000000u /* kernel/sched/fair.c: 0.75 ms scaled up to 3 ms */
/* Runs the zswap shrink worker, if it has work, until done or the horizon; true if work is left. */
bool run_worker(struct machine *m, struct sim_cpu *cpu, rf_time horizon);
extern const struct mm_wait_ops machine_wait_ops;

#endif
