/* SPDX-License-Identifier: Apache-2.0 */
/* What expressions give: the same on every engine, case by case. */
#include "support.h"

#include <string.h>

#include "jq/jq_program.h"

#define OBJECT                                                                                     \
    "{'a':{'b':[1,2,3],'c':'x-y'},'n':5,'z':null,'t':'text',"                                      \
    "'list':[{'name':'p','n':2},{'name':'q'},{'name':'p','n':1}]}"

struct result {
    const char *text;
    const char *expected; /* a JSON array, or the error */
};

static void assert_result(const struct result *one, const json_t *object)
{
    struct karta_error err = {0};
    struct jq_expression *expression = NULL;
    struct jq_program *program = NULL;
    struct jq_input *input = NULL;
    struct jq_results results;
    if (jq_expression_parse(one->text, &expression, &err) != 0)
        fail_msg("%s: column %d: %s", one->text, err.column, err.message);
    struct jq_part part = {expression, JQ_VALUES};
    assert_int_equal(jq_program_new(&part, 1, &program, &err), 0);
    assert_int_equal(jq_input_new(object, &input, &err), 0);
    if (jq_program_run(program, input, 0, &results, &err) != 0)
        fail_msg("%s: %s", one->text, err.message);
    if (one->expected[0] == '[') {
        if (results.parts[0].error != NULL)
            fail_msg("%s: %s", one->text, results.parts[0].error);
        json_t *expected = test_json(one->expected);
        if (!json_equal(results.parts[0].values, expected))
            print_error("%s\n", one->text);
        assert_json_equal(results.parts[0].values, expected);
        json_decref(expected);
    } else {
        if (results.parts[0].error == NULL)
            fail_msg("%s: no error", one->text);
        assert_string_equal(results.parts[0].error, one->expected);
    }
    jq_results_dispose(&results);
    jq_input_free(input);
    jq_program_free(program);
    jq_expression_free(expression);
}

static void assert_results(const struct result *cases, size_t count)
{
    json_t *object = test_json(OBJECT);
    for (size_t i = 0; i < count; i++)
        assert_result(&cases[i], object);
    json_decref(object);
}

#define ASSERT_RESULTS(cases) assert_results(cases, sizeof(cases) / sizeof *(cases))

static void results__of_paths(void **state)
{
    (void)state;
    static const struct result cases[] = {
        {".n", "[5]"},
        {".a.b[0], .a[\"b\"][1], .a.\"b\"[-1]", "[1,2,3]"},
        {".a.b[7], .a.b[-7]", "[null,null]"},
        {".a.b[1:], .a.b[:-1], .a.b[1:2], .t[1:3]", "[[2,3],[1,2],[2],'ex']"},
        {".missing.deeper", "[null]"},
        {".missing[]", "[]"},
        {".n, .missing[]", "[]"},
        {".missing[]?", "[]"},
        {".n[]?", "[]"},
        {".n[]", "Cannot iterate over number (5)"},
        {".n.x", "Cannot index number with string \"x\""},
        {".n.x?", "[]"},
        {".a[.t], .a[\"b\"], .a.b[.n - 4]", "[null,[1,2,3],2]"},
        {".a[.a]", "object where a key or an index belongs"},
        {".a.b[-0.5 + 0]", "[3]"},
        {".list[] | .n? // 0", "[2,0,1]"},
        {"[.list[].name]", "[['p','q','p']]"},
    };
    ASSERT_RESULTS(cases);
}

static void results__of_words_that_are_names_elsewhere(void **state)
{
    (void)state;
    static const struct result cases[] = {
        {".range, .env, .import.def.reduce, .limit", "[null,null,null,null]"},
        {".labels[\"range\"], .\"$ENV\"", "[null,null]"},
        {"{if: 1, def: 2, and: 3, range: 4}", "[{'if':1,'def':2,'and':3,'range':4}]"},
        {"\"range(1e9) .. $ENV # no comment\"", "['range(1e9) .. $ENV # no comment']"},
        {".n # range(1e9) $ENV (", "[5]"},
        {".n\n\t# comment\n\t+ 1", "[6]"},
        {". as $range | $range.n", "[5]"},
    };
    ASSERT_RESULTS(cases);
}

