/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A verdict laid out by policy and rule. The one idea: the library tells what is wrong; what it
 * doesn't name has passed, and is shown too, so that "nothing is wrong" differs from "not asked".
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"

/* Where a rule stands in its policy; also what the library calls it. */
static char *field_of(size_t index)
{
    return mem_format("spec.validations[%zu].expression", index);
}

/* The entry is of this policy, and of `field`: of the policy as a whole where that is NULL. */
static bool is_of(const json_t *finding, const char *policy, const char *field)
{
    const char *own = input_text(finding, "field");
    bool whole = strncmp(own, "spec.validations[", 17) != 0;
    return strcmp(input_text(finding, "policy"), policy) == 0 &&
           (field == NULL ? whole : strcmp(own, field) == 0);
}

/* Appends the messages of those of `list`. */
static void add_messages(json_t *messages, const json_t *list, const char *policy,
                         const char *field)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (is_of(json_array_get(list, i), policy, field))
            json_array_append(messages, json_object_get(json_array_get(list, i), "message"));
}

/* {result, messages} of a rule, or of a policy that came to none of its rules. */
static json_t *outcome(const struct karta_verdict *verdict, const char *policy, const char *field)
{
    json_t *messages = json_array();
    const char *result = "fail";
    add_messages(messages, verdict->findings, policy, field);
    if (json_array_size(messages) == 0) {
        result = "ignored";
        add_messages(messages, verdict->ignored, policy, field);
    }
    if (json_array_size(messages) == 0)
        result = "pass";
    return json_pack("{s:s, s:o}", "result", result, "messages", messages);
}

static json_t *rules_of(const struct karta_verdict *verdict, const struct karta_policy *policy)
{
    const json_t *spec = json_object_get(karta_policy_document(policy), "spec");
    const json_t *validations = json_object_get(spec, "validations");
    json_t *rules = json_array();
    for (size_t i = 0; i < json_array_size(validations); i++) {
        KARTA_AUTO_TEXT field = field_of(i);
        json_t *rule = field != NULL ? outcome(verdict, karta_policy_name(policy), field) : NULL;
        json_object_set(rule, "expression",
                        json_object_get(json_array_get(validations, i), "expression"));
        json_array_append_new(rules, rule);
    }
    return rules;
}

/* The worst of the rules. */
static const char *result_of(const json_t *rules)
{
    const char *worst = "pass";
    for (size_t i = 0; i < json_array_size(rules); i++) {
        const char *result = input_text(json_array_get(rules, i), "result");
        if (strcmp(result, "fail") == 0)
            return "fail";
        if (strcmp(result, "ignored") == 0)
            worst = "ignored";
    }
    return worst;
}

static json_t *actions_json(unsigned actions)
{
    static const char *const names[] = {"Deny", "Warn", "Audit"};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((actions & 1U << i) != 0)
            json_array_append_new(list, json_string(names[i]));
    return list;
}

static json_t *policy_json(const struct karta_verdict *verdict,
                           const struct karta_policy_decision *decision)
{
    const char *name = karta_policy_name(decision->policy), *result = "skipped";
    json_auto_t *whole = outcome(verdict, name, NULL);
    const json_t *messages = json_object_get(whole, "messages");
    json_auto_t *rules = json_array();
    if (json_array_size(messages) > 0) {
        result = input_text(whole, "result");
    } else if (decision->skipped_by == NULL) {
        json_decref(rules);
        rules = rules_of(verdict, decision->policy);
        result = result_of(rules);
    }
    return json_pack("{s:s, s:s, s:o, s:s?, s:O, s:O}", "name", name, "result", result, "actions",
                     actions_json(decision->actions), "skippedBy", decision->skipped_by, "messages",
                     messages, "rules", rules);
}

/* As the API server would show it: what it is going to name ends in a star. */
static char *name_of(const json_t *object)
{
    const json_t *metadata = json_object_get(object, "metadata");
    const char *name = input_text(metadata, "name");
    const char *begin = input_text(metadata, "generateName");
    bool generated = *name == '\0' && *begin != '\0';
    return mem_format("%s%s", generated ? begin : name, generated ? "*" : "");
}

json_t *check_result(const struct input_document *document, const json_t *object, const char *ns,
                     const struct karta_verdict *verdict)
{
    KARTA_AUTO_TEXT name = name_of(object);
    bool is_file = strcmp(document->path, "-") != 0;
    json_t *policies = json_array();
    for (size_t i = 0; i < verdict->decision_count; i++)
        json_array_append_new(policies, policy_json(verdict, &verdict->decisions[i]));
    json_t *workload =
        json_pack("{s:s, s:s, s:s, s:s}", "apiVersion", input_text(object, "apiVersion"), "kind",
                  input_text(object, "kind"), "namespace", ns, "name", name);
    return json_pack("{s:o, s:s?, s:i, s:b, s:o, s:O, s:O, s:I}", "workload", workload, "file",
                     is_file ? document->path : NULL, "line", document->line, "allowed",
                     (verdict->actions & KARTA_POLICY_DENY) == 0, "policies", policies, "findings",
                     verdict->findings, "ignored", verdict->ignored, "leftOut",
                     (json_int_t)verdict->findings_left_out);
}
