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
#include "pod_memory.h"
#include "snapshot.h"

struct update {
    struct mutate base;
    const json_t *old_object;
    struct gang_memory memory; /* of the old object: it is ganged */
    struct resolved *now, *before;
};

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

static int want_back(struct update *update, const char *map, const char *key,
                     struct karta_error *err)
{
    const json_t *before = json_object_get(update->old_object, "metadata");
    json_t *value = json_object_get(json_object_get(before, map), key);
    return value != NULL ? mutate_want_on_workload(&update->base, map, key, value, err) : 0;
}

/* Label and annotation back as they were, for when nothing can be computed anew. */
static int copy_memory(struct update *update, struct karta_error *err)
{
    int code = want_back(update, "labels", KEY_PROFILE, err);
    return code == 0 ? want_back(update, "annotations", KEY_GANG, err) : code;
}

/* The old object's instance that this one was, or NULL where it is new. */
static const struct instance *old_instance(const struct update *update, size_t component,
                                           const struct instance *instance)
{
    const struct instance *old = resolved_instance(update->before, component, instance->id);
    return old != NULL && instance_has_template(old) ? old : NULL;
}

/* All labels or annotations of the old template. */
static int copy_map(struct update *update, const struct instance *instance,
                    const struct instance *old, enum key_place place, struct karta_error *err)
{
    const char *key;
    json_t *value;
    int code = 0;
    json_object_foreach((json_t *)mutate_spot(old, place)->value, key, value)
    {
        if (code == 0)
            code = mutate_want(&update->base, instance, place, key, value, err);
    }
    return code;
}

/* A scheduler's name back where it was dropped: templates are immutable, and this is in them. */
static int copy_scheduler(struct update *update, const struct instance *instance,
                          const struct instance *old, struct karta_error *err)
{
    const json_t *now = instance->scheduler.value;
    bool dropped = now == NULL || (json_is_string(now) && json_string_length(now) == 0);
    if (!dropped || old->scheduler.value == NULL || instance->scheduler.path == NULL)
        return 0;
    return wanted_put(update->base.wanted, instance->scheduler.path, (json_t *)old->scheduler.value,
                      err);
}

/* A priority class that was filled in, where it was dropped. */
static int restore_class(struct update *update, const struct instance *instance,
                         const struct instance *old, struct karta_error *err)
{
    const char *class = json_string_value(old->priority_class.value);
    bool ours = class != NULL && same_text(class, update->memory.priority_class);
    return ours ? mutate_want_class(&update->base, instance, err) : 0;
}

static int copy_template(struct update *update, const struct instance *instance,
                         const struct instance *old, struct karta_error *err)
{
    int code = copy_map(update, instance, old, KEY_LABEL, err);
    if (code == 0)
        code = copy_map(update, instance, old, KEY_ANNOTATION, err);
    if (code == 0)
        code = copy_scheduler(update, instance, old, err);
    return code == 0 ? restore_class(update, instance, old, err) : code;
}

/* Templates' metadata back whole, where no profile says which keys are ours. */
static int copy_templates(struct update *update, struct karta_error *err)
{
    int code = 0;
    for (size_t c = 0; code == 0 && c < update->now->count; c++)
        for (size_t i = 0; code == 0 && i < update->now->components[c].count; i++) {
            const struct instance *instance = &update->now->components[c].instances[i];
            const struct instance *old = old_instance(update, c, instance);
            if (old != NULL)
                code = copy_template(update, instance, old, err);
        }
    return code;
}

/* One of the profile's keys, as the old template had it. */
static int restore_key(struct update *update, const struct instance *instance,
                       const struct instance *old, const struct profile_key *key,
                       struct karta_error *err)
{
    json_t *value = key->place == KEY_FIELD
                        ? karta_pointer_get(old->spec.value, key->key)
                        : json_object_get(mutate_spot(old, key->place)->value, key->key);
    if (value == NULL || json_is_null(value))
        return 0;
    return mutate_want(&update->base, instance, key->place, key->key, value, err);
}

/* What a template whose group is one per replica tells its pods. */
static int restore_phase(struct update *update, const struct instance *instance,
                         const struct instance *old, struct karta_error *err)
{
    json_t *label = json_object_get(old->labels.value, KEY_POD_PHASE);
    json_t *annotation = json_object_get(old->annotations.value, KEY_POD_GROUP);
    if (!json_is_string(label) || !json_is_string(annotation))
        return 0;
    int code = mutate_want(&update->base, instance, KEY_LABEL, KEY_POD_PHASE, label, err);
    return code == 0 ? mutate_want(&update->base, instance, KEY_ANNOTATION, KEY_POD_GROUP,
                                   annotation, err)
                     : code;
}

