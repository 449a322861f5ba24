/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset: what the cases of a folder share: traces, converted once into temporary files, and page
 * contents. Safe to use from several threads.
 */
#ifndef SIM_VALIDATE_DATASET_H
#define SIM_VALIDATE_DATASET_H

#include "refault/content.h"
#include "validate/golden.h"

struct dataset;

/* `goldens` outlives the dataset; with kernel_sizes page lengths come from its zr_sizes_* cases. */
int dataset_open(const char *dir, const struct golden_list *goldens, bool kernel_sizes,
                 struct dataset **out, struct rf_err *err) RF_MUST_CHECK;
/* Removes the temporary files. */
void dataset_close(struct dataset *d);

/* What the first k operations are. */
struct trace_prefix {
    uint32_t accesses; /* of the trace, so with what the children copy */
    uint32_t forks;
    uint32_t own_faults; /* page faults of the test program besides these */
};
struct dataset_trace {
    const char *path; /* .rft */
    const struct trace_prefix *prefix;
    uint64_t ops; /* operations: lines of the text */
};
/* The case's trace; valid until dataset_close(). */
int dataset_trace(struct dataset *d, const struct golden *g, struct dataset_trace *out,
                  struct rf_err *err) RF_MUST_CHECK;
/* Compares a file with its recorded SHA-256 (of the uncompressed bytes; NULL: nothing to compare).
 * RF_EINPUT names both files. */
int dataset_check(struct dataset *d, const struct golden *g, const char *path, const char *sha256,
                  struct rf_err *err) RF_MUST_CHECK;
/* Path of a file DIR/sub/NAME.EXT with one of the NULL-terminated endings; RF_EINPUT if none. */
int dataset_find(const struct dataset *d, const char *sub, const char *name,
                 const char *const *endings, char *path, size_t room,
                 struct rf_err *err) RF_MUST_CHECK;
/*
 * The contents of the case's bank; for_zram: recorded lengths that say "stored raw" count as such
 * (zswap needs the length itself, which they do not give). With kernel sizes, RF_EINPUT if the
 * kernel's lengths of `codec` were not recorded. The dataset's to free.
 */
int dataset_content(struct dataset *d, const struct golden *g, bool for_zram, enum codec_id codec,
                    struct content_set **out, struct rf_err *err) RF_MUST_CHECK;

#endif
