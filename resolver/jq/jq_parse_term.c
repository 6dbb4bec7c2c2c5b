/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terms and what hangs on them: fields, indexes, strings, arrays, objects, calls, patterns. What
 * only one of the engines reads is refused here with what both read.
 */
#include "jq/jq_parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "jq/jq_lint.h"

static struct jq_node *parse_text_node(struct parser *parser, enum node_kind kind, int column,
                                       const char *text, size_t size)
{
    struct jq_node *node = parse_node(parser, kind, column);
    if (node == NULL)
        return NULL;
    if (node_set_text(node, text, size))
        return node;
    karta_error_set(parser->err, KARTA_ERR_NOMEM, "out of memory");
    return NULL;
}

/* The present token as a node of `kind`; moves on. */
static struct jq_node *parse_word(struct parser *parser, enum node_kind kind)
{
    struct jq_node *node =
        parse_text_node(parser, kind, parser->now.column, parser->now.text, parser->now.size);
    return node != NULL && parse_advance(parser) ? node : NULL;
}

/* What stands in `\(` … `)`; leaves the reader behind the parenthesis, in the string again. */
static struct jq_node *parse_interpolation(struct parser *parser)
{
    struct open_bracket bracket = {parser->open, '(', (int)parser->reader.at};
    parser->open = &bracket;
    if (!parse_advance(parser))
        return NULL;
    struct jq_node *inner = parse_pipe(parser);
    if (inner == NULL)
        return NULL;
    if (!token_is(&parser->now, ")"))
        return parse_unexpected(parser, "an operator or \")\"");
    parser->reader.at = (size_t)parser->now.column;
    parser->open = bracket.outer;
    return inner;
}

static bool add_piece(struct parser *parser, struct jq_node *string, struct strbuf *piece,
                      bool whole)
{
    if (strbuf_check(piece, parser->err) != 0)
        return false;
    const char *text = piece->text != NULL ? piece->text : "";
    if (whole && string->first == NULL)
        return node_set_text(string, text, piece->size);
    if (piece->size > 0) {
        struct jq_node *node =
            parse_text_node(parser, NODE_TEXT, string->column, text, piece->size);
        if (node == NULL)
            return false;
        node_append(string, node);
    }
    strbuf_clear(piece);
    return true;
}

struct jq_node *parse_string(struct parser *parser, bool json)
{
    struct jq_node *string = parse_node(parser, NODE_STRING, parser->now.column);
    if (string == NULL)
        return NULL;
    string->json = json;
    KARTA_AUTO_STRBUF piece;
    strbuf_init(&piece, LIMIT_EXPRESSION_BYTES);
    parser->reader.at = (size_t)parser->now.column;
    for (;;) {
        bool interpolates = false;
        if (!token_string(&parser->reader, string->column, &piece, &interpolates) ||
            !add_piece(parser, string, &piece, !interpolates))
            return NULL;
        if (!interpolates)
            return parse_advance(parser) ? string : NULL;
        struct jq_node *inner = parse_interpolation(parser);
        if (inner == NULL)
            return NULL;
        node_append(string, inner);
    }
}

/* A field by a string: a literal one is an ordinary field, else the key is computed. */
static struct jq_node *field_of(struct parser *parser, struct jq_node *target, struct jq_node *key)
{
    bool literal = node_is_literal_text(key);
    struct jq_node *node = parse_node(parser, literal ? NODE_FIELD : NODE_LOOKUP, key->column);
    if (node == NULL)
        return NULL;
    node_append(node, target);
    if (!literal)
        node_append(node, key);
    else if (!node_set_text(node, key->text, strlen(key->text)))
        return NULL;
    return node;
}

/* `[a:b]` with the first bound read already (NULL: none); the present token is the colon. */
static struct jq_node *parse_slice(struct parser *parser, struct jq_node *target,
                                   struct jq_node *from, int column)
{
    struct jq_node *node = parse_node(parser, NODE_SLICE, column);
    if (node == NULL || !parse_advance(parser))
        return NULL;
    node_append(node, target);
    if (from != NULL && !node_is_integer(from, &node->from))
        return PARSE_REFUSE(parser, from->column,
                            "slice bounds are literal integers: others crash libjq");
    node->has_from = from != NULL;
    if (token_is(&parser->now, "]"))
        return from != NULL ? node : parse_unexpected(parser, "a slice bound");
    struct jq_node *to = parse_pipe(parser);
    if (to == NULL)
        return NULL;
    if (!node_is_integer(to, &node->to))
        return PARSE_REFUSE(parser, to->column,
                            "slice bounds are literal integers: others crash libjq");
    node->has_to = true;
    return node;
}

