/* SPDX-License-Identifier: Apache-2.0 */
/* Shutting down under load: who got a connection gets an answer. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define CLIENTS 12

struct load {
    const struct running *server;
    atomic_int started, answered, failed, told_to_close;
    atomic_bool stopped; /* SIGTERM was sent: connecting may be refused from now on */
};

/* One connection until it is told to close, with so long a rest between two requests; false where
 * there was none to be had. */
static bool run_connection(struct load *load, int rest_ms)
{
    struct client client;
    struct client_tls tls = {.ca = load->server->ca};
    if (!client_open(&client, load->server->https, &tls))
        return false;
    bool close = false;
    while (!close) {
        struct answer answer;
        if (!client_post(&client, "/mutate/workloads", test_review, &answer)) {
            atomic_fetch_add(&load->failed, 1);
            break;
        }
        close = answer.close;
        atomic_fetch_add(answer.status == 200 ? &load->answered : &load->failed, 1);
        answer_dispose(&answer);
        pause_ms(close ? 0 : rest_ms);
    }
    atomic_fetch_add(&load->told_to_close, close);
    client_close(&client);
    return true;
}

static void *run_client(void *arg)
{
    struct load *load = arg;
    int index = atomic_fetch_add(&load->started, 1);
    int rest_ms = index % 2 == 0 ? 0 : 50 * index; /* hard workers, and some that look in */
    while (run_connection(load, rest_ms))
        ;
    if (!atomic_load(&load->stopped))
        atomic_fetch_add(&load->failed, 1); /* refused although nobody was stopping */
    return NULL;
}

static void drain_once(void)
{
    struct running server;
    struct load load = {.server = &server};
    pthread_t threads[CLIENTS];
    running_init(&server);
    running_start(&server, (const char *[]){"--drain", "1", "--threads", "2", NULL});
    for (size_t i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_client, &load), 0);
    pause_ms(500);
    atomic_store(&load.stopped, true);
    kill(server.pid, SIGTERM);
    pause_ms(300);
    int status;
    char *reason = running_get(&server, "/readyz", &status);
    assert_int_equal(status, 503);
    assert_string_equal(reason, "draining\n");
    free(reason);
    for (size_t i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(running_wait(&server), 0);
    assert_int_equal(load.failed, 0);
    assert_true(load.answered > CLIENTS);
    assert_true(load.told_to_close >= CLIENTS);
    running_remove(&server);
}

static void drain__no_request_fails(void **state)
{
    (void)state;
    int drains = count_of("KARTA_TEST_DRAINS", 1);
    for (int i = 0; i < drains; i++)
        drain_once();
}

static void drain__a_request_under_way_is_answered(void **state)
{
    (void)state;
    struct running server;
    struct client client;
    struct answer answer;
    char head[256];
    int size = snprintf(head, sizeof head,
                        "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\n"
                        "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                        strlen(test_review));
    running_init(&server);
    running_start(&server, (const char *[]){"--drain", "0", NULL});
    running_connect(&server, &client);
    assert_true(client_send(&client, head, (size_t)size));
    pause_ms(200);
    kill(server.pid, SIGTERM);
    pause_ms(2000); /* the listener is long gone, this connection is not */
    assert_int_equal(client_tcp(server.https), -1);
    assert_true(client_send(&client, test_review, strlen(test_review)));
    assert_true(client_read(&client, &answer));
    assert_int_equal(answer.status, 200);
    assert_true(answer.close);
    answer_dispose(&answer);
    client_close(&client);
    assert_int_equal(running_wait(&server), 0);
    running_remove(&server);
}

static void drain__idle_connections_do_not_hold_it_up(void **state)
{
    (void)state;
    struct running server;
    struct client client;
    struct answer answer;
    running_init(&server);
    running_start(&server, (const char *[]){"--drain", "0", NULL});
    running_connect(&server, &client);
    assert_true(client_post(&client, "/mutate/workloads", test_review, &answer));
    answer_dispose(&answer);
    int64_t begin = clock_ms();
    kill(server.pid, SIGTERM);
    assert_int_equal(running_wait(&server), 0);
    assert_in_range(clock_ms() - begin, 0, AT_ONCE_MS); /* and not the ten seconds of a busy one */
    assert_true(client_is_closed(&client, 0));
    client_close(&client);
    running_remove(&server);
}

static void drain__a_second_signal_ends_it_at_once(void **state)
{
    (void)state;
    struct running server;
    running_init(&server);
    running_start(&server, (const char *[]){"--drain", "60", NULL});
    kill(server.pid, SIGTERM);
    assert_true(running_logs(&server, "msg=draining seconds=60", LOGGED_MS));
    pause_ms(100);
    int64_t begin = clock_ms();
    kill(server.pid, SIGINT);
    assert_int_equal(running_wait(&server), 128 + SIGINT);
    assert_in_range(clock_ms() - begin, 0, AT_ONCE_MS);
    running_remove(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drain__no_request_fails),
        cmocka_unit_test(drain__a_request_under_way_is_answered),
        cmocka_unit_test(drain__idle_connections_do_not_hold_it_up),
        cmocka_unit_test(drain__a_second_signal_ends_it_at_once),
    };
    return cmocka_run_group_tests_name("server.drain", tests, NULL, NULL);
}
