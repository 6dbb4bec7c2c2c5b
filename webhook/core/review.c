/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codec. The one idea: what cannot be answered by uid is a 400 that says why; everything else
 * is answered as an AdmissionReview, whatever happens.
 */
#include "review.h"

#include <string.h>

#include "base/base64.h"
#include "base/json_text.h"
#include "base/mem.h"
#include "karta/document.h"

#define API_VERSION "admission.k8s.io/v1"
#define KIND "AdmissionReview"

static const json_t *object_at(const json_t *request, const char *key)
{
    const json_t *value = json_object_get(request, key);
    return json_is_object(value) ? value : NULL;
}

static int must_be(const json_t *root, const char *key, const char *wanted, struct karta_error *err)
{
    const json_t *value = json_object_get(root, key);
    const char *text = json_string_value(value);
    if (text == NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "%s is missing; it must be \"%s\"", key,
                               wanted);
    if (strcmp(text, wanted) != 0)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "%s is \"%.80s\"; it must be \"%s\"", key,
                               text, wanted);
    return 0;
}

static int check_object(const json_t *request, const char *key, const char *operation,
                        struct karta_error *err)
{
    const json_t *value = json_object_get(request, key);
    if (json_is_object(value))
        return 0;
    return karta_error_set(err, KARTA_ERR_SCHEMA, "request.%s is %s, but the operation is %s", key,
                           value == NULL || json_is_null(value) ? "null" : "no object", operation);
}

static int check_request(const json_t *request, const struct review *review,
                         struct karta_error *err)
{
    static const char *const operations[] = {"CREATE", "UPDATE", "DELETE", "CONNECT"};
    bool known = false;
    if (review->uid[0] == '\0')
        return karta_error_set(err, KARTA_ERR_SCHEMA, "request.uid is missing");
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        known = known || strcmp(operations[i], review->operation) == 0;
    if (!known)
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "request.operation is \"%.40s\"; it is CREATE, UPDATE, DELETE or "
                               "CONNECT",
                               review->operation);
    bool create = strcmp(review->operation, "CREATE") == 0;
    bool update = strcmp(review->operation, "UPDATE") == 0;
    if (review->sub_resource[0] != '\0')
        return 0;
    int code = create || update ? check_object(request, "object", review->operation, err) : 0;
    return code == 0 && update ? check_object(request, "oldObject", review->operation, err) : code;
}

static int read_request(struct review *review, struct karta_error *err)
{
    const json_t *request = json_object_get(review->root, "request");
    if (!json_is_object(request))
        return karta_error_set(err, KARTA_ERR_SCHEMA, "request is %s",
                               request == NULL || json_is_null(request) ? "missing" : "no object");
    const json_t *kind = json_object_get(request, "kind");
    review->uid = json_text(request, "uid");
    review->operation = json_text(request, "operation");
    review->ns = json_text(request, "namespace");
    review->name = json_text(request, "name");
    review->sub_resource = json_text(request, "subResource");
    review->group = json_text(kind, "group");
    review->version = json_text(kind, "version");
    review->kind = json_text(kind, "kind");
    review->object = object_at(request, "object");
    review->old_object = object_at(request, "oldObject");
    return check_request(request, review, err);
}

int review_parse(const char *body, size_t size, struct review *review, struct karta_error *err)
{
    *review = (struct review){.uid = "",
                              .operation = "",
                              .ns = "",
                              .name = "",
                              .sub_resource = "",
                              .group = "",
                              .version = "",
                              .kind = ""};
    int code = karta_json_parse(body, size, &review->root, err);
    if (code != 0)
        return code;
    if (!json_is_object(review->root))
        return karta_error_set(err, KARTA_ERR_SCHEMA, "the body is no " KIND);
    code = must_be(review->root, "apiVersion", API_VERSION, err);
    if (code == 0)
        code = must_be(review->root, "kind", KIND, err);
    return code == 0 ? read_request(review, err) : code;
}

void review_dispose(struct review *review)
{
    json_decref(review->root);
    review->root = NULL;
}

void response_dispose(struct response *response)
{
    free(response->message);
    json_decref(response->causes);
    json_decref(response->patch);
    json_decref(response->warnings);
    json_decref(response->audit);
    *response = (struct response){0};
}

static json_t *status_json(const struct response *response)
{
    json_t *details = NULL;
    if (json_array_size(response->causes) > 0)
        details = json_pack("{s:O}", "causes", response->causes);
    return json_pack("{s:s, s:I, s:s, s:s, s:o*}", "status", "Failure", "code",
                     (json_int_t)response->code, "reason", response->reason, "message",
                     response->message != NULL ? response->message : "", "details", details);
}

/* patch and patchType, together or not at all. */
static int add_patch(json_t *body, const json_t *patch)
{
    if (json_array_size(patch) == 0)
        return 0;
    KARTA_AUTO_TEXT text = json_dumps(patch, JSON_COMPACT);
    if (text == NULL)
        return KARTA_ERR_NOMEM;
    KARTA_AUTO_TEXT encoded = base64_encode(text, strlen(text));
    if (encoded == NULL)
        return KARTA_ERR_NOMEM;
    return json_object_set_new(body, "patchType", json_string("JSONPatch")) |
           json_object_set_new(body, "patch", json_string(encoded));
}

char *response_encode(const struct review *review, const struct response *response)
{
    json_auto_t *body = json_pack("{s:s, s:b}", "uid", review->uid, "allowed", response->allowed);
    int failed = body == NULL;
    if (!failed && !response->allowed)
        failed |= json_object_set_new(body, "status", status_json(response));
    if (!failed && response->allowed)
        failed |= add_patch(body, response->patch);
    if (!failed && json_array_size(response->warnings) > 0)
        failed |= json_object_set(body, "warnings", response->warnings);
    if (!failed && json_object_size(response->audit) > 0)
        failed |= json_object_set(body, "auditAnnotations", response->audit);
    if (failed)
        return NULL;
    json_auto_t *root =
        json_pack("{s:s, s:s, s:O}", "apiVersion", API_VERSION, "kind", KIND, "response", body);
    return root != NULL ? json_dumps(root, JSON_COMPACT) : NULL;
}
