/* SPDX-License-Identifier: Apache-2.0 */
/* The double fails as told, and only so. */
#include "asking.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define KARTAS "/apis/run.ai/v1alpha1/kartas"
#define USER "User \"system:serviceaccount:karta:karta-webhook\""

static int setup(void **state)
{
    struct api_server *server = api_server_start(NULL);
    api_server_kind(server, "run.ai", "v1alpha1", "Karta", "kartas", false, true);
    api_server_put(server,
                   "{'apiVersion':'run.ai/v1alpha1','kind':'Karta','metadata':{'name':'a'}}");
    *state = server;
    return 0;
}

static int teardown(void **state)
{
    api_server_free(*state);
    return 0;
}

static struct asked get(struct api_server *server, const char *path)
{
    return ask(server, &(struct asking){.method = "GET", .path = path});
}

/* Answers come, and not at all where `status` is 0. */
static void assert_get(struct api_server *server, const char *path, long status)
{
    struct asked asked = get(server, path);
    assert_int_equal(asked.status, status);
    asked_dispose(&asked);
}

static void status__in_the_real_words(void **state)
{
    static const struct {
        int code;
        const char *reason, *message;
    } cases[] = {
        {401, "Unauthorized", "Unauthorized"},
        {403, "Forbidden",
         "kartas.run.ai is forbidden: " USER
         " cannot list resource \"kartas\" in API group \"run.ai\" at the cluster scope"},
        {404, "NotFound", "the server could not find the requested resource"},
        {410, "Expired", "too old resource version: 1 (2)"},
        {429, "TooManyRequests", "Too many requests, please try again later."},
        {500, "InternalError", "Internal error occurred: the double was told to fail"},
        {503, "ServiceUnavailable", "the server is currently unable to handle the request"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        api_server_fault(*state, "list", "kartas", API_FAULT_STATUS, cases[i].code, 1);
        struct asked asked = get(*state, KARTAS);
        assert_int_equal(asked.status, cases[i].code);
        assert_status(asked.body, cases[i].code, cases[i].reason, cases[i].message);
        assert_int_equal(asked.retry_after, cases[i].code == 429 ? 1 : 0);
        asked_dispose(&asked);
        assert_get(*state, KARTAS, 200);
    }
}

static void status__forbids_by_scope(void **state)
{
    api_server_fault(*state, NULL, NULL, API_FAULT_STATUS, 403, 0);
    json_auto_t *one = ask_json(*state, "GET", KARTAS "/a/status", NULL, 403);
    assert_status(one, 403, "Forbidden",
                  "kartas.run.ai \"a\" is forbidden: " USER " cannot get resource "
                  "\"kartas/status\" in API group \"run.ai\" at the cluster scope");
    json_auto_t *pods = ask_json(*state, "GET", "/api/v1/namespaces/here/pods", NULL, 403);
    assert_status(pods, 403, "Forbidden",
                  "pods is forbidden: " USER " cannot list resource \"pods\" in API group \"\" in "
                  "the namespace \"here\"");
    json_auto_t *path = ask_json(*state, "GET", "/apis", NULL, 403);
    assert_status(path, 403, "Forbidden", "forbidden: " USER " cannot get path \"/apis\"");
}

static void fault__hits_what_it_names(void **state)
{
    api_server_fault(*state, "list", "kartas", API_FAULT_STATUS, 500, 2);
    api_server_fault(*state, "get", "/apis", API_FAULT_STATUS, 503, 0);
    assert_get(*state, KARTAS "/a", 200);
    assert_get(*state, "/api/v1/pods", 200);
    assert_get(*state, KARTAS, 500);
    assert_get(*state, KARTAS, 500);
    assert_get(*state, KARTAS, 200);
    assert_get(*state, "/apis", 503);
    assert_get(*state, "/api", 200);
    api_server_fault(*state, NULL, NULL, API_FAULT_NONE, 0, 0);
    assert_get(*state, "/apis", 200);
    assert_int_equal(api_server_asked(*state, "list", "kartas"), 3);
    assert_int_equal(api_server_asked(*state, NULL, "kartas"), 4);
    assert_int_equal(api_server_asked(*state, "get", "/apis"), 2);
    assert_int_equal(api_server_asked(*state, "watch", NULL), 0);
}

static void silence__is_no_answer(void **state)
{
    static const enum api_fault faults[] = {API_FAULT_HANG, API_FAULT_STALL};
    for (size_t i = 0; i < 2; i++) {
        api_server_fault(*state, "list", "kartas", faults[i], 0, 1);
        struct asked asked =
            ask(*state, &(struct asking){.method = "GET", .path = KARTAS, .timeout_ms = 300});
        assert_int_equal(asked.status, 0);
        assert_null(asked.text);
        asked_dispose(&asked);
        assert_get(*state, KARTAS, 200);
    }
}

static void cut__gives_half(void **state)
{
    struct asked whole = get(*state, KARTAS);
    api_server_fault(*state, "list", "kartas", API_FAULT_CUT, 0, 1);
    struct asked half = get(*state, KARTAS);
    assert_int_equal(half.status, 0);
    assert_non_null(half.text);
    assert_int_equal(strlen(half.text), strlen(whole.text) / 2);
    asked_dispose(&half);
    asked_dispose(&whole);
}

static void garbage__is_no_json(void **state)
{
    api_server_fault(*state, NULL, NULL, API_FAULT_GARBAGE, 0, 0);
    static const char *const paths[] = {KARTAS, KARTAS "/a", "/apis", KARTAS "/none"};
    for (size_t i = 0; i < 4; i++) {
        struct asked asked = get(*state, paths[i]);
        assert_int_equal(asked.status, 200);
        assert_non_null(asked.text);
        assert_null(asked.body);
        asked_dispose(&asked);
    }
}

static void lie__is_json_of_another_shape(void **state)
{
    api_server_fault(*state, NULL, NULL, API_FAULT_LIE, 0, 0);
    json_auto_t *list = ask_json(*state, "GET", KARTAS, NULL, 200);
    assert_null(json_object_get(list, "items"));
    json_auto_t *one = ask_json(*state, "GET", KARTAS "/a", NULL, 200);
    assert_true(json_is_array(one));
    json_auto_t *groups = ask_json(*state, "GET", "/apis", NULL, 200);
    assert_true(json_is_array(groups));
}

static struct following *follow_badly(struct api_server *server, enum api_fault fault, int number)
{
    api_server_fault(server, "watch", "kartas", fault, number, 1);
    return follow(server, KARTAS "?watch=1", NULL);
}

static void watch__with_a_wrong_line_goes_on(void **state)
{
    struct following *garbage = follow_badly(*state, API_FAULT_GARBAGE_LINE, 0);
    KARTA_AUTO_TEXT line = follow_line(garbage);
    assert_non_null(line);
    assert_null(json_loads(line, 0, NULL));
    json_decref(follow_event(garbage, "ADDED"));
    follow_free(garbage);
    struct following *lie = follow_badly(*state, API_FAULT_LIE, 0);
    json_auto_t *event = follow_event(lie, "MODIFIED");
    assert_null(json_object_get(event, "object"));
    json_decref(follow_event(lie, "ADDED"));
    follow_free(lie);
}

static void watch__error_event_ends_it(void **state)
{
    struct following *following = follow_badly(*state, API_FAULT_ERROR_EVENT, 500);
    json_auto_t *event = follow_event(following, "ERROR");
    assert_status(json_object_get(event, "object"), 500, "InternalError",
                  "Internal error occurred: the double was told to fail");
    bool whole;
    assert_int_equal(follow_end(following, &whole), 200);
    assert_true(whole);
    follow_free(following);
}

static void watch__cut_or_refused_or_garbage(void **state)
{
    bool whole;
    struct following *cut = follow_badly(*state, API_FAULT_CUT, 0);
    assert_int_equal(follow_end(cut, &whole), 200);
    assert_false(whole);
    assert_null(follow_line(cut));
    follow_free(cut);
    struct following *refused = follow_badly(*state, API_FAULT_STATUS, 410);
    assert_int_equal(follow_end(refused, &whole), 410);
    follow_free(refused);
    struct following *garbage = follow_badly(*state, API_FAULT_GARBAGE, 0);
    assert_int_equal(follow_end(garbage, &whole), 200);
    KARTA_AUTO_TEXT line = follow_line(garbage);
    assert_non_null(line);
    assert_null(json_loads(line, 0, NULL));
    follow_free(garbage);
}

static void die__resets_and_returns_as_it_was(void **state)
{
    struct following *following = follow(*state, KARTAS "?watch=1", NULL);
    json_decref(follow_event(following, "ADDED"));
    api_server_fault(*state, "list", NULL, API_FAULT_HANG, 0, 1);
    struct following *hung = follow(*state, KARTAS, NULL);
    while (api_server_asked(*state, "list", NULL) == 0)
        usleep(1000);
    int port = api_server_port(*state);
    for (size_t i = 0; i < 20; i++) {
        api_server_die(*state);
        assert_get(*state, KARTAS "/a", 0);
        api_server_die(*state);
        api_server_return(*state);
        api_server_return(*state);
        assert_get(*state, KARTAS "/a", 200);
    }
    bool whole;
    follow_end(following, &whole);
    assert_false(whole);
    assert_int_equal(follow_end(hung, &whole), 0);
    assert_false(whole);
    follow_free(hung);
    assert_int_equal(api_server_port(*state), port);
    assert_int_equal(api_server_watches(*state, NULL), 0);
    follow_free(following);
    api_server_die(*state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(status__in_the_real_words),
        TEST(status__forbids_by_scope),
        TEST(fault__hits_what_it_names),
        TEST(silence__is_no_answer),
        TEST(cut__gives_half),
        TEST(garbage__is_no_json),
        TEST(lie__is_json_of_another_shape),
        TEST(watch__with_a_wrong_line_goes_on),
        TEST(watch__error_event_ends_it),
        TEST(watch__cut_or_refused_or_garbage),
        TEST(die__resets_and_returns_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
