/* SPDX-License-Identifier: Apache-2.0 */
/* The codec that stores a page as it is: a floor for time and a ceiling for size. */
#include "codec_internal.h"

static int null_compress(void *work, const uint8_t *src, uint8_t *dst) {
    (void)work;
    memcpy(dst, src, RF_PAGE_SIZE);
    return (int)RF_PAGE_SIZE;
}

static int null_decompress(void *work, const uint8_t *src, size_t len, uint8_t *dst) {
    (void)work;
    if (len != RF_PAGE_SIZE)
        return RF_ECHECK;
    memcpy(dst, src, RF_PAGE_SIZE);
    return RF_OK;
}

const struct codec_ops codec_null = {
    .name = "null",
    .id = CODEC_NULL,
    .work_bytes = 0,
    .compress = null_compress,
    .decompress = null_decompress,
};
