/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that enforces the deadlines of expressions while a command works. */
#ifndef KARTA_CLI_TICKER_H
#define KARTA_CLI_TICKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct ticker {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t stopped;
    bool stop;
};

/* Starts it. CLI_DONE, or CLI_FAILED and one line. */
int ticker_start(struct ticker *ticker);
void ticker_stop(struct ticker *ticker);

/* The deadline of an object whose work begins now. */
int64_t ticker_deadline(void);
/* How long one may take. */
int64_t ticker_budget_ms(void);

#endif
