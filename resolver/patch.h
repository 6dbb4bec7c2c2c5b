/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building patches (RFC 6902) that always apply: missing or null parents come once and whole, keys
 * are escaped, what is equal gives no operation.
 */
#ifndef KARTA_PATCH_BUILD_H
#define KARTA_PATCH_BUILD_H

#include <jansson.h>

#include "base/strbuf.h"
#include "karta/error.h"

/* Appends "/key" with '~' and '/' escaped (RFC 6901). */
void pointer_add_key(struct strbuf *pointer, const char *key);

/* New pointer "base/key", the key escaped; NULL when memory is out. */
char *pointer_join(const char *base, const char *key);

/*
 * Lays `value` (borrowed) at `pointer` into `tree`, an object of objects: what is wanted of an
 * object, where a list's elements stand under their indexes. KARTA_ERR_NOMEM.
 */
int wanted_put(json_t *tree, const char *pointer, json_t *value, struct karta_error *err);

/*
 * Appends to `operations` what makes `object` hold all that `tree` wants. Members that `tree`
 * doesn't name stay as they are; null counts as absent. KARTA_ERR_CONFLICT names the place whose
 * parent can hold nothing (`/spec/x is text where an object belongs`).
 */
int patch_merge(json_t *operations, const json_t *object, const json_t *tree,
                struct karta_error *err);

#endif
