/* SPDX-License-Identifier: Apache-2.0 */
/* The tables for people. */
#include <stdlib.h>
#include "validate/validate.h"

static const char *note(const struct row *r) {
    switch (r->state) {
    case ROW_NOISY:
        return "  kernel's own spread above 20 %";
    case ROW_SHOWN:
        return "  not judged";
    case ROW_JUDGED:
    case ROW_EMPTY:
        break;
    }
    return "";
}

static void print_case(FILE *f, const struct case_result *c) {
    fprintf(f, "== %s %s%s%s%s\n", c->golden->kernel, c->golden->name, c->oom ? ": OOM" : "",
            c->failure[0] ? "  FAILED: " : "", c->failure);
    if (c->nr_rows)
        fprintf(f, "%-42s %12s %12s %12s %12s %9s\n", "counter", "kernel min", "median", "max",
                "refault", "error");
    for (size_t i = 0; i < c->nr_rows; i++) {
        const struct row *r = &c->rows[i];

        if (r->state == ROW_EMPTY)
            continue;
        fprintf(f, "%-42s %12lld %12lld %12lld %12lld %7.2f %%%s\n", r->name,
                (long long)r->kernel.min, (long long)r->kernel.median, (long long)r->kernel.max,
                (long long)r->value, r->error * 100, note(r));
    }
    if (c->present_equal >= 0) {
        fprintf(f, "pages with the kernel's final residency: %.2f %%", c->present_equal * 100);
        if (c->present_noise >= 0)
            fprintf(f, " (between two runs of the kernel: %.2f %%)", c->present_noise * 100);
        fputc('\n', f);
    }
    if (c->sizes.pages)
        fprintf(f, "sizes of %zu pages: %zu equal, %zu within 3 %%, largest difference %zu bytes\n",
                c->sizes.pages, c->sizes.equal, c->sizes.within_3, c->sizes.max_difference);
    if (c->judged.n)
        fprintf(f, "judged %zu: median %.2f %%, 90th percentile %.2f %%, worst %.2f %% (%s)\n",
                c->judged.n, c->judged.median * 100, c->judged.p90 * 100, c->judged.worst * 100,
                c->judged.worst > 0 ? strrchr(c->judged.worst_at, ' ') + 1 : "-");
    fputc('\n', f);
}

/* ---- by counter ---- */

struct counter_errors {
    char name[VALIDATE_NAME];
    double *v;
    size_t n, cap;
    double worst;
    const char *worst_case;
};

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static bool add_error(struct counter_errors *e, double error, const char *name) {
    if (e->n == e->cap) {
        double *bigger = realloc(e->v, (e->cap = e->cap * 2 + 16) * sizeof(*bigger));

        if (!bigger)
            return false;
        e->v = bigger;
    }
    e->v[e->n++] = error;
    if (error > e->worst) {
        e->worst = error;
        e->worst_case = name;
    }
    return true;
}

/* The counter within its snapshot. */
static const char *counter_name(const char *name) {
    const char *dot;

    if (strncmp(name, "snap.", 5) != 0 || !(dot = strchr(name + 5, '.')))
        return name;
    return dot + 1;
}

typedef void (*counter_fn)(FILE *f, const char *kernel, const struct counter_errors *e);

static void each_counter(FILE *f, const struct validation *v, const char *kernel, bool direct,
                         counter_fn fn) {
    struct counter_errors *e = NULL;
    size_t n = 0;

    for (size_t i = 0; i < v->nr_cases; i++) {
        const struct case_result *c = &v->cases[i];

        if (strcmp(c->golden->kernel, kernel) != 0 || c->golden->direct != direct)
            continue;
        for (size_t k = 0; k < c->nr_rows; k++) {
            const struct row *r = &c->rows[k];
            size_t at = 0;

            if (r->state != ROW_JUDGED)
                continue;
            while (at < n && strcmp(e[at].name, counter_name(r->name)) != 0)
                at++;
            if (at == n) {
                struct counter_errors *bigger = realloc(e, (n + 1) * sizeof(*e));

                if (!bigger)
                    goto out;
                e = bigger;
                e[n] = (struct counter_errors){.worst = 0};
                snprintf(e[n++].name, sizeof(e->name), "%s", counter_name(r->name));
            }
            if (!add_error(&e[at], r->error, c->golden->name))
                goto out;
        }
    }
    for (size_t i = 0; i < n; i++) {
        qsort(e[i].v, e[i].n, sizeof(double), by_value);
        fn(f, kernel, &e[i]);
    }
out:
    for (size_t i = 0; i < n; i++)
        free(e[i].v);
    free(e);
}

