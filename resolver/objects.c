/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile's `objects`, once for each pod group. The one idea: what a workload was given at its
 * creation is in its annotation; only counts are read anew.
 */
#include "karta/objects.h"

#include <string.h>

#include "base/mem.h"
#include "metadata.h"
#include "mutate.h"
#include "pod_memory.h"
#include "roles.h"
#include "snapshot.h"

void karta_objects_dispose(struct karta_objects *objects)
{
    json_decref(objects->objects);
    json_decref(objects->per_replica);
    *objects = (struct karta_objects){0};
}

static bool is_text(const json_t *object, const char *key)
{
    return json_string_length(json_object_get(object, key)) > 0;
}

/* What one expression gave: objects, or nothing where the scheduler needs none of this group. */
static int take(const struct karta_profile *profile, size_t index, const struct jq_result *result,
                json_t *objects, struct karta_error *err)
{
    if (result->error != NULL)
        return karta_error_set(err, KARTA_ERR_EXPRESSION, "profile %s: objects[%zu]: %s",
                               profile->name, index, result->error);
    for (size_t i = 0; i < json_array_size(result->values); i++) {
        json_t *object = json_array_get(result->values, i);
        if (json_is_null(object))
            continue;
        if (!is_text(object, "apiVersion") || !is_text(object, "kind") ||
            !is_text(json_object_get(object, "metadata"), "name"))
            return karta_error_set(err, KARTA_ERR_EXPRESSION,
                                   "profile %s: objects[%zu] gives no object with apiVersion, "
                                   "kind and metadata.name",
                                   profile->name, index);
        if (json_array_append(objects, object) != 0)
            return mem_error(err);
    }
    return 0;
}

/* Runs all of them on one group; takes `members`. */
static int evaluate(const struct karta_profile *profile, json_t *members, int64_t deadline_ms,
                    json_t *objects, struct karta_error *err)
{
    struct jq_input *input = NULL;
    struct jq_results results = {0};
    int code = members != NULL ? jq_input_new(members, &input, err) : mem_error(err);
    if (code == 0 && profile->object_count > 0)
        code = jq_program_run(profile->object_program, input, deadline_ms, &results, err);
    for (size_t i = 0; code == 0 && i < profile->object_count; i++)
        code = take(profile, i, &results.parts[i], objects, err);
    jq_results_dispose(&results);
    jq_input_free(input);
    json_decref(members);
    return code;
}

/* The workload's metadata, its namespace stated even where the manifest leaves it to kubectl. */
static json_t *metadata_of(const json_t *object, const char *ns)
{
    json_t *metadata = json_copy(json_object_get(object, "metadata"));
    if (metadata != NULL && json_object_set_new(metadata, "namespace", json_string(ns)) == 0)
        return metadata;
    json_decref(metadata);
    return NULL;
}

/* Which groups per replica are asked for, and what names them. */
struct wanted_replicas {
    const struct karta_object_options *options;
    const struct gang_memory *memory;
};

/* A group per replica as its own pods know it: they carry no subgroup. */
static int as_replica(json_t *group, const char *name, const char *key)
{
    json_object_del(group, "perReplica");
    json_object_del(group, "count");
    json_object_del(group, "subGroups");
    int failed = json_object_set_new(group, "name", json_string(name));
    return failed | json_object_set_new(group, "key", json_string(key));
}

/* `name` and `key`: of one of a group per replica; NULL otherwise. */
static json_t *input_of(const struct mutate *mutate, const struct resolved *resolved,
                        const struct plan *plan, size_t g, const char *name, const char *key,
                        struct karta_error *err)
{
    json_auto_t *group = plan_group_json(&plan->groups[g], true);
    if (group == NULL || (name != NULL && as_replica(group, name, key) != 0))
        return NULL;
    json_t *requests = NULL, *roles = NULL;
    int code = roles_min_requests(resolved, plan, g, &requests, err);
    if (code == 0 && requests != NULL && json_object_set_new(group, "minRequests", requests) != 0)
        code = mem_error(err);
    if (code == 0)
        code = roles_json(resolved, plan, g, false, &roles, err);
    if (code != 0)
        return NULL;
    return json_pack("{s:O, s:o, s:s?, s:s, s:o, s:o}", "podGroup", group, "podGroups",
                     plan_groups_json(plan, true), "queue", mutate->queue, "profile",
                     mutate->profile->name, "roles", roles, "workload",
                     metadata_of(mutate->object, mutate->ns));
}

