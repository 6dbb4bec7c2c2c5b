/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser's inside, shared by its two files: jq_parse.c reads operators and control, and
 * jq_parse_term.c reads terms. Functions return NULL after a refusal, which is then in `err`.
 */
#ifndef KARTA_JQ_PARSE_H
#define KARTA_JQ_PARSE_H

#include "jq/jq_ast.h"
#include "jq/jq_token.h"

/* A bracket that is open; they nest on the C stack. */
struct open_bracket {
    const struct open_bracket *outer;
    char mark;
    int column;
};

struct parser {
    struct token_reader reader;
    struct token now; /* the token that is looked at */
    struct jq_expression *expression;
    struct karta_error *err;
    const struct open_bracket *open;
    int depth;
};

/* Moves on to the next token. */
bool parse_advance(struct parser *parser);

/* Stores the refusal; the macro gives NULL, whatever pointer is wanted. */
#define PARSE_REFUSE(parser, column, ...)                                                          \
    (karta_error_set_at((parser)->err, KARTA_ERR_EXPRESSION, 0, (column), __VA_ARGS__), NULL)

/* Refuses the present token, where `wanted` ("a value", "\":\"") should stand. */
void *parse_unexpected(struct parser *parser, const char *wanted);

/* New node at `column`; the caps and memory are refusals. */
struct jq_node *parse_node(struct parser *parser, enum node_kind kind, int column);

/* One level deeper, against the cap; parser->depth-- leaves it again. */
bool parse_enter(struct parser *parser);

/* True for words that no call may have; some of them continue an operand. */
bool parse_is_keyword(const struct token *token);

/* Opens the bracket that is the present token, and closes it again. */
bool parse_open(struct parser *parser, struct open_bracket *bracket);
bool parse_close(struct parser *parser, struct open_bracket *bracket, const char *mark);

/* A whole expression, to where nothing continues it. */
struct jq_node *parse_pipe(struct parser *parser);

/* An operand of an operator: a term, `- x`, `if`, `try`, or `term as $x | ...`. */
struct jq_node *parse_operand(struct parser *parser);

/* A term with its suffixes. *plain is false where it ends in a `?` that takes no more suffixes. */
struct jq_node *parse_term(struct parser *parser, bool *plain);

/* What stands between `as` and `|`. */
struct jq_node *parse_pattern(struct parser *parser);

/* The present token is the opening quote; reads to after the closing one. */
struct jq_node *parse_string(struct parser *parser, bool json);

/* The present token is the opening brace. */
struct jq_node *parse_object(struct parser *parser);

#endif
