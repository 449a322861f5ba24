/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogue: a bank of pages without its bytes: what of a page matters to the counters. A text
 * file, plain or zstd-compressed: first "codecs NAME...", then a line a page with its length by
 * each of these codecs; a page of 512 equal words begins with "=WORD" (hexadecimal).
 */
#ifndef SIM_VALIDATE_CATALOGUE_H
#define SIM_VALIDATE_CATALOGUE_H

#include <stdio.h>
#include "refault/content.h"

/* Content id k + 1 is page k. RF_EINPUT names the line. */
int bank_catalogue_load(const char *path, struct content_set **out,
                        struct rf_err *err) RF_MUST_CHECK;
/* Writes the catalogue of all codecs of a set (content_count() pages) to f. */
void bank_catalogue_save(FILE *f, struct content_set *cs);

#endif
