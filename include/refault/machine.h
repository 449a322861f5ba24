/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine: one simulated machine, wired from a config. All simulated state hangs off it; machines
 * share nothing but the (thread-safe) content set.
 *
 * Driving it: the caller feeds operations of one process after the other in trace order
 * (machine_run), or events (machine_map, machine_fork, ...). Operation words are those of
 * refault/trace.h: page id, OP_WRITE, OP_CONTENT.
 */
#ifndef REFAULT_MACHINE_H
#define REFAULT_MACHINE_H

#include "refault/config.h"
#include "refault/observe.h"

struct machine;

enum machine_outcome { MACHINE_DONE, MACHINE_OOM };

/* c is copied, cs is borrowed. RF_ENOMEM, or RF_EUSAGE or RF_ELIMIT for a configuration
 * that makes no machine; the message names the knob. machine_destroy() takes NULL, too. */
int machine_create(const struct machine_config *c, struct content_set *cs, struct machine **out,
                   struct rf_err *err) RF_MUST_CHECK;
void machine_destroy(struct machine *m);

/* Process and mapping events; pid, vma and ids as in the trace. 0 or a negative code. */
int machine_process(struct machine *m, uint32_t pid, uint32_t parent,
                    struct rf_err *err) RF_MUST_CHECK;
/* Pages [first, first + n) of VMA `vma` of pid, first at virtual page vpn. */
int machine_map(struct machine *m, uint32_t pid, uint32_t vma, uint32_t first, uint32_t n,
                uint64_t vpn, uint32_t flags, struct rf_err *err) RF_MUST_CHECK;
/* The ids belong to no mapping any more. */
int machine_unmap(struct machine *m, uint32_t pid, uint32_t first, uint32_t n,
                  struct rf_err *err) RF_MUST_CHECK;
/* MADV_DONTNEED: pages and slots are given back, the ids stay mapped. */
int machine_dontneed(struct machine *m, uint32_t first, uint32_t n,
                     struct rf_err *err) RF_MUST_CHECK;
/* The resident pages of [first, first + n) become KSM pages: any store copies them. */
int machine_mark_ksm(struct machine *m, uint32_t first, uint32_t n,
                     struct rf_err *err) RF_MUST_CHECK;
/* The child's block copies the parent's. */
int machine_fork_block(struct machine *m, uint32_t child, uint32_t child_block, uint32_t parent,
                       uint32_t parent_block, struct rf_err *err) RF_MUST_CHECK;
/* pid ends, or with exec goes on without its mappings. */
int machine_exit(struct machine *m, uint32_t pid, bool exec, struct rf_err *err) RF_MUST_CHECK;
/* What follows is of pid. */
int machine_switch(struct machine *m, uint32_t pid, struct rf_err *err) RF_MUST_CHECK;
/* The current process computes for ns without touching new pages. */
int machine_compute(struct machine *m, uint64_t ns, struct rf_err *err) RF_MUST_CHECK;
/* pid waits until its child has exited (matters with several CPUs only). */
int machine_wait(struct machine *m, uint32_t pid, uint32_t child, struct rf_err *err) RF_MUST_CHECK;
/* With implicit contents the first store to page p leaves content 1 + p. */
void machine_set_implicit_content(struct machine *m, bool on);
/* Reports faults, reclaim and requests to o, which outlives the machine; changes no result. */
void machine_observe(struct machine *m, const struct observer *o);
/* Whether a recorded operation costs mm.access_ns (traces without pacing), default true. */
void machine_set_access_cost(struct machine *m, bool on);

/*
 * Runs operation words until n are consumed or the run ends by OOM or error. *done gets the words
 * consumed. Returns 0 also for OOM (see machine_outcome()), RF_ECHECK for a failed --verify or
 * --check, RF_EINPUT for an id that is mapped nowhere.
 */
int machine_run(struct machine *m, const uint32_t *ops, size_t n, size_t *done,
                struct rf_err *err) RF_MUST_CHECK;
/* Lets pending I/O and kernel threads finish. */
int machine_settle(struct machine *m, struct rf_err *err) RF_MUST_CHECK;
/* Exits all processes; with --check nothing may be left afterwards. */
int machine_teardown(struct machine *m, struct rf_err *err) RF_MUST_CHECK;
/* All invariants now; RF_ECHECK names the first that fails. */
int machine_check(struct machine *m, struct rf_err *err) RF_MUST_CHECK;

enum machine_outcome machine_outcome(const struct machine *m);
/* With --verify: pages that were read back from zswap and zram, and were what had been stored. */
uint64_t machine_verified(const struct machine *m);
/* The latest clock of all CPUs. */
rf_time machine_now(const struct machine *m);
/* Up to when a process has been simulated; with one CPU all are one stream. */
rf_time machine_process_now(const struct machine *m, uint32_t pid);
/* The configuration with everything that depends on the trace filled in; the machine's. */
const struct machine_config *machine_config_of(const struct machine *m);

/*
 * Everything that can be read, as flat dotted names. kind says in which object of the result the
 * value belongs. Called in no particular order; the reporter sorts.
 */
enum machine_value_kind {
    MV_COUNTER,
    MV_TIME,
    MV_X,
    MV_X_SIGNED /* as MV_X, but the value is an int64_t */
};
typedef void (*machine_value_fn)(void *ctx, enum machine_value_kind kind, const char *name,
                                 uint64_t value);
void machine_values(const struct machine *m, machine_value_fn fn, void *ctx);
/* Latencies of faults in ns, by kind: "fault.minor", "fault.device", ... */
typedef void (*machine_hist_fn)(void *ctx, const char *name, const struct rf_hist *h);
void machine_hists(const struct machine *m, machine_hist_fn fn, void *ctx);
const struct zswap *machine_zswap(const struct machine *m); /* NULL if none */
const struct zram *machine_zram(const struct machine *m);   /* NULL if none */
const struct blk_dev *machine_blk(const struct machine *m); /* NULL with zram */
/* Of any page id: 1 = mapped and resident, 2 = in swap, 0 = neither. */
uint8_t machine_page_state(const struct machine *m, uint32_t id);

#endif
