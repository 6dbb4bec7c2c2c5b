/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "karta/document.h"
#include "support.h"

static json_t *parse_one(const char *text)
{
    json_t *value = NULL;
    struct karta_error err = {0};
    karta_json_parse(text, strlen(text), &value, &err);
    assert_string_equal(err.message, "");
    assert_non_null(value);
    return value;
}

static void assert_refused(const char *text, int code, int line, int column, const char *message)
{
    json_t *value = NULL;
    struct karta_error err = {0};
    int actual = karta_json_parse(text, strlen(text), &value, &err);
    assert_null(value);
    assert_string_equal(err.message, message);
    assert_int_equal(actual, code);
    assert_int_equal(err.line, line);
    assert_int_equal(err.column, column);
}

static void assert_documents(const char *text, const char *expected)
{
    json_auto_t *documents = NULL;
    struct karta_error err = {0};
    karta_documents_parse(text, strlen(text), &documents, &err);
    assert_string_equal(err.message, "");
    json_auto_t *wanted = test_json(expected);
    assert_json_equal(documents, wanted);
}

static void json__keeps_what_jansson_would_refuse(void **state)
{
    (void)state;
    static const struct {
        const char *text, *value;
    } cases[] = {
        {"{\"a\": 9223372036854775807, \"b\": -9223372036854775808}",
         "{'a': 9223372036854775807, 'b': -9223372036854775808}"},
        {"[9223372036854775808, 1]", "[9223372036854775808.0, 1]"},
        {"[-9223372036854775809, 2]", "[-9223372036854775809.0, 2]"},
        {"[12345678901234567890, \"12345678901234567890\", 12345678901234567890.5, 7]",
         "[12345678901234567890.0, '12345678901234567890', 12345678901234567890.5, 7]"},
        {"{\"12345678901234567890\": [123456789012345678901234567890]}",
         "{'12345678901234567890': [123456789012345678901234567890.0]}"},
        {"[\"\\\"12345678901234567890\", 99999999999999999999]",
         "['\\\"12345678901234567890', 99999999999999999999.0]"},
        {"\"a\\u0000b\"", "'a\\u0000b'"},
        /* a key can't hold it: U+FFFD stands in, in keys alone */
        {"{\"a\\u0000b\" : \"c\\u0000d\", \"\\\\u0000\": [\"\\u0000\", 99999999999999999999]}",
         "{'a\\ufffdb': 'c\\u0000d', '\\\\u0000': ['\\u0000', 99999999999999999999.0]}"},
        {" 5 ", "5"},
        {"99999999999999999999", "99999999999999999999.0"},
        {"null", "null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_auto_t *value = parse_one(cases[i].text);
        json_auto_t *expected = test_json(cases[i].value);
        assert_json_equal(value, expected);
        json_decref(value);
        json_decref(expected);
        value = expected = NULL;
    }
}

static void json__says_what_is_wrong_and_where(void **state)
{
    (void)state;
    assert_refused("", KARTA_ERR_SYNTAX, 1, 1,
                   "not JSON: unexpected token near end of file at byte 0");
    assert_refused("{\"a\": tru}", KARTA_ERR_SYNTAX, 1, 10,
                   "not JSON: invalid token near 'tru' at byte 9");
    assert_refused("{\"a\": 1} x", KARTA_ERR_SYNTAX, 1, 11,
                   "not JSON: end of file expected near 'x' at byte 10");
    assert_refused("{\"a\":\n [1,", KARTA_ERR_SYNTAX, 2, 5,
                   "not JSON: ']' expected near end of file at byte 10");
    assert_refused("[1e400]", KARTA_ERR_SYNTAX, 1, 7,
                   "not JSON: real number overflow near '1e400' at byte 6");
    /* the position is that in the text as it came, behind an integer that was widened */
    assert_refused("[99999999999999999999, 99999999999999999999, x]", KARTA_ERR_SYNTAX, 1, 47,
                   "not JSON: invalid token near 'x' at byte 46");
    assert_refused("[\"\xFF\"]", KARTA_ERR_SYNTAX, 1, 3,
                   "not JSON: unable to decode byte 0xff near '\"' at byte 2");
}

static void json__key_twice(void **state)
{
    (void)state;
    assert_refused("{\"a\": 1,\n \"a\": 2}", KARTA_ERR_SCHEMA, 2, 2,
                   "key \"a\" stands twice in one map");
    assert_refused("{\"a\\\"b\": 1, \"a\\\"b\": 2}", KARTA_ERR_SCHEMA, 1, 13,
                   "key \"a\\\"b\" stands twice in one map");
    json_auto_t *documents = NULL;
    struct karta_error err = {0};
    static const char text[] = "{\"b\": 99999999999999999999}\n  {\"a\": 1, \"a\": 2}";
    assert_int_equal(karta_documents_parse(text, strlen(text), &documents, &err), KARTA_ERR_SCHEMA);
    assert_string_equal(err.message, "key \"a\" stands twice in one map");
    assert_int_equal(err.line, 2);
    assert_int_equal(err.column, 12);
}

static char *nested(size_t depth)
{
    char *text = mem_array(2 * depth + 1, 1);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    return text;
}

static void json__depth(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT fits = nested(2048);
    json_auto_t *value = parse_one(fits);
    assert_int_equal(json_array_size(value), 1);
    KARTA_AUTO_TEXT deep = nested(2049);
    assert_refused(deep, KARTA_ERR_LIMIT, 1, 2050, "nested deeper than 2048 levels");
    KARTA_AUTO_TEXT document = nested(512);
    json_auto_t *documents = NULL;
    assert_int_equal(karta_documents_parse(document, 1024, &documents, NULL), 0);
    KARTA_AUTO_TEXT deeper = nested(513);
    struct karta_error err = {0};
    json_t *none = NULL;
    assert_int_equal(karta_documents_parse(deeper, 1026, &none, &err), KARTA_ERR_LIMIT);
    assert_string_equal(err.message, "nested deeper than 512 levels");
    assert_null(none);
}

static void json__values(void **state)
{
    (void)state;
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, 8U << 20);
    strbuf_adds(&buf, "[ \"a,[\"");
    for (int i = 0; i < 499999; i++)
        strbuf_adds(&buf, i % 2 ? ",[ ]" : ",{}");
    for (int i = 0; i < 249999; i++)
        strbuf_adds(&buf, ",{\"k\":1}");
    strbuf_addc(&buf, ']');
    struct karta_error err = {0};
    json_auto_t *documents = NULL;
    /* the list, the text, 499,999 empty ones, 249,999 of two values: 999,999 */
    karta_documents_parse(buf.text, buf.size, &documents, &err);
    assert_string_equal(err.message, "");
    buf.text[buf.size - 1] = ',';
    strbuf_adds(&buf, "1]");
    json_auto_t *value = parse_one(buf.text);
    assert_int_equal(json_array_size(value), 750000);
    buf.text[buf.size - 1] = ',';
    strbuf_adds(&buf, "1]");
    assert_refused(buf.text, KARTA_ERR_LIMIT, 0, 0, "more than 1000000 values");
}

