/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driving a machine. A stream consumes operation words; a hit sets bits in one page-table entry,
 * anything else goes to the fault path, which may leave the stream blocked. With one CPU the trace
 * is one stream in its recorded order; with several every process is a stream of its own.
 */
#include <stdlib.h>
#include "lookahead.h"
#include "refault/trace_ops.h"

/* A page is read and taken away again before its reader runs: so few fit that nobody gets on. */
#define MAX_FAULT_RETRIES (1u << 12)

void run_fail(struct machine *m, int code, const char *msg) {
    if (m->run_err.code == RF_OK)
        rf_fail(&m->run_err, code, "%s", msg);
    m->ended = m->stop = true;
}

static void folio_ready(void *ctx, uint32_t folio, rf_time when) {
    struct machine *m = ctx;
    struct stream **link = &m->io_first, *last = NULL;

    for (struct stream *s = *link; s; s = *link) {
        if (s->ctx.wait_folio == folio) {
            *link = s->next_io;
            s->next_io = NULL;
            task_wake(m->eng, &s->task, when);
        } else {
            last = s;
            link = &s->next_io;
        }
    }
    m->io_last = last;
}

static void wake_kswapd(void *ctx, struct sim_cpu *cpu) {
    struct machine *m = ctx;
    m->need_resched = true;
    task_wake(m->eng, &m->kswapd, cpu->now);
}

static void queue_zswap_work(void *ctx, struct sim_cpu *cpu) {
    struct machine *m = ctx;
    m->worker_queued = true;
    if (m->c.cpus == 1) { /* runs at the next preemption point, see cond_resched() */
        m->mm->need_resched = true;
        if (!m->worker_active)
            m->worker_from = cpu->now;
        return;
    }
    m->need_resched = true;
    task_wake(m->eng, &m->worker, cpu->now);
}

/*
 * On one CPU the worker preempts the task that woke it at that task's next preemption point; from
 * then on the two take turns of a tick, and the worker has the CPU while the task sleeps. It runs
 * here, nested, in its own context: its charges are not forced. With several CPUs it is a task like
 * any other.
 */
static void cond_resched(void *ctx, struct sim_cpu *cpu) {
    struct machine *m = ctx;

    if (cpu->now >= m->worker_from)
        (void)run_worker(m, cpu, cpu->now + m->c.cost.mm.tick_ns);
}

bool run_worker(struct machine *m, struct sim_cpu *cpu, rf_time horizon) {
    uint32_t depth = m->mm->reclaim_depth;

    if (m->in_worker || !(m->worker_queued || m->worker_active))
        return false;
    if (!m->worker_active)
        m->worker_queued = false; /* it may be queued again while it runs */
    m->worker_active = m->in_worker = m->mm->in_worker = true;
    m->mm->reclaim_depth = 0;
    rf_time from = cpu->now;
    bool over = zswap_shrink_work_step(m->zswap, cpu, horizon);
    if (m->mm->observer) {
        const struct observed_span span = {
            .track = OBSERVE_WORKER, .name = "shrink worker", .from = from, .to = cpu->now};
        m->mm->observer->span(m->mm->observer->ctx, &span);
    }
    m->mm->reclaim_depth = depth;
    m->in_worker = m->mm->in_worker = false;
    m->worker_active = !over;
    if (m->worker_active)
        m->worker_from = cpu->now + m->c.cost.mm.tick_ns;
    bool more = m->worker_active || m->worker_queued;
    m->mm->need_resched = more && m->c.cpus == 1;
    return more;
}

const struct mm_wait_ops machine_wait_ops = {
    .cond_resched = cond_resched,
    .folio_ready = folio_ready,
    .wake_kswapd = wake_kswapd,
    .queue_zswap_work = queue_zswap_work,
};

static void delay_over(void *ctx, uint64_t arg, rf_time when) {
    struct stream *s = ctx;
    (void)arg;
    task_wake(s->m->eng, &s->task, when);
}

/* The store's content, if the record carries one, goes into the entry. */
static inline size_t words_of(uint32_t op) {
    return (op & OP_CONTENT) ? 2 : 1;
}

_Static_assert((PTE_PRESENT | PTE_ACCESSED) == 3 && (PTE_DIRTY | PTE_WRITE) == 12,
               "a load needs the low two bits, a store the low four");

/*
 * Whether each of HIT_GROUP accesses finds all the bits that it needs, so that there is nothing to
 * do: one branch for all of them. A store's sign bit becomes ones in every place.
 */
