/* SPDX-License-Identifier: Apache-2.0 */
/* What is broken, gone or renamed under a running server takes nothing away. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers.h"
#include "base/mem.h"
#include "watched.h"

/* New: the entry, once the compiling behind the start has come to it. */
static json_t *find_compiled(struct watched *test, const char *name)
{
    for (int waited_ms = 0;; waited_ms += 50) {
        json_t *entry = watched_find(test, name, "active");
        if (json_object_get(entry, "compileMilliseconds") != NULL || waited_ms > NOTICED_MS)
            return entry;
        json_decref(entry);
        usleep(50000);
    }
}

static void file__broken_keeps_its_last_good_version_and_holds_up_nobody(void **state)
{
    (void)state;
    struct watched test;
    watched_start(&test);
    json_t *before = find_compiled(&test, "one");
    const char *version = json_string_value(json_object_get(before, "version"));
    assert_int_equal(strlen(version), 8);
    assert_true(json_is_real(json_object_get(before, "compileMilliseconds")));
    watched_break(&test, "1.yaml");
    watched_write(&test, "2.yaml", "second", "Two");
    assert_true(watched_becomes(&test, "second", true, NOTICED_MS));
    json_t *after = watched_find(&test, "one", "active");
    assert_non_null(after);
    assert_string_equal(json_string_value(json_object_get(after, "version")), version);
    assert_non_null(json_string_value(json_object_get(after, "refused")));
    json_decref(before);
    json_decref(after);
    KARTA_AUTO_TEXT line = mem_format("level=warn msg=\"definition broken, its version before "
                                      "stays\" origin=%s/1.yaml problem=",
                                      test.folder);
    assert_true(running_logs(&test.server, line, 0));
    assert_metric(&test.server, "\nkarta_definitions{source=\"folder\",state=\"outdated\"} 1\n");
    assert_metric(&test.server, "\nkarta_definitions{source=\"folder\",state=\"failed\"} 0\n");
    assert_metric(&test.server,
                  "\nkarta_reload_total{what=\"definitions\",result=\"failure\"} 1\n");
    watched_write(&test, "1.yaml", "mended", "One");
    assert_true(watched_becomes(&test, "mended", true, NOTICED_MS));
    assert_metric(&test.server, "\nkarta_definitions{source=\"folder\",state=\"outdated\"} 0\n");
    watched_remove(&test, "1.yaml"); /* gone is gone */
    assert_true(watched_becomes(&test, "mended", false, NOTICED_MS));
    assert_int_equal(running_stop(&test.server), 0);
}

static void file__broken_from_the_start_leaves_the_others(void **state)
{
    (void)state;
    struct watched test;
    watched_start(&test);
    watched_break(&test, "3.yaml");
    KARTA_AUTO_TEXT line =
        mem_format("level=warn msg=\"definition left out\" origin=%s/3.yaml problem=", test.folder);
    assert_true(running_logs(&test.server, line, NOTICED_MS));
    assert_true(watched_has(&test, "one", "active"));
    assert_int_equal(running_stop(&test.server), 0);
}

static void folder__gone_is_no_reason_to_forget(void **state)
{
    (void)state;
    struct watched test;
    watched_start(&test);
    KARTA_AUTO_TEXT away = mem_format("%s.away", test.folder);
    assert_int_equal(rename(test.folder, away), 0);
    assert_true(running_logs(&test.server,
                             "level=warn msg=\"definitions not reloaded, those before stay\" "
                             "error=\"cannot list ",
                             2 * NOTICED_MS));
    assert_true(watched_has(&test, "one", "active"));
    assert_int_equal(rename(away, test.folder), 0);
    watched_write(&test, "3.yaml", "three", "Three");
    assert_true(watched_becomes(&test, "three", true, 2 * NOTICED_MS));
    assert_int_equal(running_stop(&test.server), 0);
}

static char *profile(const char *name)
{
    KARTA_AUTO_TEXT text = test_read("profiles/kai.yaml", NULL);
    char *at = strstr(text, "name: kai");
    assert_non_null(at);
    return mem_format("%.*sname: %s%s", (int)(at - text), text, name, at + strlen("name: kai"));
}

static void profile__in_force_cannot_be_taken_away(void **state)
{
    (void)state;
    struct watched test;
    watched_init(&test);
    KARTA_AUTO_TEXT path = mem_format("%s/profile.yaml", test.server.dir);
    KARTA_AUTO_TEXT own = profile("own");
    KARTA_AUTO_TEXT other = profile("other");
    write_text(path, own);
    running_start(&test.server, (const char *[]){"--drain", "0", "--profile", path, "--definitions",
                                                 test.folder, NULL});
    assert_true(watched_has(&test, "own", "active"));
    write_text(path, "kind: [");
    assert_true(running_logs(&test.server, "msg=\"definition broken, its version before stays\"",
                             NOTICED_MS));
    assert_true(watched_has(&test, "own", "active"));
    write_text(path, other);
    assert_true(running_logs(&test.server,
                             "error=\"the profile is called \\\"other\\\" now, and \\\"own\\\" is "
                             "in force\"",
                             NOTICED_MS));
    assert_true(watched_has(&test, "own", "active"));
    assert_int_equal(running_stop(&test.server), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file__broken_keeps_its_last_good_version_and_holds_up_nobody),
        cmocka_unit_test(file__broken_from_the_start_leaves_the_others),
        cmocka_unit_test(folder__gone_is_no_reason_to_forget),
        cmocka_unit_test(profile__in_force_cannot_be_taken_away),
    };
    return cmocka_run_group_tests_name("server.reload_broken", tests, NULL, NULL);
}
