/* SPDX-License-Identifier: Apache-2.0 */
/* The ticker: the library starts no thread of its own, so whoever evaluates brings the clock. */
#include "ticker.h"

#include <time.h>

#include "exit_code.h"
#include "karta/engine.h"
#include "message.h"

#define TICK_MS 10

/* a person waits for the answer, nobody else does, and may do so on a machine that is busy: a
 * thousand times what a sane definition needs */
#define OBJECT_MS 10000

static void after_one_tick(struct timespec *when)
{
    clock_gettime(CLOCK_MONOTONIC, when);
    when->tv_nsec += TICK_MS * 1000000L;
    if (when->tv_nsec >= 1000000000L) {
        when->tv_nsec -= 1000000000L;
        when->tv_sec++;
    }
}

static void *tick(void *state)
{
    struct ticker *ticker = state;
    pthread_mutex_lock(&ticker->mutex);
    while (!ticker->stop) {
        struct timespec when;
        after_one_tick(&when);
        pthread_cond_timedwait(&ticker->stopped, &ticker->mutex, &when);
        pthread_mutex_unlock(&ticker->mutex);
        karta_engine_expire(karta_engine_now_ms());
        pthread_mutex_lock(&ticker->mutex);
    }
    pthread_mutex_unlock(&ticker->mutex);
    return NULL;
}

int ticker_start(struct ticker *ticker)
{
    ticker->stop = false;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&ticker->stopped, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&ticker->mutex, NULL);
    if (pthread_create(&ticker->thread, NULL, tick, ticker) == 0)
        return CLI_DONE;
    pthread_cond_destroy(&ticker->stopped);
    pthread_mutex_destroy(&ticker->mutex);
    return cli_fail(CLI_FAILED, "cannot start a thread");
}

void ticker_stop(struct ticker *ticker)
{
    pthread_mutex_lock(&ticker->mutex);
    ticker->stop = true;
    pthread_cond_signal(&ticker->stopped);
    pthread_mutex_unlock(&ticker->mutex);
    pthread_join(ticker->thread, NULL);
    pthread_cond_destroy(&ticker->stopped);
    pthread_mutex_destroy(&ticker->mutex);
}

int64_t ticker_deadline(void)
{
    return karta_engine_now_ms() + OBJECT_MS;
}

int64_t ticker_budget_ms(void)
{
    return OBJECT_MS;
}
