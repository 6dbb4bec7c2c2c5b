/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of expression that is refused, with its exact sentence and column. */
#include "support.h"

#include <string.h>

#include "base/limits.h"
#include "jq/jq_program.h"

struct refusal {
    const char *text;
    int column;
    const char *message;
};

static void assert_refused(const char *text, int column, const char *message)
{
    struct karta_error err = {0};
    struct jq_expression *expression = NULL;
    if (jq_expression_parse(text, &expression, &err) == 0)
        fail_msg("accepted: %s", text);
    assert_int_equal(err.code, KARTA_ERR_EXPRESSION);
    assert_string_equal(err.message, message);
    if (err.column != column)
        fail_msg("%s: column %d, not %d", text, err.column, column);
}

static void assert_all_refused(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_refused(cases[i].text, cases[i].column, cases[i].message);
}

#define ASSERT_ALL_REFUSED(cases) assert_all_refused(cases, sizeof(cases) / sizeof *(cases))

static const struct refusal nothing[] = {
    {"", 1, "is empty"},
    {"  ", 1, "is empty"},
    {"\n", 1, "is empty"},
    {"# x", 1, "holds nothing but a comment"},
    {"  # x\n # y", 1, "holds nothing but a comment"},
};

static const struct refusal brackets[] = {
    {".a) , (.b", 3, "\")\" closes nothing"},
    {"[.a", 1, "the \"[\" that opens here is never closed"},
    {"(.a", 1, "the \"(\" that opens here is never closed"},
    {"{\"a\":1", 1, "the \"{\" that opens here is never closed"},
    {"\"abc", 1, "the text that opens here is never closed"},
    {"\"a\\(.b", 4, "the \"(\" that opens here is never closed"},
    {".a[", 3, "the \"[\" that opens here is never closed"},
    {".a[0)", 5, "\")\" does not close the \"[\" of column 3"},
    {"(.a]", 4, "\"]\" does not close the \"(\" of column 1"},
    {"{\"a\":1)", 7, "\")\" does not close the \"{\" of column 1"},
    {"}", 1, "\"}\" closes nothing"},
    {"f(.a", 1, "\"f\" is not a function here; a path starts with a dot, text stands in quotes"},
};

static const struct refusal keywords[] = {
    {"import \"x\" as $x; .", 1,
     "\"import\" is refused: an expression reads no environment, file or module"},
    {"include \"x\"; .", 1,
     "\"include\" is refused: an expression reads no environment, file or module"},
    {"def f: f; f", 1, "\"def\" is refused: an expression defines nothing"},
    {"reduce .[] as $x (0; 1)", 1,
     "\"reduce\" is refused: it can run without bound; use add, any, all, min or max"},
    {"foreach .[] as $x (0; 1)", 1,
     "\"foreach\" is refused: it can run without bound; use map(\xe2\x80\xa6)"},
    {"label $out | 1", 1,
     "\"label\" is refused: it can run without bound; use first(\xe2\x80\xa6)"},
    {"break $x", 1, "\"break\" is refused: it can run without bound; use first(\xe2\x80\xa6)"},
    {"module {}; .", 1,
     "\"module\" is refused: an expression reads no environment, file or module"},
    {"..", 1, "\"..\" is refused: it runs without bound; name the path"},
    {".a..b", 3, "\"..\" is refused: it runs without bound; name the path"},
    {"then", 1, "\"then\" stands where a value is expected"},
    {".a | as $x", 6, "\"as\" stands where a value is expected"},
};

