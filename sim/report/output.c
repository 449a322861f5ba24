/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <errno.h>
#include <sys/stat.h>
#include "leftovers.h"
#include "refault/trace.h"

int output_open(struct output *o, const char *path, struct rf_err *err) {
    struct stat st;

    o->path = path;
    if (strcmp(path, "-") == 0) {
        o->path = "stdout";
        o->f = stdout;
        return RF_OK;
    }
    if (lstat(path, &st) != 0 || S_ISREG(st.st_mode))
        leftovers_add(path);
    o->f = fopen(path, "we");
    if (o->f)
        return RF_OK;
    rf_fail(err, RF_EIO, "cannot write %s: %s", path, strerror(errno));
    leftovers_drop(path);
    return RF_EIO;
}

/* An output that is there, and would be overwritten. */
struct kept {
    const char *path;
    struct stat st;
};

static bool is_there(struct kept *k, const char *path) {
    k->path = path;
    return path && strcmp(path, "-") != 0 && stat(path, &k->st) == 0 && S_ISREG(k->st.st_mode);
}

static int differs(void *ctx, const char *input, struct rf_err *err) {
    const struct kept *k = ctx;
    struct stat st;

    if (stat(input, &st) != 0 || st.st_dev != k->st.st_dev || st.st_ino != k->st.st_ino)
        return RF_OK;
    return rf_fail(err, RF_EUSAGE, "%s: is an input, it would be overwritten", k->path);
}

/* What is no trace names no files. */
static int keeps_contents(struct kept *k, const char *input, struct rf_err *err) {
    struct trace_reader *r;
    struct rf_err no_trace;
    struct stat st;
    int rc;

    if (stat(input, &st) != 0 || !S_ISREG(st.st_mode) || trace_open(input, &r, &no_trace) != RF_OK)
        return RF_OK;
    rc = trace_content_files(r, differs, k, err);
    trace_close(r);
    return rc;
}

int output_keeps(const char *path, const char *input, struct rf_err *err) {
    struct kept k;
    int rc;

    if (!is_there(&k, path))
        return RF_OK;
    rc = differs(&k, input, err);
    return rc == RF_OK ? keeps_contents(&k, input, err) : rc;
}

int output_keeps_contents(const char *path, const char *spec, struct rf_err *err) {
    struct kept k;

    return is_there(&k, path) ? content_spec_files(spec, differs, &k, err) : RF_OK;
}

/* The folder of a path, and the name in it. */
static bool folder_of(const char *path, struct stat *folder, const char **name) {
    char dir[4096] = ".";
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 0;

    if (len >= sizeof(dir))
        return false;
    if (len) {
        memcpy(dir, path, len);
        dir[len] = '\0';
    }
    *name = path + len;
    return stat(dir, folder) == 0;
}

