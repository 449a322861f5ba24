/* SPDX-License-Identifier: Apache-2.0 */
#include "format.h"
#include "track.h"

int rft_track_init(struct rft_track *t, struct rf_err *err) {
    size_t words = 1u << (TRACE_ID_BITS - 6);
    int rc;
    *t = (struct rft_track){0};
    if ((rc = rf_varr_init(&t->used, words, 8, err)) ||
        (rc = rf_varr_init(&t->touched, words, 8, err)) ||
        (rc = rf_varr_init(&t->owner, RFT_BLOCKS_MAX, 4, err)) ||
        (rc = rf_varr_init(&t->next, RFT_BLOCKS_MAX, 4, err)) ||
        (rc = rf_varr_init(&t->head, RFT_PROCESSES_MAX, 4, err)))
        rft_track_free(t);
    return rc;
}

void rft_track_free(struct rft_track *t) {
    rf_varr_free(&t->used);
    rf_varr_free(&t->touched);
    rf_varr_free(&t->owner);
    rf_varr_free(&t->next);
    rf_varr_free(&t->head);
}

void rft_track_new_page(struct rft_track *t, uint32_t id) {
    uint64_t *used = t->used.base, *touched = t->touched.base;
    uint64_t bit = 1ull << (id & 63);
    used[id >> 6] |= bit;
    if (!(touched[id >> 6] & bit)) {
        touched[id >> 6] |= bit;
        t->distinct++;
    }
    if (++t->in_use > t->peak)
        t->peak = t->in_use;
}

static void release(struct rft_track *t, uint32_t first, uint32_t n) {
    uint64_t *used = t->used.base;
    for (uint64_t id = first, end = (uint64_t)first + n; id < end;) {
        uint64_t *word = &used[id >> 6];
        uint64_t take = RF_MIN(64 - (id & 63), end - id);
        uint64_t mask = (take == 64 ? ~0ull : (1ull << take) - 1) << (id & 63);
        t->in_use -= (uint64_t)__builtin_popcountll(*word & mask);
        *word &= ~mask;
        id += take;
    }
}

int rft_track_event(struct rft_track *t, const struct trace_event *ev, struct rf_err *err) {
    uint32_t *owner = t->owner.base, *next = t->next.base, *head = t->head.base;
    switch (ev->kind) {
    case TEV_MMAP:
        for (uint32_t b = ev->first >> 9; b <= (ev->first + ev->n - 1) >> 9; b++) {
            if (owner[b] == ev->pid + 1)
                continue;
            if (owner[b])
                return rf_fail(err, RF_EINPUT,
                               "block %u of process %u is mapped by process %u too, expected every "
                               "block to belong to one process",
                               b, owner[b] - 1, ev->pid);
            owner[b] = ev->pid + 1;
            next[b] = head[ev->pid];
            head[ev->pid] = b + 1;
        }
        break;
    case TEV_MUNMAP:
    case TEV_DONTNEED:
        release(t, ev->first, ev->n);
        break;
    case TEV_EXIT:
    case TEV_EXEC:
        for (uint32_t b = head[ev->pid]; b; b = next[b - 1])
            release(t, (b - 1) << 9, 512);
        break;
    default:
        break;
    }
    return 0;
}
