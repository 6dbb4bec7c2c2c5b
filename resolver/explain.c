/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every expression of a definition, run alone. The one idea: walk the document as its author wrote
 * it, and know each field by its pattern, so that the report has the author's order and words.
 */
#include "karta/explain.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "definition.h"
#include "karta/engine.h"
#include "resolve.h"

enum use {
    USE_VALUES,
    USE_PLACES,  /* it is written to */
    USE_PROJECT, /* places where it is a path, else values */
    USE_POD
};

static const struct field {
    const char *pattern; /* "@" is a component, "[]" an element, "*" a name */
    enum use use;
} fields[] = {
    {"@.instanceIdPath", USE_VALUES},
    {"@.specDefinition.podTemplateSpecPath", USE_PLACES},
    {"@.specDefinition.podSpecPath", USE_PLACES},
    {"@.specDefinition.metadataPath", USE_PLACES},
    {"@.specDefinition.fragmentedPodSpecDefinition.*", USE_PROJECT},
    {"@.scaleDefinition.replicasPath", USE_VALUES},
    {"@.scaleDefinition.minReplicasPath", USE_VALUES},
    {"@.scaleDefinition.maxReplicasPath", USE_VALUES},
    {"@.statusDefinition.phaseDefinition.path", USE_VALUES},
    {"@.statusDefinition.conditionsDefinition.path", USE_VALUES},
    {"@.statusDefinition.statusMappings.*[].byExpression.expression", USE_VALUES},
    {"@.suspendDefinition.suspendActions[].path", USE_PLACES},
    {"@.suspendDefinition.resumeActions[].path", USE_PLACES},
    {"@.podSelector.componentTypeSelector.keyPath", USE_POD},
    {"@.podSelector.componentInstanceSelector.idPath", USE_POD},
    {"@.podSelector.replicaSelector.keyPath", USE_POD},
    {"spec.optimizationInstructions.gangScheduling.podGroups[].members[].groupByKeyPaths[]",
     USE_POD},
    {"spec.optimizationInstructions.gangScheduling.podGroups[].members[].filters[]", USE_POD},
    {"metadata.annotations.workloadmap.dev/starts-later.*", USE_VALUES},
    {"metadata.annotations.workloadmap.dev/min-member-path.*", USE_VALUES},
    {"metadata.annotations.workloadmap.dev/constant-keys[]", USE_POD},
};

struct explain {
    const json_t *object;
    struct jq_input *input; /* NULL: nothing is run */
    int64_t limit_ms;
    json_t *known; /* what ran already: statuses often share one question */
    json_t *report;
    struct karta_error *err;
};

/* Where the walk is: the field as a person writes it, its pattern, and whose it is. */
struct explained {
    const char *field, *pattern, *component;
    const json_t *holder; /* the object that the field stands in; NULL for an element */
};

static int no_memory(struct explain *explain)
{
    return karta_error_set(explain->err, KARTA_ERR_NOMEM, "out of memory");
}

static bool is_in(const char *text, const char *const *list)
{
    while (*list != NULL && strcmp(*list, text) != 0)
        list++;
    return *list != NULL;
}

/* "*" where any name may stand, or one of many; else the name itself. */
static const char *name_pattern(const char *parent, const char *name)
{
    static const char *const parents[] = {
        "@.statusDefinition.statusMappings", "metadata.annotations.workloadmap.dev/starts-later",
        "metadata.annotations.workloadmap.dev/min-member-path", NULL};
    if (strcmp(parent, "@.specDefinition.fragmentedPodSpecDefinition") == 0)
        return is_in(name, fragment_names) ? "*" : name;
    return is_in(parent, parents) ? "*" : name;
}

static const struct field *find_field(const char *pattern)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strcmp(fields[i].pattern, pattern) == 0)
            return &fields[i];
    return NULL;
}

/* What stands at each path that jq gave. */
static int read_places(struct explain *explain, const json_t *paths, json_t **results)
{
    json_auto_t *places = json_array();
    for (size_t i = 0; i < json_array_size(paths); i++) {
        KARTA_AUTO_TEXT pointer = NULL;
        const json_t *value = NULL;
        int code = resolve_pointer(explain->object, json_array_get(paths, i), &pointer, &value,
                                   explain->err);
        if (code != 0)
            return code;
        json_t *place = json_pack("{s:s, s:O?}", "pointer", pointer, "value", (json_t *)value);
        if (place == NULL || (value == NULL && json_object_set_new(place, "value", json_null())) ||
            json_array_append_new(places, place) != 0)
            return no_memory(explain);
    }
    *results = json_incref(places);
    return *results != NULL ? 0 : no_memory(explain);
}

static int outcome_of(struct explain *explain, const struct jq_result *result, bool places,
                      json_t **outcome)
{
    if (result->error != NULL) {
        *outcome = json_pack("{s:s}", "error", result->error);
        return *outcome != NULL ? 0 : no_memory(explain);
    }
    json_t *results = NULL;
    int code = places ? read_places(explain, result->values, &results) : 0;
    if (code != 0)
        return code;
    *outcome = places ? json_pack("{s:o}", "results", results)
                      : json_pack("{s:O}", "results", result->values);
    return *outcome != NULL ? 0 : no_memory(explain);
}