static inline bool group_hits(const uint64_t *pte, const uint32_t *ops, uint32_t unwanted) {
    uint32_t any = 0, lacking = 0;

    for (uint32_t k = 0; k < HIT_GROUP; k++)
        any |= ops[k];
    if (RF_UNLIKELY(any & unwanted))
        return false;
    for (uint32_t k = 0; k < HIT_GROUP; k++)
        lacking |= ((0u - (ops[k] >> 31)) | 3u) & ~(uint32_t)pte[ops[k] & OP_ID_MASK];
    return !(lacking & 15u);
}

/*
 * Whether content that the page took by stores recorded before can still be given to it: not to
 * what is in swap, which keeps what it went there with, nor to what others share.
 */
static void take_late_content(struct mm *mm, uint32_t id, uint32_t content) {
    uint64_t p = mm->pte[id];

    if (!(p & PTE_PRESENT) || (p & PTE_ZEROPAGE))
        return;
    const struct folio *f = &mm->folio[pte_index(p)];
    if ((p & (PTE_WRITE | PTE_EXCLUSIVE)) ||
        (folio_order(f) == 0 && f->mapcount == 1 && !(f->flags & FOLIO_KSM) &&
         (!(f->flags & FOLIO_SWAPCACHE) || swap_count(mm->swap, folio_slot(mm, f)) == 0)))
        mm->pte[id] = pte_set_content(p, content) | PTE_DIRTY;
}

/* After a fault the next operation often faults too: then no group is worth trying. */
static inline bool miss_likely(const uint64_t *pte, uint32_t op, uint32_t unwanted,
                               uint32_t id_mask) {
    return (op & unwanted) || !(pte[op & id_mask] & PTE_PRESENT);
}

/* Runs hits from *pos on; stops at the first operation that needs more, or at limit words.
 * Returns the number of accesses done. */
static inline size_t run_hits(struct mm *mm, struct lookahead *la, const uint32_t *ops, size_t *pos,
                              size_t end, size_t max_accesses) {
    uint64_t *pte = mm->pte;
    size_t i = *pos, done = 0, stop;
    const uint32_t max_ids = mm->p.max_ids;
    /* An id beyond max_ids but inside the table's power of two finds an entry that is not present.
     */
    const uint32_t unwanted = OP_CONTENT | OP_EVENT | (OP_ID_MASK & ~mm->id_mask);
    const bool swap = swap_slots_in_use(mm->swap) > 0;

    lookahead_start(la, i);
    if (i < end && miss_likely(pte, ops[i], unwanted, mm->id_mask)) {
        if (end - i >= AHEAD_PTE + 2 * HIT_GROUP)
            look_ahead(la, mm, ops, i, swap);
        goto one;
    }
    for (;;) {
        while (end - i >= HIT_GROUP && max_accesses - done >= HIT_GROUP) {
            if (RF_LIKELY(end - i >= AHEAD_PTE + 2 * HIT_GROUP))
                look_ahead(la, mm, ops, i, swap);
            if (!group_hits(pte, ops + i, unwanted))
                break;
            i += HIT_GROUP;
            done += HIT_GROUP;
        }
    one:
        /* One after the other as far as the group went. */
        stop = RF_MIN(end, i + HIT_GROUP);
        while (i < stop && done < max_accesses) {
            uint32_t op = ops[i], id = op & OP_ID_MASK;
            if (RF_UNLIKELY(id >= max_ids || (op & OP_EVENT)))
                goto out;
            uint64_t p = pte[id];
            uint64_t need = (op & OP_WRITE) ? PTE_PRESENT | PTE_ACCESSED | PTE_WRITE | PTE_DIRTY
                                            : PTE_PRESENT | PTE_ACCESSED;
            if (RF_UNLIKELY(op & OP_CONTENT)) {
                if (i + 1 >= end)
                    goto out;
                if (!(op & OP_WRITE)) {
                    take_late_content(mm, id, ops[i + 1] & OP_ID_MASK);
                    i += 2;
                    continue;
                }
                if ((p & (PTE_PRESENT | PTE_WRITE)) != (PTE_PRESENT | PTE_WRITE))
                    goto out;
                pte[id] = pte_set_content(p | need, ops[i + 1] & OP_ID_MASK);
                i += 2;
                done++;
                continue;
            }
            if ((p & need) != need) {
                if (!(p & PTE_PRESENT) || ((op & OP_WRITE) && !(p & PTE_WRITE)))
                    goto out;
                pte[id] = p | need;
                /* The first store to a page that came with a large folio. */
                if (RF_UNLIKELY(mm->implicit_content) && (op & OP_WRITE) &&
                    pte_content(p) == CONTENT_ZERO)
                    pte[id] = pte_set_content(pte[id], id + 1);
            }
            i++;
            done++;
        }
        if (i >= end || done >= max_accesses)
            break;
    }
out:
    *pos = i;
    return done;
}

