/* SPDX-License-Identifier: Apache-2.0 */
/* The review: as a real API server fills it in, so that what is tried here is what will happen. */
#include "review_ask.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/base64.h"
#include "base/mem.h"
#include "input.h"

#define REVIEW_VERSION "admission.k8s.io/v1"

int review_uid(char uid[37], struct karta_error *err)
{
    unsigned char r[16];
    if (getrandom(r, sizeof r, 0) != (ssize_t)sizeof r)
        return karta_error_set(err, KARTA_ERR_IO, "the system gives no random bytes");
    r[6] = (unsigned char)((r[6] & 0x0F) | 0x40);
    r[8] = (unsigned char)((r[8] & 0x3F) | 0x80);
    snprintf(uid, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", r[0],
             r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12], r[13],
             r[14], r[15]);
    return 0;
}

json_t *review_build(const json_t *object, const char *plural, const char *ns, const char *uid)
{
    const char *api_version = input_text(object, "apiVersion");
    const char *slash = strchr(api_version, '/');
    const char *version = slash != NULL ? slash + 1 : api_version;
    KARTA_AUTO_TEXT group =
        mem_format("%.*s", slash != NULL ? (int)(slash - api_version) : 0, api_version);
    if (group == NULL)
        return NULL;
    json_auto_t *kind = json_pack("{s:s, s:s, s:s}", "group", group, "version", version, "kind",
                                  input_text(object, "kind"));
    json_auto_t *resource =
        json_pack("{s:s, s:s, s:s}", "group", group, "version", version, "resource", plural);
    if (kind == NULL || resource == NULL)
        return NULL;
    return json_pack("{s:s, s:s, s:{s:s, s:O, s:O, s:O, s:O, s:s, s:s, s:s, s:{s:s, s:[s]}, s:O, "
                     "s:n, s:b, s:{s:s, s:s}}}",
                     "apiVersion", REVIEW_VERSION, "kind", "AdmissionReview", "request", "uid", uid,
                     "kind", kind, "resource", resource, "requestKind", kind, "requestResource",
                     resource, "name", input_text(json_object_get(object, "metadata"), "name"),
                     "namespace", ns, "operation", "CREATE", "userInfo", "username", "kartactl",
                     "groups", "system:authenticated", "object", (json_t *)object, "oldObject",
                     "dryRun", 0, "options", "apiVersion", "meta.k8s.io/v1", "kind",
                     "CreateOptions");
}

static int read_patch(const json_t *response, struct review_answer *answer, struct karta_error *err)
{
    const char *text = json_string_value(json_object_get(response, "patch"));
    if (text == NULL)
        return 0;
    if (strcmp(input_text(response, "patchType"), "JSONPatch") != 0)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "the answer's patchType is \"%s\"",
                               input_text(response, "patchType"));
    size_t size = 0;
    KARTA_AUTO_TEXT bytes = base64_decode(text, &size);
    if (bytes == NULL)
        return karta_error_set(err, KARTA_ERR_SYNTAX, "the answer's patch is not base64");
    answer->patch = json_loadb(bytes, size, JSON_ALLOW_NUL, NULL);
    if (!json_is_array(answer->patch))
        return karta_error_set(err, KARTA_ERR_SYNTAX, "the answer's patch is not a JSON Patch");
    return 0;
}

int review_read(const char *body, size_t size, const char *uid, struct review_answer *answer,
                struct karta_error *err)
{
    *answer = (struct review_answer){0};
    json_error_t fault;
    json_auto_t *review = json_loadb(body, size, JSON_ALLOW_NUL, &fault);
    if (review == NULL)
        return karta_error_set(err, KARTA_ERR_SYNTAX, "the answer is not JSON: %s", fault.text);
    const json_t *response = json_object_get(review, "response");
    if (!json_is_object(response))
        return karta_error_set(err, KARTA_ERR_SCHEMA, "the answer is no AdmissionReview");
    if (strcmp(input_text(response, "uid"), uid) != 0)
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "the answer is to another request: uid \"%s\"",
                               input_text(response, "uid"));
    answer->warnings = json_incref(json_object_get(response, "warnings"));
    if (json_is_true(json_object_get(response, "allowed")))
        return read_patch(response, answer, err);
    const char *message = input_text(json_object_get(response, "status"), "message");
    answer->denial = mem_format("%s", *message != '\0' ? message : "no reason given");
    return answer->denial != NULL ? 0 : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

void review_answer_dispose(struct review_answer *answer)
{
    json_decref(answer->patch);
    json_decref(answer->warnings);
    free(answer->denial);
    *answer = (struct review_answer){0};
}
