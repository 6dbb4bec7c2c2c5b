/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which component a live pod is. The one idea: all selectors of a definition are one program, run
 * once on each pod, and a component is judged by the parts that are its own.
 */
#include "karta/pods.h"

#include <string.h>

#include "base/mem.h"
#include "definition.h"

#define NO_PART ((size_t)-1)

/* Where a component's expressions are in the program. */
struct selector_parts {
    size_t type, instance, replica;
};

struct matching {
    const struct karta_definition *definition;
    struct selector_parts *parts; /* one a component */
    struct jq_part *list;
    size_t count;
    struct jq_program *program; /* NULL: no selector has an expression */
    int64_t deadline_ms;
};

static size_t add_part(struct matching *matching, const struct jq_expression *expression)
{
    if (expression == NULL)
        return NO_PART;
    matching->list[matching->count] = (struct jq_part){expression, JQ_VALUES};
    return matching->count++;
}

static int matching_init(struct matching *matching, struct karta_error *err)
{
    const struct karta_definition *definition = matching->definition;
    matching->parts = mem_array(definition->component_count, sizeof *matching->parts);
    matching->list = mem_array(3 * definition->component_count, sizeof *matching->list);
    if (matching->parts == NULL || matching->list == NULL)
        return mem_error(err);
    for (size_t c = 0; c < definition->component_count; c++) {
        const struct pod_selector *selector = &definition->components[c].selector;
        matching->parts[c].type = add_part(matching, selector->type_key);
        matching->parts[c].instance = add_part(matching, selector->instance_id);
        matching->parts[c].replica = add_part(matching, selector->replica_key);
    }
    if (matching->count == 0)
        return 0;
    return jq_program_new(matching->list, matching->count, &matching->program, err);
}

static void matching_dispose(struct matching *matching)
{
    jq_program_free(matching->program);
    free(matching->parts);
    free(matching->list);
}

/* The first result of a part; NULL where it gave nothing, null, or an error. Borrowed. */
static const json_t *result_of(const struct jq_results *results, size_t part)
{
    if (part == NO_PART || part >= results->count)
        return NULL;
    const json_t *value = json_array_get(results->parts[part].values, 0);
    return json_is_null(value) ? NULL : value;
}

/* As jq's tostring; null for what is no scalar. New. */
static json_t *text_of(const json_t *value)
{
    if (json_is_string(value))
        return json_incref((json_t *)value);
    KARTA_AUTO_TEXT text = value != NULL && !json_is_object(value) && !json_is_array(value)
                               ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT)
                               : NULL;
    return text != NULL ? json_string(text) : json_null();
}

static bool has_labels(const json_t *pod, const json_t *wanted)
{
    const json_t *labels = json_object_get(json_object_get(pod, "metadata"), "labels");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)wanted, key, value)
    {
        if (!json_equal(json_object_get(labels, key), value))
            return false;
    }
    return true;
}

static bool meets(const struct matching *matching, const struct jq_results *results, size_t c,
                  const json_t *pod)
{
    const struct pod_selector *selector = &matching->definition->components[c].selector;
    if (!selector->has_type)
        return true;
    if (!has_labels(pod, selector->match_labels))
        return false;
    if (selector->type_key == NULL)
        return true;
    const json_t *value = result_of(results, matching->parts[c].type);
    json_auto_t *text = text_of(value);
    return value != NULL &&
           (selector->type_value == NULL ||
            (json_is_string(text) && strcmp(json_string_value(text), selector->type_value) == 0));
}

/* `c` and all that it stands below. */
static bool meets_all(const struct matching *matching, const struct jq_results *results, size_t c,
                      const json_t *pod)
{
    const struct karta_definition *definition = matching->definition;
    for (size_t steps = 0; steps <= definition->component_count; steps++) {
        if (!meets(matching, results, c, pod))
            return false;
        if (c == definition->components[c].owner)
            return true;
        c = definition->components[c].owner;
    }
    return false;
}

static size_t component_of(const struct matching *matching, const struct jq_results *results,
                           const json_t *pod)
{
    const struct karta_definition *definition = matching->definition;
    size_t unstated = definition->component_count, found = 0;
    for (size_t c = 0; c < definition->component_count; c++) {
        const struct component *component = &definition->components[c];
        if (!component_is_leaf(component))
            continue;
        if (component->selector.has_type && meets_all(matching, results, c, pod))
            return c;
        if (!component->selector.has_type) {
            unstated = c;
            found++;
        }
    }
    return found == 1 ? unstated : definition->component_count;
}

/* The replica key of `c` or of the nearest above it. */
static const json_t *replica_of(const struct matching *matching, const struct jq_results *results,
                                size_t c)
{
    const struct karta_definition *definition = matching->definition;
    for (size_t steps = 0; steps <= definition->component_count; steps++) {
        if (matching->parts[c].replica != NO_PART)
            return result_of(results, matching->parts[c].replica);
        c = definition->components[c].owner;
    }
    return NULL;
}

static json_t *match_json(const struct matching *matching, const struct jq_results *results,
                          const json_t *pod)
{
    size_t c = component_of(matching, results, pod);
    if (c == matching->definition->component_count)
        return json_pack("{s:n, s:n, s:n}", "component", "instance", "replica");
    return json_pack("{s:s, s:o, s:o}", "component", matching->definition->components[c].name,
                     "instance", text_of(result_of(results, matching->parts[c].instance)),
                     "replica", text_of(replica_of(matching, results, c)));
}

static int match_pod(const struct matching *matching, const json_t *pod, json_t *matches,
                     struct karta_error *err)
{
    struct jq_results results = {0};
    struct jq_input *input = NULL;
    int code = 0;
    if (matching->program != NULL) {
        code = jq_input_new(pod, &input, err);
        if (code == 0)
            code = jq_program_run(matching->program, input, matching->deadline_ms, &results, err);
    }
    if (code == 0 && json_array_append_new(matches, match_json(matching, &results, pod)) != 0)
        code = mem_error(err);
    jq_results_dispose(&results);
    jq_input_free(input);
    return code;
}

int karta_pods_match(const struct karta_definition *definition, const json_t *pods,
                     int64_t deadline_ms, json_t **matches, struct karta_error *err)
{
    struct matching matching = {.definition = definition, .deadline_ms = deadline_ms};
    json_auto_t *list = json_array();
    int code = list != NULL ? matching_init(&matching, err) : mem_error(err);
    if (code == 0 && matching.program != NULL)
        code = jq_program_compile(matching.program, NULL, err);
    for (size_t i = 0; i < json_array_size(pods) && code == 0; i++)
        code = match_pod(&matching, json_array_get(pods, i), list, err);
    matching_dispose(&matching);
    *matches = code == 0 ? json_incref(list) : NULL;
    return code;
}
