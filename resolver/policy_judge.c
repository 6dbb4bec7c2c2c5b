/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the results of a policy's expressions mean. The one idea: only true passes a validation, and
 * false is never what failurePolicy is about.
 */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "karta/engine.h"
#include "policy_asking.h"
#include "schema.h"

#define FIELD_SIZE 64

/* Something could not be decided: what the policy does about it. */
static int fail(struct asking *asking, struct karta_policy_decision *decision,
                const char *component, const char *field, const char *message)
{
    const struct finding finding = {decision->policy, true, component, field};
    decision->failed = true;
    if (!decision->policy->ignore_failures)
        decision->actions = decision->policy->actions;
    return finding_add(asking->verdict, &finding, "%s", message);
}

int judge_failure(struct asking *asking, struct karta_policy_decision *decision,
                  const char *message)
{
    return fail(asking, decision, NULL, NULL, message);
}

int judge_unread(struct asking *asking, struct karta_policy_decision *decision)
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

enum outcome judge_conditions(const struct karta_policy *policy, const struct jq_results *results,
                              char *text, size_t size, size_t *which)
{
    enum outcome all = OUTCOME_TRUE;
    for (size_t i = 0; i < policy->condition_count; i++) {
        char given[FIELD_SIZE];
        const char *name = policy->checks[i].name;
        enum outcome outcome = outcome_of(&results->parts[i]);
        if (outcome == OUTCOME_FALSE) {
            *which = i;
            return OUTCOME_FALSE;
        }
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

/* What compiling takes, at the first denial alone, is not taken from the policies that follow. */
static int compile_messages(struct asking *asking, const struct karta_policy *policy,
                            struct karta_error *err)
{
    int64_t begin = karta_engine_now_ms();
    int code = jq_program_compile(policy->messages, NULL, err);
    if (asking->deadline_ms > 0)
        asking->deadline_ms += karta_engine_now_ms() - begin;
    return code;
}

/* All messages of the policy at once; an error leaves `messages` without parts. */
static int run_messages(struct asking *asking, const struct karta_policy *policy,
                        struct jq_results *messages)
{
    struct karta_error err = {0};
    struct jq_input *input = NULL;
    if (policy->messages == NULL)
        return 0;
    int code = compile_messages(asking, policy, &err);
    if (code == 0)
        code = asking_input(asking, policy->messages_read, &input, &err);
    if (code == 0)
        code = jq_program_run(policy->messages, input, asking_deadline(asking), messages, &err);
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

int judge_results(struct asking *asking, struct karta_policy_decision *decision,
                  const struct jq_results *results)
{
    const struct karta_policy *policy = decision->policy;
    char text[LIMIT_FINDING_TEXT], field[FIELD_SIZE];
    struct jq_results messages = {0};
    size_t which = 0;
    int code = 0;
    switch (judge_conditions(policy, results, text, sizeof text, &which)) {
    case OUTCOME_TRUE:
        for (size_t i = policy->condition_count; code == 0 && i < policy->check_count; i++)
            code = ask_validation(asking, decision, i, &results->parts[i], &messages);
        break;
    case OUTCOME_FALSE:
        decision->skipped_by = policy->checks[which].name;
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
