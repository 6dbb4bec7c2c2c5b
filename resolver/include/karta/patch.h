/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON Patch (RFC 6902) and JSON Pointer (RFC 6901). Thread rule: pure functions, any thread.
 */
#ifndef KARTA_PATCH_H
#define KARTA_PATCH_H

#include <jansson.h>

#include "karta/error.h"

/*
 * Applies `patch` (an array of operations: add, remove, replace, move, copy, test) to a deep copy
 * of `object`. *result is new. Nothing is applied in part: KARTA_ERR_CONFLICT names the operation
 * ("operation 2: no value at /spec/x") and `object` stays as it was; KARTA_ERR_SCHEMA for what is
 * no patch.
 */
KARTA_API int karta_patch_apply(const json_t *object, const json_t *patch, json_t **result,
                                struct karta_error *err);

/* The value at `pointer` (borrowed), NULL where there is none. "" is the whole. */
KARTA_API json_t *karta_pointer_get(const json_t *root, const char *pointer);

#endif