static const struct refusal environment[] = {
    {"env.PATH", 1, "\"env\" is refused: an expression reads no environment, file or module"},
    {"$ENV", 1, "$ENV is refused: an expression reads no environment"},
    {"$ENV.PATH", 1, "$ENV is refused: an expression reads no environment"},
    {"$ ENV", 1, "$ENV is refused: an expression reads no environment"},
    {"$ #c\n ENV", 1, "$ENV is refused: an expression reads no environment"},
    {"\"\\(env.HOME)\"", 4,
     "\"env\" is refused: an expression reads no environment, file or module"},
    {". as $ENV | .", 6, "$ENV is refused: jq has another meaning for it"},
    {"$__loc__", 1, "$__loc__ is refused: it is about the text, not the object"},
    {"$ __loc__", 1, "$__loc__ is refused: it is about the text, not the object"},
    {"input", 1, "\"input\" is refused: an expression has no process, input or output of its own"},
    {"inputs", 1,
     "\"inputs\" is refused: an expression has no process, input or output of its own"},
    {"debug", 1, "\"debug\" is refused: an expression has no process, input or output of its own"},
    {"stderr", 1,
     "\"stderr\" is refused: an expression has no process, input or output of its own"},
    {"halt", 1, "\"halt\" is refused: an expression has no process, input or output of its own"},
    {"halt_error", 1,
     "\"halt_error\" is refused: an expression has no process, input or output of its own"},
    {"now", 1, "\"now\" is refused: an expression reads no clock, and dates crash libjq"},
    {"input_filename", 1,
     "\"input_filename\" is refused: an expression has no process, input or output of its own"},
    {"get_search_list", 1,
     "\"get_search_list\" is refused: an expression reads no environment, file or module"},
    {"modulemeta", 1,
     "\"modulemeta\" is refused: an expression reads no environment, file or module"},
    {"localtime", 1,
     "\"localtime\" is refused: an expression reads no clock, and dates crash libjq"},
    {"strftime(\"x\")", 1,
     "\"strftime\" is refused: an expression reads no clock, and dates crash libjq"},
};

static const struct refusal hidden[] = {
    {"[range(1e9)]", 2,
     "\"range\" is refused: it can run without bound; use limit(n; \xe2\x80\xa6) or a list"},
    {"{a: range(1e9)}", 5,
     "\"range\" is refused: it can run without bound; use limit(n; \xe2\x80\xa6) or a list"},
    {"{(range(1)): 1}", 3,
     "\"range\" is refused: it can run without bound; use limit(n; \xe2\x80\xa6) or a list"},
    {"if range(9) then 1 else 2 end", 4,
     "\"range\" is refused: it can run without bound; use limit(n; \xe2\x80\xa6) or a list"},
    {".[range(3)]", 3,
     "\"range\" is refused: it can run without bound; use limit(n; \xe2\x80\xa6) or a list"},
    {"\"\\(range(3))\"", 4,
     "\"range\" is refused: it can run without bound; use limit(n; \xe2\x80\xa6) or a list"},
    {".a as [$x, {(range(1)): $y}] | 1", 14,
     "\"range\" is refused: it can run without bound; use limit(n; \xe2\x80\xa6) or a list"},
    {"@json \"\\(range(3))\"", 10,
     "\"range\" is refused: it can run without bound; use limit(n; \xe2\x80\xa6) or a list"},
    {"first(range(3))", 7,
     "\"range\" is refused: it can run without bound; use limit(n; \xe2\x80\xa6) or a list"},
    {".a[range(1):2]", 4,
     "\"range\" is refused: it can run without bound; use limit(n; \xe2\x80\xa6) or a list"},
    {"range(1e9)", 1,
     "\"range\" is refused: it can run without bound; use limit(n; \xe2\x80\xa6) or a list"},
};

