/* SPDX-License-Identifier: Apache-2.0 */
/* Reflectors of a well-behaved API server, and of one that comes and goes. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "follower.h"

static struct follower follower;

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

static void start_with_five(void)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < 5; i++)
        put_karta(&follower, names[i]);
    follower_start(&follower);
    WAIT_FOR(reflector_has_synced(follower.reflector));
    WAIT_FOR(api_server_watches(follower.server, "kartas") == 1);
}

#define OF_METRICS "karta_kubernetes_requests_total"

static void reflector__lists_in_pages_then_follows(void **state)
{
    (void)state;
    start_with_five();
    assert_true(follower_is_right(&follower));
    assert_int_equal(api_server_asked(follower.server, "list", "kartas"), 3);
    put_karta(&follower, "f");
    put_karta(&follower, "a");
    delete_karta(&follower, "b");
    WAIT_FOR(follower_is_right(&follower));
    WAIT_FOR(!follower_has_trouble(&follower));
    assert_int_equal(follower.begins, 1);
    assert_int_equal(follower.changes, 2);
    assert_int_equal(follower.removals, 1);
    assert_int_equal(follower_counted(&follower, OF_METRICS "{verb=\"list\",code=\"200\"}"), 3);
    assert_true(follower_counted(&follower, "karta_watch_last_sync_timestamp_seconds") > 0);
    assert_int_equal(follower_logged(&follower, "\n"), 0);
}

static void reflector__takes_an_empty_resource_for_synced(void **state)
{
    (void)state;
    follower_start(&follower);
    WAIT_FOR(reflector_has_synced(follower.reflector));
    assert_true(follower_is_right(&follower));
    put_karta(&follower, "a");
    WAIT_FOR(follower_is_right(&follower));
}

static void reflector__sees_only_what_is_selected(void **state)
{
    (void)state;
    follower.config.label_selector = "first=x";
    put_karta(&follower, "x1");
    put_karta(&follower, "y1");
    follower_start(&follower);
    WAIT_FOR(reflector_has_synced(follower.reflector));
    WAIT_FOR(api_server_watches(follower.server, "kartas") == 1);
    put_karta(&follower, "y2");
    put_karta(&follower, "x2");
    pthread_mutex_lock(&follower.lock);
    bool right = json_object_get(follower.objects, "/x1") != NULL &&
                 json_object_get(follower.objects, "/y1") == NULL;
    pthread_mutex_unlock(&follower.lock);
    assert_true(right);
    size_t changes = 0;
    WAIT_FOR((pthread_mutex_lock(&follower.lock), changes = follower.changes,
              pthread_mutex_unlock(&follower.lock), changes == 1));
    assert_non_null(json_object_get(follower.objects, "/x2"));
}

static void reflector__asks_for_metadata_alone(void **state)
{
    (void)state;
    follower.config.metadata_only = true;
    follower.config.resource = (struct kube_resource){"", "v1", "pods"};
    static const char pod[] = "{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': '%s', "
                              "'namespace': 'team'}, 'spec': {'containers': []}}";
    char text[256];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, pod, i == 0 ? "one" : "two");
        api_server_put(follower.server, text);
        if (i == 0)
            follower_start(&follower);
        WAIT_FOR(follower_is_right(&follower));
        WAIT_FOR(api_server_watches(follower.server, "pods") == 1);
        assert_null(json_object_get(follower.last, "spec"));
    }
}

static void reflector__watches_again_from_where_it_was(void **state)
{
    (void)state;
    start_with_five();
    for (int i = 0; i < 3; i++) {
        size_t asked = api_server_asked(follower.server, "watch", "kartas");
        api_server_end_watches(follower.server);
        put_karta(&follower, i % 2 == 0 ? "f" : "g");
        delete_karta(&follower, i % 2 == 0 ? "g" : "f");
        WAIT_FOR(api_server_asked(follower.server, "watch", "kartas") > asked);
        WAIT_FOR(follower_is_right(&follower));
    }
    assert_int_equal(follower.begins, 1);
    assert_true(follower_counted(&follower, "karta_watch_restarts_total") >= 3);
}

static void reflector__goes_on_where_a_bookmark_was(void **state)
{
    (void)state;
    start_with_five();
    api_server_put(follower.server,
                   "{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'other'}}");
    api_server_compact(follower.server); /* forgets where we are, if it were not for the bookmark */
    api_server_bookmark(follower.server);
    put_karta(&follower, "f");
    WAIT_FOR(follower_is_right(&follower));
    api_server_end_watches(follower.server);
    put_karta(&follower, "g");
    WAIT_FOR(follower_is_right(&follower));
    assert_int_equal(follower.begins, 1);
}

