/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CREATE. The one idea: every condition of gangs.md section 1 in its order; whichever fails leaves
 * the object alone, and only who opted in hears of it.
 */
#include <string.h>

#include "base/mem.h"
#include "metadata.h"
#include "mutate.h"
#include "snapshot.h"

/* Opted in by the user: what deserves a warning where it isn't ganged. */
static bool user_opted_in(const struct mutate *mutate)
{
    const char *inject = metadata_either(mutate->object, KEY_INJECT);
    const char *label = mutate->profile->queue_label;
    return mutate->options->opted_in || (inject != NULL && strcmp(inject, "true") == 0) ||
           (label != NULL && metadata_label(mutate->object, label) != NULL) ||
           metadata_either(mutate->object, KEY_QUEUE) != NULL;
}

static bool opted_out(const char *inject)
{
    return inject != NULL && strcmp(inject, "false") == 0;
}

/* Left alone: with a warning where the user asked for more. */
static int leave(struct mutate *mutate, const char *reason)
{
    if (user_opted_in(mutate))
        mutate_warn(mutate->out, "not ganged: %s", reason);
    return 0;
}

/* The definition of an owner that gangs the pods itself; NULL: none does. */
static const struct karta_definition *ganging_owner(const struct mutate *mutate)
{
    const json_t *owner = metadata_controller(mutate->object);
    const struct karta_definition *definition =
        owner != NULL ? karta_snapshot_find_for(mutate->snapshot, owner) : NULL;
    return definition != NULL && karta_definition_gangs(definition) ? definition : NULL;
}

static bool excluded(const struct mutate *mutate)
{
    const struct gvk *gvk = definition_gvk(mutate->definition);
    for (size_t i = 0; i < mutate->options->excluded_kind_count; i++) {
        const struct karta_group_kind *kind = &mutate->options->excluded_kinds[i];
        if (strcmp(kind->group, gvk->group) == 0 && strcmp(kind->kind, gvk->kind) == 0)
            return true;
    }
    return false;
}

/* A gang whose objects never come would wait for ever, silently. New text; NULL: they come. */
static char *unmade_reason(const struct mutate *mutate, const char *group, const char *kind)
{
    const struct karta_mutate_options *options = mutate->options;
    if (mutate->definition->group_count == 0 || mutate->profile->object_count == 0 ||
        options->follows == NULL || options->follows(options->follows_arg, group, kind))
        return NULL;
    return mem_format("what profile %s needs beside the pods can't be made: %s%s%s isn't watched",
                      mutate->profile->name, kind, group[0] != '\0' ? "." : "", group);
}

/* Why the kind isn't ganged at all: new text, or NULL where it may be. */
static char *kind_reason(const struct mutate *mutate)
{
    const struct gvk *gvk = definition_gvk(mutate->definition);
    if (excluded(mutate))
        return mem_format("%s is excluded by --exclude-kind", gvk->kind);
    if (mutate->definition->group_count == 0 && mutate->profile->require_gang)
        return mem_format("definition %s has no gang instructions", mutate->definition->name);
    const struct karta_definition *owner = ganging_owner(mutate);
    if (owner != NULL)
        return mem_format("its owner's kind is ganged by definition %s", owner->name);
    char *reason = profile_refuses(mutate->profile, gvk->group, gvk->kind);
    return reason != NULL ? reason : unmade_reason(mutate, gvk->group, gvk->kind);
}

static bool template_opts_out(const struct resolved *resolved)
{
    for (size_t c = 0; c < resolved->count; c++)
        for (size_t i = 0; i < resolved->components[c].count; i++) {
            const struct instance *instance = &resolved->components[c].instances[i];
            const json_t *labels = instance->labels.value;
            const json_t *annotations = instance->annotations.value;
            if (opted_out(json_string_value(json_object_get(labels, KEY_INJECT))) ||
                opted_out(json_string_value(json_object_get(annotations, KEY_INJECT))))
                return true;
        }
    return false;
}

/* A gang is two pods or more that start together; one whose pods name it comes later. */
static void check_gangs(struct mutate *mutate, const struct plan *plan)
{
    const struct planned_group *largest = NULL;
    for (size_t g = 0; g < plan->group_count; g++) {
        const struct planned_group *group = &plan->groups[g];
        if (largest == NULL || group->min_member > largest->min_member)
            largest = group;
    }
    if (plan->reason[0] != '\0')
        mutate_refuse(mutate, "%s", plan->reason);
    for (size_t g = 0; g < plan->group_count; g++) {
        KARTA_AUTO_TEXT unmade =
            plan->groups[g].per_replica ? unmade_reason(mutate, "", "Pod") : NULL;
        if (unmade != NULL)
            mutate_refuse(mutate, "%s", unmade);
    }
    if (!mutate->profile->require_gang || (largest != NULL && largest->min_member > 1))
        return;
    if (largest == NULL)
        mutate_refuse(mutate, "it has no pods that belong together");
    else
        mutate_refuse(mutate, "pod group %s starts with %lld pod%s; a gang is two or more",
                      largest->definition->name, (long long)largest->min_member,
                      largest->min_member == 1 ? "" : "s");
}

/* Refused or denied: nothing more is to be done. */
static bool is_left(const struct mutate *mutate)
{
    return mutate->refusal[0] != '\0' || mutate->out->denial != NULL;
}

