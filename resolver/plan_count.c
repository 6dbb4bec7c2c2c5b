/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Minimums, pods and requests of planned groups. The one idea: a group's numbers are the sum of
 * what its subtrees have; a subtree of which only a part is in the group is summed leaf by leaf.
 */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "plan.h"
#include "resources.h"
#include "scale.h"

struct counter {
    const struct resolved *resolved;
    struct plan *plan;
};

/* A count out of range is a reason not to gang, not a failure of the request. */
static int judge(struct counter *counter, int code, const struct karta_error *own,
                 struct karta_error *err)
{
    if (code == KARTA_ERR_NOMEM)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    if (code != 0)
        plan_refuse(counter->plan, "%s", own->message);
    return 0;
}

static int subtree(struct counter *counter, size_t component, size_t instance, enum scale_mode mode,
                   const bool *skip, int64_t *value, struct karta_error *err)
{
    struct karta_error own = {0};
    struct count count = {0};
    int code = scale_of(counter->resolved, component, instance, mode, skip, &count, &own);
    *value = count.value;
    return judge(counter, code, &own, err);
}

static int add(struct counter *counter, int64_t *sum, int64_t value)
{
    *sum += value;
    if (*sum > LIMIT_COUNT)
        plan_refuse(counter->plan, "its pods are more than %lld", LIMIT_COUNT);
    return 0;
}

/* Of the current form: what each listed component has, without what is listed below it. */
static int count_subgroup(struct counter *counter, const struct planned_group *group,
                          struct subgroup *subgroup, struct karta_error *err)
{
    bool skip[LIMIT_COMPONENTS] = {false};
    for (size_t m = 0; m < group->definition->count; m++)
        skip[group->definition->members[m].component] = true;
    skip[subgroup->component] = false;
    int code = subtree(counter, subgroup->component, subgroup->instance, SCALE_STARTED, skip,
                       &subgroup->pods, err);
    if (code == 0)
        code = subtree(counter, subgroup->component, subgroup->instance, SCALE_MINIMUM, skip,
                       &subgroup->min_member, err);
    if (subgroup->min_member > subgroup->pods)
        subgroup->min_member = subgroup->pods;
    return code;
}

/* A subgroup whose templates are another's too is that other's. */
static void join_repeated(struct counter *counter, size_t g)
{
    struct planned_group *group = &counter->plan->groups[g];
    for (size_t p = 0; p < counter->plan->place_count; p++) {
        const struct place *place = &counter->plan->places[p];
        if (!place->repeated || place->group != g || place->subgroup == PLAN_NONE)
            continue;
        for (size_t s = 0; s < group->subgroup_count; s++) {
            struct subgroup *from = &group->subgroups[s],
                            *into = &group->subgroups[place->subgroup];
            if (from == into || from->component != place->top ||
                (from->instance != SCALE_ALL && from->instance != place->instance))
                continue;
            into->min_member += from->min_member;
            into->pods += from->pods;
            from->min_member = from->pods = 0;
        }
    }
}

static int count_subgroups(struct counter *counter, size_t g, struct karta_error *err)
{
    struct planned_group *group = &counter->plan->groups[g];
    int code = 0;
    for (size_t s = 0; code == 0 && s < group->subgroup_count; s++)
        code = count_subgroup(counter, group, &group->subgroups[s], err);
    if (code != 0)
        return code;
    join_repeated(counter, g);
    for (size_t s = 0; s < group->subgroup_count; s++) {
        add(counter, &group->min_member, group->subgroups[s].min_member);
        add(counter, &group->pods, group->subgroups[s].pods);
    }
    return 0;
}

/* How many leaf instances stand below `top`, and how many of them are in the group. */
static void count_leaves(const struct counter *counter, size_t g, size_t top, size_t *all,
                         size_t *ours)
{
    const struct resolved *resolved = counter->resolved;
    *all = *ours = 0;
    for (size_t c = 0; c < resolved->count; c++)
        if (component_is_leaf(resolved->components[c].definition) &&
            definition_is_below(resolved->definition, c, top))
            *all += resolved->components[c].count;
    for (size_t p = 0; p < counter->plan->place_count; p++)
        if (counter->plan->places[p].group == g && counter->plan->places[p].top == top)
            ++*ours;
}

