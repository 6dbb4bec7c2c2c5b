/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "karta/engine.h"
#include "support.h"

static const char karta[] =
    "apiVersion: run.ai/v1alpha1\n"
    "kind: Karta\n"
    "metadata: {name: %s, annotations: {workloadmap.dev/plural: things}}\n"
    "spec: {structureDefinition: {rootComponent: {name: thing, "
    "kind: {group: example.com, version: v1, kind: %s}, statusDefinition: {}}}}\n";

static int load(struct karta_snapshot *snapshot, const char *text, const char *origin,
                struct karta_problems *problems)
{
    return karta_snapshot_load(snapshot, text, strlen(text), origin, problems, NULL);
}

static void load_karta(struct karta_snapshot *snapshot, const char *name, const char *kind,
                       const char *origin)
{
    char *text = mem_format(karta, name, kind);
    assert_int_equal(load(snapshot, text, origin, NULL), 0);
    free(text);
}

static void load__later_shadows_earlier_of_the_same_kind(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot = karta_snapshot_new();
    load_karta(snapshot, "one", "Thing", "built-in:a.yaml");
    load_karta(snapshot, "two", "Thing", "dir:b.yaml");
    load_karta(snapshot, "three", "Other", "dir:c.yaml");
    const struct karta_definition *found =
        karta_snapshot_find(snapshot, "example.com", "v1", "Thing");
    assert_string_equal(karta_definition_name(found), "two");
    assert_string_equal(karta_definition_origin(found), "dir:b.yaml");
    assert_null(karta_snapshot_find(snapshot, "example.com", "v2", "Thing"));
    assert_null(karta_snapshot_find(snapshot, "", "v1", "Thing"));
    assert_null(karta_snapshot_find_name(snapshot, "one"));
    assert_int_equal(karta_snapshot_count(snapshot, "active"), 2);
    assert_int_equal(karta_snapshot_count(snapshot, "shadowed"), 1);
    karta_snapshot_unref(snapshot);
}

static void load__a_broken_document_harms_only_itself(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot = karta_snapshot_new();
    struct karta_problems *problems = karta_problems_new();
    load_karta(snapshot, "one", "Thing", "a.yaml");
    assert_int_equal(load(snapshot, "kind: [", "broken.yaml", problems), KARTA_ERR_SYNTAX);
    assert_int_equal(load(snapshot, "kind: Karta\n---\n7\n", "odd.yaml", problems), 0);
    load_karta(snapshot, "two", "Other", "c.yaml");
    assert_int_equal(karta_snapshot_count(snapshot, "active"), 2);
    assert_int_equal(karta_snapshot_count(snapshot, "failed"), 3);
    assert_int_equal(karta_problems_refusals(problems), 3);
    assert_string_equal(karta_problem_path(problems, 1), "odd.yaml: apiVersion");
    assert_string_equal(karta_problem_message(problems, 1), "is missing");
    assert_string_equal(karta_problem_path(problems, 2), "odd.yaml");
    assert_string_equal(karta_problem_message(problems, 2), "is a number where an object belongs");
    json_t *list = karta_snapshot_list(snapshot);
    assert_int_equal(json_array_size(list), 5);
    json_t *expected = test_json("{'name': '', 'kind': 'Karta', 'origin': 'odd.yaml',"
                                 " 'state': 'failed', 'problems': ['apiVersion: is missing']}");
    assert_json_equal(json_array_get(list, 2), expected);
    json_decref(expected);
    json_decref(list);
    karta_problems_free(problems);
    karta_snapshot_unref(snapshot);
}

static int is_wanted(void *arg, const char *origin)
{
    return strncmp(origin, arg, strlen(arg)) == 0;
}

/* What is adopted is the same definition, not one like it; it outlives where it came from. */
static void adopt__shares_documents(void **state)
{
    (void)state;
    struct karta_snapshot *first = karta_snapshot_new(), *second = karta_snapshot_new();
    load_karta(first, "one", "Thing", "dir:a.yaml");
    load_karta(first, "two", "Other", "dir:b.yaml");
    load_karta(first, "three", "Third", "cluster:c");
    load(first, "kind: [", "dir:broken.yaml", NULL);
    const struct karta_definition *one = karta_snapshot_find(first, "example.com", "v1", "Thing");
    load_karta(second, "own", "Other", "dir:own.yaml");
    assert_int_equal(karta_snapshot_adopt(second, first, is_wanted, "dir:", NULL), 0);
    karta_snapshot_unref(first);
    assert_ptr_equal(karta_snapshot_find(second, "example.com", "v1", "Thing"), one);
    assert_string_equal(karta_definition_name(one), "one");
    /* the later wins, adopted or not */
    assert_string_equal(karta_definition_name(karta_snapshot_find_name(second, "two")), "two");
    assert_null(karta_snapshot_find_name(second, "own"));
    assert_null(karta_snapshot_find(second, "example.com", "v1", "Third"));
    assert_int_equal(karta_snapshot_count(second, "active"), 2);
    assert_int_equal(karta_snapshot_count(second, "shadowed"), 1);
    assert_int_equal(karta_snapshot_count(second, "failed"), 1);
    assert_int_equal(karta_problems_count(karta_snapshot_problems(second, "dir:broken.yaml")), 1);
    assert_null(karta_snapshot_problems(second, "cluster:c"));
    karta_snapshot_unref(second);
}

