/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators and control. The idea: one function per level of jq's precedence, so that a tree comes
 * out which says what both engines would have understood, or a refusal that names the column.
 */
#include "jq/jq_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "jq/jq_lint.h"

bool parse_advance(struct parser *parser)
{
    return token_next(&parser->reader, &parser->now);
}

struct jq_node *parse_node(struct parser *parser, enum node_kind kind, int column)
{
    struct jq_node *node = node_new(parser->expression, kind, column);
    if (node != NULL)
        return node;
    if (parser->expression->nodes >= LIMIT_EXPRESSION_NODES)
        return PARSE_REFUSE(parser, column, "has more than %u parts", LIMIT_EXPRESSION_NODES);
    karta_error_set(parser->err, KARTA_ERR_NOMEM, "out of memory");
    return NULL;
}

static bool word_in(const struct token *token, const char *const *words)
{
    for (; *words != NULL; words++)
        if (token_is_word(token, *words))
            return true;
    return false;
}

bool parse_is_keyword(const struct token *token)
{
    static const char *const words[] = {
        "def",   "if",    "then",   "else",    "elif", "end", "as",      "reduce", "foreach", "try",
        "catch", "label", "import", "include", "and",  "or",  "__loc__", "module", "break",   NULL};
    return word_in(token, words);
}

static void *refuse_assignment(struct parser *parser)
{
    const struct token *now = &parser->now;
    if (token_is(now, "="))
        return PARSE_REFUSE(parser, now->column,
                            "\"=\" is refused: an expression reads and never assigns; to compare, "
                            "write ==");
    return PARSE_REFUSE(parser, now->column,
                        "\"%.*s\" is refused: an expression reads and never assigns",
                        (int)now->size, now->text);
}

static bool is_assignment(const struct token *token)
{
    static const char *const marks[] = {"=", "|=", "+=", "-=", "*=", "/=", "%=", "//="};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (token_is(token, marks[i]))
            return true;
    return false;
}

/* A closing bracket that is not the one awaited. */
static void *refuse_closer(struct parser *parser)
{
    const struct token *now = &parser->now;
    if (parser->open == NULL)
        return PARSE_REFUSE(parser, now->column, "\"%c\" closes nothing", now->text[0]);
    return PARSE_REFUSE(parser, now->column, "\"%c\" does not close the \"%c\" of column %d",
                        now->text[0], parser->open->mark, parser->open->column);
}

void *parse_unexpected(struct parser *parser, const char *wanted)
{
    static const char awaited[] = ")]}";
    const struct token *now = &parser->now;
    if (is_assignment(now))
        return refuse_assignment(parser);
    if (token_is(now, "?//") || token_is(now, "?//="))
        return PARSE_REFUSE(parser, now->column,
                            "\"?//\" is refused: it is an operator of its own; write ? // with a "
                            "space between");
    if (now->kind == TOKEN_MARK && strchr(awaited, now->text[0]) != NULL) {
        bool own = parser->open != NULL && now->text[0] == (parser->open->mark == '('   ? ')'
                                                            : parser->open->mark == '[' ? ']'
                                                                                        : '}');
        if (!own)
            return refuse_closer(parser);
    }
    if (now->kind == TOKEN_END && parser->open != NULL)
        return PARSE_REFUSE(parser, parser->open->column,
                            "the \"%c\" that opens here is never closed", parser->open->mark);
    if (now->kind == TOKEN_END)
        return PARSE_REFUSE(parser, now->column, "ends where %s is expected", wanted);
    if (now->kind == TOKEN_QUOTE)
        return PARSE_REFUSE(parser, now->column, "a text stands where %s is expected", wanted);
    const char *lead = now->kind == TOKEN_FIELD      ? "."
                       : now->kind == TOKEN_VARIABLE ? "$"
                       : now->kind == TOKEN_FORMAT   ? "@"
                                                     : "";
    return PARSE_REFUSE(parser, now->column, "\"%s%.*s\" stands where %s is expected", lead,
                        (int)now->size, now->text, wanted);
}

