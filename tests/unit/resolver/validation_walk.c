/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every field of every definition and profile, replaced by a value of each JSON type and left out:
 * nothing crashes, a wrong type is always refused where it stands, and what is accepted works.
 *
 * `everything` is walked whole. Of our definitions, which are many and alike, every STRIDE-th
 * variant is tried, from another start in each; and since compiling is what costs, every SAMPLE-th
 * variant that is accepted is loaded and run, on the example of its kind and on a bare object.
 * KARTA_WALK_STRIDE=1 and KARTA_WALK_SAMPLE=1 in the environment try and run all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "definition.h"
#include "document_validate.h"
#include "karta/document.h"
#include "karta/engine.h"
#include "karta/mutate.h"
#include "karta/view.h"
#include "profile.h"
#include "schema.h"
#include "support.h"

#define SAMPLE 40
#define STRIDE 11 /* no divisor of the number of replacements */

/* In the order of json_type, so that the tests below read like a table; NULL leaves it out. */
static const char *const replacements[] = {"\"x\"", "\"\"", "0",      "-1", "3.5",       "true",
                                           "null",  "[]",   "[null]", "{}", "{\"a\":1}", NULL};

struct walk {
    json_t *document; /* the good one */
    bool profile;
    struct karta_snapshot
        *snapshot; /* variants that were accepted are loaded one after the other */
    json_t **examples;
    size_t example_count;
    size_t variants, accepted, run, sample, stride, turn;
};

/* What is at `at` in `root`, and the container that holds it. */
static json_t *find(json_t *root, const struct at *at, json_t **container)
{
    if (at == NULL)
        return root;
    json_t *unused;
    json_t *up = find(root, at->up, &unused);
    *container = up;
    return at->key != NULL ? json_object_get(up, at->key) : json_array_get(up, at->index);
}

/* New copy of the document, with the value at `at` replaced or, where it is NULL, left out. */
static json_t *variant(const struct walk *walk, const struct at *at, json_t *value)
{
    json_t *copy = json_deep_copy(walk->document), *container = NULL;
    find(copy, at, &container);
    if (at->key != NULL && value == NULL)
        json_object_del(container, at->key);
    else if (at->key != NULL)
        json_object_set(container, at->key, value);
    else if (value == NULL)
        json_array_remove(container, at->index);
    else
        json_array_set(container, at->index, value);
    return copy;
}

static int type_class(const json_t *value)
{
    return json_is_number(value) ? JSON_INTEGER
                                 : (json_is_boolean(value) ? JSON_TRUE : (int)json_typeof(value));
}

/* null in an object is as if the field weren't there; in a list it is an element of a wrong type.
 */
static bool is_wrong(const struct at *at, const json_t *original, const json_t *value)
{
    if (value == NULL || (json_is_null(value) && at->key != NULL))
        return false;
    return type_class(original) != type_class(value);
}

/* True when a refusal stands at `path` or above it. */
static bool is_refused_at(const struct karta_problems *problems, const char *path)
{
    for (size_t i = 0; i < karta_problems_count(problems); i++) {
        const char *where = karta_problem_path(problems, i);
        size_t size = strlen(where);
        if (karta_problem_severity(problems, i) == KARTA_REFUSAL &&
            strncmp(path, where, size) == 0 && (size == 0 || strchr(".[", path[size]) != NULL))
            return true;
    }
    return false;
}

/* Whether it would load; nothing is compiled. */
static bool is_accepted(const struct walk *walk, const json_t *document,
                        struct karta_problems *problems)
{
    if (document_kind(document, problems) == DOCUMENT_UNKNOWN)
        return false;
    if (walk->profile) {
        struct karta_profile *profile = profile_new(document, "", problems);
        profile_free(profile);
        return profile != NULL;
    }
    struct karta_definition *definition = definition_new(document, "", problems);
    definition_free(definition);
    return definition != NULL;
}

/* Only an expression of a profile may fail as a whole; a definition's fail in their component. */
static void run_on(const struct walk *walk, const json_t *object, const char *profile,
                   const char *what)
{
    const struct karta_mutate_options options = {
        .profile = profile, .ns = "ml", .uid = "u", .gang_all = true};
    struct karta_mutation mutation = {0};
    struct karta_error err = {0};
    json_t *view = NULL;
    int code = karta_mutate_create(walk->snapshot, object, &options, &mutation, &err);
    if (code != 0 && !(walk->profile && code == KARTA_ERR_EXPRESSION))
        fail_msg("mutate: %s: %s", what, err.message);
    karta_mutation_dispose(&mutation);
    if (!walk->profile && karta_view(walk->snapshot, object, NULL, 0, &view, &err) != 0)
        fail_msg("view: %s: %s", what, err.message);
    json_decref(view);
}

