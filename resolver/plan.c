/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a resolved workload to its pod groups. The one idea: a listed component gives subgroups
 * (one an instance where it has ids), every leaf below it gives places, and the group's minimum is
 * the sum of what its subgroups can always reach.
 */
#include "plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"
#include "resources.h"
#include "scale.h"

struct planner {
    const struct resolved *resolved;
    const struct plan_identity *identity;
    struct plan *plan;
    bool listed[LIMIT_COMPONENTS]; /* components that the group lists */
};

static void give_reason(struct plan *plan, const char *format, ...) KARTA_PRINTF(2, 3);
static void give_reason(struct plan *plan, const char *format, ...)
{
    if (plan->reason[0] != '\0')
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(plan->reason, sizeof plan->reason, format, args);
    va_end(args);
}

static int no_memory(struct karta_error *err)
{
    return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

void plan_dispose(struct plan *plan)
{
    for (size_t g = 0; g < plan->group_count; g++) {
        free(plan->groups[g].subgroups);
        json_decref(plan->groups[g].requests);
    }
    free(plan->groups);
    free(plan->places);
    *plan = (struct plan){0};
}

/* Counts that are out of range are a reason not to gang, not a failure of the request. */
static int scale(struct planner *planner, const struct subgroup *subgroup, enum scale_mode mode,
                 int64_t *value, struct karta_error *err)
{
    bool skip[LIMIT_COMPONENTS];
    memcpy(skip, planner->listed, sizeof skip);
    skip[subgroup->component] = false;
    struct karta_error own = {0};
    struct count count = {0};
    int code = scale_of(planner->resolved, subgroup->component, subgroup->instance, mode, skip,
                        &count, &own);
    if (code == KARTA_ERR_NOMEM)
        return no_memory(err);
    if (code != 0)
        give_reason(planner->plan, "%s", own.message);
    *value = count.value;
    return 0;
}

static bool name_taken(const struct planned_group *group, const char *name)
{
    for (size_t i = 0; i < group->subgroup_count; i++)
        if (strcmp(group->subgroups[i].name, name) == 0)
            return true;
    return false;
}

/* The id or the component as a DNS label; where that loses something, a hash tells it apart. */
static int name_subgroup(const struct planned_group *group, const char *component, const char *id,
                         char name[NAME_SIZE], struct karta_error *err)
{
    const char *text = id[0] != '\0' ? id : component;
    name_dns_label(text, name);
    if (name[0] != '\0' && strcmp(name, text) == 0 && !name_taken(group, name))
        return 0;
    char hex[9];
    const char *parts[] = {component, id};
    if (hash_hex8(parts, 2, hex) != 0)
        return karta_error_set(err, KARTA_ERR_INTERNAL, "cannot hash a subgroup's name");
    size_t size = strlen(name);
    size = size > NAME_SIZE - 10 ? NAME_SIZE - 10 : size;
    snprintf(name + size, NAME_SIZE - size, size > 0 ? "-%s" : "%s", hex);
    return 0;
}

static int add_subgroup(struct planner *planner, struct planned_group *group,
                        const struct member *member, size_t instance, struct karta_error *err)
{
    const struct resolved_component *component = &planner->resolved->components[member->component];
    struct subgroup *subgroup = &group->subgroups[group->subgroup_count];
    subgroup->component = member->component;
    subgroup->instance = instance;
    subgroup->topology = member->topology;
    const char *id = instance == SCALE_ALL ? "" : component->instances[instance].id;
    int code = name_subgroup(group, component->definition->name, id, subgroup->name, err);
    if (code == 0)
        code = scale(planner, subgroup, SCALE_STARTED, &subgroup->pods, err);
    if (code == 0)
        code = scale(planner, subgroup, SCALE_MINIMUM, &subgroup->min_member, err);
    if (subgroup->min_member > subgroup->pods)
        subgroup->min_member = subgroup->pods;
    group->subgroup_count++;
    return code;
}

static int add_subgroups(struct planner *planner, struct planned_group *group,
                         struct karta_error *err)
{
    const struct pod_group *definition = group->definition;
    size_t room = 0;
    for (size_t m = 0; m < definition->count; m++)
        room += planner->resolved->components[definition->members[m].component].count + 1;
    group->subgroups = mem_array(room, sizeof *group->subgroups);
    if (group->subgroups == NULL)
        return no_memory(err);
    int code = 0;
    for (size_t m = 0; code == 0 && m < definition->count; m++) {
        const struct member *member = &definition->members[m];
        const struct resolved_component *component =
            &planner->resolved->components[member->component];
        if (component->definition->ids.jq == NULL)
            code = add_subgroup(planner, group, member, SCALE_ALL, err);
        for (size_t i = 0; component->definition->ids.jq != NULL && i < component->count; i++)
            code = code != 0 ? code : add_subgroup(planner, group, member, i, err);
    }
    return code;
}

/* The listed component that leaf `c` belongs to: itself, or the nearest above it. */
static size_t listed_above(const struct planner *planner, size_t c)
{
    while (!planner->listed[c]) {
        if (c == 0)
            return planner->resolved->count;
        c = planner->resolved->components[c].definition->owner;
    }
    return c;
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

static size_t subgroup_of(const struct planner *planner, const struct planned_group *group,
                          size_t listed, size_t c, size_t i)
{
    for (size_t s = 0; s < group->subgroup_count; s++)
        if (group->subgroups[s].component == listed && matches(planner, &group->subgroups[s], c, i))
            return s;
    return PLAN_NO_SUBGROUP;
}

static const char *path_of(const struct planner *planner, const struct place *place)
{
    return planner->resolved->components[place->component].instances[place->instance].path;
}

/* Two components on one template are one place: their subgroups become the first one's. */
static bool merged(struct planner *planner, struct planned_group *group, const struct place *place)
{
    for (size_t p = 0; p < planner->plan->place_count; p++) {
        struct place *other = &planner->plan->places[p];
        if (strcmp(path_of(planner, other), path_of(planner, place)) != 0)
            continue;
        bool both = other->subgroup != PLAN_NO_SUBGROUP && place->subgroup != PLAN_NO_SUBGROUP;
        if (both && other->subgroup != place->subgroup) {
            struct subgroup *into = &group->subgroups[other->subgroup];
            struct subgroup *from = &group->subgroups[place->subgroup];
            into->min_member += from->min_member;
            into->pods += from->pods;
            from->min_member = from->pods = 0;
        }
        other->late = other->late && place->late;
        return true;
    }
    return false;
}

static bool ancestors_late(const struct planner *planner, size_t c, size_t i)
{
    const struct resolved *resolved = planner->resolved;
    if (resolved->components[c].instances[i].late)
        return true;
    for (size_t a = c; a != 0;) {
        a = resolved->components[a].definition->owner;
        const struct resolved_component *above = &resolved->components[a];
        size_t index = resolved_same_ids(resolved, a, c) ? i : 0;
        if (above->count > 0 && (above->count == 1 || index == i) &&
            above->instances[above->count == 1 ? 0 : index].late)
            return true;
    }
    return false;
}

static void add_places(struct planner *planner, struct planned_group *group, size_t c)
{
    const struct resolved_component *component = &planner->resolved->components[c];
    size_t listed = listed_above(planner, c);
    if (!component_is_leaf(component->definition) || listed == planner->resolved->count)
        return;
    for (size_t i = 0; i < component->count; i++) {
        struct place place = {c, i, subgroup_of(planner, group, listed, c, i),
                              ancestors_late(planner, c, i)};
        if (component->instances[i].path == NULL)
            continue;
        if (place.subgroup == PLAN_NO_SUBGROUP)
            give_reason(planner->plan, "instances of %s cannot be matched to those of %s",
                        component->definition->name,
                        planner->resolved->components[listed].definition->name);
        else if (!merged(planner, group, &place))
            planner->plan->places[planner->plan->place_count++] = place;
    }
}

/* What all pods of the group ask for together, late ones aside. */
static int sum_requests(struct planner *planner, struct planned_group *group,
                        struct karta_error *err)
{
    KARTA_CLEANUP(resources_dispose) struct resources sum = {0};
    for (size_t p = 0; p < planner->plan->place_count; p++) {
        const struct place *place = &planner->plan->places[p];
        const struct resolved_component *component =
            &planner->resolved->components[place->component];
        KARTA_CLEANUP(resources_dispose) struct resources pod = {0};
        struct karta_error own = {0};
        int64_t pods = 0;
        if (place->late)
            continue;
        int code = scale_pods(planner->resolved, place->component, place->instance, &pods, &own);
        if (code == 0)
            code = resources_of_pod(component->instances[place->instance].pod_spec, &pod, &own);
        if (code == 0)
            code = resources_add(&sum, &pod, pods, &own);
        if (code == KARTA_ERR_NOMEM)
            return no_memory(err);
        if (code != 0)
            give_reason(planner->plan, "component %s: %s", component->definition->name,
                        own.message);
    }
    group->gpus = resources_gpus(&sum);
    group->requests = resources_json(&sum);
    return group->requests != NULL ? 0 : no_memory(err);
}

/* The name that a memory has for this group, where its hash fits; else a new one. */
static int name_group(const struct planner *planner, struct planned_group *group,
                      struct karta_error *err)
{
    const struct plan_identity *identity = planner->identity;
    const char *own = group->definition->name;
    const json_t *groups = identity->memory != NULL ? identity->memory->groups : NULL;
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const char *name = json_string_value(json_object_get(json_array_get(groups, i), "name"));
        if (name == NULL || !name_fits(identity->owner, own, NULL, identity->nonce, name))
            continue;
        snprintf(group->name, sizeof group->name, "%s", name);
        return 0;
    }
    return name_pod_group(identity->owner, own, NULL, identity->nonce, group->name, err);
}

/* An error of a component below a listed one leaves the whole workload unplanned. */
static void check_errors(struct planner *planner)
{
    for (size_t c = 0; c < planner->resolved->count; c++) {
        const struct resolved_component *component = &planner->resolved->components[c];
        if (component->error[0] != '\0')
            give_reason(planner->plan, "component %s: %s", component->definition->name,
                        component->error);
    }
    if (planner->resolved->minimum_error[0] != '\0')
        give_reason(planner->plan, "%s", planner->resolved->minimum_error);
}

static int plan_group(struct planner *planner, size_t g, struct karta_error *err)
{
    struct planned_group *group = &planner->plan->groups[g];
    group->definition = &planner->resolved->definition->groups[g];
    planner->plan->group_count = g + 1;
    memset(planner->listed, 0, sizeof planner->listed);
    for (size_t m = 0; m < group->definition->count; m++)
        planner->listed[group->definition->members[m].component] = true;
    int code = add_subgroups(planner, group, err);
    for (size_t c = 0; code == 0 && c < planner->resolved->count; c++)
        add_places(planner, group, c);
    if (code == 0)
        code = sum_requests(planner, group, err);
    for (size_t s = 0; code == 0 && s < group->subgroup_count; s++) {
        group->min_member += group->subgroups[s].min_member;
        group->pods += group->subgroups[s].pods;
    }
    const struct count *minimum = &planner->resolved->minimums[g];
    if (code == 0 && minimum->said && group->pods > 0 && minimum->value > 0)
        plan_override(group, minimum->value < group->pods ? minimum->value : group->pods);
    return code == 0 ? name_group(planner, group, err) : code;
}

static size_t count_instances(const struct resolved *resolved)
{
    size_t count = 0;
    for (size_t c = 0; c < resolved->count; c++)
        count += resolved->components[c].count;
    return count;
}

int plan_make(const struct resolved *resolved, const struct plan_identity *identity,
              struct plan *plan, struct karta_error *err)
{
    const struct karta_definition *definition = resolved->definition;
    struct planner planner = {.resolved = resolved, .identity = identity, .plan = plan};
    *plan = (struct plan){0};
    if (definition->gang_unsupported != NULL)
        give_reason(plan, "the definition %s is not ganged: %s", definition->name,
                    definition->gang_unsupported);
    check_errors(&planner);
    if (plan->reason[0] != '\0' || definition->group_count == 0)
        return 0;
    plan->groups = mem_array(definition->group_count, sizeof *plan->groups);
    plan->places = mem_array(count_instances(resolved) + 1, sizeof *plan->places);
    if (plan->groups == NULL || plan->places == NULL)
        return no_memory(err);
    int code = 0;
    for (size_t g = 0; code == 0 && g < definition->group_count; g++)
        code = plan_group(&planner, g, err);
    return code;
}

bool plan_override(struct planned_group *group, int64_t min_member)
{
    if (min_member < 1 || min_member > group->pods)
        return false;
    group->min_member = min_member;
    group->overridden = true;
    return true;
}

static json_t *topology_json(const struct topology *topology)
{
    json_t *object = json_pack("{s:s}", "name", topology->name);
    int failed = object == NULL;
    if (!failed && topology->required[0] != '\0')
        failed = json_object_set_new(object, "required", json_string(topology->required));
    if (!failed && topology->preferred[0] != '\0')
        failed = json_object_set_new(object, "preferred", json_string(topology->preferred));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *subgroups_json(const struct planned_group *group)
{
    json_t *list = json_array();
    for (size_t s = 0; list != NULL && s < group->subgroup_count; s++) {
        const struct subgroup *subgroup = &group->subgroups[s];
        if (subgroup->pods == 0)
            continue;
        json_t *entry =
            json_pack("{s:s, s:I, s:o*}", "name", subgroup->name, "minMember",
                      (json_int_t)subgroup->min_member, "topology",
                      subgroup->topology != NULL ? topology_json(subgroup->topology) : NULL);
        if (entry == NULL || json_array_append_new(list, entry) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

json_t *plan_group_json(const struct planned_group *group, bool whole)
{
    const struct topology *topology = group->definition->topology;
    json_t *subgroups = group->overridden ? NULL : subgroups_json(group);
    if (subgroups == NULL && !group->overridden)
        return NULL;
    return json_pack("{s:s, s:I, s:I, s:O, s:o*, s:o*, s:s*}", "name", group->name, "minMember",
                     (json_int_t)group->min_member, "pods", (json_int_t)group->pods, "requests",
                     group->requests, "subGroups", subgroups, "topology",
                     topology != NULL ? topology_json(topology) : NULL, "group",
                     whole ? group->definition->name : NULL);
}

json_t *plan_groups_json(const struct plan *plan, bool whole)
{
    json_t *list = json_array();
    for (size_t g = 0; list != NULL && g < plan->group_count; g++) {
        json_t *entry = plan_group_json(&plan->groups[g], whole);
        if (entry == NULL || json_array_append_new(list, entry) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}
