/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Object constructions and the patterns behind `as`. Both are lists of keys; a shorthand such as
 * {a} or {$x} becomes the entry that it stands for, so that nobody after the parser knows it.
 */
#include "jq/jq_parse.h"

#include <string.h>

/* The present word as a literal key; moves on. */
static struct jq_node *parse_word_key(struct parser *parser)
{
    struct jq_node *key = parse_node(parser, NODE_STRING, parser->now.column);
    if (key == NULL || !node_set_text(key, parser->now.text, parser->now.size) ||
        !parse_advance(parser))
        return NULL;
    return key;
}

static struct jq_node *parse_computed_key(struct parser *parser)
{
    struct open_bracket bracket;
    if (!parse_open(parser, &bracket))
        return NULL;
    struct jq_node *key = parse_pipe(parser);
    return key != NULL && parse_close(parser, &bracket, ")") ? key : NULL;
}

static struct jq_node *parse_key(struct parser *parser)
{
    switch (parser->now.kind) {
    case TOKEN_NAME:
        return parse_word_key(parser);
    case TOKEN_QUOTE:
        return parse_string(parser, false);
    case TOKEN_NUMBER:
        return PARSE_REFUSE(parser, parser->now.column, "a key is a text: put quotes around it");
    default:
        if (token_is(&parser->now, "("))
            return parse_computed_key(parser);
        return parse_unexpected(parser, "a key");
    }
}

/* One operand of a value: a term, or a minus before one. */
static struct jq_node *parse_value_term(struct parser *parser)
{
    if (token_is(&parser->now, "-")) {
        struct jq_node *node = parse_node(parser, NODE_NEGATE, parser->now.column);
        if (node == NULL || !parse_advance(parser))
            return NULL;
        bool plain = true;
        struct jq_node *operand = parse_term(parser, &plain);
        if (operand != NULL)
            node_append(node, operand);
        return operand != NULL ? node : NULL;
    }
    if (token_is_word(&parser->now, "if") || token_is_word(&parser->now, "try"))
        return PARSE_REFUSE(parser, parser->now.column,
                            "a value in an object is a term; put parentheses around the \"%.*s\"",
                            (int)parser->now.size, parser->now.text);
    bool plain = true;
    struct jq_node *term = parse_term(parser, &plain);
    if (term != NULL && (!plain || token_is_word(&parser->now, "as")))
        return PARSE_REFUSE(parser, term->column,
                            "a value in an object is a term; put parentheses around it");
    return term;
}

static struct jq_node *parse_value(struct parser *parser)
{
    struct jq_node *value = parse_value_term(parser);
    if (value == NULL || !token_is(&parser->now, "|"))
        return value;
    struct jq_node *pipe = parse_node(parser, NODE_PIPE, parser->now.column);
    if (pipe == NULL)
        return NULL;
    node_append(pipe, value);
    while (token_is(&parser->now, "|")) {
        if (!parse_advance(parser))
            return NULL;
        value = parse_value_term(parser);
        if (value == NULL)
            return NULL;
        node_append(pipe, value);
    }
    return pipe;
}

/* The value that a shorthand stands for: {a} is {a: .a}. */
static struct jq_node *field_value(struct parser *parser, const struct jq_node *key)
{
    struct jq_node *field = parse_node(parser, NODE_FIELD, key->column);
    struct jq_node *input = field != NULL ? parse_node(parser, NODE_IDENTITY, key->column) : NULL;
    if (input == NULL || !node_set_text(field, key->text, strlen(key->text)))
        return NULL;
    node_append(field, input);
    return field;
}

static bool finish_entry(struct jq_node *entry, struct jq_node *key, struct jq_node *value)
{
    if (key == NULL || value == NULL)
        return false;
    node_append(entry, key);
    node_append(entry, value);
    return true;
}

/* {$x}: the key is the name, the value (or the pattern) the variable. */
static bool parse_variable_entry(struct parser *parser, struct jq_node *entry)
{
    struct jq_node *variable = parse_node(parser, NODE_VARIABLE, parser->now.column);
    if (variable == NULL || !node_set_text(variable, parser->now.text, parser->now.size))
        return false;
    struct jq_node *key = parse_word_key(parser);
    if (key != NULL && token_is(&parser->now, ":")) {
        karta_error_set_at(parser->err, KARTA_ERR_EXPRESSION, 0, variable->column,
                           "{$%s: …} is refused: engines differ; write the key as a text",
                           variable->text);
        return false;
    }
    return finish_entry(entry, key, variable);
}

