/* SPDX-License-Identifier: Apache-2.0 */
/* What the definitions' endpoints read of an object, whatever it is. Pure; texts are borrowed. */
#ifndef KARTA_CORE_KARTA_OBJECT_H
#define KARTA_CORE_KARTA_OBJECT_H

#include <jansson.h>
#include <stdbool.h>

/* By apiVersion and kind. */
bool object_is_karta(const json_t *object);
bool object_is_deleting(const json_t *object);
/* The root's "group", "version" or "kind"; "" where it cannot be read. */
const char *object_root_text(const json_t *object, const char *key);
/* Whether all three can be read; a group may be absent. */
bool object_root_is_whole(const json_t *object);
/* Whether all three are the same in both. */
bool object_root_is_same(const json_t *a, const json_t *b);

#endif
