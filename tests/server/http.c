/* SPDX-License-Identifier: Apache-2.0 */
/* Paths, methods, types and TLS versions as they should and should not be: each request is
 * answered, in JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "base/mem.h"

static struct running server;

static int start(void **state)
{
    (void)state;
    running_init(&server);
    running_start(&server, (const char *[]){"--drain", "0", "--threads", "2", NULL});
    return 0;
}

static int stop(void **state)
{
    (void)state;
    return running_stop(&server);
}

static void post__review_is_answered(void **state)
{
    (void)state;
    struct client client;
    struct answer answer;
    running_connect(&server, &client);
    for (int i = 0; i < 3; i++) { /* on one connection */
        assert_true(client_post(&client, "/mutate/workloads", test_review, &answer));
        assert_review(&answer);
        assert_false(answer.close);
        answer_dispose(&answer);
    }
    client_close(&client);
    assert_true(running_logs(&server, "uid=u-1", LOGGED_MS));
}

static void post__the_example_gets_its_gang(void **state)
{
    (void)state;
    struct client client;
    struct answer answer;
    KARTA_AUTO_TEXT review = test_read("manifests/examples/jobset-review.json", NULL);
    running_connect(&server, &client);
    assert_true(client_post(&client, "/mutate/workloads", review, &answer));
    assert_int_equal(answer.status, 200);
    json_error_t ignored;
    json_t *body = json_loads(answer.body, 0, &ignored);
    json_t *response = json_object_get(body, "response");
    assert_true(json_is_true(json_object_get(response, "allowed")));
    assert_string_equal(json_string_value(json_object_get(response, "patchType")), "JSONPatch");
    assert_non_null(json_string_value(json_object_get(response, "patch")));
    json_decref(body);
    answer_dispose(&answer);
    client_close(&client);
    assert_true(running_logs(&server, "verdict=patched", LOGGED_MS));
    KARTA_AUTO_TEXT metrics = running_get(&server, "/metrics", NULL);
    assert_non_null(strstr(metrics, "\nkarta_admission_patches_total{profile=\"kai\"} 1\n"));
    assert_non_null(strstr(metrics, "\nkarta_admission_requests_total{endpoint="
                                    "\"/mutate/workloads\",kind=\"JobSet\",allowed=\"true\"} 1\n"));
}

static void post__query_and_parameters_do_not_matter(void **state)
{
    (void)state;
    struct client client;
    struct answer answer;
    char head[256];
    int size = snprintf(head, sizeof head,
                        "POST /mutate/workloads?timeout=10s HTTP/1.1\r\nHost: x\r\n"
                        "content-type: Application/JSON ; charset=utf-8\r\n"
                        "content-encoding: identity\r\ncontent-length: %zu\r\n\r\n",
                        strlen(test_review));
    running_connect(&server, &client);
    assert_true(client_send(&client, head, (size_t)size));
    assert_true(client_send(&client, test_review, strlen(test_review)));
    assert_true(client_read(&client, &answer));
    assert_review(&answer);
    answer_dispose(&answer);
    client_close(&client);
}

static void path__unknown_is_404(void **state)
{
    (void)state;
    assert_refused(&server, "POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", 404,
                   "there is no endpoint /mutate, only /mutate/workloads and "
                   "/validate/definitions");
}

static void method__other_is_405_with_allow(void **state)
{
    (void)state;
    struct client client;
    struct answer answer;
    running_connect(&server, &client);
    assert_true(client_get(&client, "/validate/definitions", &answer));
    assert_error(&answer, 405, "method GET is not allowed here: use POST");
    assert_non_null(strstr(answer.head, "Allow: POST\r\n"));
    assert_false(answer.close); /* nothing was thrown away */
    answer_dispose(&answer);
    client_close(&client);
}