/* New, bare object of the kind that the document defines. */
static json_t *bare_object(const json_t *document)
{
    const json_t *structure =
        json_object_get(json_object_get(document, "spec"), "structureDefinition");
    const json_t *kind = json_object_get(json_object_get(structure, "rootComponent"), "kind");
    const char *group = json_string_value(json_object_get(kind, "group"));
    const char *version = json_string_value(json_object_get(kind, "version"));
    bool grouped = group != NULL && group[0] != '\0';
    KARTA_AUTO_TEXT api = mem_format("%s%s%s", grouped ? group : "", grouped ? "/" : "", version);
    return json_pack("{s:s, s:O, s:{s:s}}", "apiVersion", api, "kind",
                     json_object_get(kind, "kind"), "metadata", "name", "bare");
}

static void run_accepted(struct walk *walk, const json_t *document, const char *what)
{
    struct karta_error err = {0};
    KARTA_AUTO_TEXT text = json_dumps(document, 0);
    KARTA_AUTO_TEXT origin = mem_format("variant-%zu", walk->accepted);
    if (karta_snapshot_load(walk->snapshot, text, strlen(text), origin, NULL, &err) != 0)
        fail_msg("accepted, but does not load: %s: %s", what, err.message);
    const json_t *metadata = json_object_get(document, "metadata");
    const char *name = json_string_value(json_object_get(metadata, "name"));
    for (size_t i = 0; i < walk->example_count; i++) {
        const struct karta_definition *definition =
            karta_snapshot_find_for(walk->snapshot, walk->examples[i]);
        bool ours = definition != NULL && strcmp(karta_definition_origin(definition), origin) == 0;
        if (walk->profile || ours)
            run_on(walk, walk->examples[i], walk->profile ? name : "kai", what);
    }
    if (!walk->profile) {
        json_auto_t *bare = bare_object(document);
        assert_non_null(karta_snapshot_find_for(walk->snapshot, bare));
        run_on(walk, bare, "kai", what);
    }
    walk->run++;
}

static void try_variant(struct walk *walk, const struct at *at, const json_t *original,
                        const char *replacement)
{
    json_t *value = replacement != NULL ? json_loads(replacement, JSON_DECODE_ANY, NULL) : NULL;
    json_t *document = variant(walk, at, value);
    struct karta_problems *problems = karta_problems_new();
    KARTA_AUTO_TEXT path = at_path(at, NULL);
    KARTA_AUTO_TEXT what =
        mem_format("%s = %s", path, replacement != NULL ? replacement : "(left out)");
    bool accepted = is_accepted(walk, document, problems);
    if (accepted == (karta_problems_refusals(problems) > 0))
        fail_msg("accepted with a refusal, or refused without: %s", what);
    if (is_wrong(at, original, value) && !is_refused_at(problems, path))
        fail_msg("a wrong type is not refused: %s", what);
    walk->variants++;
    if (accepted && walk->accepted++ % walk->sample == 0)
        run_accepted(walk, document, what);
    else if (!accepted && walk->variants % walk->sample == 0)
        karta_document_validate(document, problems);
    karta_problems_free(problems);
    json_decref(document);
    json_decref(value);
}

static void walk_value(struct walk *walk, const json_t *value, const struct at *at)
{
    for (size_t i = 0; at != NULL && i < sizeof replacements / sizeof replacements[0]; i++)
        if (walk->turn++ % walk->stride == 0)
            try_variant(walk, at, value, replacements[i]);
    const char *key;
    json_t *child;
    json_object_foreach((json_t *)value, key, child)
    {
        const struct at here = {at, key, 0};
        walk_value(walk, child, &here);
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        const struct at here = {at, NULL, i};
        walk_value(walk, json_array_get(value, i), &here);
    }
}

/* The documents of a folder's YAML files, the first of each; new. */
static json_t **read_folder(const char *name, size_t *count)
{
    KARTA_AUTO_TEXT dir = mem_format("%s/%s", KARTA_SOURCE_DIR, name);
    struct karta_error err = {0};
    char **paths = NULL;
    json_t **list = NULL;
    *count = 0;
    assert_int_equal(file_list(dir, &paths, &err), 0);
    for (size_t i = 0; paths[i] != NULL; i++) {
        KARTA_AUTO_TEXT bytes = NULL;
        size_t size = 0;
        json_t *documents = NULL;
        if (strstr(paths[i], ".yaml") == NULL)
            continue;
        assert_int_equal(file_read(paths[i], 1U << 20, &bytes, &size, &err), 0);
        assert_int_equal(karta_documents_parse(bytes, size, &documents, &err), 0);
        list = reallocarray(list, *count + 1, sizeof(json_t *));
        list[(*count)++] = json_incref(json_array_get(documents, 0));
        json_decref(documents);
    }
    file_list_free(paths);
    return list;
}