static void reflector__asks_for_watches_that_end(void **state)
{
    (void)state;
    follower.config.watch_seconds = 1;
    start_with_five();
    WAIT_FOR(api_server_asked(follower.server, "watch", "kartas") >= 4);
    put_karta(&follower, "f");
    WAIT_FOR(follower_is_right(&follower));
    assert_int_equal(follower.begins, 1);
    assert_int_equal(follower_logged(&follower, "level=warn"), 0);
}

static void reflector__lists_again_when_it_is_too_far_behind(void **state)
{
    (void)state;
    start_with_five();
    api_server_fault(follower.server, "watch", "kartas", API_FAULT_STATUS, 503, 0);
    api_server_end_watches(follower.server);
    WAIT_FOR(api_server_watches(follower.server, "kartas") == 0);
    put_karta(&follower, "f");
    delete_karta(&follower, "a");
    api_server_compact(follower.server);
    api_server_fault(follower.server, NULL, NULL, API_FAULT_NONE, 0, 0);
    WAIT_FOR(follower_is_right(&follower));
    WAIT_FOR(api_server_watches(follower.server, "kartas") == 1);
    assert_true(follower.begins >= 2);
}

static void reflector__is_back_when_the_server_is(void **state)
{
    (void)state;
    start_with_five();
    api_server_die(follower.server);
    WAIT_FOR(follower_has_trouble(&follower));
    put_karta(&follower, "f");
    delete_karta(&follower, "a");
    WAIT_FOR(follower_counted(&follower, OF_METRICS "{verb=\"watch\",code=\"0\"}") > 3);
    assert_true(reflector_has_synced(follower.reflector));
    api_server_return(follower.server);
    WAIT_FOR(follower_is_right(&follower));
    WAIT_FOR(!follower_has_trouble(&follower));
    WAIT_FOR(follower_logged(&follower, "a resource is followed again") == 1);
    assert_int_equal(follower_logged(&follower, "level=warn"), 1);
    assert_int_equal(follower_logged(&follower, "level=info"), 1);
}

static void reflector__waits_for_a_server_that_is_not_there_yet(void **state)
{
    (void)state;
    char text[512];
    put_karta(&follower, "a");
    api_server_die(follower.server);
    follower_start(&follower);
    WAIT_FOR(follower_counted(&follower, OF_METRICS "{verb=\"list\",code=\"0\"}") > 3);
    assert_false(reflector_has_synced(follower.reflector));
    reflector_trouble(follower.reflector, text, sizeof text);
    char expected[512];
    snprintf(expected, sizeof expected,
             "list kartas.run.ai: the API server cannot be reached: %s: connection refused",
             api_server_url(follower.server));
    assert_string_equal(text, expected);
    api_server_return(follower.server);
    WAIT_FOR(reflector_has_synced(follower.reflector));
    assert_true(follower_is_right(&follower));
    WAIT_FOR(!follower_has_trouble(&follower));
}

static void reflector__takes_a_resource_that_is_not_served_for_empty(void **state)
{
    (void)state;
    follower.config.resource = (struct kube_resource){"example.org", "v1", "things"};
    follower_start(&follower);
    WAIT_FOR(reflector_has_synced(follower.reflector));
    assert_false(follower_has_trouble(&follower));
    api_server_kind(follower.server, "example.org", "v1", "Thing", "things", false, false);
    api_server_put(follower.server,
                   "{'apiVersion': 'example.org/v1', 'kind': 'Thing', 'metadata': {'name': 'a'}}");
    WAIT_FOR(follower_is_right(&follower));
    WAIT_FOR(api_server_watches(follower.server, "things") == 1);
    api_server_forget_kind(follower.server, "example.org", "v1", "Thing");
    api_server_end_watches(follower.server);
    size_t left = 1;
    WAIT_FOR((pthread_mutex_lock(&follower.lock), left = json_object_size(follower.objects),
              pthread_mutex_unlock(&follower.lock), left == 0));
    WAIT_FOR(!follower_has_trouble(&follower));
    assert_int_equal(follower_logged(&follower, "a resource is not served"), 2);
    assert_int_equal(follower_logged(&follower, "msg=\"a resource is served\""), 1);
}

