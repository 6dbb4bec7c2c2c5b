/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies asked about one object. The one idea: true passes, false does not, and everything that
 * could not be decided is the failurePolicy's, so that a broken object slips past no rule. What
 * nobody reads is not made ready for expressions.
 */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "definition.h"
#include "karta/engine.h"
#include "karta/policy.h"
#include "karta/view.h"
#include "metadata.h"
#include "policy_finding.h"
#include "snapshot.h"

#define FIELD_SIZE 64

struct asking {
    const struct karta_snapshot *snapshot;
    const struct karta_request *request;
    struct karta_verdict *verdict;
    json_t *view, *old_view; /* new; NULL: could not be made */
    char unread[512];        /* why the object itself cannot be read; "": it can */
    json_t *whole;           /* everything that an expression may read; new */
    int64_t deadline_ms;
};

/* Policies without validations only fill in defaults. */
static bool judges(const struct karta_policy *policy)
{
    return policy->check_count > policy->condition_count;
}

/* Lists the policies that are to be asked. */
static int choose(struct asking *asking, const struct gvk *gvk)
{
    const struct karta_snapshot *snapshot = asking->snapshot;
    struct karta_verdict *verdict = asking->verdict;
    for (size_t i = 0; i < snapshot->policy_count; i++) {
        const struct karta_policy *policy = snapshot->policies[i];
        if (!judges(policy) || !policy_concerns(policy, asking->request, gvk->group, gvk->kind))
            continue;
        if (verdict->decisions == NULL)
            verdict->decisions = mem_array(snapshot->policy_count, sizeof *verdict->decisions);
        if (verdict->decisions == NULL)
            return KARTA_ERR_NOMEM;
        verdict->decisions[verdict->decision_count++].policy = policy;
    }
    return 0;
}

static int64_t deadline_of(const struct karta_request *request)
{
    return request->budget_ms > 0 ? karta_engine_now_ms() + request->budget_ms : 0;
}

/* Compiling takes its time at the first object alone: it is done before time counts. */
static int compile(const struct asking *asking, const struct karta_definition *definition)
{
    struct karta_error err = {0};
    int code = 0;
    if (definition->structure != NULL)
        code = jq_program_compile(definition->structure, NULL, &err);
    if (definition->status != NULL && code != KARTA_ERR_NOMEM)
        code = jq_program_compile(definition->status, NULL, &err);
    for (size_t i = 0; i < asking->verdict->decision_count && code != KARTA_ERR_NOMEM; i++)
        code = policy_compile(asking->verdict->decisions[i].policy, &err);
    return code == KARTA_ERR_NOMEM ? code : 0;
}

static int make_views(struct asking *asking)
{
    const struct karta_request *request = asking->request;
    int64_t deadline_ms = deadline_of(request);
    struct karta_error err = {0};
    int code = karta_view(asking->snapshot, request->object, request->ns, deadline_ms,
                          &asking->view, &err);
    if (code == KARTA_ERR_NOMEM)
        return code;
    if (code != 0)
        snprintf(asking->unread, sizeof asking->unread, "%s", err.message);
    if (request->old_object == NULL || code != 0)
        return 0;
    code = karta_view(asking->snapshot, request->old_object, request->ns, deadline_ms,
                      &asking->old_view, NULL);
    return code == KARTA_ERR_NOMEM ? code : 0;
}

/* The view holds the labels and annotations. */
static bool is_unchanged(const struct asking *asking)
{
    return asking->view != NULL && asking->old_view != NULL &&
           json_equal(asking->view, asking->old_view);
}

