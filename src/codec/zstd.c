/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zstd level 3 through libzstd, with the parameters spelled out so that no library version
 * changes them. The crypto API (crypto/zstd.c, 6.2 to 6.12) takes the level's row for an unknown
 * source size; zram's own back end (drivers/block/zram/backend_zstd.c, 6.12) the row for 4096
 * bytes. The library then shrinks window and tables to the declared 4096 bytes, so what counts is
 * the minimum match of 5 against 4. The contexts live in the caller's work memory.
 */
#include "zstd_internal.h"

static const ZSTD_compressionParameters crypto_params = {
    .windowLog = 21,
    .chainLog = 16,
    .hashLog = 17,
    .searchLog = 1,
    .minMatch = 5,
    .targetLength = 0,
    .strategy = ZSTD_dfast,
};

static const ZSTD_compressionParameters zram_params = {
    .windowLog = 14,
    .chainLog = 14,
    .hashLog = 15,
    .searchLog = 2,
    .minMatch = 4,
    .targetLength = 0,
    .strategy = ZSTD_dfast,
};

static ZSTD_CCtx *context_with(void *work, const ZSTD_compressionParameters *params) {
    const struct {
        ZSTD_cParameter name;
        int value;
    } set[] = {
        {ZSTD_c_compressionLevel, 3},
        {ZSTD_c_windowLog, (int)params->windowLog},
        {ZSTD_c_chainLog, (int)params->chainLog},
        {ZSTD_c_hashLog, (int)params->hashLog},
        {ZSTD_c_searchLog, (int)params->searchLog},
        {ZSTD_c_minMatch, (int)params->minMatch},
        {ZSTD_c_targetLength, (int)params->targetLength},
        {ZSTD_c_strategy, (int)params->strategy},
        {ZSTD_c_contentSizeFlag, 1},
        {ZSTD_c_checksumFlag, 0},
        {ZSTD_c_dictIDFlag, 0},
    };
    ZSTD_CCtx *ctx = ZSTD_initStaticCCtx(work, ZSTD_WORK_BYTES);
    for (size_t i = 0; ctx && i < sizeof(set) / sizeof(set[0]); i++) {
        if (ZSTD_isError(ZSTD_CCtx_setParameter(ctx, set[i].name, set[i].value)))
            return NULL;
    }
    return ctx;
}

ZSTD_CCtx *zstd_crypto_context(void *work) {
    return context_with(work, &crypto_params);
}

static int compress_in(ZSTD_CCtx *ctx, const uint8_t *src, uint8_t *dst) {
    if (!ctx)
        return RF_ECHECK;
    size_t n = ZSTD_compress2(ctx, dst, CODEC_MAX_OUT, src, RF_PAGE_SIZE);
    return ZSTD_isError(n) ? RF_ECHECK : (int)n;
}

int zstd_crypto_compress(void *work, const uint8_t *src, uint8_t *dst) {
    return compress_in(zstd_crypto_context(work), src, dst);
}

static int zstd_zram_compress(void *work, const uint8_t *src, uint8_t *dst) {
    return compress_in(context_with(work, &zram_params), src, dst);
}

int zstd_page_decompress(void *work, const uint8_t *src, size_t len, uint8_t *dst) {
    if (len > CODEC_MAX_OUT)
        return RF_ECHECK;
    ZSTD_DCtx *ctx = ZSTD_initStaticDCtx(work, ZSTD_WORK_BYTES);
    if (!ctx)
        return RF_ECHECK;
    size_t n = ZSTD_decompressDCtx(ctx, dst, RF_PAGE_SIZE, src, len);
    return n == RF_PAGE_SIZE ? RF_OK : RF_ECHECK;
}

const struct codec_ops codec_zstd = {
    .name = "zstd",
    .id = CODEC_ZSTD,
    .work_bytes = ZSTD_WORK_BYTES,
    .compress = zstd_crypto_compress,
    .decompress = zstd_page_decompress,
};

const struct codec_ops codec_zstd_zram = {
    .name = "zstd-zram",
    .id = CODEC_ZSTD_ZRAM,
    .work_bytes = ZSTD_WORK_BYTES,
    .compress = zstd_zram_compress,
    .decompress = zstd_page_decompress,
};
