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

int rft_decode(const struct rft_block_header *h, const uint8_t *raw, const struct rft_limits *lim,
               uint64_t at, uint32_t *ops, struct trace_event *events, struct rft_decoded *found,
               struct rf_err *err) {
    const uint8_t *ctl = raw;
    const uint8_t *dp = raw + (h->records + 1) / 2;
    const uint8_t *dend = dp + h->data_bytes;
    const uint8_t *ap = dend, *aend = ap + h->args_bytes;
    uint32_t *out = ops, *const oend = ops + h->count;
    uint32_t id = 0, cid = 0, content = 0, max = 0, nev = 0, cmax = 0;
    uint64_t stores = 0, contents = 0;
    const char *what = NULL;
    int rc = decode_events(h, aend, lim, at, events, err);

    if (rc)
        return rc;
    for (uint32_t left = h->records; left > 0;) {
        uint32_t c = *ctl++;
        if (RF_LIKELY(!(c & (RFT_N_SPECIAL * 0x11)) && left >= 2)) {
            /* dp may be at most 7 bytes past dend here, and the buffer has 16 to spare */
            if (RF_UNLIKELY(dp > dend || oend - out < 2)) {
                what = "its records need more words or bytes than its header declares";
                break;
            }
            id += rft_unzigzag(rf_load_le32(dp) & delta_mask[c & 3]);
            dp += (c & 3) + 1;
            max = RF_MAX(max, id);
            out[0] = id | (c & 8) << 28;
            id += rft_unzigzag(rf_load_le32(dp) & delta_mask[c >> 4 & 3]);
            dp += (c >> 4 & 3) + 1;
            max = RF_MAX(max, id);
            out[1] = id | (c & 0x80) << 24;
            out += 2;
            left -= 2;
            continue;
        }
        for (int k = 0; k < 2 && left > 0; k++, left--, c >>= 4) {
            uint32_t nib = c & 15;
            uint64_t a, b;
            if (dp > dend || oend - out < 1) {
                what = "its records need more words or bytes than its header declares";
                break;
            }
            if (!(nib & RFT_N_SPECIAL)) {
                id += rft_unzigzag(rf_load_le32(dp) & delta_mask[nib & 3]);
                dp += (nib & 3) + 1;
                max = RF_MAX(max, id);
                *out++ = id | (nib & 8) << 28;
                continue;
            }
            switch (nib) {
            case RFT_S_RUN_READ:
            case RFT_S_RUN_WRITE: {
                if (!rft_get_varint(&ap, aend, &a) || a == 0 || a > (uint64_t)(oend - out)) {
                    what = "a run has no length or is longer than its header's words allow";
                    break;
                }
                uint32_t w = (nib & 8) << 28, n = (uint32_t)a;
                for (uint32_t i = 0; i < n; i++)
                    out[i] = (id + 1 + i) | w;
                /* a run that passes 2^28 ends beyond it, as n is at most 2^20 */
                id += n;
                max = RF_MAX(max, id);
                out += n;
                break;
            }
            case RFT_S_STORE:
            case RFT_S_CONTENT: {
                if (!rft_get_varint(&ap, aend, &a) || !rft_get_varint(&ap, aend, &b) ||
                    (a | b) > UINT32_MAX || oend - out < 2) {
                    what = "a content record is cut off";
                    break;
                }
                uint32_t *from = nib == RFT_S_STORE ? &id : &cid;
                *from += rft_unzigzag((uint32_t)a);
                content += rft_unzigzag((uint32_t)b);
                max = RF_MAX(max, *from);
                cmax = RF_MAX(cmax, content);
                out[0] = *from | OP_CONTENT | (nib & 8) << 28;
                out[1] = content;
                out += 2;
                if (nib == RFT_S_STORE)
                    stores++;
                else
                    contents++;
                break;
            }
            case RFT_S_EVENT:
                if (nev >= h->nevents) {
                    what = "it refers to more events than it holds";
                    break;
                }
                *out++ = OP_EVENT | nev++;
                break;
            default:
                what = "a record is of an unknown kind";
                break;
            }
            if (what)
                break;
        }
        if (what)
            break;
    }
    if (!what && (dp != dend || ap != aend || out != oend || nev != h->nevents))
        what = "its records leave declared words, bytes or events unused";
    if (what)
        return rf_fail(err, RF_EINPUT, "offset %llu: bad block: %s", (unsigned long long)at, what);
    if (h->count && max >= (uint64_t)lim->blocks << 9 &&
        (uint64_t)(out - ops) > nev) /* some record has an id */
        return rf_fail(err, RF_EINPUT,
                       "offset %llu: a page id among the block's %u operations is outside the "
                       "trace's %u blocks of 512 pages",
                       (unsigned long long)at, h->count, lim->blocks);
    if (cmax > lim->max_content || cmax > CONTENT_MAX)
        return rf_fail(err, RF_EINPUT,
                       "offset %llu: content id %u in the block, expected at most %llu",
                       (unsigned long long)at, cmax, (unsigned long long)lim->max_content);
    found->accesses = (uint64_t)(out - ops) - nev - stores - 2 * contents;
    found->contents = stores + contents;
    return 0;
}
