/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One codec's length of a page from another's, for catalogues and models that lack it.
 *
 * The rule is a line through ten knots for each pair of codecs. The knots were fitted by least
 * squares to 3,990 pages (same-filled ones left out) of anonymous memory of a C++ compiler, Python,
 * Node, Redis and SQLite, compressed by liblz4 1.9.4, libzstd 1.5.4
 * and zlib 1.2.13. Sums over those pages come out within 1 % (2 % from lz4hc to zstd and deflate);
 * the mean error of one page is 8 to 230 bytes, docs/contents.md has the table.
 */
#include "content_internal.h"

#define NR_KNOTS 10
#define NR_SOURCES 9 /* without the codec itself, CODEC_NULL and CODEC_ZSTD_1_4 */

static const uint16_t knot_at[NR_KNOTS] = {0, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096};

/* What a page of noise takes, measured: no page takes more. For deflate the window of 2 KiB cuts it
 * into several blocks, each of which may be a little off; the largest of 200 pages. */
static const uint16_t noise[NR_CODECS] = {
    [CODEC_LZO] = 4116,         [CODEC_LZO_RLE] = 4118,
    [CODEC_LZ4] = 4114,         [CODEC_LZ4HC] = 4114,
    [CODEC_ZSTD] = 4106,        [CODEC_ZSTD_ZRAM] = 4106,
    [CODEC_DEFLATE] = 4146,     [CODEC_842] = 4424,
    [CODEC_DEFLATE_IAA] = 4101, [CODEC_DEFLATE_IAA_DYN] = 4101,
};

