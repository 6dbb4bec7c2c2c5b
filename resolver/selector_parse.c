/* SPDX-License-Identifier: Apache-2.0 */
/* podSelector: which pods are a component's, and which instance and replica each of them is of. */
#include "parse_common.h"

static void parse_type(struct parse *parse, const struct at *at, const json_t *object,
                       struct pod_selector *selector)
{
    static const char *const names[] = {"keyPath", "value", "matchLabels", NULL};
    bool key = schema_states(object, "keyPath"), labelled = schema_states(object, "matchLabels");
    selector->has_type = true;
    schema_known(parse->problems, at, object, names);
    if (key)
        selector->type_key = parse_pod_expression(parse, at, object, "keyPath");
    selector->type_value = parse_keep(parse, schema_text(parse->problems, at, object, "value"));
    const json_t *labels = schema_get(parse->problems, at, object, "matchLabels", JSON_OBJECT);
    const struct at labels_at = {at, "matchLabels", 0};
    if (json_object_size(labels) > 0 && parse_text_map(parse, &labels_at, labels))
        selector->match_labels = json_incref((json_t *)labels);
    if (!key && (!labelled || (labels != NULL && json_object_size(labels) == 0)))
        schema_problem(parse->problems, KARTA_REFUSAL, at, NULL,
                       "states nothing: it has keyPath, matchLabels or both");
    if (schema_states(object, "value") && !key)
        schema_problem(parse->problems, KARTA_REFUSAL, at, "value",
                       "stands without keyPath, whose value it is");
}

/* A selector that is one expression. */
static struct jq_expression *parse_single(struct parse *parse, const struct at *at,
                                          const json_t *object, const char *selector,
                                          const char *key)
{
    const char *const names[] = {key, NULL};
    const json_t *value = schema_get(parse->problems, at, object, selector, JSON_OBJECT);
    const struct at here = {at, selector, 0};
    if (value == NULL)
        return NULL;
    schema_known(parse->problems, &here, value, names);
    return parse_pod_expression(parse, &here, value, key);
}

void parse_selector(struct parse *parse, const struct at *at, const json_t *object,
                    struct pod_selector *selector)
{
    static const char *const names[] = {"componentTypeSelector", "componentInstanceSelector",
                                        "replicaSelector", NULL};
    const json_t *value = schema_get(parse->problems, at, object, "podSelector", JSON_OBJECT);
    if (value == NULL)
        return;
    selector->present = true;
    const struct at here = {at, "podSelector", 0};
    schema_known(parse->problems, &here, value, names);
    const json_t *type = schema_get(parse->problems, &here, value, names[0], JSON_OBJECT);
    const struct at type_at = {&here, names[0], 0};
    if (type != NULL)
        parse_type(parse, &type_at, type, selector);
    selector->instance_id = parse_single(parse, &here, value, names[1], "idPath");
    selector->replica_key = parse_single(parse, &here, value, names[2], "keyPath");
}
