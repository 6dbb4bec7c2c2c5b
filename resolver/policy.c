/* SPDX-License-Identifier: Apache-2.0 */
/* A policy as others see it, once it is read. */
#include "policy.h"

#include <string.h>

#include "karta/policy.h"
#include "snapshot.h"

static void list_dispose(struct policy_texts *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
}

static void match_dispose(struct karta_policy *policy)
{
    list_dispose(&policy->namespaces);
    list_dispose(&policy->excluded_namespaces);
    list_dispose(&policy->exempt_users);
    for (size_t i = 0; i < policy->kind_count; i++) {
        free(policy->kinds[i].group);
        free(policy->kinds[i].kind);
    }
    free(policy->kinds);
    for (size_t i = 0; i < policy->label_count; i++) {
        free(policy->labels[i].key);
        list_dispose(&policy->labels[i].values);
    }
    free(policy->labels);
}

static void check_dispose(struct policy_check *check)
{
    jq_expression_free(check->message_jq);
    jq_expression_free(check->jq);
    free(check->message);
    free(check->name);
}

void policy_free(struct karta_policy *policy)
{
    if (policy == NULL)
        return;
    match_dispose(policy);
    jq_program_free(policy->program);
    jq_program_free(policy->messages);
    for (size_t i = 0; i < policy->check_count; i++)
        check_dispose(&policy->checks[i]);
    free(policy->checks);
    free(policy->queue);
    free(policy->priority_class);
    free(policy->name);
    free(policy->origin);
    json_decref(policy->document);
    free(policy);
}

int policy_compile(const struct karta_policy *policy, struct karta_error *err)
{
    return policy->program != NULL ? jq_program_compile(policy->program, NULL, err) : 0;
}

size_t karta_policy_count(const struct karta_snapshot *snapshot)
{
    return snapshot->policy_count;
}

const struct karta_policy *karta_policy_at(const struct karta_snapshot *snapshot, size_t index)
{
    return index < snapshot->policy_count ? snapshot->policies[index] : NULL;
}

const char *karta_policy_name(const struct karta_policy *policy)
{
    return policy->name;
}

const char *karta_policy_origin(const struct karta_policy *policy)
{
    return policy->origin;
}

const json_t *karta_policy_document(const struct karta_policy *policy)
{
    return policy->document;
}

int karta_policy_fails(const struct karta_policy *policy)
{
    return !policy->ignore_failures;
}

size_t karta_policy_kind_count(const struct karta_policy *policy)
{
    return policy->kind_count;
}

void karta_policy_kind(const struct karta_policy *policy, size_t index, const char **group,
                       const char **kind)
{
    const struct policy_kind *match = index < policy->kind_count ? &policy->kinds[index] : NULL;
    *group = match != NULL ? match->group : NULL;
    *kind = match != NULL ? match->kind : NULL;
}

int karta_policy_at_create(const struct karta_policy *policy)
{
    return (policy->operations & POLICY_CREATE) != 0;
}

int karta_policy_at_update(const struct karta_policy *policy)
{
    return (policy->operations & POLICY_UPDATE) != 0;
}
