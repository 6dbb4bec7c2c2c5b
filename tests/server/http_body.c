/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies: empty, too large, in chunks, announced with Expect; refused ones are read to their end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "base/mem.h"

#define BIG ((size_t)9 << 20)

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

static void body__empty_is_400(void **state)
{
    (void)state;
    assert_refused(&server,
                   "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\n"
                   "Content-Type: application/json\r\nContent-Length: 0\r\n\r\n",
                   400, "the body is empty: an AdmissionReview belongs there");
}

static void framing__told_twice_is_400(void **state)
{
    (void)state;
    static const char error[] = "the length of the body is given more than once: send one "
                                "Content-Length, or one Transfer-Encoding";
    assert_refused(&server,
                   "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\n"
                   "Content-Type: application/json\r\nContent-Length: 2\r\n"
                   "Content-Length: 3\r\n\r\n{} ",
                   400, error);
}

/* The client sends all of it before it reads a byte. */
static void assert_too_large(const char *head, bool chunked)
{
    struct client client;
    struct answer answer;
    KARTA_AUTO_TEXT body = malloc(BIG);
    assert_non_null(body);
    memset(body, ' ', BIG);
    running_connect(&server, &client);
    assert_true(client_send(&client, head, strlen(head)));
    if (chunked) {
        char line[32];
        int size = snprintf(line, sizeof line, "%zx\r\n", BIG);
        assert_true(client_send(&client, line, (size_t)size));
    }
    assert_true(client_send(&client, body, BIG));
    assert_true(!chunked || client_send(&client, "\r\n0\r\n\r\n", 7));
    assert_true(client_read(&client, &answer));
    assert_error(&answer, 413, "the body is over 8388608 bytes, the most that is read");
    assert_true(answer.close);
    assert_true(client_is_closed(&client, 2000));
    answer_dispose(&answer);
    client_close(&client);
}

static void body__declared_too_large_is_413(void **state)
{
    (void)state;
    assert_too_large("POST /mutate/workloads HTTP/1.1\r\nHost: x\r\n"
                     "Content-Type: application/json\r\nContent-Length: 9437184\r\n\r\n",
                     false);
}

static void body__found_too_large_is_413(void **state)
{
    (void)state;
    assert_too_large("POST /mutate/workloads HTTP/1.1\r\nHost: x\r\n"
                     "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
                     true);
}

/* 64 MiB are read for politeness; then the connection is worth nothing to anybody. */
static void body__refused_and_endless_is_dropped(void **state)
{
    (void)state;
    struct client client;
    struct answer answer = {0};
    KARTA_AUTO_TEXT part = calloc(1, BIG);
    assert_non_null(part);
    static const char head[] = "POST /nowhere HTTP/1.1\r\nHost: x\r\n"
                               "Content-Length: 1000000000\r\n\r\n";
    running_connect(&server, &client);
    assert_true(client_send(&client, head, sizeof head - 1));
    int sent = 0;
    while (sent < 20 && client_send(&client, part, BIG))
        sent++;
    assert_in_range(sent, 7, 12); /* what is on its way in buffers counts as sent */
    assert_false(client_read(&client, &answer));
    client_close(&client);
}

static void body__chunks_are_put_together(void **state)
{
    (void)state;
    struct client client;
    struct answer answer;
    running_connect(&server, &client);
    static const char head[] = "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\n"
                               "Content-Type: application/json\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n";
    assert_true(client_send(&client, head, sizeof head - 1));
    for (const char *at = test_review; *at != '\0';) {
        size_t size = strlen(at) < 7 ? strlen(at) : 7;
        char chunk[32];
        int n = snprintf(chunk, sizeof chunk, "%zx\r\n%.*s\r\n", size, (int)size, at);
        assert_true(client_send(&client, chunk, (size_t)n));
        at += size;
    }
    assert_true(client_send(&client, "0\r\n\r\n", 5));
    assert_true(client_read(&client, &answer));
    assert_review(&answer);
    answer_dispose(&answer);
    client_close(&client);
}

static void expect__a_refusal_comes_instead_of_continue(void **state)
{
    (void)state;
    struct client client;
    struct answer answer;
    running_connect(&server, &client);
    static const char head[] = "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\n"
                               "Content-Type: application/json\r\nExpect: 100-continue\r\n"
                               "Content-Length: 9437184\r\n\r\n";
    assert_true(client_send(&client, head, sizeof head - 1));
    assert_true(client_read(&client, &answer));
    assert_int_equal(answer.continues, 0);
    assert_error(&answer, 413, "the body is over 8388608 bytes, the most that is read");
    assert_true(answer.close);
    answer_dispose(&answer);
    client_close(&client);
}

static void expect__continue_comes_before_the_answer(void **state)
{
    (void)state;
    struct client client;
    struct answer answer;
    char head[256];
    int size = snprintf(head, sizeof head,
                        "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                        "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                        strlen(test_review));
    running_connect(&server, &client);
    assert_true(client_send(&client, head, (size_t)size));
    pause_ms(200); /* its word comes first */
    assert_true(client_send(&client, test_review, strlen(test_review)));
    assert_true(client_read(&client, &answer));
    assert_int_equal(answer.continues, 1);
    assert_review(&answer);
    answer_dispose(&answer);
    client_close(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(body__empty_is_400),
        cmocka_unit_test(framing__told_twice_is_400),
        cmocka_unit_test(body__declared_too_large_is_413),
        cmocka_unit_test(body__found_too_large_is_413),
        cmocka_unit_test(body__refused_and_endless_is_dropped),
        cmocka_unit_test(body__chunks_are_put_together),
        cmocka_unit_test(expect__a_refusal_comes_instead_of_continue),
        cmocka_unit_test(expect__continue_comes_before_the_answer),
    };
    return cmocka_run_group_tests_name("server.http_body", tests, start, stop);
}
