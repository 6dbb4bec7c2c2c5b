/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Templates whose group only their pods can name: one template makes the pods of many replicas, so
 * a name in it would merge them. The one idea: the template tells its pods how to find theirs.
 */
#include <string.h>

#include "base/mem.h"
#include "metadata.h"
#include "mutate.h"
#include "pod_memory.h"

/* A key that isn't simply there on the pod could not be read from it. */
static bool keys_are_readable(struct mutate *mutate, const struct place *place)
{
    const struct member *member = place->member;
    for (size_t k = 0; k < member->key_count; k++) {
        const char *where, *key;
        if (jq_expression_metadata_key(member->keys[k], &where, &key))
            continue;
        mutate_refuse(mutate, "key `%.80s` is no path to a label or annotation of a pod",
                      jq_expression_text(member->keys[k]));
        return false;
    }
    return true;
}

/* A user's own group in the template is respected, as everywhere. */
static bool keys_are_free(struct mutate *mutate, const struct instance *instance,
                          const struct gang_memory *foreign, const char *where)
{
    for (size_t k = 0; k < mutate->profile->key_count; k++) {
        const struct profile_key *key = &mutate->profile->keys[k];
        if (!key->identity || key->place == KEY_FIELD)
            continue;
        const char *text =
            json_string_value(json_object_get(mutate_spot(instance, key->place)->value, key->key));
        if (text == NULL || text[0] == '\0' ||
            (foreign != NULL && gang_memory_names(foreign, text)))
            continue;
        mutate_refuse(mutate, "%s has %s \"%.60s\" already", where, key->key, text);
        return false;
    }
    return true;
}

static bool scheduler_is_free(struct mutate *mutate, const struct instance *instance,
                              const char *where)
{
    const char *name = mutate->profile->scheduler_name;
    const char *text = json_string_value(instance->scheduler.value);
    if (name == NULL || text == NULL || text[0] == '\0' || strcmp(text, name) == 0 ||
        strcmp(text, "default-scheduler") == 0)
        return true;
    mutate_refuse(mutate, "%s has schedulerName \"%.60s\" already", where, text);
    return false;
}

int mutate_stamp_replica(struct mutate *mutate, const struct planned_group *group,
                         const struct place *place, const struct instance *instance,
                         const char *role, const struct gang_memory *foreign, const char *where,
                         struct karta_error *err)
{
    if (instance->labels.path == NULL || instance->annotations.path == NULL) {
        mutate_refuse(mutate, "%s has no place for labels and annotations", where);
        return 0;
    }
    if (!keys_are_readable(mutate, place) || !keys_are_free(mutate, instance, foreign, where) ||
        !scheduler_is_free(mutate, instance, where))
        return 0;
    KARTA_AUTO_TEXT text = pod_memory_text(mutate->owner, mutate->nonce, mutate->profile->name,
                                           mutate->queue, group, place, role, mutate->roles);
    json_auto_t *label = json_string("true");
    json_auto_t *annotation = text != NULL ? json_string(text) : NULL;
    if (label == NULL || annotation == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    int code = mutate_want(mutate, instance, KEY_LABEL, KEY_POD_PHASE, label, err);
    return code == 0 ? mutate_want(mutate, instance, KEY_ANNOTATION, KEY_POD_GROUP, annotation, err)
                     : code;
}
