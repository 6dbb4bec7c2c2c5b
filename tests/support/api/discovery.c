/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds, printed in the two forms that clients know: a document for each step, or all at once
 * ("aggregated") with an ETag. */
#include "discovery.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static json_t *verbs(bool status)
{
    return status ? json_pack("[sss]", "get", "patch", "update")
                  : json_pack("[sssssss]", "create", "delete", "get", "list", "patch", "update",
                              "watch");
}

static char *singular(const struct api_kind *kind)
{
    char *name = mem_format("%s", kind->name);
    for (char *c = name; c != NULL && *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return name;
}

static json_t *response_kind(const struct api_kind *kind)
{
    return json_pack("{ss ss ss}", "group", kind->group, "version", kind->version, "kind",
                     kind->name);
}

static json_t *aggregated_resource(const struct api_kind *kind)
{
    KARTA_AUTO_TEXT name = singular(kind);
    json_t *resource =
        json_pack("{ss so ss ss so}", "resource", kind->plural, "responseKind", response_kind(kind),
                  "scope", kind->namespaced ? "Namespaced" : "Cluster", "singularResource", name,
                  "verbs", verbs(false));
    if (kind->status)
        json_object_set_new(resource, "subresources",
                            json_pack("[{ss so so}]", "subresource", "status", "responseKind",
                                      response_kind(kind), "verbs", verbs(true)));
    return resource;
}

/* The entry of `items` whose text at `key` is `name`; appended when it is new. Borrowed. */
static json_t *entry(json_t *items, const char *key, const char *name)
{
    size_t index;
    json_t *item;
    json_array_foreach(items, index, item)
    {
        json_t *is = json_object_get(item, key);
        if (strcmp(json_string_value(is), name) == 0)
            return item;
    }
    json_array_append_new(items, json_pack("{ss}", key, name));
    return json_array_get(items, json_array_size(items) - 1);
}

static json_t *array_in(json_t *object, const char *key)
{
    if (json_object_get(object, key) == NULL)
        json_object_set_new(object, key, json_array());
    return json_object_get(object, key);
}

/* New items: groups (by name at first), their versions, their resources. */
static json_t *aggregated_items(const struct api_store *store, const struct discovery_form *form,
                                bool core)
{
    json_t *items = json_array();
    for (size_t i = 0; i < store->kind_count; i++) {
        const struct api_kind *kind = store->kinds[i];
        if ((kind->group[0] == '\0') != core)
            continue;
        bool stale = json_object_get(form->stale, kind->group) != NULL;
        json_t *group = entry(items, "name", kind->group);
        json_t *version = entry(array_in(group, "versions"), "version", kind->version);
        json_object_set_new(version, "freshness", json_string(stale ? "Stale" : "Current"));
        if (!stale)
            json_array_append_new(array_in(version, "resources"), aggregated_resource(kind));
    }
    size_t index;
    json_t *group;
    json_array_foreach(items, index, group)
    {
        json_object_set_new(
            group, "metadata",
            json_pack("{sO sn}", "name", json_object_get(group, "name"), "creationTimestamp"));
        json_object_del(group, "name");
    }
    return items;
}

static void etag(const json_t *body, char *text, size_t size)
{
    KARTA_AUTO_TEXT bytes = json_dumps(body, JSON_COMPACT | JSON_SORT_KEYS);
    uint64_t hash = 14695981039346656037U;
    for (const char *c = bytes; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211U;
    snprintf(text, size, "\"%016llX\"", (unsigned long long)hash);
}

static void answer_aggregated(const struct api_store *store, const struct discovery_form *form,
                              const struct api_request *request, const char *version,
                              struct api_answer *answer)
{
    KARTA_AUTO_TEXT api_version = mem_format("apidiscovery.k8s.io/%s", version);
    bool core = strcmp(request->path, "/api") == 0;
    json_auto_t *body =
        json_pack("{ss ss s{} so}", "kind", "APIGroupDiscoveryList", "apiVersion", api_version,
                  "metadata", "items", aggregated_items(store, form, core));
    etag(body, answer->etag, sizeof answer->etag);
    answer->type = strcmp(version, "v2") == 0
                       ? "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
                       : "application/json;g=apidiscovery.k8s.io;v=v2beta1;"
                         "as=APIGroupDiscoveryList";
    if (strcmp(request_header(request, "if-none-match"), answer->etag) == 0)
        answer->status = 304;
    else
        answer_json(answer, 200, json_incref(body));
}

/* New array of {name, versions, preferredVersion}; `group` NULL: all but core. */
static json_t *groups(const struct api_store *store, const char *group)
{
    json_t *list = json_array();
    for (size_t i = 0; i < store->kind_count; i++) {
        const struct api_kind *kind = store->kinds[i];
        if (kind->group[0] == '\0' || (group != NULL && strcmp(kind->group, group) != 0))
            continue;
        json_t *item = entry(list, "name", kind->group);
        json_t *version = entry(array_in(item, "versions"), "groupVersion", kind->api_version);
        json_object_set_new(version, "version", json_string(kind->version));
        if (json_object_get(item, "preferredVersion") == NULL)
            json_object_set(item, "preferredVersion", version);
    }
    return list;
}

static void answer_group(const struct api_store *store, const char *name, struct api_answer *answer)
{
    json_auto_t *list = groups(store, name);
    if (json_array_size(list) == 0)
        return;
    json_t *group = json_incref(json_array_get(list, 0));
    json_object_set_new(group, "kind", json_string("APIGroup"));
    json_object_set_new(group, "apiVersion", json_string("v1"));
    answer_json(answer, 200, group);
}

static json_t *plain_resource(const struct api_kind *kind, bool status)
{
    KARTA_AUTO_TEXT name = mem_format("%s%s", kind->plural, status ? "/status" : "");
    KARTA_AUTO_TEXT one = status ? mem_format("%s", "") : singular(kind);
    return json_pack("{ss ss sb ss so}", "name", name, "singularName", one, "namespaced",
                     kind->namespaced, "kind", kind->name, "verbs", verbs(status));
}

static void answer_resources(const struct api_store *store, const char *group_version,
                             struct api_answer *answer)
{
    json_t *list = json_array();
    for (size_t i = 0; i < store->kind_count; i++) {
        const struct api_kind *kind = store->kinds[i];
        if (strcmp(kind->api_version, group_version) != 0)
            continue;
        json_array_append_new(list, plain_resource(kind, false));
        if (kind->status)
            json_array_append_new(list, plain_resource(kind, true));
    }
    if (json_array_size(list) == 0) {
        json_decref(list);
        return;
    }
    answer_json(answer, 200,
                json_pack("{ss ss ss so}", "kind", "APIResourceList", "apiVersion", "v1",
                          "groupVersion", group_version, "resources", list));
}

static void answer_stale(struct api_answer *answer)
{
    answer->status = 503;
    answer->text = "service unavailable\n";
    answer->type = "text/plain; charset=utf-8";
}

/* /apis/G or /apis/G/V */
static void answer_below(const struct api_store *store, const struct discovery_form *form,
                         const char *path, struct api_answer *answer)
{
    KARTA_AUTO_TEXT group = strndup(path, strcspn(path, "/"));
    const char *slash = strchr(path, '/');
    if (slash == NULL)
        answer_group(store, group, answer);
    else if (json_object_get(form->stale, group) != NULL)
        answer_stale(answer);
    else
        answer_resources(store, path, answer);
}

bool discovery_answer(const struct api_store *store, const struct discovery_form *form,
                      const struct api_request *request, struct api_answer *answer)
{
    const char *path = request->path;
    const char *aggregated = form->old ? NULL : request_aggregated(request, form->beta);
    bool core = strcmp(path, "/api") == 0;
    if (aggregated != NULL && (core || strcmp(path, "/apis") == 0))
        answer_aggregated(store, form, request, aggregated, answer);
    else if (core)
        answer_json(answer, 200,
                    json_pack("{ss s[s] s[]}", "kind", "APIVersions", "versions", "v1",
                              "serverAddressByClientCIDRs"));
    else if (strcmp(path, "/apis") == 0)
        answer_json(answer, 200,
                    json_pack("{ss ss so}", "kind", "APIGroupList", "apiVersion", "v1", "groups",
                              groups(store, NULL)));
    else if (strcmp(path, "/api/v1") == 0)
        answer_resources(store, "v1", answer);
    else if (strncmp(path, "/apis/", 6) == 0)
        answer_below(store, form, path + 6, answer);
    return answer->status != 0;
}
