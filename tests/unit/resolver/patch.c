/* SPDX-License-Identifier: Apache-2.0 */
#include "patch.h"

#include <stdlib.h>

#include "karta/patch.h"
#include "support.h"

/* Each row: object, tree laid over it at the root, the operations. */
static const char *const rows[][3] = {
    {"{}", "{'labels': {'a': 'b'}}", "[{'op': 'add', 'path': '/labels', 'value': {'a': 'b'}}]"},
    {"{'labels': null}", "{'labels': {'a': 'b'}}",
     "[{'op': 'add', 'path': '/labels', 'value': {'a': 'b'}}]"},
    {"{'labels': {}}", "{'labels': {'a': 'b'}}",
     "[{'op': 'add', 'path': '/labels/a', 'value': 'b'}]"},
    {"{'labels': {'x/y~z': '1'}}", "{'labels': {'k/q~w': '2'}}",
     "[{'op': 'add', 'path': '/labels/k~1q~0w', 'value': '2'}]"},
    {"{'labels': {'a': 'c'}}", "{'labels': {'a': 'b'}}",
     "[{'op': 'replace', 'path': '/labels/a', 'value': 'b'}]"},
    {"{'labels': {'a': null}}", "{'labels': {'a': 'b'}}",
     "[{'op': 'add', 'path': '/labels/a', 'value': 'b'}]"},
    {"{'labels': {'a': 'b'}}", "{'labels': {'a': 'b'}}", "[]"},
    {"{'n': 0.1, 'labels': {'a': 'b'}}", "{'labels': {}}", "[]"},
    {"{}", "{'a': {}}", "[]"},
    {"{'a': {'b': {'c': 1}}}", "{'a': {'b': {'d': 'x'}, 'e': {'f': 'y'}}}",
     "[{'op': 'add', 'path': '/a/b/d', 'value': 'x'},"
     " {'op': 'add', 'path': '/a/e', 'value': {'f': 'y'}}]"},
    {"{'list': [{}, {'a': 1}]}", "{'list': {'1': {'b': 'c'}}}",
     "[{'op': 'add', 'path': '/list/1/b', 'value': 'c'}]"}};

static void merge__gives_exactly_what_differs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *object = test_json(rows[i][0]), *tree = test_json(rows[i][1]);
        json_t *expected = test_json(rows[i][2]), *operations = json_array(), *patched = NULL;
        assert_int_equal(patch_merge(operations, object, tree, NULL), 0);
        assert_json_equal(operations, expected);
        assert_int_equal(karta_patch_apply(object, operations, &patched, NULL), 0);
        json_t *again = json_array();
        assert_int_equal(patch_merge(again, patched, tree, NULL), 0);
        assert_int_equal(json_array_size(again), 0);
        json_decref(object);
        json_decref(tree);
        json_decref(expected);
        json_decref(operations);
        json_decref(patched);
        json_decref(again);
    }
}

static void merge__refuses_a_parent_that_can_hold_nothing(void **state)
{
    (void)state;
    json_t *object = test_json("{'a': {'b': 'text'}}"),
           *tree = test_json("{'a': {'b': {'c': 'd'}}}");
    json_t *operations = json_array();
    struct karta_error err = {0};
    assert_int_equal(patch_merge(operations, object, tree, &err), KARTA_ERR_CONFLICT);
    assert_string_equal(err.message, "/a/b is text where an object belongs");
    json_decref(object);
    json_decref(tree);
    json_decref(operations);
}

static void put__nests_and_unescapes(void **state)
{
    (void)state;
    json_t *tree = json_object(), *value = json_string("v");
    json_t *expected = test_json("{'a': {'0': {'x/y~z': 'v', 'q': 'v'}}, 'b': 'v'}");
    assert_int_equal(wanted_put(tree, "/a/0/x~1y~0z", value, NULL), 0);
    assert_int_equal(wanted_put(tree, "/a/0/q", value, NULL), 0);
    assert_int_equal(wanted_put(tree, "/b", value, NULL), 0);
    assert_json_equal(tree, expected);
    json_decref(tree);
    json_decref(value);
    json_decref(expected);
}

static void join__escapes_the_key(void **state)
{
    (void)state;
    char *pointer = pointer_join("/a", "b/c~d");
    assert_string_equal(pointer, "/a/b~1c~0d");
    free(pointer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merge__gives_exactly_what_differs),
        cmocka_unit_test(merge__refuses_a_parent_that_can_hold_nothing),
        cmocka_unit_test(put__nests_and_unescapes), cmocka_unit_test(join__escapes_the_key)};
    return cmocka_run_group_tests_name("patch", tests, NULL, NULL);
}