/*
 * The same with a model of the TLB: an accessed bit is set by walks of the page table alone.
 */
static size_t run_hits_tlb(struct mm *mm, struct tlb *tlb, struct lookahead *la,
                           const uint32_t *ops, size_t *pos, size_t end, size_t max_accesses) {
    const bool swap = swap_slots_in_use(mm->swap) > 0;
    size_t i = *pos, ahead = i, done = 0;

    lookahead_start(la, i);
    while (i < end && done < max_accesses) {
        uint32_t op = ops[i], id = op & OP_ID_MASK;
        bool write = op & OP_WRITE;

        if (i >= ahead && end - i >= AHEAD_PTE + 2 * HIT_GROUP) {
            look_ahead(la, mm, ops, i, swap);
            ahead = i + HIT_GROUP;
        }
        if ((op & OP_EVENT) || id >= mm->p.max_ids || ((op & OP_CONTENT) && i + 1 >= end))
            break;
        uint64_t p = mm->pte[id];
        if (!write && (op & OP_CONTENT)) {
            take_late_content(mm, id, ops[i + 1] & OP_ID_MASK);
            i += 2;
            continue;
        }
        if (!(p & PTE_PRESENT) || (write && !(p & PTE_WRITE)))
            break;
        if (op & OP_CONTENT)
            p = pte_set_content(p, ops[++i] & OP_ID_MASK);
        else if (mm->implicit_content && write && pte_content(p) == CONTENT_ZERO)
            p = pte_set_content(p, id + 1);
        if (tlb_access(tlb, id, pte_content(p), write))
            p |= PTE_ACCESSED;
        mm->pte[id] = write ? p | PTE_DIRTY : p;
        i++;
        done++;
    }
    *pos = i;
    return done;
}

/* Of the process that this stream's next operation belongs to. */
static struct tlb *tlb_of(const struct stream *s, const struct sim_cpu *cpu) {
    struct tlb *tlb = &s->m->tlb[cpu->id];
    uint32_t pid = s->own_queue ? s->pid : s->m->cur_pid;

    if (tlb->pid != pid)
        tlb_flush(tlb);
    tlb->pid = pid;
    return tlb;
}

/* Multi-gen LRU: the upper page-table levels have accessed bits of their own. */
static void mark_tables(uint8_t *young, const uint32_t *ops, size_t pos, size_t end) {
    while (pos < end) {
        young[(ops[pos] & OP_ID_MASK) >> 9] = 1;
        pos += words_of(ops[pos]);
    }
}

static enum task_result block_stream(struct stream *s, struct sim_cpu *cpu, enum stream_wait why) {
    struct machine *m = s->m;

    s->wait = why;
    s->blocked_at = cpu->now;
    if (m->mm->need_resched && why != SW_STARVED)
        task_wake(m->eng, &m->worker, cpu->now);
    if (why == SW_IO) {
        s->next_io = NULL;
        if (m->io_first)
            m->io_last->next_io = s;
        else
            m->io_first = s;
        m->io_last = s;
    } else if (why != SW_DELAY && --m->nr_active == 0) {
        m->stop = true; /* nobody can go on without more of the trace */
    }
    return TASK_BLOCK;
}

/* One operation that is no hit. Returns false if the step must end with *res. */
static bool run_fault(struct stream *s, struct sim_cpu *cpu, enum task_result *res) {
    struct machine *m = s->m;
    struct mm *mm = m->mm;
    uint32_t op = s->ops[s->pos], id = op & OP_ID_MASK;
    bool write = op & OP_WRITE;

    if (id >= mm->p.max_ids || !(mm->pte[id] & PTE_MAPPED)) {
        if (m->run_err.code == RF_OK)
            rf_fail(&m->run_err, RF_EINPUT,
                    "access %llu: page id %u is mapped nowhere at this point of the trace",
                    (unsigned long long)m->ops_done, id);
        m->ended = m->stop = true;
        *res = TASK_BLOCK;
        return false;
    }
    if ((op & OP_CONTENT) && s->pos + 1 >= s->n) {
        run_fail(m, RF_EINPUT, "the trace's last operation lacks its content word");
        *res = TASK_BLOCK;
        return false;
    }
    s->ctx.content = (op & OP_CONTENT) ? s->ops[s->pos + 1] & OP_ID_MASK : RF_NONE;
    switch (handle_fault(mm, cpu, id, write, &s->ctx)) {
    case FAULT_RETRY:
        if (++s->retries > MAX_FAULT_RETRIES) { /* the CPUs take each other's pages for ever */
            m->outcome = MACHINE_OOM;
            m->ended = m->stop = true;
            *res = TASK_BLOCK;
        } else {
            *res = block_stream(s, cpu, SW_IO);
        }
        return false;
    case FAULT_OOM:
        m->outcome = MACHINE_OOM;
        m->ended = m->stop = true;
        *res = TASK_BLOCK;
        return false;
    case FAULT_AGAIN: /* stays within */
    case FAULT_DONE:
        break;
    }
    s->retries = 0;
    if (RF_UNLIKELY(m->tlb != NULL))
        (void)tlb_access(tlb_of(s, cpu), id, pte_content(mm->pte[id]), write);
    s->pos += words_of(op);
    m->ops_done++;
    if (m->access_cost)
        sim_charge_user(cpu, mm->p.cost.access_ns);
    if (s->ctx.wait_until) {
        if (engine_at(m->eng, s->ctx.wait_until, delay_over, s, 0))
            run_fail(m, RF_ENOMEM, "no memory for an event");
        s->ctx.wait_until = 0;
        *res = block_stream(s, cpu, SW_DELAY);
        return false;
    }
    return true;
}

