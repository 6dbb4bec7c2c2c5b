/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ganged workloads as their watches tell. The one idea: of the metadata only a hash is kept; where
 * it is another one, the workload is read again.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/json_text.h"
#include "base/mem.h"
#include "karta/objects.h"
#include "podgroups_internal.h"

/* Of everything that objects may be made from, spec aside: that is what the generation is for. */
uint64_t groups_state(const json_t *metadata)
{
    const json_t *generation = json_object_get(metadata, "generation");
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(generation));
    KARTA_AUTO_TEXT labels =
        json_dumps(json_object_get(metadata, "labels"), JSON_COMPACT | JSON_SORT_KEYS);
    KARTA_AUTO_TEXT annotations =
        json_dumps(json_object_get(metadata, "annotations"), JSON_COMPACT | JSON_SORT_KEYS);
    const char *parts[] = {json_text(metadata, "uid"),
                           generation != NULL ? number : json_text(metadata, "resourceVersion"),
                           labels, annotations};
    return hash_u64(parts, 4);
}

static void leave_crowd(struct podgroups *groups, struct workload *workload)
{
    if (workload->crowd != NULL && workload->crowd->workload == workload)
        workload->crowd->workload = NULL;
    groups_drop_crowd(groups, workload->crowd);
    workload->crowd = NULL;
}

static void leave_brood(struct podgroups *groups, struct workload *workload)
{
    if (workload->brood != NULL && workload->brood->workload == workload)
        workload->brood->workload = NULL;
    groups_drop_brood(groups, workload->brood);
    workload->brood = NULL;
}

static void free_workload(struct podgroups *groups, struct workload *workload)
{
    queue_put(groups, workload, QUEUE_NONE, 0);
    leave_crowd(groups, workload);
    leave_brood(groups, workload);
    free(workload->names);
    free(workload->ns);
    free(workload->uid);
    free(workload);
}

/* Two texts in one allocation, *second behind the first. NULL: memory is out. */
static char *two_texts(const char *first, const char *second, char **behind)
{
    size_t size = strlen(first) + 1;
    char *both = malloc(size + strlen(second) + 1);
    if (both == NULL)
        return NULL;
    memcpy(both, first, size);
    *behind = strcpy(both + size, second);
    return both;
}

static bool take_names(struct workload *workload, const json_t *groups)
{
    size_t count = json_array_size(groups);
    uint64_t *names = mem_array(count + 1, sizeof *names);
    if (names == NULL)
        return false;
    free(workload->names);
    workload->names = names;
    workload->name_count = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = json_text(json_array_get(groups, i), "name");
        if (name[0] != '\0')
            names[workload->name_count++] = hash_u64(&name, 1);
    }
    return true;
}

/* Takes over what the metadata say. False: memory is out. */
static bool learn(struct watch *watch, struct workload *workload, const json_t *metadata,
                  const struct karta_gang *gang)
{
    struct podgroups *groups = watch->groups;
    char *profile = NULL;
    char *uid = two_texts(json_text(metadata, "uid"), gang->profile, &profile);
    if (uid == NULL || !take_names(workload, gang->groups)) {
        free(uid);
        return false;
    }
    leave_crowd(groups, workload);
    leave_brood(groups, workload);
    free(workload->uid);
    workload->uid = uid;
    workload->profile = profile;
    workload->brood = groups_brood(groups, uid);
    workload->crowd = groups_crowd(groups, watch->kind_id, workload->ns, gang->nonce);
    if (workload->brood != NULL)
        workload->brood->workload = workload;
    if (workload->crowd != NULL)
        workload->crowd->workload = workload;
    return workload->brood != NULL && workload->crowd != NULL;
}

/* NULL: there are too many, or memory is out. */
static struct workload *find_or_add(struct watch *watch, uint64_t id, const char *ns,
                                    const char *name)
{
    struct podgroups *groups = watch->groups;
    struct workload *workload = (struct workload *)table_find(&groups->workloads, id);
    if (workload != NULL)
        return workload;
    if (!groups_has_room(groups, &groups->workloads, WORKLOADS) ||
        (workload = calloc(1, sizeof *workload)) == NULL)
        return NULL;
    workload->entry.id = id;
    workload->watch = watch;
    workload->ns = two_texts(ns, name, &workload->name);
    if (workload->ns != NULL && table_add(&groups->workloads, &workload->entry))
        return workload;
    free(workload->ns);
    free(workload);
    return NULL;
}

static void forget(struct podgroups *groups, uint64_t id)
{
    struct table_entry *entry = table_remove(&groups->workloads, id);
    if (entry != NULL)
        free_workload(groups, (struct workload *)entry);
}

static void take(struct watch *watch, const json_t *metadata, const struct karta_gang *gang)
{
    struct podgroups *groups = watch->groups;
    const char *ns = json_text(metadata, "namespace");
    uint64_t id = groups_id(watch->kind_id, ns, json_text(metadata, "name"));
    uint64_t state = groups_state(metadata);
    if (gang == NULL) {
        forget(groups, id);
        return;
    }
    struct workload *workload = find_or_add(watch, id, ns, json_text(metadata, "name"));
    if (workload == NULL)
        return;
    workload->watch = watch; /* a kind may go on under another version */
    workload->round = watch->round;
    if (workload->state == state)
        return;
    if (!learn(watch, workload, metadata, gang)) {
        forget(groups, id);
        return;
    }
    workload->state = state;
    workload->failures = 0;
    workload->done = 0;
    queue_put(groups, workload, watch->listing ? QUEUE_SWEEP : QUEUE_READY, 0);
}

static void on_object(void *arg, const json_t *object)
{
    struct watch *watch = arg;
    const json_t *metadata = json_object_get(object, "metadata");
    bool leaves = json_object_get(metadata, "deletionTimestamp") != NULL;
    struct karta_gang gang = {0};
    json_auto_t *named = json_pack("{s:s, s:s, s:O}", "apiVersion", watch->api_version, "kind",
                                   watch->kind, "metadata", metadata);
    bool ganged =
        named != NULL && karta_gang_read(named, json_text(metadata, "namespace"), &gang) != 0;
    pthread_mutex_lock(&watch->groups->lock);
    take(watch, metadata, ganged && !leaves ? &gang : NULL);
    pthread_mutex_unlock(&watch->groups->lock);
    karta_gang_dispose(&gang);
}

static void on_gone(void *arg, const json_t *object)
{
    struct watch *watch = arg;
    pthread_mutex_lock(&watch->groups->lock);
    take(watch, json_object_get(object, "metadata"), NULL);
    pthread_mutex_unlock(&watch->groups->lock);
}

struct leaving {
    struct podgroups *groups;
    const struct watch *watch;
    bool stale; /* only what the last list did not have */
};

static bool stays(void *arg, struct table_entry *entry)
{
    const struct leaving *leaving = arg;
    struct workload *workload = (struct workload *)entry;
    if (workload->watch != leaving->watch ||
        (leaving->stale && workload->round == leaving->watch->round))
        return true;
    free_workload(leaving->groups, workload);
    return false;
}

void groups_forget_workloads(struct podgroups *groups, const struct watch *watch, bool stale)
{
    struct leaving leaving = {groups, watch, stale};
    table_each(&groups->workloads, stays, &leaving);
}

struct reflector_handler groups_workload_handler(struct watch *watch)
{
    return (struct reflector_handler){
        .present = on_object, .changed = on_object, .gone = on_gone, .arg = watch};
}
