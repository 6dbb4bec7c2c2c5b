/* SPDX-License-Identifier: Apache-2.0 */
/* Objects on their way to expressions: order of keys, caps, numbers, NUL characters. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jv.h>

#include "base/limits.h"
#include "jq/jq_program.h"

/* What `text` gives on `object`, as new JSON. */
static json_t *evaluate(const char *text, const json_t *object)
{
    struct karta_error err = {0};
    struct jq_expression *expression = NULL;
    struct jq_program *program = NULL;
    struct jq_input *input = NULL;
    struct jq_results results;
    assert_int_equal(jq_expression_parse(text, &expression, &err), 0);
    struct jq_part part = {expression, JQ_VALUES};
    assert_int_equal(jq_program_new(&part, 1, &program, &err), 0);
    assert_int_equal(jq_input_new(object, &input, &err), 0);
    assert_int_equal(jq_program_run(program, input, 0, &results, &err), 0);
    assert_null(results.parts[0].error);
    json_t *values = json_incref(results.parts[0].values);
    jq_results_dispose(&results);
    jq_input_free(input);
    jq_program_free(program);
    jq_expression_free(expression);
    return values;
}

static void assert_gives(const char *text, const json_t *object, const char *expected)
{
    json_t *values = evaluate(text, object), *wanted = test_json(expected);
    assert_json_equal(values, wanted);
    json_decref(values);
    json_decref(wanted);
}

static void assert_limit(json_t *object, const char *message)
{
    struct karta_error err = {0};
    struct jq_input *input = NULL;
    assert_int_equal(jq_input_new(object, &input, &err), KARTA_ERR_LIMIT);
    assert_string_equal(err.message, message);
    json_decref(object);
}

static json_t *array_of(size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_integer((json_int_t)i));
    return array;
}

static json_t *nested(int depth)
{
    json_t *value = json_array();
    for (int i = 1; i < depth; i++)
        value = json_pack("[o]", value);
    return value;
}

static json_t *text_of(size_t size)
{
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 'x', size);
    json_t *value = json_stringn(text, size);
    free(text);
    return value;
}

static void input__has_keys_in_byte_order(void **state)
{
    (void)state;
    json_t *object = test_json("{'b':1,'a':2,'B':3,'\xc3\xa9':4,'':5,'aa':6}");
    assert_gives("[.[]]", object, "[[5,3,2,6,1,4]]");
    assert_gives("[to_entries[].key]", object, "[['','B','a','aa','b','\xc3\xa9']]");
    json_decref(object);
}

static void input__caps_arrays(void **state)
{
    (void)state;
    json_t *object = json_pack("{s:o}", "a", array_of(LIMIT_OBJECT_ARRAY));
    assert_gives(".a | length", object, "[65536]");
    json_decref(object);
    assert_limit(json_pack("{s:o}", "a", array_of(LIMIT_OBJECT_ARRAY + 1)),
                 "the object has an array of more than 65536 elements");
}

static void input__caps_texts(void **state)
{
    (void)state;
    json_t *object = json_pack("{s:o}", "a", text_of(LIMIT_OBJECT_STRING));
    assert_gives(".a | length", object, "[1048576]");
    json_decref(object);
    assert_limit(json_pack("[o]", text_of(LIMIT_OBJECT_STRING + 1)),
                 "the object has a text of more than 1 MiB");
}

static void input__caps_depth(void **state)
{
    (void)state;
    json_t *object = nested(LIMIT_OBJECT_DEPTH);
    assert_gives("length", object, "[1]");
    json_decref(object);
    assert_limit(nested(LIMIT_OBJECT_DEPTH + 1), "the object is nested deeper than 256 levels");
}

static void input__caps_fields(void **state)
{
    (void)state;
    json_t *object = json_object();
    char key[32];
    for (unsigned i = 0; i < LIMIT_OBJECT_ARRAY; i++) {
        snprintf(key, sizeof key, "%u", i);
        json_object_set_new(object, key, json_null());
    }
    assert_gives("length", object, "[65536]");
    json_object_set_new(object, "one more", json_null());
    assert_limit(object, "the object has a map of more than 65536 fields");
}

static void input__refuses_keys_made_to_collide(void **state)
{
    (void)state;
    json_t *object = json_object();
    char key[32];
    for (unsigned i = 0; json_object_size(object) < 70; i++) {
        int size = snprintf(key, sizeof key, "key-%u", i);
        /* 70 fields take a table of 256 places: keys that all want the same one */
        if ((jv_string_hash(jv_string_sized(key, size)) & 255) == 0)
            json_object_set_new(object, key, json_null());
    }
    assert_limit(object, "the object has a map with more than 64 keys of one hash");
}

static void input__keeps_numbers_as_doubles(void **state)
{
    (void)state;
    json_t *object =
        test_json("[9007199254740991,-9007199254740991,0.5,1e300,12345678901234567890.0]");
    assert_gives(".[0], .[1], .[2], .[3]", object,
                 "[9007199254740991,-9007199254740991,0.5,1e300]");
    json_t *values = evaluate(".[4]", object);
    assert_true(json_is_real(json_array_get(values, 0)));
    json_decref(values);
    json_decref(object);
    object = json_pack("[I]", (json_int_t)INT64_MAX);
    values = evaluate(".[0]", object);
    assert_true(json_real_value(json_array_get(values, 0)) == 9223372036854775808.0);
    json_decref(values);
    json_decref(object);
}

static void input__keeps_nul_characters(void **state)
{
    (void)state;
    json_t *object = json_pack("{s:s%}", "a", "x\0y", (size_t)3);
    json_t *values = evaluate(".a, (.a | length), (.a == \"x\")", object);
    json_t *first = json_array_get(values, 0);
    assert_int_equal(json_string_length(first), 3);
    assert_memory_equal(json_string_value(first), "x\0y", 3);
    assert_int_equal(json_integer_value(json_array_get(values, 1)), 3);
    assert_true(json_is_false(json_array_get(values, 2)));
    json_decref(values);
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input__has_keys_in_byte_order),
        cmocka_unit_test(input__caps_arrays),
        cmocka_unit_test(input__caps_texts),
        cmocka_unit_test(input__caps_depth),
        cmocka_unit_test(input__caps_fields),
        cmocka_unit_test(input__refuses_keys_made_to_collide),
        cmocka_unit_test(input__keeps_numbers_as_doubles),
        cmocka_unit_test(input__keeps_nul_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
