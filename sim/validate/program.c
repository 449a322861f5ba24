/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/program.h"

#include <stdlib.h>

struct guest_program {
    struct trace_prefix all;
    bool ran, loaded, gave_up; /* what the child did so far: anything, a load, a D */
    uint64_t nr;
    /* Of each page of the index, the number of the fork that a process last stored to it after. */
    struct {
        uint32_t parent, child;
    } index[];
};

struct guest_program *guest_program_new(uint64_t pages) {
    uint64_t nr = player_index_pages(&guest_player, pages);
    struct guest_program *g = calloc(1, sizeof(*g) + nr * sizeof(g->index[0]));

    if (g)
        g->nr = nr;
    return g;
}

static uint32_t first(bool *done, bool now) {
    bool is = now && !*done;

    *done |= now;
    return is;
}

static void enter_in_index(struct guest_program *g, bool child, uint64_t page) {
    uint64_t i = page / GUEST_INDEX_ENTRIES;

    if (i >= g->nr)
        return;
    if (child && g->index[i].child < g->all.forks) {
        g->index[i].child = g->all.forks;
        g->all.accesses++;
    } else if (!child && g->index[i].parent < g->all.forks) {
        g->index[i].parent = g->all.forks;
        g->all.own_faults++;
    }
}

struct trace_prefix guest_program_play(struct guest_program *g, char kind, bool child,
                                       uint64_t page) {
    g->all.accesses += kind == 'R' || kind == 'W';
    if (kind == 'F') {
        g->all.forks++;
        g->all.accesses += GUEST_COPIES;
        g->all.own_faults += GUEST_FORK_FAULTS;
        g->ran = g->loaded = g->gave_up = false;
        return g->all;
    }
    if (child) {
        g->all.own_faults += first(&g->ran, true) * GUEST_CODE_FAULTS +
                             first(&g->loaded, kind == 'R') * GUEST_LOAD_FAULTS +
                             first(&g->gave_up, kind == 'D') * GUEST_DONTNEED_FAULTS;
    }
    if (kind != 'R')
        enter_in_index(g, child, page);
    return g->all;
}
