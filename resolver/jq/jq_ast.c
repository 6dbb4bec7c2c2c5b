/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes: made, filled, linked and freed. One list through all of them makes freeing a loop. */
#include "jq/jq_ast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

struct jq_node *node_new(struct jq_expression *expression, enum node_kind kind, int column)
{
    if (expression->nodes >= LIMIT_EXPRESSION_NODES)
        return NULL;
    struct jq_node *node = calloc(1, sizeof *node);
    if (node == NULL)
        return NULL;
    node->kind = kind;
    node->column = column;
    node->allocated = expression->allocated;
    expression->allocated = node;
    expression->nodes++;
    return node;
}

bool node_set_text(struct jq_node *node, const char *text, size_t size)
{
    free(node->text);
    node->text = strndup(text, size);
    return node->text != NULL;
}

void node_append(struct jq_node *parent, struct jq_node *child)
{
    if (parent->last != NULL)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

struct jq_node *node_second(const struct jq_node *node)
{
    return node->first != NULL ? node->first->next : NULL;
}

struct jq_node *node_third(const struct jq_node *node)
{
    struct jq_node *second = node_second(node);
    return second != NULL ? second->next : NULL;
}

size_t node_count(const struct jq_node *node)
{
    size_t count = 0;
    for (const struct jq_node *child = node->first; child != NULL; child = child->next)
        count++;
    return count;
}

bool node_is_literal_text(const struct jq_node *node)
{
    return node->kind == NODE_STRING && node->first == NULL;
}

bool node_is_integer(const struct jq_node *node, double *value)
{
    double sign = 1;
    if (node->kind == NODE_NEGATE) {
        sign = -1;
        node = node->first;
    }
    if (node->kind != NODE_NUMBER || floor(node->number) != node->number ||
        node->number > 2147483647.0)
        return false;
    *value = node->number == 0 ? 0 : sign * node->number;
    return true;
}

bool node_is_scalar(const struct jq_node *node)
{
    if (node->kind == NODE_NEGATE)
        node = node->first;
    return node->kind == NODE_NULL || node->kind == NODE_TRUE || node->kind == NODE_FALSE ||
           node->kind == NODE_NUMBER || node->kind == NODE_STRING;
}

const char *jq_expression_text(const struct jq_expression *expression)
{
    return expression->text;
}

void jq_expression_free(struct jq_expression *expression)
{
    if (expression == NULL)
        return;
    for (struct jq_node *node = expression->allocated; node != NULL;) {
        struct jq_node *before = node->allocated;
        free(node->text);
        free(node);
        node = before;
    }
    free(expression->text);
    free(expression);
}
