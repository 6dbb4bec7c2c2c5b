/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Status of an object. The one idea: a status matches when any of its matchers holds, a matcher
 * when everything that it states holds; all that match are reported, in a fixed order.
 */
#include "status.h"

#include <string.h>

#include "base/mem.h"
#include "karta/patch.h"

struct reading {
    const struct status_definition *definition;
    const struct jq_results *results;
    const char *phase;  /* NULL: none */
    json_t *conditions; /* new; array of {type, status, reason, message} */
};

/* The first result of an expression, or NULL. */
static const json_t *first_result(const struct reading *reading,
                                  const struct expression *expression)
{
    if (expression->jq == NULL || reading->results->count == 0)
        return NULL;
    return json_array_get(reading->results->parts[expression->part].values, 0);
}

static int add_condition(struct reading *reading, const json_t *condition)
{
    const struct status_definition *definition = reading->definition;
    const char *fields[] = {definition->type_field, definition->status_field,
                            definition->reason_field, definition->message_field};
    static const char *const names[] = {"type", "status", "reason", "message"};
    json_auto_t *entry = json_object();
    for (size_t i = 0; i < 4; i++) {
        json_t *value = json_object_get(condition, fields[i]);
        value = json_is_string(value) ? json_incref(value) : json_null();
        if (json_object_set_new(entry, names[i], value) != 0)
            return KARTA_ERR_NOMEM;
    }
    return json_array_append(reading->conditions, entry) == 0 ? 0 : KARTA_ERR_NOMEM;
}

static int read_conditions(struct reading *reading)
{
    const json_t *list = first_result(reading, &reading->definition->conditions);
    reading->conditions = json_array();
    if (reading->conditions == NULL)
        return KARTA_ERR_NOMEM;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_object(json_array_get(list, i)) &&
            add_condition(reading, json_array_get(list, i)) != 0)
            return KARTA_ERR_NOMEM;
    return 0;
}

static const char *condition_text(const json_t *condition, const char *field)
{
    return json_string_value(json_object_get(condition, field));
}

/* The last condition of that type counts. */
static const json_t *find_condition(const struct reading *reading, const char *type)
{
    for (size_t i = json_array_size(reading->conditions); i > 0; i--) {
        const json_t *condition = json_array_get(reading->conditions, i - 1);
        const char *own = condition_text(condition, "type");
        if (own != NULL && strcmp(own, type) == 0)
            return condition;
    }
    return NULL;
}

static bool states(const json_t *condition, const char *field, const char *wanted)
{
    const char *text = condition_text(condition, field);
    return wanted == NULL || (text != NULL && strcmp(text, wanted) == 0);
}

/* As jq's tostring. */
static bool result_is(const json_t *result, const char *expected)
{
    if (result == NULL)
        return false;
    if (json_is_string(result))
        return strcmp(json_string_value(result), expected) == 0;
    KARTA_AUTO_TEXT text = json_dumps(result, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
    return text != NULL && strcmp(text, expected) == 0;
}

static bool holds(const struct reading *reading, const struct matcher *matcher)
{
    if (matcher->phase != NULL &&
        (reading->phase == NULL || strcmp(reading->phase, matcher->phase) != 0))
        return false;
    for (size_t i = 0; i < matcher->condition_count; i++) {
        const struct condition_match *wanted = &matcher->conditions[i];
        const json_t *condition = find_condition(reading, wanted->type);
        if (condition == NULL || !states(condition, "status", wanted->status) ||
            !states(condition, "reason", wanted->reason))
            return false;
    }
    return matcher->expression.jq == NULL ||
           result_is(first_result(reading, &matcher->expression), matcher->expected);
}

static bool rule_holds(const struct reading *reading, const struct status_rule *rule)
{
    for (size_t i = 0; i < rule->count; i++)
        if (holds(reading, &rule->matchers[i]))
            return true;
    return false;
}

static json_t *read_phases(const struct reading *reading)
{
    json_t *phases = json_array();
    for (size_t s = 0; s < STATUSES; s++)
        if (rule_holds(reading, &reading->definition->rules[s]))
            json_array_append_new(phases, json_string(status_names[s]));
    if (json_array_size(phases) == 0)
        json_array_append_new(phases, json_string("Undefined"));
    return phases;
}

/* Whether everything that the action's path points at has its value. */
static bool action_holds(const struct resolved *resolved, const struct jq_results *results,
                         const struct action *action)
{
    const json_t *paths = results->parts[action->path.part].values;
    for (size_t p = 0; p < json_array_size(paths); p++) {
        KARTA_AUTO_TEXT pointer = NULL;
        const json_t *value = NULL;
        if (resolve_pointer(resolved->object, json_array_get(paths, p), &pointer, &value, NULL) !=
                0 ||
            value == NULL || !json_equal(value, action->value))
            return false;
    }
    return json_array_size(paths) > 0;
}

/* Whether every suspend action holds; null where there are none. */
static json_t *read_suspended(const struct resolved *resolved, const struct jq_results *results)
{
    bool any = false;
    for (size_t c = 0; c < resolved->count; c++) {
        const struct component *component = resolved->components[c].definition;
        for (size_t i = 0; i < component->suspend_count; i++) {
            any = true;
            if (!action_holds(resolved, results, &component->suspend[i]))
                return json_false();
        }
    }
    return any ? json_true() : json_null();
}

static int read_all(const struct resolved *resolved, const struct jq_results *results,
                    json_t **status, json_t **suspended, struct karta_error *err)
{
    struct reading reading = {&resolved->components[0].definition->status, results, NULL, NULL};
    reading.phase = json_string_value(first_result(&reading, &reading.definition->phase));
    int code = read_conditions(&reading);
    if (code == 0)
        *status = json_pack("{s:o, s:s?, s:O}", "phases", read_phases(&reading), "phase",
                            reading.phase, "conditions", reading.conditions);
    json_decref(reading.conditions);
    *suspended = read_suspended(resolved, results);
    return code == 0 && *status != NULL ? 0 : mem_error(err);
}

int status_read(const struct resolved *resolved, json_t **status, json_t **suspended,
                struct karta_error *err)
{
    struct jq_results results = {0};
    struct jq_program *program = resolved->definition->status;
    int code = 0;
    if (program != NULL)
        code = jq_program_run(program, resolved->input, resolved->deadline_ms, &results, err);
    if (code == 0)
        code = read_all(resolved, &results, status, suspended, err);
    jq_results_dispose(&results);
    return code;
}
