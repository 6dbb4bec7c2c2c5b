/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a policy concerns a request. The one idea: every constraint must hold, an absent one
 * always does; and the namespace is the request's, since an object may name any or none.
 */
#include <string.h>

#include "karta/policy.h"
#include "metadata.h"
#include "policy.h"

/* '*' stands for any text; the text after the last star that was met is tried at every place. */
static bool glob_matches(const char *glob, const char *text)
{
    const char *star = NULL, *from = NULL;
    while (*text != '\0') {
        if (*glob == '*') {
            star = glob++;
            from = text;
        } else if (*glob == *text) {
            glob++;
            text++;
        } else if (star != NULL) {
            glob = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    while (*glob == '*')
        glob++;
    return *glob == '\0';
}

static bool any_matches(const struct policy_texts *globs, const char *text)
{
    for (size_t i = 0; i < globs->count; i++)
        if (glob_matches(globs->items[i], text))
            return true;
    return false;
}

static bool kind_matches(const struct karta_policy *policy, const char *group, const char *kind)
{
    for (size_t i = 0; i < policy->kind_count; i++) {
        const struct policy_kind *match = &policy->kinds[i];
        if ((match->group == NULL || strcmp(match->group, group) == 0) &&
            (match->kind == NULL || strcmp(match->kind, kind) == 0))
            return true;
    }
    return policy->kind_count == 0;
}

static bool has_value(const struct label_rule *rule, const char *value)
{
    for (size_t i = 0; i < rule->values.count; i++)
        if (strcmp(rule->values.items[i], value) == 0)
            return true;
    return false;
}

/* As k8s.io/apimachinery/pkg/labels: NotIn holds where the label is absent. */
static bool rule_holds(const struct label_rule *rule, const json_t *labels)
{
    const char *value = json_string_value(json_object_get(labels, rule->key));
    switch (rule->how) {
    case LABEL_IN:
        return value != NULL && has_value(rule, value);
    case LABEL_NOT_IN:
        return value == NULL || !has_value(rule, value);
    case LABEL_EXISTS:
        return value != NULL;
    case LABEL_DOES_NOT_EXIST:
        break;
    }
    return value == NULL;
}

static bool labels_match(const struct karta_policy *policy, const json_t *object)
{
    const json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");
    for (size_t i = 0; i < policy->label_count; i++)
        if (!rule_holds(&policy->labels[i], labels))
            return false;
    return true;
}

static const char *user_of(const struct karta_request *request)
{
    const char *user = json_string_value(json_object_get(request->user_info, "username"));
    return user != NULL ? user : "";
}

static bool namespace_matches(const struct karta_policy *policy, const char *ns)
{
    return (policy->namespaces.count == 0 || any_matches(&policy->namespaces, ns)) &&
           !any_matches(&policy->excluded_namespaces, ns);
}

bool policy_concerns(const struct karta_policy *policy, const struct karta_request *request,
                     const char *group, const char *kind)
{
    unsigned operation = strcmp(request->operation, "CREATE") == 0   ? POLICY_CREATE
                         : strcmp(request->operation, "UPDATE") == 0 ? POLICY_UPDATE
                                                                     : 0;
    const char *ns = request->ns != NULL ? request->ns : "";
    if ((policy->operations & operation) == 0 || !kind_matches(policy, group, kind) ||
        !namespace_matches(policy, ns) || any_matches(&policy->exempt_users, user_of(request)))
        return false;
    /* as the API server has it: nobody leaves a policy by taking a label off in an update */
    return labels_match(policy, request->object) ||
           (request->old_object != NULL && labels_match(policy, request->old_object));
}
