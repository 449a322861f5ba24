/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* Fuzzing would never get past checksums; such a build does without them. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define CHECKSUMS false
#else
#define CHECKSUMS true
#endif
#define HASH_DIGITS 16u
#define MAX_LINE ((size_t)16 << 20)
#define MAX_DAMAGED 1000u /* lines, before the first intact one */

struct journal {
    int fd;
    char *path;
    off_t end; /* of what is known to be whole */
};

/* ---- lines ---- */

static void hash_text(const char *text, size_t n, char out[HASH_DIGITS + 1]) {
    snprintf(out, HASH_DIGITS + 1, "%016" PRIx64, (uint64_t)XXH64(text, n, 0));
}

/* The object of a line of n bytes without its newline; NULL if it is damaged. */
static json_t *parse_line(const char *line, size_t n) {
    char hash[HASH_DIGITS + 1];

    if (n < HASH_DIGITS + 2 || line[HASH_DIGITS] != ' ')
        return NULL;
    hash_text(line + HASH_DIGITS + 1, n - HASH_DIGITS - 1, hash);
    if (CHECKSUMS && memcmp(hash, line, HASH_DIGITS) != 0)
        return NULL;
    return json_loadb(line + HASH_DIGITS + 1, n - HASH_DIGITS - 1, 0, NULL);
}

struct reading {
    journal_fn fn;
    void *ctx;
    uint64_t intact, dropped;
    off_t end; /* behind the last line that ended with a newline */
};

struct line {
    char *text;
    size_t n, room;
};

/* The next line, with its newline if it has one: 1, 0 at the end, < 0. */
static int next_line(FILE *f, const char *path, struct line *l, struct rf_err *err) {
    int c;

    l->n = 0;
    do {
        if ((c = getc_unlocked(f)) == EOF)
            break;
        if (l->n == MAX_LINE)
            return rf_fail(err, RF_EINPUT, "%s: line of more than %zu bytes", path, MAX_LINE);
        if (l->n == l->room) {
            size_t room = l->room ? 2 * l->room : 4096;
            char *text = realloc(l->text, room);

            if (!text)
                return rf_fail(err, RF_ENOMEM, "%s: no memory for a line", path);
            l->text = text;
            l->room = room;
        }
        l->text[l->n++] = (char)c;
    } while (c != '\n');
    if (ferror(f))
        return rf_fail(err, RF_EINPUT, "%s: %s", path, strerror(errno));
    return l->n > 0;
}

static int no_journal(const char *path, struct rf_err *err) {
    return rf_fail(err, RF_EINPUT, "%s: is no journal of a sweep", path);
}

/* All lines of f; a last one without a newline was cut off. */
static int read_lines(FILE *f, const char *path, struct reading *r, struct rf_err *err) {
    struct line l = {0};
    int rc;

    while ((rc = next_line(f, path, &l, err)) == 1) {
        json_t *o = NULL;

        if (l.text[l.n - 1] == '\n') {
            r->end += (off_t)l.n;
            o = parse_line(l.text, l.n - 1);
        }
        if (!json_is_object(o)) {
            r->dropped++;
            rc = r->intact || r->dropped < MAX_DAMAGED ? RF_OK : no_journal(path, err);
        } else {
            r->intact++;
            rc = r->fn(r->ctx, o, err);
        }
        json_decref(o);
        if (rc != RF_OK)
            break;
    }
    free(l.text);
    return rc;
}

/* Not one intact line: a journal whose first line was being written, or some other file. */
static int check_is_journal(const char *path, const struct reading *r, struct rf_err *err) {
    if (r->intact || !r->dropped || (r->dropped == 1 && r->end == 0))
        return RF_OK;
    return no_journal(path, err);
}

int journal_read(const char *path, journal_fn fn, void *ctx, uint64_t *dropped,
                 struct rf_err *err) {
    struct reading r = {.fn = fn, .ctx = ctx};
    FILE *f = fopen(path, "re");
    int rc;

    if (!f)
        return rf_fail(err, RF_EINPUT, "%s: cannot be opened: %s", path, strerror(errno));
    rc = read_lines(f, path, &r, err);
    fclose(f);
    if (rc == RF_OK)
        rc = check_is_journal(path, &r, err);
    if (dropped)
        *dropped = r.dropped;
    return rc;
}

