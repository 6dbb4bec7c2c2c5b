/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roles of a pod group, from its places. The one idea: a role is what a scheduler may hold room
 * for, so it takes the largest of its pods, and exactly as many as must start.
 */
#include "roles.h"

#include <string.h>

#include "base/mem.h"
#include "resources.h"
#include "scale.h"

struct role {
    char name[NAME_SIZE];
    int64_t min_member, pods;
    struct resources pod; /* the largest of each resource */
    const struct instance *first;
};

struct roles {
    struct role *list;
    size_t count;
};

static void roles_dispose(struct roles *roles)
{
    for (size_t r = 0; r < roles->count; r++)
        resources_dispose(&roles->list[r].pod);
    free(roles->list);
}

void role_name(const struct resolved *resolved, const struct plan *plan, const struct place *place,
               char name[NAME_SIZE])
{
    const struct planned_group *group = &plan->groups[place->group];
    if (group->overridden)
        name_dns_label(group->definition->name, name);
    else if (group->subgroups != NULL && place->subgroup != PLAN_NONE)
        memcpy(name, group->subgroups[place->subgroup].name, NAME_SIZE);
    else
        name_dns_label(resolved->components[place->component].definition->name, name);
}

static struct role *role_of(struct roles *roles, const char *name)
{
    for (size_t r = 0; r < roles->count; r++)
        if (strcmp(roles->list[r].name, name) == 0)
            return &roles->list[r];
    struct role *role = &roles->list[roles->count++];
    memcpy(role->name, name, strlen(name) + 1);
    return role;
}

static const struct instance *instance_of(const struct resolved *resolved,
                                          const struct place *place)
{
    return &resolved->components[place->component].instances[place->instance];
}

static int pods_of(const struct resolved *resolved, const struct place *place, enum scale_mode mode,
                   int64_t *pods, struct karta_error *err)
{
    return scale_leaf(resolved, place->component, place->instance, place->top, mode, pods, err);
}

static struct resource *find(struct resources *resources, const char *name)
{
    for (size_t i = 0; i < resources->count; i++)
        if (strcmp(resources->list[i].name, name) == 0)
            return &resources->list[i];
    return NULL;
}

/* Each resource of *all at least what `pod` asks for. */
static int at_least(struct resources *all, const struct resources *pod, struct karta_error *err)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < pod->count; i++) {
        const struct resources one = {&pod->list[i], 1};
        struct resource *known = find(all, pod->list[i].name);
        if (known == NULL)
            code = resources_add(all, &one, 1, err);
        else if (quantity_compare(&pod->list[i].quantity, &known->quantity) > 0)
            known->quantity = pod->list[i].quantity;
    }
    return code;
}

static int add_place(const struct resolved *resolved, const struct place *place, struct role *role,
                     struct karta_error *err)
{
    const struct instance *instance = instance_of(resolved, place);
    KARTA_CLEANUP(resources_dispose) struct resources pod = {0};
    int64_t pods = 0, least = 0;
    int code = pods_of(resolved, place, SCALE_STARTED, &pods, err);
    if (code == 0)
        code = pods_of(resolved, place, SCALE_MINIMUM, &least, err);
    if (code == 0)
        code = resources_of_pod(instance->pod_spec, &pod, err);
    if (code == 0)
        code = at_least(&role->pod, &pod, err);
    role->pods += pods;
    role->min_member += least < pods ? least : pods;
    if (role->first == NULL)
        role->first = instance;
    return code;
}

/* What the plan has decided for a whole role counts for more than the sum over its places. */
static void take_plan(const struct planned_group *group, struct roles *roles)
{
    if (group->overridden && roles->count > 0) {
        roles->list[0].min_member = group->min_member;
        roles->list[0].pods = group->pods;
    }
    for (size_t s = 0; !group->overridden && s < group->subgroup_count; s++)
        for (size_t r = 0; r < roles->count; r++)
            if (strcmp(roles->list[r].name, group->subgroups[s].name) == 0) {
                roles->list[r].min_member = group->subgroups[s].min_member;
                roles->list[r].pods = group->subgroups[s].pods;
            }
}

static int collect(const struct resolved *resolved, const struct plan *plan, size_t g,
                   struct roles *roles, struct karta_error *err)
{
    int code = 0;
    roles->list = mem_array(plan->place_count + 1, sizeof *roles->list);
    if (roles->list == NULL)
        return mem_error(err);
    for (size_t p = 0; code == 0 && p < plan->place_count; p++) {
        const struct place *place = &plan->places[p];
        char name[NAME_SIZE];
        if (place->group != g || place->late || place->repeated)
            continue;
        role_name(resolved, plan, place, name);
        code = add_place(resolved, place, role_of(roles, name), err);
    }
    take_plan(&plan->groups[g], roles);
    return code;
}

static json_t *role_json(const struct role *role, bool templates)
{
    json_t *template = templates && role->first != NULL
                           ? json_pack("{s:O*, s:O*}", "metadata", role->first->metadata, "spec",
                                       role->first->pod_spec)
                           : NULL;
    return json_pack("{s:s, s:I, s:I, s:o, s:o*}", "name", role->name, "minMember",
                     (json_int_t)role->min_member, "pods", (json_int_t)role->pods, "podRequests",
                     resources_json(&role->pod), "template", template);
}

int roles_json(const struct resolved *resolved, const struct plan *plan, size_t g, bool templates,
               json_t **roles, struct karta_error *err)
{
    KARTA_CLEANUP(roles_dispose) struct roles all = {0};
    json_auto_t *list = json_array();
    int code = list != NULL ? collect(resolved, plan, g, &all, err) : mem_error(err);
    for (size_t r = 0; code == 0 && r < all.count; r++)
        if (json_array_append_new(list, role_json(&all.list[r], templates)) != 0)
            code = mem_error(err);
    if (code == 0)
        *roles = json_incref(list);
    return code;
}

int roles_min_requests(const struct resolved *resolved, const struct plan *plan, size_t g,
                       json_t **requests, struct karta_error *err)
{
    const struct planned_group *group = &plan->groups[g];
    KARTA_CLEANUP(resources_dispose) struct resources sum = {0};
    int64_t counted = 0;
    int code = 0;
    *requests = NULL;
    if (group->min_member == group->pods) {
        *requests = json_incref(group->requests);
        return 0;
    }
    for (size_t p = 0; code == 0 && p < plan->place_count; p++) {
        const struct place *place = &plan->places[p];
        KARTA_CLEANUP(resources_dispose) struct resources pod = {0};
        int64_t least = 0;
        if (place->group != g || place->late)
            continue;
        code = pods_of(resolved, place, SCALE_MINIMUM, &least, err);
        if (code == 0)
            code = resources_of_pod(instance_of(resolved, place)->pod_spec, &pod, err);
        if (code == 0)
            code = resources_add(&sum, &pod, least, err);
        counted += least;
    }
    if (code != 0 || group->overridden || counted != group->min_member)
        return code;
    *requests = resources_json(&sum);
    return *requests != NULL ? 0 : mem_error(err);
}
