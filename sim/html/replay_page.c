/* SPDX-License-Identifier: Apache-2.0 */
/* The page of one run. */
#include "html/reports.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "config/value.h"
#include "report/report.h"

struct replay_page {
    struct page page;
    const struct replay_result *r;
    const struct activity *a;
    double *store; /* arrays of a->series.nr values, given out one after the other */
    size_t used, room;
    const double *time;
};

/* ---- the time series as arrays ---- */

static double *take(struct replay_page *p) {
    static double nothing[1];

    if (p->used == p->room) {
        p->page.failed = true;
        return nothing;
    }
    return p->store + p->a->series.nr * p->used++;
}

static uint64_t sample(const struct replay_page *p, size_t i, size_t column) {
    return p->a->series.rows[i * (p->a->series.columns.n + 2) + column];
}

static double *time_of_samples(struct replay_page *p) {
    double *out = take(p);

    for (size_t i = 0; i < p->a->series.nr; i++)
        out[i] = (double)sample(p, i, 0);
    return out;
}

/* The column of a value, 0 if the machine has none. */
static size_t column_of(const struct replay_page *p, enum machine_value_kind kind,
                        const char *name) {
    const struct value_list *l = &p->a->series.columns;
    const struct value *v = value_list_find(l, kind, name);

    return v ? (size_t)(v - l->v) + 2 : 0;
}

/* A line of the chart: what the value was at each sample, times `by`. Left out if always 0. */
static void add_level(struct replay_page *p, struct line_chart *c, const char *label,
                      enum machine_value_kind kind, const char *name, double by) {
    size_t column = column_of(p, kind, name);
    double *out, max = 0;

    if (!column || c->nr == MAX_LINES)
        return;
    out = take(p);
    for (size_t i = 0; i < p->a->series.nr && !p->page.failed; i++) {
        out[i] = (double)sample(p, i, column) * by;
        max = RF_MAX(max, out[i]);
    }
    if (max > 0)
        c->lines[c->nr++] = (struct line){.name = label, .y = out};
}

static void add_limit(struct replay_page *p, struct line_chart *c, const char *label, double v) {
    double *out;

    if (c->nr == 0 || c->nr == MAX_LINES)
        return;
    out = take(p);
    for (size_t i = 0; i < p->a->series.nr && !p->page.failed; i++)
        out[i] = v;
    c->lines[c->nr++] = (struct line){.name = label, .y = out, .dashed = true};
}

/* A line of rates: what the sum of the values (names end with NULL) grew by since the sample
 * before, per second of simulated time times `by`. */
