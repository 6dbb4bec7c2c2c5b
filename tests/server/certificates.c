/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates that change under a running server, and certificates of callers. */
#include <gnutls/x509.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "certs.h"
#include "harness.h"

/* the server looks twice a second, and believes in a bad pair at the second look */
#define NOTICED_MS 5000

static const char *const sans[] = {"127.0.0.1", "localhost"};

/* New CA and pair in DIR/name. */
static void make_pair(const struct running *server, const char *name)
{
    KARTA_AUTO_TEXT dir = mem_format("%s/%s", server->dir, name);
    struct certs_options options = {.dir = dir, .sans = sans, .san_count = 2};
    struct karta_error err = {0};
    assert_int_equal(certs_ensure(&options, NULL, &err), 0);
}

/* Puts DIR/from in the place of DIR/to, by rename. */
static void install(const struct running *server, const char *from, const char *to)
{
    KARTA_AUTO_TEXT source = mem_format("%s/%s", server->dir, from);
    KARTA_AUTO_TEXT target = mem_format("%s/%s", server->dir, to);
    KARTA_AUTO_TEXT copy = mem_format("%s.new", target);
    char text[8192];
    FILE *file = fopen(source, "re");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    write_text(copy, text);
    assert_int_equal(rename(copy, target), 0);
}

static void install_pair(const struct running *server, const char *from)
{
    KARTA_AUTO_TEXT key = mem_format("%s/tls.key", from);
    KARTA_AUTO_TEXT cert = mem_format("%s/tls.crt", from);
    install(server, key, "tls.key");
    pause_ms(100); /* as a careful writer: for a moment they do not belong together */
    install(server, cert, "tls.crt");
}

static bool is_served(const struct running *server, const char *name, int ms)
{
    KARTA_AUTO_TEXT ca = mem_format("%s/%s/ca.crt", server->dir, name);
    struct client_tls tls = {.ca = ca};
    for (int64_t limit = clock_ms() + ms;; pause_ms(50)) {
        struct client client;
        if (client_open(&client, server->https, &tls)) {
            client_close(&client);
            return true;
        }
        if (clock_ms() >= limit)
            return false;
    }
}

static size_t count_warnings(const struct running *server)
{
    KARTA_AUTO_TEXT log = running_log(server);
    size_t count = 0;
    for (const char *at = log; (at = strstr(at, "level=warn")) != NULL; at++)
        count++;
    return count;
}

static void start_with_files(struct running *server)
{
    running_init(server);
    make_pair(server, "a");
    make_pair(server, "b");
    install(server, "a/tls.key", "tls.key");
    install(server, "a/tls.crt", "tls.crt");
    KARTA_AUTO_TEXT cert = mem_format("%s/tls.crt", server->dir);
    KARTA_AUTO_TEXT key = mem_format("%s/tls.key", server->dir);
    running_start(server, (const char *[]){"--drain", "0", "--tls-cert-file", cert,
                                           "--tls-key-file", key, NULL});
    snprintf(server->ca, sizeof server->ca, "%s/a/ca.crt", server->dir);
}

static void files__a_new_pair_is_served_without_a_lost_connection(void **state)
{
    (void)state;
    struct running server;
    struct client before;
    struct answer answer;
    start_with_files(&server);
    running_connect(&server, &before);
    assert_false(is_served(&server, "b", 0));
    install_pair(&server, "b");
    assert_true(is_served(&server, "b", NOTICED_MS));
    assert_false(is_served(&server, "a", 0));
    assert_true(client_post(&before, "/mutate/workloads", test_review, &answer));
    assert_int_equal(answer.status, 200);
    answer_dispose(&answer);
    client_close(&before);
    assert_int_equal(count_warnings(&server), 0);
    assert_int_equal(running_stop(&server), 0);
}

static void files__a_bad_pair_leaves_the_last_good_one(void **state)
{
    (void)state;
    struct running server;
    start_with_files(&server);
    KARTA_AUTO_TEXT cert = mem_format("%s/tls.crt", server.dir);
    static const char warning[] =
        "msg=\"certificate not loaded, the one before stays\" error=\"cannot serve with ";
    write_text(cert, "-----BEGIN CERT");
    assert_true(running_logs(&server, warning, NOTICED_MS));
    assert_true(running_logs(&server, "there is no PEM certificate\"", 0));
    install(&server, "b/tls.crt", "tls.crt"); /* b's certificate, a's key */
    assert_true(
        running_logs(&server, "the private key does not belong to the certificate\"", NOTICED_MS));
    unlink(cert);
    assert_true(running_logs(&server, "no such file or directory", NOTICED_MS));
    pause_ms(1500);
    assert_int_equal(count_warnings(&server), 3); /* each said once */
    assert_true(is_served(&server, "a", 0));
    install_pair(&server, "b");
    assert_true(is_served(&server, "b", NOTICED_MS));
    assert_int_equal(running_stop(&server), 0);
}

