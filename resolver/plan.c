/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a resolved workload to its pod groups. The one idea: every template is a place, every place
 * belongs to a member of a pod group; places of one group and one key are one gang.
 */
#include "plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/strbuf.h"
#include "member.h"
#include "pod_keys.h"
#include "scale.h"

struct planner {
    const struct resolved *resolved;
    const struct plan_identity *identity;
    struct plan *plan;
    size_t group_room;
};

void plan_refuse(struct plan *plan, const char *format, ...)
{
    if (plan->reason[0] != '\0')
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(plan->reason, sizeof plan->reason, format, args);
    va_end(args);
}

void plan_dispose(struct plan *plan)
{
    for (size_t g = 0; g < plan->group_count; g++) {
        free(plan->groups[g].key);
        free(plan->groups[g].subgroups);
        json_decref(plan->groups[g].requests);
    }
    free(plan->groups);
    free(plan->places);
    *plan = (struct plan){0};
}

static bool name_taken(const struct planned_group *group, const char *name)
{
    for (size_t i = 0; i < group->subgroup_count; i++)
        if (strcmp(group->subgroups[i].name, name) == 0)
            return true;
    return false;
}

/* Puts a hash of what the label was made of behind it; `salt` tells apart what repeats even so. */
static int hash_label(const char *component, const char *id, const char *salt, char name[NAME_SIZE],
                      struct karta_error *err)
{
    char hex[9];
    const char *parts[] = {component, id, salt};
    if (hash_hex8(parts, salt[0] != '\0' ? 3 : 2, hex) != 0)
        return karta_error_set(err, KARTA_ERR_INTERNAL, "cannot hash a subgroup's name");
    name_dns_label(id[0] != '\0' ? id : component, name);
    size_t size = strlen(name);
    size = size > NAME_SIZE - 10 ? NAME_SIZE - 10 : size;
    snprintf(name + size, NAME_SIZE - size, size > 0 ? "-%s" : "%s", hex);
    return 0;
}

/* The id or the component as a DNS label; where that loses something, a hash tells it apart. */
static int name_subgroup(const struct planned_group *group, const char *component, const char *id,
                         char name[NAME_SIZE], struct karta_error *err)
{
    const char *text = id[0] != '\0' ? id : component;
    char salt[24] = "";
    name_dns_label(text, name);
    if (name[0] != '\0' && strcmp(name, text) == 0 && !name_taken(group, name))
        return 0;
    int code = hash_label(component, id, salt, name, err);
    for (unsigned attempt = 1; code == 0 && name_taken(group, name); attempt++) {
        snprintf(salt, sizeof salt, "%u", attempt);
        code = hash_label(component, id, salt, name, err);
    }
    return code;
}

static int add_subgroup(const struct planner *planner, struct planned_group *group,
                        const struct member *member, size_t instance, struct karta_error *err)
{
    const struct resolved_component *component = &planner->resolved->components[member->component];
    struct subgroup *subgroup = &group->subgroups[group->subgroup_count];
    const char *id = instance == SCALE_ALL ? "" : component->instances[instance].id;
    subgroup->component = member->component;
    subgroup->instance = instance;
    subgroup->topology = member->topology;
    int code = name_subgroup(group, component->definition->name, id, subgroup->name, err);
    group->subgroup_count++;
    return code;
}

/* Of the current form: one a listed component, or one an instance where it has ids. */
static int add_subgroups(const struct planner *planner, struct planned_group *group,
                         struct karta_error *err)
{
    const struct pod_group *definition = group->definition;
    const struct resolved_component *components = planner->resolved->components;
    size_t room = 1;
    for (size_t m = 0; m < definition->count; m++)
        room += components[definition->members[m].component].count + 1;
    group->subgroups = mem_array(room, sizeof *group->subgroups);
    if (group->subgroups == NULL)
        return mem_error(err);
    int code = 0;
    for (size_t m = 0; m < definition->count; m++) {
        const struct member *member = &definition->members[m];
        const struct resolved_component *component = &components[member->component];
        bool many = component->definition->ids.jq != NULL;
        for (size_t i = 0; code == 0 && i < (many ? component->count : 1); i++)
            code = add_subgroup(planner, group, member, many ? i : SCALE_ALL, err);
    }
    return code;
}

static int add_group(struct planner *planner, size_t g, char *key, bool per_replica,
                     struct karta_error *err)
{
    struct plan *plan = planner->plan;
    if (plan->group_count == planner->group_room) {
        size_t room = planner->group_room * 2 + 4;
        struct planned_group *groups = realloc(plan->groups, room * sizeof *groups);
        if (groups == NULL)
            return mem_error(err);
        plan->groups = groups;
        planner->group_room = room;
    }
    plan->groups[plan->group_count++] =
        (struct planned_group){.definition = &planner->resolved->definition->groups[g],
                               .key = key,
                               .per_replica = per_replica};
    return 0;
}

