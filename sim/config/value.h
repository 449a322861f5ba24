/* SPDX-License-Identifier: Apache-2.0 */
/* Values as people write them: sizes, times, percentages, switches. All parsers take the whole
 * text; false means that it is not such a value (or out of the range of the result). */
#ifndef SIM_CONFIG_VALUE_H
#define SIM_CONFIG_VALUE_H

#include "refault/config.h"

bool value_u64(const char *text, uint64_t *out);
/* 0 1 N Y n y no yes false true off on. */
bool value_bool(const char *text, bool *out);
/* Bytes with an optional K M G T (powers of 1024, also KiB, KB) and up to six decimals. */
bool value_size(const char *text, uint64_t *bytes);
/* Nanoseconds with an optional ns us ms s and up to nine decimals. */
bool value_time(const char *text, uint64_t *ns);
/* Hundredths of a percent from "50%" or "12.5%". */
bool value_percent(const char *text, uint64_t *hundredths);
/* "max", a percentage or a size. */
bool value_amount(const char *text, struct rf_amount *out);

/* The other way round, exact and readable back: "125%", "max", "64M". Returns buf. */
const char *value_format_amount(struct rf_amount a, char *buf, size_t size);
/* For people, 3 significant digits: "1.23 ms", "456 us", "0 ns". Returns buf. */
const char *value_format_time(uint64_t ns, char *buf, size_t size);
/* For people, 3 significant digits: "1.50 MiB". Returns buf. */
const char *value_format_bytes(uint64_t bytes, char *buf, size_t size);

/* Levenshtein distance, for "did you mean". */
unsigned edit_distance(const char *a, const char *b);

#endif