static int note_per_replica(const struct planned_group *group, json_t *list,
                            struct karta_error *err)
{
    json_t *count = group->replicas.said ? json_integer(group->replicas.value) : json_null();
    json_t *entry = json_pack("{s:s, s:o}", "group", group->definition->name, "count", count);
    return json_array_append_new(list, entry) == 0 ? 0 : mem_error(err);
}

static int evaluate_group(const struct mutate *mutate, const struct resolved *resolved,
                          const struct plan *plan, size_t g, const char *name, const char *key,
                          json_t *objects, struct karta_error *err)
{
    const struct planned_group *group = &plan->groups[g];
    if (group->pods <= 0 || group->min_member <= 0)
        return 0;
    json_t *members = input_of(mutate, resolved, plan, g, name, key, err);
    if (members == NULL)
        return err->code != 0 ? err->code : mem_error(err);
    return evaluate(mutate->profile, members, mutate->options->deadline_ms, objects, err);
}

static int evaluate_replicas(const struct mutate *mutate, const struct resolved *resolved,
                             const struct plan *plan, size_t g,
                             const struct wanted_replicas *wanted, json_t *objects,
                             struct karta_error *err)
{
    const char *group = plan->groups[g].definition->name;
    int code = 0;
    for (size_t i = 0; code == 0 && i < wanted->options->replica_count; i++) {
        const struct karta_replica *replica = &wanted->options->replicas[i];
        char name[NAME_SIZE];
        if (strcmp(replica->group, group) != 0)
            continue;
        code = name_pod_group(&wanted->memory->owner, group, replica->key, wanted->memory->nonce,
                              name, err);
        if (code == 0)
            code = evaluate_group(mutate, resolved, plan, g, name, replica->key, objects, err);
    }
    return code;
}

static int evaluate_groups(const struct mutate *mutate, const struct resolved *resolved,
                           const struct plan *plan, const struct wanted_replicas *wanted,
                           struct karta_objects *out, struct karta_error *err)
{
    int code = 0;
    for (size_t g = 0; code == 0 && g < plan->group_count; g++) {
        const struct planned_group *group = &plan->groups[g];
        if (mutate->profile->object_count == 0)
            break;
        if (!group->per_replica) {
            code = evaluate_group(mutate, resolved, plan, g, NULL, NULL, out->objects, err);
            continue;
        }
        code = note_per_replica(group, out->per_replica, err);
        if (code == 0)
            code = evaluate_replicas(mutate, resolved, plan, g, wanted, out->objects, err);
    }
    return code;
}

static int plan_objects(struct mutate *mutate, const struct wanted_replicas *wanted,
                        struct karta_objects *out, struct karta_error *err)
{
    const struct gang_memory *memory = wanted->memory;
    struct resolved *resolved = NULL;
    KARTA_CLEANUP(plan_dispose) struct plan plan = {0};
    const struct plan_identity identity = {&memory->owner, memory->nonce, memory};
    int code =
        resolve(mutate->definition, mutate->object, mutate->options->deadline_ms, &resolved, err);
    if (code == 0)
        code = plan_make(resolved, &identity, &plan, err);
    if (code == 0 && plan.reason[0] != '\0')
        code = karta_error_set(err, KARTA_ERR_CONFLICT, "%s", plan.reason);
    if (code == 0 && mutate_keep_shape(memory, &plan))
        code = mutate_minimum(mutate, &plan, MINIMUM_NEAREST, err);
    if (code == 0)
        code = evaluate_groups(mutate, resolved, &plan, wanted, out, err);
    resolved_free(resolved);
    return code;
}

static int find_parts(struct mutate *mutate, const char *profile, struct karta_error *err)
{
    mutate->definition = karta_snapshot_find_for(mutate->snapshot, mutate->object);
    mutate->profile = karta_snapshot_profile(mutate->snapshot, profile);
    if (mutate->definition == NULL)
        return karta_error_set(err, KARTA_ERR_NOT_FOUND, "no definition covers its kind");
    if (mutate->profile == NULL)
        return karta_error_set(err, KARTA_ERR_NOT_FOUND, "no profile \"%.60s\" is loaded", profile);
    mutate->queue = mutate_queue(mutate);
    return 0;
}

