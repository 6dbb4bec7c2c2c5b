/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which resources are followed: kinds that a definition gangs and the cluster serves, pods, and
 * what profiles made. They come and go with definitions and CRDs.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "karta/engine.h"
#include "podgroups_internal.h"
#include "podgroups_watch.h"

#define LOOK_MS 10000
/* who has not listed for so long is waited for no longer */
#define PATIENCE_MS 10000
/* how long a kind is not ganged after one of it could not be read: longer than a retry takes, so
 * that it is not ganged for as long as that goes on */
#define UNREADABLE_MS 120000

static bool profiles_need_objects(const struct podgroups *groups)
{
    for (size_t i = 0; i < groups->profile_count; i++)
        if (groups->profiles[i].has_objects)
            return true;
    return false;
}

static uint64_t hash_json(const json_t *value)
{
    KARTA_AUTO_TEXT text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    const char *parts[] = {text};
    return hash_u64(parts, 1);
}

static bool learn_profiles(struct podgroups *groups, const struct karta_snapshot *snapshot)
{
    size_t count = 0;
    while (karta_snapshot_profile_at(snapshot, count) != NULL)
        count++;
    struct known_profile *profiles = mem_array(count + 1, sizeof *profiles);
    if (profiles == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct karta_profile *profile = karta_snapshot_profile_at(snapshot, i);
        profiles[i] = (struct known_profile){karta_profile_name(profile),
                                             hash_json(karta_profile_document(profile)),
                                             karta_profile_objects(profile) > 0};
    }
    free(groups->profiles);
    groups->profiles = profiles;
    groups->profile_count = count;
    return true;
}

/* What one group and kind is followed for: of its definitions' versions the one that the cluster
 * likes best, which is what the objects are read in. */
static const struct karta_definition *best_of(const struct podgroups *groups, const char *group,
                                              const char *kind)
{
    const char *version;
    for (size_t i = 0; (version = discovery_version(groups->discovery, group, kind, i)) != NULL;
         i++) {
        const struct karta_definition *definition =
            karta_snapshot_find(groups->snapshot, group, version, kind);
        if (definition != NULL && karta_definition_gangs(definition))
            return definition;
    }
    return NULL;
}

static void want_kind(struct podgroups *groups, const struct karta_definition *definition)
{
    const char *group = karta_definition_group(definition);
    const char *kind = karta_definition_kind(definition);
    bool namespaced = false;
    if (best_of(groups, group, kind) != definition)
        return;
    struct kube_resource resource = {group, karta_definition_version(definition), NULL};
    resource.plural =
        discovery_plural(groups->discovery, group, resource.version, kind, &namespaced);
    if (resource.plural == NULL || !namespaced)
        return;
    struct watch *watch = watch_find_or_start(groups, WATCH_WORKLOADS, &resource, kind);
    if (watch != NULL)
        watch->definitions = hash_json(karta_definition_document(definition));
}

static void want_all(struct podgroups *groups)
{
    static const struct kube_resource pods = {"", "v1", "pods"};
    for (size_t i = 0; i < groups->watch_count; i++)
        groups->watches[i]->wanted = groups->watches[i]->what == WATCH_MADE;
    if (!profiles_need_objects(groups))
        return;
    size_t count = karta_snapshot_definitions(groups->snapshot);
    for (size_t i = 0; i < count; i++)
        want_kind(groups, karta_snapshot_definition(groups->snapshot, i));
    watch_find_or_start(groups, WATCH_PODS, &pods, "Pod");
}

static bool stir(void *arg, struct table_entry *entry)
{
    struct podgroups *groups = arg;
    queue_put(groups, (struct workload *)entry, QUEUE_SWEEP, 0);
    return true;
}

/* False: memory is out, and the one before stays. */
static bool take_snapshot(struct podgroups *groups, struct karta_snapshot *snapshot)
{
    if (!learn_profiles(groups, snapshot))
        return false;
    karta_snapshot_unref(groups->snapshot);
    groups->snapshot = karta_snapshot_ref(snapshot);
    return true;
}

/* Asks while workers go on with what was known before. */
static void discover(struct podgroups *groups)
{
    struct karta_error err = {0};
    size_t count = karta_snapshot_definitions(groups->snapshot), used = count;
    struct kube_resource *wanted = mem_array(count + WATCHES, sizeof *wanted);
    for (size_t i = 0; wanted != NULL && i < count; i++) {
        const struct karta_definition *definition = karta_snapshot_definition(groups->snapshot, i);
        wanted[i] = (struct kube_resource){karta_definition_group(definition),
                                           karta_definition_version(definition), NULL};
    }
    const char *name;
    json_t *parts;
    pthread_mutex_lock(&groups->shared);
    json_object_foreach(groups->missing, name, parts)
    {
        if (wanted != NULL && used < count + WATCHES)
            wanted[used++] =
                (struct kube_resource){json_string_value(json_array_get(parts, 0)),
                                       json_string_value(json_array_get(parts, 1)), NULL};
    }
    pthread_mutex_unlock(&groups->shared);
    int rc =
        discovery_refresh(groups->spare, groups->keeper.client, wanted, wanted ? used : 0, &err);
    free(wanted);
    int ms = groups->config.look_ms != 0 ? groups->config.look_ms : LOOK_MS;
    atomic_store(&groups->look_ms, karta_engine_now_ms() + (rc == 0 || ms < 2000 ? ms : 2000));
    groups_pause_said(groups, rc != 0 ? &err : NULL);
    if (rc != 0)
        return;
    pthread_mutex_lock(&groups->shared);
    struct discovery *before = groups->discovery;
    groups->discovery = groups->spare;
    groups->spare = before;
    pthread_mutex_unlock(&groups->shared);
}

