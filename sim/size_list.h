/* SPDX-License-Identifier: Apache-2.0 */
/*
 * size_list: recorded compressed sizes of a bank's pages, one a page: 0 for a same-filled page.
 * Accepted: text with one number a line, a JSON array of numbers, or a JSON object that has such
 * an array under the key "sizes" at any depth (the first in document order).
 */
#ifndef REFAULT_SIZE_LIST_H
#define REFAULT_SIZE_LIST_H

#include "refault/error.h"

#include <stddef.h>
#include <stdint.h>

/* Reads the list at path; *sizes is the caller's to free. */
int size_list_load(const char *path, uint16_t **sizes, size_t *nr,
                   struct rf_err *err) RF_MUST_CHECK;

#endif
