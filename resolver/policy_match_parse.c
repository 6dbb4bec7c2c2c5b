/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom a policy concerns. The one idea: what can never match is refused, since a policy that never
 * speaks looks exactly like one that is content.
 */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "names.h"
#include "policy.h"

static bool is_any(const char *text)
{
    return text == NULL || text[0] == '\0' || strcmp(text, "*") == 0;
}

/* The first character that no such name holds, NULL where there is none. */
static const char *foreign(const char *glob, enum glob_of what)
{
    for (const char *c = glob; *c != '\0'; c++) {
        bool name = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '-' || *c == '*';
        bool control = (unsigned char)*c < 0x20 || *c == 0x7F;
        if (what == GLOB_NAMESPACE ? !name : control)
            return c;
    }
    return NULL;
}

static bool check_glob(struct karta_problems *problems, const struct at *at, const char *glob,
                       enum glob_of what)
{
    const char *other = foreign(glob, what);
    if (glob[0] == '\0')
        schema_problem(problems, KARTA_REFUSAL, at, NULL, "is empty: it matches nothing");
    else if (strlen(glob) > LIMIT_GLOB)
        schema_problem(problems, KARTA_REFUSAL, at, NULL, "is longer than %u characters",
                       LIMIT_GLOB);
    else if (other != NULL && what == GLOB_NAMESPACE)
        schema_problem(problems, KARTA_REFUSAL, at, NULL,
                       "\"%.80s\" matches no namespace: it holds '%c'; names are lower-case "
                       "letters, digits and '-', and '*' stands for any of them",
                       glob, *other);
    else if (other != NULL)
        schema_problem(problems, KARTA_REFUSAL, at, NULL, "holds a control character");
    else
        return true;
    return false;
}

void policy_parse_globs(struct policy_parse *parse, const struct at *at, const json_t *object,
                        const char *key, enum glob_of what, struct policy_texts *list)
{
    struct karta_problems *problems = parse->base.problems;
    const json_t *array = schema_get(problems, at, object, key, JSON_ARRAY);
    const struct at list_at = {at, key, 0};
    list->items = parse_array(&parse->base, json_array_size(array), sizeof(char *));
    for (size_t i = 0; list->items != NULL && i < json_array_size(array); i++) {
        const struct at here = {&list_at, NULL, i};
        const char *glob = schema_element_text(problems, &here, json_array_get(array, i));
        if (glob != NULL && check_glob(problems, &here, glob, what))
            list->items[list->count++] = parse_keep(&parse->base, glob);
    }
}

static void parse_kinds(struct policy_parse *parse, const struct at *at, const json_t *object)
{
    static const char *const names[] = {"group", "kind", NULL};
    struct karta_problems *problems = parse->base.problems;
    struct karta_policy *policy = parse->policy;
    const json_t *list = schema_get(problems, at, object, "kinds", JSON_ARRAY);
    const struct at list_at = {at, "kinds", 0};
    policy->kinds = parse_array(&parse->base, json_array_size(list), sizeof *policy->kinds);
    for (size_t i = 0; policy->kinds != NULL && i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *kind = parse_element(&parse->base, &here, json_array_get(list, i));
        if (kind == NULL)
            continue;
        schema_known(problems, &here, kind, names);
        struct policy_kind *match = &policy->kinds[policy->kind_count++];
        const char *group = schema_text(problems, &here, kind, "group");
        const char *name = schema_text(problems, &here, kind, "kind");
        match->group = is_any(group) ? NULL : parse_keep(&parse->base, group);
        match->kind = is_any(name) ? NULL : parse_keep(&parse->base, name);
    }
}

static void parse_operations(struct policy_parse *parse, const struct at *at, const json_t *object)
{
    static const char *const names[] = {"CREATE", "UPDATE", NULL};
    struct karta_problems *problems = parse->base.problems;
    const json_t *list = schema_get(problems, at, object, "operations", JSON_ARRAY);
    const struct at list_at = {at, "operations", 0};
    if (json_array_size(list) == 0)
        parse->policy->operations = POLICY_CREATE | POLICY_UPDATE;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const char *name = schema_element_text(problems, &here, json_array_get(list, i));
        char meant[MEANT_SIZE];
        if (name == NULL)
            continue;
        if (strcmp(name, names[0]) == 0 || strcmp(name, names[1]) == 0)
            parse->policy->operations |= name[0] == 'C' ? POLICY_CREATE : POLICY_UPDATE;
        else
            schema_problem(problems, KARTA_REFUSAL, &here, NULL,
                           "is \"%.40s\"; policies are asked at CREATE and UPDATE%s", name,
                           did_you_mean(nearest_name(name, names), meant));
    }
}

static bool check_key(struct karta_problems *problems, const struct at *at, const char *field,
                      const char *key)
{
    if (name_is_qualified(key))
        return true;
    schema_problem(problems, KARTA_REFUSAL, at, field,
                   "\"%.80s\" is no label's name: at most 63 letters, digits, '-', '_' and '.', "
                   "after a DNS prefix and '/' where it has one",
                   key);
    return false;
}

static bool check_value(struct karta_problems *problems, const struct at *at, const char *field,
                        const char *value)
{
    if (name_is_label_value(value))
        return true;
    schema_problem(problems, KARTA_REFUSAL, at, field,
                   "\"%.80s\" is no label's value: at most 63 letters, digits, '-', '_' and '.', "
                   "with a letter or digit at both ends",
                   value);
    return false;
}

