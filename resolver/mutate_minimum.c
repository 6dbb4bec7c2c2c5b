/* SPDX-License-Identifier: Apache-2.0 */
/* The user's minimum: one number for a workload of one group, else JSON by the Karta's group name.
 */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "metadata.h"
#include "mutate.h"

/* The memory's entry for a group, by its name; NULL where it has none. */
static const json_t *remembered(const struct gang_memory *memory, const struct planned_group *group)
{
    for (size_t i = 0; i < json_array_size(memory->groups); i++) {
        const json_t *entry = json_array_get(memory->groups, i);
        const char *name = json_string_value(json_object_get(entry, "name"));
        if (name != NULL && strcmp(name, group->name) == 0)
            return entry;
    }
    return NULL;
}

/* A group that has subgroups starts with the sum of theirs, whatever else was said. */
static void sum_subgroups(struct planned_group *group)
{
    group->overridden = false;
    group->min_member = 0;
    for (size_t s = 0; s < group->subgroup_count; s++)
        group->min_member += group->subgroups[s].min_member;
}

bool mutate_keep_shape(const struct gang_memory *memory, struct plan *plan)
{
    bool flat = plan->group_count > 0;
    for (size_t g = 0; g < plan->group_count; g++) {
        struct planned_group *group = &plan->groups[g];
        const json_t *entry = remembered(memory, group);
        bool shaped = group->subgroups != NULL && json_object_get(entry, "subGroups") != NULL;
        group->overridden = group->overridden || (group->subgroups != NULL && !shaped);
        if (shaped)
            sum_subgroups(group);
        flat = flat && !shaped;
    }
    return flat;
}

/* The minimum that the annotation states for group `g`; false where it states none for it. */
static bool stated_minimum(const struct plan *plan, size_t g, const char *text, json_int_t *value)
{
    json_auto_t *json = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    *value = -1;
    if (json_is_object(json)) {
        const json_t *own = json_object_get(json, plan->groups[g].definition->name);
        if (own == NULL)
            return false;
        if (json_is_integer(own))
            *value = json_integer_value(own);
        return true;
    }
    if (json_is_integer(json) && plan->group_count == 1)
        *value = json_integer_value(json);
    return true;
}

static int deny_minimum(struct mutate *mutate, const struct planned_group *group, const char *text,
                        struct karta_error *err)
{
    free(mutate->out->denial);
    mutate->out->denial =
        mem_format("metadata.annotations[" KEY_MIN_MEMBER "] is \"%.60s\"; pod group %s takes a "
                   "whole number from 1 to %lld",
                   text, group->definition->name, (long long)group->pods);
    return mutate->out->denial != NULL ? 0 : mem_error(err);
}

/* One number says nothing of several groups. */
static int deny_bare(struct mutate *mutate, const struct plan *plan, const char *text,
                     struct karta_error *err)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, LIMIT_GANG_ANNOTATION);
    strbuf_addf(&buf,
                "metadata.annotations[" KEY_MIN_MEMBER "] is \"%.60s\"; the workload has %zu pod "
                "groups, so it takes JSON by their names:",
                text, plan->group_count);
    for (size_t g = 0; g < plan->group_count; g++)
        strbuf_addf(&buf, "%s %s from 1 to %lld", g > 0 ? "," : "",
                    plan->groups[g].definition->name, (long long)plan->groups[g].pods);
    free(mutate->out->denial);
    mutate->out->denial = strbuf_check(&buf, NULL) == 0 ? strbuf_take(&buf) : NULL;
    return mutate->out->denial != NULL ? 0 : mem_error(err);
}

static bool is_bare(const struct plan *plan, const char *text)
{
    json_auto_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    return plan->group_count > 1 && !json_is_object(json);
}

static int use_minimum(struct mutate *mutate, struct planned_group *group, const char *text,
                       json_int_t value, enum minimum_use use, struct karta_error *err)
{
    bool fits = value >= 1 && value <= group->pods;
    if (!fits && use != MINIMUM_NEAREST)
        return deny_minimum(mutate, group, text, err);
    if (use == MINIMUM_CHECK)
        return 0;
    json_int_t nearest = fits ? value : (value < 1 ? 1 : group->pods);
    if (plan_override(group, nearest) && !fits)
        mutate_warn(mutate->out, KEY_MIN_MEMBER " is \"%.60s\"; pod group %s starts with %lld",
                    text, group->definition->name, (long long)nearest);
    return 0;
}

/* A name that no pod group has is a slip of the pen: it would say nothing without a word. */
static void warn_unknown(struct mutate *mutate, const struct plan *plan, const char *text)
{
    json_auto_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        bool known = false;
        for (size_t g = 0; g < plan->group_count; g++)
            known = known || strcmp(plan->groups[g].definition->name, key) == 0;
        if (!known)
            mutate_warn(mutate->out, KEY_MIN_MEMBER " names no pod group \"%.60s\"", key);
    }
}

int mutate_minimum(struct mutate *mutate, struct plan *plan, enum minimum_use use,
                   struct karta_error *err)
{
    const char *text = metadata_annotation(mutate->object, KEY_MIN_MEMBER);
    int code = 0;
    if (text != NULL && is_bare(plan, text))
        return use == MINIMUM_NEAREST ? 0 : deny_bare(mutate, plan, text, err);
    for (size_t g = 0; code == 0 && text != NULL && g < plan->group_count; g++) {
        json_int_t value;
        if (stated_minimum(plan, g, text, &value))
            code = use_minimum(mutate, &plan->groups[g], text, value, use, err);
    }
    if (code == 0 && text != NULL && use != MINIMUM_NEAREST)
        warn_unknown(mutate, plan, text);
    return code;
}
