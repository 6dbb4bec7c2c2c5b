/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "karta/document.h"
#include "support.h"

static void assert_prints(const char *json, const char *expected)
{
    json_auto_t *value = test_json(json);
    KARTA_AUTO_TEXT text = NULL;
    assert_int_equal(karta_yaml_print(value, &text, NULL), 0);
    assert_string_equal(text, expected);
}

static void assert_reads_back(const json_t *value)
{
    KARTA_AUTO_TEXT text = NULL;
    struct karta_error err = {0};
    json_auto_t *again = NULL;
    assert_int_equal(karta_yaml_print(value, &text, &err), 0);
    karta_documents_parse(text, strlen(text), &again, &err);
    if (err.code != 0)
        print_error("%d:%d in:\n%s\n", err.line, err.column, text);
    assert_string_equal(err.message, "");
    if (!json_equal(json_array_get(again, 0), (json_t *)value))
        print_error("%s\n", text);
    assert_json_equal(json_array_get(again, 0), value);
}

static void print__like_kubectl(void **state)
{
    (void)state;
    assert_prints("{'kind': 'Job', 'apiVersion': 'batch/v1', 'spec': {'template': {'spec':"
                  "{'containers': [{'name': 'a', 'args': ['-x', '--y=1'], 'env': []}],"
                  "'nodeSelector': {}, 'x': null, 'port': 8080, 'on': true, 'f': 0.5}}},"
                  "'m': [[1, 2], [], [[3]]], 'b': false}",
                  "apiVersion: batch/v1\n"
                  "b: false\n"
                  "kind: Job\n"
                  "m:\n"
                  "- - 1\n"
                  "  - 2\n"
                  "- []\n"
                  "- - - 3\n"
                  "spec:\n"
                  "  template:\n"
                  "    spec:\n"
                  "      containers:\n"
                  "      - args:\n"
                  "        - -x\n"
                  "        - --y=1\n"
                  "        env: []\n"
                  "        name: a\n"
                  "      f: 0.5\n"
                  "      nodeSelector: {}\n"
                  "      \"on\": true\n"
                  "      port: 8080\n"
                  "      x: null\n");
}

static void print__scalars_at_the_root(void **state)
{
    (void)state;
    assert_prints("{}", "{}\n");
    assert_prints("[]", "[]\n");
    assert_prints("null", "null\n");
    assert_prints("'a'", "a\n");
    assert_prints("'a\\nb\\n'", "|\n  a\n  b\n");
    assert_prints("-5", "-5\n");
}