/* fit[to][from][k]: length by `to` where the length by `from` is knot_at[k]. */
static const uint16_t fit[NR_CODECS][NR_CODECS][NR_KNOTS] =
    {
        [CODEC_LZO] =
            {
                [CODEC_LZO] = {0, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096},
                [CODEC_LZO_RLE] = {8, 254, 516, 1004, 1505, 2031, 2553, 3068, 3585, 4113},
                [CODEC_LZ4] = {26, 254, 508, 940, 1384, 1892, 2591, 2953, 3647, 4167},
                [CODEC_LZ4HC] = {18, 306, 639, 1077, 1634, 2021, 2893, 3005, 3859, 4153},
                [CODEC_ZSTD] = {8, 660, 818, 1611, 2177, 2435, 3423, 3633, 4223, 4223},
                [CODEC_ZSTD_ZRAM] = {8, 655, 827, 1600, 2160, 2442, 3429, 3648, 4201, 4201},
                [CODEC_DEFLATE] = {8, 540, 779, 1536, 2122, 2454, 3413, 3709, 4131, 4131},
                [CODEC_842] = {42, 247, 473, 850, 1205, 1768, 2226, 3038, 3658, 4105},
                [CODEC_DEFLATE_IAA] = {8, 370, 761, 1274, 1861, 2351, 2965, 3505, 4046, 4121},
                [CODEC_DEFLATE_IAA_DYN] = {8, 534, 791, 1524, 2124, 2481, 3392, 3732, 4131, 4131},
            },
        [CODEC_LZO_RLE] =
            {
                [CODEC_LZO] = {8, 257, 514, 1044, 1567, 2065, 2564, 3077, 3583, 4109},
                [CODEC_LZO_RLE] = {0, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096},
                [CODEC_LZ4] = {21, 255, 510, 950, 1422, 1909, 2598, 2957, 3643, 4164},
                [CODEC_LZ4HC] = {10, 315, 638, 1104, 1666, 2029, 2903, 3007, 3850, 4152},
                [CODEC_ZSTD] = {8, 657, 837, 1631, 2208, 2441, 3433, 3636, 4188, 4188},
                [CODEC_ZSTD_ZRAM] = {8, 652, 847, 1619, 2191, 2448, 3438, 3650, 4171, 4171},
                [CODEC_DEFLATE] = {8, 540, 793, 1559, 2148, 2461, 3421, 3708, 4097, 4133},
                [CODEC_842] = {31, 250, 463, 861, 1242, 1791, 2233, 3044, 3652, 4101},
                [CODEC_DEFLATE_IAA] = {8, 377, 767, 1311, 1876, 2361, 2966, 3518, 4008, 4118},
                [CODEC_DEFLATE_IAA_DYN] = {8, 535, 804, 1548, 2149, 2487, 3400, 3731, 4098, 4134},
            },
        [CODEC_LZ4] =
            {
                [CODEC_LZO] = {8, 261, 526, 1141, 1719, 2163, 2510, 3199, 3543, 4041},
                [CODEC_LZO_RLE] = {8, 260, 524, 1119, 1683, 2157, 2504, 3194, 3543, 4041},
                [CODEC_LZ4] = {0, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096},
                [CODEC_LZ4HC] = {8, 324, 649, 1229, 1738, 2192, 2712, 3221, 3691, 4106},
                [CODEC_ZSTD] = {8, 741, 931, 1735, 2291, 2426, 3537, 3595, 4010, 4074},
                [CODEC_ZSTD_ZRAM] = {8, 731, 948, 1716, 2279, 2431, 3539, 3611, 3988, 4079},
                [CODEC_DEFLATE] = {8, 582, 895, 1666, 2240, 2443, 3478, 3666, 3911, 4099},
                [CODEC_842] = {14, 256, 459, 915, 1368, 1905, 2275, 3057, 3641, 4034},
                [CODEC_DEFLATE_IAA] = {8, 376, 823, 1439, 2013, 2333, 3038, 3537, 3959, 4052},
                [CODEC_DEFLATE_IAA_DYN] = {8, 576, 906, 1656, 2238, 2473, 3441, 3693, 3913, 4098},
            },
        [CODEC_LZ4HC] =
            {
                [CODEC_LZO] = {8, 219, 431, 935, 1540, 1983, 2361, 3055, 3397, 4023},
                [CODEC_LZO_RLE] = {8, 219, 433, 915, 1509, 1962, 2359, 3049, 3397, 4023},
                [CODEC_LZ4] = {8, 218, 426, 849, 1317, 1893, 2387, 2927, 3447, 4099},
                [CODEC_LZ4HC] = {0, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096},
                [CODEC_ZSTD] = {8, 624, 759, 1544, 2088, 2285, 3367, 3460, 3863, 4068},
                [CODEC_ZSTD_ZRAM] = {8, 615, 776, 1524, 2083, 2290, 3368, 3474, 3854, 4073},
                [CODEC_DEFLATE] = {8, 468, 728, 1470, 2060, 2301, 3308, 3523, 3790, 4097},
                [CODEC_842] = {16, 217, 399, 734, 1155, 1718, 2139, 2895, 3523, 4016},
                [CODEC_DEFLATE_IAA] = {8, 308, 654, 1229, 1846, 2185, 2888, 3399, 3776, 4035},
                [CODEC_DEFLATE_IAA_DYN] = {8, 462, 739, 1459, 2062, 2329, 3282, 3547, 3792, 4097},
            },
        [CODEC_ZSTD] =
            {
                [CODEC_LZO] = {8, 210, 293, 692, 908, 1492, 2143, 2143, 2979, 4026},
                [CODEC_LZO_RLE] = {8, 207, 301, 676, 887, 1468, 2140, 2140, 2983, 4026},
                [CODEC_LZ4] = {8, 191, 350, 591, 936, 1226, 2196, 2196, 3048, 4151},
                [CODEC_LZ4HC] = {8, 234, 394, 713, 1054, 1450, 2495, 2495, 3353, 4138},
                [CODEC_ZSTD] = {0, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096},
                [CODEC_ZSTD_ZRAM] = {8, 252, 525, 1012, 1534, 2047, 2584, 3075, 3610, 4104},
                [CODEC_DEFLATE] = {8, 238, 479, 955, 1549, 2029, 2632, 3135, 3639, 4123},
                [CODEC_842] = {19, 185, 346, 576, 783, 1068, 1681, 2526, 2954, 4024},
                [CODEC_DEFLATE_IAA] = {8, 266, 441, 904, 1103, 2030, 2030, 2947, 3347, 4044},
                [CODEC_DEFLATE_IAA_DYN] = {8, 236, 488, 946, 1551, 2041, 2649, 3133, 3644, 4123},
            },
        [CODEC_ZSTD_ZRAM] =
            {
                [CODEC_LZO] = {8, 208, 292, 686, 911, 1484, 2157, 2157, 2950, 4019},
                [CODEC_LZO_RLE] = {8, 205, 300, 671, 888, 1461, 2152, 2152, 2953, 4019},
                [CODEC_LZ4] = {8, 189, 345, 589, 932, 1224, 2205, 2205, 3009, 4149},
                [CODEC_LZ4HC] = {8, 230, 393, 705, 1068, 1429, 2535, 2535, 3327, 4135},
                [CODEC_ZSTD] = {8, 259, 504, 1032, 1543, 2047, 2534, 3066, 3553, 4098},
                [CODEC_ZSTD_ZRAM] = {0, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096},
                [CODEC_DEFLATE] = {8, 241, 470, 962, 1546, 2033, 2606, 3135, 3610, 4122},
                [CODEC_842] = {18, 184, 340, 574, 773, 1087, 1685, 2512, 2930, 4017},
                [CODEC_DEFLATE_IAA] = {8, 263, 440, 893, 1114, 2027, 2040, 2899, 3347, 4038},
                [CODEC_DEFLATE_IAA_DYN] = {8, 240, 478, 953, 1548, 2045, 2621, 3135, 3614, 4122},
            },
        [CODEC_DEFLATE] =
            {
                [CODEC_LZO] = {8, 197, 299, 738, 1001, 1442, 2198, 2198, 2858, 4000},
                [CODEC_LZO_RLE] = {8, 195, 306, 721, 984, 1418, 2192, 2192, 2860, 4000},
                [CODEC_LZ4] = {14, 179, 351, 633, 1013, 1234, 2224, 2224, 2909, 4141},
                [CODEC_LZ4HC] = {8, 222, 398, 773, 1125, 1428, 2585, 2585, 3237, 4130},
                [CODEC_ZSTD] = {8, 296, 557, 1081, 1547, 2054, 2460, 2994, 3558, 4078},
                [CODEC_ZSTD_ZRAM] = {8, 292, 568, 1071, 1535, 2058, 2483, 3001, 3579, 4082},
                [CODEC_DEFLATE] = {0, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096},
                [CODEC_842] = {23, 171, 346, 591, 854, 1120, 1730, 2443, 2865, 3999},
                [CODEC_DEFLATE_IAA] = {8, 261, 467, 965, 1148, 2031, 2062, 2773, 3353, 4019},
                [CODEC_DEFLATE_IAA_DYN] = {8, 254, 521, 1016, 1537, 2059, 2578, 3069, 3549, 4117},
            },
        [CODEC_842] =
            {
                [CODEC_LZO] = {293, 293, 729, 1245, 1843, 2426, 2732, 2965, 3465, 4324},
                [CODEC_LZO_RLE] = {266, 279, 714, 1231, 1815, 2396, 2734, 2960, 3465, 4324},
                [CODEC_LZ4] = {278, 278, 663, 1176, 1618, 2302, 2768, 2895, 3513, 4429},
                [CODEC_LZ4HC] = {245, 360, 799, 1349, 1814, 2562, 2752, 3026, 3686, 4436},
                [CODEC_ZSTD] = {15, 1069, 1069, 1881, 2272, 2708, 3289, 3557, 4351, 4354},
                [CODEC_ZSTD_ZRAM] = {23, 1056, 1056, 1861, 2282, 2708, 3301, 3563, 4324, 4360},
                [CODEC_DEFLATE] = {41, 885, 1005, 1802, 2313, 2700, 3284, 3655, 4220, 4383},
                [CODEC_842] = {0, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096},
                [CODEC_DEFLATE_IAA] = {198, 470, 1001, 1491, 2221, 2648, 2885, 3446, 4086, 4342},
                [CODEC_DEFLATE_IAA_DYN] = {44, 876, 1018, 1788, 2329, 2714, 3276, 3660, 4221, 4383},
            },
        [CODEC_DEFLATE_IAA] =
            {
                [CODEC_LZO] = {8, 192, 331, 768, 1254, 1725, 2229, 2653, 3100, 4084},
                [CODEC_LZO_RLE] = {8, 190, 338, 749, 1229, 1700, 2226, 2649, 3100, 4084},
                [CODEC_LZ4] = {17, 184, 351, 684, 1110, 1588, 2249, 2551, 3221, 4188},
                [CODEC_LZ4HC] = {11, 218, 414, 828, 1321, 1734, 2522, 2594, 3457, 4183},
                [CODEC_ZSTD] = {8, 441, 598, 1306, 1818, 2126, 2995, 3160, 3944, 4119},
                [CODEC_ZSTD_ZRAM] = {8, 437, 607, 1295, 1808, 2131, 3002, 3171, 3953, 4121},
                [CODEC_DEFLATE] = {8, 339, 558, 1238, 1792, 2137, 2988, 3239, 3925, 4134},
                [CODEC_842] = {25, 178, 346, 606, 936, 1448, 1912, 2678, 3193, 4080},
                [CODEC_DEFLATE_IAA] = {0, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096},
                [CODEC_DEFLATE_IAA_DYN] = {8, 334, 568, 1227, 1795, 2160, 2976, 3253, 3924, 4135},
            },
        [CODEC_DEFLATE_IAA_DYN] =
            {
                [CODEC_LZO] = {8, 197, 296, 734, 1006, 1446, 2187, 2187, 2852, 3992},
                [CODEC_LZO_RLE] = {8, 194, 303, 716, 989, 1422, 2182, 2182, 2854, 3992},
                [CODEC_LZ4] = {14, 178, 349, 628, 1015, 1239, 2213, 2213, 2909, 4130},
                [CODEC_LZ4HC] = {8, 220, 394, 768, 1133, 1424, 2578, 2578, 3248, 4116},
                [CODEC_ZSTD] = {8, 298, 549, 1089, 1546, 2043, 2435, 2994, 3582, 4064},
                [CODEC_ZSTD_ZRAM] = {8, 295, 560, 1080, 1534, 2048, 2458, 3003, 3603, 4068},
                [CODEC_DEFLATE] = {8, 258, 504, 1031, 1535, 2038, 2535, 3077, 3576, 4098},
                [CODEC_842] = {23, 171, 345, 585, 852, 1130, 1730, 2413, 2867, 3990},
                [CODEC_DEFLATE_IAA] = {8, 260, 463, 962, 1157, 2024, 2048, 2758, 3358, 4010},
                [CODEC_DEFLATE_IAA_DYN] = {0, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096},
            },
};

