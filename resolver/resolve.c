/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Object and definition to instances. The one idea: ids, templates and counts are separate lists
 * that are zipped by position, so each must be as long as the ids, or one for all.
 */
#include "resolve.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "reading.h"
#include "schema.h"

int resolved_component_error(struct resolved_component *component, const char *format, ...)
{
    if (component->error[0] != '\0')
        return 0;
    va_list args;
    va_start(args, format);
    vsnprintf(component->error, sizeof component->error, format, args);
    va_end(args);
    return 0;
}

static bool whole_text(const char *text, int64_t *value)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 10 || text[digits] != '\0')
        return false;
    *value = strtoll(text, NULL, 10);
    return true;
}

bool count_read(const json_t *value, struct count *count, char *reason, size_t reason_size)
{
    int64_t number = -1;
    bool whole = true;
    *count = (struct count){false, 0};
    if (value == NULL || json_is_null(value))
        return true;
    if (json_is_integer(value))
        number = json_integer_value(value);
    else if (json_is_string(value))
        whole = whole_text(json_string_value(value), &number) &&
                strlen(json_string_value(value)) == json_string_length(value);
    else if (json_is_real(value))
        whole = false;
    else {
        snprintf(reason, reason_size, "gives %s; a count is a whole number from 0 to %lld",
                 json_type_text(json_typeof(value)), LIMIT_COUNT);
        return false;
    }
    if (whole && number >= 0 && number <= LIMIT_COUNT) {
        *count = (struct count){true, number};
        return true;
    }
    KARTA_AUTO_TEXT text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    snprintf(reason, reason_size, "gives %.60s; a count is a whole number from 0 to %lld",
             text != NULL ? text : "?", LIMIT_COUNT);
    return false;
}

const json_t *reading_values(const struct reading *reading, struct resolved_component *component,
                             const struct expression *expression, const char *field)
{
    const struct jq_result *result = &reading->results->parts[expression->part];
    if (result->error == NULL)
        return result->values;
    resolved_component_error(component, "%s: %s", field, result->error);
    return NULL;
}

bool reading_fits(struct resolved_component *component, const json_t *values, const char *field)
{
    size_t size = json_array_size(values), count = component->count;
    if (size == count || size == 1)
        return true;
    resolved_component_error(component, "%s gives %zu results for %zu instance%s", field, size,
                             count, count == 1 ? "" : "s");
    return false;
}

const json_t *reading_at(const json_t *values, size_t index)
{
    return json_array_get(values, json_array_size(values) == 1 ? 0 : index);
}

static int read_counts(const struct reading *reading, struct resolved_component *component,
                       const struct expression *expression, const char *field, size_t offset)
{
    if (expression->jq == NULL)
        return 0;
    const json_t *values = reading_values(reading, component, expression, field);
    bool single = component->definition->ids.jq == NULL;
    if (values == NULL || (single && json_array_size(values) == 0))
        return 0;
    if (!reading_fits(component, values, field))
        return 0;
    for (size_t i = 0; i < component->count; i++) {
        struct count *count = (struct count *)((char *)&component->instances[i] + offset);
        char reason[128];
        if (!count_read(reading_at(values, i), count, reason, sizeof reason))
            return resolved_component_error(component, "%s %s", field, reason);
    }
    return 0;
}

static int read_late(const struct reading *reading, struct resolved_component *component)
{
    const char *field = "starts-later";
    if (component->definition->late.jq == NULL || component->count == 0)
        return 0;
    const json_t *values = reading_values(reading, component, &component->definition->late, field);
    if (values == NULL || !reading_fits(component, values, field))
        return 0;
    for (size_t i = 0; i < component->count; i++) {
        const json_t *value = reading_at(values, i);
        if (!json_is_boolean(value))
            return resolved_component_error(component, "%s gives %s where a boolean belongs", field,
                                            json_type_text(json_typeof(value)));
        component->instances[i].late = json_is_true(value);
    }
    return 0;
}

static void instance_dispose(struct instance *instance)
{
    free(instance->id);
    free(instance->path);
    free(instance->labels.path);
    free(instance->annotations.path);
    free(instance->scheduler.path);
    free(instance->priority_class.path);
    free(instance->spec.path);
    json_decref(instance->assembled);
}

bool instance_has_template(const struct instance *instance)
{
    return instance->path != NULL || instance->assembled != NULL;
}

/* Instances whose template is not there are not there either. */
static void drop_absent(struct resolved_component *component)
{
    size_t kept = 0;
    for (size_t i = 0; i < component->count; i++) {
        if (instance_has_template(&component->instances[i]))
            component->instances[kept++] = component->instances[i];
        else
            instance_dispose(&component->instances[i]);
    }
    component->count = kept;
}

/* An id as text: a string, or a whole number in our own spelling. NULL where it is neither. */
static char *id_text(const json_t *value)
{
    if (json_is_integer(value))
        return mem_format("%lld", (long long)json_integer_value(value));
    const char *text = json_string_value(value);
    if (text == NULL || text[0] == '\0' || strlen(text) != json_string_length(value))
        return NULL;
    return strdup(text);
}

static int read_ids(const struct reading *reading, struct resolved_component *component,
                    struct karta_error *err)
{
    bool single = component->definition->ids.jq == NULL;
    const json_t *ids = NULL;
    if (!single)
        ids = reading_values(reading, component, &component->definition->ids, "instanceIdPath");
    size_t count = single ? 1 : json_array_size(ids);
    component->instances = mem_array(count + 1, sizeof *component->instances);
    if (component->instances == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(ids, i);
        char *id = single ? strdup("") : id_text(value);
        if (id == NULL)
            return resolved_component_error(
                component, "instanceIdPath gives %s as id %zu; an id is text that is not empty",
                json_is_string(value) ? "empty text" : json_type_text(json_typeof(value)), i + 1);
        component->instances[component->count++].id = id;
        for (size_t k = 0; k < i; k++)
            if (strcmp(component->instances[k].id, id) == 0)
                return resolved_component_error(component, "instanceIdPath gives \"%.80s\" twice",
                                                id);
    }
    return 0;
}

