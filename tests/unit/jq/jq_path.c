/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about a tree: write paths, metadata keys, constants, what is read. */
#include "support.h"

#include <string.h>

#include "jq/jq_program.h"

static struct jq_expression *parsed(const char *text)
{
    struct karta_error err = {0};
    struct jq_expression *expression = NULL;
    if (jq_expression_parse(text, &expression, &err) != 0)
        fail_msg("%s: column %d: %s", text, err.column, err.message);
    return expression;
}

static void check_path__accepts_what_points_somewhere(void **state)
{
    (void)state;
    static const char *const paths[] = {
        ".",
        ".spec.template",
        ".[\"a b\"]",
        ".a[0]",
        ".a[-1]",
        ".a[]?",
        ".a?.b",
        ".a[] | .b",
        "(.a).b",
        ".a // .b",
        ".a, .b",
        ".a | select(.b == 1) | .c",
        "first(.a[] | select(.n > 1))",
        "getpath([\"a\", 0])",
        "getpath([])",
        "if .x then .a else .b end",
        "if .x then .a elif .y then .b else .c end",
        ".n as $n | .a[]",
        "(.a | length) as $n | .b | select(. == $n)",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct karta_error err = {0};
        struct jq_expression *expression = parsed(paths[i]);
        if (jq_expression_check_path(expression, &err) != 0)
            fail_msg("%s: %s", paths[i], err.message);
        jq_expression_free(expression);
    }
}

static void check_path__refuses_what_is_a_value(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int column;
        const char *message;
    } cases[] = {
        {"1", 1, "is no path that can be written to: a literal is a value, not a place"},
        {".a | \"x\"", 6, "is no path that can be written to: a literal is a value, not a place"},
        {"\"a\".b", 1, "is no path that can be written to: a literal is a value, not a place"},
        {".a + .b", 4, "is no path that can be written to: an operator gives a value, not a place"},
        {".a == 1", 4, "is no path that can be written to: an operator gives a value, not a place"},
        {".a | length", 6,
         "is no path that can be written to: \"length\" gives a value, not a place"},
        {"first", 1, "is no path that can be written to: \"first\" gives a value, not a place"},
        {"to_entries[].value", 1,
         "is no path that can be written to: \"to_entries\" gives a value, not a place"},
        {"[.a]", 1,
         "is no path that can be written to: a new array or object is a value, not a place"},
        {"(.a // [])[]", 8,
         "is no path that can be written to: a new array or object is a value, not a place"},
        {"{a}", 1,
         "is no path that can be written to: a new array or object is a value, not a place"},
        {".a as $x | $x", 12,
         "is no path that can be written to: a variable is a value, not a place"},
        {".a as $x | $x.b", 12,
         "is no path that can be written to: a variable is a value, not a place"},
        {". as [$x] | .a", 6,
         "is no path that can be written to: \"as\" takes a plain $name there"},
        {".a[.b]", 3,
         "is no path that can be written to: a computed key or index is refused there"},
        {".a[1:2]", 3, "is no path that can be written to: a slice is many elements, not a place"},
        {"try .a", 1,
         "is no path that can be written to: put the \"?\" at a step of the path; \"try\" gives "
         "values"},
        {"(.a)?", 5,
         "is no path that can be written to: put the \"?\" at a step of the path; \"try\" gives "
         "values"},
        {"if . then .a else 1 end", 19,
         "is no path that can be written to: a literal is a value, not a place"},
        {"first(.a, 1)", 11,
         "is no path that can be written to: a literal is a value, not a place"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct karta_error err = {0};
        struct jq_expression *expression = parsed(cases[i].text);
        assert_int_equal(jq_expression_check_path(expression, &err), KARTA_ERR_EXPRESSION);
        assert_string_equal(err.message, cases[i].message);
        assert_int_equal(err.column, cases[i].column);
        jq_expression_free(expression);
    }
}

