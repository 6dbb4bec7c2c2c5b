/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, as a tree of JSON: {GROUP: [{"version", "kinds": {KIND: {"plural",
 * "namespaced"}}}]}, the versions in the order in which the server prefers them. Reading the
 * answers is discovery_read.c's. */
#include "discovery.h"

#include <string.h>

#include "base/mem.h"
#include "discovery_internal.h"

int discovery_new(struct discovery **discovery, struct karta_error *err)
{
    *discovery = calloc(1, sizeof **discovery);
    return *discovery != NULL ? 0 : mem_error(err);
}

void discovery_free(struct discovery *discovery)
{
    if (discovery == NULL)
        return;
    for (size_t i = 0; i < DISCOVERY_ROOTS; i++)
        json_decref(discovery->roots[i].groups);
    free(discovery);
}

bool discovery_is_known(const struct discovery *discovery)
{
    return discovery->known;
}

const json_t *discovery_versions(const struct discovery_root *root, const char *group)
{
    return json_object_get(root->groups, group);
}

const json_t *discovery_find(const json_t *versions, const char *version)
{
    size_t index;
    json_t *entry;
    json_array_foreach(versions, index, entry)
    {
        if (strcmp(json_string_value(json_object_get(entry, "version")), version) == 0)
            return entry;
    }
    return NULL;
}

static const struct discovery_root *root_of(const struct discovery *discovery, const char *group)
{
    return &discovery->roots[group[0] == '\0' ? DISCOVERY_CORE : DISCOVERY_GROUPS];
}

const char *discovery_plural(const struct discovery *discovery, const char *group,
                             const char *version, const char *kind, bool *namespaced)
{
    const json_t *versions = discovery_versions(root_of(discovery, group), group);
    const json_t *kinds = json_object_get(discovery_find(versions, version), "kinds");
    const json_t *found = json_object_get(kinds, kind);
    if (namespaced != NULL)
        *namespaced = json_is_true(json_object_get(found, "namespaced"));
    return json_string_value(json_object_get(found, "plural"));
}

const char *discovery_version(const struct discovery *discovery, const char *group,
                              const char *kind, size_t index)
{
    const json_t *versions = discovery_versions(root_of(discovery, group), group);
    size_t i;
    json_t *entry;
    json_array_foreach(versions, i, entry)
    {
        if (json_object_get(json_object_get(entry, "kinds"), kind) != NULL && index-- == 0)
            return json_string_value(json_object_get(entry, "version"));
    }
    return NULL;
}