static const struct refusal names[] = {
    {"spec.x", 1,
     "\"spec\" is not a function here; a path starts with a dot, text stands in quotes"},
    {"gpu", 1, "\"gpu\" is not a function here; a path starts with a dot, text stands in quotes"},
    {"index(\"a\")", 1, "\"index\" is refused: it crashes libjq on some input; use any(. == $n)"},
    {"indices(1)", 1, "\"indices\" is refused: it crashes libjq on some input; use any(. == $n)"},
    {"lenght", 1, "\"lenght\" is not a function here; did you mean \"length\"?"},
    {"maps(.)", 1, "\"maps\" is not a function here; did you mean \"map\"?"},
    {"not_there", 1,
     "\"not_there\" is not a function here; a path starts with a dot, text stands in quotes"},
    {"foo bar", 1,
     "\"foo\" is not a function here; a path starts with a dot, text stands in quotes"},
    {"a-b", 1, "\"a\" is not a function here; a path starts with a dot, text stands in quotes"},
    {".a-b", 4, "\"b\" is not a function here; a path starts with a dot, text stands in quotes"},
    {"splits(\"x\")", 1,
     "\"splits\" is refused: regular expressions run outside the deadline; use split(\xe2\x80\xa6) "
     "| .[]"},
    {"test(\"x\")", 1,
     "\"test\" is refused: regular expressions run outside the deadline; use "
     "startswith(\xe2\x80\xa6), endswith(\xe2\x80\xa6) or =="},
    {"implode", 1, "\"implode\" is refused: it crashes libjq on some input"},
    {"recurse", 1, "\"recurse\" is refused: it can run without bound; use the path itself"},
    {"walk(.)", 1, "\"walk\" is refused: it can run without bound"},
    {"paths", 1, "\"paths\" is refused: it can run without bound"},
    {"del(.a)", 1, "\"del\" is refused: an expression reads and never assigns"},
    {"setpath([];1)", 1, "\"setpath\" is refused: an expression reads and never assigns"},
    {"until(.;.)", 1, "\"until\" is refused: it can run without bound"},
    {"recurse_down", 1,
     "\"recurse_down\" is refused: it can run without bound; use the path itself"},
    {"leaf_paths", 1, "\"leaf_paths\" is refused: it can run without bound"},
    {"trim", 1, "\"trim\" is refused: engines differ about it; use ltrimstr(\" \")"},
    {"a::b", 1, "\"::\" is refused: there are no modules here"},
    {".a::b", 1, "\"::\" is refused: there are no modules here"},
    {"$a::b", 1, "\"::\" is refused: there are no modules here"},
    {"@base64", 1, "@base64 is refused; of the formats only @text and @json are here"},
    {"@base64 \"x\"", 1, "@base64 is refused; of the formats only @text and @json are here"},
    {"ENV", 1, "\"ENV\" is not a function here; a path starts with a dot, text stands in quotes"},
};

static const struct refusal arities[] = {
    {"map", 1, "\"map\" takes 1 argument, not 0"},
    {"map(1;2)", 1, "\"map\" takes 1 argument, not 2"},
    {"any(1;2;3)", 1, "\"any\" takes 0, 1 or 2 arguments, not 3"},
    {"length(1)", 1, "\"length\" takes no argument, not 1"},
    {"select", 1, "\"select\" takes 1 argument, not 0"},
    {"split(\"a\";\"g\")", 1, "\"split\" takes 1 argument, not 2"},
    {"error", 1,
     "\"error\" without a text is refused: engines differ about it; write error(\"\xe2\x80\xa6\")"},
    {"first(1;2)", 1, "\"first\" takes 0 or 1 arguments, not 2"},
    {"join", 1, "\"join\" takes 1 argument, not 0"},
    {"true(1)", 5, "\"(\" stands where an operator is expected"},
    {"getpath([\"a\"];1)", 1, "\"getpath\" takes 1 argument, not 2"},
};

static const struct refusal assignments[] = {
    {".a = 1", 4, "\"=\" is refused: an expression reads and never assigns; to compare, write =="},
    {".a |= 1", 4, "\"|=\" is refused: an expression reads and never assigns"},
    {".a += 1", 4, "\"+=\" is refused: an expression reads and never assigns"},
    {".a -= 1", 4, "\"-=\" is refused: an expression reads and never assigns"},
    {".a *= 1", 4, "\"*=\" is refused: an expression reads and never assigns"},
    {".a /= 1", 4, "\"/=\" is refused: an expression reads and never assigns"},
    {".a %= 1", 4, "\"%=\" is refused: an expression reads and never assigns"},
    {".a //= 1", 4, "\"//=\" is refused: an expression reads and never assigns"},
    {"{a:1} = 1", 7,
     "\"=\" is refused: an expression reads and never assigns; to compare, write =="},
};