static void results__keep_the_order_of_generators(void **state)
{
    (void)state;
    static const struct result cases[] = {
        {"(1,2) + (10,20)", "[11,12,21,22]"},
        {"(1,2) * (10,20)", "[10,20,20,40]"},
        {"[(1,2) == (1,2)]", "[[true,false,false,true]]"},
        {"\"\\(1,2)-\\(3,4)\"", "['1-3','2-3','1-4','2-4']"},
        {"{a: (1,2), b: (3,4)} | [.a, .b]", "[[1,3],[1,4],[2,3],[2,4]]"},
        {"(1,2) as $x | (3,4) as $y | [$x,$y]", "[[1,3],[1,4],[2,3],[2,4]]"},
        {"[.a.b[(0,1)]]", "[[1,2]]"},
        {"(true,false) and (true,false)", "[true,false,false]"},
        {"[(1,null,2) // 3]", "[[1,2]]"},
        {"[(null,false) // (3,4)]", "[[3,4]]"},
        {"first((1,2) | (.)?)", "[1]"},
        {"[limit(3; .a.b[], 9)]", "[[1,2,3]]"},
    };
    ASSERT_RESULTS(cases);
}

static void results__follow_precedence(void **state)
{
    (void)state;
    static const struct result cases[] = {
        {"1 + 2 * 3 - 4 / 2", "[5]"},
        {"-1 + 2, -2 * 3, 1 - -1", "[1,-6,2]"},
        {"1 - 1 - 1, 8 / 2 / 2", "[-1,2]"},
        {"7 % 3, -7 % 3, 7 % -3", "[1,-1,1]"},
        {"1, 2 | . + 1", "[2,3]"},
        {"null // null // 3", "[3]"},
        {"1 + 1 == 2 and true or false", "[true]"},
        {"false and true or true", "[true]"},
        {"1 as $x | 2 as $y | $x, $y", "[1,2]"},
        {"1 + (2 as $x | $x * 2), 10", "[5,10]"},
        {"1 + 2 as $x | $x, 5", "[3,6]"},
        {"try error(\"x\") catch . | length", "[1]"},
        {"if .z then 1 elif .n then 2 else 3 end", "[2]"},
        {"[.a.b[] | if . > 1 then \"big\" else \"small\" end]", "[['small','big','big']]"},
        {"if (true,false) then 1 else 2 end", "[1,2]"},
        {"{a: 1 | [.], b: 2}", "[{'a':[1],'b':2}]"},
    };
    ASSERT_RESULTS(cases);
}

static void results__of_destructuring(void **state)
{
    (void)state;
    static const struct result cases[] = {
        {". as {a: {b: [$x, $y]}, $n} | $x + $y + $n", "[8]"},
        {". as {\"t\": $t, (\"n\"): $n} | [$t, $n]", "[['text',5]]"},
        {".list[] as {$name, n: $count} | [$name, $count]", "[['p',2],['q',null],['p',1]]"},
        {"{n, z}", "[{'n':5,'z':null}]"},
        {". as $x | {$x} | .x.n", "[5]"},
        {"{\"a b\": 1, (\"c\", \"d\"): 2}", "[{'a b':1,'c':2},{'a b':1,'d':2}]"},
        {"{(.n): 1}", "number where a key belongs"},
        {"{\"t\"}", "[{'t':'text'}]"},
    };
    ASSERT_RESULTS(cases);
}

static void results__of_try(void **state)
{
    (void)state;
    static const struct result cases[] = {
        {"try error(\"x\") catch \"got \\(.)\"", "['got x']"},
        {"[try (1, error(\"x\"), 2)]", "[[1]]"},
        {"[try (1, error(\"x\"), 2) catch .]", "[[1,'x']]"},
        {"(try 1) | error(\"later\")", "later"},
        {"[.[] | (.b)?]", "[[[1,2,3],null]]"},
        {"error(\"x\")?", "[]"},
        {"error(.z)", "error takes a text, not null"},
        {"error(.a)", "error takes a text, not object"},
        {"error(5)", "5"},
        {"error(\"object\")", "object "},
        {"try error(\"object\") catch .", "['object ']"},
        {"error(\"two\\nlines\\u0007\")", "two lines "},
        {"[.list[] | try error(.name) catch .]", "[['p','q','p']]"},
        {"error(\"Cannot iterate over null (null)\")", "[]"},
    };
    ASSERT_RESULTS(cases);
}

