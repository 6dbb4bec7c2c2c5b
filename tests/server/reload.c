/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of definitions that change under a running server. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers.h"
#include "base/mem.h"
#include "watched.h"

static void folder__changes_come_into_force_by_themselves(void **state)
{
    (void)state;
    struct watched test;
    watched_start(&test);
    assert_true(watched_has(&test, "one", "active"));
    watched_write(&test, "3.yaml", "three", "Three");
    assert_true(watched_becomes(&test, "three", true, NOTICED_MS));
    watched_write(&test, "1.yaml", "first", "One"); /* in place */
    assert_true(watched_becomes(&test, "first", true, NOTICED_MS));
    assert_false(watched_has(&test, "one", "active"));
    watched_remove(&test, "2.yaml");
    assert_true(watched_becomes(&test, "two", false, NOTICED_MS));
    watched_write(&test, "4.yaml", "fourth", "Three"); /* the later of a kind wins */
    assert_true(watched_becomes(&test, "fourth", true, NOTICED_MS));
    assert_true(watched_has(&test, "three", "shadowed"));
    KARTA_AUTO_TEXT log = running_log(&test.server);
    assert_null(strstr(log, "level=warn"));
    assert_metric(&test.server,
                  "\nkarta_reload_total{what=\"definitions\",result=\"success\"} 5\n");
    assert_metric(&test.server,
                  "\nkarta_reload_last_success_timestamp_seconds{what=\"definitions\"} ");
    assert_int_equal(running_stop(&test.server), 0);
}

/* As a ConfigMap is mounted. */
static void folder__a_turned_link_is_noticed(void **state)
{
    (void)state;
    struct watched test;
    watched_init(&test);
    KARTA_AUTO_TEXT mount = mem_format("%s/mount", test.server.dir);
    KARTA_AUTO_TEXT data = mem_format("%s/..data", mount);
    KARTA_AUTO_TEXT data_new = mem_format("%s/..data_tmp", mount);
    KARTA_AUTO_TEXT link = mem_format("%s/1.yaml", mount);
    KARTA_AUTO_TEXT next = mem_format("%s/next", test.server.dir);
    KARTA_AUTO_TEXT next_file = mem_format("%s/1.yaml", next);
    KARTA_AUTO_TEXT text = watched_karta("other", "One");
    assert_int_equal(mkdir(mount, 0700), 0);
    assert_int_equal(mkdir(next, 0700), 0);
    write_text(next_file, text);
    assert_int_equal(symlink(test.folder, data), 0);
    assert_int_equal(symlink("..data/1.yaml", link), 0);
    running_start(&test.server, (const char *[]){"--drain", "0", "--definitions", mount, NULL});
    assert_true(watched_has(&test, "one", "active"));
    assert_int_equal(symlink(next, data_new), 0);
    assert_int_equal(rename(data_new, data), 0);
    assert_true(watched_becomes(&test, "other", true, NOTICED_MS));
    assert_int_equal(running_stop(&test.server), 0);
}

/* More folders than are watched, and so none; all but one are empty. */
static void folder__changes_are_noticed_without_a_watch(void **state)
{
    (void)state;
    struct watched test;
    watched_init(&test);
    KARTA_AUTO_TEXT config = mem_format("%s/config.yaml", test.server.dir);
    FILE *file = fopen(config, "we");
    assert_non_null(file);
    fprintf(file, "definitions:\n- %s\n", test.folder);
    for (int i = 0; i < 70; i++) {
        KARTA_AUTO_TEXT empty = mem_format("%s/%d", test.server.dir, i);
        assert_int_equal(mkdir(empty, 0700), 0);
        fprintf(file, "- %s\n", empty);
    }
    fclose(file);
    running_start(&test.server, (const char *[]){"--drain", "0", "--config", config, NULL});
    assert_true(running_logs(&test.server, "msg=\"folders cannot all be watched\"", LOGGED_MS));
    watched_write(&test, "3.yaml", "three", "Three");
    assert_true(watched_becomes(&test, "three", true, 2 * NOTICED_MS));
    assert_int_equal(running_stop(&test.server), 0);
}

/* Asked for, it does not wait until the files have settled. */
static void hangup__reads_at_once(void **state)
{
    (void)state;
    struct watched test;
    watched_start(&test);
    watched_write(&test, "3.yaml", "three", "Three");
    kill(test.server.pid, SIGHUP);
    assert_true(watched_becomes(&test, "three", true, 2 * NOTICED_MS));
    assert_true(running_logs(&test.server, "msg=\"certificate loaded\"", 0));
    assert_int_equal(running_stop(&test.server), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folder__changes_come_into_force_by_themselves),
        cmocka_unit_test(folder__a_turned_link_is_noticed),
        cmocka_unit_test(folder__changes_are_noticed_without_a_watch),
        cmocka_unit_test(hangup__reads_at_once),
    };
    return cmocka_run_group_tests_name("server.reload", tests, NULL, NULL);
}