static const struct refusal versions[] = {
    {".a.[0]", 3, "\".[\" behind a term is refused: jq 1.6 does not read it; leave the dot out"},
    {". a", 1, "no white space may stand between a dot and its field"},
    {". \"a\"", 1, "no white space may stand between a dot and its field"},
    {".e1", 1, "the field .e1 is refused unquoted: jq 1.6 reads a number; write .\"e1\""},
    {".a.E5", 3, "the field .E5 is refused unquoted: jq 1.6 reads a number; write .\"E5\""},
    {".e-1", 1, "the field .e is refused unquoted: jq 1.6 reads a number; write .\"e\""},
    {".e+1", 1, "the field .e is refused unquoted: jq 1.6 reads a number; write .\"e\""},
    {"if . then 1 end", 1, "\"if\" without \"else\" is refused: engines differ; write else . end"},
    {"if . then 1 elif 2 then 3 end", 13,
     "\"if\" without \"else\" is refused: engines differ; write else . end"},
    {"if . then .a else .b end.c", 25,
     "nothing may follow \"end\" directly; put the \"if\" in parentheses"},
    {"if . then .a else .b end[0]", 25,
     "nothing may follow \"end\" directly; put the \"if\" in parentheses"},
    {"(.a)?.b", 6,
     "nothing may follow this \"?\" directly: jq 1.6 does not read it; put parentheses around what "
     "stands before"},
    {".a.b??.c", 7,
     "nothing may follow this \"?\" directly: jq 1.6 does not read it; put parentheses around what "
     "stands before"},
    {".a?//1", 3,
     "\"?//\" is refused: it is an operator of its own; write ? // with a space between"},
    {". as [$x] ?// $x | $x", 11,
     "\"?//\" is refused: it is an operator of its own; write ? // with a space between"},
    {"{a: if . then 1 else 2 end}", 5,
     "a value in an object is a term; put parentheses around the \"if\""},
    {"{a: 1 + 2}", 7, "a value in an object is a term; put parentheses around it"},
    {"{a: .b?? }", 8, "a value in an object is a term; put parentheses around it"},
    {"{$x: 1}", 2, "{$x: \xe2\x80\xa6} is refused: engines differ; write the key as a text"},
    {"{if}", 4, "\"}\" stands where \":\" and a value is expected"},
    {"{(.a)}", 6, "\"}\" stands where \":\" and a value is expected"},
    {"{1: 2}", 2, "a key is a text: put quotes around it"},
    {"try -1", 5, "\"try\" and \"catch\" take a term; put parentheses"},
    {"try . as $x | $x", 7, "\"try\" and \"catch\" take a term; put parentheses"},
    {"try .a? ?", 10, "\"try\" and \"catch\" take a term; put parentheses"},
    {"try if . then 1 else 2 end", 5, "\"try\" and \"catch\" take a term; put parentheses"},
    {".a # x\\\n.b", 7,
     "a comment must not end in a backslash: engines differ about where it ends"},
    {"-1 as $x | try try . ", 16, "\"try\" and \"catch\" take a term; put parentheses"},
    {"first(try error(\"x\") catch .)", 7,
     "\"catch\" inside first(\xe2\x80\xa6) is refused: jq 1.6 catches the end of first itself"},
    {"limit(2; .a | (try 1 catch 2))", 16,
     "\"catch\" inside limit(\xe2\x80\xa6) is refused: jq 1.6 catches the end of limit itself"},
    {"limit(0; .a)", 7, "limit(0; \xe2\x80\xa6) is refused: engines differ about it"},
    {"limit(.n; .a)", 7, "limit takes a literal count from 1 to 1000"},
    {"limit(1001; .a)", 7, "limit takes a literal count from 1 to 1000"},
    {"limit(1.5; .a)", 7, "limit takes a literal count from 1 to 1000"},
};

