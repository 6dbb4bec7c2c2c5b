/* SPDX-License-Identifier: Apache-2.0 */
/* The client against a server that says anything. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "kube_client.h"
#include "raw_server.h"
#include "support.h"

static const struct kube_resource kartas = {"run.ai", "v1alpha1", "kartas"};

/* What every request is answered, and what the last was. */
struct script {
    const char *_Atomic text;
    atomic_bool hang; /* and then the connection stays */
    char head[4096];
};

static void say(struct raw_server *server, size_t number, const char *head)
{
    struct script *script = server->arg;
    (void)number;
    snprintf(script->head, sizeof script->head, "%s", head);
    raw_say(server, script->text);
    if (script->hang)
        raw_wait(server);
}

struct fixture {
    struct raw_server server;
    struct script script;
    struct kube_access access;
    struct kube_client *client;
    struct kube_answer answer;
    struct karta_error err;
    struct metrics *metrics;
    char token_file[64];
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    raw_server_start(&fixture->server, say, &fixture->script);
    snprintf(fixture->token_file, sizeof fixture->token_file, "/tmp/karta-token-XXXXXX");
    close(mkstemp(fixture->token_file));
    fixture->access.url = fixture->server.url;
    fixture->metrics = metrics_new();
    metrics_follow_cluster(fixture->metrics);
    *state = fixture;
    return kube_client_new(&fixture->access, fixture->metrics, &fixture->client, NULL);
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    kube_answer_dispose(&fixture->answer);
    kube_client_free(fixture->client);
    raw_server_stop(&fixture->server);
    metrics_free(fixture->metrics);
    unlink(fixture->token_file);
    free(fixture);
    return 0;
}

static int ask(struct fixture *fixture, const struct kube_request *wanted)
{
    struct kube_request request = *wanted;
    if (request.verb == NULL)
        request.verb = "list";
    if (request.path == NULL)
        request.path = "/apis/run.ai/v1alpha1/kartas";
    request.resource = &kartas;
    kube_answer_dispose(&fixture->answer);
    karta_error_init(&fixture->err);
    return kube_client_ask(fixture->client, &request, &fixture->answer, &fixture->err);
}

static int ask_plainly(struct fixture *fixture)
{
    return ask(fixture, &(struct kube_request){.timeout_ms = 60000});
}

#define OK "HTTP/1.1 200 OK\r\n"
#define END "Connection: close\r\n\r\n"

static void new_client(struct fixture *fixture)
{
    kube_client_free(fixture->client);
    assert_int_equal(kube_client_new(&fixture->access, fixture->metrics, &fixture->client, NULL),
                     0);
}

static void assert_counted(struct fixture *fixture, const char *line)
{
    struct metrics_state none = {0};
    KARTA_AUTO_STRBUF page;
    strbuf_init(&page, 1U << 20);
    metrics_print(fixture->metrics, &none, &page);
    if (strstr(page.text, line) == NULL)
        fail_msg("no %s in %s", line, page.text);
}

static void kube_client_ask__reads_body_and_etag(void **state)
{
    struct fixture *fixture = *state;
    fixture->script.text = OK "ETag: \"abc\"\r\nRetry-After: 3\r\n" END "{\"a\": 1}";
    assert_int_equal(ask_plainly(fixture), 0);
    assert_int_equal(fixture->answer.status, 200);
    assert_int_equal(fixture->answer.retry_after_ms, 3000);
    assert_string_equal(fixture->answer.etag, "\"abc\"");
    json_auto_t *expected = test_json("{'a': 1}");
    assert_json_equal(fixture->answer.body, expected);
    assert_counted(fixture, "karta_kubernetes_requests_total{verb=\"list\",code=\"200\"} 1\n");
}