static double median_of(const struct counter_errors *e) {
    return e->v[(e->n + 1) / 2 - 1];
}

static double p90_of(const struct counter_errors *e) {
    return e->v[(e->n * 9 + 9) / 10 - 1];
}

static void print_counter(FILE *f, const char *kernel, const struct counter_errors *e) {
    fprintf(f, "%-6s %-38s %5zu %7.2f %% %7.2f %% %7.2f %%  %s\n", kernel, e->name, e->n,
            median_of(e) * 100, p90_of(e) * 100, e->worst * 100,
            e->worst_case ? e->worst_case : "-");
}

static void markdown_counter(FILE *f, const char *kernel, const struct counter_errors *e) {
    (void)kernel;
    fprintf(f, "| `%s` | %zu | %.2f | %.2f | %.2f | %s |\n", e->name, e->n, median_of(e) * 100,
            p90_of(e) * 100, e->worst * 100, e->worst_case ? e->worst_case : "");
}

/* ---- the whole ---- */

static void print_summary(FILE *f, const char *kernel, const char *what,
                          const struct error_summary *all, const struct error_summary *bounded,
                          const struct validate_limits *l) {
    if (all->n == 0)
        return;
    fprintf(f,
            "%-6s %-8s %5zu counters: median %.2f %% (limit %.2f %%), 90th percentile %.2f %% "
            "(limit %.2f %%), worst%s %.2f %% (limit %.2f %%)%s%s\n",
            kernel, what, all->n, all->median * 100, l->median * 100, all->p90 * 100, l->p90 * 100,
            bounded == all ? "" : " of six", bounded->worst * 100, l->worst * 100,
            bounded->worst > 0 ? " at " : "", bounded->worst_at);
}

void validate_print_last_line(FILE *f, const struct validation *v) {
    fprintf(f, "validate: %s:", v->passed ? "passed" : "FAILED");
    for (size_t i = 0; i < v->nr_kernels; i++) {
        const struct kernel_summary *k = &v->kernels[i];
        const struct error_summary *all = k->swap.n ? &k->swap : &k->direct,
                                   *worst = k->swap.n ? &k->swap_bounded : &k->direct;

        fprintf(f, "%s %s median %.2f %% p90 %.2f %% worst%s %.2f %%%s%s%s", i ? ";" : "",
                k->kernel, all->median * 100, all->p90 * 100, worst == all ? "" : " of six",
                worst->worst * 100, worst->worst > 0 ? " (" : "", worst->worst_at,
                worst->worst > 0 ? ")" : "");
        if (k->failed_cases)
            fprintf(f, ", %zu of %zu cases failed", k->failed_cases, k->cases);
    }
    fputc('\n', f);
}

