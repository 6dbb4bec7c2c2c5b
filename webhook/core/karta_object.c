/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what may be no Karta at all: absent and of a wrong type are the same. */
#include "karta_object.h"

#include <string.h>

static const json_t *root_kind(const json_t *object)
{
    static const char *const path[] = {"spec", "structureDefinition", "rootComponent", "kind"};
    const json_t *value = object;
    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++)
        value = json_object_get(value, path[i]);
    return value;
}

/* Text that holds a NUL is none: its beginning would pass for the whole. */
static const char *text_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    return text != NULL && strlen(text) == json_string_length(value) ? text : "";
}

bool object_is_karta(const json_t *object)
{
    return strcmp(text_at(object, "apiVersion"), "run.ai/v1alpha1") == 0 &&
           strcmp(text_at(object, "kind"), "Karta") == 0;
}

bool object_is_deleting(const json_t *object)
{
    return json_is_string(
        json_object_get(json_object_get(object, "metadata"), "deletionTimestamp"));
}

const char *object_root_text(const json_t *object, const char *key)
{
    return text_at(root_kind(object), key);
}

bool object_root_is_whole(const json_t *object)
{
    const json_t *group = json_object_get(root_kind(object), "group");
    bool none = group == NULL || json_is_null(group) ||
                (json_is_string(group) && json_string_length(group) == 0);
    return (none || object_root_text(object, "group")[0] != '\0') &&
           object_root_text(object, "version")[0] != '\0' &&
           object_root_text(object, "kind")[0] != '\0';
}

bool object_root_is_same(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"group", "version", "kind"};
    for (size_t i = 0; i < 3; i++)
        if (strcmp(object_root_text(a, keys[i]), object_root_text(b, keys[i])) != 0)
            return false;
    return true;
}
