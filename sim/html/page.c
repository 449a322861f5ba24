/* SPDX-License-Identifier: Apache-2.0 */
#include "html/html.h"

#include <stdlib.h>
#include "version.h"

const char *json_text_of(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));

    return s ? s : "";
}

double json_number_of(const json_t *o, const char *key, double otherwise) {
    const json_t *v = json_object_get(o, key);

    return json_is_number(v) ? json_number_value(v) : otherwise;
}

void page_begin(struct page *p, FILE *f, const char *title, const char *subtitle, json_t *data) {
    *p = (struct page){.f = f, .data = data};
    if (!data || json_object_set_new(data, "charts", json_object()) != 0)
        p->failed = true;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          f);
    html_text(f, title);
    fputs(" - refault</title>\n<style>\n", f);
    fputs(html_style, f);
    fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n"
          "<header><h1>",
          f);
    html_text(f, title);
    fputs("</h1><p>", f);
    html_text(f, subtitle);
    fputs("</p><nav aria-label=\"Sections\"></nav></header>\n<main id=\"main\">\n", f);
}

void page_section(struct page *p, const char *id, const char *title) {
    fprintf(p->f, "<section id=\"%s\"><h2>", id);
    html_text(p->f, title);
    fputs("</h2>\n<div class=\"grid\">\n", p->f);
}

void page_section_end(struct page *p) {
    fputs("</div></section>\n", p->f);
}

void page_chart_data(struct page *p, const char *id, json_t *chart) {
    if (!chart || json_object_set_new(json_object_get(p->data, "charts"), id, chart) != 0)
        p->failed = true;
}

/* Inside <script> only "</" and "<!--" could end or change the element. */
static int write_escaped(const char *buffer, size_t size, void *ctx) {
    FILE *f = ctx;

    for (size_t i = 0; i < size; i++) {
        if (buffer[i] == '<')
            fputs("\\u003c", f);
        else
            fputc(buffer[i], f);
    }
    return ferror(f) ? -1 : 0;
}

int page_end(struct page *p, struct rf_err *err) {
    bool bad = p->failed;

    fprintf(p->f, "</main>\n<footer>Made by refault %s. Times are simulated.</footer>\n",
            REFAULT_VERSION);
    fputs("<script type=\"application/json\" id=\"data\">", p->f);
    if (!bad)
        json_dump_callback(p->data, write_escaped, p->f,
                           JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(10));
    fputs("</script>\n<script>\n", p->f);
    fputs(html_script, p->f);
    fputs("</script>\n</body>\n</html>\n", p->f);
    json_decref(p->data);
    p->data = NULL;
    return bad ? rf_fail(err, RF_ENOMEM, "no memory for the report") : RF_OK;
}
