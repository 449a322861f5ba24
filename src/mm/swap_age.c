/* SPDX-License-Identifier: Apache-2.0 */
#include "mm_internal.h"

#define STAMP_MAX 0xffffu
#define FIRST_SHIFT 10u
/* At least so many pages between two looks; more where there are many slots, so that the looks cost
 * an unmapped page next to nothing. */
#define MIN_UNMAPPED 4096u

int swap_age_init(struct swap_age *a, uint32_t max_slots, struct rf_err *err) {
    int r = rf_varr_init(&a->v, max_slots / SWAP_AGE_EACH + 1, sizeof(*a->stamp), err);

    a->stamp = a->v.base;
    a->shift = FIRST_SHIFT;
    a->due = MIN_UNMAPPED;
    return r;
}

void swap_age_free(struct swap_age *a) {
    rf_varr_free(&a->v);
    a->stamp = NULL;
}

struct tally {
    uint64_t nr[2], sum[2]; /* zswap, device */
};

static struct tally look(const struct mm *mm, rf_time now) {
    const struct swap_age *a = &mm->age;
    uint32_t slots = swap_slots_seen(mm->swap);
    uint64_t at = now >> a->shift;
    struct tally t = {0};

    for (uint32_t s = 0; s < slots; s += SWAP_AGE_EACH) {
        const struct swap_slot_meta *m = &mm->swap->meta[s];

        if (!(m->map & SWAP_MAP_COUNT) || (m->flags & (SLOT_FOLIO | SLOT_ZERO | SLOT_IN_RETURN)))
            continue;
        bool device = !zswap_has(mm->zswap, s);

        t.nr[device]++;
        t.sum[device] += at - RF_MIN(at, a->stamp[s / SWAP_AGE_EACH]);
    }
    return t;
}

static uint64_t mean_ns(const struct mm *mm, const struct tally *t, unsigned where) {
    return (uint64_t)((double)t->sum[where] / (double)t->nr[where] *
                      (double)((uint64_t)1 << mm->age.shift));
}

static void halve(struct mm *mm) {
    uint32_t n = (swap_slots_seen(mm->swap) + SWAP_AGE_EACH - 1) / SWAP_AGE_EACH;

    for (uint32_t i = 0; i < n; i++)
        mm->age.stamp[i] >>= 1;
    mm->age.shift++;
}

void swap_age_note_slow(struct mm *mm, rf_time now, uint32_t slot, uint32_t nr) {
    struct swap_age *a = &mm->age;

    while (now >> a->shift > STAMP_MAX)
        halve(mm);
    for (uint32_t i = (0 - slot) % SWAP_AGE_EACH; i < nr; i += SWAP_AGE_EACH)
        a->stamp[(slot + i) / SWAP_AGE_EACH] = (uint16_t)(now >> a->shift);
    a->unmapped += nr;
    if (a->unmapped < a->due)
        return;
    struct tally t = look(mm, now);

    a->unmapped = 0;
    a->due = RF_MAX(swap_slots_seen(mm->swap) / 2, MIN_UNMAPPED);
    if (t.nr[0] == 0 || t.nr[1] == 0)
        return;
    a->looks++;
    a->sum_zswap += mean_ns(mm, &t, 0);
    a->sum_device += mean_ns(mm, &t, 1);
}

struct swap_ages swap_age_read(const struct mm *mm, rf_time now) {
    const struct swap_age *a = &mm->age;

    if (a->looks)
        return (struct swap_ages){a->sum_zswap / a->looks, a->sum_device / a->looks, a->looks};
    struct tally t = look(mm, now);

    if (t.nr[0] == 0 || t.nr[1] == 0)
        return (struct swap_ages){0, 0, 0};
    return (struct swap_ages){mean_ns(mm, &t, 0), mean_ns(mm, &t, 1), 0};
}
