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

/* The list's element as an object, or NULL and a problem. */
const json_t *parse_element(struct parse *parse, const struct at *at, const json_t *element);

/* The same for one that is run on a pod; a warning where it reads what only workloads have. */
struct jq_expression *parse_pod_expression(struct parse *parse, const struct at *at,
                                           const json_t *object, const char *key);
void parse_check_pod(struct parse *parse, const struct at *at, const char *key,
                     const struct jq_expression *jq);

/* Whether every member is text; a problem for each that isn't. */
bool parse_text_map(struct parse *parse, const struct at *at, const json_t *map);

/* New copy of a text field, NULL where it is absent or empty. */
char *parse_text(struct parse *parse, const struct at *at, const json_t *object, const char *key);

/* The same, of `fallback` where it is absent or empty. */
char *parse_text_or(struct parse *parse, const struct at *at, const json_t *object, const char *key,
                    const char *fallback);

/* The readers, each in a file of its own. */
void parse_component(struct parse *parse, const struct at *at, const json_t *object,
                     struct component *component, bool root);
void parse_status(struct parse *parse, const struct at *at, const json_t *object,
                  struct status_definition *status);
void parse_selector(struct parse *parse, const struct at *at, const json_t *object,
                    struct pod_selector *selector);
void parse_gang(struct parse *parse, const struct at *at, const json_t *spec);
void parse_metadata(struct parse *parse, const json_t *document);
/* A kind that is stated in full: group (only core kinds have none), version and kind. */
void parse_whole_kind(struct parse *parse, const struct at *at, const json_t *kind,
                      bool any_without_group);

/*
 * True when the name of every component could be read. Where it is false, "names no component"
 * would only repeat, at every mention, a problem that is reported already.
 */
bool parse_knows_names(const struct karta_definition *definition);

/* The component's name nearest to `name`, or NULL. */
const char *parse_nearest_component(const struct karta_definition *definition, const char *name);

#endif
