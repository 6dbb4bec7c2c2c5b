/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and one counter: what the state was at an older resourceVersion is found by undoing the
 * changes since, so that pages of a list are of one moment. */
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *object_meta(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(object, "metadata"), key));
    return text != NULL ? text : "";
}

json_t *object_as(const json_t *object, const struct api_kind *kind)
{
    const char *now = json_string_value(json_object_get(object, "apiVersion"));
    if (now != NULL && strcmp(now, kind->api_version) == 0)
        return json_incref((json_t *)object);
    json_t *copy = json_copy((json_t *)object);
    json_object_set_new(copy, "apiVersion", json_string(kind->api_version));
    return copy;
}

static void *grow(void *items, size_t count, size_t size)
{
    void *grown = realloc(items, (count + 1) * size);
    if (grown == NULL)
        abort();
    return grown;
}

struct api_kind *store_teach(struct api_store *store, const char *group, const char *version,
                             const char *name, const char *plural, bool namespaced, bool status)
{
    struct api_kind *kind = store_kind(store, group, version, plural);
    if (kind != NULL)
        return kind;
    kind = calloc(1, sizeof *kind);
    if (kind == NULL)
        abort();
    bool core = group[0] == '\0';
    *kind = (struct api_kind){.group = strdup(group),
                              .version = strdup(version),
                              .name = strdup(name),
                              .plural = strdup(plural),
                              .resource = mem_format("%s%s%s", plural, core ? "" : ".", group),
                              .api_version = mem_format("%s%s%s", group, core ? "" : "/", version),
                              .namespaced = namespaced,
                              .status = status};
    store->kinds = grow(store->kinds, store->kind_count, sizeof(struct api_kind *));
    store->kinds[store->kind_count++] = kind;
    return kind;
}

static void kind_free(struct api_kind *kind)
{
    free(kind->group);
    free(kind->version);
    free(kind->name);
    free(kind->plural);
    free(kind->resource);
    free(kind->api_version);
    free(kind);
}

struct api_kind *store_kind(const struct api_store *store, const char *group, const char *version,
                            const char *plural)
{
    for (size_t i = 0; i < store->kind_count; i++) {
        struct api_kind *kind = store->kinds[i];
        if ((group == NULL || strcmp(kind->group, group) == 0) &&
            (version == NULL || strcmp(kind->version, version) == 0) &&
            strcmp(kind->plural, plural) == 0)
            return kind;
    }
    return NULL;
}

struct api_kind *store_kind_named(const struct api_store *store, const char *api_version,
                                  const char *name)
{
    for (size_t i = 0; api_version != NULL && name != NULL && i < store->kind_count; i++)
        if (strcmp(store->kinds[i]->api_version, api_version) == 0 &&
            strcmp(store->kinds[i]->name, name) == 0)
            return store->kinds[i];
    return NULL;
}

static int compare(const struct api_object *object, const char *resource, const char *ns,
                   const char *name)
{
    int rc = strcmp(object->resource, resource);
    if (rc == 0)
        rc = strcmp(object->ns, ns);
    return rc != 0 ? rc : strcmp(object->name, name);
}

/* Where it is, or would be. */
static size_t place(const struct api_store *store, const char *resource, const char *ns,
                    const char *name, bool *there)
{
    size_t low = 0;
    size_t high = store->object_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&store->objects[middle], resource, ns, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *there = low < store->object_count && compare(&store->objects[low], resource, ns, name) == 0;
    return low;
}

json_t *store_get(const struct api_store *store, const struct api_kind *kind, const char *ns,
                  const char *name)
{
    bool there;
    size_t at = place(store, kind->resource, kind->namespaced ? ns : "", name, &there);
    return there ? store->objects[at].value : NULL;
}

json_t *object_at_version(json_t *value, unsigned long version)
{
    char text[32];
    snprintf(text, sizeof text, "%lu", version);
    json_object_set_new(json_object_get(value, "metadata"), "resourceVersion", json_string(text));
    return value;
}

static void remember(struct api_store *store, const char *resource, json_t *before, json_t *after)
{
    store->changes = grow(store->changes, store->change_count, sizeof *store->changes);
    store->changes[store->change_count++] =
        (struct api_change){store->version, strdup(resource), before, json_incref(after)};
}

static void object_dispose(struct api_object *object)
{
    free(object->resource);
    free(object->ns);
    free(object->name);
    json_decref(object->value);
}

