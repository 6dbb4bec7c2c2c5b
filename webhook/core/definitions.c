/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /validate/definitions. The one idea: an author hears of every problem at once, and nobody is
 * stopped from labelling or deleting an object that was stored before we were there.
 */
#include <string.h>

#include "base/mem.h"
#include "handlers.h"
#include "karta_object.h"
#include "warning.h"

static bool same(json_t *a, json_t *b)
{
    return a == b || (a != NULL && b != NULL && json_equal(a, b));
}

/* An update that changes nothing of ours, or of an object on its way out. */
static bool is_harmless(const struct review *review)
{
    if (object_is_deleting(review->object))
        return true;
    return review->old_object != NULL && same(json_object_get(review->object, "spec"),
                                              json_object_get(review->old_object, "spec"));
}

static char *warning_text(const struct karta_problems *problems, size_t index)
{
    char *text = mem_format("%s: %s", karta_problem_path(problems, index),
                            karta_problem_message(problems, index));
    if (text != NULL)
        warning_cut(text);
    return text;
}

static json_t *warnings_of(const struct karta_problems *problems)
{
    json_t *list = json_array();
    for (size_t i = 0; i < karta_problems_count(problems); i++) {
        if (karta_problem_severity(problems, i) != KARTA_WARNING ||
            json_array_size(list) == WARNINGS_MOST)
            continue;
        KARTA_AUTO_TEXT text = warning_text(problems, i);
        json_array_append_new(list, json_string(text));
    }
    return list;
}

/* Each refusal whole. New, NULL when memory is out. */
static json_t *causes_of(const struct karta_problems *problems)
{
    json_t *list = json_array();
    for (size_t i = 0; i < karta_problems_count(problems); i++) {
        if (karta_problem_severity(problems, i) != KARTA_REFUSAL)
            continue;
        json_t *cause = json_pack("{s:s, s:s, s:s}", "reason", "FieldValueInvalid", "field",
                                  karta_problem_path(problems, i), "message",
                                  karta_problem_message(problems, i));
        if (json_array_append_new(list, cause) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

int response_refuse(struct response *response, const struct karta_problems *problems)
{
    response->allowed = false;
    response->code = 422;
    response->reason = "Invalid";
    response->message = karta_problems_summary(problems);
    response->causes = causes_of(problems);
    return response->message != NULL && response->causes != NULL ? 0 : KARTA_ERR_NOMEM;
}

/* What a definition is for is its identity: workloads remember it. */
static void check_update(const struct review *review, struct karta_problems *problems)
{
    if (review->old_object == NULL || object_root_text(review->old_object, "kind")[0] == '\0' ||
        object_root_text(review->object, "kind")[0] == '\0' ||
        object_root_is_same(review->object, review->old_object))
        return;
    karta_problems_add(problems, KARTA_REFUSAL, "spec.structureDefinition.rootComponent.kind",
                       "cannot change: delete the definition and create another");
}

/*
 * Two objects of the cluster for one kind: which is in force would be chance. Definitions from
 * files are no obstacle: the cluster's object takes their place.
 */
static void check_taken(const struct karta_snapshot *snapshot, const struct review *review,
                        struct karta_problems *problems)
{
    static const char cluster[] = "cluster:";
    const json_t *metadata = json_object_get(review->object, "metadata");
    const char *name = json_string_value(json_object_get(metadata, "name"));
    const struct karta_definition *other = karta_snapshot_find(
        snapshot, object_root_text(review->object, "group"),
        object_root_text(review->object, "version"), object_root_text(review->object, "kind"));
    if (other == NULL || strcmp(review->operation, "CREATE") != 0 ||
        strncmp(karta_definition_origin(other), cluster, sizeof cluster - 1) != 0 ||
        object_is_deleting(karta_definition_document(other)) ||
        (name != NULL && strcmp(name, karta_definition_name(other)) == 0))
        return;
    karta_problems_add(problems, KARTA_REFUSAL, "spec.structureDefinition.rootComponent.kind",
                       "is covered by Karta \"%s\" already: change that one, or delete it first",
                       karta_definition_name(other));
}

int handle_definitions(const struct karta_snapshot *snapshot, const struct review *review,
                       struct response *response)
{
    response->allowed = true;
    if (review->object == NULL || review->sub_resource[0] != '\0' ||
        strcmp(review->operation, "DELETE") == 0 || is_harmless(review))
        return 0;
    struct karta_problems *problems = karta_problems_new();
    if (problems == NULL)
        return KARTA_ERR_NOMEM;
    if (object_is_karta(review->object)) {
        check_update(review, problems);
        check_taken(snapshot, review, problems);
    }
    karta_document_validate(review->object, problems);
    response->warnings = warnings_of(problems);
    int code = response->warnings != NULL ? 0 : KARTA_ERR_NOMEM;
    if (code == 0 && karta_problems_refusals(problems) > 0)
        code = response_refuse(response, problems);
    karta_problems_free(problems);
    return code;
}
