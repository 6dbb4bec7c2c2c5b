/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading documents that people write: every field by its path, every wrong type a problem, every
 * unknown name a warning with the nearest known one. null counts as absent.
 */
#ifndef KARTA_SCHEMA_H
#define KARTA_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "karta/problem.h"

/* A place in the document: frames on the stack, from the leaf up to the root. */
struct at {
    const struct at *up; /* NULL: the document itself */
    const char *key;     /* a field's name; NULL: an element */
    size_t index;        /* of an element */
};

/* New text "spec.childComponents[1].name"; NULL when memory is out. `key` may be NULL. */
char *at_path(const struct at *at, const char *key);

/* Adds a problem at `at` and, where it isn't NULL, its field `key`. */
void schema_problem(struct karta_problems *problems, enum karta_severity severity,
                    const struct at *at, const char *key, const char *format, ...)
    KARTA_PRINTF(5, 6);

/* The field, borrowed, when it is of the type; else NULL, and a problem where it is something
 * else (absent and null are none). */
const json_t *schema_get(struct karta_problems *problems, const struct at *at, const json_t *object,
                         const char *key, json_type type);

/* The same for text, which may hold no NUL. */
const char *schema_text(struct karta_problems *problems, const struct at *at, const json_t *object,
                        const char *key);

/* Adds the problem of a value that is of another type than belongs there. */
void schema_wrong_type(struct karta_problems *problems, const struct at *at, const char *key,
                       const json_t *value, json_type type);

/* The text that a list holds at `at`; NULL and a problem where it is none. */
const char *schema_element_text(struct karta_problems *problems, const struct at *at,
                                const json_t *element);

/* True when the field is there and not null, whatever it is. */
bool schema_states(const json_t *object, const char *key);

/* The same as schema_text, and a problem where it is absent or empty. */
const char *schema_need_text(struct karta_problems *problems, const struct at *at,
                             const json_t *object, const char *key);

/* Warns of each field that `names` (NULL-terminated) doesn't list. */
void schema_known(struct karta_problems *problems, const struct at *at, const json_t *object,
                  const char *const *names);

/* The name in `names` (NULL-terminated) nearest to `word`, or NULL where none is near. */
const char *nearest_name(const char *word, const char *const *names);

/* " (did you mean NEAR?)" in `text`, or "" where `near` is NULL. Returns `text`. */
#define MEANT_SIZE 128
const char *did_you_mean(const char *near, char text[MEANT_SIZE]);

/* "text", "an object", ... for messages. */
const char *json_type_text(json_type type);

#endif