static void take_out(struct api_store *store, size_t at)
{
    struct api_object *object = &store->objects[at];
    remember(store, object->resource, json_incref(object->value), NULL);
    object_dispose(object);
    store->object_count--;
    memmove(object, object + 1, (store->object_count - at) * sizeof *object);
}

void store_write(struct api_store *store, const struct api_kind *kind, const char *ns,
                 const char *name, json_t *value)
{
    bool there;
    size_t at = place(store, kind->resource, kind->namespaced ? ns : "", name, &there);
    if (value == NULL && !there)
        return;
    store->version++;
    if (value == NULL) {
        take_out(store, at);
        return;
    }
    if (!there) {
        store->objects = grow(store->objects, store->object_count, sizeof *store->objects);
        memmove(&store->objects[at + 1], &store->objects[at],
                (store->object_count++ - at) * sizeof *store->objects);
        store->objects[at] = (struct api_object){
            strdup(kind->resource), strdup(kind->namespaced ? ns : ""), strdup(name), NULL};
    }
    remember(store, kind->resource, store->objects[at].value,
             object_at_version(value, store->version));
    store->objects[at].value = value;
}

static void set_keyed(json_t *state, const json_t *object, json_t *value)
{
    KARTA_AUTO_TEXT key =
        mem_format("%s/%s", object_meta(object, "namespace"), object_meta(object, "name"));
    if (value != NULL)
        json_object_set(state, key, value);
    else
        json_object_del(state, key);
}

json_t *store_at(const struct api_store *store, const char *resource, unsigned long version)
{
    json_t *state = json_object();
    for (size_t i = 0; i < store->object_count; i++)
        if (strcmp(store->objects[i].resource, resource) == 0)
            set_keyed(state, store->objects[i].value, store->objects[i].value);
    for (size_t i = store->change_count; i-- > 0 && store->changes[i].version > version;) {
        struct api_change *change = &store->changes[i];
        if (strcmp(change->resource, resource) == 0)
            set_keyed(state, change->after != NULL ? change->after : change->before,
                      change->before);
    }
    return state;
}

static void changes_dispose(struct api_store *store)
{
    for (size_t i = 0; i < store->change_count; i++) {
        free(store->changes[i].resource);
        json_decref(store->changes[i].before);
        json_decref(store->changes[i].after);
    }
}

void store_compact(struct api_store *store)
{
    store->compacted = store->version;
}

static void delete_all(struct api_store *store, const struct api_kind *kind)
{
    for (size_t i = store->object_count; i-- > 0;)
        if (strcmp(store->objects[i].resource, kind->resource) == 0) {
            store->version++;
            take_out(store, i);
        }
}

void store_forget(struct api_store *store, const char *group, const char *version, const char *name)
{
    for (size_t i = 0; i < store->kind_count; i++) {
        struct api_kind *kind = store->kinds[i];
        if (strcmp(kind->group, group) != 0 || strcmp(kind->version, version) != 0 ||
            strcmp(kind->name, name) != 0)
            continue;
        store->kind_count--;
        memmove(&store->kinds[i], &store->kinds[i + 1],
                (store->kind_count - i) * sizeof(struct api_kind *));
        if (store_kind(store, group, NULL, kind->plural) == NULL)
            delete_all(store, kind);
        kind_free(kind);
        return;
    }
}

void store_init(struct api_store *store)
{
    *store = (struct api_store){.version = 1};
    static const struct {
        const char *group, *version, *name, *plural;
        bool namespaced, status;
    } known[] = {
        {"", "v1", "Pod", "pods", true, true},
        {"", "v1", "Event", "events", true, false},
        {"", "v1", "Namespace", "namespaces", false, true},
        {"coordination.k8s.io", "v1", "Lease", "leases", true, false},
        {"admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration",
         "mutatingwebhookconfigurations", false, false},
        {"admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration",
         "validatingwebhookconfigurations", false, false},
        {"apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions",
         false, true},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        store_teach(store, known[i].group, known[i].version, known[i].name, known[i].plural,
                    known[i].namespaced, known[i].status);
}

void store_dispose(struct api_store *store)
{
    for (size_t i = 0; i < store->object_count; i++)
        object_dispose(&store->objects[i]);
    changes_dispose(store);
    for (size_t i = 0; i < store->kind_count; i++)
        kind_free(store->kinds[i]);
    free(store->objects);
    free(store->changes);
    free(store->kinds);
}
