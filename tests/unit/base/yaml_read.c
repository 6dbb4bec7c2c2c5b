/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars are typed as go-yaml v2's resolve.go types them, which is what kubectl reads with. */
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "karta/document.h"
#include "support.h"

static json_t *parse(const char *text)
{
    json_t *documents = NULL;
    struct karta_error err = {0};
    karta_documents_parse(text, strlen(text), &documents, &err);
    assert_string_equal(err.message, "");
    assert_non_null(documents);
    return documents;
}

/* `text` is read as the documents `expected`. */
static void assert_reads(const char *text, const char *expected)
{
    json_auto_t *documents = parse(text);
    json_auto_t *wanted = test_json(expected);
    assert_json_equal(documents, wanted);
}

static void assert_refused_bytes(const char *bytes, size_t size, int code, int line, int column,
                                 const char *message)
{
    json_t *documents = NULL;
    struct karta_error err = {0};
    int actual = karta_documents_parse(bytes, size, &documents, &err);
    assert_null(documents);
    assert_string_equal(err.message, message);
    assert_int_equal(actual, code);
    assert_int_equal(err.code, code);
    assert_int_equal(err.line, line);
    assert_int_equal(err.column, column);
}

static void assert_refused(const char *text, int code, int line, int column, const char *message)
{
    assert_refused_bytes(text, strlen(text), code, line, column, message);
}

static void scalar__types(void **state)
{
    (void)state;
    static const struct {
        const char *text, *value;
    } cases[] = {
        {"~", "null"},
        {"null", "null"},
        {"Null", "null"},
        {"NULL", "null"},
        {"", "null"},
        {"nULL", "'nULL'"},
        {"true", "true"},
        {"True", "true"},
        {"TRUE", "true"},
        {"tRue", "'tRue'"},
        {"yes", "true"},
        {"Yes", "true"},
        {"YES", "true"},
        {"on", "true"},
        {"On", "true"},
        {"ON", "true"},
        {"y", "true"},
        {"Y", "true"},
        {"false", "false"},
        {"no", "false"},
        {"No", "false"},
        {"NO", "false"},
        {"off", "false"},
        {"Off", "false"},
        {"OFF", "false"},
        {"n", "false"},
        {"N", "false"},
        {"nO", "'nO'"},
        {"0", "0"},
        {"-0", "0"},
        {"+12", "12"},
        {"-7", "-7"},
        {"1_000", "1000"},
        {"_1", "'_1'"},
        {"1__", "1"},
        {"0b101", "5"},
        {"-0b11", "-3"},
        {"0B11", "3"},
        {"0b2", "'0b2'"},
        {"0o17", "15"},
        {"0o8", "'0o8'"},
        {"017", "15"},
        {"-017", "-15"},
        {"08", "8"},
        {"0x1F", "31"},
        {"0X1f", "31"},
        {"+0x10", "16"},
        {"0x", "'0x'"},
        {"0xg", "'0xg'"},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"9223372036854775808", "9223372036854775808.0"},
        {"-9223372036854775809", "-9223372036854775809.0"},
        {"0xFFFFFFFFFFFFFFFF", "18446744073709551615.0"},
        {"123456789012345678901234567890", "123456789012345678901234567890.0"},
        {"1.5", "1.5"},
        {"1.", "1.0"},
        {".5", "0.5"},
        {"-.5", "-0.5"},
        {"._5", "'._5'"},
        {"1e3", "1000.0"},
        {"1E+3", "1000.0"},
        {"1.5e-3", "0.0015"},
        {"1_0.5", "10.5"},
        {"1e", "'1e'"},
        {"1e400", "'1e400'"},
        {"1e-400", "0.0"},
        {".", "'.'"},
        {"-", "[null]"},
        {"+", "'+'"},
        {"--1", "'--1'"},
        {"1.2.3", "'1.2.3'"},
        {"0x1p3", "'0x1p3'"},
        {"inf", "'inf'"},
        {"NaN", "'NaN'"},
        {"1:30", "'1:30'"},
        {"2001-12-14", "'2001-12-14'"},
        {"2001-12-14t21:59:43.10-05:00", "'2001-12-14t21:59:43.10-05:00'"},
        {"'yes'", "'yes'"},
        {"\"1\"", "'1'"},
        {"<<", "'<<'"},
        {"=", "'='"},
        {"!!str 5", "'5'"},
        {"!!str", "''"},
        {"!!int '5'", "5"},
        {"!!float 5", "5.0"},
        {"!!bool on", "true"},
        {"!!null ''", "null"},
        {"!!timestamp 2001-12-14", "'2001-12-14'"},
        {"! 5", "5"},
        {"!!map {a: !!seq [1]}", "{'a': [1]}"},
        {"|\n  a\n  b\n", "'a\\nb\\n'"},
        {">-\n  5\n", "'5'"},
        {"\"\\0\\x41\\u00e9\\N\"", "'\\u0000A\\u00e9\\u0085'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        KARTA_AUTO_TEXT text = mem_format("a: %s", cases[i].text);
        /* a lone dash is a list only on a line of its own */
        if (strcmp(cases[i].text, "-") == 0)
            text[2] = '\n';
        KARTA_AUTO_TEXT value = mem_format("[{'a': %s}]", cases[i].value);
        assert_reads(text, value);
        free(mem_take_text(&text));
        free(mem_take_text(&value));
    }
}

