/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the parts of a definition fit together: owners, selectors, gang members, status rules.
 * The one idea: each rule looks at the typed definition alone and reports by field path.
 */
#include <string.h>

#include "base/mem.h"
#include "definition.h"
#include "names.h"
#include "schema.h"

struct check {
    struct karta_definition *definition;
    struct karta_problems *problems;
};

static const struct at at_spec = {NULL, "spec", 0};
static const struct at at_structure = {&at_spec, "structureDefinition", 0};
static const struct at at_root = {&at_structure, "rootComponent", 0};
static const struct at at_children = {&at_structure, "childComponents", 0};
static const struct at at_optimization = {&at_spec, "optimizationInstructions", 0};
static const struct at at_gang = {&at_optimization, "gangScheduling", 0};

/* Where component `index` stands; valid while the caller's frame lives. */
static struct at component_at(size_t index)
{
    if (index == 0)
        return at_root;
    return (struct at){&at_children, NULL, index - 1};
}

static void check_name(struct check *check, size_t index)
{
    const struct component *component = &check->definition->components[index];
    const struct at at = component_at(index);
    if (component->name == NULL)
        return;
    if (definition_component(check->definition, component->name) < index)
        schema_problem(check->problems, KARTA_REFUSAL, &at, "name", "repeats \"%s\"",
                       component->name);
    char label[NAME_SIZE];
    name_dns_label(component->name, label);
    if (strcmp(label, component->name) != 0)
        schema_problem(check->problems, KARTA_WARNING, &at, "name",
                       "\"%s\" is no DNS label; groups will name it \"%s\"", component->name,
                       label);
}

static void check_owner(struct check *check, size_t index)
{
    struct karta_definition *definition = check->definition;
    struct component *component = &definition->components[index];
    const struct at at = component_at(index);
    component->owner = 0;
    if (index == 0) {
        if (component->owner_ref != NULL && component->owner_ref[0] != '\0')
            schema_problem(check->problems, KARTA_REFUSAL, &at, "ownerRef",
                           "stands on the root, which has no owner");
        return;
    }
    if (component->owner_ref == NULL || component->owner_ref[0] == '\0') {
        schema_problem(check->problems, KARTA_REFUSAL, &at, "ownerRef",
                       "is missing: every child names its parent component");
        return;
    }
    size_t owner = definition_component(definition, component->owner_ref);
    if (owner == definition->component_count) {
        schema_problem(check->problems, KARTA_REFUSAL, &at, "ownerRef",
                       "names no component: \"%s\"", component->owner_ref);
        return;
    }
    component->owner = owner;
}

static void check_cycle(struct check *check, size_t index)
{
    const struct component *component = &check->definition->components[index];
    const struct at at = component_at(index);
    if (index > 0 && !definition_is_below(check->definition, index, 0))
        schema_problem(check->problems, KARTA_REFUSAL, &at, "ownerRef",
                       "is part of a cycle: its owners never reach the root");
    else if (index > 0 && component->owner == index)
        schema_problem(check->problems, KARTA_REFUSAL, &at, "ownerRef", "names itself");
}

static void check_ids(struct check *check, size_t index)
{
    const struct component *component = &check->definition->components[index];
    const struct at at = component_at(index);
    const struct at selector = {&at, "podSelector", 0};
    bool ids = component->ids.jq != NULL, selects = component->selector.instance_id != NULL;
    if (ids && !selects)
        schema_problem(check->problems, KARTA_REFUSAL, &at, "instanceIdPath",
                       "stands without podSelector.componentInstanceSelector.idPath");
    if (selects && !ids)
        schema_problem(check->problems, KARTA_REFUSAL, &selector, "componentInstanceSelector",
                       "stands without instanceIdPath");
}

static void check_matcher(struct check *check, const struct at *at,
                          const struct status_definition *status, const struct matcher *matcher)
{
    if (matcher->phase != NULL && status->phase.jq == NULL)
        schema_problem(check->problems, KARTA_REFUSAL, at, "byPhase",
                       "needs a phaseDefinition, and there is none");
    if (matcher->condition_count > 0 && status->conditions.jq == NULL)
        schema_problem(check->problems, KARTA_REFUSAL, at, "byConditions",
                       "needs a conditionsDefinition, and there is none");
}

static void check_status(struct check *check, size_t index)
{
    static const char *const keys[] = {"resuming", "suspending", "suspended",    "running",
                                       "failed",   "completed",  "initializing", "degraded"};
    const struct status_definition *status = &check->definition->components[index].status;
    const struct at at = component_at(index);
    if (index == 0 && !status->present)
        schema_problem(check->problems, KARTA_REFUSAL, &at, "statusDefinition",
                       "is missing: the root says what its status means");
    const struct at here = {&at, "statusDefinition", 0};
    const struct at mappings = {&here, "statusMappings", 0};
    for (size_t s = 0; s < STATUSES; s++) {
        const struct at rule = {&mappings, keys[s], 0};
        for (size_t i = 0; i < status->rules[s].count; i++) {
            const struct at element = {&rule, NULL, i};
            check_matcher(check, &element, status, &status->rules[s].matchers[i]);
        }
    }
}

