/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Karta document to the typed definition. The one idea: read on after every problem, so that the
 * author hears of all of them at once. Whether the parts fit together is definition_validate's
 * question.
 */
#include "base/limits.h"
#include "parse_common.h"

/* Kinds that the operator creates besides: nothing here reads them, so their shape is all. */
static void parse_additional(struct parse *parse, const struct at *at, const json_t *structure)
{
    static const char key[] = "additionalChildKinds";
    const json_t *list = schema_get(parse->problems, at, structure, key, JSON_ARRAY);
    const struct at list_at = {at, key, 0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *kind = parse_element(parse, &here, json_array_get(list, i));
        if (kind != NULL)
            parse_whole_kind(parse, &here, kind, true);
    }
}

/* The components in document order, the root first; what could not be read stays empty. */
static void parse_components(struct parse *parse, const struct at *at, const json_t *structure)
{
    struct karta_definition *definition = parse->definition;
    if (!schema_states(structure, "rootComponent"))
        schema_problem(parse->problems, KARTA_REFUSAL, at, "rootComponent",
                       "is missing: the component that is the workload itself");
    const json_t *root = schema_get(parse->problems, at, structure, "rootComponent", JSON_OBJECT);
    const json_t *children =
        schema_get(parse->problems, at, structure, "childComponents", JSON_ARRAY);
    size_t count = json_array_size(children);
    if (count >= LIMIT_COMPONENTS) {
        schema_problem(parse->problems, KARTA_REFUSAL, at, "childComponents",
                       "has %zu entries; at most %u", count, LIMIT_COMPONENTS - 1);
        count = 0;
    }
    definition->components = parse_array(parse, count + 1, sizeof *definition->components);
    if (definition->components == NULL)
        return;
    const struct at root_at = {at, "rootComponent", 0};
    const struct at list_at = {at, "childComponents", 0};
    definition->component_count = 1;
    if (root != NULL)
        parse_component(parse, &root_at, root, &definition->components[0], true);
    for (size_t i = 0; i < count; i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *child = parse_element(parse, &here, json_array_get(children, i));
        struct component *component = &definition->components[definition->component_count++];
        if (child != NULL)
            parse_component(parse, &here, child, component, false);
    }
}

static void parse_structure(struct parse *parse, const struct at *at, const json_t *spec)
{
    static const char *const names[] = {"rootComponent", "childComponents", "additionalChildKinds",
                                        NULL};
    if (!schema_states(spec, "structureDefinition"))
        schema_problem(parse->problems, KARTA_REFUSAL, at, "structureDefinition",
                       "is missing: the workload's components stand in it");
    const json_t *structure =
        schema_get(parse->problems, at, spec, "structureDefinition", JSON_OBJECT);
    if (structure == NULL)
        return;
    const struct at here = {at, "structureDefinition", 0};
    schema_known(parse->problems, &here, structure, names);
    parse_components(parse, &here, structure);
    parse_additional(parse, &here, structure);
}

static void parse_spec(struct parse *parse, const json_t *document)
{
    static const char *const names[] = {"structureDefinition", "optimizationInstructions", NULL};
    if (!schema_states(document, "spec"))
        schema_problem(parse->problems, KARTA_REFUSAL, NULL, "spec", "is missing");
    const json_t *spec = schema_get(parse->problems, NULL, document, "spec", JSON_OBJECT);
    if (spec == NULL)
        return;
    const struct at at = {NULL, "spec", 0};
    schema_known(parse->problems, &at, spec, names);
    parse_structure(parse, &at, spec);
    parse_gang(parse, &at, spec);
}

int definition_parse(struct karta_definition *definition, struct karta_problems *problems)
{
    static const char *const names[] = {"apiVersion", "kind", "metadata", "spec", "status", NULL};
    struct parse parse = {definition, problems, 0};
    schema_known(problems, NULL, definition->document, names);
    parse_spec(&parse, definition->document);
    parse_metadata(&parse, definition->document);
    return parse.failed;
}
