/* SPDX-License-Identifier: Apache-2.0 */
/* A WorkloadPolicy document to the typed policy, every problem collected with its path. */
#include <string.h>

#include "base/mem.h"
#include "names.h"
#include "policy.h"
#include "problem_list.h"

/* Those who keep the cluster going: a rule for users must not stop its controllers. */
#define EXEMPT_BY_DEFAULT "system:serviceaccount:kube-system:*"

static void add_action(struct policy_parse *parse, const struct at *at, const char *name)
{
    static const char *const names[] = {"Deny", "Warn", "Audit", NULL};
    struct karta_problems *problems = parse->base.problems;
    char meant[MEANT_SIZE];
    size_t which = 0;
    while (names[which] != NULL && strcmp(names[which], name) != 0)
        which++;
    unsigned action = 1U << which;
    if (names[which] == NULL)
        schema_problem(problems, KARTA_REFUSAL, at, NULL,
                       "is \"%.40s\"; it is Deny, Warn or Audit%s", name,
                       did_you_mean(nearest_name(name, names), meant));
    else if ((parse->policy->actions & action) != 0)
        schema_problem(problems, KARTA_REFUSAL, at, NULL, "repeats \"%s\"", name);
    else
        parse->policy->actions |= action;
}

static void parse_actions(struct policy_parse *parse, const struct at *at, const json_t *spec)
{
    struct karta_problems *problems = parse->base.problems;
    const json_t *list = schema_get(problems, at, spec, "validationActions", JSON_ARRAY);
    const struct at list_at = {at, "validationActions", 0};
    if (!schema_states(spec, "validationActions"))
        parse->policy->actions = KARTA_POLICY_DENY;
    if (list != NULL && json_array_size(list) == 0)
        schema_problem(problems, KARTA_REFUSAL, at, "validationActions",
                       "is empty: it holds Deny, Warn or Audit");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const char *name = schema_element_text(problems, &here, json_array_get(list, i));
        if (name != NULL)
            add_action(parse, &here, name);
    }
    const unsigned both = KARTA_POLICY_DENY | KARTA_POLICY_WARN;
    if ((parse->policy->actions & both) == both)
        schema_problem(problems, KARTA_REFUSAL, at, "validationActions",
                       "holds Deny and Warn: who is denied would hear it twice");
}

static void parse_failure(struct policy_parse *parse, const struct at *at, const json_t *spec)
{
    static const char *const names[] = {"Fail", "Ignore", NULL};
    const char *text = schema_text(parse->base.problems, at, spec, "failurePolicy");
    char meant[MEANT_SIZE];
    parse->policy->ignore_failures = text != NULL && strcmp(text, names[1]) == 0;
    if (text != NULL && strcmp(text, names[0]) != 0 && strcmp(text, names[1]) != 0)
        schema_problem(parse->base.problems, KARTA_REFUSAL, at, "failurePolicy",
                       "is \"%.40s\"; it is Fail or Ignore%s", text,
                       did_you_mean(nearest_name(text, names), meant));
}

static void parse_defaults(struct policy_parse *parse, const struct at *at, const json_t *spec)
{
    static const char *const names[] = {"queue", "priorityClassName", NULL};
    struct karta_problems *problems = parse->base.problems;
    const json_t *defaults = schema_get(problems, at, spec, "defaults", JSON_OBJECT);
    const struct at here = {at, "defaults", 0};
    schema_known(problems, &here, defaults, names);
    char *queue = parse_text(&parse->base, &here, defaults, names[0]);
    char *class = parse_text(&parse->base, &here, defaults, names[1]);
    parse->policy->queue = queue;
    parse->policy->priority_class = class;
    if (queue != NULL && !name_is_label_value(queue))
        schema_problem(problems, KARTA_REFUSAL, &here, names[0],
                       "\"%.80s\" is no label's value: at most 63 letters, digits, '-', '_' and "
                       "'.', with a letter or digit at both ends",
                       queue);
    if (class != NULL && !name_is_dns_subdomain(class))
        schema_problem(problems, KARTA_REFUSAL, &here, names[1],
                       "\"%.80s\" is no name of a PriorityClass: lower-case letters, digits, '-' "
                       "and '.', with a letter or digit at both ends of each part",
                       class);
}

static void parse_exempt(struct policy_parse *parse, const struct at *at, const json_t *spec)
{
    struct policy_texts *users = &parse->policy->exempt_users;
    policy_parse_globs(parse, at, spec, "exemptUsers", GLOB_USER, users);
    if (!schema_states(spec, "exemptUsers") && users->items != NULL)
        users->items[users->count++] = parse_keep(&parse->base, EXEMPT_BY_DEFAULT);
}

static void parse_spec(struct policy_parse *parse, const struct at *at, const json_t *spec)
{
    static const char *const names[] = {
        "matchConstraints", "matchConditions", "validations", "validationActions",
        "failurePolicy",    "exemptUsers",     "defaults",    NULL};
    schema_known(parse->base.problems, at, spec, names);
    policy_parse_match(parse, at, spec);
    policy_parse_checks(parse, at, spec);
    parse_actions(parse, at, spec);
    parse_failure(parse, at, spec);
    parse_exempt(parse, at, spec);
    parse_defaults(parse, at, spec);
    if (!schema_states(spec, "validations") && !schema_states(spec, "defaults"))
        schema_problem(parse->base.problems, KARTA_REFUSAL, at, "validations",
                       "is missing, and there are no defaults either: the policy does nothing");
}

static void parse_document(struct policy_parse *parse, const json_t *document)
{
    static const char *const names[] = {"apiVersion", "kind", "metadata", "spec", "status", NULL};
    struct karta_problems *problems = parse->base.problems;
    schema_known(problems, NULL, document, names);
    const json_t *metadata = schema_get(problems, NULL, document, "metadata", JSON_OBJECT);
    const struct at metadata_at = {NULL, "metadata", 0}, at = {NULL, "spec", 0};
    if (metadata != NULL || !schema_states(document, "metadata"))
        parse->policy->name =
            parse_keep(&parse->base, schema_need_text(problems, &metadata_at, metadata, "name"));
    const json_t *spec = schema_get(problems, NULL, document, "spec", JSON_OBJECT);
    if (!schema_states(document, "spec"))
        schema_problem(problems, KARTA_REFUSAL, NULL, "spec", "is missing");
    if (spec != NULL)
        parse_spec(parse, &at, spec);
}

struct karta_policy *policy_new(const json_t *document, const char *origin,
                                struct karta_problems *problems)
{
    size_t before = karta_problems_refusals(problems);
    struct karta_policy *policy = calloc(1, sizeof *policy);
    struct policy_parse parse = {{NULL, problems, 0}, policy};
    if (policy != NULL) {
        policy->document = json_incref((json_t *)document);
        policy->origin = parse_keep(&parse.base, origin);
        parse_document(&parse, document);
    }
    if (policy == NULL || parse.base.failed != 0)
        karta_problems_add(problems, KARTA_REFUSAL, "", "out of memory");
    problems_order(problems, document);
    if (karta_problems_refusals(problems) == before)
        return policy;
    policy_free(policy);
    return NULL;
}
