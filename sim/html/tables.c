/* SPDX-License-Identifier: Apache-2.0 */
#include "html/charts.h"

#include <math.h>

void table_begin(struct page *p, const char *id, const char *const *columns, size_t n) {
    fprintf(p->f,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">"
            "<table id=\"%s\"><thead><tr>",
            id);
    for (size_t i = 0; i < n; i++) {
        fputs("<th scope=\"col\"><button type=\"button\">", p->f);
        html_text(p->f, columns[i]);
        fputs("</button></th>", p->f);
    }
    fputs("</tr></thead>\n<tbody>\n", p->f);
}

void table_row(struct page *p, const struct table_cell *cells, size_t n) {
    fputs("<tr>", p->f);
    for (size_t i = 0; i < n; i++) {
        fputs("<td", p->f);
        if (cells[i].key) {
            fputs(" data-key=\"", p->f);
            html_text(p->f, cells[i].key);
            fputc('"', p->f);
        }
        if (!isnan(cells[i].value))
            fprintf(p->f, " data-value=\"%.17g\" class=\"num\"", cells[i].value);
        fputc('>', p->f);
        html_text(p->f, cells[i].text);
        fputs("</td>", p->f);
    }
    fputs("</tr>\n", p->f);
}

void table_end(struct page *p) {
    fputs("</tbody></table></div>\n", p->f);
}
