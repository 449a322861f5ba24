/* SPDX-License-Identifier: Apache-2.0 */
/* The result as JSON. Errors and spreads are fractions: 0.01 is 1 %. */
#include "validate/validate.h"

static json_t *summary_json(const struct error_summary *all, const struct error_summary *bounded) {
    return json_pack("{sI sf sf sf ss sf ss}", "judged", (json_int_t)all->n, "median", all->median,
                     "p90", all->p90, "worst", bounded->worst, "worst_at", bounded->worst_at,
                     "worst_of_all", all->worst, "worst_of_all_at", all->worst_at);
}

static json_t *band_json(const struct band *b) {
    return json_pack("[III]", (json_int_t)b->min, (json_int_t)b->median, (json_int_t)b->max);
}

static json_t *row_json(const struct row *r) {
    static const char *const states[] = {[ROW_JUDGED] = "judged",
                                         [ROW_NOISY] = "spread",
                                         [ROW_SHOWN] = "shown",
                                         [ROW_EMPTY] = "empty"};

    return json_pack("{so sI sf sf sb ss}", "kernel", band_json(&r->kernel), "refault",
                     (json_int_t)r->value, "error", r->error, "spread", band_spread(&r->kernel),
                     "judged", r->state == ROW_JUDGED, "state", states[r->state]);
}

static json_t *checkpoints_json(const struct case_result *c) {
    json_t *o = json_object(), *ops = json_array();

    for (size_t k = 0; c->nr_checkpoints && k < c->checkpoints[0].n; k++)
        json_array_append_new(ops, json_integer((json_int_t)c->checkpoint_ops[k]));
    json_object_set_new(o, "ops", ops);
    for (size_t i = 0; i < c->nr_checkpoints; i++) {
        const struct checkpoint_row *r = &c->checkpoints[i];
        json_t *kernel = json_array(), *value = json_array(), *error = json_array();

        for (size_t k = 0; k < r->n; k++) {
            json_array_append_new(kernel, band_json(&r->kernel[k]));
            json_array_append_new(value, json_integer((json_int_t)r->value[k]));
            json_array_append_new(error, json_real(r->error[k]));
        }
        json_object_set_new(
            o, r->name,
            json_pack("{so so so}", "kernel", kernel, "refault", value, "error", error));
    }
    return o;
}

static json_t *case_json(const struct case_result *c) {
    json_t *counters = json_object();
    json_t *o = json_pack("{ss ss ss sI sb sb ss so so so}", "case", c->golden->name, "kernel",
                          c->golden->kernel, "outcome", c->oom ? "oom" : "done", "reps",
                          (json_int_t)RF_MAX(c->reps, 1u), "kernel_oom", c->golden->always_oom,
                          "ok", c->failure[0] == '\0', "failure", c->failure, "errors",
                          summary_json(&c->judged, &c->bounded), "counters", counters,
                          "checkpoints", checkpoints_json(c));

    for (size_t i = 0; i < c->nr_rows; i++)
        json_object_set_new(counters, c->rows[i].name, row_json(&c->rows[i]));
    if (c->present_equal >= 0)
        json_object_set_new(o, "final_present_equal", json_real(c->present_equal));
    if (c->sizes.pages)
        json_object_set_new(o, "sizes",
                            json_pack("{sI sI sI sI}", "pages", (json_int_t)c->sizes.pages, "equal",
                                      (json_int_t)c->sizes.equal, "within_3_percent",
                                      (json_int_t)c->sizes.within_3, "max_difference",
                                      (json_int_t)c->sizes.max_difference));
    return o;
}

json_t *validate_json(const struct validation *v) {
    json_t *summary = json_object(), *cases = json_array();

    for (size_t i = 0; i < v->nr_kernels; i++) {
        const struct kernel_summary *k = &v->kernels[i];
        /* Scripts have a summary of their own, which is the summary where nothing swaps. */
        json_t *s = k->swap.n ? summary_json(&k->swap, &k->swap_bounded)
                              : summary_json(&k->direct, &k->direct);

        json_object_set_new(s, "zr", summary_json(&k->direct, &k->direct));
        json_object_set_new(s, "cases", json_integer((json_int_t)k->cases));
        json_object_set_new(s, "failed_cases", json_integer((json_int_t)k->failed_cases));
        json_object_set_new(s, "passed", json_boolean(k->passed));
        json_object_set_new(summary, k->kernel, s);
    }
    for (size_t i = 0; i < v->nr_cases; i++)
        json_array_append_new(cases, case_json(&v->cases[i]));
    return json_pack("{so so sb}", "summary", summary, "cases", cases, "passed", v->passed);
}
