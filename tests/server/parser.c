/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that are none. What we see of them is refused in our words; what libmicrohttpd's parser
 * refuses before we hear of it is answered by it, in HTML, and counted all the same. The table
 * below is what docs/operations.md says of both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

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

/* `before`, so many letters, `after`. */
static char *lengthen(const char *before, size_t size, const char *after)
{
    KARTA_AUTO_TEXT filler = malloc(size + 1);
    assert_non_null(filler);
    memset(filler, 'a', size);
    filler[size] = '\0';
    return mem_format("%s%s%s", before, filler, after);
}

static void head__too_long_is_refused_in_our_words(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT path =
        lengthen("POST /", 4097, " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
    KARTA_AUTO_TEXT header =
        lengthen("POST /mutate/workloads HTTP/1.1\r\nHost: x\r\nX-A: ", 17000,
                 "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
    assert_refused(&server, path, 414, "the path is over 4096 bytes, the most that is read");
    assert_refused(&server, header, 431, "the headers are over 16384 bytes, the most that is read");
    assert_true(running_logs(&server, "msg=\"request refused\" status=414 method=POST path=/aaa",
                             LOGGED_MS));
}

static unsigned count_errors(int status)
{
    KARTA_AUTO_TEXT text = running_get(&server, "/metrics", NULL);
    KARTA_AUTO_TEXT line = mem_format("\nkarta_http_errors_total{code=\"%d\"} ", status);
    const char *at = strstr(text, line);
    return at != NULL ? (unsigned)atoi(at + strlen(line)) : 0;
}

static void assert_own_answer(const char *request, int status)
{
    struct client client;
    struct answer answer;
    unsigned before = count_errors(status);
    running_connect(&server, &client);
    assert_true(client_send(&client, request, strlen(request)));
    bool answered = client_read(&client, &answer);
    if (!answered || answer.status != status)
        print_error("%d for %.60s\n", answered ? answer.status : 0, request);
    assert_true(answered);
    assert_int_equal(answer.status, status);
    answer_dispose(&answer);
    client_close(&client);
    assert_int_equal(count_errors(status), before + 1);
}

static void parser__what_it_refuses_itself_is_counted(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT path = lengthen("POST /", 70000, " HTTP/1.1\r\nHost: x\r\n\r\n");
    KARTA_AUTO_TEXT header =
        lengthen("POST /mutate/workloads HTTP/1.1\r\nHost: x\r\nX-A: ", 70000, "\r\n\r\n");
    assert_own_answer(path, 414);
    assert_own_answer(header, 431);
    assert_own_answer("POST /mutate/workloads HTTP/1.1\r\n\r\n", 400); /* no Host */
    assert_own_answer("POST /mutate/workloads HTTP/9.9\r\nHost: x\r\n\r\n", 505);
    assert_own_answer("POST /mutate/workloads HTTP/1.1\r\nHost: x\r\nContent-Length: two\r\n\r\n",
                      400);
    assert_own_answer("POST /mutate/workloads HTTP/1.1\r\nHost: x\r\nContent-Length: "
                      "99999999999999999999999\r\n\r\n",
                      413);
    assert_own_answer("POST /mutate/workloads HTTP/1.1\r\nHost: x\r\nno colon here\r\n\r\n", 400);
    assert_own_answer("POST /mutate/workloads HTTP/1.1\r\nHost: x\r\n"
                      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                      400);
    assert_true(running_logs(&server, "level=info msg=\"request refused by its parser\" status=505",
                             LOGGED_MS));
}

/* Whether its parser is 1.0's, which sees more than 0.9.75's. */
static bool parser_is_strict(void)
{
    KARTA_AUTO_TEXT version = running_get(&server, "/version", NULL);
    return strstr(version, "\"libmicrohttpd\": \"0.9.") == NULL;
}

/* 0.9.75 reads LF alone as an end of line, and hides it from us. */
static void parser__bare_line_feed(void **state)
{
    (void)state;
    struct client client;
    struct answer answer;
    static const char request[] = "GET /mutate/workloads HTTP/1.1\nHost: x\n\n";
    running_connect(&server, &client);
    assert_true(client_send(&client, request, sizeof request - 1));
    assert_true(client_read(&client, &answer));
    assert_int_equal(answer.status, parser_is_strict() ? 400 : 405);
    answer_dispose(&answer);
    client_close(&client);
}

/* 0.9.75 leaves it to us. */
static void parser__length_and_chunks(void **state)
{
    (void)state;
    static const char request[] = "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\n"
                                  "Content-Type: application/json\r\nContent-Length: 12\r\n"
                                  "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    if (parser_is_strict())
        assert_own_answer(request, 400);
    else
        assert_refused(&server, request, 400,
                       "the length of the body is given more than once: send one "
                       "Content-Length, or one Transfer-Encoding");
}

/* Whoever has said all that it has to say may close its half. */
static void socket__half_closed_is_answered(void **state)
{
    (void)state;
    struct client client;
    struct answer answer;
    KARTA_AUTO_TEXT request =
        mem_format("POST /mutate/workloads HTTP/1.1\r\nHost: x\r\nContent-Type: application/json"
                   "\r\nContent-Length: %zu\r\n\r\n%s",
                   strlen(test_review), test_review);
    running_connect(&server, &client);
    assert_true(client_send(&client, request, strlen(request)));
    assert_int_equal(shutdown(client.fd, SHUT_WR), 0);
    assert_true(client_read(&client, &answer));
    assert_review(&answer);
    answer_dispose(&answer);
    assert_true(client_is_closed(&client, 2000));
    client_close(&client);
}

/* And who closes in the middle is forgotten, with its half of a body. */
static void socket__closed_in_the_middle_is_forgotten(void **state)
{
    (void)state;
    static const char half[] = "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\nContent-Type: "
                               "application/json\r\nContent-Length: 1000\r\n\r\n{";
    for (int i = 0; i < 50; i++) {
        struct client client;
        running_connect(&server, &client);
        assert_true(client_send(&client, half, sizeof half - 1));
        if (i % 2 == 0)
            shutdown(client.fd, SHUT_WR);
        client_close(&client);
    }
    struct client client;
    struct answer answer;
    running_connect(&server, &client);
    assert_true(client_post(&client, "/mutate/workloads", test_review, &answer));
    assert_review(&answer);
    answer_dispose(&answer);
    client_close(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head__too_long_is_refused_in_our_words),
        cmocka_unit_test(parser__what_it_refuses_itself_is_counted),
        cmocka_unit_test(parser__bare_line_feed),
        cmocka_unit_test(parser__length_and_chunks),
        cmocka_unit_test(socket__half_closed_is_answered),
        cmocka_unit_test(socket__closed_in_the_middle_is_forgotten),
    };
    return cmocka_run_group_tests_name("server.parser", tests, start, stop);
}