/* ---- appending ---- */

/* The name of a new file is on disk when its folder is. */
static void sync_folder(const char *path) {
    char dir[4096] = ".";
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    int fd;

    if (n >= sizeof(dir))
        return;
    if (n) {
        memcpy(dir, path, n);
        dir[n] = '\0';
    }
    fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

/* Reads what is there and leaves the file without a line that was cut off. */
static int take_over(struct journal *j, bool resume, journal_fn fn, void *ctx, uint64_t *dropped,
                     struct rf_err *err) {
    struct reading r = {.fn = fn, .ctx = ctx};
    struct stat st;
    FILE *f;
    int fd, rc;

    if (fstat(j->fd, &st) != 0 || !S_ISREG(st.st_mode))
        return rf_fail(err, resume ? RF_EUSAGE : RF_EIO,
                       "%s: is no regular file, expected a journal", j->path);
    if (st.st_size == 0)
        return RF_OK;
    if (!resume)
        return rf_fail(err, RF_EUSAGE,
                       "%s: is not empty; --resume goes on with it, another name begins anew",
                       j->path);
    fd = dup(j->fd);
    f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!f) {
        if (fd >= 0)
            close(fd);
        return rf_fail(err, RF_EIO, "%s: %s", j->path, strerror(errno));
    }
    rc = read_lines(f, j->path, &r, err);
    fclose(f);
    if (rc == RF_OK)
        rc = check_is_journal(j->path, &r, err);
    if (rc != RF_OK)
        return rc;
    if (r.end < st.st_size && ftruncate(j->fd, r.end) != 0)
        return rf_fail(err, RF_EIO, "%s: %s", j->path, strerror(errno));
    j->end = r.end;
    *dropped = r.dropped;
    return RF_OK;
}

int journal_open(const char *path, bool resume, journal_fn fn, void *ctx, uint64_t *dropped,
                 struct journal **out, struct rf_err *err) {
    struct journal *j = calloc(1, sizeof(*j));
    uint64_t none;
    int rc = RF_OK;

    *out = NULL;
    if (!j || !(j->path = strdup(path))) {
        free(j);
        return rf_fail(err, RF_ENOMEM, "no memory for a journal");
    }
    j->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    if (j->fd < 0)
        rc = rf_fail(err, RF_EIO, "cannot write %s: %s", path, strerror(errno));
    else if (flock(j->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        rc = rf_fail(err, RF_EUSAGE, "%s: another sweep is writing to it", path);
    if (rc == RF_OK)
        rc = take_over(j, resume, fn, ctx, dropped ? dropped : &none, err);
    if (rc != RF_OK) {
        journal_close(j);
        return rc;
    }
    sync_folder(path);
    *out = j;
    return RF_OK;
}

static bool write_all(int fd, const char *text, size_t n) {
    while (n) {
        ssize_t w = write(fd, text, n);

        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            return false;
        text += w;
        n -= (size_t)w;
    }
    return true;
}

int journal_append(struct journal *j, const json_t *line, struct rf_err *err) {
    char *text = line ? json_dumps(line, JSON_COMPACT | JSON_SORT_KEYS) : NULL, *whole;
    size_t n = text ? strlen(text) : 0;
    int rc = RF_OK, error;

    whole = text ? malloc(n + HASH_DIGITS + 3) : NULL;
    if (!whole) {
        free(text);
        return rf_fail(err, RF_ENOMEM, "no memory for a line of the journal");
    }
    hash_text(text, n, whole);
    whole[HASH_DIGITS] = ' ';
    memcpy(whole + HASH_DIGITS + 1, text, n);
    n += HASH_DIGITS + 1;
    whole[n++] = '\n';
    if (write_all(j->fd, whole, n) && fdatasync(j->fd) == 0) {
        j->end += (off_t)n;
    } else {
        error = errno;
        if (ftruncate(j->fd, j->end) != 0)
            error = errno;
        rc = rf_fail(err, RF_EIO, "cannot write %s: %s", j->path, strerror(error));
    }
    free(whole);
    free(text);
    return rc;
}

void journal_close(struct journal *j) {
    if (!j)
        return;
    if (j->fd >= 0)
        close(j->fd);
    free(j->path);
    free(j);
}