static void key__becomes_text(void **state)
{
    (void)state;
    assert_reads("1: a\n0x10: b\nyes: c\n1.5: d\n1e6: e\n100000.0: f\n0.00001: g\n123456.7: h\n"
                 "'null': i\n2001-01-01: j\n-0.25: k\n0.0001: l\n",
                 "[{'1': 'a', '16': 'b', 'true': 'c', '1.5': 'd', '1e+06': 'e', '100000': 'f',"
                 "'1e-05': 'g', '123456.7': 'h', 'null': 'i', '2001-01-01': 'j', '-0.25': 'k',"
                 "'0.0001': 'l'}]");
    assert_refused("~: a", KARTA_ERR_SYNTAX, 1, 1, "a map key must be text, not null");
    assert_refused("b: {[1]: a}", KARTA_ERR_SYNTAX, 1, 5, "a map key must be text, not a list");
    assert_refused("? {a: 1}\n: b", KARTA_ERR_SYNTAX, 1, 3, "a map key must be text, not a map");
    assert_refused("\"a\\0\": 1", KARTA_ERR_SYNTAX, 1, 1, "a map key must not hold a NUL");
}

static void key__twice_is_refused(void **state)
{
    (void)state;
    assert_refused("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", KARTA_ERR_SCHEMA, 5, 3,
                   "key \"c\" stands twice in one map");
    assert_refused("{\xC3\xA9: 1, 1: 2, \"1\": 3}", KARTA_ERR_SCHEMA, 1, 15,
                   "key \"1\" stands twice in one map");
    assert_reads("a: {b: 1}\nc: {b: 1}\n", "[{'a': {'b': 1}, 'c': {'b': 1}}]");
}

static void alias__expands(void **state)
{
    (void)state;
    assert_reads("a: &x [1, {b: 2}]\nc: *x\nd: &y yes\ne: *y\n&k f: 1\ng: {*k : 2}\n",
                 "[{'a': [1, {'b': 2}], 'c': [1, {'b': 2}], 'd': true, 'e': true, 'f': 1,"
                 "'g': {'f': 2}}]");
    assert_reads("- &a 1\n- &a 2\n- *a\n", "[[1, 2, 2]]");
    assert_refused("a: *x", KARTA_ERR_SYNTAX, 1, 4, "no anchor for alias *x");
    assert_refused("--- &x 1\n--- *x\n", KARTA_ERR_SYNTAX, 2, 5, "no anchor for alias *x");
    assert_refused("a: &x\n  b: *x\n", KARTA_ERR_SYNTAX, 2, 6,
                   "alias *x stands inside its own anchor");
}

static void alias__shares_nothing(void **state)
{
    (void)state;
    json_auto_t *documents = parse("a: &x {b: 1}\nc: *x\n");
    json_t *map = json_array_get(documents, 0);
    json_object_clear(json_object_get(map, "a"));
    json_auto_t *expected = test_json("{'a': {}, 'c': {'b': 1}}");
    assert_json_equal(map, expected);
}

static void merge__as_kubernetes_reads_it(void **state)
{
    (void)state;
    assert_reads("x: &x {a: 1, b: 2}\nz: {<<: *x, b: 3}\n",
                 "[{'x': {'a': 1, 'b': 2}, 'z': {'a': 1, 'b': 3}}]");
    /* where it stands last, it wins */
    assert_reads("x: &x {a: 1, b: 2}\nz: {b: 3, <<: *x}\n",
                 "[{'x': {'a': 1, 'b': 2}, 'z': {'a': 1, 'b': 2}}]");
    assert_reads("z: {<<: [{a: 1}, {a: 2, b: 2}], c: 3}\n", "[{'z': {'a': 1, 'b': 2, 'c': 3}}]");
    assert_reads("z: {'<<': 1}\n", "[{'z': {'<<': 1}}]");
    assert_refused("<<: 1", KARTA_ERR_SYNTAX, 1, 5, "a merge key takes a map or a list of maps");
    assert_refused("<<: [{a: 1}, 2]", KARTA_ERR_SYNTAX, 1, 5,
                   "a merge key takes a map or a list of maps");
    assert_refused("<<: {a: 1}\na: 2\na: 3\n", KARTA_ERR_SCHEMA, 3, 1,
                   "key \"a\" stands twice in one map");
}