/* Sources of a codec by rising error of a page. */
static const uint8_t preference[NR_CODECS][NR_SOURCES] = {
    [CODEC_LZO] = {CODEC_LZO_RLE, CODEC_DEFLATE_IAA, CODEC_LZ4HC, CODEC_LZ4, CODEC_842,
                   CODEC_DEFLATE_IAA_DYN, CODEC_DEFLATE, CODEC_ZSTD_ZRAM, CODEC_ZSTD},
    [CODEC_LZO_RLE] = {CODEC_LZO, CODEC_DEFLATE_IAA, CODEC_LZ4, CODEC_LZ4HC, CODEC_842,
                       CODEC_DEFLATE_IAA_DYN, CODEC_DEFLATE, CODEC_ZSTD_ZRAM, CODEC_ZSTD},
    [CODEC_LZ4] = {CODEC_LZO_RLE, CODEC_LZ4HC, CODEC_LZO, CODEC_DEFLATE_IAA, CODEC_842,
                   CODEC_DEFLATE_IAA_DYN, CODEC_DEFLATE, CODEC_ZSTD_ZRAM, CODEC_ZSTD},
    [CODEC_LZ4HC] = {CODEC_DEFLATE_IAA, CODEC_LZ4, CODEC_LZO, CODEC_LZO_RLE, CODEC_842,
                     CODEC_DEFLATE_IAA_DYN, CODEC_DEFLATE, CODEC_ZSTD_ZRAM, CODEC_ZSTD},
    [CODEC_ZSTD] = {CODEC_ZSTD_ZRAM, CODEC_DEFLATE, CODEC_DEFLATE_IAA_DYN, CODEC_DEFLATE_IAA,
                    CODEC_LZO_RLE, CODEC_LZO, CODEC_LZ4, CODEC_LZ4HC, CODEC_842},
    [CODEC_ZSTD_ZRAM] = {CODEC_ZSTD, CODEC_DEFLATE, CODEC_DEFLATE_IAA_DYN, CODEC_DEFLATE_IAA,
                         CODEC_LZO_RLE, CODEC_LZO, CODEC_LZ4, CODEC_LZ4HC, CODEC_842},
    [CODEC_DEFLATE] = {CODEC_DEFLATE_IAA_DYN, CODEC_ZSTD_ZRAM, CODEC_ZSTD, CODEC_DEFLATE_IAA,
                       CODEC_LZO_RLE, CODEC_LZO, CODEC_LZ4, CODEC_LZ4HC, CODEC_842},
    [CODEC_842] = {CODEC_LZ4HC, CODEC_DEFLATE_IAA, CODEC_LZ4, CODEC_LZO, CODEC_LZO_RLE,
                   CODEC_DEFLATE_IAA_DYN, CODEC_DEFLATE, CODEC_ZSTD_ZRAM, CODEC_ZSTD},
    [CODEC_DEFLATE_IAA] = {CODEC_LZO, CODEC_LZO_RLE, CODEC_LZ4HC, CODEC_LZ4, CODEC_842,
                           CODEC_DEFLATE_IAA_DYN, CODEC_DEFLATE, CODEC_ZSTD_ZRAM, CODEC_ZSTD},
    [CODEC_DEFLATE_IAA_DYN] = {CODEC_DEFLATE, CODEC_ZSTD_ZRAM, CODEC_ZSTD, CODEC_DEFLATE_IAA,
                               CODEC_LZO_RLE, CODEC_LZO, CODEC_LZ4, CODEC_LZ4HC, CODEC_842},
};

