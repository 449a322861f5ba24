/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace: the native format .rft and its in-memory form. docs/trace-format.md specifies the file.
 *
 * Page ids. Every 2 MiB-aligned range of a process that holds a mapping has a *block* of 512 ids:
 * page id = block << 9 | (virtual page number & 511). Blocks are numbered densely in the order in
 * which the importer met them, a VMA's blocks being consecutive where possible; so an id is at the
 * same time an index into one flat page table, and keeps virtual adjacency and 2 MiB alignment.
 * Ids are below 2^28.
 */
#ifndef REFAULT_TRACE_H
#define REFAULT_TRACE_H

#include "refault/content.h"
#include "refault/trace_ops.h"

#define TRACE_ID_BITS OP_ID_BITS
#define TRACE_ID_MASK OP_ID_MASK

/* A decoded operation is one 32-bit word: page id plus the bits of trace_ops.h; an OP_EVENT word's
 * low 28 bits index the block's events. */

/* Kinds of events; the numbers are those of the file. */
enum trace_event_kind {
    TEV_PROCESS,  /* process `pid` starts: parent (RF_NONE), name */
    TEV_MMAP,     /* piece of VMA `vma` of pid: ids [first, first + n), first page's vpn, flags */
    TEV_MUNMAP,   /* ids [first, first + n) of pid are unmapped */
    TEV_DONTNEED, /* MADV_DONTNEED of ids [first, first + n) */
    TEV_FORK,     /* child `pid` of `parent`: its block `first >> 9` copies parent block n >> 9; one
                     event a block, preceded by the child's TEV_PROCESS and TEV_MMAPs */
    TEV_EXIT,     /* process ends; all its memory is freed */
    TEV_EXEC,     /* process drops all its mappings */
    TEV_WAIT,     /* pid waits until `parent` (a child's pid) has exited */
    TEV_SWITCH,   /* following operations belong to pid */
    TEV_PACE,     /* value = memory accesses (or ns, see header) that passed since the last one */
};

/* A change of processes or mappings. Fields that its kind does not use are 0. */
struct trace_event {
    uint8_t kind; /* enum trace_event_kind */
    uint8_t flags;
    uint32_t pid; /* dense process number, 0.. */
    uint32_t parent;
    uint32_t vma; /* dense VMA number over the whole trace */
    uint32_t first, n;
    uint64_t vpn, value;
    char name[16];
};

/* What tells the passage of time between accesses. */
enum trace_pacing {
    TRACE_PACE_RECORDS,  /* no times: every operation costs the profile's cpu.access_ns */
    TRACE_PACE_ACCESSES, /* TEV_PACE gives memory accesses */
    TRACE_PACE_NS,       /* TEV_PACE gives nanoseconds of CPU time */
};

/* Totals and origin of a trace, from its footer. */
struct trace_info {
    uint32_t version;
    uint64_t ops; /* accesses (loads and stores) */
    uint64_t writes;
    uint64_t events, content_changes;
    uint32_t blocks; /* blocks of 512 page ids */
    uint32_t processes, vmas;
    uint64_t pages_touched;   /* distinct ids accessed */
    uint64_t footprint_pages; /* largest number of distinct pages mapped and used at one time */
    uint64_t dropped_file_pages;
    uint64_t min_memory_pages; /* smallest memory for which the recording is valid; 0 unknown */
    uint64_t max_content;      /* largest content id */
    uint8_t pacing;            /* enum trace_pacing */
    bool implicit_content;     /* no content changes recorded: the first store to page p leaves
                                  content 1 + p (synthetic content sets) */
    uint64_t digest;           /* xxh64 over the uncompressed blocks; names results */
    char provenance[1024];
    char content_spec[256]; /* "catalogue" (in the file), "bank:NAME:xxh64", or a synthetic spec */
};

/* ---- reading: streams, memory bounded by two blocks ---- */
struct trace_reader;
/* Opens a trace and checks its header and footer. RF_EINPUT names the byte offset of what is wrong.
 * The caller closes it. */
int trace_open(const char *path, struct trace_reader **out, struct rf_err *err) RF_MUST_CHECK;
/* Valid until the reader is closed. */
const struct trace_info *trace_reader_info(const struct trace_reader *r);
/* The contents of the trace: its own catalogue, the bank it names (looked for beside the trace,
 * then where it was when the trace was made; it must have the digest of the spec), or the synthetic
 * model. Checks that the trace's content ids exist. The caller frees it; the reader is rewound if
 * there is a catalogue. */
