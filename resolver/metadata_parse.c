/* SPDX-License-Identifier: Apache-2.0 */
/* A definition's metadata: its name, and the annotations that say more than the Karta's spec can.
 */
#include <stdlib.h>
#include <string.h>

#include "expression_parse.h"
#include "parse_common.h"

#define PREFIX "workloadmap.dev/"

/* Texts of ours that hold JSON. New, or NULL where there is none, or a problem. */
static json_t *annotation_json(struct parse *parse, const struct at *at, const json_t *annotations,
                               const char *key, json_type type, const char *wanted)
{
    const json_t *annotation = json_object_get(annotations, key);
    const char *text = json_string_value(annotation);
    if (text == NULL)
        return NULL;
    json_error_t error;
    json_t *value = json_loadb(text, json_string_length(annotation),
                               JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (value == NULL)
        schema_problem(parse->problems, KARTA_REFUSAL, at, key, "is not %s: %s", wanted,
                       error.text);
    else if (json_typeof(value) != type)
        schema_problem(parse->problems, KARTA_REFUSAL, at, key, "is not %s but %s", wanted,
                       json_type_text(json_typeof(value)));
    if (value == NULL || json_typeof(value) == type)
        return value;
    json_decref(value);
    return NULL;
}

static json_t *annotation_map(struct parse *parse, const struct at *at, const json_t *annotations,
                              const char *key, const char *wanted)
{
    json_t *map = annotation_json(parse, at, annotations, key, JSON_OBJECT, wanted);
    const struct at here = {at, key, 0};
    if (map != NULL)
        parse_text_map(parse, &here, map);
    return map;
}

/* starts-later: component -> jq. */
static void parse_late(struct parse *parse, const struct at *at, const json_t *annotations)
{
    static const char key[] = PREFIX "starts-later";
    const struct karta_definition *definition = parse->definition;
    json_auto_t *map = annotation_map(parse, at, annotations, key,
                                      "a JSON object of components and their expressions");
    const struct at here = {at, key, 0};
    const char *name;
    json_t *text;
    json_object_foreach(map, name, text)
    {
        size_t c = definition_component(definition, name);
        char meant[MEANT_SIZE];
        if (c < definition->component_count && json_is_string(text))
            definition->components[c].late.jq = parse_expression(parse, &here, map, name);
        else if (c == definition->component_count && parse_knows_names(definition))
            schema_problem(parse->problems, KARTA_REFUSAL, &here, name, "names no component%s",
                           did_you_mean(parse_nearest_component(definition, name), meant));
    }
}

static size_t find_group(const struct karta_definition *definition, const char *name)
{
    size_t g = 0;
    while (g < definition->group_count &&
           (definition->groups[g].name == NULL || strcmp(definition->groups[g].name, name) != 0))
        g++;
    return g;
}

static const char *nearest_group(const struct karta_definition *definition, const char *name)
{
    const char **names = calloc(definition->group_count + 1, sizeof *names);
    size_t count = 0;
    for (size_t g = 0; names != NULL && g < definition->group_count; g++)
        if (definition->groups[g].name != NULL)
            names[count++] = definition->groups[g].name;
    const char *best = names != NULL ? nearest_name(name, names) : NULL;
    free(names);
    return best;
}

/* True when the names of all pod groups could be read, as parse_knows_names. */
static bool knows_groups(const struct karta_definition *definition)
{
    static const char *const path[] = {"spec", "optimizationInstructions", "gangScheduling"};
    const json_t *gang = definition->document;
    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++) {
        if (schema_states(gang, path[i]) && !json_is_object(json_object_get(gang, path[i])))
            return false;
        gang = json_object_get(gang, path[i]);
    }
    const json_t *group = json_object_get(gang, "podGroup");
    const json_t *list = json_object_get(gang, "podGroups");
    if (schema_states(gang, "podGroup") && !json_is_object(group))
        return false;
    if (group == NULL && schema_states(gang, "podGroups") &&
        json_array_size(list) != definition->group_count)
        return false;
    for (size_t g = 0; g < definition->group_count; g++)
        if (definition->groups[g].name == NULL)
            return false;
    return true;
}

/* min-member-path: pod group -> jq. */
static void parse_minimums(struct parse *parse, const struct at *at, const json_t *annotations)
{
    static const char key[] = PREFIX "min-member-path";
    const struct karta_definition *definition = parse->definition;
    json_auto_t *map = annotation_map(parse, at, annotations, key,
                                      "a JSON object of pod groups and their expressions");
    const struct at here = {at, key, 0};
    const char *name;
    json_t *text;
    json_object_foreach(map, name, text)
    {
        size_t g = find_group(definition, name);
        char meant[MEANT_SIZE];
        if (g < definition->group_count && json_is_string(text))
            definition->groups[g].minimum.jq = parse_expression(parse, &here, map, name);
        else if (g == definition->group_count && knows_groups(definition))
            schema_problem(parse->problems, KARTA_REFUSAL, &here, name, "names no pod group%s",
                           did_you_mean(nearest_group(definition, name), meant));
    }
}

