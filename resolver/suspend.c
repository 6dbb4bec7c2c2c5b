/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suspend and resume actions as a patch. The one idea: assignments in their order, each made on
 * what the ones before it left.
 */
#include "karta/suspend.h"

#include "base/mem.h"
#include "karta/patch.h"
#include "patch.h"
#include "resolve.h"

/* A patch that grows with the object that it makes. */
struct assignment {
    json_t *operations;
    json_t *object; /* as it is after the operations so far */
};

/* The operations of one assignment, new: none where the value is there. */
static int operations_of(const json_t *object, const char *pointer, json_t *value,
                         json_t **operations, struct karta_error *err)
{
    const json_t *existing = karta_pointer_get(object, pointer);
    json_auto_t *list = json_array(), *tree = json_object();
    int code = list != NULL && tree != NULL ? 0 : mem_error(err);
    if (code == 0 && (existing == NULL || json_is_null(existing))) {
        code = wanted_put(tree, pointer, value, err);
        if (code == 0)
            code = patch_merge(list, object, tree, err);
    } else if (code == 0 && !json_equal(existing, value)) {
        json_t *one =
            json_pack("{s:s, s:s, s:O}", "op", "replace", "path", pointer, "value", value);
        code = json_array_append_new(list, one) == 0 ? 0 : mem_error(err);
    }
    *operations = code == 0 ? json_incref(list) : NULL;
    return code;
}

static int assign(struct assignment *assignment, const json_t *path, json_t *value,
                  struct karta_error *err)
{
    KARTA_AUTO_TEXT pointer = NULL;
    json_auto_t *operations = NULL;
    const json_t *ignored;
    json_t *next = NULL;
    int code = resolve_pointer(assignment->object, path, &pointer, &ignored, err);
    if (code == 0)
        code = operations_of(assignment->object, pointer, value, &operations, err);
    if (code == 0)
        code = karta_patch_apply(assignment->object, operations, &next, err);
    if (code != 0)
        return code;
    json_decref(assignment->object);
    assignment->object = next;
    return json_array_extend(assignment->operations, operations) == 0 ? 0 : mem_error(err);
}

static int run_action(struct assignment *assignment, const struct component *component,
                      const struct action *action, const struct jq_result *result,
                      struct karta_error *err)
{
    const char *text = jq_expression_text(action->path.jq);
    if (result->error != NULL || json_array_size(result->values) == 0)
        return karta_error_set(err, KARTA_ERR_EXPRESSION, "path `%.80s` of %s: %s", text,
                               component->name,
                               result->error != NULL ? result->error : "gives no place here");
    int code = 0;
    for (size_t i = 0; code == 0 && i < json_array_size(result->values); i++)
        code = assign(assignment, json_array_get(result->values, i), action->value, err);
    return code;
}

static int run_actions(const struct karta_definition *definition, const struct jq_results *results,
                       bool resume, struct assignment *assignment, struct karta_error *err)
{
    int code = 0;
    for (size_t c = 0; c < definition->component_count; c++) {
        const struct component *component = &definition->components[c];
        const struct action *actions = resume ? component->resume : component->suspend;
        size_t count = resume ? component->resume_count : component->suspend_count;
        for (size_t i = 0; code == 0 && i < count; i++)
            code = run_action(assignment, component, &actions[i],
                              &results->parts[actions[i].path.part], err);
    }
    return code;
}

static bool has_actions(const struct karta_definition *definition)
{
    for (size_t c = 0; c < definition->component_count; c++)
        if (definition->components[c].suspend_count > 0)
            return true;
    return false;
}

static int suspend(const struct karta_definition *definition, const json_t *object, bool resume,
                   int64_t deadline_ms, json_t **patch, struct karta_error *err)
{
    struct jq_input *input = NULL;
    struct jq_results results = {0};
    struct assignment assignment = {json_array(), json_incref((json_t *)object)};
    int code = assignment.operations != NULL ? jq_input_new(object, &input, err) : mem_error(err);
    if (code == 0)
        code = jq_program_run(definition->status, input, deadline_ms, &results, err);
    if (code == 0)
        code = run_actions(definition, &results, resume, &assignment, err);
    if (code == 0)
        *patch = json_incref(assignment.operations);
    json_decref(assignment.operations);
    json_decref(assignment.object);
    jq_results_dispose(&results);
    jq_input_free(input);
    return code;
}

int karta_suspend(const struct karta_snapshot *snapshot, const json_t *object, bool resume,
                  int64_t deadline_ms, json_t **patch, struct karta_error *err)
{
    const struct karta_definition *definition = karta_snapshot_find_for(snapshot, object);
    if (definition == NULL)
        return karta_error_set(err, KARTA_ERR_NOT_FOUND, "no definition covers the object's kind");
    if (!has_actions(definition))
        return karta_error_set(err, KARTA_ERR_NOT_FOUND, "definition %s says no way to %s",
                               definition->name, resume ? "resume" : "suspend");
    return suspend(definition, object, resume, deadline_ms, patch, err);
}
