/* SPDX-License-Identifier: Apache-2.0 */
/* One event is one line, whatever is in it; and it is the same in both formats. */
#include "log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "support.h"

/* What log_write wrote with these settings, behind the time. */
static void written(bool json, enum log_level level, const char *value, char *line, size_t room)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    struct log log = {.level = LOG_LEVEL_INFO, .json = json, .fd = fds[1]};
    LOG_WRITE(&log, level, "a word", log_text("plain", "ml/train*"), log_text("value", value),
              log_text("none", ""), log_count("count", -7), log_ms("ms", 1234));
    close(fds[1]);
    ssize_t size = read(fds[0], line, room - 1);
    line[size > 0 ? size : 0] = '\0';
    close(fds[0]);
}

static void assert_text(const char *value, const char *expected)
{
    char line[4096];
    int seen = 0;
    written(false, LOG_LEVEL_INFO, value, line, sizeof line);
    int year;
    assert_int_equal(sscanf(line, "time=%d-%*2d-%*2dT%*2d:%*2d:%*2d.%*3dZ%n", &year, &seen), 1);
    assert_int_equal(seen, strlen("time=2026-01-02T03:04:05.678Z"));
    assert_string_equal(line + seen, expected);
}

static void assert_json(const char *value, const char *expected)
{
    char line[4096];
    written(true, LOG_LEVEL_WARN, value, line, sizeof line);
    assert_int_equal(strncmp(line, "{\"time\":\"2", 10), 0);
    assert_string_equal(strchr(line, ',') + 1, expected);
    json_error_t ignored;
    json_t *parsed = json_loads(line, 0, &ignored);
    assert_non_null(parsed);
    assert_true(json_is_number(json_object_get(parsed, "ms")));
    json_decref(parsed);
}

static void text__values_are_quoted_where_needed(void **state)
{
    (void)state;
    assert_text("a", " level=info msg=\"a word\" plain=ml/train* value=a count=-7 ms=1.234\n");
    assert_text("a=b c", " level=info msg=\"a word\" plain=ml/train* value=\"a=b c\" count=-7 "
                         "ms=1.234\n");
    assert_text("a\nlevel=error", " level=info msg=\"a word\" plain=ml/train* "
                                  "value=\"a\\nlevel=error\" count=-7 ms=1.234\n");
}

static void json__is_one_object_a_line(void **state)
{
    (void)state;
    assert_json("a\"\\\n\x1b", "\"level\":\"warn\",\"msg\":\"a word\",\"plain\":\"ml/train*\","
                               "\"value\":\"a\\\"\\\\\\n\\u001b\",\"count\":-7,\"ms\":1.234}\n");
    assert_json("\xff", "\"level\":\"warn\",\"msg\":\"a word\",\"plain\":\"ml/train*\","
                        "\"value\":\"\\ufffd\",\"count\":-7,\"ms\":1.234}\n");
}

static void level__below_is_not_written(void **state)
{
    (void)state;
    char line[64];
    written(false, LOG_LEVEL_DEBUG, "a", line, sizeof line);
    assert_string_equal(line, "");
    enum log_level level;
    assert_true(log_level_parse("warn", &level));
    assert_int_equal(level, LOG_LEVEL_WARN);
    assert_false(log_level_parse("WARN", &level));
}

static void escape__any_bytes_become_harmless(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *expected;
    } cases[] = {
        {"", "\"\""},
        {"\xc3\xa4\xf0\x9f\x98\x80", "\"\xc3\xa4\xf0\x9f\x98\x80\""}, /* a letter, a face */
        {"\x7f\xc2\x9b", "\"\\u007f\\u009b\""},                       /* DEL, C1's CSI */
        {"\xe2\x80\xae\xe2\x80\xa8", "\"\\u202e\\u2028\""},           /* direction, line end */
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},                           /* overlong */
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},                /* a surrogate */
        {"a\xe2\x82", "\"a\\ufffd\\ufffd\""},                         /* cut off */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf out;
        strbuf_init(&out, 1024);
        escape_json(&out, cases[i].bytes, strlen(cases[i].bytes));
        assert_string_equal(out.text, cases[i].expected);
        strbuf_dispose(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text__values_are_quoted_where_needed),
        cmocka_unit_test(json__is_one_object_a_line),
        cmocka_unit_test(level__below_is_not_written),
        cmocka_unit_test(escape__any_bytes_become_harmless),
    };
    return cmocka_run_group_tests_name("server.log", tests, NULL, NULL);
}
