/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about a tree: is it a write path, which label does it name, what does it read. All are
 * answered from syntax: running an expression cannot tell (jq 1.6 finds paths where there are
 * none).
 */
#include <string.h>

#include "jq/jq_ast.h"
#include "jq/jq_lint.h"

static int path_node(const struct jq_node *node, struct karta_error *err);

static int no_path(const struct jq_node *node, struct karta_error *err, const char *what)
{
    return karta_error_set_at(err, KARTA_ERR_EXPRESSION, 0, node->column,
                              "is no path that can be written to: %s", what);
}

static int path_children(const struct jq_node *first, struct karta_error *err)
{
    int code = 0;
    for (; first != NULL && code == 0; first = first->next)
        code = path_node(first, err);
    return code;
}

static int path_call(const struct jq_node *call, struct karta_error *err)
{
    if (strcmp(call->text, "select") == 0 || strcmp(call->text, "getpath") == 0)
        return 0;
    if (strcmp(call->text, "first") == 0 && call->first != NULL)
        return path_node(call->first, err);
    return karta_error_set_at(
        err, KARTA_ERR_EXPRESSION, 0, call->column,
        "is no path that can be written to: \"%s\" gives a value, not a place", call->text);
}

static const char *describe(enum node_kind kind)
{
    switch (kind) {
    case NODE_VARIABLE:
        return "a variable is a value, not a place";
    case NODE_LOOKUP:
        return "a computed key or index is refused there";
    case NODE_SLICE:
        return "a slice is many elements, not a place";
    case NODE_TRY:
        return "put the \"?\" at a step of the path; \"try\" gives values";
    case NODE_ARRAY:
    case NODE_OBJECT:
        return "a new array or object is a value, not a place";
    case NODE_AND:
    case NODE_OR:
    case NODE_COMPARE:
    case NODE_ARITHMETIC:
    case NODE_NEGATE:
        return "an operator gives a value, not a place";
    default:
        return "a literal is a value, not a place";
    }
}

static int path_node(const struct jq_node *node, struct karta_error *err)
{
    switch (node->kind) {
    case NODE_IDENTITY:
        return 0;
    case NODE_FIELD:
    case NODE_INDEX:
    case NODE_ITERATE:
        return path_node(node->first, err);
    case NODE_PIPE:
    case NODE_COMMA:
    case NODE_DEFAULT:
        return path_children(node->first, err);
    case NODE_IF:
        return path_children(node_second(node), err);
    case NODE_AS:
        if (node_second(node)->kind != NODE_VARIABLE)
            return no_path(node_second(node), err, "\"as\" takes a plain $name there");
        return path_node(node_third(node), err);
    case NODE_CALL:
        return path_call(node, err);
    default:
        return no_path(node, err, describe(node->kind));
    }
}

int jq_expression_check_path(const struct jq_expression *expression, struct karta_error *err)
{
    return path_node(expression->root, err);
}

/* The target of a field, where the key is `key` (NULL: any); else NULL. */
static const struct jq_node *field_target(const struct jq_node *node, const char *key)
{
    bool same = node->kind == NODE_FIELD && (key == NULL || strcmp(node->text, key) == 0);
    return same ? node->first : NULL;
}

bool jq_expression_metadata_key(const struct jq_expression *expression, const char **where,
                                const char **key)
{
    static const char *const places[] = {"labels", "annotations"};
    const struct jq_node *map = field_target(expression->root, NULL);
    for (size_t i = 0; map != NULL && i < 2; i++) {
        const struct jq_node *metadata = field_target(map, places[i]);
        const struct jq_node *root = metadata != NULL ? field_target(metadata, "metadata") : NULL;
        if (root != NULL && root->kind == NODE_IDENTITY) {
            *where = places[i];
            *key = expression->root->text;
            return true;
        }
    }
    return false;
}

bool jq_expression_constant(const struct jq_expression *expression, const char **text)
{
    if (!node_is_literal_text(expression->root))
        return false;
    *text = expression->root->text;
    return true;
}

static bool is_bare(const struct jq_node *node)
{
    switch (node->kind) {
    case NODE_IDENTITY:
    case NODE_FIELD:
    case NODE_INDEX:
    case NODE_ITERATE:
    case NODE_SLICE:
    case NODE_PIPE:
        for (const struct jq_node *child = node->first; child != NULL; child = child->next)
            if (!is_bare(child))
                return false;
        return true;
    default:
        return false;
    }
}

bool jq_expression_is_bare_path(const struct jq_expression *expression)
{
    return is_bare(expression->root);
}

static bool reads(const struct jq_node *node, const char *name);

static bool any_reads(const struct jq_node *first, const char *name)
{
    for (; first != NULL; first = first->next)
        if (reads(first, name))
            return true;
    return false;
}

/* getpath([…]): only the first step looks at the input itself. */
static bool getpath_reads(const struct jq_node *call, const char *name)
{
    const struct jq_node *step = call->first->first;
    if (step != NULL && step->kind == NODE_COMMA)
        step = step->first;
    return step == NULL || !node_is_literal_text(step) || strcmp(step->text, name) == 0;
}

static bool call_reads(const struct jq_node *call, const char *name)
{
    /* these look at the input through their arguments alone */
    static const char *const through[] = {"first", "last", "limit", "error"};
    if (strcmp(call->text, "empty") == 0)
        return false;
    if (strcmp(call->text, "getpath") == 0)
        return getpath_reads(call, name);
    for (size_t i = 0; call->first != NULL && i < sizeof through / sizeof *through; i++)
        if (strcmp(call->text, through[i]) == 0)
            return any_reads(call->first, name);
    /* any(values; condition): the condition sees the values */
    if (node_count(call) == 2)
        return reads(call->first, name);
    return true;
}

/* Whether `node` may read field `name` of the whole input, which is its own input too. */
static bool reads(const struct jq_node *node, const char *name)
{
    switch (node->kind) {
    case NODE_IDENTITY:
        return true;
    case NODE_FIELD:
        if (node->first->kind == NODE_IDENTITY)
            return strcmp(node->text, name) == 0;
        return reads(node->first, name);
    case NODE_PIPE:
    case NODE_TRY:
        /* behind the first stage the input is another one */
        return reads(node->first, name);
    case NODE_CALL:
        return call_reads(node, name);
    case NODE_VARIABLE:
        return false;
    default:
        return any_reads(node->first, name);
    }
}

bool jq_expression_reads(const struct jq_expression *expression, const char *name)
{
    return reads(expression->root, name);
}

static bool is_listed(const char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* True for a field of the input, or of its field `parent`. */
static bool is_read_of(const struct jq_node *node, const char *parent)
{
    if (node->kind != NODE_FIELD)
        return false;
    if (parent == NULL)
        return node->first->kind == NODE_IDENTITY;
    return is_read_of(node->first, NULL) && strcmp(node->first->text, parent) == 0;
}

/* As `reads`, but where it is not sure, nothing is read. */
static const char *other(const struct jq_node *node, const char *parent, const char *const *names)
{
    const char *found = NULL;
    if (is_read_of(node, parent))
        return is_listed(names, node->text) ? NULL : node->text;
    if (node->kind == NODE_PIPE || node->kind == NODE_TRY)
        return other(node->first, parent, names);
    if (node->kind == NODE_CALL && strcmp(node->text, "select") != 0)
        return NULL;
    for (const struct jq_node *child = node->first; child != NULL && found == NULL;
         child = child->next)
        found = other(child, parent, names);
    return found;
}

const char *jq_expression_reads_other(const struct jq_expression *expression, const char *parent,
                                      const char *const *names)
{
    return other(expression->root, parent, names);
}