static void documents__several(void **state)
{
    (void)state;
    assert_reads("a: 1\n---\nb: 2\n", "[{'a': 1}, {'b': 2}]");
    assert_reads("---\n# nothing\n---\na: 1\n---\nnull\n...\n---\n- 1\n---\ntext\n",
                 "[{'a': 1}, [1], 'text']");
    assert_reads("", "[]");
    assert_reads("# only\n", "[]");
    assert_reads("\xEF\xBB\xBF"
                 "a: 1",
                 "[{'a': 1}]");
    assert_reads("\xEF\xBB\xBF{\"a\": 1}", "[{'a': 1}]");
}

static void documents__lists_are_opened(void **state)
{
    (void)state;
    assert_reads("apiVersion: v1\nkind: List\nitems:\n- a: 1\n- b: 2\n---\nc: 3\n",
                 "[{'a': 1}, {'b': 2}, {'c': 3}]");
    assert_reads("{'apiVersion': v1, 'kind': List, 'items': []}", "[]");
    assert_reads("{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: List, items: [1]}]}",
                 "[1]");
    assert_reads("{apiVersion: v1, kind: PodList, items: [1]}",
                 "[{'apiVersion': 'v1', 'kind': 'PodList', 'items': [1]}]");
    assert_reads("{apiVersion: v1, kind: List}", "[{'apiVersion': 'v1', 'kind': 'List'}]");
    assert_reads("{apiVersion: v2, kind: List, items: [1]}",
                 "[{'apiVersion': 'v2', 'kind': 'List', 'items': [1]}]");
}

static void syntax__is_located(void **state)
{
    (void)state;
    assert_refused("a: [1, 2\nb: 3", KARTA_ERR_SYNTAX, 2, 2,
                   "did not find expected ',' or ']' while parsing a flow sequence");
    assert_refused("a: @b", KARTA_ERR_SYNTAX, 1, 4,
                   "found character that cannot start any token while scanning for the next token");
    assert_refused("\xC3\xA9: x: y", KARTA_ERR_SYNTAX, 1, 6,
                   "mapping values are not allowed in this context");
    assert_refused("a: 1\nb: \"\xFF\"", KARTA_ERR_SYNTAX, 2, 5, "invalid leading UTF-8 octet");
    assert_refused("a: \x01", KARTA_ERR_SYNTAX, 1, 4, "control characters are not allowed");
    assert_refused("a: !!int x", KARTA_ERR_SYNTAX, 1, 4, "\"x\" is no int");
    assert_refused("a: !!set {b}", KARTA_ERR_SYNTAX, 1, 4, "tag set is not supported");
    assert_refused("a: !!binary aGk=", KARTA_ERR_SYNTAX, 1, 4, "tag binary is not supported");
    assert_refused("a: !local x", KARTA_ERR_SYNTAX, 1, 4, "tag !local is not supported");
    assert_refused("a: .inf", KARTA_ERR_SYNTAX, 1, 4, ".inf is no number in JSON");
    assert_refused("a: -.Inf", KARTA_ERR_SYNTAX, 1, 4, "-.Inf is no number in JSON");
    assert_refused("a: .NaN", KARTA_ERR_SYNTAX, 1, 4, ".NaN is no number in JSON");
    assert_refused_bytes("a\0b", 3, KARTA_ERR_SYNTAX, 1, 2, "control characters are not allowed");
}

/* `before`, `part` so many times, `after`. */
static char *repeat(const char *before, const char *part, size_t times, const char *after)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, 64U << 20);
    strbuf_adds(&buf, before);
    for (size_t i = 0; i < times; i++)
        strbuf_adds(&buf, part);
    strbuf_adds(&buf, after);
    return strbuf_take(&buf);
}

static void limit__depth(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT fits = repeat("a: ", "[", 511, "");
    KARTA_AUTO_TEXT closed = repeat(fits, "]", 511, "");
    json_auto_t *documents = parse(closed);
    assert_int_equal(json_array_size(documents), 1);
    KARTA_AUTO_TEXT deep = repeat("a: ", "[", 512, "");
    assert_refused(deep, KARTA_ERR_LIMIT, 1, 515, "nested deeper than 512 levels");
    KARTA_AUTO_TEXT deeper = repeat("a: ", "[", 100000, "");
    assert_refused(deeper, KARTA_ERR_LIMIT, 1, 515, "nested deeper than 512 levels");
    KARTA_AUTO_TEXT dashes = repeat("", "- ", 100000, "");
    assert_refused(dashes, KARTA_ERR_LIMIT, 1, 1025, "nested deeper than 512 levels");
    KARTA_AUTO_TEXT maps = repeat("", "? ", 100000, "");
    assert_refused(maps, KARTA_ERR_LIMIT, 1, 1025, "nested deeper than 512 levels");
}

