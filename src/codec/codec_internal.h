/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codecs' own tables, for the registry alone, and the helpers that they share.
 *
 * No codec keeps anything between two calls: whatever is in the work memory on entry is
 * overwritten. So one block of the largest work_bytes serves every codec in turn.
 */
#ifndef REFAULT_CODEC_INTERNAL_H
#define REFAULT_CODEC_INTERNAL_H

#include "refault/codec.h"

extern const struct codec_ops codec_lzo, codec_lzo_rle, codec_lz4, codec_lz4hc, codec_zstd,
    codec_zstd_zram, codec_deflate, codec_842, codec_deflate_iaa, codec_deflate_iaa_dyn, codec_null,
    codec_zstd_1_4;

#endif