int trace_load_content(struct trace_reader *r, struct content_set **out,
                       struct rf_err *err) RF_MUST_CHECK;
/* Gives the files, other than the trace, from which trace_load_content() may read to fn(), whether
 * they are there or not, until that returns something other than 0, which is then the result. */
int trace_content_files(const struct trace_reader *r, rf_path_fn fn, void *ctx,
                        struct rf_err *err) RF_MUST_CHECK;
/* The next decoded block. 1 = a block, 0 = end of trace, < 0 error. Pointers stay valid until the
 * next call. ops has nops words (content words included). All ids, processes, VMAs and contents are
 * within the totals of trace_info; that accesses hit mappings is checked by `trace info --verify`,
 * not here. */
struct trace_block {
    const uint32_t *ops;
    size_t nops;
    const struct trace_event *events;
    size_t nevents;
    uint64_t first_op; /* number of accesses before this block */
};
int trace_next(struct trace_reader *r, struct trace_block *b, struct rf_err *err) RF_MUST_CHECK;
/* Back to the first block. */
int trace_rewind(struct trace_reader *r, struct rf_err *err) RF_MUST_CHECK;
/* To the record block that holds access `op` (counted from 0), found by the trace's index without
 * reading what comes before: the next trace_next() gives it. What earlier events did is not known
 * then, and the digest and the totals of the trace are not checked at its end. RF_EUSAGE if the
 * trace has no such access. trace_rewind() ends it. */
int trace_seek(struct trace_reader *r, uint64_t op, struct rf_err *err) RF_MUST_CHECK;
/* Frees the reader; NULL is allowed. */
void trace_close(struct trace_reader *r);

/* ---- writing ---- */
struct trace_writer;
/* What is known before the first record. Texts are copied. */
struct trace_writer_params {
    uint8_t pacing;
    bool implicit_content;
    uint64_t min_memory_pages;
    const char *provenance;   /* at most 1023 bytes, may be NULL */
    const char *content_spec; /* at most 255 bytes, may be NULL */
    const char *bank_path;    /* where the bank of the spec was found; NULL or at most 1023 bytes */
    uint64_t dropped_file_pages;
    int zstd_level; /* 0 = 3 */
};
/* A path of this form (with the number of the descriptor) is a file that this process holds open.
 */
#define TRACE_OPEN_FILE "/proc/self/fd/"
#define TRACE_PART ".part"
/* Begins a trace in path with TRACE_PART behind it, which trace_writer_close() renames. An open
 * file has no name that others see, and is written in place. */
int trace_writer_open(const char *path, const struct trace_writer_params *p,
                      struct trace_writer **out, struct rf_err *err) RF_MUST_CHECK;
/* A load, or a store of unknown content. RF_ELIMIT if the id is too large, RF_EIO, RF_ENOMEM. */
int trace_write_access(struct trace_writer *w, uint32_t id, bool write,
                       struct rf_err *err) RF_MUST_CHECK;
/* A store that leaves `content` in the page. */
int trace_write_store(struct trace_writer *w, uint32_t id, uint32_t content,
                      struct rf_err *err) RF_MUST_CHECK;
/* The page has `content` now, through stores that were written before; not an access. */
int trace_write_content(struct trace_writer *w, uint32_t id, uint32_t content,
                        struct rf_err *err) RF_MUST_CHECK;
/* An event; the blocks that a TEV_MMAP names belong to its process from then on. */
int trace_write_event(struct trace_writer *w, const struct trace_event *ev,
                      struct rf_err *err) RF_MUST_CHECK;
/* Adds the next catalogue row (content ids 1, 2, ...). */
int trace_write_row(struct trace_writer *w, const struct content_row *row,
                    struct rf_err *err) RF_MUST_CHECK;
/* Sets dropped_file_pages when it is only known at the end. */
void trace_writer_dropped(struct trace_writer *w, uint64_t pages);
/* Finishes the file (index, totals, footprint) and frees w. */
int trace_writer_close(struct trace_writer *w, struct rf_err *err) RF_MUST_CHECK;
void trace_writer_abort(struct trace_writer *w); /* removes the unfinished file */

#endif
