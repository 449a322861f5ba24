/* SPDX-License-Identifier: Apache-2.0 */
#include "report/sparks.h"

#include <math.h>
#include <stdlib.h>
#include "config/value.h"

#define WIDTH 60u
#define MAP_ROWS 12u

static const char *const bars_utf8[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const bars_ascii[] = {" ", ".", ".", ":", ":", "-", "=", "+", "#"};
static const char *const shades_utf8[] = {" ", "░", "▒", "▓", "█"};
static const char *const shades_ascii[] = {" ", ".", ":", "+", "#"};

bool sparks_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *v = getenv(names[i]);

        if (v && *v)
            return strstr(v, "UTF-8") || strstr(v, "utf8") || strstr(v, "UTF8") ||
                   strstr(v, "utf-8");
    }
    return false;
}

enum how { LEVEL, RATE };
enum shown_as { BYTES, PAGES, PER_SECOND, SHARE };
static const struct {
    const char *label;
    enum machine_value_kind kind;
    const char *name;
    enum how how;
    enum shown_as as;
} lines[] = {
    {"resident", MV_COUNTER, "final_present", LEVEL, PAGES},
    {"in swap", MV_COUNTER, "final_swapped", LEVEL, PAGES},
    {"zswap pool", MV_COUNTER, "zswap.pool_total_size", LEVEL, BYTES},
    {"zram pool", MV_COUNTER, "zram.mem_used_total", LEVEL, BYTES},
    {"major faults", MV_COUNTER, "vmstat.pgmajfault", RATE, PER_SECOND},
    {"written back", MV_COUNTER, "zswap.written_back_pages", RATE, PER_SECOND},
    {"stalled", MV_TIME, "stall_ns", RATE, SHARE},
};

static uint64_t sample(const struct activity *a, size_t row, size_t column) {
    return a->series.rows[row * (a->series.columns.n + 2) + column];
}

/* The value in place k of WIDTH: the level at its end, or the rate within it. */
static double value_at(const struct activity *a, size_t column, enum how how, size_t k) {
    size_t last = a->series.nr - 1, from = last * k / WIDTH, to = last * (k + 1) / WIDTH;
    double ns;

    if (how == LEVEL)
        return (double)sample(a, to, column);
    ns = (double)sample(a, to, 0) - (double)sample(a, from, 0);
    return ns > 0 ? ((double)sample(a, to, column) - (double)sample(a, from, column)) / ns : 0;
}

static void print_most(FILE *f, enum shown_as as, double v) {
    char text[48];

    switch (as) {
    case BYTES:
    case PAGES:
        value_format_bytes((uint64_t)(as == PAGES ? v * RF_PAGE_SIZE : v), text, sizeof(text));
        break;
    case PER_SECOND:
        snprintf(text, sizeof(text), "%.0f/s", v * 1e9);
        break;
    case SHARE:
        snprintf(text, sizeof(text), "%.0f %%", v * 100);
        break;
    }
    fprintf(f, " up to %s\n", text);
}

static void print_line(FILE *f, const struct activity *a, size_t line, bool utf8) {
    const char *const *bars = utf8 ? bars_utf8 : bars_ascii;
    const struct value *v = value_list_find(&a->series.columns, lines[line].kind, lines[line].name);
    double values[WIDTH], most = 0;

    if (!v)
        return;
    for (size_t k = 0; k < WIDTH; k++) {
        values[k] = value_at(a, (size_t)(v - a->series.columns.v) + 2, lines[line].how, k);
        most = RF_MAX(most, values[k]);
    }
    if (!(most > 0))
        return;
    fprintf(f, "         %-13s", lines[line].label);
    for (size_t k = 0; k < WIDTH; k++)
        fputs(bars[values[k] > 0 ? 1 + (size_t)(values[k] / most * 7 + 0.5) : 0], f);
    print_most(f, lines[line].as, most);
}

/* Accesses in a cell of the map, which has WIDTH columns and MAP_ROWS rows. */
static uint64_t cell(const struct activity *a, uint32_t column, uint32_t row) {
    uint32_t c0 = a->columns * column / WIDTH, c1 = a->columns * (column + 1) / WIDTH;
    uint32_t r0 = a->rows * row / MAP_ROWS, r1 = a->rows * (row + 1) / MAP_ROWS;
    uint64_t n = 0;

    /* A short trace has fewer columns than the map. */
    c1 = RF_MAX(c1, c0 + 1);
    r1 = RF_MAX(r1, r0 + 1);
    for (uint32_t c = c0; c < c1 && c < a->columns; c++) {
        for (uint32_t r = r0; r < r1 && r < a->rows; r++)
            n += a->accesses[(size_t)c * a->rows + r];
    }
    return n;
}

static void print_map(FILE *f, const struct activity *a, bool utf8) {
    const char *const *shades = utf8 ? shades_utf8 : shades_ascii;
    uint64_t most = 1;

    for (uint32_t row = 0; row < MAP_ROWS; row++) {
        for (uint32_t c = 0; c < WIDTH; c++)
            most = RF_MAX(most, cell(a, c, row));
    }
    for (uint32_t row = MAP_ROWS; row-- > 0;) {
        fprintf(f, "         %-13s", row == MAP_ROWS - 1 ? "accesses" : "");
        for (uint32_t c = 0; c < WIDTH; c++) {
            uint64_t n = cell(a, c, row);
            /* By the logarithm, so that what is rarely used is seen at all. */
            size_t shade = n == 0      ? 0
                           : most == 1 ? 4
                                       : 1 + (size_t)(log((double)n) / log((double)most) * 3 + 0.5);

            fputs(shades[shade], f);
        }
        fputc('\n', f);
    }
}

void report_sparks(FILE *f, const struct activity *a, bool utf8) {
    if (a->series.nr < 2)
        return;
    fputs("\nalong the trace\n", f);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        print_line(f, a, i, utf8);
    print_map(f, a, utf8);
}
