/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/catalogue.h"

#include <stdlib.h>
#include "trace/lines.h"

struct columns {
    enum codec_id id[NR_CODECS];
    size_t n;
};

static int read_header(struct rft_lines *l, char *line, struct columns *c, struct rf_err *err) {
    char *save = NULL, *word = strtok_r(line, " \t", &save);

    if (!word || strcmp(word, "codecs") != 0)
        return rf_fail(err, RF_EINPUT, "%s: line %llu: expected \"codecs NAME...\"",
                       rft_lines_path(l), (unsigned long long)rft_lines_number(l));
    while ((word = strtok_r(NULL, " \t", &save))) {
        const struct codec_ops *codec = codec_find(word);

        if (!codec || c->n == NR_CODECS)
            return rf_fail(err, RF_EINPUT, "%s: line %llu: no codec \"%.40s\"", rft_lines_path(l),
                           (unsigned long long)rft_lines_number(l), word);
        c->id[c->n++] = codec->id;
    }
    return RF_OK;
}

static bool read_row(const char *p, const struct columns *c, struct content_row *row) {
    uint64_t v;

    *row = (struct content_row){0};
    p += strspn(p, " \t");
    if (*p == '=') {
        p++;
        if (!rft_number(&p, 16, UINT64_MAX, &row->word))
            return false;
        row->same_filled = true;
    }
    for (size_t i = 0; i < c->n; i++) {
        if (!rft_number(&p, 10, CODEC_MAX_OUT - 1, &v))
            return false;
        row->size[c->id[i]] = (uint16_t)v;
    }
    return rft_rest_blank(p);
}

int bank_catalogue_load(const char *path, struct content_set **out, struct rf_err *err) {
    struct rft_lines *l;
    struct columns c = {.n = 0};
    struct content_row *rows = NULL;
    size_t n = 0, cap = 0, len;
    char *line;
    int rc = rft_lines_open(path, &l, err), got = 1;

    if (rc != RF_OK)
        return rc;
    while (rc == RF_OK && (got = rft_lines_next(l, &line, &len, err)) == 1) {
        if (rft_rest_blank(line) || *line == '#')
            continue;
        if (c.n == 0) {
            rc = read_header(l, line, &c, err);
            continue;
        }
        if (n == cap) {
            struct content_row *bigger = realloc(rows, (cap = cap * 2 + 1024) * sizeof(*rows));

            if (!bigger) {
                rc = rf_fail(err, RF_ENOMEM, "%s: no memory for its pages", path);
                break;
            }
            rows = bigger;
        }
        if (!read_row(line, &c, &rows[n++]))
            rc = rf_fail(err, RF_EINPUT, "%s: line %llu: expected %zu lengths", path,
                         (unsigned long long)rft_lines_number(l), c.n);
    }
    if (rc == RF_OK && got < 0)
        rc = got;
    if (rc == RF_OK)
        rc = content_from_rows(rows, n, out, err);
    rft_lines_close(l);
    free(rows);
    return rc;
}

void bank_catalogue_save(FILE *f, struct content_set *cs) {
    size_t n = content_count(cs);

    fputs("codecs", f);
    for (unsigned c = 0; c < NR_CODECS; c++) {
        if (c != CODEC_NULL)
            fprintf(f, " %s", codec_by_id((enum codec_id)c)->name);
    }
    fputc('\n', f);
    for (uint32_t id = 1; id <= n; id++) {
        uint64_t word;

        if (content_same_filled(cs, id, &word))
            fprintf(f, "=%llx ", (unsigned long long)word);
        for (unsigned c = 0; c < NR_CODECS; c++) {
            if (c != CODEC_NULL)
                fprintf(f, "%u ", (unsigned)content_size(cs, id, (enum codec_id)c));
        }
        fputc('\n', f);
    }
}