static bool parse_entry(struct parser *parser, struct jq_node *entry)
{
    if (parser->now.kind == TOKEN_VARIABLE)
        return parse_variable_entry(parser, entry);
    bool keyword = parser->now.kind == TOKEN_NAME && parse_is_keyword(&parser->now);
    struct jq_node *key = parse_key(parser);
    if (key == NULL)
        return false;
    if (token_is(&parser->now, ":"))
        return parse_advance(parser) && finish_entry(entry, key, parse_value(parser));
    if (!node_is_literal_text(key) || keyword) {
        parse_unexpected(parser, "\":\" and a value");
        return false;
    }
    return finish_entry(entry, key, field_value(parser, key));
}

static bool parse_pattern_entry(struct parser *parser, struct jq_node *entry)
{
    if (parser->now.kind == TOKEN_VARIABLE)
        return parse_variable_entry(parser, entry);
    struct jq_node *key = parse_key(parser);
    if (key == NULL)
        return false;
    if (!token_is(&parser->now, ":")) {
        parse_unexpected(parser, "\":\" and a pattern");
        return false;
    }
    return parse_advance(parser) && finish_entry(entry, key, parse_pattern(parser));
}

/* Entries up to the closing brace, each a node of `kind` that `read` fills. */
static struct jq_node *parse_entries(struct parser *parser, struct jq_node *object,
                                     enum node_kind kind,
                                     bool (*read)(struct parser *, struct jq_node *))
{
    struct open_bracket bracket;
    if (object == NULL || !parse_open(parser, &bracket))
        return NULL;
    bool more = kind == NODE_PATTERN_ENTRY || !token_is(&parser->now, "}");
    while (more) {
        struct jq_node *entry = parse_node(parser, kind, parser->now.column);
        if (entry == NULL || !read(parser, entry))
            return NULL;
        node_append(object, entry);
        more = token_is(&parser->now, ",");
        if (more && !parse_advance(parser))
            return NULL;
    }
    if (parser->now.kind == TOKEN_MARK && strchr("+-*/%=<>!?", parser->now.text[0]) != NULL &&
        parser->now.text[parser->now.size - 1] != '=')
        return PARSE_REFUSE(parser, parser->now.column,
                            "a value in an object is a term; put parentheses around it");
    return parse_close(parser, &bracket, "}") ? object : NULL;
}

struct jq_node *parse_object(struct parser *parser)
{
    struct jq_node *object = parse_node(parser, NODE_OBJECT, parser->now.column);
    return parse_entries(parser, object, NODE_ENTRY, parse_entry);
}

static struct jq_node *parse_array_pattern(struct parser *parser)
{
    struct open_bracket bracket;
    struct jq_node *array = parse_node(parser, NODE_PATTERN_ARRAY, parser->now.column);
    if (array == NULL || !parse_open(parser, &bracket))
        return NULL;
    for (bool more = true; more;) {
        struct jq_node *pattern = parse_pattern(parser);
        if (pattern == NULL)
            return NULL;
        node_append(array, pattern);
        more = token_is(&parser->now, ",");
        if (more && !parse_advance(parser))
            return NULL;
    }
    return parse_close(parser, &bracket, "]") ? array : NULL;
}

struct jq_node *parse_pattern(struct parser *parser)
{
    if (!parse_enter(parser))
        return NULL;
    struct jq_node *pattern = NULL;
    if (parser->now.kind == TOKEN_VARIABLE) {
        pattern = parse_node(parser, NODE_VARIABLE, parser->now.column);
        if (pattern == NULL || !node_set_text(pattern, parser->now.text, parser->now.size) ||
            !parse_advance(parser))
            return NULL;
    } else if (token_is(&parser->now, "[")) {
        pattern = parse_array_pattern(parser);
    } else if (token_is(&parser->now, "{")) {
        struct jq_node *object = parse_node(parser, NODE_PATTERN_OBJECT, parser->now.column);
        pattern = parse_entries(parser, object, NODE_PATTERN_ENTRY, parse_pattern_entry);
    } else {
        parse_unexpected(parser, "$name, [pattern] or {key: pattern}");
    }
    parser->depth--;
    return pattern;
}
