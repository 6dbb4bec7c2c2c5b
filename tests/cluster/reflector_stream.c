/* SPDX-License-Identifier: Apache-2.0 */
/* Much and large: bursts, objects of megabytes, lines and pages beyond what is read. */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "follower.h"
#include "raw_server.h"

#define BURST 100000
#define MEGABYTE (1U << 20)

#define JSON_ANSWER "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"

static struct raw_server server;
static struct follower follower;
static atomic_size_t watches, lists;

/* How much JSON there is at once, and the most that there was. */
static atomic_size_t held, most_held;

static void *count_malloc(size_t size)
{
    void *bytes = malloc(size);
    size_t now = atomic_fetch_add(&held, malloc_usable_size(bytes)) + malloc_usable_size(bytes);
    size_t most = atomic_load(&most_held);
    while (now > most && !atomic_compare_exchange_weak(&most_held, &most, now))
        continue;
    return bytes;
}

static void count_free(void *bytes)
{
    atomic_fetch_sub(&held, malloc_usable_size(bytes));
    free(bytes);
}

static void start(void (*answer)(struct raw_server *raw, size_t number, const char *head))
{
    atomic_store(&watches, 0);
    atomic_store(&lists, 0);
    raw_server_start(&server, answer, NULL);
    follower = (struct follower){0};
    follower_init_at(&follower, server.url);
    follower_start(&follower);
}

static void stop(void)
{
    reflector_stop(follower.reflector);
    follower_stop(&follower);
    raw_server_stop(&server);
    follower_dispose(&follower);
}

static size_t changes(void)
{
    pthread_mutex_lock(&follower.lock);
    size_t count = follower.changes;
    pthread_mutex_unlock(&follower.lock);
    return count;
}

static bool say_list(struct raw_server *raw, const char *head)
{
    if (strstr(head, "watch=1") != NULL)
        return false;
    atomic_fetch_add(&lists, 1);
    raw_say(raw, JSON_ANSWER "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}");
    return true;
}

static void say_burst(struct raw_server *raw, size_t number, const char *head)
{
    (void)number;
    if (say_list(raw, head))
        return;
    char line[256];
    raw_say(raw, JSON_ANSWER);
    for (int i = 0; i < BURST && atomic_load(&watches) == 0; i++) {
        int size = snprintf(line, sizeof line,
                            "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"a%d\","
                            "\"resourceVersion\":\"%d\"}}}\n",
                            i % 10, i + 2);
        if (!raw_send(raw, line, (size_t)size))
            return;
    }
    atomic_fetch_add(&watches, 1);
    raw_wait(raw);
}

static void reflector__holds_one_event_of_a_burst(void **state)
{
    (void)state;
    atomic_store(&most_held, 0);
    start(say_burst);
    WAIT_FOR(changes() == BURST);
    assert_true(atomic_load(&most_held) < 64 * 1024);
    assert_int_equal(follower.begins, 1);
    assert_int_equal(json_object_size(follower.objects), 10);
    stop();
    assert_int_equal(atomic_load(&held), 0);
}

/* An ADDED event of `size` bytes or so. */
static void say_large(struct raw_server *raw, size_t size)
{
    char *filler = malloc(size + 1);
    memset(filler, 'x', size);
    filler[size] = '\0';
    raw_say(raw, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"large\","
                 "\"resourceVersion\":\"9\"},\"data\":\"");
    raw_say(raw, filler);
    raw_say(raw, "\"}}\n");
    free(filler);
}

static void say_two_megabytes(struct raw_server *raw, size_t number, const char *head)
{
    (void)number;
    if (say_list(raw, head))
        return;
    raw_say(raw, JSON_ANSWER);
    if (atomic_fetch_add(&watches, 1) == 0)
        say_large(raw, 2 * MEGABYTE);
    raw_wait(raw);
}

static void reflector__takes_an_object_of_two_megabytes(void **state)
{
    (void)state;
    start(say_two_megabytes);
    WAIT_FOR(changes() == 1);
    assert_int_equal(json_string_length(json_object_get(follower.last, "data")), 2 * MEGABYTE);
    stop();
}

static void say_too_much(struct raw_server *raw, size_t number, const char *head)
{
    (void)number;
    if (say_list(raw, head))
        return;
    raw_say(raw, JSON_ANSWER);
    say_large(raw, atomic_fetch_add(&watches, 1) == 0 ? KUBE_LINE_MOST : MEGABYTE);
    raw_wait(raw);
}

static void reflector__lists_again_after_a_line_that_is_too_long(void **state)
{
    (void)state;
    start(say_too_much);
    WAIT_FOR(changes() == 1);
    assert_int_equal(atomic_load(&lists), 2);
    assert_int_equal(
        follower_counted(&follower, "karta_watch_events_skipped_total{reason=\"too-long\"}"), 1);
    assert_int_equal(follower_logged(&follower, "an event that is too long was skipped"), 1);
    stop();
}

