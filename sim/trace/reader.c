/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading .rft. Nothing in the file is believed before it is checked: lengths against the limits of
 * the format and the size of the file before anything is allocated, checksums before
 * decompression, ids in decode.c. Memory is that of one block in its three forms.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader.h"

/* Fuzzing would never get past checksums; such a build does without them. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define CHECKSUMS false
#else
#define CHECKSUMS true
#endif

int rft_pread(const struct trace_reader *r, void *buf, size_t n, uint64_t at, const char *what,
              struct rf_err *err) {
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(r->fd, (uint8_t *)buf + done, n - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return rf_fail(err, RF_EINPUT, "%s: offset %llu: read: %s", r->path,
                           (unsigned long long)(at + done), strerror(errno));
        if (got == 0)
            return rf_fail(err, RF_EINPUT,
                           "%s: offset %llu: end of file within the %s, expected %zu more bytes",
                           r->path, (unsigned long long)(at + done), what, n - done);
        done += (size_t)got;
    }
    return 0;
}

/* Reads [at, at + n) in pieces and gives its XXH64. */
static int hash_range(const struct trace_reader *r, uint64_t at, uint64_t n, uint64_t seed,
                      uint64_t *out, struct rf_err *err) {
    uint8_t buf[16384];
    int rc;
    XXH64_reset(r->digest, seed);
    for (uint64_t done = 0; done < n;) {
        size_t take = (size_t)RF_MIN(n - done, sizeof(buf));
        if ((rc = rft_pread(r, buf, take, at + done, "footer", err)))
            return rc;
        XXH64_update(r->digest, buf, take);
        done += take;
    }
    *out = XXH64_digest(r->digest);
    return 0;
}