static void add_rate(struct replay_page *p, struct line_chart *c, const char *label,
                     enum machine_value_kind kind, const char *const *names, double by) {
    double *out, max = 0;

    if (c->nr == MAX_LINES)
        return;
    out = take(p);
    for (size_t i = 0; i < p->a->series.nr && !p->page.failed; i++) {
        double grown = 0, ns = i ? p->time[i] - p->time[i - 1] : 0;

        for (const char *const *n = names; i && *n; n++) {
            size_t column = column_of(p, kind, *n);

            if (column)
                grown += (double)sample(p, i, column) - (double)sample(p, i - 1, column);
        }
        out[i] = ns > 0 ? grown / ns * 1e9 * by : i ? out[i - 1] : 0;
        max = RF_MAX(max, out[i]);
    }
    if (max > 0)
        c->lines[c->nr++] = (struct line){.name = label, .y = out};
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct line_chart over_time(const struct replay_page *p, const char *id, const char *title,
                                   const char *note, enum unit unit, const char *y_title) {
    return (struct line_chart){.id = id,
                               .title = title,
                               .note = note,
                               .x_unit = UNIT_TIME,
                               .y_unit = unit,
                               .x_title = "simulated time",
                               .y_title = y_title,
                               .x = p->time,
                               .n = p->a->series.nr};
}

static void residency_chart(struct replay_page *p) {
    const struct machine_config *m = &p->r->config;
    struct line_chart c =
        over_time(p, "residency", "Where the pages are",
                  "Pages of the workload, and the compressed pool.", UNIT_BYTES, "memory");
    uint64_t max = machine_amount_pages(m, m->memory_max), ram = machine_amount_pages(m, m->ram);

    add_level(p, &c, "resident", MV_COUNTER, "final_present", RF_PAGE_SIZE);
    add_level(p, &c, "in swap", MV_COUNTER, "final_swapped", RF_PAGE_SIZE);
    add_level(p, &c, "zswap pool", MV_COUNTER, "zswap.pool_total_size", 1);
    add_level(p, &c, "zram pool", MV_COUNTER, "zram.mem_used_total", 1);
    if (max < ram)
        add_limit(p, &c, "memory.max", (double)(max * RF_PAGE_SIZE));
    else
        add_limit(p, &c, "machine.ram", (double)(ram * RF_PAGE_SIZE));
    chart_lines(&p->page, &c);
}

static void pool_chart(struct replay_page *p) {
    const struct machine_config *m = &p->r->config;
    struct line_chart c = over_time(p, "pool", "Compressed pool", NULL, UNIT_BYTES, "size");

    if (m->zswap_enabled) {
        c.note = "What zswap holds, before and after compression, and the pages that it takes.";
        add_level(p, &c, "pages held", MV_COUNTER, "zswap.stored_pages", RF_PAGE_SIZE);
        add_level(p, &c, "compressed", MV_X, "zswap.stored_bytes", 1);
        add_level(p, &c, "pool", MV_COUNTER, "zswap.pool_total_size", 1);
        add_limit(p, &c, "zswap.max_pool_percent",
                  (double)machine_amount_pages(m, m->ram) * RF_PAGE_SIZE * m->max_pool_percent /
                      100);
    } else {
        c.note = "What zram0 holds, before and after compression, and the pages that it takes.";
        add_level(p, &c, "pages held", MV_COUNTER, "zram.orig_data_size", 1);
        add_level(p, &c, "compressed", MV_COUNTER, "zram.compr_data_size", 1);
        add_level(p, &c, "pool", MV_COUNTER, "zram.mem_used_total", 1);
    }
    chart_lines(&p->page, &c);
}

static void traffic_charts(struct replay_page *p) {
    struct line_chart c = over_time(p, "traffic", "Swap traffic",
                                    "Pages a second of simulated time.", UNIT_PER_SECOND, "pages");

    c.steps = true;
    add_rate(p, &c, "major faults", MV_COUNTER, NAMES("vmstat.pgmajfault"), 1);
    add_rate(p, &c, "pswpin", MV_COUNTER, NAMES("vmstat.pswpin"), 1);
    add_rate(p, &c, "pswpout", MV_COUNTER, NAMES("vmstat.pswpout"), 1);
    add_rate(p, &c, "zswpin", MV_COUNTER, NAMES("vmstat.zswpin"), 1);
    add_rate(p, &c, "zswpout", MV_COUNTER, NAMES("vmstat.zswpout"), 1);
    chart_lines(&p->page, &c);

    c = over_time(p, "refused", "Refused and written back",
                  "Stores that zswap refused, by reason, and pages that it wrote back to the "
                  "device, a second of simulated time.",
                  UNIT_PER_SECOND, "pages");
    c.steps = true;
    add_rate(p, &c, "written back", MV_COUNTER, NAMES("zswap.written_back_pages"), 1);
    add_rate(p, &c, "refused: pool full", MV_X,
             NAMES("reject_hysteresis", "reject_stillfull", "reject_memcg"), 1);
    add_rate(p, &c, "refused: compression", MV_COUNTER,
             NAMES("zswap.reject_compress_fail", "zswap.reject_compress_poor"), 1);
    add_rate(p, &c, "refused: no memory", MV_COUNTER,
             NAMES("zswap.reject_alloc_fail", "zswap.reject_kmemcache_fail"), 1);
    add_rate(p, &c, "zram: failed writes", MV_COUNTER, NAMES("zram.failed_writes"), 1);
    add_rate(p, &c, "zram: written back", MV_COUNTER, NAMES("zram.bd_writes"), 1);
    chart_lines(&p->page, &c);
}

static void stall_chart(struct replay_page *p) {
    struct line_chart c =
        over_time(p, "stall", "Stalled time", "Share of the time that faults waited, by cause.",
                  UNIT_PERCENT, "share of time");

    c.steps = c.stacked = true;
    add_rate(p, &c, "reading from swap", MV_TIME, NAMES("stall.swap_read_ns"), 1e-7);
    add_rate(p, &c, "reclaim", MV_TIME, NAMES("stall.reclaim_ns"), 1e-7);
    add_rate(p, &c, "zswap loads", MV_TIME, NAMES("stall.zswap_load_ns"), 1e-7);
    add_rate(p, &c, "zram loads", MV_TIME, NAMES("stall.zram_load_ns"), 1e-7);
    add_rate(p, &c, "memory.high", MV_TIME, NAMES("stall.memory_high_ns"), 1e-7);
    chart_lines(&p->page, &c);
}

/* ---- faults ---- */

static void latency_chart(struct replay_page *p) {
    struct latency rows[16];
    size_t n = 0;

    for (size_t i = 0; i < p->a->nr_hists && n < 16; i++)
        rows[n++] = (struct latency){.name = p->a->hists[i].name, .hist = &p->a->hists[i].h};
    chart_latency(&p->page, "latency", "Fault latency",
                  "Distribution by kind of fault. A fault's latency holds what it waited for: "
                  "reading, reclaim, compression.",
                  rows, n);
}

static int by_value(const void *a, const void *b) {
    const struct bar *x = a, *y = b;

    return x->value > y->value ? -1 : x->value < y->value;
}

static void stall_bars(struct replay_page *p) {
    const struct value_list *l = &p->r->values;
    struct bar bars[16];
    char keys[16][64], names[16][64], notes[16][32];
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < l->n && n < 16; i++) {
        const struct value *v = &l->v[i];

        if (v->kind != MV_TIME || strncmp(v->name, "stall.", 6) != 0 || !v->value)
            continue;
        snprintf(keys[n], sizeof(keys[n]), "time.%s", v->name);
        snprintf(names[n], sizeof(names[n]), "%.*s", (int)strlen(v->name) - 9, v->name + 6);
        bars[n] = (struct bar){.name = names[n], .key = keys[n], .value = (double)v->value};
        sum += bars[n++].value;
    }
    if (n == 0)
        return;
    qsort(bars, n, sizeof(bars[0]), by_value);
    for (size_t i = 0; i < n; i++) {
        snprintf(notes[i], sizeof(notes[i]), "%.0f %%", bars[i].value * 100 / sum);
        bars[i].note = notes[i];
    }
    chart_bars(&p->page, "causes", "Why faults waited", "Total time by cause.", UNIT_TIME, bars, n);
}