static void results__of_arithmetic_on_other_kinds(void **state)
{
    (void)state;
    static const struct result cases[] = {
        {"\"a\" + \"b\", [1] + [2], null + 1, 1 + null", "['ab',[1,2],1,1]"},
        {"{a: 1} + {a: 2, b: 3}", "[{'a':2,'b':3}]"},
        {"1 + \"a\"", "number and string cannot be added"},
        {"true + true", "boolean and boolean cannot be added"},
        {"\"a\" * 2", "string where a number belongs"},
        {"{a: 1} * {b: 2}", "object where a number belongs"},
        {"[1] - [1]", "array where a number belongs"},
        {"\"a/b\" / \"/\"", "string where a number belongs"},
        {"5 % (.n - 5)", "modulo by zero"},
        {"5 % 0.5", "modulo by zero"},
        {"5 / (.n - 5)", "division by zero"},
        {"9007199254740992 % 3", "a number too large for %"},
        {"5 % -9007199254740992", "a number too large for %"},
        {"1e308 * 10", "a number that JSON has no word for"},
        {"1e308 + 1e308", "a number that JSON has no word for"},
        {"-(.t)", "string where a number belongs"},
        {"0.1 + 0.2 | tostring", "['0.30000000000000004']"},
        {"1e5, 100000 | tostring", "['100000','100000']"},
        {"9007199254740993 == 9007199254740992", "[true]"},
    };
    ASSERT_RESULTS(cases);
}

static void results__of_builtins(void **state)
{
    (void)state;
    static const struct result cases[] = {
        {"length, (.a.b, .t, .z, -3 | length)", "[5,3,4,0,3]"},
        {"keys, (.a.b | keys)", "[['a','list','n','t','z'],[0,1,2]]"},
        {"has(\"a\", \"x\"), (.a.b | has(0, 3, -1)), (.z | has(\"x\"))",
         "[true,false,true,false,false,false]"},
        {"has(0)", "cannot check whether object has a number key"},
        {"\"n\" | in({n: 1})", "[true]"},
        {"[.a.b[] | select(. > 1)] | map(. * 2)", "[[4,6]]"},
        {".a | map_values(length), map_values(empty)", "[{'b':3,'c':3},{}]"},
        {"[1,2] | map_values(. + 1)", "[[2,3]]"},
        {"[true,false] | any, all", "[true,false]"},
        {".a.b | any(. > 2), all(. > 2), any(. > 3)", "[true,false,false]"},
        {"any(.list[]; .n == 1), all(.list[]; .name), any(empty; true)", "[true,true,false]"},
        {"any(1, error(\"x\"); . == 1)", "[true]"},
        {".a.b | add, ([] | add), ([\"a\",\"b\"] | add)", "[6,null,'ab']"},
        {"first(.a.b[]), last(.a.b[]), (.a.b | first, last, nth(1))", "[1,3,1,3,2]"},
        {"last(empty)", "[null]"},
        {"[limit(2; .a.b[])]", "[[1,2]]"},
        {"[3,1,2] | min, max, sort, reverse, unique", "[1,3,[1,2,3],[2,1,3],[1,2,3]]"},
        {"[] | min, max", "[null,null]"},
        {".list | min_by(.n), max_by(.n) | .name", "['q','p']"},
        {".list | sort_by(.name, .n) | map(.n)", "[[1,2,null]]"},
        {".list | group_by(.name) | map(length)", "[[2,1]]"},
        {".list | unique_by(.name) | map(.n)", "[[2,null]]"},
        {"[1,[2,[3,[]]]] | flatten", "[[1,2,3]]"},
        {"[\"a\",null,1,true] | join(\"-\"), ([] | join(\"-\"))", "['a--1-true','']"},
        {"[[1]] | join(\"-\")", "cannot join array"},
        {".a.c | split(\"-\"), split(\"\"), startswith(\"x\"), endswith(\"x\")",
         "[['x','y'],['x','-','y'],true,false]"},
        {"\"\" | split(\",\")", "[[]]"},
        {".n | startswith(\"x\")", "number where a text belongs"},
        {".t | ltrimstr(\"te\"), rtrimstr(\"xt\"), ltrimstr(\"q\"), ltrimstr(1)",
         "['xt','te','text','text']"},
        {"\"aB\xc3\xa9\" | ascii_downcase, ascii_upcase", "['ab\xc3\xa9','AB\xc3\xa9']"},
        {"\"foobar\" | contains(\"bar\"), contains(\"baz\"), contains(\"\")", "[true,false,true]"},
        {".a | contains({b: [1, 3]}), contains({x: 1})", "[true,false]"},
        {"[\"foo\",\"bar\"] | contains([\"ar\"]), ([1] | inside([1,2]))", "[true,true]"},
        {"[1] | contains(1)", "array and number cannot have their containment checked"},
        {".a | to_entries", "[[{'key':'b','value':[1,2,3]},{'key':'c','value':'x-y'}]]"},
        {"[{key: \"a\", value: 1}, {name: \"b\"}, {k: 1, v: 2}] | from_entries",
         "[{'a':1,'b':null,'1':2}]"},
        {".a | with_entries({key: (.key + \"!\"), value: 1})", "[{'b!':1,'c!':1}]"},
        {".n, .t, .a.b, null | tostring", "['5','text','[1,2,3]','null']"},
        {".t | tojson, @text, @json", "['\\\"text\\\"','text','\\\"text\\\"']"},
        {"@json \"v: \\(.t)\", @text \"v: \\(.t)\"", "['v: \\\"text\\\"','v: text']"},
        {"\"12\", \"-1.5\", \"1e2\", 7 | tonumber", "[12,-1.5,100,7]"},
        {"\" 1\" | tonumber", "a text that is no number"},
        {"\"nan\" | tonumber", "a text that is no number"},
        {"\"1e999\" | tonumber", "a number that JSON has no word for"},
        {".a | tonumber", "object where a text belongs"},
        {"1.5 | floor, ceil", "[1,2]"},
        {"[.[] | type]", "[['object','array','number','string','null']]"},
        {"[.[] | strings, numbers, nulls]", "[[5,'text',null]]"},
        {"[.[] | arrays, objects | length], [true | booleans], [null, 1 | values]",
         "[[2,3],[true],[1]]"},
        {"getpath([\"a\", \"b\", 0]), getpath([\"x\", \"y\"]), getpath([]).n", "[1,null,5]"},
        {"[empty], (true | not)", "[[],false]"},
        {"[.a, .a] | .[0] == .[1], .[0] < .[1]", "[true,false]"},
    };
    ASSERT_RESULTS(cases);
}