static void parse_match_labels(struct policy_parse *parse, const struct at *at, const json_t *map)
{
    const struct at here = {at, "matchLabels", 0};
    struct karta_problems *problems = parse->base.problems;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)map, key, value)
    {
        const char *text = schema_text(problems, &here, map, key);
        bool good = check_key(problems, &here, key, key);
        if (text == NULL && json_is_null(value))
            schema_wrong_type(problems, &here, key, value, JSON_STRING);
        if (text == NULL || !check_value(problems, &here, key, text) || !good)
            continue;
        struct label_rule *rule = &parse->policy->labels[parse->policy->label_count++];
        rule->how = LABEL_IN;
        rule->key = parse_keep(&parse->base, key);
        rule->values.items = parse_array(&parse->base, 1, sizeof(char *));
        if (rule->values.items != NULL)
            rule->values.items[rule->values.count++] = parse_keep(&parse->base, text);
    }
}

static void parse_values(struct policy_parse *parse, const struct at *at, const json_t *object,
                         struct policy_texts *values)
{
    struct karta_problems *problems = parse->base.problems;
    const json_t *list = schema_get(problems, at, object, "values", JSON_ARRAY);
    const struct at list_at = {at, "values", 0};
    values->items = parse_array(&parse->base, json_array_size(list), sizeof(char *));
    for (size_t i = 0; values->items != NULL && i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const char *text = schema_element_text(problems, &here, json_array_get(list, i));
        if (text != NULL && check_value(problems, &here, NULL, text))
            values->items[values->count++] = parse_keep(&parse->base, text);
    }
}

/* Kubernetes' operators and what it demands of their values. */
static void parse_operator(struct policy_parse *parse, const struct at *at, const json_t *object,
                           struct label_rule *rule)
{
    static const char *const names[] = {"In", "NotIn", "Exists", "DoesNotExist", NULL};
    struct karta_problems *problems = parse->base.problems;
    const char *name = schema_need_text(problems, at, object, "operator");
    size_t values = json_array_size(json_object_get(object, "values")), which = 0;
    char meant[MEANT_SIZE];
    if (name == NULL)
        return;
    while (names[which] != NULL && strcmp(names[which], name) != 0)
        which++;
    rule->how = (enum label_operator)(which < 4 ? which : 0);
    if (names[which] == NULL)
        schema_problem(problems, KARTA_REFUSAL, at, "operator",
                       "is \"%.40s\"; it is In, NotIn, Exists or DoesNotExist%s", name,
                       did_you_mean(nearest_name(name, names), meant));
    else if (which < 2 && values == 0)
        schema_problem(problems, KARTA_REFUSAL, at, "values", "%s; %s compares with values",
                       schema_states(object, "values") ? "is empty" : "is missing", name);
    else if (which >= 2 && values > 0)
        schema_problem(problems, KARTA_REFUSAL, at, "values", "has no place beside %s", name);
}

static void parse_expressions(struct policy_parse *parse, const struct at *at, const json_t *list)
{
    static const char *const names[] = {"key", "operator", "values", NULL};
    struct karta_problems *problems = parse->base.problems;
    const struct at list_at = {at, "matchExpressions", 0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *object = parse_element(&parse->base, &here, json_array_get(list, i));
        if (object == NULL)
            continue;
        schema_known(problems, &here, object, names);
        struct label_rule *rule = &parse->policy->labels[parse->policy->label_count++];
        const char *key = schema_need_text(problems, &here, object, "key");
        if (key != NULL && check_key(problems, &here, "key", key))
            rule->key = parse_keep(&parse->base, key);
        parse_operator(parse, &here, object, rule);
        parse_values(parse, &here, object, &rule->values);
    }
}

static void parse_selector_of_objects(struct policy_parse *parse, const struct at *at,
                                      const json_t *object)
{
    static const char *const names[] = {"matchLabels", "matchExpressions", NULL};
    struct karta_problems *problems = parse->base.problems;
    const json_t *selector = schema_get(problems, at, object, "objectSelector", JSON_OBJECT);
    const struct at here = {at, "objectSelector", 0};
    if (selector == NULL)
        return;
    schema_known(problems, &here, selector, names);
    const json_t *map = schema_get(problems, &here, selector, names[0], JSON_OBJECT);
    const json_t *list = schema_get(problems, &here, selector, names[1], JSON_ARRAY);
    parse->policy->labels = parse_array(&parse->base, json_object_size(map) + json_array_size(list),
                                        sizeof *parse->policy->labels);
    if (parse->policy->labels == NULL)
        return;
    parse_match_labels(parse, &here, map);
    parse_expressions(parse, &here, list);
}

void policy_parse_match(struct policy_parse *parse, const struct at *at, const json_t *spec)
{
    static const char *const names[] = {"namespaces", "excludeNamespaces", "kinds",
                                        "operations", "objectSelector",    NULL};
    struct karta_problems *problems = parse->base.problems;
    struct karta_policy *policy = parse->policy;
    const json_t *object = schema_get(problems, at, spec, "matchConstraints", JSON_OBJECT);
    const struct at here = {at, "matchConstraints", 0};
    schema_known(problems, &here, object, names);
    policy_parse_globs(parse, &here, object, names[0], GLOB_NAMESPACE, &policy->namespaces);
    policy_parse_globs(parse, &here, object, names[1], GLOB_NAMESPACE,
                       &policy->excluded_namespaces);
    parse_kinds(parse, &here, object);
    parse_operations(parse, &here, object);
    parse_selector_of_objects(parse, &here, object);
}
