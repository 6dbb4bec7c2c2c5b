/* SPDX-License-Identifier: Apache-2.0 */
/* Every write ends in the same place: what the client may not set is as it was, owners are noted,
 * and an object that did not change keeps its resourceVersion. */
#include "write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "clock.h"
#include "managed.h"

#define MANAGER_TEXT 64

static struct api_writer writer_of(const struct api_kind *kind, const struct api_request *request,
                                   char manager[MANAGER_TEXT])
{
    const char *asked = request_query(request, "fieldManager");
    const char *agent = request_header(request, "user-agent");
    if (asked[0] != '\0')
        snprintf(manager, MANAGER_TEXT, "%s", asked);
    else
        snprintf(manager, MANAGER_TEXT, "%.*s", (int)strcspn(agent, "/"), agent);
    return (struct api_writer){.manager = manager[0] != '\0' ? manager : "unknown",
                               .status = strcmp(request->sub, "status") == 0,
                               .force = request_flag(request, "force"),
                               .kind = kind};
}

static json_t *meta(json_t *object)
{
    return json_object_get(object, "metadata");
}

static void set_text(json_t *metadata, const char *key, const char *value)
{
    json_object_set_new(metadata, key, json_string(value));
}

/* The metadata of a new object. */
static void begin(struct api_store *store, json_t *object)
{
    char now[CLOCK_TEXT];
    clock_text(now);
    KARTA_AUTO_TEXT uid = mem_format("00000000-0000-4000-8000-%012lx", ++store->made);
    set_text(meta(object), "uid", uid);
    set_text(meta(object), "creationTimestamp", now);
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

/* Owners known; `after` is taken. */
static void keep(struct api_store *store, const struct api_kind *kind, const json_t *before,
                 json_t *after)
{
    json_auto_t *was = json_incref((json_t *)before);
    json_auto_t *is = after;
    if (before == NULL)
        begin(store, after);
    else
        go_on(kind, before, after);
    if (is_same(was, after))
        return;
    const char *ns = object_meta(after, "namespace");
    const char *name = object_meta(after, "name");
    store_write(store, kind, ns, name, json_incref(is));
    if (is_ending(after))
        store_write(store, kind, ns, name, NULL);
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

static void update(struct api_store *store, const struct api_writer *writer, const json_t *before,
                   const json_t *given)
{
    json_t *after = through_door(writer, before, given);
    json_object_set_new(after, "apiVersion", json_string(writer->kind->api_version));
    json_object_set_new(after, "kind", json_string(writer->kind->name));
    managed_update(writer, before, after);
    keep(store, writer->kind, before, after);
}

static void answer_object(struct api_store *store, const struct api_kind *kind,
                          const struct api_request *request, const char *name, int status,
                          struct api_answer *answer)
{
    json_t *value = store_get(store, kind, request->ns, name);
    if (value != NULL)
        answer_json(answer, status, object_as(value, kind));
    else /* its last finalizer went */
        answer_json(answer, 200,
                    json_pack("{ss ss s{} ss}", "kind", "Status", "apiVersion", "v1", "metadata",
                              "status", "Success"));
}

/* New: the body as an object of this kind and place; NULL: refused. */
static json_t *given_object(const struct api_kind *kind, const struct api_request *request,
                            struct api_answer *answer)
{
    json_error_t error;
    json_auto_t *object =
        json_loadb(request->body != NULL ? request->body : "", request->body_size, 0, &error);
    const char *version = json_string_value(json_object_get(object, "apiVersion"));
    const char *name = json_string_value(json_object_get(object, "kind"));
    KARTA_AUTO_TEXT message = NULL;
    if (!json_is_object(object))
        message = mem_format("the object provided is unrecognized (must be of type %s): couldn't "
                             "get version/kind; json parse error: %s",
                             kind->name, error.text);
    else if (version == NULL || name == NULL || strcmp(version, kind->api_version) != 0 ||
             strcmp(name, kind->name) != 0)
        message =
            mem_format("%s in version \"%s\" cannot be handled as a %s", name, version, kind->name);
    if (message != NULL) {
        answer_bad_request(answer, message);
        return NULL;
    }
    if (meta(object) == NULL)
        json_object_set_new(object, "metadata", json_object());
    const char *ns = object_meta(object, "namespace");
    if (ns[0] != '\0' && strcmp(ns, request->ns) != 0) {
        answer_bad_request(answer, "the namespace of the provided object does not match the "
                                   "namespace sent on the request");
        return NULL;
    }
    if (request->name[0] != '\0' && object_meta(object, "name")[0] != '\0' &&
        strcmp(request->name, object_meta(object, "name")) != 0) {
        KARTA_AUTO_TEXT other =
            mem_format("the name of the object (%s) does not match the name on the URL (%s)",
                       object_meta(object, "name"), request->name);
        answer_bad_request(answer, other);
        return NULL;
    }
    if (kind->namespaced)
        set_text(meta(object), "namespace", request->ns);
    if (request->name[0] != '\0')
        set_text(meta(object), "name", request->name);
    return json_incref(object);
}

/* False: it has no name and none can be made. */
static bool name_it(struct api_store *store, json_t *object)
{
    const char *prefix = object_meta(object, "generateName");
    if (object_meta(object, "name")[0] == '\0' && prefix[0] != '\0') {
        KARTA_AUTO_TEXT name = mem_format("%s%05lx", prefix, store->made + 1);
        set_text(meta(object), "name", name);
    }
    return object_meta(object, "name")[0] != '\0';
}

void write_create(struct api_store *store, const struct api_kind *kind,
                  const struct api_request *request, struct api_answer *answer)
{
    json_auto_t *object = given_object(kind, request, answer);
    if (object == NULL)
        return;
    if (!name_it(store, object)) {
        answer_status(answer, 422, "Invalid", status_details(kind, NULL),
                      "%s \"\" is invalid: metadata.name: Required value: name or generateName is "
                      "required",
                      kind->name);
        return;
    }
    const char *name = object_meta(object, "name");
    if (object_meta(object, "resourceVersion")[0] != '\0') {
        answer_status(answer, 400, "BadRequest", NULL,
                      "resourceVersion should not be set on objects to be created");
        return;
    }
    if (store_get(store, kind, request->ns, name) != NULL) {
        answer_status(answer, 409, "AlreadyExists", status_details(kind, name),
                      "%s \"%s\" already exists", kind->resource, name);
        return;
    }
    char manager[MANAGER_TEXT];
    struct api_writer writer = writer_of(kind, request, manager);
    update(store, &writer, NULL, object);
    answer_object(store, kind, request, name, 201, answer);
}

static bool is_stale(const struct api_kind *kind, const json_t *before, const json_t *given,
                     struct api_answer *answer)
{
    const char *version = object_meta(given, "resourceVersion");
    const char *uid = object_meta(given, "uid");
    if ((version[0] == '\0' || strcmp(version, object_meta(before, "resourceVersion")) == 0) &&
        (uid[0] == '\0' || strcmp(uid, object_meta(before, "uid")) == 0))
        return false;
    const char *name = object_meta(before, "name");
    answer_status(answer, 409, "Conflict", status_details(kind, name),
                  "Operation cannot be fulfilled on %s \"%s\": the object has been modified; "
                  "please apply your changes to the latest version and try again",
                  kind->resource, name);
    return true;
}

/* `given` is whole. */
static void replace(struct api_store *store, const struct api_kind *kind,
                    const struct api_request *request, const json_t *before, const json_t *given,
                    struct api_answer *answer)
{
    if (is_stale(kind, before, given, answer))
        return;
    char manager[MANAGER_TEXT];
    struct api_writer writer = writer_of(kind, request, manager);
    update(store, &writer, before, given);
    answer_object(store, kind, request, request->name, 200, answer);
}

void write_update(struct api_store *store, const struct api_kind *kind,
                  const struct api_request *request, struct api_answer *answer)
{
    json_auto_t *given = given_object(kind, request, answer);
    if (given == NULL)
        return;
    json_t *before = store_get(store, kind, request->ns, request->name);
    if (before == NULL)
        answer_not_found(answer, kind, request->name);
    else
        replace(store, kind, request, before, given, answer);
}

/* New. RFC 7386 */
static json_t *merge_patch(const json_t *target, const json_t *patch)
{
    if (!json_is_object(patch))
        return json_deep_copy((json_t *)patch);
    json_t *result = json_is_object(target) ? json_copy((json_t *)target) : json_object();
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)patch, key, value)
    {
        if (json_is_null(value))
            json_object_del(result, key);
        else
            json_object_set_new(result, key, merge_patch(json_object_get(result, key), value));
    }
    return result;
}