static void kube_client_ask__sends_what_kubernetes_wants(void **state)
{
    struct fixture *fixture = *state;
    fixture->script.text = OK END;
    assert_int_equal(ask(fixture, &(struct kube_request){.verb = "patch",
                                                         .path = "/x/../y?fieldManager=karta",
                                                         .accept = "application/json;as=Table",
                                                         .if_none_match = "\"abc\"",
                                                         .body = "{}",
                                                         .body_size = 2,
                                                         .content_type = "application/merge"}),
                     0);
    assert_null(fixture->answer.body);
    const char *head = fixture->script.head;
    assert_non_null(strstr(head, "PATCH /x/../y?fieldManager=karta HTTP/1.1\r\n"));
    assert_non_null(strstr(head, "\r\nUser-Agent: karta-webhook/" KARTA_VERSION "\r\n"));
    assert_non_null(strstr(head, "\r\nAccept: application/json;as=Table\r\n"));
    assert_non_null(strstr(head, "\r\nIf-None-Match: \"abc\"\r\n"));
    assert_non_null(strstr(head, "\r\nContent-Type: application/merge\r\n"));
    assert_non_null(strstr(head, "\r\nContent-Length: 2\r\n"));
    assert_null(strstr(head, "Authorization"));
    assert_null(strstr(head, "Expect"));
    static const char *const methods[][2] = {{"get", "GET /"},
                                             {"watch", "GET /"},
                                             {"create", "POST /"},
                                             {"update", "PUT /"},
                                             {"delete", "DELETE /"}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        assert_int_equal(ask(fixture, &(struct kube_request){.verb = methods[i][0]}), 0);
        assert_int_equal(strncmp(head, methods[i][1], strlen(methods[i][1])), 0);
    }
}

static void kube_client_ask__takes_304_for_a_success(void **state)
{
    struct fixture *fixture = *state;
    fixture->script.text = "HTTP/1.1 304 Not Modified\r\n" END;
    assert_int_equal(ask_plainly(fixture), 0);
    assert_int_equal(fixture->answer.status, 304);
    assert_null(fixture->answer.body);
}

static void kube_client_ask__follows_no_redirect(void **state)
{
    struct fixture *fixture = *state;
    fixture->script.text = "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\n" END;
    assert_int_equal(ask_plainly(fixture), KARTA_ERR_IO);
    assert_string_equal(fixture->err.message, "list kartas.run.ai: the API server answers 302");
    assert_int_equal(atomic_load(&fixture->server.requests), 1);
}

static void kube_client_ask__asks_no_proxy(void **state)
{
    struct fixture *fixture = *state;
    fixture->script.text = OK END "{}";
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    int rc = ask_plainly(fixture);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
    assert_int_equal(rc, 0);
}

static void kube_client_ask__says_that_it_cannot_reach_the_server(void **state)
{
    struct fixture *fixture = *state;
    char expected[256];
    raw_server_stop(&fixture->server); /* and with it its port */
    assert_int_equal(ask_plainly(fixture), KARTA_ERR_IO);
    assert_int_equal(fixture->answer.status, 0);
    snprintf(expected, sizeof expected,
             "list kartas.run.ai: the API server cannot be reached: %s: connection refused",
             fixture->server.url);
    assert_string_equal(fixture->err.message, expected);
    assert_counted(fixture, "karta_kubernetes_requests_total{verb=\"list\",code=\"0\"} 1\n");
    raw_server_start(&fixture->server, say, &fixture->script);
}

static void kube_client_ask__refuses_other_protocols(void **state)
{
    struct fixture *fixture = *state;
    fixture->access.url = "file:///etc";
    new_client(fixture);
    assert_int_equal(ask(fixture, &(struct kube_request){.path = "/hostname"}), KARTA_ERR_IO);
    fixture->access.url = "no URL at all";
    new_client(fixture);
    assert_int_equal(ask_plainly(fixture), KARTA_ERR_IO);
}

