/* SPDX-License-Identifier: Apache-2.0 */
/* optimizationInstructions.gangScheduling, in its current and its older form. */
#include "expression_parse.h"
#include "parse_common.h"

static bool has_no_text(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return !schema_states(object, key) || (json_is_string(value) && json_string_length(value) == 0);
}

/* Both levels are written down, as "" where there is none; one of them says something. */
static void check_levels(struct parse *parse, const struct at *at, const json_t *topology)
{
    static const char *const levels[] = {"requiredTopologyLevel", "preferredTopologyLevel"};
    if (has_no_text(topology, levels[0]) && has_no_text(topology, levels[1])) {
        schema_problem(parse->problems, KARTA_REFUSAL, at, NULL,
                       "has neither a requiredTopologyLevel nor a preferredTopologyLevel");
        return;
    }
    for (size_t i = 0; i < 2; i++)
        if (!schema_states(topology, levels[i]))
            schema_problem(parse->problems, KARTA_WARNING, at, levels[i],
                           "is missing: other readers of this definition need it; write \"\" where "
                           "there is no such level");
}

static struct topology *parse_topology(struct parse *parse, const struct at *at,
                                       const json_t *object)
{
    static const char *const names[] = {"topologyName", "requiredTopologyLevel",
                                        "preferredTopologyLevel", NULL};
    const json_t *value = schema_get(parse->problems, at, object, "topology", JSON_OBJECT);
    if (value == NULL)
        return NULL;
    const struct at here = {at, "topology", 0};
    schema_known(parse->problems, &here, value, names);
    struct topology *topology = parse_array(parse, 1, sizeof *topology);
    if (topology == NULL)
        return NULL;
    schema_need_text(parse->problems, &here, value, names[0]);
    const char *name = json_string_value(json_object_get(value, names[0]));
    topology->name = parse_keep(parse, name != NULL ? name : "");
    topology->required = parse_text_or(parse, &here, value, names[1], "");
    topology->preferred = parse_text_or(parse, &here, value, names[2], "");
    check_levels(parse, &here, value);
    return topology;
}

static struct jq_expression **parse_list(struct parse *parse, const struct at *at,
                                         const json_t *object, const char *key, size_t *count)
{
    const json_t *list = schema_get(parse->problems, at, object, key, JSON_ARRAY);
    if (list == NULL)
        return NULL;
    struct jq_expression **expressions =
        parse_array(parse, json_array_size(list), sizeof *expressions);
    const struct at list_at = {at, key, 0};
    for (size_t i = 0; expressions != NULL && i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const char *text = schema_element_text(parse->problems, &here, json_array_get(list, i));
        struct jq_expression *jq =
            text != NULL ? expression_parse(parse->problems, &here, NULL, text) : NULL;
        parse_check_pod(parse, &here, NULL, jq);
        if (jq != NULL)
            expressions[(*count)++] = jq;
    }
    return expressions;
}

static void parse_member(struct parse *parse, const struct at *at, const json_t *object,
                         struct member *member, bool older)
{
    static const char *const current[] = {"componentName", "topology", NULL};
    static const char *const old[] = {"componentName", "groupByKeyPaths", "filters", NULL};
    schema_known(parse->problems, at, object, older ? old : current);
    member->component_name =
        parse_keep(parse, schema_need_text(parse->problems, at, object, "componentName"));
    if (member->component_name != NULL)
        member->component = definition_component(parse->definition, member->component_name);
    if (!older) {
        member->topology = parse_topology(parse, at, object);
        return;
    }
    member->keys = parse_list(parse, at, object, "groupByKeyPaths", &member->key_count);
    member->filters = parse_list(parse, at, object, "filters", &member->filter_count);
}

static void parse_group(struct parse *parse, const struct at *at, const json_t *object,
                        struct pod_group *group, bool older)
{
    static const char *const current[] = {"name", "subGroups", "topology", NULL};
    static const char *const old[] = {"name", "members", NULL};
    const char *key = older ? "members" : "subGroups";
    schema_known(parse->problems, at, object, older ? old : current);
    group->name = parse_keep(parse, schema_need_text(parse->problems, at, object, "name"));
    if (!older)
        group->topology = parse_topology(parse, at, object);
    const json_t *list = schema_get(parse->problems, at, object, key, JSON_ARRAY);
    bool missing = !schema_states(object, key);
    if (missing || (list != NULL && json_array_size(list) == 0))
        schema_problem(parse->problems, KARTA_REFUSAL, at, key,
                       "is %s: a pod group names at least one component",
                       missing ? "missing" : "empty");
    group->members = parse_array(parse, json_array_size(list), sizeof *group->members);
    const struct at list_at = {at, key, 0};
    for (size_t i = 0; group->members != NULL && i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *element = parse_element(parse, &here, json_array_get(list, i));
        struct member *member = &group->members[group->count++];
        member->component = parse->definition->component_count;
        if (element != NULL)
            parse_member(parse, &here, element, member, older);
    }
}

static void parse_groups(struct parse *parse, const struct at *at, const json_t *gang)
{
    struct karta_definition *definition = parse->definition;
    const json_t *group = schema_get(parse->problems, at, gang, "podGroup", JSON_OBJECT);
    const json_t *list = schema_get(parse->problems, at, gang, "podGroups", JSON_ARRAY);
    if (schema_states(gang, "podGroups"))
        schema_problem(parse->problems, KARTA_WARNING, at, "podGroups", "%s",
                       schema_states(gang, "podGroup")
                           ? "is not looked at, since podGroup stands beside it; keep one"
                           : "is deprecated: podGroup says the same for the whole workload");
    size_t count = group != NULL ? 1 : json_array_size(list);
    definition->groups = parse_array(parse, count, sizeof *definition->groups);
    if (definition->groups == NULL)
        return;
    const struct at group_at = {at, "podGroup", 0};
    const struct at list_at = {at, "podGroups", 0};
    if (group != NULL) {
        parse_group(parse, &group_at, group, &definition->groups[definition->group_count++], false);
        return;
    }
    definition->older_gang = count > 0;
    for (size_t i = 0; i < count; i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *object = parse_element(parse, &here, json_array_get(list, i));
        struct pod_group *element = &definition->groups[definition->group_count++];
        if (object != NULL)
            parse_group(parse, &here, object, element, true);
    }
}

void parse_gang(struct parse *parse, const struct at *at, const json_t *spec)
{
    static const char *const names[] = {"gangScheduling", NULL};
    static const char *const gang_names[] = {"podGroup", "podGroups", NULL};
    const json_t *value =
        schema_get(parse->problems, at, spec, "optimizationInstructions", JSON_OBJECT);
    if (value == NULL)
        return;
    const struct at here = {at, "optimizationInstructions", 0};
    schema_known(parse->problems, &here, value, names);
    const json_t *gang = schema_get(parse->problems, &here, value, names[0], JSON_OBJECT);
    const struct at gang_at = {&here, names[0], 0};
    if (gang == NULL)
        return;
    schema_known(parse->problems, &gang_at, gang, gang_names);
    parse_groups(parse, &gang_at, gang);
}
