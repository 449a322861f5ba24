/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing .rft: records are encoded as they come into the four byte streams of the open block,
 * which is compressed and appended when it is full. The file is written beside its final name and
 * renamed when it is complete, so that a reader never sees half a trace.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "format.h"
#include "track.h"

/* A block is closed at this many words or bytes: small enough that the decoded words stay in a
 * second-level cache, large enough that zstd has something to find. */
#define TARGET_WORDS (1u << 18)
#define TARGET_BYTES (768u << 10)

struct writer_index {
    uint64_t at, first;
};

struct trace_writer {
    FILE *file;
    char *path, *part; /* part: written to; the same as path if that is an open file */
    uint64_t at;       /* offset of the next block */
    ZSTD_CCtx *zstd;
    struct rft_track track;
    struct trace_info info;
    char bank_path[RFT_PATH_MAX + 1];

    /* the open block */
    uint8_t *ctl, *data, *args, *evs;
    uint32_t records, words, nevents;
    size_t ndata, nargs, nevs;
    uint32_t id, cid, content; /* what deltas are taken from */
    uint32_t run;              /* accesses id - run + 1 .. id not yet encoded */
    bool run_write;
    uint64_t block_first;

    struct content_row *rows;
    uint32_t nrows;
    uint64_t rows_total;

    uint8_t *raw, *comp;
    struct writer_index *index;
    size_t nindex, cap_index;
    XXH64_state_t *digest;
};

static int io_failed(const struct trace_writer *w, const char *doing, struct rf_err *err) {
    return rf_fail(err, RF_EIO, "%s: %s at offset %llu: %s", w->part, doing,
                   (unsigned long long)w->at, strerror(errno));
}

static void writer_free(struct trace_writer *w) {
    if (w->file)
        fclose(w->file);
    ZSTD_freeCCtx(w->zstd);
    XXH64_freeState(w->digest);
    rft_track_free(&w->track);
    free(w->path);
    free(w->part);
    free(w->ctl);
    free(w->data);
    free(w->args);
    free(w->evs);
    free(w->rows);
    free(w->raw);
    free(w->comp);
    free(w->index);
    free(w);
}

static bool copy_text(char *dst, size_t room, const char *src) {
    size_t n = src ? strlen(src) : 0;
    if (n >= room)
        return false;
    if (n)
        memcpy(dst, src, n);
    dst[n] = 0;
    return true;
}

int trace_writer_open(const char *path, const struct trace_writer_params *p,
                      struct trace_writer **out, struct rf_err *err) {
    static const uint8_t nothing[RFT_HEADER_BYTES];
    struct trace_writer *w = calloc(1, sizeof(*w));
    int rc;

    if (!w)
        return rf_fail(err, RF_ENOMEM, "%s: no memory for a trace writer", path);
    size_t len = strlen(path);
    w->path = malloc(len + 1);
    w->part = malloc(len + sizeof(TRACE_PART));
    w->zstd = ZSTD_createCCtx();
    w->digest = XXH64_createState();
    w->ctl = malloc(TARGET_WORDS);
    w->data = malloc(RFT_RAW_MAX + 64);
    w->args = malloc(RFT_RAW_MAX + 64);
    w->evs = malloc(RFT_RAW_MAX + RFT_EVENT_BYTES_MAX);
    w->rows = calloc(RFT_ROWS_MAX, sizeof(*w->rows));
    w->raw = malloc(RFT_RAW_MAX);
    w->comp = malloc(RFT_COMP_MAX);
    if (!w->path || !w->part || !w->zstd || !w->digest || !w->ctl || !w->data || !w->args ||
        !w->evs || !w->rows || !w->raw || !w->comp) {
        writer_free(w);
        return rf_fail(err, RF_ENOMEM, "%s: no memory for a trace writer", path);
    }
    memcpy(w->path, path, len + 1);
    memcpy(w->part, path, len);
    bool open_file = strncmp(path, TRACE_OPEN_FILE, sizeof(TRACE_OPEN_FILE) - 1) == 0;
    memcpy(w->part + len, open_file ? "" : TRACE_PART, open_file ? 1 : sizeof(TRACE_PART));
    if ((rc = rft_track_init(&w->track, err))) {
        writer_free(w);
        return rc;
    }
    if (!copy_text(w->info.provenance, RFT_PROVENANCE_MAX + 1, p->provenance) ||
        !copy_text(w->info.content_spec, RFT_SPEC_MAX + 1, p->content_spec) ||
        !copy_text(w->bank_path, sizeof(w->bank_path), p->bank_path)) {
        writer_free(w);
        return rf_fail(err, RF_EUSAGE,
                       "%s: provenance, content spec or bank path too long, expected at most "
                       "%u, %u and %u bytes",
                       path, RFT_PROVENANCE_MAX, RFT_SPEC_MAX, RFT_PATH_MAX);
    }
    w->info.version = RFT_VERSION;
    w->info.pacing = p->pacing;
    w->info.implicit_content = p->implicit_content;
    w->info.min_memory_pages = p->min_memory_pages;
    w->info.dropped_file_pages = p->dropped_file_pages;
    XXH64_reset(w->digest, 0);
    size_t zrc =
        ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, p->zstd_level ? p->zstd_level : 3);
    if (ZSTD_isError(zrc)) {
        writer_free(w);
        return rf_fail(err, RF_EUSAGE, "%s: zstd level %d refused: %s", path, p->zstd_level,
                       ZSTD_getErrorName(zrc));
    }
    struct stat st;
    if (!open_file && lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        writer_free(w);
        return rf_fail(err, RF_EIO, "%s: is no regular file, expected a file or a new name", path);
    }
    w->file = fopen(w->part, "wb");
    if (!w->file) {
        rc = rf_fail(err, RF_EIO, "cannot write %s: %s", w->part, strerror(errno));
        writer_free(w);
        return rc;
    }
    if (fwrite(nothing, 1, sizeof(nothing), w->file) != sizeof(nothing)) {
        rc = io_failed(w, "write", err);
        trace_writer_abort(w);
        return rc;
    }
    w->at = RFT_HEADER_BYTES;
    *out = w;
    return 0;
}

