/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a policy checks. The one idea: in jq a misspelt name is null and null is below every number,
 * so an expression that reads what no view has is told of where it is written.
 */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "expression_parse.h"
#include "names.h"
#include "policy.h"

/* What expressions find: the view (docs/view.md) and the request. */
const char *const policy_input_names[] = {
    "workload", "definition", "status",  "suspended", "components", "totals",  "queue",
    "complete", "podGroups",  "request", "object",    "oldObject",  "oldView", NULL};

/* What stands below those of them that always hold the same. */
static const struct {
    const char *parent, *names[16];
} below[] = {
    {"totals", {"pods", "gpus", "requests"}},
    {"status", {"phases", "phase", "conditions"}},
    {"workload", {"apiVersion", "kind", "namespace", "name", "labels", "annotations"}},
    {"request", {"operation", "namespace", "userInfo", "dryRun"}},
    {"oldView",
     {"workload", "definition", "status", "suspended", "components", "totals", "queue", "complete",
      "podGroups"}},
};

static void check_reads(struct policy_parse *parse, const struct at *at, const char *key,
                        const struct jq_expression *jq)
{
    char meant[MEANT_SIZE];
    const char *other = jq_expression_reads_other(jq, NULL, policy_input_names);
    if (other != NULL)
        schema_problem(parse->base.problems, KARTA_WARNING, at, key,
                       "reads .%.60s, which no view has%s", other,
                       did_you_mean(nearest_name(other, policy_input_names), meant));
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        other = jq_expression_reads_other(jq, below[i].parent, below[i].names);
        if (other != NULL)
            schema_problem(parse->base.problems, KARTA_WARNING, at, key,
                           "reads .%s.%.60s, which no view has%s", below[i].parent, other,
                           did_you_mean(nearest_name(other, below[i].names), meant));
    }
}

static struct jq_expression *parse_jq(struct policy_parse *parse, const struct at *at,
                                      const json_t *object, const char *key)
{
    struct jq_expression *jq = parse_expression(&parse->base, at, object, key);
    if (jq != NULL)
        check_reads(parse, at, key, jq);
    return jq;
}

static struct jq_expression *need_jq(struct policy_parse *parse, const struct at *at,
                                     const json_t *object, const char *key)
{
    if (!schema_states(object, key))
        schema_problem(parse->base.problems, KARTA_REFUSAL, at, key, "is missing");
    return parse_jq(parse, at, object, key);
}

/* Names tell conditions apart in messages. */
static void check_name(struct policy_parse *parse, const struct at *at, const char *name)
{
    const struct karta_policy *policy = parse->policy;
    if (!name_is_qualified(name))
        schema_problem(parse->base.problems, KARTA_REFUSAL, at, "name",
                       "\"%.80s\" is no name: at most 63 letters, digits, '-', '_' and '.', after "
                       "a DNS prefix and '/' where it has one",
                       name);
    for (size_t i = 0; i < policy->check_count; i++) {
        const char *other = policy->checks[i].name;
        if (other == NULL || strcmp(other, name) != 0)
            continue;
        schema_problem(parse->base.problems, KARTA_REFUSAL, at, "name",
                       "repeats \"%.80s\": each condition has a name of its own", name);
        return;
    }
}

static void parse_conditions(struct policy_parse *parse, const struct at *at, const json_t *list)
{
    static const char *const names[] = {"name", "expression", NULL};
    const struct at list_at = {at, "matchConditions", 0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *object = parse_element(&parse->base, &here, json_array_get(list, i));
        if (object == NULL)
            continue;
        schema_known(parse->base.problems, &here, object, names);
        const char *name = schema_need_text(parse->base.problems, &here, object, "name");
        if (name != NULL)
            check_name(parse, &here, name);
        struct policy_check *check = &parse->policy->checks[parse->policy->check_count++];
        check->name = parse_keep(&parse->base, name);
        check->jq = need_jq(parse, &here, object, "expression");
    }
    parse->policy->condition_count = parse->policy->check_count;
}