static int read_footer(struct trace_reader *r, struct rf_err *err) {
    uint8_t f[RFT_FOOTER_FIXED_BYTES], sum[8];
    struct trace_info *i = &r->info;
    uint64_t hash, at = r->footer_at;
    int rc;

    if ((rc = rft_pread(r, f, sizeof(f), at, "footer", err)) ||
        (rc = rft_pread(r, sum, 8, at + r->footer_bytes - 8, "footer", err)) ||
        (rc = hash_range(r, at, r->footer_bytes - 8, at, &hash, err)))
        return rc;
    if (CHECKSUMS && hash != rf_load_le64(sum))
        return rf_fail(err, RF_EINPUT,
                       "%s: offset %llu: footer has checksum %016llx, expected %016llx", r->path,
                       (unsigned long long)at, (unsigned long long)hash,
                       (unsigned long long)rf_load_le64(sum));
    if (rf_load_le32(f) != RFT_FOOTER_MAGIC || rf_load_le32(f + 4) != RFT_FOOTER_FIXED_BYTES)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset %llu: found %08x with %u bytes, expected a footer (%08x, %u)",
                       r->path, (unsigned long long)at, rf_load_le32(f), rf_load_le32(f + 4),
                       RFT_FOOTER_MAGIC, RFT_FOOTER_FIXED_BYTES);
    i->ops = rf_load_le64(f + 8);
    i->writes = rf_load_le64(f + 16);
    i->events = rf_load_le64(f + 24);
    i->content_changes = rf_load_le64(f + 32);
    i->pages_touched = rf_load_le64(f + 40);
    i->footprint_pages = rf_load_le64(f + 48);
    i->dropped_file_pages = rf_load_le64(f + 56);
    i->min_memory_pages = rf_load_le64(f + 64);
    i->max_content = rf_load_le64(f + 72);
    r->rows_total = rf_load_le64(f + 80);
    i->blocks = rf_load_le32(f + 88);
    i->processes = rf_load_le32(f + 92);
    i->vmas = rf_load_le32(f + 96);
    uint32_t modes = rf_load_le32(f + 100);
    i->pacing = (uint8_t)modes;
    i->implicit_content = modes >> 8 & 1;
    i->digest = rf_load_le64(f + 104);
    r->nindex = rf_load_le64(f + 112);
    uint64_t np = rf_load_le32(f + 120) & 0xffff, ns = rf_load_le32(f + 120) >> 16;
    uint64_t nb = rf_load_le32(f + 124);
    if (i->pacing > TRACE_PACE_NS || modes >> 9 || i->blocks > RFT_BLOCKS_MAX ||
        i->processes > RFT_PROCESSES_MAX || i->vmas > RFT_VMAS_MAX ||
        i->max_content > CONTENT_MAX || r->rows_total > CONTENT_MAX)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset %llu: %u blocks, %u processes, %u vmas, content ids to %llu, "
                       "%llu rows, modes %#x: beyond the format's limits",
                       r->path, (unsigned long long)at, i->blocks, i->processes, i->vmas,
                       (unsigned long long)i->max_content, (unsigned long long)r->rows_total,
                       modes);
    uint64_t left = r->footer_bytes - 8 - RFT_FOOTER_FIXED_BYTES;
    if (np > RFT_PROVENANCE_MAX || ns > RFT_SPEC_MAX || nb > RFT_PATH_MAX || np + ns + nb > left ||
        r->nindex > (left - np - ns - nb) / RFT_INDEX_ENTRY_BYTES ||
        np + ns + nb + r->nindex * RFT_INDEX_ENTRY_BYTES != left)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset %llu: texts of %llu, %llu and %llu bytes and %llu index entries "
                       "do not fill a footer of %llu bytes",
                       r->path, (unsigned long long)at, (unsigned long long)np,
                       (unsigned long long)ns, (unsigned long long)nb,
                       (unsigned long long)r->nindex, (unsigned long long)r->footer_bytes);
    at += RFT_FOOTER_FIXED_BYTES;
    if ((rc = rft_pread(r, i->provenance, np, at, "footer", err)) ||
        (rc = rft_pread(r, i->content_spec, ns, at + np, "footer", err)) ||
        (rc = rft_pread(r, r->bank_path, nb, at + np + ns, "footer", err)))
        return rc;
    /* they are printed: no control sequences of a stranger's file */
    rft_printable(i->provenance, np);
    rft_printable(i->content_spec, ns);
    r->index_at = at + np + ns + nb;
    r->limits = (struct rft_limits){i->blocks, i->processes, i->vmas, i->max_content};
    return 0;
}

static int read_header(struct trace_reader *r, struct rf_err *err) {
    uint8_t h[RFT_HEADER_BYTES];
    struct stat st;
    int rc;

    if (fstat(r->fd, &st) != 0)
        return rf_fail(err, RF_EINPUT, "%s: %s", r->path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return rf_fail(err, RF_EINPUT, "%s: offset 0: not a regular file, expected a trace",
                       r->path);
    if ((rc = rft_pread(r, h, sizeof(h), 0, "header", err)))
        return rc;
    if (memcmp(h, rft_magic, 8) != 0)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset 0: found %02x %02x %02x %02x, expected a refault trace "
                       "(89 52 46 54); see refault import",
                       r->path, h[0], h[1], h[2], h[3]);
    uint64_t hash = XXH64(h, RFT_HEADER_BYTES - 8, 0);
    if (CHECKSUMS && hash != rf_load_le64(h + 56))
        return rf_fail(err, RF_EINPUT,
                       "%s: offset 56: header has checksum %016llx, expected %016llx", r->path,
                       (unsigned long long)hash, (unsigned long long)rf_load_le64(h + 56));
    r->info.version = rf_load_le32(h + 8);
    if (r->info.version != RFT_VERSION || rf_load_le32(h + 12) != RFT_HEADER_BYTES)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset 8: format version %u (header %u bytes), expected version %u "
                       "(header %u bytes)",
                       r->path, r->info.version, rf_load_le32(h + 12), RFT_VERSION,
                       RFT_HEADER_BYTES);
    uint64_t size = (uint64_t)st.st_size, said = rf_load_le64(h + 32);
    r->footer_at = rf_load_le64(h + 16);
    r->footer_bytes = rf_load_le64(h + 24);
    if (said != size)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset 32: file has %llu bytes, expected %llu: it was cut off or has "
                       "grown",
                       r->path, (unsigned long long)size, (unsigned long long)said);
    if (r->footer_at < RFT_HEADER_BYTES || r->footer_at > size ||
        r->footer_bytes != size - r->footer_at || r->footer_bytes < RFT_FOOTER_FIXED_BYTES + 8)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset 16: footer of %llu bytes at %llu, expected it to end the file "
                       "of %llu bytes",
                       r->path, (unsigned long long)r->footer_bytes,
                       (unsigned long long)r->footer_at, (unsigned long long)size);
    return read_footer(r, err);
}

