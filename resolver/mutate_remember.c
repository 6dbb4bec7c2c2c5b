/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands on the workload itself: the profile's keys for it, and the memory of its gang; and
 * what the audit log is told.
 */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/strbuf.h"
#include "metadata.h"
#include "mutate.h"

static bool takes_kind(const struct workload_keys *keys, const struct gvk *gvk)
{
    for (size_t i = 0; i < keys->kind_count; i++)
        if (strcmp(keys->kinds[i].kind, gvk->kind) == 0 &&
            strcmp(keys->kinds[i].group, gvk->group) == 0)
            return true;
    return keys->kind_count == 0;
}

/* What the keys for the workload read: the one group where there is one, and the object. */
static int workload_input(struct mutate *mutate, const struct plan *plan, struct jq_input **input,
                          struct karta_error *err)
{
    json_t *group = plan->group_count == 1 ? plan_group_json(&plan->groups[0], true) : json_null();
    json_t *members =
        json_pack("{s:o, s:o, s:s?, s:O}", "podGroup", group, "podGroups",
                  plan_groups_json(plan, true), "queue", mutate->queue, "workload", mutate->object);
    int code = members != NULL ? jq_input_new(members, input, err) : mem_error(err);
    json_decref(members);
    return code;
}

/* What the profile's `refuse` gave: text, or nothing. */
static int take_refusal(struct mutate *mutate, const struct jq_result *result,
                        struct karta_error *err)
{
    const char *name = mutate->profile->name;
    if (result->error != NULL)
        return karta_error_set(err, KARTA_ERR_EXPRESSION, "profile %s: refuse: %s", name,
                               result->error);
    const json_t *value = json_array_get(result->values, 0);
    if (mutate_is_blank(value))
        return 0;
    if (json_array_size(result->values) > 1 || !json_is_string(value))
        return karta_error_set(err, KARTA_ERR_EXPRESSION, "profile %s: refuse: gives no text",
                               name);
    mutate_refuse(mutate, "profile %s: %s", name, json_string_value(value));
    return 0;
}

int mutate_ask_profile(struct mutate *mutate, const struct plan *plan, struct karta_error *err)
{
    struct jq_input *input = NULL;
    struct jq_results results = {0};
    if (mutate->profile->refuse_program == NULL)
        return 0;
    int code = workload_input(mutate, plan, &input, err);
    if (code == 0)
        code = jq_program_run(mutate->profile->refuse_program, input, mutate->deadline_ms, &results,
                              err);
    if (code == 0)
        code = take_refusal(mutate, &results.parts[0], err);
    jq_results_dispose(&results);
    jq_input_free(input);
    return code;
}

/* The keys of one entry, where the user has none. */
static int add_keys(struct mutate *mutate, const struct workload_keys *keys,
                    const struct jq_input *input, struct karta_error *err)
{
    const json_t *metadata = json_object_get(mutate->object, "metadata");
    json_auto_t *values = NULL;
    int code = profile_evaluate(keys->keys, keys->key_count, keys->program, input,
                                mutate->deadline_ms, &values, err);
    if (code != 0)
        karta_error_wrap(err, code, "profile %s", mutate->profile->name);
    if (code == KARTA_ERR_SCHEMA)
        return mutate_deny_value(mutate, err);
    for (size_t k = 0; code == 0 && k < keys->key_count; k++) {
        const char *map = keys->keys[k].place == KEY_LABEL ? "labels" : "annotations";
        const json_t *existing = json_object_get(json_object_get(metadata, map), keys->keys[k].key);
        json_t *value = json_array_get(values, k);
        if (!json_is_null(value) && mutate_is_blank(existing))
            code = mutate_want_on_workload(mutate, map, keys->keys[k].key, value, err);
    }
    return code;
}

