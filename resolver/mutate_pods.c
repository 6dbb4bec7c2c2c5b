/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CREATE of a pod. The one idea: the pod alone says all; one that lacks a key yet gets nothing and
 * is completed when the call is repeated.
 */
#include <string.h>

#include "base/mem.h"
#include "metadata.h"
#include "mutate.h"
#include "pod_memory.h"

/* Pods that no scheduler places as part of a gang: of DaemonSets, and static ones' mirrors. */
static bool is_left_alone(const json_t *pod)
{
    const json_t *owner = metadata_controller(pod);
    const char *kind = json_string_value(json_object_get(owner, "kind"));
    const char *api_version = json_string_value(json_object_get(owner, "apiVersion"));
    bool daemon = kind != NULL && api_version != NULL && strcmp(kind, "DaemonSet") == 0 &&
                  strncmp(api_version, "apps/", 5) == 0;
    return daemon || metadata_deleting(pod) ||
           metadata_annotation(pod, "kubernetes.io/config.mirror") != NULL ||
           metadata_annotation(pod, "kubernetes.io/config.source") != NULL;
}

static const json_t *object_or_null(const json_t *value)
{
    return json_is_null(value) ? NULL : value;
}

/* The pod as an instance whose template it is. */
static struct instance instance_of(const json_t *pod)
{
    const json_t *metadata = json_object_get(pod, "metadata");
    const json_t *spec = json_object_get(pod, "spec");
    return (struct instance){
        .id = (char *)"",
        .path = (char *)"/",
        .labels = {(char *)"/metadata/labels", object_or_null(json_object_get(metadata, "labels"))},
        .annotations = {(char *)"/metadata/annotations",
                        object_or_null(json_object_get(metadata, "annotations"))},
        .scheduler = {(char *)"/spec/schedulerName",
                      object_or_null(json_object_get(spec, "schedulerName"))},
        .spec = {(char *)"/spec", object_or_null(spec)},
        .metadata = metadata,
        .pod_spec = spec};
}

static json_t *input_of(const struct pod_memory *memory, const json_t *pod, const char *name,
                        const char *key)
{
    json_t *subgroup =
        memory->subgroup != NULL ? json_pack("{s:s}", "name", memory->subgroup) : json_null();
    return json_pack("{s:s?, s:{s:s, s:s, s:s, s:O*, s:O*}, s:o, s:O, s:[], s:s?, s:O?}", "queue",
                     memory->queue, "podGroup", "name", name, "group", memory->group, "key", key,
                     "minMember", json_object_get(memory->json, "minMember"), "pods",
                     json_object_get(memory->json, "pods"), "subGroup", subgroup, "template", pod,
                     "podGroups", "role", memory->role, "roles", memory->roles);
}

static int write_pod(struct mutate *mutate, const struct pod_memory *memory, const char *key,
                     struct karta_error *err)
{
    char name[NAME_SIZE];
    const struct instance instance = instance_of(mutate->object);
    int code = name_pod_group(&memory->owner, memory->group, key, memory->nonce, name, err);
    if (code != 0)
        return code;
    json_auto_t *members = input_of(memory, mutate->object, name, key);
    if (members == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    struct jq_input *input = NULL;
    code = jq_input_new(members, &input, err);
    if (code == 0)
        code = mutate_stamp_input(mutate, &instance, input, NULL, "the pod", err);
    jq_input_free(input);
    if (code == 0 && mutate->refusal[0] == '\0')
        code = mutate_finish(mutate, err);
    if (code == 0 && mutate->out->patch != NULL &&
        json_object_set_new(mutate->out->audit, "pod-groups", json_string(name)) != 0)
        code = karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    return code;
}

static int complete(struct mutate *mutate, const struct pod_memory *memory, struct karta_error *err)
{
    KARTA_AUTO_TEXT key = NULL;
    mutate->profile = karta_snapshot_profile(mutate->snapshot, memory->profile);
    if (mutate->profile == NULL)
        mutate_refuse(mutate, "no profile \"%.60s\" is loaded", memory->profile);
    else if (pod_memory_key(memory, mutate->object, &key, err)) {
        int code = mutate_compile(mutate, err);
        if (code == 0)
            code = write_pod(mutate, memory, key, err);
        if (code != 0)
            return code;
        if (mutate->out->patch != NULL)
            mutate->out->profile = strdup(mutate->profile->name);
    }
    if (mutate->refusal[0] != '\0')
        mutate_warn(mutate->out, "not grouped: %s", mutate->refusal);
    return err->code;
}

int karta_mutate_pod(const struct karta_snapshot *snapshot, const json_t *pod,
                     const struct karta_mutate_options *options, struct karta_mutation *mutation,
                     struct karta_error *err)
{
    struct karta_error own = {0};
    struct karta_error *error = err != NULL ? err : &own;
    struct mutate mutate = {
        .snapshot = snapshot, .object = pod, .options = options, .out = mutation};
    struct pod_memory memory = {0};
    int code = mutate_begin(&mutate, error);
    if (code == 0 && !is_left_alone(pod) && pod_memory_read(pod, mutate.ns, &memory))
        code = complete(&mutate, &memory, error);
    pod_memory_dispose(&memory);
    mutate_end(&mutate);
    return code;
}