static void apply_merge_patch(struct api_store *store, const struct api_kind *kind,
                              const struct api_request *request, struct api_answer *answer)
{
    json_t *before = store_get(store, kind, request->ns, request->name);
    json_auto_t *patch =
        json_loadb(request->body != NULL ? request->body : "", request->body_size, 0, NULL);
    if (before == NULL) {
        answer_not_found(answer, kind, request->name);
    } else if (!json_is_object(patch)) {
        answer_bad_request(answer, "error decoding patch: it is no JSON object");
    } else {
        json_auto_t *given = merge_patch(before, patch);
        replace(store, kind, request, before, given, answer);
    }
}

static void apply(struct api_store *store, const struct api_kind *kind,
                  const struct api_request *request, struct api_answer *answer)
{
    if (request_query(request, "fieldManager")[0] == '\0') {
        answer_status(answer, 422, "Invalid", json_pack("{ss}", "group", "meta.k8s.io"),
                      "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is "
                      "required for apply patch");
        return;
    }
    json_auto_t *given = given_object(kind, request, answer);
    if (given == NULL)
        return;
    if (json_object_get(meta(given), "managedFields") != NULL) {
        answer_bad_request(answer, "metadata.managedFields must be nil");
        return;
    }
    json_t *before = store_get(store, kind, request->ns, request->name);
    char manager[MANAGER_TEXT];
    struct api_writer writer = writer_of(kind, request, manager);
    writer.apply = true;
    if (before == NULL && writer.status) {
        answer_not_found(answer, kind, request->name);
        return;
    }
    if (before != NULL && is_stale(kind, before, given, answer))
        return;
    if (!writer.status && kind->status)
        json_object_del(given, "status");
    json_t *after = managed_apply(&writer, before, given, answer);
    if (after == NULL)
        return;
    bool made = before == NULL;
    keep(store, kind, before, after);
    answer_object(store, kind, request, request->name, made ? 201 : 200, answer);
}

