/* SPDX-License-Identifier: Apache-2.0 */
/* Runs zram scripts; the format is described in the header. */
#include "zram_script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

/* ---- files ---- */

/* Of a text, four million lines of a script, and of anything else, such as a bank of pages. */
#define MAX_TEXT ((size_t)64 << 20)
#define MAX_BYTES ((size_t)1 << 30)

static size_t limit_of(size_t max_line) {
    return max_line ? MAX_TEXT : MAX_BYTES;
}

static int too_long(const char *path, size_t limit, struct rf_err *err) {
    return rf_fail(err, RF_EINPUT, "%s: longer than %zu MiB", path, limit >> 20);
}

/* What has been looked at of a text. */
struct scan {
    size_t at, start, max_line; /* start: of the present line */
    uint32_t line;
};

/* Whether [at, n) can be text; known while it is read, as some files have no end. */
static int check_text(const char *path, const uint8_t *text, size_t n, struct scan *s,
                      struct rf_err *err) {
    const uint8_t *zero = s->max_line ? memchr(text + s->at, 0, n - s->at) : NULL, *nl;
    size_t end = zero ? (size_t)(zero - text) : n;

    for (; s->max_line && s->at < end; s->at = s->start) {
        nl = memchr(text + s->at, '\n', end - s->at);
        if ((nl ? (size_t)(nl - text) : end) - s->start > s->max_line)
            return rf_fail(err, RF_EINPUT, "%s:%u: line of more than %zu bytes", path, s->line,
                           s->max_line);
        if (!nl)
            break;
        s->start = (size_t)(nl - text) + 1;
        s->line++;
    }
    s->at = n;
    return zero ? rf_fail(err, RF_EINPUT, "%s:%u: found a byte 0, expected text", path, s->line)
                : RF_OK;
}

static bool is_zstd(const uint8_t *raw, size_t n) {
    return n >= 4 && rf_load_le32(raw) == ZSTD_MAGICNUMBER;
}

static int read_all(const char *path, size_t max_line, uint8_t **out, size_t *len,
                    struct rf_err *err) {
    struct scan scan = {.line = 1, .max_line = max_line};
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    size_t cap = 1 << 16, n = 0, got, limit = limit_of(max_line);
    uint8_t *buf = NULL, *bigger;
    int rc = 0;
    if (!f)
        return rf_fail(err, RF_EINPUT, "%s: cannot be opened: %s", path, strerror(errno));
    do {
        bigger = realloc(buf, cap);
        if (!bigger) {
            rc = rf_fail(err, RF_ENOMEM, "%s: no memory for %zu bytes", path, cap);
            break;
        }
        buf = bigger;
        got = fread(buf + n, 1, cap - n - 1, f);
        n += got;
        if (n == cap - 1)
            cap *= 2;
        if (n > limit)
            rc = too_long(path, limit, err);
        else if (!is_zstd(buf, n))
            rc = check_text(path, buf, n, &scan, err);
    } while (got > 0 && rc == 0);
    if (rc == 0 && ferror(f))
        rc = rf_fail(err, RF_EINPUT, "%s: %s", path, strerror(errno));
    if (f != stdin)
        fclose(f);
    if (rc != 0) {
        free(buf);
        return rc;
    }
    buf[n] = '\0';
    *out = buf;
    *len = n;
    return 0;
}

static int unzstd(const char *path, const uint8_t *in, size_t len, size_t limit, char **out,
                  size_t *out_len, struct rf_err *err) {
    ZSTD_DStream *ds = ZSTD_createDStream();
    ZSTD_inBuffer src = {in, len, 0};
    size_t cap = RF_MIN(len * 4 + 4096, limit + 2), hint = 1;
    char *buf = malloc(cap);
    ZSTD_outBuffer dst = {buf, cap - 1, 0};
    int rc = ds && buf ? 0 : rf_fail(err, RF_ENOMEM, "%s: no memory to decompress", path);
    while (rc == 0 && (src.pos < src.size || hint != 0)) {
        size_t before_in = src.pos, before_out = dst.pos;
        hint = ZSTD_decompressStream(ds, &dst, &src);
        if (ZSTD_isError(hint)) {
            rc = rf_fail(err, RF_EINPUT, "%s: byte %zu: damaged zstd data: %s", path, src.pos,
                         ZSTD_getErrorName(hint));
        } else if (dst.pos == dst.size) {
            size_t more = RF_MIN(cap * 2, limit + 2);
            char *bigger = dst.pos <= limit ? realloc(buf, more) : NULL;
            if (!bigger) {
                rc = dst.pos > limit
                         ? too_long(path, limit, err)
                         : rf_fail(err, RF_ENOMEM, "%s: no memory for %zu bytes", path, more);
            } else {
                buf = bigger;
                cap = more;
                dst.dst = buf;
                dst.size = cap - 1;
            }
        } else if (src.pos == before_in && dst.pos == before_out) {
            rc = rf_fail(err, RF_EINPUT, "%s: the zstd data end in the middle of a frame", path);
        }
    }
    ZSTD_freeDStream(ds);
    if (rc != 0) {
        free(buf);
        return rc;
    }
    buf[dst.pos] = '\0';
    *out = buf;
    *out_len = dst.pos;
    return 0;
}