static int restore(struct update *update, const struct instance *instance,
                   const struct instance *old, struct karta_error *err)
{
    const struct karta_profile *profile = update->base.profile;
    int code = 0;
    for (size_t k = 0; code == 0 && k < profile->key_count; k++)
        code = restore_key(update, instance, old, &profile->keys[k], err);
    if (code == 0)
        code = restore_phase(update, instance, old, err);
    if (code == 0)
        code = restore_class(update, instance, old, err);
    bool ours = profile->scheduler_name != NULL && old->scheduler.value != NULL &&
                instance->scheduler.path != NULL;
    if (code != 0 || !ours)
        return code;
    return wanted_put(update->base.wanted, instance->scheduler.path, (json_t *)old->scheduler.value,
                      err);
}

static int restore_component(struct update *update, size_t c, struct karta_error *err)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < update->now->components[c].count; i++) {
        const struct instance *instance = &update->now->components[c].instances[i];
        const struct instance *old = old_instance(update, c, instance);
        bool ours = !instance->late || update->base.profile->late_join;
        if (ours && old != NULL && instance_has_template(instance))
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

/* All keys of a new template, or none of them and a warning. */
static int stamp_whole(struct update *update, const struct plan *plan, const struct place *place,
                       struct karta_error *err)
{
    struct mutate *base = &update->base;
    json_t *before = base->wanted;
    json_auto_t *own = json_object();
    if (own == NULL)
        return mem_error(err);
    base->wanted = own;
    int code = mutate_stamp(base, update->now, plan, place, NULL, err);
    base->wanted = before;
    if (base->refusal[0] != '\0')
        mutate_warn(base->out, "not added to the gang: %s", base->refusal);
    else if (code == 0 && json_object_update_recursive(before, own) != 0)
        code = mem_error(err);
    base->refusal[0] = '\0';
    return code;
}

/* Templates that weren't there before get the keys. */
static int stamp_new(struct update *update, const struct plan *plan, struct karta_error *err)
{
    int code = 0;
    for (size_t p = 0; code == 0 && p < plan->place_count; p++) {
        const struct place *place = &plan->places[p];
        const struct instance *instance =
            &update->now->components[place->component].instances[place->instance];
        bool late = place->late && !update->base.profile->late_join;
        if (!late && old_instance(update, place->component, instance) == NULL)
            code = stamp_whole(update, plan, place, err);
    }
    return code;
}

static int apply_minimum(struct update *update, struct plan *plan, bool changed,
                         struct karta_error *err)
{
    if (mutate_keep_shape(&update->memory, plan))
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
    if (code == 0 && base->definition->group_count == 0)
        code = plan_leaves(update->now, &plan, err);
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
    base->owner = &update->memory.owner;
    base->nonce = update->memory.nonce;
    base->priority_class = update->memory.priority_class;
    base->definition = karta_snapshot_find_for(base->snapshot, base->object);
    base->profile = karta_snapshot_profile(base->snapshot, update->memory.profile);
    if (base->definition == NULL) {
        mutate_warn(base->out, "its gang stays as it was: no definition covers its kind any more");
        return copy_memory(update, err);
    }
    int code = mutate_compile(base, err);
    if (code == 0)
        code = resolve(base->definition, base->object, base->deadline_ms, &update->now, err);
    if (code == 0)
        code =
            resolve(base->definition, update->old_object, base->deadline_ms, &update->before, err);
    if (code == 0 && base->profile == NULL) {
        mutate_warn(base->out, "its gang stays as it was: no profile \"%.60s\" is loaded",
                    update->memory.profile);
        code = copy_memory(update, err);
        return code == 0 ? copy_templates(update, err) : code;
    }
    if (code == 0) {
        /* a queue that nobody named on the workload was filled in, and stays */
        if (mutate_named_queue(base, update->old_object) == NULL)
            base->policy_queue = update->memory.queue;
        base->queue = mutate_queue(base);
        code = restore_all(update, err);
    }
    return code == 0 ? replan(update, err) : code;
}

/* An update that could not be computed still loses nothing that needs no computing. */
static void keep_memory(struct update *update)
{
    struct mutate *base = &update->base;
    struct karta_error own = {0};
    json_object_clear(base->wanted);
    if (copy_memory(update, &own) == 0)
        mutate_finish(base, &own);
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
    if (code != 0 && ganged)
        keep_memory(&update);
    if (code == 0 && mutation->denial == NULL)
        code = mutate_finish(&update.base, error);
    if (code == 0 && update.base.refusal[0] != '\0')
        mutate_warn(mutation, "its gang could not be restored: %s", update.base.refusal);
    resolved_free(update.now);
    resolved_free(update.before);
    gang_memory_dispose(&update.memory);
    mutate_end(&update.base);
    return code;
}
