/* SPDX-License-Identifier: Apache-2.0 */
#include "karta/problem.h"

#include <string.h>

#include "base/mem.h"
#include "support.h"

static int setup(void **state)
{
    *state = karta_problems_new();
    return *state == NULL;
}

static int teardown(void **state)
{
    karta_problems_free(*state);
    return 0;
}

static void assert_summary(const struct karta_problems *problems, const char *expected)
{
    KARTA_AUTO_TEXT summary = karta_problems_summary(problems);
    assert_non_null(summary);
    assert_string_equal(summary, expected);
}

static void summary__of_nothing_is_empty(void **state)
{
    assert_summary(*state, "");
    assert_int_equal(karta_problems_count(*state), 0);
    assert_int_equal(karta_problems_refusals(*state), 0);
}

static void summary__of_one(void **state)
{
    karta_problems_add(*state, KARTA_REFUSAL, "spec.a", "must be %s", "b");
    assert_summary(*state, "spec.a: must be b");
}

static void summary__cuts_long_quotations(void **state)
{
    struct karta_problems *problems = *state;
    char whole[128] = "", text[256];
    memset(whole, 'x', 81);
    snprintf(text, sizeof text, "is wrong, at column 1 of `%s`", whole);
    karta_problems_add(problems, KARTA_REFUSAL, "a", "%s", text);
    assert_string_equal(karta_problem_message(problems, 0), text);
    whole[80] = '\0';
    snprintf(text, sizeof text, "a: is wrong, at column 1 of `%s...`", whole);
    assert_summary(problems, text);
}

static void summary__keeps_quotations_of_80_characters(void **state)
{
    char text[256] = "a: is wrong, at column 1 of `";
    size_t size = strlen(text);
    memset(text + size, 'x', 80);
    text[size + 80] = '`';
    karta_problems_add(*state, KARTA_REFUSAL, "a", "%s", text + 3);
    assert_summary(*state, text);
}

static void summary__of_several_leaves_warnings_out(void **state)
{
    karta_problems_add(*state, KARTA_REFUSAL, "spec.a", "one");
    karta_problems_add(*state, KARTA_WARNING, "spec.w", "beware");
    karta_problems_add(*state, KARTA_REFUSAL, "", "two");
    assert_summary(*state, "2 problems: spec.a: one; two");
    assert_int_equal(karta_problems_count(*state), 3);
    assert_int_equal(karta_problems_refusals(*state), 2);
    assert_int_equal(karta_problem_severity(*state, 1), KARTA_WARNING);
    assert_string_equal(karta_problem_path(*state, 1), "spec.w");
    assert_string_equal(karta_problem_message(*state, 1), "beware");
}

static void add__keeps_refusals_before_warnings(void **state)
{
    for (int i = 0; i < 256; i++)
        karta_problems_add(*state, KARTA_WARNING, "w", "%d", i);
    karta_problems_add(*state, KARTA_REFUSAL, "spec.a", "one");
    karta_problems_add(*state, KARTA_WARNING, "w", "more");
    karta_problems_add(*state, KARTA_REFUSAL, "spec.b", "two");
    assert_int_equal(karta_problems_count(*state), 256);
    assert_int_equal(karta_problems_refusals(*state), 2);
    assert_string_equal(karta_problem_message(*state, 253), "253");
    assert_summary(*state, "2 problems: spec.a: one; spec.b: two");
}

static void add__counts_what_it_cannot_keep(void **state)
{
    for (int i = 0; i < 258; i++)
        karta_problems_add(*state, KARTA_REFUSAL, "r", "%d", i);
    assert_int_equal(karta_problems_count(*state), 256);
    assert_int_equal(karta_problems_refusals(*state), 258);
    char *text = karta_problems_summary(*state);
    assert_non_null(strstr(text, "258 problems: r: 0; r: 1; "));
    assert_non_null(strstr(text, "; r: 255; 2 not shown"));
    free(text);
}

static void add__cleans_and_takes_null(void **state)
{
    karta_problems_add(NULL, KARTA_REFUSAL, "a", "b");
    karta_problems_free(NULL);
    karta_problems_add(*state, KARTA_REFUSAL, NULL, "a\nb\xFF");
    assert_summary(*state, "a b?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(summary__of_nothing_is_empty, setup, teardown),
        cmocka_unit_test_setup_teardown(summary__of_one, setup, teardown),
        cmocka_unit_test_setup_teardown(summary__cuts_long_quotations, setup, teardown),
        cmocka_unit_test_setup_teardown(summary__keeps_quotations_of_80_characters, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(summary__of_several_leaves_warnings_out, setup, teardown),
        cmocka_unit_test_setup_teardown(add__keeps_refusals_before_warnings, setup, teardown),
        cmocka_unit_test_setup_teardown(add__counts_what_it_cannot_keep, setup, teardown),
        cmocka_unit_test_setup_teardown(add__cleans_and_takes_null, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
