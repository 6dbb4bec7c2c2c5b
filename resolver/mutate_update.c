/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UPDATE. The one idea: what the old object says of its gang is put back where the new one dropped
 * or changed it, matched by component and instance id; only what is new is decided anew.
 */
#include <string.h>

#include "base/mem.h"
#include "karta/patch.h"
#include "metadata.h"
#include "mutate.h"
#include "patch.h"
#include "snapshot.h"

struct update {
    struct mutate base;
    const json_t *old_object;
    struct gang_memory memory; /* of the old object: it is ganged */
    struct resolved *now, *before;
};

static int no_memory(struct karta_error *err)
{
    return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_member(const json_t *a, const json_t *b, const char *key)
{
    const json_t *x = json_object_get(a, key), *y = json_object_get(b, key);
    return x == y || (x != NULL && y != NULL && json_equal(x, y));
}

/* Nothing that a gang depends on has changed: finalizers, owners and the like. */
static bool unchanged(const struct update *update)
{
    const json_t *now = json_object_get(update->base.object, "metadata");
    const json_t *before = json_object_get(update->old_object, "metadata");
    return same_member(now, before, "labels") && same_member(now, before, "annotations") &&
           same_member(update->base.object, update->old_object, "spec");
}

/* Label and annotation back as they were, for when nothing can be computed anew. */
static int copy_memory(struct update *update, struct karta_error *err)
{
    const json_t *before = json_object_get(update->old_object, "metadata");
    json_t *label = json_object_get(json_object_get(before, "labels"), KEY_PROFILE);
    json_t *annotation = json_object_get(json_object_get(before, "annotations"), KEY_GANG);
    json_auto_t *tree = json_pack("{s:{s:O*}, s:{s:O}}", "labels", KEY_PROFILE, label,
                                  "annotations", KEY_GANG, annotation);
    if (tree == NULL)
        return no_memory(err);
    return patch_merge(update->base.operations, json_object_get(update->base.object, "metadata"),
                       "/metadata", tree, err);
}

/* The old object's instance that this one was, or NULL where it is new. */
static const struct instance *old_instance(const struct update *update, size_t component,
                                           const struct instance *instance)
{
    const struct instance *old = resolved_instance(update->before, component, instance->id);
    return old != NULL && old->path != NULL ? old : NULL;
}

/* A scheduler's name back where it was dropped: templates are immutable, and this is in them. */
static int copy_scheduler(struct update *update, const struct instance *instance,
                          const struct instance *old, struct karta_error *err)
{
    const json_t *now = json_object_get(instance->pod_spec, "schedulerName");
    json_t *before = json_object_get(old->pod_spec, "schedulerName");
    bool dropped = now == NULL || json_is_null(now) || json_string_length(now) == 0;
    if (!dropped || before == NULL || !json_is_object(instance->pod_spec))
        return 0;
    json_auto_t *spec = json_pack("{s:O}", "schedulerName", before);
    if (spec == NULL)
        return no_memory(err);
    return patch_merge(update->base.operations, instance->pod_spec, instance->spec_path, spec, err);
}

static int copy_template(struct update *update, const struct instance *instance,
                         const struct instance *old, struct karta_error *err)
{
    int code = 0;
    if (json_is_object(old->metadata) && instance->metadata_path != NULL)
        code = patch_merge(update->base.operations, instance->metadata, instance->metadata_path,
                           old->metadata, err);
    return code == 0 ? copy_scheduler(update, instance, old, err) : code;
}

/* Templates' metadata back whole, where no profile says which keys are ours. */
static int copy_templates(struct update *update, struct karta_error *err)
{
    int code = 0;
    for (size_t c = 0; code == 0 && c < update->now->count; c++)
        for (size_t i = 0; code == 0 && i < update->now->components[c].count; i++) {
            const struct instance *instance = &update->now->components[c].instances[i];
            const struct instance *old = old_instance(update, c, instance);
            if (old != NULL && instance->path != NULL)
                code = copy_template(update, instance, old, err);
        }
    return code;
}

/* The profile's keys that the old template had, as a tree over metadata. */
static int old_keys(const struct update *update, const struct instance *old, json_t *metadata,
                    struct karta_error *err)
{
    const struct karta_profile *profile = update->base.profile;
    for (size_t k = 0; k < profile->key_count; k++) {
        const struct profile_key *key = &profile->keys[k];
        if (key->place == KEY_FIELD)
            continue;
        const char *map = key->place == KEY_LABEL ? "labels" : "annotations";
        json_t *value = json_object_get(mutate_map(old, key->place), key->key);
        if (!json_is_string(value))
            continue;
        json_t *inner = json_object_get(metadata, map);
        if (inner == NULL && json_object_set_new(metadata, map, inner = json_object()) != 0)
            return no_memory(err);
        if (json_object_set(json_object_get(metadata, map), key->key, value) != 0)
            return no_memory(err);
    }
    return 0;
}

/* Fields below the pod spec, the scheduler's name among them. */
static int restore_spec(struct update *update, const struct instance *instance,
                        const struct instance *old, struct karta_error *err)
{
    const struct karta_profile *profile = update->base.profile;
    json_t *name = json_object_get(old->pod_spec, "schedulerName");
    json_auto_t *spec = json_object();
    if (spec == NULL)
        return no_memory(err);
    if (profile->scheduler_name != NULL && json_is_string(name) &&
        json_object_set(spec, "schedulerName", name) != 0)
        return no_memory(err);
    int code = 0;
    for (size_t k = 0; code == 0 && k < profile->key_count; k++) {
        const char *pointer = profile->keys[k].key;
        const json_t *value =
            profile->keys[k].place == KEY_FIELD ? karta_pointer_get(old->pod_spec, pointer) : NULL;
        if (value != NULL && !json_is_null(value))
            code = mutate_put_field(spec, pointer, (json_t *)value, err);
    }
    return code == 0 ? patch_merge(update->base.operations, instance->pod_spec, instance->spec_path,
                                   spec, err)
                     : code;
}

static int restore(struct update *update, const struct instance *instance,
                   const struct instance *old, struct karta_error *err)
{
    json_auto_t *metadata = json_object();
    if (metadata == NULL)
        return no_memory(err);
    int code = old_keys(update, old, metadata, err);
    if (code == 0 && instance->metadata_path != NULL)
        code = patch_merge(update->base.operations, instance->metadata, instance->metadata_path,
                           metadata, err);
    return code == 0 && json_is_object(instance->pod_spec)
               ? restore_spec(update, instance, old, err)
               : code;
}

static int restore_component(struct update *update, size_t c, struct karta_error *err)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < update->now->components[c].count; i++) {
        const struct instance *instance = &update->now->components[c].instances[i];
        const struct instance *old = old_instance(update, c, instance);
        bool ours = !instance->late || update->base.profile->late_join;
        if (ours && old != NULL && instance->path != NULL)
            code = restore(update, instance, old, err);
    }
    return code;
}