static struct jq_node *index_of(struct parser *parser, struct jq_node *target, struct jq_node *key,
                                int column)
{
    if (node_is_literal_text(key))
        return field_of(parser, target, key);
    double number = 0;
    bool literal = node_is_integer(key, &number);
    if (!literal && key->kind == NODE_NUMBER)
        return PARSE_REFUSE(parser, key->column, "an index is a whole number below 2147483648");
    struct jq_node *node = parse_node(parser, literal ? NODE_INDEX : NODE_LOOKUP, column);
    if (node == NULL)
        return NULL;
    node->number = number;
    node_append(node, target);
    if (!literal)
        node_append(node, key);
    return node;
}

/* What stands in the brackets behind a term. */
static struct jq_node *parse_bracket(struct parser *parser, struct jq_node *target)
{
    struct open_bracket bracket;
    int column = parser->now.column;
    struct jq_node *node = NULL;
    if (!parse_open(parser, &bracket))
        return NULL;
    if (token_is(&parser->now, "]")) {
        node = parse_node(parser, NODE_ITERATE, column);
        if (node != NULL)
            node_append(node, target);
    } else if (token_is(&parser->now, ":")) {
        node = parse_slice(parser, target, NULL, column);
    } else {
        struct jq_node *key = parse_pipe(parser);
        if (key == NULL)
            return NULL;
        node = token_is(&parser->now, ":") ? parse_slice(parser, target, key, column)
                                           : index_of(parser, target, key, column);
    }
    return node != NULL && parse_close(parser, &bracket, "]") ? node : NULL;
}

/* A `.` behind a term: only a string may follow it. */
static struct jq_node *parse_dot_suffix(struct parser *parser, struct jq_node *target)
{
    int column = parser->now.column;
    if (!parse_advance(parser))
        return NULL;
    if (token_is(&parser->now, "["))
        return PARSE_REFUSE(parser, column,
                            "\".[\" behind a term is refused: jq 1.6 does not read it; leave the "
                            "dot out");
    if (parser->now.kind != TOKEN_QUOTE)
        return parse_unexpected(parser, "a field after the dot");
    if (parser->now.column != column + 1)
        return PARSE_REFUSE(parser, column, "no white space may stand between a dot and its field");
    struct jq_node *key = parse_string(parser, false);
    return key != NULL ? field_of(parser, target, key) : NULL;
}

static struct jq_node *parse_suffix(struct parser *parser, struct jq_node *target)
{
    if (parser->now.kind == TOKEN_FIELD) {
        struct jq_node *node = parse_word(parser, NODE_FIELD);
        if (node != NULL)
            node_append(node, target);
        return node;
    }
    return token_is(&parser->now, "[") ? parse_bracket(parser, target)
                                       : parse_dot_suffix(parser, target);
}

static struct jq_node *refuse_suffix(struct parser *parser)
{
    return PARSE_REFUSE(parser, parser->now.column,
                        "nothing may follow this \"?\" directly: jq 1.6 does not read it; put "
                        "parentheses around what stands before");
}

/* Suffixes, then question marks of their own. */
static struct jq_node *parse_suffixes(struct parser *parser, struct jq_node *node, bool indexed,
                                      bool *plain)
{
    for (; node != NULL; indexed = true) {
        if (indexed && token_is(&parser->now, "?") && !node->optional) {
            node->optional = true;
            if (!parse_advance(parser))
                return NULL;
        }
        if (parser->now.kind != TOKEN_FIELD && !token_is(&parser->now, "[") &&
            !token_is(&parser->now, "."))
            break;
        node = parse_suffix(parser, node);
    }
    while (node != NULL && token_is(&parser->now, "?")) {
        struct jq_node *outer = parse_node(parser, NODE_TRY, parser->now.column);
        if (outer == NULL || !parse_advance(parser))
            return NULL;
        node_append(outer, node);
        node = outer;
        *plain = false;
    }
    if (node != NULL && !*plain &&
        (parser->now.kind == TOKEN_FIELD || token_is(&parser->now, "[") ||
         token_is(&parser->now, ".")))
        return refuse_suffix(parser);
    return node;
}

static struct jq_node *parse_identity(struct parser *parser)
{
    struct jq_node *node = parse_node(parser, NODE_IDENTITY, parser->now.column);
    if (node == NULL || !parse_advance(parser))
        return NULL;
    if (parser->now.kind == TOKEN_QUOTE && parser->now.column == node->column + 1) {
        struct jq_node *key = parse_string(parser, false);
        return key != NULL ? field_of(parser, node, key) : NULL;
    }
    if (parser->now.kind == TOKEN_QUOTE ||
        (parser->now.kind == TOKEN_NAME && !parse_is_keyword(&parser->now)))
        return PARSE_REFUSE(parser, node->column,
                            "no white space may stand between a dot and its field");
    return node;
}

