/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One template under a profile's hands. The one idea: what all places share is converted for
 * expressions once, each place adds what is its own; a user's value is never written over.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "karta/patch.h"
#include "mutate.h"
#include "patch.h"
#include "roles.h"

/* Replaces *input by one with these members (taken) over `base`, or over nothing. */
static int derive(const struct jq_input *base, json_t *members, struct jq_input **input,
                  struct karta_error *err)
{
    struct jq_input *made = NULL;
    int code = members == NULL ? mem_error(err)
                               : (base != NULL ? jq_input_derive(base, members, &made, err)
                                               : jq_input_new(members, &made, err));
    json_decref(members);
    if (code != 0)
        return code;
    jq_input_free(*input);
    *input = made;
    return 0;
}

/* What every place shares. A member that no expression reads stays null. */
static int make_base(struct mutate *mutate, const struct plan *plan, struct karta_error *err)
{
    const struct karta_profile *profile = mutate->profile;
    if (mutate->base != NULL)
        return 0;
    json_t *groups = profile->reads_groups ? plan_groups_json(plan, true) : json_null();
    json_t *members = json_pack("{s:n, s:n, s:n, s:o, s:s?, s:n, s:n, s:n, s:n, s:O?}", "component",
                                "instance", "podGroup", "podGroups", groups, "queue", mutate->queue,
                                "role", "roles", "subGroup", "template", "workload",
                                profile->reads_workload ? mutate->object : NULL);
    mutate->group = PLAN_NONE;
    return derive(NULL, members, &mutate->base, err);
}

/* The roles of one group; templates are too much to repeat on the pods of every replica. */
static int make_roles(struct mutate *mutate, const struct resolved *resolved,
                      const struct plan *plan, size_t group, struct karta_error *err)
{
    json_decref(mutate->roles);
    mutate->roles = NULL;
    if (group == PLAN_NONE || !mutate->profile->reads_roles)
        return 0;
    return roles_json(resolved, plan, group, !plan->groups[group].per_replica, &mutate->roles, err);
}

/* What the places of one group share. */
static int make_group(struct mutate *mutate, const struct resolved *resolved,
                      const struct plan *plan, size_t group, struct karta_error *err)
{
    int code = make_base(mutate, plan, err);
    if (code != 0 || (mutate->of_group != NULL && mutate->group == group))
        return code;
    code = make_roles(mutate, resolved, plan, group, err);
    if (code != 0)
        return code;
    json_t *own = group != PLAN_NONE ? plan_group_json(&plan->groups[group], true) : json_null();
    mutate->group = group;
    return derive(mutate->base, json_pack("{s:o, s:O?}", "podGroup", own, "roles", mutate->roles),
                  &mutate->of_group, err);
}

static json_t *subgroup_json(const struct plan *plan, const struct place *place)
{
    const struct planned_group *group =
        place->group != PLAN_NONE ? &plan->groups[place->group] : NULL;
    if (group == NULL || group->overridden || place->subgroup == PLAN_NONE)
        return json_null();
    const struct subgroup *own = &group->subgroups[place->subgroup];
    return json_pack("{s:s, s:I}", "name", own->name, "minMember",
                     (json_int_t)(place->late ? 0 : own->min_member));
}

/* The place's role in `name`; NULL where it has none, or the profile reads none. */
static const char *role_of(const struct mutate *mutate, const struct resolved *resolved,
                           const struct plan *plan, const struct place *place, char name[NAME_SIZE])
{
    if (place->group == PLAN_NONE || !mutate->profile->reads_roles)
        return NULL;
    role_name(resolved, plan, place, name);
    return name;
}

/* The input of the profile's expressions for one place. */
static int place_input(struct mutate *mutate, const struct resolved *resolved,
                       const struct plan *plan, const struct place *place, struct jq_input **input,
                       struct karta_error *err)
{
    const struct resolved_component *component = &resolved->components[place->component];
    const struct instance *instance = &component->instances[place->instance];
    char role[NAME_SIZE];
    int code = make_group(mutate, resolved, plan, place->group, err);
    if (code != 0)
        return code;
    json_t *members = json_pack("{s:o, s:s, s:s, s:s?}", "subGroup", subgroup_json(plan, place),
                                "component", component->definition->name, "instance", instance->id,
                                "role", role_of(mutate, resolved, plan, place, role));
    if (mutate->profile->reads_template &&
        json_object_set_new(members, "template",
                            json_pack("{s:O*, s:O*}", "metadata", instance->metadata, "spec",
                                      instance->pod_spec)) != 0) {
        json_decref(members);
        return mem_error(err);
    }
    return derive(mutate->of_group, members, input, err);
}

/* The template in messages: where it stands, or whose it is. */
struct place_text {
    char text[256];
};

static struct place_text text_of(const struct resolved *resolved, const struct place *place)
{
    const struct resolved_component *component = &resolved->components[place->component];
    const struct instance *instance = &component->instances[place->instance];
    struct place_text out;
    if (instance->path != NULL)
        snprintf(out.text, sizeof out.text, "the template at %s", instance->path);
    else
        snprintf(out.text, sizeof out.text, "the template of %s%s%s", component->definition->name,
                 instance->id[0] != '\0' ? " " : "", instance->id);
    return out;
}

/* One template under the profile's hands. */
struct stamp {
    struct mutate *mutate;
    const struct instance *instance;
    const struct gang_memory *foreign;
    const char *where;
};

