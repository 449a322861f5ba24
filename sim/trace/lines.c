/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "lines.h"

#define BUF_BYTES (1u << 18)
#define FILE_BYTES (1u << 17)

struct rft_lines {
    FILE *file;
    char *path;
    ZSTD_DCtx *zstd; /* NULL: plain */
    uint8_t *in;     /* compressed bytes */
    size_t in_at, in_n;
    uint64_t in_offset; /* file offset of in[0] */
    size_t frame_left;  /* not 0: within a zstd frame */
    char *buf;          /* text: [at, n) is unread */
    size_t at, n;
    bool ended;
    uint64_t number;
};

void rft_lines_close(struct rft_lines *l) {
    if (!l)
        return;
    if (l->file)
        fclose(l->file);
    ZSTD_freeDCtx(l->zstd);
    free(l->path);
    free(l->in);
    free(l->buf);
    free(l);
}

int rft_lines_rewind(struct rft_lines *l, struct rf_err *err) {
    if (fseek(l->file, 0, SEEK_SET) != 0)
        return rf_fail(err, RF_EINPUT, "%s: cannot be read twice, expected a file: %s", l->path,
                       strerror(errno));
    clearerr(l->file);
    l->in_at = l->in_n = l->at = l->n = l->frame_left = 0;
    l->in_offset = 0;
    l->number = 0;
    l->ended = false;
    if (l->zstd)
        ZSTD_DCtx_reset(l->zstd, ZSTD_reset_session_only);
    return 0;
}

int rft_lines_open(const char *path, struct rft_lines **out, struct rf_err *err) {
    static const uint8_t zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    struct rft_lines *l = calloc(1, sizeof(*l));
    uint8_t first[4];
    int rc = 0;

    *out = NULL;
    if (!l)
        return rf_fail(err, RF_ENOMEM, "%s: no memory", path);
    size_t len = strlen(path);
    l->path = malloc(len + 1);
    l->in = malloc(FILE_BYTES);
    l->buf = malloc(BUF_BYTES + 1);
    if (!l->path || !l->in || !l->buf) {
        rft_lines_close(l);
        return rf_fail(err, RF_ENOMEM, "%s: no memory", path);
    }
    memcpy(l->path, path, len + 1);
    l->file = fopen(path, "rb");
    if (!l->file) {
        rc = rf_fail(err, RF_EINPUT, "%s: cannot be opened: %s", path, strerror(errno));
    } else {
        size_t got = fread(first, 1, 4, l->file);
        if (ferror(l->file)) {
            rc = rf_fail(err, RF_EINPUT, "%s: offset 0: read: %s", path, strerror(errno));
        } else if (got == 4 && memcmp(first, zstd_magic, 4) == 0) {
            l->zstd = ZSTD_createDCtx();
            if (!l->zstd)
                rc = rf_fail(err, RF_ENOMEM, "%s: no memory for zstd", path);
        }
    }
    if (!rc)
        rc = rft_lines_rewind(l, err);
    if (rc) {
        rft_lines_close(l);
        return rc;
    }
    *out = l;
    return 0;
}

/* Puts more text behind buf[n); *got = 0 at the end of the input. */
static int fill(struct rft_lines *l, size_t *got, struct rf_err *err) {
    *got = 0;
    if (!l->zstd) {
        *got = fread(l->buf + l->n, 1, BUF_BYTES - l->n, l->file);
        if (*got == 0 && ferror(l->file))
            return rf_fail(err, RF_EINPUT, "%s: read: %s", l->path, strerror(errno));
        l->n += *got;
        return 0;
    }
    for (;;) {
        if (l->in_at == l->in_n) {
            l->in_offset += l->in_n;
            l->in_at = 0;
            l->in_n = fread(l->in, 1, FILE_BYTES, l->file);
            if (l->in_n == 0) {
                if (ferror(l->file))
                    return rf_fail(err, RF_EINPUT, "%s: read: %s", l->path, strerror(errno));
                if (l->frame_left)
                    return rf_fail(err, RF_EINPUT,
                                   "%s: offset %llu: compressed file is cut off, expected the "
                                   "rest of a zstd frame",
                                   l->path, (unsigned long long)l->in_offset);
                return 0;
            }
        }
        ZSTD_inBuffer in = {l->in, l->in_n, l->in_at};
        ZSTD_outBuffer out = {l->buf + l->n, BUF_BYTES - l->n, 0};
        size_t rc = ZSTD_decompressStream(l->zstd, &out, &in);
        if (ZSTD_isError(rc))
            return rf_fail(err, RF_EINPUT, "%s: offset %llu: zstd: %s, expected compressed text",
                           l->path, (unsigned long long)(l->in_offset + in.pos),
                           ZSTD_getErrorName(rc));
        l->in_at = in.pos;
        l->frame_left = rc;
        if (out.pos) {
            l->n += out.pos;
            *got = out.pos;
            return 0;
        }
    }
}

int rft_lines_next(struct rft_lines *l, char **line, size_t *len, struct rf_err *err) {
    for (size_t searched = 0;;) {
        char *start = l->buf + l->at, *nl = NULL;
        size_t have = l->n - l->at;
        if (have > searched)
            nl = memchr(start + searched, '\n', have - searched);
        if (nl || (l->ended && have)) {
            size_t n = nl ? (size_t)(nl - start) : have;
            l->at += n + (nl != NULL);
            l->number++;
            if (n > RFT_LINE_MAX)
                return rf_fail(err, RF_EINPUT, "%s: line %llu: %zu bytes, expected at most %u",
                               l->path, (unsigned long long)l->number, n, RFT_LINE_MAX);
            if (memchr(start, 0, n))
                return rf_fail(err, RF_EINPUT, "%s: line %llu: found a byte 0, expected text",
                               l->path, (unsigned long long)l->number);
            if (n && start[n - 1] == '\r')
                n--;
            start[n] = 0;
            *line = start;
            *len = n;
            return 1;
        }
        if (l->ended)
            return 0;
        if (have > RFT_LINE_MAX)
            return rf_fail(err, RF_EINPUT, "%s: line %llu: longer than the %u bytes expected",
                           l->path, (unsigned long long)l->number + 1, RFT_LINE_MAX);
        searched = have;
        if (l->at) {
            memmove(l->buf, start, have);
            l->at = 0;
            l->n = have;
        }
        size_t got;
        int rc = fill(l, &got, err);
        if (rc)
            return rc;
        l->ended = got == 0;
    }
}

uint64_t rft_lines_number(const struct rft_lines *l) {
    return l->number;
}

const char *rft_lines_path(const struct rft_lines *l) {
    return l->path;
}

bool rft_number(const char **p, unsigned base, uint64_t max, uint64_t *out) {
    const char *s = *p;
    uint64_t v = 0;
    bool any = false;
    while (*s == ' ' || *s == '\t')
        s++;
    for (;; s++) {
        unsigned d;
        if (*s >= '0' && *s <= '9')
            d = (unsigned)(*s - '0');
        else if (base == 16 && *s >= 'a' && *s <= 'f')
            d = (unsigned)(*s - 'a') + 10;
        else if (base == 16 && *s >= 'A' && *s <= 'F')
            d = (unsigned)(*s - 'A') + 10;
        else
            break;
        if (v > (UINT64_MAX - d) / base)
            return false;
        v = v * base + d;
        any = true;
    }
    if (!any || v > max || (*s && *s != ' ' && *s != '\t'))
        return false;
    *p = s;
    *out = v;
    return true;
}

bool rft_rest_blank(const char *p) {
    while (*p == ' ' || *p == '\t')
        p++;
    return !*p;
}