static void check_scale(struct check *check, size_t index)
{
    const struct component *component = &check->definition->components[index];
    const struct at at = component_at(index);
    const struct at scale = {&at, "scaleDefinition", 0};
    if (component->replicas.jq == NULL)
        return;
    if (jq_expression_is_bare_path(component->replicas.jq))
        schema_problem(check->problems, KARTA_WARNING, &scale, "replicasPath",
                       "is a bare path: where the field is absent nothing is counted; "
                       "add the kind's default, such as `// 1`");
    if (component->selector.replica_key != NULL)
        schema_problem(check->problems, KARTA_WARNING, &scale, "replicasPath",
                       "stands on the component that has the replicaSelector; "
                       "the count belongs to its owner");
}

static bool same_selector(const struct pod_selector *a, const struct pod_selector *b)
{
    if (!a->has_type || !b->has_type)
        return true;
    if ((a->type_key == NULL) != (b->type_key == NULL))
        return false;
    if (a->type_key != NULL &&
        strcmp(jq_expression_text(a->type_key), jq_expression_text(b->type_key)) != 0)
        return false;
    if ((a->type_value == NULL) != (b->type_value == NULL) ||
        (a->type_value != NULL && strcmp(a->type_value, b->type_value) != 0))
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

/* Two leaves whose pods cannot be told apart. */
static void check_selectors(struct check *check, size_t index)
{
    const struct karta_definition *definition = check->definition;
    const struct component *component = &definition->components[index];
    if (!component_is_leaf(component))
        return;
    const struct at at = component_at(index);
    for (size_t i = 0; i < index; i++) {
        const struct component *other = &definition->components[i];
        if (!component_is_leaf(other) || !same_selector(&component->selector, &other->selector))
            continue;
        bool both = is_member(definition, i) && is_member(definition, index);
        schema_problem(check->problems, both ? KARTA_REFUSAL : KARTA_WARNING, &at, "podSelector",
                       "does not tell its pods from those of \"%s\": each needs a "
                       "componentTypeSelector of its own",
                       other->name != NULL ? other->name : "");
        return;
    }
}

static void check_member(struct check *check, const struct at *at, const struct pod_group *group,
                         size_t index)
{
    const struct member *member = &group->members[index];
    if (member->component_name == NULL)
        return;
    if (member->component == check->definition->component_count)
        schema_problem(check->problems, KARTA_REFUSAL, at, "componentName",
                       "names no component: \"%s\"", member->component_name);
    for (size_t i = 0; i < index; i++) {
        const char *other = group->members[i].component_name;
        if (other != NULL && strcmp(other, member->component_name) == 0)
            schema_problem(check->problems, KARTA_REFUSAL, at, "componentName",
                           "lists \"%s\" a second time", member->component_name);
    }
}

static void check_groups(struct check *check)
{
    const struct karta_definition *definition = check->definition;
    bool older = definition->gang_unsupported != NULL;
    const struct at list = {&at_gang, "podGroups", 0};
    for (size_t g = 0; g < definition->group_count; g++) {
        const struct at element = {&list, NULL, g};
        const struct at single = {&at_gang, "podGroup", 0};
        const struct at group = older ? element : single;
        const struct at members = {&group, older ? "members" : "subGroups", 0};
        for (size_t m = 0; m < definition->groups[g].count; m++) {
            const struct at at = {&members, NULL, m};
            check_member(check, &at, &definition->groups[g], m);
        }
    }
}

/* What the plan cannot do yet is said when the definition is written, not when a job waits. */
static void check_plannable(struct check *check)
{
    struct karta_definition *definition = check->definition;
    for (size_t i = 0; i < definition->component_count && definition->group_count > 0; i++) {
        const struct component *component = &definition->components[i];
        if (definition->gang_unsupported != NULL)
            break;
        if (component->selector.replica_key != NULL)
            definition->gang_unsupported = "its groups per replica are not planned yet";
        else if (component->form == TEMPLATE_FRAGMENTS && is_member(definition, i))
            definition->gang_unsupported = "its templates in fragments are not written yet";
    }
    if (definition->gang_unsupported != NULL)
        schema_problem(check->problems, KARTA_WARNING, &at_optimization, "gangScheduling",
                       "is valid, but workloads will not be ganged: %s",
                       definition->gang_unsupported);
}

void definition_validate(struct karta_definition *definition, struct karta_problems *problems)
{
    struct check check = {definition, problems};
    for (size_t i = 0; i < definition->component_count; i++)
        check_owner(&check, i);
    for (size_t i = 0; i < definition->component_count; i++) {
        check_name(&check, i);
        check_cycle(&check, i);
        check_ids(&check, i);
        check_scale(&check, i);
        check_status(&check, i);
        check_selectors(&check, i);
    }
    check_groups(&check);
    check_plannable(&check);
}