static void print__quotes_where_it_must(void **state)
{
    (void)state;
    static const struct {
        const char *json, *text;
    } cases[] = {
        {"''", "\"\""},
        {"'yes'", "\"yes\""},
        {"'y'", "\"y\""},
        {"'~'", "\"~\""},
        {"'null'", "\"null\""},
        {"'1'", "\"1\""},
        {"'1e3'", "\"1e3\""},
        {"'0x10'", "\"0x10\""},
        {"'1_0'", "\"1_0\""},
        {"'.inf'", "\".inf\""},
        {"'2024-01-02T03:04:05Z'", "\"2024-01-02T03:04:05Z\""},
        {"'12:30'", "\"12:30\""},
        {"' lead'", "' lead'"},
        {"'trail '", "'trail '"},
        {"'a: b'", "'a: b'"},
        {"'a:'", "'a:'"},
        {"'a:b'", "a:b"},
        {"'#x'", "'#x'"},
        {"'a #x'", "'a #x'"},
        {"'a#x'", "a#x"},
        {"'- x'", "'- x'"},
        {"'-x'", "-x"},
        {"'-'", "'-'"},
        {"'? x'", "'? x'"},
        {"':8080'", ":8080"},
        {"'--- x'", "'--- x'"},
        {"'...'", "'...'"},
        {"'<<'", "'<<'"},
        {"'it\\u0027s'", "it's"},
        {"'\\u0027a'", "'''a'"},
        {"'\\\"a\\\"'", "'\"a\"'"},
        {"'{a}'", "'{a}'"},
        {"'a{b}'", "a{b}"},
        {"'*a'", "'*a'"},
        {"'100m'", "100m"},
        {"'1.2.3'", "1.2.3"},
        {"'a\\tb'", "\"a\\tb\""},
        {"'\\u0000'", "\"\\u0000\""},
        {"'\\u001b[0m'", "\"\\u001B[0m\""},
        {"'\\u0085'", "\"\\u0085\""},
        {"'\\ufeffa'", "\"\\uFEFFa\""},
        {"'a\\r\\nb'", "\"a\\r\\nb\""},
        {"'\xC3\xA9'", "\xC3\xA9"},
        {"'\xF0\x9F\x98\x80'", "\xF0\x9F\x98\x80"},
        {"'a\\\\b'", "a\\b"},
        {"1.0", "1.0"},
        {"0.1", "0.1"},
        {"1e20", "1e20"},
        {"-0.0", "-0.0"},
        {"9223372036854775807", "9223372036854775807"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        KARTA_AUTO_TEXT json = mem_format("{'k': %s}", cases[i].json);
        KARTA_AUTO_TEXT text = mem_format("k: %s\n", cases[i].text);
        assert_prints(json, text);
        free(mem_take_text(&json));
        free(mem_take_text(&text));
    }
}

static void print__literal_blocks(void **state)
{
    (void)state;
    static const struct {
        const char *json, *text;
    } cases[] = {
        {"'a\\nb'", "|-\n  a\n  b\n"},
        {"'a\\nb\\n'", "|\n  a\n  b\n"},
        {"'a\\n\\n'", "|+\n  a\n\n"},
        {"'a\\n\\n  b\\n'", "|\n  a\n\n    b\n"},
        {"' a\\nb'", "|2-\n   a\n  b\n"},
        {"'\\na'", "|2-\n\n  a\n"},
        {"'a: b\\n# c\\n---\\n'", "|\n  a: b\n  # c\n  ---\n"},
        {"'\\n'", "\"\\n\"\n"},
        {"'a\\n '", "\"a\\n \"\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        KARTA_AUTO_TEXT json = mem_format("{'k': %s}", cases[i].json);
        KARTA_AUTO_TEXT text = mem_format("k: %s", cases[i].text);
        assert_prints(json, text);
        free(mem_take_text(&json));
        free(mem_take_text(&text));
    }
}

static uint64_t next(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random >> 16;
}

/* A string put together of what YAML finds difficult. */
static json_t *random_text(uint64_t *random)
{
    static const struct {
        const char *bytes;
        size_t size;
    } parts[] = {
        {"yes", 3},
        {"1", 1},
        {"e3", 2},
        {"0x10", 4},
        {"~", 1},
        {"null", 4},
        {" ", 1},
        {"  ", 2},
        {": ", 2},
        {":", 1},
        {"#", 1},
        {"- ", 2},
        {"-", 1},
        {"\n", 1},
        {"\n", 1},
        {"\n\n", 2},
        {"\t", 1},
        {"\r", 1},
        {"\0", 1},
        {"\x7F", 1},
        {"'", 1},
        {"\"", 1},
        {"\\", 1},
        {"a", 1},
        {"b c", 3},
        {"[", 1},
        {"}", 1},
        {",", 1},
        {"&x", 2},
        {"*x", 2},
        {"!", 1},
        {"|", 1},
        {">", 1},
        {"%", 1},
        {"@", 1},
        {"`", 1},
        {"---", 3},
        {"...", 3},
        {"<<", 2},
        {"=", 1},
        {"?", 1},
        {".", 1},
        {"_", 1},
        {"+", 1},
        {"2001-01-01", 10},
        {"\xC2\x85", 2},
        {"\xC2\xA0", 2},
        {"\xE2\x80\xA8", 3},
        {"\xEF\xBB\xBF", 3},
        {"\xEF\xBF\xBF", 3},
        {"\xF0\x9F\x98\x80", 4},
        {"\xC3\xA9", 2},
        {"{{ x }}", 7},
        {"\x1B", 1},
    };
    char text[128];
    size_t size = 0;
    size_t count = next(random) % 6;
    for (size_t i = 0; i < count; i++) {
        size_t part = next(random) % (sizeof parts / sizeof parts[0]);
        memcpy(text + size, parts[part].bytes, parts[part].size);
        size += parts[part].size;
    }
    return json_stringn(text, size);
}

static double random_real(uint64_t *random)
{
    uint64_t bits = next(random) << 32 ^ next(random);
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static json_t *random_value(uint64_t *random, int depth)
{
    uint64_t kind = next(random) % (depth > 0 ? 12 : 8);
    if (kind < 4)
        return random_text(random);
    if (kind == 4)
        return json_integer((json_int_t)(next(random) << (next(random) % 32)));
    if (kind == 5) {
        json_t *real = json_real(random_real(random));
        return real != NULL ? real : json_real(0.5);
    }
    if (kind < 8)
        return kind == 6 ? json_null() : json_boolean(next(random) % 2);
    size_t count = next(random) % 4;
    if (kind < 10) {
        json_t *list = json_array();
        for (size_t i = 0; i < count; i++)
            json_array_append_new(list, random_value(random, depth - 1));
        return list;
    }
    json_t *map = json_object();
    for (size_t i = 0; i < count; i++) {
        json_auto_t *key = random_text(random);
        /* keys with a NUL are refused by the reader */
        json_object_set_new(map, json_string_value(key), random_value(random, depth - 1));
        json_decref(key);
        key = NULL;
    }
    return map;
}

static void print__reads_back_equal(void **state)
{
    (void)state;
    uint64_t random = 6364136223846793005U;
    for (int round = 0; round < 40000; round++) {
        json_auto_t *map = json_object();
        json_object_set_new(map, "k", random_value(&random, round % 5));
        assert_reads_back(map);
        json_decref(map);
        map = NULL;
    }
    for (int round = 0; round < 20000; round++) {
        json_auto_t *text = random_text(&random);
        json_auto_t *list = json_pack("[O, [O]]", text, text);
        if (json_string_length(text) > 0)
            assert_reads_back(text);
        assert_reads_back(list);
        json_decref(text);
        json_decref(list);
        text = list = NULL;
    }
}

static void print__long_keys_and_texts(void **state)
{
    (void)state;
    for (size_t size = 100; size <= 3000; size += 29) {
        char *key = mem_array(size + 1, 1);
        assert_non_null(key);
        memset(key, 'a', size);
        json_auto_t *map = json_object();
        json_object_set_new(map, key, json_string(key));
        key[0] = '\x01';
        json_object_set_new(map, key, json_pack("{s:[i]}", key, 1));
        memset(key, '\x01', size);
        json_object_set_new(map, key, json_pack("[i, s]", 1, key));
        json_auto_t *list = json_pack("[O]", map);
        assert_reads_back(map);
        assert_reads_back(list);
        json_decref(map);
        json_decref(list);
        map = list = NULL;
        free(key);
    }
}

static void print__refuses_what_is_too_deep(void **state)
{
    (void)state;
    json_auto_t *value = json_integer(1);
    for (int i = 0; i < 513; i++)
        value = json_pack("[o]", value);
    struct karta_error err = {0};
    char *text = NULL;
    assert_int_equal(karta_yaml_print(value, &text, &err), KARTA_ERR_LIMIT);
    assert_string_equal(err.message, "nested deeper than 512 levels");
    assert_null(text);
    assert_reads_back(json_array_get(value, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(print__like_kubectl),
        cmocka_unit_test(print__scalars_at_the_root),
        cmocka_unit_test(print__quotes_where_it_must),
        cmocka_unit_test(print__literal_blocks),
        cmocka_unit_test(print__reads_back_equal),
        cmocka_unit_test(print__long_keys_and_texts),
        cmocka_unit_test(print__refuses_what_is_too_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
