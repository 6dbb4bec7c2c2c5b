/* SPDX-License-Identifier: Apache-2.0 */
#include "schema.h"

#include <stdlib.h>

#include "support.h"

static void nearest__finds_what_a_typo_meant(void **state)
{
    (void)state;
    static const char *const names[] = {"name",           "kind",          "ownerRef",
                                        "specDefinition", "instanceIdPath", "podSelector",
                                        "fragmentedPodSpecDefinition", NULL};
    assert_string_equal(nearest_name("ownerName", names), "ownerRef");
    assert_string_equal(nearest_name("fragmentedPodDefinition", names),
                        "fragmentedPodSpecDefinition");
    assert_string_equal(nearest_name("podSelecter", names), "podSelector");
    assert_string_equal(nearest_name("instanceIDPath", names), "instanceIdPath");
    assert_null(nearest_name("zzz", names));
    assert_null(nearest_name("", names));
}

static void path__joins_keys_and_indexes(void **state)
{
    (void)state;
    const struct at spec = {NULL, "spec", 0}, list = {&spec, "children", 0},
                    element = {&list, NULL, 3};
    char *path = at_path(&element, "name");
    assert_string_equal(path, "spec.children[3].name");
    free(path);
    path = at_path(NULL, "kind");
    assert_string_equal(path, "kind");
    free(path);
}

static void get__says_what_is_there_and_what_belongs(void **state)
{
    (void)state;
    json_t *object = test_json("{'a': 1, 'b': null, 'c': 'x', 'd': true, 'e': 'x\\u0000y'}");
    struct karta_problems *problems = karta_problems_new();
    const struct at at = {NULL, "spec", 0};
    assert_null(schema_get(problems, &at, object, "b", JSON_OBJECT));
    assert_null(schema_get(problems, &at, object, "absent", JSON_OBJECT));
    assert_int_equal(karta_problems_count(problems), 0);
    assert_non_null(schema_get(problems, &at, object, "d", JSON_TRUE));
    assert_null(schema_get(problems, &at, object, "a", JSON_OBJECT));
    assert_string_equal(karta_problem_path(problems, 0), "spec.a");
    assert_string_equal(karta_problem_message(problems, 0), "is a number where an object belongs");
    assert_null(schema_text(problems, &at, object, "e"));
    assert_string_equal(karta_problem_message(problems, 1), "holds a NUL character");
    assert_null(schema_need_text(problems, &at, object, "b"));
    assert_string_equal(karta_problem_message(problems, 2), "is missing");
    karta_problems_free(problems);
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nearest__finds_what_a_typo_meant),
                                       cmocka_unit_test(path__joins_keys_and_indexes),
                                       cmocka_unit_test(get__says_what_is_there_and_what_belongs)};
    return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
