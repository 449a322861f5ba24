/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hot part of reading: from the bytes of one block to 32-bit operation words. Plain records,
 * which are nearly all, take no data-dependent branch: two nibbles a step, deltas loaded as four
 * bytes and masked. The largest id is only compared at the end of the block; ids that leave the
 * range wrap to large numbers and are caught there.
 */
#include "format.h"

static const uint32_t delta_mask[4] = {0xffu, 0xffffu, 0xffffffu, 0xffffffffu};

struct event_in {
    const uint8_t *p, *end;
    const struct rft_limits *lim;
};

/* One number below `limit` (limit 0: any). */
static bool field(struct event_in *in, uint64_t limit, uint64_t *out) {
    return rft_get_varint(&in->p, in->end, out) && (limit == 0 || *out < limit);
}

static bool field32(struct event_in *in, uint64_t limit, uint32_t *out) {
    uint64_t v;
    if (!field(in, limit, &v))
        return false;
    *out = (uint32_t)v;
    return true;
}

static bool id_range(struct event_in *in, struct trace_event *ev) {
    uint64_t ids = (uint64_t)in->lim->blocks << 9;
    return field32(in, ids, &ev->first) && field32(in, ids + 1, &ev->n) && ev->n > 0 &&
           (uint64_t)ev->first + ev->n <= ids;
}

static bool decode_event(struct event_in *in, struct trace_event *ev) {
    uint64_t procs = in->lim->processes, v;
    *ev = (struct trace_event){0};
    if (in->p >= in->end)
        return false;
    ev->kind = *in->p++;
    if (!field32(in, procs, &ev->pid))
        return false;
    switch (ev->kind) {
    case TEV_PROCESS:
        if (!field32(in, procs + 1, &ev->parent) || !field(in, sizeof(ev->name), &v) ||
            (size_t)(in->end - in->p) < v)
            return false;
        ev->parent--; /* 0 stands for RF_NONE */
        memcpy(ev->name, in->p, v);
        rft_printable(ev->name, v);
        in->p += v;
        return true;
    case TEV_MMAP:
        if (!field32(in, in->lim->vmas, &ev->vma) || !id_range(in, ev) ||
            !field(in, 1ull << 52, &ev->vpn) || !field(in, 32, &v))
            return false;
        ev->flags = (uint8_t)v;
        return (ev->vpn & 511) == (ev->first & 511);
    case TEV_MUNMAP:
    case TEV_DONTNEED:
        return id_range(in, ev);
    case TEV_FORK:
        return field32(in, procs, &ev->parent) &&
               field32(in, (uint64_t)in->lim->blocks << 9, &ev->first) &&
               field32(in, (uint64_t)in->lim->blocks << 9, &ev->n);
    case TEV_EXIT:
    case TEV_EXEC:
    case TEV_SWITCH:
        return true;
    case TEV_WAIT:
        return field32(in, procs, &ev->parent);
    case TEV_PACE:
        return field(in, 0, &ev->value);
    default:
        return false;
    }
}

size_t rft_encode_event(const struct trace_event *ev, uint8_t *out) {
    uint8_t *p = out;
    *p++ = ev->kind;
    p += rft_put_varint(p, ev->pid);
    switch (ev->kind) {
    case TEV_PROCESS: {
        size_t n = 0;
        while (n < sizeof(ev->name) - 1 && ev->name[n])
            n++;
        p += rft_put_varint(p, (uint32_t)(ev->parent + 1));
        p += rft_put_varint(p, n);
        memcpy(p, ev->name, n);
        p += n;
        break;
    }
    case TEV_MMAP:
        p += rft_put_varint(p, ev->vma);
        p += rft_put_varint(p, ev->first);
        p += rft_put_varint(p, ev->n);
        p += rft_put_varint(p, ev->vpn);
        p += rft_put_varint(p, ev->flags);
        break;
    case TEV_MUNMAP:
    case TEV_DONTNEED:
        p += rft_put_varint(p, ev->first);
        p += rft_put_varint(p, ev->n);
        break;
    case TEV_FORK:
        p += rft_put_varint(p, ev->parent);
        p += rft_put_varint(p, ev->first);
        p += rft_put_varint(p, ev->n);
        break;
    case TEV_WAIT:
        p += rft_put_varint(p, ev->parent);
        break;
    case TEV_PACE:
        p += rft_put_varint(p, ev->value);
        break;
    default:
        break;
    }
    return (size_t)(p - out);
}

static int decode_events(const struct rft_block_header *h, const uint8_t *raw,
                         const struct rft_limits *lim, uint64_t at, struct trace_event *events,
                         struct rf_err *err) {
    struct event_in in = {raw, raw + h->event_bytes, lim};
    for (uint32_t i = 0; i < h->nevents; i++) {
        unsigned kind = in.p < in.end ? *in.p : 255u;
        if (!decode_event(&in, &events[i]))
            return rf_fail(err, RF_EINPUT,
                           "offset %llu: event %u of the block (kind %u) is cut off or out of "
                           "range, expected one of kinds 0 to 9 within %u blocks, %u processes, "
                           "%u vmas",
                           (unsigned long long)at, i, kind, lim->blocks, lim->processes, lim->vmas);
    }
    if (in.p != in.end)
        return rf_fail(err, RF_EINPUT, "offset %llu: %zu bytes after the block's last event",
                       (unsigned long long)at, (size_t)(in.end - in.p));
    return 0;
}