/* Compresses raw[0..h->raw_bytes) and appends it as a block; fills the rest of h. */
static int append_block(struct trace_writer *w, struct rft_block_header *h, struct rf_err *err) {
    uint8_t header[RFT_BLOCK_HEADER_BYTES], d[16];
    size_t n = ZSTD_compress2(w->zstd, w->comp, RFT_COMP_MAX, w->raw, h->raw_bytes);
    if (ZSTD_isError(n))
        return rf_fail(err, RF_ENOMEM, "%s: offset %llu: zstd: %s", w->part,
                       (unsigned long long)w->at, ZSTD_getErrorName(n));
    h->comp_bytes = (uint32_t)n;
    h->raw_hash = XXH64(w->raw, h->raw_bytes, 0);
    rft_store_block_header(header, h);
    h->check = rft_block_check(header, w->comp, n, w->at);
    rf_store_le64(header + RFT_BLOCK_HEADER_BYTES - 8, h->check);
    if (w->nindex == w->cap_index) {
        size_t cap = w->cap_index ? 2 * w->cap_index : 64;
        struct writer_index *grown = realloc(w->index, cap * sizeof(*grown));
        if (!grown)
            return rf_fail(err, RF_ENOMEM, "%s: no memory for the index", w->part);
        w->index = grown;
        w->cap_index = cap;
    }
    w->index[w->nindex++] = (struct writer_index){w->at, h->first};
    rf_store_le32(d, h->kind);
    rf_store_le32(d + 4, h->count);
    rf_store_le64(d + 8, h->raw_hash);
    XXH64_update(w->digest, d, sizeof(d));
    if (fwrite(header, 1, sizeof(header), w->file) != sizeof(header) ||
        fwrite(w->comp, 1, n, w->file) != n)
        return io_failed(w, "write", err);
    w->at += sizeof(header) + n;
    return 0;
}

static void put_nibble(struct trace_writer *w, uint32_t nib) {
    uint8_t *byte = &w->ctl[w->records >> 1];
    *byte = w->records & 1 ? (uint8_t)(*byte | nib << 4) : (uint8_t)nib;
    w->records++;
}

static void put_plain(struct trace_writer *w, uint32_t delta, bool write) {
    uint32_t z = rft_zigzag(delta);
    uint32_t n = z < 1u << 8 ? 0 : z < 1u << 16 ? 1 : z < 1u << 24 ? 2 : 3;
    uint8_t le[4];
    put_nibble(w, n | (write ? RFT_N_WRITE : 0));
    rf_store_le32(le, z);
    memcpy(w->data + w->ndata, le, 4);
    w->ndata += n + 1;
}