static int count_leaf(struct counter *counter, const struct place *place, enum scale_mode mode,
                      int64_t *sum, struct karta_error *err)
{
    struct karta_error own = {0};
    int64_t pods = 0;
    int code = scale_leaf(counter->resolved, place->component, place->instance, place->top, mode,
                          &pods, &own);
    add(counter, sum, pods);
    return judge(counter, code, &own, err);
}

/* Of the older form: a whole subtree by its rule, a part of one leaf by leaf. */
static int count_top(struct counter *counter, size_t g, size_t top, enum scale_mode mode,
                     int64_t *sum, struct karta_error *err)
{
    size_t all, ours;
    int64_t value = 0;
    count_leaves(counter, g, top, &all, &ours);
    if (ours == 0)
        return 0;
    if (ours == all) {
        int code = subtree(counter, top, SCALE_ALL, mode, NULL, &value, err);
        add(counter, sum, value);
        return code;
    }
    int code = 0;
    for (size_t p = 0; code == 0 && p < counter->plan->place_count; p++) {
        const struct place *place = &counter->plan->places[p];
        if (place->group == g && place->top == top)
            code = count_leaf(counter, place, mode, sum, err);
    }
    return code;
}

static int count_keyed(struct counter *counter, size_t g, struct karta_error *err)
{
    struct planned_group *group = &counter->plan->groups[g];
    int code = 0;
    for (size_t top = 0; code == 0 && top < counter->resolved->count; top++) {
        code = count_top(counter, g, top, SCALE_STARTED, &group->pods, err);
        if (code == 0)
            code = count_top(counter, g, top, SCALE_MINIMUM, &group->min_member, err);
    }
    if (group->min_member > group->pods)
        group->min_member = group->pods;
    return code;
}

static int add_requests(struct counter *counter, const struct place *place, struct resources *sum,
                        struct karta_error *err)
{
    const struct resolved_component *component = &counter->resolved->components[place->component];
    KARTA_CLEANUP(resources_dispose) struct resources pod = {0};
    struct karta_error own = {0};
    int64_t pods = 0;
    int code = scale_leaf(counter->resolved, place->component, place->instance, place->top,
                          SCALE_STARTED, &pods, &own);
    if (code == 0)
        code = resources_of_pod(component->instances[place->instance].pod_spec, &pod, &own);
    if (code == 0)
        code = resources_add(sum, &pod, pods, &own);
    if (code != 0)
        karta_error_wrap(&own, code, "component %s", component->definition->name);
    return judge(counter, code, &own, err);
}

/* What all pods of the group ask for together, late ones aside. */
static int sum_requests(struct counter *counter, size_t g, struct karta_error *err)
{
    struct planned_group *group = &counter->plan->groups[g];
    KARTA_CLEANUP(resources_dispose) struct resources sum = {0};
    int code = 0;
    for (size_t p = 0; code == 0 && p < counter->plan->place_count; p++)
        if (counter->plan->places[p].group == g && !counter->plan->places[p].late)
            code = add_requests(counter, &counter->plan->places[p], &sum, err);
    if (code != 0)
        return code;
    group->gpus = resources_gpus(&sum);
    group->requests = resources_json(&sum);
    return group->requests != NULL ? 0 : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

bool plan_override(struct planned_group *group, int64_t min_member)
{
    if (min_member < 1 || min_member > group->pods)
        return false;
    group->min_member = min_member;
    group->overridden = true;
    return true;
}

/* The framework's own minimum, where its definition names one and it says a number. */
static void apply_minimum(const struct counter *counter, struct planned_group *group)
{
    size_t g = (size_t)(group->definition - counter->resolved->definition->groups);
    const struct count *minimum = &counter->resolved->minimums[g];
    if (minimum->said && minimum->value > 0 && group->pods > 0)
        plan_override(group, minimum->value < group->pods ? minimum->value : group->pods);
}

int plan_count(const struct resolved *resolved, struct plan *plan, struct karta_error *err)
{
    struct counter counter = {resolved, plan};
    int code = 0;
    for (size_t g = 0; code == 0 && g < plan->group_count; g++) {
        code = resolved->definition->older_gang ? count_keyed(&counter, g, err)
                                                : count_subgroups(&counter, g, err);
        if (code == 0)
            code = sum_requests(&counter, g, err);
        if (code == 0)
            apply_minimum(&counter, &plan->groups[g]);
    }
    return code;
}
