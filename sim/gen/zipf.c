/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "zipf.h"

#define PERMUTATION_SEED 0x7a697066u /* "zipf" */

int zipf_permutation(uint32_t n, uint32_t *page_of_rank, struct rf_err *err) {
    struct rf_rng rng;
    if (n == 0 || n > 1u << 28)
        return rf_fail(err, RF_EUSAGE, "zipf over %u pages, expected 1 to 2^28", n);
    rf_rng_seed(&rng, PERMUTATION_SEED);
    for (uint32_t i = 0; i < n; i++)
        page_of_rank[i] = i;
    for (uint32_t i = n - 1; i > 0; i--) { /* Fisher and Yates */
        uint32_t j = (uint32_t)rf_rng_below(&rng, (uint64_t)i + 1), t = page_of_rank[i];
        page_of_rank[i] = page_of_rank[j];
        page_of_rank[j] = t;
    }
    return 0;
}

/*
 * Slots that get more than 1/n (large) lend to those with less (small). `weight` holds each rank's
 * probability times n, `work` the indices still to be settled: small ones from the left, large ones
 * from the right.
 */
static void fill_slots(struct zipf *z, const uint32_t *page_of_rank, double *weight,
                       uint32_t *work) {
    uint32_t n = z->n, smalls = 0, larges = n;
    for (uint32_t i = 0; i < n; i++) {
        if (weight[i] < 1.0)
            work[smalls++] = i;
        else
            work[--larges] = i;
    }
    while (smalls > 0 && larges < n) {
        uint32_t s = work[--smalls], l = work[larges];
        z->slots[s] = (struct zipf_slot){(uint32_t)(weight[s] * 4294967296.0), page_of_rank[s],
                                         page_of_rank[l]};
        weight[l] = (weight[l] + weight[s]) - 1.0;
        if (weight[l] < 1.0) {
            larges++;
            work[smalls++] = l;
        }
    }
    /* what is left has a weight of 1 but for rounding */
    while (smalls > 0) {
        uint32_t s = work[--smalls];
        z->slots[s] = (struct zipf_slot){UINT32_MAX, page_of_rank[s], page_of_rank[s]};
    }
    for (; larges < n; larges++) {
        uint32_t l = work[larges];
        z->slots[l] = (struct zipf_slot){UINT32_MAX, page_of_rank[l], page_of_rank[l]};
    }
}

int zipf_init(struct zipf *z, uint32_t n, double theta, struct rf_err *err) {
    *z = (struct zipf){.n = n};
    if (n == 0 || n > 1u << 28 || !(theta >= 0.0 && theta <= 10.0))
        return rf_fail(err, RF_EUSAGE,
                       "zipf over %u pages with theta %g, expected 1 to 2^28 and 0 to 10", n,
                       theta);
    double *weight = malloc(n * sizeof(*weight)), sum = 0.0;
    uint32_t *work = malloc(n * sizeof(*work)), *perm = malloc(n * sizeof(*perm));
    z->slots = malloc(n * sizeof(*z->slots));
    if (!weight || !work || !perm || !z->slots) {
        free(weight);
        free(work);
        free(perm);
        zipf_free(z);
        return rf_fail(err, RF_ENOMEM, "no memory for zipf over %u pages", n);
    }
    int rc = zipf_permutation(n, perm, err);
    for (uint32_t i = n; i-- > 0;) { /* smallest first, for the sum's sake */
        weight[i] = pow((double)i + 1.0, -theta);
        sum += weight[i];
    }
    for (uint32_t i = 0; i < n; i++)
        weight[i] = weight[i] / sum * (double)n;
    fill_slots(z, perm, weight, work);
    free(weight);
    free(work);
    free(perm);
    return rc;
}

void zipf_free(struct zipf *z) {
    free(z->slots);
    z->slots = NULL;
}