/* Whether a process may still become one that has exited. */
static bool child_alive(const struct machine *m, uint32_t pid) {
    return pid < m->nr_streams && m->stream[pid] && m->stream[pid]->declared &&
           !m->stream[pid]->done;
}

/* The next control record of a queue. */
static bool run_queued_control(struct stream *s, struct sim_cpu *cpu, enum task_result *res) {
    struct machine *m = s->m;
    const struct ctl c = s->ctl[s->ctl_pos];

    if (c.kind == CTL_WAIT && child_alive(m, c.pid)) {
        s->wait_pid = c.pid;
        queue_live(m, s);
        *res = block_stream(s, cpu, SW_CHILD);
        return false;
    }
    if (c.kind == CTL_START) {
        queue_start(m, c.pid, cpu->now);
    } else if (c.kind != CTL_WAIT) {
        struct rf_err e = {0};
        if (do_control(m, cpu, &c, &e)) {
            run_fail(m, e.code, e.msg);
            *res = TASK_BLOCK;
            return false;
        }
    }
    s->ctl_pos++;
    s->pos++;
    if (c.kind == CTL_EXIT) {
        queue_exited(m, c.pid, cpu->now);
    } else if (c.kind == CTL_PROCESS) {
        m->stream[c.pid]->done = false;
        if (m->stream[c.pid]->started)
            queue_live(m, m->stream[c.pid]);
    }
    return true;
}

static enum task_result stream_step(void *arg, struct sim_cpu *cpu, rf_time horizon) {
    struct stream *s = arg;
    struct machine *m = s->m;
    struct mm *mm = m->mm;
    const rf_time *next_event = engine_next_event_ptr(m->eng);
    enum task_result res;

    if (s->wait == SW_IO)
        mm->stall_ns[STALL_SWAP_READ] += cpu->now - s->blocked_at;
    s->wait = SW_NONE;
    m->need_resched = false;
    m->frontier = RF_MAX(m->frontier, cpu->now);
    while (!m->ended) {
        size_t max = SIZE_MAX;
        uint64_t cost = m->access_cost ? mm->p.cost.access_ns : 0;
        /* Without a division where all that is left fits. */
        if (cost && (horizon <= cpu->now || (s->n - s->pos) > (horizon - cpu->now - 1) >> 20 ||
                     (s->n - s->pos) * cost > horizon - cpu->now - 1))
            max = horizon > cpu->now ? (size_t)((horizon - cpu->now - 1) / cost + 1) : 1;
        size_t before = s->pos;
        size_t done = RF_UNLIKELY(m->tlb != NULL)
                          ? run_hits_tlb(mm, tlb_of(s, cpu), &s->ahead, s->ops, &s->pos, s->n, max)
                          : run_hits(mm, &s->ahead, s->ops, &s->pos, s->n, max);
        if (mm->pmd_young)
            mark_tables(mm->pmd_young, s->ops, before, s->pos);
        sim_charge_user(cpu, done * cost);
        m->ops_done += done;
        if (s->own_queue)
            m->queued -= s->pos - before;
        if (s->pos >= s->n) {
            if (s->own_queue)
                return block_stream(s, cpu, SW_STARVED);
            m->stop = true;
            return TASK_PAUSE; /* where a piece of the trace ends makes no difference */
        }
        if (done < max || !cost) {
            before = s->pos;
            bool go = (s->ops[s->pos] & OP_EVENT) ? run_queued_control(s, cpu, &res)
                                                  : run_fault(s, cpu, &res);
            if (s->own_queue)
                m->queued -= s->pos - before;
            if (!go)
                return res;
            if (mm->need_resched && m->c.cpus == 1)
                cond_resched(m, cpu);
            horizon = RF_MIN(horizon, *next_event); /* it may have submitted I/O */
        }
        if (s->own_queue && m->queued < QUEUE_HIGH / 2 && !m->finishing)
            m->stop = true;
        if (cpu->now >= horizon || m->need_resched || (m->stop && s->own_queue))
            return TASK_YIELD;
    }
    m->stop = true;
    return TASK_BLOCK;
}

