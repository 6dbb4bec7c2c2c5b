/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads: a keeper, who knows what is followed and whether we may write, and workers, each
 * with a connection and one workload at a time. The one idea: reflectors only note what has to be
 * looked at, so nothing that happens in the cluster waits for us, and whoever gets the Lease goes
 * through the same notes.
 */
#include "podgroups.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/mem.h"
#include "karta/engine.h"
#include "podgroups_internal.h"
#include "podgroups_watch.h"

/* how often readiness is looked at, and failures whose time has come */
#define TICK_MS 200

static bool is_stopping(struct podgroups *groups)
{
    pthread_mutex_lock(&groups->lock);
    bool stopping = groups->stopping;
    pthread_mutex_unlock(&groups->lock);
    return stopping;
}

void groups_hold(struct podgroups *groups)
{
    pthread_mutex_lock(&groups->lock);
    groups->held = true;
    while (groups->active > 0)
        pthread_cond_wait(&groups->idle, &groups->lock);
    pthread_mutex_unlock(&groups->lock);
}

void groups_release(struct podgroups *groups)
{
    pthread_mutex_lock(&groups->lock);
    groups->held = false;
    pthread_cond_broadcast(&groups->work);
    pthread_mutex_unlock(&groups->lock);
}

/* Until a moment is over, or somebody says that there is something to look at. */
static void wait_a_moment(struct podgroups *groups)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TICK_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_mutex_lock(&groups->lock);
    int rc = 0;
    while (!groups->stopping && !groups->woken && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&groups->wake, &groups->lock, &until);
    groups->woken = false;
    pthread_mutex_unlock(&groups->lock);
}

static void *keep(void *arg)
{
    struct podgroups *groups = ((struct worker *)arg)->groups;
    while (!is_stopping(groups)) {
        groups_look(groups);
        groups_check(groups);
        bool able = groups_are_settled(groups) && groups_may_write(groups);
        pthread_mutex_lock(&groups->lock);
        groups->able = able;
        queue_promote(groups, karta_engine_now_ms());
        pthread_cond_broadcast(&groups->work);
        pthread_mutex_unlock(&groups->lock);
        wait_a_moment(groups);
    }
    return NULL;
}

/* The next workload's id; false: it is time to end. */
static bool take_work(struct podgroups *groups, uint64_t *id)
{
    pthread_mutex_lock(&groups->lock);
    while (!groups->stopping && (groups->held || !groups->able || !queue_is_ready(groups)))
        pthread_cond_wait(&groups->work, &groups->lock);
    bool goes_on = !groups->stopping;
    if (goes_on) {
        *id = queue_take(groups)->entry.id;
        groups->active++;
    }
    pthread_mutex_unlock(&groups->lock);
    return goes_on;
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    struct podgroups *groups = worker->groups;
    uint64_t id;
    while (take_work(groups, &id)) {
        groups_work(worker, id);
        pthread_mutex_lock(&groups->lock);
        if (--groups->active == 0)
            pthread_cond_signal(&groups->idle);
        pthread_mutex_unlock(&groups->lock);
    }
    return NULL;
}

static int start_worker(struct worker *worker, void *(*run)(void *), struct karta_error *err)
{
    int rc = pthread_create(&worker->thread, NULL, run, worker);
    if (rc != 0)
        return karta_error_set(err, KARTA_ERR_IO, "cannot start a thread: %s", strerror(rc));
    pthread_setname_np(worker->thread, "karta-podgroups");
    worker->started = true;
    return 0;
}

static int init_worker(struct podgroups *groups, struct worker *worker, struct karta_error *err)
{
    worker->groups = groups;
    return kube_client_new(&groups->config.access, groups->config.metrics, &worker->client, err);
}

static void init_locks(struct podgroups *groups)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&groups->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_cond_init(&groups->work, NULL);
    pthread_cond_init(&groups->idle, NULL);
    pthread_mutex_init(&groups->lock, NULL);
    pthread_mutex_init(&groups->shared, NULL);
}

