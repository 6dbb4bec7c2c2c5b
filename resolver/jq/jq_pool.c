/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool of compiled states. The idea: one lock over small counters and lists, held for a few
 * instructions; compiling (tens of milliseconds) and freeing happen outside it. A caller that finds
 * its program busy waits for it, which is shorter than compiling, and leaves a note that one more
 * state would have been of use.
 */
#include "jq/jq_pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"

static struct {
    pthread_mutex_t lock;
    struct pool_entry *entries;
    struct state *oldest, *newest; /* idle states of all programs, by their last use */
    size_t states;                 /* that exist or are being compiled */
    struct karta_engine_counts counts;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

int pool_entry_init(struct pool_entry *entry, const char *text, struct karta_error *err)
{
    memset(entry, 0, sizeof *entry);
    entry->text = text;
    pthread_condattr_t attributes;
    int failed = pthread_condattr_init(&attributes);
    if (failed == 0) {
        failed = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        if (failed == 0)
            failed = pthread_cond_init(&entry->changed, &attributes);
        pthread_condattr_destroy(&attributes);
    }
    if (failed != 0)
        return karta_error_set(err, KARTA_ERR_NOMEM, "no condition variable: %s", strerror(failed));
    pthread_mutex_lock(&pool.lock);
    entry->after = pool.entries;
    if (pool.entries != NULL)
        pool.entries->before = entry;
    pool.entries = entry;
    pthread_mutex_unlock(&pool.lock);
    return 0;
}

/* Out of the list by age, and of its program's idle states. */
static void unlink_idle(struct state *state)
{
    *(state->older != NULL ? &state->older->newer : &pool.oldest) = state->newer;
    *(state->newer != NULL ? &state->newer->older : &pool.newest) = state->older;
    state->older = state->newer = NULL;
    struct pool_entry *entry = state->entry;
    size_t i = 0;
    while (entry->idle[i] != state)
        i++;
    entry->idle_count--;
    memmove(&entry->idle[i], &entry->idle[i + 1], (entry->idle_count - i) * sizeof *entry->idle);
}

static void link_idle(struct state *state)
{
    state->older = pool.newest;
    *(pool.newest != NULL ? &pool.newest->newer : &pool.oldest) = state;
    pool.newest = state;
    state->entry->idle[state->entry->idle_count++] = state;
}

/* A place for one more state; *evicted is what must be freed outside the lock. */
static bool reserve(struct pool_entry *entry, struct state **evicted)
{
    if (entry->idle_count + entry->busy + entry->compiling >= LIMIT_SLOTS)
        return false;
    if (pool.states >= LIMIT_STATES) {
        if (pool.oldest == NULL)
            return false;
        *evicted = pool.oldest;
        unlink_idle(*evicted);
        pool.states--;
    }
    pool.states++;
    entry->compiling++;
    return true;
}

/* Compiles outside the lock, which is held before and after; the place is reserved. */
static int compile(struct pool_entry *entry, struct state *evicted, struct state **state,
                   struct karta_error *err)
{
    struct karta_error own;
    karta_error_init(&own);
    pthread_mutex_unlock(&pool.lock);
    state_free(evicted);
    int code = state_new(entry->text, state, &own);
    pthread_mutex_lock(&pool.lock);
    entry->compiling--;
    if (code == 0) {
        (*state)->entry = entry;
        pool.counts.compiled++;
    } else {
        pool.states--;
        pool.counts.compile_failures++;
        if (code == KARTA_ERR_EXPRESSION && entry->failure == NULL)
            entry->failure = strdup(own.message);
        karta_error_set(err, code, "%s", own.message);
    }
    pthread_cond_broadcast(&entry->changed);
    return code;
}

static int wait_for_change(struct pool_entry *entry, int64_t deadline_ms, struct karta_error *err)
{
    size_t callers = entry->busy + entry->compiling + ++entry->waiting;
    if (callers > entry->wanted)
        entry->wanted = callers;
    int failed = 0;
    if (deadline_ms == 0) {
        pthread_cond_wait(&entry->changed, &pool.lock);
    } else {
        struct timespec until = {.tv_sec = deadline_ms / 1000,
                                 .tv_nsec = deadline_ms % 1000 * 1000000};
        failed = pthread_cond_timedwait(&entry->changed, &pool.lock, &until);
    }
    entry->waiting--;
    return failed == 0 ? 0 : karta_error_set(err, KARTA_ERR_TIMEOUT, "the deadline passed");
}

static int take(struct pool_entry *entry, int64_t deadline_ms, struct state **state,
                struct karta_error *err)
{
    for (;;) {
        if (entry->failure != NULL)
            return karta_error_set(err, KARTA_ERR_EXPRESSION, "%s", entry->failure);
        if (entry->idle_count > 0) {
            *state = entry->idle[entry->idle_count - 1];
            unlink_idle(*state);
            return 0;
        }
        struct state *evicted = NULL;
        if (entry->busy + entry->compiling == 0) {
            if (!reserve(entry, &evicted))
                return karta_error_set(err, KARTA_ERR_LIMIT, "all %u compiled states are busy",
                                       LIMIT_STATES);
            return compile(entry, evicted, state, err);
        }
        int code = wait_for_change(entry, deadline_ms, err);
        if (code != 0)
            return code;
    }
}

bool pool_is_compiled(struct pool_entry *entry)
{
    pthread_mutex_lock(&pool.lock);
    bool compiled = entry->idle_count + entry->busy > 0;
    pthread_mutex_unlock(&pool.lock);
    return compiled;
}

int pool_take(struct pool_entry *entry, int64_t deadline_ms, struct state **state,
              struct karta_error *err)
{
    pthread_mutex_lock(&pool.lock);
    int code = take(entry, deadline_ms, state, err);
    if (code == 0)
        entry->busy++;
    pthread_mutex_unlock(&pool.lock);
    return code;
}

void pool_give(struct pool_entry *entry, struct state *state, enum pool_use use)
{
    pthread_mutex_lock(&pool.lock);
    entry->busy--;
    pool.counts.runs += use != POOL_UNUSED;
    if (use == POOL_BROKEN) {
        pool.counts.expired++;
        pool.states--;
    } else {
        link_idle(state);
    }
    pthread_cond_broadcast(&entry->changed);
    pthread_mutex_unlock(&pool.lock);
    if (use == POOL_BROKEN)
        state_free(state);
}

/* Under the lock, which is given up while it compiles. */
static bool compile_spare(struct pool_entry *entry)
{
    struct state *evicted = NULL, *state = NULL;
    if (entry->failure != NULL || entry->wanted <= 1 ||
        entry->idle_count + entry->busy + entry->compiling >= entry->wanted ||
        pool.states >= LIMIT_STATES || !reserve(entry, &evicted))
        return false;
    if (compile(entry, evicted, &state, NULL) != 0)
        return false;
    link_idle(state);
    pthread_cond_broadcast(&entry->changed);
    return true;
}

int pool_spare(void)
{
    int compiled = 0;
    pthread_mutex_lock(&pool.lock);
    for (struct pool_entry *entry = pool.entries; entry != NULL;) {
        /* the list may have changed while it compiled: start again */
        bool made = compile_spare(entry);
        compiled += made;
        entry = made ? pool.entries : entry->after;
    }
    pthread_mutex_unlock(&pool.lock);
    return compiled;
}

void pool_shrink(void)
{
    pthread_mutex_lock(&pool.lock);
    while (pool.oldest != NULL) {
        struct state *state = pool.oldest;
        unlink_idle(state);
        pool.states--;
        pthread_mutex_unlock(&pool.lock);
        state_free(state);
        pthread_mutex_lock(&pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
}

void pool_entry_dispose(struct pool_entry *entry)
{
    pthread_mutex_lock(&pool.lock);
    while (entry->compiling > 0)
        pthread_cond_wait(&entry->changed, &pool.lock);
    *(entry->before != NULL ? &entry->before->after : &pool.entries) = entry->after;
    if (entry->after != NULL)
        entry->after->before = entry->before;
    while (entry->idle_count > 0) {
        struct state *state = entry->idle[entry->idle_count - 1];
        unlink_idle(state);
        pool.states--;
        pthread_mutex_unlock(&pool.lock);
        state_free(state);
        pthread_mutex_lock(&pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
    pthread_cond_destroy(&entry->changed);
    free(entry->failure);
}

void pool_counts(struct karta_engine_counts *counts)
{
    pthread_mutex_lock(&pool.lock);
    *counts = pool.counts;
    counts->states = pool.states;
    counts->states_most = LIMIT_STATES;
    pthread_mutex_unlock(&pool.lock);
}
