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
    condition->status = parse_text(parse, at, object, "status");
    condition->reason = parse_text(parse, at, object, "reason");
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

/* The result may be "": an expression can give that. */
static void parse_by_expression(struct parse *parse, const struct at *at, const json_t *object,
                                struct matcher *matcher)
{
    static const char *const names[] = {"expression", "expectedResult", NULL};
    const json_t *by = schema_get(parse->problems, at, object, "byExpression", JSON_OBJECT);
    if (by == NULL)
        return;
    const struct at here = {at, "byExpression", 0};
    schema_known(parse->problems, &here, by, names);
    matcher->expression.jq = parse_need_expression(parse, &here, by, names[0]);
    if (!schema_states(by, names[1]))
        schema_problem(parse->problems, KARTA_REFUSAL, &here, names[1],
                       "is missing: the text that the expression gives where this status holds");
    matcher->expected = parse_keep(parse, schema_text(parse->problems, &here, by, names[1]));
}

/* A field that is given but empty states nothing. */
static bool states(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    bool empty = (json_is_string(value) && json_string_length(value) == 0) ||
                 (json_is_array(value) && json_array_size(value) == 0);
    return schema_states(object, key) && !empty;
}

static void parse_matcher(struct parse *parse, const struct at *at, const json_t *object,
                          struct matcher *matcher)
{
    static const char *const names[] = {"byPhase", "byConditions", "byExpression", NULL};
    schema_known(parse->problems, at, object, names);
    matcher->phase = parse_text(parse, at, object, "byPhase");
    const json_t *list = schema_get(parse->problems, at, object, "byConditions", JSON_ARRAY);
    const struct at conditions = {at, "byConditions", 0};
    if (list != NULL)
        parse_conditions(parse, &conditions, list, matcher);
    parse_by_expression(parse, at, object, matcher);
    if (!states(object, names[0]) && !states(object, names[1]) && !states(object, names[2]))
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
        struct matcher *matcher = &rule->matchers[rule->count++];
        if (object != NULL)
            parse_matcher(parse, &here, object, matcher);
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
        char meant[MEANT_SIZE];
        if (names[s] == NULL)
            schema_problem(parse->problems, KARTA_REFUSAL, at, key, "is no status%s",
                           did_you_mean(nearest_name(key, names), meant));
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
