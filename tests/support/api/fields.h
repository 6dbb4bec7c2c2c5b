/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of fields as managedFields writes them (fieldsV1): trees of "f:NAME" and "k:{KEY}", where a
 * node is a member when it is empty or holds ".". NULL is the empty set. Everything returned is
 * new. https://kubernetes.io/docs/reference/using-api/server-side-apply/ */
#ifndef KARTA_TESTS_API_FIELDS_H
#define KARTA_TESTS_API_FIELDS_H

#include <jansson.h>
#include <stdbool.h>

/* Maps whose fields have owners of their own; not empty ones, nor label selectors. `name` is the
 * name of the field that holds the value. */
bool fields_is_map(const char *name, const json_t *value);
/* Lists of such maps, known by key. */
bool fields_is_list(const char *name, const json_t *value);
/* The key of an item as "k:{...}" without "k:"; NULL: it has none. */
char *fields_key(const char *name, const json_t *item);
/* Borrowed; NULL: none. */
json_t *fields_item(const char *name, const json_t *list, const char *key, size_t *index);

json_t *fields_of(const char *name, const json_t *value);
/* What is in `after` and was not so in `before`, NULL for nothing. */
json_t *fields_changed(const char *name, const json_t *before, const json_t *after);

bool fields_is_member(const json_t *node);
json_t *fields_union(const json_t *a, const json_t *b);
json_t *fields_both(const json_t *a, const json_t *b);
json_t *fields_without(const json_t *a, const json_t *b);
/* Calls with ".webhooks[name=\"x\"].rules" for each member. */
void fields_each(const json_t *set, const char *path, void (*call)(void *arg, const char *path),
                 void *arg);

#endif