static int begin(struct karta_objects *objects, struct karta_error *err)
{
    *objects = (struct karta_objects){json_array(), json_array()};
    return objects->objects != NULL && objects->per_replica != NULL ? 0 : mem_error(err);
}

int karta_group_objects(const struct karta_snapshot *snapshot, const json_t *object,
                        const struct karta_object_options *options, struct karta_objects *objects,
                        struct karta_error *err)
{
    struct karta_error own = {0};
    struct karta_error *error = err != NULL ? err : &own;
    const char *stated = metadata_text(object, "namespace");
    const char *ns = stated != NULL ? stated : (options->ns != NULL ? options->ns : "default");
    struct karta_mutate_options as_mutation = {
        .ns = ns, .default_queue = options->default_queue, .deadline_ms = options->deadline_ms};
    struct karta_mutation unused = {0};
    struct mutate mutate = {
        .snapshot = snapshot, .object = object, .options = &as_mutation, .out = &unused};
    KARTA_CLEANUP(gang_memory_dispose) struct gang_memory memory;
    const struct wanted_replicas wanted = {options, &memory};
    int code = begin(objects, error);
    bool ganged = gang_memory_read(object, ns, &memory);
    if (code == 0 && !ganged)
        code = karta_error_set(error, KARTA_ERR_NOT_FOUND, "it is not ganged");
    if (ganged && memory.queue != NULL)
        as_mutation.default_queue = memory.queue;
    if (code == 0)
        code = mutate_begin(&mutate, error);
    if (code == 0)
        code = find_parts(&mutate, memory.profile, error);
    if (code == 0)
        code = plan_objects(&mutate, &wanted, objects, error);
    mutate_end(&mutate);
    karta_mutation_dispose(&unused);
    return code;
}

static json_t *pod_input(const struct pod_memory *memory, const struct karta_profile *profile,
                         const char *name, const char *key)
{
    return json_pack("{s:s?, s:{s:s, s:s, s:s, s:O*, s:O*}, s:[], s:s, s:O?, s:{s:s, s:s*, s:s*}}",
                     "queue", memory->queue, "podGroup", "name", name, "group", memory->group,
                     "key", key, "minMember", json_object_get(memory->json, "minMember"), "pods",
                     json_object_get(memory->json, "pods"), "podGroups", "profile", profile->name,
                     "roles", memory->roles, "workload", "namespace", memory->owner.ns, "name",
                     memory->owner.name, "generateName", memory->owner.generate_name);
}

static int pod_objects(const struct karta_snapshot *snapshot, const struct pod_memory *memory,
                       const json_t *pod, int64_t deadline_ms, json_t *objects,
                       struct karta_error *err)
{
    const struct karta_profile *profile = karta_snapshot_profile(snapshot, memory->profile);
    KARTA_AUTO_TEXT key = NULL;
    char name[NAME_SIZE];
    if (profile == NULL)
        return karta_error_set(err, KARTA_ERR_NOT_FOUND, "no profile \"%.60s\" is loaded",
                               memory->profile);
    if (!pod_memory_key(memory, pod, &key, err))
        return err->code != 0 ? err->code
                              : karta_error_set(err, KARTA_ERR_NOT_FOUND,
                                                "the pod doesn't name its group yet");
    int code = name_pod_group(&memory->owner, memory->group, key, memory->nonce, name, err);
    return code != 0 ? code
                     : evaluate(profile, pod_input(memory, profile, name, key), deadline_ms,
                                objects, err);
}

int karta_pod_objects(const struct karta_snapshot *snapshot, const json_t *pod,
                      const struct karta_object_options *options, struct karta_objects *objects,
                      struct karta_error *err)
{
    struct karta_error own = {0};
    struct karta_error *error = err != NULL ? err : &own;
    const char *stated = metadata_text(pod, "namespace");
    const char *ns = stated != NULL ? stated : (options->ns != NULL ? options->ns : "default");
    KARTA_CLEANUP(pod_memory_dispose) struct pod_memory memory = {0};
    int code = begin(objects, error);
    if (code == 0 && !pod_memory_read(pod, ns, &memory))
        code = karta_error_set(error, KARTA_ERR_NOT_FOUND, "it is not of a group per replica");
    return code != 0
               ? code
               : pod_objects(snapshot, &memory, pod, options->deadline_ms, objects->objects, error);
}