static void kube_client_ask__says_how_an_answer_is_bad(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *text;
        int code, status;
        const char *message;
    } cases[] = {
        {OK END "nonsense", KARTA_ERR_SYNTAX, 200,
         "list kartas.run.ai: the answer is not JSON: invalid token near 'nonsense' at byte 8"},
        {OK "Content-Length: 100\r\n" END "{", KARTA_ERR_IO, 0,
         "list kartas.run.ai: the answer broke off: "},
        {OK "Transfer-Encoding: chunked\r\n" END "100\r\n{", KARTA_ERR_IO, 0, NULL},
        {"HTTP/1.1 403 Forbidden\r\n" END "{\"message\": \"no\\r\\n\\u001b[31m\"}", KARTA_ERR_IO,
         403,
         "list kartas.run.ai: forbidden (403): the service account needs the verb \"list\" on "
         "\"kartas\" in the API group \"run.ai\": no   [31m"},
        {"HTTP/1.1 404 Not Found\r\n" END "404 page not found\n", KARTA_ERR_NOT_FOUND, 404,
         "list kartas.run.ai: not found (404): 404 page not found"},
        {"HTTP/1.1 409 Conflict\r\n" END "{\"message\": \"was changed\"}", KARTA_ERR_CONFLICT, 409,
         "list kartas.run.ai: conflict (409): was changed"},
        {"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n" END, KARTA_ERR_LIMIT, 429,
         "list kartas.run.ai: too many requests (429)"},
        {"garbage\r\n\r\n", KARTA_ERR_IO, 0, NULL},
        {"", KARTA_ERR_IO, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture->script.text = cases[i].text;
        assert_int_equal(ask_plainly(fixture), cases[i].code);
        assert_int_equal(fixture->answer.status, cases[i].status);
        size_t size = cases[i].message != NULL ? strlen(cases[i].message) : 0;
        if (size > 0 && cases[i].message[size - 1] == ' ') /* the rest is libcurl's */
            assert_memory_equal(fixture->err.message, cases[i].message, size);
        else if (size > 0)
            assert_string_equal(fixture->err.message, cases[i].message);
        assert_int_equal(strncmp(fixture->err.message, "list kartas.run.ai: ", 20), 0);
    }
}

static void kube_client_ask__reads_no_more_than_its_limit(void **state)
{
    struct fixture *fixture = *state;
    fixture->script.text = OK END "[1, 2, 3, 4, 5]";
    assert_int_equal(ask(fixture, &(struct kube_request){.limit = 15}), 0);
    assert_int_equal(ask(fixture, &(struct kube_request){.limit = 14}), KARTA_ERR_LIMIT);
    assert_string_equal(fixture->err.message, "list kartas.run.ai: the answer is above 14 bytes");
    fixture->script.text = "HTTP/1.1 500 Oh\r\n" END "a long refusal";
    assert_int_equal(ask(fixture, &(struct kube_request){.limit = 6}), KARTA_ERR_IO);
    assert_string_equal(fixture->err.message,
                        "list kartas.run.ai: the API server answers 500: a long");
}

static void kube_client_ask__waits_no_longer_than_told(void **state)
{
    struct fixture *fixture = *state;
    fixture->script.hang = true;
    static const char *const texts[] = {"", "HTTP/1.1 200", OK END, OK END "[1,"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fixture->script.text = texts[i];
        assert_int_equal(ask(fixture, &(struct kube_request){.timeout_ms = 100}),
                         KARTA_ERR_TIMEOUT);
        assert_string_equal(fixture->err.message, "list kartas.run.ai: no answer within 0.1 s");
        assert_int_equal(fixture->answer.status, 0);
    }
}

static void write_token(struct fixture *fixture, const char *text)
{
    assert_int_equal(file_write(fixture->token_file, text, strlen(text), 0600, NULL), 0);
}

static void kube_client_ask__uses_the_newest_token(void **state)
{
    struct fixture *fixture = *state;
    fixture->access.token_file = fixture->token_file;
    new_client(fixture);
    fixture->script.text = OK END "{}";
    write_token(fixture, "one\n");
    assert_int_equal(ask_plainly(fixture), 0);
    assert_non_null(strstr(fixture->script.head, "\r\nAuthorization: Bearer one\r\n"));
    write_token(fixture, "two\n");
    assert_int_equal(ask_plainly(fixture), 0);
    assert_non_null(strstr(fixture->script.head, "\r\nAuthorization: Bearer two\r\n"));
    write_token(fixture, "");
    assert_int_equal(ask_plainly(fixture), 0);
    assert_non_null(strstr(fixture->script.head, "\r\nAuthorization: Bearer two\r\n"));
}