/* Where decoding is, within one block. Lives in registers: everything that takes it is inlined. */
struct state {
    const uint8_t *dp, *dend; /* data */
    const uint8_t *ap, *aend; /* args */
    uint32_t *out, *oend;
    uint32_t id, cid, content;
    uint32_t max_id, max_content;
    uint32_t nev, events;
    uint64_t stores, contents;
};

/* One access. dp may be at most 7 bytes past its end here, and the buffer has 16 to spare. */
static inline void plain(struct state *s, uint32_t nibble) {
    s->id += rft_unzigzag(rf_load_le32(s->dp) & delta_mask[nibble & 3]);
    s->dp += (nibble & 3) + 1;
    s->max_id = RF_MAX(s->max_id, s->id);
    *s->out++ = s->id | (nibble & RFT_N_WRITE) << 28;
}

static inline const char *run(struct state *s, uint32_t write) {
    uint64_t n;
    if (!rft_get_varint(&s->ap, s->aend, &n) || n == 0 || n > (uint64_t)(s->oend - s->out))
        return "a run has no length or is longer than its header's words allow";
    for (uint32_t i = 0; i < n; i++)
        s->out[i] = (s->id + 1 + i) | write;
    /* a run that passes 2^28 ends beyond it, as n is at most 2^20 */
    s->id += (uint32_t)n;
    s->max_id = RF_MAX(s->max_id, s->id);
    s->out += n;
    return NULL;
}

static inline const char *with_content(struct state *s, uint32_t *from, uint32_t write) {
    uint64_t delta, change;
    if (!rft_get_varint(&s->ap, s->aend, &delta) || !rft_get_varint(&s->ap, s->aend, &change) ||
        (delta | change) > UINT32_MAX || s->oend - s->out < 2)
        return "a content record is cut off";
    *from += rft_unzigzag((uint32_t)delta);
    s->content += rft_unzigzag((uint32_t)change);
    s->max_id = RF_MAX(s->max_id, *from);
    s->max_content = RF_MAX(s->max_content, s->content);
    s->out[0] = *from | OP_CONTENT | write;
    s->out[1] = s->content;
    s->out += 2;
    return NULL;
}

/* A record that is not a plain access; returns what is wrong with it, or NULL. */
static inline const char *special(struct state *s, uint32_t nibble) {
    switch (nibble) {
    case RFT_S_RUN_READ:
        return run(s, 0);
    case RFT_S_RUN_WRITE:
        return run(s, OP_WRITE);
    case RFT_S_STORE:
        s->stores++;
        return with_content(s, &s->id, OP_WRITE);
    case RFT_S_CONTENT:
        s->contents++;
        return with_content(s, &s->cid, 0);
    case RFT_S_EVENT:
        if (s->nev >= s->events)
            return "it refers to more events than it holds";
        *s->out++ = OP_EVENT | s->nev++;
        return NULL;
    default:
        return "a record is of an unknown kind";
    }
}

static const char *decode_records(struct state *state, const uint8_t *ctl, uint32_t records) {
    static const char too_many[] = "its records need more words or bytes than its header declares";
    struct state s = *state;
    const char *what = NULL;
    for (uint32_t left = records; left > 0 && !what;) {
        uint32_t c = *ctl++;
        if (RF_LIKELY(!(c & (RFT_N_SPECIAL * 0x11)) && left >= 2)) {
            if (RF_UNLIKELY(s.dp > s.dend || s.oend - s.out < 2))
                return too_many;
            plain(&s, c);
            plain(&s, c >> 4);
            left -= 2;
            continue;
        }
        for (int k = 0; k < 2 && left > 0 && !what; k++, left--, c >>= 4) {
            if (s.dp > s.dend || s.out == s.oend)
                what = too_many;
            else if (c & RFT_N_SPECIAL)
                what = special(&s, c & 15);
            else
                plain(&s, c);
        }
    }
    if (!what && (s.dp != s.dend || s.ap != s.aend || s.out != s.oend || s.nev != s.events))
        what = "its records leave declared words, bytes or events unused";
    *state = s;
    return what;
}

int rft_decode(const struct rft_block_header *h, const uint8_t *raw, const struct rft_limits *lim,
               uint64_t at, uint32_t *ops, struct trace_event *events, struct rft_decoded *found,
               struct rf_err *err) {
    const uint8_t *data = raw + ((size_t)h->records + 1) / 2, *args = data + h->data_bytes;
    struct state s = {.dp = data,
                      .dend = args,
                      .ap = args,
                      .aend = args + h->args_bytes,
                      .out = ops,
                      .oend = ops + h->count,
                      .events = h->nevents};
    int rc = decode_events(h, s.aend, lim, at, events, err);
    if (rc)
        return rc;
    const char *what = decode_records(&s, raw, h->records);
    if (what)
        return rf_fail(err, RF_EINPUT, "offset %llu: bad block: %s", (unsigned long long)at, what);
    bool has_ids = h->count > s.nev;
    if (has_ids && s.max_id >= (uint64_t)lim->blocks << 9)
        return rf_fail(err, RF_EINPUT,
                       "offset %llu: a page id among the block's %u operations is outside the "
                       "trace's %u blocks of 512 pages",
                       (unsigned long long)at, h->count, lim->blocks);
    if (s.max_content > lim->max_content || s.max_content > CONTENT_MAX)
        return rf_fail(err, RF_EINPUT,
                       "offset %llu: content id %u in the block, expected at most %llu",
                       (unsigned long long)at, s.max_content, (unsigned long long)lim->max_content);
    found->accesses = h->count - s.nev - s.stores - 2 * s.contents;
    found->contents = s.stores + s.contents;
    return 0;
}
