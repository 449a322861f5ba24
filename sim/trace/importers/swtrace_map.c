/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "swtrace_map.h"

int sw_grow(void *array, uint32_t *cap, uint32_t n, size_t elem, struct rf_err *err) {
    void **p = array;
    if (n < *cap)
        return 0;
    if (n >= UINT32_MAX / 2)
        return rf_fail(err, RF_ELIMIT, "more than %u elements", n);
    uint32_t want = RF_MAX(16u, 2 * n);
    void *grown = realloc(*p, want * elem);
    if (!grown)
        return rf_fail(err, RF_ENOMEM, "no memory for %zu bytes", want * elem);
    *p = grown;
    *cap = want;
    return 0;
}

void sw_free(struct sw_state *s) {
    for (uint32_t i = 0; i < s->nprocs; i++) {
        free(s->procs[i].pieces);
        free(s->procs[i].blocks);
        free(s->procs[i].orphans);
    }
    free(s->procs);
    free(s->pages);
    free(s->table);
    *s = (struct sw_state){0};
}

uint32_t sw_find_proc(const struct sw_state *s, uint64_t pid) {
    for (uint32_t i = 0; i < s->nprocs; i++)
        if (s->procs[i].pid == pid)
            return i;
    return RF_NONE;
}

int sw_add_proc(struct sw_state *s, uint64_t pid, uint32_t *out, struct rf_err *err) {
    int rc = sw_grow(&s->procs, &s->cap_procs, s->nprocs, sizeof(*s->procs), err);
    if (rc)
        return rc;
    s->procs[s->nprocs] = (struct sw_proc){.pid = pid, .parent = RF_NONE};
    *out = s->nprocs++;
    return 0;
}

static uint64_t page_hash(uint32_t proc, uint64_t vpn) {
    return rf_mix64(vpn * 0x9e3779b97f4a7c15u + proc);
}

struct sw_page *sw_find_page(const struct sw_state *s, uint32_t proc, uint64_t vpn) {
    if (!s->table_size)
        return NULL;
    uint32_t mask = s->table_size - 1;
    for (uint32_t h = (uint32_t)page_hash(proc, vpn) & mask; s->table[h]; h = (h + 1) & mask) {
        struct sw_page *p = &s->pages[s->table[h] - 1];
        if (p->vpn == vpn && p->proc == proc)
            return p;
    }
    return NULL;
}

static void put_in_table(struct sw_state *s, uint32_t index) {
    uint32_t mask = s->table_size - 1;
    uint32_t h = (uint32_t)page_hash(s->pages[index].proc, s->pages[index].vpn) & mask;
    while (s->table[h])
        h = (h + 1) & mask;
    s->table[h] = index + 1;
}

int sw_get_page(struct sw_state *s, uint32_t proc, uint64_t vpn, struct sw_page **out,
                struct rf_err *err) {
    *out = sw_find_page(s, proc, vpn);
    if (*out)
        return 0;
    int rc = sw_grow(&s->pages, &s->cap_pages, s->npages, sizeof(*s->pages), err);
    if (rc)
        return rc;
    s->pages[s->npages] = (struct sw_page){.vpn = vpn, .proc = proc, .id = RF_NONE};
    if (2 * (s->npages + 1) > s->table_size) {
        uint32_t size = s->table_size ? 2 * s->table_size : 4096;
        uint32_t *table = calloc(size, sizeof(*table));
        if (!table)
            return rf_fail(err, RF_ENOMEM, "no memory for %u pages", s->npages);
        free(s->table);
        s->table = table;
        s->table_size = size;
        for (uint32_t i = 0; i < s->npages; i++)
            put_in_table(s, i);
    }
    put_in_table(s, s->npages);
    *out = &s->pages[s->npages++];
    return 0;
}

int64_t sw_find_piece(const struct sw_proc *p, uint64_t vpn) {
    uint32_t lo = 0, hi = p->npieces;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (p->pieces[mid].end <= vpn)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < p->npieces && p->pieces[lo].start <= vpn ? (int64_t)lo : ~(int64_t)lo;
}

int sw_insert_piece(struct sw_proc *p, uint32_t at, const struct sw_piece *piece,
                    struct rf_err *err) {
    struct sw_piece copy = *piece;
    if (p->npieces >= SW_PIECES_MAX)
        return rf_fail(err, RF_EINPUT, "process %llu has more than %u mappings",
                       (unsigned long long)p->pid, SW_PIECES_MAX);
    int rc = sw_grow(&p->pieces, &p->cap_pieces, p->npieces, sizeof(*p->pieces), err);
    if (rc)
        return rc;
    memmove(p->pieces + at + 1, p->pieces + at, (p->npieces - at) * sizeof(*p->pieces));
    p->pieces[at] = copy;
    p->npieces++;
    return 0;
}