/* One path of constant-keys, which names one label or annotation. */
static void check_constant(struct parse *parse, const struct at *at, const char *text)
{
    const char *where, *name;
    struct jq_expression *jq = expression_parse(parse->problems, at, NULL, text);
    if (jq != NULL && !jq_expression_metadata_key(jq, &where, &name))
        schema_problem(parse->problems, KARTA_REFUSAL, at, NULL,
                       "names no single label or annotation of a pod, as "
                       ".metadata.labels[\"example.com/job-name\"] does, at column 1 of `%s`",
                       text);
    jq_expression_free(jq);
}

/* constant-keys: what has one value on all pods of a workload. */
static void check_constants(struct parse *parse, const struct at *at, const json_t *annotations)
{
    static const char key[] = PREFIX "constant-keys";
    json_auto_t *list =
        annotation_json(parse, at, annotations, key, JSON_ARRAY, "a JSON list of paths");
    const struct at list_at = {at, key, 0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const char *text = schema_element_text(parse->problems, &here, json_array_get(list, i));
        if (text != NULL)
            check_constant(parse, &here, text);
    }
}

/* Warns of names with our prefix that nothing reads. */
static void check_names(struct parse *parse, const struct at *at, const json_t *annotations)
{
    static const char *const names[] = {"plural", "starts-later", "min-member-path",
                                        "constant-keys", NULL};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)annotations, key, value)
    {
        if (strncmp(key, PREFIX, strlen(PREFIX)) != 0)
            continue;
        const char *rest = key + strlen(PREFIX);
        const char *const *name = names;
        while (*name != NULL && strcmp(*name, rest) != 0)
            name++;
        const char *near = *name == NULL ? nearest_name(rest, names) : NULL;
        if (near != NULL)
            schema_problem(parse->problems, KARTA_WARNING, at, key,
                           "is not a known annotation (did you mean " PREFIX "%s?)", near);
    }
}

/* Where no API server can be asked, the plural is what a resource is addressed by. */
static void parse_plural(struct parse *parse, const struct at *at, const json_t *annotations)
{
    static const char key[] = PREFIX "plural";
    const json_t *value = json_object_get(annotations, key);
    if (json_string_length(value) > 0)
        parse->definition->plural = parse_keep(parse, json_string_value(value));
    if (!schema_states(annotations, key) ||
        (json_is_string(value) && json_string_length(value) == 0))
        schema_problem(parse->problems, KARTA_WARNING, at, key,
                       "is missing: the resource's name (such as \"jobs\"), for where no API "
                       "server can be asked");
}

static void parse_annotations(struct parse *parse, const struct at *at, const json_t *annotations)
{
    parse_text_map(parse, at, annotations);
    check_names(parse, at, annotations);
    parse_plural(parse, at, annotations);
    parse_late(parse, at, annotations);
    parse_minimums(parse, at, annotations);
    check_constants(parse, at, annotations);
}

void parse_metadata(struct parse *parse, const json_t *document)
{
    static const char *const names[] = {"name",
                                        "generateName",
                                        "namespace",
                                        "labels",
                                        "annotations",
                                        "uid",
                                        "resourceVersion",
                                        "generation",
                                        "finalizers",
                                        "ownerReferences",
                                        "managedFields",
                                        "creationTimestamp",
                                        "selfLink",
                                        "deletionTimestamp",
                                        "deletionGracePeriodSeconds",
                                        NULL};
    const struct at at = {NULL, "metadata", 0};
    const struct at annotations_at = {&at, "annotations", 0}, labels_at = {&at, "labels", 0};
    const json_t *metadata = schema_get(parse->problems, NULL, document, "metadata", JSON_OBJECT);
    if (metadata == NULL && schema_states(document, "metadata"))
        return;
    schema_known(parse->problems, &at, metadata, names);
    if (!schema_states(metadata, "name") && !schema_states(metadata, "generateName"))
        schema_problem(parse->problems, KARTA_REFUSAL, &at, "name", "is missing");
    parse->definition->name = parse_text_or(parse, &at, metadata, "name", "");
    const json_t *labels = schema_get(parse->problems, &at, metadata, "labels", JSON_OBJECT);
    parse_text_map(parse, &labels_at, labels);
    const json_t *annotations =
        schema_get(parse->problems, &at, metadata, "annotations", JSON_OBJECT);
    if (annotations != NULL || !schema_states(metadata, "annotations"))
        parse_annotations(parse, &annotations_at, annotations);
}