static void reflector__forgets_nothing_for_one_404(void **state)
{
    (void)state;
    start_with_five();
    api_server_fault(follower.server, "list", "kartas", API_FAULT_STATUS, 404, 2);
    api_server_fault(follower.server, "watch", "kartas", API_FAULT_STATUS, 410, 1);
    api_server_end_watches(follower.server);
    put_karta(&follower, "f");
    WAIT_FOR(follower_ends(&follower) == 2);
    WAIT_FOR(follower_is_right(&follower));
    assert_int_equal(follower_logged(&follower, "a resource is not served"), 0);
}

static void reflector__says_what_it_may_not_do(void **state)
{
    (void)state;
    char text[512];
    api_server_fault(follower.server, "list", "kartas", API_FAULT_STATUS, 403, 0);
    follower_start(&follower);
    WAIT_FOR(api_server_asked(follower.server, "list", "kartas") >= 3);
    reflector_trouble(follower.reflector, text, sizeof text);
    assert_string_equal(text,
                        "list kartas.run.ai: forbidden (403): the service account needs the verb "
                        "\"list\" on \"kartas\" in the API group \"run.ai\": kartas.run.ai is "
                        "forbidden: User \"system:serviceaccount:karta:karta-webhook\" cannot list "
                        "resource \"kartas\" in API group \"run.ai\" at the cluster scope");
    assert_false(reflector_has_synced(follower.reflector));
    assert_int_equal(follower_logged(&follower, "level=warn"), 1);
    api_server_fault(follower.server, "list", "kartas", API_FAULT_STATUS, 500, 0);
    WAIT_FOR(follower_logged(&follower, "level=warn") == 2);
    api_server_fault(follower.server, NULL, NULL, API_FAULT_NONE, 0, 0);
    WAIT_FOR(reflector_has_synced(follower.reflector));
    WAIT_FOR(follower_logged(&follower, "a resource is followed again") == 1);
}

static void hang_next_page(struct follower *of)
{
    api_server_fault(of->server, "list", "kartas", API_FAULT_HANG, 0, 0);
}

static void reflector_free__ends_whatever_is_under_way(void **state)
{
    (void)state;
    follower.config.idle_ms = 3600000;
    start_with_five(); /* 1: a quiet watch */
    follower_stop(&follower);
    static const struct {
        const char *verb;
        enum api_fault fault;
    } hangs[] = {{"list", API_FAULT_HANG},
                 {"list", API_FAULT_STALL},
                 {"watch", API_FAULT_HANG},
                 {"watch", API_FAULT_STALL}};
    for (size_t i = 0; i < sizeof hangs / sizeof *hangs; i++) {
        size_t asked = api_server_asked(follower.server, hangs[i].verb, "kartas");
        api_server_fault(follower.server, hangs[i].verb, "kartas", hangs[i].fault, 0, 0);
        follower_start(&follower);
        WAIT_FOR(api_server_asked(follower.server, hangs[i].verb, "kartas") > asked);
        follower_stop(&follower);
        api_server_fault(follower.server, NULL, NULL, API_FAULT_NONE, 0, 0);
    }
    follower.on_begin = hang_next_page; /* the second page */
    size_t asked = api_server_asked(follower.server, "list", "kartas");
    follower_start(&follower);
    WAIT_FOR(api_server_asked(follower.server, "list", "kartas") == asked + 2);
    follower_stop(&follower);
    follower.on_begin = NULL;
    api_server_die(follower.server); /* a pause */
    follower.config.retry_ms = 3600000;
    follower_start(&follower);
    WAIT_FOR(follower_logged(&follower, "connection refused") == 1);
    reflector_stop(follower.reflector);
    follower_stop(&follower);
    reflector_free(NULL);
    reflector_stop(NULL);
    assert_int_equal(follower_counted(&follower, "karta_watch_last_sync_timestamp_seconds"), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        TEST(reflector__lists_in_pages_then_follows),
        TEST(reflector__takes_an_empty_resource_for_synced),
        TEST(reflector__sees_only_what_is_selected),
        TEST(reflector__asks_for_metadata_alone),
        TEST(reflector__watches_again_from_where_it_was),
        TEST(reflector__goes_on_where_a_bookmark_was),
        TEST(reflector__asks_for_watches_that_end),
        TEST(reflector__lists_again_when_it_is_too_far_behind),
        TEST(reflector__is_back_when_the_server_is),
        TEST(reflector__waits_for_a_server_that_is_not_there_yet),
        TEST(reflector__takes_a_resource_that_is_not_served_for_empty),
        TEST(reflector__forgets_nothing_for_one_404),
        TEST(reflector__says_what_it_may_not_do),
        TEST(reflector_free__ends_whatever_is_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