static int restore_all(struct update *update, struct karta_error *err)
{
    int code = 0;
    for (size_t c = 0; code == 0 && c < update->now->count; c++)
        if (definition_in_gang(update->base.definition, c))
            code = restore_component(update, c, err);
    return code;
}

/* A template that wasn't there before gets the keys; one that can't is named and left. */
static int stamp_new(struct update *update, const struct plan *plan, struct karta_error *err)
{
    int code = 0;
    for (size_t p = 0; code == 0 && p < plan->place_count; p++) {
        const struct place *place = &plan->places[p];
        const struct instance *instance =
            &update->now->components[place->component].instances[place->instance];
        if (old_instance(update, place->component, instance) != NULL ||
            (place->late && !update->base.profile->late_join))
            continue;
        code = mutate_stamp(&update->base, update->now, plan, place, NULL, err);
        if (update->base.refusal[0] != '\0')
            mutate_warn(update->base.out, "not added to the gang: %s", update->base.refusal);
        update->base.refusal[0] = '\0';
    }
    return code;
}

/* The memory's entry for a group, by its name; NULL where it has none. */
static const json_t *remembered(const struct update *update, const struct planned_group *group)
{
    for (size_t i = 0; i < json_array_size(update->memory.groups); i++) {
        const json_t *entry = json_array_get(update->memory.groups, i);
        if (same_text(json_string_value(json_object_get(entry, "name")), group->name))
            return entry;
    }
    return NULL;
}

/*
 * Whether a group has subgroups was decided at CREATE, when its templates got their keys or not,
 * and stays so for life: a minimum that comes later cannot undo what the templates say.
 */
