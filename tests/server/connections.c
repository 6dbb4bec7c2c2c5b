/* SPDX-License-Identifier: Apache-2.0 */
/* The table's deadlines and its choice of victims, by a clock that the test turns. */
#include "connections.h"

#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support.h"

#define MOST 8

static int64_t now;

static int64_t read_clock(void)
{
    return now;
}

struct table_test {
    struct connections *table;
    struct connection *entries[MOST];
    int ours[MOST], theirs[MOST]; /* sockets: the table's end, the client's */
    size_t count;
};

static int set_up(void **state)
{
    static struct table_test test;
    struct connection_limits limits = connection_limits(4);
    now = 1000000;
    limits.now_ms = read_clock;
    test = (struct table_test){.table = connections_new(&limits)};
    assert_non_null(test.table);
    *state = &test;
    return 0;
}

static int tear_down(void **state)
{
    struct table_test *test = *state;
    for (size_t i = 0; i < test->count; i++) {
        connections_drop(test->table, test->entries[i]);
        close(test->ours[i]);
        close(test->theirs[i]);
    }
    assert_int_equal(connections_count(test->table), 0);
    connections_free(test->table);
    return 0;
}

static struct connection *add(struct table_test *test)
{
    int fds[2];
    assert_true(test->count < MOST);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    struct connection *entry = connections_add(test->table, fds[0]);
    assert_non_null(entry);
    test->entries[test->count] = entry;
    test->ours[test->count] = fds[0];
    test->theirs[test->count++] = fds[1];
    return entry;
}

static void serve(struct connection *entry)
{
    connection_request_begins(entry);
    connection_body_is_whole(entry);
    connection_request_ends(entry, 1);
}

static bool is_open(const struct table_test *test, size_t index)
{
    struct pollfd wait = {.fd = test->theirs[index], .events = POLLIN};
    return poll(&wait, 1, 0) == 0;
}

/* Turns the clock and lets the reaper look. */
static void pass(struct table_test *test, int64_t ms)
{
    now += ms;
    connections_reap(test->table);
}

static void deadline__ten_seconds_from_accept(void **state)
{
    struct table_test *test = *state;
    add(test);
    pass(test, 9999);
    assert_true(is_open(test, 0));
    pass(test, 1);
    assert_false(is_open(test, 0));
}

static void deadline__a_request_has_ten_seconds_for_its_body_and_ten_for_its_answer(void **state)
{
    struct table_test *test = *state;
    struct connection *entry = add(test);
    pass(test, 9000);
    connection_request_begins(entry);
    pass(test, 9999);
    assert_true(is_open(test, 0));
    connection_body_is_whole(entry);
    pass(test, 9999);
    assert_true(is_open(test, 0));
    pass(test, 1);
    assert_false(is_open(test, 0));
}

static void idle__two_minutes_after_an_answer(void **state)
{
    struct table_test *test = *state;
    struct connection *entry = add(test);
    serve(entry);
    pass(test, 119999);
    assert_true(is_open(test, 0));
    serve(entry); /* each answer begins them anew */
    pass(test, 119999);
    assert_true(is_open(test, 0));
    pass(test, 1);
    assert_false(is_open(test, 0));
}

static void full__who_never_asked_goes_first_and_the_oldest_of_them(void **state)
{
    struct table_test *test = *state;
    serve(add(test));
    for (int i = 0; i < 4; i++) { /* one more than the soft limit of four */
        now += 10;
        add(test);
    }
    assert_true(is_open(test, 1));
    add(test);
    assert_true(is_open(test, 0));
    assert_false(is_open(test, 1));
    assert_true(is_open(test, 2));
}

static void full__then_the_longest_idle_and_never_one_in_a_request(void **state)
{
    struct table_test *test = *state;
    for (int i = 0; i < 5; i++) {
        now += 10;
        serve(add(test));
    }
    connection_request_begins(test->entries[0]);
    add(test);
    assert_true(is_open(test, 0));
    assert_false(is_open(test, 1)); /* the longest idle of those that are */
    assert_true(is_open(test, 2));
    assert_true(is_open(test, 5)); /* the newcomer itself is no candidate */
}

/* Its client may have the answer already, and we not heard of it. */
static void full__one_that_is_being_answered_is_spared(void **state)
{
    struct table_test *test = *state;
    struct connection *first = add(test);
    connection_request_begins(first);
    connection_body_is_whole(first);
    for (int i = 0; i < 5; i++) {
        now += 10;
        add(test);
    }
    assert_true(is_open(test, 0));
    assert_false(is_open(test, 1));
}

static void close_idle__spares_requests_and_the_recently_used(void **state)
{
    struct table_test *test = *state;
    serve(add(test));
    connection_request_begins(add(test));
    connection_body_is_whole(add(test));
    now += 1000;
    serve(add(test));
    connections_close_idle(test->table, 1000);
    assert_false(is_open(test, 0));
    assert_true(is_open(test, 1));
    assert_true(is_open(test, 2));
    assert_true(is_open(test, 3));
}

static void peer__is_known_for_one_generation_of_the_ca(void **state)
{
    struct table_test *test = *state;
    struct connection *entry = add(test);
    assert_int_equal(connection_peer(entry, 0), PEER_UNKNOWN);
    connection_set_peer(entry, PEER_TRUSTED, 0);
    assert_int_equal(connection_peer(entry, 0), PEER_TRUSTED);
    assert_int_equal(connection_peer(entry, 1), PEER_UNKNOWN);
    connection_set_peer(entry, PEER_REFUSED, 1);
    assert_int_equal(connection_peer(entry, 1), PEER_REFUSED);
    assert_int_equal(connection_peer(NULL, 1), PEER_UNKNOWN);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(deadline__ten_seconds_from_accept),
        TEST(deadline__a_request_has_ten_seconds_for_its_body_and_ten_for_its_answer),
        TEST(idle__two_minutes_after_an_answer),
        TEST(full__who_never_asked_goes_first_and_the_oldest_of_them),
        TEST(full__then_the_longest_idle_and_never_one_in_a_request),
        TEST(full__one_that_is_being_answered_is_spared),
        TEST(close_idle__spares_requests_and_the_recently_used),
        TEST(peer__is_known_for_one_generation_of_the_ca),
    };
    return cmocka_run_group_tests_name("server.connections", tests, NULL, NULL);
}
