/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Templates that are no whole in the object but single fields, each with a path of its own. The
 * one idea: they are put together into a template to read; what is written goes to the paths.
 */
#include <string.h>

#include "base/mem.h"
#include "reading.h"

/* One fragment of one instance. */
static int read_value(const struct reading *reading, const struct expression *expression,
                      const json_t *result, struct spot *spot, struct karta_error *err)
{
    if (expression->kind == JQ_PATHS)
        return resolve_pointer(reading->resolved->object, result, &spot->path, &spot->value, err);
    spot->value = json_is_null(result) ? NULL : result;
    return 0;
}

static int put(json_t *object, const char *key, const json_t *value)
{
    return value != NULL ? json_object_set(object, key, (json_t *)value) : 0;
}

/* The containers: a list, or one, or one made of what is said of it. New. */
static json_t *containers_of(const struct spot spots[FRAGMENTS])
{
    const json_t *list = spots[FRAGMENT_CONTAINERS].value, *one = spots[FRAGMENT_CONTAINER].value;
    json_auto_t *containers = json_is_array(list) ? json_copy((json_t *)list) : json_array();
    bool said = spots[FRAGMENT_RESOURCES].value != NULL || spots[FRAGMENT_IMAGE].value != NULL;
    if (json_array_size(containers) == 0 && (json_is_object(one) || said))
        json_array_append_new(containers,
                              json_is_object(one) ? json_copy((json_t *)one) : json_object());
    json_auto_t *first = json_copy(json_array_get(containers, 0));
    if (!json_is_object(first))
        return json_incref(containers);
    int failed = 0;
    if (json_object_get(first, "resources") == NULL)
        failed |= put(first, "resources", spots[FRAGMENT_RESOURCES].value);
    if (json_object_get(first, "image") == NULL)
        failed |= put(first, "image", spots[FRAGMENT_IMAGE].value);
    return failed == 0 && json_array_set(containers, 0, first) == 0 ? json_incref(containers)
                                                                    : NULL;
}

static json_t *affinity_of(const struct spot spots[FRAGMENTS])
{
    return json_pack("{s:O*, s:O*}", "podAffinity", spots[FRAGMENT_POD_AFFINITY].value,
                     "nodeAffinity", spots[FRAGMENT_NODE_AFFINITY].value);
}

/* A pod template of what is there. New. */
static json_t *assemble(const struct spot spots[FRAGMENTS])
{
    json_auto_t *affinity = affinity_of(spots), *containers = containers_of(spots);
    json_auto_t *spec = json_object(), *metadata = json_object();
    int failed = containers == NULL || affinity == NULL || spec == NULL || metadata == NULL;
    failed = failed || put(metadata, "labels", spots[FRAGMENT_LABELS].value) != 0 ||
             put(metadata, "annotations", spots[FRAGMENT_ANNOTATIONS].value) != 0 ||
             put(spec, "schedulerName", spots[FRAGMENT_SCHEDULER_NAME].value) != 0 ||
             put(spec, "priorityClassName", spots[FRAGMENT_PRIORITY_CLASS].value) != 0 ||
             put(spec, "resourceClaims", spots[FRAGMENT_RESOURCE_CLAIMS].value) != 0 ||
             put(spec, "containers", containers) != 0;
    if (!failed && json_object_size(affinity) > 0)
        failed = put(spec, "affinity", affinity) != 0;
    return failed ? NULL : json_pack("{s:O, s:O}", "metadata", metadata, "spec", spec);
}

/* The spot is the instance's from here on. */
static void take_spot(struct spot *from, struct spot *to)
{
    *to = *from;
    from->path = NULL;
}

static int read_instance(const struct reading *reading, const struct component *definition,
                         const json_t *const lists[FRAGMENTS], struct instance *instance,
                         size_t index, struct karta_error *err)
{
    struct spot spots[FRAGMENTS] = {0};
    int code = 0;
    for (size_t f = 0; code == 0 && f < FRAGMENTS; f++)
        if (lists[f] != NULL)
            code = read_value(reading, &definition->fragments[f], reading_at(lists[f], index),
                              &spots[f], err);
    instance->assembled = code == 0 ? assemble(spots) : NULL;
    if (code == 0 && instance->assembled == NULL)
        code = mem_error(err);
    instance->metadata = json_object_get(instance->assembled, "metadata");
    instance->pod_spec = json_object_get(instance->assembled, "spec");
    take_spot(&spots[FRAGMENT_LABELS], &instance->labels);
    take_spot(&spots[FRAGMENT_ANNOTATIONS], &instance->annotations);
    take_spot(&spots[FRAGMENT_SCHEDULER_NAME], &instance->scheduler);
    take_spot(&spots[FRAGMENT_PRIORITY_CLASS], &instance->priority_class);
    for (size_t f = 0; f < FRAGMENTS; f++)
        free(spots[f].path);
    return code;
}

/* Every fragment's results; false where one doesn't fit, or where the role is absent: no path
 * gives anything. */
static bool read_lists(const struct reading *reading, struct resolved_component *component,
                       const json_t *lists[FRAGMENTS])
{
    const struct component *definition = component->definition;
    bool any = false;
    for (size_t f = 0; f < FRAGMENTS; f++) {
        const struct expression *expression = &definition->fragments[f];
        lists[f] = NULL;
        if (expression->jq == NULL)
            continue;
        const json_t *list = reading_values(reading, component, expression, fragment_names[f]);
        if (list == NULL)
            return false;
        bool none = json_array_size(list) == 0 && definition->ids.jq == NULL;
        if (!none && !reading_fits(component, list, fragment_names[f]))
            return false;
        lists[f] = none ? NULL : list;
        any = any || lists[f] != NULL;
    }
    return any;
}

int reading_fragments(const struct reading *reading, struct resolved_component *component,
                      struct karta_error *err)
{
    const json_t *lists[FRAGMENTS];
    if (!read_lists(reading, component, lists))
        return 0;
    int code = 0;
    for (size_t i = 0; code == 0 && i < component->count; i++)
        code =
            read_instance(reading, component->definition, lists, &component->instances[i], i, err);
    return code;
}
