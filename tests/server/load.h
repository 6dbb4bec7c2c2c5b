/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that ask the whole time, while a test replaces what the server works with. */
#ifndef KARTA_TESTS_LOAD_H
#define KARTA_TESTS_LOAD_H

#include <pthread.h>
#include <stdatomic.h>

#include "harness.h"

#define LOAD_CLIENTS 4

/* The first five are the test's, set before the start and left alone until the stop. */
struct load {
    int port;
    const char *ca, *review;
    const char *path;      /* NULL: /mutate/workloads */
    const char *bodies[2]; /* every answer is one of these; NULL: any body will do */
    atomic_bool done;
    atomic_int handshakes, answered, failed;
    pthread_t threads[LOAD_CLIENTS];
};

void load_start(struct load *load);
/* Ends the clients, prints what they did and fails the test if a request or handshake failed. */
void load_stop(struct load *load, const char *what, int swaps);

#endif
