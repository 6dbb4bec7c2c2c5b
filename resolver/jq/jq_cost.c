/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The price of compiling. libjq takes as long as it takes, no deadline reaches into it, and a few
 * bytes of text can become many instructions. The idea: each kind of node has a weight that was
 * measured on what is written for it (jq_emit.c), so that an expression which would take too long
 * is refused before libjq sees it. tests/fuzz/fuzz_expressions.c holds the weights to the clock.
 */
#include "jq/jq_cost.h"

/* A node without its children. */
static size_t weigh(const struct jq_node *node)
{
    switch (node->kind) {
    case NODE_PIPE:
        return 0;
    case NODE_COMMA:
        return node_count(node);
    case NODE_IDENTITY:
    case NODE_TEXT:
        return 1;
    case NODE_VARIABLE:
    case NODE_FIELD:
    case NODE_INDEX:
    case NODE_ITERATE:
        return 2;
    case NODE_NULL:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_NUMBER:
    case NODE_OBJECT:
        return 3;
    case NODE_STRING:
        return node->first == NULL ? 3 : 12 + 9 * node_count(node);
    case NODE_ARRAY:
    case NODE_NEGATE:
        return 4;
    case NODE_LOOKUP:
    case NODE_SLICE:
    case NODE_COMPARE:
    case NODE_ARITHMETIC:
    case NODE_AS:
    case NODE_TRY:
        return 6;
    case NODE_IF:
        return 7;
    case NODE_ENTRY:
    case NODE_CALL:
    case NODE_DEFAULT:
    case NODE_AND:
    case NODE_OR:
    case NODE_PATTERN_ARRAY:
    case NODE_PATTERN_OBJECT:
    case NODE_PATTERN_ENTRY:
        break;
    }
    return 5;
}

size_t jq_cost(const struct jq_expression *expression)
{
    size_t cost = 0;
    for (const struct jq_node *node = expression->allocated; node != NULL; node = node->allocated)
        cost += weigh(node);
    return cost;
}

int jq_cost_column(const struct jq_expression *expression, size_t cap)
{
    size_t rest = jq_cost(expression);
    const struct jq_node *node = expression->allocated;
    while (node->allocated != NULL && rest - weigh(node) > cap) {
        rest -= weigh(node);
        node = node->allocated;
    }
    return node->column;
}