static struct jq_node *parse_number(struct parser *parser)
{
    struct jq_node *node = parse_word(parser, NODE_NUMBER);
    if (node == NULL)
        return NULL;
    node->number = strtod(node->text, NULL);
    if (!isfinite(node->number))
        return PARSE_REFUSE(parser, node->column, "the number %.40s is too large", node->text);
    return node;
}

static struct jq_node *parse_parentheses(struct parser *parser)
{
    struct open_bracket bracket;
    if (!parse_open(parser, &bracket))
        return NULL;
    struct jq_node *inner = parse_pipe(parser);
    return inner != NULL && parse_close(parser, &bracket, ")") ? inner : NULL;
}

static struct jq_node *parse_array(struct parser *parser)
{
    struct open_bracket bracket;
    struct jq_node *node = parse_node(parser, NODE_ARRAY, parser->now.column);
    if (node == NULL || !parse_open(parser, &bracket))
        return NULL;
    if (!token_is(&parser->now, "]")) {
        struct jq_node *inner = parse_pipe(parser);
        if (inner == NULL)
            return NULL;
        node_append(node, inner);
    }
    return parse_close(parser, &bracket, "]") ? node : NULL;
}

static struct jq_node *parse_arguments(struct parser *parser, struct jq_node *call)
{
    struct open_bracket bracket;
    if (!parse_open(parser, &bracket))
        return NULL;
    for (;;) {
        struct jq_node *argument = parse_pipe(parser);
        if (argument == NULL)
            return NULL;
        node_append(call, argument);
        if (!token_is(&parser->now, ";"))
            return parse_close(parser, &bracket, ")") ? call : NULL;
        if (!parse_advance(parser))
            return NULL;
    }
}

static struct jq_node *parse_call(struct parser *parser)
{
    static const struct {
        const char *word;
        enum node_kind kind;
    } literals[] = {{"null", NODE_NULL}, {"true", NODE_TRUE}, {"false", NODE_FALSE}};
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++)
        if (token_is_word(&parser->now, literals[i].word)) {
            struct jq_node *node = parse_word(parser, literals[i].kind);
            if (node != NULL && token_is(&parser->now, "("))
                return parse_unexpected(parser, "an operator");
            return node;
        }
    /* judged at once: a wrong name explains more than the syntax error behind it */
    struct jq_node *call = parse_word(parser, NODE_CALL);
    if (call == NULL || jq_lint_name(call->text, call->column, parser->err) != 0)
        return NULL;
    return token_is(&parser->now, "(") ? parse_arguments(parser, call) : call;
}

/* @text and @json, alone or before a string. */
static struct jq_node *parse_format(struct parser *parser)
{
    struct token format = parser->now;
    bool json = format.size == 4 && memcmp(format.text, "json", 4) == 0;
    if (!json && !(format.size == 4 && memcmp(format.text, "text", 4) == 0))
        return PARSE_REFUSE(parser, format.column,
                            "@%.*s is refused; of the formats only @text and @json are here",
                            (int)format.size, format.text);
    if (!parse_advance(parser))
        return NULL;
    if (parser->now.kind == TOKEN_QUOTE)
        return parse_string(parser, json);
    const char *name = json ? "tojson" : "tostring";
    return parse_text_node(parser, NODE_CALL, format.column, name, strlen(name));
}

static struct jq_node *parse_bare_term(struct parser *parser)
{
    const struct token *now = &parser->now;
    switch (now->kind) {
    case TOKEN_FIELD: {
        struct jq_node *node = parse_node(parser, NODE_IDENTITY, now->column);
        return node != NULL ? parse_suffix(parser, node) : NULL;
    }
    case TOKEN_NAME:
        if (parse_is_keyword(now))
            return jq_lint_keyword(now->text, now->size, now->column, parser->err) != 0
                       ? NULL
                       : parse_unexpected(parser, "a value");
        return parse_call(parser);
    case TOKEN_VARIABLE:
        return parse_word(parser, NODE_VARIABLE);
    case TOKEN_NUMBER:
        return parse_number(parser);
    case TOKEN_QUOTE:
        return parse_string(parser, false);
    case TOKEN_FORMAT:
        return parse_format(parser);
    case TOKEN_MARK:
        if (token_is(now, "."))
            return parse_identity(parser);
        if (token_is(now, "("))
            return parse_parentheses(parser);
        if (token_is(now, "["))
            return parse_array(parser);
        if (token_is(now, "{"))
            return parse_object(parser);
        break;
    case TOKEN_END:
        break;
    }
    return parse_unexpected(parser, "a value");
}

struct jq_node *parse_term(struct parser *parser, bool *plain)
{
    const struct token start = parser->now;
    struct jq_node *node = parse_bare_term(parser);
    if (node == NULL)
        return NULL;
    bool indexed =
        start.kind == TOKEN_FIELD || (token_is(&start, ".") && node->kind != NODE_IDENTITY);
    return parse_suffixes(parser, node, indexed, plain);
}