/* Answers 401, and renews the token while the client waits for that. */
static void refuse_and_rotate(struct raw_server *server, size_t number, const char *head)
{
    struct fixture *fixture = server->arg;
    snprintf(fixture->script.head, sizeof fixture->script.head, "%s", head);
    if (number == 0)
        file_write(fixture->token_file, "new", 3, 0600, NULL);
    if (strstr(head, "Bearer new") != NULL && number < 2)
        raw_say(server, OK END "{}");
    else
        raw_say(server, "HTTP/1.1 401 Unauthorized\r\n" END);
}

static void kube_client_ask__sends_no_token_over_plain_http_to_others(void **state)
{
    struct fixture *fixture = *state;
    char url[64];
    /* the same server, by an address that is not known to be this machine */
    snprintf(url, sizeof url, "http://0.0.0.0%s", strrchr(fixture->server.url, ':'));
    fixture->access.url = url;
    fixture->access.token_file = fixture->token_file;
    new_client(fixture);
    write_token(fixture, "secret");
    fixture->script.text = "HTTP/1.1 401 Unauthorized\r\n" END;
    assert_int_equal(ask_plainly(fixture), KARTA_ERR_IO);
    assert_null(strstr(fixture->script.head, "secret"));
    assert_string_equal(fixture->err.message, "list kartas.run.ai: unauthorized (401): a token is "
                                              "not sent over plain http");
    snprintf(url, sizeof url, "http://localhost%s", strrchr(fixture->server.url, ':'));
    new_client(fixture);
    fixture->script.text = OK END "{}";
    assert_int_equal(ask_plainly(fixture), 0);
    assert_non_null(strstr(fixture->script.head, "Bearer secret"));
}

static void kube_client_ask__asks_once_more_when_the_token_is_refused_but_renewed(void **state)
{
    struct fixture *fixture = *state;
    char expected[256];
    raw_server_stop(&fixture->server);
    raw_server_start(&fixture->server, refuse_and_rotate, fixture);
    fixture->access.token_file = fixture->token_file;
    new_client(fixture);
    write_token(fixture, "old");
    assert_int_equal(ask_plainly(fixture), 0);
    assert_int_equal(atomic_load(&fixture->server.requests), 2);
    assert_int_equal(ask_plainly(fixture), KARTA_ERR_IO);
    assert_int_equal(fixture->answer.status, 401);
    assert_int_equal(atomic_load(&fixture->server.requests), 3);
    snprintf(expected, sizeof expected,
             "list kartas.run.ai: unauthorized (401): the token in %s is not accepted",
             fixture->token_file);
    assert_string_equal(fixture->err.message, expected);
}

static void kube_client_ask__does_not_ask_without_its_token(void **state)
{
    struct fixture *fixture = *state;
    char expected[256];
    fixture->access.token_file = fixture->token_file;
    new_client(fixture);
    assert_int_equal(ask_plainly(fixture), KARTA_ERR_IO);
    snprintf(expected, sizeof expected, "list kartas.run.ai: %s holds no token",
             fixture->token_file);
    assert_string_equal(fixture->err.message, expected);
    assert_int_equal(atomic_load(&fixture->server.requests), 0);
}

static void *stop_soon(void *client)
{
    usleep(100000);
    kube_client_stop(client);
    return NULL;
}

