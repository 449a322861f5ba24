/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of .rft: opens, decodes and verifies. Built with
 * FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION it skips checksums; without, this mends the checksums of
 * header, footer and blocks first, as far as the file's own lengths lead.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
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