static void end_run(struct trace_writer *w) {
    if (w->run >= 3) {
        put_nibble(w, w->run_write ? RFT_S_RUN_WRITE : RFT_S_RUN_READ);
        w->nargs += rft_put_varint(w->args + w->nargs, w->run);
    } else {
        for (; w->run; w->run--)
            put_plain(w, 1, w->run_write);
    }
    w->run = 0;
}

static int flush_records(struct trace_writer *w, struct rf_err *err) {
    end_run(w);
    if (!w->words)
        return 0;
    size_t nctl = (w->records + 1) / 2, n = 0;
    struct rft_block_header h = {.kind = RFT_RECORDS,
                                 .count = w->words,
                                 .records = w->records,
                                 .data_bytes = (uint32_t)w->ndata,
                                 .args_bytes = (uint32_t)w->nargs,
                                 .event_bytes = (uint32_t)w->nevs,
                                 .nevents = w->nevents,
                                 .first = w->block_first};
    memcpy(w->raw, w->ctl, nctl);
    n = nctl;
    memcpy(w->raw + n, w->data, w->ndata);
    n += w->ndata;
    memcpy(w->raw + n, w->args, w->nargs);
    n += w->nargs;
    memcpy(w->raw + n, w->evs, w->nevs);
    n += w->nevs;
    h.raw_bytes = (uint32_t)n;
    w->records = w->words = w->nevents = 0;
    w->ndata = w->nargs = w->nevs = 0;
    w->id = w->cid = w->content = 0;
    w->block_first = w->info.ops;
    return append_block(w, &h, err);
}

static int flush_if_full(struct trace_writer *w, struct rf_err *err) {
    if (w->words >= TARGET_WORDS || w->nevents == RFT_EVENTS_MAX ||
        w->records / 2 + w->ndata + w->nargs + w->nevs >= TARGET_BYTES)
        return flush_records(w, err);
    return 0;
}

static int check_id(struct trace_writer *w, uint32_t id, struct rf_err *err) {
    if (id > TRACE_ID_MASK)
        return rf_fail(err, RF_ELIMIT, "%s: page id %u, expected at most %u", w->path, id,
                       TRACE_ID_MASK);
    w->info.blocks = RF_MAX(w->info.blocks, (id >> 9) + 1);
    return 0;
}

static int check_content(struct trace_writer *w, uint32_t content, struct rf_err *err) {
    if (content > CONTENT_MAX)
        return rf_fail(err, RF_ELIMIT, "%s: content id %u, expected at most %u", w->path, content,
                       CONTENT_MAX);
    w->info.max_content = RF_MAX(w->info.max_content, content);
    return 0;
}

int trace_write_access(struct trace_writer *w, uint32_t id, bool write, struct rf_err *err) {
    int rc = check_id(w, id, err);
    if (rc)
        return rc;
    rft_track_access(&w->track, id);
    w->info.ops++;
    w->info.writes += write;
    w->words++;
    if (id == w->id + 1 && (!w->run || w->run_write == write)) {
        w->run_write = write;
        w->run++;
    } else {
        end_run(w);
        if (id == w->id + 1) {
            w->run_write = write;
            w->run = 1;
        } else {
            put_plain(w, id - w->id, write);
        }
    }
    w->id = id;
    return flush_if_full(w, err);
}

static void put_content(struct trace_writer *w, uint32_t nib, uint32_t delta, uint32_t content) {
    put_nibble(w, nib);
    w->nargs += rft_put_varint(w->args + w->nargs, rft_zigzag(delta));
    w->nargs += rft_put_varint(w->args + w->nargs, rft_zigzag(content - w->content));
    w->content = content;
    w->words += 2;
}

int trace_write_store(struct trace_writer *w, uint32_t id, uint32_t content, struct rf_err *err) {
    int rc = check_id(w, id, err);
    if (rc || (rc = check_content(w, content, err)))
        return rc;
    rft_track_access(&w->track, id);
    w->info.ops++;
    w->info.writes++;
    w->info.content_changes++;
    end_run(w);
    put_content(w, RFT_S_STORE, id - w->id, content);
    w->id = id;
    return flush_if_full(w, err);
}

