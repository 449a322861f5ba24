/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lz4 and lz4hc through liblz4. Parameters as the kernel's crypto/lz4.c and crypto/lz4hc.c have
 * them (6.1 to 6.12): acceleration 1 with 16 KiB of hash memory, and level 9.
 */
#include <lz4.h>
#include <lz4hc.h>
#include "codec_internal.h"

#define LZ4HC_LEVEL 9 /* LZ4HC_DEFAULT_CLEVEL of include/linux/lz4.h */

static int lz4_page_compress(void *work, const uint8_t *src, uint8_t *dst) {
    int n = LZ4_compress_fast_extState(work, (const char *)src, (char *)dst, (int)RF_PAGE_SIZE,
                                       (int)CODEC_MAX_OUT, 1);
    return n > 0 ? n : RF_ECHECK;
}

static int lz4hc_page_compress(void *work, const uint8_t *src, uint8_t *dst) {
    int n = LZ4_compress_HC_extStateHC(work, (const char *)src, (char *)dst, (int)RF_PAGE_SIZE,
                                       (int)CODEC_MAX_OUT, LZ4HC_LEVEL);
    return n > 0 ? n : RF_ECHECK;
}

static int lz4_page_decompress(void *work, const uint8_t *src, size_t len, uint8_t *dst) {
    (void)work;
    if (len > CODEC_MAX_OUT)
        return RF_ECHECK;
    int n = LZ4_decompress_safe((const char *)src, (char *)dst, (int)len, (int)RF_PAGE_SIZE);
    return n == (int)RF_PAGE_SIZE ? RF_OK : RF_ECHECK;
}

const struct codec_ops codec_lz4 = {
    .name = "lz4",
    .id = CODEC_LZ4,
    .work_bytes = sizeof(LZ4_stream_t),
    .compress = lz4_page_compress,
    .decompress = lz4_page_decompress,
};

const struct codec_ops codec_lz4hc = {
    .name = "lz4hc",
    .id = CODEC_LZ4HC,
    .work_bytes = sizeof(LZ4_streamHC_t),
    .compress = lz4hc_page_compress,
    .decompress = lz4_page_decompress,
};