bool parse_open(struct parser *parser, struct open_bracket *bracket)
{
    bracket->outer = parser->open;
    bracket->mark = parser->now.text[0];
    bracket->column = parser->now.column;
    parser->open = bracket;
    return parse_advance(parser);
}

bool parse_close(struct parser *parser, struct open_bracket *bracket, const char *mark)
{
    if (!token_is(&parser->now, mark)) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, "an operator or \"%s\"", mark);
        parse_unexpected(parser, wanted);
        return false;
    }
    parser->open = bracket->outer;
    return parse_advance(parser);
}

/* Adds the present operator's node over `left`, and what `operand` reads to its right. */
static struct jq_node *parse_right(struct parser *parser, enum node_kind kind, struct jq_node *left,
                                   struct jq_node *(*operand)(struct parser *))
{
    struct jq_node *node = parse_node(parser, kind, parser->now.column);
    if (node == NULL)
        return NULL;
    if (!node_set_text(node, parser->now.text, parser->now.size) || !parse_advance(parser))
        return NULL;
    struct jq_node *right = operand(parser);
    if (right == NULL)
        return NULL;
    node_append(node, left);
    node_append(node, right);
    return node;
}

static struct jq_node *parse_product(struct parser *parser)
{
    struct jq_node *left = parse_operand(parser);
    while (left != NULL && (token_is(&parser->now, "*") || token_is(&parser->now, "/") ||
                            token_is(&parser->now, "%")))
        left = parse_right(parser, NODE_ARITHMETIC, left, parse_operand);
    return left;
}

static struct jq_node *parse_sum(struct parser *parser)
{
    struct jq_node *left = parse_product(parser);
    while (left != NULL && (token_is(&parser->now, "+") || token_is(&parser->now, "-")))
        left = parse_right(parser, NODE_ARITHMETIC, left, parse_product);
    return left;
}

static bool is_comparison(const struct token *token)
{
    return token_is(token, "==") || token_is(token, "!=") || token_is(token, "<") ||
           token_is(token, "<=") || token_is(token, ">") || token_is(token, ">=");
}

static struct jq_node *parse_comparison(struct parser *parser)
{
    struct jq_node *left = parse_sum(parser);
    if (left == NULL || !is_comparison(&parser->now))
        return left;
    left = parse_right(parser, NODE_COMPARE, left, parse_sum);
    if (left != NULL && is_comparison(&parser->now))
        return PARSE_REFUSE(parser, parser->now.column,
                            "comparisons do not chain; put parentheses");
    return left;
}

static struct jq_node *parse_and(struct parser *parser)
{
    struct jq_node *left = parse_comparison(parser);
    while (left != NULL && token_is_word(&parser->now, "and"))
        left = parse_right(parser, NODE_AND, left, parse_comparison);
    return left;
}

static struct jq_node *parse_or(struct parser *parser)
{
    struct jq_node *left = parse_and(parser);
    while (left != NULL && token_is_word(&parser->now, "or"))
        left = parse_right(parser, NODE_OR, left, parse_and);
    return left;
}

bool parse_enter(struct parser *parser)
{
    if (++parser->depth <= LIMIT_EXPRESSION_DEPTH)
        return true;
    karta_error_set_at(parser->err, KARTA_ERR_EXPRESSION, 0, parser->now.column,
                       "is nested deeper than %d", LIMIT_EXPRESSION_DEPTH);
    return false;
}

static struct jq_node *parse_default(struct parser *parser)
{
    if (!parse_enter(parser))
        return NULL;
    struct jq_node *left = parse_or(parser);
    if (left != NULL && token_is(&parser->now, "//"))
        left = parse_right(parser, NODE_DEFAULT, left, parse_default);
    parser->depth--;
    return left;
}

/* A list of what `item` reads with `mark` between, as one node; a single item stays itself. */
static struct jq_node *parse_list(struct parser *parser, const char *mark, enum node_kind kind,
                                  struct jq_node *(*item)(struct parser *))
{
    struct jq_node *list = NULL, *node = item(parser);
    while (node != NULL && token_is(&parser->now, mark)) {
        if (list == NULL) {
            list = parse_node(parser, kind, parser->now.column);
            if (list == NULL)
                return NULL;
            node_append(list, node);
        }
        if (!parse_advance(parser))
            return NULL;
        node = item(parser);
        if (node != NULL)
            node_append(list, node);
    }
    return node != NULL && list != NULL ? list : node;
}

