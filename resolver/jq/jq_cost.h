/* SPDX-License-Identifier: Apache-2.0 */
/* What an expression costs to compile, in steps of about 10 microseconds with jq 1.6. */
#ifndef KARTA_JQ_COST_H
#define KARTA_JQ_COST_H

#include "jq/jq_ast.h"

/* The steps of all nodes of the tree. */
size_t jq_cost(const struct jq_expression *expression);

/* The column of the node with which `cap` is passed; the tree costs more than that. */
int jq_cost_column(const struct jq_expression *expression, size_t cap);

#endif
