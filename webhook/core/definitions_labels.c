/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /mutate/definitions. The one idea: three labels repeat the root's kind, so that who looks for the
 * Karta of a kind selects by them instead of reading all. They are ours: put right where they were
 * never true, refused where somebody edits them.
 */
#include <string.h>

#include "base/mem.h"
#include "handlers.h"
#include "karta_object.h"
#include "names.h"
#include "patch.h"

static const struct {
    const char *label, *key;
} labels[] = {{"run.ai/karta-group", "group"},
              {"run.ai/karta-version", "version"},
              {"run.ai/karta-kind", "kind"}};
#define LABELS (sizeof labels / sizeof labels[0])

static const char *label_of(const json_t *object, const char *label)
{
    const json_t *metadata = json_object_get(object, "metadata");
    return json_string_value(json_object_get(json_object_get(metadata, "labels"), label));
}

/* What another endpoint refuses with better words, or what is none of our business. */
static bool is_untouched(const struct review *review)
{
    bool create = strcmp(review->operation, "CREATE") == 0;
    bool update = strcmp(review->operation, "UPDATE") == 0;
    return !(create || update) || review->object == NULL || review->sub_resource[0] != '\0' ||
           !object_is_karta(review->object) || object_is_deleting(review->object) ||
           !object_root_is_whole(review->object) ||
           (update && object_root_is_whole(review->old_object) &&
            !object_root_is_same(review->object, review->old_object));
}

/* Edited: it says something else than the root, and not what it said before. */
static bool is_edited(const struct review *review, const char *label, const char *right)
{
    const char *now = label_of(review->object, label);
    const char *before = label_of(review->old_object, label);
    return strcmp(review->operation, "UPDATE") == 0 && now != NULL && strcmp(now, right) != 0 &&
           (before == NULL || strcmp(now, before) != 0);
}

/*
 * What the labels must be, as a tree to lay over the object; edited ones become problems. A value
 * that no label can hold is left out: no selector could name it either. An absent group is the core
 * group's "", which selectors ask for too.
 */
static int want(const struct review *review, json_t *tree, struct karta_problems *problems)
{
    for (size_t i = 0; i < LABELS; i++) {
        const char *label = labels[i].label;
        const char *right = object_root_text(review->object, labels[i].key);
        if (!name_is_label_value(right))
            continue;
        if (is_edited(review, label, right))
            karta_problems_add(problems, KARTA_REFUSAL, "metadata.labels",
                               "%s is \"%.80s\"; it must be \"%s\", the root's %s, by which others "
                               "find this Karta",
                               label, label_of(review->object, label), right, labels[i].key);
        KARTA_AUTO_TEXT pointer = pointer_join("/metadata/labels", label);
        json_t *value = json_string(right);
        int code = pointer != NULL && value != NULL ? wanted_put(tree, pointer, value, NULL)
                                                    : KARTA_ERR_NOMEM;
        json_decref(value);
        if (code != 0)
            return code;
    }
    return 0;
}

/* Metadata or labels that are no objects are for the API server to refuse. */
static int answer(const struct review *review, const json_t *tree, struct response *response)
{
    json_t *patch = json_array();
    int code = patch != NULL ? patch_merge(patch, review->object, tree, NULL) : KARTA_ERR_NOMEM;
    if (code == 0)
        response->patch = patch;
    else
        json_decref(patch);
    return code == KARTA_ERR_CONFLICT ? 0 : code;
}

int handle_definition_labels(const struct review *review, struct response *response)
{
    response->allowed = true;
    if (is_untouched(review))
        return 0;
    json_auto_t *tree = json_object();
    struct karta_problems *problems = karta_problems_new();
    int code = tree != NULL && problems != NULL ? want(review, tree, problems) : KARTA_ERR_NOMEM;
    if (code == 0)
        code = karta_problems_refusals(problems) > 0 ? response_refuse(response, problems)
                                                     : answer(review, tree, response);
    karta_problems_free(problems);
    return code;
}
