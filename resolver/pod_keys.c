/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of pods that don't exist yet. The one idea: a selector says how the operator labels its
 * pods, so what it states of a component is known before there is any pod.
 */
#include "pod_keys.h"

#include <string.h>

static size_t owner_of(const struct resolved *resolved, size_t c)
{
    return resolved->components[c].definition->owner;
}

/* The id of the instance of ancestor `a` that instance `i` of `c` belongs to; NULL: untold. */
static const char *id_at(const struct resolved *resolved, size_t a, size_t c, size_t i)
{
    const struct resolved_component *above = &resolved->components[a];
    if (a == c || resolved_same_ids(resolved, a, c))
        return above->instances[i].id;
    return above->count == 1 && above->instances[0].id[0] != '\0' ? above->instances[0].id : NULL;
}

static bool same_key(const struct jq_expression *expression, const char *where, const char *key)
{
    const char *own_where, *own_key;
    return expression != NULL && jq_expression_metadata_key(expression, &own_where, &own_key) &&
           strcmp(own_where, where) == 0 && strcmp(own_key, key) == 0;
}

/* What selectors of `c` and its ancestors state of the key; NULL: nothing. */
static const char *stated(const struct resolved *resolved, size_t c, size_t i, const char *where,
                          const char *key)
{
    for (size_t a = c;; a = owner_of(resolved, a)) {
        const struct pod_selector *selector = &resolved->components[a].definition->selector;
        if (same_key(selector->instance_id, where, key) && id_at(resolved, a, c, i) != NULL)
            return id_at(resolved, a, c, i);
        if (same_key(selector->type_key, where, key) && selector->type_value != NULL)
            return selector->type_value;
        const char *label = json_string_value(json_object_get(selector->match_labels, key));
        if (label != NULL && strcmp(where, "labels") == 0)
            return label;
        if (a == 0)
            return NULL;
    }
}

static bool is_constant(const struct karta_definition *definition, const char *where,
                        const char *key)
{
    for (size_t i = 0; i < definition->constant_count; i++)
        if (strcmp(definition->constants[i].where, where) == 0 &&
            strcmp(definition->constants[i].key, key) == 0)
            return true;
    return false;
}

enum key_state pod_key_of(const struct resolved *resolved, size_t c, size_t i,
                          const struct jq_expression *expression, const char **text)
{
    const char *where, *key;
    if (jq_expression_constant(expression, text))
        return POD_KEY_KNOWN;
    if (!jq_expression_metadata_key(expression, &where, &key))
        return POD_KEY_UNKNOWN;
    *text = stated(resolved, c, i, where, key);
    if (*text != NULL)
        return POD_KEY_KNOWN;
    const struct instance *instance = &resolved->components[c].instances[i];
    const struct spot *spot =
        strcmp(where, "labels") == 0 ? &instance->labels : &instance->annotations;
    *text = json_string_value(json_object_get(spot->value, key));
    if (*text != NULL && (*text)[0] != '\0')
        return POD_KEY_KNOWN;
    return is_constant(resolved->definition, where, key) ? POD_KEY_CONSTANT : POD_KEY_UNKNOWN;
}

size_t pod_key_selecting(const struct resolved *resolved, size_t c,
                         const struct jq_expression *expression)
{
    const char *where, *key;
    if (!jq_expression_metadata_key(expression, &where, &key))
        return resolved->count;
    for (;; c = owner_of(resolved, c)) {
        if (same_key(resolved->components[c].definition->selector.replica_key, where, key))
            return c;
        if (c == 0)
            return resolved->count;
    }
}

/* Sets what one selector expression says of a label or annotation. */
static int state_key(json_t *metadata, const struct jq_expression *expression, const char *value)
{
    const char *where, *key;
    if (expression == NULL || value == NULL ||
        !jq_expression_metadata_key(expression, &where, &key))
        return 0;
    return json_object_set_new(json_object_get(metadata, where), key, json_string(value));
}

static int state_selectors(const struct resolved *resolved, size_t c, size_t i, json_t *metadata)
{
    int failed = 0;
    for (size_t a = c;; a = owner_of(resolved, a)) {
        const struct pod_selector *selector = &resolved->components[a].definition->selector;
        failed |= state_key(metadata, selector->type_key, selector->type_value);
        failed |= state_key(metadata, selector->instance_id, id_at(resolved, a, c, i));
        if (selector->match_labels != NULL)
            failed |=
                json_object_update(json_object_get(metadata, "labels"), selector->match_labels);
        if (a == 0)
            return failed;
    }
}

static json_t *copy_of(const json_t *map)
{
    return json_is_object(map) ? json_copy((json_t *)map) : json_object();
}

json_t *pod_of_template(const struct resolved *resolved, size_t c, size_t i)
{
    const struct instance *instance = &resolved->components[c].instances[i];
    json_t *pod =
        json_pack("{s:{s:o, s:o}, s:O*}", "metadata", "labels", copy_of(instance->labels.value),
                  "annotations", copy_of(instance->annotations.value), "spec", instance->pod_spec);
    if (pod == NULL || state_selectors(resolved, c, i, json_object_get(pod, "metadata")) == 0)
        return pod;
    json_decref(pod);
    return NULL;
}
