/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REFAULT_TRACE_CUT_H
#define REFAULT_TRACE_CUT_H

#include "refault/trace.h"

struct trace_cut_params {
    uint64_t from, to; /* accesses [from, to), counted from 0 */
    int zstd_level;    /* 0 = default */
};

/*
 * Writes accesses [from, to) of a trace, and the events and contents among them, to a new one.
 * What the first access finds is rebuilt before it: processes, mappings, and every page in use by
 * one operation, in the order of the pages' last accesses: a store of its content, or a load where
 * it was never stored to. These come on top of the `to - from` accesses. Pages that a fork still
 * shared are separate ones afterwards. Only the catalogue rows that are used are kept.
 */
int trace_cut(const char *in, const char *out, const struct trace_cut_params *p,
              struct rf_err *err) RF_MUST_CHECK;

#endif