static int make_whole(struct asking *asking)
{
    const struct karta_request *request = asking->request;
    asking->whole = json_copy(asking->view);
    json_t *facts = json_pack("{s:s, s:s, s:O?, s:b}", "operation", request->operation, "namespace",
                              request->ns != NULL ? request->ns : "", "userInfo",
                              request->user_info, "dryRun", request->dry_run);
    int failed = json_object_set_new(asking->whole, "request", facts) |
                 json_object_set(asking->whole, "object", (json_t *)request->object);
    json_t *old =
        request->old_object != NULL ? json_incref((json_t *)request->old_object) : json_null();
    json_t *old_view = asking->old_view != NULL ? json_incref(asking->old_view) : json_null();
    failed |= json_object_set_new(asking->whole, "oldObject", old);
    failed |= json_object_set_new(asking->whole, "oldView", old_view);
    return failed == 0 ? 0 : KARTA_ERR_NOMEM;
}

/* Makes ready what stands under these names. */
static int make_input(const struct asking *asking, unsigned reads, struct jq_input **input,
                      struct karta_error *err)
{
    json_auto_t *object = json_object();
    for (size_t i = 0; policy_input_names[i] != NULL; i++)
        if ((reads & 1U << i) != 0 &&
            json_object_set(object, policy_input_names[i],
                            json_object_get(asking->whole, policy_input_names[i])) != 0)
            return mem_error(err);
    return object != NULL ? jq_input_new(object, input, err) : mem_error(err);
}

/* Something could not be decided: what the policy does about it. */
static int fail(struct asking *asking, struct karta_policy_decision *decision,
                const char *component, const char *field, const char *message)
{
    const struct finding finding = {decision->policy, true, component, field};
    if (decision->policy->ignore_failures)
        return 0;
    decision->actions = decision->policy->actions;
    return finding_add(asking->verdict, &finding, "%s", message);
}

/* The object, or one of its components, could not be read: no expression is evaluated. */
static int fail_unread(struct asking *asking, struct karta_policy_decision *decision)
{
    const json_t *components = json_object_get(asking->view, "components");
    char text[LIMIT_FINDING_TEXT];
    int code = 0;
    if (asking->unread[0] != '\0') {
        snprintf(text, sizeof text, "cannot be read: %s", asking->unread);
        return fail(asking, decision, NULL, NULL, text);
    }
    for (size_t i = 0; code == 0 && i < json_array_size(components); i++) {
        const json_t *component = json_array_get(components, i);
        const char *name = json_string_value(json_object_get(component, "name"));
        const char *error = json_string_value(json_object_get(component, "error"));
        if (error == NULL)
            continue;
        snprintf(text, sizeof text, "component %s: %s", name != NULL ? name : "", error);
        code = fail(asking, decision, name, NULL, text);
    }
    return code;
}

/* What one condition or validation gave. */
enum outcome { OUTCOME_TRUE, OUTCOME_FALSE, OUTCOME_OTHER, OUTCOME_ERROR };

static enum outcome outcome_of(const struct jq_result *result)
{
    const json_t *value = json_array_get(result->values, 0);
    if (result->error != NULL)
        return OUTCOME_ERROR;
    if (json_array_size(result->values) != 1 || !json_is_boolean(value))
        return OUTCOME_OTHER;
    return json_is_true(value) ? OUTCOME_TRUE : OUTCOME_FALSE;
}

/* "null", "2 values", ... where neither true nor false was given. */
static void describe_other(const struct jq_result *result, char text[FIELD_SIZE])
{
    const json_t *value = json_array_get(result->values, 0);
    size_t count = json_array_size(result->values);
    if (count == 1)
        snprintf(text, FIELD_SIZE, "%s", json_type_text(json_typeof(value)));
    else
        snprintf(text, FIELD_SIZE, "%zu values", count);
}

/* Whether the policy's conditions hold: true, false, or as OUTCOME_ERROR undecided and `text` why.
 */
