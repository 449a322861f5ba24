/* SPDX-License-Identifier: Apache-2.0 */
/* Process and mapping events of a trace: executed at once, or queued in their process' stream. */
#include "machine_internal.h"

#define TEST_MEMCG 1u /* the cgroup that the memory.* knobs describe; every process is in it */

/* A fork takes the right to store away from the parent's pages, and a wide range goes at once. */
static void flush_tlbs(struct machine *m, const struct ctl *c) {
    bool range = c->kind == CTL_UNMAP || c->kind == CTL_DONTNEED;

    if (c->kind == CTL_FORK || c->kind == CTL_EXEC || (range && c->n > TLB_FLUSH_CEILING))
        for (uint32_t i = 0; i < m->c.cpus; i++)
            tlb_flush(&m->tlb[i]);
}

int do_control(struct machine *m, struct sim_cpu *cpu, const struct ctl *c, struct rf_err *err) {
    struct mm *mm = m->mm;

    mm->cur = cpu;
    if (m->tlb)
        flush_tlbs(m, c);
    switch ((enum ctl_kind)c->kind) {
    case CTL_PROCESS:
        return space_process(mm, cpu, c->pid, TEST_MEMCG, c->value, err);
    case CTL_MAP:
        return space_map(mm, c->pid, c->vma, c->first, c->n, c->vpn, c->flags, err);
    case CTL_UNMAP:
        return space_zap(mm, cpu, c->first, c->n, true, err);
    case CTL_DONTNEED:
        return space_zap(mm, cpu, c->first, c->n, false, err);
    case CTL_KSM:
        return wp_mark_ksm(mm, c->first, c->n, err);
    case CTL_FORK:
        return space_fork_block(mm, cpu, c->first >> 9, c->n >> 9, err);
    case CTL_EXIT:
        return space_exit(mm, cpu, c->pid, false, err);
    case CTL_EXEC:
        return space_exit(mm, cpu, c->pid, true, err);
    case CTL_COMPUTE:
        sim_charge_user(cpu, c->value);
        return RF_OK;
    case CTL_START:
    case CTL_WAIT:
        break;
    }
    return RF_OK;
}

/* Executes an event of process pid, or queues it. */
static int control(struct machine *m, uint32_t pid, const struct ctl *c, struct rf_err *err) {
    if (m->ended)
        return run_result(m, err);
    if (m->c.cpus > 1)
        return queue_control(m, pid, c, err);
    return do_control(m, engine_cpu(m->eng, 0), c, err);
}

int machine_process(struct machine *m, uint32_t pid, uint32_t parent, struct rf_err *err) {
    struct ctl c = {.kind = CTL_PROCESS, .pid = pid, .value = parent != RF_NONE && parent != pid};

    if (m->ended)
        return run_result(m, err);
    if (m->c.cpus > 1)
        return queue_process(m, pid, parent, err);
    return do_control(m, engine_cpu(m->eng, 0), &c, err);
}

int machine_map(struct machine *m, uint32_t pid, uint32_t vma, uint32_t first, uint32_t n,
                uint64_t vpn, uint32_t flags, struct rf_err *err) {
    struct ctl c = {.kind = CTL_MAP,
                    .pid = pid,
                    .vma = vma,
                    .first = first,
                    .n = n,
                    .vpn = vpn,
                    .flags = flags};
    return control(m, pid, &c, err);
}

int machine_unmap(struct machine *m, uint32_t pid, uint32_t first, uint32_t n, struct rf_err *err) {
    struct ctl c = {.kind = CTL_UNMAP, .pid = pid, .first = first, .n = n};
    return control(m, pid, &c, err);
}

int machine_dontneed(struct machine *m, uint32_t first, uint32_t n, struct rf_err *err) {
    struct ctl c = {.kind = CTL_DONTNEED, .pid = m->cur_pid, .first = first, .n = n};
    return control(m, m->cur_pid, &c, err);
}

int machine_mark_ksm(struct machine *m, uint32_t first, uint32_t n, struct rf_err *err) {
    struct ctl c = {.kind = CTL_KSM, .pid = m->cur_pid, .first = first, .n = n};
    return control(m, m->cur_pid, &c, err);
}

int machine_fork_block(struct machine *m, uint32_t child, uint32_t child_block, uint32_t parent,
                       uint32_t parent_block, struct rf_err *err) {
    struct ctl c = {
        .kind = CTL_FORK, .pid = child, .first = child_block << 9, .n = parent_block << 9};
    /* Copied on the parent's time. */
    return control(m, parent, &c, err);
}

int machine_exit(struct machine *m, uint32_t pid, bool exec, struct rf_err *err) {
    struct ctl c = {.kind = exec ? CTL_EXEC : CTL_EXIT, .pid = pid};
    return control(m, pid, &c, err);
}

int machine_wait(struct machine *m, uint32_t pid, uint32_t child, struct rf_err *err) {
    struct ctl c = {.kind = CTL_WAIT, .pid = child};
    return control(m, pid, &c, err);
}

int machine_switch(struct machine *m, uint32_t pid, struct rf_err *err) {
    if (m->c.cpus > 1) {
        int r = m->ended ? RF_OK : queue_begin(m, pid, err);
        if (r)
            return r;
    } else if (pid >= m->mm->nr_procs) {
        return rf_fail(err, RF_EINPUT, "switch to process %u, which does not exist", pid);
    }
    m->cur_pid = pid;
    return RF_OK;
}

int machine_compute(struct machine *m, uint64_t ns, struct rf_err *err) {
    struct ctl c = {.kind = CTL_COMPUTE, .pid = m->cur_pid, .value = ns * 100 / m->c.cpu_speed};
    return control(m, m->cur_pid, &c, err);
}