int zram_script_load(const char *path, size_t max_line, char **text, size_t *len,
                     struct rf_err *err) {
    struct scan scan = {.line = 1, .max_line = max_line};
    uint8_t *raw = NULL;
    size_t n = 0;
    int rc = read_all(path, max_line, &raw, &n, err);
    if (rc != 0)
        return rc;
    if (!is_zstd(raw, n)) {
        *text = (char *)raw;
        *len = n;
        return 0;
    }
    rc = unzstd(path, raw, n, limit_of(max_line), text, len, err);
    free(raw);
    if (rc == 0 && (rc = check_text(path, (uint8_t *)*text, *len, &scan, err)) != 0) {
        free(*text);
        *text = NULL;
    }
    return rc;
}

/* ---- the script ---- */

struct run {
    const char *name;
    uint32_t line;
    struct zram *z;
    const struct zram_params *p;
    bool check;
    const struct zram_script_ops *ops;
    void *ctx;
    struct sim_cpu cpu; /* device time: the sum of all operations */
    struct zram_script_counts n;
    uint32_t huge_size;
};

static int bad(const struct run *r, struct rf_err *err, const char *want, const char *got) {
    return rf_fail(err, RF_EINPUT, "%s:%u: found '%.60s', expected %s", r->name, r->line, got,
                   want);
}

/* The next number at *s, at most max; false if there is none. */
static bool number(const char **s, uint64_t max, uint64_t *v) {
    char *end;
    const char *p = *s + strspn(*s, " \t");
    if (*p < '0' || *p > '9')
        return false;
    errno = 0;
    unsigned long long n = strtoull(p, &end, 10);
    if (errno || n > max || (*end && !strchr(" \t\r", *end)))
        return false;
    *s = end;
    *v = n;
    return true;
}

static bool at_end(const char *s) {
    return s[strspn(s, " \t\r")] == '\0';
}

/* Whether two contents are the same bytes; ids may differ where a bank has duplicates. */
static bool same_content(const struct run *r, uint32_t a, uint32_t b) {
    uint64_t wa = 0, wb = 0;
    uint8_t pa[RF_PAGE_SIZE], pb[RF_PAGE_SIZE];
    if (a == b)
        return true;
    if (content_same_filled(r->p->content, a, &wa) != content_same_filled(r->p->content, b, &wb))
        return false;
    content_bytes(r->p->content, a, pa);
    content_bytes(r->p->content, b, pb);
    return memcmp(pa, pb, RF_PAGE_SIZE) == 0;
}

static int op_rw(struct run *r, const char *line, bool write, struct rf_err *err) {
    const char *s = line + 1;
    uint64_t page, bank;
    size_t nr = content_count(r->p->content);
    if (!number(&s, UINT32_MAX - 1, &page) || !number(&s, CONTENT_MAX - 1, &bank) || !at_end(s))
        return bad(r, err, "w or r and two numbers, page and bank page", line);
    if (!content_is_synthetic(r->p->content) && bank >= nr)
        return rf_fail(err, RF_EINPUT, "%s:%u: bank page %" PRIu64 ", but the bank has only %zu",
                       r->name, r->line, bank, nr);
    uint32_t want = (uint32_t)bank + 1, got = 0;
    if (write) {
        r->n.writes++;
        r->n.io_errors += !zram_write(r->z, &r->cpu, (uint32_t)page, want);
    } else {
        r->n.reads++;
        if (!zram_read(r->z, &r->cpu, (uint32_t)page, &got))
            r->n.io_errors++;
        else
            r->n.verify_errors += !same_content(r, got, want);
    }
    return 0;
}

static int op_discard(struct run *r, const char *line, struct rf_err *err) {
    const char *s = line + 1;
    uint64_t page, nr = 1;
    if (!number(&s, UINT32_MAX - 1, &page) || (!at_end(s) && !number(&s, UINT32_MAX, &nr)) ||
        !at_end(s))
        return bad(r, err, "d, a page and perhaps a number of pages", line);
    r->n.discards++;
    r->n.io_errors += page + nr > r->p->disksize_pages;
    zram_discard(r->z, &r->cpu, (uint32_t)page, (uint32_t)nr);
    return 0;
}

