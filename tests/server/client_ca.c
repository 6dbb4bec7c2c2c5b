/* SPDX-License-Identifier: Apache-2.0 */
/* Callers that have to show a certificate, and the CA that changes under them. */
#include <gnutls/x509.h>
#include <string.h>

#include "base/mem.h"
#include "pairs.h"

static int post_with(const struct running *server, const char *cert, const char *key)
{
    struct client client;
    struct answer answer;
    struct client_tls tls = {.ca = server->ca, .cert = cert, .key = key};
    assert_true(client_open(&client, server->https, &tls));
    assert_true(client_post(&client, "/mutate/workloads", test_review, &answer));
    int status = answer.status;
    if (status == 401) {
        assert_string_equal(answer.body, "{\"error\": \"no certificate of the client CA was shown: "
                                         "callers need one\"}\n");
        assert_true(answer.close);
    }
    answer_dispose(&answer);
    client_close(&client);
    return status;
}

static void start_with_ca(struct running *server)
{
    running_init(server);
    make_pair(server, "callers");
    make_pair(server, "strangers");
    install(server, "callers/ca.crt", "callers.crt");
    KARTA_AUTO_TEXT ca = mem_format("%s/callers.crt", server->dir);
    running_start(server, (const char *[]){"--drain", "0", "--client-ca-file", ca, NULL});
}

static void make_client(const struct running *server, const char *ca, const char *purpose)
{
    make_cert(server, &(struct cert_wish){ca, "client", purpose, -60, 3600});
}

static void client_ca__only_its_certificates_are_accepted(void **state)
{
    (void)state;
    struct running server;
    start_with_ca(&server);
    KARTA_AUTO_TEXT cert = mem_format("%s/client.crt", server.dir);
    KARTA_AUTO_TEXT key = mem_format("%s/client.key", server.dir);
    assert_int_equal(post_with(&server, NULL, NULL), 401);
    make_client(&server, "callers", GNUTLS_KP_TLS_WWW_CLIENT);
    assert_int_equal(post_with(&server, cert, key), 200);
    make_client(&server, "callers", GNUTLS_KP_TLS_WWW_SERVER);
    assert_int_equal(post_with(&server, cert, key), 401);
    make_client(&server, "strangers", GNUTLS_KP_TLS_WWW_CLIENT);
    assert_int_equal(post_with(&server, cert, key), 401);
    assert_int_equal(running_stop(&server), 0);
}

/* A kept connection too is judged by the CA that is in force now. */
static void client_ca__is_read_again(void **state)
{
    (void)state;
    struct running server;
    struct client kept;
    struct answer answer;
    start_with_ca(&server);
    KARTA_AUTO_TEXT cert = mem_format("%s/client.crt", server.dir);
    KARTA_AUTO_TEXT key = mem_format("%s/client.key", server.dir);
    make_client(&server, "callers", GNUTLS_KP_TLS_WWW_CLIENT);
    struct client_tls tls = {.ca = server.ca, .cert = cert, .key = key};
    assert_true(client_open(&kept, server.https, &tls));
    assert_true(client_post(&kept, "/mutate/workloads", test_review, &answer));
    assert_int_equal(answer.status, 200);
    answer_dispose(&answer);
    install(&server, "strangers/ca.crt", "callers.crt");
    assert_true(running_logs(&server, "msg=\"client CA loaded\"", LOGGED_MS));
    assert_true(client_post(&kept, "/mutate/workloads", test_review, &answer));
    assert_int_equal(answer.status, 401);
    answer_dispose(&answer);
    client_close(&kept);
    assert_int_equal(post_with(&server, cert, key), 401);
    make_client(&server, "strangers", GNUTLS_KP_TLS_WWW_CLIENT);
    assert_int_equal(post_with(&server, cert, key), 200);
    write_below(&server, "callers.crt", "nothing");
    assert_true(running_logs(&server,
                             "level=warn msg=\"client CA not loaded, the one before stays\" "
                             "error=\"",
                             LOGGED_MS));
    assert_int_equal(post_with(&server, cert, key), 200);
    KARTA_AUTO_TEXT text = running_get(&server, "/metrics", NULL);
    assert_non_null(
        strstr(text, "\nkarta_reload_total{what=\"client-ca\",result=\"success\"} 2\n"));
    assert_non_null(
        strstr(text, "\nkarta_reload_total{what=\"client-ca\",result=\"failure\"} 1\n"));
    assert_int_equal(running_stop(&server), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(client_ca__only_its_certificates_are_accepted),
        cmocka_unit_test(client_ca__is_read_again),
    };
    return cmocka_run_group_tests_name("server.client_ca", tests, NULL, NULL);
}
