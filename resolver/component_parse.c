/* SPDX-License-Identifier: Apache-2.0 */
/* One component: its kind, templates, counts, suspension and pods. */
#include <string.h>

#include "parse_common.h"

static void parse_kind(struct parse *parse, const struct at *at, const json_t *object,
                       struct component *component, bool root)
{
    static const char *const names[] = {"group", "version", "kind", NULL};
    const json_t *value = schema_get(parse->problems, at, object, "kind", JSON_OBJECT);
    if (value == NULL) {
        if (root)
            schema_problem(parse->problems, KARTA_REFUSAL, at, "kind",
                           "is missing: the root states group, version and kind");
        return;
    }
    const struct at here = {at, "kind", 0};
    schema_known(parse->problems, &here, value, names);
    const char *group = schema_text(parse->problems, &here, value, "group");
    const char *version = root ? schema_need_text(parse->problems, &here, value, "version")
                               : schema_text(parse->problems, &here, value, "version");
    const char *kind = root ? schema_need_text(parse->problems, &here, value, "kind")
                            : schema_text(parse->problems, &here, value, "kind");
    bool empty_group = group == NULL || group[0] == '\0';
    if (root && kind != NULL && empty_group && strcmp(kind, "Pod") != 0)
        schema_problem(parse->problems, KARTA_REFUSAL, &here, "group",
                       "is missing: only the core kind Pod has no group");
    if (gvk_set(&component->kind, group != NULL ? group : "", version != NULL ? version : "",
                kind != NULL ? kind : "", NULL) != 0)
        parse->failed = KARTA_ERR_NOMEM;
}

static void parse_fragments(struct parse *parse, const struct at *at, const json_t *object,
                            struct component *component)
{
    schema_known(parse->problems, at, object, fragment_names);
    bool any = false;
    for (size_t i = 0; i < FRAGMENTS; i++) {
        bool written = i <= FRAGMENT_ANNOTATIONS;
        component->fragments[i].jq = written
                                         ? parse_write_path(parse, at, object, fragment_names[i])
                                         : parse_expression(parse, at, object, fragment_names[i]);
        any = any || json_is_string(json_object_get(object, fragment_names[i]));
    }
    if (!any)
        schema_problem(parse->problems, KARTA_REFUSAL, at, NULL,
                       "has no path in it: name at least one of its fields");
}

static void parse_spec(struct parse *parse, const struct at *at, const json_t *object,
                       struct component *component)
{
    static const char *const names[] = {"podTemplateSpecPath", "podSpecPath", "metadataPath",
                                        "fragmentedPodSpecDefinition", NULL};
    const json_t *spec = schema_get(parse->problems, at, object, "specDefinition", JSON_OBJECT);
    if (spec == NULL)
        return;
    const struct at here = {at, "specDefinition", 0};
    schema_known(parse->problems, &here, spec, names);
    bool whole = parse_states(spec, names[0]), bare = parse_states(spec, names[1]),
         parts = parse_states(spec, names[3]);
    if (whole + bare + parts > 1)
        schema_problem(parse->problems, KARTA_REFUSAL, &here, NULL,
                       "has more than one of podTemplateSpecPath, podSpecPath and "
                       "fragmentedPodSpecDefinition; keep one");
    if (parse_states(spec, "metadataPath") && !bare)
        schema_problem(parse->problems, KARTA_REFUSAL, &here, "metadataPath",
                       "stands without podSpecPath, which it belongs to");
    component->form =
        whole ? TEMPLATE_POD_TEMPLATE
              : (bare ? TEMPLATE_POD_SPEC : (parts ? TEMPLATE_FRAGMENTS : TEMPLATE_NONE));
    if (whole)
        component->template.jq = parse_write_path(parse, &here, spec, "podTemplateSpecPath");
    else if (bare)
        component->template.jq = parse_write_path(parse, &here, spec, "podSpecPath");
    component->metadata.jq = parse_write_path(parse, &here, spec, "metadataPath");
    const json_t *fragments =
        schema_get(parse->problems, &here, spec, "fragmentedPodSpecDefinition", JSON_OBJECT);
    const struct at inner = {&here, "fragmentedPodSpecDefinition", 0};
    if (fragments != NULL)
        parse_fragments(parse, &inner, fragments, component);
}

static void parse_scale(struct parse *parse, const struct at *at, const json_t *object,
                        struct component *component)
{
    static const char *const names[] = {"replicasPath", "minReplicasPath", "maxReplicasPath", NULL};
    const json_t *scale = schema_get(parse->problems, at, object, "scaleDefinition", JSON_OBJECT);
    if (scale == NULL)
        return;
    const struct at here = {at, "scaleDefinition", 0};
    schema_known(parse->problems, &here, scale, names);
    component->replicas.jq = parse_expression(parse, &here, scale, names[0]);
    component->min_replicas.jq = parse_expression(parse, &here, scale, names[1]);
    component->max_replicas.jq = parse_expression(parse, &here, scale, names[2]);
}

static json_t *action_value(struct parse *parse, const struct at *at, const json_t *object)
{
    const char *text = schema_need_text(parse->problems, at, object, "value");
    if (text == NULL)
        return NULL;
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (value == NULL)
        schema_problem(parse->problems, KARTA_REFUSAL, at, "value",
                       "is not JSON: %.80s (text stands in double quotes)", text);
    return value;
}