void write_patch(struct api_store *store, const struct api_kind *kind,
                 const struct api_request *request, struct api_answer *answer)
{
    const char *type = request_header(request, "content-type");
    if (strncmp(type, "application/apply-patch+yaml", 28) == 0)
        apply(store, kind, request, answer);
    else if (strncmp(type, "application/merge-patch+json", 28) == 0)
        apply_merge_patch(store, kind, request, answer);
    else
        answer_status(answer, 415, "UnsupportedMediaType", json_object(),
                      "the body of the request was in an unknown format - accepted media types "
                      "include: application/merge-patch+json, application/apply-patch+yaml");
}

static bool has_preconditions_failed(const struct api_kind *kind, const json_t *before,
                                     const struct api_request *request, struct api_answer *answer)
{
    json_auto_t *options =
        json_loadb(request->body != NULL ? request->body : "", request->body_size, 0, NULL);
    json_t *preconditions = json_object_get(options, "preconditions");
    json_auto_t *given = json_pack("{sO*}", "metadata", preconditions);
    return is_stale(kind, before, given, answer);
}

void write_delete(struct api_store *store, const struct api_kind *kind,
                  const struct api_request *request, struct api_answer *answer)
{
    json_auto_t *before = json_incref(store_get(store, kind, request->ns, request->name));
    if (before == NULL) {
        answer_not_found(answer, kind, request->name);
        return;
    }
    if (has_preconditions_failed(kind, before, request, answer))
        return;
    if (json_array_size(json_object_get(meta(before), "finalizers")) == 0) {
        json_t *details = status_details(kind, request->name);
        set_text(details, "uid", object_meta(before, "uid"));
        store_write(store, kind, request->ns, request->name, NULL);
        answer_json(answer, 200,
                    json_pack("{ss ss s{} ss so}", "kind", "Status", "apiVersion", "v1", "metadata",
                              "status", "Success", "details", details));
        return;
    }
    if (object_meta(before, "deletionTimestamp")[0] == '\0') {
        char now[CLOCK_TEXT];
        clock_text(now);
        json_t *after = json_copy(before);
        json_object_set_new(after, "metadata", json_copy(meta(before)));
        set_text(meta(after), "deletionTimestamp", now);
        json_object_set_new(meta(after), "deletionGracePeriodSeconds", json_integer(0));
        store_write(store, kind, request->ns, request->name, after);
    }
    answer_object(store, kind, request, request->name, 200, answer);
}

void write_put(struct api_store *store, const struct api_kind *kind, const json_t *object)
{
    struct api_writer writer = {.manager = "test", .whole = true, .kind = kind};
    const char *ns = object_meta(object, "namespace");
    json_t *before = store_get(store, kind, ns, object_meta(object, "name"));
    update(store, &writer, before, object);
}