void validate_print(FILE *f, const struct validation *v) {
    for (size_t i = 0; i < v->nr_cases; i++)
        print_case(f, &v->cases[i]);
    for (unsigned direct = 0; direct < 2; direct++) {
        bool any = false;

        for (size_t i = 0; i < v->nr_cases; i++)
            any = any || (v->cases[i].golden->direct == direct && v->cases[i].judged.n);
        if (!any)
            continue;
        fprintf(f, "%-6s %-38s %5s %9s %9s %9s  %s\n", "kernel",
                direct ? "script counter" : "counter", "cases", "median", "90th", "worst",
                "worst at");
        for (size_t k = 0; k < v->nr_kernels; k++)
            each_counter(f, v, v->kernels[k].kernel, direct, print_counter);
        fputc('\n', f);
    }
    fprintf(f, "%-6s %-28s %5s %9s %9s %9s  %s\n", "kernel", "case", "count", "median", "90th",
            "worst", "worst at");
    for (size_t i = 0; i < v->nr_cases; i++) {
        const struct case_result *c = &v->cases[i];

        fprintf(f, "%-6s %-28s %5zu %7.2f %% %7.2f %% %7.2f %%  %s%s%s\n", c->golden->kernel,
                c->golden->name, c->judged.n, c->judged.median * 100, c->judged.p90 * 100,
                c->judged.worst * 100,
                c->judged.worst > 0 ? strrchr(c->judged.worst_at, ' ') + 1 : "-",
                c->failure[0] ? "  FAILED: " : "", c->failure);
    }
    fputc('\n', f);
    for (size_t i = 0; i < v->nr_kernels; i++) {
        const struct kernel_summary *k = &v->kernels[i];
        struct validate_limits swap = validate_limits(v->opts, k->kernel, false),
                               direct = validate_limits(v->opts, k->kernel, true);

        print_summary(f, k->kernel, "swap", &k->swap, &k->swap_bounded, &swap);
        print_summary(f, k->kernel, "scripts", &k->direct, &k->direct, &direct);
    }
    validate_print_last_line(f, v);
}

/* ---- divergence ---- */

static void print_out_of_range(FILE *f, const char *name, const struct band *b, int64_t value,
                               double error) {
    fprintf(f, "  %s: kernel %lld .. %lld, refault %lld (%.2f %%)\n", name, (long long)b->min,
            (long long)b->max, (long long)value, error * 100);
}

/* The first checkpoint at which a counter is out of the range; false if there is none. */
static bool print_first_checkpoint(FILE *f, const struct case_result *c) {
    size_t n = c->nr_checkpoints ? c->checkpoints[0].n : 0;
    bool found = false;

    for (size_t k = 0; k < n && !found; k++) {
        for (size_t i = 0; i < c->nr_checkpoints; i++) {
            const struct checkpoint_row *r = &c->checkpoints[i];

            if (r->error[k] <= 0)
                continue;
            if (!found)
                fprintf(f, "first out of the kernel's range after %llu operations:\n",
                        (unsigned long long)c->checkpoint_ops[k]);
            found = true;
            print_out_of_range(f, r->name, &r->kernel[k], r->value[k], r->error[k]);
        }
    }
    return found;
}

/* The differences at all checkpoints, without the counters that never differ. */
static void print_checkpoints(FILE *f, const struct case_result *c) {
    size_t n = c->checkpoints[0].n;

    fprintf(f, "%-26s", "refault - kernel, after");
    for (size_t k = 0; k < n; k++)
        fprintf(f, " %10llu", (unsigned long long)c->checkpoint_ops[k]);
    fputc('\n', f);
    for (size_t i = 0; i < c->nr_checkpoints; i++) {
        const struct checkpoint_row *r = &c->checkpoints[i];
        bool differs = false;

        for (size_t k = 0; k < n; k++)
            differs = differs || r->error[k] > 0;
        if (!differs)
            continue;
        fprintf(f, "%-26s", r->name);
        for (size_t k = 0; k < n; k++) {
            const struct band *b = &r->kernel[k];
            int64_t v = r->value[k], d = v < b->min ? v - b->min : v > b->max ? v - b->max : 0;

            if (d == 0)
                fprintf(f, " %10s", ".");
            else
                fprintf(f, " %+10lld", (long long)d);
        }
        fputc('\n', f);
    }
}

/* Length of "snap.LABEL." at the beginning of a script's counter; 0 for others. */
static size_t snapshot_length(const char *name) {
    return (size_t)(counter_name(name) - name);
}

/* The judged counters that are out of the range at the end, or at a script's first snapshot where
 * there is one; false if there is none. */
static bool print_final_rows(FILE *f, const struct case_result *c) {
    const struct row *first = NULL;

    for (size_t i = 0; i < c->nr_rows; i++) {
        const struct row *r = &c->rows[i];
        size_t n = first ? snapshot_length(first->name) : 0;

        if (r->state != ROW_JUDGED || r->error <= 0 || (n && strncmp(r->name, first->name, n) != 0))
            continue;
        if (!first && (n = snapshot_length(r->name)) != 0)
            fprintf(f, "first out of the kernel's range at the snapshot '%.*s':\n", (int)n - 6,
                    r->name + 5);
        else if (!first)
            fputs("out of the kernel's range at the end only:\n", f);
        if (!first)
            first = r;
        print_out_of_range(f, r->name + n, &r->kernel, r->value, r->error);
    }
    return first != NULL;
}

