/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applying webhook configurations. The one idea: ask politely first; what the refusal names decides
 * what is left to others and what is insisted on.
 */
#include "configurations_apply.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "configurations_conflict.h"

/* politely, without selectors, with force, and once more for a change in between */
#define ATTEMPTS 5

/* One configuration under way. */
struct work {
    struct kube_client *client;
    struct kube_resource resource;
    const char *name;
    json_t *wanted; /* our own copy, selectors taken out as they turn out to be others' */
    struct configurations_applied *applied;
};

static int ask(const struct work *work, struct kube_request *request, const char *query,
               const json_t *body, struct kube_answer *answer, struct karta_error *err)
{
    KARTA_AUTO_TEXT path = kube_path(&work->resource, NULL, work->name, NULL);
    KARTA_AUTO_TEXT whole = path != NULL ? mem_format("%s%s", path, query) : NULL;
    KARTA_AUTO_TEXT text = body != NULL ? json_dumps(body, JSON_COMPACT) : NULL;
    *answer = (struct kube_answer){0};
    if (whole == NULL || (body != NULL && text == NULL))
        return mem_error(err);
    request->timeout_ms = KUBE_WRITE_MS;
    request->resource = &work->resource;
    request->path = whole;
    request->body = text;
    request->body_size = text != NULL ? strlen(text) : 0;
    return kube_client_ask(work->client, request, answer, err);
}

static int apply_once(const struct work *work, struct kube_answer *answer, struct karta_error *err)
{
    struct kube_request request = {.verb = "patch", .content_type = "application/apply-patch+yaml"};
    const char *query = work->applied->forced
                            ? "?fieldManager=" CONFIGURATIONS_MANAGER "&force=true"
                            : "?fieldManager=" CONFIGURATIONS_MANAGER "&force=false";
    return ask(work, &request, query, work->wanted, answer, err);
}

/*
 * A webhook that is no longer wanted stays, and is no whole one any more, where somebody else owns
 * a field of it: apply takes only our fields out, and what is left is refused as invalid. So it is
 * taken out as a whole, unless the object has changed since it was read.
 */
static int take_stale_out(const struct work *work, struct karta_error *err)
{
    struct kube_request get = {.verb = "get"};
    struct kube_request patch = {.verb = "patch", .content_type = "application/merge-patch+json"};
    struct kube_answer live, answer;
    size_t stale = 0;
    int code = ask(work, &get, "", NULL, &live, err);
    json_t *kept = code == 0 ? configuration_without_stale(live.body, work->wanted, &stale) : NULL;
    json_t *version = json_object_get(json_object_get(live.body, "metadata"), "resourceVersion");
    json_auto_t *body = kept != NULL ? json_pack("{s:{s:O*}, s:o}", "metadata", "resourceVersion",
                                                 version, "webhooks", kept)
                                     : NULL;
    kube_answer_dispose(&live);
    if (code == 0 && body == NULL)
        return mem_error(err);
    if (code != 0 || stale == 0)
        return code;
    work->applied->mended = true;
    code = ask(work, &patch, "?fieldManager=" CONFIGURATIONS_MANAGER, body, &answer, err);
    kube_answer_dispose(&answer);
    return code;
}

/* Whether another attempt may go better; makes ready for it. */
static bool prepare_again(const struct work *work, const struct kube_answer *answer)
{
    struct configurations_applied *applied = work->applied;
    if (answer->status == 409) {
        if (conflict_leave_selectors(answer->body, work->wanted, &applied->selectors_left))
            applied->forced = true;
        return true;
    }
    struct karta_error ignored = {0}; /* the refusal of the apply itself says more */
    return answer->status == 422 && !applied->mended && take_stale_out(work, &ignored) == 0 &&
           applied->mended;
}

static void keep_version(const struct work *work, const json_t *object)
{
    const char *version =
        json_string_value(json_object_get(json_object_get(object, "metadata"), "resourceVersion"));
    snprintf(work->applied->version, sizeof work->applied->version, "%s",
             version != NULL ? version : "");
}

static int apply(const struct work *work, struct karta_error *err)
{
    int code = 0;
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
        struct kube_answer answer;
        struct karta_error latest = {0};
        code = apply_once(work, &answer, &latest);
        bool again = code != 0 && attempt < ATTEMPTS && prepare_again(work, &answer);
        if (code == 0)
            keep_version(work, answer.body);
        kube_answer_dispose(&answer);
        if (!again)
            return code != 0 ? karta_error_set(err, code, "%s", latest.message) : 0;
    }
    return code;
}

/* Deletes what we looked at, and not what somebody has put in its place since. */
static int delete_ours(const struct work *work, struct karta_error *err)
{
    struct kube_request get = {.verb = "get"}, delete = {.verb = "delete"};
    struct kube_answer live, answer;
    struct karta_error latest = {0};
    int code = ask(work, &get, "", NULL, &live, &latest);
    if (code == 0 && configuration_is_ours(live.body)) {
        json_t *metadata = json_object_get(live.body, "metadata");
        json_auto_t *options =
            json_pack("{s:s, s:s, s:{s:O*, s:O*}}", "apiVersion", "v1", "kind", "DeleteOptions",
                      "preconditions", "uid", json_object_get(metadata, "uid"), "resourceVersion",
                      json_object_get(metadata, "resourceVersion"));
        code = options != NULL ? ask(work, &delete, "", options, &answer, &latest)
                               : mem_error(&latest);
        if (options != NULL)
            kube_answer_dispose(&answer);
        work->applied->deleted = code == 0;
    }
    kube_answer_dispose(&live);
    if (code == 0 || code == KARTA_ERR_NOT_FOUND)
        return 0;
    return karta_error_set(err, code, "%s", latest.message);
}

static const char *plural_of(const json_t *configuration)
{
    const char *kind = json_string_value(json_object_get(configuration, "kind"));
    return kind != NULL && strcmp(kind, "MutatingWebhookConfiguration") == 0
               ? "mutatingwebhookconfigurations"
               : "validatingwebhookconfigurations";
}

int configurations_apply(struct kube_client *client, const json_t *configuration,
                         struct configurations_applied *applied, struct karta_error *err)
{
    const json_t *metadata = json_object_get(configuration, "metadata");
    struct work work = {
        .client = client,
        .resource = {"admissionregistration.k8s.io", "v1", plural_of(configuration)},
        .name = json_string_value(json_object_get(metadata, "name")),
        .wanted = json_deep_copy(configuration),
        .applied = applied};
    *applied = (struct configurations_applied){0};
    if (work.wanted == NULL)
        return mem_error(err);
    bool empty = json_array_size(json_object_get(configuration, "webhooks")) == 0;
    int code = empty ? delete_ours(&work, err) : apply(&work, err);
    json_decref(work.wanted);
    return code;
}