int trace_write_content(struct trace_writer *w, uint32_t id, uint32_t content, struct rf_err *err) {
    int rc = check_id(w, id, err);
    if (rc || (rc = check_content(w, content, err)))
        return rc;
    w->info.content_changes++;
    end_run(w);
    put_content(w, RFT_S_CONTENT, id - w->cid, content);
    w->cid = id;
    return flush_if_full(w, err);
}

static int check_event(struct trace_writer *w, const struct trace_event *ev, struct rf_err *err) {
    struct trace_info *i = &w->info;
    bool ids = ev->kind == TEV_MMAP || ev->kind == TEV_MUNMAP || ev->kind == TEV_DONTNEED;
    bool fork = ev->kind == TEV_FORK;
    uint32_t other = ev->kind == TEV_PROCESS || fork || ev->kind == TEV_WAIT ? ev->parent : RF_NONE;
    int rc = 0;

    if (ev->kind > TEV_PACE)
        return rf_fail(err, RF_EUSAGE, "%s: event kind %u, expected 0 to %d", w->path, ev->kind,
                       TEV_PACE);
    if (ev->pid >= RFT_PROCESSES_MAX ||
        (other != RF_NONE ? other >= RFT_PROCESSES_MAX : fork || ev->kind == TEV_WAIT))
        return rf_fail(err, RF_ELIMIT, "%s: process %u (other %u), expected below %u", w->path,
                       ev->pid, other, RFT_PROCESSES_MAX);
    i->processes = RF_MAX(i->processes, ev->pid + 1);
    if (other != RF_NONE)
        i->processes = RF_MAX(i->processes, other + 1);
    if (ids && (ev->n == 0 || (uint64_t)ev->first + ev->n > TRACE_ID_MASK + 1ull))
        return rf_fail(err, RF_ELIMIT, "%s: pages %u + %u, expected at least one, below id %u",
                       w->path, ev->first, ev->n, TRACE_ID_MASK + 1);
    if (ids)
        rc = check_id(w, ev->first + ev->n - 1, err);
    else if (fork && !(rc = check_id(w, ev->first, err)))
        rc = check_id(w, ev->n, err);
    if (!rc && ev->kind == TEV_MMAP) {
        if (ev->vma >= RFT_VMAS_MAX || ev->vpn >= 1ull << 52 ||
            (ev->vpn & 511) != (ev->first & 511) || ev->flags >= 32)
            return rf_fail(err, RF_EUSAGE,
                           "%s: mapping of ids from %u at vpn %llx (vma %u, flags %u), expected "
                           "the same place in 2 MiB",
                           w->path, ev->first, (unsigned long long)ev->vpn, ev->vma, ev->flags);
        i->vmas = RF_MAX(i->vmas, ev->vma + 1);
    }
    return rc;
}

int trace_write_event(struct trace_writer *w, const struct trace_event *ev, struct rf_err *err) {
    int rc = check_event(w, ev, err);
    if (rc || (rc = rft_track_event(&w->track, ev, err)))
        return rc;
    w->info.events++;
    end_run(w);
    put_nibble(w, RFT_S_EVENT);
    w->nevs += rft_encode_event(ev, w->evs + w->nevs);
    w->nevents++;
    w->words++;
    return flush_if_full(w, err);
}

static int flush_rows(struct trace_writer *w, struct rf_err *err) {
    if (!w->nrows)
        return 0;
    uint32_t mask = 0;
    for (uint32_t i = 0; i < w->nrows; i++)
        for (unsigned c = 0; c < NR_CODECS; c++)
            mask |= (uint32_t)(w->rows[i].size[c] != 0) << c;
    struct rft_block_header h = {.kind = RFT_CATALOGUE,
                                 .count = w->nrows,
                                 .nevents = mask,
                                 .first = w->rows_total - w->nrows};
    h.raw_bytes = (uint32_t)rft_encode_rows(w->rows, w->nrows, mask, w->raw);
    w->nrows = 0;
    return append_block(w, &h, err);
}

int trace_write_row(struct trace_writer *w, const struct content_row *row, struct rf_err *err) {
    if (w->rows_total >= CONTENT_MAX)
        return rf_fail(err, RF_ELIMIT, "%s: more than %u catalogue rows", w->path, CONTENT_MAX);
    w->rows[w->nrows++] = *row;
    w->rows_total++;
    return w->nrows == RFT_ROWS_MAX ? flush_rows(w, err) : 0;
}

