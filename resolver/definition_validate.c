/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the parts of a definition fit together: names, owners, instances, status rules. The one
 * idea: a rule is asked only of what could be read; of a field that stands there and was refused
 * nothing more is said.
 */
#include "definition_validate.h"

#include <string.h>

#include "names.h"
#include "parse_common.h"
#include "problem_list.h"

static const struct at at_spec = {NULL, "spec", 0};
static const struct at at_structure = {&at_spec, "structureDefinition", 0};
static const struct at at_root = {&at_structure, "rootComponent", 0};
static const struct at at_children = {&at_structure, "childComponents", 0};

struct at check_component_at(size_t index)
{
    if (index == 0)
        return at_root;
    return (struct at){&at_children, NULL, index - 1};
}

const json_t *check_component_document(const struct check *check, size_t index)
{
    const json_t *structure = json_object_get(json_object_get(check->definition->document, "spec"),
                                              "structureDefinition");
    if (index == 0)
        return json_object_get(structure, "rootComponent");
    return json_array_get(json_object_get(structure, "childComponents"), index - 1);
}

static void check_name(struct check *check, size_t index)
{
    const struct component *component = &check->definition->components[index];
    const struct at at = check_component_at(index);
    if (component->name == NULL || component->name[0] == '\0')
        return;
    if (definition_component(check->definition, component->name) < index)
        schema_problem(check->problems, KARTA_REFUSAL, &at, "name",
                       "is \"%s\", which another component is called already", component->name);
    char label[NAME_SIZE];
    name_dns_label(component->name, label);
    if (strcmp(label, component->name) != 0)
        schema_problem(check->problems, KARTA_WARNING, &at, "name",
                       "\"%s\" cannot stand as it is in names of subgroups, which have lower-case "
                       "letters, digits and \"-\", at most 63",
                       component->name);
}

static void check_owner(struct check *check, size_t index)
{
    struct karta_definition *definition = check->definition;
    struct component *component = &definition->components[index];
    const json_t *document = check_component_document(check, index);
    const struct at at = check_component_at(index);
    const char *name = component->owner_ref;
    bool stated = name != NULL && name[0] != '\0';
    char meant[MEANT_SIZE];
    component->owner = 0;
    if (index == 0 && stated)
        schema_problem(check->problems, KARTA_REFUSAL, &at, "ownerRef",
                       "stands on the root, which has no owner");
    if (index == 0 || (name == NULL && schema_states(document, "ownerRef")))
        return;
    size_t owner = stated ? definition_component(definition, name) : 0;
    if (!stated && json_is_object(document))
        schema_problem(check->problems, KARTA_REFUSAL, &at, "ownerRef",
                       "is %s: every child names its parent component",
                       name != NULL ? "empty" : "missing");
    else if (owner < definition->component_count)
        component->owner = owner;
    else if (parse_knows_names(definition))
        schema_problem(check->problems, KARTA_REFUSAL, &at, "ownerRef",
                       "names no component: \"%s\"%s", name,
                       did_you_mean(parse_nearest_component(definition, name), meant));
}

/* True when the owners of `index` come back to it. */
static bool in_cycle(const struct karta_definition *definition, size_t index)
{
    size_t owner = definition->components[index].owner;
    for (size_t steps = 0; steps < definition->component_count; steps++) {
        if (owner == 0 || owner == index)
            break;
        owner = definition->components[owner].owner;
    }
    return index != 0 && owner == index;
}

/* Said of each component in the circle; those that hang below it have a good owner. */
static void check_cycle(struct check *check, size_t index)
{
    const struct component *component = &check->definition->components[index];
    const struct at at = check_component_at(index);
    if (component->owner == index && index != 0)
        schema_problem(check->problems, KARTA_REFUSAL, &at, "ownerRef",
                       "names the component itself; a child's owner stands above it");
    else if (in_cycle(check->definition, index))
        schema_problem(check->problems, KARTA_REFUSAL, &at, "ownerRef",
                       "is part of a cycle: its owners never reach the root");
}

