/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods whose group is one per replica. The one idea: which groups there are is counted, not
 * remembered: one is there while a pod names it.
 */
#include <string.h>

#include "base/hash.h"
#include "base/json_text.h"
#include "base/mem.h"
#include "karta/objects.h"
#include "podgroups_internal.h"

static void free_replica(struct podgroups *groups, struct replica *replica)
{
    struct crowd *crowd = replica->crowd;
    struct replica **place = &crowd->replicas;
    while (*place != replica)
        place = &(*place)->next;
    *place = replica->next;
    groups_stir(groups, crowd->workload);
    groups_drop_crowd(groups, crowd);
    free(replica->group);
    free(replica);
}

static void leave(struct podgroups *groups, struct pod *pod)
{
    struct replica *replica = pod->replica;
    pod->replica = NULL;
    if (replica != NULL && --replica->pods == 0)
        free_replica(groups, replica);
}

static struct replica *new_replica(const struct karta_pod_gang *gang, uint64_t name)
{
    struct replica *replica = calloc(1, sizeof *replica);
    size_t size = strlen(gang->group) + 1;
    if (replica == NULL || (replica->group = malloc(size + strlen(gang->key) + 1)) == NULL) {
        free(replica);
        return NULL;
    }
    memcpy(replica->group, gang->group, size);
    replica->key = strcpy(replica->group + size, gang->key);
    replica->name = name;
    return replica;
}

/* NULL: memory is out. */
static struct replica *find_or_add(struct podgroups *groups, const struct karta_pod_gang *gang,
                                   const char *ns)
{
    const char *kind[] = {gang->owner_group, gang->owner_kind};
    const char *text = gang->name;
    uint64_t name = hash_u64(&text, 1);
    struct crowd *crowd = groups_crowd(groups, hash_u64(kind, 2), ns, gang->nonce);
    if (crowd == NULL)
        return NULL;
    struct replica *replica = crowd->replicas;
    while (replica != NULL && (replica->name != name || strcmp(replica->group, gang->group) != 0 ||
                               strcmp(replica->key, gang->key) != 0))
        replica = replica->next;
    if (replica == NULL && (replica = new_replica(gang, name)) != NULL) {
        replica->crowd = crowd;
        replica->next = crowd->replicas;
        crowd->replicas = replica;
        groups_stir(groups, crowd->workload);
    }
    groups_drop_crowd(groups, crowd);
    return replica;
}

static struct pod *find_or_add_pod(struct podgroups *groups, uint64_t id)
{
    struct pod *pod = (struct pod *)table_find(&groups->pods, id);
    if (pod != NULL || !groups_has_room(groups, &groups->pods, PODS) ||
        (pod = calloc(1, sizeof *pod)) == NULL)
        return pod;
    pod->entry.id = id;
    if (table_add(&groups->pods, &pod->entry))
        return pod;
    free(pod);
    return NULL;
}

static void forget(struct podgroups *groups, uint64_t id)
{
    struct pod *pod = (struct pod *)table_remove(&groups->pods, id);
    if (pod != NULL)
        leave(groups, pod);
    free(pod);
}

/* `gang` NULL: it is of no such group, or gone. */
static void take(struct watch *watch, const json_t *metadata, const struct karta_pod_gang *gang)
{
    struct podgroups *groups = watch->groups;
    const char *ns = json_text(metadata, "namespace");
    uint64_t id = groups_id(watch->kind_id, ns, json_text(metadata, "name"));
    struct pod *pod = gang != NULL ? find_or_add_pod(groups, id) : NULL;
    struct replica *replica = pod != NULL ? find_or_add(groups, gang, ns) : NULL;
    if (replica == NULL) {
        forget(groups, id);
        return;
    }
    pod->round = watch->round;
    if (pod->replica == replica)
        return;
    replica->pods++;
    leave(groups, pod);
    pod->replica = replica;
}

static void on_object(void *arg, const json_t *object)
{
    struct watch *watch = arg;
    const json_t *metadata = json_object_get(object, "metadata");
    struct karta_pod_gang gang;
    bool named = karta_pod_gang_read(object, json_text(metadata, "namespace"), &gang) != 0;
    pthread_mutex_lock(&watch->groups->lock);
    take(watch, metadata, named ? &gang : NULL);
    pthread_mutex_unlock(&watch->groups->lock);
    karta_pod_gang_dispose(&gang);
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
    bool stale;
};

static bool stays(void *arg, struct table_entry *entry)
{
    const struct leaving *leaving = arg;
    struct pod *pod = (struct pod *)entry;
    if (leaving->stale && pod->round == leaving->watch->round)
        return true;
    leave(leaving->groups, pod);
    free(pod);
    return false;
}

void groups_forget_pods(struct podgroups *groups, const struct watch *watch, bool stale)
{
    struct leaving leaving = {groups, watch, stale};
    table_each(&groups->pods, stays, &leaving);
}

struct reflector_handler groups_pod_handler(struct watch *watch)
{
    return (struct reflector_handler){
        .present = on_object, .changed = on_object, .gone = on_gone, .arg = watch};
}
