/* SPDX-License-Identifier: Apache-2.0 */
/* The judgement: what of jq an expression may use. Sets KARTA_ERR_EXPRESSION with a column. */
#ifndef KARTA_JQ_LINT_H
#define KARTA_JQ_LINT_H

#include "jq/jq_ast.h"

/* Judges the whole tree: arities, variables, literals that must be literals. */
int jq_lint(const struct jq_expression *expression, struct karta_error *err);

/* Judges the name of a call alone: allowed in any arity, or refused with the reason. */
int jq_lint_name(const char *name, int column, struct karta_error *err);

/* Refuses the keywords that are refused as such (`def`); 0 for the others (`then`). */
int jq_lint_keyword(const char *word, size_t size, int column, struct karta_error *err);

/* 0 when `call` is getpath of a literal path: texts and whole numbers. */
int jq_lint_getpath(const struct jq_node *call, struct karta_error *err);

#endif
