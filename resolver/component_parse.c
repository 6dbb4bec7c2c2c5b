/* SPDX-License-Identifier: Apache-2.0 */
/* One component: its kind, templates, counts and suspension. */
#include <string.h>

#include "expression_parse.h"
#include "parse_common.h"

static const char *const kind_names[] = {"group", "version", "kind", NULL};

void parse_whole_kind(struct parse *parse, const struct at *at, const json_t *kind,
                      bool any_without_group)
{
    schema_known(parse->problems, at, kind, kind_names);
    schema_text(parse->problems, at, kind, "group");
    schema_need_text(parse->problems, at, kind, "version");
    const char *name = schema_need_text(parse->problems, at, kind, "kind");
    const json_t *group = json_object_get(kind, "group");
    bool none =
        !schema_states(kind, "group") || (json_is_string(group) && json_string_length(group) == 0);
    if (none && !any_without_group && name != NULL && name[0] != '\0' && strcmp(name, "Pod") != 0)
        schema_problem(parse->problems, KARTA_REFUSAL, at, "group",
                       "is missing: only the core kind Pod has no group");
}

static void parse_kind(struct parse *parse, const struct at *at, const json_t *object,
                       struct component *component, bool root)
{
    if (root && !schema_states(object, "kind"))
        schema_problem(parse->problems, KARTA_REFUSAL, at, "kind",
                       "is missing: the root states group, version and kind");
    const json_t *value = schema_get(parse->problems, at, object, "kind", JSON_OBJECT);
    if (value == NULL)
        return;
    const struct at here = {at, "kind", 0};
    if (root)
        parse_whole_kind(parse, &here, value, false);
    else
        schema_known(parse->problems, &here, value, kind_names);
    const char *texts[3];
    for (size_t i = 0; i < 3; i++) {
        const char *text = root ? json_string_value(json_object_get(value, kind_names[i]))
                                : schema_text(parse->problems, &here, value, kind_names[i]);
        texts[i] = text != NULL ? text : "";
    }
    if (gvk_set(&component->kind, texts[0], texts[1], texts[2], NULL) != 0)
        parse->failed = KARTA_ERR_NOMEM;
}

/* A fragment that is no path to write to can be read: warned of, where writing isn't demanded. */
static struct jq_expression *parse_fragment(struct parse *parse, const struct at *at,
                                            const json_t *object, enum fragment fragment)
{
    const char *key = fragment_names[fragment];
    if (fragment <= FRAGMENT_ANNOTATIONS)
        return parse_write_path(parse, at, object, key);
    struct jq_expression *jq = parse_expression(parse, at, object, key);
    if (jq != NULL)
        expression_want_path(parse->problems, at, key, jq);
    return jq;
}

static void parse_fragments(struct parse *parse, const struct at *at, const json_t *object,
                            struct component *component)
{
    bool any = false;
    schema_known(parse->problems, at, object, fragment_names);
    for (size_t i = 0; i < FRAGMENTS; i++) {
        component->fragments[i].jq = parse_fragment(parse, at, object, (enum fragment)i);
        any = any || schema_states(object, fragment_names[i]);
    }
    if (!any)
        schema_problem(parse->problems, KARTA_REFUSAL, at, NULL,
                       "has no path in it: name at least one of its fields");
}

/* Exactly one of the three forms of a template. */
static enum template_form parse_form(struct parse *parse, const struct at *at, const json_t *spec)
{
    bool whole = schema_states(spec, "podTemplateSpecPath"),
         bare = schema_states(spec, "podSpecPath"),
         parts = schema_states(spec, "fragmentedPodSpecDefinition"),
         metadata = schema_states(spec, "metadataPath");
    if (whole + bare + parts > 1)
        schema_problem(parse->problems, KARTA_REFUSAL, at, NULL,
                       "has more than one of podTemplateSpecPath, podSpecPath and "
                       "fragmentedPodSpecDefinition; keep one");
    if (whole + bare + parts + metadata == 0)
        schema_problem(parse->problems, KARTA_REFUSAL, at, NULL,
                       "states nothing: it has podTemplateSpecPath, podSpecPath or "
                       "fragmentedPodSpecDefinition, or is left out");
    if (metadata && !bare)
        schema_problem(parse->problems, KARTA_REFUSAL, at, "metadataPath",
                       "stands without podSpecPath, which it belongs to");
    if (whole)
        return TEMPLATE_POD_TEMPLATE;
    return bare ? TEMPLATE_POD_SPEC : (parts ? TEMPLATE_FRAGMENTS : TEMPLATE_NONE);
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
    component->form = parse_form(parse, &here, spec);
    struct jq_expression *whole = parse_write_path(parse, &here, spec, names[0]);
    struct jq_expression *bare = parse_write_path(parse, &here, spec, names[1]);
    component->template.jq = whole != NULL ? whole : bare;
    if (whole != NULL)
        jq_expression_free(bare);
    component->metadata.jq = parse_write_path(parse, &here, spec, names[2]);
    const json_t *fragments = schema_get(parse->problems, &here, spec, names[3], JSON_OBJECT);
    const struct at inner = {&here, names[3], 0};
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

/* What the author may have meant by a value that is not JSON. */
static const char *json_hint(const char *text)
{
    bool word =
        text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")] ==
        '\0';
    return word ? "JSON's words are true, false and null; a text has double quotes of its own: "
                  "'\"on\"'"
                : "names and texts in it have double quotes";
}

static json_t *action_value(struct parse *parse, const struct at *at, const json_t *object)
{
    const char *text = schema_need_text(parse->problems, at, object, "value");
    if (text == NULL || text[0] == '\0')
        return NULL;
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (value == NULL)
        schema_problem(parse->problems, KARTA_REFUSAL, at, "value", "is not JSON: %.80s (%s)", text,
                       json_hint(text));
    return value;
}

static void parse_action(struct parse *parse, const struct at *at, const json_t *object,
                         struct action *action)
{
    static const char *const names[] = {"path", "value", NULL};
    schema_known(parse->problems, at, object, names);
    if (!schema_states(object, "path"))
        schema_problem(parse->problems, KARTA_REFUSAL, at, "path", "is missing");
    action->path.jq = parse_write_path(parse, at, object, "path");
    action->value = action_value(parse, at, object);
}

static struct action *parse_actions(struct parse *parse, const struct at *at, const json_t *object,
                                    const char *key, size_t *count)
{
    const json_t *list = schema_get(parse->problems, at, object, key, JSON_ARRAY);
    bool missing = !schema_states(object, key);
    if (missing || (list != NULL && json_array_size(list) == 0))
        schema_problem(parse->problems, KARTA_REFUSAL, at, key, "is %s: at least one action",
                       missing ? "missing" : "empty");
    struct action *actions = parse_array(parse, json_array_size(list), sizeof *actions);
    const struct at list_at = {at, key, 0};
    for (size_t i = 0; actions != NULL && i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *action = parse_element(parse, &here, json_array_get(list, i));
        if (action != NULL)
            parse_action(parse, &here, action, &actions[(*count)++]);
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