static enum outcome ask_conditions(const struct karta_policy *policy,
                                   const struct jq_results *results, char *text, size_t size,
                                   size_t *which)
{
    enum outcome all = OUTCOME_TRUE;
    for (size_t i = 0; i < policy->condition_count; i++) {
        char given[FIELD_SIZE];
        const char *name = policy->checks[i].name;
        enum outcome outcome = outcome_of(&results->parts[i]);
        if (outcome == OUTCOME_FALSE)
            return OUTCOME_FALSE;
        if (outcome == OUTCOME_TRUE || all == OUTCOME_ERROR)
            continue;
        all = OUTCOME_ERROR;
        *which = i;
        if (outcome == OUTCOME_OTHER) {
            describe_other(&results->parts[i], given);
            snprintf(text, size, "match condition %s gives %s where true or false belongs", name,
                     given);
        } else {
            snprintf(text, size, "match condition %s: %s", name, results->parts[i].error);
        }
    }
    return all;
}

/* All messages of the policy at once; an error leaves `messages` without parts. */
static int run_messages(struct asking *asking, const struct karta_policy *policy,
                        struct jq_results *messages)
{
    struct karta_error err = {0};
    struct jq_input *input = NULL;
    if (policy->messages == NULL)
        return 0;
    int code = jq_program_compile(policy->messages, NULL, &err);
    if (code == 0)
        code = make_input(asking, policy->messages_read, &input, &err);
    if (code == 0)
        code =
            jq_program_run(policy->messages, input, deadline_of(asking->request), messages, &err);
    jq_input_free(input);
    return code == KARTA_ERR_NOMEM ? code : 0;
}

/* The text that messageExpression gave, NULL where it gave none. */
static const char *message_of(const struct policy_check *check, const struct jq_results *messages)
{
    if (check->message_jq == NULL || check->message_part >= messages->count)
        return check->message;
    const struct jq_result *result = &messages->parts[check->message_part];
    const char *text = json_array_size(result->values) == 1
                           ? json_string_value(json_array_get(result->values, 0))
                           : NULL;
    return text != NULL && text[strspn(text, " \t\r\n")] != '\0' ? text : check->message;
}

static int add_violation(struct asking *asking, const struct karta_policy *policy, size_t i,
                         const struct jq_result *result, const struct jq_results *messages)
{
    const struct policy_check *check = &policy->checks[i];
    const char *message = message_of(check, messages);
    char field[FIELD_SIZE], given[FIELD_SIZE];
    const struct finding finding = {policy, false, NULL, field};
    snprintf(field, sizeof field, "spec.validations[%zu].expression", i - policy->condition_count);
    if (message != NULL)
        return finding_add(asking->verdict, &finding, "%s", message);
    const char *text = jq_expression_text(check->jq);
    if (outcome_of(result) == OUTCOME_FALSE)
        return finding_add(asking->verdict, &finding, "failed expression: %s", text);
    describe_other(result, given);
    return finding_add(asking->verdict, &finding, "failed expression, which gives %s: %s", given,
                       text);
}

static int ask_validation(struct asking *asking, struct karta_policy_decision *decision, size_t i,
                          const struct jq_result *result, struct jq_results *messages)
{
    const struct karta_policy *policy = decision->policy;
    enum outcome outcome = outcome_of(result);
    if (outcome == OUTCOME_TRUE)
        return 0;
    if (outcome == OUTCOME_ERROR) {
        char field[FIELD_SIZE], text[LIMIT_FINDING_TEXT];
        snprintf(field, sizeof field, "spec.validations[%zu].expression",
                 i - policy->condition_count);
        snprintf(text, sizeof text, "%s, in expression %s", result->error,
                 jq_expression_text(policy->checks[i].jq));
        return fail(asking, decision, NULL, field, text);
    }
    decision->actions = policy->actions;
    int code = messages->count == 0 ? run_messages(asking, policy, messages) : 0;
    return code == 0 ? add_violation(asking, policy, i, result, messages) : code;
}

