/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The deflate family through zlib, always a raw stream without header or checksum.
 * deflate: crypto/deflate.c (6.1 to 6.12): level 6, window 2^11, memory level 8.
 * deflate-iaa: what Intel's IAA makes in the merged driver: the format's fixed Huffman codes and
 * a history of 4 KiB (Documentation/driver-api/crypto/iaa/iaa-crypto.rst, 6.8). The device's match
 * finder is not published; zlib's at level 6 stands in for it.
 * deflate-iaa-dyn: the same with tables built for each page, as the "dynamic" mode of the driver's
 * batching series does (mails of K. P. Sridhar, 2025).
 */
#include <zlib.h>
#include "codec_internal.h"

/* deflateInit2 takes 2^(window+2) + 2^(memory level+9) bytes and its state, inflateInit2 about
 * 7 KiB and a window (zconf.h); 8 KiB more for the state and rounding. */
#define DEFLATE_WORK_BYTES ((1u << 14) + (1u << 17) + 64u * 1024)
#define DEFLATE_LEVEL 6
#define DEFLATE_MEM_LEVEL 8
#define DEFLATE_WINDOW 11
#define IAA_WINDOW 12

/* zlib asks for its memory piece by piece; it gets the work memory's next bytes. */
struct bump {
    uint8_t *next;
    size_t left;
};

static voidpf bump_alloc(voidpf opaque, uInt items, uInt size) {
    struct bump *b = opaque;
    size_t want = ((size_t)items * size + 63) & ~(size_t)63;
    if (want > b->left)
        return Z_NULL;
    voidpf p = b->next;
    memset(p, 0, want);
    b->next += want;
    b->left -= want;
    return p;
}

static void bump_free(voidpf opaque, voidpf p) {
    (void)opaque;
    (void)p;
}

static int deflate_with(void *work, int window, int strategy, const uint8_t *src, uint8_t *dst) {
    struct bump b = {.next = work, .left = DEFLATE_WORK_BYTES};
    z_stream z = {.zalloc = bump_alloc, .zfree = bump_free, .opaque = &b};
    if (deflateInit2(&z, DEFLATE_LEVEL, Z_DEFLATED, -window, DEFLATE_MEM_LEVEL, strategy) != Z_OK)
        return RF_ECHECK;
    z.next_in = (z_const Bytef *)(uintptr_t)src;
    z.avail_in = RF_PAGE_SIZE;
    z.next_out = dst;
    z.avail_out = CODEC_MAX_OUT;
    int rc = deflate(&z, Z_FINISH);
    int n = (int)z.total_out;
    (void)deflateEnd(&z);
    return rc == Z_STREAM_END ? n : RF_ECHECK;
}

static int deflate_page_compress(void *work, const uint8_t *src, uint8_t *dst) {
    return deflate_with(work, DEFLATE_WINDOW, Z_DEFAULT_STRATEGY, src, dst);
}

static int iaa_page_compress(void *work, const uint8_t *src, uint8_t *dst) {
    return deflate_with(work, IAA_WINDOW, Z_FIXED, src, dst);
}

static int iaa_dyn_page_compress(void *work, const uint8_t *src, uint8_t *dst) {
    return deflate_with(work, IAA_WINDOW, Z_DEFAULT_STRATEGY, src, dst);
}

static int inflate_page(void *work, const uint8_t *src, size_t len, uint8_t *dst) {
    if (len > CODEC_MAX_OUT)
        return RF_ECHECK;
    struct bump b = {.next = work, .left = DEFLATE_WORK_BYTES};
    z_stream z = {.zalloc = bump_alloc, .zfree = bump_free, .opaque = &b};
    if (inflateInit2(&z, -IAA_WINDOW) != Z_OK)
        return RF_ECHECK;
    z.next_in = (z_const Bytef *)(uintptr_t)src;
    z.avail_in = (uInt)len;
    z.next_out = dst;
    z.avail_out = RF_PAGE_SIZE;
    int rc = inflate(&z, Z_FINISH);
    bool whole = rc == Z_STREAM_END && z.total_out == RF_PAGE_SIZE && z.avail_in == 0;
    (void)inflateEnd(&z);
    return whole ? RF_OK : RF_ECHECK;
}

const struct codec_ops codec_deflate = {
    .name = "deflate",
    .id = CODEC_DEFLATE,
    .work_bytes = DEFLATE_WORK_BYTES,
    .compress = deflate_page_compress,
    .decompress = inflate_page,
};

const struct codec_ops codec_deflate_iaa = {
    .name = "deflate-iaa",
    .id = CODEC_DEFLATE_IAA,
    .work_bytes = DEFLATE_WORK_BYTES,
    .compress = iaa_page_compress,
    .decompress = inflate_page,
};

const struct codec_ops codec_deflate_iaa_dyn = {
    .name = "deflate-iaa-dynamic",
    .id = CODEC_DEFLATE_IAA_DYN,
    .work_bytes = DEFLATE_WORK_BYTES,
    .compress = iaa_dyn_page_compress,
    .decompress = inflate_page,
};
