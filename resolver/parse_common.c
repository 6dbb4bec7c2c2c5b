/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of a definition's document. The one idea: read on after every problem; what could not be
 * read stays absent.
 */
#include "parse_common.h"

#include <ctype.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "expression_parse.h"

char *parse_keep(struct parse *parse, const char *text)
{
    if (text == NULL)
        return NULL;
    char *copy = strdup(text);
    if (copy == NULL)
        parse->failed = KARTA_ERR_NOMEM;
    return copy;
}

void *parse_array(struct parse *parse, size_t count, size_t size)
{
    void *list = mem_array(count > 0 ? count : 1, size);
    if (list == NULL)
        parse->failed = KARTA_ERR_NOMEM;
    return list;
}

struct jq_expression *parse_expression(struct parse *parse, const struct at *at,
                                       const json_t *object, const char *key)
{
    const char *text = schema_text(parse->problems, at, object, key);
    return text != NULL ? expression_parse(parse->problems, at, key, text) : NULL;
}

struct jq_expression *parse_write_path(struct parse *parse, const struct at *at,
                                       const json_t *object, const char *key)
{
    struct jq_expression *jq = parse_expression(parse, at, object, key);
    if (jq != NULL)
        expression_need_path(parse->problems, at, key, jq);
    return jq;
}

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

struct jq_expression *parse_need_expression(struct parse *parse, const struct at *at,
                                            const json_t *object, const char *key)
{
    if (!schema_states(object, key))
        schema_problem(parse->problems, KARTA_REFUSAL, at, key, "is missing");
    return parse_expression(parse, at, object, key);
}

/* `.spec.template` is a place in workloads; a pod has its containers in .spec itself. */
void parse_check_pod(struct parse *parse, const struct at *at, const char *key,
                     const struct jq_expression *jq)
{
    static const char path[] = ".spec.template";
    const char *text = jq != NULL ? jq_expression_text(jq) : "";
    if (strncmp(text, path, strlen(path)) == 0 && !is_name_character(text[strlen(path)]))
        schema_problem(parse->problems, KARTA_WARNING, at, key,
                       "reads .spec.template, but it is run on a pod, not on the workload");
}

struct jq_expression *parse_pod_expression(struct parse *parse, const struct at *at,
                                           const json_t *object, const char *key)
{
    struct jq_expression *jq = parse_need_expression(parse, at, object, key);
    parse_check_pod(parse, at, key, jq);
    return jq;
}

/* The element as an object, or NULL and a problem. */
const json_t *parse_element(struct parse *parse, const struct at *at, const json_t *element)
{
    if (json_is_object(element))
        return element;
    schema_wrong_type(parse->problems, at, NULL, element, JSON_OBJECT);
    return NULL;
}

bool parse_text_map(struct parse *parse, const struct at *at, const json_t *map)
{
    const char *key;
    json_t *value;
    bool good = true;
    json_object_foreach((json_t *)map, key, value)
    {
        if (json_is_string(value))
            continue;
        schema_wrong_type(parse->problems, at, key, value, JSON_STRING);
        good = false;
    }
    return good;
}

char *parse_text(struct parse *parse, const struct at *at, const json_t *object, const char *key)
{
    return parse_text_or(parse, at, object, key, NULL);
}

char *parse_text_or(struct parse *parse, const struct at *at, const json_t *object, const char *key,
                    const char *fallback)
{
    const char *text = schema_text(parse->problems, at, object, key);
    return parse_keep(parse, text != NULL && text[0] != '\0' ? text : fallback);
}

bool parse_knows_names(const struct karta_definition *definition)
{
    const json_t *spec = json_object_get(definition->document, "spec");
    const json_t *structure = json_object_get(spec, "structureDefinition");
    const json_t *children = json_object_get(structure, "childComponents");
    if (schema_states(structure, "childComponents") &&
        (!json_is_array(children) || json_array_size(children) >= LIMIT_COMPONENTS))
        return false;
    for (size_t i = 0; i < definition->component_count; i++)
        if (definition->components[i].name == NULL)
            return false;
    return definition->component_count > 0;
}

const char *parse_nearest_component(const struct karta_definition *definition, const char *name)
{
    const char *names[LIMIT_COMPONENTS + 1];
    size_t count = 0;
    for (size_t i = 0; i < definition->component_count && count < LIMIT_COMPONENTS; i++)
        if (definition->components[i].name != NULL)
            names[count++] = definition->components[i].name;
    names[count] = NULL;
    return nearest_name(name, names);
}