static void parse_message(struct policy_parse *parse, const struct at *at, const json_t *object,
                          struct policy_check *check)
{
    const char *message = schema_text(parse->base.problems, at, object, "message");
    if (message != NULL && message[strspn(message, " \t")] == '\0')
        schema_problem(parse->base.problems, KARTA_REFUSAL, at, "message", "is empty");
    else if (message != NULL && strpbrk(message, "\r\n") != NULL)
        schema_problem(parse->base.problems, KARTA_REFUSAL, at, "message",
                       "has several lines; a message is one");
    else
        check->message = parse_keep(&parse->base, message);
    check->message_jq = parse_jq(parse, at, object, "messageExpression");
}

static void parse_validations(struct policy_parse *parse, const struct at *at, const json_t *list)
{
    static const char *const names[] = {"expression", "message", "messageExpression", NULL};
    const struct at list_at = {at, "validations", 0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *object = parse_element(&parse->base, &here, json_array_get(list, i));
        if (object == NULL)
            continue;
        schema_known(parse->base.problems, &here, object, names);
        struct policy_check *check = &parse->policy->checks[parse->policy->check_count++];
        check->jq = need_jq(parse, &here, object, "expression");
        parse_message(parse, &here, object, check);
    }
}

/* The names of the input that the expression reads, or may read. */
static unsigned reads_of(const struct jq_expression *jq)
{
    unsigned reads = 0;
    for (size_t i = 0; policy_input_names[i] != NULL; i++)
        reads |= jq_expression_reads(jq, policy_input_names[i]) ? 1U << i : 0;
    return reads;
}

bool policy_reads(const struct karta_policy *policy, const char *name)
{
    for (size_t i = 0; policy_input_names[i] != NULL; i++)
        if (strcmp(policy_input_names[i], name) == 0)
            return (policy->reads & 1U << i) != 0;
    return false;
}

static struct jq_program *make_program(struct policy_parse *parse, const struct at *at,
                                       const struct jq_part *parts, size_t count)
{
    struct jq_program *program = NULL;
    struct karta_error err = {0};
    if (count > 0 && jq_program_new(parts, count, &program, &err) != 0)
        schema_problem(parse->base.problems, KARTA_REFUSAL, at, NULL, "%s", err.message);
    return program;
}

static void make_programs(struct policy_parse *parse, const struct at *at)
{
    struct karta_policy *policy = parse->policy;
    struct jq_part parts[LIMIT_POLICY_CHECKS], messages[LIMIT_POLICY_CHECKS];
    size_t message_count = 0;
    for (size_t i = 0; i < policy->check_count; i++) {
        struct policy_check *check = &policy->checks[i];
        if (check->jq == NULL)
            return; /* a problem already */
        parts[i] = (struct jq_part){check->jq, JQ_VALUES};
        policy->reads |= reads_of(check->jq);
        if (check->message_jq == NULL)
            continue;
        check->message_part = message_count;
        messages[message_count++] = (struct jq_part){check->message_jq, JQ_VALUES};
        policy->messages_read |= reads_of(check->message_jq);
    }
    policy->program = make_program(parse, at, parts, policy->check_count);
    policy->messages = make_program(parse, at, messages, message_count);
}

void policy_parse_checks(struct policy_parse *parse, const struct at *at, const json_t *spec)
{
    struct karta_problems *problems = parse->base.problems;
    const json_t *conditions = schema_get(problems, at, spec, "matchConditions", JSON_ARRAY);
    const json_t *validations = schema_get(problems, at, spec, "validations", JSON_ARRAY);
    size_t count = json_array_size(conditions) + json_array_size(validations);
    if (validations != NULL && json_array_size(validations) == 0)
        schema_problem(problems, KARTA_REFUSAL, at, "validations",
                       "is empty: a policy says what it checks");
    if (count > LIMIT_POLICY_CHECKS) {
        schema_problem(problems, KARTA_REFUSAL, at, NULL,
                       "has %zu conditions and validations; at most %u are taken", count,
                       LIMIT_POLICY_CHECKS);
        return;
    }
    parse->policy->checks = parse_array(&parse->base, count, sizeof *parse->policy->checks);
    if (parse->policy->checks == NULL)
        return;
    parse_conditions(parse, at, conditions);
    parse_validations(parse, at, validations);
    make_programs(parse, at);
}