static int judge(struct asking *asking, struct karta_policy_decision *decision,
                 const struct jq_results *results)
{
    const struct karta_policy *policy = decision->policy;
    char text[LIMIT_FINDING_TEXT], field[FIELD_SIZE];
    struct jq_results messages = {0};
    size_t which = 0;
    int code = 0;
    switch (ask_conditions(policy, results, text, sizeof text, &which)) {
    case OUTCOME_TRUE:
        for (size_t i = policy->condition_count; code == 0 && i < policy->check_count; i++)
            code = ask_validation(asking, decision, i, &results->parts[i], &messages);
        break;
    case OUTCOME_FALSE:
        break;
    case OUTCOME_OTHER:
    case OUTCOME_ERROR:
        snprintf(field, sizeof field, "spec.matchConditions[%zu].expression", which);
        code = fail(asking, decision, NULL, field, text);
        break;
    }
    jq_results_dispose(&messages);
    return code;
}

static int ask(struct asking *asking, struct karta_policy_decision *decision,
               const struct jq_input *input)
{
    struct jq_results results = {0};
    struct karta_error err = {0};
    int code =
        jq_program_run(decision->policy->program, input, asking->deadline_ms, &results, &err);
    if (code == KARTA_ERR_NOMEM)
        return code;
    code = code == 0 ? judge(asking, decision, &results)
                     : fail(asking, decision, NULL, NULL, err.message);
    jq_results_dispose(&results);
    return code;
}

static int ask_all(struct asking *asking)
{
    struct karta_verdict *verdict = asking->verdict;
    struct jq_input *input = NULL;
    struct karta_error err = {0};
    unsigned reads = 0;
    for (size_t i = 0; i < verdict->decision_count; i++)
        reads |= verdict->decisions[i].policy->reads;
    int code = make_whole(asking);
    if (code == 0)
        code = make_input(asking, reads, &input, &err);
    if (code != 0 && code != KARTA_ERR_NOMEM) {
        snprintf(asking->unread, sizeof asking->unread, "%s", err.message);
        code = 0;
    }
    asking->deadline_ms = deadline_of(asking->request);
    for (size_t i = 0; code == 0 && i < verdict->decision_count; i++)
        code = input != NULL ? ask(asking, &verdict->decisions[i], input)
                             : fail_unread(asking, &verdict->decisions[i]);
    jq_input_free(input);
    return code;
}

static int ask_chosen(struct asking *asking, const struct karta_definition *definition)
{
    struct karta_verdict *verdict = asking->verdict;
    int code = compile(asking, definition);
    if (code == 0)
        code = make_views(asking);
    if (code != 0)
        return code;
    if (is_unchanged(asking)) {
        verdict->decision_count = 0;
        return 0;
    }
    if (json_is_true(json_object_get(asking->view, "complete")))
        code = ask_all(asking);
    else
        for (size_t i = 0; code == 0 && i < verdict->decision_count; i++)
            code = fail_unread(asking, &verdict->decisions[i]);
    for (size_t i = 0; i < verdict->decision_count; i++)
        verdict->actions |= verdict->decisions[i].actions;
    return code;
}

int karta_policies_ask(const struct karta_snapshot *snapshot, const struct karta_request *request,
                       struct karta_verdict *verdict, struct karta_error *err)
{
    struct asking asking = {.snapshot = snapshot, .request = request, .verdict = verdict};
    *verdict = (struct karta_verdict){.findings = json_array()};
    int code = verdict->findings != NULL ? 0 : KARTA_ERR_NOMEM;
    const struct karta_definition *definition =
        snapshot->policy_count > 0 ? karta_snapshot_find_for(snapshot, request->object) : NULL;
    if (code == 0 && definition != NULL && !metadata_deleting(request->object)) {
        code = choose(&asking, definition_gvk(definition));
        if (code == 0 && verdict->decision_count > 0)
            code = ask_chosen(&asking, definition);
    }
    json_decref(asking.view);
    json_decref(asking.old_view);
    json_decref(asking.whole);
    return code == 0 ? 0 : mem_error(err);
}
