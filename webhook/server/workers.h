/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is in a request, and since when. A worker that never comes back takes its connections with
 * it and accepts no more, and nobody would hear of it: so it is noticed from outside. Any thread;
 * entering and leaving take no lock.
 */
#ifndef KARTA_SERVER_WORKERS_H
#define KARTA_SERVER_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct workers; /* opaque */

/* `stuck_ms` is how long one step of a request may take. NULL: out of memory. */
struct workers *workers_new(int64_t stuck_ms);
void workers_free(struct workers *workers);

/* The calling thread begins, and ends, something that must not last. `what` is a static text. */
void workers_enter(struct workers *workers, const char *what, int64_t now_ms);
void workers_leave(struct workers *workers);

/* How many are stuck; of the first, a sentence: "thread 12 is stuck in /mutate/workloads for 11 s".
 */
size_t workers_stuck(struct workers *workers, int64_t now_ms, char *text, size_t room);

/* the API server gives a webhook ten seconds by default: nobody waits for what takes longer */
#define WORKERS_STUCK_MS 10000

#endif