/* The group of this name and key, added where it is new; takes `key`. */
static int group_of(struct planner *planner, size_t g, char *key, bool per_replica, size_t *index,
                    struct karta_error *err)
{
    const struct pod_group *definition = &planner->resolved->definition->groups[g];
    struct plan *plan = planner->plan;
    for (*index = 0; *index < plan->group_count; ++*index) {
        const struct planned_group *group = &plan->groups[*index];
        bool same = group->key == NULL ? key == NULL : key != NULL && strcmp(group->key, key) == 0;
        if (group->definition != definition || group->per_replica != per_replica || !same)
            continue;
        free(key);
        return 0;
    }
    int code = add_group(planner, g, key, per_replica, err);
    if (code != 0)
        free(key);
    return code;
}

/*
 * The key of a place: its known values joined; NULL where all are constant. *selecting is the
 * component whose replicas the groups are, where a value is known only on the pods.
 */
static int key_of(const struct planner *planner, const struct place *place,
                  const struct member *member, char **key, bool *per_replica, size_t *selecting,
                  struct karta_error *err)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, LIMIT_OBJECT_STRING);
    *selecting = planner->resolved->count;
    for (size_t k = 0; k < member->key_count; k++) {
        const char *text = NULL;
        switch (pod_key_of(planner->resolved, place->component, place->instance, member->keys[k],
                           &text)) {
        case POD_KEY_KNOWN:
            strbuf_addf(&buf, "%s%s", buf.size > 0 ? "/" : "", text);
            break;
        case POD_KEY_UNKNOWN:
            *per_replica = true;
            if (*selecting == planner->resolved->count)
                *selecting =
                    pod_key_selecting(planner->resolved, place->component, member->keys[k]);
            break;
        case POD_KEY_CONSTANT:
            break;
        }
    }
    int code = strbuf_check(&buf, err);
    if (code != 0 || buf.size == 0)
        return code;
    *key = strbuf_take(&buf);
    return *key != NULL ? 0 : mem_error(err);
}

/* Of the older form: places are told apart by what their pods will be grouped by. */
static int group_by_key(struct planner *planner, struct place *place, const struct member *member,
                        size_t g, struct karta_error *err)
{
    const struct resolved *resolved = planner->resolved;
    char *key = NULL;
    bool per_replica = false;
    size_t selecting = resolved->count;
    int code = key_of(planner, place, member, &key, &per_replica, &selecting, err);
    if (code == 0)
        code = group_of(planner, g, key, per_replica, &place->group, err);
    if (code != 0 || selecting == resolved->count)
        return code;
    if (definition_is_below(resolved->definition, selecting, place->top))
        place->top = selecting;
    struct karta_error own = {0};
    if (scale_above(resolved, selecting, &planner->plan->groups[place->group].replicas, &own) != 0)
        plan_refuse(planner->plan, "%s", own.message);
    return 0;
}

static bool matches(const struct planner *planner, const struct subgroup *subgroup, size_t c,
                    size_t i)
{
    if (subgroup->instance == SCALE_ALL)
        return true;
    if (subgroup->component == c || resolved_same_ids(planner->resolved, subgroup->component, c))
        return subgroup->instance == i;
    return planner->resolved->components[subgroup->component].count == 1;
}

/* Of the current form: the listed component's subgroup, the instance's own where it has ids. */
static void place_in_subgroup(struct planner *planner, struct place *place)
{
    const struct planned_group *group = &planner->plan->groups[place->group];
    for (size_t s = 0; s < group->subgroup_count && place->subgroup == PLAN_NONE; s++)
        if (group->subgroups[s].component == place->top &&
            matches(planner, &group->subgroups[s], place->component, place->instance))
            place->subgroup = s;
    if (place->subgroup == PLAN_NONE)
        plan_refuse(planner->plan, "instances of %s cannot be matched to those of %s",
                    planner->resolved->components[place->component].definition->name,
                    planner->resolved->components[place->top].definition->name);
}

static const char *spot_of(const struct planner *planner, const struct place *place)
{
    const struct instance *instance =
        &planner->resolved->components[place->component].instances[place->instance];
    return instance->path != NULL ? instance->path : instance->labels.path;
}

/* Two components on one template are one place; in one group, or nowhere. */
static void find_repeated(struct planner *planner, struct place *place)
{
    const char *spot = spot_of(planner, place);
    for (size_t p = 0; spot != NULL && p < planner->plan->place_count; p++) {
        struct place *other = &planner->plan->places[p];
        const char *other_spot = spot_of(planner, other);
        if (other->repeated || other_spot == NULL || strcmp(other_spot, spot) != 0)
            continue;
        if (other->group != place->group)
            plan_refuse(planner->plan, "the template at %s belongs to two pod groups", spot);
        place->repeated = true;
        place->subgroup = other->subgroup;
        other->late = other->late && place->late;
        return;
    }
}

static bool is_late(const struct planner *planner, size_t c, size_t i)
{
    const struct resolved *resolved = planner->resolved;
    for (size_t a = c;; a = resolved->components[a].definition->owner) {
        const struct resolved_component *above = &resolved->components[a];
        bool own = a == c || resolved_same_ids(resolved, a, c);
        if (own && above->instances[i].late)
            return true;
        if (!own && above->count == 1 && above->instances[0].late)
            return true;
        if (a == 0)
            return false;
    }
}