static void self_signed__survives_a_restart(void **state)
{
    (void)state;
    struct running server;
    struct certs_info first;
    struct certs_info second;
    struct karta_error err = {0};
    running_init(&server);
    KARTA_AUTO_TEXT path = mem_format("%s/tls/tls.crt", server.dir);
    running_start(&server, (const char *[]){"--drain", "0", NULL});
    assert_int_equal(certs_read_info(path, &first, &err), 0);
    kill(server.pid, SIGTERM);
    assert_int_equal(running_wait(&server), 0);
    server.metrics = 0;
    KARTA_AUTO_TEXT log = mem_format("%s/log", server.dir);
    unlink(log);
    running_start(&server, (const char *[]){"--drain", "0", NULL});
    assert_int_equal(certs_read_info(path, &second, &err), 0);
    assert_string_equal(first.serial, second.serial);
    assert_int_equal(running_stop(&server), 0);
}

struct pem {
    gnutls_x509_crt_t cert;
    gnutls_x509_privkey_t key;
};

static gnutls_datum_t read_pem(const char *path)
{
    gnutls_datum_t text;
    assert_int_equal(gnutls_load_file(path, &text), 0);
    return text;
}

static void load_ca(const struct running *server, const char *name, struct pem *ca)
{
    KARTA_AUTO_TEXT cert_path = mem_format("%s/%s/ca.crt", server->dir, name);
    KARTA_AUTO_TEXT key_path = mem_format("%s/%s/ca.key", server->dir, name);
    gnutls_datum_t cert = read_pem(cert_path);
    gnutls_datum_t key = read_pem(key_path);
    gnutls_x509_crt_init(&ca->cert);
    gnutls_x509_privkey_init(&ca->key);
    assert_int_equal(gnutls_x509_crt_import(ca->cert, &cert, GNUTLS_X509_FMT_PEM), 0);
    assert_int_equal(gnutls_x509_privkey_import(ca->key, &key, GNUTLS_X509_FMT_PEM), 0);
    gnutls_free(cert.data);
    gnutls_free(key.data);
}

static void save(const struct running *server, const char *name, gnutls_datum_t text)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s", server->dir, name);
    write_text(path, (const char *)text.data);
    gnutls_free(text.data);
}

/* DIR/client.crt and DIR/client.key, signed by the CA in DIR/name for `purpose`. */
static void make_client_cert(const struct running *server, const char *name, const char *purpose)
{
    struct pem ca;
    struct pem own;
    gnutls_datum_t text;
    load_ca(server, name, &ca);
    gnutls_x509_crt_init(&own.cert);
    gnutls_x509_privkey_init(&own.key);
    assert_int_equal(gnutls_x509_privkey_generate(own.key, GNUTLS_PK_ECDSA,
                                                  GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1),
                                                  0),
                     0);
    gnutls_x509_crt_set_version(own.cert, 3);
    gnutls_x509_crt_set_serial(own.cert, "\x01\x02", 2);
    gnutls_x509_crt_set_activation_time(own.cert, time(NULL) - 60);
    gnutls_x509_crt_set_expiration_time(own.cert, time(NULL) + 3600);
    gnutls_x509_crt_set_dn(own.cert, "CN=kube-apiserver", NULL);
    gnutls_x509_crt_set_key(own.cert, own.key);
    gnutls_x509_crt_set_key_purpose_oid(own.cert, purpose, 0);
    assert_int_equal(gnutls_x509_crt_sign2(own.cert, ca.cert, ca.key, GNUTLS_DIG_SHA256, 0), 0);
    assert_int_equal(gnutls_x509_crt_export2(own.cert, GNUTLS_X509_FMT_PEM, &text), 0);
    save(server, "client.crt", text);
    assert_int_equal(gnutls_x509_privkey_export2(own.key, GNUTLS_X509_FMT_PEM, &text), 0);
    save(server, "client.key", text);
    gnutls_x509_crt_deinit(own.cert);
    gnutls_x509_privkey_deinit(own.key);
    gnutls_x509_crt_deinit(ca.cert);
    gnutls_x509_privkey_deinit(ca.key);
}

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

static void client_ca__only_its_certificates_are_accepted(void **state)
{
    (void)state;
    struct running server;
    running_init(&server);
    make_pair(&server, "callers");
    make_pair(&server, "strangers");
    KARTA_AUTO_TEXT ca = mem_format("%s/callers/ca.crt", server.dir);
    KARTA_AUTO_TEXT cert = mem_format("%s/client.crt", server.dir);
    KARTA_AUTO_TEXT key = mem_format("%s/client.key", server.dir);
    running_start(&server, (const char *[]){"--drain", "0", "--client-ca-file", ca, NULL});
    assert_int_equal(post_with(&server, NULL, NULL), 401);
    make_client_cert(&server, "callers", GNUTLS_KP_TLS_WWW_CLIENT);
    assert_int_equal(post_with(&server, cert, key), 200);
    make_client_cert(&server, "callers", GNUTLS_KP_TLS_WWW_SERVER);
    assert_int_equal(post_with(&server, cert, key), 401);
    make_client_cert(&server, "strangers", GNUTLS_KP_TLS_WWW_CLIENT);
    assert_int_equal(post_with(&server, cert, key), 401);
    assert_int_equal(running_stop(&server), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files__a_new_pair_is_served_without_a_lost_connection),
        cmocka_unit_test(files__a_bad_pair_leaves_the_last_good_one),
        cmocka_unit_test(self_signed__survives_a_restart),
        cmocka_unit_test(client_ca__only_its_certificates_are_accepted),
    };
    return cmocka_run_group_tests_name("server.certificates", tests, NULL, NULL);
}
