/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: the input is decoded as an lzo stream, and used as a page that lzo and lzo-rle must
 * give back unchanged.
 */
#include <stdlib.h>
#include "refault/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const enum codec_id ids[] = {CODEC_LZO, CODEC_LZO_RLE};
    static uint8_t work[1 << 14];
    uint8_t page[RF_PAGE_SIZE] = {0}, out[CODEC_MAX_OUT], back[RF_PAGE_SIZE];

    (void)codec_by_id(CODEC_LZO_RLE)->decompress(work, data, size, back);
    for (size_t i = 0; size > 0 && i < sizeof(page); i++)
        page[i] = data[i % size];
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        const struct codec_ops *ops = codec_by_id(ids[i]);
        int n = ops->compress(work, page, out);
        if (n <= 0 || n > 4421 || ops->decompress(work, out, (size_t)n, back) != RF_OK ||
            memcmp(back, page, sizeof(page)) != 0)
            abort();
    }
    return 0;
}