static const struct refusal literals[] = {
    {".a / 0", 6, "division by zero"},
    {".a % 0", 6, "modulo by zero"},
    {".a / -0", 6, "division by zero"},
    {".[.a:2]", 3, "slice bounds are literal integers: others crash libjq"},
    {".[1:.b]", 5, "slice bounds are literal integers: others crash libjq"},
    {".[1.5:]", 3, "slice bounds are literal integers: others crash libjq"},
    {".a[1.5]", 4, "an index is a whole number below 2147483648"},
    {".a[99999999999]", 4, "an index is a whole number below 2147483648"},
    {"getpath([\"a\", .b])", 9, "getpath takes a literal list of texts and whole numbers"},
    {"getpath(.a)", 9, "getpath takes a literal list of texts and whole numbers"},
    {"getpath([1.5])", 10, "getpath takes a literal list of texts and whole numbers"},
    {"\"\\x\"", 2, "\\x is no escape; a backslash is written \\\\"},
    {"\"\\u12\"", 2, "\\u takes four hexadecimal digits"},
    {"\"\\u0000\"", 2, "\\u0000 is refused in a text"},
    {"\"\\ud800\"", 2, "\\ud800 is half of a character"},
    {"\"\\udc00\\ud800\"", 2, "\\udc00 is half of a character"},
    {"'abc'", 1, "text stands in double quotes, not single ones"},
    {"1.", 1,
     "a number is digits, then perhaps a point with digits and an exponent; this one goes on with "
     "\".\""},
    {".5", 1, "a number starts with a digit: write 0.5"},
    {"1.2.3", 1,
     "a number is digits, then perhaps a point with digits and an exponent; this one goes on with "
     "\".\""},
    {"1a", 1,
     "a number is digits, then perhaps a point with digits and an exponent; this one goes on with "
     "\"a\""},
    {"1e999", 1, "the number 1e999 is too large"},
    {".a & .b", 4, "\"&\" means nothing here"},
    {".a ! .b", 4, "\"!\" means nothing here"},
};

static const struct refusal variables[] = {
    {"$x", 1, "$x is bound nowhere around here"},
    {". as $x | $y", 11, "$y is bound nowhere around here"},
    {"(1 as $x | 2) | $x", 17, "$x is bound nowhere around here"},
    {". as $if | .", 6, "$if is refused: jq has another meaning for it"},
    {". as x | .", 6, "\"x\" stands where $name, [pattern] or {key: pattern} is expected"},
    {". as $x", 8, "ends where \"|\" after the \"as\" pattern is expected"},
    {". as {a} | .", 8, "\"}\" stands where \":\" and a pattern is expected"},
    {". as {$a: $b} | .", 7,
     "{$a: \xe2\x80\xa6} is refused: engines differ; write the key as a text"},
    {". as {(.b): $x} | $y", 19, "$y is bound nowhere around here"},
    {". as [] | .", 7, "\"]\" stands where $name, [pattern] or {key: pattern} is expected"},
    {"$", 1, "a name must follow $ at once"},
    {". as $__loc__ | .", 6, "$__loc__ is refused: jq has another meaning for it"},
};

