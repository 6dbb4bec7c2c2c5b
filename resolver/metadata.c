/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an object's metadata, which any user may have written: no shape is taken for granted. */
#include "metadata.h"

static const char *text_of(const json_t *value)
{
    const char *text = json_string_value(value);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static const char *in_map(const json_t *object, const char *map, const char *key)
{
    const json_t *metadata = json_object_get(object, "metadata");
    return text_of(json_object_get(json_object_get(metadata, map), key));
}

const char *metadata_text(const json_t *object, const char *key)
{
    return text_of(json_object_get(json_object_get(object, "metadata"), key));
}

const char *metadata_label(const json_t *object, const char *key)
{
    return in_map(object, "labels", key);
}

const char *metadata_annotation(const json_t *object, const char *key)
{
    return in_map(object, "annotations", key);
}

const char *metadata_either(const json_t *object, const char *key)
{
    const char *label = metadata_label(object, key);
    return label != NULL ? label : metadata_annotation(object, key);
}

const json_t *metadata_controller(const json_t *object)
{
    const json_t *owners = json_object_get(json_object_get(object, "metadata"), "ownerReferences");
    for (size_t i = 0; i < json_array_size(owners); i++) {
        const json_t *owner = json_array_get(owners, i);
        if (json_is_true(json_object_get(owner, "controller")))
            return owner;
    }
    return NULL;
}

bool metadata_deleting(const json_t *object)
{
    return metadata_text(object, "deletionTimestamp") != NULL;
}

bool metadata_ganged(const json_t *object)
{
    return metadata_annotation(object, KEY_GANG) != NULL &&
           metadata_label(object, KEY_PROFILE) != NULL;
}
