/* SPDX-License-Identifier: Apache-2.0 */
/* Every fault that the double has, at every step of a reflector: whatever happens, in the end it
 * has what the server has. */
#include <signal.h>
#include <stdio.h>

#include "follower.h"

enum step { FIRST_PAGE, SECOND_PAGE, WATCH_START, WATCH_MIDDLE };

struct fault_case {
    enum api_fault fault;
    int number;
    bool watch_alone;
};

static const struct fault_case cases[] = {
    {API_FAULT_STATUS, 401, false},     {API_FAULT_STATUS, 403, false},
    {API_FAULT_STATUS, 409, false},     {API_FAULT_STATUS, 410, false},
    {API_FAULT_STATUS, 429, false},     {API_FAULT_STATUS, 500, false},
    {API_FAULT_STATUS, 503, false},     {API_FAULT_HANG, 0, false},
    {API_FAULT_STALL, 0, false},        {API_FAULT_CUT, 0, false},
    {API_FAULT_GARBAGE, 0, false},      {API_FAULT_LIE, 0, false},
    {API_FAULT_GARBAGE_LINE, 0, true},  {API_FAULT_ERROR_EVENT, 410, true},
    {API_FAULT_ERROR_EVENT, 500, true}, {API_FAULT_ERROR_EVENT, 403, true},
};

static struct follower follower;
static const struct fault_case *current;

static int setup(void **state)
{
    (void)state;
    follower_init(&follower);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    follower_dispose(&follower);
    return 0;
}

/* In the reflector's thread, between the first page and the second. */
static void break_second_page(struct follower *of)
{
    if (of->begins == 1)
        api_server_fault(of->server, "list", "kartas", current->fault, current->number, 2);
}

/* Where the watch is, it is broken twice, then a third has to find what was missed. */
static void break_watch_under_way(void)
{
    WAIT_FOR(follower_is_right(&follower));
    WAIT_FOR(api_server_watches(follower.server, "kartas") == 1);
    put_karta(&follower, "f");
    WAIT_FOR(follower_is_right(&follower));
    api_server_fault(follower.server, "watch", "kartas", current->fault, current->number, 2);
    api_server_end_watches(follower.server);
}

static void run(enum step step, const struct fault_case *fault)
{
    current = fault;
    follower.config.idle_ms = 300;
    put_karta(&follower, "a");
    put_karta(&follower, "b");
    put_karta(&follower, "c");
    if (step == FIRST_PAGE)
        api_server_fault(follower.server, "list", "kartas", fault->fault, fault->number, 2);
    if (step == SECOND_PAGE)
        follower.on_begin = break_second_page;
    if (step == WATCH_START)
        api_server_fault(follower.server, "watch", "kartas", fault->fault, fault->number, 4);
    follower_start(&follower);
    if (step == WATCH_MIDDLE)
        break_watch_under_way();
    put_karta(&follower, "d");
    delete_karta(&follower, "a");
    WAIT_FOR(follower_is_right(&follower));
    WAIT_FOR(!follower_has_trouble(&follower));
    put_karta(&follower, "e");
    delete_karta(&follower, "b");
    WAIT_FOR(follower_is_right(&follower));
    assert_int_equal(follower.wrong, 0);
}

static void run_all(enum step step, bool watch)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].watch_alone && !watch)
            continue;
        print_message("fault %d %d\n", (int)cases[i].fault, cases[i].number);
        run(step, &cases[i]);
        follower_dispose(&follower);
        follower_init(&follower);
    }
}

static void reflector__gets_over_a_broken_first_page(void **state)
{
    (void)state;
    run_all(FIRST_PAGE, false);
}

static void reflector__gets_over_a_broken_second_page(void **state)
{
    (void)state;
    run_all(SECOND_PAGE, false);
}

static void reflector__gets_over_a_broken_start_of_a_watch(void **state)
{
    (void)state;
    run_all(WATCH_START, true);
}

static void reflector__gets_over_a_watch_that_breaks(void **state)
{
    (void)state;
    run_all(WATCH_MIDDLE, true);
}

static void reflector__logs_once_an_outage(void **state)
{
    (void)state;
    put_karta(&follower, "a");
    api_server_fault(follower.server, "watch", "kartas", API_FAULT_ERROR_EVENT, 500, 0);
    follower_start(&follower);
    WAIT_FOR(api_server_asked(follower.server, "watch", "kartas") > 8);
    assert_true(api_server_asked(follower.server, "list", "kartas") >= 2);
    assert_int_equal(follower_logged(&follower, "\n"), 1);
    api_server_fault(follower.server, "watch", "kartas", API_FAULT_NONE, 0, 0);
    WAIT_FOR(follower_logged(&follower, "a resource is followed again") == 1);
    assert_int_equal(follower_logged(&follower, "\n"), 2);
    assert_true(follower_is_right(&follower));
}

static void reflector__counts_what_it_skips(void **state)
{
    (void)state;
    put_karta(&follower, "a");
    api_server_fault(follower.server, "watch", "kartas", API_FAULT_GARBAGE_LINE, 0, 3);
    follower_start(&follower);
    WAIT_FOR(follower_counted(&follower, "karta_watch_events_skipped_total{reason=\"garbage\"}") ==
             3);
    WAIT_FOR(follower_logged(&follower, "a resource is followed again") == 1);
    assert_int_equal(follower_logged(&follower, "an event that is not JSON was skipped"), 1);
    assert_int_equal(follower_begins(&follower), 4);
    api_server_fault(follower.server, "watch", "kartas", API_FAULT_LIE, 0, 1);
    api_server_end_watches(follower.server);
    WAIT_FOR(follower_counted(&follower, "karta_watch_events_skipped_total{reason=\"shape\"}") ==
             1);
    put_karta(&follower, "b");
    WAIT_FOR(follower_is_right(&follower));
    assert_int_equal(follower_logged(&follower, "an event that has no object was skipped"), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        TEST(reflector__gets_over_a_broken_first_page),
        TEST(reflector__gets_over_a_broken_second_page),
        TEST(reflector__gets_over_a_broken_start_of_a_watch),
        TEST(reflector__gets_over_a_watch_that_breaks),
        TEST(reflector__logs_once_an_outage),
        TEST(reflector__counts_what_it_skips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