static int start_all(struct podgroups *groups, struct karta_error *err)
{
    int rc = discovery_new(&groups->discovery, err);
    if (rc == 0)
        rc = discovery_new(&groups->spare, err);
    if (rc == 0)
        rc = init_worker(groups, &groups->keeper, err);
    for (size_t i = 0; rc == 0 && i < WORKERS; i++)
        rc = init_worker(groups, &groups->workers[i], err);
    if (rc == 0)
        rc = start_worker(&groups->keeper, keep, err);
    for (size_t i = 0; rc == 0 && i < WORKERS; i++)
        rc = start_worker(&groups->workers[i], work, err);
    return rc;
}

int podgroups_start(const struct podgroups_config *config, struct podgroups **groups,
                    struct karta_error *err)
{
    struct podgroups *made = calloc(1, sizeof *made);
    if (made == NULL || (made->missing = json_object()) == NULL) {
        free(made);
        return mem_error(err);
    }
    made->config = *config;
    made->token_ms = karta_engine_now_ms();
    made->tokens = 100; /* an empty bucket would make the first of all wait longest */
    init_locks(made);
    int rc = start_all(made, err);
    if (rc == 0)
        *groups = made;
    else
        podgroups_free(made);
    return rc;
}

void podgroups_wake(struct podgroups *groups)
{
    pthread_mutex_lock(&groups->lock);
    groups->woken = true;
    pthread_cond_signal(&groups->wake);
    pthread_mutex_unlock(&groups->lock);
}

void podgroups_stop(struct podgroups *groups)
{
    if (groups == NULL)
        return;
    pthread_mutex_lock(&groups->lock);
    groups->stopping = true;
    pthread_cond_signal(&groups->wake);
    pthread_cond_broadcast(&groups->work);
    pthread_mutex_unlock(&groups->lock);
    kube_client_stop(groups->keeper.client);
    for (size_t i = 0; i < WORKERS; i++)
        kube_client_stop(groups->workers[i].client);
    watch_stop_all(groups);
}

static void end_worker(struct worker *worker)
{
    if (worker->started)
        pthread_join(worker->thread, NULL);
}

static void free_all(struct podgroups *groups)
{
    watch_end_all(groups);
    kube_client_free(groups->keeper.client);
    for (size_t i = 0; i < WORKERS; i++)
        kube_client_free(groups->workers[i].client);
    table_dispose(&groups->workloads);
    table_dispose(&groups->crowds);
    table_dispose(&groups->broods);
    table_dispose(&groups->pods);
    table_dispose(&groups->made);
    karta_snapshot_unref(groups->snapshot);
    free(groups->profiles);
    json_decref(groups->missing);
    discovery_free(groups->discovery);
    discovery_free(groups->spare);
    pthread_cond_destroy(&groups->wake);
    pthread_cond_destroy(&groups->work);
    pthread_cond_destroy(&groups->idle);
    pthread_mutex_destroy(&groups->lock);
    pthread_mutex_destroy(&groups->shared);
    free(groups);
}

void podgroups_free(struct podgroups *groups)
{
    if (groups == NULL)
        return;
    podgroups_stop(groups);
    end_worker(&groups->keeper);
    for (size_t i = 0; i < WORKERS; i++)
        end_worker(&groups->workers[i]);
    free_all(groups);
}

bool podgroups_follow(const struct podgroups *groups, const char *group, const char *kind)
{
    const char *parts[] = {group, kind};
    uint64_t id = hash_u64(parts, 2);
    for (size_t i = 0; id != 0 && i < WATCHES; i++)
        if (atomic_load(&groups->follows[i]) == id)
            return true;
    return false;
}

static void say_unsettled(struct podgroups *groups, char *text, size_t room)
{
    snprintf(text, room, "the kinds of workloads that the cluster has are not known yet");
    pthread_mutex_lock(&groups->lock);
    for (size_t i = 0; i < groups->watch_count; i++) {
        const struct watch *watch = groups->watches[i];
        if (watch->listed || reflector_refused(watch->reflector) != 0)
            continue;
        snprintf(text, room, "%s%s%s are not listed yet", watch->resource.plural,
                 watch->resource.group[0] != '\0' ? "." : "", watch->resource.group);
        break;
    }
    pthread_mutex_unlock(&groups->lock);
}

bool podgroups_wait(struct podgroups *groups, char *text, size_t room)
{
    if (atomic_load(&groups->settled))
        return false;
    say_unsettled(groups, text, room);
    return true;
}