static void kube_client_stop__ends_what_is_under_way_and_all_that_comes(void **state)
{
    struct fixture *fixture = *state;
    pthread_t stopper;
    fixture->script.text = "";
    fixture->script.hang = true;
    assert_int_equal(pthread_create(&stopper, NULL, stop_soon, fixture->client), 0);
    assert_int_equal(ask(fixture, &(struct kube_request){.timeout_ms = 3600000}), KARTA_ERR_IO);
    assert_string_equal(fixture->err.message, "list kartas.run.ai: stopped");
    pthread_join(stopper, NULL);
    assert_true(kube_client_is_stopped(fixture->client));
    kube_client_pause(fixture->client, 3600000);
    size_t requests = atomic_load(&fixture->server.requests);
    assert_int_equal(ask_plainly(fixture), KARTA_ERR_IO);
    assert_string_equal(fixture->err.message, "list kartas.run.ai: stopped");
    assert_int_equal(atomic_load(&fixture->server.requests), requests);
    kube_client_stop(NULL);
}

static void kube_client_pause__ends_when_stopped(void **state)
{
    struct fixture *fixture = *state;
    pthread_t stopper;
    assert_int_equal(pthread_create(&stopper, NULL, stop_soon, fixture->client), 0);
    kube_client_pause(fixture->client, 3600000);
    pthread_join(stopper, NULL);
    assert_true(kube_client_is_stopped(fixture->client));
}

struct ear {
    struct strbuf text;
    size_t opened, wanted;
};

static void on_open(void *arg)
{
    struct ear *ear = arg;
    ear->opened++;
}

static bool on_line(void *arg, const char *line, size_t size, bool truncated)
{
    struct ear *ear = arg;
    strbuf_addc(&ear->text, truncated ? '(' : '[');
    strbuf_add(&ear->text, line, truncated ? 2 : size);
    strbuf_addc(&ear->text, truncated ? ')' : ']');
    return --ear->wanted > 0;
}

static int watch(struct fixture *fixture, struct ear *ear, int idle_ms)
{
    struct kube_request request = {.verb = "watch",
                                   .resource = &kartas,
                                   .path = "/apis/run.ai/v1alpha1/kartas?watch=1",
                                   .timeout_ms = idle_ms,
                                   .idle_ms = idle_ms};
    struct kube_watcher watcher = {.open = on_open, .line = on_line, .arg = ear};
    *ear = (struct ear){.wanted = 3};
    strbuf_init(&ear->text, 10U << 20);
    kube_answer_dispose(&fixture->answer);
    karta_error_init(&fixture->err);
    return kube_client_watch(fixture->client, &request, &watcher, &fixture->answer, &fixture->err);
}

static void kube_client_watch__tells_lines_until_the_server_ends(void **state)
{
    struct fixture *fixture = *state;
    struct ear ear;
    fixture->script.text = OK END "one\n\ntwo\nhalf";
    assert_int_equal(watch(fixture, &ear, 60000), 0);
    assert_string_equal(ear.text.text, "[one][two]");
    assert_true(ear.opened > 0);
    strbuf_dispose(&ear.text);
    fixture->script.text = OK END;
    assert_int_equal(watch(fixture, &ear, 60000), 0);
    assert_true(ear.opened > 0);
    assert_null(ear.text.text);
    assert_counted(fixture, "karta_kubernetes_requests_total{verb=\"watch\",code=\"200\"} 2\n");
}

static void kube_client_watch__ends_when_the_watcher_has_had_enough(void **state)
{
    struct fixture *fixture = *state;
    struct ear ear;
    fixture->script.text = OK END "a\nb\nc\nd\n";
    fixture->script.hang = true;
    assert_int_equal(watch(fixture, &ear, 3600000), 0);
    assert_string_equal(ear.text.text, "[a][b][c]");
    strbuf_dispose(&ear.text);
}