static int split_at(struct sw_proc *p, uint64_t vpn, uint32_t *index, struct rf_err *err) {
    int64_t i = sw_find_piece(p, vpn);
    if (i < 0 || p->pieces[i].start == vpn) {
        *index = (uint32_t)(i < 0 ? ~i : i);
        return 0;
    }
    struct sw_piece upper = p->pieces[i];
    upper.start = vpn;
    int rc = sw_insert_piece(p, (uint32_t)i + 1, &upper, err);
    if (rc)
        return rc;
    p->pieces[i].end = vpn;
    *index = (uint32_t)i + 1;
    return 0;
}

int sw_isolate(struct sw_proc *p, uint64_t start, uint64_t end, uint32_t *from, uint32_t *to,
               struct rf_err *err) {
    int rc = split_at(p, start, from, err);
    return rc ? rc : split_at(p, end, to, err);
}

void sw_remove_pieces(struct sw_proc *p, uint32_t from, uint32_t to) {
    if (from < to)
        memmove(p->pieces + from, p->pieces + to, (p->npieces - to) * sizeof(*p->pieces));
    p->npieces -= to - from;
}

static int compare_u64(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    return (x > y) - (x < y);
}

static int compare_block(const void *a, const void *b) {
    const struct sw_block *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

int sw_second_pass(struct sw_state *s, bool file_pages, struct rf_err *err) {
    int rc;
    for (uint32_t i = 0; i < s->npages; i++) {
        struct sw_page *pg = &s->pages[i];
        struct sw_proc *p = &s->procs[pg->proc];
        pg->gen = 0;
        if (!pg->accessed || !(pg->written || file_pages))
            continue;
        uint64_t number = pg->vpn >> 9;
        if (!p->nblocks || p->blocks[p->nblocks - 1].number != number) {
            if ((rc = sw_grow(&p->blocks, &p->cap_blocks, p->nblocks, sizeof(*p->blocks), err)))
                return rc;
            p->blocks[p->nblocks++] = (struct sw_block){number, RF_NONE};
        }
        if (pg->orphan) {
            if ((rc = sw_grow(&p->orphans, &p->cap_orphans, p->norphans, sizeof(*p->orphans), err)))
                return rc;
            p->orphans[p->norphans++] = pg->vpn;
        }
    }
    for (uint32_t i = 0; i < s->nprocs; i++) {
        struct sw_proc *p = &s->procs[i];
        uint32_t n = 0;
        p->npieces = 0;
        p->accesses = 0;
        if (p->norphans)
            qsort(p->orphans, p->norphans, sizeof(*p->orphans), compare_u64);
        if (p->nblocks)
            qsort(p->blocks, p->nblocks, sizeof(*p->blocks), compare_block);
        for (uint32_t b = 0; b < p->nblocks; b++)
            if (!n || p->blocks[n - 1].number != p->blocks[b].number)
                p->blocks[n++] = p->blocks[b];
        p->nblocks = n;
    }
    return 0;
}

void sw_orphan_run(const struct sw_proc *p, uint64_t vpn, uint32_t at, uint64_t *start,
                   uint64_t *end) {
    uint32_t lo = 0, hi = p->norphans;
    uint64_t floor = at > 0 ? p->pieces[at - 1].end : 0;
    uint64_t ceiling = at < p->npieces ? p->pieces[at].start : SW_VPN_END;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (p->orphans[mid] < vpn)
            lo = mid + 1;
        else
            hi = mid;
    }
    *start = vpn;
    *end = vpn + 1;
    for (uint32_t i = lo; i > 0 && *start - p->orphans[i - 1] <= SW_GAP + 1; i--)
        *start = p->orphans[i - 1];
    for (uint32_t i = lo; i < p->norphans && p->orphans[i] < *end + SW_GAP + 1; i++)
        *end = p->orphans[i] + 1;
    *start = RF_MAX(*start, floor);
    *end = RF_MIN(*end, ceiling);
}

uint32_t sw_lower_block(const struct sw_proc *p, uint64_t number) {
    uint32_t lo = 0, hi = p->nblocks;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (p->blocks[mid].number < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
