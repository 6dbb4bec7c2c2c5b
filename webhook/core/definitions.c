/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /validate/definitions. The one idea: an author hears of every problem at once, and nobody is
 * stopped from labelling or deleting an object that was stored before we were there.
 */
#include <string.h>

#include "base/mem.h"
#include "handlers.h"
#include "karta/problem.h"

static json_t *root_kind(const json_t *object)
{
    static const char *const path[] = {"spec", "structureDefinition", "rootComponent", "kind"};
    const json_t *value = object;
    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++)
        value = json_object_get(value, path[i]);
    return (json_t *)value;
}

static bool same(json_t *a, json_t *b)
{
    return a == b || (a != NULL && b != NULL && json_equal(a, b));
}

/* An update that changes nothing of ours, or of an object on its way out. */
static bool is_harmless(const struct review *review)
{
    const json_t *metadata = json_object_get(review->object, "metadata");
    if (json_is_string(json_object_get(metadata, "deletionTimestamp")))
        return true;
    return review->old_object != NULL && same(json_object_get(review->object, "spec"),
                                              json_object_get(review->old_object, "spec"));
}

static json_t *warnings_of(const struct karta_problems *problems)
{
    json_t *list = json_array();
    for (size_t i = 0; i < karta_problems_count(problems) && json_array_size(list) < 10; i++) {
        if (karta_problem_severity(problems, i) != KARTA_WARNING)
            continue;
        KARTA_AUTO_TEXT text = mem_format("%s: %s", karta_problem_path(problems, i),
                                          karta_problem_message(problems, i));
        if (text != NULL && strlen(text) > 255)
            memcpy(text + 252, "...", 4);
        json_array_append_new(list, json_string(text));
    }
    return list;
}

static json_t *causes_of(const struct karta_problems *problems)
{
    json_t *list = json_array();
    for (size_t i = 0; i < karta_problems_count(problems); i++)
        if (karta_problem_severity(problems, i) == KARTA_REFUSAL)
            json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "reason", "FieldValueInvalid",
                                                  "field", karta_problem_path(problems, i),
                                                  "message", karta_problem_message(problems, i)));
    return list;
}

static void check_update(const struct review *review, struct karta_problems *problems)
{
    if (review->old_object != NULL && root_kind(review->old_object) != NULL &&
        !same(root_kind(review->object), root_kind(review->old_object)))
        karta_problems_add(problems, KARTA_REFUSAL, "spec.structureDefinition.rootComponent.kind",
                           "cannot change: delete the definition and create another");
}

int handle_definitions(const struct review *review, struct response *response)
{
    response->allowed = true;
    if (review->object == NULL || review->sub_resource[0] != '\0' ||
        strcmp(review->operation, "DELETE") == 0 || is_harmless(review))
        return 0;
    struct karta_problems *problems = karta_problems_new();
    if (problems == NULL)
        return KARTA_ERR_NOMEM;
    karta_document_validate(review->object, problems);
    check_update(review, problems);
    response->warnings = warnings_of(problems);
    if (karta_problems_refusals(problems) > 0) {
        response->allowed = false;
        response->code = 422;
        response->reason = "Invalid";
        response->message = karta_problems_summary(problems);
        response->causes = causes_of(problems);
    }
    bool good = response->warnings != NULL && (response->allowed || response->message != NULL);
    karta_problems_free(problems);
    return good ? 0 : KARTA_ERR_NOMEM;
}
