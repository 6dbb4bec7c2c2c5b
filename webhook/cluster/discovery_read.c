/* SPDX-License-Identifier: Apache-2.0 */
/* The API server's lists as the tree. What has another shape than it should is left out: a broken
 * extension server must not hide the others. */
#include <string.h>

#include "discovery_internal.h"

/* A name that can be one; NULL otherwise. */
static const char *name_of(const json_t *object, const char *key)
{
    const char *name = json_string_value(json_object_get(object, key));
    return name != NULL && name[0] != '\0' && strlen(name) <= 253 ? name : NULL;
}

/* The array of a group's versions, made where there is none. Borrowed; NULL: failed. */
static json_t *versions_of(struct discovery_making *making, const char *group)
{
    json_t *versions = json_object_get(making->groups, group);
    if (++making->versions > LIMIT_VERSIONS)
        making->failed = KARTA_ERR_LIMIT;
    if (versions == NULL && making->failed == 0) {
        versions = json_array();
        if (json_object_set_new(making->groups, group, versions) != 0)
            making->failed = KARTA_ERR_NOMEM;
    }
    return making->failed == 0 ? versions : NULL;
}

/* Adds a version to a group, empty at first: its kinds, borrowed; NULL: failed. */
static json_t *add_version(struct discovery_making *making, const char *group, const char *version)
{
    json_t *versions = versions_of(making, group);
    if (versions == NULL)
        return NULL;
    json_t *kinds = json_object();
    json_t *entry = json_pack("{s:s, s:o}", "version", version, "kinds", kinds);
    if (json_array_append_new(versions, entry) == 0)
        return kinds;
    making->failed = KARTA_ERR_NOMEM;
    return NULL;
}

bool discovery_keep_version(struct discovery_making *making, const char *group, const char *version)
{
    const json_t *known = discovery_find(discovery_versions(making->before, group), version);
    json_t *versions = known != NULL ? versions_of(making, group) : NULL;
    if (versions == NULL)
        return false;
    making->resources += json_object_size(json_object_get(known, "kinds"));
    if (making->resources > LIMIT_RESOURCES)
        making->failed = KARTA_ERR_LIMIT;
    else if (json_array_append(versions, (json_t *)known) != 0)
        making->failed = KARTA_ERR_NOMEM;
    return true;
}

/* Adds a kind; the first of a name stays, and subresources are left out. */
static void add_kind(struct discovery_making *making, json_t *kinds, const char *kind,
                     const char *plural, bool namespaced)
{
    if (kind == NULL || plural == NULL || strchr(plural, '/') != NULL ||
        json_object_get(kinds, kind) != NULL)
        return;
    if (++making->resources > LIMIT_RESOURCES)
        making->failed = KARTA_ERR_LIMIT;
    else if (json_object_set_new(
                 kinds, kind,
                 json_pack("{s:s, s:b}", "plural", plural, "namespaced", namespaced)) != 0)
        making->failed = KARTA_ERR_NOMEM;
}

static void read_version(struct discovery_making *making, const char *group, const json_t *version)
{
    const char *name = name_of(version, "version");
    const char *freshness = json_string_value(json_object_get(version, "freshness"));
    if (name == NULL)
        return;
    bool stale = freshness != NULL && strcmp(freshness, "Stale") == 0;
    if (stale && discovery_keep_version(making, group, name))
        return;
    json_t *kinds = add_version(making, group, name);
    size_t index;
    json_t *resource;
    json_array_foreach(json_object_get(version, "resources"), index, resource)
    {
        const json_t *kind = json_object_get(resource, "responseKind");
        const char *scope = json_string_value(json_object_get(resource, "scope"));
        if (making->failed != 0)
            return;
        add_kind(making, kinds, name_of(kind, "kind"), name_of(resource, "resource"),
                 scope != NULL && strcmp(scope, "Namespaced") == 0);
    }
}

bool discovery_read_aggregated(struct discovery_making *making, const json_t *body)
{
    const char *kind = json_string_value(json_object_get(body, "kind"));
    const json_t *items = json_object_get(body, "items");
    if (kind == NULL || strcmp(kind, "APIGroupDiscoveryList") != 0 || !json_is_array(items))
        return false;
    size_t i;
    json_t *item;
    json_array_foreach(items, i, item)
    {
        const char *group = name_of(json_object_get(item, "metadata"), "name");
        size_t k;
        json_t *version;
        json_array_foreach(json_object_get(item, "versions"), k, version)
            read_version(making, group != NULL ? group : "", version);
    }
    return true;
}

bool discovery_read_resources(struct discovery_making *making, const char *group,
                              const char *version, const json_t *body)
{
    const json_t *resources = json_object_get(body, "resources");
    if (!json_is_array(resources) && !json_is_null(resources))
        return false;
    json_t *kinds = add_version(making, group, version);
    size_t index;
    json_t *resource;
    json_array_foreach(resources, index, resource)
    {
        if (making->failed != 0)
            break;
        add_kind(making, kinds, name_of(resource, "kind"), name_of(resource, "name"),
                 json_is_true(json_object_get(resource, "namespaced")));
    }
    return true;
}
