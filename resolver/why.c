/* SPDX-License-Identifier: Apache-2.0 */
/* The one idea: a minimum below the pods there are has a cause that stands in the object. */
#include "why.h"

#include "base/mem.h"

static const struct instance *instance_of(const struct resolved *resolved,
                                          const struct place *place)
{
    return &resolved->components[place->component].instances[place->instance];
}

/* The instance's id, or the component's name where it has none. */
static const char *label_of(const struct resolved *resolved, const struct place *place)
{
    const char *id = instance_of(resolved, place)->id;
    return id[0] != '\0' ? id : resolved->components[place->component].definition->name;
}

/* Appends `text` (taken); false when memory is out. */
static bool add(json_t *list, char *text)
{
    bool good = text != NULL && json_array_append_new(list, json_string(text)) == 0;
    free(text);
    return good;
}

static bool explain_place(const struct resolved *resolved, const struct place *place, json_t *list)
{
    const struct instance *instance = instance_of(resolved, place);
    const struct count least = instance->min_replicas, wanted = instance->replicas;
    if (place->late)
        return add(list, mem_format("late: %s", label_of(resolved, place)));
    if (!least.said || !wanted.said || least.value == 0 || least.value >= wanted.value)
        return true;
    return add(list, mem_format("%s: minReplicas %lld of %lld", label_of(resolved, place),
                                (long long)least.value, (long long)wanted.value));
}

json_t *why_json(const struct resolved *resolved, const struct plan *plan, size_t g)
{
    const struct planned_group *group = &plan->groups[g];
    json_t *list = json_array();
    bool good = list != NULL;
    if (group->overridden && good)
        good = add(list, mem_format("override: %lld of %lld", (long long)group->min_member,
                                    (long long)group->pods));
    for (size_t p = 0; good && p < plan->place_count; p++) {
        const struct place *place = &plan->places[p];
        if (place->group == g && !place->repeated && (place->late || !group->overridden))
            good = explain_place(resolved, place, list);
    }
    if (good)
        return list;
    json_decref(list);
    return NULL;
}
