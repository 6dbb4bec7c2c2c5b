/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeps on a condition instead of the clock, so that stopping never waits for a period. */
#include "periodic.h"

#include <string.h>
#include <time.h>

static struct timespec after_ms(int ms)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += ms / 1000;
    at.tv_nsec += (long)(ms % 1000) * 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_nsec -= 1000000000;
        at.tv_sec++;
    }
    return at;
}

static void *run(void *arg)
{
    struct periodic *periodic = arg;
    pthread_mutex_lock(&periodic->lock);
    while (!periodic->stopping) {
        pthread_mutex_unlock(&periodic->lock);
        periodic->call(periodic->arg);
        struct timespec until = after_ms(periodic->period_ms);
        pthread_mutex_lock(&periodic->lock);
        int rc = 0;
        while (!periodic->stopping && !periodic->woken && rc == 0)
            rc = pthread_cond_timedwait(&periodic->wake, &periodic->lock, &until);
        periodic->woken = false;
    }
    pthread_mutex_unlock(&periodic->lock);
    return NULL;
}

int periodic_start(struct periodic *periodic, const char *name, int period_ms,
                   void (*call)(void *arg), void *arg, struct karta_error *err)
{
    *periodic = (struct periodic){.period_ms = period_ms, .call = call, .arg = arg};
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&periodic->lock, NULL);
    pthread_cond_init(&periodic->wake, &clock);
    pthread_condattr_destroy(&clock);
    int rc = pthread_create(&periodic->thread, NULL, run, periodic);
    if (rc != 0)
        return karta_error_set(err, KARTA_ERR_IO, "cannot start thread %s: %s", name, strerror(rc));
    periodic->started = true;
    pthread_setname_np(periodic->thread, name);
    return 0;
}

void periodic_wake(struct periodic *periodic)
{
    pthread_mutex_lock(&periodic->lock);
    periodic->woken = true;
    pthread_cond_signal(&periodic->wake);
    pthread_mutex_unlock(&periodic->lock);
}

void periodic_stop(struct periodic *periodic)
{
    if (!periodic->started)
        return;
    pthread_mutex_lock(&periodic->lock);
    periodic->stopping = true;
    pthread_cond_signal(&periodic->wake);
    pthread_mutex_unlock(&periodic->lock);
    pthread_join(periodic->thread, NULL);
    pthread_cond_destroy(&periodic->wake);
    pthread_mutex_destroy(&periodic->lock);
    periodic->started = false;
}