static const struct refusal syntax[] = {
    {".a | | .b", 6, "\"|\" stands where a value is expected"},
    {".a,", 4, "ends where a value is expected"},
    {",", 1, "\",\" stands where a value is expected"},
    {"-", 2, "ends where a value is expected"},
    {".a.", 4, "ends where a field after the dot is expected"},
    {".a\"b\"", 3, "a text stands where an operator or the end is expected"},
    {".a[]b", 5, "\"b\" stands where an operator or the end is expected"},
    {"$a$b", 3, "\"$b\" stands where an operator or the end is expected"},
    {".a; .b", 3, "\";\" stands where an operator or the end is expected"},
    {"{a:1,}", 6, "\"}\" stands where a key is expected"},
    {"[1,]", 4, "\"]\" stands where a value is expected"},
    {"f(", 1, "\"f\" is not a function here; a path starts with a dot, text stands in quotes"},
    {"map(", 4, "the \"(\" that opens here is never closed"},
    {"{\"a\":1 \"b\":2}", 8, "a text stands where an operator or \"}\" is expected"},
    {".[:]", 4, "\"]\" stands where a slice bound is expected"},
    {".a == 1 == 2", 9, "comparisons do not chain; put parentheses"},
    {".a < 1 < 2", 8, "comparisons do not chain; put parentheses"},
    {"if .a", 1, "the \"if\" that starts here has no \"then\""},
    {"if .a then", 11, "ends where a value is expected"},
    {"if .a then 1", 1, "the \"if\" that starts here has no \"else\""},
    {"if .a then 1 else 2", 1, "the \"if\" that starts here has no \"end\""},
    {"try", 4, "ends where a value is expected"},
    {"{,}", 2, "\",\" stands where a key is expected"},
    {".a as", 6, "ends where $name, [pattern] or {key: pattern} is expected"},
    {"()", 2, "\")\" stands where a value is expected"},
    {".a ; ", 4, "\";\" stands where an operator or the end is expected"},
    {"\"a\" \"b\"", 5, "a text stands where an operator or the end is expected"},
    {".a?b", 4, "\"b\" stands where an operator or the end is expected"},
};

static void parse__refuses_long_texts(void **state)
{
    (void)state;
    static char text[LIMIT_EXPRESSION_BYTES + 2];
    memset(text, ' ', sizeof text - 1);
    text[0] = '.';
    assert_refused(text, 4097, "is longer than 4096 bytes");
    text[LIMIT_EXPRESSION_BYTES] = '\0';
    struct jq_expression *expression = NULL;
    assert_int_equal(jq_expression_parse(text, &expression, NULL), 0);
    jq_expression_free(expression);
}

static void parse__refuses_control_characters(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {".a\r\n", 3,
         "holds the control character 0x0d; only line feed and tab are white space here"},
        {"\".a\x01\"", 4,
         "holds the control character 0x01; only line feed and tab are white space here"},
        {".a # \x1b", 6,
         "holds the control character 0x1b; only line feed and tab are white space here"},
    };
    ASSERT_ALL_REFUSED(cases);
}

static void parse__refuses_bytes_that_are_no_utf8(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {".\xff", 2, "holds the byte 0xff, which is not valid UTF-8 here"},
        {"\"\xc0\x80\"", 2, "holds the byte 0xc0, which is not valid UTF-8 here"},
        {"\"\xed\xa0\x80\"", 2, "holds the byte 0xed, which is not valid UTF-8 here"},
        {"\"\xe2\x82", 2, "holds the byte 0xe2, which is not valid UTF-8 here"},
        {"\xc3\xa9", 1, "\"\xc3\xa9\" means nothing here"},
    };
    ASSERT_ALL_REFUSED(cases);
}

/* `before` n times, `middle`, `after` n times. */
static void repeat(char *text, const char *before, const char *middle, const char *after, int n)
{
    text[0] = '\0';
    for (int i = 0; i < n; i++)
        strcat(text, before);
    strcat(text, middle);
    for (int i = 0; i < n; i++)
        strcat(text, after);
}

static void parse__refuses_deep_texts(void **state)
{
    (void)state;
    static char text[LIMIT_EXPRESSION_BYTES];
    repeat(text, "[", "1", "]", 64);
    assert_refused(text, 65, "is nested deeper than 64");
    repeat(text, "(", ".", ")", 64);
    assert_refused(text, 65, "is nested deeper than 64");
    repeat(text, "-", "1", "", 80);
    assert_refused(text, 64, "is nested deeper than 64");
    repeat(text, "{a:", "1", "}", 40);
    assert_refused(text, 95, "is nested deeper than 64");
    repeat(text, "1+", "1", "", 80);
    assert_refused(text, 32, "is nested deeper than 64");
    repeat(text, "if 1 then 2 else ", "5", " end", 70);
    assert_refused(text, 1075, "is nested deeper than 64");
}