int trace_open(const char *path, struct trace_reader **out, struct rf_err *err) {
    struct trace_reader *r = calloc(1, sizeof(*r));
    int rc = 0;
    *out = NULL;
    if (!r)
        return rf_fail(err, RF_ENOMEM, "%s: no memory for a trace reader", path);
    size_t len = strlen(path);
    r->fd = -1;
    r->path = malloc(len + 1);
    r->digest = XXH64_createState();
    r->zstd = ZSTD_createDCtx();
    if (!r->path || !r->digest || !r->zstd) {
        rc = rf_fail(err, RF_ENOMEM, "%s: no memory for a trace reader", path);
    } else {
        memcpy(r->path, path, len + 1);
        r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
        if (r->fd < 0)
            rc = rf_fail(err, RF_EINPUT, "%s: cannot be opened: %s", path, strerror(errno));
    }
    if (!rc)
        rc = read_header(r, err);
    if (!rc)
        rc = trace_rewind(r, err);
    if (rc) {
        trace_close(r);
        return rc;
    }
    *out = r;
    return 0;
}

const struct trace_info *trace_reader_info(const struct trace_reader *r) {
    return &r->info;
}

int trace_rewind(struct trace_reader *r, struct rf_err *err) {
    (void)err;
    r->at = RFT_HEADER_BYTES;
    r->seen = r->rows_seen = r->contents_seen = r->events_seen = r->blocks_seen = 0;
    r->sought = false;
    XXH64_reset(r->digest, 0);
    return 0;
}

void trace_close(struct trace_reader *r) {
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    XXH64_freeState(r->digest);
    ZSTD_freeDCtx(r->zstd);
    free(r->path);
    free(r->comp);
    free(r->raw);
    free(r->ops);
    free(r->events);
    free(r);
}

/* Makes *buf hold n elements; the old ones are not kept. */
static int reserve(void *buf, size_t *cap, size_t n, size_t elem, struct rf_err *err) {
    void **p = buf;
    if (n <= *cap)
        return 0;
    free(*p);
    *cap = 0;
    *p = malloc(n * elem);
    if (!*p)
        return rf_fail(err, RF_ENOMEM, "no memory for a trace block of %zu bytes", n * elem);
    *cap = n;
    return 0;
}

