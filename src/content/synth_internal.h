/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic models: what the parser builds and the sampler reads. */
#ifndef REFAULT_SYNTH_INTERNAL_H
#define REFAULT_SYNTH_INTERNAL_H

#include "content_internal.h"

/* How many different pages a kind with real bytes has. */
#define SYNTH_PAGES 64u

enum synth_kind {
    SYNTH_FILL,   /* same-filled by `word` */
    SYNTH_DRAW,   /* lz4 length drawn from a table; 0 = page of zeros */
    SYNTH_RANGE,  /* lz4 length uniform in [lo, lo + span) */
    SYNTH_USEMEM, /* real bytes: increasing 64-bit integers */
    SYNTH_RANDOM, /* real bytes: first k eighths random, rest zero */
};

struct synth_part {
    enum synth_kind kind;
    uint64_t upto; /* chosen if the id's low 32 hash bits are below; the last has 2^32 */
    uint64_t word;
    uint32_t lo, span;
    uint32_t k;
    uint16_t *draw;
    size_t nr_draw;
    /* Lengths of the real pages (one page for SYNTH_FILL), 0 = not yet known. */
    _Atomic uint16_t known[NR_CODECS][SYNTH_PAGES];
};

struct synth {
    uint64_t seed; /* already mixed */
    size_t nr;
    struct synth_part *part;
    /* The length of the page of zeros by each codec, 0 = not yet known. */
    _Atomic uint16_t zero[NR_CODECS];
    /* map[codec][lz4 length], filled when the set is made. */
    uint16_t map[NR_CODECS][CONTENT_SIZE_MAX + 1];
};

/* A table of lz4 lengths with this mean, for "hist". NULL without memory; *nr gets its length. */
uint16_t *synth_histogram(uint32_t mean, size_t *nr);
/* Smallest and largest mean that synth_histogram() can give. */
#define SYNTH_MEAN_MIN 64u
#define SYNTH_MEAN_MAX 4000u

#endif
