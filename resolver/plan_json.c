/* SPDX-License-Identifier: Apache-2.0 */
/* Planned groups as JSON: what is remembered on the workload, and what profiles and views read. */
#include "plan.h"

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
        const struct topology *topology = subgroup->topology;
        if (subgroup->pods == 0)
            continue;
        json_t *entry = json_pack("{s:s, s:I, s:o*}", "name", subgroup->name, "minMember",
                                  (json_int_t)subgroup->min_member, "topology",
                                  topology != NULL ? topology_json(topology) : NULL);
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
    bool listed = !group->overridden && group->subgroups != NULL;
    json_t *subgroups = listed ? subgroups_json(group) : NULL;
    if (listed && subgroups == NULL)
        return NULL;
    const char *name = group->per_replica ? NULL : group->name;
    const char *own = whole || group->per_replica ? group->definition->name : NULL;
    json_t *count = group->replicas.said ? json_integer(group->replicas.value) : NULL;
    return json_pack("{s:s*, s:I, s:I, s:O, s:o*, s:o*, s:s*, s:s*, s:o*, s:o*}", "name", name,
                     "minMember", (json_int_t)group->min_member, "pods", (json_int_t)group->pods,
                     "requests", group->requests, "subGroups", subgroups, "topology",
                     topology != NULL ? topology_json(topology) : NULL, "group", own, "key",
                     whole ? group->key : NULL, "perReplica",
                     group->per_replica ? json_true() : NULL, "count", count);
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
