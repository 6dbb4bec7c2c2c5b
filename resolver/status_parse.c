/* SPDX-License-Identifier: Apache-2.0 */
/* statusDefinition: phase, conditions, and the rules that make statuses of them. */
#include <string.h>

#include "parse_common.h"

static void parse_condition(struct parse *parse, const struct at *at, const json_t *object,
                            struct condition_match *condition)
{
    static const char *const names[] = {"type", "status", "reason", NULL};
    schema_known(parse->problems, at, object, names);
    condition->type = parse_keep(parse, schema_need_text(parse->problems, at, object, "type"));
    condition->status = parse_keep(parse, schema_text(parse->problems, at, object, "status"));
    condition->reason = parse_keep(parse, schema_text(parse->problems, at, object, "reason"));
}

static void parse_conditions(struct parse *parse, const struct at *at, const json_t *list,
                             struct matcher *matcher)
{
    matcher->conditions = parse_array(parse, json_array_size(list), sizeof *matcher->conditions);
    for (size_t i = 0; matcher->conditions != NULL && i < json_array_size(list); i++) {
        const struct at here = {at, NULL, i};
        const json_t *object = parse_element(parse, &here, json_array_get(list, i));
        if (object != NULL)
            parse_condition(parse, &here, object, &matcher->conditions[matcher->condition_count++]);
    }
}

static void parse_matcher(struct parse *parse, const struct at *at, const json_t *object,
                          struct matcher *matcher)
{
    static const char *const names[] = {"byPhase", "byConditions", "byExpression", NULL};
    static const char *const by_names[] = {"expression", "expectedResult", NULL};
    schema_known(parse->problems, at, object, names);
    matcher->phase = parse_keep(parse, schema_text(parse->problems, at, object, "byPhase"));
    const json_t *list = schema_get(parse->problems, at, object, "byConditions", JSON_ARRAY);
    const struct at conditions = {at, "byConditions", 0};
    if (list != NULL)
        parse_conditions(parse, &conditions, list, matcher);
    const json_t *by = schema_get(parse->problems, at, object, "byExpression", JSON_OBJECT);
    if (by != NULL) {
        const struct at here = {at, "byExpression", 0};
        schema_known(parse->problems, &here, by, by_names);
        matcher->expression.jq = parse_need_expression(parse, &here, by, "expression");
        const char *expected = schema_need_text(parse->problems, &here, by, "expectedResult");
        matcher->expected = parse_keep(parse, expected);
    }
    if (!parse_states(object, "byPhase") && json_array_size(list) == 0 && by == NULL)
        schema_problem(parse->problems, KARTA_REFUSAL, at, NULL,
                       "states nothing: a matcher has byPhase, byConditions or byExpression");
}

static void parse_rule(struct parse *parse, const struct at *at, const json_t *list,
                       struct status_rule *rule)
{
    rule->matchers = parse_array(parse, json_array_size(list), sizeof *rule->matchers);
    for (size_t i = 0; rule->matchers != NULL && i < json_array_size(list); i++) {
        const struct at here = {at, NULL, i};
        const json_t *object = parse_element(parse, &here, json_array_get(list, i));
        if (object != NULL)
            parse_matcher(parse, &here, object, &rule->matchers[rule->count++]);
    }
}

static void parse_mappings(struct parse *parse, const struct at *at, const json_t *object,
                           struct status_definition *status)
{
    static const char *const names[] = {"resuming",     "suspending", "suspended",
                                        "running",      "failed",     "completed",
                                        "initializing", "degraded",   NULL};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        size_t s = 0;
        while (names[s] != NULL && strcmp(names[s], key) != 0)
            s++;
        const char *near = names[s] == NULL ? nearest_name(key, names) : NULL;
        if (names[s] == NULL)
            schema_problem(parse->problems, KARTA_REFUSAL, at, key, "is no status%s%s%s",
                           near != NULL ? " (did you mean " : "", near != NULL ? near : "",
                           near != NULL ? "?)" : "");
    }
    for (size_t s = 0; s < STATUSES; s++) {
        const json_t *list = schema_get(parse->problems, at, object, names[s], JSON_ARRAY);
        const struct at here = {at, names[s], 0};
        if (list != NULL)
            parse_rule(parse, &here, list, &status->rules[s]);
    }
}

static void parse_condition_fields(struct parse *parse, const struct at *at, const json_t *object,
                                   struct status_definition *status)
{
    static const char *const names[] = {
        "path", "typeFieldName", "statusFieldName", "messageFieldName", "reasonFieldName", NULL};
    if (object != NULL) {
        schema_known(parse->problems, at, object, names);
        status->conditions.jq = parse_need_expression(parse, at, object, "path");
    }
    status->type_field = parse_text_or(parse, at, object, "typeFieldName", "type");
    status->status_field = parse_text_or(parse, at, object, "statusFieldName", "status");
    status->message_field = parse_text_or(parse, at, object, "messageFieldName", "message");
    status->reason_field = parse_text_or(parse, at, object, "reasonFieldName", "reason");
}

void parse_status(struct parse *parse, const struct at *at, const json_t *object,
                  struct status_definition *status)
{
    static const char *const names[] = {"phaseDefinition", "conditionsDefinition", "statusMappings",
                                        NULL};
    static const char *const phase_names[] = {"path", NULL};
    const json_t *value = schema_get(parse->problems, at, object, "statusDefinition", JSON_OBJECT);
    if (value == NULL)
        return;
    status->present = true;
    const struct at here = {at, "statusDefinition", 0};
    schema_known(parse->problems, &here, value, names);
    const json_t *phase = schema_get(parse->problems, &here, value, names[0], JSON_OBJECT);
    const struct at phase_at = {&here, names[0], 0};
    if (phase != NULL) {
        schema_known(parse->problems, &phase_at, phase, phase_names);
        status->phase.jq = parse_need_expression(parse, &phase_at, phase, "path");
    }
    const struct at conditions_at = {&here, names[1], 0};
    parse_condition_fields(parse, &conditions_at,
                           schema_get(parse->problems, &here, value, names[1], JSON_OBJECT),
                           status);
    const json_t *mappings = schema_get(parse->problems, &here, value, names[2], JSON_OBJECT);
    const struct at mappings_at = {&here, names[2], 0};
    if (mappings != NULL)
        parse_mappings(parse, &mappings_at, mappings, status);
}