static struct jq_node *parse_comma(struct parser *parser)
{
    return parse_list(parser, ",", NODE_COMMA, parse_default);
}

struct jq_node *parse_pipe(struct parser *parser)
{
    return parse_list(parser, "|", NODE_PIPE, parse_comma);
}

/* `word` and the expression behind it, appended to `node`. */
static bool parse_clause(struct parser *parser, struct jq_node *node, const char *word)
{
    if (!token_is_word(&parser->now, word)) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, "\"%s\"", word);
        if (parser->now.kind == TOKEN_END)
            karta_error_set_at(parser->err, KARTA_ERR_EXPRESSION, 0, node->column,
                               "the \"if\" that starts here has no \"%s\"", word);
        else
            parse_unexpected(parser, wanted);
        return false;
    }
    if (!parse_advance(parser))
        return false;
    struct jq_node *child = parse_pipe(parser);
    if (child != NULL)
        node_append(node, child);
    return child != NULL;
}

static struct jq_node *refuse_no_else(struct parser *parser, const struct jq_node *node)
{
    return PARSE_REFUSE(parser, node->column,
                        "\"if\" without \"else\" is refused: engines differ; write else . end");
}

/* From `if` or `elif` to before `end`. */
static struct jq_node *parse_branches(struct parser *parser, const char *word)
{
    struct jq_node *node = parse_node(parser, NODE_IF, parser->now.column);
    if (node == NULL || !parse_clause(parser, node, word) || !parse_clause(parser, node, "then"))
        return NULL;
    if (token_is_word(&parser->now, "elif")) {
        struct jq_node *other = parse_enter(parser) ? parse_branches(parser, "elif") : NULL;
        if (other == NULL)
            return NULL;
        parser->depth--;
        node_append(node, other);
    } else if (token_is_word(&parser->now, "end")) {
        return refuse_no_else(parser, node);
    } else if (!parse_clause(parser, node, "else")) {
        return NULL;
    }
    return node;
}

/* `node?`, as often as question marks follow. */
static struct jq_node *parse_questions(struct parser *parser, struct jq_node *node)
{
    while (token_is(&parser->now, "?")) {
        struct jq_node *outer = parse_node(parser, NODE_TRY, parser->now.column);
        if (outer == NULL || !parse_advance(parser))
            return NULL;
        node_append(outer, node);
        node = outer;
    }
    return node;
}

static bool starts_suffix(const struct token *token)
{
    return token->kind == TOKEN_FIELD || token_is(token, "[") || token_is(token, ".") ||
           token_is_word(token, "as");
}

static struct jq_node *parse_if(struct parser *parser)
{
    struct jq_node *node = parse_branches(parser, "if");
    if (node == NULL)
        return NULL;
    if (!token_is_word(&parser->now, "end")) {
        if (parser->now.kind == TOKEN_END)
            return PARSE_REFUSE(parser, node->column, "the \"if\" that starts here has no \"end\"");
        return parse_unexpected(parser, "\"end\"");
    }
    if (!parse_advance(parser))
        return NULL;
    node = parse_questions(parser, node);
    if (node != NULL && starts_suffix(&parser->now))
        return PARSE_REFUSE(parser, parser->now.column,
                            "nothing may follow \"end\" directly; put the \"if\" in parentheses");
    return node;
}

static struct jq_node *parse_try_body(struct parser *parser)
{
    if (token_is(&parser->now, "-") || token_is_word(&parser->now, "if") ||
        token_is_word(&parser->now, "try"))
        return PARSE_REFUSE(parser, parser->now.column,
                            "\"try\" and \"catch\" take a term; put parentheses");
    bool plain = true;
    struct jq_node *body = parse_term(parser, &plain);
    if (body != NULL && (!plain || token_is_word(&parser->now, "as")))
        return PARSE_REFUSE(parser, parser->now.column,
                            "\"try\" and \"catch\" take a term; put parentheses");
    return body;
}