static void check_ids(struct check *check, size_t index)
{
    const json_t *document = check_component_document(check, index);
    const json_t *selector = json_object_get(document, "podSelector");
    const struct at at = check_component_at(index);
    const struct at selector_at = {&at, "podSelector", 0};
    bool ids = schema_states(document, "instanceIdPath"),
         selects = schema_states(selector, "componentInstanceSelector"),
         readable = json_is_object(selector) || !schema_states(document, "podSelector");
    if (ids && !selects && readable && json_is_string(json_object_get(document, "instanceIdPath")))
        schema_problem(check->problems, KARTA_REFUSAL, &at, "instanceIdPath",
                       "needs podSelector.componentInstanceSelector.idPath, which says what "
                       "instance a pod is of");
    if (selects && !ids)
        schema_problem(check->problems, KARTA_REFUSAL, &selector_at, "componentInstanceSelector",
                       "needs instanceIdPath, which lists the component's instances");
}

static void check_matchers(struct check *check, const struct at *at, const json_t *status,
                           const struct status_rule *rule)
{
    for (size_t i = 0; i < rule->count; i++) {
        const struct at here = {at, NULL, i};
        if (rule->matchers[i].phase != NULL && !schema_states(status, "phaseDefinition"))
            schema_problem(check->problems, KARTA_REFUSAL, &here, "byPhase",
                           "needs a phaseDefinition, and there is none");
        if (rule->matchers[i].condition_count > 0 && !schema_states(status, "conditionsDefinition"))
            schema_problem(check->problems, KARTA_REFUSAL, &here, "byConditions",
                           "needs a conditionsDefinition, and there is none");
    }
}

static void check_status(struct check *check, size_t index)
{
    static const char *const keys[] = {"resuming", "suspending", "suspended",    "running",
                                       "failed",   "completed",  "initializing", "degraded"};
    const struct status_definition *status = &check->definition->components[index].status;
    const json_t *document = check_component_document(check, index);
    const struct at at = check_component_at(index);
    if (index == 0 && json_is_object(document) && !schema_states(document, "statusDefinition"))
        schema_problem(check->problems, KARTA_REFUSAL, &at, "statusDefinition",
                       "is missing: the root says what its status means");
    const struct at here = {&at, "statusDefinition", 0};
    const struct at mappings = {&here, "statusMappings", 0};
    for (size_t s = 0; s < STATUSES; s++) {
        const struct at rule = {&mappings, keys[s], 0};
        check_matchers(check, &rule, json_object_get(document, "statusDefinition"),
                       &status->rules[s]);
    }
}

static void check_scale(struct check *check, size_t index)
{
    const struct component *component = &check->definition->components[index];
    const struct at at = check_component_at(index);
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

static bool same_text(const json_t *object, const char *key, const char *text)
{
    const char *other = json_string_value(json_object_get(object, key));
    return strcmp(other != NULL ? other : "", text) == 0;
}

/* additionalChildKinds is for kinds that no component has. */
static void check_additional(struct check *check)
{
    const struct karta_definition *definition = check->definition;
    const json_t *structure =
        json_object_get(json_object_get(definition->document, "spec"), "structureDefinition");
    const json_t *list = json_object_get(structure, "additionalChildKinds");
    const struct at list_at = {&at_structure, "additionalChildKinds", 0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *kind = json_array_get(list, i);
        const struct at here = {&list_at, NULL, i};
        for (size_t c = 0; c < definition->component_count; c++) {
            const struct component *component = &definition->components[c];
            const struct gvk *gvk = &component->kind;
            if (component->name == NULL || gvk->kind == NULL || gvk->kind[0] == '\0' ||
                !same_text(kind, "kind", gvk->kind) || !same_text(kind, "group", gvk->group) ||
                !same_text(kind, "version", gvk->version))
                continue;
            schema_problem(check->problems, KARTA_WARNING, &here, NULL,
                           "is the kind of component \"%s\" already; leave it out here",
                           component->name);
            break;
        }
    }
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
    }
    check_additional(&check);
    gang_validate(&check);
    problems_order(problems, definition->document);
}
