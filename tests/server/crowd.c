/* SPDX-License-Identifier: Apache-2.0 */
/* Many clients at once: all are answered, or those that never ask make room for those that do. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness.h"

#define THREADS 8
#define ROUNDS 3
#define KEPT 20

static bool ask(struct client *client)
{
    struct answer answer;
    bool good =
        client_post(client, "/mutate/workloads", test_review, &answer) && answer.status == 200;
    answer_dispose(&answer);
    return good;
}

struct crowd {
    const struct running *server;
    int each;
    pthread_barrier_t all_open;
    atomic_int answered, failed;
};

/* `each` connections, open together with everybody's; then requests over all of them in turn. */
static void *run_part(void *arg)
{
    struct crowd *crowd = arg;
    struct client *clients = calloc((size_t)crowd->each, sizeof *clients);
    struct client_tls tls = {.ca = crowd->server->ca};
    for (int i = 0; clients != NULL && i < crowd->each; i++)
        if (!client_open(&clients[i], crowd->server->https, &tls) || !ask(&clients[i]))
            atomic_fetch_add(&crowd->failed, 1);
    pthread_barrier_wait(&crowd->all_open);
    for (int round = 0; clients != NULL && round < ROUNDS; round++)
        for (int i = 0; i < crowd->each; i++)
            atomic_fetch_add(ask(&clients[i]) ? &crowd->answered : &crowd->failed, 1);
    for (int i = 0; clients != NULL && i < crowd->each; i++)
        client_close(&clients[i]);
    free(clients);
    return NULL;
}

static void crowd__a_thousand_open_connections_are_answered(void **state)
{
    (void)state;
    struct running server;
    int clients = count_of("KARTA_TEST_CLIENTS", 1000) / THREADS * THREADS;
    struct crowd crowd = {.server = &server, .each = clients / THREADS};
    pthread_t threads[THREADS];
    running_init(&server);
    running_start(&server, (const char *[]){"--drain", "0", "--threads", "2", NULL});
    pthread_barrier_init(&crowd.all_open, NULL, THREADS);
    int64_t begin = clock_ms();
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_part, &crowd), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&crowd.all_open);
    print_message("%d connections at once, %d requests over them, %d failed, %d ms\n", clients,
                  atomic_load(&crowd.answered), atomic_load(&crowd.failed),
                  (int)(clock_ms() - begin));
    assert_int_equal(atomic_load(&crowd.failed), 0);
    assert_int_equal(atomic_load(&crowd.answered), ROUNDS * clients);
    assert_int_equal(running_stop(&server), 0);
}

/* Idle, half a handshake, a handshake and no word, half a request; in turn. */
static void open_useless(const struct running *server, struct client *client, int kind)
{
    struct client_tls tls = {.ca = server->ca};
    if (kind % 4 < 2 ? !client_open_plain(client, server->https)
                     : !client_open(client, server->https, &tls))
        return; /* evicted meanwhile: so it shall be */
    if (kind % 4 == 1)
        client_send(client, "\x16\x03\x01\x02", 4);
    if (kind % 4 == 3)
        client_send(client, "POST /mutate/workloads HTTP/1.1\r\nHos", 37);
}

static void assert_served_at_once(const struct running *server)
{
    struct client client;
    int64_t begin = clock_ms();
    running_connect(server, &client);
    assert_true(ask(&client));
    client_close(&client);
    assert_in_range(clock_ms() - begin, 0, AT_ONCE_MS);
}

/* More useless connections than there is room for, `files` being the server's limit. */
static void assert_full_table_serves(int files, int useless, int kept_count)
{
    struct running server;
    struct client kept[KEPT];
    struct client *others = calloc((size_t)useless, sizeof *others);
    assert_non_null(others);
    running_init(&server);
    server.files = files;
    running_start(&server, (const char *[]){"--drain", "0", "--threads", "2", NULL});
    for (int i = 0; i < kept_count; i++) {
        running_connect(&server, &kept[i]);
        assert_true(ask(&kept[i]));
    }
    int64_t slowest = 0;
    for (int i = 0; i < useless; i++) {
        others[i].fd = -1;
        open_useless(&server, &others[i], i);
        if (i % (useless / 10) == 0) {
            int64_t begin = clock_ms();
            assert_served_at_once(&server);
            slowest = clock_ms() - begin > slowest ? clock_ms() - begin : slowest;
        }
    }
    assert_served_at_once(&server);
    for (int i = 0; i < kept_count; i++)
        assert_true(ask(&kept[i]));
    print_message("%d files, %d useless connections: the slowest of 10 new clients %d ms, all %d "
                  "kept ones alive\n",
                  files, useless, (int)slowest, kept_count);
    for (int i = 0; i < kept_count; i++)
        client_close(&kept[i]);
    for (int i = 0; i < useless; i++)
        client_close(&others[i]);
    free(others);
    assert_int_equal(running_stop(&server), 0);
}

static void full__a_new_client_is_served_and_kept_ones_live(void **state)
{
    (void)state;
    assert_full_table_serves(count_of("KARTA_TEST_FILES", 600), count_of("KARTA_TEST_USELESS", 900),
                             KEPT);
}

static void full__sixty_four_files_do(void **state)
{
    (void)state;
    assert_full_table_serves(64, 200, 5);
}

/* Our own end of so many connections. */
static int raise_files(void **state)
{
    struct rlimit limit;
    (void)state;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crowd__a_thousand_open_connections_are_answered),
        cmocka_unit_test(full__a_new_client_is_served_and_kept_ones_live),
        cmocka_unit_test(full__sixty_four_files_do),
    };
    return cmocka_run_group_tests_name("server.crowd", tests, raise_files, NULL);
}
