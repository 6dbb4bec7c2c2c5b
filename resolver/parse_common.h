/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of a definition's parts share. Texts and lists become the definition's. */
#ifndef KARTA_PARSE_COMMON_H
#define KARTA_PARSE_COMMON_H

#include <stdbool.h>

#include "definition.h"
#include "schema.h"

struct parse {
    struct karta_definition *definition; /* NULL for a profile */
    struct karta_problems *problems;
    int failed; /* memory ran out: sticky */
};

/* New copy; NULL of NULL. */
char *parse_keep(struct parse *parse, const char *text);

/* New, zeroed list of at least one element. */
void *parse_array(struct parse *parse, size_t count, size_t size);

/* The expression in a field (new), NULL where it is absent or refused. */
struct jq_expression *parse_expression(struct parse *parse, const struct at *at,
                                       const json_t *object, const char *key);
/* The same, that must be a path to write to. */
struct jq_expression *parse_write_path(struct parse *parse, const struct at *at,
                                       const json_t *object, const char *key);
/* The same as the first, where absence is a problem. */
struct jq_expression *parse_need_expression(struct parse *parse, const struct at *at,
                                            const json_t *object, const char *key);

/* True when the field is there and not null. */
bool parse_states(const json_t *object, const char *key);

/* The list's element as an object, or NULL and a problem. */
const json_t *parse_element(struct parse *parse, const struct at *at, const json_t *element);

/* Whether every member is text; a problem for each that isn't. */
bool parse_text_map(struct parse *parse, const struct at *at, const json_t *map);

/* New copy of a text field, or of `fallback` where it is absent or empty. */
char *parse_text_or(struct parse *parse, const struct at *at, const json_t *object, const char *key,
                    const char *fallback);

/* The readers, each in a file of its own. */
void parse_component(struct parse *parse, const struct at *at, const json_t *object,
                     struct component *component, bool root);
void parse_status(struct parse *parse, const struct at *at, const json_t *object,
                  struct status_definition *status);
void parse_gang(struct parse *parse, const struct at *at, const json_t *spec);

#endif
