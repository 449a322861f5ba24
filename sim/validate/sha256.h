/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), by which recorded runs name the files that they were made with. */
#ifndef SIM_VALIDATE_SHA256_H
#define SIM_VALIDATE_SHA256_H

#include <stddef.h>

/* Room for the digest as 64 hexadecimal digits and a zero. */
#define SHA256_HEX 65

void sha256_hex(const void *data, size_t len, char out[SHA256_HEX]);

#endif
