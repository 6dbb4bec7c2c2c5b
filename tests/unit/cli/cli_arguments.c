/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include "exit_code.h"
#include "support.h"

static const struct command command = {
    .name = "try",
    .flags = 1U << FLAG_FILE | 1U << FLAG_OUTPUT | 1U << FLAG_NAMESPACE | 1U << FLAG_DEFINITIONS,
    .formats = "text|json",
};

static int parse(struct arguments *arguments, int argc, const char *const *argv)
{
    return arguments_parse(&command, argc, (char **)argv, arguments);
}

static void arguments_parse__takes_values_in_every_spelling(void **state)
{
    (void)state;
    const char *const argv[] = {"-f", "a", "-fb", "--file", "c", "--file=d", "-n=ml", "word"};
    struct arguments arguments;
    assert_int_equal(parse(&arguments, 8, argv), CLI_DONE);
    assert_int_equal(arguments.files.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(arguments.files.items[i], ((const char *[]){"a", "b", "c", "d"})[i]);
    assert_string_equal(arguments.value[FLAG_NAMESPACE], "ml");
    assert_int_equal(arguments.words.count, 1);
    assert_string_equal(arguments.words.items[0], "word");
    arguments_dispose(&arguments);
}

static void arguments_parse__takes_a_dash_and_words_after_two(void **state)
{
    (void)state;
    const char *const argv[] = {"-f", "-", "-", "--", "-x"};
    struct arguments arguments;
    assert_int_equal(parse(&arguments, 5, argv), CLI_DONE);
    assert_string_equal(arguments.files.items[0], "-");
    assert_int_equal(arguments.words.count, 2);
    assert_string_equal(arguments.words.items[0], "-");
    assert_string_equal(arguments.words.items[1], "-x");
    arguments_dispose(&arguments);
}

static void arguments_parse__gives_the_first_format_where_none_is_given(void **state)
{
    (void)state;
    struct arguments arguments;
    assert_int_equal(parse(&arguments, 0, NULL), CLI_DONE);
    assert_string_equal(arguments.format, "text");
    arguments_dispose(&arguments);
    const char *const argv[] = {"-o", "json"};
    assert_int_equal(parse(&arguments, 2, argv), CLI_DONE);
    assert_string_equal(arguments.format, "json");
    arguments_dispose(&arguments);
}

static void arguments_parse__refuses_flags_that_the_command_has_not(void **state)
{
    (void)state;
    const char *const bad[][2] = {{"--profile", "kai"}, {"-x", ""},        {"--file", NULL},
                                  {"-o", "xml"},        {"-o", "tex"},     {"-o", ""},
                                  {"--help=yes", ""},   {"--server=x", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct arguments arguments;
        assert_int_equal(parse(&arguments, bad[i][1] == NULL ? 1 : 2, bad[i]), CLI_USAGE);
        arguments_dispose(&arguments);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_parse__takes_values_in_every_spelling),
        cmocka_unit_test(arguments_parse__takes_a_dash_and_words_after_two),
        cmocka_unit_test(arguments_parse__gives_the_first_format_where_none_is_given),
        cmocka_unit_test(arguments_parse__refuses_flags_that_the_command_has_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
