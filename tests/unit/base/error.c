/* SPDX-License-Identifier: Apache-2.0 */
#include "karta/error.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "support.h"

static void set__first_wins(void **state)
{
    (void)state;
    struct karta_error err = {0};
    assert_int_equal(karta_error_set(&err, KARTA_ERR_IO, "no %s", "disk"), KARTA_ERR_IO);
    assert_int_equal(karta_error_set(&err, KARTA_ERR_LIMIT, "second"), KARTA_ERR_LIMIT);
    assert_int_equal(err.code, KARTA_ERR_IO);
    assert_string_equal(err.message, "no disk");
    karta_error_init(&err);
    assert_int_equal(err.code, KARTA_OK);
    assert_string_equal(err.message, "");
}

static void set__takes_no_error(void **state)
{
    (void)state;
    karta_error_init(NULL);
    assert_int_equal(karta_error_set(NULL, KARTA_ERR_IO, "x"), KARTA_ERR_IO);
    assert_int_equal(karta_error_set_at(NULL, KARTA_ERR_LIMIT, 1, 2, "x"), KARTA_ERR_LIMIT);
    assert_int_equal(karta_error_wrap(NULL, KARTA_ERR_IO, "x"), KARTA_ERR_IO);
}

static void set_at__keeps_the_place(void **state)
{
    (void)state;
    struct karta_error err = {0};
    karta_error_set_at(&err, KARTA_ERR_SYNTAX, 3, 14, "odd");
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 14);
}

static void set__cuts_at_a_character(void **state)
{
    (void)state;
    char text[600];
    memset(text, 'a', sizeof text);
    /* the last byte that fits would be the first of two */
    memcpy(text + 510, "\xC3\xA9", 2);
    text[599] = '\0';
    struct karta_error err = {0};
    karta_error_set(&err, KARTA_ERR_IO, "%s", text);
    assert_int_equal(strlen(err.message), 510);
    assert_int_equal(err.message[509], 'a');
}

static void set__makes_one_valid_line(void **state)
{
    (void)state;
    struct karta_error err = {0};
    karta_error_set(&err, KARTA_ERR_IO, "a\nb\t\x01\xFF\xC3\xA9\xED\xA0\x80z");
    assert_string_equal(err.message, "a b  ?\xC3\xA9???z");
}

static void wrap__puts_context_before(void **state)
{
    (void)state;
    struct karta_error err = {0};
    assert_int_equal(karta_error_wrap(&err, KARTA_ERR_IO, "early"), KARTA_ERR_IO);
    assert_string_equal(err.message, "");
    karta_error_set(&err, KARTA_ERR_IO, "no disk");
    assert_int_equal(karta_error_wrap(&err, KARTA_ERR_IO, "file %d", 7), KARTA_ERR_IO);
    assert_string_equal(err.message, "file 7: no disk");
}

static void wrap__is_cut(void **state)
{
    (void)state;
    char text[512];
    memset(text, 'b', sizeof text);
    text[511] = '\0';
    struct karta_error err = {0};
    karta_error_set(&err, KARTA_ERR_IO, "%s", text);
    karta_error_wrap(&err, KARTA_ERR_IO, "%s", "ctx");
    assert_int_equal(strlen(err.message), 511);
    assert_memory_equal(err.message, "ctx: bbb", 8);
}

static void character__knows_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        uint32_t point;
    } cases[] = {
        {"a", 1, 'a'},
        {"\x7F", 1, 0x7F},
        {"\xC2\x80", 2, 0x80},
        {"\xE0\xA0\x80", 3, 0x800},
        {"\xEF\xBF\xBF", 3, 0xFFFF},
        {"\xF0\x90\x80\x80", 4, 0x10000},
        {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
        {"\x80", 0, 0},
        {"\xC0\x80", 0, 0},
        {"\xC1\xBF", 0, 0},
        {"\xE0\x9F\xBF", 0, 0},
        {"\xED\xA0\x80", 0, 0},
        {"\xF0\x8F\xBF\xBF", 0, 0},
        {"\xF4\x90\x80\x80", 0, 0},
        {"\xF5\x80\x80\x80", 0, 0},
        {"\xE2\x82", 0, 0},
        {"\xC3(", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t point = 0;
        size_t size = strlen(cases[i].bytes);
        assert_int_equal(text_character(cases[i].bytes, size, &point), cases[i].length);
        assert_int_equal(point, cases[i].point);
    }
}

static void hex8__separates_parts(void **state)
{
    (void)state;
    /* printf 'ab\0c\0' | sha256sum */
    char hex[9], other[9];
    assert_int_equal(hash_hex8((const char *const[]){"ab", "c"}, 2, hex), 0);
    assert_string_equal(hex, "629c2f14");
    assert_int_equal(hash_hex8((const char *const[]){"a", "bc"}, 2, other), 0);
    assert_string_not_equal(hex, other);
    assert_int_equal(hash_hex8((const char *const[]){NULL}, 1, hex), 0);
    assert_int_equal(hash_hex8((const char *const[]){""}, 1, other), 0);
    assert_string_equal(hex, other);
    assert_int_equal(hash_hex8(NULL, 0, hex), 0);
    assert_string_equal(hex, "e3b0c442");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set__first_wins),
        cmocka_unit_test(set__takes_no_error),
        cmocka_unit_test(set_at__keeps_the_place),
        cmocka_unit_test(set__cuts_at_a_character),
        cmocka_unit_test(set__makes_one_valid_line),
        cmocka_unit_test(wrap__puts_context_before),
        cmocka_unit_test(wrap__is_cut),
        cmocka_unit_test(character__knows_utf8),
        cmocka_unit_test(hex8__separates_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