/* Whether the value that stands there is to be replaced; false leaves it, or refuses the object. */
static bool replaces(const struct stamp *stamp, const char *key, bool identity,
                     const json_t *existing, const json_t *value)
{
    const char *text = json_string_value(existing);
    if (mutate_is_blank(existing))
        return true;
    if (json_equal(existing, value))
        return false;
    if (identity && stamp->foreign != NULL && text != NULL &&
        gang_memory_names(stamp->foreign, text))
        return true;
    if (identity)
        mutate_refuse(stamp->mutate, "%s has %s \"%.60s\" already", stamp->where, key,
                      text != NULL ? text : "of another type");
    return false;
}

static const char *place_name(enum key_place place)
{
    return place == KEY_LABEL ? "labels" : (place == KEY_ANNOTATION ? "annotations" : "fields");
}

static int stamp_key(const struct stamp *stamp, const struct profile_key *key, json_t *value,
                     struct karta_error *err)
{
    const struct instance *instance = stamp->instance;
    bool field = key->place == KEY_FIELD;
    const struct spot *spot = field ? &instance->spec : mutate_spot(instance, key->place);
    if (json_is_null(value))
        return 0;
    if (spot->path == NULL)
        mutate_refuse(stamp->mutate, "%s has no place for %s", stamp->where,
                      place_name(key->place));
    const json_t *existing =
        field ? karta_pointer_get(spot->value, key->key) : json_object_get(spot->value, key->key);
    if (!replaces(stamp, key->key, key->identity, existing, value))
        return 0;
    return mutate_want(stamp->mutate, instance, key->place, key->key, value, err);
}

static int stamp_scheduler(const struct stamp *stamp, struct karta_error *err)
{
    const char *name = stamp->mutate->profile->scheduler_name;
    const struct spot *spot = &stamp->instance->scheduler;
    const char *text = json_string_value(spot->value);
    if (name == NULL || (text != NULL && strcmp(text, name) == 0))
        return 0;
    if (spot->path == NULL)
        mutate_refuse(stamp->mutate, "%s has no place for a schedulerName", stamp->where);
    else if (!mutate_is_blank(spot->value) &&
             (text == NULL || strcmp(text, "default-scheduler") != 0))
        mutate_refuse(stamp->mutate, "%s has schedulerName \"%.60s\" already", stamp->where,
                      text != NULL ? text : "of another type");
    if (stamp->mutate->refusal[0] != '\0')
        return 0;
    json_auto_t *value = json_string(name);
    return value != NULL ? wanted_put(stamp->mutate->wanted, spot->path, value, err)
                         : mem_error(err);
}

static int stamp_values(const struct stamp *stamp, const json_t *values, struct karta_error *err)
{
    const struct karta_profile *profile = stamp->mutate->profile;
    int code = 0;
    for (size_t k = 0; code == 0 && k < profile->key_count; k++)
        code = stamp_key(stamp, &profile->keys[k], json_array_get(values, k), err);
    return code == 0 ? stamp_scheduler(stamp, err) : code;
}

int mutate_stamp_input(struct mutate *mutate, const struct instance *instance,
                       const struct jq_input *input, const struct gang_memory *foreign,
                       const char *where, struct karta_error *err)
{
    const struct karta_profile *profile = mutate->profile;
    const struct stamp stamp = {mutate, instance, foreign, where};
    json_auto_t *values = NULL;
    int code = profile_evaluate(profile->keys, profile->key_count, profile->program, input,
                                mutate->deadline_ms, &values, err);
    if (code == 0)
        return stamp_values(&stamp, values, err);
    karta_error_wrap(err, code, "profile %s", profile->name);
    return code == KARTA_ERR_SCHEMA ? mutate_deny_value(mutate, err) : code;
}

static int stamp_replica(struct mutate *mutate, const struct resolved *resolved,
                         const struct plan *plan, const struct place *place,
                         const struct gang_memory *foreign, const char *where,
                         struct karta_error *err)
{
    const struct instance *instance =
        &resolved->components[place->component].instances[place->instance];
    char role[NAME_SIZE];
    int code = make_roles(mutate, resolved, plan, place->group, err);
    if (code != 0)
        return code;
    return mutate_stamp_replica(mutate, &plan->groups[place->group], place, instance,
                                role_of(mutate, resolved, plan, place, role), foreign, where, err);
}

int mutate_stamp(struct mutate *mutate, const struct resolved *resolved, const struct plan *plan,
                 const struct place *place, const struct gang_memory *foreign,
                 struct karta_error *err)
{
    const struct instance *instance =
        &resolved->components[place->component].instances[place->instance];
    const struct place_text where = text_of(resolved, place);
    if (place->repeated)
        return 0;
    if (instance->path != NULL && !json_is_object(instance->pod_spec))
        mutate_refuse(mutate, "%s has no pod spec", where.text);
    if (mutate->refusal[0] != '\0')
        return 0;
    int code = mutate_want_class(mutate, instance, err);
    if (code != 0)
        return code;
    if (place->group != PLAN_NONE && plan->groups[place->group].per_replica &&
        mutate->profile->names_groups)
        return stamp_replica(mutate, resolved, plan, place, foreign, where.text, err);
    struct jq_input *input = NULL;
    code = place_input(mutate, resolved, plan, place, &input, err);
    if (code == 0)
        code = mutate_stamp_input(mutate, instance, input, foreign, where.text, err);
    jq_input_free(input);
    return code;
}