static struct action *parse_actions(struct parse *parse, const struct at *at, const json_t *object,
                                    const char *key, size_t *count)
{
    static const char *const names[] = {"path", "value", NULL};
    const json_t *list = schema_get(parse->problems, at, object, key, JSON_ARRAY);
    if (json_array_size(list) == 0) {
        schema_problem(parse->problems, KARTA_REFUSAL, at, key, "is empty: at least one action");
        return NULL;
    }
    struct action *actions = parse_array(parse, json_array_size(list), sizeof *actions);
    const struct at list_at = {at, key, 0};
    for (size_t i = 0; actions != NULL && i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *action = parse_element(parse, &here, json_array_get(list, i));
        if (action == NULL)
            continue;
        schema_known(parse->problems, &here, action, names);
        if (!parse_states(action, "path"))
            schema_problem(parse->problems, KARTA_REFUSAL, &here, "path", "is missing");
        actions[*count].path.jq = parse_write_path(parse, &here, action, "path");
        actions[(*count)++].value = action_value(parse, &here, action);
    }
    return actions;
}

static void parse_suspend(struct parse *parse, const struct at *at, const json_t *object,
                          struct component *component)
{
    static const char *const names[] = {"suspendActions", "resumeActions", NULL};
    const json_t *value = schema_get(parse->problems, at, object, "suspendDefinition", JSON_OBJECT);
    if (value == NULL)
        return;
    const struct at here = {at, "suspendDefinition", 0};
    schema_known(parse->problems, &here, value, names);
    component->suspend = parse_actions(parse, &here, value, names[0], &component->suspend_count);
    component->resume = parse_actions(parse, &here, value, names[1], &component->resume_count);
}

static struct jq_expression *pod_expression(struct parse *parse, const struct at *at,
                                            const json_t *object, const char *key)
{
    struct jq_expression *jq = parse_need_expression(parse, at, object, key);
    if (jq != NULL && strncmp(jq_expression_text(jq), ".spec.template", 14) == 0)
        schema_problem(parse->problems, KARTA_WARNING, at, key,
                       "reads .spec.template, but it is run on a pod, not on the workload");
    return jq;
}

static void parse_type_selector(struct parse *parse, const struct at *at, const json_t *object,
                                struct pod_selector *selector)
{
    static const char *const names[] = {"keyPath", "value", "matchLabels", NULL};
    selector->has_type = true;
    schema_known(parse->problems, at, object, names);
    if (parse_states(object, "keyPath"))
        selector->type_key = pod_expression(parse, at, object, "keyPath");
    selector->type_value = parse_keep(parse, schema_text(parse->problems, at, object, "value"));
    const json_t *labels = schema_get(parse->problems, at, object, "matchLabels", JSON_OBJECT);
    const struct at labels_at = {at, "matchLabels", 0};
    if (json_object_size(labels) > 0 && parse_text_map(parse, &labels_at, labels))
        selector->match_labels = json_incref((json_t *)labels);
    if (!parse_states(object, "keyPath") && json_object_size(labels) == 0)
        schema_problem(parse->problems, KARTA_REFUSAL, at, NULL,
                       "states nothing: it has keyPath, matchLabels or both");
    if (parse_states(object, "value") && !parse_states(object, "keyPath"))
        schema_problem(parse->problems, KARTA_REFUSAL, at, "value",
                       "stands without keyPath, whose value it is");
}

static void parse_selector(struct parse *parse, const struct at *at, const json_t *object,
                           struct pod_selector *selector)
{
    static const char *const names[] = {"componentTypeSelector", "componentInstanceSelector",
                                        "replicaSelector", NULL};
    static const char *const id_names[] = {"idPath", NULL};
    static const char *const key_names[] = {"keyPath", NULL};
    const json_t *value = schema_get(parse->problems, at, object, "podSelector", JSON_OBJECT);
    if (value == NULL)
        return;
    selector->present = true;
    const struct at here = {at, "podSelector", 0};
    schema_known(parse->problems, &here, value, names);
    const json_t *type = schema_get(parse->problems, &here, value, names[0], JSON_OBJECT);
    const struct at type_at = {&here, names[0], 0};
    if (type != NULL)
        parse_type_selector(parse, &type_at, type, selector);
    const json_t *instance = schema_get(parse->problems, &here, value, names[1], JSON_OBJECT);
    const struct at instance_at = {&here, names[1], 0};
    if (instance != NULL) {
        schema_known(parse->problems, &instance_at, instance, id_names);
        selector->instance_id = pod_expression(parse, &instance_at, instance, "idPath");
    }
    const json_t *replica = schema_get(parse->problems, &here, value, names[2], JSON_OBJECT);
    const struct at replica_at = {&here, names[2], 0};
    if (replica != NULL) {
        schema_known(parse->problems, &replica_at, replica, key_names);
        selector->replica_key = pod_expression(parse, &replica_at, replica, "keyPath");
    }
}

void parse_component(struct parse *parse, const struct at *at, const json_t *object,
                     struct component *component, bool root)
{
    static const char *const names[] = {"name",
                                        "kind",
                                        "ownerRef",
                                        "specDefinition",
                                        "scaleDefinition",
                                        "statusDefinition",
                                        "suspendDefinition",
                                        "instanceIdPath",
                                        "podSelector",
                                        NULL};
    schema_known(parse->problems, at, object, names);
    component->name = parse_keep(parse, schema_need_text(parse->problems, at, object, "name"));
    parse_kind(parse, at, object, component, root);
    component->owner_ref = parse_keep(parse, schema_text(parse->problems, at, object, "ownerRef"));
    component->ids.jq = parse_expression(parse, at, object, "instanceIdPath");
    parse_spec(parse, at, object, component);
    parse_scale(parse, at, object, component);
    parse_status(parse, at, object, &component->status);
    parse_suspend(parse, at, object, component);
    parse_selector(parse, at, object, &component->selector);
}
