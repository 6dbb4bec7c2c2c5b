/* SPDX-License-Identifier: Apache-2.0 */
/* A slot for each thread, known by its id and found by walking: there are as many as processors. */
#include "workers.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_WORKERS 256 /* what --threads allows */

struct slot {
    _Atomic pid_t thread; /* 0: free */
    _Atomic(const char *) what;
    _Atomic int64_t since_ms; /* 0: it is in nothing */
};

struct workers {
    int64_t stuck_ms;
    struct slot slots[MOST_WORKERS];
};

struct workers *workers_new(int64_t stuck_ms)
{
    struct workers *workers = calloc(1, sizeof *workers);
    if (workers != NULL)
        workers->stuck_ms = stuck_ms;
    return workers;
}

void workers_free(struct workers *workers)
{
    free(workers);
}

/* The calling thread's slot; NULL where there are more threads than slots. */
static struct slot *own_slot(struct workers *workers)
{
    static _Thread_local pid_t own = 0;
    if (own == 0)
        own = gettid();
    for (size_t i = 0; i < MOST_WORKERS; i++) {
        struct slot *slot = &workers->slots[i];
        pid_t owner = atomic_load(&slot->thread);
        if (owner == own ||
            (owner == 0 && atomic_compare_exchange_strong(&slot->thread, &owner, own)))
            return slot;
    }
    return NULL;
}

void workers_enter(struct workers *workers, const char *what, int64_t now_ms)
{
    struct slot *slot = own_slot(workers);
    if (slot == NULL)
        return;
    atomic_store(&slot->what, what);
    atomic_store(&slot->since_ms, now_ms);
}

void workers_leave(struct workers *workers)
{
    struct slot *slot = own_slot(workers);
    if (slot != NULL)
        atomic_store(&slot->since_ms, 0);
}

size_t workers_stuck(struct workers *workers, int64_t now_ms, char *text, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < MOST_WORKERS; i++) {
        struct slot *slot = &workers->slots[i];
        int64_t since = atomic_load(&slot->since_ms);
        if (since == 0 || now_ms - since < workers->stuck_ms)
            continue;
        if (count++ == 0)
            snprintf(text, room, "thread %d is stuck in %s for %" PRId64 " s",
                     (int)atomic_load(&slot->thread), atomic_load(&slot->what),
                     (now_ms - since) / 1000);
    }
    return count;
}
