/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: the input is decoded as an 842 stream, and used as a page that 842 must give back. */
#include <stdlib.h>
#include "refault/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct codec_ops *ops = codec_by_id(CODEC_842);
    uint8_t page[RF_PAGE_SIZE] = {0}, out[CODEC_MAX_OUT], back[RF_PAGE_SIZE];
    void *work = malloc(ops->work_bytes);

    if (!work)
        return 0;
    (void)ops->decompress(work, data, size, back);
    for (size_t i = 0; size > 0 && i < sizeof(page); i++)
        page[i] = data[i % size];
    int n = ops->compress(work, page, out);
    if (n <= 0 || n > 4424 || ops->decompress(work, out, (size_t)n, back) != RF_OK ||
        memcmp(back, page, sizeof(page)) != 0)
        abort();
    free(work);
    return 0;
}
