/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents: bytes in YAML or JSON, one or many, to JSON values; and back to YAML.
 * Thread rule: every call may run on any thread, no state is kept.
 */
#ifndef KARTA_DOCUMENT_H
#define KARTA_DOCUMENT_H

#include <jansson.h>
#include <stddef.h>

#include "karta/error.h"

/*
 * Parses `size` bytes into *documents, a new JSON array (json_decref it) of every document in
 * order; null and empty documents are left out and each item of a `kind: List` (apiVersion v1, with
 * an `items` array) stands in its place. What is JSON is read as JSON (by jansson, one or several
 * texts, NUL in strings allowed), everything else as YAML by libyaml, with plain scalars typed as
 * Kubernetes' own reader types them (sigs.k8s.io/yaml: YAML 1.1 without base 60; y, n, yes, no, on
 * and off are booleans; dates are text; map keys that are numbers or booleans become text; a merge
 * key takes effect where it stands). Integers beyond a signed 64 bits become reals, in JSON too. A
 * UTF-8 byte order mark is skipped. Refused: a key twice in one map, tags other than the core ones,
 * .inf and .nan, more than 32 MiB of input or of text that aliases repeat, 512 levels, 1,000,000
 * values after alias expansion, 10,000 documents.
 *
 * KARTA_ERR_SYNTAX, KARTA_ERR_SCHEMA (a key twice) with line and column; KARTA_ERR_LIMIT;
 * KARTA_ERR_NOMEM.
 */
KARTA_API int karta_documents_parse(const char *bytes, size_t size, json_t **documents,
                                    struct karta_error *err);

/*
 * Parses bytes that are one JSON text, of any type, into *value (new). Integers beyond a signed 64
 * bits become reals. KARTA_ERR_SYNTAX (`not JSON: ... at byte 12`) and KARTA_ERR_SCHEMA (a key
 * twice) with line and column; KARTA_ERR_LIMIT: deeper than 2,048 levels, above 32 MiB or
 * 1,000,000 values; KARTA_ERR_NOMEM.
 */
KARTA_API int karta_json_parse(const char *bytes, size_t size, json_t **value,
                               struct karta_error *err);

/*
 * Prints `value` as one YAML document without the leading "---", keys in byte order, block style,
 * strings quoted only where YAML would read them as something else, multi-line strings as literal
 * blocks where they can be, reals as short as they read back the same. What is printed reads back
 * equal. *text is new: free(). KARTA_ERR_LIMIT (512 levels, 256 MiB), KARTA_ERR_NOMEM.
 */
KARTA_API int karta_yaml_print(const json_t *value, char **text, struct karta_error *err);

#endif
