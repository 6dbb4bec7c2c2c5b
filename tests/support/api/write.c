/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs: what is given is read and held against what is there; keep.c does the rest. */
#include "write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "clock.h"
#include "keep.h"

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
    if (json_object_get(object, "metadata") == NULL)
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
        set_meta(object, "namespace", request->ns);
    if (request->name[0] != '\0')
        set_meta(object, "name", request->name);
    return json_incref(object);
}

/* False: it has no name and none can be made. */
static bool name_it(struct api_store *store, json_t *object)
{
    const char *prefix = object_meta(object, "generateName");
    if (object_meta(object, "name")[0] == '\0' && prefix[0] != '\0') {
        KARTA_AUTO_TEXT name = mem_format("%s%05lx", prefix, store->made + 1);
        set_meta(object, "name", name);
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
        answer_invalid(answer, kind, "", "metadata.name",
                       "Required value: name or generateName is required");
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
    keep_update(store, &writer, NULL, object);
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

/* Only the core group's kinds may be written over without a look. */
static bool is_blind(const struct api_kind *kind, const json_t *given, struct api_answer *answer)
{
    if (kind->group[0] == '\0' || object_meta(given, "resourceVersion")[0] != '\0')
        return false;
    answer_invalid(answer, kind, object_meta(given, "name"), "metadata.resourceVersion",
                   "Invalid value: 0x0: must be specified for an update");
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
    keep_update(store, &writer, before, given);
    answer_object(store, kind, request, request->name, 200, answer);
}

/* A PUT of what is not there: Leases come to be by it, but not one that was there before. */
static void update_nothing(struct api_store *store, const struct api_kind *kind,
                           const struct api_request *request, const json_t *given,
                           struct api_answer *answer)
{
    if (strcmp(kind->resource, "leases.coordination.k8s.io") != 0) {
        answer_not_found(answer, kind, request->name);
        return;
    }
    if (object_meta(given, "uid")[0] != '\0') {
        answer_status(answer, 409, "Conflict", status_details(kind, request->name),
                      "Operation cannot be fulfilled on %s \"%s\": StorageError: invalid object, "
                      "Code: 4, Key: /registry/leases/%s/%s, ResourceVersion: 0, "
                      "AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in "
                      "object meta: ",
                      kind->resource, request->name, request->ns, request->name,
                      object_meta(given, "uid"));
        return;
    }
    char manager[MANAGER_TEXT];
    struct api_writer writer = writer_of(kind, request, manager);
    keep_update(store, &writer, NULL, given);
    answer_object(store, kind, request, request->name, 201, answer);
}

void write_update(struct api_store *store, const struct api_kind *kind,
                  const struct api_request *request, struct api_answer *answer)
{
    json_auto_t *given = given_object(kind, request, answer);
    if (given == NULL)
        return;
    json_t *before = store_get(store, kind, request->ns, request->name);
    if (before == NULL)
        update_nothing(store, kind, request, given, answer);
    else if (!is_blind(kind, given, answer))
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
    if (json_object_get(json_object_get(given, "metadata"), "managedFields") != NULL) {
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
    keep(store, &writer, before, after);
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
    if (json_array_size(json_object_get(json_object_get(before, "metadata"), "finalizers")) == 0) {
        json_t *details = status_details(kind, request->name);
        json_object_set_new(details, "uid", json_string(object_meta(before, "uid")));
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
        json_object_set_new(after, "metadata", json_copy(json_object_get(before, "metadata")));
        set_meta(after, "deletionTimestamp", now);
        json_object_set_new(json_object_get(after, "metadata"), "deletionGracePeriodSeconds",
                            json_integer(0));
        store_write(store, kind, request->ns, request->name, after);
    }
    answer_object(store, kind, request, request->name, 200, answer);
}

void write_put(struct api_store *store, const struct api_kind *kind, const json_t *object)
{
    struct api_writer writer = {.manager = "test", .whole = true, .kind = kind};
    const char *ns = object_meta(object, "namespace");
    json_t *before = store_get(store, kind, ns, object_meta(object, "name"));
    keep_update(store, &writer, before, object);
}