static struct stream *new_stream(struct machine *m, uint32_t pid, bool own_queue) {
    struct stream *s = calloc(1, sizeof(*s));
    if (!s)
        return NULL;
    s->m = m;
    s->pid = pid;
    s->own_queue = own_queue;
    s->wait = SW_STARVED;
    s->parent = s->forming = RF_NONE;
    s->task = (struct sim_task){.name = "task", .step = stream_step, .arg = s};
    engine_add_task(m->eng, &s->task, m->c.cpus > 1 ? pid % m->c.cpus : 0, false);
    return s;
}

struct stream *run_stream(struct machine *m, uint32_t pid) {
    uint32_t i = m->c.cpus == 1 ? 0 : pid;
    if (i < m->nr_streams && m->stream[i])
        return m->stream[i];
    if (i >= m->cap_streams) {
        uint32_t want = RF_MAX(i + 1, m->cap_streams * 2);
        struct stream **p = realloc(m->stream, want * sizeof(struct stream *));
        if (!p)
            return NULL;
        uint32_t *live = realloc(m->live, want * sizeof(*live));

        m->stream = p;
        if (!live)
            return NULL;
        m->live = live;
        memset(p + m->cap_streams, 0, (want - m->cap_streams) * sizeof(struct stream *));
        m->cap_streams = want;
    }
    m->stream[i] = new_stream(m, pid, m->c.cpus > 1);
    if (i >= m->nr_streams)
        m->nr_streams = i + 1;
    return m->stream[i];
}

int run_init(struct machine *m, struct rf_err *err) {
    m->queue_limit = QUEUE_HIGH;
    return run_stream(m, 0) ? RF_OK : rf_fail(err, RF_ENOMEM, "no memory for a task");
}

void run_destroy(struct machine *m) {
    for (uint32_t i = 0; i < m->nr_streams; i++) {
        if (!m->stream[i])
            continue;
        free(m->stream[i]->buf);
        free(m->stream[i]->ctl);
        free(m->stream[i]);
    }
    free(m->stream);
    free(m->live);
}

int run_result(struct machine *m, struct rf_err *err) {
    if (m->run_err.code)
        return rf_fail(err, m->run_err.code, "%s", m->run_err.msg);
    if (m->mm->verify_err.code)
        return rf_fail(err, m->mm->verify_err.code, "%s", m->mm->verify_err.msg);
    return RF_OK;
}

int run_pump(struct machine *m, struct rf_err *err) {
    m->stop = false;
    int r = engine_run(m->eng, &m->stop, err);
    return r ? r : run_result(m, err);
}

int machine_run(struct machine *m, const uint32_t *ops, size_t n, size_t *done,
                struct rf_err *err) {
    *done = 0;
    if (m->ended)
        return run_result(m, err);
    if (m->c.cpus > 1) {
        int r = queue_ops(m, m->cur_pid, ops, n, err);
        *done = n;
        return r;
    }
    struct stream *s = m->stream[0];
    s->ops = ops;
    s->pos = 0;
    s->n = n;
    task_wake(m->eng, &s->task, 0);
    int r = run_pump(m, err);
    *done = s->pos;
    return r;
}

int machine_settle(struct machine *m, struct rf_err *err) {
    if (m->c.cpus > 1 && !m->ended) {
        int r = queue_drain(m, err);
        if (r)
            return r;
    }
    struct sim_cpu *cpu = engine_cpu(m->eng, m->c.cpus - 1);
    m->mm->cur = cpu;
    while (m->blk && blk_in_flight(m->blk)) {
        rf_time t = engine_next_event(m->eng);
        if (!engine_pending(m->eng))
            return rf_fail(err, RF_ECHECK, "%u requests are in flight and no event is pending",
                           blk_in_flight(m->blk));
        engine_poll(m->eng, t);
        if (t > cpu->now) {
            cpu->idle_ns += t - cpu->now;
            cpu->now = t;
        }
    }
    return run_result(m, err);
}