static bool same_output(const char *a, const char *b) {
    struct stat sa, sb;
    const char *na, *nb;

    if (strcmp(a, b) == 0)
        return strcmp(a, "-") == 0 || stat(a, &sa) != 0 || S_ISREG(sa.st_mode);
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return false;
    if (stat(a, &sa) == 0 && stat(b, &sb) == 0)
        return S_ISREG(sa.st_mode) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
    return folder_of(a, &sa, &na) && folder_of(b, &sb, &nb) && strcmp(na, nb) == 0 &&
           sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

const char *report_name(const char *path, char *buf, size_t size) {
    const char *slash = strrchr(path, '/');

    return report_line(slash ? slash + 1 : path, buf, size);
}

const char *report_line(const char *text, char *buf, size_t size) {
    size_t at = 0;

    for (const char *s = text; *s && at + 5 < size;) {
        unsigned n = rf_utf8_length(s);

        if (n)
            memcpy(buf + at, s, n);
        else
            buf[at] = '?';
        at += RF_MAX(n, 1u);
        s += RF_MAX(n, 1u);
    }
    buf[at] = '\0';
    return buf;
}

int output_close(struct output *o, struct rf_err *err) {
    bool bad;

    errno = 0;
    bad = fflush(o->f) != 0 || ferror(o->f);
    if (o->f != stdout && fclose(o->f) != 0)
        bad = true;
    o->f = NULL;
    leftovers_drop(o->path);
    if (bad)
        return rf_fail(err, RF_EIO, "cannot write %s: %s", o->path,
                       errno ? strerror(errno) : "write error");
    return RF_OK;
}

int output_flush(struct rf_err *err) {
    return output_close(&(struct output){.f = stdout, .path = "stdout"}, err);
}

/* ---- several of them ---- */

static const char *const option_names[NR_OUTPUTS] = {[OUT_JSON] = "json",
                                                     [OUT_CSV] = "csv",
                                                     [OUT_HTML] = "html",
                                                     [OUT_TIMELINE] = "timeline",
                                                     [OUT_MARKDOWN] = "markdown"};

static int differ(const char *name_a, const char *a, const char *name_b, const char *b,
                  struct rf_err *err) {
    if (!a || !b || !same_output(a, b))
        return RF_OK;
    if (strcmp(a, "-") == 0)
        return rf_fail(err, RF_EUSAGE, "--%s - and --%s - cannot both have stdout", name_a, name_b);
    return rf_fail(err, RF_EUSAGE, "--%s and --%s cannot both be %s", name_a, name_b, a);
}

int outputs_check(const struct outputs *o, struct rf_err *err) {
    int rc = RF_OK;

    for (size_t i = 0; i < NR_OUTPUTS && rc == RF_OK; i++) {
        for (size_t j = i + 1; j < NR_OUTPUTS && rc == RF_OK; j++)
            rc = differ(option_names[i], o->path[i], option_names[j], o->path[j], err);
        if (rc == RF_OK)
            rc = differ(option_names[i], o->path[i], o->also_option, o->also, err);
    }
    return rc;
}

int outputs_keep(const struct outputs *o, const char *input, struct rf_err *err) {
    int rc = output_keeps(o->also, input, err);

    for (size_t i = 0; i < NR_OUTPUTS && rc == RF_OK; i++)
        rc = output_keeps(o->path[i], input, err);
    return rc;
}

static int outside(const char *path, const struct stat *folder, const char *ending,
                   struct rf_err *err) {
    struct stat dir;
    const char *name;
    size_t n, e = strlen(ending);

    if (!path || strcmp(path, "-") == 0 || !folder_of(path, &dir, &name))
        return RF_OK;
    n = strlen(name);
    if (dir.st_dev != folder->st_dev || dir.st_ino != folder->st_ino || n < e ||
        strcmp(name + n - e, ending) != 0)
        return RF_OK;
    return rf_fail(err, RF_EUSAGE, "%s: would be taken for an input, expected another folder",
                   path);
}

int outputs_outside(const struct outputs *o, const char *folder, const char *ending,
                    struct rf_err *err) {
    struct stat st;
    int rc = RF_OK;

    if (stat(folder, &st) != 0)
        return RF_OK;
    for (size_t i = 0; i < NR_OUTPUTS && rc == RF_OK; i++)
        rc = outside(o->path[i], &st, ending, err);
    return rc;
}

int outputs_open(struct outputs *o, struct rf_err *err) {
    int rc = RF_OK;

    for (size_t i = 0; i < NR_OUTPUTS && rc == RF_OK; i++) {
        if (o->path[i])
            rc = output_open(&o->o[i], o->path[i], err);
    }
    return rc;
}

int outputs_close(struct outputs *o, int rc, struct rf_err *err) {
    struct rf_err ignored;

    for (size_t i = 0; i < NR_OUTPUTS; i++) {
        int closed = o->o[i].f ? output_close(&o->o[i], rc == RF_OK ? err : &ignored) : RF_OK;

        if (rc == RF_OK)
            rc = closed;
    }
    return rc;
}

bool outputs_take_stdout(const struct outputs *o) {
    for (size_t i = 0; i < NR_OUTPUTS; i++) {
        if (o->path[i] && strcmp(o->path[i], "-") == 0)
            return true;
    }
    return false;
}

int outputs_write(struct outputs *o, const struct output_writers *w, const void *ctx, bool quiet,
                  struct rf_err *err) {
    FILE *html = o->o[OUT_HTML].f;
    struct output text;
    int rc = RF_OK;

    if (w->json && (o->o[OUT_JSON].f || (html && w->page))) {
        json_t *j = w->json(ctx);

        if (!j)
            rc = rf_fail(err, RF_ENOMEM, "no memory for the result");
        if (rc == RF_OK && o->o[OUT_JSON].f)
            rc = report_write_json(&o->o[OUT_JSON], j, false, err);
        if (rc == RF_OK && html && w->page)
            rc = w->page(html, j, err);
        json_decref(j);
    }
    if (rc == RF_OK && o->o[OUT_CSV].f && w->csv)
        rc = w->csv(ctx, o->o[OUT_CSV].f, err);
    if (rc == RF_OK && html && w->html)
        rc = w->html(ctx, html, err);
    if (rc != RF_OK || quiet || !w->text || outputs_take_stdout(o))
        return rc;
    /* Files are complete before a reader of the text can go away. */
    rc = outputs_close(o, RF_OK, err);
    if (rc == RF_OK)
        rc = output_open(&text, "-", err);
    if (rc == RF_OK)
        rc = w->text(ctx, text.f, err);
    return rc == RF_OK ? output_close(&text, err) : rc;
}