static void type__other_is_415(void **state)
{
    (void)state;
    assert_refused(&server,
                   "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\nContent-Type: text/yaml\r\n"
                   "Content-Length: 2\r\n\r\n{}",
                   415, "content type \"text/yaml\" is not understood: send application/json");
    assert_refused(&server,
                   "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", 415,
                   "there is no content type: send application/json");
    assert_refused(&server,
                   "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\n"
                   "Content-Type: application/jsonp\r\nContent-Length: 2\r\n\r\n{}",
                   415,
                   "content type \"application/jsonp\" is not understood: send application/json");
    assert_refused(&server,
                   "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\n"
                   "Content-Type: application/json\r\nContent-Encoding: gzip\r\n"
                   "Content-Length: 2\r\n\r\n{}",
                   415, "content encoding \"gzip\" is not understood: send the body as it is");
}

static void pipelining__answers_come_in_order(void **state)
{
    (void)state;
    struct client client;
    struct answer answer;
    KARTA_AUTO_TEXT one = mem_format("POST /mutate/workloads HTTP/1.1\r\nHost: x\r\n"
                                     "Content-Type: application/json\r\nContent-Length: %zu\r\n"
                                     "\r\n%s",
                                     strlen(test_review), test_review);
    KARTA_AUTO_TEXT all = mem_format("%sGET /x HTTP/1.1\r\nHost: x\r\n\r\n%s", one, one);
    running_connect(&server, &client);
    assert_true(client_send(&client, all, strlen(all)));
    static const int expected[] = {200, 404, 200};
    for (size_t i = 0; i < 3; i++) {
        assert_true(client_read(&client, &answer));
        assert_int_equal(answer.status, expected[i]);
        answer_dispose(&answer);
    }
    client_close(&client);
}

static void log__what_users_send_stays_in_its_line(void **state)
{
    (void)state;
    struct client client;
    struct answer answer;
    static const char request[] = "GET /a%0alevel=error%1b%5b31m%ff HTTP/1.1\r\nHost: x\r\n\r\n";
    running_connect(&server, &client);
    assert_true(client_send(&client, request, sizeof request - 1));
    assert_true(client_read(&client, &answer));
    assert_error(&answer, 404,
                 "there is no endpoint /a\nlevel=error\033[31m\xef\xbf\xbd, only "
                 "/mutate/workloads and /validate/definitions");
    answer_dispose(&answer);
    client_close(&client);
    assert_true(running_logs(&server, "path=\"/a\\nlevel=error\\u001b[31m\\ufffd\"", LOGGED_MS));
}

static void tls__older_versions_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *priorities;
        bool served;
    } cases[] = {
        {"NORMAL:-VERS-ALL:+VERS-TLS1.3", true},
        {"NORMAL:-VERS-ALL:+VERS-TLS1.2", true},
        {"NORMAL:-VERS-ALL:+VERS-TLS1.1:+SHA1:+SIGN-ALL:%VERIFY_ALLOW_SIGN_WITH_SHA1", false},
        {"NORMAL:-VERS-ALL:+VERS-TLS1.0:+SHA1:+SIGN-ALL:%VERIFY_ALLOW_SIGN_WITH_SHA1", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client client;
        struct client_tls tls = {.ca = server.ca, .priorities = cases[i].priorities};
        bool opened = client_open(&client, server.https, &tls);
        assert_int_equal(opened, cases[i].served);
        if (opened)
            client_close(&client);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(post__review_is_answered),
        cmocka_unit_test(post__the_example_gets_its_gang),
        cmocka_unit_test(post__query_and_parameters_do_not_matter),
        cmocka_unit_test(path__unknown_is_404),
        cmocka_unit_test(method__other_is_405_with_allow),
        cmocka_unit_test(type__other_is_415),
        cmocka_unit_test(pipelining__answers_come_in_order),
        cmocka_unit_test(log__what_users_send_stays_in_its_line),
        cmocka_unit_test(tls__older_versions_are_refused),
    };
    return cmocka_run_group_tests_name("server.http", tests, start, stop);
}