/* ---- pool ---- */

static void classes_chart(struct replay_page *p) {
    const struct class_table *t = &p->r->classes;
    struct stack *stacks;
    struct stack_chart c = {.id = "classes",
                            .title = "Classes of zsmalloc",
                            .note = "Memory that each size class holds at the end: objects in "
                                    "use, and the rest of its pages.",
                            .x_unit = UNIT_PLAIN,
                            .y_unit = UNIT_BYTES,
                            .x_title = "size of the class, bytes",
                            .y_title = "memory",
                            .lower_name = "objects in use",
                            .upper_name = "free or left over",
                            .x_max = RF_PAGE_SIZE + 64};
    size_t n = 0;

    if (!t->pool || t->nr == 0)
        return;
    stacks = calloc(t->nr, sizeof(*stacks));
    if (!stacks) {
        p->page.failed = true;
        return;
    }
    for (uint32_t i = 0; i < t->nr; i++) {
        const struct zs_class_stats *s = &t->rows[i];
        struct stack *k = &stacks[n];
        double all = (double)s->pages_used * RF_PAGE_SIZE;
        uint32_t below = i ? t->rows[i - 1].info.size : 0;
        char text[48];

        if (!s->pages_used)
            continue;
        /* From the size below to its own: the lengths that the class takes. */
        k->x = below;
        k->width = s->info.size - below;
        k->lower = RF_MIN((double)s->obj_used * s->info.size, all);
        k->upper = all - k->lower;
        snprintf(k->title, sizeof(k->title),
                 "class %u, %u bytes: %" PRIu64 " of %" PRIu64 " objects used, %" PRIu64
                 " pages (%s)",
                 s->info.index, s->info.size, s->obj_used, s->obj_allocated, s->pages_used,
                 value_format_bytes(s->pages_used * RF_PAGE_SIZE, text, sizeof(text)));
        n++;
    }
    c.stacks = stacks;
    c.n = n;
    chart_stacks(&p->page, &c);
    free(stacks);
}

/* ---- words and numbers ---- */

static void card(struct replay_page *p, const char *label, enum unit unit,
                 enum machine_value_kind kind, const char *name) {
    const struct value *v = value_list_find(&p->r->values, kind, name);
    char text[64];

    if (!v)
        return;
    fputs("<div class=\"card\"><span>", p->page.f);
    html_text(p->page.f, label);
    fprintf(p->page.f, "</span><b data-card=\"%s%s\" data-value=\"%" PRIu64 "\">",
            value_prefix(kind), name, v->value);
    html_text(p->page.f, unit_format(unit, (double)v->value, text, sizeof(text)));
    fputs("</b></div>\n", p->page.f);
}

