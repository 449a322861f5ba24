/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zram_script: drives a zram device with a script of operations, one a line:
 *
 *   w PAGE BANK    write page BANK of the bank to page PAGE of the device
 *   r PAGE BANK    read PAGE and compare it with that bank page
 *   d PAGE [N]     discard N pages (1) from PAGE
 *   E FILE TEXT    write TEXT to a sysfs file (a path; only its last component counts)
 *   S LABEL        snapshot of all statistics
 *   P              write every bank page to the device page of the same number, report its size
 *
 * Empty lines and lines that begin with # are skipped. Content id of bank page k is k + 1.
 */
#ifndef REFAULT_ZRAM_SCRIPT_H
#define REFAULT_ZRAM_SCRIPT_H

#include "refault/zram.h"

/* What the driver of the device sees, as opposed to the device's own counters. */
struct zram_script_counts {
    uint64_t writes, reads, discards;  /* operations, failed ones included */
    uint64_t verify_errors, io_errors; /* reads of other content; failed operations */
    uint32_t first_failed;             /* line of the first of either, 0 = none */
};

/* Callbacks; any of them may be NULL. A return value other than 0 ends the run with that code. */
struct zram_script_ops {
    int (*snapshot)(void *ctx, const char *label, const struct zram *z,
                    const struct zram_script_counts *n, struct rf_err *err);
    /* A sysfs write was done; rc is 0 or the errno value that the writer would see. */
    int (*sysfs)(void *ctx, const char *file, const char *text, int rc, struct rf_err *err);
    /* After the last line. */
    int (*end)(void *ctx, const struct zram_script_counts *n, struct rf_err *err);
    /* For P: size[k] of bank page k as it was stored: 0 same-filled, 4096 huge. */
    int (*sizes)(void *ctx, const uint16_t *size, size_t nr, struct rf_err *err);
};

/*
 * Creates a device by p (p->content is the bank), runs the len bytes of script text on it and
 * destroys it. `name` is used in messages. With `check`, the device's invariants are tested at
 * every snapshot. 0; RF_EINPUT with the line of a script error; RF_ECHECK for a failed check or
 * verification; or what a callback returned.
 */
int zram_script_run(const char *name, const char *text, size_t len, const struct zram_params *p,
                    bool check, const struct zram_script_ops *ops, void *ctx,
                    struct rf_err *err) RF_MUST_CHECK;

#define ZRAM_SCRIPT_LINE 511 /* bytes at most */

/* A whole file, decompressed if it is a zstd frame; *text is zero-terminated and the caller's to
 * free. "-" is standard input. RF_EINPUT, as soon as it is seen, for a line of more than max_line
 * bytes or a zero byte, and for a text of more than 64 MiB; max_line 0: it need not be text, and 1
 * GiB is the limit. */
int zram_script_load(const char *path, size_t max_line, char **text, size_t *len,
                     struct rf_err *err) RF_MUST_CHECK;

#endif
