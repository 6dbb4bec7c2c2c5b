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
        cmocka_unit_test(reference__keeps_a_snapshot_alive),
        cmocka_unit_test(warm__compiles_the_built_in_catalog)};
    if (karta_engine_init(NULL) != 0)
        return 1;
    int failed = cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
    karta_engine_shutdown();
    return failed;
}
