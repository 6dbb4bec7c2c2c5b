/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <locale.h>

#include "support.h"

static void assert_table(const struct table *table, bool bold, const char *expected)
{
    struct strbuf buf;
    strbuf_init(&buf, 1U << 20);
    table_print(table, bold, &buf);
    assert_int_equal(buf.failed, 0);
    assert_string_equal(buf.text, expected);
    strbuf_dispose(&buf);
}

static void table_print__aligns_columns_and_leaves_no_blanks_at_ends(void **state)
{
    (void)state;
    struct table table = {0};
    table_row(&table, "NAME", "PODS", "NOTE");
    table_row(&table, "a-long-name", "1", "");
    table_row(&table, "b", "", "late");
    assert_table(&table, false,
                 "NAME         PODS  NOTE\n"
                 "a-long-name  1\n"
                 "b                  late\n");
    table_dispose(&table);
}

static void table_print__counts_wide_and_combining_characters_as_they_show(void **state)
{
    (void)state;
    struct table table = {0};
    table_row(&table, "\xe8\xa8\x93\xe7\xb7\xb4", "x"); /* two wide characters */
    table_row(&table, "\xc3\xa9t\xc3\xa9", "y");
    table_row(&table, "e\xcc\x81", "z"); /* e and a combining accent */
    assert_table(&table, false,
                 "\xe8\xa8\x93\xe7\xb7\xb4  x\n"
                 "\xc3\xa9t\xc3\xa9   y\n"
                 "e\xcc\x81     z\n");
    table_dispose(&table);
}

static void table_print__takes_control_characters_out(void **state)
{
    (void)state;
    struct table table = {0};
    table_row(&table, "a\033[31m\nb", "c");
    assert_table(&table, false, "a [31m b  c\n");
    table_dispose(&table);
}

static void table_print__makes_the_first_row_bold(void **state)
{
    (void)state;
    struct table table = {0};
    table_row(&table, "A", "B");
    table_row(&table, "1", "2");
    assert_table(&table, true, "\033[1mA  B\033[0m\n1  2\n");
    table_dispose(&table);
}

static void table_width__of_bad_utf8_is_its_bytes(void **state)
{
    (void)state;
    assert_int_equal(table_width("\xff\xfe"), 2);
    assert_int_equal(table_width("abc"), 3);
    assert_int_equal(table_width(""), 0);
}

static void table_cut__counts_wide_characters(void **state)
{
    (void)state;
    static const struct {
        const char *text, *cut;
        size_t columns;
    } cases[] = {{"short", "short", 5},
                 {"longer", "long\u2026", 5},
                 {"\u65e5\u672c\u8a9e\u540d", "\u65e5\u672c\u2026", 5},
                 {"\xff\xff\xff\xff", "\xff\u2026", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        KARTA_AUTO_TEXT cut = table_cut(cases[i].text, cases[i].columns);
        assert_string_equal(cut, cases[i].cut);
    }
}

static void table_print__cuts_the_last_column_to_the_width(void **state)
{
    (void)state;
    struct table table = {.width = 16};
    struct strbuf buf;
    strbuf_init(&buf, 4096);
    table_row(&table, "NAME", "MESSAGE");
    table_row(&table, "a", "0123456789abcdef");
    table_row(&table, "b", "\u65e5\u672c\u8a9e\u540d\u524d\u6587");
    table_print(&table, false, &buf);
    assert_string_equal(buf.text, "NAME  MESSAGE\n"
                                  "a     012345678\u2026\n"
                                  "b     \u65e5\u672c\u8a9e\u540d\u2026\n");
    table_dispose(&table);
    strbuf_dispose(&buf);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_cut__counts_wide_characters),
        cmocka_unit_test(table_print__cuts_the_last_column_to_the_width),
        cmocka_unit_test(table_print__aligns_columns_and_leaves_no_blanks_at_ends),
        cmocka_unit_test(table_print__counts_wide_and_combining_characters_as_they_show),
        cmocka_unit_test(table_print__takes_control_characters_out),
        cmocka_unit_test(table_print__makes_the_first_row_bold),
        cmocka_unit_test(table_width__of_bad_utf8_is_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
