/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that never finish: each is closed at its deadline, and nobody else notices. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

/* the server's deadline is 10 s; what is above it is the reaper's period and a slow machine */
#define DEADLINE_MS 10000
#define LATE_MS 4000

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

/* A new client gets its answer without waiting for anybody. */
static void assert_served(void)
{
    struct client client;
    struct answer answer;
    int64_t begin = clock_ms();
    running_connect(&server, &client);
    assert_true(client_post(&client, "/mutate/workloads", test_review, &answer));
    assert_int_equal(answer.status, 200);
    answer_dispose(&answer);
    client_close(&client);
    assert_in_range(clock_ms() - begin, 0, AT_ONCE_MS);
}

struct slow {
    const char *name;
    const char *opening; /* what it sends at once; NULL: not even a handshake */
    const char *drop;    /* what it sends every fifth of a second; NULL: nothing */
    bool plain;          /* the opening goes without TLS */
    struct client client;
    int64_t closed_ms;
};

static struct slow slows[] = {
    {.name = "says nothing"},
    {.name = "half a handshake", .plain = true, .opening = "\x16\x03\x01\x02", .drop = NULL},
    {.name = "handshake alone", .opening = ""},
    {.name = "half a header", .opening = "POST /mutate/workloads HTTP/1.1\r\nHos"},
    {.name = "endless header",
     .opening = "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\nX-Long: ",
     .drop = "a"},
    {.name = "a byte of body at a time",
     .opening = "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                "Content-Length: 1000\r\n\r\n",
     .drop = " "},
    {.name = "a byte of refused body at a time",
     .opening = "POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n",
     .drop = " "},
};

#define SLOWS (sizeof slows / sizeof *slows)

static void open_slow(struct slow *slow)
{
    if (slow->opening == NULL || slow->plain)
        assert_true(client_open_plain(&slow->client, server.https));
    else
        running_connect(&server, &slow->client);
    if (slow->opening != NULL && slow->opening[0] != '\0')
        assert_true(client_send(&slow->client, slow->opening, strlen(slow->opening)));
}

static void feed(struct slow *slow, int64_t begin)
{
    if (slow->closed_ms != 0)
        return;
    bool open = !client_is_closed(&slow->client, 0);
    if (open && slow->drop != NULL)
        open = client_send(&slow->client, slow->drop, strlen(slow->drop));
    if (!open)
        slow->closed_ms = clock_ms() - begin;
}

static void slow__closed_at_the_deadline_whatever_trickles_in(void **state)
{
    (void)state;
    int64_t begin = clock_ms();
    for (size_t i = 0; i < SLOWS; i++)
        open_slow(&slows[i]);
    for (int round = 0; clock_ms() - begin < DEADLINE_MS + LATE_MS; round++) {
        for (size_t i = 0; i < SLOWS; i++)
            feed(&slows[i], begin);
        if (round % 5 == 0)
            assert_served();
        pause_ms(200);
    }
    for (size_t i = 0; i < SLOWS; i++) {
        if (slows[i].closed_ms < DEADLINE_MS - 1000)
            print_error("%s: closed after %d ms\n", slows[i].name, (int)slows[i].closed_ms);
        assert_in_range(slows[i].closed_ms, DEADLINE_MS - 1000, DEADLINE_MS + LATE_MS);
        client_close(&slows[i].client);
    }
}

static void garbage__instead_of_tls_is_closed_at_once(void **state)
{
    (void)state;
    struct client client;
    assert_true(client_open_plain(&client, server.https));
    assert_true(client_send(&client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27));
    assert_true(client_is_closed(&client, 3000) || client_is_closed(&client, 3000));
    client_close(&client);
    assert_served();
}

static void idle__two_hundred_block_nobody(void **state)
{
    (void)state;
    int fds[200];
    for (size_t i = 0; i < 200; i++) {
        fds[i] = client_tcp(server.https);
        assert_true(fds[i] >= 0);
    }
    assert_served();
    for (size_t i = 0; i < 200; i++)
        close(fds[i]);
}

static void full__newcomers_evict_who_never_asked(void **state)
{
    (void)state;
    struct running small;
    struct client kept;
    struct client late;
    struct answer answer;
    int fds[100];
    running_init(&small);
    small.files = 64;
    running_start(&small, (const char *[]){"--drain", "0", "--threads", "2", NULL});
    running_connect(&small, &kept);
    assert_true(client_post(&kept, "/mutate/workloads", test_review, &answer));
    answer_dispose(&answer);
    for (size_t i = 0; i < 100; i++) {
        fds[i] = client_tcp(small.https);
        assert_true(fds[i] >= 0);
    }
    int64_t begin = clock_ms();
    running_connect(&small, &late);
    assert_true(client_post(&late, "/mutate/workloads", test_review, &answer));
    assert_int_equal(answer.status, 200);
    answer_dispose(&answer);
    assert_in_range(clock_ms() - begin, 0, AT_ONCE_MS);
    assert_true(client_post(&kept, "/mutate/workloads", test_review, &answer));
    assert_int_equal(answer.status, 200);
    answer_dispose(&answer);
    for (size_t i = 0; i < 100; i++)
        close(fds[i]);
    client_close(&kept);
    client_close(&late);
    assert_int_equal(running_stop(&small), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(garbage__instead_of_tls_is_closed_at_once),
        cmocka_unit_test(idle__two_hundred_block_nobody),
        cmocka_unit_test(full__newcomers_evict_who_never_asked),
        cmocka_unit_test(slow__closed_at_the_deadline_whatever_trickles_in),
    };
    return cmocka_run_group_tests_name("server.slow", tests, start, stop);
}
