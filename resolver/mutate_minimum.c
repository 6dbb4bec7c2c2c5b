/* SPDX-License-Identifier: Apache-2.0 */
/* The user's minimum: one number for a workload of one group, else JSON by the Karta's group name.
 */
#include <string.h>

#include "base/mem.h"
#include "metadata.h"
#include "mutate.h"

static int no_memory(struct karta_error *err)
{
    return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
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
    return mutate->out->denial != NULL ? 0 : no_memory(err);
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

int mutate_minimum(struct mutate *mutate, struct plan *plan, enum minimum_use use,
                   struct karta_error *err)
{
    const char *text = metadata_annotation(mutate->object, KEY_MIN_MEMBER);
    int code = 0;
    for (size_t g = 0; code == 0 && text != NULL && g < plan->group_count; g++) {
        json_int_t value;
        if (stated_minimum(plan, g, text, &value))
            code = use_minimum(mutate, &plan->groups[g], text, value, use, err);
    }
    return code;
}
