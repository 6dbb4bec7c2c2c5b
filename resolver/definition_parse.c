/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Karta document to the typed definition. The one idea: read on after every problem, so that the
 * author hears of all of them at once. Whether the parts fit together is definition_validate's
 * question.
 */
#include <string.h>

#include "base/limits.h"
#include "expression_parse.h"
#include "parse_common.h"

static void parse_structure(struct parse *parse, const struct at *at, const json_t *spec)
{
    static const char *const names[] = {"rootComponent", "childComponents", "additionalChildKinds",
                                        NULL};
    struct karta_definition *definition = parse->definition;
    const json_t *structure =
        schema_get(parse->problems, at, spec, "structureDefinition", JSON_OBJECT);
    if (!parse_states(spec, "structureDefinition"))
        schema_problem(parse->problems, KARTA_REFUSAL, at, "structureDefinition", "is missing");
    if (structure == NULL)
        return;
    const struct at here = {at, "structureDefinition", 0};
    schema_known(parse->problems, &here, structure, names);
    const json_t *root = schema_get(parse->problems, &here, structure, names[0], JSON_OBJECT);
    if (!parse_states(structure, names[0]))
        schema_problem(parse->problems, KARTA_REFUSAL, &here, names[0], "is missing");
    const json_t *children = schema_get(parse->problems, &here, structure, names[1], JSON_ARRAY);
    schema_get(parse->problems, &here, structure, names[2], JSON_ARRAY);
    size_t count = json_array_size(children);
    if (count >= LIMIT_COMPONENTS) {
        schema_problem(parse->problems, KARTA_REFUSAL, &here, names[1],
                       "has %zu entries; at most %u", count, LIMIT_COMPONENTS - 1);
        count = 0;
    }
    definition->components = parse_array(parse, count + 1, sizeof *definition->components);
    if (root == NULL || definition->components == NULL)
        return;
    const struct at root_at = {&here, names[0], 0};
    definition->component_count = 1;
    parse_component(parse, &root_at, root, &definition->components[0], true);
    const struct at list_at = {&here, names[1], 0};
    for (size_t i = 0; i < count; i++) {
        const struct at child_at = {&list_at, NULL, i};
        const json_t *child = json_array_get(children, i);
        struct component *component = &definition->components[definition->component_count++];
        if (parse_element(parse, &child_at, child) != NULL)
            parse_component(parse, &child_at, child, component, false);
    }
}

/* An annotation that holds a JSON object of texts, e.g. component -> jq. New, or NULL. */
static json_t *annotation_map(struct parse *parse, const struct at *at, const json_t *annotations,
                              const char *key)
{
    const char *text = schema_text(parse->problems, at, annotations, key);
    if (text == NULL)
        return NULL;
    json_t *map = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const struct at here = {at, key, 0};
    if (json_is_object(map) && parse_text_map(parse, &here, map))
        return map;
    if (!json_is_object(map))
        schema_problem(parse->problems, KARTA_REFUSAL, at, key, "is not a JSON object of texts");
    json_decref(map);
    return NULL;
}

static void parse_late(struct parse *parse, const struct at *at, const json_t *annotations)
{
    json_auto_t *map = annotation_map(parse, at, annotations, "workloadmap.dev/starts-later");
    const struct at here = {at, "workloadmap.dev/starts-later", 0};
    const char *name;
    json_t *text;
    json_object_foreach(map, name, text)
    {
        size_t c = definition_component(parse->definition, name);
        if (c == parse->definition->component_count) {
            schema_problem(parse->problems, KARTA_REFUSAL, &here, name, "names no component");
            continue;
        }
        parse->definition->components[c].late.jq =
            expression_parse(parse->problems, &here, name, json_string_value(text));
    }
}

static void parse_minimums(struct parse *parse, const struct at *at, const json_t *annotations)
{
    struct karta_definition *definition = parse->definition;
    json_auto_t *map = annotation_map(parse, at, annotations, "workloadmap.dev/min-member-path");
    const struct at here = {at, "workloadmap.dev/min-member-path", 0};
    const char *name;
    json_t *text;
    json_object_foreach(map, name, text)
    {
        size_t g = 0;
        while (g < definition->group_count && (definition->groups[g].name == NULL ||
                                               strcmp(definition->groups[g].name, name) != 0))
            g++;
        if (g == definition->group_count)
            schema_problem(parse->problems, KARTA_REFUSAL, &here, name, "names no pod group");
        else
            definition->groups[g].minimum.jq =
                expression_parse(parse->problems, &here, name, json_string_value(text));
    }
}

static void parse_metadata(struct parse *parse, const json_t *document)
{
    const struct at root = {NULL, "metadata", 0};
    const json_t *metadata = schema_get(parse->problems, NULL, document, "metadata", JSON_OBJECT);
    const char *name = schema_text(parse->problems, &root, metadata, "name");
    parse->definition->name = parse_keep(parse, name != NULL ? name : "");
    const json_t *annotations =
        schema_get(parse->problems, &root, metadata, "annotations", JSON_OBJECT);
    const struct at at = {&root, "annotations", 0};
    const char *plural = schema_text(parse->problems, &at, annotations, "workloadmap.dev/plural");
    parse->definition->plural = parse_keep(parse, plural);
    if (plural == NULL)
        schema_problem(parse->problems, KARTA_WARNING, &at, "workloadmap.dev/plural",
                       "is missing: the resource's name, for where no API server can be asked");
    parse_late(parse, &at, annotations);
    parse_minimums(parse, &at, annotations);
}

int definition_parse(struct karta_definition *definition, struct karta_problems *problems)
{
    static const char *const names[] = {"structureDefinition", "optimizationInstructions", NULL};
    struct parse parse = {definition, problems, 0};
    const json_t *document = definition->document;
    const json_t *spec = schema_get(problems, NULL, document, "spec", JSON_OBJECT);
    if (!parse_states(document, "spec"))
        schema_problem(problems, KARTA_REFUSAL, NULL, "spec", "is missing");
    const struct at at = {NULL, "spec", 0};
    if (spec != NULL) {
        schema_known(problems, &at, spec, names);
        parse_structure(&parse, &at, spec);
        parse_gang(&parse, &at, spec);
    }
    parse_metadata(&parse, document);
    return parse.failed;
}