static int check_block_header(const struct trace_reader *r, const struct rft_block_header *h,
                              uint32_t magic, unsigned kinds, struct rf_err *err) {
    unsigned long long at = r->at;
    uint64_t room = r->footer_at - r->at - RFT_BLOCK_HEADER_BYTES;
    if (magic != RFT_BLOCK_MAGIC || (h->kind != RFT_RECORDS && h->kind != RFT_CATALOGUE))
        return rf_fail(err, RF_EINPUT,
                       "%s: offset %llu: found %08x kind %u, expected a block (%08x kind 1 or 2)",
                       r->path, at, magic, h->kind, RFT_BLOCK_MAGIC);
    if (h->comp_bytes > RFT_COMP_MAX || h->comp_bytes > room || h->raw_bytes > RFT_RAW_MAX ||
        h->raw_bytes == 0)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset %llu: block of %u bytes compressed and %u uncompressed, "
                       "expected at most %llu and %u",
                       r->path, at, h->comp_bytes, h->raw_bytes,
                       (unsigned long long)RF_MIN(room, RFT_COMP_MAX), RFT_RAW_MAX);
    if (h->kind == RFT_CATALOGUE ? h->count == 0 || h->count > RFT_ROWS_MAX
                                 : h->count == 0 || h->count > RFT_WORDS_MAX ||
                                       h->nevents > RFT_EVENTS_MAX || h->records > h->count)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset %llu: block with %u words or rows, %u records, %u events, "
                       "expected 1 to %u, %u, %u",
                       r->path, at, h->count, h->records, h->nevents,
                       h->kind == RFT_CATALOGUE ? RFT_ROWS_MAX : RFT_WORDS_MAX, h->count,
                       RFT_EVENTS_MAX);
    uint64_t sum =
        ((uint64_t)h->records + 1) / 2 + h->data_bytes + (uint64_t)h->args_bytes + h->event_bytes;
    if (h->kind == RFT_RECORDS && sum != h->raw_bytes)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset %llu: streams of %llu bytes, expected the %u of the block",
                       r->path, at, (unsigned long long)sum, h->raw_bytes);
    uint64_t first = h->kind == RFT_RECORDS ? r->seen : r->rows_seen;
    /* who skips a kind does not know how far it has come */
    if ((kinds >> h->kind & 1 || (h->kind == RFT_CATALOGUE && !r->sought)) && h->first != first)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset %llu: block begins with access or row %llu, expected %llu",
                       r->path, at, (unsigned long long)h->first, (unsigned long long)first);
    return 0;
}

/* All blocks were seen: do they add up to what the footer says? */
static int check_end(struct trace_reader *r, struct rf_err *err) {
    uint64_t digest = XXH64_digest(r->digest);
    if (r->sought)
        return 0;
    if (r->rows_seen != r->rows_total || r->blocks_seen != r->nindex ||
        (CHECKSUMS && digest != r->info.digest))
        return rf_fail(err, RF_EINPUT,
                       "%s: offset %llu: %llu blocks and %llu rows with digest %016llx, the footer "
                       "says %llu, %llu, %016llx",
                       r->path, (unsigned long long)r->at, (unsigned long long)r->blocks_seen,
                       (unsigned long long)r->rows_seen, (unsigned long long)digest,
                       (unsigned long long)r->nindex, (unsigned long long)r->rows_total,
                       (unsigned long long)r->info.digest);
    return 0;
}