void validate_print_divergence(FILE *f, const struct case_result *c) {
    fprintf(f, "== %s %s\n", c->golden->kernel, c->golden->name);
    if (c->failure[0])
        fprintf(f, "%s\n", c->failure);
    if (c->golden->always_oom)
        fputs("the kernel always ended by OOM: no counters to compare with\n", f);
    else if (print_first_checkpoint(f, c))
        print_checkpoints(f, c);
    else if (!print_final_rows(f, c))
        fputs("no judged counter leaves the kernel's range\n", f);
}

/* ---- docs ---- */

static void markdown_kernel(FILE *f, const struct validation *v, const struct kernel_summary *k) {
    fprintf(f, "\n## Kernel %s\n\n", k->kernel);
    fprintf(f, "| | judged | median %% | 90th %% | worst %% | at |\n|---|---|---|---|---|---|\n");
    if (k->swap.n)
        fprintf(f, "| swap cases | %zu | %.2f | %.2f | %.2f | %s |\n", k->swap.n,
                k->swap.median * 100, k->swap.p90 * 100, k->swap.worst * 100, k->swap.worst_at);
    if (k->swap_bounded.n)
        fprintf(f, "| of these the limited six | %zu | %.2f | %.2f | %.2f | %s |\n",
                k->swap_bounded.n, k->swap_bounded.median * 100, k->swap_bounded.p90 * 100,
                k->swap_bounded.worst * 100, k->swap_bounded.worst_at);
    if (k->direct.n)
        fprintf(f, "| scripts | %zu | %.2f | %.2f | %.2f | %s |\n", k->direct.n,
                k->direct.median * 100, k->direct.p90 * 100, k->direct.worst * 100,
                k->direct.worst_at);
    fputs("\n| counter | cases | median % | 90th % | worst % | worst case |\n"
          "|---|---|---|---|---|---|\n",
          f);
    each_counter(f, v, k->kernel, false, markdown_counter);
    fputs("\n| case | judged | median % | 90th % | worst % | worst counter | residency equal % | "
          "remark |\n|---|---|---|---|---|---|---|---|\n",
          f);
    for (size_t i = 0; i < v->nr_cases; i++) {
        const struct case_result *c = &v->cases[i];
        const char *at = c->judged.worst > 0 ? strrchr(c->judged.worst_at, ' ') + 1 : "";
        char present[32] = "";

        if (strcmp(c->golden->kernel, k->kernel) != 0)
            continue;
        if (c->present_equal >= 0)
            snprintf(present, sizeof(present), "%.2f", c->present_equal * 100);
        fprintf(f, "| %s | %zu | %.2f | %.2f | %.2f | %s%s%s | %s | %s%s |\n", c->golden->name,
                c->judged.n, c->judged.median * 100, c->judged.p90 * 100, c->judged.worst * 100,
                *at ? "`" : "", at, *at ? "`" : "", present, c->oom ? "OOM " : "", c->failure);
    }
    fputs("\n| sizes of | pages | equal | within 3 % | largest difference (bytes) |\n"
          "|---|---|---|---|---|\n",
          f);
    for (size_t i = 0; i < v->nr_cases; i++) {
        const struct case_result *c = &v->cases[i];

        if (strcmp(c->golden->kernel, k->kernel) == 0 && c->sizes.pages)
            fprintf(f, "| %s | %zu | %zu | %zu | %zu |\n", c->golden->name, c->sizes.pages,
                    c->sizes.equal, c->sizes.within_3, c->sizes.max_difference);
    }
}

void validate_markdown(FILE *f, const struct validation *v) {
    for (size_t i = 0; i < v->nr_kernels; i++)
        markdown_kernel(f, v, &v->kernels[i]);
}
