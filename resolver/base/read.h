/* SPDX-License-Identifier: Apache-2.0 */
/* How documents are read: what document.c and its two readers share. Thread rule: any thread. */
#ifndef KARTA_BASE_READ_H
#define KARTA_BASE_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "karta/error.h"

/* What was read: values, and the line on which each begins (a List's items: the List's). */
struct documents {
    json_t *values, *lines; /* owned arrays of the same size */
};

/* KARTA_ERR_NOMEM; dispose of it in any case. */
int documents_init(struct documents *documents, struct karta_error *err);
void documents_dispose(struct documents *documents);

/* As karta_documents_parse, with the lines: *documents is the caller's to dispose in any case. */
int documents_read(const char *bytes, size_t size, struct documents *documents,
                   struct karta_error *err);

/*
 * Appends `value` (taken, also on failure; NULL: memory ran out) to `documents`: null is left
 * out, a List's items stand in its place. KARTA_ERR_LIMIT, KARTA_ERR_NOMEM.
 */
int document_add(struct documents *documents, json_t *value, int line, struct karta_error *err);

/*
 * Appends every JSON text in `bytes` to `documents`. *is_json is false where the bytes are no JSON
 * (which is no error: they may be YAML).
 */
int json_read(const char *bytes, size_t size, struct documents *documents, bool *is_json,
              struct karta_error *err);

/* Appends every YAML document in `bytes` to `documents`. */
int yaml_read(const char *bytes, size_t size, struct documents *documents, struct karta_error *err);

#endif