/* The profile's keys for the workload itself. */
static int add_workload_keys(struct mutate *mutate, const struct plan *plan,
                             struct karta_error *err)
{
    struct jq_input *input = NULL;
    int code = 0;
    for (size_t w = 0; code == 0 && w < mutate->profile->workload_count; w++) {
        const struct workload_keys *keys = &mutate->profile->workload[w];
        if (!takes_kind(keys, definition_gvk(mutate->definition)))
            continue;
        if (input == NULL)
            code = workload_input(mutate, plan, &input, err);
        if (code == 0)
            code = add_keys(mutate, keys, input, err);
    }
    jq_input_free(input);
    return code;
}

/* Kubernetes: all annotations of an object, keys and values together. */
static bool annotations_fit(const struct mutate *mutate, const char *text)
{
    const json_t *metadata = json_object_get(mutate->object, "metadata");
    const char *key;
    json_t *value;
    size_t size = strlen(KEY_GANG) + strlen(text);
    json_object_foreach(json_object_get(metadata, "annotations"), key, value)
    {
        if (strcmp(key, KEY_GANG) != 0)
            size += strlen(key) + json_string_length(value);
    }
    return size <= LIMIT_ANNOTATIONS;
}

static char *memory_text(const struct mutate *mutate, const struct plan *plan,
                         const struct gang_owner *owner, const char *nonce)
{
    json_auto_t *memory = json_pack(
        "{s:i, s:o, s:s, s:s, s:s*, s:s*, s:o}", "v", 1, "for", gang_owner_json(owner), "profile",
        mutate->profile->name, "nonce", nonce, "queue", mutate->queue, "priorityClassName",
        mutate->priority_class, "groups", plan_groups_json(plan, false));
    return memory != NULL ? json_dumps(memory, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
}

int mutate_remember(struct mutate *mutate, const struct plan *plan, const struct gang_owner *owner,
                    const char *nonce, struct karta_error *err)
{
    KARTA_AUTO_TEXT text = memory_text(mutate, plan, owner, nonce);
    if (text == NULL)
        return mem_error(err);
    if (strlen(text) > LIMIT_GANG_ANNOTATION)
        return karta_error_set(err, KARTA_ERR_LIMIT,
                               "its gang takes %zu bytes to remember; at most %u fit", strlen(text),
                               LIMIT_GANG_ANNOTATION);
    if (!annotations_fit(mutate, text))
        return karta_error_set(err, KARTA_ERR_LIMIT,
                               "its annotations would be more than the %u bytes that fit",
                               LIMIT_ANNOTATIONS);
    json_auto_t *profile = json_string(mutate->profile->name);
    json_auto_t *annotation = json_string(text);
    int code = add_workload_keys(mutate, plan, err);
    if (code == 0)
        code = mutate_want_on_workload(mutate, "labels", KEY_PROFILE, profile, err);
    return code == 0 ? mutate_want_on_workload(mutate, "annotations", KEY_GANG, annotation, err)
                     : code;
}

static int audit_text(struct mutate *mutate, const char *key, const char *text)
{
    return json_object_set_new(mutate->out->audit, key, json_string(text));
}

int mutate_audit(struct mutate *mutate, const struct plan *plan, struct karta_error *err)
{
    KARTA_AUTO_STRBUF names, minimums;
    double gpus = 0;
    strbuf_init(&names, LIMIT_GANG_ANNOTATION);
    strbuf_init(&minimums, LIMIT_GANG_ANNOTATION);
    for (size_t g = 0; g < plan->group_count; g++) {
        const struct planned_group *group = &plan->groups[g];
        strbuf_addf(&names, "%s%s", g > 0 ? "," : "",
                    group->per_replica ? group->definition->name : group->name);
        strbuf_addf(&minimums, "%s%lld", g > 0 ? "," : "", (long long)plan->groups[g].min_member);
        gpus += plan->groups[g].gpus;
    }
    char text[32];
    snprintf(text, sizeof text, "%g", gpus);
    int failed = audit_text(mutate, "definition", mutate->definition->name) |
                 audit_text(mutate, "gpus", text);
    if (plan->group_count > 0)
        failed |= audit_text(mutate, "pod-groups", names.text) |
                  audit_text(mutate, "min-member", minimums.text);
    mutate->out->profile = strdup(mutate->profile->name);
    return failed == 0 && mutate->out->profile != NULL ? 0 : mem_error(err);
}
