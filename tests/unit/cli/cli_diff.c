/* SPDX-License-Identifier: Apache-2.0 */
#include "diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "exit_code.h"
#include "support.h"

/* Standard output goes to a file while the diff runs; its text is new. */
static char *printed(const char *before, const char *after, bool colour)
{
    char path[] = "/tmp/karta-diff-XXXXXX";
    int fd = mkstemp(path), saved = dup(STDOUT_FILENO);
    assert_true(fd >= 0 && saved >= 0);
    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
    int code = diff_print(before, strlen(before), after, strlen(after), colour);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(fd);
    assert_int_equal(code, CLI_DONE);
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(file_read(path, 1U << 20, &text, &size, NULL), 0);
    unlink(path);
    return text;
}

static void diff_print__shows_what_was_added(void **state)
{
    (void)state;
    char *text = printed("a: 1\nc: 3\n", "a: 1\nb: 2\nc: 3\n", false);
    assert_string_equal(text, "--- input\n+++ mutated\n@@ -1,2 +1,3 @@\n a: 1\n+b: 2\n c: 3\n");
    free(text);
}

static void diff_print__of_equal_texts_is_empty(void **state)
{
    (void)state;
    char *text = printed("a: 1\n", "a: 1\n", false);
    assert_string_equal(text, "");
    free(text);
}

static void diff_print__is_coloured_when_asked(void **state)
{
    (void)state;
    char *text = printed("a\n", "b\n", true);
    assert_non_null(strstr(text, "\033[32m+b"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diff_print__shows_what_was_added),
        cmocka_unit_test(diff_print__of_equal_texts_is_empty),
        cmocka_unit_test(diff_print__is_coloured_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