static void documents__of_json(void **state)
{
    (void)state;
    assert_documents("{\"a\": 1}{\"b\": 2}\n[3] ", "[{'a': 1}, {'b': 2}, [3]]");
    assert_documents("{\"a\": 1}\n---\n{\"b\": 2}", "[{'a': 1}, {'b': 2}]");
    assert_documents("{a: 1, b: [yes]}", "[{'a': 1, 'b': [true]}]");
    assert_documents("\n\t{\"a\": 0.1, \"b\": \"\\u0000\", \"c\": 20000000000000000000}",
                     "[{'a': 0.1, 'b': '\\u0000', 'c': 20000000000000000000.0}]");
    assert_documents("{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{\"a\":1},{\"b\":2}]}",
                     "[{'a': 1}, {'b': 2}]");
    assert_documents("[99999999999999999999] {\"a\": 99999999999999999999}",
                     "[[99999999999999999999.0], {'a': 99999999999999999999.0}]");
    assert_documents("\"text\"", "['text']");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json__keeps_what_jansson_would_refuse),
        cmocka_unit_test(json__says_what_is_wrong_and_where),
        cmocka_unit_test(json__key_twice),
        cmocka_unit_test(json__depth),
        cmocka_unit_test(json__values),
        cmocka_unit_test(documents__of_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
