/* SPDX-License-Identifier: Apache-2.0 */
#include "mrc/stack.h"

#include <stdlib.h>

#define STACK_HOLE RF_NONE
#define FIRST_CAP (1u << 16)
#define MAX_CAP (1u << 31)

int lru_stack_init(struct lru_stack *s, uint32_t max_pages, struct rf_err *err) {
    *s = (struct lru_stack){.cap = FIRST_CAP};
    s->tree = calloc((size_t)s->cap + 1, sizeof(*s->tree));
    s->at = calloc((size_t)s->cap + 1, sizeof(*s->at));
    if (!s->tree || !s->at)
        return rf_fail(err, RF_ENOMEM, "no memory for stack distances");
    return rf_varr_init(&s->last, (size_t)max_pages + 1, sizeof(uint32_t), err);
}

void lru_stack_free(struct lru_stack *s) {
    rf_varr_free(&s->last);
    free(s->tree);
    free(s->at);
    free(s->holes);
    *s = (struct lru_stack){0};
}

/* ---- the tree ---- */

static void tree_add(struct lru_stack *s, uint32_t time, uint32_t delta) {
    for (uint32_t i = time; i <= s->cap; i += i & (0u - i))
        s->tree[i] += delta; /* a delta of -1 wraps, and so does the sum */
}

/* Marks at times 1..time. */
static uint32_t tree_sum(const struct lru_stack *s, uint32_t time) {
    uint32_t sum = 0;

    for (uint32_t i = time; i; i &= i - 1)
        sum += s->tree[i];
    return sum;
}

/* ---- holes ---- */

static int hole_push(struct lru_stack *s, uint32_t time, struct rf_err *err) {
    uint32_t i;

    if (s->nr_holes == s->cap_holes) {
        uint32_t cap = s->cap_holes ? s->cap_holes * 2 : 64;
        uint32_t *holes = realloc(s->holes, cap * sizeof(*holes));
        if (!holes)
            return rf_fail(err, RF_ENOMEM, "no memory for freed pages");
        s->holes = holes;
        s->cap_holes = cap;
    }
    for (i = s->nr_holes++; i && s->holes[(i - 1) / 2] < time; i = (i - 1) / 2)
        s->holes[i] = s->holes[(i - 1) / 2];
    s->holes[i] = time;
    return RF_OK;
}

static void hole_pop(struct lru_stack *s) {
    uint32_t time = s->holes[--s->nr_holes], i = 0, child;

    while ((child = 2 * i + 1) < s->nr_holes) {
        child += child + 1 < s->nr_holes && s->holes[child + 1] > s->holes[child];
        if (s->holes[child] <= time)
            break;
        s->holes[i] = s->holes[child];
        i = child;
    }
    s->holes[i] = time;
}

/* ---- time ---- */

/* Renumbers the marks 1..marks in their order, in tables with room for as many accesses again. */
static int renumber(struct lru_stack *s, struct rf_err *err) {
    uint32_t *last = s->last.base, to = 0, holes = 0;

    if (s->marks > MAX_CAP / 4)
        return rf_fail(err, RF_ELIMIT, "stack distances of more than %u pages", MAX_CAP / 4);
    for (uint32_t time = 1; time <= s->now; time++) {
        uint32_t what = s->at[time];
        if (!what)
            continue;
        s->at[++to] = what;
        if (what == STACK_HOLE)
            s->holes[holes++] = to; /* ascending: turned round below */
        else
            last[what - 1] = to;
    }
    for (uint32_t i = 0; i < holes / 2; i++) {
        uint32_t time = s->holes[i];
        s->holes[i] = s->holes[holes - 1 - i];
        s->holes[holes - 1 - i] = time;
    }
    s->now = to;
    if (s->marks > s->cap / 2) {
        uint32_t cap = s->cap * 4;
        uint32_t *tree = realloc(s->tree, ((size_t)cap + 1) * sizeof(*tree));
        if (tree)
            s->tree = tree;
        uint32_t *at = realloc(s->at, ((size_t)cap + 1) * sizeof(*at));
        if (at)
            s->at = at;
        if (!tree || !at)
            return rf_fail(err, RF_ENOMEM, "no memory for stack distances");
        s->cap = cap;
    }
    memset(s->at + to + 1, 0, ((size_t)s->cap - to) * sizeof(*s->at));
    memset(s->tree, 0, ((size_t)s->cap + 1) * sizeof(*s->tree));
    for (uint32_t i = 1; i <= s->cap; i++) { /* all at once, in linear time */
        uint32_t up = i + (i & (0u - i));
        s->tree[i] += i <= to;
        if (up <= s->cap)
            s->tree[up] += s->tree[i];
    }
    return RF_OK;
}

int lru_stack_access(struct lru_stack *s, uint32_t page, uint32_t *distance, struct rf_err *err) {
    uint32_t *last = s->last.base;
    int rc = RF_OK;

    if (last[page] && last[page] == s->now) {
        *distance = 1;
        return RF_OK;
    }
    if (s->now == s->cap && (rc = renumber(s, err)) != RF_OK)
        return rc;
    uint32_t before = last[page], hole = s->nr_holes ? s->holes[0] : 0;
    *distance = before ? s->marks - tree_sum(s, before - 1) : STACK_COLD;
    if (hole > before) { /* filled; where the page was there is a free frame now */
        hole_pop(s);
        s->at[hole] = 0;
        tree_add(s, hole, UINT32_MAX);
        s->marks--;
        if (before) {
            s->at[before] = STACK_HOLE;
            rc = hole_push(s, before, err);
        }
    } else if (before) {
        s->at[before] = 0;
        tree_add(s, before, UINT32_MAX);
        s->marks--;
    }
    last[page] = ++s->now;
    s->at[s->now] = page + 1;
    tree_add(s, s->now, 1);
    s->marks++;
    return rc;
}

int lru_stack_remove(struct lru_stack *s, uint32_t page, struct rf_err *err) {
    uint32_t *last = s->last.base, time = last[page];

    if (!time)
        return RF_OK;
    last[page] = 0;
    s->at[time] = STACK_HOLE;
    return hole_push(s, time, err);
}
