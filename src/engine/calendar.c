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
        if (c->v[i].start >= at && c->v[i].start - at >= len)
            return at;
        at = c->v[i].end;
    }
    return at;
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

void sim_calendar_take(struct sim_calendar *c, rf_time start, uint64_t len) {
    rf_time end = start + len;
    uint32_t i;

    if (!len)
        return;
    i = first_after(c, start);
    bool left = i > 0 && c->v[i - 1].end == start, right = i < c->n && c->v[i].start == end;

    if (left && right) {
        c->v[i - 1].end = c->v[i].end;
        memmove(c->v + i, c->v + i + 1, (c->n - i - 1) * sizeof(*c->v));
        c->n--;
    } else if (left) {
        c->v[i - 1].end = end;
    } else if (right) {
        c->v[i].start = start;
    } else if (make_room(c)) {
        i = first_after(c, start);
        memmove(c->v + i + 1, c->v + i, (c->n - i) * sizeof(*c->v));
        c->v[i] = (struct sim_span){start, end};
        c->n++;
    }
}

uint64_t sim_spin_hold(struct sim_spin *l, struct sim_cpu *cpu, uint64_t hold_ns,
                       uint64_t handoff_ns) {
    rf_time start = sim_calendar_find(&l->busy, cpu->now, hold_ns);
    uint64_t wait = 0;

    if (l->busy.n >= l->prune_at) {
        sim_calendar_prune(&l->busy, engine_floor(cpu->eng));
        l->prune_at = RF_MAX(64, l->busy.n * 2);
    }
    if (start > cpu->now) {
        /* The lock's cache line moves to the next holder while nobody has it. */
        start = sim_calendar_find(&l->busy, cpu->now, hold_ns + handoff_ns);
        wait = start + handoff_ns - cpu->now;
        hold_ns += handoff_ns;
        l->contended++;
        l->wait_ns += wait;
    }
    l->acquisitions++;
    sim_calendar_take(&l->busy, start, hold_ns);
    sim_charge(cpu, start + hold_ns - cpu->now);
    return wait;
}
