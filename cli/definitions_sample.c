/* SPDX-License-Identifier: Apache-2.0 */
/* A Karta tried on a workload: what each of its paths gives there, and what comes of it. */
#include <string.h>

#include "base/mem.h"
#include "definitions.h"
#include "exit_code.h"
#include "karta/explain.h"
#include "karta/view.h"
#include "message.h"
#include "ticker.h"

/* what the server gives a whole object by default: no single path may take that long */
#define EXPRESSION_MS 100

bool definitions_covers(const json_t *document, const json_t *object)
{
    const json_t *structure =
        json_object_get(json_object_get(document, "spec"), "structureDefinition");
    const json_t *kind = json_object_get(json_object_get(structure, "rootComponent"), "kind");
    KARTA_AUTO_TEXT version = definitions_api_version(kind);
    return version != NULL && *input_text(kind, "kind") != '\0' &&
           strcmp(version, input_text(object, "apiVersion")) == 0 &&
           strcmp(input_text(kind, "kind"), input_text(object, "kind")) == 0;
}

/* A snapshot of this one Karta: several given ones may be for one kind. New, or NULL. */
static struct karta_snapshot *snapshot_of(const struct input_document *karta)
{
    KARTA_AUTO_TEXT text = json_dumps(karta->value, 0);
    struct karta_snapshot *snapshot = text != NULL ? karta_snapshot_new() : NULL;
    struct karta_error err = {0};
    if (snapshot != NULL &&
        karta_snapshot_load(snapshot, text, strlen(text), karta->label, NULL, &err) == 0)
        return snapshot;
    karta_snapshot_unref(snapshot);
    return NULL;
}

/* How many of its results say nothing. */
static size_t count_silent(const json_t *results)
{
    size_t silent = 0;
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *result = json_array_get(results, i);
        bool place = json_object_get(result, "pointer") != NULL;
        silent += json_is_null(place ? json_object_get(result, "value") : result) ? 1 : 0;
    }
    return silent;
}

enum lack { LACKS_NOTHING, LACKS_SOME, LACKS_ALL, FAILED };

/* What an author should look at. Actions only write, so that a place is all they give. */
static enum lack lack_of(const json_t *entry)
{
    const json_t *results = json_object_get(entry, "results");
    size_t count = json_array_size(results), silent = count_silent(results);
    bool action = strstr(input_text(entry, "field"), ".suspendDefinition.") != NULL;
    if (json_object_get(entry, "error") != NULL)
        return FAILED;
    if (results == NULL || (action && count > 0))
        return LACKS_NOTHING;
    return silent == count ? LACKS_ALL : silent > 0 ? LACKS_SOME : LACKS_NOTHING;
}

/* New list of the fields whose entries lack that. */
static json_t *fields_that(const json_t *entries, enum lack lack)
{
    json_t *fields = json_array();
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        if (lack_of(entry) == lack)
            json_array_append(fields, json_object_get(entry, "field"));
    }
    return fields;
}

static json_t *workload_of(const json_t *object)
{
    const json_t *metadata = json_object_get(object, "metadata");
    const char *name = json_string_value(json_object_get(metadata, "name"));
    if (name == NULL)
        name = json_string_value(json_object_get(metadata, "generateName"));
    return json_pack("{s:s, s:s, s:s*}", "apiVersion", input_text(object, "apiVersion"), "kind",
                     input_text(object, "kind"), "name", name);
}

static int add_view(const struct karta_snapshot *snapshot, const json_t *object, json_t *result)
{
    struct karta_error err = {0};
    json_t *view = NULL;
    if (karta_view(snapshot, object, NULL, ticker_deadline(), &view, &err) == 0)
        return json_object_set_new(result, "view", view);
    return json_object_set_new(result, "error", json_string(err.message));
}

int definitions_sample(const struct input_document *karta, const struct input_document *sample,
                       json_t **result)
{
    struct karta_error err = {0};
    json_auto_t *entries = NULL;
    struct karta_snapshot *snapshot = snapshot_of(karta);
    const struct karta_definition *definition =
        snapshot != NULL ? karta_snapshot_find_for(snapshot, sample->value) : NULL;
    int code = definition != NULL
                   ? karta_explain(definition, sample->value, EXPRESSION_MS, &entries, &err)
                   : karta_error_set(&err, KARTA_ERR_NOMEM, "out of memory");
    if (code == 0) {
        *result =
            json_pack("{s:s, s:o, s:O, s:o, s:o, s:o}", "sample", sample->label, "workload",
                      workload_of(sample->value), "expressions", entries, "failed",
                      fields_that(entries, FAILED), "nothing", fields_that(entries, LACKS_ALL),
                      "partly", fields_that(entries, LACKS_SOME));
        if (*result == NULL || add_view(snapshot, sample->value, *result) != 0)
            code = karta_error_set(&err, KARTA_ERR_NOMEM, "out of memory");
    }
    karta_snapshot_unref(snapshot);
    return code == 0 ? CLI_DONE : cli_fail_error(cli_code_of(&err), sample->label, &err);
}