/* What is shadowed in one snapshot may be in force in another. */
static void adopt__brings_back_what_was_shadowed(void **state)
{
    (void)state;
    struct karta_snapshot *first = karta_snapshot_new(), *second = karta_snapshot_new();
    load_karta(first, "built-in", "Thing", "built-in:a.yaml");
    load_karta(first, "live", "Thing", "cluster:live");
    assert_int_equal(karta_snapshot_adopt(second, first, is_wanted, "built-in:", NULL), 0);
    const struct karta_definition *found =
        karta_snapshot_find(second, "example.com", "v1", "Thing");
    assert_string_equal(karta_definition_name(found), "built-in");
    assert_int_equal(karta_snapshot_count(second, "shadowed"), 0);
    karta_snapshot_unref(first);
    karta_snapshot_unref(second);
}

static void adopt__takes_the_documents_of_one_origin(void **state)
{
    (void)state;
    struct karta_snapshot *first = karta_snapshot_new(), *second = karta_snapshot_new();
    size_t from = 0;
    load_karta(first, "one", "One", "cluster:a");
    load_karta(first, "two", "Two", "cluster:b");
    load_karta(first, "three", "Three", "cluster:b");
    load_karta(first, "four", "Four", "cluster:c");
    assert_int_equal(karta_snapshot_adopt_origin(second, first, "cluster:b", &from), 2);
    assert_int_equal(from, 3);
    assert_int_equal(karta_snapshot_adopt_origin(second, first, "cluster:c", &from), 1);
    assert_int_equal(karta_snapshot_adopt_origin(second, first, "cluster:a", &from), 1);
    assert_int_equal(karta_snapshot_adopt_origin(second, first, "cluster:none", &from), 0);
    assert_int_equal(karta_snapshot_definitions(second), 4);
    karta_snapshot_unref(first);
    assert_non_null(karta_snapshot_find(second, "example.com", "v1", "Three"));
    karta_snapshot_unref(second);
}

static void find__among_thousands(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot = karta_snapshot_new();
    for (int i = 0; i < 1000; i++) {
        KARTA_AUTO_TEXT name = mem_format("k%d", i);
        KARTA_AUTO_TEXT kind = mem_format("Kind%d", i);
        load_karta(snapshot, name, kind, "dir:many.yaml");
    }
    assert_int_equal(karta_snapshot_definitions(snapshot), 1000);
    for (size_t i = 0; i < 1000; i++) {
        KARTA_AUTO_TEXT kind = mem_format("Kind%zu", i);
        assert_ptr_equal(karta_snapshot_find(snapshot, "example.com", "v1", kind),
                         karta_snapshot_definition(snapshot, i));
    }
    assert_null(karta_snapshot_find(snapshot, "example.com", "v1", "Kind1000"));
    assert_null(karta_snapshot_definition(snapshot, 1000));
    karta_snapshot_unref(snapshot);
}

static void reference__keeps_a_snapshot_alive(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot = karta_snapshot_new();
    load_karta(snapshot, "one", "Thing", "a.yaml");
    struct karta_snapshot *other = karta_snapshot_ref(snapshot);
    karta_snapshot_unref(snapshot);
    assert_non_null(karta_snapshot_find(other, "example.com", "v1", "Thing"));
    karta_snapshot_unref(other);
    karta_snapshot_unref(NULL);
}

static void warm__compiles_the_built_in_catalog(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot = test_snapshot();
    struct karta_error err = {0};
    struct karta_engine_counts before, after;
    karta_engine_counts(&before);
    assert_int_equal(karta_snapshot_warm(snapshot, &err), 0);
    karta_engine_counts(&after);
    assert_true(after.compiled >= before.compiled + 4);
    assert_int_equal(after.compile_failures, 0);
    karta_snapshot_unref(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load__later_shadows_earlier_of_the_same_kind),
        cmocka_unit_test(load__a_broken_document_harms_only_itself),
        cmocka_unit_test(adopt__shares_documents),
        cmocka_unit_test(adopt__brings_back_what_was_shadowed),
        cmocka_unit_test(adopt__takes_the_documents_of_one_origin),
        cmocka_unit_test(find__among_thousands),
        cmocka_unit_test(reference__keeps_a_snapshot_alive),
        cmocka_unit_test(warm__compiles_the_built_in_catalog)};
    if (karta_engine_init(NULL) != 0)
        return 1;
    int failed = cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
    karta_engine_shutdown();
    return failed;
}