static int apply_minimum(struct update *update, struct plan *plan, bool changed,
                         struct karta_error *err)
{
    bool flat = plan->group_count > 0;
    for (size_t g = 0; g < plan->group_count; g++) {
        const json_t *entry = remembered(update, &plan->groups[g]);
        plan->groups[g].overridden = json_object_get(entry, "subGroups") == NULL;
        flat = flat && plan->groups[g].overridden;
    }
    if (flat)
        return mutate_minimum(&update->base, plan, changed ? MINIMUM_APPLY : MINIMUM_NEAREST, err);
    if (!changed)
        return 0;
    int code = mutate_minimum(&update->base, plan, MINIMUM_CHECK, err);
    if (update->base.out->denial == NULL)
        mutate_warn(update->base.out, KEY_MIN_MEMBER " is read when a workload is created; "
                                                     "its pod groups keep their subgroups");
    return code;
}

static int replan(struct update *update, struct karta_error *err)
{
    struct mutate *base = &update->base;
    KARTA_CLEANUP(plan_dispose) struct plan plan = {0};
    const struct plan_identity identity = {&update->memory.owner, update->memory.nonce,
                                           &update->memory};
    bool changed = !same_text(metadata_annotation(base->object, KEY_MIN_MEMBER),
                              metadata_annotation(update->old_object, KEY_MIN_MEMBER));
    int code = plan_make(update->now, &identity, &plan, err);
    if (code == 0 && plan.reason[0] != '\0') {
        mutate_warn(base->out, "its gang stays as it was: %s", plan.reason);
        return copy_memory(update, err);
    }
    if (code == 0)
        code = apply_minimum(update, &plan, changed, err);
    if (code != 0 || base->out->denial != NULL)
        return code;
    code = stamp_new(update, &plan, err);
    if (code == 0)
        code = mutate_remember(base, &plan, &update->memory.owner, update->memory.nonce, err);
    if (code != KARTA_ERR_LIMIT && code != KARTA_ERR_EXPRESSION)
        return code == 0 ? mutate_audit(base, &plan, err) : code;
    mutate_warn(base->out, "its gang stays as it was: %s", err->message);
    karta_error_init(err);
    return copy_memory(update, err);
}

static int update_ganged(struct update *update, struct karta_error *err)
{
    struct mutate *base = &update->base;
    int64_t deadline_ms = base->options->deadline_ms;
    base->definition = karta_snapshot_find_for(base->snapshot, base->object);
    base->profile = karta_snapshot_profile(base->snapshot, update->memory.profile);
    if (base->definition == NULL) {
        mutate_warn(base->out, "its gang stays as it was: no definition covers its kind any more");
        return copy_memory(update, err);
    }
    int code = resolve(base->definition, base->object, deadline_ms, &update->now, err);
    if (code == 0)
        code = resolve(base->definition, update->old_object, deadline_ms, &update->before, err);
    if (code == 0 && base->profile == NULL) {
        mutate_warn(base->out, "its gang stays as it was: no profile \"%.60s\" is loaded",
                    update->memory.profile);
        code = copy_memory(update, err);
        return code == 0 ? copy_templates(update, err) : code;
    }
    if (code == 0) {
        base->queue = mutate_queue(base);
        code = restore_all(update, err);
    }
    return code == 0 ? replan(update, err) : code;
}

int karta_mutate_update(const struct karta_snapshot *snapshot, const json_t *object,
                        const json_t *old_object, const struct karta_mutate_options *options,
                        struct karta_mutation *mutation, struct karta_error *err)
{
    struct karta_error own = {0};
    struct karta_error *error = err != NULL ? err : &own;
    struct update update = {
        .base = {.snapshot = snapshot, .object = object, .options = options, .out = mutation},
        .old_object = old_object};
    int code = mutate_begin(&update.base, error);
    bool ganged = gang_memory_read(old_object, update.base.ns, &update.memory);
    if (code == 0 && ganged && !metadata_deleting(object) && !unchanged(&update))
        code = update_ganged(&update, error);
    if (code == 0 && mutation->denial == NULL)
        mutate_finish(&update.base);
    resolved_free(update.now);
    resolved_free(update.before);
    gang_memory_dispose(&update.memory);
    json_decref(update.base.operations);
    return code;
}
