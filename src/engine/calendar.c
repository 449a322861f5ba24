/* SPDX-License-Identifier: Apache-2.0 */
#include "refault/calendar.h"

#include <stdlib.h>

/* Beyond this many spans the oldest are forgotten: nobody lags that far behind. */
#define MAX_SPANS (1u << 16)

void sim_calendar_free(struct sim_calendar *c) {
    free(c->v);
    *c = (struct sim_calendar){0};
}

/* The first span that ends after t. */
static uint32_t first_after(const struct sim_calendar *c, rf_time t) {
    uint32_t lo = 0, hi = c->n;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;

        if (c->v[mid].end > t)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

rf_time sim_calendar_find(const struct sim_calendar *c, rf_time at, uint64_t len) {
    for (uint32_t i = first_after(c, at); i < c->n; i++) {
        if (c->v[i].start > at) {
            uint64_t gap = c->v[i].start - at;

            if (gap >= len)
                break;
            len -= gap;
        }
        at = c->v[i].end;
    }
    return at + len;
}

static void forget(struct sim_calendar *c, uint32_t nr) {
    memmove(c->v, c->v + nr, (c->n - nr) * sizeof(*c->v));
    c->n -= nr;
}

void sim_calendar_prune(struct sim_calendar *c, rf_time floor) {
    uint32_t nr = first_after(c, floor);

    if (nr)
        forget(c, nr);
}

/* Room for one span more; without memory the oldest one goes. */
static bool make_room(struct sim_calendar *c) {
    if (c->n < c->cap)
        return true;
    if (c->cap < MAX_SPANS) {
        uint32_t cap = c->cap ? c->cap * 2 : 16;
        struct sim_span *v = realloc(c->v, cap * sizeof(*v));

        if (v) {
            c->v = v;
            c->cap = cap;
            return true;
        }
    }
    if (!c->n)
        return false;
    forget(c, 1 + c->n / 4);
    return true;
}

void sim_calendar_take(struct sim_calendar *c, rf_time at, rf_time end) {
    uint32_t i = first_after(c, at), j = i;

    if (end <= at)
        return;
    /* One span from at to end takes the place of all that it touches. */
    if (i > 0 && c->v[i - 1].end == at)
        i--;
    while (j < c->n && c->v[j].start <= end)
        j++;
    if (i < j) {
        c->v[i].start = RF_MIN(c->v[i].start, at);
        c->v[i].end = RF_MAX(c->v[j - 1].end, end);
        memmove(c->v + i + 1, c->v + j, (c->n - j) * sizeof(*c->v));
        c->n -= j - i - 1;
    } else if (make_room(c)) {
        i = first_after(c, at);
        memmove(c->v + i + 1, c->v + i, (c->n - i) * sizeof(*c->v));
        c->v[i] = (struct sim_span){at, end};
        c->n++;
    }
}

uint64_t sim_spin_hold(struct sim_spin *l, struct sim_cpu *cpu, uint64_t hold_ns,
                       uint64_t handoff_ns) {
    rf_time end = sim_calendar_find(&l->busy, cpu->now, hold_ns);
    uint64_t wait = 0;

    if (l->busy.n >= l->prune_at) {
        sim_calendar_prune(&l->busy, engine_floor(cpu->eng));
        l->prune_at = RF_MAX(64, l->busy.n * 2);
    }
    if (end > cpu->now + hold_ns) {
        /* The lock's cache line moves to the next holder while nobody has it. */
        end = sim_calendar_find(&l->busy, cpu->now, hold_ns + handoff_ns);
        wait = end - cpu->now - hold_ns;
        l->contended++;
        l->wait_ns += wait;
    }
    l->acquisitions++;
    sim_calendar_take(&l->busy, cpu->now, end);
    sim_charge(cpu, end - cpu->now);
    return wait;
}

bool sim_spin_shared(struct sim_spin *l, const struct sim_cpu *cpu) {
    uint32_t me = cpu->id + 1;

    if (l->user != me)
        l->user = l->user ? SIM_SPIN_SHARED : me;
    return l->user == SIM_SPIN_SHARED;
}

uint64_t sim_spin_share(struct sim_spin *l, struct sim_cpu *cpu, uint64_t hold_ns,
                        uint64_t handoff_ns) {
    if (sim_spin_shared(l, cpu))
        return sim_spin_hold(l, cpu, hold_ns, handoff_ns);
    l->acquisitions++;
    return 0;
}
