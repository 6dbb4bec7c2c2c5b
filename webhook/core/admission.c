/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to bytes. The one idea: decode, hand to the endpoint's function, encode; never fail. */
#include "admission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "handlers.h"

static const char *const paths[ADMISSION_ENDPOINTS] = {
    "/mutate/workloads", "/mutate/pods", "/mutate/definitions", "/validate/definitions",
    "/validate/workloads"};

enum admission_endpoint admission_route(const char *path)
{
    int endpoint = 0;
    while (endpoint < ADMISSION_ENDPOINTS && strcmp(paths[endpoint], path) != 0)
        endpoint++;
    return (enum admission_endpoint)endpoint;
}

const char *admission_path(enum admission_endpoint endpoint)
{
    return endpoint < ADMISSION_ENDPOINTS ? paths[endpoint] : "";
}

void admission_answer_dispose(struct admission_answer *answer)
{
    free(answer->body);
    free(answer->decisions);
    *answer = (struct admission_answer){0};
}

static void set_text(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text);
}

/* The last resort must not need memory that is not there: one small allocation, or no body. */
static void answer_no_memory(struct admission_answer *answer)
{
    answer->status = 500;
    answer->body = strdup("{\"error\": \"out of memory\"}");
    answer->size = answer->body != NULL ? strlen(answer->body) : 0;
}

static void answer_bad_request(struct admission_answer *answer, const char *message)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, 8192);
    strbuf_adds(&buf, "{\"error\": ");
    strbuf_add_json(&buf, message, strlen(message));
    strbuf_adds(&buf, "}");
    answer->status = 400;
    answer->size = buf.size;
    answer->body = strbuf_take(&buf);
    if (answer->body == NULL)
        answer_no_memory(answer);
}

static const char *object_text(const struct review *review, const char *key)
{
    const json_t *object = review->object != NULL ? review->object : review->old_object;
    const json_t *metadata = json_object_get(object, "metadata");
    const char *text = json_string_value(json_object_get(metadata, key));
    return text != NULL ? text : "";
}

static void describe(const struct karta_snapshot *snapshot, const struct review *review,
                     struct admission_record *record)
{
    bool known =
        karta_snapshot_find(snapshot, review->group, review->version, review->kind) != NULL;
    const char *name = review->name[0] != '\0' ? review->name : object_text(review, "name");
    set_text(record->uid, sizeof record->uid, review->uid);
    snprintf(record->kind, sizeof record->kind, "%s%s%s, Kind=%s", review->group,
             review->group[0] != '\0' ? "/" : "", review->version, review->kind);
    set_text(record->metric_kind, sizeof record->metric_kind, known ? review->kind : "other");
    set_text(record->ns, sizeof record->ns, review->ns);
    if (name[0] != '\0')
        set_text(record->name, sizeof record->name, name);
    else
        snprintf(record->name, sizeof record->name, "%s*", object_text(review, "generateName"));
    set_text(record->operation, sizeof record->operation, review->operation);
}

static void conclude(const struct response *response, struct admission_record *record)
{
    record->allowed = response->allowed;
    if (response->message != NULL)
        set_text(record->detail, sizeof record->detail, response->message);
    if (record->verdict[0] != '\0')
        return;
    bool patched = json_array_size(response->patch) > 0;
    set_text(record->verdict, sizeof record->verdict,
             !response->allowed ? "denied" : (patched ? "patched" : "allowed"));
}

static int handle(enum admission_endpoint endpoint, const struct karta_snapshot *snapshot,
                  const struct admission_config *config, const struct review *review,
                  struct response *response, struct admission_answer *answer,
                  struct admission_record *record)
{
    switch (endpoint) {
    case ADMISSION_MUTATE_DEFINITIONS:
        return handle_definition_labels(review, response);
    case ADMISSION_VALIDATE_DEFINITIONS:
        return handle_definitions(snapshot, review, response);
    case ADMISSION_VALIDATE_WORKLOADS:
        return handle_policies(snapshot, config, review, response, answer);
    case ADMISSION_MUTATE_WORKLOADS:
    case ADMISSION_MUTATE_PODS:
    case ADMISSION_ENDPOINTS:
        break;
    }
    return handle_mutation(endpoint, snapshot, config, review, response, record);
}

static void answer_review(enum admission_endpoint endpoint, const struct karta_snapshot *snapshot,
                          const struct admission_config *config, const struct review *review,
                          struct admission_answer *answer, struct admission_record *record)
{
    struct response response = {0};
    int code = handle(endpoint, snapshot, config, review, &response, answer, record);
    answer->body = code == 0 ? response_encode(review, &response) : NULL;
    answer->status = 200;
    answer->size = answer->body != NULL ? strlen(answer->body) : 0;
    if (answer->body == NULL)
        answer_no_memory(answer);
    conclude(&response, record);
    response_dispose(&response);
}

void admission_handle(enum admission_endpoint endpoint, const struct karta_snapshot *snapshot,
                      const struct admission_config *config, const char *body, size_t size,
                      struct admission_answer *answer, struct admission_record *record)
{
    struct review review;
    struct karta_error err = {0};
    *answer = (struct admission_answer){0};
    *record = (struct admission_record){.metric_kind = "other"};
    if (review_parse(body, size, &review, &err) == 0) {
        describe(snapshot, &review, record);
        answer_review(endpoint, snapshot, config, &review, answer, record);
    } else {
        set_text(record->verdict, sizeof record->verdict, "bad-request");
        set_text(record->detail, sizeof record->detail, err.message);
        answer_bad_request(answer, err.message);
    }
    review_dispose(&review);
}
