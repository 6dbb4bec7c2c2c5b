/* SPDX-License-Identifier: Apache-2.0 */
/* jq texts in documents: what the language refuses becomes a problem at the field it stands in. */
#ifndef KARTA_EXPRESSION_PARSE_H
#define KARTA_EXPRESSION_PARSE_H

#include "jq/jq_program.h"
#include "schema.h"

/* New, or NULL and a problem that says why, gives the column and quotes the text. */
struct jq_expression *expression_parse(struct karta_problems *problems, const struct at *at,
                                       const char *key, const char *text);

/* A refusal where the expression is not a path that can be written to. */
void expression_need_path(struct karta_problems *problems, const struct at *at, const char *key,
                          const struct jq_expression *expression);

/* A warning where it isn't: what cannot be written to is only read. */
void expression_want_path(struct karta_problems *problems, const struct at *at, const char *key,
                          const struct jq_expression *expression);

#endif