static void metadata_key__finds_labels_and_annotations(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *key;
    } cases[] = {
        {".metadata.labels[\"a/b\"]", "labels", "a/b"},
        {".metadata.labels.app", "labels", "app"},
        {".metadata.annotations.\"x y\"", "annotations", "x y"},
        {".[\"metadata\"][\"labels\"][\"k\"]", "labels", "k"},
        {".metadata.labels", NULL, NULL},
        {".metadata.name", NULL, NULL},
        {".spec.labels.app", NULL, NULL},
        {".x.metadata.labels.app", NULL, NULL},
        {".metadata.labels.app.x", NULL, NULL},
        {".metadata.labels.app // \"x\"", NULL, NULL},
        {".metadata.labels[0]", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *where = NULL, *key = NULL;
        struct jq_expression *expression = parsed(cases[i].text);
        bool found = jq_expression_metadata_key(expression, &where, &key);
        assert_int_equal(found, cases[i].where != NULL);
        if (found) {
            assert_string_equal(where, cases[i].where);
            assert_string_equal(key, cases[i].key);
        }
        jq_expression_free(expression);
    }
}

static void constant__is_a_literal_text(void **state)
{
    (void)state;
    static const char *const others[] = {"1", "\"a\\(1)\"", ".a", "\"a\" + \"b\"", "null"};
    const char *text = NULL;
    struct jq_expression *expression = parsed(" (\"a\\u00e9\\n\") # constant");
    assert_true(jq_expression_constant(expression, &text));
    assert_string_equal(text, "a\xc3\xa9\n");
    jq_expression_free(expression);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        expression = parsed(others[i]);
        assert_false(jq_expression_constant(expression, &text));
        jq_expression_free(expression);
    }
}

static void is_bare_path__has_no_default_and_no_call(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool bare;
    } cases[] = {
        {".spec.replicas", true},  {".", true},      {".spec.x[].replicas", true},
        {".a | .b[0]", true},      {".a[1:]", true}, {".spec.replicas // 1", false},
        {".a | length", false},    {"1", false},     {".a | select(.b)", false},
        {"(.a // 1) | .b", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct jq_expression *expression = parsed(cases[i].text);
        if (jq_expression_is_bare_path(expression) != cases[i].bare)
            fail_msg("%s", cases[i].text);
        jq_expression_free(expression);
    }
}

static void reads__says_no_only_where_it_is_sure(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool reads;
    } cases[] = {
        {".status.phase", true},
        {".spec.replicas", false},
        {".spec | .status", false},
        {".", true},
        {".[]", true},
        {".[.spec.key]", true},
        {".spec[.status.key]", true},
        {"keys", true},
        {"getpath([\"status\", \"x\"])", true},
        {"getpath([\"spec\", \"status\"])", false},
        {"getpath([])", true},
        {".spec.a // .status.b", true},
        {".spec.a // .spec.b", false},
        {"if .spec.a then .spec.b else .status end", true},
        {".spec as $s | $s.status", false},
        {". as {status: $s} | $s", true},
        {".spec.list | map(.status)", false},
        {"first(.spec.list[])", false},
        {"first(.status.list[])", true},
        {"limit(2; .spec[])", false},
        {"any(.spec.list[]; .status)", false},
        {"any(.status[]; .spec)", true},
        {"{status: .spec}", false},
        {"{status}", true},
        {"\"\\(.status)\"", true},
        {"try error(\"x\") catch .status", false},
        {"select(.spec) | .status", true},
        {"[.spec.a, .spec.b] | min", false},
        {"-(.status.n)", true},
        {"\"status\"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct jq_expression *expression = parsed(cases[i].text);
        if (jq_expression_reads(expression, "status") != cases[i].reads)
            fail_msg("%s", cases[i].text);
        jq_expression_free(expression);
    }
}

static void text__is_as_it_was_given(void **state)
{
    (void)state;
    struct jq_expression *expression = parsed(" .a # comment\n");
    assert_string_equal(jq_expression_text(expression), " .a # comment\n");
    jq_expression_free(expression);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_path__accepts_what_points_somewhere),
        cmocka_unit_test(check_path__refuses_what_is_a_value),
        cmocka_unit_test(metadata_key__finds_labels_and_annotations),
        cmocka_unit_test(constant__is_a_literal_text),
        cmocka_unit_test(is_bare_path__has_no_default_and_no_call),
        cmocka_unit_test(reads__says_no_only_where_it_is_sure),
        cmocka_unit_test(text__is_as_it_was_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
