/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed-size headers of the format, field by field. */
#include <xxhash.h>

#include "format.h"

const uint8_t rft_magic[8] = {0x89, 'R', 'F', 'T', '\r', '\n', 0x1a, '\n'};

void rft_printable(char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            text[i] = '?';
}

void rft_store_block_header(uint8_t out[RFT_BLOCK_HEADER_BYTES], const struct rft_block_header *h) {
    rf_store_le32(out, RFT_BLOCK_MAGIC);
    rf_store_le32(out + 4, h->kind);
    rf_store_le32(out + 8, h->comp_bytes);
    rf_store_le32(out + 12, h->raw_bytes);
    rf_store_le32(out + 16, h->count);
    rf_store_le32(out + 20, h->records);
    rf_store_le32(out + 24, h->data_bytes);
    rf_store_le32(out + 28, h->args_bytes);
    rf_store_le32(out + 32, h->event_bytes);
    rf_store_le32(out + 36, h->nevents);
    rf_store_le64(out + 40, h->first);
    rf_store_le64(out + 48, h->raw_hash);
    rf_store_le64(out + 56, h->check);
}

void rft_load_block_header(const uint8_t in[RFT_BLOCK_HEADER_BYTES], struct rft_block_header *h) {
    /* kinds above 255 are as unknown as 255 is */
    h->kind = (uint8_t)RF_MIN(rf_load_le32(in + 4), 255u);
    h->comp_bytes = rf_load_le32(in + 8);
    h->raw_bytes = rf_load_le32(in + 12);
    h->count = rf_load_le32(in + 16);
    h->records = rf_load_le32(in + 20);
    h->data_bytes = rf_load_le32(in + 24);
    h->args_bytes = rf_load_le32(in + 28);
    h->event_bytes = rf_load_le32(in + 32);
    h->nevents = rf_load_le32(in + 36);
    h->first = rf_load_le64(in + 40);
    h->raw_hash = rf_load_le64(in + 48);
    h->check = rf_load_le64(in + 56);
}

uint64_t rft_block_check(const uint8_t header[RFT_BLOCK_HEADER_BYTES], const uint8_t *payload,
                         size_t n, uint64_t at) {
    uint64_t h = XXH64(header, RFT_BLOCK_HEADER_BYTES - 8, at);
    return XXH64(payload, n, h);
}