static void summary(struct replay_page *p, const char *trace_name) {
    FILE *f = p->page.f;
    char *text = NULL, verdict[256];
    size_t size = 0;
    FILE *memory;

    page_section(&p->page, "summary", "Summary");
    fputs("<div class=\"cards\">\n", f);
    fprintf(f, "<div class=\"card\"><span>outcome</span><b id=\"outcome\">%s</b></div>\n",
            p->r->outcome == MACHINE_OOM ? "out of memory" : "done");
    card(p, "simulated time", UNIT_TIME, MV_TIME, "elapsed_ns");
    card(p, "stalled", UNIT_TIME, MV_TIME, "stall_ns");
    card(p, "major faults", UNIT_COUNT, MV_COUNTER, "vmstat.pgmajfault");
    card(p, "pages read from swap", UNIT_COUNT, MV_COUNTER, "vmstat.pswpin");
    card(p, "pages written to swap", UNIT_COUNT, MV_COUNTER, "vmstat.pswpout");
    card(p, "zswap loads", UNIT_COUNT, MV_COUNTER, "vmstat.zswpin");
    card(p, "written back", UNIT_COUNT, MV_COUNTER, "zswap.written_back_pages");
    card(p, "pool at the end", UNIT_BYTES, MV_COUNTER, "zswap.pool_total_size");
    card(p, "zram at the end", UNIT_BYTES, MV_COUNTER, "zram.mem_used_total");
    fputs("</div>\n<p class=\"verdict\">", f);
    html_text(f, report_verdict(p->r, verdict, sizeof(verdict)));
    fputs(
        "</p>\n<details class=\"wide\"><summary>The summary as text</summary><pre tabindex=\"0\">",
        f);
    memory = open_memstream(&text, &size);
    if (memory) {
        report_text(memory, p->r, trace_name);
        if (fclose(memory) == 0) {
            /* html_text() makes one line of it. */
            for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
                html_text(f, line);
                fputc('\n', f);
            }
        }
        free(text);
    } else {
        p->page.failed = true;
    }
    fputs("</pre></details>\n", f);
    page_section_end(&p->page);
}

static void counters(struct replay_page *p) {
    static const char *const columns[] = {"name", "value"};
    const struct value_list *l = &p->r->values;

    page_section(&p->page, "counters", "Counters");
    fputs(
        "<div class=\"wide\"><p>Everything that is not 0, under the kernel's names. <label>Filter "
        "<input type=\"search\" data-filter=\"values\"></label></p>\n",
        p->page.f);
    table_begin(&p->page, "values", columns, 2);
    for (size_t i = 0; i < l->n; i++) {
        char key[128], value[32];
        struct table_cell cells[2];

        if (!l->v[i].value)
            continue;
        snprintf(key, sizeof(key), "%s%s", value_prefix(l->v[i].kind), l->v[i].name);
        value_decimal(l->v[i].kind, l->v[i].value, value);
        cells[0] = (struct table_cell){.text = key, .value = NAN};
        cells[1] = (struct table_cell){.text = value, .key = key, .value = value_number(&l->v[i])};
        table_row(&p->page, cells, 2);
    }
    table_end(&p->page);
    fputs("</div>\n", p->page.f);
    page_section_end(&p->page);
}

static void config(struct replay_page *p, const struct knob_table *knobs) {
    static const char *const columns[] = {"knob", "value", "meaning"};

    page_section(&p->page, "config", "Configuration");
    fputs("<details class=\"wide\"><summary>Effective values of all usual knobs</summary>\n",
          p->page.f);
    table_begin(&p->page, "knobs", columns, 3);
    for (size_t i = 0; i < knobs->nr_usual; i++) {
        char value[128];
        struct table_cell cells[3] = {
            {.text = knobs->v[i].key, .value = NAN},
            {.text = knob_format(&knobs->v[i], &p->r->config, value, sizeof(value)), .value = NAN},
            {.text = knobs->v[i].help, .value = NAN}};

        table_row(&p->page, cells, 3);
    }
    table_end(&p->page);
    fputs("</details>\n", p->page.f);
    page_section_end(&p->page);
}

int html_replay(FILE *f, const struct replay_result *r, const struct activity *a,
                const struct knob_table *knobs, const char *trace_name, struct rf_err *err) {
    struct replay_page p = {.r = r, .a = a, .room = 48};
    json_t *data = json_object();
    char title[512];
    int rc;

    p.store = calloc(p.room * a->series.nr + 1, sizeof(*p.store));
    if (!p.store) {
        json_decref(data);
        return rf_fail(err, RF_ENOMEM, "no memory for the report");
    }
    json_object_set_new(data, "result", report_json(r, knobs, trace_name));
    snprintf(title, sizeof(title), "%s: replay", trace_name);
    page_begin(&p.page, f, title, r->info.provenance, data);
    p.time = time_of_samples(&p);
    summary(&p, trace_name);
    page_section(&p.page, "time", "Over time");
    residency_chart(&p);
    pool_chart(&p);
    traffic_charts(&p);
    stall_chart(&p);
    stall_bars(&p);
    page_section_end(&p.page);
    page_section(&p.page, "map", "Accesses");
    chart_activity(&p.page, a);
    page_section_end(&p.page);
    page_section(&p.page, "faults", "Faults and allocator");
    latency_chart(&p);
    classes_chart(&p);
    page_section_end(&p.page);
    counters(&p);
    config(&p, knobs);
    rc = page_end(&p.page, err);
    free(p.store);
    return rc;
}