static void parse__refuses_what_takes_long_to_compile(void **state)
{
    (void)state;
    static char text[LIMIT_EXPRESSION_BYTES];
    repeat(text, "\"\\(.)\",", "1", "", 120);
    struct jq_expression *expression = NULL;
    assert_int_equal(jq_expression_parse(text, &expression, NULL), 0);
    jq_expression_free(expression);
    repeat(text, "\"\\(.)\",", "1", "", 180);
    assert_refused(text, 897,
                   "is too large to compile: its parts weigh 4144 together, at most 3000 are "
                   "taken; say it in fewer steps");
    repeat(text, "map([.]) | ", ".", "", 340);
    assert_refused(text, 3301,
                   "is too large to compile: its parts weigh 3401 together, at most 3000 are "
                   "taken; say it in fewer steps");
}

static void parse__refuses_more_than_1024_nodes(void **state)
{
    (void)state;
    static char text[LIMIT_EXPRESSION_BYTES];
    repeat(text, "1,", "1", "", 1100);
    assert_refused(text, 2047, "has more than 1024 parts");
}

static void parse__refuses_nothing(void **state)
{
    (void)state;
    ASSERT_ALL_REFUSED(nothing);
}

static void parse__refuses_unclosed_brackets(void **state)
{
    (void)state;
    ASSERT_ALL_REFUSED(brackets);
}

static void parse__refuses_keywords(void **state)
{
    (void)state;
    ASSERT_ALL_REFUSED(keywords);
}

static void parse__refuses_the_environment(void **state)
{
    (void)state;
    ASSERT_ALL_REFUSED(environment);
}

static void parse__refuses_calls_hidden_anywhere(void **state)
{
    (void)state;
    ASSERT_ALL_REFUSED(hidden);
}

static void parse__refuses_unknown_names(void **state)
{
    (void)state;
    ASSERT_ALL_REFUSED(names);
}

static void parse__refuses_wrong_arities(void **state)
{
    (void)state;
    ASSERT_ALL_REFUSED(arities);
}

static void parse__refuses_assignments(void **state)
{
    (void)state;
    ASSERT_ALL_REFUSED(assignments);
}

static void parse__refuses_what_engines_read_differently(void **state)
{
    (void)state;
    ASSERT_ALL_REFUSED(versions);
}

static void parse__refuses_bad_literals(void **state)
{
    (void)state;
    ASSERT_ALL_REFUSED(literals);
}

static void parse__refuses_unbound_variables(void **state)
{
    (void)state;
    ASSERT_ALL_REFUSED(variables);
}

static void parse__refuses_broken_syntax(void **state)
{
    (void)state;
    ASSERT_ALL_REFUSED(syntax);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__refuses_nothing),
        cmocka_unit_test(parse__refuses_unclosed_brackets),
        cmocka_unit_test(parse__refuses_keywords),
        cmocka_unit_test(parse__refuses_the_environment),
        cmocka_unit_test(parse__refuses_calls_hidden_anywhere),
        cmocka_unit_test(parse__refuses_unknown_names),
        cmocka_unit_test(parse__refuses_wrong_arities),
        cmocka_unit_test(parse__refuses_assignments),
        cmocka_unit_test(parse__refuses_what_engines_read_differently),
        cmocka_unit_test(parse__refuses_bad_literals),
        cmocka_unit_test(parse__refuses_unbound_variables),
        cmocka_unit_test(parse__refuses_broken_syntax),
        cmocka_unit_test(parse__refuses_long_texts),
        cmocka_unit_test(parse__refuses_control_characters),
        cmocka_unit_test(parse__refuses_bytes_that_are_no_utf8),
        cmocka_unit_test(parse__refuses_deep_texts),
        cmocka_unit_test(parse__refuses_what_takes_long_to_compile),
        cmocka_unit_test(parse__refuses_more_than_1024_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
