/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve.h"

#include <string.h>

#include "support.h"

static void count__takes_whole_numbers_and_numeric_text(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        int64_t value; /* -1: not said */
    } good[] = {{"null", -1}, {"0", 0}, {"7", 7}, {"2147483647", 2147483647}, {"'12'", 12}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        json_t *value = test_json(good[i].json);
        struct count count;
        char reason[128];
        assert_true(count_read(value, &count, reason, sizeof reason));
        assert_int_equal(count.said, good[i].value >= 0);
        assert_int_equal(count.value, good[i].value < 0 ? 0 : good[i].value);
        json_decref(value);
    }
}

static void count__refuses_the_rest_and_says_why(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"-1", "gives -1; a count is a whole number from 0 to 2147483647"},
        {"-9223372036854775808",
         "gives -9223372036854775808; a count is a whole number from 0 to 2147483647"},
        {"2147483648", "gives 2147483648; a count is a whole number from 0 to 2147483647"},
        {"3.5", "gives 3.5; a count is a whole number from 0 to 2147483647"},
        {"1e308", "gives 1e308; a count is a whole number from 0 to 2147483647"},
        {"''", "gives \"\"; a count is a whole number from 0 to 2147483647"},
        {"'two'", "gives \"two\"; a count is a whole number from 0 to 2147483647"},
        {"'1e3'", "gives \"1e3\"; a count is a whole number from 0 to 2147483647"},
        {"'-1'", "gives \"-1\"; a count is a whole number from 0 to 2147483647"},
        {"'1\\u0000'", "gives \"1\\u0000\"; a count is a whole number from 0 to 2147483647"},
        {"true", "gives a boolean; a count is a whole number from 0 to 2147483647"},
        {"[1]", "gives a list; a count is a whole number from 0 to 2147483647"},
        {"{}", "gives an object; a count is a whole number from 0 to 2147483647"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_t *value = test_json(bad[i][0]);
        struct count count;
        char reason[128] = "";
        assert_false(count_read(value, &count, reason, sizeof reason));
        assert_string_equal(reason, bad[i][1]);
        json_decref(value);
    }
}

static void pointer__escapes_keys_and_resolves_negative_indexes(void **state)
{
    (void)state;
    json_t *object = test_json("{'a/b': [{'x~y': 1}, {'x~y': 2}], 'n': null}");
    static const char *const rows[][3] = {
        {"['a/b', -1, 'x~y']", "/a~1b/1/x~0y", "2"},
        {"['a/b', 0, 'x~y']", "/a~1b/0/x~0y", "1"},
        {"['n']", "/n", NULL},
        {"['q', 'r']", "/q/r", NULL},
        {"['a/b', 9]", "/a~1b/9", NULL},
        {"[]", "", "{'a/b': [{'x~y': 1}, {'x~y': 2}], 'n': null}"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *path = test_json(rows[i][0]);
        json_t *expected = rows[i][2] != NULL ? test_json(rows[i][2]) : NULL;
        const json_t *value = NULL;
        char *pointer = NULL;
        assert_int_equal(resolve_pointer(object, path, &pointer, &value, NULL), 0);
        assert_string_equal(pointer, rows[i][1]);
        if (expected == NULL)
            assert_null(value);
        else
            assert_json_equal(value, expected);
        free(pointer);
        json_decref(path);
        json_decref(expected);
    }
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(count__takes_whole_numbers_and_numeric_text),
        cmocka_unit_test(count__refuses_the_rest_and_says_why),
        cmocka_unit_test(pointer__escapes_keys_and_resolves_negative_indexes)};
    return cmocka_run_group_tests_name("resolve", tests, NULL, NULL);
}
