/* SPDX-License-Identifier: Apache-2.0 */
/* How documents are read: what document.c and its two readers share. Thread rule: any thread. */
#ifndef KARTA_BASE_READ_H
#define KARTA_BASE_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "karta/error.h"

/*
 * Appends `value` (taken, also on failure; NULL: memory ran out) to the array `documents`: null is
 * left out, a List's items stand in its place. KARTA_ERR_LIMIT, KARTA_ERR_NOMEM.
 */
int document_add(json_t *documents, json_t *value, struct karta_error *err);

/*
 * Appends every JSON text in `bytes` to `documents`. *is_json is false where the bytes are no JSON
 * (which is no error: they may be YAML).
 */
int json_read(const char *bytes, size_t size, json_t *documents, bool *is_json,
              struct karta_error *err);

/* Appends every YAML document in `bytes` to `documents`. */
int yaml_read(const char *bytes, size_t size, json_t *documents, struct karta_error *err);

#endif