static int run_program(struct explain *explain, struct jq_program *program, bool places,
                       json_t **outcome)
{
    struct karta_error own = {0};
    struct jq_results results = {0};
    int code = jq_program_compile(program, NULL, &own);
    int64_t deadline = explain->limit_ms > 0 ? karta_engine_now_ms() + explain->limit_ms : 0;
    if (code == 0)
        code = jq_program_run(program, explain->input, deadline, &results, &own);
    if (code == 0)
        code = outcome_of(explain, &results.parts[0], places, outcome);
    else if (code != KARTA_ERR_NOMEM)
        code = (*outcome = json_pack("{s:s}", "error", own.message)) != NULL ? 0 : KARTA_ERR_NOMEM;
    jq_results_dispose(&results);
    return code != KARTA_ERR_NOMEM ? code : no_memory(explain);
}

/* {results} or {error}, borrowed: run now, or known from an equal expression. */
static int run(struct explain *explain, const struct jq_expression *expression, bool places,
               const json_t **outcome)
{
    KARTA_AUTO_TEXT key =
        mem_format("%s %s", places ? "places" : "values", jq_expression_text(expression));
    if (key == NULL)
        return no_memory(explain);
    *outcome = json_object_get(explain->known, key);
    if (*outcome != NULL)
        return 0;
    const struct jq_part part = {expression, places ? JQ_PATHS : JQ_VALUES};
    struct jq_program *program = NULL;
    int code = jq_program_new(&part, 1, &program, explain->err);
    json_t *made = NULL;
    if (code == 0)
        code = run_program(explain, program, places, &made);
    jq_program_free(program);
    if (code == 0 && json_object_set_new(explain->known, key, made) != 0)
        return no_memory(explain);
    *outcome = json_object_get(explain->known, key);
    return code;
}

/* As jq's tostring, which statuses compare with. */
static bool is_text(const json_t *value, const char *text)
{
    if (value == NULL)
        return false;
    if (json_is_string(value))
        return strcmp(json_string_value(value), text) == 0;
    KARTA_AUTO_TEXT own = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
    return own != NULL && strcmp(own, text) == 0;
}

static int add_verdict(struct explain *explain, const struct explained *spot, json_t *entry)
{
    const json_t *expected = json_object_get(spot->holder, "expectedResult");
    if (strncmp(spot->pattern, "@.statusDefinition.statusMappings", 33) != 0 ||
        !json_is_string(expected))
        return 0;
    const json_t *first = json_array_get(json_object_get(entry, "results"), 0);
    if (json_object_set(entry, "expected", (json_t *)expected) != 0)
        return no_memory(explain);
    if (explain->input == NULL)
        return 0;
    bool matches = is_text(first, json_string_value(expected));
    return json_object_set_new(entry, "matches", json_boolean(matches)) == 0 ? 0
                                                                             : no_memory(explain);
}

static int add_pod(struct explain *explain, const struct explained *spot,
                   const struct jq_expression *expression, json_t *entry)
{
    json_t *asked = json_object_get(spot->holder, "value");
    const char *where = NULL, *key = NULL;
    int failed = json_object_set_new(entry, "pod", json_true());
    if (jq_expression_metadata_key(expression, &where, &key))
        failed |= json_object_set_new(entry, strcmp(where, "labels") == 0 ? "label" : "annotation",
                                      json_string(key));
    if (json_is_string(asked))
        failed |= json_object_set(entry, "value", asked);
    return failed == 0 ? 0 : no_memory(explain);
}

static int add_outcome(struct explain *explain, const struct field *field,
                       const struct explained *spot, const struct jq_expression *expression,
                       json_t *entry)
{
    if (field->use == USE_POD)
        return add_pod(explain, spot, expression, entry);
    if (explain->input == NULL)
        return 0;
    bool places = field->use == USE_PLACES ||
                  (field->use == USE_PROJECT && jq_expression_check_path(expression, NULL) == 0);
    const json_t *outcome = NULL;
    int code = run(explain, expression, places, &outcome);
    if (code == 0 && json_object_update(entry, (json_t *)outcome) != 0)
        code = no_memory(explain);
    return code;
}

static int add_entry(struct explain *explain, const struct field *field,
                     const struct explained *spot, const char *text)
{
    json_auto_t *entry = json_pack("{s:s, s:s, s:s*}", "field", spot->field, "expression", text,
                                   "component", spot->component);
    if (entry == NULL)
        return no_memory(explain);
    struct jq_expression *expression = NULL;
    struct karta_error own = {0};
    int code = jq_expression_parse(text, &expression, &own);
    if (code == 0)
        code = add_outcome(explain, field, spot, expression, entry);
    else if (code != KARTA_ERR_NOMEM)
        code = json_object_set_new(entry, "error", json_string(own.message)) == 0 ? 0
                                                                                  : KARTA_ERR_NOMEM;
    jq_expression_free(expression);
    if (code == 0)
        code = add_verdict(explain, spot, entry);
    if (code == 0 && json_array_append(explain->report, entry) != 0)
        code = KARTA_ERR_NOMEM;
    return code != KARTA_ERR_NOMEM ? code : no_memory(explain);
}