void trace_writer_dropped(struct trace_writer *w, uint64_t pages) {
    w->info.dropped_file_pages = pages;
}

static int write_footer(struct trace_writer *w, struct rf_err *err) {
    const struct trace_info *i = &w->info;
    size_t np = strlen(i->provenance), ns = strlen(i->content_spec), nb = strlen(w->bank_path);
    size_t total = RFT_FOOTER_FIXED_BYTES + np + ns + nb + w->nindex * RFT_INDEX_ENTRY_BYTES + 8;
    uint8_t *f = calloc(1, total), *p, header[RFT_HEADER_BYTES] = {0};
    if (!f)
        return rf_fail(err, RF_ENOMEM, "%s: no memory for the footer", w->part);
    rf_store_le32(f, RFT_FOOTER_MAGIC);
    rf_store_le32(f + 4, RFT_FOOTER_FIXED_BYTES);
    rf_store_le64(f + 8, i->ops);
    rf_store_le64(f + 16, i->writes);
    rf_store_le64(f + 24, i->events);
    rf_store_le64(f + 32, i->content_changes);
    rf_store_le64(f + 40, w->track.distinct);
    rf_store_le64(f + 48, w->track.peak);
    rf_store_le64(f + 56, i->dropped_file_pages);
    rf_store_le64(f + 64, i->min_memory_pages);
    rf_store_le64(f + 72, i->max_content);
    rf_store_le64(f + 80, w->rows_total);
    rf_store_le32(f + 88, i->blocks);
    rf_store_le32(f + 92, i->processes);
    rf_store_le32(f + 96, i->vmas);
    rf_store_le32(f + 100, (uint32_t)i->pacing | (uint32_t)i->implicit_content << 8);
    rf_store_le64(f + 104, XXH64_digest(w->digest));
    rf_store_le64(f + 112, w->nindex);
    rf_store_le32(f + 120, (uint32_t)(np | ns << 16));
    rf_store_le32(f + 124, (uint32_t)nb);
    p = f + RFT_FOOTER_FIXED_BYTES;
    memcpy(p, i->provenance, np);
    p += np;
    memcpy(p, i->content_spec, ns);
    p += ns;
    memcpy(p, w->bank_path, nb);
    p += nb;
    for (size_t k = 0; k < w->nindex; k++, p += RFT_INDEX_ENTRY_BYTES) {
        rf_store_le64(p, w->index[k].at);
        rf_store_le64(p + 8, w->index[k].first);
    }
    rf_store_le64(p, XXH64(f, total - 8, w->at));

    memcpy(header, rft_magic, 8);
    rf_store_le32(header + 8, RFT_VERSION);
    rf_store_le32(header + 12, RFT_HEADER_BYTES);
    rf_store_le64(header + 16, w->at);
    rf_store_le64(header + 24, total);
    rf_store_le64(header + 32, w->at + total);
    rf_store_le64(header + 56, XXH64(header, RFT_HEADER_BYTES - 8, 0));
    bool ok = fwrite(f, 1, total, w->file) == total && fseek(w->file, 0, SEEK_SET) == 0 &&
              fwrite(header, 1, sizeof(header), w->file) == sizeof(header);
    free(f);
    return ok ? 0 : io_failed(w, "write", err);
}

int trace_writer_close(struct trace_writer *w, struct rf_err *err) {
    int rc;
    if ((rc = flush_records(w, err)) || (rc = flush_rows(w, err)) || (rc = write_footer(w, err))) {
        trace_writer_abort(w);
        return rc;
    }
    FILE *file = w->file;
    w->file = NULL;
    if (fclose(file) != 0 || (strcmp(w->part, w->path) != 0 && rename(w->part, w->path) != 0)) {
        rc = io_failed(w, "close or rename", err);
        trace_writer_abort(w);
        return rc;
    }
    writer_free(w);
    return 0;
}

void trace_writer_abort(struct trace_writer *w) {
    if (!w)
        return;
    if (w->file)
        fclose(w->file);
    w->file = NULL;
    if (strcmp(w->part, w->path) != 0)
        unlink(w->part);
    writer_free(w);
}
