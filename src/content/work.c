/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch memory for compressing, shared by the threads that use a content set. */
#include <stdlib.h>
#include "content_internal.h"

static struct work *work_new(void) {
    return calloc(1, sizeof(struct work) + codec_max_work_bytes());
}

int work_pool_init(struct work_pool *p, struct rf_err *err) {
    p->idle = work_new();
    if (!p->idle)
        return rf_fail(err, RF_ENOMEM, "content: no memory for compression scratch");
    if (pthread_mutex_init(&p->lock, NULL) != 0)
        return rf_fail(err, RF_ENOMEM, "content: the host refused a mutex");
    if (pthread_cond_init(&p->back, NULL) != 0) {
        pthread_mutex_destroy(&p->lock);
        return rf_fail(err, RF_ENOMEM, "content: the host refused a condition variable");
    }
    p->ready = true;
    return RF_OK;
}

void work_pool_destroy(struct work_pool *p) {
    while (p->idle) {
        struct work *w = p->idle;
        p->idle = w->next;
        free(w);
    }
    if (p->ready) {
        pthread_cond_destroy(&p->back);
        pthread_mutex_destroy(&p->lock);
    }
}

struct work *work_get(struct work_pool *p) {
    struct work *w;
    pthread_mutex_lock(&p->lock);
    w = p->idle;
    if (!w)
        w = work_new();
    else
        p->idle = w->next;
    while (!w) {
        pthread_cond_wait(&p->back, &p->lock);
        w = p->idle;
        if (w)
            p->idle = w->next;
    }
    pthread_mutex_unlock(&p->lock);
    return w;
}

void work_put(struct work_pool *p, struct work *w) {
    pthread_mutex_lock(&p->lock);
    w->next = p->idle;
    p->idle = w;
    pthread_cond_signal(&p->back);
    pthread_mutex_unlock(&p->lock);
}