static int add_place(struct planner *planner, size_t c, size_t i, struct karta_error *err)
{
    const struct karta_definition *definition = planner->resolved->definition;
    struct plan *plan = planner->plan;
    struct membership membership;
    int code =
        member_of(planner->resolved, c, i, &membership, plan->reason, sizeof plan->reason, err);
    if (code != 0 || !membership.found)
        return code;
    const struct member *member = &definition->groups[membership.group].members[membership.member];
    struct place place = {.component = c,
                          .instance = i,
                          .group = membership.group,
                          .subgroup = PLAN_NONE,
                          .member = member,
                          .top = member->component,
                          .late = is_late(planner, c, i)};
    if (definition->older_gang)
        code = group_by_key(planner, &place, member, membership.group, err);
    else
        place_in_subgroup(planner, &place);
    if (code == 0) {
        find_repeated(planner, &place);
        plan->places[plan->place_count++] = place;
    }
    return code;
}

static int add_places(struct planner *planner, struct karta_error *err)
{
    const struct resolved *resolved = planner->resolved;
    int code = 0;
    for (size_t c = 0; c < resolved->count; c++)
        for (size_t i = 0; code == 0 && i < resolved->components[c].count; i++)
            if (instance_has_template(&resolved->components[c].instances[i]))
                code = add_place(planner, c, i, err);
    return code;
}

/* The name that a memory has for this group, where its hash fits; else a new one. */
static int name_group(const struct planner *planner, struct planned_group *group,
                      struct karta_error *err)
{
    const struct plan_identity *identity = planner->identity;
    const char *own = group->definition->name;
    const json_t *groups = identity->memory != NULL ? identity->memory->groups : NULL;
    if (group->per_replica)
        return 0;
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const char *name = json_string_value(json_object_get(json_array_get(groups, i), "name"));
        if (name == NULL || !name_fits(identity->owner, own, group->key, identity->nonce, name))
            continue;
        snprintf(group->name, sizeof group->name, "%s", name);
        return 0;
    }
    return name_pod_group(identity->owner, own, group->key, identity->nonce, group->name, err);
}

/* An error of a component leaves the whole workload unplanned. */
static void check_errors(const struct resolved *resolved, struct plan *plan)
{
    for (size_t c = 0; c < resolved->count; c++)
        if (resolved->components[c].error[0] != '\0')
            plan_refuse(plan, "component %s: %s", resolved->components[c].definition->name,
                        resolved->components[c].error);
    if (resolved->minimum_error[0] != '\0')
        plan_refuse(plan, "%s", resolved->minimum_error);
}

static size_t count_instances(const struct resolved *resolved)
{
    size_t count = 0;
    for (size_t c = 0; c < resolved->count; c++)
        count += resolved->components[c].count;
    return count;
}

static int make_groups(struct planner *planner, struct karta_error *err)
{
    const struct karta_definition *definition = planner->resolved->definition;
    struct plan *plan = planner->plan;
    int code = 0;
    for (size_t g = 0; code == 0 && g < definition->group_count && !definition->older_gang; g++) {
        code = add_group(planner, g, NULL, false, err);
        if (code == 0)
            code = add_subgroups(planner, &plan->groups[g], err);
    }
    if (code == 0)
        code = add_places(planner, err);
    if (code == 0)
        code = plan_count(planner->resolved, plan, err);
    for (size_t g = 0; code == 0 && g < plan->group_count; g++)
        code = name_group(planner, &plan->groups[g], err);
    return code;
}

int plan_make(const struct resolved *resolved, const struct plan_identity *identity,
              struct plan *plan, struct karta_error *err)
{
    struct planner planner = {.resolved = resolved, .identity = identity, .plan = plan};
    *plan = (struct plan){0};
    check_errors(resolved, plan);
    if (plan->reason[0] != '\0' || resolved->definition->group_count == 0)
        return 0;
    plan->places = mem_array(count_instances(resolved) + 1, sizeof *plan->places);
    return plan->places != NULL ? make_groups(&planner, err) : mem_error(err);
}

int plan_leaves(const struct resolved *resolved, struct plan *plan, struct karta_error *err)
{
    free(plan->places);
    plan->place_count = 0;
    plan->places = mem_array(count_instances(resolved) + 1, sizeof *plan->places);
    if (plan->places == NULL)
        return mem_error(err);
    for (size_t c = 0; c < resolved->count; c++)
        for (size_t i = 0; i < resolved->components[c].count; i++)
            if (instance_has_template(&resolved->components[c].instances[i]))
                plan->places[plan->place_count++] =
                    (struct place){.component = c,
                                   .instance = i,
                                   .group = PLAN_NONE,
                                   .subgroup = PLAN_NONE,
                                   .late = resolved->components[c].instances[i].late};
    return 0;
}