static struct jq_node *parse_try(struct parser *parser)
{
    struct jq_node *node = parse_node(parser, NODE_TRY, parser->now.column);
    if (node == NULL || !parse_advance(parser))
        return NULL;
    struct jq_node *body = parse_try_body(parser);
    if (body == NULL)
        return NULL;
    node_append(node, body);
    if (!token_is_word(&parser->now, "catch"))
        return node;
    if (!parse_advance(parser))
        return NULL;
    struct jq_node *handler = parse_try_body(parser);
    if (handler == NULL)
        return NULL;
    node_append(node, handler);
    return node;
}

/* `source as pattern | body`; the body goes as far to the right as it can. */
static struct jq_node *parse_as(struct parser *parser, struct jq_node *source)
{
    struct jq_node *node = parse_node(parser, NODE_AS, parser->now.column);
    if (node == NULL || !parse_advance(parser))
        return NULL;
    struct jq_node *pattern = parse_pattern(parser);
    if (pattern == NULL)
        return NULL;
    if (!token_is(&parser->now, "|"))
        return parse_unexpected(parser, "\"|\" after the \"as\" pattern");
    if (!parse_advance(parser))
        return NULL;
    struct jq_node *body = parse_pipe(parser);
    if (body == NULL)
        return NULL;
    node_append(node, source);
    node_append(node, pattern);
    node_append(node, body);
    return node;
}

static struct jq_node *parse_negative(struct parser *parser)
{
    struct jq_node *node = parse_node(parser, NODE_NEGATE, parser->now.column);
    if (node == NULL || !parse_enter(parser) || !parse_advance(parser))
        return NULL;
    /* jq gives the minus sign the precedence of a difference: -a * b is -(a * b) */
    struct jq_node *operand = parse_product(parser);
    parser->depth--;
    if (operand != NULL)
        node_append(node, operand);
    return operand != NULL ? node : NULL;
}

struct jq_node *parse_operand(struct parser *parser)
{
    if (token_is(&parser->now, "-"))
        return parse_negative(parser);
    if (token_is_word(&parser->now, "if"))
        return parse_if(parser);
    if (token_is_word(&parser->now, "try"))
        return parse_try(parser);
    bool plain = true;
    struct jq_node *term = parse_term(parser, &plain);
    if (term == NULL || !token_is_word(&parser->now, "as"))
        return term;
    if (!plain)
        return PARSE_REFUSE(parser, parser->now.column,
                            "\"as\" takes a term; put parentheses around what stands before it");
    return parse_as(parser, term);
}

static int parse_text(struct parser *parser)
{
    if (!parse_advance(parser))
        return KARTA_ERR_EXPRESSION;
    if (parser->now.kind == TOKEN_END)
        return karta_error_set_at(
            parser->err, KARTA_ERR_EXPRESSION, 0, 1,
            strchr(parser->reader.text, '#') != NULL ? "holds nothing but a comment" : "is empty");
    struct jq_node *root = parse_pipe(parser);
    if (root != NULL && parser->now.kind != TOKEN_END)
        parse_unexpected(parser, "an operator or the end");
    if (parser->err->code == KARTA_OK && root == NULL)
        karta_error_set(parser->err, KARTA_ERR_NOMEM, "out of memory");
    parser->expression->root = root;
    return parser->err->code;
}

int jq_expression_parse(const char *text, struct jq_expression **expression,
                        struct karta_error *err)
{
    struct karta_error own;
    karta_error_init(&own);
    struct jq_expression *made = NULL;
    if (token_check_text(text, &own) == 0) {
        made = calloc(1, sizeof *made);
        if (made == NULL || (made->text = strdup(text)) == NULL)
            karta_error_set(&own, KARTA_ERR_NOMEM, "out of memory");
    }
    if (own.code == KARTA_OK) {
        struct parser parser = {.reader = {made->text, 0, &own}, .expression = made, .err = &own};
        if (parse_text(&parser) == 0)
            jq_lint(made, &own);
    }
    if (own.code == KARTA_OK) {
        *expression = made;
        return 0;
    }
    jq_expression_free(made);
    return karta_error_set_at(err, own.code, 0, own.column, "%s", own.message);
}
