/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec: page compressors. One ops table a codec, one file each, one registry (codec/registry.c).
 * Results are lengths of a 4096-byte page, those of the kernel's compressors as far as known.
 */
#ifndef REFAULT_CODEC_H
#define REFAULT_CODEC_H

#include "refault/base.h"

/* Stable ids: they index size tables and are stored in catalogues. Append only. */
enum codec_id {
    CODEC_LZO,
    CODEC_LZO_RLE,
    CODEC_LZ4,
    CODEC_LZ4HC,
    CODEC_ZSTD,      /* as the crypto API drives it from 6.2 on: zswap, and zram up to 6.11 */
    CODEC_ZSTD_ZRAM, /* as zram's own back end drives it from 6.12 on */
    CODEC_DEFLATE,   /* raw, window 2 KiB, level 6 */
    CODEC_842,
    CODEC_DEFLATE_IAA, /* raw, fixed Huffman tables, window 4 KiB */
    CODEC_DEFLATE_IAA_DYN,
    CODEC_NULL,     /* stores 4096 bytes as they are */
    CODEC_ZSTD_1_4, /* as the crypto API drives it up to 6.1, with libzstd 1.4 */
    NR_CODECS
};

#define CODEC_MAX_OUT 8192u /* destination given to every compressor, as the kernel does */

struct codec_ops {
    const char *name; /* as in /sys, but "zstd-zram" and "zstd-1.4" for those two */
    enum codec_id id;
    size_t work_bytes; /* scratch that compress and decompress need; caller gives it zeroed once */
    /* Compresses 4096 bytes of src into dst (CODEC_MAX_OUT bytes). Length > 0, or RF_ECHECK if it
     * cannot be compressed into CODEC_MAX_OUT bytes. */
    int (*compress)(void *work, const uint8_t *src, uint8_t *dst);
    /* Decompresses len bytes to exactly 4096. 0 or RF_ECHECK on malformed input; never reads or
     * writes outside the buffers. */
    int (*decompress)(void *work, const uint8_t *src, size_t len, uint8_t *dst);
};

/* NULL if there is no codec of that name. */
const struct codec_ops *codec_find(const char *name);
/* What the kernel calls it: "zstd" for each of the three. */
const char *codec_kernel_name(enum codec_id id);
/* Never NULL for id < NR_CODECS. */
const struct codec_ops *codec_by_id(enum codec_id id);
/* The largest work_bytes of all codecs. No codec keeps anything between two calls, so one block of
 * this size, aligned as malloc() aligns, serves every codec in turn (but one thread at a time). */
size_t codec_max_work_bytes(void);

#endif