static void results__of_too_much(void **state)
{
    (void)state;
    static const struct result cases[] = {
        {". as $a | [.[],.[]] as $t | [$t,$t,$t,$t] | map($t[] as $x | 1) | length", "[40]"},
        {"[1,2,3,4,5,6,7,8,9,10] as $d | [$d[] as $a | $d[] as $b | $d[] as $c | 1] | length",
         "[1000]"},
        {"[1,2,3,4,5,6,7,8,9,10] as $d | $d[] as $a | $d[] as $b | $d[] as $c | 1, 2",
         "more than 1000 results"},
        {"\"x\" * 60000000", "string where a number belongs"},
        {"[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]"
         "|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.] | tojson",
         "a value is too large to be compared or printed"},
        {"[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]"
         "|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.] | . == "
         "[1]",
         "a value is too large to be compared or printed"},
        {"[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]"
         "|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.]|[.,.] | unique",
         "a value is too large to be compared or printed"},
        {".t as $s | ($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | "
         "($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | "
         "($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | $s",
         "a text of more than 1 MiB"},
        {".a.b as $s | ($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | "
         "($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | "
         "($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | ($s+$s+$s+$s) as $s | $s",
         "more than 65536 elements"},
    };
    ASSERT_RESULTS(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results__of_paths),
        cmocka_unit_test(results__of_words_that_are_names_elsewhere),
        cmocka_unit_test(results__keep_the_order_of_generators),
        cmocka_unit_test(results__follow_precedence),
        cmocka_unit_test(results__of_destructuring),
        cmocka_unit_test(results__of_try),
        cmocka_unit_test(results__of_arithmetic_on_other_kinds),
        cmocka_unit_test(results__of_builtins),
        cmocka_unit_test(results__of_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
