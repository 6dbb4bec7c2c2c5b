/* SPDX-License-Identifier: Apache-2.0 */
/* Values over the border to libjq and back. A jv never leaves resolver/jq. */
#ifndef KARTA_JQ_VALUE_H
#define KARTA_JQ_VALUE_H

#include <jansson.h>
#include <stddef.h>
/* Debian's jq.h and jv.h are not self-contained everywhere: stdio comes first */
#include <stdio.h>

#include <jv.h>

#include "karta/error.h"

/* What the results of one run may still cost. */
struct value_budget {
    size_t nodes, bytes;
};

/* New jv of `json`, keys in byte order. KARTA_ERR_LIMIT, KARTA_ERR_NOMEM. */
int value_from_json(const json_t *json, jv *value, struct karta_error *err);

/*
 * New JSON of `value` (borrowed). KARTA_ERR_EXPRESSION: JSON has no word for it; KARTA_ERR_LIMIT:
 * the budget is spent; KARTA_ERR_NOMEM.
 */
int value_to_json(jv value, struct value_budget *budget, json_t **json, struct karta_error *err);

/* New text of an error value (borrowed): one line, at most 200 bytes; NULL when memory is out. */
char *value_error_text(jv value);

/* Element of an array, field of an object (new; a null where it is not there or `value` is of
 * another kind). `value` is borrowed. */
jv value_element(jv value, int index);
jv value_field(jv value, const char *key);

/* Elements of an array, -1 for another kind. `value` is borrowed. */
int value_count(jv value);

#endif