int rft_next_raw(struct trace_reader *r, unsigned kinds, struct rft_block_header *h,
                 const uint8_t **raw, uint64_t *at, struct rf_err *err) {
    uint8_t header[RFT_BLOCK_HEADER_BYTES], d[16];
    int rc;

    *raw = NULL;
    *at = r->at;
    if (r->at == r->footer_at) {
        return check_end(r, err);
    }
    if (r->footer_at - r->at < RFT_BLOCK_HEADER_BYTES)
        return rf_fail(err, RF_EINPUT,
                       "%s: offset %llu: %llu bytes before the footer, expected a block", r->path,
                       (unsigned long long)r->at, (unsigned long long)(r->footer_at - r->at));
    if ((rc = rft_pread(r, header, sizeof(header), r->at, "block header", err)))
        return rc;
    rft_load_block_header(header, h);
    if ((rc = check_block_header(r, h, rf_load_le32(header), kinds, err)))
        return rc;
    if (kinds >> h->kind & 1) {
        if ((rc = reserve(&r->comp, &r->cap_comp, h->comp_bytes, 1, err)) ||
            (rc = reserve(&r->raw, &r->cap_raw, (size_t)h->raw_bytes + 16, 1, err)) ||
            (rc = rft_pread(r, r->comp, h->comp_bytes, r->at + sizeof(header), "block", err)))
            return rc;
        uint64_t check = rft_block_check(header, r->comp, h->comp_bytes, r->at);
        if (CHECKSUMS && check != h->check)
            return rf_fail(err, RF_EINPUT,
                           "%s: offset %llu: block has checksum %016llx, expected %016llx", r->path,
                           (unsigned long long)r->at, (unsigned long long)check,
                           (unsigned long long)h->check);
        size_t n = ZSTD_decompressDCtx(r->zstd, r->raw, h->raw_bytes, r->comp, h->comp_bytes);
        if (ZSTD_isError(n) || n != h->raw_bytes)
            return rf_fail(err, RF_EINPUT,
                           "%s: offset %llu: block decompresses to %s, expected %u bytes", r->path,
                           (unsigned long long)r->at,
                           ZSTD_isError(n) ? ZSTD_getErrorName(n) : "fewer bytes", h->raw_bytes);
        memset(r->raw + h->raw_bytes, 0, 16);
        uint64_t hash = XXH64(r->raw, h->raw_bytes, 0);
        if (CHECKSUMS && hash != h->raw_hash)
            return rf_fail(err, RF_EINPUT,
                           "%s: offset %llu: uncompressed block has checksum %016llx, expected "
                           "%016llx",
                           r->path, (unsigned long long)r->at, (unsigned long long)hash,
                           (unsigned long long)h->raw_hash);
        *raw = r->raw;
    }
    rf_store_le32(d, h->kind);
    rf_store_le32(d + 4, h->count);
    rf_store_le64(d + 8, h->raw_hash);
    XXH64_update(r->digest, d, sizeof(d));
    r->at += sizeof(header) + h->comp_bytes;
    r->blocks_seen++;
    if (h->kind == RFT_CATALOGUE)
        r->rows_seen += h->count;
    return 1;
}

int trace_next(struct trace_reader *r, struct trace_block *b, struct rf_err *err) {
    struct rft_block_header h = {0};
    struct rft_decoded found = {0};
    const uint8_t *raw;
    uint64_t at;
    int rc;

    *b = (struct trace_block){0};
    do {
        rc = rft_next_raw(r, 1u << RFT_RECORDS, &h, &raw, &at, err);
        if (rc < 0)
            return rc;
        if (rc == 0) {
            if (r->sought && r->seen == r->info.ops)
                return 0;
            if (r->seen != r->info.ops || r->contents_seen != r->info.content_changes ||
                r->events_seen != r->info.events)
                return rf_fail(err, RF_EINPUT,
                               "%s: offset %llu: %llu accesses, %llu contents, %llu events in the "
                               "file, the footer says %llu, %llu, %llu",
                               r->path, (unsigned long long)at, (unsigned long long)r->seen,
                               (unsigned long long)r->contents_seen,
                               (unsigned long long)r->events_seen, (unsigned long long)r->info.ops,
                               (unsigned long long)r->info.content_changes,
                               (unsigned long long)r->info.events);
            return 0;
        }
    } while (h.kind != RFT_RECORDS);
    if ((rc = reserve(&r->ops, &r->cap_ops, (size_t)h.count + 2, sizeof(*r->ops), err)) ||
        (rc = reserve(&r->events, &r->cap_events, (size_t)h.nevents + 1, sizeof(*r->events), err)))
        return rc;
    rc = rft_decode(&h, raw, &r->limits, at, r->ops, r->events, &found, err);
    if (rc) {
        if (err)
            rf_fail_prefix(err, "%s", r->path);
        return rc;
    }
    *b = (struct trace_block){.ops = r->ops,
                              .nops = h.count,
                              .events = r->events,
                              .nevents = h.nevents,
                              .first_op = r->seen};
    r->seen += found.accesses;
    r->contents_seen += found.contents;
    r->events_seen += h.nevents;
    return 1;
}
