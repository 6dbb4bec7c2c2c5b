/* SPDX-License-Identifier: Apache-2.0 */
/* Every write ends in the same place: what the client may not set is as it was, owners are noted,
 * defaults are filled in, and an object that did not change keeps its resourceVersion. */
#include "keep.h"

#include <string.h>

#include "base/mem.h"
#include "clock.h"
#include "defaults.h"

static json_t *meta(json_t *object)
{
    return json_object_get(object, "metadata");
}

void set_meta(json_t *object, const char *key, const char *value)
{
    json_object_set_new(meta(object), key, json_string(value));
}

/* The metadata of a new object. */
static void begin(struct api_store *store, json_t *object)
{
    char now[CLOCK_TEXT];
    clock_text(now);
    KARTA_AUTO_TEXT uid = mem_format("00000000-0000-4000-8000-%012lx", ++store->made);
    set_meta(object, "uid", uid);
    set_meta(object, "creationTimestamp", now);
    json_object_set_new(meta(object), "generation", json_integer(1));
    json_object_del(meta(object), "deletionTimestamp");
}

/* New: what generation counts: all but metadata, and status where it is a subresource. */
static json_t *desired(const struct api_kind *kind, const json_t *object)
{
    json_t *copy = json_copy((json_t *)object);
    json_object_del(copy, "metadata");
    if (kind->status)
        json_object_del(copy, "status");
    return copy;
}

/* Takes over what only the server sets. */
static void go_on(const struct api_kind *kind, const json_t *before, json_t *after)
{
    static const char *const kept[] = {"uid", "creationTimestamp", "generation",
                                       "deletionTimestamp", "deletionGracePeriodSeconds"};
    json_t *old = json_object_get(before, "metadata");
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        json_object_del(meta(after), kept[i]);
        if (json_object_get(old, kept[i]) != NULL)
            json_object_set(meta(after), kept[i], json_object_get(old, kept[i]));
    }
    json_auto_t *was = desired(kind, before);
    json_auto_t *is = desired(kind, after);
    json_int_t generation = json_integer_value(json_object_get(old, "generation"));
    if (!json_equal(was, is))
        json_object_set_new(meta(after), "generation", json_integer(generation + 1));
}

/* New: without what a write always changes. */
static json_t *still(const json_t *object)
{
    json_t *copy = json_deep_copy((json_t *)object);
    json_object_del(meta(copy), "resourceVersion");
    size_t index;
    json_t *entry;
    json_array_foreach(json_object_get(meta(copy), "managedFields"), index, entry)
        json_object_del(entry, "time");
    return copy;
}

static bool is_same(const json_t *before, const json_t *after)
{
    json_auto_t *was = still(before);
    json_auto_t *is = still(after);
    return before != NULL && json_equal(was, is);
}

static bool is_ending(json_t *object)
{
    return json_object_get(meta(object), "deletionTimestamp") != NULL &&
           json_array_size(json_object_get(meta(object), "finalizers")) == 0;
}

/* A test may say what otherwise only the server does. */
static void as_told(const json_t *given, json_t *after)
{
    static const char *const told[] = {"uid", "creationTimestamp", "deletionTimestamp"};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        if (json_object_get(given, told[i]) != NULL)
            json_object_set(meta(after), told[i], json_object_get(given, told[i]));
}

void keep(struct api_store *store, const struct api_writer *writer, const json_t *before,
          json_t *after)
{
    json_auto_t *was = json_incref((json_t *)before);
    json_auto_t *is = after;
    json_auto_t *given = json_copy(meta(after));
    defaults_fill(after);
    if (before == NULL)
        begin(store, after);
    else
        go_on(writer->kind, before, after);
    if (writer->whole)
        as_told(given, after);
    if (is_same(was, after))
        return;
    const char *ns = object_meta(after, "namespace");
    const char *name = object_meta(after, "name");
    store_write(store, writer->kind, ns, name, json_incref(is));
    if (is_ending(after) && !writer->whole)
        store_write(store, writer->kind, ns, name, NULL);
}

/* Through the main door no status, through the status' nothing else: new object. */
static json_t *through_door(const struct api_writer *writer, const json_t *before,
                            const json_t *given)
{
    if (writer->whole || (!writer->status && !writer->kind->status)) {
        json_t *object = json_copy((json_t *)given);
        json_object_set_new(object, "metadata", json_copy(json_object_get(given, "metadata")));
        return object;
    }
    json_t *object = json_copy((json_t *)(writer->status ? before : given));
    json_object_del(object, "status");
    json_object_set_new(object, "metadata", json_copy(json_object_get(object, "metadata")));
    json_t *status = json_object_get(writer->status ? given : before, "status");
    if (status != NULL)
        json_object_set(object, "status", status);
    return object;
}

void keep_update(struct api_store *store, const struct api_writer *writer, const json_t *before,
                 const json_t *given)
{
    json_t *after = through_door(writer, before, given);
    json_object_set_new(after, "apiVersion", json_string(writer->kind->api_version));
    json_object_set_new(after, "kind", json_string(writer->kind->name));
    managed_update(writer, before, after);
    keep(store, writer, before, after);
}
