/* SPDX-License-Identifier: Apache-2.0 */
/* --config: one YAML mapping whose keys are the flags' names. */
#include <jansson.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "karta/document.h"
#include "options_table.h"

#define LIMIT_CONFIG_BYTES (1U << 20)

static int set_scalar(struct options *options, const struct option_row *row, const json_t *value,
                      struct karta_error *err)
{
    if (json_is_string(value))
        return option_set(options, row, json_string_value(value), err);
    if (json_is_boolean(value))
        return option_set(options, row, json_is_true(value) ? "true" : "false", err);
    KARTA_AUTO_TEXT text = json_is_integer(value)
                               ? mem_format("%" JSON_INTEGER_FORMAT, json_integer_value(value))
                               : NULL;
    if (text == NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "--%s: a text, a whole number or true and false belong there",
                               row->name);
    return option_set(options, row, text, err);
}

static int set_value(struct options *options, const struct option_row *row, const json_t *value,
                     struct karta_error *err)
{
    if (row->kind != OPTION_LIST || !json_is_array(value))
        return set_scalar(options, row, value, err);
    size_t index;
    json_t *item;
    int rc = 0;
    json_array_foreach(value, index, item)
    {
        rc = set_scalar(options, row, item, err);
        if (rc != 0)
            break;
    }
    return rc;
}

static int unknown_name(const char *name, struct karta_error *err)
{
    const char *nearest = option_nearest(name);
    if (nearest == NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "unknown name \"%s\"", name);
    return karta_error_set(err, KARTA_ERR_SCHEMA, "unknown name \"%s\" (did you mean \"%s\"?)",
                           name, nearest);
}

static int set_all(struct options *options, json_t *mapping, const bool *given,
                   struct karta_error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach(mapping, name, value)
    {
        const struct option_row *row = option_find(name);
        if (row == NULL || strcmp(name, "config") == 0)
            return unknown_name(name, err);
        if (given[row - option_row(0)])
            continue;
        int rc = set_value(options, row, value, err);
        if (rc != 0)
            return rc;
    }
    return 0;
}

int options_read_config(struct options *options, const char *path, const bool *given,
                        struct karta_error *err)
{
    KARTA_AUTO_TEXT bytes = NULL;
    size_t size;
    json_auto_t *documents = NULL;
    int rc = file_read_regular(path, LIMIT_CONFIG_BYTES, &bytes, &size, err);
    if (rc != 0)
        return rc; /* names the file itself */
    rc = karta_documents_parse(bytes, size, &documents, err);
    if (rc == 0 && json_array_size(documents) != 1)
        rc = json_array_size(documents) == 0
                 ? 0
                 : karta_error_set(err, KARTA_ERR_SCHEMA, "one document belongs there");
    json_t *mapping = rc == 0 ? json_array_get(documents, 0) : NULL;
    if (mapping != NULL && !json_is_object(mapping))
        rc = karta_error_set(err, KARTA_ERR_SCHEMA, "a mapping of flags' names belongs there");
    if (rc == 0 && mapping != NULL)
        rc = set_all(options, mapping, given, err);
    return rc != 0 ? karta_error_wrap(err, rc, "%s", path) : 0;
}
