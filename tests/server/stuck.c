/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker that does not come back turns /healthz. What holds it here is what may hold one in real
 * life: a log that nobody reads.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "health.h"
#include "inside.h"

#define STUCK_MS 1000

static void workers__are_stuck_after_their_time(void **state)
{
    (void)state;
    char text[100] = "";
    char expected[100];
    struct workers *workers = workers_new(10000);
    workers_enter(workers, "/mutate/workloads", 5000);
    assert_int_equal(workers_stuck(workers, 14999, text, sizeof text), 0);
    assert_int_equal(workers_stuck(workers, 16000, text, sizeof text), 1);
    snprintf(expected, sizeof expected, "thread %d is stuck in /mutate/workloads for 11 s",
             (int)getpid());
    assert_string_equal(text, expected);
    workers_leave(workers);
    assert_int_equal(workers_stuck(workers, 99999, text, sizeof text), 0);
    workers_free(workers);
}

struct stuck_test {
    struct inside inside;
    struct health *health;
    int metrics_port, log[2]; /* a pipe */
};

static void start_health(struct stuck_test *test, health_reason *not_ready)
{
    int fd;
    char real[ADDRESS_TEXT];
    struct karta_error err = {0};
    assert_int_equal(address_listen("127.0.0.1:0", &fd, real, &err), 0);
    test->inside.folder.metrics = atoi(strrchr(real, ':') + 1);
    struct health_config config = {.listen_fd = fd,
                                   .holder = &test->inside.holder,
                                   .metrics = test->inside.metrics,
                                   .workers = test->inside.workers,
                                   .not_ready = not_ready,
                                   .log = &test->inside.log};
    assert_int_equal(health_start(&config, &test->health, &err), 0);
}

/* Fills the pipe to the last byte, so that the next line waits for a reader. */
static void fill(int fd)
{
    char bytes[4096] = {0};
    int flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    while (write(fd, bytes, sizeof bytes) > 0 || write(fd, bytes, 1) > 0)
        ;
    fcntl(fd, F_SETFL, flags);
}

static void *drain(void *arg)
{
    char bytes[4096];
    while (read(*(int *)arg, bytes, sizeof bytes) > 0)
        ;
    return NULL;
}

/* Waits until /healthz has this status; *text is new. */
static bool health_becomes(const struct running *server, int status, char **text)
{
    *text = NULL;
    for (int64_t limit = clock_ms() + 10000; clock_ms() < limit; pause_ms(50)) {
        int now;
        *text = running_get(server, "/healthz", &now);
        if (now == status)
            return true;
        free(*text);
        *text = NULL;
    }
    return false;
}

static void healthz__names_the_worker_until_it_is_back(void **state)
{
    (void)state;
    struct stuck_test test;
    struct client client;
    struct answer answer;
    health_reason not_ready = NULL;
    inside_init(&test.inside, STUCK_MS);
    assert_int_equal(pipe2(test.log, O_CLOEXEC), 0);
    test.inside.log = (struct log){.fd = test.log[1], .level = LOG_LEVEL_INFO};
    inside_start(&test.inside);
    start_health(&test, &not_ready);
    char *text;
    assert_true(health_becomes(&test.inside.folder, 200, &text));
    assert_string_equal(text, "ok\n");
    free(text);
    fill(test.log[1]);
    struct client_tls tls = {.ca = test.inside.folder.ca};
    assert_true(client_open(&client, test.inside.port, &tls));
    static const char head[] = "POST /mutate/workloads HTTP/1.1\r\nHost: x\r\n"
                               "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    assert_true(client_send(&client, head, sizeof head - 1));
    assert_true(health_becomes(&test.inside.folder, 503, &text));
    int thread = 0;
    int seconds = 0;
    assert_int_equal(
        sscanf(text, "thread %d is stuck in /mutate/workloads for %d s", &thread, &seconds), 2);
    assert_int_not_equal(thread, 0);
    free(text);
    text = running_get(&test.inside.folder, "/metrics", NULL);
    assert_non_null(strstr(text, "\nkarta_stuck_workers 1\n"));
    free(text);
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, drain, &test.log[0]), 0);
    assert_true(health_becomes(&test.inside.folder, 200, &text));
    free(text);
    assert_true(client_read(&client, &answer));
    assert_int_equal(answer.status, 400);
    answer_dispose(&answer);
    client_close(&client);
    health_stop(test.health);
    inside_dispose(&test.inside);
    close(test.log[1]);
    pthread_join(reader, NULL);
    close(test.log[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers__are_stuck_after_their_time),
        cmocka_unit_test(healthz__names_the_worker_until_it_is_back),
    };
    return cmocka_run_group_tests_name("server.stuck", tests, NULL, NULL);
}
