/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several CPUs: every process has a queue of its own, filled in trace order ahead of the simulated
 * time. What two processes do in an order that matters goes through one queue: a child is made and
 * its pages are copied in its parent's, which then starts it.
 *
 * The engine catches up at fixed numbers of queued words, so that it makes no difference in which
 * pieces the caller feeds the trace.
 */
#include <stdlib.h>
#include "machine_internal.h"
#include "refault/trace_ops.h"

#define QUEUE_MOST ((size_t)1 << 26) /* words that may wait in all queues together */
#define PIDS_MAX (1u << 22)

/* The stream has words to run; its CPU may have been idle, and time does not go back. */
static void kick(struct machine *m, struct stream *s, rf_time when) {
    if (!s->started || s->wait != SW_STARVED || s->pos >= s->n)
        return;
    s->wait = SW_NONE;
    m->nr_active++;
    task_wake(m->eng, &s->task, RF_MAX(when, s->blocked_at));
}

static uint32_t gcd(uint32_t a, uint32_t b) {
    while (b) {
        uint32_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

/* The CPU that is looked at as number i. Spread: steps of the golden section of all CPUs, so that
 * each part of the machine has its share of however few processes. */
static uint32_t candidate(const struct machine_config *c, uint32_t i) {
    uint32_t step = 1;

    if (c->placement == PLACE_SPREAD && c->cpus > 1) {
        step = RF_MAX(c->cpus * 618 / 1000, 1u);
        while (gcd(step, c->cpus) != 1)
            step++;
    }
    return (uint32_t)((uint64_t)i * step % c->cpus);
}

/* Where a new process goes: the CPU with the fewest active ones (kernel/sched/fair.c,
 * find_idlest_cpu()). Its parent does not count: parents soon wait, and then the kernel's idle CPUs
 * take tasks over (newidle_balance()), which the model's do not. */
static uint32_t idlest_cpu(const struct machine *m, const struct stream *but) {
    uint32_t best = 0, least = UINT32_MAX;

    if (m->c.placement == PLACE_BIND)
        return (but->pid ? but->pid - 1 : 0) % m->c.cpus;

    for (uint32_t k = 0; k < m->c.cpus; k++) {
        uint32_t load = 0, c = candidate(&m->c, k);

        for (uint32_t i = 0; i < m->nr_live; i++) {
            const struct stream *s = m->stream[m->live[i]];

            load += s != but && s->pid != but->parent && s->started && !s->done &&
                    s->task.cpu == c && s->wait != SW_STARVED && s->wait != SW_CHILD;
        }
        if (load < least) {
            least = load;
            best = c;
        }
    }
    return best;
}

void queue_live(struct machine *m, struct stream *s) {
    uint32_t i = m->nr_live;

    if (s->is_live)
        return;
    s->is_live = true;
    for (m->nr_live++; i > 0 && m->live[i - 1] > s->pid; i--)
        m->live[i] = m->live[i - 1];
    m->live[i] = s->pid;
}

static void drop_live(struct machine *m, struct stream *s) {
    uint32_t i = 0;

    if (!s->is_live)
        return;
    s->is_live = false;
    while (m->live[i] != s->pid)
        i++;
    m->nr_live--;
    memmove(m->live + i, m->live + i + 1, (m->nr_live - i) * sizeof(*m->live));
}

void queue_start(struct machine *m, uint32_t pid, rf_time when) {
    struct stream *s = m->stream[pid];

    if (s->started)
        return;
    s->started = true;
    queue_live(m, s);
    s->blocked_at = when;
    s->task.cpu = idlest_cpu(m, s);
    kick(m, s, when);
}

void queue_exited(struct machine *m, uint32_t pid, rf_time when) {
    m->stream[pid]->done = true;
    drop_live(m, m->stream[pid]);
    for (uint32_t i = 0; i < m->nr_live; i++) {
        struct stream *s = m->stream[m->live[i]];

        if (s->wait == SW_CHILD && s->wait_pid == pid) {
            s->wait = SW_NONE;
            m->nr_active++;
            task_wake(m->eng, &s->task, when);
        }
    }
}

/* Moves the unread part of a queue to its front and makes room for more words. */
static int make_room(struct stream *s, size_t more, struct rf_err *err) {
    if (s->pos && s->pos * 2 >= s->n) {
        memmove(s->buf, s->buf + s->pos, (s->n - s->pos) * sizeof(*s->buf));
        s->n -= s->pos;
        s->pos = 0;
    }
    if (s->ctl_pos && s->ctl_pos * 2 >= s->ctl_n) {
        memmove(s->ctl, s->ctl + s->ctl_pos, (s->ctl_n - s->ctl_pos) * sizeof(*s->ctl));
        s->ctl_n -= s->ctl_pos;
        s->ctl_pos = 0;
    }
    if (s->n + more > s->cap) {
        size_t want = RF_MAX(RF_MAX(s->cap * 2, s->n + more), 64);
        uint32_t *p = realloc(s->buf, want * sizeof(*p));

        if (!p)
            return rf_fail(err, RF_ENOMEM, "no memory for queued operations");
        s->buf = p;
        s->cap = want;
    }
    s->ops = s->buf;
    return RF_OK;
}

static int catch_up(struct machine *m, struct rf_err *err) {
    while (m->queued >= m->queue_limit && !m->ended) {
        if (m->nr_active == 0) {
            /* All wait for what comes later in the trace. */
            m->queue_limit = m->queued + QUEUE_HIGH / 2;
            break;
        }
        int r = run_pump(m, err);
        if (r)
            return r;
        if (m->queued < QUEUE_HIGH / 2)
            m->queue_limit = QUEUE_HIGH;
    }
    if (m->queued > QUEUE_MOST)
        return rf_fail(err, RF_ELIMIT,
                       "%zu operations are queued for processes that wait for others; the trace's "
                       "processes are too far apart for more than one CPU",
                       m->queued);
    return RF_OK;
}

/* Words of the operations in ops[0..n) up to `most` words, at least one operation. */
static size_t whole_operations(const uint32_t *ops, size_t n, size_t most) {
    size_t i = 0;

    if (n <= most)
        return n;
    do
        i += (ops[i] & OP_CONTENT) ? 2 : 1;
    while (i < most);
    return RF_MIN(i, n);
}

static int append(struct machine *m, struct stream *s, const uint32_t *ops, size_t n,
                  struct rf_err *err) {
    while (n && !m->ended) {
        size_t left = m->queue_limit > m->queued ? m->queue_limit - m->queued : 1;
        size_t now = whole_operations(ops, n, left);
        int r = make_room(s, now, err);

        if (r)
            return r;
        memcpy(s->buf + s->n, ops, now * sizeof(*ops));
        s->n += now;
        m->queued += now;
        ops += now;
        n -= now;
        kick(m, s, m->frontier);
        r = catch_up(m, err);
        if (r)
            return r;
    }
    return RF_OK;
}

static int append_control(struct machine *m, struct stream *s, const struct ctl *c,
                          struct rf_err *err) {
    const uint32_t word = OP_EVENT;

    if (s->ctl_n == s->ctl_cap) {
        size_t want = s->ctl_cap ? s->ctl_cap * 2 : 64;
        struct ctl *p = realloc(s->ctl, want * sizeof(*p));

        if (!p)
            return rf_fail(err, RF_ENOMEM, "no memory for queued events");
        s->ctl = p;
        s->ctl_cap = want;
    }
    s->ctl[s->ctl_n++] = *c;
    return append(m, s, &word, 1, err);
}

static struct stream *find(const struct machine *m, uint32_t pid) {
    struct stream *s = pid < m->nr_streams ? m->stream[pid] : NULL;

    return s && s->declared ? s : NULL;
}

/* Queues the start of a process that was being made, behind all that made it. */
static int start_child(struct machine *m, struct stream *s, struct rf_err *err) {
    struct ctl c = {.kind = CTL_START, .pid = s->pid};
    struct stream *parent;

    if (s->start_queued)
        return RF_OK;
    s->start_queued = true;
    parent = m->stream[s->parent];
    if (parent->forming == s->pid)
        parent->forming = RF_NONE;
    return append_control(m, parent, &c, err);
}

int queue_begin(struct machine *m, uint32_t pid, struct rf_err *err) {
    struct stream *s = find(m, pid), *child;
    int r;

    if (!s)
        return rf_fail(err, RF_EINPUT, "process %u does something, but does not exist", pid);
    r = start_child(m, s, err);
    child = s->forming == RF_NONE ? NULL : m->stream[s->forming];
    return r || !child ? r : start_child(m, child, err);
}

int queue_process(struct machine *m, uint32_t pid, uint32_t parent, struct rf_err *err) {
    struct stream *s, *p = parent == pid ? NULL : find(m, parent);
    struct ctl c = {.kind = CTL_PROCESS, .pid = pid, .value = p != NULL};
    int r;

    if (pid >= PIDS_MAX)
        return rf_fail(err, RF_EINPUT, "process number %u, expected less than %u", pid, PIDS_MAX);
    s = run_stream(m, pid);
    if (!s)
        return rf_fail(err, RF_ENOMEM, "no memory for a task");
    if (s->declared && !s->exit_fed)
        return rf_fail(err, RF_EINPUT, "process %u starts twice", pid);
    if (s->declared || !p) { /* a number used again follows its first user */
        r = s->declared ? queue_begin(m, pid, err) : RF_OK;
        s->declared = s->start_queued = true;
        s->exit_fed = false;
        if (r)
            return r;
        s->started |= !p;
        if (!p)
            queue_live(m, s);
        return append_control(m, s, &c, err);
    }
    r = queue_begin(m, parent, err);
    s->declared = true;
    s->parent = parent;
    p->forming = pid;
    return r ? r : append_control(m, p, &c, err);
}

int queue_control(struct machine *m, uint32_t pid, const struct ctl *c, struct rf_err *err) {
    struct stream *s = find(m, pid), *subject = find(m, c->pid);
    int r;

    if (c->kind == CTL_FORK && subject && !subject->start_queued) {
        pid = subject->parent;
        s = m->stream[pid];
    } else if (c->kind == CTL_MAP && s && !s->start_queued) {
        s = m->stream[s->parent];
    } else {
        r = queue_begin(m, pid, err);
        if (r)
            return r;
    }
    if (c->kind == CTL_WAIT) {
        if (!subject)
            return RF_OK; /* nobody to wait for */
        r = start_child(m, subject, err);
        if (r)
            return r;
    }
    if (c->kind == CTL_EXIT)
        s->exit_fed = true;
    return append_control(m, s, c, err);
}

int queue_ops(struct machine *m, uint32_t pid, const uint32_t *ops, size_t n, struct rf_err *err) {
    if (n == 0)
        return RF_OK;
    int r = queue_begin(m, pid, err);
    return r ? r : append(m, m->stream[pid], ops, n, err);
}

int queue_drain(struct machine *m, struct rf_err *err) {
    int r = RF_OK;

    m->finishing = true;
    while (!r && m->nr_active && !m->ended)
        r = run_pump(m, err);
    m->finishing = false;
    for (uint32_t i = 0; !r && !m->ended && i < m->nr_streams; i++) {
        const struct stream *s = m->stream[i];

        /* A trace may end while somebody waits. */
        if (s && s->n - s->pos > (s->wait == SW_CHILD))
            r = rf_fail(err, RF_ECHECK,
                        "process %u has %zu operations left at the end of the trace: it waits for "
                        "process %u, which does not end",
                        s->pid, s->n - s->pos, s->wait_pid);
    }
    return r;
}
