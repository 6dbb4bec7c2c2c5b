/* SPDX-License-Identifier: Apache-2.0 */
/* Which expressions give one result at most, whatever their input is. */
#ifndef KARTA_JQ_SINGLE_H
#define KARTA_JQ_SINGLE_H

#include "jq/jq_ast.h"

/* True where it is sure. */
bool jq_is_single(const struct jq_node *node);

#endif
