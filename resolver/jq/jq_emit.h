/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the text that libjq compiles. */
#ifndef KARTA_JQ_EMIT_H
#define KARTA_JQ_EMIT_H

#include "base/strbuf.h"
#include "jq/jq_program.h"

/* Appends the expression, written anew, as one jq term. Failure is sticky in `out`. */
void jq_emit(const struct jq_expression *expression, struct strbuf *out);

/*
 * New text of a whole program of `parts`: our definitions, a function for each part, and the array
 * of what they give. NULL with KARTA_ERR_LIMIT or KARTA_ERR_NOMEM set.
 */
char *jq_emit_program(const struct jq_part *parts, size_t count, struct karta_error *err);

/* Appends those of our definitions that `body` names, and those that they need. */
void jq_prelude_emit(const char *body, struct strbuf *out);

#endif