static bool has_counts(const struct component *component)
{
    return component->replicas.jq != NULL || component->min_replicas.jq != NULL ||
           component->max_replicas.jq != NULL;
}

static int read_all_counts(const struct reading *reading, struct resolved_component *component)
{
    const struct component *definition = component->definition;
    read_counts(reading, component, &definition->replicas, "replicasPath",
                offsetof(struct instance, replicas));
    read_counts(reading, component, &definition->min_replicas, "minReplicasPath",
                offsetof(struct instance, min_replicas));
    read_counts(reading, component, &definition->max_replicas, "maxReplicasPath",
                offsetof(struct instance, max_replicas));
    return read_late(reading, component);
}

/* A role without a template is absent: a single one's counts are not looked at, those of a list
 * are zipped first, since an absent entry still has its position. */
static int read_component(const struct reading *reading, struct resolved_component *component,
                          struct karta_error *err)
{
    const struct component *definition = component->definition;
    bool templated = component_is_leaf(definition);
    if (!templated && !has_counts(definition) && definition->ids.jq == NULL)
        return 0;
    int code = read_ids(reading, component, err);
    if (code == 0 && component->error[0] == '\0')
        code = reading_templates(reading, component, err);
    if (code != 0 || component->error[0] != '\0')
        return code;
    if (templated && definition->ids.jq == NULL)
        drop_absent(component);
    if (component->count > 0)
        code = read_all_counts(reading, component);
    if (templated)
        drop_absent(component);
    return code;
}

static int read_minimums(struct resolved *resolved, const struct jq_results *results,
                         struct karta_error *err)
{
    const struct karta_definition *definition = resolved->definition;
    resolved->minimums = mem_array(definition->group_count + 1, sizeof *resolved->minimums);
    if (resolved->minimums == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    for (size_t g = 0; g < definition->group_count; g++) {
        const struct expression *minimum = &definition->groups[g].minimum;
        if (minimum->jq == NULL)
            continue;
        const struct jq_result *result = &results->parts[minimum->part];
        char reason[128] = "";
        if (result->error == NULL)
            count_read(json_array_get(result->values, 0), &resolved->minimums[g], reason,
                       sizeof reason);
        if (result->error != NULL || reason[0] != '\0')
            snprintf(resolved->minimum_error, sizeof resolved->minimum_error,
                     "min-member-path of %s%s %s", definition->groups[g].name,
                     result->error != NULL ? ":" : "",
                     result->error != NULL ? result->error : reason);
    }
    return 0;
}

static int read_all(struct resolved *resolved, const struct jq_results *results,
                    struct karta_error *err)
{
    const struct reading reading = {resolved, results};
    for (size_t i = 0; i < resolved->count; i++) {
        int code = read_component(&reading, &resolved->components[i], err);
        if (code != 0)
            return code;
    }
    return read_minimums(resolved, results, err);
}

int resolve(const struct karta_definition *definition, const json_t *object, int64_t deadline_ms,
            struct resolved **resolved, struct karta_error *err)
{
    struct resolved *out = calloc(1, sizeof *out);
    if (out == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    struct jq_results results = {0};
    out->definition = definition;
    out->object = object;
    out->deadline_ms = deadline_ms;
    out->components = mem_array(definition->component_count, sizeof *out->components);
    int code = out->components != NULL ? jq_input_new(object, &out->input, err)
                                       : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    if (code == 0) {
        out->count = definition->component_count;
        for (size_t i = 0; i < out->count; i++)
            out->components[i].definition = &definition->components[i];
        if (definition->structure != NULL)
            code = jq_program_run(definition->structure, out->input, deadline_ms, &results, err);
    }
    if (code == 0)
        code = read_all(out, &results, err);
    jq_results_dispose(&results);
    if (code == 0)
        *resolved = out;
    else
        resolved_free(out);
    return code;
}

void resolved_free(struct resolved *resolved)
{
    if (resolved == NULL)
        return;
    for (size_t c = 0; c < resolved->count; c++) {
        for (size_t i = 0; i < resolved->components[c].count; i++)
            instance_dispose(&resolved->components[c].instances[i]);
        free(resolved->components[c].instances);
    }
    free(resolved->components);
    free(resolved->minimums);
    jq_input_free(resolved->input);
    free(resolved);
}

bool resolved_complete(const struct resolved *resolved)
{
    for (size_t c = 0; c < resolved->count; c++)
        if (resolved->components[c].error[0] != '\0')
            return false;
    return true;
}

struct instance *resolved_instance(const struct resolved *resolved, size_t c, const char *id)
{
    if (c >= resolved->count)
        return NULL;
    for (size_t i = 0; i < resolved->components[c].count; i++)
        if (strcmp(resolved->components[c].instances[i].id, id) == 0)
            return &resolved->components[c].instances[i];
    return NULL;
}

bool resolved_same_ids(const struct resolved *resolved, size_t a, size_t b)
{
    const struct resolved_component *x = &resolved->components[a], *y = &resolved->components[b];
    if (x->count != y->count || x->count == 0 || x->definition->ids.jq == NULL ||
        y->definition->ids.jq == NULL)
        return false;
    for (size_t i = 0; i < x->count; i++)
        if (strcmp(x->instances[i].id, y->instances[i].id) != 0)
            return false;
    return true;
}
