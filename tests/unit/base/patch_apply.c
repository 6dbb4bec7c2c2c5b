/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of RFC 6902 (appendix A) and RFC 6901 (section 5), and what they leave out. */
#include "karta/patch.h"

#include "support.h"

static void assert_applies(const char *object, const char *patch, const char *expected)
{
    json_auto_t *before = test_json(object);
    json_auto_t *untouched = test_json(object);
    json_auto_t *operations = test_json(patch);
    json_auto_t *wanted = test_json(expected);
    json_auto_t *result = NULL;
    struct karta_error err = {0};
    karta_patch_apply(before, operations, &result, &err);
    assert_string_equal(err.message, "");
    assert_json_equal(result, wanted);
    assert_json_equal(before, untouched);
}

static void assert_fails(const char *object, const char *patch, int code, const char *message)
{
    json_auto_t *before = test_json(object);
    json_auto_t *untouched = test_json(object);
    json_auto_t *operations = test_json(patch);
    json_t *result = NULL;
    struct karta_error err = {0};
    int actual = karta_patch_apply(before, operations, &result, &err);
    assert_string_equal(err.message, message);
    assert_int_equal(actual, code);
    assert_null(result);
    assert_json_equal(before, untouched);
}

static void apply__rfc_examples(void **state)
{
    (void)state;
    static const struct {
        const char *object, *patch, *result;
    } cases[] = {
        {"{'foo': 'bar'}", "[{'op': 'add', 'path': '/baz', 'value': 'qux'}]",
         "{'baz': 'qux', 'foo': 'bar'}"},
        {"{'foo': ['bar', 'baz']}", "[{'op': 'add', 'path': '/foo/1', 'value': 'qux'}]",
         "{'foo': ['bar', 'qux', 'baz']}"},
        {"{'baz': 'qux', 'foo': 'bar'}", "[{'op': 'remove', 'path': '/baz'}]", "{'foo': 'bar'}"},
        {"{'foo': ['bar', 'qux', 'baz']}", "[{'op': 'remove', 'path': '/foo/1'}]",
         "{'foo': ['bar', 'baz']}"},
        {"{'baz': 'qux', 'foo': 'bar'}", "[{'op': 'replace', 'path': '/baz', 'value': 'boo'}]",
         "{'baz': 'boo', 'foo': 'bar'}"},
        {"{'foo': {'bar': 'baz', 'waldo': 'fred'}, 'qux': {'corge': 'grault'}}",
         "[{'op': 'move', 'from': '/foo/waldo', 'path': '/qux/thud'}]",
         "{'foo': {'bar': 'baz'}, 'qux': {'corge': 'grault', 'thud': 'fred'}}"},
        {"{'foo': ['all', 'grass', 'cows', 'eat']}",
         "[{'op': 'move', 'from': '/foo/1', 'path': '/foo/3'}]",
         "{'foo': ['all', 'cows', 'eat', 'grass']}"},
        {"{'baz': 'qux', 'foo': ['a', 2, 'c']}",
         "[{'op': 'test', 'path': '/baz', 'value': 'qux'},"
         "{'op': 'test', 'path': '/foo/1', 'value': 2}]",
         "{'baz': 'qux', 'foo': ['a', 2, 'c']}"},
        {"{'foo': 'bar'}", "[{'op': 'add', 'path': '/child', 'value': {'grandchild': {}}}]",
         "{'foo': 'bar', 'child': {'grandchild': {}}}"},
        {"{'foo': 'bar'}", "[{'op': 'add', 'path': '/baz', 'value': 'qux', 'xyz': 123}]",
         "{'foo': 'bar', 'baz': 'qux'}"},
        {"{'/': 9, '~1': 10}", "[{'op': 'test', 'path': '/~01', 'value': 10}]",
         "{'/': 9, '~1': 10}"},
        {"{'foo': ['bar']}", "[{'op': 'add', 'path': '/foo/-', 'value': ['abc', 'def']}]",
         "{'foo': ['bar', ['abc', 'def']]}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_applies(cases[i].object, cases[i].patch, cases[i].result);
    assert_fails("{'baz': 'qux'}", "[{'op': 'test', 'path': '/baz', 'value': 'bar'}]",
                 KARTA_ERR_CONFLICT, "operation 0: the value at /baz differs");
    assert_fails("{'foo': 'bar'}", "[{'op': 'add', 'path': '/baz/bat', 'value': 'qux'}]",
                 KARTA_ERR_CONFLICT, "operation 0: no place at /baz/bat");
    assert_fails("{'/': 9, '~1': 10}", "[{'op': 'test', 'path': '/~01', 'value': '10'}]",
                 KARTA_ERR_CONFLICT, "operation 0: the value at /~01 differs");
}

static void apply__other_cases(void **state)
{
    (void)state;
    static const struct {
        const char *object, *patch, *result;
    } cases[] = {
        {"{'a': 1}", "[]", "{'a': 1}"},
        {"{'a': 1}", "[{'op': 'add', 'path': '/a', 'value': null}]", "{'a': null}"},
        {"{'a': 1}", "[{'op': 'add', 'path': '', 'value': [1]}]", "[1]"},
        {"{'a': 1}", "[{'op': 'replace', 'path': '', 'value': 5}]", "5"},
        {"{'a': 1}", "[{'op': 'remove', 'path': ''}]", "null"},
        {"{'a': 1}", "[{'op': 'add', 'path': '/', 'value': 2}]", "{'a': 1, '': 2}"},
        {"{'a/b': 1}", "[{'op': 'replace', 'path': '/a~1b', 'value': 2}]", "{'a/b': 2}"},
        {"[1, 2]", "[{'op': 'add', 'path': '/2', 'value': 3}]", "[1, 2, 3]"},
        {"[1, 2]", "[{'op': 'add', 'path': '/0', 'value': 3}]", "[3, 1, 2]"},
        {"[1, 2]", "[{'op': 'replace', 'path': '/1', 'value': 3}]", "[1, 3]"},
        {"{'-': 1}", "[{'op': 'remove', 'path': '/-'}]", "{}"},
        {"{'a': {'b': 1}}", "[{'op': 'copy', 'from': '/a', 'path': '/a/c'}]",
         "{'a': {'b': 1, 'c': {'b': 1}}}"},
        {"{'a': {'b': 1}}",
         "[{'op': 'copy', 'from': '/a', 'path': '/c'},"
         "{'op': 'add', 'path': '/c/b', 'value': 2}]",
         "{'a': {'b': 1}, 'c': {'b': 2}}"},
        {"{'a': 1}", "[{'op': 'move', 'from': '/a', 'path': '/a'}]", "{'a': 1}"},
        {"{'a': 1, 'ab': {}}", "[{'op': 'move', 'from': '/a', 'path': '/ab/c'}]",
         "{'ab': {'c': 1}}"},
        {"{'a': 1}", "[{'op': 'test', 'path': '/a', 'value': 1.0}]", "{'a': 1}"},
        {"{'a': [{'b': 1.0}]}", "[{'op': 'test', 'path': '', 'value': {'a': [{'b': 1}]}}]",
         "{'a': [{'b': 1.0}]}"},
        {"{'a': null}", "[{'op': 'test', 'path': '/a', 'value': null}]", "{'a': null}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_applies(cases[i].object, cases[i].patch, cases[i].result);
}

static void apply__conflicts(void **state)
{
    (void)state;
    static const struct {
        const char *object, *patch, *message;
    } cases[] = {
        {"{}", "[{'op': 'remove', 'path': '/spec/x'}]", "operation 0: no value at /spec/x"},
        {"{'a': 1}", "[{'op': 'remove', 'path': '/a/b'}]", "operation 0: no value at /a/b"},
        {"{}", "[{'op': 'replace', 'path': '/a', 'value': 1}]", "operation 0: no value at /a"},
        {"[]", "[{'op': 'add', 'path': '/1', 'value': 1}]", "operation 0: no place at /1"},
        {"[1]", "[{'op': 'add', 'path': '/00', 'value': 1}]", "operation 0: no place at /00"},
        {"[1, 2]", "[{'op': 'remove', 'path': '/01'}]", "operation 0: no value at /01"},
        {"[1]", "[{'op': 'remove', 'path': '/-'}]", "operation 0: no value at /-"},
        {"[1]", "[{'op': 'remove', 'path': '/1'}]", "operation 0: no value at /1"},
        {"[1]", "[{'op': 'add', 'path': '/-1', 'value': 1}]", "operation 0: no place at /-1"},
        {"[1]", "[{'op': 'add', 'path': '/1e0', 'value': 1}]", "operation 0: no place at /1e0"},
        {"[1]", "[{'op': 'add', 'path': '/', 'value': 1}]", "operation 0: no place at /"},
        {"[1]", "[{'op': 'remove', 'path': '/4294967296'}]",
         "operation 0: no value at /4294967296"},
        {"[[1]]", "[{'op': 'add', 'path': '/-/0', 'value': 1}]", "operation 0: no place at /-/0"},
        {"{'a': {'b': 1}}", "[{'op': 'move', 'from': '/a', 'path': '/a/b'}]",
         "operation 0: /a cannot move into itself"},
        {"{'a': 1}", "[{'op': 'move', 'from': '', 'path': '/a'}]",
         "operation 0: the root cannot move into itself"},
        {"{'a': 1}", "[{'op': 'copy', 'from': '/b', 'path': '/a'}]", "operation 0: no value at /b"},
        {"{'a': 1}",
         "[{'op': 'add', 'path': '/b', 'value': 1}, {'op': 'add', 'path': '/c', 'value': 1},"
         "{'op': 'remove', 'path': '/d'}]",
         "operation 2: no value at /d"},
        {"{'a': 1}", "[{'op': 'test', 'path': '', 'value': 1}]",
         "operation 0: the value at the root differs"},
        {"{'a': 9223372036854775807}",
         "[{'op': 'test', 'path': '/a', 'value': 9223372036854775808.0}]",
         "operation 0: the value at /a differs"},
        {"{'a': 1}", "[{'op': 'test', 'path': '/a', 'value': 1.5}]",
         "operation 0: the value at /a differs"},
        {"{'a': [1]}", "[{'op': 'test', 'path': '/a', 'value': [1, 2]}]",
         "operation 0: the value at /a differs"},
        {"{'a': {'b': 1}}", "[{'op': 'test', 'path': '/a', 'value': {'c': 1}}]",
         "operation 0: the value at /a differs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_fails(cases[i].object, cases[i].patch, KARTA_ERR_CONFLICT, cases[i].message);
}

static void apply__refuses_what_is_no_patch(void **state)
{
    (void)state;
    static const struct {
        const char *patch, *message;
    } cases[] = {
        {"{}", "a patch must be a list of operations"},
        {"[1]", "operation 0 is no map"},
        {"[{'path': '/a'}]", "operation 0: \"op\" must be a string"},
        {"[{'op': 'add', 'value': 1}]", "operation 0: \"path\" must be a string"},
        {"[{'op': 'add', 'path': 1}]", "operation 0: \"path\" must be a string"},
        {"[{'op': 'add', 'path': '/a\\u0000', 'value': 1}]",
         "operation 0: \"path\" must be a string"},
        {"[{'op': 'add', 'path': '/a'}]", "operation 0: no \"value\""},
        {"[{'op': 'move', 'path': '/a'}]", "operation 0: \"from\" must be a string"},
        {"[{'op': 'spam', 'path': '/a'}]", "operation 0: no such op \"spam\""},
        {"[{'op': 'remove', 'path': 'a'}]", "operation 0: \"a\" is no JSON pointer"},
        {"[{'op': 'remove', 'path': '/~2'}]", "operation 0: \"/~2\" is no JSON pointer"},
        {"[{'op': 'remove', 'path': '/~'}]", "operation 0: \"/~\" is no JSON pointer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_fails("{'a': 1}", cases[i].patch, KARTA_ERR_SCHEMA, cases[i].message);
}

static void apply__bounds_what_copies_make(void **state)
{
    (void)state;
    json_auto_t *object = test_json("{'a': {}}");
    json_auto_t *patch = json_array();
    for (int i = 0; i < 40; i++) {
        json_t *copy = json_pack("{s:s, s:s}", "op", "copy", "from", "");
        json_object_set_new(copy, "path", json_sprintf("/a/%d", i));
        json_array_append_new(patch, copy);
    }
    struct karta_error err = {0};
    json_t *result = NULL;
    assert_int_equal(karta_patch_apply(object, patch, &result, &err), KARTA_ERR_LIMIT);
    assert_string_equal(err.message, "operation 18: the result is too large");
    assert_null(result);
}

static void apply__shares_nothing_with_the_patch(void **state)
{
    (void)state;
    json_auto_t *object = test_json("{}");
    json_auto_t *patch = test_json("[{'op': 'add', 'path': '/a', 'value': {'b': 1}}]");
    json_auto_t *result = NULL;
    assert_int_equal(karta_patch_apply(object, patch, &result, NULL), 0);
    json_object_clear(json_object_get(json_array_get(patch, 0), "value"));
    json_auto_t *expected = test_json("{'a': {'b': 1}}");
    assert_json_equal(result, expected);
}

static void pointer__rfc_examples(void **state)
{
    (void)state;
    json_auto_t *root = test_json("{'foo': ['bar', 'baz'], '': 0, 'a/b': 1, 'c%d': 2, 'e^f': 3,"
                                  "'g|h': 4, ' ': 7, 'm~n': 8}");
    static const struct {
        const char *pointer, *value;
    } cases[] = {
        {"/foo", "['bar', 'baz']"},
        {"/foo/0", "'bar'"},
        {"/", "0"},
        {"/a~1b", "1"},
        {"/c%d", "2"},
        {"/e^f", "3"},
        {"/g|h", "4"},
        {"/ ", "7"},
        {"/m~0n", "8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_auto_t *expected = test_json(cases[i].value);
        assert_json_equal(karta_pointer_get(root, cases[i].pointer), expected);
    }
    assert_ptr_equal(karta_pointer_get(root, ""), root);
    static const char *const absent[] = {"/bar",  "/foo/2",   "/foo/-", "/foo/01", "foo",
                                         "/m~2n", "/foo/0/x", "//",     "/foo/"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        assert_null(karta_pointer_get(root, absent[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apply__rfc_examples),
        cmocka_unit_test(apply__other_cases),
        cmocka_unit_test(apply__conflicts),
        cmocka_unit_test(apply__refuses_what_is_no_patch),
        cmocka_unit_test(apply__bounds_what_copies_make),
        cmocka_unit_test(apply__shares_nothing_with_the_patch),
        cmocka_unit_test(pointer__rfc_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
