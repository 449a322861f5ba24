/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

#include <stdio.h>

#include "rewrite.h"

int page_sampler_init(struct page_sampler *s, const struct trace_sample_params *p, uint32_t blocks,
                      struct rf_err *err) {
    *s = (struct page_sampler){0};
    if (!(p->rate > 0.0 && p->rate <= 1.0))
        return rf_fail(err, RF_EUSAGE, "sampling rate %g, expected above 0 and at most 1", p->rate);
    if (!p->group || p->group > SAMPLE_MAX_GROUP || (p->group & (p->group - 1)))
        return rf_fail(err, RF_EUSAGE, "groups of %u pages, expected a power of two up to %u",
                       p->group, SAMPLE_MAX_GROUP);
    double below = p->rate * 18446744073709551616.0; /* hashes that are kept, of 2^64 */
    s->threshold = p->rate >= 1.0 ? UINT64_MAX : below >= 1.0 ? (uint64_t)below - 1 : 0;
    s->seed = rf_mix64(p->seed);
    for (uint32_t g = p->group; g > 1; g >>= 1)
        s->shift++;
    return rf_varr_init(&s->root, (size_t)blocks + 1, 4, err);
}

void page_sampler_free(struct page_sampler *s) {
    rf_varr_free(&s->root);
}

void page_sampler_event(struct page_sampler *s, const struct trace_event *e) {
    uint32_t *root = s->root.base;

    if (e->kind == TEV_FORK) {
        uint32_t parent = e->n >> 9;
        root[e->first >> 9] = root[parent] ? root[parent] : parent + 1;
    }
}

#define T_WHOLE 1u
#define T_SAMPLED 2u

struct sample {
    struct trace_rewrite t;
    struct page_sampler pages;
    struct rf_varr owner;   /* block: 1 + pid, 0 = nobody's */
    struct rf_varr touched; /* block: T_* */
    struct trace_sample_tables now, most;
    double rate, pace; /* pace: what rounding has left out of the times so far */
};

static void touch(struct sample *s, uint32_t block, uint8_t bits) {
    uint8_t *touched = s->touched.base;

    if ((touched[block] & bits) == bits)
        return;
    s->now.whole += !(touched[block] & T_WHOLE);
    s->now.sampled += (bits & T_SAMPLED) && !(touched[block] & T_SAMPLED);
    touched[block] |= bits;
    if (s->now.sampled > s->most.sampled)
        s->most = s->now;
}

static void follow_tables(struct sample *s, const struct trace_event *e) {
    uint32_t *owner = s->owner.base;
    uint8_t *touched = s->touched.base;

    if (e->kind == TEV_MMAP) {
        for (uint32_t b = e->first >> 9; b <= (e->first + e->n - 1) >> 9; b++)
            owner[b] = e->pid + 1;
    } else if (e->kind == TEV_EXIT || e->kind == TEV_EXEC) {
        for (uint32_t b = 0; b < s->t.info->blocks; b++) {
            if (owner[b] != e->pid + 1)
                continue;
            s->now.whole -= (touched[b] & T_WHOLE) != 0;
            s->now.sampled -= (touched[b] & T_SAMPLED) != 0;
            touched[b] = 0;
        }
    }
}

static int sample_event(struct sample *s, const struct trace_event *e, struct rf_err *err) {
    struct trace_event ev = *e;

    page_sampler_event(&s->pages, e);
    follow_tables(s, e);
    if (e->kind == TEV_PACE) {
        s->pace += (double)e->value * s->rate;
        ev.value = (uint64_t)s->pace;
        s->pace -= (double)ev.value;
        if (ev.value == 0)
            return 0;
    }
    return trace_write_event(s->t.w, &ev, err);
}

static int sample_blocks(struct sample *s, struct rf_err *err) {
    struct trace_block b;
    int rc;

    while ((rc = trace_next(s->t.r, &b, err)) == 1) {
        for (size_t i = 0; i < b.nops; i++) {
            uint32_t op = b.ops[i], id = op & TRACE_ID_MASK;
            const uint32_t *next = &b.ops[i + 1];

            rc = 0;
            if (op & OP_EVENT) {
                rc = sample_event(s, &b.events[id], err);
            } else if (page_sampled(&s->pages, id)) {
                touch(s, id >> 9, T_WHOLE | T_SAMPLED);
                rc = rewrite_op(&s->t, op, next, err);
            } else {
                touch(s, id >> 9, T_WHOLE);
            }
            if (rc)
                return rc;
            i += !(op & OP_EVENT) && (op & OP_CONTENT);
        }
    }
    return rc;
}

int trace_sample(const char *in, const char *out, const struct trace_sample_params *p,
                 struct trace_sample_tables *tables, struct rf_err *err) {
    struct sample s = {.rate = p->rate};
    char what[100];
    int rc = rewrite_open(&s.t, in, err);

    if (!rc)
        rc = page_sampler_init(&s.pages, p, s.t.info->blocks, err);
    if (!rc)
        rc = rf_varr_init(&s.owner, (size_t)s.t.info->blocks + 1, 4, err);
    if (!rc)
        rc = rf_varr_init(&s.touched, (size_t)s.t.info->blocks + 1, 1, err);
    if (!rc) {
        snprintf(what, sizeof(what), "sampled at %g, groups of %u pages, seed %llu", p->rate,
                 p->group, (unsigned long long)p->seed);
        rc =
            rewrite_begin(&s.t, out, what, (uint64_t)((double)s.t.info->min_memory_pages * p->rate),
                          p->zstd_level, err);
    }
    if (!rc)
        rc = sample_blocks(&s, err);
    rc = rewrite_close(&s.t, rc, err);
    page_sampler_free(&s.pages);
    rf_varr_free(&s.owner);
    rf_varr_free(&s.touched);
    if (tables)
        *tables = s.most;
    return rc;
}
