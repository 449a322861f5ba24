/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of .rft. An input that begins like a trace is opened, decoded and verified after the
 * checksums of its header, footer and blocks have been mended, as far as its own lengths lead. Any
 * other input is the uncompressed bytes of one block, behind 20 bytes that say how it is divided:
 * zstd would keep most changes from getting that far.
 */
#include "fuzz_file.h"
#include <xxhash.h>
#include "trace/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mend(uint8_t *f, size_t n) {
    if (n < RFT_HEADER_BYTES)
        return;
    memcpy(f, rft_magic, 8);
    rf_store_le64(f + 32, n);
    uint64_t at = rf_load_le64(f + 16), footer;
    if (at > n) {
        at = n;
        rf_store_le64(f + 16, at);
    }
    footer = n - at;
    rf_store_le64(f + 24, footer);
    rf_store_le64(f + 56, XXH64(f, RFT_HEADER_BYTES - 8, 0));
    if (footer >= 8)
        rf_store_le64(f + n - 8, XXH64(f + at, footer - 8, at));
    for (uint64_t b = RFT_HEADER_BYTES; b + RFT_BLOCK_HEADER_BYTES <= at;) {
        uint64_t payload = b + RFT_BLOCK_HEADER_BYTES, len = rf_load_le32(f + b + 8);
        if (len > at - payload)
            break;
        rf_store_le64(f + b + 56, rft_block_check(f + b, f + payload, len, b));
        b = payload + len;
    }
}

static void one_block(const uint8_t *data, size_t size) {
    enum { HEAD = 20 };
    if (size < HEAD)
        return;
    size_t n = size - HEAD;
    struct rft_block_header h = {.kind = data[0] & 1 ? RFT_CATALOGUE : RFT_RECORDS,
                                 .raw_bytes = (uint32_t)n,
                                 .count = rf_load_le32(data + 1) % 5000 + 1,
                                 .nevents = rf_load_le32(data + 5) % 100};
    struct rft_limits lim = {
        .blocks = data[16], .processes = data[17], .vmas = data[18], .max_content = data[19]};
    uint8_t *raw = calloc(1, n + 16);
    struct rf_err err = {0};
    if (!raw)
        return;
    memcpy(raw, data + HEAD, n);
    if (h.kind == RFT_CATALOGUE) {
        struct content_row *rows = malloc(h.count * sizeof(*rows));
        if (rows)
            (void)rft_decode_rows(raw, n, h.count, rf_load_le32(data + 5) & 0xfff, rows);
        free(rows);
        free(raw);
        return;
    }
    h.records = (uint32_t)RF_MIN(rf_load_le32(data + 9) % (h.count + 1), 2 * n);
    size_t left = n - (h.records + 1) / 2;
    h.data_bytes = (uint32_t)(data[13] * left / 255);
    left -= h.data_bytes;
    h.args_bytes = (uint32_t)(data[14] * left / 255);
    h.event_bytes = (uint32_t)(left - h.args_bytes);
    uint32_t *ops = malloc((h.count + 2) * sizeof(*ops));
    struct trace_event *events = malloc((h.nevents + 1) * sizeof(*events));
    struct rft_decoded found;
    if (ops && events && rft_decode(&h, raw, &lim, 64, ops, events, &found, &err) == 0) {
        for (uint32_t i = 0; i < h.count; i++) {
            if (ops[i] & OP_EVENT ? (ops[i] & TRACE_ID_MASK) >= h.nevents
                                  : (ops[i] & TRACE_ID_MASK) >= lim.blocks << 9)
                abort();
            i += (ops[i] & OP_CONTENT) != 0;
        }
    }
    free(ops);
    free(events);
    free(raw);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || data[0] != rft_magic[0]) {
        one_block(data, size);
        return 0;
    }
    struct rf_err err = {0};
    struct trace_reader *r;
    struct trace_block b;
    char path[32];
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        return 0;
    if (size)
        memcpy(copy, data, size);
    mend(copy, size);
    int fd = fuzz_file(copy, size, path);
    free(copy);
    if (trace_open(path, &r, &err) == 0) {
        struct content_row *rows;
        size_t n;
        int blocks = 0;
        while (trace_next(r, &b, &err) == 1 && ++blocks < 64)
            ;
        if (r->rows_total < 1u << 20 && trace_load_rows(r, &rows, &n, &err) == 0)
            free(rows);
        if (trace_reader_info(r)->ops < 1u << 24 && trace_verify(r, &err) != 0 && !err.msg[0])
            abort();
        trace_close(r);
    }
    fuzz_file_end(fd);
    return 0;
}
