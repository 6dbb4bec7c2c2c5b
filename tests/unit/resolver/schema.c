/* SPDX-License-Identifier: Apache-2.0 */
#include "schema.h"

#include <stdlib.h>
#include <string.h>

#include "problem_list.h"
#include "support.h"

static void nearest__finds_what_a_typo_meant(void **state)
{
    (void)state;
    static const char *const names[] = {"name",
                                        "kind",
                                        "ownerRef",
                                        "specDefinition",
                                        "instanceIdPath",
                                        "podSelector",
                                        "fragmentedPodSpecDefinition",
                                        NULL};
    assert_string_equal(nearest_name("ownerName", names), "ownerRef");
    assert_string_equal(nearest_name("fragmentedPodDefinition", names),
                        "fragmentedPodSpecDefinition");
    assert_string_equal(nearest_name("podSelecter", names), "podSelector");
    assert_string_equal(nearest_name("instanceIDPath", names), "instanceIdPath");
    assert_null(nearest_name("zzz", names));
    assert_null(nearest_name("", names));
    char meant[MEANT_SIZE];
    assert_string_equal(did_you_mean("name", meant), " (did you mean name?)");
    assert_string_equal(did_you_mean(NULL, meant), "");
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

static void get__asks_for_quotes_where_yaml_took_them(void **state)
{
    (void)state;
    json_t *object = test_json("{'a': true, 'b': 1.5, 'c': ['x'], 'd': 7}");
    struct karta_problems *problems = karta_problems_new();
    assert_null(schema_text(problems, NULL, object, "a"));
    assert_string_equal(karta_problem_message(problems, 0),
                        "is a boolean where text belongs; put it in quotes");
    assert_null(schema_text(problems, NULL, object, "b"));
    assert_string_equal(karta_problem_message(problems, 1),
                        "is a number where text belongs; put it in quotes");
    assert_null(schema_text(problems, NULL, object, "c"));
    assert_string_equal(karta_problem_message(problems, 2), "is a list where text belongs");
    assert_null(schema_get(problems, NULL, object, "d", JSON_TRUE));
    assert_string_equal(karta_problem_message(problems, 3), "is a number where a boolean belongs");
    karta_problems_free(problems);
    json_decref(object);
}

/* A name of any length still gives a path that says where it stands. */
static void path__cuts_long_keys(void **state)
{
    (void)state;
    char key[2001];
    memset(key, 'k', 2000);
    key[2000] = '\0';
    const struct at spec = {NULL, "spec", 0}, field = {&spec, key, 0};
    char *path = at_path(&field, "x");
    assert_int_equal(strlen(path), strlen("spec.") + 320 + strlen("...") + strlen(".x"));
    assert_string_equal(path + strlen(path) - 6, "k....x");
    free(path);
}

/* A sentence is kept whole, however long what it quotes is. */
static void problem__is_kept_whole(void **state)
{
    (void)state;
    char text[4001];
    memset(text, 'x', 4000);
    text[4000] = '\0';
    struct karta_problems *problems = karta_problems_new();
    schema_problem(problems, KARTA_REFUSAL, NULL, "a", "is `%s`", text);
    assert_int_equal(strlen(karta_problem_message(problems, 0)), 4000 + strlen("is ``"));
    karta_problems_free(problems);
}

static void assert_order(const char *document, const char *const *paths, const char *expected)
{
    json_t *value = test_json(document);
    struct karta_problems *problems = karta_problems_new();
    for (; *paths != NULL; paths++)
        karta_problems_add(problems, KARTA_REFUSAL, *paths, "x");
    problems_order(problems, value);
    char text[512] = "";
    for (size_t i = 0; i < karta_problems_count(problems); i++) {
        strcat(text, karta_problem_path(problems, i));
        strcat(text, " ");
    }
    assert_string_equal(text, expected);
    karta_problems_free(problems);
    json_decref(value);
}

static void order__is_that_of_the_document(void **state)
{
    (void)state;
    assert_order("{'b': {'d': 1, 'c': 2}, 'a': [1, {'x': 1}, 3]}",
                 (const char *[]){"a[2]", "a", "a[1].x", "b.c", "b.d", "b", "", NULL},
                 " b b.d b.c a a[1].x a[2] ");
}

static void order__puts_what_is_missing_at_its_parent(void **state)
{
    (void)state;
    assert_order("{'b': {'d': 1, 'c': 2}, 'a': [1]}",
                 (const char *[]){"a[7].x", "b.c", "b.none.x", "b.d", "none", NULL},
                 "none b.none.x b.d b.c a[7].x ");
}

/* Dots and brackets in names are no steps: the longest start of a path that is there counts. */
static void order__knows_names_with_dots(void **state)
{
    (void)state;
    assert_order("{'m': {'a': 1, 'a.b/c': 2, 'a.b': 3, 'ab': 4}}",
                 (const char *[]){"m.ab", "m.a.b", "m.a.b/c.worker", "m.a", NULL},
                 "m.a m.a.b/c.worker m.a.b m.ab ");
}

static void order__keeps_what_one_field_was_told(void **state)
{
    (void)state;
    struct karta_problems *problems = karta_problems_new();
    json_t *value = test_json("{'a': 1, 'b': 2}");
    karta_problems_add(problems, KARTA_REFUSAL, "b", "1");
    karta_problems_add(problems, KARTA_WARNING, "a", "2");
    karta_problems_add(problems, KARTA_WARNING, "b", "3");
    karta_problems_add(problems, KARTA_REFUSAL, "a", "4");
    problems_order(problems, value);
    const char *const expected[] = {"2", "4", "1", "3"};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(karta_problem_message(problems, i), expected[i]);
    problems_order(NULL, value);
    problems_order(problems, NULL);
    karta_problems_free(problems);
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nearest__finds_what_a_typo_meant),
                                       cmocka_unit_test(path__joins_keys_and_indexes),
                                       cmocka_unit_test(get__says_what_is_there_and_what_belongs),
                                       cmocka_unit_test(get__asks_for_quotes_where_yaml_took_them),
                                       cmocka_unit_test(path__cuts_long_keys),
                                       cmocka_unit_test(problem__is_kept_whole),
                                       cmocka_unit_test(order__is_that_of_the_document),
                                       cmocka_unit_test(order__puts_what_is_missing_at_its_parent),
                                       cmocka_unit_test(order__knows_names_with_dots),
                                       cmocka_unit_test(order__keeps_what_one_field_was_told)};
    return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
