/* SPDX-License-Identifier: Apache-2.0 */
/* The server in this process: certificates and snapshots swapped far faster than files change,
 * under handshakes and requests. Run it under sanitizers. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "base/mem.h"
#include "certs.h"
#include "harness.h"
#include "karta/engine.h"
#include "server.h"
#include "tls_pair.h"

#define SWAPS 500
#define CLIENTS 4

struct pair_text {
    char *cert, *key;
};

struct swap_test {
    struct running folder; /* only its folder is used */
    struct holder holder;
    struct metrics *metrics;
    struct log log;
    struct admission_config admission;
    struct server *server;
    struct pair_text pairs[2];
    int port;
    atomic_bool done;
    atomic_int answered, failed;
};

static char *read_file(const char *path)
{
    char *text = calloc(1, 8192);
    FILE *file = fopen(path, "re");
    assert_non_null(text);
    assert_non_null(file);
    text[fread(text, 1, 8191, file)] = '\0';
    fclose(file);
    return text;
}

/* Two CAs with a pair each; the clients trust both, by one file. */
static void make_pairs(struct swap_test *test)
{
    static const char *const sans[] = {"127.0.0.1"};
    char *cas[2];
    for (size_t i = 0; i < 2; i++) {
        KARTA_AUTO_TEXT dir = mem_format("%s/%zu", test->folder.dir, i);
        KARTA_AUTO_TEXT cert = mem_format("%s/tls.crt", dir);
        KARTA_AUTO_TEXT key = mem_format("%s/tls.key", dir);
        KARTA_AUTO_TEXT ca = mem_format("%s/ca.crt", dir);
        struct certs_options options = {.dir = dir, .sans = sans, .san_count = 1};
        assert_int_equal(certs_ensure(&options, NULL, NULL), 0);
        test->pairs[i] = (struct pair_text){read_file(cert), read_file(key)};
        cas[i] = read_file(ca);
    }
    KARTA_AUTO_TEXT both = mem_format("%s%s", cas[0], cas[1]);
    snprintf(test->folder.ca, sizeof test->folder.ca, "%s/both", test->folder.dir);
    write_text(test->folder.ca, both);
    free(cas[0]);
    free(cas[1]);
}

static void put_pair(const struct pair_text *text)
{
    struct tls_pair *pair = NULL;
    struct karta_error err = {0};
    assert_int_equal(tls_pair_new(text->cert, text->key, &pair, &err), 0);
    tls_store_put(pair);
}

static int set_up(void **state)
{
    struct swap_test *test = calloc(1, sizeof *test);
    struct karta_error err = {0};
    char real[ADDRESS_TEXT];
    int fd;
    assert_non_null(test);
    running_init(&test->folder);
    make_pairs(test);
    assert_int_equal(karta_engine_init(&err), 0);
    holder_init(&test->holder);
    holder_put(&test->holder, test_snapshot());
    test->metrics = metrics_new();
    test->log = (struct log){.fd = STDERR_FILENO, .level = LOG_LEVEL_WARN};
    test->admission = (struct admission_config){.profile = "kai", .deadline_ms = 1000};
    put_pair(&test->pairs[0]);
    assert_int_equal(address_listen("127.0.0.1:0", &fd, real, &err), 0);
    test->port = atoi(strrchr(real, ':') + 1);
    struct server_config config = {.listen_fd = fd,
                                   .threads = 2,
                                   .admission = &test->admission,
                                   .holder = &test->holder,
                                   .metrics = test->metrics,
                                   .log = &test->log};
    assert_int_equal(server_start(&config, &test->server, &err), 0);
    *state = test;
    return 0;
}

static int tear_down(void **state)
{
    struct swap_test *test = *state;
    server_stop(test->server, 2000);
    holder_dispose(&test->holder);
    metrics_free(test->metrics);
    tls_store_put(NULL);
    for (size_t i = 0; i < 2; i++) {
        free(test->pairs[i].cert);
        free(test->pairs[i].key);
    }
    running_remove(&test->folder);
    free(test);
    karta_engine_shutdown();
    return 0;
}

/* One handshake for every three requests. */
static void *run_client(void *arg)
{
    struct swap_test *test = arg;
    while (!atomic_load(&test->done)) {
        struct client client;
        struct client_tls tls = {.ca = test->folder.ca};
        if (!client_open(&client, test->port, &tls)) {
            atomic_fetch_add(&test->failed, 1);
            continue;
        }
        for (int i = 0; i < 3; i++) {
            struct answer answer;
            bool good = client_post(&client, "/mutate/workloads", test_review, &answer) &&
                        answer.status == 200;
            atomic_fetch_add(good ? &test->answered : &test->failed, 1);
            answer_dispose(&answer);
        }
        client_close(&client);
    }
    return NULL;
}

static void start_clients(struct swap_test *test, pthread_t *threads)
{
    atomic_store(&test->done, false);
    atomic_store(&test->answered, 0);
    atomic_store(&test->failed, 0);
    for (size_t i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_client, test), 0);
}

static void stop_clients(struct swap_test *test, pthread_t *threads)
{
    atomic_store(&test->done, true);
    for (size_t i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&test->failed), 0);
    assert_true(atomic_load(&test->answered) >= CLIENTS);
}

static void swap__certificates_under_handshakes(void **state)
{
    struct swap_test *test = *state;
    pthread_t threads[CLIENTS];
    uint64_t before = tls_store_handshakes();
    start_clients(test, threads);
    for (int i = 0; i < SWAPS; i++) {
        put_pair(&test->pairs[i % 2]);
        pause_ms(2);
    }
    stop_clients(test, threads);
    assert_true(tls_store_handshakes() > before + CLIENTS);
}

static void swap__snapshots_under_requests(void **state)
{
    struct swap_test *test = *state;
    pthread_t threads[CLIENTS];
    struct karta_snapshot *snapshots[2] = {test_snapshot(), test_snapshot()};
    start_clients(test, threads);
    for (int i = 0; i < SWAPS; i++) {
        holder_put(&test->holder, karta_snapshot_ref(snapshots[i % 2]));
        pause_ms(1);
    }
    holder_put(&test->holder, snapshots[0]);
    karta_snapshot_unref(snapshots[1]);
    stop_clients(test, threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swap__certificates_under_handshakes),
        cmocka_unit_test(swap__snapshots_under_requests),
    };
    return cmocka_run_group_tests_name("server.swap", tests, set_up, tear_down);
}
