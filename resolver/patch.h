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

/*
 * Appends to `operations` what makes `target`, the value at `pointer` (NULL: absent), hold all of
 * `tree`, an object of objects and leaves. Members that `tree` doesn't name stay as they are.
 * A leaf equal to the target's gives nothing.
 */
int patch_merge(json_t *operations, const json_t *target, const char *pointer, const json_t *tree,
                struct karta_error *err);

#endif
