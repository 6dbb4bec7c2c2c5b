/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of a definition's document. The one idea: read on after every problem; what could not be
 * read stays absent.
 */
#include "parse_common.h"

#include <string.h>

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

struct jq_expression *parse_need_expression(struct parse *parse, const struct at *at,
                                            const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL || json_is_null(value))
        schema_problem(parse->problems, KARTA_REFUSAL, at, key, "is missing");
    return parse_expression(parse, at, object, key);
}

/* The element as an object, or NULL and a problem. */
const json_t *parse_element(struct parse *parse, const struct at *at, const json_t *element)
{
    if (json_is_object(element))
        return element;
    schema_problem(parse->problems, KARTA_REFUSAL, at, NULL, "is %s where an object belongs",
                   json_type_text(json_typeof(element)));
    return NULL;
}

bool parse_states(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value != NULL && !json_is_null(value);
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
        schema_problem(parse->problems, KARTA_REFUSAL, at, key, "is %s where text belongs",
                       json_type_text(json_typeof(value)));
        good = false;
    }
    return good;
}

char *parse_text_or(struct parse *parse, const struct at *at, const json_t *object, const char *key,
                    const char *fallback)
{
    const char *text = schema_text(parse->problems, at, object, key);
    return parse_keep(parse, text != NULL && text[0] != '\0' ? text : fallback);
}
