/* SPDX-License-Identifier: Apache-2.0 */
#include "mrc/mrc.h"

#include <stdlib.h>

#include "mrc/stack.h"

struct pass {
    struct lru_stack stack;
    struct page_sampler sampler;
    struct rf_varr owner; /* block: 1 + pid, 0 = nobody's */
    uint64_t *distances;  /* distance: accesses */
    uint64_t sampled, cold;
    uint32_t blocks;
};

static int remove_range(struct pass *p, uint32_t first, uint32_t n, struct rf_err *err) {
    int rc = RF_OK;

    for (uint32_t id = first; id < first + n && rc == RF_OK; id++)
        rc = lru_stack_remove(&p->stack, id, err);
    return rc;
}

static int follow(struct pass *p, const struct trace_event *e, struct rf_err *err) {
    uint32_t *owner = p->owner.base;
    int rc = RF_OK;

    page_sampler_event(&p->sampler, e);
    switch ((enum trace_event_kind)e->kind) {
    case TEV_MMAP:
        for (uint32_t b = e->first >> 9; b <= (e->first + e->n - 1) >> 9; b++)
            owner[b] = e->pid + 1;
        break;
    case TEV_MUNMAP:
    case TEV_DONTNEED:
        return remove_range(p, e->first, e->n, err);
    case TEV_EXIT:
    case TEV_EXEC:
        for (uint32_t b = 0; b < p->blocks && rc == RF_OK; b++) {
            if (owner[b] == e->pid + 1)
                rc = remove_range(p, b << 9, 512, err);
        }
        return rc;
    case TEV_PROCESS:
    case TEV_FORK:
    case TEV_WAIT:
    case TEV_SWITCH:
    case TEV_PACE:
        break;
    }
    return RF_OK;
}

static int read_trace(struct pass *p, struct trace_reader *r, struct rf_err *err) {
    struct trace_block b;
    int rc;

    while ((rc = trace_next(r, &b, err)) == 1) {
        for (size_t i = 0; i < b.nops; i++) {
            uint32_t op = b.ops[i], id = op & TRACE_ID_MASK, distance;

            rc = RF_OK;
            if (op & OP_EVENT) {
                rc = follow(p, &b.events[id], err);
            } else if ((op & (OP_CONTENT | OP_WRITE)) != OP_CONTENT &&
                       page_sampled(&p->sampler, id)) {
                rc = lru_stack_access(&p->stack, id, &distance, err);
                p->sampled++;
                if (rc == RF_OK && distance == STACK_COLD)
                    p->cold++;
                else if (rc == RF_OK)
                    p->distances[distance]++;
            }
            if (rc != RF_OK)
                return rc;
            i += !(op & OP_EVENT) && (op & OP_CONTENT);
        }
    }
    return rc;
}

/* Pages that a memory needs so that an access at a sampled distance hits. */
static uint64_t size_for(double rate, uint64_t distance) {
    return RF_MAX((uint64_t)((double)distance / rate), 1);
}

/* From sampled distances to hits by pages held. The table has an entry a sampled page, not one a
 * size: sizes grow without bound as the rate becomes small. */
static int scale(const struct pass *p, uint64_t pages, struct mrc *out, struct rf_err *err) {
    uint64_t expected = (uint64_t)((double)out->accesses * out->rate);

    if (out->accesses && !p->sampled)
        return rf_fail(err, RF_EUSAGE, "a sample at rate %g has no access", out->rate);

    out->max_held = pages;
    out->reuses = calloc(pages + 1, sizeof(*out->reuses));
    if (!out->reuses)
        return rf_fail(err, RF_ENOMEM, "no memory for a curve of %llu sizes",
                       (unsigned long long)pages);
    /* The hottest pages are few: whether one is sampled moves the number of accesses most. They
     * hit in any memory. */
    if (out->rate < 1.0)
        out->hot = ((double)expected - (double)p->sampled) / out->rate;
    for (uint64_t d = 1; d <= pages; d++)
        out->reuses[d] = out->reuses[d - 1] + (double)p->distances[d] / out->rate;
    out->cold = (double)p->cold / out->rate;
    return RF_OK;
}

int mrc_measure(struct trace_reader *r, double rate, uint64_t seed, struct mrc *out,
                struct rf_err *err) {
    const struct trace_info *info = trace_reader_info(r);
    const struct trace_sample_params sp = {.rate = rate, .group = 1, .seed = seed};
    struct pass p = {.blocks = info->blocks};
    struct rf_varr distances = {0};
    uint32_t ids = info->blocks << 9;
    int rc = trace_rewind(r, err);

    *out = (struct mrc){.accesses = info->ops, .rate = rate};
    if (rc == RF_OK)
        rc = page_sampler_init(&p.sampler, &sp, info->blocks, err);
    if (rc == RF_OK)
        rc = lru_stack_init(&p.stack, ids, err);
    if (rc == RF_OK)
        rc = rf_varr_init(&p.owner, (size_t)info->blocks + 1, sizeof(uint32_t), err);
    if (rc == RF_OK)
        rc = rf_varr_init(&distances, (size_t)ids + 1, sizeof(uint64_t), err);
    p.distances = distances.base;
    if (rc == RF_OK)
        rc = read_trace(&p, r, err);
    if (rc == RF_OK) /* no distance exceeds the pages that were ever touched */
        rc = scale(&p, RF_MIN(info->pages_touched, ids), out, err);
    lru_stack_free(&p.stack);
    page_sampler_free(&p.sampler);
    rf_varr_free(&p.owner);
    rf_varr_free(&distances);
    return rc;
}

void mrc_free(struct mrc *m) {
    free(m->reuses);
    *m = (struct mrc){0};
}

double mrc_misses(const struct mrc *m, uint64_t pages) {
    uint64_t held = 0, beyond = m->max_held + 1;

    if (!pages)
        return (double)m->accesses;
    while (beyond - held > 1) {
        uint64_t middle = held + (beyond - held) / 2;

        if (size_for(m->rate, middle) <= pages)
            held = middle;
        else
            beyond = middle;
    }
    return (double)m->accesses - m->hot - m->reuses[held];
}
