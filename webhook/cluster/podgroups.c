/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker: one thread, one connection, one workload after the other. The one idea: reflectors
 * only note what has to be looked at, so nothing that happens in the cluster waits for us, and
 * whoever gets the Lease goes through the same notes.
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

/* Until there may be something to do. `idle`: even what is ready can't be done now. */
static void wait_for_work(struct podgroups *groups, bool idle)
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
    while (!groups->stopping && !groups->woken && rc != ETIMEDOUT &&
           (idle || groups->queues[QUEUE_READY].count + groups->queues[QUEUE_SWEEP].count == 0))
        rc = pthread_cond_timedwait(&groups->wake, &groups->lock, &until);
    groups->woken = false;
    pthread_mutex_unlock(&groups->lock);
}

/* False: nothing was ready. */
static bool work_once(struct podgroups *groups)
{
    pthread_mutex_lock(&groups->lock);
    struct workload *workload = queue_take(groups, karta_engine_now_ms());
    uint64_t id = workload != NULL ? workload->entry.id : 0;
    pthread_mutex_unlock(&groups->lock);
    if (workload != NULL)
        groups_work(groups, id);
    return workload != NULL;
}

static void *run(void *arg)
{
    struct podgroups *groups = arg;
    int64_t checked_ms = 0;
    while (!is_stopping(groups)) {
        groups_look(groups);
        int64_t now_ms = karta_engine_now_ms();
        if (now_ms - checked_ms >= TICK_MS || !atomic_load(&groups->settled)) {
            groups_check(groups);
            checked_ms = now_ms;
        }
        bool able = groups_are_settled(groups) && groups_may_write(groups);
        if (!able || !work_once(groups))
            wait_for_work(groups, !able);
    }
    return NULL;
}

static int start_thread(struct podgroups *groups, struct karta_error *err)
{
    int rc = pthread_create(&groups->thread, NULL, run, groups);
    if (rc != 0)
        return karta_error_set(err, KARTA_ERR_IO, "cannot start a thread: %s", strerror(rc));
    pthread_setname_np(groups->thread, "karta-podgroups");
    groups->started = true;
    return 0;
}

int podgroups_start(const struct podgroups_config *config, struct podgroups **groups,
                    struct karta_error *err)
{
    struct podgroups *made = calloc(1, sizeof *made);
    if (made == NULL)
        return mem_error(err);
    made->config = *config;
    made->token_ms = karta_engine_now_ms();
    made->tokens = 100; /* an empty bucket would make the first of all wait longest */
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&made->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&made->lock, NULL);
    made->missing = json_object();
    int rc = made->missing != NULL ? 0 : mem_error(err);
    if (rc == 0)
        rc = kube_client_new(&made->config.access, config->metrics, &made->client, err);
    if (rc == 0)
        rc = discovery_new(&made->discovery, err);
    if (rc == 0)
        rc = start_thread(made, err);
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
    pthread_mutex_unlock(&groups->lock);
    kube_client_stop(groups->client);
    watch_stop_all(groups);
}

void podgroups_free(struct podgroups *groups)
{
    if (groups == NULL)
        return;
    podgroups_stop(groups);
    if (groups->started)
        pthread_join(groups->thread, NULL);
    watch_end_all(groups);
    table_dispose(&groups->workloads);
    table_dispose(&groups->crowds);
    table_dispose(&groups->broods);
    table_dispose(&groups->pods);
    table_dispose(&groups->made);
    karta_snapshot_unref(groups->snapshot);
    free(groups->profiles);
    json_decref(groups->missing);
    discovery_free(groups->discovery);
    kube_client_free(groups->client);
    pthread_cond_destroy(&groups->wake);
    pthread_mutex_destroy(&groups->lock);
    free(groups);
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