static void kube_client_watch__fails_as_a_request_does(void **state)
{
    struct fixture *fixture = *state;
    struct ear ear;
    fixture->script.text = "HTTP/1.1 410 Gone\r\n" END "{\"message\": \"too old\"}\n{}\n";
    assert_int_equal(watch(fixture, &ear, 60000), KARTA_ERR_IO);
    assert_int_equal(fixture->answer.status, 410);
    assert_string_equal(fixture->err.message, "watch kartas.run.ai: gone (410): {\"message\": "
                                              "\"too old\"} {}");
    assert_int_equal(ear.opened, 0);
    fixture->script.text = OK "Content-Length: 100\r\n" END "a\nb";
    assert_int_equal(watch(fixture, &ear, 60000), KARTA_ERR_IO);
    static const char broken[] = "watch kartas.run.ai: the answer broke off: ";
    assert_memory_equal(fixture->err.message, broken, sizeof broken - 1);
    assert_string_equal(ear.text.text, "[a]");
    strbuf_dispose(&ear.text);
}

static void kube_client_watch__does_not_bear_silence(void **state)
{
    struct fixture *fixture = *state;
    struct ear ear;
    fixture->script.text = OK END "a\n";
    fixture->script.hang = true;
    assert_int_equal(watch(fixture, &ear, 200), KARTA_ERR_TIMEOUT);
    assert_string_equal(fixture->err.message,
                        "watch kartas.run.ai: the API server was silent for 0.2 s");
    strbuf_dispose(&ear.text);
    fixture->script.text = "";
    assert_int_equal(watch(fixture, &ear, 200), KARTA_ERR_TIMEOUT);
    assert_string_equal(fixture->err.message, "watch kartas.run.ai: no answer within 0.2 s");
}

static void say_long_lines(struct raw_server *server, size_t number, const char *head)
{
    (void)number;
    (void)head;
    static char block[65536];
    memset(block, 'x', sizeof block);
    raw_say(server, OK END);
    for (size_t i = 0; i < KUBE_LINE_MOST / sizeof block; i++)
        raw_send(server, block, sizeof block);
    raw_say(server, "y\n");
    for (size_t i = 0; i < KUBE_LINE_MOST / sizeof block; i++)
        raw_send(server, block, sizeof block);
    raw_say(server, "\nend\n");
}

static void kube_client_watch__cuts_what_is_longer_than_a_line_may_be(void **state)
{
    struct fixture *fixture = *state;
    struct ear ear;
    raw_server_stop(&fixture->server);
    raw_server_start(&fixture->server, say_long_lines, NULL);
    new_client(fixture);
    assert_int_equal(watch(fixture, &ear, 60000), 0);
    assert_int_equal(ear.text.size, KUBE_LINE_MOST + 2 + 4 + 5);
    assert_memory_equal(ear.text.text, "(xx)[xx", 7);
    assert_string_equal(ear.text.text + ear.text.size - 5, "[end]");
    strbuf_dispose(&ear.text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        TEST(kube_client_ask__reads_body_and_etag),
        TEST(kube_client_ask__sends_what_kubernetes_wants),
        TEST(kube_client_ask__takes_304_for_a_success),
        TEST(kube_client_ask__follows_no_redirect),
        TEST(kube_client_ask__asks_no_proxy),
        TEST(kube_client_ask__says_that_it_cannot_reach_the_server),
        TEST(kube_client_ask__refuses_other_protocols),
        TEST(kube_client_ask__says_how_an_answer_is_bad),
        TEST(kube_client_ask__reads_no_more_than_its_limit),
        TEST(kube_client_ask__waits_no_longer_than_told),
        TEST(kube_client_ask__uses_the_newest_token),
        TEST(kube_client_ask__sends_no_token_over_plain_http_to_others),
        TEST(kube_client_ask__asks_once_more_when_the_token_is_refused_but_renewed),
        TEST(kube_client_ask__does_not_ask_without_its_token),
        TEST(kube_client_stop__ends_what_is_under_way_and_all_that_comes),
        TEST(kube_client_pause__ends_when_stopped),
        TEST(kube_client_watch__tells_lines_until_the_server_ends),
        TEST(kube_client_watch__ends_when_the_watcher_has_had_enough),
        TEST(kube_client_watch__fails_as_a_request_does),
        TEST(kube_client_watch__does_not_bear_silence),
        TEST(kube_client_watch__cuts_what_is_longer_than_a_line_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
