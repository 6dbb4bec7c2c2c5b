/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that we made, as the cluster has them. The one idea: each says what it was made from
 * (annotation workloadmap.dev/source), so after a restart nothing is read that is right already.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json_text.h"
#include "podgroups_internal.h"

/* The uid of its first owner, "" where it has none: ours have one. */
static const char *owner_of(const json_t *metadata)
{
    return json_text(json_array_get(json_object_get(metadata, "ownerReferences"), 0), "uid");
}

static uint64_t source_of(const json_t *metadata)
{
    const char *text = json_text(json_object_get(metadata, "annotations"), PODGROUPS_SOURCE);
    return strlen(text) == 16 ? strtoull(text, NULL, 16) : 0;
}

static void leave(struct podgroups *groups, struct made *made)
{
    struct brood *brood = made->brood;
    if (brood == NULL)
        return;
    struct made **place = &brood->made;
    while (*place != made)
        place = &(*place)->next;
    *place = made->next;
    made->brood = NULL;
    if (brood->workload != NULL)
        brood->workload->ends++;
    groups_stir(groups, brood->workload);
    groups_drop_brood(groups, brood);
}

static void join(struct made *made, struct brood *brood)
{
    made->brood = brood;
    made->next = brood->made;
    brood->made = made;
}

static void free_made(struct podgroups *groups, struct made *made)
{
    leave(groups, made);
    free(made->name);
    free(made);
}

void groups_remove_made(struct podgroups *groups, struct made *made)
{
    table_remove(&groups->made, made->entry.id);
    free_made(groups, made);
}

struct made *groups_find_made(struct podgroups *groups, const struct watch *watch, const char *ns,
                              const char *name)
{
    return (struct made *)table_find(&groups->made, groups_id(watch->kind_id, ns, name));
}

static bool set_texts(struct made *made, const json_t *metadata)
{
    const char *name = json_text(metadata, "name"), *uid = json_text(metadata, "uid");
    size_t size = strlen(name) + 1;
    char *both = malloc(size + strlen(uid) + 1);
    if (both == NULL)
        return false;
    memcpy(both, name, size);
    free(made->name);
    made->name = both;
    made->uid = strcpy(both + size, uid);
    made->name_id = hash_u64((const char *const[]){name}, 1);
    return true;
}

static struct made *find_or_add(struct watch *watch, uint64_t id)
{
    struct podgroups *groups = watch->groups;
    struct made *made = (struct made *)table_find(&groups->made, id);
    if (made != NULL || !groups_has_room(groups, &groups->made, MADE) ||
        (made = calloc(1, sizeof *made)) == NULL)
        return made;
    made->entry.id = id;
    made->watch = watch;
    if (table_add(&groups->made, &made->entry))
        return made;
    free(made);
    return NULL;
}

static void take(struct watch *watch, const json_t *metadata)
{
    struct podgroups *groups = watch->groups;
    uint64_t id =
        groups_id(watch->kind_id, json_text(metadata, "namespace"), json_text(metadata, "name"));
    struct made *made = find_or_add(watch, id);
    if (made == NULL)
        return;
    bool same = made->uid != NULL && strcmp(made->uid, json_text(metadata, "uid")) == 0;
    struct brood *brood = groups_brood(groups, owner_of(metadata));
    if (brood == NULL || (!same && !set_texts(made, metadata))) {
        groups_drop_brood(groups, brood);
        groups_remove_made(groups, made);
        return;
    }
    if (made->brood != brood) {
        leave(groups, made);
        join(made, brood);
    }
    made->round = watch->round;
    made->source = source_of(metadata);
}

void groups_note_made(struct watch *watch, const json_t *object)
{
    take(watch, json_object_get(object, "metadata"));
}

/* Of an object that was known: somebody else changed what it says that it was made from. */
static void check_source(struct podgroups *groups, const struct made *made, uint64_t before)
{
    struct workload *workload = made->brood->workload;
    if (workload != NULL && before != made->source && workload->done != made->source)
        groups_stir(groups, workload);
}

static void on_object(void *arg, const json_t *object)
{
    struct watch *watch = arg;
    struct podgroups *groups = watch->groups;
    const json_t *metadata = json_object_get(object, "metadata");
    const char *ns = json_text(metadata, "namespace"), *name = json_text(metadata, "name");
    pthread_mutex_lock(&groups->lock);
    struct made *made = groups_find_made(groups, watch, ns, name);
    bool known = made != NULL;
    uint64_t before = known ? made->source : 0;
    take(watch, metadata);
    made = groups_find_made(groups, watch, ns, name);
    if (known && made != NULL)
        check_source(groups, made, before);
    pthread_mutex_unlock(&groups->lock);
}

static void on_gone(void *arg, const json_t *object)
{
    struct watch *watch = arg;
    const json_t *metadata = json_object_get(object, "metadata");
    pthread_mutex_lock(&watch->groups->lock);
    struct made *made = groups_find_made(watch->groups, watch, json_text(metadata, "namespace"),
                                         json_text(metadata, "name"));
    if (made != NULL)
        groups_remove_made(watch->groups, made);
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
    struct made *made = (struct made *)entry;
    if (made->watch != leaving->watch || (leaving->stale && made->round == leaving->watch->round))
        return true;
    free_made(leaving->groups, made);
    return false;
}

void groups_forget_made(struct podgroups *groups, const struct watch *watch, bool stale)
{
    struct leaving leaving = {groups, watch, stale};
    table_each(&groups->made, stays, &leaving);
}

struct reflector_handler groups_made_handler(struct watch *watch)
{
    return (struct reflector_handler){
        .present = on_object, .changed = on_object, .gone = on_gone, .arg = watch};
}