static void free_list(json_t **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_decref(list[i]);
    free(list);
}

static size_t number_of(const char *variable, size_t fallback)
{
    const char *text = getenv(variable);
    size_t number = text != NULL ? strtoul(text, NULL, 10) : 0;
    return number > 0 ? number : fallback;
}

static void walk_folder(const char *folder, bool profile, size_t stride)
{
    size_t count;
    json_t **documents = read_folder(folder, &count);
    struct walk walk = {.profile = profile,
                        .snapshot = test_snapshot(),
                        .sample = number_of("KARTA_WALK_SAMPLE", SAMPLE),
                        .stride = number_of("KARTA_WALK_STRIDE", stride)};
    walk.examples = read_folder("manifests/examples", &walk.example_count);
    assert_true(count > 0 && walk.example_count > 0);
    for (size_t i = 0; i < count; i++) {
        walk.document = documents[i];
        walk.turn = i;
        walk_value(&walk, documents[i], NULL);
    }
    print_message("%s: %zu variants, %zu accepted, %zu of them run\n", folder, walk.variants,
                  walk.accepted, walk.run);
    assert_true(walk.run > 0);
    karta_snapshot_unref(walk.snapshot);
    free_list(walk.examples, walk.example_count);
    free_list(documents, count);
}

/* Fields that no definition of ours has. */
static void walk__every_field_survives_every_type(void **state)
{
    (void)state;
    walk_folder("tests/fixtures/validate/everything", false, 1);
    walk_folder("tests/fixtures/validate/everything-older", false, 1);
}

static void walk__definitions_survive_every_type(void **state)
{
    (void)state;
    walk_folder("definitions", false, STRIDE);
}

static void walk__profiles_survive_every_type(void **state)
{
    (void)state;
    walk_folder("profiles", true, 1);
}

/* Whole documents, and specs that are nothing. */
static void validate__survives_documents_that_are_none(void **state)
{
    (void)state;
    static const char *const documents[] = {
        "null",
        "[]",
        "7",
        "\"x\"",
        "{}",
        "{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta'}",
        "{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta', 'metadata': null, 'spec': null}",
        "{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta', 'spec': {'structureDefinition': null,"
        " 'optimizationInstructions': {'gangScheduling': {'podGroup': null, 'podGroups': null}}}}",
        "{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta', 'spec': {'structureDefinition':"
        " {'rootComponent': null, 'childComponents': [null, null]}}}",
        "{'apiVersion': 'workloadmap.dev/v1alpha1', 'kind': 'GangProfile', 'spec': null}"};
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        json_t *document = test_json(documents[i]);
        struct karta_problems *problems = karta_problems_new();
        karta_document_validate(document, problems);
        assert_true(karta_problems_refusals(problems) > 0);
        karta_problems_free(problems);
        json_decref(document);
    }
    struct karta_problems *problems = karta_problems_new();
    karta_document_validate(NULL, problems);
    assert_string_equal(karta_problem_message(problems, 0), "is nothing where an object belongs");
    karta_problems_free(problems);
}

static void validate__bounds_the_components(void **state)
{
    (void)state;
    char *bytes = test_read("tests/fixtures/validate/good/karta.yaml", NULL);
    json_t *documents = NULL;
    struct karta_error err = {0};
    assert_int_equal(karta_documents_parse(bytes, strlen(bytes), &documents, &err), 0);
    json_t *structure = json_object_get(json_object_get(json_array_get(documents, 0), "spec"),
                                        "structureDefinition");
    json_t *children = json_object_get(structure, "childComponents");
    while (json_array_size(children) < 64)
        json_array_append(children, json_array_get(children, 0));
    struct karta_problems *problems = karta_problems_new();
    karta_document_validate(json_array_get(documents, 0), problems);
    char *text = karta_problems_summary(problems);
    assert_string_equal(text,
                        "spec.structureDefinition.childComponents: has 64 entries; at most 63");
    free(text);
    karta_problems_free(problems);
    json_decref(documents);
    free(bytes);
}

static int start(void **state)
{
    (void)state;
    return karta_engine_init(NULL);
}

static int stop(void **state)
{
    (void)state;
    karta_engine_shutdown();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(validate__survives_documents_that_are_none),
                                       cmocka_unit_test(validate__bounds_the_components),
                                       cmocka_unit_test(walk__every_field_survives_every_type),
                                       cmocka_unit_test(walk__definitions_survive_every_type),
                                       cmocka_unit_test(walk__profiles_survive_every_type)};
    return cmocka_run_group_tests_name("validation_walk", tests, start, stop);
}