static void limit__depth_through_aliases(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT open = repeat("a: &x ", "[", 300, "");
    KARTA_AUTO_TEXT first = repeat(open, "]", 300, "\n");
    KARTA_AUTO_TEXT before = repeat(first, "b: ", 1, "");
    KARTA_AUTO_TEXT second = repeat(before, "[", 300, "*x");
    KARTA_AUTO_TEXT text = repeat(second, "]", 300, "\n");
    assert_refused(text, KARTA_ERR_LIMIT, 2, 304, "nested deeper than 512 levels");
}

static void limit__values_through_aliases(void **state)
{
    (void)state;
    assert_refused("a: &a [1,1,1,1,1,1,1,1,1,1]\n"
                   "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                   "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
                   "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
                   "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
                   "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
                   "g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n",
                   KARTA_ERR_LIMIT, 6, 29, "more than 1000000 values");
}

static void limit__text_through_aliases(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT anchor = repeat("- &a \"", "0123456789abcdef", 65536, "\"\n");
    KARTA_AUTO_TEXT text = repeat(anchor, "- *a\n", 40, "");
    assert_refused(text, KARTA_ERR_LIMIT, 34, 3, "aliases repeat more than 33554432 bytes");
}

static void limit__documents(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT fits = repeat("", "--- 1\n", 10000, "");
    json_auto_t *documents = parse(fits);
    assert_int_equal(json_array_size(documents), 10000);
    KARTA_AUTO_TEXT text = repeat("", "--- 1\n", 10001, "");
    assert_refused(text, KARTA_ERR_LIMIT, 0, 0, "more than 10000 documents");
}

static void limit__bytes(void **state)
{
    (void)state;
    size_t size = (32U << 20) + 1;
    char *text = mem_array(size, 1);
    assert_non_null(text);
    memset(text, ' ', size);
    assert_refused_bytes(text, size, KARTA_ERR_LIMIT, 0, 0, "document is above 33554432 bytes");
    free(text);
}

/* Nothing that is random crashes the readers; what they take is printed and read back equal. */
static void parse__survives_random_bytes(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "a",       ": ",   "\n",  "- ",     "  ", "[",    "]",
        "{",       "}",    ", ",  "\"",     "'",  "&x ",  "*x",
        "|\n",     ">\n",  "#",   "!!int ", "!",  "\t",   "---\n",
        "...\n",   "<<: ", "? ",  "1",      "0x", "\\",   "\xC3\xA9",
        "\xFF",    "~",    "yes", "1e3",    "%",  "\r\n", "\xE2\x80\xA8",
        "\\u0000", "k: ",  "b: ",
    };
    const size_t count = sizeof parts / sizeof parts[0];
    uint64_t random = 1442695040888963407U;
    int taken = 0;
    for (int round = 0; round < 30000; round++) {
        char text[256];
        size_t size = 0;
        for (int i = 0; i < 4 + round % 20; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            const char *part = parts[(random >> 20) % count];
            memcpy(text + size, part, strlen(part));
            size += strlen(part);
            if (random % 61 == 0)
                text[size++] = (char)(random >> 40);
        }
        json_auto_t *documents = NULL;
        struct karta_error err = {0};
        if (karta_documents_parse(text, size, &documents, &err) != 0) {
            assert_true(err.code < 0 && err.message[0] != '\0');
            continue;
        }
        taken++;
        for (size_t i = 0; i < json_array_size(documents); i++) {
            KARTA_AUTO_TEXT printed = NULL;
            json_t *document = json_array_get(documents, i);
            assert_int_equal(karta_yaml_print(document, &printed, NULL), 0);
            json_auto_t *again = parse(printed);
            assert_json_equal(json_array_get(again, 0), document);
            free(mem_take_text(&printed));
        }
    }
    assert_true(taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar__types),
        cmocka_unit_test(key__becomes_text),
        cmocka_unit_test(key__twice_is_refused),
        cmocka_unit_test(alias__expands),
        cmocka_unit_test(alias__shares_nothing),
        cmocka_unit_test(merge__as_kubernetes_reads_it),
        cmocka_unit_test(documents__several),
        cmocka_unit_test(documents__lists_are_opened),
        cmocka_unit_test(syntax__is_located),
        cmocka_unit_test(limit__depth),
        cmocka_unit_test(limit__depth_through_aliases),
        cmocka_unit_test(limit__values_through_aliases),
        cmocka_unit_test(limit__text_through_aliases),
        cmocka_unit_test(limit__documents),
        cmocka_unit_test(limit__bytes),
        cmocka_unit_test(parse__survives_random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
