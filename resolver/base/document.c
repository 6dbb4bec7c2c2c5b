/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to documents: JSON where they are JSON, else YAML. The one idea: both readers give values
 * of the same kind, and what makes several documents of one (kind: List) is done here for both.
 */
#include "karta/document.h"

#include <string.h>

#include "base/limits.h"
#include "base/read.h"

/* The items of a `kind: List`, NULL for any other value. */
static json_t *list_items(const json_t *value)
{
    const char *kind = json_string_value(json_object_get(value, "kind"));
    const char *version = json_string_value(json_object_get(value, "apiVersion"));
    if (kind == NULL || version == NULL || strcmp(kind, "List") != 0 || strcmp(version, "v1") != 0)
        return NULL;
    json_t *items = json_object_get(value, "items");
    return json_is_array(items) ? items : NULL;
}

int documents_init(struct documents *documents, struct karta_error *err)
{
    *documents = (struct documents){json_array(), json_array()};
    if (documents->values == NULL || documents->lines == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    return KARTA_OK;
}

void documents_dispose(struct documents *documents)
{
    json_decref(documents->values);
    json_decref(documents->lines);
    *documents = (struct documents){0};
}

int document_add(struct documents *documents, json_t *value, int line, struct karta_error *err)
{
    json_auto_t *owned = value;
    if (value == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    if (json_is_null(value))
        return KARTA_OK;
    const json_t *items = list_items(value);
    for (size_t i = 0; i < json_array_size(items); i++) {
        int code = document_add(documents, json_incref(json_array_get(items, i)), line, err);
        if (code != 0)
            return code;
    }
    if (items != NULL)
        return KARTA_OK;
    if (json_array_size(documents->values) >= LIMIT_DOCUMENTS)
        return karta_error_set(err, KARTA_ERR_LIMIT, "more than %u documents", LIMIT_DOCUMENTS);
    if (json_array_append(documents->values, owned) != 0 ||
        json_array_append_new(documents->lines, json_integer(line)) != 0)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    return KARTA_OK;
}

int documents_read(const char *bytes, size_t size, struct documents *documents,
                   struct karta_error *err)
{
    static const char mark[] = "\xEF\xBB\xBF";
    int code = documents_init(documents, err);
    if (code == 0 && size > LIMIT_DOCUMENT_BYTES)
        code = karta_error_set(err, KARTA_ERR_LIMIT, "document is above %u bytes",
                               LIMIT_DOCUMENT_BYTES);
    if (code != 0)
        return code;
    if (size >= 3 && memcmp(bytes, mark, 3) == 0) {
        bytes += 3;
        size -= 3;
    }
    bool is_json = false;
    code = json_read(bytes, size, documents, &is_json, err);
    return code == 0 && !is_json ? yaml_read(bytes, size, documents, err) : code;
}

int karta_documents_parse(const char *bytes, size_t size, json_t **documents,
                          struct karta_error *err)
{
    struct documents found;
    int code = documents_read(bytes, size, &found, err);
    if (code == 0)
        *documents = json_incref(found.values);
    documents_dispose(&found);
    return code;
}
