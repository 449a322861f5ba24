/* SPDX-License-Identifier: Apache-2.0 */
/* Begins in the middle of a trace, by its index. */
#include "reader.h"

int trace_seek(struct trace_reader *r, uint64_t op, struct rf_err *err) {
    uint8_t entry[RFT_INDEX_ENTRY_BYTES], header[RFT_BLOCK_HEADER_BYTES];
    struct rft_block_header h;
    int rc;

    if (op >= r->info.ops)
        return rf_fail(err, RF_EUSAGE, "%s: access %llu, expected one of its %llu", r->path,
                       (unsigned long long)op, (unsigned long long)r->info.ops);
    /* From the end: the last record block that begins at or before the access. The index does not
     * tell the kinds apart, so where a number fits the block itself is asked. */
    for (uint64_t n = r->nindex; n-- > 0;) {
        uint64_t at, first;

        if ((rc =
                 rft_pread(r, entry, sizeof(entry), r->index_at + n * sizeof(entry), "index", err)))
            return rc;
        at = rf_load_le64(entry);
        first = rf_load_le64(entry + 8);
        if (first > op)
            continue;
        if (at < RFT_HEADER_BYTES || at >= r->footer_at ||
            r->footer_at - at < RFT_BLOCK_HEADER_BYTES)
            return rf_fail(err, RF_EINPUT,
                           "%s: offset %llu: index has a block at %llu, expected one before the "
                           "footer at %llu",
                           r->path, (unsigned long long)(r->index_at + n * sizeof(entry)),
                           (unsigned long long)at, (unsigned long long)r->footer_at);
        if ((rc = rft_pread(r, header, sizeof(header), at, "block header", err)))
            return rc;
        rft_load_block_header(header, &h);
        if (h.kind != RFT_RECORDS)
            continue;
        r->at = at;
        r->seen = first;
        r->sought = true;
        return 0;
    }
    return rf_fail(err, RF_EINPUT, "%s: offset %llu: no block of access %llu in the index", r->path,
                   (unsigned long long)r->index_at, (unsigned long long)op);
}
