/* SPDX-License-Identifier: Apache-2.0 */
#include "engine_int.h"

#include <stdlib.h>

static bool before(const struct event *a, const struct event *b) {
    return a->when < b->when || (a->when == b->when && a->seq < b->seq);
}

static int add(struct event_queue *q, rf_time when, event_fn fn, void *ctx, uint64_t arg,
               bool background) {
    struct event ev = {
        .when = when, .seq = q->seq << 1 | background, .fn = fn, .ctx = ctx, .arg = arg};
    size_t i;

    if (q->nr == q->cap) {
        size_t cap = q->cap ? q->cap * 2 : 64;
        struct event *heap = realloc(q->heap, cap * sizeof(*heap));

        if (!heap)
            return RF_ENOMEM;
        q->heap = heap;
        q->cap = cap;
    }
    q->seq++;
    for (i = q->nr++; i > 0; i = (i - 1) / 2) {
        size_t up = (i - 1) / 2;

        if (!before(&ev, &q->heap[up]))
            break;
        q->heap[i] = q->heap[up];
    }
    q->heap[i] = ev;
    q->next = q->heap[0].when;
    q->nr_background += background;
    return RF_OK;
}

int event_queue_add(struct event_queue *q, rf_time when, event_fn fn, void *ctx, uint64_t arg) {
    return add(q, when, fn, ctx, arg, false);
}

int event_queue_add_background(struct event_queue *q, rf_time when, event_fn fn, void *ctx,
                               uint64_t arg) {
    return add(q, when, fn, ctx, arg, true);
}

struct event event_queue_pop(struct event_queue *q) {
    struct event top = q->heap[0], moved = q->heap[--q->nr];
    size_t i = 0;

    for (;;) {
        size_t kid = 2 * i + 1;

        if (kid >= q->nr)
            break;
        if (kid + 1 < q->nr && before(&q->heap[kid + 1], &q->heap[kid]))
            kid++;
        if (!before(&q->heap[kid], &moved))
            break;
        q->heap[i] = q->heap[kid];
        i = kid;
    }
    q->heap[i] = moved;
    q->next = q->nr ? q->heap[0].when : RF_TIME_MAX;
    q->nr_background -= top.seq & 1u;
    return top;
}

void event_queue_free(struct event_queue *q) {
    free(q->heap);
    q->heap = NULL;
    q->nr = q->cap = q->nr_background = 0;
    q->next = RF_TIME_MAX;
}