/* Each object has 20 MiB: two of them are more than an answer may have. */
static void say_heavy_pages(struct raw_server *raw, size_t number, const char *head)
{
    (void)number;
    static char block[MEGABYTE];
    memset(block, 'x', sizeof block);
    if (strstr(head, "watch=1") != NULL) {
        raw_say(raw, JSON_ANSWER);
        raw_wait(raw);
        return;
    }
    atomic_fetch_add(&lists, 1);
    bool second = strstr(head, "continue=more") != NULL;
    int objects = strstr(head, "limit=1&") != NULL || strstr(head, "limit=1 ") != NULL ? 1 : 2;
    raw_say(raw, JSON_ANSWER "{\"metadata\":{\"resourceVersion\":\"1\"");
    raw_say(raw, objects == 1 && !second ? ",\"continue\":\"more\"},\"items\":[" : "},\"items\":[");
    for (int i = 0; i < objects; i++) {
        raw_say(raw, i > 0 ? ",{\"metadata\":{\"name\":\"" : "{\"metadata\":{\"name\":\"");
        raw_say(raw, second || i > 0 ? "second" : "first");
        raw_say(raw, "\",\"resourceVersion\":\"1\"},\"data\":\"");
        for (int k = 0; k < 20; k++)
            raw_send(raw, block, sizeof block);
        raw_say(raw, "\"}");
    }
    raw_say(raw, "]}");
}

static void reflector__asks_for_smaller_pages_where_they_are_too_large(void **state)
{
    (void)state;
    start(say_heavy_pages);
    WAIT_FOR(reflector_has_synced(follower.reflector));
    assert_int_equal(atomic_load(&lists), 3);
    assert_int_equal(json_object_size(follower.objects), 2);
    assert_int_equal(follower_logged(&follower, "level=warn"), 0);
    stop();
}

static void say_odd_items(struct raw_server *raw, size_t number, const char *head)
{
    (void)number;
    if (strstr(head, "watch=1") != NULL) {
        raw_say(raw, JSON_ANSWER);
        raw_wait(raw);
        return;
    }
    raw_say(raw, JSON_ANSWER
            "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[5,null,{},"
            "{\"metadata\":[]},{\"metadata\":{\"name\":\"\"}},{\"metadata\":{\"name\":\"good\","
            "\"resourceVersion\":\"1\"}}]}");
}

static void reflector__leaves_out_what_is_no_object_of_a_list(void **state)
{
    (void)state;
    start(say_odd_items);
    WAIT_FOR(reflector_has_synced(follower.reflector));
    assert_int_equal(json_object_size(follower.objects), 1);
    assert_int_equal(
        follower_counted(&follower, "karta_watch_events_skipped_total{reason=\"shape\"}"), 5);
    assert_int_equal(follower_logged(&follower, "msg=\"objects without a name are left out\" "
                                                "resource=kartas.run.ai count=5"),
                     1);
    stop();
}

/* Events that are none, each in a watch of its own, and then a good one. */
static const char *const odd_events[] = {
    "[]",
    "5",
    "{}",
    "{\"type\":5,\"object\":{}}",
    "{\"type\":\"ADDED\"}",
    "{\"type\":\"ADDED\",\"object\":[]}",
    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{}}}",
    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}",
    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":7,\"resourceVersion\":\"3\"}}}",
    "{\"type\":\"OTHER\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"3\"}}}",
    "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{}}}",
    "{\"type\":\"ERROR\",\"object\":{}}",
    "{\"type\":\"ERROR\",\"object\":{\"code\":99999999999,\"message\":[]}}",
    "{\"type\":\"ERROR\",\"object\":{\"reason\":\"Expired\"}}",
    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"",
    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"3\"}}}"};
#define ODD_EVENTS (sizeof odd_events / sizeof *odd_events)

static void say_odd_events(struct raw_server *raw, size_t number, const char *head)
{
    (void)number;
    if (say_list(raw, head))
        return;
    size_t index = atomic_fetch_add(&watches, 1);
    raw_say(raw, JSON_ANSWER);
    raw_say(raw, odd_events[index < ODD_EVENTS ? index : ODD_EVENTS - 1]);
    raw_say(raw, "\n");
    raw_wait(raw);
}

static void reflector__gets_over_events_that_are_none(void **state)
{
    (void)state;
    start(say_odd_events);
    WAIT_FOR(changes() == 1);
    assert_int_equal(atomic_load(&watches), ODD_EVENTS);
    assert_int_equal(
        follower_counted(&follower, "karta_watch_events_skipped_total{reason=\"shape\"}"), 11);
    assert_int_equal(
        follower_counted(&follower, "karta_watch_events_skipped_total{reason=\"garbage\"}"), 1);
    assert_int_equal(follower.wrong, 0);
    stop();
}

static void say_endless_pages(struct raw_server *raw, size_t number, const char *head)
{
    (void)head;
    char text[256];
    snprintf(text, sizeof text,
             JSON_ANSWER "{\"metadata\":{\"resourceVersion\":\"1\",\"continue\":\"t%zu\"},"
                         "\"items\":null}",
             number);
    raw_say(raw, text);
    atomic_fetch_add(&lists, 1);
}

static void reflector_free__ends_a_list_without_end(void **state)
{
    (void)state;
    start(say_endless_pages);
    WAIT_FOR(atomic_load(&lists) > 20);
    assert_int_equal(follower_begins(&follower), 1);
    assert_false(reflector_has_synced(follower.reflector));
    stop();
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    json_set_alloc_funcs(count_malloc, count_free);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reflector__holds_one_event_of_a_burst),
        cmocka_unit_test(reflector__takes_an_object_of_two_megabytes),
        cmocka_unit_test(reflector__lists_again_after_a_line_that_is_too_long),
        cmocka_unit_test(reflector__asks_for_smaller_pages_where_they_are_too_large),
        cmocka_unit_test(reflector__leaves_out_what_is_no_object_of_a_list),
        cmocka_unit_test(reflector__gets_over_events_that_are_none),
        cmocka_unit_test(reflector_free__ends_a_list_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
