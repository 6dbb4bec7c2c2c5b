/* SPDX-License-Identifier: Apache-2.0 */
#include "base/strbuf.h"

#include <string.h>

#include "support.h"

static void add__grows(void **state)
{
    (void)state;
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, 10000);
    for (int i = 0; i < 1000; i++)
        strbuf_addf(&buf, "%d", i % 10);
    assert_int_equal(buf.size, 1000);
    assert_int_equal(strlen(buf.text), 1000);
    assert_memory_equal(buf.text + 990, "0123456789", 10);
    assert_int_equal(strbuf_check(&buf, NULL), 0);
}

static void add__stops_at_the_cap(void **state)
{
    (void)state;
    struct karta_error err = {0};
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, 4);
    strbuf_adds(&buf, "abcd");
    assert_int_equal(strbuf_check(&buf, &err), 0);
    strbuf_addc(&buf, 'e');
    strbuf_clear(&buf);
    strbuf_adds(&buf, "abc");
    strbuf_addf(&buf, "%d", 12);
    /* a failed append leaves a gap, so what would fit is not taken either */
    strbuf_addc(&buf, 'd');
    assert_string_equal(buf.text, "abc");
    assert_int_equal(strbuf_check(&buf, &err), KARTA_ERR_LIMIT);
    assert_string_equal(err.message, "text above 4 bytes");
    assert_null(strbuf_take(&buf));
}

static void take__gives_the_text_away(void **state)
{
    (void)state;
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, 100);
    KARTA_AUTO_TEXT empty = strbuf_take(&buf);
    assert_string_equal(empty, "");
    strbuf_adds(&buf, "x");
    KARTA_AUTO_TEXT text = strbuf_take(&buf);
    assert_string_equal(text, "x");
    assert_int_equal(buf.size, 0);
    strbuf_adds(&buf, "y");
    assert_string_equal(buf.text, "y");
}

static void add_json__escapes(void **state)
{
    (void)state;
    static const char text[] = "a\"\\\b\f\n\r\t\x01\x7F\0\xC3\xA9/";
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, 100);
    strbuf_add_json(&buf, text, sizeof text - 1);
    assert_string_equal(buf.text, "\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u007f\\u0000\xC3\xA9/\"");
    json_auto_t *value = json_loadb(buf.text, buf.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    assert_int_equal(json_string_length(value), sizeof text - 1);
    assert_memory_equal(json_string_value(value), text, sizeof text - 1);
}

static void mem__formats_and_zeroes(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT text = mem_format("%s-%d", "a", 5);
    assert_string_equal(text, "a-5");
    int *numbers = mem_array(3, sizeof *numbers);
    assert_non_null(numbers);
    assert_int_equal(numbers[0] | numbers[1] | numbers[2], 0);
    free(numbers);
    void *none = mem_array(0, 8);
    assert_non_null(none);
    free(none);
    char *taken = mem_take_text(&text);
    assert_null(text);
    free(taken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__grows),
        cmocka_unit_test(add__stops_at_the_cap),
        cmocka_unit_test(take__gives_the_text_away),
        cmocka_unit_test(add_json__escapes),
        cmocka_unit_test(mem__formats_and_zeroes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
