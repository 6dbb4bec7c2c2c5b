/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges a tree: every name against the allow-list, every variable against what binds it, and the
 * places where only a literal is safe. One walk, the first refusal in document order wins.
 */
#include "jq/jq_lint.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "jq/jq_builtin.h"
#include "jq/jq_cost.h"

struct lint {
    struct karta_error *err;
    const char *short_circuit; /* "first" or "limit" around this place, or NULL */
    int depth;
    size_t bound_count; /* variables that are bound at this place, innermost last */
    const char *bound[LIMIT_EXPRESSION_NODES];
};

#define REFUSE(err, node, ...)                                                                     \
    karta_error_set_at((err), KARTA_ERR_EXPRESSION, 0, (node)->column, __VA_ARGS__)

static int refuse_known(const struct jq_refusal *refusal, int column, struct karta_error *err)
{
    return karta_error_set_at(err, KARTA_ERR_EXPRESSION, 0, column, "\"%s\" is refused: %s%s%s",
                              refusal->name, refusal->reason,
                              refusal->instead != NULL ? "; use " : "",
                              refusal->instead != NULL ? refusal->instead : "");
}

static bool is_allowed(const char *name)
{
    for (size_t arity = 0; arity < 3; arity++)
        if (jq_builtin_find(name, arity) != NULL)
            return true;
    return false;
}

int jq_lint_name(const char *name, int column, struct karta_error *err)
{
    if (is_allowed(name))
        return 0;
    const struct jq_refusal *refusal = jq_refusal_find(name);
    if (refusal != NULL)
        return refuse_known(refusal, column, err);
    const struct jq_builtin *nearest = jq_builtin_nearest(name);
    if (nearest != NULL)
        return karta_error_set_at(err, KARTA_ERR_EXPRESSION, 0, column,
                                  "\"%.64s\" is not a function here; did you mean \"%.*s\"?", name,
                                  (int)strlen(nearest->name) - 2, nearest->name);
    return karta_error_set_at(err, KARTA_ERR_EXPRESSION, 0, column,
                              "\"%.64s\" is not a function here; a path starts with a dot, text "
                              "stands in quotes",
                              name);
}

int jq_lint_keyword(const char *word, size_t size, int column, struct karta_error *err)
{
    char name[16];
    snprintf(name, sizeof name, "%.*s", (int)size, word);
    const struct jq_refusal *refusal = jq_refusal_find(name);
    return refusal != NULL ? refuse_known(refusal, column, err) : 0;
}

/* "takes 0, 1 or 2 arguments": which arities of the name the table has. */
static int refuse_arity(const struct jq_node *call, size_t count, struct karta_error *err)
{
    char arities[32] = "";
    size_t seen = 0, last = 0;
    for (size_t arity = 0; arity < 3; arity++)
        if (jq_builtin_find(call->text, arity) != NULL) {
            size_t used = strlen(arities);
            bool more = jq_builtin_find(call->text, arity + 1) != NULL ||
                        jq_builtin_find(call->text, arity + 2) != NULL;
            snprintf(arities + used, sizeof arities - used, "%s%zu",
                     seen == 0 ? "" : (more ? ", " : " or "), arity);
            seen++;
            last = arity;
        }
    if (seen == 1 && last == 0)
        return REFUSE(err, call, "\"%s\" takes no argument, not %zu", call->text, count);
    return REFUSE(err, call, "\"%s\" takes %s argument%s, not %zu", call->text, arities,
                  seen == 1 && last == 1 ? "" : "s", count);
}

static bool is_path_step(const struct jq_node *node)
{
    double number;
    return node_is_literal_text(node) || node_is_integer(node, &number);
}

int jq_lint_getpath(const struct jq_node *call, struct karta_error *err)
{
    const struct jq_node *list = call->first;
    bool literal = list->kind == NODE_ARRAY;
    const struct jq_node *step = literal ? list->first : NULL;
    if (step != NULL && step->kind == NODE_COMMA)
        step = step->first;
    else if (step != NULL)
        return is_path_step(step)
                   ? 0
                   : REFUSE(err, step, "getpath takes a literal list of texts and whole numbers");
    for (; literal && step != NULL; step = step->next)
        literal = is_path_step(step);
    if (!literal)
        return REFUSE(err, list, "getpath takes a literal list of texts and whole numbers");
    return 0;
}

static int lint_limit(const struct jq_node *call, struct karta_error *err)
{
    double count = 0;
    bool literal = node_is_integer(call->first, &count);
    if (literal && count == 0)
        return REFUSE(err, call->first, "limit(0; …) is refused: engines differ about it");
    if (!literal || count < 1 || count > LIMIT_EXPRESSION_RESULTS)
        return REFUSE(err, call->first, "limit takes a literal count from 1 to %d",
                      LIMIT_EXPRESSION_RESULTS);
    return 0;
}

static int lint_node(struct lint *lint, const struct jq_node *node);

static int lint_children(struct lint *lint, const struct jq_node *node)
{
    int code = 0;
    for (const struct jq_node *child = node->first; child != NULL && code == 0; child = child->next)
        code = lint_node(lint, child);
    return code;
}

