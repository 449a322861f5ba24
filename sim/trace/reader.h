/* SPDX-License-Identifier: Apache-2.0 */
/* The reader's state, shared by reader.c, catalogue.c and verify.c. Private to sim/trace. */
#ifndef REFAULT_TRACE_READER_H
#define REFAULT_TRACE_READER_H

#include <xxhash.h>
#include <zstd.h>

#include "format.h"

struct trace_reader {
    int fd;
    char *path;
    struct trace_info info;
    struct rft_limits limits;
    uint64_t footer_at, footer_bytes, rows_total, nindex, index_at;
    char bank_path[RFT_PATH_MAX + 1];

    uint64_t at;   /* offset of the next block */
    uint64_t seen; /* accesses in the record blocks before it */
    uint64_t rows_seen, contents_seen, events_seen, blocks_seen;
    bool sought; /* began in the middle: totals and rows before are not known */
    XXH64_state_t *digest;
    ZSTD_DCtx *zstd;
    uint8_t *comp, *raw;
    uint32_t *ops;
    struct trace_event *events;
    size_t cap_comp, cap_raw, cap_ops, cap_events;
};

/* All catalogue rows of a trace, in a malloc'd array; the reader is rewound. */
int trace_load_rows(struct trace_reader *r, struct content_row **out, size_t *nr,
                    struct rf_err *err) RF_MUST_CHECK;
/* Decodes everything once: every checksum, every total of the footer, the index, and that every
 * access falls in a mapping of the process that runs. The reader is rewound. */
int trace_verify(struct trace_reader *r, struct rf_err *err) RF_MUST_CHECK;
int rft_pread(const struct trace_reader *r, void *buf, size_t n, uint64_t at, const char *what,
              struct rf_err *err) RF_MUST_CHECK;

#endif