static int walk(struct explain *explain, const struct explained *spot, const json_t *value);

/* Its component, where a field names or is one. Borrowed. */
static const char *component_of(const struct explained *spot, const char *pattern,
                                const json_t *value)
{
    if (strcmp(pattern, "@") == 0)
        return json_string_value(json_object_get(value, "name"));
    const char *member = json_string_value(json_object_get(value, "componentName"));
    return member != NULL ? member : spot->component;
}

static bool is_component(const char *pattern)
{
    return strcmp(pattern, "spec.structureDefinition.rootComponent") == 0 ||
           strcmp(pattern, "spec.structureDefinition.childComponents[]") == 0;
}

/* Annotations whose text is JSON are walked as what they say. New, or NULL. */
static json_t *annotation_value(const char *pattern, const json_t *value)
{
    static const char *const maps[] = {"metadata.annotations.workloadmap.dev/starts-later",
                                       "metadata.annotations.workloadmap.dev/min-member-path",
                                       "metadata.annotations.workloadmap.dev/constant-keys", NULL};
    if (!json_is_string(value) || !is_in(pattern, maps))
        return NULL;
    return json_loads(json_string_value(value), 0, NULL);
}

static int walk_below(struct explain *explain, const struct explained *spot, const char *field,
                      const char *pattern, const json_t *value, const json_t *holder)
{
    if (field == NULL || pattern == NULL)
        return no_memory(explain);
    json_auto_t *inner = annotation_value(pattern, value);
    const char *own = is_component(pattern) ? "@" : pattern;
    const struct explained below = {field, own, component_of(spot, own, value), holder};
    return walk(explain, &below, inner != NULL ? inner : value);
}

static int walk_member(struct explain *explain, const struct explained *spot, const json_t *object,
                       const char *key, const json_t *value)
{
    const char *dot = *spot->field != '\0' ? "." : "";
    KARTA_AUTO_TEXT field = mem_format("%s%s%s", spot->field, dot, key);
    KARTA_AUTO_TEXT pattern =
        mem_format("%s%s%s", spot->pattern, dot, name_pattern(spot->pattern, key));
    bool later = strcmp(spot->pattern, "metadata.annotations.workloadmap.dev/starts-later") == 0;
    const struct explained here = {spot->field, spot->pattern, later ? key : spot->component, NULL};
    return walk_below(explain, &here, field, pattern, value, object);
}

static bool given(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value != NULL && !json_is_null(value);
}

static int walk_object(struct explain *explain, const struct explained *spot, const json_t *object)
{
    const char *key;
    json_t *value;
    bool gang = strcmp(spot->pattern, "spec.optimizationInstructions.gangScheduling") == 0;
    json_object_foreach((json_t *)object, key, value)
    {
        if (gang && strcmp(key, "podGroups") == 0 && given(object, "podGroup"))
            continue;
        int code = walk_member(explain, spot, object, key, value);
        if (code != 0)
            return code;
    }
    return 0;
}

static int walk_array(struct explain *explain, const struct explained *spot, const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        KARTA_AUTO_TEXT field = mem_format("%s[%zu]", spot->field, i);
        KARTA_AUTO_TEXT pattern = mem_format("%s[]", spot->pattern);
        int code = walk_below(explain, spot, field, pattern, json_array_get(array, i), NULL);
        if (code != 0)
            return code;
    }
    return 0;
}

static int walk(struct explain *explain, const struct explained *spot, const json_t *value)
{
    if (json_is_object(value))
        return walk_object(explain, spot, value);
    if (json_is_array(value))
        return walk_array(explain, spot, value);
    const struct field *field = json_is_string(value) ? find_field(spot->pattern) : NULL;
    return field != NULL ? add_entry(explain, field, spot, json_string_value(value)) : 0;
}

int karta_explain(const struct karta_definition *definition, const json_t *object, int64_t limit_ms,
                  json_t **report, struct karta_error *err)
{
    json_auto_t *known = json_object();
    json_auto_t *entries = json_array();
    struct explain explain = {object, NULL, limit_ms, known, entries, err};
    if (known == NULL || entries == NULL)
        return no_memory(&explain);
    int code = object != NULL ? jq_input_new(object, &explain.input, err) : 0;
    const struct explained top = {"", "", NULL, NULL};
    if (code == 0)
        code = walk(&explain, &top, karta_definition_document(definition));
    jq_input_free(explain.input);
    if (code == 0)
        *report = json_incref(entries);
    return code;
}
