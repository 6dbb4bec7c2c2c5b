/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the gang annotation. The one idea: people and operators copy metadata, so what an
 * annotation says is believed only of the object that it was written for.
 */
#include "gang_memory.h"

#include <string.h>

#include "base/limits.h"
#include "metadata.h"

static const char *text_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    return text != NULL && strlen(text) == json_string_length(value) ? text : NULL;
}

static bool same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* The group of an apiVersion: its length, 0 for the core group. */
static bool same_group(const char *api_version, const char *group)
{
    const char *slash = api_version != NULL ? strchr(api_version, '/') : NULL;
    size_t size = slash != NULL ? (size_t)(slash - api_version) : 0;
    return api_version != NULL && group != NULL && strlen(group) == size &&
           memcmp(api_version, group, size) == 0;
}

static bool names_carrier(const struct gang_owner *owner, const json_t *object, const char *ns)
{
    if (!same_group(text_at(object, "apiVersion"), owner->group) ||
        !same(text_at(object, "kind"), owner->kind) || !same(owner->ns, ns))
        return false;
    if (owner->name != NULL)
        return same(owner->name, metadata_text(object, "name"));
    return same(owner->generate_name, metadata_text(object, "generateName"));
}

static bool is_nonce(const char *text)
{
    return text != NULL && strlen(text) == NONCE_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == NONCE_SIZE - 1;
}

struct gang_owner gang_owner_read(const json_t *carrier)
{
    return (struct gang_owner){text_at(carrier, "group"), text_at(carrier, "kind"),
                               text_at(carrier, "namespace"), text_at(carrier, "name"),
                               text_at(carrier, "generateName")};
}

json_t *gang_owner_json(const struct gang_owner *owner)
{
    return json_pack("{s:s, s:s, s:s, s:s*, s:s*}", "group", owner->group, "kind", owner->kind,
                     "namespace", owner->ns, "name", owner->name, "generateName",
                     owner->generate_name);
}

bool gang_owner_whole(const struct gang_owner *owner)
{
    return owner->group != NULL && owner->kind != NULL && owner->ns != NULL &&
           gang_owner_name(owner) != NULL;
}

bool gang_memory_read(const json_t *object, const char *ns, struct gang_memory *memory)
{
    *memory = (struct gang_memory){0};
    const char *text = metadata_annotation(object, KEY_GANG);
    if (text == NULL || strlen(text) > LIMIT_GANG_ANNOTATION)
        return false;
    memory->json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const json_t *carrier = json_object_get(memory->json, "for");
    memory->owner = gang_owner_read(carrier);
    memory->nonce = text_at(memory->json, "nonce");
    memory->profile = text_at(memory->json, "profile");
    memory->queue = text_at(memory->json, "queue");
    memory->priority_class = text_at(memory->json, "priorityClassName");
    memory->groups = json_object_get(memory->json, "groups");
    return json_integer_value(json_object_get(memory->json, "v")) == 1 && is_nonce(memory->nonce) &&
           memory->profile != NULL && json_is_array(memory->groups) &&
           names_carrier(&memory->owner, object, ns);
}

void gang_memory_dispose(struct gang_memory *memory)
{
    json_decref(memory->json);
    *memory = (struct gang_memory){0};
}

bool gang_memory_submitted(const json_t *object)
{
    const json_t *managed = json_object_get(json_object_get(object, "metadata"), "managedFields");
    for (size_t i = 0; i < json_array_size(managed); i++) {
        const json_t *fields = json_object_get(json_array_get(managed, i), "fieldsV1");
        const json_t *metadata = json_object_get(fields, "f:metadata");
        if (json_object_get(json_object_get(metadata, "f:annotations"), "f:" KEY_GANG) != NULL)
            return true;
    }
    return false;
}

bool gang_memory_names(const struct gang_memory *memory, const char *text)
{
    for (size_t i = 0; i < json_array_size(memory->groups); i++) {
        const json_t *group = json_array_get(memory->groups, i);
        if (same(text_at(group, "name"), text))
            return true;
        const json_t *subgroups = json_object_get(group, "subGroups");
        for (size_t k = 0; k < json_array_size(subgroups); k++)
            if (same(text_at(json_array_get(subgroups, k), "name"), text))
                return true;
    }
    return false;
}

struct gang_owner gang_owner_of(const json_t *object, const char *group, const char *kind,
                                const char *ns)
{
    const char *name = metadata_text(object, "name");
    const char *prefix = metadata_text(object, "generateName");
    return (struct gang_owner){group, kind, ns, name, name == NULL ? (prefix ? prefix : "") : NULL};
}