static int lint_call(struct lint *lint, const struct jq_node *call)
{
    size_t count = node_count(call);
    int code = jq_lint_name(call->text, call->column, lint->err);
    if (code != 0)
        return code;
    if (strcmp(call->text, "error") == 0 && count == 0)
        return REFUSE(lint->err, call,
                      "\"error\" without a text is refused: engines differ about it; write "
                      "error(\"…\")");
    if (jq_builtin_find(call->text, count) == NULL)
        return refuse_arity(call, count, lint->err);
    if (strcmp(call->text, "limit") == 0)
        code = lint_limit(call, lint->err);
    else if (strcmp(call->text, "getpath") == 0)
        code = jq_lint_getpath(call, lint->err);
    if (code != 0)
        return code;
    const char *around = lint->short_circuit;
    if (strcmp(call->text, "limit") == 0 || (strcmp(call->text, "first") == 0 && count == 1))
        lint->short_circuit = call->text;
    code = lint_children(lint, call);
    lint->short_circuit = around;
    return code;
}

static int lint_variable(struct lint *lint, const struct jq_node *node)
{
    if (strcmp(node->text, "ENV") == 0)
        return REFUSE(lint->err, node, "$ENV is refused: an expression reads no environment");
    if (strcmp(node->text, "__loc__") == 0)
        return REFUSE(lint->err, node, "$__loc__ is refused: it is about the text, not the object");
    for (size_t i = 0; i < lint->bound_count; i++)
        if (strcmp(lint->bound[i], node->text) == 0)
            return 0;
    return REFUSE(lint->err, node, "$%.64s is bound nowhere around here", node->text);
}

static int lint_arithmetic(struct lint *lint, const struct jq_node *node)
{
    const struct jq_node *right = node_second(node);
    double number = 1;
    if ((node->text[0] == '/' || node->text[0] == '%') &&
        (node_is_integer(right, &number) && number == 0))
        return REFUSE(lint->err, right, "%s by zero", node->text[0] == '/' ? "division" : "modulo");
    return lint_children(lint, node);
}

/* Binds a variable of a pattern; it must be one that can be read afterwards. */
static int lint_binding(struct lint *lint, const struct jq_node *node)
{
    static const char *const reserved[] = {"ENV",    "__loc__", "__prog_args", "def",   "if",
                                           "then",   "else",    "elif",        "end",   "as",
                                           "reduce", "foreach", "try",         "catch", "label",
                                           "import", "include", "and",         "or"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(node->text, reserved[i]) == 0)
            return REFUSE(lint->err, node, "$%s is refused: jq has another meaning for it",
                          node->text);
    lint->bound[lint->bound_count++] = node->text;
    return 0;
}

/* Binds what a pattern binds; a computed key may read variables that stand before it. */
static int lint_pattern(struct lint *lint, const struct jq_node *pattern)
{
    if (pattern->kind == NODE_VARIABLE)
        return lint_binding(lint, pattern);
    int code = 0;
    for (const struct jq_node *child = pattern->first; child != NULL && code == 0;
         child = child->next) {
        bool entry = child->kind == NODE_PATTERN_ENTRY;
        if (entry)
            code = lint_node(lint, child->first);
        if (code == 0)
            code = lint_pattern(lint, entry ? node_second(child) : child);
    }
    return code;
}

static int lint_as(struct lint *lint, const struct jq_node *node)
{
    size_t before = lint->bound_count;
    int code = lint_node(lint, node->first);
    if (code == 0)
        code = lint_pattern(lint, node_second(node));
    if (code == 0)
        code = lint_node(lint, node_third(node));
    lint->bound_count = before;
    return code;
}

static int lint_try(struct lint *lint, const struct jq_node *node)
{
    if (node_second(node) != NULL && lint->short_circuit != NULL)
        return REFUSE(lint->err, node,
                      "\"catch\" inside %s(…) is refused: jq 1.6 catches the end of %s itself",
                      lint->short_circuit, lint->short_circuit);
    return lint_children(lint, node);
}

static bool is_suffix(enum node_kind kind)
{
    return kind == NODE_FIELD || kind == NODE_INDEX || kind == NODE_ITERATE || kind == NODE_SLICE;
}

static int lint_kind(struct lint *lint, const struct jq_node *node)
{
    switch (node->kind) {
    case NODE_CALL:
        return lint_call(lint, node);
    case NODE_VARIABLE:
        return lint_variable(lint, node);
    case NODE_ARITHMETIC:
        return lint_arithmetic(lint, node);
    case NODE_AS:
        return lint_as(lint, node);
    case NODE_TRY:
        return lint_try(lint, node);
    default:
        return lint_children(lint, node);
    }
}

static int lint_node(struct lint *lint, const struct jq_node *node)
{
    int deeper = is_suffix(node->kind) ? 0 : 1;
    lint->depth += deeper;
    int code = lint->depth > LIMIT_EXPRESSION_DEPTH
                   ? REFUSE(lint->err, node, "is nested deeper than %d", LIMIT_EXPRESSION_DEPTH)
                   : lint_kind(lint, node);
    lint->depth -= deeper;
    return code;
}

static int lint_cost(const struct jq_expression *expression, struct karta_error *err)
{
    size_t cost = jq_cost(expression);
    if (cost <= LIMIT_EXPRESSION_COST)
        return 0;
    return karta_error_set_at(
        err, KARTA_ERR_EXPRESSION, 0, jq_cost_column(expression, LIMIT_EXPRESSION_COST),
        "is too large to compile: its parts weigh %zu together, at most %u are taken; say it in "
        "fewer steps",
        cost, LIMIT_EXPRESSION_COST);
}

int jq_lint(const struct jq_expression *expression, struct karta_error *err)
{
    struct lint lint = {.err = err};
    int code = lint_node(&lint, expression->root);
    return code == 0 ? lint_cost(expression, err) : code;
}
