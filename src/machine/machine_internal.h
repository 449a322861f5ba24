/* SPDX-License-Identifier: Apache-2.0 */
/* machine: wires one machine from a config, and drives it. */
#ifndef MACHINE_INTERNAL_H
#define MACHINE_INTERNAL_H

#include "../mm/mm_internal.h"
#include "refault/machine.h"
#include "tlb.h"

enum stream_wait { SW_NONE, SW_IO, SW_DELAY, SW_CHILD, SW_STARVED };

/* What a stream does besides accesses; queued in order with them. */
enum ctl_kind {
    CTL_PROCESS,
    CTL_MAP,
    CTL_UNMAP,
    CTL_DONTNEED,
    CTL_KSM,
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

/* Slots in swap that operations ahead refer to, found and not yet reached (lookahead.h). */
#define LOOKAHEAD_MAX 128u
struct lookahead {
    size_t fetched, looked;       /* positions: entries fetched, entries looked at */
    uint32_t links, object, last; /* ring: before links done, to object half done, to last found */
    size_t at[LOOKAHEAD_MAX];
    uint32_t slot[LOOKAHEAD_MAX];
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
    struct lookahead ahead;
    struct fault_ctx ctx;
    enum stream_wait wait;
    rf_time blocked_at;
    uint32_t wait_pid, retries;
    struct stream *next_io; /* of the list of those that wait for a folio */
    /* Used only with several CPUs: words and control records to come. */
    uint32_t *buf;
    size_t cap;
    struct ctl *ctl;
    size_t ctl_pos, ctl_n, ctl_cap;
    bool declared;      /* its start was fed */
    bool exit_fed;      /* and then its end */
    bool start_queued;  /* its parent's queue holds the CTL_START, or it needs none */
    bool started, done; /* state of the simulated process */
    bool is_live;       /* it is one of machine.live */
    uint32_t parent;    /* RF_NONE: starts by itself */
    uint32_t forming;   /* the child whose mappings are being made, RF_NONE if none */
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
    struct accel *accel; /* NULL if none */
    struct tlb *tlb;     /* one a CPU; NULL: none is modelled */
    struct sim_task kswapd, worker;
    bool worker_queued, worker_active, in_worker;
    rf_time worker_from;    /* when it may take the CPU from the reclaimer */
    struct stream **stream; /* [0] only with one CPU, else by pid */
    uint32_t nr_streams, cap_streams;
    uint32_t *live; /* pids of streams that run or wait, ascending; most of a long trace's do not */
    uint32_t nr_live;
    uint32_t cur_pid;
    struct stream *io_first, *io_last; /* those that wait for a folio, in the order of waiting */
    size_t queued;                     /* words in all queues */
    size_t queue_limit;                /* at this many words the engine must catch up */
    uint32_t nr_active;                /* streams that the engine can bring on without more words */
    rf_time frontier;                  /* the machine has been simulated up to here */
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
/* Lets the engine run until a stream asks for a stop. */
int run_pump(struct machine *m, struct rf_err *err) RF_MUST_CHECK;
/* The error that ended the run, if any. */
int run_result(struct machine *m, struct rf_err *err) RF_MUST_CHECK;
void run_fail(struct machine *m, int code, const char *msg);

/* queue.c: several CPUs. */
#define QUEUE_HIGH ((size_t)1 << 20) /* words queued ahead before the engine must catch up */
/* Appends operation words to pid's queue and lets the engine catch up. */
int queue_ops(struct machine *m, uint32_t pid, const uint32_t *ops, size_t n,
              struct rf_err *err) RF_MUST_CHECK;
/* Appends a control record where the order of the trace wants it. */
int queue_control(struct machine *m, uint32_t pid, const struct ctl *c,
                  struct rf_err *err) RF_MUST_CHECK;
int queue_process(struct machine *m, uint32_t pid, uint32_t parent,
                  struct rf_err *err) RF_MUST_CHECK;
/* A process begins to do something that follows its birth; RF_EINPUT if it was never born. */
int queue_begin(struct machine *m, uint32_t pid, struct rf_err *err) RF_MUST_CHECK;
/* Runs all that is queued; RF_ECHECK if a stream cannot get to its end. */
int queue_drain(struct machine *m, struct rf_err *err) RF_MUST_CHECK;
/* Executes CTL_START and CTL_EXIT for the streams concerned. */
/* The stream may run from now on, until queue_exited(). */
void queue_live(struct machine *m, struct stream *s);
void queue_start(struct machine *m, uint32_t pid, rf_time when);
void queue_exited(struct machine *m, uint32_t pid, rf_time when);
int do_control(struct machine *m, struct sim_cpu *cpu, const struct ctl *c,
               struct rf_err *err) RF_MUST_CHECK;
/* Runs the zswap shrink worker, if it has work, until done or the horizon; true if work is left. */
bool run_worker(struct machine *m, struct sim_cpu *cpu, rf_time horizon);
extern const struct mm_wait_ops machine_wait_ops;

#endif
