/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a gang's members are components, and whether their pods can be told apart. */
#include <string.h>

#include "definition_validate.h"
#include "parse_common.h"

static const struct at at_spec = {NULL, "spec", 0};
static const struct at at_optimization = {&at_spec, "optimizationInstructions", 0};
static const struct at at_gang = {&at_optimization, "gangScheduling", 0};

/* False where something in the selector was refused: then it is not compared. */
static bool is_readable(const struct check *check, size_t index)
{
    const struct pod_selector *selector = &check->definition->components[index].selector;
    const json_t *document = check_component_document(check, index);
    if (!schema_states(document, "podSelector"))
        return json_is_object(document);
    const json_t *type =
        json_object_get(json_object_get(document, "podSelector"), "componentTypeSelector");
    if (!schema_states(json_object_get(document, "podSelector"), "componentTypeSelector"))
        return selector->present;
    bool key = schema_states(type, "keyPath") == (selector->type_key != NULL),
         value = schema_states(type, "value") == (selector->type_value != NULL),
         labels = (json_object_size(json_object_get(type, "matchLabels")) > 0) ==
                  (selector->match_labels != NULL);
    return selector->has_type && key && value && labels &&
           (selector->type_key != NULL || selector->match_labels != NULL);
}

static bool same_optional(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Both have a type selector. */
static bool same_selector(const struct pod_selector *a, const struct pod_selector *b)
{
    const char *one = a->type_key != NULL ? jq_expression_text(a->type_key) : NULL;
    const char *two = b->type_key != NULL ? jq_expression_text(b->type_key) : NULL;
    if (!same_optional(one, two) || !same_optional(a->type_value, b->type_value))
        return false;
    if (a->match_labels == NULL || b->match_labels == NULL)
        return a->match_labels == b->match_labels;
    return json_equal(a->match_labels, b->match_labels);
}

static bool is_member(const struct karta_definition *definition, size_t component)
{
    for (size_t g = 0; g < definition->group_count; g++)
        for (size_t m = 0; m < definition->groups[g].count; m++)
            if (definition->groups[g].members[m].component == component)
                return true;
    return false;
}

/*
 * True when the selector of leaf `index` takes pods of leaf `other` too: it has none, or it is the
 * same as that of one that stands before it.
 */
static bool takes_pods_of(const struct check *check, size_t index, size_t other)
{
    const struct component *components = check->definition->components;
    const struct pod_selector *selector = &components[index].selector;
    if (other == index || !component_is_leaf(&components[other]) || !is_readable(check, other))
        return false;
    if (!selector->has_type)
        return true;
    return other < index && components[other].selector.has_type &&
           same_selector(selector, &components[other].selector);
}

/* The first such leaf, members of a gang before others; `index` where there is none. */
static size_t find_double(const struct check *check, size_t index)
{
    const struct karta_definition *definition = check->definition;
    size_t found = index;
    for (size_t i = definition->component_count; i-- > 0;)
        if (takes_pods_of(check, index, i) &&
            (found == index || !is_member(definition, found) || is_member(definition, i)))
            found = i;
    return found;
}

static void check_selector(struct check *check, size_t index)
{
    const struct karta_definition *definition = check->definition;
    const struct component *component = &definition->components[index];
    const struct at at = check_component_at(index);
    if (!component_is_leaf(component) || !is_readable(check, index))
        return;
    size_t other = find_double(check, index);
    if (other == index)
        return;
    bool both = is_member(definition, index) && is_member(definition, other);
    const char *name = definition->components[other].name;
    schema_problem(check->problems, both ? KARTA_REFUSAL : KARTA_WARNING, &at, "podSelector",
                   component->selector.has_type
                       ? "has the componentTypeSelector of \"%s\", so their pods cannot be told "
                         "apart"
                       : "has no componentTypeSelector, so its pods cannot be told from those of "
                         "\"%s\"",
                   name != NULL ? name : "");
}

static void check_member(struct check *check, const struct at *at, const struct pod_group *group,
                         size_t index)
{
    const struct karta_definition *definition = check->definition;
    const struct member *member = &group->members[index];
    const char *name = member->component_name;
    char meant[MEANT_SIZE];
    if (name == NULL || name[0] == '\0')
        return;
    if (member->component == definition->component_count && parse_knows_names(definition))
        schema_problem(check->problems, KARTA_REFUSAL, at, "componentName",
                       "names no component: \"%s\"%s", name,
                       did_you_mean(parse_nearest_component(definition, name), meant));
    for (size_t i = 0; i < index; i++) {
        const char *other = group->members[i].component_name;
        if (other == NULL || strcmp(other, name) != 0)
            continue;
        schema_problem(check->problems, KARTA_REFUSAL, at, "componentName",
                       "lists \"%s\" a second time", name);
        return;
    }
}

static void check_group_name(struct check *check, const struct at *at, size_t index)
{
    const struct pod_group *groups = check->definition->groups;
    for (size_t i = 0; i < index && groups[index].name != NULL; i++) {
        if (groups[i].name == NULL || strcmp(groups[i].name, groups[index].name) != 0)
            continue;
        schema_problem(check->problems, KARTA_REFUSAL, at, "name",
                       "is \"%s\", which another pod group is called already", groups[i].name);
        return;
    }
}

void gang_validate(struct check *check)
{
    const struct karta_definition *definition = check->definition;
    const struct at single = {&at_gang, "podGroup", 0};
    const struct at list = {&at_gang, "podGroups", 0};
    for (size_t i = 0; i < definition->component_count; i++)
        check_selector(check, i);
    for (size_t g = 0; g < definition->group_count; g++) {
        const struct pod_group *group = &definition->groups[g];
        const struct at element = {&list, NULL, g};
        const struct at at = definition->older_gang ? element : single;
        const struct at members = {&at, definition->older_gang ? "members" : "subGroups", 0};
        check_group_name(check, &at, g);
        for (size_t m = 0; m < group->count; m++) {
            const struct at here = {&members, NULL, m};
            check_member(check, &here, group, m);
        }
    }
}