/* The two versions of the library differ by less than a line through knots can tell. */
static enum codec_id fitted_as(enum codec_id id) {
    return id == CODEC_ZSTD_1_4 ? CODEC_ZSTD : id;
}

enum codec_id derive_source(enum codec_id to, const uint16_t known[NR_CODECS]) {
    if (known[to] != 0)
        return to;
    if (to == CODEC_ZSTD_1_4 && known[CODEC_ZSTD] != 0)
        return CODEC_ZSTD;
    if (to == CODEC_ZSTD && known[CODEC_ZSTD_1_4] != 0)
        return CODEC_ZSTD_1_4;
    for (size_t i = 0; i < NR_SOURCES; i++) {
        enum codec_id from = preference[fitted_as(to)][i];
        if (known[from] != 0)
            return from;
        if (from == CODEC_ZSTD && known[CODEC_ZSTD_1_4] != 0)
            return CODEC_ZSTD_1_4;
    }
    return NR_CODECS;
}

uint32_t derive_size(enum codec_id to, enum codec_id from, uint32_t size) {
    if (to == CODEC_NULL)
        return RF_PAGE_SIZE;
    to = fitted_as(to);
    from = fitted_as(from);
    if (to == from)
        return size;
    const uint16_t *y = fit[to][from];
    uint32_t out;
    if (size >= knot_at[NR_KNOTS - 1]) {
        out = y[NR_KNOTS - 1] + (size - knot_at[NR_KNOTS - 1]);
    } else {
        size_t k = 0;
        while (size >= knot_at[k + 1])
            k++;
        uint32_t width = (uint32_t)knot_at[k + 1] - knot_at[k];
        uint32_t rise = (uint32_t)y[k + 1] - y[k];
        out = y[k] + ((size - knot_at[k]) * rise + width / 2) / width;
    }
    return RF_MAX(1u, RF_MIN(out, noise[to]));
}
