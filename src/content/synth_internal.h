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
    SYNTH_RANGE,  /* lz4 length uniform in [lo, lo + nr) */
    SYNTH_USEMEM, /* real bytes: increasing 64-bit integers */
    SYNTH_RANDOM, /* real bytes: first k eighths random, rest zero */
};

/*
 * One kind of page. It has nr cases, of which an id has one, all equally likely: the pages of a
 * kind with real bytes, the lengths of a range, the entries of a table.
 */
struct synth_part {
    enum synth_kind kind;
    uint32_t nr;
    uint64_t word;  /* SYNTH_FILL */
    uint32_t lo;    /* SYNTH_RANGE: lz4 length of case 0; each further case has one more */
    uint32_t k;     /* SYNTH_RANDOM */
    uint16_t *draw; /* SYNTH_DRAW: the lz4 length of each case */
    /* The length of each case by a codec: NULL until asked for, entries 0 until known. */
    _Atomic(_Atomic uint16_t *) known[NR_CODECS];
};

struct synth {
    uint64_t seed; /* already mixed */
    size_t nr;
    /* Part i is chosen if the id's low 32 hash bits are below upto[i] but of no earlier part. */
    uint64_t *upto;
    struct synth_part *part;
    struct synth_part zero; /* the page of zeros */
    bool fills;             /* some other id may be same-filled */
};

/* A table of lz4 lengths with this mean, for "hist". NULL without memory; *nr gets its length. */
uint16_t *synth_histogram(uint32_t mean, uint32_t *nr);
/* Smallest and largest mean that synth_histogram() can give. */
#define SYNTH_MEAN_MIN 64u
#define SYNTH_MEAN_MAX 4000u

#endif
