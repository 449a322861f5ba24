/* SPDX-License-Identifier: Apache-2.0 */
#include "leftovers.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define MOST 16

/* A signal handler is given nothing but the signal. */
static _Atomic(const char *) paths[MOST];
static atomic_bool ending;

/* The signal's own effect follows: it is raised again, and comes when the handler returns. */
static void on_signal(int sig) {
    atomic_store(&ending, true);
    for (size_t i = 0; i < MOST; i++) {
        const char *path = atomic_load(&paths[i]);

        if (path)
            unlink(path);
    }
    raise(sig);
}

void leftovers_catch(void) {
    static const int signals[] = {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM};
    struct sigaction old, ours = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(signals[i], &ours, NULL);
    }
}

/* Another thread is in the handler, which may have taken any path: it has to stay what it is. */
static void wait_if_ending(void) {
    while (atomic_load(&ending))
        pause();
}

void leftovers_add(const char *path) {
    for (size_t i = 0; i < MOST; i++) {
        const char *none = NULL;

        if (atomic_compare_exchange_strong(&paths[i], &none, path))
            break;
    }
    wait_if_ending();
}

void leftovers_drop(const char *path) {
    for (size_t i = 0; i < MOST; i++) {
        const char *old = path;

        if (atomic_compare_exchange_strong(&paths[i], &old, NULL))
            break;
    }
    wait_if_ending();
}
