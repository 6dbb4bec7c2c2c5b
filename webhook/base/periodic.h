/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that calls one function again and again, and can be stopped at once. */
#ifndef KARTA_WEBHOOK_PERIODIC_H
#define KARTA_WEBHOOK_PERIODIC_H

#include <pthread.h>
#include <stdbool.h>

#include "karta/error.h"

struct periodic {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool started, stopping, woken;
    int period_ms;
    void (*call)(void *arg);
    void *arg;
};

/* `call` runs in the new thread every `period_ms`, never twice at once. KARTA_ERR_IO. The name is
 * what ps and debuggers show, at most 15 bytes. */
int periodic_start(struct periodic *periodic, const char *name, int period_ms,
                   void (*call)(void *arg), void *arg, struct karta_error *err);
/* The next call begins now. Any thread, between start and stop. */
void periodic_wake(struct periodic *periodic);
/* Returns when the thread has ended; nothing where it was never started. */
void periodic_stop(struct periodic *periodic);

#endif