static int write_all(struct mutate *mutate, const struct resolved *resolved, struct plan *plan,
                     const struct gang_owner *owner, const char *nonce,
                     const struct gang_memory *foreign, struct karta_error *err)
{
    int code = mutate_ask_profile(mutate, plan, err);
    for (size_t p = 0; code == 0 && p < plan->place_count && !is_left(mutate); p++)
        if (!plan->places[p].late || mutate->profile->late_join)
            code = mutate_stamp(mutate, resolved, plan, &plan->places[p], foreign, err);
    if (code != 0 || is_left(mutate))
        return code;
    code = mutate_remember(mutate, plan, owner, nonce, err);
    if (code == KARTA_ERR_LIMIT) {
        mutate_refuse(mutate, "%s", err != NULL ? err->message : "");
        karta_error_init(err);
        return 0;
    }
    return code == 0 ? mutate_audit(mutate, plan, err) : code;
}

static int plan_and_write(struct mutate *mutate, const struct resolved *resolved,
                          struct karta_error *err)
{
    const struct gvk *gvk = definition_gvk(mutate->definition);
    struct gang_owner owner = gang_owner_of(mutate->object, gvk->group, gvk->kind, mutate->ns);
    KARTA_CLEANUP(gang_memory_dispose) struct gang_memory carried;
    KARTA_CLEANUP(plan_dispose) struct plan plan = {0};
    char nonce[NONCE_SIZE];
    bool own = gang_memory_read(mutate->object, mutate->ns, &carried) &&
               !gang_memory_submitted(mutate->object);
    int code = name_nonce(mutate->options->uid != NULL ? mutate->options->uid : "", nonce, err);
    if (code == 0 && own)
        memcpy(nonce, carried.nonce, NONCE_SIZE);
    const struct plan_identity identity = {&owner, nonce, own ? &carried : NULL};
    if (code == 0)
        code = plan_make(resolved, &identity, &plan, err);
    if (code == 0)
        code = mutate_minimum(mutate, &plan, MINIMUM_APPLY, err);
    if (code == 0 && mutate->definition->group_count == 0)
        code = plan_leaves(resolved, &plan, err);
    if (code != 0 || mutate->out->denial != NULL)
        return code;
    check_gangs(mutate, &plan);
    mutate->owner = &owner;
    mutate->nonce = nonce;
    return mutate->refusal[0] != '\0'
               ? 0
               : write_all(mutate, resolved, &plan, &owner, nonce, own ? NULL : &carried, err);
}

static int resolve_and_write(struct mutate *mutate, struct karta_error *err)
{
    struct resolved *resolved = NULL;
    int code = mutate_compile(mutate, err);
    if (code == 0)
        code = resolve(mutate->definition, mutate->object, mutate->deadline_ms, &resolved, err);
    if (code == 0 && !template_opts_out(resolved))
        code = plan_and_write(mutate, resolved, err);
    if (code == 0 && !is_left(mutate))
        code = mutate_finish(mutate, err);
    resolved_free(resolved);
    return code == 0 && mutate->refusal[0] != '\0' ? leave(mutate, mutate->refusal) : code;
}

static int create(struct mutate *mutate, struct karta_error *err)
{
    const char *inject = metadata_either(mutate->object, KEY_INJECT);
    if (opted_out(inject) || metadata_deleting(mutate->object))
        return 0;
    if (inject != NULL && strcmp(inject, "true") != 0)
        mutate_warn(mutate->out, KEY_INJECT " is \"%.60s\"; it is true or false", inject);
    if (!user_opted_in(mutate) && !mutate->options->gang_all)
        return 0;
    mutate->definition = karta_snapshot_find_for(mutate->snapshot, mutate->object);
    if (mutate->definition == NULL) {
        struct gvk gvk = {0};
        if (gvk_of_object(mutate->object, &gvk, NULL) != 0)
            return leave(mutate, "the object has no apiVersion or kind");
        KARTA_AUTO_TEXT kind = gvk_text(gvk.group, gvk.version, gvk.kind);
        gvk_dispose(&gvk);
        KARTA_AUTO_TEXT reason = mem_format("no definition covers %s", kind != NULL ? kind : "it");
        return leave(mutate, reason != NULL ? reason : "no definition covers it");
    }
    KARTA_AUTO_TEXT reason = kind_reason(mutate);
    if (reason != NULL)
        return leave(mutate, reason);
    mutate->queue_named = mutate_named_queue(mutate, mutate->object) != NULL;
    int code = mutate_defaults(mutate, err);
    mutate->queue = mutate_queue(mutate);
    return code == 0 ? resolve_and_write(mutate, err) : code;
}

int karta_mutate_create(const struct karta_snapshot *snapshot, const json_t *object,
                        const struct karta_mutate_options *options, struct karta_mutation *mutation,
                        struct karta_error *err)
{
    struct karta_error own = {0};
    struct karta_error *error = err != NULL ? err : &own;
    struct mutate mutate = {
        .snapshot = snapshot, .object = object, .options = options, .out = mutation};
    int code = mutate_begin(&mutate, error);
    mutate.profile = karta_snapshot_profile(snapshot, options->profile);
    if (code == 0 && mutate.profile == NULL)
        code = karta_error_set(error, KARTA_ERR_NOT_FOUND, "no profile \"%s\"", options->profile);
    if (code == 0)
        code = create(&mutate, error);
    mutate_end(&mutate);
    return code;
}
