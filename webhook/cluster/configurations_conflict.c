/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conflicts in webhook configurations. The one idea: selectors say whom a webhook concerns, and
 * that the people who run a cluster may know better; all other fields say how we are reached and
 * asked.
 */
#include "configurations_conflict.h"
#include "base/json_text.h"

#include <string.h>

#define FIELD_START ".webhooks[name=\""
#define FIELD_MIDDLE "\"]."

static json_t *hook_of(const json_t *configuration, const char *name, size_t size)
{
    size_t index;
    json_t *hook;
    json_array_foreach(json_object_get(configuration, "webhooks"), index, hook)
    {
        const char *its = json_text(hook, "name");
        if (strlen(its) == size && strncmp(its, name, size) == 0)
            return hook;
    }
    return NULL;
}

/* The selector that the field is or lies in; NULL: it is another field. */
static const char *selector_of(const char *field)
{
    static const char *const selectors[] = {"namespaceSelector", "objectSelector"};
    for (size_t i = 0; i < 2; i++) {
        size_t size = strlen(selectors[i]);
        if (strncmp(field, selectors[i], size) == 0 && (field[size] == '\0' || field[size] == '.'))
            return selectors[i];
    }
    return NULL;
}

/* True where the field is a selector and is no longer in `configuration`. */
static bool leave_selector(const char *field, json_t *configuration, size_t *left)
{
    if (strncmp(field, FIELD_START, sizeof FIELD_START - 1) != 0)
        return false;
    const char *name = field + sizeof FIELD_START - 1;
    const char *end = strstr(name, FIELD_MIDDLE);
    const char *selector = end != NULL ? selector_of(end + sizeof FIELD_MIDDLE - 1) : NULL;
    if (selector == NULL)
        return false;
    json_t *hook = hook_of(configuration, name, (size_t)(end - name));
    if (json_object_del(hook, selector) == 0)
        (*left)++;
    return true;
}

bool conflict_leave_selectors(const json_t *status, json_t *configuration, size_t *left)
{
    size_t index;
    json_t *cause;
    bool others = false;
    json_array_foreach(json_object_get(json_object_get(status, "details"), "causes"), index, cause)
    {
        if (strcmp(json_text(cause, "reason"), "FieldManagerConflict") == 0 &&
            !leave_selector(json_text(cause, "field"), configuration, left))
            others = true;
    }
    return others;
}

bool configuration_is_ours(const json_t *live)
{
    const json_t *labels = json_object_get(json_object_get(live, "metadata"), "labels");
    return strcmp(json_text(labels, "app.kubernetes.io/managed-by"), "karta-webhook") == 0;
}

json_t *configuration_without_stale(const json_t *live, const json_t *configuration, size_t *stale)
{
    size_t index;
    json_t *hook, *kept = json_array();
    *stale = 0;
    json_array_foreach(json_object_get(live, "webhooks"), index, hook)
    {
        const char *name = json_text(hook, "name");
        if (hook_of(configuration, name, strlen(name)) == NULL) {
            (*stale)++;
        } else if (json_array_append(kept, hook) != 0) {
            json_decref(kept);
            return NULL;
        }
    }
    return kept;
}