static int op_sysfs(struct run *r, char *line, struct rf_err *err) {
    char *path = line + 1 + strspn(line + 1, " \t");
    char *text = path + strcspn(path, " \t");
    if (text == path || *text == '\0')
        return bad(r, err, "E, a file and a text", line);
    *text++ = '\0';
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    int rc = zram_sysfs_write(r->z, &r->cpu, file, text);
    return r->ops->sysfs ? r->ops->sysfs(r->ctx, file, text, rc, err) : 0;
}

static int op_snapshot(struct run *r, const char *line, struct rf_err *err) {
    const char *label = line + 1 + strspn(line + 1, " \t");
    int rc = zram_verify_status(r->z, err);
    if (rc == 0 && r->check)
        rc = zram_check(r->z, err);
    if (rc != 0)
        return rf_fail_prefix(err, "%s:%u", r->name, r->line);
    return r->ops->snapshot ? r->ops->snapshot(r->ctx, label, r->z, &r->n, err) : 0;
}

static int op_sizes(struct run *r, struct rf_err *err) {
    size_t nr = content_count(r->p->content);
    uint16_t *size = calloc(nr ? nr : 1, sizeof(*size));
    int rc = 0;
    if (!size)
        return rf_fail(err, RF_ENOMEM, "%s:%u: no memory for %zu sizes", r->name, r->line, nr);
    for (size_t k = 0; k < nr; k++) {
        uint32_t id = (uint32_t)k + 1;
        r->n.writes++;
        r->n.io_errors += !zram_write(r->z, &r->cpu, (uint32_t)k, id);
        if (content_same_filled(r->p->content, id, NULL))
            continue;
        uint32_t len = content_size(r->p->content, id, r->p->comp[0]);
        size[k] = (uint16_t)(len >= r->huge_size ? RF_PAGE_SIZE : len);
    }
    if (r->ops->sizes)
        rc = r->ops->sizes(r->ctx, size, nr, err);
    free(size);
    return rc;
}

static int run_line(struct run *r, char *line, struct rf_err *err) {
    size_t n = strlen(line);
    while (n > 0 && strchr(" \t\r", line[n - 1]))
        line[--n] = '\0';
    line += strspn(line, " \t");
    if (*line == '\0' || *line == '#')
        return 0;
    if (line[1] != '\0' && line[1] != ' ' && line[1] != '\t')
        return bad(r, err, "one of w, r, d, E, S, P and a space", line);
    switch (*line) {
    case 'w':
        return op_rw(r, line, true, err);
    case 'r':
        return op_rw(r, line, false, err);
    case 'd':
        return op_discard(r, line, err);
    case 'E':
        return op_sysfs(r, line, err);
    case 'S':
        return op_snapshot(r, line, err);
    case 'P':
        return op_sizes(r, err);
    default:
        return bad(r, err, "one of w, r, d, E, S, P", line);
    }
}

int zram_script_run(const char *name, const char *text, size_t len, const struct zram_params *p,
                    bool check, const struct zram_script_ops *ops, void *ctx, struct rf_err *err) {
    struct run r = {.name = name, .p = p, .check = check, .ops = ops, .ctx = ctx};
    char line[ZRAM_SCRIPT_LINE + 1];
    uint64_t failed;
    int rc = len ? zram_create(p, &r.z, err)
                 : rf_fail(err, RF_EINPUT, "%s: empty, expected the lines of a script", name);
    if (rc != 0)
        return rc;
    r.huge_size = p->policy.huge_by_class_size ? zs_huge_class_size(zs_pool_table(zram_pool(r.z)))
                                               : p->policy.max_zpage_size + 1;
    for (size_t pos = 0; pos < len && rc == 0;) {
        const char *nl = memchr(text + pos, '\n', len - pos);
        size_t n = nl ? (size_t)(nl - text) - pos : len - pos;
        r.line++;
        if (n >= sizeof(line)) {
            rc = rf_fail(err, RF_EINPUT, "%s:%u: line of %zu bytes, expected at most %zu", name,
                         r.line, n, sizeof(line) - 1);
            break;
        }
        memcpy(line, text + pos, n);
        line[n] = '\0';
        if (strlen(line) != n) {
            rc = rf_fail(err, RF_EINPUT, "%s:%u: found a byte 0, expected text", name, r.line);
            break;
        }
        failed = r.n.verify_errors + r.n.io_errors;
        rc = run_line(&r, line, err);
        if (!r.n.first_failed && r.n.verify_errors + r.n.io_errors > failed)
            r.n.first_failed = r.line;
        pos += n + 1;
    }
    if (rc == 0 && (rc = zram_verify_status(r.z, err)) != 0)
        rf_fail_prefix(err, "%s", name);
    if (rc == 0 && ops->end)
        rc = ops->end(ctx, &r.n, err);
    zram_destroy(r.z);
    return rc;
}
