/* SPDX-License-Identifier: Apache-2.0 */
/* The one list of codecs. A new codec is a file of its own and a line here. */
#include "codec_internal.h"

static const struct codec_ops *const codecs[NR_CODECS] = {
    [CODEC_LZO] = &codec_lzo,
    [CODEC_LZO_RLE] = &codec_lzo_rle,
    [CODEC_LZ4] = &codec_lz4,
    [CODEC_LZ4HC] = &codec_lz4hc,
    [CODEC_ZSTD] = &codec_zstd,
    [CODEC_ZSTD_ZRAM] = &codec_zstd_zram,
    [CODEC_DEFLATE] = &codec_deflate,
    [CODEC_842] = &codec_842,
    [CODEC_DEFLATE_IAA] = &codec_deflate_iaa,
    [CODEC_DEFLATE_IAA_DYN] = &codec_deflate_iaa_dyn,
    [CODEC_NULL] = &codec_null,
    [CODEC_ZSTD_1_4] = &codec_zstd_1_4,
};

const struct codec_ops *codec_find(const char *name) {
    for (size_t i = 0; i < NR_CODECS; i++) {
        if (strcmp(codecs[i]->name, name) == 0)
            return codecs[i];
    }
    return NULL;
}

const struct codec_ops *codec_by_id(enum codec_id id) {
    return codecs[id];
}

const char *codec_kernel_name(enum codec_id id) {
    return id == CODEC_ZSTD_ZRAM || id == CODEC_ZSTD_1_4 ? codecs[CODEC_ZSTD]->name
                                                         : codecs[id]->name;
}

size_t codec_max_work_bytes(void) {
    size_t max = 0;
    for (size_t i = 0; i < NR_CODECS; i++)
        max = RF_MAX(max, codecs[i]->work_bytes);
    return max;
}
