/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /validate/workloads. The one idea: whoever is denied hears which policy says so and every reason
 * at once; whoever is not hears no more than Kubernetes shows.
 */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "handlers.h"
#include "warning.h"

/* A denial that people read to its end, and room for an audit event that Kubernetes stores. */
#define MESSAGE_BYTES 4096U
#define AUDIT_BYTES 8192U

static const char *text_of(const json_t *finding, const char *key)
{
    const char *text = json_string_value(json_object_get(finding, key));
    return text != NULL ? text : "";
}

static bool has_action(const json_t *finding, const char *name)
{
    const json_t *actions = json_object_get(finding, "actions");
    for (size_t i = 0; i < json_array_size(actions); i++)
        if (strcmp(json_string_value(json_array_get(actions, i)), name) == 0)
            return true;
    return false;
}

/* "policy NAME: MESSAGE", new. */
static char *sentence(const json_t *finding)
{
    return mem_format("policy %s: %s", text_of(finding, "policy"), text_of(finding, "message"));
}

static json_t *cause_json(const json_t *finding, const char *message)
{
    const char *component = json_string_value(json_object_get(finding, "component"));
    return json_pack("{s:s, s:s, s:s*}", "reason", "FieldValueForbidden", "message", message,
                     "field", component);
}

static size_t size_of(const json_t *object)
{
    return json_dumpb(object, NULL, 0, JSON_COMPACT);
}

/* The refusals as one text and one by one. */
static int deny(const struct karta_verdict *verdict, struct response *response)
{
    size_t untold = verdict->findings_left_out;
    KARTA_AUTO_STRBUF message;
    strbuf_init(&message, 2 * MESSAGE_BYTES);
    response->allowed = false;
    response->code = 403;
    response->reason = "Forbidden";
    response->causes = json_array();
    for (size_t i = 0; i < json_array_size(verdict->findings); i++) {
        const json_t *finding = json_array_get(verdict->findings, i);
        if (!has_action(finding, "Deny"))
            continue;
        KARTA_AUTO_TEXT text = sentence(finding);
        if (text == NULL || json_array_append_new(response->causes, cause_json(finding, text)) != 0)
            return KARTA_ERR_NOMEM;
        if (message.size + strlen(text) > MESSAGE_BYTES)
            untold++;
        else
            strbuf_addf(&message, "%s%s", message.size > 0 ? "; " : "", text);
    }
    if (untold > 0)
        strbuf_addf(&message, "; and %zu more", untold);
    response->message = strbuf_take(&message);
    return response->message != NULL ? 0 : KARTA_ERR_NOMEM;
}

static int warn(const struct karta_verdict *verdict, struct response *response)
{
    size_t untold = 0;
    response->warnings = json_array();
    for (size_t i = 0; i < json_array_size(verdict->findings); i++) {
        const json_t *finding = json_array_get(verdict->findings, i);
        if (!has_action(finding, "Warn"))
            continue;
        if (json_array_size(response->warnings) + 1 >= WARNINGS_MOST) {
            untold++;
            continue;
        }
        KARTA_AUTO_TEXT text = sentence(finding);
        if (text == NULL)
            return KARTA_ERR_NOMEM;
        warning_cut(text);
        if (json_array_append_new(response->warnings, json_string(text)) != 0)
            return KARTA_ERR_NOMEM;
    }
    if (untold == 0)
        return 0;
    KARTA_AUTO_TEXT text = mem_format("and %zu more warnings of policies", untold);
    return json_array_append_new(response->warnings, json_string(text)) == 0 ? 0 : KARTA_ERR_NOMEM;
}

/* policy-failures: what the audit log is told, as JSON text. */
static int audit(const struct karta_verdict *verdict, struct response *response)
{
    json_auto_t *list = json_array();
    size_t size = 0;
    for (size_t i = 0; i < json_array_size(verdict->findings); i++) {
        const json_t *finding = json_array_get(verdict->findings, i);
        if (!has_action(finding, "Audit"))
            continue;
        json_auto_t *entry = json_pack("{s:O, s:O}", "policy", json_object_get(finding, "policy"),
                                       "message", json_object_get(finding, "message"));
        size += entry != NULL ? size_of(entry) : 0;
        if (size > AUDIT_BYTES)
            break;
        if (json_array_append(list, entry) != 0)
            return KARTA_ERR_NOMEM;
    }
    KARTA_AUTO_TEXT text = json_dumps(list, JSON_COMPACT);
    response->audit = text != NULL ? json_pack("{s:s}", "policy-failures", text) : NULL;
    return response->audit != NULL ? 0 : KARTA_ERR_NOMEM;
}

static int answer(const struct karta_verdict *verdict, struct response *response)
{
    int code = 0;
    if ((verdict->actions & KARTA_POLICY_DENY) != 0)
        code = deny(verdict, response);
    if (code == 0 && (verdict->actions & KARTA_POLICY_WARN) != 0)
        code = warn(verdict, response);
    return code == 0 && (verdict->actions & KARTA_POLICY_AUDIT) != 0 ? audit(verdict, response)
                                                                     : code;
}

/* What policies are made of: one that refuses these could not be taken back. */
static bool is_ours(const struct review *review)
{
    static const char *const kinds[][2] = {{"run.ai", "Karta"},
                                           {"workloadmap.dev", "GangProfile"},
                                           {"workloadmap.dev", "WorkloadPolicy"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(review->group, kinds[i][0]) == 0 && strcmp(review->kind, kinds[i][1]) == 0)
            return true;
    return false;
}

int handle_policies(const struct karta_snapshot *snapshot, const struct admission_config *config,
                    const struct review *review, struct response *response,
                    struct admission_answer *decided)
{
    const json_t *facts = json_object_get(review->root, "request");
    const struct karta_request request = {
        .operation = review->operation,
        .ns = review->ns,
        .user_info = json_object_get(facts, "userInfo"),
        .dry_run = json_is_true(json_object_get(facts, "dryRun")),
        .object = review->object,
        .old_object = strcmp(review->operation, "UPDATE") == 0 ? review->old_object : NULL,
        .budget_ms = config->deadline_ms};
    response->allowed = true;
    if (review->object == NULL || review->sub_resource[0] != '\0' ||
        admission_excludes(config, review->ns) || is_ours(review))
        return 0;
    struct karta_verdict verdict = {0};
    struct karta_error err = {0};
    int code = karta_policies_ask(snapshot, &request, &verdict, &err);
    if (code == 0)
        code = answer(&verdict, response);
    decided->decisions = verdict.decisions;
    decided->decision_count = verdict.decision_count;
    verdict.decisions = NULL; /* the answer has them now */
    karta_verdict_dispose(&verdict);
    return code;
}
