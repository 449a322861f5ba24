/* SPDX-License-Identifier: Apache-2.0 */
/* What the zstd codecs share. */
#ifndef REFAULT_CODEC_ZSTD_INTERNAL_H
#define REFAULT_CODEC_ZSTD_INTERNAL_H

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include "codec_internal.h"

/* Enough for the larger of the two contexts after the library shrank its tables (1.5.4 needs
 * about 100 KiB) and for the decompression context (about 96 KiB). */
#define ZSTD_WORK_BYTES (384u * 1024)

/* A context in the work memory with the parameters of the crypto API; NULL if that fails. */
ZSTD_CCtx *zstd_crypto_context(void *work);

/* Both take ZSTD_WORK_BYTES. */
int zstd_crypto_compress(void *work, const uint8_t *src, uint8_t *dst);
int zstd_page_decompress(void *work, const uint8_t *src, size_t len, uint8_t *dst);

#endif