/* What is in force, and what the cluster has, as they are now; no worker works. */
static void look(struct podgroups *groups, bool fresh)
{
    want_all(groups);
    watch_end_unwanted(groups);
    groups_look_for_missing(groups);
    groups_expect_made(groups);
    groups->looked = true;
    if (!fresh)
        return;
    pthread_mutex_lock(&groups->lock);
    table_each(&groups->workloads, stir, groups);
    pthread_mutex_unlock(&groups->lock);
}

void groups_look(struct podgroups *groups)
{
    struct karta_snapshot *snapshot = groups->config.in_force(groups->config.in_force_arg);
    bool fresh = snapshot != NULL && snapshot != groups->snapshot;
    bool due = karta_engine_now_ms() >= atomic_load(&groups->look_ms);
    if (due && groups->snapshot != NULL)
        discover(groups);
    if (snapshot != NULL && (fresh || due)) {
        groups_hold(groups);
        fresh = fresh && take_snapshot(groups, snapshot);
        if (groups->snapshot != NULL && discovery_is_known(groups->discovery))
            look(groups, fresh);
        groups_release(groups);
    }
    karta_snapshot_unref(snapshot);
}

/* Whether it is waited for no longer; whoever did goes on. Wants the lock. */
static bool settle(struct watch *watch, int64_t now_ms)
{
    bool settled = watch->listed || reflector_refused(watch->reflector) != 0 ||
                   now_ms - watch->began_ms > PATIENCE_MS;
    if (settled && !watch->settled)
        queue_unblock(watch->groups);
    watch->settled = watch->settled || settled;
    return watch->settled;
}

bool groups_are_settled(struct podgroups *groups)
{
    int64_t now_ms = karta_engine_now_ms();
    bool settled = groups->looked;
    pthread_mutex_lock(&groups->lock);
    for (size_t i = 0; i < groups->watch_count; i++)
        settled = settled && (groups->watches[i]->what == WATCH_WORKLOADS ||
                              settle(groups->watches[i], now_ms));
    pthread_mutex_unlock(&groups->lock);
    return settled;
}

bool groups_know_pods(struct podgroups *groups)
{
    bool known = false;
    pthread_mutex_lock(&groups->lock);
    for (size_t i = 0; i < groups->watch_count; i++)
        if (groups->watches[i]->what == WATCH_PODS)
            known =
                groups->watches[i]->listed && reflector_refused(groups->watches[i]->reflector) == 0;
    pthread_mutex_unlock(&groups->lock);
    return known;
}

/* A watch that is open goes on where its right is taken away; reading shows it. */
static bool is_well(const struct watch *watch, int refused, int64_t now_ms)
{
    bool unreadable = watch->unreadable_ms != 0 && now_ms - watch->unreadable_ms < UNREADABLE_MS;
    return watch->listed && refused != 401 && refused != 403 && !unreadable;
}

void groups_check(struct podgroups *groups)
{
    struct metrics_podgroups_state state = {0};
    int64_t now_ms = karta_engine_now_ms();
    bool leads = groups->config.leads(groups->config.leads_arg), settled = groups->looked;
    pthread_mutex_lock(&groups->lock);
    for (size_t i = 0; i < groups->watch_count; i++) {
        struct watch *watch = groups->watches[i];
        int refused = reflector_refused(watch->reflector);
        bool well = is_well(watch, refused, now_ms);
        settled = settle(watch, now_ms) && settled;
        state.followed += well;
        bool waits = refused == 0 && watch->unreadable_ms == 0;
        state.refused += !waits && !well;
        state.waiting += waits && !well;
        atomic_store(&groups->follows[i], well && watch->what != WATCH_MADE ? watch->kind_id : 0);
    }
    for (size_t i = groups->watch_count; i < WATCHES; i++)
        atomic_store(&groups->follows[i], 0);
    if (leads) {
        state.queued = groups->queues[QUEUE_READY].count + groups->queues[QUEUE_SWEEP].count;
        state.retried = groups->queues[QUEUE_LATER].count;
        state.blocked = groups->queues[QUEUE_BLOCKED].count;
        state.lag_ms = queue_lag_ms(groups, now_ms);
    }
    pthread_mutex_unlock(&groups->lock);
    metrics_podgroups_state(groups->config.metrics, &state);
    if (settled)
        atomic_store(&groups->settled, true);
}
